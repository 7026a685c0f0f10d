//! Suggestions for parts that printed texts join where the language has two abilities or statements, and for parts that follow what they precede
//! in the language: conditions, durations, exceptions.

use super::site::{Notation, Site};
use super::words::{enclosing, first_line, first_word, is_lowercase_word, is_number, join_changes};
use crate::lexer::is_reserved;

/// The verbs of clauses about objects.
const CLAUSE_VERBS: [&str; 4] = ["gets", "cannot", "must", "becomes"];

/// The tokens of the line behind the last colon, in their order, and whether there is a colon.
fn statement<'t>(site: &Site<'t>) -> (Vec<&'t str>, bool) {
    let written = site.written();
    match written.iter().rposition(|word| *word == ":") {
        Some(colon) => (written.get(colon + 1..).unwrap_or(&[]).to_vec(), true),
        None => (written, false),
    }
}

/// The token at the position and the rest of its line, without the end of a sentence.
fn rest_of_line(site: &Site<'_>) -> String {
    if site.is_at_end() {
        return String::new();
    }
    format!("{}{}", site.text, site.whole_line_after()).trim_end_matches(['.', ' ']).to_owned()
}

/// How two statements are written in the place of one: behind a colon in braces.
fn two_statements(first: &str, second: &str, follows_colon: bool) -> String {
    match follows_colon {
        true => format!("write both, in braces without the colon: `{{ {first}; {second} }}`"),
        false => format!("write two statements: `{first}; {second}`"),
    }
}

/// `this cannot attack or block`: two verbs behind `cannot` or `must`.
pub(super) fn second_verb_of_a_clause(site: &Site<'_>) -> Option<Notation> {
    let (words, follows_colon) = statement(site);
    let at = words.iter().rposition(|word| matches!(*word, "cannot" | "must"))?;
    let (subject, mood) = (words.get(..at)?, *words.get(at)?);
    let from = subject.iter().rposition(|word| *word == "this").unwrap_or(0);
    let subject = subject.get(from..).filter(|subject| !subject.is_empty() && subject.first() != Some(&"if"))?;
    let behind = words.get(at + 1..)?;
    // `cannot be destroyed or discarded` stops behind the second verb, which was read as a noun
    let (verb, rest) = match behind.iter().position(|word| matches!(*word, "or" | "and")) {
        Some(or) if site.is_at_end() || site.text == "until" => {
            let second = behind.get(or + 1..).filter(|second| second.len() == 1)?;
            (behind.get(..or)?, format!("{} {}", join_changes(second), rest_of_line(site)))
        }
        None if matches!(site.text, "or" | "and") => {
            (behind, site.next().split(['{', ':', ',', '\n', ';', '}']).next().unwrap_or("").to_owned())
        }
        _ => return None,
    };
    let is_verb = match *verb {
        [verb] | ["be", verb] => is_lowercase_word(verb),
        _ => false,
    };
    let rest = rest.trim();
    let rest = rest.strip_prefix(mood).unwrap_or(rest).trim_start();
    if !is_verb || !is_lowercase_word(first_word(rest)) || is_reserved(first_word(rest)) {
        return None;
    }
    let subject = join_changes(subject);
    let (second, end) = rest.split_once(" until ").map_or((rest, String::new()), |(verb, end)| (verb, format!(" until {end}")));
    let second =
        if verb.first() == Some(&"be") && !second.starts_with("be ") { format!("be {second}") } else { second.to_owned() };
    let first = format!("{subject} {mood} {}{end}", join_changes(verb));
    let second = format!("{subject} {mood} {second}{end}");
    let help = match follows_colon || !site.is_among_members() {
        true => two_statements(&first, &second, follows_colon),
        false => format!("write two abilities: `{first}`, `{second}`"),
    };
    let notation = Notation::new(format!("`{mood}` is followed by one verb, and this is a second one"), help);
    Some(if matches!(site.text, "or" | "and") { notation } else { notation.before() })
}

