//! Verifier of compiled packs: numbers are in range, pure code is pure and terminates, periods form trees. A verified artifact
//! cannot make the machine panic, loop forever or access tables out of range.

mod code;
mod format;
mod layout;
mod names;
mod scenario;
mod text;

use crate::op::Source;
use crate::scenario::Stage;
use crate::{Artifact, CompiledGame, Deck, FnId, Format, Function, Library, Type};
use std::cell::Cell;
use std::fmt::Display;

/// The first problem that the verifier found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct VerifyError {
    /// The table and entry.
    pub place: String,
    /// The problem.
    pub problem: String,
}

/// The maximum depth of calls of pure functions.
pub const MAX_CALLS: usize = 128;

/// The maximum number of arguments of an event.
pub const MAX_ARGS: usize = 8;

pub use names::MAX_NAME_CHARS;

/// The maximum number of captures of a filter.
pub const MAX_CAPTURES: usize = 23;

/// Verifies an artifact.
///
/// # Errors
/// Returns the first problem found.
pub fn verify(artifact: &Artifact) -> Result<(), VerifyError> {
    for game in &artifact.games {
        Verifier::new(game).run()?;
    }
    Ok(())
}

/// Verifies a game. Fields are table sizes; for tables that formats number alike, the smallest size of all formats.
struct Verifier<'a> {
    game: &'a CompiledGame,
    library: &'a Library,
    actions: usize,
    periods: usize,
    constants: usize,
    payments: usize,
    bundles: usize,
    plays: usize,
    /// By function: whether it is pure.
    is_pure: Vec<bool>,
    /// Whether what is verified may use the functions of layouts and stages, which the rules hash does not cover.
    is_shown: Cell<bool>,
}

impl<'a> Verifier<'a> {
    fn new(game: &'a CompiledGame) -> Self {
        let least = |size: fn(&Format) -> usize| game.formats.iter().map(size).min().unwrap_or(0);
        Self {
            game,
            library: &game.library,
            actions: least(|f| f.actions.len()),
            periods: least(|f| f.periods.len()),
            constants: least(|f| f.constants.len()),
            payments: least(|f| f.payments.len()),
            bundles: least(|f| f.bundles.len()),
            plays: least(|f| f.plays.len()),
            is_pure: game.library.functions.by_number(|function| function.is_some_and(Function::is_pure)),
            is_shown: Cell::new(false),
        }
    }

    fn run(&self) -> Result<(), VerifyError> {
        // First, since messages quote names.
        self.names()?;
        self.library()?;
        self.functions()?;
        self.check_call_graph()?;
        for (number, format) in self.game.formats.iter().enumerate() {
            self.format(format).map_err(|e| e.within(&format!("format {number} `{}`", format.name)))?;
        }
        for deck in &self.game.decks {
            self.deck(deck)?;
        }
        for scenario in &self.game.scenarios {
            self.scenario(scenario).map_err(|e| e.within(&format!("scenario `{}`", scenario.title)))?;
        }
        for stage in &self.game.stages {
            self.stage(stage).map_err(|e| e.within(&format!("stage `{}`", stage.scenario.title)))?;
        }
        self.texts()
    }

    fn stage(&self, stage: &Stage) -> Result<(), VerifyError> {
        self.condition(stage.filter)?;
        self.as_shown(|| self.scenario(&stage.scenario))
    }

    /// Verifies something that may use the functions of layouts and stages.
    fn as_shown(&self, verify: impl FnOnce() -> Result<(), VerifyError>) -> Result<(), VerifyError> {
        let before = self.is_shown.replace(true);
        let result = verify();
        self.is_shown.set(before);
        result
    }

    /// Checks that what is verified may use a function.
    fn may_use(&self, id: FnId) -> Result<(), VerifyError> {
        if self.is_shown.get() || id.index() < self.library.rule_functions() {
            Ok(())
        } else {
            Err(VerifyError::new(&format!("function {}", id.0), "only layouts and stages may use it"))
        }
    }

    fn deck(&self, deck: &Deck) -> Result<(), VerifyError> {
        let mut cards = deck.sections.iter().flat_map(|(_, cards)| cards);
        let mut total: usize = 0;
        cards
            .try_for_each(|(count, card)| {
                total = total.saturating_add(*count as usize);
                self.at_most("cards", total, crate::encoding_limits::MAX_OBJECTS)?;
                self.index("card", card.index(), self.library.definitions.len())
            })
            .map_err(|e| e.within(&format!("deck `{}`", deck.name)))
    }

