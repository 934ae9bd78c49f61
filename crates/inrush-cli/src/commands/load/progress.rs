//! Progress of a load: a line that is replaced on a terminal, a line now and then elsewhere, nothing under `--quiet`. It goes to standard
//! error, so that `--json` has it too.

use super::pace::{Moment, Pace, Standing};
use crate::Output;
use crate::wrap::{columns, cut};
use inrush::{Control, Snapshot};
use inrush_core::human;
use inrush_files::Meter;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The progress of a load. Clones show the same load.
#[derive(Clone)]
pub(super) struct Gauge(Arc<Shared>);

struct Shared {
    control: Arc<Control>,
    /// What is done to a row: `stored`, `updated`, `checked`.
    verb: &'static str,
    state: Mutex<State>,
}

struct State {
    /// The sources that are read, by name.
    meters: Vec<(String, Arc<Meter>)>,
    /// Whether a source is read to its end.
    reads_all: bool,
    pace: Pace,
}

impl Gauge {
    /// Of a load that does `verb` to rows. `reads_all`: each source is read to its end.
    pub(super) fn new(
        control: Arc<Control>,
        meters: Vec<(String, Arc<Meter>)>,
        verb: &'static str,
        reads_all: bool,
    ) -> Self {
        let state = Mutex::new(State { meters, reads_all, pace: Pace::default() });
        let gauge = Self(Arc::new(Shared { control, verb, state }));
        // The first moment, before there is anything to measure.
        gauge.parts();
        gauge
    }

    /// Nothing of this source is loaded: an earlier run did.
    pub(super) fn leave_out(&self, source: &str) {
        self.state().meters.retain(|(name, _)| name != source);
    }

