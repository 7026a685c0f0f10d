//! A recorded game is read as it was played: the same decisions, and at each of them the same view.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{FORMATS, deliver, game, seated, seated_at, setup, step};
use fizzle_runtime::trace::Trace;
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::replay::{ALL_SEEING, Replay};
use fizzle_table::table::{ClientId, TableSetup};
use serde_json::{Value, json};

#[test]
fn a_recorded_game_is_read_as_it_was_played() {
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 7, ["", ""]));
        deliver(&mut table, &mut players);
        // The decisions, each with who decided and what the decider saw.
        let mut seen: Vec<(usize, Value, Value)> = Vec::new();
        while let Some(seat) = players.iter().position(|player| !player.ask.is_null()) {
            seen.push((seat, players[seat].view.clone(), players[seat].ask.clone()));
            if seen.len() > 300 || !step(&mut table, &mut players) {
                break;
            }
        }
        if seen.len() > 300 {
            table.receive(ClientId(0), ClientMessage::Concede, 0);
        }
        assert!(table.is_over());
        let trace = Trace::decode(&table.trace().unwrap()).unwrap();
        let replay = Replay::new(&game(format), &trace).unwrap();
        let info = replay.info(Lang::En);
        let seats: Vec<usize> = info.steps.iter().map(|step| step.seat).collect();
        assert_eq!(
            seats[..seen.len() - 1],
            seen.iter().map(|(seat, ..)| *seat).collect::<Vec<_>>()[..seen.len() - 1],
            "{format}"
        );
        assert!(info.steps.iter().all(|step| !step.words.is_empty()), "{format}");
        assert!(info.outcome.contains("has won") || info.outcome.contains("No player"), "{format}: {}", info.outcome);
        // Back and forth.
        for step in (0..seen.len()).rev().chain([0, seen.len() / 2]) {
            let (seat, view, ask) = &seen[step];
            let position = replay.position(step, *seat, Lang::En).unwrap();
            assert_eq!(serde_json::to_value(&position.view).unwrap(), *view, "{format} {step}");
            let Some(read) = position.ask else {
                assert_eq!(info.steps[step].words, "concedes");
                continue;
            };
            let options = |ask: Value| -> Vec<Value> { ask["options"].as_array().unwrap().clone() };
            let (read, shown) = (options(serde_json::to_value(&read).unwrap()), options(ask.clone()));
            assert_eq!(read.len(), shown.len(), "{format} {step}");
            assert_eq!(read.iter().map(|it| &it["on"]).collect::<Vec<_>>(), shown.iter().map(|it| &it["on"]).collect::<Vec<_>>());
            assert!(
                position.view.objects.values().all(|it| it.card.is_empty() || position.cards.contains_key(it.card.as_str())),
                "{format}"
            );
        }
        assert!(replay.position(info.steps.len(), 2, Lang::Ja).unwrap().ask.is_none());
        assert!(replay.position(info.steps.len() + 1, 0, Lang::En).is_none() && replay.position(0, 3, Lang::En).is_none());
        // A trace that is cut is read up to there; one of another game is refused.
        let mut cut = trace.clone();
        cut.answers.truncate(trace.answers.len() / 2);
        let cut = Replay::new(&game(format), &cut).unwrap();
        assert!(cut.len() < replay.len() && cut.info(Lang::En).outcome == "the trace ends here");
        let mut wrong = trace;
        wrong.answers.iter_mut().for_each(|answer| answer.picks = vec![9_999]);
        let wrong = Replay::new(&game(format), &wrong).unwrap();
        assert!(wrong.is_empty() && json!(wrong.info(Lang::En)).to_string().contains("another game"));
    }
}

/// A game of two clients that ends after at most so many decisions.
fn recorded(format: &str, seed: u64, most: usize) -> Trace {
    let (mut table, mut players) = seated(setup(format, seed, ["", ""]));
    deliver(&mut table, &mut players);
    for _ in 0..most {
        if players.iter().all(|player| player.ask.is_null()) || !step(&mut table, &mut players) {
            break;
        }
    }
    Trace::decode(&table.trace().unwrap()).unwrap()
}

