//! Functions and their operations. What each operation reads, writes and changes, and whether it is pure, is declared in [`crate::operands`].
//!
//! A function has typed registers. Registers 0 and 1 are always *this* (an object, 0 if there is none) and *you* (a player).
//! Parameters follow:
//! - body and conditions of a pattern: the arguments of the event, then its cause (see [`crate::ability::Cause`]);
//! - body of an action: the parameters of the action;
//! - filter: the captured registers, then the candidate.
//!
//! *Pure* functions use only pure operations and cannot suspend; statement functions may use all operations.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ids::{
    ActionId, ChoiceSiteId, DefId, FnId, KeywordId, ListId, ModificationId, PeriodId, PlayId, TraitSetId, ZoneKindId,
};
use crate::types::{Reg, Type};
use serde::{Deserialize, Serialize};

/// A place in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, PartialOrd, Ord)]
pub struct Source {
    /// Index into `Library::files`.
    pub file: u32,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

/// Compiled code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name for messages: `action destroy`, `card "X", line 3`.
    pub name: String,
    /// Types of all registers; the caller fills the first `params`.
    pub registers: Vec<Type>,
    /// The number of parameters, `this` and `you` included.
    pub params: u16,
    /// The result type of a pure function.
    pub result: Option<Type>,
    /// The operations. A function returns at their end.
    pub ops: Vec<Op>,
    /// The source of each operation; as long as `ops`.
    pub sources: Vec<Source>,
    /// Words of the text of the function that effects can change.
    pub text_slots: Vec<TextSlot>,
}

impl Function {
    /// Whether it has only pure operations, and so cannot suspend.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        !self.ops.iter().any(Op::is_statement)
    }

    /// The operation at which the body continues if the last declaration before operation `pc` has to be repeated
    /// ([`Declare::restart_at`]).
    #[must_use]
    pub fn declaration_start(&self, pc: usize) -> Option<u32> {
        let before = self.ops.get(..pc).unwrap_or(&[]).iter().rev();
        before.into_iter().find_map(|op| if let Op::Declare(it) = op { Some(it.restart_at) } else { None })
    }

    /// The reachable operations, with their numbers.
    pub fn reachable(&self) -> impl Iterator<Item = (usize, &Op)> {
        let mut reached = vec![false; self.ops.len()];
        let mut open = vec![0];
        while let Some(pc) = open.pop() {
            let Some(op) = self.ops.get(pc).filter(|_| reached.get(pc) == Some(&false)) else { continue };
            reached.get_mut(pc).into_iter().for_each(|reached| *reached = true);
            op.for_each_successor(pc, |next| open.push(next));
            if let Op::Declare(it) = op {
                open.push(it.restart_at as usize);
            }
        }
        self.ops.iter().enumerate().zip(reached).filter(|(_, reached)| *reached).map(|(op, _)| op)
    }
}

/// A register that is filled when a function begins: with the number plus one of the word that replaces `word` in the text of the
/// object in register 0, or of `word` itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSlot {
    /// The register; it is no parameter.
    pub reg: Reg,
    /// The trait set.
    pub traits: TraitSetId,
    /// The printed word.
    pub word: u16,
}

/// The location of a mutable or derived value. Operations name the register of the object or player (`of`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Printed property `n` of an object, after continuous effects.
    Property(u16),
    /// Printed property `n`, as printed.
    Printed(u16),
    /// The words of trait set `n` of an object, after continuous effects (sets of at most 32 words).
    Words(TraitSetId),
    /// Status `n` of an object.
    Status(u16),
    /// Variable `n` of a player.
    Player(u16),
    /// Variable `n` of the game (`of` is ignored).
    Global(u16),
    /// Owner of an object.
    Owner,
    /// Controller of an object, after continuous effects.
    Controller,
    /// Zone instance of an object; -1 when it is stale.
    Zone,
    /// Definition of an object.
    Definition,
    /// The object whose ability an object on the list is; the object itself for a card.
    SourceOf,
    /// The host: the object whose pile this one is part of; 0 if it is free.
    Host,
    /// The face of an object that shows: 1 for the front, then its other faces.
    Face,
}

