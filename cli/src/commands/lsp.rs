//! `fizzle lsp`: runs the language server for editors.

use crate::failure::{CommandError, ExitStatus};
use crate::lsp::SessionEnd;

/// Runs the language server for editors (Language Server Protocol over stdin and stdout)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Accepted for editors that pass it; the server always uses stdin and stdout
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub fn run(_args: &Args) -> Result<ExitStatus, CommandError> {
    let problem = match crate::lsp::serve() {
        SessionEnd::ShutDown => return Ok(ExitStatus::Success),
        SessionEnd::Exit => "the editor ended the server without a shutdown request".to_owned(),
        SessionEnd::Disconnected => "the editor disconnected without a shutdown request".to_owned(),
        SessionEnd::Broken(why) => format!("the input of the language server cannot be read: {why}"),
    };
    Err(CommandError::Problem(problem))
}
