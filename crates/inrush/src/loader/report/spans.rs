//! The spans of a load for `tracing`, and its events within them.
//!
//! ```text
//! inrush.load                 all of it                                            info
//!   inrush.load.open          target, method, first connection, ledger             debug
//!   inrush.load.sort          rows in the order of the key, before any is sent     debug
//!     inrush.load.sort.read   sources -> runs in files
//!     inrush.load.sort.merge  runs -> as many as can be read at once
//!   inrush.load.prepare       the table made, emptied, its indexes dropped         debug
//!   inrush.load.chunk         one transaction, with its retries                    debug
//!   inrush.load.finish        the end of the jobs, indexes, swap                   debug
//! ```
//!
//! Invariant: no span and no event has a value of a row or the text of a statement, and so none has a server's message. Without the
//! feature `tracing` all of this is nothing.

#[cfg(feature = "tracing")]
pub(crate) use on::{ChunkSpan, LoadSpan, StepSpan, event};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{ChunkSpan, LoadSpan, StepSpan, event};

#[cfg(feature = "tracing")]
mod on {
    use crate::Config;
    use crate::loader::options::LoadOptions;
    use crate::loader::report::counters::ChunkOutcome;
    use crate::loader::report::event::LoadEvent;
    use crate::table::TableName;
    use crate::trace::{Context, fail, server};
    use inrush_core::load::report::{Records, Report, Stop};
    use inrush_core::write::Method;
    use inrush_core::{Error, Kind, Result};
    use std::cell::Cell;
    use tracing::span::EnteredSpan;
    use tracing::{Span, debug_span, field, info_span};

    /// The span of a whole load.
    #[derive(Clone)]
    pub(crate) struct LoadSpan(Context);

    impl LoadSpan {
        pub(crate) fn begin(config: &Config, table: &str, options: &LoadOptions) -> Self {
            let span = info_span!(
                "inrush.load",
                otel.kind = "internal",
                otel.status_code = field::Empty,
                server.address = &*server(config).0,
                server.port = server(config).1,
                db.system.name = field::Empty,
                db.namespace = field::Empty,
                db.collection.name = field::Empty,
                db.response.status_code = field::Empty,
                error.type = field::Empty,
                inrush.job = options.job.as_ref().map(|job| job.name()),
                inrush.job.part = options.job.as_ref().and_then(|job| job.part_name()),
                inrush.mode = options.mode.name(),
                inrush.guarantee = options.guarantee.name(),
                inrush.method = field::Empty,
                inrush.rows.read = field::Empty,
                inrush.rows.stored = field::Empty,
                inrush.rows.resumed = field::Empty,
                inrush.rows.skipped = field::Empty,
                inrush.rows.rejected = field::Empty,
                inrush.rows.not_loaded = field::Empty,
                inrush.rows.unknown = field::Empty,
                inrush.bytes = field::Empty,
                inrush.chunks = field::Empty,
                inrush.retries = field::Empty,
                inrush.lanes = field::Empty,
            );
            if !span.is_disabled()
                && let Ok(name) = TableName::parse(table).and_then(|name| name.in_schema(config.database()))
            {
                span.record("db.namespace", name.schema);
                span.record("db.collection.name", name.name);
            }
            Self(Context::of(span))
        }

        /// Runs the work within the span, in any thread.
        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            self.0.within(work)
        }

        /// The target is known: what the server is.
        pub(crate) fn opened(&self, family: &str) {
            self.0.span().record("db.system.name", family);
        }

