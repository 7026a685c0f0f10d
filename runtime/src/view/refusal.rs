//! Explains to a player why plays are not offered and why answers are refused, without revealing hidden information. The reasons
//! themselves are found by `vm/legal_plays.rs` for plays, and by `vm/candidate_obstacle.rs` for choices.

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
    /// The reason as a text.
    pub words: String,
    /// The name of the rule, as scenarios write it after `because`; empty if it is hidden.
    pub path: String,
    /// The source position of the rule: file and line; empty if it is unknown or hidden.
    pub place: String,
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
        f.write_str(&self.words)?;
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
                    match wrong_zone_text(machine, &program, code, object) {
                        Some(words) => (why.kind, why.words) = (RefusalKind::Elsewhere, words),
                        None => why.words = wrong_timing_text(machine, &program, code, object, player),
                    }
                }
                if let Obstacle::Cost(code) = reason
                    && let Some(lack) = machine.shortfall(code, object, player)
                {
                    why.words = format!("{}: {lack}", why.words);
                }
                why
            }
            None => RefusalReason {
                kind: RefusalKind::Window,
                words: "it is not among what can be done at this point".to_owned(),
                path: String::new(),
                place: String::new(),
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
        CandidateObstacle::Elsewhere => format!("it is not among `{}`", site.text),
        CandidateObstacle::Conditions(facts) => {
            let facts: Vec<String> = facts.into_iter().filter_map(|fact| failed_fact_text(machine, &program, fact)).collect();
            let why = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
            format!("it does not fit `{}`{why}", site.text)
        }
    };
    Some(RefusalReason { kind: RefusalKind::Selection, words, path: String::new(), place: source_text(&program, site.source) })
}

