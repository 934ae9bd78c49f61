//! Batches by script: every kind of attempt, with every fault at every step and its bytes cut anywhere. What is counted is what the
//! script said, no row twice, and the row that is named is the one that is bad.

use inrush_core::batch::{Batch, BatchFacts, BatchOptions, BatchReport, OnBadRow, Scope, Try, WriterSession};
use inrush_core::column::Rules;
use inrush_core::column::{Column, ColumnType};
use inrush_core::convert::Rows;
use inrush_core::error::{Error, Kind, Result};
use inrush_core::session::Statement;
use inrush_core::session::pipeline::{Pipeline, Window};
use inrush_core::write::template::Template;
use inrush_core::write::{Method, Table};
use inrush_testkit::captured::{COLUMN_CURRENT_USER as COLUMN, OK};
use inrush_testkit::script::{Peer, Script, script};
use std::ops::Range;

const INSERT: &str = "INSERT INTO t (a) VALUES (?)";
const UPDATE: &str = "UPDATE t SET a = ?";
const CALL: &str = "CALL p(?)";
const DUPLICATE: &[u8] = b"\xff\x26\x04#23000Duplicate entry";
const DEADLOCK: &[u8] = b"\xff\xbd\x04#40001Deadlock found";
const END: &[u8] = b"\xfe\x00\x00\x02\x00\x00\x00";
const END_AND_MORE: &[u8] = b"\xfe\x00\x00\x0a\x00\x00\x00";

/// A batch of the rows 0, 1, 2 ..
struct Told {
    sql: &'static str,
    n_rows: i64,
    options: BatchOptions,
    /// Inside of a transaction, so that a savepoint goes ahead.
    inside: bool,
}

fn batch(sql: &'static str, n_rows: i64, method: Method) -> Told {
    Told { sql, n_rows, options: BatchOptions::new().with_method(method), inside: false }
}

impl Told {
    fn inside(mut self) -> Self {
        self.inside = true;
        self
    }

    fn with(mut self, change: impl FnOnce(BatchOptions) -> BatchOptions) -> Self {
        self.options = change(self.options);
        self
    }

    fn skipping(self) -> Self {
        self.with(|options| options.with_bad_rows(OnBadRow::Skip))
    }

    /// Runs attempts until there is no other one, as a shell would, but for the transaction around them.
    fn run(&self, peer: &mut Peer) -> Result<String> {
        let rows: Vec<_> = (0..self.n_rows).map(|n| (n,)).collect();
        let profile = *peer.channel.session.profile();
        let rules = Rules::utc(profile);
        let table = table();
        let facts = BatchFacts {
            profile: &profile,
            splits_loads: false,
            in_transaction: self.inside,
            autocommit: true,
            table: Some(&table),
            increment: Some(3),
        };
        let session = WriterSession { max_packet: 1 << 20, backslash_escapes: true, rules: &rules };
        let statement = Statement::new(self.sql)?;
        let template = Template::parse(&statement);
        let bound = rows.bind(statement.names(), statement.marks().len())?;
        let mut batch = Batch::new(&statement, &template, &*bound, &self.options, facts, session)?;
        if let Some(report) = batch.nothing() {
            return Ok(format!("{}/{}", report.n_rows, report.affected));
        }
        let mut scopes = String::new();
        loop {
            let off = batch.wants_autocommit_off();
            let Try::Fly(attempt, scope) = batch.attempt()? else { unreachable!("no file was asked for") };
            let autocommit = off.then_some("SET autocommit = 0");
            let savepoint = (scope == Scope::Savepoint).then_some("SAVEPOINT s");
            let mut attempt =
                attempt.behind(autocommit.into_iter().chain(savepoint)).one_at_a_time(!off && self.inside);
            scopes += match scope {
                Scope::Autocommit => "bare ",
                Scope::Transaction => "own ",
                Scope::Savepoint => "part ",
            };
            let window = attempt.window(Window::default());
            let end = match peer.run(&mut Pipeline::new(&mut attempt).with_window(window)) {
                Ok(Ok(())) => Ok(attempt.into_counters()),
                // The answers make no sense: nobody knows what else does not.
                Ok(Err(error)) if error.is_fatal() => {
                    peer.channel.session.kill();
                    Err(error)
                }
                Ok(Err(error)) => Err(error),
                Err(error) => Err(error),
            };
            if let Some(end) = batch.ended(end, false) {
                return end.map(|report| format!("{scopes}{}", told(&report)));
            }
        }
    }
}

