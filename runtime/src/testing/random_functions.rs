//! Made-up functions, for the tests that compare ways to run them.

use crate::bot::{self, Bot};
use crate::game::start;
use crate::ir::op::{Binary, FoldKind};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, Function, Op, Place, Reg, TraitSet, TraitSetId, Type, ZoneKindId};
use crate::program::Program;
use crate::state::{ObjectRef, layout as at};
use crate::testing;
use crate::vm::{Machine, StepResult};
use std::sync::Arc;

/// Numbers at which something ends.
pub(crate) const ENDS: [i64; 14] =
    [0, 0, 1, 1, 2, 3, 5, -1, -7, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN, i64::MAX / 3];

/// Numbers by chance.
pub(crate) struct TestRng(pub u64);

impl TestRng {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    pub(crate) fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A function that is being made up.
struct FunctionGenerator {
    types: Vec<Type>,
    ops: Vec<Op>,
    /// Registers that are written for sure, and where that ends: jumps go there.
    numbers: Vec<Reg>,
    lists: Vec<Reg>,
    open: Vec<(usize, Vec<Reg>, Vec<Reg>)>,
}

impl FunctionGenerator {
    fn register(&mut self, ty: Type) -> Reg {
        self.types.push(ty);
        (self.types.len() - 1) as Reg
    }

    /// A register to be written: a new one, or one written before.
    fn number(&mut self, dice: &mut TestRng, ty: Type) -> Reg {
        let written = self.numbers.iter().copied().filter(|reg| *reg > 2).collect::<Vec<_>>();
        if dice.below(5) == 0 && !written.is_empty() { dice.of(&written) } else { self.register(ty) }
    }
}

fn builtin(name: &str) -> u16 {
    BUILTINS.iter().position(|b| b.name == name).expect("there is one of that name") as u16
}

/// A function of this, you and an object. `known` are those it may call.
fn made_up(dice: &mut TestRng, known: &[FnId], length: usize) -> Function {
    let mut d = FunctionGenerator {
        types: vec![Type::Object, Type::Player, Type::Object],
        ops: Vec::new(),
        numbers: vec![0, 1, 2],
        lists: Vec::new(),
        open: Vec::new(),
    };
    while d.ops.len() < length || !d.open.is_empty() {
        let at = d.ops.len();
        // Jumps arrive: what was written since is not for sure.
        let arrived = |open: &(usize, Vec<Reg>, Vec<Reg>)| open.0 == at;
        while let Some(n) = d.open.iter().position(arrived) {
            let (_, numbers, lists) = d.open.swap_remove(n);
            d.numbers.retain(|reg| numbers.contains(reg));
            d.lists.retain(|reg| lists.contains(reg));
        }
        // Where one jump arrives next, another goes further, or it ends here.
        if d.open.iter().any(|(to, ..)| *to == at + 1) && dice.below(3) == 0 {
            let to = at + 2 + dice.below(3);
            d.open.push((to, d.numbers.clone(), d.lists.clone()));
            let ends = Op::Return { value: d.numbers.last().copied() };
            d.ops.push(if dice.below(2) == 0 { Op::Jump { to: to as u32 } } else { ends });
            continue;
        }
        let (a, b, c) = (dice.of(&d.numbers), dice.of(&d.numbers), dice.of(&[0, 2, 2]));
        let of = if dice.below(4) == 0 { a } else { c };
        let list = (!d.lists.is_empty()).then(|| dice.of(&d.lists));
        let zone = ZoneKindId(dice.below(3) as u32);
        let called = (!known.is_empty()).then(|| dice.of(known));
        let (op, is_list) = match (dice.below(31), list, called) {
            (0..3, ..) => (Op::Const { dst: 0, value: dice.of(&ENDS) }, false),
            (3..7, ..) => {
                use Binary::*;
                let ops =
                    [Add, Subtract, Multiply, DivideDown, DivideUp, Min, Max, Equal, NotEqual, Less, LessEqual, And, Or, MaskAnd];
                (Op::Binary { op: dice.of(&ops), dst: 0, a, b }, false)
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
                let place = dice.of(&places);
                (Op::Get { dst: 0, place, of: if matches!(place, Place::Player(_)) { a } else { of } }, false)
            }
            (11, ..) => (Op::HasWord { dst: 0, of, traits: TraitSetId(0), word: dice.below(40) as u16 }, false),
            (12, ..) => (Op::Exists { dst: 0, of }, false),
            (13, ..) => (Op::InZone { dst: 0, of, zone }, false),
            (14, ..) => (Op::ZoneOf { dst: 0, zone, player: b }, false),
            (15, ..) => (Op::Opponent { dst: 0, player: dice.of(&[1, a]) }, false),
            (16, ..) => (Op::GetKey { dst: 0, place: Place::Status(1), of, key: b }, false),
            (17, ..) => {
                let name =
                    dice.of(&["min", "max", "is_somebody", "is_playing", "turn_number", "list_size", "is_ability", "place_of"]);
                (Op::Builtin { dst: 0, builtin: builtin(name), args: vec![a, b] }, false)
            }
            (18, ..) => (Op::Copy { dst: 0, src: a }, false),
            (19 | 20, ..) => {
                let to = (at + 2 + dice.below(4)) as u32;
                d.open.push((to as usize, d.numbers.clone(), d.lists.clone()));
                d.ops.push(Op::JumpUnless { cond: a, to });
                continue;
            }
            (21 | 22, ..) => (Op::AllInZone { dst: 0, zone }, true),
            (23, ..) => (Op::ZoneList { dst: 0, zone: a }, true),
            (24 | 25, Some(list), Some(filter)) => (Op::Filter { dst: 0, list, filter, captures: vec![of, 1] }, true),
            (26, Some(list), _) => (Op::Count { dst: 0, list }, false),
            (27, Some(list), Some(value)) => {
                let how = dice.of(&[FoldKind::Sum, FoldKind::Highest, FoldKind::Lowest]);
                (Op::Fold { dst: 0, list, how, value, captures: vec![of, 1] }, false)
            }
            (28, Some(list), _) => (Op::Contains { dst: 0, list, item: of }, false),
            (30, ..) => (Op::Cast { dst: 0, src: a }, false),
            (29, _, Some(function)) => (Op::Call { dst: 0, function, args: vec![of, b, c] }, false),
            _ => continue,
        };
        let ty = if matches!(op, Op::Cast { .. }) { dice.of(&[Type::Object, Type::Player, Type::Thing]) } else { Type::Number };
        let dst = if is_list { d.register(Type::Objects) } else { d.number(dice, ty) };
        d.ops.push(with_destination(op, dst));
        let written = if is_list { &mut d.lists } else { &mut d.numbers };
        if !written.contains(&dst) {
            written.push(dst);
        }
    }
    d.ops.push(Op::Return { value: d.numbers.last().copied() });
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
        | Op::Contains { dst, .. }
        | Op::Call { dst, .. } => *dst = to,
        _ => {}
    }
    op
}

