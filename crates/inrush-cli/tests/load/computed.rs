//! Columns that are computed: the same on every server and by every method.

use crate::place::{Place, Rows, everywhere};

/// Whether LOAD DATA computes as strictly as an INSERT.
#[derive(Clone, Copy, PartialEq)]
enum Load {
    Strict,
    Lax,
}

/// Loads `t.csv` into a new table by every method that computes; `args` may have blanks in them.
#[track_caller]
fn check(place: &Place, file: &str, args: &[&str], load: Load, code: i32, want: Rows, holds: &str) {
    for method in ["load-data", "multi-row", "auto"] {
        if method == "load-data" && !place.server.local_infile {
            continue;
        }
        place.sql(
            "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), total DECIMAL(9,2), \
             born DATE, country CHAR(2), raw VARBINARY(20))",
        );
        place.write("t.csv", file);
        place.forget();
        let fixed = ["--json", "-q", "--method", method];
        let done = place.done(&place.command("t.csv --into t").args(args).args(fixed).output().unwrap());
        if method == "load-data" && load == Load::Lax {
            assert_eq!(done.code, 1, "{done}");
            done.says("LOAD DATA could bend what `--set` computes without a word");
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0", "{done}");
            continue;
        }
        let loads = method == "load-data" || method == "auto" && load == Load::Strict && place.server.local_infile;
        assert_eq!(done.json["method"]["name"], if loads { "load-data" } else { "multi-row" }, "{done}");
        assert_eq!((done.code, done.rows()), (code, Some(want)), "{method}: {done}");
        assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), holds, "{method}: {done}");
    }
}

#[test]
fn constants_fields_and_functions() {
    everywhere("computed", |place| {
        let set = ["--set", "total=@price*@qty", "--set", "country='NZ'", "--set", "name=UPPER(@name)"];
        let holds = "1,AN'N,7.50,NULL,NZ,NULL|2,B\\O\tB,0.20,NULL,NZ,NULL";
        let file = "id,name,price,qty\n1,an'n,2.50,3\n2,b\\o\tb,0.1,2\n";
        check(place, file, &set, Load::Lax, 0, Rows::stored(2), holds);
        // The same fields under other names, in another order.
        let file = "1,3,2.50,an'n\n2,2,0.1,b\\o\tb\n";
        let listed = ["--no-header", "--columns", "id,@qty,@price,@name"];
        check(place, file, &[&listed[..], &set[..]].concat(), Load::Lax, 0, Rows::stored(2), holds);
    });
}

#[test]
fn what_a_field_is_not_may_be_computed_from_it() {
    everywhere("computed_null", |place| {
        let set = [
            "--set",
            "born=STR_TO_DATE(NULLIF(@born, ''), '%d.%m.%Y')",
            "--set",
            "raw=UNHEX(@`the raw`)",
            "--null",
            "NA",
        ];
        let file = "id,born,the raw\n1,05.01.2013,6162\n2,,NA\n3,NA,\n";
        let holds = "1,NULL,NULL,2013-01-05,NULL,ab|2,NULL,NULL,NULL,NULL,NULL|3,NULL,NULL,NULL,NULL,";
        check(place, file, &set, Load::Strict, 0, Rows::stored(3), holds);
    });
}

#[test]
fn a_computed_value_that_would_be_bent_is_a_bad_row() {
    everywhere("computed_bad", |place| {
        let set = ["--set", "total=@n*10", "--bad-rows", "skip"];
        let file = "id,n\n1,5\n2,x\n3,99999999999\n4,7\n";
        let holds = "1,NULL,50.00,NULL,NULL,NULL|4,NULL,70.00,NULL,NULL,NULL";
        check(place, file, &set, Load::Lax, 4, Rows::rejecting(2, 2), holds);
    });
}

