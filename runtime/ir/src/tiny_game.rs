//! A tiny handmade game for tests: draw a card each turn, play it to the table or pass; a player who cannot
//! draw loses.

use crate::op::{ChosenBy, EventProposal, Op, Place, Source};
use crate::verbs::{BUILTINS, LOSE, PUT, SHUFFLE, VERBS};
use crate::*;

const HAND: u32 = 1;
const TABLE: u32 = 2;

fn function(name: &str, registers: &[Type], params: u16, result: Option<Type>, ops: Vec<Op>) -> Function {
    let sources = vec![Source::default(); ops.len()];
    Function { name: name.into(), registers: registers.to_vec(), params, result, ops, sources, text_slots: Vec::new() }
}

fn put(it: Reg, into: Reg, spare: Reg) -> EventProposal {
    EventProposal {
        action: ActionId(PUT),
        args: vec![it, into, spare, spare + 1, spare + 1, spare],
        over: None,
        chosen: ChosenBy::NoPlayer,
    }
}

fn functions() -> Vec<Function> {
    use Type::{Bool, Number, Object, Objects, Player, Zone};
    let list_size = BUILTINS.iter().position(|b| b.name == "turn_number").unwrap_or(0) as u16;
    vec![
        // 0: the setup shuffles both decks
        function(
            "setup",
            &[Object, Player, Zone, Player, Zone],
            2,
            None,
            vec![
                Op::ZoneOf { dst: 2, zone: ZoneKindId(0), player: 1 },
                Op::Opponent { dst: 3, player: 1 },
                Op::ZoneOf { dst: 4, zone: ZoneKindId(0), player: 3 },
                Op::Propose {
                    events: vec![EventProposal {
                        action: ActionId(SHUFFLE),
                        args: vec![2],
                        over: None,
                        chosen: ChosenBy::NoPlayer,
                    }],
                    done: None,
                    out: None,
                },
                Op::Propose {
                    events: vec![EventProposal {
                        action: ActionId(SHUFFLE),
                        args: vec![4],
                        over: None,
                        chosen: ChosenBy::NoPlayer,
                    }],
                    done: None,
                    out: None,
                },
            ],
        ),
        // 1: the step draws, or the player loses
        function(
            "draw",
            &[Object, Player, Zone, Objects, Number, Number, Object, Zone, Player, Number],
            2,
            None,
            vec![
                Op::ZoneOf { dst: 2, zone: ZoneKindId(0), player: 1 },
                Op::ZoneList { dst: 3, zone: 2 },
                Op::Count { dst: 4, list: 3 },
                Op::JumpUnless { cond: 4, to: 12 },
                Op::Const { dst: 5, value: 1 },
                Op::TakeEnds { dst: 3, list: 3, count: 5, top: true },
                Op::Const { dst: 5, value: 0 },
                Op::ElementAt { dst: 6, list: 3, index: 5 },
                Op::ZoneOf { dst: 7, zone: ZoneKindId(HAND), player: 1 },
                Op::Const { dst: 8, value: -1 },
                Op::Propose { events: vec![put(6, 7, 8)], done: None, out: None },
                Op::Jump { to: 13 },
                Op::Propose {
                    events: vec![EventProposal { action: ActionId(LOSE), args: vec![1], over: None, chosen: ChosenBy::NoPlayer }],
                    done: None,
                    out: None,
                },
                Op::Window { window: 0 },
            ],
        ),
        // 2: the play puts its card onto the table
        function(
            "lay",
            &[Object, Player, Zone, Player, Number],
            2,
            None,
            vec![
                Op::ZoneOf { dst: 2, zone: ZoneKindId(TABLE), player: 1 },
                Op::Const { dst: 3, value: -1 },
                Op::Propose { events: vec![put(0, 2, 3)], done: None, out: None },
            ],
        ),
        // 3: the evaluation for bots: the number of cards on the table
        function(
            "evaluate",
            &[Object, Player, Objects, Number],
            2,
            Some(Number),
            vec![
                Op::AllInZone { dst: 2, zone: ZoneKindId(TABLE) },
                Op::Filter { dst: 2, list: 2, filter: FnId(4), captures: vec![0, 1] },
                Op::Count { dst: 3, list: 2 },
                Op::Return { value: Some(3) },
            ],
        ),
        // 4: a card of the controller
        function(
            "mine",
            &[Object, Player, Object, Player, Bool],
            3,
            Some(Bool),
            vec![
                Op::Get { dst: 3, place: Place::Owner, of: 2 },
                Op::Binary { op: crate::op::Binary::Equal, dst: 4, a: 3, b: 1 },
                Op::Return { value: Some(4) },
            ],
        ),
        // 5: the card is heavy
        function(
            "heavy",
            &[Object, Player, Object, Number, Number, Bool],
            3,
            Some(Bool),
            vec![
                Op::Get { dst: 3, place: Place::Printed(0), of: 2 },
                Op::Const { dst: 4, value: 3 },
                Op::Binary { op: crate::op::Binary::LessEqual, dst: 5, a: 4, b: 3 },
                Op::Return { value: Some(5) },
            ],
        ),
        // 6: the number of the turn, for a condition that calls a built-in function
        function(
            "turn",
            &[Object, Player, Number],
            2,
            Some(Number),
            vec![Op::Builtin { dst: 2, builtin: list_size, args: Vec::new() }, Op::Return { value: Some(2) }],
        ),
    ]
}

