//! The tables of a library and of a format.

use super::op::{Function, Source};
use super::table::Table;
use super::{
    AbilityId, ActionId, DefId, FnId, KeywordId, ListId, ModId, PaymentId, PlayId, SiteId, SpanId, TraitsId, Type, UnitId, ZoneId,
};
use serde::{Deserialize, Serialize};

/// What does not depend on a format. The tables that grow with the cards are [`Table`]s: in a compiled pack each has a section of its own
/// (see [`crate::artifact`]), so they are left out where the rest is written down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// Names of source files, for messages.
    pub files: Vec<String>,
    /// Trait sets.
    pub traits: Vec<Traits>,
    /// Layers, in the order of application.
    pub layers: Vec<String>,
    /// Printed properties of objects.
    pub properties: Vec<Variable>,
    /// Mutable facts of objects.
    pub statuses: Vec<Variable>,
    /// The bool statuses that a move can say to hold on arrival: bit `n` of its flags is the n-th of them. Empty: bit `n` is status `n`.
    pub arrivals: Vec<u16>,
    /// Mutable facts of players.
    pub player_variables: Vec<Variable>,
    /// Mutable facts of the game.
    pub globals: Vec<Variable>,
    /// Zones. Instances are numbered zone by zone, players in seat order.
    pub zones: Vec<Zone>,
    /// Keywords by name, with the number of their parameters.
    pub keywords: Vec<Keyword>,
    /// Cards and tokens. Definition 0 is the nameless one of abilities on the list.
    #[serde(skip)]
    pub definitions: Table<Definition>,
    /// All code.
    #[serde(skip)]
    pub functions: Table<Function>,
    /// Choice sites.
    #[serde(skip)]
    pub sites: Table<Site>,
    /// Constant lists (prices).
    pub lists: Vec<Vec<i32>>,
    /// Abilities of cards, keywords, rules and delayed triggers.
    #[serde(skip)]
    pub abilities: Table<Ability>,
    /// Changes made by static abilities and effects.
    #[serde(skip)]
    pub mods: Table<Mod>,
    /// Windows opened by name.
    pub windows: Vec<Window>,
    /// What created copies do not copy, or have besides: changes whose functions get (this, you, the new object).
    pub exceptions: Vec<Vec<ModId>>,
}

impl Library {
    /// The words of a definition that effects can change in the text that creates it.
    #[must_use]
    pub fn changeable_words(&self, definition: &Definition) -> Vec<(TraitsId, u16)> {
        let sets = self.traits.iter().zip(&definition.words).enumerate().filter(|(_, (set, _))| set.changeable);
        sets.flat_map(|(number, (_, words))| words.iter().map(move |word| (TraitsId(number as u32), *word))).collect()
    }

    /// The statuses that hold on arrival, by the flags of a move.
    #[must_use]
    pub fn arriving(&self, flags: u32) -> Vec<usize> {
        let bits = (0..32usize).filter(|bit| flags & (1 << bit) != 0);
        let status = |bit: usize| match self.arrivals.get(bit) {
            Some(status) => Some(usize::from(*status)),
            None if self.arrivals.is_empty() => Some(bit),
            None => None,
        };
        bits.filter_map(status).filter(|status| *status < self.statuses.len()).collect()
    }
}

/// A trait set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    /// Its name.
    pub name: String,
    /// Its words; a mask has bit `n` for word `n`.
    pub words: Vec<String>,
    /// Layer in which changes of it apply.
    pub layer: u8,
    /// Effects can change its words in texts.
    pub changeable: bool,
}

/// How the words of a text are packed that says what it creates: each is its number plus one, in a place of this base, the first one last.
pub const PACKED_WORD: i64 = 1024;
/// How many of them there are at most.
pub const PACKED_WORDS: usize = 3;

