//! Lowers declarations (CR 508, 509) and the clauses about them: requirements, cardinalities, implications and costs.

use super::Lowering;
use super::effect::{UnclosedChange, UnclosedModification};
use super::function_builder::{Binding, FunctionBuilder, ItBinding, Local};
use super::pattern::EventVerb;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{
    Block, ClauseKind, DeclarationClause as WrittenClause, DeclareStatement as WrittenDeclare, Duration, Expr, Name, Span,
};
use fizzle_ir::op::Declare;
use fizzle_ir::{
    ActionId, Chooser, ClauseRule, ClauseScope, DeclarationClause, EventPattern, FnId, ModificationId, Op, Reg, Type,
};

/// A declaration clause whose functions are not closed over their captures yet.
#[derive(Debug)]
pub struct UnclosedClause {
    action: ActionId,
    filter: Option<FunctionBuilder>,
    each: ClauseScope,
    rule: UnclosedRule,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a few of them live while one clause is compiled")]
enum UnclosedRule {
    Must,
    Count(bool, FunctionBuilder),
    With(Option<FunctionBuilder>, FunctionBuilder),
    Price(FunctionBuilder),
    Cost(FunctionBuilder),
}

impl UnclosedClause {
    /// Returns its functions, to collect their captures.
    pub fn functions(&self) -> Vec<&FunctionBuilder> {
        let mut funs: Vec<&FunctionBuilder> = self.filter.iter().collect();
        match &self.rule {
            UnclosedRule::Must => {}
            UnclosedRule::Count(_, fun) | UnclosedRule::Price(fun) | UnclosedRule::Cost(fun) => funs.push(fun),
            UnclosedRule::With(others, count) => {
                funs.extend(others);
                funs.push(count);
            }
        }
        funs
    }
}

impl<'a> Lowering<'a> {
    /// Lowers a clause as a statement with a duration.
    pub fn clause_for_duration(&mut self, clause: &'a WrittenClause, until: Option<&'a Duration>, span: Span) {
        let open = self.unclosed_clause(clause).into_iter().collect();
        self.begin_effect(open, None, until, span);
    }

    /// Lowers a clause of a static ability.
    pub fn static_clause(&mut self, clause: &'a WrittenClause) -> Vec<ModificationId> {
        let open = self.unclosed_clause(clause).into_iter().collect();
        self.close_mods(open, &[])
    }

    /// Lowers a clause as a modification.
    pub fn unclosed_clause(&mut self, clause: &'a WrittenClause) -> Option<UnclosedModification> {
        let action = self.declared_action(&clause.verb)?;
        self.clause_actions.insert(clause.verb.span, action);
        let (first, second) = if clause.passive {
            (clause.object.as_ref(), Some(&clause.subject))
        } else {
            (Some(&clause.subject), clause.object.as_ref())
        };
        let filter = self.pair_filter(action, first, second, clause.condition.as_ref())?;
        let each = match &clause.kind {
            ClauseKind::Must if clause.some => ClauseScope::All,
            ClauseKind::Count { together: true, .. } => ClauseScope::All,
            _ if clause.passive => ClauseScope::Second,
            _ => ClauseScope::First,
        };
        if clause.some && !matches!(clause.kind, ClauseKind::Must) {
            self.report_not_here(
                clause.subject.span,
                "`some` is possible only with `must`",
                "leave `some` out: the clause applies to each of them",
            );
        }
        let rule = match &clause.kind {
            ClauseKind::Must => UnclosedRule::Must,
            ClauseKind::Alone => {
                let count = self.count_of(None);
                UnclosedRule::With(None, count)
            }
            ClauseKind::Count { more, count, .. } => UnclosedRule::Count(*more, self.count_of(Some(count))),
            ClauseKind::Unless { count, others, verb } => {
                if self.declared_action(verb)? != action {
                    let text = format!("`{}` differs from `{}`", verb.text, clause.verb.text);
                    self.report(
                        Diagnostic::new(&codes::MISPLACED_FORM, verb.span, text)
                            .help(format!("both parts need the same action: `… also {}`", clause.verb.text)),
                    );
                }
                let others = self.pair_filter(action, Some(others), None, None)?;
                let count = self.count_of(Some(count));
                UnclosedRule::With(others, count)
            }
            ClauseKind::Price(price) => UnclosedRule::Price(self.pair_price(action, price)),
            ClauseKind::Cost(block) => UnclosedRule::Cost(self.pair_cost(action, block)),
        };
        Some(UnclosedModification::of(UnclosedChange::Clause(Box::new(UnclosedClause { action, filter, each, rule }))))
    }

