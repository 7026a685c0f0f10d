//! `fizzle new`: a small pack that checks, tests and plays: cards, a keyword, a deck, a house format, scenarios.

use crate::failure::{CommandError, ExitStatus};
use crate::output;
use crate::shipped;
use include_dir::{Dir, include_dir};
use std::path::{Path, PathBuf};

/// A directory of files for each shipped game that has a beginning of its own; `NAME`, `GAME` and `HOUSE` stand for what is filled in.
static TEMPLATES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Makes a small pack.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory to be made
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The shipped game or format that it adds to
    #[arg(long, value_name = "G", default_value = "magic")]
    game: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if shipped::find(&args.game).is_none() {
        let unknown = CommandError::unknown("game", &args.game, shipped::names());
        return Err(match shipped::guess_game(&args.game) {
            Some(name) => unknown.instead(format!("did you mean `{name}`?")),
            None => unknown,
        });
    }
    let directory = &args.directory;
    let occupied = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if occupied || directory.is_file() {
        return Err(CommandError::usage(format!("`{}` exists already", directory.display())));
    }
    let name = pack_name(directory);
    if shipped::names().contains(name.as_str()) {
        return Err(CommandError::usage(format!("`{name}` is the name of a shipped game or format: choose another one")));
    }
    let game = &args.game;
    let house = format!("{name}_house");
    let manifest = format!("/// A pack of its own.\npack {name} {{\n  edition 1\n  title \"{name}\"\n  extends {game}\n}}\n");
    let mut files = vec![(PathBuf::from("pack.fz"), manifest)];
    for file in template(game).into_iter().flat_map(Dir::files) {
        let text = file.contents_utf8().unwrap_or_default();
        let text = text.replace("HOUSE", &house).replace("NAME", &name).replace("GAME", game);
        files.push((file.path().file_name().map_or_else(PathBuf::new, PathBuf::from), text));
    }
    std::fs::create_dir_all(directory)
        .map_err(|e| CommandError::usage(format!("`{}` cannot be made: {e}", directory.display())))?;
    for (file, text) in files {
        let path = directory.join(file);
        std::fs::write(&path, fizzle_grammar::format(&text))
            .map_err(|e| CommandError::usage(format!("`{}` cannot be written: {e}", path.display())))?;
    }
    output::line(format!("made the pack `{name}` in `{}`; go on with", directory.display()));
    let shown = quoted(&directory.to_string_lossy());
    for line in [
        format!("fizzle check {shown}"),
        format!("fizzle test {shown}"),
        format!("fizzle sim {shown} --games 10"),
        format!("fizzle play {shown}"),
    ] {
        output::line(format!("  {line}"));
    }
    output::line("and read, without a book at hand");
    for line in [
        format!("fizzle explain {game}   its turn, plays, zones and rules"),
        "fizzle explain draw   a verb, keyword, zone, step or card, by its name".to_owned(),
        "fizzle explain E0201   the code of a message".to_owned(),
        "fizzle explain --reference   all forms of the language".to_owned(),
    ] {
        output::line(format!("  {line}"));
    }
    Ok(ExitStatus::Success)
}

/// The files for a game: its own, or those of what it extends.
fn template(game: &str) -> Option<&'static Dir<'static>> {
    shipped::lineage(game).into_iter().find_map(|pack| TEMPLATES.get_dir(pack))
}

/// A path as a shell takes it for one word.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=\\".contains(c);
    if path.starts_with('-') {
        return quoted(&format!("./{path}"));
    }
    if path.chars().all(is_plain) && !path.is_empty() { path.to_owned() } else { format!("\"{path}\"") }
}

/// A pack's name from its directory's: letters, digits and `_`.
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
    fn paths_are_one_word() {
        assert_eq!(quoted("/tmp/my_set-2"), "/tmp/my_set-2");
        assert_eq!(quoted("my game"), "\"my game\"");
    }

    #[test]
    fn names_are_identifiers() {
        assert_eq!(pack_name(Path::new("/tmp/My Set-2")), "my_set_2");
        assert_eq!(pack_name(Path::new("2nd")), "pack_2nd");
        assert_eq!(pack_name(Path::new("..")), "pack_");
    }
}
