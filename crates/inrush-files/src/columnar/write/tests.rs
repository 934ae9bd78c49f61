//! Whatever is written straight is what comes of taking the same rows apart, checking and encoding them; and it is not written where a
//! cell would not go as it is.

use super::*;
use crate::cells::Style;
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_buffer::Buffer;
use arrow_schema::{Field as ArrowField, Schema};
use inrush_core::column::Rules;
use inrush_core::column::{Column as Target, ColumnType};
use inrush_core::load::checksum::checksum;
use inrush_core::load::encode::load_data;
use inrush_core::load::{ColumnKind, RawChunk};
use inrush_core::wire::ServerVersion;
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn whole_numbers() {
    check("int", Int32Array::from(vec![0, -1, 7, i32::MAX, i32::MIN]), WRITTEN);
    check("int", Int32Array::from(vec![Some(1), None, Some(3)]), WRITTEN);
    check("bigint", Int64Array::from(vec![9_999_999_999, 10_000_000_000, i64::MIN, i64::MAX]), WRITTEN);
    check("smallint unsigned", UInt16Array::from(vec![0, 65_535]), WRITTEN);
    check("tinyint", Int64Array::from(vec![1, 128]), !WRITTEN);
    check("int unsigned", Int32Array::from(vec![1, -1]), !WRITTEN);
    check(
        "bigint",
        DictionaryArray::<Int32Type>::new(vec![1, 0].into(), Arc::new(Int64Array::from(vec![5, 6]))),
        WRITTEN,
    );
}
#[test]
fn decimals() {
    let of = |units: Vec<i128>, scale| Decimal128Array::from(units).with_precision_and_scale(38, scale).unwrap();
    check("decimal(15,2)", of(vec![0, 5, -5, 12_345, -99_999_999_999, 10i128.pow(14)], 2), WRITTEN);
    check("decimal(38,9)", of(vec![1, 10i128.pow(38) - 1], 9), WRITTEN);
    check("decimal(5,2)", of(vec![1, 100_000], 2), !WRITTEN);
    check("decimal(5,2)", of(vec![i128::from(u64::MAX) + 2], 2), !WRITTEN);
    check("decimal(9,2)", Decimal64Array::from(vec![Some(1), None]).with_precision_and_scale(9, 2).unwrap(), WRITTEN);
}
#[test]
fn dates_and_moments() {
    check("date", Date32Array::from(vec![0, 20_000, -719_162, 20_000]), WRITTEN);
    check("date", Date32Array::from(vec![2_932_897]), !WRITTEN);
    check("datetime(6)", TimestampMicrosecondArray::from(vec![0, 1_700_000_000_123_456]), WRITTEN);
    check("datetime", TimestampSecondArray::from(vec![0]).with_timezone("UTC"), !WRITTEN);
}
#[test]
fn texts() {
    let long = "a text that is longer than a view, with\ta tab, a \\ and\nan end";
    check(
        "varchar(80)",
        StringViewArray::from(vec![Some("a"), None, Some(""), Some(long), Some("\\N"), Some("\0")]),
        WRITTEN,
    );
    check("varchar(80)", StringArray::from(vec!["é", long]), WRITTEN);
    check("varchar(2)", StringViewArray::from(vec!["éé", "€€"]), WRITTEN);
    check("varchar(2)", StringViewArray::from(vec!["ab", "abc"]), !WRITTEN);
    check("varchar(9)", BinaryViewArray::from(vec![&b"a\xff"[..]]), !WRITTEN);
    check("varchar(9)", BinaryViewArray::from(vec![&b"ab"[..]]), WRITTEN);
    check("enum('a','b')", StringViewArray::from(vec!["a", "b"]), WRITTEN);
    check("enum('a','b')", StringViewArray::from(vec!["c"]), !WRITTEN);
}
#[test]
fn what_else_there_is() {
    check("double", Float64Array::from(vec![1.5, -1e300]), WRITTEN);
    check("double", Float64Array::from(vec![f64::NAN]), !WRITTEN);
    check("tinyint", BooleanArray::from(vec![true, false]), WRITTEN);
    check("json", ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None])]), WRITTEN);
}
#[test]
fn null_where_none_may_be() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let column = Target { nullable: false, ..target("int") };
    assert!(write_of(&rows(vec![vec![array]]), &[Check::new(&column, &rules())]).is_none());
}
#[test]
fn columns_of_several_arrays() {
    let ints = |from: i32| -> ArrayRef { Arc::new(Int32Array::from_iter_values(from..from + 3000)) };
    let texts = |of: &str| -> ArrayRef { Arc::new(StringViewArray::from(vec![of; 3000])) };
    let chunk = rows(vec![vec![ints(-5), texts("a")], vec![ints(99_999_000), texts("b text longer than a view")]]);
    check_rows(&chunk, &["int", "text"], WRITTEN);
    check_rows(&chunk, &["int", "varchar(3)"], !WRITTEN);
}
#[test]
fn pages_are_counted_once() {
    let array = StringViewArray::from(vec!["a text longer than a view"; 1000]);
    let parts = rows((0..10).map(|i| vec![Arc::new(array.slice(i * 100, 100)) as ArrayRef]).collect());
    assert_eq!(parts.memory(), 16 * 1000 + array.data_buffers().iter().map(Buffer::capacity).sum::<usize>());
}
#[test]
fn a_part_of_a_large_table_counts_as_such() {
    let table = StringArray::from_iter_values((0..100_000).map(|n| format!("the text of row {n}")));
    let mut part = rows(vec![vec![Arc::new(table.slice(50_000, 10)) as ArrayRef]]);
    assert!(part.memory() > 1_000_000);
    Arc::get_mut(&mut part.shape).unwrap().is_part = true;
    assert_eq!(part.memory(), 10 + 10 * 16);
}

