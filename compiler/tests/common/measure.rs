#![allow(dead_code, reason = "each test file uses some of the helpers")]
//! Measures the work of the compiler as allocated bytes, on one thread, so that the figures do not depend on the machine.

use fizzle_compiler::{Compilation, SourceFile, compile_with};

/// A compilation and its work.
pub struct Measured {
    /// The result.
    pub compilation: Compilation,
    /// All bytes that were allocated.
    pub bytes: u64,
    /// The greatest number of bytes at one time.
    pub peak: u64,
}

/// Runs on a pool of one thread with the stack that threads have by default.
pub fn on_one_thread<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(2 << 20).build();
    pool.expect("one thread can be created").install(run)
}

/// Compiles files on one thread. Threads for deep nesting are not measured.
pub fn measure(files: Vec<SourceFile>) -> Measured {
    measure_with(files, false)
}

/// As [`measure`], with the rules texts if there are no errors.
pub fn measure_with(files: Vec<SourceFile>, with_texts: bool) -> Measured {
    on_one_thread(move || {
        let mut compilation = None;
        let info = allocation_counter::measure(|| compilation = Some(compile_with(files, with_texts)));
        Measured { compilation: compilation.expect("the closure ran"), bytes: info.bytes_total, peak: info.bytes_max }
    })
}

/// The bytes that a function allocates on one thread.
pub fn allocated(run: impl FnOnce() + Send) -> u64 {
    on_one_thread(|| allocation_counter::measure(run).bytes_total)
}
