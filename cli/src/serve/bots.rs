//! The pool of threads on which bots search for answers, apart from the threads that answer clients: first come, first served.

use crossbeam_channel::{Sender, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Job = Box<dyn FnOnce() + Send>;

/// The pool.
#[derive(Clone, Debug)]
pub struct BotPool(Sender<Job>);

impl BotPool {
    /// Starts one thread fewer than there are cores, at least one. They end when the pool is dropped.
    #[must_use]
    pub fn start() -> Self {
        let (send, jobs) = unbounded::<Job>();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores.saturating_sub(1).max(1) {
            let jobs = jobs.clone();
            // A thread that does not start leaves the work to the others; without any, bots do not answer.
            let _ = std::thread::Builder::new().name("bots".to_owned()).stack_size(32 << 20).spawn(move || {
                for job in jobs {
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            });
        }
        Self(send)
    }

    /// Adds a job.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        // It fails only if no thread has started.
        let _ = self.0.send(Box::new(job));
    }
}
