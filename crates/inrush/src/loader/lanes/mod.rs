//! A lane: its connection, what it sends and compares, the strict replay of a doubtful chunk, retries, waits for locks and for others.

pub(crate) mod flight;
pub(crate) mod lane;
mod latency;
pub(crate) mod replay;
mod replicas;
pub(crate) mod retry;
pub(crate) mod send;
pub(crate) mod sent;
pub(crate) mod throttle;
pub(crate) mod waits;
pub(crate) mod watch;
