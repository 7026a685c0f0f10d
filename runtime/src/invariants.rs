//! Invariant checks, run at every decision by tests, by checked scenarios, and by simulations on request.
//!
//! Derived values equal a computation from scratch that tries every pair of effects for dependency. Every card is in one place
//! and none is lost. A sample of the offered answers is accepted; a sample of others is refused and changes nothing. Cards are
//! also counted after every commit.

use crate::assign::{AssignmentProblem, BUDGET, Verdict};
use crate::ir::ObjectRef;
use crate::ownership;
use crate::state::layout as at;
use crate::vm::decision::{Decision, DecisionKind};
use crate::vm::machine::{Machine, Outcome, StepResult};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of options tried per decision.
const MAX_SAMPLES: usize = 8;

/// Checks the invariants of a game against the cards that it started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvariantChecker {
    /// The number of cards by (definition, owner).
    cards: BTreeMap<(u32, u32), u32>,
}

/// Checks a machine that waits for an answer, without the cards of its start.
///
/// # Errors
/// Returns the violated invariant.
pub fn check(machine: &mut Machine) -> Result<(), String> {
    machine.check_invariants()?;
    ownership::check(&machine.program, &machine.state)?;
    count_cards(machine)?;
    check_answers(machine)
}

impl InvariantChecker {
    /// Records the cards of a game before its first step.
    #[must_use]
    pub fn start(machine: &Machine) -> Self {
        Self { cards: count_cards(machine).unwrap_or_default() }
    }

    /// As [`check`], and the game has exactly the cards of the start.
    ///
    /// # Errors
    /// Returns the violated invariant.
    pub fn check(&self, machine: &mut Machine) -> Result<(), String> {
        machine.check_invariants()?;
        ownership::check(&machine.program, &machine.state)?;
        self.check_cards(machine)?;
        check_answers(machine)
    }

