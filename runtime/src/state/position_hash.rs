//! The position hash: equal for positions that the rules cannot distinguish. A mandatory loop is a position whose hash recurs.
//!
//! The hash does not read words in memory order. A canonical walk over the zones numbers the references (in unordered zones,
//! objects are sorted by their values). Timestamps are hashed as ranks among those that can matter. Random numbers, budgets,
//! decision counters, view handles and the positions of cells are excluded.

use super::block::{Block, Handle};
use super::{State, layout as at};
use crate::ir::ObjectRef;
use crate::ir::verbs::VERBS;
use crate::ir::{AbilityKind, FnId, Reg, Type, UseLimitKey};
use crate::records::decision;
use crate::records::event::{EVENT_WORDS, Event};
use crate::records::frame::body::carries;
use crate::records::frame::{FrameKind, KIND, announce, batch, body, kind, paragraphs, pay, resolve, settle, turn, window};
use crate::records::{
    EFFECT_ABILITIES, EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_COPIED, EFFECT_LOCKED, EFFECT_MODS, EFFECT_ONCE, EFFECT_SOURCE,
    EFFECT_STAMP, EFFECT_UNTIL, EFFECT_WHOM, KNOWN_ROW,
};
use crate::records::{
    ENTRY_EXTRAS, ENTRY_KEPT_ABILITIES, ENTRY_KIND, ENTRY_OPTIONS, ENTRY_ORIGIN, ENTRY_PARAGRAPHS, ENTRY_PLAY, ENTRY_RESOLVING,
    ENTRY_SOURCE, ENTRY_USER,
};
use crate::records::{PENDING_ABILITY, PENDING_ARGS, PENDING_CONTROLLER, PENDING_SOURCE, captured_types, pending_types};
use crate::records::{TRIGGER_CODE, USE_COUNT_WORDS};
use crate::tables::LinkedTables;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

impl State {
    /// A hash of the position, for detection of loops; see the module.
    #[must_use]
    pub fn position_hash(&self, program: &LinkedTables) -> u64 {
        let mut hasher = Xxh3::new();
        for mark in std::iter::once(&self.block).chain(&self.marks) {
            let mut walk = PositionWalk::new(program, mark);
            walk.board();
            // In a finished game, frames and decisions are excluded: they do not affect the result.
            if self.block.get(at::OUTCOME) == 0 {
                walk.in_progress();
            }
            hasher.update(&walk.hasher.digest().to_le_bytes());
        }
        hasher.digest()
    }

    /// As [`State::position_hash`] of the lasting part only (variables, zones, effects, waiting triggers), without frames and
    /// decision. It is the same for programs that were linked for larger card pools.
    #[must_use]
    pub fn board_hash(&self, program: &LinkedTables) -> u64 {
        let mut walk = PositionWalk::new(program, &self.block);
        walk.board();
        walk.hasher.digest()
    }
}

/// The maximum length of a chain of last-known rows that is followed.
const MAX_LAST_KNOWN_DEPTH: u32 = 3;

/// The walk over one block, which feeds the hasher.
struct PositionWalk<'a> {
    program: &'a LinkedTables,
    /// The block as a state, for its accessors.
    state: State,
    hasher: Xxh3,
    /// Numbers of references in order of first visit, from 1.
    numbers: BTreeMap<u32, u32>,
    /// Timestamps that can matter, ascending.
    stamps: Vec<u32>,
    /// Numbers of frames, bodies of batches included.
    frames: BTreeMap<u32, u32>,
    /// The number of last-known rows on the way to the current value.
    depth: u32,
}

impl<'a> PositionWalk<'a> {
    fn new(program: &'a LinkedTables, block: &Block) -> Self {
        let state = State { block: block.clone(), marks: Vec::new() };
        Self {
            program,
            state,
            hasher: Xxh3::new(),
            numbers: BTreeMap::new(),
            stamps: Vec::new(),
            frames: BTreeMap::new(),
            depth: 0,
        }
    }

    fn word(&mut self, word: u32) {
        self.hasher.update(&word.to_le_bytes());
    }

