//! Assigns files to packs, and packs to games.

use crate::card_scopes::{CardScopes, PackScope};
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
    /// Its path.
    pub path: &'a str,
    /// Its items in order.
    pub items: Vec<&'a Item>,
}

/// The items of a game: first those of its root pack, then those of the packs that extend it.
#[derive(Debug, Default)]
pub struct GameItems<'a> {
    /// The name of the root pack.
    pub name: SmolStr,
    /// Its title for readers.
    pub title: String,
    /// The place of the name in its manifest.
    pub span: Span,
    /// All items except for manifests.
    pub items: Vec<&'a Item>,
    /// Its packs, and what the names of cards mean in each. The root pack is number 0.
    pub scopes: CardScopes,
}

struct PackDraft<'a> {
    manifest: Option<&'a Pack>,
    span: Span,
    /// The pack or format that it extends.
    base: Option<&'a Name>,
    files: Vec<usize>,
}

/// Groups files into packs, and packs into games. Reports unknown packs, cycles and unknown editions.
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
                        format!("the pack `{}` is declared twice", manifest.name.text),
                    )
                    .also(packs[earlier].span, "first declared here"),
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

    // The pack of a name, else the one that declares a format of this name; another one than `at`.
    let find = |name: &SmolStr, at: usize| {
        let found = [by_name.get(name), formats.get(name)];
        found.into_iter().flatten().copied().find(|next| *next != at)
    };
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
            let Some(next) = find(&base.text, at) else {
                if at == index {
                    diagnostics.push(unknown_pack(base, &by_name));
                }
                break None;
            };
            at = next;
            steps += 1;
            if steps > packs.len() {
                diagnostics.push(
                    Diagnostic::new(&codes::PACK_CYCLE, base.span, "packs extend each other in a cycle")
                        .help("one of them must not extend the others: remove its `extends`"),
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
            let (mut items, mut members_by_file) = (Vec::new(), BTreeMap::new());
            let scopes = pack_scopes(&packs, &members, &find);
            for (number, member) in members.into_iter().enumerate() {
                for file in &packs[member].files {
                    members_by_file.extend(files[*file].items.iter().map(|item| (item.span.file, number)));
                    items.extend(files[*file].items.iter().copied().filter(|item| !matches!(item.kind, ItemKind::Pack(_))));
                }
            }
            let title = manifest.title.as_ref().map_or_else(|| manifest.name.text.to_string(), |title| title.text.to_string());
            Some(GameItems { name: manifest.name.text.clone(), title, span: manifest.name.span, items, scopes: CardScopes::new(scopes, members_by_file) })
        })
        .collect()
}

/// What each of the packs `members` extends and uses among them, by its place there.
fn pack_scopes(
    packs: &[PackDraft<'_>],
    members: &[usize],
    find: impl Fn(&SmolStr, usize) -> Option<usize>,
) -> Vec<PackScope> {
    let places: BTreeMap<usize, usize> = members.iter().enumerate().map(|(place, member)| (*member, place)).collect();
    members
        .iter()
        .map(|member| {
            let PackDraft { manifest, base, .. } = packs[*member];
            let named = base.into_iter().chain(manifest.iter().flat_map(|manifest| &manifest.uses));
            let builds_on = named.filter_map(|name| places.get(&find(&name.text, *member)?).copied()).collect();
            PackScope { name: manifest.map(|manifest| manifest.name.text.clone()), builds_on }
        })
        .collect()
}

/// The files of leaf packs: packs that extend a game and that no other pack extends or uses.
pub fn leaf_pack_files(files: &[ParsedFile<'_>]) -> Vec<usize> {
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
    let mut leaf_files = Vec::new();
    for (index, pack) in packs.iter().enumerate() {
        let Some(manifest) = pack.manifest.filter(|_| pack.base.is_some()) else { continue };
        let mut names = formats(pack);
        names.push(manifest.name.text.clone());
        let others = packs.iter().enumerate().filter(|(other, _)| *other != index);
        let built_on = others.flat_map(|(_, other)| other.base.into_iter().chain(other.manifest.iter().flat_map(|m| &m.uses)));
        if built_on.into_iter().all(|name| !names.contains(&name.text)) {
            leaf_files.extend(&pack.files);
        }
    }
    leaf_files
}

/// The files of leaf packs, as the file numbers in the spans of their items.
pub fn leaf_pack_file_numbers(files: &[ParsedFile<'_>]) -> BTreeSet<u32> {
    leaf_pack_files(files).into_iter().flat_map(|file| files[file].items.iter().map(|item| item.span.file)).collect()
}

/// The lint levels of each file: those of the manifest of its pack.
pub fn lint_levels_of_files(files: &[ParsedFile<'_>], diagnostics: &mut Vec<Diagnostic>) -> Vec<LintLevels> {
    let mut levels = vec![LintLevels::default(); files.len()];
    for pack in find_packs(files, &mut Vec::new()) {
        let Some(manifest) = pack.manifest else { continue };
        let manifest_levels = of_manifest(&manifest.allow, &manifest.deny, diagnostics);
        for file in pack.files {
            levels[file] = manifest_levels.clone();
        }
    }
    levels
}

fn unknown_pack(name: &Name, packs: &IndexMap<SmolStr, usize>) -> Diagnostic {
    Diagnostic::new(&codes::UNKNOWN_PACK, name.span, format!("there is no pack or format `{}`", name.text))
        .label("not among the given files")
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

/// The edition of each file, from the manifest of its pack. `None` if there is no manifest: then all forms are accepted.
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

/// The diagnostics of an item whose pack is written in `edition`: one for each form of another edition.
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
    let mut without_manifest = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut manifests = file.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Pack(pack) => Some(pack),
            _ => None,
        });
        let manifest = manifests.next();
        for extra in manifests {
            diagnostics.push(
                Diagnostic::new(&codes::MANIFEST, extra.name.span, "a file has at most one manifest")
                    .help("write it in a pack of its own"),
            );
        }
        let (directory, name) = split_path(file.path);
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
            None => without_manifest.push(index),
        }
    }
    directories.sort_by_key(|(directory, _)| std::cmp::Reverse(directory.len()));
    for index in without_manifest {
        let (directory, _) = split_path(files[index].path);
        let owner = directories.iter().find(|(root, _)| {
            root.is_empty() || directory == *root || directory.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
        });
        match owner {
            Some((_, pack)) => packs[*pack].files.push(index),
            None => add_implicit_pack(files, index, &mut packs, diagnostics),
        }
    }
    packs
}

/// Adds an implicit pack for a file outside of all packs. It extends the format that the file names.
fn add_implicit_pack<'a>(
    files: &[ParsedFile<'a>],
    index: usize,
    packs: &mut Vec<PackDraft<'a>>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let items = &files[index].items;
    let base = items.iter().find_map(|item| match &item.kind {
        ItemKind::Format { base, .. } => Some(base),
        ItemKind::Deck(deck) => deck.format.as_ref(),
        ItemKind::Scenario(scenario) => scenario.format.as_ref(),
        ItemKind::Stage(stage) => stage.scenario.format.as_ref(),
        _ => None,
    });
    match (base, items.first()) {
        (Some(base), _) => packs.push(PackDraft { manifest: None, span: base.span, base: Some(base), files: vec![index] }),
        (None, Some(first)) => diagnostics.push(
            Diagnostic::new(&codes::NO_PACK, first.span, "this file does not say which game it belongs to")
                .help("move it into the directory of a pack, or begin it with `pack NAME { edition 2; extends GAME }`"),
        ),
        (None, None) => {}
    }
}

fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once(['/', '\\']).unwrap_or(("", path))
}
