//! INT, DECIMAL, FLOAT, DOUBLE, BIT, YEAR.

use crate::column::check::tests::*;

#[test]
fn int() {
    good("int", &["0", "1", "-1", "007", "2147483647", "-2147483648"]);
    good("tinyint", &["127", "-128"]);
    good("tinyint unsigned", &["255"]);
    good("mediumint", &["8388607", "-8388608"]);
    good("bigint", &["9223372036854775807", "-9223372036854775808"]);
}

#[test]
fn int_in_other_spellings() {
    becomes("int", " 42 ", "42");
    becomes("int", "+5", "5");
    becomes("int", "1.0", "1");
    becomes("int", "5.", "5");
    becomes("int", "1e3", "1000");
    becomes("int", "-1.20E2", "-120");
    becomes("int", "1000e-3", "1");
    becomes("int unsigned", "-0", "0");
    becomes("int", "0e999999999999999999999", "0");
    becomes("int", "000000000000000000000000042", "42");
    becomes("bigint unsigned", "18446744073709551615", "18446744073709551615");
    becomes("bigint", "-9223372036854775808.0", "-9223372036854775808");
}

#[test]
fn int_out_of_range() {
    bad("tinyint", "300", "`300` is out of range for TINYINT (-128 to 127)");
    bad("tinyint", "-129", "`-129` is out of range for TINYINT (-128 to 127)");
    bad("int unsigned", "-1", "`-1` is out of range for INT UNSIGNED (0 to 4294967295)");
    let end = "out of range for BIGINT UNSIGNED (0 to 18446744073709551615)";
    all_bad("bigint unsigned", &["18446744073709551616", "1e20", "1e999", "-5", "1e99999999999999999999"], end);
    all_bad(
        "bigint",
        &["9223372036854775808", "-9223372036854775809"],
        "(-9223372036854775808 to 9223372036854775807)",
    );
}

#[test]
fn int_with_a_fraction() {
    bad("int", "1.7", "`1.7` has a fraction, which INT does not hold");
    all_bad("int", &["0.5", "1e-3", "-0.0001", "1e-99999999999999999999"], "has a fraction, which INT does not hold");
}

#[test]
fn not_an_int() {
    bad("int", "", "empty text is not a whole number");
    let cells =
        ["abc", "12abc", "1,234", "1 2", "--1", "+-1", "-", "+", ".", "e3", "1e", "0x10", "1_000", "NULL", "NaN"];
    all_bad("int", &cells, "is not a whole number");
    all_bad("int", &["١", "1\0", "1\n", "\u{a0}1", "true", "1;DROP TABLE t"], "is not a whole number");
}

#[test]
fn bool() {
    good("tinyint(1)", &["0", "1", "-128"]);
    for yes in ["true", "TRUE", "t", "yes", "Yes "] {
        becomes("tinyint(1)", yes, "1");
    }
    for no in ["false", "False", "F", "no"] {
        becomes("tinyint(1)", no, "0");
    }
    bad("tinyint(1)", "maybe", "`maybe` is not a whole number, true or false");
    bad("tinyint(1)", "128", "`128` is out of range for BOOL (-128 to 127)");
    bad("tinyint", "true", "`true` is not a whole number");
}

#[test]
fn decimal() {
    good("decimal(5,2)", &["0", "1", "123.45", "-123.45", "0.5", "007.1"]);
    good("decimal(5,0)", &["12345", "-99999"]);
    becomes("decimal(5,2)", ".5", "0.5");
    becomes("decimal(5,2)", "5.", "5");
    becomes("decimal(5,2)", "1.500", "1.5");
    becomes("decimal(5,2)", "+1.5", "1.5");
    becomes("decimal(5,2)", " 1.5", "1.5");
    becomes("decimal(5,2)", "1.5e1", "15");
    becomes("decimal(5,2)", "125e-2", "1.25");
    becomes("decimal(5,2)", "5e-2", "0.05");
    becomes("decimal(5,2)", "-0005e-2", "-0.05");
    becomes("decimal(5,2)", "00001234e-1", "123.4");
    becomes("decimal(5,2) unsigned", "-0.00", "0");
    becomes("decimal(2,2)", ".99", "0.99");
    let long = format!("{}.{}", "9".repeat(27), "9".repeat(38));
    good("decimal(65,38)", &[&long]);
}

