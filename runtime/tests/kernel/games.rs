//! Tests of turns, turn plans, the end of games, and saving and cloning of states.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::BEGIN;
use fizzle_runtime::ir::*;
use fizzle_runtime::state::State;
use fizzle_runtime::vm::{Budget, Machine, Outcome, Record, StepResult};
use std::sync::Arc;

/// The paths of the periods that began, in order, with the active player.
fn begun_periods(t: &Table) -> Vec<(String, i64)> {
    t.m.log
        .iter()
        .filter_map(|r| match r {
            Record::Event { action: BEGIN, args, .. } => {
                Some((t.m.program.format.periods[args[0] as usize].path.clone(), args[1]))
            }
            _ => None,
        })
        .collect()
}

fn names(list: &[(String, i64)]) -> Vec<String> {
    list.iter().map(|(path, who)| format!("{who}:{}", path.rsplit('.').next().unwrap())).collect()
}

#[test]
fn game_started_in_mid_turn_continues_with_the_next_player() {
    let (mut g, std) = Game::standard();
    // A phase with two steps, and a last step.
    let phase = g.period("phase", PeriodId(0), None);
    g.format.periods[phase.index()].phase = true;
    let window = g.body("window", |f| f.op(Op::Window { window: 0 }));
    let first = g.period("first", phase, None);
    let second = g.period("second", phase, Some(window));
    let last = g.period("last", PeriodId(0), None);
    let _ = (first, last);
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(second).unwrap();
    assert_eq!(names(&begun_periods(&t)), ["0:second"]);
    t.pass();
    t.pass().unwrap();
    assert_eq!(names(&begun_periods(&t)), ["0:second", "0:last", "1:turn", "1:work", "1:main"]);
    let _ = std;
}

