//! Tests that compare the optimized interpreter with the reference interpreter.
//!
//! Random functions run in both, and vectorized if there are several objects. Value and fuel must be equal for all arguments and
//! limits.

use crate::ir::op::WriteMode;
use crate::ir::{FnId, Function, Op, Place, Type, ZoneKindId};
use crate::program::Program;
use crate::testing;
use crate::testing::random_functions::{BOUNDARY_VALUES, TestRng, arguments, program, random_position, references};
use crate::vm::optimized::lanes::LANES;
use crate::vm::scratch::Scratch;
use std::sync::Arc;

/// Random programs, of 30 functions each.
const SEEDS: u64 = 60;

#[test]
fn optimized_functions_equal_the_reference_interpreter() {
    for seed in 0..SEEDS {
        let mut dice = TestRng(seed);
        let (program, made) = program(&mut dice);
        let mut machine = random_position(&Arc::new(program), &mut dice);
        let references = references(&machine, &mut dice);
        let (world, _) = machine.world();
        for function in made {
            for _ in 0..12 {
                let args = arguments(&references, &mut dice);
                let mut limit = 20_000;
                // The second run has a random lower limit, which may end it early.
                for _ in 0..2 {
                    let (mut optimized, mut reference) = (Scratch::new(limit), Scratch::new(limit));
                    reference.reference_mode = true;
                    let values = [&mut optimized, &mut reference].map(|scratch| world.call(scratch, function, &args));
                    let same = if reference.fuel > limit { optimized.fuel > limit } else { optimized.fuel == reference.fuel };
                    let code = world.program.function(function);
                    let fuel = (optimized.fuel, reference.fuel, limit);
                    assert!(
                        values[0] == values[1] && same,
                        "seed {seed}, function {function:?}{args:?}: {values:?}, fuel {fuel:?}: {code:#?}"
                    );
                    limit = dice.number_below(reference.fuel as usize + 2) as u64;
                }
            }
        }
    }
}

#[test]
fn vectorized_runs_equal_scalar_runs() {
    const LIMIT: u64 = 200_000;
    let (mut vectorized, mut ran_out) = (0, 0);
    for seed in 0..SEEDS {
        let mut dice = TestRng(seed ^ 0x5eed);
        let (program, made) = program(&mut dice);
        let mut machine = random_position(&Arc::new(program), &mut dice);
        let references = references(&machine, &mut dice);
        let (world, _) = machine.world();
        for function in made {
            let args = arguments(&references, &mut dice);
            let objects: Vec<i32> = (0..1 + dice.number_below(LANES)).map(|_| dice.pick(&references) as i32).collect();
            let (mut at_once, mut alone) = (Scratch::new(LIMIT), Scratch::new(LIMIT));
            let mut applied = world.bind(&at_once, function, &args[..2]);
            vectorized += usize::from(applied.is_vectorized(objects.len()));
            let mut values = [0; LANES];
            world.apply_to_all(&mut at_once, &mut applied, &objects, &mut values);
            alone.reference_mode = true;
            let expected: Vec<i64> =
                objects.iter().map(|object| world.call(&mut alone, function, &[args[0], args[1], i64::from(*object)])).collect();
            let code = world.program.function(function);
            if alone.fuel > LIMIT {
                assert!(at_once.fuel > LIMIT, "seed {seed}, {function:?}: {}", at_once.fuel);
                ran_out += 1;
                continue;
            }
            assert_eq!(values[..objects.len()], expected, "seed {seed}, function {function:?}: {code:#?}");
            assert_eq!(at_once.fuel, alone.fuel, "seed {seed}, function {function:?}: {code:#?}");

            // The objects that the filter keeps, in their order.
            let mut kept = objects.clone();
            at_once = Scratch::new(LIMIT);
            let mut applied = world.bind(&at_once, function, &args[..2]);
            let many = world.retain_lanes(&mut at_once, &mut applied, &mut kept);
            let wanted: Vec<i32> = objects.iter().zip(&expected).filter(|(_, value)| **value != 0).map(|(it, _)| *it).collect();
            assert_eq!(kept[..many], wanted, "seed {seed}, function {function:?}");
        }
    }
    assert!(vectorized > 300 && ran_out > 10, "{vectorized} runs were vectorized, {ran_out} ran out of fuel");
}

