//! Batches: simultaneous events, finalised level by level and committed together. An event that is alone in progress needs none
//! ([`super::carried_event`]), unless it creates or attaches an object, parts a pile, is replaced, or is a cost that cannot happen.
//!
//! The events of a batch form a tree. The machine checks each event (stale object, prohibition), applies replacement effects, and
//! runs the body of its action up to its first statement, which proposes the next level.
//! When no proposal is left, it commits all primitive events of the segment at once. Then the bodies advance in lockstep to their
//! next statement. So "destroy all" ends as one simultaneous move.

mod entering;
mod moving_objects;
mod replacement;
mod results;
mod segment;

use super::inline_vecs::{Args, InlineWords};
use crate::ir::ObjectRef;
use crate::ir::verbs::{
    ANNOUNCE, ATTACH, BEGIN, CHOSEN, CREATE, FINISH, FIZZLE, OperandDefault, PUT, RESOLVE, SHIFT, VERBS, WRITE,
};
use crate::ir::{Action, Cause, FnId, NO_PLAYER, Type};
use crate::program::Program;
use crate::records::event::{
    EVENT_WORDS, Event, HAS_PROPOSED, INHERITED, MAX_EVENTS, MEMBER_MOVE, REPLACED_EVENT_SHIFT, TIMING_NEUTRAL, UNSTOPPABLE,
    status, word,
};
use crate::records::frame::{batch, body, kind};
use crate::records::{EFFECT_ABILITIES, EFFECT_UNTIL, UNTIL_EVENT, UNTIL_FAILURE};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::EffectContext;
use crate::vm::derived::values::ActiveProhibition;
use crate::vm::hook_classes::any_matches;
use crate::vm::machine::{Machine, Record};
use replacement::declined_key;

impl Machine {
    /// Pushes an empty batch.
    pub(crate) fn push_batch(&mut self) -> Handle {
        self.push_frame(kind::BATCH, batch::WORDS)
    }

    /// Proposes one event of the machine itself; no body waits for its result.
    pub(crate) fn propose_alone(&mut self, action: u32, args: &[i64], cause: Cause) {
        let frame = self.push_batch();
        self.propose_in(frame, action, args, cause);
    }

    /// Adds an event of the machine itself to a batch that has not begun.
    pub(crate) fn propose_in(&mut self, frame: Handle, action: u32, args: &[i64], cause: Cause) {
        self.propose_with(frame, action, args, cause, 0);
    }

    /// As [`Machine::propose_in`], for an event that no prohibition can stop.
    pub(crate) fn propose_unstoppable(&mut self, frame: Handle, action: u32, args: &[i64], cause: Cause) {
        self.propose_with(frame, action, args, cause, UNSTOPPABLE);
    }

    fn propose_with(&mut self, frame: Handle, action: u32, args: &[i64], cause: Cause, flags: u32) {
        let mut event = Event { action, count: args.len() as u32, cause, flags, ..Event::default() };
        for (place, arg) in event.args.iter_mut().zip(args) {
            *place = *arg;
        }
        self.state.block.extend(frame + batch::EVENTS, &event.words());
    }

    /// Returns whether any prohibition could forbid events of an action. Refreshes derived values.
    pub(crate) fn may_be_forbidden(&mut self, action: u32) -> bool {
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        self.effects_forbid(action) || self.program.hooks.get(action as usize).is_some_and(|h| !h.prohibitions.is_empty())
    }

    /// Returns whether a continuous effect forbids events of an action, as of the last refresh of derived values.
    fn effects_forbid(&self, action: u32) -> bool {
        let about = |forbidding: &ActiveProhibition| self.program.descends(action as usize, forbidding.pattern.action.index());
        self.derived.prohibitions.iter().any(about)
    }

    /// Returns whether an ability or effect hooks an action. Unhooked events of the machine itself are only logged.
    pub(crate) fn is_hooked(&self, action: u32) -> bool {
        let prohibitions = self.program.hooks.get(action as usize).is_some_and(|hooks| !hooks.prohibitions.is_empty());
        prohibitions || self.effects_forbid(action) || self.has_observers(action)
    }

