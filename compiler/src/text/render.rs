//! From the text tree to sentences: what all languages have in common. The grammar of each stands in a module of its own.

use super::build::{BINDING, Builder, MAY, OPERANDS, SUBJECT};
use super::lexicon::{Entry, Found, Lexicon, Part, Table};
use super::node::{Kind, Node};
use crate::names::Meaning;
use crate::sources::Sources;
use fizzle_grammar::tree::Span;
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
pub(super) enum Mood {
    /// It happens.
    Happens,
    /// It would happen.
    Would,
    /// It cannot.
    Cannot,
}

/// A name given on the way.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub name: SmolStr,
    /// What it stands for.
    pub value: Node,
    /// Said in full where it is met: always, or (`true`) at the first place only.
    pub inline: Option<bool>,
    /// Several things.
    pub plural: bool,
}

/// Writes the texts of one card in one language.
pub struct Renderer<'a> {
    pub(super) lexicon: &'a Lexicon,
    pub(super) builder: Builder<'a>,
    pub(super) sources: &'a Sources,
    pub(super) grammar: Grammar,
    /// The words of the card.
    pub(super) words: Vec<SmolStr>,
    /// Its name.
    pub name: String,
    pub(super) locals: Vec<Local>,
    /// Whose things are meant where nobody is named: of the subject.
    pub(super) owner: Option<String>,
    /// Sentences that stand before the one under way.
    pub(super) before: Vec<String>,
    /// What stands behind it.
    pub(super) after: Option<String>,
    pub(super) mood: Mood,
    /// What could not be said.
    pub gaps: Vec<Span>,
    depth: usize,
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
            before: Vec::new(),
            after: None,
            mood: Mood::Happens,
            gaps: Vec::new(),
            depth: 0,
        }
    }

    pub(super) fn style(&self, name: &str) -> &'a str {
        let lexicon: &'a Lexicon = self.lexicon;
        lexicon.style(name).unwrap_or("")
    }

    pub(super) fn is_japanese(&self) -> bool {
        self.grammar == Grammar::Japanese
    }

    /// What cannot be said yet is shown as it was written.
    pub(super) fn gap(&mut self, node: &Node) -> String {
        self.gaps.push(node.span);
        let source = self.sources.slice(node.span).split_whitespace().collect::<Vec<_>>().join(" ");
        format!("⟦{source}⟧")
    }

    /// The lines of an ability. None is printed for what players need not read.
    pub fn ability(&mut self, node: &Node) -> Vec<String> {
        self.locals.clear();
        self.owner = None;
        self.before.clear();
        let node = self.pruned(node);
        if node.kind == Kind::Keyword {
            return self.keyword(&node);
        }
        self.know_event(&node);
        if let Some(text) = self.lookup(Table::Ability, &node) {
            return if text.is_empty() { Vec::new() } else { vec![self.finished(&text)] };
        }
        match node.kind {
            Kind::Does => {
                let text = self.sentences(node.kid(0));
                vec![self.finished(&text)]
            }
            Kind::Static if node.kid(0).is_nil() => {
                let text = self.sentences(node.kid(1));
                vec![self.finished(&text)]
            }
            Kind::Cannot | Kind::Clause => {
                let text = self.text(&node);
                if text.is_empty() { Vec::new() } else { vec![self.finished(&text)] }
            }
            _ => vec![self.gap(&node)],
        }
    }

    /// The parameters of the event that an ability waits for have names in it.
    fn know_event(&mut self, ability: &Node) {
        let event = match ability.kind {
            Kind::When | Kind::Instead | Kind::Cannot | Kind::DelayedWhen => ability.kid(0),
            _ => return,
        };
        let (params, subject) = self.builder.parameters(match event.text.as_str() {
            "enter" | "leave" => "put",
            other => other,
        });
        let passive = !event.kid(4).is_nil();
        let first =
            if passive { params.iter().position(|(_, ty)| *ty != Some(Type::Player)).unwrap_or(0) } else { subject.unwrap_or(0) };
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        for (at, part) in [(Some(first), event.kid(0)), (second, event.kid(1))] {
            let Some((name, _)) = at.and_then(|at| params.get(at)) else { continue };
            if name == "it" || part.is_nil() || name == "you" {
                continue;
            }
            self.locals.push(Local { name: name.clone(), value: part.clone(), inline: None, plural: false });
        }
    }

    /// A line with its first letter large and its end.
    pub(super) fn finished(&self, text: &str) -> String {
        let end = self.style("end");
        let text = text.trim();
        let text = text.replace('^', "");
        let text = if self.is_japanese() { self.counted_ja(&text.replace('|', "")) } else { super::english::sentences(&text) };
        let closed = text.ends_with(['.', '。', '」', '"', ')', '）', ':']) || text.contains('\n');
        if closed || end.is_empty() { text } else { format!("{text}{end}") }
    }

    /// A name that begins a line.
    pub(super) fn capitalised(&self, name: &str) -> String {
        if self.is_japanese() { name.to_owned() } else { super::english::capital(name) }
    }

    /// A keyword: its name, or what it stands for.
    fn keyword(&mut self, node: &Node) -> Vec<String> {
        if let Some(text) = self.keyword_name(node) {
            return if text.is_empty() { Vec::new() } else { vec![self.capitalised(&text)] };
        }
        if let Some(lines) = self.spelt(node) {
            return lines;
        }
        vec![self.gap(node)]
    }

    /// The name of a keyword with its arguments.
    pub(super) fn keyword_name(&mut self, node: &Node) -> Option<String> {
        if let Some(text) = self.lookup(Table::Ability, node) {
            return Some(text);
        }
        self.lexicon_name(node)
    }

    /// Whether the texts say something of a printed word as they do of a keyword.
    pub(super) fn is_said(&self, node: &Node) -> bool {
        self.lexicon.find(Table::Ability, node, self.builder).is_some()
    }

    /// The name of a keyword inside a sentence.
    pub(super) fn keyword_short(&mut self, node: &Node) -> Option<String> {
        if node.kids.is_empty()
            && let Some(short) = self.lexicon.name(&node.text).and_then(|forms| forms.get(1))
        {
            return Some(short.clone());
        }
        self.keyword_name(node)
    }

    fn lexicon_name(&self, node: &Node) -> Option<String> {
        if node.kids.is_empty() { self.lexicon.name(&node.text).and_then(|forms| forms.first()).cloned() } else { None }
    }

    /// What a keyword without a name of its own stands for.
    fn spelt(&mut self, node: &Node) -> Option<Vec<String>> {
        if self.depth > 4 {
            return None;
        }
        let (params, abilities) = self.builder.keywords?.get(&node.text)?;
        let mut lines = Vec::new();
        self.depth += 1;
        for ability in *abilities {
            let mut spelt = self.builder.ability(ability);
            for (param, value) in params.iter().zip(&node.kids) {
                spelt = spelt.with(&param.name.text, value);
            }
            lines.extend(self.ability(&spelt));
        }
        self.depth -= 1;
        Some(lines)
    }

    /// What an entry says of a node.
    pub(super) fn lookup(&mut self, table: Table, node: &Node) -> Option<String> {
        if self.depth > DEPTH {
            return None;
        }
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, found) = lexicon.find(table, node, self.builder)?;
        self.depth += 1;
        let text = self.apply(entry, &found);
        self.depth -= 1;
        Some(text)
    }

    /// A template with its holes filled. What stands in brackets is left out where a hole in it has nothing to say.
    pub(super) fn apply(&mut self, entry: &Entry, found: &Found) -> String {
        if entry.pattern.kind == Kind::Event {
            let mood = self.mood;
            let at = if self.is_japanese() && mood == Mood::Cannot { 1 } else { 0 };
            return match (mood, entry.more.get(at).or(entry.more.first())) {
                (Mood::Cannot, Some(parts)) if !self.is_japanese() => self.fill(parts, found).replace(" would ", " can't "),
                (Mood::Would | Mood::Cannot, Some(parts)) => self.fill(parts, found),
                _ => self.fill(&entry.parts, found),
            };
        }
        self.fill(&entry.parts, found)
    }

    /// What an entry for a condition says before and behind the noun.
    pub(super) fn post_entry(&mut self, post: &Node) -> Option<(String, String)> {
        let (entry, found) = self.lexicon.post(post)?;
        let hole = Lexicon::head_hole(entry).clone();
        let at = entry.parts.iter().position(|part| matches!(part, Part::Slot(name, _) if *name == hole));
        let (front, back) = entry.parts.split_at(at.unwrap_or(0));
        Some((self.fill(front, &found), self.fill(back.get(1..).unwrap_or(&[]), &found)))
    }

    pub(super) fn fill(&mut self, parts: &[Part], found: &Found) -> String {
        let mut out = String::new();
        let mut open: Option<(usize, bool)> = None;
        for part in parts {
            match part {
                Part::Text(text) => {
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
                Part::Slot(name, _)
                    if matches!(name.as_str(), "this" | "name") && !found.iter().any(|(known, _)| known == name) =>
                {
                    out.push_str(&if name == "this" { self.itself() } else { self.name.clone() });
                }
                Part::Slot(name, mode) if name == "self" => out.push_str(&self.by_kind(mode)),
                Part::Slot(name, mode) => match found.iter().find(|(known, _)| known == name) {
                    Some((_, node)) => {
                        let text = self.slot(node, mode);
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

    /// ` word:this|word:that|else`: by what the card prints.
    fn by_kind(&self, mode: &str) -> String {
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
    pub(super) fn itself(&self) -> String {
        self.lexicon.itself(&self.words).unwrap_or("this").replace("{name}", &self.name)
    }

    fn slot(&mut self, node: &Node, mode: &str) -> String {
        if let Some(forms) = mode.strip_prefix(':')
            && let Some((one, several)) = forms.split_once('|')
        {
            return if self.is_plural(node) { several.to_owned() } else { one.to_owned() };
        }
        if node.kind == Kind::Event {
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
        if node.kind == Kind::Block && !mode.starts_with(":cost") && mode != ":pay" {
            let text = self.sentences(node);
            return match mode {
                ":cap" => super::english::capital(&text),
                _ if self.is_japanese() => self.form_ja(&text, mode),
                _ => text,
            };
        }
        if self.is_japanese() { self.slot_ja(node, mode) } else { self.slot_en(node, mode) }
    }

    /// Whether it is several things.
    pub(super) fn is_plural(&self, node: &Node) -> bool {
        match node.kind {
            Kind::Number => node.text != "1",
            Kind::Phrase => match node.kid(0).text.as_str() {
                "exactly" | "target" | "random" | "top" | "bottom" | "up_to" | "target_up_to" => {
                    !(node.kid(0).kid(0).kind == Kind::Number && node.kid(0).kid(0).text == "1")
                }
                "any" | "range" | "target_range" | "no" => true,
                "each" => self.style("each") == "all" || self.is_owned(node),
                "some" => false,
                _ => {
                    node.kid(1).kind == Kind::Word && self.is_noun(&node.kid(1).text)
                        || node.kid(1).kind == Kind::Word && self.local(&node.kid(1).text).is_some_and(|local| local.plural)
                        || node.kid(1).kind == Kind::Binary
                }
            },
            Kind::Word => match self.local(&node.text) {
                Some(local) => local.plural,
                None => self.is_noun(&node.text) && !matches!(node.text.as_str(), "this" | "it" | "you" | "opponent"),
            },
            Kind::Binary => self.is_plural(node.kid(0)),
            _ => false,
        }
    }

    /// Whether its owner stands before it: `your creatures`.
    fn is_owned(&self, node: &Node) -> bool {
        let before =
            |post: &Node| self.lexicon.post(post).is_none_or(|(entry, _)| matches!(entry.parts.first(), Some(Part::Text(_))));
        node.kids.iter().skip(2).any(|post| post.kind == Kind::Of && before(post))
    }

    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn is_zone(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Zone(_)))
    }

    /// Whether every player has such a zone.
    pub(super) fn is_own_zone(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Zone(zone) => self.builder.names.zones.get(zone.index()).is_some_and(|(_, settings)| {
                settings.iter().any(|setting| setting.iter().map(|word| word.text.as_str()).eq(["each", "player"]))
            }),
            _ => false,
        })
    }

    /// Whether it is a word of a trait set.
    pub(super) fn is_trait_word(&self, word: &str) -> bool {
        let sets = &self.builder.names.traits;
        sets.iter().any(|set| set.words.iter().flatten().chain(&set.first).any(|known| known == word))
            || self.builder.printed.is_some_and(|printed| printed.contains(word))
    }

    /// Whether a word names a kind of thing.
    pub(super) fn is_noun(&self, word: &str) -> bool {
        matches!(word, "card" | "player" | "object" | "players")
            || self.builder.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Word(..) | Meaning::Noun))
    }

    /// Whether a phrase chooses, or takes, things.
    pub(super) fn selects(&self, node: &Node) -> bool {
        match node.kind {
            Kind::Phrase if matches!(node.kid(0).text.as_str(), "some" | "no") => false,
            Kind::Phrase => {
                !node.kid(0).is_nil() && !matches!(node.kid(0).text.as_str(), "some" | "no")
                    || node.kid(1).kind == Kind::Word && self.is_noun(&node.kid(1).text)
                    || node.kid(1).kind == Kind::Binary
            }
            Kind::Word => self.is_noun(&node.text),
            _ => false,
        }
    }

    /// Statements as sentences, without the end of the last one.
    pub(super) fn sentences(&mut self, block: &Node) -> String {
        let mut out = String::new();
        for (link, text) in self.parts(&block.kids) {
            if text.is_empty() {
                continue;
            }
            if !out.is_empty() {
                let sentence = out.rfind(self.style("next")).map_or(0, |at| at);
                let again =
                    link == "then" && !self.style("then_again").is_empty() && out[sentence..].contains(self.style("then"));
                let join = match link.as_str() {
                    "" => "next",
                    "then" if again => "then_again",
                    other => other,
                };
                out.push_str(self.style(join));
            } else if link == "if_you_do" || link == "otherwise" {
                out.push_str(self.style(&link).trim_start_matches(['.', '。', ' ']));
            }
            out.push_str(&text);
        }
        out
    }

    fn parts(&mut self, statements: &[Node]) -> Vec<(SmolStr, String)> {
        let mut made = Vec::new();
        let mut at = 0;
        while let Some(statement) = statements.get(at) {
            if statement.kind != Kind::Statement {
                at += 1;
                continue;
            }
            let lexicon: &'a Lexicon = self.lexicon;
            if let Some((entry, found, length)) = lexicon.row(&statements[at..]) {
                self.note_bindings(&statements[at..at + length]);
                let text = self.apply(entry, &found);
                let text = self.hoisted(text);
                made.push((statement.text.clone(), text));
                at += length;
                continue;
            }
            at += 1;
            let inner = statement.kid(0);
            if inner.kind == Kind::Block {
                let mut nested = self.parts(&inner.kids);
                if let Some(first) = nested.first_mut() {
                    first.0 = statement.text.clone();
                }
                made.append(&mut nested);
                continue;
            }
            let rest = &statements[at..];
            if self.named(inner, rest) {
                // a link of what is said later goes on
                continue;
            }
            let text = self.act(inner);
            let text = self.hoisted(text);
            made.push((statement.text.clone(), text));
        }
        made
    }

    fn hoisted(&mut self, text: String) -> String {
        if self.before.is_empty() {
            return text;
        }
        let mut before: String = std::mem::take(&mut self.before).concat();
        // `you may` stands before the target: You can target 1 card; destroy it.
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

    /// Notes what a statement calls by a name. Whether it needs no sentence of its own.
    fn named(&mut self, node: &Node, rest: &[Node]) -> bool {
        let (name, value) = match node.kind {
            Kind::Let => (node.kid(0), node.kid(1)),
            Kind::Do if node.text == "choose" && !node.kid(BINDING).is_nil() && node.kid(OPERANDS + 1).is_nil() => {
                (node.kid(BINDING), node.kid(OPERANDS))
            }
            Kind::Divide => {
                self.locals.push(Local { name: node.kid(4).text.clone(), value: node.clone(), inline: None, plural: false });
                return false;
            }
            Kind::Do => {
                let binding = node.kid(BINDING);
                if !binding.is_nil() {
                    let value = node.kid(OPERANDS).clone();
                    let plural = self.is_plural(&value) && node.text != "create";
                    self.locals.push(Local { name: binding.text.clone(), value, inline: None, plural });
                }
                return false;
            }
            Kind::CreateCopy => {
                if !node.kid(4).is_nil() {
                    self.locals.push(Local {
                        name: node.kid(4).text.clone(),
                        value: node.kid(0).clone(),
                        inline: None,
                        plural: false,
                    });
                }
                return false;
            }
            _ => return false,
        };
        let plural = self.is_plural(value);
        let whole = node.kind == Kind::Let && !self.selects(value);
        if whole {
            self.locals.push(Local { name: name.text.clone(), value: value.clone(), inline: Some(false), plural });
            return true;
        }
        let by_you = node.kind == Kind::Let || node.kid(SUBJECT).is_nil() && node.kid(MAY).is_nil();
        let next = rest.iter().find(|next| next.kind == Kind::Statement);
        let soon = next.is_some_and(|next| {
            let act = next.kid(0);
            act.mentions(&name.text)
                && !matches!(act.kind, Kind::If | Kind::Modes | Kind::ForEach | Kind::Times)
                && next.text.is_empty()
                || act.kind == Kind::Do
                    && act.text == "choose"
                    && self.is_target(act.kid(OPERANDS))
                    && rest.iter().skip(1).any(|other| other.mentions(&name.text))
        });
        let inline = (by_you && soon).then_some(true);
        self.locals.push(Local { name: name.text.clone(), value: value.clone(), inline, plural });
        inline.is_some()
    }

    pub(super) fn is_target(&self, node: &Node) -> bool {
        node.kind == Kind::Phrase && node.kid(0).text.starts_with("target")
    }

    /// Names given by statements that an entry says as one.
    fn note_bindings(&mut self, statements: &[Node]) {
        for statement in statements {
            let inner = statement.kid(0);
            match inner.kind {
                Kind::Let => {
                    let (value, plural) = (inner.kid(1).clone(), self.is_plural(inner.kid(1)));
                    let inline = (!self.selects(&value)).then_some(false);
                    self.locals.push(Local { name: inner.kid(0).text.clone(), value, inline, plural });
                }
                Kind::Do if !inner.kid(BINDING).is_nil() => {
                    let value = inner.kid(OPERANDS).clone();
                    let plural = self.is_plural(&value);
                    self.locals.push(Local { name: inner.kid(BINDING).text.clone(), value, inline: None, plural });
                }
                _ => {}
            }
        }
    }

    /// A name met: what it stands for, where that is said here.
    pub(super) fn resolve(&mut self, name: &str) -> Option<Result<Node, Local>> {
        let local = self.locals.iter_mut().rev().find(|local| local.name == name)?;
        match local.inline {
            Some(once) => {
                if once {
                    local.inline = None;
                }
                Some(Ok(local.value.clone()))
            }
            None => Some(Err(local.clone())),
        }
    }

    /// A statement.
    fn act(&mut self, node: &Node) -> String {
        if node.kind == Kind::Let {
            let choice = Node::new(
                Kind::Do,
                "choose",
                vec![Node::nil(), Node::nil(), Node::new(Kind::List, "", vec![], node.span), Node::nil(), node.kid(1).clone()],
                node.span,
            );
            return self.act(&choice);
        }
        match node.kind {
            Kind::Do => self.call(node),
            Kind::Sentence => {
                if self.is_japanese() && !node.kid(0).kid(MAY).is_nil() {
                    let mut plain = node.clone();
                    for kid in plain.kids.iter_mut().filter(|kid| kid.kind == Kind::Do) {
                        kid.kids[MAY] = Node::nil();
                    }
                    let text = self.act(&plain);
                    return self.form_ja(&text, ":may");
                }
                let texts: Vec<String> = node.kids.iter().map(|kid| self.act(kid)).collect();
                if self.is_japanese() { super::japanese::joined(&texts) } else { texts.join(self.style("and")) }
            }
            Kind::AtOnce if self.lexicon.find(Table::Do, node, self.builder).is_none() => {
                let kids: Vec<Node> = node.kid(0).kids.clone();
                let texts: Vec<String> =
                    self.parts(&kids).into_iter().map(|(_, text)| text).filter(|text| !text.is_empty()).collect();
                if self.is_japanese() { super::japanese::joined(&texts) } else { texts.join(self.style("and")) }
            }
            Kind::Modes if self.lexicon.find(Table::Do, node, self.builder).is_none() => self.modes(node),
            Kind::Gets => {
                let node = self.with_locals(node);
                self.lookup(Table::Do, &node).unwrap_or_else(|| self.gets(&node))
            }
            Kind::Cannot => self.text(node),
            Kind::ForEach => {
                let before = self.locals.len();
                self.locals.push(Local {
                    name: node.kid(0).text.clone(),
                    value: node.kid(1).clone(),
                    inline: None,
                    plural: false,
                });
                let text = self.lookup(Table::Do, node).unwrap_or_else(|| self.gap(node));
                self.locals.truncate(before);
                text
            }
            _ => self.lookup(Table::Do, node).unwrap_or_else(|| self.gap(node)),
        }
    }

    /// Numbers that have a name, in full.
    fn with_locals(&self, node: &Node) -> Node {
        let mut made = node.clone();
        for local in self.locals.iter().rev().filter(|local| local.inline == Some(false)) {
            made = made.with(&local.name, &local.value);
        }
        made
    }

    fn call(&mut self, node: &Node) -> String {
        if self.is_japanese() { self.call_ja(node) } else { self.call_en(node) }
    }

    fn gets(&mut self, node: &Node) -> String {
        if self.is_japanese() { self.gets_ja(node) } else { self.gets_en(node) }
    }

    fn modes(&mut self, node: &Node) -> String {
        let head = match node.text.as_str() {
            "" => "modes",
            "up_to" => "modes_up_to",
            "repeats" => "modes_repeats",
            _ => "modes_up_to_repeats",
        };
        let number = self.slot(node.kid(0), "");
        let mut out = self.style(head).replace("{N}", &number);
        let locals = self.locals.len();
        for mode in &node.kid(1).kids {
            let text = self.sentences(mode);
            self.locals.truncate(locals);
            out.push('\n');
            out.push_str(self.style("bullet"));
            let line = self.finished(&text);
            out.push_str(&line);
        }
        out
    }

    /// The subject of a verb, if it is somebody else than the player whose text it is.
    pub(super) fn subject_of(&self, node: &Node) -> Option<Node> {
        let written = node.kid(SUBJECT);
        if written.is_word("you") {
            return None;
        }
        if !written.is_nil() {
            return Some(written.clone());
        }
        let (params, subject) = self.builder.parameters(&node.text);
        let (_, ty) = params.get(subject?)?;
        (*ty != Some(Type::Player)).then(|| Node::word("this", node.span))
    }

    /// Whether a condition is nothing for players to read.
    fn is_hidden(&mut self, node: &Node) -> bool {
        if node.kind == Kind::Binary && node.text == "and" {
            return self.is_hidden(node.kid(0)) && self.is_hidden(node.kid(1));
        }
        let lexicon: &'a Lexicon = self.lexicon;
        lexicon.find(Table::Value, node, self.builder).is_some_and(|(entry, _)| entry.parts.is_empty())
    }

    /// Without conditions that are nothing for players to read.
    fn visible(&mut self, node: &Node) -> Node {
        if node.is_nil() || self.is_hidden(node) {
            return Node::nil();
        }
        if node.kind == Kind::Binary && node.text == "and" {
            let (left, right) = (self.visible(node.kid(0)), self.visible(node.kid(1)));
            return match (left.is_nil(), right.is_nil()) {
                (true, _) => right,
                (_, true) => left,
                _ => Node { kids: vec![left, right], ..node.clone() },
            };
        }
        node.clone()
    }

    /// A condition of an event that no entry says with it becomes one of the ability.
    fn loosen(&mut self, ability: &mut Node) {
        let event = ability.kid(0).clone();
        let condition = event.kid(3).clone();
        let lexicon: &'a Lexicon = self.lexicon;
        let said = |entry: &Entry| {
            !entry.pattern.kid(3).is_nil()
                || entry.parts.iter().any(|part| matches!(part, Part::Slot(name, _) if name == "where"))
        };
        if condition.is_nil() || lexicon.find(Table::Event, &event, self.builder).is_some_and(|(entry, _)| said(entry)) {
            return;
        }
        let whole = lexicon.find(Table::Ability, ability, self.builder);
        if whole.is_some_and(|(entry, _)| !entry.pattern.kid(0).kid(3).is_nil()) {
            return;
        }
        ability.kids[0].kids[3] = Node::nil();
        let other = ability.kid(1).clone();
        let span = condition.span;
        ability.kids[1] = if other.is_nil() { condition } else { Node::new(Kind::Binary, "and", vec![condition, other], span) };
    }

    fn pruned(&mut self, node: &Node) -> Node {
        let mut made = node.clone();
        match node.kind {
            Kind::When | Kind::Instead => {
                let condition = self.visible(node.kid(0).kid(3));
                if let Some(slot) = made.kids.get_mut(0).and_then(|event| event.kids.get_mut(3)) {
                    *slot = condition;
                }
                made.kids[1] = self.visible(node.kid(1));
                self.loosen(&mut made);
            }
            Kind::At => made.kids[1] = self.visible(node.kid(1)),
            Kind::Option => made.kids[2] = self.visible(node.kid(2)),
            Kind::Static => made.kids[0] = self.visible(node.kid(0)),
            Kind::Activated => {
                made.kids[0] = self.visible(node.kid(0));
                // the price is the first part of the cost
                if !self.style("list").is_empty() && self.style("prices") == "first" {
                    let price = node.kid(1).clone();
                    let mut parts = Vec::new();
                    if !price.is_nil() {
                        parts.push(Node::new(Kind::Statement, "", vec![price], node.span));
                    }
                    parts.extend(node.kid(2).kids.iter().cloned());
                    if !parts.is_empty() {
                        made.kids[1] = Node::nil();
                        made.kids[2] = Node::new(Kind::Block, "", parts, node.span);
                    }
                }
            }
            Kind::Cannot => {
                let condition = self.visible(node.kid(0).kid(3));
                if let Some(slot) = made.kids.get_mut(0).and_then(|event| event.kids.get_mut(3)) {
                    *slot = condition;
                }
            }
            _ => {}
        }
        made
    }

    /// Anything, in its usual form.
    pub(super) fn text(&mut self, node: &Node) -> String {
        self.depth += 1;
        let text = if self.depth > DEPTH { self.gap(node) } else { self.plain(node) };
        self.depth -= 1;
        text
    }

    fn plain(&mut self, node: &Node) -> String {
        match node.kind {
            Kind::Nil => return String::new(),
            Kind::Number | Kind::Price => return self.slot_plain(node),
            Kind::Block => return self.sentences(node),
            Kind::Statement => return self.act(node.kid(0)),
            _ => {}
        }
        let table = match node.kind {
            Kind::Event => Table::Event,
            Kind::Until => Table::Until,
            Kind::Change => Table::Change,
            Kind::Cannot | Kind::Clause => Table::Do,
            Kind::Moment => Table::Until,
            _ => Table::Value,
        };
        if node.kind == Kind::Moment {
            let whole = Node::new(Kind::Until, "", vec![node.clone()], node.span);
            if let Some(text) = self.lookup(Table::Until, &whole) {
                return text;
            }
        } else if let Some(text) = self.lookup(table, node) {
            return text;
        }
        match node.kind {
            Kind::Until if node.kids.len() > 1 => {
                let texts: Vec<String> =
                    node.kids.iter().map(|kid| self.text(&Node::new(Kind::Until, "", vec![kid.clone()], kid.span))).collect();
                texts.join(self.style("or"))
            }
            Kind::Keyword => self.keyword_name(node).unwrap_or_else(|| self.gap(node)),
            Kind::Limit => {
                let span = self.slot(node.kid(1), ":bare");
                let number = self.slot(node.kid(0), "");
                let style = if node.kid(0).text == "1" { "limit" } else { "limits" };
                self.style(style).replace("{P}", &span).replace("{N}", &number)
            }
            Kind::Cannot => {
                let mut event = node.kid(0).clone();
                let condition = event.kid(3).clone();
                let lexicon: &'a Lexicon = self.lexicon;
                let whole = lexicon.find(Table::Event, &event, self.builder).is_some();
                if !whole && let Some(slot) = event.kids.get_mut(3) {
                    *slot = Node::nil();
                }
                let mut event = self.slot(&event, ":cannot");
                if !whole && !condition.is_nil() {
                    let condition = self.text(&condition);
                    event = self.style("cannot_if").replace("{E}", &event).replace("{C}", &condition);
                }
                let until = self.text(node.kid(1));
                match (until.is_empty(), self.is_japanese()) {
                    (true, _) => event,
                    (false, true) => format!("{until}、{event}"),
                    (false, false) => format!("{event} {until}"),
                }
            }
            _ => self.slot_plain(node),
        }
    }

    fn slot_plain(&mut self, node: &Node) -> String {
        if self.is_japanese() { self.value_ja(node) } else { self.value_en(node) }
    }

    /// What is done as a price.
    pub(super) fn costs(&mut self, block: &Node) -> Vec<String> {
        let mut made = Vec::new();
        let parts: Vec<Node> = block
            .kids
            .iter()
            .flat_map(|statement| match statement.kid(0).kind {
                Kind::Sentence => statement.kid(0).kids.clone(),
                _ => vec![statement.kid(0).clone()],
            })
            .collect();
        for inner in &parts {
            if self.named(inner, &[]) {
                continue;
            }
            if matches!(inner.kind, Kind::Price | Kind::Call | Kind::Phrase | Kind::Word | Kind::Binary) {
                made.push(self.text(inner));
                continue;
            }
            let text = self.lookup(Table::Cost, inner).unwrap_or_else(|| self.act(inner));
            if !text.is_empty() {
                made.push(text);
            }
        }
        made
    }
}

/// With a small first letter, where the rest of the word is small.
pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}
