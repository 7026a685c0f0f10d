//! The tables of a program: a library and one of its formats, linked for the card pool of a match.
//!
//! Linking gives dense numbers to the ability bundles that can occur, so that the abilities of an object are a few words of bits.
//! It also computes which abilities hook each action, the derived row of each definition, and what state rules and modifications
//! read.

pub mod ability_counts;
pub(crate) mod needed_actions;
mod object_moves;
mod row_access;
mod worded_bundles;
mod write_only_actions;

use crate::applicability::{self, PlaySet, PrintedRow};
use crate::ir::format::{LEAVE_GAME_ACTION, REMOVE_FROM_LIST_ACTION};
use crate::ir::op::DurationEnd;
use crate::ir::operands::Operand;
use crate::ir::reachability::{FormatTables, ReachableSet};
use crate::ir::{
    Ability, AbilityBundleId, AbilityId, AbilityKind, ActionId, Change, DefId, FnId, Format, Function, Library, Modification, Op,
    Period, Place, Play, Type, Variable, ZoneKindId,
};
use crate::liveness::{Liveness, LivenessTable};
use crate::read_mask::ReadMask;
use crate::specialize::SpecializedCode;
use crate::state::layout::Layout;
use object_moves::ObjectMoves;
pub use row_access::RowAccess;
pub(crate) use row_access::roots_of;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An ability that hooks an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbilityHook {
    /// The dense number of the bundle that contains it; `RULES_BUNDLE` for an ability of the game itself.
    pub bundle: u32,
    /// The ability.
    pub ability: AbilityId,
    /// The number of event arguments that its pattern receives (those of the action that it names).
    pub args: usize,
    /// Whether it is matched before the event.
    pub looks_back: bool,
}

/// The bundle number of the abilities of the game itself.
pub const RULES_BUNDLE: u32 = u32::MAX;

/// All hooks of an action, including patterns for its ancestors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Triggered abilities.
    pub triggers: Vec<AbilityHook>,
    /// Replacements.
    pub replacements: Vec<AbilityHook>,
    /// Prohibitions.
    pub prohibitions: Vec<AbilityHook>,
    /// Abilities that change how often others trigger.
    pub trigger_modifiers: Vec<AbilityHook>,
    /// The derived values that decide which replacements apply.
    pub(crate) replacement_reads: RowAccess,
}

