//! A table per rule; equal results where there is one key; what does not fit.

use super::*;

#[track_caller]
fn apply(ty: ColumnType, rule: &str, cell: &str) -> String {
    let mask = mask_of(&Column::new("c", ty), rule).unwrap();
    match mask.apply(cell.as_bytes()) {
        Ok(Some(value)) => String::from_utf8(value).unwrap(),
        Ok(None) => "NULL".into(),
        Err(why) => format!("error: {why}"),
    }
}

fn mask_of(column: &Column, rule: &str) -> Result<ColumnMask, String> {
    let rule = MaskRule::parse(rule).map_err(|error| shown(&error))?;
    rule.check(column).map_err(|error| shown(&error))?;
    Ok(ColumnMask::new(column, rule, key()))
}

fn shown(error: &inrush_core::error::Error) -> String {
    format!("{} ({})", error.message(), error.hint().unwrap_or_default())
}

fn key() -> MaskKey {
    MaskKey::new(b"a key for tests only").unwrap()
}

fn varchar(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars }
}

const INT: ColumnType = ColumnType::Int { bytes: 4, unsigned: false, bool: false };
const MONEY: ColumnType = ColumnType::Decimal { precision: 10, scale: 2, unsigned: false };

#[test]
fn a_rule_a_line() {
    for (ty, rule, cell, want) in [
        (varchar(9), "keep", "Ann", "Ann"),
        (varchar(9), "null", "Ann", "NULL"),
        (varchar(9), "fixed:Bob", "Ann", "Bob"),
        (varchar(9), "redact", "Zoë", "xxx"),
        (ColumnType::Blob { bytes: 9 }, "redact", "Zoë", "xxxx"),
        (varchar(20), "keep-last-4", "4111111111111111", "xxxxxxxxxxxx1111"),
        (varchar(20), "keep-first-2", "Müller", "Müxxxx"),
        // What has no more than that would stay as it is.
        (varchar(20), "keep-last-4", "1234", "xxxx"),
        (varchar(20), "keep-first-4", "abc", "xxx"),
        (ColumnType::Date, "year", "1987-06-05", "1987-01-01"),
        (ColumnType::Date, "month", "1987-06-05", "1987-06-01"),
        (ColumnType::Date, "year", "0000-00-00", "0000-00-00"),
        (ColumnType::DateTime { fsp: 3 }, "month", "1987-06-05 10:11:12.123", "1987-06-01 00:00:00"),
        (ColumnType::Timestamp { fsp: 0 }, "year", "1970-06-05T10:11:12", "1970-01-02 00:00:00"),
        (ColumnType::Date, "year", "5.6.1987", "error: it is no date of the form YYYY-MM-DD"),
        (ColumnType::Date, "month", "1987-00-00", "error: it has no month"),
        (varchar(20), "card", "4111", "error: it has not the 12 to 19 digits of a card"),
        (varchar(20), "number", "12a", "error: it has letters or other characters that are in no number"),
        (varchar(36), "uuid", "Ann", "error: it is no UUID"),
        (INT, "number", "Ann", "error: it is no whole number"),
        (INT, "number", "2147483648", "error: it is out of the column's range"),
        (MONEY, "number", "1.234", "error: it has more digits after the point than its column"),
        (varchar(9), "redact", "", ""),
        (varchar(40), "hmac", "", ""),
    ] {
        assert_eq!(apply(ty, rule, cell), want, "{rule} of {cell}");
    }
}

/// Each with the same key; these results are part of the format: joins with what was masked before.
#[test]
fn results_stay_the_same_in_every_version() {
    let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    let results: Vec<String> = [
        (varchar(40), "hmac", "Ann"),
        (varchar(40), "email", "ann@corp.test"),
        (varchar(40), "name", "Ann-Marie O'Hara"),
        (varchar(40), "phone", "+49 (30) 1234-567"),
        (varchar(40), "card", "4111 1111 1111 1111"),
        (varchar(40), "number", "00123"),
        (INT, "number", "-12345"),
        (MONEY, "number", "12.5"),
        (INT, "hash-int", "7"),
        (ColumnType::Uuid, "uuid", uuid),
    ]
    .map(|(ty, rule, cell)| apply(ty, rule, cell))
    .into();
    assert_eq!(results, PINNED);
}

