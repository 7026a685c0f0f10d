//! Statements: the interpreter of function bodies that change the game.
//!
//! While a body runs, its registers are in scratch memory; while it waits, they are in its frame. The frame stores lists by
//! value.

use super::announce::UseRequest;
use super::copy::{CopyDuration, Exceptions};
use super::decision::{Choice, Decision, DecisionKind};
use super::declare::{DeclarationPayment, pair_events};
use super::direct_write::DirectWrite;
use super::inline_vecs::{Args, InlineWords};
use super::optional_statement::Question;
use crate::ir::ObjectRef;
use crate::ir::op::{ChosenBy, DurationEnd, Op, Place, WriteMode};
use crate::ir::verbs::WRITE;
use crate::ir::{FnId, Library, NO_PLAYER, TraitSetId, Type, cause};
use crate::liveness::Liveness;
use crate::program::Program;
use crate::records::event::{Event, HAS_PROPOSED, encode_place};
use crate::records::frame::{body, kind, settle, window};
use crate::records::{
    EFFECT_ABILITIES, EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_LOCKED, EFFECT_ONCE, EFFECT_SOURCE, EFFECT_STAMP, EFFECT_UNTIL,
};
use crate::records::{EFFECT_MODS, EFFECT_WHOM, EFFECT_WORDS, UNTIL_EVENT, UNTIL_FAILURE};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::EffectContext;
use crate::vm::eval::ends_of;
use crate::vm::eval_context::{EvalContext, get, set};
use crate::vm::machine::{Machine, StepFlow};
use crate::vm::scratch::Scratch;
use crate::vm::work;
use fizzle_ir::{control_operations, pure_operations};
use std::sync::Arc;

impl Default for EffectContext {
    fn default() -> Self {
        Self { cause: cause::RULE, source: ObjectRef::NONE, player: 0, chooser: NO_PLAYER }
    }
}

/// How many words of a list are stored at the cost of one operation.
const LIST_WORDS_FOR_AN_OPERATION: u64 = 64;

impl EvalContext<'_> {
    /// Executes the pure operations of a body from `pc` on. Returns the statement that follows them; `None` at the end of the body. If the fuel is
    /// used up, returns the operation that is not executed any more. `shares_step`: what is taken from the ends of a list depends on other events,
    /// so it is returned as a statement.
    fn run_to_statement<'f>(
        &self,
        scratch: &mut Scratch,
        base: usize,
        function: &'f crate::ir::Function,
        pc: &mut usize,
        shares_step: bool,
    ) -> Option<&'f Op> {
        loop {
            let op = function.ops.get(*pc)?;
            scratch.fuel += 1;
            work::count(&mut scratch.work.operations, 1);
            if scratch.fuel > scratch.limit {
                return Some(op);
            }
            match op {
                Op::Jump { to } => *pc = *to as usize,
                Op::JumpUnless { cond, to } => *pc = if get(scratch, base, *cond) == 0 { *to as usize } else { *pc + 1 },
                Op::Return { .. } => return None,
                Op::TakeEnds { .. } if shares_step => return Some(op),
                Op::Call { function, .. } if shares_step && self.program.taking_functions.contains(function) => return Some(op),
                Op::Builtin { builtin, .. } if self.tries_payments(scratch, *builtin) => return Some(op),
                op if self.pure_op(scratch, base, op, &function.registers) => *pc += 1,
                op => return Some(op),
            }
        }
    }
}

impl Machine {
    /// Pushes a body. `args` are its first registers; they must not be lists (scratch handles).
    pub(crate) fn push_body(&mut self, function: FnId, args: &[i64], behalf: EffectContext) -> Handle {
        let registers = self.program.function(function).map_or(0, |f| f.registers.len());
        let frame = self.push_frame(kind::BODY, body::REGISTERS + registers);
        self.set(frame + body::FUNCTION, function.0);
        self.set(frame + body::CAUSE, behalf.cause as u32);
        self.set(frame + body::SOURCE, behalf.source.0);
        self.set(frame + body::PLAYER, behalf.player as u32);
        self.set(frame + body::CHOOSER, behalf.chooser as u32);
        for (i, arg) in args.iter().enumerate().take(registers) {
            self.set(frame + body::REGISTERS + i, *arg as u32);
        }
        self.write_text_slots(function, frame + body::REGISTERS);
        frame
    }

    /// Writes the current words of a function's text into its text slots. Register 0 of the block must hold the object that has
    /// the text.
    pub(crate) fn write_text_slots(&mut self, function: FnId, first: usize) {
        if self.program.function(function).is_none_or(|code| code.text_slots.is_empty()) {
            return;
        }
        let program = Arc::clone(&self.program);
        let Some(code) = program.function(function) else { return };
        self.derived.refresh(&program, &self.state, &mut self.scratch);
        let this = i64::from(self.word(first) as i32);
        for slot in &code.text_slots {
            let word = EvalContext { program: &program, state: &self.state, derived: &self.derived }.current_word(this, slot);
            self.set(first + usize::from(slot.reg), word as u32);
        }
    }

