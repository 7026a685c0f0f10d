//! A program: a library and one of its formats, linked for the cards of a match.
//!
//! Linking numbers the units that can occur in the match densely, so that an object's abilities are a few words of bits, and
//! computes for every action which abilities could hook it.

mod row_access;

use crate::applicability::{self, PlaySet, PrintedRow};
use crate::ir::verbs::{ATTACH, CEASE, PUT};
use crate::ir::{
    AbilityBundleId, AbilityId, AbilityKind, ActionId, AnnounceStage, Change, CompiledGame, DefId, FnId, Format, Function,
    Library, Modification, Op, Period, Place, Play, Type, Variable, ZoneKindId,
};
use crate::liveness::{Liveness, LivenessTable};
use crate::reachability::{FormatTables, ReachableSet};
use crate::read_mask::ReadMask;
use crate::specialize::SpecializedCode;
use crate::state::layout::Layout;
use crate::vm::bulk_commit;
use crate::vm::optimized::OptimizedFunctions;
use crate::vm::pay::PaymentDependencies;
use crate::vm::scratch::ScratchPool;
pub use row_access::RowAccess;
pub(crate) use row_access::roots_of;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The action by which a player leaves a game that goes on without them.
pub const LEAVE_GAME_ACTION: &str = "leave_game";

/// The action by which a card leaves the list that is not carried out, or has been.
pub(crate) const REMOVE_FROM_LIST_ACTION: &str = "remove_from_list";

/// An ability that hooks an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbilityHook {
    /// The unit that brings it, densely numbered; `RULE` for an ability of the game itself.
    pub unit: u32,
    /// The ability.
    pub ability: AbilityId,
    /// How many arguments its pattern knows (those of the action it names).
    pub args: usize,
    /// Matched before the event.
    pub looks_back: bool,
}

/// The unit number of the abilities of the game itself.
pub const RULE: u32 = u32::MAX;

/// All hooks of an action, patterns of its ancestors included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Triggered abilities.
    pub triggers: Vec<AbilityHook>,
    /// Replacements.
    pub replacements: Vec<AbilityHook>,
    /// Prohibitions.
    pub prohibitions: Vec<AbilityHook>,
    /// What changes how often abilities trigger.
    pub causing: Vec<AbilityHook>,
    /// What of derived values decides which replacements apply.
    pub(crate) replacement_reads: RowAccess,
}

