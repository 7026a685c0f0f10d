//! Renders prohibitions: `your opponents can't cast red spells this turn`.

use crate::text::lexicon::Lexicon;
use crate::text::normalize::CONDITION;
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};
use crate::text::tree::{collect_conditions, equal_ignoring_spans};

impl<'a> Renderer<'a> {
    /// Joins the prohibitions of one event by `or` where their entry phrases a keyword of the card (`{self …}`) with the condition: two such lines
    /// would say that the card has the keyword twice.
    pub(in crate::text) fn merge_prohibitions(&self, parts: &mut Vec<(u32, TextNode)>) {
        let mut at = 0;
        while let Some((_, first)) = parts.get(at).cloned() {
            let both = parts.iter().enumerate().skip(at + 1).find_map(|(other, (_, node))| {
                let both = either_prohibition(&first, node)?;
                let (entry, _) = self.lexicon.find(LexiconTable::Ability, &both, self.builder)?;
                let is_keyword = entry.parts.iter().any(|part| matches!(part, TemplatePart::Slot(name, _) if name == "self"));
                is_keyword.then_some((other, both))
            });
            match both {
                Some((other, both)) => {
                    parts.remove(other);
                    parts[at].1 = both;
                }
                None => at += 1,
            }
        }
    }

    /// The text of a prohibition. A condition that its event does not print is a filter of what it forbids, or a clause.
    pub(in crate::text) fn prohibition(&mut self, node: &TextNode) -> String {
        let mut event = node.kid(0).clone();
        let condition = event.kid(CONDITION).clone();
        let lexicon: &'a Lexicon = self.lexicon;
        let entry = lexicon.find(LexiconTable::Event, &event, self.builder);
        let is_whole = entry.is_some_and(|(entry, _)| !entry.more_forms.is_empty());
        if !is_whole && let Some(slot) = event.kids.get_mut(CONDITION) {
            *slot = TextNode::nil();
        }
        let gaps = self.gaps.len();
        let mut text = self.slot(&event, ":cannot");
        if !is_whole && !condition.is_nil() {
            let plain = std::mem::take(&mut text);
            let filtered = self.filtered_event(&event, &condition);
            text = match filtered {
                Some(filtered) => filtered,
                // an event without words is shown with its condition, once
                None if plain.contains('⟦') => {
                    self.gaps.truncate(gaps);
                    self.gap(node.kid(0))
                }
                None => {
                    let (clause, before) = (self.text(&condition), self.slot(&condition, ":if"));
                    self.style("cannot_if").replace("{E}", &plain).replace("{C}", &clause).replace("{C:if}", &before)
                }
            };
        }
        let until = self.text(node.kid(1));
        match (until.is_empty(), self.is_japanese()) {
            (true, _) => text,
            (false, true) => format!("{}、{text}", self.this_turn(until)),
            (false, false) => format!("{text} {}", self.this_turn(until)),
        }
    }

    /// The text of a forbidden event with its condition as filters of what the condition calls `it`. `None` if the condition is about
    /// something else, or has no words as a filter.
    fn filtered_event(&mut self, event: &TextNode, condition: &TextNode) -> Option<String> {
        let at = self.builder.place_of_it(event);
        let object = event.kid(at);
        let mut tests = Vec::new();
        collect_conditions(condition, &mut tests);
        let (about_it, others): (Vec<&TextNode>, Vec<&TextNode>) = tests.into_iter().partition(|test| test.mentions("it"));
        if object.is_nil() || object.is_word("this") || condition.mentions("candidate") || about_it.is_empty() {
            return None;
        }
        let mut filters = Vec::new();
        let candidate = TextNode::word("candidate", condition.span);
        for test in about_it {
            self.builder.add_test(without_candidate(&test.replace_word("it", &candidate)), &mut filters);
        }
        let mut kids = match object.kind {
            TextNodeKind::Phrase => object.kids.clone(),
            _ => vec![TextNode::nil(), object.clone()],
        };
        kids.append(&mut filters);
        let text = if object.kind == TextNodeKind::Phrase { object.text.as_str() } else { "" };
        let mut filtered = event.clone();
        filtered.kids[at] = TextNode::new(TextNodeKind::Phrase, text, kids, object.span);
        let gaps = self.gaps.len();
        let both = |one: TextNode, other: TextNode| TextNode::new(TextNodeKind::Binary, "and", vec![one, other], condition.span);
        let text = match others.into_iter().cloned().reduce(both) {
            None => self.slot(&filtered, ":cannot"),
            // the other conditions are those of an entry
            Some(rest) => {
                filtered.kids[CONDITION] = rest;
                let whole = TextNode::new(TextNodeKind::Cannot, "", vec![filtered, TextNode::nil()], condition.span);
                self.lookup(LexiconTable::Do, &whole)?
            }
        };
        let has_words = !text.contains('⟦');
        if !has_words {
            self.gaps.truncate(gaps);
        }
        has_words.then_some(text)
    }
}

/// A condition on the candidate as filters write it: `power of candidate` becomes `power`.
fn without_candidate(node: &TextNode) -> TextNode {
    if let (TextNodeKind::Phrase, [quantifier, head, of]) = (node.kind, node.kids.as_slice())
        && quantifier.is_nil()
        && of.kind == TextNodeKind::Of
        && of.kid(0).is_word("candidate")
    {
        return head.clone();
    }
    TextNode { kids: node.kids.iter().map(without_candidate).collect(), ..node.clone() }
}

/// One prohibition for two that differ in their conditions only. `None` for other abilities.
fn either_prohibition(one: &TextNode, other: &TextNode) -> Option<TextNode> {
    let (first, second) = (one.kid(0).kid(CONDITION), other.kid(0).kid(CONDITION));
    if one.kind != TextNodeKind::Cannot || other.kind != TextNodeKind::Cannot || first.is_nil() || second.is_nil() {
        return None;
    }
    let either = TextNode::new(TextNodeKind::Binary, "or", vec![first.clone(), second.clone()], first.span);
    let with_condition = |ability: &TextNode| {
        let mut made = ability.clone();
        made.kids[0].kids[CONDITION] = either.clone();
        made
    };
    let (one, other) = (with_condition(one), with_condition(other));
    equal_ignoring_spans(&one, &other).then_some(one)
}
