//! What pure code looks at, apart from one object. What it gives stays the same until that object changes, or one of its statuses that is
//! read, or something else that is looked at.

use super::call_cache::MOST;
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function};
use crate::program::{Program, RULE};
use crate::vm::builtin::number;
use crate::vm::dependencies::DepSet;
use crate::vm::derived::DerivedValues;

/// Calls within calls that are looked into.
pub(super) const DEPTH: u32 = 6;

/// What a function looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadSet {
    /// Apart from the object.
    apart: DepSet,
    /// The statuses of it.
    statuses: DepSet,
    /// Whether it asks what is announced of the object.
    pub announced: bool,
    /// Whether it asks what is possible: it is told what it looks at only as long as no continuous effect forbids anything.
    pub possible: bool,
}

impl ReadSet {
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
    pub(super) fn external(self) -> DepSet {
        self.apart
    }

    /// Whether the object in a slot, which is there, is as it was when something had changed so often.
    #[inline]
    pub(super) fn object_unchanged_since(self, derived: &DerivedValues, slot: usize, count: u64) -> bool {
        derived.is_unchanged_since(slot, self.statuses, count)
    }

    /// Whether all that is looked at is as it was when something had changed so often, the object in a slot included, which is there.
    #[inline]
    pub(crate) fn all_unchanged_since(self, derived: &DerivedValues, slot: usize, count: u64) -> bool {
        derived.revisions().unchanged_since(count, self.apart) && self.object_unchanged_since(derived, slot, count)
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
                    self.statuses |= DepSet::of(Place::Status(*status));
                    DepSet::NONE
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
                    DepSet::NONE
                }
                Op::HasCommonWord { a, b, .. } if is_own(a) && is_own(b) => DepSet::NONE,
                Op::Builtin { builtin: number::CREATED | number::IS_ABILITY, args, .. } if args.iter().all(is_own) => {
                    DepSet::NONE
                }
                Op::Builtin { builtin: number::CAME_FROM, args, .. } if args.iter().all(is_own) => {
                    self.announced = true;
                    DepSet::NONE
                }
                Op::Builtin { builtin: number::DUE, args, .. } if args.get(1).is_some_and(is_own) => {
                    self.announced = true;
                    DepSet::NONE
                }
                Op::Call { function, args, .. }
                | Op::Filter { filter: function, captures: args, .. }
                | Op::Fold { value: function, captures: args, .. } => {
                    let given = (0..32).zip(args).filter(|(_, reg)| is_own(reg)).fold(0, |own, (param, _)| own | 1 << param);
                    self.add(program, *function, given, (depth, work))?;
                    DepSet::NONE
                }
                Op::IsAllowed { action, args, paying, .. } => {
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
                    DepSet::NONE
                }
                Op::CallUnconcealed { .. } => return None,
                op => DepSet::of_op(op),
            };
            (!apart.intersects(DepSet::UNKNOWN | DepSet::OBJECTS)).then_some(())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Reg, Type};
    use crate::testing;

    const STATUS: Place = Place::Status(0);

    /// What the last of some functions of this, you and an object looks at, apart from the object.
    fn looks(functions: &[Vec<Op>]) -> Option<ReadSet> {
        let mut game = testing::game();
        for ops in functions {
            let registers = vec![Type::Object, Type::Player, Type::Object, Type::Object, Type::Number];
            let result = Some(Type::Number);
            game.library.functions.push(Function { registers, params: 3, result, ops: ops.clone(), ..Function::default() });
        }
        let last = FnId(game.library.functions.len() as u32 - 1);
        ReadSet::of(&Program::link(&game, 0, &[]).expect("the format is there"), last, 1 << 2)
    }

    fn get(place: Place, of: Reg) -> Op {
        Op::Get { dst: 4, place, of }
    }

    #[test]
    fn what_is_read_of_the_object_itself_is_told_apart() {
        let of_it = looks(&[vec![get(STATUS, 2), get(Place::Player(0), 1)]]).expect("it looks at no other object");
        assert_eq!((of_it.statuses, of_it.apart), (DepSet::of(STATUS), DepSet::of(Place::Player(0))));
        assert_eq!(looks(&[vec![get(STATUS, 0)]]), None, "another object");
        assert_eq!(looks(&[vec![Op::AllInZone { dst: 3, zone: crate::ir::ZoneKindId(0) }]]), None, "what lies in a zone");
    }

    #[test]
    fn copies_of_the_object_are_the_object_but_not_in_the_place_of_a_parameter() {
        assert!(looks(&[vec![Op::Copy { dst: 3, src: 2 }, get(STATUS, 3)]]).is_some());
        // Where the jump leads, the first parameter is still another object.
        let jump = Op::JumpUnless { cond: 1, to: 2 };
        assert_eq!(looks(&[vec![jump, Op::Copy { dst: 0, src: 2 }, get(STATUS, 0)]]), None);
        assert_eq!(looks(&[vec![Op::Copy { dst: 2, src: 0 }, get(STATUS, 2)]]), None);
    }

    #[test]
    fn calls_are_looked_into_as_far_as_that_is_quick() {
        let first = testing::game().library.functions.len() as u32;
        let calls = |n: u32, times| vec![Op::Call { dst: 4, function: FnId(first + n), args: vec![0, 1, 2] }; times];
        let level = |times| [vec![get(STATUS, 2)], calls(0, times), calls(1, times), calls(2, times)];
        assert_eq!(looks(&level(3)).map(|looks| looks.statuses), Some(DepSet::of(STATUS)));
        // A hundred million operations.
        assert_eq!(looks(&level(460)), None);
    }
}
