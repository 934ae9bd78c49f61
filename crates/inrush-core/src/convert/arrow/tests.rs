use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use super::*;
use crate::wire::lenenc::put_bytes;
use crate::wire::{ColumnFlags, ColumnType, RowFormat};

use ColumnType::*;

fn def(ty: ColumnType) -> ColumnDef {
    ColumnDef {
        name: "c".to_owned(),
        table: String::new(),
        schema: String::new(),
        collation: 63,
        length: 20,
        ty,
        flags: ColumnFlags::empty(),
        decimals: 0,
    }
}

fn unsigned(ty: ColumnType) -> ColumnDef {
    ColumnDef { flags: ColumnFlags::UNSIGNED_FLAG, ..def(ty) }
}

fn text_of(length: u32) -> ColumnDef {
    ColumnDef { collation: 45, length, ..def(MYSQL_TYPE_VAR_STRING) }
}

fn decimal(length: u32, decimals: u8) -> ColumnDef {
    ColumnDef { length, decimals, ..def(MYSQL_TYPE_NEWDECIMAL) }
}

/// A cell in both forms: as text, and as the bytes of a binary row.
type Cell<'a> = Option<(&'a [u8], &'a [u8])>;

/// A column of cells with rows of either form, which must give the same array.
#[track_caller]
fn column(def: &ColumnDef, options: &ArrowOptions, cells: &[Cell<'_>]) -> Result<ArrayRef> {
    let [text, binary]: [Result<ArrayRef>; 2] = [RowFormat::Text, RowFormat::Binary].map(|format| {
        let defs = std::slice::from_ref(def);
        let mut batches = Batches::new(defs, options);
        for cell in cells {
            let body = body(cell, format);
            assert!(batches.push(Row::new(defs, &body, format))?.is_none());
        }
        let batch = batches.finish()?.unwrap();
        assert_eq!(batch.num_rows(), cells.len());
        assert!(batches.finish()?.is_none());
        Ok(batch.column(0).clone())
    });
    match (text, binary) {
        (Ok(text), Ok(binary)) => {
            assert_eq!(&text, &binary);
            Ok(text)
        }
        (Err(text), Err(binary)) => {
            assert_eq!(text.message(), binary.message());
            Err(text)
        }
        (text, binary) => panic!("as text {text:?}, in binary form {binary:?}"),
    }
}

fn body(cell: &Cell<'_>, format: RowFormat) -> Vec<u8> {
    let mut body = Vec::new();
    match (format, cell) {
        (RowFormat::Text, None) => body.push(0xFB),
        (RowFormat::Text, Some((text, _))) => put_bytes(&mut body, text),
        (RowFormat::Binary, None) => body.extend(b"\0\x04"),
        (RowFormat::Binary, Some((_, bytes))) => body.extend([b"\0\0", *bytes].concat()),
    }
    body
}

#[track_caller]
fn check(def: &ColumnDef, cells: &[Cell<'_>], want: DataType) -> ArrayRef {
    let array = column(def, &ArrowOptions::default(), cells).unwrap();
    assert_eq!(array.data_type(), &want);
    for (i, cell) in cells.iter().enumerate() {
        assert_eq!(array.is_null(i), cell.is_none() && want != DataType::Null, "row {i}");
    }
    array
}

#[track_caller]
fn check_refused(def: &ColumnDef, cell: (&[u8], &[u8]), want: &str) {
    let error = column(def, &ArrowOptions::default(), &[None, Some(cell)]).unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Data, want));
    assert!(!error.is_fatal());
}

