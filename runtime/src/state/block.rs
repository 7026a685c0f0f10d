//! A flat block of 32-bit words with an allocator inside.
//!
//! Everything that grows (lists, frames, records) is a *cell* of the block: one word with its size class, then its payload. A
//! handle is the index of the payload; 0 is the null handle, and an empty list. A copy of the words is a copy of everything.

/// Index of a cell's payload; 0 is the null handle.
pub type Handle = usize;

/// The number of size classes: payloads of 4, 8, 16 … words.
pub const CLASSES: usize = 26;

/// The block. The [`CLASSES`] words after word 0 are the heads of the free lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Block {
    words: Vec<u32>,
}

impl Clone for Block {
    fn clone(&self) -> Self {
        Self { words: self.words.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.copy_from(other);
    }
}

impl Block {
    /// A block whose first `fixed` words (at least the free lists) are not cells.
    #[must_use]
    pub fn new(fixed: usize) -> Self {
        Self { words: vec![0; fixed.max(CLASSES + 1)] }
    }

    /// All words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Replaces all words (on loading).
    pub fn set_words(&mut self, words: Vec<u32>) {
        self.words = words;
    }

    /// Copies another block into this one's memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    /// Returns the memory that is kept for the block to grow, if it is more than a quarter of what is used.
    pub fn shrink(&mut self) {
        if self.words.capacity() > self.words.len() / 4 * 5 {
            self.words.shrink_to_fit();
        }
    }

    /// The word at an index; 0 out of range.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// `length` words from `at` on; empty if the range exceeds the block.
    #[inline]
    #[must_use]
    pub fn slice(&self, at: usize, length: usize) -> &[u32] {
        self.words.get(at..at + length).unwrap_or(&[])
    }

    /// As [`Block::slice`], mutably.
    #[inline]
    pub fn slice_mut(&mut self, at: usize, length: usize) -> &mut [u32] {
        self.words.get_mut(at..at + length).unwrap_or_default()
    }

    /// A word as a signed value.
    #[inline]
    #[must_use]
    pub fn int(&self, at: usize) -> i64 {
        i64::from(self.get(at) as i32)
    }

    /// Writes a word; out of range, it does nothing.
    #[inline]
    pub fn set(&mut self, at: usize, value: u32) {
        if let Some(word) = self.words.get_mut(at) {
            *word = value;
        }
    }

    fn class_of(payload: usize) -> usize {
        // Four words, or eight, sixteen …
        payload.div_ceil(4).next_power_of_two().trailing_zeros() as usize
    }

    /// The number of payload words of a cell.
    #[must_use]
    pub fn capacity(&self, handle: Handle) -> usize {
        if handle == 0 { 0 } else { 4 << (self.get(handle - 1) as usize).min(CLASSES - 1) }
    }

    /// Allocates a cell of at least `payload` words, all 0. A free cell that is none of this size (in a damaged state) is not used.
    pub fn alloc(&mut self, payload: usize) -> Handle {
        let class = Self::class_of(payload).min(CLASSES - 1);
        let head = self.get(1 + class) as usize;
        if head != 0 && self.get(head - 1) as usize == class && head + (4 << class) <= self.words.len() {
            let next = self.get(head);
            self.set(1 + class, next);
            self.set(head, 0);
            return head;
        }
        self.set(1 + class, 0);
        let at = self.words.len();
        self.words.resize(at + 1 + (4 << class), 0);
        self.set(at, class as u32);
        at + 1
    }

    /// Frees a cell. Clears its payload, so that equal games have equal words.
    pub fn free(&mut self, handle: Handle) {
        if handle == 0 {
            return;
        }
        let class = (self.get(handle - 1) as usize).min(CLASSES - 1);
        let size = 4 << class;
        if let Some(payload) = self.words.get_mut(handle..handle + size) {
            payload.fill(0);
        }
        let head = self.get(1 + class);
        self.set(handle, head);
        self.set(1 + class, handle as u32);
    }

    /// The items of the list whose handle is in the word `holder`.
    #[inline]
    #[must_use]
    pub fn list(&self, holder: usize) -> &[u32] {
        self.items(self.get(holder) as usize)
    }

    /// The items of a list by its handle.
    #[inline]
    #[must_use]
    pub fn items(&self, handle: Handle) -> &[u32] {
        if handle == 0 {
            return &[];
        }
        let len = self.get(handle) as usize;
        self.words.get(handle + 1..handle + 1 + len).unwrap_or(&[])
    }

