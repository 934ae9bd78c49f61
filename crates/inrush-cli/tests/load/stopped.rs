//! A load that somebody stops, or that waits: Ctrl-C, SIGTERM, a feeder that says nothing, a table that is locked.

use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Done, Place, Rows, everywhere};
pub(crate) use crate::session::{Session, await_true};
use inrush_testkit::patience::patience;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[test]
fn ctrl_c_under_way_names_what_is_stored() {
    everywhere("ctrl_c", |place| {
        for signal in ["INT", "TERM"] {
            place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
            let mut load = Running::start(place, "- --into numbers --batch 500");
            let feeder = load.feed();
            // Those of the first chunk: another lane may have stored a later one before.
            await_true("rows in the table", || place.sql("SELECT COUNT(*) FROM numbers WHERE id = 1") == "1");
            load.signal(signal);
            let done = load.end();
            let sent = feeder.join().unwrap();
            assert_eq!((done.code, &done.json["stop"]["why"]), (130, &"interrupted".into()), "{done}");
            done.says("stopping: chunks on their way are finished first");
            done.says("interrupted: what is stored stays\nstored: -, records 1 to ");
            let named = check_table(place, &done, |_| true);
            assert!(named.len() as u64 <= sent && done.rows().unwrap().unknown == 0, "{done}");
        }
    });
}

#[test]
fn a_feeder_that_says_nothing_does_not_keep_a_load_from_stopping() {
    everywhere("silent_feeder", |place| {
        place.sql(TABLE);
        let mut load = Running::start(place, "- --into numbers");
        load.begin();
        load.signal("TERM");
        let done = load.end();
        assert_eq!(done.code, 130, "{done}");
        check_table(place, &done, |_| true);
    });
}

#[test]
fn asked_how_it_goes_it_says_so_and_goes_on() {
    everywhere("usr1", |place| {
        place.sql(TABLE);
        let mut load = Running::start(place, "- --into numbers --batch 100 --lanes 2");
        load.begin();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        load.signal("USR1");
        load.await_notice("lane 2 (connection ");
        load.await_notice(" rows/s, ");
        drop(load.stdin.take());
        let done = load.end();
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "60000"), "{done}");
    });
}

#[test]
fn an_end_of_a_stopped_feeder_is_not_the_end_of_its_rows() {
    everywhere("stopped_feeder", |place| {
        place.sql(TABLE);
        let mut load = Running::start(place, "- --into numbers");
        load.begin();
        load.signal("INT");
        load.await_notice("stopping: ");
        drop(load.stdin.take());
        assert_eq!(load.end().code, 130);
    });
}

#[test]
fn twice_ends_a_load_that_waits_for_a_lock() {
    everywhere("twice", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(50, |id| format!("{id},{id}")));
        let holder = Session::open(place, "LOCK TABLES numbers WRITE");
        let mut load = Running::start(place, "numbers.csv --into numbers");
        await_true("a waiting statement", || waits(place));
        load.signal("INT");
        load.await_notice("stopping: ");
        load.signal("INT");
        let done = load.end();
        assert_eq!((done.code, done.rows()), (130, Some(Rows::stopping(0, 50))), "{done}");
        drop(holder);
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
    });
}

/// Else the server would execute it once the table is free, long after the load has ended.
#[test]
fn a_truncate_that_waits_is_ended_at_the_server() {
    everywhere("stopped_truncate", |place| {
        place.sql(TABLE);
        place.sql("INSERT INTO numbers VALUES (999, 9)");
        place.write("numbers.csv", numbers(50, |id| format!("{id},{id}")));
        let holder = Session::open(place, "BEGIN; SELECT COUNT(*) FROM numbers INTO @n");
        let mut load = Running::start(place, "numbers.csv --into numbers --truncate");
        await_true("a waiting statement", || waits(place));
        load.signal("INT");
        load.await_notice("stopping: ");
        let done = load.end();
        assert_eq!(done.code, 130, "{done}");
        done.says("error: interrupted before a row was sent");
        assert!(!waits(place));
        drop(holder);
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "1");
        let again = place.go_on("numbers.csv --into numbers --truncate");
        assert_eq!((again.code, again.rows()), (0, Some(Rows::stored(50))), "{again}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "50");
    });
}

