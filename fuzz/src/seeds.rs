//! Valid inputs of each target: parts of the shipped packs, and what the program writes for them.

use crate::mutation::MAX_INPUT;
use crate::play::{self, Playable};
use fizzle_compiler::SourceFile;
use fizzle_compiler::session::Session;
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::program::Program;
use std::collections::{BTreeMap, BTreeSet};
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

/// The shipped packs that a text needs.
#[must_use]
pub fn required_packs(text: &str) -> Vec<usize> {
    fizzle::shipped::required_packs(&fizzle::pack_scan::scan(text), false)
}

/// The files of the shipped packs that a text needs, without their scenarios and stages, which would only cost time.
#[must_use]
pub fn required_files(text: &str) -> Vec<SourceFile> {
    files_of(&required_packs(text))
}

/// The files of shipped packs without their scenarios and stages, which name cards of scenarios.
#[must_use]
pub fn files_of(packs: &[usize]) -> Vec<SourceFile> {
    let packs = packs.iter().filter_map(|pack| fizzle::shipped::packs().get(*pack));
    packs
        .flat_map(|pack| &pack.files)
        .filter(|file| !["\nscenario ", "\nstage "].iter().any(|item| file.text.contains(item)))
        .cloned()
        .collect()
}

/// The sources of a shipped pack alone.
fn sources_of(pack: &str) -> Vec<SourceFile> {
    let files = fizzle::Pack::shipped_sources(pack).into_iter().flatten();
    files.map(|(path, text)| SourceFile { path, text }).collect()
}

/// The compiled shipped games.
pub static ARTIFACTS: LazyLock<Vec<Artifact>> = LazyLock::new(|| {
    let files = |name| required_files(&format!("pack seed {{ edition 2; extends {name} }}\n"));
    GAMES.iter().map(|name| compiled(files(name))).collect()
});

/// Compiles sources that must be right.
#[expect(clippy::panic, reason = "a fuzz target reports by a panic")]
pub(crate) fn compiled(files: Vec<SourceFile>) -> Artifact {
    let compilation = fizzle_compiler::compile(files);
    let errors = || compilation.diagnostics.iter().filter(|problem| problem.is_error()).map(|problem| problem.message.as_str());
    match &compilation.artifact {
        Some(artifact) => artifact.clone(),
        None => panic!("the sources of the seeds have errors: {:?}", errors().take(5).collect::<Vec<_>>()),
    }
}

/// The last game of an artifact's first format that has decks for a game.
fn playable(artifact: &Artifact) -> Option<(&CompiledGame, usize)> {
    artifact.games.iter().find_map(|game| {
        let format = (0..game.formats.len()).rev().find(|format| !play::decks(game, *format).is_empty())?;
        Some((game, format))
    })
}

/// The formats that saved games are loaded into: one of each shipped game.
static SHIPPED_FORMATS: LazyLock<Vec<Playable>> = LazyLock::new(|| {
    let playable = ARTIFACTS.iter().filter_map(playable);
    playable.filter_map(|(game, format)| Playable::new(game, format)).collect()
});

/// The formats of the small games.
static SMALL_FORMATS: LazyLock<Vec<Playable>> = LazyLock::new(|| {
    let games = SMALL_GAMES.iter().flat_map(|game| &game.artifact.games);
    games.flat_map(|game| (0..game.formats.len()).filter_map(|format| Playable::new(game, format))).collect()
});

/// The program that a saved game names by the hash of its rules; without one the first program, which refuses it.
pub fn program_of(saved: &[u8]) -> Option<&'static Arc<Program>> {
    let formats = || SMALL_FORMATS.iter().chain(SHIPPED_FORMATS.iter()).map(|format| &format.program);
    let magic = fizzle_runtime::save_game::MAGIC.len();
    let hash = saved.get(magic..).and_then(|rest| rest.first_chunk::<8>());
    let named = hash.and_then(|hash| formats().find(|program| program.rules_hash.to_le_bytes() == *hash));
    named.or_else(|| formats().next())
}

/// Sources: items of the shipped packs, a few at a time, under a header that extends their game; and many times the small games of the tests,
/// which compile a hundred times faster.
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
    let shipped: Vec<Vec<u8>> = seeds.into_iter().step_by(7).collect();
    with_small_games(shipped)
}

/// How many inputs begin from a small game for each that begins from a shipped one, where both take about as long.
pub(crate) const SMALL_SHARE: usize = 15;

/// The same where the shipped game is compiled for each input, which takes fifty times as long as a small one.
const SMALL_COMPILED_SHARE: usize = 63;

