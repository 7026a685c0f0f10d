//! Lowers choices: choice sites with their candidates and numbers. Also declared functions, and the places that statements write.

use super::function_builder::FunctionBuilder;
use super::selection::{SearchSpace, Selection};
use super::{Lowering, Owner, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Expr, Name, Phrase, Quantifier, Span};
use fizzle_ir::op::{ChosenBy, Place};
use fizzle_ir::{ChoiceSite, ChoiceSiteId, Chooser, FnId, Op, Reg, Type, Visibility};

/// The minimum and maximum number of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Amount<'a> {
    /// The minimum; `None`: none has to be chosen.
    pub min: Option<&'a Expr>,
    /// The maximum; `None`: any number.
    pub max: Option<&'a Expr>,
    /// Whether it is at most one object, so that the value is a single one.
    pub is_one: bool,
    /// Whether `target` is written.
    pub is_target: bool,
}

/// The nesting of all functions that are being lowered from which on a function does not lower those that it calls.
const DEEP_STACK: u32 = 48;

impl<'a> Lowering<'a> {
    /// Lowers a quantified phrase that requires a decision. Reports it in pure code.
    pub fn choice(&mut self, phrase: &'a Phrase, span: Span) -> TypedRegister {
        match &phrase.quantifier {
            Some(Quantifier::Exactly(count) | Quantifier::UpTo(count) | Quantifier::Target { count: Some(count), .. }) => {
                self.report_negative_count(count);
            }
            Some(Quantifier::Range { min: least, max: most, .. }) => {
                let _ = self.report_negative_count(least) || self.report_negative_count(most);
            }
            _ => {}
        }
        let amount = match &phrase.quantifier {
            Some(Quantifier::Exactly(count)) => {
                let one = self.constant_value(count, Type::Number) == Some(1);
                Amount { min: Some(count), max: Some(count), is_one: one, is_target: false }
            }
            Some(Quantifier::UpTo(count)) => {
                let one = self.constant_value(count, Type::Number) == Some(1);
                Amount { min: None, max: Some(count), is_one: one, is_target: false }
            }
            Some(Quantifier::Target { count: Some(count), up_to }) => {
                let one = self.constant_value(count, Type::Number) == Some(1);
                Amount { min: (!up_to).then_some(&**count), max: Some(count), is_one: one, is_target: true }
            }
            Some(Quantifier::Range { min: least, max: most, target }) => {
                Amount { min: Some(least), max: Some(most), is_one: false, is_target: *target }
            }
            Some(Quantifier::Target { count: None, .. }) => Amount { min: None, max: None, is_one: true, is_target: true },
            _ => Amount { min: None, max: None, is_one: false, is_target: false },
        };
        if self.fun().takes_first
            && let Some(count) = amount.max
        {
            return self.take_ends(phrase, count, false, span);
        }
        if self.fun().is_pure {
            let text = self.sources.slice(span).to_owned();
            self.report(
                Diagnostic::new(
                    &codes::CHOICE_IN_EXPRESSION,
                    span,
                    format!("`{text}` is a choice, but no player can choose here"),
                )
                .help(self.help_for_inner_choice(&text)),
            );
            return self.error_value();
        }
        self.takes_total = !amount.is_target;
        let selection = self.selection(phrase, span);
        self.takes_total = false;
        let Some(selection) = selection else { return self.error_value() };
        match selection.total {
            Some(total) => self.choose_with_total(&selection, amount, total, span),
            None => self.choose(&selection, amount, span),
        }
    }

