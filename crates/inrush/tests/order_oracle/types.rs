//! Types without a collation.

use super::cells::{digits, random, sign, texts};
use super::oracle::exact;

#[test]
fn integers() {
    let edges = ["0", "-1", "1", "00", "127", "-128", "007", "1e2", "100.0", "+5", "true"];
    exact("tinyint(1)", &random("tiny", &edges, 150, |dice| format!("{}{}", sign(dice), dice.below(128))));
    let edges = ["0", "9223372036854775807", "-9223372036854775808", "1e18", "-00012", "1.0"];
    exact("bigint", &random("big", &edges, 500, |dice| format!("{}{}", sign(dice), digits(dice, 18))));
    let edges = ["0", "18446744073709551615", "9223372036854775808", "9223372036854775807", "1e19", "-0"];
    exact("bigint unsigned", &random("unsigned", &edges, 500, |dice| digits(dice, 19)));
    let edges = ["2147483647", "-2147483648", "0"];
    exact("int", &random("int", &edges, 300, |dice| format!("{}{}", sign(dice), digits(dice, 9))));
    exact("mediumint unsigned", &random("medium", &["0", "16777215"], 300, |dice| digits(dice, 7)));
    exact(
        "smallint",
        &random("small", &["0", "32767", "-32768"], 300, |dice| format!("{}{}", sign(dice), digits(dice, 4))),
    );
}

#[test]
fn decimals() {
    for (ty, int, scale) in [
        ("decimal(5,2)", 3, 2),
        ("decimal(18,0)", 18, 0),
        ("decimal(20,4)", 16, 4),
        ("decimal(38,10)", 28, 10),
        ("decimal(65,30)", 35, 30),
        ("decimal(65,0)", 65, 0),
        ("decimal(45,1)", 44, 1),
        ("decimal(19,19) unsigned", 0, 19),
    ] {
        let edges = ["0", "-0", "0.0", "-0.0", "1e0", ".5", "5.", "+1", "0001", "1e2", "12e-1"];
        let unsigned = ty.contains("unsigned");
        let cells = random(ty, if unsigned { &edges[..1] } else { &edges }, 400, |dice| {
            let int = if int == 0 { "0".into() } else { digits(dice, int) };
            let sign = if unsigned { "" } else { sign(dice) };
            if scale == 0 || dice.percent(20) {
                format!("{sign}{int}")
            } else {
                format!("{sign}{int}.{}", digits(dice, scale))
            }
        });
        exact(ty, &cells);
    }
}

#[test]
fn floats() {
    let edges = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1e10",
        "-1e10",
        "3.4e38",
        "-3.4e38",
        "1e-37",
        "-1e-37",
        "0.1",
        "0.1000000001",
        "16777217",
        "16777216",
        "+1",
        ".5",
    ];
    for ty in ["float", "double", "float unsigned", "double unsigned"] {
        let unsigned = ty.contains("unsigned");
        let cells = random(ty, &edges, 500, |dice| {
            let sign = if unsigned { "" } else { sign(dice) };
            match dice.below(3) {
                0 => format!("{sign}{}", digits(dice, 12)),
                1 => format!("{sign}{}.{}", digits(dice, 5), digits(dice, 12)),
                _ => format!(
                    "{sign}{}.{}e{}{}",
                    dice.below(10),
                    digits(dice, 9),
                    super::cells::sign(dice),
                    dice.below(35)
                ),
            }
        });
        exact(ty, &cells);
    }
    exact(
        "double(8,2)",
        &random("8,2", &["0", "-0"], 300, |dice| format!("{}{}.{}", sign(dice), digits(dice, 6), digits(dice, 2))),
    );
    let edges = [
        "1e308",
        "-1.7976931348623157e308",
        "2.2250738585072014e-308",
        "0.1",
        "0.10000000000000001",
        "0.10000000000000002",
    ];
    exact(
        "double",
        &random("far", &edges, 300, |dice| {
            format!("{}{}e{}{}", sign(dice), digits(dice, 17), sign(dice), dice.below(290))
        }),
    );
}

#[test]
fn bits_and_years() {
    exact("bit(1)", &texts(&["1", "0", "true", "0", "1"]));
    exact("bit(12)", &random("bit", &["0", "4095", "0x1f", "b'101'"], 200, |dice| dice.below(4096).to_string()));
    exact("bit(64)", &random("bits", &["0", "18446744073709551615"], 300, |dice| digits(dice, 19)));
    exact("year", &random("year", &["0000", "1901", "2155"], 200, |dice| dice.between(1901, 2155).to_string()));
}

