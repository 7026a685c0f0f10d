//! Replaces `it` by an explicit reference where the text has mentioned another object since the one that `it` is: `untap this creature`.
//!
//! A statement about one object rebinds `it`; a change (`X gets …`), a prohibition, a condition and a block do not, but they mention objects as
//! which the pronoun of the text would be read.

use crate::text::normalize::{ADVERBS, BINDING, OPERANDS, SUBJECT};
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// How names begin that the text refers to by the first mention of their noun: `the first creature`. Sources cannot contain them.
const FIRST: &str = "_first";

/// How names begin that the text refers to by their noun: `that creature`.
const DEMONSTRATIVE: &str = "_that";

/// Whether a name stands for the first of several things of one noun.
pub(in crate::text) fn is_first_of_noun(name: &str) -> bool {
    name.starts_with(FIRST)
}

/// What of the text since the last mention of an object its pronoun would be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ambiguity {
    /// Nothing.
    None,
    /// Other objects, of another noun or several.
    OtherNoun,
    /// Another object of the same noun.
    SameNoun,
}

/// What `it` is at a place of a text.
#[derive(Clone)]
struct Referent {
    /// `None` if it is nothing that the text can name.
    object: Option<TextNode>,
    ambiguity: Ambiguity,
}

/// A walk through the statements of an ability in the order of the text.
struct ReferentWalk<'w, 'a> {
    renderer: &'w Renderer<'a>,
    now: Referent,
    /// The names that the text binds, with their values.
    names: Vec<(SmolStr, TextNode)>,
    /// The names of the explicit references.
    made: Vec<TextLocal>,
}