    /// Adds a choice site and emits the choice.
    pub fn choose(&mut self, selection: &Selection<'a>, amount: Amount<'a>, span: Span) -> TypedRegister {
        let (list_ty, single) = (selection.list_type(), selection.single_type());
        self.begin_child(true, Some(list_ty));
        let list = self.candidates(selection);
        self.emit(Op::Return { value: Some(list) });
        let selector = self.end_choice_child(amount.is_target);
        let target_one = amount.is_target && amount.is_one && amount.min.is_none() && amount.max.is_none();
        let min = match amount.min {
            Some(count) => Some(self.count_child(count, amount.is_target)),
            None if target_one => Some(self.one_child()),
            None => None,
        };
        let max = match (amount.max, amount.min) {
            (Some(most), Some(least)) if std::ptr::eq(most, least) => None,
            (Some(count), _) => Some(self.count_child(count, amount.is_target)),
            (None, _) if target_one => None,
            (None, _) => None,
        };
        let mut children: Vec<&FunctionBuilder> = vec![&selector];
        children.extend(min.iter());
        children.extend(max.iter());
        let outer = FunctionBuilder::captured_registers(&children);
        let exact = min.is_some() && max.is_none();
        let selector = self.close(selector, &outer);
        let min = min.map(|child| self.close(child, &outer));
        let max = max.map(|child| self.close(child, &outer));
        let max = if exact { min } else { max };
        let dst = self.reg(list_ty);
        let public = self.is_public(selection);
        let mut site = self.new_site(span, dst);
        site.selector = Some(selector);
        site.captures = [0, 1].into_iter().chain(outer).collect();
        site.min = min;
        site.max = max;
        site.target = amount.is_target;
        site.optional |= min.is_none();
        site.public = public;
        site.candidate_type = list_ty;
        site.own = selection.is_own;
        let chosen = match site.chooser {
            Chooser::Controller => ChosenBy::Controller,
            Chooser::Player(reg) => ChosenBy::Player(reg),
        };
        self.fun().chosen_by.insert(dst, chosen);
        let site = self.add_site(site);
        self.emit(Op::Choose { dst, site });
        if amount.is_one { self.single_element(dst, single) } else { TypedRegister::new(dst, list_ty) }
    }

    /// Whether all candidates are in public zones.
    pub(super) fn is_public(&self, selection: &Selection<'a>) -> bool {
        let public = |zone: Option<&fizzle_ir::ZoneKind>| zone.is_some_and(|zone| zone.visibility == Visibility::Public);
        if !selection.parts.is_empty() {
            return selection.parts.iter().all(|part| self.is_public(part));
        }
        let field = self.library.zones.iter().find(|zone| zone.field);
        let known = selection.search_spaces.iter().all(|base| match base {
            SearchSpace::Zone(zone) | SearchSpace::Of(zone, _) => public(self.library.zones.get(zone.index())),
            SearchSpace::Value(_) | SearchSpace::List(_) => true,
        });
        known && (selection.selects_players || !selection.search_spaces.is_empty() || field.is_none() || public(field))
    }

    fn count_child(&mut self, count: &'a Expr, is_target: bool) -> FunctionBuilder {
        self.begin_child(true, Some(Type::Number));
        if is_target {
            self.return_zero_outside_option();
        }
        let number = self.number(count);
        self.emit(Op::Return { value: Some(number) });
        self.end_choice_child(is_target)
    }

    /// The number of a single target.
    fn one_child(&mut self) -> FunctionBuilder {
        self.begin_child(true, Some(Type::Number));
        self.return_zero_outside_option();
        let number = self.constant(1, Type::Number);
        self.emit(Op::Return { value: Some(number) });
        self.end_child()
    }

