//! How fast sources become a game: from nothing, from a compiled pack, and after an edit.

use super::measure::rate_on_the_wall;
use super::result_row::ResultRow;
use crate::failure::CommandError;
use fizzle_compiler::SourceFile;
use fizzle_compiler::session::Session;
use fizzle_runtime::artifact;
use fizzle_runtime::ir::Artifact;
use std::hint::black_box;
use std::time::Duration;

/// Where a card begins, and what an edit makes of it: another number.
const EDITED: (&str, &str, &str) = ("card \"Goblin Chieftain\" {", "power 2", "power 3");

/// All that is shipped, in cards a second, and an edit of one card. `first`: how long the first compilation took, which is enough where it
/// took as long as was asked for.
pub fn rows(
    files: &[SourceFile],
    (made, first): (&Artifact, Duration),
    span: Duration,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let [cold, warm, edit] = [
        "compile: all shipped packs, from cold",
        "compile: the same from a compiled pack",
        "compile: all checked again after an edit of one card",
    ];
    if ![cold, warm, edit].into_iter().any(wanted) {
        return Ok(());
    }
    let cards: usize =
        made.games.iter().map(|game| game.library.definitions.present().filter(|d| !d.token && !d.part).count()).sum();
    let cards = cards as f64;
    let compile = || black_box(fizzle_compiler::compile(files.to_vec())).artifact.is_some();
    let compiled = if first >= span { 1.0 / first.as_secs_f64() } else { rate_on_the_wall(span, compile) };
    let from_source = compiled * cards;
    tell(ResultRow::new(cold, from_source, "cards/s"));
    let bytes = artifact::encode(made).map_err(|error| CommandError::Defect(error.to_string()))?;
    let from_pack = rate_on_the_wall(span, || black_box(artifact::decode(&bytes)).is_ok()) * cards;
    tell(ResultRow::new(warm, from_pack, "cards/s").against(from_pack / from_source, "times the speed of compiling"));
    if wanted(edit) {
        let edits = edits(files, span)?;
        tell(ResultRow::new(edit, 1e3 / edits, "ms").against(edits / compiled, "times as soon as from cold"));
    }
    Ok(())
}

/// Edits of a card that are checked in a second, there and back again.
fn edits(files: &[SourceFile], span: Duration) -> Result<f64, CommandError> {
    let (card, before, after) = EDITED;
    let missing = || CommandError::Defect(format!("there is no `{card}` to be edited"));
    let file = files.iter().find(|file| file.text.contains(card)).ok_or_else(missing)?;
    let (head, tail) = file.text.split_at(file.text.find(card).ok_or_else(missing)?);
    let texts = [format!("{head}{}", tail.replacen(before, after, 1)), file.text.clone()];
    let mut session = Session::default();
    session.keep(files);
    black_box(session.check());
    let mut round = 0;
    Ok(rate_on_the_wall(span, || {
        if let Some(text) = texts.get(round % texts.len()) {
            session.set(&file.path, text);
        }
        round += 1;
        black_box(session.check());
        true
    }))
}
