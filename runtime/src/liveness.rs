//! Liveness of registers: which registers a later operation may still read, so that a suspended body keeps no list but these.
//!
//! A backward data-flow analysis. A pure operation whose result is not live makes nothing live.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::operands::Operand;
use crate::ir::{ChoiceSiteId, Chooser, FnId, Function, Library, Op, Reg};
use std::sync::OnceLock;

/// A set of registers, a bit for each.
type RegisterSet = u128;

/// Functions with more registers or operations are not analysed: all their registers count as live.
const MAX_REGISTERS: usize = RegisterSet::BITS as usize;
const MAX_OPERATIONS: usize = 1 << 12;

/// Passes of the analysis. Deeply nested loops may need more; then all registers count as live.
const MAX_PASSES: usize = 16;

/// The registers that are live before each operation of a function, and at its end.
#[derive(Clone, Debug)]
pub(crate) struct Liveness {
    /// The registers that hold lists.
    lists: Box<[Reg]>,
    /// `None` if all registers count as live.
    live_before: Option<Box<[RegisterSet]>>,
}

impl Liveness {
    pub(crate) fn of(library: &Library, function: &Function) -> Self {
        let lists = function.registers.iter().enumerate().filter(|(_, ty)| ty.is_list()).map(|(n, _)| n as Reg).collect();
        let small = function.registers.len() <= MAX_REGISTERS && function.ops.len() <= MAX_OPERATIONS;
        Self { lists, live_before: if small { compute_live_before(library, function) } else { None } }
    }

    /// Returns the registers that hold lists.
    pub(crate) fn lists(&self) -> &[Reg] {
        &self.lists
    }

    /// Returns whether a register is live before an operation.
    pub(crate) fn is_live(&self, pc: usize, reg: Reg) -> bool {
        let Some(before) = &self.live_before else { return true };
        before.get(pc).is_some_and(|live| live & bit(reg) != 0)
    }
}

/// The liveness of the functions of a program, computed when each first runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct LivenessTable(Box<[OnceLock<Box<Liveness>>]>);

impl LivenessTable {
    /// Creates the table with no function analysed.
    pub(crate) fn new(functions: usize) -> Self {
        Self((0..functions).map(|_| OnceLock::new()).collect())
    }

    /// Returns the liveness of a function.
    #[inline]
    pub(crate) fn get(&self, library: &Library, id: FnId, function: &Function) -> Option<&Liveness> {
        Some(self.0.get(id.index())?.get_or_init(|| Box::new(Liveness::of(library, function))))
    }
}

fn bit(reg: Reg) -> RegisterSet {
    1u128.checked_shl(u32::from(reg)).unwrap_or(0)
}

fn compute_live_before(library: &Library, function: &Function) -> Option<Box<[RegisterSet]>> {
    let mut before = vec![0; function.ops.len() + 1];
    let declared =
        function.ops.iter().filter_map(|op| if let Op::Declare(it) = op { Some(it.restart_at as usize) } else { None });
    let declared: Vec<usize> = declared.collect();
    for _ in 0..MAX_PASSES {
        if !run_backward_pass(library, function, &declared, &mut before) {
            return Some(before.into());
        }
    }
    None
}

/// Goes once from the end to the start. Returns whether any set grew.
fn run_backward_pass(library: &Library, function: &Function, declared: &[usize], before: &mut [RegisterSet]) -> bool {
    let mut changed = false;
    for (pc, op) in function.ops.iter().enumerate().rev() {
        let at = |pc: usize| before.get(pc).copied().unwrap_or(0);
        let mut after = 0;
        op.for_each_successor(pc, |next| after |= at(next));
        // A declaration that is taken back is declared again.
        if let Op::PayForDeclaration { .. } = op {
            after = declared.iter().fold(after, |live, again| live | at(*again));
        }
        let mut live = after;
        // [`Op::destination`] is `None` for statements, because they do not always write their result.
        let dst = op.destination();
        if let Some(dst) = dst {
            live &= !bit(dst);
        }
        if dst.is_none_or(|dst| after & bit(dst) != 0) {
            for_each_use(library, op, |reg| live |= bit(reg));
        }
        if let Some(place) = before.get_mut(pc).filter(|place| **place != live) {
            *place = live;
            changed = true;
        }
    }
    changed
}

