//! Compiles a small game as a whole and checks its tables.

mod common;

use common::{compile_one, problems};
use fizzle_ir::op::{Binary, Place};
use fizzle_ir::scenario::ScenarioStepKind;
use fizzle_ir::verbs::{ANNOUNCE, BEGIN, FINISH, PUT, VERBS};
use fizzle_ir::{
    AbilityKind, AnnounceStage, CAUSE_WORDS, Change, Chooser, CompiledGame, Format, Function, Op, PeriodEntry, TriggerPlacement,
    Type,
};

fn game() -> CompiledGame {
    let compilation = compile_one(include_str!("games/small.fz"));
    assert!(compilation.diagnostics.is_empty(), "{}", problems(&compilation));
    let artifact = compilation.artifact.expect("no errors");
    fizzle_ir::verify::verify(&artifact).expect("the artifact is valid");
    artifact.games.into_iter().next().expect("one game")
}

fn format<'g>(game: &'g CompiledGame, name: &str) -> &'g Format {
    game.formats.iter().find(|format| format.name == name).expect("a format")
}

fn function(game: &CompiledGame, id: fizzle_ir::FnId) -> &Function {
    &game.library.functions[id.index()]
}

#[test]
fn declarations_are_numbered_in_order() {
    let game = game();
    let library = &game.library;
    let names = |variables: &[fizzle_ir::Variable]| variables.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&library.properties), ["cost", "power", "legendary"]);
    assert_eq!(names(&library.statuses), ["tapped", "damage", "marks"]);
    assert_eq!(library.statuses[1].lifetime.as_deref(), Some("turn"));
    assert_eq!(library.properties[1].layer, 3);
    assert_eq!(library.traits[0].words, ["creature", "spell", "land"]);
    assert_eq!(library.traits[2].words, ["Bear", "Dragon"]);
    assert_eq!(library.player_variables[0].initial, 20);
    assert!(library.zones[2].field && !library.zones[2].each_player);
    assert!(library.zones[4].list);
}

#[test]
fn cards_have_facts_and_units_as_printed() {
    let game = game();
    let definition = |name: &str| game.library.definitions.present().find(|d| d.name == name).expect("a card");
    let dragon = definition("Dragon");
    assert_eq!(dragon.words, vec![vec![0], vec![2], vec![1]]);
    assert_eq!(game.library.lists[dragon.properties[0] as usize], [-1, -1, -1, -1, 4, 4]);
    assert_eq!(game.library.lists[definition("Charm").properties[0] as usize], [0b11, -1, -1]);
    let units: Vec<_> = dragon.bundles.iter().map(|unit| game.formats[0].bundles[unit.index()].keyword.clone()).collect();
    assert_eq!(units.len(), 2);
    assert!(matches!(&units[0], Some((_, args)) if *args == [2]));
    assert!(units[1].is_none());
    // `big(2)` stands for `haste breaker(2)`, so the ability of `breaker` is in it.
    let big = &game.formats[0].bundles[dragon.bundles[0].index()];
    assert_eq!(big.abilities.len(), 1);
    assert!(definition("Soldier").token);
}

#[test]
fn a_target_is_an_announceable_site() {
    let game = game();
    let site = game.library.sites.present().find(|site| site.text == "target creature").expect("a site");
    assert!(site.target && site.announceable && site.public && !site.own && !site.optional);
    assert_eq!(site.sentence, 0);
    assert_eq!(site.chooser, Chooser::Controller);
    let verb = site.verb.expect("deal");
    assert_eq!(game.formats[0].actions[verb.index()].name, "deal");
    let selector = function(&game, site.selector.expect("a selector"));
    assert_eq!(selector.result, Some(Type::Objects));
    assert!(matches!(selector.ops.as_slice(), [Op::AllInZone { .. }, Op::Filter { .. }, Op::Return { .. }]));
}

#[test]
fn a_choice_of_another_player_stores_its_chooser() {
    let game = game();
    let site = game.library.sites.present().find(|site| site.text == "1 creature of opponent").expect("a site");
    assert!(matches!(site.chooser, Chooser::Player(_)));
    let own = game.library.sites.present().find(|site| site.text == "1 card in your hand").expect("a site");
    assert!(own.own && !own.public && own.optional);
}

