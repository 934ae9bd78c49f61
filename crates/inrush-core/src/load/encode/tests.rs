//! Checked cells as literals, each form by a one-line case, and where statements are cut; a round trip of texts through a reader
//! of SQL literals; and the same cells bound, read back from the bytes that would be sent.

use crate::column::Rules;
use crate::column::check::{Check, CheckedColumn};
use crate::column::{Column, ColumnType};
use crate::convert::BoundRows;
use crate::load::encode::{Layout, is_bindable};
use crate::wire::{Cursor, ServerVersion};
use crate::write::Computed;
use crate::write::expression::Part;
use crate::write::row_source::*;
use crate::write::text::MultiRow;
use crate::write::{Bulk, Command, Limits, MultiRowPrepared, Next, Writer};
use arrow_array::BinaryViewArray;
use proptest::prelude::*;

const HEAD: &str = "INSERT INTO `d`.`t` (`c`) VALUES ";
const NO_LIMITS: Limits = Limits { bytes: usize::MAX, max_bytes: usize::MAX, rows: usize::MAX };

fn rules() -> Rules {
    Rules::utc(ServerVersion::parse("9.7.4"))
}

fn column(ty: &str) -> Column {
    Column { charset: None, ..Column::new("c", ColumnType::parse(ty)) }
}

fn checked(ty: &str, cells: &[Option<&[u8]>]) -> CheckedColumn {
    let cells = BinaryViewArray::from_iter(cells.iter().copied());
    Check::new(&column(ty), &rules()).run(&cells, true, &mut Vec::new())
}

/// All statements, each with the rows of the batch that are in it.
fn all(writer: &mut dyn Writer, rows: &CheckedRows<'_>) -> Vec<(Vec<usize>, Next)> {
    let (mut commands, mut at) = (Vec::new(), 0);
    while at < rows.n_rows() {
        let next = writer.next(RowSource::Checked(rows), at..rows.n_rows(), Vec::new()).unwrap();
        let n_rows = if let Next::Command { n_rows, .. } = &next { *n_rows } else { 1 };
        commands.push(((at..at + n_rows).map(|row| rows.row_of_batch(row)).collect(), next));
        at += n_rows;
    }
    commands
}

/// The same of one column as text.
fn texts(columns: &[Column], cells: &[CheckedColumn], skip: &[u32], limits: Limits) -> Vec<(Vec<usize>, String)> {
    let insert = Layout::plain(columns).insert("INSERT INTO", "`d`.`t`", "");
    let rows = CheckedRows::new(cells, cells[0].cells.views().len(), skip, &insert.uses);
    let text = |next| match next {
        Next::Command { command, .. } => String::from_utf8(command.into_buffer()).unwrap(),
        Next::TooLong { bytes } => format!("too long: {bytes}"),
    };
    let mut writer = MultiRow::of_insert(&insert, limits, true);
    all(&mut writer, &rows).into_iter().map(|(rows, next)| (rows, text(next))).collect()
}

#[track_caller]
fn check(ty: &str, cells: &[Option<&[u8]>], want: &str) {
    let statements = texts(&[column(ty)], &[checked(ty, cells)], &[], NO_LIMITS);
    assert_eq!(statements, [((0..cells.len()).collect(), format!("{HEAD}{want}"))]);
}

#[test]
fn numbers_stand_bare() {
    check("int", &[Some(b"1"), Some(b"-2"), None], "(1),(-2),(NULL)");
    check("decimal(5,2)", &[Some(b"+1.50")], "(1.5)");
    check("bit(8)", &[Some(b"0xff")], "(255)");
}
#[test]
fn floats_and_times_are_quoted() {
    check("double", &[Some(b"1e5")], "('1e5')");
    check("datetime", &[Some(b"2013-01-05T07:03:00Z")], "('2013-01-05 07:03:00')");
    check("year", &[Some(b"0000")], "('0000')");
}
#[test]
fn texts_are_escaped() {
    check("text", &[Some(b"it's"), Some(b"a\\b\0\n"), Some(b"")], "('it''s'),('a\\\\b\0\n'),('')");
    check("enum('a''b')", &[Some(b"a'b")], "('a''b')");
}
#[test]
fn bytes_say_that_they_are_none_of_a_character_set() {
    check("varbinary(9)", &[Some(b"\0'\\\x7f"), Some(b"")], "(_binary'\0''\\\\\x7f'),(_binary'')");
}
#[test]
fn functions() {
    check("vector(2)", &[Some(b"[1,2]"), None], "(STRING_TO_VECTOR('[1,2]')),(NULL)");
    check("point", &[Some(b"POINT(1 2)")], "(ST_GeomFromText('POINT(1 2)'))");
    let own_form = b"000000000101000000000000000000F03F0000000000000040";
    check("point", &[Some(own_form)], &format!("(X'{}')", String::from_utf8_lossy(own_form)));
}

