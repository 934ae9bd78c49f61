//! The experiment `sweep`: rows a statement, connections, columns, secondary indexes, partitions, every combination for the same short
//! time. The choice of cells is pure and in this file; running one is [`Sweeper`]'s.

mod sweeper;

pub use sweeper::{Settings, Sweeper};

use crate::dataset::Sbtest;
use crate::results::{Case, LeftOut, Role, Server, Unit};
use inrush::Method;
use inrush::sans_io::write::RowsPerCommand;
use std::collections::BTreeMap;

/// One combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// How rows are written.
    pub method: Method,
    /// Each statement is committed by itself.
    pub statement_rows: u64,
    /// Threads with a connection each.
    pub connections: u64,
    /// The columns of the table, with its key.
    pub columns: u64,
    /// Secondary ones, of one column each.
    pub indexes: u64,
    /// 0 is a table without partitions.
    pub partitions: u64,
}

/// All combinations of some numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// See [`Cell`], as for the others.
    pub statement_rows: Vec<u64>,
    /// Threads.
    pub connections: Vec<u64>,
    /// Numbers of columns of the table.
    pub columns: Vec<u64>,
    /// Secondary ones.
    pub indexes: Vec<u64>,
    /// Numbers of partitions of the table.
    pub partitions: Vec<u64>,
}

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `max_allowed_packet`.
    pub packet: u64,
    /// `max_connections`.
    pub connections: u64,
}

impl Grid {
    /// The lines that were published for this table (E2, E3 of docs/notes): rows a statement with 16 connections, and connections with
    /// 1,000 rows a statement; for tables of the shapes of `self`.
    pub fn published(self) -> Vec<Grid> {
        let sizes = vec![1, 10, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 50_000];
        let threads = vec![1, 2, 4, 8, 16, 32, 64, 80, 96, 128];
        vec![
            Grid { statement_rows: sizes, connections: vec![16], ..self.clone() },
            Grid { statement_rows: vec![1_000], connections: threads, ..self },
        ]
    }

    fn cells(&self, method: Method) -> Vec<Cell> {
        let mut cells = Vec::new();
        for &partitions in &self.partitions {
            for &indexes in &self.indexes {
                for &columns in &self.columns {
                    for &connections in &self.connections {
                        cells.extend(self.statement_rows.iter().map(|&statement_rows| Cell {
                            method,
                            statement_rows,
                            connections,
                            columns,
                            indexes,
                            partitions,
                        }));
                    }
                }
            }
        }
        cells
    }
}

/// The methods that write many rows by one command.
pub fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().rev().filter(|method| method.rows_per_command() != RowsPerCommand::Single)
}

impl Limits {
    /// The server's settings.
    pub fn of(server: &Server) -> Self {
        let number = |name: &str| server.settings.get(name).and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
        Self { packet: number("max_allowed_packet"), connections: number("max_connections") }
    }

    /// Why a cell is not for this server, if it is not.
    fn refuses(&self, cell: &Cell) -> Option<String> {
        let Cell { method, statement_rows, connections, columns, .. } = *cell;
        let bytes = statement_rows * cell.table(0).most_bytes();
        if connections + OTHERS > self.connections {
            return Some(format!("{connections} connections: `max_connections` is {}", self.connections));
        }
        match method {
            Method::LoadData => None,
            Method::MultiRowPrepared if statement_rows * columns > PLACEHOLDERS => Some(format!(
                "{statement_rows} rows a statement: with {columns} columns they have more than {PLACEHOLDERS} placeholders"
            )),
            _ if bytes > self.packet => Some(format!(
                "{statement_rows} rows a statement: they may take {bytes} bytes, `max_allowed_packet` is {}",
                self.packet
            )),
            _ => None,
        }
    }
}

impl Cell {
    /// The table that it writes into.
    pub fn table(&self, seed: u64) -> Sbtest {
        Sbtest::new(seed).with_columns(self.columns as usize)
    }

