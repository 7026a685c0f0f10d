//! Lowers the constraints of a selection (words, statuses, controllers, conditions) into one filter function.

use super::function_builder::{Binding, Candidate};
use super::selection::{Constraint, SearchSpace, Selection};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use crate::phrase_syntax::Atom;
use fizzle_grammar::ast::Name;
use fizzle_ir::op::{Binary, Place};
use fizzle_ir::verbs::BuiltinFunction;
use fizzle_ir::{Op, Reg, TraitSetId, Type};
use smol_str::SmolStr;

impl<'a> Lowering<'a> {
    /// Returns the constraints of a selection, cheap ones first. "No ability" is dropped if the list is not searched, since abilities are
    /// only there.
    pub fn sorted_constraints(&self, selection: &Selection<'a>) -> Vec<Constraint<'a>> {
        let list_zone = self.library.zones.iter().position(|zone| zone.list);
        let searches_list = selection.search_spaces.iter().any(|base| match base {
            SearchSpace::Zone(zone) | SearchSpace::Of(zone, _) => Some(zone.index()) == list_zone,
            SearchSpace::Value(_) | SearchSpace::List(_) => true,
        });
        let mut tests: Vec<Constraint<'a>> = selection
            .constraints
            .iter()
            .filter(|test| !matches!(test, Constraint::NoAbility) || (searches_list && list_zone.is_some()))
            .filter(|test| match test {
                Constraint::Noun(inner) => !matches!(**inner, Constraint::NoAbility) || searches_list,
                _ => true,
            })
            .cloned()
            .collect();
        tests.sort_by_key(cost);
        tests
    }

    /// Emits the body of a filter function: a short-circuit conjunction of constraints.
    pub fn return_constraints(&mut self, tests: &[Constraint<'a>], reg: Reg, ty: Type) {
        let mut fails = Vec::new();
        let mut last = None;
        for (index, test) in tests.iter().enumerate() {
            let holds = self.check_constraint(test, reg, ty);
            if index + 1 == tests.len() {
                last = Some(holds);
            } else {
                fails.push(self.jump_unless(holds));
            }
        }
        let value = last.unwrap_or_else(|| self.constant(1, Type::Bool));
        self.emit(Op::Return { value: Some(value) });
        if !fails.is_empty() {
            for fail in fails {
                self.patch_jump(fail);
            }
            let no = self.constant(0, Type::Bool);
            self.emit(Op::Return { value: Some(no) });
        }
    }

    /// Returns the constraint of a quoted name: a word of an open trait set that some card prints, else a card. `name == "X"` always means
    /// the card.
    pub fn quoted_constraint(&mut self, name: &Name) -> Option<Constraint<'a>> {
        if let Some((traits, word)) = self.unambiguous_open_word(name) {
            return Some(Constraint::Word(traits, word));
        }
        if let Some(card) = self.names.card_id(name) {
            return Some(Constraint::Card(card));
        }
        self.report_unknown_card(name);
        None
    }

    /// Finds a quoted word of an open trait set, as [`Lowering::open_word`]; reports a word that several sets have.
    fn unambiguous_open_word(&mut self, name: &Name) -> Option<(TraitSetId, u16)> {
        let sets: Vec<String> = self
            .words
            .iter()
            .zip(&self.names.traits)
            .filter(|(words, declared)| declared.words.is_none() && words.contains_key(&name.text))
            .map(|(_, declared)| format!("`{}`", declared.name))
            .collect();
        if sets.len() > 1 {
            let message = format!("`{}` is a word of {}", name.text, sets.join(" and "));
            let problem = Diagnostic::new(&codes::AMBIGUOUS_WORD, name.span, message);
            self.report(problem.help("print each word on cards under one trait set only"));
        }
        self.open_word(&name.text)
    }

    /// Finds a quoted word of an open trait set: the set, and the number of the word.
    pub fn open_word(&self, word: &str) -> Option<(TraitSetId, u16)> {
        self.words.iter().zip(&self.names.traits).enumerate().find_map(|(set, (words, declared))| {
            let index = words.get(word).filter(|_| declared.words.is_none())?;
            Some((TraitSetId(set as u32), *index))
        })
    }

    /// The word of an open set that differs from a word only by case, and the set.
    pub fn open_word_of_other_case(&self, word: &str) -> Option<(&SmolStr, &SmolStr)> {
        let open = self.words.iter().zip(&self.names.traits).filter(|(_, set)| set.words.is_none());
        let mut known = open.flat_map(|(words, set)| words.keys().map(|known| (known, &set.name)));
        known.find(|(known, _)| known.eq_ignore_ascii_case(word))
    }

    /// Returns the constraint of a word after `has` or `without`: a keyword, a trait word, a bool status or property, or a quoted word.
    pub fn word_constraint(&mut self, name: &Name) -> Option<Constraint<'a>> {
        if let Some((_, Binding::Word(traits, word))) = self.local_type(&name.text) {
            self.mark_used(&name.text);
            return Some(Constraint::Word(traits, word));
        }
        for meaning in self.names.meanings(&name.text) {
            match meaning {
                Meaning::Keyword(id) => return Some(Constraint::Keyword(*id)),
                Meaning::Word(traits, word) => return Some(Constraint::Word(*traits, *word)),
                Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Bool) => {
                    return Some(Constraint::Flag(Place::Status(*n)));
                }
                Meaning::Property(n) if self.names.types[0].get(usize::from(*n)) == Some(&Type::Bool) => {
                    return Some(Constraint::Flag(Place::Property(*n)));
                }
                _ => {}
            }
        }
        if let Some((traits, word)) = self.unambiguous_open_word(name) {
            return Some(Constraint::Word(traits, word));
        }
        self.report_unknown_word(name);
        None
    }

    /// Emits whether a candidate satisfies a constraint.
    pub fn check_constraint(&mut self, test: &Constraint<'a>, reg: Reg, ty: Type) -> Reg {
        match test {
            Constraint::Word(traits, word) => self.has_word(reg, *traits, *word),
            Constraint::Flag(place) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::Get { dst, place: *place, of: reg });
                dst
            }
            Constraint::Keyword(keyword) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::HasKeyword { dst, of: reg, keyword: *keyword });
                dst
            }
            Constraint::Card(card) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::IsCard { dst, of: reg, card: *card });
                dst
            }
            Constraint::Other => self.binary(Binary::NotEqual, reg, 0, Type::Bool),
            Constraint::Opponent => {
                self.report_no_opponent(self.at);
                self.binary(Binary::NotEqual, reg, 1, Type::Bool)
            }
            Constraint::NoAbility => {
                let builtin = BuiltinFunction::IsAbility.number();
                let is = self.reg(Type::Bool);
                self.emit(Op::Builtin { dst: is, builtin, args: vec![reg] });
                let dst = self.reg(Type::Bool);
                self.emit(Op::Not { dst, a: is });
                dst
            }
            Constraint::Controlled(atom) => self.controlled_by(atom, reg),
            Constraint::Scoped => {
                let level = self.funs.iter().rposition(|fun| fun.scope_player.is_some());
                let Some((level, player)) = level.and_then(|level| Some((level, self.funs[level].scope_player?))) else {
                    return self.constant(1, Type::Bool);
                };
                let player = self.capture(self.funs.len() - 1, level, player);
                let controller = self.reg(Type::Player);
                self.emit(Op::Get { dst: controller, place: Place::Controller, of: reg });
                self.binary(Binary::Equal, controller, player, Type::Bool)
            }
            Constraint::Holds(expr) => {
                let before = self.tested(reg, ty);
                let holds = self.bool(expr);
                self.fun().candidate = before;
                holds
            }
            Constraint::Is(expr, negated) => {
                let before = self.tested(reg, ty);
                let value = self.fun().candidate.map_or(TypedRegister::new(reg, ty), Candidate::value);
                let holds = self.predicate(value, expr);
                self.fun().candidate = before;
                if *negated { self.negate(holds) } else { holds }
            }
            Constraint::Not(inner) => {
                let holds = self.check_constraint(inner, reg, ty);
                self.negate(holds)
            }
            Constraint::Noun(inner) => {
                self.hidden_locals_depth += 1;
                let holds = self.check_constraint(inner, reg, ty);
                self.hidden_locals_depth -= 1;
                holds
            }
        }
    }

    /// Makes the object or player in a register the candidate, unless it is the present candidate as it left. Returns the one before.
    fn tested(&mut self, reg: Reg, ty: Type) -> Option<Candidate> {
        let before = self.fun().candidate;
        if before.is_none_or(|before| before.as_it_left != Some(reg)) {
            self.fun().candidate = Some(Candidate::new(reg, ty));
        }
        before
    }

    fn controlled_by(&mut self, atom: &Atom<'a>, reg: Reg) -> Reg {
        let span = atom.span();
        let controller = self.reg(Type::Player);
        self.emit(Op::Get { dst: controller, place: Place::Controller, of: reg });
        if atom.of.is_none() && atom.word().is_some_and(|word| word.text == "opponent") && self.local_type("opponent").is_none() {
            self.report_no_opponent(span);
            return self.binary(Binary::NotEqual, controller, 1, Type::Bool);
        }
        let player = self.atom(atom, Some(Type::Player));
        if player.ty == Some(Type::Players) {
            let dst = self.reg(Type::Bool);
            self.emit(Op::Contains { dst, list: player.reg, item: controller });
            return dst;
        }
        let player = self.coerce(player, Type::Player, span);
        self.binary(Binary::Equal, controller, player, Type::Bool)
    }

    /// Emits the negation of a bool.
    pub fn negate(&mut self, a: Reg) -> Reg {
        let dst = self.reg(Type::Bool);
        self.emit(Op::Not { dst, a });
        dst
    }

    /// Emits a binary operation into a new register.
    pub fn binary(&mut self, op: Binary, a: Reg, b: Reg, ty: Type) -> Reg {
        let dst = self.reg(ty);
        self.emit(Op::Binary { op, dst, a, b });
        dst
    }
}

fn cost(test: &Constraint<'_>) -> u8 {
    match test {
        Constraint::Word(..)
        | Constraint::Flag(_)
        | Constraint::Card(_)
        | Constraint::Other
        | Constraint::Opponent
        | Constraint::NoAbility
        | Constraint::Keyword(_) => 0,
        Constraint::Controlled(_) | Constraint::Scoped => 1,
        Constraint::Is(..) => 2,
        Constraint::Holds(_) => 3,
        Constraint::Not(inner) | Constraint::Noun(inner) => cost(inner),
    }
}
