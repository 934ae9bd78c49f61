//! ENUM, SET, JSON, UUID, INET4, INET6, spatial types, VECTOR, and types we do not know.

use crate::column::check::tests::*;

#[test]
fn enum_members() {
    good("enum('red','Green','1','')", &["red", "Green", "1", ""]);
    becomes("enum('red','Green')", "RED", "red");
    becomes("enum('red','Green')", "green  ", "Green");
    bad("enum('red','Green')", "blue", "`blue` is not a member of ENUM('red','Green')");
    bad("enum('1','0','b')", "2", "`2` is not a member of ENUM('1','0','b')");
    bad("enum('red','Green')", "", "empty text is not a member of ENUM('red','Green')");
    bad("enum('a','A')", "a ", "`a ` is not a member of ENUM('a','A')");
    good("enum('a','A')", &["a", "A"]);
    let many: Vec<String> = (0..300).map(|i| format!("'m{i}'")).collect();
    let many = format!("enum({})", many.join(","));
    good(&many, &["m0", "m299"]);
    becomes(&many, "M299", "m299");
    all_bad(&many, &["m300", "1"], "'m7',..)");
}

#[test]
fn set_members() {
    good("set('a','b','c d')", &["", "a", "b,a", "c d", "a,a"]);
    becomes("set('a','b')", "B,a", "b,a");
    all_bad("set('a','b')", &["x", "a,x", "3", "a,", ",", "a, b"], "is not a member of SET('a','b')");
}

#[test]
fn json() {
    good("json", &["{}", "[]", "1", "-0.5e+3", "\"\"", "null", "true", "false", " [1, 2] ", "{\"a\":{\"b\":[{}]}}"]);
    good("json", &["[\"\\u00e9\\ud83d\\ude00\\n\\/\"]", "{\"a\":1,\"a\":2}", "\"é😀\"", "[[],[[]],{}]", "\t\r\n1"]);
    good("json", &[&("[".repeat(100) + &"]".repeat(100))]);
    bad("json", &("[".repeat(101) + &"]".repeat(101)), "JSON nested deeper than 100 levels");
    bad("json", &"[".repeat(1 << 20), "JSON nested deeper than 100 levels");
    bad_under(&on_mariadb(), "json", &("[".repeat(40) + &"]".repeat(40)), "JSON nested deeper than 31 levels");
}

#[test]
fn not_json() {
    bad("json", "{\"a\":}", "not valid JSON at byte 6");
    bad("json", "", "not valid JSON at byte 1");
    bad("json", "[1,]", "not valid JSON at byte 4");
    bad("json", "\"a\nb\"", "not valid JSON at byte 3");
    bad("json", "[1e400]", "JSON with a number out of range at byte 2");
    bad("json", "1e-400", "JSON with a number out of range at byte 1");
    becomes_under(&on_mariadb(), "json", "1e400", "1e400");
    let cells = [
        " ",
        "{",
        "[",
        "{a:1}",
        "{'a':1}",
        "[1 2]",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "nul",
        "True",
        "NaN",
        "\"",
        "\"\\x\"",
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
        "1\0",
    ];
    for cell in cells {
        let reason = run(&column("json"), &rules(), cell.as_bytes()).expect_err(cell);
        assert!(reason.starts_with("not valid JSON at byte "), "{reason}");
    }
    bad("json", &format!("{{\"{}\":1}}", "k".repeat(65_536)), "JSON with a name longer than 65535 bytes");
}

#[test]
fn uuid() {
    let usual = "550e8400-e29b-41d4-a716-446655440000";
    good("uuid", &[usual, "550E8400-E29B-41D4-A716-446655440000"]);
    becomes("uuid", "550e8400e29b41d4a716446655440000", usual);
    becomes("uuid", "{550e8400-e29b-41d4-a716-446655440000}", usual);
    becomes("uuid", "urn:uuid:550e8400-e29b-41d4-a716-446655440000", usual);
    let cells = ["", "550e8400-e29b-41d4-a716-44665544000", "550e8400-e29b-41d4-a716-44665544000g", "{}", "1"];
    all_bad("uuid", &cells, "is not a UUID");
}

#[test]
fn addresses() {
    good("inet4", &["0.0.0.0", "255.255.255.255"]);
    all_bad("inet4", &["", "1.2.3", "256.1.1.1", "1.2.3.4/8", "::1", "01.2.3.4"], "is not an IPv4 address");
    good("inet6", &["::", "::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"]);
    becomes("inet6", " ::1", "::1");
    all_bad("inet6", &["", ":::", "1.2.3", "g::1", "fe80::1%eth0"], "is not an IPv6 address");
}

