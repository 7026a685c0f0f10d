//! What `top N` and `bottom N` of a cost require: a cost cannot be paid with fewer cards than it takes (CR 118.3).
//!
//! While a cost or the body of an action is lowered, each such operand of a statement that runs in any case leaves a function that
//! compares the number of cards there with N.

use super::Lowering;
use super::function_builder::FunctionBuilder;
use fizzle_grammar::ast::{Expr, Phrase, Span};
use fizzle_ir::op::Binary;
use fizzle_ir::{FnId, Op, Reg, Type};

/// A `top N` or `bottom N`: the number of its operation, and the function that returns whether there are N.
#[derive(Debug)]
pub struct TakenCards {
    op: usize,
    enough: FunctionBuilder,
}

impl<'a> Lowering<'a> {
    /// Records what a `top N` requires, which is the next operation of the current function.
    pub fn record_taken_cards(&mut self, phrase: &'a Phrase, count: &'a Expr, span: Span) {
        let fun = self.fun();
        if fun.is_pure || fun.context.is_some() || fun.condition_depth > 0 || fun.loop_depth > 0 || fun.may_depth > 0 {
            return;
        }
        let op = fun.ops.len();
        let reported = self.diagnostics.len();
        self.begin_child(true, Some(Type::Bool));
        if let Some(selection) = self.selection(phrase, span) {
            let list = self.candidates(&selection);
            let there = self.reg(Type::Number);
            self.emit(Op::Count { dst: there, list });
            let count = self.number(count);
            let enough = self.binary(Binary::LessEqual, count, there, Type::Bool);
            self.emit(Op::Return { value: Some(enough) });
        }
        let enough = self.end_child();
        // The phrase is lowered for a second time: what is wrong with it is reported already.
        self.diagnostics.truncate(reported);
        self.fun().taken_cards.push(TakenCards { op, enough });
    }

    /// The conditions that the recorded operands of a function lead to, as functions of `this`, `you` and `params`, registers of the current function. An
    /// operand that depends on anything else leads to none, nor does one of a `let`.
    pub fn taken_card_conditions(&mut self, fun: &mut FunctionBuilder, params: &[Reg]) -> Vec<FnId> {
        let taken = std::mem::take(&mut fun.taken_cards);
        let lets = &fun.lets;
        let required = taken.into_iter().filter(|taken| {
            !lets.iter().any(|range| range.contains(&taken.op))
                && taken.enough.ops.last().is_some_and(|op| matches!(op, Op::Return { .. }))
                && taken.enough.captures.iter().all(|(outer, _)| params.contains(outer))
        });
        required.collect::<Vec<_>>().into_iter().map(|taken| self.close(taken.enough, params)).collect()
    }
}
