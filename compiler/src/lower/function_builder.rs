//! The builder of one function: registers, operations, local names, captures from the function around it.

use super::{Lowering, TypedRegister};
use fizzle_grammar::ast::{Name, Span};
use fizzle_runtime::ir::op::{ChosenBy, Function, Source, TextSlot};
use fizzle_runtime::ir::{ChoiceSiteId, FnId, Op, Reg, TraitSetId, Type};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What a local name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A register.
    Reg(Reg),
    /// The only element of the list in a register (so that a choice stays one, wherever it is used).
    Single(Reg),
    /// What a batch moved (operation number), or the operand where it moved nothing.
    Result(usize, Option<Reg>),
    /// A value known when compiling, of the local's type.
    Const(i64),
    /// A word of a trait set.
    Word(TraitSetId, u16),
}

/// A local name.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name.
    pub name: SmolStr,
    /// Where it is bound.
    pub span: Span,
    /// Its type.
    pub ty: Option<Type>,
    /// What it stands for.
    pub binding: Binding,
    /// Something reads it.
    pub used: bool,
    /// It is worth a warning when nothing does.
    pub warn: bool,
}

/// What `it` stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItBinding {
    /// Nothing.
    #[default]
    None,
    /// A value.
    Bound(Binding, Type),
    /// Several objects.
    Plural(Span),
    /// Those of all events that a trigger answers together.
    Together(Span),
}

/// The candidate of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its register.
    pub reg: Reg,
    /// Object, player, …
    pub ty: Type,
    /// Bare names of properties mean those of the candidate.
    pub bare: bool,
}

/// A function under construction.
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    /// For messages.
    pub name: String,
    /// Only pure operations.
    pub pure: bool,
    /// Result of a pure function.
    pub result: Option<Type>,
    /// Types of registers.
    pub registers: Vec<Type>,
    /// Code.
    pub ops: Vec<Op>,
    /// Places of the code.
    pub sources: Vec<Source>,
    /// Fixed parameters of a function that captures nothing.
    pub params: u16,
    /// It may use what the function around it knows.
    pub child: bool,
    /// Registers of the function around it, with the own ones.
    pub captures: Vec<(Reg, Reg)>,
    /// Parameters after the captures.
    pub trailing: Vec<Reg>,
    /// Words of the text that it belongs to, which effects can change.
    pub slots: Vec<TextSlot>,
    /// It only stands for the surroundings of abilities; `Some(true)`: of those in the text of a card.
    pub context: Option<bool>,
    /// Local names, innermost last.
    pub locals: Vec<Local>,
    /// The candidate.
    pub candidate: Option<Candidate>,
    /// What `it` is.
    pub it: ItBinding,
    /// A parameter named `it`.
    pub it_param: Option<Reg>,
    /// Sites made by it.
    pub sites: Vec<ChoiceSiteId>,
    /// Registers known on announcement: parameters and earlier choices.
    pub known_on_announcement: BTreeSet<Reg>,
    /// Registers of objects that somebody chose.
    pub chosen: BTreeMap<Reg, ChosenBy>,
    /// Registers that the cost of the play fills.
    pub cost_results: BTreeSet<Reg>,
    /// The player whose `may` the statement is part of: who may destroy something chooses it.
    pub may: Option<Reg>,
    /// The price of the `pay` statement that is being lowered, where it is known already.
    pub price: Option<Reg>,
    /// Depth of conditions and loops.
    pub conditions: u32,
    /// Depth of loops.
    pub loops: u32,
    /// Depth of `may`.
    pub may_depth: u32,
    /// Sentence of the statement being lowered.
    pub sentence: u16,
    /// Sentence of the next one.
    pub next_sentence: u16,
    /// The mode being lowered.
    pub mode: Option<(ChoiceSiteId, u16, u16)>,
    /// `this` is nothing here.
    pub sourceless: bool,
    /// The object of a play, which its body may carry out.
    pub carries_out: bool,
    /// The verb whose operands are being lowered.
    pub verb: Option<fizzle_runtime::ir::ActionId>,
    /// The player who chooses, if not the controller.
    pub chooser: Option<Reg>,
    /// A choice takes the first candidates: nobody is asked in a scenario's expressions.
    pub takes_first: bool,
    /// The player whose objects a choice without `of` is among.
    pub scope_player: Option<Reg>,
    /// The next selection is the operand that this is about.
    pub scopes: bool,
    /// Which operand, by its place, its verb takes from which zone.
    pub taken_from: Option<(Span, Name)>,
    /// What it captures is kept beyond the moment: lists cannot be.
    pub keeps: bool,
    /// The word `player`: the one for whom an `each player` statement runs.
    pub each_player: Option<Reg>,
}

impl FunctionBuilder {
    fn blank(name: String, pure: bool, result: Option<Type>) -> Self {
        // Most functions have no more registers than that.
        let mut registers = Vec::with_capacity(16);
        registers.extend([Type::Object, Type::Player]);
        Self { name, pure, result, registers, params: 2, known_on_announcement: BTreeSet::from([0, 1]), ..Self::default() }
    }
}

