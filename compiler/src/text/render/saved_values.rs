//! Named values that the text changes before it uses them. A separate sentence states such a value, and later mentions refer to that
//! sentence.

use super::classify::is_number_choice;
use crate::names::Meaning;
use crate::text::pattern_match::LexiconTable;
use crate::text::prompt_context::count_mentions;
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// The word by which later sentences refer to a saved number.
pub(super) const SAVED_NUMBER: &str = "_noted";

/// The words for them if a block states several.
const SAVED_NUMBERS: [&str; 4] = ["_first_noted", "_second_noted", "_third_noted", "_fourth_noted"];

/// The word by which later sentences refer to the one number that was chosen, if others are saved.
const CHOSEN_NUMBER: &str = "_chosen";

/// The words for them if the text chooses several.
const CHOSEN_NUMBERS: [&str; 4] = ["_first_chosen", "_second_chosen", "_third_chosen", "_fourth_chosen"];

/// The word by which later sentences refer to a condition of which a sentence states whether it holds.
const SAVED_CONDITION: &str = "_noted_whether";

/// Whether a value says whether something is so.
fn is_condition(value: &TextNode) -> bool {
    match value.kind {
        TextNodeKind::Phrase => matches!(value.kid(0).text.as_str(), "some" | "no"),
        TextNodeKind::Is | TextNodeKind::Has | TextNodeKind::Can => true,
        TextNodeKind::Not => is_condition(value.kid(0)),
        TextNodeKind::Binary => match value.text.as_str() {
            "and" | "or" => value.kids.iter().all(is_condition),
            operator => matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">="),
        },
        _ => false,
    }
}

/// Whether a node is a word by which sentences refer to a saved number.
fn is_saved_word(node: &TextNode) -> bool {
    node.kind == TextNodeKind::Word && (node.text == SAVED_NUMBER || SAVED_NUMBERS.contains(&node.text.as_str()))
}

