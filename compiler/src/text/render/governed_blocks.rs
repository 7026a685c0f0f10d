//! Sentences of a block that a condition, a time or a number governs. All of them are printed under it: joined into one sentence (`if …, draw
//! a card and gain 1 life`), or each with a reference to it (`in that case, …`).

use crate::text::english::{join_list, join_sentences};
use crate::text::japanese;
use crate::text::line_marks::REMINDER;
use crate::text::normalize::{BINDING, MAY};
use crate::text::pattern_match::{LexiconEntry, LexiconTable, TemplatePart};
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// A sentence, with what decides how it can be joined to the one before.
#[derive(Clone, Debug)]
pub(in crate::text) struct Sentence {
    /// The link to the sentence before: empty, or the name of a setting.
    pub(in crate::text) link: SmolStr,
    /// The text, without a full stop.
    pub(in crate::text) text: String,
    /// Whether the player whose text it is acts.
    is_own_action: bool,
    /// Whether it names what a sentence before it has made or moved.
    refers_back: bool,
    /// Whether it reads what a sentence before it changes.
    depends_on_order: bool,
    /// Whether it has a condition in addition to that of its block.
    is_conditional: bool,
    /// Whether a player may do it.
    is_optional: bool,
    /// Whether it refers to the condition of its block.
    is_marked: bool,
    /// Whether another player did what the link of the sentence refers to: `if they do`.
    pub(in crate::text) is_of_others: bool,
}

/// What governs a block that is about each player: its sentences name *each player* again, since *them* could be other things.
pub(super) const EACH_PLAYER: &str = "each_player";

/// A block that begins with a condition of its first statement alone: the next sentence says that it does not depend on that.
pub(super) const OPEN_CONDITION: &str = "open";

/// The same in an ability that has a condition as well: that one holds for the next sentence, too.
pub(super) const OPEN_SECOND_CONDITION: &str = "open_second";

/// The block without what governs it, for texts that do not print that.
pub(super) fn ungoverned(block: &TextNode) -> TextNode {
    TextNode { text: SmolStr::default(), ..block.clone() }
}

