//! Test support: a small assembler for IR functions and tables, a standard game to test the machine with, and a checked machine.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, missing_docs, reason = "test support")]

use fizzle_runtime::invariants::InvariantChecker;
use fizzle_runtime::ir::ObjectRef;
use fizzle_runtime::ir::op::*;
use fizzle_runtime::ir::verbs::{PUT, VERBS};
use fizzle_runtime::ir::*;
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind};
use fizzle_runtime::vm::{Machine, Outcome, Record, StepResult};
use std::sync::Arc;

pub const THIS: Reg = 0;
pub const YOU: Reg = 1;

/// A function under construction.
#[derive(Default)]
pub struct Fun {
    pub f: Function,
    sites: Vec<(ChoiceSiteId, Reg)>,
}

impl Fun {
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.f.registers.push(ty);
        (self.f.registers.len() - 1) as Reg
    }

    pub fn op(&mut self, op: Op) {
        self.f.ops.push(op);
        self.f.sources.push(Source::default());
    }

    pub fn num(&mut self, value: i64) -> Reg {
        self.constant(Type::Number, value)
    }

    pub fn constant(&mut self, ty: Type, value: i64) -> Reg {
        let dst = self.reg(ty);
        self.op(Op::Const { dst, value });
        dst
    }

    pub fn zone(&mut self, zone: ZoneKindId, player: Reg) -> Reg {
        let dst = self.reg(Type::Zone);
        self.op(Op::ZoneOf { dst, zone, player });
        dst
    }

    pub fn items(&mut self, zone: Reg) -> Reg {
        let dst = self.reg(Type::Objects);
        self.op(Op::ZoneList { dst, zone });
        dst
    }

    pub fn all(&mut self, zone: ZoneKindId) -> Reg {
        let dst = self.reg(Type::Objects);
        self.op(Op::AllInZone { dst, zone });
        dst
    }

    pub fn filter(&mut self, list: Reg, filter: FnId, captures: &[Reg]) -> Reg {
        let dst = self.reg(Type::Objects);
        self.op(Op::Filter { dst, list, filter, captures: captures.to_vec() });
        dst
    }

    pub fn count(&mut self, list: Reg) -> Reg {
        let dst = self.reg(Type::Number);
        self.op(Op::Count { dst, list });
        dst
    }

    pub fn first(&mut self, list: Reg) -> Reg {
        let index = self.num(0);
        let dst = self.reg(Type::Object);
        self.op(Op::ElementAt { dst, list, index });
        dst
    }

    pub fn top(&mut self, zone: ZoneKindId, player: Reg, n: i64) -> Reg {
        let zone = self.zone(zone, player);
        let list = self.items(zone);
        let count = self.num(n);
        let dst = self.reg(Type::Objects);
        self.op(Op::TakeEnds { dst, list, count, top: true });
        dst
    }

    pub fn get(&mut self, place: Place, of: Reg) -> Reg {
        let ty = match place {
            Place::Owner | Place::Controller => Type::Player,
            Place::Zone => Type::Zone,
            Place::SourceOf | Place::Host => Type::Object,
            _ => Type::Number,
        };
        let dst = self.reg(ty);
        self.op(Op::Get { dst, place, of });
        dst
    }

    pub fn bin(&mut self, op: Binary, a: Reg, b: Reg) -> Reg {
        let dst = self.reg(Type::Number);
        self.op(Op::Binary { op, dst, a, b });
        dst
    }

    pub fn not(&mut self, a: Reg) -> Reg {
        let dst = self.reg(Type::Bool);
        self.op(Op::Not { dst, a });
        dst
    }

    pub fn in_zone(&mut self, of: Reg, zone: ZoneKindId) -> Reg {
        let dst = self.reg(Type::Bool);
        self.op(Op::InZone { dst, of, zone });
        dst
    }

    pub fn exists(&mut self, of: Reg) -> Reg {
        let dst = self.reg(Type::Bool);
        self.op(Op::Exists { dst, of });
        dst
    }

    pub fn is_card(&mut self, of: Reg, card: DefId) -> Reg {
        let dst = self.reg(Type::Bool);
        self.op(Op::IsCard { dst, of, card });
        dst
    }

    pub fn opponent(&mut self, player: Reg) -> Reg {
        let dst = self.reg(Type::Player);
        self.op(Op::Opponent { dst, player });
        dst
    }

    pub fn builtin(&mut self, name: &str, args: &[Reg]) -> Reg {
        let builtin = verbs::BUILTINS.iter().position(|b| b.name == name).unwrap();
        let dst = self.reg(verbs::BUILTINS[builtin].result);
        self.op(Op::Builtin { dst, builtin: builtin as u16, args: args.to_vec() });
        dst
    }

    pub fn ret(&mut self, value: Reg) {
        self.op(Op::Return { value: Some(value) });
    }

    pub fn when(&mut self, cond: Reg, then: impl FnOnce(&mut Self)) {
        let at = self.f.ops.len();
        self.op(Op::JumpUnless { cond, to: 0 });
        then(self);
        let end = self.f.ops.len() as u32;
        self.f.ops[at] = Op::JumpUnless { cond, to: end };
    }

    /// Proposes one event, or one per element if an argument is a list. Returns the register that holds whether any happened.
    pub fn act(&mut self, action: ActionId, args: &[Reg]) -> Reg {
        self.act_out(action, args).0
    }

    pub fn act_out(&mut self, action: ActionId, args: &[Reg]) -> (Reg, Reg) {
        let done = self.reg(Type::Bool);
        let out = self.reg(Type::Objects);
        let proposal = self.proposal(action, args);
        self.op(Op::Propose { events: vec![proposal], done: Some(done), out: Some(out) });
        (done, out)
    }

    pub fn proposal(&self, action: ActionId, args: &[Reg]) -> EventProposal {
        let over = args.iter().position(|r| self.f.registers[usize::from(*r)].is_list()).map(|i| i as u8);
        EventProposal { action, args: args.to_vec(), over, chosen: ChosenBy::NoPlayer }
    }

    pub fn put_proposal(&mut self, it: Reg, into: Reg) -> EventProposal {
        let no_player = self.constant(Type::Player, -1);
        let zero = self.num(0);
        self.proposal(ActionId(PUT), &[it, into, no_player, zero, zero, zero])
    }

    pub fn put(&mut self, it: Reg, into: Reg) -> Reg {
        self.put_out(it, into).0
    }

    pub fn put_out(&mut self, it: Reg, into: Reg) -> (Reg, Reg) {
        let proposal = self.put_proposal(it, into);
        let done = self.reg(Type::Bool);
        let out = self.reg(Type::Objects);
        self.op(Op::Propose { events: vec![proposal], done: Some(done), out: Some(out) });
        (done, out)
    }

    pub fn put_to_owners(&mut self, it: Reg, zone: ZoneKindId) -> Reg {
        let owner = self.get(Place::Owner, it);
        let into = self.zone(zone, owner);
        self.put(it, into)
    }

    pub fn write(&mut self, place: Place, of: Reg, how: WriteMode, value: i64) {
        let value = self.num(value);
        self.op(Op::Write { place, of, how, value });
    }

    pub fn choose(&mut self, site: ChoiceSiteId) -> Reg {
        let dst = self.reg(Type::Objects);
        self.op(Op::Choose { dst, site });
        self.sites.push((site, dst));
        dst
    }
}

