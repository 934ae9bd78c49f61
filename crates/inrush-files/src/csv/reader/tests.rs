//! Dialect and input in, rows, rejects and errors out: one line a case. Every case is read in one go and then in reads of
//! 1 to 7 bytes, with the same result.

use super::*;
use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryViewArray};
use inrush_core::error::Kind;
use inrush_core::write::Separators;
use std::io;

mod random;
mod resume;
mod streams;

// Records and fields.
#[test]
fn lines_end_in_lf_or_crlf() {
    check(rfc(), "a,b\n1,2\n3,4\r\n5,6", &["1|2", "3|4", "5|6"]);
}
#[test]
fn a_lone_cr_is_data() {
    check(rfc(), "a,b\r\n1\r2,\r\n\r,3\r\r\n4,5\r", &["1\r2|", "\r|3\r", "4|5\r"]);
}
#[test]
fn the_last_line_may_lack_its_end() {
    check(rfc(), "a,b\n1,", &["1|"]);
}
#[test]
fn quotes_hold_delimiters_quotes_and_line_ends() {
    check(rfc(), "a,b\n\"1,\"\"x\"\"\n\r\n2\",\"\"\n\"\"\"\",y\n", &["1,\"x\"\n\r\n2|", "\"|y"]);
}
#[test]
fn a_quote_may_end_the_file() {
    check(rfc(), "a,b\n1,\"2\"", &["1|2"]);
    check(rfc(), "a,b\r\n1,\"2\"\r\n", &["1|2"]);
}
#[test]
fn a_quote_within_a_plain_field_is_data() {
    check(rfc(), "a,b\n1\"2\",3\"\n", &["1\"2\"|3\""]);
}
#[test]
fn long_fields_point_into_the_text_or_the_side_buffer() {
    let want = ["a plain field beyond twelve|a \"quoted\" field beyond twelve", "exactly 12 b|exactly 13 by"];
    check(
        rfc(),
        "a,b\na plain field beyond twelve,\"a \"\"quoted\"\" field beyond twelve\"\nexactly 12 b,\"exactly 13 by\"\n",
        &want,
    );
}
#[test]
fn nul_bytes_pass() {
    check(rfc(), "a,b\n\0,1\0\n", &["\0|1\0"]);
}

// Blank lines.
#[test]
fn blank_lines_are_no_records_of_several_columns() {
    check(rfc(), "\n\r\na,b\n\n1,2\n\r\n\n3,4\n\n", &["1|2", "3|4"]);
}
#[test]
fn blank_lines_are_rows_of_one_column() {
    check(rfc(), "\na\n\n1\n\r\n", &["", "1", ""]);
    check(no_header(), "\n1\n", &["", "1"]);
}
#[test]
fn a_blank_is_still_a_field() {
    check(rfc(), "a,b\n \n", &["line 2: expected 2 fields, found 1: \" \\n\""]);
}
#[test]
fn only_blank_lines_are_no_file() {
    check(no_header(), "\n\n\r\n", &[]);
}
#[test]
fn blank_lines_before_a_headless_file_of_several_columns_count_as_lines() {
    check(no_header(), "\n\n1,2\n3\n", &["1|2", "line 4: expected 2 fields, found 1: \"3\\n\""]);
}