#[test]
fn whole_numbers() {
    let array = check(&def(MYSQL_TYPE_TINY), &[Some((b"-128", b"\x80")), None], DataType::Int8);
    assert_eq!(array.as_primitive::<Int8Type>().value(0), -128);
    let array = check(&unsigned(MYSQL_TYPE_TINY), &[Some((b"00255", b"\xFF"))], DataType::UInt8);
    assert_eq!(array.as_primitive::<UInt8Type>().value(0), 255);
    check(&def(MYSQL_TYPE_SHORT), &[Some((b"-2", b"\xFE\xFF"))], DataType::Int16);
    check(&unsigned(MYSQL_TYPE_SHORT), &[Some((b"65535", b"\xFF\xFF"))], DataType::UInt16);
    check(&def(MYSQL_TYPE_INT24), &[Some((b"-8388608", b"\0\0\x80\xFF"))], DataType::Int32);
    check(&unsigned(MYSQL_TYPE_INT24), &[Some((b"1", b"\x01\0\0\0"))], DataType::UInt32);
    check(&def(MYSQL_TYPE_LONG), &[Some((b"-1", b"\xFF\xFF\xFF\xFF"))], DataType::Int32);
    check(&unsigned(MYSQL_TYPE_LONG), &[Some((b"4294967295", b"\xFF\xFF\xFF\xFF"))], DataType::UInt32);
    check(&def(MYSQL_TYPE_LONGLONG), &[Some((b"-1", &[0xFF; 8]))], DataType::Int64);
    let array = check(&unsigned(MYSQL_TYPE_LONGLONG), &[Some((b"18446744073709551615", &[0xFF; 8]))], DataType::UInt64);
    assert_eq!(array.as_primitive::<UInt64Type>().value(0), u64::MAX);
    check(&unsigned(MYSQL_TYPE_YEAR), &[Some((b"0000", b"\0\0")), Some((b"2155", b"\x6B\x08"))], DataType::UInt16);
}

#[test]
fn other_numbers() {
    let array = check(&def(MYSQL_TYPE_FLOAT), &[Some((b"1.1", &1.1_f32.to_le_bytes()))], DataType::Float32);
    assert_eq!(array.as_primitive::<Float32Type>().value(0), 1.1);
    check(&def(MYSQL_TYPE_DOUBLE), &[Some((b"-1e300", &(-1e300_f64).to_le_bytes())), None], DataType::Float64);
    let array = check(&decimal(67, 30), &[Some((b"-1.5", b"\x04-1.5")), None], DataType::Decimal256(65, 30));
    assert_eq!(array.as_primitive::<Decimal256Type>().value_as_string(0), format!("-1.5{}", "0".repeat(29)));
    let array = check(&decimal(12, 2), &[Some((b"-7.50", b"\x05-7.50"))], DataType::Decimal128(10, 2));
    assert_eq!(array.as_primitive::<Decimal128Type>().value(0), -750);
    let bit = |length| ColumnDef { length, ..unsigned(MYSQL_TYPE_BIT) };
    let array = check(&bit(1), &[Some((b"\x01", b"\x01\x01")), Some((b"\0", b"\x01\0"))], DataType::Boolean);
    assert_eq!((array.as_boolean().value(0), array.as_boolean().value(1)), (true, false));
    let array = check(&bit(9), &[Some((b"\x01\x02", b"\x02\x01\x02")), None], DataType::UInt64);
    assert_eq!(array.as_primitive::<UInt64Type>().value(0), 258);
}

#[test]
fn precision_is_what_the_length_says() {
    let of = |def: &ColumnDef| ArrowTarget::of(def, InvalidDates::Refuse).data_type();
    assert_eq!(of(&decimal(39, 0)), DataType::Decimal128(38, 0));
    assert_eq!(of(&decimal(40, 0)), DataType::Decimal256(39, 0));
    assert_eq!(
        of(&ColumnDef { length: 11, decimals: 2, ..unsigned(MYSQL_TYPE_NEWDECIMAL) }),
        DataType::Decimal128(10, 2)
    );
    // A length that no server reports must not become a type that Arrow does not have.
    assert_eq!(of(&decimal(0, 0)), DataType::Decimal128(1, 0));
    assert_eq!(of(&decimal(1, 255)), DataType::Decimal256(75, 75));
    assert_eq!(of(&decimal(u32::MAX, 38)), DataType::Decimal256(76, 38));
}

