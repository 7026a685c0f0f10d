//! Syntax tree of statements, their links, modifications, durations and patterns.

use super::ability::{Ability, DeclarationClause, DeclareStatement};
use super::expr::{Division, Expr};
use crate::span::{Name, Path, Span};

/// Statements between braces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements, in source order.
    pub statements: Vec<Statement>,
    /// The whole block, braces included.
    pub span: Span,
}

/// How a statement depends on the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// A new line or `;`.
    Next,
    /// `then`
    Then,
    /// `if you do`
    IfYouDo,
    /// `otherwise`
    Otherwise,
}

/// One statement with its link.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// How it depends on the previous statement.
    pub link: Link,
    /// Its kind and operands.
    pub kind: StatementKind,
    /// The statement without its link word.
    pub span: Span,
}

/// The kinds of statements. Control flow and effects have their own syntax; all other statements are [`StatementKind::Calls`].
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `let NAME = EXPR`
    Let {
        /// The new name.
        name: Name,
        /// Its value.
        value: Box<Expr>,
    },
    /// `PLACE = EXPR`, `PLACE += EXPR`, `PLACE -= EXPR`
    Assign {
        /// A status or variable.
        place: Box<Expr>,
        /// The assignment operator.
        op: AssignOp,
        /// The operand.
        value: Box<Expr>,
    },
    /// One or more verbs joined by `and`: they form one batch of simultaneous events.
    Calls(Vec<Call>),
    /// A block after a link: `if you do { … }`.
    Block(Block),
    /// `if COND { … } otherwise { … }`; a chain of `otherwise if` nests in `otherwise`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Executed if it holds.
        then: Block,
        /// Executed if it does not hold.
        otherwise: Option<Block>,
    },
    /// `for each NAME in EXPR { … }`
    ForEach {
        /// Bound to each element in turn.
        name: Name,
        /// The list or selection.
        list: Box<Expr>,
        /// Executed for each element.
        body: Block,
    },
    /// `divide 3 among them, at least 1 each as share`
    Divide(Box<Division>),
    /// `EXPR times { … }`
    Times {
        /// The number of repetitions.
        count: Box<Expr>,
        /// The repeated statements.
        body: Block,
    },
    /// `repeat while COND { … }`
    Repeat {
        /// Checked before each iteration.
        condition: Box<Expr>,
        /// One iteration.
        body: Block,
    },
    /// `simultaneously { … }`
    Simultaneously(Block),
    /// `choose 2, repeats allowed { - a - b }`
    Modes {
        /// The number of modes.
        count: Box<Expr>,
        /// The least number: that of `choose 1 to 2`, 0 for `choose up to N`; `None` if it is `count`.
        least: Option<u32>,
        /// `repeats allowed`: a mode can be chosen more than once.
        repeats: bool,
        /// The modes, one block each.
        modes: Vec<Block>,
    },
    /// `X gets +1 power, flying until end of turn`
    Gets {
        /// The affected objects or players.
        whom: Box<Expr>,
        /// The modifications.
        mods: Vec<Modification>,
        /// The duration.
        until: Option<Duration>,
    },
    /// `X becomes copy of Y except …`
    Becomes {
        /// The affected objects or players.
        whom: Box<Expr>,
        /// The copied object.
        model: Box<Expr>,
        /// `enters as copy of …`: the object moves as this copy.
        enters: bool,
        /// `except …`: modifications of the copied values.
        except: Vec<Modification>,
        /// The duration.
        until: Option<Duration>,
    },
    /// `create copy of X except … into ZONE under PLAYER as NAME`
    CreateCopy {
        /// The copied object.
        model: Box<Expr>,
        /// `except …`: modifications of the copied values.
        except: Vec<Modification>,
        /// The zone of the copy.
        into: Box<Expr>,
        /// `under PLAYER`: its controller.
        under: Option<Box<Expr>>,
        /// Bool statuses that are true when it is created.
        adverbs: Vec<Name>,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `copy X choosing targets as NAME`: copies an object on the list.
    CopyListed {
        /// The copied object.
        model: Box<Expr>,
        /// `choosing targets`
        choosing: bool,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `opponent cannot cast card until …`
    Cannot {
        /// The forbidden event.
        pattern: Box<Pattern>,
        /// The duration.
        until: Option<Duration>,
    },
    /// `X must VERB until …`: a clause about declarations.
    Clause {
        /// The clause.
        clause: Box<DeclarationClause>,
        /// The duration.
        until: Option<Duration>,
    },
    /// `declare ACTION by X { … }`
    Declare(Box<DeclareStatement>),
    /// `at end of turn { … }`: a delayed trigger.
    DelayedAt {
        /// The moment that it triggers at.
        moment: Box<Moment>,
        /// Its statements.
        body: Block,
    },
    /// `(immediately)? when PATTERN until DURATION { … }` as a statement: a delayed trigger.
    DelayedWhen {
        /// `immediately`: it does not wait on the list.
        immediately: bool,
        /// `when`: it triggers once. Else `whenever`: on every event.
        once: bool,
        /// The event that it triggers on.
        pattern: Box<Pattern>,
        /// How long it can trigger.
        until: Option<Duration>,
        /// Its statements.
        body: Block,
    },
    /// `until DURATION (, once)? { ABILITY … }`: abilities that belong to no object.
    TemporaryAbilities {
        /// The duration.
        until: Duration,
        /// `once`: the effect ends when one of them was used.
        once: bool,
        /// The abilities that work during it.
        abilities: Vec<Ability>,
    },
    /// `trigger { … }`: a reflexive trigger.
    Trigger(Block),
    /// `window NAME { only active  plays a, b  … }`
    Window {
        /// Its name, for messages and filters.
        name: Name,
        /// Its settings, in source order.
        settings: Vec<WindowSetting>,
    },
}

/// One setting of a `window`: a word, then names or an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSetting {
    /// `only`, `plays`, `speed`, `until`, …
    pub word: Name,
    /// The names after the word: `plays a, b`, `only active`.
    pub names: Vec<Name>,
    /// The expression after the word: `until COND`, `speed EXPR`. Such settings have no names.
    pub value: Option<Expr>,
}

