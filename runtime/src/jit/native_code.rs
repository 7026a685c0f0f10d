//! The only module with `unsafe`: what compiled code is given, how it is entered, what it calls, and who frees it.
//!
//! The argument why this is sound:
//!
//! 1. *What is entered is code.* A [`NativeFunction`] is made only by [`Module::finish`], from an address that the module gave for a function
//!    defined with the signature of [`Entry`]. Codes stand only in the table of a `Jit`, which keeps the module (an `Arc`) as long as
//!    itself; whoever enters one borrows the program that owns the `Jit`. The module's memory is freed when the last owner drops it.
//! 2. *What compiled code reads is there.* It reads the state's words, the derived rows, its arguments and its [`NativeFrame`]. The frame is
//!    made in [`NativeFunction::frame`] from borrows that outlive the calls; arguments and scratch space are lent to each call by [`NativeFunction::enter`].
//!    Words below `fixed` are read without a check: [`NativeFunction::frame`] refuses shorter states. Columns of an object are read only for slots
//!    below the number of slots (slot 0 is read instead of others), whose pages and rows [`NativeFunction::frame`] found to lie wholly inside. Items
//!    of lists are read up to a length checked against the state's, or given by [`list()`] for a list that nothing changes while it is
//!    gone through. Everything else goes through a helper.
//! 3. *Nothing changes meanwhile.* Pure code changes neither state nor derived values, which stay borrowed (shared) for the call.
//!    Only the scratch space changes, and only inside helpers, each of which has it alone: who enters the code does not touch it before
//!    that returns, and compiled code keeps no pointer into it but that to the items of a list, whose buffer stays where it is when
//!    lists are added.
//! 4. *Compiled code writes* only to the frame's `fuel` and `given_up` and to its own stack, from which helpers read as many values as the operation
//!    has registers to read.
#![expect(unsafe_code, reason = "compiled code is entered here, see above")]

use crate::ir::FnId;
use crate::state::layout as at;
use crate::vm::eval::{EvalContext, Scratch, get, set};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::default_libcall_names;
use std::mem::offset_of;

/// What compiled code is given.
#[repr(C)]
pub(super) struct NativeFrame {
    words: *const u32,
    length: u64,
    rows: *const u32,
    args: *const i64,
    fuel: u64,
    limit: u64,
    /// The length of the list asked for last.
    listed: u64,
    /// Not 0: something is as it never should be, and the interpreter begins anew.
    given_up: u64,
    world: *const EvalContext<'static>,
    scratch: *mut Scratch,
}

/// Offsets of the frame's fields that compiled code uses.
pub(super) mod offset {
    use super::{NativeFrame, offset_of};
    pub const WORDS: i32 = offset_of!(NativeFrame, words) as i32;
    pub const LENGTH: i32 = offset_of!(NativeFrame, length) as i32;
    pub const ROWS: i32 = offset_of!(NativeFrame, rows) as i32;
    pub const ARGS: i32 = offset_of!(NativeFrame, args) as i32;
    pub const FUEL: i32 = offset_of!(NativeFrame, fuel) as i32;
    pub const LIMIT: i32 = offset_of!(NativeFrame, limit) as i32;
    pub const GIVEN_UP: i32 = offset_of!(NativeFrame, given_up) as i32;
    pub const LISTED: i32 = offset_of!(NativeFrame, listed) as i32;
}

/// How compiled code is entered.
type Entry = unsafe extern "C" fn(*mut NativeFrame) -> i64;

/// What has to hold of a state for compiled code to read it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryConditions {
    /// How many arguments it reads.
    pub params: usize,
    /// How many calls deep it is by itself.
    pub height: u32,
    /// Whether it looks at objects.
    pub objects: bool,
    /// Words before the first cell.
    pub fixed: usize,
    /// Words of a page of objects.
    pub page: usize,
    /// Words of a derived row.
    pub stride: usize,
    /// Seats.
    pub seats: usize,
}

impl EntryConditions {
    /// Whether all objects of a state, and their rows, lie wholly inside.
    fn are_met(&self, words: &[u32], rows: &[u32]) -> bool {
        let word = |at: usize| words.get(at).map_or(usize::MAX, |word| *word as usize);
        let (slots, active) = (word(at::OBJECTS), word(at::ACTIVE));
        if slots == 0 || slots > 64 * at::MAX_PAGES || active >= self.seats || rows.len() < slots * self.stride {
            return false;
        }
        let pages = words.get(at::PAGES..at::PAGES + slots.div_ceil(64)).unwrap_or(&[]);
        !pages.is_empty() && pages.iter().all(|page| *page != 0 && *page as usize + self.page <= words.len())
    }
}

