//! *Keep as scenario*: what was played from a position comes out as a scenario that passes and leads to the same game.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use fizzle_bots::named;
use fizzle_compiler::SourceFile;
use fizzle_runtime::game::{RecordedAnswer, RecordedGame};
use fizzle_runtime::vm::decision::{Choice, DecisionKind};
use fizzle_runtime::vm::machine::StepResult;
use fizzle_workbench::keep_as_scenario::{KeptScenario, keep};
use fizzle_workbench::pack_compiler::PackCompiler;
use fizzle_workbench::position::{WantedPosition, position};
use fizzle_workbench::scenarios;
use serde_json::{Value, json};

struct Written<'p> {
    compiler: PackCompiler,
    pack: &'p str,
    cards: &'p str,
}

impl Written<'_> {
    fn files(&self, cards: &str) -> Vec<SourceFile> {
        let files = [("own/pack.fz", self.pack), ("own/cards.fz", cards)];
        files.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() }).to_vec()
    }

    /// Plays some answers of bots from a position.
    fn play(&self, wanted: &Value, bot: &str, seed: u64, count: u64) -> Vec<RecordedAnswer> {
        let games = self.compiler.games(self.files(self.cards)).unwrap();
        let wanted: WantedPosition = serde_json::from_value(wanted.clone()).unwrap();
        let begun = position(&games, "own/cards.fz", 1, &wanted).unwrap();
        let mut game = RecordedGame::new(begun.machine);
        while game.decisions < count {
            let StepResult::Decision(decision) = game.advance() else { break };
            let picks = named(bot, seed, game.decisions, decision.player).unwrap().choose(&game.machine, &decision);
            game.answer(&decision, &picks).unwrap();
        }
        game.answers.iter().collect()
    }

    /// Uses the first thing that can be used, chooses the last option, and lets all pass until that has happened.
    fn use_first(&self, wanted: &Value, answers: usize) -> Vec<RecordedAnswer> {
        let games = self.compiler.games(self.files(self.cards)).unwrap();
        let wanted: WantedPosition = serde_json::from_value(wanted.clone()).unwrap();
        let mut game = RecordedGame::new(position(&games, "own/cards.fz", 1, &wanted).unwrap().machine);
        for number in 0..answers {
            let StepResult::Decision(decision) = game.advance() else { break };
            let is_play = |choice: &Choice| matches!(choice, Choice::Play { .. });
            let pick = match decision.kind {
                DecisionKind::Act if number == 0 => decision.options.iter().position(is_play).unwrap(),
                DecisionKind::Act => decision.options.iter().position(|choice| *choice == Choice::Pass).unwrap(),
                DecisionKind::Pay => decision.options.iter().position(|choice| *choice == Choice::PayNow).unwrap(),
                _ => decision.options.len() - 1,
            };
            game.answer(&decision, &[pick as u32]).unwrap();
        }
        game.answers.iter().collect()
    }

    fn keep(&self, wanted: &Value, answers: &[RecordedAnswer]) -> Result<KeptScenario, String> {
        let wanted: WantedPosition = serde_json::from_value(wanted.clone()).unwrap();
        keep(&self.compiler, &self.files(self.cards), ("own/cards.fz", 1), &wanted, answers)
    }

    /// Whether the scenario of a title passes in a changed source.
    fn passes(&self, kept: &KeptScenario) {
        let mut lines: Vec<&str> = self.cards.lines().collect();
        let at = kept.before.map_or(lines.len(), |line| line as usize - 1);
        lines.splice(at..at, kept.text.lines());
        let games = self.compiler.games(self.files(&(lines.join("\n") + "\n"))).unwrap_or_else(|_| panic!("{}", kept.text));
        let played = scenarios::play(&games, |path| path == "own/cards.fz");
        let own = played.iter().find(|scenario| scenario.title == kept.title).unwrap();
        assert_eq!(own.failure, None, "{}", kept.text);
    }
}

