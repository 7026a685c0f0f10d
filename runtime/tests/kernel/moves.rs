//! Tests of moves, batches, nested actions, replacements, prohibitions and piles.

use super::support::*;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::PUT;
use fizzle_runtime::ir::*;
use fizzle_runtime::vm::decision::{Choice, DecisionKind};

const IT: Reg = 2;

#[test]
fn move_makes_old_references_stale() {
    let (mut g, std) = Game::standard();
    let bear = g.card("Bear", 2, &[]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let it = f.first(all);
        let grave = f.zone(std.grave, YOU);
        let (_, out) = f.put_out(it, grave);
        let stale = f.exists(it);
        let fresh = f.first(out);
        let there = f.exists(fresh);
        f.when(stale, |f| f.write(Place::Global(0), YOU, WriteMode::Add, 100));
        f.when(there, |f| f.write(Place::Global(0), YOU, WriteMode::Add, 1));
        // A stale reference cannot be moved; its last-known power can be read.
        let hand = f.zone(std.hand, YOU);
        let again = f.put(it, hand);
        f.when(again, |f| f.write(Place::Global(0), YOU, WriteMode::Add, 100));
        let power = f.get(Place::Property(POWER), it);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Add, value: power });
        let now = f.builtin("current", &[it]);
        let same = f.bin(Binary::Equal, now, fresh);
        f.when(same, |f| f.write(Place::Global(0), YOU, WriteMode::Add, 10));
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    let before = t.current(b);
    t.m.state.set_column(b, fizzle_runtime::state::layout::STATUSES, 1);
    let d = t.begin(std.work).unwrap();
    assert_eq!(d.kind, DecisionKind::Act);
    assert_eq!(t.zone_of(b), "grave");
    assert!(!t.m.state.exists(before));
    assert_eq!(t.status(b, TAPPED), 0, "statuses are cleared");
    assert_eq!(t.tally(), 13);
}

#[test]
fn batch_events_are_simultaneous() {
    let (mut g, std) = Game::standard();
    // The trigger looks back, so each beast triggers for every beast that leaves in the same batch, itself included.
    let seen = g.trigger(
        in_zone(std.field),
        ActionId(PUT),
        true,
        false,
        |f| f.in_zone(IT, std.field),
        |f| {
            f.write(Place::Global(0), YOU, WriteMode::Add, 1);
        },
    );
    let bear = g.card("Bear", 2, &[seen]);
    let destroy = std.destroy;
    g.work(std, |f| {
        let all = f.all(std.field);
        let done = f.act(destroy, &[all]);
        f.when(done, |f| f.write(Place::Player(SCORE), YOU, WriteMode::Set, 1));
        let none = f.all(std.field);
        let done = f.act(destroy, &[none]);
        f.when(done, |f| f.write(Place::Player(SCORE), YOU, WriteMode::Set, 2));
    });
    g.stack();
    let program = g.link();
    let mut t = Table::new(&program);
    let beasts: Vec<usize> = (0..4).map(|i| t.add(bear, i % 2, std.field)).collect();
    let mut d = t.begin(std.work);
    assert!(beasts.iter().all(|b| t.zone_of(*b) == "grave"));
    assert_eq!(t.score(0), 1, "the first batch counts as happened, the empty one does not");
    // Each of the 4 beasts triggers for 4 events.
    let mut guard = 0;
    while t.tally() < 16 && guard < 200 {
        guard += 1;
        let picks = smallest_answer(&d.unwrap());
        d = t.answer(&picks);
    }
    assert_eq!(t.tally(), 16);
    // The four events are committed as one batch.
    let events = t.events();
    assert_eq!(events.iter().filter(|e| *e == "destroy").count(), 4);
}

