//! What scripted answers and expected things mean among the options of a decision.

use super::messages::is_verb;
use super::run::ScenarioRun;
use crate::ir::Type;
use crate::ir::scenario::{Expected, ScriptedAnswer};
use crate::program::ABILITY_PLAY;
use crate::state::ObjectRef;
use crate::vm::decision::{Choice, Decision, DecisionKind};

impl ScenarioRun<'_> {
    /// The value of an expected thing; `None` for a card.
    pub(super) fn expected_value(&mut self, expected: &Expected) -> Option<i64> {
        match expected {
            Expected::Value(function) => {
                let args = self.args();
                let ty = self.machine.program.function(*function).and_then(|f| f.result);
                if ty.is_some_and(|ty| ty.element().is_some()) {
                    let items = self.machine.items(*function, &args);
                    return items.first().map(|item| i64::from(*item as i32));
                }
                Some(self.machine.number(*function, &args))
            }
            Expected::Card(_) => None,
        }
    }

    /// An expected thing in words.
    pub(super) fn expected(&mut self, expected: &Expected) -> String {
        match expected {
            Expected::Card(card) => {
                let name = self.machine.program.library.definitions.get(card.index()).map_or("?", |d| d.name.as_str());
                format!("\"{name}\"")
            }
            Expected::Value(function) => {
                let ty = self.machine.program.function(*function).and_then(|f| f.result).unwrap_or(Type::Number);
                let value = self.expected_value(expected).unwrap_or(0);
                self.value_text(ty.element().unwrap_or(ty), value, None)
            }
        }
    }

    /// Several expected things in words.
    pub(super) fn expected_list(&mut self, items: &[Expected]) -> String {
        let names: Vec<String> = items.iter().map(|item| self.expected(item)).collect();
        format!("[{}]", names.join(", "))
    }

    /// Whether an object is what is expected: it itself, an object of the card, or an ability of such a one.
    pub(super) fn is_object(&mut self, expected: &Expected, it: ObjectRef) -> bool {
        if it.is_none() {
            return false;
        }
        let source = self.source_of(it);
        match expected {
            Expected::Value(_) if matches!(self.type_of(expected), Some(Type::Player | Type::Players)) => false,
            Expected::Value(_) => {
                let value = self.expected_value(expected).unwrap_or(0);
                let wanted = ObjectRef::from_value(value);
                !wanted.is_none() && (wanted == it || wanted.slot() == source.slot())
            }
            Expected::Card(card) => {
                let definition = if self.definition(it) == Some(0) { self.definition(source) } else { self.definition(it) };
                definition == Some(card.0)
            }
        }
    }

    /// What the value of an expected thing is.
    fn type_of(&self, expected: &Expected) -> Option<Type> {
        let Expected::Value(function) = expected else { return None };
        self.machine.program.function(*function).and_then(|f| f.result)
    }

    fn is_player(&mut self, expected: &Expected, seat: usize) -> bool {
        let value = self.expected_value(expected);
        match self.type_of(expected) {
            Some(Type::Player | Type::Players) => value == Some(seat as i64),
            Some(Type::Thing | Type::Things) => value == Some(ObjectRef::of_player(seat).value()),
            _ => false,
        }
    }

    /// Whether a choice is what is expected.
    pub(super) fn is_choice(&mut self, expected: &Expected, choice: Choice) -> bool {
        match choice {
            Choice::Object(it) | Choice::Play { object: it, .. } => self.is_object(expected, it),
            Choice::Player(seat) => self.is_player(expected, seat),
            Choice::Pair(it, _) => self.is_object(expected, it),
            Choice::Trigger { source, .. } | Choice::Replacement { source, .. } => self.is_object(expected, source),
            Choice::Word(traits, word) => match expected {
                Expected::Value(function) => {
                    let ty = self.machine.program.function(*function).and_then(|f| f.result);
                    ty == Some(Type::Word(traits)) && self.expected_value(expected) == Some(i64::from(word) + 1)
                }
                Expected::Card(card) => {
                    let definition = self.machine.program.library.definitions.get(card.index());
                    definition.is_some_and(|d| d.name == self.machine.program.word_name(traits, word))
                }
            },
            Choice::Mode(mode) => {
                matches!(expected, Expected::Value(_)) && self.expected_value(expected) == Some(i64::from(mode) + 1)
            }
            _ => false,
        }
    }

    /// The picks that a scripted answer means.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub(super) fn picks(&mut self, decision: &Decision, answer: &ScriptedAnswer) -> Result<Vec<u32>, String> {
        let find = |wanted: Choice| decision.options.iter().position(|c| *c == wanted).map(|i| i as u32);
        let picks = match (answer, decision.kind) {
            (_, DecisionKind::Act) => return Err("that is no answer to being asked to act".to_owned()),
            (ScriptedAnswer::Yes, DecisionKind::YesNo) => find(Choice::Yes).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::YesNo) => find(Choice::No).into_iter().collect(),
            (ScriptedAnswer::Yes, DecisionKind::Replacement) => {
                decision.options.iter().position(|c| *c != Choice::Pass).map(|i| i as u32).into_iter().collect()
            }
            (ScriptedAnswer::Yes, DecisionKind::Pay) => find(Choice::PayNow).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::Replacement) => find(Choice::Pass).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::Pay) => find(Choice::Abandon).into_iter().collect(),
            (ScriptedAnswer::Nothing, DecisionKind::Choose | DecisionKind::Modes | DecisionKind::Assign) => Vec::new(),
            (ScriptedAnswer::Modes(modes), DecisionKind::Modes) => modes.clone(),
            (ScriptedAnswer::Values(values), DecisionKind::Number) => {
                let [value] = values.as_slice() else { return Err("one number is asked for".to_owned()) };
                let value = self.expected_value(value).ok_or_else(|| "a number is asked for".to_owned())?;
                vec![value as u32]
            }
            (ScriptedAnswer::Values(values), DecisionKind::Divide) => {
                let mut shares = Vec::new();
                for value in values {
                    let number = (self.type_of(value) == Some(Type::Number)).then(|| self.expected_value(value)).flatten();
                    let share = number.and_then(|share| u32::try_from(share).ok());
                    shares.push(share.ok_or_else(|| "a share for each is asked for".to_owned())?);
                }
                shares
            }
            (ScriptedAnswer::Values(values), _) => self.pick_values(decision, values)?,
            (ScriptedAnswer::Yes | ScriptedAnswer::No | ScriptedAnswer::Modes(_) | ScriptedAnswer::Nothing, _) => {
                return Err("that does not answer what is asked".to_owned());
            }
        };
        decision.check(&picks).map_err(|refusal| refusal.to_string())?;
        Ok(picks)
    }

    fn pick_values(&mut self, decision: &Decision, values: &[Expected]) -> Result<Vec<u32>, String> {
        let mut picks: Vec<u32> = Vec::new();
        if let ([by, of], DecisionKind::Replacement) = (values, decision.kind) {
            // Which replacement, and of which event.
            let both = decision.options.iter().position(|choice| {
                matches!(choice, Choice::Replacement { source, about, .. } if self.is_object(by, *source) && self.is_object(of, *about))
            });
            if let Some(both) = both {
                return Ok(vec![both as u32]);
            }
        }
        for value in values {
            let free: Vec<u32> = (0..decision.options.len() as u32).filter(|i| decision.repeats || !picks.contains(i)).collect();
            let option = |i: &u32| decision.options.get(*i as usize).copied();
            let mut found = free.iter().copied().find(|i| option(i).is_some_and(|choice| self.is_choice(value, choice)));
            if found.and_then(|i| option(&i)).is_some_and(|choice| has_other_side(decision, choice)) {
                return Err(format!("say with what {} goes: there are several", self.expected(value)));
            }
            if found.is_none() {
                // Abilities of one source are told by the object of their event.
                found = free.iter().copied().find(|i| match option(i) {
                    Some(Choice::Trigger { about, .. } | Choice::Replacement { about, .. }) => self.is_object(value, about),
                    _ => false,
                });
            }
            match found {
                Some(pick) => picks.push(pick),
                None if self.is_nothing(value) => {
                    return Err("that names nothing here: what is chosen is named one by one, by what the position calls it (`as NAME`) or by \
                                its card (`\"CARD\", \"CARD\"`)"
                        .to_owned());
                }
                None => return Err(format!("{} is not among the legal answers", self.expected(value))),
            }
        }
        Ok(picks)
    }

    /// Whether an expected thing is none at all: an empty list, or no object.
    fn is_nothing(&mut self, expected: &Expected) -> bool {
        let reference = self.type_of(expected).is_some_and(|ty| matches!(ty, Type::Object | Type::Objects));
        reference && self.expected_value(expected).is_none_or(|value| ObjectRef::from_value(value).is_none())
    }

    /// Whether a play is meant by a word of the script.
    pub(super) fn is_play(&self, written: &str, code: u32) -> bool {
        let Some(play) = self.machine.program.play(code) else { return false };
        is_verb(written, &play.name) || (code >= ABILITY_PLAY && is_verb(written, "activate"))
    }

    /// The option of a decision that a scripted act means.
    pub(super) fn find_play(
        &mut self,
        decision: &Decision,
        written: &str,
        object: Option<&Expected>,
    ) -> Result<Option<u32>, String> {
        if !matches!(decision.kind, DecisionKind::Act | DecisionKind::Pay) {
            return Ok(None);
        }
        let mut found: Vec<(u32, u32, ObjectRef)> = Vec::new();
        for (i, choice) in decision.options.iter().enumerate() {
            let Choice::Play { play, object: it, .. } = *choice else { continue };
            if !self.is_play(written, play) {
                continue;
            }
            let fits = match object {
                Some(expected) => self.is_object(expected, it),
                None => true,
            };
            if fits {
                found.push((i as u32, play, it));
            }
        }
        if object.is_none() && found.iter().any(|(_, _, it)| it.is_none()) {
            found.retain(|(_, _, it)| it.is_none());
        }
        let Some((index, code, it)) = found.first().copied() else { return Ok(None) };
        if let Some((_, other, _)) = found.iter().find(|(_, other, _)| *other != code) {
            let (a, b) = (self.play_name(code), self.play_name(*other));
            return Err(format!("`{written}` may mean `{a}` or `{b}`: write the one that is meant"));
        }
        if object.is_none() && found.iter().any(|(_, _, other)| *other != it) {
            return Err(format!("`{written}` fits several objects: name the one that is meant"));
        }
        Ok(Some(index))
    }

    /// The plays of the format that a word of the script may mean, with the objects they could be about.
    pub(super) fn plays_meant(&mut self, written: &str, object: Option<&Expected>) -> Vec<(u32, ObjectRef)> {
        let plays = self.machine.program.format.plays.len() as u32;
        let program = std::sync::Arc::clone(&self.machine.program);
        let abilities: Vec<u32> =
            program.activated.iter().chain(&program.concealed_abilities).map(|(_, a)| ABILITY_PLAY + a.0).collect();
        let mut found = Vec::new();
        for code in (0..plays).chain(abilities) {
            if !self.is_play(written, code) {
                continue;
            }
            let Some(expected) = object else {
                found.push((code, ObjectRef::NONE));
                continue;
            };
            for slot in 1..self.machine.state.slots() {
                let it = self.machine.state.current(slot);
                if self.machine.state.exists(it)
                    && self.is_object(expected, it)
                    && (code < ABILITY_PLAY || self.has_ability(it, code))
                {
                    found.push((code, it));
                }
            }
        }
        found
    }

    fn has_ability(&mut self, it: ObjectRef, code: u32) -> bool {
        let units: Vec<u32> =
            self.machine.program.activated.iter().filter(|(_, a)| ABILITY_PLAY + a.0 == code).map(|(unit, _)| *unit).collect();
        if self.machine.covered_abilities(it).contains(&code) {
            return true;
        }
        let (world, _) = self.machine.world();
        units.iter().any(|unit| world.has_unit(it, *unit))
    }
}

/// Whether another option pairs the same left one with something else.
fn has_other_side(decision: &Decision, choice: Choice) -> bool {
    let Choice::Pair(own, side) = choice else { return false };
    decision.options.iter().any(|pair| matches!(pair, Choice::Pair(it, with) if *it == own && *with != side))
}
