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
        let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<_>>();
        check_hint(
            place,
            &latin("id,name\n1,Köln\n2,Düsseldorf\n"),
            "windows-1252: `--encoding auto` takes that",
            "--encoding auto",
            "windows-1252",
            "1,Köln,NULL|2,Düsseldorf,NULL",
        );
        // A few words that are words in several encodings are a question, also to `--encoding auto`.
        let cities = latin("id,name\n1,São Paulo\n2,Ñuñoa\n3,Bogotá\n");
        let hint = "`--encoding windows-1252` reads `1,São Paulo`, `--encoding windows-1250` reads `1,Săo Paulo`";
        let stored = "1,São Paulo,NULL|2,Ñuñoa,NULL|3,Bogotá,NULL";
        check_hint(place, &cities, hint, "--encoding windows-1252", "windows-1252", stored);
        place.write("people.csv", &cities);
        let done = place.load("people.csv --into people --encoding auto");
        assert_eq!(done.code, 1, "{done}");
        done.says("`people.csv` is not UTF-8, and may be in one of several encodings");
        done.says(hint);
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
        place.write("people.csv", b"id,city\n1,K\xf6ln\n2,D\xfcsseldorf\n");
        let done = place.load("people.csv --into cities --create-table");
        assert_eq!(done.code, 1, "{done}");
        done.says("`people.csv` is not UTF-8\n");
        done.says("the file is most likely windows-1252: `--encoding auto` takes that");
        assert_eq!(place.load("people.csv --into cities --create-table --encoding auto").code, 0);
        assert_eq!(place.sql("SELECT city FROM cities ORDER BY id"), "Köln|Düsseldorf");
        // The mark of UTF-8 is wrong, and surer than an option.
        place.write("people.csv", b"\xef\xbb\xbfid,city\n1,K\xf6ln\n2,D\xfcsseldorf\n");
        let done = place.load("people.csv --into cities --create-table --encoding auto");
        assert_eq!(done.code, 1, "{done}");
        done.says("`tail -c +4 people.csv | inrush load - --encoding windows-1252 ..` reads it so");
    });
}

/// Excel's "Unicode text": with a mark, in either order of bytes, plain or compressed, by every way to a new table.
#[test]
fn utf_16_with_a_mark_makes_a_table() {
    everywhere("marked", |place| {
        let text = "id\tname\n1\tBjørn\n2\tÄnn\n3\tЖ\n";
        let bytes = |order: fn(u16) -> [u8; 2]| "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order);
        let little: Vec<u8> = bytes(u16::to_le_bytes).collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &little).unwrap();
        place.write("a.txt", &little);
        place.write("b.txt", bytes(u16::to_be_bytes).collect::<Vec<_>>());
        place.write("a.txt.gz", packed.finish().unwrap());
        for (file, more) in [
            ("a.txt", "--create-table"),
            ("b.txt", "--create-table"),
            ("a.txt.gz", "--create-table"),
            ("a.txt", "--create-table --replace-table"),
            ("b.txt", "--create-table --sample all"),
            ("a.txt", "--create-table --encoding auto"),
        ] {
            let dry = place.load(&format!("{file} --into t {more} --dry-run"));
            assert_eq!(dry.code, 0, "{dry}");
            place.sql("DROP TABLE IF EXISTS t");
            place.forget();
            let done = place.load(&format!("{file} --into t {more}"));
            assert_eq!(done.code, 0, "{file} {more}: {done}");
            assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), "1,Bjørn|2,Änn|3,Ж", "{file} {more}");
        }
    });
}

