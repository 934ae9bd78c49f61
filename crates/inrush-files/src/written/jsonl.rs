//! JSON Lines: an object a row. Whole numbers and DOUBLEs are JSON's numbers, and so are DECIMALs and FLOATs of at most 15 digits, since a
//! reader that supports only doubles keeps these; longer ones, dates and times are texts. A document of a JSON column is written unchanged.

use super::column::LineColumn;
use crate::cells::json;
use inrush_core::error::{Error, Result};
use inrush_core::load::ColumnKind;

pub(super) fn line<'c>(
    cells: impl Iterator<Item = (&'c LineColumn, Option<&'c [u8]>)>,
    lines: &mut Vec<u8>,
) -> Result<()> {
    lines.push(b'{');
    for (at, (column, cell)) in cells.enumerate() {
        if at > 0 {
            lines.push(b',');
        }
        string(&column.name, lines);
        lines.push(b':');
        match cell {
            None => lines.extend_from_slice(b"null"),
            Some(cell) if column.is_document => document(column, cell, lines)?,
            Some(cell) if column.is_truth => lines.extend_from_slice(if cell == b"1" { b"true" } else { b"false" }),
            Some(cell) if is_number(column.kind, cell) => lines.extend_from_slice(cell),
            Some(cell) => string(cell, lines),
        }
    }
    lines.extend_from_slice(b"}\n");
    Ok(())
}

/// A line end in a document is between its values, where a blank means the same.
fn document(column: &LineColumn, cell: &[u8], lines: &mut Vec<u8>) -> Result<()> {
    if cell.trim_ascii() == b"null" {
        let name = String::from_utf8_lossy(&column.name);
        let problem = format!("column `{name}` holds the JSON value null, which a reader of JSON Lines takes for NULL");
        return Err(Error::data(problem).with_hint("Parquet, Arrow and CSV hold it"));
    }
    lines.extend(cell.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    Ok(())
}

/// A NaN and the infinities are no numbers of JSON.
fn is_number(kind: ColumnKind, cell: &[u8]) -> bool {
    let n_digits = || cell.iter().filter(|byte| byte.is_ascii_digit()).count();
    match kind {
        ColumnKind::Integer => true,
        ColumnKind::Double | ColumnKind::Float => cell.last().is_some_and(u8::is_ascii_digit),
        ColumnKind::Decimal => n_digits() <= EXACT_DIGITS,
        _ => false,
    }
}

fn string(text: &[u8], lines: &mut Vec<u8>) {
    json::string(&String::from_utf8_lossy(text), lines);
}

/// A double keeps so many decimal digits.
const EXACT_DIGITS: usize = 15;
