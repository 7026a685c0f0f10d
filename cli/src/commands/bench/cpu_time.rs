//! A clock for the CPU time of the running thread, so that rates do not depend on other processes. Wall time where the system does not
//! report it.

use std::time::{Duration, Instant};

/// Shorter intervals are measured in wall time, because the system counts CPU time in steps of some milliseconds.
const MIN_CPU_INTERVAL: Duration = Duration::from_millis(100);

/// A running clock.
pub struct Clock {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    /// Starts a clock.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: thread_cpu_time() }
    }

    /// The CPU time since the start, else the wall time: if the system does not report CPU time, or for intervals below
    /// [`MIN_CPU_INTERVAL`], or if the CPU time is below 2 % of the wall time.
    pub fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed();
        let spent = self.cpu.zip(thread_cpu_time()).map(|(from, to)| to.saturating_sub(from));
        spent.filter(|spent| wall >= MIN_CPU_INTERVAL && *spent >= wall / 50).unwrap_or(wall)
    }

    /// The wall time since the start.
    pub fn wall(&self) -> Duration {
        self.wall.elapsed()
    }
}

/// The CPU time of the running thread (Linux only).
fn thread_cpu_time() -> Option<Duration> {
    let stats = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stats.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
