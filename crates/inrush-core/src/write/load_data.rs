//! LOAD DATA for a statement with placeholders: `INSERT INTO t (a, b) VALUES (?, ?)` becomes the statement that reads the same columns from
//! LOCAL INFILE, and rows of values become its text.
//!
//! The stored values are those that an execution stores. A value for which no text gives that result is refused, with its row,
//! and another method must write it (docs/notes/write.md). The caller must handle what LOCAL itself does to rows, like IGNORE
//! (docs/notes/load-traps.md).
//!
//! | column | field |
//! |---|---|
//! | BIT | the number; that of bytes is that of their bits |
//! | BINARY, BLOB, spatial, VECTOR | hex digits of the bytes; in the first two also those of a number's or a day's text |
//! | ENUM, SET | the names; a number is an index, so it becomes the names that it stands for |
//! | whole numbers | a number with a fraction is rounded as the server rounds a DOUBLE: `2.5` is 2 as a number and 3 as a text |
//! | YEAR | 0 is `0000`: the text `0` is the year 2000 |
//! | all others | the text |

use super::block::Block;
use super::literal::{has_none, not_finite, put_moment};
use super::load_text::{ENCODED, LoadText, TextField, charset, escape, statement_of};
use super::template::{Cell, Kind, Template};
use crate::column::{Column, ColumnKind, ColumnType, Form, TypeProperties};
use crate::convert::{BoundRows, RowReader};
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::value::Value;
use std::io::Write as _;
use std::ops::Range;

/// How the rows of one statement are loaded.
#[derive(Clone, Debug)]
pub struct LoadData {
    /// `REPLACE INTO TABLE t`.
    into: String,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
struct Field {
    column: Column,
    form: FieldForm,
}

/// How the values of a column are written.
#[derive(Clone, Debug)]
enum FieldForm {
    /// A number that may have a fraction, an address, a type that we know nothing of: a text that the server converts.
    Plain,
    /// A whole number.
    Int,
    Year,
    /// A day, a time.
    Moment,
    Bits,
    /// A text, in this kind of character set.
    Text {
        utf8: bool,
    },
    Json,
    Bytes,
    /// Bytes in a format of the server's.
    Format,
    Enum(Vec<String>),
    Set(Vec<String>),
}

impl LoadData {
    /// `columns` are all of the table's, in its order.
    ///
    /// # Errors
    /// `Config` for a statement that does more with its values than to store them, or whose columns the table does not have.
    pub fn new(statement: &Statement, template: &Template, columns: &[Column]) -> Result<Self> {
        let row = template.multi_row(statement)?;
        let refuse = |why: &str| Err(Error::config(format!("LOAD DATA cannot do what the statement does: {why}")));
        if row.n_rows > 1 || !row.cells.iter().all(|cell| matches!(cell, Cell::Placeholder(_))) {
            return refuse("its VALUES list has more than a placeholder for each column");
        }
        if template.on_duplicate {
            return refuse("ON DUPLICATE KEY UPDATE");
        }
        if template.returning {
            return refuse("RETURNING");
        }
        let targets: Vec<&Column> = match &template.columns {
            None => columns.iter().collect(),
            Some(names) => names.iter().map(|name| column(columns, name)).collect::<Result<_>>()?,
        };
        if targets.len() != row.cells.len() {
            let message = format!("the statement has {} values for {} columns", row.cells.len(), targets.len());
            return Err(Error::config(message));
        }
        if let Some(column) = targets.iter().find(|column| column.generated) {
            return Err(Error::config(format!("column `{}` is generated and takes no value", column.name)));
        }
        let duplicates = match template.kind {
            Kind::Replace => "REPLACE ",
            _ if template.ignore => "IGNORE ",
            _ => "",
        };
        Ok(Self {
            into: format!("{duplicates}INTO TABLE {}", template.table_text(statement)),
            fields: targets
                .into_iter()
                .map(|column| Field { column: column.clone(), form: FieldForm::of(column) })
                .collect(),
        })
    }

    /// Returns the statement for a text. `file_name` is the file that the server will request.
    pub fn statement(&self, text: &[u8], file_name: &str) -> String {
        let fields: Vec<_> = self.fields.iter().map(|field| TextField::new(&field.column, field.form.form())).collect();
        statement_of(
            &self.into,
            charset(self.fields.iter().map(|field| &field.column), LoadText::encoded(text)),
            &fields,
            file_name,
        )
    }