// Comments.
fn commented() -> CsvOptions {
    rfc().with_comment(b"#".to_vec())
}
#[test]
fn comments_are_no_records_wherever_they_stand() {
    check(commented(), "# a title\n#\na,b\n#1,2\n1,2\n#\r\n#,\"\n3,4\n# the end", &["1|2", "3|4"]);
    check(no_header().with_comment(b"#".to_vec()), "#x\n\n#y\n1,2\n#3,4\n", &["1|2"]);
    check(commented(), "# nothing else", &[]);
    check(commented(), "a\n#1\n", &[]);
}
#[test]
fn what_is_quoted_indented_or_behind_a_value_is_no_comment() {
    check(commented(), "a,b\n\"#1\",2\n #3,4\n5,6 # six\n\"7\n#8\",9\n", &["#1|2", " #3|4", "5|6 # six", "7\n#8|9"]);
    check(commented(), "\"#a\",b\n1,2\n", &["1|2"]);
}
#[test]
fn comments_count_as_lines() {
    check(
        commented(),
        "#\na,b\n# \"\n1\n#,\n#\n2\n",
        &["line 4: expected 2 fields, found 1: \"1\\n\"", "line 7: expected 2 fields, found 1: \"2\\n\""],
    );
    let options = commented().with_skip(2);
    check(options, "\"\n# a\n#\na,b\n1,2\n", &["1|2"]);
}
#[test]
fn comments_are_no_records_of_a_limit() {
    check(commented().with_limit(2), "a,b\n#\n1,2\n#\n#\n3,4\n5,6\n", &["1|2", "3|4"]);
}
#[test]
fn a_comment_may_begin_with_several_bytes() {
    let options = || rfc().with_comment(b"//".to_vec());
    check(options(), "//a\na,b\n/1,2\n//\n///\n/\n", &["/1|2", "line 6: expected 2 fields, found 1: \"/\\n\""]);
    check(rfc().with_comment("é".as_bytes().to_vec()), "é\na,b\né\n1,2\n", &["1|2"]);
}
#[test]
fn comments_of_dialects_with_an_escape() {
    let options = CsvOptions { quote: None, escape: Some(b'\\'), ..commented() };
    check(options, "a,b\n# \\\n1,2\n\\#3,4\n", &["1|2", "#3|4"]);
}
#[test]
fn comments_where_lines_end_in_cr() {
    let options = CsvOptions { cr_ends: true, ..commented().with_comment(b"##".to_vec()) };
    check(options, "## \"\ra,b\r##,\"\r#1,\"2\r##3\"\r#\"4,x\r", &["#1|2\r##3", "#\"4|x"]);
}
#[test]
fn a_comment_may_be_in_another_encoding() {
    let options = commented();
    check_bytes(options, b"# \xe9\na,b\n#\xff\n1,2\n", &["1|2"]);
}
#[test]
fn a_comment_is_known_by_its_beginning_alone() {
    for (comment, says) in [
        ("", "one character at least"),
        ("a\n", "no line end"),
        ("#,", "has the delimiter in it"),
        ("\"#", "has the quote in it"),
    ] {
        let error = CsvReader::new("x", io::empty(), &rfc().with_comment(comment.as_bytes().to_vec())).err().unwrap();
        assert!(error.kind() == Kind::Config && error.message().contains(says), "{error}");
    }
}

// Empty files.
#[test]
fn nothing_comes_from_nothing() {
    check(rfc(), "", &[]);
    check(no_header(), "", &[]);
}
#[test]
fn a_header_alone_has_no_rows() {
    check(rfc(), "a,b", &[]);
    check(rfc(), "a,b\n", &[]);
}

// Ragged and garbled records.
#[test]
fn ragged_records_are_rejected_and_the_reader_goes_on() {
    check(
        rfc(),
        "a,b\n1,2\n3\n4,5,6\n7,8\n,\n",
        &[
            "1|2",
            "7|8",
            "|",
            "line 3: expected 2 fields, found 1: \"3\\n\"",
            "line 4: expected 2 fields, found 3: \"4,5,6\\n\"",
        ],
    );
}
#[test]
fn lines_are_counted_through_embedded_ones() {
    check(
        rfc(),
        "a,b\n\"x\ny\nz\",1\n2\n\n\"p\r\nq\"\n3,4,\"r\ns\"",
        &[
            "x\ny\nz|1",
            "line 5: expected 2 fields, found 1: \"2\\n\"",
            "line 7: expected 2 fields, found 1: \"\\\"p\\r\\nq\\\"\\n\"",
            "line 9: expected 2 fields, found 3: \"3,4,\\\"r\\ns\\\"\"",
        ],
    );
}
#[test]
fn text_behind_a_closing_quote_is_rejected() {
    check(
        rfc(),
        "a,b\n1,\"x\"y\n\"5\" pipe,\"2\"\n\"a\" \"b\",c\n3,4\n\"z\"\r,9\n",
        &[
            "3|4",
            "line 2, b: text follows the closing quote of field 2: \"1,\\\"x\\\"y\\n\"",
            "line 3, a: text follows the closing quote of field 1: \"\\\"5\\\" pipe,\\\"2\\\"\\n\"",
            "line 4, a: text follows the closing quote of field 1: \"\\\"a\\\" \\\"b\\\",c\\n\"",
            "line 6, a: text follows the closing quote of field 1: \"\\\"z\\\"\\r,9\\n\"",
        ],
    );
}

