//! Where a result is written besides the terminal: one set of options for simulations and merges.

use super::result::SimResult;
use super::{csv, html, terminal};
use crate::failure::CommandError;
use crate::files;
use crate::output::MessageFormat;
use std::path::Path;

/// Files that are wanted of a result.
#[derive(Debug, clap::Args)]
pub struct OutputOptions {
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

impl OutputOptions {
    /// Whether the cards have to be watched.
    pub fn want_cards(&self) -> bool {
        self.cards || self.out.is_some() || self.csv.is_some() || self.html.is_some()
    }

    /// Tells beforehand what could not be written, or would be written over: what is read, or another result.
    pub fn prepare(&self, read: &[String]) -> Result<(), CommandError> {
        if let Some(directory) = &self.csv {
            std::fs::create_dir_all(directory).map_err(|e| CommandError::usage(format!("`{directory}` cannot be made: {e}")))?;
        }
        let table = |directory: &String| format!("{directory}/{}", csv::FIRST);
        let files: Vec<String> =
            [self.out.clone(), self.html.clone(), self.csv.as_ref().map(table)].into_iter().flatten().collect();
        for (number, file) in files.iter().enumerate() {
            let path = Path::new(file);
            if read.iter().any(|read| files::are_same(Path::new(read), path)) {
                return Err(CommandError::usage(format!("`{file}` is read: the result would be written over it")));
            }
            if files.iter().skip(number + 1).any(|other| files::are_same(Path::new(other), path)) {
                return Err(CommandError::usage(format!("two results would be written to `{file}`")));
            }
            files::can_be_written(path)?;
        }
        Ok(())
    }

    /// Writes the files.
    fn write(&self, tally: &SimResult) -> Result<(), CommandError> {
        if let Some(path) = &self.out {
            files::write(Path::new(path), tally.file()?.as_bytes())?;
        }
        if let Some(directory) = &self.csv {
            std::fs::create_dir_all(directory).map_err(|e| CommandError::usage(format!("`{directory}` cannot be made: {e}")))?;
            for (name, text) in csv::tables(tally) {
                files::write(&Path::new(directory).join(name), text.as_bytes())?;
            }
        }
        if let Some(path) = &self.html {
            files::write(Path::new(path), html::page(tally).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the files, and shows the result.
    pub fn give(&self, tally: &SimResult, format: MessageFormat) -> Result<(), CommandError> {
        self.write(tally)?;
        terminal::show(tally, format, self.cards)
    }
}
