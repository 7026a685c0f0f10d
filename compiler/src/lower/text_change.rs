//! Text changes (CR 612): words in the text of a card that effects can change are lowered as slots, not as constants.
//!
//! A slot is a register that the machine fills with the current word as a function begins. It belongs to the outermost function of an
//! ability and is captured by the others, so that the ability keeps the words that were valid when it began.

use super::effect::UnclosedChange;
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{self, MAX_KEYWORD_VERSIONS};
use crate::maps::IndexMap;
use crate::names::Meaning;
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Call, Expr, Head, Name, Phrase, Span};
use fizzle_ir::op::{Binary, TextSlot};
use fizzle_ir::{AbilityBundleId, KeywordId, Op, PACKED_WORD, PACKED_WORDS, Reg, TraitSetId, Type};

impl<'a> Lowering<'a> {
    /// Returns the level of the function that holds the slots here. `None` if effects cannot change words of the set, or outside of a
    /// card's text.
    fn slot_level(&self, traits: TraitSetId) -> Option<usize> {
        let changeable = self.names.traits.get(traits.index()).is_some_and(|set| set.changeable);
        let context = self.funs.iter().rposition(|fun| fun.context.is_some())?;
        let of_card = self.funs.get(context).is_some_and(|fun| fun.context == Some(true));
        (changeable && of_card && context + 1 < self.funs.len()).then_some(context + 1)
    }

    /// Returns the register of a word that effects can change here; `None` for a word that they cannot change.
    pub fn slot(&mut self, traits: TraitSetId, word: u16) -> Option<Reg> {
        let level = self.slot_level(traits)?;
        let fun = self.funs.get_mut(level)?;
        let reg = match fun.slots.iter().find(|slot| slot.traits == traits && slot.word == word) {
            Some(slot) => slot.reg,
            None => {
                fun.registers.push(Type::Word(traits));
                let reg = fun.registers.len() as Reg - 1;
                fun.slots.push(TextSlot { reg, traits, word });
                fun.known_on_announcement.insert(reg);
                reg
            }
        };
        Some(self.capture(self.funs.len() - 1, level, reg))
    }

    /// Lowers a word as a value.
    pub fn word_value(&mut self, traits: TraitSetId, word: u16) -> TypedRegister {
        let reg = match self.slot(traits, word) {
            Some(reg) => reg,
            None => self.constant(i64::from(word) + 1, Type::Word(traits)),
        };
        TypedRegister::new(reg, Type::Word(traits))
    }

    /// Lowers a word as a constant set of words. Reports a word that effects can change, since the set would be fixed.
    pub fn word_mask(&mut self, traits: TraitSetId, word: u16, span: Span) -> TypedRegister {
        if self.slot_level(traits).is_some() {
            let problem =
                Diagnostic::new(&codes::MISPLACED_FORM, span, "effects can change this word, so it is not a fixed set of words");
            let before = self.text_before(span);
            // `price(n, green)`
            let amount = before.rfind(" price(").and_then(|at| before.get(at + " price(".len()..));
            let amount = amount.and_then(|amount| Some(amount.trim_end().strip_suffix(',')?.to_owned()));
            let symbol = self.symbol_of_kind(self.sources.slice(span));
            self.report(match (amount, symbol) {
                (Some(amount), Some(symbol)) => problem.help(format!(
                    "write a fixed kind as its symbol, and a number as a further part: `{symbol}, price generic({amount})`"
                )),
                _ => problem.help("test single words: `X is WORD`"),
            });
        }
        let reg = self.constant(1i64.wrapping_shl(u32::from(word)), Type::Words(traits));
        TypedRegister::new(reg, Type::Words(traits))
    }

    /// Emits whether an object has a word.
    pub fn has_word(&mut self, of: Reg, traits: TraitSetId, word: u16) -> Reg {
        let slot = self.slot(traits, word);
        let dst = self.reg(Type::Bool);
        match slot {
            Some(word) => self.emit(Op::HasSomeWord { dst, of, traits, word }),
            None => self.emit(Op::HasWord { dst, of, traits, word }),
        };
        dst
    }

    /// Adds the bundles of all versions of a keyword that text changes of its arguments may lead to. Returns the changeable parameters and
    /// their sets.
    pub fn keyword_versions(&mut self, keyword: KeywordId, args: &[i32]) -> Vec<(usize, TraitSetId)> {
        let Some((name, declared)) = self.names.keywords.get_index(keyword.index()) else { return Vec::new() };
        let sets = declared.params.iter().enumerate().filter_map(|(number, (_, ty))| match ty {
            Type::Words(traits) if self.names.traits.get(traits.index()).is_some_and(|set| set.changeable) => {
                Some((number, *traits))
            }
            _ => None,
        });
        let sets: Vec<(usize, TraitSetId)> = sets.collect();
        // the versions are the same for all words, so that one text adds them for all others
        let mut key = args.to_vec();
        sets.iter().filter_map(|(number, _)| key.get_mut(*number).map(|arg| *arg = 0)).for_each(drop);
        let words: usize = sets.iter().filter_map(|(_, traits)| self.words.get(traits.index())).map(IndexMap::len).sum();
        if self.added_versions.insert((keyword, key), words) == Some(words) {
            return sets;
        }
        let mut versions = vec![args.to_vec()];
        for (number, traits) in &sets {
            let words = self.words.get(traits.index()).map_or(0, |words| words.len()) as i32;
            let every = |args: &Vec<i32>| {
                let args = args.clone();
                (0..words).map(move |word| {
                    let mut args = args.clone();
                    if let Some(arg) = args.get_mut(*number) {
                        *arg = word;
                    }
                    args
                })
            };
            if versions.len().saturating_mul(words as usize) > MAX_KEYWORD_VERSIONS {
                let message = format!("texts can change the words of `{name}` to more than {MAX_KEYWORD_VERSIONS} versions");
                self.diagnostics.push(limits::exceeded(declared.span, message, "declare its sets without `changeable`"));
                return Vec::new();
            }
            versions = versions.iter().flat_map(every).collect();
        }
        if !sets.is_empty() {
            for args in versions {
                self.keyword_bundle(keyword, args);
            }
        }
        sets
    }

