//! Choices of a text: computes the candidates, creates the decision of a choice site, and applies the answer.

use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::{Args, InlineWords};
use crate::ir::ObjectRef;
use crate::ir::verbs::CHOSEN;
use crate::ir::{ActionId, Cause, ChoiceSiteId, Chooser, FnId, Type};
use crate::records::ENTRY_RESOLVING;
use crate::records::frame::body;
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::decision::picked_words;
use crate::vm::eval_context::get;
use crate::vm::machine::Machine;
use crate::vm::machine::StepFlow;
use std::sync::Arc;

/// Whether prohibitions of choosing leave out candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChoiceProhibitions {
    Apply,
    Ignore,
}

/// Why a choice is made.
#[derive(Clone, Copy)]
pub(crate) struct ChoiceReason {
    /// The cause of the events of its text.
    pub(crate) kind: i64,
    /// What waits on the list with the choice; none if it is made as something is carried out.
    pub(crate) waiting: ObjectRef,
}

impl ChoiceReason {
    /// A choice that is made as something is carried out.
    pub(crate) fn carried_out(kind: i64) -> Self {
        Self { kind, waiting: ObjectRef::NONE }
    }
}

impl Machine {
    /// Returns the candidates that can be chosen, the minimum and the maximum of a choice site. Registers are in the scratch
    /// window.
    fn candidates(&mut self, base: usize, site: ChoiceSiteId, chooser: i64, why: ChoiceReason) -> (InlineWords, i64, i64) {
        self.candidates_with(base, site, (chooser, why), ChoiceProhibitions::Apply)
    }

    /// Returns the candidates of an announced choice that are legal on resolution. Registers are in the scratch window.
    fn legal_candidates(&mut self, base: usize, site: ChoiceSiteId, chooser: i64, why: ChoiceReason) -> InlineWords {
        let once = self.program.format.announce.prohibitions_once;
        let prohibitions = if once { ChoiceProhibitions::Ignore } else { ChoiceProhibitions::Apply };
        self.candidates_with(base, site, (chooser, why), prohibitions).0
    }

    fn candidates_with(
        &mut self,
        base: usize,
        site: ChoiceSiteId,
        (chooser, why): (i64, ChoiceReason),
        prohibitions: ChoiceProhibitions,
    ) -> (InlineWords, i64, i64) {
        let program = Arc::clone(&self.program);
        let (id, kind) = (site, why.kind);
        let Some(site) = program.library.sites.get(id.index()) else { return (InlineWords::new(), 0, 0) };
        let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
        let mut items = site.selector.map_or_else(InlineWords::new, |f| self.items(f, &args));
        let (source, you) = (get(&self.scratch, base, 0), get(&self.scratch, base, 1));
        if prohibitions == ChoiceProhibitions::Apply {
            self.retain_choosable(&mut items, site, (source, you, chooser), why);
        }
        // An action does nothing to an object that has left, which a list may still name.
        if site.verb.is_some() && site.candidate_type == Type::Objects {
            items.retain(|item| self.state.exists(ObjectRef(*item)));
        }
        if site.verb.is_some_and(|verb| program.format.actions.get(verb.index()).is_some_and(|action| action.selective)) {
            self.retain_possible(&mut items, site, [kind, source, you, chooser]);
        }
        if !program.needed_actions.of_site(id).is_empty() {
            let registers = self.scratch.registers.get(base..).map_or_else(Args::new, Args::from_slice);
            self.retain_needed(&mut items, id, |reg| registers.get(usize::from(reg)).copied(), [kind, source, you, chooser]);
        }
        // A forbidden action cannot pay a cost.
        if kind == crate::ir::cause::COST
            && site.candidate_type == Type::Objects
            && let Some(action) = site.verb
            && self.program.arg_count(action) == 1
        {
            let (world, scratch) = self.world();
            items.retain(|item| world.can_be_cost(scratch, action.0, &[ObjectRef(*item).value()], source, (you, chooser)));
        }
        let n = items.len() as i64;
        let min = site.min.map_or(0, |f| self.number(f, &args)).clamp(0, n);
        let max = site.max.map_or(n, |f| self.number(f, &args)).clamp(min, n);
        (items, min, max)
    }

