//! The time that the processor spent on the running thread, so that rates do not depend on who else uses the machine.

use std::time::{Duration, Instant};

/// Shorter times are told by the clock on the wall: the system counts the processor's in steps of some milliseconds.
const SHORT: Duration = Duration::from_millis(100);

/// Runs from its start.
pub struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    /// Starts.
    pub fn start() -> Self {
        Self { wall: Instant::now(), processor: processor() }
    }

    /// The processor's time since the start where the system tells it, else the wall's.
    pub fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed();
        let spent = self.processor.zip(processor()).map(|(from, to)| to.saturating_sub(from));
        spent.filter(|spent| wall >= SHORT && *spent >= wall / 50).unwrap_or(wall)
    }

    /// The time on the wall since the start.
    pub fn wall(&self) -> Duration {
        self.wall.elapsed()
    }
}

/// What the running thread has had of the processor.
fn processor() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
