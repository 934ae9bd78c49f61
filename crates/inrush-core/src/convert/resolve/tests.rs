use super::*;
use crate::convert::{Params, ToValue};
use crate::value::{WriteJson, WriteValue};
use crate::zone;

/// Writes the given bytes.
struct Told(&'static [u8], bool);

impl WriteValue for Told {
    fn is_text(&self) -> bool {
        self.1
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(self.0);
        match self.0 {
            b"bad" => Err(Error::data("it is bad")),
            b"gone" => {
                out.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl WriteJson for Told {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<()> {
        self.write(out)
    }
}

impl ToValue for Told {
    fn to_value(&self) -> Value<'_> {
        Value::Written(self)
    }
}

#[track_caller]
fn check(values: &[Value<'_>], zone: &str, want: Result<&[Value<'_>], &str>) {
    let zone = (!zone.is_empty()).then(|| zone::find(zone).unwrap());
    let mut memory = Vec::new();
    let got = resolve(values, zone.as_ref(), &mut memory);
    assert_eq!(got.as_deref().map_err(|error| error.message()), want);
}

fn instant(text: &str) -> Value<'static> {
    Value::Instant(text.parse::<jiff::Timestamp>().unwrap().as_microsecond())
}

fn clock(text: &str) -> Value<'static> {
    Value::DateTime(DateTime::parse(text.as_bytes()).unwrap())
}

#[test]
fn what_has_its_form_stays_where_it_is() {
    let values = [Value::Int(1), Value::Text("a"), Value::Null];
    let mut memory = Vec::new();
    assert!(matches!(resolve(&values, None, &mut memory), Ok(Cow::Borrowed(_))));
}
#[test]
fn text_and_bytes_are_written() {
    let (text, bytes, none) = (Told("ä".as_bytes(), true), Told(b"\xFF", false), Told(b"", true));
    let values =
        [Value::Written(&text), Value::Int(1), Value::Written(&bytes), Value::Json(&text), Value::Written(&none)];
    let want = [Value::Text("ä"), Value::Int(1), Value::Bytes(b"\xFF"), Value::Text("ä"), Value::Text("")];
    check(&values, "", Ok(&want));
    assert_eq!((text, 1).values(&[]).unwrap().resolve(None, &mut Vec::new()).unwrap()[0], want[0]);
}
#[test]
fn what_cannot_be_written_is_named() {
    for (told, why) in [
        (Told(b"bad", true), "it is bad"),
        (Told(b"\xFF", true), "it says that it is text, and is not UTF-8"),
        (Told(b"gone", true), "it took away what was written before it"),
    ] {
        let first = Told(b"first", true);
        let values = [Value::Written(&first), Value::Written(&told)];
        check(&values, "", Err(&format!("value 2 cannot be sent: {why}")));
    }
}
#[test]
fn an_instant_is_what_a_clock_in_the_zone_shows() {
    let summer = instant("2024-07-01T12:00:00.000001Z");
    check(&[summer], "+00:00", Ok(&[clock("2024-07-01 12:00:00.000001")]));
    check(&[summer], "-05:30", Ok(&[clock("2024-07-01 06:30:00.000001")]));
    check(&[summer], "Europe/Berlin", Ok(&[clock("2024-07-01 14:00:00.000001")]));
    check(&[instant("1969-12-31T23:59:59.5Z")], "+00:00", Ok(&[clock("1969-12-31 23:59:59.5")]));
}
#[test]
fn an_instant_without_a_certain_clock_is_refused() {
    check(
        &[instant("2024-07-01T12:00:00Z")],
        "",
        Err("value 1 cannot be sent: it is an instant, and the session's time zone is not known"),
    );
    let twice =
        "value 1 cannot be sent: 2024-10-27 00:30:00+00:00 in the session's time zone is 2024-10-27 02:30:00, twice";
    check(&[instant("2024-10-27T00:30:00Z")], "Europe/Berlin", Err(twice));
    check(
        &[Value::Instant(i64::MAX)],
        "+00:00",
        Err("value 1 cannot be sent: 9223372036854775807 us after 1970-01-01 is not between the years 0 and 9999"),
    );
}
#[test]
fn a_clock_in_the_zone_is_an_instant_if_it_is_one() {
    let at =
        |text: &str, name: &str| zone::instant(DateTime::parse(text.as_bytes()).unwrap(), &zone::find(name).unwrap());
    let micros = |text: &str| Some(text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
    assert_eq!(at("2024-07-01 12:00:00.000001", "+02:00"), micros("2024-07-01T10:00:00.000001Z"));
    assert_eq!(at("2024-07-01 12:00:00", "Europe/Berlin"), micros("2024-07-01T10:00:00Z"));
    assert_eq!(at("2024-10-27 02:30:00", "Europe/Berlin"), None, "twice");
    assert_eq!(at("2024-03-31 02:30:00", "Europe/Berlin"), None, "never");
}