/// What linking computes from a library and a format: plain tables, without caches.
#[derive(Clone, Debug)]
pub struct LinkedTables {
    /// Code and cards.
    pub library: Arc<Library>,
    /// The tables of the format.
    pub format: Arc<Format>,
    /// The offsets of the state block.
    pub layout: Layout,
    /// The ability bundles that can occur, sorted; the index is the dense number.
    pub bundles: Vec<AbilityBundleId>,
    /// Dense bundle numbers of each definition that can occur (after errata).
    pub definition_bundles: Vec<Vec<u32>>,
    /// The bundles of keywords with words among their arguments.
    pub worded_bundles: worded_bundles::WordedBundles,
    /// The numbers of abilities of definitions.
    pub ability_counts: ability_counts::AbilityCounts,
    /// The columns of derived rows.
    pub row: RowLayout,
    /// Hooks by action.
    pub hooks: Vec<Hooks>,
    /// Dense bundles with static abilities: (bundle, ability).
    pub statics: Vec<(u32, AbilityId)>,
    /// Static abilities of the game itself.
    pub rule_statics: Vec<AbilityId>,
    /// Dense bundles with activated abilities: (bundle, ability).
    pub activated: Vec<(u32, AbilityId)>,
    /// Dense bundles with activated abilities that are usable while their object is concealed.
    pub concealed_abilities: Vec<(u32, AbilityId)>,
    /// Whether a modification may give one of `concealed_abilities`.
    pub(crate) may_grant_concealed: bool,
    /// Whether a modification that these cards bring gives a static ability. It depends on the card pool alone, regardless of the
    /// rest of the library.
    pub(crate) may_grant_statics: bool,
    /// Bits of the bundles that have only static abilities: none of them goes to the list.
    pub static_bundles: Vec<u32>,
    /// Whether each definition, or a face of it, has a static ability.
    pub has_statics: Vec<bool>,
    /// The derived values that the printed static abilities of each definition write, including static abilities that they give.
    pub(crate) static_closure: Vec<RowAccess>,
    /// Dense bundles with optional and additional costs: (bundle, ability).
    pub cost_abilities: Vec<(u32, AbilityId)>,
    /// Zone kind of the field.
    pub field: Option<usize>,
    /// Its instances.
    pub field_instances: Vec<usize>,
    /// Whether a play or an ability is used while prices are paid. Abilities of cards that the match never brings count, so that positions do not
    /// depend on specialisation.
    pub has_plays_while_paying: bool,
    /// Instance of the list.
    pub list: Option<usize>,
    /// The number of players.
    pub seats: usize,
    /// The action by which a player leaves a game that continues, if the game declares it.
    pub leave_action: Option<u32>,
    /// Statuses that conceal an object and can occur.
    pub concealing_statuses: Vec<usize>,
    /// Statuses whose change gives an object a new timestamp.
    pub timestamp_statuses: Vec<usize>,
    /// Whether an effect can last for as long as a condition holds.
    pub has_lasting_conditions: bool,
    /// Statuses that end the effects on an object when they become true.
    pub effect_clearing_statuses: Vec<usize>,
    /// The derived row of each definition before continuous effects, without the controller.
    pub templates: Vec<Vec<u32>>,
    /// By definition, whether its printed form is a token.
    pub(crate) tokens: Vec<bool>,
    /// The plays that each definition may or must be for, by its printed words and keywords.
    pub(crate) applicable_plays: Vec<PlaySet>,
    /// The zone kinds from which objects are played, with the plays: bit `n` for play `n`.
    pub(crate) play_zones: Vec<(ZoneKindId, u64)>,
    /// Plays that set a status of an object on announcement, which their conditions may read: bit `n` for play `n`.
    pub(crate) announced_plays: u64,
    /// The code that differs from the library's for this card pool.
    pub(crate) specialized: SpecializedCode,
    /// The live registers of functions.
    liveness_table: LivenessTable,
    /// What each state rule reads before its first statement.
    pub state_rule_reads: Vec<ReadMask>,
    /// What each modification reads.
    pub modification_reads: Vec<ReadMask>,
    /// The derived values that each modification reads (the condition of its ability included).
    pub modification_row_reads: Vec<RowAccess>,
    /// The derived values that each modification writes.
    pub modification_row_writes: Vec<RowAccess>,
    /// The derived values that each modification writes, including the static abilities that it gives, transitively.
    pub(crate) modification_closure: Vec<RowAccess>,
    /// Whether each choice site is chosen on announcement in this format.
    pub announced_sites: Vec<bool>,
    /// The actions that the texts of objects need in this format.
    pub(crate) needed_actions: needed_actions::NeededActions,
    /// The functions that take objects from the ends of lists, directly or by a function that they call.
    pub(crate) taking_functions: BTreeSet<FnId>,
    /// What the actions do to their first object.
    moves: ObjectMoves,
    /// The places that are reset to their initial values as each period ends.
    pub(crate) expiring_places: Vec<Vec<Place>>,
    /// Per period: the zone kinds whose contents cease to exist at its end.
    pub(crate) expiring_zones: Vec<Vec<usize>>,
    /// Whether each action only writes.
    pub(crate) write_only_actions: Vec<bool>,
    /// A hash of everything in the format and the library that affects the course of games.
    pub rules_hash: u64,
}

/// The columns of a derived row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLayout {
    /// The shown definition (column 0 is the controller).
    pub definition: usize,
    /// The first property.
    pub properties: usize,
    /// The first word of each trait set.
    pub words: Vec<usize>,
    /// The first word of the bundle bits.
    pub bundles: usize,
    /// The number of words of bundle bits.
    pub bundle_words: usize,
    /// The number of words per row.
    pub stride: usize,
}