/// The same for decks: a change that has a shipped game analysed again takes thousands of times as long as another one.
const SMALL_DECK_SHARE: usize = 255;

/// Small seeds, so many times that there are `share` of them for each large one, and the large ones.
pub(crate) fn mixed(small: &[Vec<u8>], large: Vec<Vec<u8>>, share: usize) -> Vec<Vec<u8>> {
    let times = (share * large.len()).div_ceil(small.len().max(1));
    small.iter().cycle().take(times * small.len()).cloned().chain(large).collect()
}

fn with_small_games(shipped: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let small: Vec<Vec<u8>> = SMALL_GAMES.iter().map(|game| game.text.clone().into_bytes()).collect();
    mixed(&small, shipped, SMALL_COMPILED_SHARE)
}

/// A small whole game of the tests.
#[derive(Debug)]
pub struct SmallGame {
    /// Its sources with its scenarios, as one text.
    pub text: String,
    /// The compiled game.
    pub artifact: Artifact,
}

/// The items of a file of the pack of mechanisms that are one game.
const ITEMS_PER_GAME: usize = 6;

/// The small games. Of the pack of mechanisms a few items are a game, together with the rules: all of them at once would be longer than an input,
/// and each input would take as long as all of them. Where items need others, their whole file is a game.
pub static SMALL_GAMES: LazyLock<Vec<SmallGame>> = LazyLock::new(|| {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let files = |folder: &str| {
        let entries = std::fs::read_dir(format!("{root}/{folder}")).into_iter().flatten().flatten();
        let mut paths: Vec<_> =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "fz")).collect();
        // the manifest first
        paths.sort_by_key(|path| (path.file_name().is_none_or(|name| name != "pack.fz"), path.clone()));
        paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect::<Vec<String>>()
    };
    let mut texts: Vec<String> = ["compiler/tests/games", "compiler/tests/editions"].into_iter().flat_map(files).collect();
    texts.extend(["cli/tests/toy", "examples/lanterns"].map(|folder| files(folder).join("\n")));
    let compile = |text: String| {
        let artifact = fizzle_compiler::compile(vec![SourceFile { path: INPUT.into(), text: text.clone() }]).artifact?;
        Some(SmallGame { text, artifact })
    };
    texts.retain(|text| required_packs(text).is_empty());
    let mut games: Vec<SmallGame> = texts.into_iter().filter_map(compile).collect();
    if let Some((rules, mechanisms)) = files("cli/tests/mechanisms").split_first() {
        for mechanism in mechanisms {
            let items: Vec<&str> = items_of(mechanism).collect();
            let parts = items.chunks(ITEMS_PER_GAME).map(|part| compile(format!("{rules}\n{}\n", part.join("\n\n"))));
            let parts: Vec<Option<SmallGame>> = parts.collect();
            if parts.iter().any(Option::is_none) {
                games.extend(compile(format!("{rules}\n{mechanism}")));
            }
            games.extend(parts.into_iter().flatten());
        }
    }
    games
});

/// The path of an input among sources.
pub const INPUT: &str = "input.fz";

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
    let shipped: Vec<Vec<u8>> = seeds.into_iter().step_by(11).collect();
    with_small_games(shipped)
}

/// The decks of the games, one to a seed, below a line with the number of their game.
#[must_use]
pub fn decks() -> Vec<Vec<u8>> {
    let of = |is_small: bool| {
        let games = DECK_GAMES.iter().enumerate().filter(move |(_, game)| game.is_small == is_small);
        let seeds =
            games.flat_map(|(number, game)| game.decks.iter().map(move |deck| format!("{number}\n{deck}\n").into_bytes()));
        seeds.collect::<Vec<_>>()
    };
    mixed(&of(true), of(false), SMALL_DECK_SHARE)
}

/// A game that decks are checked against.
#[derive(Debug)]
pub struct DeckGame {
    /// Its sources without decks.
    pub files: Vec<SourceFile>,
    /// Decks of it, under names that no rule mentions.
    pub decks: Vec<String>,
    /// Whether it is a small game. The small ones come first.
    pub is_small: bool,
}

