//! The machine: a loop over frames that stops at decisions.
//!
//! Decisions go out, answers come in; there is no other input. Between two steps, everything that affects the rest of the game is
//! in the [`State`]. A copy of the state that is given the same answers continues identically, byte for byte. Each step checks the
//! [`budgets`], and each answer begins the fuel of the next decision.

pub(crate) mod affordable_query;
pub mod announce;
mod announced_choices;
mod announcement_search;
pub mod batch;
pub mod budgets;
pub mod builtin_functions;
pub(crate) mod bulk_commit;
pub(crate) mod cache_entries;
mod call_tiers;
pub(crate) mod candidate_obstacle;
mod carried_event;
mod change_tracking;
pub mod choices;
pub mod commit;
mod commit_hooks;
pub(crate) mod commit_segment;
mod copy;
mod cost_cache;
pub mod cost_options;
pub mod decision;
mod declare;
pub(crate) mod dependencies;
pub mod derived;
mod direct_write;
mod effect_charges;
pub mod elimination;
pub mod eval;
pub mod eval_context;
pub(crate) mod eval_trace;
pub(crate) mod hook_classes;
pub mod hooks;
mod inline_vecs;
pub mod knowledge;
pub mod legal_plays;
pub mod machine;
mod needed_actions;
pub(crate) mod optimized;
mod optional_statement;
pub mod pay;
mod pending_decision;
mod playable_cache;
pub mod random;
mod refusal_cache;
pub mod resolve;
mod rule_guards;
mod same_object;
pub mod scratch;
pub mod settle;
pub mod snapshots;
pub mod statements;
mod subset_sum;
pub mod turn;
pub mod usage_limits;
pub mod window;
pub mod work;

use crate::ir::ObjectRef;
use crate::program::Program;
use crate::records::frame::{self, FrameKind, KIND, kind};
use crate::state::block::Handle;
use crate::state::{State, layout as at};
use crate::vm::derived::values::DerivedValues;
use crate::vm::eval_context::EvalContext;
use crate::vm::scratch::Scratch;
pub use budgets::{Budget, Budgets};
use decision::AnswerError;
use inline_vecs::InlineWords;
pub use machine::{Machine, Outcome, Record, StepResult};
pub use snapshots::SnapshotStack;
use std::sync::Arc;

/// From this number of consecutive forced answers on, positions are checked for a mandatory loop. A power of two.
const MIN_FORCED_RUN: u32 = 64;

/// States of fewer words are compared at each decision of a run of forced answers.
const HASHED_AT_EACH: usize = 100_000;

/// The bits of a loop mark that hold the quick fingerprint of its position.
const FINGERPRINT_BITS: u32 = 0xff;

impl Drop for Machine {
    fn drop(&mut self) {
        self.program.scratch_pool.give_back(&mut self.scratch, self.derived.revisions().current());
    }
}

impl Machine {
    /// Creates a game before its first step. [`Machine::add_object`] adds its objects, then [`Machine::begin`] starts it.
    #[must_use]
    pub fn new(program: Arc<Program>, seed: u64) -> Self {
        let state = State::new(&program, seed);
        let mut scratch = program.scratch_pool.take();
        scratch.begin(Budgets::default().fuel);
        let mut derived = DerivedValues::default();
        derived.invalidate_before(scratch.revision);
        Self {
            program,
            state,
            derived,
            scratch,
            log: Vec::new(),
            recording: false,
            scripted_shuffles: Vec::new(),
            disclosures: 0,
            limits: Budgets::default(),
            producers: Vec::new(),
        }
    }

    /// Turns on reference mode: from now on all shortcuts and all caches except derived values are off. Every state rule runs,
    /// every play of every object is evaluated, and pure code runs as it was compiled. The game is the same; tests compare both
    /// modes.
    pub fn use_reference_mode(&mut self) {
        self.scratch.reference_mode = true;
    }

    /// Invalidates the cached results of pure code that depend on the state. For benchmarks.
    pub fn clear_caches(&mut self) {
        self.derived.bump_revisions(dependencies::DepSet::UNKNOWN);
    }

    /// Creates a machine on a given state.
    #[must_use]
    pub fn with_state(program: Arc<Program>, state: State) -> Self {
        let mut machine = Self::new(program, 0);
        machine.state = state;
        machine.derived.mark_all_dirty();
        machine
    }

