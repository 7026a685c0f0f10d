//! Why something cannot be used: the rule with its text, and the part of its condition that fails.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

mod common;

use common::{FORMATS, deliver, seated, setup, step};
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::table::ClientId;
use std::collections::BTreeSet;

/// The marked parts of all reasons of some games, with the names of their rules.
fn marked(format: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for seed in 0..4 {
        let (mut table, mut players) = seated(setup(format, seed, ["", ""]));
        deliver(&mut table, &mut players);
        for _ in 0..120 {
            for seat in 0..2 {
                table.receive(ClientId(seat), ClientMessage::Why { on: None }, 0);
            }
            for (_, message) in table.take_messages() {
                let message = serde_json::to_value(&message).unwrap();
                for reason in message["reasons"].as_array().into_iter().flatten() {
                    let source = reason["source"].as_str().unwrap_or_default();
                    let has_place = reason["place"].as_str().is_some_and(|place| !place.is_empty());
                    assert_eq!(has_place, !source.is_empty(), "{reason}");
                    for range in reason["fails"].as_array().into_iter().flatten() {
                        let (from, to) = (range[0].as_u64().unwrap() as usize, range[1].as_u64().unwrap() as usize);
                        assert!(from < to && to <= source.chars().count(), "{reason}");
                        let part = source.chars().skip(from).take(to - from).collect();
                        found.insert((reason["path"].as_str().unwrap().to_owned(), part));
                    }
                }
            }
            if !step(&mut table, &mut players) {
                break;
            }
        }
    }
    if std::env::var_os("FIZZLE_SHOW_REASONS").is_some() {
        found.iter().for_each(|(path, part)| println!("{format} {path}: {part}"));
    }
    found
}

/// The parts are those that the rules say: each expectation is read off the rule and the position, not off the output.
#[test]
fn the_part_of_a_condition_that_fails_is_marked() {
    let expected = [
        // No creature of its race is there to evolve.
        ("duel_masters", "play.evolve.when", "some creature of you that (fits(it, candidate))"),
        // A spell that is no instant, while an opponent's turn or a spell is going on.
        ("magic", "play.cast.when", "spell_time(it, you)"),
    ];
    for format in FORMATS {
        let found = marked(format);
        for (of, path, part) in expected.iter().filter(|(of, ..)| *of == format) {
            assert!(found.contains(&((*path).to_owned(), (*part).to_owned())), "{of} {path}: {found:?}");
        }
    }
}

/// All reasons, and all refusals of answers, have Japanese words for a client that reads Japanese.
#[test]
fn reasons_and_refused_answers_have_japanese_words() {
    let is_japanese = |words: &str| words.chars().any(|c| matches!(c, 'ぁ'..='ヿ' | '一'..='龥'));
    let mut kinds = BTreeSet::new();
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 1, ["", ""]));
        for seat in 0..2 {
            table.receive(ClientId(seat), ClientMessage::Lang { lang: Lang::Ja }, 0);
        }
        deliver(&mut table, &mut players);
        for _ in 0..80 {
            for seat in 0..2 {
                table.receive(ClientId(seat), ClientMessage::Why { on: None }, 0);
                let ask = players[seat as usize].ask["id"].as_u64().unwrap_or_default();
                let wrong = ClientMessage::Answer { ask, picks: Some(vec![9_999]), number: None, shares: None };
                table.receive(ClientId(seat), wrong, 0);
            }
            for (_, message) in table.take_messages() {
                let message = serde_json::to_value(&message).unwrap();
                let refused = std::iter::once(&message["why"]).filter(|_| message["t"] == "refused");
                for reason in message["reasons"].as_array().into_iter().flatten().chain(refused) {
                    assert!(is_japanese(reason["words"].as_str().unwrap()), "{reason}");
                    kinds.insert(reason["kind"].as_str().unwrap().to_owned());
                }
            }
            if !step(&mut table, &mut players) {
                break;
            }
        }
    }
    for kind in ["cost", "moment", "elsewhere", "forbidden", "selection", "unknown"] {
        assert!(kinds.contains(kind), "{kind} was not met: {kinds:?}");
    }
}
