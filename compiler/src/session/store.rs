//! Stores the files of a session item by item. An item whose text does not change keeps its number and tree, so an edit parses only the
//! changed items.

use crate::diagnostics::lint_levels::AllowComments;
use crate::limits::MAX_ITEMS;
use crate::lints::WordCounts;
use crate::maps::IndexMap;
use crate::sources::{LineColumn, Origin, SourceFile, Sources};
use fizzle_grammar::ast::{Item, Span};
use fizzle_grammar::{SplitFile, SyntaxError, SyntaxErrorKind};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The minimal number of new items that are parsed in parallel.
const MIN_PARALLEL_ITEMS: usize = 64;

/// A parsed item. Its spans count from the start of its text; their `file` is the number of the item.
#[derive(Debug, Default)]
pub struct ItemSource {
    /// The tree, if the item can be parsed.
    pub item: Option<Item>,
    /// Its syntax errors.
    pub errors: Vec<SyntaxError>,
    /// Its names, if it cannot be parsed.
    pub unparsed_names: Vec<SmolStr>,
}

/// The place of an item in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPosition {
    /// Its number.
    pub number: u32,
    /// Its first byte in the file.
    pub start: u32,
}

/// A file and its items.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its path.
    pub path: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Its items in order.
    pub items: Vec<ItemPosition>,
    /// The number of an item without a tree that holds the syntax errors between the items. Its spans count from the start of the file.
    pub gaps: u32,
    /// Whether it may contain `// allow` comments.
    pub may_allow_warnings: bool,
}

/// The effect of an edit on items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemChange {
    /// Removed items.
    pub removed: Vec<u32>,
    /// Added items.
    pub added: Vec<u32>,
    /// Changes of the number of occurrences of words.
    pub words: BTreeMap<SmolStr, i64>,
}

impl ItemChange {
    fn count_words(&mut self, text: &str, more: i64) {
        crate::lints::for_each_word(text, |word| *self.words.entry(SmolStr::new(word)).or_default() += more);
    }
}

/// All files. The number of a removed file is not used again.
#[derive(Clone, Debug, Default)]
pub struct SourceStore {
    documents: Vec<Option<Document>>,
    numbers: BTreeMap<Arc<str>, usize>,
    item_sources: Vec<Option<Arc<ItemSource>>>,
    positions: Vec<(u32, u32)>,
    /// Items that cannot be parsed.
    unparsed_items: BTreeSet<u32>,
    sources: Sources,
    /// How many items the files have.
    items_read: usize,
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

    /// The source of an item.
    #[must_use]
    pub fn item_source(&self, item_number: u32) -> Option<&Arc<ItemSource>> {
        self.item_sources.get(item_number as usize)?.as_ref()
    }

