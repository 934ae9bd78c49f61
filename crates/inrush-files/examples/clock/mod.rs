//! What the examples measure by.

use std::time::Duration;

/// Processor time of this thread: other work on the machine disturbs it less than the clock on the wall.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