/// A property, status or variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type: number, bool, object, player, or price (printed properties only: the value is a [`ListId`]).
    pub ty: Type,
    /// Initial value (a [`ListId`] for a price).
    pub initial: i32,
    /// Layer in which changes of it apply (properties).
    pub layer: u8,
    /// Cleared to the initial value when this span ends (a name of a span; resolved by the format: `turn`, `step`, `phase` or a path).
    pub lifetime: Option<String>,
    /// A status: kept by what goes from the list to the field.
    pub stays: bool,
    /// It has a number for each word of this trait set (statuses and variables of players, of type number, without lifetime).
    /// Its cell holds the list of those that are not 0, ascending: key (the word's number plus one), value, key, value, …
    pub keys: Option<TraitsId>,
    /// A bool status: while it holds, only the object's controller sees what the object is, and its abilities do not work.
    pub conceals: bool,
    /// Of a status that conceals: the definition whose values the object has instead of its own.
    pub disguise: Option<DefId>,
    /// Of a status that conceals with values of a definition: the object has not even a name.
    pub nameless: bool,
    /// Of a status that conceals: what it concealed is shown to all players as it moves and does not keep it, and as the game ends.
    pub discloses: bool,
    /// A status: a change of it gives the object a new timestamp.
    pub renews: bool,
    /// A bool status: as it becomes true, what resolved effects changed of the object ends, other than who controls it; and how often it was
    /// used is forgotten.
    pub forgets: bool,
}

/// Who sees the objects of a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// The player whose zone it is.
    Owner,
    /// Nobody.
    Hidden,
}

/// A zone kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// One per player (else one for all).
    pub each_player: bool,
    /// Its order means something.
    pub ordered: bool,
    /// Who sees.
    pub visibility: Visibility,
    /// Abilities work here unless they say otherwise.
    pub field: bool,
    /// Where used things wait.
    pub list: bool,
    /// Objects that leave it leave last-known information.
    pub remembers: bool,
    /// What is here is treated as though it did not exist: nothing happens to it but being shifted away.
    pub absent: bool,
    /// What cannot be seen here has one of these words printed on it, as everybody knows. None: it can be anything.
    pub hides: Vec<(TraitsId, u16)>,
}

/// A keyword's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyword {
    /// Its name.
    pub name: String,
    /// How many parameters it takes.
    pub params: u8,
    /// Its parameters that are words of trait sets: their numbers, and the sets.
    pub words: Vec<(u8, TraitsId)>,
}

/// A card or token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Made by effects only.
    pub token: bool,
    /// Printed values, as long as [`Library::properties`] (a [`ListId`] for a price).
    pub properties: Vec<i32>,
    /// Printed words: per trait set of [`Library::traits`] the sorted indices of its words.
    pub words: Vec<Vec<u16>>,
    /// Keywords with arguments and single abilities, in the order printed.
    pub units: Vec<UnitId>,
    /// Its further faces.
    pub faces: Vec<DefId>,
    /// What it is where no single face shows (outside of the field and the list): all its faces in one. Without it, its front.
    pub joined: Option<DefId>,
    /// A face or joined faces of another definition: no card by itself.
    pub part: bool,
    /// Where it is written.
    pub source: Source,
}

/// Something an object can have, gain and lose as one: a keyword with its arguments, or a single ability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The keyword and its arguments.
    pub keyword: Option<(KeywordId, Vec<i32>)>,
    /// What it does.
    pub abilities: Vec<AbilityId>,
}

/// Matches an event. Patterns for an action match its descendants too (`action sacrifice is destroy`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPattern {
    /// Which action (of [`Format::actions`], whose numbering all formats of a library share).
    pub action: ActionId,
    /// Pure: (this, you, event arguments, [`Cause`]) to bool. `None` matches all.
    pub filter: Option<FnId>,
    /// Matched in the state before the event (something leaves; the action `looks back`). Else after it: the argument `it` of a `put`
    /// is then the object as it is now.
    pub looks_back: bool,
}

/// Why an event is proposed: kind (see [`cause`]), source (an object, 0 for none), the player responsible, and the player who chose
/// the event's object ([`super::NO_PLAYER`] if nobody did).
pub type Cause = [i64; CAUSE_WORDS];

