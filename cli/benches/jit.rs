//! Benchmark of effect loops: filter, count and sum over many objects. Compares the reference interpreter, vectorized execution (as in
//! games), native code, and handwritten Rust.
//!
//! `cargo bench -p fizzle-cli --features jit --bench jit`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../tests/shipped/sources.rs"]
mod sources;

use criterion::{Criterion, criterion_group, criterion_main};
use fizzle_runtime::ir::ObjectRef;
use fizzle_runtime::ir::op::{Binary, FoldKind};
use fizzle_runtime::ir::{FnId, Function, Op, Place, Type, ZoneKindId};
use fizzle_runtime::jit::{CompileMode, InjectedFault, Jit};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::eval_context::EvalContext;
use std::hint::black_box;
use std::sync::Arc;

/// The smallest value that the filter accepts.
const MIN_VALUE: i64 = 2;

struct BenchProgram {
    program: Program,
    /// Of the player's objects on `field` whose `property` is at least [`MIN_VALUE`]: their number plus the sum of the property.
    count_plus_sum: FnId,
    property: u16,
    field: usize,
}

fn function(registers: Vec<Type>, params: u16, result: Type, ops: Vec<Op>) -> Function {
    Function { registers, params, result: Some(result), ops, ..Function::default() }
}

fn bench_program() -> BenchProgram {
    let artifact = fizzle_compiler::compile(sources::sources()).artifact.unwrap();
    let mut game = artifact.games.into_iter().find(|g| g.formats.iter().any(|f| f.name == "magic")).unwrap();
    let index = game.formats.iter().position(|f| f.name == "magic").unwrap();
    let library = game.library_mut();
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
            Op::Const { dst: 4, value: MIN_VALUE },
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
    let count_plus_sum = next(library);
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
    BenchProgram { program, count_plus_sum, property, field }
}

/// A machine with `objects` objects on the field, of two players in turn.
fn board_of(bench: &BenchProgram, mode: CompileMode, objects: usize) -> Machine {
    let mut program = bench.program.clone();
    program.jit = Jit::new(mode, InjectedFault::None);
    let with = |d: &&usize| program.library.definitions[**d].properties.get(usize::from(bench.property)).is_some_and(|p| *p > 0);
    let all: Vec<usize> = (0..program.library.definitions.len()).collect();
    let definitions: Vec<usize> = all.iter().filter(with).copied().collect();
    let instance = program.zone_instance(bench.field, 0).unwrap();
    let mut machine = Machine::new(Arc::new(program), 1);
    for n in 0..objects {
        machine.add_object(definitions[n * 7 % definitions.len()] as u32, n % 2, instance).unwrap();
    }
    machine
}

/// The same two loops in Rust, with the checks of object references.
fn handwritten_loops(context: &EvalContext<'_>, bench: &BenchProgram, you: i64) -> i64 {
    let items = context.state.zone_items(context.program, context.program.zone_instance(bench.field, 0).unwrap());
    let property = context.program.row.properties + usize::from(bench.property);
    let value = |it: ObjectRef| i64::from(context.derived.word(it.slot(), property) as i32);
    let counts = |it: &ObjectRef| {
        context.state.exists(*it) && value(*it) >= MIN_VALUE && i64::from(context.derived.word(it.slot(), 0) as i32) == you
    };
    let some = || items.iter().map(|item| ObjectRef(*item)).filter(counts);
    let count = some().count() as i64;
    count.saturating_add(some().map(value).fold(0, i64::saturating_add))
}

fn bench_loops(c: &mut Criterion) {
    let bench = bench_program();
    for objects in [64, 256] {
        let mut group = c.benchmark_group(format!("filter, count and sum of {objects}"));
        let expected = {
            let mut machine = board_of(&bench, CompileMode::Off, objects);
            handwritten_loops(&machine.world().0, &bench, 1)
        };
        assert!(expected > 0);
        for (name, mode) in [
            ("operation by operation", CompileMode::Off),
            ("interpreter: over columns", CompileMode::Off),
            ("compiled", CompileMode::Eager),
        ] {
            let mut machine = board_of(&bench, mode, objects);
            if name == "operation by operation" {
                machine.use_reference_mode();
            }
            let mut run = || {
                // Else the result would be cached.
                machine.clear_caches();
                let (context, scratch) = machine.world();
                scratch.fuel = 0;
                context.number(scratch, bench.count_plus_sum, black_box(&[0, 1]))
            };
            assert_eq!(expected, run());
            group.bench_function(name, |b| b.iter(&mut run));
            assert_eq!(mode == CompileMode::Eager, machine.program.jit.compiled_count() > 0);
        }
        let mut machine = board_of(&bench, CompileMode::Off, objects);
        group.bench_function("by hand", |b| {
            b.iter(|| {
                machine.clear_caches();
                handwritten_loops(&machine.world().0, &bench, black_box(1))
            });
        });
        group.finish();
    }
}

criterion_group!(benches, bench_loops);
criterion_main!(benches);
