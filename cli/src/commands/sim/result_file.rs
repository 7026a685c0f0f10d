//! Reads and writes the files of results.

use crate::failure::CommandError;
use crate::files;
use fizzle_results::{SimResult, parse_results};
use std::path::Path;

/// The largest result file that is read or written, in bytes.
const MAX_RESULT_BYTES: u64 = 8 << 20;

/// Reads the results in a file, one per line.
pub fn read(path: &str) -> Result<Vec<SimResult>, CommandError> {
    parse(path, &crate::paths::read_bounded(Path::new(path), MAX_RESULT_BYTES, "a result")?)
}

/// Reads a file that the run will overwrite, as [`read`] does.
pub fn read_to_replace(path: &str) -> Result<Vec<SimResult>, CommandError> {
    let bytes = files::read_to_replace(Path::new(path), MAX_RESULT_BYTES, "a result")?;
    parse(path, &crate::paths::to_text(Path::new(path), bytes)?)
}

/// Writes a result.
///
/// # Errors
/// It could not be read again, or the file cannot be written.
pub fn write(path: &str, result: &SimResult) -> Result<(), CommandError> {
    let text = result.to_file_text().map_err(CommandError::defect)?;
    if text.len() as u64 > MAX_RESULT_BYTES {
        let bytes = text.len();
        let message =
            format!("the result `{path}` is not written: it would have {bytes} bytes, the limit is {MAX_RESULT_BYTES} bytes");
        let help = "play decks with fewer cards, or with shorter names: a result counts each card of each deck".to_owned();
        return Err(CommandError::ProblemWithHelp { message, help });
    }
    files::write(Path::new(path), text.as_bytes())
}

fn parse(path: &str, text: &str) -> Result<Vec<SimResult>, CommandError> {
    parse_results(text).map_err(|error| CommandError::Problem(format!("`{path}`: {error}")))
}
