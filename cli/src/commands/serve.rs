//! `fizzle serve`: tables in a browser, for one person against bots, or for several by invite links.

use crate::failure::{CommandError, ExitStatus};
use crate::load::{LoadPurpose, load_for};
use crate::output::MessageFormat;
use crate::serve::catalogue::Catalogue;
use crate::serve::{self, ServeOptions};
use crate::shipped;
use std::path::PathBuf;

/// Serves tables to browsers: play against bots, or with others by invite links.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the formats and decks (default: all that are shipped)
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The port (default: 7878, or a free one)
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Let other machines of the network connect; plain HTTP shows them and anybody between what is sent
    #[arg(long)]
    lan: bool,
    /// A further name of this machine in links; requests for other names are refused
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The folder of running tables and of traces (default: in the data folder of the user)
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let names = shipped::names();
    let extra: Vec<&str> = if args.paths.is_empty() { names.into_iter().collect() } else { Vec::new() };
    let loaded = load_for(LoadPurpose::TextsAndDecks, &args.paths, &extra, true, MessageFormat::Human)?;
    let pack = if args.paths.is_empty() { "shipped packs".to_owned() } else { args.paths.join(", ") };
    let keep = match &args.keep {
        Some(folder) => folder.clone(),
        None => data_folder().ok_or_else(|| CommandError::usage("there is no data folder of the user: add `--keep DIR`".to_owned()))?,
    };
    let options = ServeOptions { port: args.port, lan: args.lan, hosts: args.hosts.clone(), keep };
    serve::run(&options, Catalogue::new(loaded.artifact, pack))?;
    Ok(ExitStatus::Success)
}

/// The folder for data of the user, by the conventions of the system.
fn data_folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = named("XDG_DATA_HOME")
        .or_else(|| named("LOCALAPPDATA"))
        .or_else(|| named("HOME").map(|home| home.join(".local").join("share")))?;
    Some(data.join("fizzle").join("tables"))
}
