//! Phrases of printed texts inside of abilities, each with the form that the language has instead.

use super::site::{Notation, Site};
use super::words::{first_word, is_lowercase_word, is_number, join_changes, join_tokens, number_word};

/// The most symbols that a suggestion repeats.
const MAX_REPEATED_SYMBOLS: usize = 6;

/// `{1}, {T} draw 1`: costs without a colon.
pub(super) fn colon_missing(site: &Site<'_>) -> Option<Notation> {
    let is_symbol = |word: &&str| word.starts_with('{') && word.ends_with('}') && word.len() > 2;
    let written = site.written();
    let symbols = written.iter().take_while(|word| is_symbol(word) || **word == ",").count();
    let (costs, rest) = written.split_at(symbols);
    // `{R} discard 1` is read as two facts.
    let is_cost = match rest {
        [] => costs.last().is_some_and(is_symbol) && site.is_among_members(),
        [verb, number, more @ ..] => {
            !costs.is_empty() && is_lowercase_word(verb) && is_number(number) && !more.get(1).is_some_and(|word| is_number(word))
        }
        _ => false,
    };
    if !is_cost {
        return None;
    }
    let line = match site.text {
        "}" => join_tokens(&written),
        text => format!("{} {text}{}", join_tokens(&written), site.whole_line_after()),
    };
    let mut statement = line.as_str();
    while let Some(behind) = statement.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        statement = behind.1.trim_start_matches([' ', ',']);
    }
    let costs = line.get(..line.len() - statement.len())?.trim_end_matches([' ', ',']).replace(" ,", ",");
    let begins_statement = statement.starts_with(|c: char| c.is_ascii_lowercase()) && !statement.contains(':');
    begins_statement.then(|| {
        // `{U}, sacrifice this { … }`: the words before a block are costs, too
        let help = match statement.split_once(" {") {
            Some((words, block)) if site.text == "{" || !words.contains(" if ") && block.starts_with(' ') => {
                format!("write it: `{costs}, {words}: {{{block}`")
            }
            _ => format!("write it: `{costs}: {}`", statement.trim_end_matches(['.', ' '])),
        };
        let notation = Notation::new("a colon separates costs from what they are paid for", help);
        if rest.is_empty() { notation } else { notation.before() }
    })
}

/// `limit once per turn`, `limit 1 each turn`.
pub(super) fn limit_words(site: &Site<'_>) -> Option<Notation> {
    let (number, rest) = match (site.text, site.last(), site.second_last()) {
        (word @ ("once" | "twice"), "limit", _) => (if word == "once" { "1" } else { "2" }, site.next()),
        ("each" | "every" | "a", number, "limit") if is_number(number) => (number, site.next()),
        ("times" | "time", number, "limit") if is_number(number) => (number, site.next()),
        _ => return None,
    };
    let period = rest.split([' ', ':', '{', ',']).find(|word| !matches!(*word, "per" | "each" | "every" | "a" | ""))?;
    Some(Notation::new("a limit has a number and a period", format!("write `limit {number} per {period}`")))
}

/// `produces 2 {G}`.
pub(super) fn number_of_symbols(site: &Site<'_>) -> Option<Notation> {
    let (symbol, number, verb) = match site.line() {
        [symbol, number, verb, ..] if symbol.starts_with('{') => (*symbol, *number, *verb),
        [number, verb, ..] => (site.text, *number, *verb),
        _ => return None,
    };
    let is_counted = symbol.starts_with('{') && symbol.ends_with('}') && matches!(verb, "produces" | "produce");
    let count = number.parse::<usize>().ok().filter(|count| is_counted && (1..=MAX_REPEATED_SYMBOLS).contains(count))?;
    let help = format!("write it as often as it counts: `{verb} {}`", symbol.repeat(count));
    let notation = Notation::new("a symbol has no number before it", help);
    Some(if symbol == site.text { notation } else { notation.before() })
}

