//! Generator of random pure functions, for differential tests of the execution tiers.

use crate::game::start;
use crate::ir::ObjectRef;
use crate::ir::op::{Binary, FoldKind, SumTest};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, Function, Op, Place, Reg, TraitSet, TraitSetId, Type, ZoneKindId};
use crate::program::Program;
use crate::random_answers::RandomAnswers;
use crate::state::layout as at;
use crate::testing;
use crate::vm::machine::{Machine, StepResult};
use std::sync::Arc;

/// Boundary values.
pub(crate) const BOUNDARY_VALUES: [i64; 14] =
    [0, 0, 1, 1, 2, 3, 5, -1, -7, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN, i64::MAX / 3];

/// A deterministic random number generator for tests.
pub(crate) struct TestRng(pub u64);

impl TestRng {
    pub(crate) fn number_below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.number_below(items.len())]
    }
}

/// A function that is being generated.
struct FunctionGenerator {
    types: Vec<Type>,
    ops: Vec<Op>,
    /// Registers that are certainly written, and targets of open jumps with the registers written before them.
    written_values: Vec<Reg>,
    written_lists: Vec<Reg>,
    open_jumps: Vec<(usize, Vec<Reg>, Vec<Reg>)>,
}

impl FunctionGenerator {
    fn register(&mut self, ty: Type) -> Reg {
        self.types.push(ty);
        (self.types.len() - 1) as Reg
    }

    /// A destination register: a new one, or one that was written before.
    fn number(&mut self, dice: &mut TestRng, ty: Type) -> Reg {
        let written = self.written_values.iter().copied().filter(|reg| *reg > 2).collect::<Vec<_>>();
        if dice.number_below(5) == 0 && !written.is_empty() { dice.pick(&written) } else { self.register(ty) }
    }
}

fn builtin(name: &str) -> u16 {
    BUILTINS.iter().position(|b| b.name == name).expect("a built-in function of that name") as u16
}