    fn at(&self, at: usize) -> u32 {
        self.state.block.get(at)
    }

    fn list(&self, holder: usize) -> Vec<u32> {
        self.state.block.list(holder).to_vec()
    }

    /// Hashes raw words of a frame or record.
    fn raw(&mut self, base: Handle, words: &[usize]) {
        for word in words {
            let value = self.at(base + word);
            self.word(value);
        }
    }

    fn raw_list(&mut self, holder: usize) {
        let items = self.list(holder);
        self.word(items.len() as u32);
        for item in items {
            self.word(item);
        }
    }

    fn references(&mut self, holder: usize) {
        let items = self.list(holder);
        self.word(items.len() as u32);
        for item in items {
            self.reference(item);
        }
    }

    /// Hashes a reference as its number. The first visit of a stale reference also hashes its last-known information.
    fn reference(&mut self, it: u32) {
        if it == 0 {
            self.word(0);
            return;
        }
        if let Some(seat) = ObjectRef(it).player() {
            // A player as a thing: the numbers of objects never get this high.
            self.word(u32::MAX - 1 - seat as u32);
            return;
        }
        if let Some(number) = self.numbers.get(&it).copied() {
            self.word(number);
            return;
        }
        let number = self.numbers.len() as u32 + 1;
        self.numbers.insert(it, number);
        self.word(number);
        let stale = ObjectRef(it);
        let current = self.state.current(stale.slot());
        let became = current.incarnation() == stale.incarnation() + 1 && self.state.exists(current);
        if became {
            self.reference(current.0);
        } else {
            self.word(u32::MAX);
        }
        let record = self.list(at::LAST_KNOWN_ROWS).iter().rev().map(|r| *r as usize).find(|r| self.at(*r) == it);
        if let Some(record) = record {
            let program = self.program;
            let statuses = KNOWN_ROW + program.row.stride;
            for word in 1..statuses {
                let value = self.at(record + word);
                self.word(value);
            }
            for (i, status) in program.library.statuses.iter().enumerate() {
                if status.keys.is_some() {
                    self.raw_list(record + statuses + i);
                } else {
                    let value = self.at(record + statuses + i);
                    self.known_value(status.ty, value);
                }
            }
            self.raw_list(crate::records::last_known_text(program, record));
            let entry = self.at(crate::records::last_known_entry(program, record)) as usize;
            if self.depth < MAX_LAST_KNOWN_DEPTH {
                self.depth += 1;
                self.entry(entry);
                self.depth -= 1;
            }
        }
    }

    /// Hashes a value in a last-known row. It may refer to an object that also left, in each round of a loop to an earlier one.
    /// Therefore chains of rows are cut at [`MAX_LAST_KNOWN_DEPTH`].
    fn known_value(&mut self, ty: Type, value: u32) {
        if !ty.is_reference() {
            self.word(value);
        } else if self.depth < MAX_LAST_KNOWN_DEPTH {
            self.depth += 1;
            self.reference(value);
            self.depth -= 1;
        } else {
            let number = self.numbers.get(&value).copied();
            self.word(number.unwrap_or(u32::MAX));
        }
    }

    fn value(&mut self, ty: Type, value: u32) {
        if ty.is_reference() { self.reference(value) } else { self.word(value) }
    }

    /// Hashes the registers of a function: those that are live before operation `pc`, or all.
    fn registers(&mut self, function: FnId, first: usize, pc: Option<usize>) {
        let program = self.program;
        let (Some(code), Some(liveness)) = (program.function(function), program.liveness(function)) else { return };
        for (i, ty) in code.registers.iter().enumerate() {
            if pc.is_some_and(|pc| !liveness.is_live(pc, i as Reg)) {
                continue;
            }
            match ty {
                Type::Objects | Type::Things => self.references(first + i),
                Type::Shares => {
                    let items = self.list(first + i);
                    self.word(items.len() as u32);
                    for pair in items.chunks(2) {
                        if let &[it, share] = pair {
                            self.reference(it);
                            self.word(share);
                        }
                    }
                }
                ty if ty.is_list() => self.raw_list(first + i),
                ty => {
                    let value = self.at(first + i);
                    self.value(*ty, value);
                }
            }
        }
    }

