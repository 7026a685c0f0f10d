//! Function builder: registers, operations, local names, and captures from the enclosing function.
//!
//! A *child* may use registers of its parent. Each use becomes a capture; [`FunctionBuilder::close`] turns captures into parameters.

use super::remap;
use fizzle_grammar::ast::{Name, Span};
use fizzle_ir::op::{ChosenBy, Function, Source, TextSlot};
use fizzle_ir::sparse_table::SparseTable;
use fizzle_ir::verbs::{ATTACH, PUT};
use fizzle_ir::{ActionId, ChoiceSite, ChoiceSiteId, Op, Reg, TraitSetId, Type};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What a local name is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The value of a register.
    Reg(Reg),
    /// The only element of the list in a register. The list stays known, so that a use as a list refers to the choice itself.
    Single(Reg),
    /// What the operand of an event became in the batch of that event.
    Result(EventResult),
    /// A compile-time constant of the local's type.
    Const(i64),
    /// A word of a trait set.
    Word(TraitSetId, u16),
}

/// The result of an event: what its operand became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventResult {
    /// The operation that executes the batch of the event, by its number: `Propose`, or `EndBatch` of a batch of several statements.
    pub op: usize,
    /// The operand: an object, or a list of objects.
    pub operand: Reg,
    /// Whether the result is the operand if the batch did not move it. What a move did not move is nothing.
    pub or_operand: bool,
    /// Whether the batch has other events, too, so that what it moved is searched for the operand.
    pub of_several: bool,
}

impl EventResult {
    /// The result of the only event of a batch: its operand if nothing was moved.
    #[must_use]
    pub fn or_operand(op: usize, operand: Reg) -> Self {
        Self { op, operand, or_operand: true, of_several: false }
    }

    /// The same of an object that has a name. What a move did not move is not where the name expects it; other events have no other result than
    /// their object.
    #[must_use]
    pub fn named(op: usize, operand: Reg, action: ActionId) -> Self {
        Self { or_operand: !matches!(action.0, PUT | ATTACH), ..Self::or_operand(op, operand) }
    }

    /// The result of one of several events.
    #[must_use]
    pub fn among_several(self) -> Self {
        Self { of_several: true, ..self }
    }
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
    /// For what a statement or a cost has moved: the register of the object as it left.
    pub as_it_left: Option<Reg>,
}

impl Candidate {
    /// The candidate of a filter whose properties bare names mean.
    #[must_use]
    pub fn new(reg: Reg, ty: Type) -> Self {
        Self { reg, ty, binds_bare_names: true, as_it_left: None }
    }

    /// Its value.
    #[must_use]
    pub fn value(self) -> super::TypedRegister {
        super::TypedRegister { is_moved: self.as_it_left.is_some(), ..super::TypedRegister::new(self.reg, self.ty) }
    }
}