/// A first line of numbers or days is a header where the table has exactly these columns, and a first line of names of `--columns` is one.
#[test]
fn the_table_decides_on_headers() {
    everywhere("deciding", |place| {
        let check = |columns: &str, file: &str, more: &str, rows: &str| {
            place.sql(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})"));
            place.forget();
            place.write("t.csv", file.as_bytes());
            let done = place.load(&format!("t.csv --into t {more}"));
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(place.sql("SELECT * FROM t ORDER BY 1"), rows, "{file}");
        };
        check("Name VARCHAR(9), `1` INT, `2` INT", "Name,1,2\nAnn,5,6\nBob,7,8\n", "", "Ann,5,6|Bob,7,8");
        check("`1` INT, `2` INT, n INT", "1,2\n5,6\n", "", "5,6,NULL");
        check("Country CHAR(2), `1/22/20` INT", "Country,1/22/20\nDE,1\n", "", "DE,1");
        check("Vorname VARCHAR(9), Ort VARCHAR(9)", "Vorname,Ort\nAnn,Rom\n", "", "Ann,Rom");
        check("Vorname VARCHAR(9), Ort VARCHAR(9)", "Vorname,Ort\nAnn,Rom\n", "--create-table", "Ann,Rom");
        check("a VARCHAR(9), b VARCHAR(9)", "1,2\n5,6\n", "", "1,2|5,6");
        check("a VARCHAR(9), b VARCHAR(9)", "Foo,Bar\nAnn,Rom\n", "--columns a,b --header", "Ann,Rom");
        check("Foo VARCHAR(9), Bar VARCHAR(9)", "Foo,Bar\nAnn,Rom\n", "--columns foo,bar", "Ann,Rom");
    });
}

/// Where nothing decides, it is a question: nothing is stored, and each option of the hint stores what it says.
#[test]
fn a_header_in_doubt_is_a_question() {
    everywhere("question", |place| {
        for (file, with, without) in [
            ("Ann,1999\nBob,2000\n", "Bob,2000", "Ann,1999|Bob,2000"),
            ("Ann,,Paris\nBob,x,Rome\n", "Bob,x,Rome", "Ann,,Paris|Bob,x,Rome"),
            ("Ann,Berlin\n", "", "Ann,Berlin"),
        ] {
            place.write("t.csv", file.as_bytes());
            for more in ["--create-table", "--replace-table"] {
                let done = place.load(&format!("t.csv --into t {more}"));
                assert_eq!(done.code, 1, "{done}");
                done.says("the first line of `t.csv` may be a header or a row: `Ann,");
                done.says("say which: `--header` or `--no-header`; with a header the");
                done.says(", without one it is `Ann,");
            }
            for (option, want) in [("--header", with), ("--no-header", without)] {
                place.sql("DROP TABLE IF EXISTS t");
                place.forget();
                let done = place.load(&format!("t.csv --into t --create-table {option}"));
                assert_eq!(done.code, 0, "{option} {done}");
                assert_eq!(place.sql("SELECT * FROM t ORDER BY 1"), want, "{file} {option}");
            }
        }
        // The names of a comment are not lost.
        place.write("t.csv", b"# name,city\nAnn,Berlin\nBob,Paris\n");
        place.sql("DROP TABLE IF EXISTS t");
        place.forget();
        place
            .load("t.csv --into t --create-table")
            .says("`--skip 1 --columns name,city --no-header` takes these names");
        let done = place.load("t.csv --into t --create-table --skip 1 --columns name,city --no-header");
        assert_eq!(
            (done.code, place.sql("SELECT name, city FROM t ORDER BY 1").as_str()),
            (0, "Ann,Berlin|Bob,Paris"),
            "{done}"
        );
        let done = place.load("t.csv --into t2 --create-table --skip auto");
        assert_eq!(done.code, 1, "{done}");
        done.says("of `t.csv` may be a header or a row: `Ann,Berlin`");
    });
}

#[test]
fn quotes_that_are_text_and_null_words() {
    everywhere("stray", |place| {
        let stray = b"id\tname\n1\t\"ON CERTAIN\n2\tB WILL\"\n3\tz\n";
        check(place, stray, "", "`\\t` between fields, no quotes", "1,\"ON CERTAIN,NULL|2,B WILL\",NULL|3,z,NULL");
        let wide = b"id;name;price\n1;\"x;224\n2;y;17\n";
        check(place, wide, "", "`;` between fields, no quotes", "1,\"x,224.00|2,y,17.00");
        check(place, b"'id','name'\n'1','5\" pipe'\n'2','b'\n", "", "`'` around fields", "1,5\" pipe,NULL|2,b,NULL");
        let nulls = "`\\t` between fields, no quotes, `\\N` is NULL";
        check(place, b"id\tname\n1\t\\N\n2\t\"b\n", "", nulls, "1,NULL,NULL|2,\"b,NULL");
        let escapes = "`\\t` between fields, no quotes, `\\` escapes, `\\N` is NULL";
        check(place, b"id\tname\n1\t\\N\n2\ta\\\\b\\nc\n", "", escapes, "1,NULL,NULL|2,a\\b\nc,NULL");
        check(place, b"id,name\n1,a\n2,b\n\x1a", "", "", "1,a,NULL|2,b,NULL");
        check(place, b"name\nAnn\n\x1a", "--set id=7", "", "7,Ann,NULL");
    });
}

