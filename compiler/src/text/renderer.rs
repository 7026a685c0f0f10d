//! The state of rendering the texts of one card: what is printed so far, the names that the text binds, limits and gaps.
//!
//! The sentences are written by [`render`](super::render) and the grammars of the languages, as methods.

use super::lexicon::Lexicon;
use super::normalize::Builder;
use super::tree::TextNode;
use crate::sources::Sources;
use fizzle_grammar::ast::{Card, Span};
use fizzle_ir::AbilityText;
use smol_str::SmolStr;

/// The grammar of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// English.
    English,
    /// Japanese.
    Japanese,
}

/// How an event is phrased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Mood {
    /// "it dies"
    Happens,
    /// "it would die"
    Would,
    /// "it can't die"
    Cannot,
}

/// A name that a statement of the text binds.
#[derive(Clone, Debug)]
pub(in crate::text) struct TextLocal {
    pub name: SmolStr,
    /// The value that it is bound to.
    pub value: TextNode,
    /// `Some`: a mention renders the value in full, each time (`false`) or the first time only (`true`). `None`: it refers back to the
    /// value.
    pub inline: Option<bool>,
    /// Whether it is several things.
    pub is_plural: bool,
}

/// Renders the texts of one card in one language.
pub struct Renderer<'a> {
    pub(in crate::text) lexicon: &'a Lexicon,
    pub(in crate::text) builder: Builder<'a>,
    pub(in crate::text) sources: &'a Sources,
    pub(in crate::text) grammar: Grammar,
    /// The words that the card prints.
    pub(in crate::text) words: Vec<SmolStr>,
    /// What the card does when it resolves. A prohibition that follows from it is not printed.
    pub(in crate::text) effects: Vec<TextNode>,
    /// The name of the card in this language.
    pub name: String,
    pub(in crate::text) locals: Vec<TextLocal>,
    /// The names that actions have given to several things, and these actions.
    pub(in crate::text) done: Vec<(SmolStr, SmolStr)>,
    /// The statuses by which the text has selected things, and done something with them: others with the status are the rest.
    pub(in crate::text) taken: Vec<SmolStr>,
    /// The nouns of which the text has counted several choices: `the first creature`.
    pub(in crate::text) counted_nouns: Vec<SmolStr>,
    /// The name of the several things that the text has mentioned last.
    pub(in crate::text) last_list: Option<SmolStr>,
    /// The possessive of a zone without a written owner: that of the subject.
    pub(in crate::text) implied_owner: Option<String>,
    /// The object of the event that the ability waits for.
    pub(in crate::text) event_object: Option<TextNode>,
    /// Whether that is the card itself, in an event that names another thing: `it` would be read as the other one.
    pub(in crate::text) is_it_this: bool,
    /// Whether a target of the current sentence is announced before an earlier one: `it` would be what that one is about.
    pub(in crate::text) names_targets_behind: bool,
    /// Sentences to print before the current one.
    pub(in crate::text) leading_sentences: Vec<String>,
    /// Text to print behind it.
    pub(in crate::text) trailing_text: Option<String>,
    /// A sentence to print at the end of the ability.
    pub(in crate::text) last_sentence: Option<String>,
    /// Whether another sentence follows the statement that is being rendered: an end moved to its beginning would be read as covering that one.
    pub(in crate::text) has_next: bool,
    pub(in crate::text) mood: Mood,
    /// Whether a computed number may be printed in [`Self::trailing_text`], and as `X` in its place.
    pub(in crate::text) allows_trailing_text: bool,
    /// Whether kinds are joined by `and`: all things of several kinds, as `artifacts and creatures`.
    pub(in crate::text) joins_kinds_by_and: bool,
    /// Whether an effect on all things of a kind is phrased as one on each of them.
    pub(in crate::text) marks_each: bool,
    /// Whether the selection to be rendered next is moved, so that its zone is where it comes from: `a card from your hand`.
    pub(in crate::text) is_moved: bool,
    /// Whether it is the text of a token, quoted in the text of a card.
    pub(in crate::text) is_quoted: bool,
    /// Reminders of the keywords that an ability mentions, printed in brackets behind it.
    pub(in crate::text) reminders: Vec<String>,
    /// The number of [`Self::reminders`] that have been printed.
    pub(in crate::text) reminders_printed: usize,
    /// The parts that no template covers.
    pub gaps: Vec<Span>,
    /// The texts of the abilities that [`Self::card_lines`] has rendered, each alone.
    pub ability_texts: Vec<AbilityText>,
    /// The nesting of the part that is being rendered.
    pub(in crate::text) depth: usize,
    /// The bytes and nodes that may still be rendered, see [`MAX_TEXT_WORK`].
    pub(in crate::text) work_left: usize,
}

