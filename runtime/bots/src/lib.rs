//! Bots, listed in [`NAMES`]: drivers that answer the decisions of any game. They use the public interface of the machine, and decide on a copy in which what
//! they may not see is drawn at random (`view/determinise.rs`). Their random numbers come from their own seed, never from that of the game.

use fizzle_runtime::dice::derive;
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
use fizzle_runtime::vm::machine::Machine;

mod greedy;
mod mcts;

pub use fizzle_runtime::random_answers::RandomAnswers as Random;
pub use greedy::Greedy;
pub use mcts::{DEFAULT_ITERATIONS, MAX_ITERATIONS, MIN_ITERATIONS, Mcts};

/// The names of the bots. `mcts` may be followed by its number of playouts per decision: `mcts:200`.
pub const NAMES: [&str; 3] = ["random", "greedy", "mcts"];

/// A driver that answers decisions.
pub trait Bot: Send {
    /// Returns a legal answer to the pending decision.
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32>;
}

/// Why a name does not denote a bot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BotNameError {
    /// There is no bot with this name.
    #[error("there is no bot `{0}`")]
    Unknown(String),
    /// The bot does not search, so it takes no number of playouts.
    #[error("the bot `{0}` takes no number")]
    NoNumber(String),
    /// The number of playouts is not a number, or out of range.
    #[error("`{0}` is no number of playouts for `mcts`: {MIN_ITERATIONS} to {MAX_ITERATIONS} are possible")]
    Playouts(String),
}

/// The bot that a name denotes.
enum Kind {
    Random,
    Greedy,
    Mcts(u32),
}

fn parse_name(name: &str) -> Result<Kind, BotNameError> {
    let (bot, number) = name.split_once(':').map_or((name, None), |(bot, number)| (bot, Some(number)));
    match (bot, number) {
        ("random", None) => Ok(Kind::Random),
        ("greedy", None) => Ok(Kind::Greedy),
        ("mcts", None) => Ok(Kind::Mcts(DEFAULT_ITERATIONS)),
        ("mcts", Some(number)) => {
            let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let iterations = number.parse().ok().filter(|n| plain && (MIN_ITERATIONS..=MAX_ITERATIONS).contains(n));
            iterations.map(Kind::Mcts).ok_or_else(|| BotNameError::Playouts(number.to_owned()))
        }
        ("random" | "greedy", Some(_)) => Err(BotNameError::NoNumber(bot.to_owned())),
        _ => Err(BotNameError::Unknown(name.to_owned())),
    }
}

/// Checks the name of a bot.
///
/// # Errors
/// [`BotNameError`]: why the name does not denote a bot.
pub fn check(name: &str) -> Result<(), BotNameError> {
    parse_name(name).map(drop)
}

/// Creates a bot by its name, for a seat of a game; `None` if [`check`] refuses the name.
#[must_use]
pub fn named(name: &str, seed: u64, game: u64, seat: usize) -> Option<Box<dyn Bot>> {
    let seed = derive(seed, game, 1 + seat as u64);
    Some(match parse_name(name).ok()? {
        Kind::Random => Box::new(Random::new(seed)),
        Kind::Greedy => Box::new(Greedy::new(seed)),
        Kind::Mcts(iterations) => Box::new(Mcts::new(seed, iterations)),
    })
}

impl Bot for Random {
    /// Pays as proposed; every other decision is answered at random.
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if decision.kind == DecisionKind::Pay
            && let Some(pay) = decision.proposal()
        {
            return pay;
        }
        self.answer(machine, decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fizzle_ir::tiny_game;
    use fizzle_runtime::game::{RecordedGame, start};
    use fizzle_runtime::program::Program;
    use fizzle_runtime::vm::machine::{Outcome, StepResult};
    use std::sync::Arc;

    fn play(bots: [&str; 2], seed: u64) -> (Outcome, u64, u64) {
        let program = Arc::new(Program::link(&tiny_game::game(), 0, &[]).expect("the format exists"));
        let machine = start(program, &[tiny_game::cards(12), tiny_game::cards(12)], derive(seed, 0, 0)).expect("it starts");
        let mut game = RecordedGame::new(machine);
        let mut players: Vec<_> =
            bots.iter().enumerate().map(|(seat, name)| named(name, seed, 0, seat).expect("a bot")).collect();
        loop {
            match game.advance() {
                StepResult::Over(outcome) => return (outcome, game.decisions, game.machine.state.hash()),
                StepResult::Decision(decision) => {
                    let bot = players.get_mut(decision.player).expect("a seat");
                    let picks = bot.choose(&game.machine, &decision);
                    game.answer(&decision, &picks).expect("bots answer legally");
                }
            }
        }
    }

    #[test]
    fn bot_games_end_and_are_deterministic() {
        for bots in [["random", "random"], ["greedy", "random"], ["mcts:8", "greedy"]] {
            let first = play(bots, 11);
            assert_eq!(first, play(bots, 11));
            assert!(matches!(first.0, Outcome::Won(_)));
            assert!(first.1 > 0);
        }
    }

    #[test]
    fn a_name_may_have_a_number_of_playouts() {
        for name in NAMES.into_iter().chain(["mcts:8", "mcts:100000"]) {
            assert_eq!(check(name), Ok(()));
            assert!(named(name, 0, 0, 0).is_some());
        }
        for number in ["", "0", "7", "-8", "+8", "8.5", "100001", "99999999999999999999", "8:8"] {
            assert_eq!(check(&format!("mcts:{number}")), Err(BotNameError::Playouts(number.to_owned())));
        }
        assert_eq!(check("greedy:8"), Err(BotNameError::NoNumber("greedy".to_owned())));
        assert_eq!(check("mtcs:8"), Err(BotNameError::Unknown("mtcs:8".to_owned())));
        assert!(named("mcts:0", 0, 0, 0).is_none());
    }
}