impl LinkedTables {
    /// Links a format for the cards of a pool. `hash` is the rules hash, if the game was loaded in part and it cannot be computed.
    pub(crate) fn link(
        library: Arc<Library>,
        format: Arc<Format>,
        (pool, specialized): (&[DefId], SpecializedCode),
        seats: usize,
        hash: Option<u64>,
    ) -> Self {
        let seats = seats.clamp(1, crate::ir::encoding_limits::MAX_PLAYERS.into());
        let layout = Layout::new(&library, &format, seats);
        let (in_pool, bundles) =
            if pool.is_empty() { all_definitions(&library, &format) } else { reachable_definitions(&library, &format, pool) };
        let errata = |definition: usize| format.corrected(DefId(definition as u32)).index();
        let units = bundles;
        let dense = |unit: &AbilityBundleId| units.binary_search(unit).ok().map(|i| i as u32);
        let definition_units = (0..library.definitions.len())
            .map(|definition| {
                if !in_pool.contains(&(definition as u32)) {
                    return Vec::new();
                }
                library
                    .definitions
                    .get(errata(definition))
                    .map_or_else(Vec::new, |d| d.bundles.iter().filter_map(dense).collect())
            })
            .collect();
        let row = RowLayout::new(&library, units.len());
        let mut program = Self {
            hooks: vec![Hooks::default(); format.actions.len()],
            statics: Vec::new(),
            rule_statics: Vec::new(),
            activated: Vec::new(),
            concealed_abilities: Vec::new(),
            may_grant_concealed: false,
            may_grant_statics: false,
            static_bundles: Vec::new(),
            has_statics: Vec::new(),
            static_closure: Vec::new(),
            cost_abilities: Vec::new(),
            field: library.zones.iter().position(|z| z.field),
            field_instances: Vec::new(),
            has_plays_while_paying: has_plays_while_paying(&library, &format),
            list: library.zones.iter().position(|z| z.list).and_then(|kind| layout.zone_base.get(kind).copied()),
            seats,
            leave_action: format
                .actions
                .iter()
                .position(|action| action.name == LEAVE_GAME_ACTION && matches!(action.params.as_slice(), [(_, Type::Player)]))
                .map(|number| number as u32),
            concealing_statuses: find_concealing_statuses(&library, &specialized).collect(),
            timestamp_statuses: library
                .statuses
                .iter()
                .enumerate()
                .filter(|(_, s)| s.updates_timestamp)
                .map(|(n, _)| n)
                .collect(),
            has_lasting_conditions: library.functions.present().flat_map(|function| &function.ops).any(lasts_for_condition),
            effect_clearing_statuses: library
                .statuses
                .iter()
                .enumerate()
                .filter(|(_, s)| s.clears_effects)
                .map(|(n, _)| n)
                .collect(),
            templates: Vec::new(),
            tokens: Vec::new(),
            applicable_plays: Vec::new(),
            play_zones: Vec::new(),
            announced_plays: 0,
            liveness_table: LivenessTable::new(library.functions.len()),
            state_rule_reads: Vec::new(),
            modification_reads: Vec::new(),
            modification_row_reads: Vec::new(),
            modification_row_writes: Vec::new(),
            modification_closure: Vec::new(),
            announced_sites: library.sites.by_number(|site| site.is_some_and(|site| format.announce.announces(site))),
            needed_actions: needed_actions::NeededActions::of(&library, &format),
            taking_functions: taking_functions(&library),
            moves: ObjectMoves::of(&library, &format),
            expiring_places: format.periods.iter().map(|span| expiring_places(&library, span)).collect(),
            expiring_zones: format.periods.iter().map(|span| expiring_zones(&library, span)).collect(),
            write_only_actions: write_only_actions::write_only_actions(&library, &format, |id| {
                specialized.function(id).or_else(|| library.functions.get(id.index()))
            }),
            rules_hash: hash.unwrap_or_else(|| crate::ir::rules_hash::of_format(&library, &format)),
            specialized,
            library,
            format,
            layout,
            bundles: units,
            definition_bundles: definition_units,
            worded_bundles: worded_bundles::WordedBundles::default(),
            ability_counts: ability_counts::AbilityCounts::default(),
            row,
        };
        program.find_hooks();
        let is_field = |instance: &usize| program.zone_of(*instance).is_some_and(|zone| zone.field);
        program.field_instances = (0..program.layout.instances).filter(is_field).collect();
        program.worded_bundles = worded_bundles::WordedBundles::new(&program);
        program.ability_counts = ability_counts::AbilityCounts::new(&program);
        program.static_bundles = program.find_static_bundles();
        let grants_concealed = |m: &Modification| program.may_grant(&m.change, |unit| program.has_concealed_ability(unit));
        program.may_grant_concealed = program.library.modifications.present().any(grants_concealed);
        let own: Vec<bool> =
            program.definition_bundles.iter().map(|units| units.iter().any(|unit| program.is_static(*unit))).collect();
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
            // A definition that is not loaded has no row. It is never played, so any set of plays is correct.
            if row.is_empty() {
                return PlaySet::ANY;
            }
            let Self { library, format, row: layout, bundles: units, .. } = &program;
            applicability::plays_for(&PrintedRow { library, format, layout, units, row })
        };
        program.applicable_plays = program.templates.iter().map(plays_for).collect();
        for (n, play) in program.format.plays.iter().enumerate() {
            let bit = if n < applicability::MAX_PLAYS { 1 << n } else { 0 };
            for zone in &play.from {
                match program.play_zones.iter_mut().find(|(known, _)| known == zone) {
                    Some((_, plays)) => *plays |= bit,
                    None => program.play_zones.push((*zone, bit)),
                }
            }
        }
        let announces = |(n, play): (usize, &crate::ir::Play)| u64::from(play.announced.is_some()) << n;
        program.announced_plays =
            program.format.plays.iter().take(applicability::MAX_PLAYS).enumerate().map(announces).fold(0, |all, bit| all | bit);
        program.state_rule_reads = program.format.state_rules.iter().map(|rule| ReadMask::of_body(&program, rule.body)).collect();
        program.modification_reads = ReadMask::of_modifications(&program.library);
        program.modification_row_writes = program
            .library
            .modifications
            .by_number(|m| m.map_or_else(RowAccess::default, |m| RowAccess::writes_of(m, &program.bundles)));
        program.compute_modification_closures();
        program.static_closure = program.definition_bundles.iter().map(|units| program.closure_of(units)).collect();
        let reads = |m: &Modification| program.reads_of(&roots_of(m));
        program.modification_row_reads = program.library.modifications.by_number(|m| m.map_or_else(RowAccess::default, reads));
        for ability in program.library.abilities.present() {
            if let AbilityKind::Static { condition: Some(condition), modifications: mods } = &ability.kind {
                let extra = program.reads_of(&[*condition]);
                for m in mods {
                    if let Some(reads) = program.modification_row_reads.get_mut(m.index()) {
                        *reads = reads.union(extra);
                    }
                }
            }
        }
        program
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
        for unit in self.definition_bundles.get(definition).map_or(&[][..], Vec::as_slice) {
            if let Some(place) = row.get_mut(self.row.bundles + *unit as usize / 32) {
                *place |= 1 << (unit % 32);
            }
        }
        row
    }

    /// The action by which resolved objects leave the list, if the game declares it.
    pub(crate) fn remove_action(&self) -> Option<u32> {
        self.format.actions.iter().position(|action| action.name == REMOVE_FROM_LIST_ACTION).map(|action| action as u32)
    }

    /// Whether a modification may give a dense bundle that satisfies a predicate.
    pub(crate) fn may_grant(&self, change: &Change, predicate: impl Fn(u32) -> bool) -> bool {
        let satisfies = |unit: &AbilityBundleId| self.bundles.binary_search(unit).is_ok_and(|dense| predicate(dense as u32));
        matches!(change, Change::SubstituteWord { .. }) || change.granted_bundles().iter().any(satisfies)
    }

    /// Whether a dense bundle has a static ability that can occur.
    pub(crate) fn is_static(&self, unit: u32) -> bool {
        self.statics.iter().any(|(known, _)| *known == unit)
    }

    /// Whether a dense bundle has an ability that is usable while its object is concealed.
    pub(crate) fn has_concealed_ability(&self, unit: u32) -> bool {
        self.concealed_abilities.iter().any(|(known, _)| *known == unit)
    }

    fn find_static_bundles(&self) -> Vec<u32> {
        let mut bits = vec![0; self.row.bundle_words];
        let is_static = |id: &AbilityId| self.library.abilities.get(id.index()).is_none_or(|ability| ability.kind.is_static());
        for (dense, unit) in self.bundles.iter().enumerate() {
            let whole = self.format.bundles.get(unit.index()).is_some_and(|unit| unit.abilities.iter().all(is_static));
            if let Some(word) = bits.get_mut(dense / 32).filter(|_| whole) {
                *word |= 1 << (dense % 32);
            }
        }
        bits
    }

    fn find_hooks(&mut self) {
        let mut all: Vec<(u32, AbilityId)> = Vec::new();
        for (dense, unit) in self.bundles.iter().enumerate() {
            if let Some(unit) = self.format.bundles.get(unit.index()).filter(|_| self.specialized.occurs(*unit)) {
                all.extend(unit.abilities.iter().map(|a| (dense as u32, *a)));
            }
        }
        for rule in &self.format.rules {
            all.extend(rule.abilities.iter().map(|a| (RULES_BUNDLE, *a)));
        }
        for (unit, id) in all {
            if self.specialized.is_dead(id) {
                continue;
            }
            let Some(ability) = self.library.abilities.get(id.index()) else { continue };
            let (pattern, which) = match &ability.kind {
                AbilityKind::Triggered { pattern, .. } => (pattern, 0),
                AbilityKind::Replacement { pattern, .. } => (pattern, 1),
                AbilityKind::Prohibition { pattern } => (pattern, 2),
                AbilityKind::TriggerModifier { pattern, .. } => (pattern, 3),
                AbilityKind::Static { .. } => {
                    if unit == RULES_BUNDLE {
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
                AbilityKind::Cost { .. } | AbilityKind::CostOption { .. } => {
                    // Costs of the game itself do not exist, since it is not used.
                    if unit != RULES_BUNDLE {
                        self.cost_abilities.push((unit, id));
                    }
                    continue;
                }
                AbilityKind::Paragraph { .. } => continue,
            };
            let hook =
                AbilityHook { bundle: unit, ability: id, args: self.arg_count(pattern.action), looks_back: pattern.looks_back };
            // A pattern receives the controller of its ability as `you`.
            let has = RowAccess {
                controller: unit != RULES_BUNDLE,
                bundles: if unit == RULES_BUNDLE { 0 } else { RowAccess::bundle_mask(unit) },
                ..RowAccess::default()
            };
            let reads = self.reads_of(pattern.filter.as_slice()).union(has);
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
                        _ => hooks.trigger_modifiers.push(hook),
                    }
                }
            }
        }
        // What the rules do by themselves comes before what objects do.
        for hooks in &mut self.hooks {
            hooks.triggers.sort_by_key(|hook| hook.bundle != RULES_BUNDLE);
        }
    }

    /// The filter of a replacement's pattern; `None` if it matches every event of its action.
    pub(crate) fn replacement_filter(&self, ability: AbilityId) -> Option<FnId> {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { pattern, .. }) => pattern.filter,
            _ => None,
        }
    }

    /// The filter of a prohibition's pattern; `None` if it matches every event of its action.
    pub(crate) fn prohibition_filter(&self, ability: AbilityId) -> Option<FnId> {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Prohibition { pattern }) => pattern.filter,
            _ => None,
        }
    }

    /// The number of arguments of an action.
    #[must_use]
    pub fn arg_count(&self, action: ActionId) -> usize {
        self.format.actions.get(action.index()).map_or(0, |a| a.params.len())
    }

    /// Whether `action` is `ancestor` or is derived from it (`is`).
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

    /// The number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.seats
    }

    /// A function, specialised for the card pool.
    #[inline]
    #[must_use]
    pub fn function(&self, id: FnId) -> Option<&Function> {
        self.specialized.function(id).or_else(|| self.library.functions.get(id.index()))
    }

    /// The liveness of a specialised function.
    #[inline]
    pub(crate) fn liveness(&self, id: FnId) -> Option<&Liveness> {
        self.liveness_table.get(&self.library, id, self.function(id)?)
    }

    /// A function as compiled, not specialised; for explanations.
    #[must_use]
    pub fn source_function(&self, id: FnId) -> Option<&Function> {
        self.library.functions.get(id.index())
    }

    /// A definition with the errata of this format applied.
    #[must_use]
    pub fn definition(&self, id: u32) -> Option<&crate::ir::Definition> {
        self.library.definitions.get(self.format.corrected(DefId(id)).index())
    }

    /// The definition that an object of definition `id` shows with a face in a zone instance (`None`: in no zone).
    #[must_use]
    pub fn shown_definition(&self, id: u32, face: u32, zone: Option<usize>) -> u32 {
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

    /// The faces that an object of a definition can be used with.
    #[must_use]
    pub fn faces(&self, id: u32) -> std::ops::RangeInclusive<u32> {
        match self.definition(id).map_or(0, |d| d.faces.len() as u32) {
            0 => 0..=0,
            further => 1..=1 + further,
        }
    }

    /// The definition whose values a concealing status gives to its objects, if it has one.
    #[must_use]
    pub fn disguise(&self, status: usize) -> Option<u32> {
        self.library.statuses.get(status).and_then(|status| status.disguise).map(|definition| definition.0)
    }

    /// The definition whose values objects have that are concealed without a name.
    #[must_use]
    pub fn nameless(&self) -> Option<u32> {
        let nameless = |status: &&usize| self.library.statuses.get(**status).is_some_and(|status| status.nameless);
        self.concealing_statuses.iter().filter(nameless).find_map(|status| self.disguise(*status))
    }

    /// A modification.
    #[must_use]
    pub fn modification(&self, id: u32) -> Option<&Modification> {
        self.library.modifications.get(id as usize)
    }

    /// The zone instance of a kind for a player; `None` if the format has no such zone.
    #[must_use]
    pub fn zone_instance(&self, kind: usize, player: usize) -> Option<usize> {
        let base = *self.layout.zone_base.get(kind)?;
        let each = self.library.zones.get(kind)?.each_player;
        if each && player >= self.players() {
            return None;
        }
        let instance = if each { base + player } else { base };
        // A zone kind that the format lacks has no instances.
        Some(instance).filter(|instance| self.layout.kind(*instance) == kind)
    }

    /// The zone kind of an instance.
    #[must_use]
    pub fn zone_of(&self, instance: usize) -> Option<&crate::ir::ZoneKind> {
        self.library.zones.get(self.layout.kind(instance))
    }

    /// Whether all players see the objects of a zone instance.
    #[must_use]
    pub fn is_public(&self, instance: usize) -> bool {
        self.zone_of(instance).is_some_and(|z| z.visibility == crate::ir::Visibility::Public)
    }

    /// The seat that a zone instance belongs to; `None` for a shared one.
    #[must_use]
    pub fn zone_owner(&self, instance: usize) -> Option<usize> {
        let kind = self.layout.kind(instance);
        let zone = self.library.zones.get(kind)?;
        if zone.each_player { Some(instance - self.layout.zone_base.get(kind)?) } else { None }
    }

    /// The name of a word of a trait set.
    #[must_use]
    pub fn word_name(&self, traits: crate::ir::TraitSetId, word: u16) -> &str {
        if traits == crate::ir::TraitSetId::CARD_NAMES {
            return self.library.definitions.get(usize::from(word)).map_or("", |definition| definition.name.as_str());
        }
        let set = self.library.traits.get(traits.index());
        set.and_then(|set| set.words.get(usize::from(word))).map_or("", String::as_str)
    }

    /// Whether the choice of a site is made on announcement.
    #[must_use]
    pub fn is_announced(&self, site: crate::ir::ChoiceSiteId) -> bool {
        self.announced_sites.get(site.index()).copied().unwrap_or(false)
    }

    /// Whether a replacement moves the object of the replaced event to another zone; else it leaves the object where it is.
    #[must_use]
    pub fn redirects(&self, ability: AbilityId) -> bool {
        match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { pattern, body, .. }) => {
                // The arguments and the cause of the event are the last parameters.
                let params = self.function(*body).map_or(0, |f| usize::from(f.params));
                let first = params.checked_sub(self.arg_count(pattern.action) + crate::ir::CAUSE_WORDS);
                first.is_some_and(|first| self.moves.moves_register(&self.library, *body, first as u16))
            }
            _ => false,
        }
    }

    /// Whether an event of an action moves its first object in any case, or does nothing else to it.
    #[inline]
    #[must_use]
    pub fn moves_first_object(&self, action: u32) -> bool {
        self.moves.moves_first_object(action)
    }

    /// The play of a code: an entry of the format, or an activated ability.
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

