//! Finding what the command line names: formats, decks, cards.

use crate::failure::CommandError;
use crate::output;
use crate::paths::SourceSet;
use crate::shipped;
use fizzle_grammar::ast::ItemKind;
use fizzle_runtime::game::{SeatCards, seat_cards};
use fizzle_runtime::ir::{Artifact, CompiledGame, Deck, DefId, Format};
use fizzle_runtime::matches::{Match, MatchError};
use fizzle_runtime::program::Program;
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
    /// The tables.
    pub fn format(&self) -> Option<&'a Format> {
        self.game.formats.get(self.index)
    }

    /// The names of the format and of what it extends, itself first.
    pub fn ancestors(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut at = self.format();
        while let Some(format) = at {
            if names.contains(&format.name) {
                break;
            }
            names.push(format.name.clone());
            at = format.base.as_ref().and_then(|base| self.game.formats.iter().find(|f| f.name == *base));
        }
        names
    }
}

/// The name of the format that is played: the one that is named; else the only one that what is given declares, or is for.
pub fn format_name(paths: &[String], wanted: Option<&str>) -> Result<String, CommandError> {
    if let Some(name) = wanted {
        return Ok(name.to_owned());
    }
    let unclear = |message: &str, names: Vec<&str>| {
        let help = Some(format!("say which one by `--format`: {}", names.join(", ")));
        Err(CommandError::Usage { message: message.to_owned(), help })
    };
    if paths.is_empty() || paths.iter().any(|path| crate::load::is_binary(path)) {
        return unclear("no format is named", shipped::names().into_iter().collect());
    }
    let given = SourceSet::read(paths, &[], false)?;
    let own: Vec<&str> = given.mentions.formats.iter().map(String::as_str).collect();
    let shipped = shipped::names();
    let base: Vec<&str> = given.mentions.needs.iter().map(String::as_str).filter(|name| shipped.contains(name)).collect();
    match (own.as_slice(), base.as_slice()) {
        ([only], _) | ([], [only]) => Ok((*only).to_owned()),
        ([], []) => unclear("no format is named", shipped.into_iter().collect()),
        ([], several) => unclear("what is given is for several formats", several.to_vec()),
        (several, _) => unclear("what is given has several formats", several.to_vec()),
    }
}

/// The format of a name.
pub fn format<'a>(artifact: &'a Artifact, name: &str) -> Result<SelectedFormat<'a>, CommandError> {
    for game in &artifact.games {
        if let Some(index) = game.formats.iter().position(|format| format.name == name) {
            return Ok(SelectedFormat { game, index });
        }
    }
    let names: Vec<&str> = artifact.games.iter().flat_map(|game| &game.formats).map(|format| format.name.as_str()).collect();
    Err(CommandError::unknown("format", name, names))
}

/// What stands before the paths of files that are inside the program.
const SHIPPED: &str = shipped::PREFIX;

/// The decks made for a format or for what it extends: those of packs that somebody gave, and those that come with the program.
fn decks_for_format<'a>(picked: &SelectedFormat<'a>) -> (Vec<&'a Deck>, Vec<&'a Deck>) {
    let game = picked.game;
    let ancestors = picked.ancestors();
    let decks = ancestors.iter().flat_map(|name| game.decks.iter().filter(move |deck| deck.format == *name));
    let is_shipped =
        |deck: &&Deck| game.library.files.get(deck.source.file as usize).is_some_and(|file| file.starts_with(SHIPPED));
    let (shipped, own) = decks.partition(is_shipped);
    (own, shipped)
}

/// How many take part in a game of a format.
fn players(picked: &SelectedFormat<'_>) -> (usize, usize) {
    picked.format().map_or((2, 2), |format| (usize::from(format.min_players), usize::from(format.max_players)))
}

