//! Why something cannot be used, chosen or answered.

use super::{ClientId, Table, TableSetup};
use crate::protocol::{Lang, Reason, ServerMessage};
use crate::rule_text::rule_text;
use crate::words::pack_texts::{ability_text, name, only_ability_text_in_line, prompt, rules_text};
use crate::words::phrases::Speaker;
use crate::words::refusals::{answer_refusal, refusal};
use fizzle_runtime::view::{
    RefusalKind, RefusalReason, RefusalWords, RefusedPlay, answer_refusal_text, candidate_refusal, declaration_refusal, refusals,
};
use fizzle_runtime::vm::decision::{AnswerError, Decision, DecisionKind};

/// The most reasons in one message.
const MAX_REASONS: usize = 40;

impl Table {
    /// Why something cannot be used or chosen now, in words for one client.
    pub(super) fn reasons(&mut self, seats: &[usize], on: Option<u32>, speaker: &Speaker) -> Vec<Reason> {
        let unknown = |en: &str, ja: &str| {
            vec![Reason { kind: "unknown".to_owned(), words: speaker.say(en, ja).to_owned(), ..Reason::default() }]
        };
        // While an automatic answer waits, the client does not know yet what is pending.
        let decision = self.playing.decision().filter(|_| self.shown_at.is_none()).cloned();
        let Some(decision) = decision else {
            return unknown("there is nothing to decide now", "いま選択するものはない");
        };
        if !seats.contains(&decision.player) {
            return unknown("another player decides now", "いまは他のプレイヤーが選択する");
        }
        let Some(handles) = self.playing.observer(decision.player).map(|observer| observer.handles().clone()) else {
            return Vec::new();
        };
        // Reasons refresh caches, so they are computed on a copy.
        let mut machine = self.playing.game.machine.clone();
        if decision.kind == DecisionKind::Act {
            let refused = refusals(&mut machine, &handles, &decision).into_iter();
            let refused = refused.filter(|one| on.is_none() || one.handle == on);
            let mut reasons: Vec<_> = refused
                .map(|one| {
                    let words = reason(&self.setup, &one.play, &one.why, speaker);
                    (one.why.kind, Reason { on: one.handle, ..self.with_rules_text(words, &one, speaker) })
                })
                .collect();
            reasons.sort_by_key(|(kind, _)| *kind);
            return reasons.into_iter().map(|(_, reason)| reason).take(MAX_REASONS).collect();
        }
        let Some(on) = on else {
            return unknown("the options are all that can be chosen here", "ここで選べるのは選択肢にあるものだけである");
        };
        match candidate_refusal(&mut machine, &handles, &decision, on) {
            Some(mut why) => {
                // What is chosen, as the rules text has it.
                let chosen = decision.site.and_then(|site| prompt(&self.setup.game, site, speaker.lang)).map(|it| it.text.trim());
                if let (Some(chosen), RefusalWords::NotAmong(text) | RefusalWords::NoFit(text, _)) =
                    (chosen.filter(|chosen| !chosen.is_empty()), &mut why.words)
                {
                    chosen.trim_end_matches('.').clone_into(text);
                }
                vec![Reason { on: Some(on), ..reason(&self.setup, "", &why, speaker) }]
            }
            None => unknown("nothing is known about it", "それについて分かることはない"),
        }
    }

    /// Adds the rules text of the ability of a card that does not allow a play, or forbids it, instead of its source.
    fn with_rules_text(&self, mut reason: Reason, refused: &RefusedPlay, speaker: &Speaker) -> Reason {
        let why = &refused.why;
        let card = match &why.words {
            RefusalWords::Text(of) => of,
            RefusalWords::Condition if why.path.starts_with("activated.") => &refused.name,
            _ => return reason,
        };
        let (game, format) = (&self.setup.game, &self.setup.program.format);
        let card = self.setup.pack_index.definitions.get(card).map(|card| format.corrected(*card));
        let text = why.source.zip(card).and_then(|(place, card)| {
            let exact = ability_text(game, format, card, place, speaker.lang);
            exact.or_else(|| only_ability_text_in_line(game, format, card, place, speaker.lang))
        });
        // A text that waits on no list has no separate line, but it can be all that the card has.
        let whole = || match rules_text(game, format, card?, speaker.lang).as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        if let Some(text) = text.or_else(whole) {
            let words = refusal(&why.words, speaker, (game, format));
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            reason.words = match speaker.lang {
                Lang::En => format!("{words}: “{text}”"),
                Lang::Ja => format!("{words}：「{text}」"),
            };
        }
        reason
    }

    /// Sends why an answer is not legal, and for a declaration the nearest legal one.
    pub(super) fn refuse(&mut self, client: ClientId, decision: &Decision, refused: &AnswerError) {
        let Some(speaker) = self.client(client).map(|known| known.speaker.clone()) else { return };
        let machine = &self.playing.game.machine;
        let mut why = match declaration_refusal(machine, decision.player, decision, refused) {
            Some(rule) => reason(&self.setup, "", &rule, &speaker),
            None => Reason { kind: kind_name(RefusalKind::Selection).to_owned(), ..Reason::default() },
        };
        why.words = match refused {
            AnswerError::NoDecisionPending => speaker
                .say("the answer does not have the form that the decision needs", "この選択に合わない形の答えである")
                .to_owned(),
            refused if speaker.lang == Lang::Ja => answer_refusal(refused),
            refused => answer_refusal_text(machine, decision.player, decision, refused),
        };
        let instead = match refused {
            AnswerError::IllegalDeclaration { instead, .. } => instead.clone().or_else(|| decision.proposal()),
            _ => None,
        };
        let question = self.playing.question().unwrap_or_default();
        let instead = instead.map(|picks| question.options_of(&picks));
        self.send(client, ServerMessage::Refused { ask: self.ask, why, instead });
    }
}

/// The longest part of a condition that is repeated in the words.
const MAX_PART_CHARS: usize = 80;

fn reason(setup: &TableSetup, play: &str, why: &RefusalReason, speaker: &Speaker) -> Reason {
    // An object in another zone fails no part of the condition.
    let path = if why.kind == RefusalKind::Elsewhere { "" } else { &why.path };
    let rule = rule_text(&setup.sources, &why.place, path, why.parts_behind);
    let mut words = refusal(&why.words, speaker, (&setup.game, &setup.program.format));
    if let (RefusalWords::Condition, [(from, to)]) = (&why.words, rule.fails.as_slice())
        && to - from <= MAX_PART_CHARS
    {
        let part: String = rule.text.chars().skip(*from).take(to - from).collect();
        words = format!("{words}{}`{part}`", speaker.say(": ", "："));
    }
    let play = if play.is_empty() { String::new() } else { name(&setup.game, &setup.program.format, play, speaker.lang) };
    Reason {
        play,
        on: None,
        kind: kind_name(why.kind).to_owned(),
        words,
        path: why.path.clone(),
        place: why.place.clone(),
        source: rule.text,
        fails: rule.fails,
    }
}

/// The name of a kind of reasons in messages.
fn kind_name(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Forbidden => "forbidden",
        RefusalKind::Cost => "cost",
        RefusalKind::NoChoice => "no_choice",
        RefusalKind::Limit => "limit",
        RefusalKind::Moment => "moment",
        RefusalKind::Window => "window",
        RefusalKind::Elsewhere => "elsewhere",
        RefusalKind::Selection => "selection",
    }
}
