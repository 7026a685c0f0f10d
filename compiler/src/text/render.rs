//! Renders the text tree to sentences: what all languages share. The grammars are in `english` and `japanese`.
//!
//! This file dispatches the nodes: it decides in which table of the lexicon ([`LexiconTable`]) a node is looked up, and what renders a node without
//! an entry. What is rendered without templates is in the modules below.

mod abilities;
mod abilities_with_duration;
mod bound_names;
mod card_lines;
mod change_order;
pub(in crate::text) mod classify;
mod conditions_of_use;
mod costs;
mod exclusions;
mod for_each;
mod governed_blocks;
mod merge_lines;
mod prohibitions;
pub(in crate::text) mod referents;
mod saved_values;
pub(in crate::text) mod several_things;
mod shares;
mod statements;
mod subjects;
mod taken_things;
mod things_done_this_way;
pub(in crate::text) mod zone_owner;

use crate::text::lexicon::Lexicon;
use crate::text::normalize::{CONDITION, SUBJECT};
use crate::text::pattern_match::{HoleBindings, LexiconEntry, LexiconTable, TemplatePart};
use crate::text::printed_words::printed_words;
use crate::text::renderer::{MAX_DEPTH, Mood, Renderer, TextLocal};
use crate::text::tree::{TextNode, TextNodeKind};
use crate::text::tree::{is_computed, reduced_number};
use fizzle_grammar::ast::Span;
use fizzle_ir::Type;
use smol_str::SmolStr;
use std::borrow::Cow;

/// The greatest number of symbols that are written out.
const MAX_SYMBOLS: usize = 256;

/// The greatest number of other cards that a text names by a word that they print.
const MAX_OTHER_CARDS: usize = 100;

/// The text of a node whose only child is printed in brackets.
const BRACKETS: &str = "_brackets";

/// Whether an English text ends with the full stop of a sentence, perhaps a quoted one.
pub(in crate::text) fn is_closed(text: &str) -> bool {
    text.ends_with('.') || text.ends_with(".\"")
}

/// The nesting that the text of another card within a text counts for.
const DEPTH_OF_CARD: usize = 8;

