//! Applicability: which plays a definition may or must be for, by its printed words and keywords alone.
//!
//! Computed once per definition at link time. Most plays accept one kind of card (`play cast(it: spell)`), so this excludes most
//! objects before any condition is evaluated. Plays from number 64 on are always evaluated.

use crate::ir::op::Binary;
use crate::ir::{AbilityBundleId, FnId, Format, KeywordId, Library, Op};
use crate::tables::{LinkedTables, RowLayout};
use std::ops::Range;

/// Plays that are classified. Plays from this number on are always evaluated.
pub(crate) const MAX_PLAYS: usize = 64;

/// Nested conditions that are evaluated.
const MAX_CALL_DEPTH: u32 = 4;

/// A print: a derived row before any effect, with what is needed to interpret it.
#[derive(Clone, Copy)]
pub(crate) struct PrintedRow<'a> {
    pub library: &'a Library,
    pub format: &'a Format,
    pub layout: &'a RowLayout,
    /// The ability bundles that can occur, by dense number.
    pub units: &'a [AbilityBundleId],
    pub row: &'a [u32],
}

/// A known value of a register.
#[derive(Clone, Copy)]
enum KnownRegister {
    /// The object that is classified.
    Object,
    Bool(bool),
}

/// Returns which plays of a format an object with the words and keywords of a row may or must be for.
pub(crate) fn plays_for(printed: &PrintedRow<'_>) -> PlaySet {
    let mut plays = PlaySet { possible: 0, certain: 0 };
    for (n, play) in printed.format.plays.iter().take(MAX_PLAYS).enumerate() {
        let applies = play.object_filter.map(|applies| printed.evaluate(applies, &[Some(KnownRegister::Object)], MAX_CALL_DEPTH));
        plays.possible |= u64::from(!matches!(applies, Some(Some(KnownRegister::Bool(false))))) << n;
        plays.certain |= u64::from(matches!(applies, None | Some(Some(KnownRegister::Bool(true))))) << n;
    }
    plays
}

/// Sets of plays of a format: bit `n` for play `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaySet {
    /// Plays that an object may be for.
    pub possible: u64,
    /// Plays that an object is certainly for.
    pub certain: u64,
}

impl PlaySet {
    /// The set for an object whose print is unknown: every play is possible, none is certain.
    pub(crate) const ANY: Self = Self { possible: u64::MAX, certain: 0 };
}

/// Returns whether a mask of plays includes a play. A play that is not classified is always included.
pub(crate) fn includes(mask: u64, play: usize) -> bool {
    play >= MAX_PLAYS || mask & (1 << play) != 0
}

impl LinkedTables {
    /// Returns the columns of a derived row that hold the words and ability bundles of an object.
    pub(crate) fn print_columns(&self) -> Range<usize> {
        self.row.words.first().copied().unwrap_or(0)..self.row.bundles + self.row.bundle_words
    }

    /// Returns what a definition prints in one of these columns, or `None` for another column.
    pub(crate) fn printed_word(&self, definition: usize, column: usize) -> Option<u32> {
        let template = self.templates.get(definition).filter(|_| self.print_columns().contains(&column))?;
        template.get(column).copied()
    }

    /// Returns whether a definition prints a keyword.
    pub(crate) fn prints_keyword(&self, definition: usize, keyword: KeywordId) -> bool {
        let Self { library, format, row: layout, bundles: units, .. } = self;
        let template = self.templates.get(definition);
        template.is_some_and(|row| PrintedRow { library, format, layout, units, row }.has_keyword(keyword))
    }
}

impl PrintedRow<'_> {
    /// Evaluates a condition that reads only the words and keywords of the object. Returns `None` if it reads anything else.
    fn evaluate(&self, condition: FnId, args: &[Option<KnownRegister>], depth: u32) -> Option<KnownRegister> {
        let code = self.library.functions.get(condition.index()).filter(|code| code.text_slots.is_empty())?;
        let depth = depth.checked_sub(1)?;
        let mut registers: Vec<Option<KnownRegister>> = vec![None; code.registers.len()];
        registers.iter_mut().zip(args).for_each(|(place, arg)| *place = *arg);
        let mut pc = 0;
        // Terminates, because only forward jumps are followed.
        while let Some(op) = code.ops.get(pc) {
            pc += 1;
            let held = |reg: u16| registers.get(usize::from(reg)).copied().flatten();
            let truth = |reg: u16| match held(reg)? {
                KnownRegister::Bool(value) => Some(value),
                KnownRegister::Object => None,
            };
            let is_it = |reg: u16| matches!(held(reg), Some(KnownRegister::Object)).then_some(());
            let result = match op {
                Op::Jump { to } if *to as usize >= pc => {
                    pc = *to as usize;
                    continue;
                }
                Op::JumpUnless { cond, to } if *to as usize >= pc => {
                    if !truth(*cond)? {
                        pc = *to as usize;
                    }
                    continue;
                }
                Op::Return { value: Some(reg) } => return held(*reg),
                Op::HasWord { of, traits, word, .. } => {
                    is_it(*of)?;
                    let first = *self.layout.words.get(traits.index())?;
                    KnownRegister::Bool(self.row.get(first + usize::from(*word) / 32)? & (1 << (word % 32)) != 0)
                }
                Op::HasKeyword { of, keyword, .. } => {
                    is_it(*of)?;
                    KnownRegister::Bool(self.has_keyword(*keyword))
                }
                Op::Const { value, .. } => KnownRegister::Bool(*value != 0),
                Op::Copy { src, .. } => held(*src)?,
                Op::Not { a, .. } => KnownRegister::Bool(!truth(*a)?),
                Op::Binary { op: Binary::And, a, b, .. } => KnownRegister::Bool(truth(*a)? && truth(*b)?),
                Op::Binary { op: Binary::Or, a, b, .. } => KnownRegister::Bool(truth(*a)? || truth(*b)?),
                Op::Call { function, args, .. } => {
                    let args: Vec<Option<KnownRegister>> = args.iter().map(|reg| held(*reg)).collect();
                    self.evaluate(*function, &args, depth)?
                }
                _ => return None,
            };
            *registers.get_mut(usize::from(op.destination()?))? = Some(result);
        }
        None
    }

    fn has_keyword(&self, keyword: KeywordId) -> bool {
        let words = self.row.get(self.layout.bundles..).unwrap_or(&[]);
        self.units.chunks(32).zip(words).any(|(units, word)| {
            let mut printed = *word;
            while printed != 0 {
                let unit = units.get(printed.trailing_zeros() as usize);
                printed &= printed - 1;
                let bundle = unit.and_then(|unit| self.format.bundles.get(unit.index()));
                if bundle.and_then(|bundle| bundle.keyword.as_ref()).is_some_and(|(known, _)| *known == keyword) {
                    return true;
                }
            }
            false
        })
    }
}
