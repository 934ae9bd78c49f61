//! The options of `inrush load`, and their values. Every error in them is reported before a file is opened.

use super::dump_choice::DumpArgs;
use super::loader_args::LoaderArgs;
use super::sources;
use crate::commands::file_args::{FileArgs, ManifestFormat};
use crate::commands::manifest::{CsvText, MANIFEST};
use crate::commands::masks::MaskArgs;
use crate::connection::ConnectArgs;
use clap::{Args, Parser};
use inrush::sans_io::load::{FieldTarget, Matching, Mode, NewColumns};
use inrush::sans_io::write::Computed;
use inrush::table::TableName;
use inrush::{BadRows, BatchSize, DerivedLoad, LoadOptions, NamedJob};
use inrush_bench::tune::Candidate;
use inrush_core::{Error, Result};
use inrush_files::{CsvOptions, Format, Makes, NewTypes, Sample, is_address, is_of_one_table, reject_file_name};
use std::path::{Path, PathBuf};

/// Load files into a table.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct LoadArgs {
    /// Files to load, in this order, or the folder of an export (its `manifest.json`), whose tables are made if they are missing, or the folder of a dump by mydumper or MySQL Shell: CSV, TSV, JSON, JSON Lines, plain or compressed (gzip, zstd, lz4, xz, bzip2), Excel (.xlsx), Parquet, Arrow, a dump in SQL (`dump.sql#table`); of an archive `a.zip#file`, `a.tar.gz#file`, `a.xlsx#sheet`; a folder, a quoted 'part-*.csv'; an object: `s3://bucket/key`, `gs://`, `az://`, `https://`; `-` is standard input
    #[arg(required_unless_present_any = ["status", "forget"], value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The table to fill: `table` or `database.table`; 'database.*' fills for each file the table of its name, and all tables of a dump. Not needed for a manifest
    #[arg(long, value_name = "TABLE")]
    into: Option<String>,

    #[command(flatten)]
    pub(crate) connect: ConnectArgs,

    /// Those of the library's table.
    #[command(flatten)]
    loading: LoaderArgs,

    /// Write the measurements and decisions of `auto` to this file
    #[arg(long, value_name = "FILE", help_heading = "Writing", hide = true)]
    tuning_trace: Option<PathBuf>,

    /// Where sorted rows lie until they are sent: room for about 1.2 times the text [default: $TMPDIR, else /var/tmp]
    #[arg(long, value_name = "DIR", help_heading = "Writing")]
    temp_dir: Option<PathBuf>,

    /// Create the table if it does not exist, with types inferred from the first 4 MiB of each file
    #[arg(long, help_heading = "Writing")]
    pub(crate) create_table: bool,

    /// Widen columns that are too narrow for the values of the files, by one ALTER TABLE before the first row: VARCHAR, integers, DECIMAL; never narrower, nor to another kind of type
    #[arg(long, help_heading = "Writing")]
    widen: bool,

    /// Infer the types of a new table, or of new columns, from the first ROWS of each file, or from `all`, which are read first; of JSON `all` also takes the names of all records
    #[arg(long, value_name = "ROWS|all", help_heading = "Writing")]
    sample: Option<String>,

    /// Make the columns of a new table, or new columns, as narrow as the sample: NOT NULL where no value is missing, texts with little room for longer ones
    #[arg(long, help_heading = "Writing")]
    tight: bool,

    /// The type of a column of a new table, or of a new column: `--type zip=CHAR(5)`; may be given several times
    #[arg(long = "type", value_name = "COLUMN=TYPE", help_heading = "Writing")]
    types: Vec<String>,

    /// Compare the files with the table afterwards: load them into a copy, compare it with the table, drop it. A difference is exit code 2
    #[arg(long, help_heading = "Writing")]
    verify: bool,

    /// A name for this job, whose parts several commands load: with `--part`. A part that is loaded is not loaded again, whatever the file is called; two commands of the same part store it once
    #[arg(long, value_name = "NAME", help_heading = "Ledger")]
    pub(crate) job_name: Option<String>,

    /// Which part of the job of `--job-name` this file is: a number or a name
    #[arg(long, value_name = "PART", requires = "job_name", help_heading = "Ledger")]
    pub(crate) part: Option<String>,

    /// How many parts the job has; every command of the job must give the same number, or none
    #[arg(long, value_name = "COUNT", requires = "part", help_heading = "Ledger")]
    parts: Option<u64>,

    /// Take over, or forget, a job of another user that is not finished; their run of it stops
    #[arg(long, help_heading = "Ledger")]
    pub(crate) force: bool,

    /// List the jobs in the ledger of the database, or those of the table of `--into`, or of `--job-name`: finished, running, stopped, broken off
    #[arg(long, help_heading = "Ledger", conflicts_with_all = ["files", "forget"])]
    pub(crate) status: bool,

    /// Forget jobs, each named by the beginning of its id, or those of `--job-name` and `--part`; their rows stay in the table
    #[arg(long, value_name = "JOB", num_args = 0.., help_heading = "Ledger", conflicts_with = "files")]
    pub(crate) forget: Option<Vec<String>>,

    #[command(flatten)]
    pub(crate) reading: FileArgs,

    /// The column of each field, in order; `@name` skips a field
    #[arg(long, value_name = "a,b,@skip", help_heading = "Files")]
    columns: Option<String>,

    /// What to do with a row that cannot be stored: `stop`, `skip` or `divert:FILE`, a path or the address of an object (`s3://bucket/bad.csv`); `{date}`, `{file}` and `{table}` in its name are replaced
    #[arg(long, default_value = "stop", value_name = "WHAT", help_heading = "Bad rows")]
    bad_rows: String,

    #[command(flatten)]
    pub(crate) masks: MaskArgs,

    #[command(flatten)]
    pub(super) dump: DumpArgs,

    /// Append the events of the load to this file, a JSON object a line
    #[arg(long, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) events: Option<PathBuf>,

    /// Answer `GET /metrics` on this address with the metrics of the load, for Prometheus; with port 0 the system chooses a port, which is printed
    #[arg(long, value_name = "HOST:PORT", help_heading = "Everywhere")]
    pub(super) metrics_listen: Option<String>,

    /// Write the same metrics to this file before the load and after it, for node_exporter's textfile collector
    #[arg(long, value_name = "FILE", help_heading = "Everywhere")]
    pub(super) metrics_file: Option<PathBuf>,

    /// Take the options from this TOML file, except for those given here
    #[arg(long, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) job: Option<PathBuf>,

    /// Other files go into other tables.
    #[arg(skip)]
    is_one_of_many: bool,

    /// Columns whose values the manifest of an export has in another spelling.
    #[arg(skip)]
    computed: Vec<Computed>,

    /// The table whose copy this one is, which is dropped again.
    #[arg(skip)]
    copy_of: Option<String>,

    /// The columns of files without a header, by the manifest of an export.
    #[arg(skip)]
    fields: Vec<FieldTarget>,

    /// The CREATE TABLE of the table of a dump, if it is in another file than the rows.
    #[arg(skip)]
    dump_definition: Option<String>,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush load people.csv --into shop.people --url mysql://app@localhost
  inrush load part-*.csv.gz --into events --null NA --bad-rows divert:bad.csv
  zcat big.csv.gz | inrush load - --into big --columns id,name,@ignored

