//! Parses a line typed at the prompt: an answer to the decision, or a command.

use super::client_state::ClientState;
use fizzle_table::protocol::{Ask, AskKind, AskOption, YieldUntil};

/// A parsed line.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// The picked options, from 0; for a decision about numbers, the number or the shares.
    Picks(Vec<i64>),
    /// The number of an option that does not exist.
    NoOption(i64),
    /// The name matches several options; their numbers from 1.
    Ambiguous(Vec<usize>),
    /// Undo the last answer.
    Undo,
    /// Explain why the other plays are not offered.
    WhyNot,
    /// Explain why this object cannot be used or chosen: its number, or its name.
    WhyNotThis(String),
    /// Pass until something happens.
    Yield(YieldUntil),
    /// End passing.
    Hold,
    /// Show the text of a card; with an empty name, how to request it.
    Text(String),
    /// Print the event log.
    Log {
        /// Of the whole game, not only since the last answer.
        all: bool,
    },
    /// Show the position again.
    Show,
    /// List the hidden cards that were shown to the player.
    ShownCards,
    /// List the commands.
    Help,
    /// Concede the game.
    Concede,
    /// Quit the program.
    Quit,
    /// An empty line.
    Empty,
    /// Anything else.
    Unknown,
}

/// Whether a decision is answered by numbers, not by options.
fn is_answered_by_numbers(ask: &Ask) -> bool {
    matches!(ask.kind, AskKind::Number | AskKind::Divide)
}

/// The index of the option to pass.
fn pass_option(ask: &Ask) -> Option<usize> {
    ask.options.iter().position(|option| option.action == "pass")
}

/// Replaces full-width digits and punctuation by the ASCII ones.
fn to_half_width(line: &str) -> String {
    let usual = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        '、' => ',',
        c => c,
    };
    line.chars().map(usual).collect()
}

/// The options that a line names: by the number of their object, by their label, or by the name of the object.
fn matching_options(line: &str, ask: &Ask, received: &ClientState) -> Vec<usize> {
    let numbered = |(_, option): &(usize, &AskOption)| {
        let digits = line.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
        digits.is_some_and(|handle| option.on == Some(handle))
    };
    let wanted = line.trim_matches(['"', '《', '》']).to_lowercase();
    let named = |(_, option): &(usize, &AskOption)| {
        let name = option.on.map_or("", |handle| received.name(handle)).to_lowercase();
        let with_play = format!("{} {name}", option.word.to_lowercase());
        let known = [option.label.to_lowercase(), name, with_play];
        known
            .iter()
            .filter(|words| !words.trim().is_empty())
            .any(|words| *words == wanted || option.on.is_some_and(|handle| format!("{words} #{handle}") == wanted))
    };
    let options = || ask.options.iter().enumerate();
    let found: Vec<usize> = options().filter(numbered).map(|(number, _)| number).collect();
    if found.is_empty() && !wanted.is_empty() { options().filter(named).map(|(number, _)| number).collect() } else { found }
}

/// Parses a line as an answer to a decision, or as a command.
pub fn parse(line: &str, ask: &Ask, received: &ClientState) -> Input {
    let typed = line;
    let line = &*to_half_width(line);
    let line = line.trim();
    match line {
        "" => return Input::Empty,
        "?" | "why" => return Input::WhyNot,
        "undo" | "u" => return Input::Undo,
        "seen" => return Input::ShownCards,
        "log" => return Input::Log { all: false },
        "log all" => return Input::Log { all: true },
        "text" => return Input::Text(String::new()),
        "until added" => return Input::Yield(YieldUntil::Added),
        "until mine" => return Input::Yield(YieldUntil::Mine),
        "until end" => return Input::Yield(YieldUntil::End),
        "until could" => return Input::Yield(YieldUntil::Could),
        "hold" => return Input::Hold,
        "show" | "s" => return Input::Show,
        "concede" => return Input::Concede,
        "help" | "h" => return Input::Help,
        "quit" | "q" | "exit" => return Input::Quit,
        _ => {}
    }
    if let Some(what) = typed.trim().strip_prefix("why ") {
        return Input::WhyNotThis(to_half_width_number(what.trim()));
    }
    if ["text ", "?"].iter().any(|word| line.starts_with(word)) {
        // names are taken from the line as typed: they may contain full-width characters
        let name = typed.trim().trim_start_matches("text").trim_start_matches(['?', '？']).trim();
        return Input::Text(to_half_width_number(name));
    }
    let is_number = is_answered_by_numbers(ask);
    if let ("none", 0, false) = (line, ask.min, is_number) {
        return Input::Picks(Vec::new());
    }
    if let ("ok", Some(picks)) = (line, &ask.main) {
        return Input::Picks(picks.iter().map(|pick| i64::from(*pick)).collect());
    }
    let meant = match line {
        "y" => "yes",
        "n" => "no",
        "p" => "pass",
        word => word,
    };
    if let Some(option) = ask.options.iter().position(|option| option.action == meant && option.on.is_none()) {
        return Input::Picks(vec![option as i64]);
    }
    let number = |part: &str| {
        let one = match matching_options(part, ask, received).as_slice() {
            [only] if part.starts_with('#') && !is_number => Some(*only as i64 + 1),
            _ => None,
        };
        one.map_or_else(|| part.parse::<i64>(), Ok)
    };
    let numbers: Result<Vec<i64>, _> = line.split([' ', ',']).filter(|part| !part.is_empty()).map(number).collect();
    match numbers {
        Ok(numbers) if is_number => Input::Picks(numbers),
        Ok(numbers) => match numbers.iter().find(|n| !(1..=ask.options.len() as i64).contains(n)) {
            Some(number) => Input::NoOption(*number),
            None => Input::Picks(numbers.iter().map(|n| n - 1).collect()),
        },
        Err(_) if is_number => Input::Unknown,
        // as above, names are taken from the line as typed
        Err(_) => match matching_options(if line.starts_with('#') { line } else { typed.trim() }, ask, received).as_slice() {
            [] => Input::Unknown,
            [only] => Input::Picks(vec![*only as i64]),
            several => Input::Ambiguous(several.iter().map(|option| option + 1).collect()),
        },
    }
}

