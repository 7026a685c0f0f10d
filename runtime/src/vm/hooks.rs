//! Hooks of events: triggers, replacements and prohibitions that apply to an event, and durations that end by one. What
//! prevents an event is an [`Obstacle`].

use super::inline_vecs::{Args, InlineWords, Refs};
use crate::ir::ObjectRef;
use crate::ir::op::Place;
use crate::ir::verbs::{CHECK_STATE_TRIGGERS, VERBS};
use crate::ir::verify::MAX_ARGS;
use crate::ir::{
    AbilityId, AbilityKind, ActionId, Batching, CAUSE_WORDS, Cause, Change, FnId, NO_PLAYER, TriggerChange, Type, cause,
};
use crate::program::Program;
use crate::records::event::Event;
use crate::records::{
    EFFECT_ABILITIES, EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_COPIED, EFFECT_LOCKED, EFFECT_MODS, EFFECT_ONCE, EFFECT_SOURCE,
    EFFECT_STAMP, EFFECT_UNTIL, EFFECT_WHOM, UNTIL_EVENT, UNTIL_FAILURE,
};
use crate::records::{ENTRY_KIND, ENTRY_PLAY, ENTRY_SOURCE, entry_kind};
use crate::records::{PENDING_ABILITY, PENDING_ARGS, PENDING_CONTROLLER, PENDING_SERIAL, PENDING_SOURCE, PENDING_WORDS};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::{AbilityHook, RULES_BUNDLE};
use crate::vm::cache_entries::MatchingHooks;
use crate::vm::commit_segment::EffectContext;
use crate::vm::commit_segment::ImmediateBodies;
use crate::vm::eval_context::{EvalContext, MAX_ARGUMENTS};
use crate::vm::hook_classes::matching;
use crate::vm::machine::Machine;
use crate::vm::scratch::Scratch;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// An active ability with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveAbility {
    /// The ability.
    pub ability: AbilityId,
    /// The object that has it; none for a rule. For an ability of a continuous effect, the source of that effect.
    pub this: ObjectRef,
    /// Timestamp of the continuous effect that has the ability; 0 if an object or rule has it.
    pub effect: u32,
}

/// What makes a play or event impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This ability of this object, or of the game, forbids it.
    Ability(AbilityId, ObjectRef),
    /// An effect of something that resolved forbids it; the object is its source.
    Effect(ObjectRef),
    /// The play's own condition is false.
    Permission(u32),
    /// Its price or cost cannot be paid.
    Cost(u32),
    /// Its usage limit is reached.
    Limit(u32),
    /// A mandatory choice has too few candidates.
    NoChoice(u32),
    /// The player is not asked to act now.
    NotTheirDecision,
}

/// Triggers of one commit by abilities that trigger once for several events. Key: ability, source, timestamp of the continuous effect that
/// has it, index among the source's copies of the ability, and the party of the events. Value: how often it has triggered, and the records
/// of these triggers.
#[derive(Debug, Default)]
pub(crate) struct TriggerGroups(BTreeMap<GroupKey, TriggerGroup>);

type GroupKey = [u32; 5];

#[derive(Debug, Default)]
struct TriggerGroup {
    triggered: usize,
    records: Vec<Handle>,
}

impl TriggerGroups {
    /// Returns how often an ability still triggers on an event that makes it trigger `wanted` times. Earlier triggers of the same
    /// batch are subtracted.
    fn remaining(&mut self, key: Option<GroupKey>, wanted: usize) -> usize {
        let Some(key) = key else { return wanted };
        let group = self.0.entry(key).or_default();
        let further = wanted.saturating_sub(group.triggered);
        group.triggered += further;
        further
    }

    /// Returns whether an ability has triggered on an earlier event of the batch.
    fn has_triggered(&self, key: Option<GroupKey>) -> bool {
        key.and_then(|key| self.0.get(&key)).is_some_and(|group| group.triggered > 0)
    }

    /// Remembers the record of a waiting trigger.
    fn add_record(&mut self, key: Option<GroupKey>, record: Option<Handle>) {
        if let Some(group) = key.and_then(|key| self.0.get_mut(&key)) {
            group.records.extend(record);
        }
    }

    fn records(&self, key: Option<GroupKey>) -> &[Handle] {
        key.and_then(|key| self.0.get(&key)).map_or(&[], |group| &group.records)
    }
}

/// The arguments of the functions of a pattern: the source of the ability, its controller, the arguments of the event, its cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternArgs {
    values: [i64; MAX_ARGUMENTS],
    count: usize,
}

const _: () = assert!(2 + MAX_ARGS + CAUSE_WORDS <= MAX_ARGUMENTS, "the arguments of a pattern fit");

