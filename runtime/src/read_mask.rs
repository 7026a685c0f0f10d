//! Read masks: which statuses, variables, zones and turn facts continuous effects and state rules read.
//!
//! A write or move outside of the mask invalidates neither derived values nor state rules. Masks are computed at link time. The
//! mask of a rule covers the pure code of its body. What its statements read is left out, because a rule that executed a
//! statement stays dirty anyway. Unknown reads set `all`, which disables the optimisation for that rule or effect.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::operands::StateRead;
use crate::ir::verbs::{BuiltinFunction, BuiltinReads};
use crate::ir::{AbilityKind, ActionId, Change, EventPattern, FnId, Library, Modification, Op, Place, has_zone};
use crate::tables::LinkedTables;
use std::collections::BTreeSet;

/// What the conditions, selectors and values of modifications or rules read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadMask {
    /// Anything: every change is relevant.
    pub all: bool,
    /// The active player, or the number of the turn.
    pub turn: bool,
    /// The open periods.
    pub periods: bool,
    /// Where objects are (order, pile), how they were announced, which face they show, or which players take part.
    pub places: bool,
    /// Objects other than the one that is evaluated.
    pub other_objects: bool,
    /// Objects that statuses and variables refer to, in any zone.
    pub referenced_objects: bool,
    /// Whether an event is allowed. This depends on every move, and on everything while a continuous effect forbids anything.
    pub queries_legality: bool,
    /// A mask of the zone kinds whose contents are read.
    pub zones: u32,
    statuses: u128,
    players: u128,
    globals: u128,
}

