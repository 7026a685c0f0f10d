//! Tests of the scenario runner.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::scenario::{ExpectedValue, PositionEntry, Scenario, ScenarioStep, ScenarioStepKind, ScriptedAnswer};
use fizzle_runtime::ir::verbs::PUT;
use fizzle_runtime::ir::*;
use fizzle_runtime::scenario::{ScenarioFailure, ScenarioRunner, run};

const A: u16 = 2;
const B: u16 = 3;

/// A game with a stack, and a scenario of it. The cards are Bolt, Blink, Bear, Rock (a rule forbids its use) and Cup (an activated
/// ability).
struct Pack {
    g: Game,
    std: Std,
    bolt: DefId,
    blink: DefId,
    bear: DefId,
    rock: DefId,
    cup: DefId,
    scenario: Scenario,
}

fn pack() -> Pack {
    let (mut g, std) = Game::standard();
    g.stack();
    g.announce_targets();
    g.cast(std);
    let (destroy, gain) = (std.destroy, std.gain);
    let site = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
    let kill = g.paragraph(|f| {
        let chosen = f.choose(site);
        f.act(destroy, &[chosen]);
    });
    let bolt = g.card("Bolt", 0, &[kill]);
    let site = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
    let back = g.paragraph(|f| {
        let chosen = f.choose(site);
        let it = f.first(chosen);
        f.put_to_owners(it, std.hand);
    });
    let blink = g.card("Blink", 0, &[back]);
    let bear = g.card("Bear", 2, &[]);
    let rock = g.card("Rock", 0, &[]);
    let forbids = g.prohibition("rule no_rocks", 0, ActionId(verbs::ANNOUNCE), |f| f.is_card(3, rock));
    g.format.rules.push(Rule { name: "no_rocks".into(), abilities: vec![forbids] });
    let body = g.body("activated", |f| {
        let two = f.num(2);
        f.act(gain, &[YOU, two]);
    });
    let untapped = g.pred("untapped", &[], |f| {
        let tapped = f.get(Place::Status(TAPPED), THIS);
        f.not(tapped)
    });
    let tap = g.body("tap", |f| f.write(Place::Status(TAPPED), THIS, WriteMode::Set, 1));
    let play = Play { name: "drink".into(), body, cost: Some(tap), cost_possible: Some(untapped), ..Play::default() };
    let ability = g.ability("card \"Cup\", line 2", in_zone(std.field), AbilityKind::Activated { play: Box::new(play) });
    let unit = g.unit(&[ability]);
    let cup = g.card("Cup", 0, &[unit]);
    let scenario = Scenario {
        title: "test".into(),
        format: "test".into(),
        slots: vec!["A".into(), "B".into(), "x".into(), "y".into(), "spell".into(), "answer".into()],
        players: 2,
        position: Some(Vec::new()),
        ..Scenario::default()
    };
    Pack { g, std, bolt, blink, bear, rock, cup, scenario }
}

const X: u16 = 2;
const Y: u16 = 3;
const SPELL: u16 = 4;
const ANSWER: u16 = 5;

impl Pack {
    fn cards(&mut self, player: u8, zone: ZoneKindId, card: DefId, slot: Option<u16>) {
        self.scenario.position.as_mut().unwrap().push(PositionEntry::Cards {
            player,
            zone,
            count: 1,
            card,
            statuses: vec![],
            slot,
        });
    }

    fn params(&self) -> Vec<Type> {
        let players = usize::from(self.scenario.players);
        (0..self.scenario.slots.len()).map(|i| if i < players { Type::Player } else { Type::Object }).collect()
    }

    fn step(&mut self, kind: ScenarioStepKind) {
        let line = self.scenario.steps.len() as u32 + 1;
        self.scenario.steps.push(ScenarioStep {
            kind,
            source: Source { file: 0, line, column: 1 },
            text: format!("step {line}"),
        });
    }

