//! Errors: several at once, each at its place, with suggestions.

mod common;

use common::{compile_files, compile_one, problems, summaries};

const GAME: &str = r#"pack tiny { edition 1 }
traits kind { piece, spell }
traits race open
property power: number
status marked: bool
player life: number
zone hand { each player; visible to owner }
zone pile { each player; ordered }
zone table { shared; field; public }
action smash(it: object) { put it into table; put it into its owner's pile }
action draw(who: player, n: number) { put top (n) card of pile of who into hand of who }
keyword twice(n: number) { when this enters table { draw n } }
turn { step one { priority } phase two { step last { priority } } }
"#;

fn check(rest: &str, expected: &[&str]) {
    let compilation = compile_one(&format!("{GAME}{rest}"));
    assert_eq!(summaries(&compilation), expected, "\n{}", problems(&compilation));
}

#[test]
fn the_game_alone_compiles() {
    check("", &[]);
}

#[test]
fn words_on_cards_are_checked() {
    check(
        "card \"A\" { peice power \"x\" powr 3 twice race }",
        &[
            "E0204 14:12 `peice` cannot be printed on a card",
            "E0309 14:24 a number is needed here, but `\"x\"` is none",
            "E0204 14:28 `powr` cannot be printed on a card",
            "E0302 14:35 `twice` takes 1 value, but 0 are given",
            "E0302 14:41 `race` needs a word",
        ],
    );
}

#[test]
fn names_are_suggested() {
    let compilation = compile_one(&format!("{GAME}card \"A\" {{ does {{ drwa 2; smash target peice }} }}"));
    assert_eq!(summaries(&compilation), ["E0203 14:19 no action is called `drwa`", "E0201 14:40 nothing is called `peice`"]);
    assert_eq!(compilation.diagnostics[0].help, ["did you mean `draw`?"]);
    assert_eq!(compilation.diagnostics[1].help, ["did you mean `piece`?"]);
}

#[test]
fn hidden_and_unused_names_are_reported() {
    check(
        "keyword greedy(n: number) { when this enters table { draw n } }
keyword thirsty(n: number) { when you draw { draw n } }
card \"A\" { does { let m = 1; let m = m + 1; draw m } when you draw { draw n } }",
        &["W0702 15:35 `n` hides another `n`", "W0702 16:34 `m` hides another `m`"],
    );
}

#[test]
fn an_unknown_name_is_reported_once() {
    check(
        "card \"A\" { does { let x = nothing_such + 1\n smash x\n draw x } }",
        &["E0201 14:27 nothing is called `nothing_such`", "E0301 15:8 an object is needed here, but `x` is a number"],
    );
}

#[test]
fn statements_are_checked() {
    check(
        r#"card "A" {
  when this enters table {
    smash each piece
    reveal it
    smash piece
    power of this = 3
    put it
    put 1 piece into table quickly
    life of you = marked of this
    smash 1 piece or spell
    if you is marked { draw 1 }
    put this into hand
    let unused = 3
  }
  while 1 piece of you is marked { this gets +1 power }
}"#,
        &[
            "E0306 17:12 `it` could be several objects",
            "E0305 18:11 `piece` does not say how many",
            "E0308 19:5 `power of this` cannot be assigned",
            "E0302 20:5 `put` lacks its `into`, a zone",
            "E0306 20:9 `it` could be several objects",
            "E0311 21:28 `quickly` has no meaning after this verb",
            "E0301 22:19 a number is needed here, but `marked of this` is a condition",
            "E0312 23:11 `1 piece or spell` does not say which noun the number counts",
            "E0301 24:15 a player is never `marked`",
            "E0307 25:19 `hand` needs an owner",
            "W0701 26:9 `unused` is never used",
            "E0304 28:9 `1 piece of you` is a choice, but no player can choose here",
        ],
    );
}

