//! Declarations: one decision about pairs under all active clauses, the payment for it, and the events that it causes (CR 508,
//! 509).

use super::decision::{Choice, Decision, DecisionKind, Side};
use super::inline_vecs::{Args, InlineWords};
use crate::assign::{AssignmentProblem, BUDGET, Cardinality, Cost, Implication, MAX_NODES, MAX_PAIRS, Origin, Requirement};
use crate::ir::ObjectRef;
use crate::ir::op::Declare;
use crate::ir::{
    ActionId, Cause, Change, ClauseRule, ClauseScope, DeclarationClause, FnId, Function, NO_PLAYER, Op, Reg, Type, cause,
};
use crate::records::frame::{KIND, body, kind, pay};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::EffectContext;
use crate::vm::derived::values::ActiveClause;
use crate::vm::machine::Machine;
use crate::vm::machine::StepFlow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The registers of an [`Op::PayForDeclaration`].
#[derive(Clone, Copy)]
pub(super) struct DeclarationPayment {
    pub pairs: Reg,
    pub player: Reg,
    pub action: ActionId,
    pub owed: Reg,
    pub stage: Reg,
}

/// Stages of paying for a declaration.
mod stage {
    /// Nothing is to be paid.
    pub const FREE: i64 = 0;
    /// A mark was taken; the costs are not computed yet.
    pub const OPEN: i64 = 1;
    /// The price is paid; the other costs are being executed.
    pub const DOING: i64 = 2;
}

/// What a body that pays for a declaration waits for if a part of the costs did not happen: to take the declaration back (CR 508.1j, 509.1f).
const UNPAID: u32 = 2;

