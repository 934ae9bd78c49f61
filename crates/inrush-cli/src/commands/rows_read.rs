//! The progress of commands that read: how many rows so far, and how fast.

use crate::Output;
use crate::wrap::cut;
use inrush_core::human;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A line that is replaced on a terminal, a line now and then elsewhere, until `is_over` is closed.
pub(crate) fn show(is_over: &Receiver<()>, rows: impl Fn() -> u64, output: &Output) {
    if !output.shows_progress() {
        return;
    }
    let is_terminal = output.is_terminal();
    let every = if is_terminal { Duration::from_millis(100) } else { Duration::from_secs(10) };
    let began = Instant::now();
    while is_over.recv_timeout(every).is_err_and(|error| error == RecvTimeoutError::Timeout) {
        let rows = rows();
        let rate = human::short(rows as f64 / began.elapsed().as_secs_f64());
        let line = format!("{} read, {rate} rows/s", human::counted(rows, "row"));
        match is_terminal {
            true => output.set_line(Some(cut(&line, Output::message_width().unwrap_or(Output::FILE_WIDTH)))),
            false => output.notice(&line),
        }
    }
    output.set_line(None);
}
