//! Explains syntax errors inside of calls and printed facts by what the verb or keyword takes.
//!
//! The parser knows no verbs: it stops at a token that no call can continue with. Here the verb is known, so that the message names what is wrong,
//! and the suggestion shows how the verb is written.

use crate::diagnostics::{Diagnostic, allow_comparisons, closest, codes, has_details};
use crate::lower::call::STATEMENTS;
use crate::names::{Meaning, NameTable};
use crate::sources::Sources;
use crate::verb_forms::is_third_person_of;
use crate::verb_usage::{split_counting_name, takes_number, takes_second_operand, usage};
use fizzle_grammar::ast::Span;
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::{SyntaxError, SyntaxErrorKind};
use fizzle_ir::Type;
use fizzle_ir::verbs::{CREATE, VERBS};

/// The most bytes of a statement that are read before an error.
const MAX_STATEMENT_BYTES: usize = 1024;

/// How the message about a second statement in a line begins.
pub const SECOND_STATEMENT: &str = "a second statement begins with";

/// Words that look like prepositions of a verb, but are none in the language.
const FOREIGN_PREPOSITIONS: [&str; 9] = ["on", "at", "with", "against", "upon", "over", "between", "among", "than"];

/// Items whose blocks contain statements, and how many braces are open there.
const STATEMENT_ITEMS: [(&str, usize); 9] = [
    ("card", 2),
    ("token", 2),
    ("keyword", 2),
    ("rule", 2),
    ("play", 2),
    ("format", 2),
    ("action", 1),
    ("setup", 1),
    ("state", 1),
];

/// Adds to a diagnostic of a syntax error what the game declares.
#[must_use]
pub fn explain(problem: Diagnostic, error: &SyntaxError, names: &NameTable<'_>, sources: &Sources) -> Diagnostic {
    // beyond the listed diagnostics only the place is needed
    let is_of_parser = matches!(
        error.kind,
        SyntaxErrorKind::Notation { .. } | SyntaxErrorKind::Expected { .. } | SyntaxErrorKind::Reserved { .. }
    );
    let site = if is_of_parser && has_details() { CallSite::of(error, sources) } else { None };
    let Some(site) = site else { return problem };
    if let Some(help) = site.pattern_help(names).or_else(|| site.attribute_help(names, &problem)) {
        return Diagnostic { help: vec![help], ..problem };
    }
    let is_generic = error.help.as_ref().is_none_or(|help| help.starts_with("a verb is one word"));
    match error.kind {
        SyntaxErrorKind::Notation { .. } if problem.message.ends_with("not a condition") => {
            let help = problem.help.iter().map(|help| with_joined_verbs(help, names)).collect();
            Diagnostic { help, ..problem }
        }
        SyntaxErrorKind::Notation { .. } if problem.message.ends_with("whose an object is") => {
            let help = problem.help.iter().map(|help| with_known_nouns(help, names)).collect();
            Diagnostic { help, ..problem }
        }
        SyntaxErrorKind::Notation { .. } => site.keyword_help(problem, names),
        SyntaxErrorKind::Expected { .. } | SyntaxErrorKind::Reserved { .. } => {
            match site.explain_call(names, error.span, is_generic) {
                Some(better) if site.is_behind_colon => {
                    Diagnostic { help: better.help.iter().map(|help| with_statements_in_braces(help)).collect(), ..better }
                }
                Some(better) => better,
                None => problem,
            }
        }
        _ => problem,
    }
}

/// A text in which `sent to graveyard` is written as one verb, if the game has an action of this name.
fn with_joined_verbs(text: &str, names: &NameTable<'_>) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut at = 0;
    while let Some([verb, to, object]) = words.get(at..at + 3) {
        let plain = object.trim_end_matches(|c: char| !c.is_alphanumeric());
        let joined = format!("{verb}_{to}_{plain}");
        let is_verb = to == "to" && allow_comparisons(names.actions.len()) && names.action_of_form(&joined, true).is_some();
        // `draw 1 card` of an action that takes the number alone
        let counts = plain == "card"
            && to.bytes().all(|c| c.is_ascii_digit())
            && names.actions.get_full(verb.trim_start_matches('`')).is_some_and(|(action, _, signature)| {
                takes_number(names, action) && signature.params.iter().all(|(_, ty)| matches!(ty, Type::Number | Type::Player))
            });
        let behind = object.get(plain.len()..).unwrap_or("").to_owned();
        if is_verb {
            words.splice(at..at + 3, [joined + &behind]);
        } else if counts {
            let number = to.clone() + &behind;
            words.splice(at + 1..at + 3, [number]);
        }
        at += 1;
    }
    words.join(" ")
}

