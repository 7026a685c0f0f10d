//! The entries of the caches of plays, prices and producers as data; that of derived values is [`super::derived::values`]. The modules that use a cache say what its entries depend on: `cost_cache`, `playable_cache`,
//! `refusal_cache` and `pay`.

use super::dependencies::DepSet;
use super::inline_vecs::InlineWords;
use crate::applicability::PlaySet;
use crate::ir::ObjectRef;
use crate::ir::verbs::PUT;
use crate::ir::{FnId, PaymentId, ZoneKindId};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Entries of the cache.
pub(crate) const COST_ENTRIES: usize = 128;

/// A query about an object, for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostQuery {
    pub kind: CostQueryKind,
    pub object: ObjectRef,
    pub player: usize,
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostQueryKind {
    /// The units of a price.
    Price(FnId),
    /// Whether some conditional clause of a payment applies because of the object, or of an ability of it (`true`).
    Conditions(PaymentId, bool),
    /// The units that the object yields as a producer, where nothing is paid for yet.
    Produced(FnId),
}

/// The cache. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostCache(pub(crate) Vec<Option<CostEntry>>);

#[derive(Clone, Debug)]
pub(crate) struct CostEntry {
    pub(crate) query: CostQuery,
    /// The revision at which the result was computed ([`Revisions::current`](super::dependencies::Revisions::current)).
    pub(crate) revision: u64,
    pub(crate) words: InlineWords,
    /// The fuel of the evaluation. Every hit charges it.
    pub(crate) fuel: u64,
}

impl CostQuery {
    pub(crate) fn index(self) -> usize {
        let what = match self.kind {
            CostQueryKind::Price(function) | CostQueryKind::Produced(function) => function.0,
            CostQueryKind::Conditions(payment, for_ability) => !(payment.0 * 2 + u32::from(for_ability)),
        };
        let mixed = what.wrapping_mul(31).wrapping_add(self.object.0).wrapping_mul(31).wrapping_add(self.player as u32);
        mixed.wrapping_mul(0x9E37_79B9) as usize >> 25 & (COST_ENTRIES - 1)
    }
}

/// The cache, and the lists of the enumeration in progress. The memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayableCache {
    pub(crate) zones: Vec<(ZoneKindId, Range<usize>)>,
    /// The objects in these zones, and the plays that each may be for.
    pub(crate) objects: Vec<(ObjectRef, PlaySet)>,
    /// The objects that one play may be for.
    pub(crate) candidates: Vec<PlayCandidate>,
    /// The cache entries.
    pub(crate) cached_zones: Vec<CachedZone>,
}

/// An object that a play may be for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayCandidate {
    pub object: ObjectRef,
    /// Whether its print proves that the play is for it.
    pub applies: bool,
}

/// A cache entry: what a player may play from a zone kind.
#[derive(Clone, Debug)]
pub(crate) struct CachedZone {
    pub(crate) kind: ZoneKindId,
    pub(crate) player: usize,
    /// The revision at which the entry was last valid ([`DerivedValues::revisions`]).
    pub(crate) revision: u64,
    /// All objects in the zone.
    pub(crate) items: Vec<u32>,
    /// Those that the player may play.
    pub(crate) objects: Vec<PlayableObject>,
}

/// An object in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayableObject {
    pub(crate) object: ObjectRef,
    /// The plays that it may be for by its print (see [`applicability`]). All plays if its words and keywords differ from its
    /// print, or if it has several faces.
    pub(crate) plays: PlaySet,
    /// The key of the plays that a turn position refuses to its print, or `None` if its print does not apply.
    pub(crate) refusal_key: Option<DefinitionInZone>,
}

/// The index of a turn position in the cache, or `None` if it is not cached.
pub(crate) type TurnPositionId = Option<usize>;

/// The cache of refusals. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusalCache {
    pub(crate) by_turn_position: Vec<RefusalEntry>,
    /// For each definition in each zone kind from which something is played, its small number plus one; 0 if it has none yet.
    pub(crate) definition_numbers: Vec<u16>,
    /// How many small numbers are assigned.
    pub(crate) numbered_definitions: u16,
    /// For each play and player, two cached results for the current state: whether its object filter, and whether its condition,
    /// is false for all objects.
    pub(crate) by_state: Vec<Option<CachedRefusal>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RefusalEntry {
    pub(crate) active: u32,
    pub(crate) periods: Vec<u32>,
    /// For each player, the numbers of the activated abilities that are not refused; `None` if not computed yet.
    pub(crate) open_abilities: Vec<Option<Arc<[u32]>>>,
    /// For each player, a mask of the plays of the format that are refused; `None` if not computed yet.
    pub(crate) refused_plays: Vec<Option<u64>>,
    /// For each definition in a zone kind (by its small number) and player, a mask of the plays that are refused for its print;
    /// `None` if not computed yet.
    pub(crate) refused_for_print: Vec<Option<u64>>,
}

