//! What a line at the prompt means.

use fizzle_runtime::view::{DecisionView, OptionView};
use fizzle_runtime::vm::decision::DecisionKind;

/// What somebody at the terminal says.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// These options; the number or the shares, where that is asked.
    Picks(Vec<u32>),
    /// An option that there is not.
    NoOption(i64),
    /// Several options, by number from 1, are called so.
    Several(Vec<usize>),
    /// The last answer is taken back.
    Undo,
    /// Why the other plays are not offered.
    WhyNot,
    /// The text of a card; without its name the way to ask for it.
    Text(String),
    /// What happened since the last answer, or in the whole game.
    Log {
        /// In the whole game.
        all: bool,
    },
    /// The position again.
    Show,
    /// The hidden cards that were shown.
    Seen,
    /// The words at the prompt.
    Help,
    /// The game is given up.
    Concede,
    /// The terminal is left.
    Quit,
    /// An empty line.
    Nothing,
    /// Something else.
    Nonsense,
}

/// Whether numbers are the answer, not options.
fn wants_numbers(question: &DecisionView) -> bool {
    [DecisionKind::Number, DecisionKind::Divide].into_iter().any(|kind| question.kind == kind.name())
}

/// The option with which nothing is done.
fn pass(question: &DecisionView) -> Option<usize> {
    question.options.iter().position(|option| option.action == "pass")
}

/// A line as everybody could type it: of digits and marks that are as wide as ideographs the usual ones.
fn narrow(line: &str) -> String {
    let usual = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        '、' => ',',
        c => c,
    };
    line.chars().map(usual).collect()
}

