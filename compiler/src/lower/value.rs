//! Lowers phrases as values, and calls of functions.
//!
//! A quantified phrase is a list (`each`), a condition (`some`, `no`) or a choice. The value of an unquantified phrase is that of its head.

use super::{Lowering, TypedRegister};
use crate::diagnostics::word_suggestions::{is_or_are, value_count};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{Expr, Head, Name, Phrase, Quantifier, Span};
use fizzle_ir::op::Binary;
use fizzle_ir::verbs::BUILTINS;
use fizzle_ir::{Op, Type};
use smol_str::SmolStr;

impl<'a> Lowering<'a> {
    /// Lowers a phrase as a value.
    pub fn phrase(&mut self, phrase: &'a Phrase, span: Span, want: Option<Type>) -> TypedRegister {
        match &phrase.quantifier {
            None => self.unquantified_phrase(phrase, span, want),
            Some(Quantifier::Each) => {
                let Some(selection) = self.selection(phrase, span) else { return self.error_value() };
                let list = self.candidates(&selection);
                TypedRegister::new(list, selection.list_type())
            }
            Some(quantifier @ (Quantifier::Some | Quantifier::No)) => {
                let Some(selection) = self.selection(phrase, span) else { return self.error_value() };
                let list = self.candidates(&selection);
                let count = self.reg(Type::Number);
                self.emit(Op::Count { dst: count, list });
                let zero = self.constant(0, Type::Number);
                let op = if *quantifier == Quantifier::Some { Binary::NotEqual } else { Binary::Equal };
                TypedRegister::new(self.binary(op, count, zero, Type::Bool), Type::Bool)
            }
            Some(Quantifier::Top(count) | Quantifier::Bottom(count)) if self.report_negative_count(count) => self.error_value(),
            Some(Quantifier::Top(count)) => self.take_ends(phrase, count, true, span),
            Some(Quantifier::Bottom(count)) => self.take_ends(phrase, count, false, span),
            Some(Quantifier::Random(count)) => self.random(phrase, count, span),
            Some(_) => self.choice(phrase, span),
        }
    }

    /// `top 2 card of your deck`, `bottom 1 card of …`: a list, or a single object if the number is the constant 1.
    pub fn take_ends(&mut self, phrase: &'a Phrase, count: &'a Expr, top: bool, span: Span) -> TypedRegister {
        self.record_taken_cards(phrase, count, span);
        let Some(selection) = self.selection(phrase, span) else { return self.error_value() };
        let list = self.candidates(&selection);
        let one = self.constant_value(count, Type::Number) == Some(1);
        let count = self.number(count);
        let dst = self.reg(Type::Objects);
        self.emit(Op::TakeEnds { dst, list, count, top });
        if one { self.single_element(dst, Type::Object) } else { TypedRegister::new(dst, Type::Objects) }
    }

    /// Loads the single element of a list; the value records the list.
    pub fn single_element(&mut self, list: u16, ty: Type) -> TypedRegister {
        let index = self.constant(0, Type::Number);
        let dst = self.reg(ty);
        self.emit(Op::ElementAt { dst, list, index });
        self.copy_chooser(dst, list);
        TypedRegister { list: Some(list), ..TypedRegister::new(dst, ty) }
    }

    fn unquantified_phrase(&mut self, phrase: &'a Phrase, span: Span, want: Option<Type>) -> TypedRegister {
        // `this in hand`, `it with power > 3`: a value with conditions is a bool.
        if let Some(value) = self.value_with_conditions(phrase, span) {
            return value;
        }
        match &phrase.head {
            Head::Word(name) => {
                let (of, conditions) = self.conditions(self.word_takes_of(name), &phrase.filters);
                if !conditions.is_empty() || phrase.other {
                    return self.unquantified_noun(phrase, span, want);
                }
                self.word(name, of.as_ref(), want, span)
            }
            Head::Call { name, args } if !phrase.other && self.has_keys(&name.text) => {
                let (of, conditions) = self.conditions(true, &phrase.filters);
                if !conditions.is_empty() {
                    return self.unquantified_noun(phrase, span, want);
                }
                let owner = of.as_ref().map(|of| (self.atom(of, None), of.span()));
                self.keyed_value(name, args, owner, span)
            }
            _ if !phrase.filters.is_empty() || phrase.other => self.unquantified_noun(phrase, span, want),
            Head::Quoted(name) => self.quoted_value(name, want),
            Head::Number(value) => {
                let reg = self.constant(*value, Type::Number);
                TypedRegister::new(reg, Type::Number)
            }
            Head::Bool(value) => {
                let reg = self.constant(i64::from(*value), Type::Bool);
                TypedRegister::new(reg, Type::Bool)
            }
            Head::Price(symbols) => {
                let units = self.price_units(symbols);
                let list = self.intern_list(units);
                let dst = self.reg(Type::Price);
                self.emit(Op::List { dst, list });
                TypedRegister::new(dst, Type::Price)
            }
            Head::Group(inner) => self.expr(inner, want),
            Head::List(items) => self.list_literal(items),
            Head::Call { name, args } => self.call_function(name, args, span),
            Head::Possessive { owner, word } => {
                if self.is_noun(&word.text) && self.names.zone_id(&word.text).is_none() {
                    return self.unquantified_noun(phrase, span, want);
                }
                let value = self.expr(owner, None);
                self.fact_of(word, value, owner.span, want)
            }
        }
    }

