use super::*;
use crate::PoolOptions;
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
    fn float(&self, name: &str) -> f64 {
        f64::from_bits(self.0.lock().unwrap()[name].load(Ordering::Relaxed))
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
    let config = Config::new().with_host("db").with_database("shop").with_password("hunter2");
    let config = config.with_pool(PoolOptions::new().with_min(2).with_max(7));
    let book = Book::default();
    let meters = metrics::with_local_recorder(&book, || Meters::new(&config));
    meters.created(Duration::from_millis(250));
    meters.created(Duration::from_millis(500));
    meters.returned();
    meters.pending(1.0);
    meters.waited_for(Duration::from_secs(2));
    meters.used_for(Duration::from_secs(3));
    meters.timed_out();
    let pool = " db.client.connection.pool.name=db:3306/shop";
    let named = |name: &str| book.float(&format!("db.client.connection.{name}{pool}"));
    let state =
        |state: &str| book.float(&format!("db.client.connection.count{pool} db.client.connection.state={state}"));
    assert_eq!((named("max"), named("idle.max"), named("idle.min")), (7.0, 7.0, 2.0));
    assert_eq!((state("used"), state("idle"), named("pending_requests")), (1.0, 1.0, 1.0));
    assert_eq!((named("create_time"), named("wait_time"), named("use_time")), (0.5, 2.0, 3.0));
    let timeouts = format!("db.client.connection.timeouts{pool}");
    assert_eq!(book.0.lock().unwrap()[&timeouts].load(Ordering::Relaxed), 1);
    assert!(!book.0.lock().unwrap().keys().any(|key| key.contains("hunter2")));
}

#[test]
fn nobody_needs_to_listen() {
    let meters = Meters::new(&Config::new());
    meters.created(Duration::ZERO);
    meters.lent_idle();
}