/// `rows/affected`, then what else there is: ids, affected rows of each, bad rows.
fn told(report: &BatchReport) -> String {
    let mut text = format!("{}/{}", report.n_rows, report.affected);
    if let Some(ids) = &report.ids {
        let ids: Vec<_> = ids.iter().map(|id| id.map_or("-".to_owned(), |id| id.to_string())).collect();
        text += &format!(" ids {}", ids.join(","));
    }
    if let Some(each) = &report.affected_each {
        let each: Vec<_> = each.iter().map(u64::to_string).collect();
        text += &format!(" each {}", each.join(","));
    }
    for bad in &report.bad_rows {
        text += &format!(" !{}:{}", bad.row, bad.error.code());
    }
    text
}

fn table() -> Table {
    let column = |name: &str, auto_increment: bool| {
        let ty = ColumnType::Int { bytes: 8, unsigned: false, bool: false };
        Column {
            name: name.into(),
            ty,
            nullable: true,
            optional: true,
            has_default: false,
            auto_increment,
            generated: false,
            keeps_spelling: false,
            charset: None,
        }
    };
    let columns = vec![column("id", true), column("a", false)];
    Table { schema: "s".into(), name: "t".into(), engine: "InnoDB".into(), transactional: true, columns }
}

/// An OK of so many affected rows and this first id.
fn ok(affected: u8, id: u8) -> Vec<u8> {
    vec![0, affected, id, 2, 0, 0, 0]
}

fn query(script: Script, sql: &str) -> Script {
    script.command(&[b"\x03", sql.as_bytes()].concat())
}

/// An execution or a bulk command, whose bytes are other tests' concern.
fn execution(script: Script) -> Script {
    script.reply_to(0).write_something()
}

fn answer(script: Script, payload: &[u8]) -> Script {
    script.reply_to(1).read(payload)
}

fn prepare(script: Script, sql: &str) -> Script {
    script.command(&[b"\x16", sql.as_bytes()].concat())
}

/// A statement of this number with so many parameters.
fn prepared(script: Script, id: u8, n_params: u8) -> Script {
    let script = answer(script, &[0, id, 0, 0, 0, 0, 0, n_params, 0, 0, 0, 0]);
    (0..n_params).fold(script, |script, _| script.read(COLUMN))
}

/// `INSERT ..(?),(?)` of the size that the prepared method makes.
fn insert_of(n_rows: usize) -> String {
    format!("INSERT INTO t (a) VALUES {}", ["(?)"].repeat(n_rows).join(","))
}

/// An INSERT of these rows.
fn rows(script: Script, rows: Range<i64>) -> Script {
    let rows: Vec<String> = rows.map(|row| format!("({row})")).collect();
    query(script, &format!("INSERT INTO t (a) VALUES {}", rows.join(",")))
}

/// A result set of numbers, as text or as executions give it.
fn numbers(script: Script, rows: &[&[u8]], is_text: bool, end: &[u8]) -> Script {
    let n_columns = rows.first().map_or(1, |row| row.len()) as u8;
    let mut script = script.reply_to(1).read(&[n_columns]);
    for _ in 0..n_columns {
        script = script.read(NUMBER);
    }
    for row in rows {
        let payload: Vec<u8> = match is_text {
            true => {
                row.iter().flat_map(|n| format!("{}{n}", char::from(n.to_string().len() as u8)).into_bytes()).collect()
            }
            false => [0, 0].into_iter().chain(row.iter().flat_map(|n| u64::from(*n).to_le_bytes())).collect(),
        };
        script = script.read(&payload);
    }
    script.read(end)
}

/// A column of BIGINT UNSIGNED NOT NULL.
const NUMBER: &[u8] = b"\x03def\0\0\0\x01n\0\x0c\x3f\0\x15\0\0\0\x08\x21\0\0\0\0";

/// It comes to this, cut anywhere too; and whatever breaks, it is an error, and the connection lives only if the error says so.
#[track_caller]
fn check(script: &Script, batch: &Told, want: &str) {
    script.check(|peer| batch.run(peer), want.to_owned());
    script.check_splits(|peer| batch.run(peer));
    script.check_faults_of_batch(|peer| batch.run(peer));
}

/// It fails with this code and row, and all of the script is used.
#[track_caller]
fn fails(script: &Script, batch: &Told, code: u16, row: Option<u64>) {
    script.check_fails(|peer| batch.run(peer), |e: &Error| (e.code(), e.row(), e.is_fatal()) == (code, row, false));
    script.check_splits(|peer| batch.run(peer));
    script.check_faults_of_batch(|peer| batch.run(peer));
}