    /// Returns whether a trigger, replacement or effect could react to events of an action, prohibitions aside.
    pub(in crate::vm) fn has_observers(&self, action: u32) -> bool {
        let hooks = self.program.hooks.get(action as usize);
        hooks.is_some_and(|hooks| !hooks.triggers.is_empty() || !hooks.replacements.is_empty()) || self.effects_can_react()
    }

    /// As [`Machine::has_observers`], for an event: hooks that cannot match it do not count.
    pub(in crate::vm) fn is_observed(&mut self, event: &Event) -> bool {
        if self.effects_can_react() {
            return true;
        }
        let mask = self.matching_hooks(event);
        let hooks = self.program.hooks.get(event.action as usize);
        hooks.is_some_and(|hooks| {
            any_matches(&hooks.triggers, mask.triggers) || any_matches(&hooks.replacements, mask.replacements)
        })
    }

    /// Returns whether anything could react to the start or end of a period.
    pub(crate) fn period_has_observers(&self, verb: u32, span: u32) -> bool {
        let unseen =
            self.program.specialized.is_unobserved(verb, span) && !self.effects_forbid(verb) && !self.effects_can_react();
        !unseen && self.is_hooked(verb)
    }

    /// Returns whether a continuous effect could react to an event: it has abilities, or ends with an event or the failure of a condition.
    pub(in crate::vm) fn effects_can_react(&self) -> bool {
        let block = &self.state.block;
        block.list(crate::state::layout::EFFECTS).iter().any(|record| {
            let record = *record as usize;
            let until = block.list(record + EFFECT_UNTIL);
            block.len(record + EFFECT_ABILITIES) != 0
                || until.chunks(4).any(|end| matches!(end.first(), Some(&(UNTIL_EVENT | UNTIL_FAILURE))))
        })
    }

    /// Adds root events to a batch, proposed by a waiting body.
    pub(crate) fn add_group(&mut self, frame: Handle, body: Handle, events: &[Event], done: Option<u16>, out: Option<u16>) {
        let flags = self.flags_from_carrier(body);
        for event in events {
            let event = Event { flags: event.flags | flags, ..*event };
            self.state.block.extend(frame + batch::EVENTS, &event.words());
        }
        self.group_last_events(frame, body, events.len(), done, out);
    }

    /// Makes a group of the last `count` events of a batch, proposed by a waiting body.
    fn group_last_events(&mut self, frame: Handle, body: Handle, count: usize, done: Option<u16>, out: Option<u16>) {
        // A damaged state may have lost events.
        let first = self.events_in(frame).saturating_sub(count);
        let reg = |r: Option<u16>| r.map_or(0, |r| u32::from(r) + 1);
        self.state.block.extend(frame + batch::GROUPS, &[body as u32, first as u32, count as u32, reg(done), reg(out)]);
    }

