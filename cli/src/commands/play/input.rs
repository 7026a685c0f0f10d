//! Parses a line typed at the prompt: an answer to the decision, or a command.

use fizzle_runtime::view::{DecisionView, OptionView};
use fizzle_runtime::vm::decision::DecisionKind;

/// A parsed line.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// The picked options; for a decision about numbers, the number or the shares.
    Picks(Vec<u32>),
    /// The number of an option that does not exist.
    NoOption(i64),
    /// The name matches several options; their numbers from 1.
    Ambiguous(Vec<usize>),
    /// Undo the last answer.
    Undo,
    /// Explain why the other plays are not offered.
    WhyNot,
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
fn is_answered_by_numbers(question: &DecisionView) -> bool {
    [DecisionKind::Number, DecisionKind::Divide].into_iter().any(|kind| question.kind == kind.name())
}

/// The index of the option to pass.
fn pass_option(question: &DecisionView) -> Option<usize> {
    question.options.iter().position(|option| option.action == "pass")
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
fn matching_options(line: &str, question: &DecisionView) -> Vec<usize> {
    let numbered = |(_, option): &(usize, &OptionView)| {
        let digits = line.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
        digits.is_some_and(|handle| option.handle == Some(handle))
    };
    let wanted = line.trim_matches(['"', '《', '》']).to_lowercase();
    let named = |(_, option): &(usize, &OptionView)| {
        let label = option.label.to_lowercase();
        let action = option.action.replace('_', " ").to_lowercase();
        let name = label.strip_prefix(action.as_str()).filter(|_| !action.is_empty()).map_or(label.as_str(), str::trim_start);
        let numbered = |words: &str| option.handle.is_some_and(|handle| format!("{words} #{handle}") == wanted);
        label == wanted || name == wanted || numbered(&label) || numbered(name)
    };
    let options = || question.options.iter().enumerate();
    let found: Vec<usize> = options().filter(numbered).map(|(number, _)| number).collect();
    if found.is_empty() && !wanted.is_empty() { options().filter(named).map(|(number, _)| number).collect() } else { found }
}

/// Parses a line as an answer to a decision, or as a command.
pub fn parse(line: &str, question: &DecisionView) -> Input {
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
        "show" | "s" => return Input::Show,
        "concede" => return Input::Concede,
        "help" | "h" => return Input::Help,
        "quit" | "q" | "exit" => return Input::Quit,
        _ => {}
    }
    if ["text ", "?"].iter().any(|word| line.starts_with(word)) {
        // names are taken from the line as typed: they may contain full-width characters
        let number = line.trim_start_matches("text").trim_start_matches('?').trim();
        let name = typed.trim_start_matches("text").trim_start_matches(['?', '？']).trim();
        return Input::Text(if number.starts_with('#') { number.to_owned() } else { name.to_owned() });
    }
    let is_number = is_answered_by_numbers(question);
    if let ("none", 0, false) = (line, question.min, is_number) {
        return Input::Picks(Vec::new());
    }
    let meant = match line {
        "y" => "yes",
        "n" => "no",
        "p" => "pass",
        word => word,
    };
    if let Some(option) = question.options.iter().position(|option| option.action == meant && option.label == meant) {
        return Input::Picks(vec![option as u32]);
    }
    let number = |part: &str| {
        let one = match matching_options(part, question).as_slice() {
            [only] if part.starts_with('#') && !is_number => Some(*only as i64 + 1),
            _ => None,
        };
        one.map_or_else(|| part.parse::<i64>(), Ok)
    };
    let numbers: Result<Vec<i64>, _> = line.split([' ', ',']).filter(|part| !part.is_empty()).map(number).collect();
    match numbers {
        Ok(numbers) if is_number => Input::Picks(numbers.iter().map(|n| *n as i32 as u32).collect()),
        Ok(numbers) => match numbers.iter().find(|n| !(1..=question.options.len() as i64).contains(n)) {
            Some(number) => Input::NoOption(*number),
            None => Input::Picks(numbers.iter().map(|n| (n - 1) as u32).collect()),
        },
        Err(_) if is_number => Input::Unknown,
        // as above, names are taken from the line as typed
        Err(_) => match matching_options(if line.starts_with('#') { line } else { typed }, question).as_slice() {
            [] => Input::Unknown,
            [only] => Input::Picks(vec![*only as u32]),
            several => Input::Ambiguous(several.iter().map(|option| option + 1).collect()),
        },
    }
}