#[test]
fn a_single_row_goes_bare() {
    let script = query(script().logged_in(), "INSERT INTO t (a) VALUES (0)");
    let batch = batch(INSERT, 1, Method::MultiRow);
    fails(&answer(script.clone(), DEADLOCK), &batch, 1213, Some(0));
    check(&answer(script, &ok(1, 4)), &batch, "bare 1/1");
}

#[test]
fn executions_one_by_one_and_in_one_flight() {
    let head = prepared(prepare(script().logged_in(), INSERT), 7, 1);
    let script = (1..=3).fold(head, |script, row| answer(execution(script), &ok(1, row)));
    check(&script, &batch(INSERT, 3, Method::Prepared), "own 3/3 ids 1,2,3 each 1,1,1");
    let off = query(inrush_testkit::script::script().logged_in(), "SET autocommit = 0");
    let head = prepared(prepare(off, INSERT).reply_to(1).read(OK), 7, 1);
    let sent = (0..3).fold(head, |script, _| execution(script));
    let script = answer(answer(answer(sent.clone(), &ok(1, 1)), &ok(1, 2)), &ok(1, 3));
    check(&script, &batch(INSERT, 3, Method::Pipelined), "own 3/3 ids 1,2,3 each 1,1,1");
    // Those behind one that fails are answered all the same, and count for nothing.
    let script = answer(answer(answer(sent.clone(), &ok(1, 1)), DUPLICATE), &ok(1, 3));
    fails(&script, &batch(INSERT, 3, Method::Pipelined), 1062, Some(1));
    check(&script, &batch(INSERT, 3, Method::Pipelined).skipping(), "own 2/2 ids 1,-,3 each 1,0,1 !1:1062");
    let script = answer(answer(answer(sent, DUPLICATE), DUPLICATE), DEADLOCK);
    fails(&script, &batch(INSERT, 3, Method::Pipelined).skipping(), 1213, Some(2));
}

/// A procedure gives as many results as it likes; the row stays one row.
#[test]
fn a_row_with_several_results() {
    let results = |script: Script| numbers(script, &[&[1], &[2]], false, END_AND_MORE);
    let head = prepared(prepare(script().logged_in(), CALL), 7, 1);
    let script = results(execution(head)).read(&ok(4, 0));
    let script = results(execution(script)).read(&ok(6, 0));
    check(&script, &batch(CALL, 2, Method::Prepared), "own 2/10 each 4,6");
}

#[test]
fn many_rows_of_one_statement() {
    let all = |script| query(script, "INSERT INTO t (a) VALUES (0),(1),(2),(3)");
    check(&answer(all(script().logged_in()), &ok(4, 7)), &batch(INSERT, 4, Method::MultiRow), "bare 4/4");
    let ids = batch(INSERT, 4, Method::MultiRow).with(|options| options.with_ids(true));
    check(&answer(all(script().logged_in()), &ok(4, 7)), &ids, "bare 4/4 ids 7,10,13,16");
    fails(&answer(all(script().logged_in()), DEADLOCK), &batch(INSERT, 4, Method::MultiRow), 1213, None);
    // Few rows are tried one by one: what was stored is not sent again.
    let quick = answer(all(script().logged_in()), DUPLICATE);
    let one = |script, row: u8| query(script, &format!("INSERT INTO t (a) VALUES ({row})"));
    let apart = answer(one(answer(all(quick), DUPLICATE), 0), &ok(1, 7));
    let third = one(answer(one(apart, 1), &ok(1, 10)), 2);
    fails(&answer(third.clone(), DUPLICATE), &batch(INSERT, 4, Method::MultiRow), 1062, Some(2));
    let script = answer(one(answer(third, &ok(1, 20)), 3), DUPLICATE);
    fails(&script, &batch(INSERT, 4, Method::MultiRow), 1062, Some(3));
    let skip = batch(INSERT, 4, Method::MultiRow).skipping().with(|options| options.with_ids(true));
    check(&script, &skip, "bare own 3/3 ids 7,10,20,- !3:1062");
}

