//! What players are asked at choices, in words: said to whoever chooses, made from the same tree as the rules texts. What cannot be said
//! exactly has no prompt.

use super::lexicon::LexiconTable;
use super::normalize::{BINDING, Builder, MAY, SUBJECT};
use super::prompt_context::{bind_parameters, element, fitting, parameters, use_of_choice};
use super::render::{Grammar, Renderer, TextLocal};
use super::tree::{TextNode, TextNodeKind};
use super::{LANGUAGES, cards_of, keywords, lexicon, printed, words};
use crate::names::NameTable;
use crate::packs::GameItems;
use crate::sources::Sources;
use fizzle_grammar::ast::{Card, DifferenceKind, Item, ItemKind, Play, Span, TextItem, TurnEntry};
use fizzle_runtime::ir::{ChoiceSite, Chooser, Prompt, Texts};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// Where each choice of a library is written, by its number.
pub type ChoiceSpans = BTreeMap<u32, Span>;

/// A text with choices in it, and the card that it stands on.
struct PromptRoot {
    words: Vec<SmolStr>,
    name: String,
    node: TextNode,
    /// It is the text of the active player.
    active: bool,
    /// The parameters that it knows, with what they are.
    params: Vec<(SmolStr, SmolStr)>,
    /// No card says what its choices are for.
    bare: bool,
}

impl PromptRoot {
    /// A text of the rules.
    fn of_rules(node: TextNode) -> Self {
        Self { words: Vec::new(), name: String::new(), node, active: false, params: Vec::new(), bare: false }
    }

    /// A text of the rules that has parameters.
    fn with(params: &[(SmolStr, SmolStr)], node: TextNode) -> Self {
        Self { params: params.to_vec(), ..Self::of_rules(node) }
    }

    /// A text of the rules that comes of itself.
    fn of_itself(node: TextNode) -> Self {
        Self { bare: true, ..Self::of_rules(node) }
    }

    /// A text of the turn.
    fn of_turn(node: TextNode) -> Self {
        Self { active: true, ..Self::of_itself(node) }
    }
}

/// Adds to the texts of a game what is asked at its choices.
pub fn prompts<'a>(
    items: &GameItems<'a>,
    names: &'a NameTable<'a>,
    sources: &'a Sources,
    sites: &[ChoiceSite],
    asked: &ChoiceSpans,
    texts: &mut [Texts],
) {
    let base = keywords(&items.items);
    let known: BTreeMap<SmolStr, SmolStr> = cards_of(&items.items).into_iter().flat_map(printed).collect();
    let builder = Builder { names, pattern: false, printed: Some(&known), keywords: Some(&base) };
    // the game's own; then those of each format, which it says in its own words
    let mut parts: Vec<(Vec<&TextItem>, Vec<PromptRoot>)> = vec![Default::default()];
    for item in &items.items {
        let own = own_words(item);
        if !own.is_empty() {
            parts.push((own, Vec::new()));
            parts.last_mut().into_iter().for_each(|(_, roots)| item_roots(item, builder, roots));
        } else if let Some((_, roots)) = parts.first_mut() {
            item_roots(item, builder, roots);
        }
    }
    let mut places: BTreeMap<Span, Vec<u32>> = BTreeMap::new();
    for (site, span) in asked {
        places.entry(*span).or_default().push(*site);
    }
    for language in LANGUAGES {
        let Some(texts) = texts.iter_mut().find(|texts| texts.language == language && texts.format.is_empty()) else { continue };
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut made = BTreeMap::new();
        for (own, roots) in &parts {
            let Some(lexicon) = lexicon(language, &items.items, own, builder) else { continue };
            for root in roots {
                let mut renderer = Renderer::new(&lexicon, builder, sources, grammar, root.words.clone());
                let own = lexicon.name(&root.name).and_then(|forms| forms.first()).cloned();
                renderer.name = own.unwrap_or_else(|| root.name.clone());
                bind_parameters(&root.params, &mut renderer);
                let purposes = BTreeMap::new();
                let (active, bare) = (root.active, root.bare);
                PromptBuilder { places: &places, sites, active, bare, purposes, made: &mut made }.walk(
                    &root.node,
                    None,
                    &mut renderer,
                );
            }
        }
        texts.prompts = made.into_values().collect();
    }
}

/// The words of a format.
fn own_words(item: &Item) -> Vec<&TextItem> {
    let ItemKind::Format { differences, .. } = &item.kind else { return Vec::new() };
    let added = differences.iter().filter_map(|difference| match &difference.kind {
        DifferenceKind::Add(item) => Some(&item.kind),
        _ => None,
    });
    added.filter_map(|kind| if let ItemKind::Text(text) = kind { Some(text) } else { None }).collect()
}

