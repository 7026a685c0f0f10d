//! Which file belongs to which pack, and which packs make which game.

use crate::diagnostics::lint_levels::{LintLevels, of_manifest};
use crate::diagnostics::{Diagnostic, codes};
use crate::maps::IndexMap;
use fizzle_grammar::Edition;
use fizzle_grammar::ast::{Item, ItemKind, Name, Pack, Span};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// A parsed file.
#[derive(Debug, Default)]
pub struct ParsedFile<'a> {
    /// Where it is.
    pub path: &'a str,
    /// Its items, in the order written.
    pub items: Vec<&'a Item>,
}

/// The items of a game: those of its root pack first, then those of the packs that extend it.
#[derive(Debug, Default)]
pub struct GameItems<'a> {
    /// The name of the root pack.
    pub name: SmolStr,
    /// What to call it.
    pub title: String,
    /// Where its manifest is.
    pub span: Span,
    /// All items but manifests.
    pub items: Vec<&'a Item>,
    /// The pack of each file, by number: those that build on others come later.
    pub members: BTreeMap<u32, usize>,
}

struct PackDraft<'a> {
    manifest: Option<&'a Pack>,
    span: Span,
    /// What it extends: a pack or a format.
    base: Option<&'a Name>,
    files: Vec<usize>,
}

/// Groups files into packs, and packs into games.
pub fn games<'a>(files: &[ParsedFile<'a>], diagnostics: &mut Vec<Diagnostic>) -> Vec<GameItems<'a>> {
    let packs = find_packs(files, diagnostics);
    let mut by_name: IndexMap<SmolStr, usize> = IndexMap::default();
    let mut formats: BTreeMap<SmolStr, usize> = BTreeMap::new();
    for (index, pack) in packs.iter().enumerate() {
        if let Some(manifest) = pack.manifest {
            check_edition(manifest, diagnostics);
            if let Some(earlier) = by_name.insert(manifest.name.text.clone(), index) {
                diagnostics.push(
                    Diagnostic::new(
                        &codes::DUPLICATE,
                        manifest.name.span,
                        format!("the pack `{}` is there twice", manifest.name.text),
                    )
                    .also(packs[earlier].span, "the other one"),
                );
            }
        }
        for file in &pack.files {
            for item in &files[*file].items {
                if let ItemKind::Format { name, .. } = &item.kind {
                    formats.insert(name.text.clone(), index);
                }
            }
        }
    }
    for pack in &packs {
        for used in pack.manifest.map_or(&[][..], |manifest| &manifest.uses) {
            if !by_name.contains_key(&used.text) {
                diagnostics.push(unknown_pack(used, &by_name));
            }
        }
    }

    let mut games: IndexMap<usize, Vec<usize>> = IndexMap::default();
    for (index, pack) in packs.iter().enumerate() {
        if pack.base.is_none() && pack.manifest.is_some() {
            games.entry(index).or_default();
        }
    }
    for index in 0..packs.len() {
        let mut at = index;
        let mut steps = 0;
        let root = loop {
            let Some(base) = packs[at].base else { break packs[at].manifest.map(|_| at) };
            let next = match (by_name.get(&base.text), formats.get(&base.text)) {
                (Some(next), _) if *next != at => Some(*next),
                (_, Some(next)) if *next != at => Some(*next),
                _ => None,
            };
            let Some(next) = next else {
                if at == index {
                    diagnostics.push(unknown_pack(base, &by_name));
                }
                break None;
            };
            at = next;
            steps += 1;
            if steps > packs.len() {
                diagnostics.push(
                    Diagnostic::new(&codes::PACK_CYCLE, base.span, "packs extend each other in a circle")
                        .help("one of them must stand without the others: take its `extends` out"),
                );
                break None;
            }
        };
        if let Some(root) = root {
            games.entry(root).or_default().push(index);
        }
    }
    games
        .into_iter()
        .filter_map(|(root, mut members)| {
            members.sort_by_key(|member| (*member != root, *member));
            let manifest = packs[root].manifest?;
            let (mut items, mut homes) = (Vec::new(), BTreeMap::new());
            for (number, member) in members.into_iter().enumerate() {
                for file in &packs[member].files {
                    homes.extend(files[*file].items.iter().map(|item| (item.span.file, number)));
                    items.extend(files[*file].items.iter().copied().filter(|item| !matches!(item.kind, ItemKind::Pack(_))));
                }
            }
            let title = manifest.title.as_ref().map_or_else(|| manifest.name.text.to_string(), |title| title.text.to_string());
            Some(GameItems { name: manifest.name.text.clone(), title, span: manifest.name.span, items, members: homes })
        })
        .collect()
}

/// The files of packs that add to a game and on which no other pack builds.
pub fn closed(files: &[ParsedFile<'_>]) -> Vec<usize> {
    let packs = find_packs(files, &mut Vec::new());
    let formats = |pack: &PackDraft<'_>| -> Vec<SmolStr> {
        let items = pack.files.iter().flat_map(|file| &files[*file].items);
        items
            .filter_map(|item| match &item.kind {
                ItemKind::Format { name, .. } => Some(name.text.clone()),
                _ => None,
            })
            .collect()
    };
    let mut own = Vec::new();
    for (index, pack) in packs.iter().enumerate() {
        let Some(manifest) = pack.manifest.filter(|_| pack.base.is_some()) else { continue };
        let mut names = formats(pack);
        names.push(manifest.name.text.clone());
        let others = packs.iter().enumerate().filter(|(other, _)| *other != index);
        let built_on = others.flat_map(|(_, other)| other.base.into_iter().chain(other.manifest.iter().flat_map(|m| &m.uses)));
        if built_on.into_iter().all(|name| !names.contains(&name.text)) {
            own.extend(&pack.files);
        }
    }
    own
}

