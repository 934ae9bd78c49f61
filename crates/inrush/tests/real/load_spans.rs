//! The spans of a load for `tracing`: their tree, what is in them, what is not.

use crate::cases::{Case, Shell, everywhere};
use inrush::{BadRows, LoadOptions, Loader, NamedJob, Report, Result, Sort, Source};
use inrush_files::{CsvOptions, Format};
use inrush_testkit::servers::Schema;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber, info_span};
use tracing_core::span::Current;

/// Keeps all spans and events, each with its parent.
#[derive(Clone, Default)]
struct Tree(Arc<Mutex<Nodes>>);

#[derive(Default)]
struct Nodes {
    all: Vec<Node>,
    /// The spans that each thread is in.
    entered: HashMap<ThreadId, Vec<u64>>,
}

struct Node {
    /// Its place among all.
    parent: Option<usize>,
    metadata: &'static Metadata<'static>,
    fields: Fields,
}

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl Nodes {
    fn current(&self) -> Option<usize> {
        let id = self.entered.get(&thread::current().id())?.last()?;
        Some(*id as usize - 1)
    }

    fn add(&mut self, parent: Option<usize>, metadata: &'static Metadata<'static>, fields: Fields) -> Id {
        self.all.push(Node { parent, metadata, fields });
        Id::from_u64(self.all.len() as u64)
    }
}

impl Subscriber for Tree {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("inrush") || metadata.name() == "caller"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let mut nodes = self.0.lock().unwrap();
        let parent = span.parent().map(|id| id.into_u64() as usize - 1).or_else(|| nodes.current());
        nodes.add(parent, span.metadata(), fields)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut self.0.lock().unwrap().all[span.into_u64() as usize - 1].fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut nodes = self.0.lock().unwrap();
        let parent = nodes.current();
        nodes.add(parent, event.metadata(), fields);
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.entry(thread::current().id()).or_default().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut nodes = self.0.lock().unwrap();
        let entered = nodes.entered.get_mut(&thread::current().id()).unwrap();
        assert_eq!(entered.pop(), Some(span.into_u64()), "spans end in the order in which they began");
    }

    fn current_span(&self) -> Current {
        let nodes = self.0.lock().unwrap();
        match nodes.current() {
            Some(at) => Current::new(Id::from_u64(at as u64 + 1), nodes.all[at].metadata),
            None => Current::none(),
        }
    }
}

impl Tree {
    /// The spans of loads and their events, each line indented below its parent; spans of connections and statements are left out.
    fn drawn(&self) -> Vec<String> {
        let nodes = self.0.lock().unwrap();
        let is_shown = |node: &Node| node.metadata.name().starts_with("inrush.load") || node.metadata.is_event();
        let depth = |node: &Node| std::iter::successors(node.parent, |at| nodes.all[*at].parent).count();
        let shown = nodes.all.iter().filter(|node| is_shown(node));
        let line = |node: &Node| {
            let name = match node.metadata.is_event() {
                true => format!("{} {}", node.metadata.level(), node.fields.0["message"]),
                false => node.metadata.name().to_owned(),
            };
            format!("{}{name}", "  ".repeat(depth(node)))
        };
        shown.map(line).collect()
    }

    /// These fields of the first span or event of this name or with this message.
    #[track_caller]
    fn fields(&self, name: &str, fields: &[&str]) -> Vec<String> {
        let nodes = self.0.lock().unwrap();
        let is_it = |node: &&Node| {
            node.metadata.name() == name || node.fields.0.get("message").is_some_and(|message| message == name)
        };
        let node = nodes.all.iter().find(is_it).unwrap();
        fields.iter().map(|field| node.fields.0.get(*field).map_or("-", |value| value).to_owned()).collect()
    }