    /// In a child that counts targets: none are announced in a branch whose cost is not paid.
    fn return_zero_outside_option(&mut self) {
        let function = self.funs.len() - 1;
        let guards: Vec<(&'a Expr, bool)> = self
            .option_guards
            .iter()
            .filter(|(at, ..)| *at == function)
            .map(|(_, condition, negated)| (*condition, *negated))
            .collect();
        for (condition, negated) in guards {
            let holds = self.bool(condition);
            let holds = if negated { self.negate(holds) } else { holds };
            let none = self.jump_unless(holds);
            let rest = self.jump();
            self.patch_jump(none);
            let zero = self.constant(0, Type::Number);
            self.emit(Op::Return { value: Some(zero) });
            self.patch_jump(rest);
        }
    }

    /// Returns a choice site with the attributes that follow from its place in the text.
    pub fn new_site(&mut self, span: Span, dst: Reg) -> ChoiceSite {
        let text = self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let source = self.sources.source(span);
        self.choice_span = span;
        let fun = self.fun();
        ChoiceSite {
            text,
            source,
            selector: None,
            captures: vec![0, 1],
            min: None,
            max: None,
            chooser: fun.chooser.map_or(Chooser::Controller, Chooser::Player),
            target: false,
            optional: fun.may_depth > 0,
            public: true,
            candidate_type: Type::Objects,
            divides: false,
            own: false,
            verb: fun.verb,
            sentence: fun.sentence,
            conditional: fun.condition_depth > 0,
            announceable: false,
            after_cost: false,
            dst,
            modes: None,
            mode: fun.mode,
        }
    }

    /// Adds a choice site to the library, and decides whether it can be chosen on announcement.
    pub fn add_site(&mut self, mut site: ChoiceSite) -> ChoiceSiteId {
        let id = ChoiceSiteId(self.library.sites.len() as u32);
        self.choice_spans.insert(id.0, self.choice_span);
        let fun = self.fun();
        let known = site.captures.iter().all(|reg| fun.known_on_announcement.contains(reg));
        let chooser = match site.chooser {
            Chooser::Controller => true,
            Chooser::Player(reg) => fun.known_on_announcement.contains(&reg),
        };
        site.announceable = known && chooser && fun.loop_depth == 0 && (fun.condition_depth == 0 || site.target);
        if site.target && !site.announceable && !site.after_cost {
            let in_loop = fun.loop_depth > 0;
            if let Chooser::Player(_) = site.chooser {
                self.report_target_of_other_player();
            } else {
                self.report_unannounceable_target(in_loop);
            }
        }
        let fun = self.fun();
        if site.announceable {
            fun.known_on_announcement.insert(site.dst);
        }
        site.after_cost = site.captures.iter().any(|reg| fun.cost_results.contains(reg));
        fun.sites.push(id);
        self.library.sites.push(site);
        id
    }

    /// How to write a choice that stands in pure code: in a statement before, if the pure code is a part of statements.
    fn help_for_inner_choice(&self, text: &str) -> String {
        let is_in_statements = self.funs.iter().rev().find(|fun| !(fun.is_pure && fun.is_child)).is_some_and(|fun| !fun.is_pure);
        if is_in_statements {
            format!("choose before: `let chosen = {text};`, then write `chosen` here")
        } else {
            "test existence with `some …`, all with `each …`, or a number with `count of …`".to_owned()
        }
    }

    /// Reports a `target` that a player chooses who is not the controller of the text.
    fn report_target_of_other_player(&mut self) {
        let text = self.sources.slice(self.choice_span).to_owned();
        let rest = text.split_once("target ").map(|(before, rest)| (before.trim_end().to_owned(), rest.to_owned()));
        let plain = match rest {
            Some((before, rest)) if before.is_empty() => format!("1 {rest}"),
            Some((before, rest)) => format!("{before} {rest}"),
            None => text,
        };
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = "targets are chosen by the controller of the text, not by another player";
        let problem = Diagnostic::new(&codes::TARGET_NOT_ANNOUNCED, self.choice_span, message);
        self.report(problem.help(format!("let the player choose on resolution, without `target`: `{plain}`")));
    }

    /// Reports a `target` that no player could choose on announcement.
    fn report_unannounceable_target(&mut self, in_loop: bool) {
        let (reason, help) = if in_loop {
            (
                "a loop has run",
                "write a number before `target`, as in `2 target …`, or leave `target` out: the choice is then made on resolution",
            )
        } else {
            ("earlier statements have run", "leave `target` out: the choice is then made on resolution")
        };
        self.report(
            Diagnostic::new(
                &codes::TARGET_NOT_ANNOUNCED,
                self.choice_span,
                format!("a target is chosen on announcement, but this choice is not known until {reason}"),
            )
            .help(help),
        );
    }

    /// Lowers `divide 3 among them, at least 1 each as share`.
    pub fn divide(&mut self, divided: &'a fizzle_grammar::ast::Division, span: Span) {
        if self.fun().is_pure {
            self.error(&codes::CHOICE_IN_EXPRESSION, span, "no player can choose here");
            return;
        }
        self.begin_child(true, None);
        let list = self.list_of(&divided.among);
        let of = match list.ty {
            Some(ty) if ty.element().is_some() => ty,
            _ => Type::Objects,
        };
        self.emit(Op::Return { value: Some(list.reg) });
        self.fun().result = Some(of);
        let mut selector = self.end_child();
        let is_among_targets = self.reads_target(&FunctionBuilder::captured_registers(&[&selector]));
        self.rematerialize(&mut selector, is_among_targets);
        let total = self.count_child(&divided.amount, is_among_targets);
        let least = divided.min_each.as_ref().map(|least| self.count_child(least, is_among_targets));
        let mut children = vec![&selector, &total];
        children.extend(least.iter());
        let outer = FunctionBuilder::captured_registers(&children);
        // A division among targets is announced together with them (CR 601.2d).
        let target = self.reads_target(&outer);
        let selector = self.close(selector, &outer);
        let total = self.close(total, &outer);
        let least = least.map(|least| self.close(least, &outer));
        let dst = self.reg(Type::Shares);
        let mut site = self.new_site(span, dst);
        site.selector = Some(selector);
        site.captures = [0, 1].into_iter().chain(outer).collect();
        site.min = least;
        site.max = Some(total);
        site.candidate_type = of;
        site.target = target;
        site.divides = true;
        let site = self.add_site(site);
        self.emit(Op::Divide { dst, site });
        self.bind(&divided.name, Some(Type::Shares), super::function_builder::Binding::Reg(dst));
    }

    /// Whether the result of a choice of targets of this function is among registers.
    fn reads_target(&mut self, registers: &[Reg]) -> bool {
        let sites = self.fun().sites.clone();
        let targets = sites.iter().filter_map(|site| self.library.sites.get(site.index())).filter(|site| site.target);
        targets.map(|site| site.dst).any(|dst| registers.contains(&dst))
    }

    /// Reports randomness in pure code. Returns whether the code is pure.
    fn report_chance_if_pure(&mut self, span: Span) -> bool {
        let pure = self.fun().is_pure;
        if pure {
            self.report(
                Diagnostic::new(&codes::CHOICE_IN_EXPRESSION, span, "a random value cannot be used in an expression")
                    .help("bind it in a statement: `let x = random 1 …`"),
            );
        }
        pure
    }

    /// Lowers `random 1 to 6`.
    pub fn random_number(&mut self, from: &'a Expr, to: &'a Expr, span: Span) -> TypedRegister {
        if self.report_chance_if_pure(span) {
            return self.error_value();
        }
        if let (Some(least), Some(most)) = (self.constant_value(from, Type::Number), self.constant_value(to, Type::Number))
            && most < least
        {
            self.report(
                Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("there is no number from {least} to {most}"))
                    .help(format!("the smaller number comes first: `random {most} to {least}`")),
            );
        }
        let (min, max) = (self.number(from), self.number(to));
        let dst = self.reg(Type::Number);
        self.emit(Op::RandomNumber { dst, min, max });
        TypedRegister::new(dst, Type::Number)
    }

