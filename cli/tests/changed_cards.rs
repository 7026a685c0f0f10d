//! Rules texts lose nothing. Each shipped card is changed in one place at a time so that it does something else: another player does a statement, who
//! may decline it, less can be chosen, something goes to another player. Then its text must change as well, in both languages.
//!
//! `texts/unchanged.txt` lists the changes that keep a text and why that is right or known. `FIZZLE_WRITE_TEXTS=1` writes the file; it should only
//! shrink.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_compiler::{Compilation, SourceFile};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Where a change inserts its words.
#[derive(Clone, Copy)]
enum Place {
    /// Before a statement.
    Statement,
    /// Behind the last word of a statement.
    End,
    /// Before a number of things.
    Count,
    /// Between an event and what it leads to.
    Event,
}

/// The changes: a place, and the words that are inserted there.
const CHANGES: [(Place, &str); 8] = [
    (Place::Statement, "each player "),
    (Place::Statement, "opponent "),
    (Place::Statement, "you may "),
    (Place::Statement, "if active is opponent, "),
    (Place::End, " under opponent"),
    (Place::End, " tapped"),
    (Place::Count, "up to "),
    (Place::Event, ", if active is opponent"),
];

/// The cards of a game: their names and bodies. The first line of a body has the facts, which are printed elsewhere; cards of one line are left out.
fn cards(files: &[SourceFile], game: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with(&format!("cards/{game}/cards/"))) {
        let mut rest = file.text.as_str();
        while let Some(at) = rest.find("\ncard ") {
            rest = &rest[at + "\ncard ".len()..];
            let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
            if let Some(name) = head.strip_suffix(" {")
                && let Some(end) = body.find("\n}")
            {
                found.push((name.to_owned(), body[..=end].to_owned()));
            }
        }
    }
    found
}

/// The places of a body at which a change can be made.
fn places(body: &str, place: Place) -> Vec<usize> {
    let facts = body.find('\n').map_or(body.len(), |end| end + 1);
    let is_word = |at: usize| body[at..].starts_with(|c: char| c.is_ascii_lowercase());
    let is_number = |at: usize| {
        let digits = body[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        digits > 0 && body[at + digits..].starts_with(' ') && is_word(at + digits + 1) && body[..at].ends_with(' ')
    };
    let starts = |at: &usize| {
        let before = &body[..*at];
        let line = before.rsplit('\n').next().unwrap_or("");
        before.ends_with(": ") || before.ends_with("; ") || before.ends_with("{ ") || line.len() > 2 && line.trim().is_empty()
    };
    let is_apart = |at: &usize| {
        let line = body[..*at].rsplit('\n').next().unwrap_or("");
        line.contains("//") || line.matches('"').count() % 2 == 1
    };
    let all = (facts..body.len()).filter(|at| body.is_char_boundary(*at)).filter(|at| !is_apart(at));
    match place {
        Place::Statement => all.filter(starts).filter(|at| is_word(*at)).collect(),
        Place::End => all.filter(|at| body[*at..].starts_with([';', '\n']) || body[*at..].starts_with(" }")).collect(),
        Place::Count => all.filter(|at| is_number(*at)).collect(),
        Place::Event => {
            let line = |at: usize| body[..at].rsplit('\n').next().unwrap_or("").trim_start();
            let ends = |at: &usize| body[*at..].starts_with(": ") || body[*at..].starts_with(" {");
            all.filter(ends).filter(|at| line(*at).starts_with("when ") && !line(*at).contains([':', '{'])).collect()
        }
    }
}

/// The card with a change, as it is listed: the line of the change, with the inserted words in brackets.
fn shown(body: &str, at: usize, words: &str) -> String {
    let line = body[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = body[at..].find('\n').map_or(body.len(), |end| at + end);
    format!("{}⟪{words}⟫{}", &body[line..at], &body[at..end]).trim().to_owned()
}

/// The texts of the changed cards by their numbers, in a language; the name of a card is a dash in its own text.
fn texts(compilation: &Compilation, language: &str) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    for game in &compilation.artifact.as_ref().unwrap().games {
        for texts in game.texts.iter().filter(|texts| texts.language == language && texts.format.is_empty()) {
            for text in &texts.cards {
                let name = &game.library.definitions[text.card as usize].name;
                if let Some(number) = name.strip_prefix("Changed ").and_then(|number| number.parse().ok()) {
                    found.insert(number, text.lines.join("\n").replace(name.as_str(), "–"));
                }
            }
        }
    }
    found
}

/// Compiles the game with the changed cards that have no problem. The others are left out.
fn compile(files: &[SourceFile], game: &str, cards: &[String]) -> Compilation {
    let path = format!("cards/{game}/cards/changed.fz");
    let mut left: BTreeSet<usize> = (0..cards.len()).collect();
    loop {
        let mut text = String::new();
        let mut ends = Vec::new();
        for number in &left {
            let _ = write!(text, "card \"Changed {number}\" {{\n{}}}\n", cards[*number]);
            ends.push((text.len(), *number));
        }
        let in_game = |file: &&SourceFile| file.path.starts_with(&format!("cards/{game}/"));
        let mut all: Vec<SourceFile> = files.iter().filter(in_game).cloned().collect();
        all.push(SourceFile { path: path.clone(), text });
        let compilation = fizzle_compiler::compile_with(all, true);
        let places = compilation
            .diagnostics
            .iter()
            .flat_map(|problem| std::iter::once(problem.span).chain(problem.labels.iter().map(|(span, _)| *span)));
        let refused: BTreeSet<usize> = places
            .filter(|span| compilation.sources.path(span.file) == path)
            .filter_map(|span| ends.iter().find(|(end, _)| (span.start as usize) < *end).map(|(_, number)| *number))
            .collect();
        if refused.is_empty() {
            return compilation;
        }
        left.retain(|number| !refused.contains(number));
    }
}

#[test]
fn a_changed_card_has_a_changed_text() {
    let files = sources::sources();
    let mut unchanged = BTreeSet::new();
    for game in ["magic", "yugioh", "duel_masters"] {
        // each card as it is, followed by its changes
        let (mut bodies, mut changes) = (Vec::new(), Vec::new());
        for (name, body) in cards(&files, game) {
            let original = bodies.len();
            bodies.push(body.clone());
            for (place, words) in CHANGES {
                for at in places(&body, place) {
                    changes.push((original, bodies.len(), format!("{name}: {}", shown(&body, at, words))));
                    bodies.push(format!("{}{words}{}", &body[..at], &body[at..]));
                }
            }
        }
        let compilation = compile(&files, game, &bodies);
        let mut compared = 0;
        for language in ["en", "ja"] {
            let texts = texts(&compilation, language);
            for (original, changed, what) in &changes {
                let (Some(before), Some(after)) = (texts.get(original), texts.get(changed)) else { continue };
                compared += 1;
                if before == after {
                    unchanged.insert(format!("{game} {language} {what}"));
                }
            }
        }
        assert!(compared > 500, "{game}: only {compared} changed texts");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts/unchanged.txt");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let listed: BTreeSet<String> = known.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    if std::env::var_os("FIZZLE_WRITE_TEXTS").is_some() {
        let head = known.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n"));
        std::fs::write(&path, head.chain(unchanged.iter().map(|line| format!("{line}\n"))).collect::<String>()).unwrap();
        return;
    }
    let lost: Vec<_> = unchanged.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&unchanged).collect();
    assert!(lost.is_empty(), "these changes are not in the text: {lost:#?}");
    assert!(stale.is_empty(), "these changes are in the text now, or cannot be made: take them out of unchanged.txt: {stale:#?}");
}
