//! Usage hints: for a construct that is misused, the form that this game has instead, written with the names that it declares.
//!
//! The closest name to an unknown one is found by `diagnostics/closest_name.rs`.

use super::Lowering;
use super::function_builder::Local;
use super::operand::suggest_comparison;
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use crate::phrase_syntax::{Atom, as_phrase};
use fizzle_grammar::ast::{
    BinaryOp, Call, Duration, Expr, ExprKind, Head, Name, Pattern, Phrase, PhraseFilter, PhraseFilterKind, Quantifier, Span,
};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// The most bytes before a place that suggestions read.
const MAX_BYTES_READ_BEFORE: usize = 200;

/// The most ended names, and the most diagnostics, that are searched for a name.
const MAX_ENDED_NAMES: usize = 64;

impl<'a> Lowering<'a> {
    /// For the letter of a symbol in the price of a card: returns the expression of the number that was chosen for it (`x of this`), if a
    /// status of that name stores it.
    pub fn chosen_number_for(&self, letter: &str) -> Option<String> {
        let status = letter.to_lowercase();
        let upper = letter != status && letter.chars().all(|c| c.is_ascii_uppercase());
        let kept = self.names.meanings(&status).iter().any(
            |meaning| matches!(meaning, Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Number)),
        );
        let card =
            self.owner.name.strip_prefix("card ").and_then(|name| self.names.cards.get(name.trim_matches('"')))?.as_ref()?;
        let printed = self.sources.slice(card.span).contains(&format!("{{{letter}}}"));
        (upper && kept && printed && self.is_price_symbol(letter)).then(|| format!("{status} of this"))
    }

    /// Reports `{X}` in the price of an ability or of `pay`: the number of such a symbol is chosen for the price of a card only, as it is used.
    pub fn report_chosen_symbol(&mut self, price: &Expr, is_ability: bool) {
        let mut open = vec![price];
        let mut symbols: Vec<&Name> = Vec::new();
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Binary { left, right, .. } => open.extend([&**right, &**left]),
                ExprKind::Phrase(Phrase { head: Head::Group(inner), .. }) => open.push(inner),
                ExprKind::Phrase(Phrase { head: Head::Price(written), .. }) => symbols.extend(written),
                _ => {}
            }
        }
        let is_chosen = |symbol: &&Name| {
            let letter = symbol.text.as_str();
            let status = letter.to_lowercase();
            let is_number = |meaning: &Meaning| matches!(meaning, Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Number));
            letter.len() == 1
                && letter != status
                && self.names.meanings(&status).iter().any(is_number)
                && self.is_price_symbol(letter)
        };
        let (chosen, others): (Vec<&Name>, Vec<&Name>) = symbols.into_iter().partition(is_chosen);
        let Some(first) = chosen.first() else { return };
        let rest: String = others.iter().map(|symbol| format!("{{{}}}", symbol.text)).collect();
        let (base, plus) =
            if rest.is_empty() { ("generic(0)".to_owned(), String::new()) } else { (rest.clone(), format!("{rest} + ")) };
        let units = if chosen.len() == 1 { "n".to_owned() } else { format!("{} * n", chosen.len()) };
        let choice = format!("choose number from 0 to affordable(you, this, {base}, {}, 0) as n", chosen.len());
        let help = match is_ability {
            true => format!(
                "announce the number and write the ability out: `activated \"…\" {{ announce numbers {{ {choice} }}  price {plus}generic({units})  does {{ … }} }}`, with `cost {{ tap this }}` and other costs behind the price"
            ),
            false => format!("choose the number before: `{choice}`, then `pay {plus}generic({units})`"),
        };
        let message = format!("`{{{}}}` stands for a chosen number only in the price of a card", first.text);
        let problem =
            Diagnostic::new(&codes::MISPLACED_FORM, first.span, message).label("nothing chooses it here, so nothing pays it");
        self.report(problem.help(help));
    }

    /// Suggests how to say how many of a noun are meant.
    pub fn describe_count(&self, text: &str) -> String {
        match self.chosen_number_for(text) {
            Some(number) => format!("the number chosen for `{{{text}}}` in the price is `{number}`"),
            None if self.is_price_symbol(text) && text != "X" => {
                format!("`{text}` is a symbol of prices, which is written in braces: `{{{text}}}`")
            }
            None if self.is_price_symbol(text) => {
                format!("`{text}` is a symbol of prices; to let a player choose a number, write `choose number from 0 to 9 as n`")
            }
            None => format!("write `each {text}`, `1 {text}`, `up to 1 {text}` or `target {text}`"),
        }
    }

    /// Reports a verb in the past tense (`attacked`) in a pattern, and suggests the present.
    pub fn suggest_event_form(&mut self, name: &str, pattern: &Pattern, present: &str) {
        let verb = pattern.verb.text.as_str();
        let subject = self.sources.slice(pattern.subject.span).to_owned();
        let present = if subject == "you" { name } else { present };
        let problem =
            Diagnostic::new(&codes::BAD_PATTERN, pattern.verb.span, format!("`{verb}` is a past form, which names no event"));
        self.report(problem.help(format!("write the present form: `{subject} {present}`")));
    }

    /// Suggests the passive for `you discard card`, if the action has no parameter for the acting player.
    ///
    /// `by`: the parameter for the acting player, if the action has one.
    pub fn suggest_passive(&self, subject: &Expr, verb: &Name, done: &str, by: Option<&str>) -> Option<String> {
        let whose = self.sources.slice(subject.span);
        let behind = Span { start: verb.span.end, ..self.at };
        let object = self.sources.slice(behind).trim();
        let (object, clause) = object.split_once(" where ").map_or((object, None), |(object, clause)| (object, Some(clause)));
        let plain = !object.is_empty() && object.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' '));
        let object = if plain && !object.contains(" of ") { object } else { "card" };
        let (alone, further) =
            clause.map_or_else(Default::default, |clause| (format!(" where {clause}"), format!(" and {clause}")));
        // A memory counts for the controller of the object, so it needs no player.
        let counted = if self.owner.name.starts_with("memory ") { ", which counts for the controller of each" } else { "" };
        Some(match (whose, by) {
            ("you" | "opponent" | "active", Some(by)) => {
                format!(
                    "`{object} {done} where {by} is {whose}{further}`; for what `{whose}` has, write `{object} of {whose} {done}{alone}`"
                )
            }
            ("you" | "opponent" | "active", None) => {
                format!(
                    "`{object} of {whose} {done}{alone}`; to test who caused it, write `{object} {done} where cause_player is {whose}{further}`"
                )
            }
            ("player" | "players", _) => format!("`{object} {done}{alone}`{counted}"),
            _ => return None,
        })
    }

    /// Reports a property or variable (`life`) at the place of an event's number, which is a different number.
    pub fn report_unrelated_number(&mut self, expr: &Expr, param: &str) -> bool {
        let text = self.sources.slice(expr.span).to_owned();
        let word = text.strip_prefix("your ").or_else(|| text.split(" of ").next()).unwrap_or("").to_owned();
        let kept = |meaning: &Meaning| matches!(meaning, Meaning::Player(_) | Meaning::Status(_) | Meaning::Property(_));
        if self.local_type(&word).is_some() || !self.names.meanings(&word).iter().any(kept) {
            return false;
        }
        let before = Span { end: expr.span.start, ..self.at };
        let event = self.sources.slice(before).trim().to_owned();
        let message = format!("the number of the event is not `{word}`");
        let problem =
            Diagnostic::new(&codes::BAD_PATTERN, expr.span, message).label("this would be compared with the number of the event");
        self.report(problem.help(format!("leave it out, or test the number: `{event}`, `{event} where {param} >= 2`")));
        true
    }

    /// Reports a comparison of prices, which have no order. Suggests to compare their numbers of units.
    pub fn report_compared_prices(&mut self, left: &'a Expr, right: &'a Expr) -> bool {
        let is_price = |lower: &mut Self, side: &'a Expr| lower.guess(side) == Some(Type::Price);
        if !is_price(self, left) && !is_price(self, right) {
            return false;
        }
        let span = Span { end: right.span.end, ..left.span };
        let units = |lower: &mut Self, side: &'a Expr| {
            let text = lower.sources.slice(side.span).to_owned();
            match is_price(lower, side) {
                true => format!("units({text})"),
                false => text,
            }
        };
        let between = self.sources.slice(Span { start: left.span.end, end: right.span.start, ..span }).trim().to_owned();
        let (one, other) = (units(self, left), units(self, right));
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, span, "prices have no order: none is less than another");
        self.report(problem.help(format!("compare how many units they have: `{one} {between} {other}`")));
        true
    }

    /// For `n = …`, where nothing is called `n`: suggests to bind the value to the name.
    pub fn suggest_let(&self, name: &Name) -> Option<String> {
        let text = self.sources.text(name.span.file);
        let behind = text.get(name.span.end as usize..)?.trim_start_matches(' ');
        let value = behind.strip_prefix('=').filter(|rest| !rest.starts_with('='))?;
        let value = value.split(['\n', ';', '}']).next()?.trim();
        let before = text.get(..name.span.start as usize)?.trim_end_matches(' ');
        let begins = before.ends_with(['\n', ';', '{', '-']);
        (begins && !value.is_empty()).then(|| format!("bind a new name with `let`: `let {} = {value}`", name.text))
    }

    /// For `a` or `the` after a preposition and before a zone: suggests to leave it out.
    pub fn suggest_without_article(&self, name: &Name) -> Option<String> {
        if !matches!(name.text.as_str(), "a" | "an" | "the") {
            return None;
        }
        let text = self.sources.text(name.span.file);
        let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        let next = word(text.get(name.span.end as usize..)?.trim_start_matches(' '));
        let before = text.get(..name.span.start as usize)?.trim_end_matches(' ');
        let before = before.rsplit([' ', '\n', '{', '(']).next()?;
        let zone = self.names.zone_id(&next).is_some();
        let preposition = matches!(before, "in" | "from" | "into" | "onto" | "to" | "of");
        (zone && preposition).then(|| format!("leave `{}` out: `{before} {next}`", name.text))
    }

    /// For `A.life`: suggests `life of A`, if the part before the dot is a value.
    pub fn suggest_of(&self, name: &Name) -> Option<String> {
        let (whose, what) = name.text.split_once('.')?;
        let is_value = self.local_type(whose).is_some() || matches!(whose, "this" | "it" | "you" | "opponent" | "active");
        (is_value && !what.contains('.')).then(|| format!("{what} of {whose}"))
    }

    /// The text before a place, as far as suggestions read it.
    pub fn text_before(&self, span: Span) -> &str {
        let before = self.sources.text(span.file).get(..span.start as usize).unwrap_or("");
        before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_BYTES_READ_BEFORE))..).unwrap_or("")
    }

    /// For `noncreature` and `untapped`, where the rest of the word has a meaning: how to say that an object is none.
    pub fn suggest_negation(&self, name: &Name) -> Option<String> {
        let word = self.names.negated_word(&name.text)?;
        let before = self.text_before(name.span).trim_end();
        Some(match before.ends_with(" is") && !before.ends_with(" that is") {
            true => format!("write `is not {word}`"),
            false => format!("write `without {word}` behind the noun, or `that is not {word}`"),
        })
    }

    /// Reports `A has won`, `B has lost`: the end of the game in the place of a keyword.
    pub fn report_end_of_game(&mut self, player: &Expr, word: &Name) -> bool {
        if !matches!(word.text.as_str(), "won" | "lost") || self.guess(player) != Some(Type::Player) {
            return false;
        }
        let who = self.sources.slice(player.span).trim();
        let test = if word.text == "won" { format!("has_won({who})") } else { format!("not is_playing({who})") };
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, word.span, format!("`{}` is not what a player has", word.text));
        self.report(problem.help(format!("write `{test}`")));
        true
    }

    /// For `1 of seen`: how to select from a list.
    pub fn suggest_member(&mut self, span: Span) -> Option<String> {
        let (number, list) = self.sources.slice(span).trim().split_once(" of ")?;
        let (number, list) = (number.to_owned(), list.to_owned());
        if self.local_type(&list).is_some() {
            self.mark_used(&list);
            return Some(format!("write a noun, and `in` before a list: `{number} card in {list}`"));
        }
        let is_pronoun = matches!(list.as_str(), "those" | "them" | "these");
        Some(match is_pronoun {
            true => format!("name the cards before with `as seen` or `let seen = …`, and write `{number} card in seen`"),
            false => format!("write the noun behind the number: `{number} card of {list}`, `{number} card in {list}`"),
        })
    }

    /// For `(it) discards 1 card`, where `it` is an object: whom the statement can have as its subject.
    pub fn suggest_acting_player(&self, call: &Call) -> Option<String> {
        let subject = call.subject.as_ref().filter(|subject| self.guess(&subject.who) == Some(Type::Object))?;
        let written = without_parentheses(self.sources.slice(subject.span).trim());
        let statement = self.sources.slice(Span { start: call.verb.span.start, ..call.span }).trim();
        if written == "it"
            && let Some(help) = self.suggest_named_player(subject.span, &format!("(chosen) {statement}"))
        {
            return Some(format!("`it` is an object, and who acts is a player: {help}"));
        }
        let is_player = |local: &&Local| {
            matches!(local.ty, Some(Type::Player | Type::Thing))
                && !super::pattern::CAUSE_PARAMS.iter().any(|(name, _)| *name == local.name)
        };
        let players = self.funs.iter().flat_map(|fun| &fun.locals).filter(is_player);
        let mut forms: Vec<String> = players.take(2).map(|local| format!("`({}) {statement}`", local.name)).collect();
        forms.dedup();
        forms.push(format!("`(controller of {written}) {statement}`"));
        Some(format!("`{written}` is an object, and who acts is a player: write {}", forms.join(" or ")))
    }

    /// Reports `hand or graveyard` where one zone is needed.
    pub fn report_several_zones(&mut self, left: &Expr, right: &Expr) {
        let whole = left.span.to(right.span);
        let before = self.text_before(whole);
        let line = before.rsplit(['{', '}', ';', '\n']).next().unwrap_or("").trim();
        let zones: Vec<&str> = self.sources.slice(whole).split(" or ").map(str::trim).collect();
        let is_event = line.split(' ').any(|word| matches!(word, "when" | "whenever" | "if")) && !line.contains([':', ',']);
        let end = if line.contains(" would ") { ", instead: …" } else { ": …" };
        let (message, help) = match is_event {
            true => {
                let abilities: Vec<String> = zones.iter().map(|zone| format!("`{line} {zone}{end}`")).collect();
                (
                    "an event names one zone, and this is a second one",
                    format!("write an ability for each: {}", abilities.join(", ")),
                )
            }
            false => (
                "one zone is needed here, and these are several",
                format!("name one, `{}`, or let a condition decide: `if COND {{ … }} otherwise {{ … }}`", zones[0]),
            ),
        };
        self.report(Diagnostic::new(&codes::TYPE_MISMATCH, whole, message).help(help));
    }

    /// For `opponent` in a condition, in a game with several opponents: the condition on one of them. `None` elsewhere.
    pub fn suggest_condition_on_opponent(&self, opponent: Span) -> Option<String> {
        let before = self.text_before(opponent);
        let clause = before.rsplit(['{', '}', ';', '\n', ':', ',']).next().unwrap_or("");
        let begin = [" if ", " while ", " where "].iter().filter_map(|word| Some(clause.rfind(word)? + word.len())).max();
        let first = ["if ", "while "].iter().find(|word| clause.starts_with(*word)).map(|word| word.len());
        let condition = clause.get(begin.or(first)?..)?;
        let behind = self.sources.text(opponent.file).get(opponent.end as usize..)?;
        let behind = behind.split(['{', '}', ';', '\n', ':', ',']).next().unwrap_or("").trim_end();
        if let Some(help) = self.suggest_test_for_opponent(condition, behind) {
            return Some(help);
        }
        let is_balanced = behind.matches('(').count() == behind.matches(')').count();
        // `life of opponent < 5` is a comparison of a property of the player
        let property = condition.strip_suffix(" of ").filter(|word| word.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'));
        let number = behind.trim_start();
        Some(match property {
            Some(property) if number.starts_with(['<', '>', '=', '!']) && !number.contains([' ', '(']) => {
                format!("write `some opponent with {property} {number}`")
            }
            Some(property) if number.starts_with(['<', '>', '=', '!']) && number.split(' ').count() == 2 => {
                format!("write `some opponent with {property} {number}`")
            }
            _ if is_balanced && condition.matches('(').count() == condition.matches(')').count() => {
                format!("write `some opponent that ({condition}candidate{behind})`")
            }
            _ => "write `some opponent that (COND)`, with `candidate` for that player".to_owned(),
        })
    }

    /// For `opponent` as the subject of a statement, in a game with several opponents: the subjects that there are.
    pub fn suggest_subject(&self, opponent: Span) -> Option<String> {
        let before = self.text_before(opponent).trim_end_matches(' ');
        let begins = before.ends_with(['{', '\n', ';', ':']) || before.ends_with(" then");
        let behind = self.sources.text(opponent.file).get(opponent.end as usize..)?;
        let verb: String = behind.strip_prefix(' ')?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_verb =
            verb == "may" || verb.split('_').any(|part| part.ends_with('s')) && !matches!(verb.as_str(), "gets" | "becomes");
        (begins && is_verb).then(|| {
            format!(
                "write `each opponent {verb} …`, `(1 opponent) {verb} …` (a choice) or `(target opponent) {verb} …`, or name the player"
            )
        })
    }

    /// For a name whose block has ended: how to use it. Such a name is not reported as unused.
    pub fn suggest_longer_scope(&mut self, name: &Name) -> Option<(String, Span)> {
        let mut ended = self.funs.iter().rev().flat_map(|fun| fun.ended_names.iter().rev()).take(MAX_ENDED_NAMES);
        let span = ended.find(|(ended, _)| *ended == name.text).map(|(_, span)| *span)?;
        let is_unused = |problem: &Diagnostic| problem.code.code == codes::UNUSED.code && problem.span == span;
        let recent = self.diagnostics.len().saturating_sub(MAX_ENDED_NAMES);
        if let Some(at) = self.diagnostics.iter().skip(recent).position(is_unused) {
            self.diagnostics.remove(recent + at);
        }
        Some((
            format!(
                "`{0}` ends with the block in which it is named: use it there, or name it before the block: `choose … as {0}`",
                name.text
            ),
            span,
        ))
    }

    /// For quotes around what has no such name: an ability, which a keyword can grant, or a word of an open set.
    pub fn suggest_for_quoted(&self, name: &Name) -> Option<String> {
        let text = name.text.as_str();
        if !name.is_quoted() {
            return None;
        }
        if text.contains(' ') && text.contains([':', '{']) {
            return Some(format!(
                "an ability is granted by a keyword: declare `keyword NAME {{ {text} }}` outside of the card, and write its name"
            ));
        }
        let sets: Vec<&str> = self.names.traits.iter().filter(|set| set.words.is_none()).map(|set| set.name.as_str()).collect();
        let (first, others) = sets.split_first()?;
        let others = others.iter().map(|set| format!("`{set}`")).collect::<Vec<_>>().join(", ");
        let others = if others.is_empty() { others } else { format!(" (other open sets: {others})") };
        Some(format!("declare it as a word that cards print: `traits {first} adds {{ \"{text}\" }}`{others}"))
    }

    /// For an attribute before its noun, which was read as an adverb: `tapped permanent`.
    pub fn suggest_one_noun(&self, adverb: &Name) -> Option<String> {
        let before = self.text_before(adverb.span).trim_end_matches(' ');
        let begin = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let first = before.get(begin..)?;
        if adverb.text == "card" && self.is_noun(first) {
            return Some(format!("one noun is enough, so leave `card` out: `{first} in ZONE`"));
        }
        crate::call_syntax::attribute_behind_noun(self.names, first, &adverb.text)
    }

    /// Whether a word is a number of each object.
    fn is_number_of_objects(&self, word: &str) -> bool {
        let is_number = |meaning: &Meaning| match meaning {
            Meaning::Property(_) => true,
            Meaning::Status(n) => self.names.types[1].get(usize::from(*n)) == Some(&Type::Number),
            _ => false,
        };
        self.local_type(word).is_none() && self.names.meanings(word).iter().any(is_number)
    }

    /// For a noun behind a number of one object (`power of piece`): the aggregates of it.
    pub fn suggest_aggregate(&self, noun: &str, span: Span) -> Option<String> {
        let before = self.text_before(span).trim_end().strip_suffix(" of")?;
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        self.is_number_of_objects(word).then(|| aggregates(word, noun))
    }

    /// For a number of several objects (`atk of monster of you`): the aggregates of it. `whole`: the phrase.
    pub fn report_number_of_several(&mut self, word: &Name, of: &Atom<'a>, whole: Span) -> bool {
        let is_selection = of.word().is_some_and(|noun| self.is_noun(&noun.text));
        if !is_selection || !self.is_number_of_objects(&word.text) {
            return false;
        }
        let several = self.sources.slice(Span { start: of.span().start, ..whole }).to_owned();
        let message = format!("`{several}` can be several objects, and `{}` is a number of one", word.text);
        let help = aggregates(&word.text, &several);
        self.report(
            Diagnostic::new(&codes::TYPE_MISMATCH, word.span, message)
                .help(help)
                .help(format!("or name one object: `{} of this`, `choose 1 {several} as chosen`", word.text)),
        );
        true
    }

    /// For a quoted number: the number.
    pub fn quoted_number(name: &Name) -> Option<&str> {
        let is_number = !name.text.is_empty() && name.text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(name.text.as_str())
    }

    /// Reports `this enters field or attacks`: a second verb at the place of the object.
    pub fn report_second_event(&mut self, pattern: &Pattern) -> bool {
        let Some(ExprKind::Binary { op: BinaryOp::Or, left, right }) = pattern.object.as_ref().map(|object| &object.kind) else {
            return false;
        };
        let Some(verb) = crate::phrase_syntax::bare_word(right) else { return false };
        let is_event = |name: &SmolStr| crate::verb_forms::is_third_person_of(name, &verb.text);
        let is_verb = self.names.actions.keys().any(is_event) || self.names.plays.keys().any(is_event);
        if !is_verb || self.is_noun(&verb.text) {
            return false;
        }
        let subject = self.sources.slice(pattern.subject.span).to_owned();
        let first = format!("{subject} {} {}", pattern.verb.text, self.sources.slice(left.span));
        let message = "an ability waits for one event, and this is a second one";
        let problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span, message);
        self.report(problem.help(format!("write two abilities: `when {first}: …`, `when {subject} {}: …`", verb.text)));
        true
    }

    /// For a printed fact whose value the next line continues with its sign: how the two are separated.
    pub fn suggest_ended_fact(&self, call: &Call) -> Option<String> {
        let word = &call.verb.text;
        let is_fact = self.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Property(_)));
        let written = self.sources.slice(call.span);
        // `power 3  {T}: …`: the facts before an ability were read as its costs.
        let is_member = !self.text_before(call.span).rsplit('\n').next().unwrap_or("").contains(['(', ':']);
        if is_fact && is_member && !written.contains('\n') {
            return Some(format!("`{word}` is a printed fact: write the ability behind it on a new line or after `;`"));
        }
        let sign =
            written.split('\n').skip(1).find_map(|line| line.trim_start().chars().next().filter(|c| matches!(c, '+' | '-')));
        let sign = sign.filter(|_| is_fact)?;
        let keyword = self.names.keywords.iter().find(|(_, keyword)| keyword.with_body && keyword.params.len() == 1);
        let keyword = keyword.map_or("KEYWORD", |(name, _)| name.as_str());
        Some(format!(
            "`{sign}` at the beginning of the next line continues the value of `{word}`: write the keyword of that number first, `{keyword} {sign}1: …`"
        ))
    }

    /// For `create 2 "NAME"` without a zone: the whole statement, with the field as its zone.
    pub fn suggest_created(&self, call: &Call) -> Option<String> {
        let zone = self.names.field_zone()?;
        let written = self.sources.slice(call.operands.first()?.span).trim();
        let (count, what) = written.split_once([' ', '\n']).filter(|_| !written.starts_with('"')).unwrap_or(("", written));
        let what = if what.starts_with(['"', '《']) { what.trim() } else { "\"TOKEN\"" };
        let count = crate::diagnostics::word_suggestions::number_word(count).map_or_else(|| count.to_owned(), |n| n.to_string());
        let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        Some(match count.as_str() {
            count if is_number && count != "1" => format!("write `{count} times {{ create {what} into {zone} }}`"),
            _ => format!("write `create {what} into {zone}`"),
        })
    }

    /// Reports `each A and each B` as the value of a name: `and` joins conditions, so that the name would be one.
    pub fn report_lists_joined_by_and(&mut self, value: &Expr) -> bool {
        let mut parts = Vec::new();
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Binary { op: BinaryOp::And, left, right } => open.extend([&**right, &**left]),
                _ => parts.push(expr),
            }
        }
        let is_list = |part: &&Expr| as_phrase(part).is_some_and(|phrase| matches!(phrase.quantifier, Some(Quantifier::Each)));
        if parts.len() < 2 || !parts.iter().all(is_list) {
            return false;
        }
        let nouns = parts.iter().map(|part| self.sources.slice(part.span).trim());
        let nouns: Vec<&str> = nouns.map(|noun| noun.strip_prefix("each ").unwrap_or(noun).trim()).collect();
        let problem = Diagnostic::new(
            &codes::TYPE_MISMATCH,
            value.span,
            "`and` joins conditions, so this is a condition, not the objects of both",
        );
        self.report(problem.help(format!("write one selection of both: `each ({})`", nouns.join(" or "))));
        true
    }

    /// For `one wins`, where `one` is a player or an object with this name: the statement with its subject in parentheses.
    pub fn suggest_named_subject(&self, call: &Call) -> Option<String> {
        let verb = crate::phrase_syntax::bare_word(call.operands.first()?)?;
        let is_verb = |name: &SmolStr| *name == verb.text || crate::verb_forms::is_third_person_of(name, &verb.text);
        let is_statement = crate::lower::call::statement_of(&verb.text).is_some();
        let subject = call.verb.text.as_str();
        let is_named = self.local_type(subject).is_some() && call.subject.is_none();
        (is_named && (is_statement || self.names.actions.keys().any(is_verb))).then(|| {
            let rest = self.sources.slice(Span { start: verb.span.start, ..call.span }).trim_end();
            format!("write a subject that is a name in parentheses: `({subject}) {rest}`")
        })
    }

    /// For `when this creature dies`, where the noun was read as the verb: the event without the noun.
    pub fn suggest_event_of_this(&self, pattern: &Pattern) -> Option<String> {
        let verb = crate::phrase_syntax::bare_word(pattern.object.as_ref()?)?;
        let subject = self.sources.slice(pattern.subject.span);
        let noun = &pattern.verb.text;
        let is_noun = matches!(noun.as_str(), "card" | "object") || self.is_noun(noun);
        let is_event = matches!(verb.text.as_str(), "enters" | "leaves" | "is")
            || self.names.action_of_form(&verb.text, false).is_some()
            || self.names.plays.keys().any(|play| crate::verb_forms::is_inflected_form(play, &verb.text, false));
        (matches!(subject, "this" | "it") && is_noun && is_event).then(|| {
            let rest = self.sources.slice(Span { start: verb.span.start, ..pattern.span }).trim_end();
            format!("leave `{noun}` out: `{subject} {rest}`")
        })
    }

    /// For `Goblin`, where trait sets have words that packs declare: the word in quotes.
    pub fn suggest_quotes(&self, name: &Name) -> Option<String> {
        let mut letters = name.text.chars();
        let is_capitalised = letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase);
        let has_open_set = self.names.traits.iter().any(|set| set.words.is_none());
        (is_capitalised && !name.is_quoted() && has_open_set)
            .then(|| format!("a word that only cards print is quoted: `\"{}\"`", name.text))
    }

    /// Reports a price in a game without payments.
    pub fn report_no_payment(&mut self, span: Span) {
        let problem = Diagnostic::new(&codes::MISSING_PART, span, "no payment is declared for prices");
        let problem = problem.help("in a game without units write `cost { … }` instead of `price`");
        self.report(problem.help("in a game with prices declare one: `payment NAME of TRAITS { … }`"));
    }

    /// Reports `target creature or artifact`, `target creature or target artifact`: which nouns are counted is not clear.
    pub fn report_split_choice(&mut self, parts: &[&Expr]) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let span = Span { end: last.span.end, ..first.span };
        let text = self.sources.slice(span).to_owned();
        let behind = self.sources.text(span.file).get(span.end as usize..).unwrap_or("");
        let behind: String = behind.trim_start_matches(' ').chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let help = suggest_comparison(&text, &behind)
            .or_else(|| self.grouped_choice(parts))
            .unwrap_or_else(|| "put the nouns into parentheses: `1 (A or B)`".to_owned());
        let message = format!("`{text}` does not say which noun the number counts");
        self.report(Diagnostic::new(&codes::MISPLACED_FORM, span, message).help(help));
    }

    /// Reports `creature with cost <= count of card in hand`: a filter behind the comparison belongs to the head, although it reads as if it
    /// belonged to what is counted.
    pub fn report_filter_of_counted(&mut self, filters: &[PhraseFilter]) {
        for (index, pair) in filters.windows(2).enumerate() {
            let [before, filter] = pair else { continue };
            let last = match &before.kind {
                PhraseFilterKind::With(condition) => last_aggregate(condition),
                PhraseFilterKind::Total(total) => last_aggregate(&total.amount),
                _ => None,
            };
            let Some((aggregate, over)) = last else { continue };
            // `in hand of you`
            let owners = filters.iter().skip(index + 2).take_while(|next| matches!(next.kind, PhraseFilterKind::Of(_)));
            let span = filter.span.to(owners.last().map_or(filter.span, |last| last.span));
            let text = self.sources.slice(span).to_owned();
            let counts = self.sources.slice(Span { end: over.start, ..aggregate }).to_owned();
            let counted = self.sources.slice(over).to_owned();
            let behind = self.sources.slice(Span { start: over.end, end: before.span.end, ..over }).trim_end().to_owned();
            let message = format!("it is not clear whether `{text}` is about `{counted}`");
            let problem = Diagnostic::new(&codes::MISPLACED_FORM, span, message)
                .label("as written, this belongs to the noun before `with`")
                .help(format!("if it is, put what is counted into parentheses: `{counts}({counted} {text}){behind}`"))
                .help(format!("if it is not, write it before `with`: `{text} with …`"));
            self.report(problem);
        }
    }

    /// Reports `count of creature + 1 of you`: a filter behind a number, which belongs to what is counted before it. Returns whether it is one.
    pub fn report_filter_of_number(&mut self, left: &Expr, right: &Expr) -> bool {
        let Some(Phrase { quantifier: None, head: Head::Number(number), filters, .. }) = as_phrase(right) else { return false };
        let (Some(first), Some(last), Some((aggregate, over))) = (filters.first(), filters.last(), last_aggregate(left)) else {
            return false;
        };
        let filter = first.span.to(last.span);
        let text = |span: Span| self.sources.slice(span).to_owned();
        let counts = text(Span { end: over.start, ..aggregate });
        let between = text(Span { start: over.end, end: first.span.start, ..over });
        let (filter_text, counted) = (text(filter), text(over));
        let help = format!("write it with what is counted: `{counts}({counted} {filter_text}){}`", between.trim_end());
        let message = format!("`{filter_text}` is behind the number {number}, which has no such filter");
        self.report(Diagnostic::new(&codes::MISPLACED_FORM, filter, message).help(help));
        true
    }

    /// For `target A or target B` and `target A or B`: `target (A or B)`.
    fn grouped_choice(&self, parts: &[&Expr]) -> Option<String> {
        let mut how_many = "";
        let mut nouns = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let phrase = as_phrase(part)?;
            let Head::Word(noun) = &phrase.head else { return None };
            if index == 0 {
                how_many = self.sources.slice(Span { end: noun.span.start, ..part.span });
            }
            nouns.push(self.sources.slice(Span { start: noun.span.start, ..part.span }).trim());
        }
        Some(format!("put the nouns into parentheses: `{how_many}({})`", nouns.join(" or ")))
    }

    /// Reports `it is your turn`: a turn is no object.
    pub fn report_turn_condition(&mut self, left: &Expr, right: &Expr, negated: bool) -> bool {
        let whose = match self.sources.slice(right.span) {
            "your turn" | "my turn" => "you",
            "opponent's turn" => "opponent",
            _ => return false,
        };
        let subject = self.sources.slice(left.span).to_owned();
        if !matches!(subject.as_str(), "it" | "this") {
            return false;
        }
        let not = if negated { "not " } else { "" };
        let problem = Diagnostic::new(&codes::UNCLEAR_IT, left.span, format!("`{subject}` is an object, not a turn"));
        self.report(problem.help(format!("write whose turn it is: `{whose} is {not}active`")));
        true
    }

    /// Reports `target creature cannot …`: the statement has no choice site, so the object must be chosen before it.
    pub fn report_choice_in_statement(&mut self, subject: &'a Expr, until: Option<&'a Duration>, span: Span) -> bool {
        if !is_quantified_choice(subject) {
            return false;
        }
        let text = without_parentheses(self.sources.slice(subject.span)).to_owned();
        let behind = Span { start: subject.span.end, ..span };
        let rest = self.sources.slice(behind).trim_start_matches(')').trim().to_owned();
        let message = format!("`{text}` is a choice, but no player can choose here");
        let rest = if until.is_none() { format!("{rest} until end of turn") } else { rest };
        let help = format!("choose first and name the choice: `choose {text} as chosen; chosen {rest}`");
        self.report(Diagnostic::new(&codes::CHOICE_IN_EXPRESSION, subject.span, message).help(help));
        true
    }
}

