//! The shipped packs: `cards/`, embedded into the program. Each directory with a `pack.fz` is a pack.

use crate::pack_scan::{PackReferences, scan};
use fizzle_compiler::SourceFile;
use include_dir::{Dir, include_dir};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static CARDS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../cards");

/// The prefix of the paths of embedded files.
pub const PREFIX: &str = "shipped:";

/// An embedded pack.
#[derive(Debug)]
pub struct ShippedPack {
    /// Its name according to its manifest.
    pub name: String,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// The packs and formats that its files declare or need.
    pub references: PackReferences,
    /// The pack or format that it extends.
    base: Option<String>,
}

impl ShippedPack {
    /// The files that a pack sees which refers to this one: all but those in `scenarios/`, so that names of fixtures stay free.
    pub fn files_for_dependents(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| !file.path.contains("/scenarios/"))
    }
}

static PACKS: LazyLock<Vec<ShippedPack>> = LazyLock::new(|| {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    collect_texts(&CARDS, &mut texts);
    let roots: Vec<String> = texts.keys().filter_map(|path| path.strip_suffix("/pack.fz").map(str::to_owned)).collect();
    let scanned: Vec<PackReferences> = texts.par_iter().map(|(_, text)| scan(text)).collect();
    let mut packs = Vec::new();
    for root in &roots {
        let mut files = Vec::new();
        let mut references = PackReferences::default();
        let mut manifest = PackReferences::default();
        for ((path, text), found) in texts.iter().zip(&scanned) {
            // A file belongs to the innermost pack around it.
            let owner = roots
                .iter()
                .filter(|r| path.strip_prefix(r.as_str()).is_some_and(|p| p.starts_with('/')))
                .max_by_key(|r| r.len());
            if owner != Some(root) {
                continue;
            }
            if path.strip_prefix(root.as_str()) == Some("/pack.fz") {
                manifest = found.clone();
            }
            references.add(found.clone());
            files.push(SourceFile { path: format!("{PREFIX}{path}"), text: text.clone() });
        }
        let name = manifest.packs.first().cloned().unwrap_or_else(|| root.clone());
        let base = read_base(&files, root);
        packs.push(ShippedPack { name, files, references, base });
    }
    packs
});

/// Reads from its manifest what a pack extends.
fn read_base(files: &[SourceFile], root: &str) -> Option<String> {
    let manifest = files.iter().find(|file| file.path == format!("{PREFIX}{root}/pack.fz"))?;
    let split = fizzle_grammar::split(0, &manifest.text);
    let item = split.items.first()?;
    let words: Vec<&str> =
        split.tokens.get(item.tokens.clone())?.iter().map(|t| t.text(&manifest.text)).filter(|t| !t.trim().is_empty()).collect();
    words.iter().position(|word| *word == "extends").and_then(|at| words.get(at + 1)).map(ToString::to_string)
}

fn collect_texts(directory: &Dir<'static>, texts: &mut BTreeMap<String, String>) {
    for file in directory.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        if let (true, Some(text)) = (path.ends_with(".fz"), file.contents_utf8()) {
            texts.insert(path, text.to_owned());
        }
    }
    for inner in directory.dirs() {
        collect_texts(inner, texts);
    }
}

/// All embedded packs.
pub fn packs() -> &'static [ShippedPack] {
    &PACKS
}

/// The names of embedded packs and formats.
pub fn names() -> BTreeSet<&'static str> {
    packs()
        .iter()
        .flat_map(|pack| std::iter::once(pack.name.as_str()).chain(pack.references.formats.iter().map(String::as_str)))
        .collect()
}

/// Guesses a game from two to four letters: the game with these initials, else the only one with the same first letter. Packs that extend
/// another one are no candidates.
pub fn guess_game(letters: &str) -> Option<&'static str> {
    let letters = letters.to_lowercase();
    if !(2..=4).contains(&letters.len()) {
        return None;
    }
    let games = packs().iter().filter(|pack| pack.base.is_none()).map(|pack| pack.name.as_str());
    let initials = |name: &str| name.split('_').filter_map(|part| part.chars().next()).eq(letters.chars());
    let mut alike = games.clone().filter(|name| name.chars().next() == letters.chars().next());
    games.clone().find(|name| initials(name)).or_else(|| alike.next().filter(|_| alike.next().is_none()))
}

/// The embedded pack of this name, else the one that declares a format of this name.
pub fn find_pack(name: &str) -> Option<usize> {
    let by_name = packs().iter().position(|pack| pack.name == name);
    by_name.or_else(|| packs().iter().position(|pack| pack.references.formats.contains(name)))
}

/// The pack that a pack extends.
fn base_of(pack: usize) -> Option<usize> {
    packs().get(pack)?.base.as_deref().and_then(find_pack).filter(|base| *base != pack)
}

/// The pack at the root of a pack's game.
fn root_of(pack: usize) -> usize {
    std::iter::successors(Some(pack), |at| base_of(*at)).take(packs().len()).last().unwrap_or(pack)
}

/// The name of the pack that [`find_pack`] finds, then the names of the packs that it extends, nearest first.
pub fn lineage(name: &str) -> Vec<&'static str> {
    let line = std::iter::successors(find_pack(name), |at| base_of(*at)).take(packs().len());
    line.filter_map(|at| packs().get(at).map(|pack| pack.name.as_str())).collect()
}

/// The embedded packs that must be compiled with files that have the references `given`. Packs that these files declare themselves are
/// left out: the files replace them. `family`: include all packs of the same games.
pub fn required_packs(given: &PackReferences, family: bool) -> Vec<usize> {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut waiting: Vec<String> = given.needs.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        if given.declares(&name) {
            continue;
        }
        let Some(pack) = find_pack(&name) else { continue };
        let is_given = packs().get(pack).is_some_and(|p| given.packs.contains(&p.name));
        if !is_given && taken.insert(pack) {
            waiting.extend(packs().get(pack).into_iter().flat_map(|p| p.references.needs.iter().cloned()));
            if family {
                let root = root_of(pack);
                let kin = (0..packs().len()).filter(|other| root_of(*other) == root);
                waiting.extend(kin.filter_map(|other| packs().get(other).map(|p| p.name.clone())));
            }
        }
    }
    taken.into_iter().collect()
}
