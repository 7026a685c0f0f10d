//! Writing traces: only those that can be read again.

use crate::failure::CommandError;
use fizzle_runtime::trace::MAX_BYTES;

/// Checks that an encoded trace can be read again. `name`: the file that it would have.
///
/// # Errors
/// It is larger than a trace that is read.
pub fn check_size(name: &str, bytes: &[u8]) -> Result<(), CommandError> {
    if bytes.len() <= MAX_BYTES {
        return Ok(());
    }
    let message =
        format!("the trace `{name}` is not written: it would have {} bytes, the limit is {MAX_BYTES} bytes", bytes.len());
    let help = "shorten the names of cards, or the game: a trace holds the names of all cards and all answers".to_owned();
    Err(CommandError::ProblemWithHelp { message, help })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fizzle_runtime::trace::{Trace, TraceError};

    #[test]
    fn what_is_written_can_be_read() {
        // The size is checked before anything else.
        for (bytes, is_written) in [(vec![b'x'; MAX_BYTES], true), (vec![b'x'; MAX_BYTES + 1], false)] {
            assert_eq!(check_size("game-0.fzt", &bytes).is_ok(), is_written);
            assert_eq!(Trace::decode(&bytes) == Err(TraceError::Malformed("it is too large")), !is_written);
        }
    }
}
