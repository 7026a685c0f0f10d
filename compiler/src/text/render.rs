//! From the text tree to sentences: what all languages have in common. The grammar of each stands in a module of its own.

mod abilities;
mod classify;
mod merge_lines;
mod saved_values;
mod statements;
mod zone_owner;

use crate::sources::Sources;
use crate::text::lexicon::{HoleBindings, Lexicon, LexiconEntry, LexiconTable, TemplatePart};
use crate::text::normalize::{Builder, SUBJECT};
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_grammar::ast::Span;
use fizzle_runtime::ir::Type;
use smol_str::SmolStr;

/// The grammar that a text follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// English.
    English,
    /// Japanese.
    Japanese,
}

/// How an event is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Mood {
    /// It happens.
    Happens,
    /// It would happen.
    Would,
    /// It cannot.
    Cannot,
}

/// A name given on the way.
#[derive(Clone, Debug)]
pub(in crate::text) struct TextLocal {
    pub name: SmolStr,
    /// What it stands for.
    pub value: TextNode,
    /// Said in full where it is met: always, or (`true`) at the first place only.
    pub inline: Option<bool>,
    /// Several things.
    pub plural: bool,
}

/// Writes the texts of one card in one language.
pub struct Renderer<'a> {
    pub(in crate::text) lexicon: &'a Lexicon,
    pub(in crate::text) builder: Builder<'a>,
    pub(in crate::text) sources: &'a Sources,
    pub(in crate::text) grammar: Grammar,
    /// The words of the card.
    pub(in crate::text) words: Vec<SmolStr>,
    /// Its name.
    pub name: String,
    pub(in crate::text) locals: Vec<TextLocal>,
    /// Whose things are meant where nobody is named: of the subject.
    pub(in crate::text) owner: Option<String>,
    /// What the event of the ability happens to.
    pub(in crate::text) event_object: Option<TextNode>,
    /// Sentences that stand before the one under way.
    pub(in crate::text) before: Vec<String>,
    /// What stands behind it.
    pub(in crate::text) after: Option<String>,
    pub(in crate::text) mood: Mood,
    /// Whether what is no plain number may be told behind the sentence.
    pub(in crate::text) tail: bool,
    /// All things of several kinds: `artifacts and creatures`.
    pub(in crate::text) every: bool,
    /// Whether what is said of all things of a kind is said of each of them.
    pub(in crate::text) each: bool,
    /// What the keywords that an ability mentions do, for brackets behind it.
    pub(in crate::text) reminders: Vec<String>,
    /// How many of them have been told.
    pub(in crate::text) reminders_printed: usize,
    /// What could not be said.
    pub gaps: Vec<Span>,
    depth: usize,
}

/// Whether a condition compares with something other than a plain number: `with power < power of this`.
pub(in crate::text) fn is_computed(post: &TextNode) -> bool {
    let test = post.kid(0);
    let compares = matches!(test.text.as_str(), "==" | "<=" | ">=" | "<" | ">");
    let other =
        matches!(test.kid(1).kind, TextNodeKind::Phrase | TextNodeKind::Aggregate | TextNodeKind::Binary | TextNodeKind::Call);
    post.kind == TextNodeKind::That && test.kind == TextNodeKind::Binary && compares && other
}

/// A text never nests deeper: keywords that stand for each other end here.
const DEPTH: usize = 60;

impl<'a> Renderer<'a> {
    /// For a card with these words.
    #[must_use]
    pub fn new(lexicon: &'a Lexicon, builder: Builder<'a>, sources: &'a Sources, grammar: Grammar, words: Vec<SmolStr>) -> Self {
        Self {
            lexicon,
            builder,
            sources,
            grammar,
            words,
            name: String::new(),
            locals: Vec::new(),
            owner: None,
            event_object: None,
            before: Vec::new(),
            after: None,
            mood: Mood::Happens,
            tail: false,
            every: false,
            each: false,
            reminders: Vec::new(),
            reminders_printed: 0,
            gaps: Vec::new(),
            depth: 0,
        }
    }