/// `deal 3 damage to each creature and each player`: two selections.
pub(super) fn second_selection(site: &Site<'_>) -> Option<Notation> {
    let (words, follows_colon) = statement(site);
    let and = words.iter().rposition(|word| *word == "and")?;
    let quantifier = |word: &&str| matches!(*word, "each" | "all" | "target");
    let (first, second) = (words.get(..and)?, words.get(and + 1..)?);
    let begins = second.first().map_or_else(|| quantifier(&site.text), quantifier);
    if !begins || second.len() > 2 || !site.is_in_ability() {
        return None;
    }
    let at = first.iter().rposition(quantifier).filter(|at| *at > 0)?;
    let verb = first.first().filter(|verb| is_lowercase_word(verb) && !is_reserved(verb))?;
    if first.iter().any(|word| CLAUSE_VERBS.contains(word)) || matches!(*verb, "for" | "choose") {
        return None;
    }
    let rest = rest_of_line(site);
    let second = [join_changes(first.get(..at)?), join_changes(second), rest].join(" ").replace("  ", " ");
    let help = two_statements(&join_changes(first), second.trim_end(), follows_colon);
    let notation = Notation::new("a verb has one selection, and this is a second one", help);
    Some(if site.is_at_end() { notation.before() } else { notation })
}

/// `with power between 2 and 4`: a range.
pub(super) fn range(site: &Site<'_>) -> Option<Notation> {
    let (written, ends) = match (site.text, site.written().as_slice()) {
        ("between", written) => (written.to_vec(), site.next().to_owned()),
        (number, [written @ .., "between"]) => (written.to_vec(), format!("{number}{}", site.after)),
        _ => return None,
    };
    let least = first_word(&ends);
    let most = first_word(ends.get(least.len()..)?.trim_start().strip_prefix("and ")?.trim_start());
    if !is_number(least) || !is_number(most) {
        return None;
    }
    let begins = |word: &&str| matches!(*word, "if" | "while" | "where" | "and" | "or" | "not" | "(" | ":" | "with");
    let from = written.iter().rposition(begins)?;
    let value = written.get(from + 1..).filter(|value| !value.is_empty())?;
    let value = join_changes(value.strip_suffix(&["is"]).unwrap_or(value));
    let link = if written.get(from) == Some(&"with") { "with" } else { "and" };
    let head = if link == "with" { "with " } else { "" };
    let help = format!("write both ends: `{head}{value} >= {least} {link} {value} <= {most}`");
    Some(Notation::new("a range is no comparison", help))
}

/// The base form of a verb in the third person: `pays`, `loses_life`.
fn base_form(verb: &str) -> String {
    let (first, rest) = verb.split_once('_').map_or((verb, String::new()), |(first, rest)| (first, format!("_{rest}")));
    format!("{}{rest}", first.strip_suffix('s').unwrap_or(first))
}

/// `sacrifice this unless you pay {U}`: what a player can do to prevent it.
pub(super) fn unless(site: &Site<'_>) -> Option<Notation> {
    let (words, follows_colon) = statement(site);
    let at = if site.text == "unless" { words.len() } else { words.iter().position(|word| *word == "unless")? };
    let done = words.get(..at).filter(|done| !done.is_empty() && site.is_in_ability())?;
    let rest = match words.get(at + 1..) {
        Some(behind) => format!("{} {}", join_changes(behind), rest_of_line(site)),
        None => site.whole_line_after().trim_end_matches(['.', ' ']).to_owned(),
    };
    let rest = rest.trim();
    let is_clause = done.iter().any(|word| CLAUSE_VERBS.contains(word));
    let by_player = |word: &&str| matches!(*word, "control" | "controls" | "have" | "has" | "own" | "owns" | "is" | "are");
    let behind: Vec<&str> = rest.split(' ').collect();
    let message = "`unless` is written as what a player may do, or as a condition";
    if is_clause {
        let from = done.iter().rposition(|word| *word == "this").unwrap_or(0);
        let clause = join_changes(done.get(from..)?);
        let help = format!("write the condition first, with `no` or `not`: `while not (COND): {clause}`");
        return site.is_among_members().then(|| Notation::new(message, help));
    }
    let done = join_changes(done);
    if behind.iter().take(4).any(by_player) || matches!(behind.first(), Some(&("some" | "no" | "count"))) {
        let help = format!("write the condition first, with `no` or `not`: `if not (COND) {{ {done} }}`");
        return Some(Notation::new(message, help));
    }
    let (first, offer) = match *behind.as_slice() {
        ["you", _, ..] => (String::new(), format!("you may {}", behind.get(1..)?.join(" "))),
        [player @ "opponent", verb, ..] => {
            (String::new(), format!("{player} may {} {}", base_form(verb), behind.get(2..)?.join(" ")))
        }
        ["its", whose @ ("controller" | "owner"), verb, ..] => {
            let what = format!("{} {}", base_form(verb), behind.get(3..)?.join(" "));
            let (verb, object) = done.split_once(' ')?;
            let offer = format!("({whose} of chosen) may {what}");
            let help = format!(
                "choose the object first: `choose {object} as chosen; {}; otherwise {{ {verb} chosen }}`",
                offer.trim_end()
            );
            return Some(Notation::new(message, help));
        }
        _ => return None,
    };
    let form = format!("{first}{}; otherwise {{ {done} }}", offer.trim_end());
    let help = match follows_colon {
        true => format!("write it in braces without the colon: `{{ {form} }}`"),
        false => format!("write `{form}`"),
    };
    Some(Notation::new(message, help))
}