    /// Adds child events, proposed by a body that advances in lockstep.
    pub(crate) fn add_children(&mut self, frame: Handle, from: Handle, events: &[Event], done: Option<u16>, out: Option<u16>) {
        let owner = self.word(from + body::EVENT);
        let (parent, used, stands_for, inherited) = match owner.checked_sub(1).map(|i| self.batch_event(frame, i as usize)) {
            // Events of a replacement stand in for the event that they replace, and inherit its list of used replacements.
            Some(event) if event.status == status::REPLACED => (event.parent, event.used, owner, event.flags & INHERITED),
            Some(event) => (owner, event.used, 0, event.flags & INHERITED),
            None => (0, 0, 0, 0),
        };
        let used_words = InlineWords::from_slice(self.state.block.items(used as usize));
        let replaced_event = (stands_for != 0).then(|| self.batch_event(frame, stands_for as usize - 1));
        // An action on an entering object is done by its future controller (CR 122.6a), and by an effect if an object's ability
        // causes it.
        let arrival = replaced_event.and_then(|event| Some((event.args[0], self.entering_controller(&event)?)));
        let says = used_words.last().copied().unwrap_or(0);
        let replaced = replaced_event.filter(|event| event.action == PUT);
        let replacing = replaced_event.and_then(|event| Some((event.action, self.replacement_source(from)?)));
        for event in events {
            let mut child = *event;
            // A changed move keeps what the change leaves open: controller, arrival statuses, and what the object is put on.
            if let Some(put) = &replaced
                && child.action == PUT
                && (child.args[0], child.args[1]) == (put.args[0], put.args[1])
            {
                if child.args[2] < 0 {
                    child.args[2] = put.args[2];
                }
                child.args[4] |= put.args[4];
                child.set_move_host(put.move_host());
            }
            if let Some((action, (source, player))) = replacing {
                child.cause[0] = crate::ir::cause::EFFECT;
                // Who does the same thing in another way is still who would have done it.
                if child.action != action {
                    (child.cause[1], child.cause[2]) = (source, player);
                }
            }
            if let Some((it, player)) = arrival
                && child.args[0] == it
                && self.first_param_is_object(child.action)
            {
                child.cause[2] = player;
                if says != 0 {
                    child.cause[0] = crate::ir::cause::EFFECT;
                }
            }
            child.parent = parent;
            child.flags |= stands_for << REPLACED_EVENT_SHIFT | inherited;
            child.used = self.state.block.new_list(&used_words) as u32;
            self.state.block.extend(frame + batch::EVENTS, &child.words());
        }
        self.group_last_events(frame, from, events.len(), done, out);
    }

    /// Returns the object whose replacement a body is, and its player: what the body does is an effect of that object (CR 614.16). `None` for a
    /// rule of the game.
    fn replacement_source(&self, body_of: Handle) -> Option<(i64, i64)> {
        let [source, player] = [0, 1].map(|reg| self.state.block.int(body_of + body::REGISTERS + reg));
        (source != 0).then_some((source, player))
    }

    /// Returns whether the first parameter of an action that the game declares is an object.
    fn first_param_is_object(&self, action: u32) -> bool {
        let params = self.program.format.actions.get(action as usize).map_or(&[][..], |a| a.params.as_slice());
        action as usize >= VERBS.len() && params.first().is_some_and(|(_, ty)| *ty == Type::Object)
    }

    /// Returns whether a body belongs to a replacement that has proposed nothing yet. Its writes then apply at once, so that
    /// other events of the batch see them.
    pub(crate) fn writes_immediately(&self, from: Handle) -> bool {
        let frame = self.word(from + body::BATCH) as usize;
        let Some(index) = self.word(from + body::EVENT).checked_sub(1) else { return false };
        let event = self.batch_event(frame, index as usize);
        event.status == status::REPLACED && event.flags & HAS_PROPOSED == 0
    }

    /// Records that the body of an event has reached a statement that proposes.
    pub(crate) fn mark_proposing(&mut self, frame: Handle, from: Handle) {
        if let Some(index) = self.word(from + body::EVENT).checked_sub(1) {
            let flags = self.event_word(frame, index as usize, word::FLAGS);
            self.set_event_word(frame, index as usize, word::FLAGS, flags | HAS_PROPOSED);
        }
    }

    /// Returns event `index` of a batch.
    pub(crate) fn batch_event(&self, frame: Handle, index: usize) -> Event {
        let words = self.state.block.list(frame + batch::EVENTS);
        Event::from_words(words.get(index * EVENT_WORDS..(index + 1) * EVENT_WORDS).unwrap_or(&[]))
    }

    /// Returns a word of event `index` of a batch: see [`word`].
    #[inline]
    pub(super) fn event_word(&self, frame: Handle, index: usize, word: usize) -> u32 {
        self.state.block.item(frame + batch::EVENTS, index * EVENT_WORDS + word)
    }

