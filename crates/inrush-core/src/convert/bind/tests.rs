use super::*;
use crate::convert::{Columns, scalar};
use crate::value::Value;
use crate::value::{Date, DateTime, Time};
use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::*;
use arrow_buffer::{ScalarBuffer, i256};
use arrow_schema::Field;
use std::sync::Arc;

/// Row by row, and all at once.
#[track_caller]
fn check_values(rows: &impl Rows, want: &[Value<'_>]) {
    let bound = rows.bind(&[], 1).unwrap();
    let mut values = Vec::new();
    (0..bound.n_rows()).for_each(|row| bound.row(row, &mut values).unwrap());
    assert_eq!(values, want);
    let mut several = Vec::new();
    bound.rows(0..bound.n_rows(), &mut several).unwrap();
    assert_eq!(several, want);
}

/// As a column of its own, in a batch, and cut out of a larger array.
#[track_caller]
fn check(array: impl Array + 'static, want: &[Value<'_>]) {
    let array: ArrayRef = Arc::new(array);
    check_values(&Columns::default().with("a", &array), want);
    check_values(&batch(&[("a", array.clone())]), want);
    for (from, to) in [(1, want.len()), (0, want.len() - 1)] {
        check_values(&Columns::default().with("a", &array.slice(from, to - from)), &want[from..to]);
    }
}

#[track_caller]
fn check_refused(array: impl Array + 'static, want: &str) {
    let batch = batch(&[("a", Arc::new(array))]);
    assert_eq!(batch.bind(&[], 1).err().unwrap().to_string(), want);
}

/// The row before is sent; the second one is refused.
#[track_caller]
fn check_second_refused(array: impl Array + 'static, want: &str) {
    let batch = batch(&[("a", Arc::new(array))]);
    let bound = batch.bind(&[], 1).unwrap();
    let mut values = vec![Value::Null];
    bound.row(0, &mut values).unwrap();
    let error = bound.row(1, &mut values).unwrap_err();
    assert_eq!((error.message(), error.row(), values.len()), (want, Some(1), 2));
    let error = bound.rows(0..2, &mut values).unwrap_err();
    assert_eq!((error.message(), error.row(), values.len()), (want, Some(1), 2));
}

fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().map(|(name, array)| (*name, array.clone()))).unwrap()
}

fn date(text: &str) -> Value<'static> {
    Value::Date(Date::parse(text.as_bytes()).unwrap())
}

fn moment(text: &str) -> Value<'static> {
    Value::DateTime(DateTime::parse(text.as_bytes()).unwrap())
}

fn time(text: &str) -> Value<'static> {
    Value::Time(Time::parse(text.as_bytes()).unwrap())
}

use Value::{Bytes, Double, Float, Int, Null, Text, UInt};

#[test]
fn numbers() {
    check(Int8Array::from(vec![Some(-1), None, Some(i8::MAX)]), &[Int(-1), Null, Int(127)]);
    check(Int16Array::from(vec![Some(-1), None, Some(i16::MAX)]), &[Int(-1), Null, Int(32767)]);
    check(Int32Array::from(vec![Some(-1), None, Some(i32::MAX)]), &[Int(-1), Null, Int(i32::MAX.into())]);
    check(Int64Array::from(vec![Some(-1), None, Some(i64::MAX)]), &[Int(-1), Null, Int(i64::MAX)]);
    check(UInt8Array::from(vec![Some(1), None, Some(u8::MAX)]), &[UInt(1), Null, UInt(255)]);
    check(UInt16Array::from(vec![Some(1), None, Some(u16::MAX)]), &[UInt(1), Null, UInt(65535)]);
    check(UInt32Array::from(vec![Some(1), None, Some(u32::MAX)]), &[UInt(1), Null, UInt(u32::MAX.into())]);
    check(UInt64Array::from(vec![Some(1), None, Some(u64::MAX)]), &[UInt(1), Null, UInt(u64::MAX)]);
    check(Float32Array::from(vec![Some(1.5), None, Some(-2.5)]), &[Float(1.5), Null, Float(-2.5)]);
    check(Float64Array::from(vec![Some(1.5), None, Some(-2.5)]), &[Double(1.5), Null, Double(-2.5)]);
    check(BooleanArray::from(vec![Some(true), None, Some(false)]), &[Int(1), Null, Int(0)]);
    check(NullArray::new(2), &[Null, Null]);
    let halves = Float16Array::from_iter_values(
        [1.5, -2.5].map(|n: f32| <Float16Type as ArrowPrimitiveType>::Native::from_f32(n)),
    );
    check(halves, &[Float(1.5), Float(-2.5)]);
}

