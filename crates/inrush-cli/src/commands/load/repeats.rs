//! Repeated events (retries, the wait for another run): the first of a kind are printed, then one from time to time with
//! the number of those left out, so that hours of failures do not print too many lines. `--events` has them all.

use inrush::LoadEvent;
use std::collections::BTreeMap;
use std::time::Duration;

/// The printed events of each kind.
#[derive(Debug, Default)]
pub(super) struct Repeats(BTreeMap<Kind, Printed>);

/// Events of one kind differ in their place only.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Retries of one error code of the server.
    Retry(u16),
    Wait,
    Shrunk,
}

#[derive(Debug, Default)]
struct Printed {
    n_printed: u32,
    last: Duration,
    left_out: u64,
}

impl Repeats {
    /// The suffix of this event at `now`, on any clock; `None` if the event is not printed.
    pub(super) fn pass(&mut self, event: &LoadEvent, now: Duration) -> Option<String> {
        let kind = match event {
            LoadEvent::Retry { code, .. } | LoadEvent::RetryStep { code, .. } => Kind::Retry(*code),
            LoadEvent::WaitsForOlderRun { .. } => Kind::Wait,
            LoadEvent::Shrunk { .. } => Kind::Shrunk,
            _ => return Some(String::new()),
        };
        let printed = self.0.entry(kind).or_default();
        if printed.n_printed >= FIRST && now.saturating_sub(printed.last) < EVERY {
            printed.left_out += 1;
            return None;
        }
        printed.n_printed = printed.n_printed.saturating_add(1);
        printed.last = now;
        Some(match std::mem::take(&mut printed.left_out) {
            0 => String::new(),
            1 => " (1 more like it)".into(),
            n => format!(" ({n} more like it)"),
        })
    }
}

/// The first events of a kind, which are all printed.
const FIRST: u32 = 3;
/// Later, at most one event of a kind is printed in this time.
const EVERY: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(code: u16) -> LoadEvent {
        LoadEvent::RetryStep { what: "it", code, message: "no".into(), pause: Duration::ZERO }
    }

    #[test]
    fn a_flood_is_a_line_from_time_to_time() {
        let mut repeats = Repeats::default();
        let mut printed = Vec::new();
        for ms in 0..60_000 {
            printed.extend(repeats.pass(&retry(0), Duration::from_millis(ms)));
        }
        assert_eq!(printed.len(), 8);
        assert_eq!((printed[2].as_str(), printed[3].as_str()), ("", " (9999 more like it)"));
    }

    #[test]
    fn each_kind_for_itself() {
        let mut repeats = Repeats::default();
        for _ in 0..100 {
            repeats.pass(&retry(0), Duration::ZERO);
        }
        assert_eq!(repeats.pass(&retry(1213), Duration::ZERO), Some(String::new()));
        assert_eq!(repeats.pass(&LoadEvent::Swapped, Duration::ZERO), Some(String::new()));
    }
}
