//! Syntax tree of top-level items: packs, variables, actions, texts, and the differences of formats.

use super::ability::{Ability, Payment, Play, RestrictedPool};
use super::card::{Card, Deck};
use super::expr::Expr;
use super::layout::{Layout, LayoutEntry, LayoutRow};
use super::param::{Param, TypeRef};
use super::rules::{AnnouncePolicy, DeckRule, MatchRules, PeriodDecl, TurnEntry};
use super::scenario::{NamedPosition, Scenario, Stage};
use super::statement::{Block, Duration, Modification, Pattern};
use crate::edition::Spelling;
use crate::span::{Name, Path, Span};

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The doc comment above it, without `///`.
    pub docs: String,
    /// Its kind and contents.
    pub kind: ItemKind,
    /// The whole item, docs excluded.
    pub span: Span,
    /// The places that another edition of the language writes differently, in the order of the text.
    pub spellings: Vec<Spelling>,
    /// It has forms that the compiler expands by declarations of the game: [`CostedAbility`](super::ability::CostedAbility),
    /// [`KeywordBlock`](super::ability::KeywordBlock), pairs such as `2/2`.
    pub has_shorthand: bool,
}

/// The kinds of items. `docs/language.md` describes their syntax.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `pack NAME { edition 2  title "…"  extends BASE  uses A, B }`
    Pack(Box<Pack>),
    /// `traits NAME { a, b }` (closed), `traits NAME open` or `traits NAME adds { c }`.
    Traits {
        /// The name of the set.
        name: Name,
        /// `adds`: the words are added to a set that is declared elsewhere.
        adds: bool,
        /// `open`: cards may add further words.
        open: bool,
        /// `changeable`: effects can change its words in texts.
        changeable: bool,
        /// What its words are to the abilities of an object.
        abilities: WordsAndAbilities,
        /// The declared words.
        words: Vec<Name>,
        /// `from PROPERTY { red {R}, … }`: a card whose printed price has the symbol has the word.
        from: Option<WordsOfUnits>,
    },
    /// `property`, `status`, `player` or `global`.
    Variable(Box<Variable>),
    /// `constant NAME = EXPR`
    Constant {
        /// Its name.
        name: Name,
        /// Its value: a number, `true` or `false`.
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
    /// `zone NAME adds { hidden cards are WORD or WORD }`, to a zone that is declared elsewhere.
    ZoneAdds {
        /// The name of the zone.
        name: Name,
        /// The settings, as those of a zone.
        settings: Vec<Vec<Name>>,
    },
    /// `noun NAME = SELECTION`
    Noun {
        /// Its name.
        name: Name,
        /// The selection that the noun denotes.
        meaning: Expr,
    },
    /// `function NAME(params): TYPE = EXPR`; without a type its value is a bool.
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
        /// `with body`: its uses have a block, for which `body` stands in the abilities.
        with_body: bool,
        /// The abilities that the keyword abbreviates.
        abilities: Vec<Ability>,
    },
    /// `symbol {T} { when COND  cost { … } }`: what the symbol stands for before the colon of an ability.
    CostSymbol(Box<CostSymbol>),
    /// `pair power / toughness`: the properties that `2/2` and `+1/+1` stand for.
    StatPair(Name, Name),
    /// `unlabelled mana_cost, subtype for creature`: the property that a price alone on a card states, and the open traits that quoted words
    /// alone do.
    Unlabelled(Vec<UnlabelledFact>),
    /// `renamed KIND OLD to NEW`: the old word of a declaration, which texts may still use.
    Renaming {
        /// The kind of the declaration.
        kind: Name,
        /// The old word.
        old: Name,
        /// The word that the game declares now.
        new: Name,
    },
    /// `relation clash(blocker, attacker) for combat { place: number }`
    Relation(Box<Relation>),
    /// `rule NAME { ABILITY … }`
    Rule {
        /// Its name.
        name: Name,
        /// The abilities, which always work.
        abilities: Vec<Ability>,
    },
    /// `state rule NAME { … }`
    StateRule {
        /// Its name.
        name: Name,
        /// The statements, repeated until they change nothing.
        body: Block,
    },
    /// `treat ACTION as ACTION when COND`
    Treat {
        /// The proposed action.
        action: Name,
        /// The action that it counts as.
        into: Name,
        /// `when COND`
        condition: Option<Expr>,
    },
    /// `play NAME(card: object) { … }`
    Play(Box<Play>),
    /// `payment NAME of TRAITS { … }`
    Payment(Box<Payment>),
    /// `payment NAME adds { pool NAME when COND }`
    PaymentAdds {
        /// The payment.
        name: Name,
        /// Its further pools.
        pools: Vec<RestrictedPool>,
    },
    /// `text en { … }`: templates for rules texts in a language.
    Text(TextItem),
    /// `foreign { WORD: WORD "…"?, … }`: words of other games, the corresponding word of this game, and a note for messages.
    Foreign(Vec<(Name, Name, Option<Name>)>),
    /// `kind WORD prints FACT, FACT or FACT, not FACT`: the facts that cards with the word must or must not print.
    Kind {
        /// The word.
        word: Name,
        /// The required and excluded facts.
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
    /// `players 2 to 6`: the number of players of a game.
    Players {
        /// The least number.
        min: u32,
        /// The greatest number.
        max: u32,
        /// The span of the first number.
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
        /// Its title, for messages.
        title: Option<Name>,
        /// The game or format that it changes.
        base: Name,
        /// The changes.
        differences: Vec<Difference>,
    },
    /// `scenario "…" covers X, Y { … }`
    Scenario(Box<Scenario>),
    /// `layout { … }`
    Layout(Layout),
    /// `stage "…" for NOUN { … }`
    Stage(Box<Stage>),
    /// `position NAME { … }`
    Position(Box<NamedPosition>),
}