    /// The names of the spans that a span of this name lies in, the next one first.
    fn lies_in(&self, name: &str) -> Vec<Vec<&'static str>> {
        let nodes = self.0.lock().unwrap();
        let of = nodes.all.iter().filter(|node| node.metadata.name() == name);
        let above = |node: &Node| {
            let all = std::iter::successors(node.parent, |at| nodes.all[*at].parent);
            all.map(|at| nodes.all[at].metadata.name()).collect()
        };
        of.map(above).collect()
    }

    fn values(&self) -> Vec<String> {
        let nodes = self.0.lock().unwrap();
        nodes.all.iter().flat_map(|node| node.fields.0.values().cloned()).collect()
    }
}

/// Loads the text into `people`, by the function of the case's shell.
fn load(case: &Case, schema: &Schema, text: &str, options: LoadOptions) -> Result<Report> {
    // A source is known by its name, whose file the second load of the same text finds again.
    let path = std::env::temp_dir().join(format!("{}-{}.csv", schema.name(), text.len()));
    std::fs::write(&path, text).unwrap();
    let _remove = RemoveOnDrop(&path);
    let source = inrush_files::open(path.to_str().unwrap(), Format::Auto, &CsvOptions::default())?;
    let sources = vec![source as Box<dyn Source>];
    let config = case.config().with_database(schema.name()).with_local_infile(true);
    let loader = Loader::new(config, "people").with_options(options.with_lanes(1));
    match case.shell {
        Shell::Blocking => loader.load(sources),
        Shell::Tokio => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(loader.load_async(sources))
        }
    }
}

struct RemoveOnDrop<'a>(&'a Path);

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        std::fs::remove_file(self.0).ok();
    }
}

fn people(case: &Case) -> Schema {
    let schema = case.server.schema("load_spans");
    schema.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9), age TINYINT UNSIGNED)");
    schema
}

/// What happens within a span that is the caller's own.
fn traced<T>(work: impl FnOnce() -> T) -> (Tree, T) {
    let tree = Tree::default();
    let end = with_default(tree.clone(), || info_span!("caller").in_scope(work));
    (tree, end)
}

#[test]
fn a_load_with_a_retry_and_a_bad_row_is_a_tree() {
    everywhere(|case| {
        let schema = people(case);
        // The first row of a connection loses.
        let trigger = "CREATE TRIGGER loses BEFORE INSERT ON people FOR EACH ROW IF @lost IS NULL THEN SET @lost = 1; \
             SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'secret'; END IF";
        case.open_with(&case.config().with_database(schema.name())).execute(trigger).unwrap();
        let text = "id,name,age\n1,secret,40\n2,Bob,secret\n3,Cy,42\n";
        let options =
            LoadOptions::default().with_bad_rows(BadRows::Skip).with_job(NamedJob::new("nightly").part("monday"));
        let (tree, report) = traced(|| load(case, &schema, text, options).unwrap());
        assert_eq!((report.stored, report.rejected), (2, 1), "{report:?}");
        let want = [
            "  inrush.load",
            "    inrush.load.open",
            "    inrush.load.prepare",
            "    INFO the write method",
            "    inrush.load.chunk",
            "      WARN a chunk is tried again",
            "      DEBUG a record is rejected",
            "    inrush.load.finish",
        ];
        assert_eq!(tree.drawn(), want);

        let family = report_family(case);
        let fields = ["db.system.name", "db.namespace", "db.collection.name", "inrush.job", "inrush.job.part"];
        assert_eq!(tree.fields("inrush.load", &fields), [family, schema.name(), "people", "nightly", "monday"]);
        let fields = ["inrush.guarantee", "inrush.method", "inrush.chunks", "inrush.retries", "error.type"];
        let method = report.method.name();
        assert_eq!(tree.fields("inrush.load", &fields), ["exactly-once", method, "1", "1", "-"]);
        let rows = ["read", "stored", "rejected", "skipped", "resumed", "not_loaded", "unknown"];
        let rows = rows.map(|rows| format!("inrush.rows.{rows}"));
        let rows = tree.fields("inrush.load", &rows.each_ref().map(|rows| rows.as_str()));
        assert_eq!(rows, ["3", "2", "1", "0", "0", "0", "0"]);

        let fields = ["inrush.lane", "inrush.chunk", "inrush.records.first", "inrush.records.last", "inrush.method"];
        assert_eq!(tree.fields("inrush.load.chunk", &fields), ["1", "1", "1", "3", method]);
        let fields = ["db.operation.batch.size", "inrush.rows.stored", "inrush.rows.rejected", "inrush.retries"];
        assert_eq!(tree.fields("inrush.load.chunk", &fields), ["3", "2", "1", "1"]);
        assert_eq!(tree.fields("a chunk is tried again", &["db.response.status_code", "inrush.line"]), ["1213", "2"]);
        let fields = ["inrush.line", "inrush.column", "db.response.status_code"];
        assert_eq!(tree.fields("a record is rejected", &fields), ["3", "age", "-"]);

        // What the lane's thread does is in the chunk's span: its ROLLBACK, for one.
        let in_chunk = ["inrush.load.chunk", "inrush.load", "caller"];
        assert!(tree.lies_in("inrush.statement").iter().any(|above| *above == in_chunk));
        // Threads beside it have the caller's subscriber too, and the span of what they do.
        let connects = tree.lies_in("inrush.connect");
        assert!(!connects.is_empty() && connects.iter().all(|above| above.last() == Some(&"caller")), "{connects:?}");
        let values = tree.values();
        assert!(!values.iter().any(|value| value.contains("secret")), "{values:?}");
        assert!(!values.iter().any(|value| value.contains(&case.server.password)), "{values:?}");
    });
}