#[test]
fn texts() {
    let (texts, long) = (vec![Some("x"), None, Some("ä longer text")], "ä longer text");
    check(StringArray::from(texts.clone()), &[Text("x"), Null, Text(long)]);
    check(LargeStringArray::from(texts.clone()), &[Text("x"), Null, Text(long)]);
    check(StringViewArray::from(texts), &[Text("x"), Null, Text(long)]);
}

#[test]
fn bytes() {
    let (some, long): (Vec<Option<&[u8]>>, &[u8]) =
        (vec![Some(b"\xFF"), None, Some(b"longer than a view")], b"longer than a view");
    check(BinaryArray::from(some.clone()), &[Bytes(b"\xFF"), Null, Bytes(long)]);
    check(LargeBinaryArray::from(some.clone()), &[Bytes(b"\xFF"), Null, Bytes(long)]);
    check(BinaryViewArray::from(some), &[Bytes(b"\xFF"), Null, Bytes(long)]);
    let fixed =
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(b"ab"), None, Some(b"cd")].into_iter(), 2).unwrap();
    check(fixed, &[Bytes(b"ab"), Null, Bytes(b"cd")]);
}

#[test]
fn decimals() {
    check(
        Decimal128Array::from(vec![Some(-1250), None, Some(5)]).with_precision_and_scale(10, 2).unwrap(),
        &[Text("-12.50"), Null, Text("0.05")],
    );
    check(Decimal32Array::from(vec![-125, 1]).with_precision_and_scale(9, 1).unwrap(), &[Text("-12.5"), Text("0.1")]);
    check(Decimal64Array::from(vec![-125, 1]).with_precision_and_scale(18, 0).unwrap(), &[Text("-125"), Text("1")]);
    check(
        Decimal256Array::from(vec![i256::from_i128(-125), i256::ZERO]).with_precision_and_scale(76, 30).unwrap(),
        &[Text("-0.000000000000000000000000000125"), Text("0.000000000000000000000000000000")],
    );
}

#[test]
fn days() {
    let want = [date("1970-01-02"), Null, date("9999-12-31")];
    check(Date32Array::from(vec![Some(1), None, Some(2_932_896)]), &want);
    check(Date64Array::from(vec![Some(86_400_000), None, Some(2_932_896 * 86_400_000)]), &want);
    check(Date64Array::from(vec![-86_400_000, 0]), &[date("1969-12-31"), date("1970-01-01")]);
    let range = "is not between the years 0 and 9999";
    check_second_refused(
        Date32Array::from(vec![0, 2_932_897]),
        &format!("column `a`: day 2932897 after 1970-01-01 {range}"),
    );
    let part = "column `a`: 1 ms after 1970-01-01 is not a whole day between the years 0 and 9999";
    check_second_refused(Date64Array::from(vec![0, 1]), part);
}

#[test]
fn moments() {
    let want = [moment("2024-02-29 23:59:58"), Null, moment("1969-12-31 23:59:59")];
    let seconds = [Some(1_709_251_198), None, Some(-1)];
    let times = |unit: i64| seconds.map(|n| n.map(|n: i64| n * unit)).to_vec();
    check(TimestampSecondArray::from(times(1)), &want);
    check(TimestampMillisecondArray::from(times(1_000)), &want);
    check(TimestampMicrosecondArray::from(times(1_000_000)), &want);
    check(TimestampNanosecondArray::from(times(1_000_000_000)), &want);
    check(
        TimestampNanosecondArray::from(vec![-1_000, 1_000]),
        &[moment("1969-12-31 23:59:59.999999"), moment("1970-01-01 00:00:00.000001")],
    );
    check_second_refused(
        TimestampNanosecondArray::from(vec![1_000, 1_001]),
        "column `a`: 1001 ns has a fraction of a microsecond, which no column holds",
    );
    let range = "is not a moment between the years 0 and 9999, after 1970-01-01";
    check_second_refused(
        TimestampSecondArray::from(vec![253_402_300_799, 253_402_300_800]),
        &format!("column `a`: 253402300800 s {range}"),
    );
    check_second_refused(TimestampSecondArray::from(vec![0, i64::MAX]), &format!("column `a`: {} s {range}", i64::MAX));
    check_second_refused(
        TimestampMicrosecondArray::from(vec![0, i64::MIN]),
        &format!("column `a`: {} us {range}", i64::MIN),
    );
}

