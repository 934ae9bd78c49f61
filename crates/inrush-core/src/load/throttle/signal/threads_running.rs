//! `Threads_running`: threads that run a statement, those of the load included.

use super::{Rules, Unit};

pub(super) const RULES: Rules = Rules {
    name: "threads-running",
    unit: Unit::Number,
    variables: &["Threads_running"],
    query: None,
    value: |now, _| now.get("Threads_running"),
};
