//! What continuous effects and state rules look at: writing or moving anything else changes neither derived values nor whether a rule is due.

use crate::ir::verbs::BUILTINS;
use crate::ir::{AbilityKind, ActionId, Change, EventPattern, FnId, Library, Modification, Op, Place, has_zone};
use crate::program::Program;
use std::collections::BTreeSet;

/// What the conditions, selectors and values of changes look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadMask {
    /// Anything: no change may be left out.
    pub all: bool,
    /// Whose turn it is, and which.
    pub turn: bool,
    /// Which spans are open.
    pub spans: bool,
    /// Where objects lie: in which order and pile, announced by whom, with which face, and who takes part.
    pub places: bool,
    /// Objects besides those that it is asked about.
    pub others: bool,
    /// Objects that statuses and variables name, wherever they are.
    pub named: bool,
    /// What nothing forbids: wherever something moves, and always while a continuous effect forbids anything.
    pub possible: bool,
    /// Bit per zone kind whose objects it looks through.
    pub zones: u32,
    statuses: u128,
    players: u128,
    globals: u128,
}

impl ReadMask {
    /// Both together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            all: self.all || other.all,
            turn: self.turn || other.turn,
            spans: self.spans || other.spans,
            places: self.places || other.places,
            others: self.others || other.others,
            named: self.named || other.named,
            possible: self.possible || other.possible,
            zones: self.zones | other.zones,
            statuses: self.statuses | other.statuses,
            players: self.players | other.players,
            globals: self.globals | other.globals,
        }
    }

    /// The bit of a variable; those from 127 on share one.
    #[must_use]
    pub fn bit(n: u16) -> u128 {
        1 << n.min(127)
    }

    /// Whether writing a place may change derived values.
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        let has = |mask: u128, n: u16| mask & Self::bit(n) != 0;
        self.all
            || match place {
                Place::Status(n) => has(self.statuses, n),
                Place::Player(n) => has(self.players, n),
                Place::Global(n) => has(self.globals, n),
                _ => true,
            }
    }

    /// Whether objects of a zone kind are looked at.
    #[must_use]
    pub fn reads_zone(&self, kind: usize) -> bool {
        self.all || has_zone(self.zones, kind)
    }

    /// What each change of a library looks at, the condition of its ability included.
    #[must_use]
    pub fn of_mods(library: &Library) -> Vec<Self> {
        let mut all = library.mods.by_number(|change| change.map_or_else(Self::default, |change| Self::of_mod(library, change)));
        for ability in library.abilities.present() {
            let AbilityKind::Static { condition: Some(condition), mods } = &ability.kind else { continue };
            let mut watch = Self::of(library, &[*condition]);
            watch.all |= watch.places;
            for change in mods {
                if let Some(known) = all.get_mut(change.index()) {
                    *known = known.union(watch);
                }
            }
        }
        all
    }

    fn of_mod(library: &Library, change: &Modification) -> Self {
        let roots = super::program::roots_of(change);
        let mut watch = Self::of(library, &roots);
        if change.selector.is_some() {
            watch.zones |= change.zones;
        }
        // An effect that remembers an object may read it wherever it is.
        let remembers = |id: &FnId| {
            let function = library.functions.get(id.index());
            let params = function.map_or(&[][..], |f| f.registers.get(2..usize::from(f.params)).unwrap_or(&[]));
            params.split_last().is_some_and(|(_, captures)| captures.iter().any(|ty| ty.is_reference()))
        };
        // Derived values are not looked at again wherever something moves.
        watch.all |= watch.places || roots.iter().any(remembers);
        if let Change::Cannot(_) | Change::Clause(_) = change.change {
            // What it forbids is asked when it matters.
            watch.all = false;
        }
        watch
    }

    /// What the body of a rule looks at before it does anything. Where it asks whether something is possible, that is what those look at
    /// who forbid it.
    #[must_use]
    pub fn of_body(program: &Program, body: FnId) -> Self {
        let mut asked = BTreeSet::new();
        let mut watch = Self::gather(&program.library, &[body], &mut asked);
        let mut known = BTreeSet::new();
        while let Some(action) = asked.pop_first() {
            if !known.insert(action) {
                continue;
            }
            watch.possible = true;
            // It is asked about as something else.
            watch.all |= program.format.treats.iter().any(|treat| treat.action == action);
            for hook in program.hooks.get(action.index()).map_or(&[][..], |hooks| &hooks.prohibitions) {
                let ability = program.library.abilities.get(hook.ability.index());
                if let Some(AbilityKind::Prohibition { pattern: EventPattern { filter: Some(filter), .. } }) =
                    ability.map(|it| &it.kind)
                {
                    watch = watch.union(Self::gather(&program.library, &[*filter], &mut asked));
                }
            }
        }
        watch
    }

    /// Whether something was written that is looked at: masks of statuses, players' variables and variables of the game.
    #[must_use]
    pub fn meets(&self, statuses: u128, players: u128, globals: u128) -> bool {
        self.all || self.statuses & statuses != 0 || self.players & players != 0 || self.globals & globals != 0
    }

    /// Whether it looks at what leaves zones of some kinds and comes to others, a bit for each.
    #[must_use]
    pub fn reads_moves(&self, kinds: u32) -> bool {
        self.all || self.places || self.named || self.possible || self.zones & kinds != 0
    }

    fn of(library: &Library, roots: &[FnId]) -> Self {
        let mut asked = BTreeSet::new();
        let watch = Self::gather(library, roots, &mut asked);
        Self { all: watch.all || !asked.is_empty(), ..watch }
    }

    /// What functions look at; `asked` are the actions of which they ask whether they are possible.
    fn gather(library: &Library, roots: &[FnId], asked: &mut BTreeSet<ActionId>) -> Self {
        let mut watch = Self::default();
        let mut open = roots.to_vec();
        let mut seen: BTreeSet<FnId> = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(function) = library.functions.get(id.index()) else { continue };
            for op in &function.ops {
                let made = op.written().and_then(|dst| function.registers.get(usize::from(dst)));
                let is_named = made.is_some_and(|ty| ty.is_reference() || ty.is_list());
                watch.others |= is_named;
                watch.named |= is_named && matches!(op, Op::Get { .. } | Op::GetKey { .. } | Op::NextKey { .. });
                match op {
                    Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => open.push(*function),
                    Op::Filter { filter, .. } => open.push(*filter),
                    Op::Fold { value, .. } => open.push(*value),
                    Op::IsAllowed { action, .. } => {
                        asked.insert(*action);
                    }
                    _ => {}
                }
                watch.look(op);
            }
        }
        watch
    }

    fn look(&mut self, op: &Op) {
        let mut mark = |mask: fn(&mut Self) -> &mut u128, n: u16| *mask(self) |= Self::bit(n);
        match op {
            Op::Get { place: Place::Status(n), .. }
            | Op::GetKey { place: Place::Status(n), .. }
            | Op::NextKey { place: Place::Status(n), .. } => mark(|w| &mut w.statuses, *n),
            Op::Get { place: Place::Player(n), .. }
            | Op::GetKey { place: Place::Player(n), .. }
            | Op::NextKey { place: Place::Player(n), .. } => mark(|w| &mut w.players, *n),
            Op::Get { place: Place::Global(n), .. } => mark(|w| &mut w.globals, *n),
            Op::Get { place: Place::Host | Place::SourceOf | Place::Face, .. } => self.places = true,
            Op::ZoneOf { zone, .. } | Op::AllInZone { zone, .. } | Op::InZone { zone, .. } => {
                self.zones |= 1u32 << zone.index().min(31);
            }
            // The order of players begins with the active one.
            Op::Active { .. } | Op::Players { .. } => self.turn = true,
            Op::InSpan { .. } => self.spans = true,
            Op::Builtin { builtin, .. } => match BUILTINS.get(usize::from(*builtin)).map_or("", |row| row.name) {
                "min" | "max" | "price" | "generic" | "plus" | "reduced" | "units" | "units_of" | "without_units"
                | "at_least" | "one_of" | "words_count" | "created" | "faces" | "is_somebody" | "zone_kind" | "game_number"
                | "loser_before" => {}
                "turn_number" | "extra_turn_number" => self.turn = true,
                "is_playing" | "list_size" | "list_top" | "place_of" | "pile_size" | "is_ability" | "is_triggered" | "user"
                | "came_from" => {
                    self.places = true;
                }
                _ => self.all = true,
            },
            _ => {}
        }
    }
}
