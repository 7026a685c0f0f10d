//! The stack of functions under construction: begins and ends them, and emits registers, operations and jumps into the innermost.

use super::function_builder::FunctionBuilder;
use super::{Lowering, TypedRegister};
use crate::limits::MAX_REGISTERS;
use fizzle_ir::{FnId, Op, Reg, Type};
use smol_str::SmolStr;

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
        self.funs.push(FunctionBuilder::with_params(self.owner.name.clone(), pure, result, params));
    }

    /// Ends the function of [`Lowering::begin`] and adds it to the library.
    pub fn end(&mut self) -> FnId {
        let Some(fun) = self.funs.pop() else { return FnId(0) };
        self.report_unused(&fun.locals);
        self.add_function(fun.finish())
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

    /// Adds a child to the library. Its parameters are `this`, `you`, `captures`, and its trailing parameters.
    ///
    /// `captures` are registers of the parent; those that the child does not use become unused parameters.
    pub fn close(&mut self, fun: FunctionBuilder, captures: &[Reg]) -> FnId {
        let parent = self.funs.last();
        let type_of = |reg: &Reg| parent.and_then(|parent| parent.registers.get(usize::from(*reg))).copied();
        let typed: Vec<(Reg, Type)> = captures.iter().map(|reg| (*reg, type_of(reg).unwrap_or(Type::Number))).collect();
        let function = fun.close(&typed, &mut self.library.sites);
        self.add_function(function)
    }

    /// Adds a register and returns its number.
    ///
    /// If there are too many, reports it and returns the last one.
    pub fn reg(&mut self, ty: Type) -> Reg {
        if self.has_no_register() {
            return (self.fun().registers.len() - 1) as Reg;
        }
        self.fun().add_register(ty)
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
        self.fun().add_op(op, source)
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
        self.fun().patch_jump(jump);
    }

    /// Returns the number of the next operation.
    pub fn next_op(&mut self) -> u32 {
        self.fun().ops.len() as u32
    }

    /// Returns a value without a type, for an expression that was reported as an error.
    pub fn error_value(&mut self) -> TypedRegister {
        let reg = self.reg(Type::Number);
        // The error is reported; that no choice can use the value on announcement is not another one.
        self.fun().known_on_announcement.insert(reg);
        TypedRegister { reg, ty: None, list: None, is_moved: false }
    }
}