/// The same of the ALTER of `--widen` and of `--new-columns add`.
#[test]
fn an_alter_that_waits_is_ended_at_the_server() {
    everywhere("stopped_alter", |place| {
        let columns = "SELECT GROUP_CONCAT(COLUMN_NAME, ' ', DATA_TYPE ORDER BY ORDINAL_POSITION SEPARATOR '; ') \
                       FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'";
        for (options, header, after, row) in [
            ("--widen", "id,n", "id int; n bigint", "5,3000000000"),
            ("--new-columns add", "id,city", "id int; n int; city varchar", "5,NULL,3000000000x"),
        ] {
            place.sql("DROP TABLE IF EXISTS people; CREATE TABLE people (id INT PRIMARY KEY, n INT)");
            place.forget();
            let value = row.rsplit(',').next().unwrap();
            place.write("people.csv", format!("{header}\n5,{value}\n"));
            let load = format!("people.csv --into people {options}");
            let holder = Session::open(place, "BEGIN; SELECT COUNT(*) FROM people INTO @n");
            let mut running = Running::start(place, &load);
            await_true("a waiting statement", || waits(place));
            running.signal("INT");
            running.await_notice("stopping: ");
            let done = running.end();
            assert_eq!(done.code, 130, "{options}: {done}");
            done.says("error: interrupted before a row was sent");
            assert!(!waits(place));
            drop(holder);
            assert_eq!(place.sql(columns), "id int; n int", "{options}");
            let again = place.go_on(&load);
            assert_eq!((again.code, place.sql(columns).as_str()), (0, after), "{options}: {again}");
            assert_eq!(place.sql("SELECT * FROM people"), row);
        }
    });
}

/// The load's ALTER is made of the definition that the column has once no other ALTER is before it.
#[test]
fn a_widening_behind_another_alter_does_not_undo_it() {
    everywhere("widening_behind", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, n VARCHAR(5)); INSERT INTO people VALUES (1, 'x')");
        place.write("people.csv", "id,n\n5,longer\n");
        let holder = Session::open(place, "BEGIN; SELECT COUNT(*) FROM people INTO @n");
        let mut other = Session::open(place, "DO 0");
        other.say("ALTER TABLE people MODIFY n VARCHAR(1000) NOT NULL DEFAULT 'd' COMMENT 'c'");
        await_true("a waiting ALTER", || waiting(place) == 1);
        let load = Running::start(place, "people.csv --into people --widen");
        await_true("a waiting load", || waiting(place) == 2);
        drop(holder);
        drop(other);
        let done = load.end();
        assert_eq!(done.code, 1, "{done}");
        done.says("column `n` is VARCHAR(1000), and the load has planned VARCHAR(64): it was altered meanwhile");
        let again = place.go_on("people.csv --into people --widen");
        assert_eq!((again.code, again.rows()), (0, Some(Rows::stored(1))), "{again}");
        let create = place.schema.sql("SHOW CREATE TABLE people").concat().remove(1);
        assert!(create.contains("`n` varchar(1000) NOT NULL DEFAULT 'd' COMMENT 'c'"), "{create}");
    });
}

/// One wait serves four questions: the silence is told after 30 s, with the server's state; told again by nobody, because
/// the server's lock wait ends after 50 s; then nothing is in; and a load with patience tries again.
#[test]
fn a_silent_server_is_told_with_its_state() {
    everywhere("silent_server", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(50, |id| format!("{id},{id}")));
        place.write("patient.csv", numbers(50, |id| format!("{},{}", id + 100, id + 100)));
        let holder = Session::open(place, "BEGIN; INSERT INTO numbers VALUES (7, 7), (107, 107)");
        let mut patient = Running::start(place, "patient.csv --into numbers --lanes 1");
        let done = place.done(
            &place.command("numbers.csv --into numbers --lanes 1 --retry-for 0 --json --no-progress").output().unwrap(),
        );
        assert_eq!((done.code, done.rows()), (3, Some(Rows::stopping(0, 50))), "{done}");
        let (what, command) = match (place.server.local_infile, place.is_mysql()) {
            (true, _) => ("LOAD DATA", "Query"),
            (false, true) => ("INSERT", "Execute"),
            (false, false) => ("INSERT", "Bulk_execute"),
        };
        says_that_it_waits(&done.stderr, what, &format!("lane 1; the server says: {command} for "));
        done.says(
            "error: Lock wait timeout exceeded; try restarting transaction (server error 1205, SQLSTATE HY000)\n",
        );
        done.says("\nstored: nothing");
        patient.await_notice("Lock wait timeout exceeded; try restarting transaction");
        drop(holder);
        let done = patient.end();
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(50))), "{done}");
        assert_eq!(done.json["retries"][0]["code"], 1205, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), MIN(id) FROM numbers"), "50,101");
    });
}

/// That there is no answer for 30 s, or for as long as it took until that was noticed.
#[track_caller]
fn says_that_it_waits(said: &str, what: &str, then: &str) {
    let seconds = |line: &str| {
        let (seconds, rest) = line.split_once(&format!("no answer to {what} for "))?.1.split_once(" s on ")?;
        rest.starts_with(then).then(|| seconds.parse::<u64>().unwrap())
    };
    let seconds: Vec<u64> = said.lines().filter_map(seconds).collect();
    assert!(!seconds.is_empty() && seconds.iter().all(|seconds| *seconds >= 30), "{seconds:?}: {said}");
}

