//! Tables of several people: undo by consent, watchers, waiting passes, rejoining, absence, matches.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{FORMATS, Player, deliver, seated, setup, step};
use fizzle_table::protocol::{AbsentChoice, ClientMessage, Lang, YieldUntil};
use fizzle_table::table::{ClientId, Table};
use serde_json::Value;

const WATCHER: ClientId = ClientId(99);

/// The player that has the pending decision.
fn decider(players: &[Player]) -> Option<usize> {
    players.iter().position(|player| !player.ask.is_null())
}

/// All consent to an undo, and it is refused once something hidden is known or chance has decided. A watcher has no vote.
#[test]
fn an_undo_among_people_needs_all_of_them_and_no_new_knowledge() {
    let (mut agreed, mut refused, mut disclosed) = (0, 0, 0);
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 3, ["", ""]));
        deliver(&mut table, &mut players);
        for number in 0..150 {
            let Some(seat) = decider(&players) else { break };
            let (hash, known) = (table.position_hash(), table.machine().disclosures());
            let before = players[seat].view.clone();
            if !step(&mut table, &mut players) || table.is_over() {
                break;
            }
            let is_disclosed = table.machine().disclosures() > known;
            players.iter_mut().for_each(|player| player.notices.clear());
            table.receive(ClientId(seat as u64), ClientMessage::Undo, 0);
            deliver(&mut table, &mut players);
            if is_disclosed {
                assert_eq!(players[seat].notices[0]["done"], false, "{format} {number}");
                disclosed += 1;
                continue;
            }
            let (other, kept) = (1 - seat, table.position_hash());
            assert_eq!(players[other].notices[0]["t"], "undo_requested", "{format} {number}");
            table.receive(WATCHER, ClientMessage::UndoVote { agree: false }, 0);
            table.receive(WATCHER, ClientMessage::UndoVote { agree: true }, 0);
            assert_eq!(table.position_hash(), kept, "a watcher has no vote");
            let agree = number % 2 == 0;
            table.receive(ClientId(other as u64), ClientMessage::UndoVote { agree }, 0);
            deliver(&mut table, &mut players);
            assert_eq!(players[seat].notices.last().unwrap()["done"], agree);
            if agree {
                assert_eq!((table.position_hash(), &players[seat].view), (hash, &before), "{format} {number}");
                agreed += 1;
                // Not the same answer for ever.
                step(&mut table, &mut players);
            } else {
                assert_eq!(table.position_hash(), kept);
                refused += 1;
            }
        }
    }
    assert!(agreed > 30 && refused > 30 && disclosed > 10, "{agreed} {refused} {disclosed}");
}

/// A client that joins later reads the log that was written before, and one that changes its language reads it in that language.
#[test]
fn a_client_that_joins_again_reads_the_same_log() {
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 1, ["", ""]));
        deliver(&mut table, &mut players);
        while players[0].frames.len() < 60 && step(&mut table, &mut players) {}
        let words = |frame: &Value| -> Vec<String> {
            let lines = frame["events"].as_array().unwrap().iter().filter(|event| event["words"].is_array());
            lines
                .map(|line| line["words"].as_array().unwrap().iter().map(|piece| piece["s"].as_str().unwrap()).collect())
                .collect()
        };
        let mut written: Vec<String> = Vec::new();
        for frame in players[0].frames.iter().filter(|frame| frame["t"] == "step" || frame["t"] == "view") {
            if frame["t"] == "view" {
                written.clear();
            }
            written.extend(words(frame));
        }
        let mut again = vec![Player::new(0, 1)];
        table.join(ClientId(0), Some(0), "", Lang::En, "token", 0);
        deliver(&mut table, &mut again);
        let view = again[0].frames.iter().find(|frame| frame["t"] == "view").unwrap();
        let read = words(view);
        assert!(read.len() > 10, "{format}: {read:?}");
        // Before the other player had joined, that player had another name.
        let begun = |lines: &[String]| lines.iter().skip_while(|line| !line.starts_with("Turn")).cloned().collect::<Vec<_>>();
        let (read_since, written_since) = (begun(&read), begun(&written));
        assert_eq!(read_since[..], written_since[written_since.len() - read_since.len()..], "{format}");
        assert!(view["events"].as_array().unwrap().iter().all(|event| event["moves"].is_null()), "{format}: nothing moves again");
        table.receive(ClientId(0), ClientMessage::Lang { lang: Lang::Ja }, 0);
        deliver(&mut table, &mut again);
        let view = again[0].frames.iter().rfind(|frame| frame["t"] == "view").unwrap();
        assert_eq!(words(view).len(), read.len(), "{format}");
        assert_ne!(words(view), read, "{format}: in Japanese");
    }
}