/// The words that a price gives to the cards that print it.
#[derive(Clone, Debug, PartialEq)]
pub struct WordsOfUnits {
    /// The property.
    pub property: Name,
    /// Each word with its symbol.
    pub units: Vec<(Name, Name)>,
}

/// `symbol {T} { when COND  cost { … } }`
#[derive(Clone, Debug, PartialEq)]
pub struct CostSymbol {
    /// The symbol without braces.
    pub symbol: Name,
    /// The condition under which the cost can be paid.
    pub condition: Option<Expr>,
    /// The statements of the cost.
    pub cost: Option<Block>,
}

/// `relation clash(blocker, attacker) for combat { place: number }`: what relates objects and players. Each relationship is an object that
/// no player sees, and the name of the relation is a noun for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Its name.
    pub name: Name,
    /// The statuses that name what is related; at least one.
    pub ends: Vec<Variable>,
    /// `for PERIOD`: the relationships end when the period ends.
    pub lifetime: Option<Name>,
    /// Further statuses of each relationship.
    pub statuses: Vec<Variable>,
}

/// The templates for rules texts in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct TextItem {
    /// The language.
    pub language: Name,
    /// Its entries, in source order.
    pub entries: Vec<TextEntry>,
}

/// `do draw N: "draw {N card}"`
#[derive(Clone, Debug, PartialEq)]
pub struct TextEntry {
    /// The syntax that the templates render.
    pub pattern: TextPattern,
    /// The forms of a name, or one template.
    pub templates: Vec<Name>,
    /// The whole entry.
    pub span: Span,
}

/// The syntax that an entry of a text matches. A word of one capital letter, optionally with digits, is a placeholder for any part.
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
    /// `cost STATEMENT`: the statement as part of a cost.
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

/// One rule of what a kind prints: `power`, `creature or kindred`, `not land`.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintRule {
    /// `not`: no word of the list is printed. Else at least one is.
    pub excluded: bool,
    /// Trait words, trait sets, properties or keywords.
    pub words: Vec<Name>,
    /// The whole part.
    pub span: Span,
}

/// The manifest of a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its name.
    pub name: Name,
    /// The edition of the language.
    pub edition: Option<(u32, Span)>,
    /// Its title, for messages.
    pub title: Option<Name>,
    /// `extends BASE`: the pack whose game it extends.
    pub base: Option<Name>,
    /// `uses A, B`: further packs whose names it may use.
    pub uses: Vec<Name>,
    /// Codes of warnings that are not reported for its files.
    pub allow: Vec<Name>,
    /// Codes of warnings that are errors in its files, or `warnings`.
    pub deny: Vec<Name>,
}

/// The table that a variable belongs to.
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

/// `subtype for creature or kindred`: what a fact without a word states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlabelledFact {
    /// The property or the open set of traits.
    pub name: Name,
    /// It applies to cards that print one of these words; to all cards if there are none.
    pub words: Vec<Name>,
}