#[test]
fn differences_are_checked() {
    check(
        r#"format quick extends tiny {
  remove turn.oen
  remove turn.one
  replace step turn.one { }
  replace action drow(n: number) { }
  replace action draw(n: number) { }
  action smash(it: object) { }
  ban "B"
}
format a extends b { }
format b extends a { }
format c extends nowhere { }"#,
        &[
            "E0401 15:10 the base has no `turn.oen`",
            "E0402 17:16 `turn.one` is changed twice",
            "E0401 18:18 there is no `action.drow` to replace",
            "E0403 19:18 `draw` is replaced with other parameters",
            "E0405 20:10 `action.smash` exists already",
            "E0205 21:7 there is no card \"B\"",
            "E0105 23:18 `a` extends itself through `b`",
            "E0104 25:18 there is no format `nowhere` in this game",
        ],
    );
}

#[test]
fn declarations_are_checked() {
    check(
        r#"action draw(n: number) { }
status odd: integer
zone limbo { each player; visible to ownr }
action sink(it: object) is smsh { }
function f(n: number): number = f(n) + 1
noun thing = peice in table
timing { pile }
announce { stages pay, lst; none maybe }
status host: object
"#,
        &[
            "E0106 14:8 the action `draw` is declared twice",
            "E0202 15:13 there is no type `integer`",
            "E0404 16:27 a zone has no setting `visible to ownr`",
            "E0203 17:28 there is no action `smsh`",
            "E0208 18:10 the function `f` uses itself",
            "E0201 19:14 nothing is called `peice`",
            "E0404 20:10 the timing has no setting `pile`",
            "E0404 21:24 a stage has no setting `lst`",
            "E0404 21:34 `without choices` has no setting `maybe`",
            "E0106 22:8 `host` is a built-in property",
        ],
    );
}

#[test]
fn scenarios_and_decks_are_checked() {
    check(
        r#"card "X" { piece }
scenario "s" {
  position { A: { hand "B" as b; lif 3 } }
  at A's turn.zwei
  C passes
  expect y in table
  expect asked A to dance
}
deck "d" { format h  main { 4 "X"  2 "Y" } }"#,
        &[
            "E0205 16:24 there is no card \"B\"",
            "E0501 16:34 `lif` is not a variable of a player",
            "E0206 17:10 no phase or step is called `turn.zwei`",
            "E0501 18:3 `C` is not a player",
            "E0201 19:10 nothing is called `y`",
            "E0501 20:21 no kind of decision is called `dance`",
            "E0104 22:19 there is no format `h` in this game",
            "E0205 22:38 there is no card \"Y\"",
        ],
    );
}

#[test]
fn rules_of_the_game_have_no_source() {
    check("state rule r { smash this }", &["E0310 14:22 there is no source object here, so `this` has no meaning"]);
}

#[test]
fn effects_cannot_capture_lists() {
    check(
        "card \"A\" { does { let found = each piece\n at start of turn { smash found } } }",
        &["E0312 15:2 a list cannot be kept until later"],
    );
}

#[test]
fn a_broken_item_hides_no_other_problem() {
    let compilation = compile_one(&format!("{GAME}card \"A\" {{ does {{ smash }}\n}}\ncard \"B\" {{ peice }}"));
    let lines = summaries(&compilation);
    assert!(lines.iter().any(|line| line.starts_with("E0204 16:12")), "{lines:?}");
}

#[test]
fn files_find_their_packs() {
    let game = ("games/tiny/pack.fz", GAME);
    let more = ("games/tiny/cards/more.fz", "card \"M\" { piece }\n");
    let set = ("sets/own/pack.fz", "pack own { edition 1; extends tiny }\ncard \"O\" { piece }\n");
    let single = ("deck.fz", "deck \"D\" { format tiny  main { 1 \"M\"  1 \"O\" } }\n");
    let compilation = compile_files(&[single, set, more, game]);
    assert!(compilation.diagnostics.is_empty(), "{}", problems(&compilation));
    let artifact = compilation.artifact.expect("no errors");
    assert_eq!(artifact.games.len(), 1);
    assert_eq!(artifact.games[0].decks.len(), 1);
    assert_eq!(artifact.games[0].library.definitions.len(), 3);
}

