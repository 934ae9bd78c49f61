//! What each type of array is written as.

use super::*;
use arrow_array::builder::*;
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, OffsetBuffer, i256};
use std::collections::BTreeMap;

#[test]
fn whole_numbers_and_booleans() {
    check(&Int8Array::from(vec![Some(-128), None, Some(127)]), &["-128", NULL, "127"]);
    check(&Int16Array::from(vec![i16::MIN]), &["-32768"]);
    check(&Int32Array::from(vec![i32::MIN, 0]), &["-2147483648", "0"]);
    check(&Int64Array::from(vec![i64::MIN, i64::MAX]), &["-9223372036854775808", "9223372036854775807"]);
    check(&UInt8Array::from(vec![255]), &["255"]);
    check(&UInt16Array::from(vec![65535]), &["65535"]);
    check(&UInt32Array::from(vec![u32::MAX]), &["4294967295"]);
    check(&UInt64Array::from(vec![u64::MAX]), &["18446744073709551615"]);
    check(&BooleanArray::from(vec![Some(true), Some(false), None]), &["1", "0", NULL]);
    check(&NullArray::new(2), &[NULL, NULL]);
}

#[test]
fn floats_in_the_fewest_digits_that_read_back() {
    check(
        &Float64Array::from(vec![0.1, 1.0, -0.0, 1e15, 1e300, 5e-324]),
        &["0.1", "1", "-0", "1e15", "1e300", "5e-324"],
    );
    check(&Float32Array::from(vec![0.1, 16_777_216.0, f32::MAX]), &["0.1", "16777216", "3.4028234663852886e38"]);
    let large = Float64Array::from(vec![-1_234_567_890_123_456_768.0, 9_007_199_254_740_994.0, 5.0, 2.5, 1e300]);
    let as_kind = |kind| cells(&large, kind);
    let digits = ["-1234567890123456768", "9007199254740994", "5", "2.5", "1e+300"];
    assert_eq!(as_kind(ColumnKind::Integer), digits);
    let shortest = ["-1.2345678901234568e+18", "9007199254740994", "5", "2.5", "1e+300"];
    assert_eq!(as_kind(ColumnKind::Decimal), shortest);
    let singles = Float32Array::from(vec![0.1, 34_000_000_000.0]);
    assert_eq!(cells(&singles, ColumnKind::Float), ["0.1", "34000000000"]);
    assert_eq!(cells(&singles, ColumnKind::Double), ["0.10000000149011612", "33999998976"]);
    assert_eq!(cells(&singles, ColumnKind::Integer), ["0.10000000149011612", "33999998976"]);
    let halves: Vec<_> = [1.5f32, 0.1].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32).to_vec();
    check(&Float16Array::from(halves), &["1.5", "0.099975586"]);
    let far = Float64Array::from(vec![1e18, 1e-7]);
    for kind in [ColumnKind::Text, ColumnKind::Bytes] {
        assert_eq!(cells(&far, kind), ["1e18", "0.0000001"]);
    }
    assert_eq!(cells(&far, ColumnKind::Json), ["1e+18", "1e-7"]);
    let odd = cells(&Float64Array::from(vec![f64::NAN, f64::INFINITY]), ColumnKind::Text);
    assert_eq!(odd.iter().filter(|cell| cell.parse::<u64>().is_ok()).count(), 0, "{odd:?}");
    for value in [f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0, 123_456_789.123_456_79] {
        assert_eq!(cells(&Float64Array::from(vec![value]), ColumnKind::Text)[0].parse(), Ok(value));
    }
}

