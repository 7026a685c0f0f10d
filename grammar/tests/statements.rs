//! Parses statements and compares each with its expected tree, in the short form of `common`.
#![expect(clippy::needless_raw_string_hashes, reason = "all cases have the same form")]

mod common;

const CASES: &[(&str, &str)] = &[
    (r#"draw 2"#, r#"Next Calls([Call { verb: 'draw', operands: [2] }])"#),
    (
        r#"draw 2 by active and discard 1"#,
        r#"Next Calls([Call { verb: 'draw', operands: [2], prepositions: [('by', 'active')] }, Call { verb: 'discard', operands: [1] }])"#,
    ),
    (
        r#"you may draw 2
if you do, discard 1
otherwise win"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: 'you' }), may: true, verb: 'draw', operands: [2] }])
IfYouDo Calls([Call { verb: 'discard', operands: [1] }])
Otherwise Calls([Call { verb: 'win' }])"#,
    ),
    (
        r#"you may draw 2
if you do, {
  discard 1
  win
}
otherwise { lose } then win"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: 'you' }), may: true, verb: 'draw', operands: [2] }])
IfYouDo Block(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'discard', operands: [1] }]) }, Statement { link: Next, kind: Calls([Call { verb: 'win' }]) }] })
Otherwise Block(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'lose' }]) }] })
Then Calls([Call { verb: 'win' }])"#,
    ),
    (
        r#"each player draws 5; each opponent loses; each other player loses"#,
        r#"Next Calls([Call { subject: Some(Subject { each: true, who: 'player' }), verb: 'draws', operands: [5] }])
Next Calls([Call { subject: Some(Subject { each: true, who: 'opponent' }), verb: 'loses' }])
Next Calls([Call { subject: Some(Subject { each: true, other: true, who: 'player' }), verb: 'loses' }])"#,
    ),
    (
        r#"its owner puts it into hand"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: Possessive { owner: 'it', word: 'owner' } }), verb: 'puts', operands: ['it'], prepositions: [('into', 'hand')] }])"#,
    ),
    (
        r#"(x) draws 2"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: Group('x') }), verb: 'draws', operands: [2] }])"#,
    ),
    (r#"draw(you, 2)"#, r#"Next Calls([Call { verb: 'draw', operands: ['you', 2] }])"#),
    (r#"settle()"#, r#"Next Calls([Call { verb: 'settle' }])"#),
    (
        r#"put top 1 card of your deck into its owner's hand tapped face_down as x"#,
        r#"Next Calls([Call { verb: 'put', operands: [Phrase(Phrase { quantifier: Some(Top(1)), head: 'card', filters: [PhraseFilter { kind: Of(Possessive { owner: 'you', word: 'deck' }) }] })], prepositions: [('into', Possessive { owner: Possessive { owner: 'it', word: 'owner' }, word: 'hand' })], adverbs: ['tapped', 'face_down'], binding: Some('x') }])"#,
    ),
    (
        r#"put 1 card from opponent's mana into its owner's graveyard"#,
        r#"Next Calls([Call { verb: 'put', operands: [Phrase(Phrase { quantifier: Some(Exactly(1)), head: 'card', filters: [PhraseFilter { kind: In(Possessive { owner: 'opponent', word: 'mana' }) }] })], prepositions: [('into', Possessive { owner: Possessive { owner: 'it', word: 'owner' }, word: 'graveyard' })] }])"#,
    ),
    (r#"carry out card"#, r#"Next Calls([Call { verb: 'resolve_text', operands: ['card'] }])"#),
    (
        r#"insert step turn.damage after this"#,
        r#"Next Calls([Call { verb: 'insert', operands: ['turn.damage'], prepositions: [('after', 'this')] }])"#,
    ),
    (r#"skip step draw"#, r#"Next Calls([Call { verb: 'skip', operands: ['draw'] }])"#),
    (r#"end turn"#, r#"Next Calls([Call { verb: 'end', operands: ['turn'] }])"#),
    (r#"shuffle your deck"#, r#"Next Calls([Call { verb: 'shuffle', operands: [Possessive { owner: 'you', word: 'deck' }] }])"#),
    (r#"priority"#, r#"Next Calls([Call { verb: 'priority' }])"#),
    (
        r#"let x = count of creature of you"#,
        r#"Next Let { name: 'x', value: Aggregate { kind: Count, property: None, over: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }) } }"#,
    ),
    (
        r#"if x > 3 { draw 1 } otherwise if x > 2 { draw 2 } otherwise { win }"#,
        r#"Next If { condition: Binary { op: Greater, left: 'x', right: 3 }, then: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] }, otherwise: Some(Block { statements: [Statement { link: Next, kind: If { condition: Binary { op: Greater, left: 'x', right: 2 }, then: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [2] }]) }] }, otherwise: Some(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'win' }]) }] }) } }] }) }"#,
    ),
    (
        r#"for each x in creature of you { destroy x }"#,
        r#"Next ForEach { name: 'x', list: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }), body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'destroy', operands: ['x'] }]) }] } }"#,
    ),
    (
        r#"3 times { draw 1 }"#,
        r#"Next Times { count: 3, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"(x + 1) times { draw 1 }"#,
        r#"Next Times { count: Group(Binary { op: Add, left: 'x', right: 1 }), body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"repeat while x > 0 { x -= 1 }"#,
        r#"Next Repeat { condition: Binary { op: Greater, left: 'x', right: 0 }, body: Block { statements: [Statement { link: Next, kind: Assign { place: 'x', op: Subtract, value: 1 } }] } }"#,
    ),
    (
        r#"at once { draw 1; draw 2 }"#,
        r#"Next Simultaneously(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }, Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [2] }]) }] })"#,
    ),
    (
        r#"choose 2, repeats allowed { - draw 1 - destroy target creature
   then draw 2
  - win }"#,
        r#"Next Modes { count: 2, least: None, repeats: true, modes: [Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] }, Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'destroy', operands: [Phrase(Phrase { quantifier: Some(Target { count: None, up_to: false }), head: 'creature' })] }]) }, Statement { link: Then, kind: Calls([Call { verb: 'draw', operands: [2] }]) }] }, Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'win' }]) }] }] }"#,
    ),
    (
        r#"choose up to 1 { - draw 1 }"#,
        r#"Next Modes { count: 1, least: Some(0), repeats: false, modes: [Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] }] }"#,
    ),
    (
        r#"life of you -= 2"#,
        r#"Next Assign { place: Phrase(Phrase { head: 'life', filters: [PhraseFilter { kind: Of('you') }] }), op: Subtract, value: 2 }"#,
    ),
    (
        r#"tapped of it = true"#,
        r#"Next Assign { place: Phrase(Phrase { head: 'tapped', filters: [PhraseFilter { kind: Of('it') }] }), op: Set, value: Bool(true) }"#,
    ),
    (
        r#"your life = x - 1"#,
        r#"Next Assign { place: Possessive { owner: 'you', word: 'life' }, op: Set, value: Binary { op: Subtract, left: 'x', right: 1 } }"#,
    ),
    (
        r#"each creature of you gets +1 power, -(x + 1) cost min 1, flying, breaker(2), "Dragon", not fire, no abilities, controller = you until end of turn or start of your next turn or it leaves battle"#,
        r#"Next Gets { whom: Phrase(Phrase { quantifier: Some(Each), head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }), mods: [Modification { kind: Add { negative: false, amount: 1, property: 'power' } }, Modification { kind: Add { negative: true, amount: Group(Binary { op: Add, left: 'x', right: 1 }), property: 'cost' }, floor: Some(1) }, Modification { kind: Word { name: 'flying' } }, Modification { kind: Word { name: 'breaker', args: [2] } }, Modification { kind: Word { name: 'Dragon' } }, Modification { kind: Not('fire') }, Modification { kind: NoAbilities }, Modification { kind: Set { property: 'controller', value: 'you' } }], until: Some(Duration { points: [Moment(Moment { start: false, whose: None, next: false, period_path: Path { parts: ['turn'] } }), Moment(Moment { start: true, whose: Some('you'), next: true, period_path: Path { parts: ['turn'] } }), Event(Pattern { subject: 'it', verb: 'leaves', object: Some('battle') })] }) }"#,
    ),
    (
        r#"this gets power = 3 min 0"#,
        r#"Next Gets { whom: 'this', mods: [Modification { kind: Set { property: 'power', value: 3 }, floor: Some(0) }] }"#,
    ),
    (
        r#"opponent cannot cast card until start of your next turn"#,
        r#"Next Cannot { pattern: Pattern { subject: 'opponent', verb: 'cast', object: Some('card') }, until: Some(Duration { points: [Moment(Moment { start: true, whose: Some('you'), next: true, period_path: Path { parts: ['turn'] } })] }) }"#,
    ),
    (
        r#"at end of turn { draw 1 }"#,
        r#"Next DelayedAt { moment: Moment { start: false, whose: None, next: false, period_path: Path { parts: ['turn'] } }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"at start of your next turn { draw 1 }"#,
        r#"Next DelayedAt { moment: Moment { start: true, whose: Some('you'), next: true, period_path: Path { parts: ['turn'] } }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"when it leaves battle until end of turn { draw 1 }"#,
        r#"Next DelayedWhen { once: true, pattern: Pattern { subject: 'it', verb: 'leaves', object: Some('battle') }, until: Some(Duration { points: [Moment(Moment { start: false, whose: None, next: false, period_path: Path { parts: ['turn'] } })] }), body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } }"#,
    ),
    (
        r#"window counter { only active  plays a, b  speed 2  until x > 3 }"#,
        r#"Next Window { name: 'counter', settings: [WindowSetting { word: 'only', names: ['active'] }, WindowSetting { word: 'plays', names: ['a', 'b'] }, WindowSetting { word: 'speed', names: [], value: Some(2) }, WindowSetting { word: 'until', names: [], value: Some(Binary { op: Greater, left: 'x', right: 3 }) }] }"#,
    ),
    (
        r#"destroy 1 creature or artifact then draw 1 otherwise lose"#,
        r#"Next Calls([Call { verb: 'destroy', operands: [Binary { op: Or, left: Phrase(Phrase { quantifier: Some(Exactly(1)), head: 'creature' }), right: 'artifact' }] }])
Then Calls([Call { verb: 'draw', operands: [1] }])
Otherwise Calls([Call { verb: 'lose' }])"#,
    ),
    (
        r#"x = if a { 1 } otherwise { 2 }"#,
        r#"Next Assign { place: 'x', op: Set, value: If { condition: 'a', then: 1, otherwise: 2 } }"#,
    ),
    (
        r#"deal 3 to target creature or player"#,
        r#"Next Calls([Call { verb: 'deal', operands: [3], prepositions: [('to', Binary { op: Or, left: Phrase(Phrase { quantifier: Some(Target { count: None, up_to: false }), head: 'creature' }), right: 'player' })] }])"#,
    ),
    (
        r#"destroy each creature with power <= 3 and draw 1"#,
        r#"Next Calls([Call { verb: 'destroy', operands: [Phrase(Phrase { quantifier: Some(Each), head: 'creature', filters: [PhraseFilter { kind: With(Binary { op: LessEqual, left: 'power', right: 3 }) }] })] }, Call { verb: 'draw', operands: [1] }])"#,
    ),
    (
        r#"you skip step draw and you draw 1"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: 'you' }), verb: 'skip', operands: ['draw'] }, Call { subject: Some(Subject { each: false, who: 'you' }), verb: 'draw', operands: [1] }])"#,
    ),
    (
        r#"x's owner may draw 2"#,
        r#"Next Calls([Call { subject: Some(Subject { each: false, who: Possessive { owner: 'x', word: 'owner' } }), may: true, verb: 'draw', operands: [2] }])"#,
    ),
    (
        r#"put x under y for each creature of you"#,
        r#"Next Calls([Call { verb: 'put', operands: ['x'], prepositions: [('under', 'y'), ('for', Phrase(Phrase { quantifier: Some(Each), head: 'creature', filters: [PhraseFilter { kind: Of('you') }] }))] }])"#,
    ),
    (r#"window w { }"#, r#"Next Window { name: 'w', settings: [] }"#),
    (
        r#"let x = a +
  b * c
draw x"#,
        r#"Next Let { name: 'x', value: Binary { op: Add, left: 'a', right: Binary { op: Multiply, left: 'b', right: 'c' } } }
Next Calls([Call { verb: 'draw', operands: ['x'] }])"#,
    ),
    (
        r#"destroy 1 creature
  with power <= 3
  of opponent"#,
        r#"Next Calls([Call { verb: 'destroy', operands: [Phrase(Phrase { quantifier: Some(Exactly(1)), head: 'creature', filters: [PhraseFilter { kind: With(Binary { op: LessEqual, left: 'power', right: 3 }) }, PhraseFilter { kind: Of('opponent') }] })] }])"#,
    ),
    (
        r#"choose 1 {
  - draw 1
    discard 1
  - win
}"#,
        r#"Next Modes { count: 1, least: None, repeats: false, modes: [Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }, Statement { link: Next, kind: Calls([Call { verb: 'discard', operands: [1] }]) }] }, Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'win' }]) }] }] }"#,
    ),
    (
        r#"put it into (hand of x)"#,
        r#"Next Calls([Call { verb: 'put', operands: ['it'], prepositions: [('into', Group(Phrase(Phrase { head: 'hand', filters: [PhraseFilter { kind: Of('x') }] })))] }])"#,
    ),
    (
        r#"until end of turn, once { if this would be destroyed, instead { draw 1 } }"#,
        r#"Next TemporaryAbilities { until: Duration { points: [Moment(Moment { start: false, whose: None, next: false, period_path: Path { parts: ['turn'] } })] }, once: true, abilities: [Ability { kind: Instead { pattern: Pattern { subject: 'this', passive: true, verb: 'destroyed' }, optional: false, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } } }] }"#,
    ),
    (
        r#"trigger { draw 1 }"#,
        r#"Next Trigger(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] })"#,
    ),
];

#[test]
fn statements_parse_to_the_expected_tree() {
    for (text, expected) in CASES {
        assert_eq!(&common::statements(text), expected, "{text}");
    }
}
