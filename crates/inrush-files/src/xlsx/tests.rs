//! Workbooks as programs write them, and as none does.

use super::formats::{NumberFormatKind, builtin, custom};
use super::strings::unescape;
use super::*;
use crate::file_format::Format;
use crate::open::open;
use crate::{AutoDetect, CsvOptions, FileSource, HeaderNames};
use arrow_array::cast::AsArray;
use inrush_core::column::ColumnType;
use std::io::Write;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

#[test]
fn cells_of_every_kind() {
    let rows = "<row r='1'><c r='A1' t='inlineStr'><is><t>id</t></is></c><c r='B1' t='s'><v>0</v></c></row>\
        <row r='2'><c r='A2'><v>1</v></c><c r='B2' t='s'><v>1</v></c></row>\
        <row r='3'><c r='A3'><v>2.0</v></c><c r='B3' t='b'><v>1</v></c></row>\
        <row r='4'><c r='A4'><v>1.1000000000000001</v></c><c r='B4' t='b'><v>0</v></c></row>\
        <row r='5'><c r='A5'><v>-1E-3</v></c><c r='B5' t='e'><v>#N/A</v></c></row>\
        <row r='6'><c r='A6'><v>12345678901234567890</v></c><c r='B6' t='str'><f>A1&amp;A2</f><v>a &lt; b</v></c></row>\
        <row r='7'><c r='A7' t='d'><v>2024-02-29T10:00:00</v></c><c r='B7' t='str'><v></v></c></row>\
        <row r='8'><c r='A8'/><c r='B8' t='inlineStr'><is><r><t>a</t></r><r><t> b</t></r><rPh><t>x</t></rPh></is></c></row>";
    let strings = "<si><t>name</t></si><si><r><t>A</t></r><r><t xml:space='preserve'>nn _x0009_\n\\N</t></r><rPh><t>x</t></rPh></si>";
    let want = [
        "1|Ann \t\n\\N",
        "2|true",
        "1.1|false",
        "-0.001|#N/A",
        "12345678901234567890|a < b",
        "2024-02-29T10:00:00|NULL",
        "NULL|a b",
    ];
    check(&Book { sheets: &[("S", rows)], strings, ..BOOK }, "", &CsvOptions::default(), Ok(&want));
}

#[test]
fn truths_in_every_spelling() {
    let rows = |values: &[&str]| {
        let cells: String = values.iter().map(|value| format!("<row><c t='b'><v>{value}</v></c></row>")).collect();
        format!("<row><c t='inlineStr'><is><t>a</t></is></c></row>{cells}")
    };
    let check = |values: &[&str], want: Result<&[&str], &str>| {
        check(&Book { sheets: &[("S", &rows(values))], ..BOOK }, "", &CsvOptions::default(), want);
    };
    check(
        &["1", "0", "true", "false", " TRUE ", "1.0", "0.0", "-1"],
        Ok(&["true", "false", "true", "false", "true", "true", "false", "true"]),
    );
    check(&["1", "yes"], Err("cannot read `FILE` beyond byte 0 of its text: a cell is neither true nor false"));
}

