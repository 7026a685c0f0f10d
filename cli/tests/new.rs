//! `fizzle new` for every shipped game and format: what it makes checks without a warning, is formatted, passes its scenarios and plays.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

fn fizzle(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).current_dir(folder).output().unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{said}{complained}");
    said.into_owned()
}

#[test]
fn what_is_made_checks_tests_and_plays() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for game in ["magic", "yugioh", "yugioh_2010", "duel_masters", "duel_magic", "duel_magic_quick"] {
        let name = format!("my_{game}");
        let said = fizzle(&["new", &name, "--game", game], &folder);
        let files = std::fs::read_dir(folder.join(&name)).unwrap().count();
        assert_eq!(files, 5, "a manifest, cards with a keyword, a deck, a format, scenarios");
        assert_eq!(fizzle(&["check", &name], &folder), "5 files, no problems\n");
        fizzle(&["fmt", "--check", &name], &folder);
        assert!(fizzle(&["test", &name], &folder).contains("0 failed"));
        // The commands that it names are those that work.
        let next: Vec<&str> = said.lines().filter_map(|line| line.trim().strip_prefix("fizzle ")).collect();
        let sim = next.iter().find(|line| line.starts_with("sim")).unwrap();
        assert!(fizzle(&sim.split(' ').collect::<Vec<_>>(), &folder).contains("10 games"), "{game}");
    }
}
