use super::propose::propose;
use super::*;
use crate::dialect::{CsvOptions, Dialect};

fn numbers(formats: ValueFormats, cases: &[(&str, Option<&str>)]) {
    formats.check().unwrap();
    let rule = formats.rule("n", ColumnKind::Float);
    for (cell, want) in cases {
        let mut out = Vec::new();
        let fits = rule.rewrite(cell.as_bytes(), &mut out);
        let got = fits.then(|| String::from_utf8(out).unwrap());
        assert_eq!(got.as_deref(), *want, "`{cell}` by {formats}");
    }
}

fn dates(formats: &[&str], cases: &[(&str, Option<&str>)]) {
    let formats: Vec<_> = formats.iter().map(|format| DateFormat::parse(format).unwrap()).collect();
    let formats = ValueFormats::default().with_dates(formats);
    let rule = formats.rule("born", ColumnKind::Moment);
    for (cell, want) in cases {
        let mut out = Vec::new();
        let fits = rule.rewrite(cell.as_bytes(), &mut out);
        let got = fits.then(|| String::from_utf8(out).unwrap());
        assert_eq!(got.as_deref(), *want, "`{cell}` by {formats}");
    }
}

#[test]
fn bits_as_bytes() {
    let formats = ValueFormats::default().with_bits_as_bytes(true);
    assert_eq!(formats.to_string(), "bits as bytes");
    assert!(matches!(formats.rule("n", ColumnKind::Integer), Rule::Keep));
    let rule = formats.rule("n", ColumnKind::Bits);
    for (cell, want) in [
        (&b"1"[..], Some("49")),
        (b"\0", Some("0")),
        (b"\x05", Some("5")),
        (b"\x01\0", Some("256")),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff", Some("18446744073709551615")),
        (b"\0\0\0\0\0\0\0\0\0\x09", Some("9")),
        (b"123456789", None),
    ] {
        let mut out = Vec::new();
        let fits = rule.rewrite(cell, &mut out);
        assert_eq!(fits.then(|| String::from_utf8(out).unwrap()).as_deref(), want, "{cell:?}");
    }
    assert_eq!(rule.reason(b"123456789"), "its 9 bytes are no number of 64 bits");
}

#[test]
fn a_decimal_comma() {
    numbers(
        ValueFormats::default().with_decimal(','),
        &[
            ("1,5", Some("1.5")),
            ("-1,50", Some("-1.50")),
            ("+7", Some("7")),
            ("\u{2212}2,5", Some("-2.5")),
            (",5", Some("0.5")),
            ("1,5E3", Some("1.5E3")),
            ("12345678901234567890,123", Some("12345678901234567890.123")),
            (" 3,0 ", Some("3.0")),
            ("007", Some("007")),
            // A point is no part of these numbers.
            ("1.5", None),
            ("1.234,5", None),
            ("1,5,0", None),
            ("1,", None),
            (",", None),
            ("", None),
            ("-", None),
            ("1,5 €", None),
            ("5%", None),
            ("1e", None),
            ("x", None),
        ],
    );
}

#[test]
fn groups_of_three() {
    numbers(
        ValueFormats::default().with_decimal(',').with_thousands('.'),
        &[
            ("1.234,56", Some("1234.56")),
            ("1.234.567", Some("1234567")),
            ("123", Some("123")),
            ("1234,5", Some("1234.5")),
            ("-999.999", Some("-999999")),
            ("1.23", None),
            ("1.2345", None),
            ("1234.567", None),
            ("0.123", None),
            ("030.123", None),
            (".123", None),
            ("1..234", None),
            ("01.05.2024", None),
        ],
    );
    numbers(
        ValueFormats::default().with_thousands(' '),
        &[
            ("1 234.5", Some("1234.5")),
            ("1\u{a0}234\u{202f}567", Some("1234567")),
            ("030 123 456", None),
            ("12 34", None),
        ],
    );
    numbers(
        ValueFormats::default().with_thousands('\''),
        &[("1'234.50", Some("1234.50")), ("1\u{2019}234", Some("1234"))],
    );
    numbers(ValueFormats::default().with_thousands(','), &[("1,234,567.89", Some("1234567.89")), ("12,34,567", None)]);
}