proptest! {
    #[test]
    fn any_numbers_and_texts(
        ints in prop::collection::vec(prop::option::weighted(0.9, any::<i64>()), 1..60),
        shift in 0u32..60,
        text in "[a\\\\\t\0é]{0,40}",
    ) {
        let n = ints.len();
        let ints: Vec<Option<i64>> = ints.into_iter().map(|int| int.map(|int| int >> shift)).collect();
        let units: Vec<Option<i128>> = ints.iter().map(|int| int.map(i128::from)).collect();
        let days: Vec<Option<i32>> = ints.iter().map(|int| int.map(|int| (int % 700_000) as i32)).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(ints)),
            Arc::new(Decimal128Array::from(units).with_precision_and_scale(38, 3).unwrap()),
            Arc::new(Date32Array::from(days)),
            Arc::new(StringViewArray::from(vec![text; n])),
        ];
        check_rows(&rows(vec![columns]), &["bigint", "decimal(30,3)", "date", "text"], WRITTEN);
    }
}

const WRITTEN: bool = true;

#[track_caller]
fn check(ty: &str, array: impl Array + 'static, written: bool) {
    let array: ArrayRef = Arc::new(array);
    check_rows(&rows(vec![vec![array.clone()]]), &[ty], written);
    // Next to another column, and as a part of an array.
    let part = array.slice(array.len() - 1, 1);
    check_rows(&rows(vec![vec![array.clone(), array.clone()], vec![part.clone(), part]]), &[ty, ty], written);
}

#[track_caller]
fn check_rows(rows: &Rows, types: &[&str], written: bool) {
    let checks: Vec<Check> = types.iter().map(|ty| Check::new(&target(ty), &rules())).collect();
    let seen = write_of(rows, &checks);
    assert_eq!(seen.is_some(), written);
    let Some((pass_through, text)) = seen else { return };
    let batch = pass_through.parse().unwrap();
    let mut bad = Vec::new();
    let columns = batch.rows.columns().iter().zip(&batch.known).zip(&checks);
    let columns: Vec<_> = columns
        .map(|((array, known), check)| check.run_knowing(*known, array.as_binary_view(), batch.utf8, &mut bad))
        .collect();
    assert!(bad.is_empty() && load_data::says_all(&batch, &columns, &[]));
    let mut encoded = Vec::new();
    load_data::encode(&columns, &[], &mut encoded);
    assert_eq!(String::from_utf8_lossy(&text), String::from_utf8_lossy(&encoded));
    assert_eq!(checksum(&text), batch.checksum());
    assert_eq!(pass_through.longest, text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap());
    assert_eq!((pass_through.n_rows(), pass_through.origin.span.clone()), (batch.records(), batch.origin.span));
}

fn write_of(rows: &Rows, checks: &[Check]) -> Option<(PassThrough, Vec<u8>)> {
    RawChunk::write(rows, checks, &Vec::with_capacity)
}

/// A chunk of these columns, in parts.
fn rows(parts: Vec<Vec<ArrayRef>>) -> Rows {
    let field = |array: &ArrayRef| ArrowField::new("c", array.data_type().clone(), true);
    let schema = |columns: &[ArrayRef]| Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let cells = |columns: &[ArrayRef]| {
        let field = |_: &ArrayRef| ArrowField::new("c", DataType::BinaryView, true);
        Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
    };
    let style = |array: &ArrayRef| {
        let column_kind = if array.data_type().is_nested() { ColumnKind::Json } else { ColumnKind::Text };
        Style::new(column_kind, false)
    };
    let shape = BatchShape {
        name: "a.parquet".into(),
        taken: parts[0].iter().map(style).enumerate().collect(),
        schema: cells(&parts[0]),
        utf8: parts[0].iter().all(|array| *array.data_type() != DataType::BinaryView),
        is_part: false,
    };
    let arrays: Vec<RecordBatch> =
        parts.into_iter().map(|columns| RecordBatch::try_new(schema(&columns), columns).unwrap()).collect();
    let n_rows = arrays.iter().map(|rows| rows.num_rows() as u64).sum::<u64>();
    Rows { shape: Arc::new(shape), arrays, span: 7..7 + n_rows, bytes: 10 }
}

fn target(ty: &str) -> Target {
    Target::new("a", ColumnType::parse(ty))
}

fn rules() -> Rules {
    Rules::utc(ServerVersion::parse("9.7.4"))
}