#[test]
fn days_and_times_by_their_formats() {
    let styles = "<numFmts><numFmt numFmtId='164' formatCode='yyyy\\-mm\\-dd&quot;d&quot;;@'/>\
        <numFmt numFmtId='165' formatCode='[h]:mm:ss'/></numFmts><cellStyleXfs><xf numFmtId='22'/></cellStyleXfs>\
        <cellXfs><xf numFmtId='0'/><xf numFmtId='164'/><xf numFmtId='22'/><xf numFmtId='20'/><xf numFmtId='165'/></cellXfs>";
    let rows = |values: [&str; 4]| {
        let cells: String =
            values.iter().enumerate().map(|(i, value)| format!("<c s='{}'><v>{value}</v></c>", i + 1)).collect();
        format!("<row>{HEADER}</row><row>{cells}</row>")
    };
    let is = |is_1904, values, want: &str| {
        let book = Book { sheets: &[("S", &rows(values))], styles, is_1904, ..BOOK };
        check(&book, "", &CsvOptions::default(), Ok(&[want]));
    };
    let all = "2024-02-29|2024-02-29 00:00:00|10:00:00|30:30:00";
    is(false, ["45351", "45351", "0.41666666666666669", "1.2708333333333333"], all);
    is(true, ["43889", "43889", "0.41666666666666669", "1.2708333333333333"], all);
    // A time in the cell of a day, milliseconds, a day in the cell of a time, a negative duration.
    let odd = "2024-02-29 12:00:00|2024-02-29 10:00:00.25|2024-02-29 10:00:00|-01:00:00";
    is(false, ["45351.5", "45351.416669560182", "45351.416666666664", "-4.1666666666666664E-2"], odd);
    // Excel counts a 29th of February 1900; what is no day of the calendar is refused by columns of days.
    is(false, ["59", "61", "60.5", "0"], "1900-02-28|1900-03-01 00:00:00|1900-02-29 12:00:00|00:00:00");
    is(false, ["-1", "2958466", "1E+300", "0"], "-1|2958466|1e300|00:00:00");
}

#[test]
fn blank_rows_of_one_column_are_no_records() {
    let cell = |row, n| format!("<row r='{row}'><c r='A{row}'><v>{n}</v></c></row>");
    let rows = [cell(3, 10), cell(4, 11), "<row r='5'/>".into(), cell(7, 12)].concat();
    let book = Book { sheets: &[("S", &rows)], ..BOOK };
    check(&book, "", &CsvOptions::default(), Ok(&["11", "12"]));
    check(&book, "", &CsvOptions { header: false, ..CsvOptions::default() }, Ok(&["10", "11", "12"]));
}

#[test]
fn texts_that_are_missing_are_missed_by_cells_alone() {
    let header = "<row r='1'><c><v>1</v></c></row>";
    let book =
        Book { sheets: &[("S", &format!("{header}<row r='2'><c><v>2</v></c></row>"))], strings: MISSING, ..BOOK };
    check(&book, "", &CsvOptions::default(), Ok(&["2"]));
    let rows = format!("{header}<row r='2'><c t='s'><v>0</v></c></row>");
    let book = Book { sheets: &[("S", &rows)], strings: MISSING, ..BOOK };
    check(
        &book,
        "",
        &CsvOptions::default(),
        Err("cannot read `FILE` beyond byte 0 of its text: a cell has a text that is not there"),
    );
}

/// Libraries write formulas without results, or with 0, which the program that opens the workbook is to compute.
#[test]
fn formulas_without_results_are_a_question() {
    let stored = CsvOptions::default().with_stored_formulas(true);
    let hint = "open it in Excel or LibreOffice and save it, which computes formulas \
        (`soffice --headless --convert-to xlsx --outdir computed FILE`); `--formulas stored` takes the results that are \
        there, the others are NULL or 0";
    let refused = format!("cell `B2` has a formula whose result is not in the workbook (`FILE`); {hint}");
    let rows = |cell: &str| format!("<row>{HEADER}</row><row><c><v>1</v></c>{cell}</row>");
    for (cell, recalculates, want) in [
        ("<c><f>A2*2</f></c>", false, "1|NULL|NULL|NULL"),
        ("<c><f>A2*2</f><v></v></c>", false, "1|NULL|NULL|NULL"),
        ("<c><f>A2*2</f><v>0</v></c>", true, "1|0|NULL|NULL"),
        ("<c t='shared'><f t='shared' si='0'/></c>", false, "1|NULL|NULL|NULL"),
    ] {
        let rows = rows(cell);
        let book = Book { sheets: &[("S", &rows)], recalculates, ..BOOK };
        check(&book, "", &CsvOptions::default(), Err(&refused));
        check(&book, "", &stored, Ok(&[want]));
    }
    for (cell, recalculates, want) in [
        ("<c><f>A2*2</f><v>0</v></c>", false, "1|0|NULL|NULL"),
        ("<c><f>A2*2</f><v>2</v></c>", true, "1|2|NULL|NULL"),
        ("<c t='str'><f>A9</f><v></v></c>", false, "1|NULL|NULL|NULL"),
        ("<c t='b'><f>A2=2</f><v>0</v></c>", true, "1|false|NULL|NULL"),
    ] {
        let rows = rows(cell);
        check(&Book { sheets: &[("S", &rows)], recalculates, ..BOOK }, "", &CsvOptions::default(), Ok(&[want]));
    }
}

