//! Idle checks of state rules: a pure function that says whether the body of a rule would do anything.
//!
//! Most state rules find nothing to do at most times. The machine calls the check first: pure functions are translated, their
//! results are cached, and no frame is pushed. The check is the body up to its first statements. There it returns true; a
//! statement that does nothing for an empty list, such as `destroy each creature with power <= 0`, is passed if the list is empty.

use fizzle_ir::operands::OpClass;
use fizzle_ir::{Function, Op, Reg, Type};

/// Returns the idle check of a body: whether it would execute a statement that does something. Returns `None` if that always
/// or never is the case, if the body loops before its first statement, or if its text can be changed.
pub fn would_act(body: &Function) -> Option<Function> {
    if !body.text_slots.is_empty() {
        return None;
    }
    let count = body.registers.len();
    let (acts, items) = (Reg::try_from(count).ok()?, Reg::try_from(count + 1).ok()?);
    let registers = body.registers.iter().copied().chain([Type::Bool, Type::Number]).collect();
    let mut check = IdleCheck {
        acts,
        items,
        ops: Vec::new(),
        sources: Vec::new(),
        places: vec![None; body.ops.len() + 1],
        jumps: Vec::new(),
    };
    let mut reached = vec![false; body.ops.len() + 1];
    *reached.first_mut()? = true;
    for (at, op) in body.ops.iter().enumerate() {
        if reached.get(at) != Some(&true) {
            continue;
        }
        *check.places.get_mut(at)? = Some(check.ops.len() as u32);
        let first = check.ops.len();
        let continues = check.add(body, op)?;
        if let Op::Jump { to } | Op::JumpUnless { to, .. } = op {
            // Pure code goes forward only.
            (*to as usize > at).then_some(())?;
            *reached.get_mut(*to as usize)? = true;
        }
        *reached.last_mut()? |= op.class() == OpClass::Return;
        *reached.get_mut(at + 1)? |= continues;
        let source = body.sources.get(at).copied().unwrap_or_default();
        check.sources.extend((first..check.ops.len()).map(|_| source));
    }
    let may_be_idle = reached.last() == Some(&true);
    let may_act = check.ops.iter().any(|op| matches!(op, Op::Const { dst, .. } if *dst == acts));
    (may_be_idle && may_act).then_some(())?;
    check.finish()?;
    let name = format!("{}, whether it acts", body.name);
    let IdleCheck { ops, sources, .. } = check;
    Some(Function { name, registers, params: body.params, result: Some(Type::Bool), ops, sources, ..Function::default() })
}

/// An idle check that is being built.
struct IdleCheck {
    /// The register of its result.
    acts: Reg,
    /// The register of the length of a list.
    items: Reg,
    ops: Vec<Op>,
    sources: Vec<fizzle_ir::op::Source>,
    /// For each operation of the body, and its end: the number of the first operation here.
    places: Vec<Option<u32>>,
    /// The operations here whose targets are still numbers of the body.
    jumps: Vec<usize>,
}

impl IdleCheck {
    /// Adds what an operation of the body becomes. Returns whether the next operation of the body can follow it.
    fn add(&mut self, body: &Function, op: &Op) -> Option<bool> {
        match (op.class(), op) {
            (OpClass::Pure | OpClass::PureOfSource, _) => self.ops.push(op.clone()),
            (OpClass::Jump | OpClass::Branch, _) => {
                self.jumps.push(self.ops.len());
                self.ops.push(op.clone());
                return Some(op.class() == OpClass::Branch);
            }
            (OpClass::Return, _) => {
                self.jumps.push(self.ops.len());
                self.ops.push(Op::Jump { to: body.ops.len() as u32 });
                return Some(false);
            }
            (OpClass::Statement, Op::Propose { events, done, out }) if events.iter().all(|event| event.over.is_some()) => {
                for event in events {
                    let list = *event.args.get(usize::from(event.over?))?;
                    self.ops.push(Op::Count { dst: self.items, list });
                    let behind = self.ops.len() as u32 + 3;
                    self.ops.push(Op::JumpUnless { cond: self.items, to: behind });
                    self.return_constant(true);
                }
                if let Some(done) = *done {
                    self.ops.push(Op::Const { dst: done, value: 0 });
                }
                if let Some(out) = *out {
                    let is_list = body.registers.get(usize::from(out))?.is_list();
                    let nothing =
                        if is_list { Op::MakeList { dst: out, items: Vec::new() } } else { Op::Const { dst: out, value: 0 } };
                    self.ops.push(nothing);
                }
            }
            (OpClass::Statement, _) => {
                self.return_constant(true);
                return Some(false);
            }
        }
        Some(true)
    }