    /// The parts of the line of this moment, the most important first.
    pub(super) fn parts(&self) -> Vec<String> {
        let mut state = self.state();
        let read = state.meters.iter().map(|(_, meter)| meter.bytes_read()).sum();
        let total = state.meters.iter().map(|(_, meter)| meter.total()).sum();
        let (done, at) = (self.0.control.snapshot(), self.0.control.elapsed());
        let total = if state.reads_all { total } else { None };
        let standing = state.pace.take(&Moment { at, done, read, total });
        parts(&done, &standing, self.0.verb)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that shows how far a load is.
pub(super) struct Progress {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts to show.
    pub(super) fn start(gauge: Gauge, output: &Output) -> Self {
        let (over, is_over) = channel::<()>();
        let output = output.clone();
        let thread = std::thread::spawn(move || {
            let is_terminal = output.shows_progress() && output.is_terminal();
            let every = if is_terminal { REDRAW_EVERY } else { MEASURE_EVERY };
            let mut n_measured = 0;
            // Also where nothing is shown: a rate needs moments.
            while is_over.recv_timeout(every).is_err_and(|e| e == RecvTimeoutError::Timeout) {
                let parts = gauge.parts();
                n_measured += 1;
                if is_terminal {
                    output.set_line(Some(&fitted(&parts, width())));
                } else if output.shows_progress() && n_measured % LINES_EVERY == 0 {
                    output.notice(&parts.join(", "));
                }
            }
            output.set_line(None);
        });
        Self { over: Some(over), thread: Some(thread) }
    }
}

impl Drop for Progress {
    /// Stops showing; the terminal's line is free again when this returns.
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

const REDRAW_EVERY: Duration = Duration::from_millis(100);
const MEASURE_EVERY: Duration = Duration::from_secs(1);
/// Every tenth measurement is a line.
const LINES_EVERY: u32 = 10;

/// Shorter waits for others are not shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// The columns that a line may have. The terminal shows `^C` after it, perhaps twice, and the cursor takes one.
fn width() -> usize {
    Output::message_width().unwrap_or(Output::FILE_WIDTH).saturating_sub(5)
}

/// What a line says, the most important first.
fn parts(done: &Snapshot, standing: &Standing, verb: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let percent = standing.percent.map_or(String::new(), |percent| format!("{percent}%: "));
    let rows = human::counted(done.stored, "row");
    let sorting = || format!("{percent}sorting, {} read", human::counted(done.gathered, "record"));
    parts.push(match standing.has_begun {
        false if done.gathered > 0 => sorting(),
        true => format!("{percent}{rows} {verb}"),
        false if done.resumed > 0 => format!("{percent}{rows} {verb} by earlier runs"),
        false => "preparing".to_owned(),
    });
    if let Some(quiet) = standing.stalled {
        parts.push(format!("none since {}", human::whole_time(quiet)));
    }
    // A replica that is slow makes a load wait for a moment again and again.
    if done.yields_for.is_some_and(|yields_for| yields_for >= SHOWN_AFTER) {
        parts.push("waiting for others".to_owned());
    } else if done.yielded >= SHOWN_AFTER {
        parts.push(format!("waited {} for others", human::whole_time(done.yielded)));
    }
    if standing.is_ending {
        parts.push("finishing".to_owned());
    }
    parts.extend(standing.left.map(|left| format!("{} left", human::whole_time(left))));
    if done.rejected > 0 {
        parts.push(format!("{} rejected", human::exact(done.rejected)));
    }
    if let Some((rows, bytes)) = standing.rates.filter(|_| standing.stalled.is_none() && !standing.is_ending) {
        parts.push(format!("{} rows/s", human::short(rows)));
        parts.push(format!("{}/s", human::bytes(bytes)));
    }
    if done.lanes > 0 {
        parts.push(human::counted(done.lanes as u64, "lane"));
    }
    parts
}

/// The first parts that fit into a line together.
fn fitted(parts: &[String], width: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let joint = if line.is_empty() { "" } else { ", " };
        if !line.is_empty() && columns(&line) + joint.len() + columns(part) > width {
            break;
        }
        line += joint;
        line += part;
    }
    cut(&line, width).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Snapshot = Snapshot {
        read: 0,
        stored: 1_200_000,
        skipped: 0,
        rejected: 3,
        bytes: 84_000_000,
        settled_bytes: 0,
        left: None,
        resumed: 0,
        gathered: 0,
        chunks: 0,
        lanes: 2,
        yielded: Duration::ZERO,
        yields_for: None,
    };

    fn running() -> Standing {
        Standing {
            percent: Some(42),
            rates: Some((300e3, 21e6)),
            left: Some(Duration::from_millis(64_200)),
            has_begun: true,
            ..Standing::default()
        }
    }

    #[track_caller]
    fn check(done: Snapshot, standing: Standing, want: &str) {
        assert_eq!(parts(&done, &standing, "stored").join(", "), want);
    }

    #[test]
    fn a_line_says_share_rows_time_left_and_rates() {
        let want = "42%: 1,200,000 rows stored, 1 min 5 s left, 3 rejected, 300 k rows/s, 21 MB/s, 2 lanes";
        check(DONE, running(), want);
        let unknown = Standing { percent: None, left: None, ..running() };
        check(DONE, unknown, "1,200,000 rows stored, 3 rejected, 300 k rows/s, 21 MB/s, 2 lanes");
    }
    #[test]
    fn what_is_not_known_is_not_said() {
        check(Snapshot::default(), Standing::default(), "preparing");
        let resumed = Snapshot { stored: 7, resumed: 7, ..Snapshot::default() };
        let compares = Standing { percent: Some(9), ..Standing::default() };
        check(resumed, compares, "9%: 7 rows stored by earlier runs");
        let stalled = Standing { stalled: Some(Duration::from_secs(12)), left: None, ..running() };
        check(DONE, stalled, "42%: 1,200,000 rows stored, none since 12 s, 3 rejected, 2 lanes");
        let ending = Standing { percent: Some(100), is_ending: true, left: None, ..running() };
        check(DONE, ending, "100%: 1,200,000 rows stored, finishing, 3 rejected, 2 lanes");
    }
    #[test]
    fn a_load_that_yields_says_so() {
        let line = |waited: &str| {
            format!("42%: 1,200,000 rows stored, {waited}1 min 5 s left, 3 rejected, 300 k rows/s, 21 MB/s, 2 lanes")
        };
        let yields = |before, now: Option<u64>| Snapshot {
            yielded: Duration::from_millis(before),
            yields_for: now.map(Duration::from_millis),
            ..DONE
        };
        check(yields(400, None), running(), &line(""));
        check(yields(31_200, None), running(), &line("waited 32 s for others, "));
        check(yields(31_200, Some(300)), running(), &line("waited 32 s for others, "));
        check(yields(31_200, Some(1000)), running(), &line("waiting for others, "));
    }
    #[test]
    fn a_sort_says_what_it_has_read() {
        let sorting = Snapshot { gathered: 500, lanes: 0, ..Snapshot::default() };
        let standing = Standing { percent: Some(42), rates: Some((300e3, 21e6)), ..Standing::default() };
        check(sorting, standing, "42%: sorting, 500 records read, 300 k rows/s, 21 MB/s");
    }
    #[test]
    fn a_narrow_terminal_gets_the_most_important_parts() {
        let parts = parts(&DONE, &running(), "stored");
        let whole = parts.join(", ");
        assert_eq!(fitted(&parts, 100), whole);
        assert_eq!(fitted(&parts, 75), "42%: 1,200,000 rows stored, 1 min 5 s left, 3 rejected, 300 k rows/s");
        assert_eq!(fitted(&parts, 30), "42%: 1,200,000 rows stored");
        assert_eq!(fitted(&parts, 10), "42%: 1,200");
        for width in 0..100 {
            assert!(columns(&fitted(&parts, width)) <= width, "{width}");
        }
    }
}
