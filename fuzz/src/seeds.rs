//! Valid inputs of each target: parts of the shipped packs, and what the program writes for them.

use crate::play;
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::program::Program;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// The games that inputs build on.
pub const GAMES: [&str; 4] = ["duel_masters", "duel_magic", "yugioh", "magic"];

/// The words of the language: those of the grammar, and the verbs.
pub static DICTIONARY: LazyLock<Vec<String>> = LazyLock::new(|| {
    let grammar = include_str!("../../grammar/src/fizzle.pest");
    let quoted = grammar.split('"').skip(1).step_by(2).filter(|word| !word.is_empty() && !word.contains('\\'));
    let verbs = VERBS.iter().map(|verb| verb.name);
    let words: BTreeSet<String> = quoted.chain(verbs).map(str::to_owned).collect();
    words.into_iter().collect()
});

/// The files of the shipped packs that a text needs, without their scenarios, which would only cost time.
#[must_use]
pub fn required_files(text: &str) -> Vec<SourceFile> {
    let packs = fizzle::shipped::required_packs(&fizzle::pack_scan::scan(text), false);
    let packs = packs.into_iter().filter_map(|pack| fizzle::shipped::packs().get(pack));
    packs.flat_map(|pack| &pack.files).filter(|file| !file.text.contains("\nscenario ")).cloned().collect()
}

/// The sources of a shipped pack alone.
fn sources_of(pack: &str) -> Vec<SourceFile> {
    let files = fizzle::Pack::shipped_sources(pack).into_iter().flatten();
    files.map(|(path, text)| SourceFile { path, text }).collect()
}

/// The compiled shipped games.
pub static ARTIFACTS: LazyLock<Vec<Artifact>> = LazyLock::new(|| {
    GAMES
        .iter()
        .filter_map(|name| {
            fizzle_compiler::compile(required_files(&format!("pack seed {{ edition 2; extends {name} }}\n"))).artifact
        })
        .collect()
});

/// The last game of an artifact's first format that has decks for a game.
fn playable(artifact: &Artifact) -> Option<(&CompiledGame, usize)> {
    artifact.games.iter().find_map(|game| {
        let format = (0..game.formats.len()).rev().find(|format| !play::decks(game, *format).is_empty())?;
        Some((game, format))
    })
}

/// The programs that saved games are loaded into, linked for the cards of their decks.
pub static PROGRAMS: LazyLock<Vec<Arc<Program>>> = LazyLock::new(|| {
    let programs = ARTIFACTS.iter().filter_map(|artifact| {
        let (game, format) = playable(artifact)?;
        Some(Arc::new(Program::link(game, format, &play::decks(game, format).concat())?))
    });
    programs.collect()
});

/// Sources: items of the shipped packs, a few at a time, under a header that extends their game.
#[must_use]
pub fn sources() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for game in GAMES {
        for file in sources_of(game) {
            let text = &file.text;
            let mut starts: Vec<usize> = text.match_indices("\n\n").map(|(at, _)| at + 2).collect();
            starts.insert(0, 0);
            for chunk in starts.chunks(6) {
                let start = chunk.first().copied().unwrap_or(0);
                let next = starts.iter().find(|at| chunk.last().is_some_and(|last| *at > last));
                let body = text.get(start..next.copied().unwrap_or(text.len())).unwrap_or("");
                seeds.push(format!("pack seed {{ edition 2; extends {game} }}\n\n{body}").into_bytes());
            }
        }
    }
    // A prime step through all files of all games, so that each kind of declaration is among them.
    seeds.into_iter().step_by(7).collect()
}

/// The scenarios of the shipped packs, one to a seed.
#[must_use]
pub fn scenarios() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for game in GAMES {
        for file in sources_of(game).iter().filter(|file| file.text.contains("\nscenario ")) {
            let parts = file.text.split("\nscenario ").skip(1);
            seeds.extend(parts.map(|part| format!("pack seed {{ edition 2; extends {game} }}\n\nscenario {part}").into_bytes()));
        }
    }
    seeds.into_iter().step_by(11).collect()
}

/// The decks of the shipped packs, one to a seed.
#[must_use]
pub fn decks() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for game in GAMES {
        for file in sources_of(game) {
            let parts = file.text.split("\ndeck ").skip(1);
            seeds.extend(parts.map(|part| format!("pack seed {{ edition 2; extends {game} }}\n\ndeck {part}").into_bytes()));
        }
    }
    seeds
}

/// Compiled packs: small ones, so that a changed byte is likely to matter.
#[must_use]
pub fn artifacts() -> Vec<Vec<u8>> {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut seeds = Vec::new();
    for example in ["first_card", "caravan"] {
        let Ok(entries) = std::fs::read_dir(format!("{examples}/{example}")) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).ok()?;
            Some((path.display().to_string(), text))
        };
        let pack = fizzle::Pack::compile(paths.iter().filter_map(read));
        seeds.extend(pack.and_then(|pack| pack.to_bytes()));
    }
    seeds
}

/// Saved games: positions of the shipped games after some random decisions.
#[must_use]
pub fn saved_games() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, artifact) in ARTIFACTS.iter().enumerate() {
        let Some((game, format)) = playable(artifact) else { continue };
        let Some(program) = PROGRAMS.get(number) else { continue };
        for decisions in [1, 7, 20, 45, 80, 130] {
            let machine = play::random_game(program, &play::decks(game, format), decisions as u64, decisions);
            seeds.extend(machine.map(|machine| fizzle_runtime::save_game::save(&machine)));
        }
    }
    seeds
}

