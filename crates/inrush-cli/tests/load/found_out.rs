//! What is found out of a file without an option: how its fields are told apart, its header, its encoding; and that the hint of an error
//! helps if it is followed.

use crate::place::{Place, everywhere};

const TABLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(9,2))";
const ROWS: &str = "SELECT id, name, price FROM people ORDER BY id";

/// Loads a file into a fresh table without any option but `more`, and compares the rows.
#[track_caller]
fn check(place: &Place, file: &[u8], more: &str, found: &str, rows: &str) {
    place.sql(&format!("DROP TABLE IF EXISTS people; {TABLE}"));
    place.forget();
    place.write("people.csv", file);
    let done = place.done(&place.command(&format!("people.csv --into people {more}")).arg("--json").output().unwrap());
    assert_eq!(done.code, 0, "{done}");
    match found {
        "" => assert!(!done.stderr.contains("found in"), "{done}"),
        found => done.says(&format!("found in `people.csv`: {found}\n")),
    }
    assert_eq!(place.sql(ROWS), rows, "{done}");
}

/// Loads a file that is refused, then with the option that the hint names.
#[track_caller]
fn check_hint(place: &Place, file: &[u8], hint: &str, followed: &str, found: &str, rows: &str) {
    place.sql(&format!("DROP TABLE IF EXISTS people; {TABLE}"));
    place.write("people.csv", file);
    let done = place.load("people.csv --into people");
    assert!((1..=2).contains(&done.code), "{done}");
    done.says(hint);
    assert!(hint.contains(followed), "the hint does not say `{followed}`");
    check(place, file, followed, found, rows);
}

#[test]
fn aligned_columns() {
    everywhere("aligned", |place| {
        let table = b"id  name       price\n 1  Ann Lee     2.50\n20  Bj\xc3\xb8rn\n";
        let hint = "`--widths 4,11,rest --missing-fields null` cuts the lines where the columns begin";
        let rows = "1,Ann Lee,2.50|20,Bj\u{f8}rn,NULL";
        check_hint(place, table, hint, "--widths 4,11,rest --missing-fields null", "", rows);
        check(
            place,
            b" 1Ann     2.5\r\n\r\n20a\\b",
            "--widths 2,8,5 --no-header --missing-fields null",
            "",
            "1,Ann,2.50|20,a\\b,NULL",
        );
        check(place, b"id   name\n1    Bj\xf8rn\n", "--widths 5,rest --encoding latin1", "", "1,Bj\u{f8}rn,NULL");
        for (more, code, says) in [
            ("--widths 2,8,3", 2, "expected 2 fields, found 4"),
            ("--widths 2,x", 1, "`--widths 2,x` is not understood"),
            ("--widths 2,8 --delimiter ,", 1, "`--delimiter` has no meaning with `--widths`"),
            ("--widths 2,8 --format jsonl", 1, "`--widths` has no meaning for `people.csv`"),
        ] {
            place.write("people.csv", b"idname\n 1Ann Lee  2.5\n");
            let done = place.load(&format!("people.csv --into people {more}"));
            assert_eq!(done.code, code, "{more} {done}");
            done.says(says);
        }
    });
}

#[test]
fn what_needs_no_option() {
    everywhere("found", |place| {
        let rows = "1,Ann; or not,2.50|2,Bob,3.00";
        check(place, b"id,name,price\n1,Ann; or not,2.50\n2,Bob,3.00\n", "", "", rows);
        let semicolons = b"id;name;price\n1;\"Ann; or not\";2.50\n2;Bob;3.00\n";
        check(place, semicolons, "", "`;` between fields", rows);
        check(place, b"1\tAnn; or not\t2.50\n2\tBob\t3\n", "", "`\\t` between fields, no header", rows);
        check(
            place,
            b"sep=|\nid|name|price\n1|Ann; or not|2.50\n2|Bob|3\n",
            "",
            "`|` between fields, line 1 passed over",
            rows,
        );
        check(place, b"id,name\r1,Ann\r2,\"B\ro\rb\"\r", "", "lines end with CR", "1,Ann,NULL|2,B\ro\rb,NULL");
        check(place, b"id,name\n1,\"a \\\"b\\\", c\"\n2,\"d\"\n", "", "`\\` escapes", "1,a \"b\", c,NULL|2,d,NULL");
        check(place, b"name,id\n'x, y',1\n'z',2\n", "", "`'` around fields", "1,x, y,NULL|2,z,NULL");
        let utf_16: Vec<u8> = "id;name\n1;Bjørn\n2;Ann\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(place, &utf_16, "", "`;` between fields, utf-16le", "1,Bjørn,NULL|2,Ann,NULL");
    });
}

