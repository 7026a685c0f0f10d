//! Lint: differences of formats that change nothing, and action aliases (`treat`) that form a cycle.

use super::identical_replacement::ReplaceableItems;
use crate::diagnostics::{self, Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::names::NameTable;
use crate::sources::Sources;
use fizzle_grammar::ast::{Ability, AbilityKind, Difference, DifferenceKind, Item, ItemKind, Name, Path, Span};
use fizzle_ir::KeywordId;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What a format names, that differences of a format that extends it can repeat.
struct NamedCards<'a> {
    banned: BTreeMap<&'a str, Span>,
    restricted: BTreeMap<&'a str, Span>,
    corrected: BTreeSet<&'a str>,
}

/// Reports differences that change nothing, and circles of action aliases.
pub fn lint_differences<'a>(
    items: &[&'a Item],
    models: &[ResolvedFormat<'a>],
    sources: &Sources,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut replaceable = ReplaceableItems::new(items, sources);
    let mut named: BTreeMap<&str, (&ResolvedFormat<'a>, NamedCards<'a>)> = BTreeMap::new();
    for model in models {
        named.entry(model.name.as_str()).or_insert_with(|| (model, NamedCards::of(model)));
    }
    for item in items {
        let ItemKind::Format { base, differences, .. } = &item.kind else { continue };
        let Some((base, cards)) = named.get(base.text.as_str()) else { continue };
        let (mut banned, mut restricted) = (BTreeMap::new(), BTreeMap::new());
        for difference in differences {
            match &difference.kind {
                DifferenceKind::Ban(names) => lint_card_list(names, &cards.banned, &mut banned, "banned", diagnostics),
                DifferenceKind::Restrict(names) => {
                    lint_card_list(names, &cards.restricted, &mut restricted, "restricted", diagnostics);
                }
                _ => {
                    let earlier = replaceable.find_identical_base(difference, base, |card| cards.corrected.contains(card));
                    lint_identical(difference, base, earlier, sources, diagnostics);
                }
            }
        }
        diagnostics::keep_listed(diagnostics);
    }
    for model in models {
        lint_treat_cycle(model, diagnostics);
    }
}

impl<'a> NamedCards<'a> {
    fn of(model: &ResolvedFormat<'a>) -> Self {
        let first_places = |names: &[&'a Name]| {
            let mut places = BTreeMap::new();
            for name in names {
                places.entry(name.text.as_str()).or_insert(name.span);
            }
            places
        };
        Self {
            banned: first_places(&model.banned),
            restricted: first_places(&model.restricted),
            corrected: model.errata.iter().map(|card| card.name.text.as_str()).collect(),
        }
    }
}

/// Reports cards that are listed already, in the base or before in the format. Adds the others to `own`.
fn lint_card_list<'a>(
    cards: &'a [Name],
    base: &BTreeMap<&str, Span>,
    own: &mut BTreeMap<&'a str, Span>,
    how: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for card in cards {
        let word = card.text.as_str();
        match base.get(word).or_else(|| own.get(word)) {
            Some(earlier) => diagnostics.push(
                Diagnostic::new(&codes::NO_CHANGE, card.span, format!("`{}` is already {how}", card.text))
                    .also(*earlier, "named here")
                    .help("leave it out here"),
            ),
            None => drop(own.insert(word, card.span)),
        }
    }
}

