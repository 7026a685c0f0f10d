//! The library of a game: code, cards and choice sites, and the declarations that all formats share.

use super::op::{Function, Op, Source};
use super::sparse_table::SparseTable;
use crate::ability::{Ability, Modification};
use crate::format::WindowRules;
use crate::ids::{AbilityBundleId, ActionId, ChoiceSiteId, DefId, FnId, ListId, ModificationId, TraitSetId};
use crate::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The part of a game that does not depend on a format. Tables that grow with the cards are [`SparseTable`]s: each has a separate
/// section in a compiled pack (see [`crate::artifact`]), so serialisation of the library skips them.
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
    /// Statuses: mutable values of objects.
    pub statuses: Vec<Variable>,
    /// The bool statuses that a move can set on arrival: bit `n` of its flags is the n-th of them. Empty: bit `n` is status `n`.
    pub arrival_statuses: Vec<u16>,
    /// Variables of players.
    pub player_variables: Vec<Variable>,
    /// Variables of the game.
    pub globals: Vec<Variable>,
    /// Zone kinds. Zone instances are numbered kind by kind, within a kind in seat order.
    pub zones: Vec<ZoneKind>,
    /// Keywords by name, with the number of their parameters.
    pub keywords: Vec<Keyword>,
    /// Cards and tokens. Definition 0 has no name; abilities on the list have it.
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
    /// Modifications of static abilities and effects.
    #[serde(skip)]
    pub modifications: SparseTable<Modification>,
    /// Windows opened by name.
    pub windows: Vec<WindowRules>,
    /// Modifications of created copies (`except`): their functions get (this, you, the new object).
    pub exceptions: Vec<Vec<ModificationId>>,
    /// The number of functions at the end of their table that only layouts and stages use. The rules hash does not cover them.
    pub shown_functions: u32,
    /// The number of constant lists at the end of their table that only these functions use.
    pub shown_lists: u32,
}

impl Library {
    /// The number of functions that rules may use: those before the functions of layouts and stages.
    #[must_use]
    pub fn rule_functions(&self) -> usize {
        self.functions.len().saturating_sub(self.shown_functions as usize)
    }

    /// The number of constant lists that rules may use.
    #[must_use]
    pub fn rule_lists(&self) -> usize {
        self.lists.len().saturating_sub(self.shown_lists as usize)
    }
}

impl Library {
    /// Visits all operations of functions and of their callees, each function once.
    pub fn for_each_op(&self, roots: &[FnId], mut visit: impl FnMut(&Function, &Op)) {
        let mut open = roots.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            let Some(function) = self.functions.get(id.index()).filter(|_| seen.insert(id)) else { continue };
            for op in &function.ops {
                open.extend(op.callee());
                visit(function, op);
            }
        }
    }
}

impl Library {
    /// The printed words of a definition that effects can change in the text that creates it.
    #[must_use]
    pub fn changeable_words(&self, definition: &Definition) -> Vec<(TraitSetId, u16)> {
        let sets = self.traits.iter().zip(&definition.words).enumerate().filter(|(_, (set, _))| set.changeable);
        sets.flat_map(|(number, (_, words))| words.iter().map(move |word| (TraitSetId(number as u32), *word))).collect()
    }

    /// The statuses that a move sets on arrival, by its flags.
    #[must_use]
    pub fn statuses_on_arrival(&self, flags: u32) -> Vec<usize> {
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
    /// Its words; bit `n` of a mask is word `n`.
    pub words: Vec<String>,
    /// The layer in which changes of it apply.
    pub layer: u8,
    /// Whether effects can change its words in texts.
    pub changeable: bool,
    /// Whether cards add words to it. No rule reads it.
    pub open: bool,
}

/// The base in which the words of a creating text are packed into one number: each digit is the number of a word plus one, the
/// first word is the last digit.
pub const PACKED_WORD: i64 = 1024;
/// The maximum number of packed words.
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
    /// The layer in which changes of it apply (properties).
    pub layer: u8,
    /// The period at whose end it is reset to the initial value; `turn`, `step`, `phase` or a path, which the format resolves.
    pub lifetime: Option<String>,
    /// For a status: an object keeps it when it moves from the list to the field.
    pub kept_on_field: bool,
    /// It has one number for each word of this trait set. Only for statuses and variables of players, of type number, without
    /// lifetime. Its cell holds the list of nonzero numbers, in ascending order of keys: key (the number of the word plus one),
    /// value, key, value, …
    pub keys: Option<TraitSetId>,
    /// For a bool status: while it holds, only the object's controller knows which card it is, and its abilities are inactive.
    pub conceals: bool,
    /// For a status that conceals: the definition whose values the object has in place of its printed ones.
    pub disguise: Option<DefId>,
    /// For a status that conceals and has a `disguise`: the object also has no name.
    pub nameless: bool,
    /// For a status that conceals: the concealed card is shown to all players when it moves without keeping the status, and when
    /// the game ends.
    pub revealed_on_leaving: bool,
    /// For a status: a change of it gives the object a new timestamp.
    pub updates_timestamp: bool,
    /// For a bool status: when it becomes true, effects of resolved texts on the object end, except for those on its controller.
    /// Its usage counts are cleared.
    pub clears_effects: bool,
}