    /// Returns whether a register of a function holds a list.
    pub(crate) fn is_list_register(&self, function: FnId, register: usize) -> bool {
        self.program.function(function).and_then(|f| f.registers.get(register)).is_some_and(|t| t.is_list())
    }

    /// Frees the lists that a register block owns.
    pub(crate) fn free_registers(&mut self, function: FnId, first: usize) {
        for list in self.program.liveness(function).map_or(&[][..], Liveness::lists) {
            self.state.block.clear(first + usize::from(*list));
        }
    }

    /// Copies the registers of a block into a new scratch window, and returns its base.
    pub(super) fn load(&mut self, id: FnId, function: &crate::ir::Function, first: usize) -> usize {
        let base = self.scratch.registers.len();
        let words = self.state.block.words().get(first..first + function.registers.len()).unwrap_or(&[]);
        self.scratch.registers.extend(words.iter().map(|word| i64::from(*word as i32)));
        self.scratch.registers.resize(base + function.registers.len(), 0);
        for list in self.program.liveness(id).map_or(&[][..], Liveness::lists) {
            // In scratch memory a list is a handle; an empty one needs none.
            if get(&self.scratch, base, *list) != 0 {
                let items = self.state.block.list(first + usize::from(*list));
                let handle = self.scratch.make_list(items.iter().map(|word| *word as i32));
                set(&mut self.scratch, base + usize::from(*list), handle);
            }
        }
        base
    }

    /// Writes a scratch window back: all numbers, and the lists that are live before an operation.
    fn save(&mut self, id: FnId, function: &crate::ir::Function, first: usize, base: usize, pc: usize) {
        let Self { program, state, scratch, .. } = self;
        let Some(liveness) = program.liveness(id) else { return };
        let registers = scratch.registers.get(base..base + function.registers.len()).unwrap_or(&[]);
        let mut put = |from: usize, to: usize| {
            let numbers = registers.get(from..to).unwrap_or(&[]);
            let words = state.block.slice_mut(first + from, numbers.len());
            words.iter_mut().zip(numbers).for_each(|(word, value)| *word = *value as u32);
        };
        let mut from = 0;
        for list in liveness.lists().iter().map(|list| usize::from(*list)) {
            put(from, list);
            from = list + 1;
        }
        put(from, registers.len());
        for list in liveness.lists() {
            let holder = first + usize::from(*list);
            if liveness.is_live(pc, *list) {
                let items = scratch.list(get(scratch, base, *list));
                // A long list takes longer to compare or copy than an operation.
                let words = items.len() as u64 / LIST_WORDS_FOR_AN_OPERATION;
                state.block.replace_signed(holder, items);
                scratch.fuel = scratch.fuel.saturating_add(words);
            } else {
                state.block.clear(holder);
            }
        }
    }

    pub(crate) fn resume_body(&mut self, program: &Program, frame: Handle) {
        let id = FnId(self.word(frame + body::FUNCTION));
        let Some(function) = program.function(id) else {
            self.end_body(frame, id);
            return;
        };
        let mark = self.scratch.mark();
        let floor = self.scratch.registers.len();
        let base = self.load(id, function, frame + body::REGISTERS);
        let mut pc = self.word(frame + body::PC) as usize;
        let done = loop {
            self.derived.refresh(program, &self.state, &mut self.scratch);
            let world = EvalContext { program, state: &self.state, derived: &self.derived };
            let shares_step = self.shares_step(frame);
            let Some(op) = world.run_to_statement(&mut self.scratch, base, function, &mut pc, shares_step) else { break true };
            if self.scratch.fuel > self.limits.fuel {
                self.exceed(Budget::Fuel);
                break true;
            }
            // A mark taken during this statement returns to the next one: rolling back what the statement began does not repeat it.
            self.set(frame + body::PC, pc as u32 + 1);
            let flow = self.statement(program, frame, function, base, op);
            if self.state.block.words().len() > self.limits.words {
                self.exceed(Budget::Memory);
                break true;
            }
            match flow {
                StepFlow::Next => pc += 1,
                StepFlow::RolledBack => break false,
                StepFlow::Wait => {
                    // A statement that waits for an answer is executed again when the body resumes; others continue with the next
                    // operation.
                    let again = self.word(frame + body::AWAITING) != 0;
                    self.set(frame + body::PC, if again { pc } else { pc + 1 } as u32);
                    break false;
                }
            }
        };
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        if done && self.outcome().is_none() {
            if self.is_carrier(frame) && !self.finish_carried(program, frame) {
                self.set(frame + body::PC, function.ops.len() as u32);
                return;
            }
            self.end_body(frame, id);
        }
    }

    fn end_body(&mut self, frame: Handle, function: FnId) {
        self.free_body(frame, function);
        self.pop_frame();
    }

