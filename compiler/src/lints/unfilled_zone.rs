//! Lint: zones that are read although nothing is ever put into them.

use crate::diagnostics::{Diagnostic, codes};
use crate::names::NameTable;
use crate::relation_zones::relation_of;
use fizzle_grammar::ast::{DeckRule, DifferenceKind, Item, ItemKind, Name, Path, Span};
use fizzle_grammar::visit::{self, DeclKind, NameRole, Visitor};
use fizzle_ir::Reg;
use fizzle_ir::op::{Function, Op};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of items per parallel task.
const MIN_ITEMS_PER_TASK: usize = 512;

/// The zones that some code may put something into, by number: those whose value the code uses for more than reading.
///
/// A zone value is produced by [`Op::ZoneOf`], or it is the zone of an object, which then contains something already.
pub fn filled_zones(functions: &[Function]) -> BTreeSet<usize> {
    let mut filled = BTreeSet::new();
    for function in functions {
        for op in &function.ops {
            if let Op::ZoneOf { dst, zone, .. } = op
                && function.ops.iter().any(|op| uses_beyond_reading(op, *dst))
            {
                filled.insert(zone.index());
            }
        }
    }
    filled
}

/// Whether an operation uses the value of a register for more than reading the zone.
fn uses_beyond_reading(op: &Op, reg: Reg) -> bool {
    match op {
        Op::ZoneOf { .. } | Op::ZoneList { .. } | Op::Binary { .. } | Op::Filter { .. } | Op::Fold { .. } => false,
        Op::Propose { events, .. } => events.iter().any(|event| event.args.contains(&reg)),
        Op::BeginEffect { captures, .. } | Op::Become { captures, .. } | Op::Trigger { captures, .. } => captures.contains(&reg),
        Op::Use { args, .. } => args.contains(&reg),
        Op::StoreCostResult { src, .. } => *src == reg,
        Op::Write { value, .. } | Op::WriteKey { value, .. } => *value == reg,
        op if op.is_statement() => false,
        op => {
            let mut read = false;
            op.for_each_read(|other| read |= other == reg);
            read
        }
    }
}

/// What one item does with the zones in question, by their numbers.
#[derive(Clone, Debug, Default)]
struct ZoneUses {
    /// Zones in which a deck begins, or whose name also means something else here: nothing is reported about them.
    excluded: BTreeSet<usize>,
    /// The places where zones are read.
    reads: Vec<(usize, Span)>,
}

/// Zones that may be filled by nothing, with their uses per item. After an edit only the edited items are scanned again.
#[derive(Debug, Default)]
pub struct UnfilledZones {
    /// By name: the number, and the place of the declaration.
    zones: BTreeMap<SmolStr, (usize, Span)>,
    /// The uses of each item that has any, by the number that the caller gave the item.
    uses: BTreeMap<u32, ZoneUses>,
}

impl UnfilledZones {
    /// Collects the zones of a game that are not in `filled`. `lasting`: items that are never removed; zones in which their decks begin
    /// are excluded.
    pub fn new(names: &NameTable<'_>, filled: &BTreeSet<usize>, lasting: &[&Item]) -> Self {
        let empty = names.zones.iter().enumerate().filter(|(number, (name, settings))| {
            // The machine puts used objects onto the list, and decks into `deck`.
            let list = settings.iter().flatten().any(|setting| setting.text == "list");
            !(filled.contains(number) || list || name.text == "deck")
        });
        let mut zones: BTreeMap<SmolStr, (usize, Span)> =
            empty.map(|(number, (name, _))| (name.text.clone(), (number, name.span))).collect();
        for item in lasting {
            if zones.is_empty() {
                break;
            }
            // Decks exclude most zones.
            for_each_deck_zone(item, &mut |zone| {
                zones.remove(zone);
            });
        }
        Self { zones, uses: BTreeMap::new() }
    }