/// The first row of a sheet is a header by the same rule as that of a text.
#[test]
fn a_first_row_may_be_a_row() {
    let auto = CsvOptions::default().with_auto_detect(AutoDetect { header: true, ..AutoDetect::default() });
    let row = |cells: [&str; 2]| {
        let cells: String = cells.iter().map(|text| format!("<c t='inlineStr'><is><t>{text}</t></is></c>")).collect();
        format!("<row>{cells}</row>")
    };
    let check = |rows: &[[&str; 2]], want: Result<&[&str], &str>| {
        let rows: String = rows.iter().map(|cells| row(*cells)).collect();
        check(&Book { sheets: &[("S", &rows)], ..BOOK }, "", &auto, want);
    };
    check(&[["id", "name"], ["1", "Ann"], ["2", "Bob"]], Ok(&["1|Ann", "2|Bob"]));
    check(&[["1", "Ann"], ["2", "Bob"]], Ok(&["1|Ann", "2|Bob"]));
    let question = "the first line of `FILE` may be a header or a row: `Report\\t2024`; say which: `--header` or \
        `--no-header`; with a header the first row is `Author\\tBob`, without one it is `Report\\t2024`; \
        `--skip N` passes over lines before the table";
    check(&[["Report", "2024"], ["Author", "Bob"], ["name", "amount"], ["Ann", "x5"]], Err(question));
}

/// Rows lack the empty cells at their ends, so most of them may be narrower than the header.
#[test]
fn titles_over_columns_that_are_often_blank() {
    let auto =
        |skip| CsvOptions::default().with_auto_detect(AutoDetect { header: true, skip, ..AutoDetect::default() });
    let text = |text: &str| format!("<c t='inlineStr'><is><t>{text}</t></is></c>");
    let header = format!("<row>{HEADER}</row>");
    let one = "<row><c><v>1</v></c></row>".repeat(4);
    let four = "<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c><c><v>4</v></c></row>";
    let title = format!("<row>{}</row>", text("People of 2024"));
    let two = format!("<row>{}{}</row><row/>", text("Report"), text("2024"));
    let three = format!("<row>{0}{0}{0}</row><row>{0}{0}</row><row/>", text("x"));
    for (before, n) in [(title, 1), (two, 2), (three, 3)] {
        let rows = format!("{before}{header}{one}{four}");
        let book = Book { sheets: &[("S", &rows)], ..BOOK };
        let read = ["1|NULL|NULL|NULL", "1|NULL|NULL|NULL", "1|NULL|NULL|NULL", "1|NULL|NULL|NULL", "1|2|3|4"];
        check(&book, "", &auto(true), Ok(&read));
        check(&book, "", &CsvOptions::default().with_skip(n), Ok(&read));
        let lines = if n == 1 { "line 1 does".to_owned() } else { format!("lines 1 to {n} do") };
        let refused = format!(
            "{lines} not belong to the table of `FILE`, whose records have 4 fields; \
             `--skip auto` passes over such lines, `--skip {n}` over these"
        );
        check(&book, "", &auto(false), Err(&refused));
    }
}

#[test]
fn an_empty_cell_of_a_header_is_no_name() {
    let rows = "<row><c t='inlineStr'><is><t>id</t></is></c><c/><c t='inlineStr'><is><t>name</t></is></c></row>\
        <row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>";
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.xlsx").display().to_string();
    std::fs::write(&path, Book { sheets: &[("S", rows)], ..BOOK }.bytes()).unwrap();
    let fields = |names| open(&path, Format::Auto, &CsvOptions::default().with_names(names)).unwrap().fields().to_vec();
    assert_eq!(fields(HeaderNames::CleanUp), ["id", "c2", "name"]);
    assert_eq!(fields(HeaderNames::Trim), ["id", "", "name"]);
}