    /// Lowers a granted keyword whose argument is a word that effects can change: a choice between the bundles of all words. `None` for any
    /// other keyword.
    pub fn pick_change(&mut self, name: &Name, keyword: KeywordId, args: &[i32]) -> Option<UnclosedChange> {
        let sets = self.keyword_versions(keyword, args);
        let (number, traits) = *sets.first()?;
        self.begin_child(true, Some(Type::Number));
        self.fun().outlives_statement = true;
        self.trailing_param(Type::Object);
        let word = args.get(number).and_then(|word| u16::try_from(*word).ok()).unwrap_or(0);
        let slot = self.slot(traits, word);
        if let Some(value) = slot {
            self.emit(Op::Return { value: Some(value) });
        }
        let fun = self.end_child();
        slot?;
        if sets.len() > 1 {
            self.report(
                Diagnostic::new(&codes::LIMIT, name.span, "a text can give a keyword with at most one changeable word")
                    .help("declare a keyword with one such parameter"),
            );
        }
        let words = self.words.get(traits.index()).map_or(0, |words| words.len()) as i32;
        let version = |lower: &mut Self, word: i32| {
            let mut args = args.to_vec();
            if let Some(arg) = args.get_mut(number) {
                *arg = word;
            }
            lower.keyword_bundle(keyword, args)
        };
        let units: Vec<AbilityBundleId> = (0..words).map(|word| version(self, word)).collect();
        Some(UnclosedChange::GainChosen(units, Box::new(fun)))
    }

    /// Emits the changeable words that a text has about the token it creates, packed in one number; 0 if it has none.
    pub fn created_words(&mut self, call: &'a Call) -> Reg {
        let none = self.constant(0, Type::Number);
        let Some(Phrase { quantifier: None, head: Head::Quoted(name), .. }) = call.operands.first().and_then(as_phrase) else {
            return none;
        };
        let Some(card) = self.names.card_at(&name.text, name.span) else { return none };
        let mut words: Vec<(TraitSetId, u16)> = Vec::new();
        for fact in &card.facts {
            for meaning in self.names.meanings(&fact.word.text) {
                match *meaning {
                    Meaning::Word(traits, word) if fact.value.is_none() => words.push((traits, word)),
                    Meaning::Traits(traits) => {
                        let quoted = fact.value.as_deref().and_then(as_phrase).and_then(|phrase| match &phrase.head {
                            Head::Quoted(name) | Head::Word(name) => Some(&name.text),
                            _ => None,
                        });
                        let set = self.words.get(traits.index());
                        words.extend(quoted.and_then(|name| set?.get(name)).map(|word| (traits, *word)));
                    }
                    _ => {}
                }
            }
        }
        words.retain(|(traits, _)| self.slot_level(*traits).is_some());
        words.sort_unstable();
        words.dedup();
        if words.len() > PACKED_WORDS || words.iter().any(|(_, word)| i64::from(*word) + 1 >= PACKED_WORD) {
            let message = format!("a text cannot contain that many changeable words of `{}`", name.text);
            self.error(&codes::LIMIT, name.span, message);
            return none;
        }
        let mut packed = none;
        for (traits, word) in words.into_iter().rev() {
            let Some(word) = self.slot(traits, word) else { continue };
            let base = self.constant(PACKED_WORD, Type::Number);
            let before = self.binary(Binary::Multiply, packed, base, Type::Number);
            packed = self.binary(Binary::Add, before, word, Type::Number);
        }
        packed
    }

    /// Lowers `TRAITS NEW instead of OLD`: a change of the words in a text.
    pub fn instead_of(&mut self, set: &'a Name, new: &'a Expr, old: &'a Expr) -> Option<(u8, UnclosedChange)> {
        let traits = self.trait_set(set)?;
        if !self.names.traits.get(traits.index()).is_some_and(|set| set.changeable) {
            let message = format!("the words of `{}` cannot be changed in texts", set.text);
            let problem = Diagnostic::new(&codes::MISPLACED_FORM, set.span, message);
            self.report(problem.help(format!("declare them changeable: `traits {} changeable …`", set.text)));
            return None;
        }
        let new = self.value_child(Type::Word(traits), new, false);
        let old = self.value_child(Type::Word(traits), old, false);
        let layer = self.names.layers.iter().position(|layer| layer == "text").unwrap_or(0) as u8;
        Some((layer, UnclosedChange::SubstituteWord(traits, new, old)))
    }
}
