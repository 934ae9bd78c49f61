//! Signals: the first Ctrl-C or SIGTERM stops the load after the current chunks, the second closes the connections; SIGUSR1 prints the status.
//!
//! While no load is active (files are opened, which may wait for ever for a pipe's other end; the report is printed) a signal ends the
//! process as it would any other. A third signal does the same, for a process that could not end.
//!
//! The program that started this process may not read its output, so any print may wait for ever, also the last one. Therefore signals
//! are handled until the process ends: a handler without a listener would swallow them.

use super::metrics::Metrics;
use super::progress::Gauge;
use crate::{Output, exit};
use inrush::{Control, VerifyControl};
use inrush_core::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fmt::Write as _;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Listens from its start to the end of the process, which has one.
pub(crate) struct Watch {
    /// Prints the messages about signals.
    printer: Option<JoinHandle<()>>,
    state: Arc<Mutex<State>>,
    /// Where its loads are measured.
    metrics: Option<Metrics>,
}

/// What signals are for.
#[derive(Default)]
struct State {
    current: Option<Current>,
    /// The comparison that follows a load, and whether it is to stop.
    comparison: Option<Arc<VerifyControl>>,
    /// When the last load ended.
    ended: Option<Instant>,
    /// Whether there was a signal to stop: then the next load does not begin.
    is_over: bool,
    /// Set where a signal between two loads ends what they are for, and not the process: what is printed then.
    held: Option<&'static str>,
    /// To the printer, until all loads are over. Printing may block, and no signal may wait for that.
    notices: Option<Sender<String>>,
}

/// The running load.
struct Current {
    control: Arc<Control>,
    gauge: Gauge,
    stops: u32,
    aborted: Option<Instant>,
}

/// Marks a load as active, until it is dropped.
pub(crate) struct UnderWay<'a>(&'a Watch);

impl Watch {
    /// Starts to listen.
    pub(crate) fn start(output: Output) -> Result<Self> {
        let mut signals =
            Signals::new([SIGINT, SIGTERM, SIGUSR1]).map_err(|e| Error::io("cannot listen for signals", e))?;
        let (notices, said) = channel::<String>();
        let printing = output.clone();
        let printer = std::thread::spawn(move || said.into_iter().for_each(|notice| printing.notice(&notice)));
        let state = Arc::new(Mutex::new(State { notices: Some(notices), ..State::default() }));
        let shared = state.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let mut state = lock(&shared);
                let was_aborted = state.is_aborted();
                let notice = heed(signal, &mut state, &output);
                if let (Some(notice), Some(notices)) = (notice, &state.notices) {
                    // The printer ends last.
                    let _ = notices.send(notice);
                }
                if state.is_aborted() && !was_aborted {
                    let (shared, output) = (shared.clone(), output.clone());
                    std::thread::spawn(move || end_in_any_case(&shared, &output));
                }
            }
        });
        Ok(Self { printer: Some(printer), state, metrics: None })
    }

    /// The same, and its loads are measured.
    pub(super) fn with_metrics(mut self, metrics: Option<Metrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// Where loads are measured, if they are.
    pub(super) fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// Signals are for this load from now on.
    pub(super) fn of(&self, control: Arc<Control>, gauge: Gauge) -> UnderWay<'_> {
        let mut state = lock(&self.state);
        let stops = u32::from(state.is_over);
        if state.is_over {
            control.stop();
        }
        state.current = Some(Current { control, gauge, stops, aborted: None });
        drop(state);
        UnderWay(self)
    }
}

impl Watch {
    /// From now on the first signal does not end the process: it prints `notice`, the caller asks [`Watch::is_over`], and cleans up.
    pub(crate) fn hold(&self, notice: &'static str) {
        lock(&self.state).held = Some(notice);
    }

    /// The same until it is dropped.
    pub(crate) fn held(&self, notice: &'static str) -> Held<'_> {
        Held { watch: self, before: lock(&self.state).held.replace(notice) }
    }

    /// Whether there was a signal to stop.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }
}

/// Until it is dropped, the first signal does not end the process.
pub(crate) struct Held<'a> {
    watch: &'a Watch,
    before: Option<&'static str>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        lock(&self.watch.state).held = self.before;
    }
}

/// Marks a comparison as active, until it is dropped.
pub(crate) struct Comparing<'a>(&'a Watch);

