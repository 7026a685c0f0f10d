//! The requests of an editor: the card at the cursor, scenarios while the source is typed, positions.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use fizzle_compiler::SourceFile;
use fizzle_lsp::{PackRequest, PackRequests};
use fizzle_workbench::position::{Position, WantedPosition, position};
use fizzle_workbench::preview::CardPreview;
use fizzle_workbench::requests::{CARDS, PREVIEW, RULES, RUN, Workbench};
use serde_json::{Value, json};

/// The most allocations for a format in which a card of 500 abilities is shown. With a specialised program it has 46,000.
const MAX_ALLOCATIONS_OF_FORMAT: u64 = 30_000;

const PACK: &str = "pack lanterns { edition 2; extends duel_masters }";
const CARDS_FZ: &str = r#"/// A fox.
card "Lantern Fox" {
  creature  fire  cost 3  race "Fire Bird"  power 2000
  when this enters battle {
    destroy 1 creature of opponent with power <= 2000
  }
}

card "Paper Lantern" {
  spell  light  cost 2
  does { draw 1 }
}
"#;
const SCENARIOS: &str = r#"scenario "the fox comes" {
  format duel_masters
  position {
    A: { hand "Lantern Fox" as fox; mana 3 "Lantern Fox"; deck 5 "Lantern Fox" }
    B: { deck 5 "Lantern Fox" }
  }
  at A's turn.main
  A summons fox
  expect fox in battle
}

scenario "it does not draw" {
  format duel_masters
  position {
    A: { hand "Lantern Fox" as fox; mana 3 "Lantern Fox"; deck 5 "Lantern Fox" }
    B: { deck 5 "Lantern Fox" }
  }
  at A's turn.main
  A summons fox
  expect count of hand of A == 1
}
"#;

fn request(method: &str, path: &str, line: u32, params: Value, cards: &str) -> PackRequest {
    let files = [("lanterns/pack.fz", PACK), ("lanterns/cards.fz", cards), ("lanterns/scenarios.fz", SCENARIOS)];
    let files = files.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() });
    PackRequest { method: method.to_owned(), params, path: path.to_owned(), line, files: files.to_vec() }
}

fn preview(workbench: &Workbench, line: u32, cards: &str) -> (bool, Option<CardPreview>) {
    let answer = workbench.preview(&request(PREVIEW, "lanterns/cards.fz", line, json!({}), cards));
    (answer.checks, answer.card)
}

#[test]
fn the_card_at_the_cursor_reads_in_both_languages_and_all_formats() {
    let workbench = Workbench::default();
    let (checks, card) = preview(&workbench, 5, CARDS_FZ);
    let card = card.unwrap();
    assert!(checks);
    assert_eq!((card.name.as_str(), card.place.as_str()), ("Lantern Fox", "lanterns/cards.fz:2"));
    let own = &card.formats[0];
    assert_eq!((own.name.as_str(), own.en.faces[0].stat.as_str()), ("duel_masters", "2000"));
    assert!(own.en.faces[0].card.text[0].contains("destroy one of your opponent's creatures"), "{:?}", own.en.faces[0].card.text);
    assert!(own.ja.faces[0].card.text[0].contains("破壊"), "{:?}", own.ja.faces[0].card.text);
    assert!(own.en.notes[0].choices[0].ends_with("chosen on resolution"), "{:?}", own.en.notes);
    // Where choices are made on announcement, the card reads otherwise.
    let stack = card.formats.iter().find(|format| format.name.starts_with("duel_magic")).unwrap();
    assert!(stack.en.notes[0].choices[0].ends_with("chosen on announcement"), "{:?}", stack.en.notes);
    // The line of the other card, the first line of the file, and a file without cards.
    assert_eq!(preview(&workbench, 9, CARDS_FZ).1.unwrap().name, "Paper Lantern");
    assert_eq!(preview(&workbench, 1, CARDS_FZ).1.unwrap().name, "Lantern Fox");
    let none = workbench.preview(&request(PREVIEW, "lanterns/pack.fz", 1, json!({}), CARDS_FZ));
    assert_eq!((none.checks, none.card), (true, None));
}