/// A program is shared by all games that play it and never changes.
#[derive(Clone, Debug)]
pub struct Program {
    /// Code and cards.
    pub library: Arc<Library>,
    /// The tables of the format.
    pub format: Arc<Format>,
    /// Memories that its games left behind.
    pub(crate) scratch_pool: ScratchPool,
    /// Where things stand in a state.
    pub layout: Layout,
    /// The units that can occur, by dense number.
    pub units: Vec<AbilityBundleId>,
    /// Dense units of each definition that can occur (after errata).
    pub definition_units: Vec<Vec<u32>>,
    /// Where a derived row holds what.
    pub row: RowLayout,
    /// Hooks by action.
    pub hooks: Vec<Hooks>,
    /// Dense units with static abilities: (unit, ability).
    pub statics: Vec<(u32, AbilityId)>,
    /// Static abilities of the game itself.
    pub rule_statics: Vec<AbilityId>,
    /// Dense units with activated abilities: (unit, ability).
    pub activated: Vec<(u32, AbilityId)>,
    /// Those that work while their object is concealed.
    pub concealed_abilities: Vec<(u32, AbilityId)>,
    /// Whether an effect may give one of them.
    pub(crate) gives_covered: bool,
    /// Whether some change that these cards bring gives a static ability: told by them alone, whatever else the library holds.
    pub(crate) gives_statics: bool,
    /// Bits of the units that are static altogether: nothing in them is ever put on the list.
    pub static_units: Vec<u32>,
    /// Whether each definition, or a face of it, has a static ability.
    pub has_statics: Vec<bool>,
    /// What the static abilities that each definition prints write, and those that they give.
    pub(crate) static_closure: Vec<RowAccess>,
    /// Dense units with options and further costs: (unit, ability).
    pub pricing: Vec<(u32, AbilityId)>,
    /// Zone kind of the field.
    pub field: Option<usize>,
    /// Instance of the list.
    pub list: Option<usize>,
    /// How many players take part.
    pub seats: usize,
    /// The action by which a player leaves a game that goes on, if the game declares it.
    pub leaving: Option<u32>,
    /// Statuses that conceal what an object is, and that something can have.
    pub concealing: Vec<usize>,
    /// Statuses whose change gives an object a new timestamp.
    pub renewing: Vec<usize>,
    /// Statuses that make an object forget what was done to it.
    pub forgetting: Vec<usize>,
    /// The derived row of each definition before continuous effects, without its controller.
    pub templates: Vec<Vec<u32>>,
    /// For each definition, as it is printed, whether what has it was created.
    pub(crate) tokens: Vec<bool>,
    /// For which plays the words and keywords of each definition let it be.
    pub(crate) plays_for: Vec<PlaySet>,
    /// The zone kinds from which something is played, and which plays are: bit `n` for play `n`.
    pub(crate) play_zones: Vec<(ZoneKindId, u64)>,
    /// Plays that announce something of an object, which may count for their conditions: bit `n` for play `n`.
    pub(crate) announcing: u64,
    /// What of the code is otherwise for the cards of this match.
    pub(crate) specialized: SpecializedCode,
    /// Its functions that are plain.
    pub(crate) optimized: OptimizedFunctions,
    /// Which of their registers matter.
    liveness_table: LivenessTable,
    /// What each state rule looks at before it does anything.
    pub state_rule_reads: Vec<ReadMask>,
    /// What paying looks at.
    pub(crate) pay_looks: PaymentDependencies,
    /// What each mod looks at.
    pub modification_reads: Vec<ReadMask>,
    /// Which derived values each mod reads (its ability's condition included).
    pub modification_row_reads: Vec<RowAccess>,
    /// Which derived values each mod writes.
    pub modification_row_writes: Vec<RowAccess>,
    /// Which derived values each mod writes, together with the static abilities that it gives, and those that they give.
    pub(crate) modification_closure: Vec<RowAccess>,
    /// Whether each choice site is chosen on announcement in this format.
    pub announced_sites: Vec<bool>,
    /// Whether an event of each action moves its first object.
    moving: Vec<bool>,
    /// What gets its initial value again as each span ends.
    pub(crate) expiring_places: Vec<Vec<Place>>,
    /// Whether each action does nothing but write.
    pub(crate) write_only_actions: Vec<bool>,
    /// A hash of everything that decides what happens, in the format and the library.
    pub rules_hash: u64,
    /// What is compiled of it.
    #[cfg(feature = "jit")]
    pub jit: crate::jit::Jit,
}

/// The columns of a derived row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLayout {
    /// The definition shown (column 0 is the controller).
    pub definition: usize,
    /// First property.
    pub properties: usize,
    /// First word of each trait set.
    pub words: Vec<usize>,
    /// First word of the unit bits.
    pub units: usize,
    /// Words of unit bits.
    pub unit_words: usize,
    /// Words per row.
    pub stride: usize,
}

impl Program {
    /// Links a format of a game for the definitions in `pool` (tokens are added). An empty pool means all definitions that
    /// are there. `None` when the game was read from a compiled pack without some of the pool.
    #[must_use]
    pub fn link(game: &CompiledGame, format: usize, pool: &[DefId]) -> Option<Self> {
        let least = usize::from(game.formats.get(format)?.min_players);
        Self::link_for(game, format, pool, least)
    }

    /// As [`Program::link`], for so many players. `None` when the format is not for them.
    #[must_use]
    pub fn link_for(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize) -> Option<Self> {
        Self::link_of(game, format, pool, seats, !pool.is_empty())
    }

    /// As [`Program::link_for`], with all code as it is written, though these cards never bring what it asks for: for the tests of that.
    #[must_use]
    pub fn link_unspecialized(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize) -> Option<Self> {
        Self::link_of(game, format, pool, seats, false)
    }

    fn link_of(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize, narrow: bool) -> Option<Self> {
        let tables = game.formats.get(format)?;
        let definitions = &game.library.definitions;
        let left_out = |card: &DefId| card.index() < definitions.len() && definitions.get(card.index()).is_none();
        if !tables.takes(seats) || pool.iter().any(left_out) {
            return None;
        }
        let hash = game.hashes.get(format).copied();
        let narrowed = if narrow { SpecializedCode::new(&game.library, tables, pool) } else { SpecializedCode::default() };
        Some(Self::link_with(Arc::new(game.library.clone()), Arc::new(tables.clone()), (pool, narrowed), seats, hash))
    }

    /// As [`Program::link_for`], from shared tables.
    #[must_use]
    pub fn link_shared(library: Arc<Library>, format: Arc<Format>, pool: &[DefId], seats: usize) -> Self {
        let narrowed = if pool.is_empty() { SpecializedCode::default() } else { SpecializedCode::new(&library, &format, pool) };
        Self::link_with(library, format, (pool, narrowed), seats, None)
    }

