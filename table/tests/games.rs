//! Whole games at a table: clients answer from the messages alone, and what they were sent adds up.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{FORMATS, deliver, game, seated, setup, step};
use fizzle_ir::ObjectRef;
use fizzle_runtime::view::{Handles, view_with};
use fizzle_table::protocol::{ClientMessage, Lang, YieldUntil};
use fizzle_table::table::{ClientId, Table};
use fizzle_table::table_view::zone_key;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn games_are_played_to_their_end_from_messages_alone_and_patches_add_up() {
    for format in FORMATS {
        for seed in 0..3 {
            let (mut table, mut players) = seated(setup(format, seed, ["", ["", "greedy"][seed as usize % 2]]));
            deliver(&mut table, &mut players);
            let mut steps = 0;
            while !players.iter().all(|player| player.is_over) {
                assert!(step(&mut table, &mut players), "{format} {seed}: no decision is pending");
                steps += 1;
                assert!(steps < 20_000, "{format} {seed}");
                if steps % 16 == 0 {
                    for at in 0..players.len() {
                        let before = players[at].view.clone();
                        table.receive(players[at].id, ClientMessage::Again, 0);
                        deliver(&mut table, &mut players);
                        assert_eq!(before, players[at].view, "{format} {seed}: view and patches are the next view");
                    }
                }
            }
            assert!(steps > 10, "{format} {seed}: {steps}");
            let errors: Vec<_> = players
                .iter()
                .flat_map(|player| &player.frames)
                .filter(|it| it["t"] == "error" || it["t"] == "refused")
                .collect();
            assert!(errors.is_empty(), "{format} {seed}: {errors:?}");
        }
    }
}

#[test]
fn a_step_back_in_a_sandbox_gives_the_same_view_and_decision() {
    for format in FORMATS {
        let mut sandbox = setup(format, 5, ["", ""]);
        (sandbox.sandbox, sandbox.hot_seat) = (true, true);
        let mut table = Table::new(sandbox).unwrap();
        table.join(ClientId(0), Some(0), "", Lang::En, "", 0);
        let mut players = vec![common::Player::new(0, 5)];
        deliver(&mut table, &mut players);
        let mut undone = 0;
        for number in 0..60 {
            let (before, mut ask) = (players[0].view.clone(), players[0].ask.clone());
            if !step(&mut table, &mut players) {
                break;
            }
            if number % 4 == 3 {
                table.receive(ClientId(0), ClientMessage::Undo, 0);
                deliver(&mut table, &mut players);
                ask["id"] = players[0].ask["id"].clone();
                assert_eq!((before, ask), (players[0].view.clone(), players[0].ask.clone()), "{format}");
                undone += 1;
            }
        }
        assert!(undone > 5, "{format}");
    }
}

#[test]
fn a_saved_table_continues_where_it_was() {
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 2, ["", ""]));
        deliver(&mut table, &mut players);
        for _ in 0..40 {
            step(&mut table, &mut players);
        }
        let mut restored = Table::restore(setup(format, 2, ["", ""]), &table.save()).unwrap();
        assert_eq!(restored.position_hash(), table.position_hash());
        let mut again = vec![common::Player::new(0, 2)];
        restored.join(ClientId(0), Some(0), "", Lang::En, "", 0);
        deliver(&mut restored, &mut again);
        assert_eq!(again[0].view, players[0].view);
        assert!(Table::restore(setup(format, 3, ["", ""]), &table.save()).is_err(), "other decks");
        assert!(Table::restore(setup(format, 2, ["", ""]), b"{").is_err());
    }
}