    /// Hashes a list of values of these types; further ones are numbers.
    fn captured_values(&mut self, types: &[Type], holder: usize) {
        let values = self.list(holder);
        self.word(values.len() as u32);
        for (i, value) in values.into_iter().enumerate() {
            self.value(types.get(i).copied().unwrap_or(Type::Number), value);
        }
    }

    fn board(&mut self) {
        self.find_stamps();
        self.number_objects();
        self.number_frames();
        for word in [
            at::ACTIVE_PLAYER,
            at::TURN,
            at::OUTCOME,
            at::WINNER,
            at::PLAYERS_LOST,
            at::PLAYERS_LEFT,
            at::RESOLVING_COUNT,
            at::START_PERIOD,
            at::ENDING_PERIOD,
            at::EXTRA_TURN_COUNT,
            at::EXTRA_TURN_NUMBER,
        ] {
            let value = self.at(word);
            self.word(value);
        }
        let settled = self.at(at::SETTLED_AT) == self.at(at::COMMIT_COUNT).wrapping_add(1);
        self.word(u32::from(settled));
        for list in [at::PLAN, at::OPEN_PERIODS, at::EXTRA_TURNS, at::SKIPS] {
            self.raw_list(list);
        }
        self.variables();
        self.zones();
        self.effects();
        self.pending_triggers();
    }

    fn in_progress(&mut self) {
        for frame in self.list(at::FRAMES) {
            self.frame(frame as usize);
        }
        self.decision();
    }

    /// Collects the timestamps that can matter: those of effects, and of objects that may have static abilities.
    fn find_stamps(&mut self) {
        let program = self.program;
        let mut stamps: Vec<u32> = self.list(at::EFFECTS).iter().map(|record| self.at(*record as usize + EFFECT_STAMP)).collect();
        for slot in 1..self.state.slots() {
            if self.state.zone(slot).is_some() && may_have_static_ability(program, &self.state, slot) {
                stamps.push(self.state.column(slot, at::ENTERED_AT));
            }
        }
        stamps.sort_unstable();
        stamps.dedup();
        self.stamps = stamps;
    }

    fn stamp(&mut self, stamp: u32) {
        let rank = self.stamps.binary_search(&stamp).map_or(0, |i| i as u32 + 1);
        self.word(rank);
    }

    /// The values of an object without references; they define the order of an unordered zone.
    fn sort_key(&self, it: ObjectRef) -> Vec<u32> {
        let slot = it.slot();
        let column = |c: usize| self.state.column(slot, c);
        let mut nature =
            vec![column(at::DEFINITION), column(at::FACE), column(at::OWNER), column(at::CONTROLLER), column(at::KNOWN_TO)];
        for (i, status) in self.program.library.statuses.iter().enumerate() {
            if status.keys.is_some() {
                let pairs = self.state.block.list(self.state.cell(slot, at::STATUSES + i)).to_vec();
                nature.push(pairs.len() as u32);
                nature.extend(pairs);
            } else if !status.ty.is_reference() {
                nature.push(column(at::STATUSES + i));
            }
        }
        nature.extend(self.state.copied_row(slot));
        nature.push(self.state.pile(slot).len() as u32);
        let stamp = self.stamps.binary_search(&column(at::ENTERED_AT)).map_or(0, |i| i as u32 + 1);
        nature.push(stamp);
        nature
    }

    fn zone_order(&self, instance: usize) -> Vec<u32> {
        let mut items = self.state.zone_items(self.program, instance).to_vec();
        if !self.program.zone_of(instance).is_some_and(|z| z.ordered || z.list) {
            items.sort_by_cached_key(|it| self.sort_key(ObjectRef(*it)));
        }
        items
    }

    fn number_objects(&mut self) {
        for instance in 0..self.program.layout.instances {
            for it in self.zone_order(instance) {
                let number = self.numbers.len() as u32 + 1;
                self.numbers.insert(it, number);
                for member in self.state.pile(ObjectRef(it).slot()).to_vec() {
                    let number = self.numbers.len() as u32 + 1;
                    self.numbers.insert(member, number);
                }
            }
        }
    }

