//! What would help, added to the error of a bad row: the encoding of its file, the option by which its numbers or dates are read, what to
//! do with records of another width.

use crate::dialect::{CsvOptions, Dialect};
use crate::file_format::Format;
use crate::infer_types::often_means_null;
use crate::new_table::{NewTypes, PROPOSAL_BYTES, Sample};
use crate::open::open;
use inrush_core::column::ident::quote_ident;
use inrush_core::error::{BadValue, Error, InputFault, Result};
use inrush_core::load::ledger::JobId;
use inrush_core::load::report::{Report, Stop};

/// The options of a load, with which the files of its bad rows are read again.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The files, by their paths; a row of another source has no such hint.
    pub files: &'a [String],
    /// Their format, as it was given.
    pub format: Format,
    /// How they are read.
    pub csv: &'a CsvOptions,
    /// How the types of a new table were found, if one was made.
    pub types: Option<&'a NewTypes>,
    /// The table.
    pub table: &'a str,
}

/// Adds what would help to how a load ended. `likely`: files, and what helps to read each.
///
/// # Errors
/// The one that it ended with.
pub fn at_end(end: Result<Report>, reading: &Reading<'_>, likely: &[(String, String)]) -> Result<Report> {
    let helpful = |error: Error, begun: &[_]| match reading.files {
        // Rows of a program are not read once more.
        [] => error,
        _ => at_options(at_encoding(error, likely), reading, begun),
    };
    let mut report = end.map_err(|error| helpful(at_new_table(at_full_disk(error), reading), &[]))?;
    let begun: Vec<_> = report.jobs.iter().filter(|_| report.stored > 0).map(|job| job.id).collect();
    report.stop = report.stop.map(|stop| match stop {
        Stop::BadData(error) => Stop::BadData(helpful(error, &begun)),
        Stop::Failed(error) => Stop::Failed(at_full_disk(error)),
        other => other,
    });
    Ok(report)
}

/// Adds what the encoding most likely is to the error of a row that is not UTF-8. `likely`: files, and what helps to read each.
fn at_encoding(error: Error, likely: &[(String, String)]) -> Error {
    let is_of = |(name, _): &&(String, String)| error.place().is_some_and(|place| *place.source == **name);
    match likely.iter().find(is_of).filter(|_| *error.input_fault() == InputFault::Encoding) {
        None => error,
        Some((_, likely)) => {
            let other = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            error.with_hint(format!("{likely}{other}"))
        }
    }
}

/// Adds what to do about a server that has no room.
fn at_full_disk(error: Error) -> Error {
    /// ER_DISK_FULL, ER_RECORD_FILE_FULL
    const FULL: [u16; 2] = [1021, 1114];
    if error.hint().is_some() || !FULL.contains(&error.code()) {
        return error;
    }
    error.with_hint(
        "the server's disk is full, or a limit of the table is reached (`df`, the server's error log; `innodb_data_file_path`, \
         `max_heap_table_size`); make room, then run the same command: it goes on",
    )
}

/// Adds what to do about a new table that the server does not make.
fn at_new_table(error: Error, reading: &Reading<'_>) -> Error {
    /// ER_TOO_BIG_ROWSIZE; ER_TABLE_WITHOUT_PK of MySQL, ER_REQUIRES_PRIMARY_KEY of MariaDB.
    const TOO_WIDE: u16 = 1118;
    const NO_KEY: [u16; 2] = [3750, 1173];
    match error.code() {
        _ if error.hint().is_some() || reading.types.is_none() => error,
        TOO_WIDE => error.with_hint(
            "MySQL makes no table of InnoDB with more than about 196 columns of text: `--columns a,b,@skip` leaves some out, \
             `--type` makes others short (VARCHAR(9)); `SET GLOBAL innodb_strict_mode = OFF` on the server has it make the table, \
             and refuse rows that fit no page",
        ),
        code if NO_KEY.contains(&code) => {
            error.with_hint("`--key id`, or whichever columns identify a row, makes the primary key of the new table")
        }
        _ => error,
    }
}