    /// Closes a clause over the captures of its effect.
    pub fn close_clause(&mut self, open: UnclosedClause, outer: &[Reg]) -> DeclarationClause {
        let filter = open.filter.map(|fun| self.close(fun, outer));
        let rule = match open.rule {
            UnclosedRule::Must => ClauseRule::Must,
            UnclosedRule::Count(more, count) => ClauseRule::Count { at_most: more, count: self.close(count, outer) },
            UnclosedRule::With(others, count) => {
                let others = others.map(|others| self.close(others, outer));
                ClauseRule::WithOthers { others, count: self.close(count, outer) }
            }
            UnclosedRule::Price(price) => ClauseRule::Costs { price: Some(self.close(price, outer)), cost: None, possible: None },
            UnclosedRule::Cost(mut cost) => {
                let sites = cost.sites.clone();
                let conditions = self.taken_card_conditions(&mut cost, &[]);
                let cost = self.close(cost, outer);
                let possible = self.cost_possible(cost, super::cost::CostParts::of_sites(sites, conditions));
                ClauseRule::Costs { price: None, cost: Some(cost), possible }
            }
        };
        DeclarationClause { pattern: EventPattern { action: open.action, filter, looks_back: false }, scope: open.each, rule }
    }

    /// Finds an action that can be declared: its object acts on a second parameter. Reports any other one.
    fn declared_action(&mut self, verb: &Name) -> Option<ActionId> {
        let EventVerb::Action(action) = self.event_verb(&verb.text, verb.span, true)? else {
            self.report_not_declarable(verb, None);
            return None;
        };
        let names = self.names;
        let (_, signature) = names.actions.get_index(action.index())?;
        let types: Vec<Type> = signature.params.iter().map(|(_, ty)| *ty).collect();
        if signature.acting_param != Some(0)
            || types.len() != 2
            || types.first() != Some(&Type::Object)
            || types[1].list().is_none()
        {
            self.report_not_declarable(verb, Some(signature.span));
            return None;
        }
        Some(action)
    }

    /// Reports clauses about actions that no `declare` statement declares; they have no effect.
    pub fn check_clauses(&mut self) {
        let idle: Vec<(Span, ActionId)> = self
            .clause_actions
            .iter()
            .filter(|(_, action)| !self.declared_actions.contains(action))
            .map(|(span, action)| (*span, *action))
            .collect();
        let names = self.names;
        for (span, action) in idle {
            let Some((name, _)) = names.actions.get_index(action.index()) else { continue };
            self.report(Diagnostic::new(&codes::BAD_PATTERN, span, format!("no `declare` statement is about `{name}`, so this has no effect")).help(format!(
                "let a player declare it: `declare {name} {{ from OBJECTS  onto OBJECTS }}`; to forbid an action that is not declared, write `cannot {name}`"
            )));
        }
    }

    fn report_not_declarable(&mut self, verb: &Name, declared: Option<Span>) {
        let text = format!("`{}` cannot be declared for several objects at once", verb.text);
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span, text)
            .help("`must` and similar clauses need an action for `declare ACTION { … }`: an object does it to another object or to a player, as in `action NAME(it: object, other: object) by it`");
        if let Some(span) = declared.filter(|span| span.end > 0) {
            problem = problem.also(span, "this action");
        }
        self.report(problem);
    }

