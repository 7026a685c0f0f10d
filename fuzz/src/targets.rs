//! The targets: each reads bytes that strangers wrote, and must return.

use crate::mutation::InputKind;
use crate::play::{self, Playable};
use crate::seeds::INPUT;
use crate::{seeds, tables};
use fizzle::deck_list::{DeckList, to_plain_list, to_source};
use fizzle_compiler::diagnostics::Severity;
use fizzle_compiler::session::{ItemPosition, Problem, Session};
use fizzle_grammar::ast::ItemKind;
use fizzle_runtime::game::SeatCards;
use fizzle_runtime::ir::artifact;
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::program::Program;
use fizzle_runtime::scenario::ScenarioRunner;
use fizzle_runtime::trace::{Trace, replay};
use fizzle_runtime::{deck, save_game};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A target: something that reads what strangers wrote.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also of its corpus and of its `cargo fuzz` target.
    pub name: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// How its inputs are changed.
    pub kind: InputKind,
    /// Valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Runs one input. Returns whether it was accepted: the sources compile, the deck is legal, the game loads. Of another input only what is
    /// before that has run.
    pub run: fn(&[u8]) -> bool,
}

/// The path of the decks among the sources of a game.
const DECKS: &str = "seed/decks.fz";

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "compile",
        doc: "sources to a game that is played",
        kind: InputKind::Text,
        seeds: seeds::sources,
        run: compile,
    },
    Target { name: "fmt", doc: "sources to formatted sources", kind: InputKind::Text, seeds: seeds::sources, run: fmt },
    Target { name: "scenario", doc: "scenarios, run", kind: InputKind::Text, seeds: seeds::scenarios, run: scenario },
    Target { name: "deck", doc: "decks, checked", kind: InputKind::Text, seeds: seeds::decks, run: deck_check },
    Target {
        name: "deck_list",
        doc: "deck lists of other programs, read and written",
        kind: InputKind::Text,
        seeds: seeds::deck_lists,
        run: deck_list,
    },
    Target {
        name: "artifact",
        doc: "compiled packs to games that are played",
        kind: InputKind::ChecksummedBytes,
        seeds: seeds::artifacts,
        run: compiled_pack,
    },
    Target {
        name: "saved_game",
        doc: "saved games, played on",
        kind: InputKind::ChecksummedBytes,
        seeds: seeds::saved_games,
        run: saved_game,
    },
    Target { name: "trace", doc: "traces, replayed", kind: InputKind::ChecksummedBytes, seeds: seeds::traces, run: trace },
    Target {
        name: "results",
        doc: "results of shards, merged and written",
        kind: InputKind::Bytes,
        seeds: seeds::results,
        run: results,
    },
    Target {
        name: "lsp",
        doc: "messages to the language server",
        kind: InputKind::Text,
        seeds: seeds::lsp_sessions,
        run: lsp_session,
    },
    Target {
        name: "protocol",
        doc: "messages of the clients of a table",
        kind: InputKind::Text,
        seeds: tables::sessions,
        run: tables::protocol,
    },
    Target {
        name: "saved_table",
        doc: "saved tables, restored",
        kind: InputKind::Bytes,
        seeds: tables::saved_tables,
        run: tables::saved_table,
    },
];

/// The target of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A number that depends on the whole input, as the seed of what is played.
fn seed_of(input: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(input)
}

