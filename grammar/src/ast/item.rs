//! Top-level items, and what is declared: packs, variables, actions, texts.

use super::{
    Ability, AnnouncePolicy, Block, Card, Deck, DeckRule, Difference, Duration, Expr, MatchRules, Modification, Name, Pattern,
    Payment, Play, Scenario, Span, TurnEntry,
};
use crate::edition::Spelling;

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The doc comment above it, without `///`.
    pub docs: String,
    /// What it declares.
    pub kind: ItemKind,
    /// The whole item, docs excluded.
    pub span: Span,
    /// The places that another edition of the language writes differently, in the order of the text.
    pub spellings: Vec<Spelling>,
}

/// The kinds of items. Each one's surface form is in `docs/language.md`.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `pack NAME { edition 1  title "…"  extends BASE  uses A, B }`
    Pack(Box<Pack>),
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
    Variable(Box<Variable>),
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
    Action(Box<Action>),
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
    Payment(Box<Payment>),
    /// `text en { … }`: how rules texts say what the game declares.
    Text(TextItem),
    /// `foreign { WORD: WORD "…"?, … }`: words of other games, what each is called in this one, and what is to be said of that.
    Foreign(Vec<(Name, Name, Option<Name>)>),
    /// `kind WORD prints FACT, FACT or FACT, not FACT`: what cards with the word print, and what they do not.
    Kind {
        /// The word.
        word: Name,
        /// What they print.
        parts: Vec<PrintRule>,
    },
    /// `timing { … }`: each line a run of words.
    Timing(Vec<Vec<Name>>),
    /// `announce { … }` or `announce like FORMAT`.
    Announce(Box<AnnouncePolicy>),
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
    Match(Box<MatchRules>),
    /// `ban CARD, …`
    Ban(Vec<Name>),
    /// `restrict CARD, …`
    Restrict(Vec<Name>),
    /// `card NAME { … }` or `token NAME { … }`
    Card(Card),
    /// `deck NAME { … }`
    Deck(Box<Deck>),
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
    Scenario(Box<Scenario>),
}

/// How rules texts of a language say what a game declares.
#[derive(Clone, Debug, PartialEq)]
pub struct TextItem {
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
    /// `state rule lethal`
    Rule(Name),
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
    Change(Vec<Modification>),
    /// `ability ABILITY`
    Ability(Box<Ability>),
}

/// A part of what a kind prints: `power`, `creature or kindred`, `not land`.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintRule {
    /// None of the words is printed; else one of them at least.
    pub excluded: bool,
    /// Words for cards: of traits, sets of them, properties, keywords.
    pub words: Vec<Name>,
    /// The whole part.
    pub span: Span,
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
    pub revealed_on_leaving: bool,
    /// `stays`: kept by what goes from the list to the field.
    pub kept_on_field: bool,
    /// `renews`: writing it gives the object a new timestamp.
    pub updates_timestamp: bool,
    /// `forgets`: as it becomes true, what was done to the object alone ends, and its uses are forgotten.
    pub clears_effects: bool,
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
    /// `in ZONE`: where the object that an action is given is taken from.
    pub zone: Option<Name>,
}

/// A named event.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Its parameters; the first is its subject or direct operand.
    pub params: Vec<Param>,
    /// `by PARAM`: the parameter that acts, which is the first one: patterns say it in the active voice.
    pub acting_param: Option<Name>,
    /// `is PARENT`: patterns for the parent match it too.
    pub parent: Option<Name>,
    /// Abilities that trigger on it are found in the state before it.
    pub looks_back: bool,
    /// `unstoppable`: nothing forbids it, and no replacement leaves its object where it is.
    pub unstoppable: bool,
    /// `incidental`: what happened before it is still the latest for `timely` triggers.
    pub timing_neutral: bool,
    /// What it does; `None` for an action that only is recorded (no block written).
    pub body: Option<Block>,
}
