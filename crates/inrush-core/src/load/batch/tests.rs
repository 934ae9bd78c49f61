use crate::load::batch::*;

fn origin() -> Origin {
    Origin {
        source: "a.csv".into(),
        first_record: 1,
        first_line: 2,
        span: 4..14,
        text: Buffer::from(&b"a\n\"b\nb\"\nc\n"[..]),
        lines: 4,
        verbatim: None,
        record_starts: vec![0, 2, 8],
        record_ends: vec![2, 8, 10],
        stood: None,
    }
}

#[test]
fn a_row_is_found_again() {
    let origin = origin();
    let found: Vec<_> = (0..3).map(|row| (origin.place(row).line, origin.raw(row))).collect();
    assert_eq!(found, [(2, &b"a\n"[..]), (3, &b"\"b\nb\"\n"[..]), (5, &b"c\n"[..])]);
}

fn batch() -> Batch {
    let column: ArrayRef = Arc::new(BinaryViewArray::from(vec![&b"a"[..], b"b\nb", b"c"]));
    let rows = RecordBatch::try_from_iter([("a", column)]).unwrap();
    Batch { rows, utf8: true, known: Vec::new(), origin: origin(), rejects: Vec::new() }
}

fn reject(line: u64) -> Reject {
    let place = Place { source: "a.csv".into(), line, column: None };
    Reject::new(place, "no", Default::default(), [])
}

/// Cuts before `row`. Checks that the parts cover the same range as before, and that each row and reject keeps its place.
#[track_caller]
fn check_cut(batch: &Batch, row: usize, want: [(Range<u64>, u64, u64, u64); 2]) {
    let (first, second) = batch.cut(row).unwrap();
    let shape =
        |part: &Batch| (part.origin.span.clone(), part.origin.first_record, part.origin.first_line, part.records());
    assert_eq!([&first, &second].map(shape), want);
    let of_parts = |of: fn(&Batch, usize) -> (u64, Vec<u8>)| -> Vec<_> {
        [&first, &second]
            .into_iter()
            .flat_map(|part| (0..part.rows.num_rows()).map(|i| of(part, i)).collect::<Vec<_>>())
            .collect()
    };
    let of = |part: &Batch, i: usize| (part.origin.place(i).line, part.origin.raw(i).to_vec());
    assert_eq!(of_parts(of), (0..batch.rows.num_rows()).map(|i| of(batch, i)).collect::<Vec<_>>());
    assert_eq!(first.origin.lines + second.origin.lines, batch.origin.lines);
    assert_eq!([&*first.rejects, &*second.rejects].concat(), batch.rejects);
}

#[test]
fn a_cut_batch_is_two_raw_chunks() {
    check_cut(&batch(), 1, [(4..6, 1, 2, 1), (6..14, 2, 3, 2)]);
    check_cut(&batch(), 2, [(4..12, 1, 2, 2), (12..14, 3, 5, 1)]);
}
#[test]
fn rejects_stay_on_their_side() {
    // The record on line 3 never became a row.
    let mut batch = batch();
    batch.rows = batch.rows.slice(0, 2);
    batch.origin = Origin { record_starts: vec![0, 8], record_ends: vec![2, 10], ..origin() };
    batch.rejects = vec![reject(3)];
    check_cut(&batch, 1, [(4..12, 1, 2, 2), (12..14, 3, 5, 1)]);
}
#[test]
fn what_is_no_text_is_cut_by_rows() {
    let mut batch = batch();
    batch.origin = Origin {
        text: Buffer::from(&b""[..]),
        record_starts: vec![],
        record_ends: vec![],
        span: 10..13,
        first_record: 11,
        lines: 0,
        ..origin()
    };
    check_cut(&batch, 2, [(10..12, 11, 2, 2), (12..13, 13, 2, 1)]);
}
#[test]
fn one_row_cannot_be_cut() {
    assert!(batch().cut(0).is_none() && batch().cut(3).is_none());
}

#[test]
fn a_line_of_csv_can_be_read_back() {
    let line = |cells: &[Option<&str>]| String::from_utf8(csv_line(cells.iter().copied())).unwrap();
    assert_eq!(line(&[Some("1"), None, Some(""), Some("\\N")]), "1,\\N,\"\",\"\\N\"\n");
    assert_eq!(
        line(&[Some("a,b"), Some("say \"hi\""), Some("two\nlines")]),
        "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n"
    );
}

#[test]
fn many_rows_are_found_in_one_pass() {
    let origin = origin();
    for rows in [&[0, 1, 2][..], &[2], &[1, 1, 2], &[2, 0]] {
        let mut places = origin.places();
        for &row in rows {
            assert_eq!(places.of(row), origin.place(row), "{rows:?}");
        }
    }
}