/// Play codes from this number on are activated abilities: `ABILITY_PLAY + ability`.
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
        Self { definition: 1, properties, words, bundles: at, bundle_words: unit_words, stride: at + unit_words }
    }
}

/// The statuses that conceal an object, restricted to those that some code writes or that hold initially.
fn find_concealing_statuses<'a>(library: &'a Library, specialized: &'a SpecializedCode) -> impl Iterator<Item = usize> + 'a {
    let conceals = library.statuses.iter().enumerate().filter(|(_, status)| status.conceals);
    conceals.filter(|(number, status)| status.initial != 0 || specialized.writes(*number)).map(|(number, _)| number)
}

/// All definitions, and all bundles that they or modifications can have.
fn all_definitions(library: &Library, format: &Format) -> (BTreeSet<u32>, Vec<AbilityBundleId>) {
    let mut bundles: BTreeSet<AbilityBundleId> = BTreeSet::new();
    for definition in library.definitions.present() {
        bundles.extend(&definition.bundles);
    }
    let mut reworded = BTreeSet::new();
    for change in library.modifications.present() {
        bundles.extend(change.change.granted_bundles());
        if let Change::SubstituteWord { traits, .. } = &change.change {
            reworded.extend([*traits]);
        }
    }
    // Other bundles of keywords whose arguments contain a word that can be substituted.
    let keyword =
        |unit: &AbilityBundleId| format.bundles.get(unit.index()).and_then(|u| u.keyword.as_ref()).map(|(keyword, _)| *keyword);
    let words = |keyword: crate::ir::KeywordId| library.keywords.get(keyword.index()).map_or(&[][..], |k| k.words.as_slice());
    let is_reworded = |k: &crate::ir::KeywordId| words(*k).iter().any(|(_, traits)| reworded.contains(traits));
    let changed: BTreeSet<_> = bundles.iter().filter_map(keyword).filter(is_reworded).collect();
    let all = (0..format.bundles.len() as u32).map(AbilityBundleId);
    bundles.extend(all.filter(|unit| keyword(unit).is_some_and(|keyword| changed.contains(&keyword))));
    ((0..library.definitions.len() as u32).collect(), bundles.into_iter().collect())
}

