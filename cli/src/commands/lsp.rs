//! `fizzle lsp`: runs the language server for editors.

use crate::failure::{CommandError, ExitStatus};

/// Runs the language server for editors (Language Server Protocol over stdin and stdout)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Accepted for editors that pass it; the server always uses stdin and stdout
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub fn run(_args: &Args) -> Result<ExitStatus, CommandError> {
    if crate::lsp::serve() {
        Ok(ExitStatus::Success)
    } else {
        Err(CommandError::Problem("the editor disconnected without a shutdown request".to_owned()))
    }
}
