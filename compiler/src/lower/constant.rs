//! Constant evaluation: printed values, arguments of keywords, prices.
//!
//! A price symbol of digits is that number of units that any kind pays; `{W/U}` is one unit that either kind pays. Letters mean a word of the
//! payment's kinds, by the first rule that applies: the word itself (ignoring case); the word that a noun of this name means (`noun U =
//! blue`); the only word that begins with these letters.

use super::Lowering;
use super::function_builder::Binding;
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{self, MAX_WORDS};
use crate::names::Meaning;
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Phrase};
use fizzle_ir::format::EITHER_WAY;
use fizzle_ir::{TraitSetId, Type};

/// The unit that any kind pays.
const ANY: i32 = -1;

impl<'a> Lowering<'a> {
    /// Evaluates an expression at compile time; `None` if it is not constant. Constants of the game have their first declared value.
    pub fn constant_value(&mut self, expr: &'a Expr, ty: Type) -> Option<i64> {
        match &expr.kind {
            ExprKind::Not(inner) => Some(i64::from(self.constant_value(inner, Type::Bool)? == 0)),
            ExprKind::Negative(inner) => Some(-self.constant_value(inner, Type::Number)?),
            ExprKind::Binary { op, left, right } => {
                let (a, b) = (self.constant_value(left, Type::Number)?, self.constant_value(right, Type::Number)?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Subtract => a.checked_sub(b),
                    BinaryOp::Multiply => a.checked_mul(b),
                    BinaryOp::DivideDown => (b != 0).then(|| a.div_euclid(b)),
                    BinaryOp::DivideUp => (b != 0).then(|| -(-a).div_euclid(b)),
                    _ => None,
                }
            }
            ExprKind::Phrase(phrase) => self.constant_phrase(phrase, ty),
            _ => None,
        }
    }