    /// Lowers an object or player that is followed by conditions, as a condition: `this in hand`, `prey of it that is creature`.
    fn value_with_conditions(&mut self, phrase: &'a Phrase, span: Span) -> Option<TypedRegister> {
        let (value, holds) = self.value_and_conditions(phrase, span)?;
        Some(if value.ty.is_none() { value } else { TypedRegister::new(holds, Type::Bool) })
    }

    /// Lowers a value that is followed by conditions (`this with power > 3`): returns the value, and the register that holds whether they
    /// hold. Returns `None` if the phrase has no conditions or selects objects.
    pub fn value_and_conditions(&mut self, phrase: &'a Phrase, span: Span) -> Option<(TypedRegister, u16)> {
        if phrase.filters.is_empty() || phrase.other || self.selects(phrase) {
            return None;
        }
        let takes = matches!(&phrase.head, Head::Word(name) if self.word_takes_of(name));
        let (of, conditions) = self.conditions(takes, &phrase.filters);
        if conditions.is_empty()
            || !matches!(self.guess_head(&phrase.head, of.as_ref()), Some(Type::Object | Type::Player | Type::Thing))
        {
            return None;
        }
        let value = match &phrase.head {
            Head::Word(name) => self.word(name, of.as_ref(), None, span),
            Head::Group(inner) => self.expr(inner, None),
            Head::Call { name, args } => self.call_function(name, args, span),
            Head::Possessive { owner, word } => {
                let owned = self.expr(owner, None);
                self.fact_of(word, owned, owner.span, None)
            }
            _ => return None,
        };
        let mut selection = super::selection::Selection::default();
        for condition in conditions {
            self.select_condition(condition, &mut selection);
        }
        if value.ty.is_none() {
            return Some((value, value.reg));
        }
        let holds = self.object_with(value, &selection);
        Some((value, holds))
    }

    /// Lowers a noun without a quantifier: a list if a list is expected, else the missing quantifier is reported.
    fn unquantified_noun(&mut self, phrase: &'a Phrase, span: Span, want: Option<Type>) -> TypedRegister {
        let known = self.selects(phrase);
        let Some(selection) = self.selection(phrase, span) else { return self.error_value() };
        let ty = selection.list_type();
        if !known || want.is_some_and(|want| want.element().is_some()) || matches!(phrase.head, Head::Group(_)) {
            let list = self.candidates(&selection);
            return TypedRegister::new(list, ty);
        }
        let text = self.sources.slice(span).to_owned();
        let help = match want {
            Some(Type::Bool) => {
                format!("ask whether there is one, or how many: `some {text}`, `no {text}`, `count of {text} >= 2`")
            }
            _ => self.describe_count(&text),
        };
        if let Some(help) = self.suggest_status_behind_zone(&text).filter(|_| want == Some(Type::Zone)) {
            self.report(Diagnostic::new(&codes::MISSING_COUNT, span, format!("`{text}` is no zone")).help(help));
            return self.error_value();
        }
        self.report(Diagnostic::new(&codes::MISSING_COUNT, span, format!("`{text}` does not say how many")).help(help));
        self.error_value()
    }

    fn quoted_value(&mut self, name: &'a Name, want: Option<Type>) -> TypedRegister {
        if let Some(Type::Word(traits)) = want
            && let Some(word) = self.intern_word(traits, name)
        {
            return self.word_value(traits, word);
        }
        if let Some(Type::Words(traits)) = want
            && let Some(word) = self.words.get(traits.index()).and_then(|words| words.get(&name.text)).copied()
        {
            return self.word_mask(traits, word, name.span);
        }
        match self.names.card_id(name) {
            Some(card) => {
                let reg = self.constant(i64::from(card.0), Type::Card);
                TypedRegister::new(reg, Type::Card)
            }
            None => {
                self.report_unknown_card(name);
                self.error_value()
            }
        }
    }

    fn list_literal(&mut self, items: &'a [Expr]) -> TypedRegister {
        let types: Vec<Option<Type>> = items.iter().map(|item| self.guess(item)).collect();
        let players = types.iter().filter(|ty| **ty == Some(Type::Player)).count();
        let ty = if types.contains(&Some(Type::Thing)) || players > 0 && players < items.len() {
            Type::Thing
        } else if players > 0 {
            Type::Player
        } else {
            Type::Object
        };
        let mut regs = Vec::new();
        for item in items {
            let value = self.expr(item, Some(ty));
            regs.push(self.coerce(value, ty, item.span));
        }
        let list = ty.list().unwrap_or(Type::Objects);
        let dst = self.reg(list);
        self.emit(Op::MakeList { dst, items: regs });
        TypedRegister::new(dst, list)
    }