Exit codes:
    0  every row is stored, by this run or by earlier ones
    1  wrong usage or configuration, nothing was sent
    2  stopped at bad data
    3  the server, the network or a disk failed
    4  finished, some rows rejected: by this run, or by the one that had
       finished the load before
    5  refused: rows could be stored twice, be lost, or undo what others did;
       the message says why, the hint what to do. Nothing is changed, but for
       --atomic, whose copy stays if others changed the table meanwhile
  130  interrupted; what is stored stays, and the same command goes on";

/// A command line without options.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    load: LoadArgs,
}

impl LoadArgs {
    /// The target table, as the user wrote it; empty if none is required.
    pub(crate) fn into(&self) -> &str {
        self.into.as_deref().unwrap_or_default()
    }

    /// The part of a named job that is loaded.
    fn named_job(&self) -> Option<NamedJob> {
        let job = NamedJob::new(self.job_name.as_ref()?).of(self.parts);
        Some(match &self.part {
            Some(part) => job.part(part),
            None => job,
        })
    }

    /// The options of the loader; `create` is set later, from a sample.
    pub(crate) fn load_options(&self) -> Result<LoadOptions> {
        let bad_rows = parse_bad_rows(&self.bad_rows)?;
        let matching = match (&self.columns, self.reading.no_header) {
            (Some(list), _) => Matching::Listed(FieldTarget::parse_list(list)?),
            (None, true) if !self.fields.is_empty() => Matching::Listed(self.fields.clone()),
            (None, true) => Matching::ByPosition,
            (None, false) => Matching::ByName,
        };
        let mut set: Vec<_> = self.reading.set.iter().map(|text| Computed::parse(text)).collect::<Result<_>>()?;
        set.extend(self.computed.iter().cloned());
        let options = self.loading.options()?;
        Ok(options
            .with_tuning_trace(self.tuning_trace.clone())
            .with_matching(matching)
            .with_set(set)
            .with_bad_rows(bad_rows)
            .with_temp_dir(self.temp_dir.clone())
            .with_time_zone(self.reading.time_zone.clone())
            .with_job(self.named_job())
            .with_force(self.force))
    }
}

