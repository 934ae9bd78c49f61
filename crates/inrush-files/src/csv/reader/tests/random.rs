//! Random texts: against the `csv` crate, and against ourselves with the bytes arriving in other portions.

use super::*;
use crate::csv::cut::is_blank;
use proptest::prelude::*;

/// Compares the rows with those of the `csv` crate. Returns the number of our faults, and of the crate's records of another width.
fn compare(
    oracle: &mut csv::ReaderBuilder,
    options: CsvOptions,
    text: &str,
    read_bytes: usize,
) -> Result<(usize, usize), TestCaseError> {
    let mut oracle = oracle.has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<Vec<String>> =
        oracle.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
    let width = records.first().map_or(0, Vec::len);
    // The crate skips blank lines for every width.
    prop_assume!(width != 1);
    let ours = rows_and_faults(options, text.as_bytes(), read_bytes, None);
    let (faults, rows): (Vec<_>, Vec<_>) = ours.into_iter().partition(|line| line.starts_with("line "));
    let (good, odd): (Vec<_>, Vec<_>) = records.iter().partition(|record| record.len() == width);
    prop_assert_eq!(rows, good.iter().map(|record| record.join("|")).collect::<Vec<_>>());
    Ok((faults.len(), odd.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// RFC 4180 input, written by us, read by the `csv` crate and by us.
    #[test]
    fn reads_what_the_csv_crate_reads(text in rfc_4180(), batch_rows in 1usize..5, read_bytes in 1usize..80) {
        let options = CsvOptions { batch_rows: Some(batch_rows), header: false, ..rfc() };
        let (n_faults, n_odd) = compare(&mut csv::ReaderBuilder::new(), options, &text, read_bytes)?;
        prop_assert_eq!(n_faults, n_odd);
    }

    /// The same with comments.
    #[test]
    fn skips_the_comments_that_the_csv_crate_skips(text in with_comments(), batch_bytes in 1usize..60, read_bytes in 1usize..80) {
        let options = CsvOptions { batch_bytes, header: false, ..rfc().with_comment(b"#".to_vec()) };
        compare(csv::ReaderBuilder::new().comment(Some(b'#')), options, &text, read_bytes)?;
    }

    /// Whatever the bytes and the dialect: no panic, an end, and the same outcome for every way the bytes arrive.
    #[test]
    fn any_bytes_in_any_dialect_come_to_the_same(bytes in messy(), options in any_dialect(), read_bytes in 1usize..9) {
        let whole = rows_and_faults(options.clone(), &bytes, 1 << 18, None);
        prop_assert_eq!(rows_and_faults(options, &bytes, read_bytes, None), whole);
    }

    /// Every byte after the header is in exactly one batch, and every record in its row or reject.
    #[test]
    fn no_byte_is_lost(bytes in messy(), batch_bytes in 1usize..40) {
        let options = CsvOptions { batch_bytes, quote: None, header: false, ..rfc() };
        let mut reader = CsvReader::with(OpenedFile::of_bytes("x", io::Cursor::new(bytes.clone())), b',', &options, 5).unwrap();
        let mut seen = 0;
        while let Some(batch) = reader.next().unwrap() {
            let rows: usize = (0..batch.rows.num_rows()).map(|row| batch.origin.raw(row).len()).sum();
            seen += rows + batch.rejects.iter().map(|reject| reject.raw.len()).sum::<usize>();
        }
        let blank = if reader.names().len() == 1 { 0 } else { blank_bytes(&bytes) };
        if !reader.names().is_empty() {
            prop_assert_eq!(seen + blank, bytes.len());
        }
    }
}

fn blank_bytes(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| is_blank(line)).map(<[u8]>::len).sum()
}

fn rfc_4180() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => "[a-z0-9 ']{0,16}",
        2 => "[a-z,\"\n\r]{0,40}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\""))),
    ];
    // Now and then a field more or less than the others.
    let width = prop_oneof![8 => Just(3usize), 1 => 1usize..6];
    let record = width
        .prop_flat_map(move |width| prop::collection::vec(field.clone(), width))
        .prop_map(|fields| fields.join(","));
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    prop::collection::vec((record, end), 0..30)
        .prop_map(|records| records.into_iter().map(|(record, end)| record + end).collect())
}

/// Lines that begin with `#`, some of them within quotes.
fn with_comments() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "[#a-z]{1,4},[#a-z ']{0,16}\n",
        2 => "\"[#a,\n]{0,9}\",\"#[#a,\n]{0,9}\"\r\n",
        3 => "#[#a\", ]{0,30}\r?\n",
        1 => Just("\n".to_owned()),
    ];
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.concat())
}

pub(super) fn messy() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"a1##\",,;\\\n\n\r\0\xff\xe9".to_vec()), 0..200)
}

pub(super) fn any_dialect() -> impl Strategy<Value = CsvOptions> {
    let quote = prop::sample::select(vec![None, Some(b'"'), Some(b'1')]);
    let escape = prop::sample::select(vec![None, Some(b'\\'), Some(b'"')]);
    let encoding = prop::sample::select(vec![None, Some(encoding_rs::SHIFT_JIS), Some(encoding_rs::UTF_16LE)]);
    let sizes = (1usize..9, 1usize..60, 1usize..60, 0u64..3, prop::option::of(0u64..9));
    let comment = prop::sample::select(vec![None, Some("#"), Some("##"), Some("#a")]);
    (quote, escape, encoding, comment, any::<bool>(), sizes).prop_map(
        |(quote, escape, encoding, comment, header, (batch_rows, batch_bytes, max_record, skip, limit))| CsvOptions {
            quote,
            escape,
            encoding,
            comment: comment.map(|text| text.as_bytes().to_vec()),
            header,
            batch_rows: Some(batch_rows),
            batch_bytes,
            max_record,
            skip,
            limit,
            nulls: nulls(&["a", ""]),
            delimiter: None,
            memory: 1 << 20,
            ..CsvOptions::default()
        },
    )
}
