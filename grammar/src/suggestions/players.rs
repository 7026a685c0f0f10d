//! Suggestions for players as the subjects of statements.

use super::site::{Notation, Site};
use super::words::{first_word, is_lowercase_word, is_number, join_tokens};

/// `target opponent chooses 1 card`, `1 opponent discards 1 card in hand`: a choice of a player as a subject.
pub(super) fn choice_as_subject(site: &Site<'_>) -> Option<Notation> {
    let line = site.line();
    let [who @ ("opponent" | "player" | "opponents" | "players"), which @ ("1" | "one" | "target" | "any"), ..] = *line else {
        return None;
    };
    let begins = line.get(2).is_none_or(|word| matches!(*word, ":" | "then" | "and"));
    let is_verb = site.text == "may"
        || is_lowercase_word(site.text)
            && site.text.len() > 3
            && site.text.split('_').any(|part| part.ends_with('s'))
            && !matches!(site.text, "gets" | "gains" | "becomes" | "times" | "this");
    (begins && is_verb && site.is_in_ability()).then(|| {
        let who = who.trim_end_matches('s');
        let which = if which == "target" { which } else { "1" };
        let statement = format!("{}{}", site.text, site.whole_line_after());
        let help = format!("write it in parentheses: `({which} {who}) {}`", statement.trim_end_matches(['.', ' ', '}']));
        Notation::new("a player who is chosen is no subject without parentheses", help)
    })
}

/// `opponent discards 1 card at random`: a random choice behind what is chosen.
pub(super) fn random_card_of_a_player(site: &Site<'_>) -> Option<Notation> {
    if site.text != "at" || first_word(site.next()) != "random" {
        return None;
    }
    let written = site.written();
    // In the head of an ability, the statement begins behind its colon.
    let begin = written.iter().rposition(|word| matches!(*word, ":" | "and" | "then")).map_or(0, |before| before + 1);
    let statement = written.get(begin..)?;
    let at = statement.iter().position(|word| is_number(word) || matches!(*word, "a" | "an" | "one"))?;
    let before = join_tokens(statement.get(..at)?);
    let number = statement.get(at).filter(|number| is_number(number)).copied().unwrap_or("1");
    let mut objects: Vec<&str> = statement.get(at + 1..)?.to_vec();
    if let Some(noun) = objects.first_mut() {
        *noun = noun.strip_suffix('s').filter(|singular| singular.len() > 2).unwrap_or(noun);
    }
    let has_place = objects.iter().any(|word| matches!(*word, "in" | "of" | "from"));
    let place = match (has_place, at) {
        (true, _) => "",
        // A zone alone is that of the subject.
        (false, 2..) => " in hand",
        (false, _) => " in your hand",
    };
    let help = format!("write it first: `{before} random {number} {}{place}`", join_tokens(&objects));
    Some(Notation::new("`random` precedes the number", help))
}
