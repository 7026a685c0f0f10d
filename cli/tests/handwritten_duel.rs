//! Compares the handwritten duel (`benches/duel`) with the engine: both ask the same questions, pick the same answers and end the same way.
//!
//! `FIZZLE_GAMES` sets how many games are played (a quick run plays 20).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../benches/duel/mod.rs"]
mod handwritten;
#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use handwritten::engine::{EngineDuel, game_seeds};
use handwritten::{Question, Witness};

#[derive(Default)]
struct RecordedQuestions(Vec<(Question, Option<usize>)>);

impl Witness for RecordedQuestions {
    fn record(&mut self, question: &Question, first: Option<usize>) {
        self.0.push((*question, first));
    }
}

#[test]
fn handwritten_duel_equals_the_engine() {
    let engine_duel = EngineDuel::new(handwritten::engine::sources());
    let mut winners = [0; 2];
    for game in 0..shipped::game_count(20) {
        let (mut engine, mut by_hand) = (RecordedQuestions::default(), RecordedQuestions::default());
        let engine_end = engine_duel.play(1, game, &mut engine);
        let (chance, bots) = game_seeds(1, game);
        let handwritten_end = handwritten::play(chance, bots, &mut by_hand);
        for (number, pair) in engine.0.iter().zip(&by_hand.0).enumerate() {
            assert_eq!(pair.0, pair.1, "game {game}, decision {number}: the engine and the handwritten duel differ");
        }
        assert_eq!(engine_end, handwritten_end, "game {game}");
        assert_eq!(engine.0.len() as u64, engine_end.decisions);
        assert_eq!(by_hand.0.len() as u64, engine_end.decisions);
        winners[engine_end.winner] += 1;
    }
    assert!(winners.iter().all(|won| *won > 0), "a player never wins: {winners:?}");
}
