//! Tests of continuous effects, durations, delayed triggers and state rules.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::{BEGIN, PUT};
use fizzle_runtime::ir::*;
use fizzle_runtime::vm::decision::DecisionKind;

const IT: Reg = 2;
const ADD: u8 = 5;
const SET: u8 = 4;
const UNITS: u8 = 3;
const WORDS: u8 = 2;

fn add(g: &mut Game, n: i64) -> Change {
    let value = g.value("n", &[Type::Object], Type::Number, |f| f.num(n));
    Change::Add { property: POWER, value, floor: None }
}

fn all(g: &mut Game) -> FnId {
    g.pred("all", &[Type::Object], |f| f.num(1))
}

#[test]
fn changes_of_values_apply_in_layers() {
    let (mut g, std) = Game::standard();
    let every = all(&mut g);
    let one = add(&mut g, 1);
    let m = g.change(ADD, in_zone(std.field), Some(every), one);
    let anthem = g.static_unit(in_zone(std.field), None, &[m]);
    let five = g.value("5", &[Type::Object], Type::Number, |f| f.num(5));
    let m = g.change(SET, in_zone(std.field), Some(every), Change::Set { property: POWER, value: five });
    let level = g.static_unit(in_zone(std.field), None, &[m]);
    let (minus, one) =
        (g.value("-9", &[Type::Object], Type::Number, |f| f.num(-9)), g.value("1", &[Type::Object], Type::Number, |f| f.num(1)));
    let m = g.change(ADD, in_zone(std.field), None, Change::Add { property: POWER, value: minus, floor: Some(one) });
    let weak = g.static_unit(in_zone(std.field), None, &[m]);
    let bear = g.card("Bear", 2, &[]);
    let anthem = g.card("Anthem", 0, &[anthem]);
    let level = g.card("Level", 0, &[level]);
    let weak = g.card("Weak", 4, &[weak]);
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    assert_eq!(t.power(b), 2);
    let a = t.add(anthem, 0, std.field);
    assert_eq!((t.power(b), t.power(a)), (3, 1));
    t.add(anthem, 1, std.field);
    let w = t.add(weak, 0, std.field);
    assert_eq!((t.power(b), t.power(w)), (4, 1), "2 + 1 + 1; 4 + 1 + 1 - 9 is at least 1");
    t.add(level, 0, std.field);
    assert_eq!(t.power(b), 7, "`set` applies before `add`, regardless of timestamps");
    t.begin(std.work);
}

#[test]
fn losing_an_ability_in_the_same_layer_is_a_dependency() {
    let (mut g, std) = Game::standard();
    let field = in_zone(std.field);
    let every = all(&mut g);
    let three = add(&mut g, 3);
    let own = g.change(ADD, field, None, three);
    let strong = g.static_unit(field, None, &[own]);
    // Teacher: every other object has `strong` (a bundle that adds 3 to itself). Silence: every card named Teacher has no abilities.
    let others = g.pred("others", &[Type::Object], |f| f.bin(Binary::NotEqual, 2, THIS));
    let m = g.change(UNITS, field, Some(others), Change::GainBundle(strong));
    let teaches = g.static_unit(field, None, &[m]);
    let teacher = g.card("Teacher", 1, &[teaches]);
    let is_teacher = g.pred("teacher", &[Type::Object], |f| f.is_card(2, teacher));
    let m = g.change(UNITS, field, Some(is_teacher), Change::LoseAbilities);
    let silences = g.static_unit(field, None, &[m]);
    let silence = g.card("Silence", 0, &[silences]);
    let m = g.change(UNITS, field, Some(every), Change::LoseAbilities);
    let hush = g.static_unit(field, None, &[m]);
    let hush = g.card("Hush", 0, &[hush]);
    let bear = g.card("Bear", 2, &[]);
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    let teacher_ = t.add(teacher, 0, std.field);
    assert_eq!((t.power(b), t.power(teacher_)), (5, 1), "the gained static ability works in a later layer");
    // Silence has a later timestamp, but Teacher's effect depends on it: Silence decides whether that effect exists.
    t.add(silence, 0, std.field);
    assert_eq!(t.power(b), 2);
    t.begin(std.work);

    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    let s = t.add(silence, 0, std.field);
    t.add(teacher, 0, std.field);
    assert_eq!((t.power(b), t.power(s)), (2, 0), "the order of entering does not matter");

    // Teacher and Hush depend on each other, so timestamps decide. Hush applies first; Teacher has then lost its ability.
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    t.add(hush, 0, std.field);
    t.add(teacher, 0, std.field);
    assert_eq!(t.power(b), 2);
    t.begin(std.work);
}