#[test]
fn modes_are_unrolled_by_slot() {
    let game = game();
    let (id, modes) = game.library.sites.numbered().find(|(_, site)| site.modes.is_some()).expect("modes");
    assert_eq!(modes.modes, Some((3, true)));
    let slots: Vec<_> = game.library.sites.present().filter_map(|site| site.mode).filter(|mode| mode.0.index() == id).collect();
    assert_eq!(slots.iter().map(|mode| (mode.1, mode.2)).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
}

#[test]
fn a_filter_is_one_function_with_cheap_tests_first() {
    let game = game();
    let site =
        game.library.sites.present().find(|site| site.text.starts_with("1 creature of opponent with power")).expect("a site");
    let selector = function(&game, site.selector.expect("a selector"));
    let filter = selector.ops.iter().find_map(|op| match op {
        Op::Filter { filter, captures, .. } => Some((*filter, captures.clone())),
        _ => None,
    });
    let (filter, captures) = filter.expect("a filter");
    assert_eq!(captures, [0, 1]);
    let ops = &function(&game, filter).ops;
    assert!(matches!(ops[0], Op::HasWord { .. }));
    assert!(matches!(ops[2], Op::Get { place: Place::Controller, .. }));
    assert!(matches!(ops[7], Op::Binary { op: Binary::LessEqual, .. }));
}

#[test]
fn entering_is_a_put_that_comes_from_elsewhere() {
    let game = game();
    let triggered = game.library.abilities.present().find_map(|ability| match &ability.kind {
        AbilityKind::Triggered { pattern, body, .. } if ability.name == "card \"Dragon\"" => Some((pattern.clone(), *body)),
        _ => None,
    });
    let (pattern, body) = triggered.expect("a trigger");
    assert_eq!(pattern.action.0, PUT);
    assert!(!pattern.looks_back);
    let params = 2 + VERBS[PUT as usize].params.len() + CAUSE_WORDS;
    assert_eq!(usize::from(function(&game, pattern.filter.expect("a filter")).params), params);
    assert_eq!(usize::from(function(&game, body).params), params);
}

#[test]
fn static_abilities_store_their_selectors() {
    let game = game();
    let lord = game.library.abilities.present().find_map(|ability| match &ability.kind {
        AbilityKind::Static { condition: Some(_), modifications: mods } => Some(mods.clone()),
        _ => None,
    });
    let mods = lord.expect("a static ability");
    let first = &game.library.modifications[mods[0].index()];
    assert!(first.selector.is_some());
    assert_eq!(first.zones, 1 << 2);
    assert!(matches!(first.change, Change::Add { property: 1, floor: None, .. }));
    assert!(matches!(game.library.modifications[mods[1].index()].change, Change::GainBundle(_)));
}

#[test]
fn formats_are_differences() {
    let game = game();
    let (base, fast) = (format(&game, "small"), format(&game, "fast"));
    assert_eq!(base.constants, [("hand_size".to_owned(), 7)]);
    assert_eq!(fast.constants, [("hand_size".to_owned(), 5)]);
    let number = |name: &str| base.actions.iter().position(|action| action.name == name).expect("an action");
    assert_ne!(base.actions[number("draw")].body, fast.actions[number("draw")].body);
    assert_eq!(base.actions[number("discard")].body, fast.actions[number("discard")].body);
    assert_eq!(base.actions[number("sacrifice")].parent.map(|id| id.index()), Some(number("destroy")));
    let entries = |format: &Format, path: &str| {
        let span = format.periods.iter().find(|span| span.path == path).expect("a span");
        span.entries
            .iter()
            .filter_map(|entry| match entry {
                PeriodEntry::Period(id) => Some(format.periods[id.index()].path.clone()),
                PeriodEntry::Repeat(..) => None,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(entries(base, "turn.beginning"), ["turn.beginning.untap", "turn.beginning.draw"]);
    assert_eq!(entries(fast, "turn.beginning"), ["turn.beginning.draw"]);
    assert_eq!(entries(fast, "turn"), ["turn.beginning", "turn.main", "turn.extra", "turn.combat", "turn.ending"]);
    assert_eq!(base.periods.len(), fast.periods.len());
    assert_eq!(fast.errata.len(), 1);
    assert_eq!(game.library.definitions[fast.errata[0].0.index()].name, "Bolt");
    assert_eq!(fast.deck.banned.len(), 1);
    assert_eq!(fast.announce, base.announce);
    let unit = |format: &Format| {
        let number = game.library.keywords.iter().position(|keyword| keyword.name == "haste").expect("a keyword");
        let found = format.bundles.present().find(|unit| matches!(&unit.keyword, Some((id, _)) if id.index() == number));
        found.expect("a unit").abilities.len()
    };
    assert_eq!((unit(base), unit(fast)), (0, 1));
}

#[test]
fn timing_and_announcement_policy_are_tables() {
    let game = game();
    let base = format(&game, "small");
    assert!(base.timing.uses_list && base.timing.nested_use_waits && !base.timing.resolve_all);
    assert_eq!(base.timing.triggers, TriggerPlacement::NextWindow);
    assert_eq!(base.announce.stages, [AnnounceStage::List, AnnounceStage::Choices, AnnounceStage::Pay]);
    assert!(base.announce.announced_choices[0].targets);
    let choices = &base.announce.announced_choices[1];
    assert!(choices.mandatory && choices.by_controller && choices.first_sentence && choices.public);
    assert_eq!(choices.except_own.len(), 1);
    assert!(!base.announce.requires_choices && !base.announce.fizzle_whole);
}

#[test]
fn plays_store_resolution_and_payment() {
    let game = game();
    let base = format(&game, "small");
    let cast = base.plays.iter().find(|play| play.name == "cast").expect("a play");
    assert!(cast.runs_text && !cast.immediate && cast.price.is_some() && cast.condition.is_some());
    let raid = base.plays.iter().find(|play| play.name == "raid").expect("a play");
    assert!(raid.immediate && !raid.runs_text);
    assert_eq!(raid.from[0].0, 2);
    assert!(raid.object_filter.is_some() && cast.object_filter.is_none());
    let payment = &base.payments[0];
    assert_eq!(payment.pool, [1, 2, 3, 4].map(Some));
    assert_eq!(function(&game, payment.clauses[0].produces).params, 3);
}

#[test]
fn moments_are_patterns_on_periods() {
    let game = game();
    let delayed = game.library.abilities.present().filter_map(|ability| match &ability.kind {
        AbilityKind::Triggered { pattern, .. } => Some(pattern.action.0),
        _ => None,
    });
    let actions: Vec<u32> = delayed.collect();
    assert!(actions.contains(&FINISH));
    assert!(!actions.contains(&BEGIN));
    assert!(actions.contains(&ANNOUNCE), "`you cast spell` is an announcement of the play");
}

#[test]
fn delayed_triggers_capture_objects_but_no_lists() {
    let game = game();
    for function in game.library.functions.present() {
        for op in &function.ops {
            if let Op::BeginEffect { captures, .. } = op {
                assert!(captures.iter().all(|reg| !function.registers[usize::from(*reg)].is_list()), "{}", function.name);
            }
        }
    }
}

#[test]
fn linked_statements_depend_on_what_happened() {
    let game = game();
    let edict = game.library.functions.present().find(|function| {
        function.ops.iter().any(|op| matches!(op, Op::Propose { done: Some(_), .. })) && function.name == "card \"Edict\""
    });
    let ops = &edict.expect("the paragraph ability").ops;
    let done = ops.iter().find_map(|op| match op {
        Op::Propose { done, .. } => *done,
        _ => None,
    });
    assert!(ops.iter().any(|op| matches!(op, Op::JumpUnless { cond, .. } if Some(*cond) == done)));
    assert!(ops.iter().any(|op| matches!(op, Op::Not { a, .. } if Some(*a) == done)));
}

#[test]
fn scenarios_are_steps_over_slots() {
    let game = game();
    let scenario = &game.scenarios[0];
    assert_eq!(scenario.slots, ["A", "B", "bolt", "bear"]);
    assert_eq!((scenario.players, scenario.format.as_str()), (2, "fast"));
    assert_eq!(scenario.claims, ["T-1"]);
    assert_eq!(scenario.position.as_ref().map(Vec::len), Some(4));
    assert!(
        matches!(&scenario.steps[1].kind, ScenarioStepKind::Act { play, choosing, .. } if play == "casts" && choosing.len() == 1)
    );
    assert!(
        matches!(&scenario.steps.last().expect("a step").kind, ScenarioStepKind::Refuse { because: Some(path), .. } if path == "rule.sickness")
    );
}

#[test]
fn the_same_sources_give_the_same_tables() {
    assert_eq!(game(), game());
}

#[test]
fn a_limit_of_copies_has_exceptions() {
    let game = game();
    let rules = &format(&game, "small").deck;
    assert_eq!(rules.copies, Some(4));
    let unlimited = function(&game, rules.unlimited.expect("an exception"));
    assert_eq!((unlimited.params, unlimited.result), (3, Some(Type::Bool)));
    assert!(unlimited.ops.iter().any(|op| matches!(op, Op::HasWord { .. })));
}
