//! Batches: simultaneous events, finalised level by level, committed together.
//!
//! The events of a batch form a tree. Each event is checked (is its object still there, is it forbidden), replaced where something
//! replaces it, and then spelt out: the body of its action runs up to its first statement and proposes the next level. When no
//! proposal is left, all primitive events of the segment are committed at once; then the bodies go on, in step, to their next
//! statement. So "destroy all" ends as one simultaneous move.

use super::body::Behalf;
use super::decision::{Choice, Decision, DecisionKind};
use super::derived::EFFECT_ONCE;
use super::frame::{batch, body, kind};
use super::hooks::Active;
use super::{Budget, Machine, Record};
use crate::ir::verbs::{ANNOUNCE, BEGIN, CEASE, CREATE, FINISH, FIZZLE, PICK, PUT, RESOLVE, SHIFT, STACK, VERBS, WRITE};
use crate::ir::{AbilityKind, Cause, FnId, NO_PLAYER, Op, Place, Type};
use crate::state::Ref;
use crate::state::block::Handle;
use std::sync::Arc;

/// Words of an event in its batch's list.
pub const EVENT_WORDS: usize = 19;

/// Words of an event.
pub(super) mod word {
    /// Its action.
    pub const ACTION: usize = 0;
    /// The event that it is part of, plus one.
    pub const PARENT: usize = 1;
    /// See [`super::status`].
    pub const STATUS: usize = 2;
    /// The object that it moved or made.
    pub const RESULT: usize = 3;
    /// The list of replacements in its lineage.
    pub const USED: usize = 8;
    /// Its first argument.
    pub const FIRST: usize = 10;
    /// Flags of this module.
    pub const FLAGS: usize = 18;
}

/// What a commit looks at: events of a batch, by number. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// What happens by itself.
    leaves: Vec<usize>,
    /// What happens with it for the first time: the leaves, and what they are part of.
    happening: Vec<usize>,
    /// Those of them at which somebody may look.
    hooked: Vec<usize>,
}

impl Segment {
    fn clear(&mut self) {
        self.leaves.clear();
        self.happening.clear();
        self.hooked.clear();
    }
}

/// How far an event has come.
pub mod status {
    /// Proposed.
    pub const PROPOSED: u32 = 0;
    /// Checked; it will happen, or its body runs.
    pub const FINAL: u32 = 1;
    /// Something of it happened.
    pub const HAPPENED: u32 = 2;
    /// Forbidden, or without its object.
    pub const FAILED: u32 = 3;
    /// Something else took its place.
    pub const REPLACED: u32 = 4;
}

/// Its body has proposed something.
pub(super) const PROPOSING: u32 = 1;
/// Triggers have been looked for.
pub(super) const MATCHED: u32 = 2;
/// It is a primitive event that was committed.
pub(super) const COMMITTED: u32 = 4;
/// It, or an event that it is part of, is unstoppable.
const UNSTOPPABLE: u32 = 8;
/// It, or an event that it is part of, is incidental.
pub(super) const INCIDENTAL: u32 = 32;
/// The move of a pile's member, which follows from the move of its top object: nobody waits for its result.
const MEMBER: u32 = 16;

/// From this bit on: the event in whose place it stands (a replacement's event), plus one.
pub(super) const STANDS_FOR: u32 = 8;

/// The flags that events pass on to their parts.
const INHERITED: u32 = UNSTOPPABLE | INCIDENTAL;

/// At most so many events in a batch.
const MAX_EVENTS: usize = 20_000;

/// An event, as a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its action.
    pub action: u32,
    /// The event whose body proposed it, plus one.
    pub parent: u32,
    /// See [`status`].
    pub status: u32,
    /// The object it moved or made.
    pub result: u32,
    /// Why.
    pub cause: Cause,
    /// List of (ability, source) pairs that replaced in its lineage.
    pub used: u32,
    /// How many arguments.
    pub count: u32,
    /// The arguments.
    pub args: [i64; 8],
    /// Flags of this module.
    pub flags: u32,
}

impl Event {
    /// As words.
    #[must_use]
    pub fn words(&self) -> [u32; EVENT_WORDS] {
        let [a0, a1, a2, a3, a4, a5, a6, a7] = self.args.map(|arg| arg as u32);
        let [kind, source, player, chooser] = self.cause.map(|word| word as u32);
        [
            self.action,
            self.parent,
            self.status,
            self.result,
            kind,
            source,
            player,
            chooser,
            self.used,
            self.count,
            a0,
            a1,
            a2,
            a3,
            a4,
            a5,
            a6,
            a7,
            self.flags,
        ]
    }

    /// From words.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        let Ok(words) = <[u32; EVENT_WORDS]>::try_from(words) else { return Self::default() };
        let [action, parent, status, result, kind, source, player, chooser, used, count, args @ .., flags] = words;
        let value = |word: u32| i64::from(word as i32);
        Self {
            action,
            parent,
            status,
            result,
            cause: [kind, source, player, chooser].map(value),
            used,
            count,
            args: args.map(value),
            flags,
        }
    }

    /// Its flags, with the number of the event that it stands for changed.
    pub(crate) fn flags_with(&self, number: impl FnOnce(u32) -> u32) -> u32 {
        self.flags & ((1 << STANDS_FOR) - 1) | number(self.flags >> STANDS_FOR) << STANDS_FOR
    }

    /// Whether it wrote something, as part of another event, and is done.
    pub(crate) fn is_done_write(&self) -> bool {
        self.action == WRITE && self.flags & COMMITTED != 0 && self.parent != 0
    }

    /// The arguments it has.
    #[must_use]
    pub fn arguments(&self) -> &[i64] {
        self.args.get(..self.count as usize).unwrap_or(&[])
    }
}