/// Halves, until few are left, which are tried one by one.
#[test]
fn many_rows_of_which_some_are_bad() {
    let begun = answer(rows(answer(rows(script().logged_in(), 0..20), DUPLICATE), 0..20), DUPLICATE);
    let first = answer(rows(begun, 0..10), &ok(10, 0));
    let begun = answer(rows(first, 10..20), DUPLICATE);
    let begun = answer(rows(begun, 10..15), &ok(5, 0));
    let script = answer(rows(begun, 15..20), DUPLICATE);
    let answers = [DUPLICATE, &ok(1, 0), &ok(1, 0), DUPLICATE, &ok(1, 0)];
    let script = (15..).zip(answers).fold(script, |script, (row, said)| answer(rows(script, row..row + 1), said));
    check(&script, &batch(INSERT, 20, Method::MultiRow).skipping(), "bare own 18/18 !15:1062 !18:1062");
}

/// A row that the server names is tried alone if it is far from the first.
#[test]
fn a_row_that_the_server_names() {
    const NAMED: &[u8] = b"\xff\x18\x04#23000Column 'a' cannot be null at row 7";
    let begun = answer(rows(answer(rows(script().logged_in(), 0..10), NAMED), 0..10), NAMED);
    let begun = answer(rows(begun, 0..6), &ok(6, 0));
    let alone = rows(begun, 6..7);
    fails(&answer(alone.clone(), NAMED), &batch(INSERT, 10, Method::MultiRow), 1048, Some(6));
    let script = answer(rows(answer(alone, NAMED), 7..8), &ok(1, 0));
    let script = answer(rows(script, 8..10), &ok(2, 0));
    check(&script, &batch(INSERT, 10, Method::MultiRow).skipping(), "bare own 9/9 !6:1048");
}

#[test]
fn several_commands_in_flight_end_at_the_first_that_fails() {
    let batch = |n| batch(INSERT, n, Method::MultiRow).with(|options| options.with_rows(1));
    let sent = |script, row: i64| query(script, &format!("INSERT INTO t (a) VALUES ({row})"));
    let four = (0..4).fold(script().logged_in(), sent);
    let two = answer(answer(four, &ok(1, 0)), &ok(1, 0));
    // Once half of what may be in flight is answered, more is sent.
    let script = sent(two.clone(), 4);
    let script = answer(answer(answer(script, &ok(1, 0)), &ok(1, 0)), &ok(1, 0));
    check(&script, &batch(5), "own 5/5");
    let script = sent(sent(two, 4), 5);
    let script = answer(answer(script, DUPLICATE), &ok(1, 0));
    fails(&answer(answer(script, &ok(1, 0)), &ok(1, 0)), &batch(9), 1062, Some(2));
}

/// In a transaction a savepoint goes ahead, and one command is sent at a time where autocommit is on.
#[test]
fn behind_a_savepoint() {
    let batch = |n| batch(INSERT, n, Method::MultiRow).with(|options| options.with_rows(2)).inside();
    let ahead = query(script().logged_in(), "SAVEPOINT s");
    let script = query(ahead, "INSERT INTO t (a) VALUES (0),(1)").read(OK);
    let script = answer(script, &ok(2, 0));
    let script = answer(query(script, "INSERT INTO t (a) VALUES (2)"), &ok(1, 0));
    check(&script, &batch(3), "part 3/3");
    // A savepoint that cannot be set ends it, whatever the row behind it came to.
    let refused =
        query(query(inrush_testkit::script::script().logged_in(), "SAVEPOINT s"), "INSERT INTO t (a) VALUES (0),(1)");
    fails(&answer(refused.read(DEADLOCK), &ok(2, 0)), &batch(3), 1213, None);
    // One command needs none.
    let script =
        answer(query(inrush_testkit::script::script().logged_in(), "INSERT INTO t (a) VALUES (0),(1)"), &ok(2, 0));
    check(&script, &batch(2), "bare 2/2");
}

/// Three rows as two and one: both statements are prepared in one flight.
#[test]
fn many_rows_bound() {
    let learned = |script| {
        let script = prepare(prepare(script, &insert_of(1)), &insert_of(2));
        prepared(prepared(script, 7, 1), 8, 2)
    };
    let sent = execution(execution(learned(script().logged_in())));
    let script = answer(answer(sent.clone(), &ok(2, 5)), &ok(1, 6));
    check(&script, &batch(INSERT, 3, Method::MultiRowPrepared), "own 3/3");
    let ids = batch(INSERT, 3, Method::MultiRowPrepared).with(|options| options.with_ids(true));
    check(&script, &ids, "own 3/3 ids 5,8,6");
    // What is prepared is kept for the strict attempt.
    let failed = answer(answer(sent, DUPLICATE), &ok(1, 6));
    let first = answer(execution(answer(execution(failed), DUPLICATE)), DUPLICATE);
    fails(&first, &batch(INSERT, 3, Method::MultiRowPrepared), 1062, Some(0));
    let script = answer(execution(first), &ok(1, 5));
    let script = answer(execution(script), &ok(1, 6));
    check(&script, &batch(INSERT, 3, Method::MultiRowPrepared).skipping(), "own own 2/2 !0:1062");
}