/// Adds a hint: the option that accepts a row which is bad only because of how it is written.
/// `begun`: the jobs that have stored rows.
fn at_options(error: Error, reading: &Reading<'_>, begun: &[JobId]) -> Error {
    let hint = at_fault(&error, reading)
        .or_else(|| at_server_value(&error))
        .or_else(|| at_format(&error, reading))
        .or_else(|| at_new_type(&error, reading, begun));
    match (hint, error.hint().map(str::to_owned)) {
        (None, _) => error,
        (Some(hint), None) => error.with_hint(hint),
        (Some(hint), Some(other)) => error.with_hint(format!("{hint}; {other}")),
    }
}

/// For what is wrong with a record or a value of a file.
fn at_fault(error: &Error, reading: &Reading<'_>) -> Option<String> {
    let record = || BadRecord::read(error, reading);
    match error.input_fault() {
        InputFault::TextAfterQuote | InputFault::QuoteOverLines | InputFault::Backslash => {
            at_quotes(error.input_fault(), record)
        }
        &InputFault::Width { expected, found } => {
            Some(at_width(expected, found, || every_record_is_bad(error, reading), record))
        }
        InputFault::UnknownName { is_column } => {
            Some(at_name(*is_column, reading.types.is_some_and(NewTypes::only_adds)))
        }
        InputFault::NumberWord("NaN") => {
            let file = &error.place()?.source;
            Some(format!("`jq -c . {file} | inrush load - --format jsonl ..` makes null of it"))
        }
        InputFault::Value { shown, why: BadValue::NoDate } if shown.starts_with("0000-00-00") => {
            Some(ZERO_DATES.into())
        }
        InputFault::Value { shown, why: BadValue::NoDate | BadValue::OtherKind } => {
            at_missing_value(shown).or_else(|| at_blanks(shown, error, reading))
        }
        _ => None,
    }
}

/// For a name in JSON that the first records do not have. `adds`: the load adds columns to the table.
fn at_name(is_column: Option<bool>, adds: bool) -> String {
    let all = "`--sample all` reads the names of all records first";
    match is_column {
        Some(true) => all.to_owned(),
        Some(false) if adds => all.to_owned(),
        Some(false) => "`--extra-fields ignore` leaves out names that the table does not have".to_owned(),
        None => format!("{all}, `--extra-fields ignore` leaves such names out"),
    }
}

/// For what only a server's message says: a zero date as a default, a geometry whose column has another spatial reference system.
fn at_server_value(error: &Error) -> Option<String> {
    /// MariaDB's; MySQL takes such a default.
    const BAD_DEFAULT: u16 = 1978;
    /// ER_WRONG_SRID_FOR_COLUMN
    const OTHER_SRID: u16 = 3643;
    match error.code() {
        BAD_DEFAULT if error.message().contains("'0000-00-00") => Some(ZERO_DATES.into()),
        OTHER_SRID => {
            let column = error.place()?.column.clone()?;
            let srid = error.message().split("the SRID of the column is ").nth(1)?;
            let srid: String = srid.chars().take_while(char::is_ascii_digit).collect();
            Some(format!(
                "`--set \"{column}=ST_GeomFromText(@{column}, {srid}, 'axis-order=long-lat')\"` says the SRID, and that the \
                 longitude comes first (`lat-long` if it comes second)"
            ))
        }
        _ => None,
    }
}

const ZERO_DATES: &str = "`--unchecked zero-dates` stores it, as servers without NO_ZERO_DATE in their `sql_mode` do";

/// For a text that often means a missing value, where a number or a date goes.
fn at_missing_value(text: &str) -> Option<String> {
    (often_means_null(text) && !text.starts_with("--")).then(|| {
        let is_word = text.chars().all(|c| c.is_ascii_alphanumeric());
        let shown = if is_word { text.to_owned() } else { format!("'{text}'") };
        format!("`--null {shown}` reads it as NULL, where it is not quoted")
    })
}

/// A bad record, with its bytes unchanged from the file.
struct BadRecord {
    raw: Vec<u8>,
    dialect: Dialect,
    file: String,
}

impl BadRecord {
    /// Reads the file again, up to the record. Returns `None` if the file cannot be read again, or if the record is not in its first
    /// `MOST_BATCHES` batches.
    fn read(error: &Error, reading: &Reading<'_>) -> Option<Self> {
        let place = error.place().filter(|place| *place.source != *"-")?;
        let mut file = open(&place.source, reading.format, reading.csv).ok()?;
        let dialect = file.as_csv()?.dialect().clone();
        for _ in 0..MOST_BATCHES {
            let batch = file.next().ok()??;
            if let Some(reject) = batch.rejects.iter().find(|reject| reject.place.line == place.line) {
                return Some(Self { raw: reject.raw.clone(), dialect, file: place.source.to_string() });
            }
        }
        None
    }

