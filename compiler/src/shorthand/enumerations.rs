//! Expands `status NAME: one of WORD, WORD` into a closed set of words that the source does not declare, and a variable of that type.

use super::phrase;
use super::relations::part;
use fizzle_grammar::ast::{Head, Item, ItemKind, Name, Span, TypeRef, Variable, WordsAndAbilities};
use smol_str::{SmolStr, format_smolstr};

/// The name of the set of words of a variable. No source can contain it, and it begins as internal names do.
#[must_use]
pub fn set_of(variable: &str) -> SmolStr {
    format_smolstr!("_{variable} words")
}

/// Whether a set of words is that of a variable.
#[must_use]
pub fn is_of_variable(set: &str) -> bool {
    set.contains(' ')
}

/// The items that a variable of the type `one of …` stands for. Its first word is its value at the beginning, unless another is written.
pub fn parts(item: &Item, variable: &Variable) -> Vec<Item> {
    let TypeRef { one_of, name: written, .. } = &variable.ty;
    let at = Span { end: written.span.start, ..written.span };
    let set = Name { text: set_of(&variable.name.text), span: at };
    // As quoted words they have a meaning only where a word of this set is expected.
    let words = one_of.iter().map(|word| Name { span: Span { end: word.span.end + 1, ..word.span }, ..word.clone() }).collect();
    let first = one_of.first().map(|word| phrase(Head::Word(word.clone()), Vec::new(), word.span));
    let mut declared = variable.clone();
    declared.ty = TypeRef { list: false, word: true, name: set.clone(), one_of: Vec::new(), written: true };
    declared.default = declared.default.or(first);
    let abilities = WordsAndAbilities::Apart;
    let traits = ItemKind::Traits { name: set, adds: false, open: false, changeable: false, abilities, words, from: None };
    vec![part(item, "", traits), part(item, &item.docs, ItemKind::Variable(Box::new(declared)))]
}
