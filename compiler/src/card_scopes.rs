//! Scopes of the names of cards: which card a name means in the files of a pack.
//!
//! The packs of one game may declare cards, tokens and faces of the same name. Such a name is *contested*. In the files of a pack it means
//! the pack's own card, else that of the nearest pack that it extends or uses. In the game the card keeps its name if its pack builds on all
//! other packs that declare the name, or is a file without a manifest; else it is called `PACK.NAME`. Each card can be named `"PACK.NAME"`,
//! contested or not.
//!
//! Beyond [`MAX_PACKS`] and [`MAX_CONTESTANTS`] names are not separated: a card of the same name is then declared twice.

use crate::diagnostics::{Diagnostic, codes};
use crate::maps::IndexMap;
use fizzle_grammar::ast::{Card, Item, ItemKind, Name, Span};
use smol_str::{SmolStr, format_smolstr};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use typed_arena::Arena;

/// The most packs of a game whose names are separated. What each pack builds on is kept for all of them.
const MAX_PACKS: usize = 1024;

/// The most declarations of one name that are separated. They are compared with each other.
const MAX_CONTESTANTS: usize = 64;

/// The most spellings that a message lists.
const MAX_SPELLINGS: usize = 8;

/// A pack of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackScope {
    /// Its name; `None` without a manifest.
    pub name: Option<SmolStr>,
    /// The packs of the game that it extends or uses, by number.
    pub builds_on: Vec<usize>,
}

/// The packs of a game, and its contested names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardScopes {
    /// The packs. The root pack is number 0.
    pub packs: Vec<PackScope>,
    /// The number of the pack of each file.
    members: BTreeMap<u32, usize>,
    /// The contested names: for each pack that declares one, the name of its card in the game.
    contested: IndexMap<SmolStr, Vec<(usize, SmolStr)>>,
    /// The names without their packs of the cards that are called `PACK.NAME`.
    plain: BTreeMap<SmolStr, SmolStr>,
}

/// What a name of a card means in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardMeaning<'s> {
    /// The card of this name in the game, if there is one.
    Named(&'s str),
    /// One of several cards, by their names in the game.
    Ambiguous(Vec<&'s str>),
}

/// A declaration of a card, token or face.
struct Declaration<'i> {
    item: usize,
    pack: usize,
    card: &'i Card,
}

impl CardScopes {
    /// The packs of a game, and the pack of each of its files.
    #[must_use]
    pub fn new(packs: Vec<PackScope>, members: BTreeMap<u32, usize>) -> Self {
        Self { packs, members, contested: IndexMap::default(), plain: BTreeMap::new() }
    }

    /// The number of the pack of a file.
    #[must_use]
    pub fn pack_of(&self, file: u32) -> Option<usize> {
        self.members.get(&file).copied()
    }

    /// The names of the packs of two places, if they differ.
    #[must_use]
    pub fn different_packs(&self, one: Span, other: Span) -> Option<(&str, &str)> {
        let name = |span: Span| self.packs.get(self.pack_of(span.file)?)?.name.as_deref();
        Some((name(one)?, name(other)?)).filter(|(one, other)| one != other)
    }

    /// Records the pack of a file that was added.
    pub fn add_member(&mut self, file: u32, pack: usize) {
        self.members.insert(file, pack);
    }

    /// Whether packs of the game declare cards of the same name.
    #[must_use]
    pub fn has_contested_names(&self) -> bool {
        !self.contested.is_empty()
    }

    /// Whether several packs of the game declare a card of this name.
    #[must_use]
    pub fn is_contested(&self, name: &str) -> bool {
        self.contested.contains_key(name)
    }

    /// The name that a card prints: without its pack.
    #[must_use]
    pub fn printed_name<'s>(&'s self, name: &'s SmolStr) -> &'s SmolStr {
        self.plain.get(name).unwrap_or(name)
    }

    /// Whether names of cards mean the same under other scopes, without regard to added and removed cards.
    #[must_use]
    pub fn keeps_meanings(&self, other: &Self) -> bool {
        self.packs == other.packs && self.contested == other.contested
    }