/// What comes only behind the sample, and may be read in two ways, is a bad row: nothing is swallowed.
#[test]
fn doubts_behind_the_sample() {
    everywhere("behind", |place| {
        let many: String = (0..60_000).map(|id| format!("{id}\tsome text of this row\n")).collect();
        let late = format!("id\tname\n{many}60000\t\"ON\n60001\tB\n60002\tC\"\n");
        assert!(many.len() > 1 << 20);
        place.sql(TABLE);
        place.write("people.tsv", late.as_bytes());
        let done = place.load("people.tsv --into people");
        assert_eq!(done.code, 2, "{done}");
        done.says("field 2 begins with a quote that closes in a later line, behind other delimiters");
        done.says("`--quote ''` reads quotes as text");
        place.sql("DELETE FROM people");
        place.forget();
        let unquoted = place.load("people.tsv --into people --quote=");
        assert_eq!(unquoted.code, 0, "{unquoted}");
        assert_eq!(place.sql("SELECT name FROM people WHERE id >= 60000 ORDER BY id"), "\"ON|B|C\"");
        place.sql("DELETE FROM people");
        place.forget();
        place.write("people.tsv", format!("id\tname\n-1\t\\N\n{many}60000\ta\\tb\n").as_bytes());
        let done = place.load("people.tsv --into people");
        assert_eq!(done.code, 2, "{done}");
        done.says("field 2 has a backslash, which may escape what is behind it");
        for (options, want) in [("--quote= --escape \\", "a\tb"), ("--null \\N", "a\\tb")] {
            place.sql("DELETE FROM people");
            place.forget();
            let done = place.load(&format!("people.tsv --into people {options}"));
            assert_eq!((done.code, &place.sql("SELECT name FROM people WHERE id = 60000")[..]), (0, want), "{done}");
        }
    });
}

/// Commands in hints, run by a shell as they stand, with the rest of the command in the place of the two points.
#[test]
fn commands_of_hints_help() {
    everywhere("commands", |place| {
        for (file, message, command) in [
            ("id,name\r\r\n1,Ann\r\r\n", "ends with CR CR LF", "tr -d '\\r' < people.csv"),
            ("id||name\n1||Ann\n", "are separated by `||`", "sed 's/||/\\t/g' people.csv"),
            ("id::name\n1::Ann\n", "may be separated by `::`", "sed 's/::/\\t/g' people.csv"),
            (
                "id, name\n1, \"Ann\"\n",
                "blanks stand before quotes",
                "sed -Ez 's/(^|,|\\n) *(\"([^\"]|\"\")*\"|[^\",\\n]*) */\\1\\2/g' people.csv",
            ),
            ("id|name\n--|----\n1|Ann\n", "line 2 of `people.csv` only has dashes", "sed 2d people.csv"),
        ] {
            place.sql(&format!("DROP TABLE IF EXISTS people; {TABLE}"));
            place.forget();
            place.write("people.csv", file.as_bytes());
            let done = place.load("people.csv --into people");
            assert_eq!(done.code, 1, "{done}");
            done.says(message);
            done.says(&format!("`{command} | inrush load - "));
            let shell =
                std::process::Command::new("sh").args(["-c", command]).current_dir(place.path("")).output().unwrap();
            place.write("people.csv", &shell.stdout);
            let done = place.load("people.csv --into people");
            assert_eq!((done.code, place.sql(ROWS).as_str()), (0, "1,Ann,NULL"), "{done}");
        }
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