    pub(in crate::text) fn style(&self, name: &str) -> &'a str {
        let lexicon: &'a Lexicon = self.lexicon;
        lexicon.style(name).unwrap_or("")
    }

    pub(in crate::text) fn is_japanese(&self) -> bool {
        self.grammar == Grammar::Japanese
    }

    /// What cannot be said yet is shown as it was written.
    pub(in crate::text) fn gap(&mut self, node: &TextNode) -> String {
        self.gaps.push(node.span);
        let source = self.sources.slice(node.span).split_whitespace().collect::<Vec<_>>().join(" ");
        format!("⟦{source}⟧")
    }

    /// What an entry says of a node.
    pub(in crate::text) fn lookup(&mut self, table: LexiconTable, node: &TextNode) -> Option<String> {
        if self.depth > DEPTH {
            return None;
        }
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, found) = lexicon.find(table, node, self.builder)?;
        self.depth += 1;
        let text = self.apply(entry, &found);
        self.depth -= 1;
        if table == LexiconTable::Do {
            self.remind(entry, &found);
        }
        Some(text)
    }

    /// Notes the second form of an entry for something done: a reminder, told once behind the ability.
    pub(in crate::text) fn remind(&mut self, entry: &LexiconEntry, found: &HoleBindings) {
        let wanted =
            !self.is_japanese() || matches!(entry.pattern.kind, TextNodeKind::Do | TextNodeKind::Assign | TextNodeKind::Block);
        if let (true, Some(parts)) = (wanted, entry.more.first()) {
            let text = self.fill(parts, found);
            if !self.reminders.contains(&text) {
                self.reminders.push(text);
            }
        }
    }

    /// A template with its holes filled. What stands in brackets is left out where a hole in it has nothing to say.
    pub(in crate::text) fn apply(&mut self, entry: &LexiconEntry, found: &HoleBindings) -> String {
        if entry.pattern.kind == TextNodeKind::Event {
            let mood = self.mood;
            if self.is_japanese() && mood == Mood::Cannot {
                let Some(parts) = entry.more.get(1) else {
                    let text = self.fill(entry.more.first().unwrap_or(&entry.parts), found);
                    return format!("{text}ことはできない");
                };
                return self.fill(parts, found);
            }
            return match (mood, entry.more.first()) {
                (Mood::Cannot, Some(parts)) if !self.is_japanese() => self.fill(parts, found).replace(" would ", " can't "),
                (Mood::Would | Mood::Cannot, Some(parts)) => self.fill(parts, found),
                _ => self.fill(&entry.parts, found),
            };
        }
        self.fill(&entry.parts, found)
    }

    /// What an entry for a condition says before and behind the noun.
    pub(in crate::text) fn post_entry(&mut self, post: &TextNode, head: &TextNode) -> Option<(String, String)> {
        let (entry, mut found) = self.lexicon.post(post)?;
        let hole = Lexicon::head_hole(entry).clone();
        // forms that depend on the noun
        found.push((hole.clone(), head.clone()));
        // what is compared with no plain number may have a form of its own
        let parts = entry.more.first().filter(|_| is_computed(post)).unwrap_or(&entry.parts);
        let at = parts.iter().position(|part| matches!(part, TemplatePart::Slot(name, _) if *name == hole));
        let (front, back) = parts.split_at(at.unwrap_or(0));
        Some((self.fill(front, &found), self.fill(back.get(1..).unwrap_or(&[]), &found)))
    }

    pub(in crate::text) fn fill(&mut self, parts: &[TemplatePart], found: &HoleBindings) -> String {
        let mut out = String::new();
        let mut open: Option<(usize, bool)> = None;
        for part in parts {
            match part {
                TemplatePart::Text(text) => {
                    for c in text.chars() {
                        match c {
                            '[' => open = Some((out.len(), true)),
                            ']' => {
                                if let Some((at, false)) = open.take() {
                                    out.truncate(at);
                                }
                            }
                            _ => out.push(c),
                        }
                    }
                }
                TemplatePart::Slot(name, _)
                    if matches!(name.as_str(), "this" | "name") && !found.iter().any(|(known, _)| known == name) =>
                {
                    out.push_str(&if name == "this" { self.itself() } else { self.name.clone() });
                }
                TemplatePart::Slot(name, _) if name == "line" => out.push('\n'),
                TemplatePart::Slot(name, mode) if name == "self" => {
                    let text = self.by_kind(mode);
                    if let (true, Some((_, said))) = (text.is_empty(), &mut open) {
                        *said = false;
                    }
                    out.push_str(&text);
                }
                // what another card prints
                TemplatePart::Slot(name, mode) if name == "facts" => {
                    let card =
                        TextNode::new(TextNodeKind::Quoted, mode.trim_start_matches([' ', ':']), Vec::new(), Span::default());
                    out.push_str(&self.facts(&card, "facts"));
                }
                // what it does
                TemplatePart::Slot(name, mode) if name == "effects" => {
                    let card =
                        TextNode::new(TextNodeKind::Quoted, mode.trim_start_matches([' ', ':']), Vec::new(), Span::default());
                    out.push_str(&self.effects(&card).join(" "));
                }
                // what the card prints: `race`, or what is said where it prints none
                TemplatePart::Slot(name, mode) if name == "prints" => {
                    let (word, none) = mode.trim_start_matches([' ', ':']).split_once('|').unwrap_or((mode.trim_start(), ""));
                    let said = self.prints(word);
                    let said = if said.is_empty() { none } else { &said };
                    // `a {prints race} creature`: an Angel Command creature
                    if !self.is_japanese() && out.ends_with(" a ") && crate::text::english::article(said) == "an" {
                        out.truncate(out.len() - 1);
                        out.push_str("n ");
                    }
                    out.push_str(said);
                }
                TemplatePart::Slot(name, mode) => match found.iter().find(|(known, _)| known == name) {
                    Some((_, node)) => {
                        let text = self.slot(node, mode);
                        if let (true, Some((_, said))) = (text.is_empty(), &mut open) {
                            *said = false;
                        }
                        out.push_str(&text);
                    }
                    None => {
                        if let Some((_, said)) = &mut open {
                            *said = false;
                        }
                    }
                },
            }
        }
        out
    }

    /// The words in quotes that the card prints for a property: any of them.
    fn prints(&mut self, of: &str) -> String {
        let printed = self.builder.printed;
        let own = |word: &&SmolStr| printed.and_then(|printed| printed.get(*word)).is_some_and(|property| property == of);
        let words: Vec<SmolStr> = self.words.iter().filter(own).cloned().collect();
        let nodes = words.iter().map(|word| TextNode::word(word, Span::default()));
        if self.is_japanese() {
            let said: Vec<String> = nodes.map(|node| self.noun_ja(&node)).collect();
            return said.join(self.style("or"));
        }
        let said: Vec<String> = nodes.map(|node| self.noun_en(&node, false)).collect();
        crate::text::english::chosen(&said, "or")
    }

    /// ` word:this|word:that|else`: by what the card prints.
    pub(in crate::text) fn by_kind(&self, mode: &str) -> String {
        for option in mode.trim_start_matches([' ', ':']).split('|') {
            match option.split_once(':') {
                Some((word, text)) if self.words.iter().any(|known| known == word) => return text.to_owned(),
                Some(_) => {}
                None => return option.to_owned(),
            }
        }
        String::new()
    }

    /// What the object calls itself.
    pub(in crate::text) fn itself(&self) -> String {
        let form = self.lexicon.itself(&self.words).unwrap_or("this");
        form.replace("{name}", &self.name).replace("{short}", self.short_name())
    }

    /// The name without what stands behind a comma: `Akroma` of `Akroma, Angel of Fury`.
    pub(in crate::text) fn short_name(&self) -> &str {
        self.name.split_once(", ").map_or(self.name.as_str(), |(short, _)| short)
    }

    pub(in crate::text) fn slot(&mut self, node: &TextNode, mode: &str) -> String {
        // a word that something gets is that word
        if node.kind == TextNodeKind::Change && node.text == "word" && node.kids.len() == 1 && !mode.is_empty() {
            return self.slot(node.kid(0), mode);
        }
        // `{X:home ZONE}`: whose zone it goes to
        if let Some(zone) = mode.strip_prefix(":home ") {
            return self.home(node, zone);
        }
        // `{X:if NOUN one|other}`: by the noun; `{N:if 2 one|other}`: by the number
        if let Some((nouns, (one, other))) = mode
            .strip_prefix(":if ")
            .and_then(|rest| rest.split_once(' '))
            .and_then(|(nouns, forms)| Some((nouns, forms.split_once('|')?)))
        {
            let noun = if node.kind == TextNodeKind::Phrase { node.kid(1) } else { node };
            let is = |known: &str| noun.is_word(known) || noun.kind == TextNodeKind::Number && noun.text == known;
            return (if nouns.split(',').any(is) { one } else { other }).to_owned();
        }
        // `{K:others}`: the other cards that print a word
        if mode == ":others" {
            return self.printing(&node.text);
        }
        // `{N:symbols U}`: `{U}`, as often as the number says
        if let Some(symbol) = mode.strip_prefix(":symbols ").filter(|_| node.kind == TextNodeKind::Number) {
            return format!("{{{symbol}}}").repeat(node.text.parse().unwrap_or(0));
        }
        match (mode, node.kind) {
            (":quoted", _) => return self.quoted(node),
            (":generic", TextNodeKind::Number) => return format!("{{{}}}", node.text),
            (":signed", TextNodeKind::Number) if node.text == "0" => return "0".to_owned(),
            (":signed", TextNodeKind::Number) => return format!("+{}", node.text),
            (":signed", TextNodeKind::Negative) => return format!("−{}", node.kid(0).text),
            _ => {}
        }
        if let Some(forms) = mode.strip_prefix(':')
            && let Some((one, several)) = forms.split_once('|')
        {
            let several_of = self.is_plural(node) || node.is_word("you") && !self.is_japanese();
            return if several_of { several.to_owned() } else { one.to_owned() };
        }
        if node.kind == TextNodeKind::Event {
            let mood = match mode {
                ":would" => Mood::Would,
                ":cannot" => Mood::Cannot,
                _ => Mood::Happens,
            };
            let before = std::mem::replace(&mut self.mood, mood);
            let text = self.text(node);
            self.mood = before;
            return text;
        }
        if node.kind == TextNodeKind::Block && !mode.starts_with(":cost") && !matches!(mode, ":pay" | ":ing") {
            let text = self.sentences(node);
            return match mode {
                ":cap" => crate::text::english::capital(&text),
                _ if self.is_japanese() => self.form_ja(&text, mode),
                _ => text,
            };
        }
        if self.is_japanese() { self.slot_ja(node, mode) } else { self.slot_en(node, mode) }
    }

    /// The subject of a verb, if it is somebody else than the player whose text it is.
    pub(in crate::text) fn subject_of(&self, node: &TextNode) -> Option<TextNode> {
        let written = node.kid(SUBJECT);
        if written.is_word("you") {
            return None;
        }
        if !written.is_nil() {
            return Some(written.clone());
        }
        let (params, subject) = self.builder.parameters(&node.text);
        let (_, ty) = params.get(subject?)?;
        (*ty != Some(Type::Player)).then(|| TextNode::word("this", node.span))
    }

    /// The names of the other cards that print a word.
    fn printing(&mut self, word: &str) -> String {
        let (names, lexicon) = (self.builder.names, self.lexicon);
        let mut made: Vec<String> = Vec::new();
        for (name, card) in &names.cards {
            let Some(card) = card.filter(|card| crate::text::words(card).iter().any(|known| known == word)) else { continue };
            let own = lexicon.name(name).and_then(|forms| forms.first()).map_or(name.as_str(), String::as_str);
            if own != self.name {
                made.push(self.slot_plain(&TextNode::new(TextNodeKind::Quoted, name.clone(), Vec::new(), card.name.span)));
            }
        }
        made.join(self.style("or"))
    }

    /// The lines of another card without the signs before them.
    fn effects(&mut self, node: &TextNode) -> Vec<String> {
        let signs = self.lexicon.styles("lines");
        let plain = |line: String| signs.iter().find_map(|sign| line.strip_prefix(sign.as_str())).unwrap_or(&line).to_owned();
        self.lines_of(node).into_iter().map(plain).collect()
    }

    /// The text of another card, in quotes.
    fn quoted(&mut self, node: &TextNode) -> String {
        let lines = self.lines_of(node);
        if self.is_japanese() { format!("「{}」", lines.concat()) } else { format!("\"{}\"", lines.join(" ")) }
    }

    fn lines_of(&mut self, node: &TextNode) -> Vec<String> {
        let Some(Some(card)) = self.builder.names.cards.get(&node.text).copied() else { return vec![self.gap(node)] };
        let mut other = Renderer::new(self.lexicon, self.builder, self.sources, self.grammar, crate::text::words(card));
        other.name = card.name.text.to_string();
        let lines = crate::text::card_lines(card, self.builder, &mut other);
        self.gaps.append(&mut other.gaps);
        lines
    }

    /// Anything, in its usual form.
    pub(in crate::text) fn text(&mut self, node: &TextNode) -> String {
        self.depth += 1;
        let text = if self.depth > DEPTH { self.gap(node) } else { self.plain(node) };
        self.depth -= 1;
        if node.kind == TextNodeKind::Event && !self.is_japanese() { self.of_several(node, text) } else { text }
    }

    pub(in crate::text) fn plain(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Nil => return String::new(),
            TextNodeKind::Number => return self.slot_plain(node),
            TextNodeKind::Price => return self.lookup(LexiconTable::Value, node).unwrap_or_else(|| self.slot_plain(node)),
            TextNodeKind::Block => return self.sentences(node),
            TextNodeKind::Statement => return self.act(node.kid(0)),
            _ => {}
        }
        let table = match node.kind {
            TextNodeKind::Event => LexiconTable::Event,
            TextNodeKind::Until => LexiconTable::Until,
            TextNodeKind::Change => LexiconTable::Change,
            TextNodeKind::Cannot | TextNodeKind::Clause => LexiconTable::Do,
            TextNodeKind::Moment => LexiconTable::Until,
            _ => LexiconTable::Value,
        };
        if node.kind == TextNodeKind::Moment {
            let whole = TextNode::new(TextNodeKind::Until, "", vec![node.clone()], node.span);
            if let Some(text) = self.lookup(LexiconTable::Until, &whole) {
                return text;
            }
        } else if !self.is_inline(node)
            && !self.stands_for_number(node)
            && (self.is_japanese() || self.style("target").is_empty() || !self.is_target(node))
            && let Some(text) = self.lookup(table, node)
        {
            return text;
        }
        match node.kind {
            TextNodeKind::Until if node.kids.len() > 1 => {
                let texts: Vec<String> = node
                    .kids
                    .iter()
                    .map(|kid| self.text(&TextNode::new(TextNodeKind::Until, "", vec![kid.clone()], kid.span)))
                    .collect();
                texts.join(self.style("or"))
            }
            TextNodeKind::Keyword => self.keyword_name(node).unwrap_or_else(|| self.gap(node)),
            // whose limit it is must be said by an entry
            TextNodeKind::Limit if node.text != "limit" => self.gap(node),
            TextNodeKind::Limit => {
                let span = self.slot(node.kid(1), ":bare");
                let number = self.slot(node.kid(0), "");
                let style = if node.kid(0).text == "1" { "limit" } else { "limits" };
                self.style(style).replace("{P}", &span).replace("{N}", &number)
            }
            TextNodeKind::Cannot => {
                let mut event = node.kid(0).clone();
                let condition = event.kid(3).clone();
                let lexicon: &'a Lexicon = self.lexicon;
                let whole = lexicon.find(LexiconTable::Event, &event, self.builder).is_some();
                if !whole && let Some(slot) = event.kids.get_mut(3) {
                    *slot = TextNode::nil();
                }
                let mut event = self.slot(&event, ":cannot");
                if !whole && !condition.is_nil() {
                    let (plain, before) = (self.text(&condition), self.slot(&condition, ":if"));
                    event = self.style("cannot_if").replace("{E}", &event).replace("{C}", &plain).replace("{C:if}", &before);
                }
                let until = self.text(node.kid(1));
                match (until.is_empty(), self.is_japanese()) {
                    (true, _) => event,
                    (false, true) => format!("{}、{event}", self.this_turn(until)),
                    (false, false) => format!("{event} {}", self.this_turn(until)),
                }
            }
            _ => self.slot_plain(node),
        }
    }

    pub(in crate::text) fn slot_plain(&mut self, node: &TextNode) -> String {
        if self.is_japanese() { self.value_ja(node) } else { self.value_en(node) }
    }
}

/// With a small first letter, where the rest of the word is small.
pub(in crate::text) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}