    /// Item `index` of the list in `holder`; 0 out of range.
    #[inline]
    #[must_use]
    pub fn item(&self, holder: usize, index: usize) -> u32 {
        self.list(holder).get(index).copied().unwrap_or(0)
    }

    /// Writes item `index` of the list in `holder`; out of range, it does nothing.
    pub fn set_item(&mut self, holder: usize, index: usize, value: u32) {
        let handle = self.get(holder) as usize;
        if index < self.len(holder) {
            self.set(handle + 1 + index, value);
        }
    }

    /// Length of the list in `holder`.
    #[inline]
    #[must_use]
    pub fn len(&self, holder: usize) -> usize {
        let handle = self.get(holder) as usize;
        if handle == 0 { 0 } else { self.get(handle) as usize }
    }

    /// Appends to the list in `holder`.
    pub fn push(&mut self, holder: usize, value: u32) {
        let mut handle = self.list_in(holder);
        if handle == 0 {
            handle = self.alloc(4);
            self.set(holder, handle as u32);
        }
        let len = self.stored_len(handle);
        if len + 1 >= self.capacity(handle) {
            let bigger = self.alloc(self.capacity(handle) * 2);
            for i in 0..=len {
                let word = self.get(handle + i);
                self.set(bigger + i, word);
            }
            self.free(handle);
            self.set(holder, bigger as u32);
            handle = bigger;
        }
        self.set(handle + 1 + len, value);
        self.set(handle, len as u32 + 1);
    }

    /// The handle of the list in `holder`; 0 if it is outside of the block.
    #[inline]
    fn list_in(&self, holder: usize) -> Handle {
        let handle = self.get(holder) as usize;
        if handle < self.words.len() { handle } else { 0 }
    }

    /// The length that a list says, at most what its cell and the block hold: a damaged state never makes a list grow beyond them.
    #[inline]
    fn stored_len(&self, handle: Handle) -> usize {
        let room = self.capacity(handle).min(self.words.len().saturating_sub(handle)).saturating_sub(1);
        if handle == 0 { 0 } else { (self.get(handle) as usize).min(room) }
    }

    /// Appends several items to the list in `holder`.
    pub fn extend(&mut self, holder: usize, values: &[u32]) {
        if values.is_empty() {
            return;
        }
        let mut handle = self.list_in(holder);
        let len = self.stored_len(handle);
        let wanted = len + values.len() + 1;
        if wanted > self.capacity(handle) {
            let bigger = self.alloc(wanted);
            if handle != 0 {
                self.words.copy_within(handle..=handle + len, bigger);
                self.free(handle);
            }
            self.set(holder, bigger as u32);
            handle = bigger;
        }
        if let Some(place) = self.words.get_mut(handle + 1 + len..handle + wanted) {
            place.copy_from_slice(values);
        }
        self.set(handle, (len + values.len()) as u32);
    }

    /// Overwrites items of the list in `holder` from `index` on. All of them must exist, else it does nothing.
    pub fn overwrite(&mut self, holder: usize, index: usize, values: &[u32]) {
        let handle = self.get(holder) as usize;
        if index + values.len() <= self.len(holder)
            && let Some(place) = self.words.get_mut(handle + 1 + index..handle + 1 + index + values.len())
        {
            place.copy_from_slice(values);
        }
    }

    /// Removes and returns the last item.
    pub fn pop(&mut self, holder: usize) -> Option<u32> {
        let handle = self.get(holder) as usize;
        let len = self.len(holder);
        if len == 0 {
            return None;
        }
        let value = self.get(handle + len);
        self.set(handle + len, 0);
        self.set(handle, len as u32 - 1);
        Some(value)
    }

    /// Removes item `index`, keeping the order.
    pub fn remove(&mut self, holder: usize, index: usize) -> Option<u32> {
        let handle = self.get(holder) as usize;
        let len = self.len(holder);
        if index >= len {
            return None;
        }
        let value = self.get(handle + 1 + index);
        for i in index..len - 1 {
            let next = self.get(handle + 2 + i);
            self.set(handle + 1 + i, next);
        }
        self.set(handle + len, 0);
        self.set(handle, len as u32 - 1);
        Some(value)
    }

    /// Inserts before item `index`.
    pub fn insert(&mut self, holder: usize, index: usize, value: u32) {
        self.push(holder, value);
        let handle = self.get(holder) as usize;
        let mut i = self.len(holder) - 1;
        while i > index {
            let before = self.get(handle + i);
            self.set(handle + 1 + i, before);
            i -= 1;
        }
        self.set(handle + 1 + index.min(i), value);
    }

