//! Tests of games: decisions, refused answers, determinism, views, saved games.

#![cfg(feature = "shipped")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod common;

use common::{decks, format};
use fizzle::{Answer, Bot, DecisionKind, Deck, Error, Game, Outcome, Pack, Value};

/// A game with these decks.
fn start(seed: u64) -> Game {
    Game::start(&format(), &decks(), seed).unwrap()
}

/// A random bot for each seat.
fn bots(seed: u64) -> Vec<Bot> {
    (0..2).map(|seat| Bot::new("random", seed, seat).unwrap()).collect()
}

/// Answers one decision by a bot. Returns `false` if the game is over.
fn step(game: &mut Game, bots: &mut [Bot]) -> bool {
    let Some(seat) = game.decision().map(|decision| decision.seat) else { return false };
    let answer = bots[seat].answer(game).unwrap();
    game.answer(answer).unwrap();
    true
}

#[test]
fn a_refused_answer_changes_nothing() {
    let mut game = start(3);
    let mut bots = bots(3);
    let mut refused = 0;
    while let Some(decision) = game.decision().cloned() {
        let before = (game.save(), game.position_hash(), game.view(0).unwrap(), game.view(1).unwrap());
        let count = decision.options.len();
        let wrong = match decision.kind {
            DecisionKind::Number => vec![Answer::Number(decision.max + 1), Answer::Options(vec![0])],
            DecisionKind::Divide => vec![Answer::Shares(vec![decision.max; count + 1]), Answer::Number(1)],
            _ => vec![
                Answer::from(count),
                Answer::Options(vec![0; usize::try_from(decision.max).unwrap() + 1]),
                Answer::Number(0),
                Answer::Shares(vec![1]),
            ],
        };
        for answer in wrong {
            let error = game.answer(answer.clone()).unwrap_err();
            assert!(matches!(error, Error::Answer(_)), "{answer:?}: {error}");
            refused += 1;
        }
        assert_eq!(game.decision(), Some(&decision));
        assert_eq!(before, (game.save(), game.position_hash(), game.view(0).unwrap(), game.view(1).unwrap()));
        assert!(step(&mut game, &mut bots));
        assert_ne!(before.0, game.save(), "an answer changes the game");
    }
    assert!(refused > 50, "{refused}");
    assert!(matches!(game.outcome(), Some(Outcome::Won(_))));
    assert!(matches!(game.answer(0), Err(Error::Answer(_))), "the game is over");
}

#[test]
fn the_same_seed_and_answers_give_the_same_game() {
    let (mut one, mut two) = (start(11), start(11));
    let (mut bots_of_one, mut bots_of_two) = (bots(11), bots(11));
    loop {
        assert_eq!(one.decision(), two.decision());
        assert_eq!(one.position_hash(), two.position_hash());
        // The views of one game are read, those of the other one are not until the end: reading changes nothing.
        one.view(0).unwrap();
        if !step(&mut one, &mut bots_of_one) {
            break;
        }
        assert!(step(&mut two, &mut bots_of_two));
    }
    assert_eq!(one.save(), two.save());
    for seat in 0..2 {
        assert_eq!(one.view(seat).unwrap(), two.view(seat).unwrap());
    }
    assert_eq!(one.outcome(), two.outcome());
    assert_ne!(start(11).position_hash(), start(12).position_hash(), "another seed gives another game");
}

#[test]
fn a_view_shows_no_hidden_card_of_another_player() {
    let (mine, theirs) = ("コッコ・ルピア", "凶戦士ブレイズ・クロー");
    let decks = [mine, theirs].map(|card| Deck::new(card).with("main", 40, card));
    let game = Game::start(&format(), &decks, 1).unwrap();
    for (seat, own, other) in [(0, mine, theirs), (1, theirs, mine)] {
        let view = game.view(seat).unwrap();
        let text = format!("{view:?}");
        assert!(text.contains(own) && !text.contains(other), "seat {seat}: {text}");
        let hand = view.zone("hand", Some(seat)).unwrap();
        assert_eq!((hand.objects.len(), hand.hidden), (5, 0));
        let hand = view.zone("hand", Some(1 - seat)).unwrap();
        assert_eq!((hand.objects.len(), hand.hidden), (0, 5));
        let deck = view.zone("deck", Some(seat)).unwrap();
        assert_eq!((deck.objects.len(), deck.hidden), (0, 30), "players do not see their own deck");
    }
    assert!(matches!(game.view(2), Err(Error::Seat { seat: 2, seats: 2 })));
}

