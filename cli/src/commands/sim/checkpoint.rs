//! Checkpoints: result files from which an interrupted run is resumed.

use super::result_file::read_to_replace;
use crate::failure::CommandError;
use fizzle_results::SimResult;
use std::path::Path;

/// Reads the saved result of the same run. `None` if the file does not exist.
///
/// # Errors
/// The file does not contain exactly one result, or it is of a different run.
pub fn resume(path: &str, this: &SimResult) -> Result<Option<SimResult>, CommandError> {
    if !Path::new(path).exists() {
        return Ok(None);
    }
    let mut kept = read_to_replace(path)?;
    let (Some(mut kept), true) = (kept.pop(), kept.is_empty()) else {
        return Err(CommandError::Problem(format!("`{path}` does not contain exactly one simulation result")));
    };
    let difference = this.find_difference(&kept).or_else(|| (kept.shard != this.shard).then_some("shard"));
    if let Some(what) = difference {
        let message = format!("cannot resume `{path}`: it is a different run (different {what})");
        return Err(CommandError::ProblemWithHelp { message, help: "use another file to start a new run".to_owned() });
    }
    kept.seconds = None;
    Ok(Some(kept))
}
