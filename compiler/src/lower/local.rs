//! Local names, `it` and the candidate: found in the function or in those around it, whose registers are captured.

use super::function_builder::{Binding, Candidate, ItBinding, Local};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_runtime::ir::{Op, Reg, Type};

impl Lowering<'_> {
    /// Binds a local name.
    pub fn bind(&mut self, name: &fizzle_grammar::ast::Name, ty: Option<Type>, binding: Binding) {
        self.report_shadowing(&name.text, name.span);
        let local =
            Local { name: name.text.clone(), span: name.span, ty, binding, used: false, warn: !name.text.starts_with('_') };
        self.fun().locals.push(local);
    }

    /// Tells that a name hides one that was given before, in the same function or around it.
    pub fn report_shadowing(&mut self, name: &str, span: fizzle_grammar::ast::Span) {
        if let Some((level, index)) = self.find_local(name)
            && !name.starts_with('_')
        {
            let earlier = self.funs[level].locals[index].span;
            // What an event brings along is hidden by the next event inside of it, and by names that are given.
            if earlier == fizzle_grammar::ast::Span::default() {
                return;
            }
            let problem =
                Diagnostic::new(&codes::SHADOWED, span, format!("`{name}` hides another `{name}`")).also(earlier, "this one");
            self.report(problem.help("give one of them another name"));
        }
    }

    /// Binds a local name to a value.
    pub fn bind_value(&mut self, name: &fizzle_grammar::ast::Name, value: TypedRegister) {
        let binding = value.list.map_or(Binding::Reg(value.reg), Binding::Single);
        self.bind(name, value.ty, binding);
    }

    /// Leaves a block: its local names go, unused ones are told.
    pub fn leave_scope(&mut self, mark: usize) {
        let gone = self.fun().locals.split_off(mark);
        self.report_unused(&gone);
    }

    /// Tells which local names nothing reads.
    pub fn report_unused(&mut self, locals: &[Local]) {
        for local in locals {
            if local.warn && !local.used {
                self.report(
                    Diagnostic::new(&codes::UNUSED, local.span, format!("`{}` is never used", local.name))
                        .help(format!("remove it, or call it `_{}`", local.name))
                        .fix(local.name.as_str(), format!("_{}", local.name)),
                );
            }
        }
    }

    /// Where a local name is bound: the function and the place among its locals.
    fn find_local(&self, name: &str) -> Option<(usize, usize)> {
        if self.hidden_locals_depth > 0 {
            return None;
        }
        let mut level = self.funs.len().checked_sub(1)?;
        loop {
            let fun = &self.funs[level];
            if let Some(index) = fun.locals.iter().rposition(|local| local.name == name) {
                return Some((level, index));
            }
            if !fun.child {
                return None;
            }
            level -= 1;
        }
    }

    /// Whether a name is local, and its type.
    #[must_use]
    pub fn local_type(&self, name: &str) -> Option<(Option<Type>, Binding)> {
        let (level, index) = self.find_local(name)?;
        let local = &self.funs[level].locals[index];
        Some((local.ty, local.binding))
    }

    /// Remembers that something reads a local name.
    pub fn mark_used(&mut self, name: &str) {
        if let Some((level, index)) = self.find_local(name) {
            self.funs[level].locals[index].used = true;
        }
    }

    /// The value of a local name.
    pub fn local(&mut self, name: &str) -> Option<TypedRegister> {
        let (level, index) = self.find_local(name)?;
        let local = &mut self.funs[level].locals[index];
        local.used = true;
        let (binding, ty) = (local.binding, local.ty);
        Some(self.bound(level, binding, ty))
    }

    /// The value of a binding of the function at `level`, in the innermost one.
    pub fn bound(&mut self, level: usize, binding: Binding, ty: Option<Type>) -> TypedRegister {
        match binding {
            Binding::Reg(reg) => TypedRegister { reg: self.capture(self.funs.len() - 1, level, reg), ty, list: None },
            Binding::Single(list) if self.funs.iter().skip(level + 1).any(|fun| fun.keeps) => {
                let inner = self.funs.split_off(level + 1);
                let single = ty.filter(|ty| ty.list().is_some()).unwrap_or(Type::Object);
                let index = self.constant(0, Type::Number);
                let dst = self.reg(single);
                self.emit(Op::ElementAt { dst, list, index });
                self.funs.extend(inner);
                TypedRegister { reg: self.capture(self.funs.len() - 1, level, dst), ty, list: None }
            }
            Binding::Single(list) => {
                let list = self.capture(self.funs.len() - 1, level, list);
                let single = ty.filter(|ty| ty.list().is_some()).unwrap_or(Type::Object);
                let index = self.constant(0, Type::Number);
                let dst = self.reg(single);
                self.emit(Op::ElementAt { dst, list, index });
                self.same_choice(dst, list);
                TypedRegister { reg: dst, ty, list: Some(list) }
            }
            Binding::Result(op, operand) => {
                let inner = self.funs.split_off(level + 1);
                let dst = self.result(op, operand);
                self.funs.extend(inner);
                TypedRegister { reg: self.capture(self.funs.len() - 1, level, dst), ty, list: None }
            }
            Binding::Const(value) => {
                let ty = ty.unwrap_or(Type::Number);
                let dst = self.reg(ty);
                if ty == Type::Price {
                    self.emit(Op::List { dst, list: fizzle_runtime::ir::ListId(value as u32) });
                } else {
                    self.emit(Op::Const { dst, value });
                }
                TypedRegister::new(dst, ty)
            }
            Binding::Word(traits, word) => {
                let dst = self.constant(1i64.wrapping_shl(u32::from(word)), Type::Words(traits));
                TypedRegister::new(dst, Type::Words(traits))
            }
        }
    }

    /// What is in a register was chosen by whoever chose what is in another one.
    pub fn same_choice(&mut self, dst: Reg, src: Reg) {
        let fun = self.fun();
        if let Some(chosen) = fun.chosen.get(&src).copied() {
            fun.chosen.insert(dst, chosen);
        }
    }

    /// The single object of a batch: what it moved, else its operand.
    fn result(&mut self, op: usize, operand: Option<Reg>) -> Reg {
        let out = self.batch_out(op);
        let index = self.constant(0, Type::Number);
        let dst = self.reg(Type::Object);
        self.emit(Op::ElementAt { dst, list: out, index });
        if let Some(operand) = operand {
            let missing = self.jump_unless(dst);
            let done = self.jump();
            self.patch_jump(missing);
            self.emit(Op::Copy { dst, src: operand });
            self.patch_jump(done);
        }
        dst
    }

    /// The register of the list that a batch moved.
    pub fn batch_out(&mut self, op: usize) -> Reg {
        let fresh = self.reg(Type::Objects);
        match self.fun().ops.get_mut(op) {
            Some(Op::Propose { out, .. } | Op::EndBatch { out, .. }) => *out.get_or_insert(fresh),
            _ => fresh,
        }
    }

    /// The register that says whether a batch happened.
    pub fn batch_done(&mut self, op: usize) -> Reg {
        let fresh = self.reg(Type::Bool);
        match self.fun().ops.get_mut(op) {
            Some(Op::Propose { done, .. } | Op::EndBatch { done, .. }) => *done.get_or_insert(fresh),
            _ => fresh,
        }
    }

    /// A register of the function at level `from`, as the one at level `to` sees it.
    pub fn capture(&mut self, to: usize, from: usize, reg: Reg) -> Reg {
        if to == from || reg < 2 {
            return reg;
        }
        let outer = self.capture(to - 1, from, reg);
        if let Some((_, own)) = self.funs[to].captures.iter().find(|(known, _)| *known == outer) {
            return *own;
        }
        let ty = self.funs[to - 1].registers[usize::from(outer)];
        let fun = &mut self.funs[to];
        fun.registers.push(ty);
        let own = fun.registers.len() as Reg - 1;
        fun.captures.push((outer, own));
        fun.known_on_announcement.insert(own);
        if self.funs[to - 1].cost_results.contains(&outer) {
            self.funs[to].cost_results.insert(own);
        }
        own
    }

    /// What `it` is: the function that knows it, and its binding.
    #[must_use]
    pub fn find_it(&self) -> (usize, ItBinding) {
        let mut level = self.funs.len().saturating_sub(1);
        if self.hidden_locals_depth > 0 {
            return (level, ItBinding::None);
        }
        while let Some(fun) = self.funs.get(level) {
            if fun.it != ItBinding::None || !fun.child {
                return (level, fun.it);
            }
            level -= 1;
        }
        (0, ItBinding::None)
    }

    /// The candidate, in the innermost function.
    pub fn candidate(&mut self) -> Option<Candidate> {
        let mut level = self.funs.len().checked_sub(1)?;
        loop {
            if let Some(found) = self.funs[level].candidate {
                let reg = self.capture(self.funs.len() - 1, level, found.reg);
                return Some(Candidate { reg, ..found });
            }
            if !self.funs[level].child {
                return None;
            }
            level -= 1;
        }
    }

    /// The candidate whose properties bare names mean, without capturing it.
    #[must_use]
    pub fn bare_candidate(&self) -> Option<Type> {
        let mut level = self.funs.len().checked_sub(1)?;
        loop {
            if let Some(found) = self.funs[level].candidate {
                return found.bare.then_some(found.ty);
            }
            if !self.funs[level].child {
                return None;
            }
            level -= 1;
        }
    }
}
