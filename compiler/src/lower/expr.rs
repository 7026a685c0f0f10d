//! Lowers expressions, with aggregates such as `count of` and `sum of`, to values in registers, checks and converts their types, and reports unknown names.

use super::usage_hints::is_quantified_choice;
use super::word_value::{NOTHING, quoted_list};
use super::{Lowering, TypedRegister};
use crate::card_scopes::{CardMeaning, CardScopes};
use crate::diagnostics::render::MAX_QUOTED_CHARS;
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::{Atom, AtomHead, alternatives, as_phrase, bare_word};
use crate::shorthand::enumerations;
use fizzle_grammar::ast::{Aggregate, BinaryOp, Expr, ExprKind, Name, PhraseFilterKind, Span};
use fizzle_ir::op::{Binary, FoldKind, Place};
use fizzle_ir::verbs::BUILTINS;
use fizzle_ir::{Op, Reg, Type};

/// For an aggregate whose last `with` has taken a comparison (`count of X with Y == 2`): returns that comparison.
fn condition_taken_by_with(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Aggregate { over, .. } = &expr.kind else { return None };
    let PhraseFilterKind::With(condition) = &as_phrase(over)?.filters.last()?.kind else { return None };
    let compares = matches!(
        condition.kind,
        ExprKind::Binary {
            op: BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual,
            ..
        }
    );
    compares.then_some(condition)
}

impl<'a> Lowering<'a> {
    /// Lowers an expression. The expected type selects between the meanings of a word; it is not checked: see [`Lowering::coerce`].
    pub fn expr(&mut self, expr: &'a Expr, want: Option<Type>) -> TypedRegister {
        let before = self.at;
        self.at = expr.span;
        let value = self.nested(|lower| lower.expr_inner(expr, want));
        let value = value.unwrap_or_else(|| self.error_value());
        self.at = before;
        value
    }

    fn expr_inner(&mut self, expr: &'a Expr, want: Option<Type>) -> TypedRegister {
        match &expr.kind {
            ExprKind::Binary { op, left, right } => self.binary_expr(*op, left, right, want),
            ExprKind::Not(inner) => {
                let holds = self.bool(inner);
                TypedRegister::new(self.negate(holds), Type::Bool)
            }
            ExprKind::Negative(inner) if self.report_negative_noun(expr, inner) => self.error_value(),
            ExprKind::Negative(inner) => {
                let number = self.number(inner);
                let zero = self.constant(0, Type::Number);
                TypedRegister::new(self.binary(Binary::Subtract, zero, number, Type::Number), Type::Number)
            }
            ExprKind::Is { left, right, negated } if self.report_turn_condition(left, right, *negated) => self.error_value(),
            ExprKind::Is { left, right, negated } => {
                let value = self.expr(left, None);
                let holds = match self.zone_kind_word(left, right) {
                    Some(kind) => self.equals_number(value, kind),
                    None => self.predicate(value, right),
                };
                TypedRegister::new(if *negated { self.negate(holds) } else { holds }, Type::Bool)
            }
            ExprKind::Has { left, word } if self.report_end_of_game(left, word) => self.error_value(),
            ExprKind::Has { left, word } => {
                let left = self.expr(left, Some(Type::Object));
                let left = self.as_it_left(left);
                let of = self.coerce(left, Type::Object, expr.span);
                match self.word_constraint(word) {
                    Some(test) => TypedRegister::new(self.check_constraint(&test, of, Type::Object), Type::Bool),
                    None => self.error_value(),
                }
            }
            ExprKind::Shares { left, traits, right } => {
                let [a, b] = [left, right].map(|side| {
                    let value = self.expr(side, Some(Type::Object));
                    let value = self.as_it_left(value);
                    self.coerce(value, Type::Object, side.span)
                });
                let Some(id) = self.names.traits_id(&traits.text) else {
                    let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
                    let message = format!("no traits item is called `{}`", traits.text);
                    self.report(Diagnostic::new(&codes::UNKNOWN_NAME, traits.span, message).did_you_mean(&traits.text, known));
                    return self.error_value();
                };
                let dst = self.reg(Type::Bool);
                self.emit(Op::HasCommonWord { dst, a, b, traits: id });
                TypedRegister::new(dst, Type::Bool)
            }
            ExprKind::Can { left, passive, verb, object } => self.can(left, *passive, verb, object.as_deref()),
            ExprKind::If { condition, then, otherwise } => {
                let (yes, no) = self.narrowings(condition);
                let cond = self.bool(condition);
                let other = self.jump_unless(cond);
                let then_value = self.with_narrowed(&yes, |lower| lower.expr(then, want));
                let ty = then_value.ty.or(want).unwrap_or(Type::Number);
                let dst = self.reg(ty);
                self.emit(Op::Copy { dst, src: then_value.reg });
                let done = self.jump();
                self.patch_jump(other);
                let value = self.with_narrowed(&no, |lower| lower.expr(otherwise, Some(ty)));
                let src = self.coerce(value, ty, otherwise.span);
                self.emit(Op::Copy { dst, src });
                self.patch_jump(done);
                TypedRegister { reg: dst, ty: then_value.ty.and(value.ty), list: None, is_moved: false }
            }
            ExprKind::Aggregate { kind, property, over } => self.aggregate(*kind, property.as_ref(), over, expr.span),
            ExprKind::RandomNumber { from, to } => self.random_number(from, to, expr.span),
            ExprKind::Phrase(phrase) => self.phrase(phrase, expr.span, want),
        }
    }

