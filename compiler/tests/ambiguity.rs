//! Ambiguous texts: the wrong reading is rejected with a suggestion, the right one is accepted.

mod common;

use common::{compile_one, problems, summaries};

const GAME: &str = r#"pack tiny { edition 1 }
traits kind { piece, spell }
layers { power }
property power: number in layer power
property size: number
property cost: price
player life: number
zone hand { each player; visible to owner }
zone pile { each player; ordered }
zone table { shared; field; public }
action damage(it: object, n: number) { }
action lose_life(who: player, n: number) { life of who -= n }
action discard(who: player, it: object) { put it into its owner's hand; put it into its owner's pile }
action sacrifice(it: object) { put it into its owner's pile }
action attack(it: object) by it { }
action block(it: object, foe: object) by it { }
turn { step one { for each x in each piece { (x) attacks; (x) blocks x; damage(x, 1); discard(active, x); sacrifice x }; priority } }
"#;

fn check(rest: &str, expected: &[&str]) {
    let compilation = compile_one(&format!("{GAME}{rest}"));
    assert_eq!(summaries(&compilation), expected, "\n{}", problems(&compilation));
}

/// The message and the first help line of each diagnostic for one ability of a card.
fn ability_problems(text: &str) -> Vec<(String, String)> {
    let compilation = compile_one(&format!("{GAME}card \"A\" {{ piece\n{text} }}"));
    compilation
        .diagnostics
        .iter()
        .map(|problem| (problem.message.clone(), problem.help.first().cloned().unwrap_or_default()))
        .collect()
}

fn assert_refused(text: &str, message: &str, help: &str) {
    let problems = ability_problems(text);
    assert!(problems.iter().any(|(found, way)| found.contains(message) && way.contains(help)), "{text}: {problems:?}");
}

fn assert_accepted(text: &str) {
    assert_eq!(ability_problems(text), [], "{text}");
}

#[test]
fn a_change_needs_a_layer() {
    assert_refused("does { this gets +1 size }", "`size` has no layer", "in layer power");
    assert_refused("does { this gets size = 1 }", "`size` has no layer", "in layer power");
    assert_accepted("does { this gets +1 power, power = 3 }");
}

#[test]
fn a_property_is_printed_once_with_its_type() {
    check("card \"A\" { power 2 power 3 }", &["E0106 18:20 `power` is printed twice on this card"]);
    check("card \"A\" { cost 3 }", &["E0301 18:17 `cost` is a price, but `3` is a number"]);
    check("card \"A\" { power 2 cost {3} }", &[]);
}

#[test]
fn arguments_of_patterns_have_types() {
    assert_refused(
        "when this is damaged piece { lose_life 1 }",
        "`piece` is a kind of object, but `n` of `damage` is a number",
        "where n",
    );
    assert_refused("when opponent attacks { lose_life 1 }", "`opponent` is a player, but `it` of `attack` is an object", "");
    assert_refused("when piece loses_life { lose_life 1 }", "but `who` of `lose_life` is a player", "");
    assert_accepted("when piece is damaged where n >= 2 { lose_life 1 }");
    assert_accepted("when opponent loses_life 3 { lose_life 1 }");
    assert_accepted("when (piece or spell) attacks { lose_life 1 }");
}

#[test]
fn the_voice_of_a_verb_is_checked() {
    assert_refused("when this damages piece { lose_life 1 }", "`damage` is done to its object", "write `this is damaged`");
    assert_refused("this cannot damage", "`damage` is done to its object", "write `this cannot be damaged`");
    assert_refused("when this is attacked { lose_life 1 }", "`attack` is done by its object", "write `this attacks`");
    assert_refused("when this is blocked { lose_life 1 }", "`block` is done by its object", "`X blocks this`");
    assert_refused("when piece discards { lose_life 1 }", "a player does `discard`", "`piece is discarded`");
    assert_accepted("when this is damaged { lose_life 1 }");
    assert_accepted("when this blocks piece { lose_life 1 }");
    assert_accepted("when piece blocks this { lose_life 1 }");
    assert_accepted("when piece is discarded { lose_life 1 }");
    assert_accepted("when you discard piece { lose_life 1 }");
    check("action odd(n: number) by n { }", &["E0313 18:26 `n` is not a parameter of type `object`"]);
}

#[test]
fn legality_queries_accept_all_voices() {
    assert_accepted("does { if this can attack and this can block this or this can be damaged { lose_life 1 } }");
    assert_accepted("does { if you can lose_life and this can enter table and this can leave table { lose_life 1 } }");
    assert_refused("does { if this can be attacked { lose_life 1 } }", "`attack` is done by its object", "write `this attacks`");
}

#[test]
fn modes_may_begin_with_a_number() {
    assert_accepted(
        "does { choose 1 {\n - lose_life 1\n - 1 piece of you gets +1 power\n - draw_none\n } }\n}\naction draw_none(who: player) {",
    );
}

#[test]
fn words_of_other_languages_get_suggestions() {
    assert_refused("does { this gets +1/+1 }", "no pair of properties", "write each property with its name");
    assert_refused(
        "does { this gets +1 power until your next turn }",
        "`your next turn` is a period, not an event",
        "start of your next turn",
    );
    assert_refused("does { sacrifice 1 piece with power 3 }", "found `3`", "with power == 3");
    assert_refused("does { if this can attack { lose_life 1 } else { lose_life 2 } }", "found `else`", "`otherwise`");
    assert_refused("does { sacrifice the piece }", "nothing is called `the`", "leave `the` out");
    assert_refused("does { sacrifice a piece }", "nothing is called `a`", "write a number");
    assert_accepted("does { opponent loses 1 life }");
    assert_accepted(
        "does { this strikes 1 blow to this }\n}\naction strike_blow(it: object, n: number, source: object) by source {",
    );
}

#[test]
fn use_passes_the_parameters_of_a_play() {
    let game = "play board(it: piece, base: piece, n: number) { when base in table; does { put it into table; lose_life n } }\n";
    check(&format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand by board for this to 3 }} }}"), &[]);
    check(
        &format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand by board for this }} }}"),
        &["E0302 19:38 the play `board` takes 2 values in addition to its object, but 1 are given"],
    );
    check(
        &format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand onto this }} }}"),
        &["E0303 19:63 `use` does not take `onto`"],
    );
    check(
        &format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand by bord for this to 3 }} }}"),
        &["E0201 19:66 no play is called `bord`"],
    );
}

