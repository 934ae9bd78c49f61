//! What a change brought, from the times of both servers.

/// How many times as fast the work is with the change.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// The median of the turns.
    pub factor: f64,
    /// The least and the greatest of the turns.
    pub range: (f64, f64),
    /// The change: `sync_binlog = 0`.
    pub change: String,
    /// On how many connections.
    pub lanes: usize,
}

impl Gain {
    /// Of the seconds before and after the change, a pair a turn.
    pub(super) fn of(pairs: &[(f64, f64)], change: String, lanes: usize) -> Self {
        let mut ratios: Vec<f64> = pairs.iter().map(|(before, after)| before / after.max(1e-12)).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |n: usize| ratios.get(n).copied().unwrap_or(1.0);
        let last = ratios.len().saturating_sub(1);
        Self { factor: at(ratios.len() / 2), range: (at(0), at(last)), change, lanes }
    }
}