// Quotes that never close, records that never end.
#[test]
fn an_open_quote_is_named_where_it_opened() {
    check(
        rfc(),
        "a,b\n1,2\n\n3,\n4,\"x\n\n5,6\n",
        &["1|2", "3|", "error at line 5: a quote opens here and never closes"],
    );
    check(rfc(), "a,b\n\"x\ny\",\"z", &["error at line 3: a quote opens here and never closes"]);
    check(rfc(), "a,b\n1,\"z\"\"", &["error at line 2: a quote opens here and never closes"]);
}
#[test]
fn an_open_quote_in_the_header_is_an_error() {
    check(rfc(), "a,\n\"b\n", &["error at line 2: a quote opens here and never closes"]);
    check(rfc(), "\n\na,\"b\n", &["error at line 3: a quote opens here and never closes"]);
}
#[test]
fn a_record_may_be_as_long_as_allowed() {
    let options = CsvOptions { max_record: 8, ..rfc() };
    check(options.clone(), "a\n1234567\n12345678", &["1234567", "12345678"]);
    check(options.clone(), "a\n1\n\"3\n5\"\"8\n", &["1", "error at line 3: a quote opens here and never closes"]);
    check(options.clone(), "a\n1\n12345678\n2\n", &["1", "error at line 3: a record is longer than 8 bytes"]);
    check(
        options.clone(),
        "a\n\"3\n5678\"\n",
        &["error at line 2: a quote opens here and does not close within 8 bytes"],
    );
    check(options.clone(), "a\n\"3\"456789\n", &["error at line 2: a record is longer than 8 bytes"]);
    check(options.clone(), "a\n1,2,3,4,5,6\n", &["error at line 2: a record is longer than 8 bytes"]);
    check(options.clone(), "123456789,\n", &["error at line 1: a record is longer than 8 bytes"]);
    check(options, "\n\"3456789\"\n", &["error at line 2: a quote opens here and does not close within 8 bytes"]);
}

// Dialects.
#[test]
fn any_ascii_byte_may_be_delimiter_and_quote() {
    let options = CsvOptions { delimiter: Some(b'\t'), quote: Some(b'\''), ..rfc() };
    check(options, "a\tb\n'1\t''2'\t\"3,\"\n", &["1\t'2|\"3,\""]);
    let options = CsvOptions { delimiter: Some(0), quote: Some(b' '), ..rfc() };
    check(options, "a\0b\n 1\0  2 \0x\n", &["1\0 2|x"]);
}
#[test]
fn quotes_can_be_turned_off() {
    let options = CsvOptions { quote: None, ..rfc() };
    check(options, "a,b\n\"1,2\"\n", &["\"1|2\""]);
}
#[test]
fn an_escape_works_inside_quotes_only() {
    let options = CsvOptions { escape: Some(b'\\'), ..rfc() };
    check(options, "a,b\n\"1\\\"\\\\\\n\",\\2\"\n\"\"\"\\\n\",\"\\,\"\n", &["1\"\\n|\\2\"", "\"\n|,"]);
}
#[test]
fn an_escape_that_is_the_quote_is_just_the_quote() {
    let options = CsvOptions { escape: Some(b'"'), ..rfc() };
    check(options, "a,b\n\"1\"\"\",2\n", &["1\"|2"]);
}
#[test]
fn an_escaped_quote_does_not_close() {
    let options = CsvOptions { escape: Some(b'\\'), ..rfc() };
    check(options.clone(), "a\n\"1\\\"\n", &["error at line 2: a quote opens here and never closes"]);
    check(options, "a\n\"1\\", &["error at line 2: a quote opens here and never closes"]);
}
#[test]
fn without_quotes_an_escape_means_what_it_means_to_mysql() {
    let options = CsvOptions { delimiter: Some(b'\t'), nulls: nulls(&["\\N"]), ..outfile() };
    check(
        options,
        "a\tb\n\\N\tx\\\ty\n\\0\\n\\t\\\\\\Z\\r\\b\t\\\n\n\\\\N\tlong enough to need a \\\"view\\\"\nx\\N\ty\\\r\nz\t\\",
        &["NULL|x\ty", "\0\n\t\\\x1a\r\x08|\n", "\\N|long enough to need a \"view\"", "xN|y\r", "z|\\"],
    );
}
#[test]
fn a_dialect_that_makes_no_sense_is_refused() {
    let refused = |options| CsvReader::new("x", &b"a\n"[..], &options).map(|_| ()).unwrap_err().message().to_owned();
    let role = |role: &str| format!("the {role} must be one ASCII character other than a line end");
    assert_eq!(refused(CsvOptions { delimiter: Some(0xa7), ..rfc() }), role("delimiter"));
    assert_eq!(refused(CsvOptions { quote: Some(b'\n'), ..rfc() }), role("quote"));
    assert_eq!(refused(CsvOptions { escape: Some(b'\r'), ..rfc() }), role("escape"));
    assert_eq!(refused(CsvOptions { quote: Some(b','), ..rfc() }), "the quote and the delimiter are the same, `,`");
    assert_eq!(refused(CsvOptions { escape: Some(b','), ..rfc() }), "the escape and the delimiter are the same, `,`");
    assert_eq!(
        refused(CsvOptions { batch_rows: Some(0), ..rfc() }),
        "a batch must allow at least one row and one byte"
    );
    let message = "a batch and the longest record must be below 1 GiB together";
    assert_eq!(refused(CsvOptions { max_record: 1 << 30, ..rfc() }), message);
    assert_eq!(refused(CsvOptions { max_record: usize::MAX, ..rfc() }), message);
}

