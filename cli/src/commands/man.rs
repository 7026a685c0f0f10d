//! `fizzle man`: prints the manual page of the program or of a command.

use crate::failure::{CommandError, ExitStatus};
use crate::output;

/// Prints the manual page of the program or of a command, for `man`: `fizzle man > fizzle.1`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A command, such as `check` or `deck convert` (default: the program)
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command. `program`: the description of the command line.
pub fn run(args: &Args, mut program: clap::Command) -> Result<ExitStatus, CommandError> {
    program.build();
    let mut described = &program;
    for name in &args.command {
        let names: Vec<&str> = described.get_subcommands().map(clap::Command::get_name).collect();
        let found = described.find_subcommand(name);
        described = found.ok_or_else(|| CommandError::unknown_name("command", name, names))?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(described.clone()).render(&mut page).map_err(CommandError::defect)?;
    output::line(String::from_utf8_lossy(&page).trim_end());
    Ok(ExitStatus::Success)
}