impl Renderer<'_> {
    /// The sentence of the statement at an index.
    pub(super) fn sentence(&self, statements: &[TextNode], at: usize, text: String) -> Sentence {
        let (before, rest) = statements.split_at(at.min(statements.len()));
        let nil = TextNode::nil();
        let act = rest.first().map_or(&nil, |statement| statement.kid(0));
        let is_of_others = self.is_behind_others(before);
        let text = if is_of_others { self.with_own_subject(act, text) } else { text };
        let before: Vec<&TextNode> = before.iter().map(|statement| statement.kid(0)).collect();
        let is_named = |other: &&TextNode| made_name(other).is_some_and(|name| act.mentions(name));
        Sentence {
            link: rest.first().map_or_else(SmolStr::default, |statement| statement.text.clone()),
            is_own_action: self.is_own_action(act),
            refers_back: before.iter().any(is_named),
            depends_on_order: self.reads_changes(act, &before),
            is_conditional: act.kind == TextNodeKind::If,
            is_optional: is_optional(act),
            is_marked: false,
            is_of_others,
            text,
        }
    }

    /// The sentence of something that the player whose text it is does, with that player as its subject. Behind a sentence about another player Japanese
    /// would be read as about that one.
    pub(super) fn with_own_subject(&self, act: &TextNode, text: String) -> String {
        let you = self.style("you_do");
        let (params, subject) = self.builder.parameters(&act.text);
        let is_by_player = subject.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Player));
        let has_subject = japanese::without_targets(&text).split(['、', '。']).next().is_some_and(|clause| clause.contains('は'));
        let is_own = act.kind == TextNodeKind::Do && is_by_player && self.is_own_action(act);
        if is_own && self.is_japanese() && !has_subject && !text.is_empty() { self.insert_reference(you, &text) } else { text }
    }

    /// Whether the last of these statements is done by a player other than the one whose text it is.
    pub(super) fn is_behind_others(&self, before: &[TextNode]) -> bool {
        // what an entry phrases as done by the player who chose
        let pair = before.len().checked_sub(2).and_then(|at| before.get(at..)).unwrap_or_default();
        let is_passage = self.lexicon.find_sequence(pair).is_some_and(|(.., length)| length == 2);
        if is_passage && pair.first().is_some_and(|first| self.is_others_action(first.kid(0))) {
            return true;
        }
        let acts = before.iter().rev().map(|statement| statement.kid(0));
        acts.into_iter().find(|act| act.kind != TextNodeKind::Let).is_some_and(|act| self.is_others_action(act))
    }

    /// Whether a player other than the one whose text it is does this.
    fn is_others_action(&self, act: &TextNode) -> bool {
        match act.kind {
            TextNodeKind::Do => {
                let Some(subject) = self.subject_of(act) else { return false };
                let (params, at) = self.builder.parameters(&act.text);
                let is_player = at.and_then(|at| params.get(at)).is_none_or(|(_, ty)| *ty == Some(Type::Player));
                let is_you = self.local(&subject.text).is_some_and(|local| local.value.is_word("you"));
                is_player && !is_you && !subject.is_word("this") && !subject.is_word("it")
            }
            TextNodeKind::Sentence => act.kids.last().is_some_and(|last| self.is_others_action(last)),
            _ => false,
        }
    }

    /// Whether an entry joins statements by `and` of which a later one reads what an earlier one changes: `draw a card and lose life equal to
    /// the number of cards in your hand`.
    pub(super) fn hides_order(&self, entry: &LexiconEntry, statements: &[TextNode]) -> bool {
        let joins = |part: &TemplatePart| matches!(part, TemplatePart::Text(text) if text.contains(" and "));
        let acts: Vec<&TextNode> = statements.iter().map(|statement| statement.kid(0)).collect();
        let are_simple = acts.iter().all(|act| act.kind == TextNodeKind::Do && act.text != "choose");
        let depends = |at: usize| self.reads_changes(acts[at], &acts[..at]);
        !self.is_japanese() && are_simple && entry.parts.iter().any(joins) && (1..acts.len()).any(depends)
    }

    /// Whether an action reads what the actions before it may change.
    fn reads_changes(&self, act: &TextNode, before: &[&TextNode]) -> bool {
        act.kind == TextNodeKind::Do && !before.is_empty() && self.may_change(act, before)
    }

    /// Whether what a template prints behind a block, which begins with `end`, would cover its last sentence or clause only: `draw a card. You gain 1 life
    /// at end of turn`.
    pub(super) fn has_open_sentences(&self, block: &TextNode, text: &str, end: Option<&TemplatePart>) -> bool {
        let is_clause =
            block.kids.len() > 1 && !self.has_next && matches!(end, Some(TemplatePart::Text(end)) if end.starts_with(' '));
        block.kind == TextNodeKind::Block
            && !block.text.is_empty()
            && !self.is_japanese()
            && (is_clause || crate::text::english::lines::without_reminders(text).contains(". "))
    }

    /// Whether the player whose text it is does this, unprompted.
    fn is_own_action(&self, act: &TextNode) -> bool {
        match act.kind {
            TextNodeKind::Do if !act.kid(MAY).is_nil() => false,
            TextNodeKind::Do => {
                let entry = self.lexicon.find(LexiconTable::Do, act, self.builder);
                self.subject_of(act).is_none() && (self.is_japanese() || entry.is_none_or(|(entry, _)| !entry.names_subject()))
            }
            // the text notes a number
            TextNodeKind::CreateCopy | TextNodeKind::Let => true,
            TextNodeKind::Sentence => self.is_own_action(act.kid(0)),
            TextNodeKind::Times => self.is_own_action(act.kid(1).kid(0).kid(0)),
            _ => false,
        }
    }

    /// Joins the sentences of a block that is governed, as far as they can be read as one, and marks the others. Other blocks stay as they
    /// are.
    pub(super) fn governed(&self, by: &str, sentences: Vec<Sentence>) -> Vec<Sentence> {
        let mut sentences: Vec<Sentence> = sentences.into_iter().filter(|sentence| !sentence.text.is_empty()).collect();
        if by.is_empty() || sentences.len() < 2 {
            return sentences;
        }
        if matches!(by, OPEN_CONDITION | OPEN_SECOND_CONDITION) {
            let reference = if by == OPEN_CONDITION { "governed_either" } else { "governed_first" };
            if let [first, second, ..] = sentences.as_mut_slice()
                && first.is_conditional
                && matches!(second.link.as_str(), "" | "then")
            {
                second.text = self.insert_reference(self.style(reference), &second.text);
                second.link = SmolStr::default();
            }
            return sentences;
        }
        // those that an inner block has marked
        sentences.iter_mut().filter(|sentence| sentence.is_marked).for_each(|sentence| sentence.is_conditional = true);
        let mut made: Vec<Sentence> = Vec::new();
        let mut rest = sentences.drain(..).peekable();
        while let Some(first) = rest.next() {
            let mut run = vec![first];
            while let Some(next) = rest.next_if(|next| self.can_join(&run, next)) {
                run.push(next);
            }
            let mut sentence = self.join_run(run);
            if let Some(last) = made.last() {
                self.mark_as_governed(by, last, &mut sentence);
            }
            made.push(sentence);
        }
        made
    }

    /// Whether a sentence can be joined to a run by `and`.
    fn can_join(&self, run: &[Sentence], next: &Sentence) -> bool {
        let Some((first, last)) = run.first().zip(run.last()) else { return false };
        let is_open = |one: &Sentence| !one.is_conditional && self.can_be_continued(&one.text);
        let is_plain = !next.is_conditional && self.can_continue(&next.text);
        // `that creature has flying` is a sentence, of what the one before has made
        let is_remark = next.refers_back && !next.is_own_action && !next.is_optional;
        // a Japanese sentence without a subject takes over the one before
        let keeps_subject = !self.is_japanese() || last.is_own_action || !next.is_own_action;
        next.link.is_empty()
            && matches!(first.link.as_str(), "" | "then")
            && is_open(last)
            && is_plain
            && keeps_subject
            && !is_remark
            && (!next.depends_on_order || self.is_japanese())
    }

    /// Whether something can be joined behind a text: it is one clause, whose end and options do not cover what follows.
    fn can_be_continued(&self, text: &str) -> bool {
        let text = crate::text::english::lines::without_reminders(text);
        if self.is_japanese() {
            let text = japanese::without_targets(&text);
            let may = self.style("may").rsplit('}').next().unwrap_or("");
            return is_one_clause_ja(text) && (may.is_empty() || !text.ends_with(may.trim_end_matches('る')));
        }
        let may = format!("{} ", self.style("you_may"));
        is_one_clause(&text) && !text.starts_with(&may) && !text.contains(" may ") && !text.contains(" for each ")
    }

    /// Whether a text can be joined behind another one: it is one clause, perhaps with the meaning of its number behind it.
    fn can_continue(&self, text: &str) -> bool {
        let text = crate::text::english::lines::without_reminders(text);
        if self.is_japanese() {
            return is_one_clause_ja(&text) && japanese::without_targets(&text) == text;
        }
        let front = text.split_once(", where ").map_or(text.as_str(), |(front, _)| front);
        is_one_clause(front)
    }

    /// One sentence of several that can be joined.
    fn join_run(&self, run: Vec<Sentence>) -> Sentence {
        let mut run = run;
        // reminders go behind the whole sentence
        let mut reminders = String::new();
        if run.len() > 1 {
            for sentence in &mut run {
                let (text, marked) = split_reminders(&sentence.text);
                (sentence.text, reminders) = (text, reminders + &marked);
            }
        }
        let texts: Vec<String> = run.iter().map(|sentence| sentence.text.clone()).collect();
        let text = match texts.as_slice() {
            [one] => one.clone(),
            _ if self.is_japanese() => japanese::join_sentences(&texts) + &reminders,
            _ => join_clauses(&run) + &reminders,
        };
        let (is_own_action, is_optional) = run.last().map_or((false, false), |last| (last.is_own_action, last.is_optional));
        let first = run.into_iter().next();
        let joined = first.map(|first| Sentence { text, is_own_action, is_optional, ..first });
        joined.unwrap_or_else(|| self.sentence(&[], 0, String::new()))
    }

    /// Adds to a sentence that is not joined to the one before a reference to what governs its block.
    fn mark_as_governed(&self, by: &str, before: &Sentence, sentence: &mut Sentence) {
        let is_alternative = matches!(before.link.as_str(), "if_you_do" | "when_you_do" | "otherwise" | "if_not_done");
        match sentence.link.as_str() {
            "otherwise" if by == "if" => sentence.link = "if_not_done".into(),
            "" if sentence.refers_back || sentence.is_marked => {}
            "" if sentence.depends_on_order && !is_alternative && self.can_continue(&sentence.text) => {
                sentence.link = "then".into()
            }
            "" => {
                let (own, first) = match by {
                    "at" => ("governed_at", "governed_either"),
                    "each" => ("governed_each", "governed_either"),
                    EACH_PLAYER => ("governed_each_player", "governed_either"),
                    "times" => ("governed_times", "governed_either"),
                    _ => ("governed_if", "governed_first"),
                };
                // behind a condition or a choice inside of the block, `in that case` would refer to that
                let inner = match before {
                    _ if is_alternative || before.is_optional => Some("governed_whether"),
                    _ if before.is_conditional => Some(first),
                    _ => None,
                };
                let own = if inner.is_some() && own == "governed_if" { "" } else { self.style(own) };
                let reference = format!("{own}{}", inner.map_or("", |inner| self.style(inner)));
                sentence.text = self.insert_reference(&reference, &sentence.text);
                sentence.is_marked = true;
            }
            _ => {}
        }
    }

    /// A sentence behind a reference. Announced targets stay before it.
    fn insert_reference(&self, reference: &str, text: &str) -> String {
        if !self.is_japanese() {
            return format!("{reference}{text}");
        }
        let rest = japanese::without_targets(text);
        let targets = text.strip_suffix(rest).unwrap_or("");
        format!("{targets}{reference}{rest}")
    }
}

