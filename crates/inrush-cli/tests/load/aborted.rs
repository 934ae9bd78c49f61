//! Two signals end a load whatever it waits for: a test for each wait that `loader/lanes/waits.rs` lists. Each of these waits would last far
//! longer than a test waits for anything, and what is waited for does not come before the load has ended.

use crate::lost::ONE_LANE;
use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Done, Place, on};
use crate::stopped::{Running, Session, await_true};
use inrush_testkit::patience::{Wait, patience};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::with_local_infile;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Sends both signals; the load must end and say that it was interrupted.
#[track_caller]
fn ends_at_once(mut load: Running<'_>) -> Done {
    load.signal("INT");
    load.await_notice("stopping: ");
    if !load.is_over() {
        load.signal("INT");
    }
    // Less than the 50 s after which a server gives up a wait for a row's lock.
    let done = load.end_within(patience() * 2 / 3);
    assert_eq!(done.code, 130, "{done}");
    assert!(done.stderr.lines().count() < 100, "{done}");
    done
}

#[track_caller]
fn on_families(label: &str, test: impl Fn(&Place) + Sync) {
    on(with_local_infile(), label, |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(500, |id| format!("{id},{id}")));
        test(place);
    });
}

/// A load over a port of this machine that gives a connection far longer than a test waits.
fn patient(place: &Place, port: u16) -> Command {
    let Place { server, schema, .. } = place;
    let limit = 3 * patience().as_secs();
    let url =
        format!("mysql://{}@127.0.0.1:{port}/{}?tls=disabled&connect-timeout={limit}", server.user, schema.name());
    let mut command = place.bare(ONE_LANE);
    command.args(["--url", &url]).env("INRUSH_PASSWORD", &server.password);
    command
}

/// The bytes that a pipe holds (pipe(7)).
const PIPE: usize = 65_536;

/// Five COMMITs are of the ledger's opening, where its tables are to be made.
const FIRST_CHUNK: Cut = Cut::AfterCommit(6);

#[test]
fn while_a_commit_is_in_flight_and_the_server_refuses_connections() {
    on_families("abort_refused", |place| {
        let relay = Relay::start(place.server.port, FIRST_CHUNK);
        let mut load = Running::spawn(place, patient(place, relay.port()));
        load.await_notice("; trying again in ");
        let done = ends_at_once(load);
        unknown_chunk(place, &done);
    });
}

#[test]
fn while_a_commit_is_in_flight_and_the_server_does_not_answer_connections() {
    on_families("abort_ignored", |place| {
        let relay = Relay::ignoring(place.server.port, FIRST_CHUNK);
        let load = Running::spawn(place, patient(place, relay.port()));
        await_true("the cut", || relay.has_cut());
        let done = ends_at_once(load);
        unknown_chunk(place, &done);
    });
}

/// The rows of the first chunk are of unknown fate, and the ledger knows: the same command goes on.
#[track_caller]
fn unknown_chunk(place: &Place, done: &Done) {
    let rows = done.rows().unwrap();
    assert_eq!((rows.stored, rows.unknown, &done.json["stop"]["why"]), (0, 100, &"interrupted".into()), "{done}");
    done.says("\nunknown: numbers.csv, records 1 to 100 (lines 2 to 101): in the table or not, which is in the ledger");
    await_true("the COMMIT", || place.sql("SELECT COUNT(*) FROM numbers") == "100");
    check_table(place, done, |_| true);
    let gone_on = place.go_on(ONE_LANE);
    assert_eq!(
        (gone_on.code, place.sql("SELECT COUNT(*), SUM(id) FROM numbers").as_str()),
        (0, "500,125250"),
        "{gone_on}"
    );
}

#[test]
fn while_a_chunk_is_to_be_tried_again() {
    on_families("abort_retry", |place| {
        // In the second chunk, whatever the server says about itself before.
        let relay = Relay::start(place.server.port, Cut::BeforeCommit(6));
        let mut load = Running::spawn(place, patient(place, relay.port()));
        load.await_notice("; trying again in ");
        ends_at_once(load);
    });
}

