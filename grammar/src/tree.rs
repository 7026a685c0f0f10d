//! The syntax tree: what was written, with spans, before any name means anything.
//!
//! The tree knows no game and no verb. A verb call is [`Call`], a reference to anything is [`Phrase`]; the compiler finds out what
//! the words stand for.

use smol_str::SmolStr;

/// A range of bytes of one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The file, as numbered by whoever reads files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both (of the same file).
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A word or quoted name with its place. Quotes are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text without quotes.
    pub text: SmolStr,
    /// Where it stands, quotes included.
    pub span: Span,
}

impl Name {
    /// Whether it is written in quotes.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        (self.span.end - self.span.start) as usize > self.text.len()
    }
}

/// A dotted path such as `turn.combat.damage` or `keyword.ninja`; possessive scenario paths have their player apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// At least one part.
    pub parts: Vec<Name>,
    /// The whole path.
    pub span: Span,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The doc comment above it, without `///`.
    pub docs: String,
    /// What it declares.
    pub kind: ItemKind,
    /// The whole item, docs excluded.
    pub span: Span,
}

/// The kinds of items. Each one's surface form is in `docs/language.md`.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an item is built once and read in place")]
pub enum ItemKind {
    /// `pack NAME { edition 1  title "…"  extends BASE  uses A, B }`
    Pack(Pack),
    /// `traits NAME { a, b }` (closed) or `traits NAME open`.
    Traits {
        /// Name of the set.
        name: Name,
        /// `open`: cards bring further words.
        open: bool,
        /// `changeable`: effects can change its words in texts.
        changeable: bool,
        /// The words that it has from the beginning.
        words: Vec<Name>,
    },
    /// `property`, `status`, `player` or `global`.
    Variable(Variable),
    /// `constant NAME = EXPR`
    Constant {
        /// Its name.
        name: Name,
        /// A number.
        value: Expr,
    },
    /// `layers { a, b }`, in the order of application.
    Layers(Vec<Name>),
    /// `zone NAME { WORDS; … }`
    Zone {
        /// Its name.
        name: Name,
        /// The settings, each a run of words: `[each, player]`, `[visible, to, owner]`, `[ordered]`.
        settings: Vec<Vec<Name>>,
    },
    /// `noun NAME = SELECTION`
    Noun {
        /// Its name.
        name: Name,
        /// The selection it stands for.
        meaning: Expr,
    },
    /// `function NAME(params): TYPE = EXPR`
    Function {
        /// Its name.
        name: Name,
        /// Its parameters.
        params: Vec<Param>,
        /// The type of its value.
        result: TypeRef,
        /// Its value.
        body: Expr,
    },
    /// `action NAME(params) is PARENT looks back { … }`
    Action(Action),
    /// `keyword NAME(params) { ABILITY … }`
    Keyword {
        /// Its name.
        name: Name,
        /// Its parameters.
        params: Vec<Param>,
        /// What it stands for.
        abilities: Vec<Ability>,
    },
    /// `rule NAME { ABILITY … }`
    Rule {
        /// Its name.
        name: Name,
        /// Always on.
        abilities: Vec<Ability>,
    },
    /// `state rule NAME { … }`
    StateRule {
        /// Its name.
        name: Name,
        /// Repeated until nothing happens.
        body: Block,
    },
    /// `treat ACTION as ACTION when COND`
    Treat {
        /// What is proposed.
        action: Name,
        /// What it is.
        into: Name,
        /// Under this condition.
        condition: Option<Expr>,
    },
    /// `play NAME(card: object) { … }`
    Play(Box<Play>),
    /// `payment NAME of TRAITS { … }`
    Payment(Payment),
    /// `text en { … }`: how rules texts say what the game declares.
    Text(Text),
    /// `timing { … }`: each line a run of words.
    Timing(Vec<Vec<Name>>),
    /// `announce { … }` or `announce like FORMAT`.
    Announce(Announce),
    /// `setup { … }`
    Setup(Block),
    /// `turn { … }`
    Turn(Vec<TurnEntry>),
    /// `evaluate EXPR`
    Evaluate(Expr),
    /// `players 2 to 6`: how many take part in a game.
    Players {
        /// At least so many.
        least: u32,
        /// At most so many.
        most: u32,
        /// Where the numbers begin.
        at: Span,
    },
    /// `deck rules { … }`
    DeckRules(Vec<DeckRule>),
    /// `match { … }`
    Match(MatchRules),
    /// `ban CARD, …`
    Ban(Vec<Name>),
    /// `restrict CARD, …`
    Restrict(Vec<Name>),
    /// `card NAME { … }` or `token NAME { … }`
    Card(Card),
    /// `deck NAME { … }`
    Deck(Deck),
    /// `format NAME "title" extends BASE { … }`
    Format {
        /// Its name.
        name: Name,
        /// What to call it in messages.
        title: Option<Name>,
        /// The game or format that it changes.
        base: Name,
        /// The changes.
        differences: Vec<Difference>,
    },
    /// `scenario "…" covers X, Y { … }`
    Scenario(Scenario),
}

