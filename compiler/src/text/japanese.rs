//! The Japanese grammar: verb forms, particles, counters, and the order of clauses.
//!
//! In templates, a bar before the る at the end of a verb marks where its stem ends (出|る).

mod becomes;
mod inflection;
mod lines;
mod markers;

pub use inflection::{continues_subject, join_sentences, without_subject};
pub use lines::merge_events;

use inflection::{THAT_MANY, VerbForm, conjunctive_form, inflect, is_number};
use markers::{COUNT_END, COUNT_START, demonstrative};

use super::lexicon::{Lexicon, LexiconTable, equal_ignoring_spans};
use super::normalize::{MAY, OPERANDS};
use super::tree::{TextNode, TextNodeKind, collect_alternatives};
use crate::text::line_marks::REMINDER;
use crate::text::renderer::Renderer;
use crate::text::tree::is_computed;
use fizzle_runtime::ir::Type;

/// Splits a text into its subject in brackets at the beginning, which is printed if no subject is written, and the rest.
fn split_subject(text: &str) -> (&str, &str) {
    text.strip_prefix('(').and_then(|rest| rest.split_once(')')).unwrap_or(("", text))
}

/// Whether a quality is joined to its noun by a dot.
fn is_joined_by_dot(lexicon: &Lexicon, post: &TextNode) -> bool {
    let dotted = lexicon.name(&post.kid(0).text).and_then(|forms| forms.first()).is_some_and(|form| form.ends_with('・'));
    post.kind == TextNodeKind::Is && post.text != "not" && post.kid(0).kind == TextNodeKind::Word && dotted
}

