//! `inrush load`: from arguments to an exit code. What happens in between is the loader's.

mod args;
mod diverts;
mod events;
mod hints;
mod interrupt;
mod job_file;
mod ledger;
mod many;
mod new_table;
mod notices;
mod pace;
mod progress;
mod repeats;
mod show;
mod sizes;
mod sources;

pub(crate) use args::{LoadArgs, parse_sort};
pub(crate) use job_file::expand;

use crate::connection::{self, Environment};
use crate::{Output, exit};
use inrush::{BadRows, Config, FieldTarget, LoadOptions, Loader, Matching, Report, Source, Stop};
use inrush_core::human;
use inrush_core::{Error, Result};
use inrush_files::{CsvOptions, FileSource, TableColumns};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Runs the command. Returns the exit code for the fate of the rows, or an error if nothing was sent.
pub(crate) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    if args.status || !args.forget.is_empty() {
        return ledger::run(args, output);
    }
    let signals = interrupt::Watch::start(output.clone())?;
    let mut tables = sources::by_table(&args.files, args.into())?;
    if !sources::is_for_many(args.into())
        && let Some(only) = tables.pop()
    {
        let report = load(&args.for_table(&only.table, only.into, only.files), &signals, output)?;
        show::report(&report, args.reject_file(), output);
        return Ok(exit::code_of_report(&report));
    }
    many::run(args, tables, &signals, output)
}

/// Loads one table. Returns an error if nothing was sent.
fn load(args: &LoadArgs, signals: &interrupt::Watch, output: &Output) -> Result<Report> {
    let mut options = args.load_options()?;
    let csv = args.csv_options()?;
    let config = args.connect.config(&Environment::of_process())?;
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Error::config("standard input (`-`) can be read only once"));
    }
    allow_open_files();
    let csv = csv.with_columns_of_table(columns_of_table(args, &options, &config));
    let mut readers = open_all(args, &csv)?;
    let has_header = found_header(&readers, &csv)?;
    if !has_header && options.matching == Matching::ByName {
        options.matching = Matching::ByPosition;
    }
    if !args.is_one_of_many() {
        check_fields_of_formats(&readers, &csv)?;
    }
    say_what_was_found(&readers, output);
    say_what_was_renamed(&readers, output);
    let likely = likely_encodings(&readers);
    if let Some(types) = args.new_types()? {
        refuse_other_encodings(&likely)?;
        let table = new_table::columns(&mut readers, &types, (args, &csv), &options, output)?;
        (options.create, options.keep_spelling) = (Some(table.columns), table.keep_spelling);
    }
    let header = match &options.bad_rows {
        BadRows::Divert(file) => {
            diverts::check(file, &args.files, &readers)?;
            diverts::head(&readers, has_header, &options.matching)
        }
        _ => Vec::new(),
    };
    let meters = readers.iter().map(|reader| (reader.name().to_owned(), reader.meter())).collect();
    let quoted_empties: Vec<_> = readers
        .iter()
        .filter_map(|reader| Some((reader.fields().to_vec(), reader.as_csv()?.quoted_empties())))
        .collect();
    let sources: Vec<Box<dyn Source>> = readers.into_iter().map(|reader| reader as Box<dyn Source>).collect();

    let events = events::Events::open(args.events.as_deref())?;
    events.write("start", json!({ "files": args.files, "into": args.into() }));
    let loader = Loader::new(config, args.into());
    let control = loader.control();
    let verb = show::verb(options.mode, options.dry_run);
    let gauge = progress::Gauge::new(control.clone(), meters, verb, args.reads_all());
    let notices = notices::Notices::new(output.clone(), events.clone(), gauge.clone());
    let loader =
        loader.with_options(options).with_reject_header(header).with_observer(move |notice| notices.take(notice));
    let _under_way = signals.of(control, gauge.clone());
    let progress = progress::Progress::start(gauge, output);
    let report = loader.load(sources);
    drop(progress);
    say_quoted_empties(&quoted_empties, output);
    let helpful = |error, begun: &[_]| hints::at_options(hints::at_encoding(error, &likely), args, &csv, begun);
    let report = report.map_err(connection::hint_at_login).map_err(hints::at_full_disk);
    let mut report = report.map_err(|error| helpful(error, &[])).inspect_err(|error| {
        events.write("failure", json!({ "message": error.to_string(), "exit_code": exit::code_of(error) }));
    })?;
    let begun: Vec<_> = report.jobs.iter().filter(|_| report.stored > 0).map(|job| job.id).collect();
    report.stop = report.stop.map(|stop| match stop {
        Stop::BadData(error) => Stop::BadData(helpful(error, &begun)),
        Stop::Failed(error) => Stop::Failed(hints::at_full_disk(error)),
        other => other,
    });
    events.write("summary", show::as_json(&report));
    Ok(report)
}

/// The names that decide whether a first line is a header: those of `--columns`, else those of the table, which is read only if one is in doubt.
fn columns_of_table(args: &LoadArgs, options: &LoadOptions, config: &Config) -> TableColumns {
    if let Matching::Listed(targets) = &options.matching {
        let name = |target: &FieldTarget| match target {
            FieldTarget::Column(name) | FieldTarget::Skip(name) => name.clone(),
        };
        let names: Vec<String> = targets.iter().map(name).collect();
        return TableColumns::new(move || Ok(Some(names.clone())));
    }
    let (config, into) = (config.clone(), args.into().to_owned());
    TableColumns::new(move || Loader::columns(&config, &into).map_err(connection::hint_at_login))
}

