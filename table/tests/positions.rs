//! Tables that begin in a position, and tables that are played again after the pack has changed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{FORMATS, Player, deliver, game, seated, setup, step};
use fizzle_compiler::{SourceFile, compile_with};
use fizzle_ir::DefId;
use fizzle_runtime::scenario::ScenarioRunner;
use fizzle_runtime::stage::stages_for;
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::table::{ClientId, Table, TableSetup};
use std::sync::Arc;

const ME: ClientId = ClientId(0);

/// A table at one screen on which a card is tried: on the first stage that fits it.
fn tried(format: &str, number: usize) -> TableSetup {
    let game = game(format);
    let runner = ScenarioRunner::new(&game);
    let program = runner.program(format, 2).unwrap();
    let cards = game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.part && !card.token);
    let mut fitting = cards.filter_map(|(card, _)| stages_for(&game, &program, DefId(card as u32)).into_iter().next());
    let scenario = fitting.nth(number).unwrap();
    let played = runner.play_steps(&scenario, 0).unwrap();
    assert!(played.failure.is_none(), "{format} {number}: {:?}", played.failure);
    let program = Arc::clone(&played.machine.program);
    let position = Some(Box::new(played.machine));
    TableSetup { hot_seat: true, sandbox: true, program, position, decks: Vec::new(), ..setup(format, 1, ["", ""]) }
}

fn alone(setup: TableSetup) -> (Table, Vec<Player>) {
    let mut table = Table::new(setup).unwrap();
    table.join(ME, Some(0), "Aki", Lang::En, "token", 0);
    let mut players = vec![Player::new(0, 7)];
    deliver(&mut table, &mut players);
    (table, players)
}

/// A position is played by one person for all seats; all answers can be taken back; it has no trace, and can be saved and restored.
#[test]
fn a_position_is_played_and_taken_back() {
    for format in FORMATS {
        for number in [0, 5, 17] {
            let setup = tried(format, number);
            let (mut table, mut players) = alone(setup.clone());
            let begun = table.position_hash();
            let mut answers = 0;
            while answers < 40 && step(&mut table, &mut players) {
                answers += 1;
            }
            assert!(answers > 3, "{format} {number}: {answers} answers");
            assert_eq!(table.trace(), None);
            if !table.is_over() {
                let again = Table::restore(setup, &table.save()).unwrap();
                assert_eq!(again.position_hash(), table.position_hash(), "{format} {number}");
                for _ in 0..answers {
                    table.receive(ME, ClientMessage::Undo, 0);
                }
                assert_eq!(table.position_hash(), begun, "{format} {number}");
            }
        }
    }
}

/// The same rules: nothing is different, and the views are sent again with their cause.
#[test]
fn a_reload_with_the_same_rules_changes_nothing() {
    for format in FORMATS {
        let setup = setup(format, 2, ["", "greedy"]);
        let (mut table, mut players) = seated(setup.clone());
        deliver(&mut table, &mut players);
        for _ in 0..60 {
            step(&mut table, &mut players);
        }
        let (hash, view) = (table.position_hash(), players[0].view.clone());
        players.iter_mut().for_each(|player| player.frames.clear());
        table.reload(setup, 0).unwrap();
        deliver(&mut table, &mut players);
        assert_eq!((table.position_hash(), &players[0].view), (hash, &view), "{format}");
        let reloaded = players[0].frames.iter().find(|frame| frame["t"] == "reloaded").unwrap();
        assert_eq!((&reloaded["repeated"], &reloaded["words"]), (&reloaded["of"], &"".into()), "{format}");
        assert!(players[0].frames.iter().any(|frame| frame["t"] == "view" && frame["why"] == "reload"), "{format}");
        while !table.is_over() && step(&mut table, &mut players) {}
    }
}

/// A card that costs more than before cannot be played again: the game waits there, and says so.
#[test]
fn a_reload_stops_where_an_answer_is_no_longer_legal() {
    let with_cost = |cost: u32| {
        let packs = fizzle::shipped::lineage("duel_masters").into_iter();
        let files = packs.flat_map(|pack| fizzle::Pack::shipped_sources(pack).unwrap());
        let mut files: Vec<SourceFile> = files.map(|(path, text)| SourceFile { path, text }).collect();
        let card = format!("card \"Fox\" {{ creature fire cost {cost} power 2000 race \"Fire Bird\" }}");
        let scenario = "stage \"two mana\" for creature { format lanterns position { A: { hand this; mana 2 \"Fox\"; deck 5 \"Fox\" } B: { deck 5 \"Fox\" } } at A's turn.main }";
        let pack = "pack lanterns { edition 2; extends duel_masters }\nformat lanterns extends duel_masters {}";
        let sources = [("lanterns/pack.fz", pack.to_owned()), ("lanterns/cards.fz", format!("{card}\n{scenario}"))];
        files.extend(sources.map(|(path, text)| SourceFile { path: path.to_owned(), text }));
        let compilation = compile_with(files, true);
        let errors: Vec<_> =
            compilation.diagnostics.iter().filter(|found| found.is_error()).map(|found| &found.message).collect();
        let games = compilation.artifact.unwrap_or_else(|| panic!("{errors:?}")).games;
        let game = Arc::new(games.into_iter().find(|game| game.formats.iter().any(|format| format.name == "lanterns")).unwrap());
        let runner = ScenarioRunner::new(&game);
        let program = runner.program("lanterns", 2).unwrap();
        let fox = game.library.definitions.numbered().find(|(_, card)| card.name == "Fox").unwrap().0;
        let stages = stages_for(&game, &program, DefId(fox as u32));
        let stage = stages.iter().find(|stage| stage.title == "two mana").unwrap();
        let machine = runner.play_steps(stage, 0).unwrap().machine;
        let program = Arc::clone(&machine.program);
        let base = setup("duel_masters", 1, ["", ""]);
        TableSetup {
            hot_seat: true,
            sandbox: true,
            game: Arc::clone(&game),
            pack_index: Arc::new(fizzle_table::table_view::PackIndex::new(&game)),
            program,
            position: Some(Box::new(machine)),
            decks: Vec::new(),
            any_deck: false,
            ..base
        }
    };
    let (mut table, mut players) = alone(with_cost(2));
    let begun = table.position_hash();
    let options = players[0].ask["options"].as_array().unwrap().clone();
    let summon = options.iter().position(|option| option.get("on").is_some()).expect("the card can be played");
    let message = serde_json::json!({"t": "answer", "ask": players[0].ask["id"], "picks": [summon]});
    table.receive(ME, serde_json::from_value(message).unwrap(), 0);
    deliver(&mut table, &mut players);
    assert_ne!(table.position_hash(), begun);
    players[0].frames.clear();
    table.reload(with_cost(3), 0).unwrap();
    deliver(&mut table, &mut players);
    let reloaded = players[0].frames.iter().find(|frame| frame["t"] == "reloaded").unwrap();
    assert_eq!((reloaded["repeated"].as_u64(), reloaded["of"].as_u64()), (Some(0), Some(1)), "{reloaded}");
    assert!(reloaded["words"].as_str().unwrap().contains("0 of 1"), "{reloaded}");
    // And back: with the text as it was before, the answer is repeated again.
    assert_eq!(table.position_hash(), begun);
    table.reload(with_cost(2), 0).unwrap();
    assert_ne!(table.position_hash(), begun);
    // An answer between makes an end of that.
    table.reload(with_cost(3), 0).unwrap();
    deliver(&mut table, &mut players);
    step(&mut table, &mut players);
    let now = table.position_hash();
    table.reload(with_cost(3), 0).unwrap();
    assert_eq!(table.position_hash(), now);
}