impl Renderer<'_> {
    /// Whether the value of a name may differ where it is used. Values of objects do not count: texts refer to objects by last-known
    /// information.
    pub(super) fn changes_before_use(&self, name: &str, value: &TextNode, rest: &[TextNode]) -> bool {
        let mut acts = Vec::new();
        collect_acts_before(name, rest, &mut acts);
        match value.kind {
            // a random number is drawn once, so its two mentions must refer to one sentence
            TextNodeKind::Random => !acts.is_empty() || rest.iter().map(|next| count_mentions(next, name)).sum::<usize>() > 1,
            _ => !acts.is_empty() && self.may_change(value, &acts),
        }
    }

    /// Whether *that many* can refer to the value: it must be a number, and the only one that is saved.
    pub(super) fn can_save(&self, value: &TextNode) -> bool {
        self.is_amount(value) && !self.locals.iter().any(|local| is_saved_word(&local.value))
    }

    /// The word by which later sentences refer to the value, which a sentence states. Of several numbers of one block each has its ordinal.
    /// `None` if it is no number, or one too many.
    pub(super) fn saved_word(&self, value: &TextNode, rest: &[TextNode]) -> Option<&'static str> {
        let is_saved_too = |(at, next): (usize, &TextNode)| {
            let binding = next.kid(0);
            let (name, value) = (binding.kid(0), binding.kid(1));
            next.kind == TextNodeKind::Statement
                && binding.kind == TextNodeKind::Let
                && self.is_amount(value)
                && self.changes_before_use(&name.text, value, rest.get(at + 1..).unwrap_or_default())
        };
        if is_condition(value) {
            let is_first = !self.locals.iter().any(|local| local.value.is_word(SAVED_CONDITION));
            return is_first.then_some(SAVED_CONDITION);
        }
        let before: Vec<&SmolStr> =
            self.locals.iter().map(|local| &local.value).filter(|value| is_saved_word(value)).map(|value| &value.text).collect();
        match before.last() {
            _ if !self.is_amount(value) => None,
            None if !rest.iter().enumerate().any(is_saved_too) => Some(SAVED_NUMBER),
            None => SAVED_NUMBERS.first().copied(),
            // `that many` would no longer say which one
            Some(last) => {
                let at = SAVED_NUMBERS.iter().position(|word| *word == last.as_str())?;
                SAVED_NUMBERS.get(at + 1).copied()
            }
        }
    }

    /// Whether a value is the count of what a name is bound to. Such a number needs no sentence.
    pub(super) fn is_count_of_named(&self, value: &TextNode) -> bool {
        let over = value.kid(1);
        value.kind == TextNodeKind::Aggregate
            && value.text == "count"
            && over.kind == TextNodeKind::Word
            && self.local(&over.text).is_some()
    }

    /// Whether a word is the name of a bound number. Bound names take precedence over words of the game.
    pub(super) fn stands_for_number(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.local(&node.text).is_some_and(|local| local.inline == Some(false))
    }

    /// Whether a word refers to a number that a sentence before has stated.
    pub(super) fn is_saved_number(&self, node: &TextNode) -> bool {
        let is_named = |local: &TextLocal| is_saved_word(&local.value);
        is_saved_word(node) || node.kind == TextNodeKind::Word && self.local(&node.text).is_some_and(is_named)
    }

    /// The text for a number that was chosen: `that many`, or which one of several.
    pub(in crate::text) fn chosen_number(&mut self, name: &str) -> String {
        let chosen: Vec<&TextLocal> = self.locals.iter().filter(|local| is_number_choice(local)).collect();
        let is_saved = self.locals.iter().any(|local| is_saved_word(&local.value));
        let word = match chosen.iter().position(|local| local.name == name) {
            Some(at) if chosen.len() > 1 => CHOSEN_NUMBERS.get(at).copied().unwrap_or(CHOSEN_NUMBER),
            _ if is_saved => CHOSEN_NUMBER,
            _ => SAVED_NUMBER,
        };
        let word = TextNode::word(word, crate::text::tree::TextNode::nil().span);
        self.lookup(LexiconTable::Value, &word).unwrap_or_else(|| self.gap(&word))
    }

    /// The sentence that states the value.
    pub(super) fn saved_value_sentence(&mut self, node: &TextNode) -> String {
        let name = node.kid(0);
        let value = self.inline_numbers(node.kid(1));
        if self.local(&name.text).is_some_and(|local| local.value.is_word(SAVED_CONDITION)) {
            let (clause, before) = (self.text(&value), self.slot(&value, ":if"));
            return self.style("note_whether").replace("{C:if}", &before).replace("{C}", &clause);
        }
        if !self.is_saved_number(name) {
            return self.gap(node);
        }
        let text = self.text(&value);
        self.style("note").replace("{V}", &text)
    }

    /// Whether a value is a number.
    fn is_amount(&self, value: &TextNode) -> bool {
        match value.kind {
            TextNodeKind::Number | TextNodeKind::Aggregate | TextNodeKind::Random | TextNodeKind::Negative => true,
            TextNodeKind::Binary => matches!(value.text.as_str(), "+" | "-" | "*" | "/down" | "/up"),
            TextNodeKind::Word => self.is_state(&value.text) && !self.builder.is_flag(&value.text),
            TextNodeKind::Phrase => value.kid(0).is_nil() && self.is_amount(value.kid(1)),
            TextNodeKind::Call => {
                self.builder.names.functions.get(&value.text).is_some_and(|known| known.result == Some(Type::Number))
            }
            _ => false,
        }
    }

    fn is_state(&self, word: &str) -> bool {
        let meanings = self.builder.names.meanings(word);
        meanings.iter().any(|meaning| matches!(meaning, Meaning::Property(_) | Meaning::Status(_) | Meaning::Player(_)))
    }

    /// Whether actions may change a value: counts of things, variables of players, random numbers, and what the actions themselves set.
    pub(super) fn may_change(&self, value: &TextNode, acts: &[&TextNode]) -> bool {
        let own = match value.kind {
            TextNodeKind::Aggregate => {
                let over = value.kid(1);
                let listed = over.kind == TextNodeKind::Word && self.local(&over.text).is_some();
                return !listed && (over.kind != TextNodeKind::Word || self.is_noun(&over.text));
            }
            TextNodeKind::Random => true,
            TextNodeKind::Call => value.kids.is_empty(),
            TextNodeKind::Phrase if matches!(value.kid(0).text.as_str(), "some" | "no") => true,
            TextNodeKind::Word => {
                let of_player =
                    self.builder.names.meanings(&value.text).iter().any(|meaning| matches!(meaning, Meaning::Player(_)));
                of_player
                    || self.is_state(&value.text)
                        && acts
                            .iter()
                            .any(|act| matches!(act.kind, TextNodeKind::Assign | TextNodeKind::Gets) && act.mentions(&value.text))
            }
            _ => false,
        };
        own || value.kids.iter().any(|kid| self.may_change(kid, acts))
    }
}

/// Collects the actions before the last use of a name.
fn collect_acts_before<'n>(name: &str, statements: &'n [TextNode], acts: &mut Vec<&'n TextNode>) {
    let Some(last) = statements.iter().rposition(|next| next.mentions(name)) else { return };
    for statement in statements.iter().take(last).filter(|next| next.kind == TextNodeKind::Statement) {
        let act = statement.kid(0);
        if act.kind != TextNodeKind::Let && !(act.kind == TextNodeKind::Do && act.text == "choose") {
            acts.push(act);
        }
    }
    if let Some(using) = statements.get(last) {
        collect_acts_in_blocks(name, using.kid(0), acts);
    }
}

/// Collects them in the blocks inside a statement.
fn collect_acts_in_blocks<'n>(name: &str, node: &'n TextNode, acts: &mut Vec<&'n TextNode>) {
    if node.kind == TextNodeKind::Block {
        return collect_acts_before(name, &node.kids, acts);
    }
    for kid in &node.kids {
        collect_acts_in_blocks(name, kid, acts);
    }
}
