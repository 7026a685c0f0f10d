//! Statements, their links, changes, durations and patterns.

use super::{Ability, DeclarationClause, DeclareStatement, Division, Expr, Name, Path, Span};

/// Statements between braces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Braces included.
    pub span: Span,
}

/// How a statement hangs on the one before.
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
    /// How it hangs on the one before.
    pub link: Link,
    /// What it does.
    pub kind: StatementKind,
    /// The statement without its link word.
    pub span: Span,
}

/// The control core of the language is syntax; everything else is [`StatementKind::Calls`].
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
        /// Which of the three.
        how: AssignOp,
        /// The operand.
        value: Box<Expr>,
    },
    /// One or more verbs joined by `and`: one sentence, one batch.
    Calls(Vec<Call>),
    /// `{ … }` behind a link: `if you do { … }`.
    Block(Block),
    /// `if COND { … } otherwise { … }`; a chain of `otherwise if` nests in `otherwise`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Block,
        /// When it does not.
        otherwise: Option<Block>,
    },
    /// `for each NAME in EXPR { … }`
    ForEach {
        /// Bound to one element after the other.
        name: Name,
        /// A list or selection.
        list: Box<Expr>,
        /// Run for each.
        body: Block,
    },
    /// `divide 3 among them, at least 1 each as share`
    Divide(Box<Division>),
    /// `EXPR times { … }`
    Times {
        /// How often.
        count: Box<Expr>,
        /// What.
        body: Block,
    },
    /// `repeat while COND { … }`
    Repeat {
        /// Checked before each round.
        condition: Box<Expr>,
        /// One round.
        body: Block,
    },
    /// `at once { … }`
    Simultaneously(Block),
    /// `choose 2, repeats allowed { - a - b }`
    Modes {
        /// How many.
        count: Box<Expr>,
        /// `choose up to N`
        up_to: bool,
        /// The same mode more than once.
        repeats: bool,
        /// Each a block of its own.
        modes: Vec<Block>,
    },
    /// `X gets +1 power, flying until end of turn`
    Gets {
        /// Whom.
        whom: Box<Expr>,
        /// What changes.
        mods: Vec<Modification>,
        /// How long.
        until: Option<Duration>,
    },
    /// `X becomes copy of Y except …`
    Becomes {
        /// Whom.
        whom: Box<Expr>,
        /// What it becomes a copy of.
        model: Box<Expr>,
        /// `enters as copy of …`: what is about to move does so as this.
        enters: bool,
        /// What it does not copy, or has besides.
        except: Vec<Modification>,
        /// How long.
        until: Option<Duration>,
    },
    /// `create copy of X except … into ZONE under PLAYER as NAME`
    CreateCopy {
        /// Of what.
        model: Box<Expr>,
        /// What it does not copy, or has besides.
        except: Vec<Modification>,
        /// Where.
        into: Box<Expr>,
        /// Whose it is.
        under: Option<Box<Expr>>,
        /// Bool statuses that hold on arrival.
        adverbs: Vec<Name>,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `copy X choosing targets as NAME`: of what waits on the list.
    CopyListed {
        /// What.
        model: Box<Expr>,
        /// `choosing targets`
        choosing: bool,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `opponent cannot cast card until …`
    Cannot {
        /// What is forbidden.
        pattern: Box<Pattern>,
        /// How long.
        until: Option<Duration>,
    },
    /// `X must VERB until …`: what holds for declarations.
    Clause {
        /// What it says.
        clause: Box<DeclarationClause>,
        /// How long.
        until: Option<Duration>,
    },
    /// `declare ACTION by X { … }`
    Declare(Box<DeclareStatement>),
    /// `at end of turn { … }`: a delayed trigger.
    Delayed {
        /// When.
        moment: Box<Moment>,
        /// What.
        body: Block,
    },
    /// `when PATTERN until DURATION { … }` as a statement: a delayed trigger.
    DelayedWhen {
        /// `when` (else `whenever`: as often as it happens).
        once: bool,
        /// On what.
        pattern: Box<Pattern>,
        /// How long it waits.
        until: Option<Duration>,
        /// What.
        body: Block,
    },
    /// `until DURATION (, once)? { ABILITY … }`: abilities that nothing has.
    Standing {
        /// How long.
        until: Duration,
        /// It ends when one of them was used.
        once: bool,
        /// What works meanwhile.
        abilities: Vec<Ability>,
    },
    /// `trigger { … }`: a trigger that happens now.
    Trigger(Block),
    /// `window NAME { only active  plays a, b  … }`
    Window {
        /// Its name, for messages and filters.
        name: Name,
        /// Lines of settings: words and then an optional expression.
        settings: Vec<WindowSetting>,
    },
}

/// One line of a `window` or `play`-like block: leading words, then an expression if the setting takes one.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSetting {
    /// `only`, `plays`, `speed`, `until`, …
    pub word: Name,
    /// Names after the word, separated by commas (`plays a, b`; `only active`).
    pub names: Vec<Name>,
    /// The expression (`until COND`, `speed EXPR`); settings that take one have no names.
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

/// `SUBJECT may VERB OPERAND (PREP OPERAND)* ADVERB* as NAME`. A call in parentheses form `verb(a, b)` has its operands in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Who, when written.
    pub subject: Option<Subject>,
    /// `may` was written: asked first.
    pub may: bool,
    /// The verb's word as written (`draw`, `draws`).
    pub verb: Name,
    /// Operands without preposition: one at most in the prepositional form, any number in the parenthesised form.
    pub operands: Vec<Expr>,
    /// Operands with preposition, in the order written.
    pub prepositions: Vec<(Name, Expr)>,
    /// Trailing words: `tapped`, `face_down`, `free`.
    pub adverbs: Vec<Name>,
    /// `as NAME`
    pub binding: Option<Name>,
    /// The whole call.
    pub span: Span,
}