    /// Appends the first of `range` to `out`, until it has `n_bytes`. Returns how many rows they are: one at least, unless `range` is empty.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`], and `Data` for a value that the text cannot say. `out` then holds the rows before it.
    pub fn encode(
        &self,
        rows: &dyn BoundRows,
        range: Range<usize>,
        n_bytes: usize,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        let mut reader = RowReader::new(rows, range.clone());
        let mut block = Block::new(out);
        let mut result = Ok(range.len());
        for row in range.clone() {
            let start = block.total();
            if row > range.start && start >= n_bytes {
                result = Ok(row - range.start);
                break;
            }
            if let Err(error) = reader.row(row).and_then(|values| self.encode_row(row, values, &mut block)) {
                block.truncate(start);
                result = Err(error);
                break;
            }
        }
        block.finish();
        result
    }

    #[inline]
    fn encode_row(&self, row: usize, values: &[Value<'_>], block: &mut Block<'_>) -> Result<()> {
        for (field, value) in self.fields.iter().zip(values) {
            field.put(value, block).map_err(|error| error.at_row(row as u64))?;
            block.push(ENCODED.terminated_by);
        }
        // Every field is followed by a separator; the last field's separator is replaced by the row end. (A table has a column.)
        block.set_last(b'\n');
        Ok(())
    }
}

fn column<'c>(columns: &'c [Column], name: &str) -> Result<&'c Column> {
    let is_it = |column: &&Column| column.name == name || column.name.to_lowercase() == name.to_lowercase();
    columns.iter().find(is_it).ok_or_else(|| Error::config(format!("the table has no column `{name}`")))
}

impl FieldForm {
    fn of(column: &Column) -> Self {
        let TypeProperties { form, kind, .. } = column.ty.properties();
        match (form, kind, &column.ty) {
            (Form::Bits, ..) => Self::Bits,
            (Form::Bytes, ..) => Self::Bytes,
            (_, ColumnKind::Integer, _) => Self::Int,
            (_, ColumnKind::Moment | ColumnKind::Time, _) => Self::Moment,
            (_, ColumnKind::Json, _) => Self::Json,
            (.., ColumnType::Year) => Self::Year,
            (.., ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. }) => {
                Self::Text { utf8: column.charset.as_ref().is_some_and(|charset| charset.starts_with("utf8")) }
            }
            (.., ColumnType::Enum { members }) => Self::Enum(members.clone()),
            (.., ColumnType::Set { members }) => Self::Set(members.clone()),
            (.., ColumnType::Geometry { .. } | ColumnType::Vector { .. }) => Self::Format,
            _ => Self::Plain,
        }
    }

    fn form(&self) -> Form {
        match self {
            Self::Bits => Form::Bits,
            Self::Bytes | Self::Format => Form::Bytes,
            _ => Form::Text,
        }
    }
}

impl Field {
    #[inline]
    fn put(&self, value: &Value<'_>, out: &mut Block<'_>) -> Result<()> {
        match *value {
            Value::Null => out.put(b"\\N"),
            Value::Default | Value::Instant(_) | Value::Written(_) | Value::Json(_) => return Err(self.refuse(value)),
            Value::Text(text) => match self.form {
                FieldForm::Bytes => out.hex(text.as_bytes()),
                FieldForm::Bits | FieldForm::Format => return Err(self.refuse(value)),
                _ => put_text(text.as_bytes(), out),
            },
            Value::Bytes(bytes) => match self.form {
                FieldForm::Bytes | FieldForm::Format => out.hex(bytes),
                FieldForm::Bits => put_number(value.bits().ok_or_else(|| self.refuse(value))?, out),
                FieldForm::Json => return Err(self.refuse(value)),
                _ if self.takes(bytes) => put_text(bytes, out),
                _ => return Err(self.refuse(value)),
            },
            Value::Int(n) => match self.form {
                FieldForm::Bits => put_number(n.cast_unsigned(), out),
                FieldForm::Year if n == 0 => out.put(b"0000"),
                _ if self.takes_digits() => put_number(n, out),
                _ => return self.put_whole(value, out),
            },
            Value::UInt(n) => match self.form {
                FieldForm::Year if n == 0 => out.put(b"0000"),
                _ if self.takes_digits() => put_number(n, out),
                _ => return self.put_whole(value, out),
            },
            Value::Float(n) => return self.put_double(n.into(), out),
            Value::Double(n) => return self.put_double(n, out),
            Value::Date(_) | Value::DateTime(_) | Value::Time(_) => match self.form {
                FieldForm::Bytes => out.hex(value.to_string().as_bytes()),
                FieldForm::Bits | FieldForm::Format | FieldForm::Json => return Err(self.refuse(value)),
                _ => put_moment(value, out),
            },
        }
        Ok(())
    }

