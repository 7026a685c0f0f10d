//! English verbs: persons, events, lasting changes.

use super::NounForm;
use super::inflection::{YOU, article, listed, participle, plural, third, verb_of};
use crate::text::lexicon::{LexiconTable, TemplatePart, same};
use crate::text::normalize::{MAY, OPERANDS};
use crate::text::render::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_runtime::ir::Type;

impl Renderer<'_> {
    /// An event as its verb says it.
    pub(in crate::text) fn event_en(&mut self, node: &TextNode) -> String {
        let verb = TextNode::new(TextNodeKind::Do, node.text.clone(), vec![], node.span);
        let (params, subject) = self.builder.parameters(&node.text);
        let passive = !node.kid(4).is_nil();
        let mut kids =
            vec![TextNode::nil(), TextNode::nil(), TextNode::new(TextNodeKind::List, "", vec![], node.span), TextNode::nil()];
        kids.extend(params.iter().map(|_| TextNode::nil()));
        let mut call = TextNode { kids, ..verb };
        // which operand the second phrase is
        let first = subject.unwrap_or(0);
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        let whom = if passive { None } else { second };
        if passive {
            if !node.kid(1).is_nil() {
                return self.gap(node);
            }
            let Some(template) = self.template_en(&call) else { return self.gap(node) };
            let (verb, part, _) = verb_of(&template);
            let part = part.map_or_else(|| participle(verb), str::to_owned);
            let subject = self.phrase_en(node.kid(0), NounForm::Usual);
            match self.mood {
                crate::text::render::Mood::Would => return self.with_condition(format!("{subject} would be {part}"), node),
                crate::text::render::Mood::Cannot => return self.with_condition(format!("{subject} can't be {part}"), node),
                crate::text::render::Mood::Happens => {}
            }
            let be = if self.is_plural(node.kid(0)) && node.kid(0).kid(0).text == "exactly" { "are" } else { "is" };
            return self.with_condition(format!("{subject} {be} {part}"), node);
        }
        if !node.kid(2).is_nil() {
            return self.gap(node);
        }
        if let Some(at) = whom.filter(|_| !node.kid(1).is_nil()) {
            call.kids[OPERANDS + at] = node.kid(1).clone();
        }
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, &call, self.builder) else { return self.gap(node) };
        let text = self.fill(&entry.parts, &found);
        let (verb, _, rest) = verb_of(&text);
        let subject = self.phrase_en(node.kid(0), NounForm::Usual);
        let you = node.kid(0).is_word("you");
        match self.mood {
            crate::text::render::Mood::Would => return self.with_condition(format!("{subject} would {verb}{rest}"), node),
            crate::text::render::Mood::Cannot => return self.with_condition(format!("{subject} can't {verb}{rest}"), node),
            crate::text::render::Mood::Happens => {}
        }
        let verb = if you { verb.to_owned() } else { third(verb) };
        self.with_condition(format!("{subject} {verb}{rest}"), node)
    }

    /// What happens to several things: `one or more creatures die`.
    pub(in crate::text) fn of_several(&mut self, event: &TextNode, text: String) -> String {
        let subject = event.kid(0);
        if subject.kid(0).text != "one_or_more" || !self.is_plural(subject) {
            return text;
        }
        let who = self.phrase_en(subject, NounForm::Usual);
        let Some((verb, rest)) = text
            .strip_prefix(&who)
            .and_then(|rest| rest.strip_prefix(' '))
            .map(|rest| rest.split_once(' ').unwrap_or((rest, "")))
        else {
            return text;
        };
        let space = if rest.is_empty() { "" } else { " " };
        format!("{who} {}{space}{rest}", plain_form(verb))
    }

    pub(in crate::text) fn with_condition(&mut self, text: String, node: &TextNode) -> String {
        if node.kid(3).is_nil() {
            return text;
        }
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { format!("{text}{}{condition}", self.style("where")) }
    }

    /// The template of a verb, whatever its operands.
    pub(in crate::text) fn template_en(&mut self, call: &TextNode) -> Option<String> {
        let mut call = call.clone();
        for at in OPERANDS..call.kids.len() {
            call.kids[at] = TextNode::nil();
        }
        let lexicon = self.lexicon;
        let (entry, _) = lexicon.find(LexiconTable::Do, &call, self.builder)?;
        match entry.parts.first() {
            Some(TemplatePart::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// A verb with its subject. Further verbs of its template are marked: `choose a card and ~discard it`.
    pub(in crate::text) fn call_en(&mut self, node: &TextNode) -> String {
        let before = std::mem::replace(&mut self.tail, true);
        let mut text = self.clause_en(node);
        self.tail = before;
        text.push_str(&self.after.take().unwrap_or_default());
        let subject = self.subject_of(node);
        let all = subject.as_ref().is_some_and(|subject| self.style("each") == "all" && subject.kid(0).text == "each");
        let third_person = subject.is_some() && !all && node.kid(MAY).is_nil();
        further(&text, third_person)
    }

    pub(in crate::text) fn clause_en(&mut self, node: &TextNode) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, node, self.builder) else { return self.gap(node) };
        self.remind(entry, &found);
        let full = !entry.pattern.kid(crate::text::normalize::SUBJECT).is_nil()
            || !matches!(entry.parts.first(), Some(TemplatePart::Text(_)));
        if full {
            let text = self.fill(&entry.parts, &found);
            let may = !node.kid(MAY).is_nil() && entry.pattern.kid(MAY).is_nil();
            return if may { format!("{} {text}", self.style("you_may")) } else { text };
        }
        let subject = self.subject_of(node);
        let target = subject.as_ref().is_some_and(|subject| subject.is_word("this"));
        let owner = match &subject {
            Some(_) if !target => Some("their".to_owned()),
            // a zone without an owner is every player's
            _ => None,
        };
        let text_subject = subject.as_ref().map(|subject| self.phrase_en(subject, NounForm::Usual));
        let before = std::mem::replace(&mut self.owner, owner);
        let text = self.fill(&entry.parts, &found);
        self.owner = before;
        let never_ordered = text.starts_with(YOU);
        let (verb, _, rest) = verb_of(&text);
        let may = !node.kid(MAY).is_nil();
        let all = self.style("each") == "all";
        let several = subject.as_ref().is_some_and(|subject| self.is_plural(subject) && (all || subject.kid(0).text != "each"));
        match (text_subject, may) {
            (None, true) => format!("{} {verb}{rest}", self.style("you_may")),
            (None, false) => {
                let you = self.style("you");
                let you = if you.is_empty() && never_ordered { "you" } else { you };
                if you.is_empty() { format!("{verb}{rest}") } else { format!("{you} {verb}{rest}") }
            }
            (Some(subject), true) => format!("{subject} may {verb}{rest}"),
            (Some(subject), false) if subject == "you" => format!("you {verb}{rest}"),
            (Some(subject), false) if several => format!("{subject} {verb}{rest}"),
            (Some(subject), false) => format!("{subject} {}{rest}", third(verb)),
        }
    }

    /// `X gets +1/+1 and has flying until end of turn`
    pub(in crate::text) fn gets_en(&mut self, node: &TextNode) -> String {
        let mut whom = node.kid(0).clone();
        // what several things get needs no `each`
        if whom.kind == TextNodeKind::Phrase && whom.kid(0).text == "each" && self.style("gets_each") == "none" {
            whom.kids[0] = TextNode::nil();
        }
        let mut several = self.is_plural(&whom);
        let all = self.style("each") == "all" && whom.kid(0).text == "each";
        let every = several && (all || whom.kid(0).is_nil() || !self.style("gets_each").is_empty());
        let mut subject = if every { self.every_en(&whom) } else { self.phrase_en(&whom, NounForm::Plural) };
        // what is told by a pronoun is told of each of them: each creature with a counter on it
        if every && whom.kind == TextNodeKind::Phrase && subject.ends_with(" them") {
            several = false;
            subject = self.each_en(&whom);
        }
        let until = self.text(node.kid(2));
        let changes: Vec<TextNode> = node.kid(1).kids.clone();
        let gain = !until.is_empty();
        let kind = self.kind_of(&whom);
        let tail = std::mem::replace(&mut self.tail, true);
        let mut said: Vec<(String, String)> = Vec::new();
        let mut whole_kind = false;
        let mut at = 0;
        while at < changes.len() {
            let whole = |this: &mut Self, length: usize| {
                let list = TextNode::new(TextNodeKind::List, "", changes[at..at + length].to_vec(), node.span);
                this.lookup(LexiconTable::Change, &list).map(|text| (text, length))
            };
            let several_at_once = (2..=changes.len() - at).rev().find_map(|length| whole(self, length));
            let done = several_at_once.or_else(|| {
                let (text, length, still) = self.made_en(&changes[at..], several, gain, kind.as_ref())?;
                whole_kind |= still;
                Some((text, length))
            });
            let done = done.or_else(|| whole(self, 1));
            let (text, length) = done.unwrap_or_else(|| (self.change_en(&changes[at], gain), 1));
            let text = by_number(&text.replace("{their}", "{its|their}"), several);
            let (verb, _, rest) = verb_of(&text);
            let verb = if several { verb.to_owned() } else { third(verb) };
            said.push((verb, further(rest.trim(), !several)));
            at += length;
        }
        self.tail = tail;
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (verb, rest) in said {
            match groups.last_mut() {
                Some((last, rests)) if *last == verb => rests.push(rest),
                _ => groups.push((verb, vec![rest])),
            }
        }
        // a sentence that says much of it tells first how long
        let early = groups.len() > 1 && groups.iter().any(|(verb, _)| self.is_long(verb));
        let cannot = groups.iter().all(|(verb, _)| verb == "can't");
        let groups: Vec<String> = groups.into_iter().map(|(verb, rests)| format!("{verb} {}", listed(&rests))).collect();
        let all_of = if whole_kind && several { self.lexicon.styles("still").get(2).map_or("", String::as_str) } else { "" };
        let text = format!("{all_of}{subject} {}", listed(&groups));
        let after = self.after.take().unwrap_or_default();
        let until = if cannot { self.this_turn(until) } else { until };
        if early && !until.is_empty() && !text.contains(" for each ") {
            return format!("{until}, {text}{after}");
        }
        match text.rsplit_once(" for each ") {
            _ if until.is_empty() => format!("{text}{after}"),
            Some((front, back)) => format!("{front} {until} for each {back}{after}"),
            // behind a sentence in quotes nothing follows
            None if text.ends_with(".\"") => format!("{until}, {text}"),
            None => format!("{text} {until}{after}"),
        }
    }

    fn is_long(&self, verb: &str) -> bool {
        self.lexicon.styles("until_first").iter().any(|known| known == verb || third(known) == verb)
    }

    /// How long something cannot happen: `this turn`.
    pub(in crate::text) fn this_turn(&self, until: String) -> String {
        match self.lexicon.styles("this_turn") {
            [usual, short] if until == *usual => short.clone(),
            _ => until,
        }
    }

    /// The kind of card that all of these are, if they are all of one.
    pub(in crate::text) fn kind_of(&self, node: &TextNode) -> Option<TextNode> {
        let head = if node.kind == TextNodeKind::Phrase { node.kid(1) } else { node };
        (head.kind == TextNodeKind::Word && self.local(&head.text).is_none() && self.set_of(&head.text).is_some())
            .then(|| head.clone())
    }

    /// Changes of several kinds of things that are the same, as one; and how many statements that says.
    pub(in crate::text) fn merged_en(&mut self, statements: &[TextNode]) -> Option<(TextNode, usize)> {
        let first = statements.first().filter(|statement| statement.kind == TextNodeKind::Statement)?.kid(0);
        if first.kind != TextNodeKind::Gets {
            return None;
        }
        let own_words = |node: &TextNode| self.lexicon.find(LexiconTable::Do, node, self.builder).is_some();
        if own_words(first) {
            return None;
        }
        let alike = |statement: &&TextNode| {
            let other = statement.kid(0);
            if own_words(other) {
                return false;
            }
            statement.kind == TextNodeKind::Statement
                && statement.text.is_empty()
                && other.kind == TextNodeKind::Gets
                && same(first.kid(1), other.kid(1))
                && same(first.kid(2), other.kid(2))
                && self.is_plural(other.kid(0)) == self.is_plural(first.kid(0))
        };
        let length = 1 + statements.iter().skip(1).take_while(alike).count();
        let said = self.is_japanese() || !self.style("gets_each").is_empty();
        if length == 1 || !self.is_plural(first.kid(0)) || !said {
            return None;
        }
        let mut merged = first.clone();
        for statement in &statements[1..length] {
            let (one, other) = (merged.kid(0).clone(), statement.kid(0).kid(0).clone());
            let differs = one.kind == TextNodeKind::Phrase && other.kind == TextNodeKind::Phrase && {
                let mut plain = other.clone();
                plain.kids[1] = one.kid(1).clone();
                same(&plain, &one)
            };
            if self.is_japanese() && !differs && self.style("every").is_empty() {
                return None;
            }
            merged.kids[0] = if differs {
                let mut both = one.clone();
                both.kids[1] =
                    TextNode::new(TextNodeKind::Binary, "or", vec![one.kid(1).clone(), other.kid(1).clone()], one.span);
                both
            } else {
                TextNode::new(TextNodeKind::Binary, "and", vec![one.clone(), other], one.span)
            };
        }
        Some((merged, length))
    }

    /// What something is made: `becomes a blue Frog with base power and toughness 1/1`. And how many changes that says; and whether it says
    /// that all of them still are what they were.
    fn made_en(
        &mut self,
        changes: &[TextNode],
        several: bool,
        gain: bool,
        kind: Option<&TextNode>,
    ) -> Option<(String, usize, bool)> {
        let forms = self.lexicon.styles("made").to_vec();
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        let (mut length, mut words, mut nouns, mut added) = (0, 0, false, false);
        let mut sets = Vec::new();
        for change in changes {
            let (group, text) = match change.text.as_str() {
                "word" | "only" if change.kids.len() == 1 => {
                    let word = change.kid(0);
                    if self.builder.names.keywords.contains_key(&word.text) || self.local(&word.text).is_some() {
                        break;
                    }
                    let Some(set) = self.set_of(&word.text).map(str::to_owned) else { break };
                    let forms = self.lexicon.name(&word.text);
                    let noun = forms.map_or(!self.is_noun(&word.text), |forms| forms.len() > 1);
                    words += 1;
                    nouns |= noun;
                    added |= change.text == "word";
                    if change.text == "word" {
                        sets.push(set.clone());
                    }
                    let text = self.noun_en(word, false);
                    (set, text)
                }
                "=" if change.kid(1).kind == TextNodeKind::Number => {
                    (change.kid(0).text.to_string(), change.kid(1).text.to_string())
                }
                _ => break,
            };
            length += 1;
            match groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, texts)) => texts.push(text),
                None => groups.push((group, vec![text])),
            }
        }
        // numbers before the first word are said by themselves
        if words == 0 || changes.first().is_some_and(|change| change.text == "=") {
            return None;
        }
        let verb = if gain { "become" } else { "are" };
        let text = forms.iter().find_map(|form| filled(form, &groups, several))?;
        // lands that become creatures, too: what is added is of the same set as what they are
        let still = kind.filter(|kind| {
            let own = self.set_of(&kind.text);
            !sets.is_empty() && sets.iter().all(|set| Some(set.as_str()) == own)
        });
        let still = match (still, self.lexicon.styles("still")) {
            (Some(kind), [one, more, ..]) => {
                let noun = self.noun_en(kind, several);
                let noun = if several { noun } else { format!("{} {noun}", article(&noun)) };
                Some(if several { more } else { one }.replace("{X}", &noun))
            }
            _ => None,
        };
        let suffix = match (&still, added, nouns) {
            (Some(still), ..) => still.as_str(),
            (None, true, true) => self.style("added"),
            (None, true, false) => self.style("added_quality"),
            _ => "",
        };
        let article = if nouns && !several { format!("{} ", article(&text)) } else { String::new() };
        Some((format!("{verb} {article}{text}{suffix}"), length, still.is_some()))
    }

    pub(in crate::text) fn change_en(&mut self, change: &TextNode, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = TextNode::new(
                TextNodeKind::Keyword,
                word.text.clone(),
                change.kids.iter().skip(1).cloned().collect(),
                change.span,
            );
            if self.builder.names.keywords.contains_key(&word.text)
                && let Some(name) = self.keyword_short(&keyword)
            {
                // a predicate of its own: `attack each combat if able`
                if let Some(predicate) = name.strip_prefix('~') {
                    return predicate.to_owned();
                }
                let name = if name.ends_with('.') { format!("\"{name}\"") } else { crate::text::render::lower_first(&name) };
                return format!("{} {name}", if gain { "gain" } else { "have" });
            }
            if !self.builder.names.keywords.contains_key(&word.text) {
                return format!("{} {}", if gain { "become" } else { "are" }, self.predicate_en(word));
            }
        }
        self.gap(change)
    }
}

