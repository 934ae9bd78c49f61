//! What a stream does to the reader: encodings, where batches are cut, samples, errors, and bytes without an end.

use super::*;

// Encodings.
#[test]
fn a_byte_order_mark_is_swallowed() {
    check(rfc(), "\u{feff}a,b\n\u{feff}1,2\n", &["\u{feff}1|2"]);
    check(no_header(), "\u{feff}1,2", &["1|2"]);
}
#[test]
fn utf_16_is_known_by_its_mark() {
    for big in [false, true] {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let bytes: Vec<u8> = "\u{feff}a,b\r\nÅ,\"𝄞\n\"\n".encode_utf16().flat_map(unit).collect();
        check_bytes(rfc(), &bytes, &["Å|𝄞\n"]);
        let cut = &bytes[..bytes.len() - 1];
        let encoding = if big { "UTF-16BE" } else { "UTF-16LE" };
        let fault = format!("line 2: the text is not valid {encoding}: \"Å,\\\"𝄞\\n\\\"�\"");
        check_bytes(rfc(), cut, &[&fault]);
    }
}
#[test]
fn other_encodings_are_decoded() {
    let latin = CsvOptions { encoding: Some(encoding_rs::WINDOWS_1252), ..rfc() };
    check_bytes(latin, b"a,b\ncaf\xe9,\x80\n", &["café|€"]);
}
#[test]
fn rows_with_malformed_text_are_rejected() {
    let options = CsvOptions { encoding: Some(encoding_rs::SHIFT_JIS), ..rfc() };
    check_bytes(
        options.clone(),
        b"a,b\n\x83e,1\n2,\xff\xff\n3,4\n\xa0,\"x\ny\"\n5\n",
        &[
            "テ|1",
            "3|4",
            "line 3: the text is not valid Shift_JIS: \"2,��\\n\"",
            "line 5: the text is not valid Shift_JIS: \"�,\\\"x\\ny\\\"\\n\"",
            "line 7: expected 2 fields, found 1: \"5\\n\"",
        ],
    );
    check_bytes(options, b"a,\xff\n", &["error at line 1: the header is not valid Shift_JIS"]);
}
#[test]
fn utf_8_is_judged_by_the_batch() {
    let batch = |text: &'static [u8]| CsvReader::new("x", text, &rfc()).unwrap().next().unwrap().unwrap();
    assert!(batch("a\ncafé\n".as_bytes()).utf8);
    let invalid = batch(b"a\nx\xff\n");
    assert!(!invalid.utf8 && invalid.rejects.is_empty() && invalid.rows.num_rows() == 1);
}

// Batches.
#[test]
fn batches_are_cut_by_rows_and_by_bytes() {
    let cut = |rows, bytes, text: &str| -> Vec<(u64, u64, usize, String)> {
        let mut options = CsvOptions { batch_rows: Some(rows), batch_bytes: bytes, ..rfc() };
        options.nulls.clear();
        let first = batches(options.clone(), text, usize::MAX);
        for read_bytes in 1..=7 {
            assert_eq!(batches(options.clone(), text, read_bytes), first, "in reads of {read_bytes}");
        }
        first
    };
    let batch = |record, line, rows, text: &str| (record, line, rows, text.to_owned());
    let text = "a,b\n1,2\n3,4\n\n5\n\"6\n\",7\n8,9\n";
    assert_eq!(
        cut(2, 100, text),
        [batch(1, 2, 2, "1,2\n3,4\n"), batch(3, 4, 1, "\n5\n\"6\n\",7\n"), batch(5, 8, 1, "8,9\n")]
    );
    assert_eq!(
        cut(9, 8, text),
        [batch(1, 2, 2, "1,2\n3,4\n"), batch(3, 4, 0, "\n5\n"), batch(4, 6, 1, "\"6\n\",7\n"), batch(5, 8, 1, "8,9\n")]
    );
    assert_eq!(cut(9, 1, "a\nlong\n1\n\n"), [batch(1, 2, 1, "long\n"), batch(2, 3, 1, "1\n"), batch(3, 4, 1, "\n")]);
    let blank = format!("a,b\n{}1,2\n", "\n".repeat(50));
    assert_eq!(cut(9, 8, &blank).last(), Some(&batch(1, 50, 1, "\n\n1,2\n")));
}
#[test]
fn a_row_knows_its_line_and_its_text() {
    let batch = reader(rfc(), "a,b\n\n1,2\n3\n\"x\ny\",4\r\n5,6").next().unwrap().unwrap();
    let origin = &batch.origin;
    let seen: Vec<_> = (0..3).map(|row| (origin.place(row).line, str::from_utf8(origin.raw(row)).unwrap())).collect();
    assert_eq!(seen, [(3, "1,2\n"), (5, "\"x\ny\",4\r\n"), (7, "5,6")]);
}
#[test]
fn a_sample_consumes_nothing() {
    let mut reader = reader(rfc(), "a,b,c\n1,,NA\n2\n3,\"4\n5\",\"\"\n6,7,8\n");
    reader.select(&[FieldUse { index: 1, empty_is_null: false, ..FieldUse::default() }]);
    let sample = reader.sample(21).unwrap();
    assert_eq!(rows_of(&sample), ["1|NULL|NA", "3|4\n5|"]);
    assert_eq!((sample.rejects.len(), sample.rejects[0].place.line), (1, 3));
    assert_eq!(rows_of(&reader.sample(0).unwrap()), ["1|NULL|NA"]);
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(rows_of(&batch), ["", "4\n5", "7"]);
    assert_eq!((batch.origin.first_line, batch.origin.first_record), (2, 1));
    assert!(reader.next().unwrap().is_none());
    assert_eq!(reader.sample(100).unwrap().rows.num_rows(), 0);
}
#[test]
fn an_empty_file_has_an_empty_sample() {
    for text in ["", "\n\n"] {
        let mut reader = reader(rfc(), text);
        assert_eq!(reader.sample(100).unwrap().rows.num_rows(), 0);
        assert_eq!(reader.infer_types(100).unwrap(), []);
        assert!(reader.next().unwrap().is_none());
    }
}
#[test]
fn a_sample_leaves_errors_to_next() {
    let mut reader = reader(rfc(), "a,b\n1,2\n\"");
    assert_eq!(rows_of(&reader.sample(100).unwrap()), ["1|2"]);
    assert_eq!(rows_of(&reader.next().unwrap().unwrap()), ["1|2"]);
    assert_eq!(reader.next().unwrap_err().message(), "a quote opens here and never closes");
}