fn zone(name: &str, each_player: bool, visibility: Visibility) -> ZoneKind {
    ZoneKind { name: name.into(), each_player, visibility, ..ZoneKind::default() }
}

/// The game.
pub fn game() -> CompiledGame {
    let mut definitions = vec![Definition { properties: vec![0], ..Definition::default() }];
    for (i, name) in ["One", "Two", "Three", "Four"].iter().enumerate() {
        definitions.push(Definition { name: (*name).into(), properties: vec![i as i32 + 1], ..Definition::default() });
    }
    let number = |name: &str, initial| Variable {
        name: name.into(),
        ty: Type::Number,
        initial,
        layer: 0,
        lifetime: None,
        keys: None,
        conceals: false,
        kept_on_field: false,
        disguise: None,
        nameless: false,
        revealed_on_leaving: false,
        updates_timestamp: false,
        clears_effects: false,
    };
    let library = Library {
        files: vec!["tiny.fz".into()],
        layers: vec!["only".into()],
        properties: vec![number("size", 0)],
        statuses: vec![number("marks", 0)],
        player_variables: vec![number("points", 5)],
        zones: vec![
            ZoneKind { ordered: true, ..zone("deck", true, Visibility::Hidden) },
            zone("hand", true, Visibility::Owner),
            ZoneKind { field: true, ..zone("table", false, Visibility::Public) },
        ],
        definitions: definitions.into(),
        functions: functions().into(),
        windows: vec![WindowRules { name: "priority".into(), only_active: true, ..WindowRules::default() }],
        ..Library::default()
    };
    let actions = VERBS
        .iter()
        .map(|verb| Action {
            name: verb.name.into(),
            params: verb.params.iter().map(|p| (p.name.to_string(), p.ty)).collect(),
            parent: None,
            looks_back: false,
            unstoppable: false,
            selective: false,
            cost_conditions: Vec::new(),
            timing_neutral: false,
            acting_param: None,
            body: None,
            source: Source::default(),
        })
        .collect();
    let span = |name: &str, path: &str| Period { name: name.into(), path: path.into(), ..Period::default() };
    let format = Format {
        name: "tiny".into(),
        title: "Tiny".into(),
        min_players: 2,
        max_players: 2,
        actions,
        plays: vec![Play { name: "lay".into(), from: vec![ZoneKindId(HAND)], immediate: true, body: FnId(2), ..Play::default() }],
        setup: Some(FnId(0)),
        periods: vec![
            Period { entries: vec![PeriodEntry::Period(PeriodId(1))], ..span("turn", "turn") },
            Period { body: Some(FnId(1)), ..span("only", "turn.only") },
        ],
        evaluate: Some(FnId(3)),
        deck: DeckRules {
            sizes: vec![("main".into(), 10, 12), ("side".into(), 0, 2)],
            copies: Some(4),
            unlimited: None,
            limits: Vec::new(),
            prohibitions: Vec::new(),
            banned: vec![DefId(4)],
            restricted: vec![DefId(3)],
        },
        match_rules: MatchRules { best_of: 3, exchange: vec!["main".into(), "side".into()], ..MatchRules::default() },
        ..Format::default()
    };
    CompiledGame {
        name: "tiny".into(),
        library: library.into(),
        formats: vec![format],
        decks: Vec::new(),
        stages: Vec::new(),
        scenarios: Vec::new(),
        texts: Vec::new(),
        hashes: Vec::new(),
    }
}

/// The function of [`game`] that holds for cards of size 3 and more.
pub const HEAVY: FnId = FnId(5);

/// `count` cards, of all kinds in turn.
pub fn cards(count: usize) -> Vec<DefId> {
    (0..count).map(|i| DefId(1 + i as u32 % 4)).collect()
}