/// Two-operand operators on numbers, bools and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its operator")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Rounded towards negative infinity; division by zero returns zero.
    DivideDown,
    /// Rounded towards positive infinity; division by zero returns zero.
    DivideUp,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    /// Bitwise and, for trait masks.
    MaskAnd,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteMode {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

impl WriteMode {
    /// The new value of a number; numbers saturate at 32 bits.
    #[must_use]
    pub fn apply(self, before: i64, value: i64) -> i64 {
        let after = match self {
            Self::Set => value,
            Self::Add => before.saturating_add(value),
            Self::Subtract => before.saturating_sub(value),
        };
        after.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
    }
}

/// A proposal of an event in a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventProposal {
    /// The action.
    pub action: ActionId,
    /// Its arguments, in the order of the action's parameters.
    pub args: Vec<Reg>,
    /// The argument whose register is a list: one event is proposed per element.
    pub over: Option<u8>,
    /// The player who chose the object of the event.
    pub chosen: ChosenBy,
}

/// Which player chose the object of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChosenBy {
    /// No player: the text or the rules named it.
    #[default]
    NoPlayer,
    /// The controller of the effect (register 1).
    Controller,
    /// The player in this register.
    Player(Reg),
    /// The player who chose the object of the event whose body this is.
    Inherited,
}

/// The end of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DurationEnd {
    /// The current (or next) end of a period, in any player's turn.
    End(PeriodId),
    /// The end of the period in the next turn of the player in the register.
    NextEnd(PeriodId, Reg),
    /// The start of the period in the next turn of the player in the register.
    NextStart(PeriodId, Reg),
    /// The first event that matches.
    Event {
        /// The action.
        action: ActionId,
        /// Pure: (this, you, event arguments, cause) to bool.
        filter: FnId,
        /// Whether the event is matched in the state before it (something leaves).
        looks_back: bool,
        /// Whether the event is about the source itself. Once the source is stale, no effect with this duration begins (CR
        /// 611.2b).
        of_source: bool,
    },
    /// The first moment at which the condition does not hold: it is looked at after each event, and where an effect begins or ends. Where it does not hold at the beginning, the effect does not begin (CR 611.2b).
    Failure {
        /// Pure: (this, you, captures of the effect) to bool.
        condition: FnId,
    },
}

