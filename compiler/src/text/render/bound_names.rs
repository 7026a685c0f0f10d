//! Names that statements bind: which choices the text prints where they are mentioned first, which in a separate sentence, and by what later mentions
//! refer to them.

use super::exclusions::excludes_candidate;
use super::saved_values::SAVED_NUMBER;
use super::taken_things::taken_operand;
use crate::text::normalize::{BINDING, MAY, OPERANDS, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::prompt_context::is_choice;
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind};

impl Renderer<'_> {
    /// Announces the targets that were to be printed where they are mentioned first: one that is chosen later is announced now, and targets are
    /// numbered in the order in which they are chosen.
    fn announce_pending_targets(&mut self) {
        let is_pending = |this: &Self, local: &TextLocal| local.inline == Some(true) && this.is_target(&local.value);
        let pending: Vec<usize> = (0..self.locals.len()).filter(|at| is_pending(self, &self.locals[*at])).collect();
        for at in pending {
            self.hoist_target_en(&self.locals[at].value.clone());
            self.locals[at].inline = None;
        }
    }

    /// Chooses the targets that were to be printed where they are mentioned first, if one that is announced behind them has a separate sentence: a
    /// text counts them in that order.
    fn choose_pending_targets(&mut self) {
        let is_pending = |this: &Self, local: &TextLocal| local.inline == Some(true) && this.is_target(&local.value);
        let pending: Vec<usize> = (0..self.locals.len()).filter(|at| is_pending(self, &self.locals[*at])).collect();
        for at in pending {
            let text = self.choice_sentence(&self.locals[at].value.clone());
            self.locals[at].inline = None;
            self.leading_sentences.push(format!("{text}{}", self.style("next")));
        }
    }

    /// The sentence of a choice: `choose a creature`.
    pub(super) fn choice_sentence(&mut self, value: &TextNode) -> String {
        let (nil, span) = (TextNode::nil(), value.span);
        let adverbs = TextNode::new(TextNodeKind::List, "", vec![], span);
        let kids = vec![nil.clone(), nil.clone(), adverbs, nil, value.clone()];
        self.act(&TextNode::new(TextNodeKind::Do, "choose", kids, span))
    }

    /// Binds the name that a statement introduces. Returns whether the statement needs no sentence.
    pub(in crate::text) fn bind_name(&mut self, node: &TextNode, rest: &[TextNode]) -> bool {
        // a game for two players has one opponent
        let has_opponents = !self.style("opponents").is_empty();
        let (name, value) = match node.kind {
            TextNodeKind::Let => (node.kid(0), node.kid(1)),
            TextNodeKind::Do if node.text == "choose" && !node.kid(BINDING).is_nil() && node.kid(OPERANDS + 1).is_nil() => {
                (node.kid(BINDING), node.kid(OPERANDS))
            }
            TextNodeKind::Divide => {
                self.locals.push(TextLocal {
                    name: node.kid(4).text.clone(),
                    value: node.clone(),
                    inline: None,
                    is_plural: false,
                });
                return false;
            }
            TextNodeKind::Do => {
                let binding = node.kid(BINDING);
                if !binding.is_nil() {
                    self.record_done(node);
                    // the name of an extra turn is that turn, not the player who takes it
                    let value = match node.text.as_str() {
                        "extra_turn" => TextNode::word("turn", node.span),
                        _ => taken_operand(node),
                    };
                    // `it` is no noun by which later mentions call it
                    let object = self.event_object.clone().filter(|object| value.is_word("it") && !object.is_word("it"));
                    let is_one = object.is_some() || node.text == "create";
                    let value = object.unwrap_or(value);
                    let plural = (self.is_plural(&value) || value.kid(0).text == "each") && !is_one
                        || is_each(node.kid(SUBJECT), has_opponents);
                    self.locals.push(TextLocal { name: binding.text.clone(), value, inline: None, is_plural: plural });
                }
                return false;
            }
            // draw a card and exile target creature. You gain life equal to that creature's power
            TextNodeKind::Sentence => {
                for act in node.kids.iter().filter(|act| act.kind == TextNodeKind::Do && act.text != "choose") {
                    self.bind_name(act, rest);
                }
                return false;
            }
            TextNodeKind::CreateCopy => {
                if !node.kid(4).is_nil() {
                    let is_named = self.lexicon.name("token").is_some();
                    self.locals.push(TextLocal {
                        name: node.kid(4).text.clone(),
                        value: if is_named { TextNode::word("token", node.span) } else { node.kid(0).clone() },
                        inline: None,
                        is_plural: false,
                    });
                }
                return false;
            }
            _ => return false,
        };
        if let (TextNodeKind::Let, Some(object)) = (node.kind, self.event_object.clone().filter(|_| value.is_word("it"))) {
            // `it` is what the sentence before names, so the object of the event is called by its noun
            let inline = object.is_word("this").then_some(false);
            self.locals.push(TextLocal { name: name.text.clone(), value: object, inline, is_plural: false });
            return true;
        }
        // all of them are several: the sentences of a `for each` are about one
        let plural = self.is_plural(value)
            || value.kid(0).text == "each"
            || node.kind == TextNodeKind::Do && is_each(node.kid(SUBJECT), has_opponents);
        if node.kind == TextNodeKind::Let && value.kind == TextNodeKind::List {
            // what is in the list has been named; its names may later be those of other things
            let meant = |kid: &TextNode| match self.local(&kid.text).filter(|_| kid.kind == TextNodeKind::Word) {
                // one of a list, so that lists of lists do not grow
                Some(local) if local.value.kind == TextNodeKind::List => local.value.kid(0).clone(),
                Some(local) => local.value.clone(),
                None => kid.clone(),
            };
            let value = TextNode { kids: value.kids.iter().map(meant).collect(), ..value.clone() };
            self.locals.push(TextLocal { name: name.text.clone(), value, inline: None, is_plural: true });
            return true;
        }
        let whole = node.kind == TextNodeKind::Let && !self.selects(value) && self.chosen_set(value).is_none();
        if whole && self.is_count_of_named(value) && self.can_save(value) {
            let value = TextNode::word(SAVED_NUMBER, value.span);
            self.locals.push(TextLocal { name: name.text.clone(), value, inline: Some(false), is_plural: true });
            return true;
        }
        if whole && self.changes_before_use(&name.text, value, rest) {
            let word = self.saved_word(value, rest);
            let value = word.map_or_else(|| value.clone(), |word| TextNode::word(word, value.span));
            self.locals.push(TextLocal { name: name.text.clone(), value, inline: Some(false), is_plural: true });
            return false;
        }
        if whole {
            self.locals.push(TextLocal { name: name.text.clone(), value: value.clone(), inline: Some(false), is_plural: plural });
            return true;
        }
        let by_you = node.kind == TextNodeKind::Let || node.kid(SUBJECT).is_nil() && node.kid(MAY).is_nil();
        // targets that are announced before the sentence are announced together
        let hoists = !self.is_japanese() && !self.style("target").is_empty();
        // a choice in between that does not print it is no sentence, or prints itself later
        let is_other_choice = |next: &TextNode| {
            let choice = next.kid(0);
            let Some((_, chosen)) = named_choice(choice) else { return false };
            let is_target_too = hoists && self.is_target(value) && self.is_target(chosen);
            (is_choice(chosen) && next.mentions(&name.text) || is_target_too) && !mentions_itself(choice, &name.text)
        };
        let next = rest.iter().find(|next| next.kind == TextNodeKind::Statement && !is_other_choice(next));
        // the choices in between are sentences of their own if the next statement is not about them
        let is_passed = |other: &TextNode, next: &TextNode| {
            named_choice(other.kid(0)).is_none_or(|(name, _)| next.mentions(name)) || hoists && self.is_target(value)
        };
        let next = next.filter(|next| {
            let between = rest.iter().take_while(|other| !std::ptr::eq(*other, *next));
            between.filter(|other| other.kind == TextNodeKind::Statement).all(|other| is_passed(other, next))
        });
        let is_announced = self.is_japanese() && self.is_target(value);
        let next = if is_announced { rest.iter().find(|next| next.kind == TextNodeKind::Statement) } else { next };
        // a list of what was chosen does not print it
        let is_listed = |next: &TextNode| next.kid(0).kind == TextNodeKind::Let && next.kid(0).kid(1).kind == TextNodeKind::List;
        // what a word was chosen for mentions it, and does not print that it is chosen
        let next = next.filter(|next| !is_listed(next) && self.chosen_set(value).is_none());
        let met = rest.iter().find(|next| next.kind == TextNodeKind::Statement && next.mentions(&name.text));
        let soon = next.is_some_and(|next| {
            let act = next.kid(0);
            // a choice that only compares with it does not say that it is chosen
            // nor does what happens to things that are compared with it, or what they cannot do to it
            let says_choice = self.is_japanese() && !self.style("choose").is_empty();
            let compares = act.kind == TextNodeKind::Do
                && !self.is_target(value)
                && (act.text == "choose" || is_choice(value) && !says_choice)
                && is_compared(act, &name.text);
            let prohibits = act.kind == TextNodeKind::Cannot
                && is_choice(value)
                && !self.is_target(value)
                && act.kid(0).kind == TextNodeKind::Event
                && !act.kid(0).kid(0).mentions(&name.text);
            // what another player does with it would be read as that player's choice
            let is_of_others = is_choice(value)
                && act.kind == TextNodeKind::Do
                && act.text != "choose"
                && self.acts_for_other(act)
                && !act.kid(SUBJECT).mentions(&name.text);
            // the choice of a player who then does something would be read as that player's: `a player draws a card`
            let is_player_who_acts = is_choice(value)
                && !self.is_target(value)
                && value.kid(1).is_word("player")
                && act.kid(SUBJECT).is_word(&name.text);
            (mentions_itself(act, &name.text) && !compares && !prohibits && !is_of_others && !is_player_who_acts
                || is_announced && mentions_excluded(act, &name.text))
                && !is_governing(act)
                && !is_later(act)
                && next.text.is_empty()
                || act.kind == TextNodeKind::Do
                    && act.text == "choose"
                    && self.is_target(act.kid(OPERANDS))
                    && met.is_some_and(|met| !std::ptr::eq(met, next) && !self.is_open_condition(met.kid(0)))
        });
        // a target is chosen before anything happens, so its first mention prints it, however late that is
        let late = !self.is_japanese()
            && self.style("target").is_empty()
            && self.is_target(value)
            && met.is_some_and(|next| {
                mentions_itself(next, &name.text) && matches!(next.text.as_str(), "" | "then") && !is_governing(next.kid(0))
            });
        // a target equal to an earlier one, which nothing says is another one
        let again = self.style("target_again");
        if !again.is_empty() && self.is_target(value) && self.locals.iter().any(|local| equal_ignoring_spans(&local.value, value))
        {
            self.reminders.push(again.to_owned());
        }
        // all of a set is named where it is mentioned first, or by what was chosen of it
        let is_all = node.kind == TextNodeKind::Let && value.kid(0).text == "each";
        let is_rest = is_all && !soon && self.is_rest(value);
        if is_rest {
            self.locals.push(TextLocal { name: name.text.clone(), value: value.clone(), inline: None, is_plural: true });
            return true;
        }
        let in_time = is_all && Self::is_mentioned_in_time(&name.text, value, rest);
        // a choice from a list is printed with what is done with it, if other things are done with the list before
        let is_from_list =
            value.kids.iter().skip(2).any(|filter| filter.kind == TextNodeKind::In && self.selects_list(filter.kid(0)));
        let listed = is_from_list
            && is_choice(value)
            && !Self::is_rest_mentioned_first(&name.text, rest)
            && met_itself(rest, &name.text).is_some_and(|next| next.text.is_empty() && next.kid(0).kind == TextNodeKind::Do);
        // a name that is chosen, and in Japanese a player chosen at random, is announced by its own sentence
        let is_name = value.kind == TextNodeKind::Phrase && value.kid(1).is_word("name");
        let is_random = self.is_japanese()
            && value.kid(0).text == "random"
            && next.is_some_and(|next| next.kid(0).kind == TextNodeKind::Do && next.kid(0).kid(SUBJECT).mentions(&name.text));
        let is_apart = node.kind == TextNodeKind::Do && (is_name || is_random);
        let inline = (by_you && !is_apart && (soon || late || listed || in_time)).then_some(true);
        if hoists && inline.is_none() && self.is_target(value) {
            self.announce_pending_targets();
        } else if !self.is_japanese() && inline.is_none() && by_you && self.is_target(value) {
            self.choose_pending_targets();
        }
        let placed = self.with_any_players_zones(value).filter(|_| by_you);
        let value = placed.unwrap_or_else(|| value.clone());
        self.locals.push(TextLocal { name: name.text.clone(), value, inline, is_plural: plural });
        inline.is_some()
    }

    /// Whether a statement governs others, and no entry phrases it with its condition.
    fn is_open_condition(&self, act: &TextNode) -> bool {
        let entry = self.lexicon.find(LexiconTable::Do, act, self.builder);
        is_governing(act) && entry.is_none_or(|(entry, _)| entry.pattern.kid(0).kind == TextNodeKind::Hole)
    }

    /// Binds the names of statements that one entry covers.
    pub(super) fn bind_names(&mut self, statements: &[TextNode], all: &[TextNode]) {
        for (at, statement) in statements.iter().enumerate() {
            let inner = statement.kid(0);
            match inner.kind {
                // a number that the entry printed is referred to as saved if it changes before its next use
                TextNodeKind::Let
                    if self.changes_before_use(&inner.kid(0).text, inner.kid(1), &all[at + 1..])
                        && self.can_save(inner.kid(1)) =>
                {
                    let value = TextNode::word(SAVED_NUMBER, inner.span);
                    self.locals.push(TextLocal { name: inner.kid(0).text.clone(), value, inline: Some(false), is_plural: true });
                }
                TextNodeKind::Let => {
                    let (value, plural) = (inner.kid(1).clone(), self.is_plural(inner.kid(1)));
                    let inline = (!self.selects(&value)).then_some(false);
                    self.locals.push(TextLocal { name: inner.kid(0).text.clone(), value, inline, is_plural: plural });
                }
                TextNodeKind::Do if !inner.kid(BINDING).is_nil() => {
                    let value = taken_operand(inner);
                    let plural = self.is_plural(&value);
                    self.locals.push(TextLocal { name: inner.kid(BINDING).text.clone(), value, inline: None, is_plural: plural });
                }
                _ => {}
            }
        }
    }

    /// Looks a name up: `Ok` with its value if that is rendered in full here, else `Err` with the binding.
    pub(in crate::text) fn resolve_name(&mut self, name: &str) -> Option<Result<TextNode, TextLocal>> {
        let local = self.locals.iter_mut().rev().find(|local| local.name == name)?;
        match local.inline {
            Some(once) => {
                if once {
                    local.inline = None;
                }
                Some(Ok(local.value.clone()))
            }
            None => Some(Err(local.clone())),
        }
    }
}