    fn takes_digits(&self) -> bool {
        matches!(
            self.form,
            FieldForm::Plain
                | FieldForm::Int
                | FieldForm::Year
                | FieldForm::Moment
                | FieldForm::Text { .. }
                | FieldForm::Bits
        )
    }

    /// Writes a whole number into a column where it has another meaning.
    fn put_whole(&self, value: &Value<'_>, out: &mut Block<'_>) -> Result<()> {
        let names = match &self.form {
            FieldForm::Bytes => {
                out.hex(value.to_string().as_bytes());
                return Ok(());
            }
            FieldForm::Enum(members) => value.as_u64().and_then(|n| name_of(n, members)),
            FieldForm::Set(members) => value.as_u64().and_then(|n| names_of(n, members)),
            _ => None,
        };
        put_text(names.ok_or_else(|| self.refuse(value))?.as_bytes(), out);
        Ok(())
    }

    fn put_double(&self, n: f64, out: &mut Block<'_>) -> Result<()> {
        let value = Value::Double(n);
        if !n.is_finite() {
            return Err(not_finite(n));
        }
        match self.form {
            FieldForm::Plain => out.put(zmij::Buffer::new().format_finite(n).as_bytes()),
            // Bound, MySQL stores 9223372036854775807 for those just below 2^63.
            FieldForm::Int if (NEAR_2_63..TWO_63).contains(&n.abs()) => return Err(self.refuse(&value)),
            FieldForm::Int => put_whole_double(n.round_ties_even(), out),
            FieldForm::Text { .. } if is_printed_alike(n) => put_printed(&value, out),
            FieldForm::Bytes if is_printed_alike(n) => out.hex(value.to_string().as_bytes()),
            _ => return Err(self.refuse(&value)),
        }
        Ok(())
    }

    /// Whether these bytes mean the same as text in utf8mb4, as which the field is read.
    fn takes(&self, bytes: &[u8]) -> bool {
        bytes.is_ascii()
            || matches!(self.form, FieldForm::Text { utf8: true }) && simdutf8::basic::from_utf8(bytes).is_ok()
    }

    #[cold]
    fn refuse(&self, value: &Value<'_>) -> Error {
        let message = format!("LOAD DATA has no text for {} in column `{}`", value.shown(), self.column.name);
        Error::data(message).with_hint("another method takes it")
    }
}

/// Whether all servers print it as we do, without an exponent.
fn is_printed_alike(n: f64) -> bool {
    n.to_bits() == 0 || (1e-4..1e15).contains(&n.abs())
}

fn name_of(index: u64, members: &[String]) -> Option<String> {
    members.get(usize::try_from(index).ok()?.checked_sub(1)?).cloned()
}

fn names_of(bits: u64, members: &[String]) -> Option<String> {
    let names: Vec<_> = members
        .iter()
        .enumerate()
        .filter(|(i, _)| bits.checked_shr(*i as u32).is_some_and(|bits| bits & 1 == 1))
        .map(|(_, name)| &**name)
        .collect();
    (names.len() as u32 == bits.count_ones()).then(|| names.join(","))
}

fn put_number(n: impl itoa::Integer, out: &mut Block<'_>) {
    out.put(itoa::Buffer::new().format(n).as_bytes());
}

/// All digits of a whole DOUBLE, as the server stores a bound one in a whole number. The shortest digits that are read as the same DOUBLE
/// stand for another whole number beyond 2^53. No column holds one beyond 2^64.
fn put_whole_double(n: f64, out: &mut Block<'_>) {
    match n.abs() < BEYOND_ALL {
        true => put_number(n as i128, out),
        false => put_printed(&Value::Double(n), out),
    }
}

const NEAR_2_63: f64 = 9_223_372_036_854_700_000.0;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const BEYOND_ALL: f64 = 18_446_744_073_709_551_616.0;

/// As the server prints it: nothing in it needs an escape.
fn put_printed(value: &Value<'_>, out: &mut Block<'_>) {
    // Writing into memory does not fail.
    let _ = write!(out, "{value}");
}

#[inline]
fn put_text(text: &[u8], out: &mut Block<'_>) {
    if has_none(text, SPECIAL) {
        return out.put(text);
    }
    for byte in text {
        if SPECIAL.contains(byte) {
            out.put(&escape(*byte));
        } else {
            out.push(*byte);
        }
    }
}

const SPECIAL: [u8; 4] = [ENCODED.terminated_by, b'\n', b'\\', 0];

#[cfg(test)]
mod tests;
