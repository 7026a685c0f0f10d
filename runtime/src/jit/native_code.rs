//! Owns, enters and frees native code. The only module with `unsafe`.
//!
//! Why this is sound:
//!
//! 1. *The entry address is code.* Only [`Module::finish`] creates a [`NativeFunction`], from an address that the module returned
//!    for a function defined with the signature of [`Entry`]. Native functions are stored only in the table of a `Jit`, which
//!    keeps the module (in an `Arc`) as long as itself. A caller borrows the program that owns the `Jit`. The memory of the
//!    module is freed when its last owner is dropped.
//! 2. *Native code reads valid memory.* It reads the words of the state, the derived rows, its arguments and its [`NativeFrame`].
//!    [`NativeFunction::frame`] creates the frame from borrows that outlive the calls; [`NativeFunction::enter`] lends arguments
//!    and scratch memory to each call. Words below `fixed` are read without a check, since [`NativeFunction::frame`] rejects
//!    shorter states. Columns of an object are read only for slots below the slot count (else slot 0 is read);
//!    [`NativeFunction::frame`] has checked that their pages and rows are in bounds. Items of lists are read up to a length that
//!    was checked against the length of the state, or that [`list()`] returned for a list that does not change during the
//!    iteration. Everything else is read by a helper.
//! 3. *Nothing changes during a call.* Pure code changes neither state nor derived values, which stay borrowed (shared) for the
//!    call. Only the scratch memory changes, and only in helpers, each of which has exclusive access. The caller does not access
//!    it before the call returns. Native code keeps no pointer into it except to the items of a list, whose buffer does not move
//!    when lists are added.
//! 4. *Native code writes* only to the frame's `fuel` and `bailed_out` and to its own stack. Helpers read as many values from
//!    that stack as the operation reads registers.
#![expect(unsafe_code, reason = "compiled code is entered here, see above")]

use crate::ir::FnId;
use crate::state::layout as at;
use crate::vm::eval_context::{EvalContext, get, set};
use crate::vm::scratch::Scratch;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::default_libcall_names;
use std::mem::offset_of;

/// The context that native code receives.
#[repr(C)]
pub(super) struct NativeFrame {
    words: *const u32,
    length: u64,
    rows: *const u32,
    args: *const i64,
    fuel: u64,
    limit: u64,
    /// The length of the list that a helper returned last.
    list_length: u64,
    /// Not 0 after a bailout: the interpreter starts the function again.
    bailed_out: u64,
    world: *const EvalContext<'static>,
    scratch: *mut Scratch,
}

/// Offsets of the fields of the frame that native code accesses.
pub(super) mod offset {
    use super::{NativeFrame, offset_of};
    pub const WORDS: i32 = offset_of!(NativeFrame, words) as i32;
    pub const LENGTH: i32 = offset_of!(NativeFrame, length) as i32;
    pub const ROWS: i32 = offset_of!(NativeFrame, rows) as i32;
    pub const ARGS: i32 = offset_of!(NativeFrame, args) as i32;
    pub const FUEL: i32 = offset_of!(NativeFrame, fuel) as i32;
    pub const LIMIT: i32 = offset_of!(NativeFrame, limit) as i32;
    pub const BAILED_OUT: i32 = offset_of!(NativeFrame, bailed_out) as i32;
    pub const LIST_LENGTH: i32 = offset_of!(NativeFrame, list_length) as i32;
}

/// The type of the entry point of native code.
type Entry = unsafe extern "C" fn(*mut NativeFrame) -> i64;

/// Conditions under which native code may run on a state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryConditions {
    /// The number of arguments that it reads.
    pub params: usize,
    /// The depth of its inlined calls.
    pub height: u32,
    /// Whether it reads objects.
    pub objects: bool,
    /// The number of words before the first cell.
    pub fixed: usize,
    /// The number of words of a page of objects.
    pub page: usize,
    /// The number of words of a derived row.
    pub stride: usize,
    /// The number of seats.
    pub seats: usize,
}

impl EntryConditions {
    /// Whether all object pages of a state, and their rows, are in bounds.
    fn are_met(&self, words: &[u32], rows: &[u32]) -> bool {
        let word = |at: usize| words.get(at).map_or(usize::MAX, |word| *word as usize);
        let (slots, active) = (word(at::SLOT_COUNT), word(at::ACTIVE_PLAYER));
        if slots == 0 || slots > 64 * at::MAX_PAGES || active >= self.seats || rows.len() < slots * self.stride {
            return false;
        }
        let pages = words.get(at::PAGES..at::PAGES + slots.div_ceil(64)).unwrap_or(&[]);
        !pages.is_empty() && pages.iter().all(|page| *page != 0 && *page as usize + self.page <= words.len())
    }
}

