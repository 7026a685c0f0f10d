//! Resolves the format and the decks that the command line names, and links them into a [`GameSetup`].

use crate::deck_file::{DeckArgument, ListFile, file_error, format_of_lists, read_lists};
use crate::failure::CommandError;
use crate::output::{self, MessageFormat};
use crate::paths::SourceSet;
use crate::shipped;
use fizzle_grammar::ast::ItemKind;
use fizzle_runtime::game::{SeatCards, seat_cards};
use fizzle_runtime::ir::{Artifact, CompiledGame, Deck, DefId, Format};
use fizzle_runtime::matches::{Match, MatchError};
use fizzle_runtime::program::Program;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// A format of a game.
#[derive(Clone, Copy, Debug)]
pub struct SelectedFormat<'a> {
    /// The game.
    pub game: &'a CompiledGame,
    /// Index into its formats.
    pub index: usize,
}

impl<'a> SelectedFormat<'a> {
    /// The tables of the format.
    pub fn format(&self) -> Option<&'a Format> {
        self.game.formats.get(self.index)
    }

    /// The names of the format and of the formats that it extends, nearest first.
    pub fn ancestors(&self) -> Vec<String> {
        self.format().map_or_else(Vec::new, |format| self.game.ancestors(&format.name))
    }
}

/// The name of the format to play: `wanted`; else the only format that the sources declare; else the only shipped one that they extend.
pub fn format_name(paths: &[String], wanted: Option<&str>) -> Result<String, CommandError> {
    if let Some(name) = wanted {
        return Ok(name.to_owned());
    }
    let ambiguous = |message: &str, names: Vec<&str>| {
        let help = Some(format!("add `--format NAME`, one of: {}", names.join(", ")));
        Err(CommandError::Usage { message: message.to_owned(), help })
    };
    if paths.is_empty() || paths.iter().any(|path| crate::load::is_compiled_pack(path)) {
        return ambiguous("no format given", shipped::names().into_iter().collect());
    }
    let given = SourceSet::read_paths(paths, &[], false)?;
    let own: Vec<&str> = given.references.formats.iter().map(String::as_str).collect();
    let shipped = shipped::names();
    let base: Vec<&str> = given.references.needs.iter().map(String::as_str).filter(|name| shipped.contains(name)).collect();
    match (own.as_slice(), base.as_slice()) {
        ([only], _) | ([], [only]) => Ok((*only).to_owned()),
        ([], []) => ambiguous("no format given", shipped.into_iter().collect()),
        ([], several) => ambiguous("the sources are for several formats", several.to_vec()),
        (several, _) => ambiguous("the sources declare several formats", several.to_vec()),
    }
}

/// As [`format_name`], for games between decks. If some of them are lists and nothing else names a format, it is that of their cards.
pub fn format_name_for_decks(
    paths: &[String],
    wanted: Option<&str>,
    decks: &[String],
    message_format: MessageFormat,
) -> Result<String, CommandError> {
    let named = format_name(paths, wanted);
    if named.is_ok() || !paths.is_empty() {
        return named;
    }
    match read_lists(decks, message_format)?.as_slice() {
        [] => named,
        lists => format_of_lists(lists, paths, message_format),
    }
}

/// Finds a format by its name.
pub fn find_format<'a>(artifact: &'a Artifact, name: &str) -> Result<SelectedFormat<'a>, CommandError> {
    for game in &artifact.games {
        if let Some(index) = game.formats.iter().position(|format| format.name == name) {
            return Ok(SelectedFormat { game, index });
        }
    }
    let names: Vec<&str> = artifact.games.iter().flat_map(|game| &game.formats).map(|format| format.name.as_str()).collect();
    Err(CommandError::unknown_name("format", name, names))
}

/// The prefix of the paths of embedded files.
const SHIPPED_PREFIX: &str = shipped::PREFIX;

/// The decks for a format and for the formats that it extends, nearest first: the decks of the given packs, then the shipped ones.
fn decks_for_format<'a>(picked: &SelectedFormat<'a>) -> (Vec<&'a Deck>, Vec<&'a Deck>) {
    let game = picked.game;
    let ancestors = picked.ancestors();
    let decks = ancestors.iter().flat_map(|name| game.decks.iter().filter(move |deck| deck.format == *name));
    let is_shipped =
        |deck: &&Deck| game.library.files.get(deck.source.file as usize).is_some_and(|file| file.starts_with(SHIPPED_PREFIX));
    let (shipped, own) = decks.partition(is_shipped);
    (own, shipped)
}

/// The smallest and largest number of players of a format.
fn player_counts(picked: &SelectedFormat<'_>) -> (usize, usize) {
    picked.format().map_or((2, 2), |format| (usize::from(format.min_players), usize::from(format.max_players)))
}