#[test]
fn hints_that_help() {
    everywhere("hints", |place| {
        let both = "1,Ann,NULL|2,Bob,NULL";
        let titled = b"People of 2024\n\nid,name\n1,Ann\n2,Bob\n";
        check_hint(
            place,
            titled,
            "`--skip auto` passes over such lines",
            "--skip auto",
            "lines 1 to 2 passed over",
            both,
        );
        check_hint(place, titled, "`--skip 2` over these", "--skip 2", "lines 1 to 2 passed over", both);
        let doubtful = b"id;name,price\n1;Ann,2\n";
        place.sql("DROP TABLE IF EXISTS people; CREATE TABLE people (`id;name` VARCHAR(9), price INT)");
        place.write("people.csv", doubtful);
        place.load("people.csv --into people").says("`--delimiter ','` or `--delimiter ';'`");
        assert_eq!(place.load("people.csv --into people --delimiter ,").code, 0);
        assert_eq!(place.sql("SELECT * FROM people"), "1;Ann,2");
        let latin = "id,name\n1,São Paulo\n2,Ñuñoa\n3,Bogotá\n".chars().map(|c| c as u8).collect::<Vec<_>>();
        let cities = "1,São Paulo,NULL|2,Ñuñoa,NULL|3,Bogotá,NULL";
        check_hint(
            place,
            &latin,
            "windows-1252: `--encoding auto` takes that",
            "--encoding auto",
            "windows-1252",
            cities,
        );
        let mixed = b"id,5\n1,6\n2,7\n";
        place.sql("DROP TABLE people; CREATE TABLE people (id VARCHAR(9), n INT)");
        place.write("people.csv", mixed);
        place.load("people.csv --into people").says("say which: `--header` or `--no-header`");
        assert_eq!(place.load("people.csv --into people --no-header").code, 0);
        assert_eq!(place.sql("SELECT * FROM people ORDER BY n"), "id,5|1,6|2,7");
    });
}

/// A new table is not made of text that nobody can read.
#[test]
fn a_new_table_needs_text() {
    everywhere("latin", |place| {
        place.write("people.csv", b"id,city\n1,S\xe3o Paulo\n2,\xd1u\xf1oa\n3,Bogot\xe1\n");
        let done = place.load("people.csv --into cities --create-table");
        assert_eq!(done.code, 1, "{done}");
        done.says("`people.csv` is not UTF-8; it is most likely windows-1252");
        done.says("`--encoding auto` takes that");
        assert_eq!(place.load("people.csv --into cities --create-table --encoding auto").code, 0);
        assert_eq!(place.sql("SELECT city FROM cities ORDER BY id"), "São Paulo|Ñuñoa|Bogotá");
    });
}

#[test]
fn files_of_one_load_agree() {
    everywhere("agree", |place| {
        place.sql(TABLE);
        place.write("a.csv", "id,price\n1,2\n");
        place.write("b.csv", "2,2\n3,4\n");
        let done = place.load("a.csv b.csv --into people");
        assert_eq!(done.code, 1, "{done}");
        done.says("`a.csv` has a header, and `b.csv` seems to have none");
        done.says("`--header` or `--no-header`");
    });
}

/// Names that no column can have become names for a new table; a table that is there is matched without the blanks.
#[test]
fn headers_are_cleaned_up() {
    everywhere("names", |place| {
        let long = "x".repeat(70);
        place.write("a.csv", format!(" id ,Name,name,,{long}\n1,a,b,c,d\n"));
        let done = place.done(&place.command("a.csv --into made --create-table --json").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        let cut = "x".repeat(64);
        done.says(
            "columns of `a.csv`: field 3, `name`, is `name_2`; field 4, which has no name, is `c4`; field 5, `xxx",
        );
        let columns = "SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS \
                       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'made'";
        assert_eq!(place.sql(columns), format!("id,Name,name_2,c4,{cut}"));
        assert_eq!(place.sql("SELECT * FROM made"), "1,a,b,c,d");
        place.sql("CREATE TABLE there (id INT, name VARCHAR(9))");
        place.write("b.csv", " ID ,name \n1,a\n");
        assert_eq!(place.load("b.csv --into there").code, 0);
        let done = place.load("a.csv --into kept --create-table --header-names keep");
        assert_ne!(done.code, 0, "{done}");
    });
}
