//! What replaces an event, and in which order (CR 616).

use super::event::{Event, MEMBER, UNSTOPPABLE, status};
use crate::ir::verbs::{PUT, VERBS};
use crate::ir::{AbilityKind, NO_PLAYER, Op, Place, Type};
use crate::state::ObjectRef;
use crate::state::block::Handle;
use crate::vm::Machine;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::derived::EFFECT_ONCE;
use crate::vm::frame::batch;
use crate::vm::hooks::ActiveAbility;
use crate::vm::inline_vecs::{Args, InlineWords};
use std::sync::Arc;

impl Machine {
    /// The replacements that can apply to an event, those of its lineage left out.
    pub(super) fn replacements(&mut self, frame: Handle, event: &Event) -> Vec<ActiveAbility> {
        if !self.may_be_replaced(event.action) {
            return Vec::new();
        }
        let used = InlineWords::from_slice(self.state.block.items(event.used as usize));
        let all = match self.arrives(frame, event) {
            Some(arrival) => self.replacements_on_arrival(event, &arrival),
            None => self.active_replacements(event.action, event.arguments(), event.cause),
        };
        let program = Arc::clone(&self.program);
        let unstoppable = event.flags & UNSTOPPABLE != 0;
        // What an object has twice replaces twice, each of them once.
        let mut left: Vec<[u32; 2]> = used.chunks(2).filter_map(|pair| pair.try_into().ok()).collect();
        let mut fresh: Vec<ActiveAbility> = Vec::new();
        for active in all {
            match left.iter().position(|pair| *pair == used_by(&active)) {
                Some(index) => drop(left.swap_remove(index)),
                None if !fresh.contains(&active) && (!unstoppable || program.redirects(active.ability)) => fresh.push(active),
                None => {}
            }
        }
        if event.action == PUT {
            let first = fresh.iter().map(|active| self.says_what_arrives(active)).max().unwrap_or(0);
            fresh.retain(|active| self.says_what_arrives(active) == first);
        }
        fresh
    }

