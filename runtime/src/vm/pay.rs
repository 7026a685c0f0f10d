//! Paying: exact automatic payment over simple producers, and by hand where more can be done.
//!
//! A price is a list of units, each a mask of the kinds it accepts. A simple producer yields one unit of one of its kinds, once.
//! Floating units and producers are matched to the price's units (augmenting paths), so that a price is payable exactly when a
//! matching exists. Producers with fewer kinds are used first, in zone order.

use super::Machine;
use super::body::Behalf;
use super::decision::{Choice, Decision, DecisionKind};
use super::frame::{kind, pay};
use crate::ir::op::Write;
use crate::ir::{PaymentId, Place, Window, cause};
use crate::state::block::Handle;
use crate::state::{Ref, layout as at};
use std::sync::Arc;

/// The sources of units that a player has, remembered until something changes.
#[derive(Clone, Debug)]
pub(crate) struct Producers {
    payment: PaymentId,
    player: usize,
    committed: u32,
    sources: Vec<Source>,
}

/// One source of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A floating unit of a kind.
    Pool {
        /// The kind.
        kind: u32,
    },
    /// A producer and its kinds.
    Producer {
        /// The object.
        it: Ref,
        /// Mask of kinds.
        mask: u32,
    },
}

impl Source {
    fn mask(self) -> u32 {
        match self {
            Self::Pool { kind } => 1 << kind,
            Self::Producer { mask, .. } => mask,
        }
    }
}

impl Machine {
    fn sources_of_units(&mut self, payment: PaymentId, player: usize) -> Vec<Source> {
        let committed = self.word(at::COMMITTED);
        if let Some(known) = &self.producers
            && known.payment == payment
            && known.player == player
            && known.committed == committed
        {
            return known.sources.clone();
        }
        let program = Arc::clone(&self.program);
        let Some(rules) = program.format.payments.get(payment.index()) else { return Vec::new() };
        let mut sources = Vec::new();
        for (kind, variable) in rules.pool.iter().enumerate() {
            let floating = self.state.block.int(program.layout.player(player, usize::from(*variable)));
            for _ in 0..floating.clamp(0, 256) {
                sources.push(Source::Pool { kind: kind as u32 });
            }
        }
        let seat = player as i64;
        let mut producers: Vec<(u32, Source)> = Vec::new();
        for item in self.items(rules.producers, &[0, seat]) {
            let it = Ref(item);
            let mask = self.number(rules.yields, &[0, seat, it.value()]) as u32;
            if mask != 0 {
                producers.push((mask.count_ones(), Source::Producer { it, mask }));
            }
        }
        producers.sort_by_key(|(kinds, _)| *kinds);
        sources.extend(producers.into_iter().map(|(_, s)| s));
        self.producers = Some(Producers { payment, player, committed, sources: sources.clone() });
        sources
    }

    /// Whether a price can be paid by floating units and simple producers other than `object`.
    pub(crate) fn can_pay(&mut self, payment: PaymentId, player: usize, units: &[u32], object: Ref) -> bool {
        if units.is_empty() {
            return true;
        }
        let sources = self.sources_but(payment, player, object);
        assign(units, &sources).is_some()
    }

    fn sources_but(&mut self, payment: PaymentId, player: usize, object: Ref) -> Vec<Source> {
        let mut sources = self.sources_of_units(payment, player);
        sources.retain(|s| !matches!(s, Source::Producer { it, .. } if *it == object));
        sources
    }

    /// The price cannot be paid: the announcement is taken back; one that cannot be (an effect uses something) goes on unpaid.
    fn give_up(&mut self, frame: Handle) {
        if self.word(frame + pay::STATEMENT) != 0 || self.state.marks.is_empty() {
            self.end_pay(frame);
        } else {
            self.abandon();
        }
    }

    fn end_pay(&mut self, frame: Handle) {
        self.state.block.clear(frame + pay::UNITS);
        self.state.block.clear(frame + pay::PRODUCERS);
        self.pop_frame();
    }

    /// Whether a player could pay now, by what is there or by what can be done while paying.
    pub(crate) fn could_pay(&mut self, player: usize, units: &[u32]) -> bool {
        self.can_pay(PaymentId(0), player, units, Ref::NONE) || !self.plays_offered(player, &Window::default(), true).is_empty()
    }

    /// A statement lets a player pay.
    pub(crate) fn push_payment(&mut self, player: usize, units: &[u32], report: Handle, register: Option<u16>) {
        let pushed = self.push_frame(kind::PAY, pay::WORDS);
        self.set(pushed + pay::PLAYER, player as u32);
        self.state.block.extend(pushed + pay::UNITS, units);
        self.set(pushed + pay::STATEMENT, 1);
        if let Some(register) = register {
            self.set(pushed + pay::REPORT, report as u32);
            self.set(pushed + pay::REGISTER, u32::from(register));
        }
    }