    /// Writes a word of event `index` of a batch: see [`word`].
    #[inline]
    pub(super) fn set_event_word(&mut self, frame: Handle, index: usize, word: usize, value: u32) {
        self.state.block.overwrite(frame + batch::EVENTS, index * EVENT_WORDS + word, &[value]);
    }

    fn set_batch_event(&mut self, frame: Handle, index: usize, event: &Event) {
        self.state.block.overwrite(frame + batch::EVENTS, index * EVENT_WORDS, &event.words());
    }

    /// Returns the number of events of a batch; of none, 0.
    pub(super) fn events_in(&self, frame: Handle) -> usize {
        if frame == batch::NONE {
            return 0;
        }
        self.state.block.len(frame + batch::EVENTS) / EVENT_WORDS
    }

    pub(crate) fn resume_batch(&mut self, program: &Program, frame: Handle) {
        let count = self.events_in(frame);
        if count > MAX_EVENTS {
            self.exceed(Budget::Memory);
            return;
        }
        match self.word(frame + batch::PHASE) {
            0 => {
                let cursor = self.word(frame + batch::CURSOR) as usize;
                if cursor < count && self.event_word(frame, cursor, word::STATUS) != status::PROPOSED {
                    self.set(frame + batch::CURSOR, cursor as u32 + 1);
                } else if cursor < count {
                    self.finalise(program, frame, cursor);
                } else {
                    self.set(frame + batch::PHASE, 1);
                }
            }
            1 => {
                self.set(frame + batch::PHASE, 2);
                self.commit_segment(program, frame);
            }
            batch::COLLECTING => self.collect_rule_proposals(frame),
            _ => self.resume_proposers(frame),
        }
    }

    /// Checks and replaces one event, and starts the body of its action.
    fn finalise(&mut self, program: &Program, frame: Handle, index: usize) {
        let mut event = self.batch_event(frame, index);
        if event.action == ATTACH {
            self.enter_by_attaching(&mut event);
        }
        if event.action == PUT {
            self.complete_move(&mut event);
        }
        if self.word(frame + batch::ASKING) != 0 {
            self.set(frame + batch::ASKING, 0);
            let (choices, _) = self.take_answer();
            let applicable = self.replacements(frame, &event);
            let answers = self.replacement_options(frame, index, &applicable);
            let picked = choices.first().and_then(|picked| answers.iter().find(|(option, ..)| option == picked));
            if let Some((_, active, replaced)) = picked {
                let event = self.batch_event(frame, *replaced);
                self.replace(frame, *replaced, event, *active);
                return;
            }
            // Declined: none of the optional replacements is offered again for this event.
            for active in applicable {
                self.state.block.add_used(&mut event.used, declined_key(&active));
            }
        } else if event.action != WRITE {
            self.apply_action_aliases(program, &mut event);
        }
        if event.action != WRITE {
            if self.is_stale(&event)
                || self.concerns_left_player(&event)
                || self.is_repeated_departure(frame, index, &event)
                || self.is_prohibited(&event)
            {
                event.status = status::FAILED;
                self.set_batch_event(frame, index, &event);
                self.set(frame + batch::CURSOR, index as u32 + 1);
                self.record(|| Record::of_event(&event, false));
                return;
            }
            let applicable = self.replacements(frame, &event);
            if !applicable.is_empty() {
                self.set_batch_event(frame, index, &event);
                self.choose_replacement(frame, index, event, &applicable);
                return;
            }
        }
        event.status = status::FINAL;
        self.set_batch_event(frame, index, &event);
        self.set(frame + batch::CURSOR, index as u32 + 1);
        if event.action == PUT {
            self.propose_member_moves(program, frame, &event);
        }
        if event.action == CREATE {
            self.propose_arrival(frame, index, &event);
        }
        let body = self.program.format.actions.get(event.action as usize).and_then(|a| a.body);
        if let Some(function) = body
            && event.action as usize >= VERBS.len()
        {
            let cause = self.cause_within(&event);
            let args: Args = [0, cause[2]].iter().chain(event.arguments()).copied().collect();
            self.push_lockstep_body(frame, index, function, &args, cause);
        }
    }

