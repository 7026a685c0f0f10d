//! Effect loops: filter, count and sum over many objects: interpreted operation by operation (as the reference does), interpreted over
//! columns (as games are played), compiled, and written by hand in Rust.
//!
//! `cargo bench -p fizzle-cli --features jit --bench jit`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../tests/shipped/sources.rs"]
mod sources;

use criterion::{Criterion, criterion_group, criterion_main};
use fizzle_runtime::ir::op::{Binary, FoldKind};
use fizzle_runtime::ir::{FnId, Function, Op, Place, Type, ZoneKindId};
use fizzle_runtime::jit::{CompileMode, InjectedFault, Jit};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::ObjectRef;
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::eval::EvalContext;
use std::hint::black_box;
use std::sync::Arc;

/// The least value that counts.
const LEAST: i64 = 2;

struct Table {
    program: Program,
    /// How many of `property` the objects of `field` have that the player has, and how much in all.
    sum: FnId,
    property: u16,
    field: usize,
}

fn function(registers: Vec<Type>, params: u16, result: Type, ops: Vec<Op>) -> Function {
    Function { registers, params, result: Some(result), ops, ..Function::default() }
}

fn table() -> Table {
    let artifact = fizzle_compiler::compile(sources::sources()).artifact.unwrap();
    let mut game = artifact.games.into_iter().find(|g| g.formats.iter().any(|f| f.name == "magic")).unwrap();
    let index = game.formats.iter().position(|f| f.name == "magic").unwrap();
    let library = &mut game.library;
    let property = library.properties.iter().position(|p| p.name == "power").unwrap() as u16;
    let field = library.zones.iter().position(|zone| zone.field).unwrap();
    let next = |library: &fizzle_runtime::ir::Library| FnId(library.functions.len() as u32);
    let (number, truth) = (Type::Number, Type::Bool);
    let filter = next(library);
    library.functions.push(function(
        vec![Type::Object, Type::Player, Type::Object, number, number, truth, Type::Player, truth, truth],
        3,
        truth,
        vec![
            Op::Get { dst: 3, place: Place::Property(property), of: 2 },
            Op::Const { dst: 4, value: LEAST },
            Op::Binary { op: Binary::LessEqual, dst: 5, a: 4, b: 3 },
            Op::Copy { dst: 8, src: 5 },
            Op::JumpUnless { cond: 8, to: 8 },
            Op::Get { dst: 6, place: Place::Controller, of: 2 },
            Op::Binary { op: Binary::Equal, dst: 7, a: 6, b: 1 },
            Op::Copy { dst: 8, src: 7 },
            Op::Return { value: Some(8) },
        ],
    ));
    let value = next(library);
    library.functions.push(function(
        vec![Type::Object, Type::Player, Type::Object, number],
        3,
        number,
        vec![Op::Get { dst: 3, place: Place::Property(property), of: 2 }, Op::Return { value: Some(3) }],
    ));
    let sum = next(library);
    let (zone, objects) = (ZoneKindId(field as u32), Type::Objects);
    library.functions.push(function(
        vec![Type::Object, Type::Player, objects, objects, number, objects, objects, number, number],
        2,
        number,
        vec![
            Op::AllInZone { dst: 2, zone },
            Op::Filter { dst: 3, list: 2, filter, captures: vec![0, 1] },
            Op::Count { dst: 4, list: 3 },
            Op::AllInZone { dst: 5, zone },
            Op::Filter { dst: 6, list: 5, filter, captures: vec![0, 1] },
            Op::Fold { dst: 7, list: 6, how: FoldKind::Sum, value, captures: vec![0, 1] },
            Op::Binary { op: Binary::Add, dst: 8, a: 4, b: 7 },
            Op::Return { value: Some(8) },
        ],
    ));
    let program = Program::link(&game, index, &[]).unwrap();
    Table { program, sum, property, field }
}

/// So many objects on the field, of two players.
fn field(table: &Table, mode: CompileMode, objects: usize) -> Machine {
    let mut program = table.program.clone();
    program.jit = Jit::new(mode, InjectedFault::None);
    let with = |d: &&usize| program.library.definitions[**d].properties.get(usize::from(table.property)).is_some_and(|p| *p > 0);
    let all: Vec<usize> = (0..program.library.definitions.len()).collect();
    let definitions: Vec<usize> = all.iter().filter(with).copied().collect();
    let instance = program.instance(table.field, 0).unwrap();
    let mut machine = Machine::new(Arc::new(program), 1);
    for n in 0..objects {
        machine.add_object(definitions[n * 7 % definitions.len()] as u32, n % 2, instance).unwrap();
    }
    machine
}

/// The same by hand: what the rules of references ask for, and the same two loops.
fn by_hand(world: &EvalContext<'_>, table: &Table, you: i64) -> i64 {
    let items = world.state.zone_items(world.program, world.program.instance(table.field, 0).unwrap());
    let property = world.program.row.properties + usize::from(table.property);
    let value = |it: ObjectRef| i64::from(world.derived.word(it.slot(), property) as i32);
    let counts = |it: &ObjectRef| {
        world.state.exists(*it) && value(*it) >= LEAST && i64::from(world.derived.word(it.slot(), 0) as i32) == you
    };
    let some = || items.iter().map(|item| ObjectRef(*item)).filter(counts);
    let count = some().count() as i64;
    count.saturating_add(some().map(value).fold(0, i64::saturating_add))
}

fn loops(c: &mut Criterion) {
    let table = table();
    for objects in [64, 256] {
        let mut group = c.benchmark_group(format!("filter, count and sum of {objects}"));
        let expected = {
            let mut machine = field(&table, CompileMode::Off, objects);
            by_hand(&machine.world().0, &table, 1)
        };
        assert!(expected > 0);
        for (name, mode) in [
            ("operation by operation", CompileMode::Off),
            ("interpreter: over columns", CompileMode::Off),
            ("compiled", CompileMode::Eager),
        ] {
            let mut machine = field(&table, mode, objects);
            if name == "operation by operation" {
                machine.use_reference_mode();
            }
            let mut run = || {
                // Else it would be remembered.
                machine.clear_caches();
                let (world, scratch) = machine.world();
                scratch.fuel = 0;
                world.number(scratch, table.sum, black_box(&[0, 1]))
            };
            assert_eq!(expected, run());
            group.bench_function(name, |b| b.iter(&mut run));
            assert_eq!(mode == CompileMode::Eager, machine.program.jit.compiled() > 0);
        }
        let mut machine = field(&table, CompileMode::Off, objects);
        group.bench_function("by hand", |b| {
            b.iter(|| {
                machine.clear_caches();
                by_hand(&machine.world().0, &table, black_box(1))
            });
        });
        group.finish();
    }
}

criterion_group!(benches, loops);
criterion_main!(benches);
