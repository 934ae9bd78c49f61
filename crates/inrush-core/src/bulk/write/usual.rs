//! Rows of usual values, written with copies of a fixed number of bytes into memory that is there already: a comparison a value
//! for the room, no call (docs/notes/batches.md).
//!
//! Usual is a value of its parameter's known type, and a text of at most 250 bytes. Whatever is not makes the whole row one for the
//! thorough way, which writes the same bytes for all that is usual.

use super::param_type::ParamType;
use crate::wire::bulk_execute::Indicator;
use crate::wire::{Date, DateTime, Value};

/// Appends rows to `bytes` by way of a block.
pub(super) struct Page {
    block: Block,
    len: usize,
    bytes: Vec<u8>,
}

type Block = [u8; BLOCK];

impl Page {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { block: [0; BLOCK], len: 0, bytes }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + self.len
    }

    /// Appends a row that is usual, as `put` writes it: where the block's bytes end, or else where it begins.
    #[inline(always)]
    pub(super) fn put(&mut self, mut put: impl FnMut(&mut Block, usize) -> Option<usize>) -> bool {
        if let Some(end) = put(&mut self.block, self.len) {
            self.len = end;
            return true;
        }
        self.put_in_empty(put)
    }

    #[cold]
    fn put_in_empty(&mut self, mut put: impl FnMut(&mut Block, usize) -> Option<usize>) -> bool {
        self.flush();
        let end = put(&mut self.block, 0);
        self.len = end.unwrap_or(0);
        end.is_some()
    }

    /// Where rows of any kind are appended.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        self.flush();
        &mut self.bytes
    }

    /// Makes room for `n_all` rows like the first `n`, within `most` bytes, before it is made by copying all of them again and again.
    pub(super) fn reserve_like(&mut self, n: usize, n_all: usize, most: usize) {
        if self.bytes.capacity() < BLOCK && n >= SAMPLE {
            let all = (self.len() / n.max(1) + 1).saturating_mul(n_all).min(most);
            self.bytes.reserve((all + all / 8).saturating_sub(self.bytes.len()));
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len.saturating_sub(self.bytes.len()));
        self.bytes.truncate(len);
    }

    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    fn flush(&mut self) {
        self.bytes.extend_from_slice(&self.block[..self.len]);
        self.len = 0;
    }
}

/// Writes one row at `at` as COM_STMT_BULK_EXECUTE has it, and returns where it ends; `None` if it has no room or is not usual.
#[inline(always)]
pub(super) fn put_bulk_row(row: &[Value<'_>], types: &[ParamType], block: &mut Block, at: usize) -> Option<usize> {
    put_row::<1>(row, types, block, at, |_| ())
}

/// The same as COM_STMT_EXECUTE has it; `null` takes the position of each NULL.
#[inline(always)]
pub(super) fn put_bound_row(
    row: &[Value<'_>],
    types: &[ParamType],
    block: &mut Block,
    at: usize,
    null: impl FnMut(usize),
) -> Option<usize> {
    put_row::<0>(row, types, block, at, null)
}

/// `HEAD`: 1 if an indicator stands before each value.
#[inline(always)]
fn put_row<const HEAD: usize>(
    row: &[Value<'_>],
    types: &[ParamType],
    block: &mut Block,
    at: usize,
    mut null: impl FnMut(usize),
) -> Option<usize> {
    let types = types.get(..row.len())?;
    let mut at = at;
    for i in 0..row.len() {
        if at > BLOCK - ROOM {
            return None;
        }
        let room = &mut block[at..];
        let slot = room.first_chunk_mut::<ROOM>()?;
        if HEAD > 0 {
            slot[0] = Indicator::Value as u8;
        }
        let ty = &types[i];
        at += match &row[i] {
            Value::Int(n) if *ty == ParamType::INT => put_eight::<HEAD>(slot, n.to_le_bytes()),
            Value::Text(text) if *ty == ParamType::TEXT => put_text::<HEAD>(room, text.as_bytes())?,
            Value::Double(n) if *ty == ParamType::DOUBLE => put_eight::<HEAD>(slot, n.to_le_bytes()),
            Value::DateTime(moment) if *ty == ParamType::DATE_TIME => put_date_time::<HEAD>(slot, moment),
            Value::UInt(n) if *ty == ParamType::UINT => put_eight::<HEAD>(slot, n.to_le_bytes()),
            Value::Bytes(bytes) if *ty == ParamType::BYTES => put_text::<HEAD>(room, bytes)?,
            Value::Date(date) if *ty == ParamType::DATE => put_date::<HEAD>(slot, *date),
            Value::Null => {
                null(i);
                slot[0] = Indicator::Null as u8;
                HEAD
            }
            _ => return None,
        };
    }
    Some(at)
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
    set(slot, HEAD + 8, micros.to_le_bytes());
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
const ROOM: usize = 2 + 32;

/// Rows that tell how long the others are likely to be.
const SAMPLE: usize = 16;

/// Some fifty rows; small enough to stay in the nearest cache beside the values.
const BLOCK: usize = 4 << 10;

#[cfg(test)]
mod tests;
