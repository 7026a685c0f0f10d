//! Texts that could be read in two ways: the wrong one is refused, with a way out; the right one is taken.

mod common;

use common::{compile_one, problems, told};

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
    assert_eq!(told(&compilation), expected, "\n{}", problems(&compilation));
}

/// One ability of a card: what is told of it, without places, and the first help.
fn of_ability(text: &str) -> Vec<(String, String)> {
    let compilation = compile_one(&format!("{GAME}card \"A\" {{ piece\n{text} }}"));
    compilation.diagnostics.iter().map(|told| (told.message.clone(), told.help.first().cloned().unwrap_or_default())).collect()
}

fn refused(text: &str, message: &str, help: &str) {
    let told = of_ability(text);
    assert!(told.iter().any(|(said, way)| said.contains(message) && way.contains(help)), "{text}: {told:?}");
}

fn taken(text: &str) {
    assert_eq!(of_ability(text), [], "{text}");
}

#[test]
fn a_change_needs_a_layer() {
    refused("does { this gets +1 size }", "`size` belongs to no layer", "in layer power");
    refused("does { this gets size = 1 }", "`size` belongs to no layer", "in layer power");
    taken("does { this gets +1 power, power = 3 }");
}

#[test]
fn a_property_is_printed_once_and_of_its_type() {
    check("card \"A\" { power 2 power 3 }", &["E0106 18:20 `power` is printed twice on this card"]);
    check("card \"A\" { cost 3 }", &["E0301 18:17 `cost` is a price, but `3` is a number"]);
    check("card \"A\" { power 2 cost {3} }", &[]);
}

#[test]
fn arguments_of_patterns_have_types() {
    refused(
        "when this is damaged piece { lose_life 1 }",
        "`piece` is a kind of object, but `n` of `damage` is a number",
        "where n",
    );
    refused("when opponent attacks { lose_life 1 }", "`opponent` is a player, but `it` of `attack` is an object", "");
    refused("when piece loses_life { lose_life 1 }", "but `who` of `lose_life` is a player", "");
    taken("when piece is damaged where n >= 2 { lose_life 1 }");
    taken("when opponent loses_life 3 { lose_life 1 }");
    taken("when (piece or spell) attacks { lose_life 1 }");
}

#[test]
fn the_voice_says_who_acts() {
    refused("when this damages piece { lose_life 1 }", "`damage` is done to its object", "write `this is damaged`");
    refused("this cannot damage", "`damage` is done to its object", "write `this cannot be damaged`");
    refused("when this is attacked { lose_life 1 }", "`attack` is what its object does", "write `this attacks`");
    refused("when this is blocked { lose_life 1 }", "`block` is what its object does", "`X blocks this`");
    refused("when piece discards { lose_life 1 }", "a player does `discard`", "`piece is discarded`");
    taken("when this is damaged { lose_life 1 }");
    taken("when this blocks piece { lose_life 1 }");
    taken("when piece blocks this { lose_life 1 }");
    taken("when piece is discarded { lose_life 1 }");
    taken("when you discard piece { lose_life 1 }");
    check("action odd(n: number) by n { }", &["E0313 18:26 `n` is no parameter that is an object"]);
}

#[test]
fn what_is_possible() {
    taken("does { if this can attack and this can block this or this can be damaged { lose_life 1 } }");
    taken("does { if you can lose_life and this can enter table and this can leave table { lose_life 1 } }");
    refused("does { if this can be attacked { lose_life 1 } }", "`attack` is what its object does", "write `this attacks`");
}

#[test]
fn modes_may_begin_with_a_number() {
    taken(
        "does { choose 1 {\n - lose_life 1\n - 1 piece of you gets +1 power\n - draw_none\n } }\n}\naction draw_none(who: player) {",
    );
}

#[test]
fn words_of_newcomers() {
    refused("does { this gets +1/+1 }", "found `/`", "`+1 PROPERTY, +1 PROPERTY`");
    refused("does { this gets +1 power until your next turn }", "no action is called `turn`", "start of your next turn");
    refused("does { sacrifice 1 piece with power 3 }", "found `3`", "with power == 3");
    refused("does { if this can attack { lose_life 1 } else { lose_life 2 } }", "found `else`", "`otherwise`");
    refused("does { sacrifice the piece }", "nothing is called `the`", "leave `the` out");
    refused("does { sacrifice a piece }", "nothing is called `a`", "say it with a number");
    taken("does { opponent loses 1 life }");
    taken("does { this strikes 1 blow to this }\n}\naction strike_blow(it: object, n: number, source: object) by source {");
}

#[test]
fn a_play_is_given_what_its_parameters_are() {
    let game = "play board(it: piece, base: piece, n: number) { when base in table; does { put it into table; lose_life n } }\n";
    check(&format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand by board for this to 3 }} }}"), &[]);
    check(
        &format!("{game}card \"A\" {{ piece when this attacks {{ use 1 piece in your hand by board for this }} }}"),
        &["E0302 19:38 the play `board` is given 2 values besides its object, but 1 are written"],
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
fn what_a_cost_names_the_play_knows() {
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
fn an_event_is_re_read_as_one_about_the_same_things() {
    check(
        "action burn(it: object, n: number) is damage unstoppable { }\ntreat damage as burn when chooser is controller of it\n",
        &[],
    );
    check("treat damage as attack\n", &["E0403 18:17 `damage` and `attack` have different parameters"]);
    check("treat damage as brun\n", &["E0203 18:17 no action is called `brun`"]);
}

#[test]
fn standing_effects_hold_abilities() {
    taken(
        "does { until end of turn { whenever piece attacks { lose_life 1 } if this would be damaged, instead { lose_life n } } }",
    );
    taken("does { until end of turn, once { if piece of you would be damaged, may instead { sacrifice this } } }");
    taken("does { until end of turn { always { piece of opponent gets -1 power } opponent cannot discard } }");
    taken("does { let foe = 1 piece; until end of turn { when foe attacks { lose_life 1 } } }");
    refused(
        "does { let foes = each piece; until end of turn { when foes attacks { lose_life 1 } } }",
        "a list cannot be remembered",
        "",
    );
    refused("does { until end of turn { in hand when this attacks { lose_life 1 } } }", "lies in no zone", "leave `in ZONE` out");
    refused(
        "does { until end of turn { does { lose_life 1 } } }",
        "only an object can have this ability",
        "let an object gain it",
    );
    taken("does { let foe = 1 piece; trigger { sacrifice foe } }");
}