/// A verb in the third person, said of several.
fn plain_form(verb: &str) -> String {
    let ends = [("is", "are"), ("has", "have"), ("ies", "y"), ("es", ""), ("s", "")];
    let forms = ends.iter().filter_map(|(end, other)| verb.strip_suffix(end).map(|stem| format!("{stem}{other}")));
    // `dies` is no form of `dy`
    let mut forms = forms.filter(|form| form != "dy");
    forms.find(|form| third(form) == verb).unwrap_or_else(|| verb.to_owned())
}

/// A form with what each of its parts stands for; a part in brackets is left out where there is nothing to say. All groups must be said.
fn filled(form: &str, groups: &[(String, Vec<String>)], several: bool) -> Option<String> {
    let mut out = String::new();
    let mut said = 0;
    for part in form.split_inclusive(']') {
        let (before, segment) = part.split_once('[').unwrap_or((part, ""));
        for (text, needed) in [(before, true), (segment.trim_end_matches(']'), false)] {
            let mut text = text.to_owned();
            let mut complete = true;
            let mut count = 0;
            while let (Some(from), Some(to)) = (text.find('{'), text.find('}')) {
                let name = text[from + 1..to].to_owned();
                let (name, head) = name.strip_suffix('*').map_or((name.as_str(), false), |name| (name, true));
                let Some((_, words)) = groups.iter().find(|(group, _)| group == name) else {
                    complete = false;
                    break;
                };
                // of several kinds the first is the noun: `land creature`
                let mut words: String =
                    if head { words.iter().rev().cloned().collect::<Vec<_>>().join(" ") } else { words.join(" ") };
                if head && several {
                    words = plural(&words);
                }
                text.replace_range(from..=to, &words);
                count += 1;
            }
            match (complete, needed) {
                (true, _) => {
                    out.push_str(&text);
                    said += count;
                }
                (false, true) => return None,
                (false, false) => {}
            }
        }
    }
    (said == groups.len()).then(|| out.trim().to_owned())
}

/// `{one|several}` in a form of a change.
fn by_number(text: &str, several: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((front, back)) = rest.split_once('{') {
        out.push_str(front);
        match back.split_once('}') {
            Some((inner, after)) if inner.contains('|') => {
                let (one, many) = inner.split_once('|').unwrap_or((inner, inner));
                out.push_str(if several { many } else { one });
                rest = after;
            }
            _ => {
                out.push('{');
                rest = back;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Further verbs of a template, which are marked: `choose a card and ~discard it`.
fn further(text: &str, third_person: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('~') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.find([' ', '.', ',']).unwrap_or(after.len());
        let verb = &after[..end];
        out.push_str(&if third_person { third(verb) } else { verb.to_owned() });
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}