/// What is typed for an object: `#12` with full-width characters as `#12`, a name as it is.
fn to_half_width_number(typed: &str) -> String {
    let number = to_half_width(typed);
    if number.starts_with('#') { number } else { typed.to_owned() }
}

/// Why picks cannot be an answer: one is picked twice, or their number is wrong.
pub fn count_problem(picks: &[i64], ask: &Ask) -> Option<String> {
    if is_answered_by_numbers(ask) {
        let shares = if ask.kind == AskKind::Number { 1 } else { ask.options.len() };
        return (picks.len() != shares).then(|| hint(ask));
    }
    let mut seen = picks.to_vec();
    seen.sort_unstable();
    let twice = seen.windows(2).find_map(|pair| if let [a, b] = pair { (a == b).then_some(*a) } else { None });
    if let Some(pick) = twice.filter(|_| !ask.repeats) {
        let label = usize::try_from(pick).ok().and_then(|pick| ask.options.get(pick)).map_or("", |option| option.label.as_str());
        return Some(format!("option {} ({label}) was picked twice; {}", pick + 1, hint(ask)));
    }
    let given = picks.len() as i64;
    let is_counted = ask.kind != AskKind::Assign;
    (is_counted && !(ask.min..=ask.max).contains(&given)).then(|| {
        let given = if given == 1 { "1 option was".to_owned() } else { format!("{given} options were") };
        format!("{given} picked; {}", hint(ask))
    })
}

/// How to answer a decision, in one line. Shown after an empty line, which never decides anything.
pub fn hint(ask: &Ask) -> String {
    let instruction = match ask.kind {
        AskKind::Number => format!("answer with a number from {} to {}", ask.min, ask.max),
        AskKind::Divide => {
            let shares = ask.options.len();
            format!("answer with {shares} numbers that add up to {}, each at least {}", ask.max, ask.min)
        }
        AskKind::YesNo => "answer `yes` or `no`".to_owned(),
        AskKind::Assign => "answer with numbers of options, `none` for none, or `ok` for the marked ones".to_owned(),
        AskKind::Act | AskKind::Choose | AskKind::Order | AskKind::Replacement | AskKind::Modes | AskKind::Pay => {
            options_hint(ask)
        }
    };
    format!("{instruction}; `help` lists all commands")
}

