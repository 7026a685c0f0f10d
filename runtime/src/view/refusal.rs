//! Explains to a player why plays are not offered and why answers are refused, without revealing hidden information. The reasons
//! themselves are found by `vm/legal_plays.rs` for plays, and by `vm/candidate_obstacle.rs` for choices.

use super::refusal_words::{FactWords, RefusalWords};
use super::{Handles, object_name, period_name, seat_name, seen_name, sees};
use crate::ir::ObjectRef;
use crate::ir::op::{Place, Source};
use crate::ir::{AbilityId, Type, has_zone};
use crate::program::Program;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::view::dotted_path;
use crate::vm::candidate_obstacle::{CandidateObstacle, FailedFact};
use crate::vm::decision::{AnswerError, Choice, Decision, Side};
use crate::vm::eval_trace::TimingCause;
use crate::vm::hooks::Obstacle;
use crate::vm::machine::Machine;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A play that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPlay {
    /// The play.
    pub play: String,
    /// The handle of its object; `None` for a play without one.
    pub handle: Option<u32>,
    /// The name of that object.
    pub name: String,
    /// Why it is not offered.
    pub why: RefusalReason,
}

/// Why a play is not offered, without hidden information.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RefusalReason {
    /// The kind of the reason.
    pub kind: RefusalKind,
    /// What it says.
    pub words: RefusalWords,
    /// The name of the rule, as scenarios write it after `because`; empty if it is hidden.
    pub path: String,
    /// The source position of the rule: file and line; empty if it is unknown or hidden.
    pub place: String,
    /// The same position with its column, which distinguishes the abilities of one line.
    #[serde(skip)]
    pub source: Option<Source>,
    /// Of a condition of several parts joined by `and`, the one that fails: how many parts stand behind it.
    #[serde(default)]
    pub parts_behind: Option<usize>,
}

/// Kinds of reasons, the most helpful first: those about the object, then those about the timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RefusalKind {
    /// A rule or a text forbids it.
    Forbidden,
    /// Its cost cannot be paid.
    Cost,
    /// There is no legal choice for it.
    NoChoice,
    /// Its usage limit is reached.
    Limit,
    /// Its timing restriction does not hold.
    Moment,
    /// The window does not include it.
    Window,
    /// The ability does not function in the zone of its object.
    Elsewhere,
    /// The object does not fit what a text chooses from.
    Selection,
}

impl std::fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.words)?;
        match (self.path.as_str(), self.place.as_str()) {
            ("", "") => Ok(()),
            ("", place) => write!(f, " ({place})"),
            (path, "") => write!(f, " ({path})"),
            (path, place) => write!(f, " ({path}, {place})"),
        }
    }
}

/// The plays that the decision of a player does not offer, each with the reason. Only plays of objects that the player knows.
pub fn refusals(machine: &mut Machine, handles: &Handles, decision: &Decision) -> Vec<RefusedPlay> {
    let program = Arc::clone(&machine.program);
    let player = decision.player;
    let mut all = Vec::new();
    for (code, object) in candidate_plays(machine, &program, player) {
        let is_it = |choice: &Choice| matches!(choice, Choice::Play { play, object: it, .. } if *play == code && *it == object);
        if decision.options.iter().any(is_it) {
            continue;
        }
        let why = match machine.why_not(code, object, player) {
            Some(reason) => {
                let mut why = refusal_reason(machine, &program, player, reason);
                if let Obstacle::Permission(code) = reason {
                    match wrong_zone(machine, &program, code, object) {
                        Some(words) => (why.kind, why.words) = (RefusalKind::Elsewhere, words),
                        None => {
                            why.words = wrong_timing(machine, &program, code, object, player);
                            let condition = program.play(code).and_then(|play| play.condition);
                            let args = [object.value(), player as i64];
                            why.parts_behind = condition.and_then(|condition| machine.failing_part(condition, &args));
                        }
                    }
                }
                if let Obstacle::Cost(code) = reason
                    && let Some((price, unpaid)) = machine.shortfall(code, object, player)
                {
                    why.words = RefusalWords::Price { price, unpaid };
                }
                why
            }
            None => RefusalReason {
                kind: RefusalKind::Window,
                words: RefusalWords::Window,
                path: String::new(),
                place: String::new(),
                source: None,
                parts_behind: None,
            },
        };
        all.push(RefusedPlay {
            play: program.play(code).map_or_else(String::new, |play| play.name.clone()),
            handle: handles.handle(object),
            name: if object.is_none() { String::new() } else { object_name(&program, &machine.state, object) },
            why,
        });
    }
    all
}

