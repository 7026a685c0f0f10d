//! Plays games of compiled packs: random answers, with views, saves and copies on the way.

use fizzle_bots::{Bot, Random};
use fizzle_runtime::game::{RecordedGame, SeatCards, advance, seat_cards, start_seats};
use fizzle_runtime::ir::{CompiledGame, Deck, DefId};
use fizzle_runtime::program::Program;
use fizzle_runtime::trace::Trace;
use fizzle_runtime::vm::{Machine, StepResult};
use fizzle_runtime::{save_game, view};
use std::sync::Arc;

/// The operations between two decisions of a fuzzed game: a hundredth of what a real game has, so that inputs are quick.
pub const FUEL: u64 = 200_000;

/// The answers of one game.
pub const ANSWERS: usize = 60;

/// The decks that a format can be played with.
fn decks_of(game: &CompiledGame, format: usize) -> impl Iterator<Item = &Deck> {
    let lineage: Vec<String> =
        game.formats.get(format).map_or_else(Vec::new, |it| [game.ancestors(&it.name), vec![it.name.clone()]].concat());
    game.decks.iter().filter(move |deck| lineage.contains(&deck.format))
}

/// The cards of two decks for a game of a format: its first decks, or copies of the first one. Empty if the game has none.
#[must_use]
pub fn decks(game: &CompiledGame, format: usize) -> Vec<Vec<DefId>> {
    let cards = |deck: &Deck| deck.sections.iter().flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect();
    let decks: Vec<Vec<DefId>> = decks_of(game, format).take(2).map(cards).collect();
    let Some(first) = decks.first().cloned() else { return Vec::new() };
    let seats = game.formats.get(format).map_or(0, |tables| usize::from(tables.min_players));
    decks.into_iter().chain(std::iter::repeat(first)).take(seats).collect()
}

/// The decks of a format as seats, each with its sections.
fn seats(game: &CompiledGame, format: usize, program: &Program) -> Vec<SeatCards> {
    let found: Vec<SeatCards> = decks_of(game, format).map(|deck| seat_cards(program, deck)).collect();
    found.iter().cycle().take(program.players()).cloned().collect()
}

/// A format that is ready to be played: its program, and the cards of its seats.
#[derive(Debug)]
pub struct Playable {
    /// The program, linked for the cards.
    pub program: Arc<Program>,
    /// The cards of each seat.
    pub seats: Vec<SeatCards>,
}

impl Playable {
    /// A format with its decks. If there is no deck for it, each player has up to 40 of its cards.
    #[must_use]
    pub fn new(game: &CompiledGame, format: usize) -> Option<Self> {
        let mut pool: Vec<DefId> = decks(game, format).concat();
        if pool.is_empty() {
            let cards = game.library.definitions.numbered().filter(|(number, it)| *number > 0 && !it.part && !it.token);
            pool = cards.map(|(number, _)| DefId(number as u32)).take(40).collect();
        }
        let program = Arc::new(Program::link(game, format, &pool)?);
        let mut seats = seats(game, format, &program);
        if seats.is_empty() {
            let zone = fizzle_runtime::game::zone_named(&program, fizzle_runtime::ir::DECK_ZONE)?;
            seats = vec![vec![(zone, pool)]; program.players()];
        }
        Some(Self { program, seats })
    }

    /// A new game with a little fuel.
    #[must_use]
    pub fn start(&self, seed: u64) -> Option<Machine> {
        let mut machine = start_seats(Arc::clone(&self.program), &self.seats, seed).ok()?;
        machine.limits.fuel = FUEL;
        Some(machine)
    }

    /// A game after some random decisions, before a decision; `None` if it ended.
    #[must_use]
    pub fn random_game(&self, seed: u64, decisions: usize) -> Option<Machine> {
        let mut machine = self.start(seed)?;
        let mut bot = Random::new(seed);
        for _ in 0..decisions {
            let StepResult::Decision(decision) = advance(&mut machine) else { return None };
            let picks = bot.choose(&machine, &decision);
            machine.answer(&picks).ok()?;
        }
        matches!(advance(&mut machine), StepResult::Decision(_)).then_some(machine)
    }
}

/// The bytes of the trace of a random game with so many answers.
#[must_use]
pub fn random_trace(game: &CompiledGame, format: usize, answers: usize) -> Option<Vec<u8>> {
    let program = Arc::new(Program::link(game, format, &decks(game, format).concat())?);
    let seats = seats(game, format, &program);
    let machine = start_seats(Arc::clone(&program), &seats, 7).ok()?;
    let mut recorded = RecordedGame::new(machine);
    let mut bot = Random::new(7);
    for _ in 0..answers {
        let StepResult::Decision(decision) = recorded.advance() else { break };
        let picks = bot.choose(&recorded.machine, &decision);
        recorded.answer(&decision, &picks).ok()?;
    }
    Some(Trace::new(&game.name, &recorded.machine, &seats, 7, recorded.answers.iter().collect()).encode())
}

/// Plays on from a position with at most `answers` random answers. Now and then it is looked at by each player, copied as one of them knows it, and saved; the copy
/// and the loaded game must answer too. `forged`: the position is not one that a game has reached, so that it may not be loaded again.
///
/// # Panics
/// If the saved game of a position that a game has reached is not read back: that is a fault, which fuzzing reports.
#[expect(clippy::panic, reason = "a fuzz target reports by a panic")]
pub fn play_on(machine: &mut Machine, seed: u64, answers: usize, forged: bool) {
    let mut bot = Random::new(seed);
    for number in 0..answers {
        let StepResult::Decision(decision) = advance(machine) else { return };
        if number % 16 == 3 {
            for viewer in 0..machine.program.players() {
                let _seen = view::view(machine, viewer);
            }
            let mut copy = view::determinise(machine, decision.player, seed);
            if let StepResult::Decision(decision) = advance(&mut copy) {
                let _answered = copy.answer(&bot.choose(&copy, &decision));
            }
            match save_game::load(Arc::clone(&machine.program), &save_game::save(machine)) {
                Ok(mut loaded) => {
                    loaded.limits = machine.limits;
                    let _next = advance(&mut loaded);
                }
                Err(_) if forged => return,
                Err(error) => panic!("a saved game is refused: {error}"),
            }
        }
        let picks = bot.choose(machine, &decision);
        if machine.answer(&picks).is_err() && machine.answer(&decision.proposal().unwrap_or_default()).is_err() {
            return;
        }
    }
}