impl LoadArgs {
    /// These files into this table, with the default of every option but those about reading.
    pub(crate) fn of_files(
        files: Vec<String>,
        into: Option<String>,
        (columns, reading, masks): (Option<String>, FileArgs, MaskArgs),
        unchecked: Option<String>,
    ) -> Self {
        let Defaults { load } = Defaults::parse_from(["load", "-", "--into", "t"]);
        let loading = match &unchecked {
            Some(checks) => load.loading.with("unchecked", checks),
            None => load.loading.clone(),
        };
        Self { into, files, columns, reading, masks, loading, ..load }
    }

    /// These files into a copy of a table, with the options of writing that are tried on it. Each load is a new one.
    pub(crate) fn for_trial(
        files: Vec<String>,
        into: String,
        (columns, reading): (Option<String>, FileArgs),
        loading: &LoaderArgs,
        candidate: &Candidate,
    ) -> Self {
        let fixed = ["load", "-", "--into", "t", "--again", "--bad-rows", "skip"].map(str::to_owned);
        let tried =
            candidate.options().into_iter().flat_map(|(name, value)| std::iter::once(format!("--{name}")).chain(value));
        let Defaults { mut load } = Defaults::parse_from(fixed.into_iter().chain(tried));
        load.loading = load.loading.and(loading);
        Self { into: Some(into), files, columns, reading, ..load }
    }

    /// The same into a copy of the table that only compares: nothing but rows, and no line in a ledger.
    pub(crate) fn for_copy(&self, copy: String) -> Self {
        Self {
            into: Some(copy),
            loading: self.loading.of(DerivedLoad::TableCopy).with("guarantee", "at-least-once"),
            tuning_trace: None,
            bad_rows: if self.bad_rows == "stop" { "stop" } else { "skip" }.to_owned(),
            events: None,
            copy_of: self.into.clone(),
            ..self.clone()
        }
    }

    /// Whether the table is a copy that is dropped again.
    pub(crate) fn is_copy(&self) -> bool {
        self.copy_of.is_some()
    }

    /// The table that rules name: of a copy, the one that was copied.
    pub(crate) fn named_table(&self) -> &str {
        self.copy_of.as_deref().unwrap_or(self.into())
    }

