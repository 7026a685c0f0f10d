//! Writes scenarios from games: the source text of what was played from a position on.
//!
//! An object is written by the name of its card where that leads to it among the options, else by a name that its entry of the position
//! gets. What cannot be written ends the text. A reader of the text should compile and play it: only that shows that it leads to the same
//! game.

use super::ScenarioRunner;
use super::messages::{ability_of, number_of_ability};
use super::run::ScenarioRun;
use crate::game::RecordedAnswer;
use crate::ir::op::Place;
use crate::ir::scenario::{ExpectedValue, PositionEntry, Scenario, ScenarioStepKind, third_person};
use crate::ir::{DefId, FnId, Type};
use crate::ir::{ObjectRef, Op};
use crate::program::Program;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::view::look::look;
use crate::vm::decision::{Choice, Decision, DecisionKind, Side};
use crate::vm::machine::{Machine, StepResult};
use std::collections::BTreeMap;
use std::fmt::Write;

/// About as many changes of objects, and at most as many of variables, are expected.
const MAX_EXPECTED: usize = 8;

/// Stands for the name of an object. No source can contain it.
const NAME: char = '\0';

/// What was played, as source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenGame {
    /// The position and the start, each line indented as in a scenario; empty if the game continues after steps of a scenario.
    pub position: String,
    /// The answers, one a line, without indentation. Proposed payments are not written, and of forced answers only passes that a scenario does
    /// not give by itself.
    pub answers: Vec<String>,
    /// What is the case at the end, as expectations.
    pub expectations: Vec<String>,
    /// Why it ends before the last answer.
    pub left_out: Option<String>,
    /// After each line of `answers`: the hash of the board at the next decision.
    pub hashes: Vec<u64>,
}

impl ScenarioRunner<'_> {
    /// Writes the answers that were given after the first steps of a scenario. Without a number of steps, they are given in its position, which is
    /// written as well, so that the text is that of a new scenario.
    ///
    /// # Errors
    /// In words: the scenario cannot be started, or its position cannot be written.
    pub fn write_game(
        &self,
        scenario: &Scenario,
        steps: Option<usize>,
        answers: &[RecordedAnswer],
    ) -> Result<WrittenGame, String> {
        let mut run = self.start(scenario, false).map_err(|failure| failure.message)?;
        let mut values = BTreeMap::new();
        if steps.is_none() {
            for function in functions_of(scenario.position.as_deref().unwrap_or_default()) {
                let args = run.args();
                values.insert(function, run.machine.number(function, &args));
            }
        }
        match steps {
            Some(steps) => run.run_before(steps),
            None => run.run_first(0),
        }
        .map_err(|failure| failure.message)?;
        let mut writer = Writer { run, names: BTreeMap::new(), may_name: steps.is_none(), used: Vec::new() };
        if steps.is_some() {
            writer.take_bound_names();
        }
        let mut begun = writer.run.machine.clone();
        let mut written = WrittenGame::default();
        let mut lines: Vec<Line> = Vec::new();
        let mut forced_passes: Vec<Line> = Vec::new();
        for answer in answers {
            let given = match writer.answer(answer) {
                Ok(given) => given,
                Err(why) => {
                    written.left_out = Some(why);
                    break;
                }
            };
            match given {
                Given { line: None, .. } => {}
                Given { line: Some(line), is_forced: true } => forced_passes.push(line),
                Given { line: Some(line), is_forced: false } => {
                    // A step of a player takes the first decision at which the player may act. Before it, the scenario passes by itself
                    // for the others where nothing else is possible.
                    let seat = usize::from(answer.player);
                    let needed = forced_passes.iter().rposition(|passed| passed.seat == Some(seat)).map_or(0, |last| last + 1);
                    lines.extend(forced_passes.drain(..).take(needed));
                    lines.push(line);
                }
            }
        }
        lines.append(&mut forced_passes);
        (written.answers, written.hashes) = writer.texts(lines).into_iter().unzip();
        written.expectations = writer.expectations(&mut begun);
        if steps.is_none() {
            written.position = writer.position(scenario, &values)?;
        }
        Ok(written)
    }
}