    fn constant_phrase(&mut self, phrase: &'a Phrase, ty: Type) -> Option<i64> {
        if phrase.quantifier.is_some() || phrase.other || !phrase.filters.is_empty() {
            return None;
        }
        match &phrase.head {
            Head::Number(value) => match ty {
                Type::Price => {
                    let units = vec![ANY; usize::try_from(*value).ok()?.min(256)];
                    Some(i64::from(self.intern_list(units).0))
                }
                _ => Some(*value),
            },
            Head::Bool(value) => Some(i64::from(*value)),
            Head::Price(symbols) => {
                let units = self.price_units(symbols);
                Some(i64::from(self.intern_list(units).0))
            }
            Head::Group(inner) => self.constant_value(inner, ty),
            Head::Quoted(name) => match ty {
                Type::Words(traits) => Some(i64::from(self.intern_word(traits, name)?)),
                _ => self.names.card_id(name).map(|card| i64::from(card.0)),
            },
            Head::Word(name) => {
                if let Some((_, binding)) = self.local_type(&name.text) {
                    return match binding {
                        Binding::Const(value) => {
                            self.mark_used(&name.text);
                            Some(value)
                        }
                        Binding::Word(_, word) => {
                            self.mark_used(&name.text);
                            Some(i64::from(word))
                        }
                        _ => None,
                    };
                }
                for meaning in self.names.meanings(&name.text) {
                    match *meaning {
                        Meaning::Word(_, word) if matches!(ty, Type::Words(_)) => return Some(i64::from(word)),
                        Meaning::Constant(number) => return self.declared_constant(number),
                        _ => {}
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// Returns the value of a declared constant, which is evaluated at its first use, after the constants in it. `None` if it is not constant.
    fn declared_constant(&mut self, number: u32) -> Option<i64> {
        let names = self.names;
        // each entry: a constant, and the number of constants in it that are evaluated
        let mut open = vec![(number, 0)];
        while let Some((at, evaluated)) = open.last_mut() {
            let number = *at;
            if self.constant_values.contains_key(&number) {
                open.pop();
                continue;
            }
            let uses = names.dependencies.constants.get(number as usize).map_or(&[][..], Vec::as_slice);
            let next = uses.get(*evaluated).copied();
            *evaluated += 1;
            match next {
                _ if names.dependencies.circular_constants.contains(&number) => {
                    self.constant_values.insert(number, None);
                }
                Some(next) => open.push((next, 0)),
                None => {
                    let value = names.constants.get_index(number as usize).map(|(_, value)| *value);
                    let value = value.and_then(|value| self.constant_value(value, names.constant_type(number)));
                    self.constant_values.insert(number, value);
                }
            }
        }
        self.constant_values.get(&number).copied().flatten()
    }

    /// Whether an expression names a constant that has no value, because it uses itself.
    fn uses_circular_constant(&self, expr: &Expr) -> bool {
        let circular = &self.names.dependencies.circular_constants;
        !circular.is_empty()
            && crate::dependency_graph::used_names(expr)
                .iter()
                .any(|name| self.names.constants.get_index_of(name).is_some_and(|number| circular.contains(&(number as u32))))
    }

    /// Evaluates an expression that must be constant; reports it otherwise and returns 0.
    pub fn must_be_constant(&mut self, expr: &'a Expr, ty: Type) -> i64 {
        match self.constant_value(expr, ty) {
            Some(value) => value,
            // the circle was reported
            None if self.uses_circular_constant(expr) => 0,
            None => {
                let text = self.sources.slice(expr.span).to_owned();
                let bare = text.trim_matches(['"', '《', '》']);
                let wanted = self.a_type(ty);
                let (is_quoted, is_number) = (bare.len() < text.len(), ty == Type::Number);
                let (number, in_words) = (bare.parse::<i64>().ok(), crate::diagnostics::word_suggestions::number_word(bare));
                let words = match ty {
                    Type::Word(traits) | Type::Words(traits) => self.names.traits.get(traits.index()),
                    _ => None,
                };
                let message = match number.is_some() || is_quoted || bare_word(expr).is_some() {
                    true if let Some(set) = words => format!("`{text}` is no word of `{}`", set.name),
                    true if is_quoted && ty == Type::Card => format!("there is no card {text}"),
                    true if is_number => format!("{wanted} is needed here, but `{text}` is none"),
                    _ => format!("`{text}` is not a constant"),
                };
                let help = match (number, in_words) {
                    (Some(_), _) if is_quoted => format!("write the number without quotes: `{bare}`"),
                    (_, Some(number)) if is_number => format!("numbers are written in digits: `{number}`"),
                    _ if is_number => "write a number in digits, or the name of a constant".to_owned(),
                    _ if let Some(set) = words => match &set.words {
                        Some(words) => format!("write one of its words: {}", super::word_value::quoted_list(words)),
                        None => format!("its words are declared: `traits {} adds {{ {text} }}`", set.name),
                    },
                    _ if is_quoted && ty == Type::Card => "write the name of a card as it is printed".to_owned(),
                    _ => "write a number, a price, a word or a quoted name".to_owned(),
                };
                let digits = in_words.map(|number| number.to_string()).filter(|_| is_number);
                let problem = Diagnostic::new(&codes::NOT_CONSTANT, expr.span, message).help(help);
                let fixed = digits.or_else(|| number.filter(|_| is_quoted).map(|number| number.to_string()));
                self.report(match fixed {
                    Some(fixed) => problem.fix(text, fixed),
                    None => problem,
                });
                0
            }
        }
    }

    /// Returns the number of a word of a trait set; adds it if the set is open. `None` if the set is closed and lacks the word.
    pub fn intern_word(&mut self, traits: TraitSetId, name: &Name) -> Option<u16> {
        let open = self.names.traits.get(traits.index())?.words.is_none();
        let words = self.words.get_mut(traits.index())?;
        if let Some(word) = words.get(&name.text) {
            return Some(*word);
        }
        if !open {
            return None;
        }
        let word = words.len() as u16;
        if let Some(problem) = limits::long_name(name) {
            self.report(problem);
            return Some(0);
        }
        if words.len() >= MAX_WORDS {
            if !self.is_refused {
                self.is_refused = true;
                let message = format!("cards print more than {MAX_WORDS} words of one set");
                self.diagnostics.push(limits::exceeded(name.span, message, "leave some out"));
            }
            return Some(0);
        }
        words.insert(name.text.clone(), word);
        Some(word)
    }

    /// Returns the units of a price literal, each a mask of the kinds that pay it. At most 256 units per number.
    pub fn price_units(&mut self, symbols: &[Name]) -> Vec<i32> {
        let mut units = Vec::new();
        for symbol in symbols {
            if let Ok(count) = symbol.text.parse::<usize>() {
                units.extend(std::iter::repeat_n(ANY, count.min(256)));
                continue;
            }
            let mut mask = 0i32;
            // `{2/W}`: a kind, or two units of any kind (CR 107.4e)
            let (is_hybrid, kinds) = match symbol.text.strip_prefix("2/") {
                Some(kinds) => (true, kinds),
                None => (false, symbol.text.as_str()),
            };
            let parts: Vec<&str> = kinds.split('/').collect();
            let number = parts.iter().find(|part| part.parse::<usize>().is_ok());
            if let Some(number) = number.or_else(|| parts.first().filter(|_| is_hybrid && parts.len() > 1)) {
                let kind = parts.iter().find(|part| *part != number).copied().unwrap_or("W");
                let message = format!("the symbol `{{{}}}` is no price", symbol.text);
                let help = format!("a symbol is a kind, kinds with `/` between them, or two units or a kind: `{{2/{kind}}}`");
                self.report(Diagnostic::new(&codes::UNKNOWN_NAME, symbol.span, message).help(help));
                continue;
            }
            for part in parts {
                match self.symbol_word(part) {
                    Some(word) => mask |= 1i32.wrapping_shl(u32::from(word)),
                    None => {
                        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                        let (number, letters) = part.split_at(digits);
                        let message = format!("the symbol `{{{part}}}` names no kind of unit");
                        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, symbol.span, message);
                        let each = letters.chars().map(|letter| letter.to_string());
                        let apart = part.len() > 1 && each.clone().all(|letter| self.is_price_symbol(&letter));
                        self.report(if apart {
                            let first = (digits > 0).then(|| number.to_owned());
                            let symbols: String = first.into_iter().chain(each).map(|symbol| format!("{{{symbol}}}")).collect();
                            problem.help(format!("give each symbol its own braces: `{symbols}`"))
                        } else {
                            problem.help(self.symbols()).help(format!("declare a new symbol by `noun {part} = WORD`"))
                        });
                    }
                }
            }
            if mask != 0 && is_hybrid {
                units.extend([mask | EITHER_WAY as i32, ANY]);
            } else if mask != 0 {
                units.push(mask);
            }
        }
        units
    }

    /// Whether a price symbol stands for a kind of unit.
    #[must_use]
    pub fn is_price_symbol(&self, symbol: &str) -> bool {
        self.symbol_word(symbol).is_some()
    }

    /// Lists the valid price symbols, for messages.
    fn symbols(&self) -> String {
        let sets = self.names.payments.values().filter_map(|kinds| self.names.traits_id(&kinds.text));
        let words: Vec<&str> = sets
            .filter_map(|set| self.words.get(set.index()))
            .flat_map(|words| words.keys())
            .map(smol_str::SmolStr::as_str)
            .collect();
        let short = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let named = self.names.nouns.iter().filter(|(name, meaning)| {
            let word = bare_word(meaning).or_else(|| quoted_word(meaning));
            short(name) && word.is_some_and(|word| words.contains(&word.text.as_str()))
        });
        let mut symbols: Vec<String> = named.map(|(name, _)| format!("`{{{name}}}`")).collect();
        if symbols.is_empty() {
            symbols = words
                .iter()
                .map(|word| word.to_uppercase())
                .filter(|word| short(word))
                .map(|word| format!("`{{{word}}}`"))
                .collect();
        }
        symbols.push("numbers such as `{2}`".to_owned());
        format!("there are {}", symbols.join(", "))
    }

    /// Returns the symbol of each kind of unit, from the nouns that stand for it; an empty list if there is no such noun.
    pub fn kind_symbols(&self, kinds: TraitSetId) -> Vec<String> {
        let Some(words) = self.words.get(kinds.index()) else { return Vec::new() };
        let mut symbols = vec![String::new(); words.len()];
        for (name, meaning) in &self.names.nouns {
            let short = name.len() <= 16 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            let word = bare_word(meaning).or_else(|| quoted_word(meaning));
            let slot = word.and_then(|word| words.get(&word.text)).and_then(|word| symbols.get_mut(usize::from(*word)));
            if let Some(slot) = slot.filter(|slot| short && slot.is_empty()) {
                *slot = name.to_string();
            }
        }
        if symbols.iter().all(String::is_empty) { Vec::new() } else { symbols }
    }

    /// The symbol of the kind of unit that a word begins, in braces: `{G}` for `green`.
    pub fn symbol_of_kind(&self, word: &str) -> Option<String> {
        self.names.payments.values().find_map(|kinds| {
            let kinds = self.names.traits_id(&kinds.text)?;
            let begins = |kind: &str| kind.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
            let at = self.words.get(kinds.index())?.keys().position(|kind| begins(kind))?;
            let symbol = self.kind_symbols(kinds).into_iter().nth(at).filter(|symbol| !symbol.is_empty())?;
            Some(format!("{{{symbol}}}"))
        })
    }

    fn symbol_word(&self, symbol: &str) -> Option<u16> {
        let lower = symbol.to_lowercase();
        for kinds in self.names.payments.values() {
            let Some(traits) = self.names.traits_id(&kinds.text) else { continue };
            let Some(words) = self.words.get(traits.index()) else { continue };
            if let Some((_, word)) = words.iter().find(|(word, _)| word.to_lowercase() == lower) {
                return Some(*word);
            }
            if let Some(alias) =
                self.names.nouns.get(symbol).and_then(|meaning| bare_word(meaning).or_else(|| quoted_word(meaning)))
                && let Some(word) = words.get(&alias.text)
            {
                return Some(*word);
            }
            let mut close = words.iter().filter(|(word, _)| word.to_lowercase().starts_with(&lower));
            if let (Some((_, word)), None) = (close.next(), close.next()) {
                return Some(*word);
            }
        }
        None
    }
}

fn quoted_word(expr: &Expr) -> Option<&Name> {
    match as_phrase(expr) {
        Some(Phrase { head: Head::Quoted(name), quantifier: None, .. }) => Some(name),
        _ => None,
    }
}
