//! Tests of folding with handmade functions: what is folded, and what must stay.

use super::constant_folding::{FoldContext, fold, never_holds, never_holds_in};
use super::dead_code::eliminate_dead_code;
use super::{Occurrences, SpecializedCode, arrival_flags};
use crate::ir::op::{Binary, ChosenBy, EventProposal, Source};
use crate::ir::verbs::BuiltinFunction;
use crate::ir::verbs::PUT;
use crate::ir::{
    Ability, AbilityId, AbilityKind, ActionId, Change, CompiledGame, DefId, Definition, FnId, Function, Modification,
    ModificationId, Op,
};
use crate::ir::{Place, Rule, TraitSetId, Type, ZoneKindId};
use crate::testing;

const WORD: Op = Op::HasWord { dst: 3, of: 2, traits: TraitSetId(0), word: 0 };

fn function(registers: &[Type], result: Option<Type>, ops: Vec<Op>) -> Function {
    Function { registers: registers.to_vec(), params: 3, result, ops, ..Function::default() }
}

/// Folds a function under the assumption that nothing occurs.
fn fold_with_nothing(function: &Function, results: &[Option<i64>]) -> super::constant_folding::FoldedFunction {
    let game = testing::game();
    let occurring = Occurrences::empty(&game.library);
    fold(function, &FoldContext { library: &game.library, format: &game.formats[0], occurrences: &occurring, results })
}

const OBJECT: [Type; 3] = [Type::Object, Type::Player, Type::Object];

#[test]
fn absent_word_decides_a_condition() {
    let registers = [&OBJECT[..], &[Type::Bool, Type::Bool]].concat();
    let condition = function(
        &registers,
        Some(Type::Bool),
        vec![
            Op::Exists { dst: 4, of: 2 },
            Op::JumpUnless { cond: 4, to: 3 },
            Op::HasWord { dst: 4, of: 2, traits: TraitSetId(0), word: 0 },
            Op::Return { value: Some(4) },
        ],
    );
    let it = fold_with_nothing(&condition, &[]);
    assert_eq!(it.result, Some(0), "whichever way it goes");
    assert!(!it.has_effects);
    assert_eq!(it.function.expect("it is shorter").ops[2], Op::Const { dst: 4, value: 0 });
}

#[test]
fn dependent_code_is_removed_and_other_code_stays() {
    let registers = [&OBJECT[..], &[Type::Bool, Type::Number]].concat();
    let write = |place| Op::Write { place, of: 2, how: crate::ir::op::WriteMode::Set, value: 4 };
    let body = function(
        &registers,
        None,
        vec![
            Op::Const { dst: 4, value: 1 },
            WORD,
            Op::JumpUnless { cond: 3, to: 4 },
            write(Place::Status(0)),
            write(Place::Status(1)),
        ],
    );
    let it = fold_with_nothing(&body, &[]);
    let ops = it.function.expect("it is shorter").ops;
    assert!(it.has_effects, "the second write is reached");
    assert_eq!((&ops[2], &ops[3]), (&Op::Jump { to: 4 }, &Op::Jump { to: 4 }));
    assert_eq!(ops[4], write(Place::Status(1)));
}

#[test]
fn loop_over_an_empty_list_is_removed() {
    let registers = [&OBJECT[..], &[Type::Objects, Type::Number, Type::Number, Type::Bool, Type::Object]].concat();
    let event = EventProposal { action: ActionId(0), args: vec![7], over: None, chosen: ChosenBy::NoPlayer };
    let body = function(
        &registers,
        None,
        vec![
            Op::AllInZone { dst: 3, zone: ZoneKindId(0) },
            Op::Filter { dst: 3, list: 3, filter: FnId(0), captures: vec![0, 1] },
            Op::Count { dst: 4, list: 3 },
            Op::Const { dst: 5, value: 0 },
            Op::Binary { op: Binary::Less, dst: 6, a: 5, b: 4 },
            Op::JumpUnless { cond: 6, to: 9 },
            Op::ElementAt { dst: 7, list: 3, index: 5 },
            Op::Propose { events: vec![event], done: None, out: None },
            Op::Jump { to: 4 },
        ],
    );
    assert!(!fold_with_nothing(&body, &[Some(0)]).has_effects, "the filter holds of nothing");
    assert!(fold_with_nothing(&body, &[None]).has_effects, "nothing is known of the filter");
    assert!(fold_with_nothing(&body, &[Some(1)]).has_effects, "it holds of everything");
}

