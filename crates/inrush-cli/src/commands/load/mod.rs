//! `inrush load`: from arguments to an exit code. What happens in between is the loader's.

mod args;
mod compared;
mod dump;
mod dump_choice;
mod event_sinks;
mod interrupt;
mod job_file;
mod ledger;
mod loader_args;
mod manifest;
mod many;
mod metrics;
mod pace;
mod progress;
mod rate;
mod repeats;
mod show;
mod slow;
mod sources;
mod stopped;
mod verified;

pub(crate) use args::LoadArgs;
pub(crate) use compared::{FilesVerified, Request, compare, verify as verify_files};
pub(crate) use interrupt::Watch;
pub(crate) use job_file::expand;
pub(crate) use loader_args::LoaderArgs;
pub(crate) use manifest::loads as loads_of_export;
pub(crate) use manifest::tables::{Missing as TablesToMake, RestoreTarget, plan as plan_tables};
pub(crate) use many::TableLoad;
pub(crate) use rate::rate as parse_rate;
pub(crate) use sources::{TableFiles, by_table, is_for_many};
pub(crate) use stopped::why_it_stopped;

use crate::commands::masks;
use crate::connection::{self, Environment};
use crate::{Output, exit};
use inrush::documents::Events;
use inrush::table::TableName;
use inrush::{BadRows, Computed, Config, FrontEnd, LoadOptions, Loader, Matching, NewColumns, Report, Source};
use inrush_core::{Error, Result, human};
use inrush_files::hints::{self, Reading};
use inrush_files::{
    FileSource, NewTable, QuotedEmpties, TableColumns, check_all_names, check_fields_of_formats, check_needed,
    check_other_names, check_reject_file, describe_all, found_header, infer_all, likely_encodings, needed, open_all,
    refuse_other_encodings, reject_header, reject_store,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

/// Runs the command. Returns the exit code for the outcome of the rows, or an error if nothing was sent.
pub(crate) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    if args.status || args.forget.is_some() {
        return ledger::run(args, output);
    }
    let metrics = metrics::Metrics::start(args.metrics_listen.as_deref(), args.metrics_file.as_deref(), output)?;
    let signals = interrupt::Watch::start(output.clone())?.with_metrics(metrics.clone());
    let ended = run_loads(args, &signals, output);
    if let Some(metrics) = metrics {
        metrics.end(ended.as_ref().map_or_else(exit::code_of, |code| *code), output);
    }
    ended
}

/// Loads what the arguments name: an export, a dump, one table or several.
fn run_loads(args: &LoadArgs, signals: &Watch, output: &Output) -> Result<u8> {
    if let Some(code) = manifest::run(args, signals, output)? {
        return Ok(code);
    }
    if let Some(code) = dump::run(args, signals, output)? {
        return Ok(code);
    }
    args.dump.check_unused()?;
    args.check_into()?;
    let mut tables = sources::by_table(&args.files, args.into())?;
    if !sources::is_for_many(args.into())
        && let Some(only) = tables.pop()
    {
        let args = args.for_table(&only.table, only.into, only.files);
        let loaded = load_and_verify(&args, None, signals, output)?;
        show::report(&loaded.report, args.reject_file(), loaded.verified.as_ref(), output);
        slow::sentence(&loaded.report, &args).iter().for_each(|line| output.notice(line));
        return Ok(loaded.code());
    }
    let load = |one: sources::TableFiles| many::TableLoad {
        args: args.for_table(&one.table, one.into, one.files),
        table: one.table,
        rows: None,
    };
    many::run(args, tables.into_iter().map(load).collect(), signals, output)
}

/// A load, and its comparison with the table if there was one.
struct Loaded {
    report: Report,
    verified: Option<verified::Outcome>,
}

impl Loaded {
    fn code(&self) -> u8 {
        let verified = self.verified.as_ref().map(verified::Outcome::code);
        exit::worst([exit::code_of_report(&self.report)].into_iter().chain(verified))
    }
}

/// Loads one table, and compares the files with it if that is wanted. Returns an error if nothing was sent, or if the files have not as many
/// rows as a manifest or a dump says.
fn load_and_verify(args: &LoadArgs, rows: Option<(u64, &str)>, signals: &Watch, output: &Output) -> Result<Loaded> {
    let verifies = args.verifies()?;
    let config = args.connect.config(&Environment::of_process())?;
    output.detail_host(&config);
    let report = check_rows(load(args, &config, signals, output)?, rows)?;
    let is_whole = matches!(exit::code_of_report(&report), exit::OK | exit::REJECTED);
    let verified = (verifies && is_whole).then(|| verified::verify(args, &config, signals, output));
    Ok(Loaded { report, verified })
}

