//! Functions and their operations.
//!
//! A function has typed registers. Registers 0 and 1 are always *this* (an object, 0 for none) and *you* (a player).
//! Then come the parameters: for the body and the conditions of a pattern, the arguments of the event followed by its cause
//! (see [`super::Cause`]); for the body of an action, its parameters; for a filter, the captured registers and last the candidate.
//! *Pure* functions use only pure operations and cannot suspend; statement functions may use all.

use super::{
    ActionId, ChoiceSiteId, DefId, FnId, KeywordId, ListId, ModificationId, PeriodId, PlayId, Reg, TraitSetId, Type, ZoneKindId,
};
use serde::{Deserialize, Serialize};

/// A place in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// For messages: `action destroy`, `card "X", line 3`.
    pub name: String,
    /// Types of all registers; the first `params` are filled by the caller.
    pub registers: Vec<Type>,
    /// How many registers are parameters, `this` and `you` included.
    pub params: u16,
    /// The result type of a pure function.
    pub result: Option<Type>,
    /// The code. Falling off the end returns.
    pub ops: Vec<Op>,
    /// Where each operation comes from; as long as `ops`.
    pub sources: Vec<Source>,
    /// Words of the text that it belongs to, which effects can change.
    pub slots: Vec<TextSlot>,
}

impl Function {
    /// The operation with which the body goes on when the declaration before operation `pc` is made again ([`Declare::again`]).
    #[must_use]
    pub fn declaration_start(&self, pc: usize) -> Option<u32> {
        let before = self.ops.get(..pc).unwrap_or(&[]).iter().rev();
        before.into_iter().find_map(|op| if let Op::Declare(it) = op { Some(it.again) } else { None })
    }

    /// The operations that can be come to, with their numbers.
    pub fn reachable(&self) -> impl Iterator<Item = (usize, &Op)> {
        let mut reached = vec![false; self.ops.len()];
        let mut open = vec![0];
        while let Some(pc) = open.pop() {
            let Some(op) = self.ops.get(pc).filter(|_| reached.get(pc) == Some(&false)) else { continue };
            reached.get_mut(pc).into_iter().for_each(|reached| *reached = true);
            match op {
                Op::Jump { to } => open.push(*to as usize),
                Op::JumpUnless { to, .. } => open.extend([pc + 1, *to as usize]),
                Op::Declare(it) => open.extend([pc + 1, it.again as usize]),
                Op::Return { .. } => {}
                _ => open.push(pc + 1),
            }
        }
        self.ops.iter().enumerate().zip(reached).filter(|(_, reached)| *reached).map(|(op, _)| op)
    }
}

/// A register that is filled as a function begins: with the number, plus one, of the word that the text of the object in register 0 has
/// in the place of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSlot {
    /// No parameter.
    pub reg: Reg,
    /// The trait set.
    pub traits: TraitSetId,
    /// The word that is written there.
    pub word: u16,
}

/// Where a mutable or derived value is kept. `of` registers are given by the operation.
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
    /// The object whose ability an object of the list is; the object itself for a card.
    SourceOf,
    /// The object on which this one lies in a pile; 0 when it is free.
    Host,
    /// Which face of an object shows: 1 for the front, then its further faces.
    Face,
}

/// Two-operand operators on numbers, bools and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its operator")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Rounded towards negative infinity; by zero gives zero.
    DivideDown,
    /// Rounded towards positive infinity; by zero gives zero.
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
    /// What stands there after writing a number; numbers are kept in 32 bits.
    #[must_use]
    pub fn applied(self, before: i64, value: i64) -> i64 {
        let after = match self {
            Self::Set => value,
            Self::Add => before.saturating_add(value),
            Self::Subtract => before.saturating_sub(value),
        };
        after.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
    }
}

/// One event of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventProposal {
    /// Which action.
    pub action: ActionId,
    /// Its arguments, in the order of the action's parameters.
    pub args: Vec<Reg>,
    /// When the register of this argument is a list, one event is proposed per element.
    pub over: Option<u8>,
    /// Who chose the object that it is about.
    pub chosen: ChosenBy,
}

/// Who chose the object of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChosenBy {
    /// Nobody: it was named by the text or the rules.
    #[default]
    Nobody,
    /// The controller of the effect (register 1).
    Controller,
    /// The player in this register.
    Player(Reg),
    /// Whoever chose the object of the event whose body this is.
    Inherited,
}