    fn has(&self, text: &[u8]) -> bool {
        self.raw.windows(text.len()).any(|window| window == text)
    }

    /// The hint for a record whose fields hold a delimiter in a way that this dialect does not read.
    fn other_way(&self) -> Option<String> {
        let delimiter = self.dialect.delimiter;
        let shown = if delimiter == b'\t' { "\\t".to_owned() } else { char::from(delimiter).to_string() };
        if self.has(&[b'\\', delimiter]) && self.dialect.escape.is_none() {
            let quotes = if self.has(b"\"") { "" } else { "--quote '' " };
            return Some(format!("`{quotes}--escape '\\'` reads `\\{shown}` as a part of a value"));
        }
        let blanks = self.has(&[delimiter, b' ', b'"']) || self.has(&[b'"', b' ', delimiter]);
        blanks.then(|| {
            format!(
                "blanks around quotes are not read: `{} | inrush load - ..` leaves them out",
                without_blanks(delimiter, &self.file)
            )
        })
    }
}

/// For quotes that may be text.
fn at_quotes(fault: &InputFault, record: impl FnOnce() -> Option<BadRecord>) -> Option<String> {
    match fault {
        InputFault::TextAfterQuote => {
            let other = record().and_then(|record| record.other_way());
            Some(other.unwrap_or_else(|| "if quotes are text in this file, `--quote ''` turns quoting off".into()))
        }
        InputFault::QuoteOverLines => {
            Some("`--quote ''` reads quotes as text, `--quote '\"'` takes such fields".into())
        }
        InputFault::Backslash => {
            Some("`--quote '' --escape '\\'` reads it as MySQL writes it, `--null '\\N'` as text".into())
        }
        _ => None,
    }
}

/// For a record that has another number of fields than the header. `all`: so has every record, as far as one looked.
fn at_width(
    expected: usize,
    found: usize,
    all: impl FnOnce() -> bool,
    record: impl FnOnce() -> Option<BadRecord>,
) -> String {
    if expected == 1 {
        // Then it is the header that is not understood, or no line has a delimiter.
        let is_single = |record: BadRecord| {
            let line = record.raw.trim_ascii();
            line.starts_with(b"'") && line.ends_with(b"'")
        };
        return match record().is_some_and(is_single) {
            true => "`--quote \"'\"` reads `'` as quotes".into(),
            false => "`--delimiter $'\\x1f'`, which no line has, reads each line as one field".into(),
        };
    }
    let record = record();
    let raw = record.as_ref().map_or(&[][..], |record| &record.raw);
    if let Some(sign) = ["#", "//", "--"].iter().find(|sign| raw.starts_with(sign.as_bytes())) {
        return format!("`--comment '{sign}'` skips lines that begin with `{sign}`");
    }
    if found < expected {
        return "`--missing-fields null` reads the fields that it lacks at its end as NULL".into();
    }
    // R writes files whose header lacks the name of the first field: what is left out would not be the field without a name.
    if all() {
        return "every record has more fields than the header has names: `--skip 1 --no-header` takes the fields in order"
            .into();
    }
    let ignored = || "`--extra-fields ignore` leaves out what is behind the fields of the header".into();
    record.and_then(|record| record.other_way()).unwrap_or_else(ignored)
}

/// For a value that would fit without the blanks around it.
fn at_blanks(value: &str, error: &Error, reading: &Reading<'_>) -> Option<String> {
    let place = error.place().filter(|place| *place.source != *"-")?;
    if value == value.trim_matches(' ') || value.trim().is_empty() {
        return None;
    }
    let file = open(&place.source, reading.format, reading.csv).ok()?;
    let command = without_blanks(file.as_csv()?.dialect().delimiter, &place.source);
    Some(format!("blanks stand around values: `{command} | inrush load - ..` leaves them out"))
}

