//! The requests of an editor: `fizzle/preview`, `fizzle/run`, `fizzle/cards` and `fizzle/rules`.

use crate::pack_compiler::{Games, PackCompiler, SourcesHaveErrors};
use crate::preview::{CardPreview, card_at, card_written_at, preview};
use crate::scenarios::{self, PlayedScenario};
use fizzle::shipped;
use fizzle_lsp::{PackRequest, PackRequests};
use fizzle_runtime::ir::CompiledGame;
use fizzle_table::rule_text::{RuleText, Sources, rule_text};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// The request for the card at a position of a document.
pub const PREVIEW: &str = "fizzle/preview";
/// The request that plays all scenarios of the pack, or those of a document.
pub const RUN: &str = "fizzle/run";

/// The request for the cards of the game whose names hold a text.
pub const CARDS: &str = "fizzle/cards";

/// The request for the text of a rule that refuses something, by the place and path that the refusal names.
pub const RULES: &str = "fizzle/rules";

/// The most cards that [`CARDS`] returns.
const MAX_CARDS: usize = 40;

/// The answer to [`CARDS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardsAnswer {
    /// Their names: first those that begin with the text.
    pub cards: Vec<String>,
}

/// The answer to [`RULES`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RulesAnswer {
    /// The lines of the rule; empty if there is no such place.
    pub text: String,
    /// The clause that the path names: ranges of characters in `text`.
    pub fails: Vec<(usize, usize)>,
}

/// The answer to [`PREVIEW`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreviewAnswer {
    /// Whether the sources have no errors. If they have, the card is as it was before them.
    pub checks: bool,
    /// The card at the position, if there is one.
    pub card: Option<CardPreview>,
}

/// The answer to [`RUN`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunAnswer {
    /// Whether the sources have no errors. If they have, nothing was played.
    pub checks: bool,
    /// The results, in the order of the sources.
    pub scenarios: Vec<PlayedScenario>,
}

/// Answers the requests about a pack in an editor.
#[derive(Debug, Default)]
pub struct Workbench {
    /// Compiles the sources.
    pub compiler: PackCompiler,
}

impl Workbench {
    /// The card at a place.
    pub fn preview(&self, request: &PackRequest) -> PreviewAnswer {
        match self.compiler.games(request.files.clone()) {
            Err(SourcesHaveErrors) => {
                let text = request.files.iter().find(|file| file.path == request.path).map_or("", |file| file.text.as_str());
                let games = self.compiler.last_good();
                let find = |game| card_written_at(game, text, request.line).and_then(|card| preview(game, card));
                let card = games.iter().flat_map(|games| games.iter()).find_map(|game| find(game));
                PreviewAnswer { checks: false, card }
            }
            Ok(games) => {
                let find = |game| card_at(game, &request.path, request.line).and_then(|card| preview(game, card));
                PreviewAnswer { checks: true, card: games.iter().find_map(|game| find(game)) }
            }
        }
    }

    /// The scenarios of a document, or of all own sources.
    pub fn run(&self, request: &PackRequest) -> RunAnswer {
        let is_wanted = |path: &str| {
            if request.path.is_empty() { !path.starts_with(shipped::PREFIX) } else { path == request.path }
        };
        match self.compiler.games(request.files.clone()) {
            Err(SourcesHaveErrors) => RunAnswer { checks: false, scenarios: Vec::new() },
            Ok(games) => RunAnswer { checks: true, scenarios: scenarios::play(&games, is_wanted) },
        }
    }

    /// The cards of the game of a document whose names hold a text, in small or capital letters.
    ///
    /// # Errors
    /// In words: the sources have errors.
    pub fn cards(&self, request: &PackRequest) -> Result<CardsAnswer, String> {
        let games = self.games(request)?;
        let text = request.params.get("search").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let has_file = |game: &&Arc<CompiledGame>| game.library.files.contains(&request.path);
        let game = games.iter().find(has_file).or_else(|| games.first());
        let cards = game.into_iter().flat_map(|game| game.library.definitions.numbered().skip(1));
        // The cards of the pack come first.
        let is_own = |file: u32| {
            let path = game.and_then(|game| game.library.files.get(file as usize));
            path.is_some_and(|path| request.files.iter().any(|own| own.path == *path))
        };
        let named = cards.filter(|(_, card)| !card.part && !card.token).map(|(_, card)| card);
        let mut found: Vec<(bool, bool, &str)> = named
            .filter_map(|card| {
                let small = card.name.to_lowercase();
                small.contains(&text).then(|| (!is_own(card.source.file), !small.starts_with(&text), card.name.as_str()))
            })
            .collect();
        found.sort();
        Ok(CardsAnswer { cards: found.into_iter().take(MAX_CARDS).map(|(.., name)| name.to_owned()).collect() })
    }

    /// The text of a rule of the pack or of a shipped game: `place` is `file:line`, `path` its name, such as `play.cast.when`.
    pub fn rules(&self, request: &PackRequest) -> RulesAnswer {
        let text_of = |name: &str| request.params.get(name).and_then(Value::as_str).unwrap_or_default();
        let (place, path) = (text_of("place"), text_of("path"));
        let file = place.rsplit_once(':').map_or("", |(file, _)| file);
        let shipped = shipped::packs().iter().flat_map(shipped::ShippedPack::files_for_dependents);
        let source = request.files.iter().chain(shipped).find(|source| source.path == file);
        let sources: Sources = source.map(|source| (source.path.clone(), source.text.clone())).into_iter().collect();
        let RuleText { text, fails } = rule_text(&sources, place, path, None);
        RulesAnswer { text, fails }
    }

    /// The games of the sources.
    ///
    /// # Errors
    /// In words: the sources have errors.
    pub fn games(&self, request: &PackRequest) -> Result<Games, String> {
        self.compiler.games(request.files.clone()).map_err(|SourcesHaveErrors| "the sources have errors".to_owned())
    }
}

impl PackRequests for Workbench {
    fn methods(&self) -> &[&'static str] {
        &[PREVIEW, RUN, CARDS, RULES]
    }

    fn answer(&self, request: PackRequest) -> Result<Value, String> {
        let answer = match request.method.as_str() {
            PREVIEW => serde_json::to_value(self.preview(&request)),
            CARDS => serde_json::to_value(self.cards(&request)?),
            RULES => serde_json::to_value(self.rules(&request)),
            _ => serde_json::to_value(self.run(&request)),
        };
        answer.map_err(|error| error.to_string())
    }
}