/// How to answer a decision, in one line. Shown after an empty line, which never decides anything.
pub fn hint(question: &DecisionView) -> String {
    let is = |kind: DecisionKind| question.kind == kind.name();
    let instruction = if is(DecisionKind::Number) {
        format!("answer with a number from {} to {}", question.min, question.max)
    } else if is(DecisionKind::Divide) {
        let shares = question.options.len();
        format!("answer with {shares} numbers that add up to {}, each at least {}", question.max, question.min)
    } else if is(DecisionKind::YesNo) {
        "answer `yes` or `no`".to_owned()
    } else {
        let all = question.options.len();
        let one =
            if all == 1 { "1, the number of the option".to_owned() } else { format!("the number of an option, 1 to {all}") };
        let several = if question.repeats { "numbers of options (the same one may be repeated)" } else { "numbers of options" };
        match (question.min, question.max, pass_option(question)) {
            (1, 1, Some(_)) => format!("answer with {one}, or `pass`"),
            (1, 1, None) => format!("answer with {one}"),
            (0, 1, _) => format!("answer with {one}, or `none`"),
            (0, most, _) => format!("answer with up to {most} {several}, or `none`"),
            (least, most, _) if least == most => format!("answer with {most} {several}, separated by spaces"),
            (least, most, _) => format!("answer with {least} to {most} {several}, separated by spaces"),
        }
    };
    format!("{instruction}; `help` lists all commands")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(kind: DecisionKind, labels: &[&str], min: i64, max: i64) -> DecisionView {
        let plain = ["pass", "yes", "no"];
        let option = |label: &&str| {
            let action = if plain.contains(label) { *label } else { "" };
            OptionView { action: action.to_owned(), label: (*label).to_owned(), ..OptionView::default() }
        };
        let options: Vec<OptionView> = labels.iter().map(option).collect();
        let (kind, text, repeats) = (kind.name(), "", false);
        let made = json!({ "kind": kind, "text": text, "options": options, "min": min, "max": max, "repeats": repeats });
        serde_json::from_value(made).expect("a question")
    }

    #[test]
    fn empty_lines_decide_nothing() {
        let act = question(DecisionKind::Act, &["pass", "Bolt"], 1, 1);
        let some = question(DecisionKind::Choose, &["Bolt", "Bear"], 0, 2);
        for one in [&act, &some] {
            assert_eq!(parse("", one), Input::Empty);
        }
        assert_eq!((parse("pass", &act), parse("none", &some)), (Input::Picks(vec![0]), Input::Picks(Vec::new())));
        assert_eq!(parse("none", &act), Input::Unknown, "the decision requires a choice");
        let yes_no = question(DecisionKind::YesNo, &["yes", "no"], 1, 1);
        assert_eq!((parse("n", &yes_no), parse("yes", &yes_no)), (Input::Picks(vec![1]), Input::Picks(vec![0])));
    }

    #[test]
    fn options_are_picked_by_number_or_name() {
        let option = |action: &str, label: &str, handle: u32| OptionView {
            action: action.to_owned(),
            label: label.to_owned(),
            handle: Some(handle),
            ..OptionView::default()
        };
        let mut act = question(DecisionKind::Act, &["pass"], 1, 2);
        act.options.extend([option("cast", "cast Bolt", 5), option("cast", "cast Bear", 6), option("cast", "cast Bear", 7)]);
        assert_eq!(parse("１", &act), Input::Picks(vec![0]), "full-width digits are accepted");
        assert_eq!(parse("2,3", &act), parse("２、３", &act));
        assert_eq!((parse("#5", &act), parse("＃6 #7", &act)), (Input::Picks(vec![1]), Input::Picks(vec![2, 3])));
        assert_eq!(parse("#9", &act), Input::Unknown);
        assert_eq!((parse("bolt", &act), parse("cast Bolt", &act)), (Input::Picks(vec![1]), Input::Picks(vec![1])));
        assert_eq!((parse("Bear", &act), parse("Bear #7", &act)), (Input::Ambiguous(vec![3, 4]), Input::Picks(vec![3])));
        assert_eq!(parse("cast bear #6", &act), Input::Picks(vec![2]));
        assert_eq!((parse("cast", &act), parse("", &act)), (Input::Unknown, Input::Empty));
        let share = question(DecisionKind::Number, &[], 0, 7);
        assert_eq!(parse("#5", &share), Input::Unknown, "a number is not the number of an object");
    }

    #[test]
    fn command_words_are_recognised() {
        let act = question(DecisionKind::Act, &["pass", "Bolt"], 1, 1);
        assert_eq!((parse("log", &act), parse("log all", &act)), (Input::Log { all: false }, Input::Log { all: true }));
        assert_eq!((parse("text", &act), parse("text ", &act)), (Input::Text(String::new()), Input::Text(String::new())));
        assert_eq!((parse("? Bolt", &act), parse("？", &act)), (Input::Text("Bolt".into()), Input::WhyNot));
        assert_eq!((parse("text #3", &act), parse("? ＃3", &act)), (Input::Text("#3".into()), Input::Text("#3".into())));
    }

    #[test]
    fn hints_name_the_legal_answers() {
        let hint_of = |kind, labels: &[&str], min, max| hint(&question(kind, labels, min, max));
        assert!(
            hint_of(DecisionKind::Act, &["pass", "Bolt"], 1, 1)
                .starts_with("answer with the number of an option, 1 to 2, or `pass`;")
        );
        assert!(hint_of(DecisionKind::Choose, &["Bolt"], 0, 1).contains("or `none`"));
        assert!(hint_of(DecisionKind::Choose, &["Bolt", "Bear"], 2, 2).contains("with 2 numbers of options"));
        assert!(hint_of(DecisionKind::YesNo, &["yes", "no"], 1, 1).contains("`yes` or `no`"));
        assert!(hint_of(DecisionKind::Number, &[], 0, 7).contains("from 0 to 7"));
        assert!(hint_of(DecisionKind::Divide, &["Bolt", "Bear"], 1, 5).contains("2 numbers that add up to 5, each at least 1"));
    }
}
