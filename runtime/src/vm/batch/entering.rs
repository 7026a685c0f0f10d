//! Replacement effects for objects that enter the field, matched against the object as it will be there (CR 614.12).
//!
//! The machine performs the move on trial, collects the replacements and restores the game. It skips the trial if the print of
//! the object proves, by partial evaluation, that no replacement applies.
//! Debug builds run the trial nevertheless and compare; reference mode always runs it.

use crate::ir::ObjectRef;
use crate::ir::verbs::PUT;
use crate::ir::{Type, has_zone};
use crate::records::event::{Event, MEMBER_MOVE, status};
use crate::records::{EFFECT_ABILITIES, EFFECT_COPIED};
use crate::state::block::Handle;
use crate::state::{State, layout as at};
use crate::tables::{AbilityHook, RULES_BUNDLE};
use crate::vm::hook_classes::matching;
use crate::vm::hooks::ActiveAbility;
use crate::vm::machine::Machine;
use crate::vm::optimized::known_inputs::{EnteringObject, KnownInputs};
use std::sync::Arc;

impl Machine {
    /// Returns the move into the field of an event's object: the event itself, or a later-proposed event of its batch.
    pub(super) fn entering_move(&mut self, frame: Handle, event: &Event) -> Option<Event> {
        let program = Arc::clone(&self.program);
        let into_field = |put: &Event| {
            let into = usize::try_from(put.args[1]).ok().and_then(|zone| program.zone_of(zone));
            put.action == PUT && put.flags & MEMBER_MOVE == 0 && into.is_some_and(|zone| zone.field)
        };
        let outside = |machine: &Self, it: i64| {
            let it = ObjectRef::from_value(it);
            let zone = machine.state.zone(it.slot()).and_then(|zone| program.zone_of(zone));
            machine.state.exists(it) && zone.is_none_or(|zone| !zone.field)
        };
        if event.action == PUT {
            return (into_field(event) && outside(self, event.args[0])).then_some(*event);
        }
        let first = program.format.actions.get(event.action as usize)?.params.iter().position(|(_, ty)| *ty == Type::Object)?;
        let it = event.args.get(first).copied().filter(|it| outside(self, *it))?;
        let mut others = (0..self.events_in(frame)).map(|index| self.batch_event(frame, index));
        others.rfind(|other| other.args[0] == it && other.status != status::FAILED && into_field(other))
    }

    /// Returns the replacements of an event whose object is entering the field by the move `put`.
    pub(super) fn replacements_on_entering(&mut self, event: &Event, put: &Event) -> Vec<ActiveAbility> {
        if !self.scratch.reference_mode && self.is_unreplaced_by_print(event, put) {
            debug_assert_eq!(
                self.replacements_by_trial_move(event, put),
                [],
                "the trial move must find no replacement if the print excludes all of them"
            );
            return Vec::new();
        }
        self.replacements_by_trial_move(event, put)
    }

    /// Computes [`Machine::replacements_on_entering`] by a trial move. Abilities of the entering object itself count if they work
    /// in the zone it comes from.
    fn replacements_by_trial_move(&mut self, event: &Event, put: &Event) -> Vec<ActiveAbility> {
        let now = self.active_replacements(event.action, event.arguments(), event.cause);
        let it = ObjectRef::from_value(put.args[0]);
        let program = Arc::clone(&self.program);
        let kind = |state: &State, it: ObjectRef| state.zone(it.slot()).map_or(usize::MAX, |zone| program.layout.kind(zone));
        let from = kind(&self.state, it);
        let mut before = std::mem::take(&mut self.scratch.before_entering);
        before.0.clone_from(&self.state);
        before.1.clone_from(&self.derived);
        let moved = self.perform_move(&program, put);
        let field = moved.map_or(usize::MAX, |moved| kind(&self.state, moved));
        let mut found = Vec::new();
        if let Some(moved) = moved {
            let mut args = event.args;
            for (n, arg) in args.iter_mut().enumerate() {
                if self.is_entering_argument(event, n, it) {
                    *arg = moved.value();
                }
            }
            let args = args.get(..event.count as usize).unwrap_or(&[]);
            found = self.active_replacements(event.action, args, event.cause);
            let zones = |active: &ActiveAbility| program.library.abilities.get(active.ability.index()).map_or(0, |a| a.zones);
            found.retain(|active| active.this != moved || has_zone(zones(active), from));
            for active in &mut found {
                if active.this == moved {
                    active.this = it;
                }
            }
            // Abilities that work only in the zone it comes from are lost by the trial move, so they are added here.
            found.extend(now.into_iter().filter(|active| active.this == it && !has_zone(zones(active), field)));
        }
        std::mem::swap(&mut self.state, &mut before.0);
        self.derived.restore(&mut before.1);
        self.scratch.before_entering = before;
        found
    }

