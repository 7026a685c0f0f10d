//! What the words on a card decide by themselves: for which plays it is at all. Computed once for each definition.
//!
//! Most plays are for a kind of card (`play cast(it: spell)`), and most of what lies in a hand is of another kind.

use crate::ir::op::Binary;
use crate::ir::{FnId, Format, Library, Op};
use crate::program::RowLayout;

/// Plays from this one on are always asked.
const PLAYS: usize = 64;

/// Which plays of a format an object with the words of a derived row may be for: bit `n` for play `n`.
pub(crate) fn plays_for(library: &Library, format: &Format, layout: &RowLayout, row: &[u32]) -> u64 {
    let refused = |applies: FnId| decided(library, layout, row, applies) == Some(false);
    let may = |(n, play): (usize, &crate::ir::Play)| u64::from(!play.applies.is_some_and(refused)) << n;
    format.plays.iter().take(PLAYS).enumerate().map(may).fold(0, |all, bit| all | bit)
}

/// Whether the plays in a mask include one.
pub(crate) fn includes(mask: u64, play: usize) -> bool {
    play >= PLAYS || mask & (1 << play) != 0
}

/// The value of a condition on an object that reads nothing but its words; nothing when it reads something else.
fn decided(library: &Library, layout: &RowLayout, row: &[u32], condition: FnId) -> Option<bool> {
    let code = library.functions.get(condition.index()).filter(|code| code.slots.is_empty())?;
    let mut registers: Vec<Option<bool>> = vec![None; code.registers.len()];
    let mut pc = 0;
    // No loop: every jump goes on.
    while let Some(op) = code.ops.get(pc) {
        pc += 1;
        let value = |registers: &[Option<bool>], reg: u16| registers.get(usize::from(reg)).copied().flatten();
        let result = match op {
            Op::Jump { to } if *to as usize >= pc => {
                pc = *to as usize;
                continue;
            }
            Op::JumpUnless { cond, to } if *to as usize >= pc => {
                if !value(&registers, *cond)? {
                    pc = *to as usize;
                }
                continue;
            }
            Op::Return { value: Some(reg) } => return value(&registers, *reg),
            Op::HasWord { of: 0, traits, word, .. } => {
                let first = *layout.words.get(traits.index())?;
                row.get(first + usize::from(*word) / 32)? & (1 << (word % 32)) != 0
            }
            Op::Const { value, .. } => *value != 0,
            Op::Copy { src, .. } => value(&registers, *src)?,
            Op::Not { a, .. } => !value(&registers, *a)?,
            Op::Binary { op: Binary::And, a, b, .. } => value(&registers, *a)? && value(&registers, *b)?,
            Op::Binary { op: Binary::Or, a, b, .. } => value(&registers, *a)? || value(&registers, *b)?,
            _ => return None,
        };
        *registers.get_mut(usize::from(op.written()?))? = Some(result);
    }
    None
}