/// The command that removes blanks before fields and after quotes; blanks within quotes stay.
fn without_blanks(delimiter: u8, file: &str) -> String {
    let shown = if delimiter == b'\t' { "\\t".to_owned() } else { char::from(delimiter).to_string() };
    let sign = if delimiter == b'|' { "\\|" } else { &shown };
    format!("sed -Ez 's/(^|{sign}|\\n) *(\"([^\"]|\"\")*\"|[^\"{shown}\\n]*) */\\1\\2/g' {file}")
}

/// Whether the file's first records are all of another width than its header.
fn every_record_is_bad(error: &Error, reading: &Reading<'_>) -> bool {
    let source = error.place().map(|place| place.source.clone()).filter(|source| **source != *"-");
    let open = |source: std::sync::Arc<str>| open(&source, reading.format, reading.csv).ok();
    let first = source.and_then(open).and_then(|mut file| file.next().ok()?);
    first.is_some_and(|batch| batch.rows.num_rows() == 0 && batch.rejects.len() > 1)
}

/// For a number or a date that is not written as SQL writes them.
fn at_format(error: &Error, reading: &Reading<'_>) -> Option<String> {
    let place = error.place()?;
    let (column, source) = (place.column.as_deref()?, &*place.source);
    if source == "-" {
        return None;
    }
    // It is read once more; if that fails, the error of the row is what counts.
    let mut file = open(source, reading.format, reading.csv).ok()?;
    let field = file.fields().iter().find(|name| name.trim().eq_ignore_ascii_case(column))?.clone();
    let proposals = file.proposals(&[field], PROPOSAL_BYTES).ok()?;
    proposals.first().map(ToString::to_string)
}

/// For a cell that the type of a new table's column does not hold: the type was found by the beginning of the file. `begun`: the jobs whose
/// rows are stored in the table, in part.
fn at_new_type(error: &Error, reading: &Reading<'_>, begun: &[JobId]) -> Option<String> {
    let column = error.place()?.column.clone()?;
    let types = reading.types?;
    let is_given = types.given.iter().any(|(name, _)| name.to_lowercase() == column.to_lowercase());
    let is_there = types.there.iter().flatten().any(|there| there.name.to_lowercase() == column.to_lowercase());
    // The server's own errors are about keys and the like.
    if is_given || is_there || error.code() != 0 {
        return None;
    }
    let anew = match begun {
        [] => String::new(),
        jobs => {
            let ids: Vec<String> = jobs.iter().map(ToString::to_string).collect();
            format!(
                "once `inrush load --forget {}` and `DROP TABLE {}` have undone this load: ",
                ids.join(" "),
                reading.table
            )
        }
    };
    let found = match (types.sample, reading.files.iter().any(|file| file == "-")) {
        (Sample::All, _) | (_, true) => "",
        _ => "`--sample all` finds a type that holds all rows, ",
    };
    let ty = match error.input_fault() {
        InputFault::Null => return None,
        InputFault::Value { why: BadValue::TooLong, .. } => "LONGTEXT",
        _ => "VARCHAR(255)",
    };
    let given = format!("{column}={ty}").replace('\'', "'\\''");
    if types.only_adds() {
        let alter = format!("ALTER TABLE {} MODIFY {} {ty}", reading.table, quote_ident(&column));
        return Some(format!("{found}`--type '{given}'` gives it one; once the column is added, {alter} does"));
    }
    Some(format!("{anew}{found}`--type '{given}'` gives it one"))
}