    /// The hash of the rules is given where only a part of them is there.
    fn link_with(
        library: Arc<Library>,
        format: Arc<Format>,
        (pool, narrowed): (&[DefId], SpecializedCode),
        seats: usize,
        hash: Option<u64>,
    ) -> Self {
        let seats = seats.clamp(1, crate::verify::MAX_PLAYERS.into());
        let layout = Layout::new(&library, &format, seats);
        let (in_pool, used) = if pool.is_empty() { everything(&library, &format) } else { needed(&library, &format, pool) };
        let errata = |definition: usize| {
            format.errata.iter().find(|(from, _)| from.index() == definition).map_or(definition, |(_, to)| to.index())
        };
        let units = used;
        let dense = |unit: &AbilityBundleId| units.binary_search(unit).ok().map(|i| i as u32);
        let definition_units = (0..library.definitions.len())
            .map(|definition| {
                if !in_pool.contains(&(definition as u32)) {
                    return Vec::new();
                }
                library.definitions.get(errata(definition)).map_or_else(Vec::new, |d| d.units.iter().filter_map(dense).collect())
            })
            .collect();
        let row = RowLayout::new(&library, units.len());
        let mut program = Self {
            hooks: vec![Hooks::default(); format.actions.len()],
            statics: Vec::new(),
            rule_statics: Vec::new(),
            activated: Vec::new(),
            concealed_abilities: Vec::new(),
            gives_covered: false,
            gives_statics: false,
            static_units: Vec::new(),
            has_statics: Vec::new(),
            static_closure: Vec::new(),
            pricing: Vec::new(),
            field: library.zones.iter().position(|z| z.field),
            list: library.zones.iter().position(|z| z.list).and_then(|kind| layout.zone_base.get(kind).copied()),
            seats,
            leaving: format
                .actions
                .iter()
                .position(|action| action.name == LEAVE_GAME_ACTION && matches!(action.params.as_slice(), [(_, Type::Player)]))
                .map(|number| number as u32),
            concealing: concealing(&library, &narrowed).collect(),
            renewing: library.statuses.iter().enumerate().filter(|(_, s)| s.renews).map(|(n, _)| n).collect(),
            forgetting: library.statuses.iter().enumerate().filter(|(_, s)| s.forgets).map(|(n, _)| n).collect(),
            templates: Vec::new(),
            tokens: Vec::new(),
            plays_for: Vec::new(),
            play_zones: Vec::new(),
            announcing: 0,
            scratch_pool: ScratchPool::default(),
            optimized: OptimizedFunctions::new(library.functions.len()),
            liveness_table: LivenessTable::new(library.functions.len()),
            state_rule_reads: Vec::new(),
            pay_looks: PaymentDependencies::default(),
            modification_reads: Vec::new(),
            modification_row_reads: Vec::new(),
            modification_row_writes: Vec::new(),
            modification_closure: Vec::new(),
            announced_sites: library.sites.by_number(|site| site.is_some_and(|site| is_lifted(site, &format))),
            moving: moving_actions(&library, &format),
            expiring_places: format.spans.iter().map(|span| expiring_places(&library, span)).collect(),
            write_only_actions: bulk_commit::write_only_actions(&library, &format, |id| {
                narrowed.function(id).or_else(|| library.functions.get(id.index()))
            }),
            rules_hash: hash.unwrap_or_else(|| crate::rules_hash::of(&library, &format)),
            #[cfg(feature = "jit")]
            jit: crate::jit::Jit::default(),
            specialized: narrowed,
            library,
            format,
            layout,
            units,
            definition_units,
            row,
        };
        program.find_hooks();
        program.static_units = program.find_static_units();
        let gives_covered = |m: &Modification| program.may_give(&m.change, |unit| program.is_covered(unit));
        program.gives_covered = program.library.mods.present().any(gives_covered);
        let own: Vec<bool> =
            program.definition_units.iter().map(|units| units.iter().any(|unit| program.is_static(*unit))).collect();
        let has = |d: &DefId| own.get(d.index()) == Some(&true);
        let faces =
            |n: usize| program.library.definitions.get(n).is_none_or(|d| d.faces.iter().chain(&d.combined_faces).any(has));
        program.has_statics = own.iter().enumerate().map(|(n, own)| *own || faces(n)).collect();
        let template = |number: usize| match program.library.definitions.get(number) {
            Some(_) => program.template(number),
            None => Vec::new(),
        };
        program.templates = (0..program.library.definitions.len()).map(template).collect();
        program.tokens = program.library.definitions.by_number(|it| it.is_some_and(|it| it.token));
        let plays_for = |row: &Vec<u32>| {
            // What is not there is not played: nobody asks.
            if row.is_empty() {
                return PlaySet::ANY;
            }
            let Self { library, format, row: layout, units, .. } = &program;
            applicability::plays_for(&PrintedRow { library, format, layout, units, row })
        };
        program.plays_for = program.templates.iter().map(plays_for).collect();
        for (n, play) in program.format.plays.iter().enumerate() {
            let bit = if n < applicability::PLAYS { 1 << n } else { 0 };
            for zone in &play.from {
                match program.play_zones.iter_mut().find(|(known, _)| known == zone) {
                    Some((_, plays)) => *plays |= bit,
                    None => program.play_zones.push((*zone, bit)),
                }
            }
        }
        let announces = |(n, play): (usize, &crate::ir::Play)| u64::from(play.announced.is_some()) << n;
        program.announcing =
            program.format.plays.iter().take(applicability::PLAYS).enumerate().map(announces).fold(0, |all, bit| all | bit);
        program.state_rule_reads = program.format.state_rules.iter().map(|rule| ReadMask::of_body(&program, rule.body)).collect();
        program.pay_looks = PaymentDependencies::of(&program);
        program.modification_reads = ReadMask::of_mods(&program.library);
        program.modification_row_writes =
            program.library.mods.by_number(|m| m.map_or_else(RowAccess::default, RowAccess::written_by));
        program.find_what_mods_lead_to();
        program.static_closure = program.definition_units.iter().map(|units| program.led_to_by(units)).collect();
        let reads = |m: &Modification| program.read_by(&roots_of(m));
        program.modification_row_reads = program.library.mods.by_number(|m| m.map_or_else(RowAccess::default, reads));
        for ability in program.library.abilities.present() {
            if let AbilityKind::Static { condition: Some(condition), mods } = &ability.kind {
                let extra = program.read_by(&[*condition]);
                for m in mods {
                    if let Some(reads) = program.modification_row_reads.get_mut(m.index()) {
                        *reads = reads.union(extra);
                    }
                }
            }
        }
        program
    }

