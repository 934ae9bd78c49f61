//! `--mask` of export and load: the options, the file of rules, the file of the key, and what of a table the rules need to know.

use crate::Output;
use crate::connection::hint_at_login;
use clap::Args;
use inrush::blocking::Connection;
use inrush::table::TableName;
use inrush::{Config, LoadOptions, Loader, Source};
use inrush_core::column::Column;
use inrush_core::error::InputFault;
use inrush_core::load::Mode;
use inrush_core::load::batch::csv_line;
use inrush_core::{Error, Result};
use inrush_files::FileSource;
use inrush_files::mask::{MaskKey, MaskRules, MaskedSource, TableMasks, UniqueMasks, columns_of_fields};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The options about masks.
#[derive(Clone, Debug, Args)]
pub(crate) struct MaskArgs {
    /// Replace the values of columns: `--mask email=email,name=name,card=keep-last-4`, `TABLE.COLUMN=RULE`; the rules are hmac, email, phone, name, card, keep-last-N, keep-first-N, year, month, number, hash-int, uuid, redact, fixed:TEXT, null, keep
    #[arg(long = "mask", value_name = "COLUMN=RULE", value_delimiter = ',', help_heading = "Masks")]
    masks: Vec<String>,

    /// The key: a file of at least 16 bytes. One key masks one value in one way, in all tables and runs
    #[arg(long, value_name = "FILE", help_heading = "Masks")]
    mask_key_file: Option<PathBuf>,

    /// Rules in a TOML file, for columns of all tables and of single ones
    #[arg(long, value_name = "FILE", help_heading = "Masks")]
    mask_file: Option<PathBuf>,

    /// Refuse a column that no rule names; `COLUMN=keep` names one whose values may be seen
    #[arg(long, help_heading = "Masks")]
    mask_strict: bool,
}

impl MaskArgs {
    /// Whether anything is to be masked.
    pub(crate) fn is_used(&self) -> bool {
        !self.masks.is_empty() || self.mask_file.is_some() || self.mask_strict
    }

    /// The rules; `None` without one.
    pub(crate) fn rules(&self, output: &Output) -> Result<Option<MaskRules>> {
        let file = match (&self.mask_key_file, self.is_used()) {
            (None, false) => return Ok(None),
            (Some(_), false) => {
                return Err(Error::config("`--mask-key-file` masks nothing by itself")
                    .with_hint("`--mask COLUMN=RULE` or `--mask-file FILE` name what is masked"));
            }
            (None, true) => {
                return Err(Error::config("masks need a key, in a file: `--mask-key-file FILE`")
                    .with_hint("`openssl rand -hex 32 > mask.key; chmod 600 mask.key` makes one"));
            }
            (Some(file), true) => file,
        };
        let mut rules = MaskRules::new(read_key(file, output)?, self.mask_strict);
        for text in &self.masks {
            rules.add_text(text)?;
        }
        if let Some(file) = &self.mask_file {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Error::config(format!("cannot read the rules of masks, `{}`: {error}", file.display()))
            })?;
            add_file(&mut rules, &text).map_err(|error| error.while_doing(&format!("`{}`", file.display())))?;
        }
        Ok(Some(rules))
    }
}

fn read_key(file: &Path, output: &Output) -> Result<MaskKey> {
    let cannot = |error: std::io::Error| {
        Error::config(format!("cannot read the key of masks, `{}`: {error}", file.display()))
            .with_hint("`openssl rand -hex 32 > mask.key; chmod 600 mask.key` makes one")
    };
    let bytes = std::fs::read(file).map_err(cannot)?;
    let mode = std::fs::metadata(file).map_err(cannot)?.permissions().mode();
    if mode & 0o077 != 0 {
        output.notice(&format!("others may read the key of masks: `chmod 600 {}`", file.display()));
    }
    MaskKey::new(&bytes).map_err(|error| error.while_doing(&format!("`{}`", file.display())))
}

/// `column = "rule"` for all tables, `[table]` before those of one; each name may have `*` in it.
fn add_file(rules: &mut MaskRules, text: &str) -> Result<()> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Error::config(format!("line {line}: {}", error.message()))
    })?;
    let wrong = |name: &str| {
        Error::config(format!("`{name}` is no rule")).with_hint(
            "a file of masks has lines such as `email = \"hmac\"`, and `[customers]` before those of one table",
        )
    };
    for (name, value) in &table {
        match value {
            Value::String(rule) => rules.add_of_file(None, name, rule)?,
            Value::Table(columns) => {
                for (column, rule) in columns {
                    rules.add_of_file(Some(name), column, rule.as_str().ok_or_else(|| wrong(column))?)?;
                }
            }
            _ => return Err(wrong(name)),
        }
    }
    Ok(())
}

/// A table as its masks need to know it.
pub(crate) struct Masked {
    name: TableName,
    columns: Vec<Column>,
    /// Columns that hold each value once.
    unique: Vec<String>,
    /// Generated columns, each with its expression.
    generated: Vec<(String, String)>,
}

