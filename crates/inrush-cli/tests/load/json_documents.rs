//! JSON documents: an array of objects, by itself or within objects, of which each element is a row.

use crate::place::{Place, everywhere};

const TABLE: &str = "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), tags JSON)";
const ROWS: &str = "SELECT id, name FROM t ORDER BY id";

#[track_caller]
fn check(place: &Place, file: &str, document: &str, more: &str, want: &str) {
    place.sql(TABLE);
    place.forget();
    place.write(file, document.as_bytes());
    let done = place.load(&format!("{file} --into t {more}"));
    assert_eq!(done.code, 0, "{done}");
    assert_eq!(place.sql(ROWS), want, "{done}");
}

#[test]
fn arrays_and_objects() {
    everywhere("documents", |place| {
        let pretty = "[\n  {\n    \"id\": 1,\n    \"name\": \"a, ]\",\n    \"tags\": [\n      \"x\"\n    ]\n  },\n  {\"id\": 2}\n]\n";
        check(place, "a.json", pretty, "", "1,a, ]|2,NULL");
        assert_eq!(place.sql("SELECT REPLACE(tags, ' ', '') FROM t WHERE id = 1"), "[\"x\"]");
        check(place, "a.json", "[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":\"b\"}]", "", "1,a|2,b");
        // What others call JSON may be JSON Lines.
        check(place, "a.json", "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n", "", "1,a|2,b");
        check(place, "a.txt", "[{\"id\":1}]", "--format json", "1,NULL");
        let nested = "{\"n\":1,\"data\":{\"rows\":[{\"id\":1,\"name\":\"a\"}],\"rest\":[1]}}";
        check(place, "a.json", nested, "--json-path data.rows", "1,a");
        check(place, "a.json", "{\"id\":7,\"name\":\"x\"}", "", "7,x");
    });
}

#[test]
fn what_is_no_array_of_rows_is_told() {
    everywhere("told", |place| {
        place.sql(TABLE);
        for (document, more, code, says) in [
            (
                "{\"type\":\"x\",\"features\":[{\"id\":1}]}",
                "",
                1,
                "`a.json` is one object, with rows in `features`\nhint: `--json-path features` loads these",
            ),
            ("[{\"id\":1},{\"id\":2", "", 2, "the document ends inside of its array"),
            ("{\"id\":1}", "--json-path rows", 2, "there is no such key as `--json-path` names"),
            ("[{\"id\":1}] [{\"id\":2}]", "", 2, "something follows what should be all"),
            ("[{\"id\":1},{\"id\":1}]", "", 2, "Duplicate entry"),
            ("id,name\n1,a\n", "--json-path rows --format csv", 1, "`--json-path` has no meaning for `a.json`"),
        ] {
            place.write("a.json", document.as_bytes());
            let done = place.load(&format!("a.json --into t {more}"));
            assert_eq!(done.code, code, "{document} {done}");
            done.says(says);
            place.forget();
        }
    });
}

#[test]
fn bad_elements_are_diverted_and_the_rest_goes_on() {
    everywhere("elements", |place| {
        place.sql(TABLE);
        place.write("a.json", b"[{\"id\":1,\n \"name\":\"a\"},\n{\"id\":\"x\"},\n{\"id\":3}]");
        let done = place.load("a.json --into t --bad-rows divert:bad.jsonl");
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.sql(ROWS), "1,a|3,NULL");
        assert_eq!(place.read("bad.jsonl"), "{\"id\":\"x\"}\n");
        // A load that stopped goes on behind what is stored.
        place.sql(TABLE);
        place.forget();
        let rows: Vec<String> = (1..=9).map(|id| format!("{{\"id\":{id},\n\"name\":\"n{id}\"}}")).collect();
        place.write("a.json", format!("[{}]", rows.join(",\n")).as_bytes());
        place.sql("INSERT INTO t VALUES (6, 'in the way', NULL)");
        let command = || place.done(&place.command("a.json --into t --batch 2 --lanes 1 --json").output().unwrap());
        let done = command();
        assert_eq!(done.code, 2, "{done}");
        place.sql("DELETE FROM t WHERE name = 'in the way'");
        let done = command();
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id), MAX(name) FROM t"), "9,45,n9");
    });
}

/// The table's columns are the mapping: a name that comes late goes into its column, where rows without it have NULL anyway.
#[test]
fn names_that_come_late() {
    everywhere("late", |place| {
        let early = "{\"id\":ID,\"name\":\"a\"}\n";
        let rows: String = (1..=10_001).map(|id| early.replace("ID", &id.to_string())).collect();
        let file = |last: &str| format!("{rows}{{\"id\":10002,\"name\":\"b\",{last}}}\n");
        let table = "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), note VARCHAR(20), \
             n INT NOT NULL DEFAULT 5, made VARCHAR(9) DEFAULT 'x')";
        let check = |last: &str, more: &str, code: i32, says: &str, want: &str| {
            place.sql(table);
            place.forget();
            place.write("a.jsonl", file(last));
            let done = place.load(&format!("a.jsonl --into t {more}"));
            assert_eq!(done.code, code, "{last} {more}: {done}");
            done.says(says);
            let last = place.sql("SELECT note, n, made FROM t WHERE id IN (1, 10002) ORDER BY id");
            assert_eq!(last, want, "{last} {more}: {done}");
        };
        check("\"Note\":\"late\"", "", 0, "", "NULL,5,x|late,5,x");
        // Rows without it have something else than NULL.
        let hint = "hint: `--sample all` reads the names of all records first";
        check("\"n\":7", "", 2, "none of the first records has a `n`, so its column was to have its default", "");
        check("\"n\":7", "", 2, hint, "");
        check("\"made\":\"y\"", "--sample all", 0, "", "NULL,5,NULL|NULL,5,y");
        let lacks = "none of the first records has a `other`, and the table has no such column";
        check("\"other\":7", "", 2, lacks, "");
        check("\"other\":7", "--extra-fields ignore", 0, "", "NULL,5,x|NULL,5,x");
        // What a row that is there has is not replaced by NULL.
        place.sql(&format!("{table}; INSERT INTO t (id, note) VALUES (1, 'kept')"));
        place.forget();
        place.write("a.jsonl", &rows);
        let done = place.load("a.jsonl --into t --mode upsert");
        assert_eq!((done.code, place.sql("SELECT note FROM t WHERE id = 1")), (0, "kept".to_owned()), "{done}");
        // A new table: only reading all of it shows all names.
        place.forget();
        place.write("a.jsonl", file("\"late\":7"));
        let new = place.load("a.jsonl --into u --create-table");
        assert_eq!(new.code, 2, "{new}");
        new.says("`--sample all` reads the names of all records first, `--extra-fields ignore` leaves such names out");
        let done = place.load("a.jsonl --into u --create-table --sample all");
        assert_eq!((done.code, place.sql("SELECT late FROM u WHERE id = 10002")), (0, "7".to_owned()), "{done}");
        let done = place.load("a.jsonl --into v --create-table --extra-fields ignore");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM v")), (0, "10002".to_owned()), "{done}");
        place.write("a.csv", "id\n1\n");
        place.load("a.csv --into t --sample all").says("`--sample all` is for a new table, and for JSON");
    });
}
