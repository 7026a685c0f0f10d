//! Zones into which nothing is ever put, and what reads them all the same.

use crate::diagnostics::{Diagnostic, codes};
use crate::names::NameTable;
use fizzle_grammar::ast::{DeckRule, DifferenceKind, Item, ItemKind, Name, Path, Span};
use fizzle_grammar::visit::{self, DeclKind, NameRole, Visitor};
use fizzle_runtime::ir::Reg;
use fizzle_runtime::ir::op::{Function, Op};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Items that one thread looks at in a row.
const CHUNK: usize = 512;

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
        Op::Propose { events, .. } => events.iter().any(|event| event.args.contains(&reg)),
        Op::BeginEffect { captures, .. } | Op::Become { captures, .. } | Op::Trigger { captures, .. } => captures.contains(&reg),
        Op::Use { args, .. } => args.contains(&reg),
        Op::StoreCostResult { src, .. } => *src == reg,
        Op::Write { value, .. } | Op::WriteKey { value, .. } => *value == reg,
        _ => {
            let mut read = false;
            op.for_each_read(|other| read |= other == reg);
            read
        }
    }
}

/// What one item does with the suspects, by number.
#[derive(Clone, Debug, Default)]
struct ZoneUses {
    /// A deck begins there, or the name stands for something else somewhere: nothing is told of it.
    left_out: BTreeSet<usize>,
    /// Where they are read.
    reads: Vec<(usize, Span)>,
}

/// Zones that may turn out to be filled by nothing, and what each item does with them: an edit is looked at alone.
#[derive(Debug, Default)]
pub struct UnfilledZones {
    /// By name: number, and where it is declared.
    zones: BTreeMap<SmolStr, (usize, Span)>,
    /// What is known of the items that do something with them, by the number that was given to each.
    facts: BTreeMap<u32, ZoneUses>,
}

impl UnfilledZones {
    /// The zones of a game that none of the `filled` ones is. `lasting`: items that stay as long as this does; their decks begin where they begin.
    pub fn new(names: &NameTable<'_>, filled: &BTreeSet<usize>, lasting: &[&Item]) -> Self {
        let empty = names.zones.iter().enumerate().filter(|(number, (name, settings))| {
            // What is used waits on the list by itself; the game begins with the deck.
            let list = settings.iter().flatten().any(|setting| setting.text == "list");
            !(filled.contains(number) || list || name.text == "deck")
        });
        let mut zones: BTreeMap<SmolStr, (usize, Span)> =
            empty.map(|(number, (name, _))| (name.text.clone(), (number, name.span))).collect();
        for item in lasting {
            if zones.is_empty() {
                break;
            }
            // Decks tell of most zones.
            dealt(item, &mut |zone| {
                zones.remove(zone);
            });
        }
        Self { zones, facts: BTreeMap::new() }
    }

    /// Takes items in, under a number each.
    pub fn add(&mut self, items: &[(u32, &Item)]) {
        if self.zones.is_empty() {
            return;
        }
        let zones = &self.zones;
        let look = |(number, item): &(u32, &Item)| (*number, look(item, zones));
        let found: Vec<(u32, ZoneUses)> = items.par_iter().with_min_len(CHUNK).map(look).collect();
        let telling = found.into_iter().filter(|(_, facts)| !(facts.left_out.is_empty() && facts.reads.is_empty()));
        for (number, mut facts) in telling {
            let known = self.facts.entry(number).or_default();
            known.left_out.append(&mut facts.left_out);
            known.reads.append(&mut facts.reads);
        }
    }

    /// Takes the items of a number out.
    pub fn remove(&mut self, number: u32) {
        self.facts.remove(&number);
    }

    /// Tells where zones are read that nothing fills.
    pub fn tell(&self, filled: &BTreeSet<usize>) -> Vec<Diagnostic> {
        if self.zones.values().all(|(zone, _)| filled.contains(zone)) {
            return Vec::new();
        }
        let out: BTreeSet<usize> = self.facts.values().flat_map(|facts| &facts.left_out).chain(filled).copied().collect();
        let names: BTreeMap<usize, (&SmolStr, Span)> =
            self.zones.iter().map(|(name, (zone, declared))| (*zone, (name, *declared))).collect();
        let reads = self.facts.values().flat_map(|facts| &facts.reads).filter(|(zone, _)| !out.contains(zone));
        let tell = |(zone, span): &(usize, Span)| {
            let (name, declared) = names.get(zone)?;
            let message = format!("nothing puts anything into `{name}`, so nothing is ever there");
            let help = format!("put something there somewhere, `put … into {name}`, or name the zone that is meant");
            Some(Diagnostic::new(&codes::ALWAYS_EMPTY, *span, message).also(*declared, "declared here").help(help))
        };
        reads.filter_map(tell).collect()
    }
}

/// Tells where zones are read that nothing fills. `filled` is what the code fills, by number.
pub fn never_filled(names: &NameTable<'_>, items: &[&Item], filled: &BTreeSet<usize>) -> Vec<Diagnostic> {
    let mut suspects = UnfilledZones::new(names, filled, items);
    let numbered: Vec<(u32, &Item)> = items.iter().map(|item| (0, *item)).collect();
    suspects.add(&numbered);
    suspects.tell(filled)
}

/// What an item does with some zones.
fn look(item: &Item, zones: &BTreeMap<SmolStr, (usize, Span)>) -> ZoneUses {
    let told = !matches!(item.kind, ItemKind::Scenario(_) | ItemKind::Text(_) | ItemKind::Foreign(_));
    let mut mentions = Mentions { zones, told, facts: ZoneUses::default() };
    visit::item(item, &mut mentions);
    let mut facts = mentions.facts;
    dealt(item, &mut |zone| facts.left_out.extend(zones.get(zone).map(|(zone, _)| *zone)));
    facts
}

/// Gives the zones in which the cards of a deck begin.
fn dealt(item: &Item, begin: &mut dyn FnMut(&str)) {
    let mut section = |name: &SmolStr| {
        begin(name);
        begin(&format!("{name}_deck"));
    };
    match &item.kind {
        ItemKind::Deck(deck) => deck.sections.iter().for_each(|it| section(&it.name.text)),
        ItemKind::DeckRules(rules) => {
            for rule in rules {
                if let DeckRule::Size { section: name, .. } = rule {
                    section(&name.text);
                }
            }
        }
        ItemKind::Format { differences, .. } => {
            for difference in differences {
                if let DifferenceKind::Add(item) | DifferenceKind::Replace(item) = &difference.kind {
                    dealt(item, begin);
                }
            }
        }
        _ => {}
    }
}

/// Finds where zones are named. One whose name stands for something else anywhere is left out: a local name may hide it.
struct Mentions<'m> {
    zones: &'m BTreeMap<SmolStr, (usize, Span)>,
    told: bool,
    facts: ZoneUses,
}

impl Visitor for Mentions<'_> {
    fn name(&mut self, role: NameRole, name: &Name) {
        let Some((zone, _)) = self.zones.get(&name.text) else { return };
        match role {
            // The position of a scenario is one of these, too.
            NameRole::Binds | NameRole::Parameter => drop(self.facts.left_out.insert(*zone)),
            NameRole::Of(DeclKind::Zone) if !self.told => drop(self.facts.left_out.insert(*zone)),
            NameRole::Word | NameRole::Of(DeclKind::Zone) if self.told => self.facts.reads.push((*zone, name.span)),
            _ => {}
        }
    }
    fn path(&mut self, _: &Path) {}
    fn span(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}
