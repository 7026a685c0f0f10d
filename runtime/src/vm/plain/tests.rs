//! Random functions, operation by operation and as plain functions, over columns where they are called with many objects: the same value
//! and the same fuel, whatever the arguments and the limit.

use crate::made_up::{Dice, arguments, middle, program, references};
use crate::vm::eval::Scratch;
use std::sync::Arc;

/// Programs of 30 functions.
const SEEDS: u64 = 60;

#[test]
fn made_up_functions_are_the_same_operation_by_operation() {
    for seed in 0..SEEDS {
        let mut dice = Dice(seed);
        let (program, made) = program(&mut dice);
        let mut machine = middle(&Arc::new(program), &mut dice);
        let references = references(&machine, &mut dice);
        let (world, _) = machine.world();
        for function in made {
            for _ in 0..12 {
                let args = arguments(&references, &mut dice);
                let mut limit = 200_000;
                // Then with any less, which makes it nothing.
                for _ in 0..2 {
                    let (mut plain, mut scalar) = (Scratch::new(limit), Scratch::new(limit));
                    scalar.thorough = true;
                    let values = [&mut plain, &mut scalar].map(|scratch| world.call(scratch, function, &args));
                    let same = if scalar.fuel > limit { plain.fuel > limit } else { plain.fuel == scalar.fuel };
                    let code = world.program.function(function);
                    let fuel = (plain.fuel, scalar.fuel, limit);
                    assert!(
                        values[0] == values[1] && same,
                        "seed {seed}, function {function:?}{args:?}: {values:?}, fuel {fuel:?}: {code:#?}"
                    );
                    limit = dice.below(scalar.fuel as usize + 2) as u64;
                }
            }
        }
    }
}
