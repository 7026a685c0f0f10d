//! Reads the files of results.

use crate::failure::CommandError;
use fizzle_results::{SimResult, parse_results};
use std::path::Path;

/// The largest result file that is read, in bytes.
const MAX_RESULT_BYTES: u64 = 8 << 20;

/// Reads the results in a file, one per line.
pub fn read(path: &str) -> Result<Vec<SimResult>, CommandError> {
    parse(path, &crate::paths::read_bounded(Path::new(path), MAX_RESULT_BYTES, "a result")?)
}

/// Reads a file that the run will overwrite, as [`read`] does.
pub fn read_to_replace(path: &str) -> Result<Vec<SimResult>, CommandError> {
    let bytes = crate::files::read_to_replace(Path::new(path), MAX_RESULT_BYTES, "a result")?;
    parse(path, &crate::paths::to_text(Path::new(path), bytes)?)
}

fn parse(path: &str, text: &str) -> Result<Vec<SimResult>, CommandError> {
    parse_results(text).map_err(|error| CommandError::Problem(format!("`{path}`: {error}")))
}