    /// Frees the lists that a body owns.
    pub(super) fn free_body(&mut self, frame: Handle, function: FnId) {
        self.free_registers(function, frame + body::REGISTERS);
        self.state.block.clear(frame + body::GATHERED);
        self.state.block.clear(frame + body::RESULTS);
    }

    /// Saves the registers and waits until the pushed frame or the open decision is done. `again`: this operation is then
    /// executed once more.
    pub(super) fn wait(&mut self, frame: Handle, function: &crate::ir::Function, base: usize, again: bool) -> StepFlow {
        let id = FnId(self.word(frame + body::FUNCTION));
        // The frame's program counter is behind this statement already.
        let pc = self.word(frame + body::PC) as usize - usize::from(again);
        self.save(id, function, frame + body::REGISTERS, base, pc);
        self.set(frame + body::AWAITING, u32::from(again));
        StepFlow::Wait
    }

    pub(super) fn reg(&self, base: usize, reg: u16) -> i64 {
        get(&self.scratch, base, reg)
    }

    pub(super) fn set_reg(&mut self, base: usize, reg: u16, value: i64) {
        set(&mut self.scratch, base + usize::from(reg), value);
    }

    pub(super) fn set_list(&mut self, base: usize, reg: u16, items: impl IntoIterator<Item = u32>) {
        let handle = self.scratch.make_list(items.into_iter().map(|w| w as i32));
        self.set_reg(base, reg, handle);
    }

    pub(super) fn list(&self, base: usize, reg: u16) -> InlineWords {
        self.scratch.list(self.reg(base, reg)).iter().map(|v| *v as u32).collect()
    }

    /// Returns the items of a list that a statement can take some of: without the objects that other events of its step are about to move.
    fn items_to_take(&mut self, frame: Handle, function: &crate::ir::Function, base: usize, list: u16) -> InlineWords {
        let mut items = self.list(base, list);
        if self.shares_step(frame) && function.registers.get(usize::from(list)) == Some(&Type::Objects) {
            self.leave_out_moving_objects(frame, &mut items);
        }
        items
    }

    fn captured(&self, base: usize, captures: &[u16]) -> InlineWords {
        captures.iter().map(|reg| self.reg(base, *reg) as u32).collect()
    }