/// The pure functions of a position that are numbers.
fn functions_of(position: &[PositionEntry]) -> Vec<FnId> {
    let of = |entry: &PositionEntry| match entry {
        PositionEntry::Cards { statuses, .. } => statuses.iter().map(|(_, _, value)| *value).collect(),
        PositionEntry::Value { value, .. } | PositionEntry::GameValue { value, .. } => vec![*value],
        PositionEntry::Effect { .. } => Vec::new(),
    };
    position.iter().flat_map(of).collect()
}

/// Whether a text can be written as a name.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The object of an option; of a trigger or a replacement its source.
fn object_of(choice: &Choice) -> Option<ObjectRef> {
    match *choice {
        Choice::Object(it)
        | Choice::Producer(it)
        | Choice::Play { object: it, .. }
        | Choice::Trigger { source: it, .. }
        | Choice::Replacement { source: it, .. } => Some(it),
        Choice::Pass
        | Choice::Player(_)
        | Choice::Mode(_)
        | Choice::Yes
        | Choice::No
        | Choice::Word(..)
        | Choice::PayNow
        | Choice::Abandon
        | Choice::Pair(..) => None,
    }
}

/// What a recorded answer is written as.
struct Given {
    /// `None`: a scenario gives it by itself.
    line: Option<Line>,
    is_forced: bool,
}

/// A line of the text.
struct Line {
    /// The player who passes, if it is a pass.
    seat: Option<usize>,
    /// The text of any other answer.
    text: String,
    /// The hash of the board at the next decision.
    hash: u64,
}

struct Writer<'s> {
    run: ScenarioRun<'s>,
    /// The names of objects, by slot of the state.
    names: BTreeMap<usize, String>,
    /// Whether objects of the position may get names.
    may_name: bool,
    /// The slots of the objects that the text is about.
    used: Vec<usize>,
}