/// How many values a [`Cause`] has.
pub const CAUSE_WORDS: usize = 4;

/// Causes of events, as the cause kind parameter of patterns has them.
pub mod cause {
    /// The rules of the game: turn actions, state rules, setup.
    pub const RULE: i64 = 0;
    /// A price or cost being paid.
    pub const COST: i64 = 1;
    /// An effect being carried out.
    pub const EFFECT: i64 = 2;
}

/// What an ability does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AbilityKind {
    /// Waits for an event, then for its turn to be carried out.
    Triggered {
        /// On what.
        pattern: EventPattern,
        /// Checked when it triggers and again when it is carried out: parameters as the pattern's filter.
        condition: Option<FnId>,
        /// Its text begins with `you may …`, and all the rest hangs on that: it may be declined when it is put on the list, where that is
        /// declared (chains order such ones last).
        optional: bool,
        /// Carried out right after its event, without waiting.
        immediate: bool,
        /// Waits for its turn among the other triggers, but is then carried out instead of being put on the list.
        unlisted: bool,
        /// How often it may be used.
        limit: Option<Limit>,
        /// It is lost when something else has happened between its event and its turn ("when … you can" that misses its timing).
        timely: bool,
        /// It triggers once for all that happens at once.
        together: bool,
        /// What it does: parameters as the pattern's filter.
        body: FnId,
    },
    /// Puts something else in the place of an event.
    Replacement {
        /// Of what.
        pattern: EventPattern,
        /// The affected player may decline.
        optional: bool,
        /// What happens instead: parameters as the pattern's filter.
        body: FnId,
    },
    /// Makes an event impossible.
    Prohibition {
        /// Which.
        pattern: EventPattern,
    },
    /// What triggers on an event triggers once more, or not at all.
    Causing {
        /// On which event.
        pattern: EventPattern,
        /// Abilities of which objects: parameters as the pattern's filter, and last the source of the ability that triggers.
        whose: FnId,
        /// Once more (else not at all).
        again: bool,
    },
    /// Changes values while it works.
    Static {
        /// Pure: (this, you) to bool.
        condition: Option<FnId>,
        /// What changes.
        mods: Vec<ModId>,
    },
    /// A paragraph of what a used card does: (this, you).
    Paragraph {
        /// The code.
        body: FnId,
    },
    /// A further cost of using the object that has it: (this, user).
    Cost {
        /// Statements.
        body: FnId,
        /// Pure: whether it can be paid.
        possible: Option<FnId>,
    },
    /// What may be chosen while the object that has it is announced: a further price, or one in the place of the usual one. All its functions:
    /// (this, user).
    Option {
        /// The status that says that it was chosen (a bool), or how often (a number).
        status: u16,
        /// In the place of the usual price.
        instead: bool,
        /// What is asked, in words.
        site: SiteId,
        /// Pure: whether it may be chosen.
        condition: Option<FnId>,
        /// Pure: the price.
        price: Option<FnId>,
        /// Statements: a cost that goes with it.
        cost: Option<FnId>,
        /// Pure: whether that can be paid.
        possible: Option<FnId>,
    },
    /// A play of its own: [`Format::plays`] holds no entry for it.
    Activated {
        /// `this` is the object that has it.
        play: Box<Play>,
    },
}

impl AbilityKind {
    /// Whether it works while it is there and is never put on the list: no paragraph, nothing used, no trigger that waits to be listed.
    #[must_use]
    pub const fn is_static(&self) -> bool {
        match self {
            Self::Static { .. }
            | Self::Causing { .. }
            | Self::Prohibition { .. }
            | Self::Replacement { .. }
            | Self::Cost { .. }
            | Self::Option { .. } => true,
            Self::Triggered { immediate, unlisted, .. } => *immediate || *unlisted,
            Self::Paragraph { .. } | Self::Activated { .. } => false,
        }
    }
}

/// The bit of a kind of zones in a mask of them. Those from 31 on share one.
#[inline]
#[must_use]
pub fn zone_bit(kind: usize) -> u32 {
    1 << kind.min(31)
}

