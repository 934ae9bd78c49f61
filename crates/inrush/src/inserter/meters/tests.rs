use super::*;
use metrics::{HistogramFn, Recorder};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Keeps what is recorded: name and labels, and the value's bits.
#[derive(Default)]
struct Book(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

/// Keeps the last value.
struct Last(Arc<AtomicU64>);

impl HistogramFn for Last {
    fn record(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Book {
    fn line(&self, key: &Key) -> Arc<AtomicU64> {
        let labels: Vec<_> = key.labels().map(|label| format!(" {}={}", label.key(), label.value())).collect();
        Arc::clone(self.0.lock().unwrap().entry(format!("{}{}", key.name(), labels.concat())).or_default())
    }

    #[track_caller]
    fn bits(&self, name: &str) -> u64 {
        self.0.lock().unwrap()[name].load(Ordering::Relaxed)
    }
}

impl Recorder for Book {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.line(key))
    }
    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.line(key))
    }
    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Last(self.line(key))))
    }
}

#[test]
fn names_and_values() {
    let book = Book::default();
    let meters = metrics::with_local_recorder(&book, || Meters::new("people"));
    meters.queued(5);
    meters.taken(3, Duration::from_millis(250));
    meters.given_up(1);
    meters.written(Duration::from_secs(2));
    meters.answered(1, 2, 3);
    meters.retried();
    let float = |name: &str| f64::from_bits(book.bits(&format!("db.client.inserter.{name} db.collection.name=people")));
    assert_eq!((float("queue.rows"), float("batch.rows")), (1.0, 3.0));
    assert_eq!((float("wait_time"), float("write_time")), (0.25, 2.0));
    let rows =
        |outcome: &str| book.bits(&format!("db.client.inserter.rows db.collection.name=people outcome={outcome}"));
    assert_eq!([rows("stored"), rows("failed"), rows("unknown")], [1, 2, 3]);
    assert_eq!(book.bits("db.client.inserter.retries db.collection.name=people"), 1);
}
