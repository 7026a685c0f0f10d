//! What paying looks at: what was found out of sources and prices holds until something of that changes.

use crate::ir::verbs::ANNOUNCE;
use crate::ir::{AbilityKind, FnId, Payment, PaymentId, Place, Play};
use crate::program::Program;
use crate::vm::dependencies::DepSet;
use crate::vm::optimized::{ReadSet, parts_read};
use std::collections::BTreeMap;

/// What the payments and prices of a program look at, as far as that can be told; found as it is linked.
#[derive(Clone, Debug, Default)]
pub(crate) struct PaymentDependencies {
    payments: Vec<PaymentEntry>,
    /// What prices look at, apart from what is used.
    prices: BTreeMap<FnId, ReadSet>,
}

#[derive(Clone, Debug)]
struct PaymentEntry {
    /// What the sources hang on that do not depend on what is paid for, besides who pays.
    sources: DepSet,
    /// What the conditions of its clauses look at, apart from what is paid for.
    conditions: Option<ReadSet>,
}

impl PaymentDependencies {
    pub(crate) fn of(program: &Program) -> Self {
        let abilities = yielding(program);
        let of_payment = |rules: &Payment| PaymentEntry {
            sources: abilities | of_clauses(program, rules),
            conditions: of_conditions(program, rules),
        };
        let prices = program.format.plays.iter().chain(activated(program)).filter_map(|play| play.price);
        Self {
            payments: program.format.payments.iter().map(of_payment).collect(),
            prices: prices.filter_map(|price| Some((price, ReadSet::of(program, price, 1)?))).collect(),
        }
    }

    pub(super) fn sources(&self, payment: PaymentId) -> DepSet {
        self.payments.get(payment.index()).map_or(DepSet::UNKNOWN, |it| it.sources)
    }

    pub(super) fn conditions(&self, payment: PaymentId) -> Option<ReadSet> {
        self.payments.get(payment.index())?.conditions
    }

    pub(crate) fn price(&self, price: FnId) -> Option<ReadSet> {
        self.prices.get(&price).copied()
    }
}

/// The plays of activated abilities.
fn activated(program: &Program) -> impl Iterator<Item = &Play> {
    program.activated.iter().filter_map(|(_, ability)| match &program.library.abilities.get(ability.index())?.kind {
        AbilityKind::Activated { play } => Some(&**play),
        _ => None,
    })
}

fn read(program: &Program, function: FnId) -> DepSet {
    parts_read(program, function).unwrap_or(DepSet::UNKNOWN)
}

/// What it hangs on which abilities yield units.
fn yielding(program: &Program) -> DepSet {
    let plays = activated(program).filter(|play| play.yields.is_some());
    let functions: Vec<FnId> =
        plays.flat_map(|play| [play.object_filter, play.condition, play.cost_possible, play.yields]).flatten().collect();
    let hooks = program.hooks.get(ANNOUNCE as usize);
    if !functions.is_empty() && hooks.is_none_or(|hooks| !hooks.prohibitions.is_empty()) {
        return DepSet::UNKNOWN;
    }
    functions.into_iter().fold(DepSet::OBJECTS, |all, function| all | read(program, function))
}

/// What the sources hang on that clauses without a condition name, and what floats.
fn of_clauses(program: &Program, rules: &Payment) -> DepSet {
    let clauses = rules.clauses.iter().filter(|clause| clause.condition.is_none());
    let functions = clauses.flat_map(|clause| [Some(clause.producers), Some(clause.yields), clause.times]).flatten();
    let floating = rules.pool.iter().flatten().map(|variable| DepSet::of(Place::Player(*variable)));
    functions.map(|function| read(program, function)).chain(floating).fold(DepSet::NONE, |all, parts| all | parts)
}

/// What the conditions look at; nothing where that cannot be told.
fn of_conditions(program: &Program, rules: &Payment) -> Option<ReadSet> {
    let mut conditions = rules.clauses.iter().filter_map(|clause| clause.condition);
    // What is announced hangs on the options that are thought of.
    let looks = |condition| ReadSet::of(program, condition, 1).filter(|looks| !looks.announced);
    conditions.try_fold(ReadSet::default(), |all, condition| Some(all.and(looks(condition)?)))
}