const GAMES: [(&str, &str, &[&str]); 4] = [
    (
        "pack own { edition 2; extends duel_masters }",
        r#"card "Lantern Fox" {
  creature  fire  cost 3  race "Fire Bird"  power 2000
  when this enters battle {
    destroy 1 creature of opponent with power <= 3000
  }
}
"#,
        &["duel_masters", "duel_magic"],
    ),
    (
        "pack own { edition 2; extends magic }",
        r#"card "Torch" {
  sorcery  red  mana_cost {1}{R}
  does { deal 2 damage to target creature }
}
"#,
        &["magic"],
    ),
    (
        "pack own { edition 2; extends yugioh }",
        r#"card "Small Lantern" {
  monster  fire  level 4  race "Pyro"  atk 1500  def 1000
  when this is normal_summoned { draw 1 }
}
"#,
        &["yugioh"],
    ),
    (
        "pack own { edition 2; extends duel_masters }",
        "card \"Plain Fox\" {\n  creature  fire  cost 2  race \"Fire Bird\"  power 1000\n}\n",
        &["duel_masters"],
    ),
];

#[test]
fn games_of_bots_are_kept_in_all_families() {
    for (pack, cards, formats) in GAMES {
        let written = Written { compiler: PackCompiler::default(), pack, cards };
        let card = cards.split('"').nth(1).unwrap();
        for format in formats {
            for (bot, seed) in [("greedy", 1), ("random", 2)] {
                let wanted = json!({ "card": card, "format": format });
                let kept = written.keep(&wanted, &written.play(&wanted, bot, seed, 12)).unwrap();
                assert_eq!(kept.left_out, None, "{format} {bot}: {}", kept.text);
                assert!(kept.text.lines().count() > 12, "{}", kept.text);
                written.passes(&kept);
            }
        }
    }
}

const WAITING: &str = r#"
scenario "the fox waits" {
  format duel_masters
  position {
    A: { hand "Plain Fox"; hand "Plain Fox" as fox; mana 4 "Plain Fox"; deck 5 "Plain Fox" }
    B: { deck 5 "Plain Fox" }
  }
  at A's turn.main
  A summons fox
  expect count of battle of A == 1
}
"#;

#[test]
fn answers_at_a_step_go_into_the_scenario() {
    let (pack, card, _) = GAMES[3];
    let cards = format!("{card}{WAITING}");
    let written = Written { compiler: PackCompiler::default(), pack, cards: &cards };
    // It is reported whether the expectation that follows still holds.
    for (steps, before, later) in [(0, 12, true), (1, 12, true), (2, 13, true), (3, 14, false)] {
        let wanted = json!({ "scenario": "the fox waits", "steps": steps });
        let kept = written.keep(&wanted, &written.play(&wanted, "greedy", 1, 1)).unwrap();
        assert_eq!((kept.title.as_str(), kept.before), ("the fox waits", Some(before)), "{}", kept.text);
        assert_eq!(kept.text.lines().next(), Some("  A summons \"Plain Fox\""), "{steps}");
        assert_eq!(kept.steps, steps.max(1) + kept.text.lines().count());
        assert_eq!(kept.left_out.as_ref().is_some_and(|why| why.contains("does not hold any more")), later, "{steps}: {kept:?}");
        if !later {
            written.passes(&kept);
        }
    }
}