impl Machine {
    pub(super) fn declare(&mut self, frame: Handle, function: &Function, base: usize, it: &Declare) -> StepFlow {
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let picks = self.state.block.list(at::ANSWER).to_vec();
            let costs = self.pending_decision().board.is_some_and(|board| !board.paid_costs(&picks).is_empty());
            let (choices, _) = self.take_answer();
            if costs {
                self.take_mark(frame);
            }
            self.set_reg(base, it.stage, if costs { stage::OPEN } else { stage::FREE });
            let of = function.registers.get(usize::from(it.onto)).copied().unwrap_or(Type::Objects);
            let mut pairs = Vec::new();
            let mut lefts: Vec<u32> = Vec::new();
            for choice in choices {
                let Choice::Pair(left, side) = choice else { continue };
                pairs.extend([left.0, word_of(of, side)]);
                if !lefts.contains(&left.0) {
                    lefts.push(left.0);
                }
            }
            self.set_list(base, it.dst, pairs);
            self.set_list(base, it.declared, lefts);
            return StepFlow::Next;
        }
        self.set_reg(base, it.stage, stage::FREE);
        self.set_list(base, it.dst, []);
        self.set_list(base, it.declared, []);
        let player = self.seat(self.reg(base, it.player));
        let Some((board, options)) = self.assignment_problem(base, function, it, player) else {
            self.exceed(Budget::Assignment);
            return StepFlow::Next;
        };
        if board.pairs.is_empty() {
            return StepFlow::Next;
        }
        match board.nearest_legal(&[], BUDGET) {
            Err(_) => {
                self.exceed(Budget::Assignment);
                return StepFlow::Next;
            }
            // Not even the empty declaration satisfies the restrictions, so nothing is declared.
            Ok(None) => return StepFlow::Next,
            Ok(Some(_)) => {}
        }
        let max = options.len() as i64;
        let decision = Decision {
            player,
            kind: DecisionKind::Assign,
            options,
            min: 0,
            max,
            site: Some(it.site.0),
            repeats: false,
            board: Some(Box::new(board)),
        };
        self.ask(&decision);
        self.wait(frame, function, base, true)
    }

    /// Takes a mark at which the declaration is decided again if it is rolled back.
    fn take_mark(&mut self, frame: Handle) {
        self.advance_mark();
        let after = self.word(frame + body::PC);
        self.set(frame + body::PC, after - 1);
        let copy = self.state.block.clone();
        self.set(frame + body::PC, after);
        self.state.marks.push(copy);
        self.set(at::BARRIER, 0);
    }

    /// If a frame is a body that pays for a declaration, rewinds it to the declaration. Returns whether it did.
    pub(super) fn rewind_to_declaration(&mut self, frame: Handle) -> bool {
        if self.word(frame + KIND) != kind::BODY {
            return false;
        }
        let program = Arc::clone(&self.program);
        let Some(function) = program.function(FnId(self.word(frame + body::FUNCTION))) else { return false };
        let pc = self.word(frame + body::PC) as usize;
        let Some(Op::PayForDeclaration { .. }) = function.ops.get(pc) else { return false };
        let Some(before) = function.declaration_start(pc) else { return false };
        self.set(frame + body::PC, before);
        self.set(frame + body::AWAITING, 0);
        true
    }

    /// Builds the assignment problem of a declaration, and its pairs as options. `None` if it has too many nodes or pairs.
    fn assignment_problem(
        &mut self,
        base: usize,
        function: &Function,
        it: &Declare,
        player: usize,
    ) -> Option<(AssignmentProblem, Vec<Choice>)> {
        let from = self.list(base, it.from);
        let onto = self.list(base, it.onto);
        let of = function.registers.get(usize::from(it.onto)).copied().unwrap_or(Type::Objects);
        if from.len() > MAX_NODES || onto.len() > MAX_NODES {
            return None;
        }
        let captures: Vec<i64> = it.captures.iter().map(|reg| self.reg(base, *reg)).collect();
        let cause = [cause::RULE, 0, player as i64, player as i64];
        let mut board = AssignmentProblem { right_count: onto.len() as u32, ..AssignmentProblem::default() };
        let mut options = Vec::new();
        let mut values = Vec::new();
        for (l, left) in from.iter().enumerate() {
            let left = ObjectRef(*left);
            let mut args = captures.clone();
            args.push(left.value());
            let most = it.max_pairs.map_or(1, |most| self.number(most, &args)).clamp(0, MAX_NODES as i64) as u32;
            board.capacities.push(most);
            if most == 0 {
                continue;
            }
            for (r, right) in onto.iter().enumerate() {
                let value = i64::from(*right as i32);
                args.truncate(captures.len() + 1);
                args.push(value);
                let may = it.pairs.is_none_or(|pairs| self.test(pairs, &args));
                if may && self.forbidden(it.action.0, &[left.value(), value], cause).is_none() {
                    board.pairs.push((l as u32, r as u32));
                    values.push((left.value(), value));
                    options.push(Choice::Pair(left, side_of(of, *right)));
                }
            }
        }
        if board.pairs.len() > MAX_PAIRS {
            return None;
        }
        for holding in self.clauses_about(it.action) {
            self.add_clause(&mut board, &values, &holding, cause);
        }
        Some((board, options))
    }

    /// Returns the active clauses about declarations of an action.
    fn clauses_about(&mut self, action: ActionId) -> Vec<ActiveClause> {
        let program = Arc::clone(&self.program);
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        let about = |holding: &&ActiveClause| {
            clause_of(&program, holding).is_some_and(|clause| program.descends(action.index(), clause.pattern.action.index()))
        };
        self.derived.clauses.iter().filter(about).cloned().collect()
    }

    /// Returns the arguments of a clause's functions for a pair.
    fn pair_args(&self, holding: &ActiveClause, clause: &DeclarationClause, pair: (i64, i64), cause: Cause) -> Args {
        let known = self.program.arg_count(clause.pattern.action);
        let mut all = Args::from_slice(&holding.args);
        let captured = all.len();
        all.extend([pair.0, pair.1].into_iter().take(known));
        all.resize(captured + known, 0);
        all.extend(cause);
        all
    }

    fn matching_pairs(
        &mut self,
        values: &[(i64, i64)],
        filter: Option<FnId>,
        holding: &ActiveClause,
        clause: &DeclarationClause,
        cause: Cause,
    ) -> Vec<u32> {
        let passes = |machine: &mut Self, pair: (i64, i64)| match filter {
            None => true,
            Some(filter) => {
                let args = machine.pair_args(holding, clause, pair, cause);
                machine.test(filter, &args)
            }
        };
        (0..values.len() as u32).filter(|pair| values.get(*pair as usize).is_some_and(|pair| passes(self, *pair))).collect()
    }

    fn add_clause(&mut self, board: &mut AssignmentProblem, values: &[(i64, i64)], holding: &ActiveClause, cause: Cause) {
        let program = Arc::clone(&self.program);
        let Some(clause) = clause_of(&program, holding) else { return };
        let pairs = self.matching_pairs(values, clause.pattern.filter, holding, clause, cause);
        if pairs.is_empty() {
            return;
        }
        let by = Origin {
            ability: holding.ability.map_or(0, |ability| ability.0 + 1),
            source: holding.args.first().map_or(0, |source| *source as u32),
        };
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for pair in pairs {
            let Some((left, right)) = board.pairs.get(pair as usize) else { continue };
            let key = match clause.scope {
                ClauseScope::First => *left,
                ClauseScope::Second => *right,
                ClauseScope::All => 0,
            };
            groups.entry(key).or_default().push(pair);
        }
        match &clause.rule {
            ClauseRule::Must => board.requirements.extend(groups.into_values().map(|pairs| Requirement { pairs, origin: by })),
            ClauseRule::Count { at_most: most, count } => {
                let count = u32::try_from(self.number(*count, &holding.args).max(0)).unwrap_or(u32::MAX);
                let (least, most) = if *most { (0, count) } else { (count, u32::MAX) };
                board.cardinalities.extend(groups.into_values().map(|pairs| Cardinality {
                    pairs,
                    zero_allowed: true,
                    min: least,
                    max: most,
                    origin: by,
                }));
            }
            ClauseRule::WithOthers { others, count } => {
                let count = u32::try_from(self.number(*count, &holding.args).max(0)).unwrap_or(u32::MAX);
                let others = self.matching_pairs(values, *others, holding, clause, cause);
                for when in groups.into_values() {
                    let own: Vec<u32> =
                        when.iter().filter_map(|pair| board.pairs.get(*pair as usize)).map(|(left, _)| *left).collect();
                    let is_other = |pair: &u32| board.pairs.get(*pair as usize).is_some_and(|(left, _)| !own.contains(left));
                    let then = others.iter().copied().filter(is_other).collect();
                    board.implications.push(Implication { when, then, min: count, origin: by });
                }
            }
            ClauseRule::Costs { price, .. } => {
                for pairs in groups.into_values() {
                    let first = pairs.first().and_then(|pair| values.get(*pair as usize)).copied().unwrap_or_default();
                    let args = self.pair_args(holding, clause, first, cause);
                    let amount = price.map_or_else(Vec::new, |price| self.items(price, &args).to_vec());
                    if price.is_none() || !amount.is_empty() {
                        board.costs.push(Cost { pairs, origin: by, what: holding.change.0, amount });
                    }
                }
            }
        }
    }

    /// Computes what is owed for a declaration, has it paid, and runs the bodies of the other costs one by one.
    pub(super) fn pay_for_declaration(
        &mut self,
        frame: Handle,
        function: &Function,
        base: usize,
        it: DeclarationPayment,
    ) -> StepFlow {
        let is_unpaid = self.word(frame + body::AWAITING) == UNPAID;
        self.set(frame + body::AWAITING, 0);
        if is_unpaid {
            self.abandon();
            return StepFlow::RolledBack;
        }
        match self.reg(base, it.stage) {
            stage::FREE => return StepFlow::Next,
            stage::OPEN => {
                let player = self.seat(self.reg(base, it.player));
                let pairs = self.list(base, it.pairs);
                let (units, owed, possible) = self.declaration_costs(it.action, &pairs, player);
                if !possible {
                    self.abandon();
                    return StepFlow::RolledBack;
                }
                self.set_list(base, it.owed, owed);
                self.set_reg(base, it.stage, stage::DOING);
                if !units.is_empty() {
                    let flow = self.wait(frame, function, base, true);
                    let pushed = self.push_frame(kind::PAY, pay::WORDS);
                    self.set(pushed + pay::PLAYER, player as u32);
                    self.state.block.extend(pushed + pay::UNITS, &units);
                    self.set(pushed + pay::MARKED, 1);
                    return flow;
                }
            }
            _ => {}
        }
        // Each cost is encoded as function, number of arguments, arguments.
        let owed = self.list(base, it.owed);
        if owed.len() >= 2 {
            let count = owed.get(1).map_or(0, |count| *count as usize);
            let rest = InlineWords::from_slice(owed.get(2 + count..).unwrap_or(&[]));
            let args: Args = owed.iter().skip(2).take(count).map(|word| i64::from(*word as i32)).collect();
            let cost = FnId(owed.first().copied().unwrap_or(0));
            self.set_list(base, it.owed, rest);
            let flow = self.wait(frame, function, base, true);
            let source = ObjectRef::from_value(args.first().copied().unwrap_or(0));
            let player = args.get(1).copied().unwrap_or(NO_PLAYER);
            self.push_body(cost, &args, EffectContext { cause: cause::COST, source, player, ..EffectContext::default() });
            return flow;
        }
        self.state.marks.pop();
        self.set_reg(base, it.stage, stage::FREE);
        StepFlow::Next
    }

    /// Returns what declared pairs cost: units, encoded cost bodies, and whether these can be paid.
    fn declaration_costs(&mut self, action: ActionId, pairs: &[u32], player: usize) -> (Vec<u32>, Vec<u32>, bool) {
        let program = Arc::clone(&self.program);
        let cause = [cause::RULE, 0, player as i64, player as i64];
        let value = |word: &u32| i64::from(*word as i32);
        let values: Vec<(i64, i64)> = pairs.chunks_exact(2).map(|pair| (value(&pair[0]), value(&pair[1]))).collect();
        let (mut units, mut owed, mut can) = (Vec::new(), Vec::new(), true);
        for holding in self.clauses_about(action) {
            let Some(clause) = clause_of(&program, &holding) else { continue };
            let ClauseRule::Costs { price, cost, possible } = &clause.rule else { continue };
            let mut paid: Vec<i64> = Vec::new();
            for number in self.matching_pairs(&values, clause.pattern.filter, &holding, clause, cause) {
                let Some(pair) = values.get(number as usize).copied() else { continue };
                let key = match clause.scope {
                    ClauseScope::First => pair.0,
                    ClauseScope::Second => pair.1,
                    ClauseScope::All => 0,
                };
                if paid.contains(&key) {
                    continue;
                }
                paid.push(key);
                let args = self.pair_args(&holding, clause, pair, cause);
                units.extend(price.map_or_else(InlineWords::new, |price| self.items(price, &args)));
                can &= possible.is_none_or(|possible| self.test(possible, &args));
                if let Some(cost) = cost {
                    owed.extend([cost.0, args.len() as u32]);
                    owed.extend(args.iter().map(|arg| *arg as u32));
                }
            }
        }
        (units, owed, can)
    }

    /// Returns whether a declaration with costs can be paid for as a whole. Tries it on a copy of the game.
    pub(super) fn can_pay_for_declaration(&self, picks: &[u32]) -> bool {
        let mut copy = Self::with_state(Arc::clone(&self.program), self.state.clone());
        copy.limits = self.limits;
        copy.accept(picks);
        let before = copy.state.marks.len();
        copy.completes_declaration(before)
    }

    /// If a frame pays for a declaration, marks that as unpaid. Returns whether it does.
    pub(super) fn fail_declaration(&mut self, frame: Handle) -> bool {
        let pays = self.pays_for_declaration(frame);
        if pays {
            self.set(frame + body::AWAITING, UNPAID);
        }
        pays
    }

    /// Whether a frame is a body that pays for a declaration.
    fn pays_for_declaration(&self, frame: Handle) -> bool {
        if self.word(frame + KIND) != kind::BODY {
            return false;
        }
        let function = self.program.function(FnId(self.word(frame + body::FUNCTION)));
        let op = function.and_then(|function| function.ops.get(self.word(frame + body::PC) as usize));
        matches!(op, Some(Op::PayForDeclaration { .. }))
    }

    /// Returns whether a part of the costs of a declaration in progress did not happen.
    pub(super) fn is_declaration_unpaid(&self) -> bool {
        let frames = self.state.block.list(at::FRAMES).iter().map(|frame| *frame as Handle);
        frames.into_iter().any(|frame| self.pays_for_declaration(frame) && self.word(frame + body::AWAITING) == UNPAID)
    }

    /// Returns whether the frame on top is about to ask for a declaration.
    pub(super) fn is_declaring(&self) -> bool {
        let Some(top) = self.state.top_frame() else { return false };
        let function = self.program.function(FnId(self.word(top + body::FUNCTION)));
        self.word(top + KIND) == kind::BODY
            && function.is_some_and(|f| matches!(f.ops.get(self.word(top + body::PC) as usize), Some(Op::Declare(_))))
    }
}