/// Why an object cannot be chosen in the pending choice. `None` if it is an option, if the decision is no choice of a text, or if there is no
/// text for it. Names only facts about the object, and only if the player knows the object.
pub fn candidate_refusal(machine: &mut Machine, handles: &Handles, decision: &Decision, handle: u32) -> Option<RefusalReason> {
    let program = Arc::clone(&machine.program);
    let it = handles.object(handle).filter(|it| machine.state.exists(*it) && sees(machine, decision.player, it.slot()))?;
    if decision.options.contains(&Choice::Object(it)) {
        return None;
    }
    let site = program.library.sites.get(decision.site? as usize)?;
    let words = match machine.candidate_obstacle(decision, it)? {
        CandidateObstacle::Forbidden(reason) => return Some(refusal_reason(machine, &program, decision.player, reason)),
        CandidateObstacle::Elsewhere => RefusalWords::NotAmong(site.text.clone()),
        CandidateObstacle::Conditions(facts) => {
            let facts = facts.into_iter().filter_map(|fact| failed_fact(machine, &program, fact));
            RefusalWords::NoFit(site.text.clone(), facts.collect())
        }
    };
    Some(RefusalReason {
        kind: RefusalKind::Selection,
        words,
        path: String::new(),
        place: source_text(&program, site.source),
        source: Some(site.source),
        parts_behind: None,
    })
}

/// A fact because of which a condition does not hold; `None` for one that a player could not read.
fn failed_fact(machine: &Machine, program: &Program, fact: FailedFact) -> Option<FactWords> {
    let library = &program.library;
    match fact {
        FailedFact::Word { traits, word, has } => Some(FactWords::Is(program.word_name(traits, word).to_owned(), has)),
        FailedFact::Keyword { keyword, has } => Some(FactWords::Has(library.keywords.get(keyword.index())?.name.clone(), has)),
        FailedFact::Zone { zone, inside } => Some(FactWords::In(library.zones.get(zone.index())?.name.clone(), inside)),
        FailedFact::Value { place, ty, value } => {
            let seat = usize::try_from(value).ok();
            let named = |table: &[crate::ir::Variable], number: u16| {
                let name = table.get(usize::from(number))?.name.clone();
                match ty {
                    Type::Number => Some(FactWords::Number(name, value)),
                    Type::Bool => Some(FactWords::Is(name, value != 0)),
                    Type::Player => Some(FactWords::Player(name, seat)),
                    _ => None,
                }
            };
            match place {
                Place::Property(number) | Place::Printed(number) => named(&library.properties, number),
                Place::Status(number) => named(&library.statuses, number),
                Place::Owner => Some(FactWords::Owner(seat)),
                Place::Controller => Some(FactWords::Controller(seat)),
                Place::Zone => Some(FactWords::In(program.zone_of(seat?)?.name.clone(), true)),
                Place::Definition => Some(FactWords::Card(machine.program.library.definitions.get(seat?)?.name.clone())),
                // Facts about players and other objects, or none that a player could read.
                Place::Words(_) | Place::Player(_) | Place::Global(_) | Place::SourceOf | Place::Host | Place::Face => None,
            }
        }
    }
}

/// A place in the sources: file and line; empty if it is unknown.
fn source_text(program: &Program, source: Source) -> String {
    let file = program.library.files.get(source.file as usize).map_or("", String::as_str);
    if source.line == 0 { String::new() } else { format!("{file}:{}", source.line) }
}

