//! Function builder: registers, operations, local names, and captures from the enclosing function.
//!
//! A *child* may use registers of its parent. Each use becomes a capture; [`Lowering::close`] turns captures into parameters.

use super::{Lowering, TypedRegister};
use crate::limits::MAX_REGISTERS;
use fizzle_grammar::ast::{Name, Span};
use fizzle_runtime::ir::op::{ChosenBy, Function, Source, TextSlot};
use fizzle_runtime::ir::{ChoiceSiteId, FnId, Op, Reg, TraitSetId, Type};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What a local name is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The value of a register.
    Reg(Reg),
    /// The only element of the list in a register. The list stays known, so that a use as a list refers to the choice itself.
    Single(Reg),
    /// What the batch of an operation (by its number) moved, or the operand in the register if the batch moved nothing.
    Result(usize, Option<Reg>),
    /// A compile-time constant of the local's type.
    Const(i64),
    /// A word of a trait set.
    Word(TraitSetId, u16),
}

/// A local name.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name.
    pub name: SmolStr,
    /// The span of its declaration; the default for parameters of events.
    pub span: Span,
    /// Its type.
    pub ty: Option<Type>,
    /// What it is bound to.
    pub binding: Binding,
    /// Whether an expression reads it.
    pub is_used: bool,
    /// Whether it is reported when no expression reads it.
    pub warn_if_unused: bool,
}

/// What `it` is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItBinding {
    /// `it` means nothing here.
    #[default]
    None,
    /// One object, player or thing.
    Bound(Binding, Type),
    /// Several objects, named at the span: `it` would be ambiguous.
    Plural(Span),
    /// The objects of all events that a `one or more` trigger answers as one; the span is that of `one or more`.
    EventGroup(Span),
}

/// The candidate of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its register.
    pub reg: Reg,
    /// Its type: object, player, thing or word.
    pub ty: Type,
    /// Whether bare names of properties mean those of the candidate.
    pub binds_bare_names: bool,
}

/// A function that is being built.
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    /// Its name, for messages.
    pub name: String,
    /// Whether it may contain pure operations only.
    pub is_pure: bool,
    /// The result type of a pure function.
    pub result: Option<Type>,
    /// The types of its registers.
    pub registers: Vec<Type>,
    /// Its operations.
    pub ops: Vec<Op>,
    /// The source position of each operation.
    pub sources: Vec<Source>,
    /// Number of parameters of a function without captures, `this` and `you` included.
    pub params: u16,
    /// Whether it may capture registers of the function around it.
    pub is_child: bool,
    /// Captured registers: the register of the enclosing function, and the register here.
    pub captures: Vec<(Reg, Reg)>,
    /// Registers of the parameters that follow the captures.
    pub trailing_params: Vec<Reg>,
    /// Words of its card's text that effects can change, with the registers that the machine fills with them.
    pub slots: Vec<TextSlot>,
    /// `Some` if it is no function but the context of abilities, which provides `this` and `you`; `Some(true)` if they are in the text of a
    /// card.
    pub context: Option<bool>,
    /// Local names in scope, innermost last.
    pub locals: Vec<Local>,
    /// The candidate of a filter.
    pub candidate: Option<Candidate>,
    /// What `it` is bound to.
    pub it: ItBinding,
    /// The register of a parameter named `it`.
    pub it_param: Option<Reg>,
    /// The choice sites in its code.
    pub sites: Vec<ChoiceSiteId>,
    /// Registers whose values are known on announcement: parameters, captures, text words and earlier announceable choices.
    pub known_on_announcement: BTreeSet<Reg>,
    /// Registers of objects that a player chose, with the player.
    pub chosen_by: BTreeMap<Reg, ChosenBy>,
    /// Registers that are known only once the cost of the play is paid.
    pub cost_results: BTreeSet<Reg>,
    /// The player whose `may` the statement is part of. That player counts as the chooser of the object: who may destroy something chooses
    /// it.
    pub may_player: Option<Reg>,
    /// The price of the `pay` statement that is being lowered, if it was lowered already (for `may pay`).
    pub known_price: Option<Reg>,
    /// Nesting depth of conditions and loops.
    pub condition_depth: u32,
    /// Nesting depth of loops.
    pub loop_depth: u32,
    /// Nesting depth of `may`.
    pub may_depth: u32,
    /// Number of the sentence that is being lowered.
    pub sentence: u16,
    /// Number of the next sentence.
    pub next_sentence: u16,
    /// The mode that is being lowered: site of the modes, slot of the chosen mode, number of the mode.
    pub mode: Option<(ChoiceSiteId, u16, u16)>,
    /// Whether there is no source object, so that `this` is an error.
    pub has_no_source: bool,
    /// Whether the body resolves the text of `this`.
    pub runs_text: bool,
    /// The action whose operands are being lowered.
    pub verb: Option<fizzle_runtime::ir::ActionId>,
    /// The player who chooses, if that is not the controller.
    pub chooser: Option<Reg>,
    /// Whether a choice takes the first candidates without a decision; set for expressions of scenarios.
    pub takes_first: bool,
    /// The player among whose objects a choice without `of` is made.
    pub scope_player: Option<Reg>,
    /// Whether the next selection is the operand that `scope_player` applies to.
    pub scope_next_selection: bool,
    /// The span of an operand, and the zone that its verb takes it from; read by a lint.
    pub operand_zone: Option<(Span, Name)>,
    /// Whether its captures are stored in the state for later use. Lists cannot be stored.
    pub outlives_statement: bool,
    /// The meaning of the word `player`: the player for whom an `each player` statement runs.
    pub each_player: Option<Reg>,
}