    #[expect(clippy::too_many_lines, reason = "one arm per operation")]
    #[deny(clippy::wildcard_enum_match_arm)]
    fn statement(&mut self, program: &Program, frame: Handle, function: &crate::ir::Function, base: usize, op: &Op) -> StepFlow {
        if !matches!(
            op,
            Op::Propose { .. }
                | Op::BeginBatch
                | Op::EndBatch { .. }
                | Op::TakeEnds { .. }
                | Op::Call { .. }
                | Op::Write { .. }
                | Op::WriteKey { .. }
        ) {
            self.keep_rule_dirty();
        }
        match op {
            Op::Propose { events, done, out } => {
                let mut proposals = std::mem::take(&mut self.scratch.proposals);
                proposals.clear();
                self.add_proposals(&mut proposals, frame, base, events);
                let flow = if self.word(frame + body::GATHERING) != 0 {
                    for event in &proposals {
                        self.state.block.extend(frame + body::GATHERED, &event.words());
                    }
                    StepFlow::Next
                } else {
                    self.propose(program, frame, function, base, &proposals, *done, *out)
                };
                self.scratch.proposals = proposals;
                flow
            }
            Op::BeginBatch => {
                self.set(frame + body::GATHERING, 1);
                StepFlow::Next
            }
            Op::EndBatch { done, out } => {
                self.set(frame + body::GATHERING, 0);
                let mut proposals = std::mem::take(&mut self.scratch.proposals);
                proposals.clear();
                let words = self.state.block.list(frame + body::GATHERED);
                proposals.extend(words.chunks(crate::records::event::EVENT_WORDS).map(Event::from_words));
                self.state.block.clear(frame + body::GATHERED);
                let flow = self.propose(program, frame, function, base, &proposals, *done, *out);
                self.scratch.proposals = proposals;
                flow
            }
            Op::Write { place: Place::Global(n), how, value, .. } if self.is_list_global(*n) => {
                let mut items = self.list(base, *value);
                let cell = self.program.layout.global(usize::from(*n));
                let before = InlineWords::from_slice(self.state.block.list(cell));
                match how {
                    WriteMode::Set => {}
                    WriteMode::Add => {
                        items = before.iter().copied().chain(items.into_iter().filter(|i| !before.contains(i))).collect()
                    }
                    WriteMode::Subtract => items = before.iter().copied().filter(|i| !items.contains(i)).collect(),
                }
                self.state.block.replace(cell, &items);
                if self.derived.is_place_read(Place::Global(*n)) {
                    self.derived.mark_effects_dirty();
                }
                self.record_write(Place::Global(*n), 0);
                StepFlow::Next
            }
            Op::Write { place, of, how, value, .. } | Op::WriteKey { place, of, how, value, .. } => {
                let (of, value) = (self.reg(base, *of), self.reg(base, *value));
                let key = if let Op::WriteKey { key, .. } = op { Some(self.reg(base, *key)) } else { None };
                let it = DirectWrite { place: *place, of, key, how: *how, value };
                let carries = self.is_carrier(frame);
                let alone = self.word(frame + body::BATCH) == 0 && !carries || self.writes_immediately(frame);
                let gathering = self.word(frame + body::GATHERING) != 0;
                if alone && !gathering {
                    self.apply_write(it);
                    return StepFlow::Next;
                }
                if !gathering && let Some(waits) = self.write_directly(frame, it) {
                    return if waits { self.wait(frame, function, base, false) } else { StepFlow::Next };
                }
                let mut event = self.event(frame, WRITE);
                let (table, number) = encode_place(*place);
                event.args = [i64::from(table), i64::from(number), of, *how as i64, value, key.unwrap_or(-1), 0, 0];
                event.count = 6;
                if gathering {
                    self.state.block.extend(frame + body::GATHERED, &event.words());
                    return StepFlow::Next;
                }
                self.propose(program, frame, function, base, &[event], None, None)
            }
            Op::Choose { dst, site } => self.choose(frame, function, base, *dst, *site),
            Op::Divide { dst, site } => self.divide(frame, function, base, *dst, *site),
            Op::ChooseModes { dst, site } => self.choose_modes(frame, function, base, *dst, *site),
            Op::Ask { dst, player, site } => {
                self.ask_whether(program, frame, function, base, Question { dst: *dst, player: *player, site: *site })
            }
            Op::AskWord { dst, player, traits, only, captures } => {
                if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
                    self.set(frame + body::AWAITING, 0);
                    let (choices, _) = self.take_answer();
                    // A name is the number of its definition, a word of a trait set one more than its own.
                    let added = i64::from(*traits != TraitSetId::CARD_NAMES);
                    let word = choices
                        .first()
                        .map_or(0, |choice| if let Choice::Word(_, word) = choice { i64::from(*word) + added } else { 0 });
                    self.set_reg(base, *dst, word);
                    return StepFlow::Next;
                }
                let words = self.program.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
                let names = if *traits == TraitSetId::CARD_NAMES { card_names(&self.program.library) } else { Vec::new() };
                let mut args: Args = captures.iter().map(|reg| self.reg(base, *reg)).collect();
                args.push(0);
                let mut options: Vec<Choice> = names.into_iter().map(|card| Choice::Word(*traits, card)).collect();
                for word in 0..words as u16 {
                    if let Some(last) = args.last_mut() {
                        *last = i64::from(word) + 1;
                    }
                    if only.is_none_or(|only| self.test(only, &args)) {
                        options.push(Choice::Word(*traits, word));
                    }
                }
                if options.is_empty() {
                    self.set_reg(base, *dst, 0);
                    return StepFlow::Next;
                }
                let player = self.seat(self.reg(base, *player));
                self.ask(&Decision::one(player, DecisionKind::Choose, options));
                self.wait(frame, function, base, true)
            }
            Op::AskNumber { dst, player, min, max } => {
                if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
                    self.set(frame + body::AWAITING, 0);
                    let (_, number) = self.take_answer();
                    self.set_reg(base, *dst, number);
                    return StepFlow::Next;
                }
                let player = self.seat(self.reg(base, *player));
                let (min, max) = (self.reg(base, *min), self.reg(base, *max));
                // No number can be chosen: a cost is not paid, and anything else continues with 0.
                if max < min {
                    if self.is_cost(frame) {
                        self.fail_cost();
                    }
                    self.set_reg(base, *dst, 0);
                    return StepFlow::Next;
                }
                let (min, max) = self.payable_numbers(program, frame, function, base, *dst, (min, max));
                self.ask(&Decision {
                    player,
                    kind: DecisionKind::Number,
                    options: Vec::new(),
                    min,
                    max,
                    site: None,
                    repeats: false,
                    board: None,
                });
                self.wait(frame, function, base, true)
            }
            Op::Declare(it) => self.declare(frame, function, base, it),
            Op::PayForDeclaration { pairs, player, action, owed, stage } => self.pay_for_declaration(
                frame,
                function,
                base,
                DeclarationPayment { pairs: *pairs, player: *player, action: *action, owed: *owed, stage: *stage },
            ),
            Op::ProposePairs { pairs, player, action, done } => {
                let (pairs, player) = (self.list(base, *pairs), self.reg(base, *player));
                let event = self.event(frame, action.0);
                let events = pair_events(&pairs, player, event);
                if self.word(frame + body::GATHERING) != 0 {
                    for event in events {
                        self.state.block.extend(frame + body::GATHERED, &event.words());
                    }
                    return StepFlow::Next;
                }
                self.propose(program, frame, function, base, &events, *done, None)
            }
            Op::Random { dst, list, count } => {
                let items = self.items_to_take(frame, function, base, *list).to_vec();
                let count = usize::try_from(self.reg(base, *count)).unwrap_or(0);
                let shuffled = self.shuffled(items);
                self.set_list(base, *dst, shuffled.into_iter().take(count));
                StepFlow::Next
            }
            Op::TakeEnds { dst, list, count, top } => {
                let items = self.items_to_take(frame, function, base, *list);
                let count = self.reg(base, *count);
                self.set_list(base, *dst, ends_of(&items, count, *top));
                StepFlow::Next
            }
            // Only a function that takes objects from the ends of lists.
            Op::Call { dst, function, args } => {
                let args: Args = args.iter().map(|reg| self.reg(base, *reg)).collect();
                let value = self.call_among_moving(frame, *function, &args);
                self.set_reg(base, *dst, value);
                StepFlow::Next
            }
            // Only `affordable`, where plays that are usable while paying have to be tried.
            Op::Builtin { dst, args, .. } => {
                let args: Args = args.iter().map(|reg| self.reg(base, *reg)).collect();
                let times = self.affordable_times(&args);
                self.set_reg(base, *dst, times);
                StepFlow::Next
            }
            Op::RandomNumber { dst, min, max } => {
                let number = self.number_between(self.reg(base, *min), self.reg(base, *max));
                self.set_reg(base, *dst, number);
                StepFlow::Next
            }
            Op::SetActivePlayer { player } => {
                self.set_active_player(self.seat(self.reg(base, *player)));
                self.end_failed_effects();
                StepFlow::Next
            }
            Op::BeginEffect { mods, abilities, whom, captures, until, once } => {
                let this = self.source_of(frame, base);
                if self.is_over_at_once(this, base, captures, until) {
                    return StepFlow::Next;
                }
                let record = self.state.block.alloc(EFFECT_WORDS);
                let stamp = self.state.take_timestamp();
                self.set(record + EFFECT_STAMP, stamp);
                self.set(record + EFFECT_SOURCE, this.0);
                let you = self.reg(base, 1) as u32;
                self.set(record + EFFECT_CONTROLLER, you);
                let mods: Vec<u32> = mods.iter().map(|m| m.0).collect();
                self.state.block.extend(record + EFFECT_MODS, &mods);
                let abilities: Vec<u32> = abilities.iter().map(|a| a.0).collect();
                self.state.block.extend(record + EFFECT_ABILITIES, &abilities);
                self.set(record + EFFECT_ONCE, u32::from(*once));
                if let Some(whom) = whom {
                    let items = match function.registers.get(usize::from(*whom)) {
                        Some(ty) if ty.is_list() => self.list(base, *whom),
                        _ => InlineWords::from_slice(&[self.reg(base, *whom) as u32]),
                    };
                    self.set(record + EFFECT_LOCKED, 1);
                    self.state.block.extend(record + EFFECT_WHOM, &items);
                }
                let values = self.captured(base, captures);
                self.state.block.extend(record + EFFECT_CAPTURES, &values);
                let ends = self.duration_ends(base, until);
                self.state.block.extend(record + EFFECT_UNTIL, &ends);
                self.state.block.push(at::EFFECTS, record as u32);
                self.charge_new_effect();
                if !mods.is_empty() {
                    self.derived.mark_effects_dirty();
                    self.record_object_change();
                }
                self.end_failed_effects();
                StepFlow::Next
            }
            Op::Become { whom, model, enters, except, captures, until } => {
                let source = self.source_of(frame, base);
                if self.is_over_at_once(source, base, captures, until) {
                    return StepFlow::Next;
                }
                let whom = match function.registers.get(usize::from(*whom)) {
                    Some(ty) if ty.is_list() => self.list(base, *whom),
                    _ => InlineWords::from_slice(&[self.reg(base, *whom) as u32]),
                };
                let model = ObjectRef::from_value(self.reg(base, *model));
                let args: Args = [0, 1].iter().chain(captures).map(|reg| self.reg(base, *reg)).collect();
                let duration = CopyDuration { source, ends: self.duration_ends(base, until) };
                self.begin_copies(&whom, model, *enters, &Exceptions { mods: except, args: &args }, &duration);
                self.end_failed_effects();
                StepFlow::Next
            }
            Op::CopyListed { dst, object, choosing } => {
                let (object, user) = (ObjectRef::from_value(self.reg(base, *object)), self.reg(base, 1));
                let made = self.duplicate(object, user);
                self.set_reg(base, *dst, made.map_or(0, ObjectRef::value));
                match made.filter(|_| *choosing) {
                    Some(made) => {
                        let flow = self.wait(frame, function, base, false);
                        self.choose_new_targets(made, user);
                        flow
                    }
                    None => StepFlow::Next,
                }
            }
            Op::Trigger { ability, captures } => {
                let values: Args = captures.iter().map(|reg| self.reg(base, *reg)).collect();
                let (this, you) = (ObjectRef::from_value(self.reg(base, 0)), self.reg(base, 1));
                self.add_pending(*ability, this, you, &values);
                StepFlow::Next
            }
            Op::StoreCostResult { slot, src } => {
                let value = self.reg(base, *src) as u32;
                self.store_cost_result(usize::from(*slot), value);
                StepFlow::Next
            }
            Op::Window { window: number } => {
                let flow = self.wait(frame, function, base, false);
                let pushed = self.push_frame(kind::WINDOW, window::WORDS);
                self.set(pushed + window::WINDOW, u32::from(*number));
                let active = self.state.active() as u32;
                self.set(pushed + window::ACTOR, active);
                flow
            }
            Op::Settle { triggers, acted } => {
                let flow = self.wait(frame, function, base, false);
                let pushed = self.push_settle(*triggers);
                if let Some(acted) = acted {
                    self.set(pushed + settle::REPORT, frame as u32);
                    self.set(pushed + settle::REGISTER, u32::from(*acted));
                }
                flow
            }
            Op::Use { object, by, args, free, done } => {
                let object = ObjectRef::from_value(self.reg(base, *object));
                let extra_args: Args = args.iter().map(|reg| self.reg(base, *reg)).collect();
                let user = self.reg(base, 1);
                if let Some(done) = done {
                    self.set_reg(base, *done, 0);
                }
                let flow = self.wait(frame, function, base, false);
                self.use_object(object, user, UseRequest { by: *by, extra_args: &extra_args, free: *free }, frame, *done);
                flow
            }
            Op::CanPay { dst, player, price } => {
                let player = self.seat(self.reg(base, *player));
                let units = self.list(base, *price);
                let can = self.could_pay(player, &units);
                self.set_reg(base, *dst, i64::from(can));
                StepFlow::Next
            }
            Op::AddToPool { player, units, pool } => self.add_units_to_pool(frame, function, base, (*player, *units), *pool),
            Op::Pay { player, price, done } => {
                let player = self.seat(self.reg(base, *player));
                let units = self.list(base, *price);
                if let Some(done) = done {
                    self.set_reg(base, *done, i64::from(units.is_empty()));
                }
                if units.is_empty() || !self.could_pay(player, &units) {
                    return StepFlow::Next;
                }
                let flow = self.wait(frame, function, base, false);
                self.push_payment(player, &units, frame, *done);
                flow
            }
            Op::Refund { object } => {
                let object = ObjectRef::from_value(self.reg(base, *object));
                self.refund(object);
                StepFlow::Next
            }
            Op::Retarget { object } => {
                let (object, user) = (ObjectRef::from_value(self.reg(base, *object)), self.reg(base, 1));
                if super::announced_choices::count_targets(&self.program, &self.state, object) != 1 {
                    return StepFlow::Next;
                }
                let flow = self.wait(frame, function, base, false);
                self.change_target(object, user);
                flow
            }
            Op::RunText { object } => {
                let object = ObjectRef::from_value(self.reg(base, *object));
                let flow = self.wait(frame, function, base, false);
                self.run_text(object);
                flow
            }
            Op::InsertPeriod { period: span } => {
                self.insert_period(span.0);
                StepFlow::Next
            }
            Op::SkipPeriod { period: span, player } => {
                let player = self.reg(base, *player) as u32;
                self.state.block.extend(at::SKIPS, &[span.0, player]);
                StepFlow::Next
            }
            Op::EndPeriod { period: span } => {
                let flow = self.wait(frame, function, base, false);
                self.end_period(span.0);
                flow
            }
            Op::SkipTo { period: span } => {
                let flow = self.wait(frame, function, base, false);
                self.skip_to(span.0);
                flow
            }
            Op::Expire { period: span } => {
                self.end_effects_until(span.0, false);
                self.end_failed_effects();
                StepFlow::Next
            }
            Op::ExtraTurn { dst, player } => {
                let mut number = 0;
                if let Ok(player) = u32::try_from(self.reg(base, *player))
                    && (player as usize) < self.program.players()
                {
                    number = self.extra_turn(player);
                }
                self.set_reg(base, *dst, i64::from(number));
                StepFlow::Next
            }
            // The caller evaluates these.
            pure_operations!() | control_operations!() => StepFlow::Next,
        }
    }

    pub(super) fn is_list_global(&self, variable: u16) -> bool {
        self.program.library.globals.get(usize::from(variable)).is_some_and(|v| v.ty.is_list())
    }

    /// Returns the seat in a register value; the active player for `NO_PLAYER`.
    pub(crate) fn seat(&self, value: i64) -> usize {
        match usize::try_from(value) {
            Ok(seat) if seat < self.program.players() => seat,
            _ => self.state.active(),
        }
    }

    /// Returns an event with the cause of a body.
    fn event(&self, frame: Handle, action: u32) -> Event {
        Event {
            action,
            parent: 0,
            status: 0,
            result: 0,
            cause: [
                self.state.block.int(frame + body::CAUSE),
                self.state.block.int(frame + body::SOURCE),
                self.state.block.int(frame + body::PLAYER),
                NO_PLAYER,
            ],
            used: 0,
            count: 0,
            args: [0; 8],
            flags: 0,
        }
    }

    /// Appends the events that a statement proposes.
    pub(super) fn add_proposals(
        &mut self,
        all: &mut Vec<Event>,
        frame: Handle,
        base: usize,
        events: &[crate::ir::op::EventProposal],
    ) {
        for proposal in events {
            let mut event = self.event(frame, proposal.action.0);
            event.count = proposal.args.len().min(8) as u32;
            event.cause[3] = match proposal.chosen {
                ChosenBy::NoPlayer => NO_PLAYER,
                ChosenBy::Controller => get(&self.scratch, base, 1),
                ChosenBy::Player(reg) => get(&self.scratch, base, reg),
                ChosenBy::Inherited => self.state.block.int(frame + body::CHOOSER),
            };
            for (place, reg) in event.args.iter_mut().zip(&proposal.args) {
                *place = get(&self.scratch, base, *reg);
            }
            if let Some(moved) = self.followed_object(&event) {
                event.args[0] = moved.value();
            }
            if event.cause[0] == cause::RULE
                && let Some(player) = self.acting_player(&event)
            {
                event.cause[2] = player;
            }
            match proposal.over {
                None => all.push(event),
                Some(over) => {
                    let list = proposal.args.get(usize::from(over)).map_or(0, |reg| self.reg(base, *reg));
                    for item in self.scratch.list(list) {
                        let mut one = event;
                        if let Some(place) = one.args.get_mut(usize::from(over)) {
                            *place = i64::from(*item);
                        }
                        all.push(one);
                    }
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a statement, in parts")]
    fn propose(
        &mut self,
        program: &Program,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        events: &[Event],
        done: Option<u16>,
        out: Option<u16>,
    ) -> StepFlow {
        if let Some(done) = done {
            self.set_reg(base, done, 0);
        }
        if let Some(out) = out {
            self.set_list(base, out, []);
        }
        let batch = self.word(frame + body::BATCH) as usize;
        if batch != 0 {
            self.mark_proposing(batch, frame);
        } else if self.is_carrier(frame) {
            self.add_carried_flags(frame, HAS_PROPOSED);
        }
        if events.is_empty() {
            return StepFlow::Next;
        }
        self.keep_rule_dirty();
        if let Some(committed) = self.commit_in_bulk(program, frame, events) {
            if let Some(done) = done {
                self.set_reg(base, done, i64::from(committed.happened));
            }
            // Write-only events move nothing, so there is no result.
            if let Some(out) = out.filter(|out| function.registers.get(usize::from(*out)).is_some_and(|ty| !ty.is_list())) {
                self.set_reg(base, out, 0);
            }
            return if committed.proposer_continues { StepFlow::Next } else { self.wait(frame, function, base, false) };
        }
        if let [event] = events
            && batch == 0
            && let Some(flow) = self.propose_carried(program, frame, function, base, event, (done, out))
        {
            return flow;
        }
        let flow = self.wait(frame, function, base, false);
        if batch == 0 {
            let batch = self.push_batch();
            self.add_group(batch, frame, events, done, out);
        } else {
            // The body advances in lockstep with the others of the batch: it pauses until this segment was committed.
            self.add_children(batch, frame, events, done, out);
            self.state.block.pop(at::FRAMES);
            self.state.block.push(batch + crate::records::frame::batch::BODIES, frame as u32);
        }
        flow
    }

    /// Returns the source of an effect that a body begins. For an action of the game, which belongs to no object, it is the
    /// source of its cause.
    fn source_of(&self, frame: Handle, base: usize) -> ObjectRef {
        match self.reg(base, 0) as u32 {
            0 => ObjectRef(self.word(frame + body::SOURCE)),
            this => ObjectRef(this),
        }
    }

    /// Returns whether an effect would have ended before it begins (CR 611.2b): it lasts until an event of its source, which no longer exists, or for
    /// as long as a condition holds, which does not hold. Then it does not begin.
    fn is_over_at_once(&mut self, source: ObjectRef, base: usize, captures: &[u16], until: &[DurationEnd]) -> bool {
        until.iter().any(|end| match end {
            DurationEnd::Event { of_source, .. } => *of_source && !self.state.exists(source),
            DurationEnd::Failure { condition } => {
                let values = captures.iter().map(|reg| self.reg(base, *reg));
                let args: Args = [source.value(), self.reg(base, 1)].into_iter().chain(values).collect();
                !self.test(*condition, &args)
            }
            DurationEnd::End(_) | DurationEnd::NextEnd(..) | DurationEnd::NextStart(..) => false,
        })
    }

    fn duration_ends(&self, base: usize, until: &[DurationEnd]) -> InlineWords {
        let turn = self.state.turn();
        until
            .iter()
            .flat_map(|end| match end {
                DurationEnd::End(span) => [0, span.0, 0, turn],
                DurationEnd::NextEnd(span, player) => [1, span.0, self.reg(base, *player) as u32, turn],
                DurationEnd::NextStart(span, player) => [2, span.0, self.reg(base, *player) as u32, turn],
                DurationEnd::Event { action, filter, looks_back, .. } => {
                    [UNTIL_EVENT, action.0, filter.0, u32::from(*looks_back)]
                }
                DurationEnd::Failure { condition } => [UNTIL_FAILURE, condition.0, 0, 0],
            })
            .collect()
    }

    /// Writes a status or variable immediately, without an event.
    pub(crate) fn write(&mut self, place: Place, of: i64, how: WriteMode, value: i64) {
        let cell = match place {
            Place::Global(n) => self.program.layout.global(usize::from(n)),
            Place::Player(n) => match usize::try_from(of) {
                Ok(player) if player < self.program.players() => self.program.layout.player(player, usize::from(n)),
                _ => return,
            },
            Place::Face => {
                self.turn_over(ObjectRef::from_value(of), value);
                return;
            }
            Place::Status(n) => {
                let it = ObjectRef::from_value(of);
                if !self.state.exists(it) {
                    return;
                }
                self.state.cell(it.slot(), at::STATUSES + usize::from(n))
            }
            _ => return,
        };
        self.derived.invalidate_write(place, of);
        let before = self.state.block.int(cell);
        let after = how.apply(before, value);
        if after != before {
            let cell = match place {
                Place::Status(n) => self.state.cell_for_write(ObjectRef::from_value(of).slot(), at::STATUSES + usize::from(n)),
                _ => cell,
            };
            match place {
                Place::Status(n) if self.program.concealing_statuses.contains(&usize::from(n)) => {
                    self.mark_objects_dirty();
                    self.write_concealing_status(ObjectRef::from_value(of).slot(), |machine| {
                        machine.set(cell, after as i32 as u32)
                    });
                }
                _ => self.set(cell, after as i32 as u32),
            }
            if let Place::Status(n) = place {
                let (it, status) = (ObjectRef::from_value(of), usize::from(n));
                if self.program.timestamp_statuses.contains(&status) {
                    self.renew_timestamp(it.slot());
                    self.mark_everything_dirty();
                }
                if after != 0 && self.program.effect_clearing_statuses.contains(&status) {
                    self.clear_effects_on(it);
                    self.mark_everything_dirty();
                }
            }
            self.record_write(place, of);
        }
    }

    /// Gives an object a new timestamp (CR 613.7).
    pub(crate) fn renew_timestamp(&mut self, slot: usize) {
        let stamp = self.state.take_timestamp();
        self.state.set_column(slot, at::ENTERED_AT, stamp);
        self.derived.mark_dirty(slot);
    }

    /// Writes one key of a keyed status or variable immediately, without an event; key 0 writes all existing keys.
    pub(crate) fn write_key(&mut self, place: Place, of: i64, key: i64, how: WriteMode, value: i64) {
        if let Place::Status(n) = place {
            let it = ObjectRef::from_value(of);
            if !self.state.exists(it) {
                return;
            }
            self.state.cell_for_write(it.slot(), at::STATUSES + usize::from(n));
        }
        let Some(holder) = self.world().0.keyed_holder(place, of) else { return };
        let keys: Args = match key {
            0 => self.state.block.list(holder).iter().step_by(2).map(|k| i64::from(*k)).collect(),
            key => Args::from_slice(&[key]),
        };
        for key in keys {
            let Ok(known) = u32::try_from(key) else { continue };
            let before = self.state.block.keyed(holder, key);
            let after = how.apply(before, value);
            if after != before {
                self.state.block.set_keyed(holder, known, after as i32 as u32);
                self.derived.invalidate_write(place, of);
                self.record_write(place, of);
            }
        }
    }

    /// Writes results into the registers of a waiting body: a boolean, and a list or its first element.
    pub(crate) fn report(&mut self, frame: Handle, done: Option<(u16, bool)>, out: Option<(u16, &[u32])>) {
        if let Some((reg, value)) = done {
            self.set(frame + body::REGISTERS + usize::from(reg), u32::from(value));
        }
        if let Some((reg, items)) = out {
            let holder = frame + body::REGISTERS + usize::from(reg);
            let function = FnId(self.word(frame + body::FUNCTION));
            if self.is_list_register(function, usize::from(reg)) {
                self.state.block.replace(holder, items);
            } else {
                self.set(holder, items.first().copied().unwrap_or(0));
            }
        }
    }
}

/// The cards that have a name which a player can choose, in the order of their names, each name once: those that can occur in the game, no
/// tokens.
fn card_names(library: &Library) -> Vec<u16> {
    let cards = library.definitions.numbered().filter(|(_, definition)| !definition.token && !definition.name.is_empty());
    let names = cards.filter_map(|(number, definition)| Some((definition.name.as_str(), u16::try_from(number).ok()?)));
    let by_name: std::collections::BTreeMap<&str, u16> = names.collect();
    by_name.into_values().collect()
}