#[test]
fn currencies_and_percents() {
    let signs = |signs: &[&str]| signs.iter().map(|sign| (*sign).to_owned()).collect::<Vec<_>>();
    numbers(
        ValueFormats::default().with_decimal(',').with_currencies(signs(&["€", "EUR"])),
        &[
            ("12,50 €", Some("12.50")),
            ("€ 12,50", Some("12.50")),
            ("-€12,50", Some("-12.50")),
            ("€-12,50", Some("-12.50")),
            ("EUR 3", Some("3")),
            ("3 USD", None),
            ("€", None),
        ],
    );
    numbers(
        ValueFormats::default().with_percent(Percent::Strip),
        &[("12.5 %", Some("12.5")), ("12.5%", Some("12.5")), ("7", Some("7")), ("%", None)],
    );
    numbers(
        ValueFormats::default().with_percent(Percent::Share),
        &[
            ("12.5%", Some("0.125")),
            ("100 %", Some("1.00")),
            ("-3%", Some("-0.03")),
            ("1234.5%", Some("12.345")),
            ("0%", Some("0.00")),
            // Without the sign it is what it says.
            ("12.5", Some("12.5")),
        ],
    );
}

#[test]
fn days_and_times() {
    dates(
        &["%d.%m.%Y"],
        &[
            ("31.12.2024", Some("2024-12-31")),
            ("1.5.2024", Some("2024-05-01")),
            (" 01.05.2024 ", Some("2024-05-01")),
            // What SQL writes can be nothing else.
            ("2024-05-01", Some("2024-05-01")),
            ("31.04.2024", None),
            ("12.31.2024", None),
            ("31.12.2024 10:00", None),
            ("", None),
        ],
    );
    dates(
        &["%d.%m.%Y %H:%M", "%d.%m.%Y"],
        &[("31.12.2024 07:05", Some("2024-12-31 07:05:00")), ("31.12.2024", Some("2024-12-31"))],
    );
    dates(&["%m/%d/%Y %I:%M:%S %p"], &[("1/5/2024 1:02:03 PM", Some("2024-01-05 13:02:03"))]);
    dates(&["%d/%b/%Y:%H:%M:%S %z"], &[("05/Jan/2024:10:00:00 +0130", Some("2024-01-05 10:00:00+01:30"))]);
    dates(&["%Y%m%dT%H%M%S%.f"], &[("20240105T101112.25", Some("2024-01-05 10:11:12.25"))]);
    dates(&["%H.%M"], &[("9.30", Some("09:30:00"))]);
    // The year has the digits that its directive says.
    dates(
        &["%d.%m.%Y"],
        &[("31.12.24", None), ("31.12.024", None), ("31.12.12024", None), ("31.12.0024", Some("0024-12-31"))],
    );
    dates(
        &["%d.%m.%y"],
        &[
            ("31.12.24", Some("2024-12-31")),
            ("1.5.68", Some("2068-05-01")),
            ("1.5.69", Some("1969-05-01")),
            ("1.5.4", None),
            ("31.12.2024", None),
        ],
    );
    dates(&["%y%m%d"], &[("240105", Some("2024-01-05")), ("24105", None)]);
    // A zone is converted by what its clocks showed then, or refused.
    dates(
        &["%d.%m.%Y %H:%M %Q"],
        &[
            ("05.01.2024 10:00 America/New_York", Some("2024-01-05 10:00:00-05:00")),
            ("05.07.2024 10:00 America/New_York", Some("2024-07-05 10:00:00-04:00")),
            ("05.01.2024 10:00 +0200", Some("2024-01-05 10:00:00+02:00")),
            ("05.01.2024 10:00 America/Nowhere", None),
            ("10.03.2024 02:30 America/New_York", None),
            ("03.11.2024 01:30 America/New_York", None),
        ],
    );
    // A format that reads what SQL writes in another way is the only one.
    dates(
        &["%Y-%d-%m"],
        &[("2024-05-06", Some("2024-06-05")), ("2024-05-13", None), ("2024-13-05", Some("2024-05-13"))],
    );
    dates(&["%S:%M:%H"], &[("10:30:15", Some("15:30:10")), ("10:30", None), ("10:30:15.5", None)]);
    // No clock of a server shows a second 60.
    dates(
        &["%d.%m.%Y %H:%M:%S"],
        &[("31.12.2016 23:59:60", None), ("31.12.1960 23:59:59", Some("1960-12-31 23:59:59"))],
    );
    // A column with its own format uses only that one.
    dates(&["%m/%d/%Y", "born=%d/%m/%Y"], &[("1/5/2024", Some("2024-05-01")), ("2024-05-01", None)]);
    dates(&["other=%d/%m/%Y"], &[("1/5/2024", Some("1/5/2024"))]);
}

