//! Prepared statements: the commands, and the head of the reply to COM_STMT_PREPARE.

use crate::error::Error;
use crate::value::{Date, DateTime, Time, Value};
use crate::wire::lenenc::put_bytes;
use crate::wire::{ColumnType, Cursor, Malformed};

/// The server's number of a prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StmtId(pub u32);

/// COM_STMT_PREPARE: `16` and the statement.
pub fn prepare(out: &mut Vec<u8>, sql: &[u8]) {
    out.push(0x16);
    out.extend_from_slice(sql);
}

/// COM_STMT_EXECUTE.
///
/// ```text
/// 17           command
/// ss ss ss ss  statement id
/// 00           no cursor
/// 01 00 00 00  once
/// bitmap       one bit a parameter, set for NULL: (n + 7) / 8 bytes
/// 01           types follow; 00: those of the last execution hold on
/// tt ff ..     type and flag (80: unsigned) of each parameter
/// ..           the values that are not NULL and did not go ahead as long data
/// ```
///
/// Without `types` (see [`types`]) those of the last execution hold on. Values for which `is_long` went ahead.
pub fn execute(
    out: &mut Vec<u8>,
    id: StmtId,
    params: &[Value<'_>],
    types: Option<&[u8]>,
    is_long: impl Fn(&Value<'_>) -> bool,
) {
    put_execute_head(out, id);
    if params.is_empty() {
        return;
    }
    bitmap(out, params);
    out.push(types.is_some().into());
    out.extend_from_slice(types.unwrap_or_default());
    values(out, params, is_long);
}

/// Appends one bit a parameter, set for NULL.
pub fn bitmap(out: &mut Vec<u8>, params: &[Value<'_>]) {
    let bitmap = out.len();
    out.resize(bitmap + params.len().div_ceil(8), 0);
    for (i, _) in params.iter().enumerate().filter(|(_, value)| value.is_null()) {
        out[bitmap + i / 8] |= 1 << (i % 8);
    }
}

/// Appends the values that are not NULL. Those for which `is_long` go ahead.
pub fn values(out: &mut Vec<u8>, params: &[Value<'_>], is_long: impl Fn(&Value<'_>) -> bool) {
    for value in params.iter().filter(|value| !is_long(value)) {
        put_value(out, value);
    }
}

/// Appends type and flag of each parameter. A NULL has the type that `known` gives it: that of the last execution.
pub fn types(out: &mut Vec<u8>, params: &[Value<'_>], known: &[u8]) {
    for (i, value) in params.iter().enumerate() {
        match known.get(2 * i..2 * i + 2) {
            Some(known) if value.is_null() => out.extend_from_slice(known),
            _ => out.extend_from_slice(&type_bytes(value)),
        }
    }
}

/// Whether the types that the server knows fit these values; it knows none where `known` is empty. NULL fits any.
pub fn has_types(params: &[Value<'_>], known: &[u8]) -> bool {
    let fits = |(value, known): (&Value<'_>, &[u8])| value.is_null() || known == type_bytes(value);
    known.len() == 2 * params.len() && params.iter().zip(known.chunks_exact(2)).all(fits)
}

/// The kind of a parameter, as far as it may change from one execution to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Null,
    Text,
    Number,
    Moment,
}

impl Family {
    /// Returns the kind for a type's number.
    #[inline]
    pub(crate) fn of_type(ty: u8) -> Self {
        const NULL: u8 = ColumnType::MYSQL_TYPE_NULL as u8;
        const BLOB: u8 = ColumnType::MYSQL_TYPE_BLOB as u8;
        const VAR_STRING: u8 = ColumnType::MYSQL_TYPE_VAR_STRING as u8;
        const DATE: u8 = ColumnType::MYSQL_TYPE_DATE as u8;
        const DATETIME: u8 = ColumnType::MYSQL_TYPE_DATETIME as u8;
        const TIME: u8 = ColumnType::MYSQL_TYPE_TIME as u8;
        match ty {
            NULL => Self::Null,
            BLOB | VAR_STRING => Self::Text,
            DATE | DATETIME | TIME => Self::Moment,
            _ => Self::Number,
        }
    }

    #[inline]
    pub(crate) fn of(value: &Value<'_>) -> Self {
        Self::of_type(param_type(value).0 as u8)
    }
}

/// Refuses dates and times that no column can hold: MariaDB stores 838:59:59 for any longer TIME without a warning, and
/// 0000-00-00 for a year after 9999 (docs/notes/types.md). DEFAULT has no form in COM_STMT_EXECUTE.
pub fn check(params: &[Value<'_>]) -> Result<(), Error> {
    let can_be_held = |value: &Value<'_>| match value {
        Value::Date(date) => date.is_in_range(),
        Value::DateTime(moment) => moment.is_in_range(),
        Value::Time(time) => time.as_micros().is_some_and(|micros| micros.abs() <= LONGEST_TIME),
        Value::Default => false,
        value => !value.is_deferred(),
    };
    match params.iter().enumerate().find(|(_, value)| !can_be_held(value)) {
        None => Ok(()),
        Some((i, Value::Default)) => {
            Err(Error::config(format!("value {} is DEFAULT, which an execution cannot send", i + 1))
                .with_hint("batches can, as text (`multi-row`) and on MariaDB in bulk"))
        }
        Some((i, value)) if value.is_deferred() => {
            Err(Error::config(format!("value {} is not in the form that is sent yet", i + 1))
                .with_hint("`convert::resolve` gives it that form"))
        }
        Some((i, value)) => Err(Error::config(format!("value {} is {}, which no column holds", i + 1, value.shown()))),
    }
}

/// Returns the texts among values that [`values`] wrote, each with the number of its parameter. None of them was sent ahead.
pub(crate) fn texts<'v>(
    bitmap: &'v [u8],
    types: &'v [u8],
    values: &'v [u8],
) -> impl Iterator<Item = (usize, &'v [u8])> {
    let mut values = Cursor::new(values, "values");
    let is_null = |param: usize| bitmap.get(param / 8).is_none_or(|bits| bits & 1 << (param % 8) != 0);
    let written = types.chunks_exact(2).enumerate().filter(move |(param, _)| !is_null(*param));
    written
        .map_while(move |(param, ty)| {
            match (Family::of_type(ty[0]), ty[0]) {
                (Family::Text, _) => return Some(Some((param, values.lenenc_bytes().ok()?))),
                (Family::Null, _) => {}
                (Family::Moment, _) => drop(values.lenenc_bytes().ok()?),
                (Family::Number, FLOAT) => drop(values.take(4).ok()?),
                (Family::Number, _) => drop(values.take(8).ok()?),
            }
            Some(None)
        })
        .flatten()
}

/// COM_STMT_SEND_LONG_DATA: a part of a parameter's value, ahead of the execution. The server sends no reply; it reports errors
/// at the execution.
///
/// ```text
/// 18           command
/// ss ss ss ss  statement id
/// pp pp        parameter, from 0
/// ..           bytes
/// ```
pub fn long_data(out: &mut Vec<u8>, id: StmtId, param: u16, part: &[u8]) {
    out.push(0x18);
    out.extend_from_slice(&id.0.to_le_bytes());
    out.extend_from_slice(&param.to_le_bytes());
    out.extend_from_slice(part);
}

/// The same with values that a bulk encoder wrote. Without `types` (type and flag of each parameter) those of the last execution
/// hold on.
pub fn execute_encoded(out: &mut Vec<u8>, id: StmtId, bitmap: &[u8], types: Option<&[u8]>, values: &[u8]) {
    put_execute_head(out, id);
    out.extend_from_slice(bitmap);
    out.push(types.is_some().into());
    out.extend_from_slice(types.unwrap_or_default());
    out.extend_from_slice(values);
}

/// COM_STMT_CLOSE: `19` and the statement id. The server sends no reply.
pub fn close(out: &mut Vec<u8>, id: StmtId) {
    out.push(0x19);
    out.extend_from_slice(&id.0.to_le_bytes());
}

/// COM_STMT_RESET: `1a` and the statement id. Drops long data and an open cursor.
pub fn reset(out: &mut Vec<u8>, id: StmtId) {
    out.push(0x1A);
    out.extend_from_slice(&id.0.to_le_bytes());
}

/// The head of the reply to COM_STMT_PREPARE; parameter and column definitions follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrepareOk {
    /// The statement's number.
    pub id: StmtId,
    /// Number of columns of its result set, 0 if it has none.
    pub n_columns: u16,
    /// Number of placeholders.
    pub n_params: u16,
    /// Number of warnings.
    pub warnings: u16,
}

impl PrepareOk {
    /// Reads the packet.
    ///
    /// ```text
    /// 00           OK
    /// ss ss ss ss  statement id
    /// cc cc        columns
    /// pp pp        parameters
    /// 00
    /// ww ww        warnings; servers of old leave it out
    /// ```
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "reply to a prepare");
        r.expect(0x00)?;
        let id = StmtId(r.u32()?);
        let (n_columns, n_params) = (r.u16()?, r.u16()?);
        r.take(1)?;
        let warnings = if r.is_empty() { 0 } else { r.u16()? };
        Ok(Self { id, n_columns, n_params, warnings })
    }
}

/// The type of a value as it is sent: type and flag.
#[inline]
pub fn type_bytes(value: &Value<'_>) -> [u8; 2] {
    let (ty, unsigned) = param_type(value);
    [ty as u8, if unsigned { UNSIGNED } else { 0 }]
}

/// Bytes of a COM_STMT_EXECUTE besides bitmap, types and values.
pub const EXECUTE_HEAD: usize = 11;

/// Bytes of a COM_STMT_SEND_LONG_DATA besides the part.
pub const LONG_DATA_HEAD: usize = 7;

fn put_execute_head(out: &mut Vec<u8>, id: StmtId) {
    out.push(0x17);
    out.extend_from_slice(&id.0.to_le_bytes());
    out.push(0);
    out.extend_from_slice(&1u32.to_le_bytes());
}

/// The type that a value is sent as, and whether it is unsigned.
#[inline]
pub fn param_type(value: &Value<'_>) -> (ColumnType, bool) {
    match value {
        Value::Null | Value::Default => (ColumnType::MYSQL_TYPE_NULL, false),
        Value::Bytes(_) => (ColumnType::MYSQL_TYPE_BLOB, false),
        Value::Text(_) => (ColumnType::MYSQL_TYPE_VAR_STRING, false),
        Value::Int(_) => (ColumnType::MYSQL_TYPE_LONGLONG, false),
        Value::UInt(_) => (ColumnType::MYSQL_TYPE_LONGLONG, true),
        Value::Float(_) => (ColumnType::MYSQL_TYPE_FLOAT, false),
        Value::Double(_) => (ColumnType::MYSQL_TYPE_DOUBLE, false),
        Value::Date(_) => (ColumnType::MYSQL_TYPE_DATE, false),
        Value::DateTime(_) | Value::Instant(_) => (ColumnType::MYSQL_TYPE_DATETIME, false),
        Value::Json(_) => (ColumnType::MYSQL_TYPE_VAR_STRING, false),
        Value::Written(value) if value.is_text() => (ColumnType::MYSQL_TYPE_VAR_STRING, false),
        Value::Written(_) => (ColumnType::MYSQL_TYPE_BLOB, false),
        Value::Time(_) => (ColumnType::MYSQL_TYPE_TIME, false),
    }
}

/// Appends one value; nothing for NULL.
#[inline]
pub fn put_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match *value {
        // These cannot be sent: `check` refuses them.
        Value::Null | Value::Default | Value::Instant(_) | Value::Written(_) | Value::Json(_) => {}
        Value::Bytes(bytes) => put_bytes(out, bytes),
        Value::Text(text) => put_bytes(out, text.as_bytes()),
        Value::Int(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::UInt(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::Float(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::Double(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::Date(date) => {
            out.push(4);
            put_date(out, date);
        }
        Value::DateTime(moment) => put_date_time(out, &moment),
        Value::Time(time) => put_time(out, &time),
    }
}

fn put_date(out: &mut Vec<u8>, date: Date) {
    out.extend_from_slice(&date.year.to_le_bytes());
    out.extend_from_slice(&[date.month, date.day]);
}

fn put_date_time(out: &mut Vec<u8>, moment: &DateTime) {
    out.push(if moment.micros > 0 { 11 } else { 7 });
    put_date(out, moment.date);
    out.extend_from_slice(&[moment.hour, moment.minute, moment.second]);
    if moment.micros > 0 {
        out.extend_from_slice(&moment.micros.to_le_bytes());
    }
}

fn put_time(out: &mut Vec<u8>, time: &Time) {
    out.push(if time.micros > 0 { 12 } else { 8 });
    out.push(time.negative.into());
    out.extend_from_slice(&time.days.to_le_bytes());
    out.extend_from_slice(&[time.hours, time.minutes, time.seconds]);
    if time.micros > 0 {
        out.extend_from_slice(&time.micros.to_le_bytes());
    }
}

const FLOAT: u8 = ColumnType::MYSQL_TYPE_FLOAT as u8;

/// The flag of an unsigned integer.
pub(crate) const UNSIGNED: u8 = 0x80;

/// 838:59:59.999999 in microseconds.
const LONGEST_TIME: i64 = 3_020_399_999_999;

#[cfg(test)]
mod tests;