/// Maximum nesting of a text. It ends keywords that stand for each other.
pub(in crate::text) const MAX_DEPTH: usize = 60;

/// The greatest work to render the text of one card: the bytes of all its parts, and [`NODE_WORK`] for each part. Then parts are gaps.
///
/// Templates can repeat their holes, so that a text can grow exponentially with its nesting.
const MAX_TEXT_WORK: usize = 1 << 17;

/// The work for the texts of all cards of a game in one language. What one card does not need, later ones have.
const MAX_TEXT_WORK_OF_GAME: usize = 1 << 25;

/// The work for a text that any card has, also one of thirty thousand behind others that use up the work of the game.
const MIN_TEXT_WORK: usize = 1 << 12;

/// The work for a text of a format in addition to that of its parts.
const FORMAT_TEXT_WORK: usize = 1 << 7;

/// The work that is left for the texts of further cards.
pub(in crate::text) struct TextWork {
    left: usize,
    /// The work that a card has although none is left.
    min: usize,
    /// The work for each text in addition to that of its parts.
    cost: usize,
}

impl TextWork {
    /// The work of a game. Beyond it, long texts have gaps.
    pub(in crate::text) fn of_game() -> Self {
        Self { left: MAX_TEXT_WORK_OF_GAME, min: MIN_TEXT_WORK, cost: 0 }
    }

    /// The work for the texts that all formats of a game render again. Beyond it, they are an error.
    pub(in crate::text) fn of_formats(limit: usize) -> Self {
        Self { left: limit, min: 0, cost: FORMAT_TEXT_WORK }
    }

    /// Whether none is left.
    pub(in crate::text) fn is_used_up(&self) -> bool {
        self.left == 0
    }

    /// The work of one card.
    fn of_card(&self) -> usize {
        self.left.clamp(self.min, MAX_TEXT_WORK)
    }

    /// Lets a renderer use the work that is left to one card.
    pub(in crate::text) fn give(&self, renderer: &mut Renderer<'_>) {
        renderer.work_left = self.of_card();
    }

    /// Takes back what a renderer has not used.
    pub(in crate::text) fn take_back(&mut self, renderer: &Renderer<'_>) {
        let used = self.of_card().saturating_sub(renderer.work_left);
        self.left = self.left.saturating_sub(used + self.cost);
    }
}

/// The work of a part of a text, in bytes.
const NODE_WORK: usize = 16;

/// The work for each pair of parts of a list, in bytes.
const SEARCH_WORK: usize = 4;

/// The greatest number of nodes of a value that is written in the place of its name, and of the part in which it is written. A chain of values that
/// use each other twice would double the text with each link.
pub(in crate::text) const MAX_INLINE_WEIGHT: usize = 128;

/// The greatest number of gaps of a card that are recorded.
const MAX_GAPS: usize = 1000;

/// The greatest number of characters of a gap that are shown.
const MAX_GAP_CHARS: usize = 500;

