//! Selections and their conditions in Japanese: counters, owners, zones, and the order of qualities before the noun.

use super::inflection::{THAT_MANY, is_number};
use super::markers;
use super::markers::{COUNT_END, COUNT_START};
use crate::text::english::shared_set;
use crate::text::lexicon::Lexicon;
use crate::text::pattern_match::LexiconTable;
use crate::text::render::zone_owner::any_players_zone;
use crate::text::renderer::Renderer;
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives, has_places, is_computed, is_count_of_all};

/// Whether a quality is joined to its noun by a dot.
fn is_joined_by_dot(lexicon: &Lexicon, post: &TextNode) -> bool {
    let dotted = lexicon.name(&post.kid(0).text).and_then(|forms| forms.first()).is_some_and(|form| form.ends_with('・'));
    post.kind == TextNodeKind::Is && post.text != "not" && post.kid(0).kind == TextNodeKind::Word && dotted
}

impl Renderer<'_> {
    pub(super) fn phrase_ja(&mut self, node: &TextNode, counted: bool) -> String {
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
            TextNodeKind::Phrase if self.is_rest_of_list(node) => self.style("rest").to_owned(),
            TextNodeKind::Phrase => {
                let others = self.without_exclusions(node);
                let node = others.as_ref().unwrap_or(node);
                match self.lookup(LexiconTable::Value, node) {
                    Some(text) => text,
                    None if self.is_place_condition(node) => {
                        let thing = self.phrase_ja(&self.placed_thing(node), false);
                        let zone = self.text(node.kids.last().map_or(node, |place| place.kid(0)));
                        format!("{thing}が{zone}にある")
                    }
                    None => self.selection_ja(node, counted),
                }
            }
            _ => self.text(node),
        }
    }

    pub(super) fn selection_ja(&mut self, node: &TextNode, counted: bool) -> String {
        if let Some(share) = self.share_of(node) {
            return share;
        }
        if let Some(set) = self.chosen_set(node).filter(|set| !set.is_word("name")) {
            let count = if counted { format!("{COUNT_START}c1つ{COUNT_END}") } else { "1つ".to_owned() };
            let name = self.set_name_ja(set);
            let filters: Vec<TextNode> = node.kids.iter().skip(3).cloned().collect();
            let filters: String = filters.iter().map(|post| self.post_ja(post).0).collect();
            return format!("{filters}{name}{count}");
        }
        if let Some(zone) = any_players_zone(node) {
            return format!("{}{}", self.style("any_player"), self.noun_ja(zone));
        }
        let (quantifier, head) = (node.kid(0).clone(), node.kid(1).clone());
        let posts: Vec<TextNode> = node.kids.iter().skip(2).cloned().collect();
        if quantifier.is_nil()
            && head.kind == TextNodeKind::Word
            && self.local(&head.text).is_none()
            && !self.is_noun(&head.text)
            && !self.is_printed_word(&head)
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
        if quantifier.text == "each" && self.is_each_of_list(&head, &posts) {
            let list = posts.first().map_or(&head, |filter| filter.kid(0)).clone();
            if let Some(reference) = self.reference_to_list(&list.text) {
                return self.list_reference_ja(&list.text, reference).unwrap_or_else(|| self.gap(&list));
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
            && (!self.style("every").is_empty() || posts.is_empty() && has_places(&head));
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
    pub(super) fn kinds_ja(&self, head: &TextNode, quantifier: &TextNode, posts: &[TextNode], other: &str) -> Vec<TextNode> {
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

    pub(super) fn one_selection_ja(&mut self, node: &TextNode, counted: bool, mut posts: Vec<TextNode>) -> String {
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
        if self.is_unplaced(node) {
            noun.push_str(self.lexicon.styles("unplaced").get(1).map_or("", String::as_str));
        }
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
                    _ if any_players_zone(&zone).is_some() => self.style("any_player").to_owned(),
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
            TextNodeKind::In => 4,
            TextNodeKind::Of => 5,
            // あなたがコントロールしていないマナ総量が3以下のパーマネント
            TextNodeKind::That if post.kid(0).kid(1).is_word("you") => 3,
            TextNodeKind::Other => 6,
            // このクリーチャーのパワー未満のパワーを持つ相手のクリーチャー
            _ if is_computed(post) && self.lexicon.find_post(post).is_some_and(|(entry, _)| !entry.more_forms.is_empty()) => 7,
            _ => 2,
        };
        posts.sort_by_key(order);
        // クリーチャーを、パワーの合計が5000以下になるように2体まで選び: the sum is that of what is chosen
        let sum = if counted && !self.style("choose").is_empty() && matches!(quantifier.text.as_str(), "up_to" | "any") {
            let total = posts.extract_if(.., |post| post.kind == TextNodeKind::Total).next();
            total.map(|total| format!("{}ように", self.total(&total))).unwrap_or_default()
        } else {
            String::new()
        };
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
            // カウンターが置かれている他のクリーチャー, not 他のカウンターが…
            let refused =
                refused || post.kind == TextNodeKind::That && front.contains('が') && front.ends_with(['る', 'た', 'い']);
            // このクリーチャーと同じ種族の他のクリーチャー
            let refused = refused || post.kind == TextNodeKind::That && front.contains("と同じ") || front.ends_with("ていない");
            if other && (refused || matches!(post.kind, TextNodeKind::Of | TextNodeKind::In)) {
                text = format!("{}{text}", self.style("other"));
                other = false;
            }
            // あなたがコントロールしていて飛行を持つ…: both clauses modify the noun
            let front = match front.strip_suffix("ている").filter(|_| clause && post.kind == TextNodeKind::Of) {
                Some(stem) => format!("{stem}ていて"),
                None => front,
            };
            // クリーチャー呪文: a kind of a noun that is written without a dot
            let is_kind = post.kind == TextNodeKind::Is && post.text.is_empty() && self.names_thing(post.kid(0));
            let front = match front.strip_suffix('の').filter(|_| is_kind && self.lexicon.styles("undotted").contains(&text)) {
                Some(kind) => kind.to_owned(),
                None => front,
            };
            clause = if front.is_empty() { clause } else { front.ends_with(['る', 'つ', 'い', 'た']) };
            // 装備魔法カード before 魔法カード prints the noun once
            let is_named = post.kind == TextNodeKind::Is && back.is_empty() && front.ends_with(&text);
            text = if is_named { front } else { format!("{front}{text}{back}") };
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
            && !self.is_listed_noun(&head.text)
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
                    format!("{text}{}", mark('c', &format!("{sum}{}", self.style("up_to").replace("{N}", &n))))
                }
            }
            // 好きな枚数 of cards, 好きな数 of others
            "any" => {
                let cards = if counter == "枚" { "枚" } else { "" };
                format!("{text}{}", mark('n', &format!("{sum}{}", self.style("any").replace("{枚}", cards))))
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
                    "target_up_to" if is_count_of_all(n, &head) => {
                        let cards = if counter == "枚" { "枚" } else { "" };
                        let any = self.style("any").replace("{枚}", cards);
                        let named = if text.is_empty() { any } else { format!("{any}の{text}") };
                        markers::target(node.span.start, &named)
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
    pub(super) fn take_lone_words_ja(&mut self, head: &TextNode, posts: &mut Vec<TextNode>) -> Option<String> {
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
    pub(super) fn cards_ja(&mut self, head: &TextNode) -> Option<String> {
        let mut parts = Vec::new();
        collect_alternatives(head, &mut parts);
        let forms: Option<Vec<String>> = parts.iter().map(|part| self.lexicon.name(&part.text)?.get(3).cloned()).collect();
        Some(forms?.join(self.or_ja()))
    }

    pub(super) fn quality_ja(&mut self, node: &TextNode, negative: bool) -> Option<String> {
        match node.kind {
            TextNodeKind::Word => {
                let forms = self.lexicon.name(&node.text).map(<[String]>::to_vec);
                let form = match &forms {
                    Some(forms) => forms.first().cloned().unwrap_or_default(),
                    None => {
                        let mut chars = node.text.chars();
                        if self.builder.is_flag(&node.text) {
                            let not = if negative { "でない" } else { "の" };
                            return Some(format!("{}{not}", self.source_name(&node.text, node.span)));
                        }
                        if !chars.next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) {
                            return None;
                        }
                        self.quoted_set_word(&node.text).unwrap_or_else(|| node.text.to_string())
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

    /// A filter with alternatives before the noun: パワーが4以上かタフネスが4以上の. `None` if one of them has no words there.
    fn either_filter_ja(&mut self, post: &TextNode) -> Option<String> {
        let filters = self.alternative_filters(post)?;
        let gaps = self.gaps.len();
        let texts: Vec<(String, String)> = filters.iter().map(|filter| self.post_ja(filter)).collect();
        if !texts.iter().all(|(front, back)| back.is_empty() && front.ends_with('の') && !front.contains('⟦')) {
            self.gaps.truncate(gaps);
            return None;
        }
        let parts: Vec<&str> = texts.iter().map(|(front, _)| front.trim_end_matches('の')).collect();
        Some(format!("{}の", parts.join(self.or_ja())))
    }

    /// The name of a trait set.
    pub(super) fn set_name_ja(&mut self, set: &TextNode) -> String {
        let name = self.lexicon.name(&set.text).and_then(|forms| forms.first()).cloned();
        name.unwrap_or_else(|| self.source_name(&set.text, set.span))
    }

    pub(super) fn post_ja(&mut self, post: &TextNode) -> (String, String) {
        if post.kind == TextNodeKind::Other {
            return (post.text.to_string(), String::new());
        }
        if let Some(around) = self.post_entry(post, &TextNode::nil()) {
            return around;
        }
        let negative = post.text == "not";
        let text = match post.kind {
            TextNodeKind::In if self.selects_list(post.kid(0)) => {
                let name = &post.kid(0).text;
                let reference = self.reference_to_list(name).and_then(|reference| self.list_reference_ja(name, reference));
                self.record_list(name);
                format!("{}の中の", reference.as_deref().unwrap_or("そ"))
            }
            TextNodeKind::In => {
                let zone = self.text(post.kid(0));
                format!("{zone}{}", self.style("in"))
            }
            TextNodeKind::NotIn => {
                let zone = self.text(post.kid(0));
                format!("{zone}{}", self.style("not_in"))
            }
            TextNodeKind::Has => {
                let keyword = TextNode::new(TextNodeKind::Keyword, post.kid(0).text.clone(), vec![], post.span);
                let name = self.keyword_short(&keyword).unwrap_or_else(|| self.gap(post));
                if name.is_empty() {
                    return (String::new(), String::new());
                }
                self.style(if negative { "without" } else { "with" }).replace("{K}", &name)
            }
            TextNodeKind::Total => self.total(post),
            // このクリーチャー以外の, その種族の
            TextNodeKind::Is if self.is_reference_ja(post.kid(0)) || self.stands_for_word(post.kid(0)) => {
                let text = self.text(post.kid(0));
                match (negative, self.stands_for_word(post.kid(0))) {
                    (true, _) => format!("{text}以外の"),
                    (false, true) => format!("{text}の"),
                    (false, false) => format!("{text}である"),
                }
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
            _ => match self.either_filter_ja(post) {
                Some(text) => text,
                // それと同じ種族を持つ
                None if let Some((is_shared, shares)) = shared_set(post) => {
                    let set = self.set_name_ja(&TextNode::word(&shares.text, post.span));
                    let other = self.text(shares.kid(1));
                    format!("{other}と同じ{set}を{}", if is_shared { "持つ" } else { "持たない" })
                }
                None if post.kind == TextNodeKind::That => {
                    self.candidate_clause_ja(post.kid(0)).unwrap_or_else(|| self.gap(post))
                }
                None => self.gap(post),
            },
        };
        (text, String::new())
    }

    /// Whether a node is a pronoun, or a name that the text binds.
    fn is_reference_ja(&self, node: &TextNode) -> bool {
        let is_pronoun = matches!(node.text.as_str(), "this" | "it");
        node.kind == TextNodeKind::Word && (is_pronoun || self.local(&node.text).is_some())
    }

    /// Whether a phrase selects things in zones that each player has.
    pub(super) fn is_in_own_zone(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Phrase
            && node.kids.iter().skip(2).any(|post| {
                let zone = if post.kid(0).kind == TextNodeKind::Phrase { post.kid(0).kid(1) } else { post.kid(0) };
                post.kind == TextNodeKind::In && self.is_own_zone(&zone.text)
            })
    }

    pub(super) fn zone_ja(&mut self, node: &TextNode, of: Option<&TextNode>) -> String {
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

    /// Whether a change applies to all things of a kind, in any place.
    pub(super) fn is_in_any_zone(&self, node: &TextNode) -> bool {
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
    pub(super) fn is_excluded_noun(&self, post: &TextNode) -> bool {
        let form = self.lexicon.name(&post.kid(0).text).and_then(|forms| forms.first());
        post.kind == TextNodeKind::Is
            && post.text == "not"
            && post.kid(0).kind == TextNodeKind::Word
            && self.lexicon.find_post(post).is_none()
            && form.is_none_or(|form| !form.ends_with(['る', 'た', 'い', 'な', 'の', 'ぬ']))
            && !self.style("nor").is_empty()
    }

    pub(super) fn counter_ja(&self, noun: &TextNode) -> String {
        let player = TextNode::word("player", noun.span);
        let word = match noun.kind {
            TextNodeKind::Binary => return self.counter_ja(noun.kid(0)),
            TextNodeKind::Phrase if noun.kids.len() > 2 => return self.counter_of_placed(noun),
            TextNodeKind::Word if matches!(noun.text.as_str(), "opponent" | "you") => &player,
            _ => noun,
        };
        let at = if self.is_zone(&word.text) { 2 } else { 1 };
        let counter = self.lexicon.name(&word.text).and_then(|forms| forms.get(at)).map(String::as_str);
        counter.unwrap_or(self.style("counter")).to_owned()
    }

    /// The counter of one of several kinds, which has filters: `card in hand`.
    fn counter_of_placed(&self, kind: &TextNode) -> String {
        let place = kind.kids.iter().skip(2).find(|filter| filter.kind == TextNodeKind::In).map(|filter| filter.kid(0));
        let zone = place.map(|place| if place.kind == TextNodeKind::Phrase { place.kid(1) } else { place });
        match zone {
            Some(zone) if kind.kid(1).is_word("card") && zone.kind == TextNodeKind::Word => self.counter_ja(zone),
            Some(zone) if self.is_own_zone(&zone.text) => self.counter_ja(&TextNode::word("card", kind.span)),
            _ => self.counter_ja(kind.kid(1)),
        }
    }

    /// The counter of the things that a phrase selects.
    pub(super) fn counter_of(&mut self, node: &TextNode) -> String {
        let noun = if node.kind == TextNodeKind::Phrase { node.kid(1).clone() } else { self.noun_of(node) };
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
}
