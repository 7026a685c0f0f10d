//! English inflection: articles, plurals, verb forms, and lists.

/// Capitalises the first letter.
pub fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Capitalises the first letter of every sentence and line.
pub fn capitalise_sentences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = true;
    let mut before = ' ';
    for c in text.chars() {
        if start && (c.is_alphanumeric() || c == '{' || c == '⟦') {
            out.extend(c.to_uppercase());
            start = false;
        } else {
            out.push(c);
        }
        if c == '\n' || c == ' ' && matches!(before, '.' | '•') {
            start = true;
        }
        before = c;
    }
    out
}

pub(super) fn is_vowel(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u')
}

/// The article before a word: `a` or `an`.
pub fn article(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let first = lower.chars().next().unwrap_or(' ');
    let vowel = is_vowel(first) && !lower.starts_with("uni") && !lower.starts_with("one") && !lower.starts_with("use")
        || first == '8'
        || lower.starts_with("11 ")
        || lower.starts_with("hour");
    if vowel { "an" } else { "a" }
}

/// Endings of nouns with an irregular plural, and the endings of the plurals.
const IRREGULAR_PLURALS: [(&str, &str); 10] = [
    ("folk", "folk"),
    ("Elf", "Elves"),
    ("elf", "elves"),
    ("Wolf", "Wolves"),
    ("wolf", "wolves"),
    ("Dwarf", "Dwarves"),
    ("Mouse", "Mice"),
    ("Fish", "Fish"),
    ("Sheep", "Sheep"),
    ("Samurai", "Samurai"),
];

/// The plural of a noun.
pub fn plural(noun: &str) -> String {
    let irregular = IRREGULAR_PLURALS.iter().find_map(|(one, several)| Some(format!("{}{several}", noun.strip_suffix(one)?)));
    irregular.unwrap_or_else(|| regular_plural(noun))
}

