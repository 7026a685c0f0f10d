//! Costs that are paid together: parts of one cost, or the costs of one declaration, take the same objects or the same number (CR 508.1j, 509.1f,
//! 601.2h). Each of them can be possible and both together not: two sacrifices with one creature, or twice 2 life with 3.
//!
//! Only paying them shows that, so copies of the machine pay them, depth first over the answers. The search is exact up to [`MAX_ANSWERS`]; beyond
//! that the costs count as payable, and what cannot be paid is taken back. It is made only where one part can take what another needs
//! ([`Machine::are_interdependent`]), or where an event with a chosen number may be forbidden.

use crate::ir::{ActionId, ChoiceSite, FnId, Function, ObjectRef, Op, Type, cause};
use crate::state::layout as at;
use crate::vm::announcement_search::answers_to_try;
use crate::vm::commit_segment::EffectContext;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::eval_context::get;
use crate::vm::inline_vecs::Args;
use crate::vm::machine::{Machine, StepResult};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of answers that one search tries.
const MAX_ANSWERS: u32 = 200;

/// The bodies of costs, each with the number of its arguments.
pub(in crate::vm) type CostBodies = SmallVec<[(FnId, usize); 2]>;

/// What a search has tried.
struct CostSearch {
    /// The answers that may still be tried.
    answers: u32,
    /// The decisions that lead nowhere: the number of bodies begun, and the position.
    failed: BTreeSet<(usize, u64)>,
    /// The operations of all copies.
    fuel: u64,
}

impl CostSearch {
    fn new() -> Self {
        Self { answers: MAX_ANSWERS, failed: BTreeSet::new(), fuel: 0 }
    }
}

impl Machine {
    /// Whether one part of these costs can take what another needs: two choices of objects, a choice and an event with another object, or two
    /// events of one action with a number. An event that only marks its object takes it from no choice of another action, and a choice of nothing
    /// takes nothing. `args`: those of the bodies.
    pub(super) fn are_interdependent(&mut self, costs: &CostBodies, args: &[i64]) -> bool {
        let program = Arc::clone(&self.program);
        let actions = &program.format.actions;
        let takes = |action: ActionId, ty: Type| {
            actions.get(action.index()).is_some_and(|action| action.params.iter().any(|(_, param)| *param == ty))
        };
        let marks = |action: ActionId| program.write_only_actions.get(action.index()) == Some(&true);
        let mut choices: SmallVec<[Option<ActionId>; 4]> = SmallVec::new();
        // The zones of the candidates of each choice.
        let mut zones: SmallVec<[u64; 4]> = SmallVec::new();
        let mut events: SmallVec<[ActionId; 4]> = SmallVec::new();
        for (cost, count) in costs {
            let Some(function) = program.function(*cost) else { continue };
            for op in &function.ops {
                match op {
                    Op::Choose { site, .. } => {
                        let site = program.library.sites.get(site.index());
                        let site = site.filter(|site| site.candidate_type == Type::Objects);
                        let known = args.get(..*count).unwrap_or(args);
                        if site.is_some_and(|site| self.chooses_nothing(site, known)) {
                            continue;
                        }
                        choices.extend(site.map(|site| site.verb));
                        zones.extend(site.map(|site| self.zones_named_by(site.selector)));
                    }
                    Op::Propose { events: proposed, .. } => events.extend(proposed.iter().map(|event| event.action)),
                    _ => {}
                }
            }
        }
        match choices.as_slice() {
            [] => events
                .iter()
                .enumerate()
                .any(|(index, event)| takes(*event, Type::Number) && events.iter().skip(index + 1).any(|other| other == event)),
            [verb] => {
                // The event of the choice itself is one of them.
                let own = events.iter().position(|event| Some(*event) == *verb);
                let is_other = |(index, _): &(usize, &ActionId)| Some(*index) != own;
                events
                    .iter()
                    .enumerate()
                    .filter(is_other)
                    .any(|(_, event)| Some(*event) == *verb || takes(*event, Type::Object) && !marks(*event))
            }
            // Choices from different zones never take the same object.
            _ => {
                let is_free = |(index, own): (usize, &u64)| {
                    *own != 0 && zones.iter().skip(index + 1).all(|other| *other != 0 && own & other == 0)
                };
                !zones.iter().enumerate().all(is_free)
            }
        }
    }