/// A text in which a zone or a variable of players is no noun: `no shield of you` is `no card in your shields`, and `count of life of you` is
/// `life of you`.
fn with_known_nouns(text: &str, names: &NameTable<'_>) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let has = |word: &str, wanted: fn(&Meaning) -> bool| names.meanings(word).iter().any(wanted);
    let is_noun = |word: &str| has(word, |meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..)));
    let zone_of = |word: &str| {
        let zones = [word.to_owned(), format!("{word}s")];
        zones.into_iter().find(|zone| names.zone_id(zone).is_some()).filter(|_| !is_noun(word))
    };
    let mut out = text.to_owned();
    for (at, parts) in words.windows(3).enumerate() {
        let [noun, "of", player] = *parts else { continue };
        // `card in hand of you` names the zone already.
        if at.checked_sub(1).and_then(|before| words.get(before)) == Some(&"in") {
            continue;
        }
        let (noun, owner) = (noun.trim_start_matches('`'), player.trim_end_matches(['`', ')']));
        if has(noun, |meaning| matches!(meaning, Meaning::Player(_))) {
            let value = format!("{noun} of {owner}");
            out = out.replace(&format!("count of {value}"), &value);
            out = out.replace(&format!("some {value}"), &format!("{value} >= 1"));
            out = out.replace(&format!("no {value}"), &format!("{value} == 0"));
        } else if let Some(zone) = zone_of(noun) {
            let place = if owner == "you" { format!("your {zone}") } else { format!("{zone} of {owner}") };
            out = out.replace(&format!("{noun} of {owner}"), &format!("card in {place}"));
        }
    }
    out
}

/// A suggestion of several statements, for the place behind a colon, where one statement stands.
fn with_statements_in_braces(help: &str) -> String {
    let Some((what, code)) = help.split_once(": `").and_then(|(what, code)| Some((what, code.strip_suffix('`')?))) else {
        return help.to_owned();
    };
    if !code.contains("; ") {
        return help.to_owned();
    }
    let what = if what == "write it on a new line or after `;`" { "write both" } else { what };
    format!("{what}, in braces without the colon: `{{ {code} }}`")
}

/// The first word of an item that is not documentation: its keyword.
fn keyword_of_item(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.next()?.split(|c: char| !c.is_alphanumeric()).next().filter(|word| !word.is_empty())
}

/// A call or printed fact in which parsing stopped.
struct CallSite<'t> {
    text: &'t str,
    /// The tokens of the statement before the position, without blanks.
    words: Vec<Token>,
    /// The token at the position.
    found: Option<Token>,
    /// Whether statements are expected here.
    is_statement: bool,
    /// Whether this is the one statement behind the colon of an ability.
    is_behind_colon: bool,
}

/// Whether a text behind `until` is an event of one object: `this leaves battle`, `it is destroyed`.
fn is_event_of_object(text: &str) -> bool {
    let mut words = text.split(' ');
    let (subject, verb) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    matches!(subject, "this" | "it") && verb.ends_with('s') && verb != "has" || text.contains(" leaves ")
}

/// How an attribute is written behind its noun: `creature that is tapped`, `creature that has flying`, `creature of opponent`. `None` if the words are
/// no attribute and no noun.
pub fn attribute_behind_noun(names: &NameTable<'_>, attribute: &str, noun: &str) -> Option<String> {
    let is_noun = |meaning: &Meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..));
    if !matches!(noun, "card" | "object") && !names.meanings(noun).iter().any(is_noun) {
        return None;
    }
    if matches!(attribute, "opponent" | "opponents" | "opposing") {
        return Some(format!("write whose it is behind the noun: `{noun} of opponent`"));
    }
    let is_negated = names.meanings(attribute).is_empty() && !attribute.starts_with(['"', '《']);
    if let Some(word) = names.negated_word(attribute).filter(|_| is_negated) {
        return Some(format!("write what it is not behind the noun: `{noun} that is not {word}`"));
    }
    let is_quoted = attribute.starts_with('"') && names.traits.iter().any(|set| set.words.is_none());
    let meanings = names.meanings(attribute);
    let is_status =
        |meaning: &Meaning| matches!(meaning, Meaning::Status(n) if names.types[1].get(usize::from(*n)) == Some(&Type::Bool));
    if is_quoted || meanings.iter().any(|meaning| is_noun(meaning) || is_status(meaning)) {
        return Some(format!("write what it is behind the noun: `{noun} that is {attribute}`"));
    }
    let is_keyword = meanings.iter().any(|meaning| matches!(meaning, Meaning::Keyword(_)));
    is_keyword.then(|| format!("write what it has behind the noun: `{noun} that has {attribute}`"))
}

