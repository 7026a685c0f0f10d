//! The scenario runner.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::scenario::{Expected, PositionEntry, Scenario, ScenarioStep, ScenarioStepKind, ScriptedAnswer};
use fizzle_runtime::ir::verbs::PUT;
use fizzle_runtime::ir::*;
use fizzle_runtime::scenario::{ScenarioFailure, ScenarioRunner, run};

const A: u16 = 2;
const B: u16 = 3;

/// Bolt, Blink, Bear, Rock (cannot be played: a rule forbids to use rocks), Cup (activated), under a stack.
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

    fn slot(&mut self, slot: u16) -> Expected {
        let params = self.params();
        let ty = params[usize::from(slot)];
        Expected::Value(self.g.value("slot", &params, ty, |_| slot + 2))
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

    fn list(&mut self, slots: &[u16]) {
        let items = slots.iter().map(|s| self.slot(*s)).collect();
        self.step(ScenarioStepKind::ExpectList(items));
    }

    fn pass(&mut self, players: &[u8]) {
        self.step(ScenarioStepKind::Pass(players.to_vec()));
    }

    /// Bolt on x, Blink in answer: B's x is in hand when Bolt is carried out.
    fn usual(&mut self) {
        let std = self.std;
        self.cards(0, std.hand, self.bolt, Some(SPELL));
        self.cards(1, std.hand, self.blink, Some(ANSWER));
        self.cards(1, std.field, self.bear, Some(X));
        self.cards(1, std.field, self.bear, Some(Y));
        self.step(ScenarioStepKind::Start { player: 0, span: std.main });
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
fn a_spell_fizzles_in_the_script_of_the_reference() {
    let mut p = pack();
    p.usual();
    let std = p.std;
    p.casts(0, SPELL, &[X]);
    p.list(&[SPELL]);
    p.pass(&[0]);
    p.step(ScenarioStepKind::ExpectAsked { player: 1, kind: Some("act".into()) });
    p.casts(1, ANSWER, &[X]);
    p.list(&[SPELL, ANSWER]);
    p.pass(&[1, 0]);
    p.expect_in(X, std.hand);
    p.list(&[SPELL]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["announce".into(), "announce".into(), "put".into(), "resolve".into()]));
    p.pass(&[0, 1]);
    p.expect_in(SPELL, std.grave);
    p.expect_in(Y, std.field);
    p.step(ScenarioStepKind::ExpectNoEvents(vec!["destroy".into(), "resolve".into()]));
    p.step(ScenarioStepKind::ExpectEvents(vec!["fizzle".into()]));
    p.step(ScenarioStepKind::ExpectWindows { player: 1, spans: vec![std.main] });
    assert_eq!(p.run(), Ok(()));
}

#[test]
fn forced_passes_may_be_left_out_or_written() {
    for written in [false, true] {
        let mut p = pack();
        let std = p.std;
        p.cards(0, std.hand, p.bolt, Some(SPELL));
        p.cards(0, std.hand, p.bolt, Some(ANSWER));
        p.cards(1, std.field, p.bear, Some(X));
        p.cards(1, std.field, p.bear, Some(Y));
        p.step(ScenarioStepKind::Start { player: 0, span: std.main });
        p.casts(0, SPELL, &[X]);
        p.list(&[SPELL]);
        if written {
            p.pass(&[0, 1]);
        } else {
            p.pass(&[0]);
        }
        // B can only pass: done before A acts again.
        p.casts(0, ANSWER, &[Y]);
        p.pass(&[0, 1]);
        p.expect_in(Y, std.grave);
        p.expect_in(X, std.grave);
        assert_eq!(p.run(), Ok(()));
    }
}

#[test]
fn going_to_a_span_passes_on_the_way() {
    let mut p = pack();
    p.usual();
    let std = p.std;
    p.step(ScenarioStepKind::GoTo { player: 1, span: std.end });
    p.expect(|f| {
        let n = f.builtin("turn_number", &[]);
        let two = f.num(2);
        f.bin(Binary::Equal, n, two)
    });
    p.step(ScenarioStepKind::GoTo { player: 1, span: std.main });
    p.casts(1, ANSWER, &[Y]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["turn.work".into(), "main".into()]));
    assert_eq!(p.run(), Ok(()));
}

#[test]
fn refusals_name_the_rule() {
    let mut p = pack();
    p.usual();
    let std = p.std;
    p.cards(0, std.hand, p.rock, None);
    let rock = Expected::Card(p.rock);
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

    // That alone shows nothing, and is to be said.
    let mut p = pack();
    p.usual();
    let answer = p.slot(ANSWER);
    p.step(ScenarioStepKind::Refuse { player: 1, play: "casts".into(), objects: vec![answer], because: None });
    assert!(p.run().unwrap_err().message.starts_with("B is not asked"));

    let mut p = pack();
    p.usual();
    let std = p.std;
    p.cards(0, std.hand, p.rock, None);
    p.step(ScenarioStepKind::Refuse { player: 0, play: "casts".into(), objects: vec![rock], because: Some("rule.other".into()) });
    let failure = p.run().unwrap_err();
    assert!(failure.message.contains("rule.no_rocks"), "{failure}");
    assert_eq!(failure.source.line, 2);
}