#[test]
fn nested_actions_advance_in_lockstep_and_return_what_happened() {
    let (mut g, std) = Game::standard();
    // Each player draws, then gains the number of cards in both hands. The bodies advance in lockstep, so both draw before either gains.
    let (draw, gain) = (std.draw, std.gain);
    let both = g.action("draw_and_gain", &[("who", Type::Player)], |f| {
        let done = f.act(draw, &[IT]);
        f.when(done, |f| {
            let all = f.all(std.hand);
            let n = f.count(all);
            f.act(gain, &[IT, n]);
        });
    });
    let bear = g.card("Bear", 2, &[]);
    g.work(std, |f| {
        let players = f.reg(Type::Players);
        f.op(Op::Players { dst: players });
        let (done, out) = f.act_out(both, &[players]);
        f.when(done, |f| {
            let n = f.count(out);
            f.op(Op::Write { place: Place::Player(SCORE), of: YOU, how: WriteMode::Set, value: n });
        });
        // The second time, player 1 has no card left to draw, so nothing happens for that player.
        let (_, _) = f.act_out(both, &[players]);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    t.add(bear, 0, std.deck);
    t.add(bear, 0, std.deck);
    t.add(bear, 1, std.deck);
    t.begin(std.work).unwrap();
    assert_eq!(t.life(0), 20 + 2 + 3, "both cards are drawn before the gain");
    assert_eq!(t.life(1), 20 + 2);
    assert_eq!(t.score(0), 2, "the statement returns the two objects that moved");
}

#[test]
fn affected_player_chooses_between_replacements() {
    let (mut g, std) = Game::standard();
    let destroy = std.destroy;
    let own = |f: &mut Fun| f.bin(Binary::Equal, IT, THIS);
    let to_hand = g.replacement("to hand", in_zone(std.field), destroy, false, own, |f| {
        f.put_to_owners(IT, std.hand);
    });
    let aside = g.replacement("aside", in_zone(std.field), destroy, false, own, |f| {
        f.put_to_owners(IT, std.aside);
    });
    let bear = g.card("Bear", 2, &[]);
    let cat = g.card("Cat", 2, &[to_hand, aside]);
    let bird = g.card("Bird", 2, &[to_hand]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let (done, out) = f.act_out(destroy, &[all]);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: done });
        let n = f.count(out);
        f.op(Op::Write { place: Place::Player(SCORE), of: YOU, how: WriteMode::Set, value: n });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let a = t.add(bear, 0, std.field);
    let b = t.add(cat, 1, std.field);
    let c = t.add(bear, 1, std.field);
    let e = t.add(bird, 0, std.field);
    let d = t.begin(std.work).unwrap();
    assert_eq!((d.kind, d.player, d.options.len()), (DecisionKind::Replacement, 1, 2));
    assert_eq!(t.zone_of(a), "field", "no event of the batch has happened yet");
    t.answer(&[1]);
    assert_eq!([a, b, c, e].map(|s| t.zone_of(s)), ["grave", "aside", "grave", "hand"]);
    assert_eq!(t.events().iter().filter(|n| *n == "destroy").count(), 2, "replaced events did not happen");
    assert_eq!((t.tally(), t.score(0)), (1, 2), "what was done in place of a destruction is no result of it");
}

#[test]
fn replaced_event_counts_as_not_happened() {
    let (mut g, std) = Game::standard();
    let destroy = std.destroy;
    let save = g.replacement(
        "save",
        in_zone(std.field),
        destroy,
        false,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            f.write(Place::Status(MARK), IT, WriteMode::Add, 1);
        },
    );
    let bird = g.card("Bird", 2, &[save]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let done = f.act(destroy, &[all]);
        let not = f.not(done);
        f.when(not, |f| f.write(Place::Global(0), YOU, WriteMode::Set, 5));
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bird, 0, std.field);
    t.begin(std.work).unwrap();
    assert_eq!(t.zone_of(b), "field");
    assert_eq!(t.status(b, MARK), 1);
    assert_eq!(t.tally(), 5);
}

