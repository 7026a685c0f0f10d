//! Prints the rules of a format other than its turn: plays, zones, constants, rules, state rules, deck rules, match rules.

use super::Language;
use crate::output;
use crate::paths::SourceSet;
use crate::vocabulary::with_games;
use fizzle_grammar::ast::DeckRule;
use fizzle_runtime::ir::{CompiledGame, DeckRules, DefId, Format, MatchRules};
use fizzle_table::words::pack_texts::state_rule;

/// The most characters of a line, if it can be broken.
const MAX_LINE_CHARS: usize = 110;

/// Prints each kind on separate lines. Entries that the base format does not have, or has with another value, are marked as new.
///
/// `given`: the sources, which show the selections of the rules for copies; `None` for a compiled pack.
pub fn show(game: &CompiledGame, format: &Format, lang: Language, given: Option<&SourceSet>) {
    let base = format.base.as_ref().and_then(|base| game.formats.iter().find(|other| other.name == *base));
    let library = &game.library;
    let card = |card: &DefId| library.definitions.get(card.index()).map_or_else(String::new, |card| card.name.clone());
    let mark = |text: String, is_new: bool| if is_new { format!("{text} (new)") } else { text };
    let is_shown = |name: &str| !name.starts_with('_');

    let plays = format.plays.iter().filter(|play| play.effect_params == 0 && is_shown(&play.name));
    let known = |name: &str| base.is_none_or(|base| base.plays.iter().any(|other| other.name == name));
    print_list("plays (a scenario says `A PLAY X`)", plays.map(|play| mark(play.name.clone(), !known(&play.name))));

    let zones = library.zones.iter().filter(|zone| !zone.name.is_empty() && is_shown(&zone.name));
    print_list(
        "zones",
        zones.map(|zone| if zone.each_player { format!("{} of a player", zone.name) } else { zone.name.clone() }),
    );

    let known = |one: &(String, i32)| base.is_none_or(|base| base.constants.contains(one));
    print_list("constants", format.constants.iter().map(|one| mark(format!("{} = {}", one.0, one.1), !known(one))));

    let known = |name: &str| base.is_none_or(|base| base.rules.iter().any(|other| other.name == name));
    let rules = format.rules.iter().filter(|rule| is_shown(&rule.name));
    print_list("rules", rules.map(|rule| mark(rule.name.clone(), !known(&rule.name))));

    let known = |name: &str| base.is_none_or(|base| base.state_rules.iter().any(|other| other.name == name));
    print_list("state rules", format.state_rules.iter().map(|rule| mark(rule.name.clone(), !known(&rule.name))));

    for rule in &format.state_rules {
        let text = state_rule(game, format, &rule.name, lang.into());
        if text != rule.name.replace('_', " ") {
            output::line(format!("    {}: {text}", rule.name));
        }
    }

    let deck = &format.deck;
    let sizes = deck.sizes.iter().map(|(section, least, most)| match (*least, *most) {
        (least, most) if least == most => format!("{section} {least}"),
        (least, u32::MAX) => format!("{section} {least} or more"),
        (least, most) => format!("{section} {least} to {most}"),
    });
    let copies = given.map(|given| copies_in_source(given, &format.name)).filter(|written| !written.is_empty());
    print_list("decks", sizes.chain(copies.unwrap_or_else(|| copies_without_source(&format.deck))));
    print_list("refused in decks", deck.prohibitions.iter().map(|refused| refused.message.clone()));
    print_list("matches", describe_match(&format.match_rules).into_iter());
    print_list("banned", deck.banned.iter().map(card));
    print_list("restricted to one copy", deck.restricted.iter().map(card));
    print_list("cards with errata", format.errata.iter().map(|(from, _)| card(from)));
}

/// The rules for copies as the source writes them: `copies 4 except basic`, `copies 1 of legend`.
fn copies_in_source(given: &SourceSet, format: &str) -> Vec<String> {
    with_games(given, |games, sources| {
        let model = games.iter().flat_map(|game| &game.models).find(|model| model.name == format);
        let written = |rule: &DeckRule| match rule {
            DeckRule::Copies { max, of: Some(cards), .. } => Some(format!("copies {max} of {}", sources.slice(cards.span))),
            DeckRule::Copies { max, except: Some(cards), .. } => {
                Some(format!("copies {max} except {}", sources.slice(cards.span)))
            }
            DeckRule::Copies { max, .. } => Some(format!("copies {max}")),
            DeckRule::Size { .. } | DeckRule::Refuse { .. } => None,
        };
        model.and_then(|model| model.deck).unwrap_or_default().iter().filter_map(written).collect()
    })
}

/// The rules for copies of a compiled pack, which does not name the selected cards.
fn copies_without_source(rules: &DeckRules) -> Vec<String> {
    let except = if rules.unlimited.is_some() { " with exceptions" } else { "" };
    let general = rules.copies.map(|copies| format!("copies {copies}{except}"));
    general.into_iter().chain(rules.limits.iter().map(|(_, most)| format!("copies {most} of some cards"))).collect()
}

/// Describes the matches of a format. `--best-of N` overrides the number of games that the format declares.
fn describe_match(rules: &MatchRules) -> Vec<String> {
    let usual = match rules.best_of {
        0 | 1 => "one game".to_owned(),
        games => format!("best of {games}"),
    };
    let exchange = match rules.exchange.as_slice() {
        [] => "no cards are exchanged between games".to_owned(),
        sections => format!("cards are exchanged between games: {}", sections.join(" and ")),
    };
    vec![usual, exchange, "`--best-of N` (an odd number): at most N games, with the same exchanges".to_owned()]
}

/// Prints one kind, broken into lines; nothing if it has no entries.
fn print_list(kind: &str, words: impl Iterator<Item = String>) {
    let mut line = format!("{kind}:");
    let mut is_first = true;
    for word in words {
        if !is_first {
            line.push(',');
        }
        if line.chars().count() + word.chars().count() + 2 > MAX_LINE_CHARS {
            output::line(&line);
            line = "   ".to_owned();
        }
        line.push(' ');
        line.push_str(&word);
        is_first = false;
    }
    if !is_first {
        output::line(line);
    }
}
