//! Measures compilation: from sources, from a compiled pack, and incrementally after an edit.

use super::measure::rate_in_wall_time;
use super::result_row::ResultRow;
use crate::failure::CommandError;
use fizzle_compiler::SourceFile;
use fizzle_compiler::session::Session;
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::ir::artifact;
use std::hint::black_box;
use std::time::Duration;

/// The edit: the start of a card, and a number in it before and after.
const EDITED: (&str, &str, &str) = ("card \"Goblin Chieftain\" {", "power 2", "power 3");

/// Measures compiling and loading all shipped packs, in cards per second, and an edit of one card. `first`: the duration of the first
/// compilation; if it was at least `duration`, it is the only measurement.
pub fn measure(
    files: &[SourceFile],
    (artifact, first): (&Artifact, Duration),
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
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
        artifact.games.iter().map(|game| game.library.definitions.present().filter(|d| !d.token && !d.part).count()).sum();
    let cards = cards as f64;
    let compile = || black_box(fizzle_compiler::compile(files.to_vec())).artifact.is_some();
    let compiled = if first >= duration { 1.0 / first.as_secs_f64() } else { rate_in_wall_time(duration, compile) };
    let from_source = compiled * cards;
    report(ResultRow::new(cold, from_source, "cards/s"));
    let bytes = artifact::encode(artifact).map_err(|error| CommandError::Defect(error.to_string()))?;
    let from_pack = rate_in_wall_time(duration, || black_box(artifact::decode(&bytes)).is_ok()) * cards;
    report(ResultRow::new(warm, from_pack, "cards/s").with_ratio(from_pack / from_source, "times the speed of compiling"));
    if wanted(edit) {
        let edits = measure_edits(files, duration)?;
        report(ResultRow::new(edit, 1e3 / edits, "ms").with_ratio(edits / compiled, "times as soon as from cold"));
    }
    Ok(())
}

/// The number of edits per second that a session checks. Edits alternate between the changed and the original text.
fn measure_edits(files: &[SourceFile], duration: Duration) -> Result<f64, CommandError> {
    let (card, before, after) = EDITED;
    let missing = || CommandError::Defect(format!("there is no `{card}` to edit"));
    let file = files.iter().find(|file| file.text.contains(card)).ok_or_else(missing)?;
    let (head, tail) = file.text.split_at(file.text.find(card).ok_or_else(missing)?);
    let texts = [format!("{head}{}", tail.replacen(before, after, 1)), file.text.clone()];
    let mut session = Session::default();
    session.keep(files);
    black_box(session.check());
    let mut round = 0;
    Ok(rate_in_wall_time(duration, || {
        if let Some(text) = texts.get(round % texts.len()) {
            session.set(&file.path, text);
        }
        round += 1;
        black_box(session.check());
        true
    }))
}