    /// What an object enters as comes before all that depends on what it is: first of what it becomes a copy, then its face (CR 616.1c, d).
    fn says_what_arrives(&self, by: &ActiveAbility) -> u8 {
        let body = match self.program.library.abilities.get(by.ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { body, .. }) => self.program.function(*body),
            _ => None,
        };
        let rank = |op: &Op| match op {
            Op::Become { enters: true, .. } => 2,
            Op::Write { place: Place::Face, .. } => 1,
            _ => 0,
        };
        body.map_or(&[][..], |f| f.ops.as_slice()).iter().map(rank).max().unwrap_or(0)
    }

    /// Whether any replacement is there for an action at all.
    fn may_be_replaced(&self, action: u32) -> bool {
        let hooks = self.program.hooks.get(action as usize);
        hooks.is_some_and(|hooks| !hooks.replacements.is_empty()) || self.effects_look_on()
    }

    pub(super) fn choose_replacement(&mut self, frame: Handle, index: usize, event: Event, applicable: &[ActiveAbility]) {
        let mandatory = applicable.iter().any(|active| !self.may_be_declined(active));
        let answers = self.replacement_options(frame, index, applicable);
        if let [(_, only, _)] = answers.as_slice()
            && mandatory
        {
            self.replace(frame, index, event, *only);
            return;
        }
        let mut options: Vec<Choice> = answers.into_iter().map(|(option, ..)| option).collect();
        if !mandatory {
            options.push(Choice::Pass);
        }
        let player = self.affected(&event);
        self.set(frame + batch::ASKING, index as u32 + 1);
        self.ask(&Decision::one(player, DecisionKind::Replacement, options));
    }

    fn may_be_declined(&self, active: &ActiveAbility) -> bool {
        let kind = self.program.library.abilities.get(active.ability.index()).map(|a| &a.kind);
        matches!(kind, Some(AbilityKind::Replacement { optional: true, .. }))
    }

    /// What may replace an event: each replacement, and with one that keeps count each event that it could replace first.
    pub(super) fn replacement_options(
        &mut self,
        frame: Handle,
        index: usize,
        applicable: &[ActiveAbility],
    ) -> Vec<(Choice, ActiveAbility, usize)> {
        let mut answers: Vec<(Choice, ActiveAbility, usize)> = Vec::new();
        for active in applicable {
            let rivals = if self.may_be_declined(active) { vec![index] } else { self.rivals(frame, index, active) };
            let apart = rivals.len() > 1;
            for rival in rivals {
                let about = if apart { self.told_by(frame, rival) } else { ObjectRef::NONE };
                let option = Choice::Replacement { ability: active.ability.0, source: active.this, about, nth: 0 };
                answers.push((option, *active, rival));
            }
        }
        let mut options: Vec<Choice> = answers.iter().map(|(option, ..)| *option).collect();
        crate::vm::decision::number_equal(&mut options);
        for ((option, ..), numbered) in answers.iter_mut().zip(options) {
            *option = numbered;
        }
        answers
    }

    /// The events that ask for one replacement that keeps count of what it may still do: the affected player says which it replaces first
    /// (CR 615.7). Only this event, when it keeps no count.
    fn rivals(&mut self, frame: Handle, index: usize, by: &ActiveAbility) -> Vec<usize> {
        let mut found = vec![index];
        if !self.keeps_count(by) {
            return found;
        }
        let affected = self.batch_event(frame, index);
        let player = self.affected(&affected);
        for other in index + 1..self.events_in(frame) {
            let event = self.batch_event(frame, other);
            if event.status == status::PROPOSED
                && event.action == affected.action
                && event.args[0] == affected.args[0]
                && self.affected(&event) == player
                && !self.is_stale(&event)
                && self.replacements(frame, &event).contains(by)
            {
                found.push(other);
            }
        }
        found
    }

    /// Whether a replacement writes something before it lets anything happen.
    fn keeps_count(&self, by: &ActiveAbility) -> bool {
        let body = match self.program.library.abilities.get(by.ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { body, .. }) => self.program.function(*body),
            _ => None,
        };
        let mut statements = body.map_or(&[][..], |f| f.ops.as_slice()).iter();
        let first = statements.find(|op| {
            matches!(
                op,
                Op::Write { .. } | Op::WriteKey { .. } | Op::Propose { .. } | Op::BeginBatch | Op::Choose { .. } | Op::Ask { .. }
            )
        });
        matches!(first, Some(Op::Write { .. } | Op::WriteKey { .. }))
    }

    /// What tells an event from others: its object that is not affected, else what causes it.
    fn told_by(&self, frame: Handle, index: usize) -> ObjectRef {
        let event = self.batch_event(frame, index);
        let params = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        let object = params.iter().zip(event.args).find(|((_, ty), _)| *ty == Type::Object).map(|(_, arg)| arg);
        ObjectRef::from_value(object.filter(|it| *it != 0).unwrap_or(event.cause[1]))
    }

    /// The player whose object or self an event affects: it chooses among replacements (CR 616.1).
    fn affected(&mut self, event: &Event) -> usize {
        if let Some(controller) = self.comes_under(event) {
            return self.seat(controller);
        }
        let action = event.action as usize;
        let types: Vec<Type> = match VERBS.get(action) {
            Some(row) => row.params.iter().map(|p| p.ty).collect(),
            None => self.program.format.actions.get(action).map_or_else(Vec::new, |a| a.params.iter().map(|(_, t)| *t).collect()),
        };
        for (ty, arg) in types.iter().zip(event.args) {
            match ty {
                Type::Player => return self.seat(arg),
                Type::Thing if ObjectRef::from_value(arg).player().is_some() => {
                    return self.seat(ObjectRef::from_value(arg).player().map_or(NO_PLAYER, |seat| seat as i64));
                }
                Type::Object | Type::Thing => {
                    let controller = self.controller(ObjectRef::from_value(arg));
                    return self.seat(controller);
                }
                _ => {}
            }
        }
        self.state.active()
    }

    /// Who will control what moves into the field from elsewhere: what it says of its arrival is said to that player (CR 614.12).
    pub(super) fn comes_under(&self, event: &Event) -> Option<i64> {
        let zone = usize::try_from(event.args[1]).ok().filter(|_| event.action == PUT && event.flags & MEMBER == 0)?;
        let it = ObjectRef::from_value(event.args[0]);
        let from = self.state.zone(it.slot());
        let outside = from.and_then(|from| self.program.zone_of(from)).is_none_or(|from| !from.field);
        if !self.state.exists(it) || !outside || !self.program.zone_of(zone).is_some_and(|zone| zone.field) {
            return None;
        }
        let owner = self.state.column(it.slot(), crate::state::layout::OWNER) as usize;
        let named = usize::try_from(event.args[2]).ok().filter(|player| *player < self.program.players());
        named.or_else(|| self.program.zone_owner(zone)).or(Some(owner)).map(|player| player as i64)
    }

    pub(super) fn replace(&mut self, frame: Handle, index: usize, mut event: Event, by: ActiveAbility) {
        let source = by.this;
        self.state.block.extend_used(&mut event.used, used_by(&by));
        event.status = status::REPLACED;
        self.set_batch_event(frame, index, &event);
        if self.word(frame + batch::CURSOR) as usize == index {
            self.set(frame + batch::CURSOR, index as u32 + 1);
        }
        let program = Arc::clone(&self.program);
        let Some(AbilityKind::Replacement { pattern, body, .. }) =
            program.library.abilities.get(by.ability.index()).map(|a| &a.kind)
        else {
            return;
        };
        let standing = if by.effect == 0 { None } else { self.effect_of(by.effect) };
        let mut args = match standing {
            Some((_, record)) => self.effect_args(record),
            None => {
                let own = self.comes_under(&event).filter(|_| event.args[0] == source.value());
                let controller = own.unwrap_or_else(|| self.ability_controller(source));
                Args::from_slice(&[source.value(), controller])
            }
        };
        if let Some((number, record)) = standing
            && self.word(record + EFFECT_ONCE) != 0
        {
            self.remove_effect(number);
        }
        args.extend(event.arguments().iter().take(program.args_of(pattern.action)).copied());
        args.extend(event.cause);
        self.push_in_step(frame, index, *body, &args, event.cause);
    }
}

/// How a replacement is remembered in the lineage of events: by ability and source, or by ability and standing effect.
pub(super) fn used_by(active: &ActiveAbility) -> [u32; 2] {
    match active.effect {
        0 => [active.ability.0, active.this.0],
        stamp => [active.ability.0 | 1 << 31, stamp],
    }
}

impl crate::state::block::Block {
    /// Adds an (ability, source) pair to an event's list of replacements used.
    pub(super) fn extend_used(&mut self, used: &mut u32, by: [u32; 2]) {
        let mut words = InlineWords::from_slice(self.items(*used as usize));
        words.extend(by);
        self.free(*used as usize);
        *used = self.new_list(&words) as u32;
    }
}
