//! The experiment `insert`: every way to write rows (or to change them, or to delete them), each committed row by row (statement by
//! statement) or once, at several sizes; besides, the server's own speed. The choice of cases is pure and in this file;
//! running one is [`Writer`]'s.

mod text;
mod writer;

pub use crate::meter::Written;
pub use writer::{Settings, Writer};

use crate::results::{Case, LeftOut, Role, Unit};
use inrush::Method;
use inrush::sans_io::profile::Profile;
use inrush::sans_io::write::{self, LocalInfile, RowsPerCommand};
use std::collections::BTreeMap;

/// What is done with rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// They come into an empty table.
    #[default]
    Insert,
    /// All columns but the key get other values, by the key.
    Update,
    /// They go, by the key.
    Delete,
}

/// A method to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertMethod {
    /// A statement as text for each row, one at a time: the baseline, which inrush itself never takes.
    Row,
    /// Statements as text, joined by `;`.
    MultiStatement,
    /// A method of inrush.
    Batch(Method),
    /// Single rows of many threads that are sent together.
    Inserter,
    /// The server does it with rows of its own, in one statement.
    OnServer,
    /// The server reads a file.
    ServerFile,
    /// Nothing is written: what the lab itself takes.
    Nothing,
}

/// When rows are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// Each statement by itself: autocommit.
    Each,
    /// All rows in one transaction.
    Once,
}

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What.
    pub operation: Operation,
    /// How.
    pub way: InsertMethod,
    /// In how many transactions.
    pub commits: Commits,
    /// How many.
    pub rows: u64,
}

/// What a server allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// What its engine can do.
    pub profile: Profile,
    /// It reads the text of a LOAD DATA LOCAL from its client.
    pub local_infile: bool,
    /// Why it cannot read a file that we write, if it cannot.
    pub no_files: Option<String>,
}

impl Operation {
    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Insert => "insert",
            Operation::Update => "update",
            Operation::Delete => "delete",
        }
    }
}

impl Allowed {
    /// Why the server does not take a method of inrush, if it does not.
    pub fn refuses(&self, method: Method) -> Option<String> {
        let local_infile = if self.local_infile { LocalInfile::On } else { LocalInfile::Off };
        let server = write::Allowed::new(&self.profile, local_infile, false);
        server.obstacle(method).map(|obstacle| obstacle.why.into_owned())
    }
}

impl InsertMethod {
    /// All, in the order of the table: the baseline first, the limits last.
    pub fn all() -> impl Iterator<Item = InsertMethod> {
        let ours = Method::ALL.into_iter().rev().map(InsertMethod::Batch);
        let texts = [InsertMethod::Row, InsertMethod::MultiStatement];
        texts.into_iter().chain(ours).chain([InsertMethod::Inserter, InsertMethod::OnServer, InsertMethod::ServerFile])
    }

    /// As it is called in tables and on the command line.
    pub fn name(self, operation: Operation) -> &'static str {
        match (self, operation) {
            (InsertMethod::Row, _) => "row",
            (InsertMethod::MultiStatement, _) => "multi-statement",
            (InsertMethod::Batch(method), _) => method.name(),
            (InsertMethod::Inserter, _) => "inserter",
            (InsertMethod::OnServer, Operation::Insert) => "insert-select",
            (InsertMethod::OnServer, Operation::Update) => "update-join",
            (InsertMethod::OnServer, Operation::Delete) => "delete-range",
            (InsertMethod::ServerFile, _) => "load-data-on-server",
            (InsertMethod::Nothing, _) => "nothing",
        }
    }

    /// Whether rows can be committed like this.
    fn commits(self, commits: Commits) -> bool {
        match self {
            InsertMethod::Row | InsertMethod::MultiStatement | InsertMethod::Batch(_) | InsertMethod::Nothing => true,
            // Every caller waits for its row to be stored.
            InsertMethod::Inserter => commits == Commits::Each,
            // One statement.
            InsertMethod::OnServer | InsertMethod::ServerFile => commits == Commits::Once,
        }
    }

    /// Whether it can do that at all.
    fn can(self, operation: Operation) -> bool {
        match self {
            InsertMethod::Batch(method) => operation == Operation::Insert || method.takes_any_statement(),
            InsertMethod::Row | InsertMethod::MultiStatement => true,
            InsertMethod::OnServer | InsertMethod::Nothing => true,
            InsertMethod::Inserter | InsertMethod::ServerFile => operation == Operation::Insert,
        }
    }

    /// Why it cannot be measured on this server, if it cannot.
    fn missing(self, allowed: &Allowed) -> Option<String> {
        match self {
            InsertMethod::Batch(method) => allowed.refuses(method),
            InsertMethod::ServerFile => allowed.no_files.clone(),
            _ => None,
        }
    }

    fn role(self, commits: Commits) -> Role {
        match self {
            InsertMethod::Row if commits == Commits::Each => Role::Baseline,
            InsertMethod::Row | InsertMethod::MultiStatement => Role::Subject,
            InsertMethod::Batch(_) | InsertMethod::Inserter => Role::Subject,
            InsertMethod::Nothing => Role::Lab,
            InsertMethod::OnServer | InsertMethod::ServerFile => Role::Limit,
        }
    }

    /// How many rows one of its statements carries at most, when statements carry `many`.
    fn statement_rows(self, many: u64) -> u64 {
        match self {
            InsertMethod::Batch(method) if method.rows_per_command() == RowsPerCommand::Single => 1,
            InsertMethod::Row | InsertMethod::Inserter => 1,
            InsertMethod::MultiStatement | InsertMethod::Batch(_) | InsertMethod::Nothing => many,
            InsertMethod::OnServer | InsertMethod::ServerFile => u64::MAX,
        }
    }
}

