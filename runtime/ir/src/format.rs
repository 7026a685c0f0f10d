//! The tables of one format over a library: actions, plays, timing, the turn, and the rules for decks and matches.

use super::library::{ChoiceSite, Chooser, Library};
use super::op::Source;
use super::sparse_table::SparseTable;
use crate::ability::AbilityBundle;
use crate::ids::{AbilityId, ActionId, DefId, FnId, PaymentId, PeriodId, PlayId, TraitSetId, ZoneKindId};
use crate::layout::Layout;
use crate::types::Type;
use serde::{Deserialize, Serialize};

/// The zone kind that holds the cards of a main section before the setup runs.
pub const DECK_ZONE: &str = "deck";

/// The action by which a player leaves a game that continues without them.
pub const LEAVE_GAME_ACTION: &str = "leave_game";

/// The action by which a card leaves the list, after it resolved or because it does not resolve.
pub const REMOVE_FROM_LIST_ACTION: &str = "remove_from_list";

/// A format: a set of tables over a library. Together with the library it is all that a game in progress needs.
///
/// Actions, plays, payments, periods and constants have the same numbers in all formats of a library. A play that a format lacks
/// has an entry with a condition that never holds and no zone to play from. A period that it lacks is in no entry list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// The title, for people.
    pub title: String,
    /// The format or game it extends.
    pub base: Option<String>,
    /// The minimum number of players of a game. A program is linked for this number by default.
    pub min_players: u8,
    /// The maximum number of players of a game.
    pub max_players: u8,
    /// The zone kinds that the format has no zones of, as a mask. The field, the list and the deck are never among them.
    pub absent_zones: u32,
    /// The actions; the first `VERBS.len()` are the built-in verbs.
    pub actions: Vec<Action>,
    /// The ability bundles; keywords have the abilities that this format gives them.
    #[serde(skip)]
    pub bundles: SparseTable<AbilityBundle>,
    /// Abilities of the game itself.
    pub rules: Vec<Rule>,
    /// State rules, in the order of declaration.
    pub state_rules: Vec<StateRule>,
    /// The plays that the format declares.
    pub plays: Vec<Play>,
    /// How prices are paid.
    pub payments: Vec<Payment>,
    /// The discipline of the list.
    pub timing: Timing,
    /// The announcement policy: what is announced and what fizzles.
    pub announce: AnnouncePolicy,
    /// Statements (0, starting player), run once before the first turn.
    pub setup: Option<FnId>,
    /// The turn (0), its phases and steps.
    pub periods: Vec<Period>,
    /// Pure (0, you): the value that bots maximise.
    pub evaluate: Option<FnId>,
    /// Named constants.
    pub constants: Vec<(String, i32)>,
    /// Events that count as another action under a condition.
    pub action_aliases: Vec<ActionAlias>,
    /// Errata: (old definition, definition that replaces it).
    pub errata: Vec<(DefId, DefId)>,
    /// The requirements of a legal deck.
    pub deck: DeckRules,
    /// The rules of a match of several games.
    pub match_rules: MatchRules,
    /// How the board looks. No rule reads it.
    pub layout: Layout,
}

impl Format {
    /// The definition of a card in this format: its errata, else the card itself.
    #[must_use]
    pub fn corrected(&self, card: DefId) -> DefId {
        self.errata.iter().find(|(from, _)| *from == card).map_or(card, |(_, to)| *to)
    }

    /// The title for people: the one that the format declares, else its name.
    #[must_use]
    pub fn shown_title(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// Whether a game can have this number of players.
    #[must_use]
    pub fn takes(&self, seats: usize) -> bool {
        (usize::from(self.min_players)..=usize::from(self.max_players)).contains(&seats)
    }
}

/// An action: a named event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters. A list parameter does not fan out into one event per element.
    pub params: Vec<(String, Type)>,
    /// The action that it is derived from: patterns for the parent match it.
    pub parent: Option<ActionId>,
    /// Whether triggers on it are found in the state before it.
    pub looks_back: bool,
    /// Neither the event nor its parts can be forbidden, and no replacement applies that would leave its object in its zone.
    pub unstoppable: bool,
    /// A choice of its object leaves out those that it cannot happen to (CR 701.17a).
    pub selective: bool,
    /// The event does not make others miss their timing: the event before it still counts as the latest.
    pub timing_neutral: bool,
    /// The parameter of the object that does it (`by`), if one is declared. If it is not the first, its controller is the player who does
    /// what the action does.
    pub acting_param: Option<u16>,
    /// Statements: (this = 0, you = the responsible player, arguments…). `None`: the action is a built-in verb, or is only
    /// recorded.
    pub body: Option<FnId>,
    /// Pure: (this, you, arguments…) to bool. As a cost, the action can happen only if all of them hold (CR 118.3).
    pub cost_conditions: Vec<FnId>,
    /// The place in the source.
    pub source: Source,
}