    /// Lowers `random 2 card in your hand`.
    pub fn random(&mut self, phrase: &'a Phrase, count: &'a Expr, span: Span) -> TypedRegister {
        self.report_negative_count(count);
        if self.report_chance_if_pure(span) {
            return self.error_value();
        }
        let Some(selection) = self.selection(phrase, span) else { return self.error_value() };
        let list = self.candidates(&selection);
        let one = self.constant_value(count, Type::Number) == Some(1);
        let count = self.number(count);
        let dst = self.reg(selection.list_type());
        self.emit(Op::Random { dst, list, count });
        if one { self.single_element(dst, selection.single_type()) } else { TypedRegister::new(dst, selection.list_type()) }
    }

    /// Returns the code of a declared function, which is lowered at its first use. `None` if it calls itself or exceeds a limit; that was
    /// reported.
    ///
    /// If the stack is deep already, the functions that it calls are lowered before it, so that their depths do not add up.
    pub fn declared_function(&mut self, name: &Name) -> Option<FnId> {
        if let Some(known) = self.declared_functions.get(&name.text) {
            return Some(*known);
        }
        let names = self.names;
        let number = names.functions.get_index_of(&name.text)? as u32;
        // each entry: a function, and the number of functions that it calls and that are lowered
        let mut open = vec![(number, 0)];
        while let Some((number, lowered)) = open.last_mut() {
            let callees = match names.dependencies.functions.get(*number as usize) {
                Some(callees) if self.stack_depth >= DEEP_STACK => callees.as_slice(),
                _ => &[],
            };
            let Some(next) = callees.get(*lowered).copied() else {
                let number = *number;
                open.pop();
                self.lower_function(number);
                continue;
            };
            *lowered += 1;
            let is_lowered = |(name, _): (&smol_str::SmolStr, _)| self.declared_functions.contains_key(name);
            let is_refused = names.dependencies.refused_functions.contains(&next);
            if !is_refused && !names.functions.get_index(next as usize).is_none_or(is_lowered) {
                open.push((next, 0));
            }
        }
        self.declared_functions.get(&name.text).copied()
    }