    /// The same program, for another thread: counting references to one and the same, threads would wait for each other. What is compiled
    /// of it is shared.
    #[must_use]
    pub fn clone_for_thread(&self) -> Self {
        Self {
            #[cfg(feature = "jit")]
            jit: self.jit.shared(),
            ..self.clone()
        }
    }

    fn template(&self, definition: usize) -> Vec<u32> {
        let mut row = vec![0; self.row.stride];
        let Some(it) = self.definition(definition as u32) else { return row };
        if let Some(place) = row.get_mut(self.row.definition) {
            *place = definition as u32;
        }
        for (place, value) in row.iter_mut().skip(self.row.properties).zip(&it.properties) {
            *place = *value as u32;
        }
        for (words, first) in it.words.iter().zip(&self.row.words) {
            for word in words {
                if let Some(place) = row.get_mut(first + usize::from(*word) / 32) {
                    *place |= 1 << (word % 32);
                }
            }
        }
        for unit in self.definition_units.get(definition).map_or(&[][..], Vec::as_slice) {
            if let Some(place) = row.get_mut(self.row.units + *unit as usize / 32) {
                *place |= 1 << (unit % 32);
            }
        }
        row
    }

    /// The action that takes away what has been carried out, where the game has one.
    pub(crate) fn removal(&self) -> Option<u32> {
        self.format.actions.iter().position(|action| action.name == REMOVE_FROM_LIST_ACTION).map(|action| action as u32)
    }

    /// Whether a change may give abilities of a dense unit of some sort.
    pub(crate) fn may_give(&self, change: &Change, sort: impl Fn(u32) -> bool) -> bool {
        let of_sort = |unit: &AbilityBundleId| self.units.binary_search(unit).is_ok_and(|dense| sort(dense as u32));
        match change {
            Change::Unit(unit) => of_sort(unit),
            Change::Pick { units, .. } => units.iter().any(of_sort),
            Change::Instead { .. } => true,
            _ => false,
        }
    }

    /// Whether a dense unit has a static ability in this match.
    pub(crate) fn is_static(&self, unit: u32) -> bool {
        self.statics.iter().any(|(known, _)| *known == unit)
    }

    /// Whether a dense unit has an ability that works while its object is concealed.
    pub(crate) fn is_covered(&self, unit: u32) -> bool {
        self.concealed_abilities.iter().any(|(known, _)| *known == unit)
    }