/// An event of `action` counts as one of `into` if the condition holds. Both have the same parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionAlias {
    /// The action that is proposed.
    pub action: ActionId,
    /// The action that it counts as.
    pub into: ActionId,
    /// Pure: (0, no player, event arguments, [`Cause`](crate::ability::Cause)) to bool.
    pub condition: Option<FnId>,
}

/// Abilities of the game itself: `this` is 0, `you` is no player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Abilities that are always active.
    pub abilities: Vec<AbilityId>,
}

/// A state rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateRule {
    /// Its name.
    pub name: String,
    /// Statements: (0, active player).
    pub body: FnId,
    /// Pure: (0, active player) to bool. If it is false, the body would do nothing. `None` if that is not known in advance.
    pub acts: Option<FnId>,
}

/// A play: something that a player may do when acting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Play {
    /// Its name, or the label of an activated ability.
    pub name: String,
    /// The zones whose objects are offered: zones of the acting player; in shared zones, the objects that the player controls.
    /// Empty for a play without an object, and for an activated ability, whose object is the one that has it.
    pub from: Vec<ZoneKindId>,
    /// Whether the play has no object (`from nowhere`).
    pub nowhere: bool,
    /// Pure: (object, acting player) to bool: the objects that the play is for, regardless of the turn position. It is the noun
    /// that is the type of the parameter (`play cast(it: spell)`). A play without a filter cannot be chosen for `use X`.
    pub object_filter: Option<FnId>,
    /// Pure: (object, acting player) to bool.
    pub condition: Option<FnId>,
    /// Pure: (object, acting player) to a price.
    pub price: Option<FnId>,
    /// Pure: (object, acting player) to bool: whether the usual price may be paid; else an alternative cost is needed.
    pub price_condition: Option<FnId>,
    /// Statements (object, acting player): numbers that the player chooses on announcement; they are stored like the results of
    /// the cost.
    pub numbers: Option<FnId>,
    /// Pure: (object, acting player) to a price: the units that the play produces. The play has no other effect, and its cost
    /// concerns its object alone. It is used while a price is paid.
    pub produces: Option<FnId>,
    /// For a play that produces units: where they wait. 0 for the pool, else the number of a restricted pool, from 1.
    pub pool: u16,
    /// The payment that pays the price.
    pub payment: PaymentId,
    /// Types of further arguments, which follow the object and the player in all functions of the play: first those that an
    /// effect passes with `use X by PLAY`, then those that its cost stores.
    pub extra_params: Vec<Type>,
    /// The number of `extra_params` that an effect passes. A play with such parameters is only used by effects.
    pub effect_params: u16,
    /// Statements that pay an additional cost: (object, acting player).
    pub cost: Option<FnId>,
    /// Pure: (object, acting player) to bool: the cost can be paid in full. The compiler derives it from the choices of the cost.
    pub cost_possible: Option<FnId>,
    /// Resolves immediately, without waiting on the list.
    pub immediate: bool,
    /// Offered while a price is being paid, to produce units.
    pub during_payment: bool,
    /// For an activated ability: usable only while its object is concealed. Other abilities of a concealed object do not work.
    pub while_concealed: bool,
    /// For a play of the format: a bool status that its object has from the announcement on. All functions of the play but
    /// `object_filter`, which is evaluated before, see the object with it.
    pub announced: Option<u16>,
    /// The classes of the play, for windows.
    pub classes: Vec<String>,
    /// The usage limit.
    pub limit: Option<UseLimit>,
    /// Statements that resolve it: (object, acting player).
    pub body: FnId,
    /// The body resolves the text of its object, so the choices of the object's paragraphs are announced with it.
    pub runs_text: bool,
    /// The place in the source.
    pub source: Source,
}

impl Play {
    /// Whether it is an activated ability of its object: other plays come from zones, have no object, or are used by effects.
    #[must_use]
    pub fn is_ability(&self) -> bool {
        self.from.is_empty() && !self.nowhere && self.effect_params == 0
    }
}

