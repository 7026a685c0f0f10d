//! Differences that change nothing, and events that are re-read in a circle.

use crate::diagnostics::{Diagnostic, codes};
use crate::format::Model;
use crate::packs::GameItems;
use crate::sources::Sources;
use fizzle_grammar::tree::{Difference, DifferenceKind, ItemKind, Name};
use smol_str::SmolStr;

/// Tells what is suspect about the formats of a game.
pub fn differences(game: &GameItems<'_>, models: &[Model<'_>], sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    for item in &game.items {
        let ItemKind::Format { base, differences, .. } = &item.kind else { continue };
        let Some(base) = models.iter().find(|model| model.name == base.text) else { continue };
        let mut banned: Vec<&Name> = base.banned.clone();
        let mut restricted: Vec<&Name> = base.restricted.clone();
        for difference in differences {
            match &difference.kind {
                DifferenceKind::Ban(cards) => listed(cards, &mut banned, "banned", diagnostics),
                DifferenceKind::Restrict(cards) => listed(cards, &mut restricted, "restricted", diagnostics),
                _ => same(difference, base, sources, diagnostics),
            }
        }
    }
    for model in models {
        circle(model, diagnostics);
    }
}

/// Cards that are named again.
fn listed<'a>(cards: &'a [Name], known: &mut Vec<&'a Name>, how: &str, diagnostics: &mut Vec<Diagnostic>) {
    for card in cards {
        match known.iter().find(|earlier| earlier.text == card.text) {
            Some(earlier) => diagnostics.push(
                Diagnostic::new(&codes::NO_CHANGE, card.span, format!("`{}` is {how} already", card.text))
                    .also(earlier.span, "named here")
                    .help("leave it out here"),
            ),
            None => known.push(card),
        }
    }
}

/// A replacement by the same, an addition of nothing.
fn same(difference: &Difference, base: &Model<'_>, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    match &difference.kind {
        DifferenceKind::Replace(item) => {
            let ItemKind::Constant { name, value } = &item.kind else { return };
            let Some(before) = base.constants.get(&name.text) else { return };
            let number = |span| sources.slice(span).trim().parse::<i64>().ok();
            if number(value.span).is_some() && number(value.span) == number(before.span) {
                diagnostics.push(
                    Diagnostic::new(
                        &codes::NO_CHANGE,
                        difference.span,
                        format!("`{}` is {} already", name.text, sources.slice(before.span)),
                    )
                    .also(before.span, "said here")
                    .help("leave the difference out, or give another number"),
                );
            }
        }
        DifferenceKind::Append { body, .. } if body.statements.is_empty() => diagnostics.push(
            Diagnostic::new(&codes::NO_CHANGE, difference.span, "nothing is added here")
                .help("write statements into the block, or leave it out"),
        ),
        _ => {}
    }
}

/// `treat a as b` and `treat b as a`: an event of the one is re-read once, and what it is then is not clear to anybody.
fn circle(model: &Model<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (action, treat) in &model.treats {
        let mut at: &SmolStr = &treat.into.text;
        let mut steps = 0;
        while let Some(next) = model.treats.get(at).filter(|_| at != action && steps < model.treats.len()) {
            at = &next.into.text;
            steps += 1;
        }
        if at == action {
            let mut problem = Diagnostic::new(
                &codes::TREAT_CIRCLE,
                treat.into.span,
                format!("`{action}` comes back to itself by way of `{}`", treat.into.text),
            );
            if let Some(other) = model.treats.get(&treat.into.text).filter(|_| treat.into.text != *action) {
                problem = problem.also(other.action.span, "and this one leads back");
            }
            diagnostics.push(problem.help("an event is re-read once: keep the direction that is meant"));
        }
    }
}
