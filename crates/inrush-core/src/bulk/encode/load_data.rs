//! LOAD DATA: the statement, and the text that the server reads for LOCAL INFILE.
//!
//! Invariant: each row ends in `\n`, and no field holds a bare separator, newline or backslash; NULL is `\N`. A batch whose own text is
//! like that is not written anew ([`as_it_stands`]).
//! The statement says everything that decides how the text is read, so that no default of a server can. Binary, BIT, spatial
//! and VECTOR columns pass through a user variable: raw bytes beside text are refused by MySQL and bent by MariaDB.

mod lines;

pub use lines::Lines;
pub(in crate::bulk) use lines::of_cells;

use super::block::{Block, Special};
use super::{Field, Layout, fields, kept};
use crate::bulk::{Batch, Computed, Glance, Separators};
use crate::value::Rules;
use crate::value::check::{Check, CheckedColumn, Form};
use crate::value::column::{Column, ColumnType};
use crate::value::ident::quote_ident;
use crate::value::text_literal::quote_text;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use memchr::memchr2;

/// The statement that reads rows of `columns` into `table` (quoted, with its schema). `file_name` is what the server will ask
/// for.
///
/// The separators are hex literals, which mean the same in every sql_mode.
pub fn statement(table: &str, columns: &[Column], rules: &Rules, file_name: &str) -> String {
    statement_into(&format!("INTO TABLE {table}"), columns, &Layout::plain(columns), rules, ENCODED, file_name)
}

/// The same where `into` may say what is done about duplicate keys (`REPLACE INTO TABLE t`), something is computed, and the fields may
/// be told apart in another way.
pub fn statement_into(
    into: &str,
    columns: &[Column],
    layout: &Layout,
    rules: &Rules,
    separators: Separators,
    file_name: &str,
) -> String {
    let fields: Vec<_> = columns.iter().map(|column| (column.name.as_str(), Form::of(&column.ty, rules))).collect();
    let (values, variables) = fields.split_at(layout.n_values);
    let charset = if layout.computed.is_empty() { charset(&columns[..layout.n_values]) } else { AS_CHARACTERS };
    let names = &layout.names[layout.n_values..];
    statement_with(&Reading { into, charset, separators }, values, variables.len(), &layout.computed, names, file_name)
}

/// The same for columns and how their fields are written. `into` may say more: `REPLACE INTO TABLE t PARTITION (p)`.
pub(in crate::bulk) fn statement_of(into: &str, charset: &str, fields: &[(&str, Form)], file_name: &str) -> String {
    statement_with(&Reading { into, charset, separators: ENCODED }, fields, 0, &[], &[], file_name)
}

/// Where the text goes, and how it is to be read.
struct Reading<'a> {
    into: &'a str,
    charset: &'a str,
    separators: Separators,
}

/// What the servers are told that the text is. It is UTF-8 in any case, and no byte of a longer character looks like one that ends a
/// field; where no column can tell the difference they are spared to go through it character by character, which takes up to an
/// eighth of their time (docs/notes/load-speed.md).
pub(in crate::bulk) fn charset<'a>(columns: impl IntoIterator<Item = &'a Column>) -> &'static str {
    if columns.into_iter().all(takes_bytes) { AS_BYTES } else { AS_CHARACTERS }
}

/// Whether a column stores what it is given as bytes as it would the characters: numbers and times are ASCII, and texts are checked
/// against the column's own character set, which is the same.
fn takes_bytes(column: &Column) -> bool {
    use ColumnType::{Char, Date, DateTime, Decimal, Double, Float, Int, Text, Time, Timestamp, VarChar, Year};
    match column.ty {
        Int { .. } | Decimal { .. } | Float { .. } | Double { .. } => true,
        Year | Date | Time { .. } | DateTime { .. } | Timestamp { .. } => true,
        Char { .. } | VarChar { .. } | Text { .. } => column.charset.as_deref() == Some("utf8mb4"),
        _ => false,
    }
}

const AS_BYTES: &str = "binary";
const AS_CHARACTERS: &str = "utf8mb4";

/// Behind the fields that go into columns come `n_variables` more; what is computed of all of them goes into the columns `names`.
fn statement_with(
    &Reading { into, charset, separators }: &Reading<'_>,
    fields: &[(&str, Form)],
    n_variables: usize,
    computed: &[Computed<usize>],
    names: &[String],
    file_name: &str,
) -> String {
    let variable = |number: usize| format!("@inrush{}", number + 1);
    let mut name = Vec::new();
    quote_text(file_name.as_bytes(), true, &mut name);
    let mut list = Vec::new();
    let mut set = Vec::new();
    for (i, (column, form)) in fields.iter().enumerate() {
        let ident = quote_ident(column);
        match expression(*form, &variable(i)) {
            None => list.push(ident),
            Some(expression) => {
                list.push(variable(i));
                set.push(format!("{ident}={expression}"));
            }
        }
    }
    list.extend((0..n_variables).map(|i| variable(fields.len() + i)));
    for (name, computed) in names.iter().zip(computed) {
        set.push(format!("{}={}", quote_ident(name), computed.sql(variable)));
    }
    let set = if set.is_empty() { String::new() } else { format!(" SET {}", set.join(",")) };
    let Separators { terminated_by, enclosed_by } = separators;
    let enclosed = enclosed_by.map_or(String::new(), |quote| format!(" OPTIONALLY ENCLOSED BY X'{quote:02X}'"));
    format!(
        "LOAD DATA LOCAL INFILE {} {into} CHARACTER SET {charset} \
         FIELDS TERMINATED BY X'{terminated_by:02X}'{enclosed} ESCAPED BY X'5C' LINES TERMINATED BY X'0A' ({}){set}",
        String::from_utf8_lossy(&name),
        list.join(",")
    )
}