    /// Removes candidates that a prohibition forbids to choose.
    pub(crate) fn retain_choosable(
        &mut self,
        items: &mut InlineWords,
        site: &crate::ir::ChoiceSite,
        (source, you, chooser): (i64, i64, i64),
        why: ChoiceReason,
    ) {
        if self.may_be_forbidden(CHOSEN) {
            items.retain(|item| {
                let it =
                    if site.candidate_type == Type::Players { ObjectRef::of_player(*item as usize) } else { ObjectRef(*item) };
                let args = [chooser, it.value(), source, i64::from(site.target), why.waiting.value()];
                self.forbidden(CHOSEN, &args, [why.kind, source, you, chooser]).is_none()
            });
        }
    }

    /// Removes candidates to which the action of their choice cannot happen, if the action has no other parameter.
    pub(super) fn retain_possible(&mut self, items: &mut InlineWords, site: &crate::ir::ChoiceSite, why: Cause) {
        let acts_on_candidate = |verb: &ActionId| site.candidate_type == Type::Objects && self.program.arg_count(*verb) == 1;
        if let Some(action) = site.verb.filter(acts_on_candidate) {
            items.retain(|item| self.forbidden(action.0, &[ObjectRef(*item).value()], why).is_none());
        }
    }

    /// Returns the decision of a choice site, from the registers of a block in the state.
    pub(crate) fn site_decision(
        &mut self,
        function: FnId,
        first: usize,
        site: ChoiceSiteId,
        you: i64,
        why: ChoiceReason,
    ) -> Option<Decision> {
        self.with_registers(function, first, |machine, code, base| {
            let known = machine.parameters(base, code);
            let mut decision = machine.build_decision(base, site, you, why);
            if let Some(decision) = &mut decision {
                machine.retain_needed_modes(decision, function, &known);
            }
            decision
        })?
    }

    /// Runs code with the registers of a block in the state loaded. It is passed the function and the index of the first register. `None` if there
    /// is no such function.
    fn with_registers<T>(
        &mut self,
        function: FnId,
        first: usize,
        run: impl FnOnce(&mut Self, &crate::ir::Function, usize) -> T,
    ) -> Option<T> {
        let program = Arc::clone(&self.program);
        let code = program.function(function)?;
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        let base = self.load(function, code, first);
        let result = run(self, code, base);
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        Some(result)
    }

    /// Returns the parameters of a function, from its registers.
    fn parameters(&self, base: usize, function: &crate::ir::Function) -> Args {
        (0..function.params).map(|reg| get(&self.scratch, base, reg)).collect()
    }

    /// Returns the candidates of an announced choice that are legal on resolution, from the registers of a block in the state.
    pub(crate) fn announced_candidates(
        &mut self,
        function: FnId,
        first: usize,
        site: ChoiceSiteId,
        you: i64,
        why: ChoiceReason,
    ) -> InlineWords {
        let Some(choice) = self.program.library.sites.get(site.index()) else { return InlineWords::new() };
        let chooser = choice.chooser;
        let candidates = self.with_registers(function, first, |machine, _, base| {
            let chooser = match chooser {
                Chooser::Controller => you,
                Chooser::Player(reg) => get(&machine.scratch, base, reg),
            };
            let chooser = machine.seat(chooser) as i64;
            machine.legal_candidates(base, site, chooser, why)
        });
        candidates.unwrap_or_default()
    }

    /// Returns the object of the list that is being resolved, the topmost one; none if what is resolved does not wait there.
    pub(super) fn resolving_object(&self) -> ObjectRef {
        self.topmost_waiting(|entry| self.word(entry + ENTRY_RESOLVING) != 0)
    }

