//! From the operations of a function to its plain form.
//!
//! The operations are followed path by path. Copies and constants are only remembered; a branch on something known is no branch; on the
//! side where a condition failed it is known to be 0, on the other, if it is a `bool`, to be 1. So the chain of copies and tests that
//! `a and b and c` is made of ends at the first that fails. Two paths that come together knowing the same go on as one.

use super::tally::{From, Tally, Want};
use super::{Instruction, Operands, Plain, REGISTERS, Reg, Registers, Then, Value, bit};
use crate::ir::op::{Op, Place};
use crate::ir::{self, FnId, Function, Type};
use crate::program::Program;

/// What a register of the function holds on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    In(Reg),
    Constant(i64),
    /// A list that is not made; made on this stretch of code, without a branch since.
    Listed { listing: usize, stretch: usize },
    /// A list that was used up, or is from before a branch.
    Gone,
}

/// A list that is not made.
#[derive(Clone, Debug)]
struct Listing {
    from: From,
    filters: Vec<(FnId, Operands)>,
}

/// Where a path goes on, and the instruction that leads there.
struct Path {
    from: Option<usize>,
    pc: usize,
    held: Vec<Held>,
}

struct Builder<'p> {
    program: &'p Program,
    function: &'p Function,
    /// The registers that are read from an operation on, as masks.
    live: Vec<u64>,
    /// How often each register is read.
    uses: Vec<u32>,
    /// Operations that are jumped to.
    targets: Vec<bool>,
    /// Where each register is kept.
    places: Vec<Option<Reg>>,
    used: usize,
    /// The places that hold 0 or 1, as a mask.
    bools: u32,
    constants: Vec<i64>,
    code: Vec<Instruction>,
    operands: Vec<Reg>,
    tallies: Vec<Tally>,
    listings: Vec<Listing>,
    /// Where paths came by, with what they knew.
    known: Vec<(usize, Vec<Held>, usize)>,
    /// Instructions from here on are reached from their predecessor alone.
    stretch: usize,
    /// Operations that no instruction stands for yet.
    fuel: u16,
}

/// The plain form of a function; none where it is not plain.
pub(super) fn translate(program: &Program, function: &Function) -> Option<Plain> {
    let registers = function.registers.len();
    if registers > 64 || !function.slots.is_empty() || function.ops.len() > 2000 {
        return None;
    }
    let (live, targets) = liveness(function)?;
    let mut uses = vec![0; registers];
    for op in &function.ops {
        op.for_each_read(|reg| uses.iter_mut().skip(reg.into()).take(1).for_each(|n| *n += 1));
    }
    let params = usize::from(function.params).min(registers);
    if params > REGISTERS {
        return None;
    }
    let mut builder = Builder {
        program,
        function,
        live,
        uses,
        targets,
        places: (0..registers).map(|n| (n < params).then_some(n as Reg)).collect(),
        used: params,
        bools: (0..params as Reg).zip(&function.registers).filter(|(_, ty)| **ty == Type::Bool).fold(0, |all, (n, _)| all | bit(n)),
        constants: Vec::new(),
        code: Vec::new(),
        operands: Vec::new(),
        tallies: Vec::new(),
        listings: Vec::new(),
        known: Vec::new(),
        stretch: 0,
        fuel: 0,
    };
    let held = (0..registers).map(|n| if n < params { Held::In(n as Reg) } else { Held::Constant(0) }).collect();
    let mut paths = vec![Path { from: None, pc: 0, held }];
    while let Some(path) = paths.pop() {
        builder.follow(path, &mut paths)?;
    }
    builder.finish(params)
}

/// Which registers are read from each operation on, and which operations are jumped to. None for a loop, and for what reads what no
/// register can hold.
fn liveness(function: &Function) -> Option<(Vec<u64>, Vec<bool>)> {
    let ops = &function.ops;
    let mut live = vec![0u64; ops.len() + 1];
    let mut targets = vec![false; ops.len() + 1];
    for (pc, op) in ops.iter().enumerate().rev() {
        let next = live.get(pc + 1).copied()?;
        let mut jump = |to: u32| {
            let to = to as usize;
            (to > pc).then_some(())?;
            *targets.get_mut(to)? = true;
            live.get(to).copied()
        };
        let mut now = match op {
            Op::Jump { to } => jump(*to)?,
            Op::JumpUnless { to, .. } => jump(*to)? | next,
            Op::Return { .. } => 0,
            _ => next,
        };
        if let Some(dst) = op.written() {
            now &= !mask(dst)?;
        }
        let mut sound = true;
        op.for_each_read(|reg| match mask(reg) {
            Some(bit) => now |= bit,
            None => sound = false,
        });
        *live.get_mut(pc)? = now;
        sound.then_some(())?;
    }
    Some((live, targets))
}

