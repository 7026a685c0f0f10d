//! Prints the differences of a format from its base, as its source declares them: what is new, changed and removed.

use crate::output::{self, Style};
use crate::paths::SourceSet;
use crate::vocabulary::places::location;
use crate::vocabulary::{shorten, with_games};
use fizzle_compiler::Sources;
use fizzle_grammar::ast::{Difference, DifferenceKind, ItemKind};

/// Prints the differences of a format; nothing if it is a game of its pack.
pub fn show(given: &SourceSet, format: &str) {
    with_games(given, |games, sources| {
        let items = games.iter().flat_map(|game| &game.items).map(|(_, item)| *item);
        for item in items {
            if let ItemKind::Format { name, base, differences, .. } = &item.kind
                && name.text == format
                && !differences.is_empty()
            {
                output::line("");
                output::styled_line(Style::Bold, "differences", format!(" from {}", base.text));
                for difference in differences {
                    output::line(format!("  {}   {}", describe(difference, sources), location(sources, difference.span)));
                }
            }
        }
    });
}

/// The difference as its source begins, up to its block: `new keyword haste`, `replace constant hand_limit = 5`.
fn describe(difference: &Difference, sources: &Sources) -> String {
    let source = sources.slice(difference.span);
    let lines = source.lines().map(str::trim).skip_while(|line| line.starts_with("//") || line.is_empty());
    let line = lines.map(|line| line.split(" {").next().unwrap_or(line)).next().unwrap_or("");
    let new = if matches!(difference.kind, DifferenceKind::Add(_)) { "new " } else { "" };
    shorten(&format!("{new}{line}"))
}
