//! Verifies functions: registers, types, jump targets and table numbers. Checks that functions with a result are pure, and that
//! pure code terminates.

use super::{MAX_ARGS, MAX_CALLS, MAX_CAPTURES, Verifier, VerifyError};
use crate::ir::op::{ChosenBy, DurationEnd, EventProposal, Function, Op, Place};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, Reg, Type};

/// A function with its verifier.
struct FunctionVerifier<'a> {
    verifier: &'a Verifier<'a>,
    function: &'a Function,
}

impl Verifier<'_> {
    pub(super) fn functions(&self) -> Result<(), VerifyError> {
        for (number, function) in self.library.functions.numbered() {
            let code = FunctionVerifier { verifier: self, function };
            code.check(self.is_pure.get(number).copied().unwrap_or(false))
                .map_err(|e| e.within(&format!("function {number} ({})", function.name)))?;
        }
        Ok(())
    }

    /// Checks that calls of pure functions have no cycles and a limited depth.
    pub(super) fn check_call_graph(&self) -> Result<(), VerifyError> {
        let count = self.library.functions.len();
        // Depth of each visited function, and whether it is on the stack.
        let mut depth: Vec<Option<usize>> = vec![None; count];
        let mut open = vec![false; count];
        for (start, _) in self.library.functions.numbered() {
            let mut stack = vec![(start, false)];
            while let Some((at, done)) = stack.pop() {
                if depth.get(at).copied().flatten().is_some() {
                    continue;
                }
                let called = self.library.functions.get(at).map_or_else(Vec::new, callees);
                if done {
                    let deepest = called.iter().filter_map(|f| depth.get(f.index()).copied().flatten()).max().unwrap_or(0);
                    if deepest >= MAX_CALLS {
                        return Err(VerifyError::new(
                            &format!("function {at}"),
                            format!("calls are nested more than {MAX_CALLS} deep"),
                        ));
                    }
                    set(&mut depth, at, Some(deepest + 1));
                    set(&mut open, at, false);
                    continue;
                }
                set(&mut open, at, true);
                stack.push((at, true));
                for callee in called {
                    if open.get(callee.index()).copied().unwrap_or(false) {
                        return Err(VerifyError::new(&format!("function {at}"), "it calls itself, directly or in a circle"));
                    }
                    stack.push((callee.index(), false));
                }
            }
        }
        Ok(())
    }

    pub(super) fn place(&self, place: Place) -> Result<(), VerifyError> {
        let library = self.library;
        match place {
            Place::Property(n) | Place::Printed(n) => self.index("property", usize::from(n), library.properties.len()),
            Place::Words(traits) => self.index("trait set", traits.index(), library.traits.len()),
            Place::Status(n) => self.index("status", usize::from(n), library.statuses.len()),
            Place::Player(n) => self.index("player variable", usize::from(n), library.player_variables.len()),
            Place::Global(n) => self.index("variable of the game", usize::from(n), library.globals.len()),
            Place::Owner | Place::Controller | Place::Zone | Place::Definition | Place::SourceOf | Place::Host | Place::Face => {
                Ok(())
            }
        }
    }

    /// Whether a place contains a list; only variables of the game do.
    fn is_list(&self, place: Place) -> bool {
        let variable = |n: u16| self.library.globals.get(usize::from(n));
        matches!(place, Place::Global(n) if variable(n).is_some_and(|it| it.ty.is_list()))
    }

    /// Whether a place contains the handle of a list of keys and values.
    fn has_keys(&self, place: Place) -> bool {
        let library = self.library;
        let variable = match place {
            Place::Status(n) => library.statuses.get(usize::from(n)),
            Place::Player(n) => library.player_variables.get(usize::from(n)),
            _ => None,
        };
        variable.is_some_and(|v| v.keys.is_some())
    }

    fn check_keyed(&self, place: Place) -> Result<(), VerifyError> {
        self.place(place)?;
        if self.has_keys(place) { Ok(()) } else { Err(VerifyError::new("place", "it has no keys")) }
    }

    fn check_not_keyed(&self, place: Place) -> Result<(), VerifyError> {
        if self.has_keys(place) { Err(VerifyError::new("place", "it has a value for each key")) } else { Ok(()) }
    }
}