/// A saved table comes from a stranger: lists that do not fit its players, and states that its match cannot reach, are refused.
#[test]
fn a_saved_table_that_does_not_hold_together_is_refused() {
    let mut made = setup("duel_magic", 1, ["", ""]);
    made.best_of = 3;
    let (mut table, mut players) = seated(made.clone());
    deliver(&mut table, &mut players);
    table.receive(ClientId(1), ClientMessage::Concede, 0);
    let saved: Value = serde_json::from_slice(&table.save()).unwrap();
    assert!(Table::restore(made.clone(), &serde_json::to_vec(&saved).unwrap()).is_ok());
    let long = Value::from(vec![""; 1_500_000]);
    for (path, value) in [
        ("/game_match/wins", json!([u32::MAX, u32::MAX])),
        ("/game_match/wins", json!([])),
        ("/game_match/game", json!(u32::MAX)),
        ("/game_match/loser", json!(5)),
        ("/game_match/phase", json!("playing")),
        ("/game_match/ready", json!([true, true])),
        ("/game_match/current/0/sections", json!([["main", [[1_000_000_000, 2], [1_000_000_000, 2], [u32::MAX, 2]]]])),
        ("/game_match/current/0/sections", json!([["main", [[60, 99_999_999]]]])),
        ("/begun_in/wins", json!([u32::MAX, 0])),
        ("/begun_in/game", json!(u32::MAX)),
        ("/begun_in/current/0/sections", json!([["main", [[60, 99_999_999]]]])),
        ("/names", json!(["a"])),
        ("/names", json!(["a", "b".repeat(1000)])),
        ("/bots", json!([])),
        ("/bots", json!([null, null, null])),
        ("/unready", json!([0, 1, 2, 3])),
        ("/names", long.clone()),
        ("/bots", long.clone()),
        ("/game_match/ancestors", long.clone()),
        ("/begun_in/ancestors", long),
    ] {
        let mut changed = saved.clone();
        *changed.pointer_mut(path).unwrap() = value;
        let refused = Table::restore(made.clone(), &serde_json::to_vec(&changed).unwrap());
        assert!(refused.is_err(), "{path}");
    }
}

/// The size of a list is checked before it is parsed.
#[test]
fn a_saved_table_with_long_lists_needs_little_memory() {
    let made = setup("duel_magic", 1, ["", ""]);
    let saved = Table::new(made.clone()).unwrap().save();
    let mut saved: Value = serde_json::from_slice(&saved).unwrap();
    saved["game_match"]["ancestors"] = Value::from(vec![""; 3_000_000]);
    let bytes = serde_json::to_vec(&saved).unwrap();
    drop(saved);
    let mut error = None;
    let allocated = allocation_counter::measure(|| error = Table::restore(made, &bytes).err());
    let error = error.unwrap().to_string();
    assert!(error.starts_with("`game_match` has ") && error.ends_with(" bytes, and at most 4194304 are read"), "{error}");
    assert!(allocated.bytes_max < 8 << 20, "{allocated:?}");
}

#[test]
fn a_yield_answers_passes_until_the_turn_ends() {
    let (mut table, mut players) = seated(setup("magic", 1, ["", "greedy"]));
    deliver(&mut table, &mut players);
    // Into the first turn.
    while players[0].view["facts"]["turn"].as_u64().unwrap() == 0 || players[0].ask["kind"] != "act" {
        assert!(step(&mut table, &mut players));
    }
    let turn = players[0].view["facts"]["turn"].clone();
    table.receive(ClientId(0), ClientMessage::Yield { until: YieldUntil::End, ability: None }, 0);
    deliver(&mut table, &mut players);
    while players[0].view["facts"]["turn"] == turn {
        assert_ne!(players[0].ask["kind"], "act", "no decision to pass while the yield is on");
        assert!(step(&mut table, &mut players));
    }
    let yieldings: Vec<_> = players[0].frames.iter().filter(|frame| frame["t"] == "yielding").collect();
    assert_eq!(yieldings.len(), 2, "on, and off");
    assert_eq!(yieldings[1]["until"].as_array().unwrap().len(), 0);
}

