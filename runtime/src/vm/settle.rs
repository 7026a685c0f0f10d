//! Settling: runs state rules (CR 704) to a fixpoint, then puts waiting triggers on the list as the timing says (CR 117.5): in turn order, each
//! player orders their own (CR 603.3b).
//!
//! All dirty state rules run in one batch (CR 704.3): each runs up to the first event that it proposes, in declaration order.
//! Their proposals are committed together.

use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::{Args, InlineWords};
use crate::ir::ObjectRef;
use crate::ir::verbs::{BEGIN, FINISH};
use crate::ir::{AbilityId, AbilityKind, FnId, Op, TriggerPlacement, Type};
use crate::records::TRIGGER_CODE;
use crate::records::frame::{KIND, batch, body, kind, settle};
use crate::records::{PENDING_ABILITY, PENDING_ARGS, PENDING_CONTROLLER, PENDING_SERIAL, PENDING_SOURCE};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::EffectContext;
use crate::vm::machine::{Machine, Record};
use std::collections::BTreeMap;

/// Serial of a waiting trigger that was found not to have missed its timing.
const IN_TIME: u32 = u32::MAX;

/// A group of waiting triggers; `None` does not restrict it.
#[derive(Clone, Copy)]
struct TriggerGroup {
    /// Only optional, or only mandatory ones.
    optional: Option<bool>,
    /// Only those on a phase that begins or ends, or only others.
    of_phase: Option<bool>,
}

impl TriggerGroup {
    const ALL: Self = Self { optional: None, of_phase: None };

    /// Mandatory ones before optional ones.
    const BY_DUTY: [Self; 2] = [Self { optional: Some(false), of_phase: None }, Self { optional: Some(true), of_phase: None }];

    /// The same for those on events and steps; those on phases follow, each alone.
    const WITH_PHASES_ALONE: [Self; 3] = [
        Self { optional: Some(false), of_phase: Some(false) },
        Self { optional: Some(true), of_phase: Some(false) },
        Self { optional: None, of_phase: Some(true) },
    ];
}

impl Machine {
    /// Returns the state rule that ended the game. `None` if the game has not ended, or did not end by a state rule, for example by a
    /// concession.
    #[must_use]
    pub fn ending_state_rule(&self) -> Option<&str> {
        self.outcome()?;
        let frames = self.state.block.list(at::FRAMES);
        let settling = frames.iter().rposition(|frame| self.word(*frame as usize + KIND) == kind::SETTLE)?;
        let check = *frames.get(settling + 1).filter(|frame| self.word(**frame as usize + KIND) == kind::BATCH)? as usize;
        let function = self.word(self.body_that_ended_game(check)? + body::FUNCTION);
        self.program.format.state_rules.iter().find(|rule| rule.body.0 == function).map(|rule| rule.name.as_str())
    }

    /// Returns the name of the action that ended the game: the innermost action whose name does not begin with `_`. `None` as for
    /// [`Machine::ending_state_rule`].
    #[must_use]
    pub fn ending_action(&self) -> Option<&str> {
        self.outcome()?;
        let actions = &self.program.format.actions;
        let bodies = self.state.block.list(at::FRAMES).iter().rev().map(|frame| *frame as usize);
        let functions =
            bodies.filter(|frame| self.word(frame + KIND) == kind::BODY).map(|frame| FnId(self.word(frame + body::FUNCTION)));
        let mut in_progress = functions.filter_map(|function| actions.iter().find(|action| action.body == Some(function)));
        in_progress.find(|action| !action.name.is_empty() && !action.name.starts_with('_')).map(|action| action.name.as_str())
    }

    /// Pushes a settling frame. `triggers`: also puts waiting triggers on the list.
    pub(crate) fn push_settle(&mut self, triggers: bool) -> Handle {
        let frame = self.push_frame(kind::SETTLE, settle::WORDS);
        self.set(frame + settle::TRIGGERS, u32::from(triggers));
        frame
    }

