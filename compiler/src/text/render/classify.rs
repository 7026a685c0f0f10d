//! Classifies words and phrases: singular or plural, zones, nouns, trait words, bound names.

use crate::names::Meaning;
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives};
use fizzle_grammar::ast::{Expr, ExprKind, Head, PhraseFilterKind};
use fizzle_ir::Type;
use smol_str::SmolStr;

/// Whether a name is bound to a number that the text has chosen.
pub(in crate::text) fn is_number_choice(local: &TextLocal) -> bool {
    local.inline.is_none() && local.value.is_word("number")
}

impl Renderer<'_> {
    /// Whether it is several things.
    pub(in crate::text) fn is_plural(&self, node: &TextNode) -> bool {
        match node.kind {
            TextNodeKind::Number => node.text != "1",
            TextNodeKind::Phrase => match node.kid(0).text.as_str() {
                "exactly" | "target" | "random" | "top" | "bottom" | "up_to" | "target_up_to" => {
                    !(node.kid(0).kid(0).kind == TextNodeKind::Number && node.kid(0).kid(0).text == "1")
                }
                "any" | "range" | "target_range" | "no" => true,
                "each" => self.style("each") == "all" || self.is_owned(node),
                "some" => false,
                "one_or_more" => !self.style("one_or_more").starts_with('('),
                _ => {
                    node.kid(1).kind == TextNodeKind::Word && self.is_noun(&node.kid(1).text)
                        || node.kid(1).kind == TextNodeKind::Word
                            && self.local(&node.kid(1).text).is_some_and(|local| local.is_plural)
                        || node.kid(1).kind == TextNodeKind::Binary
                }
            },
            TextNodeKind::Word => match self.local(&node.text) {
                Some(local) => local.is_plural,
                None => self.is_noun(&node.text) && !matches!(node.text.as_str(), "this" | "it" | "you" | "opponent" | "player"),
            },
            TextNodeKind::Binary if node.text == "and" => true,
            TextNodeKind::Binary => self.is_plural(node.kid(0)),
            _ => false,
        }
    }

    /// Whether its owner is printed before it: `your creatures`.
    pub(in crate::text) fn is_owned(&self, node: &TextNode) -> bool {
        let before = |post: &TextNode| {
            self.lexicon.find_post(post).is_none_or(|(entry, _)| matches!(entry.parts.first(), Some(TemplatePart::Text(_))))
        };
        node.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::Of && before(post))
    }

    pub(in crate::text) fn local(&self, name: &str) -> Option<&TextLocal> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    /// Whether the definition of a noun says that its things wait on the list: they are on no field.
    pub(in crate::text) fn is_listed_noun(&self, word: &str) -> bool {
        let Some(list) = self.builder.names.list_zone() else { return false };
        let Some(ExprKind::Phrase(definition)) = self.builder.names.nouns.get(word).map(|definition| &definition.kind) else {
            return false;
        };
        let is_list = |zone: &Expr| matches!(&zone.kind, ExprKind::Phrase(zone) if matches!(&zone.head, Head::Word(name) if name.text == list));
        let mut zones = definition
            .filters
            .iter()
            .filter_map(|filter| match &filter.kind {
                PhraseFilterKind::In(zone) => Some(zone),
                _ => None,
            })
            .peekable();
        zones.peek().is_some() && zones.all(is_list)
    }

    /// Whether a word is a bound name whose value is rendered in full here.
    pub(in crate::text) fn is_inline(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word
            && self.local(&node.text).is_some_and(|local| local.inline == Some(true) || local.value.kind == TextNodeKind::Number)
    }

    /// Whether a word is a parameter of an event for an object or a player that is a player there.
    pub(in crate::text) fn is_player_of_event(&self, node: &TextNode) -> bool {
        let local = if node.kind == TextNodeKind::Word { self.local(&node.text) } else { None };
        local.is_some_and(|local| {
            let is_player = local.value.kids.len() == 2 && local.value.kid(1).is_word("player");
            local.value.is_word("you") || local.value.kind == TextNodeKind::Phrase && is_player
        })
    }

    /// Whether a word is bound to a choice of at most one thing.
    pub(in crate::text) fn is_single(&self, node: &TextNode) -> bool {
        let local = if node.kind == TextNodeKind::Word { self.local(&node.text) } else { None };
        local.is_some_and(|local| {
            let quantifier = local.value.kid(0);
            local.inline.is_none()
                && quantifier.text == "up_to"
                && quantifier.kid(0).kind == TextNodeKind::Number
                && quantifier.kid(0).text == "1"
        })
    }

    /// Whether a phrase is a condition on the place of one object: `it in hand`.
    pub(in crate::text) fn is_place_condition(&self, node: &TextNode) -> bool {
        let (head, place) = (node.kid(1), node.kids.last().filter(|_| node.kids.len() > 2).unwrap_or(node));
        let is_one = |local: &TextLocal| !local.is_plural && local.inline.is_none();
        let is_alone = node.kids.len() == 3;
        let is_named = head.is_word("it") || head.is_word("this") || self.local(&head.text).is_some_and(is_one);
        // `host of this in ZONE`
        let is_of_one = node.kids.len() == 4 && node.kid(2).kind == TextNodeKind::Of && self.is_status_word(&head.text);
        let zone = if place.kid(0).kind == TextNodeKind::Phrase { place.kid(0).kid(1) } else { place.kid(0) };
        (is_alone && is_named || is_of_one)
            && node.kid(0).is_nil()
            && node.text.is_empty()
            && head.kind == TextNodeKind::Word
            && place.kind == TextNodeKind::In
            && self.is_zone(&zone.text)
    }

    /// The trait set of `word of SET`, perhaps with filters: a choice of one of its words. The word `name` of `name of card`, a choice of a name.
    pub(in crate::text) fn chosen_set<'n>(&self, node: &'n TextNode) -> Option<&'n TextNode> {
        let [quantifier, head, of, ..] = node.kids.as_slice() else { return None };
        let set = of.kid(0);
        let is_choice =
            node.kind == TextNodeKind::Phrase && quantifier.is_nil() && head.is_word("word") && of.kind == TextNodeKind::Of;
        let is_name = node.kind == TextNodeKind::Phrase
            && node.kids.len() == 3
            && quantifier.is_nil()
            && head.is_word("name")
            && of.kind == TextNodeKind::Of
            && set.kind == TextNodeKind::Word
            && self.is_noun(&set.text)
            && self.local(&set.text).is_none();
        if is_name {
            return Some(head);
        }
        (is_choice && self.is_trait_set(&set.text)).then_some(set)
    }

    /// Whether a word is bound to a word of a trait set that the text has chosen.
    pub(in crate::text) fn is_chosen_word(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.local(&node.text).is_some_and(|local| self.chosen_set(&local.value).is_some())
    }

    /// Whether a word is bound to a number that the text has chosen.
    pub(in crate::text) fn is_chosen_number(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.local(&node.text).is_some_and(is_number_choice)
    }

    /// The name of a step or phase that is written as a path: `turn.battle.end_step`.
    pub(in crate::text) fn step_name(&self, path: &str) -> Option<String> {
        let (_, last) = path.rsplit_once('.')?;
        let name = self.lexicon.name(last).and_then(|forms| forms.first());
        Some(name.cloned().unwrap_or_else(|| last.replace('_', " ")))
    }

    /// Whether a word is a status of any type.
    fn is_status_word(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Status(_)))
    }

    /// What a condition on a place is about.
    pub(in crate::text) fn placed_thing(&self, condition: &TextNode) -> TextNode {
        match condition.kids.len() {
            4 => {
                let span = condition.kid(1).span.to(condition.kid(2).span);
                TextNode { kids: condition.kids[..3].to_vec(), span, ..condition.clone() }
            }
            _ => condition.kid(1).clone(),
        }
    }

    /// Whether a word is a status that is a number or a word of a trait set, or a variable of players that is a number.
    pub(in crate::text) fn is_counting_status(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Status(n) => {
                let status = self.builder.names.statuses.get(usize::from(*n));
                status.is_some_and(|status| !status.ty.list && (status.ty.word || status.ty.name.text == "number"))
            }
            Meaning::Player(n) => self.builder.names.types[2].get(usize::from(*n)) == Some(&Type::Number),
            _ => false,
        })
    }

    /// Whether a node is a word of a trait set by another name: one that the text has chosen, or that a status holds.
    pub(in crate::text) fn stands_for_word(&self, node: &TextNode) -> bool {
        let is_held = |word: &str| {
            self.builder.names.meanings(word).iter().any(|meaning| match meaning {
                Meaning::Status(n) => {
                    self.builder.names.statuses.get(usize::from(*n)).is_some_and(|status| status.ty.word && !status.ty.list)
                }
                _ => false,
            })
        };
        let is_status = node.kind == TextNodeKind::Phrase && node.kid(0).is_nil() && node.kid(1).kind == TextNodeKind::Word;
        self.is_chosen_word(node) || is_status && is_held(&node.kid(1).text)
    }

    pub(in crate::text) fn is_trait_set(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Traits(_)))
    }

    /// Whether a word is a status that is a number, or true or false.
    pub(in crate::text) fn is_status(&self, word: &str) -> bool {
        self.is_counting_status(word) || self.builder.is_flag(word)
    }

    pub(in crate::text) fn is_zone(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Zone(_)))
    }

    /// Whether each player has a zone of this name.
    pub(in crate::text) fn is_own_zone(&self, word: &str) -> bool {
        self.builder.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Zone(zone) => self.builder.names.zones.get(zone.index()).is_some_and(|(_, settings)| {
                settings.iter().any(|setting| setting.iter().map(|word| word.text.as_str()).eq(["each", "player"]))
            }),
            _ => false,
        })
    }

    /// Whether it is a word of a trait set.
    pub(in crate::text) fn is_trait_word(&self, word: &str) -> bool {
        let sets = &self.builder.names.traits;
        sets.iter().any(|set| set.words.iter().flatten().chain(&set.initial_words).any(|known| known == word))
            || self.builder.quoted_words.is_some_and(|printed| printed.contains_key(word))
    }

    /// Whether a node is a word in quotation marks that cards print: it names the things that have it.
    pub(in crate::text) fn is_printed_word(&self, node: &TextNode) -> bool {
        self.sources.slice(node.span).starts_with('"') && self.is_trait_word(&node.text)
    }

    /// The trait set of a word.
    pub(in crate::text) fn set_of(&self, word: &str) -> Option<&str> {
        let sets = &self.builder.names.traits;
        let declared = sets.iter().find(|set| set.words.iter().flatten().chain(&set.initial_words).any(|known| known == word));
        declared
            .map(|set| set.name.as_str())
            .or_else(|| self.builder.quoted_words.and_then(|printed| printed.get(word)).map(SmolStr::as_str))
    }

    /// A word without an entry whose set has its words printed in quotation marks, in these.
    pub(in crate::text) fn quoted_set_word(&self, word: &str) -> Option<String> {
        let set = self.set_of(word)?;
        let is_quoted =
            self.lexicon.name(word).is_none() && self.lexicon.styles("quoted_sets").iter().any(|quoted| quoted == set);
        is_quoted.then(|| self.style("quoted").replace("{X}", word))
    }

    /// Whether a word names a kind of thing.
    pub(in crate::text) fn is_noun(&self, word: &str) -> bool {
        self.builder.is_noun(word)
    }

    /// Whether a phrase selects things.
    pub(in crate::text) fn selects(&self, node: &TextNode) -> bool {
        match node.kind {
            TextNodeKind::Phrase if matches!(node.kid(0).text.as_str(), "some" | "no") => false,
            TextNodeKind::Phrase => {
                !node.kid(0).is_nil() && !matches!(node.kid(0).text.as_str(), "some" | "no")
                    || node.kid(1).kind == TextNodeKind::Word && self.is_noun(&node.kid(1).text)
                    || node.kid(1).kind == TextNodeKind::Binary
            }
            TextNodeKind::Word => self.is_noun(&node.text),
            _ => false,
        }
    }

    /// Whether a phrase selects things of the noun of the setting `unplaced` without saying where they are.
    pub(in crate::text) fn is_unplaced(&self, node: &TextNode) -> bool {
        let is_choice = matches!(node.kid(0).text.as_str(), "exactly" | "up_to" | "any" | "range" | "random" | "each")
            || node.kid(0).text.starts_with("target");
        let is_placed = |filter: &TextNode| match filter.kind {
            TextNodeKind::In | TextNodeKind::NotIn => true,
            TextNodeKind::Other => !filter.kids.is_empty(),
            // of a zone
            TextNodeKind::Of => filter.kid(0).kind == TextNodeKind::Phrase || self.is_zone(&filter.kid(0).text),
            _ => false,
        };
        let noun = self.style("unplaced");
        node.kind == TextNodeKind::Phrase
            && !noun.is_empty()
            && is_choice
            && node.kid(1).is_word(noun)
            && self.local(noun).is_none()
            && !node.kids.iter().skip(2).any(is_placed)
    }

    pub(in crate::text) fn is_target(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Phrase && node.kid(0).text.starts_with("target")
    }

    /// Whether the operands of a conjunction contain the other connective without words for both as one: left and right. What an entry
    /// phrases as a whole, and kinds of things, cannot be misread.
    pub(in crate::text) fn grouping(&self, node: &TextNode) -> (bool, bool) {
        (self.is_mixed(node.kid(0), &node.text), self.is_mixed(node.kid(1), &node.text))
    }

    fn is_mixed(&self, operand: &TextNode, connective: &str) -> bool {
        let is_open = operand.kind == TextNodeKind::Binary
            && matches!(operand.text.as_str(), "or" | "and")
            && self.lexicon.find(LexiconTable::Value, operand, self.builder).is_none()
            && !operand.kids.iter().all(|kid| self.selects(kid));
        is_open && (operand.text != connective || self.grouping(operand) != (false, false))
    }

    /// The zones of one player of which something is in any, and that player: `in field in graveyard` of the opponent. `None` for other nodes.
    pub(in crate::text) fn zones_of_player<'n>(&self, node: &'n TextNode) -> Option<(Vec<TextNode>, Option<&'n TextNode>)> {
        let (zones, of) = match (node.kind, node.kids.as_slice()) {
            (TextNodeKind::Phrase, [quantifier, zones, of]) if quantifier.is_nil() && of.kind == TextNodeKind::Of => {
                (zones, Some(of.kid(0)))
            }
            (TextNodeKind::Binary, _) => (node, None),
            _ => return None,
        };
        let mut all = Vec::new();
        collect_alternatives(zones, &mut all);
        (all.len() > 1 && all.iter().all(|zone| zone.kind == TextNodeKind::Word && self.is_zone(&zone.text))).then_some((all, of))
    }

    /// A selection of one thing of several kinds, of which each says where it is or whose: a selection for each kind. `None` for other selections.
    pub(in crate::text) fn kinds_with_places(&self, node: &TextNode) -> Option<Vec<TextNode>> {
        let [quantifier, head] = node.kids.as_slice() else { return None };
        let is_one = quantifier.text == "exactly" && quantifier.kid(0).text == "1";
        if !is_one || head.kind != TextNodeKind::Binary {
            return None;
        }
        let mut kinds = Vec::new();
        collect_alternatives(head, &mut kinds);
        let is_phrase = |kind: &TextNode| kind.kind == TextNodeKind::Phrase && kind.kid(0).is_nil();
        let is_owned =
            |kind: &TextNode| is_phrase(kind) && kind.kids.iter().skip(2).any(|filter| filter.kind == TextNodeKind::Of);
        let is_placed =
            |kind: &TextNode| is_phrase(kind) && kind.kids.iter().skip(2).any(|filter| filter.kind == TextNodeKind::In);
        // the language says of a noun without a place that it is on the field
        let is_anywhere = !self.style("anywhere").is_empty() && kinds.iter().any(is_placed);
        let is_kind = |kind: &TextNode| kind.kind == TextNodeKind::Word || is_phrase(kind);
        if kinds.len() < 2 || !kinds.iter().all(is_kind) || !is_anywhere && !kinds.iter().any(is_owned) {
            return None;
        }
        let selection = |kind: TextNode| {
            let mut kids = vec![quantifier.clone()];
            match kind.kind {
                TextNodeKind::Phrase => kids.extend(kind.kids.into_iter().skip(1)),
                _ => kids.push(kind.clone()),
            }
            TextNode::new(TextNodeKind::Phrase, node.text.clone(), kids, kind.span)
        };
        Some(kinds.into_iter().map(selection).collect())
    }
}
