//! Suggestions for conditions in the words of printed texts: what a player has or controls, what an object can do or is not in.

use super::site::{Notation, Site};
use super::words::{first_word, is_lowercase_word, is_number, join_tokens, number_word};

/// What a condition counts: `no creature`, `3 or more red creatures in hand`.
struct Quantity<'t> {
    /// The comparison and the number, if it counts.
    comparison: Option<(&'static str, String)>,
    /// How the condition tests for one object: `no`, `some` or `some other`.
    test: &'static str,
    /// The noun in the singular.
    noun: &'t str,
    /// Whether it counts other objects than the one with the text.
    is_other: bool,
    /// The words before the noun.
    qualities: Vec<&'t str>,
    /// The zone behind `in`.
    zone: Option<&'t str>,
    /// Whether a condition on the objects follows, which is not repeated.
    is_cut: bool,
}

impl<'t> Quantity<'t> {
    /// Reads a quantity. `exact`: a number alone is compared by this operator.
    fn of(written: &'t str, exact: &'static str) -> Self {
        let mut words: Vec<&str> = written.split_whitespace().collect();
        let number_of = |word: &&str| {
            number_word(word).map(|number| number.to_string()).or_else(|| is_number(word).then(|| (*word).to_owned()))
        };
        let (begin, mut comparison) = match words.as_slice() {
            ["at", "least", number, ..] => (2, number_of(number).map(|number| (">=", number))),
            ["at", "most", number, ..] => (2, number_of(number).map(|number| ("<=", number))),
            ["more", "than", number, ..] => (2, number_of(number).map(|number| (">", number))),
            ["less" | "fewer", "than", number, ..] => (2, number_of(number).map(|number| ("<", number))),
            ["exactly", number, ..] => (1, number_of(number).map(|number| ("==", number))),
            [number, ..] => (0, number_of(number).map(|number| (exact, number))),
            [] => (0, None),
        };
        let first = words.first().copied().unwrap_or("");
        if comparison.is_some() {
            words.drain(..=begin);
        } else if matches!(first, "no" | "another" | "a" | "an" | "any" | "some") {
            words.remove(0);
        }
        if let ["or", more @ ("more" | "greater" | "less" | "fewer"), ..] = *words.as_slice() {
            let operator = if matches!(more, "more" | "greater") { ">=" } else { "<=" };
            comparison = comparison.map(|(_, number)| (operator, number));
            words.drain(..2);
        }
        let zone = words.iter().position(|word| *word == "in").and_then(|at| {
            let place = words.get(at + 1..)?;
            place.iter().copied().find(|word| !matches!(*word, "your" | "their" | "its" | "the" | "his" | "her"))
        });
        let is_end =
            |word: &str| matches!(word, "with" | "without" | "that" | "of" | "in" | "from" | "on") || !is_lowercase_word(word);
        let end = words.iter().position(|word| is_end(word)).unwrap_or(words.len());
        let is_cut = words.get(end).is_some_and(|word| matches!(*word, "with" | "without" | "that"));
        words.truncate(end);
        let all = words.len();
        words.retain(|word| *word != "other");
        let is_other = words.len() < all;
        let noun = words.pop().map_or("NOUN", |noun| noun.strip_suffix('s').filter(|noun| noun.len() > 2).unwrap_or(noun));
        let test = match first {
            "no" => "no",
            "another" => "some other",
            _ => "some",
        };
        // One object or more is a test for some object.
        let comparison = comparison.filter(|(operator, number)| *operator != ">=" || number != "1");
        Self { comparison, test, noun, is_other, qualities: words, zone, is_cut }
    }

    /// The condition on what belongs to a player.
    fn condition(&self, owner: &str) -> String {
        let place = match (self.zone, owner) {
            (Some(zone), "you") => format!("{} in your {zone}", self.noun),
            (Some(zone), owner) => format!("{} in {zone} of {owner}", self.noun),
            (None, owner) => format!("{} of {owner}", self.noun),
        };
        let place = if self.is_other { format!("other {place}") } else { place };
        let mut qualities: String = self.qualities.iter().map(|word| format!(" that is {word}")).collect();
        if self.is_cut {
            qualities.push_str(" …");
        }
        match &self.comparison {
            Some((operator, number)) if qualities.is_empty() => format!("count of {place} {operator} {number}"),
            Some((operator, number)) => format!("count of ({place}{qualities}) {operator} {number}"),
            None => format!("{} {place}{qualities}", self.test),
        }
    }
}

/// The part of a text that belongs to a condition.
fn condition_text(text: &str) -> &str {
    let end = text.split(['{', ':', ',', '\n', ';', '}', ')']).next().unwrap_or("");
    end.split(" and ").next().unwrap_or("").trim()
}

