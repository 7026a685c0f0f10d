//! Parses expressions and compares each with its expected tree, in the short form of `common`.
#![expect(clippy::needless_raw_string_hashes, reason = "all cases have the same form")]

mod common;

const CASES: &[(&str, &str)] = &[
    (
        r#"creature of opponent with power <= 4000"#,
        r#"Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('opponent') }, PhraseFilter { kind: With(Binary { op: LessEqual, left: 'power', right: 4000 }) }] })"#,
    ),
    (
        r#"1 creature of opponent with power <= power of this in battle"#,
        r#"Phrase(Phrase { quantifier: Some(Exactly(1)), head: 'creature', filters: [PhraseFilter { kind: Of('opponent') }, PhraseFilter { kind: With(Binary { op: LessEqual, left: 'power', right: Phrase(Phrase { head: 'power', filters: [PhraseFilter { kind: Of('this') }] }) }) }, PhraseFilter { kind: In('battle') }] })"#,
    ),
    (
        r#"up to 2 target creature"#,
        r#"Phrase(Phrase { quantifier: Some(Target { count: Some(2), up_to: true }), head: 'creature' })"#,
    ),
    (
        r#"2 target other creature of you"#,
        r#"Phrase(Phrase { quantifier: Some(Target { count: Some(2), up_to: false }), other: true, head: 'creature', filters: [PhraseFilter { kind: Of('you') }] })"#,
    ),
    (
        r#"any number of card in your hand"#,
        r#"Phrase(Phrase { quantifier: Some(AnyNumber), head: 'card', filters: [PhraseFilter { kind: In(Possessive { owner: 'you', word: 'hand' }) }] })"#,
    ),
    (
        r#"top 3 card of your deck"#,
        r#"Phrase(Phrase { quantifier: Some(Top(3)), head: 'card', filters: [PhraseFilter { kind: Of(Possessive { owner: 'you', word: 'deck' }) }] })"#,
    ),
    (
        r#"top card of your deck"#,
        r#"Phrase(Phrase { quantifier: Some(Top(1)), head: 'card', filters: [PhraseFilter { kind: Of(Possessive { owner: 'you', word: 'deck' }) }] })"#,
    ),
    (
        r#"bottom (n + 1) card of deck of you"#,
        r#"Phrase(Phrase { quantifier: Some(Bottom(Group(Binary { op: Add, left: 'n', right: 1 }))), head: 'card', filters: [PhraseFilter { kind: Of('deck') }, PhraseFilter { kind: Of('you') }] })"#,
    ),
    (
        r#"random 1 card from opponent's hand"#,
        r#"Phrase(Phrase { quantifier: Some(Random(1)), head: 'card', filters: [PhraseFilter { kind: In(Possessive { owner: 'opponent', word: 'hand' }) }] })"#,
    ),
    (
        r#"some creature of you and no land in battle or not x"#,
        r#"Binary { op: Or, left: Binary { op: And, left: Phrase(Phrase { quantifier: Some(Some), head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }), right: Phrase(Phrase { quantifier: Some(No), head: 'land', filters: [PhraseFilter { kind: In('battle') }] }) }, right: Not('x') }"#,
    ),
    (
        r#"each other creature without flying that is not tapped that has haste that (power > 3)"#,
        r#"Phrase(Phrase { quantifier: Some(Each), other: true, head: 'creature', filters: [PhraseFilter { kind: Without('flying') }, PhraseFilter { kind: ThatIs { what: 'tapped', negated: true } }, PhraseFilter { kind: ThatHas('haste') }, PhraseFilter { kind: That(Binary { op: Greater, left: 'power', right: 3 }) }] })"#,
    ),
    (
        r#"hand of owner of it"#,
        r#"Phrase(Phrase { head: 'hand', filters: [PhraseFilter { kind: Of('owner') }, PhraseFilter { kind: Of('it') }] })"#,
    ),
    (r#"its owner's hand"#, r#"Possessive { owner: Possessive { owner: 'it', word: 'owner' }, word: 'hand' }"#),
    (r#"opponent's hand"#, r#"Possessive { owner: 'opponent', word: 'hand' }"#),
    (r#"your hand"#, r#"Possessive { owner: 'you', word: 'hand' }"#),
    (
        r#"(x + 1) card"#,
        r#"Phrase(Phrase { quantifier: Some(Exactly(Group(Binary { op: Add, left: 'x', right: 1 }))), head: 'card' })"#,
    ),
    (r#"a / 2 rounded up + 3"#, r#"Binary { op: Add, left: Binary { op: DivideUp, left: 'a', right: 2 }, right: 3 }"#),
    (r#"-x * 2"#, r#"Binary { op: Multiply, left: Negative('x'), right: 2 }"#),
    (r#"it is not creature"#, r#"Is { left: 'it', right: 'creature', negated: true }"#),
    (r#"this has flying"#, r#"Has { left: 'this', word: 'flying' }"#),
    (
        r#"x in hand of A"#,
        r#"Phrase(Phrase { head: 'x', filters: [PhraseFilter { kind: In('hand') }, PhraseFilter { kind: Of('A') }] })"#,
    ),
    (
        r#"count of creature of you + 1"#,
        r#"Binary { op: Add, left: Aggregate { kind: Count, property: None, over: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }) }, right: 1 }"#,
    ),
    (
        r#"highest cost of [a, b, "Bolt"]"#,
        r#"Aggregate { kind: Highest, property: Some('cost'), over: List(['a', 'b', Quoted('Bolt')]) }"#,
    ),
    (
        r#"if x > 3 { 1 } otherwise if x > 4 { 2 } otherwise { 3 }"#,
        r#"If { condition: Binary { op: Greater, left: 'x', right: 3 }, then: 1, otherwise: If { condition: Binary { op: Greater, left: 'x', right: 4 }, then: 2, otherwise: 3 } }"#,
    ),
    (r#"min(a, b, max(c, d))"#, r#"Call { name: 'min', args: ['a', 'b', Call { name: 'max', args: ['c', 'd'] }] }"#),
    (r#"{2}{U}{W/U}"#, r#"Price(['2', 'U', 'W/U'])"#),
    (r#"turn.main.draw"#, r#"'turn.main.draw'"#),
    (
        r#"card with (power > 3 and (fire or water))"#,
        r#"Phrase(Phrase { head: 'card', filters: [PhraseFilter { kind: With(Group(Binary { op: And, left: Binary { op: Greater, left: 'power', right: 3 }, right: Group(Binary { op: Or, left: 'fire', right: 'water' }) })) }] })"#,
    ),
    (
        r#"《デーモン・ハンド》 in A's graveyard"#,
        r#"Phrase(Phrase { head: Quoted('デーモン・ハンド'), filters: [PhraseFilter { kind: In(Possessive { owner: 'A', word: 'graveyard' }) }] })"#,
    ),
    (r#"true == false"#, r#"Binary { op: Equal, left: Bool(true), right: Bool(false) }"#),
    (
        r#"creature with count of card of you <= 3 of opponent"#,
        r#"Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: With(Binary { op: LessEqual, left: Aggregate { kind: Count, property: None, over: Phrase(Phrase { head: 'card', filters: [PhraseFilter { kind: Of('you') }] }) }, right: 3 }) }, PhraseFilter { kind: Of('opponent') }] })"#,
    ),
    (
        r#"card of "A"'s owner"#,
        r#"Phrase(Phrase { head: 'card', filters: [PhraseFilter { kind: Of(Possessive { owner: Quoted('A'), word: 'owner' }) }] })"#,
    ),
];

#[test]
fn expressions_parse_to_the_expected_tree() {
    for (text, expected) in CASES {
        assert_eq!(&common::expression(text), expected, "{text}");
    }
}