    fn find_static_units(&self) -> Vec<u32> {
        let mut bits = vec![0; self.row.unit_words];
        let is_static = |id: &AbilityId| self.library.abilities.get(id.index()).is_none_or(|ability| ability.kind.is_static());
        for (dense, unit) in self.units.iter().enumerate() {
            let whole = self.format.units.get(unit.index()).is_some_and(|unit| unit.abilities.iter().all(is_static));
            if let Some(word) = bits.get_mut(dense / 32).filter(|_| whole) {
                *word |= 1 << (dense % 32);
            }
        }
        bits
    }

    fn find_hooks(&mut self) {
        let mut all: Vec<(u32, AbilityId)> = Vec::new();
        for (dense, unit) in self.units.iter().enumerate() {
            if let Some(unit) = self.format.units.get(unit.index()).filter(|_| self.specialized.occurs(*unit)) {
                all.extend(unit.abilities.iter().map(|a| (dense as u32, *a)));
            }
        }
        for rule in &self.format.rules {
            all.extend(rule.abilities.iter().map(|a| (RULE, *a)));
        }
        for (unit, id) in all {
            if self.specialized.is_idle(id) {
                continue;
            }
            let Some(ability) = self.library.abilities.get(id.index()) else { continue };
            let (pattern, which) = match &ability.kind {
                AbilityKind::Triggered { pattern, .. } => (pattern, 0),
                AbilityKind::Replacement { pattern, .. } => (pattern, 1),
                AbilityKind::Prohibition { pattern } => (pattern, 2),
                AbilityKind::TriggerModifier { pattern, .. } => (pattern, 3),
                AbilityKind::Static { .. } => {
                    if unit == RULE {
                        self.rule_statics.push(id);
                    } else {
                        self.statics.push((unit, id));
                    }
                    continue;
                }
                AbilityKind::Activated { play } => {
                    if play.while_concealed {
                        self.concealed_abilities.push((unit, id));
                    } else {
                        self.activated.push((unit, id));
                    }
                    continue;
                }
                AbilityKind::Cost { .. } | AbilityKind::Option { .. } => {
                    // The game itself is not used.
                    if unit != RULE {
                        self.pricing.push((unit, id));
                    }
                    continue;
                }
                AbilityKind::Paragraph { .. } => continue,
            };
            let hook = AbilityHook { unit, ability: id, args: self.args_of(pattern.action), looks_back: pattern.looks_back };
            // A pattern knows the controller of its ability as `you`.
            let has = RowAccess { controller: unit != RULE, units: self.bits_of(unit), ..RowAccess::default() };
            let reads = self.read_by(pattern.filter.as_slice()).union(has);
            for action in 0..self.format.actions.len() {
                if self.descends(action, pattern.action.index())
                    && let Some(hooks) = self.hooks.get_mut(action)
                {
                    match which {
                        0 => hooks.triggers.push(hook),
                        1 => {
                            hooks.replacements.push(hook);
                            hooks.replacement_reads = hooks.replacement_reads.union(reads);
                        }
                        2 => hooks.prohibitions.push(hook),
                        _ => hooks.causing.push(hook),
                    }
                }
            }
        }
    }