/// The numbers that several objects have together.
fn aggregates(word: &str, several: &str) -> String {
    format!("write which number: `highest {word} of {several}`, `lowest {word} of {several}`, `sum of {word} of {several}`")
}

/// For an expression that ends with `count of NOUN` without parentheses, or another aggregate, perhaps with a number behind it: the places of the
/// aggregate and of the noun.
fn last_aggregate(expr: &Expr) -> Option<(Span, Span)> {
    match &expr.kind {
        ExprKind::Binary { left, right, op } => {
            let counted = if is_arithmetic(*op) && is_literal(right) { left } else { right };
            last_aggregate(counted)
        }
        ExprKind::Negative(inner) => last_aggregate(inner),
        ExprKind::Aggregate { over, .. } => {
            let is_grouped = matches!(as_phrase(over), Some(Phrase { head: Head::Group(_), .. }));
            (!is_grouped).then_some((expr.span, over.span))
        }
        _ => None,
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, DivideDown, DivideUp, Multiply, Subtract};
    matches!(op, Add | Subtract | Multiply | DivideDown | DivideUp)
}

/// Whether an expression is a number, to which no filter belongs.
fn is_literal(expr: &Expr) -> bool {
    matches!(as_phrase(expr), Some(Phrase { quantifier: None, head: Head::Number(_), filters, .. }) if filters.is_empty())
}

/// Whether an expression is a choice: `1 …`, `up to 1 …`, `target …`.
pub(super) fn is_quantified_choice(subject: &Expr) -> bool {
    match as_phrase(subject) {
        Some(Phrase { quantifier: None, head: Head::Group(inner), .. }) => is_quantified_choice(inner),
        Some(Phrase { quantifier: Some(quantifier), .. }) => {
            matches!(
                quantifier,
                Quantifier::Exactly(_) | Quantifier::UpTo(_) | Quantifier::Target { .. } | Quantifier::Range { .. }
            )
        }
        _ => false,
    }
}

/// A text without the parentheses around all of it: `target creature` for `(target creature)`, but `that (red or blue)` as it is.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_usize;
    for char in inner.chars() {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return text,
            ')' => depth -= 1,
            _ => {}
        }
    }
    inner
}