/// Whether a kind of zones is among those of a mask.
#[inline]
#[must_use]
pub fn has_zone(zones: u32, kind: usize) -> bool {
    zones & zone_bit(kind) != 0
}

/// An ability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ability {
    /// For messages: `card "X"`, `keyword blocker`, `rule summoning_sickness`.
    pub name: String,
    /// Bit per zone kind in which it works.
    pub zones: u32,
    /// What it does.
    pub kind: AbilityKind,
    /// Where it is written.
    pub source: Source,
}

/// One change of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mod {
    /// Layer in which it applies.
    pub layer: u8,
    /// A living selection: pure (this, you, captures…, candidate) to bool, over the objects of `zones`.
    /// `None`: the locked list of the effect, or, for a static ability, its source alone.
    pub selector: Option<FnId>,
    /// Bit per zone kind that is looked through.
    pub zones: u32,
    /// It says what its object is: it applies before all others of its layer.
    pub defining: bool,
    /// What changes.
    pub change: Change,
}

/// What a [`Mod`] changes. Value functions are pure: (this, you, captures…, affected object).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Adds to a property, not below `floor`.
    Add {
        /// Property number.
        property: u16,
        /// How much.
        value: FnId,
        /// Not below this.
        floor: Option<FnId>,
    },
    /// Sets a property.
    Set {
        /// Property number.
        property: u16,
        /// To what.
        value: FnId,
    },
    /// Exchanges the values of two properties.
    Switch(u16, u16),
    /// Sets the controller.
    Controller(FnId),
    /// Gains a word.
    Word(TraitsId, u16),
    /// Loses a word.
    NotWord(TraitsId, u16),
    /// Loses all words of a set.
    NoWords(TraitsId),
    /// Gains all words of a set.
    AllWords(TraitsId),
    /// What becomes of the words of a set by the word that a function says (its number plus one). Nothing, if it says none (0).
    Given {
        /// The set.
        traits: TraitsId,
        /// The word.
        word: FnId,
        /// What becomes of it.
        how: Given,
    },
    /// In its text stands the word that one function says (its number plus one) in the place of the one that another function says.
    Instead {
        /// The set.
        traits: TraitsId,
        /// What stands there.
        new: FnId,
        /// In the place of what.
        old: FnId,
    },
    /// Gains a unit.
    Unit(UnitId),
    /// Gains one of several units: the one whose number, plus one, a function says.
    Pick {
        /// The units.
        units: Vec<UnitId>,
        /// Which.
        which: FnId,
    },
    /// Loses a keyword.
    NotKeyword(KeywordId),
    /// Loses all abilities it has at this moment of the computation.
    NoAbilities,
    /// Loses those of them that are never put on the list: see [`AbilityKind::is_static`].
    NoStatics,
    /// Events matching this are impossible; the filter gets (this, you, captures…, event arguments, cause).
    Cannot(EventPattern),
    /// Holds for declarations of an action (see [`super::Op::Declare`]).
    Clause(Box<Clause>),
}

/// What a word that is a value does to the words of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Given {
    /// It is gained.
    Gained,
    /// It is lost.
    Lost,
    /// It is gained, and all others are lost.
    Alone,
}

/// What holds for declarations of an action: about the pairs (first and second argument) that its pattern matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    /// Which pairs. The filter gets (this, you, captures…, the two arguments, cause).
    pub pattern: EventPattern,
    /// One requirement, restriction or cost for what.
    pub each: Each,
    /// What it says.
    pub rule: ClauseRule,
}

/// For what a [`Clause`] holds, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Each {
    /// Each first argument with its pairs.
    First,
    /// Each second argument with its pairs.
    Second,
    /// All pairs together.
    All,
}