/// `this cannot attack while no creature of you`: a condition behind the clause that it is about.
pub(super) fn condition_behind_a_clause(site: &Site<'_>) -> Option<Notation> {
    if !site.is_among_members() || !site.is_at_end() && site.text != "gets" {
        return None;
    }
    let line = format!("{} {}", join_changes(&site.written()), rest_of_line(site));
    let (clause, condition) = line.trim().split_once(" while ")?;
    let words: Vec<&str> = clause.split(' ').collect();
    let verb = words.iter().position(|word| CLAUSE_VERBS.contains(word)).filter(|verb| *verb > 0)?;
    let from = words.get(..verb)?.iter().rposition(|word| *word == "this").unwrap_or(0);
    let subject = words.get(from..verb)?;
    let is_event = |word: &&str| matches!(*word, "when" | "whenever" | "at" | "if" | "usable" | "always" | "in");
    if subject.iter().any(is_event) || clause.contains([':', '{', ',']) || condition.contains(['{', ':']) {
        return None;
    }
    let help = format!("write the condition first: `while {}: {}`", condition.trim(), words.get(from..)?.join(" "));
    let notation = Notation::new("`while` precedes what holds under its condition", help);
    Some(if site.is_at_end() { notation.before() } else { notation })
}

/// `creature of opponent gets -2 power where power of it > 3`: a condition on objects behind their change.
pub(super) fn condition_behind_a_change(site: &Site<'_>) -> Option<Notation> {
    let (words, follows_colon) = statement(site);
    if site.text != "gets" && !words.contains(&"gets") {
        return None;
    }
    let line = format!("{} {}", join_changes(&words), rest_of_line(site));
    let (clause, condition) = line.split_once(" where ")?;
    let (subject, change) = clause.split_once(" gets ")?;
    let is_selection = subject.split(' ').all(is_lowercase_word) && !subject.contains("when");
    if !is_selection || matches!(subject, "this" | "it") || !site.is_in_ability() {
        return None;
    }
    let (condition, end) =
        condition.split_once(" until ").map_or((condition, String::new()), |(test, end)| (test, format!(" until {end}")));
    let parts: Vec<&str> = condition.trim().split(' ').collect();
    let filter = match *parts.as_slice() {
        [property, "of", "it", how @ ("==" | "!=" | "<" | ">" | "<=" | ">="), number] if is_number(number) => {
            format!("with {property} {how} {number}")
        }
        ["it", "is", word] => format!("that is {word}"),
        _ => {
            let test: Vec<&str> = parts.iter().map(|word| if *word == "it" { "candidate" } else { word }).collect();
            format!("that ({})", test.join(" "))
        }
    };
    let form = format!("{subject} {filter} gets {}{end}", change.trim());
    let help = match site.is_among_members() && !follows_colon {
        true => format!("write it behind the noun: `always {{ {form} }}`"),
        false => format!("write it behind the noun: `{form}`"),
    };
    Some(Notation::new("`where` begins a condition on an event, not on objects", help))
}

