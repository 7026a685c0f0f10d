//! Options and values: what is chosen about the price while something is announced, and what is due then (CR 601.2b).

use super::Machine;
use super::announce::{ENTRY_KEPT, ENTRY_KIND, ENTRY_OPTIONS, entry_kind};
use super::cost_cache::{CostQuery, CostQueryKind};
use super::decision::{Choice, Decision, DecisionKind};
use super::eval::{EvalContext, Scratch};
use super::frame::{announce, body};
use super::inline_vecs::{InlineWords, Items};
use super::scratch::HypotheticalAnnouncement;
use super::statements::StepFlow;
use crate::ir::op::{Place, WriteMode};
use crate::ir::{AbilityId, AbilityKind, AnnounceStage, FnId, PaymentId, Play, Type, cause};
use crate::program::ABILITY_PLAY;
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};
use std::sync::Arc;

/// Stands among the options chosen for being used without the price.
pub(crate) const FREE: u32 = u32::MAX;

/// The most that a number of times is looked for.
const MOST: u32 = 64;

/// An option of an object, as its ability has it.
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
    /// The abilities of an object that say what using it costs, in the order printed, those it gained last; then, of what is being announced,
    /// those that it had where it came from (CR 601.2b: it can be used so since it had them there).
    fn price_abilities(&self, object: ObjectRef) -> Vec<AbilityId> {
        if self.program.pricing.is_empty() {
            return Vec::new();
        }
        let printed = self.definition(object).and_then(|d| self.program.definition_units.get(d as usize));
        let place = |unit: u32| printed.and_then(|units| units.iter().position(|u| *u == unit)).unwrap_or(usize::MAX);
        let mut found: Vec<(usize, AbilityId)> = self
            .program
            .pricing
            .iter()
            .filter(|(unit, _)| self.has_unit(object, *unit))
            .map(|(unit, ability)| (place(*unit), *ability))
            .collect();
        found.sort_by_key(|(place, _)| *place);
        let entry = if self.state.exists(object) { self.state.column(object.slot(), at::ENTRY) as usize } else { 0 };
        let kept = if entry == 0 { &[] } else { self.state.block.list(entry + ENTRY_KEPT) };
        found.into_iter().map(|(_, ability)| ability).chain(kept.iter().copied().map(AbilityId)).collect()
    }

    /// What is due for an object that is announced: the price, or that of the option instead of it, and those of the others.
    pub(crate) fn due(&self, scratch: &mut Scratch, price: i64, object: ObjectRef) -> Items {
        let mut units = Items::from_slice(scratch.list(price));
        let (user, chosen) = match &scratch.supposed {
            Some(supposed) if supposed.object == object => (supposed.user, supposed.chosen.clone()),
            _ => {
                let entry = if self.state.exists(object) { self.state.column(object.slot(), at::ENTRY) as usize } else { 0 };
                if entry == 0 {
                    return units;
                }
                let words = self.state.block.list(entry + ENTRY_OPTIONS);
                let chosen = words.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
                (self.state.block.get(entry + super::announce::ENTRY_USER) as usize, chosen)
            }
        };
        let mut further = Items::new();
        for (ability, times) in chosen {
            if ability == FREE {
                units.clear();
                continue;
            }
            let kind = self.program.library.abilities.get(ability as usize).map(|a| &a.kind);
            let Some(AbilityKind::Option { instead, price, .. }) = kind else { continue };
            let args = [object.value(), user as i64];
            let own: Items =
                price.map_or_else(Items::new, |f| self.items(scratch, f, &args).iter().map(|unit| *unit as i32).collect());
            if *instead {
                units = own;
            } else {
                for _ in 0..times.min(MOST) {
                    further.extend_from_slice(&own);
                }
            }
        }
        units.extend(further);
        units
    }
}

impl Machine {
    /// Whether the format lets options and values be chosen.
    pub(crate) fn has_values(&self) -> bool {
        self.program.format.announce.stages.contains(&AnnounceStage::Values)
    }

    /// See [`EvalContext::price_abilities`].
    pub(crate) fn price_abilities(&mut self, object: ObjectRef) -> Vec<AbilityId> {
        self.world().0.price_abilities(object)
    }