#[test]
fn decimals_digit_for_digit() {
    let decimal = |units: Vec<i128>, scale| Decimal128Array::from(units).with_precision_and_scale(38, scale).unwrap();
    check(&decimal(vec![12345, -5, 0, -12345], 2), &["123.45", "-0.05", "0.00", "-123.45"]);
    check(&decimal(vec![12, 0], -2), &["1200", "0"]);
    check(
        &decimal(vec![12_345_678_901, -1_234_567_890, 123_456_789_012], 2),
        &["123456789.01", "-12345678.90", "1234567890.12"],
    );
    check(&decimal(vec![1, -1, 100, -100, 99], 2), &["0.01", "-0.01", "1.00", "-1.00", "0.99"]);
    check(&decimal(vec![10i128.pow(38) - 1], 0), &["99999999999999999999999999999999999999"]);
    let wide = Decimal256Array::from(vec![i256::from_i128(-1)]).with_precision_and_scale(76, 70).unwrap();
    check(&wide, &[&format!("-0.{}1", "0".repeat(69))]);
    check(&Decimal32Array::from(vec![150]).with_precision_and_scale(9, 2).unwrap(), &["1.50"]);
    check(&Decimal64Array::from(vec![-150]).with_precision_and_scale(18, 1).unwrap(), &["-15.0"]);
}

#[test]
fn dates_and_times() {
    check(&Date32Array::from(vec![0, -1, 19_782, 11_016]), &["1970-01-01", "1969-12-31", "2024-02-29", "2000-02-29"]);
    check(&Date32Array::from(vec![-719_528, 2_932_896, 2_932_897]), &["0000-01-01", "9999-12-31", "+10000-01-01"]);
    check(&Date64Array::from(vec![86_400_000, 1_500]), &["1970-01-02", "1970-01-01 00:00:01.5"]);
    check(&TimestampSecondArray::from(vec![-1]), &["1969-12-31 23:59:59"]);
    check(&TimestampMillisecondArray::from(vec![1_700_000_000_120]), &["2023-11-14 22:13:20.12"]);
    check(&TimestampMicrosecondArray::from(vec![-1, 0]), &["1969-12-31 23:59:59.999999", "1970-01-01 00:00:00"]);
    check(&TimestampNanosecondArray::from(vec![1]), &["1970-01-01 00:00:00.000000001"]);
    let zoned = TimestampMicrosecondArray::from(vec![1_500_000]).with_timezone("Europe/Berlin");
    check(&zoned, &["1970-01-01T00:00:01.5Z"]);
    check(&Time32SecondArray::from(vec![86_399]), &["23:59:59"]);
    check(&Time32MillisecondArray::from(vec![1]), &["00:00:00.001"]);
    check(&Time64MicrosecondArray::from(vec![86_399_999_999]), &["23:59:59.999999"]);
    check(&Time64NanosecondArray::from(vec![1_000]), &["00:00:00.000001"]);
    check(&DurationSecondArray::from(vec![-3_020_399, 360_000]), &["-838:59:59", "100:00:00"]);
    check(&DurationMicrosecondArray::from(vec![i64::MIN]), &["-2562047788:00:54.775808"]);
    assert_eq!(cells(&DurationMillisecondArray::from(vec![-5]), ColumnKind::Integer), ["-5"]);
}

#[test]
fn every_day_is_the_calendars() {
    let days: Vec<i32> = (-719_162..2_932_897).step_by(997).chain(-800..800).collect();
    let written = cells(&Date32Array::from(days.clone()), ColumnKind::Text);
    for (day, text) in days.iter().zip(written) {
        let date = jiff::civil::date(1970, 1, 1) + jiff::Span::new().days(*day);
        assert_eq!(text, date.to_string());
    }
}

#[test]
fn texts_and_bytes_in_every_form() {
    let texts = vec![Some("short"), None, Some(""), Some("longer than a view holds: é")];
    let want = ["short", NULL, "", "longer than a view holds: é"];
    check(&StringArray::from(texts.clone()), &want);
    check(&LargeStringArray::from(texts.clone()), &want);
    check(&StringViewArray::from(texts.clone()), &want);
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    check(&BinaryArray::from(bytes.clone()), &want);
    check(&LargeBinaryArray::from(bytes.clone()), &want);
    check(&BinaryViewArray::from(bytes), &want);
    check(&FixedSizeBinaryArray::try_from_iter([b"abc", b"def"].into_iter()).unwrap(), &["abc", "def"]);
}

