//! Rows of values that own their bytes: for callers that collect rows one at a time and send them later.
//!
//! One buffer holds the texts of all rows one after another, a second one holds all bytes, and a cell has the range of its own:
//! no allocation for each row once the buffer has found its size.

use crate::convert::params::by_position;
use crate::convert::{BoundRows, BoxedRows, Rows, resolve};
use crate::error::{Error, Result};
use crate::value::Value;
use crate::value::{Date, DateTime, Time};
use std::ops::Range;

/// Rows of values that own their bytes.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    n_columns: usize,
    n_rows: usize,
    /// Row by row.
    cells: Vec<Cell>,
    text: String,
    bytes: Vec<u8>,
}

/// A value whose bytes are stored in the buffer.
#[derive(Clone, Debug)]
enum Cell {
    Null,
    Bytes(Range<usize>),
    Text(Range<usize>),
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    Date(Date),
    DateTime(DateTime),
    Time(Time),
    Instant(i64),
    Default,
}

impl RowBuffer {
    /// Creates a buffer without rows. Each row will have this many values.
    pub fn new(n_columns: usize) -> Self {
        Self { n_columns, ..Self::default() }
    }

    /// Copies a row after the others.
    ///
    /// # Errors
    /// `Config` for a row of another number of values, `Data` for a value that cannot be written; the row is left out.
    pub fn push(&mut self, values: &[Value<'_>]) -> Result<()> {
        if values.len() != self.n_columns {
            let message = format!("a row of {} values is not one of {}", values.len(), self.n_columns);
            return Err(Error::config(message).at_row(self.n_rows as u64));
        }
        for (i, value) in values.iter().enumerate() {
            let cell = match value {
                Value::Written(_) | Value::Json(_) => self.keep_written(value),
                value => Ok(self.keep(*value)),
            };
            match cell {
                Ok(cell) => self.cells.push(cell),
                Err(error) => {
                    self.cells.truncate(self.n_rows * self.n_columns);
                    return Err(error.while_doing(&format!("value {} cannot be sent", i + 1)));
                }
            }
        }
        self.n_rows += 1;
        Ok(())
    }

    /// Copies rows of another buffer after the others.
    ///
    /// # Errors
    /// Those of [`RowBuffer::push`], if the other's rows have another number of values.
    ///
    /// # Panics
    /// If the other has no such row.
    pub fn extend_from(&mut self, other: &Self, rows: impl IntoIterator<Item = usize>) -> Result<()> {
        let mut values = Vec::with_capacity(other.n_columns);
        for row in rows {
            values.clear();
            other.row(row, &mut values)?;
            self.push(&values)?;
        }
        Ok(())
    }

    /// Copies some rows, in the given order, into a new buffer.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn pick(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut picked = Self::new(self.n_columns);
        for row in rows {
            picked.cells.extend(self.cells_of(row..row + 1).iter().cloned());
            let first = picked.cells.len() - self.n_columns;
            for i in first..picked.cells.len() {
                let value = self.value(&picked.cells[i]);
                picked.cells[i] = picked.keep(value);
            }
            picked.n_rows += 1;
        }
        picked
    }

    /// Forgets all rows and keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
        self.bytes.clear();
        self.n_rows = 0;
    }

    /// How many values a row has.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// How much memory the rows take.
    pub fn n_bytes(&self) -> usize {
        self.cells.len() * size_of::<Cell>() + self.text.len() + self.bytes.len()
    }

    fn keep_written(&mut self, value: &Value<'_>) -> Result<Cell> {
        let mut written = Vec::new();
        let form = resolve::form(value, None, &mut written)?;
        Ok(self.keep(form.of(&Value::Null, &written)))
    }

    fn keep(&mut self, value: Value<'_>) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Bytes(bytes) => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                Cell::Bytes(start..self.bytes.len())
            }
            Value::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                Cell::Text(start..self.text.len())
            }
            Value::Int(n) => Cell::Int(n),
            Value::UInt(n) => Cell::UInt(n),
            Value::Float(n) => Cell::Float(n),
            Value::Double(n) => Cell::Double(n),
            Value::Date(date) => Cell::Date(date),
            Value::DateTime(moment) => Cell::DateTime(moment),
            Value::Time(time) => Cell::Time(time),
            Value::Instant(micros) => Cell::Instant(micros),
            // Such a value was written before.
            Value::Default | Value::Written(_) | Value::Json(_) => Cell::Default,
        }
    }

    fn value(&self, cell: &Cell) -> Value<'_> {
        match cell {
            Cell::Null => Value::Null,
            Cell::Bytes(range) => Value::Bytes(&self.bytes[range.clone()]),
            Cell::Text(range) => Value::Text(&self.text[range.clone()]),
            Cell::Int(n) => Value::Int(*n),
            Cell::UInt(n) => Value::UInt(*n),
            Cell::Float(n) => Value::Float(*n),
            Cell::Double(n) => Value::Double(*n),
            Cell::Date(date) => Value::Date(*date),
            Cell::DateTime(moment) => Value::DateTime(*moment),
            Cell::Time(time) => Value::Time(*time),
            Cell::Instant(micros) => Value::Instant(*micros),
            Cell::Default => Value::Default,
        }
    }

    fn cells_of(&self, rows: Range<usize>) -> &[Cell] {
        assert!(rows.end <= self.n_rows, "rows {rows:?} of {}", self.n_rows);
        &self.cells[rows.start * self.n_columns..rows.end * self.n_columns]
    }
}

