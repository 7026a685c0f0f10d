//! Renders calls of other players: whose things they handle, from whose zones they choose, and several verbs of one subject.

use crate::text::normalize::{MAY, OPERANDS, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// The word for the player of things that each of several players handles: `each player discards the cards in their hand`.
const OWN: &str = "_own";

impl Renderer<'_> {
    /// The texts of several verbs of one sentence. A player who is chosen for the first verb is not chosen again for the others.
    pub(in crate::text) fn texts_of_one_subject(&mut self, sentence: &TextNode) -> Vec<String> {
        let subject = sentence.kid(0).kid(SUBJECT);
        let is_shared = |kid: &TextNode| !subject.is_nil() && equal_ignoring_spans(kid.kid(SUBJECT), subject);
        let mut texts = Vec::new();
        for (at, kid) in sentence.kids.iter().enumerate() {
            let is_continued = at > 0 && is_shared(kid);
            texts.push(if is_continued { self.text_of_same_subject(kid, subject) } else { self.act(kid) });
        }
        texts
    }

    /// The text of a verb whose subject did something before in the same sentence: it is not written, or not chosen, again.
    fn text_of_same_subject(&mut self, act: &TextNode, subject: &TextNode) -> String {
        let is_chosen = subject.kind == TextNodeKind::Phrase && !subject.kid(0).is_nil() && subject.kid(0).text != "each";
        if self.is_japanese() && is_chosen {
            // the name refers to the target, or to the choice, of the first verb
            let name = SmolStr::new_static("_subject");
            let locals = self.locals.len();
            self.locals.push(TextLocal { name: name.clone(), value: subject.clone(), inline: None, is_plural: false });
            let mut named = act.clone();
            named.kids[SUBJECT] = TextNode::word(&name, subject.span);
            let text = self.act(&named);
            self.locals.truncate(locals);
            return text;
        }
        let text = self.act(act);
        let who = if self.is_japanese() { String::new() } else { self.preview(|this| this.text(subject)) };
        match text.strip_prefix(&format!("{who} ")).filter(|_| !who.is_empty()) {
            Some(predicate) => predicate.to_owned(),
            None => text,
        }
    }

    /// The text of what follows another sentence by `then`: the subject of both is written once, and `you` after another player.
    pub(in crate::text) fn text_behind_then(&mut self, act: &TextNode, before: &TextNode) -> String {
        let last = before.last_act();
        if act.kind != TextNodeKind::Do || last.kind != TextNodeKind::Do || !self.acts_for_other(last) {
            return self.act(act);
        }
        let subject = last.kid(SUBJECT);
        if equal_ignoring_spans(act.kid(SUBJECT), subject) {
            return self.text_of_same_subject(act, subject);
        }
        let text = self.act(act);
        if !act.kid(SUBJECT).is_nil() || !act.kid(MAY).is_nil() || !self.acts_itself(act) {
            return text;
        }
        let you = self.text(&TextNode::word("you", act.span));
        let subject = if self.is_japanese() { format!("{you}は") } else { format!("{you} ") };
        if text.starts_with(&subject) { text } else { format!("{subject}{text}") }
    }

    /// Whether a verb is done by the player whose text it is if no subject is written.
    fn acts_itself(&self, act: &TextNode) -> bool {
        let (params, at) = self.builder.parameters(&act.text);
        at.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Player))
    }

    /// Whether a player other than the one whose text it is does this, by a subject that is written.
    pub(in crate::text) fn acts_for_other(&self, act: &TextNode) -> bool {
        let subject = act.kid(SUBJECT);
        let (params, at) = self.builder.parameters(&act.text);
        let is_player = at.and_then(|at| params.get(at)).is_none_or(|(_, ty)| *ty == Some(Type::Player));
        is_player && !subject.is_nil() && !["you", "this", "it"].iter().any(|word| subject.is_word(word))
    }

    /// The call of another player with that player as the owner of what is selected from, if the selection does not say whose things these are:
    /// `opponent destroys 1 creature`. `None` for other calls, for verbs that say so themselves (setting `own_things`), and if the entry of the call
    /// names the selection.
    pub(in crate::text) fn with_subjects_things(&self, call: &TextNode) -> Option<TextNode> {
        let is_action = call.kind == TextNodeKind::Do && self.builder.names.actions.contains_key(&call.text);
        let is_own_verb = self.lexicon.styles("own_things").iter().any(|verb| *verb == call.text);
        if !is_action || is_own_verb || !self.acts_for_other(call) {
            return None;
        }
        let entry = self.lexicon.find(LexiconTable::Do, call, self.builder);
        let is_open = |at: usize| {
            let Some((entry, _)) = entry.as_ref() else { return true };
            let part = entry.pattern.kid(at);
            let is_any_noun = part.kind == TextNodeKind::Phrase && part.kids.len() == 2 && part.kid(1).kind == TextNodeKind::Hole;
            is_any_noun || matches!(part.kind, TextNodeKind::Nil | TextNodeKind::Hole)
        };
        let mut made = call.clone();
        for at in (OPERANDS..call.kids.len()).filter(|at| is_open(*at)) {
            let operand = call.kid(at);
            let head = operand.kid(1);
            let is_placed = operand.kids.iter().skip(2).any(|filter| matches!(filter.kind, TextNodeKind::Of | TextNodeKind::In));
            let is_noun =
                |kind: &TextNode| kind.kind == TextNodeKind::Word && self.local(&kind.text).is_none() && self.is_noun(&kind.text);
            let mut kinds = Vec::new();
            collect_alternatives(head, &mut kinds);
            let is_thing = kinds.iter().all(|kind| is_noun(kind) && !matches!(kind.text.as_str(), "player" | "opponent"));
            let is_choice = matches!(operand.kid(0).text.as_str(), "exactly" | "up_to" | "any" | "range" | "random" | "each");
            if operand.kind == TextNodeKind::Phrase && is_choice && is_thing && !is_placed {
                let own = TextNode::word(OWN, head.span);
                made.kids[at].kids.push(TextNode::new(TextNodeKind::Of, "", vec![own], head.span));
            }
        }
        (made != *call).then_some(made)
    }

    /// The call with *any player's* before zones that are written without a player. `None` for other calls, for calls of another player, who
    /// chooses from zones of that player, and for what an entry for all things of a zone phrases.
    pub(in crate::text) fn with_zones_of_any_player(&self, call: &TextNode) -> Option<TextNode> {
        if self.acts_for_other(call) {
            return None;
        }
        let entry = self.lexicon.find(LexiconTable::Do, call, self.builder);
        let mut made: Option<TextNode> = None;
        for at in OPERANDS..call.kids.len() {
            let is_phrased = entry.as_ref().is_some_and(|(entry, _)| entry.pattern.kid(at).kid(0).text == "each");
            if !is_phrased && let Some(operand) = self.with_any_players_zones(call.kid(at)) {
                made.get_or_insert_with(|| call.clone()).kids[at] = operand;
            }
        }
        made
    }
}