/// Cells of a few bytes that say a long text each.
#[test]
fn shared_texts_are_not_written_out_without_end() {
    let text = "x".repeat(1 << 20);
    let strings = format!("<si><t>{text}</t></si>");
    let cell = "<c t='s'><v>0</v></c>";
    let header = format!("<row>{HEADER}</row>");
    let rows = format!("{header}{}", format!("<row>{cell}</row>").repeat(2_000));
    let refused = "cannot read `FILE` beyond byte ";
    let read = |rows: &str, options: &CsvOptions| {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.xlsx").display().to_string();
        std::fs::write(&path, Book { sheets: &[("S", rows)], strings: &strings, ..BOOK }.bytes()).unwrap();
        let mut n = 0;
        let said = |error: Error| error.message().replace(&path, "FILE");
        let mut file = match open(&path, Format::Auto, options) {
            Ok(file) => file,
            Err(error) => return (n, Some(said(error))),
        };
        let error = loop {
            match file.next() {
                Ok(Some(batch)) => n += batch.rows.num_rows(),
                Ok(None) => break None,
                Err(error) => break Some(said(error)),
            }
        };
        (n, error)
    };
    let (n, error) = read(&rows, &CsvOptions::default().with_memory(64 << 20));
    let error = error.unwrap();
    assert!(n < 300 && error.starts_with(refused) && error.contains("shared texts of "), "{n} {error}");
    let wide = format!("{header}<row>{}</row>", cell.repeat(100));
    let (_, error) = read(&wide, &CsvOptions::default().with_max_record(4 << 20));
    assert!(error.unwrap().ends_with("row 2 has more than 4194304 bytes"));
}

#[test]
fn formats_by_their_codes() {
    let is = |code: &str, want| assert_eq!(custom(code), want, "{code}");
    for number in
        ["General", "0.00", "#,##0.00 [$€-407]", "0.00E+00", "@", "\"d\"0", "0\\d", "0_d", "[Red]0", "", "\"", "\\"]
    {
        is(number, NumberFormatKind::Number);
    }
    for day in ["yyyy-mm-dd", "d/m/yy", "mmm", "[$-F800]dddd, mmmm dd, yyyy", "yyyy/mm/dd;@", "MMM-YY"] {
        is(day, NumberFormatKind::Day);
    }
    for moment in ["yyyy-mm-dd hh:mm", "m/d/yy h:mm AM/PM", "dd.mm.yyyy\\ hh:mm:ss.000"] {
        is(moment, NumberFormatKind::Moment);
    }
    for time in ["h:mm", "mm:ss.0", "h AM/PM", "hh:mm:ss a/p"] {
        is(time, NumberFormatKind::Time);
    }
    for duration in ["[h]:mm:ss", "[mm]:ss", "[ss].00"] {
        is(duration, NumberFormatKind::Duration);
    }
    assert_eq!(
        [0, 14, 20, 22, 46, 49].map(builtin),
        [
            NumberFormatKind::Number,
            NumberFormatKind::Day,
            NumberFormatKind::Time,
            NumberFormatKind::Moment,
            NumberFormatKind::Duration,
            NumberFormatKind::Number
        ]
    );
}

#[test]
fn escapes_of_characters() {
    let is = |text: &str, want: &str| {
        let mut out = format!("_x0041_{text}");
        unescape(&mut out, 7);
        assert_eq!(out, format!("_x0041_{want}"), "{text}");
    };
    is("a_x000D_b", "a\rb");
    is("_x005F_x000D_", "_x000D_");
    is("_x00_x0041_", "_x00A");
    is("_xD800_ _xéé_ _x", "_xD800_ _xéé_ _x");
}

