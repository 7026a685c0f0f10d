//! Bulk commit: commits many events of a write-only, unhooked action without frames and event records.
//!
//! All bodies advance in lockstep to their next write; then all writes of that step are applied. These steps are the segments of
//! an ordinary batch. Forbidden events are dropped, as there. Applies only if all events of the statement qualify and their
//! bodies need at most 65,536 registers together. Reference mode never commits in bulk; the test `reference_mode` compares.

use super::direct_write::{DirectWrite, EventAncestors};
use crate::ir::ObjectRef;
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function, cause};
use crate::program::Program;
use crate::records::event::{Event, TIMING_NEUTRAL, UNSTOPPABLE, status};
use crate::records::frame::body;
use crate::state::block::Handle;
use crate::vm::eval_context::{EvalContext, get};
use crate::vm::machine::{Machine, Record};
use smallvec::SmallVec;

/// Registers of the bodies of all events together.
const MAX_REGISTERS: usize = 1 << 16;

/// The result of a bulk commit.
pub(super) struct BulkResult {
    /// Whether any part of any event happened.
    pub happened: bool,
    /// Whether the body that proposed the events can continue at once.
    pub proposer_continues: bool,
}

/// The body of an event in progress.
struct PendingBody<'p> {
    event: Event,
    function: &'p Function,
    /// The index of its first register.
    base: usize,
    /// The next operation, or `None` at the end.
    pc: Option<usize>,
}

