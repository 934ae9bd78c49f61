//! The columns of a table that a load makes: of files and Arrow data as the command does it, of rows by the types of their values.

use crate::cells::{ColumnSample, ValueKind};
use crate::source::Opened;
use inrush::sans_io::load::Matching;
use inrush::{LoadOptions, Result};
use inrush_core::Error;
use inrush_core::column::ColumnType;
use inrush_files::{CsvOptions, Format, Inferred, NewTable, NewTypes, infer_all};

/// The columns. From now on the sources read their fields as these.
pub(crate) fn columns(
    opened: &mut Opened,
    types: &NewTypes,
    options: &LoadOptions,
    format: Format,
    csv: &CsvOptions,
    say: &mut dyn FnMut(&str),
) -> Result<NewTable> {
    let mut of_sources = match &opened.columns {
        None => infer_all(&mut opened.sources, types.sample, format, csv)?,
        Some(columns) => vec![columns.iter().map(inferred).collect()],
    };
    if opened.files.is_empty() {
        // A program's first rows do not show whether later rows have NULL.
        of_sources.iter_mut().flatten().for_each(|field| field.nullable = true);
    }
    if let (Matching::Listed(targets), Some(first)) = (&options.matching, of_sources.first())
        && targets.len() != first.len()
    {
        let (listed, there) = (targets.len(), first.len());
        return Err(Error::config(format!("`columns` has {listed} names, and the data have {there} columns")));
    }
    let by = (&options.matching, &options.key[..]);
    NewTable::new(&mut opened.sources, &of_sources, types, by, csv, say)
}

/// The column for values of Python, by what the first rows have.
fn inferred(column: &ColumnSample) -> Inferred {
    let kinds: Vec<ValueKind> = column.kinds.iter().copied().filter(|kind| *kind != ValueKind::Null).collect();
    let is_only = |of: &[ValueKind]| !kinds.is_empty() && kinds.iter().all(|kind| of.contains(kind));
    let text = || {
        let (chars, bytes) = (column.longest_chars, column.longest_bytes);
        match bytes {
            0..=4_000 => ColumnType::VarChar { chars: u32::try_from((chars * 2).clamp(255, 16_000)).unwrap_or(16_000) },
            _ => ColumnType::Text { bytes: u32::MAX },
        }
    };
    let ty = if is_only(&[ValueKind::Bool]) {
        ColumnType::Int { bytes: 1, unsigned: false, bool: true }
    } else if is_only(&[ValueKind::Bool, ValueKind::Int]) {
        match (column.is_huge, column.has_negative) {
            (false, _) => ColumnType::Int { bytes: 8, unsigned: false, bool: false },
            (true, false) if column.longest_chars <= 20 => ColumnType::Int { bytes: 8, unsigned: true, bool: false },
            (true, _) => ColumnType::Decimal { precision: 65, scale: 0, unsigned: false },
        }
    } else if is_only(&[ValueKind::Decimal, ValueKind::Int, ValueKind::Bool]) {
        let (before, behind) = (column.digits.0.max(20), column.digits.1);
        match before + behind {
            all @ ..=65 if behind <= 30 => {
                ColumnType::Decimal { precision: all as u8, scale: behind as u8, unsigned: false }
            }
            _ => text(),
        }
    } else if is_only(&[ValueKind::Float, ValueKind::Int, ValueKind::Bool]) {
        ColumnType::Double { unsigned: false, digits: None }
    } else if is_only(&[ValueKind::Date]) {
        ColumnType::Date
    } else if is_only(&[ValueKind::DateTime, ValueKind::Date, ValueKind::Moment]) {
        // A TIMESTAMP ends in 2038.
        ColumnType::DateTime { fsp: 6 }
    } else if is_only(&[ValueKind::Time]) {
        ColumnType::Time { fsp: 6 }
    } else if is_only(&[ValueKind::Json]) {
        ColumnType::Json
    } else if kinds.contains(&ValueKind::Bytes) {
        match column.longest_bytes {
            0..=4_000 => ColumnType::VarBinary { bytes: (column.longest_bytes * 2).clamp(255, 16_000) as u32 },
            _ => ColumnType::Blob { bytes: u32::MAX },
        }
    } else {
        text()
    };
    // Rows after the first ones may lack any value.
    Inferred { max_chars: column.longest_chars, ..Inferred::new(column.name.clone(), ty, true) }
}