impl Renderer<'_> {
    /// A sentence in another form.
    pub(super) fn form_ja(&mut self, text: &str, mode: &str) -> String {
        // a reminder behind the sentence stays there
        if let Some((front, reminder)) = text.split_once(REMINDER) {
            return format!("{}{REMINDER}{reminder}", self.form_ja(front, mode));
        }
        match mode {
            ":te" => inflect(text, VerbForm::Te),
            ":stem" => inflect(text, VerbForm::Stem),
            ":past" => inflect(text, VerbForm::Past),
            ":negative" => inflect(text, VerbForm::Negative),
            ":may" => self.may_ja(text),
            _ => text.to_owned(),
        }
    }

    /// The link between kinds: `or`, or と for all things of all kinds (森と苗木).
    fn or_ja(&self) -> &str {
        match (self.joins_kinds_by_and, self.marks_each) {
            (true, true) => "と各",
            (true, false) => "と",
            _ => self.style("or"),
        }
    }

    /// The prefix for all things of a kind: 各 if the effect is on each of them.
    fn every_ja(&self) -> &str {
        if self.marks_each { "各" } else { self.style("every") }
    }

    fn may_ja(&self, text: &str) -> String {
        self.style("may").replace("{te}", &inflect(text, VerbForm::Te)).replace("{plain}", text)
    }

    pub(super) fn slot_ja(&mut self, node: &TextNode, mode: &str) -> String {
        match mode {
            "" => self.text(node),
            "'s" => {
                let text = self.text(node);
                format!("{text}の")
            }
            ":bare" | ":plural" => self.phrase_ja(node, false),
            ":that" => {
                let noun = self.short_ja(node);
                demonstrative(&noun)
            }
            ":it" => (if self.is_plural(node) { "それら" } else { "それ" }).to_owned(),
            // the cost, before the effect: 手札を1枚捨て、…
            ":cost" => {
                let costs = self.costs(node);
                let text = join_sentences(&costs);
                if text.is_empty() { text } else { format!("{}、", inflect(&text, VerbForm::Te)) }
            }
            ":costs" => self.costs(node).join(self.style("list")),
            ":pay" => join_sentences(&self.costs(node)),
            ":cost_not" => inflect(&join_sentences(&self.costs(node)), VerbForm::Negative),
            // one of them with its counter: クリーチャー1体
            ":one" => {
                let counter = self.counter_of(node);
                format!("{}1{counter}", self.phrase_ja(node, false))
            }
            // all things of several kinds: アーティファクトとクリーチャー
            ":all" => {
                let before = std::mem::replace(&mut self.joins_kinds_by_and, true);
                let text = self.phrase_ja(node, false);
                self.joins_kinds_by_and = before;
                text
            }
            // each of them: 飛行を持たない各クリーチャーと各プレイヤー
            ":each" => {
                let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), node.span);
                let mut whole = if node.kind == TextNodeKind::Phrase {
                    node.clone()
                } else {
                    TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), node.clone()], node.span)
                };
                whole.kids[0] = each;
                let before = std::mem::replace(&mut self.marks_each, true);
                let text = self.phrase_ja(&whole, true);
                self.marks_each = before;
                text
            }
            // the noun in a hand or a pile: クリーチャー・カード
            ":card" => {
                let text = self.phrase_ja(node, false);
                let noun = self.noun_of(node);
                let forms = self.lexicon.name(&noun.text).unwrap_or_default();
                match (forms.first(), forms.get(3)) {
                    (Some(usual), Some(there)) => {
                        text.strip_suffix(usual.as_str()).map_or(text.clone(), |front| format!("{front}{there}"))
                    }
                    _ => text,
                }
            }
            ":token" | ":tokens" => self.token_en(node, true),
            ":predicate" => self.noun_ja(node),
            ":counter" => self.counter_of(node),
            // before a noun: 3体である場合, いる場合
            ":if" => {
                let text = self.text(node);
                if text.is_empty() || text.ends_with(['る', 'た', 'い', 'う', 'く', 'す', 'つ', 'む', 'ぶ', '⟧']) {
                    text
                } else {
                    format!("{text}である")
                }
            }
            // {U}か{B}
            ":either" if node.kind == TextNodeKind::Price => self.either_ja(node),
            // {W}{W}か{U}{U}
            ":either" if node.kind == TextNodeKind::Binary && node.text == "or" => {
                if let Some(text) = self.lookup(LexiconTable::Value, node) {
                    return text;
                }
                let mut parts = Vec::new();
                collect_alternatives(node, &mut parts);
                let parts: Vec<String> = parts.iter().map(|part| self.slot_ja(part, mode)).collect();
                parts.join(self.style("or"))
            }
            ":te" | ":stem" | ":past" | ":negative" | ":may" => {
                let text = self.text(node);
                self.form_ja(&text, mode)
            }
            ":front" => {
                let n = self.text(node);
                match n.strip_prefix(THAT_MANY) {
                    _ if is_number(&n) => String::new(),
                    Some("") => String::new(),
                    // その数の2倍の
                    Some(rest) if rest.starts_with(['の', 'に']) => format!("{n}の"),
                    _ => self.style("amount").replace("{X}", &n) + "の",
                }
            }
            ":generic" => format!("{{{}}}", self.text(node)),
            // {B}{B}{B}
            _ if mode.starts_with(":symbols ") => {
                let n = self.text(node);
                format!("{{{}}}", &mode[9..]).repeat(n.parse::<usize>().unwrap_or(1).min(100))
            }
            _ => match (mode.strip_prefix(' '), mode.strip_prefix(":back ")) {
                (Some(noun), _) => {
                    let n = self.text(node);
                    let counter =
                        if noun.is_ascii() { self.counter_ja(&TextNode::word(noun, node.span)) } else { noun.to_owned() };
                    if noun.is_ascii() || is_number(&n) {
                        format!("{n}{counter}")
                    } else if n == THAT_MANY {
                        format!("その{counter}数")
                    } else if let Some(rest) = n.strip_prefix("その数の") {
                        // その2倍の点数
                        format!("その{rest}の{counter}数")
                    } else {
                        // 3点, パワーに等しい点数
                        let amount = self.style("amount").replace("{X}", &n);
                        amount.strip_suffix('数').map_or(amount.clone(), |stem| format!("{stem}{counter}数"))
                    }
                }
                (_, Some(counter)) => {
                    let n = self.text(node);
                    match n.as_str() {
                        THAT_MANY => "その数だけ".to_owned(),
                        _ if is_number(&n) => format!("{n}{counter}"),
                        _ => String::new(),
                    }
                }
                _ => self.text(node),
            },
        }
    }

    fn counter_ja(&self, noun: &TextNode) -> String {
        let player = TextNode::word("player", noun.span);
        let word = match noun.kind {
            TextNodeKind::Binary => noun.kid(0),
            TextNodeKind::Word if matches!(noun.text.as_str(), "opponent" | "you") => &player,
            _ => noun,
        };
        let at = if self.is_zone(&word.text) { 2 } else { 1 };
        let counter = self.lexicon.name(&word.text).and_then(|forms| forms.get(at)).map(String::as_str);
        counter.unwrap_or(self.style("counter")).to_owned()
    }

    /// The counter of the things that a phrase selects.
    fn counter_of(&mut self, node: &TextNode) -> String {
        let noun = if node.kind == TextNodeKind::Phrase { node.kid(1).clone() } else { node.clone() };
        if noun.is_word("card")
            && let Some(zone) =
                node.kids.iter().skip(2).find(|post| post.kind == TextNodeKind::In).map(|post| post.kid(0).clone())
        {
            return self.counter_ja(if zone.kind == TextNodeKind::Phrase { zone.kid(1) } else { &zone });
        }
        if self.is_in_own_zone(node) {
            return self.counter_ja(&TextNode::word("card", node.span));
        }
        self.counter_ja(&noun)
    }

    pub(super) fn noun_ja(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Word | TextNodeKind::Quoted => {
                if self.local(&node.text).is_some() {
                    return self.text(node);
                }
                match self.lexicon.name(&node.text).and_then(|forms| forms.first()) {
                    Some(form) if node.kind == TextNodeKind::Quoted => self.style("quoted").replace("{X}", form),
                    Some(form) => form.trim_end_matches('・').to_owned(),
                    None if node.kind == TextNodeKind::Quoted => self.style("quoted").replace("{X}", &node.text),
                    None if node.text.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) => node.text.to_string(),
                    None if self.is_trait_word(&node.text) => node.text.replace('_', " "),
                    None => self.lookup(LexiconTable::Value, node).unwrap_or_else(|| self.gap(node)),
                }
            }
            TextNodeKind::Binary if node.text == "or" => {
                let (left, right) = (self.noun_ja(node.kid(0)), self.noun_ja(node.kid(1)));
                format!("{left}{}{right}", self.or_ja())
            }
            _ => self.text(node),
        }
    }

    pub(super) fn value_ja(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Number | TextNodeKind::Price => node.text.to_string(),
            TextNodeKind::Word | TextNodeKind::Phrase => self.phrase_ja(node, true),
            TextNodeKind::Quoted => self.noun_ja(node),
            TextNodeKind::Binary if node.text == "or" || node.text == "and" => {
                let selection = self.selects(node.kid(0));
                let (left, right) = (self.text(node.kid(0)), self.text(node.kid(1)));
                match (left.is_empty(), right.is_empty(), node.text.as_str()) {
                    (true, ..) => right,
                    (_, true, _) => left,
                    (.., "or") => format!("{left}または{right}"),
                    _ if selection => format!("{left}と{right}"),
                    _ => format!("{}、{right}", conjunctive_form(&left)),
                }
            }
            TextNodeKind::Binary if node.text == "*" => {
                // the number goes behind what it multiplies
                let (left, right) = (self.text(node.kid(0)), self.text(node.kid(1)));
                if is_number(&left) { format!("{right}の{left}倍") } else { format!("{left}の{right}倍") }
            }
            TextNodeKind::List if node.kids.first().is_some_and(|kid| kid.kind == TextNodeKind::Change) => {
                let whom = TextNode::word("it", node.span);
                self.gets_ja(&TextNode::new(TextNodeKind::Gets, "", vec![whom, node.clone(), TextNode::nil()], node.span))
            }
            TextNodeKind::List => {
                let texts: Vec<String> = node.kids.iter().map(|kid| self.text(kid)).collect();
                texts.join("と")
            }
            TextNodeKind::Is => {
                let left = self.text(node.kid(0));
                let state = node.kid(1);
                if node.text == "not"
                    && let Some(opposite) = self.lexicon.name(&state.text).and_then(|forms| forms.get(1)).cloned()
                    && state.kind == TextNodeKind::Word
                    && !self.is_noun(&state.text)
                {
                    return format!("{left}が{}", opposite.trim_end_matches('の'));
                }
                let right = self.noun_ja(state);
                let right = right.trim_end_matches('の');
                if node.text == "not" { format!("{left}が{right}以外") } else { format!("{left}が{right}") }
            }
            TextNodeKind::Event => self.event_ja(node),
            _ => self.gap(node),
        }
    }

    fn either_ja(&mut self, node: &TextNode) -> String {
        if let Some(text) = self.lookup(LexiconTable::Value, node) {
            return text;
        }
        let inner = node.text.trim_matches(['{', '}']);
        if !inner.contains('/') || inner.contains('{') {
            return node.text.to_string();
        }
        let units: Vec<String> = inner.split('/').map(|unit| format!("{{{unit}}}")).collect();
        units.join(self.style("or"))
    }

    /// A word: a name, a reference, a zone.
    fn word_ja(&mut self, node: &TextNode, counted: bool) -> String {
        match node.text.as_str() {
            "this" => return self.self_name(),
            "it" => return "それ".to_owned(),
            _ => {}
        }
        match self.resolve_name(&node.text) {
            Some(Ok(value)) => return self.phrase_ja(&value, counted),
            Some(Err(local)) => {
                if local.is_plural {
                    return "それら".to_owned();
                }
                if local.value.is_word("you") {
                    return self.text(&local.value);
                }
                let short = self.short_ja(&local.value);
                let is_target = local.value.kid(0).text.starts_with("target");
                return if is_target { markers::target_reference(local.value.span.start, &short) } else { demonstrative(&short) };
            }
            None => {}
        }
        if let Some(text) = self.lookup(LexiconTable::Value, node) {
            return text;
        }
        if self.is_zone(&node.text) {
            return self.zone_ja(node, None);
        }
        self.noun_ja(node)
    }

    /// The noun of a later mention.
    fn short_ja(&mut self, value: &TextNode) -> String {
        let noun = self.noun_of(value);
        let cards = |this: &mut Self, noun: &TextNode| match noun.kind {
            TextNodeKind::Binary => this.cards_ja(noun).is_some(),
            _ => this.lexicon.name(&noun.text).is_some_and(|forms| forms.len() > 3),
        };
        if self.is_in_own_zone(value) && cards(self, &noun) {
            return self.noun_ja(&TextNode::word("card", value.span));
        }
        let short = self.lexicon.name(&noun.text).and_then(|forms| forms.get(2)).cloned();
        short.filter(|_| !self.is_zone(&noun.text)).unwrap_or_else(|| self.noun_ja(&noun).replace('^', ""))
    }

    /// Whether a phrase selects things in zones that each player has.
    fn is_in_own_zone(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Phrase
            && node.kids.iter().skip(2).any(|post| {
                let zone = if post.kid(0).kind == TextNodeKind::Phrase { post.kid(0).kid(1) } else { post.kid(0) };
                post.kind == TextNodeKind::In && self.is_own_zone(&zone.text)
            })
    }

    fn zone_ja(&mut self, node: &TextNode, of: Option<&TextNode>) -> String {
        let name = self.noun_ja(node);
        match of {
            Some(of) => {
                let whose = self.text(of);
                format!("{whose}の{name}")
            }
            None if !self.is_own_zone(&node.text) => name,
            None => format!("{}{name}", self.implied_owner.clone().unwrap_or_default()),
        }
    }

    fn phrase_ja(&mut self, node: &TextNode, counted: bool) -> String {
        match node.kind {
            TextNodeKind::Word => self.word_ja(node, counted),
            TextNodeKind::Binary if node.text == "or" => {
                let (left, right) = (self.phrase_ja(node.kid(0), counted), self.phrase_ja(node.kid(1), counted));
                format!("{left}{}{right}", self.or_ja())
            }
            // both selections are about all things of their kinds
            TextNodeKind::Binary if node.text == "and" && self.joins_kinds_by_and => {
                let (left, right) = (self.phrase_ja(node.kid(0), counted), self.phrase_ja(node.kid(1), counted));
                format!("{left}と、{right}")
            }
            TextNodeKind::Phrase => match self.lookup(LexiconTable::Value, node) {
                Some(text) => text,
                None => self.selection_ja(node, counted),
            },
            _ => self.text(node),
        }
    }

    fn selection_ja(&mut self, node: &TextNode, counted: bool) -> String {
        let (quantifier, head) = (node.kid(0).clone(), node.kid(1).clone());
        let posts: Vec<TextNode> = node.kids.iter().skip(2).cloned().collect();
        if quantifier.is_nil() && head.kind == TextNodeKind::Word && self.local(&head.text).is_none() && !self.is_noun(&head.text)
        {
            if let [of] = posts.as_slice()
                && of.kind == TextNodeKind::Of
            {
                if self.is_zone(&head.text) {
                    return self.zone_ja(&head, Some(of.kid(0)));
                }
                let whose = self.text(of.kid(0));
                let name = self.noun_ja(&head);
                return format!("{whose}の{name}");
            }
            if posts.is_empty() {
                return self.word_ja(&head, counted);
            }
        }
        let listed = head.kind == TextNodeKind::Word && self.local(&head.text).is_some();
        if listed && posts.is_empty() && matches!(quantifier.text.as_str(), "" | "each") {
            return self.word_ja(&head, counted);
        }
        // each of several kinds: 各プレイヤーと、対戦相手の…すべてのクリーチャーとプレインズウォーカー
        let every_kind = quantifier.text == "each"
            && head.kind == TextNodeKind::Binary
            && head.text == "or"
            && !self.style("every").is_empty();
        if every_kind {
            let kinds = self.kinds_ja(&head, &quantifier, &posts, &node.text);
            if let [kinds @ .., last] = kinds.as_slice()
                && !kinds.is_empty()
            {
                let phrases: Vec<String> = kinds.iter().map(|kind| self.phrase_ja(kind, counted)).collect();
                let between = if last.kids.len() > 2 && posts.is_empty() { "と、" } else { "と" };
                return format!("{}{between}{}", phrases.join("と"), self.phrase_ja(last, counted));
            }
        }
        let all = self.joins_kinds_by_and || every_kind;
        let kinds_before = std::mem::replace(&mut self.joins_kinds_by_and, all);
        let text = self.one_selection_ja(node, counted, posts);
        self.joins_kinds_by_and = kinds_before;
        text
    }

    /// One phrase per kind. Kinds with the same filters are merged into one phrase.
    fn kinds_ja(&self, head: &TextNode, quantifier: &TextNode, posts: &[TextNode], other: &str) -> Vec<TextNode> {
        let mut parts = Vec::new();
        collect_alternatives(head, &mut parts);
        let mut made: Vec<TextNode> = Vec::new();
        for part in parts {
            let mut kids = vec![quantifier.clone()];
            match part.kind {
                TextNodeKind::Phrase => kids.extend(part.kids.iter().skip(1).cloned()),
                _ => kids.push(part.clone()),
            }
            kids.extend(posts.iter().cloned());
            let thing = |node: &TextNode| !matches!(node.text.as_str(), "player" | "opponent" | "you");
            let last = made.last_mut().filter(|last| {
                let alike =
                    last.kids.len() == kids.len() && last.kids.iter().zip(&kids).skip(2).all(|(a, b)| equal_ignoring_spans(a, b));
                alike && thing(last.kid(1)) && kids.get(1).is_some_and(thing)
            });
            match last {
                Some(last) => {
                    let both = vec![last.kid(1).clone(), kids.swap_remove(1)];
                    last.kids[1] = TextNode::new(TextNodeKind::Binary, "or", both, part.span);
                }
                None => made.push(TextNode::new(TextNodeKind::Phrase, other, kids, part.span)),
            }
        }
        made
    }

    fn one_selection_ja(&mut self, node: &TextNode, counted: bool, mut posts: Vec<TextNode>) -> String {
        let lexicon = self.lexicon;
        let (quantifier, head) = (node.kid(0).clone(), node.kid(1).clone());
        let listed = head.kind == TextNodeKind::Word && self.local(&head.text).is_some();
        let alone = self.take_lone_words_ja(&head, &mut posts);
        let mut called = alone.is_some();
        let mut counter = self.counter_ja(&head);
        let mut noun = if let Some(words) = alone {
            words
        } else if listed {
            let noun = self.noun_of(&head);
            counter = self.counter_ja(&noun);
            self.noun_ja(&noun)
        } else {
            self.noun_ja(&head)
        };
        // in a hand or a pile it is a card, if the game has another noun for it there
        if self.is_in_own_zone(node)
            && let Some(form) = self.lexicon.name(&head.text).and_then(|forms| forms.get(3)).cloned()
            && !listed
        {
            counter = self.counter_ja(&TextNode::word("card", node.span));
            noun = form;
        }
        if head.kind == TextNodeKind::Binary
            && self.is_in_own_zone(node)
            && let Some(cards) = self.cards_ja(&head)
        {
            counter = self.counter_ja(&TextNode::word("card", node.span));
            noun = cards;
        }
        // the same for cards of one of several kinds
        if head.is_word("card")
            && self.is_in_own_zone(node)
            && let Some(at) = posts.iter().position(|post| {
                post.kind == TextNodeKind::Is && post.text.is_empty() && post.kid(0).kind == TextNodeKind::Binary
            })
            && let Some(cards) = self.cards_ja(posts[at].kid(0))
        {
            posts.remove(at);
            noun = cards;
            called = true;
        }
        // すべてのクリーチャー, in games that print it before the noun
        let every = quantifier.text == "each"
            && counted
            && !listed
            && !self.style("every").is_empty()
            && (head.kind == TextNodeKind::Word || self.joins_kinds_by_and)
            && !head.is_word("card");
        // a card in a hand: zones may have a noun for their cards
        if head.is_word("card")
            && !called
            && posts.iter().all(|post| post.kind == TextNodeKind::In)
            && let Some(at) = posts.iter().position(|post| post.kind == TextNodeKind::In)
        {
            let zone = posts[at].kid(0).clone();
            let word = if zone.kind == TextNodeKind::Phrase { zone.kid(1).clone() } else { zone.clone() };
            if let Some(there) = self.lexicon.name(&word.text).and_then(|forms| forms.get(1)).cloned()
                && self.is_zone(&word.text)
            {
                posts.remove(at);
                counter = self.counter_ja(&word);
                let of = zone.kids.iter().skip(2).find(|post| post.kind == TextNodeKind::Of).map(|of| of.kid(0).clone());
                let whose = match of {
                    Some(of) => {
                        let text = self.text(&of);
                        format!("{text}の")
                    }
                    None => self.implied_owner.clone().unwrap_or_default(),
                };
                noun = there;
                posts.push(TextNode::new(TextNodeKind::Other, whose, vec![], node.span));
            }
        }
        let order = |post: &TextNode| match post.kind {
            TextNodeKind::Is => 0,
            TextNodeKind::Has => 1,
            TextNodeKind::In => 3,
            TextNodeKind::Of => 4,
            TextNodeKind::Other => 5,
            // このクリーチャーのパワー未満のパワーを持つ相手のクリーチャー
            _ if is_computed(post) && self.lexicon.find_post(post).is_some_and(|(entry, _)| !entry.more_forms.is_empty()) => 6,
            _ => 2,
        };
        posts.sort_by_key(order);
        let mut other = node.text == "other" && !(quantifier.text.starts_with("target") && self.is_never_target());
        let refused: Vec<TextNode> = posts.iter().filter(|post| self.is_excluded_noun(post)).cloned().collect();
        let mut text = noun;
        if refused.len() > 1 {
            // アーティファクトでも黒でもない
            posts.retain(|post| !self.is_excluded_noun(post));
            let names: String = refused.iter().map(|post| format!("{}でも", self.noun_ja(post.kid(0)))).collect();
            text = format!("{names}ない{text}");
        }
        // a mark in the noun shows where its qualities go: 表側表示^モンスター
        if let Some((front, back)) = text.clone().split_once('^') {
            let mut core = back.to_owned();
            for post in posts.extract_if(.., |post| post.kind == TextNodeKind::Is).collect::<Vec<_>>() {
                let (front, back) = self.post_ja(&post);
                core = format!("{front}{core}{back}");
            }
            text = if core == back { format!("{front}{core}") } else { format!("{front}の{core}") };
        }
        // a quality with a dot goes next to the noun: ゴブリン・クリーチャー
        for post in posts.extract_if(.., |post| is_joined_by_dot(lexicon, post)).collect::<Vec<_>>() {
            let (front, back) = self.post_ja(&post);
            // エルフ呪文, but エルフ・カード
            let undotted = self.lexicon.styles("undotted").contains(&text);
            let front = if undotted { front.trim_end_matches('・') } else { &front };
            text = format!("{front}{text}{back}");
        }
        if every {
            text = format!("{}{text}", self.every_ja());
        }
        let mut clause = refused.len() > 1;
        for post in &posts {
            let (front, back) = self.post_ja(post);
            // 土地でない他のパーマネント: 他の goes before the clause, else it would modify a noun in the clause
            let refused = front.ends_with("でない") || front.ends_with("である");
            if other && (refused || matches!(post.kind, TextNodeKind::Of | TextNodeKind::In)) {
                text = format!("{}{text}", self.style("other"));
                other = false;
            }
            // あなたがコントロールしていて飛行を持つ…: both clauses modify the noun
            let front = match front.strip_suffix("ている").filter(|_| clause && post.kind == TextNodeKind::Of) {
                Some(stem) => format!("{stem}ていて"),
                None => front,
            };
            clause = if front.is_empty() { clause } else { front.ends_with(['る', 'つ', 'い', 'た']) };
            text = format!("{front}{text}{back}");
        }
        if listed {
            text = format!("その中の{text}");
        }
        if other {
            text = format!("{}{text}", self.style("other"));
        }
        let anywhere =
            !node.kids.iter().skip(2).any(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In | TextNodeKind::Other))
                && head.kind == TextNodeKind::Word
                && !listed;
        if anywhere
            && !text.starts_with("その")
            && matches!(quantifier.text.as_str(), "each" | "exactly" | "up_to" | "any" | "target" | "target_up_to")
            && self.is_noun(&head.text)
            && head.text != "player"
        {
            text = format!("{}{text}", self.style("anywhere"));
        }
        let n = quantifier.kid(0);
        let count = |this: &mut Self, n: &TextNode| {
            let full = this.inline_number(n);
            let text = this.text(&full);
            match text.as_str() {
                THAT_MANY if !this.style("choose").is_empty() => "その数だけ".to_owned(),
                THAT_MANY => text,
                _ if is_number(&text) => format!("{text}{counter}"),
                "それらの数" => this.style("amount").replace("{X}", "それ"),
                _ => this.style("amount").replace("{X}", &text),
            }
        };
        let mark = |kind: char, text: &str| if counted { format!("{COUNT_START}{kind}{text}{COUNT_END}") } else { String::new() };
        match quantifier.text.as_str() {
            "exactly" => {
                let n = count(self, n);
                if n.ends_with('数') && self.style("choose").is_empty() {
                    format!("{n}の{text}")
                } else {
                    format!("{text}{}", mark('c', &n))
                }
            }
            "up_to" => {
                let n = count(self, n);
                if n.ends_with('数') && self.style("choose").is_empty() {
                    format!("{n}まで、{text}")
                } else {
                    format!("{text}{}", mark('c', &self.style("up_to").replace("{N}", &n)))
                }
            }
            // 好きな枚数 of cards, 好きな数 of others
            "any" => {
                let cards = if counter == "枚" { "枚" } else { "" };
                format!("{text}{}", mark('n', &self.style("any").replace("{枚}", cards)))
            }
            "range" => {
                let (least, most) = (self.text(n), count(self, quantifier.kid(1)));
                format!("{text}{}", mark('c', &format!("{least}～{most}")))
            }
            "random" => {
                let n = count(self, n);
                format!("{text}{}", mark('r', &n))
            }
            "one_or_more" => self.style("one_or_more").replace("{N}", &format!("1{counter}")).replace("{X}", &text),
            "each" if every => text,
            "each" => format!("{text}{}", mark('a', "")),
            "target" | "target_up_to" | "target_range" => {
                let several = self.is_plural(node);
                let named = match quantifier.text.as_str() {
                    "target" => {
                        let n = count(self, n);
                        let each = self.each_one(node, &text, &n);
                        markers::target(node.span.start, &each.unwrap_or_else(|| format!("{text}{n}")))
                    }
                    "target_up_to" => {
                        let most = count(self, n);
                        markers::up_to_target(node.span.start, &text, &self.style("up_to").replace("{N}", &most))
                    }
                    _ => {
                        let (least, most) = (self.text(n), count(self, quantifier.kid(1)));
                        markers::target(node.span.start, &format!("{text}{least}～{most}"))
                    }
                };
                self.leading_sentences.push(named);
                if several { "それら".to_owned() } else { markers::target_reference(node.span.start, &self.short_ja(node)) }
            }
            _ => text,
        }
    }

    /// Words that the language uses without a noun (setting `alone`): 島 for a land that is one.
    fn take_lone_words_ja(&mut self, head: &TextNode, posts: &mut Vec<TextNode>) -> Option<String> {
        // a card is called by its name alone
        let named =
            |post: &TextNode| post.kind == TextNodeKind::Is && post.text.is_empty() && post.kid(0).kind == TextNodeKind::Quoted;
        if self.style("called") == "{X}"
            && let Some(at) = posts.iter().position(named)
            && self.quality_ja(posts[at].kid(0), false).is_none()
        {
            let post = posts.remove(at);
            let name = self.noun_ja(post.kid(0));
            // 表側表示の「黄泉ガエル」
            let head = self.noun_ja(head);
            return Some(head.split_once('^').map_or(name.clone(), |(front, _)| format!("{front}の{name}")));
        }
        let fits = |word: &TextNode| {
            let known = |set: &str, pair: &String| pair.split_once(' ').is_some_and(|(of, noun)| of == set && head.is_word(noun));
            let own = self.lexicon.styles("alone");
            let kept = own.iter().any(|word_of| word_of.strip_prefix('-') == Some(word.text.as_str()));
            !kept && self.set_of(&word.text).is_some_and(|set| own.iter().any(|pair| known(set, pair)))
        };
        let words = |post: &TextNode| {
            let mut words = Vec::new();
            collect_alternatives(post.kid(0), &mut words);
            words.iter().all(fits)
        };
        let at = posts.iter().position(|post| post.kind == TextNodeKind::Is && post.text.is_empty() && words(post))?;
        let post = posts.remove(at);
        Some(self.noun_ja(post.kid(0)))
    }

    /// The nouns of several kinds in a hand or a pile: インスタント・カードかソーサリー・カード.
    fn cards_ja(&mut self, head: &TextNode) -> Option<String> {
        let mut parts = Vec::new();
        collect_alternatives(head, &mut parts);
        let forms: Option<Vec<String>> = parts.iter().map(|part| self.lexicon.name(&part.text)?.get(3).cloned()).collect();
        Some(forms?.join(self.or_ja()))
    }

    fn quality_ja(&mut self, node: &TextNode, negative: bool) -> Option<String> {
        match node.kind {
            TextNodeKind::Word => {
                let forms = self.lexicon.name(&node.text).map(<[String]>::to_vec);
                let form = match &forms {
                    Some(forms) => forms.first().cloned().unwrap_or_default(),
                    None => {
                        let mut chars = node.text.chars();
                        if !chars.next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) {
                            return None;
                        }
                        node.text.to_string()
                    }
                };
                let verbal = form.ends_with(['る', 'た', 'い', 'な', 'の', 'ぬ']);
                Some(match (negative, verbal) {
                    // a negated verbal quality has a second form in the lexicon
                    (true, true) => forms.and_then(|forms| forms.get(1).cloned())?,
                    (true, false) => self.style("not").replace("{X}", form.trim_end_matches('・')),
                    (false, true) => form,
                    (false, false) if form.ends_with('・') => form,
                    (false, false) => self.style("quality").replace("{X}", &form),
                })
            }
            TextNodeKind::Binary if node.text == "or" => {
                let left = self.quality_ja(node.kid(0), false)?;
                let right = self.quality_ja(node.kid(1), negative)?;
                Some(format!("{}{}{right}", left.trim_end_matches(['の', '・']), self.or_ja()))
            }
            _ => None,
        }
    }

    fn post_ja(&mut self, post: &TextNode) -> (String, String) {
        if post.kind == TextNodeKind::Other {
            return (post.text.to_string(), String::new());
        }
        if let Some(around) = self.post_entry(post, &TextNode::nil()) {
            return around;
        }
        let negative = post.text == "not";
        let text = match post.kind {
            TextNodeKind::In if self.selects_list(post.kid(0)) => "その中の".to_owned(),
            TextNodeKind::In => {
                let zone = self.text(post.kid(0));
                format!("{zone}{}", self.style("in"))
            }
            TextNodeKind::Has => {
                let keyword = TextNode::new(TextNodeKind::Keyword, post.kid(0).text.clone(), vec![], post.span);
                let name = self.keyword_short(&keyword).unwrap_or_else(|| self.gap(post));
                if name.is_empty() {
                    return (String::new(), String::new());
                }
                self.style(if negative { "without" } else { "with" }).replace("{K}", &name)
            }
            TextNodeKind::Is => match self.quality_ja(post.kid(0), negative) {
                Some(text) => text,
                None if post.kid(0).kind == TextNodeKind::Quoted => {
                    let name = self.noun_ja(post.kid(0));
                    if negative { self.style("not").replace("{X}", &name) } else { self.style("called").replace("{X}", &name) }
                }
                None => self.gap(post),
            },
            TextNodeKind::Of => {
                let whose = self.text(post.kid(0));
                format!("{whose}の")
            }
            _ => self.gap(post),
        };
        (text, String::new())
    }

    fn event_ja(&mut self, node: &TextNode) -> String {
        let (params, subject) = self.builder.parameters(&node.text);
        let passive = !node.kid(4).is_nil();
        let mut kids =
            vec![TextNode::nil(), TextNode::nil(), TextNode::new(TextNodeKind::List, "", vec![], node.span), TextNode::nil()];
        kids.extend(params.iter().map(|_| TextNode::nil()));
        let mut call = TextNode::new(TextNodeKind::Do, node.text.clone(), kids, node.span);
        if !node.kid(2).is_nil() || passive && !node.kid(1).is_nil() {
            return self.gap(node);
        }
        let first = subject.unwrap_or(0);
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        if let Some(at) = second.filter(|_| !passive && !node.kid(1).is_nil()) {
            call.kids[OPERANDS + at] = node.kid(1).clone();
        }
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, &call, self.builder) else { return self.gap(node) };
        let text = self.fill(&entry.parts, &found);
        let text = split_subject(&text).1.trim_start_matches(['を', 'に', 'が']).to_owned();
        let text = if passive { inflect(&text, VerbForm::Passive) } else { text };
        let text = match self.mood {
            super::renderer::Mood::Happens => inflect(&text, VerbForm::Past),
            super::renderer::Mood::Would => text,
            super::renderer::Mood::Cannot => match text.strip_suffix("する") {
                Some(stem) => format!("{stem}できない"),
                None if passive => inflect(&text, VerbForm::Negative),
                None => format!("{text}ことができない"),
            },
        };
        let subject = self.phrase_ja(node.kid(0), false);
        let particle = if self.mood == super::renderer::Mood::Cannot { "は" } else { "が" };
        let text = format!("{subject}{particle}{text}");
        if node.kid(3).is_nil() {
            return text;
        }
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { self.style("where").replace("{E}", &text).replace("{C}", &condition) }
    }

    pub(super) fn call_ja(&mut self, node: &TextNode) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, node, self.builder) else { return self.gap(node) };
        self.add_reminder(entry, &found);
        let subject = self.subject_of(node);
        let full = !entry.pattern.kid(super::normalize::SUBJECT).is_nil();
        let own = match &subject {
            Some(subject) if !subject.is_word("this") => self.style("their"),
            _ => self.style("anyones"),
        };
        let subject = if full { None } else { subject.map(|subject| self.phrase_ja(&subject, false)) };
        let before = self.implied_owner.replace(own.to_owned());
        let text = self.fill(&entry.parts, &found);
        self.implied_owner = before;
        let needs_no_may = node.kid(MAY).is_nil() || !entry.pattern.kid(MAY).is_nil();
        let text = if needs_no_may { text } else { self.may_ja(&text) };
        let (you, text) = split_subject(&text);
        match subject {
            Some(subject) => format!("{subject}は{text}"),
            None if needs_no_may || !you.is_empty() => format!("{you}{text}"),
            None => self.you_may_ja(text),
        }
    }

    /// Inserts the player who may act behind the target: …1枚を対象とする。あなたはそれを戻してもよい.
    pub(super) fn you_may_ja(&self, text: &str) -> String {
        let named = self.style("target").split_once("{X}").map_or("", |(_, end)| end);
        let at = text.rfind(named).filter(|_| !named.is_empty()).map_or(0, |at| at + named.len());
        format!("{}{}{}", &text[..at], self.style("you_may"), &text[at..])
    }

    pub(super) fn gets_ja(&mut self, node: &TextNode) -> String {
        // 森と苗木は: changes of several kinds of things apply to all things of these kinds
        let both = node.kid(0).kind == TextNodeKind::Binary && node.kid(0).text == "and";
        let plain = node.kid(0).kind == TextNodeKind::Phrase && node.kid(0).kid(0).is_nil();
        let all = !self.style("every").is_empty() && (plain || both);
        let kind = self.kind_of(node.kid(0));
        let mut whole_kind = false;
        let before = std::mem::replace(&mut self.joins_kinds_by_and, all);
        let whom = self.phrase_ja(node.kid(0), true);
        self.joins_kinds_by_and = before;
        let until = self.text(node.kid(2));
        let changes: Vec<TextNode> = node.kid(1).kids.clone();
        let gain = !until.is_empty();
        let mut predicates = Vec::new();
        let mut at = 0;
        while at < changes.len() {
            let made = self.becomes_ja(&changes[at..], gain, kind.as_ref());
            let still = made.as_ref().is_some_and(|(.., still)| *still);
            let mut done = made.map(|(text, length, _)| (text, length));
            let least = done.as_ref().map_or(0, |(_, length)| *length);
            for length in (least + 1..=changes.len() - at).rev() {
                let list = TextNode::new(TextNodeKind::List, "", changes[at..at + length].to_vec(), node.span);
                if let Some(text) = self.lookup(LexiconTable::Change, &list) {
                    done = Some((text, length));
                    break;
                }
            }
            whole_kind |= still && done.as_ref().is_some_and(|(_, length)| *length == least);
            let (text, length) = done.unwrap_or_else(|| (self.change_ja(&changes[at], gain), 1));
            match predicates.last_mut().and_then(|last: &mut String| self.merge_keywords(last, &text, gain)) {
                Some(both) => {
                    predicates.pop();
                    predicates.push(both);
                }
                None => predicates.push(text),
            }
            at += length;
        }
        for later in predicates.iter_mut().skip(1) {
            // Xの攻撃力は…、守備力は…
            if self.style("gets") == "{X}{V}" {
                *later = later.trim_start_matches(['の', 'は', 'に', '、']).to_owned();
            }
        }
        let whom = if self.is_in_any_zone(node.kid(0)) { format!("{}{whom}", self.style("anywhere")) } else { whom };
        let whom =
            match self.lexicon.styles("still").get(2).filter(|_| whole_kind && (plain || node.kid(0).kind == TextNodeKind::Word))
            {
                Some(all_of) => format!("{all_of}{whom}"),
                None => whom,
            };
        let text = join_sentences(&predicates);
        // このクリーチャーは、オーラ1つにつき+2/+2の修整を受ける; …は、他のタイプに加えて森である
        let other = text.starts_with(self.style("other"));
        let apart = other || text.split('、').next().is_some_and(|first| first.contains("につき"));
        let text = if apart && self.style("gets").contains("は{V}") { format!("、{text}") } else { text };
        // クリーチャーを1体選ぶ。このターン、そのクリーチャーは…
        let chosen = ['c', 'n'].iter().any(|kind| whom.contains(&format!("{COUNT_START}{kind}")));
        if chosen && !until.is_empty() && !self.style("choose").is_empty() {
            let noun = self.short_ja(node.kid(0));
            let those = if self.is_plural(node.kid(0)) { format!("それらの{noun}") } else { demonstrative(&noun) };
            let sentence = self.style("gets").replace("{X}", &those).replace("{V}", &text);
            return format!("{whom}を選ぶ{}{until}、{sentence}", self.style("next"));
        }
        let sentence = self.style("gets").replace("{X}", &whom).replace("{V}", &text);
        if until.is_empty() { sentence } else { format!("{until}、{sentence}") }
    }

    /// Merges 接死を持つ and 絆魂を持つ into 接死と絆魂を持つ.
    fn merge_keywords(&self, one: &str, other: &str, gain: bool) -> Option<String> {
        let (front, back) = self.style(if gain { "gain" } else { "have" }).split_once("{K}")?;
        let inner = |text: &'_ str| Some(text.strip_prefix(front)?.strip_suffix(back)?.to_owned());
        let (one, other) = (inner(one)?, inner(other)?);
        let between = match (front.chars().last(), back.chars().next()) {
            (Some('「'), Some('」')) => "」と「",
            _ => "と",
        };
        (!one.contains('。') && !other.contains('。')).then(|| format!("{front}{one}{between}{other}{back}"))
    }

    /// Whether a change applies to all things of a kind, in any place.
    fn is_in_any_zone(&self, node: &TextNode) -> bool {
        let (bare, head) = match node.kind {
            TextNodeKind::Word => (true, node),
            TextNodeKind::Phrase => {
                let placed = |post: &TextNode| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In | TextNodeKind::Other);
                (node.kid(0).is_nil() && !node.kids.iter().skip(2).any(placed), node.kid(1))
            }
            _ => (false, node),
        };
        bare && head.kind == TextNodeKind::Word
            && self.local(&head.text).is_none()
            && self.is_noun(&head.text)
            && head.text != "player"
    }

    /// Whether a filter excludes things by a noun.
    fn is_excluded_noun(&self, post: &TextNode) -> bool {
        let form = self.lexicon.name(&post.kid(0).text).and_then(|forms| forms.first());
        post.kind == TextNodeKind::Is
            && post.text == "not"
            && post.kid(0).kind == TextNodeKind::Word
            && form.is_none_or(|form| !form.ends_with(['る', 'た', 'い', 'な', 'の', 'ぬ']))
            && !self.style("nor").is_empty()
    }

    fn change_ja(&mut self, change: &TextNode, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = TextNode::new(
                TextNodeKind::Keyword,
                word.text.clone(),
                change.kids.iter().skip(1).cloned().collect(),
                change.span,
            );
            if self.builder.names.keywords.contains_key(&word.text) {
                if let Some(name) = self.keyword_short(&keyword) {
                    // a keyword that is a predicate: 可能なら毎戦闘で攻撃する
                    if let Some(predicate) = name.strip_prefix('~') {
                        return predicate.to_owned();
                    }
                    // このクリーチャーはブロックされない, about another object
                    let own = |form: &str| name.strip_prefix(form).filter(|rest| rest.starts_with('は')).map(str::to_owned);
                    if let (Some(rest), "{X}{V}") = (self.lexicon.self_names().find_map(own), self.style("gets")) {
                        return rest;
                    }
                    return self.style(if gain { "gain" } else { "have" }).replace("{K}", &name);
                }
            } else {
                let name = self.noun_ja(word);
                return format!("{name}になる");
            }
        }
        self.gap(change)
    }
}