#[test]
fn optional_replacement_can_be_declined_and_applies_once_per_event() {
    let (mut g, std) = Game::standard();
    let draw = std.draw;
    // Replaces a draw by two draws. It cannot replace these again, because it is in their lineage.
    let twice = g.replacement(
        "twice",
        in_zone(std.field),
        draw,
        true,
        |f| f.bin(Binary::Equal, IT, YOU),
        |f| {
            f.act(draw, &[IT]);
            f.act(draw, &[IT]);
        },
    );
    let box_ = g.card("Box", 0, &[twice]);
    let bear = g.card("Bear", 2, &[]);
    g.work(std, |f| {
        let done = f.act(draw, &[YOU]);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: done });
    });
    let program = g.link();
    for (answer, hand) in [(0, 2), (1, 1)] {
        let mut t = Table::new(&program);
        t.add(box_, 0, std.field);
        let deck: Vec<usize> = (0..4).map(|_| t.add(bear, 0, std.deck)).collect();
        let d = t.begin(std.work).unwrap();
        assert_eq!((d.kind, d.options.len()), (DecisionKind::Replacement, 2));
        assert_eq!(d.options[1], Choice::Pass);
        let d = t.answer(&[answer]).unwrap();
        assert_eq!(d.kind, DecisionKind::Act);
        assert_eq!(deck.iter().filter(|c| t.zone_of(**c) == "hand").count(), hand);
    }
}

#[test]
fn forbidden_events_do_not_happen() {
    let (mut g, std) = Game::standard();
    let destroy = std.destroy;
    let cannot = g.prohibition("rule protected", in_zone(std.field), destroy, |f| f.bin(Binary::Equal, IT, THIS));
    let unit = g.unit(&[cannot]);
    let stone = g.card("Stone", 2, &[unit]);
    let bear = g.card("Bear", 2, &[]);
    let all_draws = g.prohibition("rule no_draws", 0, std.draw, |f| {
        let one = f.num(1);
        f.bin(Binary::Equal, IT, one)
    });
    g.format.rules.push(Rule { name: "no_draws".into(), abilities: vec![all_draws] });
    let draw = std.draw;
    g.work(std, |f| {
        let all = f.all(std.field);
        let done = f.act(destroy, &[all]);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: done });
        let players = f.reg(Type::Players);
        f.op(Op::Players { dst: players });
        f.act(draw, &[players]);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let s = t.add(stone, 0, std.field);
    let b = t.add(bear, 0, std.field);
    let (x, y) = (t.add(bear, 0, std.deck), t.add(bear, 1, std.deck));
    t.begin(std.work).unwrap();
    assert_eq!([s, b, x, y].map(|i| t.zone_of(i)), ["field", "grave", "hand", "deck"]);
    assert_eq!(t.tally(), 1);
}

#[test]
fn gathered_statements_form_one_batch() {
    let (mut g, std) = Game::standard();
    let bear = g.card("Bear", 2, &[]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let it = f.first(all);
        let hand = f.zone(std.hand, YOU);
        let done = f.reg(Type::Bool);
        let top = f.top(std.deck, YOU, 1);
        f.op(Op::BeginBatch);
        let first = f.put_proposal(it, hand);
        f.op(Op::Propose { events: vec![first], done: None, out: None });
        let grave = f.zone(std.grave, YOU);
        let second = f.put_proposal(top, grave);
        f.op(Op::Propose { events: vec![second], done: None, out: None });
        f.write(Place::Player(LIFE), YOU, WriteMode::Subtract, 3);
        let before = f.in_zone(it, std.field);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Add, value: before });
        f.op(Op::EndBatch { done: Some(done), out: None });
        f.op(Op::Write { place: Place::Player(SCORE), of: YOU, how: WriteMode::Add, value: done });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    let c = t.add(bear, 0, std.deck);
    t.begin(std.work).unwrap();
    assert_eq!([b, c].map(|i| t.zone_of(i)), ["hand", "grave"]);
    assert_eq!((t.tally(), t.score(0), t.life(0)), (1, 1, 17));
}

