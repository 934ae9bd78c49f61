//! The experiment `load`: writes a file into a table by `inrush load`'s loader in several ways, and by the server alone for comparison.
//! The choice of cells is pure and in this file; [`data`] generates the file, and [`Loads`] runs a cell.

pub mod data;
mod disk;
pub mod keyed;
mod loads;
mod seconds;
mod tpch;

pub use loads::{Input, Loads, Settings};

use crate::insert::Allowed;
use crate::results::{Case, LeftOut, Results, Role, Unit};
use crate::table::{self, Line, grouped};
use inrush::{Method, Sort};
use std::collections::BTreeMap;

/// A way to get the rows of a file into a table, and its settings. A setting is `None` if the run does not compare values of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Who writes, and how.
    pub way: LoadWriter,
    /// The order in which the server gets the rows.
    pub order: Option<Order>,
    /// How many secondary indexes the table has.
    pub indexes: Option<usize>,
    /// Whether the loader builds them after the rows.
    pub deferred: Option<bool>,
    /// Bytes of the server's buffer pool.
    pub memory: Option<u64>,
}

/// Who writes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadWriter {
    /// The server copies the rows from another table.
    Copy,
    /// The server reads the file.
    OnServer,
    /// The loader, with so many lanes; 0 has it find out how many.
    Lanes(usize),
    /// The loader with one lane, by INSERTs of many rows, so many a transaction.
    Rows(usize),
}

/// The order in which the server gets the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the loader sorts them.
    Sort(Sort),
    /// The order of the file, which the server itself reads.
    AsItComes,
    /// The order of the keys: the file was sorted before the clock starts, and the server reads it.
    SortedFile,
}

/// What is compared. An empty list leaves the setting alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    /// Of the loader; 0 has it find out how many.
    pub lanes: Vec<usize>,
    /// Rows a commit of the loader's INSERTs.
    pub commit_rows: Vec<usize>,
    /// Of the loader.
    pub sorts: Vec<Sort>,
    /// Numbers of secondary indexes.
    pub indexes: Vec<usize>,
    /// Whether the loader builds secondary indexes after the rows too.
    pub defers: bool,
    /// Sizes of the server's buffer pool in bytes.
    pub memory: Vec<u64>,
}

/// What a file is to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file of the user. The server may read other rows from it than the loader does.
    Foreign,
    /// One that we generate, in the order of its keys.
    Ascending,
    /// One that we generate, in another order than that of its keys.
    Shuffled,
}

impl LoadWriter {
    fn is_loader(self) -> bool {
        matches!(self, LoadWriter::Lanes(_) | LoadWriter::Rows(_))
    }
}

impl Order {
    /// As in tables.
    pub fn name(self) -> &'static str {
        match self {
            Order::Sort(Sort::Auto) => "sort auto",
            Order::Sort(Sort::Key) => "sort key",
            Order::Sort(Sort::None) => "sort none",
            Order::Sort(Sort::Server) => "sort server",
            Order::AsItComes => "as it comes",
            Order::SortedFile => "sorted file",
        }
    }
}

