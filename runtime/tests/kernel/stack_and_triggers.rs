//! Tests of triggers, announcement, resolution, fizzling and payment, under the timings stack, chain and queue.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::PUT;
use fizzle_runtime::ir::*;
use fizzle_runtime::tables::ABILITY_PLAY;
use fizzle_runtime::vm::Record;
use fizzle_runtime::vm::decision::{Choice, DecisionKind};

const IT: Reg = 2;

/// The sources of the triggers that were put on the list or resolved, in order.
fn triggered(t: &Table) -> Vec<usize> {
    t.m.log
        .iter()
        .filter_map(|r| match r {
            Record::Trigger { source, .. } => Some(source.slot()),
            _ => None,
        })
        .collect()
}

/// A game in which two beasts of each player die simultaneously; each has the trigger `when this dies, you gain 1`.
fn dying_game(timing: fn(&mut Game)) -> (std::sync::Arc<fizzle_runtime::program::Program>, Std, DefId) {
    let (mut g, std) = Game::standard();
    let gain = std.gain;
    let dies = g.trigger(
        in_zone(std.field),
        std.destroy,
        true,
        false,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            let one = f.num(1);
            f.act(gain, &[YOU, one]);
        },
    );
    let bear = g.card("Bear", 2, &[dies]);
    let destroy = std.destroy;
    g.work(std, |f| {
        let all = f.all(std.field);
        f.act(destroy, &[all]);
        f.write(Place::Global(0), YOU, WriteMode::Set, 1);
    });
    timing(&mut g);
    (g.link(), std, bear)
}

#[test]
fn stack_places_the_active_players_triggers_first() {
    let (program, std, bear) = dying_game(Game::stack);
    let mut t = Table::new(&program);
    let slots: Vec<usize> = (0..4).map(|i| t.add(bear, 1 - i % 2, std.field)).collect();
    // The owners are 1, 0, 1, 0.
    let d = t.begin(std.work).unwrap();
    assert_eq!((d.kind, d.player, d.options.len()), (DecisionKind::Trigger, 0, 2));
    assert_eq!(t.tally(), 1, "triggers wait for the next window");
    let d = t.answer(&[1]).unwrap();
    assert_eq!((d.kind, d.player, d.options.len()), (DecisionKind::Trigger, 1, 2));
    let d = t.answer(&[0]).unwrap();
    assert_eq!(d.kind, DecisionKind::Act);
    assert_eq!(triggered(&t), [slots[3], slots[1], slots[0], slots[2]]);
    assert_eq!(t.list().len(), 4);
    t.pass();
    t.pass();
    assert_eq!((t.life(0), t.life(1), t.list().len()), (20, 21, 3), "the last one resolves first");
    for _ in 0..6 {
        t.pass();
    }
    assert_eq!((t.life(0), t.life(1), t.list().len()), (22, 22, 0));
}

#[test]
fn queue_resolves_triggers_one_by_one() {
    let (program, std, bear) = dying_game(Game::queue);
    let mut t = Table::new(&program);
    let slots: Vec<usize> = (0..4).map(|i| t.add(bear, 1 - i % 2, std.field)).collect();
    let d = t.begin(std.work).unwrap();
    assert_eq!((d.kind, d.player, d.options.len()), (DecisionKind::Trigger, 0, 2));
    let d = t.answer(&[0]).unwrap();
    assert_eq!(t.life(0), 22, "both triggers of the active player resolved");
    assert_eq!((d.kind, d.player), (DecisionKind::Trigger, 1));
    let d = t.answer(&[1]).unwrap();
    assert_eq!((d.kind, t.life(1)), (DecisionKind::Act, 22));
    assert_eq!(triggered(&t), [slots[1], slots[3], slots[2], slots[0]]);
    assert!(t.list().is_empty());
}