/// A game under construction.
#[derive(Default)]
pub struct Game {
    pub library: Library,
    pub format: Format,
}

/// The numbers of the zones, actions and periods of the standard game.
#[derive(Clone, Copy)]
pub struct Std {
    pub deck: ZoneKindId,
    pub hand: ZoneKindId,
    pub field: ZoneKindId,
    pub grave: ZoneKindId,
    pub list: ZoneKindId,
    pub aside: ZoneKindId,
    pub destroy: ActionId,
    pub draw: ActionId,
    pub gain: ActionId,
    /// A step before `main`, whose body the test defines.
    pub work: PeriodId,
    pub main: PeriodId,
    pub end: PeriodId,
}

pub const TAPPED: u16 = 0;
pub const DAMAGE: u16 = 1;
pub const MARK: u16 = 2;
pub const POWER: u16 = 0;
pub const LIFE: u16 = 0;
pub const SCORE: u16 = 1;

impl Game {
    pub fn fun(&mut self, name: &str, params: &[Type], result: Option<Type>, write: impl FnOnce(&mut Fun)) -> FnId {
        let mut fun = Fun::default();
        fun.f.name = name.into();
        fun.f.registers = [&[Type::Object, Type::Player], params].concat();
        fun.f.params = fun.f.registers.len() as u16;
        fun.f.result = result;
        write(&mut fun);
        let id = FnId(self.library.functions.len() as u32);
        self.library.functions.push(fun.f);
        for (site, dst) in fun.sites {
            self.library.sites[site.index()].dst = dst;
        }
        id
    }