impl Deref for PatternArgs {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        self.values.get(..self.count).unwrap_or(&self.values)
    }
}

impl DerefMut for PatternArgs {
    fn deref_mut(&mut self) -> &mut [i64] {
        self.values.get_mut(..self.count).unwrap_or_default()
    }
}

/// Returns the group of an event for an ability; `None` if each event triggers it.
fn group_key(batching: Batching, [ability, source, stamp, nth]: [u32; 4], event: &Event) -> Option<GroupKey> {
    match batching {
        Batching::Each | Batching::InOrder => None,
        Batching::Once => Some([ability, source, stamp, nth, 0]),
        Batching::PerParam { param, .. } => {
            let party = event.arguments().get(usize::from(param)).copied().unwrap_or(0);
            Some([ability, source, stamp, nth, party as u32])
        }
    }
}

/// Returns the number of an event that is added over the events of a group, and its place from the end of the arguments of a trigger: those of
/// the event, then its cause. `known`: how many arguments of the event the trigger has.
fn total_of(batching: Batching, event: &Event, known: usize) -> Option<(i64, usize)> {
    let Batching::PerParam { total: Some(total), .. } = batching else { return None };
    let total = usize::from(total);
    Some((*event.arguments().get(total)?, (known + CAUSE_WORDS).checked_sub(total)?))
}

/// Clears the event's arguments of a once-per-batch trigger: it reads no single event, so two such triggers are equal.
fn clear_event_args(args: &mut [i64], from: usize, known: usize) {
    args.iter_mut().skip(from).take(known).for_each(|arg| *arg = 0);
}

