//! ENUM, SET, JSON, UUID, INET4, INET6, spatial types, VECTOR.

use super::oracle::Oracle;
use super::{refuses, stores, stores_as_is, stricter};

#[test]
fn enum_members() {
    stores_as_is("enum('red','Green','1','0','')", &["red", "Green", "1", "0", ""]);
    stores("enum('red','Green')", &[("RED", "red"), ("green  ", "Green")]);
    stores("enum('red','Green') COLLATE utf8mb4_bin", &[("RED", "red"), ("red ", "red")]);
    stores_as_is("enum('it''s','a\\\\b','x\\ny','c,d','é')", &["it's", "a\\b", "x\ny", "c,d", "é"]);
    stores_as_is("enum('a','A') COLLATE utf8mb4_bin", &["a", "A"]);
    // As texts, these hit a member by its index.
    refuses("enum('1','0','b')", &["2", "3", "4", "", "x"]);
    refuses("enum('red','Green')", &["1", "blue", "", "re", "rosé"]);
}

#[test]
fn set_members() {
    stores_as_is("set('a','b','c d')", &["", "a", "a,b", "c d"]);
    stores("set('a','b')", &[("B", "b"), ("A,b", "a,b")]);
    refuses("set('a','b')", &["x", "a,x", "3", "a,", ",", "a, b"]);
}

#[test]
fn json() {
    for oracle in Oracle::on_all("json") {
        let text_form = oracle.server_name().contains("mysql");
        // MySQL writes a document anew; MariaDB keeps its text.
        let same = [
            "{}",
            "[]",
            "1",
            "-1",
            "\"\"",
            "null",
            "true",
            "false",
            "\"é😀\"",
            "{\"a\": {\"b\": [{}]}}",
            "[1, 2, \"x\"]",
        ];
        oracle.check_stored(&same.map(|cell| (cell, cell)));
        if text_form {
            oracle.check_stored(&[
                (" [1,2] ", "[1, 2]"),
                ("\"\\u00e9\\ud83d\\ude00\"", "\"é😀\""),
                ("1E5", "100000.0"),
            ]);
        } else {
            oracle.check_stored(
                &[" [1,2] ", "\"\\u00e9\\ud83d\\ude00\"", "1E5", "1e400", "1e-400"].map(|cell| (cell, cell)),
            );
        }
        let depth = if text_form { 100 } else { 31 };
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        oracle.check_stored(&[(&nested(depth), &nested(depth))]);
        oracle.check_refused(nested(depth + 1).as_bytes());
        let objects = |n: usize| "{\"a\": ".repeat(n) + "1" + &"}".repeat(n);
        oracle.check_stored(&[(&objects(depth), &objects(depth))]);
        oracle.check_refused(objects(depth + 1).as_bytes());
    }
    let bad = [
        "",
        " ",
        "{",
        "[",
        "{a:1}",
        "{'a':1}",
        "[1 2]",
        "01",
        ".5",
        "+1",
        "-",
        "1e",
        "nul",
        "True",
        "NaN",
        "\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "[1]]",
        "{}{}",
        "{\"a\"}",
        "{\"a\":1,}",
        "{1:2}",
        "[}",
        "{]",
        "/**/1",
        "\u{feff}1",
        "\"a\nb\"",
        "[1,]",
        "\"a\tb\"",
        "\"\u{1}\"",
    ];
    refuses("json", &bad);
    // By RFC 8259 these are no JSON.
    stricter("mariadb", "json", &["1.", "\"\\x\""]);
    for oracle in Oracle::on_all("json").iter().filter(|oracle| oracle.server_name().contains("mysql")) {
        for cell in ["1e400", "1e-400", "1.", "\"\\x\""] {
            oracle.check_refused(cell.as_bytes());
        }
        let name = |n: usize| format!("{{\"{}\": 1}}", "k".repeat(n));
        oracle.check_stored(&[(&name(65_535), &name(65_535))]);
        oracle.check_refused(name(65_536).as_bytes());
    }
}