/// `property power: number = 0 in layer power`, `status damage: number for turn`, …
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The table that it belongs to.
    pub kind: VariableKind,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeRef,
    /// Its initial or default value.
    pub default: Option<Expr>,
    /// `in layer NAME` (properties).
    pub layer: Option<Name>,
    /// `, add in layer NAME`
    pub add_layer: Option<Name>,
    /// `, switch in layer NAME`
    pub switch_layer: Option<Name>,
    /// `for PERIOD`: the value is reset when the period ends.
    pub lifetime: Option<Name>,
    /// `for each TRAITS`: one value for each word of a trait set.
    pub keys: Option<Name>,
    /// `conceals`: only the controller knows what the object is, and its abilities do not work.
    pub conceals: bool,
    /// `conceals as "CARD"`: the definition whose values a concealed object has.
    pub disguise: Option<Name>,
    /// `without name`: a concealed object has no name.
    pub nameless: bool,
    /// `revealed on leaving`: a concealed object is revealed when it moves, and when the game ends.
    pub revealed_on_leaving: bool,
    /// `kept on field`: an object keeps it when it moves from the list to the field.
    pub kept_on_field: bool,
    /// `updates timestamp`: a write gives the object a new timestamp.
    pub updates_timestamp: bool,
    /// `clears effects`: when it becomes true, effects on this object alone end, and its usage limits restart.
    pub clears_effects: bool,
    /// `counts PATTERN`, `sums N when PATTERN`, `when PATTERN`: the game writes the value as such events happen.
    pub memory: Option<Box<Memory>>,
}

impl Variable {
    /// A variable with a name and a type alone.
    #[must_use]
    pub fn new(kind: VariableKind, name: Name, ty: TypeRef) -> Self {
        Self {
            kind,
            name,
            ty,
            default: None,
            layer: None,
            add_layer: None,
            switch_layer: None,
            lifetime: None,
            keys: None,
            conceals: false,
            disguise: None,
            nameless: false,
            revealed_on_leaving: false,
            kept_on_field: false,
            updates_timestamp: false,
            clears_effects: false,
            memory: None,
        }
    }
}

/// What a variable records of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What of an event is recorded.
    pub kind: MemoryKind,
    /// The recorded events.
    pub pattern: Pattern,
    /// The whole form.
    pub span: Span,
}

/// What a [`Memory`] records of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryKind {
    /// `counts PATTERN`: how many there were.
    Counts,
    /// `sums N when PATTERN`: a number of each, added up.
    Sums(Expr),
    /// `when PATTERN`: whether there was one.
    Notes,
}

/// A named event.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Its parameters; the first is its subject or direct operand.
    pub params: Vec<Param>,
    /// `by PARAM`: the parameter that acts; it is the first one. Patterns of the action are in the active voice.
    pub acting_param: Option<Name>,
    /// `is PARENT`: patterns for the parent match it too.
    pub parent: Option<Name>,
    /// `looks back`: abilities that trigger on it are found in the state before the event (CR 603.10).
    pub looks_back: bool,
    /// `unstoppable`: no prohibition stops it, and no replacement leaves its object in place.
    pub unstoppable: bool,
    /// `selective`: a choice of its object leaves out those that it cannot happen to.
    pub selective: bool,
    /// `timing_neutral`: it does not make `missable` triggers on earlier events miss their timing.
    pub timing_neutral: bool,
    /// Its statements; `None` if no block was written: the event is only recorded.
    pub body: Option<Block>,
}

/// One difference of a format.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The change.
    pub kind: DifferenceKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// `replace ITEM`
    Replace(Box<Item>),
    /// `replace step PATH { … }` (or `phase`)
    ReplacePeriod {
        /// The period that is replaced.
        path: Path,
        /// Its new entries.
        entries: Vec<TurnEntry>,
    },
    /// `remove PATH`
    Remove(Path),
    /// `before PATH step NAME …` or `after PATH …`
    Insert {
        /// `before`; else `after`.
        before: bool,
        /// The existing period next to which it is inserted.
        path: Path,
        /// The new period.
        period: PeriodDecl,
    },
    /// `append PATH { … }`
    Append {
        /// An action, step, phase or the setup.
        path: Path,
        /// Statements appended at its end.
        body: Block,
    },
    /// `append layout { … }`
    AppendLayout {
        /// The word `layout`.
        path: Path,
        /// The added entries.
        entries: Vec<LayoutEntry>,
    },
    /// `append layout.seat { … }`
    AppendRows {
        /// An area of the layout.
        path: Path,
        /// The added rows.
        rows: Vec<LayoutRow>,
    },
    /// `replace layout.seat { … }`, `replace layout.seat.ZONE { … }`
    ReplaceRows {
        /// An area of the layout, or the rows of a zone in it.
        path: Path,
        /// The rows in their place.
        rows: Vec<LayoutRow>,
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

/// What the words of a trait set are to the abilities of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordsAndAbilities {
    /// Nothing.
    #[default]
    Apart,
    /// `as abilities`: the words are abilities, which `no abilities` takes away.
    AreAbilities,
    /// `instead of abilities`: an effect that gives an object only such words takes its abilities away.
    ReplaceAbilities,
}