/// What came of running a compiled function.
#[derive(Clone, Copy, Debug)]
pub(super) enum RunResult<T> {
    /// It ran to its end.
    Value(T),
    /// It met something that it leaves to the interpreter.
    GaveUp,
    /// It is not for such arguments or such a state.
    Unfit,
}

/// A compiled function.
#[derive(Clone, Copy, Debug)]
pub(super) struct NativeFunction {
    entry: Entry,
    needs: EntryConditions,
}

impl NativeFunction {
    /// Runs it, if it is for such arguments and such a state. When it gives up, nothing has happened.
    #[inline]
    pub fn run(&self, world: &EvalContext<'_>, scratch: &mut Scratch, args: &[i64]) -> RunResult<i64> {
        let Some(mut frame) = self.frame(world, scratch, args) else { return RunResult::Unfit };
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        let result = self.enter(&mut frame, scratch, args);
        if frame.given_up != 0 {
            scratch.release(mark);
            scratch.fuel = fuel;
            return RunResult::GaveUp;
        }
        scratch.fuel = frame.fuel;
        RunResult::Value(result)
    }

    /// As [`NativeFunction::run`], for one object after another as the last argument, freeing the lists that it made. What that gives goes into
    /// `values`, which mean nothing when it gives up.
    pub fn run_each(
        &self,
        world: &EvalContext<'_>,
        scratch: &mut Scratch,
        args: &mut [i64],
        objects: &[i32],
        values: &mut [i64],
    ) -> RunResult<()> {
        let Some(mut frame) = self.frame(world, scratch, args) else { return RunResult::Unfit };
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        for (object, value) in objects.iter().zip(values) {
            if let Some(last) = args.last_mut() {
                *last = i64::from(*object);
            }
            *value = self.enter(&mut frame, scratch, args);
            scratch.release(mark);
            if frame.given_up != 0 {
                scratch.fuel = fuel;
                return RunResult::GaveUp;
            }
        }
        scratch.fuel = frame.fuel;
        RunResult::Value(())
    }

    /// Enters it with a frame that [`NativeFunction::frame`] made for as many arguments and this scratch space.
    #[inline]
    fn enter(&self, frame: &mut NativeFrame, scratch: &mut Scratch, args: &[i64]) -> i64 {
        frame.args = args.as_ptr();
        frame.scratch = std::ptr::from_mut(scratch);
        // SAFETY: points 1 to 3 of the module's argument; arguments, scratch space and frame are borrowed until the call returns.
        unsafe { (self.entry)(std::ptr::from_mut(frame)) }
    }

    /// What it is given, if it is for such arguments and such a state: all but where its arguments and the scratch space are.
    #[inline]
    fn frame(&self, world: &EvalContext<'_>, scratch: &Scratch, args: &[i64]) -> Option<NativeFrame> {
        let needs = &self.needs;
        let words = world.state.block.words();
        let (rows, stride) = world.derived.rows();
        let fits = args.len() >= needs.params && words.len() >= needs.fixed;
        if !fits || scratch.depth + needs.height >= crate::vm::eval::MAX_DEPTH {
            return None;
        }
        if needs.objects && !(stride == needs.stride && needs.are_met(words, rows)) {
            return None;
        }
        Some(NativeFrame {
            words: words.as_ptr(),
            length: words.len() as u64,
            rows: rows.as_ptr(),
            args: std::ptr::null(),
            fuel: scratch.fuel,
            limit: scratch.limit,
            listed: 0,
            given_up: 0,
            world: std::ptr::from_ref(world).cast(),
            scratch: std::ptr::null_mut(),
        })
    }
}

/// Which operation the interpreter is asked to execute: of which function, which one, how many calls below what was entered.
pub(super) fn packed(function: FnId, pc: usize, level: u32) -> i64 {
    ((u64::from(function.0) << 32) | ((pc as u64 & 0x00ff_ffff) << 8) | u64::from(level & 0xff)) as i64
}

/// As [`rare`], for an operation that reads one register.
extern "C" fn ask(frame: *mut NativeFrame, packed: u64, value: i64) -> i64 {
    rare(frame, packed, &raw const value)
}

