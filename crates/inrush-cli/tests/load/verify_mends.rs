//! The statements of `inrush verify --differences-to FILE.sql`: the server's own client runs them, and the tables are equal, or the file and the
//! report say what is left.

use crate::place::{Place, everywhere};
use crate::verify::{Done, numbers, verify};

/// Compares, runs the statements, and compares again.
#[track_caller]
fn mend(place: &Place, arguments: &str, what: &str) -> (Done, String) {
    let file = format!("{arguments} --differences-to mend.sql");
    let done = verify(place, &file);
    assert_eq!(done.code, 2, "{what}: {done}");
    let script = place.read("mend.sql");
    place.sql(&script);
    std::fs::remove_file(place.path("mend.sql")).unwrap();
    (done, script)
}

#[track_caller]
fn is_equal(place: &Place, arguments: &str, what: &str) {
    let done = verify(place, arguments);
    assert_eq!(numbers(&done), (0, [0, 0, 0]), "{what}: {done}");
}

/// Columns, rows of the first table, rows of the other: as they are mended, values of a unique key meet, unless the order is right.
const MEETINGS: &[(&str, &str, &str)] = &[
    ("id INT PRIMARY KEY, u INT NOT NULL UNIQUE, v INT", "(1,10,0),(2,20,0)", "(1,20,0),(2,10,0)"),
    ("id INT PRIMARY KEY, u INT UNIQUE, v INT", "(1,10,0),(2,20,0),(3,30,1)", "(1,30,0),(2,10,0),(3,20,0)"),
    // A row that is to be inserted has the value of one that is to be deleted, or changed.
    ("id INT PRIMARY KEY, u VARCHAR(9) NOT NULL UNIQUE, v INT", "(1,'a',0),(3,'b',0)", "(1,'b',0),(2,'a',0)"),
    (
        "id INT PRIMARY KEY, u VARCHAR(9) COLLATE utf8mb4_general_ci UNIQUE, v INT",
        "(1,'a',0),(2,'b',0)",
        "(1,'B',0),(2,'A',0)",
    ),
    ("id INT PRIMARY KEY, a INT, b INT, UNIQUE (a, b)", "(1,1,2),(2,1,3)", "(1,1,3),(2,1,2)"),
    (
        "id INT PRIMARY KEY, u VARCHAR(40) NOT NULL, v INT, UNIQUE (u(3))",
        "(1,'abcd',0),(2,'xyz',0)",
        "(1,'xyzz',0),(2,'abc',0)",
    ),
    // Of the primary key, where rows are found by another one.
    ("id INT NOT NULL UNIQUE, a INT, PRIMARY KEY (id, a)", "(1,1),(2,2)", "(1,2),(2,1)"),
    (
        "id INT PRIMARY KEY, a INT, b INT AS (a * 2) STORED UNIQUE",
        "(1,1,DEFAULT),(2,2,DEFAULT)",
        "(1,2,DEFAULT),(2,1,DEFAULT)",
    ),
    // No key: rows are found by their values.
    ("a INT, u INT UNIQUE", "(1,NULL),(2,5)", "(1,5),(2,NULL),(3,6)"),
    // Keys that a collation calls equal.
    ("k VARCHAR(9) COLLATE utf8mb4_bin PRIMARY KEY, v INT", "('a',1),('A',2)", "('a',2),('A',1)"),
    // Other types of what is taken out and put back.
    (
        "id INT PRIMARY KEY, u DECIMAL(20,5) NOT NULL UNIQUE, e ENUM('a',''), b BIT(9), f FLOAT, d DOUBLE, t TIMESTAMP(6) NULL, bl BLOB, j JSON, g GEOMETRY",
        "(1,1.5,'','5',0.1,1e-300,'2024-02-29 01:02:03.000004',x'00ff','[1]',ST_GeomFromText('POINT(1 2)', 4326)),(2,2.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)",
        "(1,2.5,'','5',0.1,1e-300,'2024-02-29 01:02:03.000004',x'00ff','[1]',ST_GeomFromText('POINT(1 2)', 4326)),(2,1.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)",
    ),
];

#[test]
fn values_of_unique_keys_do_not_meet() {
    everywhere("mends_unique", |place| {
        for (columns, one, other) in MEETINGS {
            place.sql(&format!(
                "SET time_zone = '+00:00'; DROP TABLE IF EXISTS one, other; CREATE TABLE one ({columns}) DEFAULT CHARSET utf8mb4; \
                 CREATE TABLE other LIKE one; INSERT INTO one VALUES {one}; INSERT INTO other VALUES {other}"
            ));
            mend(place, "one other", columns);
            is_equal(place, "one other", columns);
            assert_eq!(place.sql("SELECT COUNT(*) FROM one"), place.sql("SELECT COUNT(*) FROM other"), "{columns}");
        }
    });
}