#[test]
fn chain_of_triggers_resolves_as_a_whole() {
    let (program, std, bear) = dying_game(Game::chain);
    let mut t = Table::new(&program);
    for i in 0..4 {
        t.add(bear, 1 - i % 2, std.field);
    }
    let d = t.begin(std.work).unwrap();
    assert_eq!((d.kind, d.player), (DecisionKind::Trigger, 0));
    t.answer(&[0]);
    let d = t.answer(&[0]).unwrap();
    assert_eq!((d.kind, t.list().len()), (DecisionKind::Act, 4));
    t.pass();
    t.pass();
    assert_eq!((t.life(0), t.life(1), t.list().len()), (22, 22, 0), "no decision comes between the links");
}

#[test]
fn triggers_of_chain_links_wait_for_the_end_of_the_chain() {
    let (mut g, std) = Game::standard();
    g.chain();
    g.cast(std);
    let (destroy, gain) = (std.destroy, std.gain);
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
    let bear = g.card("Bear", 2, &[dies]);
    let kill = g.paragraph(|f| {
        let all = f.all(std.field);
        f.act(destroy, &[all]);
    });
    let bolt = g.card("Bolt", 0, &[kill]);
    let five = g.paragraph(|f| {
        let five = f.num(5);
        f.act(gain, &[YOU, five]);
    });
    let tea = g.card("Tea", 0, &[five]);
    let program = g.link();
    let mut t = Table::new(&program);
    t.add(bear, 1, std.field);
    let (bolt_, tea_) = (t.add(bolt, 0, std.hand), t.add(tea, 1, std.hand));
    let d = t.begin(std.main).unwrap();
    assert_eq!(d.player, 0);
    let d = t.play(0, bolt_).unwrap();
    assert_eq!((d.player, t.list()), (1, vec![bolt_]));
    let d = t.play(0, tea_).unwrap();
    assert_eq!((d.player, t.list()), (0, vec![bolt_, tea_]));
    t.pass();
    let d = t.pass().unwrap();
    // Both links have resolved; the trigger of the first one forms a new chain.
    assert_eq!((t.life(1), t.list().len(), d.kind), (25, 1, DecisionKind::Act));
    t.pass();
    t.pass();
    assert_eq!(t.life(1), 26);
}

#[test]
fn immediate_triggers_do_not_wait() {
    let (mut g, std) = Game::standard();
    g.stack();
    let at_once = g.trigger(
        in_zone(std.field),
        ActionId(PUT),
        false,
        true,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            f.write(Place::Status(MARK), THIS, WriteMode::Set, 7);
        },
    );
    let bear = g.card("Bear", 2, &[at_once]);
    g.work(std, |f| {
        let field = f.zone(std.field, YOU);
        let hand = f.zone(std.hand, YOU);
        let cards = f.items(hand);
        let (_, out) = f.put_out(cards, field);
        let it = f.first(out);
        let mark = f.get(Place::Status(MARK), it);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: mark });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.hand);
    t.begin(std.work).unwrap();
    assert_eq!((t.status(b, MARK), t.tally()), (7, 7));
}

#[test]
fn condition_of_an_enter_trigger_is_checked_twice() {
    let (mut g, std) = Game::standard();
    g.stack();
    let gain = std.gain;
    let params = g.pattern_params(ActionId(PUT));
    let filter = g.pred("enters", &params, |f| f.bin(Binary::Equal, IT, THIS));
    // Intervening "if your score is 0" (CR 603.4).
    let condition = g.pred("condition", &params, |f| {
        let score = f.get(Place::Player(SCORE), YOU);
        f.not(score)
    });
    let body = g.fun("body", &params, None, |f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
    });
    let ability = g.ability(
        "enters",
        in_zone(std.field),
        AbilityKind::Triggered {
            pattern: EventPattern { action: ActionId(PUT), filter: Some(filter), looks_back: false },
            condition: Some(condition),
            optional: false,
            immediate: false,
            off_list: false,
            limit: None,
            can_miss_timing: false,
            batching: fizzle_runtime::ir::Batching::Each,
            body,
        },
    );
    let unit = g.unit(&[ability]);
    let bear = g.card("Bear", 2, &[unit]);
    g.work(std, |f| {
        let field = f.zone(std.field, YOU);
        let hand = f.zone(std.hand, YOU);
        let cards = f.items(hand);
        f.put(cards, field);
    });
    let program = g.link();
    for spoil in [false, true] {
        let mut t = Table::new(&program);
        t.add(bear, 0, std.hand);
        t.begin(std.work).unwrap();
        assert_eq!(t.list().len(), 1);
        if spoil {
            let cell = program.layout.player(0, usize::from(SCORE));
            t.m.state.block.set(cell, 1);
        }
        t.pass();
        t.pass();
        assert_eq!(t.life(0), if spoil { 20 } else { 21 });
    }
}

