//! Values, words and slots of templates in Japanese.

use super::inflection::{THAT_MANY, VerbForm, conjunctive_form, inflect, is_number, join_sentences};
use super::markers;
use super::markers::demonstrative;
use crate::text::pattern_match::LexiconTable;
use crate::text::render::classify::is_number_choice;
use crate::text::render::referents::is_first_of_noun;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives, has_places};
use fizzle_grammar::ast::Span;

impl Renderer<'_> {
    /// A word of the game without a name in the language: its name in the source, in quotes and marked as source.
    pub(super) fn source_name(&mut self, word: &str, span: Span) -> String {
        self.add_gaps(&[span]);
        format!("「⟦{}⟧」", word.replace('_', " "))
    }

    /// The name of a step or phase that is written as a path.
    pub(super) fn step_ja(&mut self, node: &TextNode) -> Option<String> {
        let (_, last) = node.text.rsplit_once('.')?;
        let name = self.lexicon.name(last).and_then(|forms| forms.first()).cloned();
        Some(name.unwrap_or_else(|| self.source_name(last, node.span)))
    }

    pub(in crate::text) fn slot_ja(&mut self, node: &TextNode, mode: &str) -> String {
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
            // the price, to be followed by もよい: 手札を1枚捨てて
            ":cost_te" => inflect(&join_sentences(&self.costs(node)), VerbForm::Te),
            ":cost_past" => inflect(&join_sentences(&self.costs(node)), VerbForm::Past),
            // things of a noun of a kind: 火のクリーチャー, ドラゴン
            _ if mode.starts_with(":of_kind ") => {
                let noun = TextNode::word(mode.trim_start_matches(":of_kind "), node.span);
                let kind = TextNode::new(TextNodeKind::Is, "", vec![node.clone()], node.span);
                self.phrase_ja(&TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), noun, kind], node.span), false)
            }
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
                let is_noun = text.ends_with(self.style("your").trim_end_matches('の')) && !self.style("your").is_empty();
                let is_verb = text.ends_with(['る', 'た', 'い', 'う', 'く', 'す', 'つ', 'む', 'ぶ', '⟧']);
                if text.is_empty() || is_verb && !is_noun { text } else { format!("{text}である") }
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
                    // その数の2倍の
                    Some("") => "その数の".to_owned(),
                    Some(rest) if rest.starts_with(['の', 'に']) => format!("{n}の"),
                    _ => self.style("amount").replace("{X}", &n) + "の",
                }
            }
            ":reduced" => self.reduced_price(node).unwrap_or_else(|| self.slot_ja(node, ":generic")),
            ":generic" => {
                let full = self.inline_number(node);
                let text = self.text(&full);
                let clause = self.style("where_x");
                if is_number(&text) || clause.is_empty() {
                    return format!("{{{text}}}");
                }
                // {X}: a sentence at the end says what X is
                self.trailing_text = Some(clause.replace("{N}", &text));
                "{X}".to_owned()
            }
            // -X/-X: a sentence at the end says what X is
            ":digits" => {
                let full = self.inline_number(node);
                let text = self.text(&full);
                let is_plain = is_number(&text) || text == THAT_MANY || text.contains('⟦') || text.contains("につき");
                if is_plain || self.style("where_x").is_empty() { text } else { self.trailing_number_ja(text) }
            }
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

    /// A computed number that a sentence at the end of the ability states: X, and Y for a second one. A third is written where it is.
    fn trailing_number_ja(&mut self, number: String) -> String {
        let sentence = |sign: &str| self.style("where_x").replace('X', sign).replace("{N}", &number);
        let (first, second) = (sentence("X"), sentence("Y"));
        match self.trailing_text.clone() {
            None => {
                self.trailing_text = Some(first);
                "X".to_owned()
            }
            Some(text) if text.starts_with(&first) => "X".to_owned(),
            Some(text) if text.ends_with(&second) => "Y".to_owned(),
            Some(text) if text.contains("Yは") => number,
            Some(text) => {
                self.trailing_text = Some(format!("{text}{second}"));
                "Y".to_owned()
            }
        }
    }

    pub(in crate::text) fn noun_ja(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Word | TextNodeKind::Quoted => {
                if self.local(&node.text).is_some() {
                    return self.text(node);
                }
                match self.lexicon.name(&node.text).and_then(|forms| forms.first()) {
                    Some(form) if node.kind == TextNodeKind::Quoted => self.style("quoted").replace("{X}", form),
                    Some(form) => form.trim_end_matches('・').to_owned(),
                    None if node.kind == TextNodeKind::Quoted => self.style("quoted").replace("{X}", &node.text),
                    None if self.quoted_set_word(&node.text).is_some() => self.quoted_set_word(&node.text).unwrap_or_default(),
                    None if node.text.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) => node.text.to_string(),
                    None if self.is_trait_word(&node.text) && !node.text.contains(|c: char| c.is_ascii_lowercase()) => {
                        node.text.to_string()
                    }
                    None if self.is_trait_word(&node.text) => self.source_name(&node.text, node.span),
                    None if self.is_status(&node.text) || self.is_trait_set(&node.text) => {
                        self.lookup(LexiconTable::Value, node).unwrap_or_else(|| self.source_name(&node.text, node.span))
                    }
                    None => match self.lookup(LexiconTable::Value, node) {
                        Some(text) => text,
                        None => self.step_ja(node).unwrap_or_else(|| self.gap(node)),
                    },
                }
            }
            TextNodeKind::Binary if node.text == "or" => {
                let is_placed = has_places(node);
                // フィールドのカード・墓地のカード
                let kind = |this: &mut Self, kind: &TextNode| {
                    let text = this.noun_ja(kind);
                    let is_open = is_placed && kind.kind == TextNodeKind::Word && this.is_noun(&kind.text);
                    if is_open { format!("{}{text}", this.style("anywhere")) } else { text }
                };
                let (left, right) = (kind(self, node.kid(0)), kind(self, node.kid(1)));
                format!("{left}{}{right}", self.or_ja())
            }
            _ => self.text(node),
        }
    }

    pub(in crate::text) fn value_ja(&mut self, node: &TextNode) -> String {
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
                    _ if selection && node.text == "and" => format!("{left}と{right}"),
                    _ => self.junction_ja(node, &left, &right),
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
                if node.text == "not" && state.kind == TextNodeKind::Word && self.builder.is_flag(&state.text) {
                    return format!("{left}が{right}でない");
                }
                if node.text == "not" { format!("{left}が{right}以外") } else { format!("{left}が{right}") }
            }
            TextNodeKind::Event => self.event_ja(node),
            TextNodeKind::Shares => {
                let set = self.set_name_ja(&TextNode::word(&node.text, node.span));
                let (one, other) = (self.text(node.kid(0)), self.text(node.kid(1)));
                format!("{one}が{other}と同じ{set}を持つ")
            }
            TextNodeKind::Can => self.can_ja(node, false).unwrap_or_else(|| self.gap(node)),
            TextNodeKind::Not => {
                if let Some(text) = self.possibility(node) {
                    return text;
                }
                let gaps = self.gaps.len();
                let text = self.slot_ja(node.kid(0), ":if");
                if text.starts_with('⟦') && text.find('⟧').is_some_and(|end| end + '⟧'.len_utf8() == text.len()) {
                    self.gaps.truncate(gaps);
                    return self.gap(node);
                }
                match text.strip_suffix("である") {
                    Some(what) => format!("{what}でない"),
                    None => format!("{text}わけではない"),
                }
            }
            _ => self.gap(node),
        }
    }

    /// What can happen, or cannot: このクリーチャーが攻撃することができる. `None` if the event has no words there.
    pub(in crate::text) fn can_ja(&mut self, node: &TextNode, is_negated: bool) -> Option<String> {
        let event = crate::text::english::can_event(node);
        let gaps = self.gaps.len();
        let text = self.slot(&event, ":would");
        if text.contains('⟦') {
            self.gaps.truncate(gaps);
            return None;
        }
        // 破壊されうる, 攻撃することができる
        Some(match text.strip_suffix("れる") {
            Some(stem) => format!("{stem}れ{}", if is_negated { "ない" } else { "うる" }),
            None => format!("{text}ことができ{}", if is_negated { "ない" } else { "る" }),
        })
    }

    /// A condition on what a phrase selects as a clause before the noun: 攻撃することができる. `None` if it has no words.
    pub(super) fn candidate_clause_ja(&mut self, condition: &TextNode) -> Option<String> {
        let condition = condition.replace_word("candidate", &TextNode::word("it", condition.span));
        let gaps = self.gaps.len();
        let text = self.slot_ja(&condition, ":if");
        if text.is_empty() || text.contains('⟦') {
            self.gaps.truncate(gaps);
            return None;
        }
        Some(text.strip_prefix("それが").map_or(text.clone(), str::to_owned))
    }

    /// Two conditions. Where one of them is a conjunction and the other connective joins them, the words show what belongs together:
    /// `A、またはBでかつC`; `AまたはBのいずれかで、C`.
    fn junction_ja(&self, node: &TextNode, left: &str, right: &str) -> String {
        let either = |text: &str, is_mixed: bool| match is_mixed && !text.ends_with("のいずれか") {
            true => format!("{text}のいずれか"),
            false => text.to_owned(),
        };
        match (node.text.as_str(), self.grouping(node)) {
            ("or", (false, false)) => format!("{left}または{right}"),
            ("or", _) => format!("{}、または{}", left.replace('、', ""), right.replace('、', "")),
            (_, (is_left, is_right)) => {
                format!("{}、{}", conjunctive_form(&either(left, is_left)), either(right, is_right))
            }
        }
    }

    pub(super) fn either_ja(&mut self, node: &TextNode) -> String {
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
    pub(super) fn word_ja(&mut self, node: &TextNode, counted: bool) -> String {
        match node.text.as_str() {
            "this" => return self.self_name(),
            "it" if self.is_it_this => return self.self_name(),
            "it" => return "それ".to_owned(),
            _ => {}
        }
        if let Some(text) = self.done_thing(&node.text, false) {
            return text;
        }
        match self.resolve_name(&node.text) {
            Some(Ok(value)) => {
                let text = self.phrase_ja(&value, counted);
                self.record_list(&node.text);
                return text;
            }
            Some(Err(local)) => {
                if is_number_choice(&local) {
                    return self.chosen_number(&node.text);
                }
                if let Some(reference) = self.reference_to_list(&node.text) {
                    return self.list_reference_ja(&node.text, reference).unwrap_or_else(|| self.gap(node));
                }
                self.record_list(&node.text);
                if local.is_plural {
                    return "それら".to_owned();
                }
                if local.value.is_word("you") || local.value.is_word("this") {
                    return self.text(&local.value);
                }
                let short = self.short_ja(&local.value);
                if is_first_of_noun(&node.text) {
                    return format!("最初の{short}");
                }
                // 1体目のモンスター
                if let Some(at) = self.ordinal_of_choice(&node.text) {
                    let is_word = self.chosen_set(&local.value).is_some();
                    let counter = if is_word { "つ".to_owned() } else { self.counter_of(&local.value) };
                    return format!("{}{counter}目の{short}", at + 1);
                }
                let is_target = local.value.kid(0).text.starts_with("target");
                if self.is_chosen_before_each(&node.text) || self.is_choice_next_to_target(&node.text) {
                    return format!("{}{short}", if is_target { "対象の" } else { "選んだ" });
                }
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
    pub(super) fn short_ja(&mut self, value: &TextNode) -> String {
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
}
