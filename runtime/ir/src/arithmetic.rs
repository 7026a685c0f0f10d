//! The arithmetic of operations: all tiers that run code, and the folding of constants, compute values here.

use super::op::{Binary, FoldKind};
use crate::ObjectRef;
use crate::ids::NO_PLAYER;
use crate::types::Type;

/// Adds one value to a fold.
#[must_use]
pub fn fold(how: FoldKind, total: Option<i64>, value: i64) -> i64 {
    match (how, total) {
        (_, None) => value,
        (FoldKind::Sum, Some(total)) => total.saturating_add(value),
        (FoldKind::Highest, Some(total)) => total.max(value),
        (FoldKind::Lowest, Some(total)) => total.min(value),
    }
}

/// Converts a player, an object or a thing to another of these types.
#[must_use]
pub fn cast_one(value: i64, from: Type, into: Type) -> i64 {
    match (from, into) {
        (Type::Player, Type::Thing) => usize::try_from(value).map_or(0, |seat| ObjectRef::of_player(seat).value()),
        (Type::Thing, Type::Player) => ObjectRef::from_value(value).player().map_or(NO_PLAYER, |seat| seat as i64),
        (Type::Thing, Type::Object) if ObjectRef::from_value(value).player().is_some() => 0,
        _ => value,
    }
}

/// The result of a binary operation. Sums, differences and products saturate; a division by 0 is 0.
#[inline]
#[must_use]
pub fn binary(op: Binary, a: i64, b: i64) -> i64 {
    match op {
        Binary::Add => a.saturating_add(b),
        Binary::Subtract => a.saturating_sub(b),
        Binary::Multiply => a.saturating_mul(b),
        Binary::DivideDown => a.checked_div_euclid(b).map_or(0, |q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q }),
        Binary::DivideUp => -binary(Binary::DivideDown, a.saturating_neg(), b),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Equal => i64::from(a == b),
        Binary::NotEqual => i64::from(a != b),
        Binary::Less => i64::from(a < b),
        Binary::LessEqual => i64::from(a <= b),
        Binary::And => i64::from(a != 0 && b != 0),
        Binary::Or => i64::from(a != 0 || b != 0),
        Binary::MaskAnd => a & b,
    }
}