/// Whether a condition begins behind a word.
fn begins_condition(word: &str) -> bool {
    matches!(word, "if" | "while" | "and" | "or" | "not" | "expect" | "(")
}

/// Whether `when` begins a condition: among the costs of an activated ability.
fn is_condition_of_use(word: &str, before: Option<&&str>) -> bool {
    matches!(word, "when" | "whenever") && before.is_some_and(|before| *before == "," || before.starts_with('"'))
}

/// `if you control a land`: a condition on what a player controls.
pub(super) fn condition_of_control(site: &Site<'_>) -> Option<Notation> {
    let (condition, owner) = (site.second_last(), site.last());
    let is_verb = matches!(site.text, "control" | "controls" | "own" | "owns");
    let begins = begins_condition(condition) || is_condition_of_use(condition, site.line().get(2));
    (is_verb && begins && is_player(owner)).then(|| belongings(site.text, condition, owner, condition_text(site.next())))
}

/// `if you have no cards in hand`, `while opponent has 3 or more creatures`: a condition on what a player has.
pub(super) fn possession_of_a_player(site: &Site<'_>) -> Option<Notation> {
    let begins = begins_condition(site.second_last()) || is_condition_of_use(site.second_last(), site.line().get(2));
    if site.text == "have" && begins && is_player(site.last()) {
        let (condition, owner, written) = (site.second_last(), site.last(), condition_text(site.next()));
        return match written.split_once(' ') {
            Some((more @ ("more" | "less" | "fewer"), what)) if what.contains(" than ") => {
                comparison(more, "have", (condition, owner), what)
            }
            _ => Some(belongings("have", condition, owner, written)),
        };
    }
    if let Some(notation) = comparison_of_players(site) {
        return Some(notation);
    }
    let ["has" | "have", owner, condition, ..] = *site.line() else { return None };
    let counts = is_number(site.text)
        || number_word(site.text).is_some()
        || matches!(site.text, "no" | "a" | "an" | "at" | "more" | "less" | "fewer" | "exactly" | "another");
    let written = format!("{}{}", site.text, site.after);
    (counts && begins_condition(condition) && is_player(owner))
        .then(|| belongings(site.last(), condition, owner, condition_text(&written)))
}

/// `if opponent has more cards in hand than you`: a comparison of what two players have.
fn comparison_of_players(site: &Site<'_>) -> Option<Notation> {
    let at = site.line().iter().position(|word| matches!(*word, "has" | "have"))?;
    let [more @ ("more" | "less" | "fewer"), verb, owner, condition, ..] = *site.line().get(at.checked_sub(1)?..)? else {
        return None;
    };
    if !begins_condition(condition) || !is_player(owner) {
        return None;
    }
    let behind: Vec<&str> = site.line().get(..at - 1)?.iter().rev().copied().collect();
    let written = format!("{} {}{}", join_tokens(&behind), site.text, site.after);
    comparison(more, verb, (condition, owner), condition_text(&written))
}

/// A comparison of what two players have. `written`: what is compared, and the other player, `cards in hand than you`.
fn comparison(more: &str, verb: &str, (condition, owner): (&str, &str), written: &str) -> Option<Notation> {
    let (what, other) = written.split_once(" than ")?;
    let other = other.split(' ').next().filter(|other| is_player(other))?;
    let quantity = Quantity::of(what, ">=");
    // `more life`: a number of the player, not objects
    let is_number = !what.contains(' ') && !what.ends_with('s');
    let of = |player: &str| match quantity.zone {
        Some(zone) => format!("count of {} in {zone} of {player}", quantity.noun),
        None if is_number => format!("{} of {player}", quantity.noun),
        None => format!("count of {} of {player}", quantity.noun),
    };
    let operator = if more == "more" { ">" } else { "<" };
    let head = if condition == "(" { String::new() } else { format!("{condition} ") };
    let help = format!("write it with `of`: `{head}{} {operator} {}`", of(owner), of(other));
    Some(Notation::new(format!("`{verb}` does not say whose an object is"), help))
}

/// Whether a word names a player; those of a scenario have capital letters.
fn is_player(word: &str) -> bool {
    matches!(word, "you" | "opponent" | "active" | "player") || matches!(word.as_bytes(), [b'A'..=b'Z'])
}

/// A verb in the place of `of` between a player and what belongs to that player.
fn belongings(verb: &str, condition: &str, owner: &str, written: &str) -> Notation {
    let exact = if condition == "expect" { "==" } else { ">=" };
    let form = Quantity::of(written, exact).condition(owner);
    let head = if condition == "(" { String::new() } else { format!("{condition} ") };
    let message = format!("`{verb}` does not say whose an object is");
    Notation::new(message, format!("write it with `of`: `{head}{form}`"))
}