/// Generates a function of this, you and an object. `known` are the functions that it may call.
fn random_function(dice: &mut TestRng, known: &[FnId], length: usize) -> Function {
    let mut d = FunctionGenerator {
        types: vec![Type::Object, Type::Player, Type::Object],
        ops: Vec::new(),
        written_values: vec![0, 1, 2],
        written_lists: Vec::new(),
        open_jumps: Vec::new(),
    };
    while d.ops.len() < length || !d.open_jumps.is_empty() {
        let at = d.ops.len();
        // Jump target: registers written since the jump are not certainly written.
        let arrived = |open: &(usize, Vec<Reg>, Vec<Reg>)| open.0 == at;
        while let Some(n) = d.open_jumps.iter().position(arrived) {
            let (_, numbers, lists) = d.open_jumps.swap_remove(n);
            d.written_values.retain(|reg| numbers.contains(reg));
            d.written_lists.retain(|reg| lists.contains(reg));
        }
        // Before a jump target, sometimes inserts another jump or a return.
        if d.open_jumps.iter().any(|(to, ..)| *to == at + 1) && dice.number_below(3) == 0 {
            let to = at + 2 + dice.number_below(3);
            d.open_jumps.push((to, d.written_values.clone(), d.written_lists.clone()));
            let ends = Op::Return { value: d.written_values.last().copied() };
            d.ops.push(if dice.number_below(2) == 0 { Op::Jump { to: to as u32 } } else { ends });
            continue;
        }
        let (a, b, c) = (dice.pick(&d.written_values), dice.pick(&d.written_values), dice.pick(&[0, 2, 2]));
        let of = if dice.number_below(4) == 0 { a } else { c };
        let list = (!d.written_lists.is_empty()).then(|| dice.pick(&d.written_lists));
        let zone = ZoneKindId(dice.number_below(3) as u32);
        let called = (!known.is_empty()).then(|| dice.pick(known));
        let (op, is_list) = match (dice.number_below(31), list, called) {
            (0..3, ..) => (Op::Const { dst: 0, value: dice.pick(&BOUNDARY_VALUES) }, false),
            (3..7, ..) => {
                use Binary::*;
                let ops =
                    [Add, Subtract, Multiply, DivideDown, DivideUp, Min, Max, Equal, NotEqual, Less, LessEqual, And, Or, MaskAnd];
                (Op::Binary { op: dice.pick(&ops), dst: 0, a, b }, false)
            }
            (7, ..) => (Op::Not { dst: 0, a }, false),
            (8..11, ..) => {
                let places = [
                    Place::Property(0),
                    Place::Printed(0),
                    Place::Words(TraitSetId(0)),
                    Place::Status(0),
                    Place::Status(2),
                    Place::Player(0),
                    Place::Owner,
                    Place::Controller,
                    Place::Zone,
                    Place::Definition,
                    Place::SourceOf,
                    Place::Host,
                    Place::Face,
                ];
                let place = dice.pick(&places);
                (Op::Get { dst: 0, place, of: if matches!(place, Place::Player(_)) { a } else { of } }, false)
            }
            (11, ..) => (Op::HasWord { dst: 0, of, traits: TraitSetId(0), word: dice.number_below(40) as u16 }, false),
            (12, ..) => (Op::Exists { dst: 0, of }, false),
            (13, ..) => (Op::InZone { dst: 0, of, zone }, false),
            (14, ..) => (Op::ZoneOf { dst: 0, zone, player: b }, false),
            (15, ..) => (Op::Opponent { dst: 0, player: dice.pick(&[1, a]) }, false),
            (16, ..) => (Op::GetKey { dst: 0, place: Place::Status(1), of, key: b }, false),
            (17, ..) => {
                let name =
                    dice.pick(&["min", "max", "exists", "is_playing", "turn_number", "list_size", "is_ability", "position_of"]);
                (Op::Builtin { dst: 0, builtin: builtin(name), args: vec![a, b] }, false)
            }
            (18, ..) => (Op::Copy { dst: 0, src: a }, false),
            (19 | 20, ..) => {
                let to = (at + 2 + dice.number_below(4)) as u32;
                d.open_jumps.push((to as usize, d.written_values.clone(), d.written_lists.clone()));
                d.ops.push(Op::JumpUnless { cond: a, to });
                continue;
            }
            (21 | 22, ..) => (Op::AllInZone { dst: 0, zone }, true),
            (23, ..) => (Op::ZoneList { dst: 0, zone: a }, true),
            (25, Some(list), Some(value)) => {
                let how = dice.pick(&[SumTest::Equal, SumTest::AtMost, SumTest::AtLeast]);
                (Op::Completing { dst: 0, list, how, value, captures: vec![of, 1], total: a, min: b, max: c }, true)
            }
            (24, Some(list), Some(filter)) => (Op::Filter { dst: 0, list, filter, captures: vec![of, 1] }, true),
            (26, Some(list), _) => (Op::Count { dst: 0, list }, false),
            (27, Some(list), Some(value)) => {
                let how = dice.pick(&[FoldKind::Sum, FoldKind::Highest, FoldKind::Lowest]);
                (Op::Fold { dst: 0, list, how, value, captures: vec![of, 1] }, false)
            }
            (28, Some(list), _) => (Op::Contains { dst: 0, list, item: of }, false),
            (30, ..) => (Op::Cast { dst: 0, src: a }, false),
            (29, _, Some(function)) => (Op::Call { dst: 0, function, args: vec![of, b, c] }, false),
            _ => continue,
        };
        let ty = if matches!(op, Op::Cast { .. }) { dice.pick(&[Type::Object, Type::Player, Type::Thing]) } else { Type::Number };
        let dst = if is_list { d.register(Type::Objects) } else { d.number(dice, ty) };
        d.ops.push(with_destination(op, dst));
        let written = if is_list { &mut d.written_lists } else { &mut d.written_values };
        if !written.contains(&dst) {
            written.push(dst);
        }
    }
    d.ops.push(Op::Return { value: d.written_values.last().copied() });
    Function { registers: d.types, params: 3, result: Some(Type::Number), ops: d.ops, ..Function::default() }
}