/// What a [`Clause`] says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClauseRule {
    /// One of the pairs must be declared, if possible.
    Must,
    /// So many different first arguments at most, or none or so many at least. The number: pure (this, you, captures…).
    Count {
        /// At most, else none or at least.
        most: bool,
        /// How many.
        count: FnId,
    },
    /// Only if so many other first arguments are declared, of pairs that pass. The number: pure (this, you, captures…).
    With {
        /// Which pairs: as the pattern's filter.
        others: Option<FnId>,
        /// How many.
        count: FnId,
    },
    /// Only if something is paid for each first argument: functions of (this, you, captures…, the two arguments, cause).
    Costs {
        /// Pure: a price.
        price: Option<FnId>,
        /// What is done.
        cost: Option<FnId>,
        /// Pure: whether that can be done.
        possible: Option<FnId>,
    },
}

/// Who makes a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Chooser {
    /// The controller of the effect.
    Controller,
    /// The player in this register.
    Player(super::Reg),
}

/// A place in a text where somebody chooses. Its attributes are what announcing policies look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// The words of the source that make the choice, for prompts and explanations.
    pub text: String,
    /// Where it is written.
    pub source: Source,
    /// Pure: (all registers of its function up to `captures`) to a list of candidates. `None` for modes and yes/no.
    pub selector: Option<FnId>,
    /// Registers handed to `selector`, `min` and `max`; they start with `this` and `you`.
    pub captures: Vec<super::Reg>,
    /// Pure, as the selector: at least so many, if there are that many. `None`: none at least.
    pub min: Option<FnId>,
    /// Pure: at most so many. `None`: any number.
    pub max: Option<FnId>,
    /// Who.
    pub chooser: Chooser,
    /// `target` was written.
    pub target: bool,
    /// Part of a `may`, or `up to`.
    pub optional: bool,
    /// All candidates lie in public zones.
    pub public: bool,
    /// What the candidates are: objects, players or things (the type of a list of them).
    pub of: Type,
    /// The selection is restricted to objects of the effect's controller (`of you`, `your …`).
    pub own: bool,
    /// The verb that it is an operand of.
    pub verb: Option<ActionId>,
    /// Sentence of its paragraph, from 0.
    pub sentence: u16,
    /// Its captures are parameters or earlier sites only, and it stands under no condition: it can be chosen on announcement.
    pub liftable: bool,
    /// It stands under a condition or in a loop.
    pub conditional: bool,
    /// It uses what the cost of its play keeps: it can be chosen on announcement only after paying.
    pub after_cost: bool,
    /// Register that the choice is written to.
    pub dst: super::Reg,
    /// A number is divided among the candidates: `max` is how much, `min` how much each gets at least.
    pub divides: bool,
    /// For a modes site: how many modes there are and whether one may be chosen repeatedly.
    pub modes: Option<(u16, bool)>,
    /// Belongs to mode `.2` of the `.1`th chosen mode of the site `.0`.
    pub mode: Option<(SiteId, u16, u16)>,
}

/// A format: tables over a library. Everything a game in progress needs beside the library.
///
/// Actions, plays, payments, spans and constants are numbered alike in all formats of a library. A play that a format lacks stands there with a
/// condition that never holds and no zone to play from; a span it lacks is in nobody's entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: String,
    /// The format or game it extends.
    pub base: Option<String>,
    /// How many players a game has at least; a program is linked for as many unless it is told otherwise.
    pub least: u8,
    /// How many players a game has at most.
    pub players: u8,
    /// Bit per zone kind that this format has no zone of. The field, the list and the deck are always there.
    pub absent: u32,
    /// Named events; the first `VERBS.len()` are the built-in verbs.
    pub actions: Vec<Action>,
    /// Units, keywords spelt out as this format has them.
    #[serde(skip)]
    pub units: Table<Unit>,
    /// Abilities of the game itself.
    pub rules: Vec<Rule>,
    /// State rules, in the order of declaration.
    pub state_rules: Vec<StateRule>,
    /// What players may do.
    pub plays: Vec<Play>,
    /// How prices are paid.
    pub payments: Vec<Payment>,
    /// The discipline of the list.
    pub timing: Timing,
    /// What is announced, what fizzles.
    pub announce: Announce,
    /// Run once, (0, starting player).
    pub setup: Option<FnId>,
    /// The turn (0), its phases and steps.
    pub spans: Vec<Span>,
    /// Pure (0, you): what bots maximise.
    pub evaluate: Option<FnId>,
    /// Named numbers.
    pub constants: Vec<(String, i32)>,
    /// Events that are other events under a condition.
    pub treats: Vec<Treat>,
    /// Corrected texts: (old definition, the one that holds instead).
    pub errata: Vec<(DefId, DefId)>,
    /// What a legal deck is.
    pub deck: DeckRules,
    /// What a match of several games is.
    pub contest: MatchRules,
}

