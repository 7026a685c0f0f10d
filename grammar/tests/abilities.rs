//! Parses abilities and compares each with its expected tree, in the short form of `common`.
#![expect(clippy::needless_raw_string_hashes, reason = "all cases have the same form")]

mod common;

use common::short;

const CASES: &[(&str, &str)] = &[
    (
        r#"when this enters battle from hand where cause == rule, if x > 3 { draw 1 }"#,
        r#"When { pattern: Pattern { subject: 'this', verb: 'enters', object: Some('battle'), from: Some('hand'), condition: Some(Binary { op: Equal, left: 'cause', right: 'rule' }) }, condition: Some(Binary { op: Greater, left: 'x', right: 3 }), body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"whenever it is destroyed { draw 1 }"#,
        r#"When { pattern: Pattern { subject: 'it', passive: true, verb: 'destroyed' }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"when you cast spell or creature from hand { draw 1 }"#,
        r#"When { pattern: Pattern { subject: 'you', verb: 'cast', object: Some(Binary { op: Or, left: 'spell', right: 'creature' }), from: Some('hand') }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"at start of upkeep of you { draw 1 }"#,
        r#"At { moment: Moment { start: true, whose: Some('you'), next: false, period_path: Path { parts: ['upkeep'] } }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"at end of opponent's turn, if x { draw 1 }"#,
        r#"At { moment: Moment { start: false, whose: Some('opponent'), next: false, period_path: Path { parts: ['turn'] } }, condition: Some('x'), body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"if this would be destroyed, may instead { put it into hand }"#,
        r#"Instead { pattern: Pattern { subject: 'this', passive: true, verb: 'destroyed' }, optional: true, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'put', operands: ['it'], prepositions: [('into', 'hand')] }]) }] } }"#,
    ),
    (
        r#"if creature of you would enter graveyard from battle and x > 3, instead { exile it }"#,
        r#"Instead { pattern: Pattern { subject: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }), verb: 'enter', object: Some('graveyard'), from: Some('battle') }, condition: Some(Binary { op: Greater, left: 'x', right: 3 }), optional: false, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'exile', operands: ['it'] }]) }] } }"#,
    ),
    (
        r#"creature of opponent cannot attack"#,
        r#"Cannot(Pattern { subject: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('opponent') }] }), verb: 'attack' })"#,
    ),
    (
        r#"while tapped of this { each creature of you gets +1 power; this cannot attack }"#,
        r#"Static { condition: Some(Phrase(Phrase { head: 'tapped', filters: [PhraseFilter { kind: Of('this') }] })), clauses: [Statement { link: Next, kind: Gets { whom: Phrase(Phrase { quantifier: Some(Each), head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }), mods: [Modification { kind: Add { negative: false, amount: 1, property: 'power' } }] } }, Statement { link: Next, kind: Cannot { pattern: Pattern { subject: 'this', verb: 'attack' } } }] }"#,
    ),
    (
        r#"always { opponent cannot draw }"#,
        r#"Static { condition: None, clauses: [Statement { link: Next, kind: Cannot { pattern: Pattern { subject: 'opponent', verb: 'draw' } } }] }"#,
    ),
    (
        r#"does { draw 1 }"#,
        r#"Does(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] })"#,
    ),
    (
        r#"activated "tap: draw" { when x > 3; price {2}; cost { tap(this) }; does { draw 1 }; at once }"#,
        r#"Activated(Play { name: Some('tap: draw'), params: [], from: [], condition: Some(Binary { op: Greater, left: 'x', right: 3 }), price: Some(Price(['2'])), cost: Some(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'tap', operands: ['this'] }]) }] }), immediate: true, during_payment: false, from_keyword: false, classes: [], body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } })"#,
    ),
    (
        r#"in hand, graveyard while x > 3 { win }"#,
        r#"Static { condition: Some(Binary { op: Greater, left: 'x', right: 3 }), clauses: [Statement { link: Next, kind: Calls([Call { verb: 'win' }]) }] }"#,
    ),
    (
        r#"immediately when this attacks { draw 1 }"#,
        r#"When { pattern: Pattern { subject: 'this', verb: 'attacks' }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (r#"in hand ninja(4)"#, r#"Keyword(Fact { word: 'ninja', args: [4] })"#),
];

#[test]
fn abilities_parse_to_the_expected_tree() {
    for (text, expected) in CASES {
        assert_eq!(&short(&common::ability(text)), expected, "{text}");
    }
}
