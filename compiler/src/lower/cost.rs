//! Lowers the costs of cards and plays, and derives from each cost when it can be paid (CR 118.3, 601.2h).

use super::Lowering;
use super::function_builder::FunctionBuilder;
use fizzle_grammar::ast::Block;
use fizzle_ir::op::{Binary, EventProposal, TextSlot};
use fizzle_ir::{ActionId, ChoiceSite, ChoiceSiteId, FnId, Op, Reg, Type};
use std::ops::Range;

/// The maximum number of values of a chosen number that are tried to find out whether a cost can be paid.
const MAX_NUMBERS_TRIED: i64 = 64;

/// What a cost consists of, as far as it is known before the cost is paid.
pub struct CostParts {
    sites: Vec<ChoiceSiteId>,
    /// Events that happen in any case.
    events: Vec<CostEvent>,
    /// Functions that return whether there is what it takes.
    conditions: Vec<FnId>,
    /// Events of the modes: the modes' site, the number of the mode, the event.
    of_modes: Vec<(ChoiceSiteId, u16, CostEvent)>,
}

/// An event of a cost whose arguments are known.
type CostEvent = (ActionId, Vec<CostArgument>);

/// An argument of an event of a cost that is known before the cost is paid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CostArgument {
    /// `this` or `you`, by their registers.
    Own(Reg),
    /// A constant.
    Constant(i64, Type),
}

/// A mandatory choice of a cost.
struct CostChoice {
    selector: FnId,
    min: FnId,
    verb: Option<ActionId>,
    captures: Vec<Reg>,
}

/// A number that a cost chooses, by its register in the cost.
#[derive(Clone, Copy)]
struct ChosenNumber {
    reg: Reg,
    least: i64,
    most: i64,
}

impl CostParts {
    /// The parts of a cost that has no mandatory event.
    pub fn of_sites(sites: Vec<ChoiceSiteId>, conditions: Vec<FnId>) -> Self {
        Self { sites, events: Vec::new(), conditions, of_modes: Vec::new() }
    }

    /// The parts of a cost. `conditions`: see [`Lowering::taken_card_conditions`].
    pub fn of(cost: &FunctionBuilder, conditions: Vec<FnId>) -> Self {
        let has_jumps = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Jump { .. } | Op::JumpUnless { .. }));
        let events = if has_jumps(&cost.ops) { Vec::new() } else { known_events(cost, 0..cost.ops.len()) };
        let mut of_modes = Vec::new();
        for ((site, slot, mode), part) in &cost.mode_ops {
            if *slot == 0 && cost.ops.get(part.clone()).is_some_and(|ops| !has_jumps(ops)) {
                of_modes.extend(known_events(cost, part.clone()).into_iter().map(|event| (*site, *mode, event)));
            }
        }
        Self { sites: cost.sites.clone(), events, conditions, of_modes }
    }
}

/// Returns the events that a part of a cost without branches proposes, if their arguments are known.
fn known_events(cost: &FunctionBuilder, part: Range<usize>) -> Vec<CostEvent> {
    let argument = |reg: &Reg| {
        let mut writes = cost.ops.iter().filter(|op| op.destination() == Some(*reg));
        match (writes.next(), writes.next()) {
            (None, _) if *reg < 2 => Some(CostArgument::Own(*reg)),
            (Some(Op::Const { value, .. }), None) => {
                Some(CostArgument::Constant(*value, cost.registers.get(usize::from(*reg)).copied()?))
            }
            _ => None,
        }
    };
    let events = cost.ops.get(part).unwrap_or(&[]).iter().filter_map(|op| match op {
        Op::Propose { events, .. } => Some(events),
        _ => None,
    });
    let known = |event: &EventProposal| {
        let args: Option<Vec<CostArgument>> = event.args.iter().map(argument).collect();
        args.filter(|_| event.over.is_none()).map(|args| (event.action, args))
    };
    events.flatten().filter_map(known).collect()
}