/// A game with Bolt, which destroys a target and then gains 1; Blink, which returns a target to its owner's hand; and Bear.
fn bolt_game(paragraphs: usize, whole: bool) -> (Game, Std, [DefId; 3]) {
    let (mut g, std) = Game::standard();
    g.stack();
    g.announce_targets();
    g.format.announce.fizzle_whole = whole;
    g.cast(std);
    let (destroy, gain) = (std.destroy, std.gain);
    let mut units = Vec::new();
    for _ in 0..paragraphs {
        let site = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
        units.push(g.paragraph(|f| {
            let chosen = f.choose(site);
            f.act(destroy, &[chosen]);
        }));
    }
    units.push(g.paragraph(|f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
    }));
    let bolt = g.card("Bolt", 0, &units);
    let site = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
    let back = g.paragraph(|f| {
        let chosen = f.choose(site);
        let it = f.first(chosen);
        f.put_to_owners(it, std.hand);
    });
    let blink = g.card("Blink", 0, &[back]);
    let bear = g.card("Bear", 2, &[]);
    (g, std, [bolt, blink, bear])
}

#[test]
fn paragraph_with_illegal_target_fizzles() {
    for whole in [false, true] {
        let (g, std, [bolt, blink, bear]) = bolt_game(1, whole);
        let program = g.link();
        let mut t = Table::new(&program);
        let (x, y) = (t.add(bear, 1, std.field), t.add(bear, 1, std.field));
        let (bolt_, blink_) = (t.add(bolt, 0, std.hand), t.add(blink, 0, std.hand));
        t.begin(std.main).unwrap();
        let d = t.play(0, bolt_).unwrap();
        assert_eq!((d.kind, d.options.len(), d.player), (DecisionKind::Choose, 2, 0));
        assert_eq!(t.list(), [bolt_], "the object is on the list before targets are chosen");
        t.object(x);
        t.play(0, blink_);
        t.object(x);
        assert_eq!(t.list(), [bolt_, blink_]);
        t.pass();
        t.pass();
        assert_eq!((t.zone_of(x), t.zone_of(blink_)), ("hand".into(), "grave".into()));
        t.pass();
        t.pass();
        assert_eq!((t.zone_of(y), t.zone_of(bolt_)), ("field".into(), "grave".into()), "no new target is chosen");
        assert_eq!(t.life(0), if whole { 20 } else { 21 }, "the other paragraph resolves unless the whole object fizzles");
        assert_eq!(t.events().contains(&"fizzle".to_owned()), whole);
    }
}

#[test]
fn object_with_one_legal_choice_left_resolves() {
    let (g, std, [bolt, blink, bear]) = bolt_game(2, true);
    let program = g.link();
    let mut t = Table::new(&program);
    let (x, y) = (t.add(bear, 1, std.field), t.add(bear, 1, std.field));
    let (bolt_, blink_) = (t.add(bolt, 0, std.hand), t.add(blink, 0, std.hand));
    t.begin(std.main).unwrap();
    t.play(0, bolt_);
    t.object(x);
    t.object(y);
    t.play(0, blink_);
    t.object(x);
    for _ in 0..4 {
        t.pass();
    }
    assert_eq!([x, y].map(|i| t.zone_of(i)), ["hand", "grave"]);
    assert_eq!(t.life(0), 21);
}

#[test]
fn play_without_legal_choice_is_offered_only_by_policy() {
    for refused in [false, true] {
        let (mut g, std, [bolt, _, _]) = bolt_game(1, false);
        g.format.announce.requires_choices = refused;
        let program = g.link();
        let mut t = Table::new(&program);
        let b = t.add(bolt, 0, std.hand);
        let d = t.begin(std.main).unwrap();
        assert_eq!(d.options.len(), if refused { 1 } else { 2 });
        let it = t.current(b);
        assert_eq!(t.m.why_not(0, it, 0).is_some(), refused);
    }
}