    pub(crate) fn resume_pay(&mut self, frame: Handle) {
        let player = self.word(frame + pay::PLAYER) as usize;
        let payment = PaymentId(self.word(frame + pay::PAYMENT));
        let object = Ref(self.word(frame + pay::OBJECT));
        match self.word(frame + pay::PHASE) {
            0 => {
                self.renew_mark();
                // What can be taken back, or left unpaid, may be paid by hand.
                let free_hand = self.word(frame + pay::MARKED) != 0 || self.word(frame + pay::STATEMENT) != 0;
                let by_hand = if free_hand { self.plays_offered(player, &Window::default(), true) } else { Vec::new() };
                let units = self.state.block.list(frame + pay::UNITS).to_vec();
                let payable = self.can_pay(payment, player, &units, object);
                if by_hand.is_empty() && payable {
                    self.pay_now(frame, payment, player, &units);
                    return;
                }
                if by_hand.is_empty() {
                    self.give_up(frame);
                    return;
                }
                let mut options = Vec::new();
                if payable {
                    options.push(Choice::PayNow);
                }
                options.extend(by_hand);
                if free_hand {
                    options.push(Choice::Abandon);
                }
                self.set(frame + pay::PHASE, 1);
                self.ask(&Decision {
                    player,
                    kind: DecisionKind::Pay,
                    options,
                    min: 1,
                    max: 1,
                    site: None,
                    repeats: false,
                    board: None,
                });
            }
            1 => {
                let (choices, _) = self.take_answer();
                match choices.first() {
                    Some(Choice::PayNow) => {
                        let units = self.state.block.list(frame + pay::UNITS).to_vec();
                        self.pay_now(frame, payment, player, &units);
                    }
                    Some(Choice::Play { play, object, face }) => {
                        self.set(frame + pay::PHASE, 0);
                        self.announce_play(*play, *object, u32::from(*face), player, false, &[]);
                    }
                    _ => self.give_up(frame),
                }
            }
            _ => {
                let program = Arc::clone(&self.program);
                let next = self.state.block.pop(frame + pay::PRODUCERS);
                let by = program.format.payments.get(payment.index()).map(|p| p.by);
                match (next, by) {
                    (Some(producer), Some(by)) => {
                        let seat = player as i64;
                        let it = Ref(producer);
                        self.push_body(
                            by,
                            &[it.value(), seat],
                            Behalf { cause: cause::COST, source: it, player: seat, ..Behalf::default() },
                        );
                    }
                    _ => {
                        let report = self.word(frame + pay::REPORT) as usize;
                        if report != 0 {
                            let register = self.word(frame + pay::REGISTER) as u16;
                            self.report(report, Some((register, true)), None);
                        }
                        self.end_pay(frame);
                    }
                }
            }
        }
    }

    /// Takes floating units, and lists the producers to be used.
    fn pay_now(&mut self, frame: Handle, payment: PaymentId, player: usize, units: &[u32]) {
        let program = Arc::clone(&self.program);
        let object = Ref(self.word(frame + pay::OBJECT));
        let sources = self.sources_but(payment, player, object);
        let Some(used) = assign(units, &sources) else {
            self.give_up(frame);
            return;
        };
        let Some(rules) = program.format.payments.get(payment.index()) else { return };
        let mut producers = Vec::new();
        for source in used.into_iter().filter_map(|i| sources.get(i)) {
            match source {
                Source::Pool { kind } => {
                    if let Some(variable) = rules.pool.get(*kind as usize) {
                        self.write(Place::Player(*variable), player as i64, Write::Subtract, 1);
                    }
                }
                Source::Producer { it, .. } => producers.push(it.0),
            }
        }
        producers.reverse();
        self.state.block.replace(frame + pay::PRODUCERS, &producers);
        self.set(frame + pay::PHASE, 2);
    }
}

/// For each unit the source that pays it; `None` when there is no such assignment. Earlier sources are preferred.
pub(crate) fn assign(units: &[u32], sources: &[Source]) -> Option<Vec<usize>> {
    if units.len() > sources.len() {
        return None;
    }
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|u| units.get(*u).map_or(0, |mask| mask.count_ones()));
    let mut taken: Vec<Option<usize>> = vec![None; sources.len()];
    for unit in order {
        let mut visited = vec![false; sources.len()];
        if !augment(unit, units, sources, &mut taken, &mut visited) {
            return None;
        }
    }
    Some((0..sources.len()).filter(|s| taken.get(*s).is_some_and(Option::is_some)).collect())
}

fn augment(unit: usize, units: &[u32], sources: &[Source], taken: &mut [Option<usize>], visited: &mut [bool]) -> bool {
    let accepts = units.get(unit).copied().unwrap_or(0);
    for (s, source) in sources.iter().enumerate() {
        if source.mask() & accepts == 0 || visited.get(s).copied().unwrap_or(true) {
            continue;
        }
        if let Some(seen) = visited.get_mut(s) {
            *seen = true;
        }
        let free = match taken.get(s).copied().flatten() {
            None => true,
            Some(other) => augment(other, units, sources, taken, visited),
        };
        if free {
            if let Some(place) = taken.get_mut(s) {
                *place = Some(unit);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn producers(masks: &[u32]) -> Vec<Source> {
        masks.iter().map(|mask| Source::Producer { it: Ref(1), mask: *mask }).collect()
    }

    /// All ways to give distinct sources to the units, tried one by one.
    fn brute(units: &[u32], masks: &[u32]) -> bool {
        match units {
            [] => true,
            [first, rest @ ..] => (0..masks.len()).any(|i| {
                let mut others = masks.to_vec();
                let mask = others.remove(i);
                mask & first != 0 && brute(rest, &others)
            }),
        }
    }

    #[test]
    fn an_assignment_is_found_exactly_when_there_is_one() {
        let mut seed = 12345u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for _ in 0..3000 {
            let units: Vec<u32> = (0..next(5)).map(|_| if next(3) == 0 { u32::MAX } else { 1 << next(3) }).collect();
            let masks: Vec<u32> = (0..next(6)).map(|_| next(8)).collect();
            assert_eq!(assign(&units, &producers(&masks)).is_some(), brute(&units, &masks), "{units:?} {masks:?}");
        }
    }
}