impl Renderer<'_> {
    /// The ability with explicit references where `it` would be read as another object. Binds the names of the references.
    pub(in crate::text) fn with_explicit_referents(&mut self, ability: TextNode) -> TextNode {
        let (condition, body) = match ability.kind {
            TextNodeKind::When | TextNodeKind::At => (Some(1), 2),
            TextNodeKind::Activated => (None, 3),
            TextNodeKind::Does => (None, 0),
            _ => return ability,
        };
        if !ability.kid(body).mentions("it") {
            return ability;
        }
        let mut walk = ReferentWalk {
            renderer: self,
            now: Referent { object: self.object_of_trigger(&ability), ambiguity: Ambiguity::None },
            names: Vec::new(),
            made: Vec::new(),
        };
        let mut made = ability.clone();
        if let Some(at) = condition {
            made.kids[at] = walk.condition(ability.kid(at));
        }
        // targets are named before everything else
        walk.mention_announced_targets(ability.kid(body));
        made.kids[body] = walk.block(ability.kid(body));
        let names = walk.made;
        self.locals.extend(names);
        made
    }

    /// A change of something that is chosen for it, in which what the text chose before of the same noun is called the first: `target creature gets
    /// +X/+0, where X is the first creature's power`.
    pub(in crate::text) fn with_first_references(&mut self, change: TextNode) -> TextNode {
        let subject = self.choice_of(change.kid(0));
        let Some(noun) = subject.as_ref().map(|subject| self.noun_of(subject)) else { return change };
        let is_target = subject.as_ref().is_some_and(|subject| self.is_target(subject));
        let is_alike = |local: &&TextLocal| {
            local.inline.is_none()
                && !local.is_plural
                && local.name != change.kid(0).text
                && is_one_choice(&local.value)
                && equal_ignoring_spans(&self.noun_of(&local.value), &noun)
                // Japanese calls two targets the former and the latter
                && !(self.is_japanese() && is_target && self.is_target(&local.value))
                && change.kid(1).mentions(&local.name)
        };
        let Some(first) = self.locals.iter().rev().find(is_alike).cloned() else { return change };
        let name = SmolStr::from(format!("{FIRST}{}", self.locals.len()));
        let mut made = change;
        made.kids[1] = made.kids[1].replace_word(&first.name, &TextNode::word(&name, made.span));
        self.locals.push(TextLocal { name, ..first });
        made
    }

    /// The choice of one thing that the subject of a change is, or is the name of while its mention prints the choice.
    fn choice_of(&self, subject: &TextNode) -> Option<TextNode> {
        let named = self.local(&subject.text).filter(|local| subject.kind == TextNodeKind::Word && local.inline == Some(true));
        let choice = named.map_or(subject, |local| &local.value);
        is_one_choice(choice).then(|| choice.clone())
    }

    /// The object of the event that a trigger waits for, as `it` is at the beginning of its text.
    fn object_of_trigger(&self, ability: &TextNode) -> Option<TextNode> {
        let event = ability.kid(0);
        if ability.kind != TextNodeKind::When || event.kind != TextNodeKind::Event {
            return None;
        }
        let acts = || {
            let (params, subject) = self.builder.parameters(&event.text);
            let is_object = subject.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty != Some(Type::Player));
            (is_object && event.kid(4).is_nil()).then(|| event.kid(0).clone())
        };
        // what is used is the object of a play
        let is_play = self.builder.names.plays.contains_key(&event.text);
        let used = || (is_play && event.kid(4).is_nil() && !event.kid(1).is_nil()).then(|| event.kid(1).clone());
        self.event_object.clone().or_else(acts).or_else(used).filter(|object| object.kid(0).text != "one_or_more")
    }

    /// Whether the words of a call mention a card that is no operand: `draw {N card}`.
    fn words_mention_card(&self, call: &TextNode) -> bool {
        let card = self.lexicon.name("card").and_then(|forms| forms.first()).map_or("card", String::as_str);
        let Some((entry, _)) = self.lexicon.find(LexiconTable::Do, call, self.builder) else { return false };
        entry.parts.iter().any(|part| match part {
            TemplatePart::Text(text) => text.contains(card),
            TemplatePart::Slot(_, mode) => mode.trim_start() == "card",
        })
    }

    /// Whether a node is a player.
    pub(in crate::text) fn is_player_node(&self, node: &TextNode) -> bool {
        match node.kind {
            TextNodeKind::Word => {
                matches!(node.text.as_str(), "you" | "opponent" | "active" | "player" | "players" | "controller" | "owner")
                    || self
                        .local(&node.text)
                        .is_some_and(|local| !local.value.is_word(&node.text) && self.is_player_node(&local.value.clone()))
            }
            TextNodeKind::Phrase => self.is_player_node(node.kid(1)),
            _ => false,
        }
    }
}

impl ReferentWalk<'_, '_> {
    /// Walks a block, which is a scope of `it`.
    fn block(&mut self, block: &TextNode) -> TextNode {
        let before = self.now.object.clone();
        let kids = block.kids.iter().map(|kid| self.statement(kid)).collect();
        if self.now.object != before {
            // what the block was about is what the text mentioned last
            let other = self.now.object.take();
            self.now = Referent { object: before, ambiguity: Ambiguity::None };
            let level = other.map_or(Ambiguity::OtherNoun, |other| self.mention(&other, false));
            self.raise(level.max(Ambiguity::OtherNoun));
        }
        TextNode::new(block.kind, block.text.clone(), kids, block.span)
    }

    fn statement(&mut self, statement: &TextNode) -> TextNode {
        match statement.kind {
            TextNodeKind::Statement => {
                let act = self.act(statement.kid(0));
                TextNode::new(statement.kind, statement.text.clone(), vec![act], statement.span)
            }
            _ => statement.clone(),
        }
    }