#[test]
fn a_scenario_whose_end_is_not_clear_is_not_continued() {
    let (pack, card, _) = GAMES[3];
    let wanted = json!({ "scenario": "the fox waits" });
    for (from, to, why) in [
        ("  expect count of battle of A == 1\n}", "  expect count of battle of A == 1 }", "the last brace"),
        ("A summons fox\n  expect", "A summons fox;  expect", "the steps of line"),
    ] {
        let cards = format!("{card}{}\n{card}", WAITING.replace(from, to)).replacen("Plain Fox\" {", "First Fox\" {", 1);
        let written = Written { compiler: PackCompiler::default(), pack, cards: &cards };
        let at = if why == "the last brace" { wanted.clone() } else { json!({ "scenario": "the fox waits", "steps": 2 }) };
        let error = written.keep(&at, &written.play(&at, "greedy", 1, 1)).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused_in_words() {
    let (pack, cards, _) = GAMES[0];
    let written = Written { compiler: PackCompiler::default(), pack, cards };
    let wanted = json!({ "card": "Lantern Fox", "format": "duel_masters" });
    assert_eq!(written.keep(&wanted, &[]).unwrap_err(), "nothing was played yet");
    let other = written.play(&json!({ "card": "Lantern Fox", "format": "duel_magic" }), "random", 2, 12);
    let kept = written.keep(&wanted, &other);
    assert!(kept.as_ref().map_or(true, |kept| kept.left_out.is_some()), "answers of another game: {kept:?}");
    assert!(written.keep(&json!({ "card": "No Fox" }), &other).unwrap_err().contains("No Fox"));
}

const PIPER: &str = r#"card "Reed Piper" {
  creature  water  cost 2  race "Merfolk"  power 2000
  when this enters battle { put 1 creature of opponent into hand of opponent }
}
"#;

/// What the card did is expected: damage, what was turned, and what went back to a hand.
#[test]
fn what_a_card_did_is_expected() {
    let archer = r#"card "Ember Archer" {
  creature  red  mana_cost {1}{R}  subtype "Archer"  power 1  toughness 2
  activated "loose" {
    when can_tap(this)
    cost { tap this }
    does { deal 1 damage to target creature }
  }
}
scenario "an archer" {
  format magic
  position { A: { battlefield "Ember Archer" as archer } B: { battlefield "Serra Angel" as angel, "Mountain"; hand "Shock" } }
  at A's turn.precombat_main
}
"#;
    let piper = [
        PIPER,
        r#"scenario "a piper" {
  format duel_masters
  position {
    A: { hand "Reed Piper" as piper; mana 3 "Reed Piper"; deck 5 "Reed Piper" }
    B: { battle "ボルシャック・ドラゴン" as dragon; deck 5 "Reed Piper" }
  }
  at A's turn.main
}
"#,
    ]
    .concat();
    for (base, cards, title, count, expected) in [
        ("magic", archer, "an archer", 3, ["archer is tapped", "damage of angel == 1"]),
        ("duel_masters", piper.as_str(), "a piper", 4, ["piper in battle", "dragon in hand of B"]),
    ] {
        let pack = format!("pack own {{ edition 2; extends {base} }}");
        let written = Written { compiler: PackCompiler::default(), pack: &pack, cards };
        let wanted = json!({ "scenario": title, "steps": 0 });
        let kept = written.keep(&wanted, &written.use_first(&wanted, count)).unwrap();
        for line in expected {
            assert!(kept.text.contains(line), "{line}: {}", kept.text);
        }
        assert!(kept.expects >= 2, "{}", kept.text);
        written.passes(&kept);
    }
}

/// A step that fails opens at the decision that it is about: what is paid before it has been paid.
#[test]
fn a_failing_choice_opens_at_its_decision() {
    let cards = [
        PIPER,
        r#"scenario "a piper" {
  format duel_masters
  position {
    A: { hand "Reed Piper" as piper; mana 3 "Reed Piper"; deck 5 "Reed Piper" }
    B: { battle 2 "ボルシャック・ドラゴン"; deck 5 "Reed Piper" }
  }
  at A's turn.main
  A summons piper
  A chooses piper
  expect count of battle of B == 1
}
"#,
    ]
    .concat();
    let games = PackCompiler::default().games(vec![
        SourceFile { path: "own/pack.fz".to_owned(), text: "pack own { edition 2; extends duel_masters }".to_owned() },
        SourceFile { path: "own/cards.fz".to_owned(), text: cards },
    ]);
    let wanted: WantedPosition = serde_json::from_value(json!({ "scenario": "a piper" })).unwrap();
    let found = position(&games.unwrap(), "own/cards.fz", 5, &wanted).unwrap();
    assert_eq!(found.info.failure.map(|failure| failure.line), Some(13));
    let mut machine = found.machine;
    let StepResult::Decision(decision) = machine.step() else { panic!("the game continues") };
    assert_eq!(decision.kind, DecisionKind::Choose);
}
