//! The output options of `fizzle sim` and `fizzle merge`: files to which a result is written in addition to the terminal.

use super::{result_file, terminal};
use crate::failure::CommandError;
use crate::files;
use crate::output::MessageFormat;
use fizzle::files::displayed_path;
use fizzle_results::{FIRST_TABLE, SimResult, csv_tables, html_page};
use std::path::{Path, PathBuf};

/// The output options.
#[derive(Debug, clap::Args)]
pub struct OutputOptions {
    /// Also write the whole result to this file, as JSON; `sim` keeps it up to date while it plays
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: Option<String>,
    /// Write tables for spreadsheets to this directory: `decks.csv`, `cards.csv`, `lengths.csv`
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
    /// Whether an output contains the counts of cards.
    pub fn need_card_counts(&self) -> bool {
        self.cards || self.output.is_some() || self.csv.is_some() || self.html.is_some()
    }

    /// The files, of the tables the first one.
    pub fn files(&self) -> Vec<PathBuf> {
        let table = |directory: &String| Path::new(directory).join(FIRST_TABLE);
        let files =
            [self.output.as_ref().map(PathBuf::from), self.html.as_ref().map(PathBuf::from), self.csv.as_ref().map(table)];
        files.into_iter().flatten().collect()
    }

    /// Checks before the run that all files can be written, and that none is an input or another output. Creates the directory of tables.
    pub fn check_outputs(&self) -> Result<(), CommandError> {
        if let Some(directory) = &self.csv {
            files::create_folder(Path::new(directory))?;
        }
        let files = self.files();
        for (number, path) in files.iter().enumerate() {
            if files.iter().skip(number + 1).any(|other| files::are_same_file(other, path)) {
                return Err(CommandError::usage(format!("two results would be written to `{}`", displayed_path(path))));
            }
            files::check_output(path)?;
        }
        Ok(())
    }

    /// Writes the files.
    fn write_files(&self, tally: &SimResult) -> Result<(), CommandError> {
        if let Some(path) = &self.output {
            result_file::write(path, tally)?;
        }
        if let Some(directory) = &self.csv {
            files::create_folder(Path::new(directory))?;
            for (name, text) in csv_tables(tally) {
                files::write_within(Path::new(directory), name, text.as_bytes())?;
            }
        }
        if let Some(path) = &self.html {
            files::write(Path::new(path), html_page(tally).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the files, and prints the result.
    pub fn write_and_show(&self, tally: &SimResult, format: MessageFormat) -> Result<(), CommandError> {
        self.write_files(tally)?;
        terminal::show(tally, format, self.cards)
    }
}
