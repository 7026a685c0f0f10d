//! Matches between decks of the small game.

use super::*;
use crate::ir::DefId;
use crate::testing;

fn deck(main: &[(u32, u32)], side: &[(u32, u32)]) -> Deck {
    let cards = |list: &[(u32, u32)]| list.iter().map(|(n, card)| (*n, DefId(*card))).collect();
    let sections = vec![("main".into(), cards(main)), ("side".into(), cards(side))];
    Deck { name: "D".into(), format: "tiny".into(), sections, ..Deck::default() }
}

fn unlimited() -> Arc<Program> {
    let mut game = testing::game();
    game.formats[0].deck.copies = None;
    Arc::new(Program::link(&game, 0, &[]).expect("it links"))
}

fn series(best_of: u32) -> (Arc<Program>, Match) {
    let program = unlimited();
    let decks = [deck(&[(6, 1), (4, 2)], &[(1, 3)]), deck(&[(10, 2)], &[])];
    let made = Match::new(&program, &["tiny".into()], Some(best_of), &decks, 7).expect("legal decks");
    (program, made)
}

#[test]
fn an_even_number_of_games_is_refused() {
    let program = unlimited();
    let decks = [deck(&[(10, 1)], &[]), deck(&[(10, 1)], &[])];
    for even in [0, 2, 4, 1000] {
        let error = Match::new(&program, &["tiny".into()], Some(even), &decks, 0).expect_err("even");
        assert_eq!(error, MatchError::Games(even));
    }
    for (games, needed) in [(1, 1), (3, 2), (5, 3)] {
        assert_eq!(Match::new(&program, &["tiny".into()], Some(games), &decks, 0).expect("odd").needed(), needed);
    }
    let short = Match::new(&program, &["tiny".into()], None, &[deck(&[(9, 1)], &[]), deck(&[(10, 1)], &[])], 0);
    assert!(short.expect_err("nine cards").to_string().contains("has 9 cards, at least 10 are needed"));
}

#[test]
fn games_are_counted_until_the_match_is_won() {
    let (program, mut series) = series(3);
    assert_eq!(series.standing(), MatchContext { number: 1, loser: None });
    series.record_result(&program, Outcome::Won(0));
    assert_eq!((series.phase(), series.wins()), (MatchPhase::Exchanging, &[1, 0][..]));
    series.ready(0);
    assert_eq!(series.phase(), MatchPhase::Exchanging);
    series.ready(1);
    assert_eq!(series.standing(), MatchContext { number: 2, loser: Some(1) });
    series.record_result(&program, Outcome::Won(1));
    series.ready(0);
    series.ready(1);
    assert_eq!(series.standing(), MatchContext { number: 3, loser: Some(0) });
    series.record_result(&program, Outcome::Won(1));
    assert_eq!((series.phase(), series.winner()), (MatchPhase::Over, Some(1)));
}

#[test]
fn drawn_games_end_the_match_at_last() {
    let (program, mut series) = series(3);
    for game in 1..=3 {
        assert_eq!((series.phase(), series.game()), (MatchPhase::Playing, game));
        series.record_result(&program, Outcome::Drawn);
        series.ready(0);
        series.ready(1);
    }
    assert_eq!((series.phase(), series.winner()), (MatchPhase::Over, None));
}

#[test]
fn cards_are_exchanged_between_games_for_as_many() {
    let (program, mut series) = series(3);
    let one = series.swapped(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(3))]));
    let early = series.exchange(&program, 0, one.clone()).expect_err("during a game");
    assert_eq!(early.to_string(), "cards are exchanged between two games only: game 1 is being played");
    series.record_result(&program, Outcome::Won(1));
    let before = series.clone();
    let unequal = series.swapped(0, ("main", &[(1, DefId(1))]), ("side", &[]));
    let refused = series.exchange(&program, 0, unequal).expect_err("nine cards");
    assert_eq!(refused.to_string(), "section `main` has 9 cards, at least 10 are needed");
    let foreign = series.swapped(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(2))]));
    let refused = series.exchange(&program, 0, foreign).expect_err("not in the pool");
    assert_eq!(refused.to_string(), "the deck must be made of the cards registered: 4 of `Two`, not 5");
    assert_eq!(series, before, "a refused exchange changes nothing");
    series.exchange(&program, 0, one).expect("legal");
    assert_eq!(series.deck(0).map(|d| d.sections.clone()), Some(deck(&[(5, 1), (4, 2), (1, 3)], &[(1, 1)]).sections));
    let theirs = serde_json::to_string(&series.view(&program, 1)).expect("plain data");
    assert!(!theirs.contains("One") && !theirs.contains("Three"), "{theirs}");
    series.ready(0);
    let back = series.swapped(0, ("main", &[(1, DefId(3))]), ("side", &[(1, DefId(1))]));
    assert_eq!(series.exchange(&program, 0, back), Err(ExchangeError::Ready(2)));
    series.ready(1);
    let machine = series.start(&program).expect("it starts");
    assert_eq!(MatchContext::of(&machine), MatchContext { number: 2, loser: Some(0) });
    series.record_result(&program, Outcome::Won(1));
    assert_eq!(series.deck(0), Some(&deck(&[(6, 1), (4, 2)], &[(1, 3)])), "the registered deck again");
    assert_eq!(series.again(8).deck(0), Some(&deck(&[(6, 1), (4, 2)], &[(1, 3)])));
}

#[test]
fn a_match_of_one_game_exchanges_nothing() {
    let (program, mut series) = series(1);
    let one = series.swapped(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(3))]));
    let refused = series.exchange(&program, 0, one).expect_err("one game");
    assert_eq!(refused.to_string(), "cards are exchanged between two games only: the match has one game");
    series.record_result(&program, Outcome::Won(0));
    assert_eq!(series.phase(), MatchPhase::Over);
}

#[test]
fn random_exchanges_are_legal_and_repeat_exactly() {
    let (program, mut series) = series(3);
    series.record_result(&program, Outcome::Won(1));
    let mut changed = 0;
    for seed in 0..50 {
        let sections = random_exchange(&program, series.deck(0).expect("a deck"), seed);
        assert_eq!(sections, random_exchange(&program, series.deck(0).expect("a deck"), seed));
        changed += u32::from(Some(&sections) != series.deck(0).map(|deck| &deck.sections));
        series.exchange(&program, 0, sections).expect("legal");
    }
    assert!(changed > 0);
}