// NULL.
#[test]
fn unquoted_texts_stand_for_null() {
    let options = CsvOptions { nulls: nulls(&["NA", "\\N", "a text beyond twelve"]), ..rfc() };
    check(
        options,
        "a,b\nNA,\"NA\"\n\\N,na\na text beyond twelve,\"a text beyond twelve\"\na text beyond twelv,NAN\n,\"\"\n",
        &["NULL|NA", "NULL|na", "NULL|a text beyond twelve", "a text beyond twelv|NAN", "|"],
    );
}
#[test]
fn an_empty_field_is_null_where_the_use_says_so() {
    check_selected(rfc(), &[(0, true), (1, false)], "a,b\n,\n\"\",\"\"\nx,y\n", &["NULL|", "|", "x|y"]);
    let options = CsvOptions { nulls: nulls(&[""]), ..rfc() };
    check(options, "a,b\n,\"\"\n", &["NULL|"]);
}

// Selection, skip, limit.
#[test]
fn fields_come_in_the_order_of_their_uses() {
    check_selected(
        rfc(),
        &[(2, false), (0, false), (2, true)],
        "a,b,c\n1,2,3\n4,5,\n6,7\n",
        &["3|1|3", "|4|NULL", "line 4: expected 3 fields, found 2: \"6,7\\n\""],
    );
}
#[test]
fn a_selection_of_nothing_still_counts_rows() {
    check_selected(rfc(), &[], "a,b\n1,2\n3,4\n", &["", ""]);
}
#[test]
fn skip_passes_over_lines_at_the_top() {
    let options = CsvOptions { skip: 2, ..rfc() };
    check(
        options.clone(),
        "a \"report\nof 1999,,\na,b\n1,2\n3\n",
        &["1|2", "line 5: expected 2 fields, found 1: \"3\\n\""],
    );
    check(options.clone(), "a,b\n", &[]);
    check(options, "a,b\n1,2", &[]);
}
#[test]
fn limit_counts_records_bad_ones_too() {
    let options = CsvOptions { limit: Some(3), ..rfc() };
    check(options, "a,b\n\n1,2\n\n3\n4,5\n6,7\n\"", &["1|2", "4|5", "line 5: expected 2 fields, found 1: \"3\\n\""]);
    check(CsvOptions { limit: Some(0), ..rfc() }, "a,b\n1,2\n", &[]);
}

// Names.
#[test]
fn names_come_from_the_header_or_are_made_up() {
    assert_eq!(reader(rfc(), "\u{feff}a,\"b \"\"c\"\"\"\r\n1,2\n").names(), ["a", "b \"c\""]);
    assert_eq!(reader(no_header(), "1,,3").names(), ["c1", "c2", "c3"]);
    assert!(reader(rfc(), "").names().is_empty());
}
#[test]
fn a_header_that_is_no_text_is_refused() {
    let error = CsvReader::new("x.csv", &b"a,b\xff\n1,2\n"[..], &rfc()).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the header is not valid UTF-8 (x.csv, line 1)");
    assert_eq!(error.hint(), Some("name the encoding of the file: `--encoding latin1` or another"));
}
#[test]
fn a_garbled_header_is_refused() {
    check(rfc(), "\na,\"b\"c\n", &["error at line 2: text follows the closing quote of field 2"]);
}
/// Lines that end with a carriage return alone, cut anywhere; one in quotes is data.
#[test]
fn lone_carriage_returns() {
    let options = CsvOptions { cr_ends: true, escape: Some(b'\\'), ..rfc() };
    check(options, "a,b\r1,\"x\ry\"\r\"2\"\"\r\",5\" z\r\"\\\"\r\",4\r", &["1|x\ry", "2\"\r|5\" z", "\"\r|4"]);
}