// Bytes that fail or never end.
#[test]
fn a_read_error_comes_after_the_rows_before_it() {
    let bytes = io::Cursor::new(b"a,b\n1,2\n3,").chain(Failing(io::ErrorKind::NotConnected));
    let mut reader = CsvReader::new("x", bytes, &rfc()).unwrap();
    assert_eq!(rows_of(&reader.next().unwrap().unwrap()), ["1|2"]);
    let error = reader.next().unwrap_err();
    assert!(error.message().starts_with("cannot read `x` beyond byte 10 of its text"), "{error}");
}
#[test]
fn a_read_error_in_the_header_is_an_error() {
    let bytes = io::Cursor::new(b"a,b").chain(Failing(io::ErrorKind::NotConnected));
    assert!(CsvReader::new("x", bytes, &rfc()).is_err());
}
#[test]
fn an_endless_quote_takes_bounded_memory() {
    let max_record = 1 << 20;
    for text in ["a\n1\n\"", "a\n1\nx"] {
        let (bytes, meter) = endless(text);
        let mut reader = CsvReader::new("x", bytes, &CsvOptions { max_record, ..rfc() }).unwrap();
        assert_eq!(rows_of(&reader.next().unwrap().unwrap()), ["1"]);
        assert_eq!(reader.next().unwrap_err().place().unwrap().line, 3);
        assert!(meter.bytes_read() < 4 << 20, "read {} bytes of a record of at most {max_record}", meter.bytes_read());
    }
    let (bytes, meter) = endless("\"");
    assert!(CsvReader::new("x", bytes, &CsvOptions { max_record, ..rfc() }).is_err());
    assert!(meter.bytes_read() < 4 << 20);
}

fn batches(options: CsvOptions, text: &str, read_bytes: usize) -> Vec<(u64, u64, usize, String)> {
    let bytes = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
    let read_bytes = read_bytes.min(READ_BYTES);
    let mut reader = CsvReader::with(OpenedFile::of_bytes("x", bytes), b',', &options, read_bytes).unwrap();
    let mut seen = Vec::new();
    while let Some(batch) = reader.next().unwrap() {
        let origin = &batch.origin;
        let text = String::from_utf8(origin.text.to_vec()).unwrap();
        seen.push((origin.first_record, origin.first_line, batch.rows.num_rows(), text));
    }
    seen
}

struct Failing(io::ErrorKind);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

fn endless(start: &'static str) -> (impl Read + Send + 'static, Arc<Meter>) {
    let meter = Meter::new(None);
    let bytes = io::Cursor::new(start.as_bytes()).chain(io::repeat(b'x'));
    (crate::input::Metered::new(bytes, meter.clone()), meter)
}
