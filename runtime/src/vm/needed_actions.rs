//! Whether the actions that a text needs are possible: an object whose text begins with a forbidden one cannot be announced, and a choice that picks
//! the object of one offers only objects to which it can happen.

use super::hooks::Obstacle;
use super::inline_vecs::{Args, InlineWords};
use crate::ir::{Cause, ChoiceSite, ChoiceSiteId, FnId, NO_PLAYER, ObjectRef, Op, Reg, Type, cause};
use crate::tables::needed_actions::{NeededAction, NeededArg};
use crate::vm::decision::{Choice, Decision};
use crate::vm::machine::Machine;
use std::sync::Arc;

impl Machine {
    /// Removes candidates to which an action that the text needs cannot happen. `known`: the values of registers, as far as they are known.
    pub(super) fn retain_needed(
        &mut self,
        items: &mut InlineWords,
        site: ChoiceSiteId,
        known: impl Fn(Reg) -> Option<i64>,
        why: Cause,
    ) {
        let program = Arc::clone(&self.program);
        for need in program.needed_actions.of_site(site) {
            items.retain(|item| self.need_obstacle(need, ObjectRef(*item).value(), &known, why).is_none());
        }
    }

    /// Returns what forbids that an action which a text needs happens to a candidate of a choice. `known`: the values of registers, as far as they
    /// are known.
    pub(super) fn candidate_need_obstacle(
        &mut self,
        site: ChoiceSiteId,
        it: ObjectRef,
        known: impl Fn(Reg) -> Option<i64>,
        why: Cause,
    ) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        program.needed_actions.of_site(site).iter().find_map(|need| self.need_obstacle(need, it.value(), &known, why))
    }

    /// Returns what forbids the actions that a text needs, if nothing else is the obstacle. `known`: the values of its parameters. `agreed`: whether
    /// its player agrees to what is optional; else only what is not optional counts.
    pub(super) fn unmet_need(&mut self, text: FnId, known: &Args, agreed: bool) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let mut needs = program.needed_actions.of_function(text).iter().filter(|need| need.optional == agreed);
        let found = needs.find_map(|need| self.text_need_obstacle(text, need, known));
        found.or_else(|| self.unmet_modes(text, known).filter(|_| !agreed))
    }

    /// Returns what forbids one of the actions that a text needs.
    fn text_need_obstacle(&mut self, text: FnId, need: &NeededAction, known: &Args) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let value = |at: usize| known.get(at).copied();
        let (source, you) = (value(0).unwrap_or(0), value(1).unwrap_or(NO_PLAYER));
        match need.site {
            None => self.without_choice_obstacle(text, need, known, [cause::EFFECT, source, you, NO_PLAYER]),
            Some(id) => {
                let site = program.library.sites.get(id.index())?;
                self.forbidden_for_all(id, site, need, (known, source, you))
            }
        }
    }

    /// Returns what forbids modes, if so many that too few are left of those that a text begins with.
    fn unmet_modes(&mut self, text: FnId, known: &Args) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let id = program.needed_actions.modes_of_function(text)?;
        let site = program.library.sites.get(id.index())?;
        let (modes, repeats) = site.modes?;
        let args: Args = site.captures.iter().map(|reg| known.get(usize::from(*reg)).copied()).collect::<Option<Args>>()?;
        let wanted = site.min.map_or(0, |min| self.number(min, &args));
        let forbidden: Vec<Obstacle> = (0..modes).filter_map(|mode| self.mode_obstacle(text, id, mode, known)).collect();
        let left = i64::from(modes) - forbidden.len() as i64;
        let is_enough = left >= wanted || repeats && left > 0;
        if is_enough { None } else { forbidden.into_iter().next() }
    }

    /// Returns what forbids an action that a mode begins with.
    fn mode_obstacle(&mut self, text: FnId, modes: ChoiceSiteId, mode: u16, known: &Args) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        program.needed_actions.of_mode(modes, mode).find_map(|need| self.text_need_obstacle(text, need, known))
    }

    /// Removes the modes that begin with an action which is forbidden, unless too few would be left. `known`: the values of the parameters of the
    /// text.
    pub(super) fn retain_needed_modes(&mut self, decision: &mut Decision, text: FnId, known: &Args) {
        let Some(modes) = self.program.needed_actions.modes_of_function(text).filter(|id| decision.site == Some(id.0)) else {
            return;
        };
        let before = decision.options.clone();
        decision.options.retain(|option| {
            let Choice::Mode(mode) = option else { return true };
            u16::try_from(*mode).is_ok_and(|mode| self.mode_obstacle(text, modes, mode, known).is_none())
        });
        if (decision.options.len() as i64) < decision.min && (!decision.repeats || decision.options.is_empty()) {
            decision.options = before;
        }
        decision.limit_modes();
    }

    /// Returns what forbids a needed action whose arguments no player chooses. Of several objects each must be forbidden.
    fn without_choice_obstacle(&mut self, text: FnId, need: &NeededAction, known: &Args, why: Cause) -> Option<Obstacle> {
        let is_computed = |arg: &NeededArg| matches!(arg, NeededArg::Computed(_) | NeededArg::Each(_));
        if !need.args.iter().any(is_computed) {
            return self.need_obstacle(need, 0, &|reg| known.get(usize::from(reg)).copied(), why);
        }
        let (mark, floor) = (self.scratch.mark(), self.scratch.registers.len());
        self.compute_before_statements(text, known);
        let values = self.scratch.registers.get(floor..).map_or_else(Args::new, Args::from_slice);
        let each = need.args.iter().find_map(|arg| if let NeededArg::Each(reg) = arg { Some(*reg) } else { None });
        let list = each.and_then(|reg| values.get(usize::from(reg)).copied());
        let objects = list.map(|list| InlineWords::from_iter(self.scratch.list(list).iter().map(|item| *item as u32)));
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        let value = |reg: Reg| values.get(usize::from(reg)).copied();
        // What the player does not know decides nothing: a refusal would show it.
        let params = self.program.format.actions.get(need.action.index()).map_or(&[][..], |action| action.params.as_slice());
        let computed = need.args.iter().zip(params).filter_map(|(arg, (_, ty))| match arg {
            NeededArg::Computed(reg) if ty.is_reference() => value(*reg),
            _ => None,
        });
        let listed = objects.iter().flatten().map(|it| ObjectRef(*it).value());
        if !computed.chain(listed).all(|it| self.is_known_to(it, why[2])) {
            return None;
        }
        let Some(objects) = objects else { return self.need_obstacle(need, 0, &value, why) };
        let mut obstacle = None;
        for object in objects {
            obstacle = Some(self.need_obstacle(need, ObjectRef(object).value(), &value, why)?);
        }
        obstacle
    }

    /// Returns whether a player knows which card an object is. Players are known, and what has left.
    fn is_known_to(&self, value: i64, player: i64) -> bool {
        let it = ObjectRef::from_value(value);
        let Ok(player) = usize::try_from(player) else { return true };
        it.player().is_some() || !self.state.exists(it) || self.state.is_known(&self.program, player, it.slot())
    }

    /// Computes the registers of a text up to its first statement, in a window at the end of the scratch registers.
    fn compute_before_statements(&mut self, text: FnId, known: &Args) {
        let program = Arc::clone(&self.program);
        let Some(function) = program.library.functions.get(text.index()) else { return };
        self.refresh();
        let base = self.scratch.registers.len();
        self.scratch.registers.extend_from_slice(known);
        self.scratch.registers.resize(base + function.registers.len(), 0);
        let (world, scratch) = self.world();
        world.fill_text_slots(scratch, function, base);
        // Choices and picks at random do nothing, and neither do the events of a block before its end.
        let mut is_in_block = false;
        let does_nothing = |op: &Op| {
            matches!(op, Op::Ask { .. } | Op::JumpUnless { .. } | Op::Choose { .. } | Op::Random { .. } | Op::BeginBatch)
        };
        for op in &function.ops {
            is_in_block |= matches!(op, Op::BeginBatch);
            if does_nothing(op) || is_in_block && matches!(op, Op::Propose { .. }) {
                continue;
            }
            if op.is_statement() || matches!(op, Op::Jump { .. } | Op::Return { .. }) {
                return;
            }
            scratch.fuel += 1;
            world.pure_op(scratch, base, op, &function.registers);
        }
    }

    /// Returns what forbids a needed action for so many candidates of a choice that too few are left.
    fn forbidden_for_all(
        &mut self,
        id: ChoiceSiteId,
        site: &ChoiceSite,
        need: &NeededAction,
        (known, source, you): (&Args, i64, i64),
    ) -> Option<Obstacle> {
        let value = |reg: Reg| known.get(usize::from(reg)).copied();
        let args: Args = site.captures.iter().map(|reg| value(*reg)).collect::<Option<Args>>()?;
        let wanted = site.min.map_or(0, |min| self.number(min, &args));
        let why = [cause::EFFECT, source, you, you];
        let candidates = site.selector.map_or_else(InlineWords::new, |selector| self.items(selector, &args));
        let mut left = candidates.clone();
        self.retain_needed(&mut left, id, value, why);
        if wanted <= 0 || (candidates.len() as i64) < wanted || left.len() as i64 >= wanted {
            return None;
        }
        candidates.iter().find_map(|item| self.need_obstacle(need, ObjectRef(*item).value(), &value, why))
    }

    /// Returns what a choice picks, if it has to pick the only candidate.
    fn only_pick(&mut self, id: ChoiceSiteId, known: &impl Fn(Reg) -> Option<i64>) -> Option<i64> {
        let program = Arc::clone(&self.program);
        let site = program.library.sites.get(id.index())?;
        let args: Args = site.captures.iter().map(|reg| known(*reg)).collect::<Option<Args>>()?;
        let (min, selector) = (site.min?, site.selector?);
        let candidates = self.items(selector, &args);
        let [only] = candidates.as_slice() else { return None };
        let only = if site.candidate_type == Type::Players { i64::from(*only) } else { ObjectRef(*only).value() };
        (self.number(min, &args) == 1).then_some(only)
    }

    /// Returns what forbids a needed action.
    fn need_obstacle(
        &mut self,
        need: &NeededAction,
        candidate: i64,
        known: &impl Fn(Reg) -> Option<i64>,
        why: Cause,
    ) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let params = program.format.actions.get(need.action.index()).map_or(&[][..], |action| action.params.as_slice());
        let (world, _) = self.world();
        let opponent = Some(world.next_player(why[2]));
        let picks: Vec<Option<i64>> = (need.args.iter())
            .map(|arg| if let NeededArg::Picked(site) = arg { self.only_pick(*site, known) } else { None })
            .collect();
        let arg = |((arg, pick), (_, ty)): ((&NeededArg, &Option<i64>), &(String, Type))| {
            let value = match *arg {
                NeededArg::Candidate | NeededArg::Each(_) => Some(candidate),
                NeededArg::Parameter(reg) | NeededArg::Computed(reg) => known(reg),
                NeededArg::Constant(value) => Some(value),
                NeededArg::Opponent => opponent,
                NeededArg::Picked(_) => *pick,
                NeededArg::Unknown => None,
            };
            value.unwrap_or(if *ty == Type::Player { NO_PLAYER } else { 0 })
        };
        let args: Args = need.args.iter().zip(&picks).zip(params).map(arg).collect();
        let (world, scratch) = self.world();
        world.query_obstacle(scratch, need.action.0, &args, why)
    }
}
