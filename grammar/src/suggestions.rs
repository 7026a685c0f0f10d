//! Suggestions of syntax errors, for notations of other languages, of card texts and of common mistakes: what to write instead.
//!
//! All suggestions use the forms of the newest edition. They depend only on the tokens around the position where parsing stopped; what parses
//! but has no meaning is in the compiler's `diagnostics/word_suggestions.rs`.

mod conditions;
mod events;
mod joined_parts;
mod notations;
mod players;
mod printed_forms;
mod second_parts;
mod site;
mod words;

pub(crate) use notations::notation;
pub(crate) use site::Site;
pub(crate) use words::number_word;

use crate::error::nearest;
use words::{begins_period, first_line, first_word, is_lowercase_word, is_number, join_tokens};

/// The keywords that begin a difference of a format, apart from those of items.
pub(crate) const DIFFERENCE_KEYWORDS: [&str; 8] = ["replace", "remove", "before", "after", "append", "ban", "restrict", "errata"];

/// The help for rules text in sentences.
const PRINTED_TEXT_HELP: &str = "this looks like printed text, which is not parsed: write statements in `does { … }` or another ability, one per line or separated by `;`, without full stops";

/// A suggestion for a token that is not allowed at its position.
///
/// `after` is the text directly after it; `before` are the tokens before it, last first.
pub(crate) fn suggestion_for(text: &str, after: &str, before: &[&str]) -> Option<String> {
    let last = before.first().copied().unwrap_or("");
    let next = after.trim_start_matches(' ');
    let item = before.last().copied().unwrap_or("");
    // the tokens before it in the same line or block, last first
    let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    let event = line.last().is_some_and(|word| matches!(*word, "when" | "whenever" | "at" | "if" | "while" | "does" | "in"));
    let count = |bracket: &str| before.iter().filter(|word| **word == bracket).count();
    let depth = count("{").saturating_sub(count("}"));
    let begins_unknown_difference =
        item == "format" && depth == 1 && line.is_empty() && nearest(text, DIFFERENCE_KEYWORDS.into_iter()).is_none();
    let next_line = first_line(next).split('{').next().unwrap_or("").trim();
    // `when Dew Gatherer attacks`: the card names itself
    if let [.., subject, "when" | "whenever"] = line.as_slice()
        && let [.., name, "card" | "token"] = before
        && subject.starts_with(|c: char| c.is_uppercase())
        && name.split(|c: char| !c.is_alphanumeric()).any(|part| part == *subject)
    {
        return Some("a card calls itself `this`: `when this …`".to_owned());
    }
    if let Some(help) = event_suggestion(text, after, &line).or_else(|| member_suggestion(text, after, before, depth)) {
        return Some(help);
    }
    let help = match (text, last) {
        ("/", _) if next.starts_with(['*', '/']) => "a comment begins with `//` and ends with its line",
        ("-", _) if after.starts_with('-') => "a comment begins with `//`",
        ("-", _) if after.starts_with('>') => "write what happens in braces: `{ … }`",
        ("+" | "-", other) if text == other => return Some(format!("write `{text}= 1`")),
        (_, "-") if before.get(1) == Some(&"-") => "write `-= 1`",
        ("+", fact)
            if depth == 1
                && !event
                && matches!(item, "card" | "token")
                && fact.starts_with(|c: char| c.is_ascii_lowercase())
                && after.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            return Some(format!("leave the `+` out: `{fact} {number}`, or `{fact}({number})` where it is a keyword"));
        }
        (">", "<") => "compare with `!=`",
        (":", quoted) if quoted.starts_with('"') => "write printed facts as words and values: `card \"NAME\" { power 3 }`",
        (":" | "=", fact)
            if depth == 1
                && !event
                && matches!(item, "card" | "token")
                && line.iter().all(|word| *word == "," || !crate::lexer::is_reserved(word)) =>
        {
            return Some(format!("write the value directly after the name: `{fact} 3`"));
        }
        (":", _) if depth > 0 && matches!(item, "card" | "token" | "keyword" | "rule") => "write what happens in braces: `{ … }`",
        (".", "turn" | "phase" | "step") if before.get(1) == Some(&"replace") => {
            "write what it is: `replace step turn.NAME { … }` or `replace phase turn.NAME { … }`"
        }
        (".", _) if matches!(before, [_, "phase" | "step", "remove", ..]) => "write the path alone: `remove turn.NAME`",
        ("and", _) if item == "scenario" && first_line(after).ends_with(" pass") => "separate players by commas: `A, B pass`",
        (".", _)
            if depth > 0 && matches!(item, "card" | "token") && (after.is_empty() || after.starts_with([' ', '\n', '}'])) =>
        {
            PRINTED_TEXT_HELP
        }
        (".", "setup") => {
            "replace the whole setup, `replace setup { … }`, add to it, `append setup { … }`, or replace a constant: `replace constant NAME = …`"
        }
        ("target", "any") => "write several kinds in parentheses: `target (A or B)`; `any` is used in `any number of …` only",
        ("==" | "!=" | "<" | ">" | "<=" | ">=", property) if before.get(1) == Some(&"and") && line.contains(&"with") => {
            let value = first_word(next);
            return Some(format!("write several conditions in parentheses: `that (… and {property} {text} {value})`"));
        }
        ("not", "and") if line.contains(&"that") => "repeat `that` for each condition: `that is A that is not B`",
        ("random", number) if is_number(number) => {
            let noun = first_word(next);
            let noun = if noun == "cards" { "card" } else { noun };
            return Some(format!("write `random` first: `random {number} {noun}`"));
        }
        ("opponent" | "you" | "active", noun)
            if depth > 0
                && line.len() > 1
                && noun.chars().all(|c| c.is_ascii_lowercase())
                && noun != "where"
                && !crate::lexer::is_reserved(noun) =>
        {
            return Some(format!("write whose it is with `of`: `{noun} of {text}`"));
        }
        ("no", "has" | "have") => "`has` tests one keyword; test for none with `no`: `if no card of active { … }`",
        ("{", "step" | "phase") if line.len() == 2 => {
            return Some(format!("write the keyword first: `{last} {} {{ … }}`", before.get(1).copied().unwrap_or("")));
        }
        ("{", "turn") if line.len() == 2 && depth > 0 => {
            return Some(format!("a turn consists of phases and steps: `step {} {{ … }}`", before.get(1).copied().unwrap_or("")));
        }
        ("{", _)
            if item == "format"
                && line.last().is_some_and(|word| matches!(*word, "after" | "before"))
                && !line.contains(&"step")
                && !line.contains(&"phase") =>
        {
            "the new step has the braces: `after PATH step NAME { … }`"
        }
        (timing @ ("stack" | "chain" | "queue"), "timing") => {
            return Some(format!("write the timing in braces: `timing {{ {timing} }}`"));
        }
        (_, _)
            if item == "format" && depth == 1 && (line.last() == Some(&"deck") || matches!(text, "max" | "min" | "copies")) =>
        {
            "write the rules for decks in `deck rules { main 40  copies 4 }`"
        }
        ("step" | "phase", _) if begins_unknown_difference => {
            return Some(format!("insert a {text} next to one of the base: `before PATH {text} {} {{ … }}`", first_word(next)));
        }
        ("add" | "insert" | "put", _) if begins_unknown_difference && begins_period(next) => {
            return Some(format!("insert a step next to one of the base: `before PATH {next_line} {{ … }}`"));
        }
        (name, _)
            if begins_unknown_difference
                && begins_period(next)
                && next.get(first_word(next).len()..).is_some_and(|rest| rest.trim_start().starts_with('{')) =>
        {
            let what = first_word(next);
            return Some(format!(
                "write the keyword first: `replace {what} PATH {{ … }}` for a {what} of the base, `before PATH {what} {name} {{ … }}` for a new one"
            ));
        }
        ("win" | "lose" | "wins" | "loses", _) if begins_unknown_difference => {
            "a check that always applies is a state rule: `state rule NAME { if COND { win(PLAYER) } }`"
        }
        (_, _)
            if begins_unknown_difference
                && first_line(after).split(' ').next_back().is_some_and(is_number)
                && !after.contains('=') =>
        {
            "replace a constant of the base, `replace constant NAME = 3`, or add to the setup, `append setup { … }`"
        }
        (_, "players") if matches!(before, ["players", "\n" | "{" | ";", ..]) => {
            "write the number of players as `players 3`, and change the setup with `replace setup { … }` or `append setup { … }`"
        }
        (".", whose) if next.starts_with(|c: char| c.is_alphabetic()) => {
            let word: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let called = next.get(word.len()..).is_some_and(|rest| rest.starts_with('('));
            return Some(if called {
                format!("write the verb first: `{word} {whose}`")
            } else {
                format!("write `{word} of {whose}`")
            });
        }
        (".", _) if next.starts_with(|c: char| c.is_ascii_digit()) => "only whole numbers are supported",
        ("as", _) if next.starts_with("long as ") => {
            "write `while COND { … }` as an ability; an effect of a text lasts `for as long as COND`"
        }
        ("while", _) if depth > 1 && line.is_empty() && matches!(item, "card" | "token" | "keyword" | "rule") => {
            "statements are repeated a number of times: `3 times { … }`; an ability that always holds is `while COND { … }`"
        }
        ("while", _) if depth > 1 => "an effect of a text lasts `for as long as COND`; as an ability write `while COND { … }`",
        ("until", _) if depth > 1 && !event => {
            "only `gets`, `becomes`, `cannot`, `must` and `when` have an end; to return a card write `immediately when this leaves ZONE { put it into ZONE }`"
        }
        ("{", "deck") if item == "format" => "write the rules for decks in `deck rules { … }`",
        (name, "rule" | "keyword" | "action" | "play" | "constant" | "treat" | "state" | "zone" | "step" | "phase")
            if before.get(1) == Some(&"remove") && !name.is_empty() =>
        {
            return Some(format!(
                "write the path with dots: `remove {}.{name}`",
                if matches!(last, "step" | "phase") { "turn" } else { last }
            ));
        }
        ("/", number) if depth == 1 && !event && matches!(item, "card" | "token") && is_number(number) => {
            "write each number after the name of its fact: `NAME 3  NAME 2`"
        }
        ("/", word) if depth == 1 && !event && matches!(item, "card" | "token") && next.starts_with(char::is_alphabetic) => {
            return Some(format!("write each word separately: `{word} {}`", first_word(next)));
        }
        ("+", number) if depth == 1 && !event && matches!(item, "card" | "token") && is_number(number) => {
            "write a change of a number as an ability: `while COND { this gets +1000 PROPERTY }`"
        }
        ("-", _)
            if depth > 0
                && after.starts_with(|c: char| c.is_ascii_digit())
                && matches!(last, "to" | "top" | "bottom" | "random") =>
        {
            let up = if last == "to" { "up " } else { "" };
            return Some(format!("a count cannot be negative; leave the `-` out: `{up}{last} {}`", first_word(next)));
        }
        ("zone", name) if line.len() > 1 && !is_number(name) => {
            return Some(format!("write the name of the zone alone: `{name}`"));
        }
        (number, "gets" | "get") if is_number(number) => {
            let property: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let property = if property.is_empty() { "PROPERTY".to_owned() } else { property };
            return Some(format!(
                "write a change with a sign, or set the value: `+{number} {property}`, `{property} = {number}`"
            ));
        }
        ("then", _) if before.iter().take_while(|word| **word != "{").any(|word| *word == "if") => {
            "write what the condition guards in braces: `if COND { … }`"
        }
        ("{", "card" | "token" | "deck" | "scenario") if before.len() == 1 => {
            return Some(format!("write its name: `{last} \"NAME\" {{ … }}`"));
        }
        ("{", "format") => "write its name: `format NAME extends BASE { … }`",
        ("{", _) if item == "format" && before.len() == 2 => "write its base: `format NAME extends BASE { … }`",
        (_, _) if item == "kind" => "write what the kind prints: `kind WORD prints FACT, FACT or FACT, not FACT`",
        ("{", _) if item == "function" && !before.contains(&"=") => "a function is one expression: `function NAME(…): TYPE = …`",
        ("if", _) if depth > 0 && !line.is_empty() && !event && !next.starts_with("you do") => {
            "write the condition first: `if COND { … }`"
        }
        ("of", quoted) if depth == 1 && matches!(item, "card" | "token") && quoted.starts_with('"') && next.starts_with('"') => {
            return Some(format!("separate several words by commas: `{quoted}, \"…\"`"));
        }
        ("=", _) if item == "traits" => "the words of a set have no values: `traits NAME { WORD, WORD }`",
        (ty, ")") if item == "function" && depth == 0 && ty.starts_with(char::is_alphabetic) => {
            return Some(format!("write the type after a colon: `function NAME(…): {ty} = …`"));
        }
        ("=", _) if item == "function" && last == ")" => "write its type: `function NAME(…): number = …`",
        ("}", _) if before.iter().filter(|word| **word == "{").count() == before.iter().filter(|word| **word == "}").count() => {
            "this closes no block: remove it, or remove an extra `}` above"
        }
        ("" | "\n", _)
            if depth == 0 && before.len() > 1 && matches!(item, "card" | "token" | "deck" | "keyword" | "scenario") =>
        {
            "write its contents in braces: `{ … }`"
        }
        ("[" | "(", _) if depth == 0 && matches!(item, "card" | "token" | "deck" | "rule" | "keyword" | "scenario") => {
            "write its contents in braces: `{ … }`"
        }
        ("{", "{") if matches!(item, "card" | "token" | "keyword" | "rule") => "one pair of braces is enough here",
        ("{", _)
            if symbol_text(after).is_some() && (last.starts_with('{') && last.ends_with('}') || last == "}" || depth == 1) =>
        {
            let upper = symbol_text(after).unwrap_or_default().to_uppercase();
            return Some(format!("a price symbol has digits and capitals only, without blanks: `{{{upper}}}`"));
        }
        ("}", _) if before.get(1) == Some(&"{") && last.chars().all(|c| c.is_ascii_digit()) => {
            "a price symbol has no blanks: `{2}{U}`"
        }
        (_, number) if is_thousands_group(number, before) => {
            let (rest, first) = (number, before.get(2).copied().unwrap_or(""));
            return Some(format!("a number has no separators: `{first}{rest}`"));
        }
        (",", number) if line.last() == Some(&"choose") && (is_number(number) || next.starts_with("repeats ")) => {
            "write the number of modes: `choose 2, repeats allowed { - …  - … }`"
        }
        ("the", "at") => {
            let moment = first_line(after).split('{').next().unwrap_or("").replace("beginning", "start");
            let moment = moment.split_whitespace().filter(|word| *word != "step").collect::<Vec<_>>().join(" ");
            let known = moment.starts_with("start of ") || moment.starts_with("end of ");
            return Some(format!("write `at {}`", if known { &moment } else { "start of your STEP" }));
        }
        ("step" | "phase", name) if line.last() == Some(&"at") && line.contains(&"of") => {
            return Some(format!("write the name of the step or phase alone: `{name}`"));
        }
        ("in" | "from" | "of" | "with", "card" | "cards")
            if before.get(1).is_some_and(|noun| noun.chars().all(char::is_alphabetic))
                && before.get(2).is_some_and(|word| is_number(word) || matches!(*word, "each" | "target" | "all")) =>
        {
            let (noun, how_many) = (before.get(1).copied().unwrap_or(""), before.get(2).copied().unwrap_or(""));
            return Some(format!("one noun is enough: `{how_many} {noun} {text} …`"));
        }
        ("{", "when" | "whenever") => "write the event: `when this is …ed { … }`, `when you … { … }`",
        ("{", "at") => "write the moment: `at start of STEP { … }`",
        ("{", _) if event && line.len() > 1 && line.get(line.len() - 2).is_some_and(|word| is_number(word)) => {
            "begin an event with its subject: `when you …`, `when each … `, `when this is …ed`"
        }
        ("" | "\n" | "}", _) if line.iter().any(|word| matches!(*word, "when" | "whenever")) => {
            "write what happens in braces after the event: `when … { … }`"
        }
        (")", _) if count("(") <= count(")") => "this closes no bracket: remove it",
        ("}", _) if count("(") > count(")") => "a `(` before it is not closed: add `)`",
        _ if matches!(line.last(), Some(&("assert" | "check" | "verify" | "require" | "assume" | "ensure"))) => {
            "write an expectation with `expect`: `expect life of A == 0`"
        }
        ("get" | "gets" | "gain" | "gains" | "have" | "has", _)
            if depth > 0
                && !line.is_empty()
                && !line.contains(&"gets")
                && !line.contains(&"or")
                && is_words_only(&line)
                && (depth == 1 || text != "gets") =>
        {
            let subject: Vec<&str> = line.iter().rev().copied().collect();
            let change = first_line(after).trim();
            let change = format!("{} gets {}{change}", subject.join(" "), sign_of(change));
            let ability = depth == 1 && matches!(item, "card" | "token");
            return Some(if ability && after.contains(" until ") && !first_line(after).contains('{') {
                format!("a change with a duration needs an event: `when … {{ {change} }}`")
            } else if ability {
                format!("write a permanent change in `always`: `always {{ {change} }}`")
            } else {
                format!("write a change with `gets`: `{change}`")
            });
        }
        ("control" | "controls" | "own" | "owns", "you" | "opponent" | "opponents") if line.len() > 1 => {
            let noun = before.get(1).map_or("", |noun| noun.strip_suffix('s').unwrap_or(noun));
            let whose = last.strip_suffix('s').unwrap_or(last);
            return Some(format!("write whose it is with `of`: `each {noun} of {whose}`"));
        }
        _ if depth == 1
            && matches!(item, "card" | "token")
            && line.len() > 1
            && line.last().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_uppercase()) && word.len() > 1) =>
        {
            let first = line.last().copied().unwrap_or("").to_lowercase();
            if matches!(first.as_str(), "when" | "whenever" | "at" | "if" | "while") && first_line(after).contains('{') {
                return Some(format!("keywords are written in lower case: `{first}`"));
            }
            PRINTED_TEXT_HELP
        }
        _ if line.last() == Some(&"I") => "the controller of the card is `you`: `you draw 2`",
        _ if line.contains(&"else") => "write `otherwise` after what may fail: `…; otherwise draw 1`",
        _ if matches!(before, ["turn" | "phase" | "step", "until", ..]) => "write its end or its start: `until end of turn`",
        _ if line.contains(&"mays") => "did you mean `may`?",
        ("==", _) => "`==` compares; set a value with `=`: `NAME of X = VALUE`",
        (_, "the" | "a" | "an") => return Some(article_help(last)),
        _ if matches!(before.get(1), Some(&("the" | "a" | "an"))) && last.chars().all(char::is_alphabetic) => {
            return Some(article_help(before.get(1).copied().unwrap_or("")));
        }
        (quoted, _) if quoted.starts_with('"') && item == "pack" => "write a manifest as `pack NAME { edition 2  extends BASE }`",
        (number, _) if is_number(number) && item == "deck" && after.starts_with(char::is_alphabetic) => {
            "write the number alone: `4 \"NAME\"`"
        }
        (number, _) if is_number(number) && after.starts_with(char::is_alphabetic) => {
            "a number has no letters; write a price in symbols: `{2}{U}`"
        }
        ("}", number) if item == "deck" && is_number(number) => "write the number before the name: `4 \"NAME\"`",
        (_, "{") if before.get(2) == Some(&"choose") => "each mode begins with `-`: `choose 1 { - draw 1  - draw 2 }`",
        (word, _)
            if depth == 1
                && item == "card"
                && line.len() == 2
                && line.last().is_some_and(|word| is_number(word))
                && !word.is_empty() =>
        {
            return before.get(1).map(|number| format!("write the value after the name: `{last} {number}`"));
        }
        ("is", _) if depth > 0 && before.iter().take_while(|word| **word != "{").any(|word| *word == "if") => {
            "write the replaced event with `would`: `if this would be …, instead { … }`"
        }
        _ if depth == 1 && event && line.get(1) == Some(&",") && line.iter().any(|word| matches!(*word, "when" | "whenever")) => {
            "write what happens in braces: `when … { … }`"
        }
        ("" | "\n", _) if matches!(item, "status" | "property" | "player" | "global") && before.len() == 2 => {
            return Some(format!("write its type: `{item} {last}: number`"));
        }
        (word, ty) if matches!(item, "status" | "property" | "player" | "global") && before.len() == 2 => {
            return Some(format!("write the type after the name: `{item} {word}: {ty}`"));
        }
        (number, verb)
            if depth > 1
                && is_number(number)
                && matches!(line.as_slice(), [_, word] if word.chars().all(|c| c.is_ascii_lowercase()))
                && verb.chars().all(|c| c.is_ascii_lowercase()) =>
        {
            let word = line.last().copied().unwrap_or("");
            return Some(format!(
                "a verb is one word, such as `{word}_{verb}`; write a named subject in parentheses: `({word}) {verb}s {number} …`"
            ));
        }
        (verb, noun) if before.get(1) == Some(&"target") && verb.len() > 2 && verb.ends_with('s') => {
            return Some(format!("name the chosen object first: `choose target {noun} as chosen`, then `(chosen) {verb} …`"));
        }
        (",", _)
            if depth > 1
                && matches!(item, "card" | "token" | "keyword" | "rule")
                && !event
                && count("(") == count(")")
                && !line.contains(&"gets")
                && next.starts_with(char::is_alphabetic) =>
        {
            let first = join_tokens(&line.iter().rev().copied().collect::<Vec<_>>());
            let rest = first_line(after).trim_start();
            let rest = rest.strip_prefix("then ").unwrap_or(rest).trim_end_matches('.');
            return Some(if rest.contains([',', '{']) || first.contains(['{', ':']) {
                "write each statement on a new line or after `;`".to_owned()
            } else {
                format!("write each statement on a new line or after `;`: `{first}; {rest}`")
            });
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// A suggestion for a token in the head of an ability. `line` are the tokens before it in the line, last first.
fn event_suggestion(text: &str, after: &str, line: &[&str]) -> Option<String> {
    let next = after.trim_start_matches(' ');
    let from = line.iter().position(|word| matches!(*word, "when" | "whenever" | "at" | "if"))?;
    let (event, head_words) = (line.get(from).copied()?, line.get(..from)?);
    let last = head_words.first().copied().unwrap_or("");
    let is_trigger = matches!(event, "when" | "whenever" | "at");
    Some(match (text, last) {
        ("if", _) if is_trigger && last != "," && !next.starts_with("you do") => {
            let moment: Vec<&str> = head_words.iter().rev().copied().collect();
            let condition = next.split(['{', '\n']).next().unwrap_or("").trim_end_matches([' ', ',']);
            format!("write a comma before `if`: `{event} {}, if {condition} {{ … }}`", join_tokens(&moment))
        }
        ("{", ",") => {
            let begins = line.iter().rposition(|word| matches!(*word, "when" | "whenever" | "at" | "if")).unwrap_or(from);
            let head: Vec<&str> = line.get(1..=begins)?.iter().rev().copied().collect();
            format!("leave the last comma out: `{} {{ … }}`", join_tokens(&head))
        }
        ("to", object) if matches!(event, "when" | "whenever") && head_words.len() > 2 && is_lowercase_word(object) => {
            let (verb, subject) = (head_words.get(1).copied()?, head_words.get(2..)?);
            let subject: Vec<&str> = subject.iter().rev().copied().collect();
            let whom = next.split(['{', ',', '\n']).next().unwrap_or("").trim_end();
            let event = format!("{event} {} {verb}_{object} {whom}", join_tokens(&subject));
            format!("a verb is one word, followed by its object: `{event}`")
        }
        ("each" | "every", "of") if event == "at" => {
            let moment: Vec<&str> = head_words.iter().rev().copied().collect();
            let moment = format!("{} {}", join_tokens(&moment), first_word(next));
            format!(
                "a moment occurs in every turn unless it names a player: `at {moment}`, `at {}`",
                moment.replace("of ", "of your ")
            )
        }
        (verb, ",") if event == "if" && head_words.contains(&"would") && is_lowercase_word(verb) && verb != "instead" => {
            let what = format!("{verb}{}", first_line(after));
            let what = what.trim_end().trim_end_matches("instead").trim_end();
            let head: Vec<&str> = head_words.iter().skip(1).rev().copied().collect();
            format!("write what happens instead in braces: `if {}, instead {{ {what} }}`", join_tokens(&head))
        }
        _ => return None,
    })
}

/// A suggestion for a token among the facts and statements of an item.
///
/// `before` are the tokens before it, last first; `depth` is the number of open braces.
fn member_suggestion(text: &str, after: &str, before: &[&str], depth: usize) -> Option<String> {
    let last = before.first().copied().unwrap_or("");
    let next = after.trim_start_matches(' ');
    let item = before.last().copied().unwrap_or("");
    let card = matches!(item, "card" | "token");
    let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    Some(match (text, last) {
        ("}" | "\n" | "", ".") => "leave the full stop out".to_owned(),
        ("}" | "\n" | ";" | ",", "target") => {
            "write a noun after `target`: `target NOUN`; an earlier choice is `it`, or has a name by `as`".to_owned()
        }
        (_, "choose") if card && depth == 1 => "write the effect of a card in `does { … }`: `does { choose … }`".to_owned(),
        ("{", number) if card && depth == 1 && before.get(1) == Some(&"choose") => {
            let number = number_word(number).map_or_else(|| number.to_owned(), |number| number.to_string());
            format!("write the effect of a card in `does {{ … }}`: `does {{ choose {number} {{ … }} }}`")
        }
        (word, "becomes" | "become") if is_lowercase_word(word) => {
            let about: Vec<&str> = line.iter().skip(1).rev().copied().collect();
            let rest = first_line(after).trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            let about = join_tokens(&about);
            format!("write a change with `gets`: `{about} gets {word}{rest}`; `{word} only` removes its other words of that kind")
        }
        (":", zone) if item == "scenario" && depth == 3 && is_lowercase_word(zone) && next.starts_with(['"', '《']) => {
            format!("leave the colon out: `{zone} {}`", first_line(next).split_inclusive(['"', '》']).take(2).collect::<String>())
        }
        (number, "with") if item == "scenario" && depth > 1 && is_number(number) => {
            "write a number behind what it is the number of: `with STATUS = 2`, `with STATUS(WORD) = 2`".to_owned()
        }
        (number, _) if item == "deck" && depth == 1 && is_number(number) && next.starts_with(['"', '《']) => {
            format!(
                "write cards in a section: `main {{ {number} {} … }}`",
                first_line(next).split_inclusive(['"', '》']).take(2).collect::<String>()
            )
        }
        ("==" | "!=" | "<" | ">" | "<=" | ">=", property) if item == "scenario" && line.get(2) == Some(&"expect") => {
            let whose = line.get(1).copied().unwrap_or("");
            let value = first_line(after).trim();
            format!("write whose it is with `of`: `expect {property} of {whose} {text} {value}`")
        }
        ("gets" | "get", _) if card && depth == 1 && !line.contains(&"gets") => {
            let about: Vec<&str> = line.iter().take_while(|word| is_lowercase_word(word)).copied().collect();
            let from = about.iter().position(|word| matches!(*word, "each" | "this" | "all" | "it"));
            let about: Vec<&str> = about.iter().take(from.map_or(about.len(), |from| from + 1)).rev().copied().collect();
            let about = if about.is_empty() { filtered_subject(&line) } else { about };
            if about.is_empty() || about.contains(&"or") || line.iter().any(|word| matches!(*word, "until" | "when" | "whenever"))
            {
                return None;
            }
            let change = first_line(after).trim().trim_end_matches('.');
            if change.contains(" until ") {
                return None;
            }
            // The line is in `always` already.
            if line.contains(&"always") {
                return None;
            }
            let about = about.strip_prefix(&["all"]).unwrap_or(&about);
            format!(
                "write a permanent change in `always`: `always {{ {} gets {}{change} }}`",
                join_tokens(about),
                sign_of(change)
            )
        }
        _ => return None,
    })
}

/// The sign that a change such as `500 power` lacks.
fn sign_of(change: &str) -> &'static str {
    if change.starts_with(|c: char| c.is_ascii_digit()) && !change.contains('/') { "+" } else { "" }
}

