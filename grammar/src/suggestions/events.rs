//! Suggestions for the events of printed texts: a second verb, a place.

use super::site::{Notation, Site};
use super::words::{first_word, is_lowercase_word, is_number, join_tokens};

/// The words of the event before the position, in their order, and the word that begins it.
fn event<'t>(site: &Site<'t>) -> Option<(&'t str, Vec<&'t str>)> {
    let from = site.line().iter().position(|word| matches!(*word, "when" | "whenever"))?;
    let words: Vec<&str> = site.line().get(..from)?.iter().rev().copied().collect();
    let is_plain = site.is_in_ability() && words.iter().all(|word| is_lowercase_word(word) || is_number(word));
    is_plain.then(|| (site.line().get(from).copied().unwrap_or("when"), words))
}

/// Whether a word is a verb in the third person.
fn is_third_person(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !matches!(word, "this" | "players" | "opponents")
}

/// `when opponent casts spell or summons creature`: a second verb behind the object of the first one.
pub(super) fn second_verb_of_an_event(site: &Site<'_>) -> Option<Notation> {
    let (head, words) = event(site)?;
    let or = words.iter().rposition(|word| *word == "or")?;
    let [second] = *words.get(or + 1..)? else { return None };
    let first = words.get(..or)?;
    let subject = match first {
        ["you", _, _, ..] => first.get(..1)?,
        _ => first.get(..first.iter().position(|word| is_third_person(word)).filter(|at| *at > 0)?)?,
    };
    let is_verb = is_third_person(second) || subject == ["you"];
    let is_object = is_lowercase_word(site.text) || is_number(site.text);
    let (behind, ends) = match site.after.find(['{', ':', ',', '\n', '}']) {
        Some(end) => (site.after.get(..end).unwrap_or(""), !site.after.get(end..).unwrap_or("").starts_with(['}', '\n'])),
        None => (site.after, false),
    };
    (is_verb && is_object && ends && first.len() > subject.len() + 1).then(|| {
        let object = format!("{}{behind}", site.text).trim().to_owned();
        let (first, subject) = (join_tokens(first), join_tokens(subject));
        let help = format!("write two abilities: `{head} {first}: …`, `{head} {subject} {second} {object}: …`");
        Notation::new("an ability waits for one event, and this is a second one", help)
    })
}

/// `when you put this into battle`: a move in the place of an arrival.
pub(super) fn event_of_a_place(site: &Site<'_>) -> Option<Notation> {
    let (head, words) = event(site)?;
    let [subject, "put" | "puts" | "place" | "places" | "move" | "moves", object @ ..] = words.as_slice() else { return None };
    let object = object.last().copied().filter(|object| !is_number(object))?;
    let behind = site.next();
    let skipped = ["your ", "the ", "its "].iter().find_map(|word| behind.strip_prefix(word)).unwrap_or(behind);
    let zone = first_word(skipped);
    if !matches!(site.text, "into" | "onto" | "in" | "to") || !is_lowercase_word(zone) {
        return None;
    }
    let object = match object {
        "this" | "it" => object.to_owned(),
        noun => format!("{noun} of {subject}"),
    };
    let rest = skipped.get(zone.len()..).unwrap_or("").trim_start();
    let effect = rest.strip_prefix(':').map(|effect| effect.split(['\n', '}']).next().unwrap_or("").trim());
    let effect = effect.filter(|effect| !effect.is_empty() && !effect.contains('{')).unwrap_or("…");
    let help = format!("what is put into a zone enters it: `{head} {object} enters {zone}: {effect}`");
    Some(Notation::new("an event does not say where an object is put", help))
}

/// `when piece enters field marked: …`: a status behind the zone of an arrival.
pub(super) fn state_of_an_arrival(site: &Site<'_>) -> Option<Notation> {
    let (head, words) = event(site)?;
    let [.., "enters" | "leaves", zone] = words.as_slice() else { return None };
    if matches!(*zone, "the" | "a" | "an" | "any") {
        return None;
    }
    // Statuses are not known here; other words may be part of the name of the zone.
    let is_status = is_lowercase_word(site.text) && (site.text.ends_with("ed") || site.text.contains('_'));
    (is_status && site.next().starts_with([':', '{', ','])).then(|| {
        let help = format!("write it as a condition of the event: `{head} {} where {} of it`", join_tokens(&words), site.text);
        Notation::new("an event ends with its zone", help)
    })
}