impl Commits {
    /// As it is called in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Commits::Each => "each statement",
            Commits::Once => "once",
        }
    }
}

impl Cell {
    /// Its record in the results.
    pub fn case(&self) -> Case {
        let Self { operation, way, commits, rows } = *self;
        let name = way.name(operation);
        Case {
            id: format!("{name} / {} / {rows}", commits.name()),
            subject: name.into(),
            with: BTreeMap::from([("commits".into(), commits.name().into()), ("rows".into(), rows.to_string())]),
            group: format!("{rows} rows"),
            rows,
            unit: Unit::Rows,
            role: way.role(commits),
        }
    }
}

/// The cells for these sizes, and the methods that are left out since the server does not allow them. A method that no server has for
/// `operation` is in neither.
pub fn cells(operation: Operation, sizes: &[u64], allowed: &Allowed) -> (Vec<Cell>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut ways = Vec::new();
    for way in InsertMethod::all().filter(|way| way.can(operation)) {
        match way.missing(allowed) {
            Some(reason) => left_out.push(LeftOut { way: way.name(operation).into(), reason }),
            None => ways.push(way),
        }
    }
    let mut cells = Vec::new();
    for &rows in sizes {
        for commits in [Commits::Each, Commits::Once] {
            let able = ways.iter().filter(|way| way.commits(commits));
            cells.extend(able.map(|way| Cell { operation, way: *way, commits, rows }));
        }
    }
    (cells, left_out)
}

/// The cells that show what the lab itself takes.
pub fn cells_of_nothing(operation: Operation, sizes: &[u64]) -> impl Iterator<Item = Cell> {
    sizes.iter().map(move |&rows| Cell { operation, way: InsertMethod::Nothing, commits: Commits::Once, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use inrush::sans_io::wire::ServerVersion;

    #[track_caller]
    fn check(operation: Operation, allowed: &Allowed, want: &str, want_left_out: &[&str]) {
        let (cells, left_out) = cells(operation, &[10], allowed);
        let shown = |commits: Commits| {
            let names = cells.iter().filter(|cell| cell.commits == commits).map(|cell| cell.way.name(operation));
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(format!("{}; {}", shown(Commits::Each), shown(Commits::Once)), want);
        assert_eq!(left_out.iter().map(|way| &*way.way).collect::<Vec<_>>(), want_left_out);
        let baselines = cells.iter().filter(|cell| cell.case().role == Role::Baseline).count();
        assert_eq!(baselines, 1);
    }

    #[test]
    fn what_a_server_allows_is_measured() {
        let profile = |version| Profile::of(&ServerVersion::parse(version));
        let mysql = Allowed { profile: profile("9.7.4"), local_infile: false, no_files: Some("it is far".into()) };
        let mariadb = Allowed { profile: profile("11.8.6-MariaDB"), local_infile: true, no_files: None };
        let texts = "row multi-statement prepared pipelined";
        check(
            Operation::Insert,
            &mysql,
            &format!(
                "{texts} multi-row multi-row-prepared inserter; {texts} multi-row multi-row-prepared insert-select"
            ),
            &["bulk", "load-data", "load-data-on-server"],
        );
        let ours = format!("{texts} multi-row multi-row-prepared bulk load-data");
        let want = format!("{ours} inserter; {ours} insert-select load-data-on-server");
        check(Operation::Insert, &mariadb, &want, &[]);
        check(Operation::Update, &mysql, &format!("{texts}; {texts} update-join"), &["bulk"]);
        check(Operation::Delete, &mariadb, &format!("{texts} bulk; {texts} bulk delete-range"), &[]);
    }
}
