//! `fizzle reference`: prints the reference of the language as Markdown. `fizzle explain --reference` prints the same.

use crate::failure::ExitStatus;
use crate::output;

/// Runs the command.
pub fn run() -> ExitStatus {
    output::line(crate::reference::page().trim_end());
    ExitStatus::Success
}