    /// Makes a move of an `attach` that puts an object of another zone on top of one: it enters the zone of that one, which may be forbidden and
    /// replaced. An object of the same zone is only attached.
    fn enter_by_attaching(&self, event: &mut Event) {
        let [it, host] = [0, 1].map(|n| ObjectRef::from_value(event.args[n]));
        let below = event.args[2] != 0;
        if below || it == host || !self.state.exists(it) || !self.state.exists(host) {
            return;
        }
        let [from, into] = [it, host].map(|object| self.state.zone(object.slot()));
        let Some(into) = into.filter(|_| from != into) else { return };
        let controller = i64::from(self.state.column(host.slot(), at::CONTROLLER));
        event.action = PUT;
        event.count = 7;
        event.args = [it.value(), into as i64, controller, 0, 0, -1, 0, 0];
        event.set_move_host(host);
    }

    /// Completes a move: writes where its object comes from, and the zone of its owner.
    pub(in crate::vm) fn complete_move(&mut self, event: &mut Event) {
        if event.count >= 6 && event.flags & MEMBER_MOVE == 0 {
            let it = ObjectRef::from_value(event.args[0]);
            event.args[5] = if self.state.exists(it) { self.state.zone(it.slot()).map_or(-1, |z| z as i64) } else { -1 };
        }
        if event.move_host().is_none()
            && let Some(zone) = self.zone_of_owner(event)
        {
            event.args[1] = zone as i64;
        }
    }

    /// Returns whether a prohibition stops an event.
    pub(in crate::vm) fn is_prohibited(&mut self, event: &Event) -> bool {
        let after_the_fact = matches!(event.action, BEGIN | FINISH | ANNOUNCE | RESOLVE | FIZZLE | CHOSEN);
        let stoppable = !after_the_fact && event.flags & UNSTOPPABLE == 0;
        stoppable && self.forbidden(event.action, event.arguments(), event.cause).is_some()
    }

    /// The zone that a move goes to instead, if it names the zone of another player than the owner and only the owner's things are in such zones
    /// (CR 400.3).
    fn zone_of_owner(&self, event: &Event) -> Option<usize> {
        let named = usize::try_from(event.args[1]).ok().filter(|zone| *zone < self.program.layout.instances)?;
        self.program.zone_of(named).filter(|zone| zone.owner_only)?;
        let it = ObjectRef::from_value(event.args[0]);
        if !self.state.exists(it) {
            return None;
        }
        let owner = self.state.column(it.slot(), at::OWNER) as usize;
        self.program.zone_instance(self.program.layout.kind(named), owner).filter(|zone| *zone != named)
    }

    /// Returns the cause of what the body of an event's action does. If the action is done by an object that is not its first parameter, the
    /// player is the controller of that object (CR 120.3).
    pub(in crate::vm) fn cause_within(&mut self, event: &Event) -> Cause {
        let mut cause = event.cause;
        if let Some(player) = self.acting_player(event) {
            cause[2] = player;
        }
        cause
    }

    /// Returns the controller of the object that does an event's action, if that is not its first parameter.
    pub(in crate::vm) fn acting_player(&mut self, event: &Event) -> Option<i64> {
        let param = self.program.format.actions.get(event.action as usize)?.acting_param.filter(|param| *param != 0)?;
        let actor = ObjectRef::from_value(*event.arguments().get(usize::from(param))?);
        if actor.is_none() || actor.player().is_some() { None } else { Some(self.controller(actor)) }
    }