/// The plays that are explained: plays with matching known objects of the player's zones, and abilities of known objects that the
/// player controls.
fn candidate_plays(machine: &mut Machine, program: &Program, player: usize) -> Vec<(u32, ObjectRef)> {
    let mut all = Vec::new();
    for (code, play) in program.format.plays.iter().enumerate() {
        if play.nowhere {
            all.push((code as u32, ObjectRef::NONE));
        }
        for zone in &play.from {
            let Some(instance) = program.zone_instance(zone.index(), player) else { continue };
            let shared = program.zone_owner(instance).is_none();
            for item in machine.state.zone_items(program, instance).to_vec() {
                let object = ObjectRef(item);
                if shared && machine.controller(object) != player as i64 {
                    continue;
                }
                let fits = sees(machine, player, object.slot())
                    && play.object_filter.is_none_or(|applies| machine.test(applies, &[object.value(), player as i64]));
                if fits {
                    all.push((code as u32, object));
                }
            }
        }
    }
    for instance in 0..program.layout.instances {
        for item in machine.state.zone_items(program, instance).to_vec() {
            let object = ObjectRef(item);
            if !sees(machine, player, object.slot()) || machine.controller(object) != player as i64 {
                continue;
            }
            let (world, _) = machine.world();
            let abilities = program.activated.iter().filter(|(unit, _)| world.has_bundle(object, *unit));
            all.extend(abilities.map(|(_, ability)| (ABILITY_PLAY + ability.0, object)));
            all.extend(machine.abilities_while_concealed(object).into_iter().map(|code| (code, object)));
        }
    }
    all
}

/// The text of a refused answer. For a declaration, with the violated constraint and a legal declaration.
pub fn answer_refusal_text(machine: &Machine, player: usize, decision: &Decision, refusal: &AnswerError) -> String {
    let (AnswerError::IllegalDeclaration { instead, .. }, Some(_)) = (refusal, &decision.board) else {
        return refusal.to_string();
    };
    let by = declaration_refusal(machine, player, decision, refusal).map_or_else(String::new, |reason| format!(": {reason}"));
    let name = |it: ObjectRef| match seen_name(machine, player, it) {
        name if name.is_empty() => "a concealed object".to_owned(),
        name => name,
    };
    let pair = |choice: &Choice| match choice {
        Choice::Pair(it, Side::Object(with)) => format!("{} with {}", name(*it), name(*with)),
        Choice::Pair(it, Side::Player(seat)) => format!("{} with {}", name(*it), seat_name(*seat)),
        _ => String::new(),
    };
    let legal = match instead {
        None => String::new(),
        Some(picks) if picks.is_empty() => "; legal is nothing".to_owned(),
        Some(picks) => {
            let pairs: Vec<String> = picks.iter().filter_map(|pick| decision.options.get(*pick as usize)).map(pair).collect();
            format!("; legal is: {}", pairs.join(", "))
        }
    };
    format!("{refusal}{by}{legal}")
}

/// The rule that forbids a declaration; `None` for other refused answers, and if the rule is hidden.
pub fn declaration_refusal(
    machine: &Machine,
    player: usize,
    decision: &Decision,
    refusal: &AnswerError,
) -> Option<RefusalReason> {
    let (AnswerError::IllegalDeclaration { why, .. }, Some(board)) = (refusal, &decision.board) else { return None };
    let label = board.origin(*why)?;
    let source = ObjectRef(label.source);
    let reason = match label.ability.checked_sub(1) {
        Some(ability) => Obstacle::Ability(AbilityId(ability), source),
        None => Obstacle::Effect(source),
    };
    Some(refusal_reason(machine, &machine.program, player, reason))
}

/// The text for an ability that does not function in the zone of its object; `None` if it does.
fn wrong_zone(machine: &Machine, program: &Program, code: u32, object: ObjectRef) -> Option<RefusalWords> {
    let ability = program.library.abilities.get(code.checked_sub(ABILITY_PLAY)? as usize)?;
    let zone = program.zone_of(machine.state.zone(object.slot())?)?;
    let kind = program.library.zones.iter().position(|known| known.name == zone.name)?;
    (!has_zone(ability.zones, kind)).then(|| RefusalWords::Zone(zone.name.clone()))
}