/// How rules texts of a language say what a game declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The language.
    pub language: Name,
    /// In the order written.
    pub entries: Vec<TextEntry>,
}

/// `do draw N: "draw {N card}"`
#[derive(Clone, Debug, PartialEq)]
pub struct TextEntry {
    /// What is said.
    pub pattern: TextPattern,
    /// How: the forms of a name, else one template.
    pub templates: Vec<Name>,
    /// The whole entry.
    pub span: Span,
}

/// What an entry of a text says. Words of one capital letter, with digits perhaps, stand for whatever is there.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an entry is built once and read in place")]
pub enum TextPattern {
    /// `name creature`
    Name(Name),
    /// `self`, `self creature`: the object whose text it is.
    SelfName(Option<Name>),
    /// `style then`
    Style(Name),
    /// `do STATEMENT`, `do { … }`
    Do(Block),
    /// `cost STATEMENT`: as a price.
    Cost(Block),
    /// `event PATTERN`
    Event(Pattern),
    /// `value EXPR`
    Value(Expr),
    /// `until DURATION`
    Until(Duration),
    /// `change MOD, MOD`
    Change(Vec<Mod>),
    /// `ability ABILITY`
    Ability(Box<Ability>),
}

/// The manifest of a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its name.
    pub name: Name,
    /// Edition of the language.
    pub edition: Option<(u32, Span)>,
    /// For people.
    pub title: Option<Name>,
    /// The pack whose game it adds to.
    pub base: Option<Name>,
    /// Further packs whose names it may use.
    pub uses: Vec<Name>,
    /// Codes of warnings that its files are not told.
    pub allow: Vec<Name>,
    /// Codes of warnings that are errors in its files, or `warnings`.
    pub deny: Vec<Name>,
}

/// Which table a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// A printed fact of a card.
    Property,
    /// A mutable fact of an object.
    Status,
    /// A mutable fact of a player.
    Player,
    /// A mutable fact of the game.
    Global,
}

/// `property power: number = 0 in layer power`, `status damage: number for turn`, …
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Which table.
    pub kind: VariableKind,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeRef,
    /// Initial or default value.
    pub default: Option<Expr>,
    /// `in layer NAME` (properties).
    pub layer: Option<Name>,
    /// `, add in layer NAME`
    pub adding: Option<Name>,
    /// `, switch in layer NAME`
    pub switching: Option<Name>,
    /// `for SPAN`: cleared when the span ends.
    pub lifetime: Option<Name>,
    /// `for each TRAITS`: one value for each word of a trait set.
    pub keys: Option<Name>,
    /// `conceals`: who does not control the object does not see what it is, and its abilities do not work.
    pub conceals: bool,
    /// `conceals as "CARD"`: the definition whose values the object has meanwhile.
    pub disguise: Option<Name>,
    /// `without name`: what is concealed has no name.
    pub nameless: bool,
    /// `discloses`: what it concealed is shown as it moves, and as the game ends.
    pub discloses: bool,
    /// `stays`: kept by what goes from the list to the field.
    pub stays: bool,
    /// `renews`: writing it gives the object a new timestamp.
    pub renews: bool,
}

