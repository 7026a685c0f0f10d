//! The same duel played by Fizzle, which reports to the same [`Witness`].

use super::{GameEnd, Question, QuestionKind, Witness};
use fizzle_bots::{Bot, Random};
use fizzle_compiler::SourceFile;
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::{SeatCards, advance, seat_cards, start_seats};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::decision::DecisionKind;
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use std::path::Path;
use std::sync::Arc;

/// The name of the deck that both players use.
const DECK_NAME: &str = "Vanilla monsters";

/// The linked program and the decks of both players.
pub struct EngineDuel {
    program: Arc<Program>,
    seats: Vec<SeatCards>,
    life: usize,
}

/// The seeds of a game: the one of its chance, and those of the bots.
pub fn game_seeds(seed: u64, game: u64) -> (u64, [u64; 2]) {
    (derive(seed, game, 0), [derive(seed, game, 1), derive(seed, game, 2)])
}

/// The sources of the game and of the deck.
pub fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders = vec![root.join("cards/yugioh"), root.join("examples/vanilla/yugioh")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "fz"));
    paths.sort();
    let name = |path: &Path| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| SourceFile { path: name(path), text: std::fs::read_to_string(path).unwrap() }).collect()
}

impl EngineDuel {
    /// Compiles and links the game for the deck. `files` must contain both.
    pub fn new(files: Vec<SourceFile>) -> Self {
        let artifact = fizzle_compiler::compile(files).artifact.unwrap();
        let has_deck = |game: &&fizzle_runtime::ir::CompiledGame| game.decks.iter().any(|deck| deck.name == DECK_NAME);
        let game = artifact.games.iter().find(has_deck).unwrap();
        let deck = game.decks.iter().find(|deck| deck.name == DECK_NAME).unwrap();
        let index = game.formats.iter().position(|format| format.name == deck.format).unwrap();
        let pool: Vec<_> = deck.sections.iter().flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect();
        let program = Arc::new(Program::link_for(game, index, &pool, 2).unwrap());
        let seats = vec![seat_cards(&program, deck); 2];
        let life = program.library.player_variables.iter().position(|variable| variable.name == "life").unwrap();
        Self { program, seats, life }
    }

    fn life(&self, machine: &Machine) -> [i32; 2] {
        [0, 1].map(|seat| machine.state.block.int(self.program.layout.player(seat, self.life)) as i32)
    }

    /// Plays a game with random bots.
    pub fn play<W: Witness>(&self, seed: u64, game: u64, witness: &mut W) -> GameEnd {
        let (chance, bots) = game_seeds(seed, game);
        let mut machine = start_seats(Arc::clone(&self.program), &self.seats, chance).unwrap();
        let mut bots = bots.map(Random::new);
        let mut decisions = 0;
        loop {
            let decision = match advance(&mut machine) {
                StepResult::Decision(decision) => decision,
                StepResult::Over(Outcome::Won(winner)) => {
                    return GameEnd { winner, turns: machine.state.turn(), decisions, life: self.life(&machine) };
                }
                StepResult::Over(outcome) => panic!("game {game} of seed {seed} ended with {outcome:?}"),
            };
            decisions += 1;
            let picks = bots[decision.player].choose(&machine, &decision);
            let kind = match decision.kind {
                DecisionKind::Act => QuestionKind::Act,
                DecisionKind::Choose => QuestionKind::Choose,
                DecisionKind::YesNo => QuestionKind::YesNo,
                other => panic!("unexpected decision: {other:?}"),
            };
            let (turn, life, player) = (machine.state.turn(), self.life(&machine), decision.player);
            let (options, min, max) = (decision.options.len(), decision.min as usize, decision.max as usize);
            let first = picks.first().map(|pick| *pick as usize);
            witness.record(&Question { turn, life, player, kind, options, min, max }, first);
            machine.answer(&picks).unwrap();
        }
    }
}
