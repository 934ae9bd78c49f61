//! One common value, written with copies of a fixed number of bytes into a block: a comparison for the room, no call
//! (docs/notes/batches.md). Common is a value of its parameter's known type, and a text of at most 250 bytes.

use crate::value::{Date, DateTime, Value};
use crate::wire::ParamType;
use crate::wire::bulk_execute::Indicator;

/// Where rows are put before they are copied into the caller's buffer.
pub(crate) type Block = [u8; BLOCK];

/// Bytes that [`put_value`] writes for a value.
#[inline(always)]
pub(crate) fn length<const HEAD: usize>(value: &Value<'_>, ty: ParamType) -> Option<usize> {
    let n_bytes = match value {
        Value::Int(_) if ty == ParamType::INT => 8,
        Value::Text(text) if ty == ParamType::TEXT && text.len() <= LONGEST => 1 + text.len(),
        Value::Double(_) if ty == ParamType::DOUBLE => 8,
        Value::DateTime(moment) if ty == ParamType::DATE_TIME => {
            if moment.micros > 0 {
                12
            } else {
                8
            }
        }
        Value::UInt(_) if ty == ParamType::UINT => 8,
        Value::Bytes(bytes) if ty == ParamType::BYTES && bytes.len() <= LONGEST => 1 + bytes.len(),
        Value::Date(_) if ty == ParamType::DATE => 5,
        Value::Null => 0,
        _ => return None,
    };
    Some(HEAD + n_bytes)
}

/// Writes one value at `at`, and returns where it ends.
#[inline(always)]
pub(crate) fn put_value<const HEAD: usize>(
    value: &Value<'_>,
    ty: ParamType,
    block: &mut Block,
    at: usize,
    null: impl FnOnce(),
) -> Option<usize> {
    if at > BLOCK - ROOM {
        return None;
    }
    let room = &mut block[at..];
    let slot = room.first_chunk_mut::<ROOM>()?;
    if HEAD > 0 {
        slot[0] = Indicator::Value as u8;
    }
    let n_bytes = match value {
        Value::Int(n) if ty == ParamType::INT => put_eight::<HEAD>(slot, n.to_le_bytes()),
        Value::Text(text) if ty == ParamType::TEXT => put_text::<HEAD>(room, text.as_bytes())?,
        Value::Double(n) if ty == ParamType::DOUBLE => put_eight::<HEAD>(slot, n.to_le_bytes()),
        Value::DateTime(moment) if ty == ParamType::DATE_TIME => put_date_time::<HEAD>(slot, moment),
        Value::UInt(n) if ty == ParamType::UINT => put_eight::<HEAD>(slot, n.to_le_bytes()),
        Value::Bytes(bytes) if ty == ParamType::BYTES => put_text::<HEAD>(room, bytes)?,
        Value::Date(date) if ty == ParamType::DATE => put_date::<HEAD>(slot, *date),
        Value::Null => {
            null();
            if HEAD > 0 {
                slot[0] = Indicator::Null as u8;
            }
            HEAD
        }
        _ => return None,
    };
    Some(at + n_bytes)
}

/// Writes one cell at `at`, and returns where it ends.
#[inline(always)]
pub(crate) fn put_cell<const HEAD: usize>(
    cell: Option<&[u8]>,
    block: &mut Block,
    at: usize,
    null: impl FnOnce(),
) -> Option<usize> {
    if at > BLOCK - ROOM {
        return None;
    }
    let room = &mut block[at..];
    let Some(cell) = cell else {
        null();
        if HEAD > 0 {
            room[0] = Indicator::Null as u8;
        }
        return Some(at + HEAD);
    };
    if HEAD > 0 {
        room[0] = Indicator::Value as u8;
    }
    Some(at + put_text::<HEAD>(room, cell)?)
}

#[inline(always)]
fn put_eight<const HEAD: usize>(slot: &mut [u8; ROOM], bytes: [u8; 8]) -> usize {
    set(slot, HEAD, bytes);
    HEAD + 8
}

#[inline(always)]
fn put_date<const HEAD: usize>(slot: &mut [u8; ROOM], date: Date) -> usize {
    let [a, b] = date.year.to_le_bytes();
    set(slot, HEAD, [4, a, b, date.month, date.day]);
    HEAD + 5
}

#[inline(always)]
fn put_date_time<const HEAD: usize>(slot: &mut [u8; ROOM], moment: &DateTime) -> usize {
    let DateTime { date, hour, minute, second, micros } = *moment;
    let [a, b] = date.year.to_le_bytes();
    let length = if micros > 0 { 11 } else { 7 };
    set(slot, HEAD, [length, a, b, date.month, date.day, hour, minute, second]);
    // Nothing is written after the end: where rows are stored in columns, the next row is there already.
    if micros > 0 {
        set(slot, HEAD + 8, micros.to_le_bytes());
    }
    HEAD + 1 + usize::from(length)
}

/// Two copies that overlap, instead of one of just that length.
#[inline(always)]
fn put_text<const HEAD: usize>(room: &mut [u8], text: &[u8]) -> Option<usize> {
    let n = text.len();
    if n > LONGEST {
        return None;
    }
    let (head, room) = room.split_at_mut_checked(HEAD + 1)?;
    head[HEAD] = n as u8;
    if n > 32 {
        room.get_mut(..n)?.copy_from_slice(text);
        return Some(HEAD + 1 + n);
    }
    let slot = room.first_chunk_mut::<32>()?;
    if let (Some(first), Some(last)) = (text.first_chunk::<16>(), text.last_chunk::<16>()) {
        set(slot, 0, *first);
        set(slot, n - 16, *last);
    } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        set(slot, 0, *first);
        set(slot, n - 8, *last);
    } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        set(slot, 0, *first);
        set(slot, n - 4, *last);
    } else {
        slot.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
    }
    Some(HEAD + 1 + n)
}

/// Of an array, so that it is one store or two; the checks are those of constants.
#[inline(always)]
fn set<const N: usize>(slot: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(place) = slot.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        *place = bytes;
    }
}

/// Of the texts whose length is one byte.
const LONGEST: usize = 250;

/// Of an indicator, a length, and a text of 32 bytes, which is longer than any number or moment.
pub(crate) const ROOM: usize = 2 + 32;

/// Some fifty rows; small enough to stay in the nearest cache together with the values.
pub(crate) const BLOCK: usize = 4 << 10;