impl ReadMask {
    /// Returns the union of two masks.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            all: self.all || other.all,
            turn: self.turn || other.turn,
            periods: self.periods || other.periods,
            places: self.places || other.places,
            other_objects: self.other_objects || other.other_objects,
            referenced_objects: self.referenced_objects || other.referenced_objects,
            queries_legality: self.queries_legality || other.queries_legality,
            zones: self.zones | other.zones,
            statuses: self.statuses | other.statuses,
            players: self.players | other.players,
            globals: self.globals | other.globals,
        }
    }

    /// Returns the bit of a status or variable. Numbers from 127 on share one.
    #[must_use]
    pub fn bit(n: u16) -> u128 {
        1 << n.min(127)
    }

    /// Returns whether writing a place may change derived values.
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        let has = |mask: u128, n: u16| mask & Self::bit(n) != 0;
        self.all
            || match place {
                Place::Status(n) => has(self.statuses, n),
                Place::Player(n) => has(self.players, n),
                Place::Global(n) => has(self.globals, n),
                Place::Property(_)
                | Place::Printed(_)
                | Place::Words(_)
                | Place::Owner
                | Place::Controller
                | Place::Zone
                | Place::Definition
                | Place::SourceOf
                | Place::Host
                | Place::Face => true,
            }
    }

    /// Returns whether objects of a zone kind are read.
    #[must_use]
    pub fn reads_zone(&self, kind: usize) -> bool {
        self.all || has_zone(self.zones, kind)
    }

    /// Returns what each modification of a library reads, including the condition of its ability.
    #[must_use]
    pub fn of_modifications(library: &Library) -> Vec<Self> {
        let mut all = library
            .modifications
            .by_number(|change| change.map_or_else(Self::default, |change| Self::of_modification(library, change)));
        for ability in library.abilities.present() {
            let AbilityKind::Static { condition: Some(condition), modifications: mods } = &ability.kind else { continue };
            let mut mask = Self::of(library, &[*condition]);
            mask.all |= mask.places;
            for change in mods {
                if let Some(known) = all.get_mut(change.index()) {
                    *known = known.union(mask);
                }
            }
        }
        all
    }

    fn of_modification(library: &Library, change: &Modification) -> Self {
        let roots = super::tables::roots_of(change);
        let mut mask = Self::of(library, &roots);
        if change.selector.is_some() {
            mask.zones |= change.zones;
        }
        // An effect that captured an object may read it in any zone.
        let captures_object = |id: &FnId| {
            let function = library.functions.get(id.index());
            let params = function.map_or(&[][..], |f| f.registers.get(2..usize::from(f.params)).unwrap_or(&[]));
            params.split_last().is_some_and(|(_, captures)| captures.iter().any(|ty| ty.is_reference()))
        };
        // Derived values are not invalidated by every move.
        mask.all |= mask.places || roots.iter().any(captures_object);
        if let Change::Prohibit(_) | Change::ConstrainDeclarations(_) = change.change {
            // The prohibition or clause itself is evaluated when it matters, not stored with derived values.
            mask.all = false;
        }
        mask
    }

    /// Returns what the pure code in the body of a state rule reads. For a legality query, this includes what the prohibitions of
    /// the action read.
    #[must_use]
    pub fn of_body(program: &LinkedTables, body: FnId) -> Self {
        let mut queried = BTreeSet::new();
        let mut mask = Self::gather(&program.library, &[body], &mut queried);
        let mut known = BTreeSet::new();
        while let Some(action) = queried.pop_first() {
            if !known.insert(action) {
                continue;
            }
            mask.queries_legality = true;
            // The action is treated as another one.
            mask.all |= program.format.action_aliases.iter().any(|treat| treat.action == action);
            let conditions = program.format.actions.get(action.index()).map_or(&[][..], |action| &action.cost_conditions);
            mask = mask.union(Self::gather(&program.library, conditions, &mut queried));
            for hook in program.hooks.get(action.index()).map_or(&[][..], |hooks| &hooks.prohibitions) {
                let ability = program.library.abilities.get(hook.ability.index());
                if let Some(AbilityKind::Prohibition { pattern: EventPattern { filter: Some(filter), .. } }) =
                    ability.map(|it| &it.kind)
                {
                    mask = mask.union(Self::gather(&program.library, &[*filter], &mut queried));
                }
            }
        }
        mask
    }

    /// Returns the statuses that are read, ascending. Statuses that share a bit of the mask are left out.
    pub(crate) fn statuses(self) -> impl Iterator<Item = u16> {
        (0..127).filter(move |status| self.statuses >> status & 1 != 0)
    }

    /// Returns whether any of the written places is read. The masks are of statuses, player variables and variables of the game.
    #[must_use]
    pub fn intersects(&self, statuses: u128, players: u128, globals: u128) -> bool {
        self.all || self.statuses & statuses != 0 || self.players & players != 0 || self.globals & globals != 0
    }

    /// Returns whether moves between zone kinds, a mask, are read.
    #[must_use]
    pub fn reads_moves(&self, kinds: u32) -> bool {
        self.all || self.places || self.referenced_objects || self.queries_legality || self.zones & kinds != 0
    }

    fn of(library: &Library, roots: &[FnId]) -> Self {
        let mut queried = BTreeSet::new();
        let mask = Self::gather(library, roots, &mut queried);
        Self { all: mask.all || !queried.is_empty(), ..mask }
    }

    /// Returns what functions read. Adds the actions whose legality they query to `queried`.
    fn gather(library: &Library, roots: &[FnId], queried: &mut BTreeSet<ActionId>) -> Self {
        let mut mask = Self::default();
        library.for_each_op(roots, |function, op| {
            let result_type = op.destination().and_then(|dst| function.registers.get(usize::from(dst)));
            let is_reference = result_type.is_some_and(|ty| ty.is_reference() || ty.is_list());
            mask.other_objects |= is_reference;
            mask.referenced_objects |= is_reference && matches!(op, Op::Get { .. } | Op::GetKey { .. } | Op::NextKey { .. });
            if let Op::IsAllowed { action, .. } = op {
                queried.insert(*action);
            }
            mask.add_op(op);
        });
        mask
    }

    fn add_op(&mut self, op: &Op) {
        let mut mark = |mask: fn(&mut Self) -> &mut u128, n: u16| *mask(self) |= Self::bit(n);
        match op.state_read() {
            StateRead::Place(Place::Status(n)) => mark(|w| &mut w.statuses, n),
            StateRead::Place(Place::Player(n)) => mark(|w| &mut w.players, n),
            StateRead::Place(Place::Global(n)) => mark(|w| &mut w.globals, n),
            StateRead::Place(Place::Host | Place::SourceOf | Place::Face) => self.places = true,
            StateRead::Zone(zone) | StateRead::ZoneContents(Some(zone)) => self.zones |= 1u32 << zone.index().min(31),
            // The order of players begins with the active one.
            StateRead::ActivePlayer => self.turn = true,
            StateRead::Periods => self.periods = true,
            StateRead::Builtin(builtin) => match BuiltinFunction::from_number(builtin).map(BuiltinFunction::reads) {
                Some(BuiltinReads::Arguments | BuiltinReads::Match | BuiltinReads::Object) => {}
                Some(BuiltinReads::Turn) => self.turn = true,
                Some(BuiltinReads::Players | BuiltinReads::Objects | BuiltinReads::Announcements) => self.places = true,
                Some(BuiltinReads::Unknown) | None => self.all = true,
            },
            // Values of the evaluated object are not in the mask, and reads of others are `other_objects`. Zones of any kind are
            // computed by other operations. Queried actions are collected apart; what statements read is left out.
            StateRead::Nothing
            | StateRead::Place(
                Place::Property(_)
                | Place::Printed(_)
                | Place::Words(_)
                | Place::Owner
                | Place::Controller
                | Place::Zone
                | Place::Definition,
            )
            | StateRead::Words(_)
            | StateRead::Keyword(_)
            | StateRead::Name
            | StateRead::Existence
            | StateRead::ZoneContents(None)
            | StateRead::Legality
            | StateRead::Concealed
            | StateRead::Statement => {}
        }
    }
}
