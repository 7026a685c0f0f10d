//! Lowers one independent item (a card, deck or scenario) with the kept declarations, and returns its result.

use crate::diagnostics::Diagnostic;
use crate::limits::{self, MAX_GAME_OPERATIONS, MAX_REPEATED_ENTRIES};
use crate::lints;
use crate::lower::{Lowering, LoweringSnapshot};
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{Card, Head, Item, ItemKind, Name, Span};
use fizzle_ir::{Ability, AbilityKind, ActionId, ChoiceSite, Deck, KeywordId};
use smol_str::SmolStr;

/// The result of lowering one item.
#[derive(Clone, Debug, Default)]
pub struct ItemResult {
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Places where `opponent` is a single player.
    pub single_opponents: Vec<Span>,
    /// The actions of its clauses about declarations, and where.
    pub clause_actions: Vec<(Span, ActionId)>,
    /// Actions of its `declare` statements.
    pub declared_actions: Vec<ActionId>,
    /// The first place of a choice or payment during an announcement.
    pub first_value: Option<Span>,
    /// The keywords that it has or grants, with their arguments.
    pub keyword_bundles: Vec<(KeywordId, Vec<i32>)>,
    /// Words of open trait sets that it mentions and that no card prints.
    pub words: Vec<(usize, SmolStr)>,
    /// The deck, if it is one.
    pub deck: Option<Deck>,
    /// Actions that its own code proposes.
    pub proposed_actions: Vec<usize>,
    /// Zones that its own code fills.
    pub filled_zones: Vec<usize>,
    /// Actions that its triggers have as events, and where.
    pub awaited_actions: Vec<(usize, Span)>,
    /// The names of its activated abilities.
    pub ability_names: Vec<String>,
    /// The verbs of its steps, if it is a scenario.
    pub scripted_verbs: Vec<Name>,
    /// The choices of its abilities that an announcement policy may include.
    pub announceable_choices: Vec<AnnounceableChoice>,
    /// What counts for the limits of the game.
    pub work: LoweringWork,
    /// Whether it was not lowered, since the game exceeded a limit before.
    pub is_skipped: bool,
}

impl ItemResult {
    /// Whether a limit of the whole game was reported.
    #[must_use]
    pub fn reports_game_limit(&self) -> bool {
        self.diagnostics.iter().any(limits::is_of_game)
    }
}

/// What lowering counts for the limits of a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoweringWork {
    /// The number of operations.
    pub operations: u64,
    /// The size of the named positions that scenarios repeat, in entries.
    pub repeated_entries: usize,
}

impl LoweringWork {
    /// What was counted so far.
    #[must_use]
    pub fn of(lower: &Lowering<'_>) -> Self {
        Self { operations: lower.operations, repeated_entries: lower.repeated_entries }
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            operations: self.operations - before.operations,
            repeated_entries: self.repeated_entries - before.repeated_entries,
        }
    }

    /// The diagnostic of a game that exceeds a limit, at the item that leads to it.
    #[must_use]
    pub fn diagnostic(self, span: Span) -> Diagnostic {
        let is_of_operations = self.operations > MAX_GAME_OPERATIONS;
        if is_of_operations { limits::too_many_operations(span) } else { limits::too_many_repeated_entries(span) }
    }

    /// Whether a game exceeds a limit.
    #[must_use]
    pub fn is_too_much(self) -> bool {
        self.operations > MAX_GAME_OPERATIONS || self.repeated_entries > MAX_REPEATED_ENTRIES
    }
}

impl std::iter::Sum for LoweringWork {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |sum, one| Self {
            operations: sum.operations + one.operations,
            repeated_entries: sum.repeated_entries + one.repeated_entries,
        })
    }
}

/// A choice of an ability that can be made on announcement.
#[derive(Clone, Debug)]
pub struct AnnounceableChoice {
    /// The words that make the choice.
    pub span: Span,
    /// Its attributes, which announcement policies read.
    pub site: ChoiceSite,
    /// The number of its ability in the item.
    pub ability: usize,
    /// Whether the ability is a paragraph of the text of a card.
    pub is_paragraph: bool,
}

/// Whether an item is lowered independently: a card, deck, scenario or stage.
#[must_use]
pub fn is_independent(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Card(_) | ItemKind::Deck(_) | ItemKind::Scenario(_) | ItemKind::Stage(_))
}

/// The names that an independent item adds to the name table: cards, faces and decks.
#[must_use]
pub fn declarations_of(item: &Item) -> Vec<(&SmolStr, ItemDeclaration<'_>)> {
    match &item.kind {
        ItemKind::Card(card) => {
            let faces = card.faces.iter().map(|face| (&face.card.name.text, ItemDeclaration::Card(&face.card, true)));
            std::iter::once((&card.name.text, ItemDeclaration::Card(card, false))).chain(faces).collect()
        }
        ItemKind::Deck(deck) => vec![(&deck.name.text, ItemDeclaration::Deck(deck.name.span))],
        _ => Vec::new(),
    }
}

/// The declaration of a name by an independent item.
#[derive(Clone, Copy, Debug)]
pub enum ItemDeclaration<'a> {
    /// A card; the flag: whether it is a face of another card.
    Card(&'a Card, bool),
    /// A deck; the place of its name.
    Deck(Span),
}