/// The games that decks are checked against.
pub static DECK_GAMES: LazyLock<Vec<DeckGame>> = LazyLock::new(|| {
    let small = SMALL_GAMES.iter().filter_map(|game| {
        let items = || items_of(&game.text);
        let decks = renamed(items().filter(|item| is_deck(item)).map(str::to_owned));
        let rules: Vec<&str> =
            items().filter(|item| !is_deck(item) && !["scenario ", "stage "].iter().any(|it| item.starts_with(it))).collect();
        let files = vec![SourceFile { path: DECK_PACK.into(), text: rules.join("\n\n") }];
        (!decks.is_empty()).then_some(DeckGame { files, decks, is_small: true })
    });
    let shipped = GAMES.iter().map(|game| {
        let mut files = base_files(game);
        files.push(SourceFile { path: DECK_PACK.into(), text: format!("pack seed {{ edition 2; extends {game} }}\n") });
        DeckGame { files, decks: renamed(decks_of(game).into_iter()), is_small: false }
    });
    small.chain(shipped).collect()
});

/// The path of the manifest of a game that decks are checked against.
const DECK_PACK: &str = "seed/pack.fz";

/// Deck lists of each format. The first line is the end of the name of the file.
pub fn deck_lists() -> Vec<Vec<u8>> {
    let lists = [
        "\n// A list\n4 Shock\n2x Forest\nMountain x2\n\nSideboard\n1 Fire // Ice\nSB: 2 Duress\n",
        "txt\nAbout\nName Mine\n\nDeck\n4 Shock (M21) 159 *F*\n\nSideboard\n2 Duress [x]\n",
        "dck\n[metadata]\nName=Mine\n[Main]\n4 Shock|M21|1\n4 [M21:1] Duress\n[Sideboard]\n",
        "cod\n<?xml version=\"1.0\"?><cockatrice_deck version=\"1\"><deckname>A&amp;B</deckname><zone name=\"main\"><card number=\"4\" name=\"Shock\"/></zone></cockatrice_deck>",
        "ydk\n#main\n46986414\n!side\n",
        "\ndeck \"Mine\" { format magic main { 4 \"Shock\" } }",
    ];
    lists.map(|list| list.as_bytes().to_vec()).into()
}

/// The decks of a game that inputs of the target `deck` begin from.
const MAX_BASE_DECKS: usize = 5;

/// The items of a text: their texts, without doc comments.
fn items_of(text: &str) -> impl Iterator<Item = &str> {
    let ranges = fizzle_grammar::item_splitter::item_ranges(text).into_iter();
    ranges.filter_map(|range| text.get(range.start as usize..range.end as usize))
}

/// The first decks under names that no rule mentions: a name that rules mention would have them compiled again.
fn renamed(decks: impl Iterator<Item = String>) -> Vec<String> {
    let rename = |(number, deck): (usize, String)| {
        let name = quoted(&deck).next().unwrap_or("").to_owned();
        deck.replacen(&name, &format!("Mine{number}"), 1)
    };
    decks.take(MAX_BASE_DECKS).enumerate().map(rename).collect()
}

/// The deck items of a shipped pack.
fn decks_of(game: &str) -> Vec<String> {
    let files = sources_of(game);
    files.iter().flat_map(|file| items_of(&file.text)).filter(|item| is_deck(item)).map(str::to_owned).collect()
}

/// Whether an item is a deck: its name follows, unlike in `deck rules`.
fn is_deck(item: &str) -> bool {
    ["deck \"", "deck 《"].iter().any(|start| item.starts_with(start))
}

/// The quoted names of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (start, first) = rest.char_indices().find(|(_, letter)| matches!(letter, '"' | '《'))?;
        let inside = rest.get(start + first.len_utf8()..)?;
        let last = if first == '"' { '"' } else { '》' };
        let (name, after) = inside.split_once(last)?;
        rest = after;
        Some(name)
    })
}

/// Shipped packs, parsed once, from which inputs are compiled with the cards alone that they name.
#[derive(Debug)]
pub struct Base {
    parsed: Session,
    /// The file of each card, and the names that it quotes.
    cards: BTreeMap<String, (String, Vec<String>)>,
    /// The first card that quotes each other name.
    quoting: BTreeMap<String, String>,
    /// The cards that rules name.
    always: BTreeSet<String>,
}