#[test]
fn options_that_make_no_sense() {
    let check = |formats: ValueFormats, want: &str| assert_eq!(formats.check().unwrap_err().message(), want);
    check(
        ValueFormats::default().with_thousands('.'),
        "`.` cannot stand both between groups of digits and before the fraction",
    );
    check(
        ValueFormats::default().with_decimal(',').with_thousands(','),
        "`,` cannot stand both between groups of digits and before the fraction",
    );
    check(ValueFormats::default().with_decimal('7'), "`--decimal 7`: that is a part of numbers");
    check(ValueFormats::default().with_thousands('-'), "`--thousands -`: that is a part of numbers");
    let wrong = ValueFormats::default().with_currencies(vec!["1x".to_owned()]);
    check(wrong, "`--currency` is a sign or a word without digits, such as `€` or `EUR`");
    for sign in ["-", ".", ",", "+", "%", "'", "e", "(", "$-", "-$"] {
        let error = ValueFormats::default().with_currencies(vec![sign.to_owned()]).check().unwrap_err();
        assert!(error.message().ends_with("that is a part of numbers"), "{error}");
    }
    check(
        ValueFormats::default().with_decimal(',').with_thousands('_').with_currencies(vec!["_".to_owned()]),
        "`--currency _`: that is a part of numbers",
    );
    assert!(ValueFormats::default().with_currencies(["kr.", "€", "R$"].map(str::to_owned).to_vec()).check().is_ok());
    for (format, want) in [
        ("%d.%m.", "it has neither a whole date nor a time"),
        ("", "it has neither a whole date nor a time"),
        ("born=", "it has neither a whole date nor a time"),
        ("dd.mm.yyyy", "it has neither a whole date nor a time"),
    ] {
        let error = DateFormat::parse(format).unwrap_err();
        assert!(error.message().ends_with(want), "{error}");
        assert!(error.hint().unwrap().contains("%d.%m.%Y"));
    }
    assert!(DateFormat::parse("%Q").is_err());
}

#[test]
fn what_is_proposed() {
    let check = |cells: &[&str], want: &[&str]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.as_bytes()).collect();
        let options =
            propose("n", &cells, &ValueFormats::default()).map(|proposal| proposal.options).unwrap_or_default();
        assert_eq!(options, want, "{cells:?}");
    };
    check(&["1,5", "12,25", ""], &["--decimal ,"]);
    check(&["1.234,50", "3,5"], &["--decimal , --thousands ."]);
    check(&["1,234", "12,345"], &["--decimal ,", "--thousands ,"]);
    check(&["1,234.5", "7"], &["--thousands ,"]);
    check(&["$1,234.50", "$7"], &["--thousands , --currency '$'"]);
    check(&["12,5 %"], &["--decimal , --percent strip"]);
    check(&["3 €", "4 €"], &["--currency '€'"]);
    check(&["31.12.2024", "1.5.2024"], &["--date-format %d.%m.%Y"]);
    check(&["31.12.24", "1.5.24"], &["--date-format %d.%m.%y"]);
    check(&["1/5/2024", "2/6/2024"], &["--date-format '%d/%m/%Y'", "--date-format '%m/%d/%Y'"]);
    check(&["13/5/2024", "2/6/2024"], &["--date-format '%d/%m/%Y'"]);
    check(&["5 Jan 2024, 10:00"], &["--date-format '%d %b %Y, %H:%M'"]);
    check(&["abc", "1,5"], &[]);
    check(&["", " "], &[]);
    check(&["1", "2.5"], &[]);
    check(&["000001", "+45"], &[]);
    check(&["1\u{a0}234", "7"], &["--thousands ' '"]);
    check(&["2024-01-05"], &[]);
    let proposal = propose("price", &[b"1,5", b"2,5"], &ValueFormats::default()).unwrap();
    assert_eq!(proposal.to_string(), "column `price` looks like `--decimal ,`: 2 of 2 sampled cells fit");
    let proposal = propose("day", &[b"31.12.24"], &ValueFormats::default()).unwrap();
    assert!(
        proposal.to_string().ends_with("cells fit (`%y` reads 00 to 68 as 2000 to 2068, 69 to 99 as 1969 to 1999)")
    );
}

