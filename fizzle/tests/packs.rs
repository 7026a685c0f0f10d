//! Tests of packs: diagnostics, scenarios, compiled packs, simulations.

#![cfg(feature = "shipped")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod common;

use common::{decks, format};
use fizzle::{Error, Game, Outcome, Pack, Severity, Simulation};

const MANIFEST: &str = "pack mine {\n  edition 2\n  title \"Mine\"\n  extends duel_masters\n}\n";

/// A pack of one card and one scenario, which expects a number of cards.
fn pack(card: &str, drawn: &str) -> Result<Pack, Error> {
    let scenarios = format!(
        "scenario \"the reader draws\" {{\n  format duel_masters\n  position {{\n    A: {{ hand \"Reader\" as reader, mana 3 \"Reader\", deck 9 \"Reader\" }}\n    \
         B: {{ deck 9 \"Reader\" }}\n  }}\n  at A's turn.main\n  A summons reader\n  expect count of card in hand of A == {drawn}\n}}\n"
    );
    Pack::compile([("mine/pack.fz", MANIFEST), ("mine/cards.fz", card), ("mine/scenarios.fz", &scenarios)])
}

const CARD: &str =
    "card \"Reader\" {\n  creature water race \"Liquid People\" cost 2 power 1000\n  when this enters battle { draw 2 }\n}\n";

#[test]
fn a_compile_error_has_code_file_line_and_help() {
    let Err(Error::Compile(error)) = pack(&CARD.replace("battle", "batle"), "2") else { panic!("it compiles") };
    let first = error.errors().next().unwrap();
    assert_eq!((first.file.as_str(), first.line, first.severity), ("mine/cards.fz", 3, Severity::Error));
    assert!(first.code.starts_with('E') && first.code.len() == 5, "{}", first.code);
    assert!(first.message.contains("`batle`"), "{}", first.message);
    assert_eq!(first.help, ["did you mean `battle`?"]);
    assert!(first.rendered.contains("when this enters batle") && first.rendered.contains(&first.code), "{}", first.rendered);
    assert!(error.to_string().starts_with(&format!("mine/cards.fz:3:20: error[{}]: ", first.code)), "{error}");
    assert!(error.rendered().contains("help: did you mean `battle`?"));
}

#[test]
fn scenarios_of_a_pack_pass() {
    let pack = pack(CARD, "2").unwrap();
    let scenarios = pack.scenarios();
    // Those of the shipped pack that it extends are not listed.
    assert_eq!(scenarios.len(), 1);
    let scenario = &scenarios[0];
    assert_eq!((scenario.title(), scenario.file(), scenario.line()), ("the reader draws", "mine/scenarios.fz", 1));
    assert_eq!(scenario.format(), "duel_masters");
    scenario.run().unwrap();
    let results = pack.run_scenarios();
    assert!(results.iter().all(fizzle::ScenarioResult::passed) && results.len() == 1, "{results:?}");
}

#[test]
fn a_wrong_scenario_fails_with_its_text_and_place() {
    let pack = pack(CARD, "3").unwrap();
    let failure = pack.scenarios()[0].run().unwrap_err();
    assert_eq!((failure.file.as_str(), failure.line), ("mine/scenarios.fz", 9));
    assert!(failure.message.contains('3') && failure.message.contains('2'), "{failure}");
    let results = pack.run_scenarios();
    assert_eq!(results[0].failure.as_ref(), Some(&failure));
    assert!(results[0].to_string().starts_with("failed: the reader draws: mine/scenarios.fz:9: "), "{}", results[0]);
}

#[test]
fn a_pack_on_disk_is_read_as_its_sources() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/caravan");
    let pack = Pack::read(folder).unwrap();
    assert_eq!(pack.format("caravan").unwrap().base(), Some("duel_masters"));
    let results = pack.run_scenarios();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(fizzle::ScenarioResult::passed), "{results:?}");
    assert!(matches!(Pack::read("no/such/pack"), Err(Error::Read { .. })));
}

#[test]
fn a_compiled_pack_is_the_same_pack() {
    let pack = Pack::shipped("duel_masters").unwrap();
    let bytes = pack.to_bytes().unwrap();
    let read = Pack::from_bytes(&bytes).unwrap();
    let names = |pack: &Pack| pack.formats().iter().map(|format| format.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&read), names(&pack));
    let game = |pack: &Pack| Game::start(&pack.format("duel_masters").unwrap(), &decks(), 9).unwrap();
    assert_eq!(game(&read).decision(), game(&pack).decision());
    assert_eq!(game(&read).save(), game(&pack).save());
    let mut damaged = bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(matches!(Pack::from_bytes(&damaged), Err(Error::CompiledPack(_))));
}

#[test]
fn shipped_packs_are_known_by_name() {
    assert_eq!(Pack::shipped_names(), ["duel_magic", "duel_masters", "magic", "yugioh"]);
    let error = Pack::shipped("majic").unwrap_err();
    assert_eq!(error.to_string(), "no shipped pack `majic`; did you mean `magic`?");
}

#[test]
fn a_simulation_counts_each_game_once_and_repeats() {
    let simulation = Simulation::new(&format(), &decks()).games(20).seed(4);
    let result = simulation.run().unwrap();
    assert_eq!(result.games.len(), 20);
    assert_eq!(result.wins.iter().sum::<u64>() + result.draws + result.void, 20);
    for deck in 0..2 {
        let wins = result.games.iter().filter(|game| game.winner() == Some(deck)).count();
        assert_eq!(result.wins[deck], wins as u64);
    }
    assert_eq!((&result.games[0].decks, &result.games[1].decks), (&vec![0, 1], &vec![1, 0]));
    assert!(result.games.iter().all(|game| game.turns > 0 && game.decisions > 0 && game.outcome != Outcome::Void));
    assert_eq!(simulation.run().unwrap(), result);
    assert_ne!(simulation.clone().seed(5).run().unwrap(), result);
    let strong = simulation.clone().bot_of(0, "greedy").run().unwrap();
    assert!(strong.wins[0] > result.wins[0] && strong.wins[0] >= 15, "{:?}", strong.wins);
    assert!(matches!(simulation.bot("clever").run(), Err(Error::Bot(_))));
}
