//! Declarations, and the clauses that hold for them: requirements, restrictions and costs, in closed forms.

use super::Lowering;
use super::effect::{UnclosedChange, UnclosedModification};
use super::function_builder::{Binding, FunctionBuilder, ItBinding, Local};
use super::pattern::EventVerb;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{
    Block, ClauseKind, DeclarationClause as Written, DeclareStatement as WrittenDeclare, Duration, Expr, Name, Span,
};
use fizzle_runtime::ir::op::Declare;
use fizzle_runtime::ir::{
    ActionId, Chooser, ClauseRule, ClauseScope, DeclarationClause, EventPattern, FnId, ModificationId, Op, Reg, Type,
};

/// A clause whose functions are not closed yet.
#[derive(Debug)]
pub struct UnclosedClause {
    action: ActionId,
    filter: Option<FunctionBuilder>,
    each: ClauseScope,
    rule: OpenRule,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a few of them live while one clause is compiled")]
enum OpenRule {
    Must,
    Count(bool, FunctionBuilder),
    With(Option<FunctionBuilder>, FunctionBuilder),
    Price(FunctionBuilder),
    Cost(FunctionBuilder),
}

impl UnclosedClause {
    /// Its functions, which capture.
    pub fn functions(&self) -> Vec<&FunctionBuilder> {
        let mut funs: Vec<&FunctionBuilder> = self.filter.iter().collect();
        match &self.rule {
            OpenRule::Must => {}
            OpenRule::Count(_, fun) | OpenRule::Price(fun) | OpenRule::Cost(fun) => funs.push(fun),
            OpenRule::With(others, count) => {
                funs.extend(others);
                funs.push(count);
            }
        }
        funs
    }
}

impl<'a> Lowering<'a> {
    /// A clause as a statement, for some time.
    pub fn clause_for(&mut self, clause: &'a Written, until: Option<&'a Duration>, span: Span) {
        let open = self.open_clause(clause).into_iter().collect();
        self.begin_effect(open, None, until, span);
    }

    /// A clause of a static ability.
    pub fn static_clause(&mut self, clause: &'a Written) -> Vec<ModificationId> {
        let open = self.open_clause(clause).into_iter().collect();
        self.close_mods(open, &[])
    }

    /// A clause among changes.
    pub fn open_clause(&mut self, clause: &'a Written) -> Option<UnclosedModification> {
        let action = self.declared_action(&clause.verb)?;
        self.clauses.insert(clause.verb.span, action);
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
            self.not_here(clause.subject.span, "`some` says what one of them must do", "leave `some` out: it holds for each");
        }
        let rule = match &clause.kind {
            ClauseKind::Must => OpenRule::Must,
            ClauseKind::Alone => {
                let count = self.count_of(None);
                OpenRule::With(None, count)
            }
            ClauseKind::Count { more, count, .. } => OpenRule::Count(*more, self.count_of(Some(count))),
            ClauseKind::Unless { count, others, verb } => {
                if self.declared_action(verb)? != action {
                    let text = format!("`{}` is not `{}`", verb.text, clause.verb.text);
                    self.report(
                        Diagnostic::new(&codes::NOT_HERE, verb.span, text)
                            .help(format!("both are decided at once only if it is the same: `… also {}`", clause.verb.text)),
                    );
                }
                let others = self.pair_filter(action, Some(others), None, None)?;
                let count = self.count_of(Some(count));
                OpenRule::With(others, count)
            }
            ClauseKind::Price(price) => OpenRule::Price(self.pair_price(action, price)),
            ClauseKind::Cost(block) => OpenRule::Cost(self.pair_cost(action, block)),
        };
        Some(UnclosedModification::of(UnclosedChange::Clause(Box::new(UnclosedClause { action, filter, each, rule }))))
    }