/// `candidate not in pile`: a negation behind its object.
pub(super) fn negation_of_a_place(site: &Site<'_>) -> Option<Notation> {
    let line = site.line();
    let (object, behind) = match *line {
        // `this is not in battle` stops behind `not`
        ["not", "is", object, ..] if site.text == "in" => (object, line.get(3..)?),
        ["is", object, ..] => (object, line.get(2..)?),
        [object, ..] => (object, line.get(1..)?),
        [] => return None,
    };
    let zone = match site.text {
        "not" => site.next().strip_prefix("in ")?,
        "in" if site.last() == "not" => site.next(),
        _ => return None,
    };
    if object == "that" {
        let zone = condition_text(zone);
        let noun = behind.first().copied().filter(|noun| is_lowercase_word(noun))?;
        let help = format!("write it in parentheses: `{noun} that (not candidate in {zone})`");
        return Some(Notation::new("`not` precedes the whole condition", help));
    }
    let begins = behind.first().is_some_and(|word| begins_condition(word));
    let is_object = is_lowercase_word(object) && (object == "this" || !crate::lexer::is_reserved(object));
    (is_object && begins).then(|| {
        let help = format!("write `not {object} in {}`", condition_text(zone));
        Notation::new("`not` precedes the whole condition", help)
    })
}

/// `this can attack …`: a permission.
pub(super) fn permission_of_an_object(site: &Site<'_>) -> Option<Notation> {
    let is_subject = |word: &&str| is_lowercase_word(word) && !matches!(*word, "no" | "if" | "while" | "when" | "whenever");
    let begins = site.line().last().is_some_and(|word| matches!(*word, "this" | "each" | "all" | "it" | "target" | "you"))
        || site.line().len() == 1;
    // Facts may precede `this` in the line.
    let is_permission = begins && site.line().iter().all(is_subject) || site.last() == "this" && site.is_among_members();
    (site.text == "can" && site.is_in_ability() && is_permission).then(|| {
        let help = "leave it out if no rule forbids it; what permits more than the rules is a keyword of the game: `KEYWORD` on a card, `X gets KEYWORD` for others";
        Notation::new("`can` permits nothing: what is not forbidden can be done", help)
    })
}

/// `creature that shares race with this`: a condition without parentheses.
pub(super) fn verb_behind_that(site: &Site<'_>) -> Option<Notation> {
    let is_verb = is_lowercase_word(site.text) && !crate::lexer::is_reserved(site.text);
    let is_known = matches!(site.text, "is" | "are" | "was" | "has" | "have" | "it" | "they");
    if site.last() != "that" || !is_verb || is_known || !is_lowercase_word(site.second_last()) {
        return None;
    }
    let noun = site.second_last();
    let words: Vec<&str> = site.next().split_whitespace().take(3).collect();
    let help = match *words.as_slice() {
        [set, "with", other] if matches!(site.text, "share" | "shares") => {
            let other = first_word(other);
            format!("write `{noun} that (candidate shares {set} with {other})`")
        }
        _ => {
            format!("write `{noun} that is WORD`, `{noun} that has KEYWORD`, or a condition in parentheses: `{noun} that (COND)`")
        }
    };
    let message = format!("`that` is followed by `is`, by `has` or by a condition in parentheses, not by `{}`", site.text);
    Some(Notation::new(message, help))
}

/// `{1} limit 1 per turn`, `when COND limit 1 per turn  does { … }`: a limit behind a condition in one line.
pub(super) fn limit_in_a_line(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let from = written.iter().position(|word| matches!(*word, "when" | "cost")).filter(|_| site.is_in_ability())?;
    let is_block = from == 0 && !site.is_among_members();
    let (condition, limit) = match (site.text, site.last()) {
        (number, "limit") if is_number(number) && first_word(site.next()) == "per" => {
            (written.get(..written.len() - 1)?, format!("{number}{}", site.whole_line_after()))
        }
        (",", _) if first_word(site.next()) == "limit" => {
            (written.as_slice(), site.whole_line_after().trim_start().trim_start_matches("limit ").to_owned())
        }
        _ => return None,
    };
    let limit: Vec<&str> = limit.split_whitespace().take(3).collect();
    is_block.then(|| {
        let help = format!("write it on a new line or after `;`: `{}; limit {}`", join_tokens(condition), limit.join(" "));
        Notation::new("`limit` begins another part of the ability", help)
    })
}

/// `opponent cannot target this`: the quantifier in the place of a verb.
pub(super) fn target_as_verb(site: &Site<'_>) -> Option<Notation> {
    let object = first_word(site.next());
    let is_verb = site.text == "target" && matches!(site.last(), "cannot" | "may" | "must") && is_lowercase_word(object);
    (is_verb && site.is_in_ability()).then(|| {
        let help =
            format!("write what happens to the one that is chosen, with an action of the game: `{object} cannot be VERBED`");
        Notation::new("`target` selects what a text is about, and is no verb", help)
    })
}
