//! Tests of matches, with decks of the tiny game.

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

fn new_match(best_of: u32) -> (Arc<Program>, Match) {
    let program = unlimited();
    let decks = [deck(&[(6, 1), (4, 2)], &[(1, 3)]), deck(&[(10, 2)], &[])];
    let made = Match::new(&program, &["tiny".into()], Some(best_of), &decks, 7).expect("legal decks");
    (program, made)
}

#[test]
fn even_number_of_games_is_refused() {
    let program = unlimited();
    let decks = [deck(&[(10, 1)], &[]), deck(&[(10, 1)], &[])];
    for even in [0, 2, 4, 1000] {
        let error = Match::new(&program, &["tiny".into()], Some(even), &decks, 0).expect_err("even");
        assert_eq!(error, MatchError::Games(even));
    }
    for (games, needed) in [(1, 1), (3, 2), (5, 3)] {
        assert_eq!(Match::new(&program, &["tiny".into()], Some(games), &decks, 0).expect("odd").wins_needed(), needed);
    }
    let short = Match::new(&program, &["tiny".into()], None, &[deck(&[(9, 1)], &[]), deck(&[(10, 1)], &[])], 0);
    assert!(short.expect_err("nine cards").to_string().contains("has 9 cards, at least 10 are needed"));
}

#[test]
fn games_are_counted_until_the_match_is_won() {
    let (program, mut current) = new_match(3);
    assert_eq!(current.context(), MatchContext { number: 1, loser: None });
    current.record_result(&program, Outcome::Won(0));
    assert_eq!((current.phase(), current.wins()), (MatchPhase::Exchanging, &[1, 0][..]));
    current.set_ready(0);
    assert_eq!(current.phase(), MatchPhase::Exchanging);
    current.set_ready(1);
    assert_eq!(current.context(), MatchContext { number: 2, loser: Some(1) });
    current.record_result(&program, Outcome::Won(1));
    current.set_ready(0);
    current.set_ready(1);
    assert_eq!(current.context(), MatchContext { number: 3, loser: Some(0) });
    current.record_result(&program, Outcome::Won(1));
    assert_eq!((current.phase(), current.winner()), (MatchPhase::Over, Some(1)));
}

#[test]
fn too_many_drawn_games_end_the_match() {
    let (program, mut current) = new_match(3);
    for game in 1..=3 {
        assert_eq!((current.phase(), current.game()), (MatchPhase::Playing, game));
        current.record_result(&program, Outcome::Drawn);
        current.set_ready(0);
        current.set_ready(1);
    }
    assert_eq!((current.phase(), current.winner()), (MatchPhase::Over, None));
}

#[test]
fn cards_are_exchanged_between_games() {
    let (program, mut current) = new_match(3);
    let one = current.swap_cards(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(3))]));
    let early = current.exchange(&program, 0, one.clone()).expect_err("during a game");
    assert_eq!(early.to_string(), "cards are exchanged between two games only: game 1 is being played");
    current.record_result(&program, Outcome::Won(1));
    let before = current.clone();
    let unequal = current.swap_cards(0, ("main", &[(1, DefId(1))]), ("side", &[]));
    let refused = current.exchange(&program, 0, unequal).expect_err("nine cards");
    assert_eq!(refused.to_string(), "section `main` has 9 cards, at least 10 are needed");
    let foreign = current.swap_cards(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(2))]));
    let refused = current.exchange(&program, 0, foreign).expect_err("not in the pool");
    assert_eq!(refused.to_string(), "the deck must be made of the cards registered: 4 of `Two`, not 5");
    assert_eq!(current, before, "a refused exchange changes nothing");
    current.exchange(&program, 0, one).expect("legal");
    assert_eq!(current.deck(0).map(|d| d.sections.clone()), Some(deck(&[(5, 1), (4, 2), (1, 3)], &[(1, 1)]).sections));
    let theirs = serde_json::to_string(&current.view(&program, 1)).expect("plain data");
    assert!(!theirs.contains("One") && !theirs.contains("Three"), "{theirs}");
    current.set_ready(0);
    let back = current.swap_cards(0, ("main", &[(1, DefId(3))]), ("side", &[(1, DefId(1))]));
    assert_eq!(current.exchange(&program, 0, back), Err(ExchangeError::Ready(2)));
    current.set_ready(1);
    let machine = current.start(&program).expect("it starts");
    assert_eq!(MatchContext::of(&machine), MatchContext { number: 2, loser: Some(0) });
    current.record_result(&program, Outcome::Won(1));
    assert_eq!(current.deck(0), Some(&deck(&[(6, 1), (4, 2)], &[(1, 3)])), "the registered deck again");
    assert_eq!(current.rematch(8).deck(0), Some(&deck(&[(6, 1), (4, 2)], &[(1, 3)])));
}

#[test]
fn match_of_one_game_has_no_exchange() {
    let (program, mut current) = new_match(1);
    let one = current.swap_cards(0, ("main", &[(1, DefId(1))]), ("side", &[(1, DefId(3))]));
    let refused = current.exchange(&program, 0, one).expect_err("one game");
    assert_eq!(refused.to_string(), "cards are exchanged between two games only: the match has one game");
    current.record_result(&program, Outcome::Won(0));
    assert_eq!(current.phase(), MatchPhase::Over);
}

