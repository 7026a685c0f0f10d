//! Code generation for lists: filters, counts and folds iterate over their source without materialising lists.

use super::codegen::{FunctionCodegen, Stream, StreamSource, readonly_flags};
use super::native_code::Helper;
use crate::ir::FnId;
use crate::ir::op::FoldKind;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

impl FunctionCodegen<'_, '_> {
    /// The items of a state list whose holder is at an address: address and length. The length is 0 if the list would exceed the
    /// state.
    pub fn items(&mut self, holder: Value) -> (Value, Value) {
        let handle = self.b.ins().uload32(readonly_flags(), holder, 0);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, handle, self.length);
        let zero = self.b.ins().iconst(I64, 0);
        let handle = self.b.ins().select(inside, handle, zero);
        let offset = self.b.ins().ishl_imm_s(handle, 2);
        let at = self.b.ins().iadd(self.words, offset);
        let length = self.b.ins().uload32(readonly_flags(), at, 0);
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, handle, 0);
        let length = self.b.ins().select(none, zero, length);
        let end = self.b.ins().iadd(handle, length);
        let there = self.b.ins().icmp(IntCC::UnsignedLessThan, end, self.length);
        let length = self.b.ins().select(there, length, zero);
        let first = self.b.ins().iadd_imm_s(at, 4);
        (first, length)
    }

    /// Whether the state list whose holder is at an address contains a word.
    pub fn contains(&mut self, holder: Value, word: i64) -> Value {
        let (at, length) = self.items(holder);
        let found = self.b.declare_var(I64);
        let no = self.int(0);
        self.b.def_var(found, no);
        self.charge();
        self.loop_over(at, length, true, |lower, item| {
            let same = lower.b.ins().icmp_imm_s(IntCC::Equal, item, word);
            let same = lower.truth(same);
            let so_far = lower.b.use_var(found);
            let so_far = lower.b.ins().bor(so_far, same);
            lower.b.def_var(found, so_far);
            Some(())
        });
        self.b.use_var(found)
    }

    /// The value of a key in the keyed list whose holder is at an address; the sum of all values for key 0.
    pub fn keyed_value(&mut self, holder: Value, key: Value) -> Value {
        let (at, length) = self.items(holder);
        let bytes = self.b.ins().ishl_imm_s(length, 2);
        let bytes = self.b.ins().band_imm_s(bytes, !7);
        let end = self.b.ins().iadd(at, bytes);
        let [head, inside, done] = [(); 3].map(|()| self.b.create_block());
        let [cursor, total, found] = [(); 3].map(|()| self.b.declare_var(I64));
        let zero = self.int(0);
        self.b.def_var(cursor, at);
        self.b.def_var(total, zero);
        self.b.def_var(found, zero);
        self.charge();
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let here = self.b.use_var(cursor);
        let more = self.b.ins().icmp(IntCC::NotEqual, here, end);
        self.b.ins().brif(more, inside, &[], done, &[]);
        self.enter(inside);
        let this = self.b.ins().uload32(readonly_flags(), here, 0);
        let value = self.b.ins().sload32(readonly_flags(), here, 4);
        let all = self.b.ins().icmp_imm_s(IntCC::Equal, key, 0);
        let same = self.b.ins().icmp(IntCC::Equal, this, key);
        let before = self.b.use_var(found);
        let first = self.b.ins().icmp_imm_s(IntCC::Equal, before, 0);
        let fits = self.b.ins().band(same, first);
        let counts = self.b.ins().bor(all, fits);
        let part = self.b.ins().select(counts, value, zero);
        let so_far = self.b.use_var(total);
        let so_far = self.b.ins().iadd(so_far, part);
        self.b.def_var(total, so_far);
        let fits = self.b.ins().uextend(I64, fits);
        let after = self.b.ins().bor(before, fits);
        self.b.def_var(found, after);
        let next = self.b.ins().iadd_imm_s(here, 8);
        self.b.def_var(cursor, next);
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.enter(done);
        self.b.use_var(total)
    }

    /// Generates a loop over 32-bit items. `state`: the items are in the state, so they do not change.
    fn loop_over(
        &mut self,
        at: Value,
        length: Value,
        state: bool,
        body: impl FnOnce(&mut Self, Value) -> Option<()>,
    ) -> Option<()> {
        let flags = if state { readonly_flags() } else { MemFlagsData::trusted() };
        let bytes = self.b.ins().ishl_imm_s(length, 2);
        let end = self.b.ins().iadd(at, bytes);
        let [head, inside, done] = [(); 3].map(|()| self.b.create_block());
        let cursor = self.b.declare_var(I64);
        self.b.def_var(cursor, at);
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let here = self.b.use_var(cursor);
        let more = self.b.ins().icmp(IntCC::NotEqual, here, end);
        self.b.ins().brif(more, inside, &[], done, &[]);
        self.enter(inside);
        let item = self.b.ins().sload32(flags, here, 0);
        let item = self.bounded(item, 32);
        let known = self.objects.len();
        body(self, item)?;
        self.objects.truncate(known);
        self.charge();
        let next = self.b.ins().iadd_imm_s(here, 4);
        self.b.def_var(cursor, next);
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.enter(done);
        Some(())
    }

    /// Generates a loop over the elements of a source.
    fn loop_from(&mut self, source: StreamSource, body: impl FnOnce(&mut Self, Value) -> Option<()>) -> Option<()> {
        self.charge();
        match source {
            StreamSource::Handle(handle) => {
                let (at, length) = self.list_items(handle);
                self.loop_over(at, length, false, body)
            }
            StreamSource::Zone(zone) => {
                let (at, length) = self.zone(zone);
                self.loop_over(at, length, true, body)
            }
            StreamSource::Kind(_, 0) => Some(()),
            StreamSource::Kind(base, 1) => {
                let holder = self.b.ins().iadd_imm_s(self.words, (self.program.layout.zone(base) * 4) as i64);
                let (at, length) = self.items(holder);
                self.loop_over(at, length, true, body)
            }
            StreamSource::Kind(..) => self.loop_seats(source, |lower, at, length| lower.loop_over(at, length, true, body)),
        }
    }

    /// The items of a zone instance: address and length.
    fn zone(&mut self, zone: Value) -> (Value, Value) {
        let first = self.program.layout.zone(0) as i64;
        let most = self.b.ins().iadd_imm_s(self.length, -first);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, zone, most);
        // Word 0 is the null handle.
        let word = self.b.ins().iadd_imm_s(zone, first);
        let zero = self.b.ins().iconst(I64, 0);
        let word = self.b.ins().select(inside, word, zero);
        let offset = self.b.ins().ishl_imm_s(word, 2);
        let holder = self.b.ins().iadd(self.words, offset);
        let (at, length) = self.items(holder);
        let length = self.b.ins().select(inside, length, zero);
        (at, length)
    }

    /// Generates a loop over the zone instances of all seats, starting with the active player.
    fn loop_seats(&mut self, source: StreamSource, body: impl FnOnce(&mut Self, Value, Value) -> Option<()>) -> Option<()> {
        let StreamSource::Kind(base, seats) = source else { return None };
        self.require_objects();
        let [head, inside, done] = [(); 3].map(|()| self.b.create_block());
        let count = self.b.declare_var(I64);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.def_var(count, zero);
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let number = self.b.use_var(count);
        let more = self.b.ins().icmp_imm_s(IntCC::NotEqual, number, seats as i64);
        self.b.ins().brif(more, inside, &[], done, &[]);
        self.enter(inside);
        let seat = self.b.ins().iadd(self.active, number);
        let wrapped = self.b.ins().iadd_imm_s(seat, -(seats as i64));
        let past = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, seat, seats as i64);
        let seat = self.b.ins().select(past, wrapped, seat);
        let offset = self.b.ins().ishl_imm_s(seat, 2);
        let holder = self.b.ins().iadd(self.words, offset);
        let holder = self.b.ins().iadd_imm_s(holder, (self.program.layout.zone(base) * 4) as i64);
        let (at, length) = self.items(holder);
        body(self, at, length)?;
        self.charge();
        let next = self.b.ins().iadd_imm_s(number, 1);
        self.b.def_var(count, next);
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.enter(done);
        Some(())
    }

    /// Generates a loop over the elements of a stream that pass its filters. `also` is the function that `body` evaluates for
    /// each element.
    fn each(
        &mut self,
        stream: &Stream,
        level: u32,
        also: Option<FnId>,
        body: impl FnOnce(&mut Self, Value) -> Option<()>,
    ) -> Option<()> {
        // Scratch lists of the evaluation are freed after each element, as in the interpreter.
        let leaves = stream.filters.iter().map(|(id, _)| *id).chain(also).any(|id| self.may_allocate_lists(id));
        let mark = if leaves { Some(self.call_helper(Helper::Mark, &[])?) } else { None };
        self.loop_from(stream.source, |lower, item| {
            let next = lower.b.create_block();
            if !stream.filters.is_empty() || also.is_some() {
                if matches!(stream.source, StreamSource::Handle(_)) {
                    lower.object(item);
                } else {
                    lower.existing_object(item);
                }
            }
            for (filter, captures) in &stream.filters {
                let args: Vec<Value> = captures.iter().copied().chain([item]).collect();
                let keep = lower.inline(*filter, &args, level)?;
                lower.charge();
                let on = lower.b.create_block();
                lower.b.ins().brif(keep, on, &[], next, &[]);
                lower.enter(on);
            }
            body(lower, item)?;
            lower.charge();
            lower.b.ins().jump(next, &[]);
            lower.enter(next);
            if let Some(mark) = mark {
                lower.call_helper(Helper::Release, &[mark]);
            }
            Some(())
        })?;
        if !stream.filters.is_empty() || also.is_some() {
            self.check_fuel();
        }
        Some(())
    }

    /// The number of elements of a stream.
    pub fn count(&mut self, stream: &Stream, level: u32) -> Option<Value> {
        if stream.filters.is_empty() {
            return match stream.source {
                StreamSource::Handle(handle) => Some(self.list_items(handle).1),
                StreamSource::Zone(zone) => Some(self.zone(zone).1),
                StreamSource::Kind(_, 0) => Some(self.int(0)),
                StreamSource::Kind(..) => {
                    let total = self.b.declare_var(I64);
                    let zero = self.int(0);
                    self.b.def_var(total, zero);
                    self.charge();
                    self.loop_seats(stream.source, |lower, _, length| {
                        let so_far = lower.b.use_var(total);
                        let so_far = lower.b.ins().iadd(so_far, length);
                        lower.b.def_var(total, so_far);
                        Some(())
                    })?;
                    Some(self.b.use_var(total))
                }
            };
        }
        let total = self.b.declare_var(I64);
        let zero = self.int(0);
        self.b.def_var(total, zero);
        self.each(stream, level, None, |lower, _| {
            let so_far = lower.b.use_var(total);
            let so_far = lower.b.ins().iadd_imm_s(so_far, 1);
            lower.b.def_var(total, so_far);
            Some(())
        })?;
        Some(self.b.use_var(total))
    }

    /// The sum, highest or lowest value of a function over a stream; 0 without elements.
    pub fn fold(&mut self, stream: &Stream, how: FoldKind, value: FnId, captures: &[Value], level: u32) -> Option<Value> {
        let (total, some) = (self.b.declare_var(I64), self.b.declare_var(I64));
        let first = self.int(match how {
            FoldKind::Sum => 0,
            FoldKind::Highest => i64::MIN,
            FoldKind::Lowest => i64::MAX,
        });
        let zero = self.int(0);
        self.b.def_var(total, first);
        self.b.def_var(some, zero);
        self.each(stream, level, Some(value), |lower, item| {
            let args: Vec<Value> = captures.iter().copied().chain([item]).collect();
            let value = lower.inline(value, &args, level)?;
            let so_far = lower.b.use_var(total);
            let so_far = match how {
                FoldKind::Sum => lower.add(so_far, value),
                FoldKind::Highest => lower.b.ins().smax(so_far, value),
                FoldKind::Lowest => lower.b.ins().smin(so_far, value),
            };
            lower.b.def_var(total, so_far);
            let one = lower.int(1);
            lower.b.def_var(some, one);
            Some(())
        })?;
        let (total, some) = (self.b.use_var(total), self.b.use_var(some));
        Some(if how == FoldKind::Sum { total } else { self.b.ins().select(some, total, zero) })
    }

    /// Materialises a stream as a scratch list and returns its handle.
    pub fn materialise(&mut self, stream: &Stream, level: u32) -> Option<Value> {
        if let (StreamSource::Handle(handle), []) = (stream.source, stream.filters.as_slice()) {
            return Some(handle);
        }
        let handle = self.call_helper(Helper::NewList, &[])?;
        self.each(stream, level, None, |lower, item| {
            lower.call_helper(Helper::Push, &[handle, item]);
            Some(())
        })?;
        Some(handle)
    }
}