fn regular_plural(noun: &str) -> String {
    if let Some(stem) = noun.strip_suffix('y')
        && !stem.ends_with(is_vowel)
    {
        return format!("{stem}ies");
    }
    if noun.ends_with(['s', 'x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}

/// A verb in the third person singular.
pub fn third_person(verb: &str) -> String {
    match verb {
        "have" => "has".into(),
        "be" | "are" => "is".into(),
        "do" => "does".into(),
        "go" => "goes".into(),
        "can" | "can't" | "may" | "must" | "cannot" => verb.into(),
        "don't" => "doesn't".into(),
        "aren't" => "isn't".into(),
        _ => regular_plural(verb),
    }
}

/// An ordinal number in words, up to ten: `third`.
pub fn ordinal_word(n: &str) -> String {
    let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let index = n.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    index.and_then(|index| words.get(index)).map_or_else(|| ordinal(n), |word| (*word).to_owned())
}

/// An ordinal number: `3rd`.
pub(super) fn ordinal(n: &str) -> String {
    let suffix = match n.as_bytes() {
        [.., b'1', _] => "th",
        [.., b'1'] => "st",
        [.., b'2'] => "nd",
        [.., b'3'] => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

/// Verbs with an irregular past participle, which the name of an action may begin with.
const IRREGULAR_PARTICIPLES: [(&str, &str); 40] = [
    ("bear", "borne"),
    ("become", "become"),
    ("begin", "begun"),
    ("bind", "bound"),
    ("bring", "brought"),
    ("build", "built"),
    ("buy", "bought"),
    ("catch", "caught"),
    ("choose", "chosen"),
    ("cut", "cut"),
    ("deal", "dealt"),
    ("draw", "drawn"),
    ("feed", "fed"),
    ("fight", "fought"),
    ("find", "found"),
    ("freeze", "frozen"),
    ("get", "gotten"),
    ("give", "given"),
    ("grow", "grown"),
    ("hide", "hidden"),
    ("hit", "hit"),
    ("hold", "held"),
    ("keep", "kept"),
    ("lay", "laid"),
    ("lose", "lost"),
    ("make", "made"),
    ("pay", "paid"),
    ("put", "put"),
    ("read", "read"),
    ("sell", "sold"),
    ("send", "sent"),
    ("set", "set"),
    ("shut", "shut"),
    ("spend", "spent"),
    ("steal", "stolen"),
    ("take", "taken"),
    ("throw", "thrown"),
    ("turn", "turned"),
    ("win", "won"),
    ("write", "written"),
];

/// Whether a verb doubles its last consonant before an ending: one syllable with a short vowel, perhaps behind `un`, as in `untapped`.
fn doubles_consonant(verb: &str) -> bool {
    let stem = verb.strip_prefix("un").unwrap_or(verb);
    let mut last = stem.chars().rev();
    let (end, vowel, before) = (last.next(), last.next(), last.next());
    let is_short = vowel.is_some_and(is_vowel) && before.is_some_and(|c| !is_vowel(c));
    end.is_some_and(|c| c.is_ascii_lowercase() && !is_vowel(c) && !matches!(c, 'w' | 'x' | 'y'))
        && is_short
        && stem.chars().filter(|c| is_vowel(*c)).count() == 1
}

/// The past participle of a verb.
pub(in crate::text) fn participle(verb: &str) -> String {
    if let Some((_, participle)) = IRREGULAR_PARTICIPLES.iter().find(|(irregular, _)| *irregular == verb) {
        return (*participle).to_owned();
    }
    match verb.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ied"),
        _ if doubles_consonant(verb) => format!("{verb}{}ed", &verb[verb.len() - 1..]),
        _ if verb.ends_with('e') => format!("{verb}d"),
        _ => format!("{verb}ed"),
    }
}

/// The gerund: `paying`.
pub(super) fn gerund(verb: &str) -> String {
    match verb.strip_suffix('e') {
        Some(stem) if !verb.ends_with("ee") => format!("{stem}ing"),
        _ => format!("{verb}ing"),
    }
}

/// The possessive form: `your`, `its`, `players'`, `card's`.
pub(super) fn possessive(text: &str) -> String {
    match text {
        "you" => "your".into(),
        "it" => "its".into(),
        "they" | "them" => "their".into(),
        _ if text.ends_with("players") || text.ends_with("opponents") => format!("{text}'"),
        _ if text.ends_with('s')
            && !text.ends_with("ss")
            && ["those ", "one of ", "another of "].iter().any(|several| text.starts_with(several)) =>
        {
            format!("{text}'")
        }
        _ => format!("{text}'s"),
    }
}

/// Marks a verb that is never an imperative: `(you) gain 2 life`.
pub(super) const YOU_MARK: &str = "(you) ";

/// Joins actions that happen together. Words that two of them begin with are printed once.
#[must_use]
pub fn join_sentences(texts: &[String]) -> String {
    let mut made: Vec<String> = Vec::new();
    let mut elided = true;
    for (at, text) in texts.iter().enumerate() {
        let Some(before) = at.checked_sub(1).and_then(|before| texts.get(before)) else {
            made.push(text.clone());
            continue;
        };
        let words: Vec<&str> = text.split(' ').collect();
        let previous: Vec<&str> = before.split(' ').collect();
        let same = shared_word_count(&previous, &words);
        let pronoun = |words: &[&str]| matches!(words, ["it" | "them"]);
        if same > 0 && pronoun(&words[same..]) && pronoun(&previous[same..]) {
            // `destroy it and destroy it`
            if let Some(last) = made.last_mut() {
                *last = format!("{} them", previous[..same].join(" "));
            }
        } else if same == 0 || before.contains(", ") {
            elided = false;
            made.push(text.clone());
        } else {
            made.push(words[same..].join(" "));
        }
    }
    if elided { join_list(&made) } else { made.join(" and ") }
}

/// Joins costs. Two with the same verb and place share them: `banish 1 LIGHT monster and 1 DARK monster from your Graveyard`.
#[must_use]
pub fn join_costs(costs: &[String]) -> String {
    if let [one, other] = costs
        && let (Some((verb, first)), Some((again, second))) = (one.split_once(' '), other.split_once(' '))
        && let (Some((thing, place)), Some((_, there))) = (first.split_once(" from "), second.split_once(" from "))
        && verb == again
        && place == there
    {
        return format!("{verb} {thing} and {second}");
    }
    join_list(costs)
}

/// The number of leading words of two sentences that are printed once: subject and verb, and everything up to `to`.
fn shared_word_count(one: &[&str], other: &[&str]) -> usize {
    const OPENING: [&str; 14] =
        ["a", "an", "the", "each", "all", "any", "target", "another", "that", "those", "your", "up", "one", "this"];
    const PLACES: [&str; 5] = ["into", "onto", "on", "to", "from"];
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let opens = |word: &&str| OPENING.contains(word) || word.starts_with(|c: char| c.is_ascii_digit()) || *word == "X";
    // `inflict damage to you equal to its ATK` is no sentence without its verb
    let has_amount = |words: &[&str]| words[same..].contains(&"equal");
    if same == other.len() || other.first().is_none_or(opens) || has_amount(one) || has_amount(other) {
        return 0;
    }
    if let Some(to) = other[..same].iter().rposition(|word| *word == "to") {
        // `1 damage to any target and 1 damage to you`
        let number = other[..to].iter().rposition(|word| word.starts_with(|c: char| c.is_ascii_digit()) || *word == "X");
        return number.filter(|at| to - at <= 2 && other[to + 1..] == ["you"]).unwrap_or(to + 1);
    }
    let cut = other[..same].iter().position(opens).unwrap_or(same);
    // an imperative with places is printed in full
    let placed = |words: &[&str]| words.iter().any(|word| PLACES.contains(word));
    if cut == 1 && (placed(one) || placed(other)) { 0 } else { cut }
}

/// Splits a template `verb/participle rest` into verb, participle and rest.
pub(in crate::text) fn split_verb(template: &str) -> (&str, Option<&str>, &str) {
    let template = template.strip_prefix(YOU_MARK).unwrap_or(template);
    let end = template.find([' ', '[']).unwrap_or(template.len());
    let (verb, rest) = template.split_at(end);
    match verb.split_once('/') {
        Some((verb, participle)) => (verb, Some(participle), rest),
        None => (verb, None, rest),
    }
}

/// Joins alternatives: `a, b, or c`.
pub fn join_alternatives(items: &[String], link: &str) -> String {
    match items {
        [first @ .., last] if items.len() > 2 => format!("{}, {link} {last}", first.join(", ")),
        _ => items.join(&format!(" {link} ")),
    }
}

pub(super) fn join_adjectives(adjectives: &[String], noun: &str) -> String {
    let mut core = String::new();
    for (at, adjective) in adjectives.iter().enumerate() {
        let both = |before: &String| before.starts_with("non") && adjective.starts_with("non");
        if let Some(before) = at.checked_sub(1).and_then(|before| adjectives.get(before)) {
            core.push_str(if both(before) { ", " } else { " " });
        }
        // `Equip Spell` before `Spells` prints the noun once
        let last =
            adjective.rsplit_once(' ').filter(|(_, word)| at + 1 == adjectives.len() && (noun == *word || noun == plural(word)));
        core.push_str(last.map_or(adjective, |(front, _)| front));
    }
    if !core.is_empty() {
        core.push(' ');
    }
    // a mark in the noun shows where its adjectives go: `face-up ^dragon`
    match noun.split_once('^') {
        Some((front, back)) => format!("{front}{core}{back}"),
        None => format!("{core}{noun}"),
    }
}

/// Joins a list: `a`, `a and b`, `a, b, and c`.
pub fn join_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// Merges chapters with the same text into one line: `I, II — …`.
#[must_use]
pub fn merge_chapters(lines: Vec<String>, dash: &str, comma: &str) -> Vec<String> {
    let mut made: Vec<String> = Vec::new();
    for line in lines {
        let chapter = line.split_once(dash).filter(|(number, _)| number.chars().all(|c| matches!(c, 'I' | 'V' | 'X')));
        let joined = made.last().and_then(|last| {
            let (number, text) = chapter?;
            let (numbers, before) = last.split_once(dash)?;
            let chapters = numbers.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | ',' | ' ' | '、'));
            (before == text && chapters).then(|| format!("{numbers}{comma}{number}{dash}{text}"))
        });
        match (joined, made.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => made.push(line),
        }
    }
    made
}

/// Replaces `that many` by `that number` if no noun follows that it counts.
pub fn replace_that_many(text: &str) -> String {
    const MANY: &str = "that many";
    let mut out = String::new();
    let mut rest = text;
    while let Some((front, back)) = rest.split_once(MANY) {
        out.push_str(front);
        let compared = ["equal to ", "than ", "times "].iter().any(|word| front.ends_with(word));
        let counts =
            back.strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_alphabetic) && !next.starts_with("until "));
        let number = back.starts_with(" is ") || compared && !counts;
        out.push_str(if number { "that number" } else { MANY });
        rest = back;
    }
    out.push_str(rest);
    out
}