#[test]
fn sheets_by_their_names() {
    let row = |value: &str| format!("<row>{HEADER}</row><row><c><v>{value}</v></c></row>");
    let (one, two) = (row("1"), row("2"));
    let book = Book { sheets: &[("Two & three", &two), ("a#b", &one)], ..BOOK };
    check(&book, "#Two & three", &CsvOptions::default(), Ok(&["2|NULL|NULL|NULL"]));
    check(&book, "#a#b", &CsvOptions::default(), Ok(&["1|NULL|NULL|NULL"]));
    let several = "`FILE` holds 2 sheets: `Two & three`, `a#b`; name one: `FILE#Two & three`";
    check(&book, "", &CsvOptions::default(), Err(several));
    let none = "`FILE` holds no sheet `c`; it holds `Two & three`, `a#b`";
    check(&book, "#c", &CsvOptions::default(), Err(none));
    // By its content, whatever its name is.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.zip").display().to_string();
    std::fs::write(&path, Book { sheets: &[("S", &one)], ..BOOK }.bytes()).unwrap();
    assert_eq!(rows_of(&mut *open(&path, Format::Auto, &CsvOptions::default()).unwrap()).unwrap().len(), 1);
    let error = open(&path, Format::Csv, &CsvOptions::default()).err().unwrap();
    assert!(error.message().contains("holds 5 files"), "{error}");
}

