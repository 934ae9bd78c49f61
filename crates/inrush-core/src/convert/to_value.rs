//! Rust values as parameters: `(18, "Ann", None::<i32>)`. Strings and bytes are borrowed, never copied.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, civil};
use std::time::Duration;

use crate::convert::column::{BoundColumn, Cells, Scalar, Slots, Values};
use crate::value::Value;
use crate::value::{Date, DateTime, Time};

/// A Rust value that a placeholder can stand for.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a value that a server knows")]
pub trait ToValue {
    /// The value as it is sent; it borrows from the Rust value.
    fn to_value(&self) -> Value<'_>;

    /// A column of such values. The common types have faster ones than this.
    fn column(values: &[Self]) -> BoundColumn<'_>
    where
        Self: Sized + Sync,
    {
        BoundColumn::of(values)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: ToValue + ToOwned + ?Sized> ToValue for Cow<'_, T> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for Box<T> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for Arc<T> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl ToValue for Value<'_> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        *self
    }
}

impl ToValue for str {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<const N: usize> ToValue for [u8; N] {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl ToValue for Vec<u8> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

macro_rules! to_value {
    ($($ty:ty $(= $cells:ident)? => $variant:ident($value:ident => $to:expr)),* $(,)?) => { $(
        impl ToValue for $ty {
            #[inline]
            fn to_value(&self) -> Value<'_> {
                let $value = *self;
                Value::$variant($to)
            }
            $(
                fn column(values: &[Self]) -> BoundColumn<'_> {
                    BoundColumn::new(Cells::$cells(values), values.len())
                }
            )?
        }
    )* };
}

to_value! {
    bool => Int(b => b.into()),
    i8 = Int8 => Int(n => n.into()),
    i16 = Int16 => Int(n => n.into()),
    i32 = Int32 => Int(n => n.into()),
    i64 = Int64 => Int(n => n),
    isize => Int(n => n as i64),
    u8 = UInt8 => UInt(n => n.into()),
    u16 = UInt16 => UInt(n => n.into()),
    u32 = UInt32 => UInt(n => n.into()),
    u64 = UInt64 => UInt(n => n),
    usize => UInt(n => n as u64),
    f32 = Float32 => Float(n => n),
    f64 = Float64 => Double(n => n),
    Date => Date(date => date),
    DateTime => DateTime(moment => moment),
    Time => Time(time => time),
    civil::Date => Date(date => day(date)),
    civil::DateTime => DateTime(moment => DateTime {
        date: day(moment.date()),
        hour: moment.hour() as u8,
        minute: moment.minute() as u8,
        second: moment.second() as u8,
        micros: micros(moment.subsec_nanosecond()),
    }),
    civil::Time => Time(time => Time {
        hours: time.hour() as u8,
        minutes: time.minute() as u8,
        seconds: time.second() as u8,
        micros: micros(time.subsec_nanosecond()),
        ..Time::default()
    }),
    SignedDuration => Time(span => span_of(span)),
    Duration => Time(span => span_of(SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX))),
    Timestamp => Instant(instant => instant.as_microsecond()),
}

impl ToValue for jiff::Zoned {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Instant(self.timestamp().as_microsecond())
    }
}

/// The numbers of a VECTOR, as the bytes that the column holds.
#[cfg(target_endian = "little")]
impl ToValue for [f32] {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(bytemuck::cast_slice(self))
    }
}

#[cfg(target_endian = "little")]
impl ToValue for Vec<f32> {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        self.as_slice().to_value()
    }
}

impl<'a> BoundColumn<'a> {
    /// Values of one Rust type.
    pub fn of<T: ToValue + Sync>(values: &'a [T]) -> Self {
        Self::new(Cells::Values(Arc::new(Slice(values))), values.len())
    }

    /// One value for all rows.
    pub fn scalar<T: ToValue + Send + Sync + 'a>(value: T) -> Self {
        Self::constant(Cells::Scalar(Arc::new(value)))
    }
}

struct Slice<'a, T>(&'a [T]);

impl<T: ToValue + Sync> Values for Slice<'_, T> {
    fn value(&self, row: usize) -> Value<'_> {
        self.0[row].to_value()
    }

    fn fill<'s>(&'s self, slots: Slots<'_, 's>) {
        slots.for_each(|(row, slot)| *slot = self.0[row].to_value());
    }
}

impl<T: ToValue + Send + Sync> Scalar for T {
    fn value(&self) -> Value<'_> {
        self.to_value()
    }
}

/// A year before 0 becomes one after 9999, which no column holds either, so that it is refused (`stmt::check`).
fn day(date: civil::Date) -> Date {
    Date { year: date.year() as u16, month: date.month() as u8, day: date.day() as u8 }
}

/// The server counts microseconds; what is less is cut off.
fn micros(nanos: i32) -> u32 {
    nanos.unsigned_abs() / 1000
}

/// A span that is longer than any TIME stays too long, so that it is refused (`stmt::check`).
fn span_of(span: SignedDuration) -> Time {
    let micros = i64::try_from(span.as_micros()).unwrap_or(if span.is_negative() { -i64::MAX } else { i64::MAX });
    Time::from_micros(micros).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl ToValue, want: Value<'_>) {
        assert_eq!(value.to_value(), want);
    }

    #[test]
    fn numbers() {
        check(-1i8, Value::Int(-1));
        check(u64::MAX, Value::UInt(u64::MAX));
        check(true, Value::Int(1));
        check(1.5f32, Value::Float(1.5));
    }
    #[test]
    fn texts_and_bytes() {
        check("ä", Value::Text("ä"));
        check(String::from("a"), Value::Text("a"));
        check(b"a", Value::Bytes(b"a"));
        check(Cow::Borrowed("a"), Value::Text("a"));
    }
    #[test]
    fn dates_and_times() {
        let date = Date { year: 2024, month: 2, day: 29 };
        let moment = DateTime { date, hour: 23, minute: 59, second: 58, micros: 1 };
        check(civil::date(2024, 2, 29), Value::Date(date));
        check(civil::date(2024, 2, 29).at(23, 59, 58, 1_999), Value::DateTime(moment));
        let time = Time { hours: 23, minutes: 59, seconds: 58, micros: 500_000, ..Time::default() };
        check(civil::time(23, 59, 58, 500_000_000), Value::Time(time));
        check(SignedDuration::from_micros(-3_020_399_000_001), Value::Time(Time::parse(b"-838:59:59.000001").unwrap()));
        check(SignedDuration::from_nanos(-1_500), Value::Time(Time { negative: true, micros: 1, ..Time::default() }));
    }
    #[test]
    fn what_no_column_holds_does_not_become_something_else() {
        let Value::Date(date) = civil::Date::MIN.to_value() else { panic!() };
        assert!(date.year > 9999);
        let Value::Time(time) = SignedDuration::MIN.to_value() else { panic!() };
        assert!(time.negative && time.days > 100_000_000);
    }
    #[test]
    fn vectors() {
        check(vec![1.0f32, -2.5], Value::Bytes(b"\0\0\x80\x3F\0\0\x20\xC0"));
    }
    #[test]
    fn what_may_be_absent() {
        check(Some(3u8), Value::UInt(3));
        check(None::<&str>, Value::Null);
    }
}