/// The cards of the decks that [`set_up`] considers: the named decks, or if there are none, the decks among which it chooses.
pub fn candidate_cards(
    picked: &SelectedFormat<'_>,
    wanted: &[String],
    message_format: MessageFormat,
) -> Result<Vec<DefId>, CommandError> {
    if !wanted.is_empty() {
        return Ok(cards_of_decks(&find_decks(picked, wanted, message_format)?.iter().map(Cow::as_ref).collect::<Vec<_>>()));
    }
    let (mut decks, others) = decks_for_format(picked);
    // if the given packs have decks, `choose_decks` checks all shipped decks too, for whether they are legal
    let others_read = if decks.is_empty() { player_counts(picked).0 } else { others.len() };
    decks.extend(others.into_iter().take(others_read));
    Ok(cards_of_decks(&decks))
}

/// Finds the decks that the command line names, one per player.
fn find_decks<'a>(
    picked: &SelectedFormat<'a>,
    wanted: &[String],
    message_format: MessageFormat,
) -> Result<Vec<Cow<'a, Deck>>, CommandError> {
    wanted.iter().map(|name| find_deck(picked, name, message_format)).collect()
}

/// Chooses decks if the command line names none: the legal decks of the given packs, then shipped decks that are legal too. If none is
/// legal, the decks of the given packs are played nevertheless. Also returns a warning for each deck that was skipped.
fn choose_decks<'a>(picked: &SelectedFormat<'a>) -> Result<(Vec<&'a Deck>, Vec<String>), CommandError> {
    let (own, mut others) = decks_for_format(picked);
    let (mut decks, mut skipped, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    if !own.is_empty() {
        let program = Program::link(picked.game, picked.index, &[]);
        let program = Arc::new(program.ok_or_else(|| CommandError::Defect("cannot link the format".into()))?);
        for deck in own {
            match legality_problem(&program, picked, deck) {
                None => decks.push(deck),
                Some(why) => {
                    warnings.push(format!("{why}: skipped; use `--deck` to play it anyway"));
                    skipped.push(deck);
                }
            }
        }
        others.retain(|deck| legality_problem(&program, picked, deck).is_none());
    }
    decks.extend(others);
    if decks.is_empty() {
        // an illegal deck is better than no game; `report_illegal_decks` warns about it
        (decks, warnings) = (skipped, Vec::new());
    }
    decks.truncate(player_counts(picked).0);
    if decks.is_empty() {
        let format = picked.format().map_or("", |format| format.name.as_str());
        let help = Some("add `--deck NAME`".to_owned());
        return Err(CommandError::Usage { message: format!("no deck for format `{format}`"), help });
    }
    Ok((decks, warnings))
}

/// Why a deck is not legal in a format: the first problem, and the number of others. `None` if it is legal.
fn legality_problem(program: &Arc<Program>, picked: &SelectedFormat<'_>, deck: &Deck) -> Option<String> {
    let problems = fizzle_runtime::deck::check(program, deck, &picked.ancestors());
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    Some(format!("the deck `{}` is not legal in {}: {first}{more}", deck.name, program.format.name))
}

/// Assigns the decks to the seats. A single deck is played by all players.
fn assign_seats(picked: &SelectedFormat<'_>, mut decks: Vec<Deck>) -> Result<Vec<Deck>, CommandError> {
    let (least, most) = player_counts(picked);
    if let [only] = decks.as_slice() {
        decks = vec![only.clone(); least.max(1)];
    }
    if !(least..=most).contains(&decks.len()) {
        let players = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(CommandError::usage(format!("{} decks given for {players} players", decks.len())));
    }
    Ok(decks)
}

/// Finds a deck by its name, the first deck of a source file, which must be among the compiled sources, or the deck of a list.
/// `message_format`: that of the problems of a list.
pub fn find_deck<'a>(
    picked: &SelectedFormat<'a>,
    name: &str,
    message_format: MessageFormat,
) -> Result<Cow<'a, Deck>, CommandError> {
    let wanted = match DeckArgument::of(name) {
        DeckArgument::List => {
            return Ok(Cow::Owned(ListFile::read(name, message_format)?.deck(picked, message_format)?));
        }
        DeckArgument::Source => {
            deck_names_in(name)?.into_iter().next().ok_or_else(|| CommandError::Problem(format!("no deck in `{name}`")))?
        }
        DeckArgument::Name => name.to_owned(),
    };
    let found = picked.game.decks.iter().find(|deck| deck.name == wanted);
    found.map(Cow::Borrowed).ok_or_else(|| unknown_deck(&wanted, picked))
}

/// The error for a deck that does not exist, or for a file.
fn unknown_deck(name: &str, picked: &SelectedFormat<'_>) -> CommandError {
    let unknown = || CommandError::unknown_name("deck", name, picked.game.decks.iter().map(|deck| deck.name.as_str()));
    file_error(name).unwrap_or_else(unknown)
}

/// The paths to compile: the given ones, and the decks that are source files.
pub fn with_deck_files(paths: &[String], decks: &[String]) -> Vec<String> {
    paths.iter().chain(decks.iter().filter(|deck| DeckArgument::of(deck) == DeckArgument::Source)).cloned().collect()
}