impl Machine {
    /// Pushes an empty batch.
    pub(crate) fn push_batch(&mut self) -> Handle {
        self.push_frame(kind::BATCH, batch::WORDS)
    }

    /// Proposes one event of the machine itself (nobody waits for its result).
    pub(crate) fn propose_alone(&mut self, action: u32, args: &[i64], cause: Cause) {
        let frame = self.push_batch();
        self.propose_in(frame, action, args, cause);
    }

    /// Proposes one more event of the machine itself in a batch that has not begun.
    pub(crate) fn propose_in(&mut self, frame: Handle, action: u32, args: &[i64], cause: Cause) {
        self.propose_with(frame, action, args, cause, 0);
    }

    /// As [`Machine::propose_in`], for what nothing forbids.
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

    /// Whether anything could forbid events of an action.
    pub(crate) fn may_be_forbidden(&mut self, action: u32) -> bool {
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        !self.derived.forbidding.is_empty() || self.program.hooks.get(action as usize).is_some_and(|h| !h.prohibitions.is_empty())
    }

    /// Whether anything could hook an action. Unhooked events of the machine itself are only logged.
    pub(crate) fn is_hooked(&self, action: u32) -> bool {
        let program = &self.program;
        let by_table = program
            .hooks
            .get(action as usize)
            .is_some_and(|h| !h.triggers.is_empty() || !h.replacements.is_empty() || !h.prohibitions.is_empty());
        by_table || !self.derived.forbidding.is_empty() || self.state.block.len(crate::state::layout::EFFECTS) != 0
    }

    /// Root events of a batch, proposed by a waiting body.
    pub(crate) fn add_group(&mut self, frame: Handle, body: Handle, events: &[Event], done: Option<u16>, out: Option<u16>) {
        let first = self.state.block.len(frame + batch::EVENTS) / EVENT_WORDS;
        for event in events {
            self.state.block.extend(frame + batch::EVENTS, &event.words());
        }
        let reg = |r: Option<u16>| r.map_or(0, |r| u32::from(r) + 1);
        self.state.block.extend(frame + batch::GROUPS, &[body as u32, first as u32, events.len() as u32, reg(done), reg(out)]);
    }

    /// Child events, proposed by a body that runs in step.
    pub(crate) fn add_children(&mut self, frame: Handle, from: Handle, events: &[Event], done: Option<u16>, out: Option<u16>) {
        let owner = self.word(from + body::EVENT);
        let (parent, used, stands_for, inherited) = match owner.checked_sub(1).map(|i| self.batch_event(frame, i as usize)) {
            // A replacement's events stand in the place of what they replace, and remember what replaced it.
            Some(event) if event.status == status::REPLACED => (event.parent, event.used, owner, event.flags & INHERITED),
            Some(event) => (owner, event.used, 0, event.flags & INHERITED),
            None => (0, 0, 0, 0),
        };
        let used_words = self.state.block.items(used as usize).to_vec();
        let replaced_event = (stands_for != 0).then(|| self.batch_event(frame, stands_for as usize - 1));
        // What is done to an object as it arrives is done by who will control it (CR 122.6a), and by an effect where an object says so.
        let arrival = replaced_event.and_then(|event| Some((event.args[0], self.comes_under(&event)?)));
        let says = used_words.last().copied().unwrap_or(0);
        let replaced = replaced_event.filter(|event| event.action == PUT);
        let mut children = Vec::with_capacity(events.len());
        for event in events {
            let mut child = *event;
            // A move that is changed keeps what the change leaves open: under whom, and how it arrives.
            if let Some(put) = &replaced
                && child.action == PUT
                && (child.args[0], child.args[1]) == (put.args[0], put.args[1])
            {
                if child.args[2] < 0 {
                    child.args[2] = put.args[2];
                }
                child.args[4] |= put.args[4];
            }
            if let Some((it, player)) = arrival
                && child.args[0] == it
                && self.begins_with_object(child.action)
            {
                child.cause[2] = player;
                if says != 0 {
                    child.cause[0] = crate::ir::cause::EFFECT;
                }
            }
            child.parent = parent;
            child.flags |= stands_for << STANDS_FOR | inherited;
            child.used = self.state.block.new_list(&used_words) as u32;
            children.push(child);
        }
        self.add_group(frame, from, &children, done, out);
    }

    /// Whether the first parameter of a game's action is an object.
    fn begins_with_object(&self, action: u32) -> bool {
        let params = self.program.format.actions.get(action as usize).map_or(&[][..], |a| a.params.as_slice());
        action as usize >= VERBS.len() && params.first().is_some_and(|(_, ty)| *ty == Type::Object)
    }

    /// Whether a body is that of a replacement that has not let anything happen yet: what it writes counts for the other events at once.
    pub(crate) fn counts_first(&self, from: Handle) -> bool {
        let frame = self.word(from + body::BATCH) as usize;
        let Some(index) = self.word(from + body::EVENT).checked_sub(1) else { return false };
        let event = self.batch_event(frame, index as usize);
        event.status == status::REPLACED && event.flags & PROPOSING == 0
    }

