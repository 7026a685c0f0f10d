//! English: articles, plurals, persons, possessives, pronouns.

use super::build::{MAY, OPERANDS};
use super::lexicon::{Part, Table};
use super::node::{Kind, Node};
use super::render::Renderer;
use crate::names::Meaning;
use fizzle_runtime::ir::Type;

/// What is wanted of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// As it stands in a sentence; one thing without a number has an article.
    Usual,
    /// Several things where no number is given.
    Plural,
    /// Without an article.
    Bare,
}

const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// With the first letter large.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Every sentence with a large first letter.
pub fn sentences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = true;
    let mut before = ' ';
    for c in text.chars() {
        if start && (c.is_alphanumeric() || c == '{' || c == '⟦') {
            out.extend(c.to_uppercase());
            start = false;
        } else {
            out.push(c);
        }
        if c == '\n' || c == ' ' && matches!(before, '.' | '•') {
            start = true;
        }
        before = c;
    }
    out
}

fn is_vowel(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u')
}

/// `a` or `an` before a word.
fn article(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let first = lower.chars().next().unwrap_or(' ');
    let vowel = is_vowel(first) && !lower.starts_with("uni") && !lower.starts_with("one") && !lower.starts_with("use")
        || first == '8'
        || lower.starts_with("11 ")
        || lower.starts_with("hour");
    if vowel { "an" } else { "a" }
}

