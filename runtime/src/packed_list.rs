//! A list that keeps its items as bytes, for lists that grow with a game and are seldom read.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::ops::Range;

/// A list of plain values as bytes (`postcard`), which take a fraction of the memory. An item is unpacked each time that it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedList<T> {
    bytes: Vec<u8>,
    /// Where each item ends.
    ends: Vec<u32>,
    items: PhantomData<T>,
}

impl<T> Default for PackedList<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), items: PhantomData }
    }
}

impl<T> PackedList<T> {
    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Removes the first items, at most all.
    pub fn remove_first(&mut self, count: usize) {
        let count = count.min(self.len());
        let Some(bytes) = count.checked_sub(1).and_then(|last| self.ends.get(last)).copied() else { return };
        self.bytes.drain(..bytes as usize);
        self.bytes.shrink_to_fit();
        self.ends.drain(..count);
        self.ends.shrink_to_fit();
        self.ends.iter_mut().for_each(|end| *end -= bytes);
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize)
    }
}

impl<T: Serialize + DeserializeOwned> PackedList<T> {
    /// Adds an item. Returns `false`, and does not add it, if it is not plain data, or four gigabytes are full.
    #[must_use]
    pub fn push(&mut self, item: &T) -> bool {
        let packed = postcard::to_allocvec(item);
        debug_assert!(packed.is_ok(), "an item cannot be packed");
        let Ok(packed) = packed else { return false };
        let Ok(end) = u32::try_from(self.bytes.len() + packed.len()) else { return false };
        make_room(&mut self.bytes, packed.len());
        self.bytes.extend(packed);
        make_room(&mut self.ends, 1);
        self.ends.push(end);
        true
    }

    /// The item at a position.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<T> {
        let item = postcard::from_bytes(self.bytes.get(self.start(at)..*self.ends.get(at)? as usize)?);
        debug_assert!(item.is_ok(), "what was packed can be unpacked");
        item.ok()
    }

    /// The last item.
    #[must_use]
    pub fn last(&self) -> Option<T> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The items of a range of positions.
    pub fn range(&self, positions: Range<usize>) -> impl Iterator<Item = T> {
        (positions.start..positions.end.min(self.len())).filter_map(|at| self.get(at))
    }

    /// All items.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.range(0..self.len())
    }
}

/// Makes room for some items, and an eighth of what there is: doubling would leave half of the memory unused.
fn make_room<V>(list: &mut Vec<V>, count: usize) {
    if list.capacity() - list.len() < count {
        list.reserve_exact(count + list.len() / 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_returned_as_they_were_added() {
        let mut list = PackedList::<(u32, Vec<i64>)>::default();
        let items: Vec<(u32, Vec<i64>)> =
            (0..300).map(|at| (at * 77, (0..i64::from(at % 5)).map(|it| -it * 1_000).collect())).collect();
        assert!(items.iter().all(|item| list.push(item)));
        assert_eq!((list.len(), list.iter().collect::<Vec<_>>()), (300, items.clone()));
        assert_eq!(list.range(290..400).collect::<Vec<_>>(), items[290..], "what is behind the end is left out");
        assert_eq!((list.get(17), list.get(300), list.last()), (Some(items[17].clone()), None, items.last().cloned()));
        list.remove_first(0);
        list.remove_first(100);
        assert_eq!(list.iter().collect::<Vec<_>>(), items[100..]);
        list.remove_first(500);
        assert!(list.is_empty() && list.last().is_none() && list.bytes.is_empty());
    }
}
