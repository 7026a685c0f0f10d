//! Renders prompts: the text that a player is shown at a choice, phrased for the player who chooses, from the same tree as the rules
//! texts. A choice that cannot be rendered completely has no prompt.

use super::cards_by_word::CardsByWord;
use super::format_items::text_items_of;
use super::lexicon::parse_entries;
use super::normalize::{BINDING, Builder, MAY, SUBJECT};
use super::pattern_match::{LexiconTable, ParsedEntry};
use super::prompt_context::{bind_element, bind_parameters, parameters, replace_unrendered_filters, use_of_choice};
use super::tree::equal_ignoring_spans;
use super::tree::{TextNode, TextNodeKind};
use crate::names::NameTable;
use crate::sources::Sources;
use crate::text::inputs::{LANGUAGES, build_lexicon, cards_of, collect_keywords};
use crate::text::printed_words::{printed_words, quoted_words};
use crate::text::renderer::{Grammar, Renderer, TextLocal};
use fizzle_grammar::ast::{Card, DifferenceKind, Item, ItemKind, Play, Span, TextItem, TurnEntry};
use fizzle_grammar::hidden_characters::first_hidden;
use fizzle_ir::{ChoiceSite, Chooser, Prompt, Texts};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The place of each choice site of a library in the source, by its number.
pub type ChoiceSpans = BTreeMap<u32, Span>;

/// A text that contains choices, and the card that prints it.
struct PromptRoot {
    words: Vec<SmolStr>,
    name: String,
    node: TextNode,
    /// Whether the active player is the player whose text it is.
    is_for_active_player: bool,
    /// The names of its parameters, each with its type.
    params: Vec<(SmolStr, SmolStr)>,
    /// Whether prompts state the purpose of a choice, because no card text shows it.
    states_purposes: bool,
}

impl PromptRoot {
    /// A text of the rules.
    fn of_rules(node: TextNode) -> Self {
        Self {
            words: Vec::new(),
            name: String::new(),
            node,
            is_for_active_player: false,
            params: Vec::new(),
            states_purposes: false,
        }
    }

    /// A text of the rules with parameters.
    fn with_params(params: &[(SmolStr, SmolStr)], node: TextNode) -> Self {
        Self { params: params.to_vec(), ..Self::of_rules(node) }
    }

    /// A text of the rules that no player begins, such as a state rule.
    fn of_automatic_rule(node: TextNode) -> Self {
        Self { states_purposes: true, ..Self::of_rules(node) }
    }

    /// A text of the turn.
    fn of_turn(node: TextNode) -> Self {
        Self { is_for_active_player: true, ..Self::of_automatic_rule(node) }
    }
}

/// Adds prompts to the texts of a game, for all of its choice sites that can be rendered.
pub fn prompts<'a>(
    items: &[&'a Item],
    names: &'a NameTable<'a>,
    sources: &'a Sources,
    sites: &[ChoiceSite],
    choice_spans: &ChoiceSpans,
    texts: &mut [Texts],
) {
    let base = collect_keywords(items);
    let known: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(quoted_words).collect();
    let cards = CardsByWord::new(names);
    let builder =
        Builder { names, is_pattern: false, quoted_words: Some(&known), keywords: Some(&base), cards_by_word: Some(&cards) };
    // the roots of the game, then those of each format that has text items, rendered with these
    let mut parts: Vec<(Vec<&TextItem>, Vec<PromptRoot>)> = vec![Default::default()];
    for item in items {
        let own: Vec<&TextItem> = text_items_of(item).collect();
        if !own.is_empty() {
            parts.push((own, Vec::new()));
            parts.last_mut().into_iter().for_each(|(_, roots)| item_roots(item, builder, roots));
        } else if let Some((_, roots)) = parts.first_mut() {
            item_roots(item, builder, roots);
        }
    }
    let mut places: BTreeMap<Span, Vec<u32>> = BTreeMap::new();
    for (site, span) in choice_spans {
        places.entry(*span).or_default().push(*site);
    }
    for language in LANGUAGES {
        let Some(texts) = texts.iter_mut().find(|texts| texts.language == language && texts.format.is_empty()) else { continue };
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut made = BTreeMap::new();
        let Some(base) = build_lexicon(language, items, builder) else { continue };
        for (own, roots) in &parts {
            let own = own.iter().filter(|text| text.language.text == language);
            let own: Vec<ParsedEntry> = own.flat_map(|text| parse_entries(text, builder)).collect();
            let lexicon = base.extended(&own);
            for root in roots {
                let mut renderer = Renderer::new(&lexicon, builder, sources, grammar, root.words.clone());
                let own = lexicon.name(&root.name).and_then(|forms| forms.first()).cloned();
                renderer.name = own.unwrap_or_else(|| root.name.clone());
                bind_parameters(&root.params, &mut renderer);
                let purposes = BTreeMap::new();
                let (active, bare) = (root.is_for_active_player, root.states_purposes);
                PromptBuilder {
                    places: &places,
                    sites,
                    is_for_active_player: active,
                    states_purposes: bare,
                    purposes,
                    made: &mut made,
                }
                .add_prompts(&root.node, None, &mut renderer);
            }
        }
        texts.prompts = made.into_values().collect();
    }
}

