//! What a moment refuses, whatever else there is: outside of its main phase a player summons nothing. Remembered for each moment, so
//! that most windows in which there is nothing to do cost next to nothing.
//!
//! A moment is whose turn it is and which spans are open. It says nothing about the state, so that what is remembered never ends; it is
//! no part of a state.

use super::Machine;
use super::plain::Sees;
use crate::ir::Play;
use crate::state::layout as at;

/// Remembered moments.
const MOMENTS: usize = 128;
/// Places where a moment may be remembered.
const PLACES: usize = 4;
/// Spans of a moment that is remembered.
const SPANS: usize = 12;

/// Where a moment is remembered; nothing for one that is not.
pub(crate) type MomentId = Option<usize>;

/// Verdicts on plays at different moments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments(Vec<Moment>);

#[derive(Clone, Debug, Default)]
struct Moment {
    active: u32,
    spans: Vec<u32>,
    /// For each player and play whether it is refused, as far as it was asked.
    verdicts: Vec<Option<bool>>,
}

impl Moment {
    fn is(&self, active: u32, spans: &[u32]) -> bool {
        self.active == active && self.spans == spans && !self.spans.is_empty()
    }
}

impl Machine {
    /// The moment that it is now.
    pub(crate) fn this_moment(&mut self) -> MomentId {
        let (active, spans) = (self.word(at::ACTIVE), self.state.block.list(at::OPEN));
        if self.scratch.thorough || spans.is_empty() || spans.len() > SPANS {
            return None;
        }
        let mixed = spans.iter().fold(active, |all, span| all.wrapping_mul(0x9E37_79B1).rotate_left(7) ^ span);
        let place = (mixed ^ mixed >> 15) as usize;
        let known = &mut self.scratch.moments.0;
        if known.is_empty() {
            known.resize(MOMENTS, Moment::default());
        }
        let places = || (place..place + PLACES).map(|place| place % MOMENTS);
        let wanted = |place: &usize| known.get(*place).is_some_and(|moment| moment.spans.is_empty() || moment.is(active, spans));
        let place = places().find(wanted).unwrap_or(place % MOMENTS);
        let moment = known.get_mut(place)?;
        if !moment.is(active, spans) {
            moment.active = active;
            moment.spans.clear();
            moment.spans.extend_from_slice(spans);
            moment.verdicts.clear();
        }
        Some(place)
    }

    /// Whether a player is refused a play at a moment, whatever it is about: its condition is false by the moment alone. `number`
    /// tells plays apart.
    pub(crate) fn is_refused_now(&mut self, moment: MomentId, number: usize, play: &Play, player: usize) -> bool {
        let (Some(moment), Some(condition)) = (moment, play.condition) else { return false };
        let place = number * self.program.players() + player;
        let verdict = |machine: &Self| machine.scratch.moments.0.get(moment)?.verdicts.get(place).copied().flatten();
        if let Some(refused) = verdict(self) {
            return refused;
        }
        let mut args = vec![0, player as i64];
        args.resize(2 + play.extras.len(), 0);
        let (world, scratch) = self.world();
        let refused = world.foresee(scratch, condition, &args, 1, Sees::Moment) == Some(0);
        if let Some(moment) = scratch.moments.0.get_mut(moment) {
            if moment.verdicts.len() <= place {
                moment.verdicts.resize(place + 1, None);
            }
            moment.verdicts.get_mut(place).into_iter().for_each(|verdict| *verdict = Some(refused));
        }
        refused
    }
}
