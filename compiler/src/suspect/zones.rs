//! Zones into which nothing is ever put, and what reads them all the same.

use crate::diagnostics::{Diagnostic, codes};
use crate::names::Names;
use fizzle_grammar::tree::{DeckRule, DifferenceKind, Item, ItemKind, Name, Path, Span};
use fizzle_grammar::visit::{self, Kind, Role, Visitor};
use fizzle_runtime::ir::Reg;
use fizzle_runtime::ir::op::{Function, Op};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Items that one thread looks at in a row.
const CHUNK: usize = 512;

/// Zones by name: where they are declared, and where they are read.
type Empty = BTreeMap<SmolStr, (Span, Vec<Span>)>;

/// The zones that some code may put something into, by number: those that it does more with than to look there.
///
/// A value that is a zone begins as one of these operations, or is the place of something that is there already.
pub fn filled(functions: &[Function]) -> BTreeSet<usize> {
    let mut filled = BTreeSet::new();
    for function in functions {
        for op in &function.ops {
            if let Op::ZoneOf { dst, zone, .. } = op
                && function.ops.iter().any(|op| hands_on(op, *dst))
            {
                filled.insert(zone.index());
            }
        }
    }
    filled
}

/// Whether an operation does something with the value of a register besides looking at it.
fn hands_on(op: &Op, reg: Reg) -> bool {
    match op {
        Op::ZoneOf { .. } | Op::ZoneList { .. } | Op::Binary { .. } | Op::Filter { .. } | Op::Fold { .. } => false,
        Op::Do { events, .. } => events.iter().any(|event| event.args.contains(&reg)),
        Op::Begin { captures, .. } | Op::Become { captures, .. } | Op::Trigger { captures, .. } => captures.contains(&reg),
        Op::Use { args, .. } => args.contains(&reg),
        Op::Keep { src, .. } => *src == reg,
        Op::Write { value, .. } | Op::WriteKey { value, .. } => *value == reg,
        _ => {
            let mut read = false;
            op.for_each_read(|other| read |= other == reg);
            read
        }
    }
}

/// Tells where zones are read that nothing fills. `filled` is what the code fills, by number.
pub fn never_filled(names: &Names<'_>, items: &[&Item], filled: &BTreeSet<usize>) -> Vec<Diagnostic> {
    let empty = names.zones.iter().enumerate().filter(|(number, (name, settings))| {
        // What is used waits on the list by itself; the game begins with the deck.
        let list = settings.iter().flatten().any(|setting| setting.text == "list");
        !(filled.contains(number) || list || name.text == "deck")
    });
    let mut empty: Empty = empty.map(|(_, (name, _))| (name.text.clone(), (name.span, Vec::new()))).collect();
    // Decks tell of most zones, and this is asked after each edit.
    items.iter().for_each(|item| dealt(item, &mut empty));
    if empty.is_empty() {
        return Vec::new();
    }
    let looked: Vec<Empty> = items.par_chunks(CHUNK).map(|items| left(items, empty.clone())).collect();
    for found in looked {
        // What is left out anywhere is left out.
        empty.retain(|name, _| found.contains_key(name));
        for (name, (_, mut reads)) in found {
            empty.entry(name).and_modify(|(_, all)| all.append(&mut reads));
        }
    }
    let tell = |(name, (declared, reads)): (SmolStr, (Span, Vec<Span>))| {
        reads.into_iter().map(move |span| {
            Diagnostic::new(&codes::ALWAYS_EMPTY, span, format!("nothing puts anything into `{name}`, so nothing is ever there"))
                .also(declared, "declared here")
                .help(format!("put something there somewhere, `put … into {name}`, or name the zone that is meant"))
        })
    };
    empty.into_iter().flat_map(tell).collect()
}

/// What some items leave of zones that nothing fills, and where they read these.
fn left(items: &[&Item], mut empty: Empty) -> Empty {
    for item in items {
        let told = !matches!(item.kind, ItemKind::Scenario(_) | ItemKind::Text(_) | ItemKind::Foreign(_));
        visit::item(item, &mut Mentions { empty: &mut empty, told });
    }
    empty
}

/// Takes out the zones in which the cards of a deck begin.
fn dealt(item: &Item, empty: &mut Empty) {
    let mut begin = |section: &SmolStr| {
        empty.remove(section);
        empty.remove(&SmolStr::new(format!("{section}_deck")));
    };
    match &item.kind {
        ItemKind::Deck(deck) => deck.sections.iter().for_each(|section| begin(&section.name.text)),
        ItemKind::DeckRules(rules) => {
            for rule in rules {
                if let DeckRule::Size { section, .. } = rule {
                    begin(&section.text);
                }
            }
        }
        ItemKind::Format { differences, .. } => {
            for difference in differences {
                if let DifferenceKind::Add(item) | DifferenceKind::Replace(item) = &difference.kind {
                    dealt(item, empty);
                }
            }
        }
        _ => {}
    }
}

/// Finds where zones are named. One whose name stands for something else anywhere is left out: a local name may hide it.
struct Mentions<'m> {
    empty: &'m mut Empty,
    told: bool,
}

impl Visitor for Mentions<'_> {
    fn name(&mut self, role: Role, name: &Name) {
        match role {
            Role::Binds | Role::Parameter => drop(self.empty.remove(&name.text)),
            // The position of a scenario.
            Role::Of(Kind::Zone) if !self.told => drop(self.empty.remove(&name.text)),
            Role::Word | Role::Of(Kind::Zone) if self.told => {
                if let Some((_, reads)) = self.empty.get_mut(&name.text) {
                    reads.push(name.span);
                }
            }
            _ => {}
        }
    }
    fn path(&mut self, _: &Path) {}
    fn span(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}