/// The texts of an item, and of what a format adds or replaces.
fn item_roots(item: &Item, builder: Builder<'_>, roots: &mut Vec<PromptRoot>) {
    match &item.kind {
        ItemKind::Card(card) => card_roots(card, builder, roots),
        ItemKind::Keyword { abilities, params, .. } => {
            let params = parameters(params);
            roots.extend(abilities.iter().map(|ability| PromptRoot::with(&params, builder.ability(ability))));
        }
        ItemKind::Rule { abilities, .. } => {
            roots.extend(abilities.iter().map(|ability| PromptRoot::of_rules(builder.ability(ability))));
        }
        ItemKind::StateRule { body, .. } | ItemKind::Setup(body) => roots.push(PromptRoot::of_itself(builder.block(body))),
        ItemKind::Action(action) => {
            let params = parameters(&action.params);
            roots.extend(action.body.iter().map(|body| PromptRoot::with(&params, builder.block(body))));
        }
        ItemKind::Play(play) => {
            let params = parameters(&play.params);
            roots.extend(play_nodes(play, builder).into_iter().map(|node| PromptRoot::with(&params, node)));
        }
        ItemKind::Turn(entries) => roots.extend(turn_nodes(entries, builder).into_iter().map(PromptRoot::of_turn)),
        ItemKind::Format { differences, .. } => {
            for difference in differences {
                match &difference.kind {
                    DifferenceKind::Replace(inner) | DifferenceKind::Add(inner) => item_roots(inner, builder, roots),
                    DifferenceKind::ReplaceSpan { entries, .. } => {
                        roots.extend(turn_nodes(entries, builder).into_iter().map(PromptRoot::of_turn));
                    }
                    DifferenceKind::Insert { span, .. } => {
                        roots.extend(turn_nodes(&span.entries, builder).into_iter().map(PromptRoot::of_turn));
                    }
                    DifferenceKind::Append { body, .. } => roots.push(PromptRoot::of_rules(builder.block(body))),
                    DifferenceKind::Errata(card) => card_roots(card, builder, roots),
                    DifferenceKind::Remove(_) | DifferenceKind::Ban(_) | DifferenceKind::Restrict(_) => {}
                }
            }
        }
        _ => {}
    }
}

fn card_roots(card: &Card, builder: Builder<'_>, roots: &mut Vec<PromptRoot>) {
    for card in std::iter::once(card).chain(card.faces.iter().map(|face| &face.card)) {
        for ability in &card.abilities {
            let node = builder.ability(ability);
            roots.push(PromptRoot { words: words(card), name: card.name.text.to_string(), ..PromptRoot::of_rules(node) });
        }
    }
}

fn play_nodes(play: &Play, builder: Builder<'_>) -> Vec<TextNode> {
    let blocks = play.values.iter().chain(&play.cost).chain([&play.body]);
    blocks.map(|block| builder.block(block)).collect()
}

fn turn_nodes(entries: &[TurnEntry], builder: Builder<'_>) -> Vec<TextNode> {
    let mut made = Vec::new();
    let mut own = Vec::new();
    for entry in entries {
        match entry {
            TurnEntry::Span(span) => made.append(&mut turn_nodes(&span.entries, builder)),
            TurnEntry::Repeat { entries, .. } => made.append(&mut turn_nodes(entries, builder)),
            TurnEntry::Statement(statement) => own.push(builder.statement(statement)),
            TurnEntry::Each { body, .. } => made.push(builder.block(body)),
        }
    }
    made.push(TextNode::new(TextNodeKind::Block, "", own, Span::default()));
    made
}

struct PromptBuilder<'m> {
    places: &'m BTreeMap<Span, Vec<u32>>,
    sites: &'m [ChoiceSite],
    active: bool,
    bare: bool,
    /// What choices are for, by where they stand.
    purposes: BTreeMap<Span, TextNode>,
    made: &'m mut BTreeMap<u32, Prompt>,
}