    fn number_frames(&mut self) {
        for frame in self.list(at::FRAMES) {
            let number = self.frames.len() as u32 + 1;
            self.frames.insert(frame, number);
            if self.at(frame as usize + KIND) == kind::BATCH {
                for paused in self.list(frame as usize + batch::BODIES) {
                    let number = self.frames.len() as u32 + 1;
                    self.frames.insert(paused, number);
                }
            }
        }
    }

    fn frame_number(&mut self, handle: u32) {
        let number = self.frames.get(&handle).copied().unwrap_or(0);
        self.word(number);
    }

    fn variables(&mut self) {
        let program = self.program;
        for (i, variable) in program.library.globals.iter().enumerate() {
            let cell = program.layout.global(i);
            match variable.ty {
                Type::Objects | Type::Things => self.references(cell),
                ty if ty.is_list() => self.raw_list(cell),
                ty => {
                    let value = self.at(cell);
                    self.value(ty, value);
                }
            }
        }
        for player in 0..program.players() {
            for (i, variable) in program.library.player_variables.iter().enumerate() {
                let cell = program.layout.player(player, i);
                if variable.keys.is_some() {
                    self.raw_list(cell);
                    continue;
                }
                let value = self.at(cell);
                self.value(variable.ty, value);
            }
        }
    }

    fn zones(&mut self) {
        for instance in 0..self.program.layout.instances {
            let items = self.zone_order(instance);
            self.word(items.len() as u32);
            for it in items {
                self.object(ObjectRef(it).slot());
                for member in self.state.pile(ObjectRef(it).slot()).to_vec() {
                    self.object(ObjectRef(member).slot());
                }
            }
        }
    }

    fn object(&mut self, slot: usize) {
        let program = self.program;
        for column in [at::DEFINITION, at::FACE, at::OWNER, at::CONTROLLER, at::KNOWN_TO] {
            let value = self.state.column(slot, column);
            self.word(value);
        }
        if may_have_static_ability(program, &self.state, slot) {
            self.stamp(self.state.column(slot, at::ENTERED_AT));
        }
        let copy = self.state.cell(slot, at::COPY);
        self.raw_list(copy);
        let host = self.state.column(slot, at::HOST);
        self.reference(host);
        self.word(self.state.pile(slot).len() as u32);
        for (i, status) in program.library.statuses.iter().enumerate() {
            if status.keys.is_some() {
                let holder = self.state.cell(slot, at::STATUSES + i);
                self.raw_list(holder);
                continue;
            }
            let value = self.state.column(slot, at::STATUSES + i);
            self.value(status.ty, value);
        }
        let entry = self.state.column(slot, at::ENTRY) as usize;
        self.entry(entry);
    }

    fn entry(&mut self, entry: Handle) {
        if entry == 0 {
            self.word(0);
            return;
        }
        self.word(1);
        self.raw(entry, &[ENTRY_KIND, ENTRY_PLAY, ENTRY_USER, ENTRY_RESOLVING]);
        let source = self.at(entry + ENTRY_SOURCE);
        self.reference(source);
        let program = self.program;
        let types = program.play(self.at(entry + ENTRY_PLAY)).map_or(&[][..], |play| play.extra_params.as_slice());
        for (i, value) in self.list(entry + ENTRY_EXTRAS).into_iter().enumerate() {
            self.value(types.get(i).copied().unwrap_or(Type::Number), value);
        }
        self.raw(entry, &[ENTRY_ORIGIN]);
        self.raw_list(entry + ENTRY_OPTIONS);
        self.raw_list(entry + ENTRY_KEPT_ABILITIES);
        for pair in self.list(entry + ENTRY_PARAGRAPHS).chunks(2) {
            let &[function, registers] = pair else { continue };
            self.word(function);
            self.registers(FnId(function), registers as usize, None);
        }
    }