#[test]
fn pile_moves_along_and_splits() {
    let (mut g, std) = Game::standard();
    let bear = g.card("Bear", 2, &[]);
    let attach = ActionId(verbs::ATTACH);
    let aside = std.aside;
    g.work(std, |f| {
        let all = f.all(std.field);
        let zero = f.num(0);
        let one = f.num(1);
        let a = f.reg(Type::Object);
        let b = f.reg(Type::Object);
        f.op(Op::ElementAt { dst: a, list: all, index: zero });
        f.op(Op::ElementAt { dst: b, list: all, index: one });
        // b onto a: b is the object, a is in its pile.
        let below = f.constant(Type::Bool, 0);
        let (_, out) = f.act_out(attach, &[b, a, below]);
        let top = f.first(out);
        let n = f.builtin("pile_size", &[top]);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: n });
        // A third object under it.
        let two = f.num(2);
        let c = f.reg(Type::Object);
        f.op(Op::ElementAt { dst: c, list: all, index: two });
        let below = f.constant(Type::Bool, 1);
        f.act(attach, &[c, top, below]);
        let n = f.builtin("pile_size", &[top]);
        f.op(Op::Write { place: Place::Player(SCORE), of: YOU, how: WriteMode::Set, value: n });
        f.op(Op::Window { window: 0 });
        let all = f.all(std.field);
        let n = f.count(all);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Add, value: n });
        let it = f.first(all);
        let into = f.zone(aside, YOU);
        f.put(it, into);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let a = t.add(bear, 0, std.field);
    let b = t.add(bear, 0, std.field);
    let c = t.add(bear, 1, std.field);
    t.m.state.set_column(a, fizzle_runtime::state::layout::STATUSES, 1);
    t.begin(std.work).unwrap();
    assert_eq!(t.m.state.zone_items(&program, program.zone_instance(std.field.index(), 0).unwrap()).len(), 1);
    assert_eq!(t.m.state.pile(b).len(), 2);
    assert_eq!(t.status(b, TAPPED), 1, "the object on top takes over the statuses");
    assert_eq!((t.tally(), t.score(0)), (1, 2));
    t.pass();
    t.pass().unwrap();
    assert_eq!([a, b, c].map(|i| t.zone_of(i)), ["aside", "aside", "aside"], "the pile splits");
    assert_eq!(t.m.state.pile(b).len(), 0);
    assert_eq!(t.m.state.zone(c), program.zone_instance(aside.index(), 1), "each card moves to its owner's zone");
    assert_eq!(t.tally(), 2);
}

#[test]
fn leaving_pile_member_keeps_the_rest_in_place() {
    let (mut g, std) = Game::standard();
    let bear = g.card("Bear", 2, &[]);
    let attach = ActionId(verbs::ATTACH);
    g.work(std, |f| {
        let all = f.all(std.field);
        let zero = f.num(0);
        let one = f.num(1);
        let a = f.reg(Type::Object);
        let b = f.reg(Type::Object);
        f.op(Op::ElementAt { dst: a, list: all, index: zero });
        f.op(Op::ElementAt { dst: b, list: all, index: one });
        let below = f.constant(Type::Bool, 1);
        f.act(attach, &[a, b, below]);
        let hand = f.zone(std.hand, YOU);
        let stale = f.put(a, hand);
        f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: stale });
        let now = f.builtin("current", &[a]);
        let done = f.put(now, hand);
        f.op(Op::Write { place: Place::Player(SCORE), of: YOU, how: WriteMode::Set, value: done });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let a = t.add(bear, 0, std.field);
    let b = t.add(bear, 0, std.field);
    t.begin(std.work).unwrap();
    assert_eq!([a, b].map(|i| t.zone_of(i)), ["hand", "field"]);
    assert_eq!((t.tally(), t.score(0)), (0, 1));
    assert!(t.m.state.pile(b).is_empty());
}

