//! Random tables (types, character sets, keys, names, values) go out and come back by every format, and are the same: `FIRE=1` for 50 of them.

use crate::export::export;
use crate::manifests::{beside, load, run_by_client, stored};
use crate::place::{Place, everywhere};
use crate::verify;
use inrush_testkit::dice::{Dice, times};

/// A type, and values of it in SQL; `#` is a random number from 0 to 99.
const TYPES: &[(&str, &[&str])] = &[
    ("TINYINT", &["-128", "127", "#"]),
    ("SMALLINT UNSIGNED", &["0", "65535", "#"]),
    ("MEDIUMINT", &["-8388608", "8388607", "#"]),
    ("INT", &["-2147483648", "2147483647", "#"]),
    ("BIGINT", &["-9223372036854775808", "9223372036854775807", "#"]),
    ("BIGINT UNSIGNED", &["18446744073709551615", "0", "#"]),
    ("YEAR", &["1901", "2155", "0000"]),
    ("BIT(1)", &["b'0'", "b'1'"]),
    ("BIT(13)", &["0", "8191", "#"]),
    (
        "DECIMAL(65,30)",
        &[
            "99999999999999999999999999999999999.999999999999999999999999999999",
            "-0.000000000000000000000000000001",
            "#.5",
        ],
    ),
    ("DECIMAL(5,0)", &["-99999", "0", "#"]),
    ("FLOAT", &["-3.4e38", "1.17549e-38", "#.25", "0.1"]),
    ("DOUBLE", &["1.7976931348623157e308", "-1e-300", "0.1", "#e-7", "-0e0"]),
    ("DATE", &["'0001-01-01'", "'9999-12-31'", "'2024-02-29'"]),
    ("DATETIME", &["'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'2024-01-01 00:00:#'"]),
    ("DATETIME(6)", &["'9999-12-31 23:59:59.999999'", "'2024-01-01 00:00:00.0000#'"]),
    ("TIMESTAMP(3)", &["'1970-01-01 00:00:01'", "'2038-01-19 03:14:07.999'", "'2024-03-31 02:30:00.1'"]),
    ("TIME", &["'-838:59:59'", "'838:59:59'", "'00:00:01'"]),
    ("TIME(6)", &["'-00:00:00.000001'", "'837:59:59.999999'"]),
    ("CHAR(7)", &["''", "'a b'", "'é#'", "'\\\\N'"]),
    ("VARCHAR(30)", &["''", "' a '", "'a,\"b\"'", "'NULL'", "'x\\ty\\nz'", "'\\\\'", "'n#'", "'\\r\\n'", "'#'"]),
    ("TINYTEXT", &["''", "'\\'q\\''", "'line\\nline'", "'t#'"]),
    ("TEXT", &["''", "REPEAT('x',#)", "'a;b|c'", "'0'"]),
    ("LONGTEXT", &["REPEAT('long ',1000)", "'é'", "''"]),
    ("BINARY(3)", &["'abc'", "x'00ff00'", "x'0a0d22'"]),
    ("VARBINARY(20)", &["''", "x'00'", "x'5c4e'", "x'ff#'"]),
    ("BLOB", &["''", "REPEAT(x'00ff5c27', #)", "x'22'"]),
    ("ENUM('a','b,c','')", &["'a'", "'b,c'", "''"]),
    ("SET('x','y z','w')", &["''", "'x,w'", "'y z'"]),
    ("JSON", &["'{}'", "'[1, 2.5, \"x\\\\ny\"]'", "'\"s\"'", "'{\"k\": {\"a\": [null, true]}}'"]),
    ("GEOMETRY", &["ST_GeomFromText('POINT(1 2)')", "ST_GeomFromText('LINESTRING(0 0,1 #)')"]),
];

/// Collations that all servers have.
const COLLATIONS: &[&str] = &[
    "utf8mb4_bin",
    "utf8mb4_general_ci",
    "utf8mb4_unicode_ci",
    "latin1_swedish_ci",
    "latin1_bin",
    "ucs2_general_ci",
    "utf8mb3_bin",
];

const KEYS: &[&str] = &[
    "PRIMARY KEY (id)",
    "PRIMARY KEY (part, id)",
    "PRIMARY KEY (name)",
    "PRIMARY KEY (moment, id)",
    "UNIQUE (id), KEY (name)",
    "UNIQUE (raw)",
    "KEY (part)",
];

