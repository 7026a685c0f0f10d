//! Statements that are done for each of several things or players, rewritten as one statement about all of them where they say the same.

use super::governed_blocks::EACH_PLAYER;
use crate::text::normalize::{ADVERBS, BINDING, MAY, OPERANDS, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::prompt_context::count_mentions;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl Renderer<'_> {
    /// The statement `for each E in each X` without the second `each`, unless its entry names that.
    pub(super) fn without_each(&self, node: &TextNode) -> TextNode {
        let mut made = node.clone();
        let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
        let is_open = entry.as_ref().is_some_and(|(entry, _)| entry.pattern.kid(1).kind == TextNodeKind::Hole);
        if let (true, "each", [quantifier, ..]) = (is_open, node.kid(1).kid(0).text.as_str(), made.kids[1].kids.as_mut_slice()) {
            *quantifier = TextNode::nil();
        }
        if is_players(node.kid(1)) && entry.is_some_and(|(entry, _)| entry.pattern.kid(2).kid(0).kind == TextNodeKind::Hole) {
            made.kids[2].text = EACH_PLAYER.into();
        }
        made
    }

    /// The body of `for each one in players { (one) draws 1 }` with `each player` as the subject. `None` if the body says more about the
    /// player, or has an entry.
    pub(super) fn as_each_player(&self, node: &TextNode) -> Option<TextNode> {
        let (name, list, body) = (&node.kid(0).text, node.kid(1), node.kid(2));
        let players = match list.kind {
            TextNodeKind::Word if list.text == "players" => TextNode::word("player", list.span),
            TextNodeKind::Phrase if list.kids.len() == 2 && list.kid(0).text == "each" => list.kid(1).clone(),
            _ => return None,
        };
        let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
        let is_general = entry.is_none_or(|(entry, _)| entry.pattern.kid(2).kid(0).kind == TextNodeKind::Hole);
        if !players.is_word("player") && !players.is_word("opponent") || !is_general {
            return None;
        }
        let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), list.span);
        let subject = TextNode::new(TextNodeKind::Phrase, "", vec![each, players], list.span);
        let mut made = body.clone();
        for statement in &mut made.kids {
            let act = statement.kids.first_mut().filter(|act| act.kind == TextNodeKind::Do && act.kid(SUBJECT).is_word(name))?;
            act.kids[SUBJECT] = subject.clone();
            if !statement.text.is_empty() || statement.mentions(name) {
                return None;
            }
        }
        Some(made)
    }

    /// `for each one in X { one gets … }` as one change of each of them, if the change is the same for all. `None` for other statements, and if an entry
    /// phrases it.
    pub(super) fn as_one_change(&self, node: &TextNode) -> Option<TextNode> {
        let (name, list, body) = (&node.kid(0).text, node.kid(1), node.kid(2));
        let [statement] = body.kids.as_slice() else { return None };
        let change = statement.kid(0);
        let is_prohibition = change.kind == TextNodeKind::Cannot && change.kid(0).kind == TextNodeKind::Event;
        let (whom, others) = match is_prohibition {
            true => (change.kid(0).kid(0), &change.kid(0).kids),
            false => (change.kid(0), &change.kids),
        };
        let is_same = (is_prohibition || change.kind == TextNodeKind::Gets)
            && whom.is_word(name)
            && others.iter().skip(1).all(|kid| !kid.mentions(name) && !kid.mentions("it"))
            && !change.kid(1).mentions(name);
        let with_subject = |subject: TextNode| {
            let mut made = change.clone();
            match is_prohibition {
                true => made.kids[0].kids[0] = subject,
                false => made.kids[0] = subject,
            }
            made
        };
        let is_plain = list.kind == TextNodeKind::Phrase && (list.kid(0).is_nil() || list.kid(0).text == "each");
        let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
        let is_general = entry.is_none_or(|(entry, _)| entry.pattern.kid(2).kid(0).kind == TextNodeKind::Hole);
        let is_named = list.kind == TextNodeKind::Word && self.local(&list.text).is_some_and(|local| local.is_plural);
        if is_same && is_named && is_general {
            return Some(with_subject(list.clone()));
        }
        if !is_same || !is_plain || !is_general {
            return None;
        }
        let mut all = list.clone();
        all.kids[0] = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), list.span);
        Some(with_subject(all))
    }

    /// `for each one in X { do something to one }` as one call on each of them, if it does the same to all. English only. `None` for other statements,
    /// and if an entry phrases it.
    pub(super) fn as_call_on_each(&self, node: &TextNode) -> Option<TextNode> {
        let (name, list, body) = (&node.kid(0).text, node.kid(1), node.kid(2));
        let [statement] = body.kids.as_slice() else { return None };
        let call = statement.kid(0);
        let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
        let is_general = entry.is_none_or(|(entry, _)| entry.pattern.kid(2).kid(0).kind == TextNodeKind::Hole);
        let is_plain_call = call.kind == TextNodeKind::Do
            && call.text != "choose"
            && call.kid(SUBJECT).is_nil()
            && call.kid(MAY).is_nil()
            && call.kid(ADVERBS).kids.is_empty()
            && call.kid(BINDING).is_nil();
        let mut operands = call.kids.iter().skip(OPERANDS);
        let is_same = count_mentions(call, name) == 1
            && operands.all(|kid| {
                kid.is_word(name)
                    || kid.is_nil()
                    || kid.kind == TextNodeKind::Number
                    || kid.kind == TextNodeKind::Word && kid.text != "it"
            });
        let is_named = list.kind == TextNodeKind::Word
            && self.local(&list.text).is_some_and(|local| local.is_plural && local.value.kind == TextNodeKind::Phrase);
        let is_selection = list.kind == TextNodeKind::Phrase && (list.kid(0).is_nil() || list.kid(0).text == "each");
        if self.is_japanese() || !is_general || !is_plain_call || !is_same || !is_named && !is_selection || is_players(list) {
            return None;
        }
        let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), list.span);
        let all = match is_named {
            // what is done to all of them at once
            true if call.kids.iter().skip(OPERANDS).all(|kid| kid.kind != TextNodeKind::Number) => list.clone(),
            true => {
                let noun = self.noun_of(list);
                let within = TextNode::new(TextNodeKind::In, "", vec![list.clone()], list.span);
                TextNode::new(TextNodeKind::Phrase, "", vec![each, noun, within], list.span)
            }
            false => {
                let mut all = list.clone();
                all.kids[0] = each;
                all
            }
        };
        let mut made = call.clone();
        for operand in made.kids.iter_mut().skip(OPERANDS).filter(|operand| operand.is_word(name)) {
            *operand = all.clone();
        }
        Some(made)
    }
}