#[test]
fn effect_on_words_decides_what_another_effect_applies_to() {
    let (mut g, std) = Game::standard();
    let field = in_zone(std.field);
    // Clan: all beasts are lands. Wake: all lands are spells (both in the layer of words). Wake depends on Clan.
    let has = |word: u16| {
        move |f: &mut Fun| {
            let dst = f.reg(Type::Bool);
            f.op(Op::HasWord { dst, of: 2, traits: TraitSetId(0), word });
            dst
        }
    };
    let beasts = g.pred("beasts", &[Type::Object], has(2));
    let lands = g.pred("lands", &[Type::Object], has(1));
    let spells = g.pred("spells", &[Type::Object], has(0));
    let m = g.change(WORDS, field, Some(beasts), Change::GainWord(TraitSetId(0), 1));
    let clan = g.static_unit(field, None, &[m]);
    let clan = g.card("Clan", 0, &[clan]);
    let m = g.change(WORDS, field, Some(lands), Change::GainWord(TraitSetId(0), 0));
    let wake = g.static_unit(field, None, &[m]);
    let wake = g.card("Wake", 0, &[wake]);
    let plus = add(&mut g, 10);
    let m = g.change(ADD, field, Some(spells), plus);
    let reward = g.static_unit(field, None, &[m]);
    let reward = g.card("Reward", 0, &[reward]);
    let bear = g.card("Bear", 2, &[]);
    g.library.definitions[bear.index()].words[0] = vec![2];
    let program = g.link();
    for order in [[clan, wake, reward], [wake, clan, reward], [reward, wake, clan]] {
        let mut t = Table::new(&program);
        let b = t.add(bear, 0, std.field);
        for card in order {
            t.add(card, 0, std.field);
        }
        assert_eq!(t.power(b), 12, "{order:?}");
        t.begin(std.work);
    }
}