    fn binary_expr(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr, want: Option<Type>) -> TypedRegister {
        let arithmetic = |op| match op {
            BinaryOp::Add => Some(Binary::Add),
            BinaryOp::Subtract => Some(Binary::Subtract),
            BinaryOp::Multiply => Some(Binary::Multiply),
            BinaryOp::DivideDown => Some(Binary::DivideDown),
            BinaryOp::DivideUp => Some(Binary::DivideUp),
            _ => None,
        };
        match op {
            _ if self.report_filter_of_number(left, right) => self.error_value(),
            BinaryOp::Or if is_quantified_choice(left) => {
                let parts = alternatives(left).into_iter().chain(alternatives(right)).collect::<Vec<_>>();
                self.report_split_choice(&parts);
                self.error_value()
            }
            BinaryOp::Or if want == Some(Type::Zone) => {
                self.report_several_zones(left, right);
                self.error_value()
            }
            BinaryOp::And | BinaryOp::Or => {
                let (yes, no) = self.narrowings(left);
                let left = self.bool(left);
                let known = if op == BinaryOp::And { yes } else { no };
                let holds =
                    self.short_circuit(op == BinaryOp::And, left, |lower| lower.with_narrowed(&known, |lower| lower.bool(right)));
                TypedRegister::new(holds, Type::Bool)
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let (left, right) = if self.is_nothing(left) { (right, left) } else { (left, right) };
                let left = self.expr(left, None);
                let holds = self.equals(left, right);
                TypedRegister::new(if op == BinaryOp::NotEqual { self.negate(holds) } else { holds }, Type::Bool)
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                if self.report_compared_prices(left, right) {
                    return self.error_value();
                }
                let (a, b) = (self.number(left), self.number(right));
                let (op, a, b) = match op {
                    BinaryOp::Less => (Binary::Less, a, b),
                    BinaryOp::LessEqual => (Binary::LessEqual, a, b),
                    BinaryOp::Greater => (Binary::Less, b, a),
                    _ => (Binary::LessEqual, b, a),
                };
                TypedRegister::new(self.binary(op, a, b, Type::Bool), Type::Bool)
            }
            BinaryOp::Add if want == Some(Type::Price) || self.guess(left) == Some(Type::Price) => {
                let a = self.expr(left, Some(Type::Price));
                let a = self.coerce(a, Type::Price, left.span);
                let b = self.expr(right, Some(Type::Price));
                let b = self.coerce(b, Type::Price, right.span);
                self.builtin("plus", vec![a, b])
            }
            BinaryOp::Subtract if want == Some(Type::Price) || self.guess(left) == Some(Type::Price) => {
                let a = self.expr(left, Some(Type::Price));
                let a = self.coerce(a, Type::Price, left.span);
                let b = self.number(right);
                self.builtin("reduced", vec![a, b])
            }
            BinaryOp::Add if self.guess(left).is_some_and(Type::is_list) => {
                let (a, b) = (self.list_of(left), self.list_of(right));
                let ty = a.ty.unwrap_or(Type::Objects);
                let dst = self.reg(ty);
                self.emit(Op::Union { dst, a: a.reg, b: b.reg });
                TypedRegister::new(dst, ty)
            }
            BinaryOp::Subtract if self.guess(left).is_some_and(Type::is_list) => {
                let (a, b) = (self.list_of(left), self.list_of(right));
                let ty = a.ty.unwrap_or(Type::Objects);
                let dst = self.reg(ty);
                self.emit(Op::Except { dst, a: a.reg, b: b.reg });
                TypedRegister::new(dst, ty)
            }
            _ => {
                let (a, b) = (self.number(left), self.number(right));
                let op = arithmetic(op).unwrap_or(Binary::Add);
                TypedRegister::new(self.binary(op, a, b, Type::Number), Type::Number)
            }
        }
    }

