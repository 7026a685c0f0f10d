//! Optional statements: asks a player whether to do an optional one (`may DO`) if it can be done (CR 608.2d), and offers only numbers
//! with which a cost can be paid.

use crate::ir::op::Op;
use crate::ir::{ChoiceSiteId, Chooser, Function, NO_PLAYER, ObjectRef, Reg, cause};
use crate::program::Program;
use crate::records::event::Event;
use crate::records::frame::body;
use crate::state::block::Handle;
use crate::vm::announce::UseRequest;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::eval_context::{EvalContext, get};
use crate::vm::inline_vecs::Args;
use crate::vm::machine::Machine;
use crate::vm::machine::StepFlow;
use std::sync::Arc;

/// The maximum number of values of a chosen number that are tried to find out with which a cost can be paid.
const MAX_NUMBERS_TRIED: i64 = 64;

/// The operands of [`Op::Ask`].
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The register that receives the answer.
    pub dst: Reg,
    /// The register of the player who decides.
    pub player: Reg,
    /// The site of the question.
    pub site: ChoiceSiteId,
}

impl Machine {
    /// Asks a player whether to do an optional statement. If it cannot be done, the answer is no.
    pub(super) fn ask_whether(
        &mut self,
        program: &Program,
        frame: Handle,
        function: &Function,
        base: usize,
        question: Question,
    ) -> StepFlow {
        if self.word(frame + body::DECLARED) != 0 {
            self.set(frame + body::DECLARED, 0);
            self.set_reg(base, question.dst, 1);
            return StepFlow::Next;
        }
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let (choices, _) = self.take_answer();
            self.set_reg(base, question.dst, i64::from(choices.first() == Some(&Choice::Yes)));
            return StepFlow::Next;
        }
        if !self.can_be_chosen_for(program, frame, function, base, question.dst) {
            self.set_reg(base, question.dst, 0);
            return StepFlow::Next;
        }
        let player = self.seat(self.reg(base, question.player));
        self.ask(&Decision {
            player,
            kind: DecisionKind::YesNo,
            options: vec![Choice::Yes, Choice::No],
            min: 1,
            max: 1,
            site: Some(question.site.0),
            repeats: false,
            board: None,
        });
        self.wait(frame, function, base, true)
    }

    /// Returns whether the choices that an optional statement always makes have enough candidates. Choices that depend on an earlier choice or
    /// event of the statement count as possible. `answer`: the register of the answer, which the operation after the question tests.
    fn can_be_chosen_for(&mut self, program: &Program, frame: Handle, function: &Function, base: usize, answer: Reg) -> bool {
        let start = self.word(frame + body::PC) as usize;
        let end = match function.ops.get(start) {
            Some(Op::JumpUnless { cond, to }) if *cond == answer => *to as usize,
            _ => return true,
        };
        let ops = function.ops.get(start + 1..end).unwrap_or(&[]);
        if !ops.iter().any(|op| matches!(op, Op::Choose { .. } | Op::Use { .. })) {
            return true;
        }
        // The operands of the statement are computed in a copy of the registers.
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        self.scratch.registers.extend_from_within(base..base + function.registers.len());
        let possible = self.has_candidates_in(program, frame, function, floor, ops);
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        possible
    }

    /// Narrows the numbers that the player of a cost can choose to those from the first to the last with which the later choices of the cost can
    /// be made and its events are not forbidden (CR 601.2b, h). If there is none, all stay. The operation after the choice of the number is the next one of the frame.
    pub(super) fn payable_numbers(
        &mut self,
        program: &Program,
        frame: Handle,
        function: &Function,
        base: usize,
        dst: Reg,
        limits: (i64, i64),
    ) -> (i64, i64) {
        let ops = function.ops.get(self.word(frame + body::PC) as usize..).unwrap_or(&[]);
        let (least, most) = limits;
        let can_fail = |op: &Op| matches!(op, Op::Choose { .. } | Op::Propose { .. });
        if !self.is_cost(frame) || most - least >= MAX_NUMBERS_TRIED || !ops.iter().any(can_fail) {
            return limits;
        }
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        let mut payable = Vec::new();
        for number in least..=most {
            self.scratch.registers.extend_from_within(base..base + function.registers.len());
            self.set_reg(floor, dst, number);
            if self.has_candidates_in(program, frame, function, floor, ops) {
                payable.push(number);
            }
            self.scratch.registers.truncate(floor);
            self.scratch.release(mark);
        }
        match (payable.first(), payable.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => limits,
        }
    }

    /// Evaluates the operands of a statement up to its first jump, and returns whether each choice on the way has enough candidates.
    fn has_candidates_in(&mut self, program: &Program, frame: Handle, function: &Function, base: usize, ops: &[Op]) -> bool {
        let mut unknown: Vec<Reg> = Vec::new();
        for op in ops {
            let mut is_known = true;
            op.for_each_read(|reg| is_known &= !unknown.contains(&reg));
            match op {
                Op::Choose { site, .. } if !self.has_enough_for(frame, base, *site, &unknown) => return false,
                // A cost is not payable if one of its events is forbidden.
                Op::Propose { events, .. } if is_known && self.is_cost(frame) => {
                    let mut proposed = std::mem::take(&mut self.scratch.proposals);
                    self.add_proposals(&mut proposed, frame, base, events);
                    let is_forbidden = |event: &Event| self.forbidden(event.action, event.arguments(), event.cause).is_some();
                    let fails = proposed.iter().any(is_forbidden);
                    proposed.clear();
                    self.scratch.proposals = proposed;
                    if fails {
                        return false;
                    }
                }
                Op::Use { object, by, args, free, .. } if is_known => {
                    let object = ObjectRef::from_value(get(&self.scratch, base, *object));
                    let user = self.seat(get(&self.scratch, base, 1));
                    let extra_args: Args = args.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
                    let how = UseRequest { by: *by, extra_args: &extra_args, free: *free };
                    return self.play_for_effect(object, user, how).is_some();
                }
                Op::Jump { .. } | Op::JumpUnless { .. } | Op::Return { .. } => return true,
                op if !op.is_statement() && is_known => {
                    self.scratch.fuel += 1;
                    self.derived.refresh(program, &self.state, &mut self.scratch);
                    let world = EvalContext { program, state: &self.state, derived: &self.derived };
                    world.pure_op(&mut self.scratch, base, op, &function.registers);
                    continue;
                }
                _ => {}
            }
            op.for_each_set(|reg| unknown.push(reg));
            unknown.extend(op.destination());
        }
        true
    }

    /// Whether a body is that of a cost.
    pub(super) fn is_cost(&self, frame: Handle) -> bool {
        self.state.block.int(frame + body::CAUSE) == cause::COST
    }

    /// Returns whether a choice has its minimum of candidates, from registers in the scratch window; true if it depends on `unknown` registers or
    /// was made on announcement.
    fn has_enough_for(&mut self, frame: Handle, base: usize, id: ChoiceSiteId, unknown: &[Reg]) -> bool {
        let program = Arc::clone(&self.program);
        let announced = self.word(frame + body::ANNOUNCED) != 0 && program.is_announced(id);
        let Some(site) = program.library.sites.get(id.index()).filter(|_| !announced) else { return true };
        let chooser = match site.chooser {
            Chooser::Controller => 1,
            Chooser::Player(reg) => reg,
        };
        let (Some(min), true) = (site.min, site.selector.is_some() && site.mode.is_none() && !site.divides) else { return true };
        if unknown.contains(&chooser) || site.captures.iter().any(|reg| unknown.contains(reg)) {
            return true;
        }
        let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
        let wanted = self.number(min, &args);
        if wanted <= 0 {
            return true;
        }
        let (source, you, chooser) =
            (get(&self.scratch, base, 0), get(&self.scratch, base, 1), get(&self.scratch, base, chooser));
        let kind = self.state.block.int(frame + body::CAUSE);
        let mut items = self.candidates_left(frame, base, id, chooser, kind);
        let who = if chooser == NO_PLAYER { you } else { chooser };
        self.retain_possible(&mut items, site, [kind, source, you, who]);
        items.len() as i64 >= wanted
    }
}