    /// Finds the contested names in the items of a game, renames the cards that do not keep their names, and warns of cards that take the
    /// place of others. Renamed items are stored in `arena`. `is_fixture`: whether the cards of a file are for scenarios only.
    pub fn separate<'a>(
        &mut self,
        items: &mut [&'a Item],
        arena: &'a Arena<Item>,
        is_fixture: impl Fn(u32) -> bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if !(2..=MAX_PACKS).contains(&self.packs.len()) {
            return;
        }
        let mut declared: IndexMap<SmolStr, Vec<Declaration<'a>>> = IndexMap::default();
        for (number, item) in items.iter().enumerate() {
            let Some(pack) = self.pack_of(item.span.file) else { continue };
            for card in cards_of(item) {
                declared.entry(card.name.text.clone()).or_default().push(Declaration { item: number, pack, card });
            }
        }
        declared.retain(|_, found| found.len() <= MAX_CONTESTANTS && found.iter().any(|one| one.pack != found[0].pack));
        let mut reach = Reach::new(&self.packs);
        let mut renamed: BTreeMap<usize, BTreeMap<SmolStr, SmolStr>> = BTreeMap::new();
        for (name, found) in &declared {
            let packs: BTreeSet<usize> = found.iter().map(|one| one.pack).collect();
            let largest = packs.iter().copied().max_by_key(|pack| reach.count(*pack));
            let top = largest.filter(|top| packs.iter().all(|pack| reach.includes(*top, *pack)));
            // A pack without a name cannot have its cards qualified.
            let mut nameless = packs.iter().copied().filter(|pack| self.packs[*pack].name.is_none());
            let top = nameless.next().or(top);
            let in_game: Option<Vec<(usize, SmolStr)>> = packs
                .iter()
                .map(|pack| {
                    let qualified = || Some(format_smolstr!("{}.{name}", self.packs[*pack].name.as_ref()?));
                    Some((*pack, if Some(*pack) == top { name.clone() } else { qualified()? }))
                })
                .collect();
            // Of several packs without names, all cards would keep theirs: then the name is declared twice.
            let Some(in_game) = in_game else { continue };
            for one in found {
                let new = in_game.iter().find(|(pack, _)| *pack == one.pack).map(|(_, new)| new);
                if let Some(new) = new.filter(|new| *new != name) {
                    renamed.entry(one.item).or_default().insert(name.clone(), new.clone());
                }
                let mut others = found.iter().filter(|other| other.pack != one.pack && !is_fixture(other.card.name.span.file));
                let replaced = others.find(|other| reach.includes(one.pack, other.pack));
                if let Some(other) = replaced {
                    diagnostics.push(self.taken_place(one, other));
                }
            }
            let qualified = in_game.iter().filter(|(_, new)| new != name);
            self.plain.extend(qualified.map(|(_, new)| (new.clone(), name.clone())));
            self.contested.insert(name.clone(), in_game);
        }
        for (number, names) in renamed {
            let mut item = items[number].clone();
            rename(&mut item, &names);
            items[number] = arena.alloc(item);
        }
    }

    /// The warning that a card takes the place of another one.
    fn taken_place(&self, one: &Declaration<'_>, other: &Declaration<'_>) -> Diagnostic {
        let name = &one.card.name.text;
        let kind = if other.card.is_token { "token" } else { "card" };
        let pack = self.packs[other.pack].name.as_deref().unwrap_or_default();
        let how = if other.card.is_token {
            format!("leave it out to use that one: a text that creates `\"{name}\"` needs no declaration here")
        } else {
            format!("leave it out to use that one; to change it in one format, write `errata \"{name}\" {{ … }}` in the format")
        };
        Diagnostic::new(&codes::TAKEN_NAME, one.card.name.span, format!("`{pack}` has a {kind} `{name}` already"))
            .label("in this pack, the name means this one")
            .also(other.card.name.span, "declared here")
            .help(how)
            .help(format!(
                "to have both, write `// allow {}: REASON` above it; the other one is called `\"{pack}.{name}\"`",
                codes::TAKEN_NAME.code
            ))
    }