    /// Puts a new object into a zone without an event, and returns it. Only for decks and positions, before the game begins.
    /// Returns `None` if the state has no room for another object.
    pub fn add_object(&mut self, definition: u32, owner: usize, instance: usize) -> Option<ObjectRef> {
        let it = self.state.new_object(&self.program, definition, owner)?;
        let program = Arc::clone(&self.program);
        self.state.put_into_zone(&program, it.slot(), instance, false);
        let stamp = self.state.take_timestamp();
        self.state.set_column(it.slot(), at::ENTERED_AT, stamp);
        self.derived.mark_all_dirty();
        Some(it)
    }

    /// Starts the game with its setup, or directly with the given period of the first turn (for positions).
    pub fn begin(&mut self, first: usize, start: Option<u32>) {
        self.state.block.set(at::ACTIVE_PLAYER, first as u32);
        let game = self.push_frame(kind::GAME, frame::game::WORDS);
        if let Some(period) = start {
            self.state.block.set(game + frame::game::PHASE, 1);
            self.state.block.set(at::START_PERIOD, period);
        }
        self.derived.mark_all_dirty();
        self.charge_change();
    }

    /// Returns the memory that a game needs only while it advances: the scratch memory with its caches goes to the pool of the program, and lists
    /// give back what they keep to grow. Call it between two steps of a game that waits for people, if many games wait. The next answer takes a
    /// memory from the pool again, and what was cached is computed again. The game is the same.
    pub fn release_memory(&mut self) {
        let mut kept = self.scratch.without_caches();
        kept.is_released = true;
        let mut released = std::mem::replace(&mut self.scratch, kept);
        self.program.scratch_pool.give_back(&mut released, self.derived.revisions().current());
        self.producers.clear();
        self.log.shrink_to_fit();
        self.state.block.shrink();
    }

    /// Takes scratch memory from the pool of the program if the game has released its own.
    fn restore_scratch(&mut self) {
        if self.scratch.is_released {
            let pooled = self.program.scratch_pool.take();
            let released = std::mem::replace(&mut self.scratch, pooled);
            self.scratch.begin(released.limit);
            self.scratch.copy_fuel_from(&released);
            self.scratch.reference_mode = released.reference_mode;
            self.scratch.searches_payment = released.searches_payment;
            self.derived.invalidate_before(self.scratch.revision);
        }
    }

    /// Returns what pure code reads, after refreshing derived values, and the memory to evaluate it with.
    pub fn world(&mut self) -> (EvalContext<'_>, &mut Scratch) {
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        (EvalContext { program: &self.program, state: &self.state, derived: &self.derived }, &mut self.scratch)
    }

    /// Evaluates a pure condition.
    pub fn test(&mut self, function: crate::ir::FnId, args: &[i64]) -> bool {
        let (world, scratch) = self.world();
        world.test(scratch, function, args)
    }

    /// Evaluates a condition that is not part of the game, with the fuel of a decision for itself. `None` if that does not suffice.
    pub fn test_apart(&mut self, function: crate::ir::FnId, args: &[i64]) -> Option<bool> {
        let aside = self.scratch.suspend_fuel_for(self.limits.fuel);
        let holds = self.test(function, args);
        let suffices = self.scratch.fuel <= self.scratch.limit;
        self.scratch.restore_and_count_fuel(aside);
        suffices.then_some(holds)
    }

    /// Evaluates a pure number.
    pub fn number(&mut self, function: crate::ir::FnId, args: &[i64]) -> i64 {
        let (world, scratch) = self.world();
        world.number(scratch, function, args)
    }

    /// Evaluates a pure list.
    pub(crate) fn items(&mut self, function: crate::ir::FnId, args: &[i64]) -> InlineWords {
        let (world, scratch) = self.world();
        world.items(scratch, function, args)
    }

    /// Operations since the last answer, as bounded by [`Budgets::fuel`]. The number is independent of caches.
    #[must_use]
    pub fn fuel(&self) -> u64 {
        self.scratch.fuel
    }

    /// Returns the counted work so far. Other games may have used the same memory before: compare two values of one game.
    #[must_use]
    pub fn work(&self) -> work::Work {
        self.scratch.work
    }

