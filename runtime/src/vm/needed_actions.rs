//! Whether the actions that a text needs are possible: an object whose text begins with a forbidden one cannot be announced, and a choice that picks
//! the object of one offers only objects to which it can happen.

use super::hooks::Obstacle;
use super::inline_vecs::{Args, InlineWords};
use crate::ir::{Cause, ChoiceSite, ChoiceSiteId, FnId, NO_PLAYER, ObjectRef, Op, Reg, Type, cause};
use crate::tables::needed_actions::{NeededAction, NeededArg};
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
        let value = |reg: Reg| known.get(usize::from(reg)).copied();
        let (source, you) = (value(0).unwrap_or(0), value(1).unwrap_or(NO_PLAYER));
        for need in program.needed_actions.of_function(text).iter().filter(|need| need.optional == agreed) {
            let found = match need.site {
                None => self.without_choice_obstacle(text, need, known, [cause::EFFECT, source, you, NO_PLAYER]),
                Some(id) => {
                    let site = program.library.sites.get(id.index())?;
                    self.forbidden_for_all(id, site, need, (known, source, you))
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
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
        for op in function.ops.iter().filter(|op| !matches!(op, Op::Ask { .. } | Op::JumpUnless { .. } | Op::Choose { .. })) {
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
        let arg = |(arg, (_, ty)): (&NeededArg, &(String, Type))| {
            let value = match *arg {
                NeededArg::Candidate | NeededArg::Each(_) => Some(candidate),
                NeededArg::Parameter(reg) | NeededArg::Computed(reg) => known(reg),
                NeededArg::Constant(value) => Some(value),
                NeededArg::Unknown => None,
            };
            value.unwrap_or(if *ty == Type::Player { NO_PLAYER } else { 0 })
        };
        let args: Args = need.args.iter().zip(params).map(arg).collect();
        let (world, scratch) = self.world();
        world.query_obstacle(scratch, need.action.0, &args, why)
    }
}