/// The cards of the decks that [`table`] looks at: of those that are named; without any, of those among which it chooses.
pub fn looked_at(picked: &SelectedFormat<'_>, wanted: &[String]) -> Result<Vec<DefId>, CommandError> {
    if !wanted.is_empty() {
        return Ok(pool(&named(picked, wanted)?));
    }
    let (mut decks, others) = decks_for_format(picked);
    // beside own decks those that come with the program are looked at, too: whether they are legal
    let looked = if decks.is_empty() { players(picked).0 } else { others.len() };
    decks.extend(others.into_iter().take(looked));
    Ok(pool(&decks))
}

/// The decks that the command line names, one for each player.
fn named<'a>(picked: &SelectedFormat<'a>, wanted: &[String]) -> Result<Vec<&'a Deck>, CommandError> {
    wanted.iter().map(|name| deck(picked, name)).collect()
}

/// The decks of a game for which none is named: the legal ones of the pack that is given, then those that come with the program and are legal,
/// too. And what is said of those that are passed over. Where none is legal, the own ones are played all the same.
fn chosen<'a>(picked: &SelectedFormat<'a>) -> Result<(Vec<&'a Deck>, Vec<String>), CommandError> {
    let (own, mut others) = decks_for_format(picked);
    let (mut decks, mut passed_over, mut said) = (Vec::new(), Vec::new(), Vec::new());
    if !own.is_empty() {
        let program = Program::link(picked.game, picked.index, &[]);
        let program = Arc::new(program.ok_or_else(|| CommandError::Defect("the format cannot be linked".into()))?);
        for deck in own {
            match illegal(&program, picked, deck) {
                None => decks.push(deck),
                Some(why) => {
                    said.push(format!("{why}: it is passed over (`--deck` takes it all the same)"));
                    passed_over.push(deck);
                }
            }
        }
        others.retain(|deck| illegal(&program, picked, deck).is_none());
    }
    decks.extend(others);
    if decks.is_empty() {
        // better one that breaks a rule for decks than no game; the table tells of it
        (decks, said) = (passed_over, Vec::new());
    }
    decks.truncate(players(picked).0);
    if decks.is_empty() {
        let format = picked.format().map_or("", |format| format.name.as_str());
        let help = Some("name one by `--deck`".to_owned());
        return Err(CommandError::Usage { message: format!("there is no deck for `{format}`"), help });
    }
    Ok((decks, said))
}

/// Why a deck is not legal in a format.
fn illegal(program: &Arc<Program>, picked: &SelectedFormat<'_>, deck: &Deck) -> Option<String> {
    let problems = fizzle_runtime::deck::check(program, deck, &picked.ancestors());
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    Some(format!("the deck `{}` is not legal in {}: {first}{more}", deck.name, program.format.name))
}

/// A deck of each player. One deck is everybody's.
fn seated<'a>(picked: &SelectedFormat<'a>, mut decks: Vec<&'a Deck>) -> Result<Vec<&'a Deck>, CommandError> {
    let (least, most) = players(picked);
    if let [only] = decks.as_slice() {
        decks = vec![*only; least.max(1)];
    }
    if !(least..=most).contains(&decks.len()) {
        let players = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(CommandError::usage(format!("{} decks were named for {players} players", decks.len())));
    }
    Ok(decks)
}

/// The deck of a name. A file stands for the first deck in it; it must have been compiled along.
pub fn deck<'a>(picked: &SelectedFormat<'a>, name: &str) -> Result<&'a Deck, CommandError> {
    let wanted = if is_file(name) {
        decks_in(name)?.into_iter().next().ok_or_else(|| CommandError::Problem(format!("there is no deck in `{name}`")))?
    } else {
        name.to_owned()
    };
    let found = picked.game.decks.iter().find(|deck| deck.name == wanted);
    found.ok_or_else(|| CommandError::unknown("deck", &wanted, picked.game.decks.iter().map(|deck| deck.name.as_str())))
}

/// Whether the name of a deck is the path of a file.
pub fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "fz") || Path::new(name).is_file()
}