    /// Returns the outcome if the game is over.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.state.block.get(at::OUTCOME) {
            0 => None,
            1 => Some(Outcome::Won(self.state.block.get(at::WINNER) as usize)),
            2 => Some(Outcome::Drawn),
            _ => Some(Outcome::Budget(Budget::from_word(self.state.block.get(at::BUDGET)))),
        }
    }

    /// Runs until a player must answer a decision, or the game is over.
    pub fn step(&mut self) -> StepResult {
        self.scratch.auto_passes = false;
        self.proceed()
    }

    fn proceed(&mut self) -> StepResult {
        let program = Arc::clone(&self.program);
        loop {
            if let Some(step) = self.tick_with(&program) {
                return step;
            }
        }
    }

    /// As [`Machine::step`], but passes automatically for each player who has no other legal answer. Afterwards calls `passed`
    /// with each of these players, in order. State and log equal those of a game in which each of them was asked and answered.
    pub fn step_auto_passing(&mut self, passed: impl FnMut(usize)) -> StepResult {
        self.scratch.auto_passes = true;
        self.scratch.auto_passed.clear();
        let step = self.proceed();
        self.scratch.auto_passes = false;
        self.scratch.auto_passed.drain(..).for_each(passed);
        step
    }

    /// Resumes the top frame once, for code that observes the machine between decisions. Returns `None` if the game can continue.
    pub fn tick(&mut self) -> Option<StepResult> {
        let program = Arc::clone(&self.program);
        self.tick_with(&program)
    }

    /// As [`Machine::tick`]. The program is a parameter because cloning its `Arc` would take longer than many frames do.
    // Inlined because a call in the loop of `proceed` would take as long as many frames.
    #[inline(always)]
    fn tick_with(&mut self, program: &Program) -> Option<StepResult> {
        if let Some(outcome) = self.outcome() {
            return Some(StepResult::Over(outcome));
        }
        if self.state.block.get(at::DECISION) != 0 && self.state.block.get(at::ANSWER) == 0 {
            // Fuel ran out while the options were computed, so they are incomplete.
            if self.scratch.fuel > self.limits.fuel {
                self.exceed(Budget::Fuel);
                return None;
            }
            return Some(StepResult::Decision(self.pending_decision()));
        }
        work::count(&mut self.scratch.work.steps, 1);
        self.check_budgets();
        if self.state.block.get(at::ENDING_PERIOD) != 0 {
            self.unwind();
        }
        let Some(top) = self.state.top_frame() else {
            self.finish(2, u32::MAX);
            return None;
        };
        match FrameKind::from_word(self.state.block.get(top + KIND)) {
            Some(FrameKind::Body) => self.resume_body(program, top),
            Some(FrameKind::Batch) => self.resume_batch(program, top),
            Some(FrameKind::Window) => self.resume_window(program, top),
            Some(FrameKind::Settle) => self.resume_settle(top),
            Some(FrameKind::Announce) => self.resume_announce(program, top),
            Some(FrameKind::Pay) => self.resume_pay(top),
            Some(FrameKind::Resolve) => self.resume_resolve(program, top),
            Some(FrameKind::Paragraphs) => self.resume_paragraphs(top),
            Some(FrameKind::Turn) => self.resume_turn(program, top),
            Some(FrameKind::Game) => self.resume_game(top),
            None => self.pop_frame(),
        }
        None
    }

    /// Answers the pending decision. An answer that is refused changes nothing.
    ///
    /// # Errors
    /// An [`AnswerError`] if the answer is not legal or no decision is pending.
    pub fn answer(&mut self, picks: &[u32]) -> Result<(), AnswerError> {
        self.restore_scratch();
        let decision = match self.outcome() {
            None if self.state.block.get(at::DECISION) != 0 => self.pending_decision(),
            _ => return Err(AnswerError::NoDecisionPending),
        };
        decision.check(picks)?;
        if decision.board.as_ref().is_some_and(|board| !board.paid_costs(picks).is_empty())
            && !self.can_pay_for_declaration(picks)
        {
            return Err(AnswerError::Unpayable);
        }
        if self.recording {
            self.log.push(Record::Answered { player: decision.player, picks: picks.to_vec() });
        }
        if self.is_mandatory_loop(decision.board.is_none() && decision.forced().is_some()) {
            if self.program.format.timing.loop_draws {
                self.finish(2, u32::MAX);
            } else {
                self.exceed(Budget::Loop);
            }
        }
        self.accept(picks);
        Ok(())
    }

    /// Returns whether the position recurs with only forced answers in between (CR 104.4b). Only long runs of forced answers are
    /// checked. The positions to compare with are marked at growing distances (Brent's method).
    fn is_mandatory_loop(&mut self, forced: bool) -> bool {
        let run = if forced { self.word(at::FORCED_DECISIONS).saturating_add(1) } else { 0 };
        self.set(at::FORCED_DECISIONS, run);
        if run < MIN_FORCED_RUN {
            return false;
        }
        let fingerprint = self.quick_fingerprint();
        let new_mark = run.is_power_of_two();
        // The larger the state, the fewer positions are hashed; a loop is then found in a later round.
        let interval = 1 + (self.state.block.words().len() / HASHED_AT_EACH).pow(2) as u32;
        if !new_mark && !(run - (1 << run.ilog2())).is_multiple_of(interval) {
            return false;
        }
        // The position hash is expensive. Few positions of a run have the fingerprint of the marked one.
        if !new_mark && self.word(at::LOOP_MARK) & FINGERPRINT_BITS != fingerprint {
            return false;
        }
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        hasher.update(&self.state.position_hash(&self.program).to_le_bytes());
        // Different random numbers may end the loop.
        (0..2).for_each(|word| hasher.update(&self.word(at::RANDOM_DRAWS + word).to_le_bytes()));
        let hash = hasher.digest();
        let mark = [hash as u32 & !FINGERPRINT_BITS | fingerprint, (hash >> 32) as u32];
        if new_mark {
            (0..2).for_each(|word| self.set(at::LOOP_MARK + word, mark[word]));
            return false;
        }
        (0..2).all(|word| self.word(at::LOOP_MARK + word) == mark[word])
    }

    /// A cheap hash of a position, within [`FINGERPRINT_BITS`]: the open periods and the sizes of the plan, the frame list and
    /// the zones.
    fn quick_fingerprint(&self) -> u32 {
        let block = &self.state.block;
        let zones = (0..self.program.layout.instances).map(|zone| self.state.zone_items(&self.program, zone).len() as u32);
        let list_lengths = [at::OPEN_PERIODS, at::PLAN, at::FRAMES].into_iter().map(|list| block.len(list) as u32);
        let periods = block.list(at::OPEN_PERIODS).iter().copied();
        let all = periods.chain(list_lengths).chain(zones).fold(0u32, |all, word| all.wrapping_mul(31).wrapping_add(word));
        (all ^ all >> 8 ^ all >> 16) & FINGERPRINT_BITS
    }

    fn accept(&mut self, picks: &[u32]) {
        let block = &mut self.state.block;
        let list = block.alloc(picks.len() + 1);
        block.set(list, picks.len() as u32);
        for (i, pick) in picks.iter().enumerate() {
            block.set(list + 1 + i, *pick);
        }
        block.set(at::ANSWER, list as u32);
        self.count_answer();
    }

    /// Counts an answer and resets the fuel.
    fn count_answer(&mut self) {
        let block = &mut self.state.block;
        block.set(at::FUEL, 0);
        self.scratch.reset_fuel();
        let count = block.get(at::DECISIONS);
        block.set(at::DECISIONS, count.wrapping_add(1));
        let count = block.get(at::TURN_DECISIONS);
        block.set(at::TURN_DECISIONS, count.wrapping_add(1));
    }

    fn check_budgets(&mut self) {
        let limits = self.limits;
        self.scratch.limit = limits.fuel;
        let exceeded = if self.scratch.fuel > limits.fuel {
            Some(Budget::Fuel)
        } else if self.state.frame_count() > limits.depth {
            Some(Budget::Depth)
        } else if self.state.block.get(at::TURN_DECISIONS) > limits.turn_decisions {
            Some(Budget::Decisions)
        } else if self.state.turn() > limits.turns {
            Some(Budget::Turns)
        } else if self.state.block.words().len() > limits.words {
            Some(Budget::Memory)
        } else {
            None
        };
        if let Some(budget) = exceeded {
            self.exceed(budget);
        }
        self.scratch.fuel += 1;
    }

    /// Ends the game because a budget was exceeded.
    pub(crate) fn exceed(&mut self, budget: Budget) {
        if self.outcome().is_none() {
            self.state.block.set(at::BUDGET, budget as u32);
            self.state.block.set(at::OUTCOME, 3);
        }
    }

    /// Ends the game with a result: 1 for a win of `winner`, 2 for a draw.
    pub(crate) fn finish(&mut self, outcome: u32, winner: u32) {
        if self.outcome().is_none() {
            self.state.block.set(at::WINNER, winner);
            self.state.block.set(at::OUTCOME, outcome);
            self.disclose_all();
        }
    }

    /// Ends the game from outside, for scenarios.
    pub(crate) fn force_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Won(seat) => self.finish(1, seat as u32),
            Outcome::Drawn => self.finish(2, u32::MAX),
            Outcome::Budget(budget) => self.exceed(budget),
        }
    }

    // ---- frames ----

    /// Pushes a new frame of a kind and returns its handle.
    pub(crate) fn push_frame(&mut self, kind: u32, words: usize) -> Handle {
        work::count(&mut self.scratch.work.frames, 1);
        let frame = self.state.block.alloc(words);
        self.state.block.set(frame + KIND, kind);
        self.state.block.push(at::FRAMES, frame as u32);
        frame
    }

    /// Removes the top frame and frees its cell. Lists that the frame owns must be freed before.
    pub(crate) fn pop_frame(&mut self) {
        if let Some(frame) = self.state.block.pop(at::FRAMES) {
            self.state.block.free(frame as usize);
        }
    }

    #[inline]
    pub(crate) fn word(&self, at: usize) -> u32 {
        self.state.block.get(at)
    }

    #[inline]
    pub(crate) fn set(&mut self, at: usize, value: u32) {
        self.state.block.set(at, value);
    }

    /// Returns the innermost open period.
    #[must_use]
    pub fn current_period(&self) -> u32 {
        self.state.block.list(at::OPEN_PERIODS).last().copied().unwrap_or(0)
    }

    pub(crate) fn record(&mut self, record: impl FnOnce() -> Record) {
        if self.recording {
            let record = record();
            self.log.push(record);
        }
    }

    /// Returns a derived property of an object, for observers.
    pub fn property(&mut self, it: ObjectRef, property: usize) -> i64 {
        let (world, _) = self.world();
        i64::from(world.row_word(it, world.program.row.properties + property) as i32)
    }

    /// Returns the controller of an object.
    pub fn controller(&mut self, it: ObjectRef) -> i64 {
        let (world, scratch) = self.world();
        world.read(scratch, crate::ir::Place::Controller, it.value())
    }

    /// Checks invariants: derived values equal a computation from scratch, every object is in exactly one place, and hidden zones
    /// hold only cards that may be there.
    ///
    /// # Errors
    /// Describes the invariant that does not hold.
    pub fn check_invariants(&mut self) -> Result<(), String> {
        self.check_objects()?;
        self.check_hidden()
    }

    /// Compares the derived values with others that are computed from scratch. With too much work for that, they are not compared.
    fn check_derived_values(&mut self) -> Result<(), String> {
        let fresh = DerivedValues::from_scratch(&self.program, &self.state, &mut self.scratch);
        if !self.scratch.has_too_much_derived_work() && fresh != self.derived {
            return Err("values after continuous effects differ from a computation from scratch".into());
        }
        // The read and write tables must order effects as a trial of all pairs does (CR 613.8).
        let tried = DerivedValues::all_pairs(&self.program, &self.state, &mut self.scratch);
        if !self.scratch.has_too_much_derived_work() && tried != fresh {
            return Err("continuous effects applied in another order than a trial of all pairs gives".into());
        }
        Ok(())
    }

    /// Checks the invariants that hold with any rules: derived values equal a computation from scratch, and every object is in exactly one
    /// place. That hidden zones hold only cards of their declaration is a promise of the rules, which they may break.
    ///
    /// # Errors
    /// Describes the invariant that does not hold.
    pub(crate) fn check_objects(&mut self) -> Result<(), String> {
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        if !self.scratch.has_too_much_derived_work() {
            // The work of the check does not count for the game.
            let suspended = self.scratch.suspend_fuel_for(self.limits.fuel);
            let checked = self.check_derived_values();
            self.scratch.restore_fuel(suspended);
            checked?;
        }
        let mut counts = vec![0u32; self.state.slots()];
        for instance in 0..self.program.layout.instances {
            for item in self.state.zone_items(&self.program, instance) {
                let it = ObjectRef(*item);
                if !self.state.exists(it) || self.state.zone(it.slot()) != Some(instance) {
                    return Err(format!("zone {instance} lists a stale object in slot {}", it.slot()));
                }
                if let Some(count) = counts.get_mut(it.slot()) {
                    *count += 1;
                }
                for member in self.state.pile(it.slot()) {
                    if let Some(count) = counts.get_mut(ObjectRef(*member).slot()) {
                        *count += 1;
                    }
                }
            }
        }
        for (slot, count) in counts.iter().enumerate().skip(1) {
            let expected = u32::from(self.state.zone(slot).is_some());
            if *count != expected {
                return Err(format!("object in slot {slot} is listed {count} times"));
            }
        }
        Ok(())
    }

    /// Checks that every zone that can hide cards holds only cards that its declaration allows.
    fn check_hidden(&self) -> Result<(), String> {
        for slot in (1..self.state.slots()).filter(|slot| self.state.zone(*slot).is_some()) {
            let card = self.state.column(slot, at::DEFINITION);
            let Some(definition) = self.program.definition(card).filter(|_| card != 0) else { continue };
            if !knowledge::may_be_card(&self.state, &self.program, slot, definition) {
                let zone = self.state.zone(slot).and_then(|zone| self.program.zone_of(zone)).map_or("", |zone| &zone.name);
                return Err(format!("zone `{zone}` hides no `{}`", definition.name));
            }
        }
        Ok(())
    }
}