    /// Returns whether an equal event already removes the same object in this segment: it is one event, replaced once (CR 704.7).
    fn is_repeated_departure(&self, frame: Handle, index: usize, event: &Event) -> bool {
        let leaves = |action: &Action| action.looks_back && action.params.first().is_some_and(|(_, ty)| *ty == Type::Object);
        if index == 0 || !self.program.format.actions.get(event.action as usize).is_some_and(leaves) {
            return false;
        }
        let same = |other: usize| {
            self.event_word(frame, other, word::ACTION) == event.action
                && self.event_argument(frame, other) == ObjectRef::from_value(event.args[0])
                && matches!(self.event_word(frame, other, word::STATUS), status::FINAL | status::REPLACED)
                && self.batch_event(frame, other).arguments() == event.arguments()
                && !self.originates_in(frame, index, &(other..other + 1))
        };
        (self.word(frame + batch::SEGMENT) as usize..index).any(same)
    }

    /// Turns an event into another action if the format has an alias for it (`treat destroy as sacrifice when …`). Sets the
    /// action's flags.
    pub(super) fn apply_action_aliases(&mut self, program: &Program, event: &mut Event) {
        for treat in &program.format.action_aliases {
            if treat.action.0 != event.action {
                continue;
            }
            let args: Args = [0, NO_PLAYER].iter().chain(event.arguments()).chain(&event.cause).copied().collect();
            if treat.condition.is_none_or(|condition| self.test(condition, &args)) {
                event.action = treat.into.0;
                break;
            }
        }
        event.flags |= program.flags_of(event.action);
    }

    /// Proposes separate moves for the members of a pile that moves to another kind of zone. Each goes to its owner's zone of
    /// that kind and may be replaced.
    fn propose_member_moves(&mut self, program: &Program, frame: Handle, event: &Event) {
        let it = ObjectRef::from_value(event.args[0]);
        let Some(into) = usize::try_from(event.args[1]).ok().filter(|_| self.splits_pile(program, event)) else { return };
        let members = self.state.pile(it.slot()).to_vec();
        for member in members {
            let owner = self.state.column(ObjectRef(member).slot(), crate::state::layout::OWNER) as usize;
            let place = program.zone_instance(program.layout.kind(into), owner).unwrap_or(into);
            let used = self.state.block.items(event.used as usize).to_vec();
            let mut own = Event { result: 0, flags: event.flags & INHERITED | MEMBER_MOVE, status: status::PROPOSED, ..*event };
            own.args[0] = ObjectRef(member).value();
            own.args[1] = place as i64;
            own.args[2] = -1;
            own.args[4] = 0;
            own.args[5] = -1;
            own.args[6] = 0;
            own.used = self.state.block.new_list(&used) as u32;
            self.state.block.extend(frame + batch::EVENTS, &own.words());
        }
    }

    /// Returns whether a move takes the members of the object's pile into a zone of another kind.
    pub(super) fn splits_pile(&self, program: &Program, event: &Event) -> bool {
        let it = ObjectRef::from_value(event.args[0]);
        let stays_whole = event.args[6] != 0 || !event.move_host().is_none();
        let changes_kind =
            |into| self.state.zone(it.slot()).is_some_and(|from| program.layout.kind(from) != program.layout.kind(into));
        !stays_whole && !self.state.pile(it.slot()).is_empty() && usize::try_from(event.args[1]).is_ok_and(changes_kind)
    }

    /// Proposes the arrival of a created object as a separate move, which may be forbidden or replaced.
    fn propose_arrival(&mut self, frame: Handle, index: usize, event: &Event) {
        let Some(made) = self.create_object(event) else {
            let failed = Event { status: status::FAILED, ..*event };
            self.set_batch_event(frame, index, &failed);
            return;
        };
        let proposing = Event { flags: event.flags | HAS_PROPOSED, ..*event };
        self.set_batch_event(frame, index, &proposing);
        let arrival = Event {
            action: PUT,
            parent: index as u32 + 1,
            count: 7,
            args: [made.value(), event.args[1], event.args[2], 0, event.args[5], -1, 0, 0],
            cause: event.cause,
            flags: event.flags & INHERITED,
            ..Event::default()
        };
        self.state.block.extend(frame + batch::EVENTS, &arrival.words());
    }