impl Lowering<'_> {
    /// The innermost function. There is always one while expressions are lowered; a spare one stands in otherwise.
    pub fn fun(&mut self) -> &mut FunctionBuilder {
        if self.funs.is_empty() {
            self.funs.push(FunctionBuilder::blank(String::new(), true, None));
        }
        let last = self.funs.len() - 1;
        &mut self.funs[last]
    }

    /// Begins a function with fixed parameters after `this` and `you`.
    pub fn begin(&mut self, pure: bool, result: Option<Type>, params: &[(SmolStr, Type)]) {
        let mut fun = FunctionBuilder::blank(self.owner.clone(), pure, result);
        for (name, ty) in params {
            let reg = fun.registers.len() as Reg;
            fun.registers.push(*ty);
            fun.params += 1;
            fun.known_on_announcement.insert(reg);
            if name == "it" && *ty == Type::Object {
                // `it` follows what moves: it is no ordinary local name.
                fun.it_param = Some(reg);
                continue;
            }
            fun.locals.push(Local {
                name: name.clone(),
                span: Span::default(),
                ty: Some(*ty),
                binding: Binding::Reg(reg),
                used: false,
                warn: false,
            });
        }
        let first = params.iter().position(|(_, ty)| *ty == Type::Object);
        if let Some(first) = first {
            fun.it = ItBinding::Bound(Binding::Reg(first as Reg + 2), Type::Object);
        }
        self.funs.push(fun);
    }

    /// Ends a function with fixed parameters.
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
            slots: fun.slots,
        };
        self.add_function(function)
    }

    /// Begins a function that may capture what the innermost one knows.
    pub fn begin_child(&mut self, pure: bool, result: Option<Type>) {
        let mut fun = FunctionBuilder::blank(self.owner.clone(), pure, result);
        if let Some(parent) = self.funs.last() {
            fun.child = true;
            fun.sourceless = parent.sourceless;
        }
        self.funs.push(fun);
    }

    /// Adds a parameter that comes after all captures.
    pub fn trailing(&mut self, ty: Type) -> Reg {
        let reg = self.reg(ty);
        let fun = self.fun();
        fun.trailing.push(reg);
        fun.known_on_announcement.insert(reg);
        reg
    }

    /// Takes a finished child off; [`Lowering::close`] makes a function of it.
    pub fn end_child(&mut self) -> FunctionBuilder {
        let fun = self.funs.pop().unwrap_or_default();
        self.report_unused(&fun.locals);
        fun
    }

    /// The registers that children capture, in the order met.
    #[must_use]
    pub fn captured(children: &[&FunctionBuilder]) -> Vec<Reg> {
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

    /// Makes a function of a child: its parameters are `this`, `you`, the captures, the trailing ones.
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
        order.extend(fun.trailing.iter().copied());
        let params = order.len() as u16;
        for reg in 0..fun.registers.len() as Reg {
            if !order.contains(&reg) {
                order.push(reg);
            }
        }
        let mut to = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            to[usize::from(*old)] = new as Reg;
        }
        let registers = order.iter().map(|old| fun.registers[usize::from(*old)]).collect();
        for op in &mut fun.ops {
            super::remap::op(op, &to);
        }
        for site in &fun.sites {
            if let Some(site) = self.library.sites.get_mut(site.index()) {
                super::remap::site(site, &to);
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
            slots: fun.slots,
        };
        self.add_function(function)
    }

    /// A new register.
    pub fn reg(&mut self, ty: Type) -> Reg {
        let fun = self.fun();
        fun.registers.push(ty);
        fun.registers.len() as Reg - 1
    }

    /// Adds an operation.
    pub fn emit(&mut self, op: Op) -> usize {
        let source = self.sources.source(self.at);
        let fun = self.fun();
        fun.ops.push(op);
        fun.sources.push(source);
        fun.ops.len() - 1
    }

    /// A constant in a new register.
    pub fn constant(&mut self, value: i64, ty: Type) -> Reg {
        let dst = self.reg(ty);
        self.emit(Op::Const { dst, value });
        dst
    }

    /// A jump whose goal is not known yet.
    pub fn jump(&mut self) -> usize {
        self.emit(Op::Jump { to: 0 })
    }

    /// A conditional jump whose goal is not known yet.
    pub fn jump_unless(&mut self, cond: Reg) -> usize {
        self.emit(Op::JumpUnless { cond, to: 0 })
    }

    /// Lets a jump go to the next operation.
    pub fn patch_jump(&mut self, jump: usize) {
        let fun = self.fun();
        let here = fun.ops.len() as u32;
        if let Some(Op::Jump { to } | Op::JumpUnless { to, .. }) = fun.ops.get_mut(jump) {
            *to = here;
        }
    }

    /// The next operation's number.
    pub fn here(&mut self) -> u32 {
        self.fun().ops.len() as u32
    }

    /// Something of unknown type, complained about already.
    pub fn error_value(&mut self) -> TypedRegister {
        let reg = self.reg(Type::Number);
        TypedRegister { reg, ty: None, list: None }
    }
}
