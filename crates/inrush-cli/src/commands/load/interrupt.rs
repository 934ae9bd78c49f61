//! Signals: the first Ctrl-C or SIGTERM asks for an orderly end, the second cuts the connections; SIGUSR1 asks how it goes.

use super::progress;
use crate::Output;
use inrush::Control;
use inrush_core::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::{Handle, Signals};
use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Listens until it is dropped.
pub(crate) struct Watch {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

/// Starts to listen.
pub(crate) fn watch(control: Arc<Control>, output: Output) -> Result<Watch> {
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGUSR1]).map_err(|e| Error::io("cannot listen for signals", e))?;
    let handle = signals.handle();
    let thread = std::thread::spawn(move || {
        let mut count = 0;
        for signal in signals.forever() {
            if signal == SIGUSR1 {
                output.notice(&state(&control));
                continue;
            }
            count += 1;
            if count == 1 {
                output.notice("stopping: chunks on their way are finished first; once more stops at once");
                control.stop();
            } else {
                output.notice("stopping at once");
                control.abort();
            }
        }
    });
    Ok(Watch { handle, thread: Some(thread) })
}

/// How it goes, and what each connection waits for.
fn state(control: &Control) -> String {
    let mut text = progress::line(control.snapshot(), control.elapsed());
    for lane in control.waiting() {
        let what = match lane.waits {
            Some((what, since)) => format!("waits for the answer to {what} for {:.1} s", since.as_secs_f64()),
            None => "waits for the next chunk".into(),
        };
        let _ = write!(text, "\nlane {} (connection {}) {what}", lane.lane, lane.connection_id);
    }
    text
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