/// Collects the texts of an item. For a format: of everything that it adds or replaces.
fn item_roots(item: &Item, builder: Builder<'_>, roots: &mut Vec<PromptRoot>) {
    match &item.kind {
        ItemKind::Card(card) => card_roots(card, builder, roots),
        ItemKind::Keyword { abilities, params, .. } => {
            let params = parameters(params);
            roots.extend(abilities.iter().map(|ability| PromptRoot::with_params(&params, builder.ability(ability))));
        }
        ItemKind::Rule { abilities, .. } => {
            roots.extend(abilities.iter().map(|ability| PromptRoot::of_rules(builder.ability(ability))));
        }
        ItemKind::StateRule { body, .. } | ItemKind::Setup(body) => {
            roots.push(PromptRoot::of_automatic_rule(builder.block(body)))
        }
        ItemKind::Action(action) => {
            let params = parameters(&action.params);
            roots.extend(action.body.iter().map(|body| PromptRoot::with_params(&params, builder.block(body))));
        }
        ItemKind::Play(play) => {
            let params = parameters(&play.params);
            roots.extend(play_nodes(play, builder).into_iter().map(|node| PromptRoot::with_params(&params, node)));
        }
        ItemKind::Turn(entries) => roots.extend(turn_nodes(entries, builder).into_iter().map(PromptRoot::of_turn)),
        ItemKind::Format { differences, .. } => {
            for difference in differences {
                match &difference.kind {
                    DifferenceKind::Replace(inner) | DifferenceKind::Add(inner) => item_roots(inner, builder, roots),
                    DifferenceKind::ReplacePeriod { entries, .. } => {
                        roots.extend(turn_nodes(entries, builder).into_iter().map(PromptRoot::of_turn));
                    }
                    DifferenceKind::Insert { period: span, .. } => {
                        roots.extend(turn_nodes(&span.entries, builder).into_iter().map(PromptRoot::of_turn));
                    }
                    DifferenceKind::AppendLayout { .. }
                    | DifferenceKind::AppendRows { .. }
                    | DifferenceKind::ReplaceRows { .. } => {}
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
            let name = builder.names.scopes.printed_name(&card.name.text).to_string();
            roots.push(PromptRoot { words: printed_words(card), name, ..PromptRoot::of_rules(node) });
        }
    }
}

fn play_nodes(play: &Play, builder: Builder<'_>) -> Vec<TextNode> {
    let blocks = play.numbers.iter().chain(&play.cost).chain([&play.body]);
    blocks.map(|block| builder.block(block)).collect()
}

fn turn_nodes(entries: &[TurnEntry], builder: Builder<'_>) -> Vec<TextNode> {
    let mut made = Vec::new();
    let mut own = Vec::new();
    for entry in entries {
        match entry {
            TurnEntry::Period(span) => made.append(&mut turn_nodes(&span.entries, builder)),
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
    is_for_active_player: bool,
    states_purposes: bool,
    /// The purposes of choices, by their places in the source.
    purposes: BTreeMap<Span, TextNode>,
    made: &'m mut BTreeMap<u32, Prompt>,
}

impl PromptBuilder<'_> {
    /// Renders prompts for all choices in a text. `subject` is the subject of the enclosing statement.
    fn add_prompts(&mut self, node: &TextNode, subject: Option<&TextNode>, renderer: &mut Renderer<'_>) {
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
                    && let Some((text, modes)) = self.choice_prompt(node, about, subject, renderer)
                {
                    self.made.insert(*site, Prompt { site: *site, text, modes });
                }
            }
        }
        let before = renderer.locals.len();
        match node.kind {
            TextNodeKind::ForEach => bind_element(node, renderer),
            TextNodeKind::Block if self.states_purposes => {
                let mut rest = node.kids.as_slice();
                while let Some((statement, after)) = rest.split_first() {
                    self.purposes.extend(use_of_choice(statement, after.first()));
                    rest = after;
                }
            }
            _ => {}
        }
        node.kids.iter().for_each(|kid| self.add_prompts(kid, subject, renderer));
        // a name is known to the statements behind it in its block
        match node.kind {
            TextNodeKind::Block | TextNodeKind::ForEach => renderer.locals.truncate(before),
            TextNodeKind::Let => bind_name(node.kid(0), node.kid(1), renderer),
            TextNodeKind::Do if !node.kid(BINDING).is_nil() => {
                bind_name(node.kid(BINDING), node.kid(super::normalize::OPERANDS), renderer);
            }
            _ => {}
        }
    }

    /// The prompt of a choice: with its purpose if that is known, else as written, else with the filters that can be rendered.
    fn choice_prompt(
        &self,
        node: &TextNode,
        site: &ChoiceSite,
        subject: Option<&TextNode>,
        renderer: &mut Renderer<'_>,
    ) -> Option<(String, Vec<String>)> {
        let whole = self.purposes.get(&node.span).filter(|_| node.kind == TextNodeKind::Phrase);
        whole
            .and_then(|whole| prompt_text(whole, site, subject, self.is_for_active_player, renderer))
            .or_else(|| prompt_text(node, site, subject, self.is_for_active_player, renderer))
            .or_else(|| {
                let fitting = replace_unrendered_filters(node, renderer);
                prompt_text(&fitting, site, subject, self.is_for_active_player, renderer)
            })
    }
}

/// Binds a name to a value.
fn bind_name(name: &TextNode, value: &TextNode, renderer: &mut Renderer<'_>) {
    let plural = renderer.is_plural(value);
    renderer.locals.push(TextLocal { name: name.text.clone(), value: value.clone(), inline: None, is_plural: plural });
}

/// Renders a choice for its chooser. `None` if it cannot be rendered completely.
fn prompt_text(
    node: &TextNode,
    site: &ChoiceSite,
    subject: Option<&TextNode>,
    active: bool,
    renderer: &mut Renderer<'_>,
) -> Option<(String, Vec<String>)> {
    let (node, foreign) = match site.chooser {
        Chooser::Controller if active => (address_chooser(node, &TextNode::word("active", node.span))?, false),
        Chooser::Controller => (node.clone(), false),
        Chooser::Player(_) => (address_chooser(node, subject?)?, true),
    };
    let (gaps, locals) = (renderer.gaps.len(), renderer.locals.len());
    let (before, after) = (std::mem::take(&mut renderer.leading_sentences), renderer.trailing_text.take());
    let yours = if renderer.is_japanese() { renderer.style("your") } else { "your" };
    let owner = foreign.then(|| yours.to_owned()).filter(|yours| !yours.is_empty());
    let owner = std::mem::replace(&mut renderer.implied_owner, owner);
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
        _ => vec![selection_text(&node, renderer)],
    };
    if let (Some(first), Some(more)) = (lines.first_mut(), renderer.trailing_text.take()) {
        first.push_str(&more);
    }
    renderer.implied_owner = owner;
    (renderer.leading_sentences, renderer.trailing_text) = (before, after);
    renderer.locals.truncate(locals);
    let whole = renderer.gaps.len() == gaps;
    renderer.gaps.truncate(gaps);
    let lines: Vec<String> = lines.iter().map(|line| strip_marks(line, renderer)).collect();
    let (text, modes) = lines.split_first()?;
    let modes = if site.modes.is_some_and(|(count, _)| usize::from(count) == modes.len()) { modes } else { &[] };
    let shown = whole && !text.is_empty() && !lines.iter().any(|line| line.contains('⟦') || first_hidden(line).is_some());
    shown.then(|| (text.clone(), modes.to_vec()))
}

