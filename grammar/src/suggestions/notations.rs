//! Notations of printed texts and of other languages, each with a message that names it and with the form that the language has instead.
//!
//! A notation is recognised by the tokens around the position where parsing stopped. It replaces the list of what the parser expected.

use super::conditions::{
    condition_of_control, limit_in_a_line, negation_of_a_place, permission_of_an_object, possession_of_a_player, target_as_verb,
    verb_behind_that,
};
use super::events::{event_of_a_place, second_verb_of_an_event, state_of_an_arrival};
use super::joined_parts::{
    block_of_a_statement, change_in_a_duration, condition_behind_a_change, condition_behind_a_clause, limit_of_a_replacement,
    name_in_arguments, player_of_a_moment, range, second_condition, second_selection, second_verb_of_a_clause,
    statement_behind_may, unless,
};
use super::players::{choice_as_subject, random_card_of_a_player};
use super::printed_forms::{
    colon_missing, compared_after_where, cost_as_verb, exception_of_a_selection, facts_of_a_token, kinds_of_a_target,
    limit_words, lost_keyword, mode_in_braces, modes_in_a_line, number_of_a_keyword, number_of_modes, number_of_symbols,
    possessive_before_gets, second_noun, star_for_a_number, subject_without_parentheses,
};
use super::second_parts::{
    ability_in_a_line, colon_before_value, colon_behind_costs, comma_after_event, label_and_costs, label_without_cost,
    loop_without_name, modes_of_another_player, part_of_each_player, period_for_moment, second_event, statement_among_members,
    statement_in_a_line, turn_condition, two_words_and_gets,
};
use super::site::{Notation, Site};
use super::words::{begins_period, first_line, first_word, is_lowercase_word, is_number, join_changes, join_tokens};

