//! Spans for `tracing`, with the names of OpenTelemetry's conventions for databases; and warnings for what was slow.
//!
//! | span | covers |
//! |---|---|
//! | `inrush.connect` | connecting and logging in |
//! | `inrush.acquire` | waiting for a connection of a pool |
//! | `inrush.statement` | a query or an execution, up to its end; one whose rows are read one by one, up to their beginning |
//! | `inrush.batch` | one statement for many rows |
//! | `inrush.transaction` | one run of a closure in a transaction, with BEGIN and COMMIT |
//!
//! A span has the text of a statement only if its values are apart from the text, or if [`Config::with_log_text`] allows it; no span has
//! values. Without the feature `tracing` all of this is nothing. The spans of a load are made in `loader/report/spans.rs`.

#[cfg(feature = "tracing")]
pub(crate) use on::{Context, Trace, fail, server};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{Context, Trace};

#[cfg(feature = "tracing")]
mod on {
    use crate::{Config, Error, Result};
    use inrush_core::session::Session;
    use std::borrow::Cow;
    use std::time::{Duration, Instant};
    use tracing::dispatcher::{self, Dispatch};
    use tracing::subscriber::NoSubscriber;
    use tracing::{Instrument as _, Span, field};

    /// A span; `limit` has its start and the time after which it is slow.
    pub(crate) struct Trace {
        span: Span,
        limit: Option<(Instant, Duration)>,
        what: &'static str,
    }

    /// A span with the fields of all spans: the server, and the fields for an error.
    macro_rules! span {
        ($name:literal, $kind:literal, $config:expr, $($fields:tt)*) => {{
            let (address, port) = server($config);
            tracing::debug_span!(
                $name,
                otel.kind = $kind,
                otel.status_code = field::Empty,
                server.address = &*address,
                server.port = port,
                db.response.status_code = field::Empty,
                error.type = field::Empty,
                $($fields)*
            )
        }};
    }

    impl Trace {
        pub(crate) fn connect(config: &Config) -> Self {
            let database = config.database();
            let span = span!("inrush.connect", "client", config, db.system.name = "mysql", db.namespace = database);
            Self::new(span, config, "connecting")
        }

        pub(crate) fn acquire(config: &Config) -> Self {
            let database = config.database();
            let span = span!("inrush.acquire", "internal", config, db.system.name = "mysql", db.namespace = database);
            Self::new(span, config, "waiting for a connection of the pool")
        }

        /// `has_values`: the values are apart from the text.
        pub(crate) fn statement(config: &Config, session: &Session, sql: &[u8], has_values: bool) -> Self {
            let operation = operation(sql);
            let span = span!(
                "inrush.statement",
                "client",
                config,
                otel.name = operation,
                db.system.name = session.profile().family,
                db.namespace = session.schema(),
                db.operation.name = operation,
                db.query.text = text(config, sql, has_values).as_deref(),
            );
            Self::new(span, config, "a statement")
        }

        pub(crate) fn batch(config: &Config, session: &Session, sql: &[u8], n_rows: usize) -> Self {
            let operation = operation(sql);
            let span = span!(
                "inrush.batch",
                "client",
                config,
                otel.name = operation,
                db.system.name = session.profile().family,
                db.namespace = session.schema(),
                db.operation.name = operation,
                db.operation.batch.size = n_rows,
                db.query.text = text(config, sql, true).as_deref(),
            );
            Self::new(span, config, "a batch")
        }

        pub(crate) fn transaction(config: &Config, session: &Session) -> Self {
            let (family, schema) = (session.profile().family, session.schema());
            let span = span!("inrush.transaction", "internal", config, db.system.name = family, db.namespace = schema);
            Self::new(span, config, "a transaction")
        }

        fn new(span: Span, config: &Config, what: &'static str) -> Self {
            let limit = config.log_slower_than.map(|limit| (Instant::now(), limit));
            Self { span, limit, what }
        }

        /// Runs the work within the span, and ends it.
        pub(crate) fn within<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
            let end = self.around(work);
            self.end(end.as_ref().err());
            end
        }

        /// The same for a task.
        pub(crate) async fn follow<T>(self, work: impl Future<Output = Result<T>>) -> Result<T> {
            let end = self.along(work).await;
            self.end(end.as_ref().err());
            end
        }

