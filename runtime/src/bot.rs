//! Bots: drivers that answer the decisions of any game. Their random numbers come from their own seed, never from that of the game.

use crate::assign::{self, AssignmentProblem, Draft};
use crate::dice::Dice;
use crate::dice::derive;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::machine::Machine;

mod greedy;
mod mcts;

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

/// The options that a bot considers: all but taking an announcement back, unless too few remain.
fn considered_options(decision: &Decision) -> Vec<u32> {
    let all = 0..decision.options.len() as u32;
    let kept: Vec<u32> = all.clone().filter(|i| decision.options.get(*i as usize) != Some(&Choice::Abandon)).collect();
    if (kept.len() as i64) < decision.min.max(1) { all.collect() } else { kept }
}

/// The minimum and maximum number of picks from this number of options.
fn size_range(decision: &Decision, options: usize) -> (usize, usize) {
    let most = if decision.repeats && options > 0 { usize::MAX } else { options };
    let min = usize::try_from(decision.min).unwrap_or(0).min(most);
    let max = usize::try_from(decision.max).unwrap_or(0).min(most).max(min);
    (min, max)
}

/// The random bot: answers uniformly.
#[derive(Clone, Debug)]
pub struct Random {
    dice: Dice,
}

impl Random {
    /// Creates a bot from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed) }
    }

    /// A random division: the minimum for each option, and the rest cut at random points.
    fn shares(&mut self, decision: &Decision) -> Vec<u32> {
        let least = decision.min.max(0) as u32;
        let n = decision.options.len() as u32;
        let rest = (decision.max.max(0) as u32).saturating_sub(least.saturating_mul(n));
        let mut cuts: Vec<u32> = (1..n).map(|_| self.dice.below(rest.saturating_add(1))).collect();
        cuts.extend([0, rest]);
        cuts.sort_unstable();
        cuts.windows(2)
            .take(n as usize)
            .map(|pair| least + pair.iter().rev().copied().reduce(|b, a| b - a).unwrap_or(0))
            .collect()
    }
}

impl Bot for Random {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if decision.kind == DecisionKind::Number {
            let span = decision.max.saturating_sub(decision.min).clamp(0, i64::from(u32::MAX) - 1) as u32;
            let number = decision.min + i64::from(self.dice.below(span + 1));
            return vec![number as i32 as u32];
        }
        if let Some(board) = &decision.board {
            return random_declaration(&mut self.dice, machine, decision, board);
        }
        if decision.kind == DecisionKind::Divide {
            return self.shares(decision);
        }
        let mut options = considered_options(decision);
        let (min, max) = size_range(decision, options.len());
        let size = min + self.dice.below((max - min).min(1 << 20) as u32 + 1) as usize;
        if decision.repeats {
            let count = options.len() as u32;
            return (0..size).filter_map(|_| options.get(self.dice.below(count) as usize).copied()).collect();
        }
        self.dice.shuffle(&mut options);
        options.truncate(size);
        options
    }
}

/// A random declaration, built pick by pick. The proposed legal one if the budget is exhausted or the costs cannot be paid.
fn random_declaration(dice: &mut Dice, machine: &Machine, decision: &Decision, board: &AssignmentProblem) -> Vec<u32> {
    let legal = || decision.proposal().unwrap_or_default();
    let mut draft = Draft::new(board, assign::BUDGET);
    loop {
        let mut open = draft.options();
        if open.is_empty() {
            break;
        }
        dice.shuffle(&mut open);
        if !open.into_iter().any(|pick| draft.pick(pick) == Ok(true)) {
            return legal();
        }
    }
    let picks = draft.picks();
    let paid = !board.paid_costs(&picks).is_empty();
    if paid && machine.clone().answer(&picks).is_err() { legal() } else { picks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{RecordedGame, start};
    use crate::testing;
    use crate::vm::machine::{Outcome, StepResult};

    fn play(bots: [&str; 2], seed: u64) -> (Outcome, u64, u64) {
        let program = testing::program();
        let machine = start(program, &[testing::cards(12), testing::cards(12)], derive(seed, 0, 0)).expect("it starts");
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

    #[test]
    fn random_answers_stay_in_range() {
        let machine = start(testing::program(), &[testing::cards(2), testing::cards(2)], 0).expect("it starts");
        let options: Vec<Choice> = (0..5).map(Choice::Mode).collect();
        let mut bot = Random::new(3);
        for (min, max, repeats) in [(0, 5, false), (2, 3, false), (1, 1, false), (0, 12, true)] {
            let decision = Decision {
                player: 0,
                kind: DecisionKind::Modes,
                options: options.clone(),
                min,
                max,
                site: None,
                repeats,
                board: None,
            };
            for _ in 0..200 {
                decision.check(&bot.choose(&machine, &decision)).expect("legal");
            }
        }
        let number = Decision {
            player: 0,
            kind: DecisionKind::Number,
            options: Vec::new(),
            min: -3,
            max: 3,
            site: None,
            repeats: false,
            board: None,
        };
        for _ in 0..200 {
            number.check(&bot.choose(&machine, &number)).expect("legal");
        }
    }

    #[test]
    fn random_bot_does_not_take_announcements_back() {
        let machine = start(testing::program(), &[testing::cards(2), testing::cards(2)], 0).expect("it starts");
        let options = vec![Choice::Abandon, Choice::PayNow];
        let decision =
            Decision { player: 0, kind: DecisionKind::Pay, options, min: 1, max: 1, site: None, repeats: false, board: None };
        let mut bot = Random::new(5);
        assert!((0..50).all(|_| bot.choose(&machine, &decision) == [1]));
    }
}