/// Which players see the objects of a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// All players.
    #[default]
    Public,
    /// The player whose zone it is.
    Owner,
    /// No player.
    Hidden,
}

/// A zone kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ZoneKind {
    /// Its name.
    pub name: String,
    /// One instance per player; else one for all.
    pub each_player: bool,
    /// Whether its order is meaningful.
    pub ordered: bool,
    /// Which players see its objects.
    pub visibility: Visibility,
    /// Whether abilities are active here by default.
    pub field: bool,
    /// Whether announced objects wait here.
    pub list: bool,
    /// Whether an object that would go to another player's instance goes to its owner's.
    pub owner_only: bool,
    /// Whether objects that leave it keep last-known information.
    pub keeps_last_known: bool,
    /// An object that moves between two such zones stays the same object.
    pub keeps_objects: bool,
    /// Objects here are treated as not existing (phased out, CR 702.26); the only event that can affect them is a shift to
    /// another zone.
    pub absent: bool,
    /// The name or the kind of the period at whose end what is here ceases to exist.
    pub lifetime: Option<String>,
    /// Hidden objects here have one of these words printed on them, as all players know. Empty: they can be any card.
    pub possible_words: Vec<(TraitSetId, u16)>,
}

/// A keyword by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyword {
    /// Its name.
    pub name: String,
    /// The number of its parameters.
    pub params: u8,
    /// Its parameters that are words of trait sets: parameter number and trait set.
    pub words: Vec<(u8, TraitSetId)>,
    /// Its parameters that are prices: their arguments are numbers of [`Library::lists`]. No rule reads them.
    pub prices: Vec<u8>,
}

/// A card or token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Whether only effects create it.
    pub token: bool,
    /// Printed values, as long as [`Library::properties`] (a [`ListId`] for a price).
    pub properties: Vec<i32>,
    /// The properties that the card writes, sorted: also those with the value that a card has without them. No rule reads them.
    pub written: Vec<u16>,
    /// The properties that a text of the card defines (`defines { power = … }`), sorted. No rule reads them.
    pub defined: Vec<u16>,
    /// Printed words: per trait set of [`Library::traits`] the indices of its words, each once, in the order of the card.
    pub words: Vec<Vec<u16>>,
    /// Keywords with arguments and single abilities, in printed order.
    pub bundles: Vec<AbilityBundleId>,
    /// Its other faces.
    pub faces: Vec<DefId>,
    /// The definition that combines all faces, used where no single face shows (outside of the field and the list). `None`: the
    /// front face is used.
    pub combined_faces: Option<DefId>,
    /// Whether it is a face, or the combined faces, of another definition, and no separate card.
    pub part: bool,
    /// The place in the source.
    pub source: Source,
}

/// Which player makes a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Chooser {
    /// The controller of the effect.
    Controller,
    /// The player in this register of the function.
    Player(crate::types::Reg),
}

/// A place in a text where a player chooses. Announcement policies read its attributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChoiceSite {
    /// The words of the source that make the choice, for prompts and explanations.
    pub text: String,
    /// The place in the source.
    pub source: Source,
    /// Pure: (all registers of its function up to `captures`) to a list of candidates. `None` for yes/no, and for modes that need no check; else the
    /// numbers of the modes of a cost that can be paid.
    pub selector: Option<FnId>,
    /// The registers passed to `selector`, `min` and `max`; they start with `this` and `you`.
    pub captures: Vec<crate::types::Reg>,
    /// Pure, with the parameters of the selector: the minimum, lowered to the number of candidates. `None`: 0.
    pub min: Option<FnId>,
    /// Pure: the maximum. `None`: no limit.
    pub max: Option<FnId>,
    /// The player who chooses.
    pub chooser: Chooser,
    /// Whether the text has the word `target`.
    pub target: bool,
    /// Whether it is part of a `may`, or `up to`.
    pub optional: bool,
    /// Whether all candidates are in public zones.
    pub public: bool,
    /// The list type of the candidates: objects, players or things.
    pub candidate_type: Type,
    /// Whether the candidates are restricted to objects of the effect's controller (`of you`, `your …`).
    pub own: bool,
    /// The verb whose operand it is.
    pub verb: Option<ActionId>,
    /// The number of its sentence in the paragraph, from 0.
    pub sentence: u16,
    /// Its captures are only parameters or earlier sites, and it is unconditional: it can be chosen on announcement.
    pub announceable: bool,
    /// Whether it is inside of a condition or loop.
    pub conditional: bool,
    /// It uses results of the cost of its play: on announcement, it can only be chosen after paying.
    pub after_cost: bool,
    /// The register that receives the result.
    pub dst: crate::types::Reg,
    /// Whether a number is divided among the candidates: `max` is the number, `min` the least share of each.
    pub divides: bool,
    /// For a modes site: the number of modes, and whether one may be chosen repeatedly.
    pub modes: Option<(u16, bool)>,
    /// For a site inside of a mode: it belongs to mode `.2`, if that is the `.1`th chosen mode of the site `.0`.
    pub mode: Option<(ChoiceSiteId, u16, u16)>,
}

impl Library {
    /// The constant list of an id; empty if there is no such list.
    #[must_use]
    pub fn list(&self, id: ListId) -> &[i32] {
        self.lists.get(id.index()).map_or(&[], Vec::as_slice)
    }
}
