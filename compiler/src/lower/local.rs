//! Name resolution inside functions: local names, `it` and the candidate.
//!
//! A name is looked up in the innermost function and then outwards, through all children. Registers of outer functions are captured.

use super::function_builder::{Binding, Candidate, EventResult, ItBinding, Local};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{MAX_LOCALS, MAX_REGISTERS};
use fizzle_ir::{Op, Reg, Type};

impl Lowering<'_> {
    /// Binds a local name.
    pub fn bind(&mut self, name: &fizzle_grammar::ast::Name, ty: Option<Type>, binding: Binding) {
        self.report_shadowing(&name.text, name.span);
        if self.fun().locals.len() >= MAX_LOCALS {
            self.refuse_owner(format!("this text has more than {MAX_LOCALS} names"), "write it as several actions");
            return;
        }
        let local = Local {
            name: name.text.clone(),
            span: name.span,
            ty,
            binding,
            is_used: false,
            warn_if_unused: !name.text.starts_with('_'),
        };
        self.fun().locals.push(local);
    }

    /// Reports a name that shadows an earlier one of the same function or of an enclosing one.
    pub fn report_shadowing(&mut self, name: &str, span: fizzle_grammar::ast::Span) {
        if let Some((level, index)) = self.find_local(name)
            && !name.starts_with('_')
        {
            let earlier = self.funs[level].locals[index].span;
            // Parameters of events have no span. Parameters of a nested event and names in the text may shadow them.
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

    /// Ends a scope: removes the local names from index `mark` on, and reports those that are unused.
    pub fn leave_scope(&mut self, mark: usize) {
        let ended = self.fun().locals.split_off(mark);
        self.report_unused(&ended);
        self.fun().ended_names.extend(ended.into_iter().map(|local| (local.name, local.span)));
    }

    /// Reports local names that no expression reads.
    pub fn report_unused(&mut self, locals: &[Local]) {
        for local in locals {
            if local.warn_if_unused && !local.is_used {
                self.report(
                    Diagnostic::new(&codes::UNUSED, local.span, format!("`{}` is never used", local.name))
                        .help(format!("remove it, or call it `_{}`", local.name))
                        .fix(local.name.as_str(), format!("_{}", local.name))
                        // What could not be parsed may use it.
                        .for_whole_item(self.owner.span),
                );
            }
        }
    }

    /// Finds a local name: the index of its function, and its index among the function's local names.
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
            if !fun.is_child {
                return None;
            }
            level -= 1;
        }
    }

    /// Returns the type and the binding of a local name, without marking it as used.
    #[must_use]
    pub fn local_type(&self, name: &str) -> Option<(Option<Type>, Binding)> {
        let (level, index) = self.find_local(name)?;
        let local = &self.funs[level].locals[index];
        Some((local.ty, local.binding))
    }

    /// Marks a local name as used.
    pub fn mark_used(&mut self, name: &str) {
        if let Some((level, index)) = self.find_local(name) {
            self.funs[level].locals[index].is_used = true;
        }
    }

    /// Returns the value of a local name and marks it as used.
    pub fn local(&mut self, name: &str) -> Option<TypedRegister> {
        let (level, index) = self.find_local(name)?;
        let local = &mut self.funs[level].locals[index];
        local.is_used = true;
        let (binding, ty) = (local.binding, local.ty);
        Some(self.binding_value(level, binding, ty))
    }

    /// Loads the value of a binding of the function at `level` into the innermost function.
    pub fn binding_value(&mut self, level: usize, binding: Binding, ty: Option<Type>) -> TypedRegister {
        let is_moved = self.is_moved(level, binding);
        match binding {
            Binding::Reg(reg) => TypedRegister { reg: self.capture(self.funs.len() - 1, level, reg), ty, list: None, is_moved },
            Binding::Single(list) if self.funs.iter().skip(level + 1).any(|fun| fun.outlives_statement) => {
                let inner = self.funs.split_off(level + 1);
                let single = ty.filter(|ty| ty.list().is_some()).unwrap_or(Type::Object);
                let index = self.constant(0, Type::Number);
                let dst = self.reg(single);
                self.emit(Op::ElementAt { dst, list, index });
                self.funs.extend(inner);
                TypedRegister { reg: self.capture(self.funs.len() - 1, level, dst), ty, list: None, is_moved }
            }
            Binding::Single(list) => {
                let list = self.capture(self.funs.len() - 1, level, list);
                let single = ty.filter(|ty| ty.list().is_some()).unwrap_or(Type::Object);
                let index = self.constant(0, Type::Number);
                let dst = self.reg(single);
                self.emit(Op::ElementAt { dst, list, index });
                self.copy_chooser(dst, list);
                TypedRegister { reg: dst, ty, list: Some(list), is_moved }
            }
            Binding::Result(result) => {
                let inner = self.funs.split_off(level + 1);
                let dst = if ty == Some(Type::Objects) { self.resulting_list(result) } else { self.resulting_object(result) };
                self.funs.extend(inner);
                TypedRegister { reg: self.capture(self.funs.len() - 1, level, dst), ty, list: None, is_moved }
            }
            Binding::Const(value) => {
                let ty = ty.unwrap_or(Type::Number);
                let dst = self.reg(ty);
                if ty == Type::Price {
                    self.emit(Op::List { dst, list: fizzle_ir::ListId(value as u32) });
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

    /// Whether a binding of the function at `level` is of what a statement or a cost has moved. A parameter named `it` follows its object.
    fn is_moved(&self, level: usize, binding: Binding) -> bool {
        let Some(fun) = self.funs.get(level) else { return false };
        match binding {
            Binding::Result(..) => fun.it_param.is_none(),
            Binding::Reg(reg) | Binding::Single(reg) => fun.moved.contains(&reg),
            Binding::Const(_) | Binding::Word(..) => false,
        }
    }

    /// Records that a register holds what a statement or a cost has moved: an object or a list.
    pub fn mark_moved(&mut self, reg: Reg) {
        let fun = self.fun();
        if fun.it_param.is_none() {
            fun.moved.insert(reg);
        }
    }

    /// Emits the object whose values are those of a moved one as it left the field or the list; any other value is itself.
    pub fn as_it_left(&mut self, value: TypedRegister) -> TypedRegister {
        if value.is_moved && value.ty == Some(Type::Object) { self.builtin("before_leaving", vec![value.reg]) } else { value }
    }

    /// Records that the player who chose the value in `src` also chose the value in `dst`.
    pub fn copy_chooser(&mut self, dst: Reg, src: Reg) {
        let fun = self.fun();
        if let Some(chosen) = fun.chosen_by.get(&src).copied() {
            fun.chosen_by.insert(dst, chosen);
        }
    }

    /// Loads the object that the operand of an event became.
    fn resulting_object(&mut self, result: EventResult) -> Reg {
        let out = self.batch_out(result.op);
        let dst = if result.of_several {
            self.builtin("became", vec![result.operand, out]).reg
        } else {
            let index = self.constant(0, Type::Number);
            let dst = self.reg(Type::Object);
            self.emit(Op::ElementAt { dst, list: out, index });
            dst
        };
        if result.or_operand {
            let missing = self.jump_unless(dst);
            let moved = self.jump();
            self.patch_jump(missing);
            self.emit(Op::Copy { dst, src: result.operand });
            self.patch_jump(moved);
        }
        dst
    }

    /// Loads the objects that the operands of an event became. What was done without a move was done to the operands; what was not done has no
    /// objects.
    fn resulting_list(&mut self, result: EventResult) -> Reg {
        let out = self.batch_out(result.op);
        let dst = if result.of_several {
            self.builtin("became_each", vec![result.operand, out]).reg
        } else {
            let dst = self.reg(Type::Objects);
            self.emit(Op::Copy { dst, src: out });
            dst
        };
        if result.or_operand {
            let count = self.reg(Type::Number);
            self.emit(Op::Count { dst: count, list: dst });
            let nothing = self.jump_unless(count);
            let moved = self.jump();
            self.patch_jump(nothing);
            let happened = self.batch_done(result.op);
            let failed = self.jump_unless(happened);
            self.emit(Op::Copy { dst, src: result.operand });
            self.patch_jump(failed);
            self.patch_jump(moved);
        }
        dst
    }

    /// Rebinds the results of the events of a batch, bound since `mark`, to the batch that `end` executes. `begin`: its first operation.
    pub fn move_results(&mut self, mark: usize, begin: usize, end: usize) {
        let of_events = self.fun().ops.get(begin..end).unwrap_or(&[]).iter().filter_map(|op| match op {
            Op::Propose { out, .. } => *out,
            _ => None,
        });
        let of_events: Vec<Reg> = of_events.collect();
        let out = if of_events.is_empty() { None } else { Some(self.batch_out(end)) };
        let moved = |binding: Binding| match (binding, out) {
            (Binding::Result(result), _) => Binding::Result(EventResult { op: end, ..result }.among_several()),
            (Binding::Reg(reg), Some(out)) if of_events.contains(&reg) => Binding::Reg(out),
            (Binding::Single(reg), Some(out)) if of_events.contains(&reg) => Binding::Single(out),
            (other, _) => other,
        };
        let fun = self.fun();
        fun.locals.iter_mut().skip(mark).for_each(|local| local.binding = moved(local.binding));
        if let ItBinding::Bound(binding, ty) = fun.it {
            fun.it = ItBinding::Bound(moved(binding), ty);
        }
    }

    /// Returns the register of the list of objects that a batch moved.
    pub fn batch_out(&mut self, op: usize) -> Reg {
        let fresh = self.reg(Type::Objects);
        match self.fun().ops.get_mut(op) {
            Some(Op::Propose { out, .. } | Op::EndBatch { out, .. }) => *out.get_or_insert(fresh),
            _ => fresh,
        }
    }

    /// The register that says whether a statement did anything, as [`Self::batch_out`].
    pub fn batch_done(&mut self, op: usize) -> Reg {
        let fresh = self.reg(Type::Bool);
        match self.fun().ops.get_mut(op) {
            Some(Op::Propose { done, .. } | Op::EndBatch { done, .. }) => *done.get_or_insert(fresh),
            _ => fresh,
        }
    }

    /// Captures a register of the function at level `from` through all functions up to level `to`; returns the register there.
    ///
    /// Registers 0 and 1 (`this` and `you`) are parameters of every function and are not captured.
    pub fn capture(&mut self, to: usize, from: usize, reg: Reg) -> Reg {
        if to == from || reg < 2 {
            return reg;
        }
        let outer = self.capture(to - 1, from, reg);
        if let Some((_, own)) = self.funs[to].captures.iter().find(|(known, _)| *known == outer) {
            return *own;
        }
        if self.funs[to].registers.len() >= MAX_REGISTERS {
            self.has_no_register();
            return 0;
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

    /// Finds the binding of `it`, and the level of the function that has it.
    #[must_use]
    pub fn find_it(&self) -> (usize, ItBinding) {
        let mut level = self.funs.len().saturating_sub(1);
        if self.hidden_locals_depth > 0 {
            return (level, ItBinding::None);
        }
        while let Some(fun) = self.funs.get(level) {
            if fun.it != ItBinding::None || !fun.is_child {
                return (level, fun.it);
            }
            level -= 1;
        }
        (0, ItBinding::None)
    }

    /// Returns the candidate, captured into the innermost function.
    pub fn candidate(&mut self) -> Option<Candidate> {
        let mut level = self.funs.len().checked_sub(1)?;
        loop {
            if let Some(found) = self.funs[level].candidate {
                let reg = self.capture(self.funs.len() - 1, level, found.reg);
                return Some(Candidate { reg, ..found });
            }
            if !self.funs[level].is_child {
                return None;
            }
            level -= 1;
        }
    }

    /// Returns the type of the candidate whose properties bare names mean, without capturing it.
    #[must_use]
    pub fn bare_candidate(&self) -> Option<Type> {
        let mut level = self.funs.len().checked_sub(1)?;
        loop {
            if let Some(found) = self.funs[level].candidate {
                return found.binds_bare_names.then_some(found.ty);
            }
            if !self.funs[level].is_child {
                return None;
            }
            level -= 1;
        }
    }
}