    /// Lowers a function. The functions that it calls are lowered already.
    fn lower_function(&mut self, number: u32) {
        let Some((name, function)) = self.names.functions.get_index(number as usize) else { return };
        if self.names.dependencies.refused_functions.contains(&number) {
            return;
        }
        let (params, result, body) = (function.params.clone(), function.result, function.body);
        let funs = std::mem::take(&mut self.funs);
        let hidden_depth = std::mem::take(&mut self.hidden_locals_depth);
        let depth = std::mem::take(&mut self.depth);
        let owner = std::mem::replace(&mut self.owner, Owner::new(format!("function {name}")));
        let at = self.at;
        self.begin(true, result, &params);
        let ty = result.unwrap_or(Type::Number);
        let value = if ty.is_list() && ty != Type::Price { self.list_of(body) } else { self.expr(body, Some(ty)) };
        let value = self.coerce(value, ty, body.span);
        self.emit(Op::Return { value: Some(value) });
        let id = self.end();
        self.at = at;
        self.owner = owner;
        self.depth = depth;
        self.hidden_locals_depth = hidden_depth;
        self.funs = funs;
        self.declared_functions.insert(name.clone(), id);
    }

    /// Resolves the target of an assignment: the place (a status or variable), its type, its owner, and its key if it has one number per
    /// word.
    pub fn place(&mut self, expr: &'a Expr) -> Option<(Place, Type, TypedRegister, Option<Reg>)> {
        use crate::names::Meaning;
        use fizzle_grammar::ast::Head;
        let phrase = as_phrase(expr)?;
        if let Head::Call { name, args } = &phrase.head
            && self.has_keys(&name.text)
        {
            return self.keyed_target(expr, phrase, name, args);
        }
        let (name, owner) = match &phrase.head {
            Head::Word(name) => {
                let (of, rest) = self.conditions(true, &phrase.filters);
                if !rest.is_empty() {
                    return self.not_assignable(expr);
                }
                let owner = of.as_ref().map(|of| self.atom(of, None));
                (name, owner)
            }
            Head::Possessive { owner, word } if phrase.filters.is_empty() => {
                let value = self.expr(owner, None);
                (word, Some(value))
            }
            _ => return self.not_assignable(expr),
        };
        if owner.is_some_and(|owner| owner.ty.is_none()) {
            return None;
        }
        let wanted = owner.and_then(|owner| owner.ty);
        if let ("face", Some(owner)) = (name.text.as_str(), owner.filter(|_| wanted == Some(Type::Object))) {
            return Some((Place::Face, Type::Number, owner, None));
        }
        if let (Some((place, _)), Some(owner)) = (wanted.and_then(|ty| self.keyed_place(&name.text, ty)), owner) {
            let all = self.constant(0, Type::Number);
            return Some((place, Type::Number, owner, Some(all)));
        }
        for meaning in self.names.meanings(&name.text) {
            let (place, ty) = match (*meaning, wanted) {
                (Meaning::Status(n), Some(Type::Object | Type::Objects)) => {
                    (Place::Status(n), self.names.types[1].get(usize::from(n)))
                }
                (Meaning::Player(n), Some(Type::Player | Type::Players)) => {
                    (Place::Player(n), self.names.types[2].get(usize::from(n)))
                }
                (Meaning::Global(n), None) => (Place::Global(n), self.names.types[3].get(usize::from(n))),
                _ => continue,
            };
            let owner = owner.unwrap_or(TypedRegister::new(0, Type::Object));
            return Some((place, ty.copied().unwrap_or(Type::Number), owner, None));
        }
        if self.names.meanings(&name.text).is_empty() && self.local_type(&name.text).is_none() {
            if crate::names::FACTS.contains(&name.text.as_str()) && owner.is_some() {
                return self.not_assignable(expr);
            }
            self.report_unknown_word(name);
            return None;
        }
        if wanted == Some(Type::Thing) {
            let span = phrase.filters.first().map_or(expr.span, |post| post.span);
            let text = self.sources.slice(span).trim_start_matches("of ").to_owned();
            let problem =
                Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("a thing (an object or a player) has no `{}`", name.text));
            self.report(problem.help(super::expr::thing_help(&text)));
            return None;
        }
        let needs =
            self.names.meanings(&name.text).iter().any(|meaning| matches!(meaning, Meaning::Status(_) | Meaning::Player(_)));
        if needs && owner.is_none() {
            let problem = Diagnostic::new(&codes::MISSING_OWNER, expr.span, format!("`{}` needs an owner", name.text));
            let of_player = self.names.meanings(&name.text).iter().any(|meaning| matches!(meaning, Meaning::Player(_)));
            let example = if of_player { "you" } else { "this" };
            self.report(
                problem
                    .help(format!("write whose it is: `{0} of {example} = …`", name.text))
                    .help(format!("a new value is bound with `let` to another name: `let my_{} = …`", name.text)),
            );
            return None;
        }
        self.not_assignable(expr)
    }

    /// Resolves `counters(charge) of it` as the target of an assignment.
    fn keyed_target(
        &mut self,
        expr: &'a Expr,
        phrase: &'a fizzle_grammar::ast::Phrase,
        name: &'a fizzle_grammar::ast::Name,
        args: &'a [Expr],
    ) -> Option<(Place, Type, TypedRegister, Option<Reg>)> {
        let (of, rest) = self.conditions(true, &phrase.filters);
        let Some(of) = of.filter(|_| rest.is_empty() && phrase.quantifier.is_none()) else {
            self.report(
                Diagnostic::new(&codes::MISSING_OWNER, expr.span, format!("`{}` needs an owner", name.text))
                    .help(format!("write `{}(WORD) of NAME`", name.text)),
            );
            return None;
        };
        let owner = self.atom(&of, None);
        let Some((place, traits)) = self.keyed_place(&name.text, owner.ty?) else { return self.not_assignable(expr) };
        let key = self.key(name, args, traits, expr.span)?;
        Some((place, Type::Number, owner, Some(key)))
    }

    fn not_assignable<T>(&mut self, expr: &Expr) -> Option<T> {
        let text = self.sources.slice(expr.span).to_owned();
        let word = text.split([' ', '(']).next().unwrap_or("");
        let local = self.local_type(word).is_some();
        let help = match self.names.meanings(word).first() {
            _ if local => {
                "a name bound by `let` cannot be assigned again; bind the new value to another name: `let other = …`".to_owned()
            }
            Some(crate::names::Meaning::Player(_)) => {
                format!("`{word}` belongs to players: `{word} of you`, `{word} of controller of X`")
            }
            Some(crate::names::Meaning::Status(_)) => format!("`{word}` belongs to objects: `{word} of this`"),
            Some(crate::names::Meaning::Property(_)) => {
                format!("a property is printed; it changes by `X gets {word} = …` or `X gets +1 {word}`")
            }
            None if word == "zone" => "move an object by a verb: `put X into ZONE`".to_owned(),
            None if word == "controller" => "change the controller by an effect: `X gets controller = PLAYER`".to_owned(),
            None if crate::names::FACTS.contains(&word) => format!("the {word} of an object cannot change"),
            _ => "statuses and variables can be assigned; properties change by `gets`, zones by `put`".to_owned(),
        };
        self.report(Diagnostic::new(&codes::NOT_ASSIGNABLE, expr.span, format!("`{text}` cannot be assigned")).help(help));
        None
    }
}
