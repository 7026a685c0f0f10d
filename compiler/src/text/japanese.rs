//! The Japanese grammar: verb forms, particles, and the order of clauses. Words of a game come from its `text` items by the `lexicon`, never from
//! here.
//!
//! | question | module |
//! |---|---|
//! | the particle after a subject (は, が) | [`verb_phrases`] |
//! | a particle next to a count (を) | [`markers`] |
//! | all other particles | the templates: `text` items of a game, rows of `fizzle_ir::verbs` |
//! | counters (体, 枚) | [`phrases`] |
//! | durations and moments (ターン終了時まで) | `until` entries of the `text` items; abilities with a duration: `render/abilities_with_duration.rs` |
//!
//! In templates, a bar before the る at the end of a verb marks where its stem ends (出|る).

mod becomes;
mod inflection;
mod lines;
mod markers;
mod phrases;
mod values;
mod verb_phrases;

pub(in crate::text) use inflection::{conjunctive_form, past_passive};
pub use inflection::{continues_subject, dictionary_form, join_alternatives, join_sentences, past, prohibited, without_subject};
pub use lines::merge_events;
pub use markers::without_targets;

use inflection::{VerbForm, inflect};

use crate::text::line_marks::REMINDER;
use crate::text::renderer::Renderer;

impl Renderer<'_> {
    /// A sentence in another form.
    pub(super) fn form_ja(&mut self, text: &str, mode: &str) -> String {
        // a reminder behind the sentence stays there
        if let Some((front, reminder)) = text.split_once(REMINDER) {
            return format!("{}{REMINDER}{reminder}", self.form_ja(front, mode));
        }
        match mode {
            ":te" => inflect(text, VerbForm::Te),
            ":stem" => inflect(text, VerbForm::Stem),
            ":past" => inflect(text, VerbForm::Past),
            ":negative" => inflect(text, VerbForm::Negative),
            ":may" => self.may_sentences_ja(text),
            _ => text.to_owned(),
        }
    }

    /// The link between kinds: `or`, or と for all things of all kinds (森と苗木).
    fn or_ja(&self) -> &str {
        match (self.joins_kinds_by_and, self.marks_each) {
            (true, true) => "と各",
            (true, false) => "と",
            _ => self.style("or"),
        }
    }

    /// The prefix for all things of a kind: 各 if the effect is on each of them.
    fn every_ja(&self) -> &str {
        if self.marks_each { "各" } else { self.style("every") }
    }

    /// Several sentences that a player may have happen: the first one says so, and the others depend on it.
    fn may_sentences_ja(&self, text: &str) -> String {
        const LINKS: [&str; 7] =
            ["then", "if_you_do", "otherwise", "if_not_done", "governed_if", "governed_first", "governed_whether"];
        // targets are announced before the player chooses
        let announced = self.style("target").rsplit('}').next().unwrap_or("").trim_end_matches('。');
        let heads = self.lexicon.styles("heads");
        let is_announcement = |sentence: &str| {
            let is_head = heads.iter().any(|head| sentence.ends_with(head.trim_end_matches('。')));
            is_head || !announced.is_empty() && sentence.ends_with(announced)
        };
        let mut start = 0;
        let (first, rest) = loop {
            let (first, rest) = markers::split_first_sentence(text.get(start..).unwrap_or(""));
            if rest.is_empty() || !is_announcement(first) {
                break (first, rest);
            }
            start = text.len() - rest.len();
        };
        let named = text.get(..start).unwrap_or("");
        if rest.is_empty() {
            return format!("{named}{}", self.may_ja(first));
        }
        let begins_with =
            |link: &str| rest.starts_with(link.trim_start_matches('。')) && !link.trim_start_matches('。').is_empty();
        let is_linked =
            rest.starts_with('\n') || LINKS.iter().any(|link| begins_with(self.style(link).split('{').next().unwrap_or("")));
        let links = self.lexicon.styles("if_you_do");
        let link = links.iter().find(|link| !link.starts_with('{')).map_or("", |link| link.trim_start_matches('。'));
        format!("{named}{}。{}{rest}", self.may_ja(first), if is_linked { "" } else { link })
    }

    fn may_ja(&self, text: &str) -> String {
        self.style("may").replace("{te}", &inflect(text, VerbForm::Te)).replace("{plain}", text)
    }
}

/// Splits a text into its subject in brackets at the beginning, which is printed if no subject is written, and the rest.
pub(in crate::text) fn split_subject(text: &str) -> (&str, &str) {
    text.strip_prefix('(').and_then(|rest| rest.split_once(')')).unwrap_or(("", text))
}