    /// Emits a call of a built-in function. The arguments must have the types of its parameters.
    pub fn builtin(&mut self, name: &str, args: Vec<Reg>) -> TypedRegister {
        let Some((index, row)) = BUILTINS.iter().enumerate().find(|(_, row)| row.name == name) else { return self.error_value() };
        let dst = self.reg(row.result);
        self.emit(Op::Builtin { dst, builtin: index as u16, args });
        TypedRegister::new(dst, row.result)
    }

    /// Lowers an expression as a bool.
    pub fn bool(&mut self, expr: &'a Expr) -> Reg {
        if self.report_condition_taken_by_with(expr) {
            return self.error_value().reg;
        }
        self.lint_condition(expr);
        let value = self.expr(expr, Some(Type::Bool));
        self.coerce(value, Type::Bool, expr.span)
    }

    /// Reports `count of X with Y == 2` in the place of a condition: `with` has taken the comparison.
    pub fn report_condition_taken_by_with(&mut self, expr: &Expr) -> bool {
        let Some(condition) = condition_taken_by_with(expr) else { return false };
        let text = |span| self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let (whole, taken) = (text(expr.span), text(condition.span));
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, format!("`{whole}` is a number, not a condition"))
            .also(condition.span, format!("`with` reads all of `{taken}` as its condition"))
            .help(match parenthesized_count(&whole, &taken) {
                Some(written) => format!("put the counted selection in parentheses: `{written}`"),
                None => "put the counted selection in parentheses: `count of (X with Y) == 2`".to_owned(),
            });
        self.report(problem);
        true
    }

    /// Lowers an expression as a number.
    pub fn number(&mut self, expr: &'a Expr) -> Reg {
        let value = self.expr(expr, Some(Type::Number));
        self.coerce(value, Type::Number, expr.span)
    }

    /// Lowers an expression as an object.
    pub fn object(&mut self, expr: &'a Expr) -> Reg {
        let value = self.expr(expr, Some(Type::Object));
        self.coerce(value, Type::Object, expr.span)
    }

    /// Lowers an expression as a player.
    pub fn player(&mut self, expr: &'a Expr) -> Reg {
        let value = self.expr(expr, Some(Type::Player));
        self.coerce(value, Type::Player, expr.span)
    }

    /// Checks that a value has a type, or converts it. Reports a type mismatch if there is no implicit conversion.
    ///
    /// Implicit conversions: number to price (generic units); object or player to thing; a single value to a list of one; object to its card;
    /// object, thing or list to bool (it exists; the list is not empty); between word sets and numbers.
    pub fn coerce(&mut self, value: TypedRegister, ty: Type, span: Span) -> Reg {
        let Some(found) = value.ty else { return value.reg };
        if found == ty {
            return value.reg;
        }
        match (found, ty) {
            (Type::Words(_), Type::Number) | (Type::Number | Type::Bool, Type::Words(_)) => value.reg,
            (Type::Number, Type::Price) => self.builtin("generic", vec![value.reg]).reg,
            (Type::Object | Type::Player, Type::Thing) | (Type::Objects | Type::Players, Type::Things) => {
                self.cast(value.reg, ty)
            }
            (Type::Object | Type::Player, Type::Things) => {
                let thing = self.cast(value.reg, Type::Thing);
                let dst = self.reg(ty);
                self.emit(Op::MakeList { dst, items: vec![thing] });
                dst
            }
            (Type::Object, Type::Objects) | (Type::Player, Type::Players) | (Type::Thing, Type::Things) => {
                if let Some(list) = value.list {
                    return list;
                }
                let dst = self.reg(ty);
                self.emit(Op::MakeList { dst, items: vec![value.reg] });
                dst
            }
            (Type::Object, Type::Card) => {
                let value = self.as_it_left(value);
                let dst = self.reg(Type::Card);
                self.emit(Op::Get { dst, place: Place::Definition, of: value.reg });
                dst
            }
            (Type::Object | Type::Thing, Type::Bool) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::Exists { dst, of: value.reg });
                dst
            }
            (Type::Objects | Type::Players | Type::Things, Type::Bool) => {
                let count = self.reg(Type::Number);
                self.emit(Op::Count { dst: count, list: value.reg });
                let zero = self.constant(0, Type::Number);
                self.binary(Binary::Less, zero, count, Type::Bool)
            }
            _ => {
                let text = self.sources.slice(span).to_owned();
                let (found, wanted) = (self.a_type(found), self.a_type(ty));
                let mut problem =
                    Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("{wanted} is needed here, but `{text}` is {found}"))
                        .label(format!("this is {found}"));
                if value.ty == Some(Type::Thing) {
                    problem = problem.help(thing_help(&text));
                }
                if let Some(words) = self.listed_words(ty) {
                    problem = problem.help(format!("write one of its words: {}", quoted_list(words)));
                }
                if let Some(help) = self.help_for_outer_candidate(ty, span) {
                    problem = problem.help(help);
                } else if value.ty == Some(Type::Object) && self.text_before(span).ends_with("exists(") {
                    problem = problem.help(format!("whether there is an object is tested by `{text} != nothing`"));
                } else if let Some(help) = conversion_help(value.ty, ty, &text) {
                    problem = problem.help(help);
                }
                if matches!((value.ty, ty), (Some(Type::Objects), Type::Object) | (Some(Type::Players), Type::Player)) {
                    problem = problem.help("choose one of them, or write it for each: `for each x in … { … }`");
                }
                self.report(problem);
                value.reg
            }
        }
    }

    /// For `candidate` in a selection within the conditions of a selection of players: how the player is named there.
    fn help_for_outer_candidate(&self, wanted: Type, span: Span) -> Option<String> {
        if wanted != Type::Player || self.sources.slice(span) != "candidate" {
            return None;
        }
        let outer = self.funs.iter().rev().filter_map(|fun| fun.candidate).find(|candidate| candidate.ty != Type::Object)?;
        let before = self.text_before(span);
        let from = ["count of ", "sum of ", "highest ", "lowest "].into_iter().filter_map(|word| before.rfind(word)).max()?;
        let number = before.get(from..).filter(|number| outer.ty == Type::Player && !number.contains(['\n', '{', '(']))?;
        Some(format!(
            "in a selection within another one `candidate` is of the inner one; declare the number outside of the card, \
             `function number_of(who: player): number = {number}who`, and write `number_of(candidate)`"
        ))
    }

    /// Converts between object, player and thing, or between lists of them. A thing of the other kind becomes a missing object or player;
    /// a list drops it.
    pub fn cast(&mut self, src: Reg, ty: Type) -> Reg {
        let dst = self.reg(ty);
        self.emit(Op::Cast { dst, src });
        self.copy_chooser(dst, src);
        dst
    }

    /// Returns the name of a type with its article, for messages.
    #[must_use]
    pub fn a_type(&self, ty: Type) -> String {
        let name = self.type_name(ty);
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {name}")
    }

    /// Returns the name of a type, for messages.
    #[must_use]
    pub fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Number => "number".to_owned(),
            Type::Bool => "condition".to_owned(),
            Type::Player => "player".to_owned(),
            Type::Object => "object".to_owned(),
            Type::Zone => "zone".to_owned(),
            Type::Card => "card name".to_owned(),
            Type::Words(traits) => self
                .names
                .traits
                .get(traits.index())
                .map_or_else(|| "word".to_owned(), |set| format!("set of {} words", set.name)),
            Type::Word(traits) => self.names.traits.get(traits.index()).map_or_else(
                || "word".to_owned(),
                |set| match &set.words {
                    Some(words) if enumerations::is_of_variable(&set.name) => format!("word ({})", words.join(", ")),
                    _ => format!("word of {}", set.name),
                },
            ),
            Type::Objects => "list of objects".to_owned(),
            Type::Players => "list of players".to_owned(),
            Type::Price => "price".to_owned(),
            Type::Period => "phase or step".to_owned(),
            Type::Thing => "thing, an object or a player".to_owned(),
            Type::Things => "list of things".to_owned(),
            Type::Shares => "division".to_owned(),
        }
    }

    /// Lowers an atom.
    pub fn atom(&mut self, atom: &Atom<'a>, want: Option<Type>) -> TypedRegister {
        let before = self.at;
        self.at = atom.span();
        let value = match (&atom.of, atom.word(), atom.head) {
            (Some(of), Some(word), _) => {
                let owner = self.atom(of, None);
                self.fact_of(word, owner, of.span(), want)
            }
            (Some(of), None, AtomHead::Expr(expr)) => match self.keyed_call(expr) {
                Some((name, args)) => {
                    let owner = self.atom(of, None);
                    self.keyed_value(name, args, Some((owner, of.span())), expr.span)
                }
                None => self.expr(expr, want),
            },
            (_, _, AtomHead::Expr(expr)) => self.expr(expr, want),
            (_, _, AtomHead::Word(name)) => self.word(name, None, want, name.span),
        };
        self.at = before;
        value
    }

    /// Lowers an expression as a list of objects, players or things. A bare noun is the list of all that it selects.
    pub fn list_of(&mut self, expr: &'a Expr) -> TypedRegister {
        if let ExprKind::Binary { op: BinaryOp::Or, .. } = &expr.kind
            && self.is_noun_like(expr)
        {
            let mut selection = super::selection::Selection::default();
            match self.select_alternatives(expr, &mut selection) {
                Some(true) => {}
                Some(false) => selection.constraints.push(super::selection::Constraint::Is(expr, false)),
                None => return self.error_value(),
            }
            return TypedRegister::new(self.candidates(&selection), Type::Objects);
        }
        if let Some(phrase) = as_phrase(expr)
            && self.selects(phrase)
        {
            let before = self.at;
            self.at = expr.span;
            let Some(selection) = self.selection(phrase, expr.span) else { return self.error_value() };
            let (list, is_moved) = self.selected(&selection);
            self.at = before;
            return TypedRegister { is_moved, ..TypedRegister::new(list, selection.list_type()) };
        }
        let value = self.expr(expr, Some(Type::Objects));
        match value.ty {
            None | Some(Type::Objects | Type::Players | Type::Things) => value,
            Some(Type::Player) => TypedRegister::new(self.coerce(value, Type::Players, expr.span), Type::Players),
            Some(Type::Thing) => TypedRegister::new(self.coerce(value, Type::Things, expr.span), Type::Things),
            Some(Type::Zone) => {
                let dst = self.reg(Type::Objects);
                self.emit(Op::ZoneList { dst, zone: value.reg });
                TypedRegister::new(dst, Type::Objects)
            }
            _ => {
                let list = TypedRegister::new(self.coerce(value, Type::Objects, expr.span), Type::Objects);
                TypedRegister { is_moved: value.is_moved, ..list }
            }
        }
    }

    fn aggregate(&mut self, kind: Aggregate, property: Option<&'a Name>, over: &'a Expr, span: Span) -> TypedRegister {
        let list = self.list_of(over);
        let dst = self.reg(Type::Number);
        let how = match kind {
            Aggregate::Count => {
                self.emit(Op::Count { dst, list: list.reg });
                return TypedRegister::new(dst, Type::Number);
            }
            Aggregate::Sum => FoldKind::Sum,
            Aggregate::Highest => FoldKind::Highest,
            Aggregate::Lowest => FoldKind::Lowest,
        };
        let Some(property) = property else {
            self.error(&codes::MISPLACED_FORM, span, "this needs a property: `sum of PROPERTY of …`");
            return self.error_value();
        };
        let (value, captures) = self.value_of_each(property, list.ty.unwrap_or(Type::Objects), list.is_moved);
        self.emit(Op::Fold { dst, list: list.reg, how, value, captures });
        TypedRegister::new(dst, Type::Number)
    }

    /// Reports a word without a meaning, and suggests similar names.
    pub fn report_unknown_word(&mut self, name: &Name) {
        self.report_unknown_value(name, None);
    }

    /// Reports a word without a meaning where a value of a type is expected, and suggests similar names.
    pub fn report_unknown_value(&mut self, name: &Name, want: Option<Type>) {
        // a copy: `self` is borrowed below. Thousands of names are not compared with each unknown word.
        let locals: Vec<smol_str::SmolStr> =
            self.funs.iter().rev().flat_map(|fun| fun.locals.iter().rev()).take(256).map(|local| local.name.clone()).collect();
        let names = self.names;
        let words = names.words.keys().map(smol_str::SmolStr::as_str);
        let built_in = ["this", "it", "you", "opponent", "active", "players", "candidate", "card", "object", "player", NOTHING];
        let functions = names.functions.keys().map(smol_str::SmolStr::as_str).chain(BUILTINS.iter().map(|row| row.name));
        let spans = names.periods.keys().map(|path| path.rsplit('.').next().unwrap_or(path));
        let known = locals.iter().rev().map(smol_str::SmolStr::as_str).chain(words).chain(built_in).chain(functions).chain(spans);
        let mut problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("nothing is called `{}`", name.text))
            .did_you_mean(&name.text, known);
        if let Some(help) = crate::diagnostics::word_suggestions::word_suggestion(&name.text) {
            problem.help = vec![self.suggest_without_article(name).unwrap_or(help)];
        }
        if let Some(help) = self.suggest_negation(name) {
            (problem.help, problem.fixes) = (vec![help], Vec::new());
        }
        if let Some(help) = self.suggest_for_quoted(name).filter(|_| problem.help.is_empty()) {
            problem = problem.help(help);
        }
        if let Some(written) = self.suggest_of(name) {
            (problem.help, problem.fixes) = (Vec::new(), Vec::new());
            problem = problem.help(format!("write whose it is with `of`: `{written}`")).fix(name.text.as_str(), written);
        }
        if let Some(help) = self.suggest_let(name) {
            (problem.help, problem.fixes) = (vec![help], Vec::new());
        }
        if self.chosen_number_for(&name.text).is_some() {
            problem.help = vec![self.describe_count(&name.text)];
        }
        if let Some((help, named)) = self.suggest_longer_scope(name) {
            (problem.help, problem.fixes) = (vec![help], Vec::new());
            problem = problem.also(named, "named here");
        }
        if let Some(help) = self.suggest_kept_name(name) {
            (problem.help, problem.fixes) = (vec![help], Vec::new());
        }
        let of_card = self.owner.name.strip_prefix("card ").map(|name| name.trim_matches('"'));
        if problem.help.is_empty()
            && name.text.starts_with(char::is_uppercase)
            && of_card.is_some_and(|card| card.split(|c: char| !c.is_alphanumeric()).any(|part| part == name.text))
        {
            problem = problem.help("a card refers to itself as `this`");
        }
        if let Some(help) = self.suggest_quotes(name).filter(|_| problem.help.is_empty()) {
            problem = problem.help(help);
        }
        if let Some(set) = self.closed_set(want) {
            problem = problem.or_help(format!("declare it as a word of the set: `traits {set} adds {{ {} }}`", name.text));
        }
        self.report(problem.or_help("declare it in a pack of the game, or bind it with `let` or `as` before"));
    }

    /// The name of the trait set whose words are expected, if its words are declared.
    fn closed_set(&self, want: Option<Type>) -> Option<&'a str> {
        let Some(Type::Word(traits)) = want else { return None };
        let set = self.names.traits.get(traits.index())?;
        (set.words.is_some() && !enumerations::is_of_variable(&set.name)).then_some(set.name.as_str())
    }

    /// Reports a quoted name that is not a card. A name whose card cannot be parsed is not reported.
    pub fn report_unknown_card(&mut self, name: &Name) {
        let names = self.names;
        if names.unparsed_words.contains(&name.text) {
            return;
        }
        if let CardMeaning::Ambiguous(found) = names.card_meaning(&name.text, name.span) {
            self.report(CardScopes::ambiguous(name, &found));
            return;
        }
        if let Some(number) = Self::quoted_number(name) {
            let problem = Diagnostic::new(&codes::UNKNOWN_CARD, name.span, "a quoted number is the name of a card, not a number");
            self.report(problem.help(format!("write it without quotes: `{number}`")).fix(self.sources.slice(name.span), number));
            return;
        }
        let problem = Diagnostic::new(&codes::UNKNOWN_CARD, name.span, format!("there is no card \"{}\"", name.text));
        if !name.is_quoted() {
            let before = self.diagnostics.last().filter(|problem| problem.code.code == codes::UNKNOWN_CARD.code);
            let gap = before
                .filter(|problem| problem.span.file == name.span.file && problem.span.end < name.span.start)
                .map(|problem| problem.span);
            if gap.is_some_and(|earlier| {
                let between = self.sources.slice(Span { start: earlier.end, end: name.span.start, ..earlier });
                between.bytes().all(|blank| blank == b' ')
            }) {
                return;
            }
            let behind = self.sources.text(name.span.file).get(name.span.start as usize..).unwrap_or("");
            let ends = |c: char| matches!(c, '\n' | ',' | ';' | '}' | '{' | '"' | '《') || c.is_ascii_digit();
            // each name of a line reads what follows it: what is longer than a quoted name is none
            let mut characters = behind.char_indices().take(MAX_QUOTED_CHARS);
            let full = characters.find(|(_, c)| ends(*c)).map_or("", |(end, _)| behind.get(..end).unwrap_or("")).trim();
            if full.contains(' ') {
                self.report(problem.help(format!("a name of several words is quoted: `\"{full}\"`")));
                return;
            }
        }
        let searched = if crate::diagnostics::allow_comparisons(names.cards.len()) { names.cards.len() } else { 0 };
        let mut with_word = names.cards.keys().take(searched).filter(|card| {
            card.contains(name.text.as_str()) && card.split(|c: char| !c.is_alphanumeric()).any(|part| part == name.text)
        });
        let only = with_word.next().filter(|_| with_word.next().is_none());
        let problem = match only {
            Some(card) => problem.help(format!("did you mean \"{card}\"?")).fix(name.text.as_str(), card.as_str()),
            None => problem,
        };
        let words = self.words.iter().flat_map(|set| set.keys());
        let known = names.cards.keys().chain(words).map(smol_str::SmolStr::as_str).filter(|_| only.is_none());
        let problem = problem
            .did_you_mean(&name.text, known)
            .or_help("a quoted name is a card, a token, or a word that cards print under an open trait set");
        self.report(problem);
    }

    /// Returns the period that a word or path names.
    pub fn period_of_word(&mut self, name: &Name) -> Option<fizzle_ir::PeriodId> {
        self.period_of_path(&name.text, name.span)
    }

    /// Returns the period that a path names; reports an unknown or ambiguous one.
    pub fn period_of_path(&mut self, written: &str, span: Span) -> Option<fizzle_ir::PeriodId> {
        let found = self.names.find_period(written);
        match found.as_slice() {
            [] => {
                let known = self.names.periods.keys().flat_map(|path| [path.as_str(), path.rsplit('.').next().unwrap_or(path)]);
                let all: Vec<&str> = self.names.periods.keys().map(String::as_str).collect();
                self.report(
                    Diagnostic::new(&codes::UNKNOWN_PERIOD, span, format!("no phase or step is called `{written}`"))
                        .did_you_mean(written, known)
                        .or_help(format!("there are `{}`", all.join("`, `"))),
                );
                None
            }
            [path] => self.names.period_id(path),
            several => {
                let list = several.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ");
                self.report(
                    Diagnostic::new(&codes::AMBIGUOUS_PERIOD, span, format!("several phases or steps are called `{written}`"))
                        .help(format!("write {list}")),
                );
                None
            }
        }
    }

    /// Returns the bare word of an expression, unless it is a local name.
    pub fn free_word(&self, expr: &'a Expr) -> Option<&'a Name> {
        bare_word(expr).filter(|name| self.local_type(&name.text).is_none())
    }
}