/// `=`, `+=`, `-=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

/// A verb call: `SUBJECT may VERB OPERAND (PREP OPERAND)* ADVERB* as NAME`, or `verb(a, b)` with its operands in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The acting player or object; `None` if not written.
    pub subject: Option<Subject>,
    /// `may` was written: the player decides first.
    pub may: bool,
    /// The verb in its written form: `draw`, `draws`.
    pub verb: Name,
    /// Operands without preposition: at most one, or any number in the form `verb(a, b)`.
    pub operands: Vec<Expr>,
    /// Operands with their prepositions, in source order.
    pub prepositions: Vec<(Name, Expr)>,
    /// Words after the operands: `tapped`, `face_down`, `free`.
    pub adverbs: Vec<Name>,
    /// `as NAME`
    pub binding: Option<Name>,
    /// The whole call.
    pub span: Span,
}

/// The subject of a verb call.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// `each` was written (`each player`, `each opponent`).
    pub each: bool,
    /// `other` was written: `each other player`.
    pub other: bool,
    /// `you`, `opponent`, `active`, `player`, `its owner`, `(EXPR)`.
    pub who: Expr,
    /// The whole of it.
    pub span: Span,
}

/// One modification of `gets`.
#[derive(Clone, Debug, PartialEq)]
pub struct Modification {
    /// Its kind and operands.
    pub kind: ModificationKind,
    /// `min N`
    pub floor: Option<Expr>,
    /// `in layer NAME`
    pub in_layer: Option<Name>,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of modifications.
#[derive(Clone, Debug, PartialEq)]
pub enum ModificationKind {
    /// `+N PROPERTY` or `-N PROPERTY`
    Add {
        /// `-` was written.
        negative: bool,
        /// The amount: an atom or an expression in parentheses.
        amount: Expr,
        /// The property.
        property: Name,
    },
    /// `PROPERTY = EXPR` (also `controller = EXPR`)
    Set {
        /// The property.
        property: Name,
        /// Its new value.
        value: Expr,
    },
    /// `KEYWORD`, `KEYWORD(N)`, a trait word, or a quoted name of an open trait set.
    Word {
        /// The word.
        name: Name,
        /// Arguments of a keyword.
        args: Vec<Expr>,
    },
    /// `WORD only`: removes its other words of the same set.
    Only(Name),
    /// `TRAITS WORD instead of WORD`: replaces the second word by the first in the text of the object.
    Instead {
        /// The trait set.
        traits: Name,
        /// The new word.
        new: Expr,
        /// The replaced word.
        old: Expr,
    },
    /// `no TRAITS`
    None(Name),
    /// `every TRAITS`
    Every(Name),
    /// `PROPERTY switched with PROPERTY`
    Switch(Name, Name),
    /// `not WORD`
    Not(Name),
    /// `no abilities`
    NoAbilities,
    /// `no static abilities`
    NoStatics,
}

/// A duration: alternatives joined by `or`.
#[derive(Clone, Debug, PartialEq)]
pub struct Duration {
    /// The ends; the first one reached ends the duration.
    pub points: Vec<DurationPoint>,
    /// The whole of it.
    pub span: Span,
}

/// One end of a duration.
#[derive(Clone, Debug, PartialEq)]
pub enum DurationPoint {
    /// A moment of a turn.
    Moment(Box<Moment>),
    /// An event.
    Event(Box<Pattern>),
    /// `for as long as COND`: the first moment at which the condition does not hold.
    Failure(Box<Expr>),
}

/// A moment: `start of your next turn`, `end of turn`, `end of PERIOD`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// `start`; else `end`.
    pub start: bool,
    /// The player whose turn it is: `your`, `opponent's`; `None` for any player.
    pub whose: Option<Expr>,
    /// `next` was written.
    pub next: bool,
    /// `turn` or the path of a phase or step.
    pub period_path: Path,
}

/// An event pattern: `PHRASE VERBED PHRASE? (from ATOM)? (where COND)?`
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// `one or more` was written: simultaneous events match once.
    pub one_or_more: Option<Span>,
    /// Matches the first parameter of the action.
    pub subject: Expr,
    /// `is` or `be` was written before the verb.
    pub passive: bool,
    /// The verb in its written form: `enters`, `destroyed`, `attack`.
    pub verb: Name,
    /// Matches the second parameter.
    pub object: Option<Expr>,
    /// `from ATOM`: the zone that the object comes from.
    pub from: Option<Expr>,
    /// `where COND`
    pub condition: Option<Expr>,
    /// `, the second time each PERIOD`
    pub nth_time: Option<Box<NthTime>>,
    /// The whole pattern.
    pub span: Span,
}

/// Whether a verb is about an object that enters or leaves a zone.
#[must_use]
pub fn crosses_zone(verb: &Name) -> bool {
    matches!(verb.text.as_str(), "enters" | "enter" | "leaves" | "leave")
}

/// `the second time each PERIOD`: of the events that match a pattern in a period, one by its number.
#[derive(Clone, Debug, PartialEq)]
pub struct NthTime {
    /// The number of the event, from 1.
    pub number: u32,
    /// The period in which events are counted.
    pub period_path: Path,
    /// The whole form.
    pub span: Span,
}
