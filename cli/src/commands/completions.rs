//! `fizzle completions`: prints the completions of commands and options for a shell.

use crate::failure::ExitStatus;
use crate::output;
use clap_complete::Shell;

/// Prints completions for a shell: `fizzle completions bash > ~/.local/share/bash-completion/completions/fizzle`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command. `program`: the description of the command line.
pub fn run(args: &Args, mut program: clap::Command) -> ExitStatus {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "fizzle", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end());
    ExitStatus::Success
}
