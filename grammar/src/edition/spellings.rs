//! Finds the spellings of an item: the places that an older edition writes differently.

use crate::cst::CstNode;
use crate::edition::{EVENTS, Edition, FUNCTIONS, KEYWORDS, LISTED_EVENTS, Spelling, TYPES, VERBS, ZONE_SETTINGS};
use crate::parser::Rule;
use crate::span::Span;

/// Rules of patterns: their name is the word of an event.
const PATTERNS: [Rule; 6] =
    [Rule::pattern, Rule::would_pattern, Rule::plain_pattern, Rule::prohibition, Rule::lead_cannot, Rule::can_test];

/// The spellings of an item, in the order of the text.
pub(crate) fn spellings(item: CstNode<'_>, file: u32, base: u32) -> Vec<Spelling> {
    let mut collector = Collector { text: item.source(), file, base, found: Vec::new() };
    collector.children(item);
    collector.found.sort_by_key(|spelling| spelling.span);
    collector.found
}

/// Walks the nodes of an item and collects its spellings.
struct Collector<'i> {
    text: &'i str,
    file: u32,
    base: u32,
    found: Vec<Spelling>,
}

impl Collector<'_> {
    /// Adds a spelling from the byte `start` on.
    fn add(&mut self, start: usize, length: usize, edition: Edition, other: &str) {
        let written = self.text.get(start..start + length).unwrap_or("").into();
        let start = self.base + u32::try_from(start).unwrap_or(u32::MAX);
        let end = start + u32::try_from(length).unwrap_or(u32::MAX);
        self.found.push(Spelling { span: Span { file: self.file, start, end }, written, edition, other: other.into() });
    }

    /// Adds the word of a node, if it is a name of the first edition. Names of the second edition are no spellings: a pack of the first
    /// edition may have declared them.
    fn word(&mut self, node: CstNode<'_>, table: &[(&str, &str)]) {
        let word = node.as_str().trim_end();
        if let Some((_, new)) = table.iter().find(|(old, _)| *old == word) {
            self.add(node.start(), word.len(), Edition::One, new);
        }
    }

    fn children(&mut self, parent: CstNode<'_>) {
        let mut previous = None;
        let mut kids = parent.into_inner();
        while let Some(node) = kids.next() {
            self.node(node, parent.as_rule(), previous, kids.peek());
            self.children(node);
            previous = Some(node);
        }
        match parent.as_rule() {
            Rule::option => self.option(parent),
            Rule::zone => self.zone(parent),
            Rule::paths | Rule::expect_no_event => self.events(parent),
            _ => {}
        }
    }

    fn node(&mut self, node: CstNode<'_>, within: Rule, previous: Option<CstNode<'_>>, next: Option<CstNode<'_>>) {
        let text = node.as_str().trim_end();
        match (node.as_rule(), within) {
            (Rule::k_at_once, _) => {
                let other = if within == Rule::play_immediate { "immediately" } else { "simultaneously" };
                self.add(node.start(), text.len(), Edition::One, other);
            }
            (Rule::k_simultaneously, _) | (Rule::k_immediately, Rule::play_immediate) => {
                self.add(node.start(), text.len(), Edition::Two, "at once");
            }
            (Rule::k_lift, _) => self.add(node.start(), text.len(), Edition::One, "announce"),
            (Rule::k_announce, Rule::announced) => self.add(node.start(), text.len(), Edition::Two, "lift"),
            (Rule::verb, _) => {
                self.check_state_rules(node, next);
                self.word(node, VERBS);
            }
            (Rule::name, Rule::verb_with_arguments) => self.word(node, VERBS),
            (Rule::name, _) if PATTERNS.contains(&within) => self.event(node, previous),
            (Rule::word, Rule::type_ref) => self.word(node, TYPES),
            (Rule::path_word, _) if next.is_some_and(|next| next.as_rule() == Rule::called) => self.word(node, FUNCTIONS),
            (rule, _) => {
                for (old, before, new, after) in KEYWORDS {
                    if rule == *old {
                        self.add(node.start(), text.len(), Edition::One, after);
                    } else if rule == *new {
                        self.add(node.start(), text.len(), Edition::Two, before);
                    }
                }
            }
        }
    }

    /// `option S { … }`, `option S instead { … }`
    fn option(&mut self, node: CstNode<'_>) {
        let mut kids = node.into_inner();
        let (Some(head), Some(name)) = (kids.next(), kids.next()) else { return };
        match (head.as_rule(), kids.next().filter(|kid| kid.as_rule() == Rule::k_instead)) {
            (Rule::k_option, None) => self.add(head.start(), "option".len(), Edition::One, "additional cost"),
            (Rule::k_option, Some(instead)) => {
                self.add(head.start(), "option".len(), Edition::One, "alternative cost");
                let name_ends = name.start() + name.as_str().trim_end().len();
                self.add(name_ends, instead.start() + "instead".len() - name_ends, Edition::One, "");
            }
            (_, instead) => {
                let length = head.as_str().trim_end().len();
                self.add(head.start(), length, Edition::Two, "option");
                let is_alternative = head.as_rule() == Rule::k_alternative_cost;
                if is_alternative && instead.is_none() {
                    let name_ends = name.start() + name.as_str().trim_end().len();
                    self.add(name_ends, 0, Edition::Two, " instead");
                }
            }
        }
    }

    /// The settings of a zone, word by word.
    fn zone(&mut self, zone: CstNode<'_>) {
        for setting in zone.into_inner().filter(|kid| kid.as_rule() == Rule::setting) {
            let words: Vec<CstNode<'_>> = setting.into_inner().collect();
            for (index, word) in words.iter().enumerate() {
                for (old, new) in ZONE_SETTINGS {
                    let rest = words.get(index..).unwrap_or(&[]);
                    let length = new.split(' ').count();
                    if word.as_str() == *old {
                        self.add(word.start(), old.len(), Edition::One, new);
                    } else if let Some(last) = rest.get(length - 1)
                        && new.split(' ').zip(rest).all(|(part, word)| part == word.as_str())
                    {
                        self.add(word.start(), last.start() + last.as_str().len() - word.start(), Edition::Two, old);
                    }
                }
            }
        }
    }

    /// `[put, cease]`, `no event cease`
    fn events(&mut self, list: CstNode<'_>) {
        for path in list.into_inner().filter(|kid| kid.as_rule() == Rule::path) {
            let mut parts = path.into_inner();
            if let (Some(name), None) = (parts.next(), parts.next()) {
                self.word(name, LISTED_EVENTS);
            }
        }
    }

    /// `settle rules`, `check state rules`
    fn check_state_rules(&mut self, verb: CstNode<'_>, operand: Option<CstNode<'_>>) {
        let text = verb.as_str().trim_end();
        let other = match text {
            "settle" => "check state rules",
            "settles" => "checks state rules",
            "check state rules" => return self.add(verb.start(), text.len(), Edition::Two, "settle rules"),
            "checks state rules" => return self.add(verb.start(), text.len(), Edition::Two, "settles rules"),
            _ => return,
        };
        if let Some(rules) = operand.filter(|operand| operand.as_str().trim_end() == "rules") {
            self.add(verb.start(), rules.start() + "rules".len() - verb.start(), Edition::One, other);
        }
    }

    /// `X is performed`, `X cannot be performed`, `X starts_resolving`
    fn event(&mut self, name: CstNode<'_>, before: Option<CstNode<'_>>) {
        let auxiliary = before.filter(|node| matches!(node.as_rule(), Rule::k_is | Rule::k_be));
        match (name.as_str().trim_end(), auxiliary) {
            ("performed", Some(auxiliary)) => {
                let other = if auxiliary.as_rule() == Rule::k_is { "starts_resolving" } else { "start_resolving" };
                self.add(auxiliary.start(), name.start() + "performed".len() - auxiliary.start(), Edition::One, other);
            }
            _ => self.word(name, EVENTS),
        }
    }
}