/// A usage limit: how often each player may use something in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseLimit {
    /// The maximum number of uses.
    pub count: u32,
    /// The period in which uses are counted.
    pub period: PeriodId,
    /// Which uses are counted together.
    pub key: UseLimitKey,
}

/// The period of a usage limit that holds for the whole game. It never ends.
pub const WHOLE_GAME: PeriodId = PeriodId(u32::MAX);

/// Which uses a [`UseLimit`] counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UseLimitKey {
    /// The uses of one object.
    Object,
    /// The uses of all objects of a name.
    Name,
    /// All uses of a player.
    Player,
}

/// A unit of a price that every kind pays, unless the pool of the payment leaves it out.
pub const ANY_UNIT: u32 = u32::MAX;

/// Marks a unit of a price that is paid in one of two ways. By a kind of it that a pool can hold: then it stands for one more unit of any kind, which
/// is not due. Or by its other kinds; if it has none, by any kind. So `{2/W}` is such a unit of white, and one of any kind.
///
/// A unit of any kind has all bits and is none of these.
pub const EITHER_WAY: u32 = 1 << 31;

/// Whether a unit of a price is paid in one of two ways ([`EITHER_WAY`]).
#[must_use]
pub const fn is_either_way(unit: u32) -> bool {
    unit != ANY_UNIT && unit & EITHER_WAY != 0
}

/// A payment: how prices are paid with units of kinds from simple producers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payment {
    /// Its name.
    pub name: String,
    /// The trait set whose words are the kinds.
    pub kinds: TraitSetId,
    /// The clauses about producers, in the order in which they are used.
    pub clauses: Vec<PaymentClause>,
    /// The player variables that hold pool units, per kind in order, if the game has a pool.
    pub pool: Vec<Option<u16>>,
    /// Further pools, whose units pay only for some objects.
    pub restricted: Vec<RestrictedPool>,
    /// The letter of each kind in prices (`U`), empty for a kind without a letter. The list is empty if no kind has one.
    pub symbols: Vec<String>,
}

impl Payment {
    /// Returns the kinds that pay for a unit of any kind: without a pool all, else those that it can hold (CR 107.4b, f).
    #[must_use]
    pub fn generic_kinds(&self) -> u32 {
        let has_pool = self.pool.iter().any(Option::is_some);
        let is_left_out = |kind: usize| has_pool && self.pool.get(kind).is_some_and(Option::is_none);
        (0..self.pool.len().min(31)).filter(|kind| is_left_out(*kind)).fold(ANY_UNIT, |kinds, kind| kinds & !(1 << kind))
    }

    /// Returns a price in the notation of a card: `{2}{R}`, `{0}` if nothing is paid. Units of any kind are counted.
    #[must_use]
    pub fn format_price(&self, library: &Library, units: &[u32]) -> String {
        let kinds = library.traits.get(self.kinds.index()).map_or(&[][..], |traits| traits.words.as_slice());
        let names = |unit: u32| -> Vec<&str> {
            let taken = kinds.iter().enumerate().filter(|(bit, _)| *bit < 32 && unit & (1 << bit) != 0);
            let symbol = |bit: usize| self.symbols.get(bit).filter(|symbol| !symbol.is_empty());
            taken.map(|(bit, name)| symbol(bit).unwrap_or(name).as_str()).collect()
        };
        let is_any = |unit: &u32| names(*unit).len() == kinds.len();
        let is_hybrid = |unit: &u32| is_either_way(*unit) && unit & !self.generic_kinds() & !EITHER_WAY == 0;
        // A unit that is paid in one of two ways stands for one of those of any kind.
        let hybrids = units.iter().filter(|unit| is_either_way(**unit)).count();
        let any = units.iter().filter(|unit| is_any(unit)).count().saturating_sub(hybrids);
        let mut text = if any > 0 || units.is_empty() { format!("{{{any}}}") } else { String::new() };
        for unit in units.iter().filter(|unit| !is_any(unit)) {
            let amount = if is_hybrid(unit) { "2/" } else { "" };
            text.push_str(&format!("{{{amount}{}}}", names(*unit & !EITHER_WAY).join("/")));
        }
        text
    }
}

/// A pool whose units pay only for some objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestrictedPool {
    /// Pure (what is paid for, payer, whether an ability of it is used): whether the units pay.
    pub condition: FnId,
    /// The player variable that holds them: a number for each kind.
    pub variable: u16,
}

