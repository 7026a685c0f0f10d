//! Renders statements to sentences: links, modes and costs.

use super::abilities::AbilityRemainder;
use super::bound_names::is_later;
use super::for_each;
use super::governed_blocks::{Sentence, ungoverned};
use super::subjects::with_own_things;
use crate::text::lexicon::Lexicon;
use crate::text::normalize::{ADVERBS, BINDING, MAY, OPERANDS, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::prompt_context::{count_mentions, is_choice};
use crate::text::renderer::{MAX_INLINE_WEIGHT, Renderer, TextLocal};
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_grammar::ast::Span;

impl<'a> Renderer<'a> {
    /// Renders statements as sentences. The last one has no full stop.
    pub(in crate::text) fn sentences(&mut self, block: &TextNode) -> String {
        let sentences = self.linked_sentences(&block.kids);
        let sentences = self.governed(&block.text, sentences);
        self.join_linked(sentences)
    }

    /// Joins sentences by their links.
    pub(in crate::text) fn join_linked(&mut self, sentences: Vec<Sentence>) -> String {
        let mut out = String::new();
        let sentences: Vec<Sentence> = sentences.into_iter().filter(|sentence| !sentence.text.is_empty()).collect();
        let is_decided: Vec<bool> = (1..=sentences.len())
            .map(|next| sentences.get(next..).unwrap_or_default().iter().any(|later| later.link == "otherwise"))
            .collect();
        for (Sentence { link, text, is_of_others, .. }, is_decided) in sentences.into_iter().zip(is_decided) {
            if !out.is_empty() {
                let unmarked = crate::text::english::lines::without_reminders(&out);
                let sentence = unmarked.rfind(self.style("next")).map_or(0, |at| at);
                let again =
                    link == "then" && !self.style("then_again").is_empty() && unmarked[sentence..].contains(self.style("then"));
                let join = match link.as_str() {
                    "" => "next",
                    "then" if again => "then_again",
                    other => other,
                };
                // behind modes begins a line, or the sentence would belong to the last mode
                if !self.is_japanese() && self.ends_with_mode(&out) {
                    out.push('\n');
                    out.push_str(self.style(join).trim_start_matches(['.', ' ']));
                    out.push_str(&text);
                    continue;
                }
                // no stem links what another player does to what depends on it, or what else happens otherwise
                let they_do = self.style("if_they_do");
                if (is_of_others || is_decided) && join == "if_you_do" && self.is_japanese() && !they_do.is_empty() {
                    out.push_str(they_do);
                    out.push_str(&text);
                    continue;
                }
                if is_of_others && matches!(join, "if_you_do" | "when_you_do") && !self.is_japanese() {
                    out.push_str(&self.style(join).replace("you do", "they do"));
                    out.push_str(&text);
                    continue;
                }
                // `if you do and that card is …`: one condition, not one in another, unless only one of them has an `otherwise`
                let has_other = is_decided || ["otherwise", "otherwise_first"].iter().any(|link| text.contains(self.style(link)));
                if let (false, "if_you_do", Some(rest)) = (has_other || self.is_japanese(), join, text.strip_prefix("if ")) {
                    out.push_str(self.style(join).trim_end_matches([',', ' ']));
                    out.push_str(" and ");
                    out.push_str(rest);
                    continue;
                }
                let is_condition = text.split_once('、').is_some_and(|(clause, _)| clause.ends_with("なら"));
                let linked = self.style(join);
                let stem = linked.strip_suffix("したなら、").or_else(|| linked.strip_suffix("した場合、"));
                if let ("if_you_do", true, Some(stem)) = (join, self.is_japanese() && is_condition && !has_other, stem) {
                    out.push_str(stem);
                    out.push_str("して、");
                    out.push_str(&text);
                    continue;
                }
                let before = out.len();
                let is_closed = !self.is_japanese() && super::is_closed(&out);
                self.join(&mut out, join, &text);
                if is_closed && join == "next" {
                    out.push_str(&crate::text::english::capitalise(&text));
                    continue;
                }
                // the subject is printed once
                if self.is_japanese() && join == "next" && out.ends_with('、') && before > 0 {
                    out.push_str(crate::text::japanese::without_subject(&text));
                    continue;
                }
            } else if link == "if_you_do" || link == "otherwise" {
                out.push_str(self.style(&link).trim_start_matches(['.', '。', ' ']));
            }
            out.push_str(&text);
        }
        out
    }

    /// Appends the link between two sentences. `{stem}` in a link merges them into one. The second form of a link joins sentences that
    /// contain a choice.
    fn join(&mut self, out: &mut String, link: &str, next: &str) {
        let join = self.style(link);
        if link == "next" && self.is_japanese() && crate::text::japanese::continues_subject(out, next) {
            *out = format!("{}、", self.form_ja(out, ":stem"));
            return;
        }
        let Some(rest) = join.strip_prefix("{stem}").filter(|_| self.is_japanese()) else {
            let join = if super::is_closed(out) { join.strip_prefix('.').unwrap_or(join) } else { join };
            return out.push_str(join);
        };
        let may = self.style("may").rsplit('}').next().unwrap_or("");
        let choice = !may.is_empty() && (out.ends_with(may) || next.ends_with(may));
        match self.lexicon.styles(link).get(1).filter(|_| choice) {
            Some(apart) => out.push_str(apart),
            None => *out = format!("{}{rest}", self.form_ja(out, ":stem")),
        }
    }

    pub(in crate::text) fn linked_sentences(&mut self, statements: &[TextNode]) -> Vec<Sentence> {
        if let ([first, .., last], false) = (statements, self.may_render_list(statements.len())) {
            let whole = TextNode::new(TextNodeKind::List, "", vec![], Span { end: last.span.end, ..first.span });
            let text = self.gap(&whole);
            return vec![self.sentence(&[], 0, text)];
        }
        let mut made = Vec::new();
        let mut at = 0;
        while let Some(statement) = statements.get(at) {
            if let Some(before) = at.checked_sub(1).and_then(|before| statements.get(before)) {
                self.record_taken(before.kid(0));
            }
            if statement.kind != TextNodeKind::Statement {
                at += 1;
                continue;
            }
            let lexicon: &'a Lexicon = self.lexicon;
            let row = lexicon.find_sequence(&statements[at..]).or_else(|| {
                let (entry, found, length) = lexicon.find_sequence(&inline_single_use_choice(&statements[at..])?)?;
                Some((entry, found, length + 1))
            });
            let row = row.filter(|(entry, _, length)| !self.hides_order(entry, &statements[at..at + length]));
            if let Some((entry, found, length)) = row {
                self.bind_names(&statements[at..at + length], &statements[at..]);
                let passage = &statements[at..at + length];
                let tail = std::mem::replace(&mut self.allows_trailing_text, true);
                // as in a call, a zone without an owner is that of any player
                let owner = self.implied_owner.clone();
                if self.is_japanese() && owner.is_none() && !self.style("anyones").is_empty() {
                    self.implied_owner = Some(self.style("anyones").to_owned());
                }
                let mut text = self.apply(entry, &found);
                self.implied_owner = owner;
                self.add_reminder(entry, &found);
                self.allows_trailing_text = tail;
                if !self.is_japanese() {
                    text.push_str(&self.trailing_text.take().unwrap_or_default());
                }
                let text = format!("{}{}", self.prepend_leading_sentences(text), self.take_marked_reminders());
                passage.iter().for_each(|statement| self.record_taken(statement.kid(0)));
                made.push(self.sentence(statements, at, text));
                at += length;
                continue;
            }
            if let Some(text) = self.payment_and_trigger(&statements[at..]) {
                made.push(self.sentence(statements, at, text));
                at += 2;
                continue;
            }
            if let Some((merged, length)) = self.merge_statements(&statements[at..]) {
                let text = self.act(&merged);
                made.push(self.sentence(statements, at, text));
                at += length;
                continue;
            }
            at += 1;
            let inner = statement.kid(0);
            if inner.kind == TextNodeKind::Block {
                let mut kids = inner.kids.clone();
                // an `otherwise` of a condition behind `if you do` is about the condition
                let is_decided = |first: &&mut TextNode| first.kid(0).kind == TextNodeKind::If && !first.kid(0).kid(2).is_nil();
                if let Some(first) = kids.first_mut().filter(is_decided) {
                    first.text = statement.text.clone();
                }
                let nested = self.linked_sentences(&kids);
                let mut nested = self.governed(&inner.text, nested);
                if let Some(first) = nested.first_mut() {
                    first.link = statement.text.clone();
                    first.is_of_others = self.is_behind_others(&statements[..at - 1]);
                    if let (true, Some(act)) = (first.is_of_others, inner.kids.first().map(|first| first.kid(0))) {
                        first.text = self.with_own_subject(act, std::mem::take(&mut first.text));
                    }
                }
                made.append(&mut nested);
                continue;
            }
            let rest = &statements[at..];
            if self.bind_name(inner, rest) {
                // it has no sentence, so its link is dropped
                continue;
            }
            let before = at.checked_sub(2).and_then(|before| statements.get(before)).filter(|_| statement.text == "then");
            // what is announced before is not announced later
            let announced = if is_later(inner) { std::mem::take(&mut self.leading_sentences) } else { Vec::new() };
            let is_announced_first = self.is_target_announced_first(statement, &made);
            self.names_targets_behind = is_announced_first;
            let has_next = std::mem::replace(&mut self.has_next, !rest.is_empty());
            let text = match before {
                Some(before) => self.text_behind_then(inner, before.kid(0)),
                None if statement.text == "if_you_do" && inner.kind == TextNodeKind::If && !inner.kid(2).is_nil() => {
                    self.condition_apart(inner, "otherwise_done")
                }
                None => self.act(inner),
            };
            self.has_next = has_next;
            self.leading_sentences.splice(0..0, announced);
            self.names_targets_behind = false;
            if let (true, Some(first)) = (is_announced_first, made.first_mut()) {
                let front = std::mem::take(&mut first.text);
                first.text = self.prepend_leading_sentences(front);
            }
            // Japanese announces targets before what happens first: what precedes the target would read as a cost
            let is_reflexive = statement.text == "when_you_do";
            if let (true, false, Some(first)) = (self.is_japanese(), statement.text.is_empty() || is_reflexive, made.first_mut())
            {
                let announced = std::mem::take(&mut self.leading_sentences).concat();
                first.text.insert_str(0, &announced);
            }
            // the announcement of a target says that it is chosen
            let is_own_choice = inner.text == "choose" && inner.kid(SUBJECT).is_nil() && inner.kid(MAY).is_nil();
            let is_target_chosen = is_own_choice && self.is_target(inner.kid(OPERANDS))
                || inner.kind == TextNodeKind::Let && self.is_target(inner.kid(1));
            let is_choice_of_target = is_target_chosen && !self.is_japanese() && !self.style("target").is_empty();
            let says_choice = is_choice_of_target && !self.leading_sentences.is_empty();
            // and stands before what happens later
            if says_choice && rest.first().is_some_and(|next| is_later(next.kid(0))) {
                continue;
            }
            let text = match says_choice {
                true => self.take_leading_sentences().trim_end_matches([';', ' ']).to_owned(),
                false => text,
            };
            // nor does Japanese choose again what is announced before what happens first
            let is_announced = self.is_japanese() && is_target_chosen && !self.leading_sentences.is_empty();
            if let (true, false, Some(first)) = (is_announced, self.lexicon.styles("heads").is_empty(), made.first_mut()) {
                let announced = std::mem::take(&mut self.leading_sentences).concat();
                first.text.insert_str(0, &announced);
                continue;
            }
            let text = format!("{}{}", self.prepend_leading_sentences(text), self.take_marked_reminders());
            self.record_bound_list(inner);
            // a trigger that is linked by `if you do` is reflexive: `when you do` (CR 603.12)
            let reflexive =
                inner.kind == TextNodeKind::Trigger && statement.text == "if_you_do" && !self.style("when_you_do").is_empty();
            let mut sentence = self.sentence(statements, at - 1, text);
            if reflexive {
                sentence.link = "when_you_do".into();
            }
            made.push(sentence);
        }
        if let Some(last) = statements.last() {
            self.record_taken(last.kid(0));
        }
        made
    }

    /// The text of an optional action and the trigger that follows if it was taken, as the setting `paid_first` phrases both: the action is
    /// what the trigger costs. `None` if there is no such setting, or for other statements.
    fn payment_and_trigger(&mut self, statements: &[TextNode]) -> Option<String> {
        let form = self.lexicon.style("paid_first").filter(|form| !form.is_empty())?;
        let [first, second, ..] = statements else { return None };
        let (action, trigger) = (first.kid(0), second.kid(0));
        let is_optional = action.kind == TextNodeKind::Do && !action.kid(MAY).is_nil() && action.kid(BINDING).is_nil();
        let is_own = action.kid(SUBJECT).is_nil() || action.kid(SUBJECT).is_word("you");
        if !is_optional || !is_own || second.text != "if_you_do" || trigger.kind != TextNodeKind::Trigger {
            return None;
        }
        let mut payment = first.clone();
        for at in [SUBJECT, MAY] {
            if let Some(slot) = payment.kids.get_mut(0).and_then(|action| action.kids.get_mut(at)) {
                *slot = TextNode::nil();
            }
        }
        let cost = TextNode::new(TextNodeKind::Block, "", vec![payment], first.span);
        let cost = self.slot(&cost, if self.is_japanese() { ":cost" } else { ":pay" });
        let effect = self.slot(trigger.kid(0), "");
        let text = form.replace("{K}", &cost).replace("{S}", &effect);
        Some(if self.is_japanese() { format!("{}{text}", crate::text::line_marks::OPTIONAL) } else { text })
    }

    pub(in crate::text) fn prepend_leading_sentences(&mut self, text: String) -> String {
        if self.leading_sentences.is_empty() {
            return text;
        }
        let mut before = self.take_leading_sentences();
        // `you may` goes before the target: You can target 1 card; destroy it.
        let may = format!("{} ", self.style("you_may"));
        match text.strip_prefix(&may).filter(|_| !self.is_japanese()) {
            Some(rest) => {
                before.insert_str(0, &may);
                before.push_str(rest);
            }
            None => before.push_str(&text),
        }
        before
    }

    /// The text of a repetition of more than one sentence, as the setting `times_before` phrases it: before modes, which are lines, or in Japanese
    /// around several sentences. `None` for other statements, and those that an entry of the game phrases.
    fn repetition_of_several(&mut self, node: &TextNode) -> Option<String> {
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, _) = (node.kind == TextNodeKind::Times).then(|| lexicon.find(LexiconTable::Do, node, self.builder))??;
        let is_general =
            entry.pattern.kid(0).kind == TextNodeKind::Hole && entry.pattern.kid(1).kid(0).kind == TextNodeKind::Hole;
        let (number, block) = (node.kid(0), node.kid(1));
        let has_modes = block.kids.iter().any(|statement| statement.kid(0).kind == TextNodeKind::Modes);
        let [before_number, before, around @ ..] = lexicon.styles("times_before") else { return None };
        let is_number = number.kind == TextNodeKind::Number;
        let form = match around {
            _ if !is_general => return None,
            _ if has_modes => {
                if is_number {
                    before_number
                } else {
                    before
                }
            }
            // repetitions in repetitions would be rendered twice at each level
            [around_number, around]
                if !contains_repetition(block) && self.preview(|this| this.slot(block, "")).contains('。') =>
            {
                if is_number {
                    around_number
                } else {
                    around
                }
            }
            _ => return None,
        };
        Some(form.replace("{N}", &self.slot(number, "")).replace("{S}", &self.slot(block, "")))
    }

    /// Takes the sentences that stand before the next one: `Target 1 card; target 1 monster; …` becomes one announcement.
    fn take_leading_sentences(&mut self) -> String {
        let before: String = std::mem::take(&mut self.leading_sentences).concat();
        match self.style("target").split_once("{X}").filter(|_| !self.is_japanese()) {
            Some((front, back)) => before.replace(&format!("{back}{front}"), self.style("and")),
            None => before,
        }
    }

    /// Renders one statement.
    pub(in crate::text) fn act(&mut self, node: &TextNode) -> String {
        if node.kind == TextNodeKind::Let && !self.selects(node.kid(1)) {
            return self.saved_value_sentence(node);
        }
        if node.kind == TextNodeKind::Let {
            return self.choice_sentence(node.kid(1));
        }
        if let Some(text) = self.repetition_of_several(node) {
            return text;
        }
        match node.kind {
            TextNodeKind::Do => {
                let node = self.inline_numbers(node);
                self.call(&node)
            }
            TextNodeKind::Sentence => {
                if let Some(text) = self.lookup(LexiconTable::Do, node) {
                    return text;
                }
                if self.is_japanese() && !node.kid(0).kid(MAY).is_nil() {
                    let mut plain = node.clone();
                    for kid in plain.kids.iter_mut().filter(|kid| kid.kind == TextNodeKind::Do) {
                        kid.kids[MAY] = TextNode::nil();
                    }
                    let text = self.act(&plain);
                    let subject = node.kid(0).kid(SUBJECT);
                    let own = subject.is_nil() || subject.is_word("you");
                    let text = self.form_ja(&text, ":may");
                    return if own { self.you_may_ja(&text) } else { text };
                }
                let texts = self.texts_of_one_subject(node);
                if self.is_japanese() {
                    crate::text::japanese::join_sentences(&texts)
                } else {
                    crate::text::english::join_sentences(&texts)
                }
            }
            TextNodeKind::AtOnce if self.lexicon.find(LexiconTable::Do, node, self.builder).is_none() => {
                let kids: Vec<TextNode> = node.kid(0).kids.clone();
                // targets are announced before all that happens at once
                let is_plain =
                    |kid: &TextNode| kid.text.is_empty() && matches!(kid.kid(0).kind, TextNodeKind::Do | TextNodeKind::Gets);
                let is_passage = self.lexicon.find_sequence(&kids).is_some();
                if !self.is_japanese() && !is_passage && !self.style("target").is_empty() && kids.iter().all(is_plain) {
                    let texts: Vec<String> = kids
                        .iter()
                        .map(|kid| {
                            self.bind_name(kid.kid(0), &[]);
                            self.act(kid.kid(0))
                        })
                        .collect();
                    return crate::text::english::join_sentences(&texts);
                }
                let texts: Vec<String> = self
                    .linked_sentences(&kids)
                    .into_iter()
                    .map(|sentence| sentence.text)
                    .filter(|text| !text.is_empty())
                    .collect();
                if self.is_japanese() {
                    crate::text::japanese::join_sentences(&texts)
                } else {
                    crate::text::english::join_sentences(&texts)
                }
            }
            TextNodeKind::Modes if self.lexicon.find(LexiconTable::Do, node, self.builder).is_none() => self.modes(node),
            TextNodeKind::Gets if !self.may_render_list(node.kid(1).kids.len()) => self.gap(node),
            TextNodeKind::Gets => {
                let node = self.inline_numbers(node);
                let node = self.with_first_references(node);
                if let Some(text) = self.lookup(LexiconTable::Do, &node) {
                    return text;
                }
                if node.kid(2).is_nil() || !self.is_open_subject(node.kid(0)) {
                    return self.gets(&node);
                }
                // The effect also reaches what comes later, as an ability with a duration does.
                let lasting = TextNode { kids: vec![node.kid(0).clone(), node.kid(1).clone(), TextNode::nil()], ..node.clone() };
                let text = self.gets(&lasting);
                self.until_first(node.kid(2), &text)
            }
            TextNodeKind::Assign if self.lexicon.find(LexiconTable::Do, node, self.builder).is_none() => {
                self.status_change(node).unwrap_or_else(|| self.gap(node))
            }
            TextNodeKind::Standing if self.lexicon.find(LexiconTable::Do, node, self.builder).is_none() => self.standing(node),
            TextNodeKind::Cannot => self.text(node),
            TextNodeKind::If if node.kid(2).is_nil() && self.is_hidden_condition(node) => {
                self.sentences(&ungoverned(node.kid(1)))
            }
            TextNodeKind::If if self.has_inner_condition(node) => self.condition_apart(node, "otherwise_first"),
            // one thing at most: what is done with each of them is done with it
            TextNodeKind::ForEach if self.is_single(node.kid(1)) => {
                let body = node.kid(2).replace_word(&node.kid(0).text, node.kid(1));
                self.sentences(&ungoverned(&body))
            }
            TextNodeKind::ForEach if let Some(some) = for_each::with_membership_as_filter(node) => self.act(&some),
            TextNodeKind::ForEach if let Some(others) = for_each::as_other_players(node) => self.act(&others),
            TextNodeKind::ForEach if let Some(body) = self.as_each_player(node) => self.sentences(&body),
            TextNodeKind::ForEach if let Some(change) = self.as_one_change(node) => self.act(&change),
            TextNodeKind::ForEach if let Some(call) = self.as_call_on_each(node) => self.act(&call),
            TextNodeKind::ForEach => {
                let before = self.locals.len();
                let one = node.kid(1);
                self.locals.push(TextLocal {
                    name: node.kid(0).text.clone(),
                    value: if one.is_word("players") { TextNode::word("player", one.span) } else { one.clone() },
                    inline: None,
                    is_plural: false,
                });
                let node = self.without_each(node);
                let text = self.lookup(LexiconTable::Do, &node).unwrap_or_else(|| self.gap(&node));
                self.locals.truncate(before);
                text
            }
            _ => {
                let tail = std::mem::replace(&mut self.allows_trailing_text, true);
                let mut text = self.lookup(LexiconTable::Do, node).unwrap_or_else(|| self.gap(node));
                self.allows_trailing_text = tail;
                if !self.is_japanese() {
                    text.push_str(&self.trailing_text.take().unwrap_or_default());
                }
                if node.kind == TextNodeKind::If && node.kid(0).kind == TextNodeKind::Not && !self.is_japanese() {
                    let condition = self.preview(|this| this.text(node.kid(0)));
                    let exception = self.exception_en(node.kid(0), &condition);
                    let rest = text.strip_prefix("if ").and_then(|text| text.strip_prefix(&condition));
                    if let (Some(exception), Some(rest)) = (exception, rest) {
                        return format!("unless {exception}{rest}");
                    }
                }
                text
            }
        }
    }

    /// The sentences of an `if` with an `otherwise` that a setting phrases, since the usual word would be read as about another condition.
    fn condition_apart(&mut self, node: &TextNode, style: &str) -> String {
        let plain = TextNode { kids: node.kids.iter().take(2).cloned().collect(), ..node.clone() };
        let then = self.lookup(LexiconTable::Do, &plain).unwrap_or_else(|| self.gap(&plain));
        let otherwise = self.slot(node.kid(2), "");
        format!("{then}{}{otherwise}", self.style(style))
    }

    /// Whether `otherwise` behind an `if` would be read as that of a condition inside of its block, which its entry leaves open.
    fn has_inner_condition(&self, node: &TextNode) -> bool {
        let is_conditional = |statement: &TextNode| {
            matches!(statement.text.as_str(), "if_you_do" | "otherwise") || statement.kid(0).kind == TextNodeKind::If
        };
        let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
        let is_open = |block: &TextNode| block.kid(0).kind == TextNodeKind::Hole;
        !node.kid(2).is_nil()
            && node.kid(1).kids.iter().any(is_conditional)
            && entry.is_none_or(|(entry, _)| is_open(entry.pattern.kid(1)) && is_open(entry.pattern.kid(2)))
    }

    /// Whether the subject of a change is a noun alone: `creature of you`.
    fn is_open_subject(&self, node: &TextNode) -> bool {
        let head = if node.kind == TextNodeKind::Phrase { node.kid(1) } else { node };
        let is_bare = node.kind == TextNodeKind::Word || node.kid(0).is_nil();
        is_bare && head.kind == TextNodeKind::Word && self.local(&head.text).is_none() && self.is_noun(&head.text)
    }

    /// The sentence for a change of a status that has no entry: `this creature becomes charged up`. `None` for other places.
    fn status_change(&mut self, node: &TextNode) -> Option<String> {
        let (place, value) = (node.kid(0), node.kid(1));
        let (owner, status, style) = match (place.kind, node.text.as_str()) {
            (TextNodeKind::Is, "=") if place.text.is_empty() && self.is_status(&place.kid(1).text) => match value.text.as_str() {
                "true" => (place.kid(0), place.kid(1), "status_on"),
                "false" => (place.kid(0), place.kid(1), "status_off"),
                _ => return None,
            },
            (TextNodeKind::Phrase, how) if place.kid(0).is_nil() && self.is_counting_status(&place.kid(1).text) => {
                let style = match how {
                    "+=" => "status_more",
                    "-=" => "status_less",
                    _ => "status_set",
                };
                (place.kid(2).kid(0), place.kid(1), style)
            }
            _ => return None,
        };
        let whose = self.slot(owner, "'s");
        let (owner, status) = (self.text(owner), self.status_word(status));
        let form = self.style(style).replace("{X's}", &whose).replace("{X}", &owner).replace("{S}", &status);
        if !form.contains("{N}") {
            return Some(form);
        }
        let value = self.inline_numbers(value);
        let number = if self.is_japanese() { self.text(&value) } else { self.slot_en(&value, ":numeral") };
        Some(form.replace("{N}", &number))
    }

    /// The name of a status.
    fn status_word(&mut self, status: &TextNode) -> String {
        if self.is_japanese() { self.noun_ja(status) } else { self.noun_en(status, false) }
    }

    /// Whether the condition of an `if` is hidden from players.
    pub(super) fn is_hidden_condition(&self, node: &TextNode) -> bool {
        self.is_hidden(node.kid(0), &AbilityRemainder { all: &node.kids[1..], ..Default::default() })
    }

    /// A copy in which names of numbers are replaced by their values.
    pub(in crate::text) fn inline_numbers(&self, node: &TextNode) -> TextNode {
        let mut made = self.count_what_was_done(node);
        let is_latest = |at: usize, name: &str| self.locals[at + 1..].iter().all(|later| later.name != name);
        for (at, local) in self.locals.iter().enumerate().rev().filter(|(_, local)| local.inline == Some(false)) {
            let is_small = |node: &TextNode| node.weight_up_to(MAX_INLINE_WEIGHT) < MAX_INLINE_WEIGHT;
            if is_latest(at, &local.name) && is_small(&local.value) && is_small(&made) {
                made = made.replace_word(&local.name, &local.value);
            }
        }
        made
    }

    /// The words of an action without an entry: its name, with spaces. `None` if it is no action of the game.
    pub(in crate::text) fn plain_verb(&self, action: &str) -> Option<String> {
        self.builder.names.actions.contains_key(action).then(|| action.replace('_', " "))
    }

    /// The verb and the operands of a call of an action that has no words: its name, with spaces. `None` for anything else, and if
    /// an operand has no words.
    pub(in crate::text) fn plain_call(&mut self, node: &TextNode) -> Option<(String, Vec<String>)> {
        if node.kind != TextNodeKind::Do || !self.builder.names.actions.contains_key(&node.text) {
            return None;
        }
        // A call that also sets states, such as `face_down`, is more than its operands.
        if !node.kid(ADVERBS).kids.is_empty() {
            return None;
        }
        let operands: Vec<TextNode> = node.kids.iter().skip(OPERANDS).filter(|kid| !kid.is_nil()).cloned().collect();
        let texts: Vec<String> = operands.iter().map(|operand| self.text(operand)).collect();
        let has_words = texts.iter().all(|text| !text.is_empty() && !text.contains('⟦'));
        has_words.then(|| (node.text.replace('_', " "), texts))
    }

    pub(in crate::text) fn call(&mut self, node: &TextNode) -> String {
        // an entry may name the player itself
        let names_player = || {
            let entry = self.lexicon.find(LexiconTable::Do, node, self.builder);
            entry.is_some_and(|(entry, _)| {
                entry.pattern.kids.iter().skip(OPERANDS).any(|kid| kid.mentions("player") && !kid.is_word("player"))
            })
        };
        let own = with_own_things(node, self.is_japanese() || !self.style("they").is_empty()).filter(|_| !names_player());
        let node = own.as_ref().unwrap_or(node);
        let chosen = self.with_chosen_target(node);
        let node = chosen.as_ref().unwrap_or(node);
        let scoped = self.with_subjects_things(node);
        let node = scoped.as_ref().unwrap_or(node);
        let placed = self.with_zones_of_any_player(node);
        let node = placed.as_ref().unwrap_or(node);
        if self.is_japanese() { self.call_ja(node) } else { self.call_en(node) }
    }

    /// The call with the target in the place of its name, if the call prints the target and an entry phrases both: `counter target activated or
    /// triggered ability`. `None` for other calls.
    fn with_chosen_target(&mut self, node: &TextNode) -> Option<TextNode> {
        let at =
            (OPERANDS..node.kids.len()).find(|at| node.kid(*at).kind == TextNodeKind::Word && self.is_inline(node.kid(*at)))?;
        let name = node.kid(at).text.clone();
        let value = self.local(&name).filter(|local| local.inline == Some(true) && self.is_target(&local.value))?.value.clone();
        let mut made = node.clone();
        made.kids[at] = value;
        let weight =
            |call: &TextNode| self.lexicon.find(LexiconTable::Do, call, self.builder).map(|(entry, _)| entry.pattern.weight());
        if weight(&made)? <= weight(node).unwrap_or(0) {
            return None;
        }
        let local = self.locals.iter_mut().rev().find(|local| local.name == name)?;
        local.inline = None;
        Some(made)
    }

    pub(in crate::text) fn gets(&mut self, node: &TextNode) -> String {
        let node = self.with_gathered_changes(node);
        if self.is_japanese() { self.gets_ja(&node) } else { self.gets_en(&node) }
    }

    /// Whether the last line of a text is a mode.
    pub(in crate::text) fn ends_with_mode(&self, text: &str) -> bool {
        text.rsplit_once('\n').is_some_and(|(_, last)| last.starts_with(self.style("bullet")))
    }

    pub(in crate::text) fn modes(&mut self, node: &TextNode) -> String {
        let head = if node.text.is_empty() { "modes".to_owned() } else { format!("modes_{}", node.text) };
        // English writes one mode as a word, not as a digit
        let one = !self.is_japanese() && node.kid(0).text == "1" && self.style("one") != "1";
        let number = if one { "one".to_owned() } else { self.slot(node.kid(0), "") };
        let least = self.slot(node.kid(2), "");
        let mut out = self.style(&head).replace("{N}", &number).replace("{M}", &least);
        if !self.is_japanese() {
            out = out.replace("one to two", "one or two");
        }
        let (locals, taken, last_list) = (self.locals.len(), self.taken.len(), self.last_list.clone());
        for mode in &node.kid(1).kids {
            let text = self.sentences(mode);
            self.locals.truncate(locals);
            self.taken.truncate(taken);
            self.last_list.clone_from(&last_list);
            out.push('\n');
            out.push_str(self.style("bullet"));
            let line = self.finish_line(&text);
            out.push_str(&line);
        }
        out
    }
}

/// Whether a node is or contains a repetition.
fn contains_repetition(node: &TextNode) -> bool {
    node.kind == TextNodeKind::Times || node.kids.iter().any(contains_repetition)
}

/// Rewrites `let found = up to 1 card in your deck  put found into your hand` as `put up to 1 card in your deck into your hand`. One of
/// the first two statements must bind a choice that only the next statement mentions, once. `None` otherwise.
fn inline_single_use_choice(statements: &[TextNode]) -> Option<Vec<TextNode>> {
    let named = |at: &usize| {
        let choice = statements.get(*at).map(|statement| statement.kid(0));
        choice.is_some_and(|choice| choice.kind == TextNodeKind::Let && is_choice(choice.kid(1)))
    };
    let at = (0..2).find(named)?;
    let (name, choice) = (statements[at].kid(0).kid(0), statements[at].kid(0).kid(1));
    let next = statements.get(at + 1)?;
    if count_mentions(next, &name.text) != 1 || statements[at + 2..].iter().any(|later| later.mentions(&name.text)) {
        return None;
    }
    let mut made = statements.to_vec();
    made[at + 1] = next.replace_word(&name.text, choice);
    made.remove(at);
    Some(made)
}
