//! Each kind of damage is refused, and output of the compiler is accepted.

use super::*;
use crate::tiny_game;
use crate::{ChoiceSiteId, Op, Period, PeriodEntry, PeriodId};

fn error_after(damage: impl FnOnce(&mut CompiledGame)) -> String {
    let mut game = tiny_game::game();
    damage(&mut game);
    verify(&Artifact { games: vec![game] }).expect_err("the damage is detected").to_string()
}

#[test]
fn tiny_game_is_valid() {
    assert_eq!(verify(&Artifact { games: vec![tiny_game::game()] }), Ok(()));
}

#[test]
fn out_of_range_numbers_are_refused() {
    let message = error_after(|game| game.library_mut().functions[4].ops[0] = Op::Not { dst: 3, a: 77 });
    assert!(message.contains("number 77 is not below"), "{message}");
    error_after(|game| game.library_mut().functions[4].ops[0] = Op::Jump { to: 99 });
    error_after(|game| game.formats[0].setup = Some(FnId(99)));
    error_after(|game| game.formats[0].plays[0].from[0] = crate::ZoneKindId(9));
    error_after(|game| game.formats[0].plays[0].while_concealed = true);
    error_after(|game| game.formats[0].plays[0].announced = Some(999));
    error_after(|game| (game.formats[0].plays[0].announced, game.formats[0].plays[0].immediate) = (Some(0), true));
    error_after(|game| {
        game.library_mut().functions[4].ops[0] = Op::CallUnconcealed { dst: 3, function: FnId(3), args: vec![0, 1], of: 77 }
    });
    error_after(|game| {
        game.library_mut().functions[4].ops[0] = Op::CallUnconcealed { dst: 3, function: FnId(999), args: vec![0, 1], of: 0 }
    });
    error_after(|game| game.formats[0].max_players = 0);
    error_after(|game| game.formats[0].actions.truncate(3));
    error_after(|game| game.formats[0].deck.banned[0] = crate::DefId(50));
    error_after(|game| game.library_mut().zones = vec![crate::ZoneKind::default(); 33]);
}

#[test]
fn impure_and_recursive_code_is_refused() {
    for statement in [Op::BeginBatch, Op::Divide { dst: 3, site: ChoiceSiteId(0) }] {
        let message = error_after(|game| game.library_mut().functions[3].ops[0] = statement);
        assert!(message.contains("pure"), "{message}");
    }
    error_after(|game| game.library_mut().functions[3].ops[0] = Op::Jump { to: 0 });
    let message = error_after(|game| {
        game.library_mut().functions[4].ops[1] = Op::Call { dst: 4, function: FnId(3), args: vec![0, 1] };
    });
    assert!(message.contains("circle"), "{message}");
}

#[test]
fn modifications_of_missing_entries_are_refused() {
    use crate::{Change, Modification, TraitSetId, WordSetChange};
    let with = |change: Change| {
        error_after(move |game| {
            game.library_mut().traits.push(crate::TraitSet {
                name: "kind".into(),
                words: vec!["one".into()],
                layer: 0,
                changeable: false,
                open: false,
            });
            game.library_mut().modifications.push(Modification { layer: 0, selector: None, zones: 0, defining: false, change });
        })
    };
    let message = with(Change::ChangeWordByValue { traits: TraitSetId(99), word: FnId(3), how: WordSetChange::GainOnly });
    assert!(message.contains("trait set"), "{message}");
    let message = with(Change::ChangeWordByValue { traits: TraitSetId(0), word: FnId(9999), how: WordSetChange::Lose });
    assert!(message.contains("function"), "{message}");
    with(Change::SubstituteWord { traits: TraitSetId(7), new: FnId(3), old: FnId(3) });
    with(Change::GainBundleByValue { bundles: vec![crate::AbilityBundleId(9999)], which: FnId(3) });
}

#[test]
fn invalid_text_slots_are_refused() {
    use crate::op::TextSlot;
    use crate::{TraitSet, TraitSetId};
    let with = |slot: TextSlot| {
        error_after(move |game| {
            game.library_mut().traits.push(TraitSet {
                name: "kind".into(),
                words: vec!["one".into()],
                layer: 0,
                changeable: true,
                open: false,
            });
            game.library_mut().functions[4].text_slots.push(slot);
        })
    };
    assert!(with(TextSlot { reg: 0, traits: TraitSetId(0), word: 0 }).contains("parameter"));
    with(TextSlot { reg: 999, traits: TraitSetId(0), word: 0 });
    let last = tiny_game::game().library.functions[4].registers.len() as u16 - 1;
    assert!(with(TextSlot { reg: last, traits: TraitSetId(5), word: 0 }).contains("trait set"));
    assert!(with(TextSlot { reg: last, traits: TraitSetId(0), word: 5 }).contains("word"));
}