    /// What an event must be for a replacement to be about it; nothing when any event of its action is.
    pub(crate) fn replacement_filter(&self, ability: AbilityId) -> Option<FnId> {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { pattern, .. }) => pattern.filter,
            _ => None,
        }
    }

    /// What an event must be for a prohibition to be about it; nothing when any event of its action is.
    pub(crate) fn prohibition_filter(&self, ability: AbilityId) -> Option<FnId> {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Prohibition { pattern }) => pattern.filter,
            _ => None,
        }
    }

    /// How many arguments an action has.
    #[must_use]
    pub fn args_of(&self, action: ActionId) -> usize {
        self.format.actions.get(action.index()).map_or(0, |a| a.params.len())
    }

    /// Whether `action` is `ancestor` or declared to be one (`is`).
    #[must_use]
    pub fn descends(&self, action: usize, ancestor: usize) -> bool {
        let mut at = action;
        for _ in 0..64 {
            if at == ancestor {
                return true;
            }
            match self.format.actions.get(at).and_then(|a| a.parent) {
                Some(parent) => at = parent.index(),
                None => return false,
            }
        }
        false
    }

    /// Number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.seats
    }

    /// A function as it is for the cards of this match: what they never bring is not asked about.
    #[inline]
    #[must_use]
    pub fn function(&self, id: FnId) -> Option<&Function> {
        self.specialized.function(id).or_else(|| self.library.functions.get(id.index()))
    }

    /// Which registers of a function matter, as it is for the cards of this match.
    #[inline]
    pub(crate) fn liveness(&self, id: FnId) -> Option<&Liveness> {
        self.liveness_table.get(&self.library, id, self.function(id)?)
    }

    /// A function as it is written.
    #[must_use]
    pub fn source_function(&self, id: FnId) -> Option<&Function> {
        self.library.functions.get(id.index())
    }

    /// A definition as this format has it.
    #[must_use]
    pub fn definition(&self, id: u32) -> Option<&crate::ir::Definition> {
        let id = self.format.errata.iter().find(|(from, _)| from.0 == id).map_or(id, |(_, to)| to.0);
        self.library.definitions.get(id as usize)
    }

    /// The definition that an object of definition `id` shows with a face in a zone instance (none: nowhere).
    #[must_use]
    pub fn shown(&self, id: u32, face: u32, zone: Option<usize>) -> u32 {
        let Some(it) = self.definition(id) else { return id };
        match face {
            0 => {
                let single = zone.is_some_and(|zone| Some(zone) == self.list || Some(self.layout.kind(zone)) == self.field);
                it.combined_faces.filter(|_| !single).map_or(id, |joined| joined.0)
            }
            1 => id,
            face => it.faces.get(face as usize - 2).map_or(id, |face| face.0),
        }
    }

    /// The faces with which an object of a definition can be used.
    #[must_use]
    pub fn faces(&self, id: u32) -> std::ops::RangeInclusive<u32> {
        match self.definition(id).map_or(0, |d| d.faces.len() as u32) {
            0 => 0..=0,
            further => 1..=1 + further,
        }
    }

    /// The definition whose values an object has that a status conceals, if the status says one.
    #[must_use]
    pub fn disguise(&self, status: usize) -> Option<u32> {
        self.library.statuses.get(status).and_then(|status| status.disguise).map(|definition| definition.0)
    }

    /// The definition whose values what is concealed without a name has.
    #[must_use]
    pub fn nameless(&self) -> Option<u32> {
        let nameless = |status: &&usize| self.library.statuses.get(**status).is_some_and(|status| status.nameless);
        self.concealing.iter().filter(nameless).find_map(|status| self.disguise(*status))
    }

    /// A change.
    #[must_use]
    pub fn change(&self, id: u32) -> Option<&Modification> {
        self.library.mods.get(id as usize)
    }

    /// The zone instance of a kind for a player.
    #[must_use]
    pub fn instance(&self, kind: usize, player: usize) -> Option<usize> {
        let base = *self.layout.zone_base.get(kind)?;
        let each = self.library.zones.get(kind)?.each_player;
        if each && player >= self.players() {
            return None;
        }
        let instance = if each { base + player } else { base };
        // A zone that the format does not have has no instances.
        Some(instance).filter(|instance| self.layout.kind(*instance) == kind)
    }

    /// The zone kind of an instance.
    #[must_use]
    pub fn zone_of(&self, instance: usize) -> Option<&crate::ir::ZoneKind> {
        self.library.zones.get(self.layout.kind(instance))
    }

    /// Whether everybody sees what is in an instance.
    #[must_use]
    pub fn is_public(&self, instance: usize) -> bool {
        self.zone_of(instance).is_some_and(|z| z.visibility == crate::ir::Visibility::Public)
    }

    /// The seat whose instance it is; `None` for a shared one.
    #[must_use]
    pub fn zone_owner(&self, instance: usize) -> Option<usize> {
        let kind = self.layout.kind(instance);
        let zone = self.library.zones.get(kind)?;
        if zone.each_player { Some(instance - self.layout.zone_base.get(kind)?) } else { None }
    }

    /// A word of a trait set.
    #[must_use]
    pub fn word_name(&self, traits: crate::ir::TraitSetId, word: u16) -> &str {
        let set = self.library.traits.get(traits.index());
        set.and_then(|set| set.words.get(usize::from(word))).map_or("", String::as_str)
    }

    /// Whether a site is chosen on announcement.
    #[must_use]
    pub fn is_lifted(&self, site: crate::ir::ChoiceSiteId) -> bool {
        self.announced_sites.get(site.index()).copied().unwrap_or(false)
    }

    /// Whether a replacement sends the object of what it replaces somewhere else (else it leaves it where it is).
    #[must_use]
    pub fn redirects(&self, ability: AbilityId) -> bool {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { pattern, body, .. }) => {
                // The event's own values are the last parameters.
                let params = self.function(*body).map_or(0, |f| usize::from(f.params));
                let first = params.checked_sub(self.args_of(pattern.action) + crate::ir::CAUSE_WORDS);
                first.is_some_and(|first| moves_register(&self.library, *body, first as u16, &self.moving))
            }
            _ => false,
        }
    }

    /// The play of an option: an entry of the format, or an activated ability.
    #[must_use]
    pub fn play(&self, code: u32) -> Option<&Play> {
        if code >= ABILITY_PLAY {
            match &self.library.abilities.get((code - ABILITY_PLAY) as usize)?.kind {
                AbilityKind::Activated { play } => Some(play),
                _ => None,
            }
        } else {
            self.format.plays.get(code as usize)
        }
    }
}

