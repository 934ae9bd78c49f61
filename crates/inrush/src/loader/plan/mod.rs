//! What a load will do, decided before its first row: its target, its sources' columns, its mode, its order, its sizes.

pub(crate) mod modes;
pub(crate) mod run_lock;
pub(crate) mod sort_plan;
pub(crate) mod source_plan;
pub(crate) mod target;
pub(crate) mod tuning;