fn set<T>(items: &mut [T], at: usize, value: T) {
    if let Some(place) = items.get_mut(at) {
        *place = value;
    }
}

/// The pure functions that a function calls.
fn callees(function: &Function) -> Vec<FnId> {
    function
        .ops
        .iter()
        .filter_map(|op| match op {
            Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => Some(*function),
            Op::Filter { filter, .. } => Some(*filter),
            Op::Fold { value, .. } => Some(*value),
            _ => None,
        })
        .collect()
}

impl FunctionVerifier<'_> {
    fn check(&self, pure: bool) -> Result<(), VerifyError> {
        let function = self.function;
        self.verifier.at_most("registers", function.registers.len(), usize::from(u16::MAX))?;
        self.verifier.at_most("parameters", usize::from(function.params), function.registers.len())?;
        self.verifier.at_most("sources", function.sources.len(), function.ops.len())?;
        self.verifier.at_most("operations", function.ops.len(), 1 << 24)?;
        self.verifier.at_most("slots", function.text_slots.len(), function.registers.len())?;
        for slot in &function.text_slots {
            self.scalar(slot.reg)?;
            if slot.reg < function.params {
                return Err(VerifyError::new("slot", "it is a parameter"));
            }
            let traits = &self.verifier.library.traits;
            self.verifier.index("trait set", slot.traits.index(), traits.len())?;
            self.verifier.index(
                "word",
                usize::from(slot.word),
                traits.get(slot.traits.index()).map_or(0, |set| set.words.len()),
            )?;
        }
        if function.result.is_some() && !pure {
            return Err(VerifyError::new("result", "a function with a value must be pure"));
        }
        for source in &function.sources {
            self.verifier.source(*source)?;
        }
        for (at, op) in function.ops.iter().enumerate() {
            self.op(at, op, pure).map_err(|e| e.within(&format!("operation {at}")))?;
        }
        Ok(())
    }

    fn ty(&self, reg: Reg) -> Result<Type, VerifyError> {
        let ty = self.function.registers.get(usize::from(reg)).copied();
        ty.ok_or_else(|| VerifyError::new("register", format!("number {reg} is not below {}", self.function.registers.len())))
    }

    fn regs(&self, regs: &[Reg]) -> Result<(), VerifyError> {
        regs.iter().try_for_each(|reg| self.ty(*reg).map(|_| ()))
    }

    fn list(&self, reg: Reg) -> Result<(), VerifyError> {
        if self.ty(reg)?.is_list() { Ok(()) } else { Err(VerifyError::new("register", format!("number {reg} is no list"))) }
    }

    fn scalar(&self, reg: Reg) -> Result<(), VerifyError> {
        if self.ty(reg)?.is_list() { Err(VerifyError::new("register", format!("number {reg} is a list"))) } else { Ok(()) }
    }

    fn scalars(&self, regs: &[Reg]) -> Result<(), VerifyError> {
        regs.iter().try_for_each(|reg| self.scalar(*reg))
    }

    /// Checks whether a register is a list or a single value.
    fn list_or_scalar(&self, reg: Reg, is_list: bool) -> Result<(), VerifyError> {
        if is_list { self.list(reg) } else { self.scalar(reg) }
    }

    /// Checks a call of a pure function with registers and `more` single values, which returns a list or a single value. Handles
    /// of lists are numbers: a confusion would read the list of another evaluation.
    fn check_call(&self, function: FnId, args: &[Reg], more: usize, is_list: bool) -> Result<(), VerifyError> {
        self.verifier.pure(function, args.len() + more)?;
        let Some(code) = self.verifier.library.functions.get(function.index()) else { return Ok(()) };
        let wrong = |what: &str| Err(VerifyError::new(&format!("function {}", function.0), what));
        if code.result.is_some_and(Type::is_list) != is_list {
            return wrong("its value is a list where a single value is wanted, or the other way round");
        }
        let mut params = code.registers.iter().map(|ty| ty.is_list());
        for reg in args {
            if params.next().is_some_and(|is_list| is_list != self.ty(*reg).is_ok_and(Type::is_list)) {
                return wrong("an argument is a list where a single value is wanted, or the other way round");
            }
        }
        self.regs(args)?;
        if params.take(more).any(|is_list| is_list) { wrong("it takes a list where it gets a single value") } else { Ok(()) }
    }

    fn jump(&self, at: usize, to: u32, pure: bool) -> Result<(), VerifyError> {
        if to as usize > self.function.ops.len() {
            return Err(VerifyError::new("jump", format!("{to} is outside of the function")));
        }
        if pure && to as usize <= at {
            return Err(VerifyError::new("jump", "pure code goes forward only"));
        }
        Ok(())
    }

    fn op(&self, at: usize, op: &Op, pure: bool) -> Result<(), VerifyError> {
        let v = self.verifier;
        let library = v.library;
        match op {
            Op::Const { dst, .. } | Op::ActivePlayer { dst } => self.scalar(*dst),
            Op::Constant { dst, constant } => {
                self.scalar(*dst).and_then(|()| v.index("constant", *constant as usize, v.constants))
            }
            Op::List { dst, list } => self.list(*dst).and_then(|()| v.index("list", list.index(), library.lists.len())),
            Op::MakeList { dst, items } => self.list(*dst).and_then(|()| self.scalars(items)),
            Op::Copy { dst, src } => {
                if self.ty(*dst)?.is_list() == self.ty(*src)?.is_list() {
                    Ok(())
                } else {
                    Err(VerifyError::new("copy", "a list and a single value"))
                }
            }
            Op::Cast { dst, src } => {
                let known = |reg: Reg| {
                    let ty = self.ty(reg)?;
                    Ok::<_, VerifyError>(ty.list().or_else(|| ty.element().and(Some(ty))).is_some())
                };
                if known(*dst)? && known(*src)? && self.ty(*dst)?.is_list() == self.ty(*src)?.is_list() {
                    Ok(())
                } else {
                    Err(VerifyError::new("cast", "not between objects, players and things"))
                }
            }
            Op::ShareOf { dst, shares, of } => self.scalars(&[*dst, *of]).and_then(|()| self.list(*shares)),
            Op::Binary { dst, a, b, .. } => self.scalars(&[*dst, *a, *b]),
            Op::Not { dst, a } => self.scalars(&[*dst, *a]),
            Op::Jump { to } => self.jump(at, *to, pure),
            Op::JumpUnless { cond, to } => self.scalar(*cond).and_then(|()| self.jump(at, *to, pure)),
            Op::Get { dst, place, of } => {
                v.place(*place)?;
                v.check_not_keyed(*place)?;
                let price = match place {
                    Place::Property(n) | Place::Printed(n) => {
                        library.properties.get(usize::from(*n)).is_some_and(|p| p.ty == Type::Price)
                    }
                    _ => false,
                };
                self.ty(*of)?;
                if price || v.is_list(*place) { self.list(*dst) } else { self.scalar(*dst) }
            }
            Op::GetKey { dst, place, of, key: other } | Op::NextKey { dst, place, of, after: other } => {
                v.check_keyed(*place)?;
                self.scalars(&[*dst, *of, *other])
            }
            Op::HasSomeWord { dst, of, traits, word } => {
                self.scalars(&[*dst, *of, *word])?;
                v.index("trait set", traits.index(), library.traits.len())
            }
            Op::HasWord { dst, of, traits, word } => {
                self.scalars(&[*dst, *of])?;
                let words = library.traits.get(traits.index()).map_or(0, |t| t.words.len());
                v.index("word", usize::from(*word), words)
            }
            Op::HasCommonWord { dst, a, b, traits } => {
                self.scalars(&[*dst, *a, *b])?;
                v.index("trait set", traits.index(), library.traits.len())
            }
            Op::HasKeyword { dst, of, keyword } | Op::KeywordValue { dst, of, keyword } => {
                self.scalars(&[*dst, *of])?;
                v.index("keyword", keyword.index(), library.keywords.len())
            }
            Op::IsCard { dst, of, card } => {
                self.scalars(&[*dst, *of])?;
                v.index("card", card.index(), library.definitions.len())
            }
            Op::Exists { dst, of } => self.scalars(&[*dst, *of]),
            Op::ZoneOf { dst, zone, player } => {
                self.scalars(&[*dst, *player])?;
                v.index("zone", zone.index(), library.zones.len())
            }
            Op::InZone { dst, of, zone } => {
                self.scalars(&[*dst, *of])?;
                v.index("zone", zone.index(), library.zones.len())
            }
            Op::ZoneList { dst, zone } => self.list(*dst).and_then(|()| self.scalar(*zone)),
            Op::AllInZone { dst, zone } => self.list(*dst).and_then(|()| v.index("zone", zone.index(), library.zones.len())),
            Op::Filter { dst, list, filter, captures } => {
                self.list(*dst)?;
                self.list(*list)?;
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                self.check_call(*filter, captures, 1, false)
            }
            Op::Union { dst, a, b } | Op::Except { dst, a, b } => {
                self.list(*dst)?;
                self.list(*a)?;
                self.list(*b)
            }
            Op::Count { dst, list } => self.scalar(*dst).and_then(|()| self.list(*list)),
            Op::Contains { dst, list, item } => self.scalars(&[*dst, *item]).and_then(|()| self.list(*list)),
            Op::ElementAt { dst, list, index } => self.scalars(&[*dst, *index]).and_then(|()| self.list(*list)),
            Op::TakeEnds { dst, list, count, .. } | Op::Random { dst, list, count } => {
                self.list(*dst)?;
                self.list(*list)?;
                self.scalar(*count)
            }
            Op::Fold { dst, list, value, captures, .. } => {
                self.scalar(*dst)?;
                self.list(*list)?;
                self.check_call(*value, captures, 1, false)
            }
            Op::Call { dst, function, args } => {
                let is_list = self.ty(*dst)?.is_list();
                self.check_call(*function, args, 0, is_list)
            }
            Op::CallUnconcealed { dst, function, args, of } => {
                self.regs(&[*of])?;
                let is_list = self.ty(*dst)?.is_list();
                self.check_call(*function, args, 0, is_list)
            }
            Op::Builtin { dst, builtin, args } => {
                v.index("built-in function", usize::from(*builtin), BUILTINS.len())?;
                let Some(builtin) = BUILTINS.get(usize::from(*builtin)) else { return Ok(()) };
                let params = builtin.params.iter().map(|ty| ty.is_list());
                args.iter().zip(params).try_for_each(|(reg, is_list)| self.list_or_scalar(*reg, is_list))?;
                self.list_or_scalar(*dst, builtin.result.is_list())
            }
            Op::Players { dst } => self.list(*dst),
            Op::IsAllowed { dst, action, args, .. } => {
                v.index("action", action.index(), v.actions)?;
                v.at_most("arguments", args.len(), MAX_ARGS)?;
                self.scalars(args)?;
                self.scalar(*dst)
            }
            Op::Opponent { dst, player } => self.scalars(&[*dst, *player]),
            Op::InPeriod { dst, period: span } => self.scalar(*dst).and_then(|()| v.index("span", span.index(), v.periods)),
            Op::Return { value } => {
                let is_list = self.function.result.is_some_and(Type::is_list);
                value.map_or(Ok(()), |reg| self.list_or_scalar(reg, is_list))
            }
            statement => self.statement(statement),
        }
    }

    fn statement(&self, op: &Op) -> Result<(), VerifyError> {
        let v = self.verifier;
        let optional = |reg: &Option<Reg>| reg.map_or(Ok(()), |reg| self.ty(reg).map(|_| ()));
        let single = |reg: &Option<Reg>| reg.map_or(Ok(()), |reg| self.scalar(reg));
        match op {
            Op::Divide { dst, site } => self.list(*dst).and_then(|()| self.site(site.index())),
            Op::Choose { dst, site } | Op::ChooseModes { dst, site } => {
                self.ty(*dst)?;
                self.site(site.index())
            }
            Op::Ask { dst, player, site } => self.scalars(&[*dst, *player]).and_then(|()| self.site(site.index())),
            Op::AskWord { dst, player, traits, only, captures } => {
                self.scalars(&[*dst, *player])?;
                self.scalars(captures)?;
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                v.pure(*only, captures.len() + 1)?;
                v.index("trait set", traits.index(), v.library.traits.len())
            }
            Op::AskNumber { dst, player, min, max } => self.scalars(&[*dst, *player, *min, *max]),
            Op::Propose { events, done, out } => {
                single(done)?;
                optional(out)?;
                events.iter().try_for_each(|event| self.proposal(event))
            }
            Op::EndBatch { done, out } => single(done).and_then(|()| optional(out)),
            Op::WriteKey { place, of, key, value, .. } => {
                v.check_keyed(*place)?;
                self.scalars(&[*of, *key, *value])
            }
            Op::Write { place, of, value, .. } => {
                v.place(*place)?;
                v.check_not_keyed(*place)?;
                self.regs(&[*of])?;
                if v.is_list(*place) { self.list(*value) } else { self.scalar(*value) }
            }
            Op::BeginEffect { mods, abilities, whom, captures, until, once: _ } => {
                mods.iter().try_for_each(|m| v.index("change", m.index(), v.library.modifications.len()))?;
                abilities.iter().try_for_each(|a| v.index("ability", a.index(), v.library.abilities.len()))?;
                optional(whom)?;
                self.scalars(captures)?;
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                self.until(until)
            }
            Op::CopyListed { dst, object, choosing: _ } => self.scalar(*dst).and_then(|()| self.scalar(*object)),
            Op::Become { whom, model, enters: _, except, captures, until } => {
                except.iter().try_for_each(|m| v.index("change", m.index(), v.library.modifications.len()))?;
                self.regs(&[*whom])?;
                self.scalar(*model)?;
                self.scalars(captures)?;
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                self.until(until)
            }
            Op::Trigger { ability, captures } => {
                v.index("ability", ability.index(), v.library.abilities.len())?;
                self.scalars(captures)?;
                v.at_most("captures", captures.len(), MAX_CAPTURES)
            }
            Op::StoreCostResult { src, .. } => self.scalar(*src),
            Op::Window { window } => v.index("window", usize::from(*window), v.library.windows.len().max(1)),
            Op::Settle { acted, .. } => single(acted),
            Op::Use { object, by, args, done, .. } => {
                self.scalar(*object)?;
                self.scalars(args)?;
                v.at_most("arguments", args.len(), MAX_ARGS)?;
                by.map_or(Ok(()), |play| v.index("play", play.index(), v.plays))?;
                single(done)
            }
            Op::CanPay { dst, player, price } => {
                self.scalars(&[*dst, *player]).and_then(|()| self.list(*price)).and_then(|()| v.index("payment", 0, v.payments))
            }
            Op::AddToPool { player, units } => {
                self.scalar(*player).and_then(|()| self.list(*units)).and_then(|()| v.index("payment", 0, v.payments))
            }
            Op::Pay { player, price, done } => {
                self.scalar(*player)?;
                self.list(*price)?;
                v.index("payment", 0, v.payments)?;
                single(done)
            }
            Op::Refund { object } | Op::Retarget { object } => self.scalar(*object),
            Op::RunText { object } => self.ty(*object).map(|_| ()),
            Op::InsertPeriod { period: span }
            | Op::EndPeriod { period: span }
            | Op::SkipTo { period: span }
            | Op::Expire { period: span } => v.index("span", span.index(), v.periods),
            Op::SkipPeriod { period: span, player } => {
                self.scalar(*player).and_then(|()| v.index("span", span.index(), v.periods))
            }
            Op::Declare(it) => {
                self.scalars(&[it.player, it.stage])?;
                [it.dst, it.declared, it.from, it.onto].iter().try_for_each(|reg| self.list(*reg))?;
                self.regs(&it.captures)?;
                v.at_most("captures", it.captures.len(), MAX_CAPTURES)?;
                v.index("action", it.action.index(), v.actions)?;
                it.pairs.map_or(Ok(()), |pairs| v.pure(pairs, it.captures.len() + 2))?;
                it.max_pairs.map_or(Ok(()), |most| v.pure(most, it.captures.len() + 1))?;
                self.jump(0, it.restart_at, false)?;
                self.site(it.site.index())
            }
            Op::PayForDeclaration { pairs, player, action, owed, stage } => {
                self.list(*pairs)?;
                self.list(*owed)?;
                self.scalars(&[*player, *stage])?;
                v.index("action", action.index(), v.actions)
            }
            Op::ProposePairs { pairs, player, action, done } => {
                self.list(*pairs)?;
                self.scalar(*player)?;
                single(done)?;
                v.index("action", action.index(), v.actions)
            }
            Op::RandomNumber { dst, min, max } => self.scalars(&[*dst, *min, *max]),
            Op::ExtraTurn { dst, player } => self.scalars(&[*dst, *player]),
            Op::SetActivePlayer { player } => self.scalar(*player),
            _ => Ok(()),
        }
    }

    /// Checks that captures and destination of a site are registers of the function that contains it.
    fn site(&self, site: usize) -> Result<(), VerifyError> {
        let sites = &self.verifier.library.sites;
        let Some(it) = sites.get(site) else { return self.verifier.index("site", site, sites.len()) };
        self.regs(&it.captures)?;
        if let crate::ir::Chooser::Player(reg) = it.chooser {
            self.ty(reg)?;
        }
        self.ty(it.dst).map(|_| ())
    }

    fn proposal(&self, event: &EventProposal) -> Result<(), VerifyError> {
        self.verifier.index("action", event.action.index(), self.verifier.actions)?;
        self.verifier.at_most("arguments", event.args.len(), MAX_ARGS)?;
        // A scratch list exists during one evaluation only, so it may not become an argument of an event.
        for (number, reg) in event.args.iter().enumerate() {
            if event.over.map(usize::from) != Some(number) {
                self.scalar(*reg)?;
            }
        }
        match event.over {
            _ if matches!(event.chosen, ChosenBy::Player(reg) if self.scalar(reg).is_err()) => {
                Err(VerifyError::new("event", "the chooser of its object is not a player"))
            }
            None => Ok(()),
            Some(over) => match event.args.get(usize::from(over)) {
                Some(reg) => self.list(*reg),
                None => Err(VerifyError::new("event", "it is fanned out over an argument that is not there")),
            },
        }
    }

    fn until(&self, ends: &[DurationEnd]) -> Result<(), VerifyError> {
        let v = self.verifier;
        ends.iter().try_for_each(|end| match end {
            DurationEnd::End(span) => v.index("span", span.index(), v.periods),
            DurationEnd::NextEnd(span, reg) | DurationEnd::NextStart(span, reg) => {
                self.scalar(*reg)?;
                v.index("span", span.index(), v.periods)
            }
            DurationEnd::Event { action, filter, .. } => {
                v.index("action", action.index(), v.actions)?;
                v.pure(*filter, 2)
            }
        })
    }
}
