//! Lowers predicates, which follow `is`: whether a value has a word, matches a noun, is a card, is in a zone, or equals another value.

use super::function_builder::Candidate;
use super::selection::{Constraint, SearchSpace, Selection};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Phrase, Span};
use fizzle_ir::cause;
use fizzle_ir::op::{Binary, Place};
use fizzle_ir::verbs::{BUILTINS, BuiltinFunction};
use fizzle_ir::{NO_PLAYER, Op, Reg, Type};

impl<'a> Lowering<'a> {
    /// Emits whether a value satisfies a predicate.
    pub fn predicate(&mut self, value: TypedRegister, expr: &'a Expr) -> Reg {
        let before = self.at;
        self.at = expr.span;
        let holds = self.predicate_inner(value, expr);
        self.at = before;
        holds
    }

    fn predicate_inner(&mut self, value: TypedRegister, expr: &'a Expr) -> Reg {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                let left = self.predicate(value, left);
                self.short_circuit(true, left, |lower| lower.predicate(value, right))
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                let left = self.predicate(value, left);
                self.short_circuit(false, left, |lower| lower.predicate(value, right))
            }
            ExprKind::Not(inner) => {
                let holds = self.predicate(value, inner);
                self.negate(holds)
            }
            _ if value.ty == Some(Type::Thing) => self.thing_is(value, expr),
            ExprKind::Phrase(phrase) if phrase.quantifier.is_none() => match (&phrase.head, value.ty) {
                (_, None) => value.reg,
                (Head::Group(inner), _) if phrase.filters.is_empty() && !phrase.other => self.predicate(value, inner),
                (_, Some(Type::Object)) if self.filters_objects(expr) => {
                    let Some(selection) = self.selection(phrase, expr.span) else { return self.error_value().reg };
                    self.passes_as_it_left(&selection, value, Type::Object)
                }
                (Head::Quoted(name), Some(Type::Object)) => match self.quoted_constraint(name) {
                    Some(test) => {
                        let left = self.as_it_left(value);
                        self.check_constraint(&test, left.reg, Type::Object)
                    }
                    None => self.error_value().reg,
                },
                (Head::Word(name), Some(ty)) if phrase.filters.is_empty() => self.is_word(value, ty, name, expr),
                // `when this with power > 3 attacks`: the value is `this`, and the conditions on it hold.
                _ => match self.value_and_conditions(phrase, expr.span) {
                    Some((same, holds)) if same.ty.is_some() && same.ty == value.ty => {
                        let equal = self.binary(Binary::Equal, value.reg, same.reg, Type::Bool);
                        self.binary(Binary::And, equal, holds, Type::Bool)
                    }
                    Some((same, _)) => same.reg,
                    None => self.equals(value, expr),
                },
            },
            _ => self.equals(value, expr),
        }
    }

    /// Emits whether a thing satisfies a predicate about players, about objects, or equals another thing.
    fn thing_is(&mut self, value: TypedRegister, expr: &'a Expr) -> Reg {
        if let Some(Phrase { quantifier: None, head: Head::Group(inner), filters: posts, other: false, .. }) = as_phrase(expr)
            && posts.is_empty()
        {
            return self.predicate(value, inner);
        }
        let kind = match self.thing_kind(expr) {
            Some(kind) => kind,
            None => return self.equals(value, expr),
        };
        let one = self.cast(value.reg, kind);
        let missing = self.constant(if kind == Type::Player { NO_PLAYER } else { 0 }, kind);
        let there = self.binary(Binary::NotEqual, one, missing, Type::Bool);
        self.short_circuit(true, there, |lower| lower.predicate(TypedRegister::new(one, kind), expr))
    }

    /// Returns whether a predicate is about objects or about players; `None` if it is about things, or if that cannot be inferred.
    pub fn thing_kind(&self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or | BinaryOp::And, left, right } => {
                let kind = self.thing_kind(left)?;
                (self.thing_kind(right) == Some(kind)).then_some(kind)
            }
            ExprKind::Phrase(Phrase { quantifier: None, head: Head::Group(inner), .. }) if !self.guesses_value(inner) => {
                self.thing_kind(inner)
            }
            _ => match self.guess(expr) {
                Some(Type::Player | Type::Players) => Some(Type::Player),
                Some(Type::Thing | Type::Things) => None,
                Some(Type::Object | Type::Objects | Type::Card | Type::Bool) => Some(Type::Object),
                Some(_) => None,
                // A status, a keyword, or a word without a meaning; the latter is reported when it is lowered.
                None => Some(Type::Object),
            },
        }
    }

    fn guesses_value(&self, expr: &Expr) -> bool {
        !matches!(expr.kind, ExprKind::Binary { .. }) && as_phrase(expr).is_none()
    }

    /// Whether an expression is a filter of objects: a noun, a trait word, or conditions on one.
    fn filters_objects(&self, expr: &Expr) -> bool {
        let Some(phrase) = as_phrase(expr) else { return false };
        match &phrase.head {
            Head::Word(name) => {
                if self.local_type(&name.text).is_some() {
                    return false;
                }
                self.is_noun(&name.text) && name.text != "player"
            }
            Head::Possessive { word, .. } => self.is_noun(&word.text),
            Head::Group(inner) => self.is_noun_like(inner),
            Head::Quoted(_) => true,
            _ => false,
        }
    }

    /// Emits whether an object or player matches a selection: all its constraints, and one of its zones if it names some.
    pub fn passes(&mut self, selection: &Selection<'a>, reg: Reg, ty: Type) -> Reg {
        self.passes_with_zone_of(selection, reg, reg, ty)
    }

    /// Emits whether a value matches a selection. For what was moved, the words and values are those that it had as it left, and the zone is
    /// the one where it is.
    fn passes_as_it_left(&mut self, selection: &Selection<'a>, value: TypedRegister, ty: Type) -> Reg {
        let left = self.as_it_left(value);
        self.passes_with_zone_of(selection, left.reg, value.reg, ty)
    }

    /// Emits whether an object or player in `reg` matches a selection; `moved` is the object whose zone counts.
    fn passes_with_zone_of(&mut self, selection: &Selection<'a>, reg: Reg, moved: Reg, ty: Type) -> Reg {
        let tests = self.sorted_constraints(selection);
        let mut holds: Option<Reg> = None;
        for test in tests.iter().filter(|test| !matches!(test, Constraint::NoAbility)) {
            holds = Some(match holds {
                None => self.check_constraint(test, reg, ty),
                Some(before) => self.short_circuit(true, before, |lower| lower.check_constraint(test, reg, ty)),
            });
        }
        if !selection.parts.is_empty() {
            holds = Some(match holds {
                None => self.in_parts(selection, reg, moved, ty),
                Some(before) => self.short_circuit(true, before, |lower| lower.in_parts(selection, reg, moved, ty)),
            });
        }
        if !selection.search_spaces.is_empty() && !selection.selects_players {
            holds = Some(match holds {
                None => self.in_bases(&selection.search_spaces, moved),
                Some(before) => self.short_circuit(true, before, |lower| lower.in_bases(&selection.search_spaces, moved)),
            });
        }
        holds.unwrap_or_else(|| self.constant(1, Type::Bool))
    }

    /// Emits whether an object, player or thing matches one of the alternatives of `piece or player`.
    fn in_parts(&mut self, selection: &Selection<'a>, reg: Reg, moved: Reg, ty: Type) -> Reg {
        let mut holds: Option<Reg> = None;
        for part in &selection.parts {
            let kind = part.single_type();
            let passes = |lower: &mut Self| {
                if ty != Type::Thing || kind == Type::Thing {
                    return if ty == kind {
                        lower.passes_with_zone_of(part, reg, moved, ty)
                    } else {
                        lower.constant(0, Type::Bool)
                    };
                }
                let one = lower.cast(reg, kind);
                let missing = lower.constant(if kind == Type::Player { NO_PLAYER } else { 0 }, kind);
                let there = lower.binary(Binary::NotEqual, one, missing, Type::Bool);
                lower.short_circuit(true, there, |lower| lower.passes(part, one, kind))
            };
            holds = Some(match holds {
                None => passes(self),
                Some(before) => self.short_circuit(false, before, passes),
            });
        }
        holds.unwrap_or_else(|| self.constant(0, Type::Bool))
    }

    fn in_bases(&mut self, bases: &[SearchSpace<'a>], reg: Reg) -> Reg {
        let mut holds: Option<Reg> = None;
        for base in bases {
            holds = Some(match holds {
                None => self.in_base(base, reg),
                Some(before) => self.short_circuit(false, before, |lower| lower.in_base(base, reg)),
            });
        }
        holds.unwrap_or_else(|| self.constant(1, Type::Bool))
    }

    fn in_base(&mut self, base: &SearchSpace<'a>, reg: Reg) -> Reg {
        match base {
            SearchSpace::Zone(zone) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::InZone { dst, of: reg, zone: *zone });
                dst
            }
            SearchSpace::Of(zone, player) => match self.zone_of(*zone, player) {
                Some(instance) => self.zone_is(reg, instance),
                None => self.in_base(&SearchSpace::Zone(*zone), reg),
            },
            SearchSpace::Value(atom) => {
                let span = atom.span();
                let value = self.atom(atom, Some(Type::Zone));
                let instance = self.coerce(value, Type::Zone, span);
                self.zone_is(reg, instance)
            }
            SearchSpace::List(atom) => {
                let span = atom.span();
                let value = self.atom(atom, Some(Type::Objects));
                let (list, reg) = if value.ty == Some(Type::Things) {
                    (value.reg, self.cast(reg, Type::Thing))
                } else {
                    (self.coerce(value, Type::Objects, span), reg)
                };
                let dst = self.reg(Type::Bool);
                self.emit(Op::Contains { dst, list, item: reg });
                dst
            }
        }
    }

    fn zone_is(&mut self, reg: Reg, instance: Reg) -> Reg {
        let zone = self.reg(Type::Zone);
        self.emit(Op::Get { dst: zone, place: Place::Zone, of: reg });
        self.binary(Binary::Equal, zone, instance, Type::Bool)
    }

    fn is_word(&mut self, value: TypedRegister, ty: Type, name: &'a Name, expr: &'a Expr) -> Reg {
        let word = name.text.as_str();
        let local = self.local_type(word).is_some();
        match ty {
            Type::Object if !local && !matches!(word, "this" | "it" | "candidate") => {
                let known = self.names.meanings(word).iter().any(|meaning| {
                    matches!(meaning, Meaning::Status(_) | Meaning::Property(_) | Meaning::Keyword(_) | Meaning::Word(..))
                });
                if known && let Some(test) = self.word_constraint(name) {
                    let left = self.as_it_left(value);
                    return self.check_constraint(&test, left.reg, Type::Object);
                }
                self.equals(value, expr)
            }
            Type::Object if local => {
                if let Some(test @ Constraint::Word(..)) =
                    matches!(self.local_type(word), Some((_, super::function_builder::Binding::Word(..))))
                        .then(|| self.word_constraint(name))
                        .flatten()
                {
                    let left = self.as_it_left(value);
                    return self.check_constraint(&test, left.reg, Type::Object);
                }
                self.equals(value, expr)
            }
            Type::Player if !local => {
                let flag = self.names.meanings(word).iter().find_map(|meaning| match meaning {
                    Meaning::Player(n) if self.names.types[2].get(usize::from(*n)) == Some(&Type::Bool) => Some(*n),
                    _ => None,
                });
                match (word, flag) {
                    ("player", _) => self.is_there(value.reg),
                    ("opponent", _) => self.is_opponent(value.reg),
                    (_, Some(n)) => {
                        let dst = self.reg(Type::Bool);
                        self.emit(Op::Get { dst, place: Place::Player(n), of: value.reg });
                        dst
                    }
                    _ if self.names.meanings(word).iter().any(|meaning| {
                        matches!(meaning, Meaning::Status(_) | Meaning::Property(_) | Meaning::Word(..) | Meaning::Noun)
                    }) =>
                    {
                        self.report(
                            Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, format!("a player is never `{word}`"))
                                .help(format!("`{word}` is a word of objects")),
                        );
                        self.error_value().reg
                    }
                    _ => self.equals(value, expr),
                }
            }
            // Any card: `if card would be created`.
            Type::Card if !local && word == "card" => self.constant(1, Type::Bool),
            Type::Zone if !local && self.is_zone_word(word) => self.zone_kind_is(value.reg, word),
            Type::Words(traits) if !local => match self.words.get(traits.index()).and_then(|words| words.get(word)).copied() {
                Some(index) => {
                    let mask = self.constant(1i64.wrapping_shl(u32::from(index)), ty);
                    let both = self.binary(Binary::MaskAnd, value.reg, mask, ty);
                    let zero = self.constant(0, ty);
                    self.binary(Binary::NotEqual, both, zero, Type::Bool)
                }
                None => self.equals(value, expr),
            },
            // Any phase or step: `when period is begun`.
            Type::Period if !local && word == "period" => self.constant(1, Type::Bool),
            Type::Period => match self.period_of_word(name) {
                Some(span) => {
                    let wanted = self.constant(i64::from(span.0), Type::Period);
                    self.binary(Binary::Equal, value.reg, wanted, Type::Bool)
                }
                None => self.error_value().reg,
            },
            _ => self.equals(value, expr),
        }
    }

    /// Emits whether a player is an opponent of `you`. Where there is no player, as in an event that the rules cause, there is no opponent.
    fn is_opponent(&mut self, player: Reg) -> Reg {
        self.report_no_opponent(self.at);
        let other = self.binary(Binary::NotEqual, player, 1, Type::Bool);
        self.short_circuit(true, other, |lower| lower.is_there(player))
    }

    /// Emits whether a value names a player.
    fn is_there(&mut self, player: Reg) -> Reg {
        let missing = self.constant(NO_PLAYER, Type::Player);
        self.binary(Binary::NotEqual, player, missing, Type::Bool)
    }

    /// The kind of the zone that `right` names, in `announced_from(X) is right`.
    pub fn zone_kind_word(&self, left: &Expr, right: &Expr) -> Option<i64> {
        let Head::Call { name, .. } = &as_phrase(left)?.head else { return None };
        let built_in = BUILTINS.iter().find(|row| row.name == name.text)?;
        let word = bare_word(right).filter(|word| self.is_zone_word(&word.text))?;
        let kind = self.names.zone_id(&word.text)?;
        (built_in.function == BuiltinFunction::AnnouncedFrom).then_some(i64::from(kind.0))
    }

    /// Emits whether a number equals a constant.
    pub fn equals_number(&mut self, value: TypedRegister, wanted: i64) -> Reg {
        let wanted = self.constant(wanted, Type::Number);
        self.binary(Binary::Equal, value.reg, wanted, Type::Bool)
    }

    /// Emits whether a zone instance is of the kind that a zone word names.
    pub fn zone_kind_is(&mut self, zone: Reg, word: &str) -> Reg {
        let Some(kind) = self.names.zone_id(word) else { return self.error_value().reg };
        if self.library.zones.get(kind.index()).is_some_and(|zone| !zone.each_player) {
            let instance = self.reg(Type::Zone);
            self.emit(Op::ZoneOf { dst: instance, zone: kind, player: 1 });
            return self.binary(Binary::Equal, zone, instance, Type::Bool);
        }
        let builtin = BuiltinFunction::ZoneKind.number();
        let found = self.reg(Type::Number);
        self.emit(Op::Builtin { dst: found, builtin, args: vec![zone] });
        self.equals_number(TypedRegister::new(found, Type::Number), i64::from(kind.0))
    }

    /// Emits whether a zone instance is of the kind, or is the zone of a player, that an expression names.
    pub fn zone_matches(&mut self, zone: Reg, expr: &'a Expr) -> Reg {
        if let Some(word) = bare_word(expr).filter(|word| self.is_zone_word(&word.text)) {
            let text = word.text.clone();
            return self.zone_kind_is(zone, &text);
        }
        let value = self.expr(expr, Some(Type::Zone));
        let wanted = self.coerce(value, Type::Zone, expr.span);
        self.binary(Binary::Equal, zone, wanted, Type::Bool)
    }

    /// Emits equality with the value of an expression, or membership if that is a list. Reports types that are never equal.
    pub fn equals(&mut self, value: TypedRegister, expr: &'a Expr) -> Reg {
        if value.ty == Some(Type::Number)
            && let Some(word) = bare_word(expr)
            && let Some(kind) = cause_kind(&word.text)
            && self.local_type(&word.text).is_none()
            && self.has_cause()
        {
            let wanted = self.constant(kind, Type::Number);
            return self.binary(Binary::Equal, value.reg, wanted, Type::Bool);
        }
        if let (Some(ty @ Type::Words(_)), true) = (value.ty, is_written_number(expr)) {
            self.report_words_and_number(ty, expr.span);
            return self.error_value().reg;
        }
        let other = self.expr(expr, value.ty);
        match (value.ty, other.ty) {
            (Some(Type::Object), Some(Type::Word(traits))) => {
                let dst = self.reg(Type::Bool);
                let left = self.as_it_left(value);
                self.emit(Op::HasSomeWord { dst, of: left.reg, traits, word: other.reg });
                dst
            }
            (None, _) | (_, None) => value.reg,
            (Some(a), Some(b)) if a == b && !a.is_list() => self.binary(Binary::Equal, value.reg, other.reg, Type::Bool),
            (Some(Type::Object), Some(Type::Objects))
            | (Some(Type::Player), Some(Type::Players))
            | (Some(Type::Thing), Some(Type::Things)) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::Contains { dst, list: other.reg, item: value.reg });
                dst
            }
            (Some(Type::Object | Type::Player), Some(Type::Things)) => {
                let item = self.cast(value.reg, Type::Thing);
                let dst = self.reg(Type::Bool);
                self.emit(Op::Contains { dst, list: other.reg, item });
                dst
            }
            (Some(Type::Thing), Some(Type::Objects | Type::Players)) => {
                let list = self.cast(other.reg, Type::Things);
                let dst = self.reg(Type::Bool);
                self.emit(Op::Contains { dst, list, item: value.reg });
                dst
            }
            (Some(Type::Object | Type::Player), Some(Type::Thing)) => {
                let thing = self.cast(value.reg, Type::Thing);
                self.binary(Binary::Equal, thing, other.reg, Type::Bool)
            }
            (Some(Type::Thing), Some(Type::Object | Type::Player)) => {
                let thing = self.cast(other.reg, Type::Thing);
                self.binary(Binary::Equal, value.reg, thing, Type::Bool)
            }
            (Some(Type::Object), Some(Type::Card)) => {
                let card = self.reg(Type::Card);
                let left = self.as_it_left(value);
                self.emit(Op::Get { dst: card, place: Place::Definition, of: left.reg });
                self.binary(Binary::Equal, card, other.reg, Type::Bool)
            }
            (Some(Type::Words(_)), Some(Type::Number)) | (Some(Type::Number), Some(Type::Words(_) | Type::Bool)) => {
                self.binary(Binary::Equal, value.reg, other.reg, Type::Bool)
            }
            (Some(Type::Object), Some(Type::Bool)) => other.reg,
            (Some(a), Some(b)) => {
                let set_of_words = match b {
                    Type::Words(set) => self.names.traits.get(set.index()).map(|set| set.name.clone()),
                    _ => None,
                };
                let zone = if (a, b) == (Type::Zone, Type::Number) { self.zone_before(expr.span) } else { None };
                let (a, b) = (self.a_type(a), self.a_type(b));
                let problem =
                    Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, format!("{a} is never {b}")).label(format!("this is {b}"));
                if let Some((zone, how)) = zone {
                    let number = self.sources.slice(expr.span).to_owned();
                    self.report(
                        problem.help(format!("compare the number of its cards: `count of card in {zone} {how} {number}`")),
                    );
                    return self.error_value().reg;
                }
                self.report(match self.is_nothing(expr) {
                    true => problem.help("only an object, a player or a word can be `nothing`; no number is written `0`"),
                    false => match (set_of_words, bare_word(expr)) {
                        (Some(set), Some(name)) => {
                            problem.help(format!("a parameter for one word is declared `{}: word of {set}`", name.text))
                        }
                        _ => problem.help(format!("compare it with {a}")),
                    },
                });
                self.error_value().reg
            }
        }
    }

    /// The zone that is compared with what begins at a place, and the comparison: `hand of A ==`.
    fn zone_before(&self, right: Span) -> Option<(String, &'static str)> {
        let before = self.text_before(right).trim_end();
        let how = ["==", "!="].into_iter().find(|how| before.ends_with(how))?;
        let before = before.strip_suffix(how)?.trim_end();
        let begins = |word: &str| matches!(word, "if" | "while" | "and" | "or" | "not" | "where" | "when");
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '\'');
        let from = before.rfind(|c: char| !is_part(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let words: Vec<&str> = before.get(from..)?.split_whitespace().collect();
        let from = words.iter().rposition(|word| begins(word)).map_or(0, |at| at + 1);
        let zone = words.get(from..).filter(|words| !words.is_empty())?.join(" ");
        Some((zone, how))
    }

    /// Reports a comparison of a word set with a number.
    fn report_words_and_number(&mut self, words: Type, span: Span) {
        let set = self.type_name(words);
        self.report(
            Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("a {set} is never a number"))
                .label("this is a number")
                .help("test a word: `X is WORD`, `X that is WORD`"),
        );
    }

    /// Whether the cause of an event is known here.
    fn has_cause(&self) -> bool {
        self.local_type("cause").is_some()
    }

    /// Emits whether the conditions after an object value hold: `this in hand`, `it with power > 3`.
    pub fn object_with(&mut self, value: TypedRegister, selection: &Selection<'a>) -> Reg {
        let ty = value.ty.unwrap_or(Type::Object);
        let left = self.as_it_left(value);
        let as_it_left = value.is_moved.then_some(left.reg);
        let before = self.fun().candidate.replace(Candidate { as_it_left, ..Candidate::new(value.reg, ty) });
        let holds = self.passes_with_zone_of(selection, left.reg, value.reg, ty);
        self.fun().candidate = before;
        holds
    }

    /// Emits a short-circuit `and` or `or`.
    pub fn short_circuit(&mut self, and: bool, left: Reg, right: impl FnOnce(&mut Self) -> Reg) -> Reg {
        let dst = self.reg(Type::Bool);
        self.emit(Op::Copy { dst, src: left });
        let first = self.jump_unless(dst);
        if and {
            let right = right(self);
            self.emit(Op::Copy { dst, src: right });
            self.patch_jump(first);
        } else {
            let done = self.jump();
            self.patch_jump(first);
            let right = right(self);
            self.emit(Op::Copy { dst, src: right });
            self.patch_jump(done);
        }
        dst
    }
}

/// Whether an expression is a literal number.
fn is_written_number(expr: &Expr) -> bool {
    as_phrase(expr).is_some_and(|phrase| phrase.quantifier.is_none() && matches!(phrase.head, Head::Number(_)))
}

/// Returns the kind of a cause by its word.
fn cause_kind(word: &str) -> Option<i64> {
    match word {
        "rule" => Some(cause::RULE),
        "cost" => Some(cause::COST),
        "effect" => Some(cause::EFFECT),
        _ => None,
    }
}
