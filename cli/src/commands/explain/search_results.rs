//! Searches words, recipes of the cookbook and cards for a query, and prints the best results. `vocabulary/search.rs` says what fits a query.

use super::declaration::first_block;
use super::{FactLister, Language, RulesTexts, is_japanese, is_made_up, location};
use crate::load::LoadedGames;
use crate::output::{self, Style};
use crate::reference::{one_line, word_docs};
use crate::vocabulary::recipes::{Recipe, recipes};
use crate::vocabulary::search::{Query, best};
use crate::vocabulary::{Vocabulary, Word, shorten};
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use fizzle_runtime::ir::{DefId, Definition};
use std::collections::BTreeMap;

/// The most entries of a kind that are printed.
const MAX_FOUND: usize = 5;
/// How much an occurrence counts in a name or heading, in a meaning, and in other text.
const NAME: u32 = 9;
const MEANING: u32 = 3;
const TEXT: u32 = 1;

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Names and headings that contain all words.
    Names,
    /// Also meanings and texts.
    Texts,
}

/// Prints the entries that fit a query best. Returns whether there are any. Without loaded games, cards are not searched.
pub fn search(
    words: &str,
    wanted: Wanted,
    vocabularies: &[Vocabulary],
    loaded: Option<&LoadedGames>,
    args: &super::Args,
) -> bool {
    let query = Query::new(words);
    let least = if wanted == Wanted::Names { NAME } else { TEXT };
    // a query in Japanese searches Japanese texts
    let lang = if args.lang == Language::En && is_japanese(words) { Language::Ja } else { args.lang };
    // with all of the words, else with most of them
    let loosened = query.loosened().filter(|_| wanted == Wanted::Texts);
    [Some(query), loosened].into_iter().flatten().any(|query| {
        let finder =
            Finder { synonyms: synonyms(&query, vocabularies), query: &query, least, format: args.format.as_deref(), lang };
        print_found(&finder, vocabularies, loaded)
    })
}

/// The synonyms that a query contains: the game, the query with the word of the game, and a line about the two.
fn synonyms(query: &Query, vocabularies: &[Vocabulary]) -> Vec<(String, Query, String)> {
    let of_game = |vocabulary: &Vocabulary| {
        let found = vocabulary.synonyms.iter().filter_map(|synonym| {
            let other = query.with_synonym(&synonym.word, &synonym.here)?;
            let note = synonym.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            Some((vocabulary.game.clone(), other, format!("{} is `{}` in {}{note}", synonym.word, synonym.here, vocabulary.game)))
        });
        found.collect::<Vec<_>>()
    };
    vocabularies.iter().flat_map(of_game).collect()
}

/// Prints what a finder finds. Returns whether there is anything.
fn print_found(finder: &Finder<'_>, vocabularies: &[Vocabulary], loaded: Option<&LoadedGames>) -> bool {
    let words = finder.words(vocabularies);
    let recipes = finder.recipes(vocabularies);
    let cards = loaded.map_or_else(Vec::new, |loaded| finder.cards(loaded));
    if words.is_empty() && recipes.is_empty() && cards.is_empty() {
        return false;
    }
    print_section("in other words", finder.shown_synonyms(vocabularies));
    print_section("words", words.iter().map(String::as_str));
    let lines: Vec<String> = recipes.iter().map(|recipe| format!("{} ({})", recipe.heading, recipe.page)).collect();
    print_section("recipes of the cookbook", lines.iter().map(String::as_str));
    print_section("cards", cards.iter().map(|(line, _)| line.as_str()));
    match (recipes.first(), cards.first(), loaded) {
        (Some(recipe), ..) => print_code(recipe.heading, recipe.page, recipe.code()),
        (None, Some((_, source)), Some(loaded)) => print_source(loaded, source),
        _ => {}
    }
    true
}

/// Finds what fits a query.
struct Finder<'a> {
    query: &'a Query,
    /// The game, the query with a word of the game, and a line about it.
    synonyms: Vec<(String, Query, String)>,
    /// The least that each word of the query counts.
    least: u32,
    format: Option<&'a str>,
    lang: Language,
}