/// Play codes from here on are activated abilities: `ABILITY_PLAY + ability`.
pub const ABILITY_PLAY: u32 = 1 << 24;

impl RowLayout {
    fn new(library: &Library, units: usize) -> Self {
        let properties = 2;
        let mut at = properties + library.properties.len();
        let mut words = Vec::new();
        for traits in &library.traits {
            words.push(at);
            at += traits.words.len().div_ceil(32).max(1);
        }
        let unit_words = units.div_ceil(32);
        Self { definition: 1, properties, words, units: at, unit_words, stride: at + unit_words }
    }
}

/// The statuses that conceal what an object is, as far as something ever has them.
fn concealing<'a>(library: &'a Library, narrowed: &'a SpecializedCode) -> impl Iterator<Item = usize> + 'a {
    let conceals = library.statuses.iter().enumerate().filter(|(_, status)| status.conceals);
    conceals.filter(|(number, status)| status.initial != 0 || narrowed.writes(*number)).map(|(number, _)| number)
}

/// All definitions, and all units that they, and changes, can have.
fn everything(library: &Library, format: &Format) -> (BTreeSet<u32>, Vec<AbilityBundleId>) {
    let mut used: BTreeSet<AbilityBundleId> = BTreeSet::new();
    for definition in library.definitions.present() {
        used.extend(&definition.units);
    }
    let mut reworded = BTreeSet::new();
    for change in library.mods.present() {
        match &change.change {
            Change::Unit(unit) => used.extend([*unit]),
            Change::Pick { units, .. } => used.extend(units),
            Change::Instead { traits, .. } => reworded.extend([*traits]),
            _ => {}
        }
    }
    // What units become where a word among their arguments changes.
    let keyword =
        |unit: &AbilityBundleId| format.units.get(unit.index()).and_then(|u| u.keyword.as_ref()).map(|(keyword, _)| *keyword);
    let words = |keyword: crate::ir::KeywordId| library.keywords.get(keyword.index()).map_or(&[][..], |k| k.words.as_slice());
    let is_reworded = |k: &crate::ir::KeywordId| words(*k).iter().any(|(_, traits)| reworded.contains(traits));
    let changed: BTreeSet<_> = used.iter().filter_map(keyword).filter(is_reworded).collect();
    let all = (0..format.units.len() as u32).map(AbilityBundleId);
    used.extend(all.filter(|unit| keyword(unit).is_some_and(|keyword| changed.contains(&keyword))));
    ((0..library.definitions.len() as u32).collect(), used.into_iter().collect())
}

/// The definitions and units that a game with some cards can come to, and tokens.
fn needed(library: &Library, format: &Format, pool: &[DefId]) -> (BTreeSet<u32>, Vec<AbilityBundleId>) {
    let tokens = library.definitions.numbered().filter(|(_, definition)| definition.token).map(|(number, _)| number as u32);
    let cards = pool.iter().map(|card| card.0).chain(tokens);
    let mut reach = ReachableSet::new(library, std::iter::once(format), cards);
    let Ok(()) = reach.close(library, &mut FormatTables { library, format });
    (reach.definitions().clone(), reach.units().collect())
}

/// Whether a body moves the object in a register, whichever way it takes.
fn moves_register(library: &Library, body: FnId, register: u16, moving: &[bool]) -> bool {
    let Some(function) = library.functions.get(body.index()) else { return false };
    let moves = |op: &Op| match op {
        Op::Propose { events, .. } => events
            .iter()
            .any(|event| event.args.first() == Some(&register) && moving.get(event.action.index()).copied().unwrap_or(false)),
        Op::Use { object, .. } => *object == register,
        _ => false,
    };
    // Is there a way to the end past all moves?
    let mut seen = vec![false; function.ops.len()];
    let mut open = vec![0usize];
    while let Some(at) = open.pop() {
        let Some(op) = function.ops.get(at) else { return false };
        if std::mem::replace(seen.get_mut(at).unwrap_or(&mut true), true) || moves(op) {
            continue;
        }
        match op {
            Op::Return { .. } => return false,
            Op::Jump { to } => open.push(*to as usize),
            Op::JumpUnless { to, .. } => open.extend([at + 1, *to as usize]),
            _ => open.push(at + 1),
        }
    }
    true
}

