//! Cost options: the choice of additional and alternative costs on announcement, and the units that are due with them (CR 601.2b,
//! f). An option is offered only if its condition holds and it can be paid together with those chosen before.

use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::{InlineWords, Items};
use super::scratch::HypotheticalAnnouncement;
use crate::ir::ObjectRef;
use crate::ir::op::{Place, WriteMode};
use crate::ir::{AbilityId, AbilityKind, AnnounceStage, FnId, PaymentId, Play, TraitSetId, Type, cause};
use crate::records::frame::{announce, body};
use crate::records::{ENTRY_KEPT_ABILITIES, ENTRY_KIND, ENTRY_OPTIONS, entry_kind};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::vm::cache_entries::{CostQuery, CostQueryKind};
use crate::vm::eval_context::EvalContext;
use crate::vm::machine::Machine;
use crate::vm::machine::StepFlow;
use crate::vm::pay::UnitInPool;
use crate::vm::pay::remaining_cost::RemainingCost;
use crate::vm::scratch::Scratch;
use std::sync::Arc;

/// Stands among the chosen options of an announcement that is free of its price.
pub(crate) const FREE: u32 = u32::MAX;

/// Maximum number of times that a counted option can be chosen.
const MAX_TIMES: u32 = 64;

/// A cost option of an object, from its ability.
#[derive(Clone, Copy, Debug)]
struct CostOption {
    ability: u32,
    status: u16,
    site: u32,
    instead: bool,
    condition: Option<FnId>,
    cost: Option<FnId>,
    possible: Option<FnId>,
}

impl EvalContext<'_> {
    /// Returns the price abilities of an object in printed order; gained ones come last. For an object that is being announced,
    /// the price abilities of its previous zone follow (CR 601.2b: it may be used with the options that it had there).
    fn price_abilities(&self, object: ObjectRef) -> Vec<AbilityId> {
        if self.program.cost_abilities.is_empty() {
            return Vec::new();
        }
        let printed = self.definition(object).and_then(|d| self.program.definition_bundles.get(d as usize));
        let place = |unit: u32| printed.and_then(|units| units.iter().position(|u| *u == unit)).unwrap_or(usize::MAX);
        let mut found: Vec<(usize, AbilityId)> = self
            .program
            .cost_abilities
            .iter()
            .filter(|(unit, _)| self.has_bundle(object, *unit))
            .map(|(unit, ability)| (place(*unit), *ability))
            .collect();
        found.sort_by_key(|(place, _)| *place);
        let entry = if self.state.exists(object) { self.state.column(object.slot(), at::ENTRY) as usize } else { 0 };
        let kept = if entry == 0 { &[] } else { self.state.block.list(entry + ENTRY_KEPT_ABILITIES) };
        found.into_iter().map(|(_, ability)| ability).chain(kept.iter().copied().map(AbilityId)).collect()
    }

    /// Returns the units due for an announced object: its price or that of the chosen alternative cost, then the additional
    /// costs.
    pub(crate) fn units_due(&self, scratch: &mut Scratch, price: i64, object: ObjectRef) -> Items {
        let mut units = Items::from_slice(scratch.list(price));
        let (user, chosen) = match &scratch.hypothetical {
            Some(supposed) if supposed.object == object => (supposed.user, supposed.chosen.clone()),
            _ => {
                let entry = if self.state.exists(object) { self.state.column(object.slot(), at::ENTRY) as usize } else { 0 };
                if entry == 0 {
                    return units;
                }
                let words = self.state.block.list(entry + ENTRY_OPTIONS);
                let chosen = words.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
                (self.state.block.get(entry + crate::records::ENTRY_USER) as usize, chosen)
            }
        };
        let mut further = Items::new();
        for (ability, times) in chosen {
            if ability == FREE {
                units.clear();
                continue;
            }
            let kind = self.program.library.abilities.get(ability as usize).map(|a| &a.kind);
            let Some(AbilityKind::CostOption { instead, price, .. }) = kind else { continue };
            let args = [object.value(), user as i64];
            let own: Items =
                price.map_or_else(Items::new, |f| self.items(scratch, f, &args).iter().map(|unit| *unit as i32).collect());
            if *instead {
                units = own;
            } else {
                for _ in 0..times.min(MAX_TIMES) {
                    further.extend_from_slice(&own);
                }
            }
        }
        units.extend(further);
        units
    }
}

impl Machine {
    /// Returns whether the format lets players choose cost options and announce numbers.
    pub(crate) fn has_values_stage(&self) -> bool {
        self.program.format.announce.stages.contains(&AnnounceStage::Values)
    }

