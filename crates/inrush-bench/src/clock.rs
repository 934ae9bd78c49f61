//! Measures the elapsed time, and the processor time of client and server.

use crate::facts::ServerProcess;
use crate::meter::Written;
use crate::results::Sample;
use std::time::{Duration, Instant};

/// Runs from when it is made.
#[derive(Debug)]
pub(crate) struct Clock {
    server: Option<ServerProcess>,
    server_cpu: Option<Duration>,
    cpu: Duration,
    start: Instant,
}

impl Clock {
    /// `server` is the server's process, if it is visible.
    pub(crate) fn start(server: Option<&ServerProcess>) -> Self {
        Self {
            server_cpu: server.and_then(ServerProcess::cpu),
            server: server.cloned(),
            cpu: process_cpu(),
            start: Instant::now(),
        }
    }

    /// When it was started.
    pub(crate) fn started(&self) -> Instant {
        self.start
    }

    /// A sample with times only.
    pub(crate) fn stop(self) -> Sample {
        self.written(0, false).sample()
    }

    /// Stops the clock after `rows` rows were stored.
    pub(crate) fn written(self, rows: u64, cut: bool) -> Written {
        let took = self.start.elapsed();
        let client_cpu = process_cpu().saturating_sub(self.cpu);
        let now = self.server.as_ref().and_then(ServerProcess::cpu);
        let server_cpu = now.zip(self.server_cpu).map(|(now, then)| now.saturating_sub(then));
        Written { took, client_cpu, server_cpu, rows, cut, bytes: None }
    }
}

/// The processor time of all threads of this process.
fn process_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
