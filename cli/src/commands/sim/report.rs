//! Where a result is written besides the terminal: one set of options for simulations and merges.

use super::result::Tally;
use super::{csv, html, save, show};
use crate::failure::Failure;
use crate::out::MessageFormat;

/// Files that are wanted of a result.
#[derive(Debug, clap::Args)]
pub struct Reports {
    /// Write the whole result to this file as well, as JSON; `sim` keeps it up to date while it plays
    #[arg(long, value_name = "FILE")]
    pub out: Option<String>,
    /// Write tables for spreadsheets into this directory: `decks.csv`, `cards.csv`, `lengths.csv`
    #[arg(long, value_name = "DIR")]
    csv: Option<String>,
    /// Write a page with tables and plots to this file; it needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// Show how often each card was drawn and played, and how often its deck won then
    #[arg(long)]
    pub cards: bool,
}

impl Reports {
    /// Whether the cards have to be watched.
    pub fn want_cards(&self) -> bool {
        self.cards || self.out.is_some() || self.csv.is_some() || self.html.is_some()
    }

    /// Writes the files.
    fn write(&self, tally: &Tally) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            save::write(path, &tally.file()?)?;
        }
        if let Some(directory) = &self.csv {
            std::fs::create_dir_all(directory).map_err(|e| Failure::usage(format!("`{directory}` cannot be made: {e}")))?;
            for (name, text) in csv::tables(tally) {
                save::write(&format!("{directory}/{name}"), &text)?;
            }
        }
        if let Some(path) = &self.html {
            save::write(path, &html::page(tally))?;
        }
        Ok(())
    }

    /// Writes the files, and shows the result.
    pub fn give(&self, tally: &Tally, format: MessageFormat) -> Result<(), Failure> {
        self.write(tally)?;
        show::show(tally, format, self.cards)
    }
}