#[test]
fn a_uuid_is_bytes_for_bytes_and_text_for_all_else() {
    let array: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([(0..16).collect::<Vec<u8>>()].into_iter()).unwrap());
    let text = "00010203-0405-0607-0809-0a0b0c0d0e0f";
    let written = |style| {
        let mut cells = Cells::new(style);
        cells.append(&array).unwrap();
        cells.finish().unwrap().value(0).to_vec()
    };
    assert_eq!(written(Style::new(ColumnKind::Text, true)), text.as_bytes());
    assert_eq!(written(Style::new(ColumnKind::Uuid, false)), text.as_bytes());
    assert_eq!(written(Style::new(ColumnKind::Bytes, true)), (0..16).collect::<Vec<u8>>());
    assert_eq!(written(Style::new(ColumnKind::Text, false)), (0..16).collect::<Vec<u8>>());
}

#[test]
fn dictionaries_and_runs_are_their_values() {
    let dictionary: DictionaryArray<Int8Type> =
        vec![Some("a"), None, Some("a text longer than a view"), Some("a")].into_iter().collect();
    check(&dictionary, &["a", NULL, "a text longer than a view", "a"]);
    let numbers = DictionaryArray::new(
        Int32Array::from(vec![Some(1), None, Some(0)]),
        Arc::new(Int64Array::from(vec![Some(7), None])),
    );
    check(&numbers, &[NULL, NULL, "7"]);
    check(&DictionaryArray::<Int32Type>::from_iter(Vec::<Option<&str>>::from([None])), &[NULL]);
    let runs =
        RunArray::try_new(&Int32Array::from(vec![2, 3, 5]), &StringArray::from(vec![Some("x"), None, Some("y")]))
            .unwrap();
    check(&runs, &["x", "x", NULL, "y", "y"]);
    check(&runs.slice(1, 3), &["x", NULL, "y"]);
}

#[test]
fn what_has_parts_is_json() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None]), None, Some(vec![])]);
    check(&list, &["[1,null]", NULL, "[]"]);
    check(&list.slice(2, 1), &["[]"]);
    let floats = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
        vec![Some(vec![Some(0.5), Some(1e-7)]), Some(vec![Some(2.0), Some(-3.25)])],
        2,
    );
    check(&floats, &["[0.5,1e-7]", "[2,-3.25]"]);
    check(&floats.slice(1, 1), &["[2,-3.25]"]);
    let members: Vec<(Arc<Field>, ArrayRef)> = vec![
        field("a \"b\"", DataType::Boolean, Arc::new(BooleanArray::from(vec![true]))),
        field("t", DataType::Utf8, Arc::new(StringArray::from(vec!["line\nend\u{1}\\"]))),
        field("b", DataType::Binary, Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..]]))),
        field("d", DataType::Date32, Arc::new(Date32Array::from(vec![Some(0)]))),
        field("n", DataType::Null, Arc::new(NullArray::new(1))),
        field(
            "m",
            DataType::Decimal128(20, 2),
            Arc::new(Decimal128Array::from(vec![10i128.pow(19) + 1]).with_precision_and_scale(20, 2).unwrap()),
        ),
        field(
            "s",
            DataType::Decimal128(15, 2),
            Arc::new(Decimal128Array::from(vec![150]).with_precision_and_scale(15, 2).unwrap()),
        ),
    ];
    check(
        &StructArray::from(members),
        &[
            r#"{"a \"b\"":true,"t":"line\nend\u0001\\","b":"00ff","d":"1970-01-01","n":null,"m":"100000000000000000.01","s":1.50}"#,
        ],
    );
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for (key, value) in BTreeMap::from([("x", Some(1)), ("y", None)]) {
        map.keys().append_value(key);
        map.values().append_option(value);
    }
    map.append(true).unwrap();
    map.append(false).unwrap();
    check(&map.finish(), &[r#"{"x":1,"y":null}"#, NULL]);
    let mut map = MapBuilder::new(None, Int32Builder::new(), Int64Builder::new());
    map.keys().append_value(5);
    map.values().append_value(6);
    map.append(true).unwrap();
    check(&map.finish(), &[r#"{"5":6}"#]);
    let union = {
        let mut union = UnionBuilder::new_dense();
        union.append::<Int32Type>("i", 1).unwrap();
        union.append::<Float64Type>("f", 2.5).unwrap();
        union.build().unwrap()
    };
    check(&union, &["1", "2.5"]);
    check(&IntervalYearMonthArray::from(vec![14]), &["P14M0DT0S"]);
    check(&IntervalDayTimeArray::from(vec![IntervalDayTime::new(1, -1_500)]), &["P0M1DT-1.5S"]);
    check(&IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, 3)]), &["P1M2DT0.000000003S"]);
}