/// Whether several players do something: `each player`, so that what they choose one of is several things.
fn is_each(subject: &TextNode, has_opponents: bool) -> bool {
    let is_several = has_opponents || !subject.kid(1).is_word("opponent");
    subject.kind == TextNodeKind::Phrase && subject.kid(0).text == "each" && is_several
}

/// The name that a choice binds, and what is chosen. `None` for other statements.
fn named_choice(act: &TextNode) -> Option<(&str, &TextNode)> {
    let (name, chosen) = match act.kind {
        TextNodeKind::Let => (act.kid(0), act.kid(1)),
        TextNodeKind::Do if act.text == "choose" && !act.kid(BINDING).is_nil() => (act.kid(BINDING), act.kid(OPERANDS)),
        _ => return None,
    };
    Some((&name.text, chosen))
}

/// Whether a statement governs others: what it mentions itself is no action.
fn is_governing(act: &TextNode) -> bool {
    matches!(act.kind, TextNodeKind::If | TextNodeKind::Modes | TextNodeKind::ForEach | TextNodeKind::Times)
}

/// Whether a statement only makes something happen later: a choice printed in it would be read as one that is made then.
pub(super) fn is_later(act: &TextNode) -> bool {
    matches!(act.kind, TextNodeKind::Delayed | TextNodeKind::DelayedWhen | TextNodeKind::Standing)
}