    fn library(&self) -> Result<(), VerifyError> {
        let library = self.library;
        self.at_most("zone kinds", library.zones.len(), 32)?;
        self.at_most("trait sets", library.traits.len(), 256)?;
        self.at_most("statuses", library.statuses.len(), 1024)?;
        self.at_most("properties", library.properties.len(), 1024)?;
        self.at_most("player variables", library.player_variables.len(), 4096)?;
        self.at_most("variables of the game", library.globals.len(), 4096)?;
        self.at_most("abilities", library.abilities.len(), (1 << 24) - 1)?;
        self.at_most("layers", library.layers.len(), 255)?;
        self.at_most("functions of layouts", library.shown_functions as usize, library.functions.len())?;
        self.at_most("lists of layouts", library.shown_lists as usize, library.lists.len())?;
        let layers = library.layers.len().max(1);
        for variable in &library.properties {
            self.index("layer", usize::from(variable.layer), layers)?;
            self.initial(variable)?;
        }
        for variables in [&library.properties, &library.statuses, &library.player_variables, &library.globals] {
            variables.iter().try_for_each(|variable| self.initial_word(variable))?;
        }
        for variable in library.statuses.iter().chain(&library.player_variables) {
            if variable.ty.is_list() {
                return Err(VerifyError::new(&format!("variable `{}`", variable.name), "it cannot hold a list"));
            }
            if let Some(traits) = variable.keys {
                self.index("trait set", traits.index(), library.traits.len())?;
                if variable.ty != Type::Number || variable.initial != 0 || variable.lifetime.is_some() || variable.conceals {
                    return Err(VerifyError::new(
                        &format!("variable `{}`", variable.name),
                        "one with keys is a number and starts with none",
                    ));
                }
            }
        }
        if library.properties.iter().chain(&library.globals).any(|variable| variable.keys.is_some()) {
            return Err(VerifyError::new("variable", "only statuses and variables of players have keys"));
        }
        for disguise in library.statuses.iter().filter_map(|status| status.disguise) {
            self.index("definition", disguise.index(), library.definitions.len())?;
        }
        self.at_most("exceptions of copies", library.exceptions.len(), 1 << 20)?;
        for (parameter, traits) in library.keywords.iter().flat_map(|keyword| &keyword.words) {
            self.index("parameter", usize::from(*parameter), 256)?;
            self.index("trait set", traits.index(), library.traits.len())?;
        }
        for change in library.exceptions.iter().flatten() {
            self.index("change", change.index(), library.modifications.len())?;
        }
        for traits in &library.traits {
            self.index("layer", usize::from(traits.layer), layers)?;
            self.at_most("words of a trait set", traits.words.len(), usize::from(u16::MAX))?;
        }
        for (traits, word) in library.zones.iter().flat_map(|zone| &zone.possible_words) {
            self.index("trait set", traits.index(), library.traits.len())?;
            let words = library.traits.get(traits.index()).map_or(0, |set| set.words.len());
            self.index("word", usize::from(*word), words)?;
        }
        if library.definitions.is_empty() {
            return Err(VerifyError::new("library", "the definition of abilities is missing"));
        }
        for (number, definition) in library.definitions.numbered() {
            self.definition(definition).map_err(|e| e.within(&format!("definition {number} `{}`", definition.name)))?;
        }
        for (number, ability) in library.abilities.numbered() {
            self.ability(&ability.kind)
                .and_then(|()| self.source(ability.source))
                .map_err(|e| e.within(&format!("ability {number} ({})", ability.name)))?;
        }
        for (number, change) in library.modifications.numbered() {
            self.change(change).map_err(|e| e.within(&format!("change {number}")))?;
        }
        for (number, site) in library.sites.numbered() {
            self.site(site).map_err(|e| e.within(&format!("site {number}")))?;
        }
        for window in &library.windows {
            self.pure(window.until, 2).map_err(|e| e.within(&format!("window `{}`", window.name)))?;
        }
        Ok(())
    }

    /// Checks the initial value of a variable that is a word of a trait set.
    fn initial_word(&self, variable: &crate::Variable) -> Result<(), VerifyError> {
        let Type::Word(traits) = variable.ty else { return Ok(()) };
        let words = self.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
        // 0 is no word; the words are counted from 1.
        self.index("word", usize::try_from(variable.initial).unwrap_or(usize::MAX), words + 1)
    }