    /// A body of statements with the parameters this and you.
    pub fn body(&mut self, name: &str, write: impl FnOnce(&mut Fun)) -> FnId {
        self.fun(name, &[], None, write)
    }

    /// A pure function that returns a bool, with the parameters this, you, and `params`.
    pub fn pred(&mut self, name: &str, params: &[Type], write: impl FnOnce(&mut Fun) -> Reg) -> FnId {
        self.fun(name, params, Some(Type::Bool), |f| {
            let value = write(f);
            f.ret(value);
        })
    }

    pub fn value(&mut self, name: &str, params: &[Type], ty: Type, write: impl FnOnce(&mut Fun) -> Reg) -> FnId {
        self.fun(name, params, Some(ty), |f| {
            let value = write(f);
            f.ret(value);
        })
    }

    pub fn constant(&mut self, value: i64) -> FnId {
        self.value("constant", &[], Type::Number, |f| f.num(value))
    }

    pub fn zone(&mut self, name: &str, each_player: bool, ordered: bool, visibility: Visibility) -> ZoneKindId {
        self.library.zones.push(ZoneKind { name: name.into(), each_player, ordered, visibility, ..ZoneKind::default() });
        ZoneKindId(self.library.zones.len() as u32 - 1)
    }

    fn variable(name: &str, ty: Type, initial: i32, layer: u8) -> Variable {
        Variable {
            name: name.into(),
            ty,
            initial,
            layer,
            lifetime: None,
            keys: None,
            conceals: false,
            kept_on_field: false,
            disguise: None,
            nameless: false,
            revealed_on_leaving: false,
            updates_timestamp: false,
            clears_effects: false,
        }
    }

    pub fn action(&mut self, name: &str, params: &[(&str, Type)], write: impl FnOnce(&mut Fun)) -> ActionId {
        let types: Vec<Type> = params.iter().map(|(_, t)| *t).collect();
        let body = self.fun(&format!("action {name}"), &types, None, write);
        self.format.actions.push(Action {
            name: name.into(),
            params: params.iter().map(|(n, t)| ((*n).into(), *t)).collect(),
            parent: None,
            looks_back: false,
            unstoppable: false,
            selective: false,
            cost_conditions: Vec::new(),
            timing_neutral: false,
            acting_param: None,
            body: Some(body),
            source: Source::default(),
        });
        ActionId(self.format.actions.len() as u32 - 1)
    }

    pub fn ability(&mut self, name: &str, zones: u32, kind: AbilityKind) -> AbilityId {
        self.library.abilities.push(Ability { name: name.into(), zones, kind, source: Source::default() });
        AbilityId(self.library.abilities.len() as u32 - 1)
    }

    pub fn unit(&mut self, abilities: &[AbilityId]) -> AbilityBundleId {
        self.format.bundles.push(AbilityBundle { keyword: None, abilities: abilities.to_vec() });
        AbilityBundleId(self.format.bundles.len() as u32 - 1)
    }