/// A game with a spell that uses the top card of the deck without paying its price, while it resolves.
fn using_game(use_waits: bool) -> (Table, Std, usize, usize) {
    let (mut g, std) = Game::standard();
    g.stack();
    g.format.timing.nested_use_waits = use_waits;
    g.cast(std);
    let gain = std.gain;
    let outer = g.paragraph(|f| {
        let top = f.top(std.deck, YOU, 1);
        let it = f.first(top);
        f.op(Op::Use { object: it, by: None, args: vec![], free: true, done: None });
        // The life total right after the use.
        let life = f.get(Place::Player(LIFE), YOU);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: life });
    });
    let outer = g.card("Outer", 0, &[outer]);
    let inner = g.paragraph(|f| {
        let five = f.num(5);
        f.act(gain, &[YOU, five]);
    });
    let inner = g.card("Inner", 0, &[inner]);
    let program = g.link();
    let mut t = Table::new(&program);
    let (o, i) = (t.add(outer, 0, std.hand), t.add(inner, 0, std.deck));
    t.begin(std.main).unwrap();
    (t, std, o, i)
}

#[test]
fn nested_use_waits_on_the_list() {
    let (mut t, _, o, i) = using_game(true);
    t.play(0, o);
    t.pass();
    t.pass();
    assert_eq!((t.list(), t.zone_of(o), t.tally(), t.life(0)), (vec![i], "grave".into(), 20, 20));
    t.pass();
    t.pass();
    assert_eq!((t.life(0), t.zone_of(i)), (25, "grave".into()));
}

#[test]
fn nested_use_resolves_inline() {
    let (mut t, _, o, i) = using_game(false);
    t.play(0, o);
    t.pass();
    t.pass();
    assert_eq!((t.list().len(), t.tally(), t.life(0)), (0, 25, 25));
    assert_eq!([o, i].map(|s| t.zone_of(s)), ["grave", "grave"]);
}

#[test]
fn activated_ability_waits_resolves_and_leaves() {
    let (mut g, std) = Game::standard();
    g.stack();
    let gain = std.gain;
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
    let ability = g.ability("activated", in_zone(std.field), AbilityKind::Activated { play: Box::new(play) });
    let unit = g.unit(&[ability]);
    let cup = g.card("Cup", 0, &[unit]);
    let program = g.link();
    let mut t = Table::new(&program);
    let c = t.add(cup, 0, std.field);
    let code = ABILITY_PLAY + ability.0;
    let d = t.begin(std.main).unwrap();
    assert_eq!(d.options.len(), 2);
    let d = t.play(code, c).unwrap();
    assert_eq!((t.status(c, TAPPED), t.list().len(), d.options.len()), (1, 1, 1));
    t.pass();
    t.pass();
    assert_eq!((t.life(0), t.list().len()), (22, 0));
    assert_eq!(t.m.state.zone(c), program.zone_instance(std.field.index(), 0));
}

