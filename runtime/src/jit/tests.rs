//! Differential tests of native code: random functions return the same value and fuel as in the interpreter, for any arguments
//! and fuel limit.

use super::{CompileMode, InjectedFault, Jit, enter_each};
use crate::testing::random_functions::{TestRng, arguments, program, random_position, references};
use crate::vm::eval_context::EvalContext;
use crate::vm::optimized::lanes::LANES;
use crate::vm::scratch::Scratch;
use std::sync::Arc;

/// The number of random programs, of 30 functions each.
const SEEDS: u64 = 40;

/// The first difference between native code and interpreter, if any, and the number of compiled functions.
fn difference(seed: u64, fault: InjectedFault) -> (Option<String>, usize) {
    let mut dice = TestRng(seed);
    let (mut with, made) = program(&mut dice);
    with.jit = Jit::new(CompileMode::Eager, fault);
    let mut without = with.clone();
    without.jit = Jit::new(CompileMode::Off, fault);
    let (with, without) = (Arc::new(with), Arc::new(without));
    let mut machine = random_position(&without, &mut dice);
    let references = references(&machine, &mut dice);
    let (world, _) = machine.world();
    let other = EvalContext { program: &with, ..world };
    for function in made {
        for _ in 0..12 {
            let args = arguments(&references, &mut dice);
            let mut limit = 200_000;
            // Again with a smaller limit, which may exhaust the fuel.
            for _ in 0..2 {
                let (mut one, mut two) = (Scratch::new(limit), Scratch::new(limit));
                let values = (world.call(&mut one, function, &args), other.call(&mut two, function, &args));
                let same = if one.fuel > limit { two.fuel > limit } else { one.fuel == two.fuel };
                if values.0 != values.1 || !same {
                    let code = world.program.function(function);
                    let fuel = (one.fuel, two.fuel, limit);
                    let text = format!("function {function:?}{args:?}: {values:?}, fuel {fuel:?}: {code:#?}");
                    return (Some(text), with.jit.compiled_count());
                }
                limit = dice.number_below(one.fuel as usize + 2) as u64;
            }
        }
    }
    (None, with.jit.compiled_count())
}

#[test]
fn compiled_functions_equal_interpreted_ones() {
    let mut compiled = 0;
    for seed in 0..SEEDS {
        let (found, some) = difference(seed, InjectedFault::None);
        assert_eq!(found, None, "seed {seed}");
        compiled += some;
    }
    assert!(compiled > 10 * SEEDS as usize, "{compiled} were compiled");
}

#[test]
fn injected_fault_is_detected() {
    assert!((0..10).any(|seed| difference(seed, InjectedFault::Less).0.is_some()));
}

#[test]
fn vectorized_entry_equals_single_calls() {
    const LIMIT: u64 = 200_000;
    let (mut at_once, mut gave_up) = (0, 0);
    for seed in 0..SEEDS {
        let mut dice = TestRng(seed ^ 0xeac4);
        let (mut with, made) = program(&mut dice);
        with.jit = Jit::new(CompileMode::Eager, InjectedFault::None);
        let mut without = with.clone();
        without.jit = Jit::new(CompileMode::Off, InjectedFault::None);
        let (with, without) = (Arc::new(with), Arc::new(without));
        let mut machine = random_position(&without, &mut dice);
        let references = references(&machine, &mut dice);
        let (interpreted, _) = machine.world();
        let world = EvalContext { program: &with, ..interpreted };
        for function in made {
            let mut args = arguments(&references, &mut dice);
            let objects: Vec<i32> = (0..1 + dice.number_below(LANES)).map(|_| dice.pick(&references) as i32).collect();
            // The first call compiles the function.
            let (mut many, mut alone) = (Scratch::new(LIMIT), Scratch::new(LIMIT));
            world.call(&mut many, function, &args);
            many = Scratch::new(LIMIT);
            let each = |object: &i32| interpreted.call(&mut alone, function, &[args[0], args[1], i64::from(*object)]);
            let expected: Vec<i64> = objects.iter().map(each).collect();
            let mut values = vec![0; objects.len()];
            if !enter_each(&world, &mut many, function, &mut args, &objects, &mut values) {
                gave_up += 1;
                assert_eq!((many.fuel, many.mark()), (0, 0), "seed {seed}, {function:?}: nothing has happened");
                continue;
            }
            if alone.fuel > LIMIT {
                assert!(many.fuel > LIMIT, "seed {seed}, {function:?}: {}", many.fuel);
                continue;
            }
            let code = world.program.function(function);
            assert_eq!(values, expected, "seed {seed}, {function:?}: {code:#?}");
            assert_eq!((many.fuel, many.mark()), (alone.fuel, 0), "seed {seed}, {function:?}: {code:#?}");
            at_once += 1;
        }
    }
    assert!(at_once > 5 * SEEDS && gave_up > 0, "{at_once} at once, {gave_up} not");
}