#[test]
fn a_line_is_a_row() {
    let rows = format!(
        "<row r='2'>{HEADER}</row><row r='5'><c r='B5'><v>1</v></c></row><row r='6'><c r='E6'><v>2</v></c></row>"
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.xlsx").display().to_string();
    std::fs::write(&path, Book { sheets: &[("S", &rows)], ..BOOK }.bytes()).unwrap();
    let mut reader = open(&path, Format::Auto, &CsvOptions::default()).unwrap();
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(batch.origin.place(0).line, 5);
    let reject = &batch.rejects[0];
    assert_eq!((reject.place.line, &reject.reason[..]), (6, "expected 4 fields, found 5"));
    assert_eq!(reader.identity().unwrap().unwrap().name.rsplit('/').next(), Some("a.xlsx#S"));
}

#[test]
fn tables_anywhere_on_a_sheet() {
    let auto =
        |skip| CsvOptions::default().with_auto_detect(AutoDetect { header: true, skip, ..AutoDetect::default() });
    let text = |text: &str| format!("<c t='inlineStr'><is><t>{text}</t></is></c>");
    let title = format!("<row>{}</row><row/>", text("People of 2024"));
    let table = format!("<row>{HEADER}</row>{}", "<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>".repeat(3));
    let book = format!("{title}{table}");
    let book = Book { sheets: &[("S", &book)], ..BOOK };
    check(&book, "", &auto(true), Ok(&["1|2|3|NULL"; 3]));
    let before = "lines 1 to 2 do not belong to the table of `FILE`, whose records have 4 fields; \
        `--skip auto` passes over such lines, `--skip 2` over these";
    check(&book, "", &auto(false), Err(before));
    check(&book, "", &CsvOptions::default().with_skip(2), Ok(&["1|2|3|NULL"; 3]));
    // After empty columns; without a header the number of fields is the number of columns.
    let inset = "<row r='3'><c r='B3'><v>1</v></c></row><row r='4'><c r='C4'><v>2</v></c></row>";
    let inset = Book { sheets: &[("S", inset)], dimension: "B3:C4", ..BOOK };
    check(&inset, "", &CsvOptions::default().with_header(false), Ok(&["1|NULL", "NULL|2"]));
    check(
        &Book { dimension: "C3:C4", ..inset },
        "",
        &CsvOptions::default(),
        Err("cannot read `FILE` beyond byte 0 of its text: \
        the cells of a row are not in order, or beside its table"),
    );
}

#[test]
fn options_of_texts() {
    let rows = format!(
        "<row>{HEADER}</row><row><c t='inlineStr'><is><t>NA</t></is></c><c t='inlineStr'><is><t>1,5</t></is></c></row>"
    );
    let book = Book { sheets: &[("S", &rows)], ..BOOK };
    check(&book, "", &CsvOptions::default().with_nulls([b"NA".to_vec()]), Ok(&["NULL|1,5|NULL|NULL"]));
    let refused = "`--delimiter` has no meaning for `FILE`, whose values have names and types";
    check(&book, "", &CsvOptions::default().with_delimiter(b';'), Err(refused));
}

#[test]
fn types_follow_from_the_texts() {
    let styles = "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs>";
    let row =
        "<row><c><v>1</v></c><c><v>1.5</v></c><c s='1'><v>45351</v></c><c t='inlineStr'><is><t>x</t></is></c></row>";
    let rows = format!("<row>{HEADER}</row>{row}");
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.xlsx").display().to_string();
    std::fs::write(&path, Book { sheets: &[("S", &rows)], styles, ..BOOK }.bytes()).unwrap();
    let mut reader = open(&path, Format::Auto, &CsvOptions::default()).unwrap();
    let fields = reader.infer_types(1 << 20).unwrap();
    assert!(matches!(fields[0].ty, ColumnType::Int { .. }), "{fields:?}");
    assert_eq!(fields[2].ty, ColumnType::Date);
    assert!(fields[3].is_text() && fields.iter().all(|field| !field.nullable), "{fields:?}");
}

#[test]
fn what_no_program_writes() {
    let wrong = |rows: &str, says: &str| {
        let rows = format!("<row>{HEADER}</row>{rows}");
        let want = format!("cannot read `FILE` beyond byte 0 of its text: {says}");
        check(&Book { sheets: &[("S", &rows)], ..BOOK }, "", &CsvOptions::default(), Err(&want));
    };
    wrong("<row r='1'/>", "its rows are not in order");
    wrong("<row r='4294967296'/>", "its rows are not in order");
    wrong("<row r='1048577'/>", "its rows are not in order");
    wrong("<row><c r='B2'/><c r='A2'/></row>", "the cells of a row are not in order, or beside its table");
    wrong("<row><c r='ZZZZ2'/></row>", "the cells of a row are not in order, or beside its table");
    wrong("<row><c t='s'><v>99</v></c></row>", "a cell has a text that is not there");
    wrong("<row><c t='str'><v>&b;</v></c></row>", "its XML refers to something that is not there");
    wrong(&"<a>".repeat(100), "its XML is nested too deeply");
    let long = "x".repeat(5 << 20);
    wrong(&format!("<row><c t='str'><v>{long}</v></c></row>"), "a part of it is longer than any program writes");
    let parts = format!("<r><t>{}</t></r>", "x".repeat(1 << 20)).repeat(6);
    wrong(
        &format!("<row><c t='inlineStr'><is>{parts}</is></c></row>"),
        "a cell of it is longer than any program writes",
    );
}

#[test]
fn texts_beyond_the_memory_are_refused() {
    let strings = "<si><t>some text</t></si>".repeat(200_000);
    let rows = format!("<row>{HEADER}</row>");
    let book = Book { sheets: &[("S", &rows)], strings: &strings, ..BOOK };
    let refused = "the texts of `FILE` take more than the 4 MiB of `--memory`; save the sheet as CSV and load that, or raise `--memory`";
    check(&book, "", &CsvOptions::default().with_memory(4 << 20), Err(refused));
    check(&book, "", &CsvOptions::default().with_memory(64 << 20), Ok(&[]));
}

#[test]
fn damage_anywhere_is_an_error() {
    let row = "<row><c t='s'><v>1</v></c><c><v>2</v></c></row>".repeat(500);
    let rows = format!("<row>{HEADER}</row>{row}");
    let strings = "<si><t>a</t></si><si><t>b</t></si>";
    let whole = Book { sheets: &[("S", &rows)], strings, ..BOOK }.bytes();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.xlsx").display().to_string();
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        open(&path, Format::Auto, &CsvOptions::default()).and_then(|mut reader| rows_of(&mut *reader))
    };
    let want = read(&whole).unwrap();
    assert_eq!(want.len(), 500);
    for cut in (1..whole.len()).step_by(7) {
        assert!(read(&whole[..cut]).is_err(), "cut at {cut}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x11;
        // A byte that has no meaning, such as one of a date, may change.
        assert!(read(&bytes).is_ok_and(|rows| rows == want) || read(&bytes).is_err(), "byte {at}");
    }
}

/// Reads the only sheet, or the one named after `#`, and compares its rows or its error with the hint; `FILE` is the path.
#[track_caller]
fn check(book: &Book<'_>, sheet: &str, options: &CsvOptions, want: std::result::Result<&[&str], &str>) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.xlsx").display().to_string();
    std::fs::write(&path, book.bytes()).unwrap();
    let read = open(&format!("{path}{sheet}"), Format::Auto, options).and_then(|mut reader| rows_of(&mut *reader));
    let said = |error: Error| {
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", error.message()).replace(&path, "FILE")
    };
    let want = want.map(|rows| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()).map_err(str::to_owned);
    assert_eq!(read.map_err(said), want);
}

fn rows_of(reader: &mut dyn FileSource) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    while let Some(batch) = reader.next()? {
        assert!(batch.rejects.is_empty(), "{:?}", batch.rejects);
        for row in 0..batch.rows.num_rows() {
            let cell = |column: &arrow_array::ArrayRef| {
                let cells = column.as_binary_view();
                let is_null = arrow_array::Array::is_null(cells, row);
                if is_null { "NULL".into() } else { String::from_utf8_lossy(cells.value(row)).into_owned() }
            };
            rows.push(batch.rows.columns().iter().map(cell).collect::<Vec<_>>().join("|"));
        }
    }
    Ok(rows)
}

