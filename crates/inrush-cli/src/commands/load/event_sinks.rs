//! What a load says while it runs: each event to the event file, the metrics, the progress and, if people should read it, standard error.

use super::metrics::TableMetrics;
use super::progress::Gauge;
use super::repeats::Repeats;
use crate::Output;
use inrush::documents::Events;
use inrush::{FrontEnd, LoadEvent};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Where the events of a load go.
pub(super) struct EventSinks {
    output: Output,
    events: Events,
    gauge: Gauge,
    metrics: Option<Arc<TableMetrics>>,
    repeats: Mutex<Repeats>,
    began: Instant,
    has_method: AtomicBool,
}

impl EventSinks {
    /// For a load that begins now.
    pub(super) fn new(output: Output, events: Events, gauge: Gauge, metrics: Option<Arc<TableMetrics>>) -> Self {
        Self {
            output,
            events,
            gauge,
            metrics,
            repeats: Mutex::default(),
            began: Instant::now(),
            has_method: AtomicBool::default(),
        }
    }

    /// Takes one, from any thread.
    pub(super) fn take(&self, event: &LoadEvent) {
        self.events.write_event(event);
        if let Some(metrics) = &self.metrics {
            metrics.take(event);
        }
        if let LoadEvent::AlreadyLoaded { source, .. } | LoadEvent::AlreadyUndone { source, .. } = event {
            self.gauge.leave_out(source);
        }
        match event {
            // The report contains them.
            LoadEvent::Stored(_)
            | LoadEvent::Rejected(_)
            | LoadEvent::AlreadyLoaded { .. }
            | LoadEvent::AlreadyUndone { .. } => {}
            LoadEvent::Tuned(tuned) => self.output.detail(&tuned.to_string()),
            // The summary names the method. It does not say that another one was tried first.
            LoadEvent::Method(_) if !self.has_method.swap(true, Relaxed) => {
                self.output.detail(&event.in_words(FrontEnd::Command))
            }
            event => {
                let mut repeats = self.repeats.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(suffix) = repeats.pass(event, self.began.elapsed()) {
                    self.output.notice(&format!("{}{suffix}", event.in_words(FrontEnd::Command)));
                }
            }
        }
    }
}
