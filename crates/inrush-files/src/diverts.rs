//! The reject file of `--bad-rows divert:FILE`: its preconditions, the store that it goes to, and its beginning, so that it can be
//! corrected and loaded like the files its records come from.

use crate::address::{Address, is_address};
use crate::csv::CsvReader;
use crate::file_source::{FileSource, RejectForm};
use crate::objects::ObjectRejects;
use crate::paths::table_of;
use inrush_core::error::{Error, Result};
use inrush_core::load::batch::csv_line;
use inrush_core::load::{FieldTarget, Matching, RejectStore};
use std::path::Path;
use std::sync::Arc;

/// The name with its placeholders replaced: `{date}` by today in UTC, `{file}` by the name of the (first) file up to its first dot,
/// `{table}` by the table's.
pub fn reject_file_name(name: &str, table: &str, files: &[String]) -> String {
    let file = files.first().and_then(|file| table_of(file)).unwrap_or_else(|| "stdin".into());
    // A table may be given as `database.table`.
    let table = table.rsplit('.').next().unwrap_or(table).trim_matches('`');
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    name.replace("{date}", &today).replace("{file}", &file).replace("{table}", table)
}

/// Whether the name differs from table to table.
pub fn is_of_one_table(name: &str) -> bool {
    ["{file}", "{table}"].iter().any(|part| name.contains(part))
}

/// The objects of a store that `name` is the address of; `None` for a file on the disk.
///
/// # Errors
/// `Config` for an address that nothing is written to.
pub fn reject_store(name: &Path) -> Result<Option<Arc<dyn RejectStore>>> {
    match name.to_str().and_then(Address::parse).transpose()? {
        None => Ok(None),
        Some(address) => Ok(Some(Arc::new(ObjectRejects::new(address)?))),
    }
}

/// Refuses a reject file whose rows would be lost or could not be read again.
///
/// # Errors
/// `Config`.
pub fn check_reject_file(file: &Path, sources: &[String], readers: &[Box<dyn FileSource>]) -> Result<()> {
    let is_source = file.to_str().is_some_and(|name| is_address(name) && sources.iter().any(|source| source == name));
    if is_source || same_as_source(file, sources) {
        // It would replace the source when the load ends, including records that are not stored.
        return Err(Error::config(format!("`{}` is read and would be written as well", file.display()))
            .with_hint("give `--bad-rows divert:FILE` another name"));
    }
    match readers.windows(2).find(|pair| pair[0].reject_form() != pair[1].reject_form()) {
        None => Ok(()),
        Some(pair) => Err(Error::config(format!(
            "`{}` and `{}` have different formats or delimiters, so their bad rows do not fit into one file",
            pair[0].name(),
            pair[1].name()
        ))
        .with_hint("load them one after the other, or use `--bad-rows skip`")),
    }
}

/// The beginning of the file: the names of the first source if it `has_header`. Records are written decoded, with a byte order mark where
/// the source was in another encoding than UTF-8, for it overrides the `--encoding` of the next load.
///
/// Rows of a source that is not text are written as CSV, under the names of the columns that they are loaded into.
pub fn reject_header(readers: &[Box<dyn FileSource>], has_header: bool, matching: &Matching) -> Vec<u8> {
    if let Some(reader) = readers.first().filter(|reader| reader.reject_form() == RejectForm::Cells) {
        let targets = match matching {
            Matching::Listed(targets) => targets.clone(),
            _ => reader.fields().iter().cloned().map(FieldTarget::Column).collect(),
        };
        let column = |target: FieldTarget| match target {
            FieldTarget::Column(name) => Some(Some(name)),
            FieldTarget::Skip(_) => None,
        };
        return csv_line(targets.into_iter().filter_map(column));
    }
    let readers: Vec<&CsvReader> = readers.iter().filter_map(|reader| reader.as_csv()).collect();
    let mut head = Vec::new();
    if readers.iter().any(|reader| reader.encoding().name() != "UTF-8") {
        head.extend_from_slice("\u{feff}".as_bytes());
    }
    if let (true, Some(reader)) = (has_header, readers.first()) {
        header_line(reader, &mut head);
    }
    head
}

fn same_as_source(file: &Path, sources: &[String]) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    let file = whole(file);
    file.is_some() && sources.iter().any(|source| whole(Path::new(source)) == file)
}

/// The names, quoted or escaped where they must be.
fn header_line(reader: &CsvReader, line: &mut Vec<u8>) {
    let (delimiter, quote) = (reader.dialect().delimiter, reader.dialect().quote);
    for (i, name) in reader.names().iter().enumerate() {
        if i > 0 {
            line.push(delimiter);
        }
        let name = name.as_bytes();
        let is_comment = i == 0 && reader.dialect().is_comment(name);
        match quote {
            Some(quote) if is_comment || name.iter().any(|b| [delimiter, quote, b'\n', b'\r'].contains(b)) => {
                line.push(quote);
                for &byte in name {
                    line.extend(std::iter::repeat_n(byte, if byte == quote { 2 } else { 1 }));
                }
                line.push(quote);
            }
            None if reader.dialect().escape.is_some() => {
                let escape = reader.dialect().escape;
                for &byte in name {
                    let special = [Some(delimiter), escape, Some(b'\n'), Some(b'\r')].contains(&Some(byte));
                    line.extend(escape.filter(|_| special));
                    line.push(match byte {
                        b'\n' => b'n',
                        b'\r' => b'r',
                        b'\t' if special => b't',
                        byte => byte,
                    });
                }
            }
            _ => line.extend_from_slice(name),
        }
    }
    line.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_names() {
        let files = ["in/march.2026.csv.gz".to_owned(), "other.csv".to_owned()];
        assert_eq!(reject_file_name("bad-{file}.csv", "people", &files), "bad-march.csv");
        assert_eq!(reject_file_name("{table}/{file}.csv", "shop.`people`", &["-".to_owned()]), "people/stdin.csv");
        let dated = reject_file_name("bad-{date}.csv", "people", &files);
        assert!(dated.len() == "bad-2026-03-01.csv".len() && dated.starts_with("bad-20"), "{dated}");
        assert_eq!(reject_file_name("plain.csv", "people", &files), "plain.csv");
        assert!(is_of_one_table("{file}") && is_of_one_table("a-{table}") && !is_of_one_table("{date}"));
    }
}