    fn initial(&self, variable: &crate::Variable) -> Result<(), VerifyError> {
        match variable.ty {
            Type::Price => self.list_number(variable.initial),
            ty if ty.is_list() => Err(VerifyError::new(&format!("property `{}`", variable.name), "it cannot hold such a list")),
            _ => Ok(()),
        }
    }

    fn list_number(&self, value: i32) -> Result<(), VerifyError> {
        // An object without a price has list 0 even if no list exists.
        if value == 0 {
            Ok(())
        } else {
            self.index("list", usize::try_from(value).unwrap_or(usize::MAX), self.library.rule_lists())
        }
    }

    fn definition(&self, definition: &crate::Definition) -> Result<(), VerifyError> {
        self.at_most("properties", definition.properties.len(), self.library.properties.len())?;
        for (value, property) in definition.properties.iter().zip(&self.library.properties) {
            if property.ty == Type::Price {
                self.list_number(*value)?;
            }
        }
        for property in definition.written.iter().chain(&definition.defined) {
            self.index("property", usize::from(*property), self.library.properties.len())?;
        }
        self.at_most("trait sets", definition.words.len(), self.library.traits.len())?;
        for (words, traits) in definition.words.iter().zip(&self.library.traits) {
            for word in words {
                self.index("word", usize::from(*word), traits.words.len())?;
            }
        }
        for unit in &definition.bundles {
            self.index("unit", unit.index(), self.bundles)?;
        }
        self.at_most("faces", definition.faces.len(), 16)?;
        for part in definition.faces.iter().chain(&definition.combined_faces) {
            self.index("card", part.index(), self.library.definitions.len())?;
        }
        self.source(definition.source)
    }

    fn source(&self, source: Source) -> Result<(), VerifyError> {
        if source == Source::default() { Ok(()) } else { self.index("file", source.file as usize, self.library.files.len()) }
    }

    // ---- the small checks ----

    fn index(&self, what: &str, index: usize, size: usize) -> Result<(), VerifyError> {
        if index < size { Ok(()) } else { Err(VerifyError::new(what, format!("number {index} is not below {size}"))) }
    }

    fn at_most(&self, what: &str, count: usize, limit: usize) -> Result<(), VerifyError> {
        if count <= limit { Ok(()) } else { Err(VerifyError::new(what, format!("{count} are more than {limit}"))) }
    }

    /// Checks a function that is called with `args` arguments and must be pure.
    fn pure(&self, id: impl Into<Option<FnId>>, args: usize) -> Result<(), VerifyError> {
        let Some(id) = id.into() else { return Ok(()) };
        self.statements(id, args)?;
        if self.is_pure.get(id.index()).copied().unwrap_or(false) {
            Ok(())
        } else {
            Err(VerifyError::new(&format!("function {}", id.0), "it is not pure"))
        }
    }

    /// Checks a function that is called with at least `args` arguments.
    fn statements(&self, id: impl Into<Option<FnId>>, args: usize) -> Result<(), VerifyError> {
        let Some(id) = id.into() else { return Ok(()) };
        self.may_use(id)?;
        // The machine passes single values only: it would interpret a list parameter as a handle of a list in the state.
        if let Some(function) = self.library.functions.get(id.index())
            && !self.is_pure.get(id.index()).copied().unwrap_or(false)
            && function.registers.iter().take(usize::from(function.params)).any(|ty| ty.is_list())
        {
            return Err(VerifyError::new(&format!("function {}", id.0), "a parameter of statements cannot be a list"));
        }
        self.index("function", id.index(), self.library.functions.len())?;
        let params = self.library.functions.get(id.index()).map_or(0, |f| usize::from(f.params));
        if params >= args.min(2) {
            Ok(())
        } else {
            Err(VerifyError::new(&format!("function {}", id.0), format!("it has {params} parameters only")))
        }
    }
}

impl VerifyError {
    fn new(place: &str, problem: impl Display) -> Self {
        Self { place: place.to_owned(), problem: problem.to_string() }
    }

    fn within(mut self, outer: &str) -> Self {
        self.place = format!("{outer}, {}", self.place);
        self
    }
}

#[cfg(test)]
mod tests;
