//! The description of operations: one row each, with the class of the operation and the role of each of its fields.
//!
//! Everything that enumerates operands is derived from the rows: registers read and written, renumbering, control flow, purity,
//! called functions, table numbers. An operation without a row does not compile, nor does a row that leaves out a field or takes
//! a register list, a function or a table number for plain data.

#![deny(clippy::wildcard_enum_match_arm)]

use super::op::{Binary, ChosenBy, Declare, DurationEnd, EventProposal, FoldKind, SumTest, WriteMode};
use crate::ids::{
    AbilityId, ActionId, ChoiceSiteId, DefId, FnId, KeywordId, ListId, ModificationId, PeriodId, PlayId, TraitSetId, ZoneKindId,
};
use crate::op::{Op, Place};
use crate::types::Reg;

/// The effect of an operation on control flow and state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Computes its output from its operands and the state.
    Pure,
    /// Pure, but also depends on registers 0 and 1.
    PureOfSource,
    /// Continues at its target.
    Jump,
    /// Continues at its target or at the next operation.
    Branch,
    /// Ends the function.
    Return,
    /// Changes the state, suspends, or draws random numbers. It may depend on registers 0 and 1.
    Statement,
}

/// The access of an operation to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Always written, and not read. Only pure operations have such a register, each exactly one.
    Output,
    /// Written by a statement, immediately or after it was resumed, and not always.
    Set,
    /// As `Set`, but the statement also reads it: it may already hold an announced choice, or is consumed.
    Update,
}

/// The values that a register has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single value.
    Scalar,
    /// A list.
    List,
    /// Either; it depends on other operands, or the operation accepts both.
    Any,
}

/// A table of a library or format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its table")]
pub enum Table {
    Abilities,
    Actions,
    Definitions,
    Keywords,
    Lists,
    Modifications,
    Periods,
    Plays,
    TraitSets,
    Zones,
}

/// What an operation reads of the state, in addition to its operands and to what the functions read that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateRead {
    /// Nothing.
    Nothing,
    /// A value.
    Place(Place),
    /// The words of objects.
    Words(TraitSetId),
    /// The keywords of an object.
    Keyword(KeywordId),
    /// The name of an object.
    Name,
    /// Whether an object exists.
    Existence,
    /// Which instance of a zone kind a player has; that never changes.
    Zone(ZoneKindId),
    /// Which objects are in a zone; of any kind if there is none.
    ZoneContents(Option<ZoneKindId>),
    /// The active player.
    ActivePlayer,
    /// The open periods.
    Periods,
    /// What a built-in function reads.
    Builtin(u16),
    /// What forbids an event.
    Legality,
    /// What is concealed.
    Concealed,
    /// Anything: a statement.
    Statement,
}

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(Reg, Access, Shape),
    /// A pure function that a pure operation calls.
    Callee(FnId),
    /// A pure function that a statement calls, or keeps for an effect.
    Function(FnId),
    /// A choice site.
    Site(ChoiceSiteId),
    /// The number of an operation at which a jump continues.
    Target(u32),
    /// The number of an operation from which a declaration is repeated.
    Restart(u32),
    /// An action whose events a statement proposes.
    Proposed(ActionId),
    /// A number in any other table, or of any other action.
    Entry(Table, usize),
}

/// A type of fields that are operands, or contain some.
trait Operands {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand));
    /// Visits the registers.
    fn visit_mut(&mut self, _: &mut impl FnMut(&mut Reg)) {}
}

impl Operands for Reg {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand)) {
        visit(Operand::Register(*self, access, shape));
    }

    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Reg)) {
        visit(self);
    }
}

impl<T: Operands> Operands for Option<T> {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand)) {
        self.iter().for_each(|it| it.visit(access, shape, visit));
    }

    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Reg)) {
        self.iter_mut().for_each(|it| it.visit_mut(visit));
    }
}

impl<T: Operands> Operands for Vec<T> {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand)) {
        self.iter().for_each(|it| it.visit(access, shape, visit));
    }

    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Reg)) {
        self.iter_mut().for_each(|it| it.visit_mut(visit));
    }
}