    /// The options of an object, those instead of the price first.
    fn cost_options(&mut self, object: ObjectRef) -> Vec<CostOption> {
        if self.program.pricing.is_empty() {
            return Vec::new();
        }
        let program = Arc::clone(&self.program);
        let mut found: Vec<CostOption> = self
            .price_abilities(object)
            .into_iter()
            .filter_map(|ability| match program.library.abilities.get(ability.index()).map(|a| &a.kind) {
                Some(AbilityKind::Option { status, instead, site, condition, cost, possible, .. }) => Some(CostOption {
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
        found.sort_by_key(|chance| !chance.instead);
        found
    }

    /// The further costs that an object has whatever is chosen: their statements, and whether they can be paid.
    fn fixed_costs(&mut self, object: ObjectRef) -> Vec<(FnId, Option<FnId>)> {
        if self.program.pricing.is_empty() {
            return Vec::new();
        }
        let program = Arc::clone(&self.program);
        self.price_abilities(object)
            .into_iter()
            .filter_map(|ability| match program.library.abilities.get(ability.index()).map(|a| &a.kind) {
                Some(AbilityKind::Cost { body, possible }) => Some((*body, *possible)),
                _ => None,
            })
            .collect()
    }

    fn allowed(&mut self, chance: &CostOption, object: ObjectRef, user: usize) -> bool {
        let args = [object.value(), user as i64];
        [chance.condition, chance.possible].into_iter().flatten().all(|f| self.test(f, &args))
    }

    /// Whether the price of a play could be paid if these options were chosen.
    fn pays_with(&mut self, play: &Play, object: ObjectRef, user: usize, args: &[i64], chosen: Vec<(u32, u32)>) -> bool {
        let Some(price) = play.price else { return true };
        // Of a price it is told what it looks at where nothing is chosen; what the cost keeps is not known yet.
        let usual = chosen.is_empty() && args.iter().skip(2).all(|extra| *extra == 0);
        let looks = self.program.pay_looks.price(price).filter(|_| usual);
        let question = CostQuery { what: CostQueryKind::Price(price), object, player: user };
        self.scratch.supposed = Some(HypotheticalAnnouncement { object, user, chosen });
        let units = self.cached_cost(question, looks, |machine| machine.items(price, args));
        let can = self.can_pay(play.payment, user, &units, object);
        self.scratch.supposed = None;
        can
    }

    /// The units of the price of a play where no option is chosen.
    pub(crate) fn usual_price(&mut self, play: &Play, object: ObjectRef, user: usize, args: &[i64]) -> InlineWords {
        self.scratch.supposed = Some(HypotheticalAnnouncement { object, user, chosen: Vec::new() });
        let units = play.price.map_or_else(InlineWords::new, |price| self.items(price, args));
        self.scratch.supposed = None;
        units
    }

    /// Whether a play's price and the further costs of its object can be paid, one way or another.
    pub(crate) fn is_payable_somehow(
        &mut self,
        code: u32,
        play: &Play,
        object: ObjectRef,
        user: usize,
        args: &[i64],
        free: bool,
    ) -> bool {
        let choosing = self.has_values() && !play.immediate && code < ABILITY_PLAY;
        if !choosing {
            return free || self.pays_with(play, object, user, args, Vec::new());
        }
        for (_, possible) in self.fixed_costs(object) {
            if possible.is_some_and(|f| !self.test(f, &[object.value(), user as i64])) {
                return false;
            }
        }
        if free {
            return self.pays_with(play, object, user, args, vec![(FREE, 1)]);
        }
        if play.price_condition.is_none_or(|usual| self.test(usual, args)) && self.pays_with(play, object, user, args, Vec::new())
        {
            return true;
        }
        let chances = self.cost_options(object);
        chances.iter().filter(|chance| chance.instead).any(|chance| {
            self.allowed(chance, object, user) && self.pays_with(play, object, user, args, vec![(chance.ability, 1)])
        })
    }

    /// Options, one after the other, then the values of the play.
    pub(crate) fn stage_values(&mut self, frame: Handle, play: Option<&Play>) {
        let entry = self.word(frame + announce::ENTRY) as usize;
        let object = ObjectRef(self.word(entry + super::announce::ENTRY_SOURCE));
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
        let chances = if of_card { self.cost_options(object) } else { Vec::new() };
        let args = self.play_args(entry, object, user);
        let mut index = self.word(frame + announce::PARAGRAPH) as usize;
        if self.word(frame + announce::AWAITING) != 0 {
            self.set(frame + announce::AWAITING, 0);
            let (choices, number) = self.take_answer();
            if let Some(chance) = chances.get(index) {
                let several = self.is_counted(chance.status);
                let times = if several {
                    number.clamp(0, i64::from(MOST)) as u32
                } else {
                    u32::from(choices.first() == Some(&Choice::Yes))
                };
                if times > 0 {
                    self.state.block.extend(entry + ENTRY_OPTIONS, &[chance.ability, times]);
                    self.write(Place::Status(chance.status), object.value(), WriteMode::Set, i64::from(times));
                }
            }
            index += 1;
        }
        while let Some(chance) = chances.get(index) {
            self.set(frame + announce::PARAGRAPH, index as u32);
            if let Some(decision) = self.chance_decision(entry, play, object, user, &args, &chances, chance) {
                self.set(frame + announce::AWAITING, 1);
                self.ask(&decision);
                return;
            }
            index += 1;
        }
        self.set(frame + announce::PC, 1);
        if let Some(values) = play.values {
            let behalf = super::statements::EffectContext {
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

    /// What is asked about an option; nothing when it cannot be chosen.
    #[expect(clippy::too_many_arguments, reason = "what is being announced, in parts")]
    fn chance_decision(
        &mut self,
        entry: Handle,
        play: &Play,
        object: ObjectRef,
        user: usize,
        args: &[i64],
        chances: &[CostOption],
        chance: &CostOption,
    ) -> Option<Decision> {
        let words = self.state.block.list(entry + ENTRY_OPTIONS).to_vec();
        let chosen: Vec<(u32, u32)> = words.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let is_instead = |ability: u32| ability == FREE || chances.iter().any(|c| c.ability == ability && c.instead);
        if chance.instead && chosen.iter().any(|(ability, _)| is_instead(*ability)) || !self.allowed(chance, object, user) {
            return None;
        }
        let with = |extra: &CostOption, times: u32| chosen.iter().copied().chain([(extra.ability, times)]).collect::<Vec<_>>();
        if !self.pays_with(play, object, user, args, with(chance, 1)) {
            return None;
        }
        if self.is_counted(chance.status) {
            let mut most = 1;
            while most < MOST && self.pays_with(play, object, user, args, with(chance, most + 1)) {
                most += 1;
            }
            return Some(Decision {
                player: user,
                kind: DecisionKind::Number,
                options: Vec::new(),
                min: 0,
                max: i64::from(most),
                site: Some(chance.site),
                repeats: false,
                board: None,
            });
        }
        let mut options = vec![Choice::Yes];
        let mut otherwise = !chance.instead;
        if chance.instead {
            otherwise = play.price_condition.is_none_or(|usual| self.test(usual, args))
                && self.pays_with(play, object, user, args, chosen.clone());
            let later = chances.iter().skip_while(|c| c.ability != chance.ability).skip(1).filter(|c| c.instead);
            for other in later {
                otherwise =
                    otherwise || self.allowed(other, object, user) && self.pays_with(play, object, user, args, with(other, 1));
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
            site: Some(chance.site),
            repeats: false,
            board: None,
        })
    }

    /// Further cost number `number` of what is announced: first those that it has in any case, then those of the options chosen.
    pub(crate) fn further_cost(&mut self, play: &Play, entry: Handle, object: ObjectRef, number: usize) -> Option<FnId> {
        if self.program.pricing.is_empty()
            || self.word(entry + ENTRY_KIND) != entry_kind::PLAY
            || play.immediate
            || !self.has_values()
        {
            return None;
        }
        let mut costs: Vec<FnId> = self.fixed_costs(object).into_iter().map(|(body, _)| body).collect();
        let words = self.state.block.list(entry + ENTRY_OPTIONS).to_vec();
        let chances = self.cost_options(object);
        for pair in words.chunks(2) {
            costs.extend(chances.iter().filter(|chance| Some(&chance.ability) == pair.first()).filter_map(|chance| chance.cost));
        }
        costs.get(number).copied()
    }

    /// Units begin to float, one after the other; the player picks a kind for each that could be of several.
    pub(super) fn store(
        &mut self,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        player: u16,
        units: u16,
    ) -> StepFlow {
        let player = self.seat(self.reg(base, player));
        if self.has_answer() && self.word(frame + body::AWAITING) != 0 {
            self.set(frame + body::AWAITING, 0);
            let (choices, _) = self.take_answer();
            let unit = self.list(base, units).first().copied().unwrap_or(0);
            if let Some(Choice::Mode(number)) = choices.first()
                && let Some(kind) = self.floating_kinds(unit).get(*number as usize)
            {
                self.float(PaymentId(0), player, *kind);
            }
            let rest: Vec<u32> = self.list(base, units).into_iter().skip(1).collect();
            self.set_list(base, units, rest);
        }
        loop {
            let Some(unit) = self.list(base, units).first().copied() else { return StepFlow::Next };
            let kinds = self.floating_kinds(unit);
            if kinds.len() > 1 {
                let options = (0..kinds.len() as u32).map(Choice::Mode).collect();
                self.ask(&Decision::one(player, DecisionKind::Modes, options));
                return self.wait(frame, function, base, true);
            }
            if let Some(kind) = kinds.first() {
                self.float(PaymentId(0), player, *kind);
            }
            let rest: Vec<u32> = self.list(base, units).into_iter().skip(1).collect();
            self.set_list(base, units, rest);
        }
    }
}