    fn return_constant(&mut self, value: bool) {
        self.ops.push(Op::Const { dst: self.acts, value: i64::from(value) });
        self.ops.push(Op::Return { value: Some(self.acts) });
    }

    /// Adds the end, where nothing was done, and gives the jumps their targets.
    fn finish(&mut self) -> Option<()> {
        *self.places.last_mut()? = Some(self.ops.len() as u32);
        self.return_constant(false);
        for jump in &self.jumps {
            if let Op::Jump { to } | Op::JumpUnless { to, .. } = self.ops.get_mut(*jump)? {
                *to = (*self.places.get(*to as usize)?)?;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::would_act;
    use fizzle_ir::op::{ChosenBy, EventProposal, WriteMode};
    use fizzle_ir::{ActionId, Function, Op, Place, Type};

    const CONDITION: u16 = 2;
    const LIST: u16 = 3;

    fn body(ops: Vec<Op>) -> Function {
        let registers = vec![Type::Object, Type::Player, Type::Bool, Type::Objects];
        Function { name: "state rule a".into(), registers, params: 2, ops, ..Function::default() }
    }

    fn write() -> Op {
        Op::Write { place: Place::Global(0), of: 0, how: WriteMode::Set, value: CONDITION }
    }

    fn propose_each() -> Op {
        let event = EventProposal { action: ActionId(0), args: vec![LIST], over: Some(0), chosen: ChosenBy::NoPlayer };
        Op::Propose { events: vec![event], done: None, out: None }
    }

    #[test]
    fn a_condition_before_the_first_statement_decides() {
        let read = Op::Get { dst: CONDITION, place: Place::Global(1), of: 0 };
        let check = would_act(&body(vec![read.clone(), Op::JumpUnless { cond: CONDITION, to: 3 }, write()])).expect("a check");
        let expected = vec![
            read,
            Op::JumpUnless { cond: CONDITION, to: 4 },
            Op::Const { dst: 4, value: 1 },
            Op::Return { value: Some(4) },
            Op::Const { dst: 4, value: 0 },
            Op::Return { value: Some(4) },
        ];
        assert_eq!((check.ops, check.result, check.params), (expected, Some(Type::Bool), 2));
    }

    #[test]
    fn an_event_for_each_of_a_list_acts_if_there_is_one() {
        let check = would_act(&body(vec![propose_each(), propose_each()])).expect("a check");
        let branch = |to| Op::JumpUnless { cond: 5, to };
        let targets: Vec<&Op> = check.ops.iter().filter(|op| matches!(op, Op::JumpUnless { .. })).collect();
        assert_eq!(targets, [&branch(4), &branch(8)]);
    }

    #[test]
    fn bodies_that_always_act_or_loop_first_have_none() {
        assert_eq!(would_act(&body(vec![write()])), None);
        assert_eq!(would_act(&body(vec![Op::Return { value: None }])), None);
        let back = vec![Op::JumpUnless { cond: CONDITION, to: 0 }, Op::Jump { to: 0 }, write()];
        assert_eq!(would_act(&body(back)), None);
    }

    #[test]
    fn what_follows_a_statement_is_left_out() {
        // `for each one in … { … }` jumps back behind its statement.
        let back = vec![Op::JumpUnless { cond: CONDITION, to: 3 }, write(), Op::Jump { to: 0 }];
        assert_eq!(would_act(&body(back)).map(|check| check.ops.len()), Some(5));
    }
}