#[test]
fn while_the_first_connection_is_made() {
    on_families("abort_login", |place| {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let load = Running::spawn(place, patient(place, silent.local_addr().unwrap().port()));
        let _client = silent.accept().unwrap();
        ends_at_once(load).says("error: interrupted before a row was sent");
    });
}

#[test]
fn while_the_ledger_is_opened() {
    on_families("abort_opening", |place| {
        let relay = Relay::ignoring(place.server.port, Cut::AfterCommit(1));
        let load = Running::spawn(place, patient(place, relay.port()));
        await_true("the cut", || relay.has_cut());
        ends_at_once(load).says("error: interrupted before a row was sent");
    });
}

#[test]
fn while_the_end_of_the_load_is_tried_again() {
    on_families("abort_end", |place| {
        for refuses in [true, false] {
            place.forget();
            place.sql("TRUNCATE numbers");
            // Five of the opening, five of chunks: the eleventh is of the end.
            let cut = Cut::AfterCommit(11);
            let relay =
                if refuses { Relay::start(place.server.port, cut) } else { Relay::ignoring(place.server.port, cut) };
            let mut load = Running::spawn(place, patient(place, relay.port()));
            if refuses {
                load.await_notice("the end of the load: ");
            } else {
                await_true("the cut", || relay.has_cut());
            }
            let done = ends_at_once(load);
            done.says("error: every row is stored, but the load is not ended: ");
            assert_eq!(done.json["stop"]["why"], "interrupted", "{done}");
            assert_eq!(place.go_on(ONE_LANE).code, 0);
        }
    });
}

#[test]
fn while_a_statement_of_the_user_runs() {
    on_families("abort_steps", |place| {
        // Two statements: the server may still run the first when the second is awaited.
        let seconds = 3 * patience().as_secs();
        for (option, seconds) in [("--before", seconds), ("--after", seconds + 1)] {
            let statement = format!("DO SLEEP({seconds})");
            let mut command = place.command(ONE_LANE);
            command.args([option, &statement]);
            let load = Running::spawn(place, command);
            await_true("the statement", || runs(place, &statement));
            ends_at_once(load);
        }
    });
}

#[test]
fn while_an_index_is_rebuilt() {
    on_families("abort_rebuild", |place| {
        place.sql("ALTER TABLE numbers ADD KEY by_value (value)");
        let mut load = Running::start(place, "- --into numbers --defer-indexes --lanes 1");
        load.begin();
        // A transaction that has read the table keeps it as it is.
        let holder = Session::open(place, "BEGIN; SELECT COUNT(*) FROM numbers INTO @n");
        drop(load.stdin.take());
        await_true("the rebuilding", || runs(place, "ALTER TABLE"));
        let done = ends_at_once(load);
        drop(holder);
        done.says("dropped until the load is finished: index `by_value`");
    });
}

#[test]
fn while_another_run_has_the_lock_of_the_job() {
    on_families("abort_job_lock", |place| {
        let mut command = place.command(&format!("{ONE_LANE} --truncate"));
        let mut older = command.env("INRUSH_FAULT", "step.before:1:stop").spawn().unwrap();
        await_true("the lock", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", older.id())).unwrap();
            stat.rsplit(") ").next().unwrap().starts_with('T')
        });
        let load = Running::spawn(place, place.command(ONE_LANE));
        await_true("the wait", || runs(place, "SELECT GET_LOCK"));
        let done = ends_at_once(load);
        older.kill().unwrap();
        older.wait().unwrap();
        done.says("error: interrupted before a row was sent");
    });
}