/// `loyalty: +1 { … }`: the number of a keyword after its colon; `-X: …`: a letter in its place.
pub(super) fn number_of_a_keyword(site: &Site<'_>) -> Option<Notation> {
    if !site.is_among_members() {
        return None;
    }
    if matches!((site.text, site.last()), ("X", "+" | "-")) && site.line().len() == 1 {
        let help = "a number in its place is fixed; a chosen one needs the long form: `activated { announce numbers { … }  cost { … }  does { … } }`";
        return Some(Notation::new("`X` is no number", help));
    }
    let (sign @ ("+" | "-"), ":", keyword) = (site.text, site.last(), site.second_last()) else { return None };
    let number = first_word(site.after);
    (site.line().len() == 2 && is_number(number)).then(|| {
        let help = format!("write the number before the colon: `{keyword} {sign}{number}: …`");
        Notation::new(format!("the number of `{keyword}` precedes its block"), help)
    })
}

/// `create 1/1 white "Spirit"`: the facts of a token where it is created.
pub(super) fn facts_of_a_token(site: &Site<'_>) -> Option<Notation> {
    let from = site.line().iter().position(|word| matches!(*word, "create" | "creates"))?;
    let before: Vec<&str> = site.line().get(..from)?.iter().rev().copied().collect();
    let line = format!("{} {}{}", join_tokens(&before), site.text, site.whole_line_after());
    let (facts, behind) = line.split_once('"')?;
    let name = behind.split_once('"')?.0;
    let facts = facts.replace(" / ", "/").replace("/ ", "/").replace(" /", "/").replace(" and ", " ");
    let facts = facts.trim().trim_start_matches("a ").trim_start_matches("an ").trim();
    let has_facts = facts.split(' ').any(|fact| !is_number(fact) && !fact.is_empty() && first_word(fact) != "copy");
    let is_plain = facts.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '/' | '_'));
    let names_a_token = facts.split(' ').any(|fact| matches!(fact, "token" | "tokens"));
    (has_facts && is_plain && !names_a_token).then(|| {
        let help = format!(
            "declare it outside of the card, `token \"{name}\" {{ TYPE {facts} }}`, and write `create \"{name}\" into ZONE`"
        );
        Notation::new("the facts of a token are part of its declaration", help)
    })
}

/// `target artifact, creature or land`: several kinds of a target.
pub(super) fn kinds_of_a_target(site: &Site<'_>) -> Option<Notation> {
    if site.text != "," || site.second_last() != "target" || !is_lowercase_word(site.last()) {
        return None;
    }
    let mut kinds = vec![site.last()];
    let rest = site.whole_line_after();
    let end = rest.find(|c: char| !c.is_ascii_lowercase() && !matches!(c, ' ' | ',' | '_')).unwrap_or(rest.len());
    let words = rest.get(..end).unwrap_or("").split([' ', ',']).filter(|word| !word.is_empty());
    let mut is_last = false;
    for word in words {
        match word {
            "or" => is_last = true,
            kind => {
                kinds.push(kind);
                if is_last {
                    let help = format!("write them in parentheses: `target ({})`", kinds.join(" or "));
                    return Some(Notation::new("a target has one noun, or several in parentheses", help));
                }
            }
        }
    }
    None
}

/// `- { draw 1; gain 2 }`: a mode in braces.
pub(super) fn mode_in_braces(site: &Site<'_>) -> Option<Notation> {
    let is_mode = site.text == "{" && site.line() == ["-"];
    is_mode.then(|| Notation::new("a mode has no braces", "leave them out: `- STATEMENT; STATEMENT`").replace(""))
}

/// `target creature loses flying until end of turn`.
pub(super) fn lost_keyword(site: &Site<'_>) -> Option<Notation> {
    let next = first_word(site.next());
    let is_statement =
        matches!(site.text, "loses" | "lose") && !site.line().is_empty() && is_lowercase_word(next) && next != "life";
    is_statement.then(|| {
        let about = join_tokens(&site.written());
        let rest = site.whole_line_after().trim_start();
        let help = format!("write `{about} gets not {rest}`; all abilities are `no abilities`");
        Notation::new("what an object loses is a change of it", help)
    })
}

