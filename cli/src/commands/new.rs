//! `fizzle new`: creates a small pack from a template: cards, a keyword, a deck, a house format, scenarios. It checks, tests and plays.

use crate::failure::{CommandError, ExitStatus};
use crate::output;
use crate::shipped;
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
    let is_occupied = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if is_occupied || directory.is_file() {
        return Err(CommandError::usage(format!("`{}` already exists", directory.display())));
    }
    let name = pack_name(directory);
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
    std::fs::create_dir_all(directory)
        .map_err(|e| CommandError::usage(format!("cannot create `{}`: {e}", directory.display())))?;
    for (file, text) in files {
        let path = directory.join(file);
        std::fs::write(&path, fizzle_grammar::format(&text))
            .map_err(|e| CommandError::usage(format!("cannot write `{}`: {e}", path.display())))?;
    }
    output::line(format!("created pack `{name}` in `{}`; next:", directory.display()));
    let directory_argument = shell_quoted(&directory.to_string_lossy());
    for line in [
        format!("fizzle check {directory_argument}"),
        format!("fizzle test {directory_argument}"),
        format!("fizzle sim {directory_argument} --games 10"),
        format!("fizzle play {directory_argument}"),
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

/// A path quoted so that a shell reads it as one word.
fn shell_quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=\\".contains(c);
    if path.starts_with('-') {
        return shell_quoted(&format!("./{path}"));
    }
    if path.chars().all(is_plain) && !path.is_empty() { path.to_owned() } else { format!("\"{path}\"") }
}

/// Derives the name of a pack from its directory: letters, digits and `_`.
fn pack_name(directory: &Path) -> String {
    let last = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name: String = last.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    match name.chars().next() {
        Some(first) if first.is_alphabetic() => name,
        _ => format!("pack_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_spaces_are_quoted() {
        assert_eq!(shell_quoted("/tmp/my_set-2"), "/tmp/my_set-2");
        assert_eq!(shell_quoted("my game"), "\"my game\"");
    }

    #[test]
    fn directory_names_become_identifiers() {
        assert_eq!(pack_name(Path::new("/tmp/My Set-2")), "my_set_2");
        assert_eq!(pack_name(Path::new("2nd")), "pack_2nd");
        assert_eq!(pack_name(Path::new("..")), "pack_");
    }
}
