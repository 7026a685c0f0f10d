//! Bulk commits: events of actions that do nothing but write, and at which nobody looks, are committed without being spelt out. What each
//! of them writes next is computed for all, then all of it is written: the segments of a batch, without its frames and events.

use super::Machine;
use super::batch::{Event, INCIDENTAL, UNSTOPPABLE, log_event, status};
use super::direct_write::{DirectWrite, EventAncestors};
use super::eval::{EvalContext, get};
use super::frame::body;
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Format, Function, Library, cause};
use crate::program::Program;
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};
use smallvec::SmallVec;

/// At most so many registers, of all events together.
const MOST_REGISTERS: usize = 1 << 16;

/// What came of events that were committed in bulk.
pub(super) struct BulkResult {
    /// Whether something of one of them happened.
    pub happened: bool,
    /// Whether the body that proposed them goes on.
    pub goes_on: bool,
}

/// An event on the way.
struct PendingBody<'p> {
    event: Event,
    function: &'p Function,
    /// Its registers.
    base: usize,
    /// The operation that comes next; none at its end.
    pc: Option<usize>,
}

/// Which actions do nothing but write numbers, without going back.
pub(crate) fn write_only_actions<'f>(
    library: &Library,
    format: &Format,
    function: impl Fn(FnId) -> Option<&'f Function>,
) -> Vec<bool> {
    let plain = |place: Place| match place {
        Place::Status(n) => {
            library.statuses.get(usize::from(n)).is_some_and(|it| !it.conceals && !it.renews && !it.forgets && !it.ty.is_list())
        }
        Place::Player(_) => true,
        Place::Global(n) => library.globals.get(usize::from(n)).is_some_and(|it| !it.ty.is_list()),
        _ => false,
    };
    let only = |code: &Function| {
        let fits = |(pc, op): (usize, &Op)| match op {
            Op::Jump { to } | Op::JumpUnless { to, .. } => *to as usize > pc,
            Op::Write { place, .. } | Op::WriteKey { place, .. } => plain(*place),
            Op::Return { .. } => true,
            op => op.written().is_some(),
        };
        code.slots.is_empty() && code.reachable().all(fits)
    };
    format.actions.iter().map(|action| action.body.and_then(&function).is_some_and(only)).collect()
}