    /// Notes that a body has come to a statement.
    pub(crate) fn mark_proposing(&mut self, frame: Handle, from: Handle) {
        if let Some(index) = self.word(from + body::EVENT).checked_sub(1) {
            let flags = self.event_word(frame, index as usize, word::FLAGS);
            self.set_event_word(frame, index as usize, word::FLAGS, flags | PROPOSING);
        }
    }

    /// Event `index` of a batch.
    pub(crate) fn batch_event(&self, frame: Handle, index: usize) -> Event {
        let words = self.state.block.list(frame + batch::EVENTS);
        Event::from_words(words.get(index * EVENT_WORDS..(index + 1) * EVENT_WORDS).unwrap_or(&[]))
    }

    /// A word of event `index` of a batch: see [`word`].
    #[inline]
    pub(super) fn event_word(&self, frame: Handle, index: usize, word: usize) -> u32 {
        self.state.block.item(frame + batch::EVENTS, index * EVENT_WORDS + word)
    }

    /// Writes a word of event `index` of a batch.
    #[inline]
    pub(super) fn set_event_word(&mut self, frame: Handle, index: usize, word: usize, value: u32) {
        self.state.block.overwrite(frame + batch::EVENTS, index * EVENT_WORDS + word, &[value]);
    }

    fn set_batch_event(&mut self, frame: Handle, index: usize, event: &Event) {
        self.state.block.overwrite(frame + batch::EVENTS, index * EVENT_WORDS, &event.words());
    }

    pub(super) fn events_in(&self, frame: Handle) -> usize {
        self.state.block.len(frame + batch::EVENTS) / EVENT_WORDS
    }

