//! Spans for `tracing`: what is in them, what is not, and what is slow.

use crate::cases::everywhere;
use crate::twins::with_twin;
use inrush::{PoolOptions, TransactionOptions, blocking};
use inrush_testkit::patience::patience;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

/// Keeps all spans and events.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Vec<Seen>>>);

#[derive(Clone, Default)]
struct Seen {
    name: String,
    fields: BTreeMap<String, String>,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl Subscriber for Book {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("inrush")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut seen = Seen { name: span.metadata().name().to_owned(), ..Seen::default() };
        span.record(&mut seen);
        let mut all = self.0.lock().unwrap();
        all.push(seen);
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut self.0.lock().unwrap()[span.into_u64() as usize - 1]);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut seen = Seen { name: event.metadata().target().to_owned(), ..Seen::default() };
        event.record(&mut seen);
        self.0.lock().unwrap().push(seen);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Book {
    fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// The names of what was seen, each with the value of a field.
fn shown(seen: &[Seen], field: &str) -> Vec<String> {
    let one = |seen: &Seen| format!("{} {}", seen.name, seen.fields.get(field).map_or("-", |value| value));
    seen.iter().map(one).collect()
}

#[test]
fn each_verb_has_a_span_with_the_names_of_the_conventions() {
    everywhere(|case| {
        let schema = case.server.schema("traces");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))");
        let book = Book::default();
        with_default(book.clone(), || {
            with_twin!(case, case.config().with_database(schema.name()), connection => {
                let seen = book.take();
                assert_eq!(shown(&seen, "db.system.name"), ["inrush.connect mysql"]);
                assert_eq!(seen[0].fields["db.namespace"], schema.name());
                assert!(seen[0].fields.contains_key("server.address"));

                wait!(connection.execute("INSERT INTO t VALUES (?, ?)", (1, "secret"))).unwrap();
                let seen = book.take();
                assert_eq!(shown(&seen, "db.query.text"), ["inrush.statement INSERT INTO t VALUES (?, ?)"]);
                assert_eq!(seen[0].fields["otel.name"], "INSERT");
                assert_eq!(seen[0].fields["db.system.name"], connection.session().profile().family);

                wait!(connection.query::<String>("SELECT v FROM t WHERE v = 'secret'", ())).unwrap();
                let mut rows = wait!(connection.query_iter("select 'secret'", ())).unwrap();
                while wait!(rows.next_as::<String>()).unwrap().is_some() {}
                drop(rows);
                let seen = book.take();
                assert_eq!(shown(&seen, "otel.name"), ["inrush.statement SELECT", "inrush.statement select"]);
                assert!(seen.iter().all(|seen| !seen.fields.contains_key("db.query.text")), "values are in these texts");

                let error = wait!(connection.execute("INSERT INTO t VALUES (?, ?)", (1, "again"))).unwrap_err();
                let seen = book.take();
                assert_eq!(shown(&seen, "db.response.status_code"), [format!("inrush.statement {}", error.code())]);
                assert_eq!(seen[0].fields["error.type"], "Server");

                let batch = "INSERT INTO t VALUES (?, ?)";
                wait!(connection.execute_batch(batch, &[(2, "secret"), (3, "secret")])).unwrap();
                let seen = book.take();
                let spans: Vec<_> = shown(&seen, "db.operation.batch.size");
                assert!(spans.contains(&"inrush.batch 2".to_owned()), "{spans:?}");
                let all: Vec<_> = seen.iter().flat_map(|seen| seen.fields.values()).collect();
                assert!(!all.iter().any(|value| value.contains("secret")), "{all:?}");
            });
        });
    });
}

#[test]
fn a_pool_its_transactions_and_what_is_slow() {
    everywhere(|case| {
        let book = Book::default();
        with_default(book.clone(), || {
            let config = case.config().with_pool(PoolOptions::new().with_max(1));
            let config = config.with_log_text(true).with_log_slower_than(Some(Duration::from_millis(50)));
            let pool = blocking::Pool::new(config).unwrap();
            let options = TransactionOptions::new();
            pool.transaction_with(&options, |tx| tx.query_one::<i64>("SELECT SLEEP(0.06)", ())).unwrap();
            let seen = book.take();
            let mut names: Vec<_> = seen.iter().map(|seen| seen.name.as_str()).collect();
            names.retain(|name| !name.starts_with("inrush::slow") && *name != "inrush.connect");
            assert_eq!(names, ["inrush.acquire", "inrush.transaction", "inrush.statement"]);
            let texts = shown(&seen, "db.query.text");
            assert!(texts.contains(&"inrush.statement SELECT SLEEP(0.06)".to_owned()), "{texts:?}");
            let slow = shown(&seen, "message");
            for what in ["a statement", "a transaction"] {
                let want = format!("inrush::slow {what} took longer than `log-slower-than`");
                assert!(slow.contains(&want), "{slow:?}");
            }
            let config = case.config().with_log_slower_than(Some(patience()));
            blocking::Pool::new(config).unwrap().execute("DO 1", ()).unwrap();
            assert!(book.take().iter().all(|seen| seen.name != "inrush::slow"));
        });
    });
}