/// The end of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DurationEnd {
    /// The current (or next) end of a span, whoever's.
    End(PeriodId),
    /// The end of the span in the next turn of the player in the register.
    NextEnd(PeriodId, Reg),
    /// The start of the span in the next turn of the player in the register.
    NextStart(PeriodId, Reg),
    /// The first event that matches.
    Event {
        /// Of which action.
        action: ActionId,
        /// Pure: (this, you, event arguments, cause) to bool.
        filter: FnId,
        /// Matched in the state before the event (something leaves).
        looks_back: bool,
        /// The event is about the source itself: once that is gone, nothing begins that would last until then (CR 611.2b).
        of_source: bool,
    },
}

/// One operation. `dst` is written; all others are read.
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
    /// A list of the values of registers, in order.
    MakeList { dst: Reg, items: Vec<Reg> },
    /// Copies a value (lists by value).
    Copy { dst: Reg, src: Reg },
    /// The value of `src` as what `dst` is: an object or player as a thing, a thing as an object (0 for a player) or as a player
    /// (nobody for an object); the same of lists, where what is of the other kind is left out.
    Cast { dst: Reg, src: Reg },
    /// What a thing has of what was divided; 0 when it has nothing.
    ShareOf { dst: Reg, shares: Reg, of: Reg },
    /// `a op b`
    Binary { op: Binary, dst: Reg, a: Reg, b: Reg },
    /// `not a`
    Not { dst: Reg, a: Reg },
    /// Goes to an operation of the same function.
    Jump { to: u32 },
    /// Goes there when the register is 0.
    JumpUnless { cond: Reg, to: u32 },
    /// Reads a value. A stale object is read from its last-known information, where its zone keeps it.
    Get { dst: Reg, place: Place, of: Reg },
    /// Reads the value of one key of a keyed status or variable of a player; of key 0 the sum of all. Plain `Get` does not read such.
    GetKey { dst: Reg, place: Place, of: Reg, key: Reg },
    /// The next key after `after` (0: the first one) that is not 0 in a keyed status or variable; 0 when there is none.
    NextKey { dst: Reg, place: Place, of: Reg, after: Reg },
    /// Whether an object has a word of a trait set.
    HasWord { dst: Reg, of: Reg, traits: TraitSetId, word: u16 },
    /// Whether an object has the word of a trait set that the register `word` says.
    HasSomeWord { dst: Reg, of: Reg, traits: TraitSetId, word: Reg },
    /// Whether two objects have a word of a trait set in common.
    HasCommonWord { dst: Reg, a: Reg, b: Reg, traits: TraitSetId },
    /// Whether an object has a keyword.
    HasKeyword { dst: Reg, of: Reg, keyword: KeywordId },
    /// The highest first argument of a keyword that an object has; 0 without it.
    KeywordValue { dst: Reg, of: Reg, keyword: KeywordId },
    /// Whether an object is of a definition (by name).
    IsCard { dst: Reg, of: Reg, card: DefId },
    /// Whether a reference is current (not stale, not 0), or a player.
    Exists { dst: Reg, of: Reg },
    /// The zone instance of a zone kind; `player` is ignored for a shared one.
    ZoneOf { dst: Reg, zone: ZoneKindId, player: Reg },
    /// Whether an object is in a zone kind (of anybody).
    InZone { dst: Reg, of: Reg, zone: ZoneKindId },
    /// All objects of a zone instance, bottom to top.
    ZoneList { dst: Reg, zone: Reg },
    /// All objects of a zone kind, of all players in turn order.
    AllInZone { dst: Reg, zone: ZoneKindId },
    /// The elements of `list` for which the pure function holds; it gets `captures` and then the element.
    /// Captures start with `this` and `you`.
    Filter { dst: Reg, list: Reg, filter: FnId, captures: Vec<Reg> },
    /// Appends two lists, without repetitions.
    Union { dst: Reg, a: Reg, b: Reg },
    /// The elements of `a` that are not in `b`.
    Except { dst: Reg, a: Reg, b: Reg },
    /// How many elements a list has.
    Count { dst: Reg, list: Reg },
    /// Whether a list has the element.
    Contains { dst: Reg, list: Reg, item: Reg },
    /// Element `index` (from 0); when there is none 0, or `NO_PLAYER` from a list of players.
    ElementAt { dst: Reg, list: Reg, index: Reg },
    /// The last `count` elements, topmost first (`top`), or the first `count` (`bottom`).
    TakeEnds { dst: Reg, list: Reg, count: Reg, top: bool },
    /// Sum, highest or lowest of a pure function over a list; 0 for an empty one.
    Fold { dst: Reg, list: Reg, how: FoldKind, value: FnId, captures: Vec<Reg> },
    /// Calls a pure function; `args` start with `this` and `you`.
    Call { dst: Reg, function: FnId, args: Vec<Reg> },
    /// As [`Op::Call`], where everything is as it would be if nothing concealed the object `of`. What holds continuously sees nothing
    /// but what everybody sees.
    CallUnconcealed { dst: Reg, function: FnId, args: Vec<Reg>, of: Reg },
    /// A built-in function of [`super::verbs::BUILTINS`].
    Builtin { dst: Reg, builtin: u16, args: Vec<Reg> },
    /// Whether nothing forbids an event of the action with these arguments now. `paying`: as part of a cost of `this` that `you` pays with
    /// something chosen.
    IsAllowed { dst: Reg, action: ActionId, args: Vec<Reg>, paying: bool },
    /// The players, in turn order from the active one.
    Players { dst: Reg },
    /// The next player after `player` in turn order (the opponent, with two).
    Opponent { dst: Reg, player: Reg },
    /// The active player.
    Active { dst: Reg },
    /// Whether the span is open now.
    InSpan { dst: Reg, span: PeriodId },
    /// Ends a function. `value` for pure functions.
    Return { value: Option<Reg> },

    // ---- statements ----
    /// Makes a choice. `dst` is a list of objects or players. Was it announced, what is still legal of the announcement.
    Choose { dst: Reg, site: ChoiceSiteId },
    /// Asks a player yes or no.
    Ask { dst: Reg, player: Reg, site: ChoiceSiteId },
    /// Asks a player for a number from `min` to `max`.
    AskNumber { dst: Reg, player: Reg, min: Reg, max: Reg },
    /// Asks a player for a word of a trait set; `dst` is its number plus one, 0 when there is none. `only`: one of those for which the pure
    /// function holds; it gets `captures` (which start with `this` and `you`) and then the word.
    AskWord { dst: Reg, player: Reg, traits: TraitSetId, only: Option<FnId>, captures: Vec<Reg> },
    /// Divides a number among the items of a list, as somebody says: `dst` is the shares. Announced like any other choice.
    Divide { dst: Reg, site: ChoiceSiteId },
    /// Chooses modes: `dst` is a list of mode numbers from 0, ascending. Announced like any other choice.
    ChooseModes { dst: Reg, site: ChoiceSiteId },
    /// `count` random elements of `list`.
    Random { dst: Reg, list: Reg, count: Reg },
    /// A declaration: somebody pairs objects of one list with objects or players of another, as one decision under the clauses that hold
    /// for the action. `dst`: the pairs (first, second, first, …); `lefts`: the objects that have one. `pairs` (pure: captures…, first,
    /// second) says which pairs may be at all, `most` (pure: captures…, first) how many an object may have.
    Declare(Box<Declare>),
    /// Pays what the clauses ask for the pairs of a declaration; taken back, the declaration is made again. `stage` is that of the
    /// declaration, `owed` a list of its own.
    PayForDeclaration { pairs: Reg, player: Reg, action: ActionId, owed: Reg, stage: Reg },
    /// One batch: an event of the action for each pair.
    ProposePairs { pairs: Reg, player: Reg, action: ActionId, done: Option<Reg> },
    /// A number by chance, from `min` to `max`, both included; `min` when `max` is smaller.
    RandomNumber { dst: Reg, min: Reg, max: Reg },
    /// Makes a player the active one. Only before the first turn: later it does nothing.
    SetActivePlayer { player: Reg },
    /// One batch. `done`: whether any of it happened. `out`: the objects it moved or made, as they are now.
    Propose { events: Vec<EventProposal>, done: Option<Reg>, out: Option<Reg> },
    /// Opens a batch to which the following `Do`s and `Write`s add, until `Flush` (`at once`).
    BeginBatch,
    /// Carries out what was gathered since `Gather`.
    EndBatch { done: Option<Reg>, out: Option<Reg> },
    /// Writes a status or variable.
    Write { place: Place, of: Reg, how: WriteMode, value: Reg },
    /// Writes the value of one key of a keyed status or variable of a player; nothing for key 0. With `Set`, key 0 sets all that there are.
    WriteKey { place: Place, of: Reg, key: Reg, how: WriteMode, value: Reg },
    /// Begins a standing effect: continuous changes, and abilities that nothing has (delayed triggers, shields). `whom` is the list of
    /// affected objects (locked), or absent for mods with a living selection. `captures` are without `this` and `you`, which the machine
    /// puts before them; they come before the event's values in the functions of `abilities`. `once`: it ends when an ability of it was used.
    BeginEffect {
        mods: Vec<ModificationId>,
        abilities: Vec<super::AbilityId>,
        whom: Option<Reg>,
        captures: Vec<Reg>,
        until: Vec<DurationEnd>,
        once: bool,
    },
    /// Objects become copies of `model` as it is now, changed by `except` (whose functions get this, you, captures…, the object): by an
    /// effect that lasts, or (`enters`) as they enter the field next.
    Become { whom: Reg, model: Reg, enters: bool, except: Vec<ModificationId>, captures: Vec<Reg>, until: Vec<DurationEnd> },
    /// What waits on the list is put there once more, as it was announced, for the player in register 1, who may choose other targets.
    CopyListed { dst: Reg, object: Reg, choosing: bool },
    /// The one explicit target of what waits on the list is changed to another legal one, if there is one, by the player in register 1.
    Retarget { object: Reg },
    /// An ability triggers now (CR 603.12). `captures` (without `this` and `you`) become its body's registers from 2 on.
    Trigger { ability: super::AbilityId, captures: Vec<Reg> },
    /// Opens a window for playing (`priority` is the window with the default settings).
    Window { window: u16 },
    /// Carries out state rules to a fixpoint. Under a timing without list, waiting triggers too. `acted`: whether anything happened.
    Settle { triggers: bool, acted: Option<Reg> },
    /// The player in register 1 plays an object without permission, by a named play with further arguments, or by the first one that is
    /// for it. `free`: without its price. Waits, or is carried out inline, as the timing says.
    Use { object: Reg, by: Option<PlayId>, args: Vec<Reg>, free: bool, done: Option<Reg> },
    /// Whether a player could pay a price now: by itself, or with what can be done while paying.
    CanPay { dst: Reg, player: Reg, price: Reg },
    /// A player pays a price, if that is possible. `done`: whether it was paid.
    Pay { player: Reg, price: Reg, done: Option<Reg> },
    /// Adds the units to what floats for a player, who picks a kind for each that has several. `units` is used up.
    AddToPool { player: Reg, units: Reg },
    /// Remembers a value with the announcement whose cost this is: further argument `slot` of its play.
    StoreCostResult { slot: u16, src: Reg },
    /// The use of an object on the list does not count for its limit.
    Refund { object: Reg },
    /// Carries out the paragraphs of an object's text.
    CarryOut { object: Reg },
    /// Adds a span to the plan, after the current one (of the same level).
    InsertSpan { span: PeriodId },
    /// Skips the next such span.
    SkipSpan { span: PeriodId, player: Reg },
    /// Ends the current span of this level at once: what waits or resolves is removed.
    EndSpan { span: PeriodId },
    /// The open phase is ended at once, what waits on the list is removed, and the turn goes on with `span`. What triggered waits on.
    SkipTo { span: PeriodId },
    /// What lasts until the end of `span` ends now.
    Expire { span: PeriodId },
    /// An extra turn after this one. `dst`: its number among the extra turns of the game, from 1.
    ExtraTurn { dst: Reg, player: Reg },
}

