//! The memory of evaluations: registers and lists while something is evaluated, and what is remembered of it. No part of a state.

use super::batch::Segment;
use super::decision::Choice;
use super::moments::Moments;
use super::options::Lying;
use super::plain::{Columns, Memo};
use crate::state::Ref;
use std::sync::{Mutex, PoisonError};

/// Registers and lists of evaluations in progress, and what was found out. Not part of the state; the former are empty between steps.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A stack of register windows.
    pub registers: Vec<i64>,
    lists: Vec<Vec<i32>>,
    used: usize,
    /// Calls in progress.
    pub(crate) depth: u32,
    /// What would be announced, while it is asked whether that can be paid.
    pub(crate) supposed: Option<Supposed>,
    /// Nothing is seen through now: values after continuous effects are computed, or something is seen through already.
    pub(crate) uncovering: bool,
    /// What calls gave.
    pub(crate) memo: Memo,
    /// Registers of runs over many objects.
    pub(crate) columns: Vec<Columns>,
    /// What a commit looks at.
    pub(crate) segment: Segment,
    /// What a player may play from where.
    pub(crate) lying: Lying,
    /// What a player may choose among.
    pub(crate) options: Vec<Choice>,
    /// Words on their way.
    pub(crate) words: Vec<u32>,
    /// How often something had changed when each player last looked at what is concealed ([`Derived::changes`]).
    pub(crate) looked: Vec<Option<u64>>,
    /// What each moment refuses.
    pub(crate) moments: Moments,
    /// Everything is evaluated operation by operation. For tests.
    pub(crate) thorough: bool,
    /// Operations executed since it was last cleared.
    pub fuel: u64,
    /// Pure code stops when `fuel` passes this; whoever called it then ends the game.
    pub limit: u64,
}

/// An announcement that is only thought of.
#[derive(Clone, Debug)]
pub(crate) struct Supposed {
    /// What would be used.
    pub object: Ref,
    /// By whom.
    pub user: usize,
    /// With which options: ability, how often.
    pub chosen: Vec<(u32, u32)>,
}

impl Scratch {
    /// Empty, for code that may execute so many operations.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// As for a new game: nothing is in progress.
    pub(crate) fn begin(&mut self, limit: u64) {
        self.registers.clear();
        (self.used, self.depth, self.supposed) = (0, 0, None);
        (self.uncovering, self.thorough) = (false, false);
        (self.fuel, self.limit) = (0, limit);
    }

    /// A new empty list; its handle.
    pub fn new_list(&mut self) -> i64 {
        if self.used == self.lists.len() {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.get_mut(self.used) {
            list.clear();
        }
        self.used += 1;
        self.used as i64
    }

    /// A new list with items.
    pub fn make_list(&mut self, items: impl IntoIterator<Item = i32>) -> i64 {
        let handle = self.new_list();
        if let Some(list) = self.lists.get_mut(self.used - 1) {
            list.extend(items);
        }
        handle
    }

    /// The items of a list. Handle 0 is the empty list.
    #[must_use]
    pub fn list(&self, handle: i64) -> &[i32] {
        usize::try_from(handle - 1).ok().and_then(|i| self.lists.get(i)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn list_mut(&mut self, handle: i64) -> Option<&mut Vec<i32>> {
        usize::try_from(handle - 1).ok().and_then(|i| self.lists.get_mut(i))
    }

    /// Remembers how many lists are in use.
    #[must_use]
    pub fn mark(&self) -> usize {
        self.used
    }

    /// Gives all lists made since the mark back.
    pub fn release(&mut self, mark: usize) {
        self.used = mark;
    }
}

/// Memories that games of a program left behind, for its next games: what a moment refuses is the same in all of them.
#[derive(Debug, Default)]
pub(crate) struct Left(Mutex<Vec<(Scratch, u64)>>);

impl Left {
    /// So many are kept: games that one thread plays at a time.
    const MOST: usize = 4;

    /// A memory, and how often something had changed in its game; an empty one if none is left.
    pub(crate) fn take(&self) -> (Scratch, u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Leaves a memory of a game in which something had changed so often.
    pub(crate) fn leave(&self, scratch: Scratch, changes: u64) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() < Self::MOST {
            left.push((scratch, changes));
        }
    }
}

impl Clone for Left {
    fn clone(&self) -> Self {
        Self::default()
    }
}
