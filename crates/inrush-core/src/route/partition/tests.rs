//! What is parsed and refused; the test `partition_oracle` compares the routes of rows with servers.

use super::*;
use crate::wire::ServerVersion;

fn profile() -> Profile {
    Profile::of(&ServerVersion::parse("9.7.4"))
}

fn columns() -> Vec<Column> {
    let column = |(name, ty): (&str, &str)| Column::new(name, ColumnType::parse(ty));
    let all = [
        ("i", "int"),
        ("u", "bigint unsigned"),
        ("d", "date"),
        ("t", "datetime"),
        ("b", "binary(16)"),
        ("v", "varchar(9)"),
        ("y", "year"),
    ];
    all.into_iter().map(column).collect()
}

fn described(method: &str, expression: &str, descriptions: &[&str]) -> Vec<Described> {
    let one = |(number, description): (usize, &&str)| Described {
        name: format!("p{number}"),
        method: method.into(),
        expression: expression.into(),
        description: (*description).into(),
    };
    descriptions.iter().enumerate().map(one).collect()
}

/// Cells as texts; `-` is NULL.
#[track_caller]
fn check(method: &str, expression: &str, descriptions: &[&str], rows: &[(&[&str], Option<u32>)]) {
    let partitioning =
        Partitioning::of(&described(method, expression, descriptions), &columns(), &["i".into()], &profile()).unwrap();
    let parts: Vec<KeyPart> = partitioning.fields.iter().map(|field| field.part(&columns()).unwrap()).collect();
    for (cells, want) in rows {
        let values: Vec<Value> =
            cells.iter().zip(&parts).map(|(cell, part)| (*cell != "-").then(|| encoded(part, cell))).collect();
        assert_eq!(partitioning.route(&values), *want, "{method} {expression} {cells:?}");
    }
}

#[test]
fn ranges_of_numbers_and_days() {
    let rows: &[(&[&str], _)] =
        &[(&["-5"], Some(0)), (&["9"], Some(0)), (&["10"], Some(1)), (&["99"], None), (&["-"], Some(0))];
    check("RANGE", "`i`", &["10", "20"], rows);
    check("RANGE", "`u`", &["10", "MAXVALUE"], &[(&["18446744073709551615"], Some(1)), (&["0"], Some(0))]);
    check("RANGE", "year(`d`)", &["2000", "2010"], &[(&["1999-12-31"], Some(0)), (&["2000-01-01"], Some(1))]);
    // TO_DAYS('2024-01-01') is 739251.
    check(
        "RANGE",
        "to_days(`t`)",
        &["739251", "MAXVALUE"],
        &[(&["2023-12-31 23:59:59"], Some(0)), (&["2024-01-01 00:00:00"], Some(1))],
    );
    check(
        "RANGE COLUMNS",
        "`i`,`d`",
        &["1,'2000-01-01'", "1,MAXVALUE", "MAXVALUE,MAXVALUE"],
        &[
            (&["1", "1999-12-31"], Some(0)),
            (&["1", "2000-01-01"], Some(1)),
            (&["2", "1000-01-01"], Some(2)),
            (&["-", "-"], Some(0)),
        ],
    );
}

#[test]
fn lists_of_values() {
    check(
        "LIST",
        "`i`",
        &["1,-2", "NULL,3"],
        &[(&["-2"], Some(0)), (&["3"], Some(1)), (&["-"], Some(1)), (&["7"], None)],
    );
    check(
        "LIST COLUMNS",
        "`i`,`d`",
        &["(1,'2000-01-01')", "(1,NULL)"],
        &[(&["1", "2000-01-01"], Some(0)), (&["1", "-"], Some(1)), (&["-", "-"], None)],
    );
}

#[test]
fn hashes_of_numbers() {
    check("HASH", "`i`", &["", "", ""], &[(&["7"], Some(1)), (&["-7"], Some(1)), (&["-"], Some(2))]);
    check("HASH", "`u`", &["", "", ""], &[(&["18446744073709551615"], Some(1))]);
    check(
        "LINEAR HASH",
        "`i`",
        &[""; 6],
        &[(&["5"], Some(5)), (&["6"], Some(2)), (&["7"], Some(3)), (&["8"], Some(0))],
    );
    check("HASH", "month(`d`)", &[""; 4], &[(&["2000-07-31"], Some(3))]);
}