#[test]
fn geometry_as_text() {
    becomes("geometry", "point( -1.5  2e3 )", "POINT(-1.5 2e3)");
    becomes("geometry", "POINT(.5 +1.)", "POINT(0.5 1)");
    becomes("geometry", "MULTIPOINT((1 2), (3 4))", "MULTIPOINT(1 2,3 4)");
    becomes("geometry", "GeometryCollection()", "GEOMETRYCOLLECTION EMPTY");
    good("geometry", &["POINT(1 2)", "LINESTRING(0 0,1 1)", "POLYGON((0 0,1 0,1 1,0 0))"]);
    good("geometry", &["MULTIPOINT(1 2,3 4)", "GEOMETRYCOLLECTION EMPTY", "MULTILINESTRING((0 0,1 1),(2 2,3 3))"]);
    good("geometry", &["MULTIPOLYGON(((0 0,1 0,1 1,0 0)))", "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))"]);
    good("point", &["POINT(1 2)"]);
    bad("point", "LINESTRING(0 0,1 1)", "`LINESTRING(0 0,1 1)` is not a POINT");
    let cells = [
        "",
        "POINT",
        "POINT()",
        "POINT(1)",
        "POINT(1 2 3)",
        "POINT(1,2)",
        "POINT(1 2",
        "POINT(1 2))",
        "POINT(a b)",
        "POINT(1 1e999)",
        "LINESTRING(0 0)",
        "POLYGON((0 0,1 0,1 1))",
        "POLYGON((0 0,1 0,1 1,2 2))",
        "POLYGON(0 0,1 0)",
        "SPHERE(1 2)",
        "SRID=4326;POINT(1 2)",
        "GEOMETRY(1 2)",
        "POINT(1 2)x",
    ];
    all_bad("geometry", &cells, "is not a geometry (WKT, or WKB in hex)");
    let deep = "GEOMETRYCOLLECTION(".repeat(100_000);
    assert!(run(&column("geometry"), &rules(), deep.as_bytes()).is_err());
}

#[test]
fn geometry_as_hex() {
    let wkb = "0101000000000000000000F03F0000000000000040";
    becomes("geometry", wkb, &format!("00000000{wkb}"));
    good("point", &[&format!("E6100000{wkb}")]);
    bad("linestring", wkb, "`0101000000000000000000F03F00000000000000..` is not a LINESTRING");
    all_bad(
        "geometry",
        &["01", "0", "ABC", "00000000", "010100000g", "0001000000"],
        "is not a geometry (WKT, or WKB in hex)",
    );
}

/// The content of a typed file for a column that was exported.
#[test]
fn geometry_as_bytes() {
    let point = |srid: [u8; 4]| [&srid[..], &[1, 1, 0, 0, 0], &[0; 16]].concat();
    let hex = |srid: &str| format!("{srid}0101000000{}", "0".repeat(32));
    // For 13889 the first byte is a digit, too.
    for (srid, digits) in
        [([0, 0, 0, 0], "00000000"), ([0xE6, 0x10, 0, 0], "E6100000"), ([0x41, 0x36, 0, 0], "41360000")]
    {
        assert_eq!(run(&column("geometry"), &rules(), &point(srid)).unwrap(), hex(digits).into_bytes());
        assert_eq!(run(&column("point"), &rules(), &point(srid)).unwrap(), hex(digits).into_bytes());
        assert!(run(&column("polygon"), &rules(), &point(srid)).is_err());
    }
    // WKB alone.
    assert_eq!(run(&column("geometry"), &rules(), &point([0; 4])[4..]).unwrap(), hex("00000000").into_bytes());
    for bytes in [&b"\x01\x01\0\0"[..], b"\x01\x09\0\0\0", b"\0\0\0\0\0\x01\0\0\0", b"\xff"] {
        assert!(run(&column("geometry"), &rules(), bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn vector() {
    good("vector(3)", &["[1,2,3]", "[0.5,-1e3,2]", "[1,2]"]);
    becomes("vector(3)", " [ .5 , +2. , 03 ] ", "[0.5,2,3]");
    bad("vector(3)", "[1,2,3,4]", "`[1,2,3,4]` has 4 numbers, VECTOR(3) takes 3");
    bad_under(&on_mariadb(), "vector(3)", "[1,2]", "`[1,2]` has 2 numbers, VECTOR(3) takes 3");
    bad("vector(1)", "[1e-40]", "`[1e-40]` has too small a number for VECTOR(1)");
    becomes_under(&on_mariadb(), "vector(1)", "[1e-40]", "[1e-40]");
    bad_under(&on_mariadb(), "vector(1)", "[1e-60]", "`[1e-60]` has too small a number for VECTOR(1)");
    good("vector(1)", &["[2e19]"]);
    bad_under(&on_mariadb(), "vector(1)", "[2e19]", "`[2e19]` is out of range for VECTOR(1)");
    bad("vector(1)", "[1e39]", "`[1e39]` is out of range for VECTOR(1)");
    all_bad(
        "vector(1)",
        &["", "1", "[]", "[a]", "[1", "[nan]", "[1,]", "[\"1\"]", "{1}"],
        "is not a vector (`[1,2,3]`)",
    );
}

#[test]
fn what_we_do_not_know_passes() {
    good("xmltype", &["", "anything", "😀"]);
}
