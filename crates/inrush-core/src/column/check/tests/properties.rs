//! Properties of every text and every type: a cell that passes is unchanged when it is checked again, and a text that goes into
//! SQL without quotes is a number.

use crate::column::check::tests::*;
use proptest::prelude::*;

const TYPES: [&str; 30] = [
    "tinyint(1)",
    "int",
    "bigint unsigned",
    "decimal(5,2)",
    "decimal(65,30) unsigned",
    "float",
    "double unsigned",
    "double(5,1)",
    "bit(1)",
    "bit(64)",
    "year",
    "date",
    "time",
    "time(6)",
    "datetime",
    "datetime(6)",
    "timestamp(3)",
    "char(3)",
    "varchar(20)",
    "tinytext",
    "varbinary(5)",
    "enum('a','B','')",
    "set('a','B')",
    "json",
    "geometry",
    "multipoint",
    "vector(3)",
    "uuid",
    "inet6",
    "xmltype",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "0",
        "1",
        "9",
        "31",
        "2013",
        "1999",
        "-",
        "+",
        ".",
        ":",
        "/",
        " ",
        "T",
        "Z",
        "e",
        "E9",
        "e-9",
        "0x",
        "b'",
        "'",
        ",",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "\\",
        "u00e9",
        "a",
        "B",
        "true",
        "POINT",
        "MULTIPOINT",
        "POLYGON",
        "GEOMETRYCOLLECTION",
        "EMPTY",
        "::",
        "ff",
        "é",
        "\0",
        "\n",
    ];
    prop_oneof![
        6 => prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|p| p.concat().into_bytes()),
        2 => "[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}[ T][0-9]{1,2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,7})?(Z|[+-][0-9]{2}:?[0-9]{2})?".prop_map(String::into_bytes),
        2 => "[-+ ]{0,2}[0-9]{0,25}\\.?[0-9]{0,40}([eE][-+]?[0-9]{1,20})?".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn a_verdict_is_final(text in text(), ty in prop::sample::select(TYPES.to_vec())) {
        for rules in [rules(), on_mariadb(), in_berlin()] {
            let column = column(ty);
            let Ok(once) = run(&column, &rules, &text) else { continue };
            if matches!(Form::of(&column.ty, &rules), Form::Number | Form::Bits) {
                prop_assert!(!once.is_empty() && once.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-')));
            }
            if matches!(Form::of(&column.ty, &rules), Form::Plain | Form::Argument(_)) {
                prop_assert!(!once.iter().any(|b| matches!(b, b'\'' | b'\\' | b'\t' | b'\n' | 0)));
            }
            prop_assert_eq!(run(&column, &rules, &once), Ok(once.clone()));
        }
    }
}
