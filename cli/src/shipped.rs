//! The packs inside the program: `cards/`, embedded. Each directory with a `pack.fz` is a pack.

use crate::pack_scan::{PackReferences, scan};
use fizzle_compiler::SourceFile;
use include_dir::{Dir, include_dir};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static CARDS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../cards");

/// What stands before the paths of embedded files.
pub const PREFIX: &str = "shipped:";

/// An embedded pack.
#[derive(Debug)]
pub struct ShippedPack {
    /// Its name, as its manifest has it.
    pub name: String,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// What it says.
    pub mentions: PackReferences,
    /// Pack or format that it extends.
    base: Option<String>,
}

static PACKS: LazyLock<Vec<ShippedPack>> = LazyLock::new(|| {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    collect(&CARDS, &mut texts);
    let roots: Vec<String> = texts.keys().filter_map(|path| path.strip_suffix("/pack.fz").map(str::to_owned)).collect();
    let said: Vec<PackReferences> = texts.par_iter().map(|(_, text)| scan(text)).collect();
    let mut packs = Vec::new();
    for root in &roots {
        let mut files = Vec::new();
        let mut mentions = PackReferences::default();
        let mut manifest = PackReferences::default();
        for ((path, text), said) in texts.iter().zip(&said) {
            // A file belongs to the innermost pack around it.
            let owner = roots
                .iter()
                .filter(|r| path.strip_prefix(r.as_str()).is_some_and(|p| p.starts_with('/')))
                .max_by_key(|r| r.len());
            if owner != Some(root) {
                continue;
            }
            if path.strip_prefix(root.as_str()) == Some("/pack.fz") {
                manifest = said.clone();
            }
            mentions.add(said.clone());
            files.push(SourceFile { path: format!("{PREFIX}{path}"), text: text.clone() });
        }
        let name = manifest.packs.first().cloned().unwrap_or_else(|| root.clone());
        let base = base_of(&files, root);
        packs.push(ShippedPack { name, files, mentions, base });
    }
    packs
});

/// What the manifest of a pack extends.
fn base_of(files: &[SourceFile], root: &str) -> Option<String> {
    let manifest = files.iter().find(|file| file.path == format!("{PREFIX}{root}/pack.fz"))?;
    let split = fizzle_grammar::split(0, &manifest.text);
    let item = split.items.first()?;
    let words: Vec<&str> =
        split.tokens.get(item.tokens.clone())?.iter().map(|t| t.text(&manifest.text)).filter(|t| !t.trim().is_empty()).collect();
    words.iter().position(|word| *word == "extends").and_then(|at| words.get(at + 1)).map(ToString::to_string)
}

fn collect(directory: &Dir<'static>, texts: &mut BTreeMap<String, String>) {
    for file in directory.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        if let (true, Some(text)) = (path.ends_with(".fz"), file.contents_utf8()) {
            texts.insert(path, text.to_owned());
        }
    }
    for inner in directory.dirs() {
        collect(inner, texts);
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
        .flat_map(|pack| std::iter::once(pack.name.as_str()).chain(pack.mentions.formats.iter().map(String::as_str)))
        .collect()
}

/// The game that is probably meant by a few letters: its initials, or else the only one that begins like them. What builds on a game is not
/// meant.
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

/// The embedded pack that a name of a pack or format means.
pub fn find(name: &str) -> Option<usize> {
    let by_name = packs().iter().position(|pack| pack.name == name);
    by_name.or_else(|| packs().iter().position(|pack| pack.mentions.formats.contains(name)))
}

/// The pack that another one extends.
fn base(pack: usize) -> Option<usize> {
    packs().get(pack)?.base.as_deref().and_then(find).filter(|base| *base != pack)
}

/// The pack at the root of a pack's game.
fn root_of(pack: usize) -> usize {
    std::iter::successors(Some(pack), |at| base(*at)).take(packs().len()).last().unwrap_or(pack)
}

/// The names of the pack that a name means and of those that it extends, one after the other.
pub fn lineage(name: &str) -> Vec<&'static str> {
    let line = std::iter::successors(find(name), |at| base(*at)).take(packs().len());
    line.filter_map(|at| packs().get(at).map(|pack| pack.name.as_str())).collect()
}

/// The embedded packs that must be compiled along with files that say `given`. Packs that are given themselves are left out: the
/// given ones stand for them. `family`: whatever extends the same games comes along.
pub fn needed(given: &PackReferences, family: bool) -> Vec<usize> {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut waiting: Vec<String> = given.needs.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        if given.declares(&name) {
            continue;
        }
        let Some(pack) = find(&name) else { continue };
        let is_given = packs().get(pack).is_some_and(|p| given.packs.contains(&p.name));
        if !is_given && taken.insert(pack) {
            waiting.extend(packs().get(pack).into_iter().flat_map(|p| p.mentions.needs.iter().cloned()));
            if family {
                let root = root_of(pack);
                let kin = (0..packs().len()).filter(|other| root_of(*other) == root);
                waiting.extend(kin.filter_map(|other| packs().get(other).map(|p| p.name.clone())));
            }
        }
    }
    taken.into_iter().collect()
}