impl Base {
    /// The packs that a text needs.
    #[must_use]
    pub fn new(files: &[SourceFile]) -> Self {
        let is = |item: &str, keyword: &str| item.strip_prefix(keyword).is_some_and(|rest| rest.starts_with(' '));
        let mut base =
            Self { parsed: Session::default(), cards: BTreeMap::new(), quoting: BTreeMap::new(), always: BTreeSet::new() };
        let mut split: Vec<SourceFile> = Vec::new();
        let mut in_rules: Vec<String> = Vec::new();
        for file in files {
            let mut rules = String::new();
            for (number, item) in items_of(&file.text).enumerate() {
                match quoted(item).next().filter(|_| is(item, "card")) {
                    Some(name) => {
                        let path = format!("{}_{number}.fz", file.path.trim_end_matches(".fz"));
                        let names: Vec<String> = quoted(item).skip(1).map(str::to_owned).collect();
                        for quoted in &names {
                            base.quoting.entry(quoted.clone()).or_insert_with(|| name.to_owned());
                        }
                        base.cards.insert(name.to_owned(), (path.clone(), names));
                        split.push(SourceFile { path, text: item.to_owned() });
                    }
                    None if is_deck(item) => {}
                    None => {
                        rules.push_str(item);
                        rules.push_str("\n\n");
                        in_rules.extend(quoted(item).map(str::to_owned));
                    }
                }
            }
            split.push(SourceFile { path: file.path.clone(), text: rules });
        }
        base.always = base.needed(in_rules.into_iter().filter(|name| base.cards.contains_key(name)).collect());
        base.parsed.keep(&split);
        base
    }

    /// The cards that are named, that those name, and so on. For another name, such as a word of a trait set, a card that quotes it.
    fn needed(&self, mut waiting: Vec<String>) -> BTreeSet<String> {
        let mut needed = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            let name = if self.cards.contains_key(&name) { Some(name) } else { self.quoting.get(&name).cloned() };
            let Some(name) = name.filter(|name| !needed.contains(name)) else { continue };
            if let Some((_, names)) = self.cards.get(&name) {
                waiting.extend(names.iter().filter(|name| self.cards.contains_key(*name)).cloned());
            }
            needed.insert(name);
        }
        needed
    }

    /// A session with the packs, and a file with a text and the cards that it names.
    #[must_use]
    pub fn session_with(&self, path: &str, text: &str) -> Session {
        let needed = self.needed(quoted(text).map(str::to_owned).collect());
        let mut session = self.parsed.with_same_files();
        for (name, (file, _)) in &self.cards {
            if !needed.contains(name) && !self.always.contains(name) {
                session.remove(file);
            }
        }
        session.set(path, text);
        session
    }
}

/// The sources of a game with those cards alone that its rules and the first decks name, and without decks and scenarios.
#[must_use]
pub fn base_files(game: &str) -> Vec<SourceFile> {
    let base = Base::new(&required_files(&format!("pack seed {{ edition 2; extends {game} }}\n")));
    let decks = decks_of(game).into_iter().take(MAX_BASE_DECKS).collect::<String>();
    let session = base.session_with("", &decks);
    let documents = session.store().documents().filter(|(_, document)| !document.path.is_empty());
    documents.map(|(_, it)| SourceFile { path: it.path.to_string(), text: it.text.to_string() }).collect()
}

/// Compiled packs: small ones, so that a changed byte is likely to matter. With a shipped game they are longer than an input.
#[must_use]
pub fn artifacts() -> Vec<Vec<u8>> {
    let packs = SMALL_GAMES.iter().filter_map(|game| fizzle_runtime::ir::artifact::encode(&game.artifact).ok());
    packs.filter(|pack| pack.len() <= MAX_INPUT).collect()
}

/// Saved games: positions after some random decisions.
#[must_use]
pub fn saved_games() -> Vec<Vec<u8>> {
    let of = |formats: &[Playable]| {
        let mut seeds = Vec::new();
        for format in formats {
            for decisions in [1, 7, 20, 45, 80, 130] {
                let machine = format.random_game(decisions as u64, decisions);
                seeds.extend(machine.map(|machine| fizzle_runtime::save_game::save(&machine)));
            }
        }
        seeds.retain(|seed| seed.len() <= MAX_INPUT);
        seeds
    };
    mixed(&of(&SMALL_FORMATS), of(&SHIPPED_FORMATS), SMALL_SHARE)
}