        pub(crate) fn end(&self, end: &Result<Report>) {
            let span = self.0.span();
            if span.is_disabled() {
                return;
            }
            let report = match end {
                Ok(report) => report,
                Err(error) => return fail(span, error),
            };
            span.record("inrush.method", report.method.name());
            span.record("inrush.rows.read", report.read);
            span.record("inrush.rows.stored", report.stored);
            span.record("inrush.rows.resumed", report.resumed.rows);
            span.record("inrush.rows.skipped", report.skipped);
            span.record("inrush.rows.rejected", report.rejected);
            span.record("inrush.rows.not_loaded", report.not_loaded);
            span.record("inrush.rows.unknown", report.unknown);
            span.record("inrush.bytes", report.bytes);
            span.record("inrush.chunks", report.chunks);
            span.record("inrush.retries", report.retries.iter().map(|retry| retry.times).sum::<u64>());
            span.record("inrush.lanes", report.lanes);
            if let Some(stop) = &report.stop {
                stopped(span, stop);
            }
        }
    }

    fn stopped(span: &Span, stop: &Stop) {
        match stop {
            Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => fail(span, error),
            Stop::Interrupted => fail(span, &Error::new(Kind::Interrupted, "")),
        }
    }

    /// The span of a step, which is current until [`StepSpan::end`] or until it is dropped.
    pub(crate) struct StepSpan(EnteredSpan);

    impl StepSpan {
        pub(crate) fn open() -> Self {
            Self(debug_span!("inrush.load.open").entered())
        }

        pub(crate) fn sort() -> Self {
            Self(
                debug_span!("inrush.load.sort", inrush.rows.read = field::Empty, inrush.sort.runs = field::Empty)
                    .entered(),
            )
        }

        pub(crate) fn sort_read() -> Self {
            Self(debug_span!("inrush.load.sort.read").entered())
        }

        pub(crate) fn sort_merge() -> Self {
            Self(debug_span!("inrush.load.sort.merge").entered())
        }

        pub(crate) fn prepare() -> Self {
            Self(debug_span!("inrush.load.prepare").entered())
        }

        pub(crate) fn finish() -> Self {
            Self(debug_span!("inrush.load.finish").entered())
        }

        /// What a sort came to.
        pub(crate) fn sorted(&self, records: u64, runs: usize) {
            self.0.record("inrush.rows.read", records);
            self.0.record("inrush.sort.runs", runs);
        }

        pub(crate) fn end(self) {}
    }

    /// The span of a transaction that stores a chunk, or a part of one that was too large.
    pub(crate) struct ChunkSpan {
        span: Span,
        n_retries: Cell<u64>,
    }

    impl ChunkSpan {
        /// `lane` and `number` are counted from 0.
        pub(crate) fn begin(
            lane: usize,
            number: u64,
            bytes: u64,
            method: Method,
            records: impl FnOnce() -> Records,
        ) -> Self {
            let span = debug_span!(
                "inrush.load.chunk",
                otel.kind = "client",
                otel.status_code = field::Empty,
                db.operation.batch.size = field::Empty,
                db.response.status_code = field::Empty,
                error.type = field::Empty,
                inrush.lane = lane + 1,
                inrush.chunk = number + 1,
                inrush.bytes = bytes,
                inrush.method = method.name(),
                inrush.source = field::Empty,
                inrush.records.first = field::Empty,
                inrush.records.last = field::Empty,
                inrush.rows.stored = field::Empty,
                inrush.rows.skipped = field::Empty,
                inrush.rows.rejected = field::Empty,
                inrush.retries = field::Empty,
            );
            if !span.is_disabled() {
                let records = records();
                span.record("db.operation.batch.size", records.count());
                span.record("inrush.source", &*records.source);
                span.record("inrush.records.first", records.first);
                span.record("inrush.records.last", records.last);
            }
            Self { span, n_retries: Cell::new(0) }
        }

        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            self.span.in_scope(work)
        }

        /// It is tried again, after an error.
        pub(crate) fn retried(&self) {
            self.n_retries.set(self.n_retries.get() + 1);
        }

        /// The transaction's outcome; `rejected` records were left out before it.
        pub(crate) fn end(&self, outcome: &ChunkOutcome, rejected: usize) {
            match outcome {
                ChunkOutcome::Stored { counted, rejects } => {
                    self.span.record("inrush.rows.stored", counted.stored);
                    self.span.record("inrush.rows.skipped", counted.skipped);
                    self.span.record("inrush.rows.rejected", rejected + rejects.len());
                }
                ChunkOutcome::NotStored(None) => stopped(&self.span, &Stop::Interrupted),
                ChunkOutcome::NotStored(Some(stop)) => stopped(&self.span, stop),
                ChunkOutcome::Unknown(error) => fail(&self.span, error),
            }
            self.span.record("inrush.retries", self.n_retries.get());
        }

        /// The server refused it for its size; its halves follow.
        pub(crate) fn too_large(&self, error: &Error) {
            fail(&self.span, error);
        }
    }

    /// An event whose names have dots, which the macros of `tracing` take in braces only behind a target.
    macro_rules! emit {
        ($level:ident, $message:literal, $($field:tt)*) => {
            tracing::$level!(target: "inrush::load", { $($field)* }, $message)
        };
    }

    /// An event of the load, within the current span. Events that only repeat what spans have are left out, and so are statements.
    pub(crate) fn event(event: &LoadEvent) {
        match event {
            LoadEvent::Retry { lane, place, code, pause, .. } => emit!(
                warn,
                "a chunk is tried again",
                inrush.lane = lane,
                inrush.source = &*place.source,
                inrush.line = place.line,
                db.response.status_code = status(*code),
                inrush.pause_seconds = pause.as_secs_f64()
            ),
            LoadEvent::RetryStep { what, code, pause, .. } => emit!(
                warn,
                "a step is tried again",
                inrush.step = what,
                db.response.status_code = status(*code),
                inrush.pause_seconds = pause.as_secs_f64()
            ),
            LoadEvent::Shrunk { bytes, .. } => {
                emit!(warn, "transactions of this size are too large for the server", inrush.bytes = bytes);
            }
            LoadEvent::FewerLanes { lanes, .. } => {
                emit!(warn, "the server accepts no more connections", inrush.lanes = lanes);
            }
            LoadEvent::Silent { lane, waiting_for, seconds, .. } => emit!(
                warn,
                "the server does not answer",
                inrush.lane = lane,
                inrush.waiting_for = waiting_for,
                inrush.waited_seconds = seconds
            ),
            LoadEvent::ThrottleUnread { waits, .. } => {
                emit!(warn, "what the load yields to cannot be read", inrush.waits = waits);
            }
            LoadEvent::ShortOfMemory { enough, .. } => {
                emit!(warn, "lanes have nothing to do for lack of memory", inrush.memory.enough = enough);
            }
            LoadEvent::Method(choice) => emit!(info, "the write method", inrush.method = choice.method.name()),
            LoadEvent::Yields { .. } => {
                emit!(
                    info,
                    "the load waits, because the server has too much to do or a replica lags",
                    inrush.waits = true
                );
            }
            LoadEvent::Yielded { times, waited, .. } => {
                emit!(
                    info,
                    "the load has waited",
                    inrush.waits = false,
                    inrush.times = times,
                    inrush.waited_seconds = waited.as_secs_f64()
                )
            }
            LoadEvent::Continues { waited } => {
                emit!(info, "the load continues", inrush.waits = false, inrush.waited_seconds = waited.as_secs_f64())
            }
            LoadEvent::WaitsForOlderRun { seconds } => {
                emit!(info, "the load waits for another run of the same job", inrush.waited_seconds = seconds);
            }
            LoadEvent::AlreadyLoaded { source, .. } => {
                emit!(info, "an earlier run has loaded this source", inrush.source = &**source);
            }
            LoadEvent::AlreadyUndone { source, .. } => {
                emit!(info, "an earlier run has undone the load of this source", inrush.source = &**source);
            }
            LoadEvent::Resumed { source, rows, chunks, .. } => emit!(
                info,
                "an earlier run has stored a part of this source",
                inrush.source = &**source,
                inrush.rows.resumed = rows,
                inrush.chunks = chunks
            ),
            LoadEvent::Rejected(reject) => emit!(
                debug,
                "a record is rejected",
                inrush.source = &*reject.place.source,
                inrush.line = reject.place.line,
                inrush.column = reject.place.column.as_deref(),
                db.response.status_code = status(reject.code)
            ),
            _ => {}
        }
    }

    /// The server's error code as the conventions have it; `None` where there is none.
    fn status(code: u16) -> Option<String> {
        (code > 0).then(|| code.to_string())
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::Config;
    use crate::loader::options::LoadOptions;
    use crate::loader::report::counters::ChunkOutcome;
    use crate::loader::report::event::LoadEvent;
    use inrush_core::load::report::{Records, Report};
    use inrush_core::write::Method;
    use inrush_core::{Error, Result};

    /// Has no effect.
    #[derive(Clone)]
    pub(crate) struct LoadSpan;

    impl LoadSpan {
        #[inline(always)]
        pub(crate) fn begin(_: &Config, _: &str, _: &LoadOptions) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }

        #[inline(always)]
        pub(crate) fn opened(&self, _: &str) {}

        #[inline(always)]
        pub(crate) fn end(&self, _: &Result<Report>) {}
    }

    /// Has no effect.
    pub(crate) struct StepSpan;

    impl StepSpan {
        #[inline(always)]
        pub(crate) fn open() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn sort() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn sort_read() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn sort_merge() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn prepare() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn finish() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn sorted(&self, _: u64, _: usize) {}

        #[inline(always)]
        pub(crate) fn end(self) {}
    }

    /// Has no effect.
    pub(crate) struct ChunkSpan;

    impl ChunkSpan {
        #[inline(always)]
        pub(crate) fn begin(_: usize, _: u64, _: u64, _: Method, _: impl FnOnce() -> Records) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }

        #[inline(always)]
        pub(crate) fn retried(&self) {}

        #[inline(always)]
        pub(crate) fn end(&self, _: &ChunkOutcome, _: usize) {}

        #[inline(always)]
        pub(crate) fn too_large(&self, _: &Error) {}
    }

    #[inline(always)]
    pub(crate) fn event(_: &LoadEvent) {}
}
