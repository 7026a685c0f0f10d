//! Lowers choices with a condition on a sum: `any number of X with total PROPERTY == N`.
//!
//! The player chooses one after another. Each can be chosen only if the condition can still be met with it, which [`Op::Completing`]
//! decides; the player may stop as soon as it is met.

use super::choice::Amount;
use super::function_builder::FunctionBuilder;
use super::selection::Selection;
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{BinaryOp, Expr, Name, Span, TotalTest};
use fizzle_ir::op::{Binary, ChosenBy, FoldKind, SumTest};
use fizzle_ir::{Chooser, FnId, Op, Reg, Type};

/// What is known while the player chooses, in registers.
struct ChosenSet {
    chosen: Reg,
    /// What is left of the total.
    total: Reg,
    /// How many are still needed, and how many are still allowed.
    min: Reg,
    max: Reg,
}

/// The set that the player has to choose.
struct WantedSet<'a, 's> {
    selection: &'s Selection<'a>,
    amount: Amount<'a>,
    written: &'a TotalTest,
    how: SumTest,
    /// What is added to the number that the sum is compared with.
    beyond: i64,
    span: Span,
}

impl<'a> Lowering<'a> {
    /// Reports a condition on a total where nothing is chosen.
    pub(super) fn report_total(&mut self, span: Span) {
        self.report(
            Diagnostic::new(&codes::MISPLACED_FORM, span, "a total is a condition on what a player chooses")
                .help("write it in a choice that is no target: `choose any number of X with total PROPERTY <= N as chosen`")
                .help("to compare a sum, write `sum of PROPERTY of X <= N`"),
        );
    }

    /// Lowers a choice of several with a condition on the sum of a property.
    pub(super) fn choose_with_total(
        &mut self,
        selection: &Selection<'a>,
        amount: Amount<'a>,
        written: &'a TotalTest,
        span: Span,
    ) -> TypedRegister {
        let Some((how, beyond)) = sum_test(written.op) else {
            self.report(
                Diagnostic::new(&codes::MISPLACED_FORM, span, "a total is not compared by `!=`")
                    .help("write `==`, `<=`, `>=`, `<` or `>`"),
            );
            return self.error_value();
        };
        let ty = selection.list_type();
        let wanted = WantedSet { selection, amount, written, how, beyond, span };
        let set = self.new_set(&wanted);
        // A choice in a loop is never announced.
        self.fun().loop_depth += 1;
        let picked = self.choose_next(&wanted, &set, true);
        let start = self.next_op();
        let count = self.reg(Type::Number);
        self.emit(Op::Count { dst: count, list: picked });
        let done = self.jump_unless(count);
        self.emit(Op::Union { dst: set.chosen, a: set.chosen, b: picked });
        let (value, captures) = self.value_of_each(&written.property, ty, false);
        let sum = self.reg(Type::Number);
        self.emit(Op::Fold { dst: sum, list: picked, how: FoldKind::Sum, value, captures });
        for (left, less) in [(set.total, sum), (set.min, count), (set.max, count)] {
            let rest = self.binary(Binary::Subtract, left, less, Type::Number);
            self.emit(Op::Copy { dst: left, src: rest });
        }
        let next = self.choose_next(&wanted, &set, false);
        self.emit(Op::Copy { dst: picked, src: next });
        self.emit(Op::Jump { to: start });
        self.patch_jump(done);
        self.fun().loop_depth -= 1;
        TypedRegister::new(set.chosen, ty)
    }

    /// Emits the empty set, and what it needs.
    fn new_set(&mut self, wanted: &WantedSet<'a, '_>) -> ChosenSet {
        let needs = self.needs_at_first(wanted);
        let chosen = self.reg(wanted.selection.list_type());
        self.emit(Op::MakeList { dst: chosen, items: Vec::new() });
        let [total, min, max] = needs.map(|src| {
            let dst = self.reg(Type::Number);
            self.emit(Op::Copy { dst, src });
            dst
        });
        ChosenSet { chosen, total, min, max }
    }

    /// Emits the total, and the least and the greatest number of a set, before anything is chosen.
    fn needs_at_first(&mut self, wanted: &WantedSet<'a, '_>) -> [Reg; 3] {
        let number = self.number(&wanted.written.amount);
        let beyond = self.constant(wanted.beyond, Type::Number);
        let total = self.binary(Binary::Add, number, beyond, Type::Number);
        [total, self.count_or(wanted.amount.min, 0), self.count_or(wanted.amount.max, i64::from(i32::MAX))]
    }

    fn count_or(&mut self, count: Option<&'a Expr>, default: i64) -> Reg {
        match count {
            Some(count) => self.number(count),
            None => self.constant(default, Type::Number),
        }
    }