#[test]
fn times() {
    let want = [time("23:59:59"), Null, time("00:00:00")];
    check(Time32SecondArray::from(vec![Some(86_399), None, Some(0)]), &want);
    check(Time32MillisecondArray::from(vec![Some(86_399_000), None, Some(0)]), &want);
    check(Time64MicrosecondArray::from(vec![Some(86_399_000_000), None, Some(0)]), &want);
    check(Time64NanosecondArray::from(vec![Some(86_399_000_000_000), None, Some(0)]), &want);
    check_second_refused(Time32SecondArray::from(vec![0, 86_400]), "column `a`: 86400 s is not a time of day");
    check_second_refused(Time64MicrosecondArray::from(vec![0, -1]), "column `a`: -1 us is not a time of day");
    check(DurationSecondArray::from(vec![Some(-3_600), None]), &[time("-01:00:00"), Null]);
    check(DurationMillisecondArray::from(vec![90_061_001, 0]), &[time("25:01:01.001000"), time("00:00:00")]);
    check(DurationMicrosecondArray::from(vec![-1, 0]), &[time("-00:00:00.000001"), time("00:00:00")]);
    check(DurationNanosecondArray::from(vec![-1_000, 0]), &[time("-00:00:00.000001"), time("00:00:00")]);
    check_second_refused(
        DurationNanosecondArray::from(vec![0, -1]),
        "column `a`: -1 ns has a fraction of a microsecond, which no column holds",
    );
    check_second_refused(
        DurationSecondArray::from(vec![0, i64::MAX]),
        &format!("column `a`: {} s is not a TIME", i64::MAX),
    );
}

#[test]
fn instants_need_a_zone() {
    let array = TimestampMicrosecondArray::from(vec![Some(1_709_251_198_000_001), None]).with_timezone("+05:00");
    let batch = batch(&[("a", Arc::new(array.clone()))]);
    let zone = |hours| TimeZone::fixed(jiff::tz::offset(hours));
    check_values(&InZone(&batch, TimeZone::UTC), &[moment("2024-02-29 23:59:58.000001"), Null]);
    check_values(&InZone(&batch, zone(-8)), &[moment("2024-02-29 15:59:58.000001"), Null]);
    let berlin = InZone(&array, TimeZone::get("Europe/Berlin").unwrap());
    check_values(&Columns::default().with("a", berlin), &[moment("2024-03-01 00:59:58.000001"), Null]);
    // Those without a zone stay as they are.
    let civil: ArrayRef = Arc::new(TimestampSecondArray::from(vec![0]));
    check_values(&Columns::default().with("a", InZone(&civil, zone(-8))), &[moment("1970-01-01 00:00:00")]);
    let error = batch.bind(&[], 1).err().unwrap();
    let want = "column `a`: a Timestamp(µs, \"+05:00\") is an instant, and servers take what a clock shows";
    assert_eq!((error.message(), error.hint().unwrap().starts_with("`InZone(&batch, zone)`")), (want, true));
    let late = TimestampSecondArray::from(vec![0, 253_402_300_799]).with_timezone_utc();
    let late = InZone(&late, zone(1));
    let columns = Columns::default().with("a", late);
    let bound = columns.bind(&[], 1).unwrap();
    assert_eq!(bound.row(1, &mut Vec::new()).unwrap_err().row(), Some(1));
}

#[test]
fn dictionaries() {
    let values = StringArray::from(vec![Some("x"), None, Some("y")]);
    macro_rules! by_key {
        ($($key:ident),*) => { $(
            let keys = PrimitiveArray::<$key>::from(vec![Some(2), None, Some(0), Some(1)]);
            let array = DictionaryArray::new(keys, Arc::new(values.clone()));
            check(array, &[Text("y"), Null, Text("x"), Null]);
        )* };
    }
    by_key!(Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type);
    let days = DictionaryArray::new(Int8Array::from(vec![0, 1]), Arc::new(Date32Array::from(vec![0, i32::MAX])));
    let want = format!("column `a`: day {} after 1970-01-01 is not between the years 0 and 9999", i32::MAX);
    check_second_refused(days, &want);
    let odd = DictionaryArray::new(Int8Array::from(vec![0]), Arc::new(IntervalYearMonthArray::from(vec![1])));
    check_refused(odd, "column `a`: nothing that a server knows is a Interval(YearMonth)");
}

