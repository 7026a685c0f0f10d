//! Assigns files to packs, and packs to games.

use crate::card_scopes::{CardScopes, PackScope};
use crate::diagnostics::lint_levels::{LintLevels, of_manifest};
use crate::diagnostics::{Diagnostic, codes};
use crate::limits;
use crate::maps::IndexMap;
use crate::renamed_words::RenamedWords;
use crate::shorthand::Shorthands;
use crate::sources::Sources;
use fizzle_grammar::Edition;
use fizzle_grammar::ast::{Item, ItemKind, Name, Pack, Span};
use smol_str::SmolStr;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use typed_arena::Arena;

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
    /// The declarations by which shorthand forms were expanded.
    pub shorthands: Shorthands<'a>,
    /// How many expressions and statements the shorthand forms of its items were expanded to.
    pub expansion: usize,
    /// The old words that its items may use.
    pub renamed: RenamedWords,
}

impl<'a> GameItems<'a> {
    /// Rewrites the old words of the items, and expands their shorthand forms.
    pub fn expand(&mut self, arena: &'a Arena<Item>, sources: &Sources) {
        self.renamed = RenamedWords::collect(&self.items);
        for item in &mut self.items {
            *item = self.renamed.rewritten(item, sources.text(item.span.file), arena);
        }
        self.shorthands = Shorthands::collect(&self.items);
        let items = std::mem::take(&mut self.items);
        let total = Cell::new(0);
        self.items = items.into_iter().flat_map(|item| self.shorthands.expanded(item, arena, &total)).collect();
        self.expansion = total.get();
    }
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
    let places = manifest_places(files, &packs);
    let directory_of = |pack: usize| packs[pack].files.first().map_or("", |file| split_path(files[*file].path).0);
    // The pack of a name, else the one that declares a format of this name; another one than `at`.
    let find = |name: &SmolStr, at: usize| {
        let found = [by_name.get(name), formats.get(name)];
        found.into_iter().flatten().copied().find(|next| *next != at)
    };
    // The pack that `uses` names: by its name, or by its path from the folder of the manifest.
    let find_used = |used: &Name, at: usize| -> Option<usize> {
        by_name.get(&used.text).copied().or_else(|| places.get(&join_path(directory_of(at), used_path(used)?)).copied())
    };
    for (at, pack) in packs.iter().enumerate() {
        for used in pack.manifest.map_or(&[][..], |manifest| &manifest.uses) {
            match used_path(used) {
                _ if find_used(used, at).is_some() => {}
                Some(path) => diagnostics.push(no_pack_at(used, directory_of(at), &join_path(directory_of(at), path), &places)),
                None => diagnostics.push(unknown_pack(used, &by_name)),
            }
        }
    }
    report_cycles_of_uses(&packs, find_used, diagnostics);

    let mut games: IndexMap<usize, Vec<usize>> = IndexMap::default();
    for (index, pack) in packs.iter().enumerate() {
        if pack.base.is_none() && pack.manifest.is_some() {
            games.entry(index).or_default();
        }
    }
    let mut roots: Vec<Option<usize>> = Vec::with_capacity(packs.len());
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
        roots.push(root);
        if let Some(root) = root {
            games.entry(root).or_default().push(index);
        }
    }
    for (at, pack) in packs.iter().enumerate() {
        let (Some(manifest), Some(Some(root))) = (pack.manifest, roots.get(at)) else { continue };
        for used in &manifest.uses {
            let other = find_used(used, at).and_then(|used| *roots.get(used)?).filter(|other| other != root);
            let game =
                |root: usize| packs.get(root).and_then(|pack| pack.manifest).map_or("", |manifest| manifest.name.text.as_str());
            if let Some(other) = other {
                diagnostics.push(used_of_another_game(used, pack.base, game(*root), game(other)));
            }
        }
    }
    games
        .into_iter()
        .filter_map(|(root, mut members)| {
            members.sort_by_key(|member| (*member != root, *member));
            let manifest = packs[root].manifest?;
            let (mut items, mut members_by_file) = (Vec::new(), BTreeMap::new());
            let scopes = pack_scopes(&packs, &members, find, find_used);
            for (number, member) in members.into_iter().enumerate() {
                for file in &packs[member].files {
                    members_by_file.extend(files[*file].items.iter().map(|item| (item.span.file, number)));
                    items.extend(files[*file].items.iter().copied().filter(|item| !matches!(item.kind, ItemKind::Pack(_))));
                }
            }
            diagnostics
                .extend([Some(&manifest.name), manifest.title.as_ref()].into_iter().flatten().filter_map(limits::long_name));
            let title = manifest.title.as_ref().map_or_else(|| manifest.name.text.to_string(), |title| title.text.to_string());
            Some(GameItems {
                name: manifest.name.text.clone(),
                title,
                span: manifest.name.span,
                items,
                scopes: CardScopes::new(scopes, members_by_file),
                shorthands: Shorthands::default(),
                expansion: 0,
                renamed: RenamedWords::default(),
            })
        })
        .collect()
}

