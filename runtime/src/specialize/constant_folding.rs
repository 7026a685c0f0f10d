//! Constant folding over a function, by abstract interpretation of its registers.
//!
//! The domain is: a number, an object in a known zone kind, the empty list, or unknown. Known results replace their operations,
//! and unreachable code becomes a no-op. Operations keep their numbers, since frames in saved games refer to them.

use super::Occurrences;
use crate::ir::op::Binary;
use crate::ir::verbs::BuiltinFunction;
use crate::ir::{FnId, Format, Function, Library, Op, Reg, Type, ZoneKindId};

use crate::ir::arithmetic::binary;

/// The maximum size of the analysis of a function: operations times registers. Larger functions are not folded.
const MAX_ABSTRACT_VALUES: usize = 1 << 18;

/// The maximum number of visits per operation, on average; beyond that the function is not folded.
const MAX_MEAN_VISITS: usize = 16;

/// The maximum depth of calls that are evaluated for an object in a known zone kind.
const MAX_CALL_DEPTH: u32 = 4;

/// The inputs of the pass.
pub(super) struct FoldContext<'a> {
    pub library: &'a Library,
    pub format: &'a Format,
    pub occurrences: &'a Occurrences,
    /// By number: the results of functions that always return the same value.
    pub results: &'a [Option<i64>],
}

/// The abstract value of a register before an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AbstractValue {
    Number(i64),
    /// An object in a zone kind.
    In(ZoneKindId),
    /// An empty list.
    EmptyList,
    Unknown,
}

/// The result of folding a function.
pub(super) struct FoldedFunction {
    /// The folded function; `None` if nothing changed.
    pub function: Option<Function>,
    /// The return value, if it is always the same.
    pub result: Option<i64>,
    /// Whether it may execute a statement that has an effect.
    pub has_effects: bool,
}