#[test]
fn not_a_decimal() {
    bad("decimal(6,2)", "3.14159", "`3.14159` has more than 2 digits behind the point, DECIMAL(6,2)");
    bad("decimal(5,2)", "1000", "`1000` is out of range for DECIMAL(5,2)");
    bad("decimal(2,2)", "1", "`1` is out of range for DECIMAL(2,2)");
    all_bad("decimal(5,2) unsigned", &["-1", "-0.01", "1e3"], "is out of range for DECIMAL(5,2) UNSIGNED");
    all_bad("decimal(5,2)", &["1,5", "", "1.2.3", "12abc", "inf", "$5", "1e", "1 "][..7], "is not a number");
}

#[test]
fn float_and_double() {
    good("double", &["0", "1", "-1.5", "0.1", "1e10", "1.5E-10", "1e308", "-0.0", "12345678901234567890"]);
    good("float", &["3.4028234e38", "0.1", "16777217"]);
    becomes("double", ".5", "0.5");
    becomes("double", "5.", "5");
    becomes("double", "+1e3", "1000");
    becomes("double", " 1.5", "1.5");
    becomes("double unsigned", "-0", "0");
    becomes("double", "+1e300", "1e300");
    becomes("double", "-.5e300", "-5e299");
    becomes("double", "+.0000125e-300", "1.25e-305");
    becomes("float", "007.50", "007.50");
    good("double", &["1e-310", "5e-324"]);
    good("float", &["1e-45"]);
    becomes("float", "01e2", "100");
}

#[test]
fn not_a_float() {
    bad("float", "1e39", "`1e39` is out of range for FLOAT");
    bad("double", "1e309", "`1e309` is out of range for DOUBLE");
    bad("double", "1e-400", "`1e-400` is too small for DOUBLE: it would become 0");
    bad("float", "1e-60", "`1e-60` is too small for FLOAT: it would become 0");
    bad("double unsigned", "-1", "`-1` is out of range for DOUBLE UNSIGNED");
    all_bad("double", &["nan", "NaN", "inf", "-Infinity", "", "1,5", "0x1p3", "1d5", "1.5f"], "is not a number");
}

#[test]
fn float_with_digits() {
    good("float(7,4)", &["999.9999", "-1"]);
    bad("float(7,4)", "1000", "`1000` is out of range for FLOAT(7,4)");
    bad("double(5,1)", "1.25", "`1.25` has more than 1 digits behind the point, DOUBLE(5,1)");
}

#[test]
fn bit() {
    good("bit(8)", &["0", "1", "255"]);
    good("bit(64)", &["18446744073709551615"].map(|_| "1844674407370955161"));
    becomes("bit(64)", "18446744073709551615", "18446744073709551615");
    becomes("bit(8)", "0xFF", "255");
    becomes("bit(8)", "0b101", "5");
    becomes("bit(8)", "b'101'", "5");
    becomes("bit(8)", "x'1F'", "31");
    becomes("bit(8)", " 7 ", "7");
    becomes("bit(8)", "7.0", "7");
    becomes("bit(1)", "true", "1");
    becomes("bit(1)", "No", "0");
    bad("bit(8)", "256", "`256` is out of range for BIT(8) (0 to 255)");
    bad("bit(1)", "2", "`2` is out of range for BIT(1) (0 to 1)");
    bad("bit(8)", "1.5", "`1.5` has a fraction, which BIT(8) does not hold");
    all_bad("bit(64)", &["18446744073709551616", "0x1ffffffffffffffff", "-1"], "(0 to 18446744073709551615)");
    all_bad("bit(8)", &["", "a", "true", "0x", "0b2", "b'1", "\x01"], "is not a whole number (decimal, 0x.. or 0b..)");
}

#[test]
fn year() {
    good("year", &["1901", "2155", "0000", "2013"]);
    becomes("year", " 2013", "2013");
    becomes("year", "2013.0", "2013");
    bad("year", "1900", "`1900` is out of range for YEAR (1901 to 2155)");
    bad("year", "99", "`99` has no four-digit year");
    bad("year", "0", "`0` has no four-digit year");
    bad("year", "20130", "`20130` is out of range for YEAR (1901 to 2155)");
    all_bad("year", &["", "MMXX", "-1", "2013.5"], "is not a year");
}
