//! The tables of one format over a library: actions, plays, timing, the turn, and the rules for decks and matches.

use super::op::Source;
use super::sparse_table::SparseTable;
use super::{AbilityBundle, AbilityId, ActionId, DefId, FnId, PaymentId, PeriodId, PlayId, TraitSetId, Type, ZoneKindId};
use serde::{Deserialize, Serialize};

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
    pub min_players: u8,
    /// How many players a game has at most.
    pub max_players: u8,
    /// Bit per zone kind that this format has no zone of. The field, the list and the deck are always there.
    pub absent: u32,
    /// Named events; the first `VERBS.len()` are the built-in verbs.
    pub actions: Vec<Action>,
    /// Units, keywords spelt out as this format has them.
    #[serde(skip)]
    pub units: SparseTable<AbilityBundle>,
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
    pub announce: AnnouncePolicy,
    /// Run once, (0, starting player).
    pub setup: Option<FnId>,
    /// The turn (0), its phases and steps.
    pub spans: Vec<Period>,
    /// Pure (0, you): what bots maximise.
    pub evaluate: Option<FnId>,
    /// Named numbers.
    pub constants: Vec<(String, i32)>,
    /// Events that are other events under a condition.
    pub treats: Vec<ActionAlias>,
    /// Corrected texts: (old definition, the one that holds instead).
    pub errata: Vec<(DefId, DefId)>,
    /// What a legal deck is.
    pub deck: DeckRules,
    /// What a match of several games is.
    pub match_rules: MatchRules,
}

impl Format {
    /// Whether a game can have so many players.
    #[must_use]
    pub fn takes(&self, seats: usize) -> bool {
        (usize::from(self.min_players)..=usize::from(self.max_players)).contains(&seats)
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
    pub timing_neutral: bool,
    /// Its first parameter is what acts, for those who are told of it.
    pub acts: bool,
    /// Statements: (this = 0, you = the player responsible, arguments…). `None`: only recorded, or a built-in verb.
    pub body: Option<FnId>,
    /// Where it is written.
    pub source: Source,
}

/// An event of `action` is one of `into` when the condition holds. Their parameters are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionAlias {
    /// What is proposed.
    pub action: ActionId,
    /// What it is.
    pub into: ActionId,
    /// Pure: (0, nobody, event arguments, [`Cause`](super::Cause)) to bool.
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
    pub from: Vec<ZoneKindId>,
    /// A play without an object (`from nowhere`).
    pub nowhere: bool,
    /// Pure: (object, acting player) to bool: which objects the play is for at all, whatever the moment (the noun written as the
    /// type of its parameter, `play cast(it: spell)`). A play without it cannot be chosen for `use X`.
    pub object_filter: Option<FnId>,
    /// Pure: (object, acting player) to bool.
    pub condition: Option<FnId>,
    /// Pure: (object, acting player) to a price.
    pub price: Option<FnId>,
    /// Pure: (object, acting player) to bool: the price may be paid as it is; else only with an option instead of it.
    pub price_condition: Option<FnId>,
    /// Statements (object, acting player): numbers chosen while it is announced, kept like what the cost names.
    pub values: Option<FnId>,
    /// Pure: (object, acting player) to a price: the units that using it yields. Nothing else happens, and its cost is about the object
    /// alone: it is used while a price is paid.
    pub yields: Option<FnId>,
    /// The payment that pays the price.
    pub payment: PaymentId,
    /// Types of its further arguments, which come after the object and the player in all its functions: those that an effect gives
    /// with `use X by PLAY`, then those that its cost keeps.
    pub extra_params: Vec<Type>,
    /// How many of `extras` an effect gives. A play with such is only used by effects.
    pub effect_params: u16,
    /// Statements paid as a further cost: (object, acting player).
    pub cost: Option<FnId>,
    /// Pure: (object, acting player) to bool: the cost can be paid in full. Made by the compiler from the cost's choices.
    pub cost_possible: Option<FnId>,
    /// Carried out immediately, never waits.
    pub immediate: bool,
    /// Offered while a price is being paid (and makes units).
    pub during_payment: bool,
    /// An activated ability: it works while its object is concealed, which would have it otherwise, and only then.
    pub while_concealed: bool,
    /// A play of the format: its object has this bool status from the announcement on. What is asked about it is asked of it as it is then,
    /// but `applies`, which is asked before.
    pub announced: Option<u16>,
    /// Classes, for windows.
    pub classes: Vec<String>,
    /// How often it may be used.
    pub limit: Option<UseLimit>,
    /// Statements: (object, acting player).
    pub body: FnId,
    /// The body runs `carry out` on its object: the paragraphs' choices are announced with it.
    pub runs_text: bool,
    /// Where it is written.
    pub source: Source,
}