    pub(crate) fn resume_settle(&mut self, frame: Handle) {
        match self.word(frame + settle::PHASE) {
            0 => {
                let now = self.word(at::COMMIT_COUNT);
                if self.word(at::SETTLED_AT) == now.wrapping_add(1) || self.program.format.state_rules.is_empty() {
                    self.set(frame + settle::PHASE, 2);
                    return;
                }
                let rounds = self.word(frame + settle::ROUNDS) + 1;
                self.set(frame + settle::ROUNDS, rounds);
                if rounds > self.limits.rounds {
                    self.exceed(Budget::Loop);
                    return;
                }
                self.set(frame + settle::BEFORE, now);
                self.set(frame + settle::PHASE, 1);
                if self.next_acting_rule(0).is_some() {
                    let check = self.push_batch();
                    self.set(check + batch::PHASE, batch::COLLECTING);
                }
            }
            1 => {
                let now = self.word(at::COMMIT_COUNT);
                if now == self.word(frame + settle::BEFORE) {
                    self.set(at::SETTLED_AT, now.wrapping_add(1));
                    self.set(frame + settle::PHASE, 2);
                } else {
                    self.set(frame + settle::ACTED, 1);
                    self.set(frame + settle::PHASE, 0);
                }
            }
            2 => {
                self.find_state_triggers();
                self.place_triggers(frame);
            }
            _ => {
                // A player picked the next trigger, or decided whether to use an optional one.
                let (choices, _) = self.take_answer();
                let picker = self.word(frame + settle::PICKER) as usize;
                self.set(frame + settle::PHASE, 0);
                match choices.first() {
                    Some(picked @ Choice::Trigger { .. }) => {
                        let mine = self.pending_of(picker as u32, TriggerGroup::ALL);
                        let index = self.pending_choices(&mine).iter().position(|choice| choice == picked);
                        if let Some(index) = index.and_then(|i| mine.get(i).copied()) {
                            // If only optional ones were offered, picking one declares it.
                            let declared = self.program.format.timing.triggers == TriggerPlacement::NewList;
                            self.start_or_ask(frame, index, picker, declared);
                        }
                    }
                    Some(Choice::Pass) => self.drop_optional(picker as u32),
                    Some(Choice::Yes) => self.start_trigger(picker),
                    _ => self.drop_pending(picker),
                }
            }
        }
    }

    /// Starts the body of the next dirty state rule of a check; after the last one, ends collecting.
    pub(super) fn collect_rule_proposals(&mut self, check: Handle) {
        let next = self.word(check + batch::CURSOR) as usize;
        if let Some(rule) = self.next_acting_rule(next)
            && let Some(body) = self.program.format.state_rules.get(rule).map(|r| r.body)
        {
            self.begin_rule(rule);
            self.set(check + batch::CURSOR, rule as u32 + 1);
            let active = self.state.active() as i64;
            let pushed = self.push_body(body, &[0, active], EffectContext { player: active, ..EffectContext::default() });
            self.set(pushed + body::BATCH, check as u32);
            return;
        }
        self.end_collecting(check);
        if self.state.block.len(check + batch::BODIES) == 0 {
            self.pop_frame();
        }
    }

    /// Ends the collection of proposals, if a batch is a check that collects.
    pub(super) fn end_collecting(&mut self, check: Handle) {
        if self.is_collecting(check) {
            self.set(check + batch::PHASE, 0);
            self.set(check + batch::CURSOR, 0);
            self.end_rules();
        }
    }

    /// Returns whether more state rules will run in a check.
    pub(super) fn collects_more(&mut self, check: Handle) -> bool {
        let next = self.word(check + batch::CURSOR) as usize;
        self.is_collecting(check) && self.next_acting_rule(next).is_some()
    }

    fn is_collecting(&self, check: Handle) -> bool {
        check != 0 && self.word(check + batch::PHASE) == batch::COLLECTING
    }

    fn end_settle(&mut self, frame: Handle) {
        let report = self.word(frame + settle::REPORT) as usize;
        if report != 0 {
            let register = self.word(frame + settle::REGISTER) as u16;
            let acted = self.word(frame + settle::ACTED) != 0;
            self.report(report, Some((register, acted)), None);
        }
        self.pop_frame();
    }