/// `sorcery card of you`: two nouns.
pub(super) fn second_noun(site: &Site<'_>) -> Option<Notation> {
    let at = site.line().iter().position(|word| matches!(*word, "card" | "cards"))?;
    let quality = *site.line().get(at + 1)?;
    let before = site.line().get(at + 2).copied();
    let begins = match before {
        None => site.is_among_members(),
        Some(word) => is_number(word) || matches!(word, "each" | "other" | "target" | "all" | "(" | "{"),
    };
    let is_quality = is_lowercase_word(quality)
        && !crate::lexer::is_reserved(quality)
        && !matches!(quality, "other" | "target" | "each" | "this" | "all");
    let continues_otherwise = !matches!(site.text, "in" | "from" | "of" | "with");
    (begins && continues_otherwise && is_quality && !is_number(quality)).then(|| {
        let help = format!("write the second word as a condition: `card … that is {quality}`, or `{quality} …` alone");
        Notation::new("a selection has one noun", help)
    })
}

/// `choose 1 or 2 { - … }`, `choose one or more { - … }`: a number of modes.
pub(super) fn number_of_modes(site: &Site<'_>) -> Option<Notation> {
    let (verb, number) = site.line().split_last()?;
    let words = ["to", "or", "more", "both", "any", "number", "of", "at", "least", "one"];
    let is_number_of_modes = number.len() > 1 && number.iter().all(|word| is_number(word) || words.contains(word));
    (site.text == "{" && *verb == "choose" && is_number_of_modes).then(|| {
        Notation::new(
            "the numbers of modes are written with `to`",
            "write `choose 1 to 2 { - …  - … }`, `choose 2 { … }`, or `choose up to 2 { … }`, which may be none",
        )
    })
}

/// `when you draw: who draws 1`: a named player as the subject of the statement behind a colon.
pub(super) fn subject_without_parentheses(site: &Site<'_>) -> Option<Notation> {
    let [verb, subject, ":", ..] = site.line() else { return None };
    let is_subject = is_number(site.text) && is_lowercase_word(verb) && verb.ends_with('s') && is_lowercase_word(subject);
    is_subject.then(|| {
        let help = format!("write it as `({subject}) {verb} {}{}`", site.text, site.whole_line_after());
        Notation::new("a subject with a name is written in parentheses", help)
    })
}

/// `*/4`: a number that an ability defines.
pub(super) fn star_for_a_number(site: &Site<'_>) -> Option<Notation> {
    if site.text != "*" || !site.is_among_members() {
        return None;
    }
    let number = |text: &str| Some(first_word(text)).filter(|number| is_number(number)).unwrap_or("0").to_owned();
    let pair = match (site.last(), site.after.strip_prefix('/')) {
        (_, Some(second)) => format!("0/{}", number(second)),
        ("/", None) => format!("{}/0", number(site.second_last())),
        _ => return None,
    };
    let help = format!("write `{pair}`, and what the other number is as an ability: `defines {{ PROPERTY = … }}`");
    Some(Notation::new("`*` is no number", help))
}

/// `where it costs 3`: a number as a verb.
pub(super) fn cost_as_verb(site: &Site<'_>) -> Option<Notation> {
    let object = site.last();
    let is_condition = matches!(site.second_last(), "where" | "if" | "while" | "and" | "or" | "not" | "(");
    let number = first_word(site.next());
    if !matches!(site.text, "costs" | "cost") || !is_condition || !is_number(number) {
        return None;
    }
    let rest = site.next().get(number.len()..).unwrap_or("").trim_start();
    let how = match first_word(rest.strip_prefix("or ").unwrap_or("")) {
        "less" | "fewer" => "<=",
        "more" | "greater" => ">=",
        _ => "==",
    };
    let help = format!("compare a property of it: `{} PROPERTY of {object} {how} {number}`", site.second_last());
    Some(Notation::new(format!("`{object} {}` is no condition", site.text), help))
}