#[test]
fn dates_and_times() {
    let array = check(&def(MYSQL_TYPE_DATE), &[Some((b"2024-02-29", b"\x04\xE8\x07\x02\x1D")), None], DataType::Date32);
    assert_eq!(array.as_primitive::<Date32Type>().value(0), 19_782);
    let moment = DataType::Timestamp(TimeUnit::Microsecond, None);
    let cells: [Cell<'_>; 3] = [
        Some((b"2024-02-29 00:00:00.000000", b"\x04\xE8\x07\x02\x1D")),
        Some((b"2024-02-29 23:59:58", b"\x07\xE8\x07\x02\x1D\x17\x3B\x3A")),
        Some((b"1969-12-31 23:59:59.999999", b"\x0B\xB1\x07\x0C\x1F\x17\x3B\x3B\x3F\x42\x0F\0")),
    ];
    for ty in [MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP] {
        let array = check(&def(ty), &cells, moment.clone());
        assert_eq!(array.as_primitive::<TimestampMicrosecondType>().value(2), -1);
    }
    let cells: [Cell<'_>; 3] =
        [Some((b"-838:59:59.000001", b"\x0C\x01\x22\0\0\0\x16\x3B\x3B\x01\0\0\0")), Some((b"00:00:00", b"\0")), None];
    let array = check(&def(MYSQL_TYPE_TIME), &cells, DataType::Duration(TimeUnit::Microsecond));
    assert_eq!(array.as_primitive::<DurationMicrosecondType>().value(0), -3_020_399_000_001);
}

#[test]
fn texts_and_bytes() {
    let array =
        check(&text_of(80), &[Some(("grün".as_bytes(), "\x05grün".as_bytes())), Some((b"", b"\0"))], DataType::Utf8);
    assert_eq!(array.as_string::<i32>().value(0), "grün");
    check(&def(MYSQL_TYPE_JSON), &[Some((b"{}", b"\x02{}")), None], DataType::Utf8);
    check(&def(MYSQL_TYPE_BLOB), &[Some((b"\xFF\0", b"\x02\xFF\0")), None], DataType::Binary);
    check(&def(MYSQL_TYPE_GEOMETRY), &[Some((b"\0", b"\x01\0"))], DataType::Binary);
    let vector = b"\0\0\x80\x3F\0\0\x20\xC0";
    let array = check(
        &def(MYSQL_TYPE_VECTOR),
        &[Some((vector, &[b"\x08", &vector[..]].concat())), None, Some((b"", b"\0"))],
        DataType::List(field::vector_item()),
    );
    assert_eq!(array.as_list::<i32>().value(0).as_primitive::<Float32Type>().values(), &[1.0, -2.5]);
    check(&def(MYSQL_TYPE_NULL), &[None, None], DataType::Null);
}

#[test]
fn not_null_columns_are_not_nullable() {
    let nullable = |flags, invalid_dates| {
        let def = ColumnDef { flags, ..def(MYSQL_TYPE_DATE) };
        let options = ArrowOptions { invalid_dates, ..ArrowOptions::default() };
        Batches::new(&[def], &options).schema().field(0).is_nullable()
    };
    assert!(nullable(ColumnFlags::empty(), InvalidDates::Refuse));
    assert!(!nullable(ColumnFlags::NOT_NULL_FLAG, InvalidDates::Refuse));
    assert!(nullable(ColumnFlags::NOT_NULL_FLAG, InvalidDates::Null));
}

#[test]
fn a_null_where_the_server_promised_none() {
    let def = ColumnDef { flags: ColumnFlags::NOT_NULL_FLAG, ..def(MYSQL_TYPE_LONG) };
    let error = column(&def, &ArrowOptions::default(), &[None]).unwrap_err();
    assert_eq!(error.kind(), Kind::Data);
    assert_eq!(error.message(), "column `c` holds NULL in row 1, which the server promised not to send");
}

const ZERO: Cell<'_> = Some((b"0000-00-00", b"\0"));
const FEBRUARY_31: Cell<'_> = Some((b"2024-02-31", b"\x04\xE8\x07\x02\x1F"));
const FINE: Cell<'_> = Some((b"2024-02-29", b"\x04\xE8\x07\x02\x1D"));

#[test]
fn invalid_dates_are_refused_by_name() {
    let what = "which is a day that no calendar has";
    check_refused(&def(MYSQL_TYPE_DATE), ZERO.unwrap(), &format!("column `c` holds `0000-00-00` in row 2, {what}"));
    let cell = FEBRUARY_31.unwrap();
    check_refused(&def(MYSQL_TYPE_DATE), cell, &format!("column `c` holds `2024-02-31` in row 2, {what}"));
}

#[test]
fn invalid_dates_become_null_where_asked() {
    let options = ArrowOptions { invalid_dates: InvalidDates::Null, ..ArrowOptions::default() };
    for ty in [MYSQL_TYPE_DATE, MYSQL_TYPE_DATETIME] {
        let array = column(&def(ty), &options, &[ZERO, FINE, FEBRUARY_31, None]).unwrap();
        assert_eq!((0..4).map(|i| array.is_null(i)).collect::<Vec<_>>(), [true, false, true, true]);
    }
}

#[test]
fn dates_become_text_where_asked() {
    let options = ArrowOptions { invalid_dates: InvalidDates::Text, ..ArrowOptions::default() };
    let array = column(&def(MYSQL_TYPE_DATE), &options, &[ZERO, FINE, None]).unwrap();
    assert_eq!(array.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("0000-00-00"), Some("2024-02-29"), None]);
    let def = ColumnDef { decimals: 3, ..def(MYSQL_TYPE_DATETIME) };
    let cells: [Cell<'_>; 2] = [
        Some((b"0000-00-00 00:00:00.000", b"\0")),
        Some((b"2024-02-31 23:59:58.500", b"\x0B\xE8\x07\x02\x1F\x17\x3B\x3A\x20\xA1\x07\0")),
    ];
    let array = column(&def, &options, &cells).unwrap();
    assert_eq!(array.as_string::<i32>().value(1), "2024-02-31 23:59:58.500");
}