/// One operation. Its row in [`super::operands`] gives the role of each field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of an operation are named in its description")]
pub enum Op {
    // ---- pure ----
    /// A constant of the destination's type.
    Const { dst: Reg, value: i64 },
    /// A named number of the format (`Format::constants`).
    Constant { dst: Reg, constant: u32 },
    /// A constant list.
    List { dst: Reg, list: ListId },
    /// A list of the values of registers, in order, without those that are no object or no player.
    MakeList { dst: Reg, items: Vec<Reg> },
    /// Copies a value (lists by value).
    Copy { dst: Reg, src: Reg },
    /// Converts the value of `src` to the type of `dst`: an object or player to a thing, a thing to an object (0 for a player) or
    /// to a player ([`crate::ids::NO_PLAYER`] for an object). Lists are converted by element; elements of the other kind are dropped.
    Cast { dst: Reg, src: Reg },
    /// The share of a thing in a division; 0 if it has none.
    ShareOf { dst: Reg, shares: Reg, of: Reg },
    /// `a op b`
    Binary { op: Binary, dst: Reg, a: Reg, b: Reg },
    /// `not a`
    Not { dst: Reg, a: Reg },
    /// Jumps to an operation of the same function.
    Jump { to: u32 },
    /// Jumps if the register is 0.
    JumpUnless { cond: Reg, to: u32 },
    /// Reads a value. A stale object is read from its last-known information, if its zone keeps it.
    Get { dst: Reg, place: Place, of: Reg },
    /// Reads the value of one key of a keyed status or variable of a player; key 0 reads the sum of all. `Get` does not read
    /// these.
    GetKey { dst: Reg, place: Place, of: Reg, key: Reg },
    /// The next key after `after` (0: the first one) whose value in a keyed status or variable is not 0; 0 if there is none.
    NextKey { dst: Reg, place: Place, of: Reg, after: Reg },
    /// Whether an object has a word of a trait set.
    HasWord { dst: Reg, of: Reg, traits: TraitSetId, word: u16 },
    /// Whether an object has the word of a trait set that the register `word` contains (its number plus one).
    HasSomeWord { dst: Reg, of: Reg, traits: TraitSetId, word: Reg },
    /// Whether two objects have a word of a trait set in common.
    HasCommonWord { dst: Reg, a: Reg, b: Reg, traits: TraitSetId },
    /// Whether an object has a keyword.
    HasKeyword { dst: Reg, of: Reg, keyword: KeywordId },
    /// The highest first argument of a keyword that an object has; 0 if it does not have the keyword.
    KeywordValue { dst: Reg, of: Reg, keyword: KeywordId },
    /// Whether an object has the name of a definition.
    IsCard { dst: Reg, of: Reg, card: DefId },
    /// Whether a reference is current (not stale, not 0), or refers to a player.
    Exists { dst: Reg, of: Reg },
    /// The zone instance of a zone kind; `player` is ignored for a shared one.
    ZoneOf { dst: Reg, zone: ZoneKindId, player: Reg },
    /// Whether an object is in a zone kind (of any player).
    InZone { dst: Reg, of: Reg, zone: ZoneKindId },
    /// All objects of a zone instance, bottom to top.
    ZoneList { dst: Reg, zone: Reg },
    /// All objects of a zone kind, of all players in turn order.
    AllInZone { dst: Reg, zone: ZoneKindId },
    /// The elements of `list` for which the pure function returns true. Its arguments are `captures`, which start with `this` and
    /// `you`, then the element.
    Filter { dst: Reg, list: Reg, filter: FnId, captures: Vec<Reg> },
    /// Concatenates two lists without repetitions.
    Union { dst: Reg, a: Reg, b: Reg },
    /// The elements of `a` that are not in `b`.
    Except { dst: Reg, a: Reg, b: Reg },
    /// The number of elements of a list.
    Count { dst: Reg, list: Reg },
    /// Whether a list contains the element.
    Contains { dst: Reg, list: Reg, item: Reg },
    /// Element `index` (from 0); if there is none, 0, or `NO_PLAYER` from a list of players.
    ElementAt { dst: Reg, list: Reg, index: Reg },
    /// The last `count` elements, topmost first (`top`), or the first `count` (`bottom`).
    TakeEnds { dst: Reg, list: Reg, count: Reg, top: bool },
    /// Sum, highest or lowest of a pure function over a list; 0 for an empty one.
    Fold { dst: Reg, list: Reg, how: FoldKind, value: FnId, captures: Vec<Reg> },
    /// The elements of a list with which a set can be completed: `min` to `max` of the list, that element among them, whose values
    /// have a sum that compares with `total` as `how` says.
    Completing { dst: Reg, list: Reg, how: SumTest, value: FnId, captures: Vec<Reg>, total: Reg, min: Reg, max: Reg },
    /// Calls a pure function; `args` start with `this` and `you`.
    Call { dst: Reg, function: FnId, args: Vec<Reg> },
    /// As [`Op::Call`], evaluated as if no status concealed the object `of`. Continuous effects still see only what all players
    /// see.
    CallUnconcealed { dst: Reg, function: FnId, args: Vec<Reg>, of: Reg },
    /// A built-in function of [`super::verbs::BUILTINS`].
    Builtin { dst: Reg, builtin: u16, args: Vec<Reg> },
    /// Whether nothing forbids an event of the action with these arguments now. `paying`: as part of a cost of `this` that `you`
    /// pays with a chosen object.
    IsAllowed { dst: Reg, action: ActionId, args: Vec<Reg>, paying: bool },
    /// The players, in turn order from the active one.
    Players { dst: Reg },
    /// The next player after `player` in turn order (the opponent, with two).
    Opponent { dst: Reg, player: Reg },
    /// The active player.
    ActivePlayer { dst: Reg },
    /// Whether the period is open now.
    InPeriod { dst: Reg, period: PeriodId },
    /// Ends a function. Pure functions return `value`.
    Return { value: Option<Reg> },

