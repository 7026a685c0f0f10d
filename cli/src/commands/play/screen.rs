//! Prints what a person at the terminal sees: the position, the decision, and why plays are refused.

use super::input::hint;
use crate::commands::explain::{self, Language};
use crate::output::{self, Style};
use fizzle_runtime::ir::Variable;
use fizzle_runtime::ir::{CompiledGame, Library, Type};
use fizzle_runtime::view::event_stream::ZoneName;
use fizzle_runtime::view::without_amount;
use fizzle_runtime::view::{
    DecisionView, Handles, ObjectView, OptionView, RefusalReason, RefusedPlay, View, period_name, refusals, seat_name,
};
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::decision::{AnswerError, Choice, Decision, DecisionKind};

/// Prints the position. Omits empty zones, values of zero, usual properties, and bookkeeping of the rules (names that begin with `_`).
pub fn show_position(view: &View, game: &CompiledGame, hot_seat: bool) {
    let library = &game.library;
    let step = period_name(&view.span);
    let step = if step.is_empty() { step } else { format!(": {step}") };
    let whose = match view.active {
        active if active == view.viewer && !hot_seat => "yours".to_owned(),
        active => format!("{}'s", seat_name(active)),
    };
    let turn = match view.turn {
        0 => "before the first turn".to_owned(),
        number => format!("turn {number}, {whose}"),
    };
    output::line("");
    output::styled_line(Style::Bold, &turn, step);
    for (seat, variables) in view.players.iter().enumerate() {
        let you = if seat == view.viewer && !hot_seat { " (you)" } else { "" };
        let shown = variables.iter().filter(|(_, value)| *value != 0);
        let shown: Vec<String> = shown.filter_map(|fact| describe_value(fact, &library.player_variables)).collect();
        let eliminated = if view.out.contains(&seat) { " (out of the game)" } else { "" };
        let colon = if shown.is_empty() { "" } else { ": " };
        output::line(format!("{}{you}{eliminated}{colon}{}", seat_name(seat), shown.join(", ")));
    }
    for zone in &view.zones {
        if zone.objects.is_empty() && zone.hidden == 0 {
            continue;
        }
        let hidden = if zone.hidden > 0 { format!(" {} hidden", zone.hidden) } else { String::new() };
        output::line(format!("{}:{hidden}", zone_label(&zone.name, zone.owner)));
        for object in &zone.objects {
            let is_field = library.zones.iter().any(|other| other.name == zone.name && other.field);
            let prices = if is_field || object.ability { Vec::new() } else { explain::prices(game, &object.name) };
            let prices: String = prices.iter().map(|price| format!(" {price}")).collect();
            output::line(format!("  {}{prices}", describe(object, view, library, zone.owner)));
        }
    }
}

/// The name of a zone with its owner.
fn zone_label(name: &str, owner: Option<usize>) -> String {
    let name = name.replace('_', " ");
    owner.map_or_else(|| name.clone(), |owner| format!("{}'s {name}", seat_name(owner)))
}

/// A name with its value in words. `None` for bookkeeping and for unset references.
fn describe_value(fact: &(String, i64), declared: &[Variable]) -> Option<String> {
    let (name, value) = fact;
    let ty = declared.iter().find(|variable| variable.name == *name).map_or(Type::Number, |variable| variable.ty);
    if name.starts_with('_') {
        return None;
    }
    let name = name.replace('_', " ");
    let seat = |seat: i64| usize::try_from(seat).map_or_else(|_| "no player".to_owned(), seat_name);
    match ty {
        Type::Bool => Some(name),
        Type::Player => Some(format!("{name} {}", seat(*value))),
        // Objects that the viewer cannot identify have no number.
        ty if ty.is_reference() => match value {
            0 => None,
            ..0 => Some(format!("{name} {}", seat(-1 - value))),
            1.. => Some(format!("{name} #{value}")),
        },
        _ => Some(format!("{name} {value}")),
    }
}

/// Whether a property is worth showing: it differs from its initial value and does not repeat another one (`original_power` and `power`).
fn is_informative(fact: &(String, i64), object: &ObjectView, library: &Library) -> bool {
    let (name, value) = fact;
    let usual =
        library.properties.iter().find(|property| property.name == *name).map_or(0, |property| i64::from(property.initial));
    let repeats = |(other, same): &(String, i64)| {
        same == value && name.strip_suffix(other.as_str()).is_some_and(|rest| rest.ends_with('_'))
    };
    *value != 0 && *value != usual && !object.properties.iter().any(repeats)
}