/// Raises the limit of open files to the maximum: all files of a load are open before its first row is sent.
fn allow_open_files() {
    let allowed = getrlimit(Resource::Nofile);
    // If that fails, the file that cannot be opened is the error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed });
}

/// Opens every file; all that cannot be opened are named at once.
fn open_all(args: &LoadArgs, csv: &CsvOptions) -> Result<Vec<Box<dyn FileSource>>> {
    let open =
        |file: &String| inrush_files::open(file, args.file_format(), csv).and_then(|reader| readable(reader, csv));
    let opened: Vec<_> = args.files.iter().map(|file| (file, open(file))).collect();
    let mut readers = Vec::new();
    let mut failed: Option<Error> = None;
    for (file, result) in opened {
        let result = match result {
            // Another file of the load, behind it, may have the same line as its header.
            Err(error) if is_header_in_doubt(&error) && can_be_opened_again(file) => open(file),
            result => result,
        };
        match result {
            Ok(reader) => readers.extend(reader),
            Err(error) => failed = Some(join(failed, error)),
        }
    }
    failed.map_or(Ok(readers), Err)
}

fn is_header_in_doubt(error: &Error) -> bool {
    error.message().contains("may be a header or a row")
}

/// Not a pipe, of which the beginning was read.
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

/// Whether the files have headers, as they were found out to have; all must agree.
fn found_header(readers: &[Box<dyn FileSource>], csv: &CsvOptions) -> Result<bool> {
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

/// Says once in which fields empty text in quotes was NULL.
fn say_quoted_empties(files: &[(Vec<String>, Arc<[AtomicBool]>)], output: &Output) {
    let of_file = |(names, met): &(Vec<String>, Arc<[AtomicBool]>)| {
        let met = names.iter().zip(met.iter()).filter(|(_, met)| met.load(Relaxed));
        met.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let names: BTreeSet<String> = files.iter().flat_map(of_file).collect();
    if !names.is_empty() {
        let names = new_table::shortened(names.iter().map(String::as_str).collect());
        output.notice(&format!("`\"\"` is read as NULL in {names}, which hold no empty text"));
    }
}

/// Refuses a format of dates for a field that no file has.
fn check_fields_of_formats(readers: &[Box<dyn FileSource>], csv: &CsvOptions) -> Result<()> {
    let fields = || readers.iter().flat_map(|reader| reader.fields()).map(|field| field.trim());
    for format in &csv.formats.dates {
        let Some(column) = format.column.as_deref().filter(|column| !fields().any(|f| f.eq_ignore_ascii_case(column)))
        else {
            continue;
        };
        let message = format!("`--date-format {column}={}`: no file has a field `{column}`", format.format);
        let hint = match inrush::sans_io::bulk::plan::nearest(column, fields()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the fields are {}", readers.first().map_or(&[][..], |reader| reader.fields()).join(", ")),
        };
        return Err(Error::config(message).with_hint(hint));
    }
    Ok(())
}

/// Says in a line what was found out of files that are not plain CSV with a header.
fn say_what_was_found(readers: &[Box<dyn FileSource>], output: &Output) {
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
        output.notice(&format!("found in `{}`{more}: {differences}", names[0]));
    }
}

/// Says which names of headers were changed, but for blanks around them.
fn say_what_was_renamed(readers: &[Box<dyn FileSource>], output: &Output) {
    for reader in readers {
        let renamed = reader.renamed().iter().filter(|(_, old, new)| old.trim() != new);
        let mut said: Vec<String> = renamed
            .map(|(field, old, new)| match old.trim() {
                "" => format!("field {field}, which has no name, is `{new}`"),
                old => format!("field {field}, `{}`, is `{new}`", old.escape_debug()),
            })
            .collect();
        if said.is_empty() {
            continue;
        }
        let more = said.len().saturating_sub(MOST_RENAMED);
        said.truncate(MOST_RENAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        output.notice(&format!("columns of `{}`: {}{more}", reader.name(), said.join("; ")));
    }
}

/// As many changed names are shown.
const MOST_RENAMED: usize = 10;

/// The files that are not UTF-8, and what they most likely are.
fn likely_encodings(readers: &[Box<dyn FileSource>]) -> Vec<(String, String)> {
    let likely = readers.iter().filter_map(|reader| {
        let encoding = reader.as_csv()?.likely_encoding()?;
        Some((reader.name().to_owned(), encoding.name().to_ascii_lowercase()))
    });
    likely.collect()
}

/// A new table would have columns of bytes for texts in another encoding.
fn refuse_other_encodings(likely: &[(String, String)]) -> Result<()> {
    match likely.first() {
        None => Ok(()),
        Some((name, encoding)) => Err(Error::config(format!("`{name}` is not UTF-8; it is most likely {encoding}"))
            .with_hint(format!("`--encoding auto` takes that, `--encoding {encoding}` says so"))),
    }
}

fn join(earlier: Option<Error>, error: Error) -> Error {
    match earlier {
        None => error,
        Some(earlier) => {
            let hint = earlier.hint().or(error.hint()).map(str::to_owned);
            let both = Error::new(earlier.kind(), format!("{earlier}\n  {error}"));
            match hint {
                Some(hint) => both.with_hint(hint),
                None => both,
            }
        }
    }
}
