//! Every text is cut at once and in growing parts, in large and in tiny windows, and must come to what the splitter, record by
//! record, makes of it.

use super::*;
use crate::dialect::CsvOptions;
use proptest::prelude::*;

#[test]
fn line_feeds_end_records() {
    check(&plain(), "a,b\n1,2\r\n3,4", (3, 2));
}
#[test]
fn quotes_hold_line_feeds() {
    check(&plain(), "\"a\n\",b\n\"\"\"\n\"\"\",\"\"\n", (2, 4));
}
#[test]
fn a_quote_within_a_field_is_text() {
    check(&plain(), "a\"b\"c,d\n\"\n", (1, 1));
    check(&plain(), "a\",\"b\n\"\n", (1, 2));
    check(&plain(), " \"\n\"\n", (1, 1));
}
#[test]
fn text_behind_a_closing_quote_may_hold_quotes() {
    check(&plain(), "\"a\"b\"\nc,\"d\"\"\"e\"f\n", (2, 2));
    check(&plain(), "\"\"\"\"\"\"\"\n,\n\"\n", (1, 3));
}
#[test]
fn blank_lines_are_no_records_of_several_fields() {
    check(&plain(), "\n\na,b\n\r\n\r\nc,d\n\n\ne,f\r\n\n", (3, 10));
    check(&one_field(), "\n\na\n\r\n", (4, 4));
}
#[test]
fn without_quotes_only_line_feeds_count() {
    let rules = Case { options: CsvOptions { quote: None, ..CsvOptions::default() }, ..plain() };
    check(&rules, "\"a\n\",\"\n", (2, 2));
}
#[test]
fn comments_are_no_records() {
    let case = Case { options: CsvOptions::default().with_comment(b"#".to_vec()), ..plain() };
    check(&case, "#\n# \"\na,b\n\"#\n#\",\n#", (2, 5));
    check(&Case { max_bytes: 8, ..case.clone() }, "a,b\n#\n#\nc,d\n", (1, 3));
    check(&Case { max_records: 1, ..case.clone() }, "#\na,b\n#\nc,d\n", (1, 2));
    check(&Case { max_record: 4, ..case }, "#\na,b\n#2345\n", (1, 2));
}
#[test]
fn limits_end_a_raw_chunk() {
    check(&Case { max_records: 2, ..plain() }, "a,b\n\nc,d\n\ne,f\n", (2, 3));
    check(&Case { max_bytes: 8, ..plain() }, "a,b\nc,d\ne,f\n", (2, 2));
    check(&Case { max_bytes: 7, ..plain() }, "a,b\nc,d\ne,f\n", (1, 1));
    check(&Case { max_bytes: 1, ..plain() }, "a,b\nc,d\n", (1, 1));
    check(&Case { max_record: 4, ..plain() }, "a,b\ncc,d\n", (1, 1));
    check(&Case { max_records: 0, ..plain() }, "a,b\n", (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever the text and the dialect.
    #[test]
    fn agrees_with_the_splitter(
        text in prop_oneof![quotes_and_ends(), mostly_plain()],
        case in cases(),
        window in 1usize..70,
        parts in prop::collection::vec(0usize..30, 0..8),
    ) {
        prop_assert_eq!(cut(&case, &text, window, &parts), oracle(&case, &text));
    }
}

fn quotes_and_ends() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"aa\"\"\",,\n\n\r\\".to_vec()), 0..120)
}

/// Windows without quotes, so that the fast path is taken.
fn mostly_plain() -> impl Strategy<Value = Vec<u8>> {
    let field =
        prop_oneof![20 => Just("abc,de"), 10 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\"x\n\""), 1 => Just("\"")];
    prop::collection::vec(field, 0..80).prop_map(|fields| fields.concat().into_bytes())
}

