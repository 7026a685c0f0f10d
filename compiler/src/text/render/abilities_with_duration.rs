//! Renders abilities with a duration: `until end of turn, whenever a creature dies, draw a card`, `the next time a creature dies this turn`.
//!
//! The phrase of a duration itself (`until end of turn`) is an entry of the game's `text` items, in the table `LexiconTable::Until`; `render.rs` looks it
//! up.

use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl Renderer<'_> {
    /// Abilities with a duration: `until end of turn, whenever a creature dies, draw a card`.
    pub(in crate::text) fn standing(&mut self, node: &TextNode) -> String {
        let locals = self.locals.clone();
        if node.text == "once"
            && let [ability] = node.kid(1).kids.as_slice()
            && let Some(text) = self.next_time(node.kid(0), ability)
        {
            return text;
        }
        // a text without it would say that every such event is meant
        if node.text == "once" && !self.is_japanese() {
            return self.gap(node);
        }
        let mut parts = Vec::new();
        for ability in &node.kid(1).kids {
            if ability.kind == TextNodeKind::Static && ability.kid(0).is_nil() {
                let block = ability.kid(1);
                let one = |statement: &TextNode| TextNode { kids: vec![statement.clone()], ..block.clone() };
                parts.extend(block.kids.iter().map(|statement| self.sentences(&one(statement))));
                continue;
            }
            // all that the ability does is under its event, and that under the duration
            let mut ability = ability.clone();
            let is_trigger = matches!(ability.kind, TextNodeKind::When | TextNodeKind::At);
            if let Some(body) = ability.kids.get_mut(2).filter(|body| is_trigger && body.kind == TextNodeKind::Block) {
                body.text = "at".into();
            }
            let lines = self.ability_with_names(&ability);
            for line in self.with_one_head(lines) {
                let line = line.trim_end_matches(['.', '。']);
                let line = if self.is_japanese() { line.to_owned() } else { crate::text::english::lower_first(line) };
                let repeats = ability.kind == TextNodeKind::When && node.text != "once";
                parts.push(match line.strip_prefix("when ").filter(|_| repeats) {
                    Some(rest) => format!("whenever {rest}"),
                    None => line,
                });
            }
            self.locals.clone_from(&locals);
        }
        let parts: Vec<String> = parts.iter().map(|part| self.within_sentence(part)).collect();
        // each of several that are more than one clause is under the duration
        if parts.len() > 1 && parts.iter().any(|part| part.contains([',', '、', '"', '「'])) {
            let texts: Vec<String> = parts.iter().map(|part| self.until_first(node.kid(0), part)).collect();
            return texts.join(self.style("next"));
        }
        let text = match self.is_japanese() {
            true => crate::text::japanese::join_sentences(&parts),
            false => crate::text::english::join_sentences(&parts),
        };
        self.until_first(node.kid(0), &text)
    }

    /// An ability that is used up by its first event: `the next time a creature dies this turn, draw a card`. `None` for abilities of several
    /// lines, and for those that wait for no event.
    fn next_time(&mut self, until: &TextNode, ability: &TextNode) -> Option<String> {
        if !matches!(ability.kind, TextNodeKind::When | TextNodeKind::Instead) {
            return None;
        }
        let lines = self.ability_with_names(ability);
        let [line] = lines.as_slice() else { return None };
        let line = line.trim_end_matches(['.', '。']);
        let is_turn = until.is_until_end_of_turn();
        let until = self.text(until);
        if self.is_japanese() {
            let until = if is_turn { "このターン" } else { until.as_str() };
            let line = match line.split_once("たび、") {
                Some((event, effect)) => format!("{event}とき、{effect}"),
                None => line.to_owned(),
            };
            return Some(format!("{until}、次に{line}"));
        }
        let line = crate::text::english::lower_first(line);
        let event = ["whenever ", "when ", "if "].iter().find_map(|word| line.strip_prefix(word))?;
        // the end of the event, where the turn goes
        let pattern =
            self.preview(|this| this.slot(ability.kid(0), if ability.kind == TextNodeKind::Instead { ":would" } else { "" }));
        let text = match event.strip_prefix(&pattern).filter(|rest| is_turn && rest.starts_with([',', ' '])) {
            Some(effect) => format!("the next time {pattern} this turn{effect}"),
            None => format!("{until}, the next time {event}"),
        };
        Some(text)
    }

    /// A sentence behind its duration: `until end of turn, …`.
    pub(in crate::text) fn until_first(&mut self, until: &TextNode, text: &str) -> String {
        let until = self.text(until);
        if self.is_japanese() { format!("{until}、{text}") } else { format!("{until}, {text}") }
    }
}