    /// Deletes objects that were created and did not arrive in a zone.
    fn delete_unplaced_objects(&mut self, frame: Handle) {
        for index in 0..self.events_in(frame) {
            if self.event_word(frame, index, word::ACTION) == PUT {
                let it = self.event_argument(frame, index);
                if self.state.exists(it) && self.state.is_unplaced(it.slot()) {
                    self.delete_object(it.slot());
                }
            }
        }
    }

    fn push_lockstep_body(&mut self, frame: Handle, index: usize, function: FnId, args: &[i64], cause: Cause) {
        let behalf =
            EffectContext { cause: cause[0], source: ObjectRef::from_value(cause[1]), player: cause[2], chooser: cause[3] };
        let pushed = self.push_body(function, args, behalf);
        self.set(pushed + body::BATCH, frame as u32);
        self.set(pushed + body::EVENT, index as u32 + 1);
    }

    /// Returns whether the object of an event no longer exists, or is treated as not existing, or the event has no player who does it or for whom it
    /// happens.
    pub(in crate::vm) fn is_stale(&self, event: &Event) -> bool {
        let Some(action) = self.program.format.actions.get(event.action as usize) else { return true };
        let verb = VERBS.get(event.action as usize);
        let first = match verb {
            Some(row) => row.params.first().map(|p| p.ty),
            None => action.params.first().map(|(_, ty)| *ty),
        };
        let from_machine = verb.is_some_and(|row| row.params.first().is_some_and(|p| p.default == OperandDefault::Machine));
        let it = ObjectRef::from_value(event.args[0]);
        let is_missing = || !self.state.exists(it) || event.action != SHIFT && self.is_absent(it);
        let has_no_player = match verb {
            // Where it is left out, the compiler writes the player of the text, or the active player.
            Some(row) => row
                .params
                .iter()
                .zip(event.arguments())
                .any(|(param, arg)| param.ty == Type::Player && param.default == OperandDefault::You && *arg == NO_PLAYER),
            None => first == Some(Type::Player) && event.args[0] == NO_PLAYER,
        };
        let player = first == Some(Type::Thing) && it.player().is_some();
        has_no_player || first.is_some_and(Type::is_reference) && !from_machine && !player && is_missing()
    }

    /// Returns whether an object is in a zone whose contents are treated as not existing (phased out).
    fn is_absent(&self, it: ObjectRef) -> bool {
        self.state.zone(it.slot()).and_then(|zone| self.program.zone_of(zone)).is_some_and(|zone| zone.absent)
    }

    /// Returns whether an event affects a player who has left the game: it cannot happen (CR 800.4).
    pub(in crate::vm) fn concerns_left_player(&self, event: &Event) -> bool {
        let of_machine = matches!(event.action, BEGIN | FINISH | ANNOUNCE | RESOLVE | FIZZLE | CHOSEN);
        if of_machine || self.word(crate::state::layout::PLAYERS_LEFT) == 0 || Some(event.action) == self.program.leave_action {
            return false;
        }
        let left =
            |ty: &Type, arg: &i64| *ty == Type::Player && usize::try_from(*arg).is_ok_and(|seat| self.state.has_left(seat));
        match VERBS.get(event.action as usize) {
            Some(row) => row.params.iter().zip(event.arguments()).any(|(param, arg)| left(&param.ty, arg)),
            None => {
                let params = self.program.format.actions.get(event.action as usize).map_or(&[][..], |action| &action.params);
                params.iter().zip(event.arguments()).any(|((_, ty), arg)| left(ty, arg))
            }
        }
    }
}

impl Program {
    /// Returns the flags that every event of an action has.
    pub(in crate::vm) fn flags_of(&self, action: u32) -> u32 {
        let action = self.format.actions.get(action as usize);
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        action.map_or(0, |it| flag(it.unstoppable, UNSTOPPABLE) | flag(it.timing_neutral, TIMING_NEUTRAL))
    }
}
