//! `inrush tune`: a result on every server, a command that works as it is printed, and nothing left behind.

use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, everywhere};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

fn tune(place: &Place, arguments: &str) -> Done {
    tune_as(place, (&place.server.user, &place.server.password), arguments)
}

fn tune_as(place: &Place, (user, password): (&str, &str), arguments: &str) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("tune").args(arguments.split_whitespace()).current_dir(place.folder.path());
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", password);
    command.arg("-S").arg(&place.server.socket).args(["-u", user, "-D", place.schema.name()]);
    place.done(&command.output().unwrap())
}

fn over_relay(place: &Place, relay: &SlowRelay, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(arguments.split_whitespace());
    command.current_dir(place.folder.path()).env("HOME", place.folder.path()).env_remove("INRUSH_URL");
    command.env("INRUSH_PASSWORD", &place.server.password).args(["-u", &place.server.user, "-h", "127.0.0.1"]);
    command.args(["-P", &relay.port().to_string(), "-D", place.schema.name(), "--tls", "disabled"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Schemas that a run of this test could have left: those of other tests have other tables.
fn n_left(place: &Place, table: &str) -> String {
    place.sql(&format!("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA LIKE 'inrush\\_tune\\_%' AND TABLE_NAME = '{table}'"))
}

#[test]
fn a_result_and_a_command_that_works() {
    everywhere("tune", |place| {
        place.sql(&TABLE.replace("numbers", "tuned_file"));
        place.sql("ALTER TABLE tuned_file ADD KEY by_value (value, id)");
        place.write("some numbers.csv", numbers(2000, |id| format!("{id},{id}")));
        place.write("numbers.csv", numbers(2000, |id| format!("{id},{id}")));
        let done =
            tune(place, "tuned_file numbers.csv --rows 500 --budget 2h --json --write-job job.toml --tls disabled");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(done.json["sample_rows"], 500, "{done}");
        // By the size of the file: its later rows are longer.
        assert!((1000..4000).contains(&done.json["rows_in_all"].as_u64().unwrap()), "{done}");
        let finalists = done.json["finalists"].as_array().unwrap();
        assert!(finalists.len() >= 2 && finalists[0]["options"].as_object().unwrap().is_empty(), "{done}");
        assert!(finalists.iter().all(|arm| arm["seconds"].as_array().unwrap().len() == 15), "{done}");
        assert_eq!(done.json["not_measured"], serde_json::json!([]), "{done}");
        let refused = done.json["refused"].to_string();
        assert_eq!(refused.contains("bulk"), place.is_mysql(), "{done}");
        assert_eq!(refused.contains("load-data"), !place.server.local_infile, "{done}");
        assert_eq!(
            (place.sql("SELECT COUNT(*) FROM tuned_file").as_str(), n_left(place, "tuned_file").as_str()),
            ("0", "0")
        );
        // The command, as it is, but for the password, which no command line has.
        let command = &done.json["command"]
            .as_str()
            .unwrap()
            .replace("--database shop", &format!("--database {}", place.schema.name()));
        let words: Vec<&str> = command.split(' ').skip(2).collect();
        assert!(command.starts_with("inrush load numbers.csv --into tuned_file --user "), "{command}");
        let mut load = place.bare("");
        load.args(words).env("INRUSH_PASSWORD", &place.server.password);
        let output = load.output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id) FROM tuned_file"), "2000,2001000");
        // So does the job file.
        place.forget();
        place.sql("TRUNCATE tuned_file");
        let done = place.go_on("--job job.toml");
        assert_eq!(done.code, 0, "{done}\n{}", place.read("job.toml"));
        assert_eq!(place.sql("SELECT COUNT(*) FROM tuned_file"), "2000");
        // As a person sees it.
        let mut shown = Command::new(env!("CARGO_BIN_EXE_inrush"));
        shown.current_dir(place.folder.path()).env("INRUSH_PASSWORD", &place.server.password);
        shown
            .args(["tune", "tuned_file", "some numbers.csv", "--rows", "300", "--budget", "1ms", "-S"])
            .arg(&place.server.socket);
        shown.args(["-u", &place.server.user, "-D", place.schema.name()]);
        let done = place.done(&shown.output().unwrap());
        assert!(
            done.code == 0 && done.stdout.contains("inrush load 'some numbers.csv' --into tuned_file --user "),
            "{done}"
        );
        // The time is over after the first load: what was not measured is said.
        let hint = "Undecided: nothing but the defaults was measured in this time; `--budget ";
        for words in ["not measured, for want of time: ", hint] {
            assert!(done.stdout.contains(words), "{done}");
        }
    });
}

/// The way to the server passes so few bytes that a thousand rows take seconds: a sample has fewer. What is said of a budget that is too
/// small is a budget for these samples.
#[test]
fn samples_shrink_where_rows_are_slow() {
    everywhere("tune_slow", |place| {
        place.sql("CREATE TABLE tuned_slow (id INT PRIMARY KEY, value TEXT)");
        let text = "x".repeat(500);
        place.write("slow.csv", numbers(3000, |id| format!("{id},{text}")));
        let relay = SlowRelay::start(place.server.port, Pieces { bytes: 200, pause: Duration::from_millis(2) });
        let over_relay = |arguments: &str| {
            over_relay(place, &relay, &format!("tune tuned_slow slow.csv --json {arguments}")).spawn().unwrap()
        };
        // 500 kB are 2,500 pieces, so at least five seconds; the budget allows 1.2 for a load.
        let mut run = over_relay("--budget 2m --verbose");
        let mut told = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
        let rows = |line: String| {
            let (_, rows) = line.strip_suffix(" rows")?.split_once("measuring the defaults, ")?;
            rows.parse::<u64>().ok()
        };
        let sizes: Vec<u64> = told.by_ref().filter_map(rows).take(2).collect();
        assert!(sizes.len() == 2 && sizes[0] == 1000 && (100..1000).contains(&sizes[1]), "{sizes:?}");
        // What is measured then is no concern of this test.
        relay.pass_in(Pieces { bytes: 64 << 10, pause: Duration::ZERO });
        told.for_each(drop);
        let done = place.done(&run.wait_with_output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(n_left(place, "tuned_slow"), "0");
        let done = place.done(&over_relay("--budget 1ms").wait_with_output().unwrap());
        let decides = &done.json["budget_to_decide_seconds"];
        assert_eq!((done.code, &done.json["certainty"]), (0, &"undecided".into()), "{done}");
        assert!(decides.as_u64().unwrap() >= 10 && decides.as_u64().unwrap().is_multiple_of(10), "{done}");
    });
}

#[test]
fn rows_of_the_table_itself() {
    everywhere("tune_own", |place| {
        place.sql(
            "CREATE TABLE tuned_rows (id INT AUTO_INCREMENT PRIMARY KEY, t VARCHAR(40), d DECIMAL(12,3), at DATETIME(6), \
             longer INT AS (CHAR_LENGTH(t)) VIRTUAL, b VARBINARY(9)); CREATE TABLE log_of_rows (n INT)",
        );
        place.sql(
            "CREATE TRIGGER after_rows AFTER INSERT ON tuned_rows FOR EACH ROW INSERT INTO log_of_rows VALUES (1)",
        );
        let empty = tune(place, "tuned_rows --budget 1ms");
        assert_eq!(empty.code, 1, "{empty}");
        empty.says("has no rows to sample");
        place.sql(
            "INSERT INTO tuned_rows (t, d, at, b) VALUES ('a', 1.5, '2024-02-29 01:02:03.5', x'00FF'), (NULL, NULL, NULL, NULL), ('', -1, '1999-12-31', '')",
        );
        let before = place.sql("CHECKSUM TABLE tuned_rows, log_of_rows");
        let done = tune(place, "tuned_rows --rows 3 --budget 1ms --json");
        assert_eq!(
            (done.code, &done.json["sample_rows"], &done.json["left_out"][0]),
            (0, &3.into(), &"1 trigger".into()),
            "{done}"
        );
        assert_eq!(done.json["rejected_rows"], 0, "{done}");
        assert!(done.json["command"].as_str().unwrap().starts_with("inrush load FILE --into tuned_rows "), "{done}");
        assert_eq!(
            (place.sql("CHECKSUM TABLE tuned_rows, log_of_rows"), n_left(place, "tuned_rows")),
            (before, "0".into())
        );
    });
}

#[test]
fn what_cannot_be_tuned() {
    everywhere("tune_wrong", |place| {
        place.sql("CREATE TABLE tuned_wrong (id INT PRIMARY KEY); CREATE VIEW seen AS SELECT * FROM tuned_wrong");
        place.write("a.csv", "id\n1\n");
        place.write("bad.csv", "name\nx\n");
        place.write("empty.csv", "id\n");
        for (arguments, code, says) in [
            ("nothing a.csv", 1, "there is no table"),
            ("seen a.csv", 1, "is no table that rows are loaded into"),
            ("tuned_wrong -", 1, "standard input"),
            ("tuned_wrong gone.csv", 1, "gone.csv"),
            ("tuned_wrong bad.csv", 1, "name"),
            ("tuned_wrong empty.csv", 1, "no rows to sample"),
            ("tuned_wrong --write-job x.toml", 1, "FILE"),
        ] {
            let done = tune(place, &format!("{arguments} --budget 1ms"));
            assert_eq!(done.code, code, "{arguments}: {done}");
            done.says(says);
            assert_eq!(n_left(place, "tuned_wrong"), "0", "{arguments}");
        }
    });
}

/// The copy of such a table has the rows of the original.
#[test]
fn tables_whose_rows_are_elsewhere_are_left_alone() {
    everywhere("tune_merge", |place| {
        place.sql(
            "CREATE TABLE tuned_part (id INT, KEY (id)) ENGINE=MyISAM; INSERT INTO tuned_part VALUES (1), (2); \
             CREATE TABLE tuned_merge (id INT, KEY (id)) ENGINE=MERGE UNION=(tuned_part) INSERT_METHOD=LAST",
        );
        place.write("a.csv", "id\n7\n");
        for files in ["a.csv", ""] {
            let done = tune(place, &format!("tuned_merge {files} --budget 1ms"));
            assert_eq!(done.code, 1, "{done}");
            done.says("MRG_M");
        }
        let verified = place.load("a.csv --into tuned_merge --guarantee at-least-once --verify");
        assert_ne!(verified.code, 0, "{verified}");
        verified.says("MRG_M");
        // The load itself was asked for; the comparison adds nothing.
        assert_eq!(place.sql("SELECT GROUP_CONCAT(id ORDER BY id) FROM tuned_part"), "1,2,7");
    });
}

/// Tables that a plain copy, or a plain load, is not enough for.
#[test]
fn odd_tables() {
    everywhere("tune_odd", |place| {
        place.sql(
            "CREATE TABLE tuned_isam (id INT PRIMARY KEY) ENGINE=MyISAM; INSERT INTO tuned_isam VALUES (1), (2); \
             SET sql_mode = ''; CREATE TABLE tuned_zero (id INT PRIMARY KEY, d DATE NOT NULL DEFAULT '0000-00-00', at DATETIME); \
             INSERT INTO tuned_zero VALUES (1, '0000-00-00', '2024-02-29 01:02:03'), (2, '2024-02-29', '0000-00-00'), (3, '2024-01-01', NULL)",
        );
        let refused = tune(place, "tuned_isam --budget 1ms");
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("MyISAM");
        refused.says("--guarantee at-least-once");
        let done = tune(place, "tuned_isam --budget 1ms --json --guarantee at-least-once");
        assert_eq!((done.code, &done.json["sample_rows"]), (0, &2.into()), "{done}");
        assert!(done.json["command"].as_str().unwrap().contains(" --guarantee at-least-once"), "{done}");
        let done = tune(place, "tuned_zero --budget 1ms --json");
        assert_eq!(
            (done.code, &done.json["sample_rows"], &done.json["rejected_rows"]),
            (0, &3.into(), &0.into()),
            "{done}"
        );
        assert!(done.json["command"].as_str().unwrap().contains(" --unchecked zero-dates"), "{done}");
        assert_eq!(tune(place, "tuned_zero --budget 1ms --unchecked nothing").code, 1);
        if !place.is_mysql() {
            // MySQL makes no such tables.
            place.sql(
                "CREATE TABLE tuned_made (a INT AS (1) STORED, b INT AS (2) VIRTUAL); INSERT INTO tuned_made () VALUES (); \
                 CREATE TABLE tuned_kept (id INT PRIMARY KEY, t VARCHAR(9)) WITH SYSTEM VERSIONING; \
                 INSERT INTO tuned_kept VALUES (1, 'a'), (2, 'b'); UPDATE tuned_kept SET t = 'c'; \
                 CREATE TABLE tuned_period (id INT PRIMARY KEY, s TIMESTAMP(6) AS ROW START, e TIMESTAMP(6) AS ROW END, PERIOD FOR SYSTEM_TIME(s, e)) \
                 WITH SYSTEM VERSIONING; INSERT INTO tuned_period (id) VALUES (7)",
            );
            place.write("a.csv", "a\n1\n");
            for files in ["", "a.csv"] {
                let made = tune(place, &format!("tuned_made {files} --budget 1ms"));
                assert_eq!(made.code, 1, "{made}");
                made.says("all columns of `shop`.`tuned_made` are generated");
            }
            for (table, rows) in [("tuned_kept", 2), ("tuned_period", 1)] {
                let done = tune(place, &format!("{table} --budget 10m --rows 2 --json"));
                assert_eq!((done.code, &done.json["sample_rows"]), (0, &rows.into()), "{done}");
            }
            assert_eq!(place.sql("SELECT COUNT(*) FROM tuned_kept FOR SYSTEM_TIME ALL"), "4");
        }
        for table in ["tuned_isam", "tuned_zero", "tuned_made", "tuned_kept", "tuned_period"] {
            assert_eq!(n_left(place, table), "0");
        }
    });
}

/// What a user may not see is said, and no schema is made that the user could not drop.
#[test]
fn users_with_few_rights() {
    everywhere("tune_rights", |place| {
        let schema = place.schema.name();
        let [few, keeps, role] = ["few", "keeps", "role"].map(|name| format!("{name}_{}", &schema[schema.len() - 8..]));
        place.sql(&format!(
            "CREATE TABLE tuned_rights (id INT PRIMARY KEY); INSERT INTO tuned_rights VALUES (1), (2); \
             CREATE TABLE tuned_plain (id INT PRIMARY KEY); INSERT INTO tuned_plain VALUES (1); \
             CREATE TRIGGER hidden BEFORE INSERT ON tuned_rights FOR EACH ROW SET NEW.id = NEW.id; \
             CREATE USER {few}@localhost IDENTIFIED BY 'some-Pass1'; CREATE USER {keeps}@localhost IDENTIFIED BY 'some-Pass1'; \
             GRANT SELECT ON `{schema}`.* TO {few}@localhost; GRANT ALL ON `inrush\\_tune\\_%`.* TO {few}@localhost; \
             GRANT SELECT ON `{schema}`.* TO {keeps}@localhost; GRANT CREATE, SELECT, INSERT ON `inrush\\_tune\\_%`.* TO {keeps}@localhost"
        ));
        let all = tune(place, "tuned_plain --budget 1ms --json");
        assert_eq!(
            (&all.json["sees_triggers"], &all.json["left_out"]),
            (&true.into(), &serde_json::json!([])),
            "{all}"
        );
        let seen = tune(place, "tuned_rights --budget 1ms --json");
        assert_eq!(
            (&seen.json["sees_triggers"], &seen.json["left_out"][0]),
            (&true.into(), &"1 trigger".into()),
            "{seen}"
        );
        let done = tune_as(place, (&few, "some-Pass1"), "tuned_rights --budget 1ms");
        assert_eq!(done.code, 0, "{done}");
        assert!(done.stdout.contains("triggers cannot be seen without the right TRIGGER"), "{done}");
        let done = tune_as(place, (&keeps, "some-Pass1"), "tuned_rights --budget 1ms");
        assert_eq!(done.code, 1, "{done}");
        done.says("may not drop the schema");
        assert_eq!(n_left(place, "tuned_rights"), "0");
        // Rights of a role are not known before.
        place.sql(&format!(
            "CREATE ROLE {role}; GRANT {role} TO {keeps}@localhost; SET DEFAULT ROLE {role} {} {keeps}@localhost",
            if place.is_mysql() { "TO" } else { "FOR" }
        ));
        let done = tune_as(place, (&keeps, "some-Pass1"), "tuned_rights --budget 1ms");
        assert_eq!(done.code, 3, "{done}");
        done.says("DROP DATABASE IF EXISTS `inrush_tune_");
        let left = place.sql("SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_SCHEMA LIKE 'inrush\\_tune\\_%' AND TABLE_NAME = 'tuned_rights'");
        assert!(done.stderr.contains(&left), "{done}");
        place.sql(&format!("DROP DATABASE `{left}`; DROP USER {few}@localhost, {keeps}@localhost; DROP ROLE {role}"));
    });
}

/// On a server that may be switched: read-only, and one that makes no table without a primary key.
pub(crate) fn on_a_server_that_refuses(place: &Place) {
    place.sql(
        "CREATE TABLE tuned_keyless (id INT); INSERT INTO tuned_keyless VALUES (1); DROP USER IF EXISTS tuner@localhost; \
         CREATE USER tuner@localhost IDENTIFIED BY 'some-Pass1'; GRANT SELECT, INSERT, CREATE, DROP ON *.* TO tuner@localhost",
    );
    let tuner = ("tuner", "some-Pass1");
    let strict = if place.is_mysql() { "sql_require_primary_key" } else { "innodb_force_primary_key" };
    place.sql(&format!("SET GLOBAL {strict} = ON"));
    let refused = tune_as(place, tuner, "tuned_keyless --budget 1ms");
    let may = tune(place, "tuned_keyless --budget 1ms");
    place.sql(&format!("SET GLOBAL {strict} = OFF"));
    assert_eq!(refused.code, 1, "{refused}");
    refused.says("has no primary key");
    assert_eq!(may.code, if place.is_mysql() { 0 } else { 1 }, "{may}");
    place.sql("SET GLOBAL read_only = 1");
    let refused = tune_as(place, tuner, "tuned_keyless --budget 1ms");
    place.sql("SET GLOBAL read_only = 0");
    assert_eq!(refused.code, 3, "{refused}");
    refused.says("hint: this server is read-only");
    assert_eq!(n_left(place, "tuned_keyless"), "0");
    place.sql("DROP TABLE tuned_keyless; DROP USER tuner@localhost");
}

/// An inserter and a pool for a service, over a table of its own and over one like the user's.
#[test]
fn callers_of_a_service() {
    everywhere("tune_callers", |place| {
        place.sql(
            "CREATE TABLE tuned_visits (id BIGINT AUTO_INCREMENT PRIMARY KEY, page VARCHAR(40), price DECIMAL(9,2), at DATETIME(6), tags JSON, b VARBINARY(9)); \
             INSERT INTO tuned_visits (page, price, at, tags, b) VALUES ('/', 1.50, '2024-02-29 01:02:03.5', '[1]', x'00FF'), ('ü', -2, NULL, NULL, ''); \
             CREATE TABLE tuned_unique (name VARCHAR(20) PRIMARY KEY, n INT); \
             INSERT INTO tuned_unique VALUES ('a', 1), ('b', 2), ('c', 3), ('d', 4), ('e', 5), ('f', 6), ('g', 7), ('h', 8)",
        );
        let before = place.sql("CHECKSUM TABLE tuned_visits, tuned_unique");
        // As many turns as it takes on this machine, or none but the first: what is said is whole.
        for (arguments, table) in [
            ("--callers 16 --row-bytes 60 --budget 1ms", "TABLE"),
            ("--callers 16 --budget 2s", "TABLE"),
            ("tuned_visits --callers 16 --budget 2s", "tuned_visits"),
            ("tuned_unique --callers 8 --budget 1ms", "tuned_unique"),
        ] {
            let done = tune(place, &format!("{arguments} --json --server-cores 3"));
            assert_eq!(done.code, 0, "{arguments}: {done}");
            for race in ["inserter", "pool"] {
                let race = &done.json[race];
                let n = race["finalists"][0]["seconds"].as_array().unwrap().len();
                assert!(n > 0 && race["rows_per_second"]["median"].as_f64().unwrap() > 0.0, "{arguments}: {done}");
                assert!(
                    race["sample_rows"].as_u64().unwrap() >= 8 && race["refused"] == serde_json::json!([]),
                    "{done}"
                );
            }
            assert_eq!(
                done.json["inserter"]["finalists"][0]["options"],
                serde_json::json!({ "lanes": 2, "batch_rows": 4096 })
            );
            assert_eq!(done.json["formulas"][0]["connections"], serde_json::json!({ "least": 7, "most": 7 }), "{done}");
            let code = done.json["code"].as_str().unwrap();
            assert!(code.contains(&format!("pool.inserter_with(\"{table}\", &options)")), "{code}");
        }
        let shown = tune(place, "tuned_visits --callers 4 --budget 1ms");
        assert_eq!(shown.code, 0, "{shown}");
        for words in ["The inserter: ", "The pool: ", "HikariCP", "let pool = inrush::Pool::new", "// expected: "] {
            assert!(shown.stdout.contains(words), "{words}: {shown}");
        }
        for (arguments, says) in [
            ("tuned_unique --callers 9", "too few for 9 callers"),
            ("tuned_unique a.csv --callers 4", "and no file"),
            ("tuned_unique --callers 4 --delimiter ;", "`--delimiter` is an option of a load"),
            ("tuned_nothing --callers 4", "there is no table"),
            ("--row-bytes 60", "--callers"),
            ("tuned_unique --callers 4 --row-bytes 60", "cannot be used with"),
            ("--callers 0", "--callers"),
        ] {
            let done = tune(place, &format!("{arguments} --budget 1ms"));
            assert_eq!(done.code, 1, "{arguments}: {done}");
            done.says(says);
        }
        assert_eq!(place.sql("CHECKSUM TABLE tuned_visits, tuned_unique"), before);
        for table in ["texts", "tuned_visits", "tuned_unique"] {
            assert_eq!(n_left(place, table), "0");
        }
    });
}

/// A job file has all options that were given, so that it loads what was sampled.
#[test]
fn a_job_file_reads_files_as_they_were_sampled() {
    everywhere("tune_job", |place| {
        place.sql("CREATE TABLE tuned_job (id INT PRIMARY KEY, a INT, b INT)");
        let rows: String = (1..=50).map(|id| format!("{id};{};NA\n", id * 2)).collect();
        place.write("swapped.csv", rows);
        let given = "--columns id,b,a --null NA --delimiter ; --no-header";
        let done =
            tune(place, &format!("tuned_job swapped.csv --rows 20 --budget 1ms {given} --write-job swapped.toml"));
        assert_eq!(done.code, 0, "{done}");
        let again =
            tune(place, &format!("tuned_job swapped.csv --rows 20 --budget 1ms {given} --write-job swapped.csv"));
        assert_eq!(again.code, 1, "{again}");
        again.says("cannot write the job file");
        let mut load = place.bare("--job swapped.toml");
        let output = load.env("INRUSH_PASSWORD", &place.server.password).output().unwrap();
        assert!(output.status.success(), "{output:?}\n{}", place.read("swapped.toml"));
        assert_eq!(place.sql("SELECT COUNT(*), SUM(a IS NULL), SUM(b = id * 2) FROM tuned_job"), "50,50,50");
    });
}

/// Whenever the first signal comes, the copy is dropped. The way to the server is slow, so that the command takes half a minute at least, and
/// never ends before the signal.
#[test]
fn an_interrupt_leaves_nothing() {
    everywhere("tune_stop", |place| {
        place.sql(
            "CREATE TABLE tuned_stop (id INT PRIMARY KEY, value INT); INSERT INTO tuned_stop VALUES (1, 1), (2, 2)",
        );
        place.write("numbers.csv", numbers(2000, |id| format!("{id},{id}")));
        for files in ["", "numbers.csv"] {
            for pause in [0, 150, 600] {
                let relay =
                    SlowRelay::start(place.server.port, Pieces { bytes: 64 << 10, pause: Duration::from_millis(5) });
                let arguments = format!("tune tuned_stop {files} --budget 10m -q");
                let run = over_relay(place, &relay, &arguments).spawn().unwrap();
                until("the copy", || n_left(place, "tuned_stop") != "0");
                std::thread::sleep(Duration::from_millis(pause));
                let pid = rustix::process::Pid::from_raw(run.id() as i32).unwrap();
                rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
                let done = place.done(&run.wait_with_output().unwrap());
                assert_eq!(done.code, 130, "{files} {pause}: {done}");
                assert_eq!(n_left(place, "tuned_stop"), "0", "{files} {pause}: {done}");
            }
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM tuned_stop"), "2");
    });
}