/// A type as written: `number`, `list of object`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRef {
    /// `list of` was written.
    pub list: bool,
    /// `word of` was written: a single word of a trait set.
    pub word: bool,
    /// The element's or value's type.
    pub name: Name,
}

/// `name: TYPE`
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeRef,
}

/// A named event.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Its parameters; the first is its subject or direct operand.
    pub params: Vec<Param>,
    /// `by PARAM`: the parameter that acts, which is the first one: patterns say it in the active voice.
    pub doer: Option<Name>,
    /// `is PARENT`: patterns for the parent match it too.
    pub parent: Option<Name>,
    /// Abilities that trigger on it are found in the state before it.
    pub looks_back: bool,
    /// `unstoppable`: nothing forbids it, and no replacement leaves its object where it is.
    pub unstoppable: bool,
    /// `incidental`: what happened before it is still the latest for `timely` triggers.
    pub incidental: bool,
    /// What it does; `None` for an action that only is recorded (no block written).
    pub body: Option<Block>,
}

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
        value: Expr,
    },
    /// `PLACE = EXPR`, `PLACE += EXPR`, `PLACE -= EXPR`
    Assign {
        /// A status or variable.
        place: Expr,
        /// Which of the three.
        how: AssignHow,
        /// The operand.
        value: Expr,
    },
    /// One or more verbs joined by `and`: one sentence, one batch.
    Calls(Vec<Call>),
    /// `{ … }` behind a link: `if you do { … }`.
    Block(Block),
    /// `if COND { … } otherwise { … }`; a chain of `otherwise if` nests in `otherwise`.
    If {
        /// The condition.
        condition: Expr,
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
        list: Expr,
        /// Run for each.
        body: Block,
    },
    /// `divide 3 among them, at least 1 each as share`
    Divide(Box<Divided>),
    /// `EXPR times { … }`
    Times {
        /// How often.
        count: Expr,
        /// What.
        body: Block,
    },
    /// `repeat while COND { … }`
    Repeat {
        /// Checked before each round.
        condition: Expr,
        /// One round.
        body: Block,
    },
    /// `at once { … }`
    AtOnce(Block),
    /// `choose 2, repeats allowed { - a - b }`
    Modes {
        /// How many.
        count: Expr,
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
        whom: Expr,
        /// What changes.
        mods: Vec<Mod>,
        /// How long.
        until: Option<Duration>,
    },
    /// `X becomes copy of Y except …`
    Becomes {
        /// Whom.
        whom: Expr,
        /// What it becomes a copy of.
        model: Expr,
        /// `enters as copy of …`: what is about to move does so as this.
        enters: bool,
        /// What it does not copy, or has besides.
        except: Vec<Mod>,
        /// How long.
        until: Option<Duration>,
    },
    /// `create copy of X except … into ZONE under PLAYER as NAME`
    CreateCopy {
        /// Of what.
        model: Expr,
        /// What it does not copy, or has besides.
        except: Vec<Mod>,
        /// Where.
        into: Expr,
        /// Whose it is.
        under: Option<Expr>,
        /// Bool statuses that hold on arrival.
        adverbs: Vec<Name>,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `copy X choosing targets as NAME`: of what waits on the list.
    CopyListed {
        /// What.
        model: Expr,
        /// `choosing targets`
        choosing: bool,
        /// `as NAME`
        name: Option<Name>,
    },
    /// `opponent cannot cast card until …`
    Cannot {
        /// What is forbidden.
        pattern: Pattern,
        /// How long.
        until: Option<Duration>,
    },
    /// `X must VERB until …`: what holds for declarations.
    Clause {
        /// What it says.
        clause: Clause,
        /// How long.
        until: Option<Duration>,
    },
    /// `declare ACTION by X { … }`
    Declare(Declare),
    /// `at end of turn { … }`: a delayed trigger.
    Delayed {
        /// When.
        moment: Moment,
        /// What.
        body: Block,
    },
    /// `when PATTERN until DURATION { … }` as a statement: a delayed trigger.
    DelayedWhen {
        /// `when` (else `whenever`: as often as it happens).
        once: bool,
        /// On what.
        pattern: Pattern,
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
pub enum AssignHow {
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
    /// `you`, `opponent`, `active`, `player`, `its owner`, `(EXPR)`.
    pub who: Expr,
    /// Where.
    pub span: Span,
}

/// One change of `gets`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mod {
    /// What changes.
    pub kind: ModKind,
    /// `min N`
    pub floor: Option<Expr>,
    /// `in layer NAME`
    pub in_layer: Option<Name>,
    /// Where.
    pub span: Span,
}

/// The kinds of changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ModKind {
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
#[expect(clippy::large_enum_variant, reason = "few of them exist at a time")]
pub enum DurationPoint {
    /// A moment of the turn.
    Moment(Moment),
    /// An event.
    Event(Pattern),
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

/// `declare ACTION by X { … }`: somebody pairs objects with objects or players.
#[derive(Clone, Debug, PartialEq)]
pub struct Declare {
    /// What each pair becomes an event of.
    pub action: Name,
    /// Who declares, if not `you`.
    pub by: Option<Expr>,
    /// Which objects.
    pub from: Option<Expr>,
    /// With which objects or players.
    pub onto: Option<Expr>,
    /// Which pairs.
    pub condition: Option<Expr>,
    /// How many pairs each object may have.
    pub most: Option<Expr>,
    /// What comes before costs are paid.
    pub first: Option<Block>,
    /// What undoes that, where not all can be taken back.
    pub undone: Option<Block>,
    /// The whole statement.
    pub span: Span,
}

/// What holds for declarations of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// About whom; `some` and `each` are taken off.
    pub subject: Expr,
    /// `some` stood before it.
    pub some: bool,
    /// `be` stood before the verb.
    pub passive: bool,
    /// The verb as written.
    pub verb: Name,
    /// The other side: the object of the verb, or what stands behind `by`.
    pub object: Option<Expr>,
    /// `where COND`
    pub condition: Option<Expr>,
    /// What it says.
    pub kind: ClauseKind,
    /// The whole clause.
    pub span: Span,
}

/// What a clause says.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `must`
    Must,
    /// `cannot … alone`
    Alone,
    /// `no more than N … can`, `no fewer than N … can` (`together`), or `cannot be … by more than N`.
    Count {
        /// `more`, else `fewer`.
        more: bool,
        /// The number.
        count: Expr,
        /// It stood in front: all are counted together.
        together: bool,
    },
    /// `unless N X also VERB`
    Unless {
        /// How many.
        count: Expr,
        /// Of what.
        others: Expr,
        /// The verb again.
        verb: Name,
    },
    /// `unless price EXPR`
    Price(Expr),
    /// `unless cost { … }`
    Cost(Block),
}