/// The tiny game with words, counters and made-up functions.
pub(crate) fn program(dice: &mut TestRng) -> (Program, Vec<FnId>) {
    let mut game = testing::game();
    let library = &mut game.library;
    let words = (0..40).map(|n| format!("word{n}")).collect();
    library.traits.push(TraitSet { name: "words".into(), words, layer: 0, changeable: false });
    for (n, definition) in library.definitions.present_mut().enumerate() {
        definition.words = vec![(0..40).filter(|word| word % (n as u16 + 2) == 0).collect()];
    }
    let counters = crate::ir::Variable { keys: Some(TraitSetId(0)), name: "counters".into(), ..library.statuses[0].clone() };
    let marks = library.statuses[0].clone();
    library.statuses.extend([counters, marks]);
    let mut made = Vec::new();
    for n in 0..30 {
        let known: Vec<FnId> = made.iter().copied().filter(|_| dice.below(3) == 0).collect();
        made.push(FnId(library.functions.len() as u32));
        library.functions.push(made_up(dice, if n < 4 { &[] } else { &known }, 3 + n / 2));
    }
    (Program::link(&game, 0, &[]).expect("the format is there"), made)
}

/// A game some way on, with marks and counters on its objects.
pub(crate) fn middle(program: &Arc<Program>, dice: &mut TestRng) -> Machine {
    let mut machine =
        start(Arc::clone(program), &[testing::cards(80), testing::cards(20)], dice.below(1000) as u64).expect("it starts");
    let mut bots: Vec<Box<dyn Bot>> = (0..2).map(|seat| bot::named("random", 3, 0, seat).expect("there is one")).collect();
    for _ in 0..dice.below(12) {
        let StepResult::Asked(decision) = machine.step() else { break };
        let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&machine, &decision));
        machine.answer(&picks).expect("it is legal");
    }
    for slot in 1..machine.state.slots() {
        for status in [0, 2] {
            machine.state.set_column(slot, at::STATUSES + status, dice.of(&ENDS) as u32);
        }
        let holder = machine.state.cell_for_write(slot, at::STATUSES + 1);
        for key in 1..dice.below(4) {
            machine.state.block.set_keyed(holder, key as u32, dice.of(&ENDS) as u32);
        }
    }
    machine
}

/// References to objects of a game, stale ones and players among them, and to nothing.
pub(crate) fn references(machine: &Machine, dice: &mut TestRng) -> Vec<i64> {
    let slots = machine.state.slots();
    let reference = |_| {
        let it = machine.state.current(1 + dice.below(slots));
        match dice.below(6) {
            0 => ObjectRef::new(it.slot(), it.incarnation().wrapping_sub(1) & 0xff).value(),
            1 => ObjectRef::of_player(dice.below(3)).value(),
            2 => dice.of(&ENDS),
            _ => it.value(),
        }
    };
    (0..40).map(reference).collect()
}

/// Arguments for a made-up function.
pub(crate) fn arguments(references: &[i64], dice: &mut TestRng) -> [i64; 3] {
    [dice.of(references), dice.of(&[0, 1, 1, -1, 2, i64::MAX]), dice.of(references)]
}