impl Format {
    /// Whether a game can have so many players.
    #[must_use]
    pub fn takes(&self, seats: usize) -> bool {
        (usize::from(self.least)..=usize::from(self.players)).contains(&seats)
    }
}

/// A named event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Types and names of its parameters. A list parameter is not fanned out.
    pub params: Vec<(String, Type)>,
    /// Patterns for the parent match it.
    pub parent: Option<ActionId>,
    /// Triggers are found in the state before it.
    pub looks_back: bool,
    /// Neither it nor what it is made of can be forbidden, and no replacement applies that would leave its object where it is.
    pub unstoppable: bool,
    /// What happened before it is still the latest for timely triggers.
    pub incidental: bool,
    /// Its first parameter is what acts, for those who are told of it.
    pub acts: bool,
    /// Statements: (this = 0, you = the player responsible, arguments…). `None`: only recorded, or a built-in verb.
    pub body: Option<FnId>,
    /// Where it is written.
    pub source: Source,
}

/// An event of `action` is one of `into` when the condition holds. Their parameters are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Treat {
    /// What is proposed.
    pub action: ActionId,
    /// What it is.
    pub into: ActionId,
    /// Pure: (0, nobody, event arguments, [`Cause`]) to bool.
    pub condition: Option<FnId>,
}

/// Abilities of the game itself: `this` is 0, `you` is nobody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Always on.
    pub abilities: Vec<AbilityId>,
}

/// A state rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateRule {
    /// Its name.
    pub name: String,
    /// Statements: (0, active player).
    pub body: FnId,
}

/// Something that a player may do when acting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Play {
    /// Its name, or the label of an activated ability.
    pub name: String,
    /// Zones whose objects are offered: of the acting player, or controlled in a shared zone. Empty: a play without an object.
    /// For an activated ability: empty, the object is the one that has it.
    pub from: Vec<ZoneId>,
    /// A play without an object (`from nowhere`).
    pub nowhere: bool,
    /// Pure: (object, acting player) to bool: which objects the play is for at all, whatever the moment (the noun written as the
    /// type of its parameter, `play cast(it: spell)`). A play without it cannot be chosen for `use X`.
    pub applies: Option<FnId>,
    /// Pure: (object, acting player) to bool.
    pub condition: Option<FnId>,
    /// Pure: (object, acting player) to a price.
    pub price: Option<FnId>,
    /// Pure: (object, acting player) to bool: the price may be paid as it is; else only with an option instead of it.
    pub usual: Option<FnId>,
    /// Statements (object, acting player): numbers chosen while it is announced, kept like what the cost names.
    pub values: Option<FnId>,
    /// Pure: (object, acting player) to a price: the units that using it yields. Nothing else happens, and its cost is about the object
    /// alone: it is used while a price is paid.
    pub yields: Option<FnId>,
    /// The payment that pays the price.
    pub payment: PaymentId,
    /// Types of its further arguments, which come after the object and the player in all its functions: those that an effect gives
    /// with `use X by PLAY`, then those that its cost keeps.
    pub extras: Vec<Type>,
    /// How many of `extras` an effect gives. A play with such is only used by effects.
    pub given: u16,
    /// Statements paid as a further cost: (object, acting player).
    pub cost: Option<FnId>,
    /// Pure: (object, acting player) to bool: the cost can be paid in full. Made by the compiler from the cost's choices.
    pub cost_possible: Option<FnId>,
    /// Carried out immediately, never waits.
    pub at_once: bool,
    /// Offered while a price is being paid (and makes units).
    pub pays: bool,
    /// An activated ability: it works while its object is concealed, which would have it otherwise, and only then.
    pub covered: bool,
    /// A play of the format: its object has this bool status from the announcement on. What is asked about it is asked of it as it is then,
    /// but `applies`, which is asked before.
    pub announced: Option<u16>,
    /// Classes, for windows.
    pub classes: Vec<String>,
    /// How often it may be used.
    pub limit: Option<Limit>,
    /// Statements: (object, acting player).
    pub body: FnId,
    /// The body runs `carry out` on its object: the paragraphs' choices are announced with it.
    pub carries_out: bool,
    /// Where it is written.
    pub source: Source,
}