#[test]
fn missing_packs_are_reported() {
    let lost = compile_files(&[("lost.fz", "card \"A\" { }\n")]);
    assert_eq!(summaries(&lost), ["E0101 1:1 this file does not say which game it belongs to"]);
    let set = compile_files(&[("own/pack.fz", "pack own { edition 9; extends tyni }\n"), ("tiny/pack.fz", GAME)]);
    assert_eq!(
        summaries(&set),
        ["E0107 1:20 edition 9 of the language is unknown", "E0102 1:31 there is no pack or format `tyni`"]
    );
    let circle = compile_files(&[("a/pack.fz", "pack a { extends b }\n"), ("b/pack.fz", "pack b { extends a }\n")]);
    assert!(summaries(&circle).iter().all(|line| line.starts_with("E0103")), "{:?}", summaries(&circle));
}

#[test]
fn an_event_holds_no_list() {
    let compilation = compile_one(&format!(
        "{GAME}action sweep(them: list of object) {{ smash them }}\ncard \"A\" {{ does {{ sweep each piece }} }}"
    ));
    assert_eq!(summaries(&compilation), ["E0314 14:28 `them` is a list, but an event has single values"]);
    assert_eq!(
        compilation.diagnostics[0].help,
        ["write `them: object`: a call with several values creates one event for each, all in one batch"]
    );
}

#[test]
fn choosing_does_not_rebind_a_parameter_named_it() {
    let text = "action swap(it: object) { choose 1 piece as other_one\n smash it\n smash other_one }\n";
    let compilation = compile_one(&format!("{GAME}{text}"));
    assert!(compilation.diagnostics.is_empty(), "{}", problems(&compilation));
    let artifact = compilation.artifact.expect("no errors");
    let game = &artifact.games[0];
    let body =
        game.formats[0].actions.iter().find(|action| action.name == "swap").and_then(|action| action.body).expect("a body");
    let smashed = game.library.functions[body.index()].ops.iter().find_map(|op| match op {
        fizzle_ir::Op::Propose { events, .. } => events.first().map(|event| event.args[0]),
        _ => None,
    });
    assert_eq!(smashed, Some(2), "`it` is the first parameter");
}

#[test]
fn links_take_blocks() {
    check(
        "card \"A\" { does { you may smash 1 piece\n if you do { draw 1\n smash it }\n otherwise { draw 2 }\n then draw 3 } }",
        &[],
    );
    check("card \"A\" { does { draw 1 then { let n = 2 } } }", &["W0701 14:37 `n` is never used"]);
}

#[test]
fn opponent_takes_the_of_behind_it() {
    let compilation = compile_one(&format!("{GAME}card \"A\" {{ does {{ smash each piece of opponent of owner of this }} }}"));
    assert!(compilation.diagnostics.is_empty(), "{}", problems(&compilation));
    let artifact = compilation.artifact.expect("no errors");
    let filters: Vec<_> = artifact.games[0].library.functions.present().filter(|function| function.result.is_some()).collect();
    let opponent = |op: &fizzle_ir::Op| matches!(op, fizzle_ir::Op::Opponent { player, .. } if *player != 1);
    assert!(filters.iter().any(|function| function.ops.iter().any(opponent)), "the opponent of the owner, not of the controller");
    check("card \"A\" { does { smash each piece of opponent of this } }", &["E0301 14:39 an object has no `opponent`"]);
}

#[test]
fn matches_are_best_of_an_odd_number() {
    check(
        "deck rules { main 2  side 0 to 1 }\nmatch { best of 4\n exchange main, sied\n minutes 3 to 2\n best of 3 }",
        &[
            "E0407 16:17 the deck rules have no section `sied`",
            "E0407 17:2 the minimum of 3 minutes is greater than the maximum of 2",
            "E0407 18:2 this is written twice in one match",
        ],
    );
    check("match { best of 4 }", &["E0407 14:17 a match cannot be best of 4 games: it could end in a tie"]);
    check("match { best of 0 }", &["E0407 14:17 a match cannot be best of 0 games: it could end in a tie"]);
    check("match { best of 3 }", &[]);
}

#[test]
fn the_setup_says_who_goes_first() {
    check("setup { active = opponent of active }", &[]);
    check("action go(who: player) { active = who }", &["E0308 14:26 the active player cannot be assigned here"]);
    check("setup { active = 3 }", &["E0301 14:18 a player is needed here, but `3` is a number"]);
}