    /// Adds items, each under a number.
    pub fn add(&mut self, items: &[(u32, &Item)]) {
        if self.zones.is_empty() {
            return;
        }
        let zones = &self.zones;
        let look = |(number, item): &(u32, &Item)| (*number, zone_uses(item, zones));
        let found: Vec<(u32, ZoneUses)> = items.par_iter().with_min_len(MIN_ITEMS_PER_TASK).map(look).collect();
        let telling = found.into_iter().filter(|(_, facts)| !(facts.excluded.is_empty() && facts.reads.is_empty()));
        for (number, mut facts) in telling {
            let known = self.uses.entry(number).or_default();
            known.excluded.append(&mut facts.excluded);
            known.reads.append(&mut facts.reads);
        }
    }

    /// Removes the items of a number.
    pub fn remove(&mut self, number: u32) {
        self.uses.remove(&number);
    }

    /// Reports where zones are read that nothing fills. `filled`: the zones that the code fills, by number.
    pub fn report(&self, filled: &BTreeSet<usize>) -> Vec<Diagnostic> {
        if self.zones.values().all(|(zone, _)| filled.contains(zone)) {
            return Vec::new();
        }
        let out: BTreeSet<usize> = self.uses.values().flat_map(|facts| &facts.excluded).chain(filled).copied().collect();
        let names: BTreeMap<usize, (&SmolStr, Span)> =
            self.zones.iter().map(|(name, (zone, declared))| (*zone, (name, *declared))).collect();
        let reads = self.uses.values().flat_map(|facts| &facts.reads).filter(|(zone, _)| !out.contains(zone));
        let diagnostic = |(zone, span): &(usize, Span)| {
            let (name, declared) = names.get(zone)?;
            let (message, help) = match relation_of(name) {
                Some(relation) => (
                    format!("no relationship `{relation}` is ever created, so there is none"),
                    format!("write a statement `create {relation}(…)`"),
                ),
                None => (
                    format!("nothing is ever put into `{name}`, so it is always empty"),
                    format!("write a statement `put … into {name}`, or name another zone"),
                ),
            };
            Some(Diagnostic::new(&codes::ALWAYS_EMPTY, *span, message).also(*declared, "declared here").help(help))
        };
        reads.filter_map(diagnostic).collect()
    }
}

/// The uses of zones in an item.
fn zone_uses(item: &Item, zones: &BTreeMap<SmolStr, (usize, Span)>) -> ZoneUses {
    let counts_reads = !matches!(
        item.kind,
        ItemKind::Scenario(_) | ItemKind::Position(_) | ItemKind::Stage(_) | ItemKind::Text(_) | ItemKind::Foreign(_)
    );
    let mut mentions = ZoneMentions { zones, counts_reads, uses: ZoneUses::default() };
    visit::item(item, &mut mentions);
    let mut facts = mentions.uses;
    for_each_deck_zone(item, &mut |zone| facts.excluded.extend(zones.get(zone).map(|(zone, _)| *zone)));
    facts
}

/// Calls `begin` with the name of each zone in which cards of a deck begin.
fn for_each_deck_zone(item: &Item, begin: &mut dyn FnMut(&str)) {
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
                    for_each_deck_zone(item, begin);
                }
            }
        }
        _ => {}
    }
}

/// Collects where zones are named. A name that is also bound as a local or parameter is excluded, because the local hides the zone.
struct ZoneMentions<'m> {
    zones: &'m BTreeMap<SmolStr, (usize, Span)>,
    counts_reads: bool,
    uses: ZoneUses,
}

impl Visitor for ZoneMentions<'_> {
    fn name(&mut self, role: NameRole, name: &Name) {
        let Some((zone, _)) = self.zones.get(&name.text) else { return };
        match role {
            // The names in the position of a scenario have these roles, too.
            NameRole::Binds | NameRole::Parameter => drop(self.uses.excluded.insert(*zone)),
            NameRole::RefersTo(DeclKind::Zone) if !self.counts_reads => drop(self.uses.excluded.insert(*zone)),
            NameRole::Word | NameRole::RefersTo(DeclKind::Zone) if self.counts_reads => self.uses.reads.push((*zone, name.span)),
            _ => {}
        }
    }
    fn path(&mut self, _: &Path) {}
    fn period(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}
