//! Conditions of use: which of them follow from what the card does, and whether a trigger is optional, and which
//! targets are announced before what is done.

use super::abilities::{AbilityRemainder, collect_words, mentions_all_of, names_things_of};
use crate::text::lexicon::Lexicon;
use crate::text::line_marks::MANDATORY;
use crate::text::normalize::{MAY, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::render::governed_blocks::Sentence;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl<'a> Renderer<'a> {
    /// The line of a prohibition that its entry hides, by the second form of the entry. `None` if there is no such form, or if the
    /// condition follows from what the card does: a card that destroys a monster cannot be used without one.
    pub(super) fn unimplied_prohibition(&mut self, node: &TextNode) -> Option<String> {
        let condition = (node.kind == TextNodeKind::Cannot).then(|| node.kid(0).kid(3))?;
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, found) = lexicon.find(LexiconTable::Ability, node, self.builder)?;
        let form = entry.more_forms.first()?;
        let left = self.unimplied_part(condition)?;
        let found = found.into_iter().map(|(hole, value)| if value == *condition { (hole, left.clone()) } else { (hole, value) });
        let text = self.fill(form, &found.collect());
        Some(self.finish_line(&text))
    }

    /// The condition without the alternatives that follow from the effects. `None` if all of it follows.
    fn unimplied_part(&self, condition: &TextNode) -> Option<TextNode> {
        if condition.kind != TextNodeKind::Binary || condition.text != "or" {
            return (!self.is_implied(condition)).then(|| condition.clone());
        }
        match (self.unimplied_part(condition.kid(0)), self.unimplied_part(condition.kid(1))) {
            (Some(left), Some(right)) => Some(TextNode { kids: vec![left, right], ..condition.clone() }),
            (left, right) => left.or(right),
        }
    }

    /// Whether a condition under which a card cannot be used follows from its effects: an entry hides it or its opposite, or it says that
    /// something is missing that an effect names.
    fn is_implied(&self, condition: &TextNode) -> bool {
        // the numbers of an effect are shown, as those of a price are
        let rest = AbilityRemainder { price: &self.effects, all: &self.effects, is_use: true };
        match (condition.kind, condition.text.as_str()) {
            (TextNodeKind::Binary, "and" | "or") => condition.kids.iter().all(|kid| self.is_implied(kid)),
            (TextNodeKind::Binary, "<") if condition.kid(0).kind == TextNodeKind::Aggregate => {
                self.is_named_by_effects(condition) && self.is_number_of_effects(condition)
            }
            (TextNodeKind::Not, _) => self.is_hidden(condition.kid(0), &rest),
            (TextNodeKind::Phrase, _) if condition.kid(0).text == "no" => {
                self.is_named_by_effects(condition) || self.is_done_by_effects(condition)
            }
            _ => self.is_hidden(condition, &rest),
        }
    }

    /// Whether one effect of the card mentions all words of a condition, and names the things that it is about.
    fn is_named_by_effects(&self, condition: &TextNode) -> bool {
        let mut words = Vec::new();
        collect_words(condition, &mut words);
        // what every player does, this player does
        let is_named = |effect: &TextNode, word: &TextNode| {
            mentions_all_of(effect, word) || matches!(word.text.as_str(), "you" | "opponent") && effect.mentions("player")
        };
        let mentions_all = |effect: &TextNode| words.iter().all(|word| is_named(effect, word));
        self.effects.iter().any(|effect| mentions_all(effect) && names_things_of(effect, condition))
    }

    /// Whether a condition says that nothing is there to which the player can do what an effect of the card does: `no card that (you can search
    /// candidate)`.
    fn is_done_by_effects(&self, condition: &TextNode) -> bool {
        fn does(part: &TextNode, verb: &str) -> bool {
            part.kind == TextNodeKind::Do && part.text == verb || part.kids.iter().any(|kid| does(kid, verb))
        }
        let possible = condition.kids.iter().skip(2).map(|filter| filter.kid(0)).find(|test| test.kind == TextNodeKind::Can);
        possible.is_some_and(|test| test.kid(0).is_word("you") && self.effects.iter().any(|effect| does(effect, &test.text)))
    }

    /// Whether a number of things that must be there, `count of X < N`, is the number that an effect of the card does something with, or chooses as
    /// targets: a card that destroys 2 targets cannot be used with one. That there must be more than that does not follow.
    fn is_number_of_effects(&self, condition: &TextNode) -> bool {
        fn takes(node: &TextNode, number: &TextNode) -> bool {
            let quantifier = node.kid(0);
            let is_number = quantifier.kids.len() == 1 && quantifier.kid(0).text == number.text;
            let is_exact = matches!(quantifier.text.as_str(), "exactly" | "random" | "target");
            node.kind == TextNodeKind::Phrase && is_exact && is_number || node.kids.iter().any(|kid| takes(kid, number))
        }
        let number = condition.kid(1);
        // of two compared counts neither is a number of the effect, which shows both
        number.kind != TextNodeKind::Number || number.text == "1" || self.effects.iter().any(|effect| takes(effect, number))
    }

    /// Marks the line of a trigger that must be used although a player may do something in its effect: another player, or only later or under a
    /// condition.
    pub(super) fn mark_mandatory(&self, node: &TextNode, mut lines: Vec<String>) -> Vec<String> {
        let is_trigger = matches!(node.kind, TextNodeKind::When | TextNodeKind::At);
        let is_marked = self.is_japanese() && !self.style("head_may").is_empty();
        if is_trigger && is_marked && !self.begins_with_own_choice(node.kid(2)) {
            lines.iter_mut().for_each(|line| line.push(MANDATORY));
        }
        lines
    }

    /// Whether the first thing that happens is left to the player whose effect it is.
    fn begins_with_own_choice(&self, block: &TextNode) -> bool {
        let acts = block
            .kids
            .iter()
            .map(|statement| if statement.kind == TextNodeKind::Statement { statement.kid(0) } else { statement });
        let first =
            acts.into_iter().find(|act| act.kind != TextNodeKind::Let && !(act.kind == TextNodeKind::Do && act.text == "choose"));
        let Some(first) = first else { return true };
        let act = if first.kind == TextNodeKind::Sentence { first.kid(0) } else { first };
        match first.kind {
            TextNodeKind::Do | TextNodeKind::Sentence => {
                let subject = act.kid(SUBJECT);
                act.kid(MAY).is_nil() || subject.is_nil() || subject.is_word("you")
            }
            TextNodeKind::If if first.kid(2).is_nil() && self.is_hidden_condition(first) => {
                self.begins_with_own_choice(first.kid(1))
            }
            TextNodeKind::If | TextNodeKind::ForEach | TextNodeKind::Delayed | TextNodeKind::DelayedWhen => false,
            _ => true,
        }
    }

    /// Whether the target of what depends on the sentence before it is announced before that: targets are chosen when the card is used. A trigger
    /// chooses its targets later.
    pub(super) fn is_target_announced_first(&self, statement: &TextNode, before: &[Sentence]) -> bool {
        let announces = |front: &str| before.iter().any(|sentence| sentence.text.contains(front));
        !self.is_japanese()
            && statement.text == "if_you_do"
            && matches!(statement.kid(0).kind, TextNodeKind::Do | TextNodeKind::Gets)
            && self.leading_sentences.is_empty()
            && self.style("target").split_once("{X}").is_some_and(|(front, _)| !front.is_empty() && !announces(front))
    }
}