#[test]
fn random_numbers_are_for_statements() {
    check("global n: number\nsetup { n = random 1 to 6 + random 1 to (2 + 4) }", &[]);
    check(
        "rule r { while random 1 to 2 == 1 { each piece gets +1 power } }",
        &["E0304 14:16 a random value cannot be used in an expression"],
    );
    check("global n: number\nsetup { n = random 6 to 1 }", &["E0301 15:13 there is no number from 6 to 1"]);
}

#[test]
fn formats_may_lack_zones_but_not_those_they_need() {
    check("format f extends tiny { remove zone.hand }", &[]);
    check("format f extends tiny { remove zone.table }", &["E0406 14:37 every format needs the zone `table`"]);
    check("format f extends tiny { remove zone.hnd }", &["E0401 14:32 the base has no `zone.hnd`"]);
}

#[test]
fn scenarios_of_matches_are_checked() {
    let deck = "card \"A\" { piece }\ndeck \"D\" { format tiny  main { 2 \"A\" } }\n";
    check(&format!("{deck}scenario \"m\" {{ match {{ best of 3  A: \"D\"  B: \"D\" }}\n A wins game }}"), &[]);
    check(
        &format!("{deck}scenario \"m\" {{ match {{ best of 2  A: \"D\" }} }}"),
        &[
            "E0501 16:16 each player of a match needs a deck",
            "E0407 16:32 a match cannot be best of 2 games: it could end in a tie",
        ],
    );
    check(
        "card \"A\" { piece }\ndeck \"E\" { format tiny  main { 4000000000 \"A\" } }",
        &["E0502 15:43 4000000000 copies exceed the 4095 objects that a game can have"],
    );
    check(&format!("{deck}scenario \"m\" {{ A wins game }}"), &["E0501 16:16 the scenario has no match"]);
    check(
        &format!("{deck}scenario \"m\" {{ expect deck \"D\" without {{ main {{ 3 \"A\" }} }} is accepted }}"),
        &["E0501 16:51 section `main` does not have 3 `A` to remove"],
    );
    check(&format!("{deck}scenario \"m\" {{ expect deck \"E\" is accepted }}"), &["E0501 16:28 there is no deck `E`"]);
}

#[test]
fn opponent_is_ambiguous_among_several_players() {
    check(
        "players 2 to 4\ncard \"Tax\" { piece at start of one of you { life of opponent -= 1\n draw(opponent of active, 1) } }",
        &[
            "E0408 15:53 `opponent` may be several players in this game",
            "E0408 16:7 `opponent` may be several players in this game",
        ],
    );
    check(
        "players 2 to 4\ncard \"Tax\" { piece when opponent draws { draw(each opponent, 1)\n choose 1 opponent as one\n draw(one, 1) } }",
        &[],
    );
    check("card \"Tax\" { piece at start of one of you { life of opponent -= 1 } }\nformat two extends tiny { players 2 }", &[]);
    check(
        "card \"Tax\" { piece at start of one of you { life of opponent -= 1 } }\nformat many extends tiny { players 3 }",
        &["E0408 15:36 `tiny` is written for one opponent, not for 2"],
    );
}

#[test]
fn numbers_of_players_are_checked() {
    check("players 4 to 2", &["E0404 14:9 the number of players cannot be 4 to 2"]);
    check("players 0", &["E0404 14:9 the number of players cannot be 0 to 0"]);
    check("players 2 to 99", &["E0404 14:9 the number of players cannot be 2 to 99"]);
    check("action leave_game(it: object) { }", &["E0403 14:8 `leave_game` needs one parameter, a player"]);
}

const PAYMENT: &str = "traits gold { coin, gem, open_amount }\nplayer stock_coin: number\nplayer stock_gem: number\n\
    payment purse of gold { from each piece; yields {1}; by { smash(it) }; pool stock except open_amount }\n\
    zone line { shared; ordered; public; list }\nannounce { stages list, values, choices, pay }\n";