impl EvalContext<'_> {
    /// Returns whether nothing forbids an event: one by a rule, or with `payer` one that pays a cost for an object and a player.
    pub(crate) fn is_possible(&self, scratch: &mut Scratch, action: ActionId, args: &[i64], payer: Option<(i64, i64)>) -> bool {
        match payer {
            Some((this, you)) => self.can_be_cost(scratch, action.0, args, this, (you, you)),
            None => {
                let declared = self.program.format.actions.get(action.index()).filter(|_| VERBS.get(action.index()).is_none());
                let is_by_player = declared.is_some_and(|it| matches!(it.params.first(), Some((_, Type::Player))));
                // An action of no player does not happen.
                !(is_by_player && args.first() == Some(&NO_PLAYER))
                    && self.query_obstacle(scratch, action.0, args, [cause::RULE, 0, NO_PLAYER, NO_PLAYER]).is_none()
            }
        }
    }

    /// Returns what forbids an event that may not be known wholly. A player of a declared action who is not known may be any player: the event is
    /// forbidden if it is forbidden for each.
    pub(crate) fn query_obstacle(&self, scratch: &mut Scratch, action: u32, args: &[i64], cause: Cause) -> Option<Obstacle> {
        let declared = self.program.format.actions.get(action as usize).filter(|_| VERBS.get(action as usize).is_none());
        let params = declared.map_or(&[][..], |declared| declared.params.as_slice());
        let is_unknown = |(_, (value, (_, ty))): &(usize, (&i64, &(String, Type)))| *ty == Type::Player && **value == NO_PLAYER;
        let unknown: Args = args.iter().zip(params).enumerate().filter(is_unknown).map(|(n, _)| n as i64).collect();
        if unknown.is_empty() {
            return self.forbidden(scratch, action, args, cause);
        }
        let mut all = Args::from_slice(args);
        let mut obstacle = None;
        for player in self.turn_order() {
            for place in &unknown {
                all.get_mut(*place as usize).into_iter().for_each(|value| *value = player as i64);
            }
            obstacle = Some(self.forbidden(scratch, action, &all, cause)?);
        }
        obstacle
    }

    /// Returns whether nothing forbids an event as part of a cost. Applies action aliases of the format first. `who`: the player of the cost, and
    /// the one who chooses.
    pub(crate) fn can_be_cost(
        &self,
        scratch: &mut Scratch,
        action: u32,
        args: &[i64],
        this: i64,
        (you, chooser): (i64, i64),
    ) -> bool {
        let cause = [cause::COST, this, you, chooser];
        let mut action = action;
        for treat in self.program.format.action_aliases.iter().filter(|treat| treat.action.0 == action) {
            let all: Args = [0, NO_PLAYER].iter().chain(args).chain(&cause).copied().collect();
            if treat.condition.is_none_or(|condition| self.test(scratch, condition, &all)) {
                action = treat.into.0;
                break;
            }
        }
        let Some(declared) = self.program.format.actions.get(action as usize) else { return false };
        // What has left, as the object of an ability that has paid for it, cannot be part of a cost any more.
        let is_missing = |it: &i64| !ObjectRef::from_value(*it).is_none() && !self.state.exists(ObjectRef::from_value(*it));
        if declared.params.first().is_some_and(|(_, ty)| *ty == Type::Object) && args.first().is_some_and(is_missing) {
            return false;
        }
        if !declared.cost_conditions.is_empty() {
            let mut given = Args::from_slice(&[this, you]);
            given.extend_from_slice(args);
            if !declared.cost_conditions.iter().all(|condition| self.test(scratch, *condition, &given)) {
                return false;
            }
        }
        declared.unstoppable || self.forbidden(scratch, action, args, cause).is_none()
    }

    /// Returns the objects on which a hook is active, once per copy of the ability. For an ability of the game itself, returns
    /// one `ObjectRef::NONE`.
    fn active_hooks(&self, hook: &AbilityHook) -> Refs {
        if hook.bundle == RULES_BUNDLE {
            return Refs::from_slice(&[ObjectRef::NONE]);
        }
        let zones = self.program.library.abilities.get(hook.ability.index()).map_or(0, |ability| ability.zones);
        let mut active = Refs::new();
        for it in self.derived.holders(hook.bundle) {
            if self.state.is_in_zone_kinds(self.program, it.slot(), zones) {
                (0..self.derived.copies_of(hook.bundle, *it)).for_each(|_| active.push(*it));
            }
        }
        active
    }

    /// Returns the arguments of the functions of a pattern, for an event of which the first `known` arguments are declared by its action.
    fn pattern_args(&self, scratch: &mut Scratch, this: ObjectRef, known: usize, args: &[i64], cause: Cause) -> PatternArgs {
        let you = if this.is_none() { NO_PLAYER } else { self.read(scratch, Place::Controller, this.value()) };
        let mut values = [0; MAX_ARGUMENTS];
        let [source, controller, rest @ ..] = &mut values;
        (*source, *controller) = (this.value(), you);
        if let Some((of_event, of_cause)) = rest.split_at_mut_checked(known) {
            of_event.iter_mut().zip(args).for_each(|(place, value)| *place = *value);
            of_cause.iter_mut().zip(&cause).for_each(|(place, value)| *place = *value);
        }
        PatternArgs { values, count: (2 + known + CAUSE_WORDS).min(MAX_ARGUMENTS) }
    }

    /// Returns what forbids an event, if anything does. Derived values must be up to date.
    pub(crate) fn forbidden(&self, scratch: &mut Scratch, action: u32, args: &[i64], cause: Cause) -> Option<Obstacle> {
        let hooks = self.program.hooks.get(action as usize)?;
        let mask = if hooks.prohibitions.is_empty() { 0 } else { self.matching_hooks(scratch, action, args).prohibitions };
        for hook in matching(&hooks.prohibitions, mask) {
            let rule = hook.bundle == RULES_BUNDLE;
            let holders = if rule { &[ObjectRef::NONE] } else { self.derived.holders(hook.bundle) };
            if holders.is_empty() {
                continue;
            }
            let Some(ability) = self.program.library.abilities.get(hook.ability.index()) else { continue };
            let AbilityKind::Prohibition { pattern } = &ability.kind else { continue };
            for this in
                holders.iter().copied().filter(|it| rule || self.state.is_in_zone_kinds(self.program, it.slot(), ability.zones))
            {
                if scratch.fuel > scratch.limit {
                    return None;
                }
                let all = self.pattern_args(scratch, this, hook.args, args, cause);
                if pattern.filter.is_none_or(|f| self.test(scratch, f, &all)) {
                    return Some(Obstacle::Ability(hook.ability, this));
                }
            }
        }
        for forbidding in &self.derived.prohibitions {
            if scratch.fuel > scratch.limit {
                return None;
            }
            if !self.program.descends(action as usize, forbidding.pattern.action.index()) {
                continue;
            }
            let known = self.program.arg_count(forbidding.pattern.action);
            let mut all = Args::from_slice(&forbidding.args);
            let captured = all.len();
            all.extend(args.iter().take(known).copied());
            all.resize(captured + known, 0);
            all.extend(cause);
            if forbidding.pattern.filter.is_none_or(|f| self.test(scratch, f, &all)) {
                let source = ObjectRef::from_value(forbidding.args.first().copied().unwrap_or(0));
                return Some(forbidding.ability.map_or(Obstacle::Effect(source), |a| Obstacle::Ability(a, source)));
            }
        }
        None
    }
}

impl Machine {
    /// Returns the controller of an object's abilities; `NO_PLAYER` for rules.
    pub(crate) fn ability_controller(&mut self, this: ObjectRef) -> i64 {
        if this.is_none() {
            return NO_PLAYER;
        }
        let (world, scratch) = self.world();
        world.read(scratch, Place::Controller, this.value())
    }

