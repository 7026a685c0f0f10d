//! Prints a decision with its options, and why other plays cannot be chosen.

use super::client_state::ClientState;
use crate::output::{self, Style};
use fizzle_table::ask::numbered_label;
use fizzle_table::protocol::{Ask, AskKind, AskOption, Reason};

/// Prints the decision. `who`: how its player is called.
pub fn print(received: &ClientState, ask: &Ask, who: &str, hot_seat: bool) {
    let hint = match ask.kind {
        AskKind::YesNo => "yes or no",
        AskKind::Act
        | AskKind::Choose
        | AskKind::Order
        | AskKind::Replacement
        | AskKind::Modes
        | AskKind::Number
        | AskKind::Divide
        | AskKind::Assign
        | AskKind::Pay => ask.hint.as_str(),
    };
    let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
    output::line("");
    output::wrapped_title(Style::Cyan, &format!("{who}: {}", ask.prompt), hint);
    let proposed = ask.main.as_deref().filter(|_| matches!(ask.kind, AskKind::Assign));
    for (number, option) in ask.options.iter().enumerate() {
        let mark = if proposed.is_some_and(|picks| picks.contains(&(number as u32))) { "*" } else { "" };
        output::wrapped_line(format!("  {:>3}  {}{mark}", number + 1, option_line(received, option, ask.seat, hot_seat)));
    }
    if let Some(picks) = proposed {
        let picks: Vec<String> = picks.iter().map(|pick| (pick + 1).to_string()).collect();
        output::line(if picks.is_empty() {
            "  `ok` declares nothing".to_owned()
        } else {
            format!("  `ok` declares {} (marked *)", picks.join(" "))
        });
    }
}

/// An option with the numbers of its objects, and whose they are unless they are the player's own.
fn option_line(received: &ClientState, option: &AskOption, seat: usize, hot_seat: bool) -> String {
    let numbered = |label: &str, handle: u32| {
        let object = received.view.objects.get(&handle.to_string());
        let by = object.map(|object| object.controller()).filter(|by| hot_seat || *by != seat);
        let whose = by.map_or_else(String::new, |by| format!(" ({}'s)", received.player(by)));
        numbered_label(label, received.name(handle), &format!("#{handle}{whose}"))
    };
    let cost = if option.cost.is_empty() { String::new() } else { format!(" {}", option.cost) };
    match (option.on, option.with) {
        (Some(on), Some(with)) => {
            format!("{} → {}{cost}", numbered(received.name(on), on), numbered(received.name(with), with))
        }
        (Some(on), None) if option.seat.is_some() => {
            let (left, right) = option.label.split_once(" → ").unwrap_or((&option.label, ""));
            format!("{} → {right}{cost}", numbered(left, on))
        }
        // The number distinguishes it, where the label does so by the place.
        (Some(on), None) => format!("{}{cost}", numbered(until_place(&option.label, received.name(on)), on)),
        (None, _) => format!("{}{cost}", option.label),
    }
}

/// A label up to the place in parentheses behind the name of its object.
fn until_place<'l>(label: &'l str, name: &str) -> &'l str {
    let end = label.find(name).filter(|_| !name.is_empty()).map(|at| at + name.len());
    let (before, after) = end.and_then(|end| label.split_at_checked(end)).unwrap_or((label, ""));
    if after.starts_with(" (") { before } else { label }
}

/// The most objects that are listed for one reason.
const MAX_OBJECTS_LISTED: usize = 6;

/// One line for each play and reason, those about few objects first, else in the order of the table.
pub fn reason_lines(received: &ClientState, reasons: &[Reason]) -> Vec<String> {
    // What is printed of a reason, but for its objects.
    fn line_of(reason: &Reason) -> [&str; 4] {
        [&reason.play, &reason.words, &reason.path, &reason.place]
    }
    let mut groups: Vec<(&Reason, Vec<String>)> = Vec::new();
    for reason in reasons {
        let about = reason.on.map(|handle| format!(" {} #{handle}", received.name(handle)));
        match groups.iter_mut().find(|(known, _)| line_of(known) == line_of(reason)) {
            Some((_, objects)) => objects.extend(about),
            None => groups.push((reason, about.into_iter().collect())),
        }
    }
    // A reason that concerns one object is more useful than one that concerns all.
    groups.sort_by_key(|(_, objects)| objects.len());
    let line = |(reason, objects): (&Reason, Vec<String>)| {
        let more = objects.len().saturating_sub(MAX_OBJECTS_LISTED);
        let listed = objects.get(..objects.len() - more).unwrap_or_default().join(",");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if reason.play.is_empty() && objects.is_empty() {
            return reason.words.clone();
        }
        let play = if reason.play.is_empty() { "choose" } else { &reason.play };
        let place: Vec<&str> =
            [&reason.path, &reason.place].into_iter().filter(|it| !it.is_empty()).map(String::as_str).collect();
        let place = if place.is_empty() { String::new() } else { format!(" ({})", place.join(", ")) };
        format!("{play}{listed}{more}: {}{place}", reason.words)
    };
    groups.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{ClientState, reason_lines};
    use fizzle_table::protocol::Reason;

    #[test]
    fn reasons_are_grouped() {
        let reason = |on: u32, words: &str| Reason {
            play: "turn up".into(),
            on: Some(on),
            words: words.into(),
            path: "play.turn_up.when".into(),
            place: "a.fz:3".into(),
            ..Reason::default()
        };
        let lines = reason_lines(
            &ClientState::default(),
            &[reason(1, "it is not your turn"), reason(2, "it is not your turn"), reason(3, "why")],
        );
        // The one about fewer objects comes first.
        assert_eq!(
            lines,
            ["turn up  #3: why (play.turn_up.when, a.fz:3)", "turn up  #1,  #2: it is not your turn (play.turn_up.when, a.fz:3)"]
        );
        let many: Vec<Reason> = (0..9).map(|on| reason(on, "it is not your turn")).collect();
        assert!(reason_lines(&ClientState::default(), &many)[0].contains("#5 and 3 more: it is"), "{many:?}");
    }
}