/// Visits the registers that an operation reads, including those that its choice site reads.
fn for_each_use(library: &Library, op: &Op, mut visit: impl FnMut(Reg)) {
    op.for_each_read(&mut visit);
    op.for_each_operand(|operand| {
        if let Operand::Site(site) = operand {
            for_each_site_use(library, site, &mut visit);
        }
    });
}

/// Visits the registers that a choice site reads.
fn for_each_site_use(library: &Library, site: ChoiceSiteId, visit: &mut impl FnMut(Reg)) {
    let Some(it) = library.sites.get(site.index()) else { return };
    it.captures.iter().copied().for_each(&mut *visit);
    if let Chooser::Player(player) = it.chooser {
        visit(player);
    }
    let modes = it.mode.and_then(|(modes, _, _)| library.sites.get(modes.index()));
    modes.into_iter().for_each(|modes| visit(modes.dst));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::op::{ChosenBy, Declare, EventProposal};
    use crate::ir::{ActionId, Type, ZoneKindId};
    use crate::testing;

    fn liveness(registers: &[Type], ops: Vec<Op>) -> Liveness {
        let function = Function { registers: registers.to_vec(), params: 2, ops, ..Function::default() };
        Liveness::of(&testing::game().library, &function)
    }

    fn event(arg: Reg) -> Op {
        let event = EventProposal { action: ActionId(0), args: vec![arg], over: Some(0), chosen: ChosenBy::NoPlayer };
        Op::Propose { events: vec![event], done: None, out: None }
    }

    const LISTS: [Type; 5] = [Type::Object, Type::Player, Type::Objects, Type::Objects, Type::Number];

    #[test]
    fn a_list_is_live_until_its_last_read() {
        let ops = vec![Op::AllInZone { dst: 2, zone: ZoneKindId(0) }, event(2), event(2), Op::Window { window: 0 }];
        let it = liveness(&LISTS, ops);
        assert_eq!((0..=4).map(|pc| it.is_live(pc, 2)).collect::<Vec<_>>(), [false, true, true, false, false]);
        assert_eq!(it.lists(), [2, 3]);
    }

    #[test]
    fn registers_read_in_a_loop_are_live_throughout_it() {
        let round = vec![
            Op::AllInZone { dst: 2, zone: ZoneKindId(0) },
            Op::Count { dst: 4, list: 2 },
            Op::JumpUnless { cond: 4, to: 5 },
            Op::Window { window: 0 },
            Op::Jump { to: 1 },
        ];
        let it = liveness(&LISTS, round);
        assert!(it.is_live(4, 2), "the next iteration counts it again");
        assert!(!it.is_live(5, 2));
    }

    #[test]
    fn operands_of_dead_results_are_not_live() {
        let ops = vec![Op::Window { window: 0 }, Op::Copy { dst: 3, src: 2 }, Op::Count { dst: 4, list: 3 }];
        assert!((0..=3).all(|pc| !liveness(&LISTS, ops.clone()).is_live(pc, 2)));
    }

    #[test]
    fn operands_of_a_declaration_are_live_until_it_is_paid_for() {
        let declare = Declare {
            dst: 3,
            stage: 4,
            declared: 3,
            player: 1,
            from: 2,
            onto: 2,
            action: ActionId(0),
            pairs: None,
            max_pairs: None,
            captures: vec![0, 1],
            site: ChoiceSiteId(0),
            restart_at: 0,
        };
        let charge = Op::PayForDeclaration { pairs: 3, player: 1, action: ActionId(0), owed: 3, stage: 4 };
        let it = liveness(&LISTS, vec![Op::Declare(Box::new(declare)), charge, Op::Window { window: 0 }]);
        assert!(it.is_live(1, 2), "it may be declared again");
        assert!(!it.is_live(2, 2), "the declaration is paid for");
    }

    #[test]
    fn all_registers_are_live_if_there_are_too_many() {
        let it = liveness(&[Type::Objects; MAX_REGISTERS + 1], vec![Op::Window { window: 0 }]);
        assert!(it.is_live(1, 2));
    }
}
