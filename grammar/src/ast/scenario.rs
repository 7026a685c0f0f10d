//! Syntax tree of scenarios: positions, steps, scripted answers.

use super::card::DeckSection;
use super::expr::Expr;
use super::rules::MatchRules;
use super::statement::Block;
use crate::span::{Name, Path, Span};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// An executable rule example.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its title.
    pub title: Name,
    /// `covers …`: the ids of the rules that it tests.
    pub claims: Vec<Name>,
    /// `from NAME`: the named position that the scenario starts with.
    pub from: Option<Name>,
    /// `strict`: every answer is written.
    pub strict: bool,
    /// `format NAME`
    pub format: Option<Name>,
    /// `match { … }`: the game is part of a match.
    pub match_header: Option<MatchHeader>,
    /// `position { … }`; `None`: the scenario starts with the setup of the game, or with the named position alone.
    pub position: Option<Position>,
    /// The script, in source order.
    pub steps: Vec<ScenarioStep>,
    /// Words of its text that was not parsed. They may be names that the rest uses.
    pub unread: BTreeSet<SmolStr>,
}

/// `stage "…" for NOUN { … }`: a position in which a card is tried. `this` is the card.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The cards that it is for.
    pub filter: Expr,
    /// The position and what leads up to it; its title is the title of the stage.
    pub scenario: Scenario,
}

/// `match { best of 3  A: "…"  B: "…" }`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchHeader {
    /// `best of 3`; `None`: the number of the format.
    pub best_of: Option<(u32, Span)>,
    /// The registered deck of each player.
    pub seats: Vec<(Name, DeckExpr)>,
    /// The whole of it.
    pub span: Span,
}

/// A deck as a scenario writes it: `"Fire rush" with { side { 2 "Bolt" } } without { … }`, or only sections.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckExpr {
    /// The declared deck that it is based on.
    pub name: Option<Name>,
    /// Its sections, if it is not based on a deck.
    pub lists: Vec<DeckSection>,
    /// The added cards.
    pub with: Vec<DeckSection>,
    /// The removed cards.
    pub without: Vec<DeckSection>,
    /// The whole of it.
    pub span: Span,
}

/// A step about a match.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchStep {
    /// `A wins game`, `nobody wins game`: ends the current game with this result.
    Wins(Name),
    /// `A exchanges main { … } for side { … }`, or `refuse A exchanges … because …`.
    Exchange {
        /// The player.
        player: Name,
        /// The cards that move from the first section to the second.
        gives: DeckSection,
        /// The cards that move from the second section to the first.
        takes: DeckSection,
        /// `refuse`: words of the expected problems; `None` if the exchange is legal.
        refused: Option<Vec<Name>>,
    },
    /// `A, B are ready`: they finish the exchange.
    Ready(Vec<Name>),
    /// `next match`: starts another match with the registered decks.
    Next,
    /// `expect score [1, 0]`
    Score(Vec<u32>),
    /// `expect match is exchanging`
    Phase(Name),
    /// `expect match { best of 3 }`: the format has these match rules.
    Rules(MatchRules),
    /// `expect section main of A has 40, 2 "Bolt"`
    Section {
        /// The section.
        section: Name,
        /// The owner of the deck.
        player: Name,
        /// The number of cards, or of copies of one card.
        counts: Vec<(u32, Option<Name>)>,
    },
    /// `expect B sees no "Bolt" in match`
    Sees {
        /// The player.
        player: Name,
        /// The card.
        card: Name,
        /// `no` was written.
        negated: bool,
    },
}

/// `position NAME from NAME { … }`: a position that scenarios and other positions extend.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPosition {
    /// Its name.
    pub name: Name,
    /// The position that it extends.
    pub from: Option<Name>,
    /// What it adds.
    pub position: Position,
}

/// `{ A: { … }  B: { … }  day = 2 }`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    /// What the players have.
    pub players: Vec<PositionPlayer>,
    /// Variables of the game.
    pub values: Vec<PositionValue>,
}

