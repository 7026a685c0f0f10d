//! The plays of a game that resolve the texts of cards (`resolve text of it`). Lints use them: they know which cards no play resolves the text of.

use crate::action_effects::NameCollector;
use fizzle_grammar::ast::{Action, Block, DifferenceKind, Item, ItemKind, Name, Path, Play, StatementKind};
use fizzle_grammar::visit::{self, NameRole, Visitor};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// The plays that resolve the texts of objects, in all formats of a game.
#[derive(Clone, Debug, Default)]
pub struct TextResolvers<'a> {
    /// These plays, each with the number of its `resolve text of` statements.
    pub plays: Vec<(&'a Play, usize)>,
    /// Whether an action, a rule or a step resolves texts as well. The lint cannot prove whose, so it reports nothing.
    pub has_other_resolvers: bool,
    /// The actions that these plays call, by name, which no format declares again.
    pub called: BTreeMap<SmolStr, &'a Action>,
    /// The functions that formats declare again.
    pub replaced_functions: BTreeSet<SmolStr>,
}

/// Counts `resolve text of` statements.
struct ResolveTextCounter(usize);

impl Visitor for ResolveTextCounter {
    fn name(&mut self, role: NameRole, name: &Name) {
        self.0 += usize::from(role == NameRole::Verb && name.text == "resolve_text");
    }
    fn path(&mut self, _: &Path) {}
    fn period(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}

fn count_resolve_text(item: &Item) -> usize {
    let mut counted = ResolveTextCounter(0);
    visit::item(item, &mut counted);
    counted.0
}

impl<'a> TextResolvers<'a> {
    /// Collects them from the items of a game.
    pub fn of(items: impl IntoIterator<Item = &'a Item> + Clone) -> Self {
        let mut made = Self::default();
        let mut verbs = NameCollector { role: Some(NameRole::Verb), ..NameCollector::default() };
        for item in items.clone() {
            let elsewhere = match &item.kind {
                ItemKind::Card(_) | ItemKind::Scenario(_) | ItemKind::Text(_) => 0,
                ItemKind::Play(_) => made.add_play(item, 0),
                ItemKind::Format { differences, .. } => {
                    let whole = count_resolve_text(item);
                    differences.iter().fold(whole, |open, difference| match &difference.kind {
                        DifferenceKind::Add(item) | DifferenceKind::Replace(item) => made.add_play(item, open),
                        _ => open,
                    })
                }
                _ => count_resolve_text(item),
            };
            made.has_other_resolvers |= elsewhere > 0;
            if matches!(item.kind, ItemKind::Play(_)) && count_resolve_text(item) > 0 {
                visit::item(item, &mut verbs);
            }
        }
        made.collect_called(items, &verbs.names);
        made
    }

    /// Collects the actions among `verbs`, and the functions that formats declare again.
    fn collect_called(&mut self, items: impl IntoIterator<Item = &'a Item>, verbs: &BTreeSet<SmolStr>) {
        let mut replaced: BTreeSet<SmolStr> = BTreeSet::new();
        for item in items {
            match &item.kind {
                ItemKind::Action(action) if verbs.contains(&action.name.text) => {
                    self.called.insert(action.name.text.clone(), action);
                }
                ItemKind::Format { differences, .. } => {
                    for difference in differences {
                        let (DifferenceKind::Add(item) | DifferenceKind::Replace(item)) = &difference.kind else { continue };
                        match &item.kind {
                            ItemKind::Action(action) => {
                                replaced.insert(action.name.text.clone());
                            }
                            ItemKind::Function { name, .. } => {
                                self.replaced_functions.insert(name.text.clone());
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        self.called.retain(|name, _| !replaced.contains(name));
    }

    /// Whether each text is certainly resolved while its object is on the list: no play does anything else to the object before.
    pub fn resolve_on_list(&self) -> bool {
        let proves = |(play, count): &(&Play, usize)| *count == 1 && !play.immediate && resolves_text_first(&play.body);
        !self.has_other_resolvers && !self.plays.is_empty() && self.plays.iter().all(proves)
    }

    /// Adds a play. Returns how many of the `open` statements are not in it.
    fn add_play(&mut self, item: &'a Item, open: usize) -> usize {
        let ItemKind::Play(play) = &item.kind else { return open };
        let count = count_resolve_text(item);
        if count > 0 {
            self.plays.push((play, count));
        }
        open.saturating_sub(count)
    }
}

/// Whether `resolve text of` is the first event of a block, or of one branch of a condition there.
fn resolves_text_first(block: &Block) -> bool {
    let mut statements = block.statements.iter().map(|statement| &statement.kind);
    match statements.find(|kind| !matches!(kind, StatementKind::Assign { .. } | StatementKind::Let { .. })) {
        Some(StatementKind::Calls(calls)) => calls.first().is_some_and(|call| call.verb.text == "resolve_text"),
        Some(StatementKind::If { then, otherwise, .. }) => {
            resolves_text_first(then) || otherwise.as_ref().is_some_and(resolves_text_first)
        }
        _ => false,
    }
}