/// Reports a pack after `uses` that belongs to another game: nothing of it exists in this one.
fn used_of_another_game(used: &Name, base: Option<&Name>, game: &str, other: &str) -> Diagnostic {
    let message = format!("`{}` belongs to the game `{other}`, so nothing of it exists in `{game}`", used.text);
    let help = match base {
        Some(_) => {
            format!("leave it out; a pack belongs to the game of its base, and `uses` names packs that build on `{game}` too")
        }
        None => format!("leave it out, or build on that game: `extends {}`", used.text),
    };
    Diagnostic::new(&codes::UNKNOWN_PACK, used.span, message).help(help)
}

/// The path that a name after `uses` is: a quoted one.
fn used_path(used: &Name) -> Option<&str> {
    used.is_quoted().then_some(used.text.as_str())
}

/// The packs by the places of their manifests: the folder of a `pack.fz`, and each file with a manifest.
fn manifest_places(files: &[ParsedFile<'_>], packs: &[PackDraft<'_>]) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    for (number, pack) in packs.iter().enumerate().filter(|(_, pack)| pack.manifest.is_some()) {
        let Some(file) = pack.files.first() else { continue };
        let path = join_path("", files[*file].path);
        if let (directory, "pack.fz") = split_path(&path) {
            places.entry(directory.to_owned()).or_insert(number);
        }
        places.entry(path).or_insert(number);
    }
    places
}

/// Joins a relative path to a directory, and resolves `.` and `..` in it without regard to links. A `..` that leads out of the directory
/// stays.
#[must_use]
pub fn join_path(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with('/') || directory.starts_with('/');
    let directory = if path.starts_with('/') { "" } else { directory };
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split(['/', '\\']).chain(path.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if is_absolute { "/" } else { "" }, parts.join("/"))
}

/// Reports a path after `uses` where no pack was read. Suggests the path of the most similar folder of a pack.
fn no_pack_at(used: &Name, directory: &str, place: &str, places: &BTreeMap<String, usize>) -> Diagnostic {
    let problem = Diagnostic::new(&codes::UNKNOWN_PACK, used.span, format!("there is no pack at `{}`", used.text))
        .label(format!("no manifest `{}` was read", join_path(place, "pack.fz")));
    let known: BTreeMap<String, &String> = places.keys().map(|place| (relative_path(directory, place), place)).collect();
    problem
        .did_you_mean(&used.text, known.keys().map(String::as_str).filter(|path| !path.is_empty()))
        .or_help("write the path of the folder with its `pack.fz`, from the folder of this file")
}