/// The same, as the numbers that spans of their items have.
pub fn closed_numbers(files: &[ParsedFile<'_>]) -> BTreeSet<u32> {
    closed(files).into_iter().flat_map(|file| files[file].items.iter().map(|item| item.span.file)).collect()
}

/// What becomes of warnings in each file, as the manifest of its pack says.
pub fn levels(files: &[ParsedFile<'_>], diagnostics: &mut Vec<Diagnostic>) -> Vec<LintLevels> {
    let mut levels = vec![LintLevels::default(); files.len()];
    for pack in find_packs(files, &mut Vec::new()) {
        let Some(manifest) = pack.manifest else { continue };
        let said = of_manifest(&manifest.allow, &manifest.deny, diagnostics);
        for file in pack.files {
            levels[file] = said.clone();
        }
    }
    levels
}

fn unknown_pack(name: &Name, packs: &IndexMap<SmolStr, usize>) -> Diagnostic {
    Diagnostic::new(&codes::UNKNOWN_PACK, name.span, format!("there is no pack or format `{}`", name.text))
        .label("not among the files given")
        .did_you_mean(&name.text, packs.keys().map(SmolStr::as_str))
}

fn check_edition(manifest: &Pack, diagnostics: &mut Vec<Diagnostic>) {
    if let Some((number, span)) = manifest.edition
        && Edition::from_number(number).is_none()
    {
        diagnostics.push(
            Diagnostic::new(&codes::EDITION, span, format!("edition {number} of the language is unknown"))
                .help(format!("write `edition {}`", Edition::NEWEST)),
        );
    }
}

/// The edition that each file is written in, as the manifest of its pack says. `None`: no manifest says it, so that all forms are accepted.
pub fn editions(files: &[ParsedFile<'_>]) -> Vec<Option<Edition>> {
    let mut editions = vec![None; files.len()];
    for pack in find_packs(files, &mut Vec::new()) {
        let Some(manifest) = pack.manifest else { continue };
        let edition = match manifest.edition {
            Some((number, _)) => Edition::from_number(number),
            None => Some(Edition::default()),
        };
        for file in pack.files {
            editions[file] = edition;
        }
    }
    editions
}

/// The problems of an item whose pack is written in `edition`: one for each form of another edition.
pub fn forms_of_other_editions(item: &Item, edition: Option<Edition>) -> impl Iterator<Item = Diagnostic> {
    let other = item.spellings.iter().filter(move |spelling| edition.is_some_and(|edition| edition != spelling.edition));
    other.map(|spelling| {
        let message = format!("this is a form of edition {}", spelling.edition);
        let problem = Diagnostic::new(&codes::OTHER_EDITION, spelling.span, message);
        let other = spelling.other.trim();
        let problem = if other.is_empty() { problem.help("leave it out") } else { problem.help(format!("write `{other}`")) };
        let problem = problem.fix(spelling.written.as_str(), spelling.other.as_str());
        let upgrade = spelling.edition < Edition::NEWEST;
        if upgrade { problem.help(format!("`fizzle fmt --edition {} PATH` rewrites a pack", Edition::NEWEST)) } else { problem }
    })
}

fn find_packs<'a>(files: &[ParsedFile<'a>], diagnostics: &mut Vec<Diagnostic>) -> Vec<PackDraft<'a>> {
    let mut packs: Vec<PackDraft<'a>> = Vec::new();
    let mut directories: Vec<(&str, usize)> = Vec::new();
    let mut alone = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut manifests = file.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Pack(pack) => Some(pack),
            _ => None,
        });
        let manifest = manifests.next();
        for extra in manifests {
            diagnostics.push(
                Diagnostic::new(&codes::MANIFEST, extra.name.span, "a file has one manifest at most")
                    .help("make a pack of its own"),
            );
        }
        let (directory, name) = split(file.path);
        match manifest {
            Some(manifest) => {
                if name == "pack.fz" {
                    directories.push((directory, packs.len()));
                }
                packs.push(PackDraft {
                    manifest: Some(manifest),
                    span: manifest.name.span,
                    base: manifest.base.as_ref(),
                    files: vec![index],
                });
            }
            None => alone.push(index),
        }
    }
    directories.sort_by_key(|(directory, _)| std::cmp::Reverse(directory.len()));
    for index in alone {
        let (directory, _) = split(files[index].path);
        let owner = directories.iter().find(|(root, _)| {
            root.is_empty() || directory == *root || directory.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
        });
        match owner {
            Some((_, pack)) => packs[*pack].files.push(index),
            None => implicit(files, index, &mut packs, diagnostics),
        }
    }
    packs
}

/// A file outside of all packs adds to the game of a format that it names.
fn implicit<'a>(files: &[ParsedFile<'a>], index: usize, packs: &mut Vec<PackDraft<'a>>, diagnostics: &mut Vec<Diagnostic>) {
    let items = &files[index].items;
    let base = items.iter().find_map(|item| match &item.kind {
        ItemKind::Format { base, .. } => Some(base),
        ItemKind::Deck(deck) => deck.format.as_ref(),
        ItemKind::Scenario(scenario) => scenario.format.as_ref(),
        _ => None,
    });
    match (base, items.first()) {
        (Some(base), _) => packs.push(PackDraft { manifest: None, span: base.span, base: Some(base), files: vec![index] }),
        (None, Some(first)) => diagnostics.push(
            Diagnostic::new(&codes::NO_PACK, first.span, "this file does not say which game it belongs to")
                .help("put it into the directory of a pack, or begin it with `pack NAME { edition 2; extends GAME }`"),
        ),
        (None, None) => {}
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once(['/', '\\']).unwrap_or(("", path))
}