/// One ability.
#[derive(Clone, Debug, PartialEq)]
pub struct Ability {
    /// `in ZONE, ZONE`: where it works instead of the field.
    pub zones: Vec<Name>,
    /// `immediately`
    pub immediately: bool,
    /// `unlisted`
    pub unlisted: bool,
    /// `timely`
    pub timely: bool,
    /// `concealed`
    pub concealed: bool,
    /// What kind.
    pub kind: AbilityKind,
    /// The whole ability.
    pub span: Span,
}

/// The kinds of abilities.
#[derive(Clone, Debug, PartialEq)]
pub enum AbilityKind {
    /// `when PATTERN, if COND { … }`
    When {
        /// On what.
        pattern: Pattern,
        /// The intervening condition.
        condition: Option<Expr>,
        /// How often.
        limit: Option<Limit>,
        /// What.
        body: Block,
    },
    /// `when PATTERN, WHAT triggers again`, `… cannot trigger`
    Causing {
        /// On what.
        pattern: Pattern,
        /// Whose abilities.
        whose: Expr,
        /// Once more (else not at all).
        again: bool,
    },
    /// `as soon as COND { … }`
    AsSoon {
        /// What holds.
        condition: Expr,
        /// What.
        body: Block,
    },
    /// `at start of SPAN { … }`
    At {
        /// When.
        moment: Moment,
        /// `, if COND`
        condition: Option<Expr>,
        /// How often.
        limit: Option<Limit>,
        /// What.
        body: Block,
    },
    /// `if PATTERN would …, instead { … }`
    Instead {
        /// Instead of what.
        pattern: Pattern,
        /// `and COND`
        condition: Option<Expr>,
        /// `may instead`
        optional: bool,
        /// What happens in its place.
        body: Block,
    },
    /// `PATTERN` with `cannot`
    Cannot(Pattern),
    /// `X must VERB` and the like
    Clause(Clause),
    /// `while COND { … }`, or `always { … }` (no condition)
    Static {
        /// Works while this holds.
        condition: Option<Expr>,
        /// `gets` and `cannot` clauses without `until`.
        clauses: Vec<Statement>,
    },
    /// `defines { MOD, … }`: what the object is, wherever it is.
    Defines(Vec<Mod>),
    /// `does { … }`
    Does(Block),
    /// `cost { … }`: a further cost of using the object.
    Cost(Block),
    /// `option STATUS { when COND  price EXPR  cost BLOCK }`: a further price that may be paid, or (`instead`) one in the place of the usual one.
    Option {
        /// The status that says that it was chosen.
        status: Name,
        /// In the place of the usual price.
        instead: bool,
        /// When, price and cost.
        play: Play,
    },
    /// `activated "label" { … }`
    Activated(Play),
    /// A keyword used inside a keyword, rule or block of facts.
    Keyword(Fact),
}