/// The options that are called so: by the number of their object, by their words, or by the name alone.
fn called(line: &str, question: &DecisionView) -> Vec<usize> {
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

/// What a line means as an answer to a question.
pub fn parse(line: &str, question: &DecisionView) -> Input {
    let written = line;
    let line = &*narrow(line);
    let line = line.trim();
    match line {
        "" => return Input::Nothing,
        "?" | "why" => return Input::WhyNot,
        "undo" | "u" => return Input::Undo,
        "seen" => return Input::Seen,
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
        // the name of a card stays as it is written
        let number = line.trim_start_matches("text").trim_start_matches('?').trim();
        let name = written.trim_start_matches("text").trim_start_matches(['?', '？']).trim();
        return Input::Text(if number.starts_with('#') { number.to_owned() } else { name.to_owned() });
    }
    let is_number = wants_numbers(question);
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
        let one = match called(part, question).as_slice() {
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
        Err(_) if is_number => Input::Nonsense,
        // the name of a card stays as it is written
        Err(_) => match called(if line.starts_with('#') { line } else { written }, question).as_slice() {
            [] => Input::Nonsense,
            [only] => Input::Picks(vec![*only as u32]),
            several => Input::Several(several.iter().map(|option| option + 1).collect()),
        },
    }
}

/// How a question is answered, in one line: nothing is decided by an empty one.
pub fn hint(question: &DecisionView) -> String {
    let is = |kind: DecisionKind| question.kind == kind.name();
    let way = if is(DecisionKind::Number) {
        format!("answer with a number from {} to {}", question.min, question.max)
    } else if is(DecisionKind::Divide) {
        let shares = question.options.len();
        format!("answer with {shares} numbers that are {} together, each at least {}", question.max, question.min)
    } else if is(DecisionKind::YesNo) {
        "answer `yes` or `no`".to_owned()
    } else {
        let all = question.options.len();
        let one =
            if all == 1 { "1, the number of the option".to_owned() } else { format!("the number of an option, 1 to {all}") };
        let several =
            if question.repeats { "numbers of options, the same one perhaps more than once" } else { "numbers of options" };
        match (question.min, question.max, pass(question)) {
            (1, 1, Some(_)) => format!("answer with {one}, or `pass`"),
            (1, 1, None) => format!("answer with {one}"),
            (0, 1, _) => format!("answer with {one}, or `none`"),
            (0, most, _) => format!("answer with up to {most} {several}, or `none`"),
            (least, most, _) if least == most => format!("answer with {most} {several}, separated by blanks"),
            (least, most, _) => format!("answer with {least} to {most} {several}, separated by blanks"),
        }
    };
    format!("{way}; `help` says what else there is")
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
    fn an_empty_line_decides_nothing() {
        let act = question(DecisionKind::Act, &["pass", "Bolt"], 1, 1);
        let some = question(DecisionKind::Choose, &["Bolt", "Bear"], 0, 2);
        for one in [&act, &some] {
            assert_eq!(parse("", one), Input::Nothing);
        }
        assert_eq!((parse("pass", &act), parse("none", &some)), (Input::Picks(vec![0]), Input::Picks(Vec::new())));
        assert_eq!(parse("none", &act), Input::Nonsense, "something must be chosen there");
        let asked = question(DecisionKind::YesNo, &["yes", "no"], 1, 1);
        assert_eq!((parse("n", &asked), parse("yes", &asked)), (Input::Picks(vec![1]), Input::Picks(vec![0])));
    }

    #[test]
    fn options_have_numbers_and_names() {
        let option = |action: &str, label: &str, handle: u32| OptionView {
            action: action.to_owned(),
            label: label.to_owned(),
            handle: Some(handle),
            ..OptionView::default()
        };
        let mut act = question(DecisionKind::Act, &["pass"], 1, 2);
        act.options.extend([option("cast", "cast Bolt", 5), option("cast", "cast Bear", 6), option("cast", "cast Bear", 7)]);
        assert_eq!(parse("１", &act), Input::Picks(vec![0]), "digits as wide as ideographs");
        assert_eq!(parse("2,3", &act), parse("２、３", &act));
        assert_eq!((parse("#5", &act), parse("＃6 #7", &act)), (Input::Picks(vec![1]), Input::Picks(vec![2, 3])));
        assert_eq!(parse("#9", &act), Input::Nonsense);
        assert_eq!((parse("bolt", &act), parse("cast Bolt", &act)), (Input::Picks(vec![1]), Input::Picks(vec![1])));
        assert_eq!((parse("Bear", &act), parse("Bear #7", &act)), (Input::Several(vec![3, 4]), Input::Picks(vec![3])));
        assert_eq!(parse("cast bear #6", &act), Input::Picks(vec![2]));
        assert_eq!((parse("cast", &act), parse("", &act)), (Input::Nonsense, Input::Nothing));
        let share = question(DecisionKind::Number, &[], 0, 7);
        assert_eq!(parse("#5", &share), Input::Nonsense, "a number is not the number of an object");
    }

    #[test]
    fn commands_are_words() {
        let act = question(DecisionKind::Act, &["pass", "Bolt"], 1, 1);
        assert_eq!((parse("log", &act), parse("log all", &act)), (Input::Log { all: false }, Input::Log { all: true }));
        assert_eq!((parse("text", &act), parse("text ", &act)), (Input::Text(String::new()), Input::Text(String::new())));
        assert_eq!((parse("? Bolt", &act), parse("？", &act)), (Input::Text("Bolt".into()), Input::WhyNot));
        assert_eq!((parse("text #3", &act), parse("? ＃3", &act)), (Input::Text("#3".into()), Input::Text("#3".into())));
    }

    #[test]
    fn the_way_to_answer_is_said() {
        let said = |kind, labels: &[&str], min, max| hint(&question(kind, labels, min, max));
        assert!(
            said(DecisionKind::Act, &["pass", "Bolt"], 1, 1)
                .starts_with("answer with the number of an option, 1 to 2, or `pass`;")
        );
        assert!(said(DecisionKind::Choose, &["Bolt"], 0, 1).contains("or `none`"));
        assert!(said(DecisionKind::Choose, &["Bolt", "Bear"], 2, 2).contains("with 2 numbers of options"));
        assert!(said(DecisionKind::YesNo, &["yes", "no"], 1, 1).contains("`yes` or `no`"));
        assert!(said(DecisionKind::Number, &[], 0, 7).contains("from 0 to 7"));
        assert!(said(DecisionKind::Divide, &["Bolt", "Bear"], 1, 5).contains("2 numbers that are 5 together, each at least 1"));
    }
}