#[test]
fn replaced_entering_counts_as_entering() {
    let (mut g, std) = Game::standard();
    // It enters tapped: replaces a put into the field by the same put with the flag.
    let enters_tapped = g.replacement(
        "enters tapped",
        in_zone(std.hand),
        ActionId(PUT),
        false,
        |f| {
            let this = f.bin(Binary::Equal, IT, THIS);
            let field = f.zone(std.field, YOU);
            let into = f.bin(Binary::Equal, 3, field);
            f.bin(Binary::And, this, into)
        },
        |f| {
            let flags = f.num(1 << TAPPED);
            let done = f.reg(Type::Bool);
            f.op(Op::Propose {
                events: vec![EventProposal {
                    action: ActionId(PUT),
                    args: vec![IT, 3, 4, 5, flags, 7],
                    over: None,
                    chosen: ChosenBy::NoPlayer,
                }],
                done: Some(done),
                out: None,
            });
        },
    );
    let gate = g.card("Gate", 0, &[enters_tapped]);
    g.work(std, |f| {
        let hand = f.zone(std.hand, YOU);
        let cards = f.items(hand);
        let field = f.zone(std.field, YOU);
        let (done, out) = f.put_out(cards, field);
        f.when(done, |f| f.write(Place::Global(0), YOU, WriteMode::Set, 1));
        let it = f.first(out);
        f.write(Place::Status(MARK), it, WriteMode::Set, 5);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let slot = t.add(gate, 0, std.hand);
    t.begin(std.work).unwrap();
    assert_eq!((t.zone_of(slot), t.status(slot, TAPPED), t.status(slot, MARK), t.tally()), ("field".into(), 1, 5, 1));
}

#[test]
fn double_move_in_a_batch_happens_once() {
    let (mut g, std) = Game::standard();
    g.queue();
    let destroy = std.destroy;
    let dies = g.trigger(
        in_zone(std.field),
        destroy,
        true,
        false,
        |f| f.bin(Binary::Equal, IT, THIS),
        |f| {
            f.write(Place::Global(0), YOU, WriteMode::Add, 1);
        },
    );
    let bear = g.card("Bear", 2, &[dies]);
    g.work(std, |f| {
        let all = f.all(std.field);
        let a = f.proposal(destroy, &[all]);
        f.op(Op::Propose { events: vec![a.clone(), a], done: None, out: None });
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    t.begin(std.work).unwrap();
    assert_eq!((t.zone_of(b), t.tally()), ("grave".into(), 1));
}

#[test]
fn pile_of_an_erased_token_stays() {
    let (mut g, std) = Game::standard();
    let bear = g.card("Bear", 2, &[]);
    let token = g.card("Token", 1, &[]);
    g.library.definitions[token.index()].token = true;
    g.work(std, |f| {
        let card = f.constant(Type::Card, i64::from(token.0));
        let field = f.zone(std.field, YOU);
        let all = f.all(std.field);
        let (_, out) = f.act_out(ActionId(verbs::CREATE), &[card, field, YOU]);
        let top = f.first(out);
        let it = f.first(all);
        let below = f.constant(Type::Bool, 1);
        f.act(ActionId(verbs::ATTACH), &[it, top, below]);
        f.act(ActionId(verbs::ERASE), &[top]);
    });
    let program = g.link();
    let mut t = Table::new(&program);
    let b = t.add(bear, 0, std.field);
    t.begin(std.work).unwrap();
    assert_eq!(t.zone_of(b), "field");
}

#[test]
fn piles_do_not_nest() {
    for below in [0, 1] {
        let (mut g, std) = Game::standard();
        let bear = g.card("Bear", 2, &[]);
        let attach = ActionId(verbs::ATTACH);
        g.work(std, |f| {
            let all = f.all(std.field);
            let under = f.constant(Type::Bool, 1);
            let item = |f: &mut Fun, n: i64| {
                let index = f.num(n);
                let dst = f.reg(Type::Object);
                f.op(Op::ElementAt { dst, list: all, index });
                dst
            };
            let (a, b, c, d) = (item(f, 0), item(f, 1), item(f, 2), item(f, 3));
            f.act(attach, &[a, b, under]);
            f.act(attach, &[c, d, under]);
            // b (on a) under d (on c), or onto d.
            let how = f.constant(Type::Bool, below);
            let (_, out) = f.act_out(attach, &[b, d, how]);
            let top = f.first(out);
            let n = f.builtin("pile_size", &[top]);
            f.op(Op::Write { place: Place::Global(0), of: YOU, how: WriteMode::Set, value: n });
            f.op(Op::Window { window: 0 });
            f.put_to_owners(top, std.grave);
        });
        let program = g.link();
        let mut t = Table::new(&program);
        let slots: Vec<usize> = (0..4).map(|_| t.add(bear, 0, std.field)).collect();
        t.begin(std.work).unwrap();
        assert_eq!(t.tally(), 3);
        t.pass();
        t.pass();
        assert!(slots.iter().all(|s| t.zone_of(*s) == "grave"));
    }
}
