//! Verifies functions: registers, types, jump targets and table numbers. Checks that functions with a result are pure, and that
//! pure code terminates.

#![deny(clippy::wildcard_enum_match_arm)]

use super::{MAX_ARGS, MAX_CALLS, MAX_CAPTURES, Verifier, VerifyError};
use crate::op::{DurationEnd, EventProposal, Function, Op, Place};
use crate::operands::{Operand, Shape, Table};
use crate::verbs::BUILTINS;
use crate::{FnId, Reg, TraitSetId, Type};

/// A function with its verifier.
struct FunctionVerifier<'a> {
    verifier: &'a Verifier<'a>,
    function: &'a Function,
}

impl Verifier<'_> {
    pub(super) fn functions(&self) -> Result<(), VerifyError> {
        for (number, function) in self.library.functions.numbered() {
            let code = FunctionVerifier { verifier: self, function };
            let check = || code.check(self.is_pure.get(number).copied().unwrap_or(false));
            if number < self.library.rule_functions() { check() } else { self.as_shown(check) }
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
                            &format!("function {at} `{}`", self.library.functions.get(at).map_or("", |function| &function.name)),
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
            Place::Property(_)
            | Place::Printed(_)
            | Place::Words(_)
            | Place::Global(_)
            | Place::Owner
            | Place::Controller
            | Place::Zone
            | Place::Definition
            | Place::SourceOf
            | Place::Host
            | Place::Face => None,
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

/// The pure functions that the pure operations of a function call.
fn callees(function: &Function) -> Vec<FnId> {
    function.ops.iter().filter_map(Op::callee).collect()
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

    /// Checks an operand by its role.
    fn operand(&self, at: usize, operand: Operand, pure: bool) -> Result<(), VerifyError> {
        let (v, library) = (self.verifier, self.verifier.library);
        match operand {
            Operand::Register(reg, _, Shape::Scalar) => self.scalar(reg),
            Operand::Register(reg, _, Shape::List) => self.list(reg),
            Operand::Register(reg, _, Shape::Any) => self.ty(reg).map(|_| ()),
            // The number of arguments depends on the operation.
            Operand::Callee(function) | Operand::Function(function) => v.may_use(function),
            Operand::Site(site) => self.site(site.index()),
            Operand::Target(to) => self.jump(at, to, pure),
            Operand::Restart(to) => self.jump(0, to, false),
            Operand::Proposed(action) => v.index("action", action.index(), v.actions),
            Operand::Entry(table, number) => match table {
                Table::Abilities => v.index("ability", number, library.abilities.len()),
                Table::Actions => v.index("action", number, v.actions),
                Table::Definitions => v.index("card", number, library.definitions.len()),
                Table::Keywords => v.index("keyword", number, library.keywords.len()),
                Table::Lists if v.is_shown.get() => v.index("list", number, library.lists.len()),
                Table::Lists => v.index("list", number, library.rule_lists()),
                Table::Modifications => v.index("change", number, library.modifications.len()),
                Table::Periods => v.index("span", number, v.periods),
                Table::Plays => v.index("play", number, v.plays),
                Table::TraitSets
                    if number == TraitSetId::CARD_NAMES.index()
                        && matches!(self.function.ops.get(at), Some(Op::AskWord { .. })) =>
                {
                    Ok(())
                }
                Table::TraitSets => v.index("trait set", number, library.traits.len()),
                Table::Zones => v.index("zone", number, library.zones.len()),
            },
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "an operation with plain data and without an arm is refused")]
    fn op(&self, at: usize, op: &Op, pure: bool) -> Result<(), VerifyError> {
        let v = self.verifier;
        let library = v.library;
        let mut operands = Ok(());
        op.for_each_operand(|operand| {
            if operands.is_ok() {
                operands = self.operand(at, operand, pure);
            }
        });
        operands?;
        // What the roles of the operands do not say.
        match op {
            Op::Constant { constant, .. } => v.index("constant", *constant as usize, v.constants),
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
            Op::Get { dst, place, of: _ } => {
                v.place(*place)?;
                v.check_not_keyed(*place)?;
                let is_price = |n: u16| library.properties.get(usize::from(n)).is_some_and(|p| p.ty == Type::Price);
                let price = matches!(place, Place::Property(n) | Place::Printed(n) if is_price(*n));
                self.list_or_scalar(*dst, price || v.is_list(*place))
            }
            Op::GetKey { place, .. } | Op::NextKey { place, .. } | Op::WriteKey { place, .. } => v.check_keyed(*place),
            Op::HasWord { traits, word, .. } => {
                let words = library.traits.get(traits.index()).map_or(0, |t| t.words.len());
                v.index("word", usize::from(*word), words)
            }
            Op::Filter { filter, captures, .. } => {
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                self.check_call(*filter, captures, 1, false)
            }
            Op::Fold { value, captures, .. } | Op::Completing { value, captures, .. } => {
                self.check_call(*value, captures, 1, false)
            }
            Op::Call { dst, function, args } | Op::CallUnconcealed { dst, function, args, of: _ } => {
                self.check_call(*function, args, 0, self.ty(*dst)?.is_list())
            }
            Op::Builtin { dst, builtin, args } => {
                v.index("built-in function", usize::from(*builtin), BUILTINS.len())?;
                let Some(builtin) = BUILTINS.get(usize::from(*builtin)) else { return Ok(()) };
                let params = builtin.params.iter().map(|ty| ty.is_list());
                args.iter().zip(params).try_for_each(|(reg, is_list)| self.list_or_scalar(*reg, is_list))?;
                self.list_or_scalar(*dst, builtin.result.is_list())
            }
            Op::IsAllowed { args, .. } | Op::Use { args, .. } => v.at_most("arguments", args.len(), MAX_ARGS),
            Op::Return { value } => {
                let is_list = self.function.result.is_some_and(Type::is_list);
                value.map_or(Ok(()), |reg| self.list_or_scalar(reg, is_list))
            }
            Op::AskWord { only, captures, .. } => {
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                v.pure(*only, captures.len() + 1)
            }
            Op::Propose { events, .. } => events.iter().try_for_each(|event| self.proposal(event)),
            Op::Write { place, value, .. } => {
                v.place(*place)?;
                v.check_not_keyed(*place)?;
                self.list_or_scalar(*value, v.is_list(*place))
            }
            Op::BeginEffect { captures, until, .. } | Op::Become { captures, until, .. } => {
                v.at_most("captures", captures.len(), MAX_CAPTURES)?;
                self.until(until)
            }
            Op::Trigger { captures, .. } => v.at_most("captures", captures.len(), MAX_CAPTURES),
            Op::Window { window } => v.index("window", usize::from(*window), library.windows.len().max(1)),
            Op::CanPay { .. } | Op::AddToPool { .. } | Op::Pay { .. } => v.index("payment", 0, v.payments),
            Op::Declare(it) => {
                v.at_most("captures", it.captures.len(), MAX_CAPTURES)?;
                v.pure(it.pairs, it.captures.len() + 2)?;
                v.pure(it.max_pairs, it.captures.len() + 1)
            }
            // Every value of their plain data is valid.
            Op::Const { .. }
            | Op::Binary { .. }
            | Op::TakeEnds { .. }
            | Op::CopyListed { .. }
            | Op::Settle { .. }
            | Op::StoreCostResult { .. } => Ok(()),
            // Without plain data, the roles of the operands say all.
            op if op.has_plain_data() => Err(VerifyError::new("operation", "its plain data is not checked")),
            _ => Ok(()),
        }
    }

    /// Checks that captures and destination of a site are registers of the function that contains it.
    fn site(&self, site: usize) -> Result<(), VerifyError> {
        let sites = &self.verifier.library.sites;
        let Some(it) = sites.get(site) else { return self.verifier.index("site", site, sites.len()) };
        self.regs(&it.captures)?;
        if let crate::Chooser::Player(reg) = it.chooser {
            self.ty(reg)?;
        }
        self.ty(it.dst).map(|_| ())
    }

    fn proposal(&self, event: &EventProposal) -> Result<(), VerifyError> {
        self.verifier.at_most("arguments", event.args.len(), MAX_ARGS)?;
        // A scratch list exists during one evaluation only, so it may not become an argument of an event.
        for (number, reg) in event.args.iter().enumerate() {
            if event.over.map(usize::from) != Some(number) {
                self.scalar(*reg)?;
            }
        }
        let Some(over) = event.over else { return Ok(()) };
        match event.args.get(usize::from(over)) {
            Some(reg) => self.list(*reg),
            None => Err(VerifyError::new("event", "it is fanned out over an argument that is not there")),
        }
    }

    fn until(&self, ends: &[DurationEnd]) -> Result<(), VerifyError> {
        ends.iter().try_for_each(|end| match end {
            DurationEnd::Event { filter, .. } => self.verifier.pure(*filter, 2),
            DurationEnd::Failure { condition } => self.verifier.pure(*condition, 2),
            DurationEnd::End(_) | DurationEnd::NextEnd(..) | DurationEnd::NextStart(..) => Ok(()),
        })
    }
}
