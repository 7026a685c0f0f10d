//! Just-in-time compiler for hot pure functions (feature `jit`): selectors, conditions, counts, sums and their callees.
//!
//! The interpreter counts the operations executed per function. A separate thread compiles hot functions together with their
//! callees (`codegen`, `object_access`, `lists`); later calls enter the native code. Value, fuel and order equal the
//! interpreter's, so the time of compilation does not affect a game.
//! Functions that cannot be compiled, and rare operations, stay in the interpreter. All `unsafe` code is in `native_code`.
//!
//! Native code is entered from `vm/call_tiers.rs` for a single call, and from `vm/optimized/` for one function over many objects.

mod analysis;
mod codegen;
mod lists;
mod native_code;
mod object_access;
#[cfg(test)]
mod tests;

use crate::ir::FnId;
use crate::program::Program;
use crate::vm::eval_context::EvalContext;
use crate::vm::scratch::Scratch;
use cranelift_codegen::ir::AbiParam;
use cranelift_codegen::ir::types::I64;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::Module as _;
use native_code::{Module, NativeFunction, RunResult};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread::JoinHandle;

/// A function is compiled when the interpreter has executed this many operations for each operation of its code. Compiling one
/// operation takes 10 to 20 µs; executing it this often takes more than twice that.
pub const HOT_THRESHOLD: u32 = 12_000;

/// The fixed cost of a compilation, expressed in operations of a large function.
const BASE_OPERATIONS: u32 = 20;

/// After this many bailouts a function is compiled again, into code that handles stale objects.
const MAX_BAILOUTS: u32 = 50;

/// The heat of a function that is never compiled, or whose compilation was requested.
const NEVER_COMPILED: u32 = u32::MAX;

/// The number of entries per chunk of the table.
const CHUNK_LEN: usize = 64;

static IS_DISABLED: AtomicBool = AtomicBool::new(false);

/// Disables compilation in programs that are linked from now on.
pub fn disable() {
    IS_DISABLED.store(true, Ordering::Relaxed);
}

/// When functions are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileMode {
    /// Never.
    Off,
    /// By a separate thread, after this many executed operations for each operation of the function.
    After(u32),
    /// Before their first call.
    Eager,
}

/// A deliberate miscompilation, so that tests can check that they detect one.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InjectedFault {
    #[default]
    None,
    /// `Less` is compiled as `LessEqual`.
    Less,
}

#[derive(Debug, Default)]
struct JitEntry {
    /// The code that bails out when it reads a stale object.
    code: OnceLock<NativeFunction>,
    /// The code that calls the interpreter for stale objects.
    stale_tolerant_code: OnceLock<NativeFunction>,
    /// How often `code` bailed out.
    bailouts: AtomicU32,
    /// The number of operations that the interpreter executed.
    heat: AtomicU32,
    /// The heat at which the function is compiled; 0 before it was computed.
    compile_at: AtomicU32,
}

type EntryChunk = Box<[JitEntry]>;

/// State shared by the compiling thread and the threads that play.
struct SharedCode {
    chunks: OnceLock<Box<[OnceLock<EntryChunk>]>>,
    module: Mutex<Option<(Module, FunctionBuilderContext)>>,
    stop: AtomicBool,
    fault: InjectedFault,
}

struct Worker {
    requests: mpsc::Sender<(FnId, bool)>,
    thread: JoinHandle<()>,
}

/// The native code of a program. A clone starts empty.
pub struct Jit {
    mode: CompileMode,
    shared: Arc<SharedCode>,
    compiler: Arc<Compiler>,
}

/// Owner of the compiling thread, which starts with the first request and ends when the last user of the code is dropped.
struct Compiler {
    shared: Arc<SharedCode>,
    worker: Mutex<Option<Worker>>,
}

impl Jit {
    /// Creates an empty table.
    #[must_use]
    pub fn new(mode: CompileMode, fault: InjectedFault) -> Self {
        let shared = SharedCode { chunks: OnceLock::new(), module: Mutex::new(None), stop: AtomicBool::new(false), fault };
        let shared = Arc::new(shared);
        let compiler = Compiler { shared: Arc::clone(&shared), worker: Mutex::new(None) };
        Self { mode, shared, compiler: Arc::new(compiler) }
    }