/// How often something may be used in a span, by each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// So often.
    pub count: u32,
    /// In each of these.
    pub span: SpanId,
    /// What is counted together.
    pub key: LimitKey,
}

/// What a [`Limit`] counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitKey {
    /// The uses of one object.
    Object,
    /// The uses of all objects of a name.
    Name,
    /// All uses of a player.
    Player,
}

/// How prices are paid: units of kinds by simple producers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payment {
    /// Its name.
    pub name: String,
    /// The kinds.
    pub kinds: TraitsId,
    /// What can pay, in the order in which it is used.
    pub clauses: Vec<PaymentClause>,
    /// Player variables that hold floating units, per kind in order, if the game has a pool.
    pub pool: Vec<Option<u16>>,
    /// The letters that stand for each kind in prices (`U`), nothing for a kind without; empty if no kind has any.
    pub symbols: Vec<String>,
}

/// Simple producers: static outputs, used without anybody being asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaymentClause {
    /// Pure (what is paid for, payer): it is there at all.
    pub condition: Option<FnId>,
    /// Pure (what is paid for, payer) to the list of producers.
    pub producers: FnId,
    /// Pure (what is paid for, payer, producer) to the mask of kinds it can yield one unit of, or to a price: units, of which one that all kinds pay
    /// for pays only for such a one.
    pub yields: FnId,
    /// Pure (what is paid for, payer, producer): how often it can be used; once without it.
    pub times: Option<FnId>,
    /// Statements (producer, payer): what using it does.
    pub by: FnId,
}

/// What follows when somebody acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterActing {
    /// The same player acts again.
    #[default]
    Same,
    /// The next player after the one who acted.
    Next,
}

/// Where waiting triggers go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Placement {
    /// On the list when the next window opens for somebody.
    #[default]
    NextWindow,
    /// On a new list, once the list is empty: mandatory ones of the active player, of the others, then optional ones likewise.
    NewList,
    /// Carried out one by one at once, the active player's first; each player picks which of the own ones is next.
    OneByOne,
}

/// The discipline of the list. The presets of the language are values of this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Used things wait on the list (else they are carried out at once).
    pub waits: bool,
    /// Who acts after somebody acted.
    pub after_acting: AfterActing,
    /// When all have passed: the whole list resolves, last in first out, nothing in between (else its top object).
    pub resolve_all: bool,
    /// Where waiting triggers go.
    pub triggers: Placement,
    /// What is used while something resolves waits on the list (else it is carried out inline).
    pub use_waits: bool,
    /// Whoever has a trigger whose text begins with `you may` says so when it is put on the list (else when it is carried out).
    pub declares: bool,
    /// A position that recurs with no choice in between is a draw (else the game ends by its budget).
    pub loop_draws: bool,
}

/// Which choices are made on announcement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lift {
    /// Only explicit targets (else any choice that fits the rest).
    pub targets: bool,
    /// Not optional ones.
    pub mandatory: bool,
    /// Only those made by the controller.
    pub by_controller: bool,
    /// Only those of the first sentence of a paragraph.
    pub first_sentence: bool,
    /// Only among public objects.
    pub public: bool,
    /// Not those that are operands of these actions and among own objects.
    pub except_own: Vec<ActionId>,
}

