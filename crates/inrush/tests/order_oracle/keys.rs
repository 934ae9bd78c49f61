//! Keys of several parts, descending ones, prefixes, and binary columns that are computed.

use super::cells::{dense, digits, random, sign};
use super::oracle::{Part, exact_parts};
use inrush_testkit::dice::Dice;

fn numbers(name: &str, n: usize) -> Vec<Vec<u8>> {
    random(name, &[], n, |dice| format!("{}{}", sign(dice), dice.below(10)))
}

fn shuffled(name: &str, mut cells: Vec<Vec<u8>>, n: usize) -> Vec<Vec<u8>> {
    let mut dice = Dice::of(name);
    let mut draw = || cells[dice.below(cells.len() as u64) as usize].clone();
    let drawn = (0..n).map(|_| draw()).collect();
    cells.clear();
    drawn
}

#[test]
fn composite() {
    let text = shuffled("text", dense(80, "a \t!bÉ"), 600);
    for collation in ["utf8mb4_bin", "utf8mb4_general_ci", "latin1_swedish_ci"] {
        let parts = [Part::collate("varchar(20)", collation), Part::of("int")];
        exact_parts(&parts, &[&text, &numbers("n", 600)]);
    }
    let bytes = shuffled("bytes", dense(60, "a\0\u{1}"), 600);
    exact_parts(
        &[Part::of("varbinary(20)"), Part::of("decimal(9,2)"), Part::of("binary(3)")],
        &[
            &bytes,
            &numbers("d", 600),
            &shuffled("b", dense(30, "ab"), 600)
                .into_iter()
                .map(|mut b| {
                    b.truncate(3);
                    b
                })
                .collect::<Vec<_>>(),
        ],
    );
}

#[test]
fn descending() {
    let down = |part: Part| Part { descending: true, ..part };
    let text = shuffled("down", dense(80, "a \t!bÉ"), 500);
    for collation in ["utf8mb4_bin", "utf8mb4_0900_bin", "utf8mb4_general_ci"] {
        exact_parts(&[down(Part::collate("varchar(20)", collation)), Part::of("int")], &[&text, &numbers("down", 500)]);
    }
    exact_parts(&[Part::of("int"), down(Part::of("int"))], &[&numbers("up", 500), &numbers("then down", 500)]);
    exact_parts(&[down(Part::of("varbinary(20)")), Part::of("int")], &[&text, &numbers("b", 500)]);
    exact_parts(
        &[down(Part::of("double")), down(Part::of("decimal(45,1)"))],
        &[&numbers("x", 500), &numbers("y", 500)],
    );
    exact_parts(
        &[down(Part::of("time(3)"))],
        &[&random("t", &[], 300, |dice| format!("{}0:00:{:02}.{}", sign(dice), dice.below(4), dice.below(1000)))],
    );
}

#[test]
fn prefixes() {
    let first = |ty: &str, collation, n| Part { prefix: Some(n), collation, ..Part::of(ty) };
    let text = dense(500, "aAé \t!b€");
    for collation in ["utf8mb4_bin", "utf8mb4_general_ci", "latin1_swedish_ci", "utf8mb4_0900_bin"] {
        exact_parts(&[first("varchar(20)", Some(collation), 2)], &[&text]);
        exact_parts(&[first("text", Some(collation), 3), Part::of("int")], &[&text, &numbers("p", 400)]);
        if collation != "utf8mb4_0900_bin" {
            exact_parts(&[first("char(10)", Some(collation), 2)], &[&text]);
        }
    }
    let bytes = dense(500, "a\0\u{1} é");
    exact_parts(&[first("blob", None, 3)], &[&bytes]);
    exact_parts(&[first("varbinary(20)", None, 2)], &[&bytes]);
}

#[test]
fn computed() {
    let uuid = |dice: &mut Dice| -> String {
        let mut hex = |n: u64| -> String {
            let same = dice.percent(50);
            (0..n)
                .map(|_| if same { '0' } else { char::from(b"0123456789abcdefABCDEF"[dice.below(22) as usize]) })
                .collect()
        };
        format!("{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12))
    };
    let uuids = random("computed", &[], 400, uuid);
    let bare: Vec<Vec<u8>> =
        uuids.iter().map(|uuid| uuid.iter().copied().filter(|byte| *byte != b'-').collect()).collect();
    let of = |ty: &str, sql| Part { expression: Some(sql), ..Part::of(ty) };
    for ty in ["binary(16)", "varbinary(20)"] {
        exact_parts(&[of(ty, "UNHEX(REPLACE(@,'-',''))")], &[&uuids]);
        exact_parts(&[of(ty, "UNHEX(@)")], &[&bare]);
        for sql in ["UUID_TO_BIN(@)", "UUID_TO_BIN(@, 0)", "UUID_TO_BIN(@,1)"] {
            exact_parts(&[of(ty, sql)], &[&uuids]);
            exact_parts(&[of(ty, sql)], &[&bare]);
        }
    }
    let hex = random("hex", &["", "a", "0", "00", "abc"], 300, |dice| {
        let n = dice.below(5) * 2 + u64::from(dice.percent(20));
        digits(dice, 9).chars().take(n as usize).collect()
    });
    exact_parts(&[of("varbinary(20)", "UNHEX(@)")], &[&hex]);
    exact_parts(&[of("binary(10)", "UNHEX(@)")], &[&hex]);
}