#[test]
fn random_exchanges_are_legal_and_repeat_exactly() {
    let (program, mut current) = new_match(3);
    current.record_result(&program, Outcome::Won(1));
    let mut changed = 0;
    for seed in 0..50 {
        let sections = random_exchange(&program, current.deck(0).expect("a deck"), seed);
        assert_eq!(sections, random_exchange(&program, current.deck(0).expect("a deck"), seed));
        changed += u32::from(Some(&sections) != current.deck(0).map(|deck| &deck.sections));
        current.exchange(&program, 0, sections).expect("legal");
    }
    assert!(changed > 0);
}

/// A saved state: the match before its first game, at the beginning of the second one, and after that one.
fn saved_states() -> (Arc<Program>, Match, Match, Match) {
    let (program, fresh) = new_match(3);
    let mut begun = fresh.clone();
    begun.record_result(&program, Outcome::Won(0));
    (0..2).for_each(|seat| begun.set_ready(seat));
    let mut after = begun.clone();
    after.record_result(&program, Outcome::Won(1));
    (program, fresh, begun, after)
}

#[test]
fn saved_states_that_a_match_reaches_are_accepted() {
    let (program, fresh, begun, after) = saved_states();
    assert_eq!(fresh.check_beginning(&program, &fresh), Ok(()));
    assert_eq!(begun.check_beginning(&program, &fresh), Ok(()));
    assert_eq!(begun.check_after(&program, &begun, None), Ok(()));
    assert_eq!(after.check_after(&program, &begun, Some(Outcome::Won(1))), Ok(()));
    let mut over = after.clone();
    (0..2).for_each(|seat| over.set_ready(seat));
    let third = over.clone();
    assert_eq!(third.check_beginning(&program, &fresh), Ok(()));
    over.record_result(&program, Outcome::Won(0));
    assert_eq!(over.phase(), MatchPhase::Over);
    assert_eq!(over.check_after(&program, &third, Some(Outcome::Won(0))), Ok(()));
    // A deck that need not be legal.
    let single = Match::of_one_game(&[deck(&[(1, 1)], &[]), deck(&[], &[])], 7);
    assert_eq!(single.check_beginning(&program, &single), Ok(()));
}

#[test]
fn saved_states_that_no_match_reaches_are_refused() {
    let (program, fresh, begun, after) = saved_states();
    type Change = fn(&mut Match);
    let changes: [(&str, Change); 22] = [
        ("best_of", |it| it.best_of = 5),
        ("seed", |it| it.seed = 8),
        ("registered", |it| it.registered.truncate(1)),
        ("ancestors", |it| it.ancestors = vec![String::new(); 1000]),
        ("no decks", |it| it.current.clear()),
        ("another card", |it| it.current[0].sections[0].1[0].1 = DefId(99_999_999)),
        ("too many cards", |it| it.current[0].sections[0].1[0].0 = u32::MAX),
        ("no cards", |it| it.current[1].sections.clear()),
        ("the name of a deck", |it| it.current[0].name = "\u{1b}[31m".into()),
        ("the format of a deck", |it| it.current[0].format = String::new()),
        ("the last game", |it| it.game = u32::MAX),
        ("no game", |it| it.game = 0),
        ("large wins", |it| it.wins = vec![u32::MAX; 2]),
        ("no wins", |it| it.wins.clear()),
        ("wins of three", |it| it.wins.push(0)),
        ("other wins", |it| it.wins = vec![0, 0]),
        ("large draws", |it| it.draws = u32::MAX),
        ("draws", |it| it.draws = 1),
        ("a loser that is no player", |it| it.loser = Some(5)),
        ("a large loser", |it| it.loser = Some(usize::MAX)),
        ("marks of no player", |it| it.ready.clear()),
        ("marks of three", |it| it.ready.push(true)),
    ];
    for (what, change) in changes {
        let mut changed = begun.clone();
        change(&mut changed);
        assert!(changed.check_beginning(&program, &fresh).is_err(), "{what}");
        assert!(changed.check_after(&program, &begun, None).is_err(), "{what}");
        let mut changed = after.clone();
        change(&mut changed);
        assert!(changed.check_after(&program, &begun, Some(Outcome::Won(1))).is_err(), "{what}");
    }
    for phase in [MatchPhase::Exchanging, MatchPhase::Over] {
        let changed = Match { phase, ..begun.clone() };
        assert_eq!(changed.check_beginning(&program, &fresh), Err(MatchStateError::Score));
        assert_eq!(changed.check_after(&program, &begun, None), Err(MatchStateError::NotReached));
    }
    assert!(after.check_after(&program, &begun, None).is_err(), "the game is in progress");
}

#[test]
fn large_numbers_of_a_match_do_not_overflow() {
    let (program, fresh) = new_match(3);
    let mut changed = Match { wins: vec![u32::MAX; 2], game: u32::MAX, draws: u32::MAX, ..fresh };
    changed.record_result(&program, Outcome::Won(0));
    changed.phase = MatchPhase::Playing;
    changed.wins = vec![0; 2];
    changed.record_result(&program, Outcome::Drawn);
    changed.phase = MatchPhase::Exchanging;
    (0..2).for_each(|seat| changed.set_ready(seat));
    assert_eq!((changed.game, changed.draws), (u32::MAX, u32::MAX));
}
