//! Parameters that get their final form before they are sent: values that are written when they are needed
//! ([`WriteValue`](crate::value::WriteValue)), and instants, which are sent as a clock in the session's time zone shows them.

use crate::convert::ParamValues;
use crate::error::{Error, Result};
use crate::value::{DateTime, Value};
use crate::zone;
use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::ops::Range;

impl<'a> ParamValues<'a> {
    /// The values in the form in which they are sent: see [`resolve`].
    ///
    /// # Errors
    /// Those of [`resolve`].
    pub fn resolve<'s>(&'s self, zone: Option<&TimeZone>, memory: &'s mut Vec<u8>) -> Result<Cow<'s, [Value<'s>]>> {
        resolve(self.as_ref(), zone, memory)
    }
}

/// The values in the form in which they are sent. `memory` takes what is written; `zone` is the session's, where it is known.
///
/// # Errors
/// `Data` for a value that cannot be written, and for an instant that no column holds; `Config` for an instant whose zone is not known.
/// The message names the value by its position, from 1.
pub fn resolve<'s>(
    values: &'s [Value<'s>],
    zone: Option<&TimeZone>,
    memory: &'s mut Vec<u8>,
) -> Result<Cow<'s, [Value<'s>]>> {
    if !values.iter().any(Value::is_deferred) {
        return Ok(Cow::Borrowed(values));
    }
    let forms = values.iter().enumerate().map(|(i, value)| {
        let form = form(value, zone, memory);
        form.map_err(|error| error.while_doing(&format!("value {} cannot be sent", i + 1)))
    });
    let forms = forms.collect::<Result<Vec<_>>>()?;
    let memory: &'s [u8] = memory;
    Ok(values.iter().zip(forms).map(|(value, form)| form.of(value, memory)).collect())
}

/// The form in which a value is sent.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Its own.
    AsItIs,
    DateTime(DateTime),
    /// Text in this part of the memory.
    Text(Range<usize>),
    /// The same with bytes.
    Bytes(Range<usize>),
}

impl Form {
    /// The value in this form.
    pub(crate) fn of<'s>(&self, value: &Value<'s>, memory: &'s [u8]) -> Value<'s> {
        match self {
            Self::AsItIs => *value,
            Self::DateTime(moment) => Value::DateTime(*moment),
            // It was checked to be UTF-8 when it was written.
            Self::Text(place) => {
                let bytes = &memory[place.clone()];
                std::str::from_utf8(bytes).map_or(Value::Bytes(bytes), Value::Text)
            }
            Self::Bytes(place) => Value::Bytes(&memory[place.clone()]),
        }
    }
}

/// Finds a value's form; what is written for it is appended to the memory.
///
/// # Errors
/// Those of [`resolve`]; the memory is as it was.
pub(crate) fn form(value: &Value<'_>, zone: Option<&TimeZone>, memory: &mut Vec<u8>) -> Result<Form> {
    let start = memory.len();
    let (end, is_text) = match value {
        Value::Instant(micros) => return in_zone(*micros, zone).map(Form::DateTime),
        Value::Written(value) => (value.write(memory), value.is_text()),
        Value::Json(value) => (value.write_json(memory), true),
        _ => return Ok(Form::AsItIs),
    };
    let place = start..memory.len();
    let checked = end.and_then(|()| match memory.get(place.clone()) {
        None => Err(Error::data("it took away what was written before it")),
        Some(text) if is_text && std::str::from_utf8(text).is_err() => {
            Err(Error::data("it says that it is text, and is not UTF-8"))
        }
        Some(_) => Ok(if is_text { Form::Text(place) } else { Form::Bytes(place) }),
    });
    checked.inspect_err(|_| memory.truncate(start))
}

/// What a clock in the session's zone shows at an instant.
pub(crate) fn in_zone(micros: i64, zone: Option<&TimeZone>) -> Result<DateTime> {
    let Some(known) = zone.filter(|zone| !zone.is_unknown()) else {
        return Err(Error::config("it is an instant, and the session's time zone is not known").with_hint(
            "`time-zone=+00:00` in the URL (`Config::with_time_zone`) sets it; a `DateTime` needs no zone",
        ));
    };
    let no_column = || Error::data(format!("{} is not between the years 0 and 9999", Value::Instant(micros)));
    let shown = zone::clock(micros, known).ok_or_else(no_column)?;
    match zone::instant(shown, known) {
        Some(_) => Ok(shown),
        None => Err(Error::data(format!("{} in the session's time zone is {shown}, twice", Value::Instant(micros)))
            .with_hint("a session in `+00:00` shows every instant once")),
    }
}

#[cfg(test)]
mod tests;
