//! `fizzle explain --list KIND`: lists the words of a kind that games declare.

use super::Args;
use crate::failure::CommandError;
use crate::output::wrap::with_hanging_indent;
use crate::output::{self, MessageFormat, Style};
use crate::paths::SourceSet;
use crate::vocabulary::{Vocabulary, Word, WordKind, with_games};
use console::measure_text_width;
use serde_json::json;
use std::collections::BTreeSet;

/// The column at which the meanings begin.
const MEANING_COLUMN: usize = 26;
/// The most columns of a line.
const MAX_COLUMNS: usize = 110;

/// Lists the words of the requested kinds, game by game.
///
/// # Errors
/// No game of the sources has the requested format.
pub fn list(given: &SourceSet, args: &Args) -> Result<(), CommandError> {
    let format = args.format.as_deref();
    let vocabularies = with_games(given, |games, sources| -> Vec<Vocabulary> {
        let has_format = |name: &str| games.iter().any(|game| game.models.iter().any(|model| model.name == name));
        let is_listed = |name: &str| format.is_none_or(|format| !has_format(format) || name == format);
        let listed = games.iter().filter(|game| game.models.iter().any(|model| is_listed(&model.name)));
        listed.map(|game| Vocabulary::of(game, sources)).collect()
    });
    let formats: Vec<&str> =
        vocabularies.iter().flat_map(|vocabulary| vocabulary.formats.iter().map(|(name, _)| name.as_str())).collect();
    if let Some(format) = format
        && !formats.contains(&format)
    {
        let known: BTreeSet<&str> = formats.into_iter().chain(crate::shipped::names()).collect();
        return Err(CommandError::unknown_name("format", format, known));
    }
    for vocabulary in &vocabularies {
        for kind in &args.list {
            list_kind(vocabulary, *kind, args);
        }
    }
    Ok(())
}

fn list_kind(vocabulary: &Vocabulary, kind: WordKind, args: &Args) {
    let mut words = vocabulary.words_of(kind, args.format.as_deref()).peekable();
    if args.message_format == MessageFormat::Json {
        words.for_each(|word| output::json_line(to_json(vocabulary, word)));
        return;
    }
    let of = args.format.as_ref().unwrap_or(&vocabulary.game);
    if words.peek().is_none() {
        return output::line(format!("{of} has no {}\n", kind.name()));
    }
    output::styled_line(Style::Bold, &format!("{} of {of}", kind.name()), format!(": {}", kind.description()));
    for word in words {
        list_word(word);
    }
    output::line("");
}

/// Prints a word with its meaning, or with an example if it has none.
fn list_word(word: &Word) {
    let meaning = match (&word.example, &word.format) {
        (Some(example), _) if word.meaning.is_empty() => format!("for example `{}`", example.line),
        (_, Some(format)) => format!("{} (in {format})", word.meaning),
        _ => word.meaning.clone(),
    };
    let mut line = format!("  {}", word.signature);
    if meaning.is_empty() {
        return output::line(line);
    }
    if measure_text_width(&line) + 2 > MEANING_COLUMN {
        output::line(&line);
        line.clear();
    }
    let padding = MEANING_COLUMN.saturating_sub(measure_text_width(&line));
    line.extend(std::iter::repeat_n(' ', padding));
    line.push_str(&meaning);
    output::line(with_hanging_indent(&line, MAX_COLUMNS, MEANING_COLUMN));
}

fn to_json(vocabulary: &Vocabulary, word: &Word) -> serde_json::Value {
    let example = word.example.as_ref();
    json!({
        "kind": word.kind.name(), "name": word.name, "signature": word.signature, "meaning": word.meaning,
        "game": vocabulary.game, "format": word.format, "location": word.location, "cards": word.cards,
        "example": example.map(|example| json!({ "line": example.line, "card": example.card, "location": example.location })),
    })
}