fn options_hint(ask: &Ask) -> String {
    let all = ask.options.len();
    let one = if all == 1 { "1, the number of the option".to_owned() } else { format!("the number of an option, 1 to {all}") };
    let several = if ask.repeats { "numbers of options (the same one may be repeated)" } else { "numbers of options" };
    match (ask.min, ask.max, pass_option(ask)) {
        (1, 1, Some(_)) => format!("answer with {one}, or `pass`"),
        (1, 1, None) => format!("answer with {one}"),
        (0, 1, _) => format!("answer with {one}, or `none`"),
        (0, most, _) => format!("answer with up to {most} {several}, or `none`"),
        (least, most, _) if least == most => format!("answer with {most} {several}, separated by spaces"),
        (least, most, _) => format!("answer with {least} to {most} {several}, separated by spaces"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn ask(kind: AskKind, labels: &[&str], min: i64, max: i64) -> Ask {
        let plain = ["Pass", "Yes", "No"];
        let option = |label: &&str| {
            let action = if plain.contains(label) { label.to_lowercase() } else { String::new() };
            AskOption { action, label: (*label).to_owned(), ..AskOption::default() }
        };
        let options = labels.iter().map(option).collect();
        Ask {
            id: 1,
            kind,
            prompt: String::new(),
            hint: String::new(),
            on: None,
            min,
            max,
            repeats: false,
            options,
            main: None,
            seat: 0,
        }
    }

    fn parsed(line: &str, ask: &Ask) -> Input {
        parse(line, ask, &ClientState::default())
    }

    #[test]
    fn empty_lines_decide_nothing() {
        let act = ask(AskKind::Act, &["Pass", "Bolt"], 1, 1);
        let some = ask(AskKind::Choose, &["Bolt", "Bear"], 0, 2);
        for one in [&act, &some] {
            assert_eq!(parsed("", one), Input::Empty);
        }
        assert_eq!((parsed("pass", &act), parsed("none", &some)), (Input::Picks(vec![0]), Input::Picks(Vec::new())));
        assert_eq!(parsed("none", &act), Input::Unknown, "the decision requires a choice");
        let yes_no = ask(AskKind::YesNo, &["Yes", "No"], 1, 1);
        assert_eq!((parsed("n", &yes_no), parsed("yes", &yes_no)), (Input::Picks(vec![1]), Input::Picks(vec![0])));
    }

    #[test]
    fn options_are_picked_by_number_or_name() {
        let mut received = ClientState::default();
        let mut act = ask(AskKind::Act, &["Pass"], 1, 2);
        for (card, handle) in [("Bolt", 5), ("Bear", 6), ("Bear", 7)] {
            let object = fizzle_table::protocol::Object { card: card.into(), ..Default::default() };
            received.view.objects.insert(handle.to_string(), Arc::new(object));
            act.options.push(AskOption {
                label: format!("cast {card}"),
                action: "cast".to_owned(),
                word: "cast".to_owned(),
                on: Some(handle),
                ..AskOption::default()
            });
        }
        let parsed = |line: &str, ask: &Ask| parse(line, ask, &received);
        assert_eq!(parsed("１", &act), Input::Picks(vec![0]), "full-width digits are accepted");
        assert_eq!(parsed("2,3", &act), parsed("２、３", &act));
        assert_eq!((parsed("#5", &act), parsed("＃6 #7", &act)), (Input::Picks(vec![1]), Input::Picks(vec![2, 3])));
        assert_eq!(parsed("#9", &act), Input::Unknown);
        assert_eq!((parsed("bolt", &act), parsed("cast Bolt", &act)), (Input::Picks(vec![1]), Input::Picks(vec![1])));
        assert_eq!((parsed("Bear", &act), parsed("Bear #7", &act)), (Input::Ambiguous(vec![3, 4]), Input::Picks(vec![3])));
        assert_eq!(parsed("cast bear #6", &act), Input::Picks(vec![2]));
        assert_eq!((parsed("cast", &act), parsed("", &act)), (Input::Unknown, Input::Empty));
        let share = ask(AskKind::Number, &[], 0, 7);
        assert_eq!(parsed("#5", &share), Input::Unknown, "a number is not the number of an object");
    }

    #[test]
    fn command_words_are_recognised() {
        let act = ask(AskKind::Act, &["Pass", "Bolt"], 1, 1);
        assert_eq!((parsed("log", &act), parsed("log all", &act)), (Input::Log { all: false }, Input::Log { all: true }));
        assert_eq!((parsed("text", &act), parsed("text ", &act)), (Input::Text(String::new()), Input::Text(String::new())));
        assert_eq!((parsed("? Bolt", &act), parsed("？", &act)), (Input::Text("Bolt".into()), Input::WhyNot));
        assert_eq!((parsed("text #3", &act), parsed("? ＃3", &act)), (Input::Text("#3".into()), Input::Text("#3".into())));
        assert_eq!(
            (parsed("why #3", &act), parsed("until end", &act)),
            (Input::WhyNotThis("#3".into()), Input::Yield(YieldUntil::End))
        );
    }

    #[test]
    fn the_main_answer_has_a_word() {
        let mut pay = ask(AskKind::Pay, &["Pay", "Forest"], 1, 1);
        assert_eq!(parsed("ok", &pay), Input::Unknown);
        pay.main = Some(vec![0]);
        assert_eq!(parsed("ok", &pay), Input::Picks(vec![0]));
    }

    #[test]
    fn hints_name_the_legal_answers() {
        let hint_of = |kind, labels: &[&str], min, max| hint(&ask(kind, labels, min, max));
        assert!(
            hint_of(AskKind::Act, &["Pass", "Bolt"], 1, 1).starts_with("answer with the number of an option, 1 to 2, or `pass`;")
        );
        assert!(hint_of(AskKind::Choose, &["Bolt"], 0, 1).contains("or `none`"));
        assert!(hint_of(AskKind::Choose, &["Bolt", "Bear"], 2, 2).contains("with 2 numbers of options"));
        assert!(hint_of(AskKind::YesNo, &["Yes", "No"], 1, 1).contains("`yes` or `no`"));
        assert!(hint_of(AskKind::Number, &[], 0, 7).contains("from 0 to 7"));
        assert!(hint_of(AskKind::Divide, &["Bolt", "Bear"], 1, 5).contains("2 numbers that add up to 5, each at least 1"));
        let modes = ask(AskKind::Modes, &["Draw", "Gain"], 2, 2);
        assert!(count_problem(&[0, 0], &modes).is_some_and(|words| words.starts_with("option 1 (Draw) was picked twice;")));
        assert!(count_problem(&[1], &modes).is_some_and(|words| words.starts_with("1 option was picked;")));
        assert_eq!(count_problem(&[1, 0], &modes), None);
    }
}