/// Several sentences and what a template prints behind them, after the text `out`. An end such as `at end of turn` or `instead` goes before
/// the sentences.
pub(super) fn move_end_first(out: &str, text: &str, end: &str) -> String {
    let is_clause = !end.starts_with(", or");
    match end.strip_prefix([' ', ',']).filter(|_| is_clause) {
        None => format!("{text}{end}"),
        Some(end) if out.is_empty() => format!("{}, {text}", end.trim_start()),
        Some(end) => format!("{} {text}", end.trim_start()),
    }
}

/// The name that an action gives to what it makes or moves.
fn made_name(act: &TextNode) -> Option<&SmolStr> {
    let name = match act.kind {
        TextNodeKind::Do if act.text != "choose" => act.kid(BINDING),
        TextNodeKind::CreateCopy => act.kid(4),
        _ => return None,
    };
    (!name.is_nil()).then_some(&name.text)
}

/// Whether a player may do something.
fn is_optional(act: &TextNode) -> bool {
    match act.kind {
        TextNodeKind::Do => !act.kid(MAY).is_nil(),
        TextNodeKind::Sentence => is_optional(act.kid(0)),
        _ => false,
    }
}

/// Whether an English text is one clause, so that `and` behind it continues all of it.
fn is_one_clause(text: &str) -> bool {
    const OPENINGS: [&str; 9] = ["if ", "for each ", "until ", "when ", "whenever ", "at ", "during ", "choose ", "as long as "];
    const LIMITS: [&str; 5] = [" unless ", " instead", " if ", " as long as ", " when "];
    !text.contains([',', '.', ';', ':', '"', '\n'])
        && !OPENINGS.iter().any(|opening| text.starts_with(opening))
        && !LIMITS.iter().any(|limit| text.contains(limit))
}