    // ---- statements ----
    /// Makes a choice. `dst` is a list of objects or players. For an announced choice, the announced ones that are still legal.
    Choose { dst: Reg, site: ChoiceSiteId },
    /// A player decides yes or no.
    Ask { dst: Reg, player: Reg, site: ChoiceSiteId },
    /// A player decides on a number from `min` to `max`.
    AskNumber { dst: Reg, player: Reg, min: Reg, max: Reg },
    /// A player decides on a word of a trait set; `dst` is its number plus one, 0 if there is none. `only`: restricts the choice
    /// to words for which the pure function returns true. Its arguments are `captures` (which start with `this` and `you`), then
    /// the word.
    AskWord { dst: Reg, player: Reg, traits: TraitSetId, only: Option<FnId>, captures: Vec<Reg> },
    /// A player divides a number among the elements of a list; `dst` is the shares. Announced like any other choice.
    Divide { dst: Reg, site: ChoiceSiteId },
    /// A player chooses modes: `dst` is a list of mode numbers from 0, ascending. Announced like any other choice.
    ChooseModes { dst: Reg, site: ChoiceSiteId },
    /// `count` random elements of `list`.
    Random { dst: Reg, list: Reg, count: Reg },
    /// A declaration: a player pairs objects of one list with objects or players of another. It is one decision under the clauses
    /// that are active for the action. `dst`: the pairs (first, second, first, …); `declared`: the objects that have a pair.
    /// `pairs` (pure: captures…, first, second) selects the possible pairs; `max_pairs` (pure: captures…, first) is the maximum
    /// per object.
    Declare(Box<Declare>),
    /// Pays the costs that clauses impose on the pairs of a declaration. After a rollback, the declaration is repeated. `stage`
    /// is the register of the declaration; `owed` is a list register that only this operation uses.
    PayForDeclaration { pairs: Reg, player: Reg, action: ActionId, owed: Reg, stage: Reg },
    /// One batch with an event of the action for each pair.
    ProposePairs { pairs: Reg, player: Reg, action: ActionId, done: Option<Reg> },
    /// A random number from `min` to `max`, both included; `min` if `max` is smaller.
    RandomNumber { dst: Reg, min: Reg, max: Reg },
    /// Sets the active player. Only before the first turn: later it does nothing.
    SetActivePlayer { player: Reg },
    /// Proposes one batch. `done`: whether any of its events happened. `out`: the objects that it moved or created, as references
    /// to their new incarnations.
    Propose { events: Vec<EventProposal>, done: Option<Reg>, out: Option<Reg> },
    /// Opens a batch that collects the following `Propose` and `Write` operations, until `EndBatch` (a block of simultaneous events).
    BeginBatch,
    /// Closes the batch opened by `BeginBatch` and executes it.
    EndBatch { done: Option<Reg>, out: Option<Reg> },
    /// Writes a status or variable.
    Write { place: Place, of: Reg, how: WriteMode, value: Reg },
    /// Writes the value of one key of a keyed status or variable of a player; key 0 writes nothing. With `Set`, key 0 sets all
    /// existing keys.
    WriteKey { place: Place, of: Reg, key: Reg, how: WriteMode, value: Reg },
    /// Begins an effect with a duration: modifications, and abilities that no object has (delayed triggers, shields). `whom` is
    /// the locked list of affected objects, absent if the modifications have a live selector. The machine puts `this` and `you`
    /// before `captures`; in the functions of `abilities` the values of the event follow. `once`: the effect ends after one of
    /// its abilities was used.
    BeginEffect {
        mods: Vec<ModificationId>,
        abilities: Vec<crate::ids::AbilityId>,
        whom: Option<Reg>,
        captures: Vec<Reg>,
        until: Vec<DurationEnd>,
        once: bool,
    },
    /// Objects become copies of `model` in its current state, changed by `except` (whose functions get this, you, captures…, the
    /// object). Either an effect with a duration, or (`enters`) as they enter the field next.
    Become { whom: Reg, model: Reg, enters: bool, except: Vec<ModificationId>, captures: Vec<Reg>, until: Vec<DurationEnd> },
    /// Copies an object on the list, with its announced choices, for the player in register 1. `choosing`: the player may choose
    /// other targets.
    CopyListed { dst: Reg, object: Reg, choosing: bool },
    /// The player in register 1 changes the single explicit target of an object on the list to another legal one, if there is
    /// one.
    Retarget { object: Reg },
    /// An ability triggers now (CR 603.12). `captures` (without `this` and `you`) become registers 2 and up of its body.
    Trigger { ability: crate::ids::AbilityId, captures: Vec<Reg> },
    /// Opens a window for playing (`priority` is the window with the default settings).
    Window { window: u16 },
    /// Settles: executes state rules to a fixpoint. Under a timing without list, also waiting triggers. `acted`: whether anything
    /// happened.
    Settle { triggers: bool, acted: Option<Reg> },
    /// The player in register 1 plays an object without permission: by a named play with further arguments, or by the first play
    /// that accepts it. `free`: without its price. The timing decides whether it waits or resolves inline.
    Use { object: Reg, by: Option<PlayId>, args: Vec<Reg>, free: bool, done: Option<Reg> },
    /// Whether a player could pay a price now: from the pool, or with plays that are offered while paying.
    CanPay { dst: Reg, player: Reg, price: Reg },
    /// A player pays a price, if possible. `done`: whether it was paid.
    Pay { player: Reg, price: Reg, done: Option<Reg> },
    /// Adds units to a pool of a player, who decides on a kind for each unit that accepts several. `units` is consumed. `pool`: 0 for
    /// the pool, else the number of a restricted one, from 1.
    AddToPool { player: Reg, units: Reg, pool: u16 },
    /// Stores a value with the announcement whose cost this is: as further argument `slot` of its play.
    StoreCostResult { slot: u16, src: Reg },
    /// The use of an object on the list does not count against its usage limit.
    Refund { object: Reg },
    /// Resolves the paragraphs of an object's text.
    RunText { object: Reg },
    /// Inserts a period after the current one (of the same level).
    InsertPeriod { period: PeriodId },
    /// Skips the next such period of the player.
    SkipPeriod { period: PeriodId, player: Reg },
    /// Ends the current period of this level immediately: what waits or resolves is removed.
    EndPeriod { period: PeriodId },
    /// Ends the open phase immediately, removes what waits on the list, and continues the turn with `period`. Triggers keep
    /// waiting.
    SkipTo { period: PeriodId },
    /// Ends all effects that last until the end of `period`.
    Expire { period: PeriodId },
    /// Adds an extra turn after this one. `dst`: its number among the extra turns of the game, from 1.
    ExtraTurn { dst: Reg, player: Reg },
}