    /// The parameters of the functions of an event pattern for an action, without this and you.
    pub fn pattern_params(&self, action: ActionId) -> Vec<Type> {
        let mut types: Vec<Type> = self.format.actions[action.index()].params.iter().map(|(_, t)| *t).collect();
        types.extend([Type::Number, Type::Object, Type::Player, Type::Player]);
        types
    }

    /// A triggered ability that functions in some zones, as an ability bundle.
    pub fn trigger(
        &mut self,
        zones: u32,
        action: ActionId,
        looks_back: bool,
        immediate: bool,
        filter: impl FnOnce(&mut Fun) -> Reg,
        body: impl FnOnce(&mut Fun),
    ) -> AbilityBundleId {
        let params = self.pattern_params(action);
        let filter = self.pred("filter", &params, filter);
        let body = self.fun("trigger", &params, None, body);
        let pattern = EventPattern { action, filter: Some(filter), looks_back };
        let ability = self.ability(
            "trigger",
            zones,
            AbilityKind::Triggered {
                pattern,
                condition: None,
                optional: false,
                immediate,
                off_list: false,
                limit: None,
                can_miss_timing: false,
                batching: fizzle_runtime::ir::Batching::Each,
                body,
            },
        );
        self.unit(&[ability])
    }

    pub fn replacement(
        &mut self,
        name: &str,
        zones: u32,
        action: ActionId,
        optional: bool,
        filter: impl FnOnce(&mut Fun) -> Reg,
        body: impl FnOnce(&mut Fun),
    ) -> AbilityBundleId {
        let params = self.pattern_params(action);
        let filter = self.pred("filter", &params, filter);
        let body = self.fun("replacement", &params, None, body);
        let pattern = EventPattern { action, filter: Some(filter), looks_back: false };
        let ability = self.ability(name, zones, AbilityKind::Replacement { pattern, optional, body });
        self.unit(&[ability])
    }

    pub fn prohibition(&mut self, name: &str, zones: u32, action: ActionId, filter: impl FnOnce(&mut Fun) -> Reg) -> AbilityId {
        let params = self.pattern_params(action);
        let filter = self.pred("filter", &params, filter);
        let pattern = EventPattern { action, filter: Some(filter), looks_back: false };
        self.ability(name, zones, AbilityKind::Prohibition { pattern })
    }

    pub fn change(&mut self, layer: u8, zones: u32, selector: Option<FnId>, change: Change) -> ModificationId {
        self.library.modifications.push(Modification { layer, selector, zones, defining: false, change });
        ModificationId(self.library.modifications.len() as u32 - 1)
    }

    pub fn static_unit(&mut self, zones: u32, condition: Option<FnId>, mods: &[ModificationId]) -> AbilityBundleId {
        let ability = self.ability("static", zones, AbilityKind::Static { condition, modifications: mods.to_vec() });
        self.unit(&[ability])
    }

    pub fn paragraph(&mut self, write: impl FnOnce(&mut Fun)) -> AbilityBundleId {
        let body = self.body("paragraph", write);
        let ability = self.ability("paragraph", u32::MAX, AbilityKind::Paragraph { body });
        self.unit(&[ability])
    }

    pub fn card(&mut self, name: &str, power: i32, units: &[AbilityBundleId]) -> DefId {
        self.library.definitions.push(Definition {
            name: name.into(),
            properties: vec![power; self.library.properties.len()],
            words: vec![Vec::new(); self.library.traits.len()],
            bundles: units.to_vec(),
            ..Definition::default()
        });
        DefId(self.library.definitions.len() as u32 - 1)
    }

    /// A choice site for `min` to `max` objects of the list that the selector returns; its captures are this and you.
    pub fn site(
        &mut self,
        text: &str,
        min: Option<i64>,
        max: Option<i64>,
        selector: impl FnOnce(&mut Fun) -> Reg,
    ) -> ChoiceSiteId {
        let selector = self.value("selector", &[], Type::Objects, selector);
        let min = min.map(|n| self.constant(n));
        let max = max.map(|n| self.constant(n));
        self.library.sites.push(ChoiceSite {
            text: text.into(),
            source: Source::default(),
            selector: Some(selector),
            captures: vec![THIS, YOU],
            min,
            max,
            chooser: Chooser::Controller,
            target: true,
            optional: false,
            public: true,
            candidate_type: Type::Objects,
            divides: false,
            own: false,
            verb: None,
            sentence: 0,
            conditional: false,
            announceable: true,
            after_cost: false,
            dst: 0,
            modes: None,
            mode: None,
        });
        ChoiceSiteId(self.library.sites.len() as u32 - 1)
    }

