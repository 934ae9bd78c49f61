//! What a load says of itself: events, counters, rejected rows, spans.

pub(crate) mod counters;
pub(crate) mod event;
pub(crate) mod rejects;
pub(crate) mod spans;