/// Whether a Japanese text is one clause, so that a verb form can join it to another one.
fn is_one_clause_ja(text: &str) -> bool {
    const HEADS: [&str; 8] = ["なら、", "場合、", "とき、", "時、", "時に、", "たび、", "度に、", "かぎり、"];
    !text.contains(['。', '\n']) && !HEADS.iter().any(|head| text.contains(head))
}

/// A text without its reminders, and these with their marks.
fn split_reminders(text: &str) -> (String, String) {
    let is_reminder = |at: usize| at % 2 == 1;
    let (mut plain, mut reminders) = (String::new(), String::new());
    for (at, part) in text.split(REMINDER).enumerate() {
        match is_reminder(at) {
            true => reminders.push_str(&format!("{REMINDER}{part}{REMINDER}")),
            false => plain.push_str(part),
        }
    }
    (plain, reminders)
}

/// Joins English sentences to one. The player whose text it is is named behind another subject, and once.
fn join_clauses(run: &[Sentence]) -> String {
    let mut clauses: Vec<String> = Vec::new();
    let mut is_own = true;
    for sentence in run {
        let text = sentence.text.as_str();
        let without_you = text.strip_prefix("you ").filter(|rest| !rest.starts_with("may ") && !rest.starts_with("can"));
        let is_next = !clauses.is_empty();
        let shared = ["each player ", "each opponent "]
            .into_iter()
            .find(|who| text.starts_with(who) && run.iter().all(|one| one.text.starts_with(who)));
        clauses.push(match without_you {
            _ if is_next && shared.is_some() => text.strip_prefix(shared.unwrap_or("")).unwrap_or(text).to_owned(),
            Some(rest) if is_next && is_own => rest.to_owned(),
            None if is_next && !is_own && sentence.is_own_action => format!("you {text}"),
            _ => text.to_owned(),
        });
        is_own &= sentence.is_own_action || without_you.is_some();
    }
    if clauses.len() == 2 { join_sentences(&clauses) } else { join_list(&clauses) }
}