pub(crate) fn waits(place: &Place) -> bool {
    waiting(place) > 0
}

/// How many statements wait so.
fn waiting(place: &Place) -> u64 {
    let query = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}' AND STATE LIKE 'Waiting for table metadata%'",
        place.schema.name()
    );
    place.server.sql(&query)[0][0].parse().unwrap()
}

/// Kills every connection that uses the schema, and says how many.
pub(crate) fn kill_connections(place: &Place) -> usize {
    let query = format!(
        "SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}' AND ID <> CONNECTION_ID()",
        place.schema.name()
    );
    let found = place.server.sql(&query);
    // It may be gone by itself.
    found.iter().filter(|id| place.server.try_sql(&format!("KILL {}", id[0])).is_ok()).count()
}

/// A load under way.
pub(crate) struct Running<'a> {
    place: &'a Place,
    child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    /// Its standard error so far.
    said: Arc<Mutex<String>>,
    listener: JoinHandle<()>,
}

impl<'a> Running<'a> {
    /// Starts the first load that this schema sees.
    pub(crate) fn start(place: &'a Place, args: &str) -> Self {
        place.forget();
        Self::spawn(place, place.command(args))
    }

    pub(crate) fn spawn(place: &'a Place, mut command: Command) -> Self {
        let mut child = command.args(["--json", "--no-progress", "-v"]).stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let said = Arc::new(Mutex::new(String::new()));
        let (mut stderr, heard) = (BufReader::new(child.stderr.take().unwrap()), said.clone());
        let listener = std::thread::spawn(move || {
            let mut line = String::new();
            while stderr.read_line(&mut line).unwrap() > 0 {
                heard.lock().unwrap().push_str(&std::mem::take(&mut line));
            }
        });
        Self { place, child, stdin, said, listener }
    }

    /// Feeds it rows until it reads no more, and says how many.
    pub(crate) fn feed(&mut self) -> JoinHandle<u64> {
        let mut stdin = self.stdin.take().unwrap();
        std::thread::spawn(move || {
            stdin.write_all(b"id,value\n").unwrap();
            let mut sent = 0;
            loop {
                let rows: String = (sent + 1..=sent + 1000).map(|id| format!("{id},{id}\n")).collect();
                if stdin.write_all(rows.as_bytes()).is_err() {
                    return sent + 1000;
                }
                sent += 1000;
            }
        })
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// What the kernel says of its signals and its threads, for the message of a test that fails.
    fn status(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let told = ["State", "Threads", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"];
        let lines = status.lines().filter(|line| told.iter().any(|name| line.starts_with(name)));
        lines.collect::<Vec<_>>().join(", ")
    }

    /// Whether a SIGSTOP has stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits until it says this on standard error. Some notices come when a statement has waited for 30 s.
    #[track_caller]
    pub(crate) fn await_notice(&mut self, text: &str) {
        let limit = 2 * patience();
        let began = Instant::now();
        while !self.said().contains(text) {
            let is_over = self.listener.is_finished() || began.elapsed() > limit;
            if is_over && !self.said().contains(text) {
                let (ended, status) = (self.child.try_wait(), self.status());
                let _ = self.child.kill();
                let waited = began.elapsed();
                panic!("it did not say `{text}` in {waited:?} (ended: {ended:?}; {status}): {}", self.said());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Feeds it the beginning of a file, longer than what is read at a time, and waits until it has begun.
    pub(crate) fn begin(&mut self) {
        let rows = numbers(60_000, |id| format!("{id},{id}"));
        let mut stdin = self.stdin.take().unwrap();
        // It may be stopped before it has read all.
        let feeder = std::thread::spawn(move || {
            let _ = stdin.write_all(rows.as_bytes());
            stdin
        });
        self.await_notice("method ");
        self.stdin = Some(feeder.join().unwrap());
    }

    pub(crate) fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// What it says at its end, for which a server may let it wait a minute by its own clock.
    #[track_caller]
    pub(crate) fn end(self) -> Done {
        self.end_within(3 * patience())
    }

    #[track_caller]
    pub(crate) fn end_within(mut self, limit: Duration) -> Done {
        let deadline = Instant::now() + limit;
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                panic!("it does not end; it said: {}", self.said());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut output = self.child.wait_with_output().unwrap();
        self.listener.join().unwrap();
        output.stderr = self.said.lock().unwrap().clone().into_bytes();
        self.place.done(&output)
    }
}