/// `life 20`, `counters(poison) 3`, `day = 2`: a variable of a player or of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionValue {
    /// The variable.
    pub name: Name,
    /// The word of a variable with one value per word.
    pub key: Option<Name>,
    /// Its value.
    pub value: Expr,
}

/// `A: { … }` of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionPlayer {
    /// `A`, `B`, …
    pub player: Name,
    /// Its objects and variables, in source order.
    pub entries: Vec<PositionEntry>,
}

/// One entry of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionEntry {
    /// `hand 《X》 as x`, `mana 6 《X》 tapped`, `battle 《X》 as x with damage = 2, tapped`
    Cards {
        /// The zone.
        zone: Name,
        /// The number of copies; 1 if not written.
        count: u32,
        /// The card. The bare word `this` is the card of a stage.
        card: Name,
        /// Bool statuses that are true.
        flags: Vec<Name>,
        /// `with STATUS = EXPR`, `with STATUS(WORD) = EXPR`
        statuses: Vec<(Name, Option<Name>, Expr)>,
        /// `as NAME`
        binding: Option<Name>,
        /// The whole entry.
        span: Span,
    },
    /// `life 20`: a player variable.
    Value(PositionValue),
    /// `effect { … }`, `effect of x { … }`: statements that this player's effect carries out as the game starts.
    Effect {
        /// The source of the effect.
        source: Option<Name>,
        /// The statements.
        body: Block,
        /// The whole entry.
        span: Span,
    },
}

/// One step of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioStep {
    /// Its kind and operands.
    pub kind: ScenarioStepKind,
    /// The whole step.
    pub span: Span,
}