/// The path from a directory to a place, both resolved.
fn relative_path(directory: &str, place: &str) -> String {
    let parts = |path: &str| -> Vec<String> { path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let (from, to) = (parts(&join_path("", directory)), parts(place));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to.iter().skip(shared).map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// Reports packs that use each other in a cycle, each at its `uses`.
fn report_cycles_of_uses(
    packs: &[PackDraft<'_>],
    find_used: impl Fn(&Name, usize) -> Option<usize>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let used: Vec<Vec<(usize, &Name)>> = packs
        .iter()
        .enumerate()
        .map(|(at, pack)| {
            let names = pack.manifest.into_iter().flat_map(|manifest| &manifest.uses);
            names.filter_map(|name| Some((find_used(name, at)?, name))).collect()
        })
        .collect();
    // Packs whose uses all end are removed one after the other; the others are in a cycle, or use one that is.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); packs.len()];
    let mut open: Vec<usize> = used.iter().map(Vec::len).collect();
    for (at, names) in used.iter().enumerate() {
        names.iter().for_each(|(next, _)| users[*next].push(at));
    }
    let mut ended: Vec<usize> = (0..packs.len()).filter(|at| open[*at] == 0).collect();
    while let Some(at) = ended.pop() {
        for user in &users[at] {
            open[*user] -= 1;
            if open[*user] == 0 {
                ended.push(*user);
            }
        }
    }
    let mut inner: Vec<usize> = (0..packs.len()).filter(|at| open[*at] > 0).collect();
    // Of the rest, those that no other of them uses are not in a cycle.
    loop {
        let before = inner.len();
        let kept: BTreeSet<usize> = inner.iter().copied().collect();
        inner.retain(|at| users[*at].iter().any(|user| kept.contains(user)));
        if inner.len() == before {
            break;
        }
    }
    let cyclic: BTreeSet<usize> = inner.into_iter().collect();
    for at in &cyclic {
        if let Some((_, name)) = used[*at].iter().find(|(next, _)| cyclic.contains(next)) {
            diagnostics.push(
                Diagnostic::new(&codes::PACK_CYCLE, name.span, "packs use each other in a cycle")
                    .help("one of them must not use the others: remove its `uses`"),
            );
        }
    }
}

/// Whether the cards of a file are made up for scenarios: it is called `fixtures.fz`, or is in a folder `scenarios`.
#[must_use]
pub fn is_fixture_path(path: &str) -> bool {
    let (directory, name) = split_path(path);
    name == "fixtures.fz" || directory.split(['/', '\\']).any(|part| part == "scenarios")
}

/// What each of the packs `members` extends and uses among them, by its place there.
fn pack_scopes(
    packs: &[PackDraft<'_>],
    members: &[usize],
    find: impl Fn(&SmolStr, usize) -> Option<usize>,
    find_used: impl Fn(&Name, usize) -> Option<usize>,
) -> Vec<PackScope> {
    let places: BTreeMap<usize, usize> = members.iter().enumerate().map(|(place, member)| (*member, place)).collect();
    members
        .iter()
        .map(|member| {
            let PackDraft { manifest, base, .. } = packs[*member];
            let bases = base.into_iter().filter_map(|base| find(&base.text, *member));
            let used = manifest.iter().flat_map(|manifest| &manifest.uses).filter_map(|used| find_used(used, *member));
            let builds_on = bases.chain(used).filter_map(|pack| places.get(&pack).copied()).collect();
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
    let places = manifest_places(files, &packs);
    let used_by_path: BTreeSet<usize> = packs
        .iter()
        .filter_map(|pack| Some((pack, pack.manifest?)))
        .flat_map(|(pack, manifest)| {
            let directory = pack.files.first().map_or("", |file| split_path(files[*file].path).0);
            manifest.uses.iter().filter_map(used_path).map(move |path| join_path(directory, path))
        })
        .filter_map(|place| places.get(&place).copied())
        .collect();
    let mut leaf_files = Vec::new();
    for (index, pack) in packs.iter().enumerate().filter(|(index, _)| !used_by_path.contains(index)) {
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
                    .help("write it in another file"),
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
            Diagnostic::new(&codes::NO_PACK, first.span, "this file does not say which game it belongs to").help(pack_help(
                files,
                files[index].path,
                packs,
            )),
        ),
        (None, None) => {}
    }
}

/// How a file without a pack gets one: the packs of its folder are those of single files.
fn pack_help(files: &[ParsedFile<'_>], path: &str, packs: &[PackDraft<'_>]) -> String {
    let directory = split_path(path).0;
    let near: Vec<(&str, &str)> = packs
        .iter()
        .filter_map(|pack| {
            let (folder, name) = split_path(files[*pack.files.first()?].path);
            (folder == directory).then_some((name, pack.manifest?.name.text.as_str()))
        })
        .collect();
    match near[..] {
        [] => "move it into the directory of a pack, or begin it with `pack NAME { edition 2; extends GAME }`".to_owned(),
        [(file, pack)] => format!("rename `{file}` to `pack.fz`: then the other files of the folder belong to `{pack}`"),
        [(_, first), (_, second), ..] => format!(
            "`{first}` and `{second}` are packs of one file each: move this file into a folder with the `pack.fz` of its pack"
        ),
    }
}

fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once(['/', '\\']).unwrap_or(("", path))
}