/// A client completes what is left out of a view from the faces of the cards, and has the values of the view.
#[test]
fn values_as_printed_are_completed_from_the_faces() {
    for format in FORMATS {
        let (mut table, mut players) = seated(setup(format, 5, ["", ""]));
        deliver(&mut table, &mut players);
        let (mut left_out, mut changed) = (0, 0);
        for number in 0..160 {
            if !step(&mut table, &mut players) || table.is_over() {
                break;
            }
            if number % 8 != 0 {
                continue;
            }
            for (seat, player) in players.iter().enumerate().take(2) {
                let raw = fizzle_runtime::view::view(&mut table.machine().clone(), seat);
                let mut faces = serde_json::Map::new();
                for frame in player.frames.iter().filter(|frame| frame["t"] == "cards") {
                    faces.extend(frame["cards"].as_object().unwrap().clone());
                }
                for zone in &raw.zones {
                    let key = zone_key(&zone.name, zone.owner);
                    let Some(shown) = player.view["zones"][&key]["list"].as_array() else { continue };
                    for (raw, handle) in zone.objects.iter().zip(shown) {
                        let shown = &player.view["objects"][handle.to_string()];
                        assert_eq!(shown["card"], raw.name.as_str(), "{format} {key}");
                        // An ability is no card: all of it is sent.
                        let face = faces.get(&raw.name).filter(|_| !raw.ability).unwrap_or(&Value::Null);
                        for (name, value) in raw.properties.iter().filter(|(name, _)| !name.starts_with('_')) {
                            let found = shown["props"][name.as_str()].as_i64().or_else(|| face["props"][name.as_str()].as_i64());
                            let initial = game(format).library.properties.iter().find(|it| it.name == *name).unwrap().initial;
                            assert_eq!(found.unwrap_or(i64::from(initial)), *value, "{format} {}: {name}", raw.name);
                        }
                        let words = if shown["words"].is_array() { &shown["words"] } else { &face["words"] };
                        // A face has its words in the order of the card.
                        let expected: BTreeSet<_> =
                            raw.words.iter().map(|word| word.as_str()).filter(|word| !word.starts_with('_')).collect();
                        let words: Vec<_> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                        assert_eq!(words.len(), expected.len(), "{format} {}", raw.name);
                        assert_eq!(words.iter().copied().collect::<BTreeSet<_>>(), expected, "{format} {}", raw.name);
                        left_out += usize::from(shown.get("words").is_none());
                        changed += usize::from(shown.get("words").is_some() || shown.get("props").is_some());
                    }
                }
            }
        }
        // Lands have words that rules give them.
        assert!(left_out > changed, "{format}: {left_out} left out, {changed} sent");
    }
}

/// A line from a blocker to the attacker that it blocks comes from an object that is not shown itself.
#[test]
fn lines_lead_from_one_object_to_another() {
    let (mut seen, mut ended) = (0, 0);
    for seed in 0..6 {
        let (mut table, mut players) = seated(setup("magic", seed, ["greedy", "greedy"]));
        deliver(&mut table, &mut players);
        let mut lines = 0;
        while step(&mut table, &mut players) {
            let view = &players[0].view;
            let arrows = view["facts"]["arrows"].as_array().cloned().unwrap_or_default();
            for arrow in &arrows {
                let object = |end: usize| &view["objects"][arrow[end].to_string()];
                // What it blocks may have left combat, or the game.
                assert_eq!(object(0)["is"]["blocks"], 1, "{seed}: {arrow} {}", object(0));
                seen += usize::from(object(1)["to"]["attacked"].is_string());
            }
            ended += usize::from(lines > 0 && arrows.is_empty());
            lines = arrows.len();
        }
    }
    assert!(seen > 10 && ended > 5, "{seen} {ended}");
}