impl BoundRows for RowBuffer {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        out.extend(self.cells_of(row..row + 1).iter().map(|cell| self.value(cell)));
        Ok(())
    }

    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        out.extend(self.cells_of(rows).iter().map(|cell| self.value(cell)));
        Ok(())
    }
}

impl Rows for RowBuffer {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        by_position(names)?;
        if self.n_columns != n_params {
            let message = format!("the statement takes {n_params} values a row, not {}", self.n_columns);
            return Err(Error::config(message));
        }
        Ok(Box::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date { year: 2024, month: 2, day: 29 };
    const EVERY_KIND: [Value<'static>; 10] = [
        Value::Null,
        Value::Bytes(b"\xFF\0"),
        Value::Text("ä€🦀"),
        Value::Int(-1),
        Value::UInt(u64::MAX),
        Value::Float(1.5),
        Value::Double(-2.5),
        Value::Date(DAY),
        Value::DateTime(DateTime { date: DAY, hour: 23, minute: 59, second: 58, micros: 1 }),
        Value::Time(Time { negative: true, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 1 }),
    ];

    fn of(rows: &[&[Value<'_>]]) -> RowBuffer {
        let mut buffer = RowBuffer::new(rows.first().map_or(2, |row| row.len()));
        rows.iter().for_each(|row| buffer.push(row).unwrap());
        buffer
    }

    #[track_caller]
    fn check(buffer: &RowBuffer, want: &[&[Value<'_>]]) {
        let mut values = Vec::new();
        (0..buffer.n_rows()).for_each(|row| buffer.row(row, &mut values).unwrap());
        assert_eq!((buffer.n_rows(), values), (want.len(), want.concat()));
    }

    #[test]
    fn every_kind_of_value_comes_back() {
        check(&of(&[&EVERY_KIND, &EVERY_KIND]), &[&EVERY_KIND, &EVERY_KIND]);
    }
    #[test]
    fn rows_may_have_no_values() {
        check(&of(&[&[], &[]]), &[&[], &[]]);
        check(&of(&[]), &[]);
    }
    #[test]
    fn a_row_of_another_length_is_left_out() {
        let mut buffer = of(&[&[Value::Int(1), Value::Text("a")]]);
        let error = buffer.push(&[Value::Text("b")]).unwrap_err();
        assert_eq!((error.message(), error.row()), ("a row of 1 values is not one of 2", Some(1)));
        check(&buffer, &[&[Value::Int(1), Value::Text("a")]]);
    }
    #[test]
    fn rows_are_taken_out_in_any_order() {
        let rows: [&[Value<'_>]; 3] = [
            &[Value::Int(1), Value::Text("a"), Value::Bytes(b"x")],
            &[Value::Int(2), Value::Text("bb"), Value::Bytes(b"")],
            &[Value::Int(3), Value::Null, Value::Bytes(b"zzz")],
        ];
        let buffer = of(&rows);
        check(&buffer.pick([2, 0]), &[rows[2], rows[0]]);
        check(&buffer.pick([]), &[]);
        let mut other = buffer.pick([1]);
        other.extend_from(&buffer, 1..3).unwrap();
        check(&other, &[rows[1], rows[1], rows[2]]);
        assert!(RowBuffer::new(1).extend_from(&buffer, [0]).is_err());
    }
    #[test]
    fn what_is_cleared_keeps_its_memory() {
        let mut buffer = of(&[&EVERY_KIND, &EVERY_KIND]);
        let room = (buffer.cells.capacity(), buffer.text.capacity(), buffer.bytes.capacity());
        buffer.clear();
        check(&buffer, &[]);
        assert!(buffer.is_empty() && buffer.n_bytes() == 0);
        buffer.push(&EVERY_KIND).unwrap();
        check(&buffer, &[&EVERY_KIND]);
        assert_eq!(room, (buffer.cells.capacity(), buffer.text.capacity(), buffer.bytes.capacity()));
    }
    #[test]
    fn size_is_that_of_cells_and_texts() {
        assert_eq!(of(&[&[Value::Text("abc"), Value::Bytes(b"de")]]).n_bytes(), 2 * size_of::<Cell>() + 5);
        assert_eq!(size_of::<Cell>(), 24);
    }
    #[test]
    fn a_statement_takes_as_many_values_as_a_row_has() {
        let buffer = of(&[&[Value::Int(1), Value::Int(2)]]);
        let bind = |names: &[&str], n_params| {
            let names: Vec<Box<str>> = names.iter().map(|&name| name.into()).collect();
            buffer.bind(&names, n_params).map(|rows| rows.n_rows()).map_err(|error| error.message().to_owned())
        };
        assert_eq!(bind(&[], 2), Ok(1));
        assert_eq!(bind(&["a", "b"], 2), Ok(1));
        assert_eq!(bind(&[], 3), Err("the statement takes 3 values a row, not 2".to_owned()));
        assert_eq!(bind(&["a", "a"], 2), Err("placeholder `:a` comes twice, so values need names".to_owned()));
    }
}
