//! Lowers statements, assignments, and the links between statements (`then`, `if you do`, `otherwise`).

use super::function_builder::{Binding, ItBinding};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{AssignOp, Block, Expr, Link, Statement, StatementKind};
use fizzle_ir::op::{Binary, Place, WriteMode};
use fizzle_ir::{Op, Reg, Type};

/// What the links of a block refer to.
#[derive(Clone, Copy, Debug, Default)]
struct LinkState {
    /// The register that holds whether the last statement happened.
    done: Option<Reg>,
    /// The register that `otherwise` negates.
    negated_by_otherwise: Option<Reg>,
    /// The condition of the last statement; `then` continues under it.
    condition: Option<Reg>,
}

impl<'a> Lowering<'a> {
    /// Lowers a block, which is a scope.
    pub fn block(&mut self, block: &'a Block) {
        self.statements(&block.statements.iter().collect::<Vec<_>>());
    }

    /// Lowers statements in a new scope. `it` has its old binding again afterwards.
    pub fn statements(&mut self, statements: &[&'a Statement]) {
        let fun = self.fun();
        let mark = fun.locals.len();
        let it = fun.it;
        let moved = fun.moved_names.len();
        self.statements_without_scope(statements);
        self.fun().moved_names.truncate(moved);
        self.fun().it = it;
        self.leave_scope(mark);
    }

    /// Lowers statements in the current scope.
    pub fn statements_without_scope(&mut self, statements: &[&'a Statement]) {
        let fun = self.fun();
        fun.next_sentence = fun.sentence;
        let mut chain = LinkState::default();
        for (index, statement) in statements.iter().enumerate() {
            let needed = statements.get(index + 1).is_some_and(|next| matches!(next.link, Link::IfYouDo | Link::Otherwise));
            if let Some(next) = statements.get(index + 1).filter(|_| needed) {
                self.lint_link(statement, next);
                if let Some(offer) = index.checked_sub(1).and_then(|before| statements.get(before)) {
                    self.lint_offer_before_link(offer, statement, next);
                }
            }
            if let Some(next) = statements.get(index + 1) {
                self.lint_moved_object(statement, next);
            }
            self.lint_stale_write(statement);
            if statement.link != Link::Then {
                self.sentence_subject = None;
            }
            self.linked_statement(statement, needed, &mut chain);
            if !matches!(statement.kind, StatementKind::Calls(_)) {
                self.sentence_subject = None;
            }
        }
    }

    fn linked_statement(&mut self, statement: &'a Statement, needed: bool, chain: &mut LinkState) {
        let before = self.at;
        self.at = statement.span;
        let condition = match statement.link {
            Link::Next => None,
            Link::Then => chain.condition,
            Link::IfYouDo => {
                if chain.done.is_none() {
                    self.report_missing_antecedent(statement, "if you do");
                }
                chain.negated_by_otherwise = chain.done;
                chain.done
            }
            Link::Otherwise => {
                let negated = chain.negated_by_otherwise.or(chain.done);
                if negated.is_none() {
                    self.report_missing_antecedent(statement, "otherwise");
                }
                negated.map(|result| self.negate(result))
            }
        };
        chain.condition = condition;
        if matches!(statement.link, Link::Next | Link::Then) {
            chain.negated_by_otherwise = None;
        }
        let fun = self.fun();
        fun.sentence = fun.next_sentence;
        fun.next_sentence += 1;
        let next = fun.next_sentence;
        let keep = chain.done;
        chain.done = match condition {
            None => self.nested(|lower| lower.statement(statement, needed)).flatten(),
            Some(condition) => {
                let happened = needed.then(|| self.constant(0, Type::Bool));
                let skip = self.jump_unless(condition);
                self.fun().condition_depth += 1;
                let done = self.nested(|lower| lower.statement(statement, needed)).flatten();
                self.fun().condition_depth -= 1;
                if let (Some(dst), Some(src)) = (happened, done) {
                    self.emit(Op::Copy { dst, src });
                }
                self.patch_jump(skip);
                happened
            }
        };
        // `otherwise` after `if you do` negates the same result.
        if statement.link == Link::IfYouDo && chain.negated_by_otherwise.is_none() {
            chain.negated_by_otherwise = keep;
        }
        let fun = self.fun();
        fun.next_sentence = fun.next_sentence.max(next);
        self.at = before;
    }

    fn report_missing_antecedent(&mut self, statement: &Statement, link: &str) {
        self.report(
            Diagnostic::new(
                &codes::MISPLACED_FORM,
                statement.span,
                format!("there is no statement before this that `{link}` can refer to"),
            )
            .help("write it after the statement that it depends on"),
        );
    }

    /// Lowers a statement. If `needed`, returns the register that holds whether it happened.
    fn statement(&mut self, statement: &'a Statement, needed: bool) -> Option<Reg> {
        match &statement.kind {
            StatementKind::Calls(calls) => return self.calls(calls, statement.span, needed),
            StatementKind::Simultaneously(block) => return Some(self.at_once(block, needed)),
            StatementKind::Let { name, value } => {
                let start = self.fun().ops.len();
                if self.report_lists_joined_by_and(value) {
                    let value = self.error_value();
                    self.bind_value(name, value);
                    return None;
                }
                let value = match crate::phrase_syntax::as_phrase(value) {
                    Some(phrase) if phrase.quantifier.is_none() && self.selects(phrase) && !self.is_zone_value(value) => {
                        self.list_of(value)
                    }
                    _ => self.expr(value, None),
                };
                self.fun().record_let(start);
                self.bind_value(name, value);
            }
            StatementKind::Assign { place, op: how, value } => self.assign(place, *how, value),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise.as_ref()),
            StatementKind::ForEach { name, list, body } => self.for_each(name, list, body),
            StatementKind::Times { count, body } => self.times(count, body),
            StatementKind::Repeat { condition, body } => self.repeat(condition, body),
            StatementKind::Modes { count, least, repeats, modes } => {
                self.modes(count, *least, *repeats, modes, statement.span);
            }
            StatementKind::Becomes { whom, model, enters, except, until } => {
                self.becomes(whom, model, *enters, except, until.as_ref(), statement.span);
            }
            StatementKind::CreateCopy { model, except, into, under, adverbs, name } => {
                let arrives = (under.as_deref(), adverbs.as_slice());
                return Some(self.create_copy(model, except, into, arrives, name.as_ref(), statement.span));
            }
            StatementKind::CopyListed { model, choosing, name } => {
                self.copy_listed(model, *choosing, name.as_ref(), statement.span)
            }
            StatementKind::Divide(divided) => {
                let chooser = divided.subject.as_ref().map(|subject| self.player(subject));
                let before = self.fun().chooser;
                if chooser.is_some() {
                    self.fun().chooser = chooser;
                }
                self.divide(divided, statement.span);
                self.fun().chooser = before;
            }
            StatementKind::Gets { whom, mods, until } => self.gets(whom, mods, until.as_ref(), statement.span),
            StatementKind::Cannot { pattern, until }
                if self.report_choice_in_statement(&pattern.subject, until.as_ref(), statement.span) => {}
            StatementKind::Clause { clause, until }
                if !clause.some && self.report_choice_in_statement(&clause.subject, until.as_ref(), statement.span) => {}
            StatementKind::Cannot { pattern, until } => self.cannot(pattern, until.as_ref(), statement.span),
            StatementKind::Clause { clause, until } => self.clause_for_duration(clause, until.as_ref(), statement.span),
            StatementKind::Declare(declare) => {
                let done = self.declare(declare);
                return done.or_else(|| needed.then(|| self.constant(0, Type::Bool)));
            }
            StatementKind::DelayedAt { moment, body } => self.delayed_moment(moment, body, statement.span),
            StatementKind::DelayedWhen { immediately, once, pattern, until, body } => {
                self.delayed_when(*immediately, *once, pattern, until.as_ref(), body, statement.span)
            }
            StatementKind::TemporaryAbilities { until, once, abilities } => {
                self.abilities_until(until, *once, abilities, statement.span)
            }
            StatementKind::Trigger(body) => self.reflexive_trigger(body, statement.span),
            StatementKind::Window { name, settings } => self.window(name, settings),
        }
        needed.then(|| self.constant(1, Type::Bool))
    }

    fn is_zone_value(&self, expr: &Expr) -> bool {
        self.guess(expr) == Some(Type::Zone)
    }

    /// `active = X` in a setup: sets the player of the first turn.
    fn assign_active(&mut self, place: &Expr, how: AssignOp, value: &'a Expr) -> bool {
        if !crate::phrase_syntax::is_word(place, "active") || self.local_type("active").is_some() {
            return false;
        }
        if self.owner.name != "setup" || how != AssignOp::Set {
            self.report(
                Diagnostic::new(&codes::NOT_ASSIGNABLE, place.span, "the active player cannot be assigned here")
                    .help("only the setup can assign the player of the first turn: `setup { active = … }`"),
            );
        }
        let player = self.player(value);
        self.emit(Op::SetActivePlayer { player });
        true
    }

    fn assign(&mut self, target: &'a Expr, how: AssignOp, value: &'a Expr) {
        if self.assign_active(target, how, value) {
            return;
        }
        let Some((place, ty, owner, key)) = self.place(target) else {
            let _ = self.expr(value, None);
            return;
        };
        let how = match how {
            AssignOp::Set => WriteMode::Set,
            AssignOp::Add => WriteMode::Add,
            AssignOp::Subtract => WriteMode::Subtract,
        };
        if how != WriteMode::Set && !(ty == Type::Number || ty.element().is_some()) {
            let name = self.a_type(ty);
            self.error(&codes::TYPE_MISMATCH, value.span, format!("{name} has no sum; write `=`"));
        }
        if key.is_some() && how != WriteMode::Set && self.keyed_call_of(target).is_none() {
            self.report(
                Diagnostic::new(&codes::NOT_ASSIGNABLE, target.span, "this has a number for each word, so it needs a word")
                    .help("write `NAME(WORD) of …`; only `=` assigns all of them"),
            );
        }
        let found = if ty.is_list() { self.list_of(value) } else { self.expr(value, Some(ty)) };
        let value = self.coerce(found, ty, value.span);
        if owner.ty.is_some_and(Type::is_list) && !matches!(place, Place::Global(_)) {
            let single = owner.ty.and_then(Type::element).unwrap_or(Type::Object);
            self.for_each_element(owner.reg, single, |lower, of| lower.emit_write(place, of, key, how, value));
        } else {
            self.emit_write(place, owner.reg, key, how, value);
        }
    }

    fn emit_write(&mut self, place: Place, of: Reg, key: Option<Reg>, how: WriteMode, value: Reg) {
        match key {
            None => self.emit(Op::Write { place, of, how, value }),
            Some(key) => self.emit(Op::WriteKey { place, of, key, how, value }),
        };
    }

    fn keyed_call_of<'e>(&self, expr: &'e Expr) -> Option<&'e fizzle_grammar::ast::Name> {
        match &crate::phrase_syntax::as_phrase(expr)?.head {
            fizzle_grammar::ast::Head::Call { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Emits a loop over the elements of a list. `body` gets the register of the element.
    pub fn for_each_element(&mut self, list: Reg, ty: Type, body: impl FnOnce(&mut Self, Reg)) {
        let index = self.constant(0, Type::Number);
        let one = self.constant(1, Type::Number);
        let count = self.reg(Type::Number);
        self.emit(Op::Count { dst: count, list });
        let start = self.next_op();
        let more = self.binary(Binary::Less, index, count, Type::Bool);
        let done = self.jump_unless(more);
        let item = self.reg(ty);
        self.emit(Op::ElementAt { dst: item, list, index });
        self.copy_chooser(item, list);
        let fun = self.fun();
        fun.loop_depth += 1;
        fun.condition_depth += 1;
        body(self, item);
        let fun = self.fun();
        fun.loop_depth -= 1;
        fun.condition_depth -= 1;
        self.emit(Op::Binary { op: Binary::Add, dst: index, a: index, b: one });
        self.emit(Op::Jump { to: start });
        self.patch_jump(done);
    }

    /// Binds `it` after a statement about an object.
    pub fn set_it(&mut self, binding: Binding, ty: Type) {
        self.fun().it = ItBinding::Bound(binding, ty);
    }

    /// Returns the binding for a value.
    #[must_use]
    pub fn binding_of(value: TypedRegister) -> Binding {
        value.list.map_or(Binding::Reg(value.reg), Binding::Single)
    }
}
