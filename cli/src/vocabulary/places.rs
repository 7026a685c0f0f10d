//! Finds where a game declares and uses its names. Reads the syntax tree and the name tables only, so it works for sources with errors.

use super::shorten;
use fizzle_compiler::Sources;
use fizzle_compiler::packs::is_fixture_path;
use fizzle_compiler::session::Game;
use fizzle_grammar::ast::{DifferenceKind, Item, ItemKind, Span};
use fizzle_grammar::visit::{DeclKind, NameRole};
use fizzle_lsp::name_index::{NameUse, Occurrence, collect_names};
use fizzle_lsp::resolve::{Target, resolve_occurrence};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// The most lines of a comment that are read as the meaning of a word.
const MAX_COMMENT_LINES: usize = 20;

/// The declarations and uses of a target.
#[derive(Default)]
pub struct Places<'a> {
    /// Where it is declared, or replaced by a format.
    pub declared: Vec<DeclarationSite<'a>>,
    /// Where it is used.
    pub used: Vec<UseSite>,
}

/// A declaration of a target, or its replacement by a format.
pub struct DeclarationSite<'a> {
    /// The item, or the difference inside of a format.
    pub item: &'a Item,
    /// The format that contains it, if any.
    pub format: Option<&'a str>,
    /// The location of the name.
    pub at: Span,
}

/// A use of a target.
pub struct UseSite {
    /// The location of the name.
    pub at: Span,
    /// Whether it is a printed fact of a card, such as a keyword or property.
    pub printed: bool,
    /// The card that contains it, if any.
    pub card: Option<SmolStr>,
    /// Whether it is in the words of rules texts, which show no use of the name.
    pub in_text: bool,
}

/// Finds the places of one target.
pub fn find_places<'a>(game: &Game<'a>, sources: &Sources, wanted: &Target) -> Places<'a> {
    let mut places = Places::default();
    let Some(name) = wanted.name() else { return places };
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_inflected = matches!(wanted, Target::Global(DeclKind::Action | DeclKind::Play, _));
    // items whose text does not contain the stem of the word are skipped
    let length = last.chars().count();
    let stem: String = last.chars().take(if is_inflected { length.saturating_sub(1).max(1) } else { length }).collect();
    for (part, item) in game.items.iter().filter(|(_, item)| sources.slice(item.span).contains(stem.as_str())) {
        for_each_place(game, *part, item, |target, place| {
            if target == *wanted {
                places.add(place);
            }
        });
    }
    places
}

/// Finds the places of all targets that have a name in the whole game.
pub fn find_all_places<'a>(game: &Game<'a>) -> BTreeMap<Target, Places<'a>> {
    let mut all: BTreeMap<Target, Places<'a>> = BTreeMap::new();
    for (part, item) in &game.items {
        for_each_place(game, *part, item, |target, place| {
            if !matches!(target, Target::Local(..) | Target::Parameter(..)) {
                all.entry(target).or_default().add(place);
            }
        });
    }
    all
}

/// A place of a target.
enum Place<'a> {
    Declared(DeclarationSite<'a>),
    Used(UseSite),
}

impl<'a> Places<'a> {
    fn add(&mut self, place: Place<'a>) {
        match place {
            Place::Declared(site) => self.declared.push(site),
            Place::Used(site) => self.used.push(site),
        }
    }

    /// The best use for an example: a printed fact of a card, then any use on a card, then the first use. Cards that are made up for
    /// scenarios come after other cards, and a use in the words of rules texts is none.
    pub fn best_example(&self, sources: &Sources) -> Option<&UseSite> {
        let is_fixture = |place: &UseSite| is_fixture_path(sources.path(place.at.file));
        self.used
            .iter()
            .filter(|place| !place.in_text)
            .min_by_key(|place| (place.card.is_none(), is_fixture(place), !place.printed))
    }

    /// The cards that use the target, each once, in the order of their uses.
    pub fn cards(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.used.iter().filter_map(|place| place.card.as_deref()).filter(|card| seen.insert(*card)).collect()
    }
}

/// Visits the names of an item that have a target.
fn for_each_place<'a>(game: &Game<'a>, part: u32, item: &'a Item, mut visit: impl FnMut(Target, Place<'a>)) {
    let names = collect_names(item);
    for (index, name) in names.iter().enumerate() {
        let Some(target) = resolve_occurrence(game, part, name) else { continue };
        let at = Span { file: part, start: name.start, end: name.end };
        let place = if name.declares(index) || is_replacement(name) {
            let (item, format) = enclosing_difference(item, at);
            Place::Declared(DeclarationSite { item, format, at })
        } else {
            let card = match &item.kind {
                ItemKind::Card(card) => Some(card.name.text.clone()),
                _ => None,
            };
            let printed = matches!(&name.use_, NameUse::Role { role: NameRole::Fact, .. });
            let in_text = matches!(&item.kind, ItemKind::Text(_));
            Place::Used(UseSite { at, printed, card, in_text })
        };
        visit(target, place);
    }
}

/// Whether a format replaces the declaration here.
fn is_replacement(name: &Occurrence) -> bool {
    matches!(&name.use_, NameUse::Role { role: NameRole::Replaces(_), .. })
}

/// The difference that contains a location, and the name of the format; the item itself outside of formats.
fn enclosing_difference(item: &Item, at: Span) -> (&Item, Option<&str>) {
    let ItemKind::Format { name, differences, .. } = &item.kind else { return (item, None) };
    let within = differences.iter().find_map(|difference| match &difference.kind {
        DifferenceKind::Replace(inner) | DifferenceKind::Add(inner) => {
            (inner.span.start <= at.start && at.start < inner.span.end).then_some(&**inner)
        }
        _ => None,
    });
    (within.unwrap_or(item), Some(name.text.as_str()))
}

/// The doc comment of a declaration. A step, a word of a trait set and an item inside of a format have none; their comments on the same
/// line and above it are used.
pub fn docs(sources: &Sources, kind: DeclKind, place: &DeclarationSite<'_>) -> String {
    if !matches!(kind, DeclKind::Period | DeclKind::TraitWord) && place.format.is_none() {
        return place.item.docs.clone();
    }
    let text = sources.text(place.at.file);
    let before = text.get(..place.at.start as usize).unwrap_or("");
    let above = before.rfind('\n').and_then(|line| before.get(..line)).unwrap_or("");
    // of several words on a line, none owns the comment above
    let line_start = before.get(above.len()..).unwrap_or("").trim();
    let is_alone = kind != DeclKind::TraitWord || line_start.is_empty();
    let comments_above = above.rsplit('\n').map_while(|line| line.trim().strip_prefix("//")).take(MAX_COMMENT_LINES);
    let mut comments: Vec<&str> = comments_above.filter(|_| is_alone).collect();
    comments.reverse();
    let rest = text.get(place.at.end as usize..).and_then(|rest| rest.lines().next()).unwrap_or("");
    comments.extend(rest.split_once("//").map(|(_, comment)| comment).filter(|_| is_alone));
    comments.iter().map(|line| shorten(line.trim_start_matches('/').trim())).collect::<Vec<_>>().join("\n")
}

/// The file and line of a span.
pub fn location(sources: &Sources, at: Span) -> String {
    format!("{}:{}", sources.path(at.file), sources.place(at.file, at.start).line)
}

/// The line of a span, without its indentation and the brace at its end.
pub fn line_at(sources: &Sources, at: Span) -> &str {
    let text = sources.text(at.file);
    let before = text.get(..at.start as usize).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |line| line + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
    line.trim().trim_end_matches('{').trim()
}
