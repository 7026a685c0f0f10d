//! Errors of commands and the exit statuses they lead to.

use std::fmt::{Display, Formatter, Result};

/// The exit status of the program. The numbers are a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// The command succeeded.
    Success = 0,
    /// Sources, scenarios, decks or traces have problems.
    Problems = 1,
    /// The command line is wrong, or a file that it names cannot be read or written.
    Usage = 2,
    /// An internal error: a defect of the program itself.
    Defect = 3,
    /// Ended by Ctrl-C or SIGTERM; finished work is kept. The number is 128 + SIGINT, as in shells.
    Interrupted = 130,
}

/// Why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The input has problems: sources, decks, traces.
    Problem(String),
    /// As [`CommandError::Problem`].
    ProblemWithHelp {
        /// The problem: lower case, no final period.
        message: String,
        /// What the user can do.
        help: String,
    },
    /// As [`CommandError::Problem`], with all messages printed already.
    AlreadyReported,
    /// The command line names something that does not exist or is not allowed.
    Usage {
        /// The problem: lower case, no final period.
        message: String,
        /// What the user can type instead.
        help: Option<String>,
    },
    /// An internal error: a defect of the program.
    Defect(String),
}

/// The most names that a help lists.
const MAX_NAMES_LISTED: usize = 24;

impl CommandError {
    /// Creates a [`CommandError::Usage`] without a help.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: None }
    }

    /// Creates a [`CommandError::Defect`].
    pub fn defect(problem: impl Display) -> Self {
        Self::Defect(problem.to_string())
    }

    /// Creates the error for a name that does not exist. The help suggests a similar name, or lists all if there are few.
    pub fn unknown_name<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str> + Clone) -> Self {
        let similar = fizzle_compiler::diagnostics::closest(name, names.clone()).map(|n| format!("did you mean `{n}`?"));
        let mut all: Vec<&str> = names.into_iter().collect();
        all.dedup();
        let help = similar
            .or_else(|| (!all.is_empty() && all.len() <= MAX_NAMES_LISTED).then(|| format!("available: {}", all.join(", "))));
        Self::Usage { message: format!("there is no {what} `{name}`"), help }
    }

    /// Replaces the help of a usage error.
    #[must_use]
    pub fn with_help(self, help: String) -> Self {
        match self {
            Self::Usage { message, .. } => Self::Usage { message, help: Some(help) },
            other => other,
        }
    }

    /// The error of a name that an input has, and not the command line: a problem of the input.
    #[must_use]
    pub fn into_problem(self) -> Self {
        match self {
            Self::Usage { message, help: Some(help) } => Self::ProblemWithHelp { message, help },
            Self::Usage { message, help: None } => Self::Problem(message),
            other => other,
        }
    }

    /// The exit status of the program after this error.
    pub fn status(&self) -> ExitStatus {
        match self {
            Self::Problem(_) | Self::ProblemWithHelp { .. } | Self::AlreadyReported => ExitStatus::Problems,
            Self::Usage { .. } => ExitStatus::Usage,
            Self::Defect(_) => ExitStatus::Defect,
        }
    }

    /// What the user can do, if known.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Usage { help, .. } => help.as_deref(),
            Self::ProblemWithHelp { help, .. } => Some(help),
            _ => None,
        }
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Problem(message) | Self::ProblemWithHelp { message, .. } | Self::Usage { message, .. } => f.write_str(message),
            Self::Defect(message) => write!(f, "internal error: {message}; please report it"),
            Self::AlreadyReported => Ok(()),
        }
    }
}