/// `if no card in your hand, draw 1`, `3 times: draw 1`: a comma or a colon in the place of braces.
pub(super) fn block_of_a_statement(site: &Site<'_>) -> Option<Notation> {
    if !matches!(site.text, "," | ":") {
        return None;
    }
    let (words, follows_colon) = statement(site);
    let effect = site.whole_line_after().trim().trim_end_matches(['.', ' ']);
    let effect = effect.strip_prefix("then ").unwrap_or(effect);
    let is_balanced = words.iter().filter(|word| **word == "(").count() == words.iter().filter(|word| **word == ")").count();
    if effect.is_empty() || effect.contains(['{', ':']) || !is_balanced || words.contains(&",") {
        return None;
    }
    let is_while = words.first() == Some(&"while") && words.len() > 1 && site.is_among_members() && site.text == ",";
    if is_while && !follows_colon {
        let help = format!("write `{}: {effect}`", join_changes(&words));
        return Some(Notation::new("a colon separates a condition from what holds, not a comma", help));
    }
    let begins_block = match *words.as_slice() {
        ["if", "you", "do", ..] => false,
        ["if", _, ..] => !words.iter().any(|word| matches!(*word, "would" | "instead")),
        ["for", "each", name, "in", _, ..] => is_lowercase_word(name),
        [number, "times"] => is_number(number),
        _ => false,
    };
    if !begins_block || !(site.is_among_statements() || follows_colon) {
        return None;
    }
    let help = format!("write what it is about in braces: `{} {{ {effect} }}`", join_changes(&words));
    let word = words.iter().copied().find(|word| !is_number(word)).unwrap_or("");
    Some(Notation::new(format!("`{word}` is followed by a block in braces"), help))
}

/// `until end of turn { creature gets +2 power }`: a change that holds as long as the block of a duration.
pub(super) fn change_in_a_duration(site: &Site<'_>) -> Option<Notation> {
    if !CLAUSE_VERBS.contains(&site.text) || site.line().is_empty() {
        return None;
    }
    let open = enclosing(site.before, "{", "}")?;
    let head: Vec<&str> =
        site.before.get(open + 1..)?.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    let head: Vec<&str> = head.into_iter().rev().collect();
    let duration = head.iter().rposition(|word| *word == "until").and_then(|at| head.get(at..))?;
    let change = format!("{} {}", join_changes(&site.written()), rest_of_line(site));
    if change.contains('{') {
        return None;
    }
    let help = format!("write it in `always`: `{} {{ always {{ {change} }} }}`", join_changes(duration));
    Some(Notation::new("the block of a duration contains abilities, and this is a change", help))
}

/// `at start of upkeep of controller of this`: a player of more than one word.
pub(super) fn player_of_a_moment(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let ["at", moment @ ("start" | "end"), "of", about @ ..] = written.as_slice() else { return None };
    let of = about.iter().position(|word| *word == "of")?;
    let (period, player) = (join_changes(about.get(..of)?), about.get(of + 1..)?);
    if site.text != "of" || player.is_empty() || !player.iter().all(|word| is_lowercase_word(word)) {
        return None;
    }
    let behind = site.next().split(['{', ':', ',', '\n']).next().unwrap_or("").trim_end();
    let help =
        format!("write the player in parentheses: `at {moment} of {period} of ({} of {behind}) {{ … }}`", join_changes(player));
    Some(Notation::new("a moment names its player by one word, or in parentheses", help))
}

