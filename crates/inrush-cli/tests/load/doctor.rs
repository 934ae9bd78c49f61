//! `inrush doctor`: finds what was planted in a table, says what it may not read, and changes nothing.

use crate::place::{Place, everywhere};
use inrush_testkit::patience::{until, until_some};
use std::process::{Command, Stdio};

fn doctor(place: &Place, arguments: &[&str]) -> (i32, serde_json::Value, String) {
    let mut command = command(place, &place.server.password);
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user]);
    run(command, arguments)
}

/// The same, until each query was answered in the few seconds that the doctor waits for it: a busy machine may take longer.
#[track_caller]
fn in_time(place: &Place, arguments: &[&str]) -> (i32, serde_json::Value, String) {
    let is_late =
        |text: &str| ["time-out", "took too long", "cannot be used any more"].iter().any(|late| text.contains(late));
    until_some("a doctor whose queries are in time", || {
        let (code, json, stderr) = doctor(place, arguments);
        (!is_late(&json["unknown"].to_string()) && !is_late(&stderr)).then_some((code, json, stderr))
    })
}

fn command(place: &Place, password: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(["doctor", "--json", "-q", "-D", place.schema.name()]).current_dir(place.folder.path());
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", password);
    command
}

fn run(mut command: Command, arguments: &[&str]) -> (i32, serde_json::Value, String) {
    let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().unwrap(), json, String::from_utf8(output.stderr).unwrap())
}

