//! The reference interpreter of pure code: expressions, filters and conditions. Nothing here changes the state or suspends.
//!
//! A call of a function goes through [`super::call_tiers`], which chooses what runs it.

use super::inline_vecs::Items;
pub use super::scratch::Scratch;
use super::subset_sum::SubsetSum;
use crate::ir::ObjectRef;
use crate::ir::arithmetic::{binary, cast_one, fold};
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function, NO_PLAYER, Reg, Type};
use crate::state::{State, layout as at};
use crate::vm::derived::values::DerivedValues;
use crate::vm::eval_context::{EvalContext, MAX_ARGUMENTS, get, set};
use crate::vm::optimized::code::MAX_CAPTURES;
use crate::vm::optimized::lanes::LANES;
use crate::vm::work;
use fizzle_ir::{control_operations, statements};

impl EvalContext<'_> {
    /// As [`EvalContext::call`], with arguments from the registers of the window at `caller`.
    fn call_with(&self, scratch: &mut Scratch, function: FnId, caller: usize, args: &[Reg]) -> i64 {
        if args.len() > MAX_ARGUMENTS {
            let args: Vec<i64> = args.iter().map(|reg| get(scratch, caller, *reg)).collect();
            return self.call(scratch, function, &args);
        }
        let mut values = [0; MAX_ARGUMENTS];
        let args = gather(scratch, caller, args, &mut values);
        self.call(scratch, function, args)
    }

    /// Fills the registers for words of the text of a function that effects can change.
    pub(super) fn fill_text_slots(&self, scratch: &mut Scratch, code: &Function, base: usize) {
        for slot in &code.text_slots {
            let word = self.current_word(get(scratch, base, 0), slot);
            set(scratch, base + usize::from(slot.reg), word);
        }
    }

    /// Runs a function whose arguments are the registers from `base` on, and removes its registers.
    pub(super) fn run(&self, scratch: &mut Scratch, code: &Function, base: usize) -> i64 {
        let given = scratch.registers.len() - base;
        scratch.registers.resize(base + code.registers.len().max(given), 0);
        self.fill_text_slots(scratch, code, base);
        let mut pc = 0usize;
        let mut result = 0;
        while let Some(op) = code.ops.get(pc) {
            pc += 1;
            scratch.fuel += 1;
            work::count(&mut scratch.work.operations, 1);
            if scratch.fuel > scratch.limit {
                break;
            }
            // Frequent and short operations are inline. The others are in `pure_op`, which keeps this loop small.
            let (dst, value) = match op {
                Op::Jump { to } => {
                    pc = *to as usize;
                    continue;
                }
                Op::JumpUnless { cond, to } => {
                    if get(scratch, base, *cond) == 0 {
                        pc = *to as usize;
                    }
                    continue;
                }
                Op::Return { value } => {
                    result = value.map_or(0, |reg| get(scratch, base, reg));
                    break;
                }
                Op::Const { dst, value } => (*dst, *value),
                Op::Copy { dst, src } => (*dst, get(scratch, base, *src)),
                Op::Binary { op, dst, a, b } => (*dst, binary(*op, get(scratch, base, *a), get(scratch, base, *b))),
                Op::Not { dst, a } => (*dst, i64::from(get(scratch, base, *a) == 0)),
                Op::HasWord { dst, of, traits, word } => {
                    let it = ObjectRef::from_value(get(scratch, base, *of));
                    (*dst, i64::from(self.has_word(it, traits.index(), usize::from(*word))))
                }
                Op::Get { dst, place, of } => (*dst, self.read(scratch, *place, get(scratch, base, *of))),
                Op::Call { dst, function, args } => (*dst, self.call_with(scratch, *function, base, args)),
                op => {
                    self.pure_op(scratch, base, op, &code.registers);
                    continue;
                }
            };
            set(scratch, base + usize::from(dst), value);
        }
        scratch.registers.truncate(base);
        result
    }

    /// Returns the list of the elements of a list that are part of a wanted set.
    fn completing(
        &self,
        scratch: &mut Scratch,
        base: usize,
        wanted: SubsetSum,
        (list, value, captures): (i64, FnId, &[Reg]),
    ) -> i64 {
        let mut captured = [0; MAX_CAPTURES];
        let captured = gather(scratch, base, captures, &mut captured);
        let mut value = self.bind(scratch, value, captured);
        let mut all: Vec<(i32, i64)> = Vec::with_capacity(scratch.list(list).len());
        for first in (0..scratch.list(list).len()).step_by(LANES) {
            let (mut objects, mut values) = ([0; LANES], [0; LANES]);
            let objects = copy_chunk(scratch, list, first, &mut objects);
            self.apply_to_all(scratch, &mut value, objects, &mut values);
            all.extend(objects.iter().copied().zip(values));
        }
        let (completing, work) = wanted.completing(&all);
        scratch.fuel += work;
        let items: Items = completing.into_iter().collect();
        scratch.make_list(items)
    }

    /// Executes one pure operation on the register window at `base`, whose registers have the types `types`. Returns `false` if
    /// the operation is not pure.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub fn pure_op(&self, scratch: &mut Scratch, base: usize, op: &Op, types: &[Type]) -> bool {
        let (dst, value) = match op {
            Op::Const { dst, value } => (*dst, *value),
            Op::Copy { dst, src } => (*dst, get(scratch, base, *src)),
            Op::Cast { dst, src } => {
                let [from, into] = [src, dst].map(|reg| types.get(usize::from(*reg)).copied().unwrap_or(Type::Number));
                (*dst, cast(scratch, get(scratch, base, *src), from, into))
            }
            Op::ShareOf { dst, shares, of } => {
                let of = get(scratch, base, *of) as i32;
                let share = scratch.list(get(scratch, base, *shares)).chunks(2).find(|pair| pair.first() == Some(&of));
                (*dst, share.and_then(|pair| pair.get(1)).map_or(0, |share| i64::from(*share)))
            }
            Op::Constant { dst, constant } => {
                (*dst, self.program.format.constants.get(*constant as usize).map_or(0, |(_, value)| i64::from(*value)))
            }
            Op::Binary { op, dst, a, b } => (*dst, binary(*op, get(scratch, base, *a), get(scratch, base, *b))),
            Op::Not { dst, a } => (*dst, i64::from(get(scratch, base, *a) == 0)),
            Op::Get { dst, place, of } => (*dst, self.read(scratch, *place, get(scratch, base, *of))),
            Op::GetKey { dst, place, of, key } => {
                let holder = self.keyed_holder(*place, get(scratch, base, *of));
                (*dst, holder.map_or(0, |holder| self.state.block.keyed(holder, get(scratch, base, *key))))
            }
            Op::NextKey { dst, place, of, after } => {
                let holder = self.keyed_holder(*place, get(scratch, base, *of));
                (*dst, holder.map_or(0, |holder| self.state.block.next_key(holder, get(scratch, base, *after))))
            }
            Op::HasSomeWord { dst, of, traits, word } => {
                let word = usize::try_from(get(scratch, base, *word) - 1).ok();
                let it = ObjectRef::from_value(get(scratch, base, *of));
                (*dst, i64::from(word.is_some_and(|word| self.has_word(it, traits.index(), word))))
            }
            Op::List { dst, list } => {
                let handle = scratch.make_list(self.program.library.list(*list).iter().copied());
                (*dst, handle)
            }
            Op::MakeList { dst, items } => {
                let handle = scratch.new_list();
                let of_players = types.get(usize::from(*dst)) == Some(&Type::Players);
                let nothing = if of_players { NO_PLAYER as i32 } else { ObjectRef::NONE.0 as i32 };
                for reg in items {
                    let value = get(scratch, base, *reg) as i32;
                    if value == nothing {
                        continue;
                    }
                    if let Some(list) = scratch.list_mut(handle) {
                        list.push(value);
                    }
                }
                (*dst, handle)
            }
            Op::HasWord { dst, of, traits, word } => (
                *dst,
                i64::from(self.has_word(ObjectRef::from_value(get(scratch, base, *of)), traits.index(), usize::from(*word))),
            ),
            Op::HasCommonWord { dst, a, b, traits } => {
                let [a, b] = [a, b].map(|reg| ObjectRef::from_value(get(scratch, base, *reg)));
                (*dst, i64::from(self.has_common_word(a, b, traits.index())))
            }
            Op::HasKeyword { dst, of, keyword } => {
                (*dst, i64::from(self.keyword(ObjectRef::from_value(get(scratch, base, *of)), *keyword).is_some()))
            }
            Op::KeywordValue { dst, of, keyword } => {
                (*dst, self.keyword(ObjectRef::from_value(get(scratch, base, *of)), *keyword).unwrap_or(0))
            }
            Op::IsCard { dst, of, card } => {
                (*dst, i64::from(self.is_card(ObjectRef::from_value(get(scratch, base, *of)), *card)))
            }
            Op::Exists { dst, of } => {
                let it = ObjectRef::from_value(get(scratch, base, *of));
                (*dst, i64::from(self.state.exists(it) || it.player().is_some_and(|seat| seat < self.program.players())))
            }
            Op::ZoneOf { dst, zone, player } => {
                let player = usize::try_from(get(scratch, base, *player)).unwrap_or(usize::MAX);
                (*dst, self.program.zone_instance(zone.index(), player).map_or(-1, |z| z as i64))
            }
            Op::InZone { dst, of, zone } => {
                let it = ObjectRef::from_value(get(scratch, base, *of));
                let zone_now = if self.state.exists(it) { self.state.zone(it.slot()) } else { None };
                (*dst, i64::from(zone_now.is_some_and(|z| self.program.layout.kind(z) == zone.index())))
            }
            Op::ZoneList { dst, zone } => {
                let zone = get(scratch, base, *zone);
                let items = usize::try_from(zone).map_or(&[][..], |z| self.state.zone_items(self.program, z));
                (*dst, scratch.make_list(items.iter().map(|item| *item as i32)))
            }
            Op::AllInZone { dst, zone } => {
                let handle = scratch.new_list();
                for instance in self.instances_of(zone.index()) {
                    if let Some(list) = scratch.list_mut(handle) {
                        list.extend(self.state.zone_items(self.program, instance).iter().map(|item| *item as i32));
                    }
                }
                (*dst, handle)
            }
            Op::Filter { dst, list, filter, captures } => {
                let source = get(scratch, base, *list);
                let handle = scratch.new_list();
                let mut captured = [0; MAX_CAPTURES];
                let captured = gather(scratch, base, captures, &mut captured);
                let mut filter = self.bind(scratch, *filter, captured);
                for first in (0..scratch.list(source).len()).step_by(LANES) {
                    let mut objects = [0; LANES];
                    let objects = copy_chunk(scratch, source, first, &mut objects);
                    let kept = self.retain_lanes(scratch, &mut filter, objects);
                    if let Some(list) = scratch.list_mut(handle) {
                        list.extend(objects.iter().take(kept));
                    }
                }
                (*dst, handle)
            }
            Op::Union { dst, a, b } => {
                let mut items = scratch.list(get(scratch, base, *a)).to_vec();
                for item in scratch.list(get(scratch, base, *b)) {
                    if !items.contains(item) {
                        items.push(*item);
                    }
                }
                (*dst, scratch.make_list(items))
            }
            Op::Except { dst, a, b } => {
                let without = scratch.list(get(scratch, base, *b)).to_vec();
                let items: Vec<i32> =
                    scratch.list(get(scratch, base, *a)).iter().copied().filter(|item| !without.contains(item)).collect();
                (*dst, scratch.make_list(items))
            }
            Op::Count { dst, list } => (*dst, scratch.list(get(scratch, base, *list)).len() as i64),
            Op::Contains { dst, list, item } => {
                let item = get(scratch, base, *item) as i32;
                (*dst, i64::from(scratch.list(get(scratch, base, *list)).contains(&item)))
            }
            Op::ElementAt { dst, list, index } => {
                let index = usize::try_from(get(scratch, base, *index)).unwrap_or(usize::MAX);
                let is_player = types.get(usize::from(*dst)) == Some(&Type::Player);
                let missing = if is_player { NO_PLAYER as i32 } else { 0 };
                (*dst, i64::from(scratch.list(get(scratch, base, *list)).get(index).copied().unwrap_or(missing)))
            }
            Op::TakeEnds { dst, list, count, top } => {
                let items = scratch.list(get(scratch, base, *list));
                let ends: Items = match scratch.moving.as_slice() {
                    [] => ends_of(items, get(scratch, base, *count), *top).collect(),
                    moving => {
                        let left: Items = items.iter().copied().filter(|it| !moving.contains(&(*it as u32))).collect();
                        ends_of(&left, get(scratch, base, *count), *top).collect()
                    }
                };
                (*dst, scratch.make_list(ends))
            }
            Op::Fold { dst, list, how, value, captures } => {
                let source = get(scratch, base, *list);
                let mut captured = [0; MAX_CAPTURES];
                let captured = gather(scratch, base, captures, &mut captured);
                let mut value = self.bind(scratch, *value, captured);
                let mut total: Option<i64> = None;
                for first in (0..scratch.list(source).len()).step_by(LANES) {
                    let (mut objects, mut values) = ([0; LANES], [0; LANES]);
                    let objects = copy_chunk(scratch, source, first, &mut objects);
                    self.apply_to_all(scratch, &mut value, objects, &mut values);
                    for v in values.iter().take(objects.len()) {
                        total = Some(fold(*how, total, *v));
                    }
                }
                (*dst, total.unwrap_or(0))
            }
            Op::Completing { dst, list, how, value, captures, total, min, max } => {
                let [total, min, max] = [total, min, max].map(|reg| get(scratch, base, *reg));
                let wanted = SubsetSum { how: *how, total, min, max };
                (*dst, self.completing(scratch, base, wanted, (get(scratch, base, *list), *value, captures)))
            }
            Op::Call { dst, function, args } => (*dst, self.call_with(scratch, *function, base, args)),
            Op::CallUnconcealed { dst, function, args, of } => {
                let args: Vec<i64> = args.iter().map(|reg| get(scratch, base, *reg)).collect();
                let it = ObjectRef::from_value(get(scratch, base, *of));
                (*dst, self.call_unconcealed(scratch, *function, &args, it))
            }
            Op::Builtin { dst, builtin, args } => {
                let mut values = [0; MAX_ARGUMENTS];
                let values = gather(scratch, base, args, &mut values);
                (*dst, super::builtin_functions::evaluate(self, scratch, *builtin, values))
            }
            Op::IsAllowed { dst, action, args, paying } => {
                let mut values = [0; MAX_ARGUMENTS];
                let args = gather(scratch, base, args, &mut values);
                let (this, you) = (get(scratch, base, 0), get(scratch, base, 1));
                (*dst, i64::from(self.is_possible(scratch, *action, args, paying.then_some((this, you)))))
            }
            Op::Players { dst } => (*dst, scratch.make_list(self.turn_order().map(|p| p as i32))),
            Op::Opponent { dst, player } => (*dst, self.next_player(get(scratch, base, *player))),
            Op::ActivePlayer { dst } => (*dst, self.state.active() as i64),
            Op::InPeriod { dst, period: span } => (*dst, i64::from(self.state.block.list(at::OPEN_PERIODS).contains(&span.0))),
            control_operations!() | statements!() => return false,
        };
        set(scratch, base + usize::from(dst), value);
        true
    }

    /// Calls a pure function as if nothing concealed an object (CR 702.37e: what it would be if it were face up).
    pub(super) fn call_unconcealed(&self, scratch: &mut Scratch, function: FnId, args: &[i64], it: ObjectRef) -> i64 {
        let concealed = self.state.exists(it) && self.state.is_concealed(self.program, it.slot());
        if !concealed || scratch.in_unconcealed_call {
            return self.call(scratch, function, args);
        }
        let mut state = State { block: self.state.block.clone(), marks: Vec::new() };
        for status in &self.program.concealing_statuses {
            state.set_column(it.slot(), at::STATUSES + status, 0);
        }
        scratch.fuel += (state.block.words().len() / 16) as u64;
        let derived = DerivedValues::from_scratch(self.program, &state, scratch);
        scratch.in_unconcealed_call = true;
        let value = EvalContext { program: self.program, state: &state, derived: &derived }.call(scratch, function, args);
        scratch.in_unconcealed_call = false;
        value
    }

    /// Returns all seats in turn order, from the active player on.
    pub(crate) fn seats(&self) -> impl Iterator<Item = usize> + use<> {
        let n = self.program.players();
        let active = self.state.active();
        (0..n).map(move |i| (active + i) % n)
    }

    /// Returns the players who take part, in turn order from the active player on.
    pub fn turn_order(&self) -> impl Iterator<Item = usize> + use<> {
        let lost = self.state.block.get(at::PLAYERS_LOST);
        self.seats().filter(move |seat| lost & (1 << seat) == 0)
    }

    /// Returns the next player in turn order who takes part, or `NO_PLAYER` if there is none.
    #[must_use]
    pub fn next_player(&self, player: i64) -> i64 {
        let n = self.program.players();
        let Ok(player) = usize::try_from(player) else { return NO_PLAYER };
        (1..n).map(|i| (player + i) % n).find(|seat| !self.state.has_lost(*seat)).map_or(NO_PLAYER, |seat| seat as i64)
    }

    /// Returns whether an object has the ability bundle with a dense number.
    #[must_use]
    pub fn has_bundle(&self, it: ObjectRef, unit: u32) -> bool {
        let word = self.row_word(it, self.program.row.bundles + unit as usize / 32);
        word & (1 << (unit % 32)) != 0
    }

    /// Returns the dense numbers of the ability bundles that an object has, in ascending order.
    pub(crate) fn bundles_of(&self, it: ObjectRef) -> impl Iterator<Item = u32> {
        (0..self.program.row.bundle_words).flat_map(move |word| {
            let bits = self.row_word(it, self.program.row.bundles + word);
            let rest = |bits: &u32| Some(bits & (bits - 1)).filter(|rest| *rest != 0);
            std::iter::successors(Some(bits).filter(|bits| *bits != 0), rest)
                .map(move |bits| word as u32 * 32 + bits.trailing_zeros())
        })
    }

    /// Returns a word of the derived row of an object. Of a stale object it is that of its last-known row, or what its card prints.
    #[must_use]
    pub fn row_word(&self, it: ObjectRef, column: usize) -> u32 {
        if self.state.first_cell(it).is_some() {
            return self.derived.word(it.slot(), column);
        }
        match self.last_known_row(it) {
            Some(row) => self.state.block.get(row + crate::records::KNOWN_ROW + column),
            None => self.printed_row_of_moved(it).and_then(|row| <[u32]>::get(row, column)).copied().unwrap_or(0),
        }
    }

    /// Returns what the card of a stale object prints, if the object has moved once and left no last-known information: `let t = top 1 card of your
    /// deck; discard t; if t is creature { … }`. What effects changed of the object is not known any more. A slot that was freed and used again has
    /// been raised by more than one move.
    fn printed_row_of_moved(&self, it: ObjectRef) -> Option<&[u32]> {
        let slot = it.slot();
        let has_moved_once = slot != 0
            && self.state.column(slot, at::INCARNATION) == it.incarnation().wrapping_add(1)
            && self.state.exists(self.state.current(slot));
        let definition = Some(self.state.column(slot, at::DEFINITION)).filter(|definition| has_moved_once && *definition != 0)?;
        let shown = self.program.shown_definition(definition, 0, None);
        self.program.templates.get(shown as usize).map(Vec::as_slice)
    }

    /// Returns whether two objects have a word of a trait set in common.
    pub(crate) fn has_common_word(&self, a: ObjectRef, b: ObjectRef, traits: usize) -> bool {
        let words = self.program.library.traits.get(traits).map_or(0, |set| set.words.len().div_ceil(32).max(1));
        let first = self.program.row.words.get(traits).copied().unwrap_or(usize::MAX - 64);
        (0..words).any(|word| self.row_word(a, first + word) & self.row_word(b, first + word) != 0)
    }

    /// Returns the record of the last-known information of a stale object.
    #[must_use]
    pub fn last_known_row(&self, it: ObjectRef) -> Option<usize> {
        if it.is_none() {
            return None;
        }
        self.state
            .block
            .list(at::LAST_KNOWN_ROWS)
            .iter()
            .rev()
            .map(|row| *row as usize)
            .find(|row| self.state.block.get(*row) == it.0)
    }

    /// Returns the definition that an object shows, or that a stale object showed.
    #[must_use]
    pub fn definition(&self, it: ObjectRef) -> Option<u32> {
        let column = self.program.row.definition;
        if self.state.first_cell(it).is_some() {
            return Some(self.derived.word(it.slot(), column));
        }
        match self.last_known_row(it) {
            Some(row) => Some(self.state.block.get(row + crate::records::KNOWN_ROW + column)),
            None => self.printed_row_of_moved(it)?.get(column).copied(),
        }
    }

    /// Returns whether an object has the name of a definition. An object that shows all its faces has the names of all.
    pub(crate) fn is_card(&self, it: ObjectRef, card: crate::ir::DefId) -> bool {
        let Some(shown) = self.definition(it) else { return false };
        let printed = match self.last_known_row(it).filter(|_| !self.state.exists(it)) {
            Some(row) => self.state.block.get(row + 4),
            None => self.state.column(it.slot(), at::DEFINITION),
        };
        let all = self.program.definition(printed).filter(|d| d.combined_faces.is_some_and(|joined| joined.0 == shown));
        shown == card.0 || all.is_some_and(|d| printed == card.0 || d.faces.contains(&card))
    }

    pub(crate) fn has_word(&self, it: ObjectRef, traits: usize, word: usize) -> bool {
        let Some(first) = self.program.row.words.get(traits) else { return false };
        if self.program.library.traits.get(traits).is_none_or(|set| word >= set.words.len()) {
            return false;
        }
        self.row_word(it, first + word / 32) & (1 << (word % 32)) != 0
    }

    /// Returns the highest first argument of a keyword (0 for a keyword without arguments) if the object has it.
    #[must_use]
    pub fn keyword(&self, it: ObjectRef, keyword: crate::ir::KeywordId) -> Option<i64> {
        self.bundles_of(it)
            .filter_map(|unit| self.program.bundles.get(unit as usize))
            .filter_map(|id| self.program.format.bundles.get(id.index())?.keyword.as_ref())
            .filter(|(other, _)| *other == keyword)
            .map(|(_, args)| args.first().map_or(0, |arg| i64::from(*arg)))
            .max()
    }

    /// Reads a place. Statuses and derived values of a stale object come from its last-known information.
    pub fn read(&self, scratch: &mut Scratch, place: Place, of: i64) -> i64 {
        let it = ObjectRef::from_value(of);
        if it.player().is_some() && !matches!(place, Place::Global(_) | Place::Player(_) | Place::Property(_) | Place::Printed(_))
        {
            // A player is no object, and has no owner, zone or words.
            return if matches!(place, Place::Owner | Place::Controller | Place::Zone) { NO_PLAYER } else { 0 };
        }
        match place {
            Place::Global(n) if self.program.library.globals.get(usize::from(n)).is_some_and(|v| v.ty.is_list()) => {
                let items = self.state.block.list(self.program.layout.global(usize::from(n)));
                scratch.make_list(items.iter().map(|item| *item as i32))
            }
            Place::Global(n) => self.state.block.int(self.program.layout.global(usize::from(n))),
            Place::Player(n) => match usize::try_from(of) {
                Ok(player) if player < self.program.players() => {
                    self.state.block.int(self.program.layout.player(player, usize::from(n)))
                }
                _ => 0,
            },
            Place::Property(n) => {
                let value = i64::from(self.row_word(it, self.program.row.properties + usize::from(n)) as i32);
                self.price_list(scratch, usize::from(n), value)
            }
            Place::Printed(n) => {
                let value = self
                    .definition(it)
                    .and_then(|d| self.program.definition(d))
                    .and_then(|d| d.properties.get(usize::from(n)))
                    .map_or(0, |v| i64::from(*v));
                self.price_list(scratch, usize::from(n), value)
            }
            Place::Words(traits) => {
                let first = self.program.row.words.get(traits.index()).copied().unwrap_or(usize::MAX);
                i64::from(self.row_word(it, first))
            }
            Place::Status(n) => {
                if self.state.exists(it) {
                    self.state.block.int(self.state.cell(it.slot(), at::STATUSES + usize::from(n)))
                } else {
                    let offset = crate::records::KNOWN_ROW + self.program.row.stride + usize::from(n);
                    self.last_known_row(it).map_or(0, |row| self.state.block.int(row + offset))
                }
            }
            Place::Owner => {
                if it.is_none() {
                    NO_PLAYER
                } else if self.state.exists(it) {
                    i64::from(self.state.column(it.slot(), at::OWNER))
                } else {
                    self.last_known_row(it).map_or_else(
                        || i64::from(self.state.column(it.slot(), at::OWNER)),
                        |row| i64::from(self.state.block.get(row + 2)),
                    )
                }
            }
            Place::Controller => {
                if it.is_none() {
                    NO_PLAYER
                } else if self.state.exists(it) || self.last_known_row(it).is_some() {
                    i64::from(self.row_word(it, 0) as i32)
                } else {
                    i64::from(self.state.column(it.slot(), at::OWNER))
                }
            }
            Place::Zone => {
                if self.state.exists(it) {
                    self.state.zone(it.slot()).map_or(-1, |z| z as i64)
                } else {
                    -1
                }
            }
            // A nameless object shares its name with no other object (CR 201.2a).
            Place::Definition => self.definition(it).map_or(0, |card| match card {
                crate::records::NAMELESS => -1 - it.slot() as i64,
                card => i64::from(card),
            }),
            Place::SourceOf => {
                let is_ability = self.state.exists(it) && self.state.column(it.slot(), at::DEFINITION) == 0;
                match if is_ability { self.state.column(it.slot(), at::ENTRY) as usize } else { 0 } {
                    // A relationship is nameless as an ability is, but on no list.
                    0 => of,
                    entry => self.state.block.int(entry + crate::records::ENTRY_SOURCE),
                }
            }
            Place::Face => {
                if self.state.exists(it) {
                    i64::from(self.state.column(it.slot(), at::FACE).max(1))
                } else {
                    0
                }
            }
            Place::Host => {
                if self.state.exists(it) {
                    self.state.block.int(self.state.cell(it.slot(), at::HOST))
                } else {
                    0
                }
            }
        }
    }

    /// Returns the word that holds the list of a keyed status or player variable. For a stale object it is in the last-known
    /// information.
    #[must_use]
    pub fn keyed_holder(&self, place: Place, of: i64) -> Option<usize> {
        let keyed = |variables: &[crate::ir::Variable], n: u16| variables.get(usize::from(n)).is_some_and(|v| v.keys.is_some());
        match place {
            Place::Status(n) if keyed(&self.program.library.statuses, n) => {
                let it = ObjectRef::from_value(of);
                if self.state.exists(it) {
                    return Some(self.state.cell(it.slot(), at::STATUSES + usize::from(n)));
                }
                self.last_known_row(it).map(|row| row + crate::records::KNOWN_ROW + self.program.row.stride + usize::from(n))
            }
            Place::Player(n) if keyed(&self.program.library.player_variables, n) => {
                let player = usize::try_from(of).ok().filter(|player| *player < self.program.players())?;
                Some(self.program.layout.player(player, usize::from(n)))
            }
            _ => None,
        }
    }

    /// Converts a printed price, which is the number of a constant list, to the list that registers hold.
    fn price_list(&self, scratch: &mut Scratch, property: usize, value: i64) -> i64 {
        if self.program.library.properties.get(property).is_some_and(|p| p.ty == crate::ir::Type::Price) {
            let list = crate::ir::ListId(value as u32);
            scratch.make_list(self.program.library.list(list).iter().copied())
        } else {
            value
        }
    }
}