#[test]
fn parameter_value_decides_a_filter() {
    let registers = [&OBJECT[..2], &[Type::Number, Type::Number, Type::Bool]].concat();
    let filter = function(
        &registers,
        Some(Type::Bool),
        vec![Op::Const { dst: 3, value: 5 }, Op::Binary { op: Binary::Equal, dst: 4, a: 2, b: 3 }, Op::Return { value: Some(4) }],
    );
    let game = testing::game();
    let occurring = Occurrences::empty(&game.library);
    let known = FoldContext { library: &game.library, format: &game.formats[0], occurrences: &occurring, results: &[] };
    assert!(never_holds(&filter, &known, 2, 4));
    assert!(!never_holds(&filter, &known, 2, 5));
}

#[test]
fn zone_of_an_object_decides_a_condition_and_its_calls() {
    let registers = [&OBJECT[..2], &[Type::Bool]].concat();
    let in_zone = |zone| {
        let ops = vec![Op::InZone { dst: 2, of: 0, zone }, Op::Return { value: Some(2) }];
        function(&registers, Some(Type::Bool), ops)
    };
    let called = |args| {
        let ops = vec![Op::Call { dst: 2, function: FnId(0), args }, Op::Return { value: Some(2) }];
        function(&registers, Some(Type::Bool), ops)
    };
    let mut game = testing::game();
    let (here, there) = (ZoneKindId(0), ZoneKindId(1));
    game.library_mut().functions = vec![in_zone(here)].into_iter().collect();
    let occurring = Occurrences::empty(&game.library);
    let known = FoldContext { library: &game.library, format: &game.formats[0], occurrences: &occurring, results: &[] };
    for condition in [in_zone(here), called(vec![0, 1])] {
        assert!(never_holds_in(&condition, &known, there));
        assert!(!never_holds_in(&condition, &known, here));
    }
    assert!(!never_holds_in(&called(vec![1, 0]), &known, there), "nothing is known of the other one");
}

#[test]
fn statement_result_is_unknown() {
    let registers = [&OBJECT[..], &[Type::Number]].concat();
    let drawn = function(
        &registers,
        None,
        vec![
            Op::Const { dst: 3, value: 0 },
            Op::RandomNumber { dst: 3, min: 3, max: 3 },
            Op::JumpUnless { cond: 3, to: 4 },
            Op::EndPeriod { period: crate::ir::PeriodId(0) },
        ],
    );
    assert!(fold_with_nothing(&drawn, &[]).function.is_none(), "a number by chance may be anything");
}

#[test]
fn specialized_program_keeps_code_about_its_cards() {
    let game = testing::game();
    let all: Vec<_> = (1..game.library.definitions.len() as u32).map(crate::ir::DefId).collect();
    let (none, every) =
        (SpecializedCode::new(&game.library, &game.formats[0], &[]), SpecializedCode::new(&game.library, &game.formats[0], &all));
    let specialized_count =
        |it: &SpecializedCode| (0..game.library.functions.len()).filter(|n| it.function(FnId(*n as u32)).is_some()).count();
    assert!(specialized_count(&none) >= specialized_count(&every), "fewer cards bring less");
}

#[test]
fn too_large_function_is_not_folded() {
    let registers = vec![Type::Bool; 1 << 10];
    let mut ops = vec![Op::HasWord { dst: 3, of: 2, traits: TraitSetId(0), word: 0 }; 1 << 9];
    ops.push(Op::Return { value: Some(3) });
    let large = function(&registers, Some(Type::Bool), ops);
    assert!(fold_with_nothing(&large, &[]).function.is_none());
}

#[test]
fn absent_property_is_zero_until_a_card_has_it() {
    let game = testing::game();
    let mut occurring = Occurrences::empty(&game.library);
    let value = |occurring: &Occurrences| occurring.constant_value(&game.library, Place::Property(0), false);
    assert_eq!(value(&occurring), Some(0));
    occurring.add_definition(&Definition { properties: vec![3], ..Definition::default() });
    assert_eq!(value(&occurring), None);
}

#[test]
fn tokens_and_create_events_count_as_created_objects() {
    let registers = [&OBJECT[..], &[Type::Bool]].concat();
    let made = Op::Builtin { dst: 3, builtin: BuiltinFunction::Created.number(), args: vec![2] };
    let condition = function(&registers, Some(Type::Bool), vec![made, Op::Return { value: Some(3) }]);
    assert_eq!(fold_with_nothing(&condition, &[]).result, Some(0), "nothing makes anything");
    let game = testing::game();
    let mut occurring = Occurrences::empty(&game.library);
    occurring.add_definition(&Definition { token: true, ..Definition::default() });
    let known = FoldContext { library: &game.library, format: &game.formats[0], occurrences: &occurring, results: &[] };
    assert_eq!(fold(&condition, &known).result, None);
}

