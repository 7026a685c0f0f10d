//! Commands exit with the correct status: strangers' input is never reported as a defect of the program, and what `new` prints
//! can be pasted into a shell.

use super::{TOY, command, fizzle, new_folder, printed, refuse, succeed, toy_folder};
use fizzle_runtime::trace::Trace;
use std::fs;
use std::process::Command;

/// A trace whose final position was changed is refused as a trace, with exit status 1.
#[test]
fn forged_traces_are_no_defects() {
    let folder = toy_folder("forged-traces");
    succeed("sim . --format toy --games 2 --traces traces --out a.json", &folder);
    let good = Trace::decode(&fs::read(folder.join("traces/game-0.fzt")).unwrap()).unwrap();
    type Change = fn(&mut Trace);
    let changes: [(Change, &str); 9] = [
        (|trace| trace.final_hash ^= 1, "the trace was changed"),
        (|trace| trace.header.outcome = "won 7".into(), "recorded was"),
        (|trace| trace.header.seed = "many".into(), "seed"),
        (|trace| trace.header.decks.clear(), ""),
        (|trace| trace.header.decks.truncate(1), ""),
        (|trace| trace.header.decks = vec![trace.header.decks[0].clone(); 60], ""),
        (|trace| trace.header.loser_before = Some(99), ""),
        (|trace| trace.header.game_number = 0, ""),
        (|trace| trace.answers.push(fizzle_runtime::game::RecordedAnswer::concession(200)), ""),
    ];
    for (number, (change, message)) in changes.into_iter().enumerate() {
        let mut forged = good.clone();
        change(&mut forged);
        fs::write(folder.join("forged.fzt"), forged.encode()).unwrap();
        for line in ["replay forged.fzt .", "replay forged.fzt . --message-format json"] {
            let output = fizzle(line, &folder);
            let text = printed(&output);
            // Some changes are of no account, such as the loser of the game before.
            let expected: &[Option<i32>] = if message.is_empty() { &[Some(0), Some(1)] } else { &[Some(1)] };
            assert!(expected.contains(&output.status.code()), "{number}: {:?} {text}", output.status.code());
            assert!(text.contains(message) && !text.contains("internal error"), "{number}: {text}");
        }
    }
}

/// A format that only the trace names is a problem of the trace; a path that does not exist is one of the command line.
#[test]
fn traces_with_unknown_formats_are_problems_of_the_trace() {
    let folder = toy_folder("trace-formats");
    succeed("sim . --format toy --games 1 --traces traces --out a.json", &folder);
    let mut forged = Trace::decode(&fs::read(folder.join("traces/game-0.fzt")).unwrap()).unwrap();
    forged.header.format = "nope".into();
    fs::write(folder.join("forged.fzt"), forged.encode()).unwrap();
    for line in ["replay forged.fzt .", "replay forged.fzt", "replay forged.fzt . --message-format json"] {
        refuse(line, &folder, 1, "`forged.fzt`: there is no format `nope`");
    }
    refuse("replay forged.fzt missing", &folder, 2, "missing");
}

/// A chain of calls that is deeper than the limit of compiled packs is never reported as a defect.
#[test]
fn deep_chains_of_calls_are_no_defects() {
    for depth in [20, 40, 126, 127, 128, 129, 130, 200, 1000] {
        let folder = toy_folder("deep-calls");
        let mut source = "function f0(n: number): number = n + 1\n".to_owned();
        for number in 1..=depth {
            source.push_str(&format!("function f{number}(n: number): number = f{}(n) + n\n", number - 1));
        }
        source.push_str(&format!(
            "setup {{\n  let a = f{depth}(1)\n  if a > 3 {{ put top 1 card of deck of active into hand of active }}\n}}\n"
        ));
        let setup = TOY.find("setup {").unwrap();
        let end = TOY.find("turn {").unwrap();
        fs::write(folder.join("pack.fz"), format!("{}{source}\n{}", &TOY[..setup], &TOY[end..])).unwrap();
        for line in ["check .", "build . -o toy.fzb", "sim . --format toy --games 1", "sheet .", "test .", "deck check pack.fz"] {
            let output = fizzle(line, &folder);
            let text = printed(&output);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{depth}, {line}: {:?} {text}", output.status.code());
            assert!(!text.contains("internal error"), "{depth}, {line}: {text}");
            assert!(output.status.success() || text.contains("128 deep") || text.contains("E0209"), "{depth}, {line}: {text}");
        }
        let is_built = folder.join("toy.fzb").exists();
        // Between the two, a limit of the compiler may come first.
        assert!(is_built || depth > 20, "{depth}");
        assert!(!is_built || depth < 127, "{depth}");
        if is_built {
            succeed("check toy.fzb", &folder);
        }
    }
}

/// Names that cannot be a pack's are refused, and nothing is created.
#[test]
fn new_refuses_names_that_are_no_names() {
    let folder = new_folder("new-refused");
    for name in
        ["a\" { } card \"b", "$(touch owned)", "a;b", "a`b`", "a'b", "a\u{202e}b", "a\nb", "a&b", "a|b", "<b>", "sub/a\"b"]
    {
        let output = command(&["new", name], &folder).output().unwrap();
        let text = printed(&output);
        assert_eq!(output.status.code(), Some(2), "{name:?}: {text}");
        assert!(text.contains("cannot be the name of a pack") && text.contains("help: write `fizzle new "), "{name:?}: {text}");
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "{name:?}");
    }
}

