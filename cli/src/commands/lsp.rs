//! `fizzle lsp`: runs the language server for editors.

use crate::failure::{CommandError, ExitStatus};
use crate::files;
use fizzle_lsp::{Host, SessionEnd};
use fizzle_workbench::requests::Workbench;
use std::path::Path;
use std::sync::Arc;

/// Runs the language server for editors (Language Server Protocol over stdin and stdout)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Accepted for editors that pass it; the server always uses stdin and stdout
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub fn run(_args: &Args) -> Result<ExitStatus, CommandError> {
    let problem = match fizzle_lsp::serve_stdio(Host {
        reads_files: true,
        write_copy: Some(write_copy),
        pack_requests: Some(Arc::new(Workbench::default())),
    }) {
        SessionEnd::ShutDown => return Ok(ExitStatus::Success),
        SessionEnd::Exit => "the editor ended the server without a shutdown request".to_owned(),
        SessionEnd::Disconnected => "the editor disconnected without a shutdown request".to_owned(),
        SessionEnd::Broken(why) => format!("the input of the language server cannot be read: {why}"),
    };
    Err(CommandError::Problem(problem))
}

/// Writes a copy of an embedded file: to a temporary file that is renamed, so that no process reads a partial copy.
fn write_copy(path: &Path, bytes: &[u8]) -> bool {
    let folder = path.parent().is_some_and(|folder| files::create_folder(folder).is_ok());
    folder && files::replace(path, bytes).is_ok()
}