/// Replaces the second mention of the player in a sentence by `they` or `their`. `forms` are the player's noun and these two pronouns.
pub fn replace_by_they(text: &str, forms: &[String]) -> String {
    let [who, they, their] = forms else { return text.to_owned() };
    let again = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let Some(first) = lower.find(who.as_str()).filter(|_| lower.len() == sentence.len()) else { return sentence.to_owned() };
        let mut out = sentence[..first + who.len()].to_owned();
        let mut done = out.len();
        while let Some(at) = lower[done..].find(who.as_str()).map(|at| at + done) {
            out.push_str(&sentence[done..at]);
            let begins = sentence[at..].starts_with(char::is_uppercase);
            let form = |word: &str| if begins { capitalise(word) } else { word.to_owned() };
            done = at + who.len();
            let rest = &sentence[done..];
            let verb = rest.strip_prefix(' ').map_or("", |rest| rest.split([' ', ',', ':', '.']).next().unwrap_or_default());
            match plural_verb(verb) {
                _ if rest.starts_with("'s ") => {
                    out.push_str(&form(their));
                    done += 2;
                }
                Some(verb_of_several) => {
                    out.push_str(&format!("{} {verb_of_several}", form(they)));
                    done += 1 + verb.len();
                }
                None => out.push_str(&sentence[at..done]),
            }
        }
        out.push_str(&sentence[done..]);
        out
    };
    text.split_inclusive(". ").map(again).collect()
}

