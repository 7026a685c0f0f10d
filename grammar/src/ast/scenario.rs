//! Scenarios: positions, steps, scripted answers.

use super::{DeckSection, Expr, MatchRules, Name, Path, Span};

/// An executable example.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it shows.
    pub title: Name,
    /// Ids of claims.
    pub claims: Vec<Name>,
    /// `format NAME`
    pub format: Option<Name>,
    /// `match { … }`: the game is one of a match.
    pub contest: Option<MatchHeader>,
    /// `position { … }`; `None` starts with the setup of the game.
    pub position: Option<Vec<PositionPlayer>>,
    /// The script.
    pub steps: Vec<ScenarioStep>,
}

/// `match { best of 3  A: "…"  B: "…" }`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchHeader {
    /// `best of 3`; without it as the format says.
    pub best_of: Option<(u32, Span)>,
    /// The decks that the players registered.
    pub seats: Vec<(Name, DeckExpr)>,
    /// The whole of it.
    pub span: Span,
}

/// `"Fire rush" with { side { 2 "Bolt" } } without { … }`, or lists of its own
#[derive(Clone, Debug, PartialEq)]
pub struct DeckExpr {
    /// The deck it begins with.
    pub name: Option<Name>,
    /// Lists of its own.
    pub lists: Vec<DeckSection>,
    /// What is added.
    pub with: Vec<DeckSection>,
    /// What is taken away.
    pub without: Vec<DeckSection>,
    /// The whole of it.
    pub span: Span,
}

/// A step about a match.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchStep {
    /// `A wins game`, `nobody wins game`: ends the game under way so.
    Wins(Name),
    /// `A exchanges main { … } for side { … }`; with `refuse` and `because` it is refused.
    Exchange {
        /// Who.
        player: Name,
        /// What leaves the first section for the second.
        gives: DeckSection,
        /// What leaves the second section for the first.
        takes: DeckSection,
        /// `refuse`: the problems that it is refused for.
        refused: Option<Vec<Name>>,
    },
    /// `A, B are ready`: they exchange no more.
    Ready(Vec<Name>),
    /// `next match`: another one with the registered decks.
    Next,
    /// `expect score [1, 0]`
    Score(Vec<u32>),
    /// `expect match is exchanging`
    Phase(Name),
    /// `expect match { best of 3 }`: what is said of matches here is what the format says.
    Rules(MatchRules),
    /// `expect section main of A has 40, 2 "Bolt"`
    Section {
        /// Which.
        section: Name,
        /// Whose.
        player: Name,
        /// How many cards, or how many copies of one.
        counts: Vec<(u32, Option<Name>)>,
    },
    /// `expect B sees no "Bolt" in match`
    Sees {
        /// Who.
        player: Name,
        /// The card.
        card: Name,
        /// `no` was written.
        negated: bool,
    },
}

/// `A: { … }` of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionPlayer {
    /// `A`, `B`, …
    pub player: Name,
    /// Its objects and variables.
    pub entries: Vec<PositionEntry>,
}

/// One entry of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionEntry {
    /// `hand 《X》 as x`, `mana 6 《X》 tapped`, `battle 《X》 as x with damage = 2, tapped`
    Cards {
        /// The zone.
        zone: Name,
        /// How many (1 if not written).
        count: u32,
        /// Which card.
        card: Name,
        /// Bool statuses that hold.
        flags: Vec<Name>,
        /// `with STATUS = EXPR`, `with STATUS(WORD) = EXPR`
        statuses: Vec<(Name, Option<Name>, Expr)>,
        /// `as NAME`
        binding: Option<Name>,
        /// Where.
        span: Span,
    },
    /// `life 20`: a player variable.
    Value {
        /// Which.
        name: Name,
        /// Of which word.
        key: Option<Name>,
        /// Its value.
        value: Expr,
    },
}

/// One step of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioStep {
    /// What is done or claimed.
    pub kind: ScenarioStepKind,
    /// Where.
    pub span: Span,
}