    /// Whether the load is verified, which makes sense only for modes that leave the rows of the files in the table.
    pub(crate) fn verifies(&self) -> Result<bool> {
        let refuse =
            |what: &str, why: &str| Err(Error::config(format!("`--verify` and `{what}` exclude each other: {why}")));
        match self.loading.options()?.mode {
            _ if !self.verify => Ok(false),
            mode @ (Mode::Ignore | Mode::Update | Mode::Delete | Mode::Undo) => {
                refuse(&format!("--mode {mode}"), "rows of the files that are left out are not in the table")
            }
            _ if self.is_dry_run() => refuse("--dry-run", "nothing is stored"),
            _ if self.files.iter().any(|file| file == "-") => {
                Err(Error::config("`--verify` reads the files twice, and standard input (`-`) can be read only once"))
            }
            _ => Ok(true),
        }
    }

    /// Whether each row is a new one, which has nothing of a row that was there.
    pub(crate) fn makes_rows_anew(&self) -> Result<bool> {
        Ok(matches!(self.loading.options()?.mode, Mode::Insert | Mode::Replace))
    }

    /// Whether the table has no other rows than those of the files once they are loaded.
    pub(crate) fn fills_alone(&self) -> bool {
        self.loading.has("truncate") || self.loading.has("replace-table")
    }

    /// The same for one table; a `*` in the name of a file that is written becomes the table's name.
    pub(crate) fn for_table(&self, table: &str, into: String, files: Vec<String>) -> Self {
        let bad_rows = match self.bad_rows.strip_prefix("divert:") {
            None => self.bad_rows.clone(),
            Some(name) => {
                let name = if sources::is_for_many(self.into()) { name.replace('*', table) } else { name.to_owned() };
                format!("divert:{}", reject_file_name(&name, table, &files))
            }
        };
        let is_one_of_many = sources::is_for_many(self.into());
        Self { into: Some(into), files, bad_rows, is_one_of_many, ..self.clone() }
    }

    /// The same for a table of an export, whose files are read as the export wrote them.
    pub(crate) fn for_manifest(
        &self,
        table: &TableName,
        files: Vec<String>,
        (format, csv): (ManifestFormat, Option<&CsvText>),
        (fields, computed): (Vec<FieldTarget>, Vec<Computed>),
    ) -> Self {
        let many = Self { into: Some("*".into()), ..self.clone() };
        let args =
            Self { fields, computed, is_one_of_many: true, ..many.for_table(&table.name, table.quoted(), files) };
        Self { reading: args.reading.of_export(format, csv), ..args }
    }

    /// The same, where cells of BIT columns may be the bytes of their numbers.
    pub(crate) fn with_bits_as_bytes(self, bits_as_bytes: bool) -> Self {
        Self { reading: self.reading.clone().with_bits_as_bytes(bits_as_bytes), ..self }
    }