    fn act(&mut self, act: &TextNode) -> TextNode {
        if act.kind == TextNodeKind::Block {
            return self.block(act);
        }
        let mut made = act.clone();
        match act.kind {
            TextNodeKind::If => {
                made.kids[0] = self.condition(act.kid(0));
                for at in 1..act.kids.len() {
                    made.kids[at] = self.block(act.kid(at));
                }
            }
            TextNodeKind::ForEach => {
                made.kids[1] = self.replaced(act.kid(1));
                self.names.push((act.kid(0).text.clone(), act.kid(1).clone()));
                let level = self.mention(act.kid(1), false);
                self.raise(level);
                made.kids[2] = self.block(act.kid(2));
            }
            TextNodeKind::Times | TextNodeKind::Delayed => {
                made.kids[0] = self.replaced(act.kid(0));
                made.kids[1] = self.block(act.kid(1));
            }
            TextNodeKind::AtOnce | TextNodeKind::Trigger => made.kids[0] = self.block(act.kid(0)),
            TextNodeKind::Modes => {
                let before = self.now.clone();
                for (at, mode) in act.kid(1).kids.iter().enumerate() {
                    self.now = before.clone();
                    made.kids[1].kids[at] = self.block(mode);
                }
            }
            TextNodeKind::Sentence => made.kids = act.kids.iter().map(|kid| self.act(kid)).collect(),
            TextNodeKind::Let => {
                made.kids[1] = self.replaced(act.kid(1));
                self.names.push((act.kid(0).text.clone(), act.kid(1).clone()));
            }
            TextNodeKind::Do => return self.call(act),
            TextNodeKind::Gets | TextNodeKind::Becomes => {
                made = self.replaced(act);
                self.mention_subject(act.kid(0));
                if act.kind == TextNodeKind::Becomes {
                    let level = self.mention(act.kid(1), false);
                    self.raise(level);
                }
            }
            // the condition of a pattern is about the event
            TextNodeKind::Cannot => {
                for at in 0..2 {
                    made.kids[0].kids[at] = self.replaced(act.kid(0).kid(at));
                    self.mention_subject(act.kid(0).kid(at));
                }
            }
            TextNodeKind::Clause => {
                made.kids[1] = self.replaced(act.kid(1));
                self.mention_subject(act.kid(1));
            }
            TextNodeKind::CreateCopy => {
                made = self.replaced(act);
                self.now = Referent { object: None, ambiguity: Ambiguity::None };
            }
            TextNodeKind::Assign => made = self.replaced(act),
            // patterns and abilities have their own `it`
            _ => {}
        }
        made
    }

    /// A call: it rebinds `it` to the one object that it is about.
    fn call(&mut self, call: &TextNode) -> TextNode {
        let (params, subject) = self.renderer.builder.parameters(&call.text);
        let is_object = |at: usize, node: &TextNode| {
            let ty = params.get(at).and_then(|(_, ty)| *ty);
            let may_be_object = params.get(at).is_some() && matches!(ty, None | Some(Type::Object | Type::Thing));
            may_be_object && !node.is_nil() && !self.is_player(node) && node.kind != TextNodeKind::Price
        };
        let slot = |at: usize| if subject == Some(at) && call.kid(OPERANDS + at).is_nil() { SUBJECT } else { OPERANDS + at };
        let object = (0..params.len()).find(|at| is_object(*at, call.kid(slot(*at)))).map(slot);
        let mut made = call.clone();
        for at in (0..call.kids.len()).filter(|at| !matches!(*at, ADVERBS | BINDING)) {
            // in the zone to which a chosen object goes `it` is that object
            let is_zone = at > OPERANDS && params.get(at - OPERANDS).is_some_and(|(_, ty)| *ty == Some(Type::Zone));
            let is_chosen = object.is_some_and(|object| object < at && !call.kid(object).kid(0).is_nil());
            if !(is_zone && is_chosen) {
                made.kids[at] = self.replaced(call.kid(at));
            }
        }
        let others = (OPERANDS..call.kids.len()).chain([SUBJECT]).filter(|at| Some(*at) != object);
        let others: Vec<&TextNode> = others.map(|at| call.kid(at)).filter(|node| !self.is_player(node)).collect();
        let name = call.kid(BINDING);
        match object.map(|at| call.kid(at)) {
            Some(object) => {
                let is_same = object.is_word("it") || self.now.object.as_ref() == Some(object);
                if !is_same {
                    self.now.object = Some(object.clone());
                }
                self.now.ambiguity = Ambiguity::None;
                if !name.is_nil() {
                    let value = if is_same { self.now.object.clone() } else { Some(object.clone()) };
                    self.names.extend(value.map(|value| (name.text.clone(), value)));
                    self.now.object = Some(name.clone()).filter(|_| !is_same).or_else(|| self.now.object.take());
                }
            }
            None if call.text == "create" => self.now = Referent { object: None, ambiguity: Ambiguity::None },
            // `mill a card`: the text mentions one, although it has no name
            None if self.renderer.words_mention_card(call) => self.raise(Ambiguity::OtherNoun),
            None => {}
        }
        let level = others.iter().map(|other| self.mention(other, false)).max().unwrap_or(Ambiguity::None);
        self.raise(level);
        made
    }

