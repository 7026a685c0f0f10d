//! The state of a game: plain data in one flat block of words, with offsets computed from the program.
//!
//! Order of the block: header, variables of the game and of the players, zones, page table, then cells (see [`block`]). Cells
//! hold pages of 64 objects with their columns interleaved, lists, frames, effects and waiting triggers. The state holds indices
//! only, no pointers.

mod ability_totals;
pub mod block;
pub mod layout;
pub mod position_hash;

use crate::ir::ObjectRef;
use crate::ir::encoding_limits::{MAX_INCARNATION, MAX_OBJECTS};
use crate::ir::has_zone;
use crate::tables::LinkedTables;
use block::{Block, Handle};
use layout as at;

/// A game in progress, as plain data. `clone_from` reuses memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The words of the state.
    pub block: Block,
    /// The marks: copies of the block to which a rollback of an announcement returns, outermost first.
    pub marks: Vec<Block>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { block: self.block.clone(), marks: self.marks.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.block.clone_from(&other.block);
        self.marks.clone_from(&other.marks);
    }
}

impl State {
    /// The state of a game before its setup, with all variables at their initial values.
    #[must_use]
    pub fn new(program: &LinkedTables, seed: u64) -> Self {
        let mut block = Block::new(program.layout.fixed);
        block.set(at::SEED, seed as u32);
        block.set(at::SEED + 1, (seed >> 32) as u32);
        block.set(at::NEXT_TIMESTAMP, 1);
        block.set(at::DIRTY_RULES, u32::MAX);
        block.set(at::SLOT_COUNT, 1);
        for word in [at::WINNER, at::PREVIOUS_LOSER, at::FIRST_PLAYER] {
            block.set(word, u32::MAX);
        }
        block.set(at::GAME_NUMBER, 1);
        let mut state = Self { block, marks: Vec::new() };
        for (i, variable) in program.library.globals.iter().enumerate() {
            state.block.set(program.layout.global(i), variable.initial as u32);
        }
        for player in 0..program.players() {
            for (i, variable) in program.library.player_variables.iter().enumerate() {
                state.block.set(program.layout.player(player, i), variable.initial as u32);
            }
        }
        state
    }

    // ---- header ----

    /// The active player.
    #[must_use]
    pub fn active(&self) -> usize {
        self.block.get(at::ACTIVE_PLAYER) as usize
    }