impl FoldContext<'_> {
    fn result(&self, id: FnId) -> Option<i64> {
        self.results.get(id.index()).copied().flatten()
    }

    /// Whether the result of an operation is known regardless of its registers.
    pub(super) fn can_fold(&self, op: &Op) -> bool {
        match op {
            Op::Filter { filter, .. } => self.result(*filter) == Some(0),
            op => self.constant_value(op).is_some(),
        }
    }

    /// The result of an operation, if it is known regardless of its registers.
    fn constant_value(&self, op: &Op) -> Option<i64> {
        let absent = match op {
            Op::HasWord { traits, word, .. } => !self.occurrences.has_word(*traits, *word),
            Op::HasKeyword { keyword, .. } | Op::KeywordValue { keyword, .. } => !self.occurrences.keywords.contains(keyword),
            Op::IsCard { card, .. } => !self.occurrences.cards.contains(&card.0),
            Op::Get { place, .. } => return self.occurrences.constant_value(self.library, *place, false),
            Op::GetKey { place, .. } | Op::NextKey { place, .. } => {
                return self.occurrences.constant_value(self.library, *place, true);
            }
            Op::Call { function, .. } => return self.result(*function),
            Op::Builtin { builtin, .. } => *builtin == BuiltinFunction::Created.number() && !self.occurrences.objects_are_created,
            _ => false,
        };
        absent.then_some(0)
    }

    /// The abstract result of a pure operation.
    fn evaluate(&self, op: &Op, held: &[AbstractValue], depth: u32) -> AbstractValue {
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Unknown);
        if let Some(number) = self.constant_value(op) {
            return AbstractValue::Number(number);
        }
        match op {
            Op::Const { value, .. } => AbstractValue::Number(*value),
            Op::Constant { constant, .. } => {
                let constant = self.format.constants.get(*constant as usize);
                constant.map_or(AbstractValue::Unknown, |(_, value)| AbstractValue::Number(i64::from(*value)))
            }
            Op::Copy { src, .. } => of(*src),
            Op::Not { a, .. } => match of(*a) {
                AbstractValue::Number(a) => AbstractValue::Number(i64::from(a == 0)),
                _ => AbstractValue::Unknown,
            },
            Op::Binary { op, a, b, .. } => match (of(*a), of(*b)) {
                (AbstractValue::Number(a), AbstractValue::Number(b)) => AbstractValue::Number(binary(*op, a, b)),
                (AbstractValue::Number(0), _) | (_, AbstractValue::Number(0)) if matches!(op, Binary::Multiply | Binary::And) => {
                    AbstractValue::Number(0)
                }
                _ => AbstractValue::Unknown,
            },
            // The null reference is in no zone.
            Op::InZone { of: it, .. } | Op::Exists { of: it, .. } if of(*it) == AbstractValue::Number(0) => {
                AbstractValue::Number(0)
            }
            Op::InZone { of: it, zone, .. } => match of(*it) {
                AbstractValue::In(actual) => AbstractValue::Number(i64::from(actual == *zone)),
                _ => AbstractValue::Unknown,
            },
            Op::Call { function, args, .. } if depth > 0 && args.iter().any(|arg| matches!(of(*arg), AbstractValue::In(_))) => {
                let function = self.library.functions.get(function.index());
                let given =
                    function.map(|function| evaluate_function(function, self, args.iter().map(|arg| of(*arg)), depth - 1));
                if let Some(ReturnValue::One(number)) = given { AbstractValue::Number(number) } else { AbstractValue::Unknown }
            }
            Op::Filter { filter, .. } if self.result(*filter) == Some(0) => AbstractValue::EmptyList,
            Op::Filter { list, .. } | Op::Except { a: list, .. } | Op::TakeEnds { list, .. }
                if of(*list) == AbstractValue::EmptyList =>
            {
                AbstractValue::EmptyList
            }
            Op::Union { a, b, .. } if (of(*a), of(*b)) == (AbstractValue::EmptyList, AbstractValue::EmptyList) => {
                AbstractValue::EmptyList
            }
            Op::MakeList { items, .. } if items.is_empty() => AbstractValue::EmptyList,
            Op::Count { list, .. } | Op::Fold { list, .. } | Op::Contains { list, .. }
                if of(*list) == AbstractValue::EmptyList =>
            {
                AbstractValue::Number(0)
            }
            _ => AbstractValue::Unknown,
        }
    }
}

/// Whether a condition is always false if a parameter has a value.
pub(super) fn never_holds(function: &Function, context: &FoldContext<'_>, parameter: Reg, value: i64) -> bool {
    let args = (0..parameter).map(|_| AbstractValue::Unknown).chain([AbstractValue::Number(value)]);
    matches!(evaluate_function(function, context, args, 0), ReturnValue::One(0))
}

/// Whether a condition on an object, its first parameter, is always false if the object is in a zone kind.
pub(super) fn never_holds_in(function: &Function, context: &FoldContext<'_>, zone: ZoneKindId) -> bool {
    matches!(evaluate_function(function, context, std::iter::once(AbstractValue::In(zone)), MAX_CALL_DEPTH), ReturnValue::One(0))
}

/// Evaluates a function for abstract arguments; missing arguments are unknown.
fn evaluate_function(
    function: &Function,
    context: &FoldContext<'_>,
    args: impl Iterator<Item = AbstractValue>,
    depth: u32,
) -> ReturnValue {
    let mut first = vec![AbstractValue::Unknown; function.registers.len()];
    first.iter_mut().zip(args).for_each(|(place, arg)| *place = arg);
    let mut results = ReturnValue::None;
    let Some(states) = register_states(function, context, first, depth) else { return ReturnValue::Several };
    for (pc, held) in states.iter().enumerate() {
        let Some(held) = held else { continue };
        match function.ops.get(pc) {
            Some(Op::Return { value: Some(reg) }) => {
                results.join(held.get(usize::from(*reg)).copied().unwrap_or(AbstractValue::Unknown));
            }
            Some(Op::Return { value: None }) | None => results.join(AbstractValue::Number(0)),
            Some(_) => {}
        }
    }
    results
}