impl Cell {
    /// Its record in the results. `rows` are those of the file.
    pub fn case(&self, rows: u64) -> Case {
        let (subject, setting) = match self.way {
            LoadWriter::Copy => ("insert-select", None),
            LoadWriter::OnServer => ("load-data-on-server", None),
            LoadWriter::Lanes(0) => (Method::LoadData.name(), Some(("lanes", "auto".into()))),
            LoadWriter::Lanes(lanes) => (Method::LoadData.name(), Some(("lanes", lanes.to_string()))),
            LoadWriter::Rows(rows) => (Method::MultiRow.name(), Some(("rows a commit", rows.to_string()))),
        };
        let mut id = subject.to_owned();
        let mut with = BTreeMap::new();
        let mut group = Vec::new();
        if let Some((name, value)) = setting {
            id += &format!(" / {value} {name}");
            with.insert(name.to_owned(), value);
        }
        if let Some(order) = self.order {
            id += &format!(" / {}", order.name());
            with.insert("order".into(), order.name().into());
        }
        if let Some(indexes) = self.indexes {
            group.push(format!("{indexes} {}", if indexes == 1 { "index" } else { "indexes" }));
            id += &format!(" / {}", group[0]);
            with.insert("indexes".into(), indexes.to_string());
        }
        if let Some(deferred) = self.deferred {
            let build = if deferred { "deferred" } else { "immediate" };
            id += &format!(" {build}");
            with.insert("index build".into(), build.into());
        }
        if let Some(bytes) = self.memory {
            let pool = format!("pool {} MiB", bytes >> 20);
            id += &format!(" / {pool}");
            group.push(pool);
            with.insert("pool MiB".into(), (bytes >> 20).to_string());
        }
        let role = match (self.way, self.order) {
            // The baseline for a sort in the client: the server's own load of the same file.
            (LoadWriter::OnServer, Some(Order::AsItComes)) | (LoadWriter::Copy, _) => Role::Baseline,
            (LoadWriter::OnServer, _) => Role::Limit,
            (LoadWriter::Lanes(_) | LoadWriter::Rows(_), _) => Role::Subject,
        };
        Case { id, subject: subject.into(), with, group: group.join(", "), rows, unit: Unit::Rows, role }
    }
}

/// The cells for a server, and those that it does not allow.
pub fn cells(axes: &Axes, file: FileKind, allowed: &Allowed) -> (Vec<Cell>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut ways = Vec::new();
    if file != FileKind::Shuffled {
        // A copy is in the order of the key, so it says nothing of other orders.
        ways.push((LoadWriter::Copy, None));
    }
    let orders = compared(&axes.sorts).into_iter().map(|sort| sort.map(Order::Sort));
    let by_loader = |way: LoadWriter| orders.clone().map(move |order| (way, order)).collect::<Vec<_>>();
    if allowed.local_infile {
        ways.extend(axes.lanes.iter().flat_map(|lanes| by_loader(LoadWriter::Lanes(*lanes))));
    } else {
        left_out.push(LeftOut { way: "load-data".into(), reason: "the server has `local_infile` off".into() });
    }
    ways.extend(axes.commit_rows.iter().flat_map(|rows| by_loader(LoadWriter::Rows(*rows))));
    let reason = match &allowed.no_files {
        // An empty field is NULL to us and the empty text to the server, and so on.
        _ if file == FileKind::Foreign => {
            Some("it may read a file of yours in another way, and so store other rows".into())
        }
        Some(reason) => Some(reason.clone()),
        None => None,
    };
    match (reason, file) {
        (Some(reason), _) => left_out.push(LeftOut { way: "load-data-on-server".into(), reason }),
        (None, FileKind::Shuffled) => {
            let orders = [Order::AsItComes, Order::SortedFile];
            ways.extend(orders.map(|order| (LoadWriter::OnServer, Some(order))));
        }
        (None, _) => ways.push((LoadWriter::OnServer, None)),
    }
    let mut cells = Vec::new();
    for memory in compared(&axes.memory) {
        for indexes in compared(&axes.indexes) {
            for &(way, order) in &ways {
                let may_defer = axes.defers && way.is_loader() && indexes.is_some_and(|indexes| indexes > 0);
                let builds: &[_] = if may_defer { &[Some(false), Some(true)] } else { &[None] };
                cells.extend(builds.iter().map(|&deferred| Cell { way, order, indexes, deferred, memory }));
            }
        }
    }
    (cells, left_out)
}

/// The values of an axis, or none.
fn compared<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