/// Copies the values of registers into a buffer of the caller.
fn gather<'a>(scratch: &Scratch, base: usize, registers: &[Reg], values: &'a mut [i64]) -> &'a [i64] {
    let n = registers.len().min(values.len());
    for (place, reg) in values.iter_mut().zip(registers) {
        *place = get(scratch, base, *reg);
    }
    values.get(..n).unwrap_or(&[])
}

/// Copies the items of a list from `first` on, as many as fit, into a buffer of the caller.
fn copy_chunk<'a>(scratch: &Scratch, list: i64, first: usize, into: &'a mut [i32]) -> &'a mut [i32] {
    let items = scratch.list(list).get(first..).unwrap_or(&[]);
    let count = items.len().min(into.len());
    into.iter_mut().zip(items).for_each(|(place, item)| *place = *item);
    into.get_mut(..count).unwrap_or(&mut [])
}

/// Converts a value between the types object, player and thing, or lists of them.
fn cast(scratch: &mut Scratch, value: i64, from: Type, into: Type) -> i64 {
    if let (Some(from), Some(into)) = (from.element(), into.element()) {
        let items: Vec<i32> = scratch.list(value).to_vec();
        let single = |item: i32| cast_one(i64::from(item), from, into) as i32;
        let missing = if into == Type::Player { NO_PLAYER as i32 } else { 0 };
        return scratch.make_list(items.into_iter().map(single).filter(|item| *item != missing));
    }
    cast_one(value, from, into)
}

impl Scratch {
    /// Returns whether pure code reads something other than the state of the game: a hypothetical announcement, or an object
    /// without its concealment.
    #[inline]
    pub(crate) fn is_hypothetical(&self) -> bool {
        self.in_unconcealed_call || self.hypothetical.is_some()
    }
}

impl EvalContext<'_> {
    /// Returns whether results can be cached now, given whether they depend on legality queries.
    #[inline]
    pub(crate) fn can_cache(&self, scratch: &Scratch, queries_legality: bool) -> bool {
        !(scratch.is_hypothetical() || queries_legality && self.derived.forbids())
    }
}

/// Returns so many items from an end of a list, beginning with the outermost.
pub(super) fn ends_of<T: Copy>(items: &[T], count: i64, top: bool) -> impl Iterator<Item = T> + '_ {
    let count = usize::try_from(count).unwrap_or(0).min(items.len());
    (0..count).filter_map(move |n| items.get(if top { items.len() - 1 - n } else { n }).copied())
}