/// The names of the decks written in a file.
pub fn decks_in(path: &str) -> Result<Vec<String>, CommandError> {
    let text = crate::paths::read(Path::new(path))?;
    let parsed = fizzle_grammar::parse_file(0, &text);
    let decks = parsed.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Deck(deck) => Some(deck.name.text.to_string()),
        _ => None,
    });
    Ok(decks.collect())
}

/// The formats of the decks that are meant by a file, or by the name of one that is given or shipped.
pub fn formats_of(deck: &str, paths: &[String]) -> Result<Vec<String>, CommandError> {
    let file = is_file(deck);
    let texts: Vec<String> = if file {
        vec![crate::paths::read(Path::new(deck))?]
    } else {
        let everything: Vec<&str> = shipped::packs().iter().map(|pack| pack.name.as_str()).collect();
        let given = SourceSet::read(paths, &everything, true)?;
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
        let help = Some("name a format by `--format`".to_owned());
        return Err(CommandError::Usage { message: format!("no format is known for `{deck}`"), help });
    }
    Ok(formats)
}

/// A match as the command line describes it.
#[derive(Clone, Debug)]
pub struct GameSetup<'a> {
    /// The format.
    pub picked: SelectedFormat<'a>,
    /// The names of the decks, by player.
    pub names: Vec<String>,
    /// The rules, linked for these decks.
    pub program: Arc<Program>,
    /// The decks of the players.
    pub decks: Vec<Deck>,
    /// The cards of the players.
    pub seats: Vec<SeatCards>,
    /// What is to be said of decks that were not chosen.
    skipped_decks: Vec<String>,
}

impl GameSetup<'_> {
    /// The same for another thread.
    #[must_use]
    pub fn clone_for_thread(&self) -> Self {
        Self { program: Arc::new(self.program.clone_for_thread()), ..self.clone() }
    }

    /// Tells of decks that are not legal in the format: own ones are passed over where none is named, others are played all the same.
    pub fn report_illegal_decks(&self) {
        let played = self.decks.iter().filter_map(|deck| illegal(&self.program, &self.picked, deck));
        let mut told: Vec<String> = self.skipped_decks.iter().cloned().chain(played).collect();
        told.dedup();
        for what in told {
            output::note(format!("warning: {what}"));
        }
    }

    /// A match of the decks, in this order of seats.
    pub fn series(&self, best_of: u32, decks: &[Deck], seed: u64) -> Result<Match, CommandError> {
        Match::new(&self.program, &self.picked.ancestors(), Some(best_of), decks, seed).map_err(|error| match error {
            MatchError::Games(_) => {
                CommandError::Usage { message: error.to_string(), help: Some("write `--best-of 3`".to_owned()) }
            }
            error => CommandError::Problem(error.to_string()),
        })
    }
}

/// The cards of decks.
pub fn pool(decks: &[&Deck]) -> Vec<DefId> {
    decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect()
}

/// Finds format and decks, and links them.
pub fn table<'a>(artifact: &'a Artifact, name: &str, wanted: &[String]) -> Result<GameSetup<'a>, CommandError> {
    let picked = format(artifact, name)?;
    let (decks, passed_over) = if wanted.is_empty() { chosen(&picked)? } else { (named(&picked, wanted)?, Vec::new()) };
    let decks = seated(&picked, decks)?;
    let pool = pool(&decks);
    let program = Program::link_for(picked.game, picked.index, &pool, decks.len())
        .ok_or_else(|| CommandError::Defect("the format cannot be linked".into()))?;
    let seats = decks.iter().map(|deck| seat_cards(&program, deck)).collect();
    let names = decks.iter().map(|deck| deck.name.clone()).collect();
    let decks = decks.into_iter().cloned().collect();
    Ok(GameSetup { picked, names, program: Arc::new(program), decks, seats, skipped_decks: passed_over })
}
