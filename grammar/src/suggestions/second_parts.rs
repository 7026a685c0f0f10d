//! Suggestions for a second part where the grammar allows one: an ability in the middle of a line, a second event of a trigger.

use super::site::{Notation, Site};
use super::words::{first_word, is_lowercase_word, is_number, join_tokens, two_words};
use crate::error::NEW_LINE_HELP;

/// Words that begin an ability with a body.
const ABILITY_HEADS: [&str; 9] = ["does", "always", "defines", "activated", "when", "whenever", "while", "at", "if"];

/// Words before the head of an ability.
const ABILITY_PREFIXES: [&str; 7] = ["in", "immediately", "off", "unlisted", "missable", "timely", "concealed"];

/// `equip target x  always: …`, `draw 1  {T}: …`: an ability after another one, or after a printed fact, in one line.
pub(super) fn ability_in_a_line(site: &Site<'_>) -> Option<Notation> {
    let line = site.line();
    if site.is_among_members()
        && line.contains(&":")
        && matches!(site.text, "when" | "whenever" | "does" | "always" | "activated")
    {
        return Some(Notation::new(format!("`{}` begins an ability in the middle of a line", site.text), NEW_LINE_HELP));
    }
    if !site.is_among_members() || !matches!(site.text, ":" | "{") {
        return None;
    }
    if let [number, sign @ ("+" | "-"), keyword, before @ ..] = line
        && site.text == ":"
        && is_number(number)
        && is_lowercase_word(keyword)
        && before.contains(&":")
    {
        let first = join_tokens(&before.iter().rev().copied().collect::<Vec<_>>()).replace(" :", ":");
        let first = first.replace("+ ", "+").replace("- ", "-");
        let second = format!("{keyword} {sign}{number}:{}", site.whole_line_after());
        let help = format!("write it on a new line or after `;`: `{first}; {second}`");
        return Some(Notation::new(format!("`{keyword} {sign}{number}` begins an ability in the middle of a line"), help));
    }
    let head = line.iter().position(|word| ABILITY_HEADS.contains(word));
    let is_symbol = |word: &str| word.starts_with('{') && word.len() > 2;
    let at = head.or_else(|| line.iter().position(|word| !is_symbol(word)).and_then(|at| at.checked_sub(1)))?;
    let (first, before) = (*line.get(at)?, line.get(at + 1..)?);
    let is_complete = before.contains(&":");
    // `in ZONE when …` and `usable while …` are one ability, and a line with one event has one
    let continues = matches!(before.first()?, &("," | "usable" | "and" | "or" | ":" | "-"))
        || before.last().is_some_and(|word| ABILITY_PREFIXES.contains(word) || ABILITY_HEADS.contains(word));
    (is_complete || !continues)
        .then(|| Notation::new(format!("`{first}` begins an ability in the middle of a line"), NEW_LINE_HELP))
}

/// `draw 1  this gets …`: two statements in one line.
pub(super) fn statement_in_a_line(site: &Site<'_>) -> Option<Notation> {
    let line = site.written();
    let [verb, number, subject, ..] = line.as_slice() else { return None };
    let is_call = is_lowercase_word(verb) && is_number(number) && is_lowercase_word(subject);
    (site.text == "gets" && is_call).then(|| {
        Notation::new("`gets` belongs to a second statement in this line", "write each statement on a new line or after `;`")
    })
}

/// `it's your turn`, in the place of a condition.
pub(super) fn turn_condition(site: &Site<'_>) -> Option<Notation> {
    let player = match site.text {
        "your" | "my" => "you",
        "opponent" => "opponent",
        _ => return None,
    };
    let is_turn = matches!(site.line(), ["'s", "it", ..]) && site.next().trim_start_matches("'s ").starts_with("turn");
    is_turn.then(|| Notation::new("a turn is not what `it` is", format!("write whose turn it is: `{player} is active`")))
}

/// `when this enters or attacks`: two events.
pub(super) fn second_event(site: &Site<'_>) -> Option<Notation> {
    let from = site.line().iter().position(|word| matches!(*word, "when" | "whenever"))?;
    let head = site.line().get(..from)?;
    let (verb, subject) = head.split_first()?;
    let is_event = is_lowercase_word(verb) && !subject.is_empty() && !subject.iter().any(|word| matches!(*word, "," | "where"));
    if !matches!(site.text, "or" | "and") || !is_event {
        return None;
    }
    let subject = join_tokens(&subject.iter().rev().copied().collect::<Vec<_>>());
    let rest = site.next().split(['{', ':', ',', '\n']).next().unwrap_or("").trim_end();
    let second = match rest.strip_prefix(subject.as_str()) {
        Some(verb) if verb.starts_with(' ') => rest.to_owned(),
        _ if begins_with_subject(rest) => rest.to_owned(),
        _ if rest.contains(' ') && subject.ends_with(" is") => return None,
        _ => format!("{subject} {rest}"),
    };
    (!rest.is_empty()).then(|| {
        let help = format!("write two abilities: `when {subject} {verb}: …`, `when {second}: …`");
        Notation::new("an ability waits for one event, and this is a second one", help)
    })
}

