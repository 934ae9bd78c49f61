//! Whether a server answers commands that are sent before earlier ones are answered. The protocol has no flag for it: all servers
//! do, but some proxies (and Aurora 2) answer only the first and leave the client waiting for ever.
//!
//! The first pipeline to an address sends two pings in one write, on a connection of its own that is thrown away, and
//! remembers for the life of the process whether two answers came.

use crate::{Config, PipelineMode, Result};
use inrush_core::session::pipeline::{Decision, Flight, NextCommand, Pipeline, Reply, Window};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What to do before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipelineStart {
    /// Start the pipeline, with this window.
    Clear(Window),
    /// Find out first.
    Unknown,
}

/// How a pipeline of `n_steps` may be sent (`None`: as many as there will be).
pub(crate) fn way(config: &Config, n_steps: Option<usize>) -> PipelineStart {
    match config.pipeline() {
        _ if n_steps.is_some_and(|n| n <= 1) => PipelineStart::Clear(ONE_BY_ONE),
        PipelineMode::On => PipelineStart::Clear(Window::default()),
        PipelineMode::Off => PipelineStart::Clear(ONE_BY_ONE),
        PipelineMode::Auto => match known().get(&config.address()) {
            Some(can) => PipelineStart::Clear(window(*can)),
            None => PipelineStart::Unknown,
        },
    }
}

/// Whether it is known, without a test, that a flight of two commands is answered.
pub(crate) fn is_clear(config: &Config) -> bool {
    matches!(way(config, None), PipelineStart::Clear(window) if window.n_commands > 1)
}

/// What may be in flight without a test.
pub(crate) fn known_window(config: &Config) -> Window {
    window(is_clear(config))
}

/// The configuration of the connection for the test.
pub(crate) fn config(config: &Config) -> Config {
    let patience = config.read_timeout().map_or(PATIENCE, |limit| limit.min(PATIENCE));
    config.clone().with_read_timeout(Some(patience)).with_write_timeout(Some(patience)).with_pipeline(PipelineMode::On)
}

/// The two pings.
pub(crate) fn two_pings() -> Pipeline<TwoPings> {
    Pipeline::new(TwoPings { n_sent: 0 })
}

/// Records the result: `None`, if the server answered neither those nor a ping before them.
pub(crate) fn conclude(config: &Config, pings: Option<Result<Result<()>>>) -> Window {
    // A server that does not even accept a second connection shows nothing.
    let Some(pings) = pings else { return ONE_BY_ONE };
    let can = matches!(pings, Ok(Ok(())));
    if !can {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            address = config.address(),
            "does not answer two commands in one flight: they are sent one by one"
        );
    }
    known().insert(config.address(), can);
    window(can)
}

/// Sends two pings.
pub(crate) struct TwoPings {
    n_sent: u8,
}

impl Flight for TwoPings {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        self.n_sent += 1;
        if self.n_sent <= 2 { next.ping() } else { next.end() }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        reply.map(drop)
    }
}

fn window(can: bool) -> Window {
    if can { Window::default() } else { ONE_BY_ONE }
}

/// By address: what is learnt about a server holds for all clients that connect to it.
fn known() -> MutexGuard<'static, HashMap<String, bool>> {
    static KNOWN: LazyLock<Mutex<HashMap<String, bool>>> = LazyLock::new(Mutex::default);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One command, one answer.
const ONE_BY_ONE: Window = Window { n_bytes: usize::MAX, n_commands: 1 };
/// How long the second answer may take after the first. A server answers a ping at once.
const PATIENCE: Duration = Duration::from_secs(2);