#[test]
fn a_json_column_takes_values_as_json_and_texts_as_documents() {
    assert_eq!(cells(&BooleanArray::from(vec![true]), ColumnKind::Json), ["true"]);
    assert_eq!(cells(&Date32Array::from(vec![0]), ColumnKind::Json), [r#""1970-01-01""#]);
    assert_eq!(cells(&Int32Array::from(vec![Some(1), None]), ColumnKind::Json), ["1", NULL]);
    assert_eq!(cells(&StringArray::from(vec![r#"{"a":1}"#]), ColumnKind::Json), [r#"{"a":1}"#]);
}

#[test]
fn lists_nested_too_deep_are_an_error() {
    let mut array: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    for _ in 0..200 {
        let field = Arc::new(Field::new("item", array.data_type().clone(), true));
        array = Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([1]), array, None));
    }
    assert!(Cells::new(Style::new(ColumnKind::Text, false)).append(&array).is_err());
}

#[test]
fn how_arrays_are_cut_changes_nothing() {
    let text = StringArray::from_iter_values((0..100).map(|n| format!("text number {n} of a hundred")));
    let dictionary: DictionaryArray<Int16Type> = text.iter().map(|t| t.map(|t| &t[..13])).collect();
    for array in [Arc::new(text) as ArrayRef, Arc::new(dictionary)] {
        let whole = cells(&array, ColumnKind::Text);
        for size in [1, 7, 64] {
            let mut parts = Cells::new(Style::new(ColumnKind::Text, false));
            for start in (0..array.len()).step_by(size) {
                parts.append(&array.slice(start, size.min(array.len() - start))).unwrap();
            }
            assert_eq!(texts(&parts.finish().unwrap()), whole);
        }
    }
}

fn field(name: &str, ty: DataType, array: ArrayRef) -> (Arc<Field>, ArrayRef) {
    (Arc::new(Field::new(name, ty, true)), array)
}

/// Checks the text of an array, also after other values and in a slice.
#[track_caller]
fn check(array: &dyn Array, want: &[&str]) {
    assert_eq!(cells(array, ColumnKind::Text), want);
    let mut column = Cells::new(Style::new(ColumnKind::Text, false));
    column.append(&(Arc::new(StringArray::from(vec!["something long before it"])) as ArrayRef)).unwrap();
    column.append(&array.slice(0, array.len())).unwrap();
    column.append(&array.slice(array.len() - 1, 1)).unwrap();
    let written = texts(&column.finish().unwrap());
    assert_eq!(
        (&written[1..=want.len()], &written[want.len() + 1]),
        (&want.iter().map(|&w| w.to_owned()).collect::<Vec<_>>()[..], &want[want.len() - 1].to_owned())
    );
}

fn cells(array: &dyn Array, column_kind: ColumnKind) -> Vec<String> {
    let mut cells = Cells::new(Style::new(column_kind, false));
    cells.append(&array.slice(0, array.len())).unwrap();
    texts(&cells.finish().unwrap())
}

/// As in a result: the highest byte first. Bytes that are not a number of at most 64 bits do not become a number here either.
#[test]
fn bytes_for_bits() {
    let bytes = vec![&b"\x05"[..], b"5", b"\0\x01\x00", &[0xff; 8], b"", &[1; 9], b"\0\0\0\0\0\0\0\0\x07"];
    let want = ["5", "53", "256", "18446744073709551615", "0x", "0x010101010101010101", "7"];
    assert_eq!(cells(&BinaryArray::from(bytes.clone()), ColumnKind::Bits), want);
    assert_eq!(cells(&LargeBinaryArray::from(bytes.clone()), ColumnKind::Bits), want);
    assert_eq!(cells(&BinaryViewArray::from(bytes), ColumnKind::Bits), want);
    let fixed = FixedSizeBinaryArray::try_from_iter([b"\x01\x02"].into_iter()).unwrap();
    assert_eq!(cells(&fixed, ColumnKind::Bits), ["258"]);
    assert_eq!(cells(&StringArray::from(vec!["5"]), ColumnKind::Bits), ["5"]);
}

/// A document, as a text is; within other values they are hexadecimal.
#[test]
fn bytes_for_json() {
    let bytes = vec![&b"{}"[..], b"\xff"];
    let of = cells_of_bytes;
    assert_eq!(of(&BinaryArray::from(bytes.clone())), [b"{}".to_vec(), b"\xff".to_vec()]);
    assert_eq!(of(&BinaryViewArray::from(bytes)), [b"{}".to_vec(), b"\xff".to_vec()]);
}

fn cells_of_bytes(array: &dyn Array) -> Vec<Vec<u8>> {
    let (_, cells) = of(&make_array(array.to_data()), Style::new(ColumnKind::Json, false)).unwrap();
    cells.iter().map(|cell| cell.unwrap().to_vec()).collect()
}

fn texts(cells: &BinaryViewArray) -> Vec<String> {
    cells.iter().map(|cell| cell.map_or(NULL.to_owned(), |cell| String::from_utf8(cell.to_vec()).unwrap())).collect()
}

const NULL: &str = "(null)";

/// What is known of the cells is true of each, and enough for a column of its type.
#[test]
fn what_is_known_of_cells() {
    let int = |min, max| Known::Int { min, max };
    known(&[&Int8Array::from(vec![Some(-3), None, Some(9)])], int(-16, 15));
    known(&[&Int8Array::from(vec![-128, 127])], int(-128, 127));
    known(&[&Int32Array::from(vec![0, 255])], int(0, 255));
    known(&[&Int64Array::from(vec![i64::MAX]), &Int64Array::from(vec![i64::MIN])], int(i64::MIN, i64::MAX));
    known(&[&UInt32Array::from(vec![u32::MAX])], int(0, 4_294_967_295));
    known(&[&UInt64Array::from(vec![1])], Known::Nothing);
    let decimal = |units: Vec<i128>, scale| Decimal128Array::from(units).with_precision_and_scale(38, scale).unwrap();
    let of = |int_digits, scale, negative| Known::Decimal { int_digits, scale, negative };
    known(&[&decimal(vec![12_345, 5], 2)], of(3, 2, false));
    known(&[&decimal(vec![0], 2), &decimal(vec![-65_537], 2)], of(4, 2, true));
    known(&[&decimal(vec![10i128.pow(38) - 1], 0)], of(39, 0, false));
    known(&[&decimal(vec![1], -2)], Known::Nothing);
    known(&[&Date32Array::from(vec![-719_162, 2_932_896])], Known::Date);
    known(&[&Date32Array::from(vec![0]), &Date32Array::from(vec![2_932_897])], Known::Nothing);
    known(&[&Int8Array::from(vec![1]), &StringArray::from(vec!["x"])], Known::Nothing);
    known(&[&Float64Array::from(vec![1.0])], Known::Nothing);
    known(&[&StringArray::from(vec!["a", "abc", ""]), &StringViewArray::from(vec!["ab"])], Known::Text { longest: 3 });
    known(&[&LargeStringArray::from(vec!["a", "abcd"]).slice(0, 1)], Known::Text { longest: 1 });
    known(&[&StringViewArray::from(vec!["a text longer than a view"])], Known::Text { longest: 25 });
    known(&[&BinaryArray::from(vec![&b"a"[..]])], Known::Nothing);
}

#[track_caller]
fn known(arrays: &[&dyn Array], want: Known) {
    let mut cells = Cells::new(Style::new(ColumnKind::Text, false));
    arrays.iter().for_each(|array| cells.append(&make_array(array.to_data())).unwrap());
    assert_eq!(cells.known(), want);
}