#[test]
fn unchanged_price_is_copied() {
    let registers = [&OBJECT[..], &[Type::Price, Type::Number, Type::Price]].concat();
    let cheaper = |by| {
        let reduced = Op::Builtin { dst: 5, builtin: BuiltinFunction::Reduced.number(), args: vec![3, 4] };
        let ops = vec![Op::List { dst: 3, list: crate::ir::ListId(0) }, Op::Const { dst: 4, value: by }, reduced];
        function(&registers, Some(Type::Price), ops)
    };
    let ops = fold_with_nothing(&cheaper(0), &[]).function.expect("it is shorter").ops;
    assert_eq!(ops[2], Op::Copy { dst: 5, src: 3 });
    assert!(fold_with_nothing(&cheaper(1), &[]).function.is_none());
}

#[test]
fn constant_move_flags_are_collected() {
    let registers = [&OBJECT[..], &[Type::Zone, Type::Player, Type::Number, Type::Number]].concat();
    let put = EventProposal { action: ActionId(PUT), args: vec![2, 3, 4, 5, 6], over: None, chosen: ChosenBy::NoPlayer };
    let moves = |flags: Option<Op>| {
        let proposal = Op::Propose { events: vec![put.clone()], done: None, out: None };
        function(&registers, None, flags.into_iter().chain([proposal]).collect())
    };
    assert_eq!(arrival_flags(&moves(Some(Op::Const { dst: 6, value: 5 }))), 5);
    assert_eq!(arrival_flags(&moves(Some(Op::Copy { dst: 6, src: 5 }))), u32::MAX, "anything");
    assert_eq!(arrival_flags(&moves(None)), u32::MAX, "nothing says what it holds");
}

#[test]
fn unread_values_are_removed() {
    let registers = [&OBJECT[..], &[Type::Objects, Type::Number, Type::Number]].concat();
    let write = Op::Write { place: Place::Status(0), of: 2, how: crate::ir::op::WriteMode::Set, value: 5 };
    let mut body = function(
        &registers,
        None,
        vec![
            Op::BeginBatch,
            Op::AllInZone { dst: 3, zone: ZoneKindId(0) },
            Op::Count { dst: 4, list: 3 },
            Op::EndBatch { done: None, out: None },
            Op::Jump { to: 5 },
            Op::Const { dst: 5, value: 1 },
            write.clone(),
        ],
    );
    eliminate_dead_code(&testing::game().library, &mut body);
    let flush = Op::EndBatch { done: None, out: None };
    // The end of a batch without events stays: executing it has an effect.
    let jump = |to| Op::Jump { to };
    assert_eq!(body.ops, [Op::BeginBatch, jump(3), jump(3), flush, jump(5), Op::Const { dst: 5, value: 1 }, write]);
}

/// The tiny game with a play for objects whose size is not 0; no object has a size unless a card or a rule gives it one.
fn game_with_small_objects(rule: Option<Change>) -> CompiledGame {
    let mut game = testing::game();
    let size = Op::Get { dst: 3, place: Place::Property(0), of: 0 };
    let is_large = function(
        &[&OBJECT[..2], &[Type::Number, Type::Number, Type::Bool]].concat(),
        Some(Type::Bool),
        vec![
            Op::Const { dst: 2, value: 3 },
            size,
            Op::Binary { op: Binary::LessEqual, dst: 4, a: 2, b: 3 },
            Op::Return { value: Some(4) },
        ],
    );
    let three = function(&OBJECT, Some(Type::Number), vec![Op::Const { dst: 2, value: 3 }, Op::Return { value: Some(2) }]);
    let first = game.library.functions.len() as u32;
    [is_large, three].into_iter().for_each(|it| game.library_mut().functions.push(it));
    game.formats[0].plays[0].condition = Some(FnId(first));
    if let Some(change) = rule {
        game.library_mut().modifications.push(Modification {
            layer: 0,
            selector: None,
            zones: u32::MAX,
            defining: false,
            change,
        });
        let kind = AbilityKind::Static { condition: None, modifications: vec![ModificationId(0)] };
        game.library_mut().abilities.push(Ability { name: "rule".into(), zones: 0, kind, source: Source::default() });
        game.formats[0].rules.push(Rule { name: "rule".into(), abilities: vec![AbilityId(0)] });
    }
    game
}

#[test]
fn play_is_offered_only_if_an_object_can_match_its_filter() {
    let idle =
        |game: &CompiledGame, cards: &[DefId]| SpecializedCode::new(&game.library, &game.formats[0], cards).is_dead_play(0);
    let game = game_with_small_objects(None);
    assert!(idle(&game, &[]), "nothing has a size");
    assert!(!idle(&game, &[DefId(1)]), "a card of some size may be large");
    let value = FnId(game.library.functions.len() as u32 - 1);
    let mut announced = game_with_small_objects(None);
    announced.formats[0].plays[0].announced = Some(0);
    assert!(!idle(&announced, &[]), "what is announced may count");
    for change in [Change::Add { property: 0, value, floor: None }, Change::Set { property: 0, value }, Change::Switch(0, 0)] {
        assert!(!idle(&game_with_small_objects(Some(change)), &[]), "a rule may give a size");
    }
}