/// What all formats share is computed once: a format more costs the notes of the card and its look, not the specialisation of a program for it.
#[test]
fn formats_cost_little_in_a_preview() {
    let workbench = Workbench::default();
    let card = format!("card \"Long\" {{ spell fire cost 1 {} }}\n", "does { draw 1 }\n".repeat(500));
    let formats: String =
        (0..10).map(|number| format!("format f{number} extends duel_masters {{ ban \"Paper Lantern\" }}\n")).collect();
    let request = request(PREVIEW, "lanterns/cards.fz", 1, json!({}), &format!("{card}{CARDS_FZ}{formats}"));
    let Ok(games) = workbench.compiler.games(request.files) else { panic!("the sources have errors") };
    let game = &games[0];
    let (number, _) = game.library.definitions.numbered().find(|(_, card)| card.name == "Long").unwrap();
    let allocated = allocation_counter::measure(|| {
        fizzle_workbench::preview::preview(game, fizzle_ir::DefId(number as u32)).unwrap();
    });
    let per_format = allocated.count_total / game.formats.len() as u64;
    assert!(per_format < MAX_ALLOCATIONS_OF_FORMAT, "{per_format} allocations for each of {} formats", game.formats.len());
}

#[test]
fn a_card_with_errors_stays_as_it_was_before_them() {
    let workbench = Workbench::default();
    let good = preview(&workbench, 5, CARDS_FZ).1.unwrap();
    let wrong = CARDS_FZ.replace("power <= 2000", "powr <= 2000");
    assert_eq!(preview(&workbench, 5, &wrong), (false, Some(good)));
    assert_eq!(preview(&workbench, 9, &wrong).1.unwrap().name, "Paper Lantern");
    assert_eq!(preview(&Workbench::default(), 5, &wrong), (false, None), "nothing was good before");
    assert!(workbench.games(&request(RUN, "", 0, json!({}), &wrong)).is_err());
}

#[test]
fn scenarios_run_with_the_line_that_fails() {
    let workbench = Workbench::default();
    let run = workbench.run(&request(RUN, "", 0, json!({}), CARDS_FZ));
    let found: Vec<_> =
        run.scenarios.iter().map(|it| (it.title.as_str(), it.line, it.failure.as_ref().map(|it| it.line))).collect();
    assert_eq!(found, [("the fox comes", 1, None), ("it does not draw", 12, Some(20))], "only those of the own sources");
    assert!(run.scenarios[1].failure.as_ref().unwrap().message.contains('0'), "{:?}", run.scenarios[1]);
    let of_file = workbench.run(&request(RUN, "lanterns/cards.fz", 1, json!({}), CARDS_FZ));
    assert!(of_file.scenarios.is_empty());
    let wrong = workbench.run(&request(RUN, "", 0, json!({}), "card \"x\" {"));
    assert!(!wrong.checks && wrong.scenarios.is_empty());
    assert!(workbench.answer(request(RUN, "", 0, json!({}), CARDS_FZ)).unwrap()["scenarios"][1]["failure"]["line"] == 20);
}

#[test]
fn cards_are_found_by_a_part_of_their_name() {
    let workbench = Workbench::default();
    let find =
        |text: &str| workbench.cards(&request(CARDS, "lanterns/cards.fz", 1, json!({ "search": text }), CARDS_FZ)).unwrap().cards;
    assert_eq!(find("lantern"), ["Lantern Fox", "Paper Lantern"], "first those that begin with it");
    assert!(find("アクア").len() > 1);
    assert_eq!(find("")[..2], ["Lantern Fox", "Paper Lantern"], "those of the pack first");
    assert!(find("nothing has this name").is_empty());
}

fn at(line: u32, wanted: Value, cards: &str, path: &str) -> Result<Position, String> {
    let workbench = Workbench::default();
    let wanted: WantedPosition = serde_json::from_value(wanted).unwrap();
    position(&workbench.games(&request(RUN, "", 0, json!({}), cards))?, path, line, &wanted)
}