/// A game with lands that are producers, and a spell with a price of two units. A stone has an ability that produces a unit during payments
/// and, with `reveals`, reveals the top card.
fn paying_game(reveals: bool) -> (Table, Std, [usize; 5], u32) {
    let (mut g, std) = Game::standard();
    g.stack();
    g.cast(std);
    g.library.traits.push(TraitSet {
        name: "units".into(),
        words: vec!["red".into(), "blue".into()],
        layer: 2,
        changeable: false,
        open: false,
    });
    for d in g.library.definitions.present_mut() {
        d.words.push(Vec::new());
    }
    let mut pool = Vec::new();
    for name in ["red", "blue"] {
        g.library.player_variables.push(Variable {
            name: name.into(),
            ty: Type::Number,
            initial: 0,
            layer: 0,
            lifetime: None,
            keys: None,
            conceals: false,
            kept_on_field: false,
            disguise: None,
            nameless: false,
            revealed_on_leaving: false,
            updates_timestamp: false,
            clears_effects: false,
        });
        pool.push(g.library.player_variables.len() as u16 - 1);
    }
    let gain = std.gain;
    let tea = g.paragraph(|f| {
        let five = f.num(5);
        f.act(gain, &[YOU, five]);
    });
    let tea = g.card("Tea", 0, &[tea]);
    let land = g.card("Land", 0, &[]);
    let untapped_land = g.pred("untapped land", &[Type::Object], |f| {
        let tapped = f.get(Place::Status(TAPPED), 2);
        let not = f.not(tapped);
        let is = f.is_card(2, land);
        let own = f.get(Place::Controller, 2);
        let mine = f.bin(Binary::Equal, own, YOU);
        let both = f.bin(Binary::And, not, is);
        f.bin(Binary::And, both, mine)
    });
    let producers = g.value("producers", &[], Type::Objects, |f| {
        let all = f.all(std.field);
        f.filter(all, untapped_land, &[THIS, YOU])
    });
    let produces = g.value("yields", &[Type::Object], Type::Number, |f| f.num(1));
    let by = g.body("by", |f| f.write(Place::Status(TAPPED), THIS, WriteMode::Set, 1));
    g.format.payments.push(Payment {
        restricted: Vec::new(),
        symbols: Vec::new(),
        name: "units".into(),
        kinds: TraitSetId(1),
        clauses: vec![PaymentClause { condition: None, producers, produces, times: None, by }],
        pool: pool.iter().copied().map(Some).collect(),
    });
    let price = g.value("price", &[], Type::Price, |f| {
        let a = f.num(1);
        let b = f.num(2);
        let any = f.num(-1);
        let _ = (a, b);
        let dst = f.reg(Type::Price);
        let red = f.num(1);
        f.op(Op::MakeList { dst, items: vec![red, any] });
        dst
    });
    let is_tea = g.pred("is tea", &[], |f| f.is_card(THIS, tea));
    g.format.plays[0].price = Some(price);
    g.format.plays[0].condition = Some(is_tea);
    // A stone with an ability that taps it for a red unit.
    let body = g.body("make", |f| {
        f.write(Place::Player(pool[0]), YOU, WriteMode::Add, 1);
        if reveals {
            let top = f.top(std.deck, YOU, 1);
            f.act(ActionId(verbs::REVEAL), &[top]);
        }
    });
    let untapped = g.pred("untapped", &[], |f| {
        let tapped = f.get(Place::Status(TAPPED), THIS);
        f.not(tapped)
    });
    let tap = g.body("tap", |f| f.write(Place::Status(TAPPED), THIS, WriteMode::Set, 1));
    let play = Play {
        name: "make".into(),
        body,
        cost: Some(tap),
        cost_possible: Some(untapped),
        immediate: true,
        during_payment: true,
        ..Play::default()
    };
    let ability = g.ability("make", in_zone(std.field), AbilityKind::Activated { play: Box::new(play) });
    let unit = g.unit(&[ability]);
    let stone = g.card("Stone", 0, &[unit]);
    let program = g.link();
    let mut t = Table::new(&program);
    let slots = [
        t.add(tea, 0, std.hand),
        t.add(land, 0, std.field),
        t.add(land, 0, std.field),
        t.add(stone, 0, std.field),
        t.add(stone, 0, std.field),
    ];
    t.add(land, 0, std.deck);
    t.begin(std.main).unwrap();
    (t, std, slots, ABILITY_PLAY + ability.0)
}