/// A pass that a seat with hidden cards did not choose itself is shown after a time that does not depend on the cards.
#[test]
fn automatic_passes_are_shown_later_at_a_table_of_several_people() {
    let mut waited = 0;
    for format in FORMATS {
        let mut made = setup(format, 4, ["", ""]);
        made.forced_wait = Some(300..=900);
        let (mut table, mut players) = seated(made);
        let mut now = 0;
        deliver(&mut table, &mut players);
        for _ in 0..60 {
            if let Some(at) = table.wake_at() {
                assert!(at - now >= 300 && at - now <= 900, "{format}: {} ms", at - now);
                let frames: Vec<usize> = players.iter().map(|player| player.frames.len()).collect();
                // The others see nothing of it, also not by requests; the old decision is over.
                let ask = table.trace();
                table.receive(ClientId(0), ClientMessage::Again, now);
                table.receive(WATCHER, ClientMessage::Again, now);
                table.wake(at - 1);
                deliver(&mut table, &mut players);
                assert_eq!(frames, players.iter().map(|player| player.frames.len()).collect::<Vec<_>>(), "{format}");
                assert_eq!(ask, table.trace());
                table.wake(at);
                now = at;
                deliver(&mut table, &mut players);
                assert!(players.iter().all(|player| !player.view.is_null()));
                waited += 1;
                continue;
            }
            let Some((id, answer)) = players.iter_mut().find_map(|player| Some((player.id, player.answer()?))) else { break };
            table.receive(id, answer, now);
            deliver(&mut table, &mut players);
        }
    }
    assert!(waited > 20, "{waited}");
}

/// A yield does not run into the next own turn, and `could` ends where something waits.
#[test]
fn yields_end_when_the_own_turn_begins() {
    for until in [YieldUntil::Added, YieldUntil::Mine, YieldUntil::Could] {
        let (mut table, mut players) = seated(setup("magic", 6, ["", ""]));
        deliver(&mut table, &mut players);
        while players[0].view["facts"]["turn"].as_u64() != Some(2) {
            assert!(step(&mut table, &mut players));
        }
        let active = players[0].view["facts"]["active"].as_u64().unwrap() as usize;
        let other = 1 - active;
        table.receive(ClientId(other as u64), ClientMessage::Yield { until, ability: None }, 0);
        deliver(&mut table, &mut players);
        let mut was_on = true;
        while players[0].view["facts"]["turn"].as_u64() == Some(2) {
            was_on = players[other]
                .frames
                .iter()
                .rfind(|it| it["t"] == "yielding")
                .is_some_and(|it| it["until"] != serde_json::json!([]));
            assert!(step(&mut table, &mut players));
        }
        let last = players[other].frames.iter().rfind(|frame| frame["t"] == "yielding").unwrap();
        assert_eq!(last["until"], serde_json::json!([]), "{until:?}");
        if until == YieldUntil::Mine {
            assert!(was_on, "until the own turn begins");
        }
    }
}

