//! The model of partitions against real servers: hundreds of rows are stored in a table of each kind, and each must be in the partition
//! that the model says. The same rows are asked for as a load asks before it uses the model.

#![allow(clippy::unwrap_used, clippy::panic)]

use inrush::sans_io::column::order::KeyPart;
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::profile::Profile;
use inrush::sans_io::route::{Described, Partitioning};
use inrush::sans_io::wire::ServerVersion;
use inrush_testkit::dice::Dice;
use inrush_testkit::servers::{Server, all};
use std::thread;

/// Columns with their types, and the partitions.
const TABLES: [(&[(&str, &str)], &str); 26] = [
    (
        &[("i", "int")],
        "RANGE (i) (PARTITION a VALUES LESS THAN (-5), PARTITION b VALUES LESS THAN (100), PARTITION c VALUES LESS THAN MAXVALUE)",
    ),
    (
        &[("u", "bigint unsigned")],
        "RANGE (u) (PARTITION a VALUES LESS THAN (9223372036854775808), PARTITION b VALUES LESS THAN MAXVALUE)",
    ),
    (
        &[("d", "date")],
        "RANGE (YEAR(d)) (PARTITION a VALUES LESS THAN (1990), PARTITION b VALUES LESS THAN (2020), PARTITION c VALUES LESS THAN MAXVALUE)",
    ),
    (
        &[("d", "date")],
        "RANGE (TO_DAYS(d)) (PARTITION a VALUES LESS THAN (TO_DAYS('2000-03-01')), PARTITION c VALUES LESS THAN MAXVALUE)",
    ),
    (
        &[("t", "datetime")],
        "RANGE (TO_SECONDS(t)) (PARTITION a VALUES LESS THAN (63000000000), PARTITION c VALUES LESS THAN MAXVALUE)",
    ),
    (&[("i", "int")], "LIST (i % 1) (PARTITION a VALUES IN (0), PARTITION b VALUES IN (1))"),
    (
        &[("s", "tinyint")],
        "LIST (s) (PARTITION a VALUES IN (0, 1, 2, NULL), PARTITION b VALUES IN (3, 4, -1, 5), PARTITION c VALUES IN (6, 7))",
    ),
    (&[("i", "int")], "HASH (i) PARTITIONS 7"),
    (&[("l", "bigint")], "HASH (l) PARTITIONS 64"),
    (&[("u", "bigint unsigned")], "HASH (u) PARTITIONS 5"),
    (&[("d", "date")], "HASH (TO_DAYS(d)) PARTITIONS 12"),
    (&[("d", "date")], "HASH (MONTH(d)) PARTITIONS 12"),
    (&[("t", "datetime")], "HASH (DAYOFMONTH(t)) PARTITIONS 4"),
    (&[("i", "int")], "LINEAR HASH (i) PARTITIONS 6"),
    (&[("i", "int")], "KEY (i) PARTITIONS 9"),
    (&[("s", "tinyint"), ("l", "bigint")], "KEY (s, l) PARTITIONS 8"),
    (&[("u", "bigint unsigned"), ("m", "mediumint")], "KEY (m, u) PARTITIONS 11"),
    (&[("b", "binary(16)")], "KEY (b) PARTITIONS 64"),
    (&[("b", "binary(3)"), ("d", "date")], "KEY (d, b) PARTITIONS 10"),
    (&[("y", "year")], "KEY (y) PARTITIONS 10"),
    (&[("t", "datetime")], "KEY (t) PARTITIONS 10"),
    (&[("b", "binary(16)")], "LINEAR KEY (b) PARTITIONS 6"),
    (&[("i", "int")], "KEY () PARTITIONS 5"),
    (
        &[("d", "date"), ("i", "int")],
        "RANGE COLUMNS (i, d) (PARTITION a VALUES LESS THAN (0, '2000-01-01'), PARTITION b VALUES LESS THAN (0, MAXVALUE), PARTITION c VALUES LESS THAN (MAXVALUE, MAXVALUE))",
    ),
    (
        &[("t", "datetime")],
        "RANGE COLUMNS (t) (PARTITION a VALUES LESS THAN ('2000-01-01 12:00:00'), PARTITION c VALUES LESS THAN (MAXVALUE))",
    ),
    (
        &[("s", "tinyint")],
        "LIST COLUMNS (s) (PARTITION a VALUES IN (0, 1, 2, NULL), PARTITION b VALUES IN (3, 4, -1, 5), PARTITION c VALUES IN (6, 7))",
    ),
];

/// Those of which we know no rule.
const WITHOUT: [&str; 1] = ["LIST (i % 1)"];

const ROWS: usize = 400;

#[test]
fn rows_are_where_the_model_says() {
    thread::scope(|scope| {
        for server in all() {
            scope.spawn(move || TABLES.iter().for_each(|(columns, by)| check(&server, columns, by)));
        }
    });
}

