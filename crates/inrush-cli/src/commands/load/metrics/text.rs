//! The text format of Prometheus, version 0.0.4: `# HELP`, `# TYPE`, then a sample a line.
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>

use super::{ChunkTimes, Ended, TableMetrics};
use inrush::Snapshot;
use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

/// The value of a metric for a load; `None` if it is not known.
type ValueOf = fn(&TableMetrics, &Snapshot) -> Option<f64>;

/// Name, help, type, value: those with one value a load.
const METRICS: &[(&str, &str, &str, ValueOf)] = &[
    ("rows_read_total", "Records read from the files.", "counter", |_, done| some(done.read)),
    ("rows_stored_total", "Rows committed by this run; 0 in a dry run.", "counter", |_, done| {
        some(done.stored.saturating_sub(done.resumed))
    }),
    ("rows_resumed", "Rows that earlier runs of the same job had committed.", "gauge", |_, done| some(done.resumed)),
    ("rows_skipped_total", "Rows that the mode left out.", "counter", |_, done| some(done.skipped)),
    ("rows_rejected_total", "Records refused and left out.", "counter", |_, done| some(done.rejected)),
    ("read_bytes_total", "Bytes of text read, decompressed.", "counter", |_, done| some(done.bytes)),
    ("left_bytes", "Bytes of text that are still to be read, about; absent if it is not known.", "gauge", |_, done| {
        done.left.map(|left| left as f64)
    }),
    ("chunks_total", "Transactions committed; 0 in a dry run.", "counter", |_, done| some(done.chunks)),
    ("retries_total", "Chunks and steps that were tried again.", "counter", |load, _| some(load.retries.load(Relaxed))),
    ("lanes", "Connections in use.", "gauge", |_, done| some(done.lanes as u64)),
    (
        "longest_wait_seconds",
        "How long the lane that waits longest has waited for an answer of the server.",
        "gauge",
        |load, _| {
            let waits = load.control.waiting().into_iter().filter_map(|lane| lane.waits);
            Some(waits.map(|(_, waited)| waited.as_secs_f64()).fold(0.0, f64::max))
        },
    ),
    (
        "throttled_seconds_total",
        "How long the load has waited because of --throttle and --max-lag.",
        "counter",
        |load, _| Some(load.control.yielded().as_secs_f64()),
    ),
    ("start_time_seconds", "When the load began, in seconds since 1970.", "gauge", |load, _| Some(unix(load.began))),
    ("end_time_seconds", "When the load ended; absent while it runs.", "gauge", |load, _| {
        load.ended.get().map(|ended| unix(ended.at))
    }),
    (
        "exit_code",
        "How the load ended, as the exit code of a load of this table; absent while it runs.",
        "gauge",
        |load, _| load.ended.get().map(|ended| f64::from(ended.code)),
    ),
];

/// All metrics of a command. Each sample has the label `run`, if there is one.
pub(super) fn of(tables: &[Arc<TableMetrics>], ended: Option<&Ended>, run: Option<&str>) -> String {
    let mut text = String::new();
    let with_run = |labels: &[(&str, &str)]| labels_of(run.map(|run| ("run", run)).iter().chain(labels));
    head(&mut text, "inrush_build_info", "The version of inrush.", "gauge");
    sample(&mut text, "inrush_build_info", &with_run(&[("version", env!("CARGO_PKG_VERSION"))]), 1);
    if let Some(Ended { at, code }) = ended {
        head(&mut text, "inrush_end_time_seconds", "When the command ended; absent while it runs.", "gauge");
        sample(&mut text, "inrush_end_time_seconds", &with_run(&[]), unix(*at));
        head(&mut text, "inrush_exit_code", "How the command ended; absent while it runs.", "gauge");
        sample(&mut text, "inrush_exit_code", &with_run(&[]), code);
    }
    // One snapshot a load, so that its values belong together.
    let loads: Vec<_> =
        tables.iter().map(|load| (load, load.snapshot(), with_run(&[("table", &load.table)]))).collect();
    for (name, help, kind, value) in METRICS {
        let name = format!("inrush_load_{name}");
        head(&mut text, &name, help, kind);
        for (load, done, label) in &loads {
            if let Some(value) = value(load, done) {
                sample(&mut text, &name, label, value);
            }
        }
    }
    let name = "inrush_load_chunk_seconds";
    head(&mut text, name, "From the moment a lane had a chunk to the server's last answer.", "histogram");
    for (load, _, label) in &loads {
        histogram(&mut text, name, label, &load.chunks);
    }
    text
}