/// How the conventions call what this server is.
fn report_family(case: &Case) -> &'static str {
    if case.server.name.starts_with("mysql") { "mysql" } else { "mariadb" }
}

#[test]
fn a_sort_has_its_phases_and_what_fails_says_why() {
    everywhere(|case| {
        let schema = people(case);
        let options = || LoadOptions::default().with_sort(Sort::Key);
        let (tree, report) = traced(|| load(case, &schema, "id,name,age\n2,Bob,41\n1,Ann,40\n", options()).unwrap());
        assert_eq!(report.stored, 2, "{report:?}");
        let want = [
            "  inrush.load",
            "    inrush.load.open",
            "    inrush.load.sort",
            "      inrush.load.sort.read",
            "      inrush.load.sort.merge",
            "    inrush.load.prepare",
            "    INFO the write method",
            "    inrush.load.chunk",
            "    inrush.load.finish",
        ];
        assert_eq!(tree.drawn(), want);
        assert_eq!(tree.fields("inrush.load.sort", &["inrush.rows.read", "inrush.sort.runs"]), ["2", "1"]);

        // The same again: there is nothing to do.
        let (tree, _) = traced(|| load(case, &schema, "id,name,age\n2,Bob,41\n1,Ann,40\n", options()).unwrap());
        assert!(
            tree.drawn().contains(&"      INFO an earlier run has loaded this source".to_owned()),
            "{:?}",
            tree.drawn()
        );
        assert_eq!(tree.fields("inrush.load", &["inrush.rows.resumed", "error.type"]), ["2", "-"]);

        // A key that is there: the server's error is in the chunk's span and in the load's.
        let (tree, report) =
            traced(|| load(case, &schema, "id,name,age\n1,secret,1\n", LoadOptions::default()).unwrap());
        assert!(report.stop.is_some());
        for name in ["inrush.load", "inrush.load.chunk"] {
            assert_eq!(tree.fields(name, &["otel.status_code", "error.type"]), ["ERROR", "Data"], "{name}");
        }
        assert!(!tree.values().iter().any(|value| value.contains("secret")));

        schema.sql("DROP TABLE people");
        let (tree, _) = traced(|| load(case, &schema, "id,name,age\n1,Ann,1\n", LoadOptions::default()).unwrap_err());
        assert_eq!(tree.drawn(), ["  inrush.load", "    inrush.load.open"]);
        let fields = ["otel.status_code", "error.type", "db.collection.name"];
        assert_eq!(tree.fields("inrush.load", &fields), ["ERROR", "Config", "people"]);
    });
}