impl<'a> Lowering<'a> {
    /// Lowers a cost of a card. Returns its statements, and the function that returns whether it can be paid.
    pub fn cost_block(&mut self, block: &'a Block) -> (FnId, Option<FnId>) {
        self.begin_child(false, None);
        self.block(block);
        let mut child = self.end_child();
        let conditions = self.taken_card_conditions(&mut child, &[]);
        let parts = CostParts::of(&child, conditions);
        let cost = self.close(child, &[]);
        (cost, self.cost_possible(cost, parts))
    }

    /// Derives from a cost the function that returns whether it can be paid: every mandatory choice has enough candidates (for some value of a
    /// number that the cost chooses), there are as many cards as it moves from the end of a pile, enough modes can be paid, and nothing forbids
    /// its events. Returns `None` if the cost has nothing to check.
    pub fn cost_possible(&mut self, cost: FnId, parts: CostParts) -> Option<FnId> {
        let slots = self.library.functions.get(cost.index()).map_or_else(Vec::new, |function| function.text_slots.clone());
        self.add_payable_modes(&parts, &slots);
        let number = self.chosen_number(cost);
        let is_number = |reg: &Reg| number.is_some_and(|number| number.reg == *reg);
        let known = |reg: &Reg| *reg < 2 || slots.iter().any(|slot| slot.reg == *reg) || is_number(reg);
        let mandatory = self.mandatory_choices(&parts.sites, |site| site.mode.is_none() && site.captures.iter().all(known));
        if mandatory.is_empty() && parts.events.is_empty() && parts.conditions.is_empty() {
            return None;
        }
        self.begin_child(true, Some(Type::Bool));
        let mut fails: Vec<usize> = parts.events.iter().map(|event| self.jump_unless_allowed(event)).collect();
        for function in parts.conditions {
            let holds = self.reg(Type::Bool);
            self.emit(Op::Call { dst: holds, function, args: vec![0, 1] });
            fails.push(self.jump_unless(holds));
        }
        let (numbered, plain): (Vec<CostChoice>, Vec<CostChoice>) =
            mandatory.into_iter().partition(|choice| choice.captures.iter().any(is_number));
        for choice in plain {
            fails.push(self.jump_unless_enough(choice, &slots, None));
        }
        match number.filter(|_| !numbered.is_empty()) {
            Some(number) => {
                self.return_if_some_number_is_payable(number, numbered, &slots);
                self.return_false_at(fails);
            }
            None => self.return_true_unless(fails),
        }
        let child = self.end_child();
        Some(self.close(child, &[]))
    }

    /// Returns the mandatory choices among the choices of a cost that meet a condition. A choice of modes is one if its modes can be checked.
    fn mandatory_choices(&self, sites: &[ChoiceSiteId], meets: impl Fn(&ChoiceSite) -> bool) -> Vec<CostChoice> {
        let sites = sites.iter().filter_map(|id| self.library.sites.get(id.index()));
        let repeats = |site: &ChoiceSite| site.modes.is_some_and(|(_, repeats)| repeats);
        sites
            .filter(|site| !site.optional && !site.conditional && !repeats(site) && meets(site))
            .filter_map(|site| {
                Some(CostChoice {
                    selector: site.selector?,
                    min: site.min?,
                    verb: site.verb.filter(|_| site.candidate_type == Type::Objects && site.modes.is_none()),
                    captures: site.captures.clone(),
                })
            })
            .collect()
    }