/// Traces of random games.
#[must_use]
pub fn traces() -> Vec<Vec<u8>> {
    let traces = ARTIFACTS.iter().filter_map(|artifact| {
        let (game, format) = playable(artifact)?;
        Some([8, 25, 60].into_iter().filter_map(move |answers| play::random_trace(game, format, answers)))
    });
    traces.flatten().collect()
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

/// A document with few items, which is checked more quickly still.
const SHORT_DOCUMENT: &str =
    "pack small { edition 2 }\nproperty power: number\nnoun strong = with power >= 3\ncard \"Bear\" { power 2 }\n";

/// Sessions of an editor, one message to a line. None runs a scenario: its thread would wait for the one that runs the inputs, which alone does the
/// work of the compiler (`main.rs`).
#[must_use]
pub fn lsp_sessions() -> Vec<Vec<u8>> {
    let request = |number: usize, method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{method}\",\"params\":{params}}}\n")
    };
    let notification =
        |method: &str, params: &str| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n");
    let document = "{\"uri\":\"file:///nowhere/a.fz\"}";
    let start = |document: &str| {
        let text = document.replace('"', "\\\"").replace('\n', "\\n");
        request(1, "initialize", "{\"capabilities\":{},\"rootUri\":\"file:///nowhere\"}")
            + &notification("initialized", "{}")
            + &notification(
                "textDocument/didOpen",
                &format!(
                    "{{\"textDocument\":{{\"uri\":\"file:///nowhere/a.fz\",\"languageId\":\"fizzle\",\"version\":1,\"text\":\"{text}\"}}}}"
                ),
            )
    };
    let place = |line: u32, character: u32| {
        format!("\"textDocument\":{document},\"position\":{{\"line\":{line},\"character\":{character}}}")
    };
    let range = "{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":9,\"character\":9}}";
    let of_document = format!("{{\"textDocument\":{document}}}");
    let of_range = format!("{{\"textDocument\":{document},\"range\":{range}}}");
    let requests = [
        ("textDocument/hover", format!("{{{}}}", place(2, 7))),
        ("textDocument/definition", format!("{{{}}}", place(3, 15))),
        ("textDocument/references", format!("{{{},\"context\":{{\"includeDeclaration\":true}}}}", place(2, 10))),
        ("textDocument/documentHighlight", format!("{{{}}}", place(2, 10))),
        ("textDocument/completion", format!("{{{}}}", place(3, 15))),
        ("textDocument/signatureHelp", format!("{{{}}}", place(3, 15))),
        ("textDocument/documentSymbol", of_document.clone()),
        (
            "textDocument/formatting",
            format!("{{\"textDocument\":{document},\"options\":{{\"tabSize\":4,\"insertSpaces\":true}}}}"),
        ),
        ("textDocument/semanticTokens/full", of_document.clone()),
        ("textDocument/semanticTokens/range", of_range.clone()),
        ("textDocument/codeLens", of_document.clone()),
        ("textDocument/foldingRange", of_document.clone()),
        ("textDocument/inlayHint", of_range),
        ("textDocument/rename", format!("{{{},\"newName\":\"might\"}}", place(2, 10))),
        (
            "textDocument/codeAction",
            format!("{{\"textDocument\":{document},\"range\":{range},\"context\":{{\"diagnostics\":[]}}}}"),
        ),
        ("textDocument/prepareRename", format!("{{{}}}", place(2, 10))),
        ("workspace/symbol", "{\"query\":\"be\"}".to_owned()),
        ("textDocument/didClose", of_document.clone()),
        (
            "textDocument/didChange",
            "{\"textDocument\":{\"uri\":\"file:///nowhere/a.fz\",\"version\":3},\"contentChanges\":[{\"text\":\"card\"}]}"
                .to_owned(),
        ),
        ("workspace/didChangeWatchedFiles", "{\"changes\":[{\"uri\":\"file:///nowhere/a.fz\",\"type\":2}]}".to_owned()),
        ("$/cancelRequest", "{\"id\":2}".to_owned()),
    ];
    let change = notification(
        "textDocument/didChange",
        &format!(
            "{{\"textDocument\":{{\"uri\":\"file:///nowhere/a.fz\",\"version\":2}},\"contentChanges\":[{{\"range\":{range},\"text\":\"noun weak = with power < 3\"}}]}}"
        ),
    );
    let end = request(90, "shutdown", "null") + &notification("exit", "null");
    let write = |requests: &[(&str, String)]| -> String {
        let write = |((method, params), number): (&(&str, String), usize)| {
            let is_notification =
                method.starts_with("textDocument/did") || method.starts_with("workspace/did") || method.starts_with('$');
            if is_notification { notification(method, params) } else { request(number, method, params) }
        };
        requests.iter().zip(2..).map(write).collect()
    };
    // Short sessions, so that a change is likely to matter; every sixteenth is a long one.
    let short_start = start(SHORT_DOCUMENT);
    let short = requests.chunks(1).flat_map(|one| {
        let written = write(one);
        [
            format!("{short_start}{written}{end}"),
            format!("{short_start}{change}{written}{end}"),
            format!("{short_start}{written}"),
        ]
    });
    let long_start = start(DOCUMENT);
    let long = requests.chunks(6).map(|some| format!("{long_start}{0}{change}{0}{end}", write(some)).into_bytes());
    mixed(&short.map(String::into_bytes).collect::<Vec<_>>(), long.collect(), SMALL_SHARE)
}
