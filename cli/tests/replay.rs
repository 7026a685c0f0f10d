//! Tests of `fizzle replay`: a recorded game in words, its places, the prompt, and playing on by hand.
#![expect(clippy::unwrap_used, reason = "a test")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What a command prints to its two outputs, and its status.
struct Printed {
    text: String,
    errors: String,
    status: i32,
}

fn fizzle(args: &[&str], input: &str) -> Printed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read closes it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let words = |bytes| String::from_utf8(bytes).unwrap();
    Printed { text: words(output.stdout), errors: words(output.stderr), status: output.status.code().unwrap() }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("replay-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The trace of a game that two bots have played.
fn trace() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    TRACE.get_or_init(|| {
        let folder = folder("bots");
        let (trace, folder) = (folder.join("game-0.fzt"), folder.to_str().unwrap().to_owned());
        let sim = fizzle(&["sim", "--format", "duel_masters", "--games", "1", "--bot", "greedy", "--traces", &folder], "");
        assert_eq!(sim.status, 0, "{}", sim.errors);
        trace.to_str().unwrap().to_owned()
    })
}

fn replay(args: &[&str], input: &str) -> String {
    let printed = fizzle(&[&["replay", trace()], args].concat(), input);
    assert_eq!(printed.status, 0, "{}{}", printed.text, printed.errors);
    printed.text
}

/// The events and answers of the game, without the line about its result.
fn objects(args: &[&str]) -> Vec<Value> {
    let text = replay(&[args, &["--events", "--message-format", "json"]].concat(), "");
    let mut objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.pop().unwrap()["status"], "same");
    objects
}

fn numbers(objects: &[Value], name: &str) -> Vec<u64> {
    objects.iter().filter_map(|object| object[name].as_u64()).collect()
}

