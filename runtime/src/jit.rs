//! Native code for hot pure functions (the feature `jit`): selectors, conditions, counts, sums and what they call.
//!
//! The interpreter counts how many operations each function takes; a function that took many is compiled by a thread of its own, with
//! what it calls (`lower`, `object`, `lists`), and entered from then on. Results, fuel and order are the interpreter's, so that it does
//! not matter when that happens. Functions that cannot be compiled, and single operations that are rare, stay with the interpreter.
//! All `unsafe` is in `raw`.

mod analysis;
mod codegen;
mod lists;
mod native_code;
mod object_access;
#[cfg(test)]
mod tests;

use crate::ir::FnId;
use crate::program::Program;
use crate::vm::eval::{EvalContext, Scratch};
use cranelift_codegen::ir::AbiParam;
use cranelift_codegen::ir::types::I64;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::Module as _;
use native_code::{Module, NativeFunction, RunResult};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread::JoinHandle;

/// A function is compiled when the interpreter executed so many operations of it for each that it has: compiling an operation takes
/// 10 to 20 us, executing it so often twice that and more.
pub const HOT: u32 = 12_000;

/// Compiling even the smallest function takes as long as so many operations of a large one.
const BASE: u32 = 20;

/// A function that gives up so often is compiled anew, so that it does not.
const MAX_BAILOUTS: u32 = 50;

/// The count of a function that is never compiled, or already being so.
const SETTLED: u32 = u32::MAX;

/// Functions per part of the table.
const PART: usize = 64;

static OFF: AtomicBool = AtomicBool::new(false);

/// Leaves everything to the interpreter, in programs linked from now on.
pub fn disable() {
    OFF.store(true, Ordering::Relaxed);
}

/// When functions are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileMode {
    /// Never.
    Off,
    /// By a thread of its own, after so many operations for each that the function has.
    After(u32),
    /// Before they are first called.
    Eager,
}

/// A lowering that is wrong on purpose, for the tests of the tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InjectedFault {
    #[default]
    None,
    /// Less is less or equal.
    Less,
}

#[derive(Debug, Default)]
struct JitEntry {
    /// Its code, which gives up when it meets what is gone.
    code: OnceLock<NativeFunction>,
    /// Its code, which does not.
    patient: OnceLock<NativeFunction>,
    /// How often the first gave up.
    bailouts: AtomicU32,
    /// Operations that the interpreter executed.
    heat: AtomicU32,
    /// How many it takes until it is compiled; 0 while nobody asked.
    limit: AtomicU32,
}

type Part = Box<[JitEntry]>;

/// What the compiling thread shares with those who play.
struct Shared {
    parts: OnceLock<Box<[OnceLock<Part>]>>,
    module: Mutex<Option<(Module, FunctionBuilderContext)>>,
    stop: AtomicBool,
    fault: InjectedFault,
}

struct Worker {
    orders: mpsc::Sender<(FnId, bool)>,
    thread: JoinHandle<()>,
}

/// The compiled functions of a program. A copy begins empty.
pub struct Jit {
    mode: CompileMode,
    shared: Arc<Shared>,
    compiler: Arc<Compiler>,
}

/// The thread that compiles, once something is to be compiled. It ends with the last one who plays.
struct Compiler {
    shared: Arc<Shared>,
    worker: Mutex<Option<Worker>>,
}

impl Jit {
    /// Nothing compiled yet.
    #[must_use]
    pub fn new(mode: CompileMode, fault: InjectedFault) -> Self {
        let shared = Shared { parts: OnceLock::new(), module: Mutex::new(None), stop: AtomicBool::new(false), fault };
        let shared = Arc::new(shared);
        let compiler = Compiler { shared: Arc::clone(&shared), worker: Mutex::new(None) };
        Self { mode, shared, compiler: Arc::new(compiler) }
    }

    /// How many functions are compiled.
    #[must_use]
    pub fn compiled(&self) -> usize {
        let parts = self.shared.parts.get().into_iter().flatten();
        parts.filter_map(OnceLock::get).flatten().filter(|slot| slot.code.get().is_some()).count()
    }

    /// Whether a function is compiled, or would be if it were called.
    pub(crate) fn has(&self, id: FnId) -> bool {
        self.mode == CompileMode::Eager || self.slot(id).is_some_and(|slot| slot.code.get().is_some())
    }

    /// The same, for the same program.
    pub(crate) fn shared(&self) -> Self {
        Self { mode: self.mode, shared: Arc::clone(&self.shared), compiler: Arc::clone(&self.compiler) }
    }

    /// What is known of a function, if somebody asked.
    #[inline]
    fn slot(&self, id: FnId) -> Option<&JitEntry> {
        let part = self.shared.parts.get()?.get(id.index() / PART)?.get()?;
        part.get(id.index() % PART)
    }

    fn order(&self, program: &Program, id: FnId, patient: bool) {
        if self.mode == CompileMode::Eager {
            self.shared.compile(program, id, patient);
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
            *worker = Some(Worker { orders, thread });
        }
        if let Some(worker) = worker.as_ref() {
            let _ = worker.orders.send((id, patient));
        }
    }
}