/// The words for a timing restriction that does not hold. It only mentions public facts: the period, the active player, the list.
fn wrong_timing(machine: &mut Machine, program: &Program, code: u32, object: ObjectRef, player: usize) -> RefusalWords {
    let condition = program.play(code).and_then(|play| play.condition);
    let args = [object.value(), player as i64];
    let hinge = condition.and_then(|condition| machine.timing_cause(condition, &args));
    match hinge {
        Some(TimingCause::Period) => {
            let open =
                machine.state.block.list(at::OPEN_PERIODS).last().and_then(|span| program.format.periods.get(*span as usize));
            RefusalWords::Period(open.map_or_else(String::new, |period| period_name(&period.path)))
        }
        Some(TimingCause::ActivePlayer) if machine.state.active() != player => RefusalWords::OtherTurn,
        Some(TimingCause::List) => RefusalWords::ListWaits,
        _ => RefusalWords::Condition,
    }
}

fn refusal_reason(machine: &Machine, program: &Program, player: usize, reason: Obstacle) -> RefusalReason {
    let of = |source: ObjectRef| {
        let hidden = machine.state.exists(source) && !sees(machine, player, source.slot());
        if hidden { None } else { Some(object_name(program, &machine.state, source)) }
    };
    let made = |kind: RefusalKind, words: RefusalWords, path: String, source: Option<Source>| RefusalReason {
        kind,
        words,
        path,
        place: source.map_or_else(String::new, |source| source_text(program, source)),
        source,
        parts_behind: None,
    };
    let hidden = |words: RefusalWords| made(RefusalKind::Forbidden, words, String::new(), None);
    let play = |kind: RefusalKind, words: RefusalWords, code: u32, part: &str| {
        let play = program.play(code);
        let name = play.map_or("", |play| play.name.as_str());
        let of = if code >= ABILITY_PLAY { "activated" } else { "play" };
        let name = if name.is_empty() { "activate" } else { name };
        made(kind, words, format!("{of}.{name}.{part}"), play.map(|play| play.source))
    };
    match reason {
        Obstacle::Ability(id, source) => {
            let ability = program.library.abilities.get(id.index());
            let (name, place) = ability.map_or(("", None), |ability| (ability.name.as_str(), Some(ability.source)));
            let whose = if source.is_none() { None } else { of(source) };
            if whose.is_none() && !source.is_none() {
                return hidden(RefusalWords::Hidden);
            }
            let words = match (name.split_once(' '), whose) {
                (Some(("keyword", keyword)), of) => RefusalWords::Keyword { name: keyword.to_owned(), of },
                (Some(("rule", _)), _) | (_, None) => RefusalWords::Rule(name.to_owned()),
                (_, Some(of)) => RefusalWords::Text(of),
            };
            made(RefusalKind::Forbidden, words, dotted_path(name), place)
        }
        Obstacle::Effect(source) => match of(source) {
            Some(of) => {
                let path = format!("card.{of}");
                made(RefusalKind::Forbidden, RefusalWords::Effect(of), path, None)
            }
            None => hidden(RefusalWords::HiddenEffect),
        },
        Obstacle::Permission(code) => play(RefusalKind::Moment, RefusalWords::Condition, code, "when"),
        Obstacle::Cost(code) => {
            play(RefusalKind::Cost, RefusalWords::Price { price: String::new(), unpaid: String::new() }, code, "cost")
        }
        Obstacle::Limit(code) => play(RefusalKind::Limit, RefusalWords::Limit, code, "limit"),
        Obstacle::NoChoice(code) => play(RefusalKind::NoChoice, RefusalWords::NoChoice, code, "choices"),
        Obstacle::NotTheirDecision => made(RefusalKind::Moment, RefusalWords::OtherDecision, "not_asked".to_owned(), None),
    }
}