/// Executes the operation `packed` as the interpreter does; `values` are its reads.
extern "C" fn rare(frame: *mut NativeFrame, packed: u64, values: *const i64) -> i64 {
    let (function, pc, level) = (packed >> 32, (packed >> 8) & 0x00ff_ffff, packed & 0xff);
    // SAFETY: point 3: compiled code has nothing of the frame, and nobody else has the scratch space.
    let (frame, world, scratch) = unsafe { (&mut *frame, &*(*frame).world, &mut *(*frame).scratch) };
    let Some(code) = world.program.function(FnId(function as u32)) else { return 0 };
    let Some(op) = code.ops.get(pc as usize) else { return 0 };
    let base = scratch.registers.len();
    scratch.registers.resize(base + code.registers.len(), 0);
    let mut next = 0;
    op.for_each_read(|reg| {
        // SAFETY: point 4: compiled code wrote as many values as there are reads.
        let value = unsafe { *values.add(next) };
        set(scratch, base + usize::from(reg), value);
        next += 1;
    });
    scratch.depth += level as u32 + 1;
    scratch.fuel = frame.fuel;
    world.pure_op(scratch, base, op, &code.registers);
    frame.fuel = scratch.fuel;
    scratch.depth -= level as u32 + 1;
    let result = op.written().map_or(0, |reg| get(scratch, base, reg));
    scratch.registers.truncate(base);
    result
}

/// Where the items of a list are; how many goes into the frame.
extern "C" fn list(frame: *mut NativeFrame, handle: i64) -> *const i32 {
    // SAFETY: as in `rare`.
    let (frame, scratch) = unsafe { (&mut *frame, &*(*frame).scratch) };
    let items = scratch.list(handle);
    frame.listed = items.len() as u64;
    items.as_ptr()
}

/// A new empty list.
extern "C" fn new_list(frame: *mut NativeFrame) -> i64 {
    // SAFETY: as in `rare`.
    unsafe { (*(*frame).scratch).new_list() }
}

/// Appends to a list that nothing goes through.
extern "C" fn push(frame: *mut NativeFrame, handle: i64, item: i64) {
    // SAFETY: as in `rare`.
    let scratch = unsafe { &mut *(*frame).scratch };
    if let Some(list) = scratch.list_mut(handle) {
        list.push(item as i32);
    }
}

/// How many lists are in use.
extern "C" fn mark(frame: *mut NativeFrame) -> i64 {
    // SAFETY: as in `rare`.
    unsafe { (*(*frame).scratch).mark() as i64 }
}

/// Gives the lists made since a mark back.
extern "C" fn release(frame: *mut NativeFrame, mark: i64) {
    // SAFETY: as in `rare`.
    unsafe { (*(*frame).scratch).release(mark as usize) }
}

/// What compiled code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    Rare,
    Ask,
    List,
    NewList,
    Push,
    Mark,
    Release,
}

impl Helper {
    /// Where it stands.
    pub fn address(self) -> i64 {
        (match self {
            Self::Rare => rare as *const () as usize,
            Self::Ask => ask as *const () as usize,
            Self::List => list as *const () as usize,
            Self::NewList => new_list as *const () as usize,
            Self::Push => push as *const () as usize,
            Self::Mark => mark as *const () as usize,
            Self::Release => release as *const () as usize,
        }) as i64
    }

    /// Its signature: all are words.
    pub fn signature(self, mut signature: Signature) -> Signature {
        let (params, results) = match self {
            Self::Rare | Self::Ask => (3, 1),
            Self::List => (2, 1),
            Self::NewList | Self::Mark => (1, 1),
            Self::Push => (3, 0),
            Self::Release => (2, 0),
        };
        signature.params.extend(std::iter::repeat_n(AbiParam::new(I64), params));
        signature.returns.extend(std::iter::repeat_n(AbiParam::new(I64), results));
        signature
    }
}

/// Owns the memory of compiled code.
pub(super) struct Module {
    inner: Option<JITModule>,
}

impl Module {
    /// Empty; nothing on machines for which there is no compiler, or whose words have not 64 bits.
    pub fn new() -> Option<Self> {
        if usize::BITS != 64 {
            return None;
        }
        let mut flags = settings::builder();
        let checked = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", checked),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        Some(Self { inner: Some(JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()))) })
    }

    /// The module, to define functions in.
    pub fn get(&mut self) -> Option<&mut JITModule> {
        self.inner.as_mut()
    }

    /// Makes what was defined as `id` executable. It must have been made by `lower`, for a state that has what it `needs`.
    pub fn finish(&mut self, id: cranelift_module::FuncId, needs: EntryConditions) -> Option<NativeFunction> {
        let module = self.inner.as_mut()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(id);
        // SAFETY: point 1: the function was defined with this signature and calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Some(NativeFunction { entry, needs })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(module) = self.inner.take() {
            // SAFETY: point 1: whoever could enter its code holds an `Arc` of this.
            unsafe { module.free_memory() }
        }
    }
}