/// A view says how many of its events the client was not sent before: at one screen for all, those since a seat was shown last.
#[test]
fn a_view_says_what_is_new() {
    for format in FORMATS {
        let mut made = setup(format, 3, ["", ""]);
        made.hot_seat = true;
        let mut table = fizzle_table::table::Table::new(made).unwrap();
        let mut players = vec![common::Player::new(0, 3)];
        table.join(ClientId(0), Some(0), "", Lang::En, "token", 0);
        deliver(&mut table, &mut players);
        for _ in 0..80 {
            if !step(&mut table, &mut players) {
                break;
            }
        }
        let mut last: [Vec<String>; 2] = Default::default();
        let mut changes = 0;
        let mut viewer = 0;
        for frame in &players[0].frames {
            let words = |frame: &Value| -> Vec<String> {
                let events = frame["events"].as_array().unwrap().iter().filter(|event| event["words"].is_array());
                events.map(|event| event["words"].to_string()).collect()
            };
            match frame["t"].as_str().unwrap() {
                "view" => {
                    if frame["ask"].is_object() {
                        viewer = frame["ask"]["seat"].as_u64().unwrap() as usize;
                    }
                    let all = words(frame);
                    let fresh = frame["fresh"].as_u64().unwrap_or(0) as usize;
                    let known = all.len() - fresh;
                    if frame["why"] == "seat" {
                        changes += usize::from(fresh > 0);
                        // The oldest ones are dropped. A name can be another one since.
                        let before = &last[viewer];
                        let is_whole = before.is_empty() || all[0] == before[0];
                        assert!(known == before.len() || !is_whole && known < before.len(), "{format}: {known} {frame}");
                    }
                    last[viewer] = all;
                }
                "step" => last[viewer].extend(words(frame)),
                _ => {}
            }
        }
        assert!(changes > 5, "{format}: {changes}");
    }
}

/// Abilities on the list have the text of the ability alone.
#[test]
fn abilities_on_the_list_have_their_text() {
    let (mut with, mut without) = (std::collections::BTreeMap::new(), std::collections::BTreeSet::new());
    for format in FORMATS {
        for seed in 0..5 {
            let (mut table, mut players) = seated(setup(format, seed, ["greedy", "greedy"]));
            deliver(&mut table, &mut players);
            while step(&mut table, &mut players) {
                for object in players[0].view["objects"].as_object().unwrap().values() {
                    if object["ability"] != true {
                        continue;
                    }
                    let card = object["card"].as_str().unwrap().to_owned();
                    match object["text"].as_str() {
                        Some(text) => drop(with.insert(card, text.to_owned())),
                        None => drop(without.insert(card)),
                    }
                }
            }
        }
    }
    // Those of keywords, and those that are written inside of another ability, have none.
    assert!(with.len() > 20 && without.len() * 3 < with.len(), "{with:#?} {without:?}");
    let husk = "クリーチャー1体を生け贄に捧げる：ターン終了時まで、このクリーチャーは+2/+2の修整を受ける。";
    assert_eq!(with["Nantuko Husk"], husk);
}

/// An object that was in public keeps its handle after it has moved, and after announcements that were taken back.
#[test]
fn what_moves_in_public_keeps_its_handle() {
    for format in FORMATS {
        // The players answer at random, so that a game may be short.
        let mut gone = 0;
        for seed in 5..8 {
            let (mut handles, mut known) = (Handles::default(), std::collections::BTreeMap::new());
            let (mut table, mut players) = seated(setup(format, seed, ["", ""]));
            deliver(&mut table, &mut players);
            while gone < 1_000 && step(&mut table, &mut players) {
                let mut machine = table.machine().clone();
                drop(view_with(&mut machine, 0, &mut handles));
                let (program, state) = (&machine.program, &machine.state);
                for zone in (0..program.layout.instances).filter(|zone| program.is_public(*zone)) {
                    let items = state.zone_items(program, zone).iter().map(|it| ObjectRef(*it));
                    let items = items.filter(|it| state.is_known(program, 0, it.slot()));
                    known.extend(items.map(|it| (it.0, handles.handle(it))));
                }
                // What an announcement had moved was never there once it is taken back.
                known.retain(|it, _| state.current(ObjectRef(*it).slot()).incarnation() >= ObjectRef(*it).incarnation());
                for (it, handle) in &known {
                    gone += usize::from(!state.exists(ObjectRef(*it)));
                    assert!(handle.is_some() && handles.handle(ObjectRef(*it)) == *handle, "{format}");
                }
            }
        }
        assert!(gone > 100, "{format}: {gone}");
    }
}