    fn slot(&mut self, slot: u16) -> ExpectedValue {
        let params = self.params();
        let ty = params[usize::from(slot)];
        ExpectedValue::Value(self.g.value("slot", &params, ty, |_| slot + 2))
    }

    fn expect(&mut self, write: impl FnOnce(&mut Fun) -> Reg) {
        let params = self.params();
        let condition = self.g.pred("condition", &params, write);
        self.step(ScenarioStepKind::Expect(condition));
    }

    fn expect_in(&mut self, slot: u16, zone: ZoneKindId) {
        self.expect(|f| f.in_zone(slot + 2, zone));
    }

    fn casts(&mut self, player: u8, object: u16, choosing: &[u16]) {
        let object = Some(self.slot(object));
        let choosing = choosing.iter().map(|s| ScriptedAnswer::Values(vec![self.slot(*s)])).collect();
        self.step(ScenarioStepKind::Act { player, play: "casts".into(), object, choosing });
    }

    fn expect_list(&mut self, slots: &[u16]) {
        let items = slots.iter().map(|s| self.slot(*s)).collect();
        self.step(ScenarioStepKind::ExpectList(items));
    }

    fn pass(&mut self, players: &[u8]) {
        self.step(ScenarioStepKind::Pass(players.to_vec()));
    }

    /// The position for "Bolt on x, Blink in response": A has Bolt, B has Blink and two bears, x and y.
    fn set_up_bolt_and_blink(&mut self) {
        let std = self.std;
        self.cards(0, std.hand, self.bolt, Some(SPELL));
        self.cards(1, std.hand, self.blink, Some(ANSWER));
        self.cards(1, std.field, self.bear, Some(X));
        self.cards(1, std.field, self.bear, Some(Y));
        self.step(ScenarioStepKind::Start { player: 0, period: std.main });
    }

    fn run(self) -> Result<(), ScenarioFailure> {
        let scenario = self.scenario.clone();
        let game = self.g.artifact();
        let checked = run(&game, &scenario, true);
        assert_eq!(run(&game, &scenario, false), checked);
        checked
    }
}

#[test]
fn spell_without_legal_target_fizzles() {
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.casts(0, SPELL, &[X]);
    p.expect_list(&[SPELL]);
    p.pass(&[0]);
    p.step(ScenarioStepKind::ExpectDecision { player: 1, kind: Some("act".into()) });
    p.casts(1, ANSWER, &[X]);
    p.expect_list(&[SPELL, ANSWER]);
    p.pass(&[1, 0]);
    p.expect_in(X, std.hand);
    p.expect_list(&[SPELL]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["announce".into(), "announce".into(), "put".into(), "resolve".into()]));
    p.pass(&[0, 1]);
    p.expect_in(SPELL, std.grave);
    p.expect_in(Y, std.field);
    p.step(ScenarioStepKind::ExpectNoEvents(vec!["destroy".into(), "resolve".into()]));
    p.step(ScenarioStepKind::ExpectEvents(vec!["fizzle".into()]));
    p.step(ScenarioStepKind::ExpectWindows { player: 1, periods: vec![std.main] });
    assert_eq!(p.run(), Ok(()));
}

#[test]
fn automatic_passes_may_be_omitted() {
    for written in [false, true] {
        let mut p = pack();
        let std = p.std;
        p.cards(0, std.hand, p.bolt, Some(SPELL));
        p.cards(0, std.hand, p.bolt, Some(ANSWER));
        p.cards(1, std.field, p.bear, Some(X));
        p.cards(1, std.field, p.bear, Some(Y));
        p.step(ScenarioStepKind::Start { player: 0, period: std.main });
        p.casts(0, SPELL, &[X]);
        p.expect_list(&[SPELL]);
        if written {
            p.pass(&[0, 1]);
        } else {
            p.pass(&[0]);
        }
        // B can only pass, so the runner passes for B before A acts again.
        p.casts(0, ANSWER, &[Y]);
        p.pass(&[0, 1]);
        p.expect_in(Y, std.grave);
        p.expect_in(X, std.grave);
        assert_eq!(p.run(), Ok(()));
    }
}