/// Whether an event begins with its own subject: `opponent draws`. A verb in the third person ends with `s`.
fn begins_with_subject(event: &str) -> bool {
    let (first, rest) = event.split_once(' ').unwrap_or((event, ""));
    let is_third_person = first.ends_with('s') && !matches!(first, "this" | "its" | "players" | "opponents");
    !is_third_person && rest.split([' ', '_']).any(|part| part.ends_with('s'))
}

/// `of each player`: what belongs to several players.
pub(super) fn part_of_each_player(site: &Site<'_>) -> Option<Notation> {
    let player = first_word(site.next());
    if site.text != "each" || site.last() != "of" || !matches!(player, "player" | "opponent") {
        return None;
    }
    let help = if site.before.iter().take(24).any(|word| matches!(*word, "when" | "whenever")) {
        format!("leave `of each {player}` out: without it the event is that of any player")
    } else {
        format!(
            "leave `of each {player}` out for what belongs to any player; or begin with `each {player}`, where `player` is that player: `each {player} discards 1 card in hand of player`"
        )
    };
    Some(Notation::new(format!("`of` is followed by one player, not by `each {player}`"), help))
}

/// `in hand "label" when COND: …`, `"label": …`: an ability with a label and without a cost, which has the long form only.
pub(super) fn label_without_cost(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let at = written.iter().position(|word| word.starts_with(['"', '《'])).filter(|_| site.is_among_members())?;
    let (before, label) = (written.get(..at)?, *written.get(at)?);
    let is_prefix = |word: &&str| *word == "," || is_lowercase_word(word);
    let is_alone = before.is_empty() || before.first() == Some(&"in") && before.iter().all(is_prefix);
    if !is_alone {
        return None;
    }
    let behind = written.get(at + 1..)?;
    let rest = format!("{} {}{}", join_tokens(behind), site.text, site.whole_line_after()).replace(" ,", ",");
    let (condition, effect) = match (behind.first(), site.text) {
        (None, ":") => ("", rest.trim_start().strip_prefix(':')?),
        (Some(&("when" | "whenever")), _) => {
            let event = rest.split_once(' ')?.1;
            let (condition, effect) = event.split_at_checked(event.find([':', '{'])?)?;
            (condition, effect.strip_prefix(':').unwrap_or(effect))
        }
        _ => return None,
    };
    // `"power": 3` is a fact in the notation of another language
    if !effect.trim_start().starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '{' | '(')) && !effect.trim().is_empty() {
        return None;
    }
    let zone = if before.is_empty() { String::new() } else { format!("{} ", join_tokens(before)) };
    let effect = shown(statements_of(effect), "…");
    // Behind a limit an event may follow, and then the short form exists.
    if let Some((event, limit)) = condition.split_once(", limit ") {
        let (limit, event) = (limit.trim(), shown(event.trim(), "COND"));
        let effect = if effect.contains(';') || effect == "…" { format!("{{ {effect} }}") } else { effect.to_owned() };
        let help = format!("write the limit first: `{zone}{label} limit {limit}, when {event}: {effect}`");
        return Some(Notation::new("a limit precedes `when` in an ability with a label", help));
    }
    let condition = match condition.trim() {
        "" => String::new(),
        condition => format!("when {}  ", shown(condition, "COND")),
    };
    let help = format!("write the long form: `{zone}activated {label} {{ {condition}does {{ {effect} }} }}`");
    Some(Notation::new("an ability with a label and without a cost has no short form", help))
}

/// The most bytes of a part of a line that a suggestion repeats.
const MAX_REPEATED_BYTES: usize = 60;

/// A part of a line, or what stands for it if it is long.
fn shown<'t>(part: &'t str, placeholder: &'t str) -> &'t str {
    if part.len() > MAX_REPEATED_BYTES { placeholder } else { part }
}

/// The statements of a body without its braces; `…` if there are none, or if they have several lines or blocks.
fn statements_of(body: &str) -> &str {
    let body = body.trim();
    let inside = body.strip_prefix('{').map_or(body, |inside| inside.strip_suffix('}').unwrap_or("")).trim();
    if inside.is_empty() || inside.contains(['{', '\n']) { "…" } else { inside }
}

