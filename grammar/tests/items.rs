//! Parses items and compares each with its expected tree, in the short form of `common`.
#![expect(clippy::needless_raw_string_hashes, reason = "all cases have the same form")]

mod common;

use common::short;

const CASES: &[(&str, &str)] = &[
    (
        r#"match { best of 3  exchange main, side  minutes 2 to 3  aids paper, "a die" }"#,
        r#"Match(MatchRules { best_of: Some((3, Span { file: 0, start: 16, end: 17 })), exchange: ['main', 'side'], minutes: Some((2, 3, Span { file: 0, start: 40, end: 54 })), aids: ['paper', 'a die'], repeated: [] })"#,
    ),
    (r#"ban "A", B"#, r#"Ban(['A', 'B'])"#),
    (r#"restrict "A""#, r#"Restrict(['A'])"#),
    (
        r#"deck rules { copies 1 of alone  refuse big "too big" in main, side }"#,
        r#"DeckRules([Copies { max: 1, of: Some('alone'), except: None }, Refuse { cards: 'big', message: 'too big', sections: ['main', 'side'] }])"#,
    ),
    (
        r#"pack tiny { edition 1  title "Tiny"  extends base  uses magic, other_one }"#,
        r#"Pack(Pack { name: 'tiny', edition: Some((1, Span { file: 0, start: 20, end: 21 })), title: Some('Tiny'), base: Some('base'), uses: ['magic', 'other_one'], allow: [], deny: [] })"#,
    ),
    (
        r#"traits kind { spell, land }"#,
        r#"Traits { name: 'kind', adds: false, open: false, changeable: false, abilities: Apart, words: ['spell', 'land'] }"#,
    ),
    (
        r#"traits race open"#,
        r#"Traits { name: 'race', adds: false, open: true, changeable: false, abilities: Apart, words: [] }"#,
    ),
    (
        r#"property power: number = 0 in layer power"#,
        r#"Variable(Variable { kind: Property, name: 'power', ty: TypeRef { list: false, word: false, name: 'number', written: true }, default: Some(0), layer: Some('power'), lifetime: None, keys: None })"#,
    ),
    (
        r#"status damage: number for turn"#,
        r#"Variable(Variable { kind: Status, name: 'damage', ty: TypeRef { list: false, word: false, name: 'number', written: true }, default: None, layer: None, lifetime: Some('turn'), keys: None })"#,
    ),
    (
        r#"player life: number = 20"#,
        r#"Variable(Variable { kind: Player, name: 'life', ty: TypeRef { list: false, word: false, name: 'number', written: true }, default: Some(20), layer: None, lifetime: None, keys: None })"#,
    ),
    (
        r#"global order: list of object"#,
        r#"Variable(Variable { kind: Global, name: 'order', ty: TypeRef { list: true, word: false, name: 'object', written: true }, default: None, layer: None, lifetime: None, keys: None })"#,
    ),
    (r#"constant shields = 5"#, r#"Constant { name: 'shields', value: 5 }"#),
    (
        r#"kind spell prints cost or "free", not creature or power"#,
        r#"Kind { word: 'spell', parts: [PrintRule { excluded: false, words: ['cost', 'free'] }, PrintRule { excluded: true, words: ['creature', 'power'] }] }"#,
    ),
    (r#"layers { copy, power }"#, r#"Layers(['copy', 'power'])"#),
    (
        r#"zone hand { each player; visible to owner; ordered }"#,
        r#"Zone { name: 'hand', settings: [['each', 'player'], ['visible', 'to', 'owner'], ['ordered']] }"#,
    ),
    (
        r#"noun permanent = card in battlefield"#,
        r#"Noun { name: 'permanent', meaning: Phrase(Phrase { head: 'card', filters: [PhraseFilter { kind: In('battlefield') }] }) }"#,
    ),
    (
        r#"function twice(n: number): number = n * 2"#,
        r#"Function { name: 'twice', params: [Param { name: 'n', ty: TypeRef { list: false, word: false, name: 'number', written: true }, zone: None }], result: TypeRef { list: false, word: false, name: 'number', written: true }, body: Binary { op: Multiply, left: 'n', right: 2 } }"#,
    ),
    (
        r#"action destroy(it: object, by_whom: player) is leave looks back { put it into its owner's hand }"#,
        r#"Action(Action { name: 'destroy', params: [Param { name: 'it', ty: TypeRef { list: false, word: false, name: 'object', written: true }, zone: None }, Param { name: 'by_whom', ty: TypeRef { list: false, word: false, name: 'player', written: true }, zone: None }], parent: Some('leave'), looks_back: true, body: Some(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'put', operands: ['it'], prepositions: [('into', Possessive { owner: Possessive { owner: 'it', word: 'owner' }, word: 'hand' })] }]) }] }) })"#,
    ),
    (
        r#"action resolved(it: object)"#,
        r#"Action(Action { name: 'resolved', params: [Param { name: 'it', ty: TypeRef { list: false, word: false, name: 'object', written: true }, zone: None }], parent: None, looks_back: false, body: None })"#,
    ),
    (
        r#"action discard(it: object in hand)"#,
        r#"Action(Action { name: 'discard', params: [Param { name: 'it', ty: TypeRef { list: false, word: false, name: 'object', written: true }, zone: Some('hand') }], parent: None, looks_back: false, body: None })"#,
    ),
    (
        r#"keyword breaker(n: number) { in hand ninja(n)
  when this attacks { draw n } }"#,
        r#"Keyword { name: 'breaker', params: [Param { name: 'n', ty: TypeRef { list: false, word: false, name: 'number', written: true }, zone: None }], with_body: false, abilities: [Ability { zones: ['hand'], kind: Keyword(Fact { word: 'ninja', args: ['n'] }) }, Ability { kind: When { pattern: Pattern { subject: 'this', verb: 'attacks' }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: ['n'] }]) }] } } }] }"#,
    ),
    (
        r#"rule no_attack { creature of opponent cannot attack
  x's power cannot change }"#,
        r#"Rule { name: 'no_attack', abilities: [Ability { kind: Cannot(Pattern { subject: Phrase(Phrase { head: 'creature', filters: [PhraseFilter { kind: Of('opponent') }] }), verb: 'attack' }) }, Ability { kind: Cannot(Pattern { subject: Possessive { owner: 'x', word: 'power' }, verb: 'change' }) }] }"#,
    ),
    (
        r#"state rule lethal { destroy each creature with damage >= toughness }"#,
        r#"StateRule { name: 'lethal', body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'destroy', operands: [Phrase(Phrase { quantifier: Some(Each), head: 'creature', filters: [PhraseFilter { kind: With(Binary { op: GreaterEqual, left: 'damage', right: 'toughness' }) }] })] }]) }] } }"#,
    ),
    (
        r#"play cast(card: object) { from hand, graveyard; when you is active; price cost of card; cost { draw 1 }; waits; class fast; does { carry out card } }"#,
        r#"Play(Play { name: Some('cast'), params: [Param { name: 'card', ty: TypeRef { list: false, word: false, name: 'object', written: true }, zone: None }], from: ['hand', 'graveyard'], condition: Some(Is { left: 'you', right: 'active', negated: false }), price: Some(Phrase(Phrase { head: 'cost', filters: [PhraseFilter { kind: Of('card') }] })), cost: Some(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] }), immediate: false, during_payment: false, from_keyword: false, classes: ['fast'], body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'resolve_text', operands: ['card'] }]) }] } })"#,
    ),
    (
        r#"payment mana of civilization { from each card in your mana that is not tapped; yields civilization of candidate; by { tap(it) }; pool floating }"#,
        r#"Payment(Payment { name: 'mana', kinds: 'civilization', clauses: [PaymentClause { from: Phrase(Phrase { quantifier: Some(Each), head: 'card', filters: [PhraseFilter { kind: In(Possessive { owner: 'you', word: 'mana' }) }, PhraseFilter { kind: ThatIs { what: 'tapped', negated: true } }] }), produces: Phrase(Phrase { head: 'civilization', filters: [PhraseFilter { kind: Of('candidate') }] }), by: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'tap', operands: ['it'] }]) }] } }], pool: Some('floating'), except: [], restricted: [] })"#,
    ),
    (
        r#"timing { stack; after acting same; use during resolution waits }"#,
        r#"Timing([['stack'], ['after', 'acting', 'same'], ['use', 'during', 'resolution', 'waits']])"#,
    ),
    (
        r#"announce { stages pay, list; lift targets; lift choices mandatory by controller in first sentence, public, except destroy of own, sacrifice of own; none allowed; fizzle whole }"#,
        r#"Announce(AnnouncePolicy { like: None, stages: ['pay', 'list'], announced: [AnnouncedChoices { words: ['targets'], except: [] }, AnnouncedChoices { words: ['choices', 'mandatory', 'by', 'controller', 'in', 'first', 'sentence', 'public'], except: ['destroy', 'sacrifice'] }], without_choices: Some('allowed'), needs: [], fizzle: ['whole'] })"#,
    ),
    (
        r#"announce like duel_magic"#,
        r#"Announce(AnnouncePolicy { like: Some('duel_magic'), stages: [], announced: [], without_choices: None, needs: [], fizzle: [] })"#,
    ),
    (
        r#"turn {
  phase main { step draw when not first_turn { draw 1 by active; priority } }
  repeat while x > 3 { step attack { settle } }
  at end of each step { settle }
  repeat while x { draw 1 }
}"#,
        r#"Turn([Period(PeriodDecl { is_phase: true, name: 'main', entries: [Period(PeriodDecl { is_phase: false, name: 'draw', condition: Some(Not('first_turn')), entries: [Statement(Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1], prepositions: [('by', 'active')] }]) }), Statement(Statement { link: Next, kind: Calls([Call { verb: 'priority' }]) })] })] }), Repeat { condition: Binary { op: Greater, left: 'x', right: 3 }, entries: [Period(PeriodDecl { is_phase: false, name: 'attack', entries: [Statement(Statement { link: Next, kind: Calls([Call { verb: 'settle' }]) })] })] }, Each { start: false, what: 'step', body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'settle' }]) }] } }, Statement(Statement { link: Next, kind: Repeat { condition: 'x', body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } } })])"#,
    ),
    (
        r#"evaluate life of you - life of opponent"#,
        r#"Evaluate(Binary { op: Subtract, left: Phrase(Phrase { head: 'life', filters: [PhraseFilter { kind: Of('you') }] }), right: Phrase(Phrase { head: 'life', filters: [PhraseFilter { kind: Of('opponent') }] }) })"#,
    ),
    (
        r#"deck rules { main 40  side 0 to 12  copies 4  refuse card with banned "banned" }"#,
        r#"DeckRules([Size { section: 'main', min: 40, max: 40 }, Size { section: 'side', min: 0, max: 12 }, Copies { max: 4, of: None, except: None }, Refuse { cards: Phrase(Phrase { head: 'card', filters: [PhraseFilter { kind: With('banned') }] }), message: 'banned', sections: [] }])"#,
    ),
    (
        r#"card 《ヴィルヘルム》 { creature  火  cost {2}{U}  power -1
  race "Dragon", "Angel"
  breaker(2)
  flying
  does { draw 1 }
  this cannot attack }"#,
        r#"Card(Card { is_token: false, name: 'ヴィルヘルム', facts: [Fact { word: 'creature' }, Fact { word: '火' }, Fact { word: 'cost', value: Some(Price(['2', 'U'])) }, Fact { word: 'power', value: Some(Negative(1)) }, Fact { word: 'race', value: Some(Quoted('Dragon')) }, Fact { word: 'race', value: Some(Quoted('Angel')) }, Fact { word: 'breaker', args: [2] }, Fact { word: 'flying' }], abilities: [Ability { kind: Does(Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] }) }, Ability { kind: Cannot(Pattern { subject: 'this', verb: 'attack' }) }] })"#,
    ),
    (
        r#"token goblin { creature }"#,
        r#"Card(Card { is_token: true, name: 'goblin', facts: [Fact { word: 'creature' }], abilities: [] })"#,
    ),
    (
        r#"deck "Fire rush" { format duel_masters  main { 4 《火》  2 "Bolt" } side { "X" } }"#,
        r#"Deck(Deck { name: 'Fire rush', format: Some('duel_masters'), sections: [DeckSection { name: 'main', cards: [(4, '火'), (2, 'Bolt')] }, DeckSection { name: 'side', cards: [(1, 'X')] }] })"#,
    ),
    (
        r#"format quick "Quick" extends magic {
  replace step turn.draw { draw 2 }
  replace constant shields = 7
  remove turn.upkeep
  before turn.draw step extra { priority }
  after turn.draw step extra { priority }
  append action.destroy { draw 1 }
  ban "Black Lotus", bolt
  restrict "X"
  errata "Time Walk" { cost {2}{U} }
  rule x { you cannot draw }
}"#,
        r#"Format { name: 'quick', title: Some('Quick'), base: 'magic', differences: [Difference { kind: ReplacePeriod { path: Path { parts: ['turn', 'draw'] }, entries: [Statement(Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [2] }]) })] } }, Difference { kind: Replace(Item { docs: '', kind: Constant { name: 'shields', value: 7 }, has_shorthand: false }) }, Difference { kind: Remove(Path { parts: ['turn', 'upkeep'] }) }, Difference { kind: Insert { before: true, path: Path { parts: ['turn', 'draw'] }, period: PeriodDecl { is_phase: false, name: 'extra', entries: [Statement(Statement { link: Next, kind: Calls([Call { verb: 'priority' }]) })] } } }, Difference { kind: Insert { before: false, path: Path { parts: ['turn', 'draw'] }, period: PeriodDecl { is_phase: false, name: 'extra', entries: [Statement(Statement { link: Next, kind: Calls([Call { verb: 'priority' }]) })] } } }, Difference { kind: Append { path: Path { parts: ['action', 'destroy'] }, body: Block { statements: [Statement { link: Next, kind: Calls([Call { verb: 'draw', operands: [1] }]) }] } } }, Difference { kind: Ban(['Black Lotus', 'bolt']) }, Difference { kind: Restrict(['X']) }, Difference { kind: Errata(Card { is_token: false, name: 'Time Walk', facts: [Fact { word: 'cost', value: Some(Price(['2', 'U'])) }], abilities: [] }) }, Difference { kind: Add(Item { docs: '', kind: Rule { name: 'x', abilities: [Ability { kind: Cannot(Pattern { subject: 'you', verb: 'draw' }) }] }, has_shorthand: true }) }] }"#,
    ),
    (
        r#"scenario "s" covers DX-088, MC-1 {
  format magic
  position {
    A: { hand 《デ》 as h, mana 6 《闇》 tapped, battle "X", 2 "Y" as x with damage = 2, tapped;  life 20 }
    B: { deck 5 "X" }
  }
}"#,
        r#"Scenario(Scenario { title: 's', claims: ['DX-088', 'MC-1'], format: Some('magic'), position: Some(Position { players: [PositionPlayer { player: 'A', entries: [Cards { zone: 'hand', count: 1, card: 'デ', flags: [], statuses: [], binding: Some('h') }, Cards { zone: 'mana', count: 6, card: '闇', flags: ['tapped'], statuses: [] }, Cards { zone: 'battle', count: 1, card: 'X', flags: [], statuses: [] }, Cards { zone: 'battle', count: 2, card: 'Y', flags: ['tapped'], statuses: [('damage', None, 2)], binding: Some('x') }, Value(PositionValue { name: 'life', key: None, value: 20 })] }, PositionPlayer { player: 'B', entries: [Cards { zone: 'deck', count: 5, card: 'X', flags: [], statuses: [] }] }], values: [] }), steps: [], unread: {} })"#,
    ),
    (
        r#"scenario "s" {
  at A's turn.main
  go to B's turn.main
  A casts x choosing y, z and w, nothing choosing mode 2
  A attacks
  A passes   A, B pass
  B chooses x, y
  B chooses modes 1, 3
  B says yes
  B says no
  A answers 3
  A answers -3
}"#,
        r#"Scenario(Scenario { title: 's', claims: [], format: None, position: None, steps: [ScenarioStep { kind: Start { player: 'A', path: Path { parts: ['turn', 'main'] } } }, ScenarioStep { kind: GoTo { player: 'B', path: Path { parts: ['turn', 'main'] } } }, ScenarioStep { kind: Act { player: 'A', play: 'casts', object: Some('x'), choosing: [Values(['y']), Values(['z', 'w']), Nothing, Modes([2])] } }, ScenarioStep { kind: Act { player: 'A', play: 'attacks', choosing: [] } }, ScenarioStep { kind: Pass(['A']) }, ScenarioStep { kind: Pass(['A', 'B']) }, ScenarioStep { kind: Answer { player: 'B', answer: Values(['x', 'y']) } }, ScenarioStep { kind: Answer { player: 'B', answer: Modes([1, 3]) } }, ScenarioStep { kind: Answer { player: 'B', answer: Yes } }, ScenarioStep { kind: Answer { player: 'B', answer: No } }, ScenarioStep { kind: Answer { player: 'A', answer: Values([3]) } }, ScenarioStep { kind: Answer { player: 'A', answer: Values([Negative(3)]) } }], unread: {} })"#,
    ),
    (
        r#"scenario "s" {
  expect x in hand of A
  expect list is [x, y]
  expect asked A to act
  expect asked A
  expect choices [x]
  expect events [draw, turn.main]
  expect no event draw, put
  expect no creature
  expect windows of A [main]
  expect A sees x
  expect B does not see top 1 card of deck of A
  expect B sees x chosen for y
  expect A has seen "X" in hand of B
  expect A has not seen 《X》
  expect x has blocker
  refuse A casts y because rule.no_more
  refuse A attacks x, y
  let x = top 1 card of deck of A
  answer the rest with first
}"#,
        r#"Scenario(Scenario { title: 's', claims: [], format: None, position: None, steps: [ScenarioStep { kind: Expect(Phrase(Phrase { head: 'x', filters: [PhraseFilter { kind: In('hand') }, PhraseFilter { kind: Of('A') }] })) }, ScenarioStep { kind: ExpectList(['x', 'y']) }, ScenarioStep { kind: ExpectDecision { player: 'A', kind: Some('act') } }, ScenarioStep { kind: ExpectDecision { player: 'A', kind: None } }, ScenarioStep { kind: ExpectChoices(['x']) }, ScenarioStep { kind: ExpectEvents([Path { parts: ['draw'] }, Path { parts: ['turn', 'main'] }]) }, ScenarioStep { kind: ExpectNoEvents([Path { parts: ['draw'] }, Path { parts: ['put'] }]) }, ScenarioStep { kind: Expect(Phrase(Phrase { quantifier: Some(No), head: 'creature' })) }, ScenarioStep { kind: ExpectWindows { player: 'A', steps: [Path { parts: ['main'] }] } }, ScenarioStep { kind: ExpectSees { player: 'A', sees: true, what: 'x', chosen_for: None } }, ScenarioStep { kind: ExpectSees { player: 'B', sees: false, what: Phrase(Phrase { quantifier: Some(Top(1)), head: 'card', filters: [PhraseFilter { kind: Of('deck') }, PhraseFilter { kind: Of('A') }] }), chosen_for: None } }, ScenarioStep { kind: ExpectSees { player: 'B', sees: true, what: 'x', chosen_for: Some('y') } }, ScenarioStep { kind: ExpectSeen { player: 'A', seen: true, card: 'X', zone: Some(Phrase(Phrase { head: 'hand', filters: [PhraseFilter { kind: Of('B') }] })) } }, ScenarioStep { kind: ExpectSeen { player: 'A', seen: false, card: 'X', zone: None } }, ScenarioStep { kind: Expect(Has { left: 'x', word: 'blocker' }) }, ScenarioStep { kind: Refuse { player: 'A', play: 'casts', objects: ['y'], because: Some(Path { parts: ['rule', 'no_more'] }) } }, ScenarioStep { kind: Refuse { player: 'A', play: 'attacks', objects: ['x', 'y'], because: None } }, ScenarioStep { kind: Let { name: 'x', value: Phrase(Phrase { quantifier: Some(Top(1)), head: 'card', filters: [PhraseFilter { kind: Of('deck') }, PhraseFilter { kind: Of('A') }] }) } }, ScenarioStep { kind: Rest('first') }], unread: {} })"#,
    ),
    (
        r#"treat destroy as sacrifice when chooser is you"#,
        r#"Treat { action: 'destroy', into: 'sacrifice', condition: Some(Is { left: 'chooser', right: 'you', negated: false }) }"#,
    ),
    (
        r#"position late from early { A: { life 3 }  day = 2 }"#,
        r#"Position(NamedPosition { name: 'late', from: Some('early'), position: Position { players: [PositionPlayer { player: 'A', entries: [Value(PositionValue { name: 'life', key: None, value: 3 })] }], values: [PositionValue { name: 'day', key: None, value: 2 }] } })"#,
    ),
    (
        r#"card "Knight" { creature  face "Charge" { spell } back "Mist" { spell } }"#,
        r#"Card(Card { is_token: false, name: 'Knight', facts: [Fact { word: 'creature' }], abilities: [], faces: [Face { joined: true, card: Card { is_token: false, name: 'Charge', facts: [Fact { word: 'spell' }], abilities: [] } }, Face { joined: false, card: Card { is_token: false, name: 'Mist', facts: [Fact { word: 'spell' }], abilities: [] } }] })"#,
    ),
];

#[test]
fn items_parse_to_the_expected_tree() {
    for (text, expected) in CASES {
        assert_eq!(&short(&common::item(text)), expected, "{text}");
    }
}