impl Op {
    /// Visits the registers that a pure operation reads. Those of the branches of control flow are among them; statements have none here.
    pub fn for_each_read(&self, mut visit: impl FnMut(Reg)) {
        match self {
            Self::Copy { src: a, .. }
            | Self::Cast { src: a, .. }
            | Self::Not { a, .. }
            | Self::JumpUnless { cond: a, .. }
            | Self::Get { of: a, .. }
            | Self::HasWord { of: a, .. }
            | Self::HasKeyword { of: a, .. }
            | Self::KeywordValue { of: a, .. }
            | Self::IsCard { of: a, .. }
            | Self::Exists { of: a, .. }
            | Self::ZoneOf { player: a, .. }
            | Self::InZone { of: a, .. }
            | Self::ZoneList { zone: a, .. }
            | Self::Count { list: a, .. }
            | Self::Opponent { player: a, .. }
            | Self::Return { value: Some(a) } => visit(*a),
            Self::ShareOf { shares: a, of: b, .. }
            | Self::Binary { a, b, .. }
            | Self::GetKey { of: a, key: b, .. }
            | Self::NextKey { of: a, after: b, .. }
            | Self::HasSomeWord { of: a, word: b, .. }
            | Self::HasCommonWord { a, b, .. }
            | Self::Union { a, b, .. }
            | Self::Except { a, b, .. }
            | Self::Contains { list: a, item: b, .. }
            | Self::ElementAt { list: a, index: b, .. }
            | Self::TakeEnds { list: a, count: b, .. } => [*a, *b].into_iter().for_each(visit),
            Self::MakeList { items, .. } => items.iter().copied().for_each(visit),
            Self::Filter { list, captures, .. } | Self::Fold { list, captures, .. } => {
                visit(*list);
                captures.iter().copied().for_each(visit);
            }
            Self::Call { args, .. } | Self::Builtin { args, .. } => args.iter().copied().for_each(visit),
            Self::CallUnconcealed { args, of, .. } => {
                visit(*of);
                args.iter().copied().for_each(visit);
            }
            // Whether a cost can be paid depends on who pays it and for what.
            Self::IsAllowed { args, .. } => [0, 1].iter().chain(args).copied().for_each(visit),
            _ => {}
        }
    }