/// The definitions and bundles reachable from some cards, and tokens.
fn reachable_definitions(library: &Library, format: &Format, pool: &[DefId]) -> (BTreeSet<u32>, Vec<AbilityBundleId>) {
    let tokens = library.definitions.numbered().filter(|(_, definition)| definition.token).map(|(number, _)| number as u32);
    let cards = pool.iter().map(|card| card.0).chain(tokens);
    let mut reach = ReachableSet::new(library, std::iter::once(format), cards);
    let Ok(()) = reach.close(library, &mut FormatTables { library, format });
    (reach.definitions().clone(), reach.bundles().collect())
}

/// Whether a lifetime, which is the name or the kind of a period, ends with a period.
fn ends_with(lifetime: Option<&String>, period: &Period) -> bool {
    lifetime.is_some_and(|lifetime| match lifetime.as_str() {
        "phase" if period.phase => true,
        "step" if !period.phase => true,
        name => *name == period.path || *name == period.name,
    })
}

/// The zone kinds whose contents end with a period.
fn expiring_zones(library: &Library, period: &Period) -> Vec<usize> {
    let zones = library.zones.iter().enumerate();
    zones.filter(|(_, zone)| ends_with(zone.lifetime.as_ref(), period)).map(|(kind, _)| kind).collect()
}

