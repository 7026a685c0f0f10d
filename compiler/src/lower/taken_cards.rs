//! What `top N` and `bottom N` of a cost require: a cost cannot be paid with fewer cards than it takes (CR 118.3).
//!
//! While a cost or the body of an action is lowered, each such operand of a statement that runs in any case leaves a function that
//! compares the number of cards there with N. The function is evaluated before anything of the cost has happened.

use super::Lowering;
use super::function_builder::{FunctionBuilder, TakenCards};
use fizzle_grammar::ast::{Expr, Phrase, Span};
use fizzle_ir::op::{Binary, EventProposal};
use fizzle_ir::verbs::PUT;
use fizzle_ir::{ActionId, FnId, Op, Reg, Type, ZoneKindId};

impl<'a> Lowering<'a> {
    /// Records what a `top N` requires, whose operations are the next ones of the current function.
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
        // The phrase is lowered again, which reports what is wrong with it.
        self.forget_problems_since(reported);
        self.fun().taken_cards.push(TakenCards { op, enough });
    }

    /// The conditions that the recorded operands of a function lead to, as functions of `this`, `you` and `params`, registers of the current
    /// function.
    ///
    /// An operand leads to none if it depends on anything else, if what it takes is not moved by a statement itself (as with `let`, `count of`,
    /// `look`), or if an earlier statement can change what is there.
    pub fn taken_card_conditions(&mut self, fun: &mut FunctionBuilder, params: &[Reg]) -> Vec<FnId> {
        let taken = std::mem::take(&mut fun.taken_cards);
        let is_required = |taken: &TakenCards| {
            !fun.lets.iter().any(|range| range.contains(&taken.op))
                && taken.enough.ops.last().is_some_and(|op| matches!(op, Op::Return { .. }))
                && taken.enough.captures.iter().all(|(outer, _)| params.contains(outer))
                && self.is_taken_for_certain(fun, taken.op)
        };
        let required: Vec<TakenCards> = taken.into_iter().filter(is_required).collect();
        required.into_iter().map(|taken| self.close(taken.enough, params)).collect()
    }

    /// Whether a statement moves what the `top N` from an operation on takes, and no earlier one can change how many cards are there, or N.
    fn is_taken_for_certain(&self, fun: &FunctionBuilder, from: usize) -> bool {
        let (before, after) = fun.ops.split_at_checked(from).unwrap_or_default();
        let Some(take) = after.iter().position(|op| matches!(op, Op::TakeEnds { .. })) else { return false };
        let Some((Op::TakeEnds { dst: taken, count, .. }, rest)) = after.get(take..).and_then(<[Op]>::split_first) else {
            return false;
        };
        let zones: Vec<ZoneKindId> = after.iter().take(take).filter_map(zone_read).collect();
        let is_constant = |reg: &Reg| fun.ops.iter().all(|op| op.destination() != Some(*reg) || matches!(op, Op::Const { .. }));
        let is_steady = is_constant(count) || !before.iter().any(Op::is_statement);
        let single = rest.iter().find_map(|op| match op {
            Op::ElementAt { dst, list, .. } if list == taken => Some(*dst),
            _ => None,
        });
        let is_moved = |event: &EventProposal| {
            let name = self.names.actions.get_index(event.action.index()).map(|(name, _)| name);
            let moves =
                event.action == ActionId(PUT) || name.is_some_and(|name| self.names.action_effects.relocates.contains(name));
            moves && event.args.first().is_some_and(|it| it == taken || Some(*it) == single)
        };
        let moves_it = rest.iter().flat_map(proposed).any(is_moved);
        is_steady && moves_it && !zones.is_empty() && !zones.iter().any(|zone| self.may_change(before, *zone))
    }

    /// Whether operations name a zone, or propose an action whose body names it.
    fn may_change(&self, ops: &[Op], zone: ZoneKindId) -> bool {
        let mentioning =
            self.names.zones.get(zone.index()).and_then(|(name, _)| self.names.action_effects.mentions.get(&name.text));
        let mentions = |event: &EventProposal| {
            let name = self.names.actions.get_index(event.action.index()).map(|(name, _)| name);
            name.is_none_or(|name| mentioning.is_some_and(|actions| actions.contains(name)))
        };
        ops.iter().any(|op| zone_read(op) == Some(zone)) || ops.iter().flat_map(proposed).any(mentions)
    }
}

/// The zone kind that an operation finds the zone of.
fn zone_read(op: &Op) -> Option<ZoneKindId> {
    match op {
        Op::ZoneOf { zone, .. } => Some(*zone),
        _ => None,
    }
}

/// The events that an operation proposes.
fn proposed(op: &Op) -> &[EventProposal] {
    match op {
        Op::Propose { events, .. } => events,
        _ => &[],
    }
}
