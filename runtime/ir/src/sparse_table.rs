//! A table that can be loaded in part: entries keep their numbers if others are missing. A game needs only the cards of its
//! decks, of thirty thousand.

use std::ops::{Index, IndexMut};

/// Entries by number. A whole table has all entries. A part, read from a compiled pack (see [`crate::artifact::Pack`]), has only
/// the needed entries, under the numbers of the whole table.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseTable<T> {
    /// The entries that are present, in the order of their numbers.
    entries: Vec<T>,
    /// The numbers of the entries; empty in a whole table.
    numbers: Vec<u32>,
    /// By number: the index into `entries` plus one, 0 for a missing entry. Empty in a whole table.
    places: Vec<u32>,
}

impl<T> SparseTable<T> {
    /// A part of a table of `len` entries: the given entries with their numbers, which must ascend. Numbers out of range are
    /// dropped.
    #[must_use]
    pub fn part(len: usize, some: Vec<(u32, T)>) -> Self {
        let mut places = vec![0; len];
        let mut entries = Vec::with_capacity(some.len());
        let mut numbers = Vec::with_capacity(some.len());
        for (number, entry) in some {
            if let Some(place) = places.get_mut(number as usize) {
                entries.push(entry);
                numbers.push(number);
                *place = entries.len() as u32;
            }
        }
        Self { entries, numbers, places }
    }

    /// The number of entries of the whole table, missing ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.is_whole() { self.entries.len() } else { self.places.len() }
    }

    /// Whether the whole table has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no entry is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.places.is_empty()
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        if self.places.is_empty() {
            number
        } else {
            self.places.get(number).map_or(usize::MAX, |place| (*place as usize).wrapping_sub(1))
        }
    }

    /// The entry with a number; `None` if it is missing or out of range.
    #[inline]
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.entries.get(self.place(number))
    }

    /// The entry with a number, mutably.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        let place = self.place(number);
        self.entries.get_mut(place)
    }

    /// All entries that are present, in the order of their numbers.
    pub fn present(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// All entries that are present, mutably.
    pub fn present_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// All entries that are present, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &T)> {
        let number = |place: usize| self.numbers.get(place).map_or(place, |number| *number as usize);
        self.entries.iter().enumerate().map(move |(place, entry)| (number(place), entry))
    }

    /// One value for each number of the whole table, computed from the entry or, if it is missing, from `None`.
    pub fn by_number<U>(&self, value: impl FnMut(Option<&T>) -> U) -> Vec<U> {
        (0..self.len()).map(|number| self.get(number)).map(value).collect()
    }

    /// The entries of a whole table from a number on.
    #[must_use]
    pub fn entries_from(&self, number: usize) -> &[T] {
        self.entries.get(number..).unwrap_or_default()
    }

    /// Removes the entries of a whole table from a number on.
    pub fn truncate(&mut self, number: usize) {
        self.entries.truncate(number);
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        if !self.is_whole() {
            self.numbers.push(self.places.len() as u32);
            self.places.push(self.entries.len() as u32 + 1);
        }
        self.entries.push(entry);
    }

    /// Gives back the memory that only a growing table needs.
    pub fn shrink_to_fit(&mut self) {
        self.entries.shrink_to_fit();
    }
}

impl<T> Default for SparseTable<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), numbers: Vec::new(), places: Vec::new() }
    }
}

impl<T> From<Vec<T>> for SparseTable<T> {
    fn from(entries: Vec<T>) -> Self {
        Self { entries, ..Self::default() }
    }
}

impl<T> FromIterator<T> for SparseTable<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> Index<usize> for SparseTable<T> {
    type Output = T;

    fn index(&self, number: usize) -> &T {
        &self.entries[self.place(number)]
    }
}

impl<T> IndexMut<usize> for SparseTable<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        let place = self.place(number);
        &mut self.entries[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_part_keep_their_numbers() {
        let mut part = SparseTable::part(6, vec![(1, 'b'), (4, 'e')]);
        assert_eq!((part.len(), part.is_whole(), part.is_empty()), (6, false, false));
        assert_eq!((part.get(0), part.get(1), part.get(4), part.get(6)), (None, Some(&'b'), Some(&'e'), None));
        assert_eq!(part.numbered().map(|(number, entry)| (number, *entry)).collect::<Vec<_>>(), [(1, 'b'), (4, 'e')]);
        assert_eq!(part.by_number(|entry| entry.is_some()), [false, true, false, false, true, false]);
        part.push('g');
        assert_eq!((part.len(), part[6], part.get(5)), (7, 'g', None));
        part[4] = 'x';
        assert_eq!(part.present().collect::<String>(), "bxg");
    }

    #[test]
    fn a_whole_table_behaves_like_a_list() {
        let mut whole: SparseTable<char> = vec!['a', 'b'].into();
        whole.push('c');
        assert_eq!((whole.len(), whole.is_whole(), whole.get(2), whole.get(3)), (3, true, Some(&'c'), None));
        assert_eq!(whole.numbered().map(|(number, _)| number).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(whole.entries_from(1), ['b', 'c']);
        assert!(whole.entries_from(9).is_empty());
    }
}
