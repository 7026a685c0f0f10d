//! Tests of the results of `fizzle sim`: files do not depend on jobs, shards and interruptions, and incompatible results are refused.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("results").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(line: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

fn fizzle(line: &str, folder: &Path) -> Output {
    command(line, folder).output().unwrap()
}

fn run_successfully(line: &str, folder: &Path) -> String {
    let output = fizzle(line, folder);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command and returns its exit status and error output.
fn run_refused(line: &str, folder: &Path) -> (i32, String) {
    let output = fizzle(line, folder);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn toy_folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy").to_string_lossy().into_owned()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// In the toy game, the player who plays the Crown wins. The deck Kings wins in its first turn: in turn 1 if it begins, else in turn 2,
/// after Rocks has played the Stone. Moss goes from the deck to the grave and is never in a hand.
#[test]
fn cards_and_lengths_are_counted() {
    let folder = new_folder("toy");
    run_successfully(&format!("sim {} --format toy --games 6 --out a.json --csv tables --html page.html", toy_folder()), &folder);
    let result = json(&folder.join("a.json"));
    assert_eq!(result["wins"], serde_json::json!([6, 0]));
    assert_eq!(result["turns_per_game"], serde_json::json!({"1": 3, "2": 3}));
    assert_eq!(result["decisions_per_game"], serde_json::json!({"0": 6}));
    let counts = |deck: usize, card: &str| {
        let card = &result["cards"][deck][card];
        ["games", "copies", "drawn", "drawn_won", "played", "played_won"].map(|field| card[field].as_u64().unwrap())
    };
    assert_eq!(counts(0, "Crown"), [6, 6, 6, 6, 6, 6]);
    assert_eq!(counts(0, "Moss"), [6, 12, 0, 0, 0, 0]);
    assert_eq!(counts(1, "Stone"), [6, 6, 6, 0, 3, 0]);
    assert_eq!(counts(1, "Moss"), [6, 6, 0, 0, 0, 0]);
    assert_eq!(
        fs::read_to_string(folder.join("tables/lengths.csv")).unwrap(),
        "measure,value,games\nturns,1,3\nturns,2,3\ndecisions,0,6\n"
    );
    let decks = fs::read_to_string(folder.join("tables/decks.csv")).unwrap();
    assert!(decks.contains("\n1,Kings,random,6,6,1,0.609666,1,\n"), "{decks}");
    let cards = fs::read_to_string(folder.join("tables/cards.csv")).unwrap();
    assert!(cards.contains("\n2,Rocks,Stone,6,6,6,0,0,0,0.390334,3,0,0,0,0.561497\n"), "{cards}");
    assert!(cards.contains("\n2,Rocks,Moss,6,6,0,0,,,,0,0,,,\n"), "{cards}");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("<bdi>Crown</bdi>") && page.contains("<svg"));
    for elsewhere in ["http:", "https:", "<script", "<link", "<img", "url(", "@import"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn merged_shards_equal_the_whole_run() {
    let folder = new_folder("parts");
    for (format, more) in [("duel_masters", "--bot greedy --bot random"), ("duel_magic", "--best-of 3")] {
        let common = format!("sim --format {format} --games 4 --seed 9 {more}");
        run_successfully(&format!("{common} --out whole.json --csv whole --html whole.html --jobs 1"), &folder);
        for shard in 1..=3 {
            run_successfully(&format!("{common} --shard {shard}/3 --out {shard}.json"), &folder);
        }
        run_successfully("merge 3.json 1.json 2.json --out merged.json --csv merged --html merged.html", &folder);
        for (whole, merged) in [
            ("whole.json", "merged.json"),
            ("whole.html", "merged.html"),
            ("whole/decks.csv", "merged/decks.csv"),
            ("whole/cards.csv", "merged/cards.csv"),
            ("whole/lengths.csv", "merged/lengths.csv"),
        ] {
            assert_eq!(fs::read(folder.join(whole)).unwrap(), fs::read(folder.join(merged)).unwrap(), "{format}: {whole}");
        }
        let again = run_successfully(&format!("{common} --resume whole.json --message-format json"), &folder);
        assert!(again.contains("\"games\":"), "a finished result is shown: {again}");
        assert_eq!(fs::read(folder.join("whole.json")).unwrap(), fs::read(folder.join("merged.json")).unwrap());
    }
}

#[test]
fn incompatible_results_are_refused() {
    let folder = new_folder("refused");
    let toy = toy_folder();
    let play = |more: &str| format!("sim {toy} --format toy --games 4 {more}");
    run_successfully(&play("--shard 1/2 --out 1.json"), &folder);
    run_successfully(&play("--shard 2/2 --out 2.json"), &folder);
    run_successfully(&play("--shard 2/2 --seed 2 --out seed.json"), &folder);
    run_successfully(&play("--shard 2/2 --deck Rocks --out deck.json"), &folder);
    run_successfully(&play("--shard 2/2 --bot greedy --out bot.json"), &folder);
    run_successfully("sim --format duel_masters --games 4 --shard 2/2 --out rules.json", &folder);
    for (parts, status, expected) in [
        ("1.json 1.json", 1, "shard 1 of 2 is given twice"),
        ("1.json", 1, "missing shards: 2 of 2"),
        ("1.json seed.json", 1, "different seed"),
        ("1.json deck.json", 1, "different decks"),
        ("1.json bot.json", 1, "different bots"),
        ("1.json rules.json", 1, "different rules"),
        ("1.json none.json", 2, "cannot read"),
    ] {
        let (found, message) = run_refused(&format!("merge {parts}"), &folder);
        assert!(found == status && message.contains(expected), "{parts}: {found} {message}");
    }
    // A file with inconsistent numbers is not accepted as a result.
    let good = fs::read_to_string(folder.join("2.json")).unwrap();
    for (from, to) in [
        ("\"games\":2", "\"games\":18446744073709551615"),
        ("\"shard\":\"2/2\"", "\"shard\":\"2/0\""),
        ("\"drawn\":2", "\"drawn\":3"),
        ("\"draws\":0", "\"draws\":18446744073709551615"),
        ("\"total\":4", "\"total\":9"),
        ("{", "["),
    ] {
        assert!(good.contains(from), "{from}: {good}");
        fs::write(folder.join("wrong.json"), good.replacen(from, to, 1)).unwrap();
        let (status, message) = run_refused("merge 1.json wrong.json", &folder);
        assert!(status == 1 && message.contains("is not the result of a simulation"), "{from}: {status} {message}");
    }
    // A deck with other cards is detected even if its name is the same.
    let other = folder.join("other");
    fs::create_dir_all(&other).unwrap();
    let source = fs::read_to_string(Path::new(&toy).join("pack.fz")).unwrap();
    fs::write(other.join("pack.fz"), source.replace("1 \"Stone\"", "2 \"Stone\"")).unwrap();
    for (line, expected) in [
        (play("--shard 1/2 --seed 3 --resume 1.json"), "different seed"),
        (play("--shard 1/2 --games 5 --resume 1.json").replace("--games 4 ", ""), "different number of games"),
        (play("--shard 2/2 --resume 1.json"), "different shard"),
        (play("--shard 1/2 --bot greedy --resume 1.json"), "different bots"),
        (play("--shard 1/2 --best-of 3 --resume 1.json"), "different length of a match"),
        ("sim other --format toy --games 4 --shard 1/2 --resume 1.json".to_owned(), "different decks"),
        ("sim --format duel_masters --games 4 --shard 1/2 --resume 1.json".to_owned(), "different rules"),
    ] {
        let before = fs::read(folder.join("1.json")).unwrap();
        let (status, message) = run_refused(&line, &folder);
        assert!(status == 1 && message.contains(expected) && message.contains("help:"), "{line}: {status} {message}");
        assert_eq!(fs::read(folder.join("1.json")).unwrap(), before, "the existing result is unchanged");
    }
    let (status, message) = run_refused(&play("--out no/such/folder.json"), &folder);
    assert!(status == 2 && message.contains("cannot write"), "{message}");
}

/// Waits until a result file has more than `more_than` games. Returns whether the process is still running then.
fn wait_for_games(child: &mut Child, file: &Path, more_than: u64) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(120) {
        // The file is replaced atomically, so it is always complete.
        let games = if file.exists() { json(file)["games"].as_u64().unwrap() } else { 0 };
        if games > more_than {
            return child.try_wait().unwrap().is_none();
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no result was saved");
}

/// A run that is killed, resumed and interrupted (SIGINT), resumed and terminated (SIGTERM), and resumed again has the same result as an
/// uninterrupted run.
#[test]
fn interrupted_runs_resume_to_the_same_result() {
    let folder = new_folder("interrupted");
    // Enough games that the run takes longer than three seconds, so that it can be interrupted on any machine and build.
    let mut games: u64 = 60;
    let common = loop {
        let common = format!("sim --format duel_masters --games {games} --seed 5 --jobs 1");
        let start = Instant::now();
        run_successfully(&format!("{common} --out peace.json --html peace.html"), &folder);
        if start.elapsed() > Duration::from_secs(3) {
            break common;
        }
        games *= 2;
    };
    let spawn = |line: &str| command(line, &folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let file = folder.join("kept.json");

    let mut child = spawn(&format!("{common} --resume kept.json"));
    assert!(wait_for_games(&mut child, &file, 0), "the run ended before it could be killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = json(&file);
    let first = kept["games"].as_u64().unwrap();
    assert!(0 < first && first < games && !kept["finished"].is_null(), "{kept}");
    let (status, message) = run_refused("merge kept.json", &folder);
    assert!(status == 1 && message.contains("is not finished"), "{message}");

    #[cfg(unix)]
    {
        let mut before = first;
        for signal in ["-INT", "-TERM"] {
            let mut child = spawn(&format!("{common} --resume kept.json"));
            assert!(wait_for_games(&mut child, &file, before), "{signal}: the run ended before it could be interrupted");
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(130), "{signal}: {stderr}");
            assert!(stderr.contains("repeat the command with `--resume kept.json`"), "{signal}: {stderr}");
            let after = json(&file)["games"].as_u64().unwrap();
            assert!(before < after && after < games, "{signal}: {before} {after}");
            let shown = String::from_utf8(output.stdout).unwrap();
            assert!(shown.contains(&format!("not finished: {after} of {games} games")), "{signal}: {shown}");
            before = after;
        }
    }

    let common = common.replace("--jobs 1", "--jobs 2");
    run_successfully(&format!("{common} --resume kept.json --html kept.html"), &folder);
    assert_eq!(fs::read(&file).unwrap(), fs::read(folder.join("peace.json")).unwrap());
    assert_eq!(fs::read(folder.join("kept.html")).unwrap(), fs::read(folder.join("peace.html")).unwrap());
    let remaining: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // At most one temporary file may remain: the one that was being written when the process was killed.
    assert!(remaining.iter().filter(|name| name.to_string_lossy().ends_with(".tmp")).count() <= 1, "{remaining:?}");
}

/// Traces are equal whether the rules come from sources or from a compiled pack, of which only the part that two decks can reach is read.
#[test]
fn traces_of_sources_and_compiled_packs_are_equal() {
    let folder = new_folder("compiled");
    run_successfully("build duel_masters duel_magic -o packed.fzb", &folder);
    for format in ["duel_masters", "duel_magic"] {
        run_successfully(&format!("sim --format {format} --games 2 --seed 3 --traces from_sources"), &folder);
        run_successfully(&format!("sim packed.fzb --format {format} --games 2 --seed 3 --traces from_pack"), &folder);
        for game in 0..2 {
            let [one, other] = ["from_sources", "from_pack"].map(|from| format!("{from}/game-{game}.fzt"));
            assert_eq!(fs::read(folder.join(&one)).unwrap(), fs::read(folder.join(&other)).unwrap(), "{format}");
            assert!(run_successfully(&format!("replay {one} packed.fzb"), &folder).contains("the same rules"));
            assert!(run_successfully(&format!("replay {other}"), &folder).contains("the same rules"));
        }
    }
}

/// An output that cannot be written, or would overwrite an input or another output, is refused before a game is played.
#[test]
fn inputs_and_other_outputs_are_not_overwritten() {
    let folder = new_folder("over");
    run_successfully(&format!("build {} -o toy.fzb", toy_folder()), &folder);
    let pack = fs::read(folder.join("toy.fzb")).unwrap();
    let sim = "sim toy.fzb --format toy --games 6";
    for (line, expected) in [
        (format!("{sim} --out toy.fzb"), "`toy.fzb` is an input: the result would overwrite it"),
        (format!("{sim} --html ./toy.fzb"), "`toy.fzb` is an input"),
        (format!("{sim} --out same --html same"), "two results would be written to `same`"),
        (format!("{sim} --html nowhere/page.html --traces traces"), "cannot write `nowhere/page.html`"),
        (format!("{sim} --out ."), "cannot write `.`"),
        (format!("{sim} --jobs 100000000"), "100000000 jobs are too many"),
        ("build toy.fzb -o source.fz".to_owned(), "`source.fz` has the name of a source file"),
    ] {
        let (status, message) = run_refused(&line, &folder);
        assert_eq!(status, 2, "{line}: {message}");
        assert!(message.contains(expected), "{line}: {message}");
    }
    assert_eq!(fs::read(folder.join("toy.fzb")).unwrap(), pack);
    assert!(fs::read_dir(folder.join("traces")).unwrap().next().is_none(), "a game was played");
    let entries: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries.len(), 2, "{entries:?}");
}

/// A run that is not alone with its outputs is refused before its first game. Shards of the same games share a folder of traces.
#[test]
fn runs_at_once_do_not_mix_their_outputs() {
    let folder = new_folder("at-once");
    let toy = toy_folder();
    let sim = |options: &str| format!("sim {toy} --format toy --games 2 {options}");
    // Another process holds the locks.
    let hold = |name: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(&path).unwrap();
        file.lock().unwrap();
        (file, path)
    };
    for (lock, options, named) in [
        (".a.json.lock", "--out a.json", "another run of `sim` is writing `a.json`"),
        (".a.json.lock", "--resume a.json", "another run of `sim` is writing `a.json`"),
        (".a.html.lock", "--html ./a.html", "another run of `sim` is writing `a.html`"),
        ("tables/.decks.csv.lock", "--csv tables", "another run of `sim` is writing `tables/decks.csv`"),
        ("traces/.traces.lock", "--traces traces", "other runs of `sim` are writing traces to `traces`"),
    ] {
        let (file, path) = hold(lock);
        let (status, text) = run_refused(&sim(options), &folder);
        assert!(status == 2 && text.contains(named) && text.contains("wait for its end"), "{options}: {status} {text}");
        assert!(!folder.join("a.json").exists() && !folder.join("a.html").exists());
        drop(file);
        // A lock that no process holds does not count, and is removed.
        run_successfully(&sim(options), &folder);
        assert!(!path.exists(), "{lock}");
        let _ = fs::remove_file(folder.join("a.json"));
        let _ = fs::remove_file(folder.join("a.html"));
    }
    // A lock is created or opened, never followed.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("kept", folder.join(".a.json.lock")).unwrap();
        let (status, text) = run_refused(&sim("--out a.json"), &folder);
        assert!(status == 2 && text.contains("cannot lock `.a.json.lock`: it is a link"), "{status} {text}");
        assert!(!folder.join("kept").exists());
        fs::remove_file(folder.join(".a.json.lock")).unwrap();
    }
    let mut first = command(&format!("sim {toy} --format toy --games 100000000 --shard 1/2 --jobs 1 --traces traces"), &folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lock = folder.join("traces/.traces.lock");
    let begun = Instant::now();
    while !folder.join("traces/game-2.fzt").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let others = ["--seed 2", "--bot greedy", "--deck Kings"]
        .map(|options| run_refused(&sim(&format!("{options} --traces traces")), &folder));
    let shard = run_refused(&sim("--shard 2/2 --traces traces"), &folder);
    let is_held = lock.exists();
    first.kill().unwrap();
    first.wait().unwrap();
    for (status, text) in others {
        assert!(status == 2 && text.contains("is writing traces of other games to `traces`"), "{status} {text}");
    }
    assert_eq!(shard.0, 0, "{}", shard.1);
    assert!(is_held && folder.join("traces/game-1.fzt").exists());
    // The first run could not remove its lock. The next one does.
    run_successfully(&sim("--seed 2 --traces traces"), &folder);
    assert!(!lock.exists());
    let _ = fs::remove_dir_all(folder.join("traces"));
}
