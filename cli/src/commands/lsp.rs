//! `fizzle lsp`: the language server of editors.

use crate::failure::{CommandError, ExitStatus};

/// Serves an editor: the Language Server Protocol over stdin and stdout
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Accepted, because many editors say it: there is no other way
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub fn run(_args: &Args) -> Result<ExitStatus, CommandError> {
    if crate::lsp::serve() {
        Ok(ExitStatus::Success)
    } else {
        Err(CommandError::Problem("the editor went away without saying goodbye".to_owned()))
    }
}
