//! What a load says of itself: events, counters, rejected rows.

pub(crate) mod counters;
pub(crate) mod event;
pub(crate) mod rejects;