impl Writer<'_> {
    /// The names that the scenario has bound.
    fn take_bound_names(&mut self) {
        let bound = self.run.slots.iter().zip(&self.run.scenario.slots);
        for (slot, name) in bound {
            if let super::run::BoundName::Object(slot) = slot {
                self.names.insert(*slot, name.clone());
            }
        }
    }

    /// The number of objects in the position. Their slots are 1 and the following ones, in the order of the entries.
    fn placed(&self) -> usize {
        let count = |entry: &PositionEntry| if let PositionEntry::Cards { count, .. } = entry { *count as usize } else { 0 };
        self.run.scenario.position.iter().flatten().map(count).sum()
    }

    /// The name of a player; a seat that the scenario does not name has its letter.
    fn player(&self, seat: usize) -> String {
        let named = self.run.scenario.slots.get(seat).filter(|_| seat < usize::from(self.run.scenario.players));
        named.cloned().unwrap_or_else(|| crate::view::seat_name(seat))
    }

    /// The lines as text. Passes that follow each other make one line, up to a player who passes again.
    fn texts(&self, lines: Vec<Line>) -> Vec<(String, u64)> {
        let mut texts: Vec<(String, u64)> = Vec::new();
        let mut passing: Vec<usize> = Vec::new();
        let pass_text = |passing: &[usize]| {
            let names: Vec<String> = passing.iter().map(|seat| self.player(*seat)).collect();
            if let [one] = names.as_slice() { format!("{one} passes") } else { format!("{} pass", names.join(", ")) }
        };
        for Line { seat, text, hash } in lines {
            let Some(seat) = seat else {
                passing.clear();
                texts.push((text, hash));
                continue;
            };
            if passing.contains(&seat) {
                passing.clear();
            }
            if !passing.is_empty() {
                texts.pop();
            }
            passing.push(seat);
            texts.push((pass_text(&passing), hash));
        }
        texts
    }

    /// Gives the recorded answer to the pending decision, and advances to the next one.
    fn answer(&mut self, answer: &RecordedAnswer) -> Result<Given, String> {
        let StepResult::Decision(decision) = self.run.machine.step() else { return Err("the game is over".to_owned()) };
        if answer.is_concession() {
            let seat = usize::from(answer.player);
            self.run.machine.concede(seat);
            return Ok(Given { line: Some(self.at_next(None, format!("{} concedes", self.player(seat)))), is_forced: false });
        }
        if RecordedAnswer::new(&decision, &answer.picks) != *answer {
            return Err("another decision was answered".to_owned());
        }
        let is_forced = decision.forced().is_some_and(|forced| forced == answer.picks);
        let first = answer.picks.first().and_then(|pick| decision.options.get(*pick as usize));
        // A player who declines triggers passes, too.
        let is_pass = matches!(decision.kind, DecisionKind::Act | DecisionKind::Trigger) && first == Some(&Choice::Pass);
        let text = if is_pass {
            Some(String::new())
        } else if is_forced {
            None
        } else {
            self.line(&decision, &answer.picks)?
        };
        self.run.machine.answer(&answer.picks).map_err(|error| error.to_string())?;
        let seat = is_pass.then_some(decision.player);
        Ok(Given { line: text.map(|text| self.at_next(seat, text)), is_forced })
    }

    /// A line, with the board at the next decision.
    fn at_next(&mut self, seat: Option<usize>, text: String) -> Line {
        // At the end of the game the board is looked at as well.
        let _ = self.run.machine.step();
        Line { seat, text, hash: self.run.machine.state.board_hash(&self.run.machine.program) }
    }

    fn line(&mut self, decision: &Decision, picks: &[u32]) -> Result<Option<String>, String> {
        let who = self.player(decision.player);
        let first = picks.first().and_then(|pick| decision.options.get(*pick as usize)).copied();
        Ok(Some(match (decision.kind, first) {
            (DecisionKind::Number, _) => format!("{who} answers {}", picks.first().copied().unwrap_or(0)),
            (DecisionKind::Divide, _) => {
                let shares: Vec<String> = picks.iter().map(ToString::to_string).collect();
                format!("{who} answers {}", shares.join(", "))
            }
            (DecisionKind::Act | DecisionKind::Pay, Some(Choice::Play { .. })) => self.play(decision, picks)?,
            (DecisionKind::Pay, Some(Choice::PayNow)) if !self.run.payment_is_open => return Ok(None),
            (DecisionKind::Pay, Some(Choice::Producer(it))) => {
                self.run.payment_is_open = true;
                let is_producer = |at: &u32| matches!(decision.options.get(*at as usize), Some(Choice::Producer(_)));
                let producers: Vec<u32> = (0..decision.options.len() as u32).filter(is_producer).collect();
                let producer = self.chosen(decision, &producers, picks.first().copied().unwrap_or(0), it)?;
                return Ok(Some(format!("{who} pays with {producer}")));
            }
            (_, Some(Choice::Yes | Choice::PayNow)) => {
                self.run.payment_is_open = false;
                format!("{who} says yes")
            }
            (_, Some(Choice::No | Choice::Abandon)) | (DecisionKind::Replacement, Some(Choice::Pass)) => {
                self.run.payment_is_open = false;
                format!("{who} says no")
            }
            (DecisionKind::Modes, Some(Choice::Mode(_))) => {
                let mode = |pick: &u32| match decision.options.get(*pick as usize) {
                    Some(Choice::Mode(mode)) => (mode + 1).to_string(),
                    _ => String::new(),
                };
                format!("{who} chooses mode {}", picks.iter().map(mode).collect::<Vec<_>>().join(", "))
            }
            (DecisionKind::Assign, _) => self.declaration(decision, picks)?,
            (_, None) => format!("{who} chooses nothing"),
            _ => format!("{who} chooses {}", self.values(decision, picks)?.join(", ")),
        }))
    }

    fn play(&mut self, decision: &Decision, picks: &[u32]) -> Result<String, String> {
        let pick = picks.first().copied().unwrap_or(0);
        let Some(Choice::Play { play, object, .. }) = decision.options.get(pick as usize).copied() else {
            return Err(String::new());
        };
        let name = self.run.machine.program.play(play).map_or_else(String::new, |play| play.name.clone());
        let who = self.player(decision.player);
        let verbs = [written_verb(&self.run.machine, &name), "activates".to_owned()];
        for verb in verbs.iter().filter(|verb| is_name(verb) && (play >= ABILITY_PLAY || *verb != "activates")) {
            let matching: Vec<(u32, u32, ObjectRef)> = decision
                .options
                .iter()
                .enumerate()
                .filter_map(|(at, choice)| match *choice {
                    Choice::Play { play, object, .. } if self.run.matches_play(verb, play) => Some((at as u32, play, object)),
                    _ => None,
                })
                .collect();
            if object.is_none() {
                if matching.iter().find(|(_, _, it)| it.is_none()).is_some_and(|(at, ..)| *at == pick) {
                    return Ok(format!("{who} {verb}"));
                }
                continue;
            }
            // Of what the text names, the first option is taken, and all must be the same play.
            let leads_there = |those: Vec<&(u32, u32, ObjectRef)>| {
                those.first().is_some_and(|(at, ..)| *at == pick) && those.iter().all(|(_, code, _)| *code == play)
            };
            let card = self.card(object);
            if let Some((_, expected)) = &card {
                let of_card: Vec<_> = matching.iter().filter(|(_, _, it)| self.run.matches_object(expected, *it)).collect();
                if leads_there(of_card) {
                    let text = self.quoted(object)?;
                    return Ok(format!("{who} {verb} {text}"));
                }
            }
            let slot = self.run.source_of(object).slot();
            let of_slot: Vec<_> = matching.iter().filter(|(_, _, it)| self.run.source_of(*it).slot() == slot).collect();
            if leads_there(of_slot) {
                let text = self.name(object)?;
                return Ok(format!("{who} {verb} {text}"));
            }
        }
        Err(format!("`{name}` cannot be distinguished from another play of the same object"))
    }

    /// The options that were picked, as values.
    fn values(&mut self, decision: &Decision, picks: &[u32]) -> Result<Vec<String>, String> {
        let mut taken: Vec<u32> = Vec::new();
        let mut texts = Vec::new();
        for pick in picks {
            let Some(choice) = decision.options.get(*pick as usize).copied() else { return Err("no such option".to_owned()) };
            let text = match choice {
                Choice::Object(it)
                | Choice::Play { object: it, .. }
                | Choice::Trigger { source: it, .. }
                | Choice::Replacement { source: it, .. } => {
                    let free: Vec<u32> =
                        (0..decision.options.len() as u32).filter(|at| decision.repeats || !taken.contains(at)).collect();
                    self.chosen(decision, &free, *pick, it)?
                }
                Choice::Player(seat) => self.player(seat),
                Choice::Mode(mode) => (mode + 1).to_string(),
                Choice::Word(traits, word) => {
                    let word = self.run.machine.program.word_name(traits, word).to_owned();
                    if is_name(&word) { word } else { quoted_name(&word)? }
                }
                Choice::Pass
                | Choice::Yes
                | Choice::No
                | Choice::PayNow
                | Choice::Producer(_)
                | Choice::Abandon
                | Choice::Pair(..) => {
                    return Err("there is no word for this answer".to_owned());
                }
            };
            taken.push(*pick);
            texts.push(text);
        }
        Ok(texts)
    }

    /// The object of an option: by its card if that leads to the option among the free ones, else by its name.
    fn chosen(&mut self, decision: &Decision, free: &[u32], pick: u32, it: ObjectRef) -> Result<String, String> {
        let object = |at: &u32| decision.options.get(*at as usize).and_then(object_of);
        let picked = decision.options.get(pick as usize).copied();
        if let Some(number) = picked.and_then(|choice| number_of_ability(decision, choice)) {
            let is_same =
                |at: &u32| decision.options.get(*at as usize).copied().and_then(ability_of) == picked.and_then(ability_of);
            let is_first = free.iter().find(|at| is_same(at)) == Some(&pick);
            let name = self.name(it)?;
            return if is_first { Ok(format!("{name}, {number}")) } else { Err("two options have the same name".to_owned()) };
        }
        if let Some((_, expected)) = self.card(it) {
            let first = free.iter().find(|at| object(at).is_some_and(|it| self.run.matches_object(&expected, it)));
            if first == Some(&pick) {
                return self.quoted(it);
            }
        }
        let slot = self.run.source_of(it).slot();
        let first = free.iter().find(|at| object(at).is_some_and(|it| self.run.source_of(it).slot() == slot));
        if first == Some(&pick) { self.name(it) } else { Err("two options have the same name".to_owned()) }
    }

    /// A declaration: each object, and what it is paired with.
    fn declaration(&mut self, decision: &Decision, picks: &[u32]) -> Result<String, String> {
        let site = decision.site.and_then(|site| self.run.machine.program.library.sites.get(site as usize));
        let action = site.and_then(|site| site.verb).and_then(|verb| self.run.machine.program.format.actions.get(verb.index()));
        let verb = action.map(|action| third_person(&action.name)).filter(|verb| is_name(verb));
        let verb = verb.ok_or("there is no word for this declaration")?;
        let mut pairs = Vec::new();
        for pick in picks {
            let Some(Choice::Pair(it, side)) = decision.options.get(*pick as usize).copied() else { continue };
            let lefts = |choice: &Choice| if let Choice::Pair(it, _) = choice { Some(*it) } else { None };
            let left = self.of_several(it, decision.options.iter().filter_map(lefts).collect())?;
            let sides: Vec<Side> = decision
                .options
                .iter()
                .filter_map(|choice| if let Choice::Pair(other, side) = choice { Some((*other, *side)) } else { None })
                .filter(|(other, _)| *other == it)
                .map(|(_, side)| side)
                .collect();
            let objects = |side: &Side| if let Side::Object(it) = side { Some(*it) } else { None };
            pairs.push(match side {
                _ if sides.len() == 1 => left,
                Side::Player(seat) => format!("{left} at {}", self.player(seat)),
                Side::Object(with) => {
                    let right = self.of_several(with, sides.iter().filter_map(objects).collect())?;
                    format!("{left} at {right}")
                }
            });
        }
        let pairs = if pairs.is_empty() { "nothing".to_owned() } else { pairs.join(", ") };
        Ok(format!("{} {verb} with {pairs}", self.player(decision.player)))
    }

    /// An object among others: by its card if no other one is of this card, else by its name.
    fn of_several(&mut self, it: ObjectRef, all: Vec<ObjectRef>) -> Result<String, String> {
        if let Some((_, expected)) = self.card(it)
            && all.iter().all(|other| *other == it || !self.run.matches_object(&expected, *other))
        {
            return self.quoted(it);
        }
        self.name(it)
    }

    /// The name of the card of an object, or of the source of an ability, and the card as an expected value.
    fn card(&mut self, it: ObjectRef) -> Option<(String, ExpectedValue)> {
        let own = self.run.definition(it).filter(|definition| *definition != 0);
        let definition = match own {
            Some(definition) => definition,
            None => {
                let source = self.run.source_of(it);
                self.run.definition(source)?
            }
        };
        let card = self.run.machine.program.library.definitions.get(definition as usize)?;
        Some((card.name.clone(), ExpectedValue::Card(DefId(definition)))).filter(|(name, _)| !name.is_empty())
    }

    fn quoted(&mut self, it: ObjectRef) -> Result<String, String> {
        let slot = self.run.source_of(it).slot();
        self.used.push(slot);
        let (name, _) = self.card(it).ok_or("an object without a card")?;
        quoted_name(&name)
    }

    /// The name of an object, or of the source of an ability. An object of the position gets one.
    fn name(&mut self, it: ObjectRef) -> Result<String, String> {
        let slot = self.run.source_of(it).slot();
        self.used.push(slot);
        if let Some(name) = self.names.get(&slot) {
            return Ok(name.clone());
        }
        let card = self.card(it).map_or_else(String::new, |(name, _)| name);
        if !self.may_name || slot == 0 || slot > self.placed() {
            return Err(format!("there are several \"{card}\", and this one has no name"));
        }
        let letters: String = card.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let stem = if letters.starts_with(|c: char| c.is_ascii_alphabetic()) { letters } else { "card".to_owned() };
        // No word of the language ends in a number.
        let is_new = |name: &String| !self.names.values().any(|known| known == name) && !self.run.scenario.slots.contains(name);
        let name = (1..).map(|number| format!("{stem}{number}")).find(is_new).unwrap_or_default();
        self.names.insert(slot, name.clone());
        Ok(name)
    }

    /// What has become of the objects of the position, first of those that the text names, and of the numbers of the players.
    fn expectations(&mut self, begun: &mut Machine) -> Vec<String> {
        let mut slots = std::mem::take(&mut self.used);
        slots.sort_unstable();
        slots.dedup();
        let placed = self.placed();
        slots.retain(|slot| (1..=placed).contains(slot));
        let named = slots.len();
        slots.extend((1..=placed).filter(|slot| !slots[..named].contains(slot)).collect::<Vec<_>>());
        let mut lines = Vec::new();
        for (number, slot) in slots.into_iter().enumerate() {
            if lines.len() >= MAX_EXPECTED {
                break;
            }
            let changes = self.changes(begun, slot, number < named);
            let it = self.run.machine.state.current(slot);
            if !changes.is_empty()
                && let Ok(name) = self.name(it)
            {
                lines.extend(changes.into_iter().map(|change| format!("expect {}", change.replace(NAME, &name))));
            }
        }
        let program = std::sync::Arc::clone(&self.run.machine.program);
        let mut numbers = Vec::new();
        for seat in 0..program.players() {
            for (number, variable) in program.library.player_variables.iter().enumerate() {
                if variable.ty != Type::Number
                    || variable.keys.is_some()
                    || variable.lifetime.is_some()
                    || variable.name.starts_with('_')
                {
                    continue;
                }
                let cell = program.layout.player(seat, number);
                let (before, now) = (begun.state.block.get(cell) as i32, self.run.machine.state.block.get(cell) as i32);
                if before != now {
                    numbers.push(format!("expect {} of {} == {now}", variable.name, self.player(seat)));
                }
            }
        }
        lines.extend(numbers.into_iter().take(MAX_EXPECTED));
        lines
    }

    /// What has changed about an object, as conditions with [`NAME`] for its name: its zone, else how the layout draws it. What moved where no player
    /// sees it counts only if the text names it.
    fn changes(&mut self, begun: &mut Machine, slot: usize, is_named: bool) -> Vec<String> {
        let program = std::sync::Arc::clone(&self.run.machine.program);
        let (before, now) = (begun.state.zone(slot), self.run.machine.state.zone(slot));
        let Some(zone) = now else { return Vec::new() };
        let is_public = |zone: Option<usize>| zone.is_some_and(|zone| program.is_public(zone));
        if !is_named && !is_public(before) && !is_public(now) {
            return Vec::new();
        }
        let mut changes = Vec::new();
        if before != now {
            let Some(kind) = program.zone_of(zone) else { return Vec::new() };
            if kind.list || kind.absent || !is_name(&kind.name) || kind.name.starts_with('_') {
                return Vec::new();
            }
            let of = program.zone_owner(zone).map_or_else(String::new, |seat| format!(" of {}", self.player(seat)));
            changes.push(format!("{NAME} in {}{of}", kind.name));
        }
        let viewer = self.run.machine.state.column(slot, at::OWNER) as usize;
        let first = begun.state.current(slot);
        let was = look(begun, viewer, first).filter(|_| before == now);
        let it = self.run.machine.state.current(slot);
        let Some(is) = look(&mut self.run.machine, viewer, it) else { return changes };
        let known = was.clone().unwrap_or_default();
        for status in statuses_that_turn(&program) {
            let value = |machine: &Machine| machine.state.block.get(machine.state.cell(slot, at::STATUSES + status)) != 0;
            let (was, is) = (was.is_some() && value(begun), value(&self.run.machine));
            if was != is
                && let Some(status) = program.library.statuses.get(status).filter(|status| is_name(&status.name))
            {
                changes.push(format!("{NAME} is {}{}", if is { "" } else { "not " }, status.name));
            }
        }
        for (name, key, number) in &is.counts {
            let is_new = !known.counts.iter().any(|known| known == &(name.clone(), key.clone(), *number));
            let key = key.as_ref().map(|key| if is_name(key) { Ok(key.clone()) } else { quoted_name(key) }).transpose();
            if let (true, Ok(key)) = (is_new && is_name(name), key) {
                let key = key.map_or_else(String::new, |key| format!("({key})"));
                changes.push(format!("{name}{key} of {NAME} == {number}"));
            }
        }
        for (name, key, _) in &known.counts {
            let was_shown_only_before = !is.counts.iter().any(|(other, word, _)| (other, word) == (name, key));
            if was_shown_only_before && key.is_none() && is_name(name) {
                changes.push(format!("{name} of {NAME} == 0"));
            }
        }
        for name in is.marks.iter().filter(|name| !known.marks.contains(name) && is_name(name)) {
            changes.push(format!("{NAME} is {name}"));
        }
        for number in &is.stat {
            let before = known.stat.iter().find(|known| known.property == number.property);
            let property = program.library.properties.get(number.property);
            if let (Some(before), Some(property)) = (before, property)
                && before.value != number.value
                && is_name(&property.name)
            {
                changes.push(format!("{} of {NAME} == {}", property.name, number.value));
            }
        }
        changes
    }

    /// The position with the names that its objects have got, and the start.
    fn position(&self, scenario: &Scenario, values: &BTreeMap<FnId, i64>) -> Result<String, String> {
        let program = &self.run.machine.program;
        let value = |function: &FnId| values.get(function).copied().unwrap_or(0);
        let (mut text, mut of, mut next_slot) = ("  position {\n".to_owned(), None, 1);
        let end = |text: &mut String, of: Option<u8>| {
            if of.is_some() {
                text.push_str("    }\n");
            }
        };
        // What is of the game as a whole follows the players.
        let (of_game, of_players): (Vec<_>, Vec<_>) =
            scenario.position.iter().flatten().partition(|entry| matches!(entry, PositionEntry::GameValue { .. }));
        for entry in of_players.into_iter().chain(of_game) {
            let seat = match entry {
                PositionEntry::Cards { player, .. } | PositionEntry::Value { player, .. } => Some(*player),
                PositionEntry::GameValue { .. } => None,
                PositionEntry::Effect { .. } => return Err("the position has effects: write the scenario by hand".to_owned()),
            };
            if seat != of {
                end(&mut text, of);
                if let Some(seat) = seat {
                    let _ = writeln!(text, "    {}: {{", self.player(usize::from(seat)));
                }
                of = seat;
            }
            match entry {
                PositionEntry::Cards { zone, count, card, statuses, .. } => {
                    let zone = program.library.zones.get(zone.index()).map_or("", |zone| zone.name.as_str());
                    let card = quoted_name(program.library.definitions.get(card.index()).map_or("", |card| card.name.as_str()))?;
                    let mut with = Vec::new();
                    for (status, key, number) in statuses {
                        let status = program.library.statuses.get(usize::from(*status)).ok_or("an unknown status")?;
                        with.extend(written_variable(program, status, *key, value(number), " = ")?);
                    }
                    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
                    // Objects of one entry are split where one of them has a name.
                    let mut unnamed = 0;
                    let mut write = |count: u32, name: Option<&String>| {
                        let count = if count > 1 { format!("{count} ") } else { String::new() };
                        let name = name.map_or_else(String::new, |name| format!(" as {name}"));
                        let _ = writeln!(text, "      {zone} {count}{card}{name}{with}");
                    };
                    for slot in next_slot..next_slot + *count as usize {
                        if let Some(name) = self.names.get(&slot) {
                            if unnamed > 0 {
                                write(unnamed, None);
                            }
                            write(1, Some(name));
                            unnamed = 0;
                        } else {
                            unnamed += 1;
                        }
                    }
                    if unnamed > 0 {
                        write(unnamed, None);
                    }
                    next_slot += *count as usize;
                }
                PositionEntry::Value { variable, key, value: number, .. } => {
                    let variable = program.library.player_variables.get(usize::from(*variable)).ok_or("an unknown variable")?;
                    if let Some(written) = written_variable(program, variable, *key, value(number), " ")? {
                        let _ = writeln!(text, "      {written}");
                    }
                }
                PositionEntry::GameValue { variable, value: number } => {
                    let variable = program.library.globals.get(usize::from(*variable)).ok_or("an unknown variable")?;
                    if let Some(written) = written_variable(program, variable, 0, value(number), " = ")? {
                        let _ = writeln!(text, "    {written}");
                    }
                }
                PositionEntry::Effect { .. } => {}
            }
        }
        end(&mut text, of);
        text.push_str("  }\n");
        let start = scenario.steps.iter().find_map(|step| match step.kind {
            ScenarioStepKind::Start { player, period } => Some((usize::from(player), period.index())),
            _ => None,
        });
        if let Some((player, period)) = start {
            let path = program.format.periods.get(period).map_or("", |period| period.path.as_str());
            let _ = writeln!(text, "  at {}'s {path}", self.player(player));
        }
        Ok(text)
    }
}