    /// See [`EvalContext::price_abilities`].
    pub(crate) fn price_abilities(&mut self, object: ObjectRef) -> Vec<AbilityId> {
        self.world().0.price_abilities(object)
    }

    /// Returns the cost options of an object, alternative costs first.
    fn cost_options(&mut self, object: ObjectRef) -> Vec<CostOption> {
        if self.program.cost_abilities.is_empty() {
            return Vec::new();
        }
        let program = Arc::clone(&self.program);
        let mut found: Vec<CostOption> = self
            .price_abilities(object)
            .into_iter()
            .filter_map(|ability| match program.library.abilities.get(ability.index()).map(|a| &a.kind) {
                Some(AbilityKind::CostOption { status, instead, site, condition, cost, possible, .. }) => Some(CostOption {
                    ability: ability.0,
                    status: *status,
                    site: site.0,
                    instead: *instead,
                    condition: *condition,
                    cost: *cost,
                    possible: *possible,
                }),
                _ => None,
            })
            .collect();
        found.sort_by_key(|option| !option.instead);
        found
    }

    /// Returns the statuses that the cost options of an object set.
    pub(super) fn cost_option_statuses(&mut self, object: ObjectRef) -> Vec<u16> {
        self.cost_options(object).into_iter().map(|option| option.status).collect()
    }

    /// As [`Machine::price_abilities`], for an object as it is used: a card that was put there concealed is shown then, and costs what it prints.
    pub(in crate::vm) fn price_abilities_in_use(&mut self, object: ObjectRef) -> Vec<AbilityId> {
        if self.program.cost_abilities.is_empty() {
            return Vec::new();
        }
        let program = Arc::clone(&self.program);
        if self.state.exists(object) && self.state.is_concealed(&program, object.slot()) {
            self.while_unconcealed(object, |machine| machine.price_abilities(object))
        } else {
            self.price_abilities(object)
        }
    }

    /// Returns the additional costs that an object has regardless of choices: the body of each, and its condition for being
    /// payable.
    fn fixed_costs(&mut self, object: ObjectRef) -> Vec<(FnId, Option<FnId>)> {
        let abilities = self.price_abilities_in_use(object);
        let kinds = abilities.into_iter().filter_map(|ability| self.program.library.abilities.get(ability.index()));
        kinds
            .filter_map(|ability| match &ability.kind {
                AbilityKind::Cost { body, possible } => Some((*body, *possible)),
                _ => None,
            })
            .collect()
    }

    fn is_option_allowed(&mut self, option: &CostOption, object: ObjectRef, user: usize) -> bool {
        let args = [object.value(), user as i64];
        [option.condition, option.possible].into_iter().flatten().all(|f| self.test(f, &args))
    }

    /// Returns whether the price of a play could be paid with these options chosen.
    fn can_pay_with(&mut self, play: &Play, object: ObjectRef, user: usize, args: &[i64], chosen: Vec<(u32, u32)>) -> bool {
        let options: InlineWords = chosen.iter().map(|(ability, _)| *ability).collect();
        let prints_no_cost = play.cost_possible.is_none() && self.program.cost_abilities.is_empty();
        let is_plain = play.cost.is_none() && (play.immediate || play.is_ability() || prints_no_cost);
        let rest = if is_plain { RemainingCost::default() } else { self.remaining_cost(play, object, args, &options) };
        if !self.can_pay_all_of(&rest) {
            return false;
        }
        let Some(price) = play.price else { return true };
        let announcement = HypotheticalAnnouncement { object, user, chosen };
        let outer = self.scratch.hypothetical.take();
        let units = self.price_units(price, announcement, args);
        let before = std::mem::replace(&mut self.scratch.pays_for_ability, play.is_ability());
        let can = self.can_pay(play.payment, user, &units, object);
        let rest = if units.is_empty() { RemainingCost::default() } else { rest };
        let can = can && !rest.reads_others || self.can_pay_in_trial(play.payment, user, &units, object, rest, can);
        self.scratch.pays_for_ability = before;
        self.scratch.hypothetical = outer;
        can
    }

    /// Returns the units of a play's price without any cost option.
    pub(crate) fn usual_price(&mut self, play: &Play, object: ObjectRef, user: usize, args: &[i64]) -> InlineWords {
        let announcement = HypotheticalAnnouncement { object, user, chosen: Vec::new() };
        let units = play.price.map_or_else(InlineWords::new, |price| self.price_units(price, announcement, args));
        self.scratch.hypothetical = None;
        units
    }