    /// The number of the current turn, from 1.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.block.get(at::TURN)
    }

    /// Returns the next timestamp and advances it.
    pub fn take_timestamp(&mut self) -> u32 {
        let stamp = self.block.get(at::NEXT_TIMESTAMP);
        self.block.set(at::NEXT_TIMESTAMP, stamp.wrapping_add(1));
        stamp
    }

    // ---- objects ----

    /// The number of slots ever used, plus one.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.block.get(at::SLOT_COUNT) as usize
    }

    /// The word of a column of a slot; 0 if it has no cell.
    #[inline]
    #[must_use]
    pub fn cell(&self, slot: usize, column: usize) -> usize {
        let first = self.column_start(slot / at::LANES, column);
        if first == 0 { 0 } else { first + slot % at::LANES }
    }

    /// The first word of a column of a page; 0 if the page does not exist, or if the column is a status without a cell on the
    /// page.
    #[inline]
    fn column_start(&self, page: usize, column: usize) -> usize {
        let page = self.block.get(at::PAGES + page) as usize;
        match (page, column.checked_sub(at::STATUSES)) {
            (0, _) => 0,
            (_, None) => page + column * at::LANES,
            (_, Some(status)) => self.block.get(page + at::STATUSES * at::LANES + status) as usize,
        }
    }

    /// As [`State::cell`], for writing: allocates the cell of a status if there is none.
    pub fn cell_for_write(&mut self, slot: usize, column: usize) -> usize {
        let cell = self.cell(slot, column);
        let page = self.block.get(at::PAGES + slot / at::LANES) as usize;
        if cell != 0 || page == 0 || column < at::STATUSES {
            return cell;
        }
        let first = self.block.alloc(at::LANES);
        self.block.set(page + at::STATUSES * at::LANES + (column - at::STATUSES), first as u32);
        first + slot % at::LANES
    }

    /// The value of a column of a slot.
    #[inline]
    #[must_use]
    pub fn column(&self, slot: usize, column: usize) -> u32 {
        self.block.get(self.cell(slot, column))
    }

    /// The slots in which a column is not 0, ascending.
    pub fn slots_with(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.pages_of(column).enumerate().flat_map(|(page, words)| {
            words.iter().enumerate().filter(|(_, word)| **word != 0).map(move |(n, _)| page * at::LANES + n)
        })
    }

    /// Whether a column is not 0 in any slot.
    pub fn any_slot_with(&self, column: usize) -> bool {
        // Combines the words without a branch for each.
        self.pages_of(column).any(|words| words.iter().fold(0, |all, word| all | word) != 0)
    }

    /// A column, page by page; empty slices for pages on which it is 0.
    fn pages_of(&self, column: usize) -> impl Iterator<Item = &[u32]> + '_ {
        (0..self.slots().div_ceil(at::LANES)).map(move |page| match self.column_start(page, column) {
            0 => &[][..],
            first => self.block.slice(first, at::LANES),
        })
    }

    /// Writes a column of all slots. Returns whether any value changed, and calls `changes` with each changed slot.
    pub fn reset_column(&mut self, column: usize, value: u32, mut changes: impl FnMut(usize)) -> bool {
        let slots = self.slots();
        let mut changed = false;
        for page in 0..slots.div_ceil(at::LANES) {
            let (from, to) = (usize::from(page == 0), (slots - page * at::LANES).min(at::LANES));
            if value != 0 {
                self.cell_for_write(page * at::LANES, column);
            }
            let first = self.column_start(page, column);
            let words = if first == 0 { &mut [] } else { self.block.slice_mut(first + from, to - from) };
            // Combines the words without a branch for each.
            if words.iter().fold(0, |all, word| all | (*word ^ value)) != 0 {
                changed = true;
                let others = words.iter().enumerate().filter(|(_, word)| **word != value);
                others.for_each(|(n, _)| changes(page * at::LANES + from + n));
                words.fill(value);
            }
        }
        changed
    }

    /// Writes a column of a slot.
    #[inline]
    pub fn set_column(&mut self, slot: usize, column: usize, value: u32) {
        let cell = if value == 0 { self.cell(slot, column) } else { self.cell_for_write(slot, column) };
        if cell != 0 {
            self.block.set(cell, value);
        }
    }

    /// The current reference of a slot.
    #[inline]
    #[must_use]
    pub fn current(&self, slot: usize) -> ObjectRef {
        ObjectRef::new(slot, self.column(slot, at::INCARNATION))
    }

    /// Whether a reference is not stale.
    #[inline]
    #[must_use]
    pub fn exists(&self, it: ObjectRef) -> bool {
        self.first_cell(it).is_some()
    }

    /// The word of the first column of an object; `None` if the reference is stale.
    #[inline]
    #[must_use]
    pub fn first_cell(&self, it: ObjectRef) -> Option<usize> {
        let slot = it.slot();
        let first = self.cell(slot, 0);
        let exists = slot != 0
            && first != 0
            && slot < self.slots()
            && self.block.get(first + at::INCARNATION * at::LANES) == it.incarnation()
            && self.block.get(first + at::ZONE * at::LANES) != at::NOWHERE;
        exists.then_some(first)
    }

    /// The zone instance of a slot.
    #[inline]
    #[must_use]
    pub fn zone(&self, slot: usize) -> Option<usize> {
        let zone = self.column(slot, at::ZONE);
        (zone < at::NOT_YET_PLACED).then_some(zone as usize)
    }

    /// Whether the object in a slot was created and has not been placed in a zone yet.
    #[must_use]
    pub fn is_unplaced(&self, slot: usize) -> bool {
        self.column(slot, at::ZONE) == at::NOT_YET_PLACED
    }

    /// Creates an object in no zone. Returns `None` if the maximum number of objects is reached.
    pub fn new_object(&mut self, program: &LinkedTables, definition: u32, owner: usize) -> Option<ObjectRef> {
        let slot = match self.block.pop(at::FREE_SLOTS) {
            Some(slot) => slot as usize,
            None => {
                let slot = self.slots();
                if slot > MAX_OBJECTS || slot >= at::MAX_PAGES * at::LANES {
                    return None;
                }
                if self.block.get(at::PAGES + slot / at::LANES) == 0 {
                    let page = self.block.alloc(program.layout.page);
                    self.block.set(at::PAGES + slot / at::LANES, page as u32);
                }
                self.block.set(at::SLOT_COUNT, slot as u32 + 1);
                slot
            }
        };
        let incarnation = self.column(slot, at::INCARNATION).wrapping_add(1).min(MAX_INCARNATION);
        self.set_column(slot, at::INCARNATION, incarnation);
        self.set_column(slot, at::DEFINITION, definition);
        self.set_column(slot, at::OWNER, owner as u32);
        self.set_column(slot, at::CONTROLLER, owner as u32);
        // A slot without an object has no abilities that are counted.
        self.set_column(slot, at::ZONE, at::NOWHERE);
        self.reset_statuses(program, slot);
        Some(self.current(slot))
    }

    /// Frees a slot. Its incarnation keeps counting, so that references to it are stale.
    pub fn free_object(&mut self, program: &LinkedTables, slot: usize) {
        let incarnation = self.column(slot, at::INCARNATION).wrapping_add(1).min(MAX_INCARNATION);
        self.write_copy(program, slot, &[]);
        self.reset_statuses(program, slot);
        self.set_zone(program, slot, at::NOWHERE);
        for column in 0..program.layout.columns {
            self.set_column(slot, column, 0);
        }
        self.set_column(slot, at::INCARNATION, incarnation);
        self.set_column(slot, at::ZONE, at::NOWHERE);
        self.block.push(at::FREE_SLOTS, slot as u32);
    }

    /// Sets all statuses of a slot to their initial values.
    pub fn reset_statuses(&mut self, program: &LinkedTables, slot: usize) {
        for (i, status) in program.library.statuses.iter().enumerate() {
            if status.keys.is_some() && self.column(slot, at::STATUSES + i) != 0 {
                let holder = self.cell(slot, at::STATUSES + i);
                self.block.clear(holder);
            }
            self.set_column(slot, at::STATUSES + i, status.initial as u32);
        }
    }

    /// Copies the statuses of one slot to another.
    pub fn copy_statuses(&mut self, program: &LinkedTables, from: usize, to: usize) {
        for (i, status) in program.library.statuses.iter().enumerate() {
            let column = at::STATUSES + i;
            if status.keys.is_some() {
                let pairs = self.block.list(self.cell(from, column)).to_vec();
                if !pairs.is_empty() || self.column(to, column) != 0 {
                    let holder = self.cell_for_write(to, column);
                    self.block.replace(holder, &pairs);
                }
            } else {
                let value = self.column(from, column);
                self.set_column(to, column, value);
            }
        }
    }

    /// The row of copied values that an object has instead of its definition's; empty if it is not a copy.
    #[must_use]
    pub fn copied_row(&self, slot: usize) -> &[u32] {
        self.block.list(self.cell(slot, at::COPY)).get(1..).unwrap_or(&[])
    }

    /// The flags of a copy: [`at::COPY_CARDLESS`], [`at::COPY_ENTERING`].
    #[must_use]
    pub fn copy_flags(&self, slot: usize) -> u32 {
        self.block.list(self.cell(slot, at::COPY)).first().copied().unwrap_or(0)
    }

    /// The status that conceals the object in a slot.
    #[must_use]
    pub fn concealing_status(&self, program: &LinkedTables, slot: usize) -> Option<usize> {
        program.concealing_statuses.iter().copied().find(|status| self.column(slot, at::STATUSES + status) != 0)
    }

    /// Whether a status conceals the object in a slot.
    #[must_use]
    pub fn is_concealed(&self, program: &LinkedTables, slot: usize) -> bool {
        program.concealing_statuses.iter().any(|status| self.column(slot, at::STATUSES + status) != 0)
    }

    /// Whether the object in a slot is in a zone whose kind is in a mask (see [`has_zone`]), so that an ability for these zones
    /// is active.
    #[must_use]
    pub fn is_in_zone_kinds(&self, program: &LinkedTables, slot: usize, zones: u32) -> bool {
        self.zone(slot).is_some_and(|zone| has_zone(zones, program.layout.kind(zone)))
    }

    /// Whether a status conceals the object in a slot and gives it public values.
    #[must_use]
    pub fn is_disguised(&self, program: &LinkedTables, slot: usize) -> bool {
        self.concealing_status(program, slot).is_some_and(|status| program.disguise(status).is_some())
    }

    // ---- zones ----

    /// The objects of a zone instance, bottom to top.
    #[inline]
    #[must_use]
    pub fn zone_items(&self, program: &LinkedTables, instance: usize) -> &[u32] {
        self.block.list(program.layout.zone(instance))
    }

    /// Removes a slot from the list of its zone.
    pub fn remove_from_zone(&mut self, program: &LinkedTables, slot: usize) {
        if self.is_unplaced(slot) {
            self.set_zone(program, slot, at::NOWHERE);
        }
        if let Some(zone) = self.zone(slot) {
            let holder = program.layout.zone(zone);
            let current = self.current(slot).0;
            if let Some(index) = self.block.list(holder).iter().position(|item| *item == current) {
                self.block.remove(holder, index);
            }
            self.set_zone(program, slot, at::NOWHERE);
        }
    }

    /// Puts a slot into a zone instance, at the top or bottom.
    pub fn put_into_zone(&mut self, program: &LinkedTables, slot: usize, instance: usize, bottom: bool) {
        self.set_zone(program, slot, instance as u32);
        let current = self.current(slot).0;
        let holder = program.layout.zone(instance);
        if bottom {
            self.block.insert(holder, 0, current);
        } else {
            self.block.push(holder, current);
        }
    }

    /// The members of a slot's pile, bottom to top.
    #[must_use]
    pub fn pile(&self, slot: usize) -> &[u32] {
        self.block.list(self.cell(slot, at::PILE))
    }

    // ---- frames ----

    /// The topmost frame.
    #[must_use]
    pub fn top_frame(&self) -> Option<Handle> {
        self.block.list(at::FRAMES).last().map(|frame| *frame as usize)
    }

    /// The number of frames.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.block.len(at::FRAMES)
    }

    // ---- hashes ----

    /// A hash of every word of the state, for replay and differential tests.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for block in std::iter::once(&self.block).chain(&self.marks) {
            for chunk in block.words().chunks(64) {
                let mut bytes = [0u8; 256];
                for (word, place) in chunk.iter().zip(bytes.chunks_exact_mut(4)) {
                    place.copy_from_slice(&word.to_le_bytes());
                }
                hasher.update(bytes.get(..chunk.len() * 4).unwrap_or(&[]));
            }
        }
        hasher.digest()
    }
}