    fn effects(&mut self) {
        let program = self.program;
        let records = self.list(at::EFFECTS);
        self.word(records.len() as u32);
        for record in records {
            let record = record as usize;
            let stamp = self.at(record + EFFECT_STAMP);
            self.stamp(stamp);
            let source = self.at(record + EFFECT_SOURCE);
            self.reference(source);
            self.raw(record, &[EFFECT_CONTROLLER, EFFECT_LOCKED, EFFECT_ONCE]);
            self.raw_list(record + EFFECT_MODS);
            self.raw_list(record + EFFECT_ABILITIES);
            self.references(record + EFFECT_WHOM);
            self.raw_list(record + EFFECT_COPIED);
            let types = captured_types(program, &self.state.block, record);
            self.captured_values(types, record + EFFECT_CAPTURES);
            self.raw_list(record + EFFECT_UNTIL);
        }
    }

    /// Hashes usage counts, and triggers that wait to be placed.
    fn pending_triggers(&mut self) {
        let program = self.program;
        let tallies = self.list(at::USAGE_COUNTS);
        self.word(tallies.len() as u32);
        for tally in tallies.chunks(USE_COUNT_WORDS) {
            let &[code, seat, key, span, count] = tally else { continue };
            let limit = match code & TRIGGER_CODE {
                0 => program.play(code).and_then(|play| play.limit),
                _ => match program.library.abilities.get((code & !TRIGGER_CODE) as usize).map(|a| &a.kind) {
                    Some(AbilityKind::Triggered { limit, .. }) => *limit,
                    _ => None,
                },
            };
            for word in [code, seat, span, count] {
                self.word(word);
            }
            match limit.map(|limit| limit.key) {
                Some(UseLimitKey::Object) => self.reference(key),
                _ => self.word(key),
            }
        }
        let records = self.list(at::PENDING_TRIGGERS);
        self.word(records.len() as u32);
        for record in records {
            let record = record as usize;
            self.raw(record, &[PENDING_ABILITY, PENDING_CONTROLLER]);
            let source = self.at(record + PENDING_SOURCE);
            self.reference(source);
            self.captured_values(pending_types(program, self.at(record + PENDING_ABILITY)), record + PENDING_ARGS);
        }
    }