    /// Returns the units of a price with the chosen options of an announcement, which stays the hypothetical one.
    fn price_units(&mut self, price: FnId, announcement: HypotheticalAnnouncement, args: &[i64]) -> InlineWords {
        // The read set of a price is valid only without options, and while no extra argument is known yet.
        let usual = announcement.chosen.is_empty() && args.iter().skip(2).all(|extra| *extra == 0);
        let read_set = self.program.payment_dependencies.price(price).filter(|_| usual);
        let query = CostQuery { kind: CostQueryKind::Price(price), object: announcement.object, player: announcement.user };
        self.scratch.hypothetical = Some(announcement);
        self.refresh();
        let (world, scratch) = self.world();
        world.cached_cost(scratch, query, read_set, |scratch| world.items(scratch, price, args))
    }

    /// Returns whether a play's price and the fixed costs of its object can be paid, with or without an alternative cost.
    pub(crate) fn is_payable_somehow(
        &mut self,
        code: u32,
        play: &Play,
        object: ObjectRef,
        user: usize,
        args: &[i64],
        free: bool,
    ) -> bool {
        let uses_card = !play.immediate && code < ABILITY_PLAY;
        if uses_card {
            for (_, possible) in self.fixed_costs(object) {
                if possible.is_some_and(|f| !self.test(f, &[object.value(), user as i64])) {
                    return false;
                }
            }
        }
        if !(uses_card && self.has_values_stage()) {
            return free || self.can_pay_with(play, object, user, args, Vec::new());
        }
        if free {
            return self.can_pay_with(play, object, user, args, vec![(FREE, 1)]);
        }
        if play.price_condition.is_none_or(|usual| self.test(usual, args))
            && self.can_pay_with(play, object, user, args, Vec::new())
        {
            return true;
        }
        let cost_options = self.cost_options(object);
        cost_options.iter().filter(|option| option.instead).any(|option| {
            self.is_option_allowed(option, object, user) && self.can_pay_with(play, object, user, args, vec![(option.ability, 1)])
        })
    }

    /// Lets the player choose cost options one by one, then runs the body that announces numbers.
    pub(crate) fn stage_values(&mut self, frame: Handle, play: Option<&Play>) {
        let entry = self.word(frame + announce::ENTRY) as usize;
        let object = ObjectRef(self.word(entry + crate::records::ENTRY_SOURCE));
        let user = self.word(frame + announce::USER) as usize;
        let done = self.word(frame + announce::PC) != 0;
        let Some(play) = play.filter(|_| !done) else {
            let stage = self.word(frame + announce::STAGE);
            self.set(frame + announce::STAGE, stage + 1);
            self.set(frame + announce::PARAGRAPH, 0);
            self.set(frame + announce::PC, 0);
            return;
        };
        let of_card = self.word(entry + ENTRY_KIND) == entry_kind::PLAY && !play.immediate;
        let cost_options = if of_card { self.cost_options(object) } else { Vec::new() };
        let args = self.play_args(entry, object, user);
        let mut index = self.word(frame + announce::PARAGRAPH) as usize;
        if self.word(frame + announce::AWAITING) != 0 {
            self.set(frame + announce::AWAITING, 0);
            let (choices, number) = self.take_answer();
            if let Some(option) = cost_options.get(index) {
                let several = self.is_counted(option.status);
                let times = if several {
                    number.clamp(0, i64::from(MAX_TIMES)) as u32
                } else {
                    u32::from(choices.first() == Some(&Choice::Yes))
                };
                if times > 0 {
                    self.state.block.extend(entry + ENTRY_OPTIONS, &[option.ability, times]);
                    self.write(Place::Status(option.status), object.value(), WriteMode::Set, i64::from(times));
                }
            }
            index += 1;
        }
        while let Some(option) = cost_options.get(index) {
            self.set(frame + announce::PARAGRAPH, index as u32);
            if let Some(decision) = self.cost_option_decision(entry, play, object, user, &args, &cost_options, option) {
                self.set(frame + announce::AWAITING, 1);
                self.ask(&decision);
                return;
            }
            index += 1;
        }
        self.set(frame + announce::PC, 1);
        if let Some(values) = play.numbers {
            let behalf = crate::vm::commit_segment::EffectContext {
                cause: cause::RULE,
                source: object,
                player: user as i64,
                ..Default::default()
            };
            self.push_body(values, &args, behalf);
        }
    }

    fn is_counted(&self, status: u16) -> bool {
        self.program.library.statuses.get(usize::from(status)).is_some_and(|s| s.ty == Type::Number)
    }