/// A play, or the body of an activated ability (whose parameter is absent).
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Name, or label of an activated ability.
    pub name: Option<Name>,
    /// The object played, and what an effect that uses it gives besides.
    pub params: Vec<Param>,
    /// `from hand, graveyard` (`field`, `nowhere` are words like any other here).
    pub from: Vec<Name>,
    /// `when COND`
    pub condition: Option<Expr>,
    /// `price EXPR`
    pub price: Option<Expr>,
    /// `price EXPR if COND`
    pub usual: Option<Expr>,
    /// `values { … }`
    pub values: Option<Block>,
    /// `yields EXPR`
    pub yields: Option<Expr>,
    /// `cost { … }`
    pub cost: Option<Block>,
    /// `at once`
    pub at_once: bool,
    /// `pays`
    pub pays: bool,
    /// `announced STATUS`: the object has it from the announcement on.
    pub announced: Option<Name>,
    /// Further single words, such as a class of plays for filters: `class NAME`.
    pub classes: Vec<Name>,
    /// How often.
    pub limit: Option<Limit>,
    /// `does { … }`
    pub body: Block,
    /// The whole play.
    pub span: Span,
}

/// `limit N per SPAN by player`: how often something may be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// So often.
    pub count: u32,
    /// In each of these.
    pub span_path: Path,
    /// What is counted together: `name`, `player`; without it, the uses of one object.
    pub by: Option<Name>,
    /// The whole limit.
    pub span: Span,
}

/// `payment mana of civilization { from SELECTION  yields EXPR  by BLOCK  pool NAME }`
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    /// Its name.
    pub name: Name,
    /// The traits that are the kinds of units.
    pub kinds: Name,
    /// What can pay.
    pub clauses: Vec<PaymentClause>,
    /// Player variable (a list of units) that holds units made by hand, if the game has one.
    pub pool: Option<Name>,
    /// Kinds that no variable holds.
    pub except: Vec<Name>,
}

