//! Finding what the command line names: formats, decks, cards.

use crate::failure::Failure;
use crate::out;
use fizzle_grammar::tree::ItemKind;
use fizzle_runtime::game::{SeatCards, seat_cards};
use fizzle_runtime::ir::{Artifact, Deck, DefId, Format, GameArtifact};
use fizzle_runtime::program::Program;
use fizzle_runtime::series::{Series, SeriesError};
use std::path::Path;
use std::sync::Arc;

/// A format of a game.
#[derive(Clone, Copy, Debug)]
pub struct Picked<'a> {
    /// The game.
    pub game: &'a GameArtifact,
    /// Index into its formats.
    pub index: usize,
}

impl<'a> Picked<'a> {
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

/// The format of a name.
pub fn format<'a>(artifact: &'a Artifact, name: &str) -> Result<Picked<'a>, Failure> {
    for game in &artifact.games {
        if let Some(index) = game.formats.iter().position(|format| format.name == name) {
            return Ok(Picked { game, index });
        }
    }
    let names: Vec<&str> = artifact.games.iter().flat_map(|game| &game.formats).map(|format| format.name.as_str()).collect();
    Err(Failure::unknown("format", name, names))
}

/// The decks of the command line, or the first ones made for the format or for what it extends. A file stands for the first deck in it;
/// it must have been compiled along.
pub fn decks<'a>(picked: &Picked<'a>, wanted: &[String]) -> Result<Vec<&'a Deck>, Failure> {
    let (least, most) = picked.format().map_or((2, 2), |format| (usize::from(format.least), usize::from(format.players)));
    let seats = wanted.len().max(least);
    let mut decks = Vec::new();
    for name in wanted {
        decks.push(deck(picked, name)?);
    }
    if wanted.is_empty() {
        let ancestors = picked.ancestors();
        for name in &ancestors {
            decks.extend(picked.game.decks.iter().filter(|deck| deck.format == *name));
        }
        decks.truncate(seats);
        if decks.is_empty() {
            let format = ancestors.first().map_or("", String::as_str);
            let help = Some("name one by `--deck`".to_owned());
            return Err(Failure::Usage { message: format!("there is no deck for `{format}`"), help });
        }
    }
    if decks.len() == 1 {
        // Everybody plays the same one.
        decks = decks.iter().copied().cycle().take(seats).collect();
    }
    if !(least..=most).contains(&decks.len()) {
        let players = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(Failure::usage(format!("{} decks were named for {players} players", decks.len())));
    }
    Ok(decks)
}

fn deck<'a>(picked: &Picked<'a>, name: &str) -> Result<&'a Deck, Failure> {
    let wanted = if is_file(name) {
        decks_in(name)?.into_iter().next().ok_or_else(|| Failure::Problem(format!("there is no deck in `{name}`")))?
    } else {
        name.to_owned()
    };
    let found = picked.game.decks.iter().find(|deck| deck.name == wanted);
    found.ok_or_else(|| Failure::unknown("deck", &wanted, picked.game.decks.iter().map(|deck| deck.name.as_str())))
}

/// Whether the name of a deck is the path of a file.
pub fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "fz") || Path::new(name).is_file()
}

/// The names of the decks written in a file.
pub fn decks_in(path: &str) -> Result<Vec<String>, Failure> {
    let text = crate::paths::read(Path::new(path))?;
    let parsed = fizzle_grammar::parse_file(0, &text);
    let decks = parsed.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Deck(deck) => Some(deck.name.text.to_string()),
        _ => None,
    });
    Ok(decks.collect())
}

/// A match as the command line describes it.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The format.
    pub picked: Picked<'a>,
    /// The names of the decks, by player.
    pub names: Vec<String>,
    /// The rules, linked for these decks.
    pub program: Arc<Program>,
    /// The decks of the players.
    pub decks: Vec<Deck>,
    /// The cards of the players.
    pub seats: Vec<SeatCards>,
}

impl Table<'_> {
    /// The same for another thread.
    #[must_use]
    pub fn twin(&self) -> Self {
        Self { program: Arc::new(self.program.twin()), ..self.clone() }
    }

    /// Tells of decks that are not legal in the format; single games are played with them all the same.
    pub fn tell_illegal(&self) {
        for deck in &self.decks {
            let problems = fizzle_runtime::deck::check(&self.program, deck, &self.picked.ancestors());
            if let Some(first) = problems.first() {
                let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
                out::note(format!(
                    "warning: the deck `{}` is not legal in {}: {first}{more}",
                    deck.name, self.program.format.name
                ));
            }
        }
    }

    /// A match of the decks, in this order of seats.
    pub fn series(&self, best_of: u32, decks: &[Deck], seed: u64) -> Result<Series, Failure> {
        Series::new(&self.program, &self.picked.ancestors(), Some(best_of), decks, seed).map_err(|error| match error {
            SeriesError::Games(_) => Failure::Usage { message: error.to_string(), help: Some("write `--best-of 3`".to_owned()) },
            error => Failure::Problem(error.to_string()),
        })
    }
}

/// The cards of decks.
pub fn pool(decks: &[&Deck]) -> Vec<DefId> {
    decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect()
}

/// Finds format and decks, and links them.
pub fn table<'a>(artifact: &'a Artifact, name: &str, wanted: &[String]) -> Result<Table<'a>, Failure> {
    let picked = format(artifact, name)?;
    let decks = decks(&picked, wanted)?;
    let pool = pool(&decks);
    let program = Program::link_for(picked.game, picked.index, &pool, decks.len())
        .ok_or_else(|| Failure::Defect("the format cannot be linked".into()))?;
    let seats = decks.iter().map(|deck| seat_cards(&program, deck)).collect();
    let names = decks.iter().map(|deck| deck.name.clone()).collect();
    let decks = decks.into_iter().cloned().collect();
    Ok(Table { picked, names, program: Arc::new(program), decks, seats })
}