/// The guards of the state rules. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleGuards(pub(crate) Vec<Option<RuleGuard>>);

/// The guard of a state rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleGuard {
    /// The rule does nothing while no object has this status.
    Status(u16),
    /// The rule may act in any state.
    Unguarded,
}

/// The cache key of a definition in a zone kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DefinitionInZone {
    /// The small number.
    pub(crate) number: u16,
    pub(crate) definition: u32,
    pub(crate) zone: ZoneKindId,
    /// A mask of the plays from the zone kind.
    pub(crate) plays_from_zone: u64,
}

/// Whether a play is refused. Valid as long as the dependencies are unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedRefusal {
    pub(crate) is_refused: bool,
    pub(crate) revision: u64,
    pub(crate) dependencies: DepSet,
}

impl RefusalEntry {
    pub(crate) fn matches(&self, active: u32, periods: &[u32]) -> bool {
        self.active == active && self.periods == periods && !self.periods.is_empty()
    }
}

/// Sets an element of a list, which grows if necessary.
pub(crate) fn store<T: Clone>(list: &mut Vec<Option<T>>, place: usize, value: T) {
    if list.len() <= place {
        list.resize(place + 1, None);
    }
    list.get_mut(place).into_iter().for_each(|known| *known = Some(value.clone()));
}

/// Cache of the unconditional sources of a player, with the payability of up to 16 prices.
///
/// Key: the player; an entry is for one payment. It is valid while nothing was committed since, or while no prohibition is active and
/// no dependency of the payment has a newer revision.
/// A hit charges the recorded fuel; a miss searches all producers. Debug builds recompute every hit and compare sources and fuel;
/// reference mode does not use the cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProducerCache {
    pub(crate) payment: PaymentId,
    /// The revision at which it was computed ([`DerivedValues::revisions`](crate::vm::derived::values::DerivedValues::revisions)); `None` if a
    /// prohibition was active or fuel ran out.
    pub(crate) revision: Option<u64>,
    /// Number of commits at which it was computed: even sources with unknown dependencies are valid until the next commit.
    pub(crate) commit_count: Option<u32>,
    /// Fuel that the search took. A hit charges it, so that fuel does not depend on the cache.
    pub(crate) fuel: u64,
    pub(crate) sources: PaymentSources,
    /// Whether prices can be paid by these sources, for prices that were queried.
    pub(crate) price_results: Vec<(InlineWords, bool)>,
}

/// The units with which a player can pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaymentSources {
    /// The kinds that pay for a unit of any kind.
    pub(crate) generic: u32,
    /// Kinds of the units in the pool, one element per unit.
    pub(crate) pool: Vec<u32>,
    /// Uses of producers, in the order of preference.
    pub(crate) uses: Vec<ProducerUse>,
}

impl Default for PaymentSources {
    fn default() -> Self {
        Self { generic: u32::MAX, pool: Vec::new(), uses: Vec::new() }
    }
}

/// One way to use a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProducerUse {
    /// The producer.
    pub(crate) it: ObjectRef,
    /// Number of a payment clause, or a play code.
    pub(crate) how: u32,
    /// Index among repeated uses of the same producer by one clause.
    pub(crate) nth: u32,
    /// The kinds of each unit that it yields.
    pub(crate) units: ProducedUnits,
    /// The pool of units that are left over: 0, or the number of a restricted pool, from 1.
    pub(crate) pool: u16,
    /// Uses with a smaller weight are preferred.
    pub(crate) weight: usize,
}

/// The kinds of each unit that a producer use yields.
pub(crate) type ProducedUnits = SmallVec<[u32; 2]>;

/// The hooks of an action that can match an event: bit `n` for hook `n` of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatchingHooks {
    pub(crate) triggers: u64,
    pub(crate) replacements: u64,
    pub(crate) prohibitions: u64,
}

impl MatchingHooks {
    /// All of them.
    pub(crate) const ALL: Self = Self { triggers: u64::MAX, replacements: u64::MAX, prohibitions: u64::MAX };
}

/// The cache of the hooks that can match events of a class (see `hook_classes`).
#[derive(Clone, Debug, Default)]
pub(crate) struct HookClasses {
    of_moves: Vec<Option<MatchingHooks>>,
    of_announcements: Vec<Option<MatchingHooks>>,
}

impl HookClasses {
    /// The classes of an action.
    pub(crate) fn of(&mut self, action: u32) -> &mut Vec<Option<MatchingHooks>> {
        if action == PUT { &mut self.of_moves } else { &mut self.of_announcements }
    }
}