#[test]
fn payments_and_their_kinds_must_exist() {
    check("action pay_up(who: player) { (who) pays {2} }", &["E0406 14:30 no payment is declared for prices"]);
    check("player rich: number stays", &["E0312 14:8 only a status can be `kept on field`"]);
    check("status sleepy: number forgets", &["E0312 14:8 only a status of type `bool` can have `clears effects`"]);
    check(
        &PAYMENT.replace("except open_amount", "except opan, open_amount"),
        &["E0201 17:90 `opan` is not a kind of this payment"],
    );
    check(&PAYMENT.replace(" except open_amount", ""), &["E0201 17:77 no player variable is called `stock_open_amount`"]);
    let each = format!("{PAYMENT}action pay_up() {{ each player pays 2 }}");
    check(&each, &["E0312 20:19 several players cannot pay in one statement"]);
}

#[test]
fn options_and_yields_are_checked() {
    let check_payment = |rest: &str, expected: &[&str]| check(&format!("{PAYMENT}{rest}"), expected);
    check_payment("card \"A\" { option marked { price 2 } }", &[]);
    check_payment(
        "card \"A\" { option bought { price 2 } }",
        &["E0201 20:19 `bought` is not a status that can record the payment of this cost"],
    );
    check_payment(
        "card \"A\" { option marked { price 2  does { draw 1 } } }",
        &["E0312 20:12 an additional or alternative cost contains only `when`, `price` and `cost`"],
    );
    check(
        "card \"A\" { option marked { price {2} } }",
        &[
            "E0406 14:12 `tiny` has no stage `values` after `list`, which this needs",
            "E0406 14:34 no payment is declared for prices",
        ],
    );
    let other = "only an activated ability whose cost concerns its own object alone can write `produces`";
    check_payment("card \"A\" { activated { price 1  yields {1} } }", &[&format!("E0312 20:40 {other}")]);
    check_payment("card \"A\" { activated { cost { smash 1 piece }  yields {1} } }", &[&format!("E0312 20:55 {other}")]);
    check_payment("play make(it: piece) { from table  yields {1} }", &[&format!("E0312 20:43 {other}")]);
}

#[test]
fn keyed_numbers_are_checked() {
    let keyed = "traits gem { \"ruby\", \"opal\" }\nstatus gems: number for each gem\n";
    check(
        &format!(
            "{keyed}card \"A\" {{ piece  does {{ for each g in gems of this {{ gems(g) of this += 1 }} gems of this = 0 }} \
             when piece with gems(ruby) > gems(\"opal\") enters table {{ draw gems(opal) of this }} }}"
        ),
        &[],
    );
    check(
        "status a: bool for each kind",
        &["E0312 14:25 only a number of an object or player can have a value for each word, and it starts at 0"],
    );
    check("status a: number for each knid", &["E0201 14:27 no traits item is called `knid`"]);
    check(
        &format!(
            "{keyed}card \"A\" {{ does {{ gems of this += 1\n gems(rubi) of this = 1\n gems(ruby) of you = 1\n gems() of this = 1\n \
             draw gems(ruby) }} }}"
        ),
        &[
            "E0308 16:19 this has a number for each word, so it needs a word",
            "E0201 17:7 nothing is called `rubi`",
            "E0308 18:2 `gems(ruby) of you` cannot be assigned",
            "E0302 19:2 `gems` needs a word: `gems(WORD)`",
            "E0307 20:7 `gems` needs an owner",
        ],
    );
}

#[test]
fn things_are_objects_or_players() {
    check(
        "action zap(whom: thing, n: number, source: object) by source {\n if whom is player { life of whom -= n } otherwise { smash whom } }\n\
         card \"A\" { spell does {\n let t = 1 (piece or player)\n smash t\n life of t = 3\n if t is piece { life of t = 3 }\n\
         let u = target (piece or opponent) of you } }\naction hit(n: number, it: thing) by n { }",
        &[
            "E0301 18:8 an object is needed here, but `t` is a thing, an object or a player",
            "E0301 19:7 a thing (an object or a player) has no `life`",
            "E0308 20:18 `life of t` cannot be assigned",
            "W0701 21:5 `u` is never used",
            "E0301 21:39 `of` cannot apply to both of these: a player has no owner",
            "E0313 22:37 `n` is not a parameter of type `object`",
        ],
    );
}