/// The text of a fact because of which a condition does not hold; `None` for a fact without a text.
fn failed_fact_text(machine: &Machine, program: &Program, fact: FailedFact) -> Option<String> {
    let spaced = |name: &str| name.replace('_', " ");
    let is = |holds: bool| if holds { "it is" } else { "it is not" };
    let library = &program.library;
    match fact {
        FailedFact::Word { traits, word, has } => Some(format!("{} {}", is(has), spaced(program.word_name(traits, word)))),
        FailedFact::Keyword { keyword, has } => {
            let name = spaced(&library.keywords.get(keyword.index())?.name);
            Some(if has { format!("it has {name}") } else { format!("it has no {name}") })
        }
        FailedFact::Zone { zone, inside } => {
            Some(format!("{} in {}", is(inside), spaced(&library.zones.get(zone.index())?.name)))
        }
        FailedFact::Value { place, ty, value } => {
            let seat = || usize::try_from(value).map_or_else(|_| "no player".to_owned(), seat_name);
            let named = |table: &[crate::ir::Variable], number: u16| {
                let name = spaced(&table.get(usize::from(number))?.name);
                match ty {
                    Type::Number => Some(format!("its {name} is {value}")),
                    Type::Bool => Some(format!("{} {name}", is(value != 0))),
                    Type::Player => Some(format!("its {name} is {}", seat())),
                    _ => None,
                }
            };
            match place {
                Place::Property(number) | Place::Printed(number) => named(&library.properties, number),
                Place::Status(number) => named(&library.statuses, number),
                Place::Owner => Some(format!("its owner is {}", seat())),
                Place::Controller => Some(format!("its controller is {}", seat())),
                Place::Zone => {
                    let zone = program.zone_of(usize::try_from(value).ok()?)?;
                    Some(format!("it is in {}", spaced(&zone.name)))
                }
                Place::Definition => {
                    Some(format!("it is {}", machine.program.library.definitions.get(usize::try_from(value).ok()?)?.name))
                }
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
fn wrong_zone_text(machine: &Machine, program: &Program, code: u32, object: ObjectRef) -> Option<String> {
    let ability = program.library.abilities.get(code.checked_sub(ABILITY_PLAY)? as usize)?;
    let zone = program.zone_of(machine.state.zone(object.slot())?)?;
    let kind = program.library.zones.iter().position(|known| known.name == zone.name)?;
    (!has_zone(ability.zones, kind)).then(|| format!("it does not work in {}", zone.name.replace('_', " ")))
}

/// The text for a timing restriction that does not hold. It only mentions public facts: the period, the active player, the list.
fn wrong_timing_text(machine: &mut Machine, program: &Program, code: u32, object: ObjectRef, player: usize) -> String {
    let condition = program.play(code).and_then(|play| play.condition);
    let args = [object.value(), player as i64];
    let hinge = condition.and_then(|condition| machine.timing_cause(condition, &args));
    match hinge {
        Some(TimingCause::Period) => {
            let open =
                machine.state.block.list(at::OPEN_PERIODS).last().and_then(|span| program.format.periods.get(*span as usize));
            let here = open.map_or_else(String::new, |period| period_name(&period.path));
            if here.is_empty() { "not at this point of the turn".to_owned() } else { format!("not in this step ({here})") }
        }
        Some(TimingCause::ActivePlayer) if machine.state.active() != player => "it is not your turn".to_owned(),
        Some(TimingCause::List) => "not while something waits to be carried out".to_owned(),
        _ => "what it asks for does not hold now".to_owned(),
    }
}

fn refusal_reason(machine: &Machine, program: &Program, player: usize, reason: Obstacle) -> RefusalReason {
    let place = |source: Source| source_text(program, source);
    let of = |source: ObjectRef| {
        let hidden = machine.state.exists(source) && !sees(machine, player, source.slot());
        if hidden { None } else { Some(object_name(program, &machine.state, source)) }
    };
    let made = |kind: RefusalKind, words: String, path: String, place: String| RefusalReason { kind, words, path, place };
    let hidden = |words: &str| made(RefusalKind::Forbidden, words.to_owned(), String::new(), String::new());
    let play = |kind: RefusalKind, words: &str, code: u32, part: &str| {
        let play = program.play(code);
        let name = play.map_or("", |play| play.name.as_str());
        let of = if code >= ABILITY_PLAY { "activated" } else { "play" };
        let name = if name.is_empty() { "activate" } else { name };
        made(kind, words.to_owned(), format!("{of}.{name}.{part}"), play.map_or_else(String::new, |play| place(play.source)))
    };
    match reason {
        Obstacle::Ability(id, source) => {
            let ability = program.library.abilities.get(id.index());
            let (name, place) = ability.map_or(("", String::new()), |ability| (ability.name.as_str(), place(ability.source)));
            let whose = if source.is_none() { Some(String::new()) } else { of(source) };
            let Some(whose) = whose else { return hidden("something hidden forbids it") };
            let of = if whose.is_empty() { String::new() } else { format!(" of {whose}") };
            let words = match name.split_once(' ') {
                Some((kind @ ("rule" | "keyword"), rest)) => format!("the {kind} {}{of} forbids it", rest.replace('_', " ")),
                _ if !whose.is_empty() => format!("the text{of} forbids it"),
                _ => format!("{name} forbids it"),
            };
            made(RefusalKind::Forbidden, words, dotted_path(name), place)
        }
        Obstacle::Effect(source) => match of(source) {
            Some(of) => {
                made(RefusalKind::Forbidden, format!("an effect of {of} forbids it"), format!("card.{of}"), String::new())
            }
            None => hidden("an effect forbids it"),
        },
        Obstacle::Permission(code) => play(RefusalKind::Moment, "what it asks for does not hold now", code, "when"),
        Obstacle::Cost(code) => play(RefusalKind::Cost, "it cannot be paid for", code, "cost"),
        Obstacle::Limit(code) => play(RefusalKind::Limit, "it was used as often as it may be", code, "limit"),
        Obstacle::NoChoice(code) => play(RefusalKind::NoChoice, "there is nothing legal to choose for it", code, "choices"),
        Obstacle::NotTheirDecision => {
            made(RefusalKind::Moment, "it is not yours to decide now".to_owned(), "not_asked".to_owned(), String::new())
        }
    }
}