/// `count of (X with Y) == 6` for `count of X with Y == 6`. `taken`: what `with` reads as its condition.
fn parenthesized_count(whole: &str, taken: &str) -> Option<String> {
    let (condition, at) =
        ["==", "!=", "<=", ">=", "<", ">"].iter().find_map(|sign| Some((*sign, taken.rfind(&format!(" {sign} "))?)))?;
    let value = taken.get(at + condition.len() + 2..)?;
    let condition_of_with = taken.get(..at)?;
    let selection = whole.strip_suffix(taken)?.strip_prefix("count of ")?;
    Some(format!("count of ({selection}{condition_of_with}) {condition} {value}"))
}

/// Returns the suggestion for a thing where an object or a player is required.
pub fn thing_help(text: &str) -> String {
    format!("test it first: `if {text} is player {{ … }}` or `if {text} is object {{ … }}`")
}

/// Returns `2` for `2 card`; `None` if the text is not a number and one word.
fn split_count(text: &str) -> Option<&str> {
    let (number, noun) = text.split_once(' ')?;
    (number.bytes().all(|byte| byte.is_ascii_digit()) && noun.chars().all(char::is_alphanumeric)).then_some(number)
}

/// Returns a suggestion how to convert a value of one type to another one.
fn conversion_help(found: Option<Type>, wanted: Type, text: &str) -> Option<String> {
    let written = text.parse::<i64>().is_ok();
    Some(match (found?, wanted) {
        (Type::Number, Type::Bool) if written => "write `true` or `false`, or a comparison with this number".to_owned(),
        (Type::Number, Type::Bool) if counted_comparison(text).is_some() => counted_comparison(text)?,
        (Type::Number, Type::Bool) => format!("compare it: `{text} > 0`"),
        (Type::Words(_), Type::Objects) => format!("for their number write `word_count({text})`"),
        (Type::Bool, Type::Number) => format!("write the number that it stands for: `if {text} {{ 1 }} otherwise {{ 0 }}`"),
        (Type::Object, Type::Number | Type::Price) if text == NOTHING => "no number is written `0`".to_owned(),
        (Type::Number, Type::Object | Type::Objects) if written => {
            format!("write what it counts: `{text} card …`, `{text} target …`")
        }
        (Type::Number, Type::Object | Type::Objects) => "name an object: `this`, `it`, `1 card …`, `target …`".to_owned(),
        (Type::Player, Type::Object | Type::Objects) => {
            "select objects of the player: `1 card of X`, `each card in ZONE of X`".to_owned()
        }
        (Type::Object, Type::Player) if text.contains(' ') && !text.contains(" of ") => {
            format!("for its player name it before: `choose {text} as chosen`, and then `controller of chosen`")
        }
        (Type::Object, Type::Player) => format!("for its player write `controller of {text}` or `owner of {text}`"),
        (Type::Zone, Type::Object | Type::Objects) => format!("name the cards in it: `each card in {text}`, `1 card in {text}`"),
        (Type::Zone, Type::Number) => format!("for their number write `count of card in {text}`"),
        (Type::Object | Type::Objects, Type::Number) if split_count(text).is_some() => {
            format!("write the number alone: `{}`", split_count(text).unwrap_or_default())
        }
        (Type::Objects, Type::Number) if let Some(number) = up_to_count(text) => {
            format!("write the number alone, `{number}`, or choose it: `choose number from 0 to {number} as n`, then `(n)`")
        }
        (Type::Objects | Type::Players | Type::Things, Type::Number) => format!("for their number write `count of {text}`"),
        (Type::Object, Type::Number) => format!("write a property of it: `PROPERTY of {text}`"),
        (Type::Player, Type::Zone) => format!("name a zone of that player: `ZONE of {text}`"),
        (Type::Player, Type::Number) => format!("write a variable of that player: `VARIABLE of {text}`"),
        (Type::Objects, Type::Card) => {
            let (count, what) = text.split_once(' ').filter(|(count, _)| count.bytes().all(|byte| byte.is_ascii_digit()))?;
            format!("write `{count} times {{ … {what} … }}`, or `{what}` alone for one")
        }
        (Type::Card, Type::Bool) => format!("for a word that cards print write `candidate is {text}`"),
        (Type::Card, Type::Number) => "a number is written in digits".to_owned(),
        _ => return None,
    })
}

/// For `count of card with NAME == 2`, where the comparison belongs to the condition behind `with`: the count in parentheses.
fn counted_comparison(text: &str) -> Option<String> {
    let selection = text.strip_prefix("count of ").filter(|rest| rest.contains(" with ") || rest.contains(" that "))?;
    let op = ["==", "!=", ">=", "<=", ">", "<"].into_iter().find(|op| selection.contains(&format!(" {op} ")))?;
    let (what, number) = selection.rsplit_once(&format!(" {op} "))?;
    Some(format!("put what is counted into parentheses: `count of ({what}) {op} {number}`"))
}

/// The number of `up to NUMBER NOUN`.
fn up_to_count(text: &str) -> Option<&str> {
    let number = text.strip_prefix("up to ")?.split_whitespace().next()?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(number)
}