impl Operands for EventProposal {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand)) {
        let Self { action, args, over: _, chosen } = self;
        visit(Operand::Proposed(*action));
        args.visit(access, shape, visit);
        match chosen {
            ChosenBy::Player(reg) => reg.visit(access, Shape::Scalar, visit),
            ChosenBy::NoPlayer | ChosenBy::Controller | ChosenBy::Inherited => {}
        }
    }

    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Reg)) {
        let Self { action: _, args, over: _, chosen } = self;
        args.visit_mut(visit);
        match chosen {
            ChosenBy::Player(reg) => visit(reg),
            ChosenBy::NoPlayer | ChosenBy::Controller | ChosenBy::Inherited => {}
        }
    }
}

impl Operands for DurationEnd {
    fn visit(&self, access: Access, shape: Shape, visit: &mut impl FnMut(Operand)) {
        match self {
            Self::End(period) => period.visit(access, shape, visit),
            Self::NextEnd(period, reg) | Self::NextStart(period, reg) => {
                period.visit(access, shape, visit);
                reg.visit(access, shape, visit);
            }
            Self::Event { action, filter, looks_back: _, of_source: _ } => {
                action.visit(access, shape, visit);
                visit(Operand::Function(*filter));
            }
            Self::Failure { condition } => visit(Operand::Function(*condition)),
        }
    }

    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Reg)) {
        match self {
            Self::NextEnd(_, reg) | Self::NextStart(_, reg) => visit(reg),
            Self::End(_) | Self::Event { .. } | Self::Failure { .. } => {}
        }
    }
}

macro_rules! table_numbers {
    ($($id:ident: $table:ident),*) => { $(
        impl Operands for $id {
            fn visit(&self, _: Access, _: Shape, visit: &mut impl FnMut(Operand)) {
                visit(Operand::Entry(Table::$table, self.index()));
            }
        }
    )* };
}

table_numbers! {
    AbilityId: Abilities, ActionId: Actions, DefId: Definitions, KeywordId: Keywords, ListId: Lists,
    ModificationId: Modifications, PeriodId: Periods, PlayId: Plays, TraitSetId: TraitSets, ZoneKindId: Zones
}

/// A type of fields without operands.
trait Plain {}

macro_rules! plain {
    ($($ty:ty),*) => { $(impl Plain for $ty {})* };
}

plain!(i64, u32, u16, bool, Binary, FoldKind, SumTest, Place, WriteMode);

fn expect_plain(_: &impl Plain) {}

/// Visits the operands in one field. The roles are: none (plain data), an access with a shape (registers), `id` (table numbers),
/// and the names of the other operands.
macro_rules! visit_field {
    ($visit:ident $field:ident) => {
        expect_plain($field)
    };
    ($visit:ident $field:ident id) => {
        $field.visit(Access::Read, Shape::Any, &mut $visit)
    };
    ($visit:ident $field:ident Function) => {
        $field.iter().for_each(|it| $visit(Operand::Function(*it)))
    };
    ($visit:ident $field:ident $kind:ident) => {
        $visit(Operand::$kind(*$field))
    };
    ($visit:ident $field:ident $access:ident $shape:ident) => {
        $field.visit(Access::$access, Shape::$shape, &mut $visit)
    };
}

/// Visits the registers in one field.
macro_rules! visit_field_mut {
    ($visit:ident $field:ident $access:ident $shape:ident) => {
        $field.visit_mut(&mut $visit)
    };
    ($visit:ident $field:ident $($role:ident)?) => {
        let _ = $field;
    };
}

/// What an operation of a class reads. A pure one has to say it.
macro_rules! state_read {
    (Statement) => { StateRead::Statement };
    (Jump) => { StateRead::Nothing };
    (Branch) => { StateRead::Nothing };
    (Return) => { StateRead::Nothing };
    ($class:ident $($read:tt)+) => { StateRead::$($read)+ };
}

/// Whether a field of a role is plain data.
macro_rules! is_plain {
    () => {
        true
    };
    ($($role:ident)+) => {
        false
    };
}

macro_rules! count_output {
    (Output) => {
        1
    };
    ($role:ident) => {
        0
    };
}