/// The plural form of a verb in the third person singular: `draw` for `draws`. `None` for other words.
fn plural_verb(verb: &str) -> Option<String> {
    Some(match verb {
        "is" => "are".to_owned(),
        "has" => "have".to_owned(),
        "was" => "were".to_owned(),
        "can" | "cannot" => verb.to_owned(),
        _ if verb.len() < 4 || !verb.ends_with('s') => return None,
        _ => match ["ss", "ch", "sh", "x", "o"].iter().any(|end| verb.ends_with(&format!("{end}es"))) {
            true => verb[..verb.len() - 2].to_owned(),
            false => verb[..verb.len() - 1].to_owned(),
        },
    })
}

/// Lower-cases the first letter if the second one is in lower case.
pub fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// A condition in the past: `it is tapped` becomes `it was tapped`.
pub fn past(text: &str) -> String {
    const FORMS: [(&str, &str); 7] = [
        ("it's ", "it was "),
        (" isn't ", " wasn't "),
        (" aren't ", " weren't "),
        (" is ", " was "),
        (" are ", " were "),
        (" has ", " had "),
        (" have ", " had "),
    ];
    let found = FORMS.iter().filter_map(|(now, then)| Some((text.find(now)?, now, then))).min_by_key(|(at, ..)| *at);
    found.map_or_else(|| text.to_owned(), |(_, now, then)| text.replacen(now, then, 1))
}

/// A relative clause of an entry that is written for one thing, for several: ` that has attacked` becomes ` that have attacked`.
pub fn with_plural_clause(back: &str) -> String {
    const FORMS: [(&str, &str); 8] = [
        ("has", "have"),
        ("hasn't", "haven't"),
        ("is", "are"),
        ("isn't", "aren't"),
        ("was", "were"),
        ("wasn't", "weren't"),
        ("shares", "share"),
        ("doesn't", "don't"),
    ];
    let changed = back.strip_prefix(" that ").and_then(|clause| {
        let (verb, rest) = clause.split_once(' ')?;
        let (_, form) = FORMS.iter().find(|(one, _)| *one == verb)?;
        Some(format!(" that {form} {rest}"))
    });
    changed.unwrap_or_else(|| back.to_owned())
}
