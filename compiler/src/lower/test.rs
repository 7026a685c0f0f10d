//! Tests of candidates: words, statuses, controllers and conditions, folded into one filter function.

use super::function::{Binding, Candidate};
use super::phrase::Atom;
use super::select::{Base, Selection, Test};
use super::{Lower, Val};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use fizzle_grammar::tree::Name;
use fizzle_runtime::ir::op::{Binary, Place};
use fizzle_runtime::ir::verbs::BUILTINS;
use fizzle_runtime::ir::{Op, Reg, TraitsId, Type};

impl<'a> Lower<'a> {
    /// The tests that matter, cheap ones first.
    pub fn sorted(&self, selection: &Selection<'a>) -> Vec<Test<'a>> {
        let list_zone = self.library.zones.iter().position(|zone| zone.list);
        let searches_list = selection.bases.iter().any(|base| match base {
            Base::Zone(zone) | Base::Of(zone, _) => Some(zone.index()) == list_zone,
            Base::Value(_) | Base::List(_) => true,
        });
        let mut tests: Vec<Test<'a>> = selection
            .tests
            .iter()
            .filter(|test| !matches!(test, Test::NoAbility) || (searches_list && list_zone.is_some()))
            .filter(|test| match test {
                Test::Noun(inner) => !matches!(**inner, Test::NoAbility) || searches_list,
                _ => true,
            })
            .cloned()
            .collect();
        tests.sort_by_key(cost);
        tests
    }

    /// The body of a filter function: all tests, short-circuit.
    pub fn return_tests(&mut self, tests: &[Test<'a>], reg: Reg, ty: Type) {
        let mut fails = Vec::new();
        let mut last = None;
        for (index, test) in tests.iter().enumerate() {
            let holds = self.test(test, reg, ty);
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
                self.land(fail);
            }
            let no = self.constant(0, Type::Bool);
            self.emit(Op::Return { value: Some(no) });
        }
    }

    /// The test of a quoted name: a word of an open trait set that some card has, else a card (`name == "X"` always means the card).
    pub fn quoted_test(&mut self, name: &Name) -> Option<Test<'a>> {
        if let Some((traits, word)) = self.one_open_word(name) {
            return Some(Test::Word(traits, word));
        }
        if let Some(card) = self.names.card_id(&name.text) {
            return Some(Test::Card(card));
        }
        self.unknown_card(name);
        None
    }