#[test]
fn names_of_a_cost_are_visible_in_the_play() {
    check(
        "play pay(it: spell) { from hand; cost { choose 1 piece in your hand as fare; discard fare }; does { if fare is piece { lose_life 1 } } }\n",
        &[],
    );
    check(
        "play pay(it: spell) { from hand; cost { choose 1 piece in your hand as fare }; does { lose_life 1 } }\n",
        &["W0701 18:72 `fare` is never used"],
    );
}

#[test]
fn treat_requires_equal_parameters() {
    check(
        "action burn(it: object, n: number) is damage unstoppable { }\ntreat damage as burn when chooser is controller of it\n",
        &[],
    );
    check("treat damage as attack\n", &["E0403 18:17 `damage` and `attack` have different parameters"]);
    check("treat damage as brun\n", &["E0203 18:17 no action is called `brun`"]);
}

#[test]
fn standing_effects_hold_abilities() {
    assert_accepted(
        "does { until end of turn { whenever piece attacks { lose_life 1 } if this would be damaged, instead { lose_life n } } }",
    );
    assert_accepted("does { until end of turn, once { if piece of you would be damaged, may instead { sacrifice this } } }");
    assert_accepted("does { until end of turn { always { piece of opponent gets -1 power } opponent cannot discard } }");
    assert_accepted("does { let foe = 1 piece; until end of turn { when foe attacks { lose_life 1 } } }");
    assert_refused(
        "does { let foes = each piece; until end of turn { when foes attacks { lose_life 1 } } }",
        "a list cannot be kept",
        "",
    );
    assert_refused(
        "does { until end of turn { in hand when this attacks { lose_life 1 } } }",
        "is in no zone",
        "leave `in ZONE` out",
    );
    assert_refused(
        "does { until end of turn { does { lose_life 1 } } }",
        "only an object can have this ability",
        "let an object gain it",
    );
    assert_accepted("does { let foe = 1 piece; trigger { sacrifice foe } }");
}