    /// Returns whether argument `n` of an event is the entering object.
    fn is_entering_argument(&self, event: &Event, n: usize, it: ObjectRef) -> bool {
        let types = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        let takes_object = event.action == PUT && n == 0 || types.get(n).is_some_and(|(_, ty)| *ty == Type::Object);
        takes_object && event.args.get(n) == Some(&it.value())
    }

    /// Returns whether the print of an entering object proves that no replacement applies to an event. Returns false if that is
    /// unclear.
    fn is_unreplaced_by_print(&mut self, event: &Event, put: &Event) -> bool {
        let program = Arc::clone(&self.program);
        let block = &self.state.block;
        let brings = |record: usize| block.len(record + EFFECT_ABILITIES) != 0 || block.len(record + EFFECT_COPIED) != 0;
        if block.list(at::EFFECTS).iter().any(|record| brings(*record as usize)) {
            return false;
        }
        let Some(hooks) = program.hooks.get(event.action as usize) else { return true };
        let Some(new) = self.entering_object(put) else { return false };
        self.refresh();
        let shown = Some(new.definition).filter(|_| !new.has_no_abilities);
        let own = shown.and_then(|shown| program.static_closure.get(shown).copied()).unwrap_or_default();
        if self.derived.writes().union(own).intersects(hooks.replacement_reads) {
            return false;
        }
        let printed = shown.and_then(|shown| program.definition_bundles.get(shown)).map_or(&[][..], Vec::as_slice);
        let is_own = |hook: &AbilityHook| hook.bundle != RULES_BUNDLE && printed.contains(&hook.bundle);
        let mask = self.matching_hooks(event).replacements;
        matching(&hooks.replacements, mask).all(|hook| !is_own(hook) && self.never_applies(hook, event, new))
    }

    /// Returns whether a replacement provably does not apply to an event of an entering object, for all of its sources.
    fn never_applies(&mut self, hook: &AbilityHook, event: &Event, new: EnteringObject) -> bool {
        let program = Arc::clone(&self.program);
        let Some(filter) = program.replacement_filter(hook.ability) else { return self.active_hooks(hook).is_empty() };
        // The filter's first two arguments are the source of the ability and its controller; the event's arguments follow.
        let about = |n: &usize| self.is_entering_argument(event, *n, new.it);
        let unknown = (0..hook.args.min(event.args.len())).filter(about).fold(0, |mask, n| mask | 1u32 << (n + 2));
        self.active_hooks(hook).into_iter().all(|this| {
            let args = self.pattern_args(this, hook.args, event.arguments(), event.cause);
            let (world, scratch) = self.world();
            this != new.it
                && world.evaluate_partially(scratch, filter, &args, unknown, KnownInputs::Arrival(new)).value == Some(0)
        })
    }

    /// Returns what an object will be on the field. `None` unless its values there are its print, or the values of the status
    /// that conceals it. So copies, piles, other faces and concealed objects give `None`.
    fn entering_object(&self, put: &Event) -> Option<EnteringObject> {
        let (program, state) = (&self.program, &self.state);
        let it = ObjectRef::from_value(put.args[0]);
        let slot = it.slot();
        let into = usize::try_from(put.args[1]).ok()?;
        let is_plain = put.move_host().is_none()
            && state.column(slot, at::FACE) == 0
            && state.pile(slot).is_empty()
            && state.copied_row(slot).is_empty()
            && !state.is_concealed(program, slot);
        let arriving = program.library.statuses_on_arrival(put.args[4] as u32);
        let concealing = program.concealing_statuses.iter().find(|status| arriving.contains(status));
        let disguise = concealing.and_then(|status| program.disguise(*status));
        let definition =
            disguise.unwrap_or_else(|| program.shown_definition(state.column(slot, at::DEFINITION), 0, Some(into))) as usize;
        let bare = concealing.is_some() && disguise.is_none();
        let seat = usize::try_from(put.args[2]).ok().filter(|seat| *seat < program.players());
        let controller =
            seat.or_else(|| program.zone_owner(into)).map_or(state.column(slot, at::OWNER) as i64, |seat| seat as i64);
        is_plain.then_some(EnteringObject { it, definition, has_no_abilities: bare, zone: program.layout.kind(into), controller })
    }
}