    /// Whether the minimum of a choice is 0, as far as it depends on the first registers of its body only.
    fn chooses_nothing(&mut self, site: &ChoiceSite, known: &[i64]) -> bool {
        let args: Option<Args> = site.captures.iter().map(|reg| known.get(usize::from(*reg)).copied()).collect();
        site.min.zip(args).is_some_and(|(min, args)| self.number(min, &args) <= 0)
    }

    /// Whether a player chooses a number in these costs.
    pub(super) fn chooses_number(&self, costs: &CostBodies) -> bool {
        let chooses = |function: &Function| function.ops.iter().any(|op| matches!(op, Op::AskNumber { .. }));
        costs.iter().filter_map(|(cost, _)| self.program.function(*cost)).any(chooses)
    }

    /// Whether an event with a number that follows the choice of one may be forbidden: the rest may be payable with no number.
    pub(super) fn may_forbid_number(&mut self, costs: &CostBodies) -> bool {
        let program = Arc::clone(&self.program);
        let takes_number = |action: &ActionId| {
            let action = program.format.actions.get(action.index());
            action.is_some_and(|action| action.params.iter().any(|(_, ty)| *ty == Type::Number))
        };
        let mut functions = costs.iter().filter_map(|(cost, _)| program.function(*cost));
        functions.any(|function| {
            let choice = function.ops.iter().position(|op| matches!(op, Op::AskNumber { .. }));
            let mut later = choice.and_then(|choice| function.ops.get(choice..)).unwrap_or_default().iter();
            later.any(|op| match op {
                Op::Propose { events, .. } => {
                    events.iter().any(|event| takes_number(&event.action) && self.may_be_forbidden(event.action.0))
                }
                _ => false,
            })
        })
    }

    /// Whether the first statement of a cost is the choice of a number of which there is none.
    pub(super) fn begins_with_no_number(&mut self, cost: FnId, args: &[i64]) -> bool {
        let program = Arc::clone(&self.program);
        let Some(function) = program.function(cost) else { return false };
        let (mark, base) = (self.scratch.mark(), self.scratch.registers.len());
        self.scratch.registers.extend_from_slice(args);
        self.scratch.registers.resize(base + function.registers.len(), 0);
        let mut has_none = false;
        for op in &function.ops {
            if let Op::AskNumber { min, max, .. } = op {
                has_none = get(&self.scratch, base, *max) < get(&self.scratch, base, *min);
            }
            if op.is_statement() || matches!(op, Op::Jump { .. } | Op::JumpUnless { .. } | Op::Return { .. }) {
                break;
            }
            self.scratch.fuel += 1;
            let (world, scratch) = self.world();
            world.pure_op(scratch, base, op, &function.registers);
        }
        self.scratch.registers.truncate(base);
        self.scratch.release(mark);
        has_none
    }

    /// Returns the zone kinds whose contents a selector lists itself, as a mask with a bit for each (kinds from number 63 on share one); 0 if
    /// it lists none.
    fn zones_named_by(&self, selector: Option<FnId>) -> u64 {
        let Some(function) = selector.and_then(|selector| self.program.function(selector)) else { return 0 };
        let zone = |op: &Op| match op {
            Op::ZoneOf { zone, .. } | Op::AllInZone { zone, .. } => 1 << zone.index().min(63),
            _ => 0,
        };
        function.ops.iter().map(zone).fold(0, |all, zone: u64| all | zone)
    }

    /// Returns whether costs of an object can all be paid, one after the other. `args`: those of the bodies, which begin with the object and the
    /// player.
    pub(super) fn can_pay_together(&mut self, costs: &CostBodies, args: &[i64]) -> bool {
        let depth = self.state.block.list(at::FRAMES).len();
        let mut trial = self.start_trial();
        trial.scratch.tries_costs_from = depth + 1;
        trial.scratch.has_failed_cost = false;
        let mut search = CostSearch::new();
        let completes = trial.completes_costs(depth, (costs, args), 0, &mut search);
        self.charge_trial(&trial);
        self.scratch.fuel = self.scratch.fuel.saturating_add(search.fuel);
        completes
    }