    /// The texts of the items, by number.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Whether all items can be parsed.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.unparsed_items.is_empty()
    }

    /// The names of the items that cannot be parsed.
    #[must_use]
    pub fn unparsed_names(&self) -> BTreeSet<SmolStr> {
        self.unparsed_items
            .iter()
            .filter_map(|item_number| self.item_source(*item_number))
            .flat_map(|item_number| item_number.unparsed_names.iter().cloned())
            .collect()
    }

    /// The number of occurrences of each word in all items.
    #[must_use]
    pub fn words(&self) -> WordCounts {
        let documents: Vec<&Document> = self.documents.iter().flatten().collect();
        let count = |document: &&Document| {
            let mut words: IndexMap<&str, u32> = IndexMap::default();
            for placed in &document.items {
                crate::lints::for_each_word(self.sources.text(placed.number), |word| *words.entry(word).or_default() += 1);
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

    /// The file of an item, and its first byte there.
    #[must_use]
    pub fn position_of(&self, item_number: u32) -> Option<(usize, u32)> {
        let (file, start) = *self.positions.get(item_number as usize)?;
        self.item_source(item_number)?;
        Some((file as usize, start))
    }

    /// The file and bytes of a span of an item.
    #[must_use]
    pub fn locate(&self, span: Span) -> Option<(usize, Range<u32>)> {
        let (file, start) = self.position_of(span.file)?;
        Some((file, start + span.start..start + span.end))
    }

    /// Records the line and column at which each item begins, so that code lowered from now on has positions in files. Valid until the
    /// next edit.
    pub fn locate_items(&mut self) {
        let mut origins = Vec::new();
        let mut paths = Vec::new();
        for (file, document) in self.documents.iter().flatten().enumerate() {
            let (mut place, mut at) = (LineColumn { line: 1, column: 1 }, 0);
            for item in &document.items {
                let start = item.start as usize;
                place = place.after(document.text.get(at..start).unwrap_or(""));
                at = start;
                origins.push((item.number, Origin { file: file as u32, place }));
            }
            paths.push(document.path.to_string());
        }
        self.sources.set_origins(paths, &origins);
    }

    /// The item at a byte of a file, and the byte in the text of the item.
    #[must_use]
    pub fn item_at(&self, file: usize, byte: u32) -> Option<(u32, u32)> {
        let document = self.document(file)?;
        let index = document.items.partition_point(|placed| placed.start <= byte).checked_sub(1)?;
        let placed = document.items.get(index)?;
        Some((placed.number, byte - placed.start))
    }

    /// Adds a file or changes its text. A text of more than `u32::MAX` bytes is an error, and treated as empty.
    pub fn set(&mut self, path: &str, text: &str) -> ItemChange {
        let mut split_text = SplitText::new(text);
        let before = self.number(path).and_then(|file| self.document(file)).map_or(0, |document| document.items.len());
        split_text.keep_first((MAX_ITEMS + before).saturating_sub(self.items_read));
        self.put(path, text_within_limit(text), &split_text, None)
    }

    /// Adds new files and parses all their items in parallel. Returns the change of each file.
    pub fn add_all(&mut self, files: &[&SourceFile]) -> Vec<ItemChange> {
        let mut split_texts: Vec<SplitText> = files.par_iter().map(|file| SplitText::new(&file.text)).collect();
        let mut room = MAX_ITEMS.saturating_sub(self.items_read);
        for split_text in &mut split_texts {
            split_text.keep_first(room);
            room -= split_text.ranges.len();
        }
        // numbers as `put` assigns them: the item for errors between items is added before the others and again after them
        let mut next = self.item_sources.len() as u32;
        let mut items: Vec<(u32, &str, &SplitText, usize)> = Vec::new();
        for (file, apart) in files.iter().zip(&split_texts) {
            let count = apart.ranges.len();
            items.extend((0..count).map(|index| (next + 1 + index as u32, text_within_limit(&file.text), apart, index)));
            next += count as u32 + 2;
        }
        let item_numbers: Vec<ItemSource> =
            items.into_par_iter().map(|(number, text, apart, index)| apart.read(number, text, index)).collect();
        let mut item_numbers = item_numbers.into_iter();
        let mut changes = Vec::with_capacity(files.len());
        for (file, apart) in files.iter().zip(&split_texts) {
            let parsed = item_numbers.by_ref().take(apart.ranges.len()).collect();
            changes.push(self.put(&file.path, text_within_limit(&file.text), apart, Some(parsed)));
        }
        changes
    }

    /// Adds or changes a file that is split into items. `parsed`: all its items, if they are parsed already.
    fn put(&mut self, path: &str, text: &str, split_text: &SplitText, parsed: Option<Vec<ItemSource>>) -> ItemChange {
        let ranges = &split_text.ranges;
        let known = self.number(path);
        let file = known.unwrap_or_else(|| {
            let path: Arc<str> = Arc::from(path);
            self.numbers.insert(Arc::clone(&path), self.documents.len());
            let rest = self.add(self.documents.len(), 0, "", ItemSource::default());
            self.documents.push(Some(Document {
                path,
                text: Arc::from(""),
                items: Vec::new(),
                gaps: rest,
                may_allow_warnings: false,
            }));
            self.documents.len() - 1
        });
        let mut change = ItemChange::default();
        let (old, rest) = match self.document(file) {
            Some(document) => (document.items.clone(), document.gaps),
            None => return change,
        };
        let kept = self.match_unchanged(&old, ranges, text);
        let mut removed: Vec<u32> = old.iter().map(|placed| placed.number).collect();
        let fresh: Vec<usize> = (0..ranges.len()).filter(|index| kept.get(*index).is_none_or(Option::is_none)).collect();
        let next = self.item_sources.len() as u32;
        let slice =
            |index: usize| ranges.get(index).and_then(|range| text.get(range.start as usize..range.end as usize)).unwrap_or("");
        let read = |(offset, index): (usize, &usize)| split_text.read(next + offset as u32, text, *index);
        let parsed: Vec<ItemSource> = match parsed {
            Some(parsed) => parsed,
            None if fresh.len() < MIN_PARALLEL_ITEMS => fresh.iter().enumerate().map(read).collect(),
            None => fresh.par_iter().enumerate().map(read).collect(),
        };
        let mut sources = parsed.into_iter();
        let mut item_numbers = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let item_number = match kept.get(index).copied().flatten() {
                Some(item_number) => {
                    if let Some(home) = self.positions.get_mut(item_number as usize) {
                        *home = (file as u32, range.start);
                    }
                    item_number
                }
                None => {
                    let item_number = self.add(file, range.start, slice(index), sources.next().unwrap_or_default());
                    change.added.push(item_number);
                    item_number
                }
            };
            item_numbers.push(ItemPosition { number: item_number, start: range.start });
        }
        self.items_read = (self.items_read + item_numbers.len()).saturating_sub(old.len());
        if !removed.is_empty() {
            let kept_items: BTreeSet<u32> = item_numbers.iter().map(|placed| placed.number).collect();
            removed.retain(|item_number| !kept_items.contains(item_number));
        }
        if known.is_some() {
            removed.iter().for_each(|item_number| change.count_words(self.sources.text(*item_number), -1));
            change.added.clone().iter().for_each(|item_number| change.count_words(self.sources.text(*item_number), 1));
        }
        for item_number in removed.iter().chain([&rest]) {
            self.drop_item(*item_number);
        }
        change.removed = removed;
        let inside = |span: Span| ranges.iter().any(|range| range.start <= span.start && span.end <= range.end);
        let rest = self.item_sources.len() as u32;
        let errors = split_text.split.errors.iter().filter(|error| !inside(error.span)).cloned();
        let errors = errors.map(|error| SyntaxError { span: Span { file: rest, ..error.span }, ..error }).collect();
        let rest = self.add(file, 0, "", ItemSource { errors, ..ItemSource::default() });
        if let Some(Some(document)) = self.documents.get_mut(file) {
            document.text = Arc::from(text);
            document.items = item_numbers;
            document.gaps = rest;
            document.may_allow_warnings = AllowComments::may_be_in(text);
        }
        change
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) -> ItemChange {
        let mut change = ItemChange::default();
        if let Some(file) = self.numbers.remove(path)
            && let Some(document) = self.documents.get_mut(file).and_then(Option::take)
        {
            self.items_read = self.items_read.saturating_sub(document.items.len());
            change.removed = document.items.iter().map(|placed| placed.number).collect();
            for item_number in change.removed.iter().chain([&document.gaps]) {
                self.drop_item(*item_number);
            }
        }
        change
    }

    fn add(&mut self, file: usize, start: u32, text: &str, item_number: ItemSource) -> u32 {
        let number = self.item_sources.len() as u32;
        if !item_number.errors.iter().all(SyntaxError::is_recoverable) {
            self.unparsed_items.insert(number);
        }
        self.item_sources.push(Some(Arc::new(item_number)));
        self.positions.push((file as u32, start));
        self.sources.set(number, SourceFile { path: String::new(), text: text.to_owned() });
        number
    }

    fn drop_item(&mut self, item_number: u32) {
        if let Some(place) = self.item_sources.get_mut(item_number as usize) {
            *place = None;
        }
        self.unparsed_items.remove(&item_number);
        self.sources.set(item_number, SourceFile { path: String::new(), text: String::new() });
    }

    /// Returns for each new range the old item with the same text: first the common start and end of the file, then equal texts between.
    fn match_unchanged(&self, old: &[ItemPosition], ranges: &[Range<u32>], text: &str) -> Vec<Option<u32>> {
        let new = |index: usize| ranges.get(index).and_then(|range| text.get(range.start as usize..range.end as usize));
        let was = |placed: Option<&ItemPosition>| placed.map(|placed| self.sources.text(placed.number));
        let mut kept: Vec<Option<u32>> = vec![None; ranges.len()];
        let mut front = 0;
        while front < ranges.len() && was(old.get(front)).is_some_and(|was| new(front) == Some(was)) {
            if let (Some(slot), Some(placed)) = (kept.get_mut(front), old.get(front)) {
                *slot = Some(placed.number);
            }
            front += 1;
        }
        let (mut last_old, mut last_new) = (old.len(), ranges.len());
        while last_old > front && last_new > front && was(old.get(last_old - 1)).is_some_and(|was| new(last_new - 1) == Some(was))
        {
            last_old -= 1;
            last_new -= 1;
            if let (Some(slot), Some(placed)) = (kept.get_mut(last_new), old.get(last_old)) {
                *slot = Some(placed.number);
            }
        }
        let mut spare: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for placed in old.get(front..last_old).unwrap_or(&[]).iter().rev() {
            spare.entry(self.sources.text(placed.number)).or_default().push(placed.number);
        }
        for index in front..last_new {
            if let (Some(slot), Some(text)) = (kept.get_mut(index), new(index)) {
                *slot = spare.get_mut(text).and_then(Vec::pop);
            }
        }
        kept
    }
}

/// A text and the ranges of its items, each from the line of its doc comment.
struct SplitText {
    split: SplitFile,
    ranges: Vec<Range<u32>>,
}

impl SplitText {
    fn new(text: &str) -> Self {
        let read = text_within_limit(text);
        let mut split = fizzle_grammar::split(0, read);
        if read.len() < text.len() {
            split.errors.push(SyntaxError { span: Span::default(), kind: SyntaxErrorKind::FileTooLarge, help: None });
        }
        let text = read;
        let ranges = split.items.iter().map(|item| line_start(text, item.docs_start.min(item.start))..item.end).collect();
        Self { split, ranges }
    }

    /// Leaves out the items after the first `count`, with an error at the first of them.
    fn keep_first(&mut self, count: usize) {
        if let Some(item) = self.split.items.get(count) {
            let kind = SyntaxErrorKind::TooManyItems { limit: MAX_ITEMS };
            let help = Some("the limit is one of all files together".to_owned());
            self.split.errors.push(SyntaxError {
                span: Span { start: item.start, end: item.start, ..Span::default() },
                kind,
                help,
            });
            self.split.errors.sort_by_key(|error| error.span);
            self.split.items.truncate(count);
            self.ranges.truncate(count);
        }
    }

    /// Parses an item under this number.
    fn read(&self, number: u32, text: &str, index: usize) -> ItemSource {
        let (Some(range), Some(item)) = (self.ranges.get(index), self.split.items.get(index)) else {
            return ItemSource::default();
        };
        if let Some(item) = fizzle_grammar::parse_item_strict(number, range.start, text, &self.split, item) {
            return ItemSource { item: Some(item), ..ItemSource::default() };
        }
        let parsed = fizzle_grammar::parse_file(number, text.get(range.start as usize..range.end as usize).unwrap_or(""));
        ItemSource { item: parsed.items.into_iter().next(), errors: parsed.errors, unparsed_names: parsed.unparsed_names }
    }
}

/// The text, or an empty one if it has more than `u32::MAX` bytes.
fn text_within_limit(text: &str) -> &str {
    if u32::try_from(text.len()).is_ok() { text } else { "" }
}

/// The start of the line of a byte if only blanks are before it, else the byte.
fn line_start(text: &str, byte: u32) -> u32 {
    let before = text.get(..byte as usize).unwrap_or("");
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let blank = before.get(line..).is_some_and(|blank| blank.trim_matches(fizzle_grammar::lexer::is_blank).is_empty());
    if blank { line as u32 } else { byte }
}
