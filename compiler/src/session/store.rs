//! The files of a session, taken apart into items that are kept as long as their text stays: an edit reads one item again.

use crate::diagnostics::lint_levels::AllowComments;
use crate::lints::WordCounts;
use crate::maps::IndexMap;
use crate::sources::{SourceFile, Sources};
use fizzle_grammar::ast::{Item, Span};
use fizzle_grammar::{SplitFile, SyntaxError};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Fewer items are read by one thread.
const MANY: usize = 64;

/// An item as it was read. Its spans count from the beginning of its text; their `file` is the number of the part.
#[derive(Debug, Default)]
pub struct ItemSource {
    /// The item, if it can be read.
    pub item: Option<Item>,
    /// What is wrong with its text.
    pub errors: Vec<SyntaxError>,
    /// Its names, if it cannot be read.
    pub lost: Vec<SmolStr>,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPosition {
    /// Its number.
    pub part: u32,
    /// Its first byte in the file.
    pub start: u32,
}

/// A file and its parts.
#[derive(Debug)]
pub struct Document {
    /// Its path.
    pub path: Arc<str>,
    /// What is written in it.
    pub text: Arc<str>,
    /// Its items in order.
    pub parts: Vec<ItemPosition>,
    /// What stands between its items: a part without item, which begins with the file.
    pub rest: u32,
    /// Whether comments may allow warnings.
    pub allows: bool,
}

/// What an edit did to the parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemChange {
    /// Parts that are gone.
    pub removed: Vec<u32>,
    /// Parts that are new.
    pub added: Vec<u32>,
    /// How much more often, or less, a word stands in parts.
    pub words: BTreeMap<SmolStr, i64>,
}

impl ItemChange {
    fn count(&mut self, text: &str, more: i64) {
        crate::lints::for_each_word(text, |word| *self.words.entry(SmolStr::new(word)).or_default() += more);
    }
}

/// All files. A file that is taken away leaves its number free for good.
#[derive(Debug, Default)]
pub struct SourceStore {
    documents: Vec<Option<Document>>,
    numbers: BTreeMap<Arc<str>, usize>,
    parts: Vec<Option<Arc<ItemSource>>>,
    homes: Vec<(u32, u32)>,
    /// Parts that cannot be read.
    broken: BTreeSet<u32>,
    sources: Sources,
}

impl SourceStore {
    /// The number of a file.
    #[must_use]
    pub fn number(&self, path: &str) -> Option<usize> {
        self.numbers.get(path).copied()
    }

    /// A file.
    #[must_use]
    pub fn document(&self, file: usize) -> Option<&Document> {
        self.documents.get(file)?.as_ref()
    }

    /// All files with their numbers.
    pub fn documents(&self) -> impl Iterator<Item = (usize, &Document)> {
        self.documents.iter().enumerate().filter_map(|(number, document)| Some((number, document.as_ref()?)))
    }

    /// A part.
    #[must_use]
    pub fn part(&self, part: u32) -> Option<&Arc<ItemSource>> {
        self.parts.get(part as usize)?.as_ref()
    }