/// The fastest load of each group of cases, compared with the server's own speed.
pub fn sentences(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let mut groups: Vec<&str> = Vec::new();
    for line in &lines {
        if !groups.contains(&line.case.group.as_str()) {
            groups.push(&line.case.group);
        }
    }
    let of_group = |group: &&str| {
        let here: Vec<&Line<'_>> = lines.iter().filter(|line| line.case.group == **group).collect();
        fastest(&here)
    };
    groups.iter().filter_map(of_group).collect()
}

fn fastest(lines: &[&Line<'_>]) -> Option<String> {
    let rated = lines.iter().filter(|line| line.case.role == Role::Subject);
    let (line, rate) = rated.filter_map(|line| Some((line, line.median_rate()?))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let with_role = |role: Role| lines.iter().find(|line| line.case.role == role);
    let is_sorted =
        |line: &&&Line<'_>| line.case.with.get("order").is_some_and(|order| order == Order::SortedFile.name());
    let sorted = with_role(Role::Limit).filter(is_sorted);
    let mut text = format!("Fastest: {}, {} rows/s", line.case.id, grouped(rate, 0));
    if let Some(share) = line.of_limit {
        text += &format!(", {:.0} % of the server's own LOAD DATA", share * 100.0);
        text += if sorted.is_some() { " of a sorted file" } else { "" };
    }
    if let (Some(times), Some(baseline)) = (line.speed_up, with_role(Role::Baseline)) {
        let other = match baseline.case.subject.as_str() {
            "load-data-on-server" => "its LOAD DATA of the file as it comes",
            _ => "INSERT .. SELECT",
        };
        text += &format!(", {times:.2} times as fast as {other}");
    }
    if let (Some(bytes), Some(least)) = (line.table_bytes, sorted.and_then(|line| line.table_bytes)) {
        text += &format!("; the table is {:.2} times as large as that of the sorted file", bytes / least);
    }
    Some(text + ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;
    use inrush::sans_io::profile::Profile;
    use inrush::sans_io::wire::ServerVersion;

    fn allowed(local_infile: bool, no_files: Option<&str>) -> Allowed {
        let profile = Profile::of(&ServerVersion::parse("9.7.4"));
        Allowed { profile, local_infile, no_files: no_files.map(str::to_owned) }
    }

    #[track_caller]
    fn check(local_infile: bool, no_files: Option<&str>, file: FileKind, want: &str, want_left_out: &[&str]) {
        let axes = Axes { lanes: vec![1, 0], commit_rows: vec![100], ..Axes::default() };
        let (cells, left_out) = cells(&axes, file, &allowed(local_infile, no_files));
        let ids: Vec<String> = cells.iter().map(|cell| cell.case(7).id).collect();
        assert_eq!(ids.join(", "), want);
        assert_eq!(left_out.iter().map(|one| &*one.way).collect::<Vec<_>>(), want_left_out);
    }

    #[test]
    fn what_a_server_allows() {
        use FileKind::{Ascending, Foreign, Shuffled};
        let lanes = "load-data / 1 lanes, load-data / auto lanes";
        let rows = "multi-row / 100 rows a commit";
        let on_server = "load-data-on-server";
        check(true, None, Ascending, &format!("insert-select, {lanes}, {rows}, {on_server}"), &[]);
        check(false, None, Ascending, &format!("insert-select, {rows}, {on_server}"), &["load-data"]);
        check(true, Some("it is far"), Ascending, &format!("insert-select, {lanes}, {rows}"), &[on_server]);
        check(true, None, Foreign, &format!("insert-select, {lanes}, {rows}"), &[on_server]);
        let both = format!("{on_server} / as it comes, {on_server} / sorted file");
        check(true, None, Shuffled, &format!("{lanes}, {rows}, {both}"), &[]);
        check(true, Some("it is far"), Shuffled, &format!("{lanes}, {rows}"), &[on_server]);
    }

    #[track_caller]
    fn check_axes(axes: &Axes, file: FileKind, want: &[&str]) {
        let axes = Axes { lanes: vec![0], ..axes.clone() };
        let (cells, _) = cells(&axes, file, &allowed(true, None));
        assert_eq!(cells.iter().map(|cell| cell.case(7).id).collect::<Vec<_>>(), want);
    }

    #[test]
    fn every_order_of_the_rows() {
        let axes = Axes { sorts: vec![Sort::None, Sort::Key, Sort::Auto], ..Axes::default() };
        let loads = ["none", "key", "auto"].map(|sort| format!("load-data / auto lanes / sort {sort}"));
        let [none, key, auto] = &loads;
        check_axes(&axes, FileKind::Ascending, &["insert-select", none, key, auto, "load-data-on-server"]);
        let by_server = ["load-data-on-server / as it comes", "load-data-on-server / sorted file"];
        check_axes(&axes, FileKind::Shuffled, &[none, key, auto, by_server[0], by_server[1]]);
    }

    #[test]
    fn every_table_on_every_server() {
        let axes = Axes { indexes: vec![0, 2], defers: true, memory: vec![128 << 20], ..Axes::default() };
        let want = [
            "load-data / auto lanes / 0 indexes / pool 128 MiB",
            "load-data-on-server / as it comes / 0 indexes / pool 128 MiB",
            "load-data-on-server / sorted file / 0 indexes / pool 128 MiB",
            "load-data / auto lanes / 2 indexes immediate / pool 128 MiB",
            "load-data / auto lanes / 2 indexes deferred / pool 128 MiB",
            "load-data-on-server / as it comes / 2 indexes / pool 128 MiB",
            "load-data-on-server / sorted file / 2 indexes / pool 128 MiB",
        ];
        check_axes(&axes, FileKind::Shuffled, &want);
        let (cells, _) = cells(&axes, FileKind::Shuffled, &allowed(true, None));
        let groups: Vec<String> = cells.iter().map(|cell| cell.case(7).group).collect();
        assert_eq!((&*groups[0], &*groups[2]), ("0 indexes, pool 128 MiB", "2 indexes, pool 128 MiB"));
    }

    #[test]
    fn the_fastest_is_told() {
        let mut results =
            results(&[("insert-select", 2.0), ("load-data", 1.0), ("multi-row", 4.0), ("load-data-on-server", 0.5)]);
        let roles = [Role::Baseline, Role::Subject, Role::Subject, Role::Limit];
        results.cases.iter_mut().zip(roles).for_each(|(case, role)| case.role = role);
        let shown = sentences(&results);
        let want = "% of the server's own LOAD DATA, 2.00 times as fast as INSERT .. SELECT.";
        assert!(shown[0].starts_with("Fastest: load-data, ") && shown[0].ends_with(&format!("50 {want}")), "{shown:?}");
    }

    #[test]
    fn a_sort_is_compared_with_both_files() {
        let orders = [Order::Sort(Sort::Key), Order::AsItComes, Order::SortedFile];
        let cells = orders.map(|order| {
            let way = if order == Order::Sort(Sort::Key) { LoadWriter::Lanes(0) } else { LoadWriter::OnServer };
            Cell { way, order: Some(order), indexes: None, deferred: None, memory: None }
        });
        let mut results = results(&[("a", 2.0), ("b", 20.0), ("c", 1.0)]);
        for (cell, case) in cells.iter().zip(&mut results.cases) {
            let samples = results.samples.iter_mut().filter(|sample| sample.case == case.id);
            let new = cell.case(case.rows);
            samples.for_each(|sample| {
                sample.case = new.id.clone();
                sample.table_bytes = Some(if cell.order == Some(Order::SortedFile) { 100 } else { 103 });
            });
            *case = new;
        }
        let shown = sentences(&results);
        let want = "50 % of the server's own LOAD DATA of a sorted file, 10.00 times as fast as its LOAD DATA of the file as it \
                    comes; the table is 1.03 times as large as that of the sorted file.";
        assert!(shown[0].ends_with(want), "{shown:?}");
    }
}