    /// Makes a clause of an open one.
    pub fn close_clause(&mut self, open: UnclosedClause, outer: &[Reg]) -> DeclarationClause {
        let filter = open.filter.map(|fun| self.close(fun, outer));
        let rule = match open.rule {
            OpenRule::Must => ClauseRule::Must,
            OpenRule::Count(more, count) => ClauseRule::Count { most: more, count: self.close(count, outer) },
            OpenRule::With(others, count) => {
                let others = others.map(|others| self.close(others, outer));
                ClauseRule::With { others, count: self.close(count, outer) }
            }
            OpenRule::Price(price) => ClauseRule::Costs { price: Some(self.close(price, outer)), cost: None, possible: None },
            OpenRule::Cost(cost) => {
                let sites = cost.sites.clone();
                let cost = self.close(cost, outer);
                let possible = self.cost_possible(cost, &sites, &[]);
                ClauseRule::Costs { price: None, cost: Some(cost), possible }
            }
        };
        DeclarationClause { pattern: EventPattern { action: open.action, filter, looks_back: false }, each: open.each, rule }
    }

    /// An action that can be declared: its object does it to a second parameter.
    fn declared_action(&mut self, verb: &Name) -> Option<ActionId> {
        let EventVerb::Action(action) = self.verbed(&verb.text, verb.span, true)? else {
            self.no_declaration(verb, None);
            return None;
        };
        let names = self.names;
        let (_, signature) = names.actions.get_index(action.index())?;
        let types: Vec<Type> = signature.params.iter().map(|(_, ty)| *ty).collect();
        if signature.doer != Some(0) || types.len() != 2 || types.first() != Some(&Type::Object) || types[1].list().is_none() {
            self.no_declaration(verb, Some(signature.span));
            return None;
        }
        Some(action)
    }

    /// Tells clauses about actions that nothing declares: they would say nothing.
    pub fn check_clauses(&mut self) {
        let idle: Vec<(Span, ActionId)> = self
            .clauses
            .iter()
            .filter(|(_, action)| !self.declares.contains(action))
            .map(|(span, action)| (*span, *action))
            .collect();
        let names = self.names;
        for (span, action) in idle {
            let Some((name, _)) = names.actions.get_index(action.index()) else { continue };
            self.report(Diagnostic::new(&codes::BAD_PATTERN, span, format!("nothing declares `{name}`, so this would say nothing")).help(format!(
                "let somebody decide it: `declare {name} {{ from OBJECTS  onto OBJECTS }}`; what is not decided so can be forbidden: `cannot {name}`"
            )));
        }
    }