    /// The number of compiled functions.
    #[must_use]
    pub fn compiled_count(&self) -> usize {
        let parts = self.shared.chunks.get().into_iter().flatten();
        parts.filter_map(OnceLock::get).flatten().filter(|slot| slot.code.get().is_some()).count()
    }

    /// Whether a function is compiled, or will be when it is called.
    pub(crate) fn is_compiled(&self, id: FnId) -> bool {
        self.mode == CompileMode::Eager || self.entry(id).is_some_and(|slot| slot.code.get().is_some())
    }

    /// A handle to the same native code, for the same program.
    pub(crate) fn clone_shared(&self) -> Self {
        Self { mode: self.mode, shared: Arc::clone(&self.shared), compiler: Arc::clone(&self.compiler) }
    }

    /// The entry of a function, if it was created.
    #[inline]
    fn entry(&self, id: FnId) -> Option<&JitEntry> {
        let part = self.shared.chunks.get()?.get(id.index() / CHUNK_LEN)?.get()?;
        part.get(id.index() % CHUNK_LEN)
    }

    fn request_compilation(&self, program: &Program, id: FnId, handles_stale: bool) {
        if self.mode == CompileMode::Eager {
            self.shared.compile(program, id, handles_stale);
            return;
        }
        let Ok(mut worker) = self.compiler.worker.lock() else { return };
        if worker.is_none() {
            let (orders, taken) = mpsc::channel();
            let shared = Arc::clone(&self.shared);
            let program = program.clone();
            let compile = move || {
                for (id, patient) in taken {
                    if shared.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    shared.compile(&program, id, patient);
                }
            };
            let Ok(thread) = std::thread::Builder::new().name("compiler".to_owned()).spawn(compile) else { return };
            *worker = Some(Worker { requests: orders, thread });
        }
        if let Some(worker) = worker.as_ref() {
            let _ = worker.requests.send((id, handles_stale));
        }
    }
}

impl SharedCode {
    fn entry_or_create(&self, program: &Program, id: FnId) -> Option<&JitEntry> {
        let parts = self.chunks.get_or_init(|| {
            let count = program.library.functions.len().div_ceil(CHUNK_LEN);
            (0..count).map(|_| OnceLock::new()).collect()
        });
        let part = parts.get(id.index() / CHUNK_LEN)?;
        part.get_or_init(|| (0..CHUNK_LEN).map(|_| JitEntry::default()).collect()).get(id.index() % CHUNK_LEN)
    }

    /// Compiles a function, if possible.
    fn compile(&self, program: &Program, id: FnId, handles_stale: bool) {
        let Some(slot) = self.entry_or_create(program, id) else { return };
        slot.heat.store(NEVER_COMPILED, Ordering::Relaxed);
        let Ok(mut module) = self.module.lock() else { return };
        if module.is_none() {
            *module = Module::new().map(|module| (module, FunctionBuilderContext::new()));
        }
        let Some((module, context)) = module.as_mut() else { return };
        if let Some(code) = compile(program, id, self.fault, handles_stale, module, context) {
            let _ = if handles_stale { slot.stale_tolerant_code.set(code) } else { slot.code.set(code) };
        }
    }
}

fn compile(
    program: &Program,
    id: FnId,
    fault: InjectedFault,
    handles_stale: bool,
    module: &mut Module,
    context: &mut FunctionBuilderContext,
) -> Option<NativeFunction> {
    if !analysis::can_inline(program, id, 0) {
        return None;
    }
    let jit = module.get()?;
    let mut cx = jit.make_context();
    cx.func.signature.params.push(AbiParam::new(I64));
    cx.func.signature.returns.push(AbiParam::new(I64));
    let frontend = jit.target_config();
    let Some(needs) = codegen::generate(program, id, fault, handles_stale, &mut cx.func, context, frontend) else {
        // An aborted build leaves the context in use.
        *context = FunctionBuilderContext::new();
        return None;
    };
    let defined = jit.declare_anonymous_function(&cx.func.signature).ok()?;
    jit.define_function(defined, &mut cx).ok()?;
    module.finish(defined, needs)
}