    /// Returns the object of the list that has an entry; none if there is none.
    pub(super) fn object_of_entry(&self, entry: Handle) -> ObjectRef {
        self.topmost_waiting(|other| other == entry)
    }

    fn topmost_waiting(&self, is_wanted: impl Fn(Handle) -> bool) -> ObjectRef {
        let waiting = self.program.list.map_or(&[][..], |list| self.state.zone_items(&self.program, list));
        let entry_of = |it: &u32| self.state.column(ObjectRef(*it).slot(), at::ENTRY) as usize;
        let found = waiting.iter().rev().find(|it| entry_of(it) != 0 && is_wanted(entry_of(it)));
        found.map_or(ObjectRef::NONE, |it| ObjectRef(*it))
    }

    /// Returns the minimum of a choice site, from the registers of a block in the state; 0 for a division.
    pub(crate) fn min_choices(&mut self, function: FnId, first: usize, site: ChoiceSiteId) -> i64 {
        let program = Arc::clone(&self.program);
        let Some(site) = program.library.sites.get(site.index()).filter(|site| !site.divides) else { return 0 };
        let wanted = self.with_registers(function, first, |machine, _, base| {
            let args: Args = site.captures.iter().map(|reg| get(&machine.scratch, base, *reg)).collect();
            site.min.map_or(0, |f| machine.number(f, &args))
        });
        wanted.unwrap_or(0)
    }

    fn build_decision(&mut self, base: usize, id: ChoiceSiteId, you: i64, why: ChoiceReason) -> Option<Decision> {
        let program = Arc::clone(&self.program);
        let site = program.library.sites.get(id.index())?;
        let chooser = match site.chooser {
            Chooser::Controller => you,
            Chooser::Player(reg) => get(&self.scratch, base, reg),
        };
        let player = self.seat(chooser);
        if let Some((modes, repeats)) = site.modes {
            let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
            let limit = if repeats { i64::from(modes) * 16 } else { i64::from(modes) };
            let max = site.max.map_or(1, |f| self.number(f, &args)).clamp(0, limit);
            let min = site.min.map_or(0, |f| self.number(f, &args)).clamp(0, max);
            let possible = site.selector.map(|selector| self.items(selector, &args));
            let is_possible = |mode: &u32| possible.as_ref().is_none_or(|possible| possible.contains(mode));
            let options = (0..u32::from(modes)).filter(is_possible).map(Choice::Mode).collect();
            let site = Some(id.0);
            let mut decision = Decision { player, kind: DecisionKind::Modes, options, min, max, site, repeats, board: None };
            decision.limit_modes();
            return Some(decision);
        }
        if site.divides {
            return Some(self.division_decision(base, id, site, player));
        }
        let (items, min, max) = self.candidates(base, id, player as i64, why);
        let options = candidate_options(&items, site.candidate_type);
        Some(Decision { player, kind: DecisionKind::Choose, options, min, max, site: Some(id.0), repeats: false, board: None })
    }

    /// Removes from a choice of a body the objects that replacements of the same batch are about to move.
    fn leave_out_used_objects(&self, frame: Handle, site: ChoiceSiteId, decision: &mut Decision) {
        let used = self.objects_used_in_batch(frame, site);
        if used.is_empty() {
            return;
        }
        decision.options.retain(|option| !matches!(option, Choice::Object(it) if used.contains(&it.0)));
        let left = decision.options.len() as i64;
        (decision.min, decision.max) = (decision.min.min(left), decision.max.min(left));
    }

    /// Returns the objects that replacements of the batch of a body are about to move, and that a choice therefore cannot take.
    fn objects_used_in_batch(&self, frame: Handle, site: ChoiceSiteId) -> InlineWords {
        match (self.word(frame + body::BATCH) as usize, self.program.library.sites.get(site.index())) {
            (batch, Some(site)) if batch != 0 => self.objects_used_by_replacements(batch, site),
            _ => InlineWords::new(),
        }
    }