    /// Visits the registers that a statement sets, at once or when what it waits for is done. Pure operations have none here.
    pub fn for_each_set(&self, mut visit: impl FnMut(Reg)) {
        match self {
            Self::Choose { dst, .. }
            | Self::Ask { dst, .. }
            | Self::AskNumber { dst, .. }
            | Self::AskWord { dst, .. }
            | Self::Divide { dst, .. }
            | Self::ChooseModes { dst, .. }
            | Self::Random { dst, .. }
            | Self::RandomNumber { dst, .. }
            | Self::CopyListed { dst, .. }
            | Self::CanPay { dst, .. }
            | Self::ExtraTurn { dst, .. }
            | Self::AddToPool { units: dst, .. } => visit(*dst),
            Self::Declare(declare) => [declare.dst, declare.stage, declare.lefts].into_iter().for_each(visit),
            Self::PayForDeclaration { pairs, owed, stage, .. } => [*pairs, *owed, *stage].into_iter().for_each(visit),
            Self::Propose { done, out, .. } | Self::EndBatch { done, out } => done.iter().chain(out).copied().for_each(visit),
            Self::ProposePairs { done, .. }
            | Self::Use { done, .. }
            | Self::Pay { done, .. }
            | Self::Settle { acted: done, .. } => {
                done.iter().copied().for_each(visit);
            }
            _ => {}
        }
    }