#[test]
fn what_does_not_fit_is_named() {
    check_refused(
        &decimal(3, 0),
        (b"1234", b"\x041234"),
        "column `c` holds `1234` in row 2, which has more digits than the server announced",
    );
    check_refused(&text_of(9), (b"\xFF", b"\x01\xFF"), "column `c` holds `\u{FFFD}` in row 2, which is not UTF-8");
    let vector = "column `c` holds `abc` in row 2, which does not fit its type MYSQL_TYPE_VECTOR";
    check_refused(&def(MYSQL_TYPE_VECTOR), (b"abc", b"\x03abc"), vector);
}

#[test]
fn batches_are_cut_by_rows_and_by_bytes() {
    let defs = [text_of(80), def(MYSQL_TYPE_LONG)];
    let cut = |batch_rows, batch_bytes| {
        let mut batches = Batches::new(&defs, &ArrowOptions { batch_rows, batch_bytes, ..ArrowOptions::default() });
        let mut rows = Vec::new();
        for i in 0..10 {
            let mut body = Vec::new();
            put_bytes(&mut body, "x".repeat(if i == 4 { 200 } else { 20 }).as_bytes());
            put_bytes(&mut body, i.to_string().as_bytes());
            let full = batches.push(Row::new(&defs, &body, RowFormat::Text)).unwrap();
            rows.extend(full.map(|batch| batch.num_rows()));
        }
        rows.extend(batches.finish().unwrap().map(|batch| batch.num_rows()));
        rows
    };
    assert_eq!(cut(100, 1 << 20), [10]);
    assert_eq!(cut(3, 1 << 20), [3, 3, 3, 1]);
    assert_eq!(cut(5, 1 << 20), [5, 5]);
    assert_eq!(cut(100, 70), [2, 2, 1, 2, 2, 1]);
    assert_eq!(cut(0, 0), [1; 10]);
}

#[test]
fn a_result_without_rows_has_a_schema() {
    let mut batches = Batches::new(&[def(MYSQL_TYPE_LONG)], &ArrowOptions::default());
    let batch = batches.finish().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (0, 1));
    assert!(batches.finish().unwrap().is_none());
}

#[test]
fn a_malformed_row_is_fatal() {
    let defs = [def(MYSQL_TYPE_LONG)];
    let mut batches = Batches::new(&defs, &ArrowOptions::default());
    assert!(batches.push(Row::new(&defs, b"\0\0\x01", RowFormat::Binary)).unwrap_err().is_fatal());
}
