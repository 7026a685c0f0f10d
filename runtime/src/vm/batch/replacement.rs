//! Replacement effects: which ones apply to an event, and in which order (CR 614, 616).

use crate::ir::ObjectRef;
use crate::ir::verbs::{PUT, VERBS};
use crate::ir::{AbilityKind, ChoiceSite, ChoiceSiteId, Chooser, NO_PLAYER, Op, Place, Type, cause};
use crate::records::EFFECT_ONCE;
use crate::records::event::{Event, MEMBER_MOVE, UNSTOPPABLE, status};
use crate::records::frame::batch;
use crate::state::block::Handle;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::hook_classes::any_matches;
use crate::vm::hooks::ActiveAbility;
use crate::vm::inline_vecs::{Args, InlineWords};
use crate::vm::machine::Machine;
use std::sync::Arc;

impl Machine {
    /// Returns the replacements that can apply to an event. Those that its ancestors or it have used are left out. If the format replaces once,
    /// there are none where an object's replacement was used.
    pub(in crate::vm) fn replacements(&mut self, frame: Handle, event: &Event) -> Vec<ActiveAbility> {
        if !self.may_be_replaced(event) {
            return Vec::new();
        }
        let used = InlineWords::from_slice(self.state.block.items(event.used as usize));
        let is_applied = |pair: &[u32]| matches!(pair, [ability, source] if *source != 0 && ability & DECLINED == 0);
        let only_rules = self.program.format.timing.replaces_once && used.chunks(2).any(is_applied);
        let mut all = match self.entering_move(frame, event) {
            Some(arrival) => self.replacements_on_entering(event, &arrival),
            None => self.active_replacements(event.action, event.arguments(), event.cause),
        };
        if only_rules {
            all.retain(|active| active.this.is_none());
        }
        let program = Arc::clone(&self.program);
        let unstoppable = event.flags & UNSTOPPABLE != 0;
        // An ability that an object has twice applies twice to an event, each copy once.
        let mut left: Vec<[u32; 2]> = used.chunks(2).filter_map(|pair| pair.try_into().ok()).collect();
        let mut fresh: Vec<ActiveAbility> = Vec::new();
        for active in all {
            match left.iter().position(|[ability, source]| [ability & !DECLINED, *source] == used_key(&active)) {
                Some(index) => drop(left.swap_remove(index)),
                None if !fresh.contains(&active) && (!unstoppable || program.redirects(active.ability)) => fresh.push(active),
                None => {}
            }
        }
        if event.action == PUT {
            let first = fresh.iter().map(|active| self.entering_priority(active)).max().unwrap_or(0);
            fresh.retain(|active| self.entering_priority(active) == first);
        }
        fresh.retain(|active| !self.may_be_declined(active) || self.can_be_done(frame, event, active));
        fresh
    }

    /// Returns whether the choices that a replacement always makes have enough candidates: what cannot be done is not offered (CR 608.2d, 614.11).
    /// Choices that depend on something other than the event are left out.
    fn can_be_done(&mut self, frame: Handle, event: &Event, by: &ActiveAbility) -> bool {
        let program = Arc::clone(&self.program);
        let Some(AbilityKind::Replacement { pattern, body, .. }) =
            program.library.abilities.get(by.ability.index()).map(|a| &a.kind)
        else {
            return true;
        };
        let Some(function) = program.function(*body) else { return true };
        let args = self.replacement_args(event, by, program.arg_count(pattern.action));
        let of = |op: &Op| match op {
            Op::Choose { site, .. } => Some((*site, program.library.sites.get(site.index())?)),
            _ => None,
        };
        let own = |site: &ChoiceSite| !site.optional && !site.conditional && site.mode.is_none() && !site.divides;
        function.ops.iter().filter_map(of).filter(|(_, site)| own(site)).all(|site| self.has_candidates(frame, site, &args))
    }

    /// Returns whether a choice has as many candidates as it needs, without those that other replacements of the batch already use. `args`: the
    /// arguments of its function.
    fn has_candidates(&mut self, frame: Handle, (id, site): (ChoiceSiteId, &ChoiceSite), args: &Args) -> bool {
        let captures: Option<Args> = site.captures.iter().map(|reg| args.get(usize::from(*reg)).copied()).collect();
        let chooser = match site.chooser {
            Chooser::Controller => args.get(1).copied(),
            Chooser::Player(reg) => args.get(usize::from(reg)).copied(),
        };
        let (Some(captures), Some(chooser), Some(min), true) = (captures, chooser, site.min, site.selector.is_some()) else {
            return true;
        };
        let (source, you) = (args.first().copied().unwrap_or(0), args.get(1).copied().unwrap_or(NO_PLAYER));
        let mut items = self.found_candidates((id, site), &captures, source, you, Some(chooser));
        self.retain_possible(&mut items, site, [cause::EFFECT, source, you, chooser]);
        let used = self.objects_used_by_replacements(frame, site);
        items.retain(|item| !used.contains(item));
        self.number(min, &captures) <= items.len() as i64
    }

    /// Returns the arguments of the body of a replacement: source, its player, the event's first `known` arguments, its cause.
    fn replacement_args(&mut self, event: &Event, by: &ActiveAbility, known: usize) -> Args {
        let standing = if by.effect == 0 { None } else { self.effect_by_stamp(by.effect) };
        let mut args = match standing {
            Some((_, record)) => self.effect_args(record),
            None => {
                let own = self.entering_controller(event).filter(|_| event.args[0] == by.this.value());
                let controller = own.unwrap_or_else(|| self.ability_controller(by.this));
                Args::from_slice(&[by.this.value(), controller])
            }
        };
        args.extend(event.arguments().iter().take(known).copied());
        args.extend(event.cause);
        args
    }

