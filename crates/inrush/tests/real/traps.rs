//! Traps that other clients fell into, on real servers: see docs/notes/client-traps.md, which names the test of each.

use crate::cases::{Route, everywhere, in_cases, texts};
use inrush::sans_io::value::Value;
use inrush_testkit::servers;

#[test]
fn one_placeholder_takes_signed_unsigned_text_and_null_in_turn() {
    everywhere(|case| {
        let mut connection = case.open();
        let statement = connection.prepare("SELECT CAST(? AS CHAR)").unwrap();
        let values = [
            (Value::Null, "NULL"),
            (Value::Int(-5), "-5"),
            (Value::UInt(u64::MAX), "18446744073709551615"),
            (Value::Null, "NULL"),
            (Value::Int(-1), "-1"),
            (Value::Bytes(b"text"), "text"),
            (Value::UInt(1 << 63), "9223372036854775808"),
            (Value::Int(i64::MIN), "-9223372036854775808"),
        ];
        for (value, want) in values {
            let results = connection.query_result_sets(&statement, &[value]).unwrap();
            assert_eq!(texts(&results[0]), [[want]]);
        }
    });
}

#[test]
fn as_many_placeholders_as_there_can_be_and_one_more() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let mut connection = case.open();
        let list = |n: usize| format!("SELECT 1 IN ({}?)", "?,".repeat(n - 1));
        let mut values = vec![Value::Int(0); 65_535];
        values[65_534] = Value::Int(1);
        let statement = connection.prepare(&list(65_535)).unwrap();
        let results = connection.query_result_sets(&statement, &values).unwrap();
        assert_eq!(texts(&results[0]), [["1"]]);
        let error = connection.prepare(&list(65_536)).unwrap_err();
        assert!(error.code() == 1390 && !error.is_fatal(), "{error:?}");
        connection.ping().unwrap();
    });
}