#[test]
fn names_of_two_kinds_are_checked() {
    check(
        "keyword piece { }\nstatus power: number\nglobal hand: number\nnoun twice = piece in table\nplayer marked: bool\n\
         function life(it: object): number = 1\nconstant race = 3\nnoun card = piece in hand",
        &[
            "E0106 14:9 the keyword `piece` has the same name as the trait word `piece`",
            "E0106 15:8 the status `power` has the same name as the property `power`",
            "E0106 16:8 the global variable `hand` has the same name as the zone `hand`",
            "E0106 17:6 the noun `twice` has the same name as the keyword `twice`",
            "E0106 19:10 the function `life` has the same name as the player variable `life`",
            "E0106 20:10 the constant `race` has the same name as the traits item `race`",
            "E0106 21:6 `card` has a built-in meaning",
        ],
    );
    check(
        "global last: bool\nfunction phase_two(): bool = true\nfunction min(a: number): number = a\naction smashes(it: object)\n\
         action choose(it: object)\naction used(it: object)\nplay draw(it: piece) { from hand }\nstatus candidate: bool",
        &[
            "E0106 14:8 the global variable `last` has the same name as a phase or step",
            "E0106 16:10 the function `min` is built in",
            "E0106 17:8 the action `smashes` has the same name as the action `smash`",
            "E0106 18:8 the verb `choose` is built in",
            "E0106 19:8 the verb `used` is built in",
            "E0106 20:6 the play `draw` has the same name as the action `draw`",
            "E0106 21:8 `candidate` has a built-in meaning",
        ],
    );
    // A property of objects and a variable of players differ by their owner; a zone and an action differ by their position in the text.
    check("player power: number\naction pile(it: object)\nglobal one: number", &[]);
}

#[test]
fn nouns_in_several_zones_are_checked() {
    check(
        "card \"A\" { does {\n smash each (piece or spell in hand)\n smash each (piece or spell) in hand\n\
         smash each (piece or spell in hand) in pile\n draw(you, count of (piece or spell in hand)) } }",
        &["E0312 17:40 `pile` cannot be the zone of all of these"],
    );
}

#[test]
fn a_condition_taken_by_with_is_explained() {
    let compilation =
        compile_one(&format!("{GAME}card \"A\" {{ does {{ if count of piece with marked == 1 {{ draw(you, 1) }} }} }}"));
    assert_eq!(summaries(&compilation), ["E0301 14:22 `count of piece with marked == 1` is a number, not a condition"]);
    assert_eq!(
        compilation.diagnostics[0].help,
        ["put the counted selection in parentheses: `count of (piece with marked) == 1`"]
    );
    check("card \"A\" { does { if count of (piece with marked) == 1 { draw(you, 1) } } }", &[]);
}

#[test]
fn declaration_clauses_are_checked() {
    let alone = "action meet(it: object, other_one: object) by it { smash it }\n";
    check(
        &format!("{alone}card \"A\" {{ piece this must meet }}"),
        &["E0313 15:28 no `declare` statement is about `meet`, so this has no effect"],
    );
    let meet = "action meet(it: object, other_one: object) by it { smash it }\n\
                action gather(who: player) { declare meet by who { from each piece of who  onto each piece } }\n";
    check(
        &format!("{meet}card \"A\" {{ piece this must smash }}"),
        &["E0313 16:28 `smash` cannot be declared for several objects at once"],
    );
    check(&format!("{meet}card \"A\" {{ piece this must meeet }}"), &["E0203 16:28 no action is called `meeet`"]);
    check(
        &format!("{meet}card \"A\" {{ piece some piece cannot meet alone }}"),
        &["E0312 16:18 `some` is possible only with `must`"],
    );
    check(
        &format!("{meet}card \"A\" {{ piece this must meet you }}"),
        &["E0313 16:33 `you` is a player, but `other_one` of `meet` is an object"],
    );
    check(
        &format!("{meet}card \"A\" {{ piece this cannot meet unless 2 piece also smash }}"),
        &["E0313 16:55 `smash` cannot be declared for several objects at once"],
    );
    check(
        &format!("{meet}card \"A\" {{ piece this cannot meet unless price 2 }}"),
        &["E0406 16:48 no payment is declared for prices"],
    );
    check(
        &format!("{meet}card \"A\" {{ spell does {{ declare meet {{ from each piece of you }} }} }}"),
        &["E0302 16:25 this declaration needs `from` and `onto`"],
    );
    check(
        &format!(
            "{meet}card \"A\" {{ spell does {{ declare meet {{ from each piece of you  onto each piece  when it != other_one }} }} }}"
        ),
        &[],
    );
}

