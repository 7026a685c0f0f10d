//! The rules texts of all shipped cards, as players read them: one golden file for each game and language under `tests/texts`.
//!
//! `FIZZLE_WRITE_TEXTS=1 cargo test -p fizzle-cli --test texts` writes them anew; read the difference like a player.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_runtime::ir::{GameArtifact, Texts};
use std::fmt::Write as _;
use std::path::Path;

/// How much may still stand there as it was written: it only goes down.
const GAPS: [(&str, &str, usize); 6] = [
    ("duel_masters", "en", 0),
    ("duel_masters", "ja", 0),
    ("magic", "en", 0),
    ("magic", "ja", 118),
    ("yugioh", "en", 0),
    ("yugioh", "ja", 5),
];

fn page(game: &GameArtifact, texts: &Texts) -> String {
    let mut out = String::new();
    for text in &texts.cards {
        let name = &game.library.definitions[text.card as usize].name;
        let own = if text.name.is_empty() { String::new() } else { format!(" ({})", text.name) };
        let _ = writeln!(out, "{name}{own}");
        for line in text.lines.iter().flat_map(|line| line.lines()) {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    }
    out
}

#[test]
fn every_card_reads_as_the_golden_files_say() {
    let write = std::env::var_os("FIZZLE_WRITE_TEXTS").is_some();
    let compilation = fizzle_compiler::compile_with(sources::sources(), true);
    let artifact = compilation.artifact.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts");
    let mut wrong = Vec::new();
    for game in &artifact.games {
        for texts in &game.texts {
            let path = folder.join(format!("{}.{}.txt", game.name, texts.language));
            let page = page(game, texts);
            let gaps = page.matches('⟦').count();
            let allowed = GAPS.iter().find(|(name, language, _)| *name == game.name && *language == texts.language);
            let allowed = allowed.map_or(0, |(_, _, gaps)| *gaps);
            if gaps > allowed {
                wrong.push(format!("{}.{}: {gaps} places cannot be said, {allowed} are known", game.name, texts.language));
            }
            if write {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &page).unwrap();
                continue;
            }
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            let differs = golden.lines().zip(page.lines()).position(|(a, b)| a != b);
            if golden != page {
                let line = differs.unwrap_or_else(|| golden.lines().count().min(page.lines().count()));
                wrong.push(format!(
                    "{}:{}\n  golden: {}\n  now:    {}",
                    path.display(),
                    line + 1,
                    golden.lines().nth(line).unwrap_or(""),
                    page.lines().nth(line).unwrap_or("")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nFIZZLE_WRITE_TEXTS=1 writes the golden files anew", wrong.join("\n"));
}
