//! `inrush load FOLDER/manifest.json`: what was exported goes back in, in every format, on the same server and on others, whole or not at all.

use crate::export::{ROWS, TYPES, command, export, names};
use crate::place::{Done, Place, everywhere};
use crate::verify;
use inrush_testkit::servers;

/// An empty schema beside that of the test.
pub(crate) fn beside(place: &Place) -> Place {
    Place::new(place.server.clone(), "restored")
}

/// `inrush load` of files in the folder of `from`.
#[track_caller]
pub(crate) fn load(from: &Place, into: &Place, arguments: &str) -> Done {
    let mut command = into.command(arguments);
    command.current_dir(from.folder.path()).args(["--json", "-q"]);
    let done = into.done(&command.output().unwrap());
    Done { stderr: done.stderr.replace(from.schema.name(), "origin"), ..done }
}

/// The exit code, and the rows of all tables that were stored by this and earlier runs.
pub(crate) fn stored(done: &Done) -> (i32, u64) {
    (done.code, done.json["total"]["rows"]["stored"].as_u64().unwrap_or(u64::MAX))
}

/// Compares a table of both places by `inrush verify`.
#[track_caller]
pub(crate) fn is_equal(one: &Place, other: &Place, table: &str, more: &str) {
    let mut command = verify::command(one, table);
    let server = &other.server;
    command.arg(format!("{}.{table}", other.schema.name())).args(more.split_whitespace());
    command.arg("--other").arg(format!("mysql://{}@{}:{}", server.user, server.host, server.port));
    command.env("INRUSH_OTHER_PASSWORD", &server.password);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{table}: {}{}", text(&output.stdout), text(&output.stderr));
}

/// Tables of all types that all servers have.
fn make_types(place: &Place) {
    let more = "bn BINARY(4), vb VARBINARY(20), bl LONGBLOB, g GEOMETRY";
    place.sql(&format!(
        "CREATE TABLE types ({TYPES}) CHARACTER SET utf8mb4; CREATE TABLE bytes (id INT PRIMARY KEY, {more})"
    ));
    let columns = "id,ti,tu,b,su,mi,i,bi,bu,y,b1,b64,d,dd,f,db,dt,dtm,ts,tm,c,v,t,e,s,j,l,u,`a b``,\"c`";
    place.sql(&format!("SET time_zone = '+00:00'; INSERT INTO types ({columns}) VALUES {ROWS}"));
    // A reader of JSON Lines cannot tell it from NULL.
    place.sql("UPDATE types SET j = '[null]' WHERE JSON_TYPE(j) = 'NULL'");
    place.sql(
        "INSERT INTO bytes VALUES (0, 0x00ff, 0x010200, 0xdeadbeef0a0d2c22, ST_GeomFromText('POINT(1 2)')), \
         (1, '', '', REPEAT(0x00FF5C27, 50000), ST_GeomFromText('LINESTRING(0 0,1 1)', 4326)), (2, NULL, NULL, NULL, NULL)",
    );
}

/// Runs the files of an export by the server's own client, in the order of their names. Returns what it says.
pub(crate) fn run_by_client(from: &Place, folder: &str, into: &Place) -> String {
    let mut said = String::new();
    for name in names(from, folder).iter().filter(|name| name.ends_with(".sql")) {
        let mut client = into.server.client();
        client.arg(into.schema.name()).stdin(std::fs::File::open(from.path(&format!("{folder}/{name}"))).unwrap());
        let output = client.output().unwrap();
        said += &String::from_utf8_lossy(&output.stderr);
    }
    said
}

/// Tables of all types, and of those that only some servers have.
fn make_all_types(place: &Place) {
    make_types(place);
    place.sql("CREATE TABLE own (id INT PRIMARY KEY)");
    for (at, (ty, values)) in own_types(place).into_iter().enumerate() {
        place.sql(&format!("ALTER TABLE own ADD c{at} {ty}"));
        for (id, value) in values.iter().enumerate() {
            place.sql(&format!(
                "INSERT INTO own (id, c{at}) VALUES ({id}, {value}) ON DUPLICATE KEY UPDATE c{at} = {value}"
            ));
        }
    }
}