    /// Refuses options that contradict a manifest: it says how files are read, and which table they are of.
    pub(crate) fn check_for_manifest(&self) -> Result<()> {
        self.dump.check_unused()?;
        let adds = self.loading.options()?.new_columns == NewColumns::Add;
        let given = [
            ("columns", self.columns.is_some()),
            ("create-table", self.create_table),
            ("new-columns add", adds),
            ("widen", self.widen),
        ];
        let given = self.reading.contradicting_export().into_iter().chain(given);
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Error::config(format!("`--{option}` contradicts the manifest of an export"))
                .with_hint("it says how its files are read, and has the definitions of its tables; name files to read them in another way")),
        }
    }

    /// The same for a dump: in its time zone, and with the checks off that a dump switches off.
    pub(crate) fn for_dump(&self, time_zone: String) -> Self {
        let loading = match self.loading.has("unchecked") {
            true => self.loading.clone(),
            false => self.loading.clone().with("unchecked", "foreign-keys,zero-dates"),
        };
        let mut reading = self.reading.clone();
        reading.time_zone = time_zone;
        Self { into: Some("*".into()), loading, reading, ..self.clone() }
    }

    /// The same for a table of a dump, whose definition is given if it is in another file than the rows.
    pub(crate) fn for_table_of_dump(
        &self,
        table: &TableName,
        files: Vec<String>,
        dump_definition: Option<String>,
    ) -> Self {
        Self { is_one_of_many: true, dump_definition, ..self.for_table(&table.name, table.quoted(), files) }
    }

    /// Refuses options that contradict the folder of a dump, which says how its files are read.
    pub(crate) fn check_for_dump_folder(&self) -> Result<()> {
        let given = self.reading.contradicting_export().into_iter();
        match given.filter(|(option, _)| *option != "time-zone").find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Error::config(format!("`--{option}` contradicts the folder of a dump"))
                .with_hint("it says how its files are read")),
        }
    }

    /// Refuses options that contradict a dump of several tables.
    pub(crate) fn check_for_dump(&self) -> Result<()> {
        let given = [
            ("columns", self.columns.is_some()),
            ("create-table", self.create_table),
            ("new-columns add", self.loading.options()?.new_columns == NewColumns::Add),
            ("widen", self.widen),
            ("set", !self.reading.set.is_empty()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Error::config(format!("`--{option}` is for one table, and a dump has several"))
                .with_hint("`--into TABLE` loads the rows of one table of the dump; it defines its tables itself")),
        }
    }

    /// The zone of times without an offset.
    pub(crate) fn time_zone(&self) -> &str {
        &self.reading.time_zone
    }

    /// Whether files that are loaded are loaded once more.
    pub(crate) fn loads_again(&self) -> bool {
        self.loading.has("again")
    }

    /// Whether files are taken for what they were.
    pub(crate) fn trusts_source(&self) -> bool {
        self.loading.has("trust-source")
    }

    /// Whether nothing is sent.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.loading.has("dry-run")
    }

    /// Whether the server does not check foreign keys.
    pub(crate) fn leaves_foreign_keys(&self) -> Result<bool> {
        Ok(self.loading.options()?.unchecked.foreign_keys)
    }

    /// The error of a folder without a manifest, and of a file of that name that is none.
    pub(crate) fn names_no_manifest(&self) -> Option<Error> {
        let [name] = &self.files[..] else { return None };
        let is_folder = Path::new(name).is_dir() || is_address(name) && name.ends_with('/');
        let is_named = name.rsplit('/').next() == Some(MANIFEST);
        let manifest = if is_folder { Path::new(name).join(MANIFEST) } else { PathBuf::from(name) };
        let problem = match () {
            // Not by its name: an address that was not parsed yet may have a login in it.
            () if is_address(name) && (is_folder || is_named) => "there is no manifest of an export".to_owned(),
            () if manifest.is_file() && (is_folder || is_named) => {
                format!("`{}` is no manifest of an export", manifest.display())
            }
            () if is_folder => format!("the folder `{name}` has no {MANIFEST}"),
            () if is_named => format!("there is no file `{name}`"),
            () => return None,
        };
        Some(Error::config(format!("{problem}, and no table is named")).with_hint(
            "`--into TABLE` or `--into 'DATABASE.*'` takes the files that are there; if they are of an export, it did not come to its \
             end, as it writes manifest.json last: export again, into a new folder",
        ))
    }

    /// Refuses a load without a table.
    pub(crate) fn check_into(&self) -> Result<()> {
        match (&self.into, self.names_no_manifest()) {
            (Some(_), _) => Ok(()),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Error::config("no table is named").with_hint(
                "`--into TABLE`, or `--into 'DATABASE.*'`; only the folder of an export, or its `manifest.json`, needs none",
            )),
        }
    }

    /// Refuses to write one file for several tables.
    pub(crate) fn check_names_for_many(&self) -> Result<()> {
        match self.bad_rows.strip_prefix("divert:") {
            Some(file) if !file.contains('*') && !is_of_one_table(file) => {
                Err(Error::config(format!("the bad rows of several tables do not fit into one file, `{file}`"))
                    .with_hint("`--bad-rows 'divert:bad-*.csv'` writes one for each table, named after it"))
            }
            _ => Ok(()),
        }
    }

    /// How the files are read.
    pub(crate) fn csv_options(&self) -> Result<CsvOptions> {
        let LoadOptions { memory, batch, new_columns, .. } = self.loading.options()?;
        let csv = self.reading.options(self.reads_all_names()).csv_options(self.makes_table())?;
        let csv = csv.with_memory(memory).with_ignore_late_names(new_columns == NewColumns::Ignore);
        let csv = csv.with_dump_definition(self.dump_definition.clone());
        // Only the given limit applies: rows are not limited by the bytes of `auto`, nor bytes by its rows.
        Ok(match batch {
            BatchSize::Auto => csv,
            BatchSize::Rows(rows) => csv.with_batch_rows(Some(rows)).with_batch_bytes(BatchSize::MOST_BYTES),
            BatchSize::Bytes(bytes) => csv.with_batch_bytes(bytes),
        })
    }

    /// The file for bad rows, if there is to be one.
    pub(crate) fn reject_file(&self) -> Option<&Path> {
        self.bad_rows.strip_prefix("divert:").map(Path::new)
    }

    /// Whether each file is read to its end.
    pub(crate) fn reads_all(&self) -> bool {
        self.reading.limit.is_none()
    }

    /// Whether the table may be made by this load.
    pub(crate) fn makes_table(&self) -> bool {
        self.create_table
    }

    /// What the load may make, if it makes anything.
    pub(crate) fn makes(&self) -> Makes {
        match (self.makes_table(), self.makes_table_anew()) {
            (_, true) => Makes::TableAnew,
            (true, false) => Makes::Table,
            (false, false) => Makes::Columns,
        }
    }

    /// Whether a new table replaces the existing one.
    pub(crate) fn makes_table_anew(&self) -> bool {
        self.create_table && self.loading.has("replace-table")
    }

    /// Whether the names of JSON are those of all records.
    pub(crate) fn reads_all_names(&self) -> bool {
        self.sample.as_deref() == Some("all")
    }

    /// What the files are.
    pub(crate) fn file_format(&self) -> Format {
        self.reading.file_format()
    }

    /// Whether other files go into other tables.
    pub(crate) fn is_one_of_many(&self) -> bool {
        self.is_one_of_many
    }

    /// Whether the load may make columns, of a new table or of one that lacks them.
    pub(crate) fn makes_columns(&self) -> Result<bool> {
        Ok(self.makes_table() || self.loading.options()?.new_columns == NewColumns::Add)
    }

    /// What the widths of columns are found from, and whether they are as narrow as that allows; `None` where none is widened.
    pub(crate) fn widening(&self) -> Result<Option<(Sample, bool)>> {
        if !self.widen {
            return Ok(None);
        }
        let types = NewTypes::parse(self.sample.as_deref(), self.tight, &[])?;
        Ok(Some((types.sample, types.tight)))
    }

    /// How the types of a new table, or of new columns, are found; `None` where none may be made.
    pub(crate) fn new_types(&self) -> Result<Option<NewTypes>> {
        if !self.makes_columns()? {
            let has_sample = self.sample.is_some() && !self.reads_all_names() || self.tight;
            return match self.types.is_empty() && (self.widen || !has_sample) {
                true => Ok(None),
                false => Err(Error::config("`--type`, `--sample` and `--tight` are for a new table")
                    .with_hint("add `--create-table`; ALTER TABLE changes the types of a table that is there")),
            };
        }
        let types = NewTypes::parse(self.sample.as_deref(), self.tight, &self.types)?;
        Ok(Some(NewTypes { has_all_given: !self.is_one_of_many, ..types }))
    }
}

fn parse_bad_rows(text: &str) -> Result<BadRows> {
    BadRows::parse(text).ok_or_else(|| {
        Error::config(format!("`--bad-rows {text}` is not understood"))
            .with_hint("it takes `stop`, `skip` or `divert:FILE`")
    })
}