/// The trait set number of quoted names in unparsed text of a card, since their trait set is unknown.
pub const UNPARSED_SET: usize = usize::MAX;

/// The words of open trait sets that a card prints, and the quoted names in its unparsed text.
#[must_use]
pub fn printed_words(item: &Item, names: &NameTable<'_>) -> Vec<(usize, SmolStr)> {
    let ItemKind::Card(card) = &item.kind else { return Vec::new() };
    let mut words: Vec<(usize, SmolStr)> = card.unread.iter().flatten().map(|word| (UNPARSED_SET, word.clone())).collect();
    for fact in card.facts.iter().chain(card.faces.iter().flat_map(|face| &face.card.facts)) {
        let set = names.meanings(&fact.word.text).iter().find_map(|meaning| match meaning {
            Meaning::Traits(id) => Some(id.index()),
            _ => None,
        });
        let open = |set: &usize| names.traits.get(*set).is_some_and(|set| set.words.is_none());
        if let (Some(set), Some(value)) = (set.filter(open), &fact.value)
            && let Some(phrase) = crate::phrase_syntax::as_phrase(value)
            && let Head::Quoted(name) = &phrase.head
        {
            words.push((set, name.text.clone()));
        }
    }
    words
}

/// The game of a deck or scenario.
#[derive(Clone, Copy, Debug)]
pub struct GameContext<'s> {
    /// The name of the game.
    pub game: &'s str,
    /// The names of its formats.
    pub formats: &'s [SmolStr],
}

/// Lowers an item. Other items that are lowered with the same tables do not affect the result.
pub fn lower<'a>(lower: &mut Lowering<'a>, kept: &LoweringSnapshot, item: &'a Item, setting: GameContext<'_>) -> ItemResult {
    let known = lower.keyword_bundles.len();
    let before = LoweringWork::of(lower);
    let (functions, abilities) = (lower.library.functions.len(), lower.library.abilities.len());
    let mut deck = None;
    match &item.kind {
        ItemKind::Card(_) => {
            for (name, declared) in declarations_of(item) {
                let ItemDeclaration::Card(card, _) = declared else { continue };
                let registered = lower.names.cards.get(name).copied().flatten();
                if registered.is_some_and(|registered| std::ptr::eq(registered, card)) {
                    lower.card(card);
                }
            }
        }
        ItemKind::Deck(written) => deck = Some(lower.deck(written, setting.game, setting.formats)),
        ItemKind::Scenario(written) => {
            lower.scenario(written, setting.game, setting.formats);
        }
        ItemKind::Stage(written) => {
            lower.outside_of_rules(item.span, |lower| lower.stage(written, setting.game, setting.formats));
        }
        _ => {}
    }
    let mut words = Vec::new();
    for (set, (now, before)) in lower.words.iter_mut().zip(&kept.words).enumerate() {
        words.extend(now.keys().skip(before.len()).map(|word| (set, word.clone())));
        if now.len() > before.len() {
            now.clone_from(before);
        }
    }
    lower.funs.clear();
    let code = lower.library.functions.entries_from(functions);
    let (done, filled) = (lints::proposed_actions(code), lints::filled_zones(code));
    ItemResult {
        diagnostics: std::mem::take(&mut lower.diagnostics),
        single_opponents: std::mem::take(&mut lower.single_opponents).into_iter().collect(),
        clause_actions: std::mem::take(&mut lower.clause_actions).into_iter().collect(),
        declared_actions: std::mem::take(&mut lower.declared_actions).into_iter().collect(),
        first_value: lower.first_value.take(),
        keyword_bundles: lower.keyword_bundles.keys().skip(known).cloned().collect(),
        words,
        deck,
        proposed_actions: done.into_iter().collect(),
        filled_zones: filled.into_iter().collect(),
        awaited_actions: std::mem::take(&mut lower.awaited_actions),
        ability_names: activated_names(lower.library.abilities.entries_from(abilities)),
        scripted_verbs: std::mem::take(&mut lower.scripted_verbs),
        announceable_choices: announceable_choices(lower, abilities),
        work: LoweringWork::of(lower).since(before),
        is_skipped: false,
    }
}

/// The choices of the abilities from a number on that can be made on announcement.
fn announceable_choices(lower: &Lowering<'_>, abilities: usize) -> Vec<AnnounceableChoice> {
    let library = &lower.library;
    let mut found = Vec::new();
    for (number, ability) in library.abilities.entries_from(abilities).iter().enumerate() {
        if !ability.kind.is_announced() {
            continue;
        }
        let bodies = ability.kind.bodies();
        for id in fizzle_ir::choice_sites(bodies.iter().filter_map(|body| library.functions.get(body.index()))) {
            let Some(site) = library.sites.get(id.index()).filter(|site| site.announceable) else { continue };
            let Some(span) = lower.choice_spans.get(&id.0) else { continue };
            let is_paragraph = matches!(ability.kind, AbilityKind::Paragraph { .. });
            found.push(AnnounceableChoice { span: *span, site: site.clone(), ability: number, is_paragraph });
        }
    }
    found
}

/// The names of activated abilities.
#[must_use]
pub fn activated_names(abilities: &[Ability]) -> Vec<String> {
    let label = |ability: &Ability| match &ability.kind {
        AbilityKind::Activated { play } => Some(play.name.clone()),
        _ => None,
    };
    abilities.iter().filter_map(label).collect()
}