    pub(super) fn pattern_args(&mut self, this: ObjectRef, hook_args: usize, args: &[i64], cause: Cause) -> PatternArgs {
        let (world, scratch) = self.world();
        world.pattern_args(scratch, this, hook_args, args, cause)
    }

    /// Returns the hooks of an action that can match an event.
    pub(super) fn matching_hooks(&mut self, event: &Event) -> MatchingHooks {
        let world = EvalContext { program: &self.program, state: &self.state, derived: &self.derived };
        world.matching_hooks(&mut self.scratch, event.action, event.arguments())
    }

    /// Returns whether a hook is one of the game itself, or some object has its ability.
    fn may_be_active(&self, hook: &AbilityHook) -> bool {
        hook.bundle == RULES_BUNDLE || !self.derived.holders(hook.bundle).is_empty()
    }

    pub(super) fn active_hooks(&self, hook: &AbilityHook) -> Refs {
        EvalContext { program: &self.program, state: &self.state, derived: &self.derived }.active_hooks(hook)
    }

    pub(crate) fn refresh(&mut self) {
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
    }

    /// Returns the replacements that match an event.
    pub(crate) fn active_replacements(&mut self, action: u32, args: &[i64], cause: Cause) -> Vec<ActiveAbility> {
        let program = Arc::clone(&self.program);
        let Some(hooks) = program.hooks.get(action as usize) else { return Vec::new() };
        let mut found = self.effect_replacements(action, args, cause);
        if hooks.replacements.is_empty() {
            return found;
        }
        let (world, scratch) = self.world();
        let mask = world.matching_hooks(scratch, action, args).replacements;
        for hook in matching(&hooks.replacements, mask) {
            let filter = program.replacement_filter(hook.ability);
            for this in self.active_hooks(hook) {
                let all = self.pattern_args(this, hook.args, args, cause);
                if filter.is_none_or(|f| self.test(f, &all)) {
                    found.push(ActiveAbility { ability: hook.ability, this, effect: 0 });
                }
            }
        }
        found
    }

    /// Returns what forbids an event, if anything does.
    pub(crate) fn forbidden(&mut self, action: u32, args: &[i64], cause: Cause) -> Option<Obstacle> {
        let (world, scratch) = self.world();
        world.forbidden(scratch, action, args, cause)
    }

    /// Returns what forbids an event, for explanations.
    pub fn why_forbidden(&mut self, action: u32, args: &[i64], cause: Cause) -> Option<Obstacle> {
        self.forbidden(action, args, cause)
    }

    /// Finds the abilities that trigger on an event. Waiting triggers join the pool; bodies of immediate ones are appended to
    /// `at_once`. `once` belongs to the commit of the event. Returns whether a memory has recorded the event.
    pub(crate) fn find_triggers(
        &mut self,
        program: &Program,
        event: &Event,
        before: bool,
        once: &mut TriggerGroups,
        at_once: &mut ImmediateBodies,
    ) -> bool {
        self.refresh();
        let mut memories: SmallVec<[(FnId, Args); 2]> = SmallVec::new();
        if let Some(hooks) = program.hooks.get(event.action as usize).filter(|hooks| !hooks.triggers.is_empty()) {
            let mask = self.matching_hooks(event).triggers;
            for hook in matching(&hooks.triggers, mask) {
                if hook.looks_back != before || !self.may_be_active(hook) {
                    continue;
                }
                let Some(AbilityKind::Triggered { pattern, condition, immediate, limit, batching, body, optional, .. }) =
                    program.library.abilities.get(hook.ability.index()).map(|a| &a.kind)
                else {
                    continue;
                };
                let mut nth = (ObjectRef::NONE, 0);
                for this in self.active_hooks(hook) {
                    nth = (this, if nth.0 == this { nth.1 + 1 } else { 0 });
                    let mut all = self.pattern_args(this, hook.args, event.arguments(), event.cause);
                    let key = group_key(*batching, [hook.ability.0, this.0, 0, nth.1], event);
                    let fires = pattern.filter.is_none_or(|f| self.test(f, &all)) && condition.is_none_or(|f| self.test(f, &all));
                    if !fires {
                        continue;
                    }
                    if *batching == Batching::InOrder {
                        memories.push((*body, Args::from_slice(&all)));
                        continue;
                    }
                    if once.has_triggered(key)
                        && let Some(total) = total_of(*batching, event, hook.args)
                    {
                        self.add_to_total(total, once.records(key), at_once, (*body, this));
                    }
                    if *immediate && once.remaining(key, 1) == 0 {
                        continue;
                    }
                    if *batching == Batching::Once {
                        clear_event_args(&mut all, 2, hook.args);
                    }
                    if *immediate && let Some(limit) = limit {
                        let seat = self.seat(all.get(1).copied().unwrap_or(NO_PLAYER));
                        let code = hook.ability.0 | crate::records::TRIGGER_CODE;
                        if limit.count == 0 || self.limit_reached(code, this, seat) {
                            continue;
                        }
                        self.count_use(code, this, seat);
                    }
                    if *immediate {
                        let behalf = EffectContext {
                            cause: cause::EFFECT,
                            source: this,
                            player: all.get(1).copied().unwrap_or(NO_PLAYER),
                            ..EffectContext::default()
                        };
                        at_once.push((*body, Args::from_slice(&all), behalf));
                    } else {
                        let controller = all.get(1).copied().unwrap_or(NO_PLAYER);
                        let times = self.trigger_count(event, before, this, (true, *optional));
                        for _ in 0..once.remaining(key, times) {
                            let record = self.add_pending(hook.ability, this, controller, all.get(2..).unwrap_or(&[]));
                            once.add_record(key, record);
                        }
                    }
                }
            }
        }
        self.find_effect_triggers(program, event, before, once, at_once);
        for (body, args) in &memories {
            self.run_writes(program, event, *body, args);
        }
        !memories.is_empty()
    }

