//! Columns that are computed: the same on every server and by every method.

use crate::place::{Place, Rows, on_all};

/// Loads `t.csv` into a new table by every method that computes; `args` may have blanks in them.
#[track_caller]
fn check(place: &Place, file: &str, args: &[&str], code: i32, want: Rows, holds: &str) {
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
        assert_eq!((done.code, done.rows()), (code, Some(want)), "{method}: {done}");
        assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), holds, "{method}: {done}");
    }
}

#[test]
fn constants_fields_and_functions() {
    on_all("computed", |place| {
        let set = ["--set", "total=@price*@qty", "--set", "country='NZ'", "--set", "name=UPPER(@name)"];
        let holds = "1,AN'N,7.50,NULL,NZ,NULL|2,B\\O\tB,0.20,NULL,NZ,NULL";
        let file = "id,name,price,qty\n1,an'n,2.50,3\n2,b\\o\tb,0.1,2\n";
        check(place, file, &set, 0, Rows::stored(2), holds);
        // The same fields under other names, in another order.
        let file = "1,3,2.50,an'n\n2,2,0.1,b\\o\tb\n";
        let listed = ["--no-header", "--columns", "id,@qty,@price,@name"];
        check(place, file, &[&listed[..], &set[..]].concat(), 0, Rows::stored(2), holds);
    });
}

#[test]
fn what_a_field_is_not_may_be_computed_from_it() {
    on_all("computed_null", |place| {
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
        check(place, file, &set, 0, Rows::stored(3), holds);
    });
}

#[test]
fn a_computed_value_that_would_be_bent_is_a_bad_row() {
    on_all("computed_bad", |place| {
        let set = ["--set", "total=@n*10", "--bad-rows", "skip"];
        let file = "id,n\n1,5\n2,x\n3,99999999999\n4,7\n";
        let holds = "1,NULL,50.00,NULL,NULL,NULL|4,NULL,70.00,NULL,NULL,NULL";
        check(place, file, &set, 4, Rows::rejecting(2, 2), holds);
    });
}

#[test]
fn with_modes() {
    on_all("computed_modes", |place| {
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
    on_all("computed_wrong", |place| {
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
