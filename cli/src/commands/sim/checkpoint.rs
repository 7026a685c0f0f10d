//! Files of results that are continued from.

use super::result::{self, SimResult};
use crate::failure::CommandError;
use std::path::Path;

/// What was kept of an earlier run, to go on from; none when nothing was.
pub fn resume(path: &str, this: &SimResult) -> Result<Option<SimResult>, CommandError> {
    if !Path::new(path).exists() {
        return Ok(None);
    }
    let mut kept = result::read(path)?;
    let (Some(mut kept), true) = (kept.pop(), kept.is_empty()) else {
        return Err(CommandError::Problem(format!("`{path}` does not hold one result of a simulation")));
    };
    let other = this.differs(&kept).or_else(|| (kept.shard != this.shard).then_some("shard"));
    if let Some(what) = other {
        let message = format!("`{path}` cannot be continued: it has other {what} than this run");
        return Err(CommandError::Usage { message, help: Some("name another file to begin anew".to_owned()) });
    }
    kept.seconds = None;
    Ok(Some(kept))
}
