//! Explains why a condition does not hold: evaluates it again with a trace ([`EvalTrace`]) and describes the values that decide it.

use super::run::ScenarioRun;
use crate::ir::ObjectRef;
use crate::ir::op::{Binary, Op, Place};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, KeywordId, TraitSetId, Type};
use crate::program::Program;
use crate::vm::eval_trace::{EvalTrace, MAX_TRACE_DEPTH, TracedValue};
use std::sync::Arc;

/// The maximum number of list items that a message names.
const MAX_ITEMS_LISTED: usize = 12;

/// The words for a computed number that has no name.
const UNNAMED_RESULT: &str = "the result";

impl ScenarioRun<'_> {
    /// Explains why a condition does not hold; `None` if no value that decides it can be described.
    pub(super) fn explain_false(&mut self, condition: FnId) -> Option<String> {
        let args = self.args();
        self.explain_function(condition, &args, true, MAX_TRACE_DEPTH)
    }

    /// Explains why a play does not allow an object: the zone of the object, what the play is for, its condition, or its cost. `None` if none of
    /// them fails as the object is, or if no value that decides it can be described.
    pub(super) fn explain_refused_play(&mut self, code: u32, it: ObjectRef, player: usize) -> Option<String> {
        let program = Arc::clone(&self.machine.program);
        let play = program.play(code)?;
        let kinds: Vec<&str> =
            play.from.iter().filter_map(|zone| Some(program.library.zones.get(zone.index())?.name.as_str())).collect();
        let zone = self.machine.state.zone(it.slot()).filter(|_| self.machine.state.exists(it));
        let kind = zone.map(|zone| program.layout.kind(zone));
        if !kinds.is_empty() && !it.is_none() && kind.is_some_and(|kind| play.from.iter().all(|zone| zone.index() != kind)) {
            return Some(format!("{}, and it is used from {}", self.describe_location(it), kinds.join(", ")));
        }
        let mut args = vec![0; 2 + play.extra_params.len()];
        let seat = i64::try_from(player).ok()?;
        args.splice(..2, [it.value(), seat]);
        let of_object = play.object_filter.and_then(|filter| self.explain_if_false(filter, &[it.value(), seat]));
        of_object
            .or_else(|| self.explain_if_false(play.condition?, &args))
            .or_else(|| self.explain_if_false(play.cost_possible?, &args))
    }

    /// As [`Self::explain_function`]; `None` if the function holds.
    fn explain_if_false(&mut self, function: FnId, args: &[i64]) -> Option<String> {
        let program = Arc::clone(&self.machine.program);
        let (world, scratch) = self.machine.world();
        let computed = EvalTrace::new(&world, scratch, program.function(function)?, args);
        let holds = computed.value(computed.result?)?.value != 0;
        (!holds).then(|| self.explain_value(&program, &computed, computed.result?, true, MAX_TRACE_DEPTH)).flatten()
    }

    fn explain_function(&mut self, function: FnId, args: &[i64], wanted: bool, depth: usize) -> Option<String> {
        let program = Arc::clone(&self.machine.program);
        let function = program.function(function)?;
        let (world, scratch) = self.machine.world();
        let computed = EvalTrace::new(&world, scratch, function, args);
        self.explain_value(&program, &computed, computed.result?, wanted, depth)
    }

    /// Explains why a bool of the trace does not have the value `wanted`, at most `depth` operations deep.
    fn explain_value(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize, wanted: bool, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let part = |number: usize| it.operand(at, number);
        match it.op(at)? {
            Op::Copy { .. } => {
                let own = self.explain_value(program, it, part(0)?, wanted, depth);
                // The other side of an `or`: it was evaluated first and had the same value.
                let other = it.value(at)?.previous.filter(|before| matches!(it.op(*before), Some(Op::Copy { .. })));
                let same =
                    other.filter(|other| it.value(*other).map(|traced| traced.value) == it.value(at).map(|traced| traced.value));
                let other = same.and_then(|other| self.explain_value(program, it, other, wanted, depth));
                join_reasons(other, own)
            }
            Op::Not { .. } => self.explain_value(program, it, part(0)?, !wanted, depth),
            Op::Binary { op: op @ (Binary::And | Binary::Or), .. } => {
                let value = |number: usize| it.value(it.operand(at, number)?).map(|traced| traced.value != 0);
                let one_is_enough = (*op == Binary::And) == wanted;
                match (value(0), one_is_enough) {
                    (Some(left), true) if left == wanted => self.explain_value(program, it, part(1)?, wanted, depth),
                    (_, true) => self.explain_value(program, it, part(0)?, wanted, depth),
                    (_, false) => {
                        let left = self.explain_value(program, it, part(0)?, wanted, depth);
                        let right = self.explain_value(program, it, part(1)?, wanted, depth);
                        join_reasons(left, right)
                    }
                }
            }
            Op::Binary { op: Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual, .. } => {
                self.describe_comparison(program, it, at)
            }
            Op::InZone { .. } | Op::Exists { .. } => {
                let object = it.reference(at, 0)?;
                Some(self.describe_location(object))
            }
            Op::HasWord { traits, .. } | Op::HasSomeWord { traits, .. } => {
                let object = it.reference(at, 0)?;
                Some(self.describe_words(program, object, *traits))
            }
            Op::HasCommonWord { traits, .. } => {
                let (a, b) = (it.reference(at, 0)?, it.reference(at, 1)?);
                Some(format!("{}; {}", self.describe_words(program, a, *traits), self.describe_words(program, b, *traits)))
            }
            Op::HasKeyword { keyword, .. } => {
                let object = it.reference(at, 0)?;
                Some(self.describe_keywords(program, object, *keyword))
            }
            Op::IsCard { .. } => {
                let object = it.reference(at, 0)?;
                let is = self.object_name(object);
                Some(format!("it is {is}"))
            }
            Op::Contains { .. } => {
                let (list, item) = (it.value(part(0)?)?.clone(), it.value(part(1)?)?.clone());
                let (all, one) = (self.list_text(list.ty, &list.list), self.value_text(item.ty, item.value, None));
                Some(format!("{one} is {}one of {all}", if wanted { "not " } else { "" }))
            }
            Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => {
                let parts = it.value(at)?.operands.clone();
                let skip = usize::from(matches!(it.op(at)?, Op::CallUnconcealed { .. }));
                let args: Vec<i64> =
                    parts.iter().take(parts.len() - skip).filter_map(|part| Some(it.value(*part)?.value)).collect();
                let takes_lists = parts.iter().any(|part| it.value(*part).is_some_and(|traced| traced.ty.is_list()));
                let why = if takes_lists { None } else { self.explain_function(*function, &args, wanted, depth) };
                // a number without a name says less than the call
                let why = why.filter(|why| !why.starts_with(UNNAMED_RESULT));
                why.or_else(|| self.describe_fact(program, it, at, wanted))
            }
            Op::InPeriod { .. } => Some(format!("the game is{}", self.turn_position_text())),
            _ => self.describe_fact(program, it, at, wanted),
        }
    }

    /// States the value of a bool that is read from the state or returned by a call.
    fn describe_fact(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize, wanted: bool) -> Option<String> {
        let library = &program.library;
        let flag = match it.op(at)? {
            Op::Get { place: Place::Property(n), .. } => library.properties.get(usize::from(*n)),
            Op::Get { place: Place::Status(n), .. } => library.statuses.get(usize::from(*n)),
            _ => None,
        };
        if let (Some(flag), Some(object)) = (flag.filter(|flag| flag.ty == Type::Bool), it.reference(at, 0)) {
            let name = self.object_name(object);
            return Some(format!("{name} is {}{}", if wanted { "not " } else { "" }, flag.name));
        }
        let what = self.describe_operation(program, it, at)?;
        Some(match (it.op(at)?, wanted) {
            (Op::Call { .. } | Op::CallUnconcealed { .. } | Op::Builtin { .. }, true) => format!("{what} does not hold"),
            (Op::Call { .. } | Op::CallUnconcealed { .. } | Op::Builtin { .. }, false) => format!("{what} holds"),
            (_, true) => format!("{what} is false"),
            (_, false) => format!("{what} is true"),
        })
    }

    /// Describes the sides of a comparison with their values, except constants.
    fn describe_comparison(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let (left, right) = (it.skip_copies(it.operand(at, 0)?), it.skip_copies(it.operand(at, 1)?));
        let is_constant = |side: usize| matches!(it.op(side), Some(Op::Const { .. } | Op::Constant { .. }));
        if let (Some(Op::Get { place: Place::Zone, .. }), Some(object)) = (it.op(left), it.reference(left, 0)) {
            return Some(self.describe_location(object));
        }
        let zero = |side: usize| is_constant(side) && it.value(side).is_some_and(|traced| traced.value == 0);
        if let (Some(Op::Count { .. }), true) = (it.op(left), zero(right)) {
            return self.describe_count(it, left);
        }
        let sides: Vec<usize> = [left, right].into_iter().filter(|side| !is_constant(*side)).collect();
        // The value of a name of the scenario is only worth stating if no other side can be described.
        let is_named = |side: &usize| it.value(*side).is_some_and(|traced| traced.pc.is_none());
        let telling: Vec<usize> = sides.iter().copied().filter(|side| !is_named(side)).collect();
        let mut texts = Vec::new();
        for side in if telling.is_empty() { sides } else { telling } {
            texts.push(self.describe_value(program, it, side)?);
        }
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Describes the elements of a list that is counted; of an empty one, the list that its filter was applied to.
    fn describe_count(&mut self, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let list = it.operand(at, 0)?;
        let traced = it.value(list)?.clone();
        if !traced.list.is_empty() {
            return Some(format!("there is {}", self.list_text(traced.ty, &traced.list)));
        }
        let Some(Op::Filter { .. }) = it.op(list) else { return Some("there is none".to_owned()) };
        let from = it.value(it.operand(list, 0)?)?.clone();
        if from.list.is_empty() {
            return Some("there is none".to_owned());
        }
        Some(format!("none of {} is that", self.list_text(from.ty, &from.list)))
    }

    /// Describes a value and its source: `life of A is 18`.
    fn describe_value(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let traced = it.value(at)?.clone();
        let value = if traced.ty.is_list() {
            self.list_text(traced.ty, &traced.list)
        } else {
            self.value_text(traced.ty, traced.value, None)
        };
        if let Some(Op::Count { .. }) = it.op(at) {
            let list = it.value(it.operand(at, 0)?)?.clone();
            let all = if list.list.is_empty() { String::new() } else { format!(": {}", self.list_text(list.ty, &list.list)) };
            return Some(format!("there are {value}{all}"));
        }
        match self.describe_operation(program, it, at) {
            Some(what) if traced.pc.is_some() => Some(format!("{what} is {value}")),
            // The value is bound to a name of the scenario.
            _ => Some(format!("it is {value}")),
        }
    }

    /// Describes the operation that computed a value, such as `life of A`; `None` for operations without a short description.
    fn describe_operation(&mut self, program: &Program, it: &EvalTrace<'_>, at: usize) -> Option<String> {
        let library = &program.library;
        let name =
            |table: &[crate::ir::Variable], n: u16| table.get(usize::from(n)).map_or_else(String::new, |it| it.name.clone());
        let of = |this: &mut Self, number: usize| {
            let part = it.operand(at, number)?;
            let traced = it.value(part)?;
            Some(this.value_text(traced.ty, traced.value, Some(&traced.list)))
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
                let builtin = BUILTINS.get(usize::from(*builtin))?;
                let call = format!("`{}({})`", builtin.name, self.arguments_text(it, at, 0));
                // `list_size()` alone does not say what it counts
                let counts = builtin.doc.strip_prefix("How many ").filter(|_| builtin.params.is_empty());
                let counted = counts.map(|counts| counts.split([' ', '.']).take_while(|word| !word.starts_with('(')));
                Some(match counted {
                    Some(words) => format!("{call}, how many {},", words.collect::<Vec<_>>().join(" ").trim_end()),
                    None => call,
                })
            }
            Op::Call { function, .. } => {
                let name = program.function(*function)?.name.clone();
                let name = name.strip_prefix("function ").unwrap_or(&name).to_owned();
                Some(format!("`{name}({})`", self.arguments_text(it, at, 2)))
            }
            Op::ActivePlayer { .. } => Some("the active player".to_owned()),
            Op::Opponent { .. } => Some(format!("the opponent of {}", of(self, 0)?)),
            Op::Fold { .. } => Some(UNNAMED_RESULT.to_owned()),
            Op::ElementAt { .. } | Op::TakeEnds { .. } => Some("the chosen one".to_owned()),
            Op::Binary { .. } => Some(UNNAMED_RESULT.to_owned()),
            _ => None,
        }
    }

    /// The text of the arguments of a call without the first `skip` (`this` and `you` of a function).
    fn arguments_text(&mut self, it: &EvalTrace<'_>, at: usize, skip: usize) -> String {
        let parts: Vec<TracedValue> = it
            .value(at)
            .map_or(&[][..], |traced| traced.operands.as_slice())
            .iter()
            .skip(skip)
            .filter_map(|part| it.value(*part).cloned())
            .collect();
        let mut texts = Vec::new();
        for traced in parts {
            texts.push(self.value_text(traced.ty, traced.value, Some(&traced.list)));
        }
        texts.join(", ")
    }

    /// States in which zone an object is.
    pub(super) fn describe_location(&mut self, it: ObjectRef) -> String {
        let name = self.object_name(it);
        if it.is_none() {
            return "there is no such object".to_owned();
        }
        match self.machine.state.zone(it.slot()).filter(|_| self.machine.state.exists(it)) {
            Some(zone) => format!("{name} is in {}", self.zone_name(zone)),
            None => format!("{name} is in no zone"),
        }
    }

    fn describe_words(&mut self, program: &Program, it: ObjectRef, traits: TraitSetId) -> String {
        let name = self.object_name(it);
        let Some(set) = program.library.traits.get(traits.index()) else { return name };
        let first = program.row.words.get(traits.index()).copied().unwrap_or_default();
        let (world, _) = self.machine.world();
        let has = |word: &usize| world.row_word(it, first + word / 32) & (1 << (word % 32)) != 0;
        let words: Vec<&str> =
            (0..set.words.len()).filter(has).filter_map(|word| set.words.get(word)).map(String::as_str).collect();
        match words.as_slice() {
            [] => format!("{name} has no word of `{}`", set.name),
            words => format!("the {} of {name}: {}", set.name, words.join(", ")),
        }
    }

    /// Lists the keywords of an object, and names the one that was tested if it is not among them.
    fn describe_keywords(&mut self, program: &Program, it: ObjectRef, tested: KeywordId) -> String {
        let name = self.object_name(it);
        let tested = program.library.keywords.get(tested.index()).map_or("", |keyword| keyword.name.as_str());
        let (world, _) = self.machine.world();
        let known = program.library.keywords.iter().enumerate();
        let has = known.filter(|(number, _)| world.keyword(it, KeywordId(*number as u32)).is_some());
        let names: Vec<&str> = has.map(|(_, keyword)| keyword.name.as_str()).collect();
        match names.as_slice() {
            [] => format!("{name} does not have `{tested}`"),
            names if names.contains(&tested) => format!("the keywords of {name}: {}", names.join(", ")),
            names => format!("{name} does not have `{tested}`, only {}", names.join(", ")),
        }
    }

    /// The text of a list, at most [`MAX_ITEMS_LISTED`] items.
    pub(super) fn list_text(&mut self, ty: Type, list: &[u32]) -> String {
        let mut names = Vec::new();
        for item in list.iter().take(MAX_ITEMS_LISTED) {
            names.push(match ty {
                Type::Objects => self.object_name(ObjectRef(*item)),
                Type::Players => self.player_name(*item as usize),
                Type::Things => self.thing_name(ObjectRef(*item)),
                _ => item.to_string(),
            });
        }
        if list.len() > MAX_ITEMS_LISTED {
            names.push(format!("… ({} in all)", list.len()));
        }
        format!("[{}]", names.join(", "))
    }

    fn thing_name(&mut self, it: ObjectRef) -> String {
        match it.player() {
            Some(seat) => self.player_name(seat),
            None => self.object_name(it),
        }
    }

    /// The text of a value of a type. `list` is needed only for lists.
    pub(super) fn value_text(&mut self, ty: Type, value: i64, list: Option<&Vec<u32>>) -> String {
        let program = Arc::clone(&self.machine.program);
        match ty {
            Type::Object => self.object_name(ObjectRef::from_value(value)),
            Type::Thing => self.thing_name(ObjectRef::from_value(value)),
            Type::Player => usize::try_from(value).map_or_else(|_| "no player".to_owned(), |seat| self.player_name(seat)),
            Type::Zone => usize::try_from(value).map_or_else(|_| "no zone".to_owned(), |zone| self.zone_name(zone)),
            Type::Bool => if value == 0 { "no" } else { "yes" }.to_owned(),
            Type::Card => usize::try_from(value)
                .ok()
                .and_then(|d| program.library.definitions.get(d))
                .map_or_else(|| "no card".to_owned(), |d| format!("\"{}\"", d.name)),
            Type::Period => u32::try_from(value).map_or_else(|_| "no step".to_owned(), |span| self.period_path(span)),
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

/// Joins two reasons; equal ones are stated once.
fn join_reasons(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one.split("; ").any(|part| part == other) => Some(one),
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}