#[test]
fn the_whole_game_is_shown_in_words() {
    let text = replay(&[], "");
    assert_eq!(text, replay(&["--events"], ""));
    assert!(text.contains("\nTurn 1, A\n") && text.contains("\nTurn 2, B\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("    > ") && line.contains(" decides: ")), "{text}");
    assert!(text.lines().last().unwrap().ends_with(", the same rules"), "{text}");
    let objects = objects(&[]);
    // Events are counted from 1, and answers grow: those of which there was only one are left out.
    let events = numbers(&objects, "event");
    assert_eq!(events, (1..=events.len() as u64).collect::<Vec<_>>());
    assert!(numbers(&objects, "decision").is_sorted_by(|a, b| a < b));
    let turns = numbers(&objects, "turn");
    assert!(turns.is_sorted() && turns.len() == objects.len());
    for object in objects {
        let is_shown = text.contains(object["words"].as_str().or(object["answer"].as_str()).unwrap());
        assert!(is_shown || object["answer"] == "Pass", "{object}");
    }
}

#[test]
fn without_words_the_result_is_one_line() {
    let human = replay(&["--check"], "");
    assert!(human.starts_with("duel_masters: ") && human.lines().count() == 1, "{human}");
    let json: Value = serde_json::from_str(&replay(&["--message-format", "json"], "")).unwrap();
    assert_eq!((&json["status"], &json["format"], &json["same_rules"]), (&"same".into(), &"duel_masters".into(), &true.into()));
    assert!(human.contains(&format!(" in turn {} after {} answers", json["turns"], json["answers"])), "{human}");
}

#[test]
fn a_place_shows_its_table() {
    let objects = objects(&[]);
    let of_turn = |turn: u64| objects.iter().filter(move |object| object["turn"] == turn && object["decision"].is_u64());
    let first = of_turn(4).next().unwrap();
    let text = replay(&["--to", "turn:4"], "");
    assert!(text.contains("\nturn 4, B's: ") && !text.contains("\nTurn 3, A\n"), "{text}");
    let decision = format!("decision {} of ", first["decision"]);
    assert!(text.contains(&decision), "{text}");
    // The decisions before it with one legal answer lead to the same place.
    for place in [format!("decision:{}", first["decision"]), format!("decision {}", first["decision"])] {
        assert_eq!(replay(&["--to", &place], ""), text);
    }
    let event = objects.iter().find(|object| object["turn"] == 4 && object["event"].is_u64()).unwrap();
    let shown = replay(&["--to", &format!("event:{}", event["event"])], "");
    assert!(shown.contains(&format!("{:>8}  {}", event["event"].as_u64().unwrap(), event["words"].as_str().unwrap())), "{shown}");
    // Every card is shown, also those that no player sees.
    assert!(text.matches("  hand:\n").count() == 2 && text.matches(", on top #").count() == 2, "{text}");
    assert!(!text.contains("a hidden card"), "{text}");
    let wrong = fizzle(&["replay", trace(), "--to", "turn:99"], "");
    assert!(wrong.status == 2 && wrong.errors.contains("the game has only "), "{}", wrong.errors);
    let wrong = fizzle(&["replay", trace(), "--to", "nowhere"], "");
    assert!(wrong.status == 2 && wrong.errors.contains("write `turn:5`"), "{}", wrong.errors);
}

#[test]
fn a_part_of_the_game_is_shown() {
    let (whole, part) = (objects(&[]), objects(&["--from", "turn:3", "--to", "turn:4"]));
    assert!(!part.is_empty() && whole.windows(part.len()).any(|window| window == part.as_slice()));
    let turns = numbers(&part, "turn");
    assert!(turns.first() == Some(&3) && turns.iter().all(|turn| (3..=4).contains(turn)), "{turns:?}");
    let text = replay(&["--events", "--from", "turn:3", "--to", "turn:4"], "");
    assert!(text.starts_with("\nTurn 3, A\n") && text.contains("\nTurn 4, B\n"), "{text}");
    assert!(!text.contains("\nTurn 2") && !text.contains("\nTurn 5"), "{text}");
    let wrong = fizzle(&["replay", trace(), "--events", "--from", "turn:99"], "");
    assert!(wrong.status == 2 && wrong.errors.contains("the game has only "), "{}", wrong.errors);
}

#[test]
fn a_seat_sees_what_it_saw_in_the_game() {
    let text = replay(&["--to", "turn:4", "--as", "A"], "");
    assert!(text.matches("  hand:\n").count() == 1 && !text.contains("on top"), "{text}");
    assert!(text.contains(" is of another player than A\n"), "{text}");
    let (all, own) = (objects(&[]), objects(&["--as", "B"]));
    let of_b = |objects: &[Value]| {
        let answers = objects.iter().filter(|object| object["decision"].is_u64() && object["by"] == "B");
        answers.map(|object| object["decision"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of_b(&all), of_b(&own));
    assert!(own.iter().all(|object| object["decision"].is_null() || object["by"] == "B"));
    let wrong = fizzle(&["replay", trace(), "--as", "C"], "");
    assert!(wrong.status == 2 && wrong.errors.contains("there is no seat `C`"), "{}", wrong.errors);
}

#[test]
fn the_prompt_goes_forwards_and_back() {
    let text = replay(&["--step"], "\nb\nturn\nturn back\nend\nn\nquit\n");
    let stops: Vec<&str> = text.lines().filter(|line| line.starts_with("decision ") || line.starts_with("end of ")).collect();
    let turns: Vec<&str> = text.lines().filter(|line| line.starts_with("turn ")).collect();
    assert_eq!((stops.len(), stops[0], stops[0] == stops[1]), (6, stops[2], false), "{text}");
    assert!(
        turns[0].starts_with("turn 1, ") && turns[3].starts_with("turn 2, ") && turns[4].starts_with("turn 1, "),
        "{turns:?}"
    );
    assert!(stops[5].contains(" has won") && text.contains("the game ends here\n"), "{text}");
    // Where players only pass is skipped.
    let text = replay(&["--step", "--to", "turn:2"], "skip\nskip\nskip\n");
    let happened = |line: &str| {
        let words = line.trim_start();
        words.starts_with(|first: char| first == '>' || first.is_ascii_digit()) && !words.contains(" passes")
    };
    let stops: Vec<&str> = text.split("replay> ").skip(1).take(3).collect();
    assert!(stops.len() == 3 && stops.iter().all(|stop| stop.lines().any(happened)), "{text}");
    // A search finds the line in what has happened since.
    let event = objects(&[]).into_iter().find(|object| object["turn"] == 5 && object["event"].is_u64()).unwrap();
    let words = event["words"].as_str().unwrap();
    let text = replay(&["--step", "--to", "turn:4"], &format!("/{words}\n/no such words\n/\nhelp\nnonsense\n"));
    assert!(text.matches(words).count() >= 1, "{text}");
    assert_eq!(text.matches("nothing with `no such words` has happened in this game\n").count(), 2, "{text}");
    assert!(text.contains("continue, c ") && text.contains("`nonsense` is no command"), "{text}");
    let text = replay(&["--step", "--to", "turn:4"], "options\nas A\nas all\nas D\n? クック・ポロン\nlog all\n");
    assert!(text.contains("  answered: ") && text.contains("there is no seat `D`"), "{text}");
    assert!(text.contains("Creature — "), "{text}");
    assert_eq!(text.matches("\nTurn 1, A\n").count(), 1, "{text}");
}

#[test]
fn a_recorded_game_is_continued_by_hand() {
    let out = folder("continued").join("mine.fzt");
    let out = out.to_str().unwrap();
    let text = replay(&["--to", "turn:3", "--play", "--as", "B", "--out", out], "concede\nyes\n");
    assert!(text.contains("\nB (you)\n") && text.contains("the game is over: greedy A has won\n"), "{text}");
    let head = |path: &str| -> Value {
        let bytes = std::fs::read(path).unwrap();
        serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next().unwrap()).unwrap()
    };
    let (old, new) = (head(trace()), head(out));
    assert_eq!((&old["decks"], &old["seed"]), (&new["decks"], &new["seed"]));
    let again = fizzle(&["replay", out, "--message-format", "json"], "");
    let status: Value = serde_json::from_str(&again.text).unwrap();
    assert_eq!((&status["outcome"], &status["status"]), (&"won 0".into(), &"same".into()));
    // Up to there both games are the same.
    let of_turn_two = |text: &str| text.split("\nTurn 3, A\n").next().unwrap().to_owned();
    assert_eq!(of_turn_two(&fizzle(&["replay", out], "").text), of_turn_two(&replay(&[], "")));
    // From the prompt, several times: each game has a file. Undo goes back into the recorded game.
    let text = replay(&["--step", "--to", "turn:3", "--out", out], "continue B\nconcede\nyes\nc\nundo\nquit\nquit\n");
    assert_eq!(text.matches("back in the recorded game\n").count(), 2, "{text}");
    assert!(text.contains("your last answer is taken back\n"), "{text}");
    assert!(Path::new(&format!("{out}.2")).is_file());
    let over = fizzle(&["replay", trace(), "--to", "end", "--play"], "");
    assert!(over.status == 2 && over.errors.contains("the game is over there"), "{}", over.errors);
}

/// A pack in which the first card has this price.
fn pack_with_price(price: &str) -> String {
    let folder = folder("changed");
    std::fs::write(folder.join("pack.fz"), "pack changed_cards { edition 2; extends magic }\n").unwrap();
    let cards = format!(
        "card \"Changing Lions\" {{ creature  white  mana_cost {price}  power 1  toughness 1 }}\n\
         deck \"lions\" {{ format magic; main {{ 40 \"Changing Lions\"  20 \"Plains\" }} }}\n"
    );
    std::fs::write(folder.join("cards.fz"), cards).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_game_of_other_rules_is_shown_up_to_where_they_differ() {
    let pack = pack_with_price("{0}");
    let traces = folder("changed-traces");
    let sim = [
        "sim",
        &pack,
        "--format",
        "magic",
        "--deck",
        "lions",
        "--games",
        "1",
        "--bot",
        "greedy",
        "--traces",
        traces.to_str().unwrap(),
    ];
    assert_eq!(fizzle(&sim, "").status, 0);
    let trace = traces.join("game-0.fzt");
    let trace = trace.to_str().unwrap();
    assert_eq!(fizzle(&["replay", trace, &pack, "--check"], "").status, 0);
    let pack = pack_with_price("{W}");
    let printed = fizzle(&["replay", trace, &pack], "");
    assert_eq!(printed.status, 1);
    assert!(
        printed.errors.contains("the rules differ at decision ") && printed.errors.contains(", turn 1"),
        "{}",
        printed.errors
    );
    assert!(printed.text.contains("  draw 7: A\n") && printed.text.contains("\nTurn 1, A\n"), "{}", printed.text);
    let printed = fizzle(&["replay", trace, &pack, "--step"], "end\n");
    assert_eq!(printed.status, 1);
    assert!(printed.text.contains("end of the game: the rules now lead to another game from here on\n"), "{}", printed.text);
    let printed = fizzle(&["replay", trace, &pack, "--message-format", "json"], "");
    let json: Value = serde_json::from_str(&printed.text).unwrap();
    assert!(printed.status == 1 && json["status"] == "differs" && json["decision"].as_u64().unwrap() > 1, "{json}");
}
