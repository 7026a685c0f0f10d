//! What the words and keywords on a card decide by themselves: for which plays it is at all. Computed once for each definition.
//!
//! Most plays are for a kind of card (`play cast(it: spell)`), and most of what lies in a hand is of another kind.

use crate::ir::op::Binary;
use crate::ir::{AbilityBundleId, FnId, Format, KeywordId, Library, Op};
use crate::program::{Program, RowLayout};
use std::ops::Range;

/// Plays from this one on are always asked.
pub(crate) const PLAYS: usize = 64;

/// Conditions within conditions that are looked into.
const DEPTH: u32 = 4;

/// What is printed: a derived row, and what its columns mean.
#[derive(Clone, Copy)]
pub(crate) struct PrintedRow<'a> {
    pub library: &'a Library,
    pub format: &'a Format,
    pub layout: &'a RowLayout,
    /// The units that can occur, by dense number.
    pub units: &'a [AbilityBundleId],
    pub row: &'a [u32],
}

/// What a register holds, as far as it is known.
#[derive(Clone, Copy)]
enum KnownRegister {
    /// The object that is asked about.
    It,
    Truth(bool),
}

/// Which plays of a format an object with the words and keywords of a derived row is for.
pub(crate) fn plays_for(printed: &PrintedRow<'_>) -> PlaySet {
    let mut plays = PlaySet { possible: 0, certain: 0 };
    for (n, play) in printed.format.plays.iter().take(PLAYS).enumerate() {
        let applies = play.object_filter.map(|applies| printed.decided(applies, &[Some(KnownRegister::It)], DEPTH));
        plays.possible |= u64::from(!matches!(applies, Some(Some(KnownRegister::Truth(false))))) << n;
        plays.certain |= u64::from(matches!(applies, None | Some(Some(KnownRegister::Truth(true))))) << n;
    }
    plays
}

/// Plays of a format: bit `n` for play `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaySet {
    /// Those that an object may be for.
    pub possible: u64,
    /// Those that it is for.
    pub certain: u64,
}

impl PlaySet {
    /// Of what no print tells anything.
    pub(crate) const ANY: Self = Self { possible: u64::MAX, certain: 0 };
}

/// Whether the plays in a mask include one.
pub(crate) fn includes(mask: u64, play: usize) -> bool {
    play >= PLAYS || mask & (1 << play) != 0
}

impl Program {
    /// The columns of a derived row that tell the words and keywords of an object.
    pub(crate) fn telling_columns(&self) -> Range<usize> {
        self.row.words.first().copied().unwrap_or(0)..self.row.units + self.row.unit_words
    }

    /// What a definition prints in one of these columns; nothing for another column.
    pub(crate) fn told_by_print(&self, definition: usize, column: usize) -> Option<u32> {
        let template = self.templates.get(definition).filter(|_| self.telling_columns().contains(&column))?;
        template.get(column).copied()
    }

    /// Whether a definition prints a keyword.
    pub(crate) fn prints_keyword(&self, definition: usize, keyword: KeywordId) -> bool {
        let Self { library, format, row: layout, units, .. } = self;
        let template = self.templates.get(definition);
        template.is_some_and(|row| PrintedRow { library, format, layout, units, row }.has_keyword(keyword))
    }
}

impl PrintedRow<'_> {
    /// The value of a condition that reads nothing but the words and keywords of the object; nothing when it reads something else.
    fn decided(&self, condition: FnId, args: &[Option<KnownRegister>], depth: u32) -> Option<KnownRegister> {
        let code = self.library.functions.get(condition.index()).filter(|code| code.slots.is_empty())?;
        let depth = depth.checked_sub(1)?;
        let mut registers: Vec<Option<KnownRegister>> = vec![None; code.registers.len()];
        registers.iter_mut().zip(args).for_each(|(place, arg)| *place = *arg);
        let mut pc = 0;
        // No loop: every jump goes on.
        while let Some(op) = code.ops.get(pc) {
            pc += 1;
            let held = |reg: u16| registers.get(usize::from(reg)).copied().flatten();
            let truth = |reg: u16| match held(reg)? {
                KnownRegister::Truth(value) => Some(value),
                KnownRegister::It => None,
            };
            let is_it = |reg: u16| matches!(held(reg), Some(KnownRegister::It)).then_some(());
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
                    KnownRegister::Truth(self.row.get(first + usize::from(*word) / 32)? & (1 << (word % 32)) != 0)
                }
                Op::HasKeyword { of, keyword, .. } => {
                    is_it(*of)?;
                    KnownRegister::Truth(self.has_keyword(*keyword))
                }
                Op::Const { value, .. } => KnownRegister::Truth(*value != 0),
                Op::Copy { src, .. } => held(*src)?,
                Op::Not { a, .. } => KnownRegister::Truth(!truth(*a)?),
                Op::Binary { op: Binary::And, a, b, .. } => KnownRegister::Truth(truth(*a)? && truth(*b)?),
                Op::Binary { op: Binary::Or, a, b, .. } => KnownRegister::Truth(truth(*a)? || truth(*b)?),
                Op::Call { function, args, .. } => {
                    let args: Vec<Option<KnownRegister>> = args.iter().map(|reg| held(*reg)).collect();
                    self.decided(*function, &args, depth)?
                }
                _ => return None,
            };
            *registers.get_mut(usize::from(op.written()?))? = Some(result);
        }
        None
    }

    fn has_keyword(&self, keyword: KeywordId) -> bool {
        self.units.iter().enumerate().any(|(dense, unit)| {
            let on_it = self.row.get(self.layout.units + dense / 32).is_some_and(|word| word & (1 << (dense % 32)) != 0);
            let unit = self.format.units.get(unit.index()).and_then(|unit| unit.keyword.as_ref());
            on_it && unit.is_some_and(|(known, _)| *known == keyword)
        })
    }
}