/// `from SELECTION  yields EXPR  by BLOCK` of a payment.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentClause {
    /// The simple producers: a selection (`each card in your mana that is not tapped`).
    pub from: Expr,
    /// The kinds that one producer (`candidate`) can yield: a trait set, or the units as a price.
    pub yields: Expr,
    /// How often a producer can be used (once).
    pub times: Option<Expr>,
    /// Only for what this holds of (`this`).
    pub condition: Option<Expr>,
    /// What using it does; `it` is the producer.
    pub by: Block,
}

/// What is announced, what fizzles.
#[derive(Clone, Debug, PartialEq)]
pub struct Announce {
    /// `announce like FORMAT`
    pub like: Option<Name>,
    /// `stages a, b, c`
    pub stages: Vec<Name>,
    /// `lift …` lines.
    pub lifts: Vec<Lift>,
    /// `none allowed|refused`
    pub none: Option<Name>,
    /// `fizzle paragraph|whole`
    pub fizzle: Option<Name>,
    /// Where.
    pub span: Span,
}

/// `lift targets`, `lift choices mandatory by controller in first sentence public, except destroy of own`
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// `targets` or `choices` and all further words up to `, except`.
    pub words: Vec<Name>,
    /// `except ACTION of own`: the actions.
    pub except: Vec<Name>,
    /// Where.
    pub span: Span,
}

/// An entry of a turn, phase or step.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few of them exist at a time")]
pub enum TurnEntry {
    /// `phase NAME when COND { … }` or `step …`
    Span(TurnSpan),
    /// `repeat while COND { … }` around spans.
    Repeat {
        /// Checked when the children are through.
        condition: Expr,
        /// What is repeated.
        entries: Vec<TurnEntry>,
        /// Where.
        span: Span,
    },
    /// A statement of the enclosing span.
    Statement(Statement),
    /// `at end of each step { … }` / `at start of each phase { … }`
    Each {
        /// `start` (else `end`).
        start: bool,
        /// `step`, `phase` or `turn`.
        what: Name,
        /// What is done.
        body: Block,
    },
}

/// A phase or step.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSpan {
    /// `phase` (else `step`).
    pub phase: bool,
    /// Its name.
    pub name: Name,
    /// `when COND`: skipped otherwise.
    pub condition: Option<Expr>,
    /// Statements and children.
    pub entries: Vec<TurnEntry>,
    /// The whole of it.
    pub span: Span,
}

/// One line of `deck rules`.
#[derive(Clone, Debug, PartialEq)]
pub enum DeckRule {
    /// `main 40`, `side 0 to 12`
    Size {
        /// `main`, `side`
        section: Name,
        /// At least.
        min: u32,
        /// At most.
        max: u32,
    },
    /// `copies 4`, `copies 4 except SELECTION`, `copies 1 of SELECTION`
    Copies {
        /// At most so many of one card.
        most: u32,
        /// The only cards to which it applies, instead of the number for all others.
        of: Option<Expr>,
        /// Cards to which it does not apply.
        except: Option<Expr>,
    },
    /// `refuse card with COND "message"`, `… in main, side`
    Refuse {
        /// Which cards.
        cards: Expr,
        /// Why.
        message: Name,
        /// In these sections only; empty: in all.
        sections: Vec<Name>,
    },
}

/// `match { … }`: several games between the same players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRules {
    /// `best of 3`
    pub best_of: Option<(u32, Span)>,
    /// `exchange main, side`: the sections between which cards are exchanged between two games.
    pub exchange: Vec<Name>,
    /// `minutes 2 to 3`: the time allowed for that.
    pub minutes: Option<(u32, u32, Span)>,
    /// `aids paper, pen`: what may be used at the table.
    pub aids: Vec<Name>,
    /// What is said a second time.
    pub repeated: Vec<Span>,
    /// The whole of it.
    pub span: Span,
}