    fn place_triggers(&mut self, frame: Handle) {
        let placement = self.program.format.timing.triggers;
        let nothing = self.word(frame + settle::TRIGGERS) == 0 || self.state.block.len(at::PENDING_TRIGGERS) == 0;
        let must_wait =
            placement == TriggerPlacement::NewList && (self.word(at::RESOLVING_COUNT) != 0 || !self.list_has_only_triggers());
        if nothing || must_wait {
            self.end_settle(frame);
            return;
        }
        self.drop_missed_triggers();
        self.drop_unchoosable();
        if self.state.block.len(at::PENDING_TRIGGERS) == 0 {
            self.end_settle(frame);
            return;
        }
        self.set(frame + settle::ACTED, 1);
        let order: Vec<u32> = {
            let (world, _) = self.world();
            world.turn_order().map(|p| p as u32).collect()
        };
        let timing = self.program.format.timing;
        if timing.triggers_change_sides {
            self.renew_controllers();
        }
        let declares = timing.declares_optional_triggers;
        let groups: &[TriggerGroup] = match placement {
            TriggerPlacement::NewList if timing.phase_triggers_alone => &TriggerGroup::WITH_PHASES_ALONE,
            TriggerPlacement::NewList => &TriggerGroup::BY_DUTY,
            _ => &[TriggerGroup::ALL],
        };
        for group in groups {
            if group.of_phase == Some(true) && !self.is_list_empty() {
                break;
            }
            for player in &order {
                let mine = self.pending_of(*player, *group);
                match mine.as_slice() {
                    [] => {}
                    [only] => {
                        self.set(frame + settle::PHASE, 0);
                        self.start_or_ask(frame, *only, *player as usize, false);
                        return;
                    }
                    several => {
                        let mut options = self.pending_choices(several);
                        let all_optional = several.iter().all(|index| self.is_optional_pending(*index));
                        if all_optional && declares && group.optional != Some(false) {
                            options.push(Choice::Pass);
                        }
                        self.set(frame + settle::PICKER, *player);
                        self.set(frame + settle::PHASE, 3);
                        self.ask(&Decision::one(*player as usize, DecisionKind::Trigger, options));
                        return;
                    }
                }
            }
        }
        self.end_settle(frame);
    }

    /// Returns the indices of a player's waiting triggers of a group in the pool.
    fn pending_of(&self, player: u32, group: TriggerGroup) -> Vec<usize> {
        let own = |i: &usize| {
            let record = self.state.block.item(at::PENDING_TRIGGERS, *i) as usize;
            self.word(record + PENDING_CONTROLLER) == player
                && group.optional.is_none_or(|optional| self.is_optional_pending(*i) == optional)
                && group.of_phase.is_none_or(|of_phase| self.is_of_phase(*i) == of_phase)
        };
        (0..self.state.block.len(at::PENDING_TRIGGERS)).filter(own).collect()
    }

    fn pending_ability(&self, index: usize) -> AbilityId {
        AbilityId(self.word(self.state.block.item(at::PENDING_TRIGGERS, index) as usize + PENDING_ABILITY))
    }

    fn is_optional_pending(&self, index: usize) -> bool {
        self.is_optional(self.pending_ability(index))
    }

    /// Returns whether a waiting trigger is one on a phase, or the turn, that begins or ends.
    fn is_of_phase(&self, index: usize) -> bool {
        let ability = self.program.library.abilities.get(self.pending_ability(index).index());
        let Some(AbilityKind::Triggered { pattern, .. }) = ability.map(|ability| &ability.kind) else { return false };
        // The pattern of a reflexive trigger has no filter; it waits for no event.
        if !matches!(pattern.action.0, BEGIN | FINISH) || pattern.filter.is_none() {
            return false;
        }
        // The captures of a delayed trigger come first, the cause last.
        let args = self.state.block.item(at::PENDING_TRIGGERS, index) as usize + PENDING_ARGS;
        let behind = self.program.arg_count(pattern.action) + crate::ir::CAUSE_WORDS;
        let number = self.state.block.len(args).checked_sub(behind).map_or(0, |first| self.state.block.item(args, first));
        number == 0 || self.program.format.periods.get(number as usize).is_some_and(|period| period.phase)
    }

    fn is_list_empty(&self) -> bool {
        self.program.list.is_none_or(|list| self.state.zone_items(&self.program, list).is_empty())
    }

    /// Gives the waiting triggers to the players who control their sources now.
    fn renew_controllers(&mut self) {
        for index in 0..self.state.block.len(at::PENDING_TRIGGERS) {
            let record = self.state.block.item(at::PENDING_TRIGGERS, index) as usize;
            let source = ObjectRef(self.word(record + PENDING_SOURCE));
            let in_field = |zone: usize| Some(self.program.layout.kind(zone)) == self.program.field;
            if !self.state.exists(source) || !self.state.zone(source.slot()).is_some_and(in_field) {
                continue;
            }
            let controller = self.controller(source);
            if controller >= 0 && (controller as usize) < self.program.players() {
                self.set(record + PENDING_CONTROLLER, controller as u32);
            }
        }
    }