/// Defines patterns of all pure operations, of all that control the flow, and of all statements.
macro_rules! class_patterns {
    ([$($pure:ident)*] [$($control:ident)*] [$($statement:ident)*]) => {
        /// All pure operations, as a pattern.
        #[macro_export]
        macro_rules! pure_operations { () => { $($crate::op::Op::$pure { .. })|* } }
        /// All operations that control the flow, as a pattern.
        #[macro_export]
        macro_rules! control_operations { () => { $($crate::op::Op::$control { .. })|* } }
        /// All statements, as a pattern.
        #[macro_export]
        macro_rules! statements { () => { $crate::op::Op::Declare(_) $(| $crate::op::Op::$statement { .. })* } }
    };
    ([$($pure:ident)*] $control:tt $statement:tt Pure $op:ident $($rest:ident)*) => {
        class_patterns!([$($pure)* $op] $control $statement $($rest)*);
    };
    ([$($pure:ident)*] $control:tt $statement:tt PureOfSource $op:ident $($rest:ident)*) => {
        class_patterns!([$($pure)* $op] $control $statement $($rest)*);
    };
    ($pure:tt $control:tt [$($statement:ident)*] Statement $op:ident $($rest:ident)*) => {
        class_patterns!($pure $control [$($statement)* $op] $($rest)*);
    };
    ($pure:tt [$($control:ident)*] $statement:tt $class:ident $op:ident $($rest:ident)*) => {
        class_patterns!($pure [$($control)* $op] $statement $($rest)*);
    };
}

macro_rules! operations {
    (
        $($class:ident $op:ident { $($field:ident $(: $($role:ident)+)?),* } $(=> $read:ident $(($($of:tt)*))?)?)*
        ; Statement Declare { $($of_declare:ident $(: $($declare_role:ident)+)?),* }
    ) => {
        class_patterns!([] [] [] $($class $op)*);

        $(const _: () = assert!(
            matches!(OpClass::$class, OpClass::Pure | OpClass::PureOfSource) as u8 == 0 $($($(+ count_output!($role))+)?)*,
            "exactly the pure operations have an output"
        );)*

        impl Op {
            /// The number of operations.
            pub(crate) const COUNT: usize = 1 $(+ {
                let _ = OpClass::$class;
                1
            })*;

            /// Whether a field is plain data, whose values the roles of the fields do not limit.
            #[must_use]
            pub const fn has_plain_data(&self) -> bool {
                match self {
                    $(Self::$op { .. } => false $(|| is_plain!($($($role)+)?))*,)*
                    Self::Declare(_) => false $(|| is_plain!($($($declare_role)+)?))*,
                }
            }

            /// The class of the operation.
            #[must_use]
            pub const fn class(&self) -> OpClass {
                match self {
                    $(Self::$op { .. } => OpClass::$class,)*
                    Self::Declare(_) => OpClass::Statement,
                }
            }

            /// What the operation reads of the state.
            #[must_use]
            #[expect(unused_variables, reason = "most fields do not matter here")]
            pub fn state_read(&self) -> StateRead {
                match self {
                    $(Self::$op { $($field),* } => state_read!($class $($read $(($($of)*))?)?),)*
                    Self::Declare(_) => StateRead::Statement,
                }
            }

            /// Visits the operands, in the order of the fields. Those of a choice site are not included.
            pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
                match self {
                    $(Self::$op { $($field),* } => { $(visit_field!(visit $field $($($role)+)?);)* })*
                    Self::Declare(it) => {
                        let Declare { $($of_declare),* } = &**it;
                        $(visit_field!(visit $of_declare $($($declare_role)+)?);)*
                    }
                }
            }

            /// Visits the registers.
            pub fn for_each_register_mut(&mut self, mut visit: impl FnMut(&mut Reg)) {
                match self {
                    $(Self::$op { $($field),* } => { $(visit_field_mut!(visit $field $($($role)+)?);)* })*
                    Self::Declare(it) => {
                        let Declare { $($of_declare),* } = &mut **it;
                        $(visit_field_mut!(visit $of_declare $($($declare_role)+)?);)*
                    }
                }
            }
        }
    };
}