fn describe(object: &ObjectView, view: &View, library: &Library, zone_owner: Option<usize>) -> String {
    let mut parts = vec![format!("#{} {}", object.handle, object.name)];
    if object.place > 0 {
        parts.push(format!("(number {} from the bottom)", object.place));
    }
    if object.ability {
        parts.push("(ability)".into());
    }
    if zone_owner.is_none() && object.controller >= 0 {
        parts.push(if object.controller == view.viewer as i64 {
            "yours".into()
        } else {
            usize::try_from(object.controller).map_or_else(|_| "of no player".to_owned(), |seat| format!("{}'s", seat_name(seat)))
        });
    }
    parts.extend(object.words.iter().filter(|word| !word.starts_with('_')).map(|word| word.replace('_', " ")));
    let properties = object.properties.iter().filter(|fact| is_informative(fact, object, library));
    parts.extend(properties.filter_map(|fact| describe_value(fact, &library.properties)));
    parts.extend(object.statuses.iter().filter_map(|fact| Some(format!("[{}]", describe_value(fact, &library.statuses)?))));
    if !object.chosen.is_empty() {
        let chosen: Vec<String> = object.chosen.iter().map(|handle| format!("#{handle}")).collect();
        parts.push(format!("choosing {}", chosen.join(", ")));
    }
    if !object.pile.is_empty() {
        parts.push(format!("over {}", object.pile.iter().map(|under| under.name.as_str()).collect::<Vec<_>>().join(", ")));
    }
    parts.join(" ")
}

/// Prints the hidden cards that were shown to the viewer in the whole game.
pub fn show_revealed_cards(view: &View) {
    for card in &view.shown {
        let ZoneName { name, owner } = &card.zone;
        output::line(format!("  turn {}: {} in {}", card.turn, card.name, zone_label(name, *owner)));
    }
    if view.shown.is_empty() {
        output::line("you were shown no hidden cards");
    }
}

/// Prints the decision with its options, by the prompt of the game if there is one.
pub fn show_question(view: &View, question: &DecisionView, decision: &Decision, game: &CompiledGame, hot_seat: bool) {
    let prompt = decision.site.and_then(|site| explain::prompt(game, site, Language::En));
    let text = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The amount is printed before the text, so it is removed from the text.
    let text = prompt.map_or_else(|| without_amount(&text), |prompt| prompt.text.as_str());
    let text = if text.is_empty() { String::new() } else { format!(": {text}") };
    let amount = match (question.min, question.max) {
        _ if question.kind == DecisionKind::Number.name() => format!(", from {} to {}", question.min, question.max),
        (least, total) if question.kind == DecisionKind::Divide.name() => {
            format!(" {total}: a share for each, at least {least}")
        }
        (1, 1) => String::new(),
        (min, max) if min == max => format!(", {min} of them"),
        (min, max) => format!(", {min} to {max} of them"),
    };
    let who = if hot_seat { seat_name(view.viewer) } else { "you".to_owned() };
    output::line(format!("\n{who}: {}{amount}{text}", question.kind.replace("yes_no", "yes or no")));
    for (number, option) in question.options.iter().enumerate() {
        let choice = question.picks(&[number as u32]).first().and_then(|pick| decision.options.get(*pick as usize));
        let mode = match choice {
            Some(Choice::Mode(mode)) => {
                prompt.and_then(|prompt| prompt.modes.get(*mode as usize)).map(|words| format!(": {words}"))
            }
            Some(Choice::Player(seat)) if *seat == view.viewer && !hot_seat => Some(" (you)".to_owned()),
            _ => None,
        };
        let mode = mode.unwrap_or_default();
        output::line(format!("  {:>3}  {}{mode}", number + 1, option_line(option, view, hot_seat)));
    }
}

/// An option with the numbers of its objects, and with their owners or controllers unless that is the viewer.
fn option_line(option: &OptionView, view: &View, hot_seat: bool) -> String {
    let located = |handle: u32| {
        view.zones.iter().find_map(|zone| zone.objects.iter().find(|it| it.handle == handle).map(|it| (zone.owner, it)))
    };
    let numbered = |label: &str, handle: u32| {
        let seat = located(handle).and_then(|(owner, it)| owner.or_else(|| usize::try_from(it.controller).ok()));
        let others = seat.filter(|seat| hot_seat || *seat != view.viewer);
        format!("{label} #{handle}{}", others.map_or_else(String::new, |seat| format!(" ({}'s)", seat_name(seat))))
    };
    let named = |handle: u32| Some(numbered(&located(handle)?.1.name, handle));
    if let (Some(it), Some(with)) = (option.handle.and_then(named), option.with.and_then(named)) {
        return format!("{it} → {with}");
    }
    option.handle.map_or_else(|| option.label.clone(), |handle| numbered(&option.label, handle))
}