/// A value as a literal.
fn value(ty: &str, dice: &mut Dice) -> String {
    let sign = if dice.percent(50) { "-" } else { "" };
    match ty {
        "tinyint" => (dice.between(0, 8) as i64 - 1).to_string(),
        "mediumint" => format!("{sign}{}", dice.below(8_000_000)),
        "int" if dice.percent(50) => format!("{sign}{}", dice.below(200)),
        "int" => format!("{sign}{}", dice.below(1 << 31)),
        "bigint" => format!("{sign}{}", dice.below(1 << 62)),
        "bigint unsigned" => (dice.below(1 << 62) * 4 + dice.below(4)).to_string(),
        "year" => dice.between(1901, 2155).to_string(),
        "date" => format!("'{}'", date(dice)),
        "datetime" => format!("'{} {:02}:{:02}:{:02}'", date(dice), dice.below(24), dice.below(60), dice.below(60)),
        _ => {
            let n = ty.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
            let hex: String =
                (0..n).map(|_| format!("{:02X}", [dice.below(256), 0, 0x20][dice.below(3) as usize])).collect();
            format!("X'{hex}'")
        }
    }
}

fn date(dice: &mut Dice) -> String {
    format!("{:04}-{:02}-{:02}", dice.between(1970, 2040), dice.between(1, 12), dice.between(1, 28))
}

fn check(server: &Server, columns: &[(&str, &str)], by: &str) {
    let schema = server.schema("partitions");
    let declared: Vec<String> = columns.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
    let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    // A primary key takes no NULL.
    let has_key = by.starts_with("KEY ()");
    let key = if has_key { format!(", PRIMARY KEY ({names})") } else { String::new() };
    schema.sql(&format!("CREATE TABLE t ({}{key}) ENGINE=InnoDB PARTITION BY {by}", declared.join(", ")));
    let mut dice = Dice::of(&format!("{by} {}", server.instance));
    // MySQL and MariaDB refuse a NULL that no partition takes.
    let takes_null = !has_key && !by.contains("% 1");
    let row = |dice: &mut Dice| {
        let values: Vec<String> = columns
            .iter()
            .map(|(_, ty)| if takes_null && dice.percent(4) { "NULL".into() } else { value(ty, dice) })
            .collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<String> = (0..ROWS).map(|_| row(&mut dice)).collect();
    let insert = if has_key || by.contains("% 1") { "INSERT IGNORE" } else { "INSERT" };
    schema.sql(&format!("{insert} INTO t VALUES {}", rows.join(", ")));
    let described = schema.sql(
        "SELECT PARTITION_NAME, PARTITION_METHOD, COALESCE(PARTITION_EXPRESSION, ''), COALESCE(PARTITION_DESCRIPTION, '') \
         FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't' ORDER BY PARTITION_ORDINAL_POSITION",
    );
    let described: Vec<Described> = described
        .into_iter()
        .map(|row| {
            let [name, method, expression, description] = <[String; 4]>::try_from(row).unwrap();
            Described { name, method, expression, description }
        })
        .collect();
    let of = |(name, ty): &(&str, &str)| Column { nullable: !has_key, ..Column::new(*name, ColumnType::parse(ty)) };
    let all: Vec<Column> = columns.iter().map(of).collect();
    let primary: Vec<String> = if has_key { vec![columns[0].0.into()] } else { Vec::new() };
    let profile = Profile::of(&ServerVersion::parse(&schema.sql("SELECT VERSION()")[0][0]));
    let model = match Partitioning::of(&described, &all, &primary, &profile) {
        Ok(model) => model,
        Err(why) => return assert!(WITHOUT.iter().any(|known| by.starts_with(known)), "{by}: {why}"),
    };
    let fields: Vec<&Column> =
        model.columns().map(|name| all.iter().find(|column| column.name == name).unwrap()).collect();
    let parts: Vec<KeyPart> = fields
        .iter()
        .map(|column| KeyPart::of(&Column { nullable: false, ..(*column).clone() }, None, None, false).unwrap())
        .collect();
    let mut n_rows = 0;
    for (number, partition) in (0..).zip(&described) {
        let shown: Vec<String> = fields.iter().map(|column| shown(column)).collect();
        for row in schema.sql(&format!("SELECT {} FROM t PARTITION ({})", shown.join(", "), partition.name)) {
            let values: Vec<Option<Vec<u8>>> = row
                .iter()
                .zip(&parts)
                .zip(&fields)
                .map(|((cell, part), column)| (cell != "none").then(|| encoded(column, part, cell)))
                .collect();
            let context = format!("{}: {by}: {row:?}", server.instance);
            assert_eq!(model.route(&values), Some(number), "{context}");
            if n_rows % 40 == 0 {
                let question = model.question((schema.name(), "t"), &values);
                let answer = &schema.sql(&question.sql)[0][question.column];
                assert!(model.is_answered(Some(number), answer), "{context}: {question:?}: {answer}");
                assert!(!model.is_answered(Some(number + 1), answer), "{context}");
            }
            n_rows += 1;
        }
    }
    assert!(n_rows > ROWS / 3, "{by}: {n_rows}");
}

fn shown(column: &Column) -> String {
    let name = &column.name;
    let text = if matches!(column.ty, ColumnType::Binary { .. }) {
        format!("HEX({name})")
    } else {
        format!("CAST({name} AS CHAR)")
    };
    format!("COALESCE({text}, 'none')")
}

fn encoded(column: &Column, part: &KeyPart, cell: &str) -> Vec<u8> {
    let bytes = match column.ty {
        ColumnType::Binary { .. } => {
            (0..cell.len() / 2).map(|at| u8::from_str_radix(&cell[2 * at..2 * at + 2], 16).unwrap()).collect()
        }
        _ => cell.as_bytes().to_vec(),
    };
    let mut key = Vec::new();
    part.append(Some(&bytes), &mut key);
    key
}