impl Shared {
    fn slot(&self, program: &Program, id: FnId) -> Option<&JitEntry> {
        let parts = self.parts.get_or_init(|| {
            let count = program.library.functions.len().div_ceil(PART);
            (0..count).map(|_| OnceLock::new()).collect()
        });
        let part = parts.get(id.index() / PART)?;
        part.get_or_init(|| (0..PART).map(|_| JitEntry::default()).collect()).get(id.index() % PART)
    }

    /// Compiles a function, if that can be.
    fn compile(&self, program: &Program, id: FnId, patient: bool) {
        let Some(slot) = self.slot(program, id) else { return };
        slot.heat.store(SETTLED, Ordering::Relaxed);
        let Ok(mut module) = self.module.lock() else { return };
        if module.is_none() {
            *module = Module::new().map(|module| (module, FunctionBuilderContext::new()));
        }
        let Some((module, context)) = module.as_mut() else { return };
        if let Some(code) = compile(program, id, self.fault, patient, module, context) {
            let _ = if patient { slot.patient.set(code) } else { slot.code.set(code) };
        }
    }
}

fn compile(
    program: &Program,
    id: FnId,
    fault: InjectedFault,
    patient: bool,
    module: &mut Module,
    context: &mut FunctionBuilderContext,
) -> Option<NativeFunction> {
    if !analysis::fits(program, id, 0) {
        return None;
    }
    let jit = module.get()?;
    let mut cx = jit.make_context();
    cx.func.signature.params.push(AbiParam::new(I64));
    cx.func.signature.returns.push(AbiParam::new(I64));
    let frontend = jit.target_config();
    let Some(needs) = codegen::lower(program, id, fault, patient, &mut cx.func, context, frontend) else {
        // What was begun is left behind with its context.
        *context = FunctionBuilderContext::new();
        return None;
    };
    let defined = jit.declare_anonymous_function(&cx.func.signature).ok()?;
    jit.define_function(defined, &mut cx).ok()?;
    module.finish(defined, needs)
}

/// The value of a function, from its compiled code; nothing when the interpreter has to run it.
#[inline]
pub(crate) fn enter(world: &EvalContext<'_>, scratch: &mut Scratch, id: FnId, args: &[i64]) -> Option<i64> {
    let jit = &world.program.jit;
    if let Some(slot) = jit.slot(id)
        && let Some(code) = slot.code.get()
    {
        return run(world, scratch, id, args, slot, code);
    }
    if jit.mode == CompileMode::Eager && jit.shared.slot(world.program, id)?.heat.load(Ordering::Relaxed) != SETTLED {
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
    let ran = slot.patient.get().unwrap_or(code).run(world, scratch, args);
    value_of(world.program, id, slot, ran)
}

/// What came of it; where it gave up too often, it is compiled anew.
fn value_of<T>(program: &Program, id: FnId, slot: &JitEntry, ran: RunResult<T>) -> Option<T> {
    match ran {
        RunResult::Value(value) => Some(value),
        RunResult::GaveUp => {
            let times = slot.bailouts.load(Ordering::Relaxed).saturating_add(1);
            slot.bailouts.store(times, Ordering::Relaxed);
            if times == MAX_BAILOUTS {
                program.jit.order(program, id, true);
            }
            None
        }
        RunResult::Unfit => None,
    }
}

/// Puts the values of a function for some objects, each in turn its last argument, from its compiled code; false when the interpreter has
/// to run it.
pub(crate) fn enter_each(
    world: &EvalContext<'_>,
    scratch: &mut Scratch,
    id: FnId,
    args: &mut [i64],
    objects: &[i32],
    values: &mut [i64],
) -> bool {
    let Some(slot) = world.program.jit.slot(id) else { return false };
    let Some(code) = slot.patient.get().or_else(|| slot.code.get()) else { return false };
    let ran = code.run_each(world, scratch, args, objects, values);
    value_of(world.program, id, slot, ran).is_some()
}

/// The interpreter executed so many operations of a function.
#[inline]
pub(crate) fn count_executed(program: &Program, id: FnId, operations: u64) {
    let CompileMode::After(hot) = program.jit.mode else { return };
    let Some(slot) = program.jit.shared.slot(program, id) else { return };
    let heat = slot.heat.load(Ordering::Relaxed);
    if heat == SETTLED {
        return;
    }
    let mut limit = slot.limit.load(Ordering::Relaxed);
    if limit == 0 {
        limit = analysis::operations(program, id, 0)
            .map_or(SETTLED, |ops| hot.saturating_mul(ops as u32 + BASE))
            .clamp(1, SETTLED - 1);
        slot.limit.store(limit, Ordering::Relaxed);
    }
    let heat = heat.saturating_add(u32::try_from(operations).unwrap_or(limit));
    if heat >= limit {
        slot.heat.store(SETTLED, Ordering::Relaxed);
        program.jit.order(program, id, false);
    } else {
        slot.heat.store(heat, Ordering::Relaxed);
    }
}

impl Default for Jit {
    fn default() -> Self {
        let mode = if OFF.load(Ordering::Relaxed) { CompileMode::Off } else { CompileMode::After(HOT) };
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
        write!(f, "Jit({:?}, {} compiled)", self.mode, self.compiled())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let worker = self.worker.get_mut().ok().and_then(Option::take);
        if let Some(Worker { orders, thread }) = worker {
            drop(orders);
            let _ = thread.join();
        }
    }
}