/// `"label" {T} { … }`, `{T} "label": …`: an ability whose label, costs and colon are not in their order.
pub(super) fn label_and_costs(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    if !site.is_among_members() || !matches!(site.text, ":" | "{") {
        return None;
    }
    let at = written.iter().position(|word| word.starts_with(['"', '《']))?;
    let (before, label, behind) = (written.get(..at)?, *written.get(at)?, written.get(at + 1..)?);
    let is_symbol = |word: &&str| word.starts_with('{') && word.len() > 2;
    let are_costs = |words: &[&str]| words.iter().all(|word| is_symbol(word) || *word == ",");
    let costs = [before, behind].concat();
    if !are_costs(&costs) || !costs.iter().any(is_symbol) {
        return None;
    }
    let message = match before {
        [] if site.text == "{" => "a colon separates costs from what they are paid for",
        [] => return None,
        _ => "the label of an ability comes before its costs",
    };
    let costs = join_tokens(&costs).replace("} {", "}{");
    let effect = match site.text {
        "{" => format!("{{ {} }}", block_after(site.after)),
        _ => Some(site.whole_line_after().trim()).filter(|effect| !effect.is_empty()).unwrap_or("{ … }").to_owned(),
    };
    Some(Notation::new(message, format!("write it: `{label} {costs}: {effect}`")))
}

/// The text of a block behind its `{`; `…` if it has several lines.
fn block_after(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|(_, c)| match c {
        '{' => {
            depth += 1;
            false
        }
        '}' if depth > 0 => {
            depth -= 1;
            false
        }
        _ => *c == '}',
    });
    let inside = end.and_then(|(at, _)| text.get(..at)).map_or("", str::trim);
    if inside.is_empty() || inside.contains('\n') { "…" } else { inside }
}

/// `for each opponent { … }`: a loop without the name of what it is repeated for.
pub(super) fn loop_without_name(site: &Site<'_>) -> Option<Notation> {
    let noun = match site.line() {
        ["each", "for"] => site.text,
        [noun, "each", "for"] if matches!(site.text, "{" | "of" | "with" | "that" | "without") => noun,
        _ => return None,
    };
    let behind = if noun == site.text { site.after.to_owned() } else { format!(" {}{}", site.text, site.after) };
    let behind = behind.split(['{', '\n', ';', ',', ':', '}']).next().unwrap_or("").trim_end();
    is_lowercase_word(noun).then(|| {
        let help = format!("write a name for one of them: `for each one in each {noun}{behind} {{ … }}`");
        Notation::new("a loop names what it is repeated for", help)
    })
}

/// `when this attacks, draw 1`: a comma between an event and what happens.
pub(super) fn comma_after_event(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let head = written.first().filter(|word| matches!(**word, "when" | "whenever" | "at"))?;
    let is_open =
        |words: &[&str]| words.iter().filter(|word| **word == "(").count() > words.iter().filter(|word| **word == ")").count();
    // Conditions and limits of the event are behind commas, too.
    let continues = |at: usize| {
        let verb = written.get(at + 1).copied().unwrap_or(site.text);
        matches!(verb, "if" | "limit" | "the" | "when" | "whenever" | "would" | "may" | "optionally")
    };
    let is_comma = |at: &usize| written.get(*at) == Some(&",") && !written.get(..*at).is_some_and(is_open) && !continues(*at);
    let comma = (1..written.len()).find(is_comma)?;
    let behind = written.get(comma + 1..)?;
    let behind = behind.strip_prefix(&["then"]).unwrap_or(behind);
    let verb = behind.first().copied().unwrap_or(site.text);
    if !site.is_among_members() || !is_lowercase_word(verb) || behind.contains(&":") || behind.contains(&",") {
        return None;
    }
    let rest = format!("{}{}", site.text, site.whole_line_after());
    let effect = match (behind, site.text) {
        ([], _) => rest,
        (_, "\n" | "}" | ";" | "") => join_tokens(behind),
        _ => format!("{} {rest}", join_tokens(behind)),
    };
    if effect.contains('{') {
        return None;
    }
    let effect = effect.strip_prefix("then ").unwrap_or(&effect);
    let event = join_tokens(written.get(1..comma)?);
    let help = format!("write `{head} {event}: {}`", effect.trim_end_matches(['.', ' ']));
    Some(Notation::new("a colon separates an event from what happens, not a comma", help))
}

/// `"label" lose_life 2, when COND { … }`: costs in words without a colon.
pub(super) fn colon_behind_costs(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    if !site.is_among_members() || site.text != "{" || written.contains(&":") {
        return None;
    }
    let is_label = written.first().is_some_and(|word| word.starts_with(['"', '《']));
    let costs = written.get(usize::from(is_label)..).filter(|costs| costs.len() > 1)?;
    let verb = costs.first().filter(|verb| is_lowercase_word(verb) && !crate::lexer::is_reserved(verb))?;
    let has_condition = costs.windows(2).any(|pair| matches!(pair, [",", "when" | "whenever" | "limit" | "usable"]));
    if ABILITY_HEADS.contains(verb) || ABILITY_PREFIXES.contains(verb) || !is_label && !has_condition {
        return None;
    }
    let help = format!("write it: `{}: {{ {} }}`", join_tokens(&written), block_after(site.after));
    Some(Notation::new("a colon separates costs from what they are paid for", help))
}