/// A card or token.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// `token` (else `card`).
    pub token: bool,
    /// Its name.
    pub name: Name,
    /// Printed facts and keywords, in the order written.
    pub facts: Vec<Fact>,
    /// Its abilities, in the order written.
    pub abilities: Vec<Ability>,
    /// Further faces, in order.
    pub faces: Vec<Face>,
}

/// A further face of a card: `face NAME { … }`, `back NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// `face`: where no single face shows, the card has what all its faces have (`back`: only what its front has).
    pub joined: bool,
    /// What it prints.
    pub card: Card,
}

/// `fire`, `cost 3`, `cost {2}{U}`, `race "Dragon"`, `breaker(2)`
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The word.
    pub word: Name,
    /// A value after the word: number, price, quoted name.
    pub value: Option<Expr>,
    /// Arguments in parentheses.
    pub args: Vec<Expr>,
    /// Where.
    pub span: Span,
}

/// `deck "…" { format F  main { 4 "…" }  side { … } }`
#[derive(Clone, Debug, PartialEq)]
pub struct Deck {
    /// Its name.
    pub name: Name,
    /// `format NAME`
    pub format: Option<Name>,
    /// Sections by name.
    pub sections: Vec<DeckSection>,
}

/// `main { 4 "…" … }`
#[derive(Clone, Debug, PartialEq)]
pub struct DeckSection {
    /// `main`, `side`
    pub name: Name,
    /// Count and card.
    pub cards: Vec<(u32, Name)>,
}

/// One difference of a format.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What is done.
    pub kind: DifferenceKind,
    /// Where.
    pub span: Span,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// `replace ITEM`
    Replace(Box<Item>),
    /// `replace step PATH { … }` (or `phase`)
    ReplaceSpan {
        /// Which.
        path: Path,
        /// Its new entries.
        entries: Vec<TurnEntry>,
    },
    /// `remove PATH`
    Remove(Path),
    /// `before PATH step NAME …` or `after PATH …`
    Insert {
        /// `before` (else `after`).
        before: bool,
        /// Next to which span.
        path: Path,
        /// The new span.
        span: TurnSpan,
    },
    /// `append PATH { … }`
    Append {
        /// An action, step, phase or the setup.
        path: Path,
        /// Statements added at its end.
        body: Block,
    },
    /// An added item.
    Add(Box<Item>),
    /// `ban CARD, …`
    Ban(Vec<Name>),
    /// `restrict CARD, …`
    Restrict(Vec<Name>),
    /// `errata CARD { … }`
    Errata(Card),
}

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
    pub seats: Vec<(Name, WrittenDeck)>,
    /// The whole of it.
    pub span: Span,
}

/// `"Fire rush" with { side { 2 "Bolt" } } without { … }`, or lists of its own
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenDeck {
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
        deck: WrittenDeck,
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

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `or`, `and`, comparisons, arithmetic.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
    },
    /// `not X`
    Not(Box<Expr>),
    /// `-X`
    Negative(Box<Expr>),
    /// `X is Y`, `X is not Y`
    Is {
        /// The value.
        left: Box<Expr>,
        /// A word, noun, name or value.
        right: Box<Expr>,
        /// `not` was written.
        negated: bool,
    },
    /// `X has KEYWORD`
    Has {
        /// The object.
        left: Box<Expr>,
        /// The keyword.
        word: Name,
    },
    /// `X shares TRAITS with Y`: both have one of its words.
    Shares {
        /// An object.
        left: Box<Expr>,
        /// The traits item.
        traits: Name,
        /// Another one.
        right: Box<Expr>,
    },
    /// `X can VERB`, `X can be VERBED`, `X can VERB Y`: nothing forbids it.
    Can {
        /// The subject.
        left: Box<Expr>,
        /// `be` was written.
        passive: bool,
        /// The word of the action or play.
        verb: Name,
        /// What the verb is done to.
        object: Option<Box<Expr>>,
    },
    /// `if COND { A } otherwise { B }`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Box<Expr>,
        /// When it does not.
        otherwise: Box<Expr>,
    },
    /// `count of X`, `sum of P of X`, `highest P of X`, `lowest P of X`
    Aggregate {
        /// Which.
        kind: Aggregate,
        /// The property, except for `count`.
        property: Option<Name>,
        /// Over what.
        over: Box<Expr>,
    },
    /// `random A to B`: a number by chance, both included.
    RandomNumber {
        /// The lowest.
        from: Box<Expr>,
        /// The highest.
        to: Box<Expr>,
    },
    /// A phrase, down to a single atom.
    Phrase(Phrase),
}