/// A column that is set to the time of a change keeps its value, also where it is not compared.
#[test]
fn times_of_the_last_change_stay() {
    everywhere("mends_times", |place| {
        let columns = "id INT PRIMARY KEY, u INT UNIQUE, v INT, made TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), \
                       seen DATETIME DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP";
        for (other, arguments) in [
            ("(1,1,9,'2020-01-01','2020-01-01'),(2,2,0,'2021-01-01',NULL)", "one other"),
            ("(1,1,0,'2020-01-02','2020-01-03'),(2,2,5,'2021-01-01','2021-01-01')", "one other"),
            ("(1,2,0,'2020-01-01','2020-01-01'),(2,1,0,'2021-01-01',NULL)", "one other"),
            ("(1,1,9,'2020-01-01','2020-01-01'),(2,2,0,'2021-01-01',NULL)", "one other --columns v"),
        ] {
            place.sql(&format!(
                "SET time_zone = '+00:00'; DROP TABLE IF EXISTS one, other; CREATE TABLE one ({columns}); CREATE TABLE other LIKE one; \
                 INSERT INTO one VALUES (1,1,0,'2020-01-01','2020-01-01'),(2,2,0,'2021-01-01',NULL); INSERT INTO other VALUES {other}"
            ));
            mend(place, arguments, other);
            is_equal(place, "one other", other);
        }
    });
}

/// Statements that fail change nothing, rows of other tables stay, and what is not done is said.
#[test]
fn what_the_statements_cannot_do_is_said() {
    everywhere("mends_refused", |place| {
        // The other table refuses what the first one has.
        place.sql(
            "CREATE TABLE one (id INT PRIMARY KEY, u INT); CREATE TABLE other (id INT PRIMARY KEY, u INT UNIQUE); \
             INSERT INTO one VALUES (1, 7), (2, 7), (3, 1); INSERT INTO other VALUES (1, 7), (2, 2), (4, 4)",
        );
        let before = place.sql("SELECT * FROM other ORDER BY id");
        let done = verify(place, "one other --differences-to fails.sql");
        assert_eq!(numbers(&done), (2, [1, 1, 1]), "{done}");
        place.write("client.sql", place.read("fails.sql"));
        let script = std::fs::File::open(place.path("client.sql")).unwrap();
        let run = place.server.client().arg(place.schema.name()).stdin(script).output().unwrap();
        assert!(!run.status.success() && String::from_utf8_lossy(&run.stderr).contains("1062"), "{run:?}");
        assert_eq!(place.sql("SELECT * FROM other ORDER BY id"), before);

        // Rows that refer to the table are neither deleted nor in the way.
        place.sql(
            "DROP TABLE one, other; CREATE TABLE one (id INT PRIMARY KEY, u INT NOT NULL UNIQUE); CREATE TABLE other LIKE one; \
             INSERT INTO one VALUES (1, 10), (2, 20); INSERT INTO other VALUES (1, 20), (2, 10), (3, 30); \
             CREATE TABLE child (id INT, FOREIGN KEY (id) REFERENCES other (id) ON DELETE CASCADE); INSERT INTO child VALUES (1), (2), (3)",
        );
        let (_, script) = mend(place, "one other", "parents");
        is_equal(place, "one other", "parents");
        assert_eq!(place.sql("SELECT COUNT(*) FROM child"), "3");
        assert!(script.contains("Foreign keys are not checked"), "{script}");

        place.sql("CREATE TRIGGER other_t BEFORE UPDATE ON other FOR EACH ROW SET NEW.u = NEW.u; UPDATE other SET u = 5 WHERE id = 1");
        let (done, script) = mend(place, "one other", "a trigger");
        done.says("the table has triggers");
        assert!(script.contains("-- the table has triggers"), "{script}");

        // A key that the other table has twice, and a value that would end the comment.
        place.sql(
            "DROP TABLE child, one, other; CREATE TABLE one (k VARCHAR(40) PRIMARY KEY, v INT); CREATE TABLE other (k VARCHAR(40), v INT); \
             INSERT INTO one VALUES ('a\\nDROP TABLE one;', 1), ('b', 2); INSERT INTO other SELECT * FROM one; INSERT INTO other SELECT * FROM one",
        );
        let (done, script) = mend(place, "one other", "twice");
        done.says("2 differences are left to be mended by hand");
        assert!(script.contains("-- by hand: extra") && script.contains("2 differences are left"), "{script}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM one"), "2");
    });
}

/// A file of a comparison that fails is removed, so that the same command works later.
#[test]
fn a_comparison_that_fails_leaves_no_file() {
    everywhere("mends_fails", |place| {
        place.sql("CREATE TABLE one (id INT PRIMARY KEY, v INT); CREATE TABLE other (id INT PRIMARY KEY, w INT)");
        for file in ["mend.sql", "all.csv"] {
            let done = verify(place, &format!("one other --differences-to {file}"));
            assert_eq!((done.code, place.path(file).exists()), (1, false), "{done}");
        }
    });
}

/// A condition that is none is a mistake in the command, whichever way it is wrong.
#[test]
fn wrong_conditions_are_wrong_usage() {
    everywhere("verify_conditions", |place| {
        place.sql("CREATE TABLE one (id INT PRIMARY KEY, a INT); CREATE TABLE other (id INT PRIMARY KEY, b INT)");
        for (condition, says) in [
            ("id=!!", "SQL syntax"),
            ("nothing=1", "nothing"),
            ("a=1", "`other`"),
            ("id=1)OR(1", "brackets or quotes do not match"),
            ("id='1", "brackets or quotes do not match"),
        ] {
            let done = verify(place, &format!("one other --columns id --where {condition}"));
            assert_eq!(done.code, 1, "{condition}: {done}");
            done.says(says);
        }
    });
}