#[test]
fn effects_on_a_locked_set_last_until_their_end() {
    let (mut g, std) = Game::standard();
    let every = all(&mut g);
    let _ = every;
    let two = add(&mut g, 2);
    let plus = g.change(ADD, in_zone(std.field), None, two);
    let you = g.value("you", &[Type::Object], Type::Player, |_| YOU);
    let steal = g.change(0, in_zone(std.field), None, Change::SetController(you));
    let bear = g.card("Bear", 2, &[]);
    let (end, turn) = (std.end, PeriodId(0));
    g.work(std, |f| {
        let all = f.all(std.field);
        f.op(Op::BeginEffect {
            mods: vec![plus, steal],
            abilities: vec![],
            whom: Some(all),
            captures: vec![],
            until: vec![DurationEnd::End(turn)],
            once: false,
        });
        let one = f.first(all);
        f.op(Op::BeginEffect {
            mods: vec![plus],
            abilities: vec![],
            whom: Some(one),
            captures: vec![],
            until: vec![DurationEnd::NextStart(turn, YOU)],
            once: false,
        });
        f.op(Op::BeginEffect {
            mods: vec![plus],
            abilities: vec![],
            whom: Some(one),
            captures: vec![],
            until: vec![DurationEnd::End(end)],
            once: false,
        });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 1, std.field);
    t.begin(std.work).unwrap();
    let late = t.add(bear, 1, std.field);
    t.restart_checks();
    let it = t.current(b);
    assert_eq!((t.power(b), t.power(late), t.m.controller(it)), (8, 2, 0));
    t.m.check_invariants().unwrap();
    // In the turn of player 1, the work step begins the same effects again, under player 1.
    let turn_of = |t: &Table| t.m.state.active();
    let mut d = t.pass();
    while turn_of(&t) == 0 {
        let picks = smallest_answer(&d.unwrap());
        d = t.answer(&picks);
    }
    let it = t.current(b);
    // The effect until player 0's next turn remains. Player 1's work step began three more effects on the first bear and one on the second.
    assert_eq!((t.power(b), t.power(late), t.m.controller(it)), (2 + 2 + 6, 2 + 2, 1));
}

#[test]
fn event_can_end_an_effect() {
    let (mut g, std) = Game::standard();
    let two = add(&mut g, 2);
    let plus = g.change(ADD, in_zone(std.field), None, two);
    let gain = std.gain;
    let params = g.pattern_params(gain);
    let any = g.pred("any", &params, |f| f.num(1));
    let bear = g.card("Bear", 2, &[]);
    g.work(std, |f| {
        let all = f.all(std.field);
        f.op(Op::BeginEffect {
            mods: vec![plus],
            abilities: vec![],
            whom: Some(all),
            captures: vec![],
            until: vec![DurationEnd::Event { action: gain, filter: any, looks_back: false, of_source: false }],
            once: false,
        });
        f.op(Op::Window { window: 0 });
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let (a, b) = (t.add(bear, 0, std.field), t.add(bear, 0, std.field));
    t.begin(std.work).unwrap();
    assert_eq!((t.power(a), t.power(b)), (4, 4));
    t.pass();
    t.pass();
    assert_eq!((t.power(a), t.power(b), t.life(0)), (2, 2, 21));
}

#[test]
fn prohibitions_of_effects_hold_for_their_duration() {
    let (mut g, std) = Game::standard();
    let gain = std.gain;
    let params = g.pattern_params(gain);
    let any = g.pred("any", &params, |f| f.num(1));
    let pattern = EventPattern { action: gain, filter: Some(any), looks_back: false };
    let m = g.change(0, 0, None, Change::Prohibit(pattern));
    let work = std.work;
    g.work(std, |f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
        f.op(Op::BeginEffect {
            mods: vec![m],
            abilities: vec![],
            whom: None,
            captures: vec![],
            until: vec![DurationEnd::End(work)],
            once: false,
        });
        f.act(gain, &[YOU, one]);
    });
    let span = g.body("end", |f| {
        let one = f.num(100);
        f.act(gain, &[YOU, one]);
    });
    g.format.periods[std.end.index()].body = Some(span);
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(std.work).unwrap();
    assert_eq!(t.life(0), 21);
    t.pass();
    t.pass();
    assert_eq!(t.life(0), 121);
}

#[test]
fn delayed_trigger_fires_once_with_its_captures() {
    let (mut g, std) = Game::standard();
    g.stack();
    let gain = std.gain;
    let end = i64::from(std.end.0);
    // The capture is a number; the arguments of the event (period, player) and its cause follow.
    let params = [Type::Number, Type::Period, Type::Player, Type::Number, Type::Object, Type::Player, Type::Player];
    let filter = g.pred("at end", &params, |f| {
        let end = f.num(end);
        f.bin(Binary::Equal, 3, end)
    });
    let body = g.fun("later", &params, None, |f| {
        f.act(gain, &[YOU, 2]);
    });
    let ability = g.ability(
        "later",
        u32::MAX,
        AbilityKind::Triggered {
            pattern: EventPattern { action: ActionId(BEGIN), filter: Some(filter), looks_back: false },
            condition: None,
            optional: false,
            immediate: false,
            off_list: false,
            limit: None,
            can_miss_timing: false,
            batching: fizzle_runtime::ir::Batching::Each,
            body,
        },
    );
    g.work(std, |f| {
        let seven = f.num(7);
        let first = f.builtin("turn_number", &[]);
        let one = f.num(1);
        let is_first = f.bin(Binary::Equal, first, one);
        f.when(is_first, |f| {
            f.op(Op::BeginEffect {
                mods: vec![],
                abilities: vec![ability],
                whom: None,
                captures: vec![seven],
                until: vec![],
                once: true,
            })
        });
    });
    let window = g.body("window", |f| f.op(Op::Window { window: 0 }));
    g.format.periods[std.end.index()].body = Some(window);
    let program = g.link();
    let mut t = Table::new(&program);
    t.begin(std.work).unwrap();
    t.pass();
    t.pass();
    assert_eq!((t.life(0), t.list().len()), (20, 1));
    for _ in 0..40 {
        t.pass();
    }
    assert_eq!((t.life(0), t.life(1)), (27, 20));
}

#[test]
fn state_rules_run_to_a_fixpoint_before_triggers_are_placed() {
    let (mut g, std) = Game::standard();
    g.stack();
    let (destroy, gain) = (std.destroy, std.gain);
    // A beast with at least as much damage as power dies. Each one that dies damages the next one, by an immediate trigger.
    let lethal = g.pred("lethal", &[Type::Object], |f| {
        let damage = f.get(Place::Status(DAMAGE), 2);
        let power = f.get(Place::Property(POWER), 2);
        f.bin(Binary::LessEqual, power, damage)
    });
    let body = g.body("lethal", |f| {
        let all = f.all(std.field);
        let dead = f.filter(all, lethal, &[THIS, YOU]);
        f.act(destroy, &[dead]);
    });
    g.format.state_rules.push(StateRule { name: "lethal".into(), body, acts: None });
    let hurts = g.trigger(
        in_zone(std.field),
        destroy,
        true,
        true,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            let all = f.all(std.field);
            let next = f.first(all);
            f.write(Place::Status(DAMAGE), next, WriteMode::Add, 2);
        },
    );
    let dies = g.trigger(
        in_zone(std.field),
        destroy,
        true,
        false,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            let one = f.num(1);
            f.act(gain, &[YOU, one]);
        },
    );
    let bear = g.card("Bear", 2, &[hurts, dies]);
    let program = g.link();
    let mut t = Table::new(&program);
    let slots: Vec<usize> = (0..3).map(|_| t.add(bear, 0, std.field)).collect();
    let cell = t.m.state.cell_for_write(slots[0], fizzle_runtime::state::layout::STATUSES + usize::from(DAMAGE));
    t.m.state.block.set(cell, 2);
    let d = t.begin(std.main).unwrap();
    let zones: Vec<String> = slots.iter().map(|s| t.zone_of(*s)).collect();
    assert_eq!(zones, ["grave"; 3]);
    assert_eq!((d.kind, d.options.len()), (DecisionKind::Trigger, 3), "the other triggers are placed after the state rules");
}

