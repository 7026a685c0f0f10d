//! What enters the field is matched as what it will be there (CR 614.12).
//!
//! It is tried in a copy of the game, unless what it prints tells that no replacement is about it.

use super::event::{Event, MEMBER, status};
use crate::ir::verbs::PUT;
use crate::ir::{Type, has_zone};
use crate::program::{AbilityHook, RULE};
use crate::state::block::Handle;
use crate::state::{ObjectRef, State, layout as at};
use crate::vm::Machine;
use crate::vm::derived::{EFFECT_ABILITIES, EFFECT_COPIED};
use crate::vm::hooks::ActiveAbility;
use crate::vm::optimized::{EnteringObject, KnownInputs};
use std::sync::Arc;

impl Machine {
    /// The move into the field of the object that an event is about: the event itself, or another one of its batch.
    pub(super) fn arrives(&mut self, frame: Handle, event: &Event) -> Option<Event> {
        let program = Arc::clone(&self.program);
        let into_field = |put: &Event| {
            let into = usize::try_from(put.args[1]).ok().and_then(|zone| program.zone_of(zone));
            put.action == PUT && put.flags & MEMBER == 0 && into.is_some_and(|zone| zone.field)
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

    /// The replacements of an event about an object that is entering the field.
    pub(super) fn replacements_on_arrival(&mut self, event: &Event, put: &Event) -> Vec<ActiveAbility> {
        if !self.scratch.reference_mode && self.is_unanswered(event, put) {
            debug_assert_eq!(self.tried_on_arrival(event, put), [], "what it prints tells that nothing replaces this");
            return Vec::new();
        }
        self.tried_on_arrival(event, put)
    }

    /// As [`Machine::replacements_on_arrival`], by the abilities of what is there already and by those of its own that work where it comes from:
    /// it is tried what it will be.
    fn tried_on_arrival(&mut self, event: &Event, put: &Event) -> Vec<ActiveAbility> {
        let now = self.active_replacements(event.action, event.arguments(), event.cause);
        let it = ObjectRef::from_value(put.args[0]);
        let program = Arc::clone(&self.program);
        let kind = |state: &State, it: ObjectRef| state.zone(it.slot()).map_or(usize::MAX, |zone| program.layout.kind(zone));
        let from = kind(&self.state, it);
        let mut before = std::mem::take(&mut self.scratch.before);
        before.0.clone_from(&self.state);
        before.1.clone_from(&self.derived);
        let under = usize::try_from(put.args[2]).ok();
        let into = usize::try_from(put.args[1]).unwrap_or(usize::MAX);
        let moved = self.move_object(&program, it, into, under, false, put.args[4] as u32);
        let field = moved.map_or(usize::MAX, |moved| kind(&self.state, moved));
        let mut found = Vec::new();
        if let Some(moved) = moved {
            let mut args = event.args;
            for (n, arg) in args.iter_mut().enumerate() {
                if self.is_about(event, n, it) {
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
            // What works where it comes from alone is no part of what it will be.
            found.extend(now.into_iter().filter(|active| active.this == it && !has_zone(zones(active), field)));
        }
        std::mem::swap(&mut self.state, &mut before.0);
        self.derived.restore(&mut before.1);
        self.scratch.before = before;
        found
    }

    /// Whether an argument of an event is an object that is put into the field, as the object that it is.
    fn is_about(&self, event: &Event, n: usize, it: ObjectRef) -> bool {
        let types = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        let takes_object = event.action == PUT && n == 0 || types.get(n).is_some_and(|(_, ty)| *ty == Type::Object);
        takes_object && event.args.get(n) == Some(&it.value())
    }

    /// Whether what an object prints, as it enters the field, tells that no replacement is about an event. False when that is not clear.
    fn is_unanswered(&mut self, event: &Event, put: &Event) -> bool {
        let program = Arc::clone(&self.program);
        let block = &self.state.block;
        let brings = |record: usize| block.len(record + EFFECT_ABILITIES) != 0 || block.len(record + EFFECT_COPIED) != 0;
        if block.list(at::EFFECTS).iter().any(|record| brings(*record as usize)) {
            return false;
        }
        let Some(hooks) = program.hooks.get(event.action as usize) else { return true };
        let Some(new) = self.arriving(put) else { return false };
        self.refresh();
        let shown = Some(new.definition).filter(|_| !new.bare);
        let own = shown.and_then(|shown| program.static_closure.get(shown).copied()).unwrap_or_default();
        if self.derived.writes().union(own).meets(hooks.replacement_reads) {
            return false;
        }
        let printed = shown.and_then(|shown| program.definition_units.get(shown)).map_or(&[][..], Vec::as_slice);
        let is_own = |hook: &AbilityHook| hook.unit != RULE && printed.contains(&hook.unit);
        hooks.replacements.iter().all(|hook| !is_own(hook) && self.is_not_about(hook, event, new))
    }

    /// Whether a replacement, wherever it works now, is not about an event of what arrives.
    fn is_not_about(&mut self, hook: &AbilityHook, event: &Event, new: EnteringObject) -> bool {
        let program = Arc::clone(&self.program);
        let Some(filter) = program.replacement_filter(hook.ability) else { return self.active_hooks(hook).is_empty() };
        // Before the arguments of an event come the source of the ability and its controller.
        let about = |n: &usize| self.is_about(event, *n, new.it);
        let unknown = (0..hook.args.min(event.args.len())).filter(about).fold(0, |mask, n| mask | 1u32 << (n + 2));
        self.active_hooks(hook).into_iter().all(|this| {
            let args = self.pattern_args(this, hook.args, event.arguments(), event.cause);
            let (world, scratch) = self.world();
            this != new.it
                && world.evaluate_partially(scratch, filter, &args, unknown, KnownInputs::Arrival(new)).value == Some(0)
        })
    }

    /// What an object that is put into the field will be there, if it will be just what it prints or what conceals it shows, is no copy, and brings
    /// nothing along.
    fn arriving(&self, put: &Event) -> Option<EnteringObject> {
        let (program, state) = (&self.program, &self.state);
        let it = ObjectRef::from_value(put.args[0]);
        let slot = it.slot();
        let into = usize::try_from(put.args[1]).ok()?;
        let is_plain = state.column(slot, at::FACE) == 0
            && state.pile(slot).is_empty()
            && state.copied(slot).is_empty()
            && !state.is_concealed(program, slot);
        let arriving = program.library.arriving(put.args[4] as u32);
        let concealing = program.concealing.iter().find(|status| arriving.contains(status));
        let disguise = concealing.and_then(|status| program.disguise(*status));
        let definition = disguise.unwrap_or_else(|| program.shown(state.column(slot, at::DEFINITION), 0, Some(into))) as usize;
        let bare = concealing.is_some() && disguise.is_none();
        let seat = usize::try_from(put.args[2]).ok().filter(|seat| *seat < program.players());
        let controller =
            seat.or_else(|| program.zone_owner(into)).map_or(state.column(slot, at::OWNER) as i64, |seat| seat as i64);
        is_plain.then_some(EnteringObject { it, definition, bare, zone: program.layout.kind(into), controller })
    }
}