    /// Returns how often an ability of an object triggers on an event: once, or as active trigger modifiers say. They multiply
    /// triggers only if `again` is set. `optional`: its player may decline it.
    fn trigger_count(&mut self, event: &Event, before: bool, source: ObjectRef, (again, optional): (bool, bool)) -> usize {
        let program = Arc::clone(&self.program);
        let Some(hooks) = program.hooks.get(event.action as usize).filter(|hooks| !hooks.trigger_modifiers.is_empty()) else {
            return 1;
        };
        let mut times = 1;
        for hook in hooks.trigger_modifiers.iter().filter(|hook| hook.looks_back == before) {
            let Some(AbilityKind::TriggerModifier { pattern, whose, change }) =
                program.library.abilities.get(hook.ability.index()).map(|a| &a.kind)
            else {
                continue;
            };
            for this in self.active_hooks(hook) {
                let all = self.pattern_args(this, hook.args, event.arguments(), event.cause);
                if !pattern.filter.is_none_or(|f| self.test(f, &all)) {
                    continue;
                }
                let mut with_source = Args::from_slice(&all);
                with_source.push(source.value());
                if self.test(*whose, &with_source) {
                    match change {
                        TriggerChange::Never => return 0,
                        TriggerChange::NotOptionally if optional => return 0,
                        TriggerChange::NotOptionally => {}
                        TriggerChange::Again => times += usize::from(again),
                    }
                }
            }
        }
        times
    }

    /// Finds abilities that trigger as soon as a condition is true: each at most once until its trigger has left the pool and the
    /// list (CR 603.8).
    pub(crate) fn find_state_triggers(&mut self) {
        if self.program.hooks.get(CHECK_STATE_TRIGGERS as usize).is_none_or(|hooks| hooks.triggers.is_empty()) {
            return;
        }
        let program = Arc::clone(&self.program);
        let Some(hooks) = program.hooks.get(CHECK_STATE_TRIGGERS as usize) else { return };
        self.refresh();
        for hook in &hooks.triggers {
            let Some(AbilityKind::Triggered { pattern, .. }) =
                program.library.abilities.get(hook.ability.index()).map(|a| &a.kind)
            else {
                continue;
            };
            for this in self.active_hooks(hook) {
                let all = self.pattern_args(this, 0, &[], [cause::RULE, 0, NO_PLAYER, NO_PLAYER]);
                if pattern.filter.is_none_or(|f| self.test(f, &all)) && !self.is_waiting(hook.ability, this) {
                    let controller = all.get(1).copied().unwrap_or(NO_PLAYER);
                    self.add_pending(hook.ability, this, controller, all.get(2..).unwrap_or(&[]));
                }
            }
        }
    }

    /// Returns whether a trigger of an ability and source waits in the pool or on the list.
    fn is_waiting(&self, ability: AbilityId, source: ObjectRef) -> bool {
        let waits = self.state.block.list(at::PENDING_TRIGGERS).iter().any(|record| {
            let record = *record as usize;
            self.word(record + PENDING_ABILITY) == ability.0 && self.word(record + PENDING_SOURCE) == source.0
        });
        waits
            || self.program.list.is_some_and(|list| {
                self.state.zone_items(&self.program, list).iter().any(|item| {
                    let entry = self.state.column(ObjectRef(*item).slot(), at::ENTRY) as usize;
                    entry != 0
                        && self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER
                        && self.word(entry + ENTRY_PLAY) == ability.0
                        && self.word(entry + ENTRY_SOURCE) == source.0
                })
            })
    }