fn histogram(text: &mut String, name: &str, label: &str, times: &ChunkTimes) {
    let bounds = ChunkTimes::BOUNDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    let mut sum = 0;
    for (bound, count) in bounds.zip(&times.counts) {
        sum += count.load(Relaxed);
        sample(text, &format!("{name}_bucket"), &format!("{label},le=\"{bound}\""), sum);
    }
    sample(text, &format!("{name}_sum"), label, times.micros.load(Relaxed) as f64 / 1e6);
    sample(text, &format!("{name}_count"), label, sum);
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(text: &mut String, name: &str, labels: &str, value: impl Display) {
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        labels => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}

/// Names and values of labels: in a value a backslash, a quote and a line feed are escaped.
fn labels_of<'a>(labels: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    let escaped = |value: &str| value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect::<Vec<_>>().join(",")
}

fn some(count: u64) -> Option<f64> {
    Some(count as f64)
}

fn unix(at: SystemTime) -> f64 {
    at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use inrush::Control;
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::time::Duration;

    fn load(table: &str) -> Arc<TableMetrics> {
        Arc::new(TableMetrics::new(table.to_owned(), Arc::new(Control::default()), false))
    }

    #[test]
    fn each_sample_belongs_to_the_metric_above_it() {
        let first = load("shop.people");
        first.end(4);
        let text = of(&[first, load("shop.orders")], Some(&Ended { at: UNIX_EPOCH, code: 4 }), None);
        let mut metric = "";
        for line in text.lines() {
            match line.strip_prefix("# TYPE ") {
                Some(rest) => metric = rest.split(' ').next().unwrap(),
                None if line.starts_with("# HELP ") => {}
                None => {
                    let (name, value) = (line.split(['{', ' ']).next().unwrap(), line.rsplit(' ').next().unwrap());
                    assert!(name.starts_with(metric), "{line} is below {metric}");
                    assert!(value.parse::<f64>().is_ok(), "{line}");
                }
            }
        }
        for line in [
            "inrush_exit_code 4",
            "inrush_load_exit_code{table=\"shop.people\"} 4",
            "inrush_load_rows_stored_total{table=\"shop.orders\"} 0",
            "inrush_load_chunk_seconds_bucket{table=\"shop.orders\",le=\"+Inf\"} 0",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in:\n{text}");
        }
        // What is not known is absent, and not 0.
        assert!(!text.contains("inrush_load_exit_code{table=\"shop.orders\"}"), "{text}");
        assert!(!text.contains("left_bytes{"), "{text}");
    }
    #[test]
    fn a_dry_run_commits_nothing() {
        let done = Snapshot { read: 3, stored: 2, rejected: 1, chunks: 1, ..Snapshot::default() };
        for (is_dry_run, want) in [(false, (3, 2, 1, 1)), (true, (3, 0, 1, 0))] {
            let load = TableMetrics::new("t".to_owned(), Arc::new(Control::default()), is_dry_run);
            let got = load.without_dry_run(done);
            assert_eq!((got.read, got.stored, got.rejected, got.chunks), want, "dry run: {is_dry_run}");
        }
    }
    #[test]
    fn a_bucket_contains_those_below_it() {
        let times = ChunkTimes::default();
        for ms in [5, 20, 100, 400_000] {
            times.add(Duration::from_millis(ms));
        }
        let mut text = String::new();
        histogram(&mut text, "t", "table=\"a\"", &times);
        let counts: Vec<_> = text.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
        assert_eq!(counts, ["1", "2", "3", "3", "3", "3", "3", "3", "3", "3", "4", "400.125", "4"]);
        assert!(text.starts_with("t_bucket{table=\"a\",le=\"0.01\"} 1\n"), "{text}");
    }
    #[test]
    fn the_guide_has_all_metrics_and_the_examples_no_others() {
        let text = of(&[load("t")], Some(&Ended { at: UNIX_EPOCH, code: 0 }), None);
        let known: BTreeSet<_> =
            text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
        let guide = read("docs/monitoring.md");
        let listed: BTreeSet<_> = guide
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .filter(|name| name.starts_with("inrush_"))
            .collect();
        assert_eq!(listed, known);
        for file in ["examples/operation/alerts.yaml", "examples/operation/grafana.json"] {
            let example = read(file);
            let words = example.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let named: Vec<_> = words.filter(|word| word.starts_with("inrush_")).collect();
            let unknown: Vec<_> =
                named.iter().filter(|name| !known.contains(name.strip_suffix("_bucket").unwrap_or(name))).collect();
            assert!(named.len() > 3 && unknown.is_empty(), "{file}: {unknown:?}");
        }
    }
    #[test]
    fn every_sample_of_a_file_has_its_label() {
        let text = of(&[load("t")], Some(&Ended { at: UNIX_EPOCH, code: 0 }), Some("orders"));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.contains("{run=\"orders\""), "{line}");
        }
        assert!(
            text.contains("inrush_load_chunk_seconds_bucket{run=\"orders\",table=\"t\",le=\"0.01\"} 0\n"),
            "{text}"
        );
    }
    #[test]
    fn values_of_labels_are_escaped() {
        let labels = [("run", "a"), ("table", "a.b\"c\\d\ne")];
        assert_eq!(labels_of(labels.iter()), "run=\"a\",table=\"a.b\\\"c\\\\d\\ne\"");
    }
}
