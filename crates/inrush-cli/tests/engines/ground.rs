//! Where a behaviour is tried: an engine, a schema and a folder of its own, tables that are spread as the engine spreads them.

use crate::place::{Done, Place, Rows};
use inrush::{Error, Kind};
use inrush_testkit::patience::Wait;
use inrush_testkit::servers::Server;

/// What became of a behaviour: it does what it does on a single MySQL server, or it is refused.
pub(crate) type Outcome = Result<(), Refusal>;

/// A refusal in our own words, before anything was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It could lose rows or store them twice (exit code 5).
    Promise(String),
    /// The engine does not have it (exit code 1).
    NotThere(String),
}

pub(crate) struct Ground<'a> {
    pub(crate) place: Place,
    engine: &'a str,
    nodes: &'a [Server],
    is_exactly_once: bool,
}

/// Whether the engine holds exactly once, with the words of the refusal if it does not.
pub(crate) fn guarantee(engine: &str, nodes: &[Server]) -> Outcome {
    let ground = Ground::new(engine, nodes, true);
    ground.people("");
    ground.place.write("people.csv", "id,value,name\n1,5,Ann\n");
    ground.load("people.csv --into people").map(|done| {
        assert_eq!((done.code, ground.held()), (0, "1,5,Ann".into()), "{done}");
        assert_eq!(ground.place.sql("SELECT COUNT(*) FROM inrush_job WHERE state = 'done'"), "1");
    })
}

impl<'a> Ground<'a> {
    pub(crate) fn new(engine: &'a str, nodes: &'a [Server], is_exactly_once: bool) -> Self {
        Self { place: Place::new(nodes[0].clone(), "engines"), engine, nodes, is_exactly_once }
    }

    /// A load that an engine without the guarantee does without it.
    pub(crate) fn load(&self, arguments: &str) -> Result<Done, Refusal> {
        let done = self.place.go_on(&self.arguments(arguments));
        refused(&done).map_or(Ok(done), Err)
    }

    /// What stands behind `inrush load`.
    pub(crate) fn arguments(&self, arguments: &str) -> String {
        let guarantee = if self.is_exactly_once { "" } else { " --guarantee at-least-once" };
        format!("{arguments}{guarantee}")
    }

    pub(crate) fn is_exactly_once(&self) -> bool {
        self.is_exactly_once
    }

    /// A load that must store so many rows.
    pub(crate) fn stores(&self, arguments: &str, rows: u64) -> Result<Done, Refusal> {
        let done = self.load(arguments)?;
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(rows))), "{arguments}\n{done}");
        Ok(done)
    }

    /// Makes the table `people (id, value, name)`, with these rows: `(1,5,'Ann'),..`.
    pub(crate) fn people(&self, rows: &str) {
        self.table("people", "id INT NOT NULL PRIMARY KEY, value INT NOT NULL, name VARCHAR(40) NOT NULL", "id");
        if !rows.is_empty() {
            self.place.sql(&format!("INSERT INTO people VALUES {rows}"));
        }
    }

    /// Makes a table whose rows go to several partitions, shards or nodes by `key`.
    pub(crate) fn table(&self, name: &str, columns: &str, key: &str) {
        let create = format!("CREATE TABLE {name} ({columns})");
        let create = match self.engine {
            "partitions" => format!("{create} PARTITION BY KEY ({key}) PARTITIONS 4"),
            "seekdb" => format!("{create} PARTITION BY HASH ({key}) PARTITIONS 4"),
            "spider" => self.spider_table(name, &create, key),
            _ => create,
        };
        self.place.sql(&create);
    }

    /// A table on each of the other nodes, and the statement for the one that leads to them.
    fn spider_table(&self, name: &str, create: &str, key: &str) -> String {
        let schema = self.place.schema.name();
        for node in &self.nodes[1..] {
            node.sql(&format!(
                "CREATE DATABASE IF NOT EXISTS `{schema}`; USE `{schema}`; {create} ENGINE=InnoDB CHARSET=utf8mb4"
            ));
        }
        format!(
            "{create} ENGINE=SPIDER CHARSET=utf8mb4 COMMENT='wrapper \"mysql\", table \"{name}\"' PARTITION BY HASH ({key}) \
             (PARTITION p1 COMMENT='srv \"one\"', PARTITION p2 COMMENT='srv \"two\"')"
        )
    }

    /// Fails unless the query has this one row as its answer, on each node of a cluster that replicates.
    pub(crate) fn holds_everywhere(&self, query: &str, want: &[String]) {
        let replicas = if self.engine == "spider" { &self.nodes[..1] } else { self.nodes };
        for node in replicas {
            // A node applies what it has certified a moment later.
            let query = format!("USE `{}`; {query}", self.place.schema.name());
            let wait = Wait::begin();
            loop {
                match node.try_sql(&query) {
                    Ok(rows) if rows == [want] => break,
                    other => wait.pause(format!("{want:?} on {}, which has {other:?}", node.instance)),
                }
            }
        }
    }

    /// For the library. The greeting of seekdb is that of a MySQL 5.7, so a program has to name the engine.
    pub(crate) fn url(&self) -> String {
        let engine = if self.engine == "seekdb" { "?engine=oceanbase" } else { "" };
        self.place.schema.url() + engine
    }

    /// The rows of `people` by id: fields between commas, rows between bars.
    pub(crate) fn held(&self) -> String {
        self.place.sql("SELECT id, value, name FROM people ORDER BY id")
    }
}

impl Drop for Ground<'_> {
    fn drop(&mut self) {
        if self.engine == "spider" {
            for node in &self.nodes[1..] {
                let _ = node.try_sql(&format!("DROP DATABASE IF EXISTS `{}`", self.place.schema.name()));
            }
        }
    }
}

/// The refusal that a command ended with, if it is one.
fn refused(done: &Done) -> Option<Refusal> {
    let kind = match done.code {
        5 => Refusal::Promise,
        1 => Refusal::NotThere,
        _ => return None,
    };
    let words = done.stderr.lines().find_map(|line| line.strip_prefix("error: "));
    let words = words.unwrap_or_else(|| panic!("a refusal without a reason: {done}"));
    Some(kind(words.to_owned()))
}

/// The same of a call of the library. An error of the server fails.
#[track_caller]
pub(crate) fn allowed<T>(result: inrush::Result<T>) -> Result<T, Refusal> {
    result.map_err(|error: Error| match error.kind() {
        Kind::Guarantee => Refusal::Promise(error.message().to_owned()),
        Kind::Config => Refusal::NotThere(error.message().to_owned()),
        _ => panic!("{error:#}"),
    })
}