    fn completes_costs(
        &mut self,
        depth: usize,
        (costs, args): (&CostBodies, &[i64]),
        mut begun: usize,
        search: &mut CostSearch,
    ) -> bool {
        loop {
            if self.scratch.has_failed_cost {
                return false;
            }
            let frames = self.state.block.list(at::FRAMES).len();
            if frames < depth {
                return false;
            }
            if frames == depth {
                let Some((cost, count)) = costs.get(begun) else { return true };
                begun += 1;
                let object = ObjectRef::from_value(args.first().copied().unwrap_or(0));
                let player = args.get(1).copied().unwrap_or(0);
                let behalf = EffectContext { cause: cause::COST, source: object, player, ..EffectContext::default() };
                self.push_body(*cost, args.get(..*count).unwrap_or(args), behalf);
                continue;
            }
            match self.tick() {
                None => {}
                Some(StepResult::Over(_)) => return false,
                Some(StepResult::Decision(_)) if self.scratch.has_failed_cost => return false,
                Some(StepResult::Decision(decision)) => {
                    return self.some_answer(&decision, begun, search, |next, search| {
                        next.completes_costs(depth, (costs, args), begun, search)
                    });
                }
            }
        }
    }

    /// Returns whether some answer to the pending decision leads on, as `leads` finds out in a copy that has answered so.
    fn some_answer(
        &mut self,
        decision: &Decision,
        begun: usize,
        search: &mut CostSearch,
        mut leads: impl FnMut(&mut Self, &mut CostSearch) -> bool,
    ) -> bool {
        // Only a search that has failed somewhere can come to a position again.
        if !search.failed.is_empty() && search.failed.contains(&(begun, self.state.position_hash(&self.program))) {
            return false;
        }
        let pays = decision.kind == DecisionKind::Pay;
        let distinct = if pays { self.distinct_ways(&decision.options) } else { Vec::new() };
        for picks in answers_to_try(decision) {
            let option = picks.first().and_then(|pick| decision.options.get(*pick as usize));
            let is_new = |option: &Choice| *option == Choice::PayNow || distinct.contains(option);
            if pays && !option.is_some_and(is_new) {
                continue;
            }
            let has_fuel = self.scratch.fuel.saturating_add(search.fuel) <= self.scratch.limit;
            if search.answers == 0 || !has_fuel {
                return true;
            }
            search.answers -= 1;
            let mut next = Box::new(self.clone());
            next.accept(&picks);
            let found = leads(&mut next, search);
            search.fuel = search.fuel.saturating_add(self.cost_of_trial(&next));
            if found {
                return true;
            }
        }
        search.failed.insert((begun, self.state.position_hash(&self.program)));
        false
    }

    /// Returns whether a declaration can be paid for as a whole, in a copy of the game that has declared it. `marks`: the number of marks
    /// before.
    pub(in crate::vm) fn completes_declaration(&mut self, marks: usize) -> bool {
        self.completes_declared_costs((marks, false), &mut CostSearch::new())
    }

    /// `is_marked`: whether the mark of the declaration was taken.
    fn completes_declared_costs(&mut self, (before, mut is_marked): (usize, bool), search: &mut CostSearch) -> bool {
        for _ in 0..MAX_TRIAL_STEPS {
            let step = self.tick();
            let marks = self.state.marks.len();
            if is_marked && marks <= before {
                return !self.is_declaring();
            }
            is_marked |= marks > before;
            match step {
                None => {}
                Some(StepResult::Over(_)) => return false,
                Some(StepResult::Decision(decision)) if decision.kind == DecisionKind::Assign => return false,
                Some(StepResult::Decision(_)) if self.is_declaration_unpaid() => return false,
                Some(StepResult::Decision(decision)) => {
                    return self.some_answer(&decision, 0, search, |next, search| {
                        next.completes_declared_costs((before, is_marked), search)
                    });
                }
            }
        }
        false
    }
}

/// Maximum number of machine steps in a trial payment between two decisions.
const MAX_TRIAL_STEPS: usize = 20_000;
