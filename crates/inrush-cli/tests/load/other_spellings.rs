//! Numbers and dates of other countries and records of another width: taken by option, checked, never guessed, and proposed where they
//! are not taken.

use crate::place::{Place, everywhere};

const TABLE: &str = "CREATE TABLE sales (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(12,2), weight DOUBLE, n INT, born DATE, \
                     at DATETIME, open TIME)";
const ROWS: &str = "SELECT * FROM sales ORDER BY id";
const GERMAN: &str = "id;name;price;weight;n;born;at;open\n\
                      1;1,5 kg;1.234,50;0,25;1.000;31.12.2024;01.02.2024 07:05;09.30\n\
                      2;Zwei;-3,5;1.000.000;7;1.5.1999;2024-02-01 10:00:00;\n";
fn fresh(place: &Place, file: &str) {
    place.sql(&format!("DROP TABLE IF EXISTS sales; {TABLE}"));
    place.forget();
    place.write("sales.csv", file.as_bytes());
}

#[test]
fn by_option() {
    everywhere("spelt", |place| {
        fresh(place, &GERMAN.replace("2024-02-01 10:00:00", "03.04.2024 10:00"));
        let mut command = place.command(
            "sales.csv --into sales --decimal , --thousands . --date-format %d.%m.%Y --date-format open=%H.%M",
        );
        command.args(["--date-format", "at=%d.%m.%Y %H:%M"]);
        let done = place.done(&command.output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(
            place.sql(ROWS),
            "1,1,5 kg,1234.50,0.25,1000,2024-12-31,2024-02-01 07:05:00,09:30:00|\
             2,Zwei,-3.50,1000000,7,1999-05-01,2024-04-03 10:00:00,NULL"
        );
    });
}

#[test]
fn what_does_not_fit_is_a_bad_row() {
    everywhere("misfit", |place| {
        let lines = "id;name;price\n1;a;1,50\n2;b;1.50\n3;\"c\nc\";x\n4;d;4\n";
        fresh(place, lines);
        let done = place.load("sales.csv --into sales --decimal ,");
        assert_eq!(done.code, 2, "{done}");
        done.says("`1.50` is no number by `--decimal ,`; 1 more bad row in the same chunk (sales.csv, line 3, column `price`)");
        fresh(place, lines);
        let done = place.load("sales.csv --into sales --decimal , --bad-rows divert:bad.csv");
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.sql("SELECT id, price FROM sales ORDER BY id"), "1,1.50|4,4.00");
        assert_eq!(place.read("bad.csv"), "id;name;price\n2;b;1.50\n3;\"c\nc\";x\n");
    });
}

#[test]
fn it_is_proposed() {
    everywhere("proposed", |place| {
        for (file, says) in [
            ("id;price\n1;1,50\n2;2\n", "column `price` looks like `--decimal ,`: 2 of 2 sampled cells fit"),
            ("id;price\n1;1.234,50\n", "`--decimal , --thousands .`: 1 of 1"),
            ("id,price\n1,\"1,234\"\n", "`--decimal ,` or `--thousands ,`: 1 of 1"),
            ("id,born\n1,1/5/2024\n", "`--date-format '%d/%m/%Y'` or `--date-format '%m/%d/%Y'`: 1 of 1"),
            ("id,born\n1,31.12.2024\n", "`--date-format %d.%m.%Y`: 1 of 1"),
            ("id,name\n1,a\n2,b,c\n", "`--extra-fields ignore` leaves out"),
            ("id,name,price\n1,a,1\n2,b\n", "`--missing-fields null` reads"),
        ] {
            fresh(place, file);
            let done = place.load("sales.csv --into sales");
            assert_eq!(done.code, 2, "{done}");
            done.says(says);
            assert_eq!(
                place.sql("SELECT COUNT(*) FROM sales WHERE price IS NOT NULL AND price <> 1 AND price <> 2"),
                "0"
            );
        }
        // Also where nothing was sent for it.
        place.sql("DROP TABLE sales");
        place.write("sales.csv", b"a,b,c\n1,2,3\n1,2\n1,2\n");
        let done = place.load("sales.csv --into sales --create-table");
        assert_eq!(done.code, 2, "{done}");
        done.says("expected 3 fields, found 2; 1 more bad row in the same chunk (sales.csv, line 3)\nhint: `--missing-fields null` reads");
        // Followed, it helps.
        for (file, option, want) in [
            ("id;price\n1;1,50\n2;2\n", "--decimal ,", "1,NULL,1.50|2,NULL,2.00"),
            ("id,name\n1,a\n2,b,c\n", "--extra-fields ignore", "1,a,NULL|2,b,NULL"),
            ("id,name,price\n1,a,1\n2,b\n3\n", "--missing-fields null", "1,a,1.00|2,b,NULL|3,NULL,NULL"),
        ] {
            fresh(place, file);
            let done = place.load(&format!("sales.csv --into sales {option}"));
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(place.sql("SELECT id, name, price FROM sales ORDER BY id"), want);
        }
    });
}

#[test]
fn new_tables_have_their_types() {
    everywhere("typed", |place| {
        let file = "id;price;born;note\n1;1.234,50;31.12.2024;1.5\n2;2,25;1.5.1999;x\n";
        place.write("made.csv", file.as_bytes());
        place.sql("DROP TABLE IF EXISTS made");
        let done = place.load("made.csv --into made --create-table --decimal , --thousands . --date-format %d.%m.%Y");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT * FROM made ORDER BY id"), "1,1234.50,2024-12-31,1.5|2,2.25,1999-05-01,x");
        let types = "SELECT GROUP_CONCAT(data_type ORDER BY ordinal_position SEPARATOR ' ') FROM information_schema.columns \
                     WHERE table_schema = DATABASE() AND table_name = 'made'";
        assert_eq!(place.sql(types), "int decimal date varchar");
        // Without them numbers are texts, which is said; a date that can be read in one way alone is one.
        place.sql("DROP TABLE made");
        place.forget();
        let done = place.done(&place.command("made.csv --into made --create-table").arg("--json").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        done.says("column `price` looks like `--decimal , --thousands .`: 2 of 2 sampled cells fit; without it the column is a text");
        done.says("dates are read by `%d.%m.%Y`, which alone fits, in born");
        assert_eq!(place.sql("SELECT price, born FROM made ORDER BY id"), "1.234,50,2024-12-31|2,25,1999-05-01");
    });
}

#[test]
fn options_that_make_no_sense() {
    everywhere("nonsense", |place| {
        fresh(place, "id\n1\n");
        place.write("a.jsonl", b"{\"id\":1}\n");
        for (arguments, says) in [
            ("sales.csv --thousands .", "`.` cannot stand both between groups of digits and before the fraction"),
            ("sales.csv --date-format dd.mm.yyyy", "it takes what strptime does, such as `%d.%m.%Y`"),
            ("a.jsonl --decimal ,", "has no meaning for `a.jsonl`"),
            ("a.jsonl --missing-fields null", "`--missing-fields` has no meaning"),
        ] {
            let done = place.load(&format!("{arguments} --into sales"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
    });
}