impl<'a> Renderer<'a> {
    /// Creates the renderer of a card that prints these words.
    #[must_use]
    pub fn new(lexicon: &'a Lexicon, builder: Builder<'a>, sources: &'a Sources, grammar: Grammar, words: Vec<SmolStr>) -> Self {
        Self {
            lexicon,
            builder,
            sources,
            grammar,
            words,
            effects: Vec::new(),
            name: String::new(),
            locals: Vec::new(),
            done: Vec::new(),
            taken: Vec::new(),
            counted_nouns: Vec::new(),
            last_list: None,
            implied_owner: None,
            event_object: None,
            is_it_this: false,
            names_targets_behind: false,
            leading_sentences: Vec::new(),
            trailing_text: None,
            last_sentence: None,
            has_next: false,
            mood: Mood::Happens,
            allows_trailing_text: false,
            joins_kinds_by_and: false,
            marks_each: false,
            is_moved: false,
            is_quoted: false,
            reminders: Vec::new(),
            reminders_printed: 0,
            gaps: Vec::new(),
            ability_texts: Vec::new(),
            depth: 0,
            work_left: MAX_TEXT_WORK,
        }
    }

    pub(in crate::text) fn style(&self, name: &str) -> &'a str {
        let lexicon: &'a Lexicon = self.lexicon;
        lexicon.style(name).unwrap_or("")
    }

    pub(in crate::text) fn is_japanese(&self) -> bool {
        self.grammar == Grammar::Japanese
    }

    /// Records a part that no template covers, and returns its source text in ⟦ ⟧.
    ///
    /// A long source text is cut.
    pub(in crate::text) fn gap(&mut self, node: &TextNode) -> String {
        self.add_gaps(&[node.span]);
        // Nothing more is rendered, so that many gaps are short.
        if self.work_left == 0 {
            return "⟦…⟧".to_owned();
        }
        let source = self.sources.slice(node.span);
        let shown = source.char_indices().nth(MAX_GAP_CHARS).map_or(source, |(end, _)| source.get(..end).unwrap_or(""));
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        if shown.len() < source.len() { format!("⟦{words} …⟧") } else { format!("⟦{words}⟧") }
    }

    /// Records gaps, up to [`MAX_GAPS`].
    pub(in crate::text) fn add_gaps(&mut self, spans: &[Span]) {
        let free = MAX_GAPS.saturating_sub(self.gaps.len());
        self.gaps.extend(spans.iter().take(free));
    }

    /// Counts the text of another card that is part of this one. Returns whether it may be rendered.
    pub(in crate::text) fn may_render_card(&mut self, card: &Card) -> bool {
        self.may_render((card.facts.len() + card.abilities.len()) * NODE_WORK)
    }

    /// Renders something without effect on what is rendered later: names keep their first mention, and no sentence or note is added.
    pub(in crate::text) fn preview<T>(&mut self, render: impl FnOnce(&mut Self) -> T) -> T {
        let (locals, gaps, reminders) = (self.locals.clone(), self.gaps.len(), self.reminders.len());
        let (leading, trailing, counted) =
            (self.leading_sentences.clone(), self.trailing_text.clone(), self.counted_nouns.clone());
        let last_list = self.last_list.clone();
        let rendered = render(self);
        self.last_list = last_list;
        self.counted_nouns = counted;
        (self.locals, self.leading_sentences, self.trailing_text) = (locals, leading, trailing);
        self.gaps.truncate(gaps);
        self.reminders.truncate(reminders);
        rendered
    }

    /// Counts the search for entries in a list of parts: each part begins a search among all that follow. Returns whether the list may be rendered.
    pub(in crate::text) fn may_render_list(&mut self, parts: usize) -> bool {
        self.may_render(parts.saturating_mul(parts).saturating_mul(SEARCH_WORK))
    }

    /// Counts a rendered text. Returns whether more may be rendered.
    pub(in crate::text) fn may_render(&mut self, bytes: usize) -> bool {
        self.work_left = self.work_left.saturating_sub(bytes + NODE_WORK);
        self.work_left > 0
    }
}