const PINNED: [&str; 10] = [
    "095c98bce4c7a00ad5d5cfd9be4e2db5",
    "46d9e04750b4d2d4@example.com",
    "Geh-Ajelu P'Ucad",
    "+83 (39) 0087-054",
    "8809 0611 2976 7255",
    "22879",
    "-16187",
    "66.85",
    "861790860",
    "47d1bbc7-4334-822d-8a1b-c36426094c1a",
];

#[test]
fn equal_values_are_equal_in_every_column() {
    assert_eq!(apply(varchar(32), "hmac", "Ann"), apply(ColumnType::Text { bytes: 65_535 }, "hmac", "Ann"));
    let long = apply(varchar(64), "hmac:64", "Ann");
    assert!(long.starts_with(&apply(varchar(16), "hmac", "Ann")) && long.len() == 64);
    let bigint = ColumnType::Int { bytes: 8, unsigned: true, bool: false };
    assert_eq!(apply(INT, "number", "4711"), apply(bigint, "number", "4711"));
    assert_eq!(
        apply(varchar(40), "uuid", "6BA7B8109DAD11D180B400C04FD430C8"),
        apply(ColumnType::Uuid, "uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
    );
    let column = Column::new("c", varchar(40));
    let other = ColumnMask::new(&column, MaskRule::Hmac(None), MaskKey::new(b"another key of tests").unwrap());
    assert_ne!(other.apply(b"Ann").unwrap().unwrap(), apply(varchar(40), "hmac", "Ann").into_bytes());
}

/// All values of a domain, so that each comes out exactly once.
#[test]
fn numbers_are_permuted() {
    let all = |ty: &ColumnType, cells: &mut dyn Iterator<Item = String>| {
        let mut masked: Vec<String> = cells.map(|cell| apply(ty.clone(), "number", &cell)).collect();
        let n = masked.len();
        masked.sort();
        masked.dedup();
        assert_eq!(masked.len(), n, "{ty}");
        masked
    };
    let tiny = ColumnType::Int { bytes: 1, unsigned: false, bool: false };
    let masked = all(&tiny, &mut (-128..=127).map(|i: i32| i.to_string()));
    assert!(masked.iter().all(|value| value.parse::<i8>().is_ok()));
    all(&varchar(3), &mut (0..1000).map(|i| format!("{i:03}")));
    all(
        &MONEY,
        &mut (-999..=999)
            .map(|i| format!("{}{}.{:02}", if i < 0 { "-" } else { "" }, i32::abs(i) / 100, i32::abs(i) % 100)),
    );
    for cell in ["18446744073709551615", "9999999999999999999"] {
        let ty = ColumnType::Int { bytes: 8, unsigned: true, bool: false };
        assert!(apply(ty, "number", cell).parse::<u64>().is_ok());
    }
}

#[test]
fn shapes_stay() {
    let card = apply(varchar(19), "card", "4111-1111-1111-1111");
    let digits: Vec<u32> = card.chars().filter_map(|char| char.to_digit(10)).collect();
    let doubled = |(i, digit): (usize, &u32)| if i % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit };
    assert_eq!(digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10, 0, "{card}");
    assert_eq!(card.char_indices().filter(|(_, char)| *char == '-').map(|(i, _)| i).collect::<Vec<_>>(), [4, 9, 14]);
    let phone = apply(varchar(30), "phone", "+49 30 123 ext. 9");
    assert!(phone.starts_with('+') && phone.contains(" xxx. ") && phone.len() == 17, "{phone}");
    let name = apply(varchar(30), "name", "Zoë von Beispiel");
    assert!(name.is_ascii() && name.chars().count() == 16 && name.chars().nth(8).unwrap().is_uppercase(), "{name}");
    assert!(!name.contains("Beispiel") && !name.contains("Zo"), "{name}");
}

#[test]
fn mistakes_are_named() {
    let enumeration = ColumnType::Enum { members: vec!["a".into()] };
    for (ty, rule, want) in [
        (
            INT,
            "year",
            "does not fit the column `c`, INT: it is for DATE, DATETIME and TIMESTAMP (whole numbers take `number`",
        ),
        (varchar(15), "hmac", "no room for 16 hexadecimal digits (64 bits)"),
        (varchar(20), "hmac:32", "no room for 32"),
        (varchar(20), "hmac:8", "it takes 16 to 64 digits"),
        (varchar(27), "email", "no room for 28 characters"),
        (INT, "hmac", "it is for texts and bytes (whole numbers take `number`"),
        (varchar(9), "hash-int", "whole numbers"),
        (ColumnType::Date, "redact", "dates take `year`"),
        (enumeration, "fixed:a", "its type takes no fixed text"),
        (varchar(2), "fixed:Bob", "longer than the column"),
        (INT, "fixed:x", "no number of its range"),
        (varchar(9), "hmca", "there is no mask `hmca` (did you mean `hmac`?)"),
        (varchar(9), "scramble-all", "the masks are hmac, email"),
        (varchar(9), "keep-last-0", "there is no mask `keep-last-0`"),
        (ColumnType::Json, "redact", "this type takes `null` and `keep`"),
        (ColumnType::Decimal { precision: 65, scale: 30, unsigned: false }, "number", "at most 38 digits"),
    ] {
        let error = mask_of(&Column::new("c", ty), rule).unwrap_err();
        assert!(error.contains(want), "{rule}: {error}");
    }
    let never_null = Column { nullable: false, ..Column::new("c", INT) };
    assert!(mask_of(&never_null, "null").unwrap_err().contains("NOT NULL"));
}

