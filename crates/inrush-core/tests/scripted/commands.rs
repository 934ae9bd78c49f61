//! Commands by script, each with every fault at every step and cut at every byte.

use inrush_core::error::{Error, Kind, Result};
use inrush_core::session::{
    Collect, Discard, Execute, Infile, LoadCounts, Outcome, Prepare, Prepared, Query, Sink, simple,
};
use inrush_core::value::Value;
use inrush_core::wire::{ColumnDef, Row, StmtId};
use inrush_testkit::captured::{COLUMN_CURRENT_USER, OK};
use inrush_testkit::script::{Peer, Script, script};

/// Runs a query; each result as its rows, and how many rows it changed.
fn query(sql: &str) -> impl Fn(&mut Peer) -> Result<Vec<(Vec<String>, u64)>> {
    move |peer| {
        let mut rows = Collect::new(10_000);
        peer.run(&mut Query::new(sql, &mut rows))?;
        Ok(texts(rows))
    }
}

fn texts(rows: Collect) -> Vec<(Vec<String>, u64)> {
    let row = |row: Row<'_>| {
        row.values()
            .map(|value| value.map_or_else(|e| e.to_string(), |value| value.to_string()))
            .collect::<Vec<_>>()
            .join(",")
    };
    let results = rows.into_results();
    results
        .iter()
        .map(|result| (result.rows().map(row).collect(), result.outcome().map_or(0, |outcome| outcome.affected)))
        .collect()
}

fn want(results: &[(&[&str], u64)]) -> Vec<(Vec<String>, u64)> {
    results.iter().map(|(rows, affected)| (rows.iter().map(|&row| row.into()).collect(), *affected)).collect()
}

const COLUMN: &[u8] = COLUMN_CURRENT_USER;
/// The end of a result set with CLIENT_DEPRECATE_EOF.
const END: &[u8] = b"\xfe\x00\x00\x02\x00\x00\x00";
/// The end of a result set after which another result follows.
const END_AND_MORE: &[u8] = b"\xfe\x00\x00\x0a\x00\x00\x00";
/// The same without CLIENT_DEPRECATE_EOF.
const EOF: &[u8] = b"\xfe\x00\x00\x02\x00";
const SYNTAX_ERROR: &[u8] = b"\xff\x28\x04#42000You have an error in your SQL syntax";

#[test]
fn a_query_without_rows() {
    let script = script().logged_in().command(b"\x03DO 1").read(b"\x00\x05\x00\x02\x00\x00\x00");
    script.check_all(query("DO 1"), want(&[(&[], 5)]));
}

#[test]
fn a_result_set() {
    let script = script().logged_in().command(b"\x03SELECT").read(b"\x02").read(COLUMN).read(COLUMN);
    let script = script.read(b"\x01a\xfb").read(b"\x00\x02bc").read(END);
    script.check_all(query("SELECT"), want(&[(&["a,NULL", ",bc"], 0)]));
}

#[test]
fn a_result_set_with_eofs() {
    let script = script().logged_in_long_ago().command(b"\x03SELECT").read(b"\x01").read(COLUMN).read(EOF);
    script.read(b"\x01a").read(EOF).check_all(query("SELECT"), want(&[(&["a"], 0)]));
}

#[test]
fn several_results() {
    let script = script().logged_in().command(b"\x03SELECT; DO 1; SELECT").read(b"\x01").read(COLUMN).read(b"\x01a");
    let script = script.read(END_AND_MORE).read(b"\x00\x07\x00\x0a\x00\x00\x00").read(b"\x01").read(COLUMN).read(END);
    script.check_all(query("SELECT; DO 1; SELECT"), want(&[(&["a"], 0), (&[], 7), (&[], 0)]));
}

#[test]
fn a_refusal_at_any_point_leaves_the_connection_usable() {
    let fails =
        |script: Script| script.read(SYNTAX_ERROR).check_fails(query("SELECT"), |e| e.code() == 1064 && !e.is_fatal());
    let script = script().logged_in().command(b"\x03SELECT");
    fails(script.clone());
    let script = script.read(b"\x01").read(COLUMN);
    fails(script.clone());
    let script = script.read(b"\x01a");
    fails(script.clone());
    fails(script.read(END_AND_MORE));
}

#[test]
fn a_refusal_that_closes_the_connection() {
    let killed = script().logged_in().command(b"\x03SELECT").read(b"\xff\x87\x07#70100Connection was killed");
    killed.check_fails(query("SELECT"), |e| e.code() == 1927 && e.is_fatal());
}

#[test]
fn a_local_file_that_nobody_offered() {
    let script = script().logged_in().command(b"\x03SELECT").read(b"\xfb/etc/passwd");
    script.check_fails(query("SELECT"), |e| e.is_fatal() && e.hint().is_some());
}

#[test]
fn a_result_larger_than_the_limit() {
    let row = &[&[0xFC, 0x40, 0x1F][..], &[b'x'; 8000]].concat();
    let script = script().logged_in().command(b"\x03SELECT").read(b"\x01").read(COLUMN).read(row).read(row);
    script.check_fails(query("SELECT"), |e| e.kind() == Kind::Config && e.is_fatal());
}