/// A line without its bullet and its end.
fn strip_marks(line: &str, renderer: &Renderer<'_>) -> String {
    let bullet = renderer.style("bullet");
    let line = line.strip_prefix(bullet).filter(|_| !bullet.is_empty()).unwrap_or(line);
    let line = renderer.finish_line(line);
    let end = renderer.style("end");
    let line = line.strip_suffix(end).filter(|_| !end.is_empty()).unwrap_or(&line);
    line.trim_end_matches(['—', ' ', ':', '：']).to_owned()
}

/// Renders a selection. A count that is not a literal number is left out: the decision contains the number.
fn selection_text(node: &TextNode, renderer: &mut Renderer<'_>) -> String {
    let mut node = node.clone();
    let quantifier = node.kid(0).clone();
    let targets = !renderer.style("target").is_empty();
    // a kind without a name in the language is called a target
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

/// Rewrites a text about the subject so that it addresses the subject. `None` if it mentions `you`: the player whose text it is would be
/// taken for the chooser.
fn address_chooser(node: &TextNode, subject: &TextNode) -> Option<TextNode> {
    let you = TextNode::word("you", subject.span);
    if subject.is_word("you") {
        return Some(node.clone());
    }
    if subject.is_word("opponent") {
        let other = TextNode::word("_other", subject.span);
        let opponent = TextNode::word("opponent", subject.span);
        return Some(node.replace_word("you", &other).replace_word("opponent", &you).replace_word("_other", &opponent));
    }
    if node.mentions("you") {
        return None;
    }
    let each = subject.kind == TextNodeKind::Phrase && subject.kid(0).text == "each";
    let made = replace_part(node, subject, &you);
    Some(if each { made.replace_word("player", &you) } else { made })
}

/// A copy in which every occurrence of one part is replaced by another.
fn replace_part(node: &TextNode, old: &TextNode, new: &TextNode) -> TextNode {
    if equal_ignoring_spans(node, old) {
        return new.clone();
    }
    let kids = node.kids.iter().map(|kid| replace_part(kid, old, new)).collect();
    TextNode { kids, ..node.clone() }
}