#[test]
fn static_condition_switches_an_effect() {
    let (mut g, std) = Game::standard();
    let field = in_zone(std.field);
    let two = add(&mut g, 2);
    let m = g.change(ADD, field, None, two);
    let tapped = g.pred("tapped", &[], |f| f.get(Place::Status(TAPPED), THIS));
    let unit = g.static_unit(field, Some(tapped), &[m]);
    let bear = g.card("Bear", 2, &[unit]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let it = f.first(all);
        f.write(Place::Status(TAPPED), it, WriteMode::Set, 1);
        let power = f.get(Place::Property(POWER), it);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: power });
        f.op(Op::Window { window: 0 });
        f.write(Place::Status(TAPPED), it, WriteMode::Set, 0);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    t.begin(std.work).unwrap();
    assert_eq!((t.power(b), t.tally()), (4, 4));
    t.pass();
    t.pass();
    assert_eq!(t.power(b), 2);
}

#[test]
fn counting_effect_is_refreshed_when_objects_enter() {
    let (mut g, std) = Game::standard();
    let field = in_zone(std.field);
    // Each Herd gets +1 power for each card in all hands.
    let hands = g.value("hands", &[Type::Object], Type::Number, |f| {
        let all = f.all(std.hand);
        f.count(all)
    });
    let m = g.change(ADD, field, None, Change::Add { property: POWER, value: hands, floor: None });
    let herd = g.static_unit(field, None, &[m]);
    let herd = g.card("Herd", 1, &[herd]);
    let draw = std.draw;
    g.work(std, |f| {
        f.act(draw, &[YOU]);
        f.op(Op::Window { window: 0 });
        let field = f.zone(std.field, YOU);
        let hand = f.zone(std.hand, YOU);
        let cards = f.items(hand);
        f.put(cards, field);
    });
    let _ = PUT;
    let program = g.link();
    let mut t = Table::new(&program);
    let h = t.add(herd, 0, std.field);
    let other = t.add(herd, 0, std.deck);
    t.begin(std.work).unwrap();
    assert_eq!(t.power(h), 2);
    t.pass();
    t.pass();
    assert_eq!((t.power(h), t.power(other)), (1, 1));
}