/// The kinds of scenario steps.
#[derive(Clone, Debug, PartialEq)]
pub enum ScenarioStepKind {
    /// `at A's turn.main`: the turn position that the game starts at. Only the first step.
    Start {
        /// The active player.
        player: Name,
        /// The phase or step.
        path: Path,
    },
    /// `go to A's turn.main`: all players pass and decline until this position.
    GoTo {
        /// The active player.
        player: Name,
        /// The phase or step.
        path: Path,
    },
    /// `A casts x choosing y, z`: PLAYER PLAY-in-third-person OBJECT
    Act {
        /// The player.
        player: Name,
        /// `casts`
        play: Name,
        /// The object.
        object: Option<Expr>,
        /// Answers to the decisions of the announcement.
        choosing: Vec<Answer>,
    },
    /// `A passes`, `A, B pass`
    Pass(Vec<Name>),
    /// `A concedes`
    Concede(Name),
    /// `A pays with x, y`
    PayWith {
        /// The player.
        player: Name,
        /// The producers.
        producers: Vec<Expr>,
    },
    /// `refuse A pays with x, y`
    RefusePay {
        /// The player.
        player: Name,
        /// The producers.
        producers: Vec<Expr>,
        /// The name of what refuses it.
        because: Option<Path>,
    },
    /// `refuse A chooses x`, `refuse A says yes`, `refuse A passes`
    RefuseAnswer {
        /// The player.
        player: Name,
        /// The answer; `None`: passing.
        answer: Option<Answer>,
        /// The name of what refuses it.
        because: Option<Path>,
    },
    /// `A chooses x, y` / `A chooses nothing` / `A says yes` / `A answers 3`
    Answer {
        /// The player.
        player: Name,
        /// The answer.
        answer: Answer,
    },
    /// `expect COND`
    Expect(Expr),
    /// `expect list is [x, y]`: from bottom to top. A quoted card name matches the card, or an ability of it on the list.
    ExpectList(Vec<Expr>),
    /// `expect asked A`, `expect asked A to WORD`
    ExpectDecision {
        /// The player who must decide.
        player: Name,
        /// `to act`, `to choose`, …: the kind of decision.
        kind: Option<Name>,
    },
    /// `expect choices [x, y]`: exactly these are legal now.
    ExpectChoices(Vec<Expr>),
    /// `expect events [a, b]`: these actions and periods occurred since the last such step, in this order, among other events.
    ExpectEvents(Vec<Path>),
    /// `expect all events [draw, put, draw]`
    ExpectAllEvents(Vec<Path>),
    /// `expect no event NAME, …`: none of these occurred since the last `expect events`.
    ExpectNoEvents(Vec<Path>),
    /// `expect windows of A [step, …]`: the steps in which A was given the decision to act since the start.
    ExpectWindows {
        /// The player.
        player: Name,
        /// The steps, in order.
        steps: Vec<Path>,
    },
    /// `expect A sees x`, `expect A does not see x`, `expect A sees x chosen for y`
    ExpectSees {
        /// The player whose view is tested.
        player: Name,
        /// Whether the player must see them.
        sees: bool,
        /// The objects.
        what: Expr,
        /// `chosen for Y`: the object that they were chosen for, or that the ability is of.
        chosen_for: Option<Expr>,
    },
    /// `expect A has seen "X" in hand of B`, `expect A has not seen "X"`: tests the record of shown cards.
    ExpectSeen {
        /// The player whose record is tested.
        player: Name,
        /// Whether the card must be recorded.
        seen: bool,
        /// The card.
        card: Name,
        /// The zone that it was in.
        zone: Option<Expr>,
    },
    /// `expect x fizzles`, `expect paragraph 2 of x does not fizzle`: since the last `expect events` or the start.
    ExpectFizzles {
        /// The object, or the source of the ability.
        what: Expr,
        /// One paragraph or mode of its text; `None`: it fizzled as a whole.
        part: Option<FizzledPart>,
        /// Whether it must have fizzled.
        fizzles: bool,
    },
    /// `refuse A casts y because PATH`: this is not a legal answer now. The state does not change.
    Refuse {
        /// The player.
        player: Name,
        /// `casts`; `chooses` refuses an answer.
        play: Name,
        /// The objects.
        objects: Vec<Expr>,
        /// The rule that refuses it.
        because: Option<Path>,
    },
    /// `A attacks with x at foe, y at walker`, `B blocks x with y, z`: a declaration as pairs, the declared object first.
    /// A pair without second part takes the only possible one.
    Assign {
        /// The player.
        player: Name,
        /// The verb of the action, in its written form.
        verb: Name,
        /// The pairs.
        pairs: Vec<(Expr, Option<Expr>)>,
    },
    /// `refuse A attacks with x because PATH offering with nothing`
    RefuseAssign {
        /// The player.
        player: Name,
        /// The verb of the action, in its written form.
        verb: Name,
        /// The pairs.
        pairs: Vec<(Expr, Option<Expr>)>,
        /// The rule that refuses it.
        because: Option<Path>,
        /// The legal declaration that the machine offers instead.
        offering: Option<Vec<(Expr, Option<Expr>)>>,
    },
    /// `let NAME = EXPR`: names an object of the current state.
    Let {
        /// The new name.
        name: Name,
        /// Its value.
        value: Expr,
    },
    /// `chance 3, 4`: the next random results.
    Chance(Vec<(u32, Span)>),
    /// `chance shuffle [x, y]`: the cards on top after the next shuffle, the uppermost first.
    ChanceShuffle(Vec<Expr>),
    /// `expect deck "…" is accepted`, `expect deck "…" is refused because "…"`
    ExpectDeck {
        /// The deck.
        deck: DeckExpr,
        /// Words of each expected problem; empty if the deck is accepted.
        because: Vec<Name>,
    },
    /// A step about a match.
    Match(MatchStep),
    /// `answer the rest with first`: the policy for decisions without a scripted answer.
    Rest(Name),
}

/// A part of a text that fizzles by itself. Numbers are from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FizzledPart {
    /// `paragraph 2 of x`
    Paragraph(u32),
    /// `mode 1 of x`
    Mode(u32),
}

/// A scripted answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Objects, players or numbers.
    Values(Vec<Expr>),
    /// `nothing`
    Nothing,
    /// `yes`
    Yes,
    /// `no`
    No,
    /// `mode 2`, `modes 1, 3` (from 1)
    Modes(Vec<u32>),
}
