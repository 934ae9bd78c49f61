//! The progress of pressure while it runs: on a terminal a curve that is redrawn every second, elsewhere a line a second. The text is
//! made of the arguments only, so it is separate from the output.

use crate::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inrush_bench::histogram::Latencies;
use inrush_bench::pressure::{Now, Until};
use inrush_bench::results::Tick;
use inrush_core::human;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where it is shown; clones show in the same place.
#[derive(Clone)]
pub(super) struct View {
    output: Output,
    bar: Arc<Mutex<Option<ProgressBar>>>,
}

impl View {
    pub(super) fn new(output: &Output) -> Self {
        Self { output: output.clone(), bar: Arc::default() }
    }

    /// Shows it.
    pub(super) fn show(&self, now: &Now<'_>) {
        if !self.output.shows_progress() {
            return;
        }
        if !self.output.is_terminal() {
            self.output.notice(&line(now));
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_draw_target(ProgressDrawTarget::stderr());
            // The template is a constant, so it cannot be wrong at run time; a plain bar is what is left if it were.
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            self.output.set_bar(Some(bar.clone()));
            bar
        });
        bar.set_message(screen(now));
        bar.tick();
    }

    /// The terminal's lines are free again.
    pub(super) fn clear(&self) {
        if self.bar.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            self.output.set_bar(None);
        }
    }
}

/// `connections / 10: 12 s of 60 s, 9,800 rows/s, p50 0.9 ms, p99 3.1 ms, 2 errors (1213: 2)`, of the last second.
fn line(now: &Now<'_>) -> String {
    let tick = last_second(now);
    let errors = match errors(now) {
        text if text.is_empty() => String::new(),
        text => format!(", {} errors ({text})", human::exact(now.total.n_errors())),
    };
    let latency = match now.latest.latency.count() {
        0 => String::new(),
        _ => format!(", p50 {}, p99 {}", at(&now.latest.latency, 0.5), at(&now.latest.latency, 0.99)),
    };
    format!("{}: {}, {} rows/s{latency}{errors}", now.case, how_far(now), human::exact(tick.rows))
}

/// Some lines for a terminal.
fn screen(now: &Now<'_>) -> String {
    let curve = now.total.curve();
    // The current second is incomplete.
    let whole = &curve[..curve.len().min(now.elapsed.as_secs() as usize)];
    let shown = &whole[whole.len().saturating_sub(WIDTH)..];
    let most = shown.iter().map(|tick| tick.rows).max().unwrap_or(0);
    let bars: String = shown.iter().map(|tick| bar_of(tick.rows, most)).collect();
    let percentiles = |latencies: &Latencies| match latencies.count() {
        0 => "-".to_owned(),
        _ => SHARES.map(|(name, share)| format!("{name} {}", at(latencies, share))).join("  "),
    };
    let errors = match errors(now) {
        text if text.is_empty() => "none".to_owned(),
        text => text,
    };
    [
        format!("{}  {}", now.case, how_far(now)),
        format!("rows/s   {bars}  {} (most {})", human::exact(last_second(now).rows), human::exact(most)),
        format!("second   {}", percentiles(&now.latest.latency)),
        format!("all      {}", percentiles(&now.total.latency)),
        format!("stored   {}", human::exact(now.total.stored())),
        format!("errors   {errors}"),
    ]
    .join("\n")
}

/// The last second that is over.
fn last_second(now: &Now<'_>) -> Tick {
    let second = now.elapsed.as_secs().saturating_sub(1) as u32;
    now.total.ticks.get(&second).copied().unwrap_or_default()
}

fn how_far(now: &Now<'_>) -> String {
    let seconds = |time: Duration| time.as_secs();
    let ramp = if now.elapsed < now.ramp_up { " (ramp-up)" } else { "" };
    match now.until {
        Until::For(length) => format!("{} s of {} s{ramp}", seconds(now.elapsed), seconds(now.ramp_up + length)),
        Until::Rows(rows) => {
            format!("{} s, {} of {} rows{ramp}", seconds(now.elapsed), human::exact(now.total.done), human::exact(rows))
        }
    }
}

/// `1213: 4, timeout: 1`.
fn errors(now: &Now<'_>) -> String {
    let counts = now.total.errors.iter().map(|(code, n)| format!("{code}: {}", human::exact(*n)));
    counts.collect::<Vec<_>>().join(", ")
}

fn at(latencies: &Latencies, share: f64) -> String {
    let ms = latencies.quantile(share).as_secs_f64() * 1e3;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

/// Each step is an eighth of the height; a value above zero is always visible.
fn bar_of(rows: u64, most: u64) -> char {
    match rows {
        0 => ' ',
        _ => BARS[((rows * 8).div_ceil(most.max(1)).clamp(1, 8) - 1) as usize],
    }
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Seconds of the curve.
const WIDTH: usize = 50;

const SHARES: [(&str, f64); 5] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_bench::counters::Counters;
    use inrush_core::Error;

    fn counters() -> Counters {
        let mut counters = Counters::default();
        for (second, rows) in [(0, 400), (1, 800), (2, 100), (3, 7)] {
            counters.answered(Duration::from_millis(second * 1000 + 500), rows);
            counters.counts(rows, Duration::from_nanos(900_000));
        }
        counters
    }

    fn now<'a>(counters: &'a Counters, until: Until) -> Now<'a> {
        let (elapsed, ramp_up) = (Duration::from_millis(3010), Duration::from_secs(2));
        Now { case: "connections / 10", elapsed, until, ramp_up, latest: counters, total: counters }
    }

    #[test]
    fn a_line_a_second() {
        let mut counters = counters();
        let length = Until::For(Duration::from_secs(10));
        assert_eq!(
            line(&now(&counters, length)),
            "connections / 10: 3 s of 12 s, 100 rows/s, p50 0.90 ms, p99 0.90 ms"
        );
        counters.failed(Duration::from_secs(3), &Error::server(1213, *b"40001", "deadlock"), 2);
        assert!(line(&now(&counters, length)).ends_with(", 2 errors (1213: 2)"));
        assert!(line(&now(&counters, Until::Rows(5000))).contains(": 3 s, 1,307 of 5,000 rows, 100 rows/s"));
        assert_eq!(line(&now(&Counters::default(), length)), "connections / 10: 3 s of 12 s, 0 rows/s");
    }

    #[test]
    fn a_validator() {
        let counters = counters();
        let shown = screen(&now(&counters, Until::For(Duration::from_secs(10))));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "connections / 10  3 s of 12 s");
        assert_eq!(lines[1], "rows/s   ▄█▁  100 (most 800)");
        assert!(lines[2].starts_with("second   p50 0.90 ms  p95 0.90 ms"), "{shown}");
        assert_eq!((lines[4], lines[5]), ("stored   1,307", "errors   none"));
        assert_eq!(screen(&now(&Counters::default(), Until::Rows(1))).lines().count(), 6);
    }

    #[test]
    fn bars_are_seen() {
        let bars: String = [0, 1, 100, 101, 400, 799, 800].map(|rows| bar_of(rows, 800)).iter().collect();
        assert_eq!(bars, " ▁▁▂▄██");
        assert_eq!(bar_of(0, 0), ' ');
    }
}