#[test]
fn moments() {
    let fraction = |dice: &mut inrush_testkit::dice::Dice, most: u64| {
        if dice.percent(50) { format!(".{}", digits(dice, most)) } else { String::new() }
    };
    let date = |dice: &mut inrush_testkit::dice::Dice| {
        format!("{:04}-{:02}-{:02}", dice.between(1971, 2036), dice.between(1, 12), dice.between(1, 28))
    };
    let time = |dice: &mut inrush_testkit::dice::Dice| {
        format!("{:02}:{:02}:{:02}", dice.below(24), dice.below(60), dice.below(60))
    };
    let edges = ["1000-01-01", "9999-12-31", "2013/1/5", "20130105", "2013.1.5", "2013-01-05 00:00:00", "0001-01-01"];
    exact("date", &random("date", &edges, 400, date));
    let edges = [
        "2013-01-05",
        "2013/1/5 7:03",
        "20130105070300",
        "2013-01-05T07:03:00Z",
        "2013-01-05 07:03:00+02:00",
        "9999-12-31 23:59:59",
        "0001-01-01",
    ];
    for (ty, fsp) in [("datetime", 0), ("datetime(3)", 3), ("datetime(6)", 6), ("timestamp", 0), ("timestamp(6)", 6)] {
        // Half of the moments within a minute, so that every field decides.
        let cells = random(ty, if ty.starts_with('d') { &edges } else { &edges[..4] }, 500, |dice| {
            let near = format!("2000-02-29 23:59:{:02}", dice.below(60));
            let whole = if dice.percent(50) { near } else { format!("{} {}", date(dice), time(dice)) };
            format!("{whole}{}", if fsp > 0 { fraction(dice, fsp) } else { String::new() })
        });
        exact(ty, &cells);
    }
    let edges = ["00:00:00", "-00:00:00", "838:59:59", "-838:59:59", "1 02:03:04", "7:03", "-0:00:01"];
    for (ty, fsp) in [("time", 0), ("time(2)", 2), ("time(6)", 6)] {
        let cells = random(ty, &edges, 500, |dice| {
            let hours = if dice.percent(50) { 0 } else { dice.below(838) };
            let whole = format!("{}{hours:02}:{:02}:{:02}", sign(dice), dice.below(60) * dice.below(2), dice.below(60));
            format!("{whole}{}", if fsp > 0 { fraction(dice, fsp) } else { String::new() })
        });
        exact(ty, &cells);
    }
}

#[test]
fn bytes() {
    let bytes = |name: &str| -> Vec<Vec<u8>> {
        let mut dice = inrush_testkit::dice::Dice::of(name);
        let mut byte = move || [0, 0, 1, 0x20, 0x7f, 0xff, b'a', dice.below(256) as u8][dice.below(8) as usize];
        let mut length = inrush_testkit::dice::Dice::of("length");
        (0..500).map(|_| (0..length.below(7)).map(|_| byte()).collect()).collect()
    };
    for ty in ["varbinary(20)", "binary(6)", "binary(200)"] {
        exact(ty, &bytes(ty));
    }
}

#[test]
fn members() {
    exact("enum('z','a','M','','b ','é','10')", &texts(&["a", "z", "m", "M", "", "10", "é", "A", "z", "b", "a "]));
    let long: Vec<String> = (0..300).map(|at| format!("'m{}'", (at * 7) % 300)).collect();
    exact(&format!("enum({})", long.join(",")), &random("long", &[], 300, |dice| format!("m{}", dice.below(300))));
    // Not 64: MySQL's ORDER BY takes the last bit for a sign.
    let members: Vec<String> = (0..63).map(|at| format!("s{at}")).collect();
    let set = format!("set({})", members.iter().map(|member| format!("'{member}'")).collect::<Vec<_>>().join(","));
    exact(
        &set,
        &random("set", &["", "s62", "S1,s0"], 300, |dice| {
            (0..dice.below(4)).map(|_| format!("s{}", dice.below(63))).collect::<Vec<_>>().join(",")
        }),
    );
}

#[test]
fn networks() {
    let hex = |dice: &mut inrush_testkit::dice::Dice, n: u64| -> String {
        (0..n).map(|_| char::from(b"0123456789abcdef"[dice.below(16) as usize])).collect()
    };
    let edges = [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "{00112233-4455-4677-8899-aabbccddeeff}",
        "00000000-0000-0100-8000-000000000000",
        "00000000-0000-5fff-8000-000000000000",
        "00000000-0000-6000-8000-000000000000",
        "00000000-0000-1000-7fff-000000000000",
        "00000000-0000-00ff-ffff-000000000000",
    ];
    let cells = random("uuid", &edges, 400, |dice| {
        let version = hex(dice, 1);
        // A version from 8 on with another variant is a text that MariaDB refuses.
        let variant = if version.as_str() < "8" { hex(dice, 1) } else { "b".into() };
        // Few values in each group, so that every group decides.
        let mut group = |n: u64| if dice.percent(50) { "0".repeat(n as usize) } else { hex(dice, n) };
        format!("{}-{}-{version}{}-{variant}{}-{}", group(8), group(4), group(3), group(3), group(12))
    });
    exact("uuid", &cells);
}

#[test]
fn addresses() {
    let hex = |dice: &mut inrush_testkit::dice::Dice, n: u64| -> String {
        (0..n).map(|_| char::from(b"0123456789abcdef"[dice.below(16) as usize])).collect()
    };
    let cells = random("inet4", &["0.0.0.0", "255.255.255.255"], 300, |dice| {
        format!("{}.{}.{}.{}", dice.below(256), dice.below(2), dice.below(256), dice.below(256))
    });
    exact("inet4", &cells);
    let edges = ["::", "::1", "::ffff:1.2.3.4", "::1.2.3.4", "fe80::1", "2001:DB8::1"];
    exact(
        "inet6",
        &random("inet6", &edges, 300, |dice| format!("{}:{}::{}", hex(dice, 2), hex(dice, 1), hex(dice, 4))),
    );
}
