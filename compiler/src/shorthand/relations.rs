//! Expands `relation NAME(END, …) { STATUS: TYPE … }` into a zone without a name in the source, a noun for what is in it, and statuses.

use super::phrase;
use crate::limits::MAX_RELATIONS;
use crate::maps::IndexMap;
use crate::relation_zones::zone_of;
use fizzle_grammar::ast::{Head, Item, ItemKind, Name, PhraseFilter, PhraseFilterKind, Relation, Span};
use smol_str::SmolStr;

/// The relations of a game by name; the first declaration of a name counts.
pub type Relations<'a> = IndexMap<SmolStr, &'a Relation>;

/// The items that a relation stands for. Only the first relation of a name has its zone. Those beyond the limit, which is reported, stand for nothing.
pub fn parts(item: &Item, relation: &Relation, known: &Relations<'_>) -> Vec<Item> {
    let name = &relation.name;
    if known.get_index_of(&name.text).is_some_and(|number| number >= MAX_RELATIONS) {
        return Vec::new();
    }
    // Words that the source does not contain have an empty span.
    let at = Span { end: name.span.start, ..name.span };
    let word = |text: &str| Name { text: text.into(), span: at };
    let zone = Name { text: zone_of(&name.text), span: at };
    let inner = phrase(Head::Word(zone.clone()), Vec::new(), at);
    let filter = PhraseFilter { kind: PhraseFilterKind::In(inner), span: at };
    let meaning = phrase(Head::Word(word("object")), vec![filter], at);
    let mut made = vec![part(item, &item.docs, ItemKind::Noun { name: name.clone(), meaning })];
    if known.get(&name.text).is_some_and(|first| first.name.span == name.span) {
        let settings = vec![vec![word("shared")], vec![word("public")]];
        made.push(part(item, "", ItemKind::Zone { name: zone, settings }));
    }
    let statuses = relation.ends.iter().chain(&relation.statuses);
    made.extend(statuses.map(|status| part(item, "", ItemKind::Variable(Box::new(status.clone())))));
    made
}

/// An item in the place of another one.
pub(super) fn part(item: &Item, docs: &str, kind: ItemKind) -> Item {
    Item { docs: docs.to_owned(), kind, span: item.span, spellings: Vec::new(), has_shorthand: false }
}