/// A clause about simple producers, which have static outputs and are used without a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaymentClause {
    /// Pure (what is paid for, payer, whether an ability of it is used): whether the clause applies.
    pub condition: Option<FnId>,
    /// Pure (what is paid for, payer) to the list of producers.
    pub producers: FnId,
    /// Pure (what is paid for, payer, producer) to the mask of kinds that it can produce one unit of, or to a price: several
    /// units. A unit of such a price that every kind can pay for is produced as one that pays only for such units.
    pub produces: FnId,
    /// Pure (what is paid for, payer, producer): how often the producer can be used; `None`: once.
    pub times: Option<FnId>,
    /// Statements (producer, payer): the effect of using it.
    pub by: FnId,
}

/// Which player acts after a player acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterActing {
    /// The same player acts again.
    #[default]
    SamePlayer,
    /// The next player after the one who acted.
    NextPlayer,
}

/// Where waiting triggers go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TriggerPlacement {
    /// On the list, when the next window opens for a player.
    #[default]
    NextWindow,
    /// On a new list, once the list is empty: mandatory triggers of the active player, then of the others, then optional ones in
    /// the same order.
    NewList,
    /// Nowhere: they resolve immediately, one by one, those of the active player first. Each player decides which of their own
    /// triggers is next.
    OneByOne,
}

/// The discipline of the list. The presets of the language are values of this type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Announced objects wait on the list; else they resolve immediately.
    pub uses_list: bool,
    /// Which player acts after a player acted.
    pub after_acting: AfterActing,
    /// When all players have passed, the whole list resolves, last in first out, without windows in between. Else only its top
    /// object resolves.
    pub resolve_all: bool,
    /// Where waiting triggers go.
    pub triggers: TriggerPlacement,
    /// An object that is used while another one resolves waits on the list; else it resolves inline.
    pub nested_use_waits: bool,
    /// The controller of a trigger whose text begins with `you may` decides as it is put on the list; else as it resolves.
    pub declares_optional_triggers: bool,
    /// A mandatory loop (a position that recurs with no choice in between) is a draw; else the game ends by its budget.
    pub loop_draws: bool,
    /// A trigger belongs to the player who controls its source as it is put on the list; else to the one who did as it triggered.
    pub triggers_change_sides: bool,
    /// Of the triggers on a phase that begins or ends (not a step), each is put on a new list alone; else all together.
    pub phase_triggers_alone: bool,
    /// What an object's replacement does is not replaced by another object's; else each replacement applies once to an event.
    pub replaces_once: bool,
}

/// A condition on choices that are made on announcement. All set fields must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnouncedChoices {
    /// Only explicit targets; else any choice that meets the other fields.
    pub targets: bool,
    /// Only mandatory choices.
    pub mandatory: bool,
    /// Only choices of the controller.
    pub by_controller: bool,
    /// Only choices in the first sentence of a paragraph.
    pub first_sentence: bool,
    /// Only among public objects.
    pub public: bool,
    /// No choices among the player's own objects that are operands of these actions.
    pub except_own: Vec<ActionId>,
}

/// A stage of an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnnounceStage {
    /// Price and costs are paid.
    Pay,
    /// The object moves to the list.
    List,
    /// Optional costs and numbers are chosen.
    Values,
    /// Modes, targets and other choices are made.
    Choices,
}

/// The announcement policy: what is chosen on announcement, and what fizzles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnouncePolicy {
    /// The stages in order. Empty: list, choices, pay.
    pub stages: Vec<AnnounceStage>,
    /// A choice is announced if it meets any of these conditions.
    pub announced_choices: Vec<AnnouncedChoices>,
    /// An object may not be announced if a required choice has no legal candidates.
    pub requires_choices: bool,
    /// An object whose text begins with one of these actions may not be announced if that is forbidden.
    pub needs: Vec<ActionId>,
    /// The whole object fizzles or resolves as one; else each paragraph separately.
    pub fizzle_whole: bool,
    /// Prohibitions of choosing count on announcement only; else an announced choice is illegal once it is forbidden.
    pub prohibitions_once: bool,
}

impl AnnouncePolicy {
    /// Whether an object moves to the list before choices are made for it.
    #[must_use]
    pub fn lists_before_choices(&self) -> bool {
        let stage = |wanted: AnnounceStage| self.stages.iter().position(|stage| *stage == wanted);
        // Without stages: list, choices, pay.
        self.stages.is_empty()
            || stage(AnnounceStage::List).zip(stage(AnnounceStage::Choices)).is_some_and(|(list, choices)| list < choices)
    }