const FORMATS: &[&str] = &["parquet", "arrow", "csv", "tsv", "jsonl", "sql"];

#[test]
fn random_tables_come_back_by_every_format() {
    everywhere("random_schemas", |place| {
        let mut dice = Dice::of(&format!("schemas {}", place.server.name));
        for round in 0..times(2, 50) {
            let name =
                ["t", "T x", "näme", "q'uote", "dot.dot"][dice.below(5) as usize].to_owned() + &round.to_string();
            let (columns, rows) = make(place, &name, &mut dice);
            for format in FORMATS {
                let folder = format!("{round}{format}");
                let pattern = place.schema.name().to_owned() + ".*";
                let done =
                    export(place, &format!("{pattern} --lanes {} --to {folder} --format {format}", dice.between(1, 3)));
                assert_eq!(done.code, 0, "{format} of {columns}: {done}");
                let other = beside(place);
                if *format == "sql" {
                    assert_eq!(run_by_client(place, &folder, &other), "", "{columns}");
                } else {
                    let done = load(place, &other, &folder);
                    assert_eq!(stored(&done), (0, rows), "{format} of {columns}: {done}");
                }
                let quoted = format!("`{name}`");
                let of =
                    |place: &Place, what: &str| place.sql(&format!("{what} {quoted}")).replace(place.schema.name(), "");
                assert_eq!(of(&other, "SHOW CREATE TABLE"), of(place, "SHOW CREATE TABLE"), "{format}");
                let mut verify = verify::command(place, "");
                let done = verify::Done::of(verify.arg(&quoted).arg(format!("{}.{quoted}", other.schema.name())));
                assert_eq!(done.code, 0, "{format} of {columns}: {done}");
                std::fs::remove_dir_all(place.path(&folder)).unwrap();
            }
            place.sql(&format!("DROP TABLE `{name}`"));
        }
    });
}

/// Makes a random table; returns its columns, and how many rows it has.
pub(crate) fn make(place: &Place, name: &str, dice: &mut Dice) -> (String, u64) {
    let pick = |dice: &mut Dice, n: usize| dice.below(n as u64) as usize;
    let mut columns = vec![
        "id INT NOT NULL".to_owned(),
        "part TINYINT NOT NULL".to_owned(),
        format!("name VARCHAR(40) COLLATE {} NOT NULL", COLLATIONS[pick(dice, COLLATIONS.len())]),
        "moment DATETIME(2) NOT NULL".to_owned(),
        "raw VARBINARY(16) NOT NULL".to_owned(),
    ];
    let mut types = Vec::new();
    for at in 0..dice.between(1, 8) {
        let (ty, values) = TYPES[pick(dice, TYPES.len())];
        let is_text =
            ["CHAR", "TEXT", "ENUM", "SET"].iter().any(|word| ty.split('(').next().unwrap_or_default().contains(word));
        let collation =
            if is_text { format!(" COLLATE {}", COLLATIONS[pick(dice, COLLATIONS.len())]) } else { String::new() };
        let column = ["c", "c d", "Ä", "a`b", "say \"x\""][pick(dice, 5)].replace('`', "``") + &at.to_string();
        columns.push(format!("`{column}` {ty}{collation} NULL"));
        types.push((column, values));
    }
    let columns = columns.join(", ");
    let key = KEYS[pick(dice, KEYS.len())];
    place.sql(&format!("CREATE TABLE `{name}` ({columns}, {key}) DEFAULT CHARSET utf8mb4"));
    let n_rows = [0, 1, 7, 60][pick(dice, 4)];
    let rows: Vec<_> = (0..n_rows)
        .map(|id| {
            let mut values = vec![
                (id * 7 - 20).to_string(),
                (id % 3).to_string(),
                format!("'{}{id}'", ["a", "B", "é", ""][pick(dice, 4)]),
                format!("'2024-01-01' + INTERVAL {id} * 3000 SECOND"),
                format!("LEFT(UNHEX(SHA2({id}, 256)), 16)"),
            ];
            for (_, of_type) in &types {
                let value = of_type[pick(dice, of_type.len())].replace('#', &format!("{:02}", dice.below(60)));
                values.push(if dice.percent(20) { "NULL".to_owned() } else { value });
            }
            format!("({})", values.join(","))
        })
        .collect();
    if !rows.is_empty() {
        place.sql(&format!("SET time_zone = '+00:00'; INSERT INTO `{name}` VALUES {}", rows.join(",")));
    }
    (columns, n_rows as u64)
}
