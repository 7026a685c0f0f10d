//! The library of a game: code, cards and choice sites, and the declarations that all formats share.

use super::op::{Function, Source};
use super::sparse_table::SparseTable;
use super::{
    Ability, AbilityBundleId, ActionId, ChoiceSiteId, DefId, FnId, ListId, Modification, ModificationId, TraitSetId, Type,
    WindowRules,
};
use serde::{Deserialize, Serialize};

/// What does not depend on a format. The tables that grow with the cards are [`SparseTable`]s: in a compiled pack each has a section of its own
/// (see [`crate::artifact`]), so they are left out where the rest is written down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// Names of source files, for messages.
    pub files: Vec<String>,
    /// Trait sets.
    pub traits: Vec<TraitSet>,
    /// Layers, in the order of application.
    pub layers: Vec<String>,
    /// Printed properties of objects.
    pub properties: Vec<Variable>,
    /// Mutable facts of objects.
    pub statuses: Vec<Variable>,
    /// The bool statuses that a move can say to hold on arrival: bit `n` of its flags is the n-th of them. Empty: bit `n` is status `n`.
    pub arrival_statuses: Vec<u16>,
    /// Mutable facts of players.
    pub player_variables: Vec<Variable>,
    /// Mutable facts of the game.
    pub globals: Vec<Variable>,
    /// Zones. Instances are numbered zone by zone, players in seat order.
    pub zones: Vec<ZoneKind>,
    /// Keywords by name, with the number of their parameters.
    pub keywords: Vec<Keyword>,
    /// Cards and tokens. Definition 0 is the nameless one of abilities on the list.
    #[serde(skip)]
    pub definitions: SparseTable<Definition>,
    /// All code.
    #[serde(skip)]
    pub functions: SparseTable<Function>,
    /// Choice sites.
    #[serde(skip)]
    pub sites: SparseTable<ChoiceSite>,
    /// Constant lists (prices).
    pub lists: Vec<Vec<i32>>,
    /// Abilities of cards, keywords, rules and delayed triggers.
    #[serde(skip)]
    pub abilities: SparseTable<Ability>,
    /// Changes made by static abilities and effects.
    #[serde(skip)]
    pub mods: SparseTable<Modification>,
    /// Windows opened by name.
    pub windows: Vec<WindowRules>,
    /// What created copies do not copy, or have besides: changes whose functions get (this, you, the new object).
    pub exceptions: Vec<Vec<ModificationId>>,
}

impl Library {
    /// The words of a definition that effects can change in the text that creates it.
    #[must_use]
    pub fn changeable_words(&self, definition: &Definition) -> Vec<(TraitSetId, u16)> {
        let sets = self.traits.iter().zip(&definition.words).enumerate().filter(|(_, (set, _))| set.changeable);
        sets.flat_map(|(number, (_, words))| words.iter().map(move |word| (TraitSetId(number as u32), *word))).collect()
    }

    /// The statuses that hold on arrival, by the flags of a move.
    #[must_use]
    pub fn arriving(&self, flags: u32) -> Vec<usize> {
        let bits = (0..32usize).filter(|bit| flags & (1 << bit) != 0);
        let status = |bit: usize| match self.arrival_statuses.get(bit) {
            Some(status) => Some(usize::from(*status)),
            None if self.arrival_statuses.is_empty() => Some(bit),
            None => None,
        };
        bits.filter_map(status).filter(|status| *status < self.statuses.len()).collect()
    }
}

/// A trait set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraitSet {
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
    pub keys: Option<TraitSetId>,
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
pub struct ZoneKind {
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
    pub keeps_last_known: bool,
    /// What is here is treated as though it did not exist: nothing happens to it but being shifted away.
    pub absent: bool,
    /// What cannot be seen here has one of these words printed on it, as everybody knows. None: it can be anything.
    pub possible_words: Vec<(TraitSetId, u16)>,
}

/// A keyword's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyword {
    /// Its name.
    pub name: String,
    /// How many parameters it takes.
    pub params: u8,
    /// Its parameters that are words of trait sets: their numbers, and the sets.
    pub words: Vec<(u8, TraitSetId)>,
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
    pub units: Vec<AbilityBundleId>,
    /// Its further faces.
    pub faces: Vec<DefId>,
    /// What it is where no single face shows (outside of the field and the list): all its faces in one. Without it, its front.
    pub combined_faces: Option<DefId>,
    /// A face or joined faces of another definition: no card by itself.
    pub part: bool,
    /// Where it is written.
    pub source: Source,
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
pub struct ChoiceSite {
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
    pub announceable: bool,
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
    pub mode: Option<(ChoiceSiteId, u16, u16)>,
}

impl Library {
    /// The constant list of an id; empty when there is none.
    #[must_use]
    pub fn list(&self, id: ListId) -> &[i32] {
        self.lists.get(id.index()).map_or(&[], Vec::as_slice)
    }
}