/// The names of the decks in a source file.
pub fn deck_names_in(path: &str) -> Result<Vec<String>, CommandError> {
    let text = crate::paths::read_source(Path::new(path))?;
    let parsed = fizzle_grammar::parse_file(0, &text);
    let decks = parsed.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Deck(deck) => Some(deck.name.text.to_string()),
        _ => None,
    });
    Ok(decks.collect())
}

/// The formats of the decks in a file, or of the decks of a name in the given or shipped sources. Each format once.
pub fn formats_of_deck(deck: &str, paths: &[String]) -> Result<Vec<String>, CommandError> {
    let file = DeckArgument::of(deck) == DeckArgument::Source;
    let texts: Vec<String> = if file {
        vec![crate::paths::read_source(Path::new(deck))?]
    } else {
        let everything: Vec<&str> = shipped::packs().iter().map(|pack| pack.name.as_str()).collect();
        let given = SourceSet::read_paths(paths, &everything, true)?;
        given.files.into_iter().map(|file| file.text).filter(|text| text.contains(deck)).collect()
    };
    let mut formats: Vec<String> = Vec::new();
    for item in texts.iter().flat_map(|text| fizzle_grammar::parse_file(0, text).items) {
        if let ItemKind::Deck(found) = item.kind
            && (file || found.name.text == deck)
            && let Some(format) = found.format.map(|format| format.text.to_string())
            && !formats.contains(&format)
        {
            formats.push(format);
        }
    }
    if formats.is_empty() {
        if let Some(error) = file_error(deck).filter(|_| !file) {
            return Err(error);
        }
        let help = Some("add `--format NAME`".to_owned());
        return Err(CommandError::Usage { message: format!("no format found for `{deck}`"), help });
    }
    Ok(formats)
}

/// A game or match as the command line describes it: format, decks, and the linked program.
#[derive(Clone, Debug)]
pub struct GameSetup<'a> {
    /// The format.
    pub selected: SelectedFormat<'a>,
    /// The names of the decks, by seat.
    pub names: Vec<String>,
    /// The program, linked for the cards of these decks.
    pub program: Arc<Program>,
    /// The decks, by seat.
    pub decks: Vec<Deck>,
    /// The cards, by seat.
    pub seats: Vec<SeatCards>,
    /// Warnings about decks that were skipped because they are not legal.
    skipped_decks: Vec<String>,
}

impl GameSetup<'_> {
    /// A copy for another thread: threads that share the reference counts of one program slow each other down.
    #[must_use]
    pub fn clone_for_thread(&self) -> Self {
        Self { program: Arc::new(self.program.clone_for_thread()), ..self.clone() }
    }

    /// Prints a warning for each deck that was skipped, and for each deck that is played although it is not legal.
    pub fn report_illegal_decks(&self) {
        let played = self.decks.iter().filter_map(|deck| legality_problem(&self.program, &self.selected, deck));
        let mut warnings: Vec<String> = self.skipped_decks.iter().cloned().chain(played).collect();
        warnings.dedup();
        for warning in warnings {
            output::note(format!("warning: {warning}"));
        }
    }

    /// Creates a match with the decks in this order of seats.
    pub fn new_match(&self, best_of: u32, decks: &[Deck], seed: u64) -> Result<Match, CommandError> {
        Match::new(&self.program, &self.selected.ancestors(), Some(best_of), decks, seed).map_err(|error| match error {
            MatchError::Games(_) => {
                CommandError::Usage { message: error.to_string(), help: Some("write `--best-of 3`".to_owned()) }
            }
            error => CommandError::Problem(error.to_string()),
        })
    }
}

/// All cards of some decks.
pub fn cards_of_decks(decks: &[&Deck]) -> Vec<DefId> {
    decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect()
}

/// Finds the format and the decks, and links the program for their cards.
pub fn set_up<'a>(
    artifact: &'a Artifact,
    name: &str,
    wanted: &[String],
    message_format: MessageFormat,
) -> Result<GameSetup<'a>, CommandError> {
    let picked = find_format(artifact, name)?;
    let (decks, skipped_decks): (Vec<Deck>, _) = if wanted.is_empty() {
        let (decks, skipped) = choose_decks(&picked)?;
        (decks.into_iter().cloned().collect(), skipped)
    } else {
        (find_decks(&picked, wanted, message_format)?.into_iter().map(Cow::into_owned).collect(), Vec::new())
    };
    let decks = assign_seats(&picked, decks)?;
    let pool = cards_of_decks(&decks.iter().collect::<Vec<_>>());
    let program = Program::link_for(picked.game, picked.index, &pool, decks.len())
        .ok_or_else(|| CommandError::Defect("cannot link the format".into()))?;
    let seats = decks.iter().map(|deck| seat_cards(&program, deck)).collect();
    let names = decks.iter().map(|deck| deck.name.clone()).collect();
    Ok(GameSetup { selected: picked, names, program: Arc::new(program), decks, seats, skipped_decks })
}