#[test]
fn price_is_paid_automatically_or_by_hand() {
    let (mut t, _, [tea, a, b, stone, _], _) = paying_game(false);
    let d = t.play(0, tea).unwrap();
    assert_eq!((d.kind, d.options.len()), (DecisionKind::Pay, 4));
    let d = t.pick(Choice::PayNow).unwrap();
    assert_eq!((d.kind, t.list()), (DecisionKind::Act, vec![tea]));
    assert_eq!([a, b, stone].map(|s| t.status(s, TAPPED)), [1, 1, 0]);

    let (mut t, _, [tea, a, b, stone, _], make) = paying_game(false);
    t.play(0, tea);
    let d = t.play(make, stone).unwrap();
    assert_eq!((d.kind, d.options.len()), (DecisionKind::Pay, 5));
    let [a_pays, b_pays] = [a, b].map(|slot| Choice::Producer(t.current(slot)));
    assert!(d.options.contains(&a_pays) && d.options.contains(&b_pays));
    let d = t.pick(Choice::PayNow).unwrap();
    assert_eq!(d.kind, DecisionKind::Act);
    assert_eq!([a, b, stone].map(|s| t.status(s, TAPPED)), [1, 0, 1]);
    t.pass();
    t.pass();
    assert_eq!(t.life(0), 25);
}

#[test]
fn abandoned_announcement_restores_the_position() {
    let (mut t, _, [tea, a, b, stone, _], make) = paying_game(false);
    let before = t.m.state.position_hash(&t.m.program);
    let before_announcement = t.m.pending_decision();
    t.play(0, tea);
    t.play(make, stone);
    let d = t.pick(Choice::Abandon).unwrap();
    assert_eq!((t.zone_of(tea), t.list().len()), ("hand".into(), 0));
    assert_eq!([a, b, stone].map(|s| t.status(s, TAPPED)), [0, 0, 0]);
    assert_eq!(d, before_announcement);
    assert_eq!(t.m.state.marks.len(), 0);
    assert_eq!(t.m.state.position_hash(&t.m.program), before, "the position is restored");
}

#[test]
fn rollback_stops_at_a_reveal() {
    let (mut t, std, [tea, a, _, stone, _], make) = paying_game(true);
    t.play(0, tea);
    let d = t.play(make, stone).unwrap();
    assert_eq!(d.kind, DecisionKind::Pay);
    let d = t.pick(Choice::Abandon).unwrap();
    assert_eq!((d.kind, t.zone_of(tea), t.list().len()), (DecisionKind::Act, "hand".into(), 0));
    assert_eq!(t.status(stone, TAPPED), 1, "the ability that revealed a card is not undone");
    assert_eq!(t.status(a, TAPPED), 0);
    assert_eq!(t.m.state.block.int(t.m.program.layout.player(0, 2)), 1, "the unit stays in the pool");
    let deck = t.m.program.zone_instance(std.deck.index(), 0).unwrap();
    let top = *t.m.state.zone_items(&t.m.program, deck).last().unwrap();
    let seen = t.m.state.column(fizzle_runtime::ir::ObjectRef(top).slot(), fizzle_runtime::state::layout::KNOWN_TO);
    assert_ne!(seen, 0);
    // The game continues normally.
    t.play(0, tea);
    t.pick(Choice::PayNow);
    assert_eq!(t.list(), [tea]);
}

#[test]
fn unpayable_play_is_not_offered() {
    let (mut t, _, [tea, a, ..], _) = paying_game(false);
    let it = t.current(tea);
    assert!(t.m.why_not(0, it, 0).is_none());
    t.play(0, tea);
    t.pick(Choice::PayNow);
    t.pass();
    t.pass();
    assert_eq!(t.status(a, TAPPED), 1);
    assert!(t.m.why_not(0, it, 0).is_some());
}

