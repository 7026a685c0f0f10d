//! English verbs: third person, events, and changes for a duration.

use super::NounForm;
use super::inflection::{YOU_MARK, article, join_list, participle, split_verb, third_person};
use crate::text::normalize::{MAY, OPERANDS, SUBJECT};
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::renderer::Renderer;
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_ir::Type;

impl Renderer<'_> {
    /// Renders an event by the template of its verb.
    pub(in crate::text) fn event_en(&mut self, node: &TextNode) -> String {
        let verb = TextNode::new(TextNodeKind::Do, node.text.clone(), vec![], node.span);
        let (params, subject) = self.builder.parameters(&node.text);
        let passive = !node.kid(4).is_nil();
        let mut kids =
            vec![TextNode::nil(), TextNode::nil(), TextNode::new(TextNodeKind::List, "", vec![], node.span), TextNode::nil()];
        kids.extend(params.iter().map(|_| TextNode::nil()));
        let mut call = TextNode { kids, ..verb };
        // the index of the operand that the second phrase is
        let first = subject.unwrap_or(0);
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        let whom = if passive { None } else { second };
        // `the End Step begins`
        if let (Some(step), Some(verb)) = (self.step_name(&node.kid(0).text), step_verb(&node.text)) {
            let text = match self.mood {
                crate::text::renderer::Mood::Would => format!("the {step} would {verb}"),
                crate::text::renderer::Mood::Cannot => format!("the {step} can't {verb}"),
                crate::text::renderer::Mood::Happens => format!("the {step} {}", third_person(verb)),
            };
            return self.append_condition(text, node);
        }
        if passive {
            let is_cannot = matches!(self.mood, crate::text::renderer::Mood::Cannot);
            if !node.kid(1).is_nil() && !is_cannot {
                return self.gap(node);
            }
            let by = if node.kid(1).is_nil() {
                String::new()
            } else {
                format!(" by {}", self.phrase_en(node.kid(1), NounForm::Plural))
            };
            let part = match (self.template_en(&call), self.plain_verb(&node.text)) {
                (Some(template), _) => {
                    let (verb, part, _) = split_verb(&template);
                    let part = part.map_or_else(|| participle(verb), str::to_owned);
                    format!("{part}{}", self.passive_tail(&call, node.kid(0)))
                }
                // `stayed silent` of an action `stay_silent`
                (None, Some(plain)) => match plain.split_once(' ') {
                    Some((verb, rest)) => format!("{} {rest}", participle(verb)),
                    None => participle(&plain),
                },
                (None, None) => return self.gap(node),
            };
            let subject = self.slot_en(node.kid(0), "");
            match self.mood {
                crate::text::renderer::Mood::Would => return self.append_condition(format!("{subject} would be {part}"), node),
                crate::text::renderer::Mood::Cannot => {
                    return self.append_condition(format!("{subject} can't be {part}{by}"), node);
                }
                crate::text::renderer::Mood::Happens => {}
            }
            let be = if self.is_plural(node.kid(0)) && node.kid(0).kid(0).text == "exactly" { "are" } else { "is" };
            return self.append_condition(format!("{subject} {be} {part}"), node);
        }
        if !node.kid(2).is_nil() {
            return self.gap(node);
        }
        if let Some(at) = whom.filter(|_| !node.kid(1).is_nil()) {
            call.kids[OPERANDS + at] = node.kid(1).clone();
        }
        let lexicon = self.lexicon;
        let text = match lexicon.find(LexiconTable::Do, &call, self.builder) {
            Some((entry, found)) => self.fill(&entry.parts, &found),
            None => match self.plain_verb(&node.text) {
                Some(verb) => format!("{verb} {}", self.phrase_en(node.kid(1), NounForm::Usual)).trim_end().to_owned(),
                None => return self.gap(node),
            },
        };
        // without its operand: `surveil` of `surveil {n}`
        let (verb, _, rest) = split_verb(text.trim_end());
        let subject = self.slot_en(node.kid(0), "");
        let you = node.kid(0).is_word("you");
        match self.mood {
            crate::text::renderer::Mood::Would => return self.append_condition(format!("{subject} would {verb}{rest}"), node),
            crate::text::renderer::Mood::Cannot => {
                let opponents = self.style("opponents");
                let subject = if node.kid(0).is_word("opponent") && !opponents.is_empty() { opponents } else { subject.as_str() };
                return self.append_condition(format!("{subject} can't {verb}{rest}"), node);
            }
            crate::text::renderer::Mood::Happens => {}
        }
        let verb = if you { verb.to_owned() } else { third_person(verb) };
        self.append_condition(format!("{subject} {verb}{rest}"), node)
    }

    /// Puts the verb of an event that happens to several things into the plural: `one or more creatures die`.
    pub(in crate::text) fn make_event_plural(&mut self, event: &TextNode, text: String) -> String {
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

    pub(in crate::text) fn append_condition(&mut self, text: String, node: &TextNode) -> String {
        if node.kid(3).is_nil() {
            return text;
        }
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { format!("{text}{}{condition}", self.style("where")) }
    }

    /// The literal text that the template of a verb begins with, regardless of its operands.
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

    /// What the template of a verb prints behind its object, for an event in which that is the subject: `is put into its owner's graveyard`.
    fn passive_tail(&mut self, call: &TextNode, subject: &TextNode) -> String {
        let lexicon = self.lexicon;
        let Some((entry, mut found)) = lexicon.find(LexiconTable::Do, call, self.builder) else { return String::new() };
        let [TemplatePart::Text(_), TemplatePart::Slot(object, mode), tail @ ..] = entry.parts.as_slice() else {
            return String::new();
        };
        let is_of_object = |part: &TemplatePart| !matches!(part, TemplatePart::Slot(name, _) if name != object);
        if !matches!(mode.as_str(), "" | ":from") || !tail.iter().all(is_of_object) {
            return String::new();
        }
        // what happens, happens to each of them: `is put into its owner's graveyard`
        let mut subject = subject.clone();
        let is_any = subject.kind == TextNodeKind::Phrase && subject.kid(0).is_nil();
        if is_any && !matches!(self.mood, crate::text::renderer::Mood::Cannot) {
            let one = TextNode::new(TextNodeKind::Number, "1", Vec::new(), subject.span);
            subject.kids[0] = TextNode::new(TextNodeKind::Quantifier, "exactly", vec![one], subject.span);
        }
        found.push((object.clone(), subject));
        self.fill(tail, &found)
    }

    /// A verb with its subject. Further verbs of its template are marked: `choose a card and ~discard it`.
    pub(in crate::text) fn call_en(&mut self, node: &TextNode) -> String {
        let before = std::mem::replace(&mut self.allows_trailing_text, true);
        let mut text = self.clause_en(node);
        self.allows_trailing_text = before;
        text.push_str(&self.trailing_text.take().unwrap_or_default());
        let subject = self.subject_of(node);
        let all = subject.as_ref().is_some_and(|subject| {
            self.style("each") == "all" && subject.kid(0).text == "each" && !subject.kid(1).is_word("opponent")
        });
        let is_third_person = subject.is_some() && !all && node.kid(MAY).is_nil();
        inflect_marked_verbs(&text, is_third_person)
    }

    pub(in crate::text) fn clause_en(&mut self, node: &TextNode) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, node, self.builder) else {
            let gap = self.gap(node);
            // the subject goes before the operands, so it is the first mention of what both name
            let subject = self.subject_text_en(node);
            return match self.plain_call(node) {
                Some((verb, operands)) => {
                    let text = format!("{verb} {}", operands.join(", "));
                    self.join_subject_en(node, subject, text.trim_end())
                }
                None => gap,
            };
        };
        self.add_reminder(entry, &found);
        // a template that begins with the card itself does not say that something else does it
        let names_card =
            matches!(entry.parts.first(), Some(TemplatePart::Slot(name, _)) if matches!(name.as_str(), "this" | "name"));
        let is_others = !node.kid(SUBJECT).is_nil() && !["you", "this"].iter().any(|word| node.kid(SUBJECT).is_word(word));
        if names_card && is_others && !entry.prints_subject && node.kid(MAY).is_nil() {
            let subject = self.subject_text_en(node).unwrap_or_default();
            return format!("{subject}{}", self.fill(&entry.parts[1..], &found));
        }
        if entry.names_subject() {
            let may = !node.kid(MAY).is_nil() && entry.pattern.kid(MAY).is_nil();
            let subject = if may { self.preview(|this| this.subject_text_en(node)) } else { None };
            // the template begins with what does it: `{X} fights {Y}`
            let doer = match entry.parts.as_slice() {
                [first @ TemplatePart::Slot(name, _), ..]
                    if may && !self.style("may_have").is_empty() && found.iter().any(|(known, _)| known == name) =>
                {
                    Some(self.preview(|this| this.fill(std::slice::from_ref(first), &found)))
                }
                _ => None,
            };
            let text = self.fill(&entry.parts, &found);
            return if may { self.with_may_en(subject, doer.as_deref(), &text) } else { text };
        }
        let subject = self.subject_of(node);
        let target = subject.as_ref().is_some_and(|subject| subject.is_word("this"));
        let owner = match &subject {
            Some(_) if !target => Some("their".to_owned()),
            // a zone without an owner belongs to any player
            _ => None,
        };
        let text_subject = self.subject_text_en(node);
        let before = std::mem::replace(&mut self.implied_owner, owner);
        let text = self.fill(&entry.parts, &found);
        self.implied_owner = before;
        self.join_subject_en(node, text_subject, &text)
    }

    /// A clause whose template names the subject, with `may` behind that subject: `its controller searches …` becomes `its controller may search …`.
    /// What an object does is what the player has it do: `you may have it fight target creature`.
    fn with_may_en(&self, subject: Option<String>, doer: Option<&str>, text: &str) -> String {
        let behind = subject.as_deref().and_then(|subject| text.strip_prefix(subject)?.strip_prefix(' '));
        let done =
            doer.filter(|doer| !doer.is_empty() && *doer != "you").and_then(|doer| text.strip_prefix(doer)?.strip_prefix(' '));
        if let (None, Some(doer), Some(predicate)) = (behind, doer, done) {
            let (verb, _, rest) = split_verb(predicate);
            let who = subject.unwrap_or_else(|| self.style("you_may").trim_end_matches(" may").to_owned());
            return format!("{who} may have {doer} {}{rest}", plain_form(verb));
        }
        match (&subject, behind) {
            (Some(subject), Some(predicate)) => {
                let (verb, _, rest) = split_verb(predicate);
                let verb = if verb == "is" { "be".to_owned() } else { plain_form(verb) };
                format!("{subject} may {verb}{rest}")
            }
            _ => format!("{} {}", self.style("you_may"), text.strip_prefix("you ").unwrap_or(text)),
        }
    }

    /// The text of the subject of a verb, unless it is the player whose text it is.
    fn subject_text_en(&mut self, node: &TextNode) -> Option<String> {
        self.subject_of(node).map(|subject| self.phrase_en(&subject, NounForm::Usual))
    }

    /// A predicate behind a subject that is rendered already, in its person.
    fn join_subject_en(&mut self, node: &TextNode, text_subject: Option<String>, text: &str) -> String {
        let subject = self.subject_of(node);
        let never_ordered = text.starts_with(YOU_MARK);
        let (verb, _, rest) = split_verb(text);
        let may = !node.kid(MAY).is_nil();
        let all = self.style("each") == "all";
        let several = subject.as_ref().is_some_and(|subject| {
            self.is_plural(subject) && (all && !subject.kid(1).is_word("opponent") || subject.kid(0).text != "each")
        });
        // what an object does, the player may have it do
        let doer = (may && self.is_done_by_object(node)).then(|| self.self_name());
        match (text_subject, may) {
            (None, true) if let Some(doer) = doer => format!("{} have {doer} {verb}{rest}", self.style("you_may")),
            (None, true) => format!("{} {verb}{rest}", self.style("you_may")),
            (None, false) => {
                let you = self.style("you");
                let you = if you.is_empty() && never_ordered { "you" } else { you };
                if you.is_empty() { format!("{verb}{rest}") } else { format!("{you} {verb}{rest}") }
            }
            (Some(subject), true) => format!("{subject} may {verb}{rest}"),
            (Some(subject), false) if subject == "you" => format!("you {verb}{rest}"),
            (Some(subject), false) if several => format!("{subject} {verb}{rest}"),
            (Some(subject), false) => format!("{subject} {}{rest}", third_person(verb)),
        }
    }

    /// Renders changes: `X gets +1/+1 and has flying until end of turn`.
    pub(in crate::text) fn gets_en(&mut self, node: &TextNode) -> String {
        let mut whom = node.kid(0).clone();
        // changes of several things need no `each`
        if whom.kind == TextNodeKind::Phrase && whom.kid(0).text == "each" && self.style("gets_each") == "none" {
            whom.kids[0] = TextNode::nil();
        }
        let mut several = self.is_plural(&whom);
        let all = self.style("each") == "all" && whom.kid(0).text == "each";
        let every = several && (all || whom.kid(0).is_nil() || !self.style("gets_each").is_empty());
        let mut subject = if every { self.every_en(&whom) } else { self.phrase_en(&whom, NounForm::Plural) };
        // a filter with a pronoun is about each of them: each creature with a counter on it
        if every && whom.kind == TextNodeKind::Phrase && subject.ends_with(" them") {
            several = false;
            subject = self.each_en(&whom);
        }
        let until = self.text(node.kid(2));
        let changes: Vec<TextNode> = node.kid(1).kids.clone();
        let gain = !until.is_empty() || self.is_changed_once(node.kid(0));
        let kind = self.kind_of(&whom);
        let tail = std::mem::replace(&mut self.allows_trailing_text, true);
        let mut changed: Vec<(String, String)> = Vec::new();
        let mut whole_kind = false;
        let mut at = 0;
        while at < changes.len() {
            let whole = |this: &mut Self, length: usize| {
                let list = TextNode::new(TextNodeKind::List, "", changes[at..at + length].to_vec(), node.span);
                this.lookup(LexiconTable::Change, &list).map(|text| (text, length))
            };
            let several_at_once = (2..=changes.len() - at).rev().find_map(|length| whole(self, length));
            let done = several_at_once.or_else(|| {
                let (text, length, still) = self.becomes_en(&changes[at..], several, gain, kind.as_ref())?;
                whole_kind |= still;
                Some((text, length))
            });
            let done = done.or_else(|| whole(self, 1));
            let (text, length) = done.unwrap_or_else(|| (self.change_en(&changes[at], &whom, gain), 1));
            let text = choose_by_number(&text.replace("{their}", "{its|their}"), several);
            let (verb, _, rest) = split_verb(&text);
            let verb = if several { verb.to_owned() } else { third_person(verb) };
            changed.push((verb, inflect_marked_verbs(rest.trim(), !several)));
            at += length;
        }
        self.allows_trailing_text = tail;
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (verb, rest) in changed {
            match groups.last_mut() {
                Some((last, rests)) if *last == verb => rests.push(rest),
                _ => groups.push((verb, vec![rest])),
            }
        }
        // a sentence with several groups begins with its duration
        let early = groups.len() > 1 && groups.iter().any(|(verb, _)| self.is_long(verb));
        let cannot = groups.iter().all(|(verb, _)| verb == "can't");
        let groups: Vec<String> = groups.into_iter().map(|(verb, rests)| format!("{verb} {}", join_list(&rests))).collect();
        let all_of = if whole_kind && several { self.lexicon.styles("still").get(2).map_or("", String::as_str) } else { "" };
        let text = format!("{all_of}{subject} {}", join_list(&groups));
        let after = self.trailing_text.take().unwrap_or_default();
        let until = if cannot { self.this_turn(until) } else { until };
        if early && !until.is_empty() && !text.contains(" for each ") {
            return format!("{until}, {text}{after}");
        }
        match text.rsplit_once(" for each ") {
            _ if until.is_empty() => format!("{text}{after}"),
            Some((front, back)) => format!("{front} {until} for each {back}{after}"),
            // nothing may follow a quoted sentence
            None if text.ends_with(".\"") => format!("{until}, {text}"),
            None => format!("{text} {until}{after}"),
        }
    }

    fn is_long(&self, verb: &str) -> bool {
        self.lexicon.styles("until_first").iter().any(|known| known == verb || third_person(known) == verb)
    }

    /// The duration of a prohibition: `this turn`.
    pub(in crate::text) fn this_turn(&self, until: String) -> String {
        match self.lexicon.styles("this_turn") {
            [usual, short] if until == *usual => short.clone(),
            _ => until,
        }
    }

    /// The kind of card that all of these are, if they are of one.
    pub(in crate::text) fn kind_of(&self, node: &TextNode) -> Option<TextNode> {
        let head = if node.kind == TextNodeKind::Phrase { node.kid(1) } else { node };
        (head.kind == TextNodeKind::Word && self.local(&head.text).is_none() && self.set_of(&head.text).is_some())
            .then(|| head.clone())
    }

    /// Merges statements with the same changes of different things into one. Returns it with the number of statements.
    pub(in crate::text) fn merge_statements(&mut self, statements: &[TextNode]) -> Option<(TextNode, usize)> {
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
                && equal_ignoring_spans(first.kid(1), other.kid(1))
                && equal_ignoring_spans(first.kid(2), other.kid(2))
                && self.is_plural(other.kid(0)) == self.is_plural(first.kid(0))
        };
        let length = 1 + statements.iter().skip(1).take_while(alike).count();
        let merges = self.is_japanese() || !self.style("gets_each").is_empty();
        if length == 1 || !self.is_plural(first.kid(0)) || !merges {
            return None;
        }
        let mut merged = first.clone();
        for statement in &statements[1..length] {
            let (one, other) = (merged.kid(0).clone(), statement.kid(0).kid(0).clone());
            let differs = one.kind == TextNodeKind::Phrase && other.kind == TextNodeKind::Phrase && {
                let mut plain = other.clone();
                plain.kids[1] = one.kid(1).clone();
                equal_ignoring_spans(&plain, &one)
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

    /// Renders changes that make something another thing: `becomes a blue Frog with base power and toughness 1/1`. Returns the text, the
    /// number of changes that it covers, and whether it states that the things are still what they were.
    fn becomes_en(
        &mut self,
        changes: &[TextNode],
        several: bool,
        gain: bool,
        kind: Option<&TextNode>,
    ) -> Option<(String, usize, bool)> {
        let forms = self.lexicon.styles("made").to_vec();
        let made = forms.clone();
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        let (mut length, mut words, mut nouns, mut added, mut coloured) = (0, 0, false, false, false);
        let (mut sets, mut replaced) = (Vec::new(), Vec::new());
        let mut plurals: Vec<(String, String)> = Vec::new();
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
                    // a set of qualities has a form that is only about it
                    coloured |= change.text == "word" && !noun && made.iter().any(|form| *form == format!("{{{set}}}"));
                    if change.text == "word" { &mut sets } else { &mut replaced }.push(set.clone());
                    let text = self.noun_en(word, false);
                    if several {
                        plurals.push((text.clone(), self.noun_en(word, true)));
                    }
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
        // numbers before the first word are rendered separately
        if words == 0 || changes.first().is_some_and(|change| change.text == "=") {
            return None;
        }
        let verb = if gain { "become" } else { "are" };
        let text = forms.iter().find_map(|form| fill_form(form, &groups, &plurals))?;
        // added words of the same trait set as the kind: lands that become creatures are still lands
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
            (None, true, true) if self.is_addition_clear(&sets, &replaced) => "",
            (None, true, true) if coloured && !self.style("added_both").is_empty() => self.style("added_both"),
            (None, true, true) => self.style("added"),
            (None, true, false) => self.style("added_quality"),
            _ => "",
        };
        let article = if nouns && !several { format!("{} ", article(&text)) } else { String::new() };
        Some((format!("{verb} {article}{text}{suffix}"), length, still.is_some()))
    }

    pub(in crate::text) fn change_en(&mut self, change: &TextNode, whom: &TextNode, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = TextNode::new(
                TextNodeKind::Keyword,
                word.text.clone(),
                change.kids.iter().skip(1).cloned().collect(),
                change.span,
            );
            if self.builder.names.keywords.contains_key(&word.text)
                && let Some(name) = self.keyword_short(&keyword).filter(|name| !name.is_empty())
            {
                // a keyword that is a predicate: `attack each combat if able`
                if let Some(predicate) = name.strip_prefix('~') {
                    return predicate.to_owned();
                }
                let name = match self.sentence_of_keyword(&keyword, whom) {
                    Some(sentence) => format!("\"{sentence}\""),
                    None => crate::text::english::lower_first(&name),
                };
                return format!("{} {name}", if gain { "gain" } else { "have" });
            }
            // a keyword without words is quoted: what it stands for
            if let Some(quoted) = self.quoted_keyword(&keyword, whom) {
                return format!("{} \"{quoted}\"", if gain { "gain" } else { "have" });
            }
            if !self.builder.names.keywords.contains_key(&word.text) {
                let (verb, one) = (if gain { "become" } else { "are" }, self.predicate_en(word));
                return match self.is_own_noun(&word.text) {
                    true => format!("{verb} {{{one}|{}}}", self.noun_en(word, true)),
                    false => format!("{verb} {one}"),
                };
            }
        }
        self.gap(change)
    }
}