/// A seat whose player stays away is played by a bot if the others choose so, and given back to a player who returns.
#[test]
fn a_bot_takes_an_absent_seat_and_gives_it_back() {
    let (mut table, mut players) = seated(setup("duel_masters", 2, ["", ""]));
    deliver(&mut table, &mut players);
    table.leave(ClientId(1), 10);
    assert_eq!(table.wake_at(), Some(1_010));
    table.wake(1_010);
    deliver(&mut table, &mut players);
    assert_eq!(players[0].notices[0]["seat"], 1);
    table.receive(WATCHER, ClientMessage::Absent { choice: AbsentChoice::End }, 1_020);
    assert!(!table.is_over(), "a watcher does not choose");
    table.receive(ClientId(0), ClientMessage::Absent { choice: AbsentChoice::Bot }, 1_020);
    deliver(&mut table, &mut players);
    let mut bots = 0;
    for _ in 0..60 {
        if let Some(task) = table.take_bot_task() {
            table.bot_answered(task.run(), 1_020);
            deliver(&mut table, &mut players);
            bots += 1;
        } else {
            let Some(answer) = players[0].answer() else { break };
            table.receive(ClientId(0), answer, 1_020);
            deliver(&mut table, &mut players);
        }
    }
    assert!(bots > 5, "{bots}");
    let mut restored = Table::restore(setup("duel_masters", 2, ["", ""]), &table.save()).unwrap();
    assert_eq!(restored.info().seats[1].bot.as_deref(), Some("greedy"), "a saved table knows its bots");
    restored.join(ClientId(1), Some(1), "Mio", Lang::En, "token", 1_030);
    assert_eq!(restored.info().seats[1].bot, None);
}

/// A match is played through its games: decks are shown between them, exchanges take place, and a table that is saved between two
/// games continues there.
#[test]
fn a_match_is_saved_between_its_games() {
    let mut made = setup("duel_magic", 1, ["", ""]);
    made.best_of = 3;
    let (mut table, mut players) = seated(made.clone());
    deliver(&mut table, &mut players);
    table.receive(ClientId(1), ClientMessage::Concede, 0);
    deliver(&mut table, &mut players);
    let over = players[0].frames.iter().rfind(|frame| frame["t"] == "over").unwrap().clone();
    assert_eq!((&over["match"]["phase"], &over["match"]["wins"]), (&"exchanging".into(), &serde_json::json!([1, 0])));
    assert_eq!(over["trace"], "", "the trace of the first game has the deck of the other player");
    let cards = |over: &Value| -> u64 {
        let sections = over["match"]["deck"].as_object().unwrap().values();
        sections.flat_map(|section| section.as_object().unwrap().values()).map(|count| count.as_u64().unwrap()).sum()
    };
    assert!(cards(&over) >= 40, "the own deck is shown");
    let watched = players[2].frames.iter().rfind(|frame| frame["t"] == "over").unwrap();
    assert!(watched["match"]["deck"].is_null(), "a watcher has none");
    table.receive(ClientId(0), ClientMessage::Ready { deck: None }, 0);
    // Saved and restored between the games.
    let mut restored = Table::restore(made.clone(), &table.save()).unwrap();
    for seat in 0..2 {
        restored.join(ClientId(seat), Some(seat as usize), "", Lang::En, "token", 0);
    }
    let mut again = vec![Player::new(0, 1), Player::new(1, 1)];
    deliver(&mut restored, &mut again);
    let over = again[1].frames.iter().rfind(|frame| frame["t"] == "over").unwrap();
    assert_eq!(over["match"]["ready"], serde_json::json!([true, false]));
    restored.receive(ClientId(1), ClientMessage::Ready { deck: None }, 0);
    deliver(&mut restored, &mut again);
    assert_eq!(again[0].frames.iter().rfind(|frame| frame["t"] == "view").unwrap()["why"], "next_game");
    while again[0].ask.is_null() && again[1].ask.is_null() {
        assert!(step(&mut restored, &mut again));
    }
    restored.receive(ClientId(1), ClientMessage::Concede, 0);
    assert!(restored.is_over());
    // The end of the match is saved as well.
    let ended = Table::restore(made, &restored.save()).unwrap();
    assert!(ended.is_over());
}