thread_local! {
    static BASES: RefCell<BTreeMap<Vec<usize>, Rc<seeds::Base>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Compiles a text together with the shipped pack that it extends. The packs are parsed once, and have only the cards that the text names.
fn compiled(input: &[u8], with_texts: bool) -> fizzle_compiler::Compilation {
    let text = String::from_utf8_lossy(input);
    let packs = seeds::required_packs(&text);
    let base = BASES.with_borrow_mut(|bases| {
        let base = bases.entry(packs).or_insert_with_key(|packs| Rc::new(seeds::Base::new(&seeds::files_of(packs))));
        Rc::clone(base)
    });
    base.session_with(INPUT, &text).compile(with_texts)
}

/// Plays a game of each format. Of shipped formats only the first of each game: what an input changes is in all of them.
fn play_formats(artifact: &Artifact, seed: u64) {
    for game in &artifact.games {
        for format in 0..game.formats.len().min(2) {
            if let Some(mut machine) = Playable::new(game, format).and_then(|format| format.start(seed)) {
                play::play_on(&mut machine, seed, play::ANSWERS, false);
            }
        }
    }
}

fn compile(input: &[u8]) -> bool {
    let compilation = compiled(input, true);
    if let Some(artifact) = &compilation.artifact {
        play_formats(artifact, seed_of(input));
    }
    compilation.artifact.is_some()
}

/// Formatting loses nothing and is stable: a second run changes nothing, and the tokens stay the same. Accepted are texts that it changes,
/// some with syntax errors.
fn fmt(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let formatted = fizzle_grammar::format(&text);
    assert!(fizzle_grammar::format(&formatted) == formatted, "formatting twice changes more");
    let significant = |text: &str| -> Vec<String> {
        let tokens = fizzle_grammar::lexer::tokens(text).into_iter();
        tokens.filter(|token| !token.kind.is_trivia()).map(|token| token.text(text).to_owned()).collect()
    };
    assert!(significant(&text) == significant(&formatted), "formatting changes tokens");
    formatted != text
}

fn scenario(input: &[u8]) -> bool {
    let compilation = compiled(input, false);
    let Some(artifact) = &compilation.artifact else { return false };
    let in_input = |source: fizzle_runtime::ir::op::Source| compilation.sources.path(source.file) == INPUT;
    for game in &artifact.games {
        let runner = ScenarioRunner::new(game);
        for scenario in game.scenarios.iter().filter(|scenario| in_input(scenario.source)) {
            let _result = runner.run(scenario, true);
        }
    }
    true
}

/// The first shipped game with few cards: the names of all cards of the game are read for each list.
static DECK_LIST_GAME: LazyLock<Option<CompiledGame>> = LazyLock::new(|| {
    let game = seeds::DECK_GAMES.iter().find(|game| !game.is_small)?;
    seeds::compiled(game.files.clone()).games.into_iter().next()
});

fn deck_list(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let (end, text) = text.split_once('\n').unwrap_or(("", &text));
    let Ok(list) = DeckList::read((!end.is_empty()).then_some(end), text) else { return false };
    let Some((game, format)) = DECK_LIST_GAME.as_ref().and_then(|game| Some((game, game.formats.first()?))) else { return false };
    let deck = list.resolve(game, format, "fuzz").deck;
    let _source = to_source(&deck, game);
    let _list = to_plain_list(&deck, game);
    true
}

fn deck_check(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let (first, decks) = text.split_once('\n').unwrap_or(("", &text));
    // Another first line stands for a small game: to check for a shipped one what was meant for another takes long and shows little.
    let small = seeds::DECK_GAMES.iter().filter(|game| game.is_small).count();
    let number = first.trim().parse::<usize>().ok().filter(|number| *number < seeds::DECK_GAMES.len());
    let named = number.unwrap_or(seed_of(input) as usize % small.max(1));
    DECK_CHECKERS.with_borrow_mut(|checkers| {
        let Some(game) = seeds::DECK_GAMES.get(named) else { return false };
        checkers.entry(named).or_insert_with(|| DeckChecker::new(game)).check(decks)
    })
}

thread_local! {
    static DECK_CHECKERS: RefCell<BTreeMap<usize, DeckChecker>> = const { RefCell::new(BTreeMap::new()) };
}

/// Checks decks of a game. It is compiled once: its session checks each text of decks in the place of the one before.
struct DeckChecker {
    game: &'static seeds::DeckGame,
    compiled: Option<CompiledGame>,
    programs: BTreeMap<String, Option<Arc<Program>>>,
    session: Session,
    /// A deck that is always there: the game of a file is known only while the file has an item.
    first_deck: String,
    inputs: usize,
}

/// After so many inputs the session of a game begins again: it has a number for each item that it has seen.
const INPUTS_PER_SESSION: usize = 20_000;

impl DeckChecker {
    fn new(game: &'static seeds::DeckGame) -> Self {
        let compiled = seeds::compiled(game.files.clone()).games.into_iter().next();
        let first_deck = game.decks.first().map_or_else(String::new, |deck| deck.replacen("Mine0", "First", 1) + "\n\n");
        let mut checker = Self { game, compiled, programs: BTreeMap::new(), session: Session::default(), first_deck, inputs: 0 };
        checker.begin();
        checker
    }

    fn begin(&mut self) {
        self.session = Session::default();
        self.session.keep(&self.game.files);
        self.session.set(DECKS, &self.first_deck);
        self.session.check();
    }

    fn check(&mut self, text: &str) -> bool {
        self.inputs += 1;
        if self.inputs.is_multiple_of(INPUTS_PER_SESSION) {
            self.begin();
        }
        self.session.set(DECKS, &format!("{}{}", self.first_deck, without_declarations(text)));
        self.session.check();
        let store = self.session.store();
        let Some(file) = store.number(DECKS) else { return false };
        let problems = self.session.problems(Some(&[file].into()));
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        if problems.values().flatten().any(is_error) {
            return false;
        }
        let items = store.document(file).map_or(&[][..], |document| &document.items);
        let is_deck = |item: &ItemPosition| {
            let item = store.item_source(item.number).and_then(|source| source.item.as_ref());
            item.is_some_and(|item| matches!(item.kind, ItemKind::Deck(_)))
        };
        // Other items than decks can change the numbers of cards; the target `compile` has them.
        if !items.iter().all(is_deck) {
            return true;
        }
        let (Some(game), Some(analysed)) = (&self.compiled, self.session.analysis().and_then(|it| it.game_of(file))) else {
            return true;
        };
        for deck in items.iter().filter_map(|item| analysed.results.get(&item.number)?.deck.as_ref()) {
            let Some(format) = game.formats.iter().position(|format| format.name == deck.format) else { continue };
            let link = || Program::link(game, format, &[]).map(Arc::new);
            if let Some(program) = self.programs.entry(deck.format.clone()).or_insert_with(link) {
                let _problems = deck::check(program, deck, &game.ancestors(&deck.format));
            }
        }
        true
    }
}

/// The items of a text that a session checks apart from all others. With another item it would compile the whole game again, which the target
/// `compile` does.
fn without_declarations(text: &str) -> String {
    let mut kept = String::new();
    let mut from = 0;
    for item in fizzle_grammar::item_ranges(text) {
        let (start, end) = (item.docs_start.min(item.start) as usize, item.end as usize);
        let keyword = text.get(item.start as usize..).unwrap_or("").split(|c: char| !c.is_alphanumeric()).next();
        if fizzle_grammar::item_splitter::is_item_keyword(keyword.unwrap_or("")) && !matches!(keyword, Some("deck" | "card")) {
            kept.push_str(text.get(from..start).unwrap_or(""));
            from = end;
        }
    }
    kept + text.get(from..).unwrap_or("")
}

/// The checksums are set right first, so that the verifier sees what a forger would show it.
fn compiled_pack(input: &[u8]) -> bool {
    let forged = artifact::with_valid_checksums(input);
    let Ok(artifact) = artifact::decode(forged.as_deref().unwrap_or(input)) else { return false };
    let seed = seed_of(input);
    play_formats(&artifact, seed);
    for game in &artifact.games {
        let runner = ScenarioRunner::new(game);
        for scenario in game.scenarios.iter().take(2) {
            let _result = runner.run(scenario, false);
        }
    }
    true
}

/// The same bytes with the checksum that they have in the last eight.
fn with_valid_checksum(input: &[u8]) -> Vec<u8> {
    let summed = input.get(..input.len().saturating_sub(8)).unwrap_or(&[]);
    let mut bytes = summed.to_vec();
    bytes.extend(xxhash_rust::xxh3::xxh3_64(summed).to_le_bytes());
    bytes
}

fn saved_game(input: &[u8]) -> bool {
    let bytes = with_valid_checksum(input);
    let Some(program) = seeds::program_of(&bytes) else { return false };
    let Ok(mut machine) = save_game::load(Arc::clone(program), &bytes) else { return false };
    machine.limits.fuel = play::FUEL;
    let seed = seed_of(input);
    play::play_on(&mut machine, seed, play::ANSWERS, true);
    true
}

fn trace(input: &[u8]) -> bool {
    let bytes = with_valid_checksum(input);
    let Ok(trace) = Trace::decode(&bytes) else { return false };
    let games = seeds::ARTIFACTS.iter().flat_map(|artifact| &artifact.games);
    let named = games.filter(|game| game.name == trace.header.game);
    let mut replayed = false;
    for (program, seats) in named.filter_map(|game| linked(&trace, game)) {
        let _result = replay(&trace, program, &seats);
        replayed = true;
    }
    replayed
}

/// The programs that traces were replayed with, by format and cards. Most traces have the cards of a seed, and linking takes longer than a game.
type Linked = BTreeMap<(String, Vec<SeatCards>), Arc<Program>>;

/// The largest number of kept programs.
const MAX_LINKED: usize = 64;

fn linked(trace: &Trace, game: &CompiledGame) -> Option<(Arc<Program>, Vec<SeatCards>)> {
    thread_local! {
        static LINKED: RefCell<Linked> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = (trace.header.format.clone(), trace.seats(game).ok()?);
    LINKED.with_borrow_mut(|linked| {
        if let Some(program) = linked.get(&key) {
            return Some((Arc::clone(program), key.1));
        }
        let (program, seats) = trace.link(game).ok()?;
        if linked.len() < MAX_LINKED {
            linked.insert(key, Arc::clone(&program));
        }
        Some((program, seats))
    })
}

/// Results that hold together are merged. What is written for them is read again, and a name of a stranger is neither markup nor a formula.
fn results(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let Ok(read) = fizzle_results::parse_results(&text) else { return false };
    let parts: Vec<_> = read.into_iter().enumerate().map(|(number, part)| (number.to_string(), part)).collect();
    let merged = fizzle_results::merge(&parts).into_iter();
    for mut result in merged.chain(parts.into_iter().map(|(_, part)| part)) {
        result.complete();
        let written = result.to_file_text().unwrap_or_default();
        assert!(fizzle_results::parse_results(&written).is_ok_and(|again| again.len() == 1), "a result is not read again");
        let page = fizzle_results::html_page(&result);
        assert!(page.matches("<script").count() == 0, "a name is markup");
        for (name, table) in fizzle_results::csv_tables(&result) {
            for line in table.lines() {
                let is_formula = |field: &str| field.trim_start_matches('"').starts_with(['=', '@', '+']);
                // Commas within quotation marks do not end a field: every second part is within them.
                let plain_parts = line.split('"').step_by(2).flat_map(|part| part.split(','));
                let quoted_parts = line.split('"').skip(1).step_by(2);
                let begins_field = |part: &&str| !part.is_empty();
                let found = plain_parts.chain(quoted_parts).filter(begins_field).any(is_formula);
                assert!(!found, "a name in {name} is a formula: {line}");
            }
        }
    }
    true
}

/// What the server writes; it is only searched.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One session in so many has the threads of the program. The others are read as a whole and handled on this thread, by the same code.
const THREADED_SHARE: u64 = 64;

/// A session of an editor. Each line that begins with a brace is a message and gets its header; other lines are sent as they are, so that headers
/// can be wrong as well. The server catches panics and reports them to the editor, so its answers are searched for that. Accepted is a session
/// with a result other than the one of `initialize`.
fn lsp_session(input: &[u8]) -> bool {
    let mut stream = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let line_end = line.strip_suffix(b"\n").unwrap_or(line);
        if line.starts_with(b"{") {
            stream.extend(format!("Content-Length: {}\r\n\r\n", line_end.len()).into_bytes());
            stream.extend_from_slice(line_end);
        } else {
            stream.extend_from_slice(line);
        }
    }
    let answers = if seed_of(input).is_multiple_of(THREADED_SHARE) {
        let written = Written::default();
        let _end = fizzle_lsp::serve_stream(std::io::Cursor::new(stream), written.clone(), fizzle_lsp::Host::default());
        let written = written.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&written).into_owned()
    } else {
        fizzle_lsp::serve_bytes(&stream, fizzle_lsp::Host::default()).1.concat()
    };
    assert!(!answers.contains("defect in itself"), "the server reports a defect");
    answers.matches("\"result\":").count() > 1
}