    /// The register that a pure operation writes.
    #[must_use]
    pub fn written(&self) -> Option<Reg> {
        match self {
            Self::Const { dst, .. }
            | Self::Constant { dst, .. }
            | Self::List { dst, .. }
            | Self::MakeList { dst, .. }
            | Self::Copy { dst, .. }
            | Self::Cast { dst, .. }
            | Self::ShareOf { dst, .. }
            | Self::Binary { dst, .. }
            | Self::Not { dst, .. }
            | Self::Get { dst, .. }
            | Self::GetKey { dst, .. }
            | Self::NextKey { dst, .. }
            | Self::HasWord { dst, .. }
            | Self::HasSomeWord { dst, .. }
            | Self::HasCommonWord { dst, .. }
            | Self::HasKeyword { dst, .. }
            | Self::KeywordValue { dst, .. }
            | Self::IsCard { dst, .. }
            | Self::Exists { dst, .. }
            | Self::ZoneOf { dst, .. }
            | Self::InZone { dst, .. }
            | Self::ZoneList { dst, .. }
            | Self::AllInZone { dst, .. }
            | Self::Filter { dst, .. }
            | Self::Union { dst, .. }
            | Self::Except { dst, .. }
            | Self::Count { dst, .. }
            | Self::Contains { dst, .. }
            | Self::ElementAt { dst, .. }
            | Self::TakeEnds { dst, .. }
            | Self::Fold { dst, .. }
            | Self::Call { dst, .. }
            | Self::CallUnconcealed { dst, .. }
            | Self::Builtin { dst, .. }
            | Self::IsAllowed { dst, .. }
            | Self::Players { dst }
            | Self::Opponent { dst, .. }
            | Self::Active { dst }
            | Self::InSpan { dst, .. } => Some(*dst),
            _ => None,
        }
    }
}

/// The operands of [`Op::Declare`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declare {
    /// List of the pairs, flat.
    pub dst: Reg,
    /// 1 when something is to be paid for them, else 0.
    pub stage: Reg,
    /// List of the objects that have one.
    pub lefts: Reg,
    /// Who declares.
    pub player: Reg,
    /// List of objects.
    pub from: Reg,
    /// List of objects or players.
    pub onto: Reg,
    /// What each pair becomes an event of.
    pub action: ActionId,
    /// Which pairs may be.
    pub pairs: Option<FnId>,
    /// How many pairs an object may have; one, if not said.
    pub most: Option<FnId>,
    /// What `pairs` and `most` get first.
    pub captures: Vec<Reg>,
    /// The place in the text.
    pub site: ChoiceSiteId,
    /// The operation, before this one, with which the body goes on when the declaration is made again though something that came after it
    /// (chance, a reveal) cannot be taken back.
    pub again: u32,
}

/// What [`Op::Fold`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its word")]
pub enum FoldKind {
    Sum,
    Highest,
    Lowest,
}
