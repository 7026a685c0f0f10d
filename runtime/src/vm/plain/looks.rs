//! What pure code looks at, apart from one object. What it gives stays the same until that object changes, or one of its statuses that is
//! read, or something else that is looked at.

use super::memo::MOST;
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function};
use crate::program::{Program, RULE};
use crate::vm::builtin::number;
use crate::vm::derived::Derived;
use crate::vm::parts::Parts;

/// Calls within calls that are looked into.
pub(super) const DEPTH: u32 = 6;

/// What a function looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// Apart from the object.
    apart: Parts,
    /// The statuses of it.
    statuses: Parts,
    /// Whether it asks what is announced of the object.
    pub announced: bool,
    /// Whether it asks what is possible: it is told what it looks at only as long as no continuous effect forbids anything.
    pub possible: bool,
}

impl Looks {
    /// What a function looks at, apart from the object in some of its parameters (bit `n` for parameter `n`). None where that cannot be told,
    /// and where it looks at other objects: something happens to one of them all the time.
    pub(crate) fn of(program: &Program, function: FnId, own: u32) -> Option<Self> {
        let mut all = Self::default();
        all.add(program, function, own, (DEPTH, &mut 0))?;
        Some(all)
    }

    /// Both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            apart: self.apart | other.apart,
            statuses: self.statuses | other.statuses,
            announced: self.announced || other.announced,
            possible: self.possible || other.possible,
        }
    }

    /// What it looks at besides the object.
    pub(super) fn apart(self) -> Parts {
        self.apart
    }

    /// Whether the object in a slot, which is there, is as it was when something had changed so often.
    #[inline]
    pub(super) fn object_is_as_it_was(self, derived: &Derived, slot: usize, count: u64) -> bool {
        derived.is_as_it_was(slot, self.statuses, count)
    }

    /// Whether all that is looked at is as it was when something had changed so often, the object in a slot included, which is there.
    #[inline]
    pub(crate) fn all_is_as_it_was(self, derived: &Derived, slot: usize, count: u64) -> bool {
        derived.changes().none_since(count, self.apart) && self.object_is_as_it_was(derived, slot, count)
    }

    /// Adds what a function looks at; nothing if that cannot be told, or takes long.
    fn add(&mut self, program: &Program, id: FnId, params: u32, (depth, work): (u32, &mut u32)) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let function = program.function(id).filter(|function| function.params <= 32 && function.slots.is_empty())?;
        let own = holders(function, params);
        let is_own = |reg: &u16| own.get(usize::from(*reg)) == Some(&true);
        *work += function.ops.len() as u32;
        (*work <= MOST).then_some(())?;
        for op in &function.ops {
            let apart = match op {
                Op::Get { place: Place::Status(status), of, .. }
                | Op::GetKey { place: Place::Status(status), of, .. }
                | Op::NextKey { place: Place::Status(status), of, .. }
                    if is_own(of) =>
                {
                    self.statuses |= Parts::of(Place::Status(*status));
                    Parts::NONE
                }
                Op::Get {
                    place:
                        Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Owner | Place::Controller | Place::Zone,
                    of,
                    ..
                }
                | Op::HasWord { of, .. }
                | Op::HasSomeWord { of, .. }
                | Op::HasKeyword { of, .. }
                | Op::KeywordValue { of, .. }
                | Op::IsCard { of, .. }
                | Op::Exists { of, .. }
                | Op::InZone { of, .. }
                    if is_own(of) =>
                {
                    Parts::NONE
                }
                Op::Shares { a, b, .. } if is_own(a) && is_own(b) => Parts::NONE,
                Op::Builtin { builtin: number::CREATED | number::IS_ABILITY, args, .. } if args.iter().all(is_own) => Parts::NONE,
                Op::Builtin { builtin: number::CAME_FROM, args, .. } if args.iter().all(is_own) => {
                    self.announced = true;
                    Parts::NONE
                }
                Op::Builtin { builtin: number::DUE, args, .. } if args.get(1).is_some_and(is_own) => {
                    self.announced = true;
                    Parts::NONE
                }
                Op::Call { function, args, .. }
                | Op::Filter { filter: function, captures: args, .. }
                | Op::Fold { value: function, captures: args, .. } => {
                    let given = (0..32).zip(args).filter(|(_, reg)| is_own(reg)).fold(0, |own, (param, _)| own | 1 << param);
                    self.add(program, *function, given, (depth, work))?;
                    Parts::NONE
                }
                Op::Possible { action, args, paying, .. } => {
                    self.possible = true;
                    let meant = !program.format.treats.iter().any(|treat| treat.action == *action);
                    for hook in &program.hooks.get(action.index()).filter(|_| meant && !paying)?.prohibitions {
                        // What an object forbids hangs on that object.
                        (hook.unit == RULE).then_some(())?;
                        if let Some(filter) = program.prohibition_filter(hook.ability) {
                            let about = (2..32).zip(args.iter().take(hook.args)).filter(|(_, reg)| is_own(reg));
                            self.add(program, filter, about.fold(0, |own, (param, _)| own | 1 << param), (depth, work))?;
                        }
                    }
                    Parts::NONE
                }
                Op::Uncovered { .. } => return None,
                op => Parts::of_op(op),
            };
            (!apart.meets(Parts::ANYTHING | Parts::OBJECTS)).then_some(())?;
            self.apart |= apart;
        }
        Some(())
    }
}

/// Which registers of a function hold the object of some of its parameters, and nothing else.
fn holders(function: &Function, params: u32) -> Vec<bool> {
    let mut written = vec![0u32; function.registers.len()];
    for reg in function.ops.iter().filter_map(Op::written) {
        written.get_mut(usize::from(reg)).into_iter().for_each(|count| *count += 1);
    }
    let given = |reg: usize| reg < usize::from(function.params) && reg < 32 && params & (1 << reg) != 0;
    let mut own: Vec<bool> = written.iter().enumerate().map(|(reg, count)| given(reg) && *count == 0).collect();
    for op in &function.ops {
        if let Op::Copy { dst, src } = op {
            // A parameter that is written holds something else before.
            let new = *dst >= function.params && written.get(usize::from(*dst)) == Some(&1);
            let copies = new && own.get(usize::from(*src)) == Some(&true);
            own.get_mut(usize::from(*dst)).into_iter().for_each(|own| *own |= copies);
        }
    }
    own
}