#[track_caller]
fn check(options: CsvOptions, text: &str, want: &[&str]) {
    check_bytes(options, text.as_bytes(), want);
}

#[track_caller]
fn check_bytes(options: CsvOptions, bytes: &[u8], want: &[&str]) {
    check_reads(options, bytes, None, want);
}

#[track_caller]
fn check_selected(options: CsvOptions, uses: &[(usize, bool)], text: &str, want: &[&str]) {
    let uses: Vec<_> =
        uses.iter().map(|&(index, empty_is_null)| FieldUse { index, empty_is_null, ..FieldUse::default() }).collect();
    check_reads(options, text.as_bytes(), Some(&uses), want);
}

#[track_caller]
fn check_reads(options: CsvOptions, bytes: &[u8], uses: Option<&[FieldUse]>, want: &[&str]) {
    for read_bytes in [READ_BYTES, 1, 2, 3, 4, 5, 6, 7] {
        let seen = rows_and_faults(options.clone(), bytes, read_bytes, uses);
        assert_eq!(seen, want, "in reads of {read_bytes} bytes");
    }
}

/// All rows, then all rejects, then the error, if any.
fn rows_and_faults(options: CsvOptions, bytes: &[u8], read_bytes: usize, uses: Option<&[FieldUse]>) -> Vec<String> {
    let error = |e: Error| format!("error at line {}: {}", e.place().map_or(0, |place| place.line), e.message());
    let bytes = Box::new(io::Cursor::new(bytes.to_vec()));
    let made = CsvReader::with(OpenedFile::of_bytes("x", bytes), b',', &options, read_bytes);
    let mut reader = match made {
        Ok(reader) => reader,
        Err(e) => return vec![error(e)],
    };
    if let Some(uses) = uses {
        reader.select(uses);
    }
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    loop {
        match reader.next() {
            Ok(Some(batch)) => {
                rows.extend(rows_of(&batch));
                check_text(&batch);
                faults.extend(batch.rejects.iter().map(|reject| {
                    let column = reject.place.column.as_ref().map(|column| format!(", {column}")).unwrap_or_default();
                    let raw = String::from_utf8_lossy(&reject.raw);
                    format!("line {}{column}: {}: {raw:?}", reject.place.line, reject.reason)
                }));
            }
            Ok(None) => break,
            Err(e) => {
                faults.push(error(e));
                break;
            }
        }
    }
    rows.extend(faults);
    rows
}

/// The values that a batch derives without reading all of its text are those of the text.
#[track_caller]
fn check_text(batch: &Batch) {
    let line = |row| batch.origin.place(row).line;
    let want = match batch.rows.num_rows() {
        0 => (batch.origin.first_line, batch.origin.first_line),
        n_rows => (line(0), line(n_rows - 1)),
    };
    assert_eq!(batch.row_lines(), want);
    assert_eq!(batch.utf8, str::from_utf8(&batch.origin.text).is_ok());
    if let Some(separators) = batch.origin.verbatim {
        let columns = || batch.rows.columns().iter().map(|column| column.as_binary_view());
        if columns().all(|column| column.null_count() == 0) {
            let row = |row| columns().map(|column| column.value(row).to_vec()).collect();
            let rows: Vec<Vec<Vec<u8>>> = (0..batch.rows.num_rows()).map(row).collect();
            assert_eq!(load_data(&batch.origin.text, separators), rows);
        }
    }
}