/// The example of docs/load.md.
#[test]
fn twelve_apples_are_named() {
    everywhere("computed_apples", |place| {
        place.sql("CREATE TABLE sales (id INT PRIMARY KEY, total DECIMAL(10,2))");
        place.write("sales.csv", "id,price\n1,3.50\n2,12 apples\n");
        let set = ["--columns", "id,@price", "--set", "total=CAST(@price AS DECIMAL(10,2))"];
        let done = place.done(&place.command("sales.csv --into sales").args(set).output().unwrap());
        assert_eq!(done.code, 2, "{done}");
        done.says("value: '12 apples' (server error 1292) (sales.csv, line 3)");
        assert_eq!(place.sql("SELECT COUNT(*) FROM sales"), "0");
    });
}

/// A column of this type, what is computed of `@`, and a value that fits and one that does not.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// Each of these would be bent, or become NULL, by LOAD DATA on one server or another, most of them without a word.
const LAX: [Case; 14] = [
    ("DECIMAL(10,2)", "CAST(@ AS DECIMAL(10,2))", "12", "12 apples"),
    ("DECIMAL(10,2)", "@*1", "5.00", "$5.00"),
    ("DECIMAL(10,2)", "@*2", "2", "abc"),
    ("DOUBLE", "-@", "1", "x1"),
    ("DECIMAL(10,2)", "10/@", "1", "0"),
    ("INT", "ROUND(@)", "1.5", "1.5z"),
    ("INT", "IF(@ > 5,1,0)", "7", "7q"),
    ("INT", "COALESCE(@+0,0)", "7", "q"),
    ("INT", "(@ = 7)", "7", "7q"),
    ("INT", "CAST(@ AS SIGNED)", "5", "5x"),
    ("INT", "YEAR(@)", "2013-01-05", "foo"),
    ("DATE", "MAKEDATE(2000,@)", "1", "q"),
    ("DATE", "CAST(@ AS DATE)", "2013-02-28", "2013-02-30"),
    ("INT", "CHAR_LENGTH(REPEAT('a',@))", "1", "1000000000"),
];

const LAX_ON_MARIADB: [Case; 2] =
    [("VARCHAR(9)", "CONVERT(@ USING latin1)", "a", "Ж"), ("INT", "JSON_EXTRACT(@,'$.a')", "{}", "{bad")];

/// LOAD DATA warns of each of these.
const STRICT: [Case; 10] = [
    ("VARCHAR(3)", "@", "abc", "abcd"),
    ("VARCHAR(3)", "UPPER(@)", "abc", "abcd"),
    ("DECIMAL(9,2)", "@", "12", "12 apples"),
    ("DECIMAL(9,2)", "TRIM(@)", "9", "99999999999"),
    ("DATE", "@", "2013-02-28", "2013-02-30"),
    ("DATE", "STR_TO_DATE(@,'%d.%m.%Y')", "5.1.2013", "30 May"),
    ("VARBINARY(4)", "CONCAT(@,@)", "ab", "abc"),
    ("INT NOT NULL", "NULLIF(@,'a')", "1", "a"),
    ("INT", "LOWER(@)", "5", "5X"),
    ("ENUM('a','b')", "REPLACE(@,'x','c')", "a", "x"),
];

#[test]
fn what_a_strict_insert_refuses_is_a_bad_row_by_every_method() {
    everywhere("computed_bent", |place| {
        let mut lax = LAX.to_vec();
        if !place.is_mysql() {
            lax.extend(LAX_ON_MARIADB);
        }
        one_bad_value_a_row(place, &lax, Load::Lax);
        one_bad_value_a_row(place, &STRICT, Load::Strict);
    });
}