/// The recognisers, in the order in which they are tried.
const RECOGNISERS: [fn(&Site<'_>) -> Option<Notation>; 74] = [
    link_behind_colon,
    unless,
    second_verb_of_a_clause,
    second_selection,
    range,
    condition_behind_a_clause,
    condition_behind_a_change,
    block_of_a_statement,
    change_in_a_duration,
    player_of_a_moment,
    name_in_arguments,
    limit_of_a_replacement,
    second_condition,
    statement_behind_may,
    state_of_an_arrival,
    second_event,
    second_verb_of_an_event,
    event_of_a_place,
    limit_in_a_line,
    negation_of_a_place,
    choice_as_subject,
    random_card_of_a_player,
    label_and_costs,
    label_without_cost,
    colon_behind_costs,
    star_for_a_number,
    cost_as_verb,
    loop_without_name,
    statement_in_a_line,
    turn_condition,
    condition_of_control,
    possession_of_a_player,
    permission_of_an_object,
    target_as_verb,
    verb_behind_that,
    part_of_each_player,
    number_of_modes,
    modes_of_another_player,
    subject_without_parentheses,
    kinds_of_a_target,
    mode_in_braces,
    lost_keyword,
    number_of_a_keyword,
    colon_missing,
    limit_words,
    number_of_symbols,
    facts_of_a_token,
    number_and_colon,
    ability_in_a_line,
    colon_before_block,
    loop_of_other_language,
    second_base_of_a_pack,
    size_of_decks,
    change_of_rules_on_a_card,
    event_as_condition,
    new_period,
    comma_after_event,
    period_for_moment,
    two_words_and_gets,
    joined_by_and,
    verb_before_change,
    compared_after_where,
    modes_in_a_line,
    possessive_before_gets,
    exception_of_a_selection,
    noun_after_this,
    order_of_words,
    words_in_a_scenario,
    cards_of_deck_rules,
    addition,
    second_noun,
    colon_before_value,
    statement_among_members,
    member_without_meaning,
];

/// The notation at a position, if it is a known one.
pub(crate) fn notation(site: &Site<'_>) -> Option<Notation> {
    RECOGNISERS.iter().find_map(|recognise| recognise(site))
}

/// The contents of the first block of a text, or `…`.
fn block_text(text: &str) -> &str {
    let block = text.split_once('{').map_or("", |(_, inside)| inside);
    // `{G}` is a symbol
    let inside = block.split_once('}').filter(|_| block.starts_with([' ', '\n'])).map_or("", |(inside, _)| inside.trim());
    if inside.is_empty() || inside.contains(['{', '\n']) { "…" } else { inside }
}

/// `+1: { … }`, `-3: draw 1`, `0: …` in the place of an activated ability.
fn number_and_colon(site: &Site<'_>) -> Option<Notation> {
    if !site.is_among_members() {
        return None;
    }
    let (number, behind) = match site.text {
        "+" | "-" => {
            let number = first_word(site.after);
            (format!("{}{number}", site.text), site.after.get(number.len()..)?.trim_start_matches(' ').strip_prefix(':')?)
        }
        ":" if site.line.len() == 1 && is_number(site.last()) => (site.last().to_owned(), site.after),
        ":" if site.line.len() == 2 && matches!(site.second_last(), "+" | "-") && is_number(site.last()) => {
            (format!("{}{}", site.second_last(), site.last()), site.after)
        }
        _ => return None,
    };
    let digits = first_word(number.trim_start_matches(['+', '-']));
    is_number(digits).then(|| {
        let what = match block_text(behind) {
            "…" if !behind.contains('{') => first_line(behind).trim(),
            block => block,
        };
        let message = format!("`{number}:` begins no ability");
        let help = format!("write the keyword that takes the number, `KEYWORD {number}: {what}`, or a cost, `COST: {what}`");
        Notation::new(message, help)
    })
}

/// `does: { … }`, `when this attacks: { … }`.
fn colon_before_block(site: &Site<'_>) -> Option<Notation> {
    let heads =
        ["does", "always", "defines", "activated", "cost", "when", "whenever", "while", "at", "if", "trigger", "otherwise"];
    if site.text != ":" || !site.next().starts_with('{') || site.depth == 0 {
        return None;
    }
    let from = site.line.iter().rposition(|word| heads.contains(word))?;
    let head = join_tokens(&site.line.get(..=from)?.iter().rev().copied().collect::<Vec<_>>());
    Some(Notation::new("no colon precedes a block", format!("leave the colon out: `{head} {{ … }}`")).replace(""))
}

/// `for (i = 0; …)`, `for i in 3 { … }`.
fn loop_of_other_language(site: &Site<'_>) -> Option<Notation> {
    let begins = site.line.len() == 1 && site.last() == "for" && site.text != "each";
    (begins && site.is_among_statements()).then(|| {
        Notation::new(
            "`for` is followed by `each`",
            "write `for each NAME in SELECTION { … }` for objects, `3 times { … }` for a number of times",
        )
    })
}

/// `pack own { extends one, two }`.
fn second_base_of_a_pack(site: &Site<'_>) -> Option<Notation> {
    let other = first_word(site.next());
    (site.item() == "pack" && site.text == "," && site.second_last() == "extends").then(|| {
        let base = site.last();
        let help = format!("extend one: `extends {base}`; other packs of the same game are named after `uses`: `uses {other}`");
        Notation::new("a pack extends one pack", help)
    })
}

/// `main 40 cards`, in a format or in `deck rules`.
fn size_of_decks(site: &Site<'_>) -> Option<Notation> {
    if !matches!(site.item(), "format" | "deck") || site.depth == 0 {
        return None;
    }
    // the word was read as the name of the next section
    if matches!(site.last(), "card" | "cards") && site.line.get(1).is_some_and(|number| is_number(number)) {
        let size = join_tokens(&site.written().into_iter().filter(|word| *word != site.last()).collect::<Vec<_>>());
        let message = format!("the size of a deck has no `{}`", site.last());
        return Some(Notation::new(message, format!("write the number alone: `{size}`")).before().replace(""));
    }
    let numbers: Vec<&str> = site.rest().split_whitespace().collect();
    let is_size = match numbers.as_slice() {
        [number, "card" | "cards", ..] => is_number(number),
        [least, "to", most, ..] => is_number(least) && is_number(most),
        [number] => is_number(number) && matches!(site.text, "main" | "side" | "extra" | "copies"),
        _ => false,
    };
    (site.item() == "format" && site.depth == 1 && site.line.is_empty() && is_lowercase_word(site.text) && is_size).then(|| {
        let size = numbers.iter().filter(|word| !matches!(**word, "card" | "cards")).copied().collect::<Vec<_>>().join(" ");
        let message = format!("`{}` is no difference: rules for decks have their own block", site.text);
        Notation::new(message, format!("write `deck rules {{ {} {size} }}`", site.text))
    })
}

/// `replace play.cast { … }` on a card.
fn change_of_rules_on_a_card(site: &Site<'_>) -> Option<Notation> {
    let differences = ["replace", "remove", "append", "before", "after", "ban", "restrict", "errata"];
    let word = site.line.iter().take(3).find(|word| differences.contains(word))?;
    site.is_among_members().then(|| {
        let message = format!("`{word}` changes the rules of a format, not a card");
        let help = format!(
            "write it in a format: `format NAME extends BASE {{ {word} … }}`; a card replaces an event: `if this would be …, instead {{ … }}`"
        );
        Notation::new(message, help)
    })
}

/// `if this dies then draw 1`, `if this is destroyed { … }`: an event in the place of a condition.
fn event_as_condition(site: &Site<'_>) -> Option<Notation> {
    let (noun, subject) = match site.line.as_slice() {
        [subject @ ("this" | "it" | "you" | "opponent"), "if", ..] => (None, *subject),
        // `if this card is sent …`: the noun is reported with the event
        [noun, subject @ "this", "if", ..] if is_lowercase_word(noun) => (Some(*noun), *subject),
        _ => return None,
    };
    let verb = site.text;
    // a replaced event lacks its `would`
    if site.rest().contains("instead") {
        return None;
    }
    let is_event = verb == "is" && site.is_among_members()
        || is_lowercase_word(verb) && (verb.ends_with('s') && verb != "is" || subject == "you" && site.is_among_members());
    if !is_event || matches!(verb, "has" | "was" | "would" | "or" | "and" | "cannot" | "may" | "do") {
        return None;
    }
    let rest = site.rest();
    let (object, what) = match (rest.split_once('{'), rest.split_once(':'), rest.split_once("then ")) {
        (Some((object, _)), ..) => (object.trim(), block_text(site.after)),
        (None, Some((object, what)), _) => (object.trim(), what.trim()),
        (None, None, Some((object, what))) => (object.trim(), what.trim()),
        (None, None, None) => (rest, "…"),
    };
    let object = object.trim_end_matches([' ', ',']);
    let blank = if object.is_empty() { "" } else { " " };
    let what_happens = if verb == "is" { format!("is {}", first_word(rest)) } else { verb.to_owned() };
    let message = match noun {
        Some(noun) => format!("`{subject} {noun} {what_happens}` is an event, not a condition"),
        None => format!("`{subject} {what_happens}` is an event, not a condition"),
    };
    let body = if rest.contains(':') && !rest.contains('{') { format!(": {what}") } else { format!(" {{ {what} }}") };
    let event = format!("when {subject} {verb}{blank}{object}{body}");
    Some(Notation::new(message, format!("write an ability for the event: `{event}`; a condition is `if COND {{ … }}`")))
}

/// `add phase turn.main2 after turn.attacks { … }`, `after turn.attacks phase turn.main2 { … }`: a new phase or step of a format.
fn new_period(site: &Site<'_>) -> Option<Notation> {
    if site.item() != "format" || site.depth != 1 {
        return None;
    }
    let is_insertion = |word: &str| matches!(word, "add" | "insert" | "put");
    if is_insertion(site.text) && site.line.is_empty() && begins_period(site.next()) {
        let words: Vec<&str> = site.rest().split(['{', ' ']).filter(|word| !word.is_empty()).collect();
        let [what, path, where_to @ ("after" | "before"), next, ..] = *words.as_slice() else { return None };
        let name = path.rsplit('.').next().unwrap_or(path);
        let message = format!("`{}` is no difference: a new {what} is inserted next to one of the base", site.text);
        let block = block_text(site.after);
        return Some(Notation::new(message, format!("write `{where_to} {next} {what} {name} {{ {block} }}`")));
    }
    let [_, what @ ("phase" | "step"), rest @ ..] = site.line.as_slice() else { return None };
    let path = rest.last().filter(|word| matches!(**word, "after" | "before"))?;
    (site.text == ".").then(|| {
        let base = join_tokens(&rest.iter().rev().skip(1).copied().collect::<Vec<_>>()).replace(" .", ".");
        let inner = site.rest().split(['{', ' ']).next().unwrap_or("");
        let name = inner.rsplit('.').next().unwrap_or(inner);
        let help = format!("write its name alone: `{path} {base} {what} {name} {{ {} }}`", block_text(site.after));
        Notation::new(format!("a new {what} has a name, not a path"), help)
    })
}

/// `when …: you may draw 1; if you do { … }`: a colon is followed by one statement.
fn link_behind_colon(site: &Site<'_>) -> Option<Notation> {
    if let Some(notation) = otherwise_behind_colon(site) {
        return Some(notation);
    }
    let is_link = site.text == "do" && site.line() == ["you", "if"];
    let follows_colon =
        site.before.iter().skip(2).take_while(|word| !matches!(**word, "{" | "}" | "\n")).any(|word| *word == ":");
    (is_link && follows_colon).then(|| {
        let help = "write all of them in braces: `when … { you may …; if you do, … }`";
        Notation::new("one statement follows a colon", help).before()
    })
}

/// `when …: you may draw 1; otherwise discard this`: a colon is followed by one statement.
fn otherwise_behind_colon(site: &Site<'_>) -> Option<Notation> {
    let is_link = site.text == "otherwise" && site.line.is_empty() && site.is_among_members();
    let before = site.before.get(1..).filter(|_| is_link && matches!(site.last(), ";" | "\n"))?;
    let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    let line: Vec<&str> = line.into_iter().rev().collect();
    let colon = line.iter().position(|word| *word == ":")?;
    let (head, offer) = (join_tokens(line.get(..colon)?), join_tokens(line.get(colon + 1..)?));
    let link = format!("otherwise{}", site.whole_line_after());
    let help = format!("write all of them in braces: `{head} {{ {offer}; {} }}`", link.trim_end_matches(['.', ' ']));
    Some(Notation::new("one statement follows a colon", help))
}

/// Verbs that printed texts write before a change.
const CHANGE_VERBS: [&str; 4] = ["has", "have", "gets", "gains"];

/// `gets +1/+1, has trample`: a verb before a further change.
fn verb_before_change(site: &Site<'_>) -> Option<Notation> {
    let is_change = site.last() == "," && site.line.iter().any(|word| matches!(*word, "gets" | "get"));
    (is_change && CHANGE_VERBS.contains(&site.text)).then(|| {
        let message = format!("`{}` is not repeated between changes", site.text);
        Notation::new(message, format!("leave `{}` out: `gets …, {}`", site.text, site.rest())).replace("")
    })
}

/// `gets +2 power and flying`, `flying and haste`.
fn joined_by_and(site: &Site<'_>) -> Option<Notation> {
    if site.text != "and" {
        return None;
    }
    if site.line.contains(&"gets") {
        let from = site.line.iter().position(|word| *word == "gets")?;
        let first: Vec<&str> = site.line.get(..from)?.iter().rev().copied().collect();
        let first = join_changes(&first);
        let other = site.rest().split(" until ").next().unwrap_or("").split(['{', '}']).next().unwrap_or("").trim();
        let behind_verb = CHANGE_VERBS.iter().find_map(|verb| other.strip_prefix(verb)?.strip_prefix(' '));
        let other = behind_verb.unwrap_or(other);
        if site.line.get(..from)?.contains(&"until") {
            let help = format!(
                "write two statements: `gets {first}` and `{other}`, each on its line, in braces where they follow a colon"
            );
            return Some(Notation::new("a duration ends the statement", help));
        }
        let notation = Notation::new("changes are separated by commas", format!("write a comma: `gets {first}, {other}`"));
        return Some(if behind_verb.is_none() { notation.replace(",") } else { notation });
    }
    let is_fact = |word: &&str| is_lowercase_word(word) || is_number(word);
    let facts = site.is_among_members() && is_lowercase_word(site.last()) && site.line.iter().all(is_fact);
    facts.then(|| {
        let (one, other) = (site.last(), first_word(site.next()));
        Notation::new("printed facts are not joined by `and`", format!("write each by itself: `{one}, {other}`")).replace(",")
    })
}

/// `this creature gets …`, `when this card is …`: a noun after `this`; also `your opponent`.
fn noun_after_this(site: &Site<'_>) -> Option<Notation> {
    if site.text == "opponent" && matches!(site.last(), "your" | "their" | "an" | "the") {
        let own = site.last();
        let rest = site.after.split([' ', '\n', '}', '{']).next().unwrap_or("");
        let message = format!("`opponent` is written without `{own}`");
        return Some(Notation::new(message, format!("leave `{own}` out: `opponent{rest}`")).before().replace(""));
    }
    let mut words = site.written();
    words.push(site.text);
    words.extend(Some(first_word(site.next())).filter(|word| !word.is_empty()));
    let at = words.windows(3).position(|part| {
        let [this, noun, verb] = part else { return false };
        let is_verb = matches!(*verb, "is" | "gets" | "get" | "can" | "cannot" | "must" | "would" | "has" | "gains" | "becomes")
            || is_lowercase_word(verb) && verb.ends_with('s') && verb.len() > 3;
        *this == "this" && is_lowercase_word(noun) && !noun.ends_with('s') && is_verb && !crate::lexer::is_reserved(noun)
    })?;
    // the statement or event begins with it
    let begins = match at.checked_sub(1).and_then(|before| words.get(before)) {
        None => true,
        Some(before) => matches!(*before, "when" | "whenever" | "if" | "while" | "and" | ","),
    };
    let (noun, verb) = (words.get(at + 1)?, words.get(at + 2)?);
    if !begins || *noun == "would" {
        return None;
    }
    let verb = if *verb == "gains" || *verb == "has" { "gets" } else { verb };
    Some(Notation::new(format!("`this {noun}` is `this` alone"), format!("leave `{noun}` out: `this {verb} …`")))
}

/// Words in the order of a printed text: `target 1 NOUN`, `each of your NOUN`, `under your control`.
fn order_of_words(site: &Site<'_>) -> Option<Notation> {
    let next = first_word(site.next());
    match (site.text, site.last()) {
        (number, "target") if is_number(number) => {
            let message = "the number precedes `target`";
            Some(Notation::new(message, format!("write `{number} target {}`", if next.is_empty() { "NOUN" } else { next })))
        }
        ("target", "of") if site.second_last() == "control" => {
            let help = format!("change its controller: `target {next} gets controller = you`");
            Some(Notation::new("who controls an object is a value of it", help))
        }
        ("target", "of") if site.second_last() == "number" && site.line.get(2) == Some(&"any") => {
            // Several nouns in parentheses have no count.
            let most = if next.is_empty() { "4".to_owned() } else { format!("(count of {next})") };
            let help = format!("write the most that there can be: `up to {most} target {}`", site.rest());
            Some(Notation::new("targets have a number", help))
        }
        ("target", "of") => {
            let help = format!("choose before, and name the choice: `choose target {next} as chosen`, then `of chosen`");
            Some(Notation::new("`of` is followed by a value, not by a choice", help))
        }
        ("of", how_many @ ("each" | "all" | "any" | "some")) => {
            let rest: Vec<&str> = site.rest().split([' ', '{']).collect();
            let (whose, noun) = match rest.as_slice() {
                ["opponent's" | "opponent", noun, ..] | ["your", "opponent's", noun, ..] => ("opponent", *noun),
                ["your", noun, ..] => ("you", *noun),
                _ => ("you", "NOUN"),
            };
            let noun = noun.strip_suffix('s').unwrap_or(noun);
            let message = format!("a noun follows `{how_many}`");
            Some(Notation::new(message, format!("write whose it is after the noun: `{how_many} {noun} of {whose}`")))
        }
        ("under", zone) if matches!(next, "you" | "your" | "opponent" | "its" | "their") => {
            let from = site.line.iter().position(|word| matches!(*word, "when" | "whenever" | "if"))?;
            let head = site.line.get(from).copied()?;
            let verb = site.line.iter().take(from).position(|word| matches!(*word, "enter" | "enters"))?;
            let is_replaced = site.line.get(verb + 1) == Some(&"would");
            let about: Vec<&str> =
                site.line.get(verb + 1 + usize::from(is_replaced)..from).unwrap_or(&[]).iter().rev().copied().collect();
            let whose = if matches!(next, "you" | "your") { "you" } else { "opponent" };
            let about = join_tokens(&about);
            let event = match is_replaced {
                true => format!("{head} {about} of {whose} would enter {zone}, instead {{ … }}"),
                false => format!("{head} {about} of {whose} enters {zone} {{ … }}"),
            };
            Some(Notation::new("an event does not say `under`", format!("write whose it is after the object: `{event}`")))
        }
        (noun, "more") if site.line.get(1) == Some(&"or") && site.line.get(2) == Some(&"one") && is_lowercase_word(noun) => {
            let from = site.line.iter().position(|word| matches!(*word, "when" | "whenever"))?;
            let head: Vec<&str> = site.line.get(3..from)?.iter().rev().copied().collect();
            let event = site.line.get(from).copied()?;
            let help = format!("write it first: `{event} one or more {} {noun} {{ … }}`", join_tokens(&head));
            Some(Notation::new("`one or more` begins an event", help))
        }
        ("beginning", "at") => {
            let rest = site.rest().split(['{', ',']).next().unwrap_or("").trim();
            let message = "a moment is the start or the end of a period";
            Some(Notation::new(message, format!("write `at start {rest} {{ … }}`")).replace("start"))
        }
        ("this", _) if next == "turn" && !site.line.is_empty() => {
            Some(Notation::new("`this turn` is no duration", "write `until end of turn`"))
        }
        ("turn", "this") if site.line.len() > 1 => {
            Some(Notation::new("`this turn` is no duration", "write `until end of turn`").before())
        }
        (_, other) if site.line.contains(&"let") && site.line.contains(&"=") && is_lowercase_word(other) && !site.is_at_end() => {
            let from = site.line.iter().position(|word| *word == "let")?;
            // `let n = each card discard n`: the word before is the noun of the value, else it begins the statement
            let is_noun = begins_noun(site.second_last()) || is_number(site.second_last()) && !first_word(site.next()).is_empty();
            let first: Vec<&str> = site.line.get(usize::from(!is_noun)..=from)?.iter().rev().copied().collect();
            let verb = if is_noun { site.text } else { other };
            let operand = if is_noun { String::new() } else { format!(" {}", site.text) };
            let help = format!(
                "write it on a new line or after `;`: `{}; {verb}{operand}{}`",
                join_tokens(&first),
                first_line(site.after)
            );
            let message = format!("a second statement begins with `{verb}`");
            let is_operand = site.text.starts_with(|c: char| c.is_alphanumeric() || c == '"' || c == '《');
            let notation = Notation::new(message, help);
            (is_operand && !crate::lexer::is_reserved(other)).then(|| if is_noun { notation } else { notation.before() })
        }
        ("have" | "has", "that") => {
            let property = next;
            let number = site.rest().split_whitespace().nth(1).filter(|word| is_number(word)).unwrap_or("3");
            let how = if site.after.contains("or less") || site.after.contains("or fewer") { "<=" } else { ">=" };
            Some(Notation::new(
                "`that has` is followed by one keyword",
                format!("write a condition with a number as `with {property} {how} {number}`"),
            ))
            .filter(|_| site.rest().split_whitespace().nth(1).is_some_and(is_number))
        }
        _ => None,
    }
}

/// Whether a noun follows a word: `each creature`, `of creature`.
fn begins_noun(word: &str) -> bool {
    matches!(word, "each" | "all" | "of" | "other" | "target" | "top" | "bottom" | "some" | "no" | "in" | "from" | "with")
}

/// Forms of steps and expectations that a scenario does not have.
fn words_in_a_scenario(site: &Site<'_>) -> Option<Notation> {
    if site.item() != "scenario" {
        return None;
    }
    let written = site.written();
    match written.as_slice() {
        ["expect", player, what @ ("won" | "wins" | "lost" | "loses")] if site.is_at_end() => {
            let test = if matches!(*what, "won" | "wins") { "has_won" } else { "not is_playing" };
            Some(Notation::new(format!("`{player} {what}` is no condition"), format!("write `expect {test}({player})`")).before())
        }
        ["expect", about, what] if site.is_at_end() && is_lowercase_word(what) => {
            let message = format!("`{about} {what}` is no condition");
            let help = format!(
                "write `expect {about} is {what}` for a word or a status, `expect {about} in ZONE` for a place, `expect PROPERTY of {about} == 2` for a number"
            );
            Some(Notation::new(message, help).before())
        }
        ["at", who] if first_word(site.text) == "turn" => {
            let period = format!("{}{}", site.text, first_line(site.after));
            Some(Notation::new("a moment says whose turn it is by `'s`", format!("write `at {who}'s {period}`")))
        }
        ["expect", about @ .., "is"] if matches!(site.text, "in" | "on" | "at") && !about.is_empty() => {
            let help = format!("leave `is` out: `expect {} in {}`", join_tokens(about), site.rest());
            Some(Notation::new("`in` is the verb of a place", help).before().replace(""))
        }
        ["refuse", .., "because"] if site.text.starts_with(['"', '《']) => {
            let help =
                format!("write what has this name: `because card.{0}`, `because play.NAME` or `because rule.NAME`", site.text);
            Some(Notation::new(format!("`{}` does not say what refuses it", site.text), help))
        }
        ["refuse", who, play, rest @ ..] => {
            let at = rest.iter().position(|word| *word == "choosing")?;
            let what = join_tokens(rest.get(..at)?);
            let chosen = join_tokens(rest.get(at + 1..)?);
            let (text, rest) = if site.is_at_end() { ("", "") } else { (site.text, first_line(site.after)) };
            let blank = if matches!(text, "," | ".") || chosen.is_empty() { "" } else { " " };
            let choice = format!("{chosen}{blank}{text}{rest}").trim().to_owned();
            let help = format!(
                "announce it, and refuse the choice in the next step: `{who} {play} {what}; refuse {who} chooses {choice}`"
            );
            Some(Notation::new("`refuse` takes no choices", help))
        }
        _ => None,
    }
}

/// `copies 2 except basic land`, `refuse basic land "…"` in deck rules: two words where a selection has one noun.
fn cards_of_deck_rules(site: &Site<'_>) -> Option<Notation> {
    let block = site.before.iter().position(|word| *word == "{")?;
    if !matches!(site.before.get(block + 1..block + 3)?, ["rules", "deck"]) {
        return None;
    }
    let words: Vec<&str> = site.before.iter().filter(|word| **word != "\n").take(4).copied().collect();
    let begins = |word: &str| matches!(word, "except" | "refuse" | "of");
    let (head, quality, noun, is_before) = match *words.as_slice() {
        [quality, head, ..] if begins(head) => (head, quality, site.text, false),
        [noun, quality, head, ..] if begins(head) => (head, quality, noun, true),
        _ => return None,
    };
    let is_word = |word: &str| is_lowercase_word(word) && !crate::lexer::is_reserved(word);
    (is_word(noun) && is_word(quality)).then(|| {
        let message = format!("a selection has one noun, and `{quality} {noun}` has two words");
        let help = format!("write the other word as a condition: `{head} {noun} that is {quality}`");
        let notation = Notation::new(message, help);
        if is_before { notation.before() } else { notation }
    })
}

/// `traits NAME adds WORD`, `status NAME adds …`: words that are added without braces, or to what takes none.
fn addition(site: &Site<'_>) -> Option<Notation> {
    let item = site.item();
    if site.depth > 0 {
        return None;
    }
    if site.text == "adds" && matches!(item, "status" | "player" | "global" | "property") && site.before.len() == 2 {
        let message = format!("nothing is added to `{}`", site.last());
        let help =
            "`traits`, `zone` and `payment` take `adds`; a variable has the words of its declaration, `… : one of WORD, WORD`";
        return Some(Notation::new(message, help));
    }
    if site.text == "adds" && item == "traits" && site.before.len() > 2 {
        let name = site.before.iter().rev().nth(1).copied().unwrap_or("NAME");
        let help = format!("write `traits {name} adds {{ … }}`; what the set is stands in its declaration");
        return Some(Notation::new("`adds` follows the name of the set", help));
    }
    let is_added = site.last() == "adds" && matches!(item, "traits" | "zone" | "payment");
    (is_added && !site.is_at_end() && site.text != "{").then(|| {
        let words = format!("{}{}", site.text, site.whole_line_after());
        let help = format!("write it in braces: `{} {{ {words} }}`", join_tokens(&site.written()));
        Notation::new("what is added is written in braces", help)
    })
}

/// A member of words that is neither a printed fact nor an ability: `protection from red`, `cannot be blocked`.
fn member_without_meaning(site: &Site<'_>) -> Option<Notation> {
    if !site.is_among_members() {
        return None;
    }
    if site.text == "cannot" {
        let rest = site.rest();
        return Some(
            Notation::new("`cannot` lacks its subject", format!("write it before: `this cannot {rest}`")).replace("this cannot"),
        );
    }
    if is_number(site.text) && matches!(site.last(), "of" | "from" | "with" | "for") && is_lowercase_word(site.second_last()) {
        let (word, preposition, number) = (site.second_last(), site.last(), site.text);
        let help = format!("a keyword has its values in parentheses: `{word}({number})`");
        return Some(Notation::new(format!("`{word} {preposition} {number}` is no printed fact and no ability"), help));
    }
    if !site.is_at_end()
        || site.line.iter().any(|word| matches!(*word, "when" | "whenever" | "at" | "if" | "while" | "cannot" | "must"))
    {
        return None;
    }
    let written = site.written();
    let quantifier = written.iter().position(|word| matches!(*word, "each" | "all" | "target" | "up"));
    let verb =
        quantifier.and_then(|at| at.checked_sub(1)).filter(|at| written.get(*at).is_some_and(|verb| is_lowercase_word(verb)));
    if let Some(at) = verb {
        let statement = join_tokens(written.get(at..)?);
        let statement = statement.trim_end_matches(['.', ' ']);
        let help = format!("an effect belongs into an ability: `does {{ {statement} }}`, `when EVENT {{ {statement} }}`");
        return Some(Notation::new("this is no printed fact and no ability", help).before());
    }
    let preposition = written.iter().position(|word| matches!(*word, "of" | "from" | "with" | "for")).filter(|at| *at > 0);
    if let Some(at) = preposition
        && let (Some(word), Some(what)) = (written.get(at - 1), written.get(at + 1..).filter(|what| !what.is_empty()))
        && is_lowercase_word(word)
    {
        let (member, what) = (join_tokens(written.get(at - 1..)?), join_tokens(what));
        let help = format!("a keyword has its values in parentheses: `{word}({what})`; a word stands alone: `{word}`");
        return Some(Notation::new(format!("`{member}` is no printed fact and no ability"), help).before());
    }
    // facts can precede it in the line
    let begins_line = site.before.get(site.line.len()) == Some(&"\n");
    let statement = if begins_line { join_tokens(&written) } else { "…".to_owned() };
    (written.len() > 1).then(|| {
        let help = format!("an effect belongs into an ability: `does {{ {statement} }}`, `when EVENT {{ {statement} }}`");
        Notation::new("this is no printed fact and no ability", help).before()
    })
}