    /// Gives each choice of modes of a cost the function that returns which of them can be paid.
    fn add_payable_modes(&mut self, parts: &CostParts, slots: &[TextSlot]) {
        let known = |site: &ChoiceSite| site.captures.iter().all(|reg| *reg < 2 || slots.iter().any(|slot| slot.reg == *reg));
        for id in &parts.sites {
            let Some(site) = self.library.sites.get(id.index()) else { continue };
            let Some((count, _)) = site.modes.filter(|_| site.mode.is_none() && site.captures == [0, 1]) else { continue };
            let conditions: Vec<(Vec<&CostEvent>, Vec<CostChoice>)> = (0..count)
                .map(|mode| {
                    let events = parts.of_modes.iter().filter(|(site, of, _)| site == id && *of == mode).map(|(.., event)| event);
                    let own = |site: &ChoiceSite| site.mode == Some((*id, 0, mode)) && known(site);
                    (events.collect(), self.mandatory_choices(&parts.sites, own))
                })
                .collect();
            if conditions.iter().all(|(events, choices)| events.is_empty() && choices.is_empty()) {
                continue;
            }
            let selector = self.payable_modes(conditions, slots);
            if let Some(site) = self.library.sites.get_mut(id.index()) {
                site.selector = Some(selector);
            }
        }
    }

    /// Derives the function that returns the numbers of the modes that can be paid, from the events and choices of each.
    fn payable_modes(&mut self, conditions: Vec<(Vec<&CostEvent>, Vec<CostChoice>)>, slots: &[TextSlot]) -> FnId {
        self.begin_child(true, Some(Type::Objects));
        let numbers = self.intern_list((0..conditions.len() as i32).collect());
        self.begin_child(true, Some(Type::Bool));
        let tried = self.trailing_param(Type::Object);
        for (mode, (events, choices)) in conditions.into_iter().enumerate() {
            let number = self.constant(mode as i64, Type::Object);
            let is_tried = self.binary(Binary::Equal, tried, number, Type::Bool);
            let another = self.jump_unless(is_tried);
            let mut fails: Vec<usize> = events.into_iter().map(|event| self.jump_unless_allowed(event)).collect();
            fails.extend(choices.into_iter().map(|choice| self.jump_unless_enough(choice, slots, None)).collect::<Vec<_>>());
            self.return_true_unless(fails);
            self.patch_jump(another);
        }
        self.return_false_at(Vec::new());
        let child = self.end_child();
        let filter = self.close(child, &[]);
        let list = self.reg(Type::Objects);
        self.emit(Op::List { dst: list, list: numbers });
        self.emit(Op::Filter { dst: list, list, filter, captures: vec![0, 1] });
        self.emit(Op::Return { value: Some(list) });
        let child = self.end_child();
        self.close(child, &[])
    }

    /// Emits a jump that is taken if something forbids an event of a cost.
    fn jump_unless_allowed(&mut self, (action, args): &CostEvent) -> usize {
        let own = |argument: &CostArgument| match *argument {
            CostArgument::Own(reg) => reg,
            CostArgument::Constant(value, ty) => self.constant(value, ty),
        };
        let args: Vec<Reg> = args.iter().map(own).collect();
        let can = self.reg(Type::Bool);
        self.emit(Op::IsAllowed { dst: can, action: *action, args, paying: true });
        self.jump_unless(can)
    }

    /// Emits the end of a function that returns true, or false where these jumps are taken.
    fn return_true_unless(&mut self, fails: Vec<usize>) {
        let yes = self.constant(1, Type::Bool);
        self.emit(Op::Return { value: Some(yes) });
        self.return_false_at(fails);
    }

    /// Emits the return of false, where these jumps lead.
    fn return_false_at(&mut self, fails: Vec<usize>) {
        for fail in fails {
            self.patch_jump(fail);
        }
        let no = self.constant(0, Type::Bool);
        self.emit(Op::Return { value: Some(no) });
    }

    /// Returns the number that a cost without branches chooses, if its limits are constant and there are at most [`MAX_NUMBERS_TRIED`].
    fn chosen_number(&self, cost: FnId) -> Option<ChosenNumber> {
        let ops = &self.library.functions.get(cost.index())?.ops;
        if ops.iter().any(|op| matches!(op, Op::Jump { .. } | Op::JumpUnless { .. })) {
            return None;
        }
        let constant = |reg: Reg| {
            let mut writes = ops.iter().filter(|op| op.destination() == Some(reg));
            match (writes.next(), writes.next()) {
                (Some(Op::Const { value, .. }), None) => Some(*value),
                _ => None,
            }
        };
        let mut chosen = ops.iter().filter_map(|op| match op {
            Op::AskNumber { dst, min, max, .. } => Some((*dst, constant(*min)?, constant(*max)?)),
            _ => None,
        });
        let (Some((reg, least, most)), None) = (chosen.next(), chosen.next()) else { return None };
        (most.saturating_sub(least) < MAX_NUMBERS_TRIED).then_some(ChosenNumber { reg, least, most })
    }