    fn no_declaration(&mut self, verb: &Name, declared: Option<Span>) {
        let text = format!("`{}` is nothing that a player decides for several objects at once", verb.text);
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span, text)
            .help("`must` and its like are about what `declare ACTION { … }` asks for: an object does it to another one, or to a player: `action NAME(it: object, other: object) by it`");
        if let Some(span) = declared.filter(|span| span.end > 0) {
            problem = problem.also(span, "this action");
        }
        self.report(problem);
    }

    /// Which pairs pass.
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
        let open = self.pattern_of(EventVerb::Action(action), &sides, condition);
        Some(open)
    }

    fn count_of(&mut self, count: Option<&'a Expr>) -> FunctionBuilder {
        self.begin_child(true, Some(Type::Number));
        self.fun().keeps = true;
        let number = match count {
            Some(count) => self.number(count),
            None => self.constant(1, Type::Number),
        };
        self.emit(Op::Return { value: Some(number) });
        self.end_child()
    }

    fn pair_price(&mut self, action: ActionId, price: &'a Expr) -> FunctionBuilder {
        if self.names.payments.is_empty() {
            self.tell_no_payment(price.span);
        }
        self.begin_event(action, true);
        let fun = self.fun();
        (fun.keeps, fun.result) = (true, Some(Type::Price));
        let value = self.expr(price, Some(Type::Price));
        let value = self.want(value, Type::Price, price.span);
        self.emit(Op::Return { value: Some(value) });
        self.end_child()
    }

    fn pair_cost(&mut self, action: ActionId, block: &'a Block) -> FunctionBuilder {
        self.begin_event(action, false);
        self.fun().keeps = true;
        self.block(block);
        self.end_child()
    }

    /// `declare ACTION by X { … }`
    pub fn declare(&mut self, written: &'a WrittenDeclare) -> Option<Reg> {
        let action = self.declared_action(&written.action)?;
        self.declares.insert(action);
        let (Some(from), Some(onto)) = (&written.from, &written.onto) else {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, written.span, "this does not say what is paired with what")
                    .help("write `from OBJECTS` and `onto OBJECTS` (or players)"),
            );
            return None;
        };
        let params = self.event_params(action);
        // Where it is made again, what came first is undone before anything is looked at.
        let declared = self.reg(Type::Objects);
        let start = self.jump();
        let again = self.here();
        if let Some(undone) = &written.undone {
            self.with_declared(undone, declared);
        }
        self.patch_jump(start);
        let player = match &written.by {
            Some(by) => self.player(by),
            None => 1,
        };
        let lefts = self.list_of(from);
        let from = self.want(lefts, Type::Objects, from.span);
        let onto_ty = params[1].1.list().unwrap_or(Type::Objects);
        let rights = self.list_of(onto);
        let onto = self.want(rights, onto_ty, onto.span);
        let pairs = written.condition.as_ref().map(|condition| {
            self.begin_pair(&params[..2], Type::Bool);
            let holds = self.bool(condition);
            self.emit(Op::Return { value: Some(holds) });
            self.end_child()
        });
        let most = written.most.as_ref().map(|most| {
            self.begin_pair(&params[..1], Type::Number);
            let number = self.number(most);
            self.emit(Op::Return { value: Some(number) });
            self.end_child()
        });
        let children: Vec<&FunctionBuilder> = pairs.iter().chain(&most).collect();
        let outer = Self::captured(&children);
        let pairs: Option<FnId> = pairs.map(|fun| self.close(fun, &outer));
        let most: Option<FnId> = most.map(|fun| self.close(fun, &outer));
        let captures: Vec<Reg> = [0, 1].into_iter().chain(outer).collect();
        let [dst, owed] = [(); 2].map(|()| self.reg(Type::Objects));
        let stage = self.constant(0, Type::Number);
        let mut site = self.site(written.span, dst);
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
            lefts: declared,
            player,
            from,
            onto,
            action,
            pairs,
            most,
            captures,
            site,
            again,
        })));
        if let Some(first) = &written.first {
            self.with_declared(first, declared);
        }
        self.emit(Op::PayForDeclaration { pairs: dst, player, action, owed, stage });
        let done = self.reg(Type::Bool);
        self.emit(Op::ProposePairs { pairs: dst, player, action, done: Some(done) });
        Some(done)
    }

    /// A block of a declaration, which knows what was declared.
    fn with_declared(&mut self, block: &'a Block, declared: Reg) {
        let mark = self.fun().locals.len();
        self.fun().locals.push(Local {
            name: "declared".into(),
            span: block.span,
            ty: Some(Type::Objects),
            binding: Binding::Reg(declared),
            used: true,
            warn: false,
        });
        self.block(block);
        self.leave_scope(mark);
    }

    /// Begins a pure function whose last parameters are those of the action.
    fn begin_pair(&mut self, params: &[(smol_str::SmolStr, Type)], result: Type) {
        self.begin_child(true, Some(result));
        for (number, (name, ty)) in params.iter().enumerate() {
            let reg = self.trailing(*ty);
            if number == 0 {
                self.fun().it = ItBinding::Bound(Binding::Reg(reg), *ty);
            }
            if name != "it" {
                self.fun().locals.push(Local {
                    name: name.clone(),
                    span: Span::default(),
                    ty: Some(*ty),
                    binding: Binding::Reg(reg),
                    used: true,
                    warn: false,
                });
            }
        }
    }
}