    /// Its record in the results.
    pub fn case(&self, role: Role) -> Case {
        let Self { method, statement_rows, connections, columns, indexes, partitions } = *self;
        let with = [
            ("rows a statement", statement_rows),
            ("connections", connections),
            ("columns", columns),
            ("indexes", indexes),
            ("partitions", partitions),
        ];
        Case {
            id: format!(
                "{method} / {statement_rows} x {connections} / {columns} columns, {indexes} indexes, {partitions} partitions"
            ),
            subject: method.name().into(),
            with: with
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_string()))
                .collect::<BTreeMap<_, _>>(),
            group: String::new(),
            rows: 0,
            unit: Unit::Rows,
            role,
        }
    }
}

/// The cells of these grids, each once, and those that the server does not take.
pub fn cells(grids: &[Grid], method: Method, limits: &Limits) -> (Vec<Cell>, Vec<LeftOut>) {
    let (mut cells, mut left_out) = (Vec::new(), Vec::new());
    for cell in grids.iter().flat_map(|grid| grid.cells(method)) {
        match limits.refuses(&cell) {
            Some(reason) => {
                let one = LeftOut { way: "a part of the grid".into(), reason };
                if !left_out.contains(&one) {
                    left_out.push(one);
                }
            }
            None if cells.contains(&cell) => {}
            None => cells.push(cell),
        }
    }
    (cells, left_out)
}

/// Connections besides those of cells: the harness's, and some for other users.
const OTHERS: u64 = 3;

/// The most placeholders of one statement.
const PLACEHOLDERS: u64 = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { packet: 16 << 20, connections: 151 };

    fn grid(statement_rows: &[u64], connections: &[u64]) -> Grid {
        Grid {
            statement_rows: statement_rows.to_vec(),
            connections: connections.to_vec(),
            columns: vec![4],
            indexes: vec![1],
            partitions: vec![0],
        }
    }

    #[track_caller]
    fn check(grids: &[Grid], method: Method, limits: &Limits, want: &str, want_left_out: &[&str]) {
        let (cells, left_out) = cells(grids, method, limits);
        let shown = cells.iter().map(|cell| format!("{}x{}", cell.statement_rows, cell.connections));
        assert_eq!(shown.collect::<Vec<_>>().join(" "), want);
        assert_eq!(left_out.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), want_left_out);
    }

    #[test]
    fn every_combination_once() {
        check(&[grid(&[1, 10, 1], &[1, 2])], Method::MultiRow, &LIMITS, "1x1 10x1 1x2 10x2", &[]);
    }

    #[test]
    fn what_was_published() {
        let want = "1x16 10x16 100x16 500x16 1000x16 2000x16 5000x16 10000x16 20000x16 30000x16 50000x16 \
                    1000x1 1000x2 1000x4 1000x8 1000x32 1000x64 1000x80 1000x96 1000x128";
        check(&grid(&[], &[]).published(), Method::MultiRow, &LIMITS, want, &[]);
    }

    #[test]
    fn what_a_server_does_not_take() {
        let small = Limits { packet: 1 << 20, connections: 20 };
        let packet = "10000 rows a statement: they may take 2780000 bytes, `max_allowed_packet` is 1048576";
        let connections = "18 connections: `max_connections` is 20";
        let asked = [grid(&[10, 10_000], &[17, 18])];
        check(&asked, Method::MultiRow, &small, "10x17", &[packet, connections]);
        check(&asked, Method::LoadData, &small, "10x17 10000x17", &[connections]);
        let placeholders = "17000 rows a statement: with 4 columns they have more than 65535 placeholders";
        check(&[grid(&[17_000], &[1])], Method::MultiRowPrepared, &LIMITS, "", &[placeholders]);
    }

    #[test]
    fn ids_are_unique() {
        let all = Grid { columns: vec![4, 8], indexes: vec![0, 1], partitions: vec![0, 4], ..grid(&[1, 10], &[1, 2]) };
        let ids: std::collections::BTreeSet<String> =
            all.cells(Method::MultiRow).iter().map(|cell| cell.case(Role::Subject).id).collect();
        assert_eq!(ids.len(), 32);
    }
}
