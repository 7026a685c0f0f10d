//! `fizzle new`: a small pack that checks, tests and plays.

use crate::failure::{Failure, Status};
use crate::out;
use crate::shipped;
use std::path::{Path, PathBuf};

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
pub fn run(args: &Args) -> Result<Status, Failure> {
    if shipped::find(&args.game).is_none() {
        return Err(Failure::unknown("game", &args.game, shipped::names()));
    }
    let directory = &args.directory;
    let occupied = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if occupied || directory.is_file() {
        return Err(Failure::usage(format!("`{}` exists already", directory.display())));
    }
    let name = pack_name(directory);
    if shipped::names().contains(name.as_str()) {
        return Err(Failure::usage(format!("`{name}` is the name of a shipped game or format: choose another one")));
    }
    let game = &args.game;
    let house = format!("{name}_house");
    let files = [
        ("pack.fz", format!("/// A pack of its own.\npack {name} {{\n  edition 1\n  title \"{name}\"\n  extends {game}\n}}\n")),
        (
            "cards.fz",
            "/// A card. `fizzle explain \"My First Card\" DIR` says what it does in each format.\ncard \"My First Card\" { }\n"
                .into(),
        ),
        (
            "format.fz",
            format!(
                "/// A house format: the game, with these differences.\nformat {house} \"{name}, house rules\" extends {game} {{\n  ban \"My First Card\"\n}}\n"
            ),
        ),
        (
            "scenarios.fz",
            format!(
                "/// A card stays where it is put.\nscenario \"my first card lies in the hand\" {{\n  format {game}\n  position {{\n    A: {{ hand \"My First Card\" as first }}\n  }}\n  expect first in hand of A\n  expect count of hand of A == 1\n}}\n"
            ),
        ),
    ];
    std::fs::create_dir_all(directory).map_err(|e| Failure::usage(format!("`{}` cannot be made: {e}", directory.display())))?;
    for (file, text) in files {
        let path = directory.join(file);
        let text = fizzle_grammar::format(&text.replace("DIR", &directory.display().to_string()));
        std::fs::write(&path, text).map_err(|e| Failure::usage(format!("`{}` cannot be written: {e}", path.display())))?;
    }
    let shown = directory.display();
    out::line(format!("made the pack `{name}` in `{shown}`; go on with"));
    for line in [
        format!("fizzle check {shown}"),
        format!("fizzle test {shown}"),
        format!("fizzle sim {shown} --format {game} --games 10"),
        format!("fizzle play {shown} --format {game}"),
    ] {
        out::line(format!("  {line}"));
    }
    Ok(Status::Well)
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
    fn names_are_identifiers() {
        assert_eq!(pack_name(Path::new("/tmp/My Set-2")), "my_set_2");
        assert_eq!(pack_name(Path::new("2nd")), "pack_2nd");
        assert_eq!(pack_name(Path::new("..")), "pack_");
    }
}