impl PromptBuilder<'_> {
    /// Says the choices of a text; `subject` is who acts in the statement around it.
    fn walk(&mut self, node: &TextNode, subject: Option<&TextNode>, renderer: &mut Renderer<'_>) {
        let own = match node.kind {
            TextNodeKind::Do => Some(node.kid(SUBJECT)),
            TextNodeKind::Divide | TextNodeKind::Declare => Some(node.kid(0)),
            TextNodeKind::Statement => {
                Some(node.kid(0)).filter(|inner| inner.kind == TextNodeKind::Do).map(|inner| inner.kid(SUBJECT))
            }
            _ => None,
        };
        let subject = own.filter(|own| !own.is_nil()).or(subject);
        let asks = match node.kind {
            TextNodeKind::Phrase => !node.kid(0).is_nil(),
            TextNodeKind::Do => !node.kid(MAY).is_nil(),
            TextNodeKind::Statement => {
                matches!(node.kid(0).kind, TextNodeKind::Do | TextNodeKind::Sentence | TextNodeKind::Modes | TextNodeKind::Divide)
            }
            TextNodeKind::Option | TextNodeKind::Declare => true,
            _ => false,
        };
        let at = if node.kind == TextNodeKind::Option { node.kid(0).span } else { node.span };
        if asks && let Some(sites) = self.places.get(&at) {
            for site in sites {
                if let (false, Some(about)) = (self.made.contains_key(site), self.sites.get(*site as usize))
                    && let Some((text, modes)) = self.asked(node, about, subject, renderer)
                {
                    self.made.insert(*site, Prompt { site: *site, text, modes });
                }
            }
        }
        let before = renderer.locals.len();
        match node.kind {
            TextNodeKind::ForEach => element(node, renderer),
            TextNodeKind::Block if self.bare => {
                let mut rest = node.kids.as_slice();
                while let Some((statement, after)) = rest.split_first() {
                    self.purposes.extend(use_of_choice(statement, after.first()));
                    rest = after;
                }
            }
            _ => {}
        }
        node.kids.iter().for_each(|kid| self.walk(kid, subject, renderer));
        // what a statement names is known behind it, as far as its block goes
        match node.kind {
            TextNodeKind::Block | TextNodeKind::ForEach => renderer.locals.truncate(before),
            TextNodeKind::Let => note(node.kid(0), node.kid(1), renderer),
            TextNodeKind::Do if !node.kid(BINDING).is_nil() => {
                note(node.kid(BINDING), node.kid(super::normalize::OPERANDS), renderer);
            }
            _ => {}
        }
    }

    /// What a choice says: with what it is for, where nothing else tells that; as it stands; or with what of it can be said.
    fn asked(
        &self,
        node: &TextNode,
        site: &ChoiceSite,
        subject: Option<&TextNode>,
        renderer: &mut Renderer<'_>,
    ) -> Option<(String, Vec<String>)> {
        let whole = self.purposes.get(&node.span).filter(|_| node.kind == TextNodeKind::Phrase);
        whole
            .and_then(|whole| prompt_text(whole, site, subject, self.active, renderer))
            .or_else(|| prompt_text(node, site, subject, self.active, renderer))
            .or_else(|| {
                let fitting = fitting(node, renderer);
                prompt_text(&fitting, site, subject, self.active, renderer)
            })
    }
}

/// Notes what a name stands for.
fn note(name: &TextNode, value: &TextNode, renderer: &mut Renderer<'_>) {
    let plural = renderer.is_plural(value);
    renderer.locals.push(TextLocal { name: name.text.clone(), value: value.clone(), inline: None, plural });
}