#[test]
fn list_register_as_scalar_is_refused() {
    error_after(|game| game.library_mut().functions[3].ops[0] = Op::AllInZone { dst: 3, zone: crate::ZoneKindId(2) });
    error_after(|game| game.library_mut().functions[3].ops[2] = Op::Count { dst: 3, list: 0 });
}

#[test]
fn circular_periods_are_refused() {
    let message = error_after(|game| game.formats[0].periods[1].entries = vec![PeriodEntry::Period(PeriodId(0))]);
    assert!(message.contains("lead back"), "{message}");
    error_after(|game| {
        game.formats[0].periods[1].parent = PeriodId(2);
        game.formats[0].periods.push(Period { parent: PeriodId(1), ..Period::default() });
    });
}

#[test]
fn deeply_nested_calls_are_refused() {
    error_after(|game| {
        let model = game.library.functions[6].clone();
        for _ in 0..MAX_CALLS + 2 {
            let mut function = model.clone();
            let last = FnId(game.library.functions.len() as u32 - 1);
            function.ops[0] = Op::Call { dst: 2, function: last, args: vec![0, 1] };
            game.library_mut().functions.push(function);
        }
    });
}

#[test]
fn invalid_texts_are_refused() {
    use crate::{CardText, Prompt, Texts};
    let text =
        |card, name: &str, line: &str| CardText { card, name: name.into(), lines: vec![line.into()], ..CardText::default() };
    let texts = |language: &str, cards| Texts {
        language: language.into(),
        format: String::new(),
        cards,
        prompts: vec![],
        rules: vec![],
        names: vec![],
    };
    let with = |all: Vec<Texts>| error_after(move |game| game.texts = all);
    let message = with(vec![texts("en", vec![text(9_999, "", "Draw a card.")])]);
    assert!(message.contains("texts `en`") && message.contains("number 9999 is not below"), "{message}");
    assert!(with(vec![texts("en", vec![text(u32::MAX, "", "")])]).contains("is not below"));
    assert!(with(vec![texts("en", vec![text(0, "", ""), text(0, "", "")])]).contains("it has two texts"));
    assert!(with(vec![texts("en", vec![]), texts("en", vec![])]).contains("comes twice"));
    assert!(with(vec![texts("../x", vec![])]).contains("language"));
    let stray = Texts { language: "en".into(), format: "nowhere".into(), ..Texts::default() };
    assert!(with(vec![stray]).contains("no format `nowhere`"));
    assert!(with(vec![texts("", vec![])]).contains("language"));
    assert!(with(vec![Texts::default(); 65]).contains("65 are more than 64"));
    assert!(with(vec![texts("en", vec![text(0, "\u{1b}[2J", "")])]).contains("hidden character"));
    assert!(with(vec![texts("en", vec![text(0, "", "\u{7}")])]).contains("hidden character"));
    assert!(with(vec![texts("en", vec![text(0, &"x".repeat(1 << 13), "")])]).contains("bytes of the name"));
    assert!(with(vec![texts("en", vec![text(0, "", &"x".repeat(1 << 17))])]).contains("bytes of a line"));
    let many = CardText { card: 0, name: String::new(), lines: vec![String::new(); 2_000], ..CardText::default() };
    assert!(with(vec![texts("en", vec![many])]).contains("lines"));
    let ability = |count: usize, line: String| {
        let one = crate::AbilityText { place: crate::op::Source::default(), text: line };
        with(vec![texts("en", vec![CardText { abilities: vec![one; count], ..CardText::default() }])])
    };
    assert!(ability(2_000, String::new()).contains("texts of abilities"));
    assert!(ability(1, "x".repeat(1 << 17)).contains("bytes of the text of an ability"));
    assert!(ability(1, "\u{1b}[31m".into()).contains("text of an ability"));
    let prompt = |site, text: &str, modes| Prompt { site, text: text.into(), modes };
    let site = crate::ChoiceSite {
        text: String::new(),
        source: crate::op::Source::default(),
        selector: None,
        captures: vec![0, 1],
        min: None,
        max: None,
        chooser: crate::Chooser::Controller,
        target: false,
        optional: true,
        public: true,
        candidate_type: crate::Type::Objects,
        own: false,
        verb: None,
        sentence: 0,
        announceable: false,
        conditional: false,
        after_cost: false,
        dst: 2,
        divides: false,
        modes: None,
        mode: None,
    };
    let prompts = |prompts| {
        error_after(|game| {
            game.library_mut().sites = vec![site.clone()].into();
            game.texts = vec![Texts { prompts, ..texts("en", vec![]) }];
        })
    };
    assert!(prompts(vec![prompt(u32::MAX, "", vec![])]).contains("is not below"));
    assert!(prompts(vec![prompt(0, "a card", vec![]), prompt(0, "a card", vec![])]).contains("it has two texts"));
    assert!(prompts(vec![prompt(0, "\u{1b}[2J", vec![])]).contains("hidden character"));
    assert!(prompts(vec![prompt(0, &"x".repeat(1 << 17), vec![])]).contains("bytes of a line"));
    assert!(prompts(vec![prompt(0, "", vec![String::new(); 99])]).contains("modes"));
    let mut game = tiny_game::game();
    game.texts = vec![texts("en", vec![text(0, "札", "choose one —\n• a\n• b")]), texts("ja", vec![])];
    assert_eq!(verify(&Artifact { games: vec![game] }), Ok(()));
}

