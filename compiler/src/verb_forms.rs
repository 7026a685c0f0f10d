//! Inflected forms of the names of actions: `draws`, `destroyed`. Patterns name an event by a form.

use fizzle_grammar::ast::Pattern;
use fizzle_ir::scenario::third_person;
use fizzle_ir::verbs::VERBS;

/// Whether a word is a form of an action's name: the name, its third person or its past participle. Irregular participles count only in the
/// passive.
#[must_use]
pub fn is_inflected_form(name: &str, word: &str, passive: bool) -> bool {
    if has_other_initial(name, word) {
        return false;
    }
    if name == word {
        return true;
    }
    // A name of several words is inflected in its first or its last word: `put_back`, `puts_back`.
    if let (Some((first, rest)), Some((word_first, word_rest))) = (name.split_once('_'), word.split_once('_'))
        && rest == word_rest
        && is_inflected_form(first, word_first, passive)
    {
        return true;
    }
    if is_third_person_of(name, word) {
        return true;
    }
    if let Some(rest) = word.strip_prefix(name)
        && matches!(rest, "d" | "ed" | "n" | "en" | "ped" | "ted" | "ned" | "ged" | "bed" | "med" | "red" | "led" | "ded")
    {
        return true;
    }
    if let Some(stem) = name.strip_suffix('y')
        && word.strip_prefix(stem) == Some("ied")
    {
        return true;
    }
    passive && is_irregular_participle(name, word)
}

/// Whether a word is the third person of an action's name: `draws`, `passes`, `carries`, `loses_life`.
#[must_use]
pub fn is_third_person_of(name: &str, word: &str) -> bool {
    if has_other_initial(name, word) {
        return false;
    }
    if let (Some((first, rest)), Some((word_first, word_rest))) = (name.split_once('_'), word.split_once('_'))
        && rest == word_rest
        && is_third_person_of(first, word_first)
    {
        return true;
    }
    if let Some(rest) = word.strip_prefix(name)
        && matches!(rest, "s" | "es")
    {
        return true;
    }
    name.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
}

/// Returns the past participle of a name (`destroyed`), for messages.
pub fn participle(name: &str) -> String {
    if name.contains('_') {
        return name.to_owned();
    }
    if let Some((_, form)) = IRREGULAR_PARTICIPLES.iter().find(|(base, _)| *base == name) {
        return (*form).to_owned();
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ied"),
        _ if name.ends_with('e') => format!("{name}d"),
        _ if name.len() == 3 && name.ends_with(['p', 't', 'n', 'g', 'b', 'm']) => format!("{name}{}ed", &name[2..]),
        _ => format!("{name}ed"),
    }
}

/// Returns the form of another name that a written form of a name has: `deals_damage` for `doles`, a form of `dole`.
pub fn inflect_like(name: &str, written: &str, other: &str) -> String {
    let inflect: fn(&str) -> String = match written {
        _ if written == name => return other.to_owned(),
        _ if is_third_person_of(name, written) => third_person,
        _ => participle,
    };
    match other.split_once('_') {
        Some((first, rest)) => format!("{}_{rest}", inflect(first)),
        None => inflect(other),
    }
}

/// Irregular past participles.
const IRREGULAR_PARTICIPLES: &[(&str, &str)] = &[
    ("draw", "drawn"),
    ("put", "put"),
    ("deal", "dealt"),
    ("break", "broken"),
    ("choose", "chosen"),
    ("take", "taken"),
    ("give", "given"),
    ("lose", "lost"),
    ("win", "won"),
    ("send", "sent"),
    ("bring", "brought"),
    ("cast", "cast"),
    ("make", "made"),
    ("pay", "paid"),
    ("strike", "struck"),
    ("fight", "fought"),
    ("shuffle", "shuffled"),
    ("set", "set"),
    ("hit", "hit"),
    ("cut", "cut"),
    ("leave", "left"),
    ("begin", "begun"),
];

/// A quick test that a word is no form of a name: a form has the name's initial. Names in `y` or `_` are excepted, since their stem may be
/// empty.
fn has_other_initial(name: &str, word: &str) -> bool {
    name.bytes().next().is_some_and(|first| !matches!(first, b'y' | b'_') && word.bytes().next() != Some(first))
}

fn is_irregular_participle(name: &str, word: &str) -> bool {
    IRREGULAR_PARTICIPLES.iter().any(|(base, form)| *base == name && *form == word)
}

/// Whether the verb of a pattern is in the past tense: `attacked`, but not `is attacked`.
pub fn is_past(name: &str, pattern: &Pattern) -> bool {
    let verb = pattern.verb.text.as_str();
    let built_in = VERBS.iter().any(|row| row.pattern_words.contains(&verb));
    !(pattern.passive || built_in || verb == name || is_third_person_of(name, verb))
}

#[cfg(test)]
mod tests {
    use super::inflect_like;

    #[test]
    fn another_name_gets_the_same_form() {
        assert_eq!(inflect_like("dole", "dole", "deal_damage"), "deal_damage");
        assert_eq!(inflect_like("dole", "doles", "deal_damage"), "deals_damage");
        assert_eq!(inflect_like("dole", "doled", "deal_damage"), "dealt_damage");
        assert_eq!(inflect_like("take_away", "takes_away", "carry"), "carries");
        assert_eq!(inflect_like("take", "taken", "carry"), "carried");
    }
}