/// A stage of announcing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Price and costs.
    Pay,
    /// It moves to the list.
    List,
    /// Options and values.
    Values,
    /// Modes and other choices.
    Choices,
}

/// What is announced, what fizzles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Announce {
    /// In order. Empty: list, choices, pay.
    pub stages: Vec<Stage>,
    /// A choice is announced when any of these takes it.
    pub lifts: Vec<Lift>,
    /// It may not be announced without the choices it wants.
    pub none_refused: bool,
    /// The whole object shares one fate (else each paragraph has its own).
    pub fizzle_whole: bool,
}

/// A phase or step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Its last name part.
    pub name: String,
    /// Its whole path: `turn.combat.damage`.
    pub path: String,
    /// A phase (else a step; the turn is neither).
    pub phase: bool,
    /// The span it belongs to.
    pub parent: SpanId,
    /// Pure (0, active player): skipped when it does not hold.
    pub condition: Option<FnId>,
    /// Statements (0, active player), before the children.
    pub body: Option<FnId>,
    /// Spans and repetitions, in order.
    pub entries: Vec<SpanEntry>,
    /// Statements (0, active player) as it ends, such as `at end of each step`.
    pub at_end: Vec<FnId>,
    /// Statements (0, active player) as it starts, before its body.
    pub at_start: Vec<FnId>,
    /// Where it is written.
    pub source: Source,
}

/// What a span is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpanEntry {
    /// A child.
    Span(SpanId),
    /// Children repeated while the condition (0, active player) holds, checked before each round.
    Repeat(FnId, #[serde(deserialize_with = "super::nesting::shallow")] Vec<SpanEntry>),
}

/// The settings of a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Its name (`priority` for the default one, number 0).
    pub name: String,
    /// Only the active player acts.
    pub only_active: bool,
    /// Plays offered, by name or class; empty: all.
    pub plays: Vec<String>,
    /// Closes when this holds at a quiet point: pure (0, active player).
    pub until: Option<FnId>,
}

/// What a legal deck is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeckRules {
    /// Section, at least, at most. A section that is not named may not be used.
    pub sizes: Vec<(String, u32, u32)>,
    /// Copies of one name over all sections.
    pub copies: Option<u32>,
    /// Cards to which `copies` does not apply: pure (0, 0, card as an object of its definition) to bool.
    pub unlimited: Option<FnId>,
    /// Numbers that hold for some cards instead of `copies`, the first that fits: pure (0, 0, card as an object of its definition) to bool.
    pub limits: Vec<(FnId, u32)>,
    /// Cards that may not be in a deck.
    pub refused: Vec<Refused>,
    /// Not at all.
    pub banned: Vec<DefId>,
    /// At most one.
    pub restricted: Vec<DefId>,
}

/// Cards that may not be in a deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Which: pure (0, 0, card as an object of its definition) to bool.
    pub cards: FnId,
    /// Why.
    pub message: String,
    /// In these sections; empty: in all.
    pub sections: Vec<String>,
}

/// What a match of several games is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchRules {
    /// How many games a match has at most, an odd number; 0 stands for one game.
    pub best_of: u32,
    /// The sections of a deck between which cards are exchanged between two games; empty: none are.
    pub exchange: Vec<String>,
    /// How many minutes are allowed for that, at least and at most. For people: nothing here measures time.
    pub minutes: Option<(u32, u32)>,
    /// What may be used at the table.
    pub aids: Vec<String>,
}

/// A deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deck {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Cards by section.
    pub sections: Vec<(String, Vec<(u32, DefId)>)>,
    /// Where it is written.
    pub source: Source,
}

impl Library {
    /// The constant list of an id; empty when there is none.
    #[must_use]
    pub fn list(&self, id: ListId) -> &[i32] {
        self.lists.get(id.index()).map_or(&[], Vec::as_slice)
    }
}

impl Format {
    /// The play of an id.
    #[must_use]
    pub fn play(&self, id: PlayId) -> Option<&Play> {
        self.plays.get(id.index())
    }
}