/// A noun in the plural.
pub fn plural(noun: &str) -> String {
    if let Some(stem) = noun.strip_suffix('y')
        && !stem.ends_with(is_vowel)
    {
        return format!("{stem}ies");
    }
    if noun.ends_with(['s', 'x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}

/// A verb in the third person.
pub fn third(verb: &str) -> String {
    match verb {
        "have" => "has".into(),
        "be" | "are" => "is".into(),
        "do" => "does".into(),
        "go" => "goes".into(),
        "can" | "can't" | "may" | "must" | "cannot" => verb.into(),
        "don't" => "doesn't".into(),
        "aren't" => "isn't".into(),
        _ => plural(verb),
    }
}

/// A past participle, where it is regular.
fn participle(verb: &str) -> String {
    match verb.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ied"),
        _ if verb.ends_with('e') => format!("{verb}d"),
        _ => format!("{verb}ed"),
    }
}

/// `'s`
fn possessed(text: &str) -> String {
    match text {
        "you" => "your".into(),
        "it" => "its".into(),
        "they" | "them" => "their".into(),
        _ if text.ends_with("players") || text.ends_with("opponents") => format!("{text}'"),
        _ if text.ends_with('s') && !text.ends_with("ss") && text.contains(' ') && text.starts_with("those") => {
            format!("{text}'")
        }
        _ => format!("{text}'s"),
    }
}

/// `verb/participle rest`
fn verb_of(template: &str) -> (&str, Option<&str>, &str) {
    let end = template.find([' ', '[']).unwrap_or(template.len());
    let (verb, rest) = template.split_at(end);
    match verb.split_once('/') {
        Some((verb, participle)) => (verb, Some(participle), rest),
        None => (verb, None, rest),
    }
}

impl Renderer<'_> {
    fn number_en(&self, n: &str) -> String {
        match n.parse::<usize>() {
            Ok(n) if self.style("numbers") == "words" => NUMBERS.get(n).map_or_else(|| n.to_string(), |word| (*word).to_owned()),
            _ => n.to_owned(),
        }
    }

    /// A number before a noun: `a card`, `two cards`, `X cards`, `cards equal to …`.
    fn counted_en(&mut self, node: &Node, noun: &str) -> String {
        let forms = self.lexicon.name(noun).map(<[String]>::to_vec);
        let one = forms.as_ref().and_then(|forms| forms.first()).map_or_else(|| noun.to_owned(), Clone::clone);
        let several = forms.as_ref().and_then(|forms| forms.get(1)).map_or_else(|| plural(&one), Clone::clone);
        let node = self.full(node);
        match node.kind {
            Kind::Number if node.text == "1" => self.one_en(&one),
            Kind::Number => format!("{} {several}", self.number_en(&node.text)),
            _ => {
                let n = self.text(&node);
                if n.contains(' ') { format!("{several} equal to {n}") } else { format!("{n} {several}") }
            }
        }
    }

    fn one_en(&self, noun: &str) -> String {
        match self.style("one") {
            "" | "a" => format!("{} {noun}", article(noun)),
            one => format!("{one} {noun}"),
        }
    }

    /// A number that has a name, in full.
    pub(super) fn full(&mut self, node: &Node) -> Node {
        if node.kind == Kind::Word
            && let Some(local) = self.local(&node.text)
            && local.inline == Some(false)
        {
            return local.value.clone();
        }
        node.clone()
    }

    pub(super) fn slot_en(&mut self, node: &Node, mode: &str) -> String {
        match mode {
            "" if self.mood == super::render::Mood::Cannot && matches!(node.kind, Kind::Word | Kind::Phrase) => {
                self.phrase_en(node, Want::Plural)
            }
            "" => self.text(node),
            ":each" => self.each_en(node),
            ":token" => self.token_en(node, false),
            ":tokens" => self.token_en(node, true),
            "'s" => self.possessive_en(node),
            ":cap" => capital(&self.text(node)),
            ":plural" => self.phrase_en(node, Want::Plural),
            ":bare" => self.phrase_en(node, Want::Bare),
            ":price" => self.price_en(node),
            ":costs" => self.costs(node).iter().map(|text| capital(text)).collect::<Vec<_>>().join(self.style("list")),
            ":it" => (if self.is_plural(node) { "them" } else { "it" }).to_owned(),
            ":they" => (if self.is_plural(node) { "they" } else { "it" }).to_owned(),
            ":that" => self.that_en(node),
            ":pay" => listed(&self.costs(node)),
            // what is no plain number is told behind the sentence
            ":digits" if node.kind != Kind::Number && !self.style("where_x").is_empty() => {
                let full = self.full(node);
                let text = self.text(&full);
                if text.contains(' ') {
                    let told = self.style("where_x").replace("{N}", &text);
                    if self.after.as_ref() != Some(&told) {
                        self.after = Some(told);
                    }
                    "X".to_owned()
                } else {
                    text
                }
            }
            ":digits" if node.kind == Kind::Number => node.text.to_string(),
            ":generic" if node.kind == Kind::Number => format!("{{{}}}", node.text),
            ":signed" if node.kind == Kind::Number => {
                if node.text == "0" {
                    "0".to_owned()
                } else {
                    format!("+{}", node.text)
                }
            }
            ":signed" if node.kind == Kind::Negative => format!("−{}", node.kid(0).text),
            ":predicate" => self.predicate_en(node),
            ":negative" => {
                let node = Node::new(Kind::Negative, "", vec![node.clone()], node.span);
                self.text(&node)
            }
            _ => match mode.strip_prefix(' ') {
                Some(noun) => self.counted_en(node, noun),
                None => self.text(node),
            },
        }
    }

    /// `each creature`, `each of your creatures`, `each of them`
    fn each_en(&mut self, node: &Node) -> String {
        if node.kind == Kind::Word && self.local(&node.text).is_some() {
            return format!("each of {}", self.text(node));
        }
        let mut each = node.clone();
        if node.kind == Kind::Phrase {
            each.kids[0] = Node::nil();
        }
        let bare = self.phrase_en(&each, Want::Bare);
        format!("each {bare}")
    }

    /// What a token is: `a 1/1 white Spirit creature token with flying`.
    pub(super) fn token_en(&mut self, node: &Node, several: bool) -> String {
        let Some(Some(card)) = self.builder.names.cards.get(&node.text).copied() else { return self.text(node) };
        let mut keywords = Vec::new();
        let mut words: Vec<(String, Vec<String>)> = Vec::new();
        for fact in &card.facts {
            let made = self.builder.keyword(fact);
            let meanings = self.builder.names.meanings(&fact.word.text).to_vec();
            if self.builder.names.keywords.contains_key(&fact.word.text) {
                keywords.extend(
                    self.keyword_short(&made).map(|name| super::render::lower_first(&name)).filter(|name| !name.is_empty()),
                );
                continue;
            }
            let (group, text) = match meanings.first() {
                Some(Meaning::Word(set, _)) => {
                    let set = self.builder.names.traits.get(set.index()).map_or("", |set| set.name.as_str()).to_owned();
                    (set, self.noun_en(&Node::word(&fact.word.text, node.span), false))
                }
                _ => (fact.word.text.to_string(), made.kids.iter().map(|kid| kid.text.to_string()).collect()),
            };
            match words.iter_mut().find(|(name, _)| *name == group) {
                Some((_, texts)) => texts.push(text),
                None => words.push((group, vec![text])),
            }
        }
        if !keywords.is_empty() {
            let listed = if self.is_japanese() { keywords.join("と") } else { listed(&keywords) };
            words.push(("keywords".to_owned(), vec![listed]));
        }
        let mut text = String::new();
        for part in self.style(if several { "tokens" } else { "token" }).split_inclusive(']') {
            let (before, segment) = part.split_once('[').unwrap_or((part, ""));
            text.push_str(before);
            let mut segment = segment.trim_end_matches(']').to_owned();
            let mut complete = true;
            while let (Some(from), Some(to)) = (segment.find('{'), segment.find('}')) {
                let name = segment[from + 1..to].to_owned();
                match words.iter().find(|(group, _)| *group == name) {
                    Some((_, texts)) => {
                        let join = if name == self.style("token_and") { texts.join(" and ") } else { texts.join(" ") };
                        segment.replace_range(from..=to, &join);
                    }
                    None => {
                        complete = false;
                        break;
                    }
                }
            }
            if complete {
                text.push_str(&segment);
            }
        }
        if several { text } else { self.one_en(&text) }
    }

    fn price_en(&mut self, node: &Node) -> String {
        self.text(node)
    }

    fn that_en(&mut self, node: &Node) -> String {
        let noun = self.noun_of(node);
        if self.is_plural(node) {
            format!("those {}", self.noun_en(&noun, true))
        } else {
            format!("that {}", self.noun_en(&noun, false))
        }
    }

    /// The noun of a phrase.
    pub(super) fn noun_of(&self, node: &Node) -> Node {
        match node.kind {
            Kind::Phrase => {
                let head = node.kid(1);
                // of what was named before: its noun
                if head.kind == Kind::Word
                    && let Some(local) = self.local(&head.text)
                {
                    return self.noun_of(&local.value.clone());
                }
                head.clone()
            }
            Kind::Word => match self.local(&node.text) {
                Some(local) if local.value != *node => self.noun_of(&local.value.clone()),
                _ => node.clone(),
            },
            _ => node.clone(),
        }
    }

    fn noun_en(&mut self, node: &Node, several: bool) -> String {
        match node.kind {
            Kind::Word | Kind::Quoted => {
                if let Some(forms) = self.lexicon.name(&node.text) {
                    return match (several, forms.get(1), forms.first()) {
                        (true, Some(form), _) => form.clone(),
                        (true, None, Some(form)) => plural(form),
                        (_, _, form) => form.cloned().unwrap_or_default(),
                    };
                }
                let word = node.text.replace('_', " ");
                if several { plural(&word) } else { word }
            }
            Kind::Binary if node.text == "or" => {
                format!("{} or {}", self.noun_en(node.kid(0), several), self.noun_en(node.kid(1), several))
            }
            _ => self.text(node),
        }
    }

    fn possessive_en(&mut self, node: &Node) -> String {
        let text = self.text(node);
        possessed(&text)
    }

    /// Behind `is`: `a dragon`, `black`, `tapped`.
    fn predicate_en(&mut self, node: &Node) -> String {
        match node.kind {
            Kind::Word
                if self.local(&node.text).is_none()
                    && (self.lexicon.name(&node.text).is_some() || self.is_trait_word(&node.text)) =>
            {
                let countable = self.lexicon.name(&node.text).is_some_and(|forms| forms.len() > 1);
                let text = self.noun_en(node, false);
                if countable { format!("{} {text}", article(&text)) } else { text }
            }
            Kind::Binary if node.text == "or" => {
                format!("{} or {}", self.predicate_en(node.kid(0)), self.predicate_en(node.kid(1)))
            }
            _ => self.text(node),
        }
    }

    /// A value that no entry says.
    pub(super) fn value_en(&mut self, node: &Node) -> String {
        match node.kind {
            Kind::Number => self.number_en(&node.text),
            Kind::Price => node.text.to_string(),
            Kind::Word | Kind::Phrase => self.phrase_en(node, Want::Usual),
            Kind::Quoted => self
                .lexicon
                .name(&node.text)
                .and_then(|forms| forms.first())
                .cloned()
                .unwrap_or_else(|| format!("\"{}\"", node.text)),
            Kind::Binary if node.text == "or" || node.text == "and" => {
                let (left, right) = (self.text(node.kid(0)), self.text(node.kid(1)));
                match (left.is_empty(), right.is_empty()) {
                    (true, _) => right,
                    (_, true) => left,
                    _ => format!("{left} {} {right}", node.text),
                }
            }
            Kind::List if node.kids.first().is_some_and(|kid| kid.kind == Kind::Change) => {
                let whom = Node::word("it", node.span);
                self.gets_en(&Node::new(Kind::Gets, "", vec![whom, node.clone(), Node::nil()], node.span))
            }
            Kind::List => {
                let texts: Vec<String> = node.kids.iter().map(|kid| self.text(kid)).collect();
                texts.join(self.style("and"))
            }
            Kind::Is => {
                let left = self.text(node.kid(0));
                let right = self.predicate_en(node.kid(1));
                format!("{left} is {}{right}", if node.text == "not" { "not " } else { "" })
            }
            Kind::Event => self.event_en(node),
            _ => self.gap(node),
        }
    }

    fn reference_en(&mut self, word: &str, node: &Node, want: Want) -> Option<String> {
        match word {
            "this" => return Some(self.itself()),
            "it" => return Some("it".into()),
            "you" => return Some("you".into()),
            _ => {}
        }
        match self.resolve(word)? {
            Ok(value) => Some(self.phrase_en(&value, want)),
            Err(local) => {
                let value = if local.value.kind == Kind::Divide { node.clone() } else { local.value.clone() };
                let noun = self.noun_of(&value);
                let noun = self.noun_en(&noun, local.plural);
                Some(if local.plural { format!("those {noun}") } else { format!("that {noun}") })
            }
        }
    }

    fn phrase_en(&mut self, node: &Node, want: Want) -> String {
        match node.kind {
            Kind::Word => {
                if let Some(text) = self.reference_en(&node.text, node, want) {
                    return text;
                }
                if let Some(text) = self.lookup(Table::Value, node) {
                    return text;
                }
                if self.is_zone(&node.text) {
                    return self.zone_en(node, None);
                }
                if self.is_noun(&node.text) || self.lexicon.name(&node.text).is_some() {
                    let text = self.noun_en(node, want == Want::Plural);
                    let thing = self.is_noun(&node.text) && self.lexicon.name(&node.text).is_none_or(|forms| forms.len() > 1);
                    return if want == Want::Usual && thing { format!("{} {text}", article(&text)) } else { text };
                }
                if self.is_trait_word(&node.text) {
                    return node.text.replace('_', " ");
                }
                self.gap(node)
            }
            Kind::Binary if node.text == "or" => {
                let (left, right) = (self.phrase_en(node.kid(0), want), self.phrase_en(node.kid(1), want));
                format!("{left} or {right}")
            }
            Kind::Phrase => {
                if let Some(text) = self.lookup(Table::Value, node) {
                    return text;
                }
                self.selection_en(node, want)
            }
            _ => self.text(node),
        }
    }

    /// A zone: whose, and its name.
    fn zone_en(&mut self, node: &Node, of: Option<&Node>) -> String {
        let name = self.noun_en(node, false);
        if !self.is_own_zone(&node.text) {
            return name;
        }
        match of {
            Some(of) => format!("{} {name}", self.possessive_en(of)),
            None => match self.owner.clone() {
                Some(owner) => format!("{owner} {name}"),
                None if name.ends_with('s') => name,
                None => format!("{} {name}", article(&name)),
            },
        }
    }

    fn selection_en(&mut self, node: &Node, want: Want) -> String {
        let (quantifier, head) = (node.kid(0).clone(), node.kid(1).clone());
        let said = node.kids.iter().skip(2).any(|post| post.kind == Kind::Other);
        let posts: Vec<Node> = node.kids.iter().skip(2).filter(|post| post.kind != Kind::Other).cloned().collect();
        // `hand of you`, `power of it`, `owner of it`
        if quantifier.is_nil() && head.kind == Kind::Word && self.local(&head.text).is_none() && !self.is_noun(&head.text) {
            if let [of] = posts.as_slice()
                && of.kind == Kind::Of
            {
                if self.is_zone(&head.text) {
                    return self.zone_en(&head, Some(of.kid(0)));
                }
                if let Some(name) = self.lexicon.name(&head.text).and_then(|forms| forms.first()).cloned() {
                    return format!("{} {name}", self.possessive_en(of.kid(0)));
                }
                return self.gap(node);
            }
            if posts.is_empty() {
                return self.phrase_en(&head, want);
            }
        }
        if head.kind == Kind::Word
            && posts.is_empty()
            && self.local(&head.text).is_some()
            && matches!(quantifier.text.as_str(), "" | "each")
        {
            return self.phrase_en(&head, want);
        }
        if quantifier.text.starts_with("target") && !self.style("target").is_empty() {
            return self.announced_en(node);
        }
        let count = quantifier.kid(0).clone();
        let single = matches!(count.kind, Kind::Number) && count.text == "1";
        let style_all = self.style("each") == "all";
        let several = match quantifier.text.as_str() {
            "each" => style_all,
            "exactly" | "target" | "random" | "top" | "bottom" | "up_to" | "target_up_to" => !single,
            "any" | "range" | "target_range" | "no" => true,
            "some" => false,
            _ => want == Want::Plural,
        };
        let (mut before, mut adjectives, mut after) = (String::new(), Vec::new(), String::new());
        let order = |post: &Node| match post.kind {
            Kind::Is => 0,
            Kind::In => 1,
            Kind::Of => 2,
            _ => 3,
        };
        let mut sorted = posts;
        sorted.sort_by_key(order);
        let mut possessive = false;
        if matches!(quantifier.text.as_str(), "top" | "bottom")
            && let Some(at) = sorted.iter().position(|post| matches!(post.kind, Kind::Of | Kind::In))
        {
            let zone = sorted.remove(at);
            after = format!(" of {}", self.text(zone.kid(0)));
        }
        for post in &sorted {
            if post.kind == Kind::Is
                && self.lexicon.post(post).is_none()
                && let Some(text) = self.adjective_en(post)
            {
                // states stand before kinds: `tapped green creature`
                let kind = post.kid(0).kind != Kind::Word
                    || !self
                        .builder
                        .names
                        .meanings(&post.kid(0).text)
                        .iter()
                        .any(|m| matches!(m, Meaning::Status(_) | Meaning::Function));
                if kind {
                    adjectives.push(text)
                } else {
                    adjectives.insert(0, text)
                }
                continue;
            }
            let (front, back) = self.post_en(post, &head);
            if post.kind == Kind::Of && !front.is_empty() {
                possessive = true;
                before = format!("{front}{before}");
            } else if !front.is_empty() {
                adjectives.insert(0, front.trim().to_owned());
            }
            after.push_str(&back);
        }
        let anywhere = !said
            && !sorted.iter().any(|post| matches!(post.kind, Kind::Of | Kind::In))
            && head.kind == Kind::Word
            && self.local(&head.text).is_none();
        if anywhere
            && matches!(quantifier.text.as_str(), "each" | "exactly" | "up_to" | "any")
            && self.is_noun(&head.text)
            && head.text != "player"
        {
            after = format!("{}{after}", self.style("anywhere"));
        }
        // of several words of a name the last written stands first: kinds after qualities
        let noun = if matches!(head.kind, Kind::Word) && self.local(&head.text).is_some() {
            let noun = self.noun_of(&head);
            self.noun_en(&noun, several || possessive && quantifier.text != "each")
        } else {
            self.noun_en(&head, several || possessive && !quantifier.is_nil() && quantifier.text != "no")
        };
        let core = core_of(&adjectives, &noun);
        let other = node.text == "other";
        let of = if possessive { " of" } else { "" };
        let number = |this: &mut Self| if single { "one".to_owned() } else { this.slot_en(&count, "") };
        let text = match quantifier.text.as_str() {
            "each" if possessive => format!("all {before}{}{core}", if other { "other " } else { "" }),
            "each" => format!("{} {}{core}", if style_all { "all" } else { "each" }, if other { "other " } else { "" }),
            "exactly" if possessive => {
                let number = if single { self.style("one_of").to_owned() } else { number(self) };
                format!("{number} of {}{before}{core}", if other { "the other " } else { "" })
            }
            "exactly" | "target" => {
                let target = if quantifier.text == "target" { "target " } else { "" };
                if single && other {
                    format!("another {target}{core}")
                } else if single && quantifier.text == "target" && self.style("one") != "1" {
                    format!("target {core}")
                } else if single {
                    self.one_en(&format!("{target}{core}"))
                } else {
                    let n = self.slot_en(&count, "");
                    let other = if other { "other " } else { "" };
                    if n.contains(' ') {
                        format!("a number of {other}{target}{core} equal to {n}")
                    } else {
                        format!("{n} {other}{target}{core}")
                    }
                }
            }
            "up_to" | "target_up_to" => {
                let target = if quantifier.text == "target_up_to" { "target " } else { "" };
                let n = if single && self.style("one") == "1" { "1".to_owned() } else { number(self) };
                let other = if other { "other " } else { "" };
                format!("up to {n}{of} {before}{other}{target}{core}")
            }
            "range" | "target_range" => {
                let target = if quantifier.text == "target_range" { "target " } else { "" };
                let (least, most) = (self.slot_en(&count, ""), self.slot_en(quantifier.kid(1), ""));
                let between = if least == "one" && most == "two" {
                    "one or two".to_owned()
                } else if least == "one" && most == "three" {
                    "one, two, or three".to_owned()
                } else {
                    format!("{least} to {most}")
                };
                format!("{between}{of} {before}{target}{core}")
            }
            "any" => format!("any number of {before}{}{core}", if other { "other " } else { "" }),
            "random" => {
                let n = self.slot_en(&count, "");
                let n = if single && !possessive && self.style("one") != "1" { article(&core).to_owned() } else { n };
                after.push_str(" at random");
                format!("{n}{of} {before}{core}")
            }
            "top" | "bottom" => {
                let n = if single { String::new() } else { format!("{} ", self.slot_en(&count, "")) };
                format!("the {} {n}{core}", quantifier.text)
            }
            "no" if possessive => format!("none of {before}{}{core}", if other { "other " } else { "" }),
            "no" => format!("no {}{core}", if other { "other " } else { "" }),
            "some" => {
                if other {
                    format!("another {before}{core}")
                } else if possessive {
                    format!("one of {before}{core}")
                } else {
                    self.one_en(&core)
                }
            }
            _ => match want {
                Want::Usual if possessive => format!(
                    "{}{before}{}",
                    if other { "another of " } else { "one of " },
                    core_of(&adjectives, &self.noun_en(&head, true))
                ),
                Want::Bare if possessive => {
                    format!(
                        "of {before}{}{}",
                        if other { "other " } else { "" },
                        core_of(&adjectives, &self.noun_en(&head, true))
                    )
                }
                Want::Usual if other => format!("another {core}"),
                Want::Usual if head.kind == Kind::Word && self.local(&head.text).is_some() => format!("the {core}"),
                Want::Usual => format!("{} {core}", article(&core)),
                _ => format!("{before}{}{core}", if other { "other " } else { "" }),
            },
        };
        format!("{text}{after}")
    }

    /// Targets are named before the sentence, which speaks of them by a pronoun.
    fn announced_en(&mut self, node: &Node) -> String {
        let mut plain = node.clone();
        let text = match node.kid(0).text.as_str() {
            "target" => "exactly",
            "target_up_to" => "up_to",
            _ => "range",
        };
        plain.kids[0].text = text.into();
        let named = self.selection_en(&plain, Want::Usual);
        let sentence = self.style("target").replace("{X}", &named);
        self.before.push(sentence);
        (if self.is_plural(node) { "them" } else { "it" }).to_owned()
    }

    /// A quality before the noun.
    fn adjective_en(&mut self, post: &Node) -> Option<String> {
        let value = post.kid(0);
        let text = match value.kind {
            Kind::Word => self.lexicon.name(&value.text).and_then(|forms| forms.first()).cloned().or_else(|| {
                let trait_word =
                    self.builder.names.meanings(&value.text).iter().any(|meaning| matches!(meaning, Meaning::Word(..)));
                let quoted = !value.text.contains('_') && value.text.chars().next().is_some_and(char::is_uppercase);
                (trait_word || quoted).then(|| value.text.to_string())
            })?,
            Kind::Binary if value.text == "or" => {
                let mut flat = Vec::new();
                flatten(value, &mut flat);
                let all: Option<Vec<String>> =
                    flat.iter().map(|kid| self.adjective_en(&Node::new(Kind::Is, "", vec![kid.clone()], kid.span))).collect();
                let all = all?;
                match all.as_slice() {
                    [first @ .., last] if all.len() > 2 => format!("{}, or {last}", first.join(", ")),
                    _ => all.join(" or "),
                }
            }
            _ => return None,
        };
        if text.starts_with("that ") {
            return None;
        }
        Some(if post.text == "not" { format!("{}{text}", self.style("not")) } else { text })
    }

    /// What a condition says before and behind the noun.
    fn post_en(&mut self, post: &Node, head: &Node) -> (String, String) {
        if let Some(around) = self.post_entry(post) {
            return around;
        }
        let negative = post.text == "not";
        let text = match post.kind {
            Kind::In if self.selects_list(post.kid(0)) => " among them".to_owned(),
            Kind::In => {
                let zone = self.text(post.kid(0));
                format!(" {} {zone}", self.style("in"))
            }
            Kind::Has => {
                let keyword = Node::new(Kind::Keyword, post.kid(0).text.clone(), vec![], post.span);
                let name = self.keyword_short(&keyword).unwrap_or_else(|| self.gap(post));
                let name = super::render::lower_first(&name);
                format!(" {}{name}", if negative { self.style("without") } else { self.style("with") })
            }
            Kind::Is => {
                let word = post.kid(0);
                if let Kind::Word = word.kind
                    && let Some(form) = self.lexicon.name(&word.text).and_then(|forms| forms.first()).cloned()
                {
                    format!(" {form}")
                } else if matches!(word.kind, Kind::Quoted) {
                    let name = self.text(word);
                    format!("{}{name}", if negative { " not named " } else { " named " })
                } else {
                    let what = self.predicate_en(word);
                    format!(" that {} {what}", if negative { "isn't" } else { "is" })
                }
            }
            Kind::Of => {
                let whose = self.possessive_en(post.kid(0));
                return (format!("{whose} "), String::new());
            }
            _ => format!(" {}", self.gap(post)),
        };
        let _ = head;
        (String::new(), text)
    }

    /// Whether something is a list with a name.
    pub(super) fn selects_list(&self, node: &Node) -> bool {
        node.kind == Kind::Word && self.local(&node.text).is_some()
    }

    /// An event as its verb says it.
    fn event_en(&mut self, node: &Node) -> String {
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
                super::render::Mood::Would => return self.with_condition(format!("{subject} would be {part}"), node),
                super::render::Mood::Cannot => return self.with_condition(format!("{subject} can't be {part}"), node),
                super::render::Mood::Happens => {}
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
            super::render::Mood::Would => return self.with_condition(format!("{subject} would {verb}{rest}"), node),
            super::render::Mood::Cannot => return self.with_condition(format!("{subject} can't {verb}{rest}"), node),
            super::render::Mood::Happens => {}
        }
        let verb = if you { verb.to_owned() } else { third(verb) };
        self.with_condition(format!("{subject} {verb}{rest}"), node)
    }

    fn with_condition(&mut self, text: String, node: &Node) -> String {
        if node.kid(3).is_nil() {
            return text;
        }
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { format!("{text}{}{condition}", self.style("where")) }
    }

    /// The template of a verb, whatever its operands.
    fn template_en(&mut self, call: &Node) -> Option<String> {
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
    pub(super) fn call_en(&mut self, node: &Node) -> String {
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

    fn clause_en(&mut self, node: &Node) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(Table::Do, node, self.builder) else { return self.gap(node) };
        let full = !entry.pattern.kid(super::build::SUBJECT).is_nil() || !matches!(entry.parts.first(), Some(Part::Text(_)));
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
    pub(super) fn gets_en(&mut self, node: &Node) -> String {
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

    fn change_en(&mut self, change: &Node, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = Node::new(Kind::Keyword, word.text.clone(), change.kids.iter().skip(1).cloned().collect(), change.span);
            if self.builder.names.keywords.contains_key(&word.text)
                && let Some(name) = self.keyword_short(&keyword)
            {
                return format!("{} {}", if gain { "gain" } else { "have" }, super::render::lower_first(&name));
            }
            if !self.builder.names.keywords.contains_key(&word.text) {
                return format!("{} {}", if gain { "become" } else { "are" }, self.predicate_en(word));
            }
        }
        self.gap(change)
    }
}

/// The parts of a chain of `or`.
fn flatten(node: &Node, out: &mut Vec<Node>) {
    if node.kind == Kind::Binary && node.text == "or" {
        node.kids.iter().for_each(|kid| flatten(kid, out));
    } else {
        out.push(node.clone());
    }
}

fn core_of(adjectives: &[String], noun: &str) -> String {
    let mut core = adjectives.join(" ");
    if !core.is_empty() {
        core.push(' ');
    }
    // a mark in the noun says where its qualities stand: `face-up ^dragon`
    match noun.split_once('^') {
        Some((front, back)) => format!("{front}{core}{back}"),
        None => format!("{core}{noun}"),
    }
}

/// `a`, `a and b`, `a, b, and c`
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}