impl Machine {
    /// Commits events that a body proposes, if all of them can be in bulk; nothing if they cannot.
    pub(super) fn commit_in_bulk(&mut self, program: &Program, frame: Handle, events: &[Event]) -> Option<BulkResult> {
        let first = events.first().filter(|first| self.program.write_only_actions.get(first.action as usize) == Some(&true));
        if first.is_none() || self.scratch.reference_mode {
            return None;
        }
        self.derived.refresh(program, &self.state, &mut self.scratch);
        let can = |event: &Event| program.write_only_actions.get(event.action as usize) == Some(&true) && self.is_plain(event);
        let pays = self.state.block.int(frame + body::CAUSE) == cause::COST;
        if !events.iter().all(can) {
            return None;
        }
        let function = |event: &Event| program.function(program.format.actions.get(event.action as usize)?.body?);
        let registers: usize = events.iter().filter_map(function).map(|code| code.registers.len()).sum();
        let lineage = self.lineage(frame).filter(|lineage| registers <= MOST_REGISTERS && (!pays || lineage.is_root()))?;
        let inherited = self.inherited(&lineage);
        let mut begun: SmallVec<[(Event, bool); 4]> = SmallVec::new();
        for event in events {
            let event = Event { flags: event.flags | inherited | program.flags_of(event.action), ..*event };
            begun.push((event, self.can_begin(&event)));
        }
        // What fails of a cost is told to whoever pays it.
        if pays && begun.iter().any(|(_, begins)| !begins) {
            return None;
        }
        self.end_collecting(lineage.batch);
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        let mut under_way: SmallVec<[PendingBody<'_>; 4]> = SmallVec::new();
        let mut happened = false;
        for (event, begins) in begun {
            if !begins {
                self.record(|| log_event(&event, false));
                continue;
            }
            let Some(function) = function(&event) else { continue };
            let base = self.scratch.registers.len();
            self.scratch
                .registers
                .extend([0, event.cause[2]].iter().chain(event.arguments()).map(|word| i64::from(*word as i32)));
            self.scratch.registers.resize(base + function.registers.len(), 0);
            under_way.push(PendingBody { event, function, base, pc: Some(0) });
        }
        let mut goes_on = true;
        let mut first = true;
        while goes_on && under_way.iter().any(|it| it.pc.is_some()) {
            happened |= self.commit_next(program, &mut under_way, &lineage, std::mem::take(&mut first));
            goes_on = self.outcome().is_none() && self.word(at::ENDING) == 0 && self.state.top_frame() == Some(frame);
        }
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        // A cost that cannot happen is not paid.
        if pays && !happened {
            self.fail_cost();
        }
        Some(BulkResult { happened, goes_on })
    }

    /// Whether an event is about what is there, and nothing forbids it.
    fn can_begin(&mut self, event: &Event) -> bool {
        let forbidden = event.flags & UNSTOPPABLE == 0
            && self.may_be_forbidden(event.action)
            && self.forbidden(event.action, event.arguments(), event.cause).is_some();
        !forbidden && !self.is_stale(event) && !self.lacks_player(event)
    }

    /// Whether nothing stands between the proposal of an event and its body but what forbids it.
    fn is_plain(&self, event: &Event) -> bool {
        !self.has_observers(event.action) && !self.program.format.treats.iter().any(|treat| treat.action.0 == event.action)
    }

    /// One segment: what each body comes to next is written at once. Whether anything happened.
    fn commit_next(
        &mut self,
        program: &Program,
        under_way: &mut [PendingBody<'_>],
        lineage: &EventAncestors,
        first: bool,
    ) -> bool {
        let mut writings: SmallVec<[(usize, DirectWrite); 8]> = SmallVec::new();
        let mut all: SmallVec<[usize; 8]> = SmallVec::new();
        for (number, it) in under_way.iter_mut().enumerate().filter(|(_, it)| it.pc.is_some()) {
            match self.next_writing(program, it) {
                Some(writing) => {
                    writings.push((number, writing));
                    all.push(number);
                }
                // It did nothing from its beginning to its end: that happened by itself.
                None if first => all.push(number),
                None => {}
            }
        }
        if all.is_empty() {
            return false;
        }
        let counts = |it: &PendingBody<'_>| it.event.flags & INCIDENTAL == 0;
        if all.iter().filter_map(|number| under_way.get(*number)).any(counts) {
            self.start_new_serial();
        }
        let mut writings = writings.into_iter().peekable();
        let mut any = false;
        for number in all {
            self.record_event();
            let done = match writings.next_if(|(of, _)| *of == number) {
                Some((_, DirectWrite { place: Place::Status(_), of, .. })) if !self.state.exists(ObjectRef::from_value(of)) => {
                    false
                }
                Some((_, writing)) => {
                    self.apply_write(writing);
                    true
                }
                None => true,
            };
            let Some(it) = under_way.get_mut(number).filter(|_| done) else { continue };
            if !std::mem::replace(&mut any, true) {
                self.mark_ancestors_happened(lineage);
            }
            if std::mem::replace(&mut it.event.status, status::HAPPENED) != status::HAPPENED {
                let event = it.event;
                self.record(|| log_event(&event, true));
            }
        }
        self.after_commit();
        any
    }

    /// Goes on to the next statement of an event's body: what it writes.
    fn next_writing(&mut self, program: &Program, it: &mut PendingBody<'_>) -> Option<DirectWrite> {
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
                    self.cut(it);
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
                    self.cut(it);
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

    /// A body that waits keeps words.
    fn cut(&mut self, it: &PendingBody<'_>) {
        let registers = self.scratch.registers.get_mut(it.base..).into_iter().flatten();
        for (register, _) in registers.zip(&it.function.registers).filter(|(_, ty)| !ty.is_list()) {
            *register = i64::from(*register as i32);
        }
    }
}