/// Compares the rows that were read with those that the files have, and what says it: "the manifest has".
fn check_rows(report: Report, rows: Option<(u64, &str)>) -> Result<Report> {
    match rows {
        Some((rows, says)) if report.stop.is_none() && report.read != rows => Err(Error::data(format!(
            "{} were read, and {says} {}",
            human::counted(report.read, "row"),
            human::counted(rows, "row")
        ))
        .with_hint("files are missing or cut off, or were changed: compare them with their origin")),
        _ => Ok(report),
    }
}

/// What a manifest says.
const MANIFEST: &str = "the manifest has";

/// Loads one table. Returns an error if nothing was sent.
pub(crate) fn load(args: &LoadArgs, config: &Config, signals: &Watch, output: &Output) -> Result<Report> {
    let mut options = args.load_options()?;
    let csv = args.csv_options()?;
    let rules = args.masks.rules(output)?;
    if rules.is_some() && args.widening()?.is_some() {
        return Err(Error::config(
            "`--mask` and `--widen` exclude each other: the lengths would be those of values without masks",
        )
        .with_hint("alter the table first, so that it has room for what masks make"));
    }
    if rules.is_some() && args.makes_columns()? {
        let option = if args.makes_table() { "--create-table" } else { "--new-columns add" };
        return Err(Error::config(format!(
            "`--mask` and `{option}` exclude each other: the types would be inferred from values without masks"
        ))
        .with_hint("create the table first, with columns that have room for what masks make"));
    }
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Error::config("standard input (`-`) can be read only once"));
    }
    allow_open_files();
    let csv = csv
        .with_columns_of_table(columns_of_table(args, &options, config))
        .with_dump_table(TableName::parse(args.named_table())?.name);
    let shown = |error: Error| if rules.is_some() { masks::without_line(error) } else { error };
    let mut readers = open_all(&args.files, args.file_format(), &csv).map_err(shown)?;
    let has_header = found_header(&readers, &csv)?;
    if !has_header && options.matching == Matching::ByName {
        options.matching = Matching::ByPosition;
    }
    if !args.is_one_of_many() {
        check_fields_of_formats(&readers, &csv)?;
    }
    let widening = args.widening()?;
    check_all_names(&readers, &csv, args.makes_columns()? || widening.is_some())?;
    check_other_names(&readers, (&csv, args.file_format()), options.new_columns)?;
    describe_all(&readers).iter().for_each(|line| output.notice(line));
    let likely = likely_encodings(&readers);
    let read = || Loader::columns(config, args.into()).map_err(connection::hint_at_login);
    let types = match args.new_types()? {
        Some(types) if options.new_columns == NewColumns::Add => {
            let used = options.set.iter().flat_map(Computed::fields).map(str::to_owned).collect();
            types.adding_to(args.makes(), &options.matching, used, read)?
        }
        types => types,
    };
    let mut of_files = Vec::new();
    if let Some(sample) = types.as_ref().map(|types| types.sample).or(widening.map(|(sample, _)| sample)) {
        refuse_other_encodings(&likely)?;
        of_files = infer_all(&mut readers, sample, args.file_format(), &csv)?;
    }
    if let Some((_, is_tight)) = widening {
        check_needed(&readers, args.file_format())?;
        let computed: Vec<String> = options.set.iter().map(|computed| computed.column.clone()).collect();
        options.needed = needed(&of_files, &options.matching, &computed, is_tight)?;
    }
    if let Some(types) = &types {
        let by = (&options.matching, &options.key[..]);
        let made = NewTable::new(&mut readers, &of_files, types, by, &csv, &mut |line| output.notice(line))?;
        if types.only_adds() {
            options.addable.clone_from(&made.columns);
        }
        if args.makes_table() {
            options.create = Some(made.columns);
        }
        options.keep_spelling = made.keep_spelling;
    }
    let mut bad_rows_to = None;
    let header = match &options.bad_rows {
        BadRows::Divert(file) => {
            check_reject_file(file, &args.files, &readers)?;
            bad_rows_to = reject_store(file)?;
            reject_header(&readers, has_header, &options.matching)
        }
        _ => Vec::new(),
    };
    let meters = readers.iter().map(|reader| (reader.name().to_owned(), reader.meter())).collect();
    let quoted_empties = QuotedEmpties::of(&readers);
    let (sources, header) = match &rules {
        None => (readers.into_iter().map(|reader| reader as Box<dyn Source>).collect(), header),
        Some(rules) => masks::of_load(rules, readers, &options, (config, args.named_table()), args.is_one_of_many())?,
    };

    let events = Events::open(args.events.as_deref())?;
    events.write("start", json!({ "files": args.files, "into": args.into() }));
    let loader = Loader::new(config.clone(), args.into()).with_front_end(FrontEnd::Command);
    let control = loader.control();
    let verb = if args.is_copy() { "read" } else { show::verb(options.mode, options.dry_run) };
    let gauge = progress::Gauge::new(control.clone(), meters, verb, args.reads_all());
    // A copy that is only compared is no load of its table.
    let (metrics, table) = (signals.metrics().filter(|_| !args.is_copy()), name_of_table(args, config)?);
    let metrics = metrics.map(|all| all.of(table, control.clone(), options.dry_run));
    let sinks = event_sinks::EventSinks::new(output.clone(), events.clone(), gauge.clone(), metrics.clone());
    let loader = loader.with_options(options).with_reject_header(header).with_reject_store(bad_rows_to);
    let loader = loader.with_event_handler(move |event| sinks.take(event));
    let _under_way = signals.of(control, gauge.clone());
    let progress = progress::Progress::start(gauge, output);
    let report = loader.load(sources);
    drop(progress);
    if let Some(line) = quoted_empties.describe() {
        output.notice(&line);
    }
    let (format, table) = (args.file_format(), args.into());
    // Hints of a bad row read it once more, without its mask.
    let files = if rules.is_some() { &[][..] } else { &args.files[..] };
    let reading = Reading { files, format, csv: &csv, types: types.as_ref(), table };
    let end = hints::at_end(report.map_err(connection::hint_at_login), &reading, &likely);
    events.write_end(&end);
    if let Some(metrics) = metrics {
        metrics.end(end.as_ref().map_or_else(exit::code_of, exit::code_of_report));
    }
    end
}

