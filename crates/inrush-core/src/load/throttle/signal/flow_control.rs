//! Galera's flow control: the share of the time in which this node waited for a slower one, since the last reading.

use super::{Rules, Unit, percent};

pub(super) const RULES: Rules = Rules {
    name: "flow-control",
    unit: Unit::Percent,
    variables: &[PAUSED],
    query: None,
    value: |now, before| {
        let total = now.get(PAUSED)?;
        let time = now.at.saturating_sub(before.at).as_nanos() as f64;
        // Of a first reading, and of a node that has started again, no share is known.
        let paused = total - before.get(PAUSED).unwrap_or(total);
        Some(percent(paused.max(0.0), time).unwrap_or(0.0))
    },
};

const PAUSED: &str = "wsrep_flow_control_paused_ns";