/// Folds a function.
pub(super) fn fold(function: &Function, context: &FoldContext<'_>) -> FoldedFunction {
    let whole = FoldedFunction { function: None, result: None, has_effects: true };
    let Some(reached) = register_states(function, context, vec![AbstractValue::Unknown; function.registers.len()], 0) else {
        return whole;
    };
    let mut folded = function.clone();
    let (mut results, mut acts, mut changed) = (ReturnValue::None, false, false);
    for (pc, (op, held)) in folded.ops.iter_mut().zip(&reached).enumerate() {
        let Some(held) = held else {
            changed |= replace_with_no_op(op, pc);
            continue;
        };
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Unknown);
        match op {
            Op::JumpUnless { cond, to } => {
                if let AbstractValue::Number(number) = of(*cond) {
                    *op = Op::Jump { to: if number == 0 { *to } else { pc as u32 + 1 } };
                    changed = true;
                }
            }
            Op::Return { value } => results.join(value.map_or(AbstractValue::Number(0), of)),
            Op::Jump { .. } | Op::Const { .. } | Op::BeginBatch | Op::EndBatch { .. } => {}
            Op::Propose { events, .. } => {
                let none = |event: &crate::ir::op::EventProposal| {
                    let over = event.over.and_then(|over| event.args.get(usize::from(over)));
                    over.is_some_and(|over| of(*over) == AbstractValue::EmptyList)
                };
                acts |= !events.iter().all(none);
            }
            op => match op.destination() {
                None => acts = true,
                Some(dst) => match context.evaluate(op, held, 0) {
                    AbstractValue::Number(value) => {
                        *op = Op::Const { dst, value };
                        changed = true;
                    }
                    AbstractValue::EmptyList if !matches!(op, Op::MakeList { .. }) => {
                        *op = Op::MakeList { dst, items: Vec::new() };
                        changed = true;
                    }
                    AbstractValue::EmptyList | AbstractValue::In(_) | AbstractValue::Unknown => {
                        if let Some(src) = passed_through_register(op, of) {
                            *op = Op::Copy { dst, src };
                            changed = true;
                        }
                    }
                },
            },
        }
    }
    if reached.get(function.ops.len()).is_some_and(Option::is_some) {
        results.join(AbstractValue::Number(0));
    }
    let gives = function.result.as_ref().is_some_and(|ty| !ty.is_list());
    let result = if let ReturnValue::One(number) = results { Some(number).filter(|_| gives) } else { None };
    FoldedFunction { function: changed.then_some(folded), result, has_effects: acts }
}

/// The register whose value an operation returns unchanged.
fn passed_through_register(op: &Op, of: impl Fn(Reg) -> AbstractValue) -> Option<Reg> {
    let Op::Builtin { builtin, args, .. } = op else { return None };
    let Some(BuiltinFunction::Reduced | BuiltinFunction::AtLeast) = BuiltinFunction::from_number(*builtin) else { return None };
    let &[price, by] = args.as_slice() else { return None };
    (of(by) == AbstractValue::Number(0)).then_some(price)
}

/// Replaces an unreachable operation with a no-op. Returns whether that is a change.
fn replace_with_no_op(op: &mut Op, pc: usize) -> bool {
    let nothing = Op::Jump { to: pc as u32 + 1 };
    let changes = *op != nothing;
    *op = nothing;
    changes
}

/// The abstract return value: the join over all reachable returns.
enum ReturnValue {
    None,
    One(i64),
    Several,
}

impl ReturnValue {
    fn join(&mut self, held: AbstractValue) {
        *self = match (&self, held) {
            (Self::None, AbstractValue::Number(number)) => Self::One(number),
            (Self::One(known), AbstractValue::Number(number)) if *known == number => Self::One(number),
            _ => Self::Several,
        };
    }
}

