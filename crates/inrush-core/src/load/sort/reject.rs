//! Rejects in the sort: they come after all rows, in the order of the sources.
//!
//! ```text
//! key   ROW and the row's key, or REJECT and nothing: places decide
//! line  of a reject: a record whose key is the column, whose place is the code, whose line is the reason
//! ```

use super::record::damaged;
use super::{Record, SourcePlace};
use crate::error::{InputFault, Place, Result};
use crate::load::Reject;
use std::sync::Arc;

/// The first byte of the key of a row.
pub const ROW: u8 = 0;

/// The key of a reject.
pub const REJECT: u8 = 1;

/// Whether this is a reject.
pub fn is_reject(record: &Record<'_>) -> bool {
    record.key.first() == Some(&REJECT)
}

/// Writes what a reject says into `line`, besides its place and its record.
pub fn write_reject(reject: &Reject, line: &mut Vec<u8>) {
    let column = reject.place.column.as_deref().unwrap_or_default();
    let place = SourcePlace(reject.code.into());
    Record { key: column.as_bytes(), place, line: reject.reason.as_bytes(), raw: b"" }.write(line);
}

/// Reads a reject; `sources` are the names of the load's sources.
///
/// # Errors
/// `Io` if it is none.
pub fn read_reject(record: &Record<'_>, sources: &[Arc<str>]) -> Result<Reject> {
    let said = Record::take(&mut &record.line[..])?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let source = sources.get(record.place.source()).ok_or_else(damaged)?.clone();
    let column = Some(text(said.key)).filter(|column| !column.is_empty()).map(Into::into);
    Ok(Reject {
        place: Place { source, line: record.place.line(), column },
        reason: text(said.line),
        fault: InputFault::Other,
        code: said.place.0 as u16,
        raw: record.raw.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_and_back() {
        for column in [None, Some("age".into())] {
            let reject = Reject {
                place: Place { source: "b.csv".into(), line: 7, column },
                reason: "`x` is not a number".into(),
                fault: InputFault::Other,
                code: 1366,
                raw: b"Ann,x\n".to_vec(),
            };
            let mut line = Vec::new();
            write_reject(&reject, &mut line);
            let record = Record { key: &[REJECT], place: SourcePlace::new(1, 7), line: &line, raw: &reject.raw };
            assert!(is_reject(&record));
            assert_eq!(read_reject(&record, &["a.csv".into(), "b.csv".into()]).unwrap(), reject);
            assert!(read_reject(&record, &["a.csv".into()]).is_err());
            assert!(read_reject(&Record { line: b"", ..record }, &["a.csv".into(), "b.csv".into()]).is_err());
        }
    }
}
