//! `fizzle new`: creates a small pack from a template: cards, a keyword, a deck, a house format, scenarios. It checks, tests and plays.

use crate::failure::{CommandError, ExitStatus};
use crate::output::{self, shell_quoted};
use crate::shipped;
use fizzle::files::displayed_path;
use fizzle_grammar::hidden_characters::first_hidden;
use include_dir::{Dir, include_dir};
use std::path::{Path, PathBuf};

/// The templates: a directory for each shipped game that has one. `NAME`, `GAME` and `HOUSE` are placeholders in the files.
static TEMPLATES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Creates a small pack that checks, tests and plays.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory to create
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The shipped game or format that the pack extends
    #[arg(long, value_name = "G", default_value = "magic")]
    game: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if shipped::find_pack(&args.game).is_none() {
        let unknown = CommandError::unknown_name("game", &args.game, shipped::names());
        return Err(match shipped::guess_game(&args.game) {
            Some(name) => unknown.with_help(format!("did you mean `{name}`?")),
            None => unknown,
        });
    }
    let directory = &args.directory;
    let shown = displayed_path(directory);
    let is_occupied = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if is_occupied || directory.is_file() {
        return Err(CommandError::usage(format!("`{shown}` already exists")));
    }
    let name = pack_name(directory)?;
    if shipped::names().contains(name.as_str()) {
        return Err(CommandError::usage(format!(
            "`{name}` is the name of a shipped game or format; choose another directory name"
        )));
    }
    let game = &args.game;
    let house = format!("{name}_house");
    let manifest = format!("/// A new pack.\npack {name} {{\n  edition 2\n  title \"{name}\"\n  extends {game}\n}}\n");
    let mut files = vec![(PathBuf::from("pack.fz"), manifest)];
    for file in find_template(game).into_iter().flat_map(Dir::files) {
        let text = file.contents_utf8().unwrap_or_default();
        let text = text.replace("HOUSE", &house).replace("NAME", &name).replace("GAME", game);
        files.push((file.path().file_name().map_or_else(PathBuf::new, PathBuf::from), text));
    }
    crate::files::create_folder(directory)?;
    for (file, text) in files {
        crate::files::create(&directory.join(file), fizzle_grammar::format(&text).as_bytes())?;
    }
    output::line(format!("created pack `{name}` in `{shown}`; next:"));
    let directory_argument = shell_quoted(&directory.to_string_lossy());
    for line in [
        format!("fizzle check {directory_argument}"),
        format!("fizzle test {directory_argument}"),
        format!("fizzle sim {directory_argument} --games 10"),
        format!("fizzle play {directory_argument}"),
        format!("fizzle serve {directory_argument}   in the browser, with the workbench"),
    ] {
        output::line(format!("  {line}"));
    }
    output::line("offline help:");
    for line in [
        format!("fizzle explain {game}   its turn, plays, zones and rules"),
        "fizzle explain draw   a verb, keyword, zone, step or card, by its name".to_owned(),
        "fizzle explain E0201   a message code".to_owned(),
        "fizzle reference   the whole language".to_owned(),
    ] {
        output::line(format!("  {line}"));
    }
    Ok(ExitStatus::Success)
}

/// The template of a game or format, else that of the nearest one that it extends.
fn find_template(game: &str) -> Option<&'static Dir<'static>> {
    shipped::lineage(game).into_iter().find_map(|pack| TEMPLATES.get_dir(pack))
}

/// Derives the name of a pack from its directory: letters, digits and `_`.
///
/// # Errors
/// The directory is called so that no one would recognise the pack: with characters other than letters, digits, `_`, `-`, `.` and blanks.
fn pack_name(directory: &Path) -> Result<String, CommandError> {
    let last = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let is_allowed = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    let name: String = last.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let name = if name.starts_with(char::is_alphabetic) { name } else { format!("pack_{name}") };
    if last.chars().all(is_allowed) && first_hidden(&last).is_none() {
        return Ok(name);
    }
    let plain = name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    let refused = CommandError::usage(format!("`{last}` cannot be the name of a pack: use letters, digits, `_` and `-`"));
    Err(refused.with_help(format!("write `fizzle new {plain}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_names_become_identifiers() {
        assert_eq!(pack_name(Path::new("/tmp/My Set-2")).ok().as_deref(), Some("my_set_2"));
        assert_eq!(pack_name(Path::new("2nd")).ok().as_deref(), Some("pack_2nd"));
        assert_eq!(pack_name(Path::new("..")).ok().as_deref(), Some("pack_"));
        for refused in ["a\" { } card \"b", "$(x)", "a\u{202e}b", "a;b", "a\nb", "a/`b`"] {
            assert!(pack_name(Path::new(refused)).is_err(), "{refused:?}");
        }
    }
}