#[track_caller]
fn rules(place: &Place, table: &str) -> Vec<String> {
    let (code, json, stderr) = in_time(place, &[table]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{json}");
    // A query that fails would be a line here, and its rules find nothing: only what a right or a setting hides may be one.
    let unknown = json["unknown"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
    let failed: Vec<_> =
        unknown.filter(|line| !line.contains("`performance_schema` is off") && !line.contains("privilege")).collect();
    assert_eq!(failed, [""; 0]);
    let findings = json["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_planted_is_found() {
    everywhere("doctor_planted", |place| {
        place.sql(
            "CREATE TABLE parents(id INT PRIMARY KEY);
             CREATE TABLE plain(id BIGINT AUTO_INCREMENT PRIMARY KEY, a INT);
             CREATE TABLE `plan``ted`(id CHAR(36) CHARACTER SET utf8mb4 PRIMARY KEY, a INT, b INT, c INT, t TEXT, g INT AS (a + b) STORED,
                 KEY (a), KEY ab(a, b), UNIQUE (c), FULLTEXT (t), FOREIGN KEY (a) REFERENCES parents(id));
             CREATE TABLE small(id TINYINT AUTO_INCREMENT PRIMARY KEY) AUTO_INCREMENT = 120;
             CREATE TABLE heap(a INT) ENGINE = MyISAM;",
        );
        let planted = rules(place, "`plan``ted`");
        for rule in
            ["random-key", "wide-key", "many-indexes", "redundant-index", "fulltext", "foreign-keys", "generated"]
        {
            assert!(planted.iter().any(|found| found == rule), "{rule}: {planted:?}");
            assert!(!rules(place, "plain").iter().any(|found| found == rule), "{rule}");
        }
        assert!(rules(place, "small").contains(&"id-runs-out".to_owned()));
        assert!(rules(place, "heap")[0] == "engine", "what blocks comes first: {:?}", rules(place, "heap"));
        assert_eq!(rules(place, "plain").contains(&"local-infile".to_owned()), !place.server.local_infile);
    });
}

#[test]
fn it_changes_nothing_and_needs_no_right() {
    everywhere("doctor_reads", |place| {
        place.sql("CREATE TABLE plain(id BIGINT PRIMARY KEY)");
        let before = place.sql("SHOW TABLES");
        let (code, json, stderr) = in_time(place, &[]);
        assert_eq!(code, 0, "{stderr}");
        assert!(json["rules"].as_u64().unwrap() >= 40 && json["table"].is_null(), "{json}");
        assert!(json["findings"].as_array().unwrap().iter().all(|finding| {
            ["title", "advice", "source"]
                .iter()
                .all(|field| finding[*field].as_str().is_some_and(|text| !text.is_empty()))
                && finding["evidence"].as_array().is_some_and(|evidence| !evidence.is_empty())
        }));
        let after = place.sql("SHOW TABLES");
        assert_eq!(before, after);
    });
}

#[test]
fn the_probe_measures_and_leaves_nothing() {
    everywhere("doctor_probe", |place| {
        place.sql(
            "CREATE TABLE many(id INT AUTO_INCREMENT PRIMARY KEY, a INT, b VARCHAR(20), c INT, g INT AS (a + 1) VIRTUAL, KEY (a), KEY (b), KEY (c), KEY ba(b, a));
             INSERT INTO many (a, b, c) VALUES (1, 'x', 2), (NULL, NULL, NULL), (3, '', 4)",
        );
        for _ in 0..8 {
            place.sql("INSERT INTO many (a, b, c) SELECT a, b, c FROM many");
        }
        let (code, json, stderr) = in_time(place, &["many", "--probe"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{json}");
        let of = |rule: &str| {
            json["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == rule).cloned().unwrap()
        };
        for rule in ["many-indexes", "commit-flush"] {
            let effect = &of(rule)["effect"];
            assert!(effect["kind"] == "measured" && effect["factor"].as_f64().unwrap() > 0.0, "{rule}: {effect}");
        }
        assert!(
            json["probed"] == true && of("many-indexes")["evidence"][0].as_str().unwrap().starts_with("768 rows: "),
            "{json}"
        );
        leaves_no_schema(place);
        assert_eq!(place.sql("SELECT COUNT(*) FROM many").trim(), "768");
    });
}

/// The probe of another test may be at work on this server: it removes its own.
fn leaves_no_schema(place: &Place) {
    until("the schemas of probes go", || place.sql("SHOW DATABASES LIKE 'inrush\\_doctor\\_%'").is_empty());
}

#[test]
fn files_are_read_and_their_order_is_found() {
    everywhere("doctor_files", |place| {
        place.sql("CREATE TABLE goods(id INT UNSIGNED, part VARCHAR(5), name VARCHAR(8), g INT AS (id + 1) STORED, PRIMARY KEY (part, id), KEY (name))");
        let line = |n: u32| format!("{n},p{},good {}\n", n / 100, n % 1000);
        let falling: String = (0..3000).rev().map(|n| line(n + 1000)).collect();
        let rising: String = (0..3000).map(|n| line(n + 1000)).collect();
        let wrong = format!("{}77,p0,much too long a name\n{}", line(10), line(12));
        for (name, text) in [("falling", &falling), ("rising", &rising), ("wrong", &wrong)] {
            place.write(&format!("{name}.csv"), format!("id,part,name\n{text}"));
        }
        for (file, options, expected) in [
            ("falling.csv", &["--probe"][..], vec!["source-order"]),
            ("falling.csv", &[], vec![]),
            ("rising.csv", &["--probe"], vec![]),
            ("wrong.csv", &[], vec!["source-refused"]),
            ("wrong.csv", &["--probe"], vec!["source-refused"]),
        ] {
            let (code, json, stderr) = in_time(place, &[&["goods", file], options].concat());
            assert_eq!((code, stderr.as_str()), (0, ""), "{file} {options:?}: {json}");
            let findings = json["findings"].as_array().unwrap();
            let of_files = findings.iter().filter(|finding| finding["rule"].as_str().unwrap().starts_with("source-"));
            // How fast the machine is, no test asks.
            let of_files: Vec<_> = of_files.filter(|finding| finding["rule"] != "source-slow").collect();
            let rules: Vec<_> = of_files.iter().map(|finding| finding["rule"].as_str().unwrap()).collect();
            assert_eq!(rules, expected, "{file} {options:?}: {json}");
            for finding in of_files {
                let evidence = finding["evidence"].to_string();
                let expected = if finding["rule"] == "source-order" {
                    "of the sampled rows"
                } else {
                    "wrong.csv, line 3, column `name`"
                };
                assert!(evidence.contains(expected), "{evidence}");
            }
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM goods").trim(), "0");
        leaves_no_schema(place);
    });
}

#[test]
fn files_that_are_none() {
    everywhere("doctor_no_files", |place| {
        place.sql("CREATE TABLE goods(id INT PRIMARY KEY)");
        place.write("other.csv", "id,colour\n1,red\n");
        for (arguments, code, message) in [
            (&["goods", "-"][..], 1, "standard input (`-`) can be read only once"),
            (&["goods", "missing.csv"], 1, "missing.csv"),
            (&["goods", "other.csv"], 1, "colour"),
            (&["goods", "--columns", "id"], 1, "FILE"),
        ] {
            let (found, _, stderr) = in_time(place, arguments);
            assert!(found == code && stderr.contains(message), "{arguments:?}: {found} {stderr}");
        }
    });
}

#[test]
fn tables_that_are_none() {
    everywhere("doctor_none", |place| {
        place.sql("CREATE VIEW seen AS SELECT 1 AS a");
        let (code, _, stderr) = in_time(place, &["nothing"]);
        assert!(code == 1 && stderr.contains("there is no table `nothing`"), "{code} {stderr}");
        let (code, _, stderr) = in_time(place, &["seen"]);
        assert!(code == 1 && stderr.contains("`seen` is no table but a view"), "{code} {stderr}");
        let page = place.folder.path().join("page.html");
        assert_eq!(doctor(place, &["--html", page.to_str().unwrap()]).0, 0);
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("inrush doctor") && page.ends_with("</html>\n"));
    });
}

/// Without `--probe` each statement that the server gets is a query, or a setting of the session itself: by the server's own log.
pub(crate) fn sends_queries_only(place: &Place) {
    place.sql(
        "CREATE TABLE watched (id CHAR(36) CHARACTER SET latin1 PRIMARY KEY, a INT, KEY (a)) PARTITION BY KEY (id) PARTITIONS 2; \
         INSERT INTO watched VALUES ('a', 1), ('b', 2); DROP USER IF EXISTS looker; CREATE USER looker IDENTIFIED BY 'some-Pass1'; \
         GRANT ALL ON *.* TO looker; SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON",
    );
    let port = place.server.port.to_string();
    let by_tcp = ["-h", "127.0.0.1", "-P", &port];
    let by_socket = ["-S", place.server.socket.to_str().unwrap()];
    for (way, arguments) in [(&by_tcp[..], &[][..]), (&by_tcp, &["watched"]), (&by_socket, &["watched"])] {
        let mut command = command(place, "some-Pass1");
        command.args(["-u", "looker"]).args(way);
        let (code, json, stderr) = run(command, arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{json}");
    }
    let quiet = statements(place);
    // It would see what writes.
    let mut command = command(place, "some-Pass1");
    command.args(["-u", "looker"]).args(by_socket);
    assert_eq!(run(command, &["watched", "--probe"]).0, 0);
    let probe = statements(place);
    place.sql("SET GLOBAL general_log = OFF; DROP USER looker; DROP TABLE watched");
    assert!(quiet.len() > 50, "{quiet:?}");
    let writes = |all: &[String]| all.iter().filter(|sql| !is_read_only(sql)).cloned().collect::<Vec<_>>();
    assert_eq!(writes(&quiet), [""; 0]);
    assert!(writes(&probe).iter().any(|sql| sql.starts_with("CREATE DATABASE")), "{probe:?}");
}

/// The beginnings of the statements that the user `looker` has sent.
fn statements(place: &Place) -> Vec<String> {
    let sql = "SELECT LEFT(REPLACE(CONVERT(argument USING utf8mb4), CHAR(10), ' '), 2000) FROM mysql.general_log \
               WHERE user_host LIKE 'looker[%' AND command_type IN ('Query', 'Prepare', 'Execute')";
    place.schema.sql(sql).concat()
}

fn is_read_only(sql: &str) -> bool {
    let sql = sql.trim_start().to_uppercase();
    let reads = ["SELECT ", "SHOW "].iter().any(|word| sql.starts_with(word));
    let changes = [" INTO ", "FOR UPDATE", "LOCK IN SHARE MODE", "FOR SHARE", "GET_LOCK(", "NEXTVAL(", "SLEEP("];
    let own = sql.starts_with("SET SESSION ") && !sql.contains("GLOBAL") && !sql.contains("PERSIST");
    own || reads && !changes.iter().any(|word| sql.contains(word))
}
