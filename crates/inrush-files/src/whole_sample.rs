//! Types from more of a file than its beginning: another reader goes over it before it is loaded.

use crate::dialect::CsvOptions;
use crate::file_format::Format;
use crate::file_source::FileSource;
use crate::infer_types::{Inferred, Texts, fit_row, settle};
use crate::open::open;
use inrush_core::error::{Error, Result};

/// Infers the types of a file's fields from its first records, or from all of them. It reads the file by itself, and leaves its reader, which
/// was opened with the same options, at the beginning.
///
/// # Errors
/// Those of [`open`] and of reading; `Config` for standard input, which can be read only once.
pub fn infer_types_of(
    reader: &dyn FileSource,
    format: Format,
    options: &CsvOptions,
    n_records: Option<u64>,
) -> Result<Vec<Inferred>> {
    let path = reader.name();
    if !reader.can_be_read_again() {
        return Err(Error::config(format!(
            "`{path}` can be read only once, and `--sample` reads a file before it is loaded"
        ))
        .with_hint("leave `--sample` out: the first 4 MiB are looked at; or save it as a file"));
    }
    let n_records = n_records.unwrap_or(u64::MAX);
    let mut file = open(path, format, options)?;
    let mut fields = file.infer_from_records(n_records, Texts::Any)?;
    if fields.iter().any(|field| !field.is_text() && !field.null_texts.is_empty()) {
        // Texts in quotes are never NULL, and make their field a text.
        let mut file = open(path, format, options)?;
        file.read_as(&fields);
        let settled = file.infer_from_records(n_records, Texts::NoNulls)?;
        settle(&mut fields, settled);
    }
    fit_row(&mut fields);
    Ok(fields)
}