impl Masked {
    /// Reads a table's columns and keys.
    pub(crate) fn read(config: &Config, table: &str) -> Result<Self> {
        let columns = Loader::columns(config, table).map_err(hint_at_login).map_err(of_view)?;
        let name = TableName::parse(table)?.in_schema(config.database())?;
        let columns = columns.ok_or_else(|| Error::config(format!("there is no table {} to mask", name.quoted())))?;
        let mut connection = Connection::connect(config).map_err(hint_at_login)?;
        let unique = connection.query::<Option<String>>(
            "SELECT MIN(COLUMN_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0
             GROUP BY INDEX_NAME HAVING COUNT(*) = 1",
            (&name.schema, &name.name),
        )?;
        let generated = connection.query::<(String, String)>(
            "SELECT COLUMN_NAME, GENERATION_EXPRESSION FROM information_schema.COLUMNS
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND GENERATION_EXPRESSION <> ''",
            (&name.schema, &name.name),
        )?;
        connection.close();
        Ok(Self { name, columns, unique: unique.into_iter().flatten().collect(), generated })
    }

    /// Columns that hold each value once.
    pub(crate) fn unique(&self) -> &[String] {
        &self.unique
    }

    /// The masks of these columns, in their order, and what compares those of unique columns.
    pub(crate) fn of_columns(&self, rules: &MaskRules, names: &[String]) -> Result<(TableMasks, UniqueMasks)> {
        let column = |name: &String| self.columns.iter().find(|column| column.name == *name).cloned();
        let columns = names.iter().map(column).collect::<Option<Vec<_>>>();
        let columns = columns.ok_or_else(|| Error::config(format!("{} was altered meanwhile", self.name.quoted())))?;
        let all: Vec<_> = self.columns.iter().map(|column| column.name.clone()).collect();
        rules.check_generated(&self.name.schema, &self.name.name, (&all, &self.generated), names)?;
        let masks = rules.of_table(&self.name.schema, &self.name.name, &columns)?;
        let unique = UniqueMasks::of(&masks, &self.unique);
        Ok((masks, unique))
    }
}

/// The hint of a view speaks of `load`.
fn of_view(error: Error) -> Error {
    match error.hint().is_some_and(|hint| hint.contains("the table behind it")) {
        true => error.with_hint("`--mask` is for tables: name the table that the view reads"),
        false => error,
    }
}

/// Refuses rules that name no column of these tables.
pub(crate) fn check_names(rules: &MaskRules, tables: &[Masked]) -> Result<()> {
    let of = |table: &'_ Masked| (table.name.schema.clone(), table.name.name.clone(), table.columns.clone());
    let tables: Vec<_> = tables.iter().map(of).collect();
    rules.check_names(
        &tables.iter().map(|(schema, table, columns)| (&**schema, &**table, &**columns)).collect::<Vec<_>>(),
    )
}

type Sources = Vec<Box<dyn Source>>;

/// The sources of a load, masked, and the header of its file of bad rows.
pub(crate) fn of_load(
    rules: &MaskRules,
    readers: Vec<Box<dyn FileSource>>,
    options: &LoadOptions,
    (config, into): (&Config, &str),
    is_one_of_many: bool,
) -> Result<(Sources, Vec<u8>)> {
    let mut table = Masked::read(config, into)?;
    let computed: Vec<String> = options.set.iter().map(|computed| computed.column.clone()).collect();
    let named: Vec<String> = options.set.iter().flat_map(|computed| computed.fields()).map(str::to_owned).collect();
    let mut sources = Sources::new();
    let mut header = Vec::new();
    for reader in readers {
        let columns = columns_of_fields(reader.fields(), &table.columns, &options.matching, (&computed, &named));
        let filled: Vec<Column> = columns.iter().flatten().cloned().collect();
        let masks = rules.of_table(&table.name.schema, &table.name.name, &filled)?;
        check_mode(&masks, &table.unique, options.mode)?;
        if sources.is_empty() {
            header = csv_line(filled.iter().map(|column| Some(&column.name)));
            // Fields that only expressions name may be named by rules too.
            let others = filled.iter().filter(|one| !table.columns.iter().any(|known| known.name == one.name));
            let others: Vec<_> = others.cloned().collect();
            table.columns.extend(others);
        }
        let mut of_filled = masks.masks.into_iter();
        let of_fields = columns.iter().map(|column| column.as_ref().and_then(|_| of_filled.next().flatten())).collect();
        sources.push(Box::new(MaskedSource::new(reader, of_fields, &masks.fingerprint)));
    }
    if !is_one_of_many {
        check_names(rules, std::slice::from_ref(&table))?;
    }
    Ok((sources, header))
}

/// The error of a first line that may be a header or a row, without the line.
pub(crate) fn without_line(error: Error) -> Error {
    match error.input_fault() {
        InputFault::HeaderInDoubt { message } => {
            Error::config(message.to_string()).with_hint("say it: `--header` or `--no-header`")
        }
        _ => error,
    }
}

/// Rows whose masked keys are equal would replace each other, or be left out, without an error.
fn check_mode(masks: &TableMasks, unique: &[String], mode: Mode) -> Result<()> {
    if mode == Mode::Insert {
        return Ok(());
    }
    let in_doubt = |name: &&str| unique.iter().any(|one| one.eq_ignore_ascii_case(name));
    let lossy = masks.masks.iter().flatten().filter(|mask| !mask.rule().is_unique());
    match lossy.map(|mask| mask.column()).find(in_doubt) {
        None => Ok(()),
        Some(column) => Err(Error::config(format!(
            "the mask of `{column}` may make two values equal; the column is unique, and this mode would lose a row without an error"
        ))
        .with_hint("`hmac`, `email`, `uuid` and `number` keep different values different; `--mode insert` reports duplicates")),
    }
}