#[test]
fn uuid() {
    let usual = "550e8400-e29b-41d4-a716-446655440000";
    let spellings = [
        "550e8400e29b41d4a716446655440000",
        "550E8400-E29B-41D4-A716-446655440000",
        "{550e8400-e29b-41d4-a716-446655440000}",
        "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
        " 550e8400-e29b-41d4-a716-446655440000 ",
        usual,
    ];
    stores("uuid", &spellings.map(|cell| (cell, usual)));
    refuses("uuid", &["", "550e8400-e29b-41d4-a716-44665544000", "550e8400-e29b-41d4-a716-44665544000g", "{}"]);
    // By byte 6 and byte 8.
    let bytes = |six: &str, eight: &str| format!("00112233-4455-{six}77-{eight}99-aabbccddeeff");
    let taken = [("7f", "01"), ("7f", "80"), ("80", "00"), ("80", "81"), ("ff", "ff"), ("00", "00")];
    stores_as_is("uuid", &taken.map(|(six, eight)| bytes(six, eight)).each_ref().map(String::as_str));
    let refused = [("80", "01"), ("80", "7f"), ("80", "80"), ("a0", "0a"), ("ff", "10"), ("FF", "3F")];
    refuses("uuid", &refused.map(|(six, eight)| bytes(six, eight)).each_ref().map(String::as_str));
    refuses("uuid", &["{00112233-4455-8077-0199-aabbccddeeff}", "00112233445580770199aabbccddeeff"]);
}

#[test]
fn addresses() {
    stores_as_is("inet4", &["0.0.0.0", "255.255.255.255"]);
    stores("inet4", &[(" 1.2.3.4", "1.2.3.4")]);
    refuses("inet4", &["", "1.2.3", "256.1.1.1", "::1", "1.2.3.4/8", "01.2.3.4"]);
    stores_as_is("inet6", &["::", "::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"]);
    stores("inet6", &[("2001:DB8::1", "2001:db8::1"), (" ::1 ", "::1")]);
    refuses("inet6", &["", ":::", "g::1", "fe80::1%eth0", "1.2.3.4"]);
}

#[test]
fn geometry() {
    let cells = [
        "POINT(1 2)",
        "LINESTRING(0 0,1 1)",
        "POLYGON((0 0,1 0,1 1,0 0))",
        "MULTILINESTRING((0 0,1 1),(2 2,3 3))",
        "MULTIPOLYGON(((0 0,1 0,1 1,0 0)))",
        "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))",
        "GEOMETRYCOLLECTION EMPTY",
    ];
    stores_as_is("geometry", &cells);
    let spellings = [
        ("point( -1.5  2e3 )", "POINT(-1.5 2000)"),
        ("POINT(.5 +1.)", "POINT(0.5 1)"),
        ("GeometryCollection()", "GEOMETRYCOLLECTION EMPTY"),
        ("0101000000000000000000F03F0000000000000040", "POINT(1 2)"),
        ("000000000101000000000000000000F03F0000000000000040", "POINT(1 2)"),
    ];
    stores("geometry", &spellings);
    stores("point", &[spellings[0], spellings[3], spellings[4]]);
    for oracle in Oracle::on_all("multipoint") {
        let want =
            if oracle.server_name().contains("mysql") { "MULTIPOINT((1 2),(3 4))" } else { "MULTIPOINT(1 2,3 4)" };
        oracle.check_stored(&[("MULTIPOINT((1 2),(3 4))", want), ("MULTIPOINT(1 2,3 4)", want)]);
    }
    let bad = [
        "POINT(1)",
        "POINT(1 2 3)",
        "POINT(1 2",
        "POINT(a b)",
        "POINT(1e999 1)",
        "POLYGON((0 0,1 0,1 1))",
        "POLYGON((0 0,1 0,1 1,2 2))",
        "",
        "SPHERE(1 2)",
        "POINT(1 2)x",
        "00",
    ];
    refuses("geometry", &bad);
    refuses(
        "point",
        &[
            "LINESTRING(0 0,1 1)",
            "0000000001020000000200000000000000000000000000000000000000000000000000F03F000000000000F03F",
        ],
    );
    // A line of one point is none.
    stricter("mariadb", "geometry", &["LINESTRING(0 0)"]);
}

#[test]
fn vector() {
    for oracle in Oracle::on_all("vector(3)") {
        if oracle.server_name().contains("mysql") {
            oracle.check_stored(&[
                ("[1,2,3]", "[1.00000e+00,2.00000e+00,3.00000e+00]"),
                ("[ .5, +1. ]", "[5.00000e-01,1.00000e+00]"),
            ]);
        } else {
            oracle.check_stored(&[
                ("[1,2,3]", "[1,2,3]"),
                (" [ .5, +1., 03 ] ", "[0.5,1,3]"),
                ("[-1e3,0,1e19]", "[-1000,0,1e19]"),
            ]);
            oracle.check_refused(b"[1,2]");
            oracle.check_refused(b"[2e19,0,0]");
        }
        for cell in
            ["", "[]", "[1,2,3,4]", "[1e39,1,1]", "[nan,1,1]", "[1,2,3,]", "[a,b,c]", "[1e-60,1,1]", "1,2,3", "[1,2,3"]
        {
            oracle.check_refused(cell.as_bytes());
        }
    }
}