/// `destroy target creature where power <= 2`: a condition on chosen objects behind `where`.
pub(super) fn compared_after_where(site: &Site<'_>) -> Option<Notation> {
    let (property, link, noun) = match *site.line() {
        [property, link @ ("where" | "whose"), noun, ..] => (property, link, noun),
        _ => return None,
    };
    let is_event = site.line().iter().any(|word| matches!(*word, "when" | "whenever" | "if" | "cannot" | "must" | "at"));
    let is_comparison = matches!(site.text, "==" | "=" | "!=" | "<" | ">" | "<=" | ">=");
    (is_comparison && !is_event && is_lowercase_word(property) && is_lowercase_word(noun)).then(|| {
        let number = first_word(site.next());
        let op = if site.text == "=" { "==" } else { site.text };
        let help = format!("write it with `with`: `{noun} with {property} {op} {number}`");
        Notation::new(format!("`{link}` begins a condition on an event, not on a selection"), help)
    })
}

/// `choose one - draw 1 - gain 3`: modes without braces.
pub(super) fn modes_in_a_line(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let at = written.iter().position(|word| *word == "choose")?;
    let [number, "-", first, ..] = written.get(at + 1..)? else { return None };
    let count =
        number_word(number).map(|number| number.to_string()).or_else(|| is_number(number).then(|| (*number).to_owned()))?;
    is_lowercase_word(first).then(|| {
        let behind = join_tokens(written.get(at + 2..).unwrap_or(&[]));
        let rest = format!("{behind} {}{}", site.text, site.whole_line_after());
        Notation::new(
            "modes are written in braces",
            format!("write `choose {count} {{ {} }}`", rest.trim_end_matches(['}', ' ', '\n'])),
        )
    })
}

/// `opponent's creatures get -2000 power`: a player's objects without a quantifier.
pub(super) fn possessive_before_gets(site: &Site<'_>) -> Option<Notation> {
    let line = site.line();
    let at = line.iter().position(|word| matches!(*word, "get" | "gets" | "cannot" | "must"))?;
    let (noun, whose) = match line.get(at + 1..)? {
        [noun, "'s", whose @ ("opponent" | "you"), ..] => (*noun, *whose),
        [noun, "your", ..] => (*noun, "you"),
        _ => return None,
    };
    let noun = noun.strip_suffix('s').filter(|noun| is_lowercase_word(noun))?;
    let verb = match *line.get(at)? {
        "get" => "gets",
        verb => verb,
    };
    let change: Vec<&str> = line.get(..at)?.iter().rev().copied().collect();
    let change = join_changes(&change);
    let end =
        if matches!(site.text, "}" | "\n" | ";") { String::new() } else { format!(" {}{}", site.text, site.whole_line_after()) };
    let help = format!("write `each {noun} of {whose} {verb} {change}{end}`");
    Some(Notation::new("a selection begins with a quantifier, and its player stands behind it", help))
}

/// `destroy all creatures except this`: an exception behind a selection.
pub(super) fn exception_of_a_selection(site: &Site<'_>) -> Option<Notation> {
    let [exception @ ("except" | "but"), noun, quantifier @ ("each" | "all"), ..] = *site.line() else { return None };
    if !matches!(site.text, "this" | "it" | "that" | "for") {
        return None;
    }
    let noun = noun.strip_suffix('s').filter(|noun| is_lowercase_word(noun)).unwrap_or(noun);
    let help = match site.text {
        "this" => format!("write `{quantifier} other {noun}`"),
        _ => format!("name it before, and write it as a condition: `{quantifier} {noun} that (candidate != chosen)`"),
    };
    Some(Notation::new(format!("a selection has no `{exception}`"), help))
}
