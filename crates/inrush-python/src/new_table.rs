//! The columns of a table that a load makes: of files and Arrow data as the command does it, of rows by the types of their values.

use crate::cells::{Column, ValueKind};
use crate::source::Opened;
use inrush::Result;
use inrush::sans_io::bulk::{FieldTarget, Matching};
use inrush_core::Error;
use inrush_core::value::column::ColumnType;
use inrush_files::{Inferred, fit_key, fit_row};

/// As much of each file is looked at.
const SAMPLE: usize = 4 << 20;

/// What a load makes a table of.
pub(crate) struct NewTable {
    /// Names and definitions of its columns.
    pub(crate) columns: Vec<(String, String)>,
    /// The columns whose cells must keep their spelling.
    pub(crate) keep_spelling: Vec<String>,
}

/// The columns. From now on the sources read their fields as these.
pub(crate) fn columns(sources: &mut [Opened], key: &[String], matching: &Matching) -> Result<NewTable> {
    let mut of_sources: Vec<Vec<Inferred>> = Vec::new();
    for opened in sources.iter_mut() {
        let fields = match &opened.columns {
            Some(columns) => columns.iter().map(inferred).collect(),
            None => {
                let mut fields = opened.source.infer_types(SAMPLE)?;
                // What a program has now says nothing of its next rows.
                fields.iter_mut().for_each(|field| field.nullable |= opened.is_in_memory);
                fields
            }
        };
        let names = |fields: &[Inferred]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        if of_sources.first().is_some_and(|first| names(first) != names(&fields)) {
            return Err(Error::config("a new table needs data that all have the same columns")
                .with_hint("make it from one of them first, then load the others"));
        }
        of_sources.push(fields);
    }
    let Some(first) = of_sources.first() else {
        return Err(Error::config("a new table needs a first row, and there is none"));
    };
    let mut fields = first.clone();
    for others in &of_sources[1..] {
        fields = fields.into_iter().zip(others).map(|(field, other)| field.widened_by(other)).collect();
    }
    fit_row(&mut fields);
    for (opened, own) in sources.iter_mut().zip(&of_sources) {
        if opened.columns.is_some() {
            continue;
        }
        let format = |own: &Inferred, field: &Inferred| match own.has_values {
            true => own.date_format.clone(),
            false => field.date_format.clone(),
        };
        let read: Vec<Inferred> = fields
            .iter()
            .zip(own)
            .map(|(field, own)| Inferred { date_format: format(own, field), ..field.clone() })
            .collect();
        opened.source.read_as(&read);
    }
    if let Matching::Listed(targets) = matching {
        fields = renamed(fields, targets)?;
    }
    let is = |name: &str, key: &str| name.to_lowercase() == key.to_lowercase();
    if let Some(key) = key.iter().find(|key| !fields.iter().any(|field| is(&field.name, key))) {
        return Err(Error::config(format!("`key`: the new table has no column `{key}`")));
    }
    let in_key = |name: &str| key.iter().any(|key| is(name, key));
    // Who asks for no key does not say that rows are complete.
    fields.iter_mut().for_each(|field| field.nullable |= key.is_empty());
    fit_key(fields.iter_mut().filter(|field| in_key(&field.name)));
    let kept = fields.iter().filter(|field| field.keeps_spelling);
    Ok(NewTable {
        keep_spelling: kept.map(|field| field.name.clone()).collect(),
        columns: fields.iter().map(|field| (field.name.clone(), field.definition(in_key(&field.name)))).collect(),
    })
}

/// The fields under the names that the caller gives them, without those that go nowhere.
fn renamed(fields: Vec<Inferred>, targets: &[FieldTarget]) -> Result<Vec<Inferred>> {
    if fields.len() != targets.len() {
        let (listed, there) = (targets.len(), fields.len());
        return Err(Error::config(format!("`columns` has {listed} names, and the data have {there} columns")));
    }
    let pairs = fields.into_iter().zip(targets).filter_map(|(field, target)| match target {
        FieldTarget::Column(name) => Some(Inferred { name: name.clone(), ..field }),
        FieldTarget::Skip(_) => None,
    });
    Ok(pairs.collect())
}

/// The column for values of Python, by what the first rows have.
fn inferred(column: &Column) -> Inferred {
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