#[test]
fn what_is_proposed_beside_options_that_are_given() {
    let check = |cell: &str, given: ValueFormats, want: &[&str]| {
        let options = propose("n", &[cell.as_bytes()], &given).map(|proposal| proposal.options).unwrap_or_default();
        assert_eq!(options, want, "{cell} beside {given}");
    };
    let decimal = || ValueFormats::default().with_decimal(',');
    let dates = |format| ValueFormats::default().with_dates([DateFormat::parse(format).unwrap()]);
    check("31.12.2024", decimal(), &["--date-format %d.%m.%Y"]);
    check("1'234", decimal(), &[]);
    check("1,5", dates("%d.%m.%Y"), &["--decimal ,"]);
    check("31.12.24", dates("%d.%m.%Y"), &["--date-format 'n=%d.%m.%y'"]);
}

#[test]
fn they_are_part_of_how_a_job_reads_its_files() {
    let reading = |options: &CsvOptions| Dialect::new(options, b',').unwrap().reading(options).to_string();
    let dates = [DateFormat::parse("born=%d.%m.%Y").unwrap()];
    let formats = ValueFormats::default().with_decimal(',').with_dates(dates);
    let options = CsvOptions::default().with_formats(formats).with_null_missing_fields(true);
    let (plain, german) = (reading(&CsvOptions::default()), reading(&options));
    assert!(
        german.contains("formats of values: --decimal , --date-format") && german.contains("born=%d.%m.%Y"),
        "{german}"
    );
    assert!(german.contains("missing fields: NULL") && !plain.contains("fields: "), "{plain}");
}

#[test]
fn words_for_true_and_false() {
    let formats =
        ValueFormats::default().with_trues(["ja".to_owned(), "Y".to_owned()]).with_falses(["nein".to_owned()]);
    formats.check().unwrap();
    let rewritten = |formats: &ValueFormats, kind: ColumnKind, cell: &str| {
        let mut out = Vec::new();
        formats.rule("f", kind).rewrite(cell.as_bytes(), &mut out).then(|| String::from_utf8(out).unwrap())
    };
    let integer = |cell: &str| rewritten(&formats, ColumnKind::Integer, cell);
    assert_eq!(
        ["ja", " JA ", "y", "Nein", "7", "maybe"].map(integer),
        ["1", "1", "1", "0", "7", "maybe"].map(|text| Some(text.to_owned()))
    );
    // A text stays unchanged.
    assert_eq!(rewritten(&formats, ColumnKind::Text, "ja").as_deref(), Some("ja"));
    let german = formats.clone().with_decimal(',');
    assert_eq!(rewritten(&german, ColumnKind::Integer, "7,0").as_deref(), Some("7.0"));
    assert_eq!(rewritten(&german, ColumnKind::Integer, "nein").as_deref(), Some("0"));
    assert_eq!(formats.to_string(), "--true ja --true Y --false nein");
    assert_eq!(german.to_string(), "--decimal , --true ja --true Y --false nein");
    for wrong in [formats.clone().with_falses(["JA".to_owned()]), formats.with_trues([" ".to_owned()])] {
        assert!(wrong.check().is_err(), "{wrong:?}");
    }
}
