//! `--comment`: lines that are skipped wherever they stand, and nothing else is.

use crate::place::{Place, Rows, everywhere};

const TABLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40))";
const ROWS: &str = "SELECT id, name FROM people ORDER BY id";

fn fresh(place: &Place, file: &str) {
    place.sql(&format!("DROP TABLE IF EXISTS people; {TABLE}"));
    place.forget();
    place.write("people.csv", file);
}

#[test]
fn anywhere_in_a_file() {
    everywhere("comments", |place| {
        let text =
            "# made by hand\n#,\"\nid,name\n# 1,no\n1,Ann\n#\n2,\"#Bob\n# no comment\"\n3,# Cy\n # 4,x\n# the end";
        fresh(place, &text.replace(" # 4", "4"));
        for dry in [true, false] {
            let command = format!("people.csv --into people --comment #{}", if dry { " --dry-run" } else { "" });
            let done = place.load(&command);
            assert_eq!((done.code, place.sql(ROWS).is_empty()), (0, dry), "{done}");
        }
        assert_eq!(place.sql(ROWS), "1,Ann|2,#Bob\n# no comment|3,# Cy|4,x");
        // Loaded is loaded, and other lines would be others.
        let done = place.go_on("people.csv --into people --comment #");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "4");
        let done = place.go_on("people.csv --into people --comment ##");
        assert_ne!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "4");
        // Blanks before it make a row.
        fresh(place, text);
        let done = place.load("people.csv --into people --comment #");
        assert_eq!(done.code, 2, "{done}");
        done.says("people.csv, line 10");
    });
}

/// Chunks with comments are parsed, chunks without any pass unchanged; a chunk may have nothing but comments.
#[test]
fn among_many_rows() {
    everywhere("commented", |place| {
        let mut text = String::from("id,name\n");
        for id in 1..=40_000 {
            text.push_str(&format!("{id},name {id}\n"));
            if (20_000..21_000).contains(&id) {
                text.push_str(
                    "# \"a comment, with a quote that does not close\n"
                        .repeat(if id == 20_500 { 9000 } else { 1 })
                        .as_str(),
                );
            }
        }
        fresh(place, &text);
        place.load_counted("people.csv --into people --comment # --batch 5000", "people", 0, Rows::stored(40_000));
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id), MAX(name) FROM people"), "40000,800020000,name 9999");
    });
}

/// A line number counts comments, and a file of bad rows can be loaded with the same option.
#[test]
fn bad_rows_among_comments() {
    everywhere("bad_commented", |place| {
        fresh(place, "#\n\"#id\",name\n# x\n1,Ann\n#\nx,\"#\n#\"\n#\n\"#3\",Cy\n");
        let columns = "--columns id,name";
        let load = format!("people.csv --into people --comment # --header {columns}");
        let done = place.load(&load);
        assert_eq!(done.code, 2, "{done}");
        done.says("(people.csv, line 6, column `id`)");
        let done = place.load(&format!("{load} --bad-rows divert:bad.csv"));
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.read("bad.csv"), "\"#id\",name\nx,\"#\n#\"\n\"#3\",Cy\n");
        assert_eq!(place.sql(ROWS), "1,Ann");
        place.write("bad.csv", place.read("bad.csv").replace("x,", "# fixed\n2,").replace("#3", "3"));
        let done = place.load(&format!("bad.csv --into people --comment # --header {columns}"));
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql(ROWS), "1,Ann|2,#\n#|3,Cy");
    });
}

#[test]
fn of_fixed_widths_and_proposed() {
    everywhere("comment_forms", |place| {
        fresh(place, "");
        place.write("people.txt", "# a\nid  name\n# bcdefghijk\n1   Ann\n#2  Bob");
        let done = place.load("people.txt --into people --widths 4,rest --comment #");
        assert_eq!((done.code, place.sql(ROWS)), (0, "1,Ann".into()), "{done}");
        fresh(place, "id,name\n1,Ann\n# a comment\n");
        place.load("people.csv --into people").says("`--comment '#'` skips lines that begin with `#`");
        let done = place.load("people.csv --into people --comment #");
        assert_eq!((done.code, place.sql(ROWS)), (0, "1,Ann".into()), "{done}");
        for (name, text) in [("a.jsonl", "{\"id\":1}\n"), ("a.json", "[{\"id\":1}]"), ("a.csv", "id\n1\n")] {
            place.write(name, text);
            let option = if name == "a.csv" { "--delimiter # --comment #" } else { "--comment #" };
            let done = place.load(&format!("{name} --into people {option}"));
            assert_eq!(done.code, 1, "{done}");
            done.says("omment");
        }
    });
}
