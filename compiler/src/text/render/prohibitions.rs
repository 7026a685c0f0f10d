//! Renders prohibitions: `your opponents can't cast red spells this turn`.

use crate::names::Meaning;
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
        for (_, part) in parts.iter_mut() {
            if let Some(made) = self.with_filters_as_condition(part) {
                *part = made;
            }
        }
        let mut at = 0;
        while let Some((_, first)) = parts.get(at).cloned() {
            let both = parts.iter().enumerate().skip(at + 1).find_map(|(other, (_, node))| {
                let both = either_prohibition(&first, node)?;
                self.phrases_keyword(&both).then_some((other, both))
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

    /// Whether the entry of a prohibition phrases a keyword of the card with it.
    fn phrases_keyword(&self, prohibition: &TextNode) -> bool {
        let is_keyword = |part: &TemplatePart| matches!(part, TemplatePart::Slot(name, _) if name == "self");
        let entry = self.lexicon.find(LexiconTable::Ability, prohibition, self.builder);
        entry.is_some_and(|(entry, _)| entry.parts.iter().any(is_keyword))
    }

    /// A prohibition whose object has filters, with a condition in the place of the filters: `this cannot mount creature that (not fire)` as
    /// `this cannot mount creature where base is not fire`. `None` unless an entry is about such a condition.
    fn with_filters_as_condition(&self, node: &TextNode) -> Option<TextNode> {
        let event = node.kid(0);
        let object = event.kid(1);
        let is_filtered =
            object.kind == TextNodeKind::Phrase && object.kid(0).is_nil() && object.text.is_empty() && object.kids.len() > 2;
        if node.kind != TextNodeKind::Cannot || event.kind != TextNodeKind::Event || !event.kid(0).is_word("this") || !is_filtered
        {
            return None;
        }
        let (params, subject) = self.builder.parameters(&event.text);
        let (_, (name, _)) = params.iter().enumerate().find(|(at, _)| Some(*at) != subject)?;
        let param = TextNode::word(name, object.span);
        let tests = object.kids.iter().skip(2).map(|filter| match filter.kind {
            TextNodeKind::Is | TextNodeKind::Has => {
                let kids = std::iter::once(param.clone()).chain(filter.kids.iter().cloned()).collect();
                Some(TextNode { kids, ..filter.clone() })
            }
            TextNodeKind::That => Some(self.test_of(filter.kid(0), &param)),
            _ => None,
        });
        let tests = tests.collect::<Option<Vec<TextNode>>>()?;
        let known = Some(event.kid(CONDITION).clone()).filter(|condition| !condition.is_nil());
        let both = |one: TextNode, other: TextNode| TextNode::new(TextNodeKind::Binary, "and", vec![one, other], object.span);
        let mut made = node.clone();
        made.kids[0].kids[1] = object.kid(1).clone();
        *made.kids[0].kids.get_mut(CONDITION)? = tests.into_iter().chain(known).reduce(both)?;
        let is_phrased = |prohibition: &TextNode| {
            let entry = self.lexicon.find(LexiconTable::Ability, prohibition, self.builder);
            entry.is_some_and(|(entry, _)| !entry.pattern.kid(0).kid(CONDITION).is_nil())
        };
        (is_phrased(&made) && !is_phrased(node)).then_some(made)
    }

    /// A condition on the candidate as one on something else: of `power`, it is `power of base`.
    fn test_of(&self, test: &TextNode, whom: &TextNode) -> TextNode {
        let is_bare = |node: &TextNode| node.kind == TextNodeKind::Phrase && node.kids.len() == 2 && node.kid(0).is_nil();
        let test = if is_bare(test) { test.kid(1) } else { test };
        let quality = |word: &TextNode, text: &str| {
            let is_keyword = self.builder.names.keywords.contains_key(&word.text);
            let kind = if is_keyword { TextNodeKind::Has } else { TextNodeKind::Is };
            TextNode::new(kind, text, vec![whom.clone(), word.clone()], word.span)
        };
        match (test.kind, test.text.as_str()) {
            (TextNodeKind::Word, "candidate") => whom.clone(),
            (TextNodeKind::Word, _) => quality(test, ""),
            (TextNodeKind::Not, _) if test.kid(0).kind == TextNodeKind::Word => quality(test.kid(0), "not"),
            (TextNodeKind::Not, _) | (TextNodeKind::Binary, "and" | "or") => {
                TextNode { kids: test.kids.iter().map(|kid| self.test_of(kid, whom)).collect(), ..test.clone() }
            }
            (TextNodeKind::Binary, _) => {
                let value = |side: &TextNode| {
                    let word = if is_bare(side) { side.kid(1) } else { side };
                    let meanings = self.builder.names.meanings(&word.text);
                    let is_value = meanings.iter().any(|meaning| matches!(meaning, Meaning::Property(_) | Meaning::Status(_)));
                    if word.kind == TextNodeKind::Word && is_value {
                        let of = TextNode::new(TextNodeKind::Of, "", vec![whom.clone()], word.span);
                        return TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), word.clone(), of], word.span);
                    }
                    side.replace_word("candidate", whom)
                };
                TextNode { kids: test.kids.iter().map(value).collect(), ..test.clone() }
            }
            _ => test.replace_word("candidate", whom),
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