#[test]
fn what_is_played_openly_is_seen_by_all() {
    let mut game = start(5);
    let option = game.decision().unwrap().options[0].clone();
    game.answer(0).unwrap();
    let theirs = game.view(1).unwrap();
    let mana = theirs.zone("mana", Some(0)).unwrap();
    assert_eq!(mana.objects[0].name, option.label);
    let (zone, object) = theirs.object(mana.objects[0].handle).unwrap();
    assert_eq!((zone.name.as_str(), object.owner, object.controller), ("mana", 0, Some(0)));
    assert!(matches!(object.properties["power"], Value::Number(_)), "{:?}", object.properties);
}

#[test]
fn only_the_deciding_player_gets_the_decision() {
    let game = start(5);
    let decision = game.decision().unwrap();
    let handles: Vec<u32> = decision.options.iter().filter_map(|option| option.handle).collect();
    let mine = game.view(decision.seat).unwrap();
    assert_eq!(mine.deciding, Some(decision.seat));
    assert!(!handles.is_empty());
    for (handle, option) in handles.iter().zip(&decision.options) {
        assert_eq!(mine.object(*handle).unwrap().1.name, option.label);
    }
}

#[test]
fn a_loaded_game_is_the_saved_one() {
    let mut game = start(8);
    let mut players = bots(8);
    for _ in 0..15 {
        assert!(step(&mut game, &mut players));
    }
    let saved = game.save();
    let pack = Pack::shipped("duel_masters").unwrap();
    let mut loaded = Game::load(&pack, &saved).unwrap();
    for seat in 0..2 {
        assert_eq!(loaded.view(seat).unwrap(), game.view(seat).unwrap(), "with the same handles");
    }
    assert_eq!((loaded.decision(), loaded.turn()), (game.decision(), game.turn()));
    assert_eq!(loaded.save(), saved);
    while let Some(answer) = game.minimal_answer() {
        game.answer(answer.clone()).unwrap();
        loaded.answer(answer).unwrap();
    }
    assert!(game.outcome().is_some());
    assert_eq!(loaded.save(), game.save());
    let mut damaged = saved.clone();
    damaged[saved.len() / 2] ^= 1;
    assert!(matches!(Game::load(&pack, &damaged), Err(Error::Load(_))));
}

#[test]
fn a_conceded_game_is_won_by_the_other_player_and_can_be_loaded() {
    let mut game = start(2);
    game.concede(0).unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Won(1)));
    assert!(game.decision().is_none());
    assert!(matches!(game.concede(1), Err(Error::Answer(_))), "the game is over");
    let loaded = Game::load(&Pack::shipped("duel_masters").unwrap(), &game.save()).unwrap();
    assert_eq!(loaded.outcome(), game.outcome());
}

#[test]
fn refused_plays_have_a_reason() {
    let mut game = start(4);
    let mut players = bots(4);
    while game.decision().unwrap().kind != DecisionKind::Act {
        assert!(game.why_not().is_empty(), "the options are all there is");
        assert!(step(&mut game, &mut players));
    }
    let decision = game.decision().unwrap();
    let refused = game.why_not();
    assert!(!refused.is_empty());
    for one in &refused {
        assert!(!one.reason.is_empty());
        let offered = decision.options.iter().any(|option| option.handle == one.handle && option.action == one.play);
        assert!(!offered, "{one:?} is among the options");
    }
    assert!(refused.iter().any(|one| one.place.contains(".fz:")), "{refused:?}");
}

#[test]
fn names_and_numbers_that_do_not_exist_are_refused() {
    let unknown = format().deck("Dragons and bird").unwrap_err();
    assert_eq!(unknown.to_string(), "no deck `Dragons and bird`; did you mean `Dragons and birds`?");
    let strange = Deck::from_cards("Strange", ["No such card"]);
    let error = Game::start(&format(), &[strange, decks().remove(0)], 1).unwrap_err();
    assert_eq!(error.to_string(), "no card `No such card`");
    let error = Game::start(&format(), &decks()[..1], 1).unwrap_err();
    assert_eq!(error.to_string(), "1 decks given, `duel_masters` takes 2 to 2");
    assert!(matches!(fizzle::Bot::new("clever", 1, 0), Err(Error::Bot(_))));
}

#[test]
fn deck_rules_are_checked() {
    for deck in format().decks() {
        assert_eq!(format().check_deck(&deck).unwrap(), Vec::<String>::new(), "{}", deck.name);
    }
    let card = format().cards().remove(0);
    let deck = Deck::from_cards("Monotonous", vec![card; 40]);
    assert_eq!((deck.len(), deck.sections.len()), (40, 1));
    let problems = format().check_deck(&deck).unwrap();
    assert!(problems.iter().any(|problem| problem.contains("40 copies")), "{problems:?}");
}

#[test]
fn games_can_be_moved_to_other_threads() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    is_send::<Game>();
    is_send::<Bot>();
    is_shared::<Pack>();
    is_shared::<Error>();
    let game = start(1);
    let decision = game.decision().cloned();
    let moved = std::thread::spawn(move || game.decision().cloned()).join().unwrap();
    assert_eq!(moved, decision);
}

