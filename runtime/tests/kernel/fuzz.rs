//! Random games of a program that combines most features, with all invariant checks at every decision.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::{ATTACH, BEGIN, CREATE, ERASE, PUT, REVEAL, SHUFFLE};
use fizzle_runtime::ir::*;
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
use std::sync::Arc;

const IT: Reg = 2;

fn feature_game(timing: fn(&mut Game), policy: u32) -> (Arc<Program>, Std, Vec<DefId>) {
    let (mut g, std) = Game::standard();
    timing(&mut g);
    match policy {
        0 => g.announce_targets(),
        1 => {
            g.format.announce = AnnouncePolicy {
                stages: vec![AnnounceStage::Pay, AnnounceStage::List, AnnounceStage::Choices],
                announced_choices: vec![AnnouncedChoices { mandatory: true, ..AnnouncedChoices::default() }],
                requires_choices: true,
                fizzle_whole: true,
                ..AnnouncePolicy::default()
            };
        }
        _ => {}
    }
    g.cast(std);
    g.library.traits.push(TraitSet { name: "units".into(), words: vec!["red".into()], layer: 2, changeable: false, open: false });
    g.library.player_variables.push(Variable {
        name: "red".into(),
        ty: Type::Number,
        initial: 0,
        layer: 0,
        lifetime: Some("work".into()),
        keys: None,
        conceals: false,
        kept_on_field: false,
        disguise: None,
        nameless: false,
        revealed_on_leaving: false,
        updates_timestamp: false,
        clears_effects: false,
    });
    let (destroy, gain, draw) = (std.destroy, std.gain, std.draw);
    let field = in_zone(std.field);
    let this = |f: &mut Fun| f.bin(Binary::Equal, IT, THIS);

    let lands = g.card("Land", 0, &[]);
    let free_land = g.pred("free land", &[Type::Object], |f| {
        let tapped = f.get(Place::Status(TAPPED), 2);
        let not = f.not(tapped);
        let is = f.is_card(2, lands);
        let own = f.get(Place::Controller, 2);
        let mine = f.bin(Binary::Equal, own, YOU);
        let both = f.bin(Binary::And, not, is);
        f.bin(Binary::And, both, mine)
    });
    let producers = g.value("producers", &[], Type::Objects, |f| {
        let all = f.all(std.field);
        f.filter(all, free_land, &[THIS, YOU])
    });
    let produces = g.value("yields", &[Type::Object], Type::Number, |f| f.num(1));
    let by = g.body("by", |f| f.write(Place::Status(TAPPED), THIS, WriteMode::Set, 1));
    g.format.payments.push(Payment {
        restricted: Vec::new(),
        symbols: Vec::new(),
        name: "units".into(),
        kinds: TraitSetId(1),
        clauses: vec![PaymentClause { condition: None, producers, produces, times: None, by }],
        pool: vec![Some(2)],
    });
    let price = g.value("price", &[], Type::Price, |f| {
        let one = f.num(1);
        f.builtin("generic", &[one])
    });
    g.format.plays[0].price = Some(price);
    let not_land = g.pred("not a land", &[], |f| {
        let is = f.is_card(THIS, lands);
        f.not(is)
    });
    g.format.plays[0].condition = Some(not_land);
    let is_land = g.pred("is land", &[], |f| f.is_card(THIS, lands));
    let lay = g.body("lay", |f| {
        let field = f.zone(std.field, YOU);
        f.put(THIS, field);
    });
    g.format.plays.push(Play {
        name: "lay".into(),
        from: vec![std.hand],
        condition: Some(is_land),
        immediate: true,
        body: lay,
        ..Play::default()
    });

    let enters = g.paragraph(|f| {
        let field = f.zone(std.field, YOU);
        f.put(THIS, field);
    });
    let dies = g.trigger(field, destroy, true, false, this, |f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
        f.act(draw, &[YOU]);
    });
    let any_beast = g.site("target beast", Some(1), Some(1), |f| f.all(std.field));
    let comes = g.trigger(field, ActionId(PUT), false, false, this, |f| {
        let chosen = f.choose(any_beast);
        let it = f.first(chosen);
        f.write(Place::Status(DAMAGE), it, WriteMode::Add, 1);
    });
    let at_once = g.trigger(field, ActionId(PUT), false, true, this, |f| f.write(Place::Status(MARK), THIS, WriteMode::Set, 1));
    let twice = g.replacement(
        "twice",
        field,
        draw,
        true,
        |f| f.bin(Binary::Equal, IT, YOU),
        |f| {
            f.act(draw, &[IT]);
            f.act(draw, &[IT]);
        },
    );
    let aside = g.replacement("aside", field, destroy, false, this, |f| {
        f.put_to_owners(IT, std.aside);
    });
    let hand = g.replacement("hand", field, destroy, false, this, |f| {
        f.put_to_owners(IT, std.hand);
    });
    let every = g.pred("all", &[Type::Object], |f| f.num(1));
    let one = g.value("n", &[Type::Object], Type::Number, |f| f.num(1));
    let plus = g.change(5, field, Some(every), Change::Add { property: POWER, value: one, floor: None });
    let anthem = g.static_unit(field, None, &[plus]);
    let strong = g.change(5, field, None, Change::Add { property: POWER, value: one, floor: None });
    let strong = g.static_unit(field, None, &[strong]);
    let others = g.pred("others", &[Type::Object], |f| f.bin(Binary::NotEqual, 2, THIS));
    let teach = g.change(3, field, Some(others), Change::GainBundle(strong));
    let teach = g.static_unit(field, None, &[teach]);
    let hush = g.change(3, field, Some(others), Change::LoseAbilities);
    let hush = g.static_unit(field, None, &[hush]);
    let lethal = g.pred("lethal", &[Type::Object], |f| {
        let damage = f.get(Place::Status(DAMAGE), 2);
        let power = f.get(Place::Property(POWER), 2);
        let is = f.is_card(2, lands);
        let not = f.not(is);
        let dead = f.bin(Binary::Less, power, damage);
        f.bin(Binary::And, dead, not)
    });
    let body = g.body("lethal", |f| {
        let all = f.all(std.field);
        let dead = f.filter(all, lethal, &[THIS, YOU]);
        f.act(destroy, &[dead]);
    });
    g.format.state_rules.push(StateRule { name: "lethal".into(), body, acts: None });

    let two = g.site("two beasts", Some(1), Some(2), |f| f.all(std.field));
    let kill = g.paragraph(|f| {
        let chosen = f.choose(two);
        f.act(destroy, &[chosen]);
    });
    let mix = g.paragraph(|f| {
        let deck = f.zone(std.deck, YOU);
        f.act(ActionId(SHUFFLE), &[deck]);
        let top = f.top(std.deck, YOU, 2);
        f.act(ActionId(REVEAL), &[top]);
        let answer = f.reg(Type::Bool);
        f.op(Op::Ask { dst: answer, player: YOU, site: ChoiceSiteId(0) });
        f.when(answer, |f| {
            f.act(draw, &[YOU]);
        });
    });
    let use_top = g.paragraph(|f| {
        let top = f.top(std.deck, YOU, 1);
        let it = f.first(top);
        let done = f.reg(Type::Bool);
        f.op(Op::Use { object: it, by: None, args: vec![], free: true, done: Some(done) });
    });
    let you = g.value("you", &[Type::Object], Type::Player, |_| YOU);
    let steal = g.change(0, field, None, Change::SetController(you));
    let take = g.paragraph(|f| {
        let all = f.all(std.field);
        f.op(Op::BeginEffect {
            mods: vec![steal],
            abilities: vec![],
            whom: Some(all),
            captures: vec![],
            until: vec![DurationEnd::End(PeriodId(0))],
            once: false,
        });
    });
    let again = g.paragraph(|f| {
        f.op(Op::InsertPeriod { period: std.work });
        f.op(Op::SkipPeriod { period: std.end, player: YOU });
    });
    let stop = g.paragraph(|f| f.op(Op::EndPeriod { period: PeriodId(0) }));
    let later_params: Vec<Type> = g.pattern_params(ActionId(BEGIN));
    let later = g.fun("later", &later_params, None, |f| {
        let one = f.num(1);
        f.act(gain, &[YOU, one]);
    });
    let later = g.ability(
        "later",
        u32::MAX,
        AbilityKind::Triggered {
            pattern: EventPattern { action: ActionId(BEGIN), filter: None, looks_back: false },
            condition: None,
            optional: true,
            immediate: false,
            off_list: false,
            limit: None,
            can_miss_timing: false,
            batching: fizzle_runtime::ir::Batching::Each,
            body: later,
        },
    );
    let wait = g.paragraph(|f| {
        f.op(Op::BeginEffect {
            mods: vec![],
            abilities: vec![later],
            whom: None,
            captures: vec![],
            until: vec![DurationEnd::NextEnd(PeriodId(0), YOU)],
            once: true,
        })
    });
    let token = g.card("Token", 1, &[dies]);
    g.library.definitions[token.index()].token = true;
    let stack = g.paragraph(|f| {
        let card = f.constant(Type::Card, i64::from(token.0));
        let field = f.zone(std.field, YOU);
        let all = f.all(std.field);
        let (_, out) = f.act_out(ActionId(CREATE), &[card, field, YOU]);
        let top = f.first(out);
        let it = f.first(all);
        let below = f.constant(Type::Bool, 1);
        f.act(ActionId(ATTACH), &[it, top, below]);
    });
    // A token outside the field ceases to exist.
    let outside = g.pred("token", &[Type::Object], |f| f.is_card(2, token));
    let body = g.body("tokens", |f| {
        for zone in [std.grave, std.hand, std.aside] {
            let all = f.all(zone);
            let gone = f.filter(all, outside, &[THIS, YOU]);
            f.act(ActionId(ERASE), &[gone]);
        }
    });
    g.format.state_rules.push(StateRule { name: "tokens".into(), body, acts: None });
    // Abilities that produce a unit during a payment; the second one also reveals the top card.
    let mut makers = Vec::new();
    for reveals in [false, true] {
        let body = g.body("make", |f| {
            f.write(Place::Player(2), YOU, WriteMode::Add, 1);
            if reveals {
                let top = f.top(std.deck, YOU, 1);
                f.act(ActionId(REVEAL), &[top]);
            }
        });
        let untapped = g.pred("untapped", &[], |f| {
            let tapped = f.get(Place::Status(TAPPED), THIS);
            f.not(tapped)
        });
        let play = Play {
            name: "make".into(),
            body,
            cost: Some(by),
            cost_possible: Some(untapped),
            immediate: true,
            during_payment: true,
            ..Play::default()
        };
        let ability = g.ability("make", field, AbilityKind::Activated { play: Box::new(play) });
        makers.push(g.unit(&[ability]));
    }
    let body = g.body("hit", |f| {
        let chosen = f.choose(any_beast);
        f.act(destroy, &[chosen]);
    });
    let untapped = g.pred("untapped", &[], |f| {
        let tapped = f.get(Place::Status(TAPPED), THIS);
        f.not(tapped)
    });
    let play =
        Play { name: "hit".into(), body, price: Some(price), cost: Some(by), cost_possible: Some(untapped), ..Play::default() };
    let ability = g.ability("hit", field, AbilityKind::Activated { play: Box::new(play) });
    let hit = g.unit(&[ability]);

    let mut cards = vec![lands, lands, lands];
    for (name, power, units) in [
        ("Bear", 2, vec![enters, dies]),
        ("Guard", 1, vec![enters, comes, at_once]),
        ("Anthem", 1, vec![enters, anthem]),
        ("Teacher", 1, vec![enters, teach]),
        ("Hush", 1, vec![enters, hush]),
        ("Lucky", 1, vec![enters, twice]),
        ("Slippery", 1, vec![enters, aside, hand]),
        ("Stone", 1, vec![enters, makers[0]]),
        ("Glass", 1, vec![enters, makers[1]]),
        ("Archer", 1, vec![enters, hit]),
        ("Bolt", 0, vec![kill]),
        ("Twin", 0, vec![kill, kill, mix]),
        ("Mix", 0, vec![mix]),
        ("Use", 0, vec![use_top]),
        ("Take", 0, vec![take]),
        ("Again", 0, vec![again]),
        ("Stop", 0, vec![stop]),
        ("Wait", 0, vec![wait]),
        ("Stack", 0, vec![stack]),
    ] {
        cards.push(g.card(name, power, &units));
    }
    g.work(std, |f| {
        let all = f.all(std.field);
        let untap = f.reg(Type::Object);
        let i = f.num(0);
        let n = f.count(all);
        let one = f.num(1);
        let start = f.f.ops.len() as u32;
        let more = f.bin(Binary::Less, i, n);
        f.when(more, |f| {
            f.op(Op::ElementAt { dst: untap, list: all, index: i });
            f.write(Place::Status(TAPPED), untap, WriteMode::Set, 0);
            f.op(Op::Binary { op: Binary::Add, dst: i, a: i, b: one });
            f.op(Op::Jump { to: start });
        });
        f.act(draw, &[YOU]);
        f.act(draw, &[YOU]);
    });
    (g.link(), std, cards)
}