#[test]
fn words_as_values_are_checked() {
    check(
        "status kin: word of race
card \"A\" { piece race \"Cat\" always {
  piece gets race = kin of this, +(kin of this) race, -(kin of this) race
  piece gets race = \"Cat\"
  piece gets race = 3
  piece gets +2 race
  piece gets kind = kin of this
  piece gets race = \"Dog\"
  piece gets race = kin of this min 2
  piece gets piece min 1
} }",
        &[
            "E0301 18:21 a word of race is needed here, but `3` is a number",
            "E0301 19:15 a word of race is needed here, but `2` is a number",
            "E0301 20:21 a word of kind is needed here, but `kin of this` is a word of race",
            "E0201 21:21 `Dog` is not a word of `race`",
            "E0312 22:37 `min` has no effect here",
            "E0312 23:24 `min` has no effect here",
        ],
    );
}

#[test]
fn abilities_while_concealed_are_checked() {
    check(
        "function strength(it: object): number = power of it
card \"A\" { concealed when this enters table { draw 1 } concealed twice(2) concealed activated \"x\" { does { draw 1 } } }
card \"B\" { activated \"y\" { announced marked does { draw (uncovered(strength(this))) } } does { draw (uncovered(2)) } }
play lay(it: object) { from hand; announced draw; does { put it into table under you; carry out it } }
play call(it: piece) { from hand; at once; announced marked; does { draw 1 } }",
        &[
            "E0312 15:12 only an activated ability works while its object is concealed",
            "E0204 15:56 `concealed` cannot be printed on a card",
            "E0312 15:85 an ability of a concealed object must resolve immediately and cannot pay for anything",
            "E0312 16:38 only a play whose object waits on the list can write `announced`",
            "E0312 16:102 `unconcealed` takes a declared function of one object",
            "E0201 17:45 `draw` is not a status of type `bool`",
            "E0312 18:54 only a play whose object waits on the list can write `announced`",
        ],
    );
}

#[test]
fn chosen_words_are_checked() {
    check(
        "card \"A\" { piece race \"Cat\" does {
  choose word of race that is not \"Cat\" as a
  choose word of race that (candidate == 3) as b
  choose word of race in hand as c
  choose word of race with power > 2 as d
  each piece gets race = a, +(b) race, race = c, race = d until end of turn
} }",
        &[
            "E0301 16:42 a word of race is never a number",
            "E0312 17:23 a word has no zone and no properties",
            "E0307 18:28 `power` needs an owner",
        ],
    );
}

#[test]
fn changes_of_words_are_checked() {
    check(
        "traits hue changeable { red, blue }
status tint: word of hue
token \"T\" { piece race \"Cat\" }
card \"A\" { piece red race \"Cat\" always {
  this gets hue blue instead of red
  this gets race (\"Cat\") instead of (\"Cat\")
  this gets hue (3) instead of red
  this gets shade blue instead of red
}
does {
  each piece gets hue (tint of this) instead of red until end of turn
  create copy of this except hue blue instead of red into table
  if tint of this == red { draw 1 }
} }",
        &[
            "E0312 19:13 the words of `race` cannot be changed in texts",
            "E0301 20:17 a word of hue is needed here, but `(3)` is a number",
            "E0201 21:13 no trait set is called `shade`",
            "E0312 25:3 a copy cannot change words of its text",
            "E0312 25:3 the changes to a created copy cannot use local names, or words that effects can change",
        ],
    );
}
