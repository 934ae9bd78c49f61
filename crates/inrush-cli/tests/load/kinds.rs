//! Modes on tables of all kinds: partitions, generated and invisible columns, generated ids, rows that refer to others.

use crate::place::{Place, Rows, everywhere, methods};

/// `hidden` is not in the file, and no statement without a list of columns would name it.
const PEOPLE: &str = "DROP TABLE IF EXISTS people; \
     CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT, twice INT AS (age * 2) STORED, \
       loud VARCHAR(20) AS (UPPER(name)) VIRTUAL, hidden INT NOT NULL DEFAULT 9 INVISIBLE, KEY (twice)) \
     PARTITION BY RANGE (id) (PARTITION low VALUES LESS THAN (3), PARTITION high VALUES LESS THAN MAXVALUE); \
     INSERT INTO people (id, name, age, hidden) VALUES (1,'Ann',40,1),(2,'Bob',17,2),(3,'Cy',NULL,3)";

const FILE: &str = "id,name,age\n1,Ann,40\n2,Rob,18\n9,New,\n";

const ALL: &str = "SELECT id, name, age, twice, loud, hidden FROM people ORDER BY id";

#[test]
fn partitions_and_columns_that_are_generated_or_invisible() {
    let cases = [
        (
            "ignore",
            Rows::skipping(1, 2),
            "1,Ann,40,80,ANN,1|2,Bob,17,34,BOB,2|3,Cy,NULL,NULL,CY,3|9,New,NULL,NULL,NEW,9",
        ),
        ("upsert", Rows::stored(3), "1,Ann,40,80,ANN,1|2,Rob,18,36,ROB,2|3,Cy,NULL,NULL,CY,3|9,New,NULL,NULL,NEW,9"),
        ("replace", Rows::stored(3), "1,Ann,40,80,ANN,9|2,Rob,18,36,ROB,9|3,Cy,NULL,NULL,CY,3|9,New,NULL,NULL,NEW,9"),
        ("update", Rows::skipping(2, 1), "1,Ann,40,80,ANN,1|2,Rob,18,36,ROB,2|3,Cy,NULL,NULL,CY,3"),
        ("delete", Rows::skipping(2, 1), "3,Cy,NULL,NULL,CY,3"),
    ];
    everywhere("kinds", |place| {
        for (mode, rows, holds) in cases {
            check(place, PEOPLE, FILE, mode, rows, ALL, holds);
        }
    });
}

#[test]
fn generated_ids_stay() {
    let people = "DROP TABLE IF EXISTS people; \
         CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, age INT); \
         INSERT INTO people (name, age) VALUES ('Ann', 40), ('Bob', 17)";
    let all = "SELECT name, age, LEAST(id, 3) FROM people ORDER BY name";
    let file = "name,age\nBob,18\nNew,5\n";
    everywhere("kept_ids", |place| {
        check(place, people, file, "ignore", Rows::skipping(1, 1), all, "Ann,40,1|Bob,17,2|New,5,3");
        check(place, people, file, "upsert", Rows::stored(2), all, "Ann,40,1|Bob,18,2|New,5,3");
        check(place, people, file, "update --key name", Rows::skipping(1, 1), all, "Ann,40,1|Bob,18,2");
        check(place, people, file, "replace", Rows::stored(2), all, "Ann,40,1|Bob,18,3|New,5,3");
    });
}

#[test]
fn rows_that_refer_to_others_follow_them() {
    let people = "DROP TABLE IF EXISTS pets; DROP TABLE IF EXISTS people; \
         CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT); \
         CREATE TABLE pets (id INT PRIMARY KEY, owner INT, FOREIGN KEY (owner) REFERENCES people (id) ON DELETE CASCADE); \
         INSERT INTO people VALUES (1,'Ann',40),(2,'Bob',17),(3,'Cy',NULL); INSERT INTO pets VALUES (10,1),(20,2),(30,3)";
    let both = "SELECT id, name FROM people UNION ALL SELECT id, owner FROM pets ORDER BY 1";
    everywhere("followers", |place| {
        // Only a row that is deleted takes others with it. REPLACE deletes on MariaDB; MySQL 9.7 changes the row in its place.
        let replaced =
            if place.is_mysql() { "1,Ann|2,Rob|3,Cy|9,New|10,1|20,2|30,3" } else { "1,Ann|2,Rob|3,Cy|9,New|30,3" };
        check(place, people, FILE, "upsert", Rows::stored(3), both, "1,Ann|2,Rob|3,Cy|9,New|10,1|20,2|30,3");
        check(place, people, FILE, "update", Rows::skipping(2, 1), both, "1,Ann|2,Rob|3,Cy|10,1|20,2|30,3");
        check(place, people, FILE, "delete", Rows::skipping(2, 1), both, "3,Cy|30,3");
        check(place, people, FILE, "replace", Rows::stored(3), both, replaced);
    });
}

/// Loads `file` into a table made by `sql`, by every method.
#[track_caller]
fn check(place: &Place, sql: &str, file: &str, mode: &str, want: Rows, query: &str, holds: &str) {
    for method in methods(place) {
        place.sql(sql);
        place.write("people.csv", file);
        let done = place.load(&format!("people.csv --into people --method {method} --mode {mode}"));
        assert_eq!((done.code, done.rows()), (0, Some(want)), "{method} {mode}\n{done}");
        assert_eq!(place.sql(query), holds, "{method} {mode}\n{done}");
    }
}