impl<'t> CallSite<'t> {
    fn of(error: &SyntaxError, sources: &'t Sources) -> Option<Self> {
        let text = sources.text(error.span.file);
        let start = error.span.start as usize;
        let before = text.get(..start)?;
        let keyword = keyword_of_item(before)?;
        // the statement begins behind the last brace or end of a line
        let mut near = before.len().saturating_sub(MAX_STATEMENT_BYTES);
        while !before.is_char_boundary(near) {
            near += 1;
        }
        let near = before.get(near..)?.rfind(['\n', ';']).map_or(near, |end| near + end);
        let end = (error.span.end as usize).max(start);
        // a price opens and closes its braces
        let count = |brace: u8| before.bytes().filter(|byte| *byte == brace).count();
        let depth = count(b'{').saturating_sub(count(b'}'));
        let is_member = depth == 1 && matches!(keyword, "card" | "token");
        let (mut words, mut found): (Vec<Token>, Option<Token>) = (Vec::new(), None);
        let mut is_behind_colon = false;
        for token in tokens(text.get(near..end)?) {
            let token = Token { start: token.start + near as u32, end: token.end + near as u32, ..token };
            if token.start as usize >= start {
                found = (token.kind != TokenKind::Blank).then_some(token);
                break;
            }
            match token.kind {
                TokenKind::Blank | TokenKind::Comment | TokenKind::Doc => {}
                TokenKind::Newline | TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace => {
                    words.clear();
                    is_behind_colon = false;
                }
                TokenKind::Colon if is_member => {
                    words.clear();
                    is_behind_colon = true;
                }
                _ => words.push(token),
            }
        }
        let is_statement = is_behind_colon || STATEMENT_ITEMS.iter().any(|(item, least)| *item == keyword && depth >= *least);
        (is_statement || is_member).then_some(Self { text, words, found, is_statement, is_behind_colon })
    }