    /// Returns waiting triggers as options. Triggers of one ability and source differ by the object of their event, or by a
    /// number. Triggers with equal arguments are the same option.
    fn pending_choices(&self, places: &[usize]) -> Vec<Choice> {
        let choice = |place: &usize| {
            let record = self.state.block.item(at::PENDING_TRIGGERS, *place) as usize;
            let ability = self.word(record + PENDING_ABILITY);
            let source = ObjectRef(self.word(record + PENDING_SOURCE));
            let types = self.trigger_types(AbilityId(ability));
            let first = types.iter().position(|ty| *ty == Type::Object);
            let about = first.map_or(ObjectRef::NONE, |i| ObjectRef(self.state.block.item(record + PENDING_ARGS, i)));
            Choice::Trigger { ability, source, about: if about == source { ObjectRef::NONE } else { about }, nth: 0 }
        };
        // The distinct arguments of triggers that are the same otherwise.
        let mut known: BTreeMap<(u32, ObjectRef, ObjectRef), Vec<&[u32]>> = BTreeMap::new();
        let numbered = |place: &usize| {
            let mut option = choice(place);
            if let Choice::Trigger { ability, source, about, nth } = &mut option {
                let args = self.state.block.list(self.state.block.item(at::PENDING_TRIGGERS, *place) as usize + PENDING_ARGS);
                let alike = known.entry((*ability, *source, *about)).or_default();
                let number = alike.iter().position(|other| *other == args).unwrap_or_else(|| {
                    alike.push(args);
                    alike.len() - 1
                });
                *nth = number as u16;
            }
            option
        };
        places.iter().map(numbered).collect()
    }

    /// Returns the types of a triggered ability's event arguments.
    fn trigger_types(&self, ability: AbilityId) -> Vec<Type> {
        let kind = self.program.library.abilities.get(ability.index()).map(|a| &a.kind);
        let Some(AbilityKind::Triggered { body, pattern, .. }) = kind else { return Vec::new() };
        let count = self.program.arg_count(pattern.action);
        let registers =
            self.program.function(*body).map_or(&[][..], |f| f.registers.get(2..usize::from(f.params)).unwrap_or(&[]));
        // The captures of a delayed trigger come first, the cause last.
        let from = registers.len().saturating_sub(count + crate::ir::CAUSE_WORDS);
        let mut types = vec![Type::Number; from.min(registers.len())];
        types.extend(registers.iter().skip(from).take(count));
        types
    }

    /// Starts a waiting trigger. If optional triggers are declared, its player decides first, unless it is declared already.
    fn start_or_ask(&mut self, frame: Handle, index: usize, player: usize, declared: bool) {
        let record = self.state.block.item(at::PENDING_TRIGGERS, index) as usize;
        if declared || !self.is_declared_on_placing(AbilityId(self.word(record + PENDING_ABILITY))) {
            self.start_trigger(index);
            return;
        }
        self.set(frame + settle::PICKER, index as u32);
        self.set(frame + settle::PHASE, 3);
        self.ask(&Decision::one(player, DecisionKind::YesNo, vec![Choice::Yes, Choice::No]));
    }

    /// Returns whether the player decides about an optional ability when it is put on the list.
    pub(crate) fn is_declared_on_placing(&self, ability: AbilityId) -> bool {
        self.program.format.timing.declares_optional_triggers && self.is_optional(ability)
    }

    /// Returns whether the list is empty, or holds only triggers.
    fn list_has_only_triggers(&self) -> bool {
        let Some(list) = self.program.list else { return true };
        self.state.zone_items(&self.program, list).iter().all(|item| {
            let entry = self.state.column(ObjectRef(*item).slot(), at::ENTRY) as usize;
            self.word(entry + crate::records::ENTRY_KIND) == crate::records::entry_kind::TRIGGER
        })
    }

    fn is_optional(&self, ability: AbilityId) -> bool {
        matches!(
            self.program.library.abilities.get(ability.index()).map(|a| &a.kind),
            Some(AbilityKind::Triggered { optional: true, .. })
        )
    }

    /// Drops the optional triggers that a player was offered and declines.
    fn drop_optional(&mut self, player: u32) {
        let timing = self.program.format.timing;
        let groups: &[TriggerGroup] =
            if timing.phase_triggers_alone { &TriggerGroup::WITH_PHASES_ALONE } else { &TriggerGroup::BY_DUTY };
        let offered = groups.iter().map(|group| self.pending_of(player, TriggerGroup { optional: Some(true), ..*group }));
        let declined = offered.into_iter().find(|offered| !offered.is_empty()).unwrap_or_default();
        for index in declined.into_iter().rev() {
            self.drop_pending(index);
        }
    }