/// `search(you, 1 card in your deck as found)`: a name inside of the parentheses of a call.
pub(super) fn name_in_arguments(site: &Site<'_>) -> Option<Notation> {
    if site.text != "as" {
        return None;
    }
    let open = enclosing(site.line(), "(", ")")?;
    let verb = site.line().get(open + 1).filter(|verb| is_lowercase_word(verb) && !is_reserved(verb))?;
    let name = first_word(site.next());
    let (behind, _) = site.next().get(name.len()..)?.split_once(')').filter(|(behind, _)| !behind.contains(['{', '\n', '(']))?;
    let arguments: Vec<&str> = site.line().get(..open)?.iter().rev().copied().collect();
    let help = format!("write it behind the parenthesis: `{verb}({}{}) as {name}`", join_changes(&arguments), behind.trim_end());
    is_lowercase_word(name).then(|| Notation::new("`as` names the result of the whole call", help))
}

/// `if this would be destroyed, limit 1 per turn, instead { … }`: a limit of a replacement.
pub(super) fn limit_of_a_replacement(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let (event, comma) = (written.strip_suffix(&[","])?, site.last());
    let is_replacement = event.first() == Some(&"if") && event.contains(&"would") && comma == ",";
    let words: Vec<&str> = first_line(site.next()).split(' ').collect();
    let [number, "per", period, ..] = *words.as_slice() else { return None };
    let period = first_word(period);
    if site.text != "limit" || !is_replacement || !is_number(number) {
        return None;
    }
    let link = if event.contains(&"where") { "and" } else { "where" };
    let event = join_changes(event);
    let (ty, test, noted) = match number {
        "1" => ("bool", "not saved of this".to_owned(), "saved of this = true"),
        _ => ("number", format!("saved of this < {number}"), "saved of this += 1"),
    };
    let help = format!(
        "count it in a status: `status saved: {ty} for {period}` outside of the card, and `{event} {link} {test}, instead {{ {noted}; … }}`"
    );
    Some(Notation::new("a replacement has no limit", help))
}

/// `that is red and is small`: a second condition without `that`.
pub(super) fn second_condition(site: &Site<'_>) -> Option<Notation> {
    let (words, _) = statement(site);
    let that = words.iter().rposition(|word| *word == "that")?;
    let tests = words.get(that + 1..)?;
    let and = match tests.iter().position(|word| *word == "and") {
        Some(and) => and,
        None if site.text == "and" => tests.len(),
        None => return None,
    };
    let (first, second) = (tests.get(..and).filter(|first| first.len() > 1)?, tests.get(and + 1..).unwrap_or(&[]));
    let verb = first.first().filter(|verb| matches!(**verb, "is" | "has"))?;
    let next = first_line(site.next());
    let second = match (site.text, second) {
        ("is" | "has", []) => format!("{} {}", site.text, site.next().split(' ').next().unwrap_or("")),
        ("and", []) if next.starts_with("is ") || next.starts_with("has ") => {
            next.split(' ').take(2).collect::<Vec<_>>().join(" ")
        }
        ("gets" | "cannot" | "must", ["is" | "has", _]) => join_changes(second),
        ("gets" | "cannot" | "must", [word]) => format!("{verb} {word}"),
        _ => return None,
    };
    let help = format!("repeat `that` for each condition: `that {} that {second}`", join_changes(first));
    Some(Notation::new("`that` is followed by one condition, and this is a second one", help))
}

/// `you may each player draws 1`: a statement that is no action behind `may`.
pub(super) fn statement_behind_may(site: &Site<'_>) -> Option<Notation> {
    let begins = ["each", "all", "if", "for", "let", "simultaneously", "trigger"];
    let (words, follows_colon) = statement(site);
    let (head, statement) = match *words.as_slice() {
        [.., "may"] if begins.contains(&site.text) => (words.get(..words.len() - 1)?, rest_of_line(site)),
        [.., "may", verb @ ("simultaneously" | "trigger")] if site.text == "{" => {
            (words.get(..words.len() - 2)?, format!("{verb} {}", rest_of_line(site)))
        }
        _ => return None,
    };
    if !matches!(head, [] | ["you"]) || !site.is_in_ability() {
        return None;
    }
    let form = format!("choose number from 0 to 1 as n; if n == 1 {{ {} }}", statement.trim());
    let help = match follows_colon {
        true => format!("let a number decide, in braces without the colon: `{{ {form} }}`"),
        false => format!("let a number decide: `{form}`"),
    };
    Some(Notation::new("`may` is followed by an action", help))
}
