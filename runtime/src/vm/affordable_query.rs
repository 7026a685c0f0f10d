//! The query of the built-in function `affordable`: its arguments as data, and the units that are due for a number of steps.

use super::inline_vecs::InlineWords;
use super::scratch::Scratch;
use crate::ir::ObjectRef;
use crate::ir::format::ANY_UNIT;

/// A query of `affordable`: how many times `player` could pay `step` units of any kind for `object`, in addition to `units`. `less` units of any
/// kind are free.
pub(crate) struct AffordableQuery {
    pub(crate) player: usize,
    pub(crate) object: ObjectRef,
    pub(crate) units: InlineWords,
    pub(crate) step: usize,
    pub(crate) less: usize,
}

impl AffordableQuery {
    /// `args`: those of the built-in function. `None` if the first is no player.
    pub(crate) fn from_arguments(scratch: &Scratch, args: &[i64]) -> Option<Self> {
        let argument = |index: usize| args.get(index).copied().unwrap_or(0);
        let [step, less] = [3, 4].map(|index| argument(index).clamp(0, 256) as usize);
        Some(Self {
            player: usize::try_from(argument(0)).ok()?,
            object: ObjectRef::from_value(argument(1)),
            units: scratch.list(argument(2)).iter().map(|unit| *unit as u32).collect(),
            step,
            less,
        })
    }

    /// The units that are due if the step is paid so many times.
    pub(crate) fn units_due(&self, times: usize) -> InlineWords {
        let mut units = self.units.clone();
        units.resize(units.len() + self.step * times, ANY_UNIT);
        let mut less = self.less;
        units.retain(|unit| {
            let is_free = *unit == ANY_UNIT && less > 0;
            less -= usize::from(is_free);
            !is_free
        });
        units
    }
}
