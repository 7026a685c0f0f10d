//! Read sets: what a pure function reads, split into one subject object and everything else.
//!
//! `ReadSet::external` is a [`DepSet`]; the statuses of the subject are listed apart. A result stays valid until the subject
//! changes, one of those statuses changes, or an external dependency changes. The analysis visits at most 6 nested functions and
//! 2,000 operations. It returns `None` if it cannot bound what is read, or if the function reads objects other than the subject,
//! because some object changes almost all the time.

use super::call_cache::MAX_ANALYSED_OPERATIONS;
use crate::ir::op::{Op, Place};
use crate::ir::verbs::BuiltinFunction;
use crate::ir::{FnId, Function};
use crate::tables::{LinkedTables, RULES_BUNDLE};
use crate::vm::dependencies::DepSet;
use crate::vm::derived::values::DerivedValues;

/// Nested functions that the analysis visits, the analysed one included.
pub(super) const MAX_ANALYSED_DEPTH: u32 = 6;

/// The read set of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadSet {
    /// What is read apart from the subject.
    external: DepSet,
    /// The statuses of the subject that are read.
    statuses: DepSet,
    /// Whether the function reads what is announced for the subject.
    pub reads_announcement: bool,
    /// Whether the function makes legality queries. Then the read set is complete only while no continuous effect forbids
    /// anything.
    pub queries_legality: bool,
}

impl ReadSet {
    /// Returns the read set of a function whose subject is passed in the parameters of the mask `own` (bit `n` for parameter
    /// `n`). Returns `None` if it cannot be bounded, or if the function reads other objects.
    pub(crate) fn of(program: &LinkedTables, function: FnId, own: u32) -> Option<Self> {
        let mut all = Self::default();
        all.add(program, function, own, (MAX_ANALYSED_DEPTH, &mut 0))?;
        Some(all)
    }