/// The tokens of a line, in their order, if they are a noun with conditions in parentheses: `card that (power > 3)`.
fn filtered_subject<'t>(line: &[&'t str]) -> Vec<&'t str> {
    let is_part = |word: &&str| {
        is_lowercase_word(word) || is_number(word) || matches!(*word, "(" | ")" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "'s")
    };
    let is_subject = line.last().is_some_and(|word| is_lowercase_word(word)) && line.iter().all(is_part);
    if is_subject { line.iter().rev().copied().collect() } else { Vec::new() }
}

/// A suggestion for a word that does not begin a block. `rest` are the words between it and the brace.
pub(crate) fn block_suggestion(word: &str, rest: &[&str]) -> Option<String> {
    let has_any = |words: &[&str]| rest.iter().any(|known| words.contains(known));
    let help = match word {
        "during" if has_any(&["opponent", "opponent's", "opponents", "their"]) => {
            "for a turn of an opponent, write `while opponent is active { … }`"
        }
        "during" | "on" if has_any(&["your", "my"]) && has_any(&["turn"]) => "for your turn, write `while you is active { … }`",
        "effect" | "effects" | "ability" | "text" | "do" | "action" | "on_play" | "play" => {
            "write the effect of a card in `does { … }`; later effects begin with `when`, `at` or `while`"
        }
        "priority" => {
            "`priority` alone opens a window for all players; a window with settings has a name: `window NAME { only active }`"
        }
        "during" => "write `while COND { … }` for a period, `at start of STEP { … }` for a moment",
        "once" if has_any(&["per", "each", "a"]) && has_any(&["turn"]) => {
            "write a limit in the ability: `activated { …  limit 1 per turn }`, `when …, limit 1 per turn { … }`"
        }
        "on" | "upon" | "after" | "once" => {
            "a reaction to an event begins with `when`: `when this is …ed { … }`, `when you … { … }`"
        }
        "each" | "every" if has_any(&["turn"]) => "write the moment: `at start of turn { … }`, `at end of your turn { … }`",
        _ => return None,
    };
    Some(help.to_owned())
}

/// Whether all tokens are words or numbers.
fn is_words_only(line: &[&str]) -> bool {
    line.iter().all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

fn article_help(word: &str) -> String {
    format!(
        "leave `{word}` out: zones and names have no article, and cards have a count such as `1 card`, `each card` or `target card`"
    )
}

/// The text between braces, such as `r` of `{r}`, if it resembles a price symbol. `after` is the text after the opening brace.
fn symbol_text(after: &str) -> Option<&str> {
    let inside = after.split('}').next().filter(|inside| inside.len() < after.len())?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '/';
    (!inside.is_empty() && inside.len() <= 4 && inside.chars().all(fits)).then_some(inside)
}

/// Whether `last` ends a number with separators: `3,000`.
fn is_thousands_group(last: &str, before: &[&str]) -> bool {
    last.len() == 3
        && is_number(last)
        && before.get(1) == Some(&",")
        && before.get(2).is_some_and(|first| is_number(first) && first.len() <= 3)
}