operations! {
    Pure Const { dst: Output Scalar, value } => Nothing
    Pure Constant { dst: Output Scalar, constant } => Nothing
    Pure List { dst: Output List, list: id } => Nothing
    Pure MakeList { dst: Output List, items: Read Scalar } => Nothing
    Pure Copy { dst: Output Any, src: Read Any } => Nothing
    Pure Cast { dst: Output Any, src: Read Any } => Nothing
    Pure ShareOf { dst: Output Scalar, shares: Read List, of: Read Scalar } => Nothing
    Pure Binary { op, dst: Output Scalar, a: Read Scalar, b: Read Scalar } => Nothing
    Pure Not { dst: Output Scalar, a: Read Scalar } => Nothing
    Jump Jump { to: Target }
    Branch JumpUnless { cond: Read Scalar, to: Target }
    Pure Get { dst: Output Any, place, of: Read Any } => Place(*place)
    Pure GetKey { dst: Output Scalar, place, of: Read Scalar, key: Read Scalar } => Place(*place)
    Pure NextKey { dst: Output Scalar, place, of: Read Scalar, after: Read Scalar } => Place(*place)
    Pure HasWord { dst: Output Scalar, of: Read Scalar, traits: id, word } => Words(*traits)
    Pure HasSomeWord { dst: Output Scalar, of: Read Scalar, traits: id, word: Read Scalar } => Words(*traits)
    Pure HasCommonWord { dst: Output Scalar, a: Read Scalar, b: Read Scalar, traits: id } => Words(*traits)
    Pure HasKeyword { dst: Output Scalar, of: Read Scalar, keyword: id } => Keyword(*keyword)
    Pure KeywordValue { dst: Output Scalar, of: Read Scalar, keyword: id } => Keyword(*keyword)
    Pure IsCard { dst: Output Scalar, of: Read Scalar, card: id } => Name
    Pure Exists { dst: Output Scalar, of: Read Scalar } => Existence
    Pure ZoneOf { dst: Output Scalar, zone: id, player: Read Scalar } => Zone(*zone)
    Pure InZone { dst: Output Scalar, of: Read Scalar, zone: id } => ZoneContents(Some(*zone))
    Pure ZoneList { dst: Output List, zone: Read Scalar } => ZoneContents(None)
    Pure AllInZone { dst: Output List, zone: id } => ZoneContents(Some(*zone))
    Pure Filter { dst: Output List, list: Read List, filter: Callee, captures: Read Any } => Nothing
    Pure Union { dst: Output List, a: Read List, b: Read List } => Nothing
    Pure Except { dst: Output List, a: Read List, b: Read List } => Nothing
    Pure Count { dst: Output Scalar, list: Read List } => Nothing
    Pure Contains { dst: Output Scalar, list: Read List, item: Read Scalar } => Nothing
    Pure ElementAt { dst: Output Scalar, list: Read List, index: Read Scalar } => Nothing
    Pure TakeEnds { dst: Output List, list: Read List, count: Read Scalar, top } => Nothing
    Pure Fold { dst: Output Scalar, list: Read List, how, value: Callee, captures: Read Any } => Nothing
    Pure Completing { dst: Output List, list: Read List, how, value: Callee, captures: Read Any, total: Read Scalar, min: Read Scalar, max: Read Scalar } => Nothing
    Pure Call { dst: Output Any, function: Callee, args: Read Any } => Nothing
    Pure CallUnconcealed { dst: Output Any, function: Callee, args: Read Any, of: Read Any } => Concealed
    Pure Builtin { dst: Output Any, builtin, args: Read Any } => Builtin(*builtin)
    PureOfSource IsAllowed { dst: Output Scalar, action: id, args: Read Scalar, paying } => Legality
    Pure Players { dst: Output List } => ActivePlayer
    Pure Opponent { dst: Output Scalar, player: Read Scalar } => Nothing
    Pure ActivePlayer { dst: Output Scalar } => ActivePlayer
    Pure InPeriod { dst: Output Scalar, period: id } => Periods
    Return Return { value: Read Any }

    Statement Choose { dst: Update Any, site: Site }
    Statement Ask { dst: Update Scalar, player: Read Scalar, site: Site }
    Statement AskNumber { dst: Update Scalar, player: Read Scalar, min: Read Scalar, max: Read Scalar }
    Statement AskWord { dst: Update Scalar, player: Read Scalar, traits: id, only: Function, captures: Read Scalar }
    Statement Divide { dst: Update List, site: Site }
    Statement ChooseModes { dst: Update Any, site: Site }
    Statement Random { dst: Update List, list: Read List, count: Read Scalar }
    Statement PayForDeclaration {
        pairs: Update List, player: Read Scalar, action: Proposed, owed: Update List, stage: Update Scalar
    }
    Statement ProposePairs { pairs: Read List, player: Read Scalar, action: Proposed, done: Set Scalar }
    Statement RandomNumber { dst: Update Scalar, min: Read Scalar, max: Read Scalar }
    Statement SetActivePlayer { player: Read Scalar }
    Statement Propose { events: Read Any, done: Set Scalar, out: Set Any }
    Statement BeginBatch {}
    Statement EndBatch { done: Set Scalar, out: Set Any }
    Statement Write { place, of: Read Any, how, value: Read Any }
    Statement WriteKey { place, of: Read Scalar, key: Read Scalar, how, value: Read Scalar }
    Statement BeginEffect {
        mods: id, abilities: id, whom: Read Any, captures: Read Scalar, until: Read Scalar, once
    }
    Statement Become { whom: Read Any, model: Read Scalar, enters, except: id, captures: Read Scalar, until: Read Scalar }
    Statement CopyListed { dst: Update Scalar, object: Read Scalar, choosing }
    Statement Retarget { object: Read Scalar }
    Statement Trigger { ability: id, captures: Read Scalar }
    Statement Window { window }
    Statement Settle { triggers, acted: Set Scalar }
    Statement Use { object: Read Scalar, by: id, args: Read Scalar, free, done: Set Scalar }
    Statement CanPay { dst: Set Scalar, player: Read Scalar, price: Read List }
    Statement Pay { player: Read Scalar, price: Read List, done: Set Scalar }
    Statement AddToPool { player: Read Scalar, units: Update List, pool }
    Statement StoreCostResult { slot, src: Read Scalar }
    Statement Refund { object: Read Scalar }
    Statement RunText { object: Read Any }
    Statement InsertPeriod { period: id }
    Statement SkipPeriod { period: id, player: Read Scalar }
    Statement EndPeriod { period: id }
    Statement SkipTo { period: id }
    Statement Expire { period: id }
    Statement ExtraTurn { dst: Set Scalar, player: Read Scalar }
    ;
    Statement Declare {
        dst: Update List, stage: Update Scalar, declared: Update List, player: Read Scalar, from: Read List, onto: Read List,
        action: Proposed, pairs: Function, max_pairs: Function, captures: Read Any, site: Site, restart_at: Restart
    }
}