#[test]
fn producer_cannot_pay_for_its_own_ability() {
    let (mut g, std) = Game::standard();
    g.stack();
    g.library.traits.push(TraitSet { name: "units".into(), words: vec!["any".into()], layer: 2, changeable: false, open: false });
    let gain = std.gain;
    let untapped = g.pred("untapped", &[], |f| {
        let tapped = f.get(Place::Status(TAPPED), THIS);
        f.not(tapped)
    });
    let tap = g.body("tap", |f| f.write(Place::Status(TAPPED), THIS, WriteMode::Set, 1));
    let price = g.value("price", &[], Type::Price, |f| {
        let one = f.num(1);
        f.builtin("generic", &[one])
    });
    let body = g.body("drink", |f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
    });
    let play = Play {
        name: "drink".into(),
        body,
        price: Some(price),
        cost: Some(tap),
        cost_possible: Some(untapped),
        ..Play::default()
    };
    let ability = g.ability("drink", in_zone(std.field), AbilityKind::Activated { play: Box::new(play) });
    let unit = g.unit(&[ability]);
    let rock = g.card("Rock", 0, &[unit]);
    let free = g.pred("free", &[Type::Object], |f| {
        let tapped = f.get(Place::Status(TAPPED), 2);
        f.not(tapped)
    });
    let producers = g.value("producers", &[], Type::Objects, |f| {
        let all = f.all(std.field);
        f.filter(all, free, &[THIS, YOU])
    });
    let produces = g.value("yields", &[Type::Object], Type::Number, |f| f.num(1));
    g.format.payments.push(Payment {
        restricted: Vec::new(),
        symbols: Vec::new(),
        name: "units".into(),
        kinds: TraitSetId(1),
        clauses: vec![PaymentClause { condition: None, producers, produces, times: None, by: tap }],
        pool: vec![],
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let a = t.add(rock, 0, std.field);
    let d = t.begin(std.main).unwrap();
    assert_eq!(d.options.len(), 1, "one rock cannot pay for itself");
    let b = t.add(rock, 0, std.field);
    t.restart_checks();
    t.pass();
    t.pass();
    // Player 1 has no plays; continue to the next turn of player 0.
    let mut guard = 0;
    while t.m.state.active() != 0 && guard < 20 {
        guard += 1;
        t.pass();
    }
    let d = t.m.pending_decision();
    assert_eq!(d.options.len(), 3);
    t.play(ABILITY_PLAY + ability.0, a);
    assert_eq!([a, b].map(|s| t.status(s, TAPPED)), [1, 1]);
}

#[test]
fn price_that_rises_on_the_list_rolls_back_the_announcement() {
    let (mut t, std, [tea, ..]) = {
        let (mut g, std) = Game::standard();
        g.stack();
        g.cast(std);
        g.library.traits.push(TraitSet {
            name: "units".into(),
            words: vec!["any".into()],
            layer: 2,
            changeable: false,
            open: false,
        });
        // The price is 0 in hand and 3 on the list.
        let price = g.value("price", &[], Type::Price, |f| {
            let three = f.num(3);
            let on_list = f.in_zone(THIS, std.list);
            let n = f.bin(Binary::Multiply, three, on_list);
            f.builtin("generic", &[n])
        });
        g.format.plays[0].price = Some(price);
        let producers = g.value("producers", &[], Type::Objects, |f| f.reg(Type::Objects));
        let produces = g.value("yields", &[Type::Object], Type::Number, |f| f.num(1));
        let by = g.body("by", |_| ());
        g.format.payments.push(Payment {
            restricted: Vec::new(),
            symbols: Vec::new(),
            name: "units".into(),
            kinds: TraitSetId(1),
            clauses: vec![PaymentClause { condition: None, producers, produces, times: None, by }],
            pool: vec![],
        });
        let tea = g.card("Tea", 0, &[]);
        let program = g.link();
        let mut t = Table::new(&program);
        let slots = [t.add(tea, 0, std.hand)];
        t.begin(std.main).unwrap();
        (t, std, slots)
    };
    let before = t.m.state.position_hash(&t.m.program);
    let d = t.play(0, tea).unwrap();
    assert_eq!((d.player, t.zone_of(tea)), (0, "hand".into()));
    assert_eq!(t.m.state.position_hash(&t.m.program), before);
    let _ = std;
}

#[test]
fn modes_are_announced_with_their_choices() {
    let (mut g, std) = Game::standard();
    g.stack();
    g.announce_targets();
    g.cast(std);
    let (destroy, gain) = (std.destroy, std.gain);
    let modes = g.site("choose one", Some(1), Some(1), |f| f.reg(Type::Objects));
    g.library.sites[modes.index()].modes = Some((2, false));
    g.library.sites[modes.index()].selector = None;
    let target = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
    g.library.sites[target.index()].mode = Some((modes, 0, 1));
    let text = g.paragraph(|f| {
        let chosen = f.reg(Type::Objects);
        f.op(Op::ChooseModes { dst: chosen, site: modes });
        let zero = f.num(0);
        let mode = f.reg(Type::Number);
        f.op(Op::ElementAt { dst: mode, list: chosen, index: zero });
        let not = f.not(mode);
        f.when(not, |f| {
            let five = f.num(5);
            f.act(gain, &[YOU, five]);
        });
        f.when(mode, |f| {
            let beast = f.choose(target);
            f.act(destroy, &[beast]);
        });
    });
    // The choice site of the modes needs the register that the text stores them in.
    let body = match &g.library.abilities.present().last().unwrap().kind {
        AbilityKind::Paragraph { body } => *body,
        _ => panic!(),
    };
    let dst = g.library.functions[body.index()]
        .ops
        .iter()
        .find_map(|op| match op {
            Op::ChooseModes { dst, .. } => Some(*dst),
            _ => None,
        })
        .unwrap();
    g.library.sites[modes.index()].dst = dst;
    let charm = g.card("Charm", 0, &[text]);
    let bear = g.card("Bear", 2, &[]);
    let program = g.link();
    for mode in [0u32, 1] {
        let mut t = Table::new(&program);
        let c = t.add(charm, 0, std.hand);
        let (x, y) = (t.add(bear, 1, std.field), t.add(bear, 1, std.field));
        t.begin(std.main).unwrap();
        let d = t.play(0, c).unwrap();
        assert_eq!(d.kind, DecisionKind::Modes);
        let d = t.answer(&[mode]).unwrap();
        if mode == 1 {
            assert_eq!((d.kind, d.options.len()), (DecisionKind::Choose, 2));
            t.object(y);
        }
        assert_eq!(t.list(), [c]);
        t.pass();
        t.pass();
        assert_eq!([x, y].map(|s| t.zone_of(s)), ["field", if mode == 1 { "grave" } else { "field" }]);
        assert_eq!(t.life(0), if mode == 0 { 25 } else { 20 });
    }
}

#[test]
fn queue_resolves_a_play_immediately_and_then_its_triggers() {
    let (mut g, std) = Game::standard();
    g.queue();
    g.cast(std);
    let gain = std.gain;
    let enters = g.trigger(
        in_zone(std.field),
        ActionId(PUT),
        false,
        false,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            let score = f.get(Place::Player(SCORE), YOU);
            let one = f.num(1);
            let n = f.bin(Binary::Add, score, one);
            f.act(gain, &[YOU, n]);
        },
    );
    let comes = g.paragraph(|f| {
        let field = f.zone(std.field, YOU);
        f.put(THIS, field);
        f.write(Place::Player(SCORE), YOU, WriteMode::Set, 2);
    });
    let beast = g.card("Beast", 2, &[comes, enters]);
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(beast, 0, std.hand);
    t.begin(std.main).unwrap();
    let d = t.play(0, b).unwrap();
    assert_eq!((t.zone_of(b), t.life(0), d.kind), ("field".into(), 23, DecisionKind::Act));
    assert!(t.list().is_empty());
}

#[test]
fn immediate_trigger_leaves_its_source_on_the_list() {
    let (mut g, std) = Game::standard();
    g.queue();
    g.cast(std);
    let gain = std.gain;
    let own = g.trigger(
        in_zone(std.list),
        gain,
        false,
        false,
        |f| {
            let score = f.get(Place::Player(SCORE), YOU);
            f.not(score)
        },
        |f| f.write(Place::Player(SCORE), YOU, WriteMode::Set, 1),
    );
    let text = g.paragraph(|f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
        f.op(Op::Settle { triggers: true, acted: None });
        let there = f.in_zone(THIS, std.list);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: there });
    });
    let card = g.card("Echo", 0, &[own, text]);
    let program = g.link();
    let mut t = Table::new(&program);
    let c = t.add(card, 0, std.hand);
    t.begin(std.main).unwrap();
    t.play(0, c).unwrap();
    assert_eq!((t.score(0), t.tally(), t.zone_of(c)), (1, 1, "grave".into()));
}