/// The variables and statuses whose lifetime ends with a period, by its name or kind.
fn expiring_places(library: &Library, period: &Period) -> Vec<Place> {
    let is_over = |variable: &Variable| ends_with(variable.lifetime.as_ref(), period);
    let all = |variables: &[Variable], place: fn(u16) -> Place| -> Vec<Place> {
        let over = variables.iter().enumerate().filter(|(_, variable)| is_over(variable));
        over.map(|(number, _)| place(number as u16)).collect()
    };
    let Library { globals, player_variables, statuses, .. } = library;
    [all(globals, Place::Global), all(player_variables, Place::Player), all(statuses, Place::Status)].concat()
}

/// Whether an operation begins an effect that lasts for as long as a condition holds.
fn lasts_for_condition(op: &Op) -> bool {
    let (Op::BeginEffect { until, .. } | Op::Become { until, .. }) = op else { return false };
    until.iter().any(|end| matches!(end, DurationEnd::Failure { .. }))
}

fn has_plays_while_paying(library: &Library, format: &Format) -> bool {
    let is_used_so = |ability: &Ability| matches!(&ability.kind, AbilityKind::Activated { play } if play.during_payment);
    format.plays.iter().any(|play| play.during_payment) || library.abilities.present().any(is_used_so)
}

/// Returns the functions that take objects from the ends of lists, directly or by a function that they call.
fn taking_functions(library: &Library) -> BTreeSet<FnId> {
    let mut found: BTreeSet<FnId> = BTreeSet::new();
    loop {
        let takes = |op: &Op| {
            let mut calls = false;
            op.for_each_operand(|operand| {
                calls |= matches!(operand, Operand::Callee(function) | Operand::Function(function) if found.contains(&function));
            });
            calls || matches!(op, Op::TakeEnds { .. })
        };
        let more: Vec<FnId> = (library.functions.numbered())
            .map(|(number, function)| (FnId(number as u32), function))
            .filter(|(id, function)| !found.contains(id) && function.ops.iter().any(takes))
            .map(|(id, _)| id)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}
