//! Ways of writing that come from elsewhere: what to write instead.

use crate::error::nearest;

/// The words that begin a difference.
pub(crate) const DIFFERENCES: [&str; 8] = ["replace", "remove", "before", "after", "append", "ban", "restrict", "errata"];

/// What to say of printed text.
const PRINTED: &str = "this looks like printed text, which is not read: what a card does stands in `does { … }` or another ability, each statement on a line of its own or behind `;`, without full stops";

/// The number that a word says.
pub(crate) fn number_word(word: &str) -> Option<usize> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    NUMBERS.iter().position(|name| *name == word)
}

/// A way out for a token that cannot stand where it does. `after`: the text right behind it; `before`: the tokens before it, last first.
pub(crate) fn suggestion_for(text: &str, after: &str, before: &[&str]) -> Option<String> {
    let last = before.first().copied().unwrap_or("");
    let next = after.trim_start_matches(' ');
    let item = before.last().copied().unwrap_or("");
    // what stands before it in its own line or block
    let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    let event = line.last().is_some_and(|word| matches!(*word, "when" | "whenever" | "at" | "if" | "while" | "does" | "in"));
    let count = |bracket: &str| before.iter().filter(|word| **word == bracket).count();
    let depth = count("{").saturating_sub(count("}"));
    let stray = item == "format" && depth == 1 && line.is_empty() && nearest(text, DIFFERENCES.into_iter()).is_none();
    let next_line = first_line(next).split('{').next().unwrap_or("").trim();
    // `when Dew Gatherer attacks`: its own name
    if let [.., subject, "when" | "whenever"] = line.as_slice()
        && let [.., name, "card" | "token"] = before
        && subject.starts_with(|c: char| c.is_uppercase())
        && name.split(|c: char| !c.is_alphanumeric()).any(|part| part == *subject)
    {
        return Some("a card calls itself `this`: `when this …`".to_owned());
    }
    if let Some(help) = event_habit(text, after, &line).or_else(|| member_habit(text, after, before, depth)) {
        return Some(help);
    }
    let help = match (text, last) {
        ("/", _) if next.starts_with(['*', '/']) => "a comment begins with `//` and ends with its line",
        ("-", _) if after.starts_with('-') => "a comment begins with `//`",
        ("-", _) if after.starts_with('>') => "what happens stands in braces: `{ … }`",
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
        ("under", zone)
            if first_line(after).contains("control")
                && let Some(from) = line.iter().position(|word| matches!(*word, "when" | "whenever"))
                && let Some(enters) = line.iter().take(from).position(|word| *word == "enters") =>
        {
            let whose = if next.starts_with("your ") { "you" } else { "opponent" };
            let about: Vec<&str> = line.get(enters + 1..from).unwrap_or(&[]).iter().rev().copied().collect();
            return Some(format!("whose it is is said with the object: `when {} of {whose} enters {zone}`", about.join(" ")));
        }
        (">", "<") => "what differs is compared by `!=`",
        (":", quoted) if quoted.starts_with('"') => "what is printed stands as words: `card \"NAME\" { power 3 }`",
        (":", price) if depth == 1 && price.starts_with('{') && matches!(item, "card" | "token") => {
            "what is paid and what comes of it stand in blocks: `activated { price …  cost { … }  does { … } }`; what makes units says `yields`"
        }
        (":" | "=", fact) if depth == 1 && !event && matches!(item, "card" | "token") => {
            return Some(format!("a printed fact has its value right behind its name: `{fact} 3`"));
        }
        (":", _) if depth > 0 && matches!(item, "card" | "token" | "keyword" | "rule") => {
            "what happens stands in braces: `{ … }`"
        }
        (".", "turn" | "phase" | "step") if before.get(1) == Some(&"replace") => {
            "say what it is: `replace step turn.NAME { … }` or `replace phase turn.NAME { … }`"
        }
        (".", _) if matches!(before, [_, "phase" | "step", "remove", ..]) => "a path stands alone: `remove turn.NAME`",
        ("and", _) if item == "scenario" && first_line(after).ends_with(" pass") => "players are joined by commas: `A, B pass`",
        (".", _)
            if depth > 0 && matches!(item, "card" | "token") && (after.is_empty() || after.starts_with([' ', '\n', '}'])) =>
        {
            PRINTED
        }
        (".", "setup") => {
            "a setup is replaced as a whole, `replace setup { … }`, or added to, `append setup { … }`; its numbers are constants: `replace constant NAME = …`"
        }
        ("target", "any") => "several kinds stand in parentheses: `target (A or B)`; `any` stands in `any number of …`",
        ("==" | "!=" | "<" | ">" | "<=" | ">=", property) if before.get(1) == Some(&"and") && line.contains(&"with") => {
            let value = first_word(next);
            return Some(format!("several conditions stand in parentheses: `that (… and {property} {text} {value})`"));
        }
        ("not", "and") if line.contains(&"that") => "each condition says `that` by itself: `that is A that is not B`",
        ("random", number) if is_number(number) => {
            return Some(format!("chance comes first: `random {number} {}`", first_word(next)));
        }
        ("at", _) if next.starts_with("random") => "chance comes first: `random 1 card of opponent`",
        ("opponent" | "you" | "active", noun)
            if depth > 0
                && line.len() > 1
                && noun.chars().all(|c| c.is_ascii_lowercase())
                && !crate::lexer::is_reserved(noun) =>
        {
            return Some(format!("whose something is says `of`: `{noun} of {text}`"));
        }
        ("no", "has" | "have") => {
            "`has` asks for one keyword; that there is nothing is said with `no`: `if no card of active { … }`"
        }
        ("{", "step" | "phase") if line.len() == 2 => {
            return Some(format!("the word comes first: `{last} {} {{ … }}`", before.get(1).copied().unwrap_or("")));
        }
        ("{", "turn") if line.len() == 2 && depth > 0 => {
            return Some(format!("what a turn is made of are steps: `step {} {{ … }}`", before.get(1).copied().unwrap_or("")));
        }
        ("{", _)
            if item == "format"
                && line.last().is_some_and(|word| matches!(*word, "after" | "before"))
                && !line.contains(&"step")
                && !line.contains(&"phase") =>
        {
            "the braces are those of the new step: `after PATH step NAME { … }`"
        }
        (timing @ ("stack" | "chain" | "queue"), "timing") => {
            return Some(format!("a timing stands in braces: `timing {{ {timing} }}`"));
        }
        (_, _)
            if item == "format" && depth == 1 && (line.last() == Some(&"deck") || matches!(text, "max" | "min" | "copies")) =>
        {
            "what decks must be like stands in `deck rules { main 40  copies 4 }`"
        }
        ("step" | "phase", _) if stray => {
            return Some(format!("a {text} stands next to one of the base: `before PATH {text} {} {{ … }}`", first_word(next)));
        }
        ("add" | "insert" | "put", _) if stray && begins_span(next) => {
            return Some(format!("a step stands next to one of the base: `before PATH {next_line} {{ … }}`"));
        }
        (name, _)
            if stray
                && begins_span(next)
                && next.get(first_word(next).len()..).is_some_and(|rest| rest.trim_start().starts_with('{')) =>
        {
            let what = first_word(next);
            return Some(format!(
                "the word comes first; of the base, `replace {what} PATH {{ … }}`, a new one, `before PATH {what} {name} {{ … }}`"
            ));
        }
        ("win" | "lose" | "wins" | "loses", _) if stray => {
            "what is looked at all the time is a state rule: `state rule NAME { if COND { win(PLAYER) } }`"
        }
        (_, _) if stray && first_line(after).split(' ').next_back().is_some_and(is_number) && !after.contains('=') => {
            "numbers of the base are constants: `replace constant NAME = 3`; what a game begins with is said by `append setup { … }`"
        }
        (_, "players") if matches!(before, ["players", "\n" | "{" | ";", ..]) => {
            "how many play is a number, `players 3`; how a game begins stands in `replace setup { … }` or `append setup { … }`"
        }
        (".", whose) if next.starts_with(|c: char| c.is_alphabetic()) => {
            let word: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let called = next.get(word.len()..).is_some_and(|rest| rest.starts_with('('));
            return Some(if called {
                format!("the verb comes first: `{word} {whose}`")
            } else {
                format!("write `{word} of {whose}`")
            });
        }
        (".", _) if next.starts_with(|c: char| c.is_ascii_digit()) => "numbers are whole",
        ("as", _) if next.starts_with("long as ") => "what holds as long as something is so: `while COND { … }`",
        ("{", "deck") if item == "format" => "what decks must be like stands in `deck rules { … }`",
        (name, "rule" | "keyword" | "action" | "play" | "constant" | "treat" | "state" | "zone" | "step" | "phase")
            if before.get(1) == Some(&"remove") && !name.is_empty() =>
        {
            return Some(format!(
                "a path has points: `remove {}.{name}`",
                if matches!(last, "step" | "phase") { "turn" } else { last }
            ));
        }
        ("/", number) if depth == 1 && !event && matches!(item, "card" | "token") && is_number(number) => {
            "each number stands behind the name of its fact: `NAME 3  NAME 2`"
        }
        ("/", word) if depth == 1 && !event && matches!(item, "card" | "token") && next.starts_with(char::is_alphabetic) => {
            return Some(format!("each word stands by itself: `{word} {}`", first_word(next)));
        }
        ("+", number) if depth == 1 && !event && matches!(item, "card" | "token") && is_number(number) => {
            "what changes a number stands in an ability: `while COND { this gets +1000 PROPERTY }`"
        }
        ("-", _)
            if depth > 0
                && after.starts_with(|c: char| c.is_ascii_digit())
                && matches!(last, "to" | "top" | "bottom" | "random") =>
        {
            let up = if last == "to" { "up " } else { "" };
            return Some(format!("a count is not below zero: leave the `-` out, `{up}{last} {}`", first_word(next)));
        }
        ("zone", name) if line.len() > 1 && !is_number(name) => {
            return Some(format!("a zone is called by its name alone: `{name}`"));
        }
        (number, "gets" | "get") if is_number(number) => {
            let property: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let property = if property.is_empty() { "PROPERTY".to_owned() } else { property };
            return Some(format!("a change has a sign, or sets a value: `+{number} {property}`, `{property} = {number}`"));
        }
        ("then", _) if before.iter().take_while(|word| **word != "{").any(|word| *word == "if") => {
            "what a condition guards stands in braces: `if COND { … }`"
        }
        ("{", "card" | "token" | "deck" | "scenario") if before.len() == 1 => {
            return Some(format!("it has a name: `{last} \"NAME\" {{ … }}`"));
        }
        ("{", "format") => "a format has a name: `format NAME extends BASE { … }`",
        ("{", _) if item == "format" && before.len() == 2 => "say what it differs from: `format NAME extends BASE { … }`",
        (_, _) if item == "kind" => "what a kind prints: `kind WORD prints FACT, FACT or FACT, not FACT`",
        ("{", _) if item == "function" && !before.contains(&"=") => "a function is one expression: `function NAME(…): TYPE = …`",
        ("if", _) if depth > 0 && !line.is_empty() && !event && !next.starts_with("you do") => {
            "a condition stands before what it guards: `if COND { … }`"
        }
        ("of", quoted) if depth == 1 && matches!(item, "card" | "token") && quoted.starts_with('"') && next.starts_with('"') => {
            return Some(format!("several words are joined by commas: `{quoted}, \"…\"`"));
        }
        ("=", _) if item == "traits" => "the words of a set have no values: `traits NAME { WORD, WORD }`",
        (ty, ")") if item == "function" && depth == 0 && ty.starts_with(char::is_alphabetic) => {
            return Some(format!("the type stands behind a colon: `function NAME(…): {ty} = …`"));
        }
        ("=", _) if item == "function" && last == ")" => "say of which type it is: `function NAME(…): number = …`",
        ("}", _) if before.iter().filter(|word| **word == "{").count() == before.iter().filter(|word| **word == "}").count() => {
            "this closes nothing: remove it, or look for a `}` too much above"
        }
        ("" | "\n", _)
            if depth == 0 && before.len() > 1 && matches!(item, "card" | "token" | "deck" | "keyword" | "scenario") =>
        {
            "what belongs to it stands in braces: `{ … }`"
        }
        ("[", _) if depth == 0 && matches!(item, "card" | "token" | "deck" | "rule" | "keyword" | "scenario") => {
            "what belongs to it stands in braces: `{ … }`"
        }
        ("{", "{") if matches!(item, "card" | "token" | "keyword" | "rule") => "one pair of braces is enough here",
        ("{", _) if symbol(after).is_some() && (last.starts_with('{') && last.ends_with('}') || last == "}" || depth == 1) => {
            let upper = symbol(after).unwrap_or_default().to_uppercase();
            return Some(format!("a symbol of a price has digits and capitals only, without blanks: `{{{upper}}}`"));
        }
        ("}", _) if before.get(1) == Some(&"{") && last.chars().all(|c| c.is_ascii_digit()) => {
            "a symbol of a price has no blanks: `{2}{U}`"
        }
        (_, number) if thousands(number, before) => {
            let (rest, first) = (number, before.get(2).copied().unwrap_or(""));
            return Some(format!("a number has no separators: `{first}{rest}`"));
        }
        (",", _) if line.last() == Some(&"choose") => "how many modes is a number: `choose 2, repeats allowed { - …  - … }`",
        ("the", "at") => {
            let moment = first_line(after).split('{').next().unwrap_or("").replace("beginning", "start");
            let moment = moment.split_whitespace().filter(|word| *word != "step").collect::<Vec<_>>().join(" ");
            let known = moment.starts_with("start of ") || moment.starts_with("end of ");
            return Some(format!("write `at {}`", if known { &moment } else { "start of your STEP" }));
        }
        ("step" | "phase", name) if line.last() == Some(&"at") && line.contains(&"of") => {
            return Some(format!("a step or phase is called by its name alone: `{name}`"));
        }
        ("in" | "from" | "of" | "with", "card" | "cards")
            if before.get(1).is_some_and(|noun| noun.chars().all(char::is_alphabetic))
                && before.get(2).is_some_and(|word| is_number(word) || matches!(*word, "each" | "target" | "all")) =>
        {
            let (noun, how_many) = (before.get(1).copied().unwrap_or(""), before.get(2).copied().unwrap_or(""));
            return Some(format!("one noun is enough: `{how_many} {noun} {text} …`"));
        }
        ("{", "when" | "whenever") => "say on which event: `when this is …ed { … }`, `when you … { … }`",
        ("{", "at") => "say when: `at start of STEP { … }`, `at end of turn { … }`",
        ("{", _) if event && line.len() > 1 && line.get(line.len() - 2).is_some_and(|word| is_number(word)) => {
            "an event begins with who or what does it: `when you …`, `when each … `, `when this is …ed`"
        }
        ("" | "\n" | "}", _) if line.iter().any(|word| matches!(*word, "when" | "whenever")) => {
            "what happens stands in braces behind the event: `when … { … }`"
        }
        (")", _) if count("(") <= count(")") => "this closes nothing: remove it",
        ("}", _) if count("(") > count(")") => "a `(` before it is not closed: add `)`",
        _ if matches!(line.last(), Some(&("assert" | "check" | "verify" | "require" | "assume" | "ensure"))) => {
            "what must hold is said with `expect`: `expect life of A == 0`"
        }
        ("get" | "gets" | "gain" | "gains" | "have" | "has", _)
            if depth > 0 && !line.is_empty() && !line.contains(&"gets") && !line.contains(&"or") && words_only(&line) =>
        {
            let subject: Vec<&str> = line.iter().rev().copied().collect();
            let change = format!("{} gets {}", subject.join(" "), first_line(after).trim());
            let ability = depth == 1 && matches!(item, "card" | "token");
            return Some(if ability && after.contains(" until ") && !first_line(after).contains('{') {
                format!("what lasts for a while is begun by something that happens: `when … {{ {change} }}`")
            } else if ability {
                format!("what holds all the time stands in `always`: `always {{ {change} }}`")
            } else {
                format!("a change is said with `gets`: `{change}`")
            });
        }
        ("control" | "controls" | "own" | "owns", "you" | "opponent" | "opponents") if line.len() > 1 => {
            let noun = before.get(1).map_or("", |noun| noun.strip_suffix('s').unwrap_or(noun));
            let whose = last.strip_suffix('s').unwrap_or(last);
            return Some(format!("whose something is says `of`: `each {noun} of {whose}`"));
        }
        _ if depth == 1
            && matches!(item, "card" | "token")
            && line.len() > 1
            && line.last().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_uppercase()) && word.len() > 1) =>
        {
            let first = line.last().copied().unwrap_or("").to_lowercase();
            if matches!(first.as_str(), "when" | "whenever" | "at" | "if" | "while") && first_line(after).contains('{') {
                return Some(format!("the words of the language are written small: `{first}`"));
            }
            PRINTED
        }
        _ if line.last() == Some(&"I") => "the player who has the card is `you`: `you draw 2`",
        _ if line.contains(&"else") => "the word is `otherwise`, and it stands behind what may fail: `…; otherwise draw 1`",
        _ if matches!(before, ["turn" | "phase" | "step", "until", ..]) => {
            "say whether its end or its start is meant: `until end of turn`"
        }
        _ if line.contains(&"mays") => "did you mean `may`?",
        ("==", _) => "`=` gives a value, `==` compares: a statement writes `NAME of X = VALUE`",
        (_, "the" | "a" | "an") => return Some(article(last)),
        _ if matches!(before.get(1), Some(&("the" | "a" | "an"))) && last.chars().all(char::is_alphabetic) => {
            return Some(article(before.get(1).copied().unwrap_or("")));
        }
        (quoted, _) if quoted.starts_with('"') && item == "pack" => {
            "a manifest is written `pack NAME { edition 1  extends BASE }`"
        }
        (number, _) if is_number(number) && item == "deck" && after.starts_with(char::is_alphabetic) => {
            "write the number alone: `4 \"NAME\"`"
        }
        (number, _) if is_number(number) && after.starts_with(char::is_alphabetic) => {
            "a number ends where a letter begins; a price is written in symbols: `{2}{U}`"
        }
        ("}", number) if item == "deck" && is_number(number) => "the number stands before the name: `4 \"NAME\"`",
        (_, "{") if before.get(2) == Some(&"choose") => "each mode begins with `-`: `choose 1 { - draw 1  - draw 2 }`",
        (word, _)
            if depth == 1
                && item == "card"
                && line.len() == 2
                && line.last().is_some_and(|word| is_number(word))
                && !word.is_empty() =>
        {
            return before.get(1).map(|number| format!("the value stands behind its name: `{last} {number}`"));
        }
        ("is", _) if before.iter().take_while(|word| **word != "{").any(|word| *word == "if") => {
            "what is replaced is said with `would`: `if this would be …, instead { … }`"
        }
        _ if depth == 1 && event && line.get(1) == Some(&",") && line.iter().any(|word| matches!(*word, "when" | "whenever")) => {
            "what happens stands in braces: `when … { … }`"
        }
        ("" | "\n", _) if matches!(item, "status" | "property" | "player" | "global") && before.len() == 2 => {
            return Some(format!("say of which type it is: `{item} {last}: number`"));
        }
        (word, ty) if matches!(item, "status" | "property" | "player" | "global") && before.len() == 2 => {
            return Some(format!("the type stands behind the name: `{item} {word}: {ty}`"));
        }
        (number, verb)
            if depth > 1
                && is_number(number)
                && matches!(line.as_slice(), [_, word] if word.chars().all(|c| c.is_ascii_lowercase()))
                && verb.chars().all(|c| c.is_ascii_lowercase()) =>
        {
            let word = line.last().copied().unwrap_or("");
            return Some(format!(
                "a verb is one word, such as `{word}_{verb}`; who does something stands in parentheses: `({word}) {verb}s {number} …`"
            ));
        }
        (verb, noun) if before.get(1) == Some(&"target") && verb.len() > 2 && verb.ends_with('s') => {
            return Some(format!(
                "what is chosen gets a name before it does something: `choose target {noun} as chosen`, then `(chosen) {verb} …`"
            ));
        }
        (",", _)
            if depth > 1
                && matches!(item, "card" | "token" | "keyword" | "rule")
                && !event
                && count("(") == count(")")
                && !line.contains(&"gets")
                && next.starts_with(char::is_alphabetic) =>
        {
            "each statement stands on a line of its own or behind `;`"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// A way out for what stands in the head of an ability. `line`: the words before it, last first.
fn event_habit(text: &str, after: &str, line: &[&str]) -> Option<String> {
    let next = after.trim_start_matches(' ');
    let from = line.iter().position(|word| matches!(*word, "when" | "whenever" | "at" | "if"))?;
    let (event, said) = (line.get(from).copied()?, line.get(..from)?);
    let last = said.first().copied().unwrap_or("");
    let happens = matches!(event, "when" | "whenever" | "at");
    Some(match (text, last) {
        ("if", _) if happens && last != "," && !next.starts_with("you do") => {
            let moment: Vec<&str> = said.iter().rev().copied().collect();
            let condition = next.split(['{', '\n']).next().unwrap_or("").trim_end_matches([' ', ',']);
            format!("a comma stands before `if`: `{event} {}, if {condition} {{ … }}`", joined(&moment))
        }
        ("{", ",") => {
            let begins = line.iter().rposition(|word| matches!(*word, "when" | "whenever" | "at" | "if")).unwrap_or(from);
            let head: Vec<&str> = line.get(1..=begins)?.iter().rev().copied().collect();
            format!("leave the last comma out: `{} {{ … }}`", joined(&head))
        }
        ("to", object) if matches!(event, "when" | "whenever") && said.len() > 2 && plain(object) => {
            let (verb, subject) = (said.get(1).copied()?, said.get(2..)?);
            let subject: Vec<&str> = subject.iter().rev().copied().collect();
            let whom = next.split(['{', ',', '\n']).next().unwrap_or("").trim_end();
            let event = format!("{event} {} {verb}_{object} {whom}", joined(&subject));
            format!("a verb is one word, and what it is done to stands right behind it: `{event}`")
        }
        ("each" | "every", "of") if event == "at" => {
            let moment: Vec<&str> = said.iter().rev().copied().collect();
            let moment = format!("{} {}", joined(&moment), first_word(next));
            format!(
                "a moment is that of each turn, unless it says whose: `at {moment}`, `at {}`",
                moment.replace("of ", "of your ")
            )
        }
        (verb, ",") if event == "if" && said.contains(&"would") && plain(verb) && verb != "instead" => {
            let what = format!("{verb}{}", first_line(after));
            let what = what.trim_end().trim_end_matches("instead").trim_end();
            let head: Vec<&str> = said.iter().skip(1).rev().copied().collect();
            format!("what happens instead stands in braces: `if {}, instead {{ {what} }}`", joined(&head))
        }
        _ => return None,
    })
}

/// A way out for what stands among the facts and statements of an item. `before`: the tokens before it, last first; `depth`: of braces.
fn member_habit(text: &str, after: &str, before: &[&str], depth: usize) -> Option<String> {
    let last = before.first().copied().unwrap_or("");
    let next = after.trim_start_matches(' ');
    let item = before.last().copied().unwrap_or("");
    let card = matches!(item, "card" | "token");
    let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
    Some(match (text, last) {
        ("}" | "\n" | "", ".") => "leave the full stop out".to_owned(),
        ("}" | "\n" | ";" | ",", "target") => {
            "behind `target` stands what kind of object it is: `target NOUN`; what was chosen before is `it`, or has a name by `as`"
                .to_owned()
        }
        (_, "choose") if card && depth == 1 => "what a card does when it is used stands in `does { … }`: `does { choose … }`".to_owned(),
        ("{", number) if card && depth == 1 && before.get(1) == Some(&"choose") => {
            let number = number_word(number).map_or_else(|| number.to_owned(), |number| number.to_string());
            format!("what a card does when it is used stands in `does {{ … }}`: `does {{ choose {number} {{ … }} }}`")
        }
        (word, "becomes" | "become") if plain(word) => {
            let about: Vec<&str> = line.iter().skip(1).rev().copied().collect();
            let rest = first_line(after).trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            let about = joined(&about);
            format!("a change is said with `gets`: `{about} gets {word}{rest}`; `{word} only` takes its other words of that kind away")
        }
        (number, _) if item == "deck" && depth == 1 && is_number(number) && next.starts_with(['"', '《']) => {
            format!("cards stand in a section: `main {{ {number} {} … }}`", first_line(next).split_inclusive(['"', '》']).take(2).collect::<String>())
        }
        ("==" | "!=" | "<" | ">" | "<=" | ">=", property) if item == "scenario" && line.get(2) == Some(&"expect") => {
            let whose = line.get(1).copied().unwrap_or("");
            let value = first_line(after).trim();
            format!("whose something is says `of`: `expect {property} of {whose} {text} {value}`")
        }
        ("gets" | "get", _) if card && depth == 1 && !line.contains(&"gets") => {
            let about: Vec<&str> = line.iter().take_while(|word| plain(word)).copied().collect();
            let from = about.iter().position(|word| matches!(*word, "each" | "this" | "all" | "it"));
            let about: Vec<&str> = about.iter().take(from.map_or(about.len(), |from| from + 1)).rev().copied().collect();
            if about.is_empty() || about.contains(&"or") || line.iter().any(|word| matches!(*word, "until" | "when" | "whenever")) {
                return None;
            }
            let about = about.strip_prefix(&["all"]).unwrap_or(&about);
            let change = first_line(after).trim().trim_end_matches('.');
            if change.contains(" until ") {
                return None;
            }
            format!("what holds all the time stands in `always`: `always {{ {} gets {change} }}`", joined(about))
        }
        _ => return None,
    })
}

/// Tokens as they are written: no blank before a comma or `'s`.
fn joined(words: &[&str]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && !matches!(*word, "," | "'s" | ")") && !text.ends_with('(') {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// A word of small letters.
fn plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
}

/// A way out for a word that begins no block, with what stands between it and the brace.
pub(crate) fn opening(word: &str, rest: &[&str]) -> Option<String> {
    let says = |words: &[&str]| rest.iter().any(|known| words.contains(known));
    let help = match word {
        "during" if says(&["opponent", "opponent's", "opponents", "their"]) => {
            "what holds in a turn is said by whose turn it is: `while opponent is active { … }`"
        }
        "during" | "on" if says(&["your", "my"]) && says(&["turn"]) => {
            "what holds in a turn is said by whose turn it is: `while you is active { … }`"
        }
        "effect" | "effects" | "ability" | "text" | "do" | "action" | "on_play" | "play" => {
            "what a card does when it is used stands in `does { … }`; what it does later begins with `when`, `at` or `while`"
        }
        "priority" => "`priority` alone opens a window for all; one with settings has a name: `window NAME { only active }`",
        "during" => {
            "what holds for a while has a condition: `while COND { … }`; what happens at a moment: `at start of STEP { … }`"
        }
        "once" if says(&["per", "each", "a"]) && says(&["turn"]) => {
            "how often is said where it can be done: `activated { …  limit 1 per turn }`, `when …, limit 1 per turn { … }`"
        }
        "on" | "upon" | "after" | "once" => {
            "what happens on an event begins with `when`: `when this is …ed { … }`, `when you … { … }`"
        }
        "each" | "every" if says(&["turn"]) => "say when: `at start of turn { … }`, `at end of your turn { … }`",
        _ => return None,
    };
    Some(help.to_owned())
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or("")
}

/// `step dawn …`
fn begins_span(text: &str) -> bool {
    matches!(first_word(text), "step" | "phase")
}

fn first_line(text: &str) -> &str {
    text.split(['\n', ';', '}']).next().unwrap_or("").trim_end()
}

/// Nothing but words, and numbers.
fn words_only(line: &[&str]) -> bool {
    line.iter().all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

fn article(word: &str) -> String {
    format!("leave `{word}` out: a zone or a name needs none, and `1 card`, `each card` or `target card` says how many")
}

/// `r` of `{r}`: the text behind an opening brace, if it ends like a symbol.
fn symbol(after: &str) -> Option<&str> {
    let inside = after.split('}').next().filter(|inside| inside.len() < after.len())?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '/';
    (!inside.is_empty() && inside.len() <= 4 && inside.chars().all(fits)).then_some(inside)
}

/// `3,000`
fn thousands(last: &str, before: &[&str]) -> bool {
    last.len() == 3
        && is_number(last)
        && before.get(1) == Some(&",")
        && before.get(2).is_some_and(|first| is_number(first) && first.len() <= 3)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