/// The variables and statuses whose lifetime ends with a span: one of its name, or of its kind.
fn expiring_places(library: &Library, span: &Period) -> Vec<Place> {
    let is_over = |variable: &Variable| {
        let is_it = |lifetime: &String| match lifetime.as_str() {
            "phase" if span.phase => true,
            "step" if !span.phase => true,
            name => *name == span.path || *name == span.name,
        };
        variable.lifetime.as_ref().is_some_and(is_it)
    };
    let all = |variables: &[Variable], place: fn(u16) -> Place| -> Vec<Place> {
        let over = variables.iter().enumerate().filter(|(_, variable)| is_over(variable));
        over.map(|(number, _)| place(number as u16)).collect()
    };
    let Library { globals, player_variables, statuses, .. } = library;
    [all(globals, Place::Global), all(player_variables, Place::Player), all(statuses, Place::Status)].concat()
}

/// Which actions move their first object: the built-in moves, and those whose bodies do.
fn moving_actions(library: &Library, format: &Format) -> Vec<bool> {
    let mut moving: Vec<bool> = (0..format.actions.len() as u32).map(|action| matches!(action, PUT | ATTACH | CEASE)).collect();
    loop {
        let next: Vec<bool> = format
            .actions
            .iter()
            .zip(&moving)
            .map(|(action, known)| *known || action.body.is_some_and(|body| moves_register(library, body, 2, &moving)))
            .collect();
        if next == moving {
            return moving;
        }
        moving = next;
    }
}

/// Whether the announcing policy of a format takes a site.
fn is_lifted(site: &crate::ir::ChoiceSite, format: &Format) -> bool {
    let stage = |wanted: AnnounceStage| format.announce.stages.iter().position(|stage| *stage == wanted);
    // Without stages: list, choices, pay.
    let paid = stage(AnnounceStage::Pay).zip(stage(AnnounceStage::Choices)).is_some_and(|(pay, choices)| pay < choices);
    site.announceable
        && (!site.after_cost || paid)
        && format.announce.announced_choices.iter().any(|lift| {
            (!lift.targets || site.target || site.modes.is_some())
                && (!lift.mandatory || !site.optional)
                && (!lift.by_controller || site.chooser == crate::ir::Chooser::Controller)
                && (!lift.first_sentence || site.sentence == 0 || site.mode.is_some())
                && (!lift.public || site.public || site.modes.is_some())
                && !(site.own && site.verb.is_some_and(|verb| lift.except_own.contains(&verb)))
        })
}

/// Whether a function consists of pure operations only, and so cannot suspend.
#[must_use]
pub fn is_pure(function: &Function) -> bool {
    function.ops.iter().all(|op| {
        !matches!(
            op,
            Op::Choose { .. }
                | Op::Ask { .. }
                | Op::AskNumber { .. }
                | Op::AskWord { .. }
                | Op::ChooseModes { .. }
                | Op::Random { .. }
                | Op::RandomNumber { .. }
                | Op::SetActivePlayer { .. }
                | Op::Declare(_)
                | Op::PayForDeclaration { .. }
                | Op::ProposePairs { .. }
                | Op::Propose { .. }
                | Op::BeginBatch
                | Op::EndBatch { .. }
                | Op::Write { .. }
                | Op::WriteKey { .. }
                | Op::BeginEffect { .. }
                | Op::Become { .. }
                | Op::CopyListed { .. }
                | Op::Trigger { .. }
                | Op::StoreCostResult { .. }
                | Op::CanPay { .. }
                | Op::Pay { .. }
                | Op::AddToPool { .. }
                | Op::Refund { .. }
                | Op::Retarget { .. }
                | Op::Window { .. }
                | Op::Settle { .. }
                | Op::Use { .. }
                | Op::CarryOut { .. }
                | Op::InsertSpan { .. }
                | Op::SkipSpan { .. }
                | Op::EndSpan { .. }
                | Op::SkipTo { .. }
                | Op::Expire { .. }
                | Op::ExtraTurn { .. }
        )
    })
}