#[test]
fn more_columns_than_any_server_has() {
    for count in [&b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff"[..], b"\xfd\x00\x00\x01", b"\xfc\x00\x00", b"\x01\x01"] {
        let script = script().logged_in().command(b"\x03SELECT").read(count);
        script.check_fails(query("SELECT"), |e| e.kind() == Kind::Protocol);
    }
}

/// A sink may stop at any row; what is left of the result makes the connection useless.
#[test]
fn a_sink_that_has_had_enough() {
    struct Enough;
    impl Sink for Enough {
        fn columns(&mut self, _: &[ColumnDef]) -> Result<()> {
            Ok(())
        }
        fn row(&mut self, _: Row<'_>) -> Result<()> {
            Err(Error::data("enough"))
        }
        fn end(&mut self, _: &Outcome) -> Result<()> {
            Ok(())
        }
    }
    let script = script().logged_in().command(b"\x03SELECT").read(b"\x01").read(COLUMN).read(b"\x01a");
    script.check_fails(
        |peer| peer.run(&mut Query::new("SELECT", &mut Enough)),
        |e| e.is_fatal() && e.message() == "enough",
    );
}

#[test]
fn status_and_schema_follow_the_replies() {
    let script = script().logged_in().command(b"\x03USE a").read(b"\x00\x00\x00\x01\x42\x00\x00\x00\x04\x01\x02\x01a");
    script.check_all(
        |peer| {
            peer.run(&mut Query::new("USE a", &mut Discard))?;
            let session = &peer.channel.session;
            Ok((
                session.in_transaction(),
                session.autocommit(),
                session.no_backslash_escapes(),
                session.schema() == Some("a"),
            ))
        },
        (true, false, true, true),
    );
}

#[test]
fn prepare() {
    let prepare = |peer: &mut Peer| {
        let statement = peer.run(&mut Prepare::new("SELECT ?, ?"))?;
        Ok((statement.id, statement.n_params, statement.columns.len()))
    };
    let head = b"\x00\x07\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00";
    let want = (StmtId(7), 2, 1);
    let new = script().logged_in().command(b"\x16SELECT ?, ?").read(head).read(COLUMN).read(COLUMN).read(COLUMN);
    new.check_all(prepare, want);
    let old = script().logged_in_long_ago().command(b"\x16SELECT ?, ?").read(head).read(COLUMN).read(COLUMN).read(EOF);
    old.read(COLUMN).read(EOF).check_all(prepare, want);
}

