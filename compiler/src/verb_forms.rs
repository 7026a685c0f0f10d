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
        && PARTICIPLE_ENDINGS.contains(&rest)
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
        && THIRD_PERSON_ENDINGS.contains(&rest)
    {
        return true;
    }
    name.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
}

/// Returns all names that a word can be a form of, by [`is_third_person_of`] or [`is_inflected_form`], and few others: for a search by name in large tables.
pub fn base_names(word: &str) -> Vec<String> {
    let mut names = vec![word.to_owned()];
    let endings = THIRD_PERSON_ENDINGS.iter().chain(PARTICIPLE_ENDINGS);
    names.extend(endings.filter_map(|ending| word.strip_suffix(ending)).map(str::to_owned));
    names.extend(["ied", "ies"].iter().filter_map(|ending| word.strip_suffix(ending)).map(|stem| format!("{stem}y")));
    names.extend(IRREGULAR_PARTICIPLES.iter().filter(|(_, form)| *form == word).map(|(base, _)| (*base).to_owned()));
    // A name of many words has one form of its first word only, so that this does not repeat.
    if let Some((first, rest)) = word.split_once('_') {
        names.extend(base_names(first).into_iter().map(|base| format!("{base}_{rest}")));
    }
    names
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

/// What a third person adds to a name.
const THIRD_PERSON_ENDINGS: &[&str] = &["s", "es"];

/// What a regular past participle adds to a name.
const PARTICIPLE_ENDINGS: &[&str] = &["d", "ed", "n", "en", "ped", "ted", "ned", "ged", "bed", "med", "red", "led", "ded"];

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
    use super::{
        IRREGULAR_PARTICIPLES, base_names, inflect_like, is_inflected_form, is_third_person_of, participle, third_person,
    };

    #[test]
    fn a_name_is_found_by_each_of_its_forms() {
        let irregular = IRREGULAR_PARTICIPLES.iter().map(|(base, _)| *base);
        for name in irregular.chain(["tap", "destroy", "carry", "y", "y_back", "_", "put_into_play", "deal_damage", "lose_life"])
        {
            let forms = [name.to_owned(), third_person(name), participle(name), format!("{}_x", participle(name))];
            let inflected_first = name.split_once('_').map(|(first, rest)| format!("{}_{rest}", participle(first)));
            for form in forms.into_iter().chain(inflected_first) {
                let is_form = is_third_person_of(name, &form) || is_inflected_form(name, &form, true);
                assert!(!is_form || base_names(&form).iter().any(|base| base == name), "`{form}` does not lead to `{name}`");
            }
        }
        assert!(base_names("deals_damage").contains(&"deal_damage".to_owned()));
        assert!(base_names("drawn").contains(&"draw".to_owned()));
    }

    #[test]
    fn another_name_gets_the_same_form() {
        assert_eq!(inflect_like("dole", "dole", "deal_damage"), "deal_damage");
        assert_eq!(inflect_like("dole", "doles", "deal_damage"), "deals_damage");
        assert_eq!(inflect_like("dole", "doled", "deal_damage"), "dealt_damage");
        assert_eq!(inflect_like("take_away", "takes_away", "carry"), "carries");
        assert_eq!(inflect_like("take", "taken", "carry"), "carried");
    }
}