/// A `top N` or `bottom N` of a statement.
#[derive(Debug)]
pub struct TakenCards {
    /// The number of its first operation.
    pub op: usize,
    /// The function that returns whether there are N cards.
    pub enough: FunctionBuilder,
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
    /// The names whose blocks have ended, with their places.
    pub ended_names: Vec<(SmolStr, Span)>,
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
    /// What `top N` of its statements requires.
    pub taken_cards: Vec<TakenCards>,
    /// The operations of each `let`, in their order.
    pub lets: Vec<std::ops::Range<usize>>,
    /// Registers of objects, and of lists of them, that a statement or a cost has moved.
    pub moved: BTreeSet<Reg>,
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
    /// The names of objects that the statements so far have moved, with the places where: they are of the objects as they were.
    pub moved_names: Vec<(SmolStr, Span)>,
    /// Nesting depth of `simultaneously`.
    pub batch_depth: u32,
    /// The mode that is being lowered: site of the modes, slot of the chosen mode, number of the mode.
    pub mode: Option<(ChoiceSiteId, u16, u16)>,
    /// The operations of each mode, by the numbers above.
    pub mode_ops: Vec<((ChoiceSiteId, u16, u16), std::ops::Range<usize>)>,
    /// Whether there is no source object, so that `this` is an error.
    pub has_no_source: bool,
    /// Whether the body resolves the text of `this`.
    pub runs_text: bool,
    /// The action whose operands are being lowered.
    pub verb: Option<fizzle_ir::ActionId>,
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
    /// A function with the parameters `this` and `you`.
    #[must_use]
    pub fn empty(name: String, pure: bool, result: Option<Type>) -> Self {
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

    /// A function that captures nothing, with parameters after `this` and `you`. `it` is the parameter of that name, else the first object.
    #[must_use]
    pub fn with_params(name: String, pure: bool, result: Option<Type>, params: &[(SmolStr, Type)]) -> Self {
        let mut fun = Self::empty(name, pure, result);
        for (param, ty) in params {
            let reg = fun.registers.len() as Reg;
            fun.registers.push(*ty);
            fun.params += 1;
            fun.known_on_announcement.insert(reg);
            if param == "it" {
                // No ordinary local name: `it` is rebound when the object moves.
                fun.it_param = Some(reg);
                continue;
            }
            fun.locals.push(Local {
                name: param.clone(),
                span: Span::default(),
                ty: Some(*ty),
                binding: Binding::Reg(reg),
                is_used: false,
                warn_if_unused: false,
            });
        }
        let named = params.iter().position(|(param, _)| param == "it");
        let subject = named.or_else(|| params.iter().position(|(_, ty)| *ty == Type::Object));
        if let Some((subject, (_, ty))) = subject.and_then(|subject| Some((subject, params.get(subject)?))) {
            fun.it = ItBinding::Bound(Binding::Reg(subject as Reg + 2), *ty);
        }
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

    /// Adds a register and returns its number.
    pub fn add_register(&mut self, ty: Type) -> Reg {
        self.registers.push(ty);
        self.registers.len() as Reg - 1
    }

    /// Adds an operation and returns its number.
    pub fn add_op(&mut self, op: Op, source: Source) -> usize {
        self.ops.push(op);
        self.sources.push(source);
        self.ops.len() - 1
    }

    /// Sets the target of a jump to the next operation.
    pub fn patch_jump(&mut self, jump: usize) {
        let here = self.ops.len() as u32;
        if let Some(Op::Jump { to } | Op::JumpUnless { to, .. }) = self.ops.get_mut(jump) {
            *to = here;
        }
    }

    /// Returns the finished function, if it captures nothing.
    #[must_use]
    pub fn finish(mut self) -> Function {
        // Programs keep their functions for long.
        self.registers.shrink_to_fit();
        self.ops.shrink_to_fit();
        self.sources.shrink_to_fit();
        Function {
            name: self.name,
            registers: self.registers,
            params: self.params,
            result: self.result,
            ops: self.ops,
            sources: self.sources,
            text_slots: self.slots,
        }
    }

    /// Returns the finished function of a child. Its parameters are `this`, `you`, `captures`, and its trailing parameters.
    ///
    /// `captures` are registers of the parent with their types; those that the child does not use become unused parameters. Registers are
    /// renumbered so that the parameters come first, also in the child's choice sites.
    #[must_use]
    pub fn close(mut self, captures: &[(Reg, Type)], sites: &mut SparseTable<ChoiceSite>) -> Function {
        let mut order: Vec<Reg> = vec![0, 1];
        for (outer, ty) in captures {
            let own = self.captures.iter().find(|(from, _)| from == outer).map(|(_, own)| *own);
            order.push(own.unwrap_or_else(|| self.add_register(*ty)));
        }
        order.extend(self.trailing_params.iter().copied());
        self.params = order.len() as u16;
        let mut is_param = vec![false; self.registers.len()];
        order.iter().for_each(|reg| is_param[usize::from(*reg)] = true);
        order.extend((0..self.registers.len() as Reg).filter(|reg| !is_param[usize::from(*reg)]));
        let mut to = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            to[usize::from(*old)] = new as Reg;
        }
        self.registers = order.iter().map(|old| self.registers[usize::from(*old)]).collect();
        for op in &mut self.ops {
            remap::renumber_op(op, &to);
        }
        for site in &self.sites {
            if let Some(site) = sites.get_mut(site.index()) {
                remap::renumber_site(site, &to);
            }
        }
        for slot in &mut self.slots {
            slot.reg = to[usize::from(slot.reg)];
        }
        self.finish()
    }
}