    /// Lowers the filter of pairs. Returns `None` if an operand does not fit (reported), `Some(None)` if all pairs pass.
    fn pair_filter(
        &mut self,
        action: ActionId,
        first: Option<&'a Expr>,
        second: Option<&'a Expr>,
        condition: Option<&'a Expr>,
    ) -> Option<Option<FunctionBuilder>> {
        let sides: Vec<(usize, &'a Expr)> =
            [first, second].into_iter().enumerate().filter_map(|(n, side)| side.map(|side| (n, side))).collect();
        for (n, side) in &sides {
            if !self.fits_param(EventVerb::Action(action), *n, side) {
                return None;
            }
        }
        let open = self.pattern_filter(EventVerb::Action(action), &sides, condition);
        Some(open)
    }

    fn count_of(&mut self, count: Option<&'a Expr>) -> FunctionBuilder {
        self.begin_child(true, Some(Type::Number));
        self.fun().outlives_statement = true;
        let number = match count {
            Some(count) => self.number(count),
            None => self.constant(1, Type::Number),
        };
        self.emit(Op::Return { value: Some(number) });
        self.end_child()
    }

    fn pair_price(&mut self, action: ActionId, price: &'a Expr) -> FunctionBuilder {
        if self.names.payments.is_empty() {
            self.report_no_payment(price.span);
        }
        self.begin_event(action, true);
        let fun = self.fun();
        (fun.outlives_statement, fun.result) = (true, Some(Type::Price));
        let value = self.expr(price, Some(Type::Price));
        let value = self.coerce(value, Type::Price, price.span);
        self.emit(Op::Return { value: Some(value) });
        self.end_child()
    }

    fn pair_cost(&mut self, action: ActionId, block: &'a Block) -> FunctionBuilder {
        self.begin_event(action, false);
        self.fun().outlives_statement = true;
        self.block(block);
        self.end_child()
    }

    /// Lowers `declare ACTION by X { … }`. Returns the register that holds whether something was declared.
    pub fn declare(&mut self, written: &'a WrittenDeclare) -> Option<Reg> {
        let action = self.declared_action(&written.action)?;
        self.declared_actions.insert(action);
        let (Some(from), Some(onto)) = (&written.from, &written.onto) else {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, written.span, "this declaration needs `from` and `onto`")
                    .help("write `from OBJECTS` and `onto OBJECTS` (or players)"),
            );
            return None;
        };
        let params = self.event_params(action);
        // If the declaration is repeated, the rollback block runs before anything is evaluated. The first time it is skipped.
        let declared = self.reg(Type::Objects);
        let start = self.jump();
        let again = self.next_op();
        if let Some(undone) = &written.on_rollback {
            self.with_declared(undone, declared);
        }
        self.patch_jump(start);
        let player = match &written.by {
            Some(by) => self.player(by),
            None => 1,
        };
        let lefts = self.list_of(from);
        let from = self.coerce(lefts, Type::Objects, from.span);
        let onto_ty = params[1].1.list().unwrap_or(Type::Objects);
        let rights = self.list_of(onto);
        let onto = self.coerce(rights, onto_ty, onto.span);
        let pairs = written.condition.as_ref().map(|condition| {
            self.begin_pair(&params[..2], Type::Bool);
            let holds = self.bool(condition);
            self.emit(Op::Return { value: Some(holds) });
            self.end_child()
        });
        let most = written.max_pairs.as_ref().map(|most| {
            self.begin_pair(&params[..1], Type::Number);
            let number = self.number(most);
            self.emit(Op::Return { value: Some(number) });
            self.end_child()
        });
        let children: Vec<&FunctionBuilder> = pairs.iter().chain(&most).collect();
        let outer = FunctionBuilder::captured_registers(&children);
        let pairs: Option<FnId> = pairs.map(|fun| self.close(fun, &outer));
        let most: Option<FnId> = most.map(|fun| self.close(fun, &outer));
        let captures: Vec<Reg> = [0, 1].into_iter().chain(outer).collect();
        let [dst, owed] = [(); 2].map(|()| self.reg(Type::Objects));
        let stage = self.constant(0, Type::Number);
        let mut site = self.new_site(written.span, dst);
        site.text = written.action.text.to_string();
        site.chooser = Chooser::Player(player);
        site.verb = Some(action);
        let site = self.add_site(site);
        if let Some(site) = self.library.sites.get_mut(site.index()) {
            site.announceable = false;
        }
        self.emit(Op::Declare(Box::new(Declare {
            dst,
            stage,
            declared,
            player,
            from,
            onto,
            action,
            pairs,
            max_pairs: most,
            captures,
            site,
            restart_at: again,
        })));
        if let Some(first) = &written.before_costs {
            self.with_declared(first, declared);
        }
        self.emit(Op::PayForDeclaration { pairs: dst, player, action, owed, stage });
        let done = self.reg(Type::Bool);
        self.emit(Op::ProposePairs { pairs: dst, player, action, done: Some(done) });
        Some(done)
    }

    /// Lowers a block of a declaration, with the local name `declared`.
    fn with_declared(&mut self, block: &'a Block, declared: Reg) {
        let mark = self.fun().locals.len();
        self.fun().locals.push(Local {
            name: "declared".into(),
            span: block.span,
            ty: Some(Type::Objects),
            binding: Binding::Reg(declared),
            is_used: true,
            warn_if_unused: false,
        });
        self.block(block);
        self.leave_scope(mark);
    }

    /// Begins a pure child whose trailing parameters are those of the action.
    fn begin_pair(&mut self, params: &[(smol_str::SmolStr, Type)], result: Type) {
        self.begin_child(true, Some(result));
        for (number, (name, ty)) in params.iter().enumerate() {
            let reg = self.trailing_param(*ty);
            if number == 0 {
                self.fun().it = ItBinding::Bound(Binding::Reg(reg), *ty);
            }
            if name != "it" {
                self.fun().locals.push(Local {
                    name: name.clone(),
                    span: Span::default(),
                    ty: Some(*ty),
                    binding: Binding::Reg(reg),
                    is_used: true,
                    warn_if_unused: false,
                });
            }
        }
    }
}
