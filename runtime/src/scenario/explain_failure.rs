//! What was found instead: a condition is computed once more, and what it hangs on is said with its values.

use super::run::ScenarioRun;
use crate::ir::op::{Binary, Op, Place};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, KeywordId, TraitSetId, Type};
use crate::program::Program;
use crate::state::ObjectRef;
use crate::vm::eval_trace::{DEPTH, EvalTrace, TracedValue};
use std::sync::Arc;

/// Of a list so many are named.
const NAMED: usize = 12;

impl ScenarioRun<'_> {
    /// Why a condition does not hold: what there is instead, if that can be told.
    pub(super) fn explain_false(&mut self, condition: FnId) -> Option<String> {
        let args = self.args();
        self.why_function(condition, &args, true, DEPTH)
    }

    fn why_function(&mut self, function: FnId, args: &[i64], wanted: bool, depth: usize) -> Option<String> {
        let program = Arc::clone(&self.machine.program);
        let function = program.function(function)?;
        let (world, scratch) = self.machine.world();
        let computed = EvalTrace::new(&world, scratch, function, args);
        self.why(&program, &computed, computed.result?, wanted, depth)
    }

    /// Why a bool is not what is wanted.
    fn why(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize, wanted: bool, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let part = |number: usize| it.part(at, number);
        match it.op(at)? {
            Op::Copy { .. } => {
                let own = self.why(program, it, part(0)?, wanted, depth);
                // the other side of an `or`: it was tried first, and did not hold either
                let other = it.made(at)?.before.filter(|before| matches!(it.op(*before), Some(Op::Copy { .. })));
                let same = other.filter(|other| it.made(*other).map(|made| made.value) == it.made(at).map(|made| made.value));
                let other = same.and_then(|other| self.why(program, it, other, wanted, depth));
                both(other, own)
            }
            Op::Not { .. } => self.why(program, it, part(0)?, !wanted, depth),
            Op::Binary { op: op @ (Binary::And | Binary::Or), .. } => {
                let value = |number: usize| it.made(it.part(at, number)?).map(|made| made.value != 0);
                let one_is_enough = (*op == Binary::And) == wanted;
                match (value(0), one_is_enough) {
                    (Some(left), true) if left == wanted => self.why(program, it, part(1)?, wanted, depth),
                    (_, true) => self.why(program, it, part(0)?, wanted, depth),
                    (_, false) => {
                        let left = self.why(program, it, part(0)?, wanted, depth);
                        let right = self.why(program, it, part(1)?, wanted, depth);
                        both(left, right)
                    }
                }
            }
            Op::Binary { op: Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual, .. } => {
                self.compared(program, it, at)
            }
            Op::InZone { .. } | Op::Exists { .. } => {
                let object = it.reference(at, 0)?;
                Some(self.whereabouts(object))
            }
            Op::HasWord { traits, .. } | Op::HasSomeWord { traits, .. } => {
                let object = it.reference(at, 0)?;
                Some(self.words_of(program, object, *traits))
            }
            Op::HasCommonWord { traits, .. } => {
                let (a, b) = (it.reference(at, 0)?, it.reference(at, 1)?);
                Some(format!("{}; {}", self.words_of(program, a, *traits), self.words_of(program, b, *traits)))
            }
            Op::HasKeyword { .. } => {
                let object = it.reference(at, 0)?;
                Some(self.keywords_of(program, object))
            }
            Op::IsCard { .. } => {
                let object = it.reference(at, 0)?;
                let is = self.object(object);
                Some(format!("it is {is}"))
            }
            Op::Contains { .. } => {
                let (list, item) = (it.made(part(0)?)?.clone(), it.made(part(1)?)?.clone());
                let (all, one) = (self.list_text(list.ty, &list.list), self.value_text(item.ty, item.value, None));
                Some(format!("{one} is {}one of {all}", if wanted { "not " } else { "" }))
            }
            Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => {
                let parts = it.made(at)?.of.clone();
                let skip = usize::from(matches!(it.op(at)?, Op::CallUnconcealed { .. }));
                let args: Vec<i64> =
                    parts.iter().take(parts.len() - skip).filter_map(|part| Some(it.made(*part)?.value)).collect();
                let takes_lists = parts.iter().any(|part| it.made(*part).is_some_and(|made| made.ty.is_list()));
                let why = if takes_lists { None } else { self.why_function(*function, &args, wanted, depth) };
                why.or_else(|| self.fact(program, it, at, wanted))
            }
            Op::InSpan { .. } => Some(format!("the game is{}", self.span())),
            _ => self.fact(program, it, at, wanted),
        }
    }

    /// A bool that is read: that it is so, or not.
    fn fact(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize, wanted: bool) -> Option<String> {
        let what = self.described(program, it, at)?;
        Some(format!("{what} is {}", if wanted { "no" } else { "yes" }))
    }

    /// Both sides of a comparison, each with its value.
    fn compared(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let (left, right) = (it.origin(it.part(at, 0)?), it.origin(it.part(at, 1)?));
        let is_constant = |side: usize| matches!(it.op(side), Some(Op::Const { .. } | Op::Constant { .. }));
        if let (Some(Op::Get { place: Place::Zone, .. }), Some(object)) = (it.op(left), it.reference(left, 0)) {
            return Some(self.whereabouts(object));
        }
        let zero = |side: usize| is_constant(side) && it.made(side).is_some_and(|made| made.value == 0);
        if let (Some(Op::Count { .. }), true) = (it.op(left), zero(right)) {
            return self.counted(it, left);
        }
        let sides: Vec<usize> = [left, right].into_iter().filter(|side| !is_constant(*side)).collect();
        // what a name of the scenario stands for is known where the other side says something
        let is_named = |side: &usize| it.made(*side).is_some_and(|made| made.pc.is_none());
        let telling: Vec<usize> = sides.iter().copied().filter(|side| !is_named(side)).collect();
        let mut texts = Vec::new();
        for side in if telling.is_empty() { sides } else { telling } {
            texts.push(self.valued(program, it, side)?);
        }
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// What a list has whose elements are counted, or why it has none.
    fn counted(&mut self, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let list = it.part(at, 0)?;
        let made = it.made(list)?.clone();
        if !made.list.is_empty() {
            return Some(format!("there is {}", self.list_text(made.ty, &made.list)));
        }
        let Some(Op::Filter { .. }) = it.op(list) else { return Some("there is none".to_owned()) };
        let from = it.made(it.part(list, 0)?)?.clone();
        if from.list.is_empty() {
            return Some("there is none".to_owned());
        }
        Some(format!("none of {} is that", self.list_text(from.ty, &from.list)))
    }

    /// A value with what it is: `life of A is 18`.
    fn valued(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let made = it.made(at)?.clone();
        let value =
            if made.ty.is_list() { self.list_text(made.ty, &made.list) } else { self.value_text(made.ty, made.value, None) };
        if let Some(Op::Count { .. }) = it.op(at) {
            let list = it.made(it.part(at, 0)?)?.clone();
            let all = if list.list.is_empty() { String::new() } else { format!(": {}", self.list_text(list.ty, &list.list)) };
            return Some(format!("there are {value}{all}"));
        }
        match self.described(program, it, at) {
            Some(what) if made.pc.is_some() => Some(format!("{what} is {value}")),
            // a name of the scenario
            _ => Some(format!("it is {value}")),
        }
    }

    /// What a value is, in words.
    fn described(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let library = &program.library;
        let name =
            |table: &[crate::ir::Variable], n: u16| table.get(usize::from(n)).map_or_else(String::new, |it| it.name.clone());
        let of = |this: &mut Self, number: usize| {
            let part = it.part(at, number)?;
            let made = it.made(part)?;
            Some(this.value_text(made.ty, made.value, Some(&made.list)))
        };
        match it.op(at)? {
            Op::Get { place, .. } | Op::GetKey { place, .. } => {
                let what = match place {
                    Place::Property(n) => name(&library.properties, *n),
                    Place::Printed(n) => format!("printed {}", name(&library.properties, *n)),
                    Place::Words(traits) => library.traits.get(traits.index()).map_or_else(String::new, |set| set.name.clone()),
                    Place::Status(n) => name(&library.statuses, *n),
                    Place::Player(n) => name(&library.player_variables, *n),
                    Place::Global(n) => return Some(name(&library.globals, *n)),
                    Place::Owner => "the owner".to_owned(),
                    Place::Controller => "the controller".to_owned(),
                    Place::Zone => "the zone".to_owned(),
                    Place::Definition => "the card".to_owned(),
                    Place::SourceOf => "the source".to_owned(),
                    Place::Host => "what is under it, the host".to_owned(),
                    Place::Face => "the face".to_owned(),
                };
                let what = match it.op(at)? {
                    Op::GetKey { .. } => format!("{what}({})", of(self, 1)?),
                    _ => what,
                };
                Some(format!("{what} of {}", of(self, 0)?))
            }
            Op::KeywordValue { keyword, .. } => {
                let keyword = library.keywords.get(keyword.index()).map_or("", |keyword| keyword.name.as_str());
                Some(format!("{keyword} of {}", of(self, 0)?))
            }
            Op::Builtin { builtin, .. } => {
                let name = BUILTINS.get(usize::from(*builtin))?.name;
                Some(format!("`{name}({})`", self.arguments(it, at, 0)))
            }
            Op::Call { function, .. } => {
                let name = program.function(*function)?.name.clone();
                let name = name.strip_prefix("function ").unwrap_or(&name).to_owned();
                Some(format!("`{name}({})`", self.arguments(it, at, 2)))
            }
            Op::Active { .. } => Some("the active player".to_owned()),
            Op::Opponent { .. } => Some(format!("the opponent of {}", of(self, 0)?)),
            Op::Fold { .. } => Some("the result".to_owned()),
            Op::ElementAt { .. } | Op::TakeEnds { .. } => Some("the chosen one".to_owned()),
            Op::Binary { .. } => Some("the result".to_owned()),
            _ => None,
        }
    }

    /// The arguments of a call, without those that every function of a text has.
    fn arguments(&mut self, it: &EvalTrace<'_>, at: usize, skip: usize) -> String {
        let parts: Vec<TracedValue> = it
            .made(at)
            .map_or(&[][..], |made| made.of.as_slice())
            .iter()
            .skip(skip)
            .filter_map(|part| it.made(*part).cloned())
            .collect();
        let mut texts = Vec::new();
        for made in parts {
            texts.push(self.value_text(made.ty, made.value, Some(&made.list)));
        }
        texts.join(", ")
    }

    /// Where an object is.
    pub(super) fn whereabouts(&mut self, it: ObjectRef) -> String {
        let name = self.object(it);
        if it.is_none() {
            return "there is no such object".to_owned();
        }
        match self.machine.state.zone(it.slot()).filter(|_| self.machine.state.exists(it)) {
            Some(zone) => format!("{name} is in {}", self.zone(zone)),
            None => format!("{name} is in no zone"),
        }
    }

    fn words_of(&mut self, program: &Program, it: ObjectRef, traits: TraitSetId) -> String {
        let name = self.object(it);
        let Some(set) = program.library.traits.get(traits.index()) else { return name };
        let first = program.row.words.get(traits.index()).copied().unwrap_or_default();
        let (world, _) = self.machine.world();
        let has = |word: &usize| world.row_word(it, first + word / 32) & (1 << (word % 32)) != 0;
        let words: Vec<&str> =
            (0..set.words.len()).filter(has).filter_map(|word| set.words.get(word)).map(String::as_str).collect();
        match words.as_slice() {
            [] => format!("{name} has no {}", set.name),
            words => format!("the {} of {name}: {}", set.name, words.join(", ")),
        }
    }

    fn keywords_of(&mut self, program: &Program, it: ObjectRef) -> String {
        let name = self.object(it);
        let (world, _) = self.machine.world();
        let known = program.library.keywords.iter().enumerate();
        let has = known.filter(|(number, _)| world.keyword(it, KeywordId(*number as u32)).is_some());
        let names: Vec<&str> = has.map(|(_, keyword)| keyword.name.as_str()).collect();
        match names.as_slice() {
            [] => format!("{name} has no keywords"),
            names => format!("the keywords of {name}: {}", names.join(", ")),
        }
    }

    /// The elements of a list.
    pub(super) fn list_text(&mut self, ty: Type, list: &[u32]) -> String {
        let mut names = Vec::new();
        for item in list.iter().take(NAMED) {
            names.push(match ty {
                Type::Objects => self.object(ObjectRef(*item)),
                Type::Players => self.player(*item as usize),
                Type::Things => self.thing(ObjectRef(*item)),
                _ => item.to_string(),
            });
        }
        if list.len() > NAMED {
            names.push(format!("… ({} in all)", list.len()));
        }
        format!("[{}]", names.join(", "))
    }

    fn thing(&mut self, it: ObjectRef) -> String {
        match it.player() {
            Some(seat) => self.player(seat),
            None => self.object(it),
        }
    }

    /// A value in words.
    pub(super) fn value_text(&mut self, ty: Type, value: i64, list: Option<&Vec<u32>>) -> String {
        let program = Arc::clone(&self.machine.program);
        match ty {
            Type::Object => self.object(ObjectRef::from_value(value)),
            Type::Thing => self.thing(ObjectRef::from_value(value)),
            Type::Player => usize::try_from(value).map_or_else(|_| "nobody".to_owned(), |seat| self.player(seat)),
            Type::Zone => usize::try_from(value).map_or_else(|_| "no zone".to_owned(), |zone| self.zone(zone)),
            Type::Bool => if value == 0 { "no" } else { "yes" }.to_owned(),
            Type::Card => usize::try_from(value)
                .ok()
                .and_then(|d| program.library.definitions.get(d))
                .map_or_else(|| "no card".to_owned(), |d| format!("\"{}\"", d.name)),
            Type::Span => u32::try_from(value).map_or_else(|_| "no step".to_owned(), |span| self.span_path(span)),
            Type::Word(traits) => match u16::try_from(value - 1) {
                Ok(word) => program.word_name(traits, word).to_owned(),
                Err(_) => "no word".to_owned(),
            },
            Type::Words(traits) => {
                let words = program.library.traits.get(traits.index()).map_or(&[][..], |set| set.words.as_slice());
                let has = words.iter().enumerate().filter(|(word, _)| *word < 63 && value & (1 << word) != 0);
                let names: Vec<&str> = has.map(|(_, name)| name.as_str()).collect();
                if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
            }
            ty if ty.is_list() => self.list_text(ty, list.map_or(&[], Vec::as_slice)),
            _ => value.to_string(),
        }
    }
}

/// One reason, or both.
fn both(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}