    pub fn period(&mut self, name: &str, parent: PeriodId, body: Option<FnId>) -> PeriodId {
        let id = PeriodId(self.format.periods.len() as u32);
        let path = match self.format.periods.get(parent.index()) {
            Some(outer) => format!("{}.{name}", outer.path),
            None => name.to_owned(),
        };
        self.format.periods.push(Period { name: name.into(), path, parent, body, ..Period::default() });
        if id != parent {
            self.format.periods[parent.index()].entries.push(PeriodEntry::Period(id));
        }
        id
    }

    /// The standard game: zones, statuses, the actions `destroy`, `draw` and `gain`, and a turn with the steps work, main and end.
    pub fn standard() -> (Self, Std) {
        let mut g = Self::default();
        g.format.name = "test".into();
        g.format.max_players = 2;
        g.library.definitions.push(Definition::default());
        g.library.layers = vec!["control".into(), "text".into(), "words".into(), "units".into(), "set".into(), "add".into()];
        for verb in VERBS {
            g.format.actions.push(Action {
                name: verb.name.into(),
                params: verb.params.iter().map(|p| (p.name.into(), p.ty)).collect(),
                parent: None,
                looks_back: false,
                unstoppable: false,
                selective: false,
                cost_conditions: Vec::new(),
                timing_neutral: false,
                acting_param: None,
                body: None,
                source: Source::default(),
            });
        }
        g.library.properties.push(Self::variable("power", Type::Number, 0, 5));
        g.library.traits.push(TraitSet {
            name: "kinds".into(),
            words: vec!["spell".into(), "land".into(), "beast".into()],
            layer: 2,
            changeable: false,
            open: false,
        });
        g.library.statuses.push(Self::variable("tapped", Type::Bool, 0, 0));
        g.library.statuses.push(Self::variable("damage", Type::Number, 0, 0));
        g.library.statuses.push(Self::variable("mark", Type::Number, 0, 0));
        g.library.player_variables.push(Self::variable("life", Type::Number, 20, 0));
        g.library.player_variables.push(Self::variable("score", Type::Number, 0, 0));
        g.library.globals.push(Self::variable("tally", Type::Number, 0, 0));
        g.library.windows.push(WindowRules { name: "priority".into(), ..WindowRules::default() });
        let deck = g.zone("deck", true, true, Visibility::Hidden);
        let hand = g.zone("hand", true, false, Visibility::Owner);
        let field = g.zone("field", false, false, Visibility::Public);
        let grave = g.zone("grave", true, true, Visibility::Public);
        let list = g.zone("list", false, true, Visibility::Public);
        let aside = g.zone("aside", true, false, Visibility::Public);
        g.library.zones[field.index()].field = true;
        g.library.zones[field.index()].keeps_last_known = true;
        g.library.zones[list.index()].list = true;
        let destroy = g.action("destroy", &[("it", Type::Object)], |f| {
            f.put_to_owners(2, grave);
        });
        let draw = g.action("draw", &[("who", Type::Player)], |f| {
            let top = f.top(deck, 2, 1);
            let into = f.zone(hand, 2);
            f.put(top, into);
        });
        let gain = g.action("gain", &[("who", Type::Player), ("n", Type::Number)], |f| {
            f.op(Op::Write { place: Place::Player(LIFE), of: 2, how: WriteMode::Add, value: 3 });
        });
        g.action("remove_from_list", &[("it", Type::Object)], |f| {
            f.put_to_owners(2, grave);
        });
        let turn = g.period("turn", PeriodId(0), None);
        let window = g.body("main", |f| f.op(Op::Window { window: 0 }));
        let work = g.period("work", turn, None);
        let main = g.period("main", turn, Some(window));
        let end = g.period("end", turn, None);
        (g, Std { deck, hand, field, grave, list, aside, destroy, draw, gain, work, main, end })
    }