#[test]
fn who_sees_everything_knows_every_card_and_each_seat_its_own_decisions() {
    for format in FORMATS {
        let replay = Replay::new(&game(format), &recorded(format, 3, 120)).unwrap();
        let info = replay.info(Lang::En);
        let passages = replay.passages(ALL_SEEING, Lang::En);
        assert_eq!(passages.len(), replay.len() + 1);
        assert!(passages.iter().map(|passage| passage.answers).is_sorted_by(|a, b| a < b), "{format}");
        let steps: Vec<_> = passages.iter().filter_map(|passage| passage.step.clone()).collect();
        let answered = |steps: &[fizzle_table::protocol::ReplayStep]| -> Vec<(usize, usize)> {
            steps.iter().map(|step| (step.seat, step.answer)).collect()
        };
        assert_eq!(answered(&steps), answered(&info.steps), "{format}");
        // Both sides of a pair have their numbers, or are players.
        let pairs = steps.iter().flat_map(|step| step.words.split(", ")).filter(|words| words.contains(" → "));
        let is_numbered = |side: &str| side.contains(" #") || ["A", "B"].contains(&side);
        assert!(pairs.into_iter().all(|pair| pair.split(" → ").all(is_numbered)), "{format}");
        for place in [0, replay.len() / 2, replay.len()] {
            let position = replay.position(place, ALL_SEEING, Lang::En).unwrap();
            assert!(position.view.zones.values().all(|zone| zone.hidden == 0), "{format}");
            assert!(position.view.objects.values().all(|it| !it.card.is_empty()), "{format}");
            assert_eq!(position.ask.is_some(), place < replay.len(), "{format}");
            let of_seat = replay.position(place, 0, Lang::En).unwrap();
            assert!(of_seat.view.zones.values().any(|zone| zone.hidden > 0), "{format}");
        }
        for seat in 0..2 {
            let own = replay.passages(seat, Lang::En);
            let known = own.iter().filter_map(|passage| passage.step.as_ref());
            assert_eq!(known.clone().count(), steps.iter().filter(|step| step.seat == seat).count(), "{format}");
            assert!(known.into_iter().all(|step| step.seat == seat), "{format}");
        }
        assert!(replay.passages(3, Lang::En).is_empty());
    }
}

#[test]
fn a_table_continues_a_recorded_game() {
    for format in FORMATS {
        let trace = recorded(format, 5, 60);
        let replay = Replay::new(&game(format), &trace).unwrap();
        let place = replay.len() / 2;
        let (program, _) = trace.link(&game(format)).unwrap();
        let continued = TableSetup { program, sandbox: true, ..setup(format, 5, ["", ""]) };
        let (mut table, mut players) = seated_at(replay.table(continued.clone(), place).unwrap(), 5);
        let answers = table.answers();
        assert_eq!(answers[..], trace.answers[..answers.len()], "{format}");
        deliver(&mut table, &mut players);
        assert_eq!(players.iter().position(|player| !player.ask.is_null()), replay.decider(place), "{format}");
        // It is another game: it can be played, taken back into the recorded part, and recorded.
        let before = table.position_hash();
        if let Some(seat) = replay.decider(place) {
            assert!(step(&mut table, &mut players));
            assert!(table.answers().len() > answers.len(), "{format}");
            table.receive(ClientId(seat as u64), ClientMessage::Undo, 0);
            assert_eq!((table.answers().len(), table.position_hash()), (answers.len(), before), "{format}");
        }
        let again = Trace::decode(&table.trace().unwrap()).unwrap();
        assert_eq!((&again.header.decks, &again.header.seed), (&trace.header.decks, &trace.header.seed));
        assert!(replay.table(continued, replay.len() + 1).is_err());
    }
}