/// The result of running native code.
#[derive(Clone, Copy, Debug)]
pub(super) enum RunResult<T> {
    /// It completed.
    Value(T),
    /// It bailed out: the interpreter has to run the function.
    BailedOut,
    /// The arguments or the state do not meet the entry conditions.
    Incompatible,
}

/// A compiled function.
#[derive(Clone, Copy, Debug)]
pub(super) struct NativeFunction {
    entry: Entry,
    conditions: EntryConditions,
}

impl NativeFunction {
    /// Runs the code if its entry conditions are met. A bailout has no effect: scratch memory and fuel are restored.
    #[inline]
    pub fn run(&self, world: &EvalContext<'_>, scratch: &mut Scratch, args: &[i64]) -> RunResult<i64> {
        let Some(mut frame) = self.frame(world, scratch, args) else { return RunResult::Incompatible };
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        let result = self.enter(&mut frame, scratch, args);
        if frame.bailed_out != 0 {
            scratch.release(mark);
            scratch.fuel = fuel;
            return RunResult::BailedOut;
        }
        scratch.fuel = frame.fuel;
        RunResult::Value(result)
    }

    /// As [`NativeFunction::run`], for several objects in turn as the last argument; frees the lists of each run. Writes the
    /// results to `values`, which are meaningless after a bailout.
    pub fn run_each(
        &self,
        world: &EvalContext<'_>,
        scratch: &mut Scratch,
        args: &mut [i64],
        objects: &[i32],
        values: &mut [i64],
    ) -> RunResult<()> {
        let Some(mut frame) = self.frame(world, scratch, args) else { return RunResult::Incompatible };
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        for (object, value) in objects.iter().zip(values) {
            if let Some(last) = args.last_mut() {
                *last = i64::from(*object);
            }
            *value = self.enter(&mut frame, scratch, args);
            scratch.release(mark);
            if frame.bailed_out != 0 {
                scratch.fuel = fuel;
                return RunResult::BailedOut;
            }
        }
        scratch.fuel = frame.fuel;
        RunResult::Value(())
    }

    /// Enters the code with a frame that [`NativeFunction::frame`] created for this number of arguments and this scratch memory.
    #[inline]
    fn enter(&self, frame: &mut NativeFrame, scratch: &mut Scratch, args: &[i64]) -> i64 {
        frame.args = args.as_ptr();
        frame.scratch = std::ptr::from_mut(scratch);
        // SAFETY: points 1 to 3 of the module's argument; arguments, scratch space and frame are borrowed until the call returns.
        unsafe { (self.entry)(std::ptr::from_mut(frame)) }
    }

    /// Creates the frame if the entry conditions are met, without the addresses of arguments and scratch memory.
    #[inline]
    fn frame(&self, world: &EvalContext<'_>, scratch: &Scratch, args: &[i64]) -> Option<NativeFrame> {
        let needs = &self.conditions;
        let words = world.state.block.words();
        let (rows, stride) = world.derived.rows();
        let fits = args.len() >= needs.params && words.len() >= needs.fixed;
        if !fits || scratch.depth + needs.height >= crate::vm::eval_context::MAX_CALL_DEPTH {
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
            list_length: 0,
            bailed_out: 0,
            world: std::ptr::from_ref(world).cast(),
            scratch: std::ptr::null_mut(),
        })
    }
}

/// Identifies an operation for the interpreter: function, operation number, and call depth below the entered function.
pub(super) fn pack_operation(function: FnId, pc: usize, level: u32) -> i64 {
    ((u64::from(function.0) << 32) | ((pc as u64 & 0x00ff_ffff) << 8) | u64::from(level & 0xff)) as i64
}

/// As [`execute`], for an operation that reads one register.
extern "C" fn execute_unary(frame: *mut NativeFrame, packed: u64, value: i64) -> i64 {
    execute(frame, packed, &raw const value)
}