fn clause_of<'a>(program: &'a crate::program::Program, holding: &ActiveClause) -> Option<&'a DeclarationClause> {
    match &program.modification(holding.change.0)?.change {
        Change::ConstrainDeclarations(clause) => Some(clause),
        _ => None,
    }
}

/// Encodes a side of a pair as an element of a list of type `of`.
fn word_of(of: Type, side: Side) -> u32 {
    match side {
        Side::Object(it) => it.0,
        Side::Player(seat) if of == Type::Things => ObjectRef::of_player(seat).0,
        Side::Player(seat) => seat as u32,
    }
}

/// Decodes an element of a list of type `of` as a side of a pair.
fn side_of(of: Type, word: u32) -> Side {
    match (of, ObjectRef(word).player()) {
        (Type::Players, _) => Side::Player(word as usize),
        (Type::Things, Some(seat)) => Side::Player(seat),
        _ => Side::Object(ObjectRef(word)),
    }
}

/// Returns one event for each pair.
pub(super) fn pair_events(pairs: &[u32], player: i64, event: crate::records::event::Event) -> Vec<crate::records::event::Event> {
    let one = |pair: &[u32]| {
        let mut event = event;
        event.count = 2;
        event.cause[3] = player;
        for (place, word) in event.args.iter_mut().zip(pair) {
            *place = i64::from(*word as i32);
        }
        event
    };
    pairs.chunks_exact(2).map(one).collect()
}