    /// As [`Lower::open_word`]; reports a word that several sets have.
    fn one_open_word(&mut self, name: &Name) -> Option<(TraitsId, u16)> {
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

    /// A quoted word of an open trait set.
    pub fn open_word(&self, word: &str) -> Option<(TraitsId, u16)> {
        self.words.iter().zip(&self.names.traits).enumerate().find_map(|(set, (words, declared))| {
            let index = words.get(word).filter(|_| declared.words.is_none())?;
            Some((TraitsId(set as u32), *index))
        })
    }

    /// The test of a word after `has` and `without`: a keyword, trait word, bool status, or quoted word.
    pub fn word_test(&mut self, name: &Name) -> Option<Test<'a>> {
        if let Some((_, Binding::Word(traits, word))) = self.local_type(&name.text) {
            self.mark_used(&name.text);
            return Some(Test::Word(traits, word));
        }
        for meaning in self.names.meanings(&name.text) {
            match meaning {
                Meaning::Keyword(id) => return Some(Test::Keyword(*id)),
                Meaning::Word(traits, word) => return Some(Test::Word(*traits, *word)),
                Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Bool) => {
                    return Some(Test::Flag(Place::Status(*n)));
                }
                Meaning::Property(n) if self.names.types[0].get(usize::from(*n)) == Some(&Type::Bool) => {
                    return Some(Test::Flag(Place::Property(*n)));
                }
                _ => {}
            }
        }
        if let Some((traits, word)) = self.one_open_word(name) {
            return Some(Test::Word(traits, word));
        }
        self.unknown(name);
        None
    }

    /// Whether a candidate passes a test.
    pub fn test(&mut self, test: &Test<'a>, reg: Reg, ty: Type) -> Reg {
        match test {
            Test::Word(traits, word) => self.has_word(reg, *traits, *word),
            Test::Flag(place) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::Get { dst, place: *place, of: reg });
                dst
            }
            Test::Keyword(keyword) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::HasKeyword { dst, of: reg, keyword: *keyword });
                dst
            }
            Test::Card(card) => {
                let dst = self.reg(Type::Bool);
                self.emit(Op::IsCard { dst, of: reg, card: *card });
                dst
            }
            Test::Other => self.binary(Binary::NotEqual, reg, 0, Type::Bool),
            Test::Opponent => self.binary(Binary::NotEqual, reg, 1, Type::Bool),
            Test::NoAbility => {
                let builtin = BUILTINS.iter().position(|row| row.name == "is_ability").unwrap_or(0) as u16;
                let is = self.reg(Type::Bool);
                self.emit(Op::Builtin { dst: is, builtin, args: vec![reg] });
                let dst = self.reg(Type::Bool);
                self.emit(Op::Not { dst, a: is });
                dst
            }
            Test::Controlled(atom) => self.controlled_by(atom, reg),
            Test::Scoped => {
                let level = self.funs.iter().rposition(|fun| fun.scoped.is_some());
                let Some((level, player)) = level.and_then(|level| Some((level, self.funs[level].scoped?))) else {
                    return self.constant(1, Type::Bool);
                };
                let player = self.capture(self.funs.len() - 1, level, player);
                let controller = self.reg(Type::Player);
                self.emit(Op::Get { dst: controller, place: Place::Controller, of: reg });
                self.binary(Binary::Equal, controller, player, Type::Bool)
            }
            Test::Holds(expr) => {
                let before = self.fun().candidate.replace(Candidate { reg, ty, bare: true });
                let holds = self.bool(expr);
                self.fun().candidate = before;
                holds
            }
            Test::Is(expr, negated) => {
                let before = self.fun().candidate.replace(Candidate { reg, ty, bare: true });
                let holds = self.predicate(Val::new(reg, ty), expr);
                self.fun().candidate = before;
                if *negated { self.negate(holds) } else { holds }
            }
            Test::Not(inner) => {
                let holds = self.test(inner, reg, ty);
                self.negate(holds)
            }
            Test::Noun(inner) => {
                self.hygiene += 1;
                let holds = self.test(inner, reg, ty);
                self.hygiene -= 1;
                holds
            }
        }
    }

    fn controlled_by(&mut self, atom: &Atom<'a>, reg: Reg) -> Reg {
        let span = atom.span();
        let controller = self.reg(Type::Player);
        self.emit(Op::Get { dst: controller, place: Place::Controller, of: reg });
        if atom.of.is_none() && atom.word().is_some_and(|word| word.text == "opponent") && self.local_type("opponent").is_none() {
            return self.binary(Binary::NotEqual, controller, 1, Type::Bool);
        }
        let player = self.atom(atom, Some(Type::Player));
        if player.ty == Some(Type::Players) {
            let dst = self.reg(Type::Bool);
            self.emit(Op::Contains { dst, list: player.reg, item: controller });
            return dst;
        }
        let player = self.want(player, Type::Player, span);
        self.binary(Binary::Equal, controller, player, Type::Bool)
    }

    /// `not`
    pub fn negate(&mut self, a: Reg) -> Reg {
        let dst = self.reg(Type::Bool);
        self.emit(Op::Not { dst, a });
        dst
    }

    /// A binary operation in a new register.
    pub fn binary(&mut self, op: Binary, a: Reg, b: Reg, ty: Type) -> Reg {
        let dst = self.reg(ty);
        self.emit(Op::Binary { op, dst, a, b });
        dst
    }
}

fn cost(test: &Test<'_>) -> u8 {
    match test {
        Test::Word(..) | Test::Flag(_) | Test::Card(_) | Test::Other | Test::Opponent | Test::NoAbility | Test::Keyword(_) => 0,
        Test::Controlled(_) | Test::Scoped => 1,
        Test::Is(..) => 2,
        Test::Holds(_) => 3,
        Test::Not(inner) | Test::Noun(inner) => cost(inner),
    }
}