/// The operands of [`Op::Declare`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declare {
    /// The list of pairs, flat.
    pub dst: Reg,
    /// 1 if something has to be paid for them, else 0.
    pub stage: Reg,
    /// The list of objects that have a pair.
    pub declared: Reg,
    /// The declaring player.
    pub player: Reg,
    /// The list of first arguments: objects.
    pub from: Reg,
    /// The list of second arguments: objects or players.
    pub onto: Reg,
    /// The action of the event for each pair.
    pub action: ActionId,
    /// Pure: whether a pair is possible.
    pub pairs: Option<FnId>,
    /// Pure: the maximum number of pairs of an object; `None`: one.
    pub max_pairs: Option<FnId>,
    /// The first arguments of `pairs` and `max_pairs`.
    pub captures: Vec<Reg>,
    /// The choice site.
    pub site: ChoiceSiteId,
    /// The operation, before this one, at which the body continues if the declaration has to be repeated although a later event
    /// (randomness, a reveal) cannot be rolled back.
    pub restart_at: u32,
}

/// How [`Op::Completing`] compares a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its word")]
pub enum SumTest {
    Equal,
    AtMost,
    AtLeast,
}

/// What [`Op::Fold`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its word")]
pub enum FoldKind {
    Sum,
    Highest,
    Lowest,
}

/// The choice sites of functions, each once, in the order of the operations.
pub fn choice_sites<'f>(functions: impl Iterator<Item = &'f Function>) -> Vec<ChoiceSiteId> {
    let mut visited = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for op in functions.flat_map(|function| &function.ops) {
        if let Op::Choose { site, .. } | Op::ChooseModes { site, .. } | Op::Ask { site, .. } = op
            && visited.insert(*site)
        {
            found.push(*site);
        }
    }
    found
}