#[test]
fn columns_are_named() {
    let columns = [Column { name: "a`b".into(), ..column("int") }, column("text")];
    let cells = [checked("int", &[Some(b"1"), Some(b"2")]), checked("text", &[Some(b"x"), None])];
    let statements = texts(&columns, &cells, &[], NO_LIMITS);
    assert_eq!(statements[0].1, "INSERT INTO `d`.`t` (`a``b`,`c`) VALUES (1,'x'),(2,NULL)");
}

#[track_caller]
fn check_cuts(limits: Limits, skip: &[u32], want: &[(&[usize], &str)]) {
    let cells = checked("text", &[Some(b"a"), Some(b"bb"), Some(b"a long one"), Some(b"c"), Some(b"d")]);
    let got = texts(&[column("text")], &[cells], skip, limits);
    let want: Vec<(Vec<usize>, String)> = want
        .iter()
        .map(|(rows, text)| {
            (rows.to_vec(), if text.starts_with('(') { format!("{HEAD}{text}") } else { (*text).into() })
        })
        .collect();
    assert_eq!(got, want);
}

#[test]
fn cut_by_rows() {
    let limits = Limits { rows: 2, ..NO_LIMITS };
    check_cuts(limits, &[], &[(&[0, 1], "('a'),('bb')"), (&[2, 3], "('a long one'),('c')"), (&[4], "('d')")]);
}
#[test]
fn cut_by_bytes() {
    let limits = Limits { bytes: HEAD.len() + 14, ..NO_LIMITS };
    check_cuts(limits, &[], &[(&[0, 1], "('a'),('bb')"), (&[2], "('a long one')"), (&[3, 4], "('c'),('d')")]);
}
#[test]
fn a_row_larger_than_a_usual_statement_travels_alone() {
    let limits = Limits { bytes: HEAD.len() + 13, max_bytes: HEAD.len() + 14, ..NO_LIMITS };
    check_cuts(limits, &[], &[(&[0, 1], "('a'),('bb')"), (&[2], "('a long one')"), (&[3, 4], "('c'),('d')")]);
}
#[test]
fn a_row_that_never_fits_is_named_and_not_sent() {
    let limits = Limits { bytes: HEAD.len() + 13, max_bytes: HEAD.len() + 13, ..NO_LIMITS };
    let too_long = format!("too long: {}", HEAD.len() + 14);
    check_cuts(limits, &[], &[(&[0, 1], "('a'),('bb')"), (&[2], &too_long), (&[3, 4], "('c'),('d')")]);
    check_cuts(Limits { bytes: 10, max_bytes: 10, ..limits }, &[0, 1, 3, 4], &[(&[2], &too_long)]);
}
#[test]
fn skipped_rows() {
    check_cuts(NO_LIMITS, &[0, 2, 4], &[(&[1, 3], "('bb'),('c')")]);
    check_cuts(NO_LIMITS, &[0, 1, 2, 3, 4], &[]);
}

#[test]
fn what_is_computed_stands_among_the_values() {
    let part = |sql: &str| Part::Sql(sql.into());
    let computed =
        Computed { column: "d".into(), parts: vec![part("f("), Part::Field(1), part(", 'a?')+"), Part::Field(0)] };
    let layout = Layout { names: vec!["c".into(), "d".into()], n_values: 1, computed: vec![computed] };
    let insert = layout.insert("REPLACE INTO", "`t`", " AS x");
    assert_eq!(insert.statement.sql(), "REPLACE INTO `t` (`c`,`d`) VALUES (?,f(?, 'a?')+?) AS x");
    let cells = [checked("text", &[Some(b"a"), None]), checked("int", &[Some(b"1"), Some(b"2")])];
    let rows = CheckedRows::new(&cells, 2, &[], &insert.uses);
    let made = MultiRow::of_insert(&insert, NO_LIMITS, true).statement(RowSource::Checked(&rows), 0..2, Vec::new());
    let Next::Command { command, n_rows: 2 } = made.unwrap() else { panic!() };
    let want = "REPLACE INTO `t` (`c`,`d`) VALUES ('a',f(1, 'a?')+'a'),(NULL,f(2, 'a?')+NULL) AS x";
    assert_eq!(String::from_utf8(command.into_buffer()).unwrap(), want);
    assert!(!is_bindable(&[column("text")], &layout, &rules()));
}

/// Reads the text of the single literal in `('..')` as the manual describes; shares nothing with the encoder.
fn decode(sql: &[u8], backslash_escapes: bool) -> Vec<u8> {
    let inner = sql.strip_prefix(HEAD.as_bytes()).and_then(|s| s.strip_prefix(b"('")).unwrap();
    let mut text = Vec::new();
    let mut rest = inner;
    loop {
        match rest {
            [b'\'', b'\'', tail @ ..] => {
                text.push(b'\'');
                rest = tail;
            }
            [b'\'', tail @ ..] => {
                assert_eq!(tail, b")", "the literal ended early");
                return text;
            }
            [b'\\', escaped, tail @ ..] if backslash_escapes => {
                assert!(b"\\'\"".contains(escaped), "an escape that means something else");
                text.push(*escaped);
                rest = tail;
            }
            [byte, tail @ ..] => {
                text.push(*byte);
                rest = tail;
            }
            [] => panic!("the literal has no end"),
        }
    }
}

