//! The duel by hand (`benches/duel`) against the engine: the same questions with the same picks, and the same end.
//!
//! `FIZZLE_GAMES` sets how many games are played (the short form is 20).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../benches/duel/mod.rs"]
mod by_hand;
#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use by_hand::engine::{Table, seeds};
use by_hand::{Question, Witness};

#[derive(Default)]
struct Heard(Vec<(Question, Option<usize>)>);

impl Witness for Heard {
    fn asked(&mut self, question: &Question, first: Option<usize>) {
        self.0.push((*question, first));
    }
}

#[test]
fn the_duel_by_hand_is_the_duel_of_the_engine() {
    let table = Table::new(by_hand::engine::sources());
    let mut winners = [0; 2];
    for game in 0..shipped::games(20) {
        let (mut engine, mut hand) = (Heard::default(), Heard::default());
        let ended = table.play(1, game, &mut engine);
        let (chance, bots) = seeds(1, game);
        let ended_by_hand = by_hand::play(chance, bots, &mut hand);
        for (number, pair) in engine.0.iter().zip(&hand.0).enumerate() {
            assert_eq!(pair.0, pair.1, "game {game}, decision {number}: the engine, and by hand");
        }
        assert_eq!(ended, ended_by_hand, "game {game}");
        assert_eq!(engine.0.len() as u64, ended.decisions);
        assert_eq!(hand.0.len() as u64, ended.decisions);
        winners[ended.winner] += 1;
    }
    assert!(winners.iter().all(|won| *won > 0), "both win sometimes: {winners:?}");
}