    /// What a name of a card means in a file (default: one of the root pack). `declared`: the place of the card of a name in the game.
    pub fn meaning<'s>(&'s self, name: &'s str, file: Option<u32>, declared: impl Fn(&str) -> Option<Span>) -> CardMeaning<'s> {
        if let Some(found) = self.contested.get(name) {
            return self.nearest(found, file.map_or(Some(0), |file| self.pack_of(file)));
        }
        let Some((pack, plain)) = name.split_once('.').filter(|_| declared(name).is_none()) else {
            return CardMeaning::Named(name);
        };
        let is_pack = |number: usize| self.packs.get(number).is_some_and(|known| known.name.as_deref() == Some(pack));
        if let Some(found) = self.contested.get(plain) {
            return CardMeaning::Named(found.iter().find(|(number, _)| is_pack(*number)).map_or(name, |(_, known)| known));
        }
        let number = declared(plain).and_then(|span| self.pack_of(span.file));
        CardMeaning::Named(if number.is_some_and(is_pack) { plain } else { name })
    }

    /// The nearest pack, along what packs extend and use, that declares a contested name; else the only one.
    fn nearest<'s>(&'s self, found: &'s [(usize, SmolStr)], pack: Option<usize>) -> CardMeaning<'s> {
        let mut level: Vec<usize> = pack.into_iter().collect();
        let mut seen: BTreeSet<usize> = level.iter().copied().collect();
        while !level.is_empty() {
            let here: Vec<&str> =
                found.iter().filter(|(number, _)| level.contains(number)).map(|(_, known)| known.as_str()).collect();
            match here[..] {
                [] => {}
                [one] => return CardMeaning::Named(one),
                _ => return CardMeaning::Ambiguous(here),
            }
            let next = level.iter().filter_map(|number| self.packs.get(*number)).flat_map(|scope| &scope.builds_on);
            level = next.copied().filter(|number| seen.insert(*number)).collect();
        }
        CardMeaning::Ambiguous(found.iter().map(|(_, known)| known.as_str()).collect())
    }

    /// Whether another pack than `pack` declares a card at a place.
    #[must_use]
    pub fn is_of_other_pack(&self, pack: usize, declared: Option<Span>) -> bool {
        declared.is_some_and(|span| self.pack_of(span.file) != Some(pack))
    }

    /// Reports a name that could mean several cards.
    #[must_use]
    pub fn ambiguous(name: &Name, found: &[&str]) -> Diagnostic {
        let problem =
            Diagnostic::new(&codes::AMBIGUOUS_CARD, name.span, format!("`{}` could be a card of several packs", name.text));
        found
            .iter()
            .take(MAX_SPELLINGS)
            .fold(problem, |problem, known| problem.help(format!("write `\"{known}\"`")).fix(name.text.as_str(), *known))
    }
}

/// The cards, tokens and faces that an item declares.
fn cards_of(item: &Item) -> impl Iterator<Item = &Card> {
    let card = match &item.kind {
        ItemKind::Card(card) => Some(card),
        _ => None,
    };
    card.into_iter().flat_map(|card| std::iter::once(card).chain(card.faces.iter().map(|face| &face.card)))
}

fn rename(item: &mut Item, names: &BTreeMap<SmolStr, SmolStr>) {
    let ItemKind::Card(card) = &mut item.kind else { return };
    let set = |name: &mut Name| {
        if let Some(new) = names.get(&name.text) {
            name.text = new.clone();
        }
    };
    set(&mut card.name);
    card.faces.iter_mut().for_each(|face| set(&mut face.card.name));
}

/// The packs that packs build on, directly or through others; each pack includes itself. Key: the pack. Entries are never invalid.
struct Reach<'p> {
    packs: &'p [PackScope],
    known: BTreeMap<usize, Vec<bool>>,
}

impl<'p> Reach<'p> {
    fn new(packs: &'p [PackScope]) -> Self {
        Self { packs, known: BTreeMap::new() }
    }

    fn of(&mut self, pack: usize) -> &[bool] {
        let packs = self.packs;
        self.known.entry(pack).or_insert_with(|| {
            let mut reached = vec![false; packs.len()];
            let mut waiting = VecDeque::from([pack]);
            while let Some(at) = waiting.pop_front() {
                if reached.get(at) == Some(&false) {
                    reached[at] = true;
                    waiting.extend(&packs[at].builds_on);
                }
            }
            reached
        })
    }

    fn count(&mut self, pack: usize) -> usize {
        self.of(pack).iter().filter(|reached| **reached).count()
    }

    fn includes(&mut self, pack: usize, other: usize) -> bool {
        self.of(pack).get(other) == Some(&true)
    }
}