/// The message for a wrong number of picks, with the option numbers of the screen. `None` for other refusals.
pub fn count_problem(refusal: &AnswerError, question: &DecisionView) -> Option<String> {
    match refusal {
        AnswerError::DuplicateOption(pick) => {
            let number = question.options_of(&[*pick]).first().copied()?;
            let option = question.options.get(number as usize)?;
            Some(format!("option {} ({}) was picked twice; {}", number + 1, option.label, hint(question)))
        }
        AnswerError::Count { given, .. } => {
            let given = if *given == 1 { "1 option was".to_owned() } else { format!("{given} options were") };
            Some(format!("{given} picked; {}", hint(question)))
        }
        _ => None,
    }
}

/// Prints the commands of the prompt.
pub fn show_help() {
    for line in [
        "numbers of options, separated by spaces; or `#12`, the object with that number; or the name of a card, if only one option has it",
        "`pass` (or `p`), `yes`, `no` if these are options; `none` to choose nothing",
        "?, why   why the other plays cannot be chosen now",
        "? NAME, text NAME   the text of a card; `text #12`: of the object with that number",
        "seen   the hidden cards that you were shown so far",
        "log, log all   what happened since your last answer, or in the whole game",
        "undo, u   takes your last answer back",
        "show, s   the position again",
        "concede   concedes the game; if there are several other players, they continue",
        "help, h   these lines",
        "quit, q   quits the game",
    ] {
        output::line(line);
    }
}

/// Prints the plays that are not offered, grouped by reason, the most useful reasons first.
pub fn show_refusals(machine: &mut Machine, handles: &Handles, decision: &Decision) {
    if decision.kind != DecisionKind::Act {
        output::line("the options are all that can be chosen here");
        return;
    }
    let refused = refusals(machine, handles, decision);
    if refused.is_empty() {
        output::line("everything that you have can be played now");
    }
    for line in refusal_lines(&refused) {
        output::line(format!("  {line}"));
    }
}

/// The most objects that are listed for one reason.
const MAX_OBJECTS_LISTED: usize = 6;

/// One line for each play and reason.
fn refusal_lines(refused: &[RefusedPlay]) -> Vec<String> {
    let mut groups: Vec<(&RefusalReason, &str, Vec<String>)> = Vec::new();
    for one in refused {
        let handle = one.handle.map_or_else(String::new, |handle| format!(" #{handle}"));
        let about = format!("{}{handle}", one.name);
        match groups.iter_mut().find(|(why, play, _)| **why == one.why && *play == one.play) {
            Some((.., objects)) => objects.push(about),
            None => groups.push((&one.why, &one.play, vec![about])),
        }
    }
    // a reason that concerns one object is more useful than one that concerns all
    groups.sort_by(|(a, p, x), (b, q, y)| (a.kind, x.len(), p).cmp(&(b.kind, y.len(), q)));
    let line = |(why, play, mut objects): (&RefusalReason, &str, Vec<String>)| {
        objects.retain(|object| !object.is_empty());
        let more = objects.len().saturating_sub(MAX_OBJECTS_LISTED);
        objects.truncate(MAX_OBJECTS_LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let objects = if objects.is_empty() { String::new() } else { format!(" {}", objects.join(", ")) };
        let play = if play.is_empty() { "use".to_owned() } else { play.replace('_', " ") };
        format!("{play}{objects}{more}: {why}")
    };
    groups.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{RefusalReason, RefusedPlay, refusal_lines};
    use fizzle_runtime::view::{RefusalKind, RefusalWords};

    #[test]
    fn refusals_are_grouped_by_reason_and_sorted_by_usefulness() {
        let against = |kind, words: RefusalWords| RefusalReason {
            parts_behind: None,
            kind,
            words,
            path: "play.turn_up.when".into(),
            place: "a.fz:3".into(),
        };
        let one = |play: &str, handle: u32, why: RefusalReason| RefusedPlay {
            play: play.into(),
            handle: Some(handle),
            name: "Bear".into(),
            why,
        };
        let refused = [
            one("turn_up", 1, against(RefusalKind::Moment, RefusalWords::OtherTurn)),
            one("turn_up", 2, against(RefusalKind::Moment, RefusalWords::OtherTurn)),
            one("cast", 3, against(RefusalKind::Cost, RefusalWords::Price { price: String::new(), unpaid: String::new() })),
        ];
        assert_eq!(
            refusal_lines(&refused),
            [
                "cast Bear #3: it cannot be paid for (play.turn_up.when, a.fz:3)",
                "turn up Bear #1, Bear #2: it is not your turn (play.turn_up.when, a.fz:3)",
            ]
        );
        let many: Vec<RefusedPlay> =
            (0..9).map(|n| one("turn_up", n, against(RefusalKind::Moment, RefusalWords::Condition))).collect();
        assert!(refusal_lines(&many)[0].contains("Bear #5 and 3 more: what it asks for"), "{:?}", refusal_lines(&many));
    }
}