#[track_caller]
fn check_refused(method: &str, expression: &str, descriptions: &[&str], why: &str) {
    let refused = Partitioning::of(&described(method, expression, descriptions), &columns(), &["v".into()], &profile());
    let told = refused.expect_err("no model");
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_has_no_model() {
    check_refused("", "", &[], "no partitions");
    check_refused("RANGE", "`i` + 1", &["10"], "the rule RANGE (`i` + 1) is not known");
    check_refused("RANGE", "unix_timestamp(`t`)", &["10"], "is not known");
    check_refused("RANGE", "`i`", &["x"], "is not known");
    check_refused("HASH", "year(`i`)", &[""], "is not known");
    check_refused("KEY", "", &[""], "column `v`");
    check_refused("KEY", "`nothing`", &[""], "is no column");
    check_refused("LIST COLUMNS", "`i`", &["(1,2)"], "is not known");
    check_refused("SYSTEM_TIME", "", &["CURRENT"], "SYSTEM_TIME");
}

#[test]
fn questions_and_answers() {
    let of = |method: &str, expression: &str, n: usize| {
        Partitioning::of(&described(method, expression, &vec![""; n]), &columns(), &[], &profile()).unwrap()
    };
    let key = of("KEY", "`b`,`i`", 4);
    // In the order of the table.
    let values = [None, Some(b"0123456789abcdef".to_vec())];
    assert_eq!(
        key.question(("s", "t"), &values).sql,
        "EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM `s`.`t` WHERE `i` IS NULL AND `b` BETWEEN X'30313233343536373839616263646566' AND X'30313233343536373839616263646566'"
    );
    let part = |column: &str, cell: &str| {
        let column = columns().into_iter().find(|known| known.name == column).unwrap();
        encoded(&KeyPart::of(&Column { nullable: false, ..column }, None, None, false).unwrap(), cell)
    };
    let asked = |method, column: &str, cell: &str| {
        let question = of(method, &format!("`{column}`"), 2).question(("s", "t"), &[Some(part(column, cell))]);
        assert_eq!(question.column, 3);
        question.sql.strip_prefix("EXPLAIN FORMAT=TRADITIONAL ").unwrap().to_owned()
    };
    assert_eq!(asked("KEY", "i", "-3"), "SELECT 1 FROM `s`.`t` WHERE `i` BETWEEN -3 AND -3");
    assert_eq!(asked("KEY", "y", "1999"), "SELECT 1 FROM `s`.`t` WHERE `y` BETWEEN 1999 AND 1999");
    assert_eq!(
        asked("KEY", "d", "2024-02-09"),
        "SELECT 1 FROM `s`.`t` WHERE `d` BETWEEN '2024-02-09' AND '2024-02-09'"
    );
    let moment = "2024-02-09 07:08:09";
    assert_eq!(asked("KEY", "t", moment), format!("SELECT 1 FROM `s`.`t` WHERE `t` BETWEEN '{moment}' AND '{moment}'"));
    assert!(key.is_answered(Some(1), "p1") && key.is_answered(Some(1), "p1_p1sp0,p1_p1sp1"));
    for (number, answer) in
        [(Some(1), "p0"), (Some(1), "p1,p2"), (Some(1), ""), (None, "p1"), (Some(9), "p9"), (Some(1), "p11")]
    {
        assert!(!key.is_answered(number, answer), "{number:?} {answer}");
    }
}

/// PolarDB-X: what `part_route` answers in the server's own tests.
#[track_caller]
fn check_ranges(method: &str, expression: &str, n: usize, description: &str, cells: &[&str], want: (usize, &str)) {
    let profile = Profile::of(&ServerVersion::parse("5.7.25-TDDL-5.4.19-20251031"));
    let described = described(method, expression, &vec![description; n]);
    let partitioning = Partitioning::of(&described, &columns(), &[], &profile).unwrap();
    let columns = columns();
    let values: Vec<Value> = partitioning
        .fields
        .iter()
        .zip(cells)
        .map(|(field, cell)| (*cell != "-").then(|| encoded(&field.part(&columns).unwrap(), cell)))
        .collect();
    let (part, arguments) = want;
    // The server counts from 1 on.
    assert_eq!(partitioning.route(&values), Some(part as u32 - 1), "{method} {expression} {cells:?}");
    let question = partitioning.question(("s'x", "t"), &values);
    assert_eq!(question, Question { sql: format!("SELECT part_route(X'732778', 't', {arguments})"), column: 0 });
    assert!(partitioning.is_answered(Some(part as u32 - 1), &format!("p{}", part - 1)));
}

#[test]
fn ranges_of_a_hash() {
    check_ranges("KEY", "`u`", 16, "", &["100"], (16, "100"));
    check_ranges("KEY", "u,t,v", 16, "", &["101"], (3, "101"));
    check_ranges("HASH", "`v`", 16, "", &["a  "], (3, "'A'"));
    check_ranges("HASH", "i", 4, "", &["99"], (1, "99"));
    let cells = &["101", "2012-12-12 11:11:11", "A"];
    check_ranges("HASH", "`u`,`t`,`v`", 16, "", cells, (16, "101, '2012-12-12 11:11:11', 'A'"));
    check_ranges("HASH", "u,t,v", 64, "", &["-", "-", "-"], (47, "NULL, NULL, NULL"));
    // Blanks within a text count, whatever they are encoded as.
    check_ranges("HASH", "v", 1, "", &["a  b 1 "], (1, "'A  B 1'"));
    check_ranges("KEY", "u", 1, "9223372036854775807", &["100"], (1, "100"));
}

#[test]
fn bounds_of_a_hash() {
    let bounds = |texts: &[&str]| hash_ranges(&described("KEY", "u", texts));
    assert_eq!(bounds(&["-5", "9223372036854775807"]), [-5, i64::MAX]);
    assert_eq!(bounds(&["(-5,MAXVALUE)", "(7,MAXVALUE)"]), [-5, 7]);
    // Of another form, or in no order: those of a new table.
    for other in [["", ""], ["x", "1"], ["7", "-5"]] {
        assert_eq!(bounds(&other), even_bounds(2));
    }
}

#[test]
fn what_has_no_ranges_of_a_hash() {
    let profile = Profile::of(&ServerVersion::parse("5.7.25-TDDL-5.4.19-20251031"));
    for (method, expression, why) in [
        ("RANGE", "`i`", "the rule RANGE (`i`) is not known"),
        ("HASH", "YEAR(`t`)", "the rule HASH (YEAR(`t`)) is not known"),
        ("HASH", "`d`", "the rule for the type of column `d` is not known"),
        ("KEY", "none", "`none`, which is no column"),
    ] {
        let refused = Partitioning::of(&described(method, expression, &[""]), &columns(), &[], &profile);
        let told = refused.expect_err("no model");
        assert!(told.contains(why), "{told}");
    }
}
