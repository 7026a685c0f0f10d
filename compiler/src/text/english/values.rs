//! English values: numbers, forms of template holes, tokens, possessives, predicates.

use super::inflection::{article, capitalise, gerund, join_alternatives, join_costs, join_list, ordinal, plural, possessive};
use super::{NounForm, number_word};
use crate::names::Meaning;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives, has_places};
use fizzle_grammar::ast::{AbilityKind, Card, Span};

/// How a negated condition without a shorter form begins.
const NOT_SO: &str = "it isn't the case that ";

/// The event that `X can …` is about.
pub(in crate::text) fn can_event(node: &TextNode) -> TextNode {
    let kids = vec![node.kid(0).clone(), node.kid(1).clone(), TextNode::nil(), TextNode::nil(), node.kid(2).clone()];
    TextNode::new(TextNodeKind::Event, node.text.clone(), kids, node.span)
}

impl Renderer<'_> {
    pub(in crate::text) fn number_en(&self, n: &str) -> String {
        match n.parse::<usize>() {
            Ok(n) if self.style("numbers") == "words" => number_word(n).unwrap_or_else(|| n.to_string()),
            _ => n.to_owned(),
        }
    }

    /// Whether a node is a zone with an article, of which there is one: `the battlefield`.
    fn is_only_zone(&self, node: &TextNode) -> bool {
        let name = self.lexicon.name(&node.text).and_then(|forms| forms.first());
        node.kind == TextNodeKind::Word && self.is_zone(&node.text) && name.is_some_and(|name| name.starts_with("the "))
    }

    /// A phrase with another noun, of which its own one becomes a filter. A phrase whose noun has the same name is left as it is.
    fn as_kind_of(&self, node: &TextNode, noun: &str) -> TextNode {
        let name = |word: &str| self.lexicon.name(word).and_then(|forms| Some(forms.first()?.trim_start_matches('^')));
        let (head, filters) = match node.kind {
            TextNodeKind::Phrase => (node.kid(1), node.kids.get(2..).unwrap_or_default()),
            _ => (node, &[][..]),
        };
        if head.kind == TextNodeKind::Word && name(&head.text) == name(noun) {
            return node.clone();
        }
        let mut kids = vec![TextNode::nil(), TextNode::word(noun, head.span)];
        if !head.is_word("card") {
            kids.push(TextNode::new(TextNodeKind::Is, "", vec![head.clone()], head.span));
        }
        kids.extend(filters.iter().cloned());
        let text = if node.kind == TextNodeKind::Phrase { node.text.clone() } else { "".into() };
        TextNode::new(TextNodeKind::Phrase, text, kids, node.span)
    }

    /// A number before a noun: `a card`, `two cards`, `X cards`, `cards equal to …`.
    pub(in crate::text) fn counted_en(&mut self, node: &TextNode, noun: &str) -> String {
        let forms = self.lexicon.name(noun).map(<[String]>::to_vec);
        let one = forms.as_ref().and_then(|forms| forms.first()).map_or_else(|| noun.to_owned(), Clone::clone);
        let several = forms.as_ref().and_then(|forms| forms.get(1)).map_or_else(|| plural(&one), Clone::clone);
        let node = self.inline_number(node);
        match node.kind {
            TextNodeKind::Number if node.text == "1" => self.one_en(&one),
            TextNodeKind::Number => format!("{} {several}", self.number_en(&node.text)),
            _ => {
                let n = self.text(&node);
                if n.contains(' ') && !n.ends_with("that many") {
                    format!("{several} equal to {n}")
                } else {
                    format!("{n} {several}")
                }
            }
        }
    }

    pub(in crate::text) fn one_en(&self, noun: &str) -> String {
        match self.style("one") {
            "" | "a" => format!("{} {noun}", article(noun)),
            one => format!("{one} {noun}"),
        }
    }

    /// The value of a bound number, or the node itself.
    pub(in crate::text) fn inline_number(&mut self, node: &TextNode) -> TextNode {
        if node.kind == TextNodeKind::Word
            && let Some(local) = self.local(&node.text)
            && local.inline == Some(false)
        {
            return local.value.clone();
        }
        node.clone()
    }

    pub(in crate::text) fn slot_en(&mut self, node: &TextNode, mode: &str) -> String {
        match mode {
            "" if self.mood == crate::text::renderer::Mood::Cannot
                && matches!(node.kind, TextNodeKind::Word | TextNodeKind::Phrase)
                && !self.is_only_zone(node) =>
            {
                self.phrase_en(node, NounForm::Plural)
            }
            "" => self.text(node),
            ":each" => self.each_en(node),
            ":token" => self.token_en(node, false),
            ":tokens" => self.token_en(node, true),
            ":bare_token" => {
                let text = self.token_en(node, false);
                text.split_once(' ').map_or_else(|| text.clone(), |(_, rest)| rest.to_owned())
            }
            // a number in words; a computed number goes behind the sentence
            ":many" => {
                let full = self.inline_number(node);
                match full.kind {
                    TextNodeKind::Number => self.number_en(&full.text),
                    _ => self.slot_en(&full, ":digits").replace("that much", "that many"),
                }
            }
            // what is moved: a card from your hand
            ":from" => {
                let before = std::mem::replace(&mut self.is_moved, true);
                let text = self.slot_en(node, "");
                self.is_moved = before;
                text
            }
            "'s" => self.possessive_en(node),
            ":all" => self.every_en(node),
            // what a value is compared with is no count of things: `power is greater than 3`
            ":numeral" => {
                let full = self.inline_number(node);
                match full.kind {
                    TextNodeKind::Number => full.text.to_string(),
                    _ if self.is_chosen_number(node) => self.text(node).replace("that many", "that number"),
                    _ => self.text(node),
                }
            }
            ":ordinal" if node.kind == TextNodeKind::Number => ordinal(&node.text),
            // `3 or less`, `less than or equal to that creature's cost`
            ":most" | ":least" => {
                let full = self.inline_number(node);
                let text = self.slot_en(&full, ":numeral");
                match (full.kind == TextNodeKind::Number || text == "X", mode == ":most") {
                    (true, true) => format!("{text} or less"),
                    (true, false) => format!("{text} or more"),
                    (false, true) => format!("less than or equal to {text}"),
                    (false, false) => format!("greater than or equal to {text}"),
                }
            }
            // `a number of cards equal to …`
            _ if mode.starts_with(":number ") => {
                let text = self.counted_en(node, mode.trim_start_matches(":number "));
                if text.contains(" equal to ") { format!("a number of {text}") } else { text }
            }
            // one of them, with an article
            ":a" => {
                let bare = self.phrase_en(node, NounForm::Bare);
                format!("{} {bare}", article(&bare))
            }
            // `{X:plural_as NOUN}`: several things by another noun, of which their own is a kind: `creature spells with power 2 or less`
            _ if mode.starts_with(":plural_as ") => {
                let several = self.as_kind_of(node, mode.trim_start_matches(":plural_as "));
                self.phrase_en(&several, NounForm::Plural)
            }
            // `{X:as NOUN}`: a card by another noun
            _ if mode.starts_with(":as ") => {
                let noun = TextNode::word(mode.trim_start_matches(":as "), node.span);
                let mut other = node.clone();
                if node.is_word("card") {
                    other = noun;
                } else if node.kind == TextNodeKind::Phrase && node.kid(1).is_word("card") {
                    other.kids[1] = noun;
                }
                self.text(&other)
            }
            ":noun" => {
                let noun = self.noun_of(node);
                self.noun_en(&noun, false)
            }
            ":either" if node.kind == TextNodeKind::Price => self.either_en(node),
            // {W}{W}, {U}{U}, or {B}{B}
            ":either" if node.kind == TextNodeKind::Binary && node.text == "or" => {
                if let Some(text) = self.lookup(crate::text::pattern_match::LexiconTable::Value, node) {
                    return text;
                }
                let mut parts = Vec::new();
                collect_alternatives(node, &mut parts);
                let parts: Vec<String> = parts.iter().map(|part| self.slot_en(part, mode)).collect();
                join_alternatives(&parts, "or")
            }
            ":cap" => capitalise(&self.text(node)),
            ":plural" => self.phrase_en(node, NounForm::Plural),
            // two creatures, two of those cards
            ":among" => {
                let text = self.phrase_en(node, NounForm::Plural);
                let is_owned = ["those ", "your ", "their "].iter().any(|owner| text.starts_with(owner))
                    || text.split(' ').take(2).any(|word| word.ends_with("'s"));
                if is_owned || text == "them" { format!("of {text}") } else { text }
            }
            ":bare" => self.phrase_en(node, NounForm::Bare),
            ":price" => self.price_en(node),
            ":costs" => self.costs(node).iter().map(|text| capitalise(text)).collect::<Vec<_>>().join(self.style("list")),
            ":it" => (if self.is_plural(node) { "them" } else { "it" }).to_owned(),
            // the owner of a zone in a later mention
            ":their" => (if node.is_word("you") { "your" } else { "their" }).to_owned(),
            ":they" => (if self.is_plural(node) { "they" } else { "it" }).to_owned(),
            ":that" => self.that_en(node),
            ":pay" => join_costs(&self.costs(node)),
            // `paying 100`
            ":ing" => {
                let as_participle = |cost: &String| {
                    let (verb, rest) = cost.split_once(' ').unwrap_or((cost, ""));
                    format!("{} {rest}", gerund(verb)).trim_end().to_owned()
                };
                join_costs(&self.costs(node).iter().map(as_participle).collect::<Vec<_>>())
            }
            // a computed number goes behind the sentence
            ":digits" if node.kind != TextNodeKind::Number && !self.style("where_x").is_empty() => {
                let full = self.inline_number(node);
                if full.kind == TextNodeKind::Number {
                    return full.text.to_string();
                }
                let text = self.text(&full);
                if text.contains("that many") {
                    text.replace("that many", "that much")
                } else if text.contains(' ') && self.allows_trailing_text {
                    self.trailing_number(&text)
                } else {
                    text
                }
            }
            // the price of something, which becomes less for each thing of a kind: a sentence at the end says so
            ":reduced" => self.reduced_price(node).unwrap_or_else(|| self.slot_en(node, ":generic")),
            // `{X}, where X is …`, also in a cost, whose effect says what X is
            ":generic" => {
                let may_trail = std::mem::replace(&mut self.allows_trailing_text, true);
                let text = self.slot_en(node, ":digits");
                self.allows_trailing_text = may_trail;
                format!("{{{text}}}")
            }
            ":digits" if node.kind == TextNodeKind::Number => node.text.to_string(),
            ":predicate" => self.predicate_en(node),
            ":negative" => {
                let node = TextNode::new(TextNodeKind::Negative, "", vec![node.clone()], node.span);
                self.text(&node)
            }
            _ => match mode.strip_prefix(' ') {
                Some(noun) => self.counted_en(node, noun),
                None => self.text(node),
            },
        }
    }

    /// A computed number that is stated behind the sentence: `X, where X is …`. A second one is `Y`, and a third is written where it is. A number that
    /// is computed from the X of the price is not called X.
    fn trailing_number(&mut self, number: &str) -> String {
        const SIGNS: [&str; 3] = ["X", "Y", "Z"];
        let is_in = |sign: &&str| number.split(|c: char| !c.is_alphanumeric()).any(|word| word == *sign);
        let clause = |sign: &str| self.style("where_x").replace('X', sign).replace("{N}", number);
        let behind =
            |sign: &str| format!(" and {}", clause(sign).trim_start_matches([',', '.', ' ']).trim_start_matches("where "));
        let stated = self.trailing_text.clone().unwrap_or_default();
        let is_stated = |sign: &&str| stated.starts_with(&clause(sign)) || stated.contains(&behind(sign));
        if let Some(sign) = SIGNS.iter().find(|sign| is_stated(sign)) {
            return (*sign).to_owned();
        }
        let is_taken = |sign: &&str| stated.contains(&format!("{sign} is "));
        let free = SIGNS
            .iter()
            .find(|sign| !is_in(sign) && !is_taken(sign))
            .filter(|_| !stated.contains(" and Y ") && !stated.contains(" and Z "));
        let Some(sign) = free else { return number.to_owned() };
        self.trailing_text = Some(if stated.is_empty() { clause(sign) } else { format!("{stated}{}", behind(sign)) });
        (*sign).to_owned()
    }

    /// What must not be so, from the text of a negated condition that has no shorter form: `unless A and B`. `None` for other conditions.
    pub(in crate::text) fn exception_en(&self, condition: &TextNode, text: &str) -> Option<String> {
        let exception = text.strip_prefix(NOT_SO).filter(|_| condition.kind == TextNodeKind::Not && !self.is_japanese())?;
        Some(exception.strip_prefix("both ").unwrap_or(exception).to_owned())
    }

    /// All things of a kind: `artifacts and creatures you control`.
    pub(in crate::text) fn every_en(&mut self, node: &TextNode) -> String {
        let mut plain = node.clone();
        if node.kind == TextNodeKind::Phrase && node.kid(0).text == "each" {
            plain.kids[0] = TextNode::nil();
        }
        let before = std::mem::replace(&mut self.joins_kinds_by_and, true);
        let text = self.phrase_en(&plain, NounForm::Plural);
        self.joins_kinds_by_and = before;
        text
    }

    /// A price of one unit that accepts several kinds: `{U} or {B}`.
    fn either_en(&mut self, node: &TextNode) -> String {
        if let Some(text) = self.lookup(crate::text::pattern_match::LexiconTable::Value, node) {
            return text;
        }
        let inner = node.text.trim_matches(['{', '}']);
        if inner.contains('/') && !inner.contains('{') {
            let units: Vec<String> = inner.split('/').map(|unit| format!("{{{unit}}}")).collect();
            return join_alternatives(&units, "or");
        }
        node.text.to_string()
    }

    /// `each creature`, `each of your creatures`, `each of them`.
    pub(in crate::text) fn each_en(&mut self, node: &TextNode) -> String {
        if let Some(thing) = self.done_thing(&node.text, false) {
            return format!("each {thing}");
        }
        if node.kind == TextNodeKind::Word && self.local(&node.text).is_some() {
            let text = self.text(node);
            // one that each of several players has chosen: several together
            let noun = self.noun_of(node);
            let noun = self.local(&noun.text).map_or(noun.clone(), |local| self.noun_of(&local.value.clone()));
            let (one, more) = (self.noun_en(&noun, false), self.noun_en(&noun, true));
            return match text.strip_suffix(&one).filter(|front| front.starts_with("the ") && !one.is_empty()) {
                Some(front) => format!("each of {front}{more}"),
                None => format!("each of {text}"),
            };
        }
        // `your opponent` is the only one, and each of several is `each opponent`
        if node.is_word("opponent") || node.is_word("players") {
            return format!("each {}", if node.is_word("players") { "player" } else { "opponent" });
        }
        let mut each = node.clone();
        if node.kind == TextNodeKind::Phrase {
            each.kids[0] = TextNode::nil();
        }
        let bare = self.phrase_en(&each, NounForm::Bare);
        // an entry may render the whole phrase with its article
        let bare = ["a ", "an ", "each "].iter().find_map(|article| bare.strip_prefix(article)).unwrap_or(&bare);
        let free = each.kind == TextNodeKind::Word || each.kids.len() == 2;
        let anywhere = if free && self.is_noun(&self.noun_of(&each).text) { self.style("anywhere") } else { "" };
        format!("each {bare}{anywhere}")
    }

    /// A token: `a 1/1 white Spirit creature token with flying`.
    pub(in crate::text) fn token_en(&mut self, node: &TextNode, several: bool) -> String {
        let text = self.facts(node, if several { "tokens" } else { "token" });
        if several { text } else { self.one_en(&text) }
    }

    /// The printed facts of a card, in the form of a setting.
    pub(in crate::text) fn facts(&mut self, node: &TextNode, style: &str) -> String {
        let Some(card) = self.builder.names.card_at(&node.text, node.span) else { return self.text(node) };
        let mut keywords = Vec::new();
        let mut words: Vec<(String, Vec<String>)> = Vec::new();
        for fact in &card.facts {
            let made = self.builder.keyword(fact);
            let meanings = self.builder.names.meanings(&fact.word.text).to_vec();
            let is_keyword = self.builder.names.keywords.contains_key(&fact.word.text);
            if is_keyword || style.starts_with("token") && fact.value.is_none() && self.has_ability_entry(&made) {
                keywords.extend(self.keyword_of_token(&made));
                continue;
            }
            let (group, text) = match meanings.first() {
                Some(Meaning::Word(set, _)) => {
                    let set = self.builder.names.traits.get(set.index()).map_or("", |set| set.name.as_str()).to_owned();
                    (set, self.noun_en(&TextNode::word(&fact.word.text, node.span), false))
                }
                _ if self.is_japanese() => (fact.word.text.to_string(), made.kids.iter().map(|kid| self.noun_ja(kid)).collect()),
                _ => (fact.word.text.to_string(), made.kids.iter().map(|kid| kid.text.to_string()).collect()),
            };
            match words.iter_mut().find(|(name, _)| *name == group) {
                Some((_, texts)) => texts.push(text),
                None => words.push((group, vec![text])),
            }
        }
        if style.starts_with("token") {
            for ability in &card.abilities {
                if let AbilityKind::Keyword(fact) = &ability.kind {
                    let made = self.builder.keyword(fact);
                    keywords.extend(self.keyword_of_token(&made));
                }
            }
            keywords.extend(self.quoted_abilities(card));
        }
        if !keywords.is_empty() {
            let listed = if self.is_japanese() { keywords.join("と") } else { join_list(&keywords) };
            words.push(("keywords".to_owned(), vec![listed]));
        }
        let between = if self.is_japanese() { "・" } else { " " };
        let mut text = String::new();
        for part in self.style(style).split_inclusive(']') {
            let (before, segment) = part.split_once('[').unwrap_or((part, ""));
            text.push_str(before);
            let mut segment = segment.trim_end_matches(']').to_owned();
            let mut complete = true;
            // What a value contains is no hole: `{2}` in a quoted ability.
            let mut filled = 0;
            while let Some(from) = segment.get(filled..).and_then(|rest| rest.find('{')).map(|at| at + filled)
                && let Some(to) = segment.get(from..).and_then(|rest| rest.find('}')).map(|at| at + from)
            {
                let name = segment[from + 1..to].to_owned();
                // `{color|power:colorless}`: the value, or else that text if the card prints the other property
                let (name, absent) =
                    name.split_once('|').map_or((name.as_str(), None), |(name, absent)| (name, absent.split_once(':')));
                let name = name.to_owned();
                // `{attribute-属性}`: the value without that suffix
                let (name, end) = name.split_once('-').unwrap_or((&name, ""));
                // `{atk=def}`, `{atk!=def}`: only if both values are equal, or differ
                let (name, other) = name.split_once('=').map_or((name, None), |(name, other)| (name, Some(other)));
                let (name, unlike) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
                let texts_of = |wanted: &str| words.iter().find(|(group, _)| group == wanted).map(|(_, texts)| texts);
                let holds = other.is_none_or(|other| (texts_of(name) == texts_of(other)) != unlike);
                let stated = absent.filter(|(of, _)| texts_of(of).is_some()).map(|(_, text)| vec![text.to_owned()]);
                let Some(texts) = texts_of(name).or(stated.as_ref()).filter(|_| holds) else {
                    complete = false;
                    break;
                };
                let join = if name == self.style("token_and") { texts.join(" and ") } else { texts.join(between) };
                let value = join.strip_suffix(end).unwrap_or(&join).to_owned();
                filled = from + value.len();
                segment.replace_range(from..=to, &value);
            }
            if complete {
                text.push_str(&segment);
            }
        }
        text
    }

    /// A keyword of a token: its name, or in quotation marks the sentence that it prints.
    fn keyword_of_token(&mut self, keyword: &TextNode) -> Option<String> {
        if let Some(mut inner) = self.renderer_of_token() {
            let sentence = inner.sentence_name(keyword);
            self.work_left = inner.work_left;
            if let Some(sentence) = sentence {
                return Some(self.quote_line(&sentence));
            }
        }
        let name = self.keyword_short(keyword).map(|name| crate::text::english::lower_first(&name));
        name.filter(|name| !name.is_empty())
    }

    /// The abilities of a token in quotation marks, for the text of the card that creates it. Tokens within it are named without theirs.
    fn quoted_abilities(&mut self, card: &Card) -> Vec<String> {
        let Some(mut inner) = self.renderer_of_token().filter(|_| self.may_render_card(card)) else { return Vec::new() };
        inner.work_left = self.work_left;
        let mut shown = Card { facts: Vec::new(), faces: Vec::new(), ..card.clone() };
        shown.abilities.retain(|ability| !matches!(ability.kind, AbilityKind::Keyword(_)));
        let lines = inner.card_lines(&shown, self.builder);
        self.work_left = inner.work_left;
        if !self.may_render(lines.iter().map(String::len).sum()) {
            return Vec::new();
        }
        lines.iter().map(|line| self.quote_line(line)).collect()
    }

    /// A renderer for what a token says of itself in the text of the card that creates it. `None` in the text of a token, and without a name for it
    /// (setting `token_self`).
    fn renderer_of_token(&self) -> Option<Self> {
        let own_name = self.style("token_self");
        if own_name.is_empty() || self.is_quoted {
            return None;
        }
        let mut inner = Renderer::new(self.lexicon, self.builder, self.sources, self.grammar, Vec::new());
        inner.name = own_name.to_owned();
        (inner.is_quoted, inner.depth, inner.work_left) = (true, self.depth, self.work_left);
        Some(inner)
    }

    fn quote_line(&self, line: &str) -> String {
        if self.is_japanese() { format!("「{line}」") } else { format!("\"{line}\"") }
    }

    pub(in crate::text) fn price_en(&mut self, node: &TextNode) -> String {
        self.text(node)
    }

    pub(in crate::text) fn that_en(&mut self, node: &TextNode) -> String {
        let noun = self.noun_of(node);
        if self.is_plural(node) {
            format!("those {}", self.noun_en(&noun, true))
        } else {
            format!("that {}", self.noun_en(&noun, false))
        }
    }

    /// The noun of a phrase.
    pub(in crate::text) fn noun_of(&self, node: &TextNode) -> TextNode {
        match node.kind {
            TextNodeKind::Phrase => {
                if let Some(set) = self.chosen_set(node) {
                    return set.clone();
                }
                let head = node.kid(1);
                // a bound name has the noun of its value
                if head.kind == TextNodeKind::Word
                    && let Some(local) = self.local(&head.text)
                    // a name that is also the noun of its value
                    && !local.value.kid(1).is_word(&head.text)
                {
                    return self.noun_of(&local.value.clone());
                }
                self.noun_of_kinds(head).unwrap_or_else(|| head.clone())
            }
            TextNodeKind::Word => match self.local(&node.text) {
                Some(local) if local.value != *node => self.noun_of(&local.value.clone()),
                _ => node.clone(),
            },
            TextNodeKind::List => self.common_noun(&node.kids).unwrap_or_else(|| node.clone()),
            _ => node.clone(),
        }
    }

    /// The nouns of several kinds of which some have filters, each noun once: of `card in hand or card in graveyard` it is `card`.
    fn noun_of_kinds(&self, head: &TextNode) -> Option<TextNode> {
        if head.kind != TextNodeKind::Binary || !has_places(head) {
            return None;
        }
        let mut kinds = Vec::new();
        collect_alternatives(head, &mut kinds);
        self.common_noun(&kinds)
    }

    /// The nouns of several selections, each noun once.
    fn common_noun(&self, things: &[TextNode]) -> Option<TextNode> {
        let name = |noun: &TextNode| self.lexicon.name(&noun.text).and_then(|forms| forms.first()).map(String::as_str);
        let mut nouns: Vec<TextNode> = Vec::new();
        for noun in things.iter().map(|thing| self.noun_of(thing)) {
            let is_same = |known: &TextNode| known.text == noun.text || name(known).is_some() && name(known) == name(&noun);
            if !nouns.iter().any(is_same) {
                nouns.push(noun);
            }
        }
        let either =
            |one: TextNode, other: TextNode| TextNode::new(TextNodeKind::Binary, "or", vec![one, other], Span::default());
        nouns.into_iter().reduce(either)
    }

    pub(in crate::text) fn noun_en(&mut self, node: &TextNode, several: bool) -> String {
        match node.kind {
            TextNodeKind::Word | TextNodeKind::Quoted => {
                if let Some(forms) = self.lexicon.name(&node.text) {
                    return match (several, forms.get(1), forms.first()) {
                        (true, Some(form), _) => form.clone(),
                        (true, None, Some(form)) => plural(form),
                        (_, _, form) => form.cloned().unwrap_or_default(),
                    };
                }
                if let Some(quoted) = self.quoted_set_word(&node.text) {
                    return quoted;
                }
                let word = node.text.replace('_', " ");
                if several { plural(&word) } else { word }
            }
            // an alternative in a place: `creatures in your hand`
            TextNodeKind::Phrase if node.kid(0).is_nil() => self.slot_en(node, if several { ":plural" } else { ":bare" }),
            TextNodeKind::Binary if node.text == "or" => {
                let mut kinds = Vec::new();
                collect_alternatives(node, &mut kinds);
                let kinds: Vec<String> = kinds.iter().map(|kind| self.noun_en(kind, several)).collect();
                join_alternatives(&kinds, if self.joins_kinds_by_and { "and" } else { "or" })
            }
            _ => self.text(node),
        }
    }

    pub(in crate::text) fn possessive_en(&mut self, node: &TextNode) -> String {
        let text = self.text(node);
        possessive(&text)
    }

    /// What belongs to something: `its owner`; `the owner of target creature an opponent controls`, where a clause follows the noun.
    pub(in crate::text) fn owned_en(&mut self, owner: &TextNode, name: &str) -> String {
        let value = self.local(&owner.text).filter(|local| owner.kind == TextNodeKind::Word && local.inline == Some(true));
        let value = value.map_or_else(|| owner.clone(), |local| local.value.clone());
        let noun = match (value.kind, value.kids.len()) {
            (TextNodeKind::Phrase, 3..) if value.kid(1).kind == TextNodeKind::Word => Some(self.noun_en(value.kid(1), false)),
            _ => None,
        };
        let text = self.text(owner);
        match noun.filter(|noun| text.contains(&format!("{noun} "))) {
            Some(_) => format!("the {name} of {text}"),
            None => format!("{} {name}", possessive(&text)),
        }
    }

    /// Whether a word that cards print in quotes, such as a subtype, is written as its own noun.
    pub(in crate::text) fn is_own_noun(&self, word: &str) -> bool {
        let is_quoted = self.quoted_set_word(word).is_some();
        self.lexicon.name(word).is_none() && !is_quoted && self.is_trait_word(word) && word.starts_with(char::is_uppercase)
    }

    /// A predicate behind `is`: `a dragon`, `black`, `tapped`.
    pub(in crate::text) fn predicate_en(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Word
                if self.local(&node.text).is_none()
                    && (self.lexicon.name(&node.text).is_some()
                        || self.is_trait_word(&node.text)
                        || self.builder.is_flag(&node.text)) =>
            {
                let countable = self.lexicon.name(&node.text).is_some_and(|forms| forms.len() > 1);
                let text = self.noun_en(node, false);
                if countable || self.is_own_noun(&node.text) { format!("{} {text}", article(&text)) } else { text }
            }
            TextNodeKind::Binary if node.text == "or" => {
                format!("{} or {}", self.predicate_en(node.kid(0)), self.predicate_en(node.kid(1)))
            }
            _ => self.text(node),
        }
    }

    /// Renders a value for which there is no entry.
    pub(in crate::text) fn value_en(&mut self, node: &TextNode) -> String {
        match node.kind {
            TextNodeKind::Number => self.number_en(&node.text),
            TextNodeKind::Price => node.text.to_string(),
            TextNodeKind::Word | TextNodeKind::Phrase => self.phrase_en(node, NounForm::Usual),
            TextNodeKind::Quoted => self.lexicon.name(&node.text).and_then(|forms| forms.first()).cloned().unwrap_or_else(|| {
                match self.style("title") {
                    "" => format!("\"{}\"", node.text),
                    title => title.replace("{X}", &node.text),
                }
            }),
            // `an artifact or creature`
            TextNodeKind::Binary if node.text == "or" && self.names_kinds(node) => self.phrase_en(node, NounForm::Usual),
            TextNodeKind::Binary if node.text == "or" || node.text == "and" => self.junction_en(node),
            TextNodeKind::List if node.kids.first().is_some_and(|kid| kid.kind == TextNodeKind::Change) => {
                let whom = TextNode::word("it", node.span);
                let text =
                    self.gets_en(&TextNode::new(TextNodeKind::Gets, "", vec![whom, node.clone(), TextNode::nil()], node.span));
                text.strip_prefix("it is ").map_or(text.clone(), |rest| format!("it's {rest}"))
            }
            TextNodeKind::List => {
                let texts: Vec<String> = node.kids.iter().map(|kid| self.text(kid)).collect();
                texts.join(self.style("and"))
            }
            TextNodeKind::Is => {
                let left = self.text(node.kid(0));
                let right = match self.stands_for_word(node.kid(1)) {
                    true => format!("of {}", self.text(node.kid(1))),
                    false => self.predicate_en(node.kid(1)),
                };
                match (left.as_str(), node.text == "not") {
                    ("it", false) => format!("it's {right}"),
                    ("it", true) => format!("it isn't {right}"),
                    (_, not) => format!("{left} is {}{right}", if not { "not " } else { "" }),
                }
            }
            TextNodeKind::Event => self.event_en(node),
            TextNodeKind::Shares => {
                let set = self.noun_en(&TextNode::word(&node.text, node.span), false);
                let (one, other) = (self.text(node.kid(0)), self.text(node.kid(1)));
                format!("{one} shares {} {set} with {other}", article(&set))
            }
            TextNodeKind::Can => self.can_en(node, false).unwrap_or_else(|| self.gap(node)),
            TextNodeKind::Not => {
                if let Some(text) = self.possibility(node) {
                    return text;
                }
                let gaps = self.gaps.len();
                let text = self.text(node.kid(0));
                if text.starts_with('⟦') && text.find('⟧').is_some_and(|end| end + '⟧'.len_utf8() == text.len()) {
                    self.gaps.truncate(gaps);
                    return self.gap(node);
                }
                let both = match (node.kid(0).kind, node.kid(0).text.as_str()) {
                    (TextNodeKind::Binary, "and") if text.contains(" and ") => "both ",
                    (TextNodeKind::Binary, "or") if text.contains(" or ") && !text.starts_with("either ") => "either ",
                    _ => "",
                };
                match text.strip_prefix("it's the ").filter(|what| !what.contains(" and ") && !what.contains(" or ")) {
                    Some(what) => format!("it isn't the {what}"),
                    None => format!("{NOT_SO}{both}{text}"),
                }
            }
            _ => self.gap(node),
        }
    }

    /// What can happen, or cannot: `this creature can be destroyed`. `None` if the event has no words there.
    fn can_en(&mut self, node: &TextNode, is_negated: bool) -> Option<String> {
        let event = can_event(node);
        let gaps = self.gaps.len();
        let text = self.slot(&event, ":cannot");
        if !text.contains("can't ") || text.contains('⟦') {
            self.gaps.truncate(gaps);
            return None;
        }
        Some(if is_negated { text } else { text.replacen("can't ", "can ", 1) })
    }

    /// The text of `X can …` or `not X can …`. `None` for anything else.
    pub(in crate::text) fn possibility(&mut self, node: &TextNode) -> Option<String> {
        match node.kind {
            TextNodeKind::Can if self.is_japanese() => self.can_ja(node, false),
            TextNodeKind::Can => self.can_en(node, false),
            TextNodeKind::Not if node.kid(0).kind == TextNodeKind::Can && self.is_japanese() => self.can_ja(node.kid(0), true),
            TextNodeKind::Not if node.kid(0).kind == TextNodeKind::Can => self.can_en(node.kid(0), true),
            _ => None,
        }
    }

    /// A condition on what a phrase selects as a clause behind the noun: ` that can attack`, ` for which …`. `None` if it has no words.
    pub(super) fn candidate_clause_en(&mut self, condition: &TextNode) -> Option<String> {
        let condition = condition.replace_word("candidate", &TextNode::word("it", condition.span));
        let gaps = self.gaps.len();
        let text = self.text(&condition);
        if text.is_empty() || text.contains('⟦') {
            self.gaps.truncate(gaps);
            return None;
        }
        let is_own = matches!(condition.kind, TextNodeKind::Can | TextNodeKind::Not);
        Some(match text.strip_prefix("it ").filter(|_| is_own) {
            Some(rest) => format!(" that {rest}"),
            None => format!(" for which {text}"),
        })
    }

    /// Two conditions. Where one of them is a conjunction and the other connective joins them, `either` and a comma show what belongs
    /// together: `either A, or B and C`; `either A or B, and C`.
    fn junction_en(&mut self, node: &TextNode) -> String {
        let (left, right) = (self.text(node.kid(0)), self.text(node.kid(1)));
        if left.is_empty() || right.is_empty() {
            return if left.is_empty() { right } else { left };
        }
        let grouping = self.grouping(node);
        let whole = |text: &str| text.strip_prefix("either ").unwrap_or(text).to_owned();
        match (node.text.as_str(), grouping) {
            ("or", (false, false)) | ("and", (false, false)) => format!("{left} {} {right}", node.text),
            ("or", _) => format!("either {}, or {}", whole(&left), whole(&right)),
            (_, (is_left, is_right)) => {
                let left = if is_left { format!("either {},", whole(&left)) } else { left };
                let right = if is_right { format!("either {}", whole(&right)) } else { right };
                format!("{left} and {right}")
            }
        }
    }

    /// Replaces the second mention of the card's own name by `it` in a sentence that begins with it, if nothing else is mentioned in
    /// between.
    pub(in crate::text) fn replace_by_it(&self, text: &str) -> String {
        const OTHERS: [&str; 10] =
            [" a ", " an ", " another ", " target ", " each ", " all ", " that ", " those ", " any ", " and at "];
        let name = self.self_name();
        let own = name == self.name || name == self.short_name();
        if name.is_empty() || !own && self.style("again").is_empty() {
            return text.to_owned();
        }
        let Some(first) = find_name(text, &name, 0).map(|at| at + name.len()) else { return text.to_owned() };
        let Some(second) = find_name(text, &name, first) else { return text.to_owned() };
        let between = &text[first..second];
        // `it` never refers to a player
        let others = between.replace(" a player", " ");
        // a card that is not called by its name is replaced only if the sentence begins with it
        let subject = |word: &&str| text.strip_prefix(*word).is_some_and(|rest| own || rest.starts_with(&name));
        // and only if nothing else was mentioned before it
        let alone = !OTHERS.iter().any(|word| text[..first - name.len()].contains(word));
        let opens = alone && ["When ", "Whenever ", "While ", "As ", "If ", "When you put "].iter().any(subject)
            || own && between.contains(": ");
        let is_mentioned = |word: &str, form: &str| self.is_noun(word) && others.contains(&format!(" {form}"));
        if !opens
            || between.contains(['.', '\n'])
            || OTHERS.iter().any(|word| others.contains(word))
            || self.lexicon.has_noun(&is_mentioned)
        {
            return text.to_owned();
        }
        let rest = &text[second + name.len()..];
        let (pronoun, rest) = match rest.strip_prefix("'s") {
            Some(rest) => ("its", rest),
            None => ("it", rest),
        };
        if between.ends_with("named ") {
            return text.to_owned();
        }
        let pronoun = if between.ends_with(": ") { capitalise(pronoun) } else { pronoun.to_owned() };
        format!("{}{pronoun}{rest}", &text[..second])
    }
}

/// The next mention of a card by its name. In quotation marks and in source text it is no mention, nor is it one as a part of another name.
fn find_name(text: &str, name: &str, from: usize) -> Option<usize> {
    let mut start = from;
    while let Some(at) = text.get(start..)?.find(name).map(|at| at + start) {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_quoted = before.matches('"').count() % 2 == 1 || before.matches('⟦').count() > before.matches('⟧').count();
        let is_part = behind.starts_with(char::is_alphanumeric)
            || name.starts_with(char::is_uppercase)
                && behind.strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_uppercase))
            || before.ends_with(char::is_alphanumeric);
        if !is_quoted && !is_part {
            return Some(at);
        }
        start = at + name.len();
    }
    None
}