/// The statuses that turn an object sideways, as the layout says.
fn statuses_that_turn(program: &Program) -> Vec<usize> {
    let functions = program.format.layout.faces.iter().flat_map(|face| &face.turned);
    let ops = functions.filter_map(|function| program.library.functions.get(function.index())).flat_map(|function| &function.ops);
    let statuses = ops.filter_map(|op| match op {
        Op::Get { place: Place::Status(status), .. } => Some(usize::from(*status)),
        _ => None,
    });
    let is_bool = |status: &usize| program.library.statuses.get(*status).is_some_and(|status| status.ty == Type::Bool);
    statuses.filter(is_bool).collect()
}

/// The third person of a play. In `normal_summon` the last word is the verb, since others end in it as well (`flip_summon`); in `play_land` the
/// first.
fn written_verb(machine: &Machine, name: &str) -> String {
    let Some((_, last)) = name.rsplit_once('_') else { return third_person(name) };
    let ends_alike = |other: &str| other != name && other.rsplit('_').next() == Some(last);
    let plays = machine.program.format.plays.iter().map(|play| play.name.as_str());
    let is_verb = plays.chain(machine.program.format.actions.iter().map(|action| action.name.as_str())).any(ends_alike);
    match name.strip_suffix(last) {
        Some(before) if is_verb => format!("{before}{}", third_person(last)),
        _ => third_person(name),
    }
}

/// The name of a card in quotes.
fn quoted_name(name: &str) -> Result<String, String> {
    match (name.contains('"'), name.contains(['《', '》'])) {
        (false, _) => Ok(format!("\"{name}\"")),
        (true, false) => Ok(format!("《{name}》")),
        (true, true) => Err(format!("the name {name} cannot be quoted")),
    }
}

/// A variable with its value, as a position says it. `None` for a bool that is not set.
fn written_variable(
    program: &crate::tables::LinkedTables,
    variable: &crate::ir::Variable,
    key: u16,
    value: i64,
    equals: &str,
) -> Result<Option<String>, String> {
    let key = match (variable.keys, key) {
        (Some(traits), 1..) => {
            let word = program.word_name(traits, key - 1);
            format!("({})", if is_name(word) { word.to_owned() } else { quoted_name(word)? })
        }
        _ => String::new(),
    };
    match variable.ty {
        Type::Bool => Ok((value != 0).then(|| variable.name.clone())),
        Type::Number => Ok(Some(format!("{}{key}{equals}{value}", variable.name))),
        _ => Err(format!("`{}` of the position refers to something: write the scenario by hand", variable.name)),
    }
}