    /// Returns the candidates of a choice of a body that are left to choose from. Registers are in the scratch window.
    pub(super) fn candidates_left(
        &mut self,
        frame: Handle,
        base: usize,
        site: ChoiceSiteId,
        chooser: i64,
        kind: i64,
    ) -> InlineWords {
        let chooser = self.seat(chooser) as i64;
        let (mut items, ..) = self.candidates(base, site, chooser, ChoiceReason::carried_out(kind));
        let used = self.objects_used_in_batch(frame, site);
        items.retain(|item| !used.contains(item));
        items
    }

    pub(super) fn choose(
        &mut self,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        dst: u16,
        site: ChoiceSiteId,
    ) -> StepFlow {
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let (choices, _) = self.take_answer();
            let items = picked_words(&choices, self.candidate_type_at(site));
            self.set_list(base, dst, items);
            if self.is_hooked(CHOSEN) {
                let flow = self.wait(frame, function, base, false);
                let you = self.reg(base, 1);
                let kind = self.state.block.int(frame + body::CAUSE);
                let source = self.reg(base, 0);
                let chooser = self.chooser_of(base, site);
                self.propose_chosen_events(site, &choices, ObjectRef::NONE, [kind, source, you, chooser]);
                return flow;
            }
            self.record_unobserved_choice(&choices);
            return StepFlow::Next;
        }
        let kind = self.state.block.int(frame + body::CAUSE);
        if self.word(frame + body::ANNOUNCED) != 0 && self.program.is_announced(site) {
            // Keep the announced candidates that are still legal.
            let chooser = self.chooser_of(base, site);
            let candidates = self.legal_candidates(base, site, chooser, ChoiceReason { kind, waiting: self.resolving_object() });
            let kept: InlineWords = self.list(base, dst).into_iter().filter(|it| candidates.contains(it)).collect();
            self.set_list(base, dst, kept);
            return StepFlow::Next;
        }
        let you = self.reg(base, 1);
        let Some(mut decision) = self.build_decision(base, site, you, ChoiceReason::carried_out(kind)) else {
            return StepFlow::Next;
        };
        self.leave_out_used_objects(frame, site, &mut decision);
        self.fail_cost_of_few(base, site, kind, &decision);
        if decision.options.is_empty() || decision.max == 0 {
            self.set_list(base, dst, []);
            return StepFlow::Next;
        }
        self.show_candidates(&decision);
        self.ask(&decision);
        self.wait(frame, function, base, true)
    }

    /// Returns the decision how to divide a number: each candidate gets at least the minimum, if the total is enough for that (CR
    /// 601.2d).
    fn division_decision(&mut self, base: usize, id: ChoiceSiteId, site: &crate::ir::ChoiceSite, player: usize) -> Decision {
        let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
        let items = site.selector.map_or_else(InlineWords::new, |f| self.items(f, &args));
        let total = site.max.map_or(0, |f| self.number(f, &args)).clamp(0, i64::from(i32::MAX));
        let least = site.min.map_or(0, |f| self.number(f, &args)).max(0);
        let min = if least.saturating_mul(items.len() as i64) > total { 0 } else { least };
        let options = candidate_options(&items, site.candidate_type);
        Decision { player, kind: DecisionKind::Divide, options, min, max: total, site: Some(id.0), repeats: false, board: None }
    }

    pub(super) fn divide(
        &mut self,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        dst: u16,
        site: ChoiceSiteId,
    ) -> StepFlow {
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let shares = self.take_shares();
            self.set_list(base, dst, shares);
            return StepFlow::Next;
        }
        if self.word(frame + body::ANNOUNCED) != 0 && self.program.is_announced(site) {
            // An announced division stays as it is, even if candidates have become illegal (CR 608.2d).
            return StepFlow::Next;
        }
        let you = self.reg(base, 1);
        let kind = self.state.block.int(frame + body::CAUSE);
        let decision =
            self.build_decision(base, site, you, ChoiceReason::carried_out(kind)).filter(|decision| !decision.options.is_empty());
        let Some(decision) = decision else {
            self.set_list(base, dst, []);
            return StepFlow::Next;
        };
        self.ask(&decision);
        self.wait(frame, function, base, true)
    }

    pub(super) fn choose_modes(
        &mut self,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        dst: u16,
        site: ChoiceSiteId,
    ) -> StepFlow {
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let (choices, _) = self.take_answer();
            let mut items = picked_words(&choices, Type::Objects);
            items.sort_unstable();
            self.set_list(base, dst, items);
            return StepFlow::Next;
        }
        if self.word(frame + body::ANNOUNCED) != 0 && self.program.is_announced(site) {
            return StepFlow::Next;
        }
        let you = self.reg(base, 1);
        let kind = self.state.block.int(frame + body::CAUSE);
        let Some(mut decision) = self.build_decision(base, site, you, ChoiceReason::carried_out(kind)) else {
            return StepFlow::Next;
        };
        let (text, known) = (FnId(self.word(frame + body::FUNCTION)), self.parameters(base, function));
        self.retain_needed_modes(&mut decision, text, &known);
        self.fail_cost_of_few(base, site, kind, &decision);
        self.ask(&decision);
        self.wait(frame, function, base, true)
    }

    /// A cost with fewer candidates than it needs is not paid.
    fn fail_cost_of_few(&mut self, base: usize, site: ChoiceSiteId, kind: i64, decision: &Decision) {
        let program = Arc::clone(&self.program);
        let Some(site) = program.library.sites.get(site.index()).filter(|_| kind == crate::ir::cause::COST) else { return };
        let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
        if site.min.is_some_and(|min| self.number(min, &args) > decision.min) {
            self.fail_cost();
        }
    }

    /// Returns who chooses at a choice site, from registers in the scratch window.
    fn chooser_of(&self, base: usize, site: ChoiceSiteId) -> i64 {
        match self.program.library.sites.get(site.index()).map(|site| site.chooser) {
            Some(Chooser::Player(reg)) => self.seat(get(&self.scratch, base, reg)) as i64,
            _ => self.seat(get(&self.scratch, base, 1)) as i64,
        }
    }

    /// Returns the type of a choice site's candidates.
    pub(crate) fn candidate_type_at(&self, site: ChoiceSiteId) -> Type {
        self.program.library.sites.get(site.index()).map_or(Type::Objects, |site| site.candidate_type)
    }

    /// Records that objects or players were chosen if no ability observes the event.
    pub(crate) fn record_unobserved_choice(&mut self, choices: &[Choice]) {
        if choices.iter().any(|choice| matches!(choice, Choice::Object(_) | Choice::Player(_))) {
            self.record_unobserved_event();
        }
    }

    /// Proposes one `chosen` event for each object or player that was chosen, for triggers.
    pub(crate) fn propose_chosen_events(&mut self, site: ChoiceSiteId, choices: &[Choice], waits: ObjectRef, cause: Cause) {
        let Some(target) = self.program.library.sites.get(site.index()).map(|site| site.target) else { return };
        let batch = self.push_batch();
        for choice in choices {
            let it = match choice {
                Choice::Object(it) => *it,
                Choice::Player(seat) => ObjectRef::of_player(*seat),
                _ => continue,
            };
            let args = [cause[3], it.value(), cause[1], i64::from(target), waits.value()];
            self.propose_in(batch, CHOSEN, &args, cause);
        }
    }
}

/// Returns the options for candidates that are objects, players or things.
pub(super) fn candidate_options(items: &[u32], of: Type) -> Vec<Choice> {
    let choice = |item: &u32| match (of, ObjectRef(*item).player()) {
        (Type::Players, _) => Choice::Player(*item as usize),
        (Type::Things, Some(seat)) => Choice::Player(seat),
        _ => Choice::Object(ObjectRef(*item)),
    };
    items.iter().map(choice).collect()
}