impl FunctionBuilder {
    fn empty(name: String, pure: bool, result: Option<Type>) -> Self {
        // Most functions have at most 16 registers.
        let mut registers = Vec::with_capacity(16);
        registers.extend([Type::Object, Type::Player]);
        Self {
            name,
            is_pure: pure,
            result,
            registers,
            params: 2,
            known_on_announcement: BTreeSet::from([0, 1]),
            ..Self::default()
        }
    }
}

impl Lowering<'_> {
    /// Returns the innermost function. There is one while expressions are lowered; otherwise an empty pure one is opened, so that this
    /// cannot panic.
    pub fn fun(&mut self) -> &mut FunctionBuilder {
        if self.funs.is_empty() {
            self.funs.push(FunctionBuilder::empty(String::new(), true, None));
        }
        let last = self.funs.len() - 1;
        &mut self.funs[last]
    }

    /// Begins a function that captures nothing, with parameters after `this` and `you`. `it` is the parameter of that name, else the first object.
    pub fn begin(&mut self, pure: bool, result: Option<Type>, params: &[(SmolStr, Type)]) {
        let mut fun = FunctionBuilder::empty(self.owner.name.clone(), pure, result);
        for (name, ty) in params {
            let reg = fun.registers.len() as Reg;
            fun.registers.push(*ty);
            fun.params += 1;
            fun.known_on_announcement.insert(reg);
            if name == "it" {
                // No ordinary local name: `it` is rebound when the object moves.
                fun.it_param = Some(reg);
                continue;
            }
            fun.locals.push(Local {
                name: name.clone(),
                span: Span::default(),
                ty: Some(*ty),
                binding: Binding::Reg(reg),
                is_used: false,
                warn_if_unused: false,
            });
        }
        let named = params.iter().position(|(name, _)| name == "it");
        let subject = named.or_else(|| params.iter().position(|(_, ty)| *ty == Type::Object));
        if let Some((subject, (_, ty))) = subject.and_then(|subject| Some((subject, params.get(subject)?))) {
            fun.it = ItBinding::Bound(Binding::Reg(subject as Reg + 2), *ty);
        }
        self.funs.push(fun);
    }

    /// Ends the function of [`Lowering::begin`] and adds it to the library.
    pub fn end(&mut self) -> FnId {
        let Some(mut fun) = self.funs.pop() else { return FnId(0) };
        self.report_unused(&fun.locals);
        let function = Function {
            name: std::mem::take(&mut fun.name),
            registers: fun.registers,
            params: fun.params,
            result: fun.result,
            ops: fun.ops,
            sources: fun.sources,
            text_slots: fun.slots,
        };
        self.add_function(function)
    }

    /// Begins a function that may capture registers of the innermost one.
    pub fn begin_child(&mut self, pure: bool, result: Option<Type>) {
        let mut fun = FunctionBuilder::empty(self.owner.name.clone(), pure, result);
        if let Some(parent) = self.funs.last() {
            fun.is_child = true;
            fun.has_no_source = parent.has_no_source;
        }
        self.funs.push(fun);
    }

    /// Adds a parameter that follows all captures.
    pub fn trailing_param(&mut self, ty: Type) -> Reg {
        let reg = self.reg(ty);
        let fun = self.fun();
        fun.trailing_params.push(reg);
        fun.known_on_announcement.insert(reg);
        reg
    }

    /// Removes a finished child from the stack; [`Lowering::close`] adds it to the library.
    pub fn end_child(&mut self) -> FunctionBuilder {
        let fun = self.funs.pop().unwrap_or_default();
        self.report_unused(&fun.locals);
        fun
    }

    /// Returns the registers that children capture, without duplicates, in the order of first use.
    #[must_use]
    pub fn captured_registers(children: &[&FunctionBuilder]) -> Vec<Reg> {
        let mut all = Vec::new();
        for child in children {
            for (outer, _) in &child.captures {
                if !all.contains(outer) {
                    all.push(*outer);
                }
            }
        }
        all
    }

    /// Adds a child to the library. Its parameters are `this`, `you`, `captures`, and its trailing parameters.
    ///
    /// `captures` are registers of the parent; those that the child does not use become unused parameters. Registers are renumbered so that
    /// the parameters come first.
    pub fn close(&mut self, mut fun: FunctionBuilder, captures: &[Reg]) -> FnId {
        let mut order: Vec<Reg> = vec![0, 1];
        for outer in captures {
            let own = fun.captures.iter().find(|(from, _)| from == outer).map(|(_, own)| *own);
            let own = own.unwrap_or_else(|| {
                fun.registers.push(Type::Number);
                fun.registers.len() as Reg - 1
            });
            order.push(own);
        }
        order.extend(fun.trailing_params.iter().copied());
        let params = order.len() as u16;
        let mut is_param = vec![false; fun.registers.len()];
        order.iter().for_each(|reg| is_param[usize::from(*reg)] = true);
        order.extend((0..fun.registers.len() as Reg).filter(|reg| !is_param[usize::from(*reg)]));
        let mut to = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            to[usize::from(*old)] = new as Reg;
        }
        let registers = order.iter().map(|old| fun.registers[usize::from(*old)]).collect();
        for op in &mut fun.ops {
            super::remap::renumber_op(op, &to);
        }
        for site in &fun.sites {
            if let Some(site) = self.library.sites.get_mut(site.index()) {
                super::remap::renumber_site(site, &to);
            }
        }
        for slot in &mut fun.slots {
            slot.reg = to[usize::from(slot.reg)];
        }
        let function = Function {
            name: fun.name,
            registers,
            params,
            result: fun.result,
            ops: fun.ops,
            sources: fun.sources,
            text_slots: fun.slots,
        };
        self.add_function(function)
    }

    /// Adds a register and returns its number.
    ///
    /// If there are too many, reports it and returns the last one.
    pub fn reg(&mut self, ty: Type) -> Reg {
        if self.has_no_register() {
            return (self.fun().registers.len() - 1) as Reg;
        }
        let fun = self.fun();
        fun.registers.push(ty);
        fun.registers.len() as Reg - 1
    }

    /// Whether the innermost function has as many registers as possible; that is reported.
    pub fn has_no_register(&mut self) -> bool {
        let is_full = self.fun().registers.len() >= MAX_REGISTERS;
        if is_full {
            let message = format!("this text needs more than {MAX_REGISTERS} values");
            self.refuse_owner(message, "write it as several cards, rules or actions");
        }
        is_full
    }

    /// Adds an operation and returns its number.
    pub fn emit(&mut self, op: Op) -> usize {
        let source = self.sources.source(self.at);
        self.count_operations(1);
        let fun = self.fun();
        fun.ops.push(op);
        fun.sources.push(source);
        fun.ops.len() - 1
    }

    /// Loads a constant into a new register.
    pub fn constant(&mut self, value: i64, ty: Type) -> Reg {
        let dst = self.reg(ty);
        self.emit(Op::Const { dst, value });
        dst
    }

    /// Adds a jump without a target; [`Lowering::patch_jump`] sets it.
    pub fn jump(&mut self) -> usize {
        self.emit(Op::Jump { to: 0 })
    }

    /// Adds a conditional jump without a target; [`Lowering::patch_jump`] sets it.
    pub fn jump_unless(&mut self, cond: Reg) -> usize {
        self.emit(Op::JumpUnless { cond, to: 0 })
    }

    /// Sets the target of a jump to the next operation.
    pub fn patch_jump(&mut self, jump: usize) {
        let fun = self.fun();
        let here = fun.ops.len() as u32;
        if let Some(Op::Jump { to } | Op::JumpUnless { to, .. }) = fun.ops.get_mut(jump) {
            *to = here;
        }
    }

    /// Returns the number of the next operation.
    pub fn next_op(&mut self) -> u32 {
        self.fun().ops.len() as u32
    }

    /// Returns a value without a type, for an expression that was reported as an error.
    pub fn error_value(&mut self) -> TypedRegister {
        let reg = self.reg(Type::Number);
        TypedRegister { reg, ty: None, list: None }
    }
}
