//! Folding a function: values that are known wherever it is run take the place of what computes them, and what can no more be reached is
//! gone. Operations keep their numbers.

use super::Occurrences;
use crate::ir::op::Binary;
use crate::ir::{FnId, Format, Function, Library, Op, Reg, Type, ZoneKindId};
use crate::vm::builtin::number;
use crate::vm::eval::binary;

/// Functions with more registers for all of their operations together stay as they are.
const MOST_HELD: usize = 1 << 18;

/// So often an operation may be come by, on the average.
const MOST_VISITS: usize = 16;

/// Calls within calls that are looked into for what they give of an object of which it is known where it lies.
const DEPTH: u32 = 4;

/// What is known beforehand.
pub(super) struct FoldContext<'a> {
    pub library: &'a Library,
    pub format: &'a Format,
    pub occurring: &'a Occurrences,
    /// What functions give that always give the same.
    pub results: &'a [Option<i64>],
}

/// What a register holds whenever an operation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AbstractValue {
    Number(i64),
    /// An object that lies in a zone kind.
    In(ZoneKindId),
    /// A list without elements.
    Empty,
    Anything,
}

/// A function that was folded.
pub(super) struct Folded {
    /// What became of it; nothing where it stays as it is.
    pub function: Option<Function>,
    /// What it gives, if that is always the same.
    pub result: Option<i64>,
    /// Whether it could do anything but evaluate.
    pub acts: bool,
}

impl FoldContext<'_> {
    fn result(&self, id: FnId) -> Option<i64> {
        self.results.get(id.index()).copied().flatten()
    }

    /// Whether the answer to an operation is known whatever its registers hold.
    pub(super) fn answers(&self, op: &Op) -> bool {
        match op {
            Op::Filter { filter, .. } => self.result(*filter) == Some(0),
            op => self.number(op).is_some(),
        }
    }

    /// The value that an operation gives whatever its registers hold.
    fn number(&self, op: &Op) -> Option<i64> {
        let absent = match op {
            Op::HasWord { traits, word, .. } => !self.occurring.has_word(*traits, *word),
            Op::HasKeyword { keyword, .. } | Op::KeywordValue { keyword, .. } => !self.occurring.keywords.contains(keyword),
            Op::IsCard { card, .. } => !self.occurring.cards.contains(&card.0),
            Op::Get { place, .. } => return self.occurring.value(self.library, *place, false),
            Op::GetKey { place, .. } | Op::NextKey { place, .. } => return self.occurring.value(self.library, *place, true),
            Op::Call { function, .. } => return self.result(*function),
            Op::Builtin { builtin, .. } => *builtin == number::CREATED && !self.occurring.made,
            _ => false,
        };
        absent.then_some(0)
    }

    /// What an operation without statements leaves in its register.
    fn held(&self, op: &Op, held: &[AbstractValue], depth: u32) -> AbstractValue {
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Anything);
        if let Some(number) = self.number(op) {
            return AbstractValue::Number(number);
        }
        match op {
            Op::Const { value, .. } => AbstractValue::Number(*value),
            Op::Constant { constant, .. } => {
                let constant = self.format.constants.get(*constant as usize);
                constant.map_or(AbstractValue::Anything, |(_, value)| AbstractValue::Number(i64::from(*value)))
            }
            Op::Copy { src, .. } => of(*src),
            Op::Not { a, .. } => match of(*a) {
                AbstractValue::Number(a) => AbstractValue::Number(i64::from(a == 0)),
                _ => AbstractValue::Anything,
            },
            Op::Binary { op, a, b, .. } => match (of(*a), of(*b)) {
                (AbstractValue::Number(a), AbstractValue::Number(b)) => AbstractValue::Number(binary(*op, a, b)),
                (AbstractValue::Number(0), _) | (_, AbstractValue::Number(0)) if matches!(op, Binary::Multiply | Binary::And) => {
                    AbstractValue::Number(0)
                }
                _ => AbstractValue::Anything,
            },
            // No object is nowhere.
            Op::InZone { of: it, .. } | Op::Exists { of: it, .. } if of(*it) == AbstractValue::Number(0) => {
                AbstractValue::Number(0)
            }
            Op::InZone { of: it, zone, .. } => match of(*it) {
                AbstractValue::In(lies) => AbstractValue::Number(i64::from(lies == *zone)),
                _ => AbstractValue::Anything,
            },
            Op::Call { function, args, .. } if depth > 0 && args.iter().any(|arg| matches!(of(*arg), AbstractValue::In(_))) => {
                let function = self.library.functions.get(function.index());
                let given = function.map(|function| given(function, self, args.iter().map(|arg| of(*arg)), depth - 1));
                if let Some(ReturnValue::One(number)) = given { AbstractValue::Number(number) } else { AbstractValue::Anything }
            }
            Op::Filter { filter, .. } if self.result(*filter) == Some(0) => AbstractValue::Empty,
            Op::Filter { list, .. } | Op::Except { a: list, .. } | Op::TakeEnds { list, .. }
                if of(*list) == AbstractValue::Empty =>
            {
                AbstractValue::Empty
            }
            Op::Union { a, b, .. } if (of(*a), of(*b)) == (AbstractValue::Empty, AbstractValue::Empty) => AbstractValue::Empty,
            Op::MakeList { items, .. } if items.is_empty() => AbstractValue::Empty,
            Op::Count { list, .. } | Op::Fold { list, .. } | Op::Contains { list, .. } if of(*list) == AbstractValue::Empty => {
                AbstractValue::Number(0)
            }
            _ => AbstractValue::Anything,
        }
    }
}