/// Runs a function natively. Returns `None` if the interpreter has to run it.
#[inline]
pub(crate) fn enter(world: &EvalContext<'_>, scratch: &mut Scratch, id: FnId, args: &[i64]) -> Option<i64> {
    let jit = &world.program.jit;
    if let Some(slot) = jit.entry(id)
        && let Some(code) = slot.code.get()
    {
        return run(world, scratch, id, args, slot, code);
    }
    if jit.mode == CompileMode::Eager
        && jit.shared.entry_or_create(world.program, id)?.heat.load(Ordering::Relaxed) != NEVER_COMPILED
    {
        jit.shared.compile(world.program, id, false);
        return enter(world, scratch, id, args);
    }
    None
}

fn run(
    world: &EvalContext<'_>,
    scratch: &mut Scratch,
    id: FnId,
    args: &[i64],
    slot: &JitEntry,
    code: &NativeFunction,
) -> Option<i64> {
    let ran = slot.stale_tolerant_code.get().unwrap_or(code).run(world, scratch, args);
    check_bailout(world.program, id, slot, ran)
}

/// The value of a run, if it completed. Counts bailouts and requests another compilation at [`MAX_BAILOUTS`].
fn check_bailout<T>(program: &Program, id: FnId, slot: &JitEntry, ran: RunResult<T>) -> Option<T> {
    match ran {
        RunResult::Value(value) => Some(value),
        RunResult::BailedOut => {
            let times = slot.bailouts.load(Ordering::Relaxed).saturating_add(1);
            slot.bailouts.store(times, Ordering::Relaxed);
            if times == MAX_BAILOUTS {
                program.jit.request_compilation(program, id, true);
            }
            None
        }
        RunResult::Incompatible => None,
    }
}

/// Runs a function natively for several objects, each in turn its last argument, and writes the results to `values`. Returns
/// whether it did; else the interpreter has to run it.
pub(crate) fn enter_each(
    world: &EvalContext<'_>,
    scratch: &mut Scratch,
    id: FnId,
    args: &mut [i64],
    objects: &[i32],
    values: &mut [i64],
) -> bool {
    let Some(slot) = world.program.jit.entry(id) else { return false };
    let Some(code) = slot.stale_tolerant_code.get().or_else(|| slot.code.get()) else { return false };
    let ran = code.run_each(world, scratch, args, objects, values);
    check_bailout(world.program, id, slot, ran).is_some()
}

/// Records that the interpreter executed operations of a function, and requests its compilation if it became hot.
#[inline]
pub(crate) fn count_executed(program: &Program, id: FnId, operations: u64) {
    let CompileMode::After(hot) = program.jit.mode else { return };
    let Some(slot) = program.jit.shared.entry_or_create(program, id) else { return };
    let heat = slot.heat.load(Ordering::Relaxed);
    if heat == NEVER_COMPILED {
        return;
    }
    let mut limit = slot.compile_at.load(Ordering::Relaxed);
    if limit == 0 {
        limit = analysis::inlined_operations(program, id, 0)
            .map_or(NEVER_COMPILED, |ops| hot.saturating_mul(ops as u32 + BASE_OPERATIONS))
            .clamp(1, NEVER_COMPILED - 1);
        slot.compile_at.store(limit, Ordering::Relaxed);
    }
    let heat = heat.saturating_add(u32::try_from(operations).unwrap_or(limit));
    if heat >= limit {
        slot.heat.store(NEVER_COMPILED, Ordering::Relaxed);
        program.jit.request_compilation(program, id, false);
    } else {
        slot.heat.store(heat, Ordering::Relaxed);
    }
}

impl Default for Jit {
    fn default() -> Self {
        let mode = if IS_DISABLED.load(Ordering::Relaxed) { CompileMode::Off } else { CompileMode::After(HOT_THRESHOLD) };
        Self::new(mode, InjectedFault::None)
    }
}

impl Clone for Jit {
    fn clone(&self) -> Self {
        Self::new(self.mode, self.shared.fault)
    }
}

impl std::fmt::Debug for Jit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Jit({:?}, {} compiled)", self.mode, self.compiled_count())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let worker = self.worker.get_mut().ok().and_then(Option::take);
        if let Some(Worker { requests: orders, thread }) = worker {
            drop(orders);
            let _ = thread.join();
        }
    }
}