#[test]
fn runs() {
    macro_rules! by_end {
        ($($end:ident),*) => { $(
            let ends = PrimitiveArray::<$end>::from(vec![2, 3, 5]);
            let array = RunArray::try_new(&ends, &StringArray::from(vec![Some("x"), None, Some("y")])).unwrap();
            check(array.clone(), &[Text("x"), Text("x"), Null, Text("y"), Text("y")]);
            check(array.slice(1, 3), &[Text("x"), Null, Text("y")]);
            check_values(&Columns::default().with("a", &array.slice(5, 0)), &[]);
        )* };
    }
    by_end!(Int16Type, Int32Type, Int64Type);
}

#[test]
fn vectors() {
    let lists = vec![Some(vec![Some(1.0), Some(-2.5)]), None, Some(vec![Some(0.0), Some(1.0)])];
    let want = [Bytes(b"\0\0\x80\x3F\0\0\x20\xC0"), Null, Bytes(b"\0\0\0\0\0\0\x80\x3F")];
    check(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(lists.clone(), 2), &want);
    check(ListArray::from_iter_primitive::<Float32Type, _, _>(lists.clone()), &want);
    check(LargeListArray::from_iter_primitive::<Float32Type, _, _>(lists), &want);
    let mut longer = ListBuilder::new(Float32Builder::new());
    longer.append_value([]);
    longer.append_value([Some(1.0)]);
    check(longer.finish(), &[Bytes(b""), Bytes(b"\0\0\x80\x3F")]);
    let hole = vec![Some(vec![Some(1.0)]), Some(vec![None])];
    let want = "column `a`: the vector of row 1 has a NULL in it";
    check_refused(ListArray::from_iter_primitive::<Float32Type, _, _>(hole.clone()), want);
    check_refused(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(hole, 1), want);
}

#[test]
fn what_no_server_knows() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])]);
    check_refused(lists, "column `a`: nothing that a server knows is a List(Int32)");
    let field = Arc::new(Field::new("f", DataType::Int32, false));
    let fields = StructArray::from(vec![(field, Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    check_refused(fields, "column `a`: nothing that a server knows is a Struct(\"f\": non-null Int32)");
    let interval = IntervalDayTimeArray::new(ScalarBuffer::from(vec![IntervalDayTime::new(1, 1)]), None);
    check_refused(interval, "column `a`: nothing that a server knows is a Interval(DayTime)");
}

#[test]
fn a_batch_by_name_or_by_position() {
    let batch = batch(&[("Id", Arc::new(Int32Array::from(vec![1]))), ("name", Arc::new(StringArray::from(vec!["x"])))]);
    let bind = |names: &[&str], n_params| {
        let names: Vec<Box<str>> = names.iter().map(|&name| name.into()).collect();
        let bound = batch.bind(&names, n_params).map_err(|error| error.to_string())?;
        let mut values = Vec::new();
        bound.row(0, &mut values).unwrap();
        Ok(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(bind(&["name", "id"], 2), Ok("x 1".to_owned()));
    assert_eq!(bind(&[], 2), Ok("1 x".to_owned()));
    assert_eq!(bind(&["name"], 1), Err("no placeholder takes column `Id`".to_owned()));
    assert_eq!(bind(&["name", "ID", "age"], 3), Err("no column for `:age`".to_owned()));
    assert_eq!(bind(&[], 1), Err("the statement takes 1 values a row, not 2".to_owned()));
}

#[test]
fn a_batch_without_columns_has_rows() {
    let options = RecordBatchOptions::new().with_row_count(Some(3));
    let schema = Arc::new(arrow_schema::Schema::empty());
    let batch = RecordBatch::try_new_with_options(schema, vec![], &options).unwrap();
    assert_eq!(batch.bind(&[], 0).unwrap().n_rows(), 3);
}

#[test]
fn arrays_beside_slices_and_scalars() {
    let ids = Int32Array::from(vec![1, 2]);
    let columns = Columns::default().with("id", &ids).with("name", &["x", "y"]).with("land", scalar("NZ"));
    let names = ["id", "name", "land"].map(Box::from);
    let bound = columns.bind(&names, 3).unwrap();
    let mut values = Vec::new();
    bound.row(1, &mut values).unwrap();
    assert_eq!(values, [Int(2), Text("y"), Text("NZ")]);
}