/// A workbook by its parts.
#[derive(Clone, Copy)]
struct Book<'a> {
    sheets: &'a [(&'a str, &'a str)],
    strings: &'a str,
    styles: &'a str,
    dimension: &'a str,
    is_1904: bool,
    /// Formulas are to be computed when it is opened.
    recalculates: bool,
}

const BOOK: Book<'static> =
    Book { sheets: &[], strings: "", styles: "", dimension: "", is_1904: false, recalculates: false };

/// The workbook refers to texts that it does not have.
const MISSING: &str = "missing";

/// Four names.
const HEADER: &str = "<c t='inlineStr'><is><t>a</t></is></c><c t='inlineStr'><is><t>b</t></is></c>\
    <c t='inlineStr'><is><t>c</t></is></c><c t='inlineStr'><is><t>d</t></is></c>";

impl Book<'_> {
    fn bytes(&self) -> Vec<u8> {
        let (mut sheets, mut links) = (String::new(), String::new());
        let mut files = Vec::new();
        let relation = |id: &str, kind: &str, target: &str| {
            format!(
                "<Relationship Id='{id}' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}' Target='{target}'/>"
            )
        };
        for (i, (name, rows)) in self.sheets.iter().enumerate() {
            let name = name.replace('&', "&amp;");
            sheets += &format!("<sheet name='{name}' sheetId='{i}' r:id='rId{i}'/>");
            links += &relation(&format!("rId{i}"), "worksheet", &format!("worksheets/sheet{i}.xml"));
            let dimension = match self.dimension {
                "" => String::new(),
                range => format!("<dimension ref='{range}'/>"),
            };
            let sheet = format!("<?xml version='1.0'?><worksheet>{dimension}<sheetData>{rows}</sheetData></worksheet>");
            files.push((format!("xl/worksheets/sheet{i}.xml"), sheet));
        }
        links += &relation("s", "styles", "/xl/styles.xml");
        links += &relation("t", "sharedStrings", "sharedStrings.xml");
        let is_1904 = u8::from(self.is_1904);
        let calculation = if self.recalculates { "<calcPr calcId='1' fullCalcOnLoad='1'/>" } else { "" };
        files.push((
            WORKBOOK.into(),
            // Excel writes a second one of that name.
            format!(
                "<workbook><workbookPr date1904='{is_1904}'/><sheets>{sheets}</sheets>{calculation}<extLst><ext>\
                 <x15:workbookPr chartTrackingRefBase='1'/></ext></extLst></workbook>"
            ),
        ));
        files.push((LINKS.into(), format!("<Relationships>{links}</Relationships>")));
        files.push(("xl/styles.xml".into(), format!("<styleSheet>{}</styleSheet>", self.styles)));
        if self.strings != MISSING {
            files.push((
                "xl/sharedStrings.xml".into(),
                format!("<x:sst uniqueCount='99999999999999'>{}</x:sst>", self.strings),
            ));
        }
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, text) in files {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}