/// The kinds of scenario steps.
#[derive(Clone, Debug, PartialEq)]
pub enum ScenarioStepKind {
    /// `at A's turn.main`: where the game starts (first step only).
    Start {
        /// The active player.
        player: Name,
        /// The phase or step.
        path: Path,
    },
    /// `go to A's turn.main`: everybody passes and declines until then.
    GoTo {
        /// The active player.
        player: Name,
        /// The phase or step.
        path: Path,
    },
    /// `A casts x choosing y, z`: PLAYER PLAY-in-third-person OBJECT
    Act {
        /// Who.
        player: Name,
        /// `casts`
        play: Name,
        /// Which object.
        object: Option<Expr>,
        /// Answers to what is asked meanwhile.
        choosing: Vec<Answer>,
    },
    /// `A passes`, `A, B pass`
    Pass(Vec<Name>),
    /// `A concedes`
    Concede(Name),
    /// `A chooses x, y` / `A chooses nothing` / `A says yes` / `A answers 3`
    Answer {
        /// Who.
        player: Name,
        /// What.
        answer: Answer,
    },
    /// `expect COND`
    Expect(Expr),
    /// `expect list is [x, y]`: bottom to top; a quoted card name stands for its ability on the list or its card.
    ExpectList(Vec<Expr>),
    /// `expect asked A`, `expect asked A to WORD`
    ExpectAsked {
        /// Who has the decision.
        player: Name,
        /// `to act`, `to choose`, …: the kind of decision.
        kind: Option<Name>,
    },
    /// `expect choices [x, y]`: exactly these are legal now.
    ExpectChoices(Vec<Expr>),
    /// `expect events [a, b]`: names of actions and spans since the last such step, in order; other events may lie between.
    ExpectEvents(Vec<Path>),
    /// `expect all events [draw, put, draw]`
    ExpectAllEvents(Vec<Path>),
    /// `expect no event NAME, …`: none of these since the last `expect events`.
    ExpectNoEvents(Vec<Path>),
    /// `expect windows of A [step, …]`: the steps in which A was asked to act since the start.
    ExpectWindows {
        /// Who.
        player: Name,
        /// The steps, in order.
        steps: Vec<Path>,
    },
    /// `expect A sees x`, `expect A does not see x`, `expect A sees x chosen for y`
    ExpectSees {
        /// Whose view it is.
        player: Name,
        /// Whether it is seen.
        sees: bool,
        /// The objects.
        what: Expr,
        /// That for which they were chosen.
        chosen_for: Option<Expr>,
    },
    /// `expect A has seen "X" in hand of B`, `expect A has not seen "X"`: in the record of what was shown.
    ExpectSeen {
        /// Whose record it is.
        player: Name,
        /// Whether it stands there.
        seen: bool,
        /// The card.
        card: Name,
        /// The zone it lay in.
        zone: Option<Expr>,
    },
    /// `refuse A casts y because PATH`: not a legal answer now; nothing changes.
    Refuse {
        /// Who.
        player: Name,
        /// `casts`; `chooses` refuses an answer.
        play: Name,
        /// The objects.
        objects: Vec<Expr>,
        /// The rule cited.
        because: Option<Path>,
    },
    /// `A attacks with x at foe, y at walker`, `B blocks x with y, z`: pairs, the object first; with whatever there is, if nothing is said.
    Assign {
        /// Who.
        player: Name,
        /// The action, as written.
        verb: Name,
        /// The pairs.
        pairs: Vec<(Expr, Option<Expr>)>,
    },
    /// `refuse A attacks with x because PATH offering with nothing`
    RefuseAssign {
        /// Who.
        player: Name,
        /// The action, as written.
        verb: Name,
        /// The pairs.
        pairs: Vec<(Expr, Option<Expr>)>,
        /// The rule cited.
        because: Option<Path>,
        /// The legal declaration that is offered instead.
        offering: Option<Vec<(Expr, Option<Expr>)>>,
    },
    /// `let NAME = EXPR`: names an object met on the way.
    Let {
        /// The new name.
        name: Name,
        /// Its value.
        value: Expr,
    },
    /// `chance 3, 4`: the numbers that chance gives next.
    Chance(Vec<(u32, Span)>),
    /// `expect deck "…" is accepted`, `expect deck "…" is refused because "…"`
    ExpectDeck {
        /// Which deck.
        deck: DeckExpr,
        /// Words of each problem; none when it is accepted.
        because: Vec<Name>,
    },
    /// A step about a match.
    Match(MatchStep),
    /// `answer the rest with first`: how decisions that the script leaves open are answered.
    Rest(Name),
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