proptest! {
    #[test]
    fn a_text_stays_inside_its_quotes(text in prop::collection::vec(prop_oneof![Just(b'\''), Just(b'\\'), Just(b'a'), Just(0u8), 0x20u8..0x7f], 0..80), backslash_escapes: bool) {
        let insert = Layout::plain(&[column("text")]).insert("INSERT INTO", "`d`.`t`", "");
        let cells = [checked("text", &[Some(&text)])];
        let rows = CheckedRows::new(&cells, 1, &[], &insert.uses);
        let writer = MultiRow::of_insert(&insert, NO_LIMITS, backslash_escapes);
        let made = writer.statement(RowSource::Checked(&rows), 0..1, Vec::new()).unwrap();
        let Next::Command { command, .. } = made else { panic!("{made:?}") };
        prop_assert_eq!(decode(&command.into_buffer(), backslash_escapes), text);
    }

    #[test]
    fn what_is_bound_is_read_back(lengths in prop::collection::vec((0..300_usize, any::<bool>()), 1..60), skip: u64, bytes in 200..3000_usize) {
        let texts: Vec<Vec<u8>> = lengths.iter().map(|(n, _)| vec![b'x'; *n]).collect();
        let cells: Vec<Option<&[u8]>> = texts.iter().zip(&lengths).map(|(text, (_, null))| (!null).then_some(&text[..])).collect();
        let skip: Vec<u32> = (0..texts.len() as u32).filter(|row| skip >> (row % 64) & 1 == 1).collect();
        let columns = [column("varbinary(300)"), Column { name: "d".into(), ..column("text") }];
        let checked = [checked("varbinary(300)", &cells), checked("text", &cells)];
        let insert = Layout::plain(&columns).insert("INSERT INTO", "`d`.`t`", "");
        let rows = CheckedRows::new(&checked, texts.len(), &skip, &insert.uses);
        let limits = Limits { bytes, ..NO_LIMITS };
        let writers: [Box<dyn Writer>; 2] = [
            Box::new(Bulk::new(&insert.statement, limits, false).unwrap()),
            Box::new(MultiRowPrepared::of_insert(&insert, limits).unwrap()),
        ];
        let kept = (0..texts.len()).filter(|row| !skip.contains(&(*row as u32)));
        let want: Vec<Option<&[u8]>> = kept.flat_map(|row| [cells[row]; 2]).collect();
        for mut writer in writers {
            let commands = all(&mut *writer, &rows);
            let got: Vec<_> = commands.iter().flat_map(|(rows, next)| bound(next, 2 * rows.len())).collect();
            prop_assert_eq!(got.iter().map(Option::as_deref).collect::<Vec<_>>(), want.clone());
        }
    }
}

/// The values of a command: every other one is a text, and the others are bytes.
fn bound(next: &Next, n: usize) -> Vec<Option<Vec<u8>>> {
    let types =
        [crate::wire::ColumnType::MYSQL_TYPE_BLOB as u8, 0, crate::wire::ColumnType::MYSQL_TYPE_VAR_STRING as u8, 0];
    match next {
        Next::Command { command: Command::Bulk(_, body), .. } => {
            assert_eq!(body.bytes[2..6], types);
            let mut r = Cursor::new(&body.bytes[6..], "bulk rows");
            (0..n).map(|_| (r.u8().unwrap() == 0).then(|| r.lenenc_bytes().unwrap().to_vec())).collect()
        }
        Next::Command { command: Command::Execute(statement, values), .. } => {
            assert_eq!(statement.marks().len(), n);
            let (head, values, long) = values.parts();
            assert!(long.is_empty());
            let (bitmap, told) = head.split_at(n.div_ceil(8));
            assert_eq!(told, types.repeat(n / 2));
            let mut r = Cursor::new(values, "bound values");
            let is_null = |i: usize| bitmap[i / 8] & 1 << (i % 8) != 0;
            (0..n).map(|i| (!is_null(i)).then(|| r.lenenc_bytes().unwrap().to_vec())).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_bindable(types: &[&str], want: bool) {
    let columns: Vec<Column> = types.iter().map(|ty| column(ty)).collect();
    assert_eq!(is_bindable(&columns, &Layout::plain(&columns), &rules()), want);
}

#[test]
fn what_needs_an_expression_is_not_bound() {
    check_bindable(&["int", "text", "varbinary(9)", "datetime", "json"], true);
    check_bindable(&["int", "bit(8)"], false);
    check_bindable(&["point"], false);
    check_bindable(&["vector(2)"], false);
}