/// Whether a condition never holds where a parameter has a value.
pub(super) fn never_holds(function: &Function, known: &FoldContext<'_>, parameter: Reg, value: i64) -> bool {
    let args = (0..parameter).map(|_| AbstractValue::Anything).chain([AbstractValue::Number(value)]);
    matches!(given(function, known, args, 0), ReturnValue::One(0))
}

/// Whether a condition on an object, its first parameter, never holds where that lies in a zone kind.
pub(super) fn never_holds_in(function: &Function, known: &FoldContext<'_>, zone: ZoneKindId) -> bool {
    matches!(given(function, known, std::iter::once(AbstractValue::In(zone)), DEPTH), ReturnValue::One(0))
}

/// What a function gives for arguments, as far as they are given.
fn given(function: &Function, known: &FoldContext<'_>, args: impl Iterator<Item = AbstractValue>, depth: u32) -> ReturnValue {
    let mut first = vec![AbstractValue::Anything; function.registers.len()];
    first.iter_mut().zip(args).for_each(|(place, arg)| *place = arg);
    let mut results = ReturnValue::None;
    let Some(reached) = reached(function, known, first, depth) else { return ReturnValue::Several };
    for (pc, held) in reached.iter().enumerate() {
        let Some(held) = held else { continue };
        match function.ops.get(pc) {
            Some(Op::Return { value: Some(reg) }) => {
                results.meet(held.get(usize::from(*reg)).copied().unwrap_or(AbstractValue::Anything));
            }
            Some(Op::Return { value: None }) | None => results.meet(AbstractValue::Number(0)),
            Some(_) => {}
        }
    }
    results
}

/// Folds a function.
pub(super) fn fold(function: &Function, known: &FoldContext<'_>) -> Folded {
    let whole = Folded { function: None, result: None, acts: true };
    let Some(reached) = reached(function, known, vec![AbstractValue::Anything; function.registers.len()], 0) else {
        return whole;
    };
    let mut folded = function.clone();
    let (mut results, mut acts, mut changed) = (ReturnValue::None, false, false);
    for (pc, (op, held)) in folded.ops.iter_mut().zip(&reached).enumerate() {
        let Some(held) = held else {
            changed |= leave_out(op, pc);
            continue;
        };
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Anything);
        match op {
            Op::JumpUnless { cond, to } => {
                if let AbstractValue::Number(number) = of(*cond) {
                    *op = Op::Jump { to: if number == 0 { *to } else { pc as u32 + 1 } };
                    changed = true;
                }
            }
            Op::Return { value } => results.meet(value.map_or(AbstractValue::Number(0), of)),
            Op::Jump { .. } | Op::Const { .. } | Op::BeginBatch | Op::EndBatch { .. } => {}
            Op::Propose { events, .. } => {
                let none = |event: &crate::ir::op::EventProposal| {
                    let over = event.over.and_then(|over| event.args.get(usize::from(over)));
                    over.is_some_and(|over| of(*over) == AbstractValue::Empty)
                };
                acts |= !events.iter().all(none);
            }
            op => match op.written() {
                None => acts = true,
                Some(dst) => match known.held(op, held, 0) {
                    AbstractValue::Number(value) => {
                        *op = Op::Const { dst, value };
                        changed = true;
                    }
                    AbstractValue::Empty if !matches!(op, Op::MakeList { .. }) => {
                        *op = Op::MakeList { dst, items: Vec::new() };
                        changed = true;
                    }
                    AbstractValue::Empty | AbstractValue::In(_) | AbstractValue::Anything => {
                        if let Some(src) = passed_on(op, of) {
                            *op = Op::Copy { dst, src };
                            changed = true;
                        }
                    }
                },
            },
        }
    }
    if reached.get(function.ops.len()).is_some_and(Option::is_some) {
        results.meet(AbstractValue::Number(0));
    }
    let gives = function.result.as_ref().is_some_and(|ty| !ty.is_list());
    let result = if let ReturnValue::One(number) = results { Some(number).filter(|_| gives) } else { None };
    Folded { function: changed.then_some(folded), result, acts }
}

