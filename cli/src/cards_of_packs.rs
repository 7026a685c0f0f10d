//! Names the shipped pack of a card that a compilation does not know.

use crate::shipped::{self, PREFIX, ShippedPack};
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::codes;

/// The most diagnostics whose cards are searched.
const MAX_SEARCHED_CARDS: usize = 20;

/// Adds to errors about unknown cards which shipped pack has them.
pub fn name_packs_of_unknown_cards(compilation: &mut Compilation) {
    let is_unknown_card = |code: &str| code == codes::UNKNOWN_CARD.code;
    if !compilation.diagnostics.iter().any(|problem| is_unknown_card(problem.code.code)) {
        return;
    }
    let paths = compilation.sources.file_paths();
    let is_read = |pack: &&ShippedPack| paths.iter().any(|path| is_in_pack(path, &pack.name));
    let unread: Vec<&ShippedPack> = shipped::packs().iter().filter(|pack| !is_read(pack)).collect();
    let problems = compilation.diagnostics.iter_mut().filter(|problem| is_unknown_card(problem.code.code));
    for problem in problems.take(MAX_SEARCHED_CARDS) {
        let name = problem.message.strip_prefix("there is no card \"").and_then(|rest| rest.strip_suffix('"'));
        let Some(name) = name else { continue };
        let heads = [format!("card \"{name}\""), format!("card 《{name}》")];
        let declares = |text: &str| text.lines().any(|line| heads.iter().any(|head| line.starts_with(head.as_str())));
        if let Some(pack) = unread.iter().find(|pack| pack.files_for_dependents().any(|file| declares(&file.text))) {
            problem.help = vec![format!("the pack `{0}` has this card: a pack that `extends {0}` can name it", pack.name)];
            problem.fixes.clear();
        }
    }
}

/// Whether a path is one of a shipped pack.
fn is_in_pack(path: &str, pack: &str) -> bool {
    path.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix(pack)).is_some_and(|rest| rest.starts_with('/'))
}