    #[deny(clippy::wildcard_enum_match_arm)]
    fn frame(&mut self, frame: Handle) {
        let what = self.at(frame + KIND);
        self.word(what);
        match FrameKind::from_word(what) {
            Some(FrameKind::Body) => {
                self.raw(frame, &[body::FUNCTION, body::PC, body::CAUSE, body::GATHERING, body::ANNOUNCED]);
                self.raw(frame, &[body::AWAITING, body::PLAYER, body::CHOOSER, body::DECLARED]);
                let (source, outer) = (self.at(frame + body::SOURCE), self.at(frame + body::BATCH));
                self.reference(source);
                self.frame_number(outer);
                let own = CompletedWrites::of_batch(self, outer as usize).event_number(self.at(frame + body::EVENT));
                self.word(own);
                self.events(frame + body::GATHERED, &CompletedWrites::default());
                self.raw(frame, &[body::CARRIES, body::DONE, body::OUT]);
                if self.at(frame + body::CARRIES) != carries::NOTHING {
                    let first = frame + body::CARRIED;
                    let carried = self.state.block.words().get(first..first + EVENT_WORDS).unwrap_or(&[]);
                    self.event(&Event::from_words(carried), &CompletedWrites::default());
                    self.references(frame + body::RESULTS);
                }
                let function = FnId(self.at(frame + body::FUNCTION));
                let pc = self.at(frame + body::PC) as usize;
                self.registers(function, frame + body::REGISTERS, Some(pc));
            }
            Some(FrameKind::Batch) => {
                let numbers = CompletedWrites::of_batch(self, frame);
                let [cursor, asking, segment] = [batch::CURSOR, batch::ASKING, batch::SEGMENT].map(|word| self.at(frame + word));
                self.raw(frame, &[batch::PHASE]);
                for word in [numbers.count_before(cursor), numbers.event_number(asking), numbers.count_before(segment)] {
                    self.word(word);
                }
                self.events(frame + batch::EVENTS, &numbers);
                for group in self.list(frame + batch::GROUPS).chunks(5) {
                    let &[waiting, first, len, done, out] = group else { continue };
                    self.frame_number(waiting);
                    let (first, end) = (numbers.count_before(first), numbers.count_before(first + len));
                    [first, end - first, done, out].into_iter().for_each(|word| self.word(word));
                }
                for paused in self.list(frame + batch::BODIES) {
                    self.frame(paused as usize);
                }
            }
            Some(FrameKind::Window) => {
                self.raw(frame, &[window::PHASE, window::WINDOW, window::ACTOR, window::PASSES, window::LIST_LENGTH])
            }
            Some(FrameKind::Settle) => {
                self.raw(frame, &[settle::PHASE, settle::TRIGGERS, settle::ACTED, settle::REGISTER, settle::PICKER]);
                let unchanged = self.at(frame + settle::BEFORE) == self.at(at::COMMIT_COUNT);
                self.word(u32::from(unchanged));
                let report = self.at(frame + settle::REPORT);
                self.frame_number(report);
            }
            Some(FrameKind::Announce) => {
                self.raw(frame, &[announce::STAGE, announce::PLAY, announce::USER, announce::PARAGRAPH, announce::PC]);
                self.raw(frame, &[announce::AWAITING, announce::FLAGS, announce::ORIGIN, announce::REGISTER]);
                let (object, report) = (self.at(frame + announce::OBJECT), self.at(frame + announce::REPORT));
                self.reference(object);
                self.frame_number(report);
                let entry = self.at(frame + announce::ENTRY) as usize;
                self.entry(entry);
            }
            Some(FrameKind::Pay) => {
                self.raw(
                    frame,
                    &[
                        pay::PHASE,
                        pay::PLAYER,
                        pay::PAYMENT,
                        pay::MARKED,
                        pay::STATEMENT,
                        pay::REGISTER,
                        pay::AS_PROPOSED,
                        pay::FOR_ABILITY,
                    ],
                );
                self.raw_list(frame + pay::UNITS);
                self.raw_list(frame + pay::LEFT_OVER);
                self.raw_list(frame + pay::NAMED);
                for pair in self.list(frame + pay::PRODUCERS).chunks(2) {
                    let &[how, it] = pair else { continue };
                    self.word(how);
                    self.reference(it);
                }
                let object = self.at(frame + pay::OBJECT);
                self.reference(object);
            }
            Some(FrameKind::Resolve) => {
                self.raw(frame, &[resolve::PHASE, resolve::FIZZLED]);
                let (object, entry) = (self.at(frame + resolve::OBJECT), self.at(frame + resolve::ENTRY));
                self.reference(object);
                self.entry(entry as usize);
            }
            Some(FrameKind::Paragraphs) => {
                self.raw(frame, &[paragraphs::INDEX, paragraphs::RAN, paragraphs::OWNED, paragraphs::CHECKED]);
                let (entry, outer) = (self.at(frame + paragraphs::ENTRY), self.at(frame + paragraphs::RESOLVE));
                self.entry(entry as usize);
                self.frame_number(outer);
            }
            Some(FrameKind::Turn) => self.raw(frame, &[turn::PHASE, turn::PERIOD, turn::BLOCK]),
            Some(FrameKind::Game) | None => self.raw(frame, &[1]),
        }
    }

    fn events(&mut self, holder: usize, numbers: &CompletedWrites) {
        for (index, words) in (0u32..).zip(self.list(holder).chunks(EVENT_WORDS)) {
            if !numbers.is_omitted(index) {
                self.event(&Event::from_words(words), numbers);
            }
        }
    }