/// `cost: 3` on a card: a colon between a fact and its value.
pub(super) fn colon_before_value(site: &Site<'_>) -> Option<Notation> {
    let ([value, ":", fact] | [value, "=", fact]) = *site.line() else { return None };
    let is_fact = is_lowercase_word(fact) && !crate::lexer::is_reserved(fact) && !ABILITY_HEADS.contains(&fact);
    let is_value = is_number(value) || value.starts_with(['"', '《']);
    (site.is_among_members() && is_fact && is_value && matches!(site.text, "" | "\n" | "}" | ";")).then(|| {
        let message = format!("the value of `{fact}` follows it directly");
        Notation::new(message, format!("write `{fact} {value}`")).before()
    })
}

/// `deal 3 damage to target recipient` on a card: a statement outside of an ability.
pub(super) fn statement_among_members(site: &Site<'_>) -> Option<Notation> {
    let written = site.written();
    let verb = *written.first()?;
    let is_word = |word: &&str| {
        (is_lowercase_word(word) || is_number(word) || word.starts_with(['"', '《'])) && !ABILITY_HEADS.contains(word)
    };
    let is_statement = is_lowercase_word(verb) && !crate::lexer::is_reserved(verb) && written.iter().all(is_word);
    let continues = match site.text {
        "to" | "into" | "onto" | "under" => true,
        "target" | "each" | "up" | "random" | "top" => written.len() == 1,
        "for" => matches!(written.get(1), Some(&("target" | "each"))),
        _ => false,
    };
    let begins_line = matches!(site.before.get(site.line().len()), Some(&("\n" | "{")));
    if !site.is_card_member() || !is_statement || !continues || !begins_line {
        return None;
    }
    let statement = format!("{} {}{}", join_tokens(&written), site.text, site.whole_line_after());
    let statement = statement.trim_end_matches(['.', ' ']);
    // A longer text has other faults, which are reported next.
    let help = format!("an effect belongs into an ability: `does {{ {statement} }}`, `when EVENT {{ {statement} }}`");
    Some(Notation::new("this is no printed fact and no ability", help))
}

/// `opponent chooses 1 { - … }`: modes that another player chooses.
pub(super) fn modes_of_another_player(site: &Site<'_>) -> Option<Notation> {
    let [number, "choose" | "chooses", subject, ..] = site.line() else { return None };
    (site.text == "{" && is_number(number) && !matches!(*subject, "," | "then" | "-")).then(|| {
        let players =
            if matches!(*subject, "player" | "opponent") { format!("each {subject}") } else { "each opponent".to_owned() };
        let help = format!(
            "ask the player by `may`: `for each one in {players} {{ (one) may discard 1 card in hand; otherwise (one) loses }}`"
        );
        Notation::new("the controller of the text chooses its modes, no other player", help)
    })
}

/// `each turn: …` on a card: a period in the place of a moment.
pub(super) fn period_for_moment(site: &Site<'_>) -> Option<Notation> {
    let [period, how @ ("each" | "every")] = *site.line() else { return None };
    (site.is_card_member() && site.text == ":" && matches!(period, "turn" | "phase" | "step")).then(|| {
        let message = format!("`{how} {period}` is a period, and an ability begins with a moment or an event");
        let rest = site.whole_line_after().trim();
        let rest = if rest.is_empty() { "…" } else { rest };
        let moment = if period == "turn" { "turn" } else { "STEP" };
        Notation::new(message, format!("write `at start of {moment}: {rest}`; what always holds is `always {{ … }}`"))
    })
}

/// `red piece gets +1 power`: two words in the place of a selection.
pub(super) fn two_words_and_gets(site: &Site<'_>) -> Option<Notation> {
    let (noun, quality) = (site.last(), site.second_last());
    let is_begin = matches!(site.line().get(2..)?, [] | [":", ..]);
    let about = two_words(&[noun, quality]).filter(|_| site.text == "gets" && is_begin)?;
    let change = format!("{about} gets {}", site.whole_line_after().trim().trim_end_matches('.'));
    let has_duration = change.contains(" until ");
    let is_member = site.is_card_member() && site.line().len() == 2;
    let help = match is_member {
        true if has_duration => format!("a change with a duration needs an event: `when … {{ {change} }}`"),
        true => format!("write `always {{ {change} }}`"),
        false => format!("write `{change}`"),
    };
    Some(Notation::new(format!("`{quality} {noun}` does not say which objects: a selection has a quantifier and one noun"), help))
}
