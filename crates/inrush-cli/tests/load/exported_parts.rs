//! How `inrush export` cuts tables into files: by keys of every kind, by partitions, by size, in every style of CSV. Each row is in one file.

use crate::export::{ROWS, TYPES, command, export, names};
use crate::place::{Done, Place, everywhere};
use serde_json::Value;

/// An export whose arguments may hold spaces.
#[track_caller]
fn export_where(place: &Place, arguments: &str, condition: &str) -> Done {
    place.done(&command(place, &format!("{arguments} --snapshot tables --where")).arg(condition).output().unwrap())
}

/// The rows of each file of the first table.
fn files(done: &Done) -> Vec<u64> {
    let files = done.json["tables"][0]["files"].as_array().cloned().unwrap_or_default();
    files.iter().map(|file| file["rows"].as_u64().unwrap()).collect()
}

/// Loads the folder into a new table `back`.
#[track_caller]
fn load_back(place: &Place, folder: &str) {
    place.sql("DROP TABLE IF EXISTS back");
    let done = place.load(&format!("{folder} --into back"));
    assert_eq!(done.code, 0, "{folder}: {done}");
}

#[track_caller]
fn is_back(place: &Place, table: &str, what: &str) {
    let checksum = |table: &str| place.schema.sql(&format!("CHECKSUM TABLE {table}"))[0][1].clone();
    assert_eq!(checksum("back"), checksum(table), "{what}");
}

const N: &str = "WITH RECURSIVE n (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id < 199) SELECT a.id * 200 + b.id AS id FROM n a JOIN n b";

#[test]
fn keys_of_every_kind_are_read_in_parts() {
    everywhere("export_keys", |place| {
        place.sql(&format!("CREATE TABLE n {N}"));
        let value = |expression: &str| format!("SELECT {expression}, id FROM n");
        for (at, (key, rows)) in [
            ("a INT, b VARCHAR(20)", value("id DIV 7, CONCAT('b', id)")),
            (
                "a VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                value("CONCAT(ELT(id % 5 + 1, 'ä', 'B', 'c''', 'x\\\\', ''), id)"),
            ),
            (
                "a VARCHAR(40) CHARACTER SET latin1, b INT",
                value("CONCAT(ELT(id % 4 + 1, 'ä', 'B', 'ß', ''), id DIV 3), id"),
            ),
            ("a CHAR(36) CHARACTER SET ascii", value("LEFT(SHA2(id, 256), 32)")),
            ("a DATE, b INT", value("DATE('2020-01-01') + INTERVAL id DIV 20 DAY, id")),
            ("a DATETIME(3), b INT", value("'2020-01-01' + INTERVAL id * 977 SECOND, id")),
            ("a TIMESTAMP(3) NOT NULL, b INT", value("'2020-01-01' + INTERVAL id * 977 SECOND, id")),
            ("a BINARY(16)", value("LEFT(UNHEX(SHA2(id, 256)), 16)")),
            ("a BIGINT UNSIGNED", value("CAST(18446744073709551615 - id * 3 AS UNSIGNED)")),
        ]
        .into_iter()
        .enumerate()
        {
            let names: Vec<_> = key.split(", ").map(|column| &column[..1]).collect();
            place.sql(&format!(
                "DROP TABLE IF EXISTS t; CREATE TABLE t ({key}, v INT, PRIMARY KEY ({})); INSERT INTO t {rows}; ANALYZE TABLE t",
                names.join(", ")
            ));
            let more = ["", " --order key"][at % 2];
            let folder = format!("out{}", more.len());
            let done = export(place, &format!("t --to {folder} --lanes 4 --format csv{more}"));
            let of = files(&done);
            assert_eq!((done.code, of.iter().sum()), (0, 40_000), "{key}: {done}");
            assert!(of.len() > 1 && of.iter().all(|rows| *rows < 35_000), "{key}: {of:?}");
            load_back(place, &folder);
            is_back(place, "t", key);
            std::fs::remove_dir_all(place.path(&folder)).unwrap();
            // A condition is one, whatever it holds, and each row of it is in one part.
            let done = export_where(
                place,
                "t --to some --lanes 4 --format jsonl",
                "v = 17 OR v % 2 = 1 OR NULL -- that is all",
            );
            assert_eq!((done.code, files(&done).iter().sum()), (0, 20_000_u64), "{key}: {done}");
            std::fs::remove_dir_all(place.path("some")).unwrap();
        }
        // Small ones stay whole.
        place.sql("CREATE TABLE small (a VARCHAR(20) PRIMARY KEY); INSERT INTO small VALUES ('a'), ('b')");
        assert_eq!(files(&export(place, "small --to small --lanes 4")), [2]);
    });
}

#[test]
fn conditions_with_or_stay_together() {
    everywhere("export_or", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,1),(2,9),(3,3),(4,4),(5,9),(6,6),(7,7)");
        let done = export_where(place, "t --to out --lanes 3 --format csv --order key", "id = 1 OR v = 9 OR id = 7");
        let of = files(&done);
        assert_eq!((done.code, of.iter().sum(), of.len()), (0, 4, 3), "{done}");
        load_back(place, "out");
        assert_eq!(place.sql("SELECT GROUP_CONCAT(id ORDER BY id) FROM back"), "1,2,5,7");
        for wrong in ["id = 1) OR (1 = 1", "id IN (1", "v = 'x", "1; DROP TABLE t"] {
            let done = export_where(place, "t --to wrong", wrong);
            assert_eq!(done.code, 1, "{done}");
            done.says("is not one condition: brackets or quotes do not match");
        }
    });
}