    pub(crate) fn resume_batch(&mut self, frame: Handle) {
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
                    self.finalise(frame, cursor);
                } else {
                    self.set(frame + batch::PHASE, 1);
                }
            }
            1 => {
                self.set(frame + batch::PHASE, 2);
                self.commit_segment(frame);
            }
            _ => self.go_on(frame),
        }
    }

    /// Checks and replaces one event, and starts its body.
    fn finalise(&mut self, frame: Handle, index: usize) {
        let mut event = self.batch_event(frame, index);
        if event.action == PUT && event.count >= 6 && event.flags & MEMBER == 0 {
            let it = Ref::from_value(event.args[0]);
            event.args[5] = if self.state.exists(it) { self.state.zone(it.slot()).map_or(-1, |z| z as i64) } else { -1 };
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
            // Declined: none of the optional ones will be asked about again for this event.
            for active in applicable {
                self.state.block.extend_used(&mut event.used, used_by(&active));
            }
        } else if event.action != WRITE {
            self.reread(&mut event);
        }
        if event.action != WRITE {
            let after_the_fact = matches!(event.action, BEGIN | FINISH | ANNOUNCE | RESOLVE | FIZZLE | PICK);
            let stoppable = !after_the_fact && event.flags & UNSTOPPABLE == 0;
            if self.lacks_object(&event)
                || self.lacks_player(&event)
                || stoppable && self.forbidden(event.action, event.arguments(), event.cause).is_some()
            {
                event.status = status::FAILED;
                self.set_batch_event(frame, index, &event);
                self.set(frame + batch::CURSOR, index as u32 + 1);
                self.record(|| log_event(&event, false));
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
            self.propose_members(frame, &event);
        }
        if event.action == CREATE {
            self.propose_arrival(frame, index, &event);
        }
        let body = self.program.format.actions.get(event.action as usize).and_then(|a| a.body);
        if let Some(function) = body
            && event.action as usize >= VERBS.len()
        {
            let mut args = vec![0, event.cause[2]];
            args.extend_from_slice(event.arguments());
            self.push_in_step(frame, index, function, &args, event.cause);
        }
    }

    /// An event is re-read as another action where the format says so (`treat destroy as sacrifice when …`).
    fn reread(&mut self, event: &mut Event) {
        let program = Arc::clone(&self.program);
        for treat in &program.format.treats {
            if treat.action.0 != event.action {
                continue;
            }
            let mut args = vec![0, NO_PLAYER];
            args.extend_from_slice(event.arguments());
            args.extend(event.cause);
            if treat.condition.is_none_or(|condition| self.test(condition, &args)) {
                event.action = treat.into.0;
                break;
            }
        }
        if let Some(action) = program.format.actions.get(event.action as usize) {
            event.flags |= if action.unstoppable { UNSTOPPABLE } else { 0 } | if action.incidental { INCIDENTAL } else { 0 };
        }
    }

    /// The members of a pile that parts move by events of their own: each goes to its owner's zone of the kind, and may be replaced.
    fn propose_members(&mut self, frame: Handle, event: &Event) {
        let it = Ref::from_value(event.args[0]);
        let program = Arc::clone(&self.program);
        let Ok(into) = usize::try_from(event.args[1]) else { return };
        let members = self.state.pile(it.slot()).to_vec();
        let alone = event.args[6] != 0;
        let parts =
            !alone && self.state.zone(it.slot()).is_some_and(|from| program.layout.kind(from) != program.layout.kind(into));
        if !parts {
            return;
        }
        for member in members {
            let owner = self.state.column(Ref(member).slot(), crate::state::layout::OWNER) as usize;
            let place = program.instance(program.layout.kind(into), owner).unwrap_or(into);
            let used = self.state.block.items(event.used as usize).to_vec();
            let mut own = Event { result: 0, flags: event.flags & INHERITED | MEMBER, status: status::PROPOSED, ..*event };
            own.args[0] = Ref(member).value();
            own.args[1] = place as i64;
            own.args[2] = -1;
            own.args[4] = 0;
            own.args[5] = -1;
            own.args[6] = 0;
            own.used = self.state.block.new_list(&used) as u32;
            self.state.block.extend(frame + batch::EVENTS, &own.words());
        }
    }

    /// What is made arrives by an event of its own, which may be forbidden or replaced as any other move.
    fn propose_arrival(&mut self, frame: Handle, index: usize, event: &Event) {
        let Some(made) = self.make(event) else {
            let failed = Event { status: status::FAILED, ..*event };
            self.set_batch_event(frame, index, &failed);
            return;
        };
        let proposing = Event { flags: event.flags | PROPOSING, ..*event };
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

    /// What was made and has not arrived is not made.
    fn unmake_strays(&mut self, frame: Handle) {
        for index in 0..self.events_in(frame) {
            if self.event_word(frame, index, word::ACTION) == PUT {
                let it = self.event_argument(frame, index);
                if self.state.exists(it) && self.state.is_unplaced(it.slot()) {
                    self.unmake(it.slot());
                }
            }
        }
    }

    fn push_in_step(&mut self, frame: Handle, index: usize, function: FnId, args: &[i64], cause: Cause) {
        let behalf = Behalf { cause: cause[0], source: Ref::from_value(cause[1]), player: cause[2], chooser: cause[3] };
        let pushed = self.push_body(function, args, behalf);
        self.set(pushed + body::BATCH, frame as u32);
        self.set(pushed + body::EVENT, index as u32 + 1);
    }

    /// Whether the object an event is about is not there any more.
    fn lacks_object(&self, event: &Event) -> bool {
        let Some(action) = self.program.format.actions.get(event.action as usize) else { return true };
        let verb = VERBS.get(event.action as usize);
        let first = match verb {
            Some(row) => row.params.first().map(|p| p.ty),
            None => action.params.first().map(|(_, ty)| *ty),
        };
        let from_machine =
            verb.is_some_and(|row| row.params.first().is_some_and(|p| p.default == crate::ir::verbs::Default::Machine));
        let it = Ref::from_value(event.args[0]);
        let gone = || !self.state.exists(it) || event.action != SHIFT && self.is_absent(it);
        let player = first == Some(Type::Thing) && it.player().is_some();
        first.is_some_and(Type::is_reference) && !from_machine && !player && gone()
    }

    /// Whether an object is where it is treated as though it did not exist.
    fn is_absent(&self, it: Ref) -> bool {
        self.state.zone(it.slot()).and_then(|zone| self.program.zone_of(zone)).is_some_and(|zone| zone.absent)
    }

    /// Whether an event is about a player who has left: nothing happens to them any more (CR 800.4).
    fn lacks_player(&self, event: &Event) -> bool {
        let of_machine = matches!(event.action, BEGIN | FINISH | ANNOUNCE | RESOLVE | FIZZLE | PICK);
        if of_machine || self.word(crate::state::layout::LEFT) == 0 || Some(event.action) == self.program.leaving {
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

    /// The replacements that can apply to an event, those of its lineage left out.
    fn replacements(&mut self, frame: Handle, event: &Event) -> Vec<Active> {
        if !self.may_be_replaced(event.action) {
            return Vec::new();
        }
        let used = self.state.block.items(event.used as usize).to_vec();
        let all = match self.arrives(frame, event) {
            Some(arrival) => self.replacements_on_arrival(event, &arrival),
            None => self.active_replacements(event.action, event.arguments(), event.cause),
        };
        let program = Arc::clone(&self.program);
        let unstoppable = event.flags & UNSTOPPABLE != 0;
        // What an object has twice replaces twice, each of them once.
        let mut left: Vec<[u32; 2]> = used.chunks(2).filter_map(|pair| pair.try_into().ok()).collect();
        let mut fresh: Vec<Active> = Vec::new();
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
    fn says_what_arrives(&self, by: &Active) -> u8 {
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

    /// The move into the field of the object that an event is about: the event itself, or another one of its batch.
    fn arrives(&mut self, frame: Handle, event: &Event) -> Option<Event> {
        let program = Arc::clone(&self.program);
        let into_field = |put: &Event| {
            let into = usize::try_from(put.args[1]).ok().and_then(|zone| program.zone_of(zone));
            put.action == PUT && put.flags & MEMBER == 0 && into.is_some_and(|zone| zone.field)
        };
        let outside = |machine: &Self, it: i64| {
            let it = Ref::from_value(it);
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

    /// Whether any replacement is there for an action at all.
    fn may_be_replaced(&self, action: u32) -> bool {
        let hooks = self.program.hooks.get(action as usize);
        hooks.is_some_and(|hooks| !hooks.replacements.is_empty()) || self.state.block.len(crate::state::layout::EFFECTS) != 0
    }

    /// The replacements of an event about an object that is entering the field: it is matched as what it will be there (CR 614.12), by the
    /// abilities of what is there already and by those of its own that work where it comes from.
    fn replacements_on_arrival(&mut self, event: &Event, put: &Event) -> Vec<Active> {
        let now = self.active_replacements(event.action, event.arguments(), event.cause);
        let it = Ref::from_value(put.args[0]);
        let program = Arc::clone(&self.program);
        let kind =
            |state: &crate::state::State, it: Ref| state.zone(it.slot()).map_or(31, |zone| program.layout.kind(zone).min(31));
        let from = kind(&self.state, it);
        let (state, derived) = (self.state.clone(), self.derived.clone());
        let under = usize::try_from(put.args[2]).ok();
        let into = usize::try_from(put.args[1]).unwrap_or(usize::MAX);
        let moved = self.move_object(it, into, under, false, put.args[4] as u32);
        let field = moved.map_or(31, |moved| kind(&self.state, moved));
        let mut found = Vec::new();
        if let Some(moved) = moved {
            let mut args = event.args;
            let types = program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
            let objects = |n: usize| event.action == PUT && n == 0 || types.get(n).is_some_and(|(_, ty)| *ty == Type::Object);
            for (n, arg) in args.iter_mut().enumerate() {
                if objects(n) && *arg == it.value() {
                    *arg = moved.value();
                }
            }
            let args = args.get(..event.count as usize).unwrap_or(&[]);
            found = self.active_replacements(event.action, args, event.cause);
            let zones = |active: &Active| program.library.abilities.get(active.ability.index()).map_or(0, |a| a.zones);
            found.retain(|active| active.this != moved || zones(active) & (1 << from) != 0);
            for active in &mut found {
                if active.this == moved {
                    active.this = it;
                }
            }
            // What works where it comes from alone is no part of what it will be.
            found.extend(now.into_iter().filter(|active| active.this == it && zones(active) & (1 << field) == 0));
        }
        self.state = state;
        self.derived.restore(derived);
        found
    }

    fn choose_replacement(&mut self, frame: Handle, index: usize, event: Event, applicable: &[Active]) {
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

    fn may_be_declined(&self, active: &Active) -> bool {
        let kind = self.program.library.abilities.get(active.ability.index()).map(|a| &a.kind);
        matches!(kind, Some(AbilityKind::Replacement { optional: true, .. }))
    }

    /// What may replace an event: each replacement, and with one that keeps count each event that it could replace first.
    fn replacement_options(&mut self, frame: Handle, index: usize, applicable: &[Active]) -> Vec<(Choice, Active, usize)> {
        let mut answers: Vec<(Choice, Active, usize)> = Vec::new();
        for active in applicable {
            let rivals = if self.may_be_declined(active) { vec![index] } else { self.rivals(frame, index, active) };
            let apart = rivals.len() > 1;
            for rival in rivals {
                let about = if apart { self.told_by(frame, rival) } else { Ref::NONE };
                let option = Choice::Replacement { ability: active.ability.0, source: active.this, about, nth: 0 };
                answers.push((option, *active, rival));
            }
        }
        let mut options: Vec<Choice> = answers.iter().map(|(option, ..)| *option).collect();
        super::decision::number_equal(&mut options);
        for ((option, ..), numbered) in answers.iter_mut().zip(options) {
            *option = numbered;
        }
        answers
    }

    /// The events that ask for one replacement that keeps count of what it may still do: the affected player says which it replaces first
    /// (CR 615.7). Only this event, when it keeps no count.
    fn rivals(&mut self, frame: Handle, index: usize, by: &Active) -> Vec<usize> {
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
                && !self.lacks_object(&event)
                && self.replacements(frame, &event).contains(by)
            {
                found.push(other);
            }
        }
        found
    }

    /// Whether a replacement writes something before it lets anything happen.
    fn keeps_count(&self, by: &Active) -> bool {
        let body = match self.program.library.abilities.get(by.ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Replacement { body, .. }) => self.program.function(*body),
            _ => None,
        };
        let mut statements = body.map_or(&[][..], |f| f.ops.as_slice()).iter();
        let first = statements.find(|op| {
            matches!(op, Op::Write { .. } | Op::WriteKey { .. } | Op::Do { .. } | Op::Gather | Op::Choose { .. } | Op::Ask { .. })
        });
        matches!(first, Some(Op::Write { .. } | Op::WriteKey { .. }))
    }

    /// What tells an event from others: its object that is not affected, else what causes it.
    fn told_by(&self, frame: Handle, index: usize) -> Ref {
        let event = self.batch_event(frame, index);
        let params = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        let object = params.iter().zip(event.args).find(|((_, ty), _)| *ty == Type::Object).map(|(_, arg)| arg);
        Ref::from_value(object.filter(|it| *it != 0).unwrap_or(event.cause[1]))
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
                Type::Thing if Ref::from_value(arg).player().is_some() => {
                    return self.seat(Ref::from_value(arg).player().map_or(NO_PLAYER, |seat| seat as i64));
                }
                Type::Object | Type::Thing => {
                    let controller = self.controller(Ref::from_value(arg));
                    return self.seat(controller);
                }
                _ => {}
            }
        }
        self.state.active()
    }

    /// Who will control what moves into the field from elsewhere: what it says of its arrival is said to that player (CR 614.12).
    fn comes_under(&self, event: &Event) -> Option<i64> {
        let zone = usize::try_from(event.args[1]).ok().filter(|_| event.action == PUT && event.flags & MEMBER == 0)?;
        let it = Ref::from_value(event.args[0]);
        let from = self.state.zone(it.slot());
        let outside = from.and_then(|from| self.program.zone_of(from)).is_none_or(|from| !from.field);
        if !self.state.exists(it) || !outside || !self.program.zone_of(zone).is_some_and(|zone| zone.field) {
            return None;
        }
        let owner = self.state.column(it.slot(), crate::state::layout::OWNER) as usize;
        let named = usize::try_from(event.args[2]).ok().filter(|player| *player < self.program.players());
        named.or_else(|| self.program.zone_owner(zone)).or(Some(owner)).map(|player| player as i64)
    }

    fn replace(&mut self, frame: Handle, index: usize, mut event: Event, by: Active) {
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
                vec![source.value(), own.unwrap_or_else(|| self.ability_controller(source))]
            }
        };
        if let Some((number, record)) = standing
            && self.word(record + EFFECT_ONCE) != 0
        {
            self.remove_effect(number);
        }
        args.extend(event.arguments().iter().take(program.args_of(pattern.action)));
        args.extend(event.cause);
        self.push_in_step(frame, index, *body, &args, event.cause);
    }

    /// Commits the primitive events of the segment, all at once, and looks for triggers before and after.
    fn commit_segment(&mut self, frame: Handle) {
        let first = self.word(frame + batch::SEGMENT) as usize;
        let count = self.events_in(frame);
        let mut segment = std::mem::take(&mut self.scratch.segment);
        segment.clear();
        for index in 0..count {
            let flags = self.event_word(frame, index, word::FLAGS);
            if self.event_word(frame, index, word::STATUS) == status::FINAL
                && flags & (COMMITTED | PROPOSING) == 0
                && (self.is_primitive(frame, index) || index >= first)
            {
                segment.leaves.push(index);
            }
        }
        self.set(frame + batch::SEGMENT, count as u32);
        self.drop_repeated_moves(frame, &mut segment.leaves);
        // What matters for triggers that must not miss their moment: not the bookkeeping of statuses, nor what is incidental.
        let counts = |leaf: &usize| {
            let action = self.event_word(frame, *leaf, word::ACTION);
            let machine = matches!(action, BEGIN | FINISH | ANNOUNCE | RESOLVE | FIZZLE | PICK);
            let bookkeeping = action == WRITE && self.event_word(frame, *leaf, word::PARENT) == 0;
            !machine && !bookkeeping && self.event_word(frame, *leaf, word::FLAGS) & INCIDENTAL == 0
        };
        if segment.leaves.iter().any(counts) {
            self.moment_is_missed();
        }
        // Everything that happens with this commit: the leaves and their ancestors, each once.
        let Segment { leaves, happening, hooked } = &mut segment;
        for leaf in leaves.iter() {
            let mut at = Some(*leaf);
            while let Some(index) = at {
                let seen = self.event_word(frame, index, word::FLAGS) & MATCHED != 0;
                if !seen && self.event_word(frame, index, word::ACTION) != WRITE && !happening.contains(&index) {
                    happening.push(index);
                }
                at = self.part_of(frame, index);
            }
        }
        happening.sort_unstable();
        hooked.extend(happening.iter().copied().filter(|index| self.is_hooked(self.event_word(frame, *index, word::ACTION))));
        let mut immediate = Vec::new();
        for index in hooked.iter() {
            let event = self.batch_event(frame, *index);
            immediate.extend(self.find_triggers(&event, true));
        }
        // What leaves together is remembered as it was together.
        for leaf in leaves.iter() {
            if self.moves(frame, *leaf) {
                self.remember(self.event_argument(frame, *leaf));
            }
        }
        // Moves come first: what is written together with a move into the field is written of what arrives there.
        leaves.sort_by_key(|leaf| !self.moves(frame, *leaf));
        let mut arrived: Vec<(i64, i64)> = Vec::new();
        for leaf in leaves.iter() {
            let mut event = self.batch_event(frame, *leaf);
            event.flags |= COMMITTED;
            event.status = status::HAPPENED;
            if event.action == WRITE && event.args[0] == 0 {
                self.follow(frame, &arrived, &mut event);
            }
            // A member moves only once its pile has parted.
            let stuck = event.flags & MEMBER != 0
                && self.state.column(Ref::from_value(event.args[0]).slot(), crate::state::layout::HOST) != 0;
            if stuck {
                event.status = status::FAILED;
            } else if (event.action as usize) < VERBS.len() {
                match self.commit(&event) {
                    Some(result) => event.result = result.0,
                    None => event.status = status::FAILED,
                }
            } else {
                self.event_happened();
            }
            self.set_batch_event(frame, *leaf, &event);
            if event.status == status::HAPPENED {
                self.spread(frame, *leaf, event.result);
                if event.action == PUT && self.program.zone_of(event.args[1].max(0) as usize).is_some_and(|zone| zone.field) {
                    arrived.push((event.args[0], Ref(event.result).value()));
                }
            }
        }
        for index in happening.iter() {
            if self.event_word(frame, *index, word::STATUS) == status::HAPPENED {
                let flags = self.event_word(frame, *index, word::FLAGS);
                self.set_event_word(frame, *index, word::FLAGS, flags | MATCHED);
                if self.recording {
                    let event = self.batch_event(frame, *index);
                    self.record(|| log_event(&event, true));
                }
            }
        }
        self.after_commit();
        for index in hooked.iter() {
            let mut event = self.batch_event(frame, *index);
            if event.status == status::HAPPENED {
                if event.action == PUT {
                    event.args[0] = Ref(event.result).value();
                }
                immediate.extend(self.find_triggers(&event, false));
                self.end_by_event(&event);
            }
        }
        for leaf in leaves.iter() {
            let stacked = self.event_word(frame, *leaf, word::ACTION) == STACK
                && self.event_word(frame, *leaf, word::STATUS) == status::HAPPENED;
            if stacked && self.is_hooked(PUT) {
                let event = self.batch_event(frame, *leaf);
                let arrival = self.arrival(&event);
                immediate.extend(self.find_triggers(&arrival, false));
                self.end_by_event(&arrival);
            }
        }
        self.scratch.segment = segment;
        for (function, args, behalf) in immediate.into_iter().rev() {
            self.push_body(function, &args, behalf);
        }
    }

    /// Something happens that triggers come too late for which must not miss their moment.
    pub(super) fn moment_is_missed(&mut self) {
        let serial = self.word(crate::state::layout::SERIAL);
        self.set(crate::state::layout::SERIAL, serial.wrapping_add(1));
    }

    fn is_primitive(&self, frame: Handle, index: usize) -> bool {
        (self.event_word(frame, index, word::ACTION) as usize) < VERBS.len()
    }

    /// Whether an event moves its object.
    fn moves(&self, frame: Handle, index: usize) -> bool {
        matches!(self.event_word(frame, index, word::ACTION), PUT | STACK | CEASE)
    }

    /// The object that an event of the machine's own is about.
    fn event_argument(&self, frame: Handle, index: usize) -> Ref {
        Ref::from_value(i64::from(self.event_word(frame, index, word::FIRST) as i32))
    }

    /// Lets what is written of an object that has just arrived in the field be written of what it is there, and what that is part of be
    /// about it.
    fn follow(&mut self, frame: Handle, arrived: &[(i64, i64)], event: &mut Event) {
        let Some((before, now)) = arrived.iter().copied().find(|(before, _)| *before == event.args[2]) else { return };
        event.args[2] = now;
        let mut at = event.parent;
        while let Some(index) = at.checked_sub(1) {
            let mut outer = self.batch_event(frame, index as usize);
            let program = Arc::clone(&self.program);
            let params = program.format.actions.get(outer.action as usize).map_or(&[][..], |a| a.params.as_slice());
            for ((_, ty), arg) in params.iter().zip(&mut outer.args) {
                if *ty == Type::Object && *arg == before {
                    *arg = now;
                }
            }
            self.set_batch_event(frame, index as usize, &outer);
            at = outer.parent;
        }
    }

    /// What was put on top of another object has entered the zone: triggers on entering see it.
    fn arrival(&self, event: &Event) -> Event {
        let it = Ref(event.result);
        let zone = self.state.zone(it.slot()).map_or(-1, |z| z as i64);
        let controller = i64::from(self.state.column(it.slot(), crate::state::layout::CONTROLLER));
        Event {
            action: PUT,
            count: 6,
            args: [it.value(), zone, controller, 0, 0, -1, 0, 0],
            cause: event.cause,
            ..Event::default()
        }
    }

    /// An object moves once in a commit: a second event that would move it, or one whose object is gone, fails before anything
    /// triggers on it.
    fn drop_repeated_moves(&mut self, frame: Handle, leaves: &mut Vec<usize>) {
        let mut moved: Vec<Ref> = Vec::new();
        let mut repeated = Vec::new();
        let one = leaves.len() == 1;
        leaves.retain(|index| {
            if !self.moves(frame, *index) {
                return true;
            }
            let it = self.event_argument(frame, *index);
            let again = moved.contains(&it) || !self.state.exists(it) || !self.has_place(&self.batch_event(frame, *index));
            if !one {
                moved.push(it);
            }
            if again {
                repeated.push(*index);
            }
            !again
        });
        for index in repeated {
            self.set_event_word(frame, index, word::STATUS, status::FAILED);
        }
    }

    /// Whether there is somewhere for what moves.
    fn has_place(&self, event: &Event) -> bool {
        match event.action {
            PUT => usize::try_from(event.args[1]).is_ok_and(|zone| zone < self.program.layout.instances),
            STACK => {
                let host = Ref::from_value(event.args[1]);
                self.state.exists(host) && host != Ref::from_value(event.args[0])
            }
            _ => true,
        }
    }

    /// Tells an event's ancestors that it happened.
    fn spread(&mut self, frame: Handle, index: usize, result: u32) {
        let mut at = self.part_of(frame, index);
        while let Some(ancestor) = at {
            self.set_event_word(frame, ancestor, word::STATUS, status::HAPPENED);
            if self.event_word(frame, ancestor, word::RESULT) == 0 {
                self.set_event_word(frame, ancestor, word::RESULT, result);
            }
            at = self.part_of(frame, ancestor);
        }
    }

    /// The event that an event is part of. Where a move was replaced by something that leads elsewhere, what said that move did not happen
    /// (a creature that is exiled instead has not died), but what that is part of did.
    fn part_of(&self, frame: Handle, index: usize) -> Option<usize> {
        let parent = self.event_word(frame, index, word::PARENT).checked_sub(1)? as usize;
        let stands_for = |index: usize| (self.event_word(frame, index, word::FLAGS) >> STANDS_FOR).checked_sub(1);
        let Some(mut replaced) = stands_for(index) else { return Some(parent) };
        while let Some(outer) = stands_for(replaced as usize) {
            replaced = outer;
        }
        let (event, meant) = (self.batch_event(frame, index), self.batch_event(frame, replaced as usize));
        let kind = |put: &Event| usize::try_from(put.args[1]).map_or(usize::MAX, |zone| self.program.layout.kind(zone));
        let strays = meant.action == PUT && event.action == PUT && meant.args[0] == event.args[0] && kind(&meant) != kind(&event);
        if strays { self.part_of(frame, parent) } else { Some(parent) }
    }

    /// After a segment: results go to the bodies that proposed it, and the bodies go on.
    fn go_on(&mut self, frame: Handle) {
        let groups = self.state.block.list(frame + batch::GROUPS).to_vec();
        let bodies = self.state.block.list(frame + batch::BODIES).to_vec();
        let finished = bodies.is_empty() && self.word(frame + batch::CURSOR) as usize == self.events_in(frame);
        self.state.block.clear(frame + batch::BODIES);
        self.state.block.clear(frame + batch::GROUPS);
        let mut ready = Vec::new();
        for group in groups.chunks(5) {
            let &[waiting, first, len, ..] = group else { continue };
            let range = first as usize..(first as usize + len as usize);
            let is_body = bodies.contains(&waiting);
            // A body goes on when what it proposed is through: no body of an event below its own proposals is left.
            let through = if is_body {
                !bodies.iter().filter(|other| **other != waiting).any(|other| {
                    let event = self.word(*other as usize + body::EVENT).saturating_sub(1) as usize;
                    self.comes_from(frame, event, &range)
                })
            } else {
                finished
            };
            if through {
                self.report_group(frame, group);
                if is_body {
                    ready.push(waiting);
                }
            } else {
                self.state.block.extend(frame + batch::GROUPS, group);
            }
        }
        if finished {
            self.free_used(frame);
            self.state.block.clear(frame + batch::EVENTS);
            self.pop_frame();
            return;
        }
        self.set(frame + batch::PHASE, 0);
        for body in bodies.iter().filter(|body| !ready.contains(body)) {
            self.state.block.push(frame + batch::BODIES, *body);
        }
        for body in bodies.iter().rev().filter(|body| ready.contains(body)) {
            self.state.block.push(crate::state::layout::FRAMES, *body);
        }
    }

    /// Writes what became of a group of events into the registers of the body that proposed it.
    fn report_group(&mut self, frame: Handle, group: &[u32]) {
        let &[waiting, first, len, done, out] = group else { return };
        let range = first as usize..(first as usize + len as usize);
        let mut happened = false;
        let mut results = Vec::new();
        for index in range.start..self.events_in(frame) {
            happened |= self.event_word(frame, index, word::STATUS) == status::HAPPENED && self.counts_for(frame, index, &range);
            let result = self.event_word(frame, index, word::RESULT);
            if out != 0
                && result != 0
                && self.event_word(frame, index, word::FLAGS) & (COMMITTED | MEMBER) == COMMITTED
                && !results.contains(&result)
                && self.comes_from(frame, index, &range)
            {
                results.push(result);
            }
        }
        // A cost that cannot happen is not paid; one that has nothing to do is.
        let cost = self.word(waiting as usize + body::CAUSE) == crate::ir::cause::COST as u32;
        if cost && !happened && self.word(waiting as usize + body::BATCH) == 0 {
            let fails =
                |index| self.event_word(frame, index, word::STATUS) == status::FAILED && self.comes_from(frame, index, &range);
            if (range.start..self.events_in(frame)).any(fails) {
                self.fail_cost();
            }
        }
        self.report(
            waiting as usize,
            done.checked_sub(1).map(|reg| (reg as u16, happened)),
            out.checked_sub(1).map(|reg| (reg as u16, results.as_slice())),
        );
    }

    /// Frees the lists that the events of a batch own, and what they made in vain.
    pub(crate) fn free_used(&mut self, frame: Handle) {
        self.unmake_strays(frame);
        for index in 0..self.events_in(frame) {
            let used = self.event_word(frame, index, word::USED);
            self.state.block.free(used as usize);
        }
    }

    /// Whether an event or one of its ancestors lies in a range, or took the place of one there.
    fn comes_from(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        loop {
            if range.contains(&at) {
                return true;
            }
            let stands_for = self.event_word(frame, at, word::FLAGS) >> STANDS_FOR;
            let outer = if stands_for != 0 { stands_for } else { self.event_word(frame, at, word::PARENT) };
            match outer.checked_sub(1) {
                Some(outer) => at = outer as usize,
                None => return false,
            }
        }
    }

    /// Whether an event is one of a range, or the changed form of one there: a replacement's event of the same action
    /// (something that enters in another way has entered; something that was put elsewhere instead of being destroyed was not).
    fn counts_for(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        while !range.contains(&at) {
            match (self.event_word(frame, at, word::FLAGS) >> STANDS_FOR).checked_sub(1) {
                Some(replaced) => at = replaced as usize,
                None => return false,
            }
        }
        let action = |index| self.event_word(frame, index, word::ACTION) as usize;
        action(index) == action(at) || self.program.descends(action(index), action(at))
    }
}

/// How a replacement is remembered in the lineage of events: by ability and source, or by ability and standing effect.
fn used_by(active: &Active) -> [u32; 2] {
    match active.effect {
        0 => [active.ability.0, active.this.0],
        stamp => [active.ability.0 | 1 << 31, stamp],
    }
}

pub(super) fn log_event(event: &Event, happened: bool) -> Record {
    Record::Event { action: event.action, args: event.arguments().to_vec(), cause: event.cause, happened }
}

impl crate::state::block::Block {
    /// Adds an (ability, source) pair to an event's list of replacements used.
    fn extend_used(&mut self, used: &mut u32, by: [u32; 2]) {
        let mut words = self.items(*used as usize).to_vec();
        words.extend(by);
        self.free(*used as usize);
        *used = self.new_list(&words) as u32;
    }
}