    /// Drops triggers whose usage limit is reached, and those that have missed their timing. The others keep their timing while
    /// they are put on the list.
    fn drop_missed_triggers(&mut self) {
        let now = self.word(at::SERIAL);
        let mut index = 0;
        while index < self.state.block.len(at::PENDING_TRIGGERS) {
            let record = self.state.block.item(at::PENDING_TRIGGERS, index) as usize;
            let serial = self.word(record + PENDING_SERIAL);
            let ability = self.program.library.abilities.get(self.word(record + PENDING_ABILITY) as usize);
            let can_miss_timing = matches!(ability.map(|a| &a.kind), Some(AbilityKind::Triggered { can_miss_timing: true, .. }));
            let (source, seat) = (ObjectRef(self.word(record + PENDING_SOURCE)), self.word(record + PENDING_CONTROLLER) as usize);
            let used_up = self.limit_reached(self.word(record + PENDING_ABILITY) | TRIGGER_CODE, source, seat);
            if used_up || can_miss_timing && serial != IN_TIME && serial != now {
                self.drop_pending(index);
            } else {
                self.set(record + PENDING_SERIAL, IN_TIME);
                index += 1;
            }
        }
    }

    /// Drops triggers without enough candidates, if the format announces nothing without its choices.
    fn drop_unchoosable(&mut self) {
        let timing = self.program.format.timing;
        if !self.program.format.announce.requires_choices || !timing.uses_list {
            return;
        }
        let mut index = 0;
        while index < self.state.block.len(at::PENDING_TRIGGERS) {
            let record = self.state.block.item(at::PENDING_TRIGGERS, index) as usize;
            if self.lacks_choices(record) {
                self.drop_pending(index);
            } else {
                index += 1;
            }
        }
    }

    fn lacks_choices(&mut self, record: Handle) -> bool {
        let program = std::sync::Arc::clone(&self.program);
        let id = AbilityId(self.word(record + PENDING_ABILITY));
        let declared = self.is_declared_on_placing(id);
        let Some(AbilityKind::Triggered { body, off_list: false, .. }) =
            program.library.abilities.get(id.index()).map(|ability| &ability.kind)
        else {
            return false;
        };
        let Some(code) = program.function(*body) else { return false };
        let (source, you) =
            (ObjectRef(self.word(record + PENDING_SOURCE)).value(), i64::from(self.word(record + PENDING_CONTROLLER)));
        let mut known = Args::from_slice(&[source, you]);
        known.extend(self.state.block.list(record + PENDING_ARGS).iter().map(|word| i64::from(*word as i32)));
        // What happens in any case is put on the list although it does nothing.
        if declared && self.unmet_need(*body, &known, true).is_some() {
            return true;
        }
        for op in &code.ops {
            if let Op::ChooseModes { site, .. } = op
                && self.lacks_modes(*body, *site, source, you)
            {
                return true;
            }
            let Op::Choose { site, .. } = op else { continue };
            let Some(it) = program.library.sites.get(site.index()) else { continue };
            let args: Args = it.captures.iter().filter_map(|reg| known.get(usize::from(*reg)).copied()).collect();
            let of_controller = it.chooser == crate::ir::Chooser::Controller;
            let decided = it.mode.is_none() && args.len() == it.captures.len() && of_controller && (!it.optional || declared);
            if !program.is_announced(*site) || !decided {
                continue;
            }
            if !self.has_enough_candidates((*site, it), &args, source, you) {
                return true;
            }
        }
        false
    }

    fn drop_pending(&mut self, index: usize) {
        if let Some(record) = self.state.block.remove(at::PENDING_TRIGGERS, index) {
            self.state.block.clear(record as usize + PENDING_ARGS);
            self.state.block.free(record as usize);
        }
    }

    /// Takes a trigger from the pool and announces it; without a list, it resolves immediately.
    fn start_trigger(&mut self, index: usize) {
        let Some(record) = self.state.block.remove(at::PENDING_TRIGGERS, index) else { return };
        let record = record as usize;
        let ability = AbilityId(self.word(record + PENDING_ABILITY));
        let source = ObjectRef(self.word(record + PENDING_SOURCE));
        let controller = self.state.block.int(record + PENDING_CONTROLLER);
        let args = InlineWords::from_slice(self.state.block.list(record + PENDING_ARGS));
        self.state.block.clear(record + PENDING_ARGS);
        self.state.block.free(record);
        self.record(|| Record::Trigger { ability: ability.0, source });
        self.announce_trigger(ability, source, controller, &args);
    }
}
