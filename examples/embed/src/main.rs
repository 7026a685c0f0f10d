//! Plays a game with the library `fizzle`: seat A by the rule below, seat B by a bot of the engine. The same seed gives the same log.
//!
//! `cargo run -p embed -- [SEED]`

use fizzle::{Answer, Bot, Decision, DecisionKind, Error, Game, Outcome, Pack};
use std::io::Write;
use std::process::ExitCode;

/// The seat that the rule plays; the bot plays the other one.
const RULE: usize = 0;

fn main() -> ExitCode {
    let seed = match std::env::args().nth(1).map_or(Ok(1), |seed| seed.parse()) {
        Ok(seed) => seed,
        Err(error) => return report(&format!("the seed must be a number: {error}")),
    };
    match play(seed, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error.to_string()),
    }
}

fn report(error: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

/// Plays a game to its end, and logs what the rule did.
fn play(seed: u64, log: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let pack = Pack::shipped("duel_masters")?;
    let format = pack.format("duel_masters")?;
    let decks = [format.deck("Dragons and birds")?, format.deck("Fire and nature")?];
    writeln!(log, "{}, seed {seed}: A plays {}, B plays {}", format.title(), decks[0].name, decks[1].name)?;
    let mut game = Game::start(&format, &decks, seed)?;
    let mut bot = Bot::new("greedy", seed, 1)?;
    while let Some(decision) = game.decision().cloned() {
        if decision.seat != RULE {
            let answer = bot.answer(&game).ok_or("the bot has no answer")?;
            game.answer(answer)?;
            continue;
        }
        let turn = game.turn();
        let done = follow_rule(&mut game, &decision)?;
        if let Some(option) = done.filter(|_| decision.kind == DecisionKind::Act) {
            writeln!(log, "turn {turn}, A: {}", decision.options[option].label)?;
        }
    }
    let result = match game.outcome() {
        Some(Outcome::Won(RULE)) => "A, who follows the rule, has won",
        Some(Outcome::Won(_)) => "B, the bot, has won",
        _ => "no player has won",
    };
    writeln!(log, "turn {}: {result}, after {} decisions", game.turn(), game.decisions())?;
    Ok(())
}

/// Answers by the rule or, if the game refuses that, as little as possible. Returns the first option that the rule has chosen.
fn follow_rule(game: &mut Game, decision: &Decision) -> Result<Option<usize>, Error> {
    let chosen = active_options(decision);
    let answer = match decision.kind {
        DecisionKind::Number => Some(Answer::Number(decision.max)),
        DecisionKind::Divide => None,
        _ => Some(chosen.clone().into()),
    };
    // A refused answer changes nothing.
    if answer.is_some_and(|answer| game.answer(answer).is_ok()) {
        return Ok(chosen.first().copied());
    }
    let least = game.minimal_answer().ok_or_else(|| Error::Answer("no legal answer was found".to_owned()))?;
    game.answer(least).map(|()| None)
}

/// The rule: as many options as may be chosen, in their order, without passing and without taking anything back.
fn active_options(decision: &Decision) -> Vec<usize> {
    let options = decision.options.iter().enumerate();
    let active = options.filter(|(_, option)| !option.is_pass() && !option.is_take_back()).map(|(number, _)| number);
    active.take(usize::try_from(decision.max).unwrap_or(0)).collect()
}