    /// A condition, whose mentions of several objects are no antecedents of a pronoun.
    fn condition(&mut self, condition: &TextNode) -> TextNode {
        let made = self.replaced(condition);
        let level = self.mention(condition, true);
        self.raise(level);
        made
    }

    fn raise(&mut self, level: Ambiguity) {
        self.now.ambiguity = self.now.ambiguity.max(level);
    }

    /// The mention of the subject of a change: of the object itself, or of another one.
    fn mention_subject(&mut self, subject: &TextNode) {
        if subject.is_word("it") || self.now.object.as_ref().is_some_and(|object| object == subject) {
            self.now.ambiguity = Ambiguity::None;
        } else {
            let level = self.mention(subject, false);
            self.raise(level);
        }
    }

    /// Mentions the targets that a language names before all statements of a block.
    fn mention_announced_targets(&mut self, block: &TextNode) {
        if !self.renderer.is_japanese() && self.renderer.style("target").is_empty() {
            return;
        }
        let mut targets = Vec::new();
        let plain = block.kids.iter().map(|statement| statement.kid(0)).filter(|act| {
            matches!(
                act.kind,
                TextNodeKind::Do | TextNodeKind::Gets | TextNodeKind::Let | TextNodeKind::Cannot | TextNodeKind::Becomes
            )
        });
        plain.for_each(|act| collect_targets(act, &mut targets));
        for target in targets {
            let level = self.mention(target, false);
            self.raise(level);
        }
    }

    fn is_player(&self, node: &TextNode) -> bool {
        let value = if node.kind == TextNodeKind::Word { self.value_of(&node.text) } else { None };
        self.renderer.is_player_node(value.unwrap_or(node))
    }

    fn value_of(&self, name: &str) -> Option<&TextNode> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The noun by which the text refers to an object. `None` for what has none.
    fn noun(&self, object: &TextNode) -> Option<SmolStr> {
        let mut object = object;
        // names may be bound to each other
        for _ in 0..self.names.len() {
            match self.value_of(&object.text).filter(|_| object.kind == TextNodeKind::Word) {
                Some(value) => object = value,
                None => break,
            }
        }
        let noun = self.renderer.noun_of(object);
        (noun.kind == TextNodeKind::Word && self.renderer.is_noun(&noun.text)).then_some(noun.text)
    }