/// A declaration is refused by the rules of the game, not by its form: a creature that blocks two attackers.
#[test]
fn a_declaration_that_the_rules_refuse_changes_nothing() {
    let format = Pack::shipped("magic").unwrap().format("magic").unwrap();
    let decks = ["Green red stomp", "White blue flyers"].map(|name| format.deck(name).unwrap());
    let mut refused = Vec::new();
    for seed in 0..20 {
        let mut game = Game::start(&format, &decks, seed).unwrap();
        let mut bots = bots(seed);
        while let Some(decision) = game.decision().cloned() {
            if decision.kind == DecisionKind::Assign {
                let before = (game.save(), game.position_hash(), game.view(decision.seat).unwrap());
                let all: Vec<usize> = (0..decision.options.len()).collect();
                match game.answer(all) {
                    Ok(()) => continue,
                    Err(error) => refused.push(error.to_string()),
                }
                assert_eq!(game.decision(), Some(&decision));
                assert_eq!(before, (game.save(), game.position_hash(), game.view(decision.seat).unwrap()));
            }
            assert!(step(&mut game, &mut bots));
        }
    }
    assert!(refused.iter().any(|text| text.contains("these may not be declared together")), "{refused:?}");
}

/// Checks each fact that a reason states against the view of the player. Returns how many facts were checked.
fn check_facts(reason: &str, object: &fizzle::ObjectView, zone: &fizzle::ZoneView) -> usize {
    let Some((_, facts)) = reason.split_once("`: ") else { return 0 };
    let spaced = |name: &str| name.replace('_', " ");
    let has = |word: &str| {
        object.words.iter().any(|other| spaced(other) == word)
            || object.statuses.iter().any(|(name, value)| spaced(name) == word && *value == Value::Bool(true))
    };
    let mut checked = 0;
    for fact in facts.split(", ") {
        let (positive, what) = match (fact.strip_prefix("it is not "), fact.strip_prefix("it is ")) {
            (Some(what), _) => (false, what),
            (None, Some(what)) => (true, what),
            (None, None) => {
                let Some((name, value)) = fact.strip_prefix("its ").and_then(|fact| fact.split_once(" is ")) else { continue };
                let seat = |seat: usize| ["A", "B"][seat].to_owned();
                let real = match name {
                    "controller" => object.controller.map(seat),
                    "owner" => Some(seat(object.owner)),
                    name => {
                        let found = object.properties.iter().find(|(other, _)| spaced(other) == name);
                        found.and_then(|(_, value)| value.number()).map(|number| number.to_string())
                    }
                };
                let Some(real) = real else { continue };
                assert_eq!(real, value, "{fact}: {object:?}");
                checked += 1;
                continue;
            }
        };
        match what.strip_prefix("in ") {
            Some(name) => assert_eq!(spaced(&zone.name) == name, positive, "{fact}: {zone:?}"),
            // A name of the card.
            None if what == object.name => assert!(positive),
            None => assert_eq!(has(what), positive, "{fact}: {object:?}"),
        }
        checked += 1;
    }
    checked
}

#[test]
fn reasons_why_an_object_cannot_be_chosen_are_true() {
    let (mut explained, mut checked) = (0, 0);
    for (pack, name) in [("duel_masters", "duel_masters"), ("magic", "magic"), ("yugioh", "yugioh")] {
        let pack = Pack::shipped(pack).unwrap();
        let format = pack.format(name).unwrap();
        let decks: Vec<Deck> = format.decks().into_iter().take(2).collect();
        for seed in 0..6 {
            let mut game = Game::start(&format, &decks, seed).unwrap();
            let mut bots = bots(seed);
            while let Some(decision) = game.decision().cloned() {
                let view = game.view(decision.seat).unwrap();
                let objects: Vec<_> = view.zones.iter().flat_map(|zone| zone.objects.iter().map(move |it| (zone, it))).collect();
                for (zone, object) in objects {
                    let is_option = decision.options.iter().any(|option| option.handle == Some(object.handle));
                    let why = game.why_not_chosen(object.handle);
                    if is_option || decision.kind != DecisionKind::Choose {
                        assert_eq!(why, None, "{decision:?}");
                        continue;
                    }
                    let Some(why) = why else { continue };
                    explained += 1;
                    assert!(!why.reason.is_empty() && !why.place.is_empty(), "{why:?}");
                    checked += check_facts(&why.reason, object, zone);
                }
                if !step(&mut game, &mut bots) {
                    break;
                }
            }
        }
    }
    assert!(explained > 1_000 && checked > 300, "{explained} reasons, {checked} facts");
}