/// Reports a replacement by the same as what the base declares in `earlier`, and an addition of nothing.
fn lint_identical(
    difference: &Difference,
    base: &ResolvedFormat<'_>,
    earlier: Option<Span>,
    sources: &Sources,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(earlier) = earlier {
        diagnostics.push(
            Diagnostic::new(
                &codes::NO_CHANGE,
                Span { end: difference.span.start + first_line(sources.slice(difference.span)), ..difference.span },
                "this is identical to the base",
            )
            .also(Span { end: earlier.start + first_line(sources.slice(earlier)), ..earlier }, "declared here")
            .help("leave the difference out, or change something in it"),
        );
        return;
    }
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
                        format!("`{}` is already {}", name.text, sources.slice(before.span)),
                    )
                    .also(before.span, "declared here")
                    .help("leave the difference out, or give another number"),
                );
            }
        }
        DifferenceKind::AppendLayout { entries, .. } if entries.is_empty() => diagnostics.push(
            Diagnostic::new(&codes::NO_CHANGE, difference.span, "this adds nothing")
                .help("write rows, faces or hues in the block, or leave the difference out")
                .for_whole_item(difference.span),
        ),
        DifferenceKind::AppendRows { rows, .. } if rows.is_empty() => diagnostics.push(
            Diagnostic::new(&codes::NO_CHANGE, difference.span, "this adds nothing")
                .help("write rows in the block, or leave the difference out")
                .for_whole_item(difference.span),
        ),
        DifferenceKind::Append { body, .. } if body.statements.is_empty() => diagnostics.push(
            Diagnostic::new(&codes::NO_CHANGE, difference.span, "this adds nothing")
                .help("write statements in the block, or leave the difference out")
                .for_whole_item(difference.span),
        ),
        _ => {}
    }
}

fn first_line(text: &str) -> u32 {
    text.find('\n').unwrap_or(text.len()) as u32
}

/// Reports keywords that a format removes although nothing has or grants them. Only files in `own` are checked: packs that no other given
/// pack extends, since cards may still come to the others. `used`: the keywords that something in the game has or grants.
pub fn lint_removed_keywords(
    game: &[&Item],
    models: &[ResolvedFormat<'_>],
    names: &NameTable<'_>,
    used: &BTreeSet<KeywordId>,
    own: &BTreeSet<u32>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (id, path) in removals(game, names) {
        let name = names.keywords.get_index(id.index()).map_or("", |(name, _)| name.as_str());
        let gives = |ability: &Ability| matches!(&ability.kind, AbilityKind::Keyword(fact) if fact.word.text == name);
        let given = models.iter().flat_map(|model| model.keywords.values()).any(|text| text.abilities.iter().any(gives));
        if own.contains(&path.span.file) && !used.contains(&id) && !given {
            diagnostics.push(
                Diagnostic::new(&codes::NO_CHANGE, path.span, format!("nothing has `{name}`, so there is nothing to remove"))
                    .help("leave the difference out"),
            );
        }
    }
}

/// The keywords that formats remove, each with its place.
pub fn removals<'a>(game: &[&'a Item], names: &NameTable<'_>) -> Vec<(KeywordId, &'a Path)> {
    let differences = game.iter().flat_map(|item| match &item.kind {
        ItemKind::Format { differences, .. } => differences.as_slice(),
        _ => &[],
    });
    differences
        .filter_map(|difference| match &difference.kind {
            DifferenceKind::Remove(path) => match path.parts.as_slice() {
                [kind, name] if kind.text == "keyword" => {
                    Some((KeywordId(names.keywords.get_index_of(&name.text)? as u32), path))
                }
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Reports `treat a as b` together with `treat b as a`. An event is re-read once, so its final action would be unclear.
fn lint_treat_cycle(model: &ResolvedFormat<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (action, treat) in &model.action_aliases {
        let mut at: &SmolStr = &treat.into.text;
        let mut steps = 0;
        while let Some(next) = model.action_aliases.get(at).filter(|_| at != action && steps < model.action_aliases.len()) {
            at = &next.into.text;
            steps += 1;
        }
        if at == action {
            let mut problem = Diagnostic::new(
                &codes::TREAT_CYCLE,
                treat.into.span,
                format!("`{action}` is re-read as itself through `{}`", treat.into.text),
            );
            if let Some(other) = model.action_aliases.get(&treat.into.text).filter(|_| treat.into.text != *action) {
                problem = problem.also(other.action.span, "this leads back to it");
            }
            diagnostics.push(problem.help("an event is re-read once: keep only one direction"));
        }
    }
}