#[test]
fn while_another_run_has_the_line_of_the_job() {
    on_families("abort_job_line", |place| {
        place.write("bad.csv", "id,value\n1,1\nx,2\n");
        assert_eq!(place.load("bad.csv --into numbers --batch 1").code, 2);
        let holder =
            Session::open(place, "BEGIN; SELECT COUNT(*) FROM (SELECT 1 FROM inrush_job FOR UPDATE) AS l INTO @n");
        let load = Running::spawn(place, place.command("bad.csv --into numbers --batch 1"));
        await_true("the wait", || runs(place, "UPDATE"));
        let done = ends_at_once(load);
        drop(holder);
        done.says("error: interrupted before a row was sent");
    });
}

#[test]
fn while_a_feeder_says_nothing() {
    on_families("abort_feeder", |place| {
        let mut load = Running::start(place, "- --into numbers");
        load.begin();
        check_table(place, &ends_at_once(load), |_| true);
    });
}

#[test]
fn while_the_rate_lets_nothing_go() {
    on_families("abort_rate", |place| {
        let mut load = Running::start(place, &format!("{ONE_LANE} --rate 1"));
        // The first connection may be that which asks for the header's columns, when no load is active.
        load.await_notice("method ");
        ends_at_once(load);
    });
}

#[test]
fn while_the_reader_waits_for_lanes_that_wait_for_a_lock() {
    on_families("abort_queues", |place| {
        let mut load = Running::start(place, "- --into numbers --batch 500 --lanes 2");
        let feeder = load.feed();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        let holder = Session::open(place, "LOCK TABLES numbers WRITE");
        let done = ends_at_once(load);
        drop(holder);
        feeder.join().unwrap();
        check_table(place, &done, |_| true);
    });
}

/// Who started it reads nothing of what it says, and the pipe is full: neither a load nor its last words outlive the signals.
#[test]
fn while_nobody_reads_what_it_says() {
    on_families("abort_mute", |place| {
        ends_though_mute(place, &format!("{ONE_LANE} --rate 1 -v"), || is_connected(place));
    });
    on_families("abort_mute_end", |place| {
        let events = place.path("events");
        let has_failed = || std::fs::read_to_string(&events).is_ok_and(|text| text.contains("failure"));
        ends_though_mute(place, "numbers.csv --into missing --events events", has_failed);
    });
}

#[track_caller]
fn ends_though_mute(place: &Place, arguments: &str, is_ready: impl Fn() -> bool) {
    let (_unread, mut full) = std::io::pipe().unwrap();
    // What fits, and not one byte more: a pipe that blocks takes no part of such a write.
    full.write_all(&[b'\n'; PIPE]).unwrap();
    let mut child = place.command(arguments).stderr(full).spawn().unwrap();
    let pid = child.id();
    await_true("what it is to be interrupted in", is_ready);
    let wait = Wait::begin();
    while child.try_wait().unwrap().is_none() {
        wait.check("its end");
        assert!(Command::new("kill").args(["-s", "INT", &pid.to_string()]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(700));
    }
    let ended = child.wait().unwrap();
    assert!(ended.code() == Some(130) || ended.signal() == Some(2), "{ended:?}");
}

/// Nothing is sent yet, so one signal ends the process as any other: opening a pipe waits for its other end, and for its header.
#[test]
fn while_a_pipe_is_opened() {
    on_families("abort_pipe", |place| {
        assert!(Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
        for file in ["pipe.csv", "-"] {
            let mut command = place.command(&format!("{file} --into numbers"));
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"id,value\n1,1\n").unwrap();
            let pid = child.id();
            await_true("the opening", || catches_interrupts(pid));
            assert!(Command::new("kill").args(["-s", "INT", &pid.to_string()]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.signal(), Some(2), "{file}: {output:?}");
        }
    });
}

/// Whether a process has a handler for SIGINT.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap_or(0) & 0b10 != 0
}

/// Whether the server runs such a statement in this schema.
fn runs(place: &Place, statement: &str) -> bool {
    let query = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}' AND INFO LIKE '{statement}%'",
        place.schema.name()
    );
    place.server.sql(&query)[0][0] != "0"
}

fn is_connected(place: &Place) -> bool {
    let query = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}'",
        place.schema.name()
    );
    place.server.sql(&query)[0][0] != "0"
}