/// A column for each of `cases`; row 0 fits, and each further row has one value that does not.
#[track_caller]
fn one_bad_value_a_row(place: &Place, cases: &[Case], load: Load) {
    let n = cases.len();
    let list = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(",");
    place.sql(&format!(
        "DROP TABLE IF EXISTS b; CREATE TABLE b (id INT PRIMARY KEY, {})",
        list(&|i| format!("c{i} {}", cases[i].0))
    ));
    let value = |row: usize, i: usize| if row == i + 1 { cases[i].3 } else { cases[i].2 };
    let rows = (0..=n).map(|row| format!("{row},{}\n", list(&|i| format!("\"{}\"", value(row, i)))));
    place.write("b.csv", rows.collect::<String>());
    let columns = format!("id,{}", list(&|i| format!("@f{i}")));
    for method in ["load-data", "multi-row", "auto"] {
        let is_lax_load = method == "load-data" && load == Load::Lax;
        if is_lax_load || method == "load-data" && !place.server.local_infile {
            continue;
        }
        place.sql("TRUNCATE TABLE b");
        place.forget();
        let mut command = place.command("b.csv --into b --no-header --bad-rows skip --json -q");
        command.args(["--method", method, "--columns", &columns]);
        for (i, case) in cases.iter().enumerate() {
            command.args(["--set", &format!("c{i}={}", case.1.replace('@', &format!("@f{i}")))]);
        }
        let done = place.done(&command.output().unwrap());
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(1, n as u64))), "{method}: {done}");
        assert_eq!(place.sql("SELECT id FROM b"), "0", "{method}: {done}");
        assert_ne!(done.json["method"]["name"], if load == Load::Lax { "load-data" } else { "" }, "{done}");
    }
}

/// The server notes that a value is rounded, which a strict INSERT bears; the next row's text is cut with the same code.
#[test]
fn a_warning_that_did_no_harm_proves_nothing_of_the_next_row() {
    everywhere("computed_warned", |place| {
        let file = "id,v\n1,1.267\n2,2.5\n3,12 apples\n";
        let args = ["--set", "total=@v", "--columns", "id,@v", "--bad-rows", "skip", "--batch", "1", "--lanes", "1"];
        let holds = "1,NULL,1.27,NULL,NULL,NULL|2,NULL,2.50,NULL,NULL,NULL";
        check(place, file, &args, Load::Strict, 4, Rows::rejecting(2, 1), holds);
    });
}

#[test]
fn with_modes() {
    everywhere("computed_modes", |place| {
        for (mode, rows, holds) in [
            ("upsert", Rows::stored(2), "1,ann!,20.00|7,cy!,1.00"),
            ("ignore", Rows::skipping(1, 1), "1,old,5.00|7,cy!,1.00"),
            ("replace", Rows::stored(2), "1,ann!,20.00|7,cy!,1.00"),
            ("update", Rows::skipping(1, 1), "1,ann!,20.00"),
            ("delete", Rows::skipping(1, 1), ""),
        ] {
            // A key that is computed as well.
            place.sql(
                "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), total DECIMAL(9,2))",
            );
            place.sql("INSERT INTO t VALUES (1,'old',5)");
            place.write("t.csv", "nr,name,total\n0,ann,20\n6,cy,1\n");
            let set = ["--set", "id=@nr+1", "--set", "name=CONCAT(@name,'!')", "--mode", mode, "--json", "-q"];
            let done = place.done(&place.command("t.csv --into t").args(set).output().unwrap());
            assert_eq!((done.code, done.rows()), (0, Some(rows)), "{mode}: {done}");
            assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), holds, "{mode}: {done}");
        }
    });
}

#[test]
fn mistakes_are_told_before_a_row_is_sent() {
    everywhere("computed_wrong", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))");
        place.write("t.csv", "id\n1\n");
        for (set, says) in [
            ("name=@nam", "there is no field `@nam`"),
            ("nmae='x'", "did you mean `name`?"),
            ("name='x'; DROP TABLE t", "has a `;` in it"),
            ("name", "there is no `=` in it"),
        ] {
            let done = place.done(&place.command("t.csv --into t").args(["--set", set]).output().unwrap());
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
        // What the server does not understand is its word, and nothing is stored.
        let done = place.done(&place.command("t.csv --into t").args(["--set", "name=NOFUNC()"]).output().unwrap());
        assert_eq!(done.code, 3, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0");
    });
}