    fn word(&self, at: usize) -> &'t str {
        self.words.get(at).map_or("", |token| token.text(self.text))
    }

    /// The text from one token of the statement to another one, both included.
    fn slice(&self, from: usize, to: usize) -> &'t str {
        let (Some(from), Some(to)) = (self.words.get(from), self.words.get(to)) else { return "" };
        self.text.get(from.start as usize..to.end as usize).unwrap_or("")
    }

    /// The rest of the line from the position on.
    fn rest(&self) -> &'t str {
        let from = self.found.map_or(self.text.len(), |token| token.start as usize);
        let rest = self.text.get(from..).unwrap_or("");
        let line = rest.split(['\n', ';', '}']).next().unwrap_or("");
        line.split("//").next().unwrap_or("").trim_end()
    }

    /// How to write a pattern that stops at a second noun, or at `becomes target of`.
    fn pattern_help(&self, names: &NameTable<'_>) -> Option<String> {
        let when = self.words.iter().rposition(|token| matches!(token.text(self.text), "when" | "whenever"))?;
        let last = self.words.len().checked_sub(1).filter(|last| *last > when + 1)?;
        let (before, previous) = (last.checked_sub(1).map_or("", |at| self.word(at)), self.word(last));
        let found = self.found?.text(self.text);
        if matches!(before, "becomes" | "become") && previous == "target" && found == "of" {
            let subject = self.slice(when, last - 2);
            return Some(format!("write `{subject} is targeted`"));
        }
        let is_noun =
            |word: &str| names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..)));
        (is_noun(previous) && is_noun(found))
            .then(|| format!("write the second noun as a condition: `{previous} that is {found}`"))
    }

    /// How to write an attribute that stands before its noun: `each tapped creature`, where the parser stops at the noun or behind it.
    fn attribute_help(&self, names: &NameTable<'_>, problem: &Diagnostic) -> Option<String> {
        // Helps that say only how the line could continue.
        let is_vague = |help: &String| {
            ["write the block of", "write a permanent change", "a verb is one word"].iter().any(|start| help.starts_with(start))
        };
        if !problem.help.iter().all(is_vague) {
            return None;
        }
        let last = self.words.len().checked_sub(1)?;
        let found = self.found.map_or("", |token| token.text(self.text));
        let behind = || attribute_behind_noun(names, self.word(last.checked_sub(1)?), self.word(last));
        // `fire creature of you gets …`
        let owned = || {
            let of =
                self.words.iter().rposition(|token| token.text(self.text) == "of").filter(|of| *of > 1 && found == "gets")?;
            let (attribute, noun) = (self.word(of - 2), self.word(of - 1));
            // The facts of the card may stand in the same line.
            let begins = format!("`always {{ {attribute} {noun} of");
            problem.help.iter().any(|help| help.contains(&begins)).then(|| attribute_behind_noun(names, attribute, noun))?
        };
        attribute_behind_noun(names, self.word(last), found).or_else(behind).or_else(owned)
    }

    /// The index of the verb: the first word after the subject and `may`.
    fn verb_at(&self) -> usize {
        let subject = match (self.word(0), self.word(1), self.word(2)) {
            ("each", "other", "player" | "opponent") => 3,
            ("each", "player" | "opponent", _) | ("your" | "its", _, _) => 2,
            ("you" | "opponent" | "active" | "this" | "it", _, _) => 1,
            _ => 0,
        };
        subject + usize::from(self.word(subject) == "may")
    }

    /// Shows how a keyword with values is written, in an error about a member without meaning.
    fn keyword_help(&self, problem: Diagnostic, names: &NameTable<'_>) -> Diagnostic {
        let is_preposition = |token: &Token| matches!(token.text(self.text), "of" | "from" | "with" | "for");
        let Some(at) = self.words.iter().position(is_preposition).filter(|at| *at > 0) else { return problem };
        let first = self.word(at - 1);
        let joined = format!("{first}_{}", self.word(at));
        let Some((name, keyword)) = [joined.as_str(), first].into_iter().find_map(|word| names.keywords.get_key_value(word))
        else {
            return problem;
        };
        if self.is_statement || !problem.message.ends_with("no printed fact and no ability") {
            return problem;
        }
        let given = match self.words.len().checked_sub(1) {
            Some(last) if last > at => self.slice(at + 1, last),
            _ => self.found.map_or("", |token| token.text(self.text)),
        };
        let mut problem = problem;
        problem.help = vec![match keyword.params.as_slice() {
            [] => format!("`{name}` takes no value: write it alone"),
            params => {
                let values: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
                let values = if params.len() == 1 { given.to_owned() } else { values.join(", ") };
                format!("write the value of a keyword in parentheses: `{name}({values})`")
            }
        }];
        problem
    }

    /// The diagnostic of an error in a call. `is_generic`: the parser has no separate suggestion.
    fn explain_call(&self, names: &NameTable<'_>, span: Span, is_generic: bool) -> Option<Diagnostic> {
        if let Some(problem) = self.explain_subject(names, span).filter(|_| is_generic && self.is_statement) {
            return Some(problem);
        }
        let at = self.verb_at();
        let verb = self.words.get(at).filter(|token| self.is_statement && token.kind == TokenKind::Word)?;
        let word = verb.text(self.text);
        let found = self.found.map_or("", |token| token.text(self.text));
        let is_call = word.chars().all(|c| c.is_lowercase() || c == '_') && !fizzle_grammar::lexer::is_reserved(word);
        let has_other_form =
            matches!(self.word(at + 1), "gets" | "get" | "becomes" | "cannot" | "must" | "times" | "gains" | "have");
        let is_other =
            matches!(word, "when" | "whenever" | "if" | "while" | "let" | "for" | "choose" | "window" | "declare" | "trigger");
        if !is_call || is_other || has_other_form || found == "gets" {
            return None;
        }
        match self.action_named(names, word) {
            Some(action) => self.explain_known(names, action, at, span, is_generic),
            None if is_generic && !STATEMENTS.iter().any(|name| *name == word || is_third_person_of(name, word)) => {
                self.explain_unknown(names, at, span)
            }
            None => None,
        }
    }

    /// A subject that is not written as one: `one draws 1`, `1 creature fights 1 creature`, `each player that (…) draws 3`.
    fn explain_subject(&self, names: &NameTable<'_>, span: Span) -> Option<Diagnostic> {
        let last = self.words.len().checked_sub(1)?;
        let of = |token: &Token| Span { start: token.start, end: token.end, ..span };
        let is_form = |name: &str, word: &str| is_third_person_of(name, word);
        // `deals 1 damage`: the name of the action has the noun that is counted
        let counts = |action, word: &str| split_counting_name(action).is_some_and(|(verb, _)| is_form(verb, word));
        let action_of = |word: &str| {
            let actions = || names.actions.iter();
            actions().find(|(name, _)| is_form(name, word)).or_else(|| actions().find(|(_, action)| counts(*action, word)))
        };
        let rest = self.rest();
        // `one draws 1`: the name was read as the verb
        if last == 1 && self.words.iter().all(|token| token.kind == TokenKind::Word) && names.meanings(self.word(0)).is_empty() {
            let (subject, verb) = (self.word(0), self.word(1));
            let is_name = !fizzle_grammar::lexer::is_reserved(subject) && !STATEMENTS.contains(&subject);
            return (is_name && action_of(verb).is_some()).then(|| {
                let message = format!("`{subject}` is the subject of a statement, not its verb");
                let help = format!("write a subject that is a name in parentheses: `({subject}) {verb} {rest}`");
                Diagnostic::new(&codes::SYNTAX, self.words.first().map_or(span, of), message).help(help)
            });
        }
        let found = self.found.filter(|token| token.kind == TokenKind::Word)?.text(self.text);
        let first = self.words.first()?;
        let begins_selection =
            first.kind == TokenKind::Number || matches!(first.text(self.text), "each" | "target" | "all" | "up" | "random");
        let (name, action) = action_of(found).filter(|_| begins_selection && self.is_statement)?;
        let subject = self.slice(0, last);
        let object = rest.get(found.len()..).unwrap_or("").trim();
        let (first_param, second_param) = (action.params.first()?.1, action.params.get(1).map(|(_, ty)| *ty));
        let message = format!("a selection is no subject of `{found}`");
        let is_each = matches!(first.text(self.text), "each" | "all");
        let each = subject.strip_prefix("all ").map_or_else(|| subject.to_owned(), |rest| format!("each {rest}"));
        let help = match (first_param, second_param) {
            (Type::Object | Type::Thing, Some(Type::Object | Type::Thing)) if !is_each && !object.is_empty() => {
                format!("write both as operands: `{name}({subject}, {object})`")
            }
            _ if is_each => format!("write a loop: `for each one in {each} {{ (one) {rest} }}`"),
            _ => format!("name the chosen one first: `choose {subject} as one`, then `(one) {rest}`"),
        };
        Some(Diagnostic::new(&codes::SYNTAX, span, message).help(help))
    }

    /// A verb that the game does not have: `special summon 1 …`.
    fn explain_unknown(&self, names: &NameTable<'_>, at: usize, span: Span) -> Option<Diagnostic> {
        let (word, next) = (self.word(at), self.word(at + 1));
        let (first, second) = (self.words.get(at)?, self.words.get(at + 1));
        let of = |token: &Token| Span { start: token.start, end: token.end, ..span };
        let message = format!("no action is called `{word}`");
        let joined = format!("{word}_{next}");
        if self.action_named(names, &joined).is_some() {
            let both = Span { end: second?.end, ..of(first) };
            let problem = Diagnostic::new(&codes::SYNTAX, both, message);
            return Some(problem.help(format!("write it as one word: `{joined}`")).fix(self.slice(at, at + 1), joined));
        }
        if let Some(controlled) = self.controlled_noun() {
            let problem = Diagnostic::new(&codes::SYNTAX, span, "`control` does not say whose an object is");
            return Some(problem.help(format!("write it with `of`: `each {controlled}`")));
        }
        if let Some(play) = [joined.as_str(), word].into_iter().find(|name| names.plays.contains_key(*name)) {
            let help = format!("`{play}` is a play, which players announce; an effect uses it by `use X by {play}`");
            return Some(Diagnostic::new(&codes::SYNTAX, of(first), message).help(help));
        }
        let problem = Diagnostic::new(&codes::UNKNOWN_VERB, of(first), message);
        let mut problem = names.add_foreign_term_help(problem, word);
        problem.code = &codes::SYNTAX;
        if problem.help.is_empty()
            && let Some(help) = crate::diagnostics::word_suggestions::verb_suggestion(word)
        {
            problem = problem.help(help);
        }
        if problem.help.is_empty()
            && allow_comparisons(names.actions.len())
            && let Some(known) = closest(word, names.actions.keys().map(smol_str::SmolStr::as_str))
        {
            problem = problem.help(format!("did you mean `{known}`?")).fix(word, known);
        }
        Some(problem.or_help("a verb is built in or an action that the game declares; `fizzle explain` lists a declared name"))
    }

    fn explain_known(&self, names: &NameTable<'_>, action: usize, at: usize, span: Span, is_generic: bool) -> Option<Diagnostic> {
        let word = self.word(at);
        let found = self.found.map_or("", |token| token.text(self.text));
        let last = self.words.len().checked_sub(1)?;
        let problem = |span: Span, message: String| Some(Diagnostic::new(&codes::SYNTAX, span, message));
        let here = |token: usize| self.words.get(token).map(|token| Span { start: token.start, end: token.end, ..span });
        let written = self.slice(0, last);
        let is_keyword = names.keywords.contains_key(self.word(at + 1));
        if found == "until" && matches!(word, "gain" | "gains") && is_keyword && at > 0 {
            let message = format!("`{word}` counts; what an object has changes by `gets`");
            let change = format!("{} gets {} {}", self.slice(0, at - 1), self.slice(at + 1, last), self.rest());
            return problem(here(at)?, message).map(|problem| problem.help(format!("write `{change}`")));
        }
        let as_long = found == "as" && self.word(last) == "for" && self.rest().starts_with("as long as");
        if found == "until" || as_long || found == "for" && self.rest().starts_with("for as long as") {
            let only = "only `gets`, `becomes`, `cannot`, `must` and `when` have an end";
            let later = match self.rest().strip_prefix("until ") {
                Some(event) if is_event_of_object(event) => {
                    let field = names.field_zone().unwrap_or("ZONE");
                    let (event, zone) = match event.rsplit_once(" leaves ") {
                        Some((_, zone)) => (event.to_owned(), zone.trim()),
                        None if event.ends_with(" leaves") => (format!("{event} {field}"), field),
                        None => (event.to_owned(), field),
                    };
                    Some(format!(
                        "bring it back later: `{written} as taken; immediately when {event} {{ put taken into {zone} }}`"
                    ))
                }
                Some(condition) if !["end of ", "start of "].iter().any(|moment| condition.starts_with(moment)) => {
                    Some(format!("if it is done a number of times, write the number: `3 times {{ {written} }}`"))
                }
                Some(moment) => {
                    // At the very end of a turn nothing resolves any more.
                    let last = names.last_period().filter(|_| moment == "end of turn");
                    let moment = last.map_or_else(|| moment.to_owned(), |last| format!("start of {last}"));
                    Some(format!("end it by a later effect: `{written} as chosen; at {moment} {{ … }}`"))
                }
                None => None,
            };
            return problem(span, format!("`{word}` takes no duration")).map(|problem| match later {
                Some(later) => problem.help(later).help(only),
                None => problem.help(only),
            });
        }
        if let Some(counted) = self.counted_by_name(names, at) {
            let (place, number, noun) = counted;
            let noun = if noun.is_empty() { String::new() } else { format!("{noun} ") };
            let end = if place > at + 1 { format!("{} ", self.slice(at + 1, place - 1)) } else { String::new() };
            return problem(here(place)?, format!("`{number}` counts nothing without parentheses")).map(|problem| {
                problem
                    .help(format!(
                        "write a number that has a name in parentheses: `{word} {end}({number}) {noun}{}`",
                        self.rest()
                    ))
                    .fix(number, format!("({number})"))
            });
        }
        let usage = usage(names, action)?;
        if last == at && (FOREIGN_PREPOSITIONS.contains(&found) || found == "of") {
            return problem(span, format!("`{word}` does not take `{found}`"))
                .map(|problem| problem.help(format!("write {usage}")));
        }
        let behind_found = self.rest().get(found.len()..).unwrap_or("").trim_start();
        let next = behind_found.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let is_complete =
            !fizzle_grammar::lexer::is_reserved(self.word(last)) || matches!(self.word(last), "it" | "this" | "you");
        let begins_statement = matches!(found, "it" | "you" | "this" | "opponent")
            && (matches!(next, "gets" | "get" | "becomes" | "may" | "cannot" | "must")
                || self.action_named(names, next).is_some()
                || STATEMENTS.iter().any(|name| *name == next || is_third_person_of(name, next)));
        if last > at && is_complete && begins_statement {
            return problem(span, format!("{SECOND_STATEMENT} `{found} {next}`"))
                .map(|problem| problem.help(format!("write it on a new line or after `;`: `{written}; {}`", self.rest())));
        }
        if !is_generic || last <= at {
            return None;
        }
        let joined = format!("{word}_{}", self.word(at + 1));
        if last == at + 1 && names.actions.contains_key(joined.as_str()) {
            let span = Span { start: here(at)?.start, ..here(last)? };
            return problem(span, format!("the name of an action is one word, and `{word}` is another action")).map(|problem| {
                problem.help(format!("write `{joined} {}`", self.rest())).fix(self.slice(at, last), joined.as_str())
            });
        }
        let is_number = self.found.is_some_and(|token| token.kind == TokenKind::Number);
        let previous = self.word(last);
        if action as u32 == CREATE && self.found.is_some_and(|token| token.kind == TokenKind::Quoted) {
            let count = Some(self.word(at + 1)).filter(|count| count.bytes().all(|c| c.is_ascii_digit()) && *count != "1");
            let created = format!("create {found} into {}", names.field_zone().unwrap_or("ZONE"));
            let written = count.map_or_else(|| created.clone(), |count| format!("{count} times {{ {created} }}"));
            return problem(here(last)?, format!("`{word}` is followed by the name of what is created, without `{previous}`"))
                .map(|problem| problem.help(format!("write `{written}`")));
        }
        if is_number
            && last == at + 1
            && takes_number(names, action)
            && self.words.get(last).is_some_and(|token| token.kind == TokenKind::Word)
        {
            let noun =
                names.actions.get_index(action).and_then(|(_, signature)| split_counting_name(signature)).map(|(_, noun)| noun);
            let noun = noun.map_or_else(String::new, |noun| format!(" {noun}"));
            return problem(span, format!("the number follows `{word}`"))
                .map(|problem| problem.help(format!("write `{}{noun}`", self.slice(0, at).to_owned() + " " + found)));
        }
        if self.action_named(names, previous).is_some() && last > at + 1 {
            let (one, other) = (self.slice(0, last - 1), format!("{previous} {}", self.rest()));
            return problem(here(last)?, format!("{SECOND_STATEMENT} `{previous}`"))
                .map(|problem| problem.help(format!("write it on a new line or after `;`: `{one}; {other}`")));
        }
        if found == "'s" && last > 0 && self.word(last - 1) == "their" {
            let (from, whose) = (here(last - 1)?, self.word(last));
            return problem(from, format!("`their {whose}` says of several objects what each has by itself")).map(|problem| {
                problem.help(format!("for one object write `its {whose}'s ZONE`; for several `for each one in … {{ put one into ZONE of {whose} of one }}`"))
            });
        }
        if FOREIGN_PREPOSITIONS.contains(&previous) {
            return problem(here(last)?, format!("`{word}` does not take `{previous}`"))
                .map(|problem| problem.help(format!("write {usage}")));
        }
        if let Some(controlled) = self.controlled_noun() {
            return problem(span, "`control` does not say whose an object is".to_owned())
                .map(|problem| problem.help(format!("write it with `of`: `{controlled}`")));
        }
        let is_open = fizzle_grammar::lexer::is_reserved(previous) && !matches!(previous, "this" | "it" | "you" | "opponent");
        if is_open {
            return None;
        }
        if self.begins_operand() && !takes_second_operand(names, action) {
            return problem(span, format!("`{word}` takes no second operand"))
                .map(|problem| problem.help(format!("write {usage}")));
        }
        if self.begins_operand() {
            let preposition = if is_number { "for" } else { self.missing_preposition(action) };
            let fixed = format!("{written} {preposition} {}", self.rest());
            return problem(span, format!("`{preposition}` is missing before `{found}`"))
                .map(|problem| problem.help(format!("write `{fixed}`")).help(format!("it is {usage}")));
        }
        if matches!(found, "cannot" | "must") {
            let message = format!("`{found}` belongs to a second statement in this line");
            return problem(span, message).map(|problem| problem.help("write each statement on a new line or after `;`"));
        }
        problem(span, format!("`{word}` does not continue with `{found}`"))
            .filter(|_| !found.is_empty() && found != "\n" && found != "}")
            .map(|problem| problem.help(format!("write {usage}")))
    }

    /// The place, the name and the noun in `discard n card in your hand` and `send top n card of deck`, where the name is meant as a number; in
    /// `destroy n target …` no noun.
    fn counted_by_name(&self, names: &NameTable<'_>, at: usize) -> Option<(usize, &'t str, &'t str)> {
        let at = match (self.word(at + 1), self.word(at + 2)) {
            ("top" | "bottom" | "random", _) => at + 1,
            ("up", "to") => at + 2,
            _ => at,
        };
        let number = self.words.get(at + 1).filter(|token| token.kind == TokenKind::Word)?.text(self.text);
        let is_noun = |word: &str| {
            word == "card" || names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..)))
        };
        let is_name = !fizzle_grammar::lexer::is_reserved(number)
            && !matches!(number, "card" | "a" | "an" | "the")
            && names.meanings(number).is_empty();
        let noun = self.word(at + 2);
        let found = self.found.map_or("", |token| token.text(self.text));
        if is_name && self.words.len() == at + 2 && matches!(found, "target" | "other") {
            return Some((at + 1, number, ""));
        }
        let continues = self.words.len() == at + 3 && matches!(found, "in" | "of" | "with" | "without" | "from" | "that");
        (is_name && is_noun(noun) && continues).then_some((at + 1, number, noun))
    }

    /// Whether the token at the position begins an operand.
    fn begins_operand(&self) -> bool {
        let Some(found) = self.found else { return false };
        let words =
            ["target", "each", "this", "it", "you", "your", "its", "opponent", "top", "bottom", "random", "up", "all", "other"];
        match found.kind {
            TokenKind::Number | TokenKind::Quoted => true,
            TokenKind::Word => words.contains(&found.text(self.text)),
            _ => false,
        }
    }

    /// The first preposition of the verb that is not written.
    fn missing_preposition(&self, action: usize) -> &'static str {
        let written = |word: &str| self.words.iter().any(|token| token.text(self.text) == word);
        let own = VERBS
            .get(action)
            .and_then(|verb| verb.params.iter().flat_map(|param| param.prepositions).find(|word| !written(word)));
        own.copied().unwrap_or("to")
    }

    /// The action that a word names, also in the third person, or without the noun that it counts if the statement has it (`deal 3 damage`).
    fn action_named(&self, names: &NameTable<'_>, word: &str) -> Option<usize> {
        if let Some(action) = names.actions.get_index_of(word) {
            return Some(action);
        }
        if word.is_empty() || !allow_comparisons(names.actions.len()) {
            return None;
        }
        let has = |noun: &str| self.words.iter().any(|token| token.text(self.text) == noun);
        names.actions.iter().position(|(name, signature)| {
            is_third_person_of(name, word)
                || split_counting_name(signature)
                    .is_some_and(|(verb, noun)| (verb == word || is_third_person_of(verb, word)) && has(noun))
        })
    }

    /// For `NOUN you control`: the noun with its owner.
    fn controlled_noun(&self) -> Option<String> {
        let whole = format!("{} {}", self.slice(0, self.words.len().checked_sub(1)?), self.rest());
        let words: Vec<&str> = whole.split_whitespace().collect();
        let at = words.windows(2).position(|pair| matches!(pair, ["you" | "opponent" | "opponents", "control" | "controls"]))?;
        let whose = words.get(at)?.trim_end_matches('s');
        let before = words.get(..at)?;
        let noun = before.iter().rev().find(|word| **word != "your")?.trim_end_matches('s');
        Some(format!("{noun} of {whose}"))
    }
}