/// The register that an operation does nothing to but pass its value on.
fn passed_on(op: &Op, of: impl Fn(Reg) -> AbstractValue) -> Option<Reg> {
    let Op::Builtin { builtin: number::REDUCED | number::AT_LEAST, args, .. } = op else { return None };
    let &[price, by] = args.as_slice() else { return None };
    (of(by) == AbstractValue::Number(0)).then_some(price)
}

/// Puts what does nothing in the place of what is not reached.
fn leave_out(op: &mut Op, pc: usize) -> bool {
    let nothing = Op::Jump { to: pc as u32 + 1 };
    let changes = *op != nothing;
    *op = nothing;
    changes
}

/// What a function gives on the ways to its ends.
enum ReturnValue {
    None,
    One(i64),
    Several,
}

impl ReturnValue {
    fn meet(&mut self, held: AbstractValue) {
        *self = match (&self, held) {
            (Self::None, AbstractValue::Number(number)) => Self::One(number),
            (Self::One(known), AbstractValue::Number(number)) if *known == number => Self::One(number),
            _ => Self::Several,
        };
    }
}

/// For each operation, and the end, what the registers hold whenever it is reached; nothing where it never is. None at all of a function
/// that is too large, or goes round too often.
fn reached(
    function: &Function,
    known: &FoldContext<'_>,
    first: Vec<AbstractValue>,
    depth: u32,
) -> Option<Vec<Option<Vec<AbstractValue>>>> {
    (function.ops.len().saturating_mul(function.registers.len()) <= MOST_HELD).then_some(())?;
    let mut visits = (function.ops.len() + 1) * MOST_VISITS;
    let mut states: Vec<Option<Vec<AbstractValue>>> = vec![None; function.ops.len() + 1];
    if let Some(state) = states.first_mut() {
        *state = Some(first);
    }
    let mut open = vec![0];
    while let Some(pc) = open.pop() {
        visits = visits.checked_sub(1)?;
        let (Some(op), Some(Some(held))) = (function.ops.get(pc), states.get(pc)) else { continue };
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Anything);
        let next = match op {
            Op::Jump { to } => [Some(*to as usize), None],
            Op::JumpUnless { cond, to } => match of(*cond) {
                AbstractValue::Number(0) => [Some(*to as usize), None],
                AbstractValue::Number(_) => [Some(pc + 1), None],
                _ => [Some(pc + 1), Some(*to as usize)],
            },
            Op::Return { .. } => [None; 2],
            // What is taken back is declared again.
            Op::Declare(it) => [Some(pc + 1), Some(it.again as usize)],
            Op::PayForDeclaration { .. } => [Some(pc + 1), function.declaration_start(pc).map(|again| again as usize)],
            _ => [Some(pc + 1), None],
        };
        let mut after = held.clone();
        match op.written() {
            Some(dst) => {
                let value = known.held(op, held, depth);
                if let Some(place) = after.get_mut(usize::from(dst)) {
                    *place = value;
                }
            }
            None => {
                // A body that waits keeps words.
                let cut =
                    |held: &&mut AbstractValue| matches!(held, AbstractValue::Number(number) if i32::try_from(*number).is_err());
                after.iter_mut().filter(cut).for_each(|held| *held = AbstractValue::Anything);
                op.for_each_set(|reg| {
                    if let Some(place) = after.get_mut(usize::from(reg)) {
                        *place = AbstractValue::Anything;
                    }
                });
            }
        }
        let condition = if let Op::JumpUnless { cond, .. } = op { Some(usize::from(*cond)) } else { None };
        for (way, to) in next.into_iter().enumerate() {
            let Some(to) = to else { continue };
            // Where a condition led is known of it, too.
            if let Some(place) = condition.and_then(|reg| after.get_mut(reg)) {
                let fails = way == 1 || *place == AbstractValue::Number(0);
                let is_bool = condition.and_then(|reg| function.registers.get(reg)) == Some(&Type::Bool);
                if fails || is_bool {
                    *place = AbstractValue::Number(i64::from(!fails));
                }
            }
            if states.get_mut(to).is_some_and(|state| join(state, &after)) {
                open.push(to);
            }
        }
    }
    Some(states)
}

/// Lets a way with these registers arrive: whether less is known than before.
fn join(state: &mut Option<Vec<AbstractValue>>, held: &[AbstractValue]) -> bool {
    let Some(known) = state else {
        *state = Some(held.to_vec());
        return true;
    };
    let mut less = false;
    for (known, held) in known.iter_mut().zip(held) {
        if *known != AbstractValue::Anything && known != held {
            *known = AbstractValue::Anything;
            less = true;
        }
    }
    less
}