/// The commands that `new` prints work in a shell, for all names of the folders above.
#[cfg(unix)]
#[test]
fn printed_commands_can_be_pasted() {
    for (number, parent) in
        ["a b", "quote\"s", "single'quote", "$(touch owned)", "`touch owned`", "a;touch owned", "-dash"].into_iter().enumerate()
    {
        let folder = new_folder(&format!("paste-{number}"));
        let path = format!("{parent}/my set");
        let output = command(&["new", "--game", "duel_masters", "--", &path], &folder).output().unwrap();
        let text = printed(&output);
        assert_eq!(output.status.code(), Some(0), "{path}: {text}");
        let line = text.lines().find(|line| line.trim_start().starts_with("fizzle check ")).unwrap();
        let line = line.trim_start().replacen("fizzle", &format!("'{}'", env!("CARGO_BIN_EXE_fizzle")), 1);
        let output = Command::new("sh").arg("-c").arg(&line).current_dir(&folder).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}", printed(&output));
        assert!(!folder.join("owned").exists(), "{line}");
    }
}

/// Broken packs, decks and results are problems, not defects.
#[test]
fn broken_input_is_no_defect() {
    let folder = toy_folder("broken");
    fs::write(folder.join("list.json"), "[]\n").unwrap();
    refuse("merge list.json", &folder, 1, "is not the result of a simulation");
    fs::write(folder.join("deep.json"), "[".repeat(100_000)).unwrap();
    refuse("merge deep.json", &folder, 1, "is not the result of a simulation");
    fs::write(folder.join("deep.fzt"), format!("{}\n0000000000", "[".repeat(100_000))).unwrap();
    refuse("replay deep.fzt .", &folder, 1, "this is not a trace");
}

/// A problem of a file ends a command with 1, also if the command is not one that checks: sources, lists and results of strangers.
#[test]
fn problems_of_files_are_no_wrong_usage() {
    let folder = toy_folder("problems");
    fs::write(folder.join("garbage.fz"), "%% no source ((\n\u{7}").unwrap();
    let message = "garbage.fz:1: formatted only in part, since it cannot be read: ";
    for line in ["fmt garbage.fz", "fmt --check garbage.fz", "fmt ."] {
        refuse(line, &folder, 1, message);
    }
    let output = command(&["fmt", "-"], &folder).stdin(fs::File::open(folder.join("garbage.fz")).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("<stdin>:1: formatted only in part"), "{}", printed(&output));
    // The items that can be read are formatted.
    fs::write(folder.join("garbage.fz"), "card   \"A\" {piece}\n\ncard \"B\" { ( }\n").unwrap();
    refuse("fmt garbage.fz", &folder, 1, "garbage.fz:3: formatted only in part");
    assert!(fs::read_to_string(folder.join("garbage.fz")).unwrap().starts_with("card  \"A\" { piece }\n"));
    fs::remove_file(folder.join("garbage.fz")).unwrap();
    succeed("fmt .", &folder);
    fs::write(folder.join("list.txt"), "4 No Such Card\n").unwrap();
    refuse("deck check list.txt", &folder, 1, "no game has the cards of `list.txt`");
    refuse("deck check list.txt", &folder, 1, "help: add `--format NAME`");
    refuse("deck check list.txt --format nope", &folder, 2, "there is no format `nope`");
    fs::write(folder.join("deck.txt"), "deck \"D\" { format nope main { 2 \"Moss\" } }\n").unwrap();
    for line in ["deck check deck.txt .", "deck check deck.txt", "sim --deck deck.txt --games 1"] {
        refuse(line, &folder, 1, "there is no format `nope`");
    }
    // So does a result of another run.
    succeed("sim . --format toy --games 1 --out one.json", &folder);
    for option in ["--seed 2", "--games 2", "--bot greedy", "--deck Rocks"] {
        let games = if option.starts_with("--games") { "" } else { "--games 1" };
        refuse(&format!("sim . --format toy {games} {option} --resume one.json").replace("  ", " "), &folder, 1, "different run");
    }
}

/// An option that contradicts another one, or names nothing, is wrong usage.
#[test]
fn options_without_a_meaning_are_refused() {
    let folder = toy_folder("options");
    refuse("check . --allow-path nowhere", &folder, 2, "`--allow-path nowhere`: ");
    succeed("check . --allow-path pack.fz --allow-path .", &folder);
    #[cfg(feature = "serve")]
    {
        let serve = "serve . --keep K --port 0 --format toy --seat 0=me";
        refuse(&format!("{serve} --seat 0=external"), &folder, 2, "seat 0 is given twice");
        refuse(&format!("{serve} --seat 00=me"), &folder, 2, "seat 0 is given twice");
        refuse(&format!("{serve} --deck Kings --deck Rocks --deck Kings"), &folder, 2, "3 decks given for 2 seats");
        assert!(!folder.join("K").exists());
    }
}