    /// Adds a play that puts its object on the list, resolves it, and then puts it into its owner's grave.
    pub fn cast(&mut self, std: Std) {
        let body = self.body("cast", |f| {
            f.op(Op::RunText { object: THIS });
            let there = f.in_zone(THIS, std.list);
            f.when(there, |f| {
                f.put_to_owners(THIS, std.grave);
            });
        });
        let applies = self.pred("applies", &[], |f| f.num(1));
        self.format.plays.push(Play {
            name: "cast".into(),
            from: vec![std.hand],
            object_filter: Some(applies),
            body,
            runs_text: true,
            ..Play::default()
        });
    }

    pub fn stack(&mut self) {
        self.format.timing = Timing {
            uses_list: true,
            after_acting: AfterActing::SamePlayer,
            resolve_all: false,
            triggers: TriggerPlacement::NextWindow,
            nested_use_waits: true,
            declares_optional_triggers: false,
            loop_draws: false,
            triggers_change_sides: false,
            phase_triggers_alone: false,
            replaces_once: false,
        };
    }

    pub fn chain(&mut self) {
        self.format.timing = Timing {
            uses_list: true,
            after_acting: AfterActing::NextPlayer,
            resolve_all: true,
            triggers: TriggerPlacement::NewList,
            nested_use_waits: false,
            declares_optional_triggers: true,
            loop_draws: false,
            triggers_change_sides: false,
            phase_triggers_alone: false,
            replaces_once: false,
        };
    }

    pub fn queue(&mut self) {
        self.format.timing = Timing {
            uses_list: false,
            after_acting: AfterActing::SamePlayer,
            resolve_all: false,
            triggers: TriggerPlacement::OneByOne,
            nested_use_waits: false,
            declares_optional_triggers: false,
            loop_draws: false,
            triggers_change_sides: false,
            phase_triggers_alone: false,
            replaces_once: false,
        };
    }

    /// Announces targets. A paragraph without a legal announced choice fizzles.
    pub fn announce_targets(&mut self) {
        self.format.announce.announced_choices = vec![AnnouncedChoices { targets: true, ..AnnouncedChoices::default() }];
    }

    pub fn work(&mut self, std: Std, write: impl FnOnce(&mut Fun)) {
        let body = self.body("work", write);
        self.format.periods[std.work.index()].body = Some(body);
    }

    pub fn link(self) -> Arc<Program> {
        Arc::new(Program::link_shared(Arc::new(self.library), Arc::new(self.format), &[], 2))
    }

    pub fn artifact(self) -> CompiledGame {
        CompiledGame { name: "test".into(), library: self.library.into(), formats: vec![self.format], ..CompiledGame::default() }
    }
}

/// A machine with invariant checks at every decision.
pub struct Table {
    pub m: Machine,
    invariant_checker: Option<InvariantChecker>,
}

impl Table {
    pub fn new(program: &Arc<Program>) -> Self {
        let mut m = Machine::new(Arc::clone(program), 7);
        m.recording = true;
        Self { m, invariant_checker: None }
    }

    pub fn add(&mut self, card: DefId, owner: usize, zone: ZoneKindId) -> usize {
        let instance = self.m.program.zone_instance(zone.index(), owner).unwrap();
        self.m.add_object(card.0, owner, instance).unwrap().slot()
    }

    /// Restarts the invariant checks after a test has changed the position during a game.
    pub fn restart_checks(&mut self) {
        self.invariant_checker = Some(InvariantChecker::start(&self.m));
    }

    pub fn begin(&mut self, period: PeriodId) -> Option<Decision> {
        self.invariant_checker = Some(InvariantChecker::start(&self.m));
        self.m.begin(0, Some(period.0));
        self.step()
    }

