//! The experiment `load`: a file into a table, by `inrush load`'s loader in several ways, beside what the server does by itself. Which
//! cells there are is pure and stands here; [`data`] generates the file, and [`Loads`] runs a cell.

pub mod data;
mod loads;
mod tpch;

pub use loads::{Input, Loads, Settings};

use crate::insert::Allowed;
use crate::results::{Case, LeftOut, Results, Role, Unit};
use crate::table::{self, grouped};
use inrush::Method;
use std::collections::BTreeMap;

/// A way to get the rows of a file into a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The server copies the rows from another table.
    Copy,
    /// The server reads the file.
    OnServer,
    /// The loader, with so many lanes; 0 has it find out how many.
    Lanes(usize),
    /// The loader with one lane, by INSERTs of many rows, so many a transaction.
    Rows(usize),
}

impl Cell {
    /// Its record in the results. `rows` are those of the file.
    pub fn case(&self, rows: u64) -> Case {
        let (subject, name, value) = match self {
            Cell::Copy => ("insert-select", None, String::new()),
            Cell::OnServer => ("load-data-on-server", None, String::new()),
            Cell::Lanes(0) => (Method::LoadData.name(), Some("lanes"), "auto".into()),
            Cell::Lanes(lanes) => (Method::LoadData.name(), Some("lanes"), lanes.to_string()),
            Cell::Rows(rows) => (Method::MultiRow.name(), Some("rows a commit"), rows.to_string()),
        };
        let with: BTreeMap<String, String> =
            name.map(|name: &str| (name.to_owned(), value.clone())).into_iter().collect();
        Case {
            id: name.map_or_else(|| subject.to_owned(), |name| format!("{subject} / {value} {name}")),
            subject: subject.into(),
            with,
            group: String::new(),
            rows,
            unit: Unit::Rows,
            role: match self {
                Cell::Copy => Role::Baseline,
                Cell::OnServer => Role::Limit,
                Cell::Lanes(_) | Cell::Rows(_) => Role::Subject,
            },
        }
    }
}

/// The cells for a server, and those that it does not allow. `foreign` is true for a file of the user.
pub fn cells(lanes: &[usize], commit_rows: &[usize], foreign: bool, allowed: &Allowed) -> (Vec<Cell>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut cells = vec![Cell::Copy];
    if allowed.local_infile {
        cells.extend(lanes.iter().map(|lanes| Cell::Lanes(*lanes)));
    } else {
        left_out.push(LeftOut { way: "load-data".into(), reason: "the server has `local_infile` off".into() });
    }
    cells.extend(commit_rows.iter().map(|rows| Cell::Rows(*rows)));
    let reason = match &allowed.no_files {
        // An empty field is NULL to us and the empty text to the server, and so on.
        _ if foreign => Some("it may read a file of yours in another way, and so store other rows".into()),
        Some(reason) => Some(reason.clone()),
        None => None,
    };
    match reason {
        Some(reason) => left_out.push(LeftOut { way: "load-data-on-server".into(), reason }),
        None => cells.push(Cell::OnServer),
    }
    (cells, left_out)
}

/// The fastest load, compared with the server's own speed.
pub fn sentences(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let rated = lines.iter().filter(|line| line.case.role == Role::Subject);
    let best = rated.filter_map(|line| Some((line, line.median_rate()?))).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((line, rate)) = best else { return Vec::new() };
    let mut text = format!("Fastest: {}, {} rows/s", line.case.id, grouped(rate, 0));
    if let Some(share) = line.of_limit {
        text += &format!(", {:.0} % of the server's own LOAD DATA", share * 100.0);
    }
    if let Some(times) = line.speed_up {
        text += &format!(", {times:.2} times as fast as INSERT .. SELECT");
    }
    vec![text + "."]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;
    use inrush::sans_io::profile::Profile;
    use inrush::sans_io::wire::ServerVersion;

    #[track_caller]
    fn check(local_infile: bool, no_files: Option<&str>, foreign: bool, want: &str, want_left_out: &[&str]) {
        let profile = Profile::of(&ServerVersion::parse("9.7.4"));
        let allowed = Allowed { profile, local_infile, no_files: no_files.map(str::to_owned) };
        let (cells, left_out) = cells(&[1, 0], &[100], foreign, &allowed);
        let ids: Vec<String> = cells.iter().map(|cell| cell.case(7).id).collect();
        assert_eq!(ids.join(", "), want);
        assert_eq!(left_out.iter().map(|one| &*one.way).collect::<Vec<_>>(), want_left_out);
    }

    #[test]
    fn what_a_server_allows() {
        let lanes = "load-data / 1 lanes, load-data / auto lanes";
        let rows = "multi-row / 100 rows a commit";
        check(true, None, false, &format!("insert-select, {lanes}, {rows}, load-data-on-server"), &[]);
        check(false, None, false, &format!("insert-select, {rows}, load-data-on-server"), &["load-data"]);
        check(true, Some("it is far"), false, &format!("insert-select, {lanes}, {rows}"), &["load-data-on-server"]);
        check(true, None, true, &format!("insert-select, {lanes}, {rows}"), &["load-data-on-server"]);
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
}