#[test]
fn a_card_is_tried_on_the_stage_that_fits_or_on_a_changed_one() {
    let begun = at(5, json!({}), CARDS_FZ, "lanterns/cards.fz").unwrap();
    assert_eq!((begun.info.card.as_str(), begun.info.format.as_str()), ("Lantern Fox", "duel_masters"));
    assert!(begun.info.entries.iter().any(|entry| entry.card == "Lantern Fox" && entry.zone == "hand" && entry.seat == 0));
    let count = |position: &Position, zone: &str, seat: usize| {
        let program = &position.machine.program;
        let kind = program.library.zones.iter().position(|it| it.name == zone).unwrap();
        position.machine.state.zone_items(program, program.zone_instance(kind, seat).unwrap()).len()
    };
    assert_eq!(count(&begun, "hand", 0), 1);
    let mut entries = serde_json::to_value(&begun.info.entries).unwrap();
    entries.as_array_mut().unwrap().push(json!({"seat": 1, "zone": "battle", "card": "Lantern Fox", "count": 3}));
    let changed = at(5, json!({ "entries": entries }), CARDS_FZ, "lanterns/cards.fz").unwrap();
    let battle =
        |position: &Position| position.info.entries.iter().filter(|it| it.zone == "battle").map(|it| it.count).sum::<u32>();
    assert_eq!(battle(&changed), battle(&begun) + 3);
    for (wanted, words) in [
        (json!({"format": "nothing"}), "there is no format `nothing`"),
        (json!({"stage": "nothing"}), "there is no stage \"nothing\""),
        (json!({"entries": [{"seat": 0, "zone": "nowhere", "card": "Lantern Fox", "count": 1}]}), "there is no zone `nowhere`"),
        (json!({"entries": [{"seat": 9, "zone": "hand", "card": "Lantern Fox", "count": 1}]}), "there is no seat 9"),
        (json!({"entries": [{"seat": 0, "zone": "hand", "card": "No Card", "count": 1}]}), "there is no card \"No Card\""),
        (json!({"scenario": "nothing"}), "there is no scenario \"nothing\""),
        (json!({"card": "nothing"}), "there is no card \"nothing\""),
    ] {
        let error = at(5, wanted.clone(), CARDS_FZ, "lanterns/cards.fz").unwrap_err();
        assert!(error.contains(words), "{wanted}: {error}");
    }
}

#[test]
fn a_scenario_is_opened_at_the_step_that_fails_and_at_any_other() {
    let failing = at(12, json!({"scenario": "it does not draw"}), CARDS_FZ, "lanterns/scenarios.fz").unwrap();
    assert_eq!((failing.info.steps, failing.info.failure.as_ref().unwrap().line), (2, 20));
    assert_eq!(failing.info.lines, [18, 19, 20]);
    let passing = at(1, json!({"scenario": "the fox comes"}), CARDS_FZ, "lanterns/scenarios.fz").unwrap();
    assert_eq!((passing.info.steps, &passing.info.failure), (3, &None));
    let before = at(99, json!({"scenario": "the fox comes", "steps": 1}), CARDS_FZ, "lanterns/scenarios.fz").unwrap();
    let hash = |position: &Position| position.machine.state.board_hash(&position.machine.program);
    assert_ne!(hash(&before), hash(&passing));
}

#[test]
fn text_of_a_rule_is_found_by_its_place() {
    let workbench = Workbench::default();
    let rule = |place: &str, path: &str| {
        let wanted = request(RULES, "lanterns/cards.fz", 0, json!({ "place": place, "path": path }), CARDS_FZ);
        workbench.answer(wanted).unwrap()
    };
    let own = rule("lanterns/cards.fz:2", "");
    assert!(own["text"].as_str().unwrap().starts_with("card \"Lantern Fox\" {\n  creature"), "{own}");
    let (file, source) =
        fizzle::Pack::shipped_sources("magic").unwrap().into_iter().find(|(file, _)| file.ends_with("plays.fz")).unwrap();
    let line = source.lines().position(|line| line.starts_with("play cast(")).unwrap() + 1;
    let cast = rule(&format!("{file}:{line}"), "play.cast.when");
    let text: Vec<char> = cast["text"].as_str().unwrap().chars().collect();
    let [from, to] = [0, 1].map(|end| cast["fails"][0][end].as_u64().unwrap() as usize);
    let clause: String = text[from..to].iter().collect();
    assert!(text.starts_with(&['p', 'l', 'a', 'y']) && source.contains(&format!("when {clause}")), "{clause}");
    for nowhere in ["", "lanterns/cards.fz", "lanterns/cards.fz:999", "../x.fz:1"] {
        assert_eq!(rule(nowhere, "")["text"], "", "{nowhere}");
    }
}

#[test]
fn zones_that_the_layout_hides_take_no_cards() {
    let files = [
        ("own/pack.fz", "pack own { edition 2; extends magic }"),
        ("own/cards.fz", "card \"Torch\" { sorcery  red  mana_cost {R}\n}\n"),
    ];
    let files = files.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() }).to_vec();
    let games = fizzle_workbench::pack_compiler::PackCompiler::default().games(files).unwrap();
    let zones =
        position(&games, "own/cards.fz", 1, &serde_json::from_value::<WantedPosition>(json!({})).unwrap()).unwrap().info.zones;
    assert!(zones.iter().any(|zone| zone == "battlefield") && !zones.iter().any(|zone| zone == "shields"), "{zones:?}");
}