impl Machine {
    /// Commits the events that a body proposes. Returns `None` if any of them cannot be committed in bulk.
    pub(super) fn commit_in_bulk(&mut self, program: &Program, frame: Handle, events: &[Event]) -> Option<BulkResult> {
        let first = events.first().filter(|first| self.program.write_only_actions.get(first.action as usize) == Some(&true));
        if first.is_none() || self.scratch.reference_mode {
            return None;
        }
        self.derived.refresh(program, &self.state, &mut self.scratch);
        let can =
            |event: &Event| program.write_only_actions.get(event.action as usize) == Some(&true) && self.needs_no_batch(event);
        let pays = self.state.block.int(frame + body::CAUSE) == cause::COST;
        if !events.iter().all(can) {
            return None;
        }
        let function = |event: &Event| program.function(program.format.actions.get(event.action as usize)?.body?);
        let registers: usize = events.iter().filter_map(function).map(|code| code.registers.len()).sum();
        let ancestors =
            self.event_ancestors(frame).filter(|ancestors| registers <= MAX_REGISTERS && (!pays || ancestors.is_root()))?;
        let inherited = self.inherited_flags(&ancestors);
        let mut checked: SmallVec<[(Event, bool); 4]> = SmallVec::new();
        for event in events {
            let event = Event { flags: event.flags | inherited | program.flags_of(event.action), ..*event };
            checked.push((event, self.can_begin(&event)));
        }
        // A cost of which an event fails must be proposed, so that the failure is reported to the payment.
        if pays && checked.iter().any(|(_, begins)| !begins) {
            return None;
        }
        self.end_collecting(ancestors.batch);
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        let mut bodies: SmallVec<[PendingBody<'_>; 4]> = SmallVec::new();
        let mut happened = false;
        for (event, begins) in checked {
            if !begins {
                self.record(|| Record::of_event(&event, false));
                continue;
            }
            let Some(function) = function(&event) else { continue };
            let player = self.cause_within(&event)[2];
            let base = self.scratch.registers.len();
            self.scratch.registers.extend([0, player].iter().chain(event.arguments()).map(|word| i64::from(*word as i32)));
            self.scratch.registers.resize(base + function.registers.len(), 0);
            bodies.push(PendingBody { event, function, base, pc: Some(0) });
        }
        let mut continues = true;
        let mut first = true;
        while continues && bodies.iter().any(|it| it.pc.is_some()) {
            happened |= self.commit_bulk_segment(program, &mut bodies, &ancestors, std::mem::take(&mut first));
            continues = self.can_continue(frame);
        }
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        // A cost that cannot happen is not paid.
        if pays && !happened {
            self.fail_cost();
        }
        Some(BulkResult { happened, proposer_continues: continues })
    }

    /// Returns whether nothing forbids an event, and its objects and players still exist.
    fn can_begin(&mut self, event: &Event) -> bool {
        let forbidden = event.flags & UNSTOPPABLE == 0
            && self.may_be_forbidden(event.action)
            && self.forbidden(event.action, event.arguments(), event.cause).is_some();
        !forbidden && !self.is_stale(event) && !self.concerns_left_player(event)
    }

    /// Returns whether nothing but a prohibition could come between the proposal of an event and its body.
    fn needs_no_batch(&self, event: &Event) -> bool {
        !self.has_observers(event.action)
            && !self.program.format.action_aliases.iter().any(|treat| treat.action.0 == event.action)
    }

    /// Commits one segment: applies the next write of each body. Returns whether anything happened.
    fn commit_bulk_segment(
        &mut self,
        program: &Program,
        bodies: &mut [PendingBody<'_>],
        ancestors: &EventAncestors,
        first: bool,
    ) -> bool {
        self.charge_change();
        let mut writes: SmallVec<[(usize, DirectWrite); 8]> = SmallVec::new();
        let mut all: SmallVec<[usize; 8]> = SmallVec::new();
        for (number, it) in bodies.iter_mut().enumerate().filter(|(_, it)| it.pc.is_some()) {
            match self.next_write(program, it) {
                Some(writing) => {
                    writes.push((number, writing));
                    all.push(number);
                }
                // An event whose body ends without a write happens.
                None if first => all.push(number),
                None => {}
            }
        }
        if all.is_empty() {
            return false;
        }
        let counts = |it: &PendingBody<'_>| it.event.flags & TIMING_NEUTRAL == 0;
        if all.iter().filter_map(|number| bodies.get(*number)).any(counts) {
            self.start_new_serial();
        }
        let mut writes = writes.into_iter().peekable();
        let mut any = false;
        for number in all {
            self.record_event();
            let done = match writes.next_if(|(of, _)| *of == number) {
                Some((_, DirectWrite { place: Place::Status(_), of, .. })) if !self.state.exists(ObjectRef::from_value(of)) => {
                    false
                }
                Some((_, writing)) => {
                    self.apply_write(writing);
                    true
                }
                None => true,
            };
            let Some(it) = bodies.get_mut(number).filter(|_| done) else { continue };
            if !std::mem::replace(&mut any, true) {
                self.mark_ancestors_happened(ancestors);
            }
            if std::mem::replace(&mut it.event.status, status::HAPPENED) != status::HAPPENED {
                let event = it.event;
                self.record(|| Record::of_event(&event, true));
            }
        }
        self.after_commit();
        any
    }

    /// Performs the writes of a body that only writes numbers, without frames and event records. `args`: its first registers.
    pub(super) fn run_writes(&mut self, program: &Program, event: &Event, body: FnId, args: &[i64]) {
        let Some(function) = program.function(body) else { return };
        let (mark, base) = (self.scratch.mark(), self.scratch.registers.len());
        self.scratch.registers.extend(args.iter().map(|word| i64::from(*word as i32)));
        self.scratch.registers.resize(base + function.registers.len(), 0);
        let mut it = PendingBody { event: *event, function, base, pc: Some(0) };
        while let Some(write) = self.next_write(program, &mut it) {
            if self.can_write_directly(&write) {
                self.apply_write(write);
            }
        }
        self.scratch.registers.truncate(base);
        self.scratch.release(mark);
    }

    /// Runs the body of an event up to its next write and returns it, or `None` at the end.
    fn next_write(&mut self, program: &Program, it: &mut PendingBody<'_>) -> Option<DirectWrite> {
        let base = it.base;
        loop {
            let mut pc = it.pc?;
            let op = it.function.ops.get(pc).filter(|_| self.scratch.fuel <= self.limits.fuel);
            self.scratch.fuel += 1;
            pc += 1;
            let reg = |machine: &Self, reg: u16| i64::from(get(&machine.scratch, base, reg) as i32);
            match op {
                None | Some(Op::Return { .. }) => {
                    it.pc = None;
                    return None;
                }
                Some(Op::Jump { to }) => pc = *to as usize,
                Some(Op::JumpUnless { cond, to }) => {
                    if get(&self.scratch, base, *cond) == 0 {
                        pc = *to as usize;
                    }
                }
                Some(Op::Write { place, of, how, value, .. }) => {
                    it.pc = Some(pc);
                    self.truncate_registers(it);
                    return Some(DirectWrite {
                        place: *place,
                        of: reg(self, *of),
                        key: None,
                        how: *how,
                        value: reg(self, *value),
                    });
                }
                Some(Op::WriteKey { place, of, key, how, value }) => {
                    it.pc = Some(pc);
                    self.truncate_registers(it);
                    let key = Some(reg(self, *key)).filter(|key| *key != -1);
                    return Some(DirectWrite { place: *place, of: reg(self, *of), key, how: *how, value: reg(self, *value) });
                }
                Some(op) => {
                    self.derived.refresh(program, &self.state, &mut self.scratch);
                    let world = EvalContext { program, state: &self.state, derived: &self.derived };
                    world.pure_op(&mut self.scratch, base, op, &it.function.registers);
                }
            }
            it.pc = Some(pc);
        }
    }

    /// Truncates registers to 32 bits, as a suspended body does, whose registers are words of the state.
    fn truncate_registers(&mut self, it: &PendingBody<'_>) {
        let registers = self.scratch.registers.get_mut(it.base..).into_iter().flatten();
        for (register, _) in registers.zip(&it.function.registers).filter(|(_, ty)| !ty.is_list()) {
            *register = i64::from(*register as i32);
        }
    }
}