/// Types that some servers have, each with three values.
fn own_types(place: &Place) -> Vec<(&'static str, [&'static str; 3])> {
    let vector = if place.is_mysql() {
        ("VECTOR(3)", ["STRING_TO_VECTOR('[1,2.5,-3e-7]')", "NULL", "STRING_TO_VECTOR('[0,0,0]')"])
    } else {
        ("VECTOR(3)", ["VEC_FromText('[1,2.5,-3e-7]')", "NULL", "VEC_FromText('[0,0,0]')"])
    };
    let of_mariadb = vec![
        ("UUID", ["'00112233-4455-6677-8899-aabbccddeeff'", "NULL", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
        ("INET4", ["'0.0.0.0'", "NULL", "'255.1.2.3'"]),
        ("INET6", ["'::'", "NULL", "'2001:db8::ff00:42:8329'"]),
    ];
    match place.server.name.as_str() {
        "mysql-9.7" => vec![vector],
        "mariadb-10.11" => of_mariadb,
        _ => [of_mariadb, vec![vector]].concat(),
    }
}

/// All columns of `types` but `j`, which both kinds of servers write differently.
const COMPARED: &str = "ti,tu,b,su,mi,i,bi,bu,y,b1,b64,d,dd,f,db,dt,dtm,ts,tm,c,v,t,e,s,l,u,twice";

#[test]
fn every_type_comes_back_by_every_format() {
    everywhere("manifest_types", |place| {
        make_all_types(place);
        for format in ["parquet", "arrow", "csv", "jsonl", "csv --compress gzip", "jsonl --compress zstd"] {
            let folder = format.replace(' ', "");
            let done = export(place, &format!("types bytes own --to {folder} --format {format}"));
            assert_eq!(done.code, 0, "{done}");
            let other = beside(place);
            let done = load(place, &other, &folder);
            assert_eq!(stored(&done), (0, 10), "{format}: {done}");
            for table in ["types", "bytes", "own"] {
                let of =
                    |place: &Place, what: &str| place.sql(&format!("{what} {table}")).replace(place.schema.name(), "");
                assert_eq!(of(&other, "SHOW CREATE TABLE"), of(place, "SHOW CREATE TABLE"), "{format}");
                assert_eq!(of(&other, "CHECKSUM TABLE"), of(place, "CHECKSUM TABLE"), "{format}: {table}");
                is_equal(place, &other, table, "");
            }
        }
    });
}

#[test]
fn an_export_goes_into_other_servers() {
    let places =
        ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"].map(|name| Place::new(servers::one(name), "manifest_others"));
    for place in &places {
        make_types(place);
        for format in ["parquet", "arrow", "csv", "jsonl"] {
            let done = export(place, &format!("types bytes --to {format} --format {format}"));
            assert_eq!(done.code, 0, "{done}");
            for other in places.iter().filter(|other| other.server.name != place.server.name) {
                let other = beside(other);
                let what = format!("{} {format} {}", place.server.name, other.server.name);
                let done = load(place, &other, &format!("{format}/manifest.json"));
                assert_eq!(stored(&done), (0, 7), "{what}: {done}");
                is_equal(place, &other, "bytes", "");
                is_equal(place, &other, "types", &format!("--columns {COMPARED}"));
                let documents = |place: &Place| -> Vec<serde_json::Value> {
                    let rows = place.schema.sql("SELECT IFNULL(HEX(j), HEX('null')) FROM types ORDER BY id");
                    let text = |row: &Vec<String>| {
                        (0..row[0].len())
                            .step_by(2)
                            .map(|at| u8::from_str_radix(&row[0][at..at + 2], 16).unwrap())
                            .collect::<Vec<_>>()
                    };
                    rows.iter().map(|row| serde_json::from_slice(&text(row)).unwrap()).collect()
                };
                assert_eq!(documents(&other), documents(place), "{what}");
            }
        }
    }
}

#[test]
fn sql_is_run_by_the_clients() {
    everywhere("manifest_sql", |place| {
        make_all_types(place);
        place.sql(
            "CREATE TABLE z (id INT AUTO_INCREMENT PRIMARY KEY, `say \"hi\", ``x``` LONGTEXT); \
             CREATE TABLE a (z INT, FOREIGN KEY (z) REFERENCES z (id)); SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; \
             INSERT INTO z VALUES (0, '; DROP TABLE a; -- '), (5, REPEAT('delimiter //\n', 150000)), (7, '\\\\g \\\\! /* '); \
             INSERT INTO a VALUES (5), (0)",
        );
        for more in ["", "--compress gzip --lanes 1"] {
            let folder = format!("sql{}", more.len());
            let done = export(place, &format!("types bytes own a z --to {folder} --format sql {more}"));
            assert_eq!(done.code, 0, "{done}");
            if !more.is_empty() {
                assert!(names(place, &folder).contains(&"types.sql.gz".to_owned()));
                continue;
            }
            let other = beside(place);
            assert_eq!(run_by_client(place, &folder, &other), "");
            for table in ["types", "bytes", "own", "a", "z"] {
                let of =
                    |place: &Place, what: &str| place.sql(&format!("{what} {table}")).replace(place.schema.name(), "");
                assert_eq!(of(&other, "SHOW CREATE TABLE"), of(place, "SHOW CREATE TABLE"));
                assert_eq!(of(&other, "CHECKSUM TABLE"), of(place, "CHECKSUM TABLE"), "{table}");
            }
            let refused = load(place, &other, &folder);
            assert_eq!(refused.code, 1, "{refused}");
            refused.says("is of files of SQL, which are not loaded here");
        }
        for (wrong, says) in [
            ("--query SELECT@1 --format sql", "is for tables"),
            ("z --no-create", "`--no-create` is for `--format sql`"),
        ] {
            let words = wrong.split(' ').map(|word| word.replace('@', " "));
            let done = place.done(&command(place, "--to wrong").args(words).output().unwrap());
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
    });
}

#[test]
fn sql_is_run_by_other_servers() {
    let places = ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"]
        .map(|name| Place::new(servers::one(name), "manifest_sql_others"));
    for place in &places {
        make_types(place);
        assert_eq!(export(place, "types bytes --to sql --format sql --no-create").code, 0);
    }
    for place in &places {
        for other in places.iter().filter(|other| other.server.name != place.server.name) {
            let other = beside(other);
            make_types(&other);
            other.sql("DELETE FROM types; DELETE FROM bytes");
            assert_eq!(run_by_client(place, "sql", &other), "");
            is_equal(place, &other, "bytes", "");
            is_equal(place, &other, "types", &format!("--columns {COMPARED}"));
        }
    }
}

#[test]
fn tables_are_made_in_the_order_of_their_keys() {
    everywhere("manifest_order", |place| {
        place.sql(
            "CREATE TABLE z (id INT AUTO_INCREMENT PRIMARY KEY, n INT DEFAULT 7, twice INT AS (n * 2) STORED); \
             INSERT INTO z (id, n) VALUES (1, 5), (8, 6); SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; INSERT INTO z (id) VALUES (0); \
             CREATE TABLE `y.\"` (id INT PRIMARY KEY, z INT, `say \"hi\", ``x``` BLOB, FOREIGN KEY (z) REFERENCES z (id)); \
             INSERT INTO `y.\"` VALUES (1, 8, 0x00ff), (2, NULL, NULL); \
             CREATE TABLE a (id INT, y INT, z INT, FOREIGN KEY (y) REFERENCES `y.\"` (id), FOREIGN KEY (z) REFERENCES z (id)); \
             INSERT INTO a VALUES (1, 1, 0), (2, 2, 1); CREATE TABLE none (id INT PRIMARY KEY, t TEXT)",
        );
        for format in ["csv", "jsonl", "parquet", "arrow"] {
            let done = export(place, &format!("{}.* --to {format} --format {format}", place.schema.name()));
            assert_eq!(done.code, 0, "{done}");
            let other = beside(place);
            let done = load(place, &other, format);
            assert_eq!(stored(&done), (0, 7), "{format}: {done}");
            for table in ["z", "`y.\"`", "a", "none"] {
                let of =
                    |place: &Place, what: &str| place.sql(&format!("{what} {table}")).replace(place.schema.name(), "");
                assert_eq!(of(&other, "SHOW CREATE TABLE"), of(place, "SHOW CREATE TABLE"), "{format}");
                assert_eq!(of(&other, "CHECKSUM TABLE"), of(place, "CHECKSUM TABLE"), "{format}");
            }
            // Once: a later run stores nothing more.
            let again = load(place, &other, format);
            assert_eq!((stored(&again), other.sql("SELECT COUNT(*) FROM z")), ((0, 7), "3".into()), "{again}");
            // A table of another name, for a manifest of one.
            if format == "csv" {
                assert_eq!(export(place, "z --to one --format csv").code, 0);
                let done = load(place, &other, "one --into copied");
                assert_eq!(
                    (stored(&done), other.sql("SELECT SUM(twice) FROM copied")),
                    ((0, 3), "36".into()),
                    "{done}"
                );
            }
        }
        // A table that is there is filled as it is; its own foreign keys decide.
        let other = beside(place);
        other.sql(
            "CREATE TABLE a (id INT, y BIGINT, z INT, more INT DEFAULT 3); CREATE TABLE z (id INT PRIMARY KEY, n INT)",
        );
        let done = load(place, &other, "parquet");
        assert_eq!((stored(&done), other.sql("SELECT SUM(more) FROM a")), ((0, 7), "6".into()), "{done}");
    });
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_made() {
    everywhere("manifest_refused", |place| {
        place.sql(
            "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3), (4); CREATE VIEW v AS SELECT 1 AS one; \
             CREATE TABLE own (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES own (id)); INSERT INTO own VALUES (1, NULL), (2, 1); \
             CREATE TABLE c1 (id INT PRIMARY KEY, c2 INT); CREATE TABLE c2 (id INT PRIMARY KEY, c1 INT, FOREIGN KEY (c1) REFERENCES c1 (id)); \
             ALTER TABLE c1 ADD FOREIGN KEY (c2) REFERENCES c2 (id); INSERT INTO c1 VALUES (1, NULL); INSERT INTO c2 VALUES (2, 1); UPDATE c1 SET c2 = 2",
        );
        for (folder, tables) in [("whole", "t v"), ("circle", "c1 c2 t"), ("own", "own")] {
            assert_eq!(export(place, &format!("{tables} --to {folder} --format csv")).code, 0);
        }
        let query = command(place, "--to query --format jsonl --query").arg("SELECT 1 AS one").output().unwrap();
        let done = place.done(&query);
        assert_eq!(done.code, 0, "{done}");
        let other = beside(place);
        let refused = |arguments: &str, code: i32, says: &str| {
            let done = load(place, &other, arguments);
            assert_eq!(done.code, code, "{arguments}: {done}");
            done.says(says);
            assert_eq!(other.sql("SHOW TABLES"), "", "{arguments}: {done}");
        };
        refused("whole", 1, "`shop`.`v` is not there, and there is no definition of it");
        refused(
            "circle",
            1,
            "foreign keys refer in a circle, so no table can be first: `shop`.`c1` -> `shop`.`c2` -> `shop`.`c1`\nhint: `--unchecked foreign-keys`",
        );
        refused("own", 1, "foreign keys of `shop`.`own` refer to the table itself");
        refused(
            "own --dry-run --unchecked foreign-keys",
            1,
            "`shop`.`own` is not there, and `--dry-run` makes no table",
        );
        refused("own --null x", 1, "`--null` contradicts the manifest of an export");
        refused("whole --into one", 1, "`--into one` is one table, and the manifest has 2");
        refused("own --into none.*", 1, "there is no database `none` that this user may see");
        refused(
            "query",
            1,
            "has the rows of a query, which name no table\nhint: name the table to fill: `--into TABLE`",
        );
        refused("whole/t.1.csv", 1, "no table is named");

        let (manifest, file) = (place.read("whole/manifest.json"), place.read("whole/t.1.csv"));
        place.write("whole/manifest.json", manifest.replace("\"inrush_export\": 1", "\"inrush_export\": 9"));
        refused("whole", 1, "is a manifest of version 9, which is not known here");
        place.write("whole/manifest.json", &manifest[..manifest.len() / 2]);
        refused("whole", 1, "`whole/manifest.json` is no whole manifest");
        place.write("whole/manifest.json", manifest.replace("t.1.csv", "../t.1.csv"));
        refused("whole", 1, "names a file out of its folder");
        place.write("whole/manifest.json", &manifest);
        place.write("whole/t.1.csv", file.replace('1', "9"));
        refused(
            "whole",
            2,
            "`whole/t.1.csv` is not what was exported: its bytes are others (XXH3)\nhint: nothing was loaded",
        );
        place.write("whole/t.1.csv", format!("{file}7\n"));
        refused("whole", 2, "`whole/t.1.csv` is not what was exported: it has 9 bytes, not 7");
        std::fs::remove_file(place.path("whole/t.1.csv")).unwrap();
        refused("whole", 1, "cannot open `whole/t.1.csv`: No such file");

        // What is refused as it is goes in as it is meant.
        place.write("whole/t.1.csv", &file);
        other.sql("CREATE TABLE v (one INT)");
        assert_eq!(stored(&load(place, &other, "whole")), (0, 5));
        assert_eq!(stored(&load(place, &other, "circle --unchecked foreign-keys --truncate")), (0, 6));
        assert_eq!(stored(&load(place, &other, "own --unchecked foreign-keys")), (0, 2));
        let done = load(place, &other, "query --into v");
        assert_eq!((stored(&done), other.sql("SELECT SUM(one) FROM v")), ((0, 1), "2".into()), "{done}");
    });
}

/// Bytes are hexadecimal digits in CSV, also where no line has the names of a query's columns.
#[test]
fn rows_of_a_query_come_back() {
    everywhere("manifest_query", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, b VARBINARY(9), j JSON); INSERT INTO t VALUES (1, x'00ff', '[1]'), (2, '', NULL), (3, NULL, '{}')");
        let export = |folder: &str, style: &str, query: &str| {
            place.done(&command(place, &format!("--to {folder} {style} --query")).arg(query).output().unwrap())
        };
        let rows = "SELECT id, HEX(b), b IS NULL, j IS NULL, j FROM t ORDER BY id";
        for (folder, style) in [
            ("plain", "--format csv --no-header"),
            ("tabs", "--format tsv --no-header"),
            ("head", "--format csv"),
            ("json", "--format jsonl"),
            ("parquet", "--format parquet"),
        ] {
            // On MariaDB a document is a text, which JSON Lines have in quotes.
            let query = if style.ends_with("jsonl") && !place.is_mysql() {
                "SELECT b, id FROM t"
            } else {
                "SELECT j, b, id FROM t"
            };
            let done = export(folder, style, query);
            assert_eq!(done.code, 0, "{style}: {done}");
            let other = beside(place);
            other.sql("CREATE TABLE t (j JSON, b VARBINARY(9), id INT PRIMARY KEY)");
            assert_eq!(stored(&load(place, &other, &format!("{folder} --into t"))), (0, 3), "{style}");
            let rows = if query.contains('j') { rows.to_owned() } else { rows.replace(", j IS NULL, j", "") };
            assert_eq!(other.sql(&rows), place.sql(&rows), "{style}");
        }
        // The JSON value null is not NULL.
        place.sql("UPDATE t SET j = 'null' WHERE id = 3");
        if place.is_mysql() {
            let done = export("null", "--format jsonl", "SELECT id, j FROM t");
            assert_eq!((done.code, place.path("null").exists()), (2, false), "{done}");
            done.says("column `j` holds the JSON value null");
        }
    });
}

#[test]
fn a_load_that_was_broken_off_goes_on() {
    everywhere("manifest_resumed", |place| {
        place.sql(
            "CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20)); CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))",
        );
        let rows: Vec<_> = (1..=4000).map(|id| format!("({id},'row {id}')")).collect();
        place.sql(&format!("INSERT INTO a VALUES {}; INSERT INTO b SELECT id, id FROM a", rows.join(",")));
        assert_eq!(export(place, "b a --to out --format csv").code, 0);
        let other = beside(place);
        // Another session keeps a row that the load wants to store.
        other.sql("CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20)); INSERT INTO a VALUES (3500, 'mine')");
        let done = load(place, &other, "out --batch 100 --lanes 1");
        assert_eq!(done.code, 2, "{done}");
        let before: u64 = other.sql("SELECT COUNT(*) FROM a").parse().unwrap();
        assert!((101..4000).contains(&before), "{done}");
        other.sql("DELETE FROM a WHERE id = 3500");
        let done = load(place, &other, "out --batch 100 --lanes 1");
        assert_eq!(stored(&done), (0, 8000), "{done}");
        for table in ["a", "b"] {
            is_equal(place, &other, table, "");
        }
    });
}

#[test]
fn an_export_without_its_manifest_did_not_end() {
    everywhere("half_export", |place| {
        place.sql("CREATE TABLE few (id INT PRIMARY KEY); INSERT INTO few VALUES (1), (2)");
        assert_eq!(export(place, "few --to out").code, 0);
        std::fs::remove_file(place.path("out/manifest.json")).unwrap();
        let done = load(place, place, "out");
        assert_eq!(done.code, 1, "{done}");
        done.says("has no manifest.json, and no table is named");
        done.says("did not come to its end");
        let done = load(place, place, "out --into few --truncate");
        assert_eq!((done.code, &place.sql("SELECT COUNT(*) FROM few")[..]), (0, "2"), "{done}");
    });
}