impl Op {
    /// Whether the operation is a statement.
    #[must_use]
    pub const fn is_statement(&self) -> bool {
        matches!(self.class(), OpClass::Statement)
    }

    /// Visits the registers that the operation reads.
    pub fn for_each_read(&self, mut visit: impl FnMut(Reg)) {
        if matches!(self.class(), OpClass::PureOfSource | OpClass::Statement) {
            [0, 1].into_iter().for_each(&mut visit);
        }
        self.for_each_operand(|operand| {
            if let Operand::Register(reg, Access::Read | Access::Update, _) = operand {
                visit(reg);
            }
        });
    }

    /// Visits the registers that a statement sets, immediately or after it was resumed. Pure operations have none here.
    pub fn for_each_set(&self, mut visit: impl FnMut(Reg)) {
        self.for_each_operand(|operand| {
            if let Operand::Register(reg, Access::Set | Access::Update, _) = operand {
                visit(reg);
            }
        });
    }

    /// Visits the numbers of the operations that may run next, apart from repeated declarations. `pc` is that of this one.
    pub fn for_each_successor(&self, pc: usize, mut visit: impl FnMut(usize)) {
        if !matches!(self.class(), OpClass::Jump | OpClass::Return) {
            visit(pc + 1);
        }
        self.for_each_operand(|operand| {
            if let Operand::Target(to) = operand {
                visit(to as usize);
            }
        });
    }

    /// The register that a pure operation writes.
    #[must_use]
    pub fn destination(&self) -> Option<Reg> {
        self.find(|operand| if let Operand::Register(reg, Access::Output, _) = operand { Some(reg) } else { None })
    }

    /// The pure function that a pure operation calls.
    #[must_use]
    pub fn callee(&self) -> Option<FnId> {
        self.find(|operand| if let Operand::Callee(function) = operand { Some(function) } else { None })
    }

    fn find<T>(&self, mut select: impl FnMut(Operand) -> Option<T>) -> Option<T> {
        let mut found = None;
        self.for_each_operand(|operand| found = found.take().or_else(|| select(operand)));
        found
    }
}