    /// The texts of the parts, by number.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Whether nothing is wrong with the text of any part.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.broken.is_empty()
    }

    /// The names of the items that cannot be read.
    #[must_use]
    pub fn lost(&self) -> BTreeSet<SmolStr> {
        self.broken.iter().filter_map(|part| self.part(*part)).flat_map(|part| part.lost.iter().cloned()).collect()
    }

    /// How often each word stands in the parts.
    #[must_use]
    pub fn words(&self) -> WordCounts {
        let documents: Vec<&Document> = self.documents.iter().flatten().collect();
        let count = |document: &&Document| {
            let mut words: IndexMap<&str, u32> = IndexMap::default();
            for placed in &document.parts {
                crate::lints::for_each_word(self.sources.text(placed.part), |word| *words.entry(word).or_default() += 1);
            }
            words.into_iter().map(|(word, count)| (SmolStr::new(word), count)).collect::<WordCounts>()
        };
        let counted: Vec<WordCounts> = documents.par_iter().map(count).collect();
        let mut all = WordCounts::default();
        for (word, count) in counted.into_iter().flatten() {
            *all.entry(word).or_default() += count;
        }
        all
    }

    /// The file of a part, and where it stands there.
    #[must_use]
    pub fn home(&self, part: u32) -> Option<(usize, u32)> {
        let (file, start) = *self.homes.get(part as usize)?;
        self.part(part)?;
        Some((file as usize, start))
    }

    /// Where a span of a part stands.
    #[must_use]
    pub fn locate(&self, span: Span) -> Option<(usize, Range<u32>)> {
        let (file, start) = self.home(span.file)?;
        Some((file, start + span.start..start + span.end))
    }

    /// The part at a byte of a file, and the byte in it.
    #[must_use]
    pub fn part_at(&self, file: usize, byte: u32) -> Option<(u32, u32)> {
        let document = self.document(file)?;
        let index = document.parts.partition_point(|placed| placed.start <= byte).checked_sub(1)?;
        let placed = document.parts.get(index)?;
        Some((placed.part, byte - placed.start))
    }

    /// Adds a file or changes its text. What is larger than places can be counted is left empty.
    pub fn set(&mut self, path: &str, text: &str) -> ItemChange {
        let text = countable(text);
        self.put(path, text, &SplitText::new(text), None)
    }

    /// Adds files, none of which is known: all their items are read side by side. Gives the change that each is.
    pub fn add_all(&mut self, files: &[&SourceFile]) -> Vec<ItemChange> {
        let aparts: Vec<SplitText> = files.par_iter().map(|file| SplitText::new(countable(&file.text))).collect();
        // numbers as `put` gives them: what stands between the items has one before them and one behind
        let mut next = self.parts.len() as u32;
        let mut items: Vec<(u32, &str, &SplitText, usize)> = Vec::new();
        for (file, apart) in files.iter().zip(&aparts) {
            let count = apart.ranges.len();
            items.extend((0..count).map(|index| (next + 1 + index as u32, countable(&file.text), apart, index)));
            next += count as u32 + 2;
        }
        let parts: Vec<ItemSource> =
            items.into_par_iter().map(|(number, text, apart, index)| apart.read(number, text, index)).collect();
        let mut parts = parts.into_iter();
        let mut changes = Vec::with_capacity(files.len());
        for (file, apart) in files.iter().zip(&aparts) {
            let parsed = parts.by_ref().take(apart.ranges.len()).collect();
            changes.push(self.put(&file.path, countable(&file.text), apart, Some(parsed)));
        }
        changes
    }

    /// Puts a file that was taken apart in its place. `parsed`: all its items, if they were read before.
    fn put(&mut self, path: &str, text: &str, apart: &SplitText, parsed: Option<Vec<ItemSource>>) -> ItemChange {
        let ranges = &apart.ranges;
        let known = self.number(path);
        let file = known.unwrap_or_else(|| {
            let path: Arc<str> = Arc::from(path);
            self.numbers.insert(Arc::clone(&path), self.documents.len());
            let rest = self.add(self.documents.len(), 0, "", ItemSource::default());
            self.documents.push(Some(Document { path, text: Arc::from(""), parts: Vec::new(), rest, allows: false }));
            self.documents.len() - 1
        });
        let mut change = ItemChange::default();
        let (old, rest) = match self.document(file) {
            Some(document) => (document.parts.clone(), document.rest),
            None => return change,
        };
        let kept = self.matching(&old, ranges, text);
        let mut gone: Vec<u32> = old.iter().map(|placed| placed.part).collect();
        let fresh: Vec<usize> = (0..ranges.len()).filter(|index| kept.get(*index).is_none_or(Option::is_none)).collect();
        let next = self.parts.len() as u32;
        let slice =
            |index: usize| ranges.get(index).and_then(|range| text.get(range.start as usize..range.end as usize)).unwrap_or("");
        let read = |(offset, index): (usize, &usize)| apart.read(next + offset as u32, text, *index);
        let parsed: Vec<ItemSource> = match parsed {
            Some(parsed) => parsed,
            None if fresh.len() < MANY => fresh.iter().enumerate().map(read).collect(),
            None => fresh.par_iter().enumerate().map(read).collect(),
        };
        let mut made = parsed.into_iter();
        let mut parts = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let part = match kept.get(index).copied().flatten() {
                Some(part) => {
                    if let Some(home) = self.homes.get_mut(part as usize) {
                        *home = (file as u32, range.start);
                    }
                    part
                }
                None => {
                    let part = self.add(file, range.start, slice(index), made.next().unwrap_or_default());
                    change.added.push(part);
                    part
                }
            };
            parts.push(ItemPosition { part, start: range.start });
        }
        if !gone.is_empty() {
            let stays: BTreeSet<u32> = parts.iter().map(|placed| placed.part).collect();
            gone.retain(|part| !stays.contains(part));
        }
        if known.is_some() {
            gone.iter().for_each(|part| change.count(self.sources.text(*part), -1));
            change.added.clone().iter().for_each(|part| change.count(self.sources.text(*part), 1));
        }
        for part in gone.iter().chain([&rest]) {
            self.drop_part(*part);
        }
        change.removed = gone;
        let inside = |span: Span| ranges.iter().any(|range| range.start <= span.start && span.end <= range.end);
        let rest = self.parts.len() as u32;
        let errors = apart.split.errors.iter().filter(|error| !inside(error.span)).cloned();
        let errors = errors.map(|error| SyntaxError { span: Span { file: rest, ..error.span }, ..error }).collect();
        let rest = self.add(file, 0, "", ItemSource { errors, ..ItemSource::default() });
        if let Some(Some(document)) = self.documents.get_mut(file) {
            document.text = Arc::from(text);
            document.parts = parts;
            document.rest = rest;
            document.allows = AllowComments::may_be_in(text);
        }
        change
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) -> ItemChange {
        let mut change = ItemChange::default();
        if let Some(file) = self.numbers.remove(path)
            && let Some(document) = self.documents.get_mut(file).and_then(Option::take)
        {
            change.removed = document.parts.iter().map(|placed| placed.part).collect();
            for part in change.removed.iter().chain([&document.rest]) {
                self.drop_part(*part);
            }
        }
        change
    }

    fn add(&mut self, file: usize, start: u32, text: &str, part: ItemSource) -> u32 {
        let number = self.parts.len() as u32;
        if !part.errors.iter().all(SyntaxError::is_recoverable) {
            self.broken.insert(number);
        }
        self.parts.push(Some(Arc::new(part)));
        self.homes.push((file as u32, start));
        self.sources.set(number, SourceFile { path: String::new(), text: text.to_owned() });
        number
    }

    fn drop_part(&mut self, part: u32) {
        if let Some(place) = self.parts.get_mut(part as usize) {
            *place = None;
        }
        self.broken.remove(&part);
        self.sources.set(part, SourceFile { path: String::new(), text: String::new() });
    }

    /// For each new range the old part with the same text: first what begins and ends the file as before, then whatever is equal between.
    fn matching(&self, old: &[ItemPosition], ranges: &[Range<u32>], text: &str) -> Vec<Option<u32>> {
        let new = |index: usize| ranges.get(index).and_then(|range| text.get(range.start as usize..range.end as usize));
        let was = |placed: Option<&ItemPosition>| placed.map(|placed| self.sources.text(placed.part));
        let mut kept: Vec<Option<u32>> = vec![None; ranges.len()];
        let mut front = 0;
        while front < ranges.len() && was(old.get(front)).is_some_and(|was| new(front) == Some(was)) {
            if let (Some(slot), Some(placed)) = (kept.get_mut(front), old.get(front)) {
                *slot = Some(placed.part);
            }
            front += 1;
        }
        let (mut last_old, mut last_new) = (old.len(), ranges.len());
        while last_old > front && last_new > front && was(old.get(last_old - 1)).is_some_and(|was| new(last_new - 1) == Some(was))
        {
            last_old -= 1;
            last_new -= 1;
            if let (Some(slot), Some(placed)) = (kept.get_mut(last_new), old.get(last_old)) {
                *slot = Some(placed.part);
            }
        }
        let mut spare: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for placed in old.get(front..last_old).unwrap_or(&[]).iter().rev() {
            spare.entry(self.sources.text(placed.part)).or_default().push(placed.part);
        }
        for index in front..last_new {
            if let (Some(slot), Some(text)) = (kept.get_mut(index), new(index)) {
                *slot = spare.get_mut(text).and_then(Vec::pop);
            }
        }
        kept
    }
}