fn cases() -> impl Strategy<Value = Case> {
    let quote = prop::sample::select(vec![Some(b'"'), Some(b'"'), Some(b'a'), None]);
    let escape = prop::sample::select(vec![None, None, None, Some(b'\\'), Some(b'"')]);
    let limit = || prop_oneof![Just(1 << 20), 1usize..50];
    let comment =
        prop::sample::select(vec![None, None, Some(b"a".to_vec()), Some(b"aa".to_vec()), Some(b"\\".to_vec())]);
    let limits = (limit(), limit(), limit());
    (quote, escape, comment, 1usize..3, limits).prop_map(|(quote, escape, comment, width, (record, bytes, records))| {
        let comment = comment.filter(|text| !text.iter().any(|byte| [quote, escape].contains(&Some(*byte))));
        Case {
            options: CsvOptions { quote, escape, comment, ..CsvOptions::default() },
            width,
            max_record: record,
            max_bytes: bytes,
            max_records: records as u64,
        }
    })
}

#[derive(Clone, Debug)]
struct Case {
    options: CsvOptions,
    width: usize,
    max_record: usize,
    max_bytes: usize,
    max_records: u64,
}

fn plain() -> Case {
    Case { options: CsvOptions::default(), width: 2, max_record: 1 << 20, max_bytes: 1 << 20, max_records: 1 << 20 }
}

fn one_field() -> Case {
    Case { width: 1, ..plain() }
}

impl Case {
    fn rules<'a>(&self, dialect: &'a Dialect) -> Rules<'a> {
        let Case { width, max_record, max_bytes, max_records, .. } = *self;
        Rules { dialect, blank_is_record: width == 1, max_record, max_records, max_bytes }
    }
}

/// Records and lines that are cut from a text; windows and parts change nothing.
#[track_caller]
fn check(case: &Case, text: &str, want: (u64, u64)) {
    let whole = oracle(case, text.as_bytes());
    assert_eq!((whole.1, whole.2), want);
    for window in [1, 2, 3, 5, 8, WINDOW] {
        for step in 1..text.len() + 1 {
            assert_eq!(cut(case, text.as_bytes(), window, &vec![step; text.len() / step]), whole, "{window} {step}");
        }
    }
}

/// The end of the chunk, its records, its lines, and why it ends.
type Outcome = (usize, u64, u64, Stop);

/// In parts of so many bytes, then what is left of it.
fn cut(case: &Case, text: &[u8], window: usize, parts: &[usize]) -> Outcome {
    let dialect = Dialect::new(&case.options, b',').unwrap();
    let mut cut = Cut::in_windows_of(window);
    let mut seen = 0;
    for part in parts {
        seen = text.len().min(seen + part);
        let stop = cut.advance(case.rules(&dialect), &text[..seen], false);
        if !matches!(stop, Stop::Incomplete { .. }) {
            return (cut.end, cut.records, cut.lines, same(stop, cut.end));
        }
    }
    let stop = cut.advance(case.rules(&dialect), text, true);
    (cut.end, cut.records, cut.lines, same(stop, cut.end))
}

/// The same by the splitter alone, record by record.
fn oracle(case: &Case, text: &[u8]) -> Outcome {
    let dialect = Dialect::new(&case.options, b',').unwrap();
    let mut splitter = Splitter::new(&dialect, text, 0, true);
    let (mut at, mut records) = (0, 0);
    let stop = loop {
        if records >= case.max_records {
            break Stop::Full;
        }
        if at == text.len() {
            break Stop::Incomplete { open_quote: None };
        }
        let found = splitter.record(at, case.width, &mut Fields::default());
        let end = match found {
            SplitRecord::Record { end, .. } | SplitRecord::Comment { end } => end,
            SplitRecord::Incomplete { .. } => text.len(),
        };
        if end > case.max_bytes && at > 0 {
            break Stop::Full;
        }
        if end - at > case.max_record {
            break Stop::TooLong;
        }
        match found {
            SplitRecord::Record { .. } => records += u64::from(case.width == 1 || !is_blank(&text[at..end])),
            SplitRecord::Comment { .. } => {}
            SplitRecord::Incomplete { open_quote } => break Stop::Incomplete { open_quote },
        }
        at = end;
    };
    // At the text's end there may be room or not: both mean that this is all.
    let stop = if at == text.len() && at > case.max_bytes && records < case.max_records { Stop::Full } else { stop };
    (at, records, count_lines(&text[..at]), same(stop, at))
}

/// A record that is too long is reported when it is the first of a chunk. Before, the chunk may end because of its size.
fn same(stop: Stop, end: usize) -> Stop {
    if stop == Stop::TooLong && end > 0 { Stop::Full } else { stop }
}
