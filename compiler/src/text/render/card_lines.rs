//! The lines of a card: its keywords and abilities, with those that belong together on one line.

use crate::text::english::lines::order_parts;
use crate::text::english::lower_first;
use crate::text::japanese::merge_events;
use crate::text::line_marks::WHENEVER;
use crate::text::normalize::Builder;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_grammar::ast::{AbilityKind, Card};
use fizzle_grammar::hidden_characters::{escape_hidden_with, hidden_characters};
use fizzle_ir::AbilityText;
use smol_str::SmolStr;

impl Renderer<'_> {
    /// The lines of a card: keywords and abilities in the order of [`order_parts`].
    pub(in crate::text) fn card_lines(&mut self, card: &Card, builder: Builder<'_>) -> Vec<String> {
        let mut parts: Vec<(u32, TextNode)> = Vec::new();
        for fact in &card.facts {
            let node = builder.keyword(fact);
            if builder.names.keywords.contains_key(&fact.word.text) || self.has_ability_entry(&node) {
                parts.push((fact.span.start, node));
            }
        }
        for ability in &card.abilities {
            let node = builder.ability(ability);
            let keyword = matches!(ability.kind, AbilityKind::Keyword(_));
            if !keyword || builder.names.keywords.contains_key(&node.text) {
                parts.push((ability.span.start, node));
            }
        }
        parts.sort_by_key(|(start, _)| *start);
        self.effects = parts.iter().filter(|(_, node)| node.kind == TextNodeKind::Does).map(|(_, node)| node.clone()).collect();
        order_parts(&mut parts, self.lexicon, builder);
        self.join_restrictions(&mut parts);
        self.merge_prohibitions(&mut parts);
        let mut lines: Vec<String> = Vec::new();
        let join = self.style("keywords").to_owned();
        let mut open = false;
        let mut last: Option<&SmolStr> = None;
        // the event that the last line waits for, if that line is a trigger
        let mut waits: Option<(usize, String)> = None;
        for (_, node) in &parts {
            if node.kind == TextNodeKind::Keyword
                && !join.is_empty()
                && let Some(name) = self.keyword_name(node)
            {
                if name.is_empty() {
                    continue;
                }
                if let Some(line) = self.head_en(node, &name) {
                    lines.push(line);
                    open = false;
                    continue;
                }
                // a name that starts with a capital letter, and a whole sentence, are lines of their own
                let bracket = if node.kids.is_empty() { "）" } else { "。）" };
                let closed = name.ends_with(['.', '。', ')', '"'])
                    || name.ends_with(bracket)
                    || name.starts_with(|c: char| c.is_ascii_uppercase());
                if closed {
                    lines.push(self.capitalise(&name));
                    open = false;
                    continue;
                }
                let again = open && last == Some(&node.text) && !self.is_japanese();
                last = Some(&node.text);
                match lines.last_mut().filter(|_| open) {
                    // `protection from black and from red`
                    Some(line) if again => {
                        let rest = name.split_once(' ').map_or(name.as_str(), |(_, rest)| rest);
                        line.push_str(&format!(" and {rest}"));
                    }
                    Some(line) => line.push_str(&format!("{join}{}", lower_first(&name))),
                    None => lines.push(self.capitalise(&name)),
                }
                open = true;
                continue;
            }
            open = false;
            // the line before covers this ability too
            if lines.last().is_some_and(|before| self.is_covered_by(node, before)) {
                continue;
            }
            let made = self.ability(node);
            self.keep_ability_text(node, &made);
            match (made.as_slice(), node.kind) {
                ([line], TextNodeKind::When) if !self.is_japanese() => lines.push(format!("{}{line}", WHENEVER)),
                ([line], TextNodeKind::When) => {
                    let would = self.trigger_event_ja(node);
                    let before = waits.take().filter(|(at, _)| at + 1 == lines.len());
                    let both = before.zip(lines.last()).and_then(|((_, before), last)| {
                        let either = || merge_events((last, &before), (line, &would), self.style("either_event"));
                        self.merge_lines(last, line).or_else(either)
                    });
                    match (both, lines.last_mut()) {
                        (Some(both), Some(last)) => *last = both,
                        _ => lines.push(line.clone()),
                    }
                    waits = Some((lines.len() - 1, would));
                }
                _ => lines.extend(made),
            }
        }
        if self.is_japanese() {
            lines = self.lines_ja(lines);
        } else {
            lines = self.lines_en(lines);
        }
        lines.iter_mut().for_each(remove_hidden);
        lines
    }

    /// Joins keywords of the setting `restricting` that a card prints several times: all of them restrict the same, so that one line must name all.
    fn join_restrictions(&self, parts: &mut Vec<(u32, TextNode)>) {
        let restricting = self.lexicon.styles("restricting");
        let is_restriction = |node: &TextNode| {
            node.kind == TextNodeKind::Keyword && node.kids.len() == 1 && restricting.iter().any(|keyword| *keyword == node.text)
        };
        let mut at = 0;
        while let Some((_, node)) = parts.get(at) {
            if is_restriction(node) {
                let keyword = node.text.clone();
                let is_same = |(_, later): &mut (u32, TextNode)| is_restriction(later) && later.text == keyword;
                let later: Vec<(u32, TextNode)> = parts.extract_if(at + 1.., is_same).collect();
                for (_, mut other) in later {
                    let span = other.span;
                    let both = vec![parts[at].1.kids.remove(0), other.kids.remove(0)];
                    parts[at].1.kids.push(TextNode::new(TextNodeKind::Binary, "and", both, span));
                }
            }
            at += 1;
        }
    }

    /// Keeps the text of an ability that waits on the list alone, apart from the other abilities of its line.
    fn keep_ability_text(&mut self, node: &TextNode, lines: &[String]) {
        if !matches!(node.kind, TextNodeKind::When | TextNodeKind::At | TextNodeKind::Activated) {
            return;
        }
        let lines = if self.is_japanese() { self.lines_ja(lines.to_vec()) } else { self.lines_en(lines.to_vec()) };
        let mut text = lines.join(" ");
        remove_hidden(&mut text);
        self.ability_texts.push(AbilityText { place: self.sources.source(node.span), text });
    }
}

/// Removes hidden characters from a line. Texts of keywords come from comments as well, which may contain any character.
fn remove_hidden(line: &mut String) {
    if hidden_characters(line).any(|(_, hidden)| hidden != '\n') {
        *line = escape_hidden_with(&line.replace('\t', " "), |_| String::new()).into_owned();
    }
}
