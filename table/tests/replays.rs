//! A recorded game is read as it was played: the same decisions, and at each of them the same view.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{FORMATS, deliver, game, seated, setup, step};
use fizzle_runtime::trace::Trace;
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::replay::Replay;
use fizzle_table::table::ClientId;
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