#[test]
fn a_key_is_long_enough_and_hidden() {
    assert!(
        MaskKey::new(b"fifteen bytes..\n").unwrap_err().message().contains("at least 16 bytes, and this one has 15")
    );
    let key = MaskKey::new(b"sixteen bytes...\r\n").unwrap();
    assert_eq!(key.mac("a", b"b"), MaskKey::new(b"sixteen bytes...").unwrap().mac("a", b"b"));
    assert_eq!(format!("{key:?}"), "MaskKey(hidden)");
}

fn rules(texts: &[&str], of_file: &[(Option<&str>, &str, &str)], is_strict: bool) -> Result<MaskRules, String> {
    let mut rules = MaskRules::new(key(), is_strict);
    for text in texts {
        rules.add_text(text).map_err(|error| shown(&error))?;
    }
    for (table, column, rule) in of_file {
        rules.add_of_file(*table, column, rule).map_err(|error| shown(&error))?;
    }
    Ok(rules)
}

fn chosen(rules: &MaskRules) -> Result<String, String> {
    let columns =
        [("id", INT), ("email", varchar(40)), ("work_email", varchar(40))].map(|(name, ty)| Column::new(name, ty));
    rules.check_names(&[("shop", "people", &columns)]).map_err(|error| shown(&error))?;
    let masks = rules.of_table("shop", "people", &columns).map_err(|error| shown(&error))?;
    let rule = |mask: &Option<ColumnMask>| mask.as_ref().map_or("-".into(), |mask| mask.rule.to_string());
    Ok(masks.masks.iter().map(rule).collect::<Vec<_>>().join(" "))
}

#[test]
fn rules_find_their_columns() {
    for (texts, of_file, want) in [
        (&["EMAIL=hmac"][..], &[][..], "- hmac -"),
        (&["people.email=hmac", "email=email"], &[], "- hmac -"),
        (&["shop.people.email=hmac"], &[(None, "id", "number")], "number hmac -"),
        (&[], &[(None, "*email", "email")], "- email email"),
        (&["email=keep"], &[(None, "*email", "email")], "- keep email"),
        (&[], &[(None, "*email", "email"), (Some("people"), "email", "hmac")], "- hmac email"),
        (&[], &[(None, "*email", "email"), (None, "work_*", "email"), (Some("gone"), "x", "keep")], "- email email"),
    ] {
        assert_eq!(chosen(&rules(texts, of_file, false).unwrap()), Ok(want.to_owned()), "{texts:?} {of_file:?}");
    }
    for (texts, of_file, is_strict, want) in [
        (&["emial=hmac"][..], &[][..], false, "`emial`, which is not there (did you mean `email`?)"),
        (&["other.email=email"], &[], false, "`email` of `other`, which is not there"),
        (&["email"], &[], false, "it takes COLUMN=RULE"),
        (&["email=hmac", "Email=hmac"], &[], false, "has two masks"),
        (&[], &[(None, "*email", "email"), (None, "work*", "hmac")], false, "two masks match the column `work_email`"),
        (&[], &[(Some("people"), "emial", "hmac")], false, "`emial` of `people`"),
        (
            &["id=number", "email=hmac"],
            &[],
            true,
            "no mask names `work_email` of the table `people` (`--mask-strict` needs a rule for each column; `work_email=keep`",
        ),
        (&["id=year"], &[], false, "table `people`: the mask `year` does not fit"),
    ] {
        let error = rules(texts, of_file, is_strict).and_then(|rules| chosen(&rules)).unwrap_err();
        assert!(error.contains(want), "{texts:?} {of_file:?}: {error}");
    }
}