/// Who carries out a verb.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// `each` was written (`each player`, `each opponent`).
    pub each: bool,
    /// `each other player`
    pub other: bool,
    /// `you`, `opponent`, `active`, `player`, `its owner`, `(EXPR)`.
    pub who: Expr,
    /// Where.
    pub span: Span,
}

/// One change of `gets`.
#[derive(Clone, Debug, PartialEq)]
pub struct Modification {
    /// What changes.
    pub kind: ModificationKind,
    /// `min N`
    pub floor: Option<Expr>,
    /// `in layer NAME`
    pub in_layer: Option<Name>,
    /// Where.
    pub span: Span,
}

/// The kinds of changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ModificationKind {
    /// `+N PROPERTY` or `-N PROPERTY`
    Add {
        /// `-` was written.
        negative: bool,
        /// How much: an atom or parenthesised expression.
        amount: Expr,
        /// Of what.
        property: Name,
    },
    /// `PROPERTY = EXPR` (also `controller = EXPR`)
    Set {
        /// What.
        property: Name,
        /// To what.
        value: Expr,
    },
    /// `KEYWORD`, `KEYWORD(N)`, a trait word, or a quoted name of an open trait set.
    Word {
        /// The word.
        name: Name,
        /// Arguments of a keyword.
        args: Vec<Expr>,
    },
    /// `WORD only`: it has no other words of that set.
    Only(Name),
    /// `TRAITS WORD instead of WORD`: in its text stands the first word wherever the second one stood.
    Instead {
        /// The set.
        traits: Name,
        /// What stands there.
        new: Expr,
        /// In the place of what.
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

/// How long something lasts: alternatives joined by `or`.
#[derive(Clone, Debug, PartialEq)]
pub struct Duration {
    /// The first one reached ends it.
    pub points: Vec<DurationPoint>,
    /// Where.
    pub span: Span,
}

/// One end of a duration.
#[derive(Clone, Debug, PartialEq)]
pub enum DurationPoint {
    /// A moment of the turn.
    Moment(Box<Moment>),
    /// An event.
    Event(Box<Pattern>),
}

/// `start of your next turn`, `end of turn`, `end of SPAN`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// `start` (else `end`).
    pub start: bool,
    /// Whose: `your`, `opponent's`; `None` for anybody's.
    pub whose: Option<Expr>,
    /// `next` was written.
    pub next: bool,
    /// `turn` or the path of a phase or step.
    pub span_path: Path,
}

/// `PHRASE VERBED PHRASE? (from ATOM)? (where COND)?`
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// `one or more` stood before it: of all that happens at once it is one event.
    pub one_or_more: Option<Span>,
    /// Matches the first parameter of the action.
    pub subject: Expr,
    /// `is` or `be` stood before the verb.
    pub passive: bool,
    /// The verb as written: `enters`, `destroyed`, `attack`.
    pub verb: Name,
    /// Matches the second parameter.
    pub object: Option<Expr>,
    /// `from ATOM`: the zone it comes from.
    pub from: Option<Expr>,
    /// `where COND`
    pub condition: Option<Expr>,
    /// The whole pattern.
    pub span: Span,
}
