//! Dependencies of payments and prices, computed once per program.
//!
//! The [`ProducerCache`](crate::vm::cache_entries::ProducerCache) and the [`CostCache`](crate::vm::cache_entries::CostCache) use them to invalidate the sources of
//! a player and the prices of plays. Where a dependency cannot be bounded, the result is `UNKNOWN` or `None`, and the caller does
//! not cache.

use crate::ir::verbs::ANNOUNCE;
use crate::ir::{AbilityKind, FnId, Payment, PaymentId, Place, Play};
use crate::tables::LinkedTables;
use crate::vm::dependencies::DepSet;
use crate::vm::optimized::call_cache::function_dependencies;
use crate::vm::optimized::read_set::ReadSet;
use std::collections::{BTreeMap, BTreeSet};

/// A mask of the parameters of a payment clause that pass the producer.
const PRODUCER: u32 = 1 << 2;

/// Dependencies of the payments and prices of a program, computed when it is linked.
#[derive(Clone, Debug, Default)]
pub(crate) struct PaymentDependencies {
    payments: Vec<PaymentEntry>,
    /// The read set of each price function, relative to the object that is used.
    prices: BTreeMap<FnId, ReadSet>,
    /// The read set of what each producer of a payment clause yields, relative to that producer.
    produced: BTreeMap<FnId, ReadSet>,
    /// The conditions of costs that read other objects than the one that is used.
    costs_of_others: BTreeSet<FnId>,
}

#[derive(Clone, Debug)]
struct PaymentEntry {
    /// What the unconditional sources depend on, in addition to the player.
    sources: DepSet,
    /// The read set of the clauses' conditions, relative to what is paid for.
    conditions: Option<ReadSet>,
}

impl PaymentDependencies {
    pub(crate) fn of(program: &LinkedTables) -> Self {
        let abilities = yielding_dependencies(program);
        let of_payment = |rules: &Payment| PaymentEntry {
            sources: abilities | clause_dependencies(program, rules),
            conditions: condition_reads(program, rules),
        };
        let prices = program.format.plays.iter().chain(activated_plays(program)).filter_map(|play| play.price);
        let produced = program.format.payments.iter().flat_map(|rules| &rules.clauses).map(|clause| clause.produces);
        Self {
            payments: program.format.payments.iter().map(of_payment).collect(),
            prices: prices.filter_map(|price| Some((price, ReadSet::of(program, price, 1)?))).collect(),
            produced: produced.filter_map(|units| Some((units, ReadSet::of(program, units, PRODUCER)?))).collect(),
            costs_of_others: cost_conditions(program).filter(|cost| ReadSet::of(program, *cost, 1).is_none()).collect(),
        }
    }

    /// Returns whether the condition of a cost may read other objects than the one that is used.
    pub(super) fn cost_reads_others(&self, condition: FnId) -> bool {
        self.costs_of_others.contains(&condition)
    }

    pub(super) fn sources(&self, payment: PaymentId) -> DepSet {
        self.payments.get(payment.index()).map_or(DepSet::UNKNOWN, |it| it.sources)
    }

    /// Returns the read set of the function of a clause that says what a producer yields, where nothing is paid for yet.
    pub(super) fn produced(&self, produces: FnId) -> Option<ReadSet> {
        self.produced.get(&produces).copied()
    }

    pub(super) fn conditions(&self, payment: PaymentId) -> Option<ReadSet> {
        self.payments.get(payment.index())?.conditions
    }

    pub(crate) fn price(&self, price: FnId) -> Option<ReadSet> {
        self.prices.get(&price).copied()
    }
}

/// Returns the plays of activated abilities.
fn activated_plays(program: &LinkedTables) -> impl Iterator<Item = &Play> {
    program.activated.iter().filter_map(|(_, ability)| match &program.library.abilities.get(ability.index())?.kind {
        AbilityKind::Activated { play } => Some(&**play),
        _ => None,
    })
}

/// Returns the conditions of all costs apart from prices.
fn cost_conditions(program: &LinkedTables) -> impl Iterator<Item = FnId> {
    let of_plays = program.format.plays.iter().chain(activated_plays(program)).filter_map(|play| play.cost_possible);
    let of_abilities =
        program.cost_abilities.iter().filter_map(|(_, ability)| match &program.library.abilities.get(ability.index())?.kind {
            AbilityKind::Cost { possible, .. } | AbilityKind::CostOption { possible, .. } => *possible,
            _ => None,
        });
    of_plays.chain(of_abilities)
}

/// Returns what a function depends on, or `UNKNOWN` where that cannot be bounded.
fn dependencies_or_unknown(program: &LinkedTables, function: FnId) -> DepSet {
    function_dependencies(program, function).unwrap_or(DepSet::UNKNOWN)
}

/// Returns what the abilities that yield units depend on.
fn yielding_dependencies(program: &LinkedTables) -> DepSet {
    let plays = activated_plays(program).filter(|play| play.produces.is_some());
    let functions: Vec<FnId> =
        plays.flat_map(|play| [play.object_filter, play.condition, play.cost_possible, play.produces]).flatten().collect();
    let hooks = program.hooks.get(ANNOUNCE as usize);
    if !functions.is_empty() && hooks.is_none_or(|hooks| !hooks.prohibitions.is_empty()) {
        return DepSet::UNKNOWN;
    }
    functions.into_iter().fold(DepSet::OBJECTS, |all, function| all | dependencies_or_unknown(program, function))
}

/// Returns what the sources of unconditional clauses and the pool depend on.
fn clause_dependencies(program: &LinkedTables, rules: &Payment) -> DepSet {
    let clauses = rules.clauses.iter().filter(|clause| clause.condition.is_none());
    let functions = clauses.flat_map(|clause| [Some(clause.producers), Some(clause.produces), clause.times]).flatten();
    let pools = rules.pool.iter().flatten().copied().chain(rules.restricted.iter().map(|pool| pool.variable));
    let floating = pools.map(|variable| DepSet::of(Place::Player(variable)));
    functions
        .map(|function| dependencies_or_unknown(program, function))
        .chain(floating)
        .fold(DepSet::NONE, |all, parts| all | parts)
}

/// Returns the read set of the clauses' conditions; `None` if it cannot be bounded.
fn condition_reads(program: &LinkedTables, rules: &Payment) -> Option<ReadSet> {
    let of_pools = rules.restricted.iter().map(|pool| pool.condition);
    let mut conditions = rules.clauses.iter().filter_map(|clause| clause.condition).chain(of_pools);
    // Conditions that read the announcement depend on hypothetical cost options.
    let read_set = |condition| ReadSet::of(program, condition, 1).filter(|looks| !looks.reads_announcement);
    conditions.try_fold(ReadSet::default(), |all, condition| Some(all.union(read_set(condition)?)))
}