    /// Emits a test of each number that a cost can choose, which returns true at the first with which its choices can be made. Pure code goes forward
    /// only, so there is no loop.
    fn return_if_some_number_is_payable(&mut self, number: ChosenNumber, choices: Vec<CostChoice>, slots: &[TextSlot]) {
        let is_payable = self.payable_with_number(number, choices, slots);
        let yes = self.constant(1, Type::Bool);
        let (tried, can) = (self.reg(Type::Number), self.reg(Type::Bool));
        for value in number.least..=number.most {
            self.emit(Op::Const { dst: tried, value });
            self.emit(Op::Call { dst: can, function: is_payable, args: vec![0, 1, tried] });
            let next = self.jump_unless(can);
            self.emit(Op::Return { value: Some(yes) });
            self.patch_jump(next);
        }
    }

    /// Derives the function that returns whether the choices of a cost can be made with a number, its last parameter.
    fn payable_with_number(&mut self, number: ChosenNumber, choices: Vec<CostChoice>, slots: &[TextSlot]) -> FnId {
        self.begin_child(true, Some(Type::Bool));
        let tried = self.trailing_param(Type::Number);
        let misses: Vec<usize> =
            choices.into_iter().map(|choice| self.jump_unless_enough(choice, slots, Some((number.reg, tried)))).collect();
        self.return_true_unless(misses);
        let child = self.end_child();
        self.close(child, &[])
    }

    /// Emits a jump that is taken unless a choice of a cost has enough candidates. `number`: the register of a number in the cost, and the one
    /// that holds it here.
    fn jump_unless_enough(&mut self, choice: CostChoice, slots: &[TextSlot], number: Option<(Reg, Reg)>) -> usize {
        let slot = |reg: Reg| slots.iter().find(|slot| slot.reg == reg);
        let own = |lower: &mut Self, reg: Reg| match number {
            Some((chosen, tried)) if chosen == reg => tried,
            _ => slot(reg).and_then(|slot| lower.slot(slot.traits, slot.word)).unwrap_or(reg),
        };
        let args: Vec<Reg> = choice.captures.into_iter().map(|reg| own(self, reg)).collect();
        let list = self.reg(Type::Objects);
        self.emit(Op::Call { dst: list, function: choice.selector, args: args.clone() });
        if let Some(action) = choice.verb.filter(|verb| self.takes_object(*verb)) {
            self.begin_child(true, Some(Type::Bool));
            let item = self.trailing_param(Type::Object);
            let can = self.reg(Type::Bool);
            self.emit(Op::IsAllowed { dst: can, action, args: vec![item], paying: true });
            self.emit(Op::Return { value: Some(can) });
            let child = self.end_child();
            let filter = self.close(child, &[]);
            self.emit(Op::Filter { dst: list, list, filter, captures: vec![0, 1] });
        }
        let count = self.reg(Type::Number);
        self.emit(Op::Count { dst: count, list });
        let least = self.reg(Type::Number);
        self.emit(Op::Call { dst: least, function: choice.min, args });
        let enough = self.binary(Binary::LessEqual, least, count, Type::Bool);
        self.jump_unless(enough)
    }

    /// Whether an object is the only parameter of an action, so that a prohibition can be checked for each candidate.
    fn takes_object(&self, action: ActionId) -> bool {
        let signature = self.names.actions.get_index(action.index()).map(|(_, signature)| &signature.params);
        matches!(signature.map(Vec::as_slice), Some([(_, Type::Object)]))
    }
}
