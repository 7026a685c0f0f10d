//! English phrases: selections with their quantifier, owner, zone and adjectives.

use super::NounForm;
use super::inflection::{article, join_adjectives, join_alternatives, join_list, ordinal_word, plural, with_plural_clause};
use crate::names::Meaning;
use crate::text::lexicon::Lexicon;
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::render::classify::is_number_choice;
use crate::text::render::referents::is_first_of_noun;
use crate::text::render::zone_owner::any_players_zone;
use crate::text::renderer::{Mood, Renderer};
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives, has_places, is_count_of_all};

impl Renderer<'_> {
    pub(in crate::text) fn reference_en(&mut self, word: &str, node: &TextNode, want: NounForm) -> Option<String> {
        match word {
            "this" => return Some(self.self_name()),
            "it" if self.is_it_this => return Some(self.self_name()),
            "it" => return Some("it".into()),
            "you" => return Some("you".into()),
            _ => {}
        }
        if let Some(text) = self.done_thing(word, true) {
            return Some(text);
        }
        match self.resolve_name(word)? {
            Ok(value) => {
                let text = self.phrase_en(&value, want);
                self.record_list(word);
                Some(text)
            }
            Err(local) if local.value.is_word("you") => Some("you".into()),
            Err(local) if local.value.is_word("this") => Some(self.self_name()),
            Err(local) if is_number_choice(&local) => Some(self.chosen_number(word)),
            Err(local) if self.is_target(&local.value) && self.target_ordinal(&local.value).is_some() => {
                self.target_ordinal(&local.value)
            }
            Err(local) => {
                let value = if local.value.kind == TextNodeKind::Divide { node.clone() } else { local.value.clone() };
                let noun = self.noun_of(&value);
                if is_first_of_noun(word) {
                    let noun = self.noun_en(&noun, false).replace('^', "");
                    return Some(format!("the first {noun}"));
                }
                if let Some(at) = self.ordinal_of_choice(word) {
                    let noun = self.noun_en(&noun, false);
                    return Some(format!("the {} {noun}", ordinal_word(&(at + 1).to_string())));
                }
                if self.is_chosen_before_each(word) || self.is_choice_next_to_target(word) {
                    let how = if self.is_target(&local.value) { "targeted" } else { "chosen" };
                    let noun = self.noun_en(&noun, false).replace('^', "");
                    return Some(format!("the {how} {noun}"));
                }
                if let Some(reference) = self.reference_to_list(word) {
                    return Some(self.list_reference_en(word, reference).unwrap_or_else(|| self.gap(node)));
                }
                self.record_list(word);
                let noun = self.noun_en(&noun, local.is_plural);
                Some(if local.is_plural { format!("those {noun}") } else { format!("that {noun}") })
            }
        }
    }

    pub(in crate::text) fn phrase_en(&mut self, node: &TextNode, want: NounForm) -> String {
        match node.kind {
            TextNodeKind::Word => {
                // players whom something is forbidden: `your opponents can't …`
                let opponents = self.style("opponents");
                if want == NounForm::Plural && self.mood == Mood::Cannot && node.text == "opponent" && !opponents.is_empty() {
                    return opponents.to_owned();
                }
                if let Some(text) = self.reference_en(&node.text, node, want) {
                    return text;
                }
                if let Some(text) = self.lookup(LexiconTable::Value, node) {
                    return text;
                }
                // `from graveyards`
                if want != NounForm::Usual && self.is_own_zone(&node.text) {
                    let zone = self.noun_en(node, false);
                    return if want == NounForm::Plural { plural(&zone) } else { zone };
                }
                if self.is_zone(&node.text) {
                    return self.zone_en(node, None);
                }
                // a phase or step is a condition
                if want == NounForm::Usual
                    && self.builder.is_period(&node.text)
                    && let Some(name) = self.lexicon.name(&node.text).and_then(|forms| forms.first())
                {
                    return format!("it's the {name}");
                }
                if self.is_noun(&node.text) || self.lexicon.name(&node.text).is_some() {
                    let noun = self.is_noun(&node.text) || self.set_of(&node.text).is_some();
                    let text = self.noun_en(node, want == NounForm::Plural && noun);
                    let thing = self.is_noun(&node.text) && self.lexicon.name(&node.text).is_none_or(|forms| forms.len() > 1);
                    return if want == NounForm::Usual && thing { format!("{} {text}", article(&text)) } else { text };
                }
                if self.is_trait_word(&node.text) {
                    let word = node.text.replace('_', " ");
                    let name = want == NounForm::Plural && word.starts_with(char::is_uppercase);
                    return if name { plural(&word) } else { word };
                }
                if let Some(step) = self.step_name(&node.text) {
                    return if want == NounForm::Bare { step } else { format!("it's the {step}") };
                }
                // a word that is quoted where no card prints it
                let is_quoted = self.sources.slice(node.span).starts_with('"');
                match self.is_counting_status(&node.text) || is_quoted {
                    true => node.text.replace('_', " "),
                    false => self.gap(node),
                }
            }
            TextNodeKind::Binary if node.text == "or" => {
                let mut kinds = Vec::new();
                collect_alternatives(node, &mut kinds);
                // `an artifact or creature`
                if want == NounForm::Usual && self.names_kinds(node) {
                    let kinds: Vec<String> = kinds.iter().map(|kind| self.noun_en(kind, false)).collect();
                    let kinds = join_alternatives(&kinds, "or");
                    return format!("{} {kinds}", article(&kinds));
                }
                let kinds: Vec<String> = kinds.iter().map(|kind| self.phrase_en(kind, want)).collect();
                join_alternatives(&kinds, if self.joins_kinds_by_and { "and" } else { "or" })
            }
            TextNodeKind::Binary if node.text == "and" => {
                let (left, right) = (self.phrase_en(node.kid(0), want), self.phrase_en(node.kid(1), want));
                format!("{left} and {right}")
            }
            TextNodeKind::Phrase if self.is_rest_of_list(node) => self.style("rest").to_owned(),
            TextNodeKind::Phrase => {
                let others = self.without_exclusions(node);
                let node = others.as_ref().unwrap_or(node);
                let announced = node.kid(0).text.starts_with("target") && !self.style("target").is_empty();
                // an announced target is named where it is
                self.is_moved &= !announced;
                match self.entry_of_phrase_en(node, want) {
                    Some(text) if announced => self.hoist_text_en(node, &text),
                    Some(text) => text,
                    None if self.is_place_condition(node) => {
                        let thing = self.phrase_en(&self.placed_thing(node), NounForm::Usual);
                        let zone = node.kids.last().cloned().unwrap_or_else(TextNode::nil);
                        let (_, place) = self.post_en(&zone, &TextNode::word("card", node.span));
                        format!("{thing} is{place}")
                    }
                    None => self.selection_en(node, want),
                }
            }
            _ => self.text(node),
        }
    }

    /// The text of a phrase that has an entry. A noun for which the entry has no form takes the wanted form.
    fn entry_of_phrase_en(&mut self, node: &TextNode, want: NounForm) -> Option<String> {
        let form = match want {
            NounForm::Usual => return self.lookup(LexiconTable::Value, node),
            NounForm::Plural => ":plural",
            NounForm::Bare => ":bare",
        };
        if self.is_exhausted() {
            return None;
        }
        let lexicon = self.lexicon;
        let (entry, found) = lexicon.find(LexiconTable::Value, node, self.builder)?;
        let head = entry.pattern.kid(1);
        let is_open =
            |part: &TemplatePart| matches!(part, TemplatePart::Slot(name, mode) if *name == head.text && mode.is_empty());
        if head.kind != TextNodeKind::Hole || !entry.pattern.kid(0).is_nil() || !entry.parts.iter().any(is_open) {
            return self.render_entry(LexiconTable::Value, node, entry, &found);
        }
        let mut formed = entry.clone();
        for part in formed.parts.iter_mut().filter(|part| is_open(part)) {
            *part = TemplatePart::Slot(head.text.clone(), form.to_owned());
        }
        self.render_entry(LexiconTable::Value, node, &formed, &found)
    }

    /// Whether the alternatives are all kinds of things: `artifact or creature`.
    pub(in crate::text) fn names_kinds(&self, node: &TextNode) -> bool {
        let mut kinds = Vec::new();
        collect_alternatives(node, &mut kinds);
        kinds.iter().all(|kind| kind.kind == TextNodeKind::Word && self.is_noun(&kind.text))
    }

    /// A zone with its owner.
    pub(in crate::text) fn zone_en(&mut self, node: &TextNode, of: Option<&TextNode>) -> String {
        let name = self.noun_en(node, false);
        if !self.is_own_zone(&node.text) {
            return name;
        }
        match of {
            Some(of) => format!("{} {name}", self.possessive_en(of)),
            None => match self.implied_owner.clone() {
                Some(owner) => format!("{owner} {name}"),
                None if !self.style("anyones").is_empty() && !name.ends_with('s') => format!("{} {name}", self.style("anyones")),
                None if name.ends_with('s') => name,
                None => format!("{} {name}", article(&name)),
            },
        }
    }

    pub(in crate::text) fn selection_en(&mut self, node: &TextNode, want: NounForm) -> String {
        if let Some(share) = self.share_of(node) {
            return share;
        }
        if let Some(zone) = any_players_zone(node) {
            let zone = self.noun_en(zone, false);
            return format!("{} {zone}", self.style("any_player"));
        }
        if let Some(set) = self.chosen_set(node).filter(|set| !set.is_word("name")) {
            let name = self.noun_en(set, false);
            let mut text = self.one_en(&name);
            for post in node.kids.iter().skip(3) {
                text.push_str(&match post.kind {
                    TextNodeKind::Is if post.text == "not" && self.local(&post.kid(0).text).is_some() => {
                        format!(" other than {}", self.text(post.kid(0)))
                    }
                    TextNodeKind::Is if post.text == "not" => format!(" other than {}", self.noun_en(post.kid(0), false)),
                    _ => self.post_en(post, set).1,
                });
            }
            return text;
        }
        let is_moved = std::mem::take(&mut self.is_moved);
        let (quantifier, head) = (node.kid(0).clone(), node.kid(1).clone());
        let is_zone_printed = node.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::Other);
        let posts: Vec<TextNode> = node.kids.iter().skip(2).filter(|post| post.kind != TextNodeKind::Other).cloned().collect();
        if let Some(kinds) = self.kinds_with_places(node) {
            let kinds: Vec<String> = kinds.iter().map(|kind| self.selection_en(kind, want)).collect();
            return super::join_alternatives(&kinds, "or");
        }
        // `hand of you`, `power of it`, `owner of it`
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
                    return self.zone_en(&head, Some(of.kid(0)));
                }
                if let Some(name) = self.lexicon.name(&head.text).and_then(|forms| forms.first()).cloned() {
                    return self.owned_en(of.kid(0), &name);
                }
                if self.is_counting_status(&head.text) {
                    return format!("{} {}", self.possessive_en(of.kid(0)), head.text.replace('_', " "));
                }
                return self.gap(node);
            }
            if posts.is_empty() {
                return self.phrase_en(&head, want);
            }
        }
        if head.kind == TextNodeKind::Word
            && posts.is_empty()
            && self.local(&head.text).is_some()
            && matches!(quantifier.text.as_str(), "" | "each")
        {
            return self.phrase_en(&head, want);
        }
        if quantifier.text == "each" && self.is_each_of_list(&head, &posts) {
            let list = posts.first().map_or(&head, |filter| filter.kid(0)).clone();
            return match self.reference_to_list(&list.text) {
                Some(reference) => self.list_reference_en(&list.text, reference).unwrap_or_else(|| self.gap(&list)),
                None => {
                    self.record_list(&list.text);
                    "each of them".to_owned()
                }
            };
        }
        if quantifier.text.starts_with("target") && !self.style("target").is_empty() {
            return self.hoist_target_en(node);
        }
        let count = quantifier.kid(0).clone();
        let single = matches!(count.kind, TextNodeKind::Number) && count.text == "1";
        let style_all = self.style("each") == "all";
        let several = match quantifier.text.as_str() {
            "each" => style_all,
            "exactly" | "target" | "random" | "top" | "bottom" | "up_to" | "target_up_to" => !single,
            "any" | "range" | "target_range" | "no" => true,
            "some" => false,
            "one_or_more" => !self.style("one_or_more").starts_with('('),
            _ => want == NounForm::Plural,
        };
        let (mut before, mut adjectives, mut after) = (String::new(), Vec::new(), String::new());
        let lexicon = self.lexicon;
        // filters printed behind the noun come after the owner: `creature you control with a counter on it`
        let behind = |post: &TextNode| {
            lexicon.find_post(post).is_some_and(|(entry, _)| !matches!(entry.parts.last(), Some(TemplatePart::Slot(name, mode)) if name == Lexicon::head_hole(entry) && mode.is_empty()))
        };
        let order = |post: &TextNode| match post.kind {
            TextNodeKind::Is if behind(post) => 3,
            TextNodeKind::Is => 0,
            TextNodeKind::In => 1,
            TextNodeKind::Of => 2,
            _ => 3,
        };
        let mut sorted = posts;
        sorted.sort_by_key(order);
        let place = self.take_zone_noun(node, &head, &mut sorted);
        let called = self.take_card_name(&head, &mut sorted);
        let alone = self.take_lone_words(&head, &mut sorted);
        // the noun, because forms of filters depend on it
        let shape = {
            let quantifier =
                if several { TextNode::new(TextNodeKind::Quantifier, "any", vec![], node.span) } else { TextNode::nil() };
            if several {
                TextNode::new(TextNodeKind::Phrase, "", vec![quantifier, head.clone()], node.span)
            } else {
                head.clone()
            }
        };
        let shape = if several || !self.is_plural(&head) {
            shape
        } else {
            TextNode::new(
                TextNodeKind::Phrase,
                "",
                vec![TextNode::new(TextNodeKind::Quantifier, "some", vec![], node.span), head.clone()],
                node.span,
            )
        };
        let behind_alternatives = alone.is_none() && place.is_none() && self.names_alternatives(&head);
        let mut possessive = false;
        let owned = self.is_owned(node);
        let (mut fronts, mut backs) = (0, Vec::new());
        if matches!(quantifier.text.as_str(), "top" | "bottom")
            && let Some(at) = sorted.iter().position(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In))
        {
            let zone = sorted.remove(at);
            after = format!(" of {}", self.text(zone.kid(0)));
        }
        for post in &sorted {
            if post.kind == TextNodeKind::Is
                && self.lexicon.find_post(post).is_none()
                && let Some(text) = self.adjective_en(post)
            {
                // before alternatives an adjective would belong to the first one only: `creature or planeswalker that's green`
                if behind_alternatives {
                    backs.push((2, self.adjective_clause_en(post, &text, several)));
                    continue;
                }
                // states come before kinds: `tapped green creature`
                let kind = post.kid(0).kind != TextNodeKind::Word
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
            let (front, back) = self.post_en(post, &shape);
            if post.kind == TextNodeKind::Of && !front.is_empty() {
                possessive = true;
                before = format!("{front}{before}");
            } else if !front.is_empty() && behind_alternatives && back.is_empty() {
                let be = if several { "are" } else { "is" };
                backs.push((2, format!(" that {be} {}", front.trim())));
                continue;
            } else if !front.is_empty() {
                adjectives.insert(fronts, front.trim().to_owned());
                fronts += 1;
            }
            let back = if is_moved && post.kind == TextNodeKind::In { self.origin_en(&back) } else { back };
            // `one of your creatures that have attacked`
            let back = if owned && !quantifier.is_nil() { with_plural_clause(&back) } else { back };
            // qualities come before the zone: `creature with power 2000 or less in your hand`
            let rank = match post.kind {
                TextNodeKind::Of => 0,
                TextNodeKind::Is if self.stands_for_word(post.kid(0)) => 0,
                // `permanent you don't control with mana value 4 or less`
                TextNodeKind::That if post.kid(0).kid(1).is_word("you") => 0,
                TextNodeKind::Has => 1,
                TextNodeKind::Total => 5,
                // a computed number goes behind the zone: `creature in your hand with power less than the number of cards in your hand`
                _ if back.starts_with(" with ") && self.is_computed_filter(post) => 6,
                _ if back.starts_with(" with ") => 2,
                TextNodeKind::In
                    if !is_moved && !owned && self.is_zone(&post.kid(0).text) && !self.is_own_zone(&post.kid(0).text) =>
                {
                    1
                }
                TextNodeKind::In if is_moved => 5,
                TextNodeKind::In => 3,
                _ => 4,
            };
            backs.push((rank, back));
        }
        backs.sort_by_key(|(rank, _)| *rank);
        let mut with = false;
        for (rank, back) in backs {
            match back.strip_prefix(" with ").filter(|_| with && rank <= 2) {
                Some(rest) => after.push_str(&format!(" and {rest}")),
                None => after.push_str(&back),
            }
            with = back.starts_with(" with ");
        }
        if self.is_unplaced(node) {
            after = format!("{}{after}", self.lexicon.styles("unplaced").get(1).map_or("", String::as_str));
        }
        let anywhere = !is_zone_printed
            && !sorted.iter().any(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In))
            && head.kind == TextNodeKind::Word
            && self.local(&head.text).is_none();
        if anywhere
            && matches!(quantifier.text.as_str(), "each" | "exactly" | "up_to" | "any")
            && self.is_noun(&head.text)
            && !self.is_listed_noun(&head.text)
            && head.text != "player"
        {
            after = format!("{}{after}", self.style("anywhere"));
        }
        // some of what a name is bound to
        let is_several = head.kind == TextNodeKind::Word && self.local(&head.text).is_some_and(|local| local.is_plural);
        let is_counted = want != NounForm::Usual || !quantifier.is_nil();
        if is_several && is_counted && !sorted.iter().any(|post| post.kind == TextNodeKind::In) {
            after.push_str(" among them");
        }
        // of several nouns the last written comes first, kinds behind qualities
        let noun = if let Some(words) = &alone {
            let several = several || possessive && !quantifier.is_nil() && quantifier.text != "no";
            let words: Vec<String> = words.iter().map(|word| self.noun_en(word, several)).collect();
            join_alternatives(&words, if self.joins_kinds_by_and { "and" } else { "or" })
        } else if matches!(head.kind, TextNodeKind::Word) && self.local(&head.text).is_some() {
            let noun = self.noun_of(&head);
            self.noun_en(&noun, several || possessive && quantifier.text != "each")
        } else {
            let several = several || possessive && !quantifier.is_nil() && quantifier.text != "no";
            match place {
                Some(thing) if head.is_word("card") => {
                    if several {
                        plural(&thing)
                    } else {
                        thing
                    }
                }
                Some(thing) => format!("{} {}", self.noun_en(&head, false), if several { plural(&thing) } else { thing }),
                None => self.noun_en(&head, several),
            }
        };
        // `1 "Sangan"` is a card with that name
        let noun = match called {
            Some(name) => match noun.rfind([' ', '^']) {
                Some(at) => format!("{}{name}", &noun[..=at]),
                None => name,
            },
            None => noun,
        };
        // `a monster(s)`
        let sign = self.style("one_or_more");
        let noun = if quantifier.text == "one_or_more" && sign.starts_with('(') { format!("{noun}{sign}") } else { noun };
        let core = join_adjectives(&adjectives, &noun);
        let other = node.text == "other";
        let of = if possessive { " of" } else { "" };
        let number = |this: &mut Self| if single { "one".to_owned() } else { this.slot_en(&count, "") };
        let text = match quantifier.text.as_str() {
            "each"
                if head.kind == TextNodeKind::Binary
                    && alone.is_none()
                    && has_no_filters(node)
                    && (!possessive && !style_all || has_places(&head)) =>
            {
                let mut kinds = Vec::new();
                collect_alternatives(&head, &mut kinds);
                let kinds: Vec<String> = kinds
                    .iter()
                    .map(|kind| {
                        let mut one = node.clone();
                        one.kids[1] = kind.clone();
                        if kind.kind == TextNodeKind::Phrase {
                            one = kind.clone();
                            one.kids[0] = quantifier.clone();
                        }
                        self.phrase_en(&one, want)
                    })
                    .collect();
                return join_list(&kinds);
            }
            "each" if possessive => format!("all {before}{}{core}", if other { "other " } else { "" }),
            "each" => format!("{} {}{core}", if style_all { "all" } else { "each" }, if other { "other " } else { "" }),
            "exactly" if possessive => {
                let number = if single { self.style("one_of").to_owned() } else { number(self) };
                let other = if other { "other " } else { "" };
                match number.strip_prefix("the number") {
                    Some(_) => format!("a number of {before}{other}{core}{} equal to {number}", std::mem::take(&mut after)),
                    None => format!("{number} of {before}{other}{core}"),
                }
            }
            "target" if possessive => {
                let number = if single { "one".to_owned() } else { self.slot_en(&count, "") };
                format!("{number} target of {before}{}{core}", if other { "other " } else { "" })
            }
            "exactly" | "target" => {
                let target = if quantifier.text == "target" { "target " } else { "" };
                if single && other && self.style("one") == "1" {
                    format!("1 other {target}{core}")
                } else if single && other {
                    format!("another {target}{core}")
                } else if single && quantifier.text == "target" && self.style("one") != "1" {
                    format!("target {core}")
                } else if single {
                    self.one_en(&format!("{target}{core}"))
                } else {
                    let n = self.slot_en(&count, "");
                    let other = if other { "other " } else { "" };
                    if n.contains(' ') {
                        format!("a number of {other}{target}{core}{} equal to {n}", std::mem::take(&mut after))
                    } else {
                        format!("{n} {other}{target}{core}")
                    }
                }
            }
            "target_up_to" if is_count_of_all(&count, &head) => {
                format!("any number of {before}{}target {core}", if other { "other " } else { "" })
            }
            "up_to" | "target_up_to" => {
                let target = if quantifier.text == "target_up_to" { "target " } else { "" };
                let n = if single && self.style("one") == "1" { "1".to_owned() } else { number(self) };
                let other = if other { "other " } else { "" };
                match n.strip_prefix("the number") {
                    Some(_) => format!("a number of {before}{other}{target}{core}{} up to {n}", std::mem::take(&mut after)),
                    None => format!("up to {n}{of} {before}{other}{target}{core}"),
                }
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
                let other = if other { "other " } else { "" };
                format!("{between}{of} {before}{other}{target}{core}")
            }
            "any" => format!("any number of {before}{}{core}", if other { "other " } else { "" }),
            "random" => {
                let n = self.slot_en(&count, "");
                let n = if single && !possessive && self.style("one") != "1" { article(&core).to_owned() } else { n };
                after.push_str(" at random");
                let n = if other && single && !possessive { "another".to_owned() } else { n };
                let other = if other && (possessive || !single) { "other " } else { "" };
                format!("{n}{of} {before}{other}{core}")
            }
            "top" | "bottom" => {
                let n = if single { String::new() } else { self.slot_en(&count, ":many") };
                let end = &quantifier.text;
                match n.as_str() {
                    "" => format!("the {end} {core}"),
                    "that many" | "that much" => format!("that many {core} from the {end}"),
                    // `a number of cards from the top of your deck equal to …`
                    _ if n.contains(' ') => {
                        after.push_str(&format!(" equal to {n}"));
                        format!("a number of {core} from the {end}")
                    }
                    _ => format!("the {end} {n} {core}"),
                }
            }
            "one_or_more" if sign.starts_with('(') && other => format!("another {core}"),
            "one_or_more" if sign.starts_with('(') => format!("{} {core}", article(&core)),
            "one_or_more" => format!("{sign}{of} {before}{}{core}", if other { "other " } else { "" }),
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
                NounForm::Usual if possessive => format!(
                    "{}{before}{}",
                    if other { "another of " } else { "one of " },
                    join_adjectives(&adjectives, &self.noun_en(&head, true))
                ),
                NounForm::Bare if possessive => {
                    format!(
                        "of {before}{}{}",
                        if other { "other " } else { "" },
                        join_adjectives(&adjectives, &self.noun_en(&head, true))
                    )
                }
                NounForm::Usual if other => format!("another {core}"),
                NounForm::Usual if head.kind == TextNodeKind::Word && self.local(&head.text).is_some() => format!("the {core}"),
                NounForm::Usual => format!("{} {core}", article(&core)),
                _ => format!("{before}{}{core}", if other { "other " } else { "" }),
            },
        };
        format!("{text}{after}")
    }

    /// The zone of what is moved: ` in your hand` becomes ` from your hand`.
    fn origin_en(&self, place: &str) -> String {
        match place.strip_prefix(&format!(" {} ", self.style("in"))) {
            Some(zone) => format!(" from {}", zone.replace(" or on ", " or ")),
            None => place.to_owned(),
        }
    }

    /// The noun for a card in its zone: `creature card in a graveyard`. The zone is dropped from the filters if that noun implies it.
    fn take_zone_noun(&mut self, node: &TextNode, head: &TextNode, posts: &mut Vec<TextNode>) -> Option<String> {
        let word = |head: &TextNode| head.kind == TextNodeKind::Word && (head.is_word("card") || self.is_trait_word(&head.text));
        let mut kinds = Vec::new();
        collect_alternatives(head, &mut kinds);
        if !kinds.iter().all(word) {
            return None;
        }
        let consumed = node.kids.iter().skip(2).filter(|post| post.kind == TextNodeKind::Other).flat_map(|post| &post.kids);
        let zone_of = |post: &TextNode| {
            let zone = post.kid(0);
            if zone.kind == TextNodeKind::Phrase { zone.kid(1).text.clone() } else { zone.text.clone() }
        };
        let zone = posts.iter().filter(|post| post.kind == TextNodeKind::In).chain(consumed).map(zone_of).next()?;
        let forms = self.lexicon.name(&zone).filter(|_| self.is_zone(&zone))?;
        if forms.get(2).is_some_and(String::is_empty) {
            posts.retain(|post| post.kind != TextNodeKind::In);
        }
        forms.get(1).cloned()
    }

    /// The name of a card, if the language calls cards by their names alone (setting `called`).
    fn take_card_name(&mut self, head: &TextNode, posts: &mut Vec<TextNode>) -> Option<String> {
        if self.style("called").is_empty() || head.kind != TextNodeKind::Word || self.local(&head.text).is_some() {
            return None;
        }
        let quoted =
            |post: &TextNode| post.kind == TextNodeKind::Is && post.text.is_empty() && post.kid(0).kind == TextNodeKind::Quoted;
        let is_name = |post: &TextNode| quoted(post) && self.builder.names.card_at(&post.kid(0).text, post.kid(0).span).is_some();
        let at = posts.iter().position(is_name)?;
        let post = posts.remove(at);
        Some(self.text(post.kid(0)))
    }

    /// Words that the language uses without a noun (setting `alone`): `a Forest` for a land that is one.
    fn take_lone_words(&mut self, head: &TextNode, posts: &mut Vec<TextNode>) -> Option<Vec<TextNode>> {
        let fits = |word: &TextNode| {
            let set = self.set_of(&word.text)?;
            let known = |pair: &String| pair.split_once(' ').is_some_and(|(of, noun)| of == set && head.is_word(noun));
            self.lexicon.styles("alone").iter().any(known).then(|| word.clone())
        };
        let words = |post: &TextNode| {
            let mut words = Vec::new();
            collect_alternatives(post.kid(0), &mut words);
            words.iter().map(fits).collect::<Option<Vec<TextNode>>>()
        };
        let at = posts.iter().position(|post| post.kind == TextNodeKind::Is && post.text.is_empty() && words(post).is_some())?;
        let found = words(&posts[at]);
        posts.remove(at);
        found
    }

    /// Moves a target before the sentence, which then refers to it by a pronoun.
    pub(in crate::text) fn hoist_target_en(&mut self, node: &TextNode) -> String {
        let mut plain = node.clone();
        let text = match node.kid(0).text.as_str() {
            "target" => "exactly",
            "target_up_to" => "up_to",
            _ => "range",
        };
        plain.kids[0].text = text.into();
        if self.is_never_target() {
            plain.text = "".into();
        }
        let named = self.selection_en(&plain, NounForm::Usual);
        self.hoist_text_en(node, &named)
    }

    /// Whether the card itself can never be a target, so that `other` is not printed for a target.
    pub(in crate::text) fn is_never_target(&self) -> bool {
        self.lexicon.styles("itself").iter().any(|word| self.words.iter().any(|known| known == word))
    }

    fn hoist_text_en(&mut self, node: &TextNode, named: &str) -> String {
        let sentence = self.style("target").replace("{X}", named);
        self.leading_sentences.push(sentence);
        if let Some(ordinal) = self.target_ordinal(node) {
            return ordinal;
        }
        match (self.names_targets_behind, self.is_plural(node)) {
            (true, true) => "those targets",
            (true, false) => "that target",
            (false, true) => "them",
            (false, false) => "it",
        }
        .to_owned()
    }

    /// What one of two announced targets is called: `the first target`. `None` if there is only one, or if one of them is several things.
    fn target_ordinal(&self, target: &TextNode) -> Option<String> {
        let locals = self.locals.iter().filter(|local| self.is_target(&local.value));
        let targets: Vec<&TextNode> = locals.map(|local| &local.value).collect();
        let [first, second] = targets.as_slice() else { return None };
        if self.style("target").is_empty() || self.is_plural(first) || self.is_plural(second) {
            return None;
        }
        let of = |one: &TextNode| one.span.start == target.span.start;
        if of(first) { Some("the first target".to_owned()) } else { of(second).then(|| "the second target".to_owned()) }
    }

    /// An adjective before the noun. `None` if the filter cannot be one.
    pub(in crate::text) fn adjective_en(&mut self, post: &TextNode) -> Option<String> {
        let value = post.kid(0);
        let text = match value.kind {
            // a name that the text binds is no adjective
            TextNodeKind::Word if self.local(&value.text).is_some() => return None,
            TextNodeKind::Word => self.lexicon.name(&value.text).and_then(|forms| forms.first()).cloned().or_else(|| {
                if let Some(quoted) = self.quoted_set_word(&value.text) {
                    return Some(quoted);
                }
                let trait_word =
                    self.builder.names.meanings(&value.text).iter().any(|meaning| matches!(meaning, Meaning::Word(..)));
                let quoted = !value.text.contains('_') && value.text.chars().next().is_some_and(char::is_uppercase);
                match self.builder.is_flag(&value.text) {
                    true => Some(value.text.replace('_', " ")),
                    false => (trait_word || quoted).then(|| value.text.to_string()),
                }
            })?,
            TextNodeKind::Binary if value.text == "or" => {
                let mut flat = Vec::new();
                collect_alternatives(value, &mut flat);
                let all: Option<Vec<String>> = flat
                    .iter()
                    .map(|kid| self.adjective_en(&TextNode::new(TextNodeKind::Is, "", vec![kid.clone()], kid.span)))
                    .collect();
                let all = all?;
                join_alternatives(&all, if self.joins_kinds_by_and { "and" } else { "or" })
            }
            _ => return None,
        };
        if text.starts_with("that ") {
            return None;
        }
        if post.text != "not" {
            return Some(text);
        }
        let not = self.style("not");
        // a hyphen goes before a capital letter
        let hyphen = if text.starts_with(|c: char| c.is_ascii_uppercase()) && !not.ends_with('-') { "-" } else { "" };
        Some(format!("{not}{hyphen}{text}"))
    }

    /// An adjective behind the noun: ` that's green`, ` that aren't green`.
    fn adjective_clause_en(&mut self, post: &TextNode, adjective: &str, several: bool) -> String {
        let plain = TextNode { text: "".into(), ..post.clone() };
        let positive = if post.text == "not" {
            self.adjective_en(&plain).unwrap_or_else(|| adjective.to_owned())
        } else {
            adjective.to_owned()
        };
        match (several, post.text == "not") {
            (true, true) => format!(" that aren't {positive}"),
            (true, false) => format!(" that are {positive}"),
            (false, true) => format!(" that isn't {positive}"),
            (false, false) => format!(" that's {positive}"),
        }
    }

    /// Whether a noun is one of several kinds, of which each has its own noun: `creature or planeswalker`.
    fn names_alternatives(&self, head: &TextNode) -> bool {
        head.kind == TextNodeKind::Binary && head.text == "or" && self.names_kinds(head)
    }

    /// The texts of a filter before and behind the noun.
    pub(in crate::text) fn post_en(&mut self, post: &TextNode, head: &TextNode) -> (String, String) {
        if let Some((front, back)) = self.post_entry(post, head) {
            return (front, if self.is_plural(head) { with_plural_clause(&back) } else { back });
        }
        let negative = post.text == "not";
        let text = match post.kind {
            TextNodeKind::In if self.selects_list(post.kid(0)) => {
                let name = &post.kid(0).text;
                let reference = self.reference_to_list(name).and_then(|reference| self.list_reference_en(name, reference));
                self.record_list(name);
                format!(" among {}", reference.as_deref().unwrap_or("them"))
            }
            TextNodeKind::In => {
                let zone = self.text(post.kid(0));
                format!(" {} {zone}", self.style("in"))
            }
            TextNodeKind::NotIn => {
                let be = if self.is_plural(head) { "aren't" } else { "isn't" };
                let zone = self.text(post.kid(0));
                format!(" that {be} {} {zone}", self.style("in"))
            }
            TextNodeKind::Has => {
                let keyword = TextNode::new(TextNodeKind::Keyword, post.kid(0).text.clone(), vec![], post.span);
                let name = self.keyword_short(&keyword).unwrap_or_else(|| self.gap(post));
                let name = crate::text::english::lower_first(&name);
                if name.is_empty() {
                    return (String::new(), String::new());
                }
                format!(" {}{name}", if negative { self.style("without") } else { self.style("with") })
            }
            TextNodeKind::Total => format!(" {}", self.total(post)),
            TextNodeKind::Is if self.stands_for_word(post.kid(0)) => {
                let word = self.text(post.kid(0));
                match (negative, self.is_plural(head)) {
                    (false, _) => format!(" of {word}"),
                    (true, true) => format!(" that aren't of {word}"),
                    (true, false) => format!(" that isn't of {word}"),
                }
            }
            TextNodeKind::Is => {
                let word = post.kid(0);
                if let TextNodeKind::Word = word.kind
                    && let Some(form) = self.lexicon.name(&word.text).and_then(|forms| forms.first()).cloned()
                {
                    format!(" {form}")
                } else if matches!(word.kind, TextNodeKind::Quoted) {
                    let name = self.text(word);
                    format!("{}{name}", if negative { " not named " } else { " named " })
                } else {
                    let what = self.predicate_en(word);
                    let be = match (self.is_plural(head), negative) {
                        (true, true) => "aren't",
                        (true, false) => "are",
                        (false, true) => "isn't",
                        (false, false) => "is",
                    };
                    format!(" that {be} {what}")
                }
            }
            TextNodeKind::Of => {
                let whose = self.possessive_en(post.kid(0));
                return (format!("{whose} "), String::new());
            }
            _ => match self.either_filter_en(post, head) {
                Some(text) => text,
                None if let Some((is_shared, shares)) = shared_set(post) => {
                    let (set, other) = (TextNode::word(&shares.text, post.span), shares.kid(1));
                    let (set, other) = (self.noun_en(&set, false), self.text(other));
                    let verb = match (self.is_plural(head), is_shared) {
                        (true, true) => "share",
                        (true, false) => "don't share",
                        (false, true) => "shares",
                        (false, false) => "doesn't share",
                    };
                    format!(" that {verb} {} {set} with {other}", article(&set))
                }
                None if post.kind == TextNodeKind::That => {
                    self.candidate_clause_en(post.kid(0)).unwrap_or_else(|| format!(" {}", self.gap(post)))
                }
                None => format!(" {}", self.gap(post)),
            },
        };
        (String::new(), text)
    }

    /// A filter with alternatives behind the noun: ` with power 4 or greater or toughness 4 or greater`. `None` if one of them has no words there.
    fn either_filter_en(&mut self, post: &TextNode, head: &TextNode) -> Option<String> {
        let filters = self.alternative_filters(post)?;
        let gaps = self.gaps.len();
        let texts: Vec<(String, String)> = filters.iter().map(|filter| self.post_en(filter, head)).collect();
        let first = &texts.first()?.1;
        let start = [" with ", " that "].into_iter().find(|start| first.starts_with(start))?;
        let parts: Option<Vec<&str>> = texts
            .iter()
            .map(|(front, back)| back.strip_prefix(start).filter(|_| front.is_empty() && !back.contains('⟦')))
            .collect();
        if parts.is_none() {
            self.gaps.truncate(gaps);
        }
        Some(format!("{start}{}", parts?.join(" or ")))
    }

    /// Whether `each HEAD in NAME` is each element of what the name is bound to: it selects by the same noun.
    pub(in crate::text) fn is_each_of_list(&self, head: &TextNode, posts: &[TextNode]) -> bool {
        let [filter] = posts else { return false };
        filter.kind == TextNodeKind::In
            && filter.text != "not"
            && self.selects_list(filter.kid(0))
            && self.local(&filter.kid(0).text).is_some_and(|local| self.noun_of(&local.value).is_word(&head.text))
    }

    /// Whether a word is bound to a list.
    pub(in crate::text) fn selects_list(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.local(&node.text).is_some()
    }
}

/// The condition of a filter that what it selects shares a word with something, and whether it does: `that (not candidate shares race with it)`.
pub(in crate::text) fn shared_set(filter: &TextNode) -> Option<(bool, &TextNode)> {
    let test = filter.kid(0);
    let (is_shared, shares) = if test.kind == TextNodeKind::Not { (false, test.kid(0)) } else { (true, test) };
    let is_filter =
        filter.kind == TextNodeKind::That && shares.kind == TextNodeKind::Shares && shares.kid(0).is_word("candidate");
    is_filter.then_some((is_shared, shares))
}

/// Whether a phrase has no filters.
fn has_no_filters(node: &TextNode) -> bool {
    node.kids.len() == 2
}