#[test]
fn cached_filter_results_equal_recomputed_ones() {
    const LIMIT: u64 = 20_000;
    let mut fully_cached = 0;
    for seed in 0..SEEDS {
        let mut dice = TestRng(seed ^ 0xfeed);
        let (program, made) = program(&mut dice);
        let program = Arc::new(program);
        let mut machine = random_position(&program, &mut dice);
        machine.clear_caches();
        let filters: Vec<FnId> = (0..6).map(|_| dice.pick(&made)).collect();
        let references = references(&machine, &mut dice);
        let args: Vec<[i64; 3]> = (0..2).map(|_| arguments(&references, &mut dice)).collect();
        for _ in 0..180 {
            let it = machine.state.current(1 + dice.number_below(machine.state.slots() - 1));
            let (value, seat) = (dice.pick(&BOUNDARY_VALUES), dice.number_below(2));
            match dice.number_below(8) {
                0 => machine.write(Place::Status(dice.pick(&[0, 2])), it.value(), WriteMode::Set, value),
                1 => machine.write_key(Place::Status(1), it.value(), dice.number_below(4) as i64, WriteMode::Add, value),
                2 => machine.write(Place::Player(0), seat as i64, WriteMode::Set, value),
                3 => {
                    let into = dice.number_below(program.layout.instances);
                    machine.move_object(&program, it, into, Some(seat), false, 0);
                    machine.record_object_change();
                }
                4 => machine.renew_timestamp(it.slot()),
                _ => {}
            }
            let (filter, args) = (dice.pick(&filters), dice.pick(&args));
            let zones = 0..program.layout.instances;
            let there: Vec<i32> =
                zones.flat_map(|zone| machine.state.zone_items(&program, zone)).take(LANES - 8).map(|it| *it as i32).collect();
            // Stale objects, players, and the null reference.
            let others = (0..dice.number_below(8)).map(|_| dice.pick(&references) as i32);
            let objects: Vec<i32> = there.iter().copied().chain(others.collect::<Vec<_>>()).chain([0]).collect();
            let (world, scratch) = machine.world();
            let mut retained = objects.clone();
            (scratch.fuel, scratch.limit) = (0, LIMIT);
            let mut applied = world.bind(scratch, filter, &args[..2]);
            fully_cached += u32::from(world.has_cached_all(scratch, &applied, &there));
            let kept = world.retain_lanes(scratch, &mut applied, &mut retained);
            let mut alone = Scratch::new(LIMIT);
            alone.reference_mode = true;
            let mut is_kept = |object: &i32| world.call(&mut alone, filter, &[args[0], args[1], i64::from(*object)]) != 0;
            let expected: Vec<i32> = objects.iter().copied().filter(|object| is_kept(object)).collect();
            if alone.fuel > LIMIT {
                assert!(scratch.fuel > LIMIT && kept == 0, "seed {seed}, {filter:?}: {}", scratch.fuel);
                continue;
            }
            assert_eq!((&retained[..kept], scratch.fuel), (&expected[..], alone.fuel), "seed {seed}, {filter:?}");
        }
    }
    assert!(fully_cached > 150, "only {fully_cached} runs were fully cached");
}

#[test]
fn nested_counts_stop_when_fuel_runs_out() {
    let mut game = testing::game();
    let first = game.library.functions.len() as u32;
    // Each function counts the objects for which the function before is not 0.
    for n in 0..4 {
        let ops = vec![
            Op::AllInZone { dst: 3, zone: ZoneKindId(0) },
            Op::Filter { dst: 4, list: 3, filter: FnId((first + n).saturating_sub(1)), captures: vec![2, 1] },
            Op::Count { dst: 5, list: 4 },
            Op::Return { value: Some(5) },
        ];
        let ops = if n == 0 { vec![Op::Exists { dst: 5, of: 2 }, Op::Return { value: Some(5) }] } else { ops };
        let registers = vec![Type::Object, Type::Player, Type::Object, Type::Objects, Type::Objects, Type::Number];
        let function = Function { registers, params: 3, result: Some(Type::Number), ops, ..Function::default() };
        game.library_mut().functions.push(function);
    }
    let program = Arc::new(Program::link(&game, 0, &[]).expect("format 0 of the test game links"));
    let mut machine = random_position(&program, &mut TestRng(1));
    let (world, _) = machine.world();
    let mut scratch = Scratch::new(1_000);
    world.call(&mut scratch, FnId(first + 3), &[0, 0, 0]);
    assert!((1_001..2_000).contains(&scratch.fuel), "{} operations were executed", scratch.fuel);
}