fn random_answer(d: &Decision, chance: &mut u32) -> Vec<u32> {
    let mut next = |n: u32| {
        *chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*chance >> 16) % n.max(1)
    };
    if d.kind == DecisionKind::Number {
        return vec![(d.min + i64::from(next((d.max - d.min + 1) as u32))) as u32];
    }
    let n = d.options.len() as u32;
    let count = d.min as u32 + next((d.max - d.min + 1) as u32);
    // Passing is one of many options, so it gets an extra chance of one third.
    if d.kind == DecisionKind::Act && next(3) == 0 {
        return vec![0];
    }
    let first = next(n);
    (0..count).map(|i| (first + i) % n).collect()
}

fn play_game(timing: fn(&mut Game), policy: u32, seed: u32, decisions: usize) -> (u32, usize) {
    let (program, std, cards) = feature_game(timing, policy);
    let mut t = Table::new(&program);
    for seat in 0..2 {
        for i in 0..36 {
            t.add(cards[(i * 7 + seed as usize * 3 + seat) % cards.len()], seat, std.deck);
        }
        for i in 0..4 {
            t.add(cards[(i * 5 + seed as usize) % cards.len()], seat, std.hand);
        }
        for _ in 0..3 {
            t.add(cards[0], seat, std.field);
        }
    }
    let mut chance = seed;
    let mut decision = t.begin(std.work);
    let mut decision_count = 0;
    for _ in 0..decisions {
        let Some(d) = decision else { break };
        decision_count += usize::from(d.forced().is_none());
        let picks = random_answer(&d, &mut chance);
        decision = t.answer(&picks);
        let _ = t.m.state.position_hash(&program);
    }
    (t.m.state.turn(), decision_count)
}

fn play_games(timing: fn(&mut Game), games: u32, decisions: usize) {
    let mut decision_count = 0;
    for seed in 0..games {
        decision_count += play_game(timing, seed % 3, seed, decisions).1;
    }
    assert!(decision_count > 20 * games as usize, "{decision_count}");
}

#[test]
fn random_games_with_a_stack_keep_invariants() {
    play_games(Game::stack, 3, 100);
}

#[test]
fn random_games_with_a_chain_keep_invariants() {
    play_games(Game::chain, 3, 100);
}

#[test]
fn random_games_with_a_queue_keep_invariants() {
    play_games(Game::queue, 3, 100);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes two minutes")]
fn long_random_games_keep_invariants() {
    for timing in [Game::queue, Game::chain, Game::stack] {
        play_games(timing, 24, 300);
    }
}