#[test]
fn repetitions_insertions_and_skips_change_the_turn_plan() {
    let (mut g, std) = Game::standard();
    let phase = g.period("phase", PeriodId(0), None);
    g.format.periods[phase.index()].phase = true;
    let hit = g.body("hit", |f| f.write(Place::Global(0), YOU, WriteMode::Add, 1));
    let hit = g.period("hit", phase, Some(hit));
    let once_more = g.pred("twice", &[], |f| {
        let n = f.get(Place::Global(0), YOU);
        let two = f.num(2);
        f.bin(Binary::Less, n, two)
    });
    g.format.periods[phase.index()].entries = vec![PeriodEntry::Repeat(once_more, vec![PeriodEntry::Period(hit)])];
    let bonus_window = g.body("bonus", |f| f.op(Op::Window { window: 0 }));
    let bonus = g.period("bonus", phase, Some(bonus_window));
    g.format.periods[phase.index()].entries.pop();
    let extra = g.period("extra", PeriodId(0), None);
    g.format.periods[0].entries.pop();
    let _ = bonus;
    let end = std.end;
    g.work(std, |f| {
        f.op(Op::InsertPeriod { period: extra });
        f.op(Op::SkipPeriod { period: end, player: YOU });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(std.work).unwrap();
    assert_eq!(names(&begun_periods(&t)), ["0:work", "0:extra", "0:main"]);
    t.pass();
    t.pass();
    let list = names(&begun_periods(&t));
    assert_eq!(list[3..7], ["0:phase", "0:hit", "0:hit", "1:turn"], "end is skipped once: {list:?}");
}

#[test]
fn ending_the_turn_empties_the_list() {
    let (mut g, std) = Game::standard();
    g.stack();
    g.cast(std);
    let stop = g.paragraph(|f| {
        f.op(Op::EndPeriod { period: PeriodId(0) });
        f.write(Place::Global(0), YOU, WriteMode::Set, 99);
    });
    let stop = g.card("Stop", 0, &[stop]);
    let nothing = g.paragraph(|f| f.write(Place::Global(0), YOU, WriteMode::Set, 50));
    let nothing = g.card("Nothing", 0, &[nothing]);
    let program = g.link();
    let mut t = Table::new(&program);
    let (s, n) = (t.add(stop, 0, std.hand), t.add(nothing, 0, std.hand));
    t.begin(std.main).unwrap();
    t.play(0, n);
    t.play(0, s);
    t.pass();
    t.pass();
    assert_eq!((t.m.state.active(), t.m.state.turn(), t.tally()), (1, 2, 0));
    assert_eq!([s, n].map(|i| t.zone_of(i)), ["grave", "grave"], "objects on the list are removed");
    assert!(!names(&begun_periods(&t)).contains(&"0:end".to_owned()));
}

#[test]
fn ending_a_step_in_mid_batch_stops_its_body() {
    let (mut g, std) = Game::standard();
    let work = std.work;
    let stop = g.action("stop", &[("who", Type::Player)], |f| f.op(Op::EndPeriod { period: work }));
    g.work(std, |f| {
        f.act(stop, &[YOU]);
        f.write(Place::Global(0), YOU, WriteMode::Set, 99);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(std.work).unwrap();
    assert_eq!((t.tally(), names(&begun_periods(&t))), (0, vec!["0:work".to_owned(), "0:main".to_owned()]));
}

#[test]
fn extra_turn_comes_next() {
    let (mut g, std) = Game::standard();
    g.work(std, |f| {
        let first = f.builtin("turn_number", &[]);
        let two = f.num(2);
        let early = f.bin(Binary::Less, first, two);
        let number = f.num(0);
        f.when(early, |f| f.op(Op::ExtraTurn { dst: number, player: YOU }));
    });
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(std.work);
    let mut turns = vec![];
    for _ in 0..8 {
        turns.push((t.m.state.turn(), t.m.state.active()));
        t.pass();
    }
    turns.dedup();
    assert_eq!(turns, [(1, 0), (2, 0), (3, 1), (4, 0)]);
}

#[test]
fn game_ends_when_players_lose() {
    for (losers, outcome) in [(vec![1], Outcome::Won(0)), (vec![0, 1], Outcome::Drawn)] {
        let (mut g, std) = Game::standard();
        let n = losers.len();
        g.work(std, |f| {
            let players = f.reg(Type::Players);
            f.op(Op::Players { dst: players });
            if n == 1 {
                let other = f.opponent(YOU);
                f.act(ActionId(verbs::LOSE), &[other]);
            } else {
                f.act(ActionId(verbs::LOSE), &[players]);
            }
        });
        let program = g.link();
        let mut t = Table::new(&program);
        assert!(t.begin(std.work).is_none());
        assert_eq!(t.m.outcome(), Some(outcome));
    }
}

/// A game with many features: draws, beasts with triggers on dying, and an anthem.
pub fn busy_game() -> (Arc<fizzle_runtime::program::Program>, Std, Vec<DefId>) {
    let (mut g, std) = Game::standard();
    g.stack();
    g.announce_targets();
    g.cast(std);
    let (destroy, gain, draw) = (std.destroy, std.gain, std.draw);
    let field = in_zone(std.field);
    let dies = g.trigger(
        field,
        destroy,
        true,
        false,
        |f| f.bin(Binary::Equal, 2, THIS),
        |f| {
            let one = f.num(1);
            f.act(gain, &[YOU, one]);
            f.act(draw, &[YOU]);
        },
    );
    let every = g.pred("all", &[Type::Object], |f| f.num(1));
    let one = g.value("n", &[Type::Object], Type::Number, |f| f.num(1));
    let m = g.change(5, field, Some(every), Change::Add { property: POWER, value: one, floor: None });
    let anthem = g.static_unit(field, None, &[m]);
    // The text of a beast puts it onto the field when it resolves.
    let enters = g.paragraph(|f| {
        let field = f.zone(std.field, YOU);
        f.put(THIS, field);
    });
    let site = g.site("target", Some(1), Some(2), |f| f.all(std.field));
    let kill = g.paragraph(|f| {
        let chosen = f.choose(site);
        f.act(destroy, &[chosen]);
    });
    let mix = g.paragraph(|f| {
        let deck = f.zone(std.deck, YOU);
        f.act(ActionId(verbs::SHUFFLE), &[deck]);
        f.act(draw, &[YOU]);
    });
    let cards = vec![
        g.card("Bear", 2, &[enters, dies]),
        g.card("Anthem", 1, &[enters, anthem]),
        g.card("Bolt", 0, &[kill]),
        g.card("Mix", 0, &[mix]),
    ];
    g.work(std, |f| {
        f.act(draw, &[YOU]);
    });
    (g.link(), std, cards)
}

pub fn deal(t: &mut Table, std: Std, cards: &[DefId]) {
    for seat in 0..2 {
        for i in 0..24 {
            t.add(cards[i % cards.len()], seat, std.deck);
        }
        for card in cards.iter().take(3) {
            t.add(*card, seat, std.hand);
        }
    }
}

#[test]
fn replay_from_saved_words_gives_equal_states() {
    let (program, std, cards) = busy_game();
    for seed in 1..6u32 {
        let mut t = Table::new(&program);
        deal(&mut t, std, &cards);
        let mut chance = seed;
        let mut decision = t.begin(std.work);
        let mut hashes = Vec::new();
        let mut answers: Vec<Vec<u32>> = Vec::new();
        let start = t.m.state.clone();
        for _ in 0..150 {
            let Some(d) = decision else { break };
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let n = d.options.len() as u32;
            let first = if n > 1 { (chance >> 16) % n } else { 0 };
            let picks: Vec<u32> = (0..d.min.max(1) as u32).map(|i| (first + i) % n).collect();
            answers.push(picks.clone());
            decision = t.answer(&picks);
            hashes.push(t.m.state.hash());
        }
        // Replays from the start; the state is saved and loaded as words after each answer.
        let mut m = Machine::with_state(Arc::clone(&program), start);
        for (picks, hash) in answers.iter().zip(&hashes) {
            m.answer(picks).unwrap();
            m.step();
            assert_eq!(m.state.hash(), *hash);
            let mut state = State { marks: m.state.marks.clone(), ..State::default() };
            state.block.set_words(m.state.block.words().to_vec());
            m = Machine::with_state(Arc::clone(&program), state);
            if let StepResult::Over(_) = m.step() {
                break;
            }
        }
        assert!(answers.len() > 40);
    }
}

#[test]
fn state_does_not_grow_over_many_turns() {
    let (mut g, std) = Game::standard();
    g.stack();
    let (destroy, gain) = (std.destroy, std.gain);
    let dies = g.trigger(
        in_zone(std.field),
        destroy,
        true,
        false,
        |f| f.bin(Binary::Equal, 2, THIS),
        |f| {
            let one = f.num(1);
            f.act(gain, &[YOU, one]);
        },
    );
    let bear = g.card("Bear", 2, &[dies]);
    let two = g.value("n", &[Type::Object], Type::Number, |f| f.num(2));
    let plus = g.change(5, in_zone(std.field), None, Change::Add { property: POWER, value: two, floor: None });
    // Every turn, all beasts get +2 until end of turn, die, and return to the field.
    g.work(std, |f| {
        let all = f.all(std.field);
        f.op(Op::BeginEffect {
            mods: vec![plus],
            abilities: vec![],
            whom: Some(all),
            captures: vec![],
            until: vec![DurationEnd::End(PeriodId(0))],
            once: false,
        });
        f.act(destroy, &[all]);
        let back = f.all(std.grave);
        let field = f.zone(std.field, YOU);
        f.put(back, field);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    for i in 0..4 {
        t.add(bear, i % 2, std.field);
    }
    let mut d = t.begin(std.work);
    let mut sizes = Vec::new();
    for i in 0..600 {
        let picks = smallest_answer(&d.unwrap());
        d = t.answer(&picks);
        if i % 100 == 99 {
            sizes.push(t.m.state.block.words().len());
        }
    }
    assert_eq!(sizes[1], sizes[5], "the state does not grow: {sizes:?}");
}

#[test]
fn conditions_on_the_turn_position_are_reevaluated() {
    let (mut g, std) = Game::standard();
    let field = in_zone(std.field);
    let main = std.main;
    let two = g.value("n", &[Type::Object], Type::Number, |f| f.num(2));
    let m = g.change(5, field, None, Change::Add { property: POWER, value: two, floor: None });
    let in_main = g.pred("in main", &[], |f| {
        let dst = f.reg(Type::Bool);
        f.op(Op::InPeriod { dst, period: main });
        let active = f.reg(Type::Player);
        f.op(Op::ActivePlayer { dst: active });
        let mine = f.bin(Binary::Equal, active, YOU);
        f.bin(Binary::And, dst, mine)
    });
    let unit = g.static_unit(field, Some(in_main), &[m]);
    let bear = g.card("Bear", 2, &[unit]);
    // State rule: in the main step, sets the tally to the number of the turn.
    let body = g.body("rule", |f| {
        let dst = f.reg(Type::Bool);
        f.op(Op::InPeriod { dst, period: main });
        f.when(dst, |f| {
            let turn = f.builtin("turn_number", &[]);
            f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: turn });
        });
    });
    g.format.state_rules.push(StateRule { name: "rule".into(), body, acts: None });
    g.work(std, |f| f.op(Op::Window { window: 0 }));
    let program = g.link();
    let mut t = Table::new(&program);
    let (a, b) = (t.add(bear, 0, std.field), t.add(bear, 1, std.field));
    t.begin(std.work).unwrap();
    assert_eq!((t.power(a), t.power(b), t.tally()), (2, 2, 0));
    t.pass();
    t.pass();
    assert_eq!((t.power(a), t.power(b), t.tally()), (4, 2, 1));
    t.pass();
    t.pass();
    assert_eq!((t.power(a), t.power(b), t.tally()), (2, 2, 1));
    t.pass();
    t.pass();
    assert_eq!((t.power(a), t.power(b), t.tally()), (2, 4, 2));
}

#[test]
fn ability_can_end_the_turn_while_others_wait() {
    let (mut g, std) = Game::standard();
    g.stack();
    let stop = g.body("stop", |f| {
        f.op(Op::Settle { triggers: false, acted: None });
        f.op(Op::EndPeriod { period: PeriodId(0) });
    });
    let zero = g.pred("always", &[], |f| f.num(1));
    let play = Play { name: "stop".into(), body: stop, condition: Some(zero), ..Play::default() };
    let ability = g.ability("stop", in_zone(std.field), AbilityKind::Activated { play: Box::new(play) });
    let unit = g.unit(&[ability]);
    let clock = g.card("Clock", 0, &[unit]);
    let program = g.link();
    let mut t = Table::new(&program);
    let c = t.add(clock, 0, std.field);
    let code = fizzle_runtime::tables::ABILITY_PLAY + ability.0;
    t.begin(std.main).unwrap();
    for round in 0..4 {
        t.play(code, c);
        t.play(code, c);
        t.play(code, c);
        assert_eq!(t.list().len(), 3);
        t.pass();
        t.pass();
        assert_eq!((t.list().len(), t.m.state.active()), (0, 1), "round {round}");
        t.pass();
        t.pass();
    }
}

#[test]
fn exhausted_fuel_ends_the_game_before_the_decision() {
    let (mut g, std) = Game::standard();
    let window = g.body("window", |f| f.op(Op::Window { window: 0 }));
    let first = g.period("first", PeriodId(0), Some(window));
    let program = g.link();
    let game = |fuel: Option<u64>, passing: bool| {
        let mut machine = Machine::new(Arc::clone(&program), 7);
        machine.limits.fuel = fuel.unwrap_or(machine.limits.fuel);
        machine.begin(0, Some(first.0));
        let step = if passing { machine.step_auto_passing(|_| ()) } else { machine.step() };
        (step, machine.fuel())
    };
    let (step, needed) = game(None, false);
    assert!(matches!(step, StepResult::Decision(_)) && needed > 1, "{needed} operations before the first decision");
    assert_eq!(game(Some(needed), false), (step, needed));
    for passing in [false, true] {
        let (step, _) = game(Some(needed - 1), passing);
        assert_eq!(step, StepResult::Over(Outcome::Budget(Budget::Fuel)), "passing: {passing}");
    }
    let _ = std;
}
