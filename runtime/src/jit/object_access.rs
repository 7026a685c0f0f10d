//! Code generation for reads of objects, players, zones and the header: they become loads. Stale objects and rare reads call the
//! interpreter.

use super::analysis;
use super::codegen::{FunctionCodegen, InlinedFunction, StreamSource, readonly_flags};
use crate::ir::encoding_limits::MAX_OBJECTS;
use crate::ir::verbs::BuiltinFunction;
use crate::ir::{Op, Place, Reg, Type};
use crate::records::NAMELESS;
use crate::state::layout as at;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

/// The maximum number of words of bundle bits that are tested for a keyword.
const MAX_BUNDLE_WORDS: usize = 4;

/// The generated values of an access to an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    /// The reference, 32 bits.
    reference: Value,
    /// Whether it exists.
    exists: Value,
    /// Its slot, or 0.
    slot: Value,
    /// The address of its columns.
    columns: Value,
    /// The address of its page.
    page: Value,
    /// Its index in the page.
    lane: Value,
    /// The address of its derived row.
    row: Value,
    /// Its zone, 32 bits.
    zone: Value,
    /// Whether it is known to exist at this point.
    is_certain: bool,
}

impl<'p> FunctionCodegen<'p, '_> {
    /// Generates the access to an object. Cranelift removes values that are not used.
    pub fn object(&mut self, value: Value) -> Object {
        if let Some((_, known)) = self.objects.iter().rev().find(|(of, _)| *of == value) {
            return *known;
        }
        self.require_objects();
        let layout = &self.program.layout;
        debug_assert!(layout.columns > at::ZONE);
        let stride = self.program.row.stride as i64;
        let b = &mut self.b;
        let reference = b.ins().ireduce(I32, value);
        let named = b.ins().band_imm_s(reference, MAX_OBJECTS as i64);
        let used = b.ins().icmp(IntCC::UnsignedLessThan, named, self.slots);
        let zero = b.ins().iconst(I32, 0);
        let slot = b.ins().select(used, named, zero);
        let wide = b.ins().uextend(I64, slot);
        let number = b.ins().ushr_imm_s(wide, 6);
        let number = b.ins().ishl_imm_s(number, 2);
        let entry = b.ins().iadd(self.words, number);
        let page = b.ins().uload32(readonly_flags(), entry, at::PAGES as i32 * 4);
        let within = b.ins().band_imm_s(wide, 63);
        let start = b.ins().ishl_imm_s(page, 2);
        let start = b.ins().iadd(self.words, start);
        let word = b.ins().iadd(page, within);
        let offset = b.ins().ishl_imm_s(word, 2);
        let columns = b.ins().iadd(self.words, offset);
        let row = b.ins().imul_imm_s(wide, stride * 4);
        let row = b.ins().iadd(self.rows, row);
        let zone = b.ins().load(I32, readonly_flags(), columns, column(at::ZONE));
        let incarnation = b.ins().load(I32, readonly_flags(), columns, column(at::INCARNATION));
        let expected = b.ins().ushr_imm_s(reference, 12);
        let some = b.ins().icmp_imm_s(IntCC::NotEqual, slot, 0);
        let same = b.ins().icmp(IntCC::Equal, incarnation, expected);
        let in_zone = b.ins().icmp_imm_s(IntCC::NotEqual, zone, i64::from(at::NOWHERE as i32));
        let exists = b.ins().band(some, same);
        let exists = b.ins().band(exists, in_zone);
        let object = Object { reference, exists, slot: wide, columns, page: start, lane: within, row, zone, is_certain: false };
        self.objects.push((value, object));
        object
    }

    /// Generates the access to an object that is in a zone, and so exists.
    pub fn existing_object(&mut self, value: Value) {
        let object = self.object(value);
        self.guard(object.exists);
        self.objects.push((value, Object { is_certain: true, ..object }));
    }

    /// Whether a reference is to a player (any).
    fn is_player(&mut self, reference: Value) -> Value {
        let slot = self.b.ins().band_imm_s(reference, MAX_OBJECTS as i64);
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, slot, 0);
        let some = self.b.ins().icmp_imm_s(IntCC::NotEqual, reference, 0);
        self.b.ins().band(none, some)
    }

    /// The value that `there` computes for an existing object; for a stale one, the code bails out or calls the interpreter.
    fn if_it_exists(
        &mut self,
        it: &mut InlinedFunction<'p>,
        pc: usize,
        of: Value,
        object: Object,
        there: impl FnOnce(&mut Self) -> Value,
    ) -> Option<Value> {
        if object.is_certain {
            return Some(there(self));
        }
        if !self.handles_stale {
            self.guard(object.exists);
            self.objects.push((of, Object { is_certain: true, ..object }));
            return Some(there(self));
        }
        let [fast, slow, on] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        let result = self.b.append_block_param(on, I64);
        self.b.ins().brif(object.exists, fast, &[], slow, &[]);
        self.enter(slow);
        let slow_value = self.call_interpreter_for(it, pc, of)?;
        self.b.ins().jump(on, &[BlockArg::Value(slow_value)]);
        self.enter(fast);
        let value = there(self);
        self.b.ins().jump(on, &[BlockArg::Value(value)]);
        self.enter(on);
        Some(result)
    }

    fn load_signed(&mut self, base: Value, at: i32) -> Value {
        let value = self.b.ins().sload32(readonly_flags(), base, at);
        self.bounded(value, 32)
    }

    fn load_unsigned(&mut self, base: Value, at: i32) -> Value {
        let value = self.b.ins().uload32(readonly_flags(), base, at);
        self.bounded(value, 33)
    }

    /// Generates a reading operation. Returns `None` if the interpreter has to execute it.
    pub fn read(&mut self, it: &mut InlinedFunction<'p>, pc: usize, op: &'p Op) -> Option<Value> {
        match op {
            Op::Get { place, of, .. } => {
                if matches!(place, Place::Global(_) | Place::Player(_)) {
                    let of = self.value(it, *of);
                    return self.variable(*place, of);
                }
                let place = *place;
                if !self.is_inlined_place(place) {
                    return None;
                }
                let of = self.value(it, *of);
                let object = self.object(of);
                let value = self.if_it_exists(it, pc, of, object, |lower| lower.place(place, object))?;
                Some(match place {
                    Place::Property(_) | Place::Status(_) | Place::Owner | Place::Zone => self.bounded(value, 33),
                    _ => value,
                })
            }
            Op::HasWord { of, traits, word, .. } => {
                let first = *self.program.row.words.get(traits.index())?;
                let word = usize::from(*word);
                let known = self.program.library.traits.get(traits.index()).is_some_and(|set| word < set.words.len());
                let column = first + word / 32;
                if !known || column >= self.program.row.stride {
                    return None;
                }
                let of = self.value(it, *of);
                let object = self.object(of);
                self.if_it_exists(it, pc, of, object, |lower| {
                    let bits = lower.b.ins().load(I32, readonly_flags(), object.row, column as i32 * 4);
                    let bit = lower.b.ins().ushr_imm_s(bits, (word % 32) as i64);
                    let bit = lower.b.ins().band_imm_s(bit, 1);
                    lower.truth(bit)
                })
            }
            Op::HasKeyword { of, keyword, .. } => {
                let masks = self.keyword_masks(*keyword);
                if masks.len() > MAX_BUNDLE_WORDS || masks.iter().any(|(column, _)| *column >= self.program.row.stride) {
                    return None;
                }
                let of = self.value(it, *of);
                let object = self.object(of);
                self.if_it_exists(it, pc, of, object, |lower| {
                    let mut any = lower.b.ins().iconst(I32, 0);
                    for (column, mask) in masks {
                        let bits = lower.b.ins().load(I32, readonly_flags(), object.row, column as i32 * 4);
                        let bits = lower.b.ins().band_imm_s(bits, i64::from(mask as i32));
                        any = lower.b.ins().bor(any, bits);
                    }
                    let has = lower.b.ins().icmp_imm_s(IntCC::NotEqual, any, 0);
                    lower.truth(has)
                })
            }
            Op::Exists { of, .. } => {
                let of = self.value(it, *of);
                let object = self.object(of);
                let player = self.is_player(object.reference);
                let incarnation = self.b.ins().ushr_imm_s(object.reference, 12);
                let players = self.program.players() as i64;
                let one = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThanOrEqual, incarnation, players);
                let player = self.b.ins().band(player, one);
                let exists = self.b.ins().bor(object.exists, player);
                Some(self.truth(exists))
            }
            Op::InZone { of, zone, .. } => {
                let base = *self.program.layout.zone_base.get(zone.index())?;
                let count = self.program.layout.zone_kind.iter().filter(|kind| **kind == zone.index()).count();
                let of = self.value(it, *of);
                let object = self.object(of);
                let place = self.b.ins().iadd_imm_s(object.zone, -(base as i64));
                let inside = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, place, count as i64);
                let is = self.b.ins().band(inside, object.exists);
                Some(self.truth(is))
            }
            Op::ZoneOf { zone, player, .. } => {
                let kind = zone.index();
                let each = self.program.library.zones.get(kind)?.each_player;
                if !each {
                    let instance = self.program.zone_instance(kind, 0).map_or(-1, |z| z as i64);
                    return Some(self.int(instance));
                }
                let players = self.program.players();
                let base = *self.program.layout.zone_base.get(kind)?;
                if (0..players).any(|seat| self.program.zone_instance(kind, seat) != Some(base + seat)) {
                    return None;
                }
                let player = self.value(it, *player);
                let known = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, player, players as i64);
                let instance = self.b.ins().iadd_imm_s(player, base as i64);
                let none = self.int(-1);
                let instance = self.b.ins().select(known, instance, none);
                Some(self.bounded(instance, 33))
            }
            Op::ActivePlayer { .. } => {
                self.require_objects();
                Some(self.active)
            }
            Op::InPeriod { period: span, .. } => {
                let holder = self.b.ins().iadd_imm_s(self.words, at::OPEN_PERIODS as i64 * 4);
                Some(self.contains(holder, i64::from(span.0)))
            }
            Op::Opponent { player, .. } if self.program.players() == 2 => {
                let player = self.value(it, *player);
                let next = self.b.ins().iadd_imm_s(player, 1);
                let other = self.b.ins().band_imm_s(next, 1);
                let playing = self.is_playing(other);
                let is_seat = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, player, 0);
                let there = self.b.ins().band(playing, is_seat);
                let no_player = self.int(-1);
                let other = self.b.ins().select(there, other, no_player);
                Some(self.bounded(other, 2))
            }
            Op::GetKey { place: Place::Status(n), of, key, .. } => {
                let keyed = self.program.library.statuses.get(usize::from(*n)).is_some_and(|status| status.keys.is_some());
                let holder = at::STATUSES + usize::from(*n);
                if !keyed || self.handles_stale || holder >= self.program.layout.columns {
                    return None;
                }
                let [of, key] = [*of, *key].map(|reg| self.value(it, reg));
                let object = self.object(of);
                if !object.is_certain {
                    self.guard(object.exists);
                    self.objects.push((of, Object { is_certain: true, ..object }));
                }
                let holder = self.status_cell(*n, object);
                Some(self.keyed_value(holder, key))
            }
            Op::Builtin { builtin, args, .. } => self.builtin(it, pc, BuiltinFunction::from_number(*builtin)?, args),
            _ => None,
        }
    }

    /// A built-in function. Returns `None` if the interpreter has to execute it.
    fn builtin(&mut self, it: &mut InlinedFunction<'p>, pc: usize, function: BuiltinFunction, args: &[Reg]) -> Option<Value> {
        let mut arg = |lower: &mut Self, n: usize| match args.get(n) {
            Some(reg) => lower.value(it, *reg),
            None => lower.int(0),
        };
        let header = |lower: &mut Self, word: usize| lower.load_unsigned(lower.words, word as i32 * 4);
        Some(match function {
            BuiltinFunction::Min => {
                let [a, b] = [0, 1].map(|n| arg(self, n));
                self.b.ins().smin(a, b)
            }
            BuiltinFunction::Max => {
                let [a, b] = [0, 1].map(|n| arg(self, n));
                self.b.ins().smax(a, b)
            }
            BuiltinFunction::Exists => {
                let a = arg(self, 0);
                let is = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, a, 0);
                self.truth(is)
            }
            BuiltinFunction::IsPlaying => {
                let a = arg(self, 0);
                let players = self.program.players() as i64;
                let seat = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, a, players);
                let playing = self.is_playing(a);
                let is = self.b.ins().band(seat, playing);
                self.truth(is)
            }
            BuiltinFunction::Units => {
                let a = arg(self, 0);
                self.list_items(a).1
            }
            BuiltinFunction::GameNumber => header(self, at::GAME_NUMBER),
            BuiltinFunction::TurnNumber => header(self, at::TURN),
            BuiltinFunction::Resolving => {
                let resolving = header(self, at::RESOLVING_COUNT);
                let is = self.b.ins().icmp_imm_s(IntCC::NotEqual, resolving, 0);
                self.truth(is)
            }
            BuiltinFunction::ListSize => {
                let instance = self.program.list?;
                let holder = self.b.ins().iadd_imm_s(self.words, self.program.layout.zone(instance) as i64 * 4);
                self.items(holder).1
            }
            BuiltinFunction::IsAbility => {
                let a = arg(self, 0);
                let object = self.object(a);
                let shown = self.program.row.definition as i32 * 4;
                self.if_it_exists(it, pc, a, object, |lower| {
                    let shown = lower.load_unsigned(object.row, shown);
                    let is = lower.b.ins().icmp_imm_s(IntCC::Equal, shown, 0);
                    lower.truth(is)
                })?
            }
            // The interpreter evaluates a function without native code.
            _ => return None,
        })
    }

    /// Whether the player of a seat has not lost; the seat must be valid.
    fn is_playing(&mut self, seat: Value) -> Value {
        let lost = self.load_unsigned(self.words, at::PLAYERS_LOST as i32 * 4);
        let bit = self.b.ins().ushr(lost, seat);
        let bit = self.b.ins().band_imm_s(bit, 1);
        self.b.ins().icmp_imm_s(IntCC::Equal, bit, 0)
    }

    /// The masks of the bundles of a keyword, by column of the derived row.
    fn keyword_masks(&self, keyword: crate::ir::KeywordId) -> Vec<(usize, u32)> {
        let program = self.program;
        let mut masks: Vec<(usize, u32)> = Vec::new();
        for (dense, id) in program.bundles.iter().enumerate() {
            let unit = program.format.bundles.get(id.index()).and_then(|unit| unit.keyword.as_ref());
            if unit.is_some_and(|(of, _)| *of == keyword) {
                let (column, bit) = (program.row.bundles + dense / 32, 1u32 << (dense % 32));
                match masks.last_mut() {
                    Some((last, mask)) if *last == column => *mask |= bit,
                    _ => masks.push((column, bit)),
                }
            }
        }
        masks
    }

    /// A variable of the game or of a player.
    fn variable(&mut self, place: Place, of: Value) -> Option<Value> {
        let layout = &self.program.layout;
        match place {
            Place::Global(n) => {
                let variable = self.program.library.globals.get(usize::from(n))?;
                let word = layout.global(usize::from(n));
                if variable.ty.is_list() || word >= layout.fixed {
                    return None;
                }
                Some(self.load_signed(self.words, word as i32 * 4))
            }
            Place::Player(n) => {
                let players = self.program.players();
                let (first, stride) = (layout.player(0, usize::from(n)), layout.player_stride);
                if usize::from(n) >= stride || layout.player(players, 0) > layout.fixed {
                    return None;
                }
                let known = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, of, players as i64);
                let zero = self.int(0);
                let seat = self.b.ins().select(known, of, zero);
                let offset = self.b.ins().imul_imm_s(seat, stride as i64 * 4);
                let at = self.b.ins().iadd(self.words, offset);
                let value = self.load_signed(at, first as i32 * 4);
                let value = self.b.ins().select(known, value, zero);
                Some(self.bounded(value, 32))
            }
            _ => None,
        }
    }

    fn is_inlined_place(&self, place: Place) -> bool {
        let (row, library) = (&self.program.row, &self.program.library);
        match place {
            Place::Property(n) => {
                let price = library.properties.get(usize::from(n)).is_none_or(|p| p.ty == Type::Price);
                !price && row.properties + usize::from(n) < row.stride
            }
            Place::Words(traits) => row.words.get(traits.index()).is_some_and(|column| *column < row.stride),
            Place::Status(n) => at::STATUSES + usize::from(n) < self.program.layout.columns,
            Place::Owner | Place::Controller | Place::Zone | Place::Definition | Place::Face | Place::Host => true,
            Place::Printed(_) | Place::SourceOf | Place::Player(_) | Place::Global(_) => false,
        }
    }

    /// The value of a place of an existing object.
    fn place(&mut self, place: Place, object: Object) -> Value {
        let row = &self.program.row;
        match place {
            Place::Property(n) => self.load_signed(object.row, (row.properties + usize::from(n)) as i32 * 4),
            Place::Words(traits) => {
                let first = row.words.get(traits.index()).copied().unwrap_or(0);
                self.load_unsigned(object.row, first as i32 * 4)
            }
            Place::Status(n) => self.status(n, object),
            Place::Owner => self.load_unsigned(object.columns, column(at::OWNER)),
            Place::Controller => self.load_signed(object.row, 0),
            Place::Host => self.load_signed(object.columns, column(at::HOST)),
            Place::Zone => {
                let placed = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, object.zone, i64::from(at::NOT_YET_PLACED));
                let zone = self.b.ins().uextend(I64, object.zone);
                let none = self.int(-1);
                self.b.ins().select(placed, zone, none)
            }
            Place::Face => {
                let face = self.load_unsigned(object.columns, column(at::FACE));
                let one = self.int(1);
                self.b.ins().umax(face, one)
            }
            Place::Definition => {
                let shown = self.load_unsigned(object.row, row.definition as i32 * 4);
                let nameless = self.b.ins().icmp_imm_u(IntCC::Equal, shown, i64::from(NAMELESS));
                let own = self.b.ins().bnot(object.slot); // -1 - slot
                self.b.ins().select(nameless, own, shown)
            }
            Place::Printed(_) | Place::SourceOf | Place::Player(_) | Place::Global(_) => self.int(0),
        }
    }

    /// The address of a status of an object. If the status has no cell, or one out of bounds, it is the address of a word that is
    /// 0.
    fn status_cell(&mut self, status: u16, object: Object) -> Value {
        let handle = ((at::STATUSES * at::LANES + usize::from(status)) * 4) as i32;
        let first = self.load_unsigned(object.page, handle);
        let length = self.length;
        let index = self.b.ins().iadd(first, object.lane);
        let there = self.b.ins().icmp(IntCC::UnsignedLessThan, index, length);
        let some = self.b.ins().icmp_imm_s(IntCC::NotEqual, first, 0);
        let there = self.b.ins().band(there, some);
        let zero = self.int(0);
        // Word 0 of a state is always 0.
        let index = self.b.ins().select(there, index, zero);
        let offset = self.b.ins().ishl_imm_s(index, 2);
        self.b.ins().iadd(self.words, offset)
    }

    fn status(&mut self, status: u16, object: Object) -> Value {
        let cell = self.status_cell(status, object);
        self.load_signed(cell, 0)
    }

    /// Converts a single value to another type.
    pub fn cast(&mut self, value: Value, from: Type, into: Type) -> Value {
        match (from, into) {
            (Type::Player, Type::Thing) => {
                let next = self.b.ins().iadd_imm_s(value, 1);
                let reference = self.b.ins().ishl_imm_s(next, 12);
                let reference = self.b.ins().ireduce(I32, reference);
                let reference = self.b.ins().sextend(I64, reference);
                let seat = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, value, 0);
                let none = self.int(0);
                self.b.ins().select(seat, reference, none)
            }
            (Type::Thing, Type::Player) => {
                let reference = self.b.ins().ireduce(I32, value);
                let player = self.is_player(reference);
                let seat = self.b.ins().ushr_imm_s(reference, 12);
                let seat = self.b.ins().uextend(I64, seat);
                let seat = self.b.ins().iadd_imm_s(seat, -1);
                let no_player = self.int(-1);
                self.b.ins().select(player, seat, no_player)
            }
            (Type::Thing, Type::Object) => {
                let reference = self.b.ins().ireduce(I32, value);
                let player = self.is_player(reference);
                let none = self.int(0);
                self.b.ins().select(player, none, value)
            }
            _ => value,
        }
    }

    /// The stream source of all objects of a zone kind.
    pub fn all_in_zone(&self, kind: usize) -> Option<StreamSource> {
        let each = self.program.library.zones.get(kind)?.each_player;
        let base = *self.program.layout.zone_base.get(kind)?;
        let seats = if each { self.program.players() } else { 1 };
        let there = (0..seats).filter(|seat| self.program.zone_instance(kind, *seat) == Some(base + seat)).count();
        (there == seats || there == 0).then_some(StreamSource::Kind(base, there))
    }

    /// Whether evaluating a function may allocate scratch lists that are not freed at its end.
    pub fn may_allocate_lists(&self, id: crate::ir::FnId) -> bool {
        analysis::may_allocate_lists(self.program, id)
    }
}

/// The offset of a column of an object from its first column, in bytes.
fn column(column: usize) -> i32 {
    column as i32 * 64 * 4
}