impl Finder<'_> {
    /// The words of the language and of the games, each as a line.
    fn words(&self, vocabularies: &[Vocabulary]) -> Vec<String> {
        let of_language =
            |name: &str, what: &str, meaning: &str| (name.to_owned(), format!("{what} of the language"), one_line(meaning));
        let mut entries: Vec<(String, String, String)> =
            VERBS.iter().map(|verb| of_language(verb.name, "verb", verb.doc)).collect();
        entries.extend(BUILTINS.iter().map(|row| of_language(row.name, "function", row.doc)));
        entries.extend(word_docs::MEANINGS.iter().map(|(word, meaning)| of_language(word, "word", meaning)));
        for vocabulary in vocabularies {
            let of_game = |word: &Word| {
                let format = word.format.as_ref().unwrap_or(&vocabulary.game);
                (word.signature.clone(), format!("{} of {format}", word.kind.name()), word.meaning.clone())
            };
            let is_shown = |word: &&Word| self.format.is_none_or(|format| vocabulary.has(word, format));
            entries.extend(vocabulary.words.iter().filter(is_shown).map(of_game));
        }
        let found =
            self.best(None, entries.into_iter(), |(name, _, meaning)| vec![(name.clone(), NAME), (meaning.clone(), MEANING)]);
        found.into_iter().map(|(name, what, meaning)| format!("{name} ({what}): {meaning}")).collect()
    }

    /// The recipes whose headings or texts fit.
    fn recipes(&self, vocabularies: &[Vocabulary]) -> Vec<Recipe> {
        let is_shown = |recipe: &Recipe| {
            vocabularies.iter().any(|game| match self.format {
                Some(format) => game.has_base(format, recipe.format),
                None => game.formats.iter().any(|(name, _)| name == recipe.format),
            })
        };
        self.best(None, recipes().filter(is_shown), |recipe| {
            vec![(recipe.heading.to_owned(), NAME), (recipe.prose().to_owned(), TEXT)]
        })
    }

    /// The cards whose names, facts, rules texts or sources fit: each as a line with its text, and its place.
    fn cards(&self, loaded: &LoadedGames) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let sources = SourceLines::of(&loaded.sources);
        for game in &loaded.artifact.games {
            let Some(format) = game.formats.iter().find(|format| self.format.is_none_or(|wanted| wanted == format.name)) else {
                continue;
            };
            let texts = RulesTexts::new(game, Some(format), self.lang);
            let lister = FactLister::new(game);
            let cards = game.library.definitions.numbered().filter(|(_, card)| !card.name.is_empty());
            let entries = cards
                .map(|(number, card)| (card, DefId(number as u32)))
                .map(|(card, id)| (card, id, texts.lines(texts.card_in_format(id)).join(" ")));
            let fields = |(card, id, text): &(&Definition, DefId, String)| {
                let source = sources.block_at(&location(game, card.source)).unwrap_or_default();
                vec![
                    (card.name.clone(), NAME),
                    (lister.facts(*id).join(" "), MEANING),
                    (text.clone(), TEXT),
                    (source.to_owned(), TEXT),
                ]
            };
            // Cards that are made up for scenarios come last.
            let (made_up, others): (Vec<_>, Vec<_>) = entries.partition(|(card, ..)| is_made_up(game, card));
            let mut own = self.best(Some(game.name.as_str()), others.into_iter(), fields);
            own.extend(self.best(Some(game.name.as_str()), made_up.into_iter(), fields));
            own.truncate(MAX_FOUND);
            let line = |(card, _, text): (&Definition, DefId, String)| {
                let made_up = if is_made_up(game, card) { ", made up for scenarios" } else { "" };
                (format!("{} ({}{made_up}): {text}", card.name, format.name), location(game, card.source))
            };
            found.extend(own.into_iter().map(line));
        }
        found
    }

    /// The lines about the synonyms of the games that have the format.
    fn shown_synonyms<'s>(&'s self, vocabularies: &'s [Vocabulary]) -> impl Iterator<Item = &'s str> {
        let is_shown = |game: &str| {
            let of_game = vocabularies.iter().find(|vocabulary| vocabulary.game == game);
            self.format.is_none_or(|format| of_game.is_some_and(|vocabulary| vocabulary.has_format(format)))
        };
        self.synonyms.iter().filter(move |(game, ..)| is_shown(game)).map(|(_, _, line)| line.as_str())
    }

    /// The entries that fit best. `game`: the game whose synonyms are tried; `None`: those of all games.
    fn best<T>(&self, game: Option<&str>, entries: impl Iterator<Item = T>, fields: impl Fn(&T) -> Vec<(String, u32)>) -> Vec<T> {
        let others = self.synonyms.iter().filter(|(of, ..)| game.is_none_or(|game| game == of)).map(|(_, query, _)| query);
        let queries: Vec<&Query> = std::iter::once(self.query).chain(others).collect();
        best(&queries, entries, MAX_FOUND, |entry| {
            fields(entry).into_iter().filter(|(_, weight)| *weight >= self.least).collect()
        })
    }
}

/// Prints a heading and its lines; nothing without lines.
fn print_section<'l>(heading: &str, lines: impl Iterator<Item = &'l str>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    output::styled_line(Style::Bold, heading, "");
    for line in lines {
        output::line(format!("  {}", shorten(line)));
    }
    output::line("");
}

/// Prints the source text of a recipe or card.
fn print_code<'l>(title: &str, place: &str, lines: impl Iterator<Item = &'l str>) {
    output::styled_line(Style::Bold, title, format!("   {place}"));
    for line in lines {
        output::line(format!("    {line}"));
    }
    output::line("");
}

/// Prints the source text of a card, which begins at a place.
fn print_source(loaded: &LoadedGames, place: &str) {
    if let Some(source) = SourceLines::of(&loaded.sources).block_at(place) {
        print_code("for example", place, source.lines());
    }
}

/// The lines of sources, by path: the text, and where each line begins. To search a line from the beginning of its file for each card would
/// read a file as often as it has cards.
struct SourceLines<'l>(BTreeMap<&'l str, (&'l str, Vec<usize>)>);

impl<'l> SourceLines<'l> {
    fn of(sources: &'l [SourceFile]) -> Self {
        let starts = |text: &str| std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self(sources.iter().map(|file| (file.path.as_str(), (file.text.as_str(), starts(&file.text)))).collect())
    }

    /// The source text that begins at a place.
    fn block_at(&self, place: &str) -> Option<&'l str> {
        let (path, line) = place.rsplit_once(':')?;
        let (text, starts) = self.0.get(path)?;
        let start = starts.get(line.parse::<usize>().unwrap_or(1).saturating_sub(1))?;
        text.get(*start..).map(first_block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_their_lines() {
        let text = "card \"A\" { a }\n\ncard \"B\" {\n b }\n".to_owned();
        let sources = [SourceFile { path: "x:y.fz".to_owned(), text }];
        let lines = SourceLines::of(&sources);
        assert_eq!(lines.block_at("x:y.fz:1"), Some("card \"A\" { a }"));
        assert_eq!(lines.block_at("x:y.fz:3"), Some("card \"B\" {\n b }"));
        assert_eq!(lines.block_at("x:y.fz:7"), None);
        assert_eq!(lines.block_at("z.fz:1"), None);
    }
}
