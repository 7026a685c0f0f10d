//! English verbs: persons, events, lasting changes.

use super::Want;
use super::words::{listed, participle, third, verb_of};
use crate::text::build::{MAY, OPERANDS};
use crate::text::lexicon::{Part, Table};
use crate::text::node::{Kind, Node};
use crate::text::render::Renderer;
use fizzle_runtime::ir::Type;

impl Renderer<'_> {
    /// An event as its verb says it.
    pub(in crate::text) fn event_en(&mut self, node: &Node) -> String {
        let verb = Node::new(Kind::Do, node.text.clone(), vec![], node.span);
        let (params, subject) = self.builder.parameters(&node.text);
        let passive = !node.kid(4).is_nil();
        let mut kids = vec![Node::nil(), Node::nil(), Node::new(Kind::List, "", vec![], node.span), Node::nil()];
        kids.extend(params.iter().map(|_| Node::nil()));
        let mut call = Node { kids, ..verb };
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
            let subject = self.phrase_en(node.kid(0), Want::Usual);
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
        let Some((entry, found)) = lexicon.find(Table::Do, &call, self.builder) else { return self.gap(node) };
        let text = self.fill(&entry.parts, &found);
        let (verb, _, rest) = verb_of(&text);
        let subject = self.phrase_en(node.kid(0), Want::Usual);
        let you = node.kid(0).is_word("you");
        match self.mood {
            crate::text::render::Mood::Would => return self.with_condition(format!("{subject} would {verb}{rest}"), node),
            crate::text::render::Mood::Cannot => return self.with_condition(format!("{subject} can't {verb}{rest}"), node),
            crate::text::render::Mood::Happens => {}
        }
        let verb = if you { verb.to_owned() } else { third(verb) };
        self.with_condition(format!("{subject} {verb}{rest}"), node)
    }

    pub(in crate::text) fn with_condition(&mut self, text: String, node: &Node) -> String {
        if node.kid(3).is_nil() {
            return text;
        }
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { format!("{text}{}{condition}", self.style("where")) }
    }

    /// The template of a verb, whatever its operands.
    pub(in crate::text) fn template_en(&mut self, call: &Node) -> Option<String> {
        let mut call = call.clone();
        for at in OPERANDS..call.kids.len() {
            call.kids[at] = Node::nil();
        }
        let lexicon = self.lexicon;
        let (entry, _) = lexicon.find(Table::Do, &call, self.builder)?;
        match entry.parts.first() {
            Some(Part::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// A verb with its subject. Further verbs of its template are marked: `choose a card and ~discard it`.
    pub(in crate::text) fn call_en(&mut self, node: &Node) -> String {
        let mut text = self.clause_en(node);
        text.push_str(&self.after.take().unwrap_or_default());
        let third_person = self.subject_of(node).is_some() && node.kid(MAY).is_nil();
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
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

    pub(in crate::text) fn clause_en(&mut self, node: &Node) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(Table::Do, node, self.builder) else { return self.gap(node) };
        let full =
            !entry.pattern.kid(crate::text::build::SUBJECT).is_nil() || !matches!(entry.parts.first(), Some(Part::Text(_)));
        if full {
            let text = self.fill(&entry.parts, &found);
            let may = !node.kid(MAY).is_nil() && entry.pattern.kid(MAY).is_nil();
            return if may { format!("{} {text}", self.style("you_may")) } else { text };
        }
        let subject = self.subject_of(node);
        let target = subject.as_ref().is_some_and(|subject| subject.is_word("this"));
        let owner = match &subject {
            Some(_) if !target => Some("their".to_owned()),
            _ => Some("your".to_owned()),
        };
        let text_subject = subject.as_ref().map(|subject| self.phrase_en(subject, Want::Usual));
        let before = std::mem::replace(&mut self.owner, owner);
        let text = self.fill(&entry.parts, &found);
        self.owner = before;
        let (verb, _, rest) = verb_of(&text);
        let may = !node.kid(MAY).is_nil();
        let several = subject.as_ref().is_some_and(|subject| self.is_plural(subject) && subject.kid(0).text != "each");
        match (text_subject, may) {
            (None, true) => format!("{} {verb}{rest}", self.style("you_may")),
            (None, false) => {
                let you = self.style("you");
                if you.is_empty() { format!("{verb}{rest}") } else { format!("{you} {verb}{rest}") }
            }
            (Some(subject), true) => format!("{subject} may {verb}{rest}"),
            (Some(subject), false) if several => format!("{subject} {verb}{rest}"),
            (Some(subject), false) => format!("{subject} {}{rest}", third(verb)),
        }
    }

    /// `X gets +1/+1 and has flying until end of turn`
    pub(in crate::text) fn gets_en(&mut self, node: &Node) -> String {
        let whom = node.kid(0);
        let several = self.is_plural(whom);
        let subject = self.phrase_en(whom, Want::Plural);
        let until = self.text(node.kid(2));
        let changes: Vec<Node> = node.kid(1).kids.clone();
        let gain = !until.is_empty();
        let mut said: Vec<(String, String)> = Vec::new();
        let mut at = 0;
        while at < changes.len() {
            let mut done = None;
            for length in (1..=changes.len() - at).rev() {
                let list = Node::new(Kind::List, "", changes[at..at + length].to_vec(), node.span);
                if let Some(text) = self.lookup(Table::Change, &list) {
                    done = Some((text, length));
                    break;
                }
            }
            let (text, length) = done.unwrap_or_else(|| (self.change_en(&changes[at], gain), 1));
            let (verb, _, rest) = verb_of(&text);
            let verb = if several { verb.to_owned() } else { third(verb) };
            said.push((verb, rest.trim().to_owned()));
            at += length;
        }
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (verb, rest) in said {
            match groups.last_mut() {
                Some((last, rests)) if *last == verb => rests.push(rest),
                _ => groups.push((verb, vec![rest])),
            }
        }
        let groups: Vec<String> = groups.into_iter().map(|(verb, rests)| format!("{verb} {}", listed(&rests))).collect();
        let text = format!("{subject} {}", listed(&groups));
        let after = self.after.take().unwrap_or_default();
        if until.is_empty() { format!("{text}{after}") } else { format!("{text} {until}{after}") }
    }

    pub(in crate::text) fn change_en(&mut self, change: &Node, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = Node::new(Kind::Keyword, word.text.clone(), change.kids.iter().skip(1).cloned().collect(), change.span);
            if self.builder.names.keywords.contains_key(&word.text)
                && let Some(name) = self.keyword_short(&keyword)
            {
                return format!("{} {}", if gain { "gain" } else { "have" }, crate::text::render::lower_first(&name));
            }
            if !self.builder.names.keywords.contains_key(&word.text) {
                return format!("{} {}", if gain { "become" } else { "are" }, self.predicate_en(word));
            }
        }
        self.gap(change)
    }
}