    /// Returns the decision about a cost option; `None` if the option cannot be chosen.
    #[expect(clippy::too_many_arguments, reason = "what is being announced, in parts")]
    fn cost_option_decision(
        &mut self,
        entry: Handle,
        play: &Play,
        object: ObjectRef,
        user: usize,
        args: &[i64],
        cost_options: &[CostOption],
        cost_option: &CostOption,
    ) -> Option<Decision> {
        let words = self.state.block.list(entry + ENTRY_OPTIONS).to_vec();
        let chosen: Vec<(u32, u32)> = words.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let is_instead = |ability: u32| ability == FREE || cost_options.iter().any(|c| c.ability == ability && c.instead);
        if cost_option.instead && chosen.iter().any(|(ability, _)| is_instead(*ability))
            || !self.is_option_allowed(cost_option, object, user)
        {
            return None;
        }
        let with = |extra: &CostOption, times: u32| chosen.iter().copied().chain([(extra.ability, times)]).collect::<Vec<_>>();
        if !self.can_pay_with(play, object, user, args, with(cost_option, 1)) {
            return None;
        }
        if self.is_counted(cost_option.status) {
            let mut most = 1;
            while most < MAX_TIMES && self.can_pay_with(play, object, user, args, with(cost_option, most + 1)) {
                most += 1;
            }
            return Some(Decision {
                player: user,
                kind: DecisionKind::Number,
                options: Vec::new(),
                min: 0,
                max: i64::from(most),
                site: Some(cost_option.site),
                repeats: false,
                board: None,
            });
        }
        let mut options = vec![Choice::Yes];
        let mut otherwise = !cost_option.instead;
        if cost_option.instead {
            otherwise = play.price_condition.is_none_or(|usual| self.test(usual, args))
                && self.can_pay_with(play, object, user, args, chosen.clone());
            let later = cost_options.iter().skip_while(|c| c.ability != cost_option.ability).skip(1).filter(|c| c.instead);
            for other in later {
                otherwise = otherwise
                    || self.is_option_allowed(other, object, user) && self.can_pay_with(play, object, user, args, with(other, 1));
            }
        }
        if otherwise {
            options.push(Choice::No);
        }
        Some(Decision {
            player: user,
            kind: DecisionKind::YesNo,
            options,
            min: 1,
            max: 1,
            site: Some(cost_option.site),
            repeats: false,
            board: None,
        })
    }

    /// Returns cost body `number` of an announced object: first its fixed costs, then those of the chosen options.
    pub(crate) fn further_cost(&mut self, play: &Play, entry: Handle, object: ObjectRef, number: usize) -> Option<FnId> {
        if self.program.cost_abilities.is_empty() || self.word(entry + ENTRY_KIND) != entry_kind::PLAY || play.immediate {
            return None;
        }
        let mut costs: Vec<FnId> = self.fixed_costs(object).into_iter().map(|(body, _)| body).collect();
        let words = self.state.block.list(entry + ENTRY_OPTIONS).to_vec();
        let cost_options = self.cost_options(object);
        for pair in words.chunks(2) {
            costs.extend(
                cost_options.iter().filter(|option| Some(&option.ability) == pair.first()).filter_map(|option| option.cost),
            );
        }
        costs.get(number).copied()
    }

    /// Adds units to the pool one by one. The player decides the kind of each unit that could have several.
    pub(super) fn add_units_to_pool(
        &mut self,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        (player, units): (u16, u16),
        pool: u16,
    ) -> StepFlow {
        let player = self.seat(self.reg(base, player));
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let (choices, _) = self.take_answer();
            let unit = self.list(base, units).first().copied().unwrap_or(0);
            if let Some(Choice::Word(_, kind)) = choices.first()
                && self.pool_kinds(unit, pool).contains(&u32::from(*kind))
            {
                self.add_to_pool(PaymentId(0), player, UnitInPool::new(u32::from(*kind), pool));
            }
            let rest: Vec<u32> = self.list(base, units).into_iter().skip(1).collect();
            self.set_list(base, units, rest);
        }
        loop {
            let Some(unit) = self.list(base, units).first().copied() else { return StepFlow::Next };
            let kinds = self.pool_kinds(unit, pool);
            if kinds.len() > 1 {
                let set = self.program.format.payments.first().map_or(TraitSetId(0), |payment| payment.kinds);
                let options = kinds.iter().map(|kind| Choice::Word(set, *kind as u16)).collect();
                self.ask(&Decision::one(player, DecisionKind::Choose, options));
                return self.wait(frame, function, base, true);
            }
            if let Some(kind) = kinds.first() {
                self.add_to_pool(PaymentId(0), player, UnitInPool::new(*kind, pool));
            }
            let rest: Vec<u32> = self.list(base, units).into_iter().skip(1).collect();
            self.set_list(base, units, rest);
        }
    }
}