#[test]
fn abilities_are_named_by_label_and_by_their_source() {
    for word in ["drinks", "activates"] {
        let mut p = pack();
        let std = p.std;
        p.cards(0, std.field, p.cup, Some(X));
        p.step(ScenarioStepKind::Start { player: 0, span: std.main });
        let x = p.slot(X);
        p.step(ScenarioStepKind::Act { player: 0, play: word.into(), object: Some(x), choosing: vec![] });
        p.list(&[X]);
        let card = Expected::Card(p.cup);
        p.step(ScenarioStepKind::ExpectList(vec![card]));
        p.pass(&[0, 1]);
        p.list(&[]);
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
fn choices_are_compared_and_bound() {
    let mut p = pack();
    p.usual();
    let std = p.std;
    p.step(ScenarioStepKind::ExpectChoices(vec![Expected::Card(p.bolt)]));
    let spell = p.slot(SPELL);
    p.step(ScenarioStepKind::Act { player: 0, play: "cast".into(), object: Some(spell), choosing: vec![] });
    let (x, y) = (p.slot(X), p.slot(Y));
    p.step(ScenarioStepKind::ExpectChoices(vec![x.clone(), y.clone()]));
    p.step(ScenarioStepKind::ExpectAsked { player: 0, kind: Some("choose".into()) });
    let spell = p.slot(SPELL);
    p.step(ScenarioStepKind::Refuse { player: 0, play: "chooses".into(), objects: vec![spell], because: None });
    p.step(ScenarioStepKind::Answer { player: 0, answer: ScriptedAnswer::Values(vec![y]) });
    let params = p.params();
    let top = p.g.value("top", &params, Type::Object, |f| f.builtin("list_top", &[]));
    p.step(ScenarioStepKind::Let { slot: ANSWER, value: top });
    p.list(&[ANSWER]);
    p.pass(&[0, 1]);
    p.expect_in(Y, std.grave);
    assert_eq!(p.run(), Ok(()));
    let _ = PUT;
}

fn fails(p: Pack, line: u32, parts: &[&str]) {
    let failure = p.run().unwrap_err();
    assert_eq!(failure.source.line, line, "{failure}");
    for part in parts {
        assert!(failure.message.contains(part), "`{part}` is not in: {failure}");
    }
}

#[test]
fn failures_say_what_is() {
    // an unscripted decision
    let mut p = pack();
    p.usual();
    p.casts(0, SPELL, &[]);
    p.pass(&[0]);
    fails(p, 3, &["A cannot pass", "A is asked to choose (`target beast`) in A's turn.main", "\"Bear\" (x), \"Bear\" (y)"]);
    // unless the rest is answered
    let mut p = pack();
    p.usual();
    p.step(ScenarioStepKind::Rest("first".into()));
    p.casts(0, SPELL, &[]);
    p.pass(&[0]);
    assert_eq!(p.run(), Ok(()));
    // a condition
    let mut p = pack();
    p.usual();
    let std = p.std;
    p.expect_in(X, std.grave);
    fails(p, 2, &["does not hold", "\"Bear\" (x) is in field"]);
    let mut p = pack();
    p.usual();
    p.expect(|f| {
        let life = f.get(Place::Player(LIFE), A);
        let n = f.num(22);
        f.bin(Binary::Equal, life, n)
    });
    fails(p, 2, &["life of A is 20"]);
    // two answers where one question is asked
    let mut p = pack();
    p.usual();
    p.casts(0, SPELL, &[X, Y]);
    fails(p, 2, &["a comma in `choosing` leads to the next question", "`choosing x and y`"]);
    // the list
    let mut p = pack();
    p.usual();
    p.casts(0, SPELL, &[X]);
    p.list(&[]);
    fails(p, 3, &["the list is [\"Bolt\" (spell)], expected is []"]);
    // a play that is not legal
    let mut p = pack();
    p.usual();
    p.casts(0, X, &[]);
    fails(p, 2, &["is not legal", "play.cast does not allow it now", "A is asked to act"]);
    let mut p = pack();
    p.usual();
    let x = p.slot(X);
    p.step(ScenarioStepKind::Act { player: 0, play: "sings".into(), object: Some(x), choosing: vec![] });
    fails(p, 2, &["there is no play `sings`", "cast"]);
    // who is asked
    let mut p = pack();
    p.usual();
    p.step(ScenarioStepKind::ExpectAsked { player: 1, kind: None });
    fails(p, 2, &["expected that B is asked", "A is asked to act"]);
    // too many answers
    let mut p = pack();
    p.usual();
    p.casts(0, SPELL, &[X, Y]);
    fails(p, 2, &["that is no answer to being asked to act", "B is asked to act"]);
    // events
    let mut p = pack();
    p.usual();
    p.casts(0, SPELL, &[X]);
    p.step(ScenarioStepKind::ExpectEvents(vec!["destroy".into()]));
    fails(p, 3, &["`destroy` did not happen", "announce"]);
    let mut p = pack();
    p.usual();
    p.step(ScenarioStepKind::ExpectEvents(vec!["dance".into()]));
    fails(p, 2, &["there is no action and no span `dance`"]);
}

#[test]
fn a_runner_links_once_and_knows_its_formats() {
    let p = pack();
    let scenario = Scenario { format: "other".into(), ..p.scenario.clone() };
    let game = p.g.artifact();
    let runner = ScenarioRunner::new(&game);
    let failure = runner.run(&scenario, false).unwrap_err();
    assert_eq!(failure.message, "there is no format `other`; there are: test");
    let (a, b) = (runner.program("test", 2).unwrap(), runner.program("test", 2).unwrap());
    assert!(std::sync::Arc::ptr_eq(&a, &b));
}