    /// Empties the list in `holder` and frees its cell.
    pub fn clear(&mut self, holder: usize) {
        let handle = self.get(holder) as usize;
        self.free(handle);
        self.set(holder, 0);
    }

    /// Sets the items of the list in `holder`.
    pub fn replace(&mut self, holder: usize, values: &[u32]) {
        if self.list(holder) == values {
            return;
        }
        self.clear(holder);
        self.extend(holder, values);
    }

    /// As [`Block::replace`], with signed values.
    pub fn replace_signed(&mut self, holder: usize, values: &[i32]) {
        let words = values.iter().map(|value| *value as u32);
        if self.list(holder).iter().copied().eq(words.clone()) {
            return;
        }
        self.clear(holder);
        words.for_each(|word| self.push(holder, word));
    }

    // ---- keyed numbers: a list of pairs (key, nonzero value), ascending by key ----

    /// The value of a key in the list of `holder`; key 0 returns the sum of all values.
    #[must_use]
    pub fn keyed(&self, holder: usize, key: i64) -> i64 {
        let pairs = self.list(holder).chunks_exact(2);
        let value = |pair: &[u32]| pair.get(1).map_or(0, |v| i64::from(*v as i32));
        if key == 0 {
            return pairs.map(value).fold(0i64, i64::saturating_add);
        }
        let mut pairs = pairs;
        pairs.find(|pair| pair.first().is_some_and(|k| i64::from(*k) == key)).map_or(0, value)
    }

    /// The first key greater than `after`; 0 if there is none.
    #[must_use]
    pub fn next_key(&self, holder: usize, after: i64) -> i64 {
        self.list(holder).iter().step_by(2).map(|k| i64::from(*k)).find(|k| *k > after).unwrap_or(0)
    }

    /// Writes the value of a key; a value of 0 removes the key.
    pub fn set_keyed(&mut self, holder: usize, key: u32, value: u32) {
        let mut pairs = self.list(holder).to_vec();
        let at = pairs.chunks_exact(2).position(|pair| pair.first().is_some_and(|k| *k >= key)).map_or(pairs.len(), |i| i * 2);
        let exists = pairs.get(at) == Some(&key);
        match (exists, value) {
            (true, 0) => drop(pairs.drain(at..at + 2)),
            (true, _) => pairs.iter_mut().skip(at + 1).take(1).for_each(|v| *v = value),
            (false, 0) => {}
            (false, _) => drop(pairs.splice(at..at, [key, value])),
        }
        self.replace(holder, &pairs);
    }

    /// Allocates a list with these items; returns 0 if there are none.
    pub fn new_list(&mut self, values: &[u32]) -> Handle {
        if values.is_empty() {
            return 0;
        }
        let handle = self.alloc(values.len() + 1);
        self.set(handle, values.len() as u32);
        for (i, value) in values.iter().enumerate() {
            self.set(handle + 1 + i, *value);
        }
        handle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_class_is_the_smallest_that_fits() {
        let classes = [0, 1, 4, 5, 8, 9, 16, 17].map(Block::class_of);
        assert_eq!(classes, [0, 0, 0, 1, 1, 2, 2, 3]);
        assert!(Block::class_of(usize::MAX) >= CLASSES);
    }

    #[test]
    fn lists_grow_shrink_and_reuse_freed_cells() {
        let mut block = Block::new(32);
        for i in 0..100 {
            block.push(30, i);
        }
        block.insert(30, 50, 1000);
        assert_eq!(block.item(30, 50), 1000);
        assert_eq!(block.item(30, 51), 50);
        assert_eq!(block.remove(30, 50), Some(1000));
        assert_eq!(block.list(30), (0..100).collect::<Vec<_>>());
        block.clear(30);
        assert_eq!(block.len(30), 0);
        let size = block.words().len();
        for i in 0..100 {
            block.push(30, i);
        }
        assert_eq!(block.words().len(), size, "freed cells are used again");
    }

    #[test]
    fn damaged_heads_of_free_lists_are_not_used() {
        for head in [400, u32::MAX] {
            let mut block = Block::new(32);
            block.set(1, head);
            assert_eq!(block.alloc(4), 33);
            block.extend(30, &[1, 2, 3]);
            block.extend(30, &[4, 5, 6, 7]);
            assert_eq!(block.list(30), [1, 2, 3, 4, 5, 6, 7]);
        }
    }
}