/// How often something may be used in a span, by each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseLimit {
    /// So often.
    pub count: u32,
    /// In each of these.
    pub span: PeriodId,
    /// What is counted together.
    pub key: UseLimitKey,
}

/// What a [`UseLimit`] counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UseLimitKey {
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
    pub kinds: TraitSetId,
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
pub enum TriggerPlacement {
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
    pub uses_list: bool,
    /// Who acts after somebody acted.
    pub after_acting: AfterActing,
    /// When all have passed: the whole list resolves, last in first out, nothing in between (else its top object).
    pub resolve_all: bool,
    /// Where waiting triggers go.
    pub triggers: TriggerPlacement,
    /// What is used while something resolves waits on the list (else it is carried out inline).
    pub nested_use_waits: bool,
    /// Whoever has a trigger whose text begins with `you may` says so when it is put on the list (else when it is carried out).
    pub declares_optional_triggers: bool,
    /// A position that recurs with no choice in between is a draw (else the game ends by its budget).
    pub loop_draws: bool,
}

/// Which choices are made on announcement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnouncedChoices {
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
pub enum AnnounceStage {
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
pub struct AnnouncePolicy {
    /// In order. Empty: list, choices, pay.
    pub stages: Vec<AnnounceStage>,
    /// A choice is announced when any of these takes it.
    pub announced_choices: Vec<AnnouncedChoices>,
    /// It may not be announced without the choices it wants.
    pub requires_choices: bool,
    /// The whole object shares one fate (else each paragraph has its own).
    pub fizzle_whole: bool,
}

/// A phase or step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// Its last name part.
    pub name: String,
    /// Its whole path: `turn.combat.damage`.
    pub path: String,
    /// A phase (else a step; the turn is neither).
    pub phase: bool,
    /// The span it belongs to.
    pub parent: PeriodId,
    /// Pure (0, active player): skipped when it does not hold.
    pub condition: Option<FnId>,
    /// Statements (0, active player), before the children.
    pub body: Option<FnId>,
    /// Spans and repetitions, in order.
    pub entries: Vec<PeriodEntry>,
    /// Statements (0, active player) as it ends, such as `at end of each step`.
    pub at_end: Vec<FnId>,
    /// Statements (0, active player) as it starts, before its body.
    pub at_start: Vec<FnId>,
    /// Where it is written.
    pub source: Source,
}

/// What a span is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeriodEntry {
    /// A child.
    Span(PeriodId),
    /// Children repeated while the condition (0, active player) holds, checked before each round.
    Repeat(FnId, #[serde(deserialize_with = "super::depth_limit::shallow")] Vec<PeriodEntry>),
}

/// The settings of a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowRules {
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
    pub refused: Vec<DeckProhibition>,
    /// Not at all.
    pub banned: Vec<DefId>,
    /// At most one.
    pub restricted: Vec<DefId>,
}

/// Cards that may not be in a deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeckProhibition {
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

impl Format {
    /// The play of an id.
    #[must_use]
    pub fn play(&self, id: PlayId) -> Option<&Play> {
        self.plays.get(id.index())
    }
}