#[test]
fn prepare_without_parameters_and_columns() {
    let prepare = |peer: &mut Peer| peer.run(&mut Prepare::new("DO 1")).map(|statement| statement.id.0);
    let script = |login: Script| login.command(b"\x16DO 1").read(b"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    script(self::script().logged_in()).check_all(prepare, 1);
    script(self::script().logged_in_long_ago()).check_all(prepare, 1);
}

fn statement(n_params: u16) -> Prepared {
    Prepared {
        id: StmtId(7),
        n_params,
        columns: Vec::new(),
        effect: inrush_core::session::Effect::Lasts,
        derived: Vec::new(),
    }
}

#[test]
fn execute() {
    let execute = |peer: &mut Peer| {
        let mut rows = Collect::new(10_000);
        peer.run(&mut Execute::new(&statement(2), &[Value::Int(1), Value::Null], &mut rows)?)?;
        Ok(texts(rows))
    };
    let command = b"\x17\x07\0\0\0\0\x01\0\0\0\x02\x01\x08\0\x06\0\x01\0\0\0\0\0\0\0";
    let script =
        script().logged_in().command(command).read(b"\x01").read(COLUMN).read(b"\x00\x00\x03abc").read(b"\x00\x04");
    script.read(END).check_all(execute, want(&[(&["abc", "NULL"], 0)]));
}

#[test]
fn values_that_do_not_match_the_placeholders() {
    let error = Execute::new(&statement(2), &[Value::Null], &mut Discard).err().expect("too few values");
    assert_eq!((error.kind(), error.is_fatal()), (Kind::Config, false));
}

#[test]
fn plain_commands() {
    let check = |command: &[u8], make: fn() -> simple::Simple| {
        script().logged_in().command(command).read(OK).check_all(|peer| peer.run(&mut make()).map(|o| o.affected), 0);
    };
    check(b"\x0e", simple::ping);
    check(b"\x1f", simple::reset_connection);
    check(b"\x1a\x07\0\0\0", || simple::reset_statement(StmtId(7)));
}

#[test]
fn commands_without_a_reply() {
    let close_and_ping = |peer: &mut Peer| {
        peer.run(&mut simple::close(StmtId(7)))?;
        peer.run(&mut simple::ping()).map(|outcome| outcome.affected)
    };
    let script = script().logged_in();
    script.clone().command(b"\x19\x07\0\0\0").command(b"\x0e").read(OK).check_all(close_and_ping, 0);
    let quit = |peer: &mut Peer| peer.run(&mut simple::quit()).map(|()| peer.channel.session.is_dead());
    script.command(b"\x01").check(quit, true);
}

const LOAD: &str = "LOAD DATA LOCAL INFILE 'n-1' INTO TABLE t";
const LOADED: &[u8] = b"\x00\x02\x00\x02\x00\x00\x00\x2fRecords: 2  Deleted: 0  Skipped: 0  Warnings: 0";

fn load(content: &'static [u8], frame_bytes: usize) -> impl Fn(&mut Peer) -> Result<Option<LoadCounts>> {
    move |peer| {
        let outcome = peer.run(&mut Infile::new(LOAD, "n-1", content).with_frames_of(frame_bytes))?;
        Ok(LoadCounts::parse(&outcome.info))
    }
}

fn load_script() -> Script {
    script().logged_in().command(&[b"\x03", LOAD.as_bytes()].concat())
}

const COUNTS: Option<LoadCounts> = Some(LoadCounts { records: 2, deleted: 0, skipped: 0, warnings: 0 });

#[test]
fn a_load_in_one_frame() {
    let script = load_script().read(b"\xfbn-1").write(b"1\n2\n").write(b"");
    script.read_of_any_number(LOADED).check_all(load(b"1\n2\n", 100), COUNTS);
}

#[test]
fn a_load_in_frames_that_rows_straddle() {
    let script = load_script().read(b"\xfbn-1").write(b"1\n2").write(b"\n33").write(b"3\n").write(b"");
    script.read_of_any_number(LOADED).check_all(load(b"1\n2\n333\n", 3), COUNTS);
}

/// An empty packet ends a load, so content that ends with a frame is not followed by two of them.
#[test]
fn a_load_that_fills_its_last_frame() {
    let script = load_script().read(b"\xfbn-1").write(b"1\n").write(b"2\n").write(b"");
    script.read_of_any_number(LOADED).check_all(load(b"1\n2\n", 2), COUNTS);
}

#[test]
fn a_load_of_nothing() {
    let nothing = b"\x00\x00\x00\x02\x00\x00\x00\x2fRecords: 0  Deleted: 0  Skipped: 0  Warnings: 0";
    let script = load_script().read(b"\xfbn-1").write(b"").read_of_any_number(nothing);
    script.check_all(load(b"", 100), COUNTS.map(|counts| LoadCounts { records: 0, ..counts }));
}

#[test]
fn a_load_that_the_server_refuses_at_once() {
    let refused = load_script().read(b"\xff\x7c\x04#42000The used command is not allowed");
    refused.check_fails(load(b"1\n", 100), |e| e.code() == 1148 && !e.is_fatal());
}

#[test]
fn a_load_that_fails_at_its_end() {
    let script =
        load_script().read(b"\xfbn-1").write(b"1\n").write(b"").read_of_any_number(b"\xff\x26\x04#23000Duplicate");
    script.check_fails(load(b"1\n", 100), |e| e.code() == 1062 && !e.is_fatal());
}

#[test]
fn a_load_that_the_server_breaks_off() {
    let script = load_script().read(b"\xfbn-1").write(b"1\n").read_of_any_number(b"\xff\x87\x04#08S01timeout");
    script.check_fails(load(b"1\n2\n", 2), |e| e.code() == 1159 && e.is_fatal());
    let early_ok = load_script().read(b"\xfbn-1").write(b"1\n").read_of_any_number(LOADED);
    early_ok.check_fails(load(b"1\n2\n", 2), |e| e.kind() == Kind::Protocol);
}

#[test]
fn a_server_that_asks_for_another_file() {
    for name in [&b"\xfb/etc/passwd"[..], b"\xfbn-10", b"\xfbN-1", b"\xfb"] {
        load_script().read(name).check_fails(load(b"1\n", 100), |e| e.is_fatal() && e.hint().is_some());
    }
    let twice = load_script().read(b"\xfbn-1").write(b"1\n").write(b"").read_of_any_number(b"\xfbn-1");
    twice.check_fails(load(b"1\n", 100), |e| e.kind() == Kind::Protocol);
}

#[test]
fn a_local_file_asked_for_by_what_loads_nothing() {
    let script_of = |command: &[u8]| script().logged_in().command(command).read(b"\xfb/etc/passwd");
    let prepare = |peer: &mut Peer| peer.run(&mut Prepare::new("SELECT 1")).map(drop);
    script_of(b"\x16SELECT 1").check_fails(prepare, |e| e.is_fatal());
    let execute = |peer: &mut Peer| peer.run(&mut Execute::new(&statement(0), &[], &mut Discard)?).map(drop);
    script_of(b"\x17\x07\0\0\0\0\x01\0\0\0").check_fails(execute, |e| e.is_fatal());
    script_of(b"\x0e").check_fails(|peer: &mut Peer| peer.run(&mut simple::ping()).map(drop), |e| e.is_fatal());
}

#[test]
fn a_load_without_the_capability_is_refused_on_this_side() {
    let peer = |peer: &mut Peer| {
        peer.channel.session = inrush_core::session::Session::new(inrush_core::session::Transport::Tcp);
        load(b"1\n", 100)(peer)
    };
    script().check_fails(peer, |e| e.kind() == Kind::Config && !e.is_fatal());
}