/// The abstract registers before each operation, and at the end; `None` for unreachable ones. Returns `None` for a function that
/// is too large or takes too many visits.
fn register_states(
    function: &Function,
    context: &FoldContext<'_>,
    first: Vec<AbstractValue>,
    depth: u32,
) -> Option<Vec<Option<Vec<AbstractValue>>>> {
    (function.ops.len().saturating_mul(function.registers.len()) <= MAX_ABSTRACT_VALUES).then_some(())?;
    let mut visits = (function.ops.len() + 1) * MAX_MEAN_VISITS;
    let mut states: Vec<Option<Vec<AbstractValue>>> = vec![None; function.ops.len() + 1];
    if let Some(state) = states.first_mut() {
        *state = Some(first);
    }
    let mut open = vec![0];
    while let Some(pc) = open.pop() {
        visits = visits.checked_sub(1)?;
        let (Some(op), Some(Some(held))) = (function.ops.get(pc), states.get(pc)) else { continue };
        let of = |reg: Reg| held.get(usize::from(reg)).copied().unwrap_or(AbstractValue::Unknown);
        let next = match op {
            Op::Jump { to } => [Some(*to as usize), None],
            Op::JumpUnless { cond, to } => match of(*cond) {
                AbstractValue::Number(0) => [Some(*to as usize), None],
                AbstractValue::Number(_) => [Some(pc + 1), None],
                _ => [Some(pc + 1), Some(*to as usize)],
            },
            Op::Return { .. } => [None; 2],
            // After a rollback, the declaration is repeated.
            Op::Declare(it) => [Some(pc + 1), Some(it.restart_at as usize)],
            Op::PayForDeclaration { .. } => [Some(pc + 1), function.declaration_start(pc).map(|again| again as usize)],
            _ => [Some(pc + 1), None],
        };
        let mut after = held.clone();
        match op.destination() {
            Some(dst) => {
                let value = context.evaluate(op, held, depth);
                if let Some(place) = after.get_mut(usize::from(dst)) {
                    *place = value;
                }
            }
            None => {
                // A suspended body stores 32-bit words, so larger numbers may change.
                let cut =
                    |held: &&mut AbstractValue| matches!(held, AbstractValue::Number(number) if i32::try_from(*number).is_err());
                after.iter_mut().filter(cut).for_each(|held| *held = AbstractValue::Unknown);
                op.for_each_set(|reg| {
                    if let Some(place) = after.get_mut(usize::from(reg)) {
                        *place = AbstractValue::Unknown;
                    }
                });
            }
        }
        let condition = if let Op::JumpUnless { cond, .. } = op { Some(usize::from(*cond)) } else { None };
        for (way, to) in next.into_iter().enumerate() {
            let Some(to) = to else { continue };
            // The branch taken determines the value of the condition.
            if let Some(place) = condition.and_then(|reg| after.get_mut(reg)) {
                let fails = way == 1 || *place == AbstractValue::Number(0);
                let is_bool = condition.and_then(|reg| function.registers.get(reg)) == Some(&Type::Bool);
                if fails || is_bool {
                    *place = AbstractValue::Number(i64::from(!fails));
                }
            }
            if states.get_mut(to).is_some_and(|state| join_states(state, &after)) {
                open.push(to);
            }
        }
    }
    Some(states)
}

/// Joins the registers of a path into a state. Returns whether the state became less precise, or was new.
fn join_states(state: &mut Option<Vec<AbstractValue>>, held: &[AbstractValue]) -> bool {
    let Some(known) = state else {
        *state = Some(held.to_vec());
        return true;
    };
    let mut less = false;
    for (known, held) in known.iter_mut().zip(held) {
        if *known != AbstractValue::Unknown && known != held {
            *known = AbstractValue::Unknown;
            less = true;
        }
    }
    less
}