/// The binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its operator")]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    /// `a / b rounded down`
    DivideDown,
    /// `a / b rounded up`
    DivideUp,
}

/// What is computed over a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its word")]
pub enum Aggregate {
    Count,
    Sum,
    Highest,
    Lowest,
}

/// `QUANTIFIER? other? HEAD POST*`
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// How many, and who decides; `None` for a bare head.
    pub quantifier: Option<Quantifier>,
    /// `other`
    pub other: bool,
    /// The head.
    pub head: Head,
    /// All belong to the head.
    pub posts: Vec<Post>,
}

/// How many, and who decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// `each`, `all`
    Each,
    /// `2 creature`, `(X) creature`
    Exactly(Box<Expr>),
    /// `up to 2`
    UpTo(Box<Expr>),
    /// `any number of`
    AnyNumber,
    /// `target`, `2 target`, `up to 2 target`
    Target {
        /// How many; one if not written.
        count: Option<Box<Expr>>,
        /// `up to` was written.
        up_to: bool,
    },
    /// `1 to 3 card`, `1 to 3 target card`
    Range {
        /// At least.
        least: Box<Expr>,
        /// At most.
        most: Box<Expr>,
        /// `target` was written.
        target: bool,
    },
    /// `random 2`
    Random(Box<Expr>),
    /// `top 2`
    Top(Box<Expr>),
    /// `bottom 2`
    Bottom(Box<Expr>),
    /// `some`: is there one?
    Some,
    /// `no`: is there none?
    No,
}

/// A division: `divide 3 among them, at least 1 each as share`.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided {
    /// Who divides, if not the controller.
    pub subject: Option<Expr>,
    /// How much.
    pub amount: Expr,
    /// Among what.
    pub among: Expr,
    /// How much each gets at least.
    pub least: Option<Expr>,
    /// The name of the division.
    pub name: Name,
}

/// The head of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// A word: noun, property, zone, local name, `this`, `it`, `you`, `opponent`, `active`, `players`, `candidate`, `player`.
    Word(Name),
    /// A quoted card name (or quoted word of an open trait set).
    Quoted(Name),
    /// A whole number.
    Number(i64),
    /// `true`, `false`
    Bool(bool),
    /// `{2}{U}`: the symbols without braces.
    Price(Vec<Name>),
    /// `(EXPR)`
    Group(Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `name(a, b)`
    Call {
        /// A function, built-in or declared.
        name: Name,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `your hand`, `its owner`, `X's power`: the possessor, then the word.
    Possessive {
        /// Whose: an expression that is a single phrase (`you`, `it`, `opponent`, a name, or another possessive).
        owner: Box<Expr>,
        /// What of it.
        word: Name,
    },
}

/// A condition after the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    /// Which.
    pub kind: PostKind,
    /// Where.
    pub span: Span,
}

/// The kinds of posts. An atom is a head without quantifier and without posts of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum PostKind {
    /// `of ATOM`
    Of(Expr),
    /// `in ATOM` or `from ATOM` (`from` is remembered for the formatter only)
    In(Expr),
    /// `with COND`: one comparison, word or group.
    With(Expr),
    /// `without WORD`
    Without(Name),
    /// `that is WORD`, `that is not WORD`
    ThatIs {
        /// The word, noun or value.
        what: Expr,
        /// `not` was written.
        negated: bool,
    },
    /// `that has WORD`
    ThatHas(Name),
    /// `that (COND)`
    That(Expr),
}
