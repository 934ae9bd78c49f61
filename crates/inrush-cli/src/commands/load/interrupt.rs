//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second cuts the connections.

use crate::Output;
use inrush::Control;
use inrush_core::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Listens until it is dropped.
pub(crate) struct Watch {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

/// Starts to listen.
pub(crate) fn watch(control: Arc<Control>, output: Output) -> Result<Watch> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|e| Error::io("cannot listen for signals", e))?;
    let handle = signals.handle();
    let thread = std::thread::spawn(move || {
        for (count, _) in signals.forever().enumerate() {
            if count == 0 {
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

impl Drop for Watch {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