#[test]
fn returned_ids() {
    let sql = "INSERT INTO t (a) VALUES (0),(1),(2) RETURNING `id`";
    let batch = batch(INSERT, 3, Method::MultiRow).with(|options| options.with_ids(true));
    let sent = query(script().logged_in_at_mariadb(), sql);
    let script = numbers(sent.clone(), &[&[3], &[4], &[6]], true, END);
    check(&script, &batch, "bare 3/0 ids 3,4,6");
    // A row too few or too many is no answer to be believed.
    for rows in [&[&[3_u8][..], &[4]][..], &[&[3], &[4], &[5], &[6]]] {
        let script = numbers(sent.clone(), rows, true, END);
        script.check_fails(|peer| batch.run(peer), |e| e.message().contains("for 3 inserted"));
    }
}

#[test]
fn in_bulk() {
    let head = prepared(prepare(script().logged_in_at_mariadb(), INSERT), 7, 1);
    check(&answer(execution(head.clone()), &ok(3, 0)), &batch(INSERT, 3, Method::Bulk), "bare 3/3");
    let failed = answer(execution(answer(execution(head), DUPLICATE)), DUPLICATE);
    let first = answer(execution(failed), &ok(1, 0));
    let script = answer(execution(first), DUPLICATE);
    fails(&script, &batch(INSERT, 3, Method::Bulk), 1062, Some(1));
    let script = answer(execution(script), &ok(1, 0));
    check(&script, &batch(INSERT, 3, Method::Bulk).skipping(), "bare own 2/2 !1:1062");
    // An UPDATE in bulk runs row by row, so it never goes bare, and strictly it is an execution a row.
    let head = prepared(prepare(inrush_testkit::script::script().logged_in_at_mariadb(), UPDATE), 7, 1);
    let failed = answer(execution(head), DUPLICATE);
    let script = answer(execution(answer(execution(failed), &ok(1, 0))), DUPLICATE);
    fails(&script, &batch(UPDATE, 9, Method::Bulk), 1062, Some(1));
}

/// The server hands out results of rows before the one that fails: they count for nothing.
#[test]
fn results_row_by_row() {
    let batch = |n| batch(INSERT, n, Method::Bulk).with(|options| options.with_ids(true).with_affected_each(true));
    let head = prepared(prepare(script().logged_in_at_mariadb(), INSERT), 7, 1);
    let script = numbers(execution(head.clone()), &[&[5, 1], &[6, 2], &[0, 0]], false, END);
    check(&script, &batch(3), "bare 3/3 ids 5,6,- each 1,2,0");
    let part = |script| {
        let script = answer(execution(script), &[2]).read(NUMBER).read(NUMBER);
        script.read(&[&[0, 0][..], &5_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat()).read(DUPLICATE)
    };
    let failed = part(part(head.clone()));
    let first = numbers(execution(failed), &[&[5, 1]], false, END);
    let script = answer(execution(first), DUPLICATE);
    fails(&script, &batch(2), 1062, Some(1));
    check(&script, &batch(2).skipping(), "bare own 1/1 ids 5,- each 1,0 !1:1062");
    let script = numbers(execution(head), &[&[5, 1], &[6, 2]], false, END);
    script.check_fails(|peer| batch(3).run(peer), |e| e.message().contains("for 3 inserted"));
}

#[test]
fn of_nothing_and_of_what_cannot_be() {
    for method in [Method::Prepared, Method::Pipelined, Method::MultiRow, Method::MultiRowPrepared] {
        script().logged_in().check(|peer| batch(INSERT, 0, method).run(peer), "0/0".into());
    }
    for method in [Method::MultiRow, Method::MultiRowPrepared, Method::Bulk, Method::LoadData] {
        let error = |e: &Error| e.kind() == Kind::Config && !e.is_fatal() && e.row().is_none();
        script().logged_in().check_fails(|peer| batch(UPDATE, 2, method).run(peer), error);
    }
}