/// Whether a list is that of all players.
fn is_players(list: &TextNode) -> bool {
    let head = if list.kind == TextNodeKind::Phrase && list.kids.len() == 2 { list.kid(1) } else { list };
    head.is_word("players") || head.is_word("player")
}

/// Rewrites `for each one in players { if one != P { … } }` as a statement for each player other than P. `None` for other statements.
pub(super) fn as_other_players(node: &TextNode) -> Option<TextNode> {
    let (name, list, body) = (node.kid(0), node.kid(1), node.kid(2));
    let [statement] = body.kids.as_slice() else { return None };
    let choice = statement.kid(0);
    let test = choice.kid(0);
    let excludes = test.kind == TextNodeKind::Binary && test.text == "!=" || test.kind == TextNodeKind::Is && test.text == "not";
    let excluded = test.kids.iter().find(|kid| !kid.is_word(&name.text))?;
    let is_alone = choice.kind == TextNodeKind::If && choice.kid(2).is_nil() && is_players(list);
    if !is_alone || !excludes || !test.kids.iter().any(|kid| kid.is_word(&name.text)) || excluded.kind != TextNodeKind::Word {
        return None;
    }
    let candidate = TextNode::word("candidate", test.span);
    let differs = TextNode::new(TextNodeKind::Binary, "!=", vec![candidate, excluded.clone()], test.span);
    let filter = TextNode::new(TextNodeKind::That, "", vec![differs], test.span);
    let player = TextNode::word("player", list.span);
    let others = TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), player, filter], list.span);
    let body = TextNode { text: "each".into(), ..choice.kid(1).clone() };
    Some(TextNode { kids: vec![name.clone(), others, body], ..node.clone() })
}

/// `for each one in X { if not one in LIST { … } }` as a statement about those that are not in the list. `None` for other statements.
pub(super) fn with_membership_as_filter(node: &TextNode) -> Option<TextNode> {
    let (name, list, body) = (&node.kid(0).text, node.kid(1), node.kid(2));
    let [statement] = body.kids.as_slice() else { return None };
    let test = statement.kid(0);
    let condition = test.kid(0);
    let membership = if condition.kind == TextNodeKind::Not { condition.kid(0) } else { condition };
    let [nothing, one, place] = membership.kids.as_slice() else { return None };
    let is_membership = membership.kind == TextNodeKind::Phrase && nothing.is_nil() && one.is_word(name);
    let is_in = place.kind == TextNodeKind::In && !place.mentions(name);
    if test.kind != TextNodeKind::If || !test.kid(2).is_nil() || !is_membership || !is_in {
        return None;
    }
    // as the tree of `that (not candidate in LIST)`
    let filter = match condition.kind {
        TextNodeKind::Not => {
            let operands = vec![TextNode::word("candidate", condition.span), place.kid(0).clone()];
            let differs = TextNode::new(TextNodeKind::Binary, "!=", operands, condition.span);
            TextNode::new(TextNodeKind::That, "", vec![differs], condition.span)
        }
        _ => place.clone(),
    };
    let mut some = match list.kind {
        TextNodeKind::Phrase => list.clone(),
        TextNodeKind::Word => TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), list.clone()], list.span),
        _ => return None,
    };
    some.kids.push(filter);
    let then = TextNode { text: body.text.clone(), ..test.kid(1).clone() };
    Some(TextNode { kids: vec![node.kid(0).clone(), some, then], ..node.clone() })
}