/// What a step does if it is begun or finished.
fn step_verb(event: &str) -> Option<&'static str> {
    match event {
        "begin" => Some("begin"),
        "finish" => Some("end"),
        _ => None,
    }
}

/// The plural form of a verb in the third person singular.
fn plain_form(verb: &str) -> String {
    // `phases` is the third person of `phase`
    if let Some(stem) = verb.strip_suffix('s').filter(|stem| stem.ends_with("se") && !stem.ends_with("sse")) {
        return stem.to_owned();
    }
    let ends = [("is", "are"), ("has", "have"), ("ies", "y"), ("es", ""), ("s", "")];
    let forms = ends.iter().filter_map(|(end, other)| verb.strip_suffix(end).map(|stem| format!("{stem}{other}")));
    // `dies` is the third person of `die`, not of `dy`
    let mut forms = forms.filter(|form| form != "dy");
    forms.find(|form| third_person(form) == verb).unwrap_or_else(|| verb.to_owned())
}

/// Fills a form with the texts of groups. A part in brackets is dropped if a group in it is missing. `plurals`: the nouns among the texts with their
/// plural forms; none if one thing is meant. `None` unless all groups are used.
fn fill_form(form: &str, groups: &[(String, Vec<String>)], plurals: &[(String, String)]) -> Option<String> {
    let mut out = String::new();
    let mut used = 0;
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
                if head && let Some((noun, several)) = plurals.iter().rev().find(|(noun, _)| words.ends_with(noun.as_str())) {
                    words.replace_range(words.len() - noun.len().., several);
                }
                text.replace_range(from..=to, &words);
                count += 1;
            }
            match (complete, needed) {
                (true, _) => {
                    out.push_str(&text);
                    used += count;
                }
                (false, true) => return None,
                (false, false) => {}
            }
        }
    }
    (used == groups.len()).then(|| out.trim().to_owned())
}

/// Chooses among `{one|several}` in the form of a change.
fn choose_by_number(text: &str, several: bool) -> String {
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

/// Inflects the marked further verbs of a template: `choose a card and ~discard it`.
fn inflect_marked_verbs(text: &str, is_third_person: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('~') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.find([' ', '.', ',']).unwrap_or(after.len());
        let verb = &after[..end];
        out.push_str(&if is_third_person { third_person(verb) } else { verb.to_owned() });
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}
