//! What a load says while it runs: each notice to the events, the progress and, if people should read it, standard error.

use super::progress::Gauge;
use super::repeats::Repeats;
use crate::Output;
use inrush::documents::Events;
use inrush::{FrontEnd, Notice};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Where the notices of a load go.
pub(super) struct Notices {
    output: Output,
    events: Events,
    gauge: Gauge,
    repeats: Mutex<Repeats>,
    began: Instant,
    has_method: AtomicBool,
}

impl Notices {
    /// For a load that begins now.
    pub(super) fn new(output: Output, events: Events, gauge: Gauge) -> Self {
        Self {
            output,
            events,
            gauge,
            repeats: Mutex::default(),
            began: Instant::now(),
            has_method: AtomicBool::default(),
        }
    }

    /// Takes one, from any thread.
    pub(super) fn take(&self, notice: &Notice) {
        self.events.write_event(notice);
        if let Notice::AlreadyLoaded { source, .. } = notice {
            self.gauge.leave_out(source);
        }
        match notice {
            // The report contains them.
            Notice::Stored(_) | Notice::Rejected(_) | Notice::AlreadyLoaded { .. } => {}
            Notice::Tuned(tuned) => self.output.detail(&tuned.to_string()),
            // The summary names the method. It does not say that another one was tried first.
            Notice::Method(_) if !self.has_method.swap(true, Relaxed) => {
                self.output.detail(&notice.in_words(FrontEnd::Command))
            }
            notice => {
                let mut repeats = self.repeats.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(suffix) = repeats.pass(notice, self.began.elapsed()) {
                    self.output.notice(&format!("{}{suffix}", notice.in_words(FrontEnd::Command)));
                }
            }
        }
    }
}