    /// Returns the priority of a replacement of a move: 2 if the object enters as a copy, 1 if it changes the face, else 0.
    /// Higher ones apply first (CR 616.1c, d).
    fn entering_priority(&self, by: &ActiveAbility) -> u8 {
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

    /// Returns whether any replacement could apply to an event.
    fn may_be_replaced(&mut self, event: &Event) -> bool {
        if self.effects_can_react() {
            return true;
        }
        let mask = self.matching_hooks(event).replacements;
        self.program.hooks.get(event.action as usize).is_some_and(|hooks| any_matches(&hooks.replacements, mask))
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
        let player = self.affected_player(&event);
        self.set(frame + batch::ASKING, index as u32 + 1);
        self.ask(&Decision::one(player, DecisionKind::Replacement, options));
    }

    fn may_be_declined(&self, active: &ActiveAbility) -> bool {
        let kind = self.program.library.abilities.get(active.ability.index()).map(|a| &a.kind);
        matches!(kind, Some(AbilityKind::Replacement { optional: true, .. }))
    }

    /// Returns the options for replacing an event: each replacement, and for a counting one each event that it could replace
    /// first.
    pub(super) fn replacement_options(
        &mut self,
        frame: Handle,
        index: usize,
        applicable: &[ActiveAbility],
    ) -> Vec<(Choice, ActiveAbility, usize)> {
        let mut answers: Vec<(Choice, ActiveAbility, usize)> = Vec::new();
        for active in applicable {
            let rivals = if self.may_be_declined(active) { vec![index] } else { self.competing_events(frame, index, active) };
            let apart = rivals.len() > 1;
            for rival in rivals {
                let about = if apart { self.distinguishing_object(frame, rival) } else { ObjectRef::NONE };
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

    /// Returns the events that compete for one replacement with a remaining count. The affected player chooses which one it
    /// replaces first (CR 615.7). Returns only `index` if the replacement does not count.
    fn competing_events(&mut self, frame: Handle, index: usize, by: &ActiveAbility) -> Vec<usize> {
        let mut found = vec![index];
        if !self.is_counting(by) {
            return found;
        }
        let affected = self.batch_event(frame, index);
        let player = self.affected_player(&affected);
        for other in index + 1..self.events_in(frame) {
            let event = self.batch_event(frame, other);
            if event.status == status::PROPOSED
                && event.action == affected.action
                && event.args[0] == affected.args[0]
                && self.affected_player(&event) == player
                && !self.is_stale(&event)
                && self.replacements(frame, &event).contains(by)
            {
                found.push(other);
            }
        }
        found
    }

    /// Returns whether the first statement of a replacement is a write, as of a count of what it may still replace.
    fn is_counting(&self, by: &ActiveAbility) -> bool {
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

    /// Returns what distinguishes an event from its competitors in the decision: its object argument, else its source.
    fn distinguishing_object(&self, frame: Handle, index: usize) -> ObjectRef {
        let event = self.batch_event(frame, index);
        let params = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        let object = params.iter().zip(event.args).find(|((_, ty), _)| *ty == Type::Object).map(|(_, arg)| arg);
        ObjectRef::from_value(object.filter(|it| *it != 0).unwrap_or(event.cause[1]))
    }

    /// Returns the affected player of an event, who chooses among replacements (CR 616.1).
    fn affected_player(&mut self, event: &Event) -> usize {
        if let Some(controller) = self.entering_controller(event) {
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

    /// Returns who will control an object that enters the field. Abilities of that object about its arrival mean this player as
    /// `you` (CR 614.12).
    pub(super) fn entering_controller(&self, event: &Event) -> Option<i64> {
        let zone = usize::try_from(event.args[1]).ok().filter(|_| event.action == PUT && event.flags & MEMBER_MOVE == 0)?;
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
        self.state.block.add_used(&mut event.used, used_key(&by));
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
        let args = self.replacement_args(&event, &by, program.arg_count(pattern.action));
        let standing = if by.effect == 0 { None } else { self.effect_by_stamp(by.effect) };
        if let Some((number, record)) = standing
            && self.word(record + EFFECT_ONCE) != 0
        {
            self.remove_effect(number);
        }
        self.push_lockstep_body(frame, index, *body, &args, event.cause);
    }
}

/// Bit of the first word of the key of a replacement that its player declined.
const DECLINED: u32 = 1 << 30;

/// The key of a replacement that is declined: it is not offered again, and has not replaced the event.
pub(super) fn declined_key(active: &ActiveAbility) -> [u32; 2] {
    let [ability, source] = used_key(active);
    [ability | DECLINED, source]
}

/// Encodes a replacement for the list of used ones: ability and source, or ability and continuous effect.
pub(super) fn used_key(active: &ActiveAbility) -> [u32; 2] {
    match active.effect {
        0 => [active.ability.0, active.this.0],
        stamp => [active.ability.0 | 1 << 31, stamp],
    }
}

impl crate::state::block::Block {
    /// Adds an (ability, source) pair to an event's list of used replacements.
    pub(super) fn add_used(&mut self, used: &mut u32, by: [u32; 2]) {
        let mut words = InlineWords::from_slice(self.items(*used as usize));
        words.extend(by);
        self.free(*used as usize);
        *used = self.new_list(&words) as u32;
    }
}