    /// Lowers a call of a declared or built-in function.
    pub fn call_function(&mut self, name: &'a Name, args: &'a [Expr], span: Span) -> TypedRegister {
        let word = name.text.as_str();
        if word == "unconcealed" && !self.names.functions.contains_key(word) {
            return self.unconcealed(name, args);
        }
        let declared: Option<Vec<(SmolStr, Type)>> = self.names.functions.get(word).map(|function| function.params.clone());
        let built_in = BUILTINS.iter().find(|row| row.name == word);
        let types: Vec<Type> = match (&declared, built_in) {
            (Some(params), _) => params.iter().map(|(_, ty)| *ty).collect(),
            (None, Some(row)) => row.params.to_vec(),
            (None, None) => {
                let known = self.names.functions.keys().map(SmolStr::as_str).chain(BUILTINS.iter().map(|row| row.name));
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no function is called `{word}`"))
                    .did_you_mean(word, known);
                let of = args.first().map_or("PLAYER", |arg| self.sources.slice(arg.span).trim());
                self.report(match word {
                    "lost" | "has_lost" | "loses" => problem.or_help(format!("write `not is_playing({of})`")),
                    "won" | "wins" => problem.or_help(format!("write `has_won({of})`")),
                    _ => problem,
                });
                return self.error_value();
            }
        };
        if types.len() != args.len() {
            let code = if args.len() < types.len() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            let message =
                format!("`{word}` takes {}, but {} {} given", value_count(types.len()), args.len(), is_or_are(args.len()));
            let list: Vec<String> = types.iter().map(|ty| self.a_type(*ty)).collect();
            let help = if list.is_empty() { format!("write `{word}()`") } else { format!("it takes {}", list.join(", then ")) };
            self.report(Diagnostic::new(code, span, message).help(help));
            return self.error_value();
        }
        let mut regs = Vec::new();
        for (arg, ty) in args.iter().zip(types) {
            let value = if ty.is_list() && ty != Type::Price { self.list_of(arg) } else { self.expr(arg, Some(ty)) };
            // A built-in function is mostly about the object itself, such as `current`.
            let value = if declared.is_some() { self.as_it_left(value) } else { value };
            regs.push(self.coerce(value, ty, arg.span));
        }
        if declared.is_some() { self.call_declared(name, regs) } else { self.builtin(word, regs) }
    }

    /// `unconcealed(F(X))`: calls a declared function of one object as if nothing concealed the object.
    fn unconcealed(&mut self, name: &'a Name, args: &'a [Expr]) -> TypedRegister {
        let single = match args {
            [arg] => self.unconcealed_call(arg),
            _ => None,
        };
        let Some((function, object)) = single else {
            self.report(
                Diagnostic::new(&codes::MISPLACED_FORM, name.span, "`unconcealed` takes a declared function of one object")
                    .help("write `unconcealed(FUNCTION(X))`, with `function FUNCTION(it: object): TYPE = …`"),
            );
            return self.error_value();
        };
        let value = self.expr(object, Some(Type::Object));
        let of = self.coerce(value, Type::Object, object.span);
        let call = self.call_declared(function, vec![of]);
        if let Some(Op::Call { dst, function, args }) = self.fun().ops.pop() {
            self.fun().ops.push(Op::CallUnconcealed { dst, function, args, of });
        }
        call
    }

    /// Returns the function and the argument of `F(X)`, if `F` is a declared function of one object.
    fn unconcealed_call(&self, arg: &'a Expr) -> Option<(&'a Name, &'a Expr)> {
        let phrase = crate::phrase_syntax::as_phrase(arg)?;
        let Head::Call { name, args } = &phrase.head else { return None };
        let declared = self.names.functions.get(&name.text)?;
        match (declared.params.as_slice(), args.as_slice()) {
            ([(_, Type::Object)], [object]) if phrase.filters.is_empty() => Some((name, object)),
            _ => None,
        }
    }

    /// Emits a call of a declared function. The arguments must have the types of its parameters.
    pub fn call_declared(&mut self, name: &'a Name, args: Vec<u16>) -> TypedRegister {
        let Some(result) = self.names.functions.get(&name.text).map(|function| function.result) else {
            return self.error_value();
        };
        let Some(function) = self.declared_function(name) else { return self.error_value() };
        let ty = result.unwrap_or(Type::Number);
        let dst = self.reg(ty);
        let args = [0, 1].into_iter().chain(args).collect();
        self.emit(Op::Call { dst, function, args });
        TypedRegister { reg: dst, ty: result, list: None, is_moved: false }
    }
}