#[test]
fn go_to_passes_until_the_period() {
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.step(ScenarioStepKind::GoTo { player: 1, period: std.end });
    p.expect(|f| {
        let n = f.builtin("turn_number", &[]);
        let two = f.num(2);
        f.bin(Binary::Equal, n, two)
    });
    p.step(ScenarioStepKind::GoTo { player: 1, period: std.main });
    p.casts(1, ANSWER, &[Y]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["turn.work".into(), "main".into()]));
    assert_eq!(p.run(), Ok(()));
}

#[test]
fn refuse_checks_the_rule_that_forbids() {
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.cards(0, std.hand, p.rock, None);
    let rock = ExpectedValue::Card(p.rock);
    p.step(ScenarioStepKind::Refuse {
        player: 0,
        play: "casts".into(),
        objects: vec![rock.clone()],
        because: Some("rule.no_rocks".into()),
    });
    let answer = p.slot(ANSWER);
    let because = Some("not_asked".into());
    p.step(ScenarioStepKind::Refuse { player: 1, play: "casts".into(), objects: vec![answer], because });
    p.casts(0, SPELL, &[X]);
    assert_eq!(p.run(), Ok(()));

    // That B has no decision proves nothing by itself, so the script must state `because not_asked`.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let answer = p.slot(ANSWER);
    p.step(ScenarioStepKind::Refuse { player: 1, play: "casts".into(), objects: vec![answer], because: None });
    assert!(p.run().unwrap_err().message.starts_with("B is not asked"));

    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.cards(0, std.hand, p.rock, None);
    p.step(ScenarioStepKind::Refuse { player: 0, play: "casts".into(), objects: vec![rock], because: Some("rule.other".into()) });
    let failure = p.run().unwrap_err();
    assert!(failure.message.contains("rule.no_rocks"), "{failure}");
    assert_eq!(failure.source.line, 2);
}

#[test]
fn abilities_match_their_label_and_their_source() {
    for word in ["drinks", "activates"] {
        let mut p = pack();
        let std = p.std;
        p.cards(0, std.field, p.cup, Some(X));
        p.step(ScenarioStepKind::Start { player: 0, period: std.main });
        let x = p.slot(X);
        p.step(ScenarioStepKind::Act { player: 0, play: word.into(), object: Some(x), choosing: vec![] });
        p.expect_list(&[X]);
        let card = ExpectedValue::Card(p.cup);
        p.step(ScenarioStepKind::ExpectList(vec![card]));
        p.pass(&[0, 1]);
        p.expect_list(&[]);
        p.expect(|f| {
            let life = f.get(Place::Player(LIFE), A);
            let n = f.num(22);
            f.bin(Binary::Equal, life, n)
        });
        p.expect(|f| {
            let life = f.get(Place::Player(LIFE), B);
            let n = f.num(20);
            f.bin(Binary::Equal, life, n)
        });
        assert_eq!(p.run(), Ok(()));
    }
}

#[test]
fn choices_are_compared_and_names_are_bound() {
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.step(ScenarioStepKind::ExpectChoices { options: vec![ExpectedValue::Card(p.bolt)], declining: false });
    let spell = p.slot(SPELL);
    p.step(ScenarioStepKind::Act { player: 0, play: "cast".into(), object: Some(spell), choosing: vec![] });
    let (x, y) = (p.slot(X), p.slot(Y));
    p.step(ScenarioStepKind::ExpectChoices { options: vec![x.clone(), y.clone()], declining: false });
    p.step(ScenarioStepKind::ExpectDecision { player: 0, kind: Some("choose".into()) });
    let spell = p.slot(SPELL);
    p.step(ScenarioStepKind::Refuse { player: 0, play: "chooses".into(), objects: vec![spell], because: None });
    p.step(ScenarioStepKind::Answer { player: 0, answer: ScriptedAnswer::Values(vec![y]) });
    let params = p.params();
    let top = p.g.value("top", &params, Type::Object, |f| f.builtin("list_top", &[]));
    p.step(ScenarioStepKind::Let { slot: ANSWER, value: top });
    p.expect_list(&[ANSWER]);
    p.pass(&[0, 1]);
    p.expect_in(Y, std.grave);
    assert_eq!(p.run(), Ok(()));
    let _ = PUT;
}