/// `database.table`, as metrics name it: without backticks.
fn name_of_table(args: &LoadArgs, config: &Config) -> Result<String> {
    let TableName { schema, name } = TableName::parse(args.into())?;
    Ok(match (&schema[..], config.database()) {
        ("", None) => name,
        ("", Some(schema)) | (schema, _) => format!("{schema}.{name}"),
    })
}

/// The names that decide whether a first line is a header: those of `--columns`, else those of the table, which is read only if one is in doubt.
fn columns_of_table(args: &LoadArgs, options: &LoadOptions, config: &Config) -> TableColumns {
    let (config, into) = (config.clone(), args.into().to_owned());
    let read = move || Loader::columns(&config, &into).map_err(connection::hint_at_login);
    TableColumns::of_load(&options.matching, &options.set, options.mode, args.makes_table_anew(), read)
}

/// Loads rows that are of no file, with progress and signals. Returns an error if nothing was sent.
pub(crate) fn load_rows(
    source: Box<dyn FileSource>,
    (config, into): (&Config, &str),
    options: LoadOptions,
    (signals, output): (&Watch, &Output),
) -> Result<Report> {
    let loader = Loader::new(config.clone(), into).with_front_end(FrontEnd::Command);
    let control = loader.control();
    let gauge = progress::Gauge::new(control.clone(), Vec::new(), show::verb(options.mode, false), false);
    let sinks = event_sinks::EventSinks::new(output.clone(), Events::open(None)?, gauge.clone(), None);
    let loader = loader.with_options(options).with_event_handler(move |event| sinks.take(event));
    let _under_way = signals.of(control, gauge.clone());
    let progress = progress::Progress::start(gauge, output);
    let report = loader.load(vec![source as Box<dyn Source>]);
    drop(progress);
    report.map_err(connection::hint_at_login)
}

/// Raises the limit of open files to the maximum: all files of a load are open before its first row is sent.
fn allow_open_files() {
    let allowed = getrlimit(Resource::Nofile);
    // If that fails, the file that cannot be opened is the error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed });
}