impl<'a> Renderer<'a> {
    /// Renders a node by its entry. `None` if there is no entry, or beyond [`MAX_DEPTH`].
    pub(in crate::text) fn lookup(&mut self, table: LexiconTable, node: &TextNode) -> Option<String> {
        if self.is_exhausted() {
            return None;
        }
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, mut found) = lexicon.find(table, node, self.builder)?;
        if table == LexiconTable::Value {
            bracket_operands(&entry.pattern, &mut found, self.is_japanese());
        }
        self.render_entry(table, node, entry, &found)
    }

    /// Renders a node by an entry that matches it with these bindings. `None` if the entry has no words for the node here.
    pub(in crate::text) fn render_entry(
        &mut self,
        table: LexiconTable,
        node: &TextNode,
        entry: &LexiconEntry,
        found: &HoleBindings,
    ) -> Option<String> {
        // An event of which an entry has only the form for what happens is phrased by its verb where it is prohibited.
        if table == LexiconTable::Event && self.mood == Mood::Cannot && entry.more_forms.is_empty() {
            return None;
        }
        self.depth += 1;
        let text = self.apply(entry, found);
        self.depth -= 1;
        let text = if self.may_render(text.len()) { text } else { self.gap(node) };
        if table == LexiconTable::Do {
            self.add_reminder(entry, found);
        }
        Some(text)
    }

    /// Whether a text is nested beyond [`MAX_DEPTH`], or has used up its work. Charges for one node.
    pub(in crate::text) fn is_exhausted(&mut self) -> bool {
        self.depth > MAX_DEPTH || !self.may_render(0)
    }

    /// Records the second form of an entry of an action: a reminder, printed once behind the ability.
    pub(in crate::text) fn add_reminder(&mut self, entry: &LexiconEntry, found: &HoleBindings) {
        let wanted =
            !self.is_japanese() || matches!(entry.pattern.kind, TextNodeKind::Do | TextNodeKind::Assign | TextNodeKind::Block);
        if let (true, Some(parts)) = (wanted, entry.more_forms.first()) {
            let text = self.fill(parts, found);
            if !self.reminders.contains(&text) {
                self.reminders.push(text);
            }
        }
    }

    /// Fills the template of an entry. An event takes the form of the current mood.
    pub(in crate::text) fn apply(&mut self, entry: &LexiconEntry, found: &HoleBindings) -> String {
        if entry.pattern.kind == TextNodeKind::Event {
            let mood = self.mood;
            if self.is_japanese() && mood == Mood::Cannot {
                let Some(parts) = entry.more_forms.get(1) else {
                    let mut parts = entry.more_forms.first().unwrap_or(&entry.parts).clone();
                    // what is forbidden is the topic: クリーチャーは死亡することはできない
                    if let [TemplatePart::Slot(..), TemplatePart::Text(text), ..] = parts.as_mut_slice()
                        && let Some(rest) = text.strip_prefix('が')
                    {
                        *text = format!("は{rest}");
                    }
                    let text = self.fill(&parts, found);
                    let text = if entry.more_forms.is_empty() { crate::text::japanese::dictionary_form(&text) } else { text };
                    return crate::text::japanese::prohibited(&text);
                };
                return self.fill(parts, found);
            }
            return match (mood, entry.more_forms.first()) {
                (Mood::Cannot, Some(_)) if !self.is_japanese() && entry.more_forms.len() > 1 => {
                    self.fill(&entry.more_forms[1], found)
                }
                (Mood::Cannot, Some(parts)) if !self.is_japanese() => self.fill(parts, found).replace(" would ", " can't "),
                (Mood::Would | Mood::Cannot, Some(parts)) => self.fill(parts, found),
                (Mood::Happens, _) => self.fill(&entry.parts, found),
                // an entry with one form says that it happens
                (mood, None) => {
                    let text = self.fill(&entry.parts, found);
                    match mood {
                        _ if self.is_japanese() => crate::text::japanese::dictionary_form(&text),
                        Mood::Cannot => text.replacen(" is ", " can't be ", 1),
                        _ => text.replacen(" is ", " would be ", 1),
                    }
                }
            };
        }
        self.fill(&entry.parts, found)
    }

    /// The texts that the entry of a filter prints before and behind the noun.
    pub(in crate::text) fn post_entry(&mut self, post: &TextNode, head: &TextNode) -> Option<(String, String)> {
        let (entry, mut found) = self.lexicon.find_post(post)?;
        let hole = Lexicon::head_hole(entry).clone();
        // bound, because some forms depend on the noun
        found.push((hole.clone(), head.clone()));
        // a comparison with a computed value, or with one that the text has stated, may have a second form
        let other = post.kid(0).kid(1);
        let is_named = other.kind == TextNodeKind::Word && self.local(&other.text).is_some_and(|local| local.inline.is_none());
        let is_long = self.is_computed_filter(post) || is_named || self.is_saved_number(other);
        let parts = entry.more_forms.first().filter(|_| is_long).unwrap_or(&entry.parts);
        let at = parts.iter().position(|part| matches!(part, TemplatePart::Slot(name, _) if *name == hole));
        let (front, back) = parts.split_at(at.unwrap_or(0));
        Some((self.fill(front, &found), self.fill(back.get(1..).unwrap_or(&[]), &found)))
    }

    /// Whether a filter compares with a computed value, or with a name for one.
    pub(in crate::text) fn is_computed_filter(&self, post: &TextNode) -> bool {
        let other = post.kid(0).kid(1);
        let is_name_of_computed = |local: &TextLocal| local.inline == Some(false) && local.value.kind != TextNodeKind::Number;
        is_computed(post) || other.kind == TextNodeKind::Word && self.local(&other.text).is_some_and(is_name_of_computed)
    }

    /// The text of a template, with its holes filled. A template that is too long for the text of the card is not shown.
    pub(in crate::text) fn fill(&mut self, parts: &[TemplatePart], found: &HoleBindings) -> String {
        let bytes = |part: &TemplatePart| if let TemplatePart::Text(text) = part { text.len() } else { 0 };
        if !self.may_render(parts.iter().map(bytes).sum()) {
            return "⟦…⟧".to_owned();
        }
        let mut out = String::new();
        let mut open: Option<(usize, bool)> = None;
        let mut skipped = 0;
        for (at, part) in parts.iter().enumerate() {
            match part {
                TemplatePart::Text(text) => {
                    let text = text.get(std::mem::take(&mut skipped)..).unwrap_or("");
                    // A quoted ability and a mode end with their own full stop.
                    let closes = is_closed(&out) && text.trim_start_matches('[').starts_with('.');
                    let text = if closes { Cow::Owned(text.replacen('.', "", 1)) } else { Cow::Borrowed(text) };
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
                    out.push_str(&if name == "this" { self.self_name() } else { self.name.clone() });
                }
                TemplatePart::Slot(name, _) if name == "line" => out.push('\n'),
                TemplatePart::Slot(name, mode) if name == "self" => {
                    let text = self.choose_by_word(mode);
                    if let (true, Some((_, is_filled))) = (text.is_empty(), &mut open) {
                        *is_filled = false;
                    }
                    out.push_str(&text);
                }
                // what another card prints
                TemplatePart::Slot(name, mode) if name == "facts" => {
                    let card =
                        TextNode::new(TextNodeKind::Quoted, mode.trim_start_matches([' ', ':']), Vec::new(), Span::default());
                    out.push_str(&self.facts(&card, "facts"));
                }
                // what that card does
                TemplatePart::Slot(name, mode) if name == "effects" => {
                    let card =
                        TextNode::new(TextNodeKind::Quoted, mode.trim_start_matches([' ', ':']), Vec::new(), Span::default());
                    out.push_str(&self.effect_lines(&card).join(" "));
                }
                // whether the text has taken some of the things with a status
                TemplatePart::Slot(name, mode) if name == "taken" => {
                    let (status, forms) = mode.trim_start_matches([' ', ':']).split_once(':').unwrap_or((mode, ""));
                    let (rest, all) = forms.split_once('|').unwrap_or((forms, ""));
                    out.push_str(if self.taken.iter().any(|known| known == status) { rest } else { all });
                }
                // what the card prints for a property, such as `race`, or the text behind `|` if it prints nothing
                TemplatePart::Slot(name, mode) if name == "prints" => {
                    let (word, none) = mode.trim_start_matches([' ', ':']).split_once('|').unwrap_or((mode.trim_start(), ""));
                    let printed = self.printed_alternatives(word);
                    let shown = if printed.is_empty() { none } else { &printed };
                    // `a {prints race} creature` becomes `an Angel Command creature`
                    if !self.is_japanese() && out.ends_with(" a ") && crate::text::english::article(shown) == "an" {
                        out.truncate(out.len() - 1);
                        out.push_str("n ");
                    }
                    out.push_str(shown);
                }
                TemplatePart::Slot(name, mode) => match found.iter().find(|(known, _)| known == name) {
                    Some((_, node)) => {
                        let text = self.slot(node, mode);
                        if self.has_open_sentences(node, &text, parts.get(at + 1)) {
                            let after = self.fill(parts.get(at + 1..).unwrap_or(&[]), found);
                            return format!("{out}{}", governed_blocks::move_end_first(&out, &text, &after));
                        }
                        if let (true, Some((_, is_filled))) = (text.is_empty(), &mut open) {
                            *is_filled = false;
                        }
                        let next = match parts.get(at + 1) {
                            Some(TemplatePart::Text(next)) => next.as_str(),
                            _ => "",
                        };
                        let (text, covered) = self.amount_before_noun(text, &out, next);
                        skipped = covered;
                        // `you may {S}`: the player is written once
                        let is_behind_may = !self.is_japanese() && out.ends_with("you may ") && !text.starts_with("you may ");
                        let text = if self.is_japanese() { Self::place_that_many(text, mode, &out, next) } else { text };
                        // a number by cases before a noun
                        let is_by_cases = !self.is_japanese() && text.ends_with(" otherwise") && next.starts_with(' ')
                            || self.is_japanese()
                                && text.contains("、そうでなければ")
                                && next.starts_with(['枚', '体', '個', 'つ']);
                        let text = match (is_by_cases, self.is_japanese()) {
                            (true, true) => format!("（{text}）"),
                            (true, false) => format!("({text})"),
                            _ => text,
                        };
                        let text = if is_behind_may { text.trim_start_matches("you ") } else { &text };
                        out.push_str(text);
                    }
                    None => {
                        if let Some((_, is_filled)) = &mut open {
                            *is_filled = false;
                        }
                    }
                },
            }
        }
        out
    }

    /// `that many` before or behind its noun: カードをその数だけ引く, その数のカードを.
    fn place_that_many(text: String, mode: &str, before: &str, behind: &str) -> String {
        match mode {
            ":front" if text == "その数の" && behind.ends_with('を') => String::new(),
            _ if mode.starts_with(":back") && text == "その数だけ" && !before.ends_with('を') => String::new(),
            _ => text,
        }
    }

    /// A computed number in the place of a plain one: カードの数と同じ枚数; `the top X cards`, with what X is behind the sentence. Returns the text and
    /// how many bytes of the following text it covers.
    fn amount_before_noun(&mut self, text: String, before: &str, behind: &str) -> (String, usize) {
        if self.is_japanese() {
            let counter = ["枚", "体", "個", "回", "点", "人"].iter().find(|counter| behind.starts_with(**counter));
            return match counter.filter(|_| text.ends_with('数') && text != "その数") {
                Some(counter) => (format!("{text}と同じ{counter}数"), counter.len()),
                None => (text, 0),
            };
        }
        let is_computed = text.starts_with("the number ") || text.starts_with("the total ");
        if is_computed && before.ends_with("the top ") && behind.starts_with(' ') && self.trailing_text.is_none() {
            let form = if self.style("where_x").is_empty() { ", where X is {N}" } else { self.style("where_x") };
            self.trailing_text = Some(form.replace("{N}", &text));
            return ("X".to_owned(), 0);
        }
        (text, 0)
    }

    /// The quoted words that the card prints for a property, joined by `or`.
    fn printed_alternatives(&mut self, of: &str) -> String {
        let printed = self.builder.quoted_words;
        let own = |word: &&SmolStr| printed.and_then(|printed| printed.get(*word)).is_some_and(|property| property == of);
        let words: Vec<SmolStr> = self.words.iter().filter(own).cloned().collect();
        let nodes = words.iter().map(|word| TextNode::word(word, Span::default()));
        if self.is_japanese() {
            let alternatives: Vec<String> = nodes.map(|node| self.noun_ja(&node)).collect();
            return alternatives.join(self.style("or"));
        }
        let alternatives: Vec<String> = nodes.map(|node| self.noun_en(&node, false)).collect();
        crate::text::english::join_alternatives(&alternatives, "or")
    }

    /// Chooses among ` word:this|word:that|else` by the words that the card prints.
    pub(in crate::text) fn choose_by_word(&self, mode: &str) -> String {
        for option in mode.trim_start_matches([' ', ':']).split('|') {
            match option.split_once(':') {
                Some((word, text)) if self.words.iter().any(|known| known == word) => return text.to_owned(),
                Some(_) => {}
                None => return option.to_owned(),
            }
        }
        String::new()
    }

    /// Chooses among `opponent:this|you:that|else` by the player of the things that a phrase selects. The card itself is one of its player.
    fn choose_by_owner(&self, node: &TextNode, options: &str) -> String {
        let owner = self.owner_word(node);
        for option in options.split('|') {
            match option.split_once(':') {
                Some((player, text)) if owner == Some(player) => return text.to_owned(),
                Some(_) => {}
                None => return option.to_owned(),
            }
        }
        String::new()
    }

    /// The word for the player whose things a phrase selects, if it says so.
    fn owner_word<'n>(&'n self, node: &'n TextNode) -> Option<&'n str> {
        match node.kind {
            TextNodeKind::Word if node.text == "this" => Some("you"),
            TextNodeKind::Word => {
                self.local(&node.text).filter(|local| local.value != *node).and_then(|local| self.owner_word(&local.value))
            }
            TextNodeKind::Phrase => {
                let named = node.kids.iter().skip(2).find_map(|filter| owner_in_filter(filter));
                named.or_else(|| self.owner_word(node.kid(1)))
            }
            _ => None,
        }
    }

    /// How the object refers to itself.
    pub(in crate::text) fn self_name(&self) -> String {
        if self.is_quoted {
            return self.name.clone();
        }
        let form = self.lexicon.self_name_for(&self.words).unwrap_or("this");
        form.replace("{name}", &self.name).replace("{short}", self.short_name())
    }

    /// The name up to its comma: `Akroma` of `Akroma, Angel of Fury`.
    pub(in crate::text) fn short_name(&self) -> &str {
        self.name.split_once(", ").map_or(self.name.as_str(), |(short, _)| short)
    }

    pub(in crate::text) fn slot(&mut self, node: &TextNode, mode: &str) -> String {
        // a change that adds a word is rendered as that word
        if node.kind == TextNodeKind::Change && node.text == "word" && node.kids.len() == 1 && !mode.is_empty() {
            return self.slot(node.kid(0), mode);
        }
        // `{X:home ZONE}`: the zone with its owner
        if let Some(zone) = mode.strip_prefix(":home ") {
            return self.zone_with_owner(node, zone);
        }
        // `{X:if NOUN one|other}` chooses by the noun, `{N:if 2 one|other}` by the number
        if let Some((nouns, (one, other))) = mode
            .strip_prefix(":if ")
            .and_then(|rest| rest.split_once(' '))
            .and_then(|(nouns, forms)| Some((nouns, forms.split_once('|')?)))
        {
            let noun = match node.kind {
                TextNodeKind::Phrase => node.kid(1),
                // what an effect is about
                TextNodeKind::Block => subject_of_effect(node),
                _ => node,
            };
            let is = |known: &str| noun.is_word(known) || noun.kind == TextNodeKind::Number && noun.text == known;
            return (if nouns.split(',').any(is) { one } else { other }).to_owned();
        }
        // `{X:whose opponent:…|you:…|…}` chooses by the player whose things they are
        if let Some(options) = mode.strip_prefix(":whose ") {
            return self.choose_by_owner(node, options);
        }
        // `{K:others}`: the other cards that print a word; `{K:others A,B}`: those of them that print one of these words, which this card does not
        if let Some(kinds) = mode.strip_prefix(":others") {
            return self.other_cards_printing(node, kinds.trim());
        }
        // `{N:symbols U}`: `{U}`, repeated N times
        if let Some(symbol) = mode.strip_prefix(":symbols ").filter(|_| node.kind == TextNodeKind::Number) {
            let count: usize = node.text.parse().unwrap_or(0);
            let symbol = format!("{{{symbol}}}");
            return if count <= MAX_SYMBOLS { symbol.repeat(count) } else { format!("{symbol}×{count}") };
        }
        if let Some(symbol) = mode.strip_prefix(":symbols ") {
            let full = self.inline_number(node);
            if full.kind == TextNodeKind::Number {
                return self.slot(&full, mode);
            }
            let amount = self.text(&full);
            return match self.is_japanese() {
                true => format!("{amount}に等しい点数の{{{symbol}}}"),
                false => format!("an amount of {{{symbol}}} equal to {amount}"),
            };
        }
        match (mode, node.kind) {
            (":quoted", _) => return self.quoted_text(node),
            (":described", _) => return self.described(node),
            (":generic", TextNodeKind::Number) => return format!("{{{}}}", node.text),
            (":signed", TextNodeKind::Number) if node.text == "0" => return "0".to_owned(),
            (":signed", TextNodeKind::Number) => return format!("+{}", node.text),
            (":signed", TextNodeKind::Negative) => return format!("−{}", node.kid(0).text),
            _ => {}
        }
        if let Some(forms) = mode.strip_prefix(':')
            && let Some((one, several)) = forms.split_once('|')
        {
            let several_of = self.is_plural(node) || (node.is_word("you") || node.is_word("_own")) && !self.is_japanese();
            return if several_of { several.to_owned() } else { one.to_owned() };
        }
        if matches!(node.kind, TextNodeKind::Event | TextNodeKind::NthTime) {
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
            // the names that a block binds end with it
            let known = self.locals.len();
            let text = if node.kids.is_empty() { self.style("nothing").to_owned() } else { self.sentences(node) };
            self.locals.truncate(known);
            return match mode {
                ":cap" => crate::text::english::capitalise(&text),
                _ if self.is_japanese() => self.form_ja(&text, mode),
                _ => text,
            };
        }
        if self.is_japanese() { self.slot_ja(node, mode) } else { self.slot_en(node, mode) }
    }

    /// A price that becomes less for each thing of a kind: its greatest amount. The setting `reduced` says by what. `None` for other prices.
    pub(in crate::text) fn reduced_price(&mut self, node: &TextNode) -> Option<String> {
        let form = self.lexicon.style("reduced").filter(|form| !form.is_empty())?;
        let (most, things) = reduced_number(node)?;
        let things = self.slot(things, if self.is_japanese() { ":one" } else { ":each" });
        self.last_sentence = Some(form.replace("{X}", &things));
        Some(format!("{{{}}}", most.text))
    }

    /// The subject of a verb, unless it is the player whose text it is.
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

    /// Whether a player may have the card itself do this: `you may deal 2 damage`, of an action that an object does.
    pub(in crate::text) fn is_done_by_object(&self, node: &TextNode) -> bool {
        let (params, subject) = self.builder.parameters(&node.text);
        let is_object = subject.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Object));
        is_object && !self.style("may_have").is_empty() && node.kid(SUBJECT).is_word("you")
    }

    /// The names of the other cards that print a word. A gap if there are more than [`MAX_OTHER_CARDS`].
    fn other_cards_printing(&mut self, word: &TextNode, kinds: &str) -> String {
        let lexicon: &'a Lexicon = self.lexicon;
        // one of them is the card itself
        let cards = self.builder.cards_by_word.and_then(|cards| cards.printing(&word.text, MAX_OTHER_CARDS + 1));
        let Some(cards) = cards else { return self.gap(word) };
        let mut made: Vec<String> = Vec::new();
        for (name, card) in cards {
            let own = lexicon.name(name).and_then(|forms| forms.first()).map_or(name.as_str(), String::as_str);
            if !self.may_render(own.len()) {
                return self.gap(word);
            }
            let is_of_kind =
                |kind: &str| !self.words.iter().any(|word| word == kind) && printed_words(card).iter().any(|word| word == kind);
            if own != self.name && (kinds.is_empty() || kinds.split(',').any(is_of_kind)) {
                made.push(self.render_value(&TextNode::new(TextNodeKind::Quoted, name.clone(), Vec::new(), card.name.span)));
            }
        }
        made.join(self.style("or"))
    }

    /// The lines of another card, without the signs in front of them.
    fn effect_lines(&mut self, node: &TextNode) -> Vec<String> {
        let signs = self.lexicon.styles("lines");
        let plain = |line: String| signs.iter().find_map(|sign| line.strip_prefix(sign.as_str())).unwrap_or(&line).to_owned();
        self.lines_of(node, false).into_iter().map(plain).collect()
    }

    /// What another card prints, and its text in quotes: `Plant/EARTH/Level 1; "This Token cannot attack."` Empty for what is no card.
    fn described(&mut self, node: &TextNode) -> String {
        if node.kind != TextNodeKind::Quoted || self.builder.names.card_at(&node.text, node.span).is_none() {
            return String::new();
        }
        let facts = self.facts(node, "facts");
        let lines = self.effect_lines(node);
        let text = match lines.is_empty() {
            true => facts,
            false if self.is_japanese() => format!("{facts}・「{}」", lines.concat()),
            false => format!("{facts}; \"{}\"", lines.join(" ")),
        };
        self.within_sentence(&text)
    }

    /// The text of another card, in quotes.
    fn quoted_text(&mut self, node: &TextNode) -> String {
        let lines = self.lines_of(node, true);
        if self.is_japanese() { format!("「{}」", lines.concat()) } else { format!("\"{}\"", lines.join(" ")) }
    }

    fn lines_of(&mut self, node: &TextNode, is_quoted: bool) -> Vec<String> {
        let card = self.builder.names.card_at(&node.text, node.span);
        let Some(card) = card.filter(|card| self.may_render_card(card)) else { return vec![self.gap(node)] };
        let mut other = Renderer::new(self.lexicon, self.builder, self.sources, self.grammar, printed_words(card));
        other.name = self.builder.names.scopes.printed_name(&card.name.text).to_string();
        // cards that print each other's texts share the limits
        (other.depth, other.work_left) = (self.depth + DEPTH_OF_CARD, self.work_left);
        if other.depth > MAX_DEPTH {
            return vec![self.gap(node)];
        }
        let own_name = self.style("quoted_self");
        if is_quoted && !own_name.is_empty() {
            own_name.clone_into(&mut other.name);
            other.is_quoted = true;
        }
        let lines = other.card_lines(card, self.builder);
        self.work_left = other.work_left;
        self.add_gaps(&other.gaps);
        if self.may_render(lines.iter().map(String::len).sum()) { lines } else { vec![self.gap(node)] }
    }

    /// Renders a node in its usual form. Beyond [`MAX_DEPTH`] it is a gap.
    pub(in crate::text) fn text(&mut self, node: &TextNode) -> String {
        self.depth += 1;
        let is_allowed = self.depth <= MAX_DEPTH && self.may_render(0);
        let text = if is_allowed { self.render_node(node) } else { self.gap(node) };
        let text = if self.may_render(text.len()) { text } else { self.gap(node) };
        self.depth -= 1;
        // a comparison of what was before a move is about the past
        let compares = matches!(node.kind, TextNodeKind::Is | TextNodeKind::Has)
            || node.kind == TextNodeKind::Binary && !matches!(node.text.as_str(), "and" | "or" | "+" | "-" | "*");
        if compares && is_about_past(node.kid(0)) {
            return if self.is_japanese() { crate::text::japanese::past(&text) } else { crate::text::english::past(&text) };
        }
        if node.kind == TextNodeKind::Event && !self.is_japanese() { self.make_event_plural(node, text) } else { text }
    }

    pub(in crate::text) fn render_node(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Nil => return String::new(),
            TextNodeKind::Other if node.text == BRACKETS => {
                let value = self.text(node.kid(0));
                return if self.is_japanese() { format!("（{value}）") } else { format!("({value})") };
            }
            // its name; an entry of the same word is one of a condition
            TextNodeKind::Period => {
                let name = self.lexicon.name(&node.text).and_then(|forms| forms.first()).cloned();
                return name.unwrap_or_else(|| self.text(&TextNode::word(&node.text, node.span)));
            }
            TextNodeKind::Number => return self.render_value(node),
            TextNodeKind::Price => return self.lookup(LexiconTable::Value, node).unwrap_or_else(|| self.render_value(node)),
            TextNodeKind::Block => return self.sentences(node),
            // a statement without its link, where an entry leaves it open: `if you do, S`
            TextNodeKind::Do
            | TextNodeKind::Sentence
            | TextNodeKind::Gets
            | TextNodeKind::Trigger
            | TextNodeKind::If
            | TextNodeKind::Modes
            | TextNodeKind::ForEach
            | TextNodeKind::Times => return self.act(node),
            TextNodeKind::Statement => {
                let text = self.act(node.kid(0));
                // what a later statement of the same entry calls by a name
                if node.kid(0).kind == TextNodeKind::Do && node.kid(0).text != "choose" {
                    self.bind_name(node.kid(0), &[]);
                }
                return text;
            }
            TextNodeKind::Phrase | TextNodeKind::Binary => {
                if let Some((zones, of)) = self.zones_of_player(node)
                    && let Some(text) = self.zones_text(&zones, of)
                {
                    return text;
                }
            }
            _ => {}
        }
        if let Some(text) = self.event_with_condition(node) {
            return text;
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
            && !self.is_player_of_event(node)
            && !self.is_chosen_number(node)
            && !self.is_chosen_word(node)
            && (self.is_japanese() || self.style("target").is_empty() || !self.is_target(node))
            && let Some(text) = self.lookup(table, node)
        {
            return text;
        }
        match node.kind {
            TextNodeKind::Until if node.kids.len() == 1 && node.kid(0).kind == TextNodeKind::Event => {
                let event = node.kid(0);
                match self.is_japanese() {
                    true => format!("{}まで", self.slot(event, ":would")),
                    false => format!("until {}", self.text(event)),
                }
            }
            TextNodeKind::Until if node.kids.len() > 1 => {
                let texts: Vec<String> = node
                    .kids
                    .iter()
                    .map(|kid| self.text(&TextNode::new(TextNodeKind::Until, "", vec![kid.clone()], kid.span)))
                    .collect();
                texts.join(self.style("or"))
            }
            TextNodeKind::Keyword => self.keyword_name(node).unwrap_or_else(|| self.gap(node)),
            // only an entry can phrase a limit of a player or a name
            TextNodeKind::Limit if node.text != "limit" => self.gap(node),
            TextNodeKind::Limit => {
                let span = self.slot(node.kid(1), ":bare");
                let number = self.slot(node.kid(0), "");
                let style = if node.kid(0).text == "1" { "limit" } else { "limits" };
                let text = self.style(style).replace("{P}", &span).replace("{N}", &number);
                if self.is_japanese() { text } else { text.replace("two times", "twice") }
            }
            TextNodeKind::NthTime => {
                let event = self.text(node.kid(0));
                let period = self.slot(node.kid(2), ":bare");
                let number = if self.is_japanese() {
                    self.text(node.kid(1))
                } else {
                    crate::text::english::ordinal_word(&node.kid(1).text)
                };
                self.style("nth_time").replace("{E}", &event).replace("{N}", &number).replace("{P}", &period)
            }
            TextNodeKind::Cannot => self.prohibition(node),
            _ => self.render_value(node),
        }
    }

    /// The text of an event with a condition that no entry covers, as the setting `event_while` phrases it: the condition is one of the event, not of
    /// what follows. `None` for other nodes, and if there is no such setting.
    fn event_with_condition(&mut self, node: &TextNode) -> Option<String> {
        let form = self.lexicon.style("event_while").filter(|form| !form.is_empty());
        // Japanese phrases what repeats as what would happen
        let is_mood = self.mood == Mood::Happens || self.is_japanese() && self.mood == Mood::Would;
        let is_open = node.kind == TextNodeKind::Event && !node.kid(CONDITION).is_nil() && is_mood;
        if !is_open || self.lexicon.find(LexiconTable::Event, node, self.builder).is_some() {
            return None;
        }
        let (kept, condition) = self.split_event_condition(node);
        let mut plain = node.clone();
        plain.kids[CONDITION] = kept;
        // without the setting, what happens with a condition is phrased by the verb where that has words
        let is_own_form = form.is_some();
        let form = match form {
            Some(form) => form,
            None if self.lexicon.find(LexiconTable::Event, &plain, self.builder).is_none() => return None,
            None if self.is_japanese() => self.style("where"),
            None => "{E} if {C}",
        };
        let event = self.text(&plain);
        // 唱え、それが赤である
        let event = match crate::text::japanese::conjunctive_form(&event) {
            _ if !is_own_form || !self.is_japanese() => event,
            form if form.ends_with("に出") => format!("{form}て"),
            form => form,
        };
        let is_either = condition.kind == TextNodeKind::Binary && condition.text == "or";
        let text = self.slot(&condition, if self.is_japanese() { ":if" } else { "" });
        Some(match self.exception_en(&condition, &text) {
            _ if text.is_empty() => self.text(&plain),
            Some(exception) => format!("{event} unless {exception}"),
            None if is_either && !self.is_japanese() && !text.starts_with("either ") => {
                form.replace("{E}", &event).replace("{C}", &format!("either {text}"))
            }
            None => form.replace("{E}", &event).replace("{C}", &text),
        })
    }

    /// The text of a condition on the sum of a property.
    pub(in crate::text) fn total(&mut self, node: &TextNode) -> String {
        let property = self.slot(node.kid(0), ":bare");
        let number = self.slot(node.kid(1), ":digits");
        let style = match node.text.as_str() {
            "==" => "total_equal",
            "<=" => "total_most",
            ">=" => "total_least",
            "<" => "total_below",
            _ => "total_above",
        };
        self.style(style).replace("{P}", &property).replace("{N}", &number)
    }

    /// One of several zones: `your opponent's field or GY`, 相手のフィールド・墓地. `None` for zones that the language names one by one.
    fn zones_text(&mut self, zones: &[TextNode], of: Option<&TextNode>) -> Option<String> {
        if self.is_japanese() {
            let anyones = if zones.iter().any(|zone| self.is_own_zone(&zone.text)) {
                self.style("anyones").to_owned()
            } else {
                String::new()
            };
            let whose = match of {
                Some(of) => format!("{}の", self.text(of)),
                None if anyones.is_empty() => return None,
                None => anyones,
            };
            let names: Vec<String> = zones.iter().map(|zone| self.noun_ja(zone)).collect();
            return Some(format!("{whose}{}", names.join("・")));
        }
        let whose = self.possessive_en(of?);
        let names: Vec<String> = zones.iter().map(|zone| self.noun_en(zone, false)).collect();
        let names: Vec<String> = names.iter().map(|name| name.strip_prefix("the ").unwrap_or(name).to_owned()).collect();
        Some(format!("{whose} {}", crate::text::english::join_alternatives(&names, "or")))
    }

    pub(in crate::text) fn render_value(&mut self, node: &TextNode) -> String {
        if self.is_japanese() { self.value_ja(node) } else { self.value_en(node) }
    }
}