fn assert_fails(p: Pack, line: u32, parts: &[&str]) {
    let failure = p.run().unwrap_err();
    assert_eq!(failure.source.line, line, "{failure}");
    for part in parts {
        assert!(failure.message.contains(part), "`{part}` is not in: {failure}");
    }
}

#[test]
fn failures_state_the_actual_result() {
    // An unscripted decision.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, SPELL, &[]);
    p.pass(&[0]);
    assert_fails(
        p,
        3,
        &["A cannot pass", "A is asked to choose (`target beast`) in A's turn.main", "\"Bear\" (x), \"Bear\" (y)"],
    );
    // No failure if the remaining decisions are answered (`rest first`).
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.step(ScenarioStepKind::RemainingAnswers("first".into()));
    p.casts(0, SPELL, &[]);
    p.pass(&[0]);
    assert_eq!(p.run(), Ok(()));
    // A condition that does not hold.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let std = p.std;
    p.expect_in(X, std.grave);
    assert_fails(p, 2, &["does not hold", "\"Bear\" (x) is in field"]);
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.expect(|f| {
        let life = f.get(Place::Player(LIFE), A);
        let n = f.num(22);
        f.bin(Binary::Equal, life, n)
    });
    assert_fails(p, 2, &["life of A is 20"]);
    // Two answers to one decision.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, SPELL, &[X, Y]);
    assert_fails(p, 2, &["a comma in `choosing` leads to the next question", "`choosing x and y`"]);
    // Another list.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, SPELL, &[X]);
    p.expect_list(&[]);
    assert_fails(p, 3, &["the list is [\"Bolt\" (spell)], expected is []"]);
    // A play that is not legal.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, X, &[]);
    assert_fails(p, 2, &["is not legal", "play.cast does not allow it now", "A is asked to act"]);
    let mut p = pack();
    p.set_up_bolt_and_blink();
    let x = p.slot(X);
    p.step(ScenarioStepKind::Act { player: 0, play: "sings".into(), object: Some(x), choosing: vec![] });
    assert_fails(p, 2, &["there is no play `sings`", "cast"]);
    // Another player must decide.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.step(ScenarioStepKind::ExpectDecision { player: 1, kind: None });
    assert_fails(p, 2, &["expected that B is asked", "A is asked to act"]);
    // Too many answers.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, SPELL, &[X, Y]);
    assert_fails(p, 2, &["that is not an answer to a decision to act", "B is asked to act"]);
    // Events that did not happen, and unknown names.
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.casts(0, SPELL, &[X]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["destroy".into()]));
    assert_fails(p, 3, &["`destroy` did not happen", "announce"]);
    let mut p = pack();
    p.set_up_bolt_and_blink();
    p.step(ScenarioStepKind::ExpectEvents(vec!["dance".into()]));
    assert_fails(p, 2, &["there is no action and no span `dance`"]);
}

#[test]
fn runner_links_each_format_once() {
    let p = pack();
    let scenario = Scenario { format: "other".into(), ..p.scenario.clone() };
    let game = p.g.artifact();
    let runner = ScenarioRunner::new(&game);
    let failure = runner.run(&scenario, false).unwrap_err();
    assert_eq!(failure.message, "there is no format `other`; there are: test");
    let (a, b) = (runner.program("test", 2).unwrap(), runner.program("test", 2).unwrap());
    assert!(std::sync::Arc::ptr_eq(&a, &b));
}