/// The first statement that mentions a name itself, if only choices and actions with other things precede it.
fn met_itself<'n>(rest: &'n [TextNode], name: &str) -> Option<&'n TextNode> {
    let at = rest.iter().position(|next| next.kind == TextNodeKind::Statement && mentions_itself(next, name))?;
    let is_plain = |next: &TextNode| matches!(next.kid(0).kind, TextNodeKind::Do | TextNodeKind::Let) && next.text.is_empty();
    rest[..at].iter().all(is_plain).then(|| &rest[at])
}

/// Whether a node mentions a name itself, and not only as the list among whose elements it selects (`each creature in them`). Such a
/// selection does not print what the name is bound to, and one that excludes it (`that (candidate != it)`) does neither.
fn mentions_itself(node: &TextNode, name: &str) -> bool {
    match node.kind {
        TextNodeKind::Word => node.text == name,
        TextNodeKind::In if node.kid(0).is_word(name) => false,
        TextNodeKind::Binary if excludes_candidate(node) => false,
        _ => node.kids.iter().any(|kid| mentions_itself(kid, name)) || node.kids.is_empty() && node.mentions(name),
    }
}

/// Whether a node mentions a name in conditions on what it selects only: `creature that (name of candidate != name of it)`.
fn is_compared(node: &TextNode, name: &str) -> bool {
    node.mentions(name)
        && match node.kind {
            TextNodeKind::That => true,
            _ => node.kids.iter().all(|kid| !kid.mentions(name) || is_compared(kid, name)) && !node.is_word(name),
        }
}

/// Whether a node excludes what a name is bound to: `that (candidate != NAME)`.
fn mentions_excluded(node: &TextNode, name: &str) -> bool {
    excludes_candidate(node) && node.mentions(name) || node.kids.iter().any(|kid| mentions_excluded(kid, name))
}