/// A bad record is searched in so many batches, 4 MiB each.
const MOST_BATCHES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::CsvReader;
    use inrush_core::error::Place;

    fn record(raw: &str) -> Option<BadRecord> {
        let dialect = CsvReader::new("x", &b"a,b\n"[..], &CsvOptions::default()).unwrap().dialect().clone();
        Some(BadRecord { raw: raw.into(), dialect, file: "x.csv".into() })
    }

    /// The hint does not name `--extra-fields ignore` if this would cut a value.
    #[test]
    fn records_that_hold_a_delimiter() {
        let check = |raw: &str, want: &str| {
            let hint = at_width(3, 4, || false, || record(raw));
            assert!(hint.contains(want), "{raw}: {hint}");
        };
        check("1,Doe\\, Jo,2\n", "`--quote '' --escape '\\'` reads `\\,` as a part of a value");
        check("1,\"x\",Doe\\, Jo\n", "`--escape '\\'` reads");
        check("1, \"a, b\", 2\n", "`sed -Ez 's/(^|,|\\n) *(");
        check("1,a,b,c\n", "`--extra-fields ignore` leaves out what is behind");
    }

    #[test]
    fn quotes_that_may_be_text() {
        let check = |fault: InputFault, raw: &str, want: &str| {
            let hint = at_quotes(&fault, || record(raw)).unwrap_or_default();
            assert!(hint.contains(want) && hint.is_empty() == want.is_empty(), "{fault:?}: {hint}");
        };
        check(InputFault::TextAfterQuote, "1,\"a\" b\n", "`--quote ''` turns quoting off");
        check(InputFault::TextAfterQuote, "1,\"a\" ,b\n", "`sed -Ez '");
        check(InputFault::Backslash, "", "`--null '\\N'` as text");
        check(InputFault::Other, "", "");
    }

    #[test]
    fn what_the_server_says_of_a_table_or_a_column() {
        let types = NewTypes::parse(None, false, &[]).unwrap();
        let create = |code, want: &str| {
            let error = Error::server(code, *b"HY000", "no").while_doing("cannot create table `t`");
            let hint = at_new_table(error, &reading(Some(&types))).hint().unwrap_or_default().to_owned();
            assert!(hint.contains(want) && hint.is_empty() == want.is_empty(), "{code}: {hint}");
        };
        create(1118, "`SET GLOBAL innodb_strict_mode = OFF`");
        create(3750, "`--key id`");
        create(1173, "`--key id`");
        create(1050, "");
        let place = Place { source: "a.csv".into(), line: 2, column: Some("pos".into()) };
        let srid = Error::server(
            3643,
            *b"HY000",
            "The SRID of the geometry is 0, but the SRID of the column is 4326. Consider",
        );
        let want = "`--set \"pos=ST_GeomFromText(@pos, 4326, 'axis-order=long-lat')\"`";
        assert!(at_server_value(&srid.at(place)).unwrap().starts_with(want));
        let default = Error::server(1978, *b"22007", "Incorrect default value '0000-00-00' for column 'd'");
        assert_eq!(at_server_value(&default).as_deref(), Some(ZERO_DATES));
    }

    #[test]
    fn names_that_come_late() {
        let check = |is_column, want: &[&str]| {
            assert_eq!(at_name(is_column, false).split('`').skip(1).step_by(2).collect::<Vec<_>>(), want);
        };
        assert_eq!(at_name(Some(false), true), "`--sample all` reads the names of all records first");
        check(Some(true), &["--sample all"]);
        check(Some(false), &["--extra-fields ignore"]);
        check(None, &["--sample all", "--extra-fields ignore"]);
    }

    #[test]
    fn values_that_are_something_else() {
        let check = |shown: &str, why, want: Option<&str>| {
            let error = Error::data("no").with_input_fault(InputFault::Value { shown: shown.into(), why });
            let hint = at_fault(&error, &reading(None));
            assert_eq!(hint.as_deref().map(|hint| hint.split('`').nth(1).unwrap()), want, "{shown}");
        };
        check("NA", BadValue::OtherKind, Some("--null NA"));
        check("#N/A", BadValue::NoDate, Some("--null '#N/A'"));
        check("-", BadValue::OtherKind, Some("--null '-'"));
        check("Ann", BadValue::OtherKind, None);
        check("NA", BadValue::TooLong, None);
        check("0000-00-00 00:00:00", BadValue::NoDate, Some("--unchecked zero-dates"));
        check("0000-00-01", BadValue::NoDate, None);
        check("0000-00-00", BadValue::OtherKind, None);
    }

    fn reading(types: Option<&NewTypes>) -> Reading<'_> {
        static CSV: std::sync::LazyLock<CsvOptions> = std::sync::LazyLock::new(CsvOptions::default);
        Reading { files: &[], format: Format::Auto, csv: &CSV, types, table: "t" }
    }

    #[test]
    fn records_of_another_width() {
        let check = |(expected, found), all: bool, want: &str| {
            assert!(at_width(expected, found, || all, || None).contains(want), "{expected}, {found}");
        };
        check((3, 4), false, "`--extra-fields ignore`");
        check((3, 1), false, "`--missing-fields null`");
        check((1, 4), false, "`--delimiter $'\\x1f'`");
        check((3, 4), true, "`--skip 1 --no-header`");
    }
}