/// Executes the operation `packed` in the interpreter; `values` are the registers that it reads.
extern "C" fn execute(frame: *mut NativeFrame, packed: u64, values: *const i64) -> i64 {
    let (function, pc, level) = (packed >> 32, (packed >> 8) & 0x00ff_ffff, packed & 0xff);
    // SAFETY: point 3: native code holds no reference into the frame, and no other code accesses the scratch memory.
    let (frame, world, scratch) = unsafe { (&mut *frame, &*(*frame).world, &mut *(*frame).scratch) };
    let Some(code) = world.program.function(FnId(function as u32)) else { return 0 };
    let Some(op) = code.ops.get(pc as usize) else { return 0 };
    let base = scratch.registers.len();
    scratch.registers.resize(base + code.registers.len(), 0);
    let mut next = 0;
    op.for_each_read(|reg| {
        // SAFETY: point 4: native code wrote one value for each read.
        let value = unsafe { *values.add(next) };
        set(scratch, base + usize::from(reg), value);
        next += 1;
    });
    scratch.depth += level as u32 + 1;
    scratch.fuel = frame.fuel;
    world.pure_op(scratch, base, op, &code.registers);
    frame.fuel = scratch.fuel;
    scratch.depth -= level as u32 + 1;
    let result = op.destination().map_or(0, |reg| get(scratch, base, reg));
    scratch.registers.truncate(base);
    result
}

/// The address of the items of a list; stores their number in the frame.
extern "C" fn list(frame: *mut NativeFrame, handle: i64) -> *const i32 {
    // SAFETY: as in `execute`.
    let (frame, scratch) = unsafe { (&mut *frame, &*(*frame).scratch) };
    let items = scratch.list(handle);
    frame.list_length = items.len() as u64;
    items.as_ptr()
}

/// Creates an empty list.
extern "C" fn new_list(frame: *mut NativeFrame) -> i64 {
    // SAFETY: as in `execute`.
    unsafe { (*(*frame).scratch).new_list() }
}

/// Appends to a list that is not being iterated over.
extern "C" fn push(frame: *mut NativeFrame, handle: i64, item: i64) {
    // SAFETY: as in `execute`.
    let scratch = unsafe { &mut *(*frame).scratch };
    if let Some(list) = scratch.list_mut(handle) {
        list.push(item as i32);
    }
}

/// The number of lists in use.
extern "C" fn mark(frame: *mut NativeFrame) -> i64 {
    // SAFETY: as in `execute`.
    unsafe { (*(*frame).scratch).mark() as i64 }
}

/// Frees the lists created since a mark.
extern "C" fn release(frame: *mut NativeFrame, mark: i64) {
    // SAFETY: as in `execute`.
    unsafe { (*(*frame).scratch).release(mark as usize) }
}

/// The helper functions that native code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    Execute,
    ExecuteUnary,
    List,
    NewList,
    Push,
    Mark,
    Release,
}

impl Helper {
    /// The address of the function.
    pub fn address(self) -> i64 {
        (match self {
            Self::Execute => execute as *const () as usize,
            Self::ExecuteUnary => execute_unary as *const () as usize,
            Self::List => list as *const () as usize,
            Self::NewList => new_list as *const () as usize,
            Self::Push => push as *const () as usize,
            Self::Mark => mark as *const () as usize,
            Self::Release => release as *const () as usize,
        }) as i64
    }

    /// The signature of the function: all parameters and results are 64-bit words.
    pub fn signature(self, mut signature: Signature) -> Signature {
        let (params, results) = match self {
            Self::Execute | Self::ExecuteUnary => (3, 1),
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

/// Owner of the memory of native code.
pub(super) struct Module {
    inner: Option<JITModule>,
}

impl Module {
    /// Creates an empty module. Returns `None` if Cranelift does not support the machine, or if words do not have 64 bits.
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

    /// The module, for defining functions.
    pub fn get(&mut self) -> Option<&mut JITModule> {
        self.inner.as_mut()
    }

    /// Makes the function defined as `id` executable. It must have been generated for states that meet `conditions`.
    pub fn finish(&mut self, id: cranelift_module::FuncId, needs: EntryConditions) -> Option<NativeFunction> {
        let module = self.inner.as_mut()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(id);
        // SAFETY: point 1: the function was defined with this signature and calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Some(NativeFunction { entry, conditions: needs })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(module) = self.inner.take() {
            // SAFETY: point 1: every owner that could enter the code holds an `Arc` of this module.
            unsafe { module.free_memory() }
        }
    }
}
