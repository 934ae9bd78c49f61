//! Progress of a load: a bar on a terminal, a line now and then elsewhere, nothing under `--quiet` or `--json`.

use crate::{Output, human};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inrush::{Control, Snapshot};
use inrush_files::Meter;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A thread that shows how far a load is.
pub(crate) struct Progress {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts to show.
    pub(crate) fn start(control: Arc<Control>, meters: Vec<Arc<Meter>>, output: &Output) -> Self {
        if !output.shows_progress() {
            return Self { over: None, thread: None };
        }
        let (over, is_over) = channel::<()>();
        let output = output.clone();
        let thread = std::thread::spawn(move || {
            let bar = output.is_terminal().then(|| bar(&meters));
            if let Some(bar) = &bar {
                output.set_bar(Some(bar.clone()));
            }
            let every = if bar.is_some() { REDRAW_EVERY } else { LINE_EVERY };
            while is_over.recv_timeout(every).is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Timeout) {
                let read: u64 = meters.iter().map(|meter| meter.bytes_read()).sum();
                let text = line(control.snapshot(), control.elapsed());
                match &bar {
                    Some(bar) => {
                        bar.set_position(read);
                        bar.set_message(text);
                    }
                    None => output.notice(&format!("{}{text}", share(read, total(&meters)))),
                }
            }
            if let Some(bar) = bar {
                output.set_bar(None);
                bar.finish_and_clear();
            }
        });
        Self { over: Some(over), thread: Some(thread) }
    }

    /// Stops showing; the terminal's line is free again when this returns.
    pub(crate) fn finish(mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

const REDRAW_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

fn bar(meters: &[Arc<Meter>]) -> ProgressBar {
    let (bar, template) = match total(meters) {
        Some(total) => (ProgressBar::new(total), "{percent:>3}% {bar:30} {msg}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    // The template is a constant, so it is always valid; the fallback is a plain bar.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// Bytes of all sources, if all are known.
fn total(meters: &[Arc<Meter>]) -> Option<u64> {
    meters.iter().map(|meter| meter.total()).sum()
}

fn share(read: u64, total: Option<u64>) -> String {
    match total {
        Some(total) if total > 0 => format!("{}%: ", read * 100 / total),
        _ => String::new(),
    }
}

pub(super) fn line(done: Snapshot, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rejected = match done.rejected {
        0 => String::new(),
        n => format!(", {} rejected", human::exact(n)),
    };
    format!(
        "{} rows stored{rejected}, {} rows/s, {} read, {}/s, {}",
        human::exact(done.stored),
        human::short(done.stored as f64 / seconds),
        human::bytes(done.bytes as f64),
        human::bytes(done.bytes as f64 / seconds),
        human::counted(done.lanes as u64, "lane"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_rows_rate_and_bytes() {
        let done = Snapshot { stored: 1_200_000, rejected: 3, bytes: 84_000_000, lanes: 2, ..Snapshot::default() };
        assert_eq!(
            line(done, Duration::from_secs(4)),
            "1,200,000 rows stored, 3 rejected, 300 k rows/s, 84 MB read, 21 MB/s, 2 lanes"
        );
    }

    #[test]
    fn a_share_needs_a_total() {
        assert_eq!(share(50, Some(200)), "25%: ");
        assert_eq!(share(50, None), "");
        assert_eq!(share(0, Some(0)), "");
    }
}