/// What the first statement of an effect changes, or who or what it forbids something.
fn subject_of_effect(block: &TextNode) -> &TextNode {
    let act = block.kid(0).kid(0);
    match act.kind {
        TextNodeKind::Gets => act.kid(0),
        TextNodeKind::Cannot => act.kid(0).kid(0),
        _ => act,
    }
}

/// The operands of a sum, difference or product that are sums or differences, in brackets: the words alone would not say what is computed first.
fn bracket_operands(pattern: &TextNode, found: &mut HoleBindings, is_japanese: bool) {
    let is_sum = |node: &TextNode| node.kind == TextNodeKind::Binary && matches!(node.text.as_str(), "+" | "-");
    let is_computed = |node: &TextNode| node.kind == TextNodeKind::Binary && matches!(node.text.as_str(), "+" | "-" | "*");
    if !is_computed(pattern) {
        return;
    }
    for (at, operand) in pattern.kids.iter().enumerate() {
        let hole = &operand.text;
        for (_, value) in found.iter_mut().filter(|(name, _)| operand.kind == TextNodeKind::Hole && name == hole) {
            let is_unclear = match pattern.text.as_str() {
                "*" => is_sum(value),
                _ if is_japanese => is_computed(value),
                "-" => at == 1 && is_sum(value),
                _ => false,
            };
            if is_unclear {
                *value = TextNode::new(TextNodeKind::Other, BRACKETS, vec![value.clone()], value.span);
            }
        }
    }
}

/// Whether a value is read from an object as it was before a move.
fn is_about_past(node: &TextNode) -> bool {
    node.kind == TextNodeKind::Call && node.text == "before_move" || node.kids.iter().any(is_about_past)
}

/// The player whose things a filter selects: `of you`, `in your hand`, `with owner == you`. `None` for other filters.
fn owner_in_filter(filter: &TextNode) -> Option<&str> {
    let player = |node: &TextNode| matches!(node.text.as_str(), "you" | "opponent") && node.kind == TextNodeKind::Word;
    let value = filter.kid(0);
    match filter.kind {
        TextNodeKind::Of if player(value) => Some(&value.text),
        TextNodeKind::Of | TextNodeKind::In if value.kind == TextNodeKind::Phrase => {
            value.kids.iter().skip(2).find_map(owner_in_filter)
        }
        TextNodeKind::That => {
            let is_owner = value.text == "==" && value.kid(0).is_word("owner") && player(value.kid(1));
            is_owner.then_some(value.kid(1).text.as_str())
        }
        _ => None,
    }
}