    /// As [`Machine::step`]; counts the cards after every commit.
    ///
    /// # Errors
    /// Returns the violated invariant.
    pub fn step(&self, machine: &mut Machine) -> Result<StepResult, String> {
        let mut committed = None;
        loop {
            let step = machine.tick();
            let now = machine.state.block.get(at::COMMIT_COUNT);
            if committed != Some(now) {
                committed = Some(now);
                self.check_cards(machine)?;
            }
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Checks that the game has exactly the cards of the start, each in one zone or pile.
    ///
    /// # Errors
    /// Returns the violated invariant.
    pub fn check_cards(&self, machine: &Machine) -> Result<(), String> {
        check_places(machine)?;
        // Cards of players who left have left with them, or are about to.
        let stays = |owner: u32| !machine.state.has_left(owner as usize);
        let mut now = count_cards(machine)?;
        now.retain(|(_, owner), _| stays(*owner));
        let start = self.cards.iter().filter(|((_, owner), _)| stays(*owner));
        if !now.iter().eq(start.clone()) {
            for (key, count) in start {
                let left = now.get(key).copied().unwrap_or(0);
                if left != *count {
                    let name = machine.program.definition(key.0).map_or("?", |d| d.name.as_str());
                    return Err(format!("there were {count} \"{name}\" of player {}, now there are {left}", key.1 + 1));
                }
            }
            return Err("there are cards that did not exist at the start".to_owned());
        }
        Ok(())
    }
}

/// Checks that every object is once in a zone, or in a pile of an object in a zone.
fn check_places(machine: &Machine) -> Result<(), String> {
    let state = &machine.state;
    let mut listed = vec![0u32; state.slots()];
    for instance in 0..machine.program.layout.instances {
        for item in state.zone_items(&machine.program, instance) {
            for it in std::iter::once(item).chain(state.pile(ObjectRef(*item).slot())) {
                if state.exists(ObjectRef(*it))
                    && state.zone(ObjectRef(*it).slot()) == Some(instance)
                    && let Some(count) = listed.get_mut(ObjectRef(*it).slot())
                {
                    *count += 1;
                }
            }
        }
    }
    let lost = (1..state.slots()).find(|slot| listed.get(*slot).copied() != Some(u32::from(state.zone(*slot).is_some())));
    if let Some(slot) = lost {
        return Err(format!("the object in slot {slot} is listed {} times", listed.get(slot).copied().unwrap_or(0)));
    }
    let (kept, counted) = (state.ability_totals(), state.count_abilities(&machine.program));
    if kept != counted {
        return Err(format!("there are {counted:?} abilities at work, abilities and copies, not {kept:?}"));
    }
    Ok(())
}

/// Counts the cards (no tokens, no abilities) by definition and owner. Checks that each is in one place.
fn count_cards(machine: &Machine) -> Result<BTreeMap<(u32, u32), u32>, String> {
    let state = &machine.state;
    let mut count = BTreeMap::new();
    let mut free = vec![false; state.slots()];
    for slot in state.block.list(at::FREE_SLOTS) {
        match free.get_mut(*slot as usize) {
            Some(mark) if !*mark => *mark = true,
            _ => return Err(format!("slot {slot} is free twice")),
        }
    }
    for slot in 1..state.slots() {
        let is_free = free.get(slot).copied().unwrap_or(false);
        if is_free == (state.zone(slot).is_some() || state.is_unplaced(slot)) {
            return Err(format!("the object in slot {slot} is in no zone, or in one though it left the game"));
        }
        if is_free {
            continue;
        }
        let host = ObjectRef(state.column(slot, at::HOST));
        if !host.is_none() {
            let there = state.exists(host)
                && state.zone(host.slot()) == state.zone(slot)
                && state.pile(host.slot()).contains(&state.current(slot).0);
            if !there {
                return Err(format!("the object in slot {slot} is in a pile that does not list it"));
            }
        }
        let id = state.column(slot, at::DEFINITION);
        let made = state.copy_flags(slot) & at::COPY_CARDLESS != 0;
        let is_card = id != 0 && !made && machine.program.library.definitions.get(id as usize).is_some_and(|d| !d.token);
        if is_card {
            *count.entry((id, state.column(slot, at::OWNER))).or_insert(0) += 1;
        }
    }
    Ok(count)
}

/// Checks that a sample of the offered answers is accepted, and that others are refused and change nothing.
fn check_answers(machine: &mut Machine) -> Result<(), String> {
    if machine.outcome().is_some() || machine.state.block.get(at::DECISION) == 0 {
        return Ok(());
    }
    let decision = machine.pending_decision();
    if decision.kind != DecisionKind::Divide && decision.min > decision.max
        || (!matches!(decision.kind, DecisionKind::Number | DecisionKind::Divide)
            && !decision.repeats
            && decision.min > decision.options.len() as i64)
    {
        return Err(format!("a decision without a legal answer: {decision:?}"));
    }
    for picks in legal_answers(&decision) {
        let mut copy = Machine::with_state(Arc::clone(&machine.program), machine.state.clone());
        copy.limits = machine.limits;
        if let Err(refusal) = copy.answer(&picks) {
            return Err(format!("the offered answer {picks:?} is refused: {refusal}; {decision:?}"));
        }
        if let StepResult::Over(Outcome::Budget(budget)) = copy.step() {
            return Err(format!("the offered answer {picks:?} exceeds the budget of {}; {decision:?}", budget.name()));
        }
    }
    let before = machine.state.hash();
    for picks in illegal_answers(&decision) {
        if machine.answer(&picks).is_ok() {
            return Err(format!("the answer {picks:?} is accepted though it is not offered: {decision:?}"));
        }
    }
    if machine.state.hash() != before {
        return Err(format!("a refused answer changed the state: {decision:?}"));
    }
    Ok(())
}

/// A sample of the legal answers, spread over the options.
fn legal_answers(decision: &Decision) -> Vec<Vec<u32>> {
    if decision.kind == DecisionKind::Number {
        let mut numbers = vec![decision.min, decision.max, i64::midpoint(decision.min, decision.max)];
        numbers.dedup();
        return numbers.into_iter().map(|n| vec![n as u32]).collect();
    }
    if let Some(board) = &decision.board {
        return legal_declarations(board);
    }
    if decision.kind == DecisionKind::Divide {
        return (0..decision.options.len().min(MAX_SAMPLES)).map(|most| decision.default_division(most)).collect();
    }
    let n = decision.options.len();
    let least = usize::try_from(decision.min).unwrap_or(0);
    let most = usize::try_from(decision.max).unwrap_or(0);
    let mut all: Vec<Vec<u32>> = Vec::new();
    let pick = |from: usize, count: usize| -> Vec<u32> { (0..count).map(|i| ((from + i) % n.max(1)) as u32).collect() };
    if least == 0 {
        all.push(Vec::new());
    }
    let count = least.max(1);
    if count <= most && n > 0 {
        let step = n.div_ceil(MAX_SAMPLES).max(1);
        all.extend((0..n).step_by(step).map(|from| pick(from, count)));
        if most > count && (decision.repeats || most <= n) && most < 64 {
            all.push(pick(0, most));
        }
    }
    all
}

/// Some legal declarations without costs: the nearest to none, to all, and to single pairs.
fn legal_declarations(board: &AssignmentProblem) -> Vec<Vec<u32>> {
    let n = board.pairs.len() as u32;
    let step = (n / MAX_SAMPLES as u32).max(1) as usize;
    let preferences = [Vec::new(), (0..n).collect()].into_iter().chain((0..n).step_by(step).map(|pair| vec![pair]));
    let mut all: Vec<Vec<u32>> = preferences.filter_map(|like| board.nearest_legal(&like, BUDGET).ok().flatten()).collect();
    all.sort();
    all.dedup();
    all
}

/// Some illegal answers.
fn illegal_answers(decision: &Decision) -> Vec<Vec<u32>> {
    if decision.kind == DecisionKind::Divide {
        let mut more = decision.default_division(0);
        more.iter_mut().take(1).for_each(|share| *share += 1);
        let mut longer = decision.default_division(0);
        longer.push(0);
        return vec![more, longer, vec![u32::MAX; decision.options.len()]];
    }
    if decision.kind == DecisionKind::Number {
        let outside = [decision.min.saturating_sub(1), decision.max.saturating_add(1)];
        let mut all: Vec<Vec<u32>> = outside.into_iter().filter(|n| i32::try_from(*n).is_ok()).map(|n| vec![n as u32]).collect();
        all.push(Vec::new());
        return all;
    }
    let n = decision.options.len() as u32;
    if let Some(board) = &decision.board {
        let mut all = vec![vec![n], vec![u32::MAX], vec![0, 0]];
        let candidates = (0..n.min(MAX_SAMPLES as u32)).map(|pair| vec![pair]).chain([Vec::new(), (0..n).collect()]);
        all.extend(candidates.filter(|picks| board.check(picks, BUDGET) != Verdict::Legal));
        return all;
    }
    let least = usize::try_from(decision.min).unwrap_or(0);
    let most = usize::try_from(decision.max).unwrap_or(0);
    let mut all = vec![vec![n; least.max(1)], vec![u32::MAX; least.max(1)], vec![0; most + 1]];
    if least > 0 {
        all.push(Vec::new());
    }
    if !decision.repeats && least.max(2) <= most {
        all.push(vec![0; least.max(2)]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start};
    use crate::testing;

    #[test]
    fn lost_and_duplicated_cards_are_detected() {
        let machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 2).expect("it starts");
        let checker = InvariantChecker::start(&machine);
        let mut machine = machine;
        advance(&mut machine);
        checker.check_cards(&machine).expect("all there");
        let zone = (0..machine.program.layout.instances)
            .find(|zone| machine.state.zone_items(&machine.program, *zone).len() > 1)
            .expect("a zone with cards");
        let holder = machine.program.layout.zone(zone);
        let mut lost = machine.clone();
        lost.state.block.pop(holder);
        checker.check_cards(&lost).expect_err("a card is in its zone, which does not list it");
        let mut doubled = machine.clone();
        let twice = doubled.state.block.item(holder, 0);
        doubled.state.block.push(holder, twice);
        checker.check_cards(&doubled).expect_err("a zone lists a card twice");
        let mut swapped = machine;
        let it = ObjectRef(swapped.state.block.item(holder, 0));
        let other = swapped.state.column(it.slot(), at::OWNER) ^ 1;
        swapped.state.set_column(it.slot(), at::OWNER, other);
        checker.check_cards(&swapped).expect_err("a card has another owner");
    }
}