fn with_destination(mut op: Op, to: Reg) -> Op {
    match &mut op {
        Op::Const { dst, .. }
        | Op::Binary { dst, .. }
        | Op::Not { dst, .. }
        | Op::Get { dst, .. }
        | Op::HasWord { dst, .. }
        | Op::Exists { dst, .. }
        | Op::InZone { dst, .. }
        | Op::ZoneOf { dst, .. }
        | Op::Opponent { dst, .. }
        | Op::GetKey { dst, .. }
        | Op::Builtin { dst, .. }
        | Op::Copy { dst, .. }
        | Op::Cast { dst, .. }
        | Op::AllInZone { dst, .. }
        | Op::ZoneList { dst, .. }
        | Op::Filter { dst, .. }
        | Op::Count { dst, .. }
        | Op::Fold { dst, .. }
        | Op::Completing { dst, .. }
        | Op::Contains { dst, .. }
        | Op::Call { dst, .. } => *dst = to,
        _ => {}
    }
    op
}

/// The tiny game with words, counters and random functions.
pub(crate) fn program(dice: &mut TestRng) -> (Program, Vec<FnId>) {
    let mut game = testing::game();
    let library = game.library_mut();
    let words = (0..40).map(|n| format!("word{n}")).collect();
    library.traits.push(TraitSet { name: "words".into(), words, layer: 0, changeable: false, open: false });
    for (n, definition) in library.definitions.present_mut().enumerate() {
        definition.words = vec![(0..40).filter(|word| word % (n as u16 + 2) == 0).collect()];
    }
    let counters = crate::ir::Variable { keys: Some(TraitSetId(0)), name: "counters".into(), ..library.statuses[0].clone() };
    let marks = library.statuses[0].clone();
    library.statuses.extend([counters, marks]);
    let mut made = Vec::new();
    for n in 0..30 {
        let known: Vec<FnId> = made.iter().copied().filter(|_| dice.number_below(3) == 0).collect();
        made.push(FnId(library.functions.len() as u32));
        library.functions.push(random_function(dice, if n < 4 { &[] } else { &known }, 3 + n / 2));
    }
    (Program::link(&game, 0, &[]).expect("the format exists"), made)
}

/// A game after some steps, with marks and counters on its objects.
pub(crate) fn random_position(program: &Arc<Program>, dice: &mut TestRng) -> Machine {
    let mut machine = start(Arc::clone(program), &[testing::cards(80), testing::cards(20)], dice.number_below(1000) as u64)
        .expect("the game starts");
    let mut random = RandomAnswers::new(3);
    for _ in 0..dice.number_below(12) {
        let StepResult::Decision(decision) = machine.step() else { break };
        let picks = decision.forced().unwrap_or_else(|| random.answer(&machine, &decision));
        machine.answer(&picks).expect("a legal answer");
    }
    for slot in 1..machine.state.slots() {
        for status in [0, 2] {
            machine.state.set_column(slot, at::STATUSES + status, dice.pick(&BOUNDARY_VALUES) as u32);
        }
        let holder = machine.state.cell_for_write(slot, at::STATUSES + 1);
        for key in 1..dice.number_below(4) {
            machine.state.block.set_keyed(holder, key as u32, dice.pick(&BOUNDARY_VALUES) as u32);
        }
    }
    machine
}

/// References to objects, stale ones and players included, and null references.
pub(crate) fn references(machine: &Machine, dice: &mut TestRng) -> Vec<i64> {
    let slots = machine.state.slots();
    let reference = |_| {
        let it = machine.state.current(1 + dice.number_below(slots));
        match dice.number_below(6) {
            0 => ObjectRef::new(it.slot(), it.incarnation().wrapping_sub(1) & 0xff).value(),
            1 => ObjectRef::of_player(dice.number_below(3)).value(),
            2 => dice.pick(&BOUNDARY_VALUES),
            _ => it.value(),
        }
    };
    (0..40).map(reference).collect()
}

/// Arguments for a random function.
pub(crate) fn arguments(references: &[i64], dice: &mut TestRng) -> [i64; 3] {
    [dice.pick(references), dice.pick(&[0, 1, 1, -1, 2, i64::MAX]), dice.pick(references)]
}