    /// Steps to the next decision, including those with one legal answer, and runs all checks.
    pub fn step(&mut self) -> Option<Decision> {
        let step = self.m.step();
        if let Some(checker) = &self.invariant_checker {
            checker.check(&mut self.m).unwrap();
        }
        match step {
            StepResult::Decision(d) => {
                // A machine with a copy of the state must continue exactly as a clone of this machine does.
                let picks = smallest_answer(&d);
                let mut copy = Machine::with_state(Arc::clone(&self.m.program), self.m.state.clone());
                let mut other = self.m.clone();
                copy.answer(&picks).unwrap();
                other.answer(&picks).unwrap();
                assert_eq!(copy.step(), other.step());
                assert_eq!(copy.state.hash(), other.state.hash());
                Some(d)
            }
            StepResult::Over(Outcome::Budget(b)) => panic!("budget {}", b.name()),
            StepResult::Over(_) => None,
        }
    }

    pub fn answer(&mut self, picks: &[u32]) -> Option<Decision> {
        self.m.answer(picks).unwrap();
        self.step()
    }

    pub fn pick(&mut self, wanted: Choice) -> Option<Decision> {
        let d = self.m.pending_decision();
        let index = d.options.iter().position(|c| *c == wanted).unwrap_or_else(|| panic!("{wanted:?} not in {d:?}"));
        self.answer(&[index as u32])
    }

    pub fn pass(&mut self) -> Option<Decision> {
        self.pick(Choice::Pass)
    }

    /// Uses the play with this number for the object in a slot.
    pub fn play(&mut self, play: u32, slot: usize) -> Option<Decision> {
        let object = self.current(slot);
        self.pick(Choice::Play { play, object, face: 0 })
    }

    pub fn object(&mut self, slot: usize) -> Option<Decision> {
        let it = self.current(slot);
        self.pick(Choice::Object(it))
    }

    pub fn current(&self, slot: usize) -> ObjectRef {
        self.m.state.current(slot)
    }

    pub fn zone_of(&self, slot: usize) -> String {
        self.m.state.zone(slot).and_then(|z| self.m.program.zone_of(z)).map_or_else(|| "nowhere".into(), |z| z.name.clone())
    }

    pub fn life(&self, player: usize) -> i64 {
        self.m.state.block.int(self.m.program.layout.player(player, usize::from(LIFE)))
    }

    pub fn score(&self, player: usize) -> i64 {
        self.m.state.block.int(self.m.program.layout.player(player, usize::from(SCORE)))
    }

    pub fn tally(&self) -> i64 {
        self.m.state.block.int(self.m.program.layout.global(0))
    }

    pub fn status(&self, slot: usize, status: u16) -> i64 {
        self.m.state.block.int(self.m.state.cell(slot, fizzle_runtime::state::layout::STATUSES + usize::from(status)))
    }

    pub fn power(&mut self, slot: usize) -> i64 {
        let it = self.current(slot);
        self.m.property(it, usize::from(POWER))
    }

    pub fn list(&self) -> Vec<usize> {
        let list = self.m.program.list.unwrap();
        self.m.state.zone_items(&self.m.program, list).iter().map(|i| ObjectRef(*i).slot()).collect()
    }

    /// The names of the events that happened, without `begin` and `finish`.
    pub fn events(&self) -> Vec<String> {
        let of = |r: &Record| match r {
            Record::Event { action, happened: true, .. } => Some(self.m.program.format.actions[*action as usize].name.clone()),
            _ => None,
        };
        self.m.log.iter().filter_map(of).filter(|n| !["begin", "finish"].contains(&n.as_str())).collect()
    }
}

/// The smallest legal answer.
pub fn smallest_answer(d: &Decision) -> Vec<u32> {
    if d.kind == DecisionKind::Number {
        return vec![d.min as u32];
    }
    (0..d.min.max(0) as u32).map(|i| if d.repeats { 0 } else { i }).collect()
}

pub fn in_zone(zone: ZoneKindId) -> u32 {
    1 << zone.0
}
