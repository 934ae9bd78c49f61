//! The files of one load: opens them together, checks them against each other, and reports what was detected.

use crate::dialect::CsvOptions;
use crate::file_format::Format;
use crate::file_source::{FileSource, RejectForm};
use crate::new_table::shortened;
use crate::open::open;
use inrush_core::error::{Error, InputFault, Result};
use inrush_core::human;
use inrush_core::load::plan::nearest;
use inrush_core::load::{NewColumns, Source as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Opens every file; all that cannot be opened are named at once.
///
/// # Errors
/// Those of [`open`]; `Config` for a file that cannot be mapped to a table.
pub fn open_all(files: &[String], format: Format, csv: &CsvOptions) -> Result<Vec<Box<dyn FileSource>>> {
    let open = |file: &String| open(file, format, csv).and_then(|reader| readable(reader, csv));
    let opened: Vec<_> = files.iter().map(|file| (file, open(file))).collect();
    let mut readers = Vec::new();
    let mut failed: Option<Error> = None;
    for (file, result) in opened {
        let result = match result {
            // A later file of the load may have the same line as its header.
            Err(error) if message_in_doubt(&error).is_some() && can_be_opened_again(file) => open(file),
            result => result,
        };
        match result {
            Ok(reader) => readers.extend(reader),
            Err(error) => failed = Some(join(failed, error)),
        }
    }
    failed.map_or(Ok(readers), Err)
}

/// The message without the line, if a first line may be a header or a row.
fn message_in_doubt(error: &Error) -> Option<&str> {
    match error.input_fault() {
        InputFault::HeaderInDoubt { message } => Some(message),
        _ => None,
    }
}

/// Returns false for a pipe, whose beginning was already read.
fn can_be_opened_again(file: &str) -> bool {
    file != "-" && std::fs::metadata(file).map_or(true, |metadata| metadata.is_file())
}

/// Refuses files that cannot be mapped to a table; skips an empty file without a header, which has no rows.
fn readable(file: Box<dyn FileSource>, csv: &CsvOptions) -> Result<Option<Box<dyn FileSource>>> {
    let Some(reader) = file.as_csv() else { return Ok(Some(file).filter(|file| !file.fields().is_empty())) };
    let has_header = reader.found().map_or(csv.header, |found| found.header);
    if reader.names().is_empty() {
        return if has_header {
            Err(Error::config(format!("`{}` is empty: it has not even a header", reader.name())))
        } else {
            Ok(None)
        };
    }
    if has_header && reader.names().iter().any(|name| name.contains('\0')) {
        return Err(Error::config(format!("the header of `{}` has NUL bytes in it", reader.name()))
            .with_hint("if it is UTF-16, say so: `--encoding utf-16le`; if it is no text, it cannot be loaded"));
    }
    Ok(Some(file))
}

/// Whether the files have headers, given or detected; all must agree.
///
/// # Errors
/// `Config` where they do not.
pub fn found_header(readers: &[Box<dyn FileSource>], csv: &CsvOptions) -> Result<bool> {
    let found = |reader: &dyn FileSource| Some(reader.as_csv()?.found()?.header);
    let headers: Vec<(&str, bool)> = readers.iter().filter_map(|r| Some((r.name(), found(&**r)?))).collect();
    match headers.windows(2).find(|pair| pair[0].1 != pair[1].1) {
        None => Ok(headers.first().map_or(csv.header, |(_, header)| *header)),
        Some(pair) => {
            let (with, without) = if pair[0].1 { (pair[0].0, pair[1].0) } else { (pair[1].0, pair[0].0) };
            Err(Error::config(format!("`{with}` has a header, and `{without}` seems to have none"))
                .with_hint("say it for all: `--header` or `--no-header`; or load them one after the other"))
        }
    }
}

/// Refuses a format of dates for a field that no file has.
///
/// # Errors
/// `Config`.
pub fn check_fields_of_formats(readers: &[Box<dyn FileSource>], csv: &CsvOptions) -> Result<()> {
    let fields = || readers.iter().flat_map(|reader| reader.fields()).map(|field| field.trim());
    for format in &csv.formats.dates {
        let Some(column) = format.column.as_deref().filter(|column| !fields().any(|f| f.eq_ignore_ascii_case(column)))
        else {
            continue;
        };
        let message = format!("`--date-format {column}={}`: no file has a field `{column}`", format.format);
        let hint = match nearest(column, fields()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the fields are {}", readers.first().map_or(&[][..], |reader| reader.fields()).join(", ")),
        };
        return Err(Error::config(message).with_hint(hint));
    }
    Ok(())
}

/// Refuses to leave names out and to add columns for them, and to infer the types of a dump's columns: a text such as `'NA'` is one in it, and no
/// missing value. Of texts, the option is about fields without a name.
///
/// # Errors
/// `Config`.
pub fn check_other_names(
    readers: &[Box<dyn FileSource>],
    (csv, format): (&CsvOptions, Format),
    new_columns: NewColumns,
) -> Result<()> {
    let is_dump = |name: &str| format.is_dump(name.rsplit_once('#').map_or(name, |(archive, _)| archive));
    if let Some(dump) = readers.iter().find(|reader| new_columns == NewColumns::Add && is_dump(reader.name())) {
        return Err(Error::config(format!(
            "`--new-columns add` infers types, and `{}` is a dump, which has the definitions of its columns",
            dump.name()
        ))
        .with_hint(
            "add the columns by ALTER TABLE first, as the dump has them; `--new-columns ignore` leaves them out",
        ));
    }
    match readers.iter().find(|reader| reader.reject_form() == RejectForm::Lines) {
        Some(json) if csv.ignore_extra_fields && new_columns == NewColumns::Add => Err(Error::config(format!(
            "of `{}`, `--extra-fields ignore` leaves out names that the table does not have, and `--new-columns add` adds columns for them",
            json.name()
        ))
        .with_hint("give one of the two options")),
        _ => Ok(()),
    }
}

/// Refuses to read the names of all records of files that have none, where no types are inferred either.
///
/// # Errors
/// `Config`.
pub fn check_all_names(readers: &[Box<dyn FileSource>], csv: &CsvOptions, makes_table: bool) -> Result<()> {
    let is_json = readers.iter().all(|reader| reader.reject_form() == RejectForm::Lines);
    if makes_table || !csv.all_names || is_json {
        return Ok(());
    }
    Err(Error::config("`--sample all` is for a new table, and for JSON, whose names it reads first")
        .with_hint("add `--create-table`; ALTER TABLE changes the types of a table that is there"))
}

/// What was detected in files that are not plain CSV with a header, and which names of headers were changed in more than the blanks
/// around them: a line each.
pub fn describe_all(readers: &[Box<dyn FileSource>]) -> Vec<String> {
    let mut lines = Vec::new();
    let found = readers.iter().filter_map(|reader| Some((reader.name(), reader.as_csv()?.found()?.differences())));
    let mut files = BTreeMap::<String, Vec<&str>>::new();
    for (name, differences) in found.filter(|(_, differences)| !differences.is_empty()) {
        files.entry(differences).or_default().push(name);
    }
    for (differences, names) in files {
        let more = match names.len() - 1 {
            0 => String::new(),
            n => format!(" and {}", human::counted(n as u64, "other file")),
        };
        lines.push(format!("found in `{}`{more}: {differences}", names[0]));
    }
    lines.extend(readers.iter().filter_map(|reader| describe_renamed(&**reader)));
    lines
}

fn describe_renamed(reader: &dyn FileSource) -> Option<String> {
    let renamed = reader.renamed().iter().filter(|(_, old, new)| old.trim() != new);
    let mut said: Vec<String> = renamed
        .map(|(field, old, new)| match old.trim() {
            "" => format!("field {field}, which has no name, is `{new}`"),
            old => format!("field {field}, `{}`, is `{new}`", old.escape_debug()),
        })
        .collect();
    let more = said.len().saturating_sub(MOST_RENAMED);
    said.truncate(MOST_RENAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!said.is_empty()).then(|| format!("columns of `{}`: {}{more}", reader.name(), said.join("; ")))
}

/// The most changed names that are shown.
const MOST_RENAMED: usize = 10;

/// The files that are not UTF-8, each with a hint how to read it.
pub fn likely_encodings(readers: &[Box<dyn FileSource>]) -> Vec<(String, String)> {
    let likely = readers.iter().filter_map(|reader| {
        let likely = reader.as_csv()?.likely_encoding()?;
        Some((reader.name().to_owned(), likely.to_owned()))
    });
    likely.collect()
}

/// A new table would have columns of bytes for texts in another encoding.
///
/// # Errors
/// `Config`.
pub fn refuse_other_encodings(likely: &[(String, String)]) -> Result<()> {
    match likely.first() {
        None => Ok(()),
        Some((name, likely)) => Err(Error::config(format!("`{name}` is not UTF-8")).with_hint(likely.clone())),
    }
}

/// In which fields empty text in quotes was NULL, counted while they are read.
#[derive(Debug)]
pub struct QuotedEmpties(Vec<(Vec<String>, Arc<[AtomicBool]>)>);

impl QuotedEmpties {
    /// The fields of these files.
    pub fn of(readers: &[Box<dyn FileSource>]) -> Self {
        let fields = |reader: &dyn FileSource| Some((reader.fields().to_vec(), reader.as_csv()?.quoted_empties()));
        Self(readers.iter().filter_map(|reader| fields(&**reader)).collect())
    }

    /// The message about these fields, once the files are read; `None` if there are no such fields.
    pub fn describe(&self) -> Option<String> {
        let of_file = |(names, met): &(Vec<String>, Arc<[AtomicBool]>)| {
            let met = names.iter().zip(met.iter()).filter(|(_, met)| met.load(Relaxed));
            met.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let names: BTreeSet<String> = self.0.iter().flat_map(of_file).collect();
        (!names.is_empty()).then(|| {
            let names = shortened(names.iter().map(String::as_str).collect());
            format!("`\"\"` is read as NULL in {names}, which hold no empty text")
        })
    }
}

fn join(earlier: Option<Error>, error: Error) -> Error {
    match earlier {
        None => error,
        Some(earlier) => {
            let hint = earlier.hint().or(error.hint()).map(str::to_owned);
            let mut both = Error::new(earlier.kind(), format!("{earlier}\n  {error}"));
            let shown = |error: &Error| message_in_doubt(error).map_or_else(|| error.to_string(), str::to_owned);
            if [&earlier, &error].into_iter().any(|error| message_in_doubt(error).is_some()) {
                let message = format!("{}\n  {}", shown(&earlier), shown(&error)).into();
                both = both.with_input_fault(InputFault::HeaderInDoubt { message });
            }
            match hint {
                Some(hint) => both.with_hint(hint),
                None => both,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load with masks shows the message without the first lines of all files.
    #[test]
    fn joined_errors_have_a_message_without_lines() {
        let in_doubt = |name: &str| {
            let message = format!("the first line of `{name}` may be a header or a row");
            let error = Error::config(format!("{message}: `secret`"));
            error.with_input_fault(InputFault::HeaderInDoubt { message: message.into() })
        };
        let empty = || Error::config("`c` is empty");
        let both = join(Some(join(Some(in_doubt("a")), in_doubt("b"))), empty());
        let lines =
            ["the first line of `a` may be a header or a row", "the first line of `b` may be a header or a row"];
        assert_eq!(message_in_doubt(&both).unwrap(), format!("{}\n  {}\n  `c` is empty", lines[0], lines[1]));
        assert!(message_in_doubt(&join(Some(empty()), empty())).is_none());
    }
}