fn mask(reg: ir::Reg) -> Option<u64> {
    1u64.checked_shl(reg.into())
}

impl Builder<'_> {
    /// Follows a path to its end, or to where another came by that knew the same.
    fn follow(&mut self, mut path: Path, open: &mut Vec<Path>) -> Option<()> {
        let mut pc = path.pc;
        self.fuel = 0;
        if let Some(from) = path.from {
            if let Some(label) = self.came_by(pc, &path.held)? {
                return self.lead(from, label);
            }
            self.lead(from, self.code.len())?;
        }
        self.stretch = self.code.len();
        loop {
            // As long as there is little code, what follows two paths stands behind each of them.
            if self.targets.get(pc) == Some(&true) && self.code.len() > self.function.ops.len() + 8 {
                if self.fuel != 0 {
                    let next = u16::try_from(self.code.len() + 1).ok()?;
                    self.go(next)?;
                }
                if let Some(label) = self.came_by(pc, &path.held)? {
                    return self.go(u16::try_from(label).ok()?);
                }
                self.stretch = self.code.len();
            }
            let Some(op) = self.function.ops.get(pc) else {
                let none = self.constant(0)?;
                return self.emit(Value::Of(none), Then::Return);
            };
            self.fuel = self.fuel.checked_add(1)?;
            pc += 1;
            match op {
                Op::Jump { to } => pc = *to as usize,
                Op::Return { value } => {
                    let held = value.map_or(Some(Held::Constant(0)), |reg| path.held.get(usize::from(reg)).copied())?;
                    let reg = self.register(held)?;
                    if self.stores(reg) {
                        return self.redirect(Then::Return);
                    }
                    return self.emit(Value::Of(reg), Then::Return);
                }
                Op::JumpUnless { cond, to } => match path.held.get(usize::from(*cond)).copied()? {
                    Held::Constant(0) => pc = *to as usize,
                    Held::Constant(_) => {}
                    Held::In(reg) => {
                        let live = self.live.get(pc).copied()? | self.live.get(*to as usize).copied()?;
                        let mut otherwise = path.held.clone();
                        self.branch(reg, &mut path.held, &mut otherwise, live)?;
                        open.push(Path { from: Some(self.code.len() - 1), pc: *to as usize, held: otherwise });
                        self.stretch = self.code.len();
                    }
                    Held::Listed { .. } | Held::Gone => return None,
                },
                op => self.operation(&mut path.held, op, pc)?,
            }
        }
    }

    /// Where another path came by an operation that knew the same of what is read from there on. If none did, this one does.
    fn came_by(&mut self, pc: usize, held: &[Held]) -> Option<Option<usize>> {
        let live = self.live.get(pc).copied()?;
        let read = (0u16..).zip(held).filter(|(n, _)| mask(*n).is_some_and(|bit| live & bit != 0));
        let read: Vec<Held> = read.map(|(_, held)| *held).collect();
        let came = self.known.iter().find(|(at, known, _)| *at == pc && *known == read).map(|(.., label)| *label);
        if came.is_none() {
            self.known.push((pc, read, self.code.len()));
        }
        Some(came)
    }

    /// Goes on elsewhere.
    fn go(&mut self, to: u16) -> Option<()> {
        let none = self.constant(0)?;
        self.emit(Value::Of(none), Then::Go(to))
    }

    /// Whether the last instruction puts its value into this register, and nothing else arrives after it.
    fn stores(&self, reg: Reg) -> bool {
        self.code.len() > self.stretch && self.code.last().is_some_and(|last| last.then == Then::Store(reg))
    }

    /// The value of the last instruction goes elsewhere.
    fn redirect(&mut self, then: Then) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        let last = self.code.last_mut()?;
        last.then = then;
        last.fuel = last.fuel.checked_add(fuel)?;
        Some(())
    }

    /// A branch on a register, to a place that is not known yet; both sides know what it held. A value that nobody reads afterwards goes
    /// straight to the branch, and what is negated for it alone turns it round.
    fn branch(&mut self, mut reg: Reg, holds: &mut [Held], otherwise: &mut [Held], live: u64) -> Option<()> {
        let mut then: fn(u16) -> Then = Then::Unless;
        loop {
            let is_bool = self.bools & bit(reg) != 0;
            let (zero, other) = if then(0) == Then::Unless(0) { (&mut *otherwise, &mut *holds) } else { (&mut *holds, &mut *otherwise) };
            learn(zero, reg, 0);
            if is_bool {
                learn(other, reg, 1);
            }
            let reads = |held: &[Held]| {
                (0u16..).zip(held).any(|(n, held)| *held == Held::In(reg) && mask(n).is_some_and(|bit| live & bit != 0))
            };
            if !self.stores(reg) || reads(holds) || reads(otherwise) {
                return self.emit(Value::Of(reg), then(0));
            }
            let Some(Instruction { value: Value::Not(of), fuel, .. }) = self.code.last().copied() else {
                return self.redirect(then(0));
            };
            self.code.pop();
            self.fuel = self.fuel.checked_add(fuel)?;
            reg = of;
            then = if then(0) == Then::Unless(0) { Then::If } else { Then::Unless };
        }
    }

    /// Where an instruction leads.
    fn lead(&mut self, from: usize, label: usize) -> Option<()> {
        let to = u16::try_from(label).ok()?;
        match &mut self.code.get_mut(from)?.then {
            Then::Unless(place) | Then::If(place) => *place = to,
            _ => return None,
        }
        Some(())
    }

    fn emit(&mut self, value: Value, then: Then) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        self.code.push(Instruction { value, then, fuel });
        // Paths that part may become many.
        (self.code.len() <= 4 * self.function.ops.len() + 16).then_some(())
    }

    /// The register of a constant: they are numbered from the last one down.
    fn constant(&mut self, value: i64) -> Option<Reg> {
        let n = self.constants.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        (self.used + self.constants.len() <= REGISTERS).then_some((REGISTERS - 1 - n) as Reg)
    }

    fn register(&mut self, held: Held) -> Option<Reg> {
        match held {
            Held::In(reg) => Some(reg),
            Held::Constant(value) => self.constant(value),
            Held::Listed { .. } | Held::Gone => None,
        }
    }

    /// The place of a register of the function.
    fn place(&mut self, reg: ir::Reg) -> Option<Reg> {
        let used = &mut self.used;
        let place = *self.places.get_mut(usize::from(reg))?.get_or_insert_with(|| {
            *used += 1;
            (*used - 1) as Reg
        });
        (self.used + self.constants.len() <= REGISTERS).then_some(place)
    }

    fn arguments(&mut self, held: &[Held], regs: &[ir::Reg]) -> Option<Operands> {
        let first = u16::try_from(self.operands.len()).ok()?;
        for reg in regs {
            let operand = self.register(held.get(usize::from(*reg)).copied()?)?;
            self.operands.push(operand);
        }
        Some(Operands { first, count: u16::try_from(regs.len()).ok()? })
    }

    /// The list in a register, if it is wanted here alone.
    fn listing(&mut self, held: &mut [Held], reg: ir::Reg) -> Option<Listing> {
        let Held::Listed { listing, stretch } = *held.get(usize::from(reg))? else { return None };
        if stretch != self.stretch || self.uses.get(usize::from(reg)) != Some(&1) {
            return None;
        }
        *held.get_mut(usize::from(reg))? = Held::Gone;
        self.listings.get(listing).cloned()
    }

    /// An operation that is no jump; `next` is the one after it.
    fn operation(&mut self, held: &mut [Held], op: &Op, next: usize) -> Option<()> {
        let dst = op.written()?;
        let listed = match op {
            Op::AllInZone { zone, .. } => Some(Listing { from: From::Kind(zone.index()), filters: Vec::new() }),
            Op::ZoneList { zone, .. } => {
                let zone = self.register(held.get(usize::from(*zone)).copied()?)?;
                Some(Listing { from: From::Zone(zone), filters: Vec::new() })
            }
            Op::Filter { list, filter, captures, .. } => {
                let mut listing = self.listing(held, *list)?;
                let captures = self.arguments(held, captures)?;
                listing.filters.push((*filter, captures));
                Some(listing)
            }
            _ => None,
        };
        if let Some(listing) = listed {
            self.listings.push(listing);
            let listing = self.listings.len() - 1;
            *held.get_mut(usize::from(dst))? = Held::Listed { listing, stretch: self.stretch };
            return Some(());
        }
        let remembered = match op {
            Op::Copy { src, .. } => match held.get(usize::from(*src)).copied()? {
                Held::Listed { .. } | Held::Gone => return None,
                held => Some(held),
            },
            Op::Const { value, .. } => Some(Held::Constant(*value)),
            Op::Constant { constant, .. } => {
                let value = self.program.format.constants.get(*constant as usize).map_or(0, |(_, value)| i64::from(*value));
                Some(Held::Constant(value))
            }
            Op::HasWord { traits, word, .. } => {
                let set = self.program.library.traits.get(traits.index());
                set.is_none_or(|set| usize::from(*word) >= set.words.len()).then_some(Held::Constant(0))
            }
            _ => None,
        };
        if let Some(remembered) = remembered {
            *held.get_mut(usize::from(dst))? = remembered;
            return Some(());
        }
        let value = self.value(held, op)?;
        let place = self.place(dst).filter(|_| dst >= self.function.params)?;
        // A function runs again on the same parameters; and what was remembered of its place would change.
        let live = self.live.get(next).copied()?;
        let others = (0u16..).zip(held.iter()).filter(|(n, _)| *n != dst && mask(*n).is_some_and(|bit| live & bit != 0));
        if others.into_iter().any(|(_, held)| *held == Held::In(place)) {
            return None;
        }
        let captured = |listing: &Listing| {
            let from = matches!(listing.from, From::Zone(reg) if reg == place);
            let operands = |of: &Operands| {
                let first = usize::from(of.first);
                self.operands.get(first..first + usize::from(of.count)).is_none_or(|regs| regs.contains(&place))
            };
            from || listing.filters.iter().any(|(_, captures)| operands(captures))
        };
        let waits = |held: &Held| matches!(held, Held::Listed { listing, .. } if self.listings.get(*listing).is_some_and(captured));
        if held.iter().any(waits) {
            return None;
        }
        *held.get_mut(usize::from(dst))? = Held::In(place);
        if self.function.registers.get(usize::from(dst)) == Some(&Type::Bool) {
            self.bools |= bit(place);
        }
        self.emit(value, Then::Store(place))
    }

    /// What an operation computes, if plain code can.
    fn value(&mut self, held: &mut [Held], op: &Op) -> Option<Value> {
        let program = self.program;
        let column = |column: usize| u16::try_from(column).ok();
        if let Op::Count { list, .. } | Op::Fold { list, .. } = op {
            let Listing { from, filters } = self.listing(held, *list)?;
            let want = match op {
                Op::Fold { how, value, captures, .. } => Want::Fold(*how, *value, self.arguments(held, captures)?),
                _ => Want::Count,
            };
            self.tallies.push(Tally { from, filters: filters.into(), want });
            return Some(Value::Tally(u16::try_from(self.tallies.len() - 1).ok()?));
        }
        let mut reg = |reg: ir::Reg| self.register(held.get(usize::from(reg)).copied()?);
        Some(match op {
            Op::Binary { op, a, b, .. } => Value::Binary { op: *op, a: reg(*a)?, b: reg(*b)? },
            Op::Not { a, .. } => Value::Not(reg(*a)?),
            Op::HasWord { of, traits, word, .. } => {
                let first = *program.row.words.get(traits.index())?;
                Value::Bit { of: reg(*of)?, bit: (word % 32) as u8, column: column(first + usize::from(*word) / 32)? }
            }
            Op::Get { place, of, .. } => {
                let of = reg(*of)?;
                match *place {
                    Place::Property(n) => {
                        let property = program.library.properties.get(usize::from(n))?;
                        (property.ty != Type::Price).then_some(())?;
                        Value::Row { of, column: column(program.row.properties + usize::from(n))? }
                    }
                    Place::Words(traits) => Value::Mask { of, column: column(*program.row.words.get(traits.index())?)? },
                    Place::Status(status) => Value::Status { of, status },
                    Place::Owner => Value::Owner(of),
                    Place::Controller => Value::Controller(of),
                    Place::Player(variable) => Value::Player { of, variable },
                    Place::Global(n) => {
                        (!program.library.globals.get(usize::from(n))?.ty.is_list()).then_some(())?;
                        Value::Word { cell: u32::try_from(program.layout.global(usize::from(n))).ok()? }
                    }
                    Place::Zone | Place::Definition | Place::SourceOf | Place::Host | Place::Face => {
                        Value::Get { of, place: *place }
                    }
                    Place::Printed(_) => return None,
                }
            }
            Op::GetKey { place, of, key, .. } => Value::Key { of: reg(*of)?, key: reg(*key)?, place: *place },
            Op::NextKey { place, of, after, .. } => Value::NextKey { of: reg(*of)?, after: reg(*after)?, place: *place },
            Op::HasSomeWord { of, traits, word, .. } => {
                Value::SomeWord { of: reg(*of)?, word: reg(*word)?, traits: *traits }
            }
            Op::Shares { a, b, traits, .. } => Value::Shares { a: reg(*a)?, b: reg(*b)?, traits: *traits },
            Op::HasKeyword { of, keyword, .. } => Value::HasKeyword { of: reg(*of)?, keyword: *keyword },
            Op::KeywordValue { of, keyword, .. } => Value::Highest { of: reg(*of)?, keyword: *keyword },
            Op::IsCard { of, card, .. } => Value::IsCard { of: reg(*of)?, card: *card },
            Op::Exists { of, .. } => Value::Exists(reg(*of)?),
            Op::InZone { of, zone, .. } => Value::InZone { of: reg(*of)?, kind: u8::try_from(zone.index()).ok()? },
            Op::ZoneOf { zone, player, .. } => Value::ZoneOf { player: reg(*player)?, zone: *zone },
            Op::Opponent { player, .. } => Value::Opponent(reg(*player)?),
            Op::Active { .. } => Value::Active,
            Op::InSpan { span, .. } => Value::InSpan(*span),
            Op::Call { function, args, .. } => {
                // What gives or takes a list is not called from here.
                let listless = |ty: &Type| !ty.is_list();
                let callee = program.function(*function)?;
                let plain = callee.result.as_ref().is_none_or(listless)
                    && callee.registers.iter().take(callee.params.into()).all(listless);
                plain.then_some(())?;
                Value::Call { function: *function, args: self.arguments(held, args)? }
            }
            Op::Builtin { builtin, args, .. } => {
                // Nor what makes one.
                let made = self.function.registers.get(usize::from(op.written()?))?;
                (!made.is_list()).then_some(())?;
                Value::Builtin { builtin: *builtin, args: self.arguments(held, args)? }
            }
            _ => return None,
        })
    }

    fn finish(self, params: usize) -> Option<Plain> {
        let mut start = Registers([0; REGISTERS]);
        for (n, value) in self.constants.iter().enumerate() {
            start.set((REGISTERS - 1 - n) as Reg, *value);
        }
        let operands = self.operands;
        let tallies = self.tallies;
        let of = |operand: Operands| {
            let first = usize::from(operand.first);
            let regs = operands.get(first..first + usize::from(operand.count)).unwrap_or(&[]);
            regs.iter().fold(0, |mask, reg| mask | bit(*reg))
        };
        let reads = |value: Value| match value {
            Value::Call { args, .. } | Value::Builtin { args, .. } => of(args),
            Value::Tally(n) => tallies.get(usize::from(n)).map_or(u32::MAX, |tally| {
                let from = if let From::Zone(reg) = tally.from { bit(reg) } else { 0 };
                let want = if let Want::Fold(.., captures) = tally.want { of(captures) } else { 0 };
                tally.filters.iter().fold(from | want, |mask, (_, captures)| mask | of(*captures))
            }),
            value => value.registers().into_iter().flatten().fold(0, |mask, reg| mask | bit(reg)),
        };
        Some(Plain {
            reads: self.code.iter().map(|it| reads(it.value)).collect(),
            code: self.code.into(),
            operands: operands.clone().into(),
            tallies: tallies.clone().into(),
            start,
            params,
            remembered: super::memo::reads(self.program, self.function),
        })
    }
}

/// What holds the value of a register holds this number.
fn learn(held: &mut [Held], reg: Reg, value: i64) {
    held.iter_mut().filter(|held| **held == Held::In(reg)).for_each(|held| *held = Held::Constant(value));
}
