//! docs/what-the-server-changes.md, a test for each of its lines: what passes a check and is not stored byte for byte.

use super::oracle::Oracle;
use super::stores;

#[test]
fn char_loses_trailing_blanks() {
    stores("char(5)", &[("a  ", "a"), ("     ", "")]);
    stores("char(5) CHARACTER SET latin1", &[("é ", "é")]);
}

#[test]
fn binary_is_padded_with_zero_bytes() {
    stores("binary(3)", &[("a", "a\0\0"), ("", "\0\0\0")]);
}

#[test]
fn decimal_gets_its_scale_and_loses_zeros_and_sign() {
    stores("decimal(5,2)", &[("1", "1.00"), ("007", "7.00"), ("-0", "0.00")]);
}

#[test]
fn int_loses_zeros_in_front() {
    stores("int", &[("007", "7"), ("-007", "-7")]);
}

#[test]
fn float_is_rounded_to_the_nearest_float() {
    stores("float", &[("16777217", "16777200"), ("0.123456789", "0.123457")]);
    stores("double", &[("0.1000000000000000055511151231257827", "0.1"), ("9007199254740993", "9.007199254740992e15")]);
}

#[test]
fn minus_zero_stays_on_mysql_only() {
    for oracle in Oracle::on_all("double") {
        oracle.check_stored(&[("-0.0", if oracle.server_name().contains("mysql") { "-0" } else { "0" })]);
    }
}

#[test]
fn zerofill_shows_zeros() {
    stores("int(5) zerofill", &[("42", "00042")]);
}

#[test]
fn enum_takes_the_case_of_its_member() {
    stores("enum('Red')", &[("rEd", "Red"), ("Red ", "Red")]);
}

#[test]
fn set_is_put_in_order_and_loses_repeats() {
    stores("set('a','b')", &[("b,a", "a,b"), ("a,a", "a")]);
}

#[test]
fn json_is_written_anew_by_mysql() {
    let cell = "{\"b\":1, \"a\":1.50, \"a\":2, \"c\":1e2, \"d\":-0}";
    for oracle in Oracle::on_all("json").iter().filter(|oracle| oracle.server_name().contains("mysql")) {
        oracle.check_stored(&[
            ("18446744073709551616", "1.8446744073709552e19"),
            ("[18446744073709551615]", "[18446744073709551615]"),
            ("9007199254740993.5", "9.007199254740994e15"),
            ("0.12345678901234567890", "0.12345678901234568"),
        ]);
    }
    for oracle in Oracle::on_all("json") {
        let anew = "{\"a\": 2, \"b\": 1, \"c\": 100.0, \"d\": 0}";
        oracle.check_stored(&[(cell, if oracle.server_name().contains("mysql") { anew } else { cell })]);
    }
}

#[test]
fn uuid_and_inet6_are_written_anew() {
    stores("uuid", &[("550E8400E29B41D4A716446655440000", "550e8400-e29b-41d4-a716-446655440000")]);
    stores("inet6", &[("2001:DB8:0:0:0:0:0:1", "2001:db8::1")]);
}

#[test]
fn times_are_written_with_the_digits_of_the_column() {
    stores(
        "datetime(3)",
        &[("2013-01-05 07:03", "2013-01-05 07:03:00.000"), ("2013-01-05T07:03:00.5Z", "2013-01-05 07:03:00.500")],
    );
    stores("time", &[("1 02:03:04", "26:03:04"), ("-00:00:00", "00:00:00")]);
}
