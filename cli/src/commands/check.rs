//! `fizzle check`: checks sources and prints their diagnostics.

use crate::cards_of_packs::name_packs_of_unknown_cards;
use crate::failure::{CommandError, ExitStatus};
use crate::load::plural;
use crate::output::{self, MessageFormat};
use crate::paths::SourceSet;
use crate::watch::RunSummary;
use clap::ValueEnum;
use fizzle_compiler::LintLevels;
use fizzle_compiler::session::Session;

/// Checks sources. Diagnostics go to stderr.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, or names of shipped games or formats; `-` is the standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// The format of the diagnostics
    #[arg(long, value_enum, default_value_t)]
    message_format: Format,
    /// Report a warning as an error: its code, or `warnings` for all
    #[arg(long, value_name = "CODE")]
    deny: Vec<String>,
    /// Hide a warning: its code, or `warnings` for all
    #[arg(long, value_name = "CODE")]
    allow: Vec<String>,
    /// Check again after each change, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// The format of the diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, to stderr.
    #[default]
    Human,
    /// One JSON object per line, to stderr.
    Json,
    /// One SARIF 2.1.0 document, to stdout.
    Sarif,
}

impl Args {
    fn levels(&self) -> Result<LintLevels, CommandError> {
        let mut levels = LintLevels::default();
        self.allow.iter().try_for_each(|code| levels.allow(code)).map_err(CommandError::usage)?;
        self.deny.iter().try_for_each(|code| levels.deny(code)).map_err(CommandError::usage)?;
        Ok(levels)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let mut session = Session::default();
    session.set_levels(args.levels()?);
    let format = if args.message_format == Format::Json { MessageFormat::Json } else { MessageFormat::Human };
    if let Some(binary) = args.paths.iter().find(|path| path.ends_with(".fzb")) {
        let compiled = crate::load::load(std::slice::from_ref(binary), &[], false, format)?;
        if args.message_format == Format::Human {
            output::line(format!("`{binary}` is valid: {}", plural(compiled.artifact.games.len(), "game")));
        }
        // Not dropped, for the reason given at `session` below.
        std::mem::forget(compiled);
        return Ok(ExitStatus::Success);
    }
    if args.watch {
        if args.message_format == Format::Sarif {
            let message = "`--message-format sarif` cannot be combined with `--watch`".to_owned();
            return Err(CommandError::Usage { message, help: Some("use `--message-format json`".to_owned()) });
        }
        return crate::watch::watch(&args.paths, format == MessageFormat::Human, |given| Ok(check(args, &mut session, given)));
    }
    let summary = check(args, &mut session, SourceSet::read_paths(&args.paths, &[], false)?);
    if args.message_format == Format::Human {
        output::line(&summary.result);
    }
    // The program ends, so freeing the memory of tens of thousands of cards one by one would only cost time.
    std::mem::forget(session);
    Ok(summary.status)
}

/// Updates the session to the given files, checks what the changes can affect, and prints all diagnostics.
fn check(args: &Args, session: &mut Session, given: SourceSet) -> RunSummary {
    let files = plural(given.requested.len(), "file");
    session.keep(&given.files);
    session.check();
    let mut compilation = session.to_compilation();
    name_packs_of_unknown_cards(&mut compilation);
    let (errors, warnings) = match args.message_format {
        Format::Sarif => output::sarif_document(&compilation),
        Format::Json => output::diagnostics(&compilation, MessageFormat::Json),
        Format::Human => output::diagnostics(&compilation, MessageFormat::Human),
    };
    let result = if errors + warnings == 0 {
        format!("{files}, no problems")
    } else {
        format!("{files}, {}, {}", plural(errors, "error"), plural(warnings, "warning"))
    };
    RunSummary { status: if errors > 0 { ExitStatus::Problems } else { ExitStatus::Success }, result }
}