/// Appends all rows but those in `skip` (sorted) to `out`. Returns how many they are.
///
/// ```text
/// field \t field \t .. \n     a row of one empty field is an empty line, and the servers count it
/// ```
pub fn encode(columns: &[CheckedColumn], skip: &[u32], out: &mut Vec<u8>) -> usize {
    let n_rows = columns.first().map_or(0, |column| column.cells.views().len());
    let fields = fields(columns);
    let mut block = Block::new(out);
    let mut n_encoded = 0;
    for row in kept(0..n_rows, skip) {
        for field in &fields {
            encode_field(field, row, &mut block);
            block.push(ENCODED.terminated_by);
        }
        // Every field has put a separator behind itself; the last one's place is the row's end.
        block.set_last(b'\n');
        n_encoded += 1;
    }
    block.finish();
    n_encoded
}

/// The separators with which the server can read a batch's own text, because encoding it would change nothing else: all of it is
/// rows without a NULL, none to skip, `columns` are as they were before they were checked, and nothing in it would be escaped.
///
/// Where fields may be enclosed, the servers read NULL of the bare word (MySQL manual, LOAD DATA, "Field and Line Handling").
pub fn as_it_stands(batch: &Batch, columns: &[CheckedColumn], skip: &[u32]) -> Option<Separators> {
    let Separators { terminated_by, enclosed_by } = nameable(batch.origin.verbatim)?;
    let has_nulls = || columns.iter().any(|column| column.cells.null_count() > 0);
    let says_null = || enclosed_by.is_some() && columns.iter().any(|column| column.cells.views().contains(&NULL_VIEW));
    let [backslash, nul] = ESCAPED;
    let stands = says_all(batch, columns, skip)
        && !has_nulls()
        && !says_null()
        && memchr2(backslash, nul, &batch.origin.text).is_none();
    stands.then_some(Separators { terminated_by, enclosed_by })
}

/// Whether what is [encoded](encode) of a batch is all of its rows, with their cells as they were before they were checked.
pub fn says_all(batch: &Batch, columns: &[CheckedColumn], skip: &[u32]) -> bool {
    let cells = batch.rows.columns();
    let says_it = |(column, cells): (&CheckedColumn, &ArrayRef)| {
        takes_text(column.form) && column.is_untouched(cells.as_binary_view())
    };
    skip.is_empty() && columns.len() == cells.len() && columns.iter().zip(cells).all(says_it)
}

/// Whether a text may stand at all in columns of these checks.
pub fn may_stand(checks: &[Check]) -> bool {
    checks.iter().all(|check| takes_text(check.form()))
}

/// The separators with which the server can read the text of a [`Glance`] as it stands, if `checks` are those it was looked over with and
/// [`may_stand`] says so.
pub fn stands_at_a_glance(glance: &Glance) -> Option<Separators> {
    nameable(glance.origin.verbatim)
}

/// Bytes are encoded in any case.
fn takes_text(form: Form) -> bool {
    form != Form::Bytes
}

/// Separators that a statement can name.
fn nameable(separators: Option<Separators>) -> Option<Separators> {
    separators.filter(|it| is_separator(it.terminated_by) && it.enclosed_by.is_none_or(is_separator))
}

/// Letters and digits stand for other bytes behind the escape, and the servers warn of them.
fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

#[inline]
fn encode_field(field: &Field<'_>, row: usize, block: &mut Block<'_>) {
    if field.cells.is_null(row) {
        return block.extend(NULL);
    }
    match field.form {
        Form::Number | Form::Bits | Form::Plain | Form::Argument(_) => block.copy(field.cell(row)),
        Form::Text | Form::Geometry => block.copy_escaped(field.cell(row), SPECIAL, escape),
        Form::Bytes => block.hex(field.cells.bytes(row)),
    }
}

/// What becomes of a field that is read into a variable; `None` for one that goes straight into its column.
fn expression(form: Form, variable: &str) -> Option<String> {
    match form {
        Form::Number | Form::Plain | Form::Text => None,
        Form::Bits => Some(format!("CAST({variable} AS UNSIGNED)")),
        Form::Bytes => Some(format!("UNHEX({variable})")),
        Form::Argument(function) => Some(format!("{function}({variable})")),
        Form::Geometry => {
            Some(format!("IF({variable} REGEXP '^[0-9A-Fa-f]',UNHEX({variable}),ST_GeomFromText({variable}))"))
        }
    }
}

pub(in crate::bulk) fn escape(byte: u8) -> [u8; 2] {
    let letter = match byte {
        b'\t' => b't',
        b'\n' => b'n',
        0 => b'0',
        other => other,
    };
    [b'\\', letter]
}

/// How the fields of a text that is encoded are told apart.
pub const ENCODED: Separators = Separators { terminated_by: b'\t', enclosed_by: None };

/// How NULL is written.
pub const NULL: &[u8] = b"\\N";

/// What no field holds bare, besides what the fields are told apart by: the escape, and NUL, which is written as one.
pub const ESCAPED: [u8; 2] = [b'\\', 0];

const SPECIAL: Special = Special::new([ENCODED.terminated_by, b'\n', ESCAPED[0], ESCAPED[1]]);

/// What is NULL, if it is all of a field that is not enclosed, wherever fields may be enclosed.
pub const NULL_WORD: [u8; 4] = *b"NULL";

/// The view of a cell that is this word.
const NULL_VIEW: u128 = NULL_WORD.len() as u128 | (u32::from_le_bytes(NULL_WORD) as u128) << 32;

#[cfg(test)]
mod tests;