// Text that consists of its rows only.
#[test]
fn plain_lines_are_verbatim() {
    check_verbatim(rfc(), "a,b\n1,2\n3,\n", &[0, 1], Some((b',', None)));
    check_verbatim(CsvOptions { delimiter: Some(b';'), ..no_header() }, "1;2\n3;a\"b\n", &[0, 1], Some((b';', None)));
    check_verbatim(rfc(), "a\n\n1\n", &[0], Some((b',', None)));
    check_verbatim(CsvOptions { quote: None, ..no_header() }, "\"1\",2\n", &[0, 1], Some((b',', None)));
    check_verbatim(escaped(), "a,b\n1,2\\\n", &[0, 1], Some((b',', None)));
}
#[test]
fn quoted_fields_are_verbatim() {
    check_verbatim(rfc(), "a,b\n1,\"2\"\n", &[0, 1], Some((b',', Some(b'"'))));
    check_verbatim(rfc(), "a,b\n\"1\n\",\",\"\"\"\n3,4\n", &[0, 1], Some((b',', Some(b'"'))));
    check_verbatim(rfc(), "\"a\",\"b\"\n1,2\n", &[0, 1], Some((b',', None)));
    check_verbatim(CsvOptions { quote: Some(b'\''), ..no_header() }, "'1',\"\n", &[0, 1], Some((b',', Some(b'\''))));
}
#[test]
fn other_lines_are_not() {
    check_verbatim(rfc(), "a,b\r\n1,2\r\n", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1\r,2\n", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1,2\n3,4", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1,\"2\"\n3,\"4\"", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1,2\n\n", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n\"1\n\",2\n\n", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1,2\n3\n", &[0, 1], None);
    check_verbatim(rfc(), "a,b\n1,2\n\"3\"4,5\n", &[0, 1], None);
    check_verbatim(outfile(), "a,b\n1,2\n", &[0, 1], None);
    check_verbatim(escaped(), "a,b\n1,\"2\"\n", &[0, 1], None);
}
#[test]
fn fields_left_out_or_moved_are_not() {
    check_verbatim(rfc(), "a,b\n1,2\n", &[0], None);
    check_verbatim(rfc(), "a,b\n1,2\n", &[1, 0], None);
    check_verbatim(rfc(), "a,b\n1,2\n", &[0, 1, 1], None);
}

/// `want`: the separator of fields, and the quote.
#[track_caller]
fn check_verbatim(options: CsvOptions, text: &str, uses: &[usize], want: Option<(u8, Option<u8>)>) {
    let mut reader = reader(options, text);
    let use_ = |&index| FieldUse { index, empty_is_null: false, ..FieldUse::default() };
    reader.select(&uses.iter().map(use_).collect::<Vec<_>>());
    let batch = reader.next().unwrap().unwrap();
    check_text(&batch);
    let separators = batch.origin.verbatim;
    assert_eq!(separators.map(|it| (it.terminated_by, it.enclosed_by)), want);
}

/// The rows that LOAD DATA reads from a text, byte by byte as the manual describes.
fn load_data(text: &[u8], Separators { terminated_by, enclosed_by }: Separators) -> Vec<Vec<Vec<u8>>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = text.iter().copied().peekable();
    let (mut begins, mut enclosed) = (true, false);
    while let Some(byte) = bytes.next() {
        let is_quote = Some(byte) == enclosed_by;
        match byte {
            _ if begins && is_quote => enclosed = true,
            _ if enclosed && is_quote && bytes.next_if_eq(&byte).is_none() => enclosed = false,
            _ if !enclosed && (byte == terminated_by || byte == b'\n') => {
                row.push(std::mem::take(&mut field));
                if byte == b'\n' {
                    rows.push(std::mem::take(&mut row));
                }
                begins = true;
                continue;
            }
            _ => field.push(byte),
        }
        begins = false;
    }
    assert!(row.is_empty() && field.is_empty(), "a row without an end");
    rows
}

/// The rows of a batch: fields between bars.
fn rows_of(batch: &Batch) -> Vec<String> {
    let rows = &batch.rows;
    let text = |column: usize, row: usize| {
        let column = rows.column(column).as_any().downcast_ref::<BinaryViewArray>().unwrap();
        match column.is_null(row) {
            true => "NULL".to_owned(),
            false => String::from_utf8_lossy(column.value(row)).into_owned(),
        }
    };
    (0..rows.num_rows())
        .map(|row| (0..rows.num_columns()).map(|column| text(column, row)).collect::<Vec<_>>().join("|"))
        .collect()
}

fn reader(options: CsvOptions, text: &str) -> CsvReader {
    CsvReader::new("x", io::Cursor::new(text.as_bytes().to_vec()), &options).unwrap()
}

fn rfc() -> CsvOptions {
    CsvOptions::default()
}

fn no_header() -> CsvOptions {
    CsvOptions { header: false, ..rfc() }
}

fn outfile() -> CsvOptions {
    CsvOptions { quote: None, escape: Some(b'\\'), ..rfc() }
}

fn escaped() -> CsvOptions {
    CsvOptions { escape: Some(b'\\'), ..rfc() }
}

fn nulls(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