/// What a choice says to its chooser; none if that cannot be said.
fn prompt_text(
    node: &TextNode,
    site: &ChoiceSite,
    subject: Option<&TextNode>,
    active: bool,
    renderer: &mut Renderer<'_>,
) -> Option<(String, Vec<String>)> {
    let (node, foreign) = match site.chooser {
        Chooser::Controller if active => (addressed(node, &TextNode::word("active", node.span))?, false),
        Chooser::Controller => (node.clone(), false),
        Chooser::Player(_) => (addressed(node, subject?)?, true),
    };
    let (gaps, locals) = (renderer.gaps.len(), renderer.locals.len());
    let (before, after) = (std::mem::take(&mut renderer.before), renderer.after.take());
    let yours = if renderer.is_japanese() { renderer.style("your") } else { "your" };
    let owner = foreign.then(|| yours.to_owned()).filter(|yours| !yours.is_empty());
    let owner = std::mem::replace(&mut renderer.owner, owner);
    let mut lines = match node.kind {
        TextNodeKind::Block => vec![renderer.sentences(&node)],
        TextNodeKind::Option => vec![renderer.lookup(LexiconTable::Ability, &node).unwrap_or_default()],
        TextNodeKind::Statement if node.kid(0).kind == TextNodeKind::Modes => {
            let modes = renderer.modes(node.kid(0));
            modes.lines().map(str::to_owned).collect()
        }
        TextNodeKind::Statement | TextNodeKind::Do | TextNodeKind::Declare => {
            let statement = if node.kind != TextNodeKind::Statement {
                TextNode::new(TextNodeKind::Statement, "", vec![node.clone()], node.span)
            } else {
                TextNode { text: SmolStr::default(), ..node.clone() }
            };
            vec![renderer.sentences(&TextNode::new(TextNodeKind::Block, "", vec![statement], node.span))]
        }
        _ => vec![phrase(&node, renderer)],
    };
    if let (Some(first), Some(more)) = (lines.first_mut(), renderer.after.take()) {
        first.push_str(&more);
    }
    renderer.owner = owner;
    (renderer.before, renderer.after) = (before, after);
    renderer.locals.truncate(locals);
    let whole = renderer.gaps.len() == gaps;
    renderer.gaps.truncate(gaps);
    let lines: Vec<String> = lines.iter().map(|line| plain(line, renderer)).collect();
    let (text, modes) = lines.split_first()?;
    let modes = if site.modes.is_some_and(|(count, _)| usize::from(count) == modes.len()) { modes } else { &[] };
    let shown = whole && !text.is_empty() && !lines.iter().any(|line| line.chars().any(|c| c.is_control() || c == '⟦'));
    shown.then(|| (text.clone(), modes.to_vec()))
}

/// A line without marks and its end.
fn plain(line: &str, renderer: &Renderer<'_>) -> String {
    let bullet = renderer.style("bullet");
    let line = line.strip_prefix(bullet).filter(|_| !bullet.is_empty()).unwrap_or(line);
    let line = renderer.finished(line);
    let end = renderer.style("end");
    let line = line.strip_suffix(end).filter(|_| !end.is_empty()).unwrap_or(&line);
    line.trim_end_matches(['—', ' ', ':', '：']).to_owned()
}

/// A selection. How many of them is told beside it, where that is no plain number.
fn phrase(node: &TextNode, renderer: &mut Renderer<'_>) -> String {
    let mut node = node.clone();
    let quantifier = node.kid(0).clone();
    let targets = !renderer.style("target").is_empty();
    // what has no name in the language is a target
    let unnamed = renderer.lexicon.name(&node.kid(1).text).and_then(|forms| forms.first()).is_some_and(String::is_empty);
    if let (true, Some(head)) = (unnamed, node.kids.get_mut(1)) {
        head.text = "_target".into();
    }
    let plain = quantifier.text.strip_prefix("target").filter(|_| targets);
    let text = match plain.unwrap_or(&quantifier.text) {
        "" => "exactly",
        "_up_to" => "up_to",
        "_range" => "range",
        other => other,
    };
    let counted = quantifier.kids.iter().all(|count| count.kind == TextNodeKind::Number);
    if !counted {
        if let Some(slot) = node.kids.first_mut() {
            *slot = TextNode::nil();
        }
        return renderer.slot(&node, ":plural");
    }
    if let Some(slot) = node.kids.first_mut() {
        slot.text = text.into();
    }
    renderer.text(&node)
}

/// What is said of the subject, said to the subject; none if the player whose text it is would be taken for the one who is asked.
fn addressed(node: &TextNode, subject: &TextNode) -> Option<TextNode> {
    let you = TextNode::word("you", subject.span);
    if subject.is_word("you") {
        return Some(node.clone());
    }
    if subject.is_word("opponent") {
        let other = TextNode::word("_other", subject.span);
        let opponent = TextNode::word("opponent", subject.span);
        return Some(node.with("you", &other).with("opponent", &you).with("_other", &opponent));
    }
    if node.mentions("you") {
        return None;
    }
    let each = subject.kind == TextNodeKind::Phrase && subject.kid(0).text == "each";
    let made = exchanged(node, subject, &you);
    Some(if each { made.with("player", &you) } else { made })
}

/// A text in which one part takes the place of another, wherever that stands.
fn exchanged(node: &TextNode, old: &TextNode, new: &TextNode) -> TextNode {
    if same(node, old) {
        return new.clone();
    }
    let kids = node.kids.iter().map(|kid| exchanged(kid, old, new)).collect();
    TextNode { kids, ..node.clone() }
}

/// Whether two texts are the same, wherever they stand.
fn same(one: &TextNode, other: &TextNode) -> bool {
    one.kind == other.kind
        && one.text == other.text
        && one.kids.len() == other.kids.len()
        && one.kids.iter().zip(&other.kids).all(|(one, other)| same(one, other))
}
