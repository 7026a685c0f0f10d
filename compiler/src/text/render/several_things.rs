//! References to several things that the text has bound to a name, where the pronoun would be read as others: `the rest`, `the chosen cards`.

use super::exclusions::{excluded_names, is_chosen_from};
use crate::text::normalize::BINDING;
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind};
use smol_str::SmolStr;

/// How a text refers to several things where no pronoun would be clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum ListReference {
    /// What is left of a list or of a kind of things without those that were chosen.
    Rest,
    /// Those that were chosen, among others of the same noun.
    Chosen,
    /// The same for targets.
    Targeted,
    /// No phrase is known to be clear.
    Unclear,
}

/// Verbs by which a player gets more objects on the field.
const ADDING: [&str; 2] = ["create", "put"];

impl Renderer<'_> {
    /// How the text refers to the several things that a name is bound to. `None` if the pronoun of the language is clear, or if they are not several.
    pub(in crate::text) fn reference_to_list(&self, name: &str) -> Option<ListReference> {
        let at = self.locals.iter().rposition(|local| local.name == name && local.is_plural)?;
        let local = &self.locals[at];
        if self.is_bound_to_rest(at) {
            return Some(ListReference::Rest);
        }
        let has_rest =
            |at: usize| excluded_names(&self.locals[at].value).any(|excluded| excluded == name) && self.is_bound_to_rest(at);
        let is_divided = (at + 1..self.locals.len()).any(has_rest);
        let noun = self.noun_of(&local.value);
        let is_other = |other: &TextLocal| {
            let is_mentioned = other.is_plural && other.inline.is_none();
            is_mentioned
                && self.bound_name(&other.name) != self.bound_name(name)
                && excluded_names(&other.value).all(|excluded| excluded != name)
                && equal_ignoring_spans(&self.noun_of(&other.value), &noun)
        };
        let last = self.last_list.as_ref().filter(|last| self.bound_name(last) != self.bound_name(name));
        let is_behind_other = last.is_some_and(|last| self.local(last).is_some_and(is_other));
        if !is_divided && !is_behind_other {
            return None;
        }
        let how = choice_of(&local.value);
        let is_only =
            how.is_some() && self.locals.iter().filter(|other| is_other(other)).all(|other| choice_of(&other.value) != how);
        Some(how.filter(|_| is_only).unwrap_or(ListReference::Unclear))
    }

    /// The English text of a reference. `None` for one that is not clear.
    pub(in crate::text) fn list_reference_en(&mut self, name: &str, reference: ListReference) -> Option<String> {
        let how = match reference {
            ListReference::Rest => return Some(self.style("rest").to_owned()),
            ListReference::Chosen => "chosen",
            ListReference::Targeted => "targeted",
            ListReference::Unclear => return None,
        };
        let noun = self.noun_of(&self.local(name)?.value.clone());
        Some(format!("the {how} {}", self.noun_en(&noun, true).replace('^', "")))
    }

    /// The Japanese text of a reference. `None` for one that is not clear.
    pub(in crate::text) fn list_reference_ja(&mut self, name: &str, reference: ListReference) -> Option<String> {
        let how = match reference {
            ListReference::Rest => return Some(self.style("rest").to_owned()),
            ListReference::Chosen => "選ばれた",
            ListReference::Targeted => "対象の",
            ListReference::Unclear => return None,
        };
        let value = self.local(name)?.value.clone();
        Some(format!("{how}{}", self.noun_ja(&self.noun_of(&value)).replace('^', "")))
    }

    /// Records that the text has mentioned the things that a name is bound to, if they are several.
    pub(in crate::text) fn record_list(&mut self, name: &str) {
        if self.local(name).is_some_and(|local| local.is_plural) {
            self.last_list = Some(name.into());
        }
    }

    /// Records the name that a statement has bound as the last one that was mentioned.
    pub(super) fn record_bound_list(&mut self, act: &TextNode) {
        let name = match act.kind {
            TextNodeKind::Let => act.kid(0),
            TextNodeKind::Do => act.kid(BINDING),
            _ => return,
        };
        self.record_list(&name.text);
    }

    /// Whether a value needs no sentence, since each mention of its name says what it is: `the rest`.
    pub(super) fn is_rest(&self, value: &TextNode) -> bool {
        self.is_rest_behind(value, &self.locals)
    }

    /// Whether all of a set can be named by its first mention: nothing happens before that, which could change them. The set is selected when it is
    /// bound. What a player has on the field changes by fewer verbs than what is somewhere else or has a quality.
    pub(super) fn is_mentioned_in_time(name: &str, set: &TextNode, rest: &[TextNode]) -> bool {
        let is_unconditional = set.kids.iter().skip(2).all(|filter| matches!(filter.kind, TextNodeKind::Of | TextNodeKind::Nil));
        let statements = || rest.iter().filter(|next| next.kind == TextNodeKind::Statement);
        let is_plain = |next: &&TextNode| {
            let act = next.kid(0);
            next.text.is_empty()
                && match act.kind {
                    TextNodeKind::Let => act.kid(1).kid(0).text == "each",
                    TextNodeKind::Do => is_unconditional && !ADDING.contains(&act.text.as_str()) && act.kid(BINDING).is_nil(),
                    _ => false,
                }
        };
        let first = statements().position(|next| next.mentions(name));
        first.is_some_and(|first| {
            let met = statements().nth(first);
            statements().take(first).all(|next| is_plain(&next))
                && met.is_some_and(|met| met.text.is_empty() && met.kid(0).kind == TextNodeKind::Do)
        })
    }

    /// Whether something is done with what is left without the things of a name before anything is done with these things: the text must choose
    /// them first.
    pub(super) fn is_rest_mentioned_first(name: &str, rest: &[TextNode]) -> bool {
        let mut names: Vec<&SmolStr> = Vec::new();
        for next in rest.iter().filter(|next| next.kind == TextNodeKind::Statement) {
            let act = next.kid(0);
            let is_rest = act.kind == TextNodeKind::Let && excluded_names(act.kid(1)).any(|excluded| excluded == name);
            match is_rest {
                true => names.push(&act.kid(0).text),
                false if names.iter().any(|other| act.mentions(other)) => return true,
                false if act.mentions(name) => return false,
                false => {}
            }
        }
        false
    }

    /// Whether a bound name is that of a rest, of which nothing else was chosen since.
    fn is_bound_to_rest(&self, at: usize) -> bool {
        let (before, behind) = self.locals.split_at(at);
        let Some((local, behind)) = behind.split_first() else { return false };
        let list = list_of(&local.value);
        let is_taken = |later: &TextLocal| list.is_some_and(|list| is_chosen_from(&later.value, list));
        local.inline.is_none() && self.is_rest_behind(&local.value, before) && !behind.iter().any(is_taken)
    }

    /// Whether a value is what was left of a list or a kind of things behind choices of some of them.
    fn is_rest_behind(&self, value: &TextNode, before: &[TextLocal]) -> bool {
        if value.kind != TextNodeKind::Phrase || value.kid(0).text != "each" || self.style("rest").is_empty() {
            return false;
        }
        let mut excluded = excluded_names(value).peekable();
        if value.text == "other" || excluded.peek().is_none() {
            return false;
        }
        let filters = || value.kids.iter().skip(2).filter(|filter| super::exclusions::excluded_name(filter).is_none());
        // what was chosen from the same things
        let is_of_same = |name: &SmolStr| {
            let Some(local) = before.iter().rev().find(|local| local.name == *name) else { return false };
            let chosen = &local.value;
            chosen.kids.len() == filters().count() + 2
                && equal_ignoring_spans(chosen.kid(1), value.kid(1))
                && choice_of(chosen).is_some()
                && chosen.kids.iter().skip(2).zip(filters()).all(|(one, other)| equal_ignoring_spans(one, other))
        };
        match list_of(value) {
            Some(list) => {
                let chosen: Vec<&SmolStr> = before
                    .iter()
                    .filter(|local| is_chosen_from(&local.value, list) && local.value.kid(0).text != "each")
                    .map(|local| &local.name)
                    .collect();
                let is_plain = filters().count() == 1 && self.local(list).is_some();
                is_plain
                    && !chosen.is_empty()
                    && chosen.iter().all(|name| excluded_names(value).any(|excluded| excluded == *name))
            }
            None => excluded.all(is_of_same),
        }
    }

    /// The first name of what a name is bound to: `gone` of `banish them as gone` is `them`.
    fn bound_name<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // names may be bound again, so that they could refer to themselves
        for _ in 0..self.locals.len() {
            match self.local(name) {
                Some(local) if local.value.kind == TextNodeKind::Word && self.local(&local.value.text).is_some() => {
                    name = &local.value.text;
                }
                _ => break,
            }
        }
        name
    }
}

/// The list of which a value selects elements.
fn list_of(value: &TextNode) -> Option<&SmolStr> {
    let filter = value.kids.iter().skip(2).find(|filter| filter.kind == TextNodeKind::In && filter.text != "not")?;
    (filter.kid(0).kind == TextNodeKind::Word).then_some(&filter.kid(0).text)
}

/// How several things were chosen. `None` for all things of a kind.
fn choice_of(value: &TextNode) -> Option<ListReference> {
    match value.kid(0).text.as_str() {
        _ if value.kind != TextNodeKind::Phrase => None,
        "exactly" | "up_to" | "any" | "range" | "random" => Some(ListReference::Chosen),
        quantifier if quantifier.starts_with("target") => Some(ListReference::Targeted),
        _ => None,
    }
}
