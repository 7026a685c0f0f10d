//! Matches scripted answers and expected values with the options of a decision, and gives the answers that no step writes.

use super::ScenarioFailure;
use super::run::{ScenarioRun, StopCondition};
use crate::ir::ObjectRef;
use crate::ir::Type;
use crate::ir::scenario::is_verb;
use crate::ir::scenario::{ExpectedValue, ScenarioStep, ScriptedAnswer};
use crate::tables::ABILITY_PLAY;
use crate::vm::decision::{Choice, Decision, DecisionKind};

impl ScenarioRun<'_> {
    /// The value of an expectation (of a list, its first element); `None` for a card.
    pub(super) fn expected_value(&mut self, expected: &ExpectedValue) -> Option<i64> {
        match expected {
            ExpectedValue::Value(function) => {
                let args = self.args();
                let ty = self.machine.program.function(*function).and_then(|f| f.result);
                if ty.is_some_and(|ty| ty.element().is_some()) {
                    let items = self.machine.items(*function, &args);
                    return items.first().map(|item| i64::from(*item as i32));
                }
                Some(self.machine.number(*function, &args))
            }
            ExpectedValue::Card(_) => None,
        }
    }

    /// The text of an expectation, for messages.
    pub(super) fn expected_text(&mut self, expected: &ExpectedValue) -> String {
        match expected {
            ExpectedValue::Card(card) => {
                let name = self.machine.program.library.definitions.get(card.index()).map_or("?", |d| d.name.as_str());
                format!("\"{name}\"")
            }
            ExpectedValue::Value(function) => {
                let ty = self.machine.program.function(*function).and_then(|f| f.result).unwrap_or(Type::Number);
                let value = self.expected_value(expected).unwrap_or(0);
                self.value_text(ty.element().unwrap_or(ty), value, None)
            }
        }
    }

    /// The text of several expectations, for messages.
    pub(super) fn expected_list_text(&mut self, items: &[ExpectedValue]) -> String {
        let names: Vec<String> = items.iter().map(|item| self.expected_text(item)).collect();
        format!("[{}]", names.join(", "))
    }

    /// Whether an object matches an expectation: it is the expected object, an object of the expected card, or an ability of either.
    pub(super) fn matches_object(&mut self, expected: &ExpectedValue, it: ObjectRef) -> bool {
        if it.is_none() {
            return false;
        }
        let source = self.source_of(it);
        match expected {
            ExpectedValue::Value(_) if matches!(self.type_of(expected), Some(Type::Player | Type::Players)) => false,
            ExpectedValue::Value(_) => {
                let value = self.expected_value(expected).unwrap_or(0);
                let wanted = ObjectRef::from_value(value);
                !wanted.is_none() && (wanted == it || wanted.slot() == source.slot())
            }
            ExpectedValue::Card(card) => {
                let definition = if self.definition(it) == Some(0) { self.definition(source) } else { self.definition(it) };
                definition == Some(card.0)
            }
        }
    }

    /// The type of an expected value; `None` for a card.
    fn type_of(&self, expected: &ExpectedValue) -> Option<Type> {
        let ExpectedValue::Value(function) = expected else { return None };
        self.machine.program.function(*function).and_then(|f| f.result)
    }

    fn matches_player(&mut self, expected: &ExpectedValue, seat: usize) -> bool {
        let value = self.expected_value(expected);
        match self.type_of(expected) {
            Some(Type::Player | Type::Players) => value == Some(seat as i64),
            Some(Type::Thing | Type::Things) => value == Some(ObjectRef::of_player(seat).value()),
            _ => false,
        }
    }

    /// Whether an option of a decision matches an expectation.
    pub(super) fn matches_choice(&mut self, expected: &ExpectedValue, choice: Choice) -> bool {
        match choice {
            Choice::Object(it) | Choice::Play { object: it, .. } => self.matches_object(expected, it),
            Choice::Player(seat) => self.matches_player(expected, seat),
            Choice::Pair(it, _) => self.matches_object(expected, it),
            Choice::Trigger { source, .. } | Choice::Replacement { source, .. } => self.matches_object(expected, source),
            Choice::Word(traits, word) => match expected {
                ExpectedValue::Value(function) => {
                    let ty = self.machine.program.function(*function).and_then(|f| f.result);
                    ty == Some(Type::Word(traits)) && self.expected_value(expected) == Some(i64::from(word) + 1)
                }
                ExpectedValue::Card(card) => {
                    let definition = self.machine.program.library.definitions.get(card.index());
                    definition.is_some_and(|d| d.name == self.machine.program.word_name(traits, word))
                }
            },
            Choice::Mode(mode) => {
                matches!(expected, ExpectedValue::Value(_)) && self.expected_value(expected) == Some(i64::from(mode) + 1)
            }
            _ => false,
        }
    }

    /// Translates a scripted answer into the picks of a decision.
    ///
    /// # Errors
    /// A message if the answer does not fit the decision or is not legal.
    pub(super) fn picks_for(&mut self, decision: &Decision, answer: &ScriptedAnswer) -> Result<Vec<u32>, String> {
        let find = |wanted: Choice| decision.options.iter().position(|c| *c == wanted).map(|i| i as u32);
        let picks = match (answer, decision.kind) {
            (ScriptedAnswer::Pass, _) => find(Choice::Pass).into_iter().collect(),
            (_, DecisionKind::Act) => return Err("that is not an answer to a decision to act".to_owned()),
            (ScriptedAnswer::Yes, DecisionKind::YesNo) => find(Choice::Yes).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::YesNo) => find(Choice::No).into_iter().collect(),
            (ScriptedAnswer::Yes, DecisionKind::Replacement) => {
                decision.options.iter().position(|c| *c != Choice::Pass).map(|i| i as u32).into_iter().collect()
            }
            // Where only producers can be chosen, the proposal is taken at once, and the answer is for the next decision.
            (ScriptedAnswer::Yes | ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::Pay)
                if !self.payment_is_open
                    && !decision.options.iter().any(|choice| matches!(choice, Choice::Object(_) | Choice::Play { .. })) =>
            {
                return Err("that does not answer the decision".to_owned());
            }
            (ScriptedAnswer::Yes, DecisionKind::Pay) => find(Choice::PayNow).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::Replacement) => find(Choice::Pass).into_iter().collect(),
            (ScriptedAnswer::No | ScriptedAnswer::Nothing, DecisionKind::Pay) => find(Choice::Abandon).into_iter().collect(),
            (ScriptedAnswer::Nothing, DecisionKind::Choose | DecisionKind::Modes | DecisionKind::Assign) => Vec::new(),
            (ScriptedAnswer::Modes(modes), DecisionKind::Modes) => {
                let pick = |mode: &u32| find(Choice::Mode(*mode)).ok_or_else(|| format!("mode {} cannot be chosen", mode + 1));
                modes.iter().map(pick).collect::<Result<_, _>>()?
            }
            (ScriptedAnswer::Values(values), DecisionKind::Number) => {
                let [value] = values.as_slice() else { return Err("the decision needs one number".to_owned()) };
                let value = self.expected_value(value).ok_or_else(|| "the decision needs a number".to_owned())?;
                vec![value as u32]
            }
            (ScriptedAnswer::Values(values), DecisionKind::Divide) => {
                let mut shares = Vec::new();
                for value in values {
                    let number = (self.type_of(value) == Some(Type::Number)).then(|| self.expected_value(value)).flatten();
                    let share = number.and_then(|share| u32::try_from(share).ok());
                    shares.push(share.ok_or_else(|| "the decision needs a share for each".to_owned())?);
                }
                shares
            }
            (ScriptedAnswer::Values(values), _) => self.picks_for_values(decision, values)?,
            (ScriptedAnswer::Yes | ScriptedAnswer::No | ScriptedAnswer::Modes(_) | ScriptedAnswer::Nothing, _) => {
                return Err("that does not answer the decision".to_owned());
            }
        };
        decision.check(&picks).map_err(|refusal| refusal.to_string())?;
        Ok(picks)
    }

    fn picks_for_values(&mut self, decision: &Decision, values: &[ExpectedValue]) -> Result<Vec<u32>, String> {
        let mut picks: Vec<u32> = Vec::new();
        if let ([by, of], DecisionKind::Replacement | DecisionKind::Trigger) = (values, decision.kind) {
            if self.type_of(of) == Some(Type::Number) {
                let number = self.expected_value(of).unwrap_or(0);
                return self.pick_of_ability(decision, by, number).map(|pick| vec![pick]);
            }
            // Two values name a replacement or trigger: its source and the object of its event.
            let both = decision.options.iter().position(|choice| {
                matches!(choice, Choice::Replacement { source, about, .. } | Choice::Trigger { source, about, .. }
                    if self.matches_object(by, *source) && self.matches_object(of, *about))
            });
            if let Some(both) = both {
                return Ok(vec![both as u32]);
            }
        }
        for value in values {
            let free: Vec<u32> = (0..decision.options.len() as u32).filter(|i| decision.repeats || !picks.contains(i)).collect();
            let option = |i: &u32| decision.options.get(*i as usize).copied();
            let mut found = free.iter().copied().find(|i| option(i).is_some_and(|choice| self.matches_choice(value, choice)));
            if found.and_then(|i| option(&i)).is_some_and(|choice| has_several_partners(decision, choice)) {
                return Err(format!("say with what {} goes: there are several", self.expected_text(value)));
            }
            if found.is_none() {
                // Abilities of the same source are distinguished by the object of their event.
                found = free.iter().copied().find(|i| match option(i) {
                    Some(Choice::Trigger { about, .. } | Choice::Replacement { about, .. }) => self.matches_object(value, about),
                    _ => false,
                });
            }
            match found {
                Some(pick) => picks.push(pick),
                None if self.is_empty_value(value) => {
                    return Err("that names nothing here: what is chosen is named one by one, by what the position calls it (`as NAME`) or by \
                                its card (`\"CARD\", \"CARD\"`)"
                        .to_owned());
                }
                None => return Err(format!("{} is not among the legal answers", self.expected_text(value))),
            }
        }
        Ok(picks)
    }

    /// The option about one of the abilities of an object: the abilities that are offered are numbered from 1, in the order of its text.
    fn pick_of_ability(&mut self, decision: &Decision, of: &ExpectedValue, number: i64) -> Result<u32, String> {
        let mut abilities: Vec<(u32, u32)> = Vec::new();
        for (choice, option) in decision.options.iter().zip(0..) {
            let (Choice::Trigger { ability, source, .. } | Choice::Replacement { ability, source, .. }) = *choice else {
                continue;
            };
            if self.matches_object(of, source) && !abilities.iter().any(|(known, _)| *known == ability) {
                abilities.push((ability, option));
            }
        }
        abilities.sort_unstable();
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| abilities.get(place)).map(|(_, option)| *option).ok_or_else(|| {
            let text = self.expected_text(of);
            format!("{number} is no ability of {text} here: of those to choose from it has {}", abilities.len())
        })
    }

    /// The automatic answer to a decision: the only legal one, automatic payment, or any order of identical triggers.
    pub(super) fn automatic_answer(decision: &Decision) -> Option<Vec<u32>> {
        if let Some(picks) = decision.forced() {
            return Some(picks);
        }
        match decision.kind {
            DecisionKind::Pay => decision.proposal(),
            // The same ability several times: the order rarely matters, and a script can choose it if it does.
            DecisionKind::Trigger => {
                let what = |choice: &Choice| match *choice {
                    Choice::Trigger { ability, source, .. } => Some((ability, source)),
                    _ => None,
                };
                let first = decision.options.first().and_then(what);
                decision.options.iter().all(|c| what(c) == first).then(|| vec![0])
            }
            _ => None,
        }
    }

    /// The answer that `rest first` gives: the automatic one, or the smallest legal one.
    pub(super) fn first_answer(decision: &Decision) -> Vec<u32> {
        if let Some(picks) = Self::automatic_answer(decision) {
            return picks;
        }
        if decision.kind == DecisionKind::Number {
            return vec![decision.min as u32];
        }
        if let Some(legal) = decision.proposal() {
            return legal;
        }
        if decision.kind == DecisionKind::Divide {
            return decision.default_division(0);
        }
        let least = u32::try_from(decision.min).unwrap_or(0);
        if decision.repeats { vec![0; least as usize] } else { (0..least).collect() }
    }

    /// Pays with a producer. The payment stays open for further ones.
    pub(super) fn pay_with(
        &mut self,
        player: usize,
        producer: &ExpectedValue,
        step: &ScenarioStep,
    ) -> Result<(), ScenarioFailure> {
        let decision = self.advance_to(StopCondition::Pay { player })?;
        let Some(decision) = decision.filter(|it| it.kind == DecisionKind::Pay && it.player == player) else {
            let payer = self.player_name(player);
            return self
                .fail(format!("`{}`: {payer} has no payment to choose: nothing is paid, or there is one way only", step.text));
        };
        let producers = decision.options.iter().zip(0..).filter_map(|(choice, option)| match choice {
            Choice::Object(it) | Choice::Producer(it) => Some((*it, option)),
            _ => None,
        });
        for (it, option) in producers.collect::<Vec<_>>() {
            if self.matches_object(producer, it) {
                self.give_answer(&[option])?;
                self.payment_is_open = true;
                return Ok(());
            }
        }
        let (text, pending) = (self.expected_text(producer), self.decision_text(&decision));
        self.fail(format!("`{}`: {text} cannot pay for this; {pending}", step.text))
    }

    /// Whether an expected value is an empty list of objects, or no object.
    fn is_empty_value(&mut self, expected: &ExpectedValue) -> bool {
        let reference = self.type_of(expected).is_some_and(|ty| matches!(ty, Type::Object | Type::Objects));
        reference && self.expected_value(expected).is_none_or(|value| ObjectRef::from_value(value).is_none())
    }

    /// Whether a verb of the script names a play. `activate` names every ability.
    pub(super) fn matches_play(&self, written: &str, code: u32) -> bool {
        let Some(play) = self.machine.program.play(code) else { return false };
        is_verb(written, &play.name) || (code >= ABILITY_PLAY && is_verb(written, "activate"))
    }

    /// Whether an expected card is the face with which an object of several faces is used.
    fn is_face(&self, expected: &ExpectedValue, it: ObjectRef, face: u8) -> bool {
        let ExpectedValue::Card(card) = expected else { return false };
        let definition = self.machine.state.column(it.slot(), crate::state::layout::DEFINITION);
        face > 0 && self.machine.program.shown_definition(definition, u32::from(face), None) == card.0
    }

    /// The option of a decision that a scripted act names; `None` if it is not offered.
    ///
    /// # Errors
    /// A message if the verb names several plays, or fits several objects while the script names none.
    pub(super) fn find_play(
        &mut self,
        decision: &Decision,
        written: &str,
        object: Option<&ExpectedValue>,
    ) -> Result<Option<u32>, String> {
        if !matches!(decision.kind, DecisionKind::Act | DecisionKind::Pay) {
            return Ok(None);
        }
        let mut found: Vec<(u32, u32, ObjectRef)> = Vec::new();
        // What is used as the face that the script names goes before other uses of the same card.
        let mut as_named: Vec<(u32, u32, ObjectRef)> = Vec::new();
        for (i, choice) in decision.options.iter().enumerate() {
            let Choice::Play { play, object: it, face } = *choice else { continue };
            if !self.matches_play(written, play) {
                continue;
            }
            if object.is_some_and(|expected| self.is_face(expected, it, face)) {
                as_named.push((i as u32, play, it));
            }
            let fits = match object {
                Some(expected) => self.matches_object(expected, it),
                None => true,
            };
            if fits {
                found.push((i as u32, play, it));
            }
        }
        if !as_named.is_empty() {
            found = as_named;
        }
        if object.is_none() && found.iter().any(|(_, _, it)| it.is_none()) {
            found.retain(|(_, _, it)| it.is_none());
        }
        let Some((index, code, it)) = found.first().copied() else { return Ok(None) };
        if let Some((_, other, _)) = found.iter().find(|(_, other, _)| *other != code) {
            let (a, b) = (self.play_name(code), self.play_name(*other));
            if a == b {
                return Err(format!(
                    "`{written}` fits several abilities: give them labels on the card, `\"LABEL\" COST: …`, and write the label in its place"
                ));
            }
            return Err(format!("`{written}` may mean `{a}` or `{b}`: write the one that is meant"));
        }
        if object.is_none() && found.iter().any(|(_, _, other)| *other != it) {
            return Err(format!("`{written}` fits several objects: name the one that is meant"));
        }
        Ok(Some(index))
    }

    /// The plays of the format that a verb of the script may name, each with the matching objects in the game. Without an expected
    /// object, each play comes once with no object.
    pub(super) fn matching_plays(&mut self, written: &str, object: Option<&ExpectedValue>) -> Vec<(u32, ObjectRef)> {
        let plays = self.machine.program.format.plays.len() as u32;
        let program = std::sync::Arc::clone(&self.machine.program);
        let abilities: Vec<u32> =
            program.activated.iter().chain(&program.concealed_abilities).map(|(_, a)| ABILITY_PLAY + a.0).collect();
        let mut found = Vec::new();
        for code in (0..plays).chain(abilities) {
            if !self.matches_play(written, code) {
                continue;
            }
            let Some(expected) = object else {
                found.push((code, ObjectRef::NONE));
                continue;
            };
            for slot in 1..self.machine.state.slots() {
                let it = self.machine.state.current(slot);
                if self.machine.state.exists(it)
                    && self.matches_object(expected, it)
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
        if self.machine.abilities_while_concealed(it).contains(&code) {
            return true;
        }
        let (world, _) = self.machine.world();
        units.iter().any(|unit| world.has_bundle(it, *unit))
    }
}

/// Whether another option pairs the same left object with a different partner.
fn has_several_partners(decision: &Decision, choice: Choice) -> bool {
    let Choice::Pair(own, side) = choice else { return false };
    decision.options.iter().any(|pair| matches!(pair, Choice::Pair(it, with) if *it == own && *with != side))
}

/// Whether a decision of a kind takes such answers at all.
pub(super) fn could_answer(answer: &ScriptedAnswer, kind: DecisionKind) -> bool {
    match answer {
        ScriptedAnswer::Pass => true,
        ScriptedAnswer::Values(_) | ScriptedAnswer::Modes(_) => !matches!(kind, DecisionKind::Act | DecisionKind::YesNo),
        ScriptedAnswer::Yes | ScriptedAnswer::No | ScriptedAnswer::Nothing => kind != DecisionKind::Act,
    }
}