/// The call of each of several players, or a choice of the opponent where the game has no pronoun for that player (setting `they`), with that player
/// as the owner of the things that it is about. `None` for other calls.
pub(in crate::text) fn with_own_things(call: &TextNode, has_pronoun: bool) -> Option<TextNode> {
    fn replace(node: &TextNode, player: &str) -> TextNode {
        if node.kind == TextNodeKind::Of && node.kid(0).is_word(player) {
            let own = TextNode::word(OWN, node.kid(0).span);
            return TextNode { kids: vec![own], ..node.clone() };
        }
        TextNode { kids: node.kids.iter().map(|kid| replace(kid, player)).collect(), ..node.clone() }
    }
    let subject = call.kid(SUBJECT);
    let player = subject.kid(1);
    let is_several = ["player", "opponent"].iter().any(|word| player.is_word(word));
    let is_each = subject.kind == TextNodeKind::Phrase && subject.kid(0).text == "each" && is_several;
    // `your opponent chooses one of their creatures`
    let is_choice = !has_pronoun && call.text == "choose" && subject.is_word("opponent");
    if !is_each && !is_choice {
        return None;
    }
    // `player` in a call of each opponent is the one who does it
    let player = if is_choice { subject.text.as_str() } else { "player" };
    let mut made = call.clone();
    for operand in made.kids.iter_mut().skip(OPERANDS).filter(|operand| !operand.is_word("player")) {
        *operand = replace(operand, player);
    }
    Some(made)
}