#[test]
fn list_arguments_must_match_parameters() {
    use crate::{Function, Type, ZoneKindId};
    // A function of a list, one that gives a list, and one that calls them.
    let with = |caller: Vec<Op>, registers: Vec<Type>, result: Option<Type>| {
        let mut game = tiny_game::game();
        let first = game.library.functions.len() as u32;
        let of = |registers: Vec<Type>, params, ops, result| Function { registers, params, result, ops, ..Function::default() };
        let callees = [
            of(
                vec![Type::Objects, Type::Number],
                1,
                vec![Op::Count { dst: 1, list: 0 }, Op::Return { value: Some(1) }],
                Some(Type::Number),
            ),
            of(
                vec![Type::Objects],
                0,
                vec![Op::AllInZone { dst: 0, zone: ZoneKindId(0) }, Op::Return { value: Some(0) }],
                Some(Type::Objects),
            ),
        ];
        callees.into_iter().for_each(|it| game.library_mut().functions.push(it));
        let function = |n: u32| FnId(first + n);
        let caller = caller.into_iter().map(|op| match op {
            Op::Call { dst, function: FnId(n), args } => Op::Call { dst, function: function(n), args },
            Op::Filter { dst, list, filter: FnId(n), captures } => Op::Filter { dst, list, filter: function(n), captures },
            op => op,
        });
        let caller = of(registers, 0, caller.collect(), result);
        game.library_mut().functions.push(caller);
        verify(&Artifact { games: vec![game] })
    };
    let registers = || vec![Type::Objects, Type::Number, Type::Objects];
    let call = |dst, n, args: &[u16]| Op::Call { dst, function: FnId(n), args: args.to_vec() };
    let give = |reg| Op::Return { value: Some(reg) };
    assert_eq!(with(vec![call(0, 1, &[]), call(1, 0, &[0]), give(1)], registers(), Some(Type::Number)), Ok(()));
    let wrong = [
        with(vec![call(1, 1, &[]), give(1)], registers(), Some(Type::Number)),
        with(vec![call(0, 0, &[2]), give(1)], registers(), Some(Type::Number)),
        with(vec![call(1, 0, &[1]), give(1)], registers(), Some(Type::Number)),
        with(vec![call(0, 1, &[]), give(0)], registers(), Some(Type::Number)),
        with(vec![Op::Filter { dst: 0, list: 2, filter: FnId(0), captures: vec![] }, give(1)], registers(), Some(Type::Number)),
        with(vec![Op::Builtin { dst: 1, builtin: units(), args: vec![1] }, give(1)], registers(), Some(Type::Number)),
    ];
    for (n, verdict) in wrong.into_iter().enumerate() {
        assert!(verdict.as_ref().is_err_and(|it| it.to_string().contains("list")), "case {n}: {verdict:?}");
    }
}

fn units() -> u16 {
    let it = crate::verbs::BUILTINS.iter().position(|it| it.name == "units");
    it.expect("a built-in function") as u16
}