    /// Whether the choice of a site is made on announcement.
    #[must_use]
    pub fn announces(&self, site: &ChoiceSite) -> bool {
        let stage = |wanted: AnnounceStage| self.stages.iter().position(|stage| *stage == wanted);
        // Without stages: list, choices, pay.
        let paid = stage(AnnounceStage::Pay).zip(stage(AnnounceStage::Choices)).is_some_and(|(pay, choices)| pay < choices);
        site.announceable
            && (!site.after_cost || paid)
            && self.announced_choices.iter().any(|lift| {
                (!lift.targets || site.target || site.modes.is_some())
                    && (!lift.mandatory || !site.optional)
                    && (!lift.by_controller || site.chooser == Chooser::Controller)
                    && (!lift.first_sentence || site.sentence == 0 || site.mode.is_some())
                    && (!lift.public || site.public || site.modes.is_some())
                    && !(site.own && site.verb.is_some_and(|verb| lift.except_own.contains(&verb)))
            })
    }
}

/// A period: the turn, a phase or a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The last part of its path.
    pub name: String,
    /// The whole path: `turn.combat.damage`.
    pub path: String,
    /// Whether it is a phase; else a step (the turn is neither).
    pub phase: bool,
    /// The period that it belongs to.
    pub parent: PeriodId,
    /// Pure (0, active player): the period is skipped if this is false.
    pub condition: Option<FnId>,
    /// Statements (0, active player), before the children.
    pub body: Option<FnId>,
    /// Child periods and repetitions, in order.
    pub entries: Vec<PeriodEntry>,
    /// Statements (0, active player) that run as the period ends, such as `at end of each step`.
    pub at_end: Vec<FnId>,
    /// Statements (0, active player) that run as the period starts, before its body.
    pub at_start: Vec<FnId>,
    /// The place in the source.
    pub source: Source,
}

/// An entry of a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeriodEntry {
    /// A child period.
    Period(PeriodId),
    /// Entries that repeat while the condition (0, active player) holds; it is checked before each round.
    Repeat(FnId, #[serde(deserialize_with = "super::depth_limit::deserialize_entries")] Vec<PeriodEntry>),
}

/// The settings of a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowRules {
    /// Its name (`priority` for the default one, number 0).
    pub name: String,
    /// Only the active player acts.
    pub only_active: bool,
    /// The plays that are offered, by name or class; empty: all.
    pub plays: Vec<String>,
    /// The window closes if this holds at a quiet point: pure (0, active player).
    pub until: Option<FnId>,
}

/// The requirements of a legal deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeckRules {
    /// Section, minimum and maximum number of cards. Sections that are not listed may not be used.
    pub sizes: Vec<(String, u32, u32)>,
    /// The maximum number of copies of one name over all sections.
    pub copies: Option<u32>,
    /// Cards to which `copies` does not apply: pure (0, 0, card as an object of its definition) to bool.
    pub unlimited: Option<FnId>,
    /// Copy limits for some cards instead of `copies`, the first match applies: pure (0, 0, card as an object of its definition)
    /// to bool.
    pub limits: Vec<(FnId, u32)>,
    /// Cards that may not be in a deck.
    pub prohibitions: Vec<DeckProhibition>,
    /// Cards that are not allowed at all.
    pub banned: Vec<DefId>,
    /// Cards of which one copy is allowed.
    pub restricted: Vec<DefId>,
}

/// A prohibition of cards in decks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeckProhibition {
    /// Which cards: pure (0, 0, card as an object of its definition) to bool.
    pub cards: FnId,
    /// The reason, for messages.
    pub message: String,
    /// The sections that it applies to; empty: all.
    pub sections: Vec<String>,
}

/// The rules of a match of several games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchRules {
    /// The maximum number of games, an odd number; 0 means one game.
    pub best_of: u32,
    /// The deck sections between which cards may be exchanged between two games; empty: no exchange.
    pub exchange: Vec<String>,
    /// Minutes for the exchange, at least and at most. For people: the program measures no time.
    pub minutes: Option<(u32, u32)>,
    /// Aids that may be used at the table, for people.
    pub aids: Vec<String>,
}

/// A deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deck {
    /// Its name.
    pub name: String,
    /// The format that it is for.
    pub format: String,
    /// Cards by section.
    pub sections: Vec<(String, Vec<(u32, DefId)>)>,
    /// The place in the source.
    pub source: Source,
}

impl Format {
    /// The play of an id.
    #[must_use]
    pub fn play(&self, id: PlayId) -> Option<&Play> {
        self.plays.get(id.index())
    }
}