impl Watch {
    /// Signals are for this comparison from now on: the first one stops it, the second one ends the process.
    pub(crate) fn of_comparison(&self, control: Arc<VerifyControl>) -> Comparing<'_> {
        let mut state = lock(&self.state);
        if state.is_over {
            control.stop();
        }
        state.comparison = Some(control);
        Comparing(self)
    }
}

impl Drop for Comparing<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        (state.comparison, state.ended) = (None, Some(Instant::now()));
    }
}

impl State {
    fn is_aborted(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.aborted.is_some())
    }
}

/// Ends the process if a load that was aborted does not end: it may wait for a connection that is not open yet, or for a disk. Stored
/// rows are in the ledger, as after any other end.
fn end_in_any_case(state: &Mutex<State>, output: &Output) {
    // In many short pauses: a machine that stalls, or that was suspended, takes its time from one of them alone.
    for _ in 0..PAUSES {
        std::thread::sleep(MAY_TAKE / PAUSES);
    }
    // Kept locked until the end: from now on no signal handler treats this load as running.
    let state = lock(state);
    if state.is_aborted() {
        output.drop_progress();
        // It may be standard error that it waits for.
        let (printed, is_printed) = channel();
        let output = output.clone();
        std::thread::spawn(move || {
            output.notice("it does not end by itself: leaving it; what is stored stays, and the same command goes on");
            let _ = printed.send(());
        });
        let _ = is_printed.recv_timeout(MAY_PRINT);
        std::process::exit(exit::INTERRUPTED.into());
    }
}

/// Handles a signal, and prints the status.
fn heed(signal: i32, state: &mut State, output: &Output) -> Option<String> {
    let Some(current) = &mut state.current else {
        // A load that has just ended is to report: the signal was meant for it.
        let reports = state.ended.is_some_and(|ended| ended.elapsed() < MAY_TAKE);
        if let (false, false, Some(comparison)) = (signal == SIGUSR1, state.is_over, &state.comparison) {
            comparison.stop();
            state.is_over = true;
            return Some("stopping: queries on their way are finished first; once more leaves at once".into());
        }
        if let (true, false, Some(notice)) = (signal != SIGUSR1, state.is_over, state.held) {
            state.is_over = true;
            return Some(notice.into());
        }
        if signal != SIGUSR1 && reports && state.held.is_none() {
            state.is_over = true;
        } else if signal != SIGUSR1 {
            // It fails only for unknown signals.
            output.drop_progress();
            let _ = emulate_default_handler(signal);
        }
        return None;
    };
    if signal == SIGUSR1 {
        return Some(described(current));
    }
    current.stops += 1;
    state.is_over |= state.held.is_some();
    if current.stops == 1 {
        current.control.stop();
        return Some("stopping: chunks on their way are finished first; once more stops at once".into());
    }
    match current.aborted {
        None => {
            current.aborted = Some(Instant::now());
            // Before printing, which may block.
            current.control.abort();
            Some("stopping at once".into())
        }
        Some(aborted) => {
            // The report is being printed; a third signal within this time counts as the second.
            if aborted.elapsed() >= MAY_TAKE {
                output.drop_progress();
                let _ = emulate_default_handler(signal);
            }
            None
        }
    }
}

/// How long a load that was aborted may take to report.
const MAY_TAKE: Duration = Duration::from_secs(2);
const PAUSES: u32 = 40;

/// How long the last notice of a process that leaves may take.
const MAY_PRINT: Duration = Duration::from_millis(300);

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The progress, and the wait of each connection.
fn described(current: &Current) -> String {
    let mut text = current.gauge.parts().join(", ");
    for lane in current.control.waiting() {
        let what = match lane.waits {
            Some((what, since)) => format!("waits for the answer to {what} for {:.1} s", since.as_secs_f64()),
            None => "waits for the next chunk".into(),
        };
        let _ = write!(text, "\nlane {} (connection {}) {what}", lane.lane, lane.connection_id);
    }
    text
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        (state.current, state.ended) = (None, Some(Instant::now()));
    }
}

impl Drop for Watch {
    /// Waits until all messages about signals are printed.
    fn drop(&mut self) {
        drop(lock(&self.state).notices.take());
        if let Some(printer) = self.printer.take() {
            let _ = printer.join();
        }
    }
}