/// A text and where its items stand in it, each from the line of its comment on.
struct SplitText {
    split: SplitFile,
    ranges: Vec<Range<u32>>,
}

impl SplitText {
    fn new(text: &str) -> Self {
        let split = fizzle_grammar::split(0, text);
        let ranges = split.items.iter().map(|item| line_start(text, item.docs_start.min(item.start))..item.end).collect();
        Self { split, ranges }
    }

    /// Reads an item as the part of this number.
    fn read(&self, number: u32, text: &str, index: usize) -> ItemSource {
        let (Some(range), Some(item)) = (self.ranges.get(index), self.split.items.get(index)) else {
            return ItemSource::default();
        };
        if let Some(item) = fizzle_grammar::parse_item_strict(number, range.start, text, &self.split, item) {
            return ItemSource { item: Some(item), ..ItemSource::default() };
        }
        let parsed = fizzle_grammar::parse_file(number, text.get(range.start as usize..range.end as usize).unwrap_or(""));
        ItemSource { item: parsed.items.into_iter().next(), errors: parsed.errors, lost: parsed.unparsed_names }
    }
}

/// A text, or nothing if places in it cannot be counted.
fn countable(text: &str) -> &str {
    if u32::try_from(text.len()).is_ok() { text } else { "" }
}

/// Where the line of an item begins, if only blanks stand before it.
fn line_start(text: &str, byte: u32) -> u32 {
    let before = text.get(..byte as usize).unwrap_or("");
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let blank = before
        .get(line..)
        .is_some_and(|blank| blank.trim_matches(['\u{feff}', ' ', '\t', '\r', '\u{3000}', '\u{a0}']).is_empty());
    if blank { line as u32 } else { byte }
}
