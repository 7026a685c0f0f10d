//! Automatic yields: a seat passes priority automatically until something happens, as its player has requested. The passes of players without
//! another legal answer are the machine's (`step_auto_passing`).

use super::{SeatYield, Table};
use crate::ask;
use crate::protocol::{ServerMessage, YieldUntil, Yielding};
use fizzle_ir::ObjectRef;
use fizzle_runtime::view::seen_name;
use fizzle_runtime::vm::decision::DecisionKind;

/// The most yields of a seat.
const MAX_YIELDS: usize = 50;
/// The most characters of the name of an ability.
const MAX_ABILITY_CHARS: usize = 200;

impl Table {
    /// Begins a yield for seats. With the name of an ability, it passes each time when an ability of that card is next on the list.
    pub(super) fn begin_yield(&mut self, seats: &[usize], until: YieldUntil, ability: Option<String>) {
        if ability.as_ref().is_some_and(|name| name.chars().count() > MAX_ABILITY_CHARS) {
            return;
        }
        let (turn, waiting) = (self.playing.game.machine.state.turn(), self.waiting_objects());
        for seat in seats {
            let Some(yields) = self.yields.get_mut(*seat) else { continue };
            yields.retain(|other| other.ability != ability);
            if yields.len() >= MAX_YIELDS {
                yields.remove(0);
            }
            yields.push(SeatYield { until, ability: ability.clone(), turn, waiting });
        }
        self.send_yields(seats);
    }

    /// Passes at the pending decision of one of these seats, if its yield does so. The player has requested this pass, so it is taken back on
    /// its own, unlike the later ones of the yield.
    pub(super) fn pass_for_yield(&mut self, seats: &[usize]) {
        self.end_yields();
        let is_theirs = self.playing.decision().is_some_and(|decision| seats.contains(&decision.player));
        if let Some(picks) = self.yielded_pass().filter(|_| is_theirs)
            && self.playing.answer(&picks).is_ok()
        {
            self.decided();
        }
    }

    /// Ends all yields of seats.
    pub(super) fn hold(&mut self, seats: &[usize]) {
        for seat in seats {
            self.yields.get_mut(*seat).into_iter().for_each(Vec::clear);
        }
        self.send_yields(seats);
    }

    /// The number of objects on the list.
    fn waiting_objects(&self) -> usize {
        let machine = &self.playing.game.machine;
        machine.program.list.map_or(0, |zone| machine.state.zone_items(&machine.program, zone).len())
    }

    /// The name of the card of the topmost object on the list, as a seat knows it.
    fn next_ability(&self, seat: usize) -> Option<String> {
        let machine = &self.playing.game.machine;
        let top = *machine.state.zone_items(&machine.program, machine.program.list?).last()?;
        Some(seen_name(machine, seat, ObjectRef(top))).filter(|name| !name.is_empty())
    }

    /// Ends the yields whose moment has come. Each one ends when a turn of the seat begins, so that no player misses it.
    pub(super) fn end_yields(&mut self) {
        let state = &self.playing.game.machine.state;
        let (turn, active, waiting) = (state.turn(), state.active(), self.waiting_objects());
        let decider = self.playing.decision().map(|decision| decision.player);
        let mut ended = Vec::new();
        for (seat, yields) in self.yields.iter_mut().enumerate() {
            let before = yields.len();
            yields.retain_mut(|it| {
                let is_own_turn = active == seat && turn != it.turn;
                let continues = match it.until {
                    YieldUntil::Added => waiting <= it.waiting && !is_own_turn,
                    YieldUntil::Mine => !is_own_turn,
                    YieldUntil::End => turn == it.turn,
                    // Something waits that the seat could answer.
                    YieldUntil::Could => (decider != Some(seat) || waiting == 0) && !is_own_turn,
                };
                it.waiting = it.waiting.min(waiting);
                continues || it.ability.is_some()
            });
            if yields.len() < before {
                ended.push(seat);
            }
        }
        self.send_yields(&ended);
    }

    /// The pass of a seat that yields, if the pending decision is one that passing answers.
    pub(super) fn yielded_pass(&self) -> Option<Vec<u32>> {
        let decision = self.playing.decision().filter(|decision| decision.kind == DecisionKind::Act)?;
        let yields = self.yields.get(decision.player)?;
        let holds = |it: &SeatYield| it.ability.is_none() || it.ability == self.next_ability(decision.player);
        yields.iter().any(holds).then(|| ask::pass(decision)).flatten()
    }

    /// Sends the clients of seats their yields.
    pub(super) fn send_yields(&mut self, seats: &[usize]) {
        for seat in seats {
            let Some(client) = self.clients.iter().find(|client| self.seats_of(client).contains(seat)) else { continue };
            let words = |it: &SeatYield| client.speaker.yielding(it.until, it.ability.as_deref());
            let yields = self.yields.get(*seat).map_or(&[][..], Vec::as_slice).iter();
            let until = yields.map(|it| Yielding { until: it.until, ability: it.ability.clone(), words: words(it) }).collect();
            self.messages.push((client.id, ServerMessage::Yielding { until }));
        }
    }
}