/// Traces of random games.
#[must_use]
pub fn traces() -> Vec<Vec<u8>> {
    let traces = ARTIFACTS.iter().filter_map(|artifact| {
        let (game, format) = playable(artifact)?;
        play::random_trace(game, format)
    });
    traces.collect()
}

/// Results of small simulations: a whole one, two shards of another, and an unfinished one.
#[must_use]
pub fn results() -> Vec<Vec<u8>> {
    use fizzle_results::SimResult;
    let mut whole = SimResult {
        games: 4,
        wins: vec![2, 1],
        draws: 1,
        turns: 20,
        decisions: 90,
        rules_hash: "00000000000000a1".into(),
        seed: 7,
        shard: "1/1".into(),
        format: "standard".into(),
        decks: vec!["Red".into(), "Blue".into()],
        bots: vec!["greedy".into(), "random".into()],
        total: 4,
        seat_wins: vec![2, 1],
        first_player_wins: 2,
        turns_per_game: Some([(4, 2), (6, 2)].into()),
        decisions_per_game: Some([(20, 2), (25, 2)].into()),
        ..SimResult::default()
    };
    for (deck, card) in [(0, "Spark"), (0, "Ember"), (1, "Wave")] {
        let count = whole.card(deck, card);
        (count.games, count.copies, count.drawn, count.played) = (4, 12, 3, 2);
        (count.drawn_won, count.played_won) = (2, 1);
    }
    whole.complete();
    let shard = |number: u64| SimResult { shard: format!("{number}/2"), total: 8, ..whole.clone() };
    let unfinished = SimResult { total: 9, finished: Some(vec![[0, 3], [5, 6]]), ..whole.clone() };
    let matches = SimResult {
        total: 2,
        best_of: Some(3),
        matches: Some(2),
        match_wins: Some(vec![1, 1]),
        budgets: [("turns".to_owned(), 0)].into(),
        ..whole.clone()
    };
    let text =
        |results: &[SimResult]| results.iter().filter_map(|result| result.to_file_text().ok()).collect::<String>().into_bytes();
    vec![text(&[whole.clone()]), text(&[shard(1), shard(2)]), text(&[unfinished]), text(&[matches])]
}

/// A document of the sessions: a small game, so that it is checked quickly.
const DOCUMENT: &str = "pack small { edition 2  title \"Small\" }\nzone hand of player\nproperty power: number\nnoun strong = with power >= 3\n\
                        function twice(n: number): number = n + n\ncard \"Bear\" { power twice(2) }\n";

/// Sessions of an editor, one message to a line.
#[must_use]
pub fn lsp_sessions() -> Vec<Vec<u8>> {
    let request = |number: usize, method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{method}\",\"params\":{params}}}\n")
    };
    let notification =
        |method: &str, params: &str| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n");
    let document = "{\"uri\":\"file:///nowhere/a.fz\"}";
    let text = DOCUMENT.replace('"', "\\\"").replace('\n', "\\n");
    let start = request(1, "initialize", "{\"capabilities\":{},\"rootUri\":\"file:///nowhere\"}")
        + &notification("initialized", "{}")
        + &notification(
            "textDocument/didOpen",
            &format!(
                "{{\"textDocument\":{{\"uri\":\"file:///nowhere/a.fz\",\"languageId\":\"fizzle\",\"version\":1,\"text\":\"{text}\"}}}}"
            ),
        );
    let place = |line: u32, character: u32| {
        format!("\"textDocument\":{document},\"position\":{{\"line\":{line},\"character\":{character}}}")
    };
    let range = "{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":9,\"character\":9}}";
    let of_document = format!("{{\"textDocument\":{document}}}");
    let sessions = [
        vec![
            ("hover", format!("{{{}}}", place(3, 7))),
            ("definition", format!("{{{}}}", place(5, 22))),
            ("references", format!("{{{},\"context\":{{\"includeDeclaration\":true}}}}", place(2, 10))),
            ("documentHighlight", format!("{{{}}}", place(2, 10))),
            ("completion", format!("{{{}}}", place(5, 15))),
        ],
        vec![
            ("documentSymbol", of_document.clone()),
            ("formatting", format!("{{\"textDocument\":{document},\"options\":{{\"tabSize\":4,\"insertSpaces\":true}}}}")),
            ("semanticTokens/full", of_document.clone()),
            ("codeLens", of_document.clone()),
        ],
        vec![
            ("rename", format!("{{{},\"newName\":\"might\"}}", place(2, 10))),
            ("codeAction", format!("{{\"textDocument\":{document},\"range\":{range},\"context\":{{\"diagnostics\":[]}}}}")),
            ("prepareRename", format!("{{{}}}", place(2, 10))),
        ],
    ];
    let change = notification(
        "textDocument/didChange",
        &format!(
            "{{\"textDocument\":{{\"uri\":\"file:///nowhere/a.fz\",\"version\":2}},\"contentChanges\":[{{\"range\":{range},\"text\":\"noun weak = with power < 3\"}}]}}"
        ),
    );
    let end = request(90, "shutdown", "null") + &notification("exit", "null");
    let whole = sessions.iter().map(|requests| {
        let write =
            |(number, (method, params)): (usize, &(&str, String))| request(number + 2, &format!("textDocument/{method}"), params);
        let written: String = requests.iter().enumerate().map(write).collect();
        format!("{start}{written}{change}{written}{end}").into_bytes()
    });
    whole.collect()
}