    /// Returns the first arguments of the functions of a continuous effect: its source, its controller, its captures.
    pub(crate) fn effect_args(&self, record: Handle) -> Args {
        let captures = self.state.block.list(record + EFFECT_CAPTURES).iter().map(|v| i64::from(*v as i32));
        [EFFECT_SOURCE, EFFECT_CONTROLLER].map(|word| self.state.block.int(record + word)).into_iter().chain(captures).collect()
    }

    /// Returns index and record of the continuous effect with a timestamp.
    pub(crate) fn effect_by_stamp(&self, stamp: u32) -> Option<(usize, Handle)> {
        let records = self.state.block.list(at::EFFECTS);
        let number = records.iter().position(|record| self.word(*record as usize + EFFECT_STAMP) == stamp)?;
        Some((number, self.state.block.item(at::EFFECTS, number) as usize))
    }

    /// Returns the replacements of continuous effects that match an event.
    fn effect_replacements(&mut self, action: u32, args: &[i64], cause: Cause) -> Vec<ActiveAbility> {
        let program = Arc::clone(&self.program);
        let mut found = Vec::new();
        for number in 0..self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            for ability in InlineWords::from_slice(self.state.block.list(record + EFFECT_ABILITIES)) {
                let Some(AbilityKind::Replacement { pattern, .. }) =
                    program.library.abilities.get(ability as usize).map(|a| &a.kind)
                else {
                    continue;
                };
                if !program.descends(action as usize, pattern.action.index()) {
                    continue;
                }
                let known = program.arg_count(pattern.action);
                let mut all = self.effect_args(record);
                all.extend(args.iter().take(known).copied());
                all.extend(cause);
                if pattern.filter.is_none_or(|f| self.test(f, &all)) {
                    let this = ObjectRef(self.word(record + EFFECT_SOURCE));
                    found.push(ActiveAbility { ability: AbilityId(ability), this, effect: self.word(record + EFFECT_STAMP) });
                }
            }
        }
        found
    }

    /// Finds the abilities of continuous effects that trigger on an event.
    fn find_effect_triggers(
        &mut self,
        program: &Program,
        event: &Event,
        before: bool,
        once: &mut TriggerGroups,
        at_once: &mut ImmediateBodies,
    ) {
        let mut number = 0;
        while number < self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            let mut fired = false;
            for ability in InlineWords::from_slice(self.state.block.list(record + EFFECT_ABILITIES)) {
                let Some(AbilityKind::Triggered { pattern, condition, immediate, batching, body, .. }) =
                    program.library.abilities.get(ability as usize).map(|a| &a.kind)
                else {
                    continue;
                };
                if pattern.looks_back != before || !program.descends(event.action as usize, pattern.action.index()) {
                    continue;
                }
                let known = program.arg_count(pattern.action);
                let mut all = self.effect_args(record);
                all.extend(event.arguments().iter().take(known).copied());
                all.extend(event.cause);
                let fires = pattern.filter.is_none_or(|f| self.test(f, &all)) && condition.is_none_or(|f| self.test(f, &all));
                if !fires {
                    continue;
                }
                fired = true;
                let controller = all.get(1).copied().unwrap_or(NO_PLAYER);
                let source = ObjectRef(self.word(record + EFFECT_SOURCE));
                let key = group_key(*batching, [ability, source.0, self.word(record + EFFECT_STAMP), 0], event);
                if once.has_triggered(key)
                    && let Some(total) = total_of(*batching, event, known)
                {
                    self.add_to_total(total, once.records(key), at_once, (*body, source));
                }
                let times = if *immediate { 1 } else { self.trigger_count(event, before, source, (false, false)) };
                if once.remaining(key, times) == 0 {
                    continue;
                }
                if *batching == Batching::Once {
                    let from = all.len().saturating_sub(known + CAUSE_WORDS);
                    clear_event_args(&mut all, from, known);
                }
                if *immediate {
                    at_once.push((
                        *body,
                        all,
                        EffectContext { cause: cause::EFFECT, source, player: controller, ..EffectContext::default() },
                    ));
                } else {
                    let record = self.add_pending(AbilityId(ability), source, controller, all.get(2..).unwrap_or(&[]));
                    once.add_record(key, record);
                }
            }
            if fired && self.word(record + EFFECT_ONCE) != 0 {
                self.remove_effect(number);
            } else {
                number += 1;
            }
        }
    }

    /// Adds the number of an event, at its place from the end of the arguments, to the triggers of earlier events of the batch, which stand for
    /// it too.
    fn add_to_total(
        &mut self,
        (added, from_end): (i64, usize),
        records: &[Handle],
        at_once: &mut ImmediateBodies,
        of: (FnId, ObjectRef),
    ) {
        for record in records {
            let known = self.state.block.len(record + PENDING_ARGS);
            let Some(place) = known.checked_sub(from_end) else { continue };
            let so_far = self.state.block.item(record + PENDING_ARGS, place) as i32;
            self.state.block.set_item(record + PENDING_ARGS, place, so_far.saturating_add(added as i32) as u32);
        }
        let earlier = at_once.iter_mut().rev().find(|(body, _, behalf)| (*body, behalf.source) == of);
        if let Some((_, args, _)) = earlier.filter(|_| records.is_empty())
            && let Some(place) = args.len().checked_sub(from_end)
            && let Some(number) = args.get_mut(place)
        {
            *number = number.saturating_add(added);
        }
    }

    /// Adds a trigger to the pool of waiting triggers. Returns its record, unless its controller has left the game.
    pub(crate) fn add_pending(&mut self, ability: AbilityId, source: ObjectRef, controller: i64, args: &[i64]) -> Option<Handle> {
        let controller = self.seat(controller) as u32;
        if self.state.has_left(controller as usize) {
            return None;
        }
        let record = self.state.block.alloc(PENDING_WORDS);
        self.set(record + PENDING_ABILITY, ability.0);
        self.set(record + PENDING_SOURCE, source.0);
        self.set(record + PENDING_CONTROLLER, controller);
        let serial = self.word(at::SERIAL);
        self.set(record + PENDING_SERIAL, serial);
        let words: InlineWords = args.iter().map(|a| *a as u32).collect();
        self.state.block.extend(record + PENDING_ARGS, &words);
        self.state.block.push(at::PENDING_TRIGGERS, record as u32);
        Some(record)
    }

    pub(crate) fn remove_effect(&mut self, number: usize) {
        if let Some(record) = self.state.block.remove(at::EFFECTS, number) {
            let record = record as usize;
            let continuous = [EFFECT_MODS, EFFECT_COPIED].iter().any(|list| self.state.block.len(record + list) != 0);
            for list in [EFFECT_MODS, EFFECT_ABILITIES, EFFECT_WHOM, EFFECT_CAPTURES, EFFECT_UNTIL, EFFECT_COPIED] {
                self.state.block.clear(record + list);
            }
            self.state.block.free(record);
            if continuous {
                self.derived.mark_effects_dirty();
                self.record_object_change();
            }
        }
    }

    /// Removes effects on a fixed set of objects of which none exists any more: they can never do anything again.
    pub(crate) fn remove_dead_effects(&mut self) {
        let mut number = 0;
        while number < self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            let locked = self.word(record + EFFECT_LOCKED) != 0;
            if locked && !self.state.block.list(record + EFFECT_WHOM).iter().any(|it| self.state.exists(ObjectRef(*it))) {
                self.remove_effect(number);
            } else {
                number += 1;
            }
        }
    }

    /// Returns the timestamps of effects and delayed triggers that end with an event which is about to happen (`before`) or has
    /// happened. `was` is the earlier reference of a moved object; an effect of that object matches the event with it.
    pub(crate) fn effects_ending_with(&mut self, program: &Program, event: &Event, before: bool, was: ObjectRef) -> InlineWords {
        let mut ended = InlineWords::new();
        for number in 0..self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            let ends = InlineWords::from_slice(self.state.block.list(record + EFFECT_UNTIL));
            let over = ends.chunks(4).any(|end| {
                let &[UNTIL_EVENT, action, filter, looks_back] = end else { return false };
                (looks_back != 0) == before && program.descends(event.action as usize, action as usize) && {
                    let mut args = event.args;
                    if !was.is_none() && self.word(record + EFFECT_SOURCE) == was.0 {
                        args[0] = was.value();
                    }
                    let known = program.arg_count(ActionId(action)).min(event.count as usize);
                    let mut all = self.effect_args(record);
                    all.extend(args.into_iter().take(known));
                    all.extend(event.cause);
                    self.test(FnId(filter), &all)
                }
            });
            if over {
                ended.push(self.word(record + EFFECT_STAMP));
            }
        }
        ended
    }

    /// Ends the effects that last for as long as a condition holds which does not hold any more, all at once; again while that makes others fail.
    pub(crate) fn end_failed_effects(&mut self) {
        if !self.program.has_lasting_conditions {
            return;
        }
        // Each pass but the last ends an effect. Without an effect that lasts for as long as a condition holds nothing is charged: whether a card that
        // is not in the game could begin one depends on the packs that are loaded.
        while self.scratch.fuel <= self.limits.fuel && self.has_effect_with_condition() {
            self.charge_change();
            let mut ended = InlineWords::new();
            for number in 0..self.state.block.len(at::EFFECTS) {
                let record = self.state.block.item(at::EFFECTS, number) as usize;
                let ends = InlineWords::from_slice(self.state.block.list(record + EFFECT_UNTIL));
                let has_failed = ends.chunks(4).any(|end| {
                    let &[UNTIL_FAILURE, condition, ..] = end else { return false };
                    !self.test(FnId(condition), &self.effect_args(record))
                });
                if has_failed {
                    ended.push(self.word(record + EFFECT_STAMP));
                }
            }
            if ended.is_empty() {
                return;
            }
            // Copies that began at once share a timestamp.
            ended.iter().for_each(|stamp| self.end_effect(*stamp));
        }
    }

    /// Whether a live effect lasts for as long as a condition holds.
    fn has_effect_with_condition(&self) -> bool {
        let block = &self.state.block;
        let ends = |effect: &u32| block.list(*effect as usize + EFFECT_UNTIL).chunks(4);
        block.list(at::EFFECTS).iter().flat_map(ends).any(|end| end.first() == Some(&UNTIL_FAILURE))
    }

    /// Ends the effect or delayed trigger with a timestamp.
    pub(crate) fn end_effect(&mut self, stamp: u32) {
        if let Some((number, _)) = self.effect_by_stamp(stamp) {
            self.remove_effect(number);
        }
    }

    /// Ends resolved effects on an object, except changes of its controller, and deletes its use counts. An effect that also
    /// controls several objects stays as it is.
    pub(crate) fn clear_effects_on(&mut self, it: ObjectRef) {
        let program = Arc::clone(&self.program);
        let controls = |id: &u32| {
            let change = program.library.modifications.get(*id as usize).map(|it| &it.change);
            matches!(change, Some(Change::SetController(_)))
        };
        for number in (0..self.state.block.len(at::EFFECTS)).rev() {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            let mods = InlineWords::from_slice(self.state.block.list(record + EFFECT_MODS));
            let whom = InlineWords::from_slice(self.state.block.list(record + EFFECT_WHOM));
            // What an object was before stays listed, but is nothing any more.
            let is_other = |other: &u32| *other != it.0 && self.state.exists(ObjectRef(*other));
            let others: InlineWords = whom.iter().copied().filter(is_other).collect();
            let kept: InlineWords = mods.iter().copied().filter(controls).collect();
            let changes = !mods.is_empty() || self.state.block.len(record + EFFECT_COPIED) != 0;
            if !changes || !whom.contains(&it.0) {
                continue;
            }
            match (others.is_empty(), kept.is_empty()) {
                (true, true) => self.remove_effect(number),
                (true, false) => self.state.block.replace(record + EFFECT_MODS, &kept),
                (false, true) => self.state.block.replace(record + EFFECT_WHOM, &others),
                (false, false) => continue,
            }
            self.derived.mark_effects_dirty();
        }
        self.delete_object_counts(it);
    }

    /// Ends effects that last until the start or end of a period; at the end, use counts of the period end, too.
    pub(crate) fn end_by_period(&mut self, span: u32, start: bool) {
        if !start {
            self.delete_period_counts(span);
        }
        self.end_effects_until(span, start);
        self.end_failed_effects();
    }

    /// Ends effects that last until the start or end of a period; use counts stay.
    pub(crate) fn end_effects_until(&mut self, span: u32, start: bool) {
        let active = self.state.active() as u32;
        let turn = self.state.turn();
        let is_over = |machine: &Self, list: Handle| {
            machine.state.block.list(list).chunks(4).any(|end| match *end {
                [0, s, _, _] => !start && s == span,
                [1, s, player, began] => !start && s == span && player == active && turn > began,
                [2, s, player, began] => start && s == span && player == active && turn > began,
                _ => false,
            })
        };
        let mut number = 0;
        while number < self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            if is_over(self, record + EFFECT_UNTIL) {
                self.remove_effect(number);
            } else {
                number += 1;
            }
        }
    }

    /// Ends effects that last until a period in the next turn of a player, for a player who has left and would have that turn
    /// now.
    pub(crate) fn end_by_missed_turn(&mut self, seat: usize) {
        let mut number = 0;
        while number < self.state.block.len(at::EFFECTS) {
            let record = self.state.block.item(at::EFFECTS, number) as usize;
            let ends = self.state.block.list(record + EFFECT_UNTIL);
            if ends.chunks(4).any(|end| matches!(*end, [1 | 2, _, player, _] if player as usize == seat)) {
                self.remove_effect(number);
            } else {
                number += 1;
            }
        }
    }

    /// Runs after each commit: conditions of durations, losing players and state triggers.
    pub(crate) fn after_commit(&mut self) {
        self.end_failed_effects();
        self.settle_losses();
        self.find_state_triggers();
    }
}