#[test]
fn partitions_are_read_side_by_side() {
    everywhere("export_partitions", |place| {
        place.sql(&format!(
            "CREATE TABLE t (id INT, day DATE, v VARCHAR(20)) PARTITION BY RANGE (YEAR(day)) \
             (PARTITION `p one` VALUES LESS THAN (2021), PARTITION p2 VALUES LESS THAN (2022), PARTITION p3 VALUES LESS THAN (2023), \
              PARTITION rest VALUES LESS THAN MAXVALUE); \
             INSERT INTO t SELECT id, DATE('2020-01-01') + INTERVAL id % 1600 DAY, CONCAT('v', id) FROM ({N}) AS n; ANALYZE TABLE t"
        ));
        let done = export(place, "t --to out --lanes 3 --format parquet");
        let of = files(&done);
        assert_eq!((done.code, of.iter().sum(), of.len()), (0, 40_000, 3), "{done}");
        load_back(place, "out");
        is_back(place, "t", "partitions");
        assert_eq!(
            files(&export_where(place, "t --to some --lanes 3", "id < 10 OR v = 'v39999'")).iter().sum::<u64>(),
            11
        );
    });
}

#[test]
fn files_end_at_their_size() {
    everywhere("export_split", |place| {
        place.sql(&format!("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(100)); INSERT INTO t SELECT id, REPEAT(id, 5) FROM ({N}) AS n; CREATE TABLE none LIKE t"));
        let rows = export(place, "t --to rows --split 7000 --lanes 2 --format csv --order key --rate 1000M");
        assert_eq!(files(&rows), [7000, 7000, 6000, 7000, 7000, 6000], "{rows}");
        let want = ["manifest.json", "t.1.1.csv", "t.1.2.csv", "t.1.3.csv", "t.2.1.csv", "t.2.2.csv", "t.2.3.csv"];
        assert_eq!(names(place, "rows"), want);
        assert_eq!(place.read("rows/t.1.2.csv").lines().nth(1).map(|line| line.starts_with("7000,")), Some(true));
        load_back(place, "rows");
        is_back(place, "t", "rows");
        for (format, size) in [("csv", 200), ("jsonl", 300), ("parquet", 300), ("csv --compress gzip", 100)] {
            let folder = format.replace(' ', "");
            let done = export(place, &format!("t --to {folder} --split {size}k --lanes 1 --format {format}"));
            let sizes = |done: &Done| -> Vec<u64> {
                let files = done.json["tables"][0]["files"].as_array().cloned().unwrap_or_default();
                files.iter().map(|file: &Value| file["bytes"].as_u64().unwrap()).collect()
            };
            let of = sizes(&done);
            assert_eq!((done.code, files(&done).iter().sum()), (0, 40_000), "{done}");
            assert!(of.len() > 1 && of.iter().all(|bytes| *bytes < (size + 400) << 10), "{format}: {of:?}");
            load_back(place, &folder);
            is_back(place, "t", format);
        }
        // An empty table has one file, and so has the last row of a full one.
        assert_eq!(files(&export(place, "none --to none --split 10")), [0]);
        assert_eq!(files(&export(place, "t --to exact --split 40000 --lanes 1")), [40_000]);
        for wrong in [
            "--split 0",
            "--split x",
            "--rate 0",
            "--format parquet --delimiter ;",
            "--format csv --delimiter \"",
            "--format csv --null a,b",
        ] {
            let done = export(place, &format!("t --to wrong {wrong}"));
            assert_eq!((done.code, place.path("wrong").exists()), (1, false), "{wrong}: {done}");
        }
    });
}

#[test]
fn every_style_of_csv_comes_back() {
    everywhere("export_styles", |place| {
        place.sql(&format!(
            "CREATE TABLE types ({TYPES}, bytes BLOB) CHARACTER SET utf8mb4; CREATE TABLE named (a INT, b TEXT, c BLOB)"
        ));
        let columns = "id,ti,tu,b,su,mi,i,bi,bu,y,b1,b64,d,dd,f,db,dt,dtm,ts,tm,c,v,t,e,s,j,l,u,`a b``,\"c`";
        place.sql(&format!("SET time_zone = '+00:00'; INSERT INTO types ({columns}) VALUES {ROWS}; UPDATE types SET bytes = 0x00ff5c22 WHERE id < 9"));
        place.sql(r#"INSERT INTO named VALUES (1, 'NA', 0x5c4e), (2, NULL, NULL), (3, '', ''), (4, 'a;b|c\td\\e"f\'g', 0), (5, '\n\r', 0x0a), (6, '\\N', '\\N')"#);
        for (at, style) in [
            "--format tsv",
            "--format csv --delimiter ;",
            "--format csv --delimiter | --quote ' --null NA",
            "--format csv --escape \\",
            "--format csv --no-header",
            "--format tsv --no-header --null NULL",
            "--format tsv --quote= --escape \\",
            "--format csv --quote= --escape \\ --no-header",
            "--format csv --null=",
            "--format tsv --quote= --escape \\ --compress zstd --delimiter ,",
        ]
        .into_iter()
        .enumerate()
        {
            for table in ["types", "named"] {
                let folder = format!("{table}{at}");
                let done = export(place, &format!("{table} --to {folder} {style}"));
                if table == "types" && style.contains("--quote=") {
                    assert_eq!(done.code, 2, "{style}: {done}");
                    done.says("column `e` has an empty value, which without quotes is read as NULL");
                    continue;
                }
                assert_eq!(done.code, 0, "{style}: {done}");
                load_back(place, &folder);
                is_back(place, table, style);
            }
        }
        assert!(names(place, "named0").contains(&"named.tsv".to_owned()));
        let done = export(place, "named --to none --format tsv --quote=");
        assert_eq!(done.code, 2, "{done}");
        done.says("cannot be told apart without quotes");
    });
}
