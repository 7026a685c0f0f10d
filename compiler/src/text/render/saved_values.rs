//! Names of values that something changes before they are used: a sentence of their own says what they were, and later ones speak of that.

use super::Renderer;
use crate::names::Meaning;
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_runtime::ir::Type;

/// By what a noted number is spoken of.
pub(super) const NOTED: &str = "_noted";

impl Renderer<'_> {
    /// Whether what a name stands for may be another value where it is used. What objects are and were is no such thing: texts speak of
    /// them as they were last seen.
    pub(super) fn is_stale(&self, name: &str, value: &TextNode, rest: &[TextNode]) -> bool {
        let mut acts = Vec::new();
        acts_before(name, rest, &mut acts);
        match value.kind {
            // chance is asked once, however often the number is named
            TextNodeKind::Random => !acts.is_empty() || rest.iter().map(|next| uses(name, next)).sum::<usize>() > 1,
            _ => !acts.is_empty() && self.shifts(value, &acts),
        }
    }

    /// Whether a sentence can say what it is: of one number at a time.
    pub(super) fn can_note(&self, value: &TextNode) -> bool {
        self.is_amount(value) && !self.locals.iter().any(|local| local.value.is_word(NOTED))
    }

    /// Whether a number is how many there are of what was named just before: nothing has to be said of it.
    pub(super) fn is_told(&self, value: &TextNode) -> bool {
        let over = value.kid(1);
        value.kind == TextNodeKind::Aggregate
            && value.text == "count"
            && over.kind == TextNodeKind::Word
            && self.local(&over.text).is_some()
    }

    /// Whether a word is the name of a number given on the way: words of the game come after it.
    pub(super) fn stands_for_number(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.local(&node.text).is_some_and(|local| local.inline == Some(false))
    }

    /// The sentence that says what it is.
    pub(super) fn note(&mut self, node: &TextNode) -> String {
        let noted = self.local(&node.kid(0).text).is_some_and(|local| local.value.is_word(NOTED));
        if !noted {
            return self.gap(node);
        }
        let value = self.with_locals(node.kid(1));
        let text = self.text(&value);
        self.style("note").replace("{V}", &text)
    }

    /// Whether it is a number.
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

    /// Whether acts may change a value: how many things there are, what a player has, and what the acts themselves set.
    fn shifts(&self, value: &TextNode, acts: &[&TextNode]) -> bool {
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
        own || value.kids.iter().any(|kid| self.shifts(kid, acts))
    }
}

/// How often a name stands in something.
fn uses(name: &str, node: &TextNode) -> usize {
    usize::from(node.is_word(name)) + node.kids.iter().map(|kid| uses(name, kid)).sum::<usize>()
}

/// What is done before a name is used for the last time.
fn acts_before<'n>(name: &str, statements: &'n [TextNode], acts: &mut Vec<&'n TextNode>) {
    let Some(last) = statements.iter().rposition(|next| next.mentions(name)) else { return };
    for statement in statements.iter().take(last).filter(|next| next.kind == TextNodeKind::Statement) {
        let act = statement.kid(0);
        if act.kind != TextNodeKind::Let && !(act.kind == TextNodeKind::Do && act.text == "choose") {
            acts.push(act);
        }
    }
    if let Some(using) = statements.get(last) {
        inside(name, using.kid(0), acts);
    }
}

/// The same in blocks inside a statement.
fn inside<'n>(name: &str, node: &'n TextNode, acts: &mut Vec<&'n TextNode>) {
    if node.kind == TextNodeKind::Block {
        return acts_before(name, &node.kids, acts);
    }
    for kid in &node.kids {
        inside(name, kid, acts);
    }
}