    /// Returns the union of two read sets.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            external: self.external | other.external,
            statuses: self.statuses | other.statuses,
            reads_announcement: self.reads_announcement || other.reads_announcement,
            queries_legality: self.queries_legality || other.queries_legality,
        }
    }

    /// Returns what is read apart from the subject.
    pub(super) fn external(self) -> DepSet {
        self.external
    }

    /// Returns whether the subject, an existing object in `slot`, is unchanged since revision `count`.
    #[inline]
    pub(super) fn object_unchanged_since(self, derived: &DerivedValues, slot: usize, count: u64) -> bool {
        derived.is_unchanged_since(slot, self.statuses, count)
    }

    /// Returns whether everything that is read is unchanged since revision `count`, including the subject, an existing object in
    /// `slot`.
    #[inline]
    pub(crate) fn all_unchanged_since(self, derived: &DerivedValues, slot: usize, count: u64) -> bool {
        derived.revisions().unchanged_since(count, self.external) && self.object_unchanged_since(derived, slot, count)
    }

    /// Adds what a function reads. Returns `None` if that cannot be bounded, or if the analysis exceeds its limits.
    fn add(&mut self, program: &LinkedTables, id: FnId, params: u32, (depth, work): (u32, &mut u32)) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let function = program.function(id).filter(|function| function.params <= 32 && function.text_slots.is_empty())?;
        let own = subject_registers(function, params);
        let is_own = |reg: &u16| own.get(usize::from(*reg)) == Some(&true);
        *work += function.ops.len() as u32;
        (*work <= MAX_ANALYSED_OPERATIONS).then_some(())?;
        for op in &function.ops {
            let external = match op {
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
                Op::Builtin { builtin, args, .. } => match BuiltinFunction::from_number(*builtin) {
                    Some(BuiltinFunction::Created | BuiltinFunction::IsAbility) if args.iter().all(is_own) => DepSet::NONE,
                    Some(BuiltinFunction::AnnouncedFrom) if args.iter().all(is_own) => {
                        self.reads_announcement = true;
                        DepSet::NONE
                    }
                    Some(BuiltinFunction::Due) if args.get(1).is_some_and(is_own) => {
                        self.reads_announcement = true;
                        DepSet::NONE
                    }
                    _ => DepSet::of_builtin(*builtin),
                },
                Op::Call { function, args, .. }
                | Op::Filter { filter: function, captures: args, .. }
                | Op::Fold { value: function, captures: args, .. }
                | Op::Completing { value: function, captures: args, .. } => {
                    let given = (0..32).zip(args).filter(|(_, reg)| is_own(reg)).fold(0, |own, (param, _)| own | 1 << param);
                    self.add(program, *function, given, (depth, work))?;
                    DepSet::NONE
                }
                Op::IsAllowed { action, args, paying, .. } => {
                    self.queries_legality = true;
                    let is_unaliased = !program.format.action_aliases.iter().any(|treat| treat.action == *action);
                    for hook in &program.hooks.get(action.index()).filter(|_| is_unaliased && !paying)?.prohibitions {
                        // A prohibition by an object depends on that object.
                        (hook.bundle == RULES_BUNDLE).then_some(())?;
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
            (!external.intersects(DepSet::UNKNOWN | DepSet::OBJECTS)).then_some(())?;
            self.external |= external;
        }
        Some(())
    }
}

/// Returns, for each register of a function, whether it holds the subject of the parameters in `params` and never anything else.
fn subject_registers(function: &Function, params: u32) -> Vec<bool> {
    let mut written = vec![0u32; function.registers.len()];
    for reg in function.ops.iter().filter_map(Op::destination) {
        written.get_mut(usize::from(reg)).into_iter().for_each(|count| *count += 1);
    }
    let given = |reg: usize| reg < usize::from(function.params) && reg < 32 && params & (1 << reg) != 0;
    let mut own: Vec<bool> = written.iter().enumerate().map(|(reg, count)| given(reg) && *count == 0).collect();
    for op in &function.ops {
        if let Op::Copy { dst, src } = op {
            // A parameter that is written holds another value before the write.
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

    /// Links functions of the parameters `this`, `you` and an object, and returns the read set of the last one with the object as
    /// its subject.
    fn read_set_of_last(functions: &[Vec<Op>]) -> Option<ReadSet> {
        let mut game = testing::game();
        for ops in functions {
            let registers = vec![Type::Object, Type::Player, Type::Object, Type::Object, Type::Number];
            let result = Some(Type::Number);
            game.library_mut().functions.push(Function { registers, params: 3, result, ops: ops.clone(), ..Function::default() });
        }
        let last = FnId(game.library.functions.len() as u32 - 1);
        ReadSet::of(&crate::program::Program::link(&game, 0, &[]).expect("format 0 of the test game links"), last, 1 << 2)
    }

    fn get(place: Place, of: Reg) -> Op {
        Op::Get { dst: 4, place, of }
    }

    #[test]
    fn reads_of_the_subject_are_kept_apart() {
        let of_it =
            read_set_of_last(&[vec![get(STATUS, 2), get(Place::Player(0), 1)]]).expect("the function reads no other object");
        assert_eq!((of_it.statuses, of_it.external), (DepSet::of(STATUS), DepSet::of(Place::Player(0))));
        assert_eq!(read_set_of_last(&[vec![get(STATUS, 0)]]), None, "another object");
        assert_eq!(
            read_set_of_last(&[vec![Op::AllInZone { dst: 3, zone: crate::ir::ZoneKindId(0) }]]),
            None,
            "the contents of a zone"
        );
    }

    #[test]
    fn copies_of_the_subject_count_as_the_subject_except_in_parameters() {
        assert!(read_set_of_last(&[vec![Op::Copy { dst: 3, src: 2 }, get(STATUS, 3)]]).is_some());
        // If the jump is taken, the first parameter still holds another object.
        let jump = Op::JumpUnless { cond: 1, to: 2 };
        assert_eq!(read_set_of_last(&[vec![jump, Op::Copy { dst: 0, src: 2 }, get(STATUS, 0)]]), None);
        assert_eq!(read_set_of_last(&[vec![Op::Copy { dst: 2, src: 0 }, get(STATUS, 2)]]), None);
    }

    #[test]
    fn the_analysis_follows_calls_up_to_its_limits() {
        let first = testing::game().library.functions.len() as u32;
        let calls = |n: u32, times| vec![Op::Call { dst: 4, function: FnId(first + n), args: vec![0, 1, 2] }; times];
        let level = |times| [vec![get(STATUS, 2)], calls(0, times), calls(1, times), calls(2, times)];
        assert_eq!(read_set_of_last(&level(3)).map(|reads| reads.statuses), Some(DepSet::of(STATUS)));
        // About a hundred million operations.
        assert_eq!(read_set_of_last(&level(460)), None);
    }
}