    fn event(&mut self, event: &Event, numbers: &CompletedWrites) {
        for word in [
            event.action,
            numbers.event_number(event.parent),
            event.status,
            event.count,
            event.flags_with_replaced_event(|stands_for| numbers.event_number(stands_for)),
            event.cause[0] as u32,
            event.cause[2] as u32,
            event.cause[3] as u32,
        ] {
            self.word(word);
        }
        self.reference(event.result);
        self.reference(event.cause[1] as u32);
        for pair in self.state.block.items(event.used as usize).to_vec().chunks(2) {
            let &[ability, source] = pair else { continue };
            self.word(ability);
            self.reference(source);
        }
        let types: Vec<Type> = match VERBS.get(event.action as usize) {
            Some(verb) => verb.params.iter().map(|p| p.ty).collect(),
            None => {
                let action = self.program.format.actions.get(event.action as usize);
                action.map_or_else(Vec::new, |action| action.params.iter().map(|(_, ty)| *ty).collect())
            }
        };
        for (i, arg) in event.arguments().iter().enumerate() {
            self.value(types.get(i).copied().unwrap_or(Type::Number), *arg as u32);
        }
    }

    fn decision(&mut self) {
        let at_record = self.at(at::DECISION) as usize;
        if at_record == 0 {
            self.word(0);
            return;
        }
        self.raw(at_record, &[decision::KIND, decision::PLAYER, decision::MIN, decision::MAX, decision::SITE, decision::REPEATS]);
        let options = self.list(at_record + decision::OPTIONS);
        // The options follow from the position; their order may depend on slot numbers. So only their number is hashed.
        self.word(options.len() as u32);
    }
}

/// Whether an object may have a static ability: printed, copied, or gained.
fn may_have_static_ability(program: &LinkedTables, state: &State, slot: usize) -> bool {
    let definition = state.column(slot, at::DEFINITION);
    let faces = program.definition(definition).map_or(&[][..], |d| d.faces.as_slice()).iter().map(|face| face.index());
    let is_static = |unit: u32| program.statics.iter().any(|(u, _)| *u == unit);
    let mut definitions = std::iter::once(definition as usize).chain(faces);
    let printed = definitions.any(|d| program.definition_bundles.get(d).is_some_and(|units| units.iter().any(|u| is_static(*u))));
    let copies = state.block.list(at::EFFECTS).iter().any(|record| state.block.len(*record as usize + EFFECT_COPIED) != 0);
    printed || copies || !state.copied_row(slot).is_empty() || program.may_grant_statics
}

/// Numbers of the events of a batch, without completed writes. Direct writes (`vm::direct_write`) create no event, so the hash
/// must not depend on whether a write was an event.
#[derive(Default)]
struct CompletedWrites {
    /// The number of omitted events before each event, and at the end; empty if there are none.
    omitted_before: Vec<u32>,
}

impl CompletedWrites {
    fn of_batch(walk: &PositionWalk<'_>, frame: Handle) -> Self {
        if frame == 0 {
            return Self::default();
        }
        let reports: Vec<(u32, u32)> = walk
            .list(frame + batch::GROUPS)
            .chunks(5)
            .filter_map(|group| match *group {
                [_, first, len, done, out] if done != 0 || out != 0 => Some((first, first + len)),
                _ => None,
            })
            .collect();
        let mut left_out = vec![0];
        let mut count = 0;
        for (index, words) in (0u32..).zip(walk.list(frame + batch::EVENTS).chunks(EVENT_WORDS)) {
            let is_reported = reports.iter().any(|(first, end)| (*first..*end).contains(&index));
            count += u32::from(Event::from_words(words).is_committed_child_write() && !is_reported);
            left_out.push(count);
        }
        if count == 0 { Self::default() } else { Self { omitted_before: left_out } }
    }

    fn is_omitted(&self, index: u32) -> bool {
        self.count_before(index) == self.count_before(index + 1) && !self.omitted_before.is_empty()
    }

    /// The number of events before one, omitted ones excluded.
    fn count_before(&self, index: u32) -> u32 {
        let known = self.omitted_before.get(index as usize).or(self.omitted_before.last());
        index - known.copied().unwrap_or(0)
    }

    /// Converts an event number plus one, as frames store it, to the same form without omitted events; 0 stays 0.
    fn event_number(&self, number: u32) -> u32 {
        number.checked_sub(1).map_or(0, |index| self.count_before(index) + 1)
    }
}
