//! The share of the redo log that a checkpoint must not leave behind: when the log is full, all writes wait.

use super::{Rules, Unit, percent};

pub(super) const RULES: Rules = Rules {
    name: "checkpoint-age",
    unit: Unit::Percent,
    variables: &[AGE, MAX_AGE, LOGICAL_SIZE, CAPACITY],
    query: None,
    value: |now, _| match now.get(AGE) {
        Some(age) => percent(age, now.get(MAX_AGE)?),
        None => percent(now.get(LOGICAL_SIZE)?, now.get(CAPACITY)?),
    },
};

// MariaDB's.
const AGE: &str = "Innodb_checkpoint_age";
const MAX_AGE: &str = "Innodb_checkpoint_max_age";

// MySQL's.
const LOGICAL_SIZE: &str = "Innodb_redo_log_logical_size";
const CAPACITY: &str = "Innodb_redo_log_capacity_resized";