        /// Runs the work within the span. [`Trace::end`] ends it.
        pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
            self.span.in_scope(work)
        }

        /// The same for a task.
        pub(crate) fn along<F: Future>(&self, work: F) -> impl Future<Output = F::Output> {
            work.instrument(self.span.clone())
        }

        /// Ends the span, with this error if there is one.
        pub(crate) fn end(self, error: Option<&Error>) {
            if let Some(error) = error {
                fail(&self.span, error);
            }
            if let Some((start, limit)) = self.limit
                && start.elapsed() >= limit
            {
                let seconds = start.elapsed().as_secs_f64();
                self.span.in_scope(|| tracing::warn!(target: "inrush::slow", seconds, "{} took longer than `log-slower-than`", self.what));
            }
        }
    }

    /// The span that is current in a thread, and the subscriber there: for other threads that do a part of the same work.
    #[derive(Clone)]
    pub(crate) struct Context {
        span: Span,
        subscriber: Dispatch,
    }

    impl Context {
        pub(crate) fn current() -> Self {
            Self::of(Span::current())
        }

        pub(crate) fn of(span: Span) -> Self {
            Self { span, subscriber: dispatcher::get_default(Clone::clone) }
        }

        pub(crate) fn span(&self) -> &Span {
            &self.span
        }

        /// Runs the work in this thread, within the span.
        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            match self.subscriber.is::<NoSubscriber>() {
                true => work(),
                false => dispatcher::with_default(&self.subscriber, || self.span.in_scope(work)),
            }
        }
    }

    /// Records an error in a span with the fields for it. Neither has a value of a row, which the message may have.
    pub(crate) fn fail(span: &Span, error: &Error) {
        span.record("otel.status_code", "ERROR");
        span.record("error.type", field::debug(error.kind()));
        if error.code() > 0 {
            span.record("db.response.status_code", error.code().to_string());
        }
    }

    pub(crate) fn server(config: &Config) -> (Cow<'_, str>, Option<u16>) {
        match config.socket().filter(|_| config.uses_socket()) {
            Some(path) => (path.to_string_lossy(), None),
            None => (config.host().into(), Some(config.port())),
        }
    }

    /// The operation of the statement: its first word.
    fn operation(sql: &[u8]) -> &str {
        let start = sql.iter().position(|byte| byte.is_ascii_alphabetic()).unwrap_or(sql.len());
        let word = &sql[start..];
        let end = word.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(word.len()).min(LONGEST_WORD);
        std::str::from_utf8(&word[..end]).unwrap_or_default()
    }

    fn text<'s>(config: &Config, sql: &'s [u8], has_values: bool) -> Option<Cow<'s, str>> {
        let shown = &sql[..sql.len().min(LONGEST_TEXT)];
        (has_values || config.log_text).then(|| String::from_utf8_lossy(shown))
    }

    const LONGEST_WORD: usize = 16;

    /// The most text of a statement that a person reads, in bytes.
    const LONGEST_TEXT: usize = 8 << 10;

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_a_statement_does_is_its_first_word() {
            let words = ["SELECT 1", "  insert into t", "(SELECT 1)", "", "/* ?", "SHOW", "a_b"]
                .map(|sql| operation(sql.as_bytes()));
            assert_eq!(words, ["SELECT", "insert", "SELECT", "", "", "SHOW", "a"]);
        }
        #[test]
        fn a_text_is_shown_where_its_values_are_apart() {
            let config = Config::new();
            assert_eq!(text(&config, b"SELECT 'secret'", false), None);
            assert_eq!(text(&config, b"SELECT ?", true).as_deref(), Some("SELECT ?"));
            let config = Config::new().with_log_text(true);
            assert_eq!(text(&config, b"SELECT 'shown'", false).as_deref(), Some("SELECT 'shown'"));
            assert_eq!(text(&config, &[b'x'; 1 << 20], false).unwrap().len(), LONGEST_TEXT);
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::{Config, Error, Result};
    use inrush_core::session::Session;

    /// Has no effect.
    #[derive(Clone)]
    pub(crate) struct Context;

    impl Context {
        #[inline(always)]
        pub(crate) fn current() -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }
    }

    /// Has no effect.
    pub(crate) struct Trace;

    impl Trace {
        #[inline(always)]
        pub(crate) fn connect(_: &Config) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn acquire(_: &Config) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn statement(_: &Config, _: &Session, _: &[u8], _: bool) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn batch(_: &Config, _: &Session, _: &[u8], _: usize) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn transaction(_: &Config, _: &Session) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn within<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
            work()
        }

        #[inline(always)]
        pub(crate) fn follow<F: Future>(self, work: F) -> F {
            work
        }

        #[inline(always)]
        pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }

        #[inline(always)]
        pub(crate) fn along<F: Future>(&self, work: F) -> F {
            work
        }

        #[inline(always)]
        pub(crate) fn end(self, _: Option<&Error>) {}
    }
}