    /// Within a function of a choice: emits what is left of the total and of the numbers. The functions of the first choice compute it
    /// themselves, so that a cost can be tested before it is paid. What they lower again was reported before.
    fn needs_in_child(&mut self, wanted: &WantedSet<'a, '_>, set: &ChosenSet, is_first: bool) -> [Reg; 3] {
        if is_first {
            let reported = self.diagnostics.len();
            let needs = self.needs_at_first(wanted);
            self.forget_problems_since(reported);
            return needs;
        }
        let inner = self.funs.len() - 1;
        [set.total, set.min, set.max].map(|reg| self.capture(inner, inner - 1, reg))
    }

    /// Emits the choice of one more, and returns the list of what was chosen: empty if the player stops.
    fn choose_next(&mut self, wanted: &WantedSet<'a, '_>, set: &ChosenSet, is_first: bool) -> Reg {
        let ty = wanted.selection.list_type();
        self.begin_child(true, Some(ty));
        let mut list = self.candidates(wanted.selection);
        if !is_first {
            let inner = self.funs.len() - 1;
            let chosen = self.capture(inner, inner - 1, set.chosen);
            let left = self.reg(ty);
            self.emit(Op::Except { dst: left, a: list, b: chosen });
            list = left;
        }
        let [total, min, max] = self.needs_in_child(wanted, set, is_first);
        let (value, captures) = self.value_of_each(&wanted.written.property, ty, false);
        let dst = self.reg(ty);
        self.emit(Op::Completing { dst, list, how: wanted.how, value, captures, total, min, max });
        self.emit(Op::Return { value: Some(dst) });
        let selector = self.end_child();
        let least = self.is_needed(wanted, set, is_first);
        self.begin_child(true, Some(Type::Number));
        let one = self.constant(1, Type::Number);
        self.emit(Op::Return { value: Some(one) });
        let most = self.end_child();
        let outer = FunctionBuilder::captured_registers(&[&selector, &least, &most]);
        let (selector, least, most) = (self.close(selector, &outer), self.close(least, &outer), self.close(most, &outer));
        let dst = self.reg(ty);
        let mut site = self.new_site(wanted.span, dst);
        site.selector = Some(selector);
        site.captures = [0, 1].into_iter().chain(outer).collect();
        site.min = Some(least);
        site.max = Some(most);
        site.public = self.is_public(wanted.selection);
        site.candidate_type = ty;
        site.own = wanted.selection.is_own;
        let by = match site.chooser {
            Chooser::Controller => ChosenBy::Controller,
            Chooser::Player(reg) => ChosenBy::Player(reg),
        };
        self.fun().chosen_by.insert(set.chosen, by);
        let site = self.add_site(site);
        self.emit(Op::Choose { dst, site });
        dst
    }

    /// The function that returns 1 as long as one more is needed, else 0.
    fn is_needed(&mut self, wanted: &WantedSet<'a, '_>, set: &ChosenSet, is_first: bool) -> FunctionBuilder {
        self.begin_child(true, Some(Type::Number));
        let [total, min, _] = self.needs_in_child(wanted, set, is_first);
        let zero = self.constant(0, Type::Number);
        let (op, low, high) = match wanted.how {
            SumTest::Equal => (Binary::Equal, total, zero),
            SumTest::AtMost => (Binary::LessEqual, zero, total),
            SumTest::AtLeast => (Binary::LessEqual, total, zero),
        };
        let is_met = self.binary(op, low, high, Type::Bool);
        let enough = self.binary(Binary::LessEqual, min, zero, Type::Bool);
        let may_stop = self.binary(Binary::And, is_met, enough, Type::Bool);
        let needed = self.negate(may_stop);
        self.emit(Op::Return { value: Some(needed) });
        self.end_child()
    }

    /// The function that computes the property of one candidate, with its captures.
    pub(super) fn value_of_each(&mut self, property: &'a Name, list: Type, is_moved: bool) -> (FnId, Vec<Reg>) {
        let ty = list.element().unwrap_or(Type::Object);
        self.begin_child(true, Some(Type::Number));
        let reg = self.trailing_param(ty);
        let each = TypedRegister { is_moved, ..TypedRegister::new(reg, ty) };
        let value = self.fact_of(property, each, property.span, Some(Type::Number));
        let value = self.coerce(value, Type::Number, property.span);
        self.emit(Op::Return { value: Some(value) });
        let fun = self.end_child();
        let outer = FunctionBuilder::captured_registers(&[&fun]);
        let value = self.close(fun, &outer);
        (value, [0, 1].into_iter().chain(outer).collect())
    }
}

/// How a comparison is tested, and what is added to the number that it compares with.
fn sum_test(op: BinaryOp) -> Option<(SumTest, i64)> {
    Some(match op {
        BinaryOp::Equal => (SumTest::Equal, 0),
        BinaryOp::LessEqual => (SumTest::AtMost, 0),
        BinaryOp::Less => (SumTest::AtMost, -1),
        BinaryOp::GreaterEqual => (SumTest::AtLeast, 0),
        BinaryOp::Greater => (SumTest::AtLeast, 1),
        _ => return None,
    })
}