    /// How a mention in a node makes the pronoun for the object ambiguous.
    fn mention(&self, node: &TextNode, is_condition: bool) -> Ambiguity {
        let Some(object) = &self.now.object else { return Ambiguity::None };
        let against = |noun: Option<SmolStr>, is_one: bool| match (noun, is_one) {
            (Some(noun), true) if self.noun(object).as_ref() == Some(&noun) => Ambiguity::SameNoun,
            _ => Ambiguity::OtherNoun,
        };
        match node.kind {
            TextNodeKind::Word if node.is_word("it") || node == object => Ambiguity::None,
            TextNodeKind::Word if node.is_word("this") => Ambiguity::OtherNoun,
            TextNodeKind::Word if self.is_player(node) => Ambiguity::None,
            TextNodeKind::Word => {
                let value = self.value_of(&node.text).cloned().or_else(|| {
                    self.renderer.local(&node.text).filter(|local| local.inline != Some(false)).map(|local| local.value.clone())
                });
                match value {
                    Some(value) if value.is_word("it") || value == *object => Ambiguity::None,
                    Some(value) if self.noun(&value).is_some() => against(self.noun(&value), !self.renderer.is_plural(&value)),
                    Some(_) => Ambiguity::None,
                    None if self.renderer.is_noun(&node.text) && !is_condition => Ambiguity::OtherNoun,
                    None => Ambiguity::None,
                }
            }
            TextNodeKind::Phrase => {
                let mut kinds = Vec::new();
                collect_alternatives(node.kid(1), &mut kinds);
                let is_thing = |kind: &TextNode| {
                    self.renderer.is_noun(&kind.text) || self.value_of(&kind.text).is_some() || kind.kind == TextNodeKind::Phrase
                };
                let quantifier = node.kid(0);
                if self.is_player(node) || quantifier.text == "no" || !kinds.iter().any(is_thing) {
                    return Ambiguity::None;
                }
                let is_counted = matches!(quantifier.text.as_str(), "exactly" | "target" | "random" | "top" | "bottom" | "up_to");
                let is_one = quantifier.text == "some"
                    || is_counted && quantifier.kid(0).kind == TextNodeKind::Number && quantifier.kid(0).text == "1";
                match is_one {
                    false if is_condition => Ambiguity::None,
                    _ => against(self.noun(node), is_one),
                }
            }
            TextNodeKind::Binary | TextNodeKind::Not | TextNodeKind::List | TextNodeKind::Is | TextNodeKind::Has => {
                node.kids.iter().map(|kid| self.mention(kid, is_condition)).max().unwrap_or(Ambiguity::None)
            }
            _ => Ambiguity::None,
        }
    }

    /// A copy with the explicit reference in the place of `it`, if the pronoun is ambiguous here.
    fn replaced(&mut self, node: &TextNode) -> TextNode {
        if self.now.ambiguity == Ambiguity::None || !node.mentions("it") {
            return node.clone();
        }
        let Some(object) = self.now.object.clone() else { return node.clone() };
        // a name of the text, or the card itself
        if object.kind == TextNodeKind::Word && (object.is_word("this") || self.value_of(&object.text).is_some()) {
            return node.replace_word("it", &object);
        }
        if self.noun(&object).is_none() {
            return node.clone();
        }
        let prefix = if self.now.ambiguity == Ambiguity::SameNoun { FIRST } else { DEMONSTRATIVE };
        let mut value = object;
        // a reference is no choice
        if let (TextNodeKind::Phrase, Some(quantifier)) = (value.kind, value.kids.first_mut()) {
            *quantifier = TextNode::nil();
        }
        let known = self.made.iter().find(|local| local.value == value && local.name.starts_with(prefix));
        let name = known.map_or_else(|| SmolStr::from(format!("{prefix}{}", self.made.len())), |local| local.name.clone());
        if known.is_none() {
            self.made.push(TextLocal { name: name.clone(), value, inline: None, is_plural: false });
        }
        node.replace_word("it", &TextNode::word(&name, node.span))
    }
}

/// Whether a node is the choice of one thing.
pub(in crate::text) fn is_one_choice(node: &TextNode) -> bool {
    let quantifier = node.kid(0);
    let is_chosen = matches!(quantifier.text.as_str(), "exactly" | "up_to" | "random") || quantifier.text.starts_with("target");
    node.kind == TextNodeKind::Phrase
        && is_chosen
        && quantifier.kid(0).kind == TextNodeKind::Number
        && quantifier.kid(0).text == "1"
}

/// Collects the targets that a statement names.
fn collect_targets<'n>(node: &'n TextNode, targets: &mut Vec<&'n TextNode>) {
    if node.kind == TextNodeKind::Phrase && node.kid(0).text.starts_with("target") {
        targets.push(node);
    }
    node.kids.iter().for_each(|kid| collect_targets(kid, targets));
}
