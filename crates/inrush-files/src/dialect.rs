//! The dialect of a CSV file: the options of a caller, and the checked [`Dialect`].
//!
//! The default is RFC 4180, with these extensions: a line ends in LF or CRLF (a lone CR is data), a
//! quote in the middle of an unquoted field is data, and a field counts as quoted only if its first byte is the quote.

use crate::formats::ValueFormats;
use crate::widths::Widths;
use encoding_rs::Encoding;
use inrush_core::column::{Column, ColumnType};
use inrush_core::error::{Error, Result};
use inrush_core::load::ledger::Mapping;
use inrush_core::load::{FieldTarget, Matching, Mode};
use inrush_core::write::Computed;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How to read a CSV or TSV file. `Default` is RFC 4180 with a header, in UTF-8 (or UTF-16, by its byte order mark).
///
/// ```
/// use inrush_files::CsvOptions;
/// let options = CsvOptions::default().with_delimiter(b';').with_nulls([b"NA".to_vec()]);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CsvOptions {
    /// The byte between two fields; `None` is the format's default: `,` for CSV, a tab for TSV.
    pub delimiter: Option<u8>,
    /// The byte around a quoted field; `None` turns quoting off.
    pub quote: Option<u8>,
    /// The byte that escapes the next one inside quotes. Without a quote it works in every field and has the meaning of
    /// MySQL (`\n` is a line feed, `\0` a NUL ..), as in the files of SELECT INTO OUTFILE.
    pub escape: Option<u8>,
    /// The text that begins a comment. Such lines are skipped anywhere, before the header as well; `None`: no line is a comment. A field
    /// in quotes does not begin with it.
    pub comment: Option<Vec<u8>>,
    /// Whether the first record has the names of the columns.
    pub header: bool,
    /// Texts that mean NULL if they are a complete unquoted field.
    pub nulls: Vec<Vec<u8>>,
    /// The file's encoding; `None` is UTF-8, or UTF-16 with a byte order mark.
    pub encoding: Option<&'static Encoding>,
    /// Lines (not records) to skip before the header, as `IGNORE n LINES` does.
    pub skip: u64,
    /// The most records to read after the header, bad ones included.
    pub limit: Option<u64>,
    /// The most records of one batch; `None` if only bytes limit it.
    pub batch_rows: Option<usize>,
    /// The most bytes of one batch; only a single record may be larger.
    pub batch_bytes: usize,
    /// The most bytes of one record, line end included, which bounds the memory; a longer record is an error.
    pub max_record: usize,
    /// The memory limit for decoding rows of a typed file, and for the fields of a batch of JSON Lines.
    pub memory: usize,
    /// Whether lines end with a carriage return alone.
    pub cr_ends: bool,
    /// The keys that lead to the array in a JSON document, outermost first; `None`: the document is the array, or its values are the records.
    pub json_path: Option<Vec<String>>,
    /// The widths of the fields of a text that has no delimiter.
    pub widths: Option<Widths>,
    /// Whether fields beyond those of the header are left out; if not, such a record is bad.
    pub ignore_extra_fields: bool,
    /// Whether names of JSON that come behind the first records, and are not columns of the table, are left out; if not, such a record is bad.
    pub ignore_late_names: bool,
    /// Whether the fields that a record lacks at its end are NULL; if not, such a record is bad.
    pub null_missing_fields: bool,
    /// Whether the results of a workbook's formulas are taken from the file, also if a result is missing. If not, a workbook with a
    /// missing result is refused.
    pub stored_formulas: bool,
    /// How numbers and dates are written.
    pub formats: ValueFormats,
    /// What is done with the names in the header.
    pub names: HeaderNames,
    /// Whether the names of a JSON file are those of all of its records, which are read first, and not of the first ones.
    pub all_names: bool,
    /// Which of these options are detected from the beginning of each file, whatever their values here.
    pub auto_detect: AutoDetect,
    /// The columns of the table, which decide where a file's first line may be a header or a row.
    pub columns_of_table: Option<TableColumns>,
    /// The table of a dump whose rows are read, unless the file's name has one after a `#`.
    pub dump_table: Option<String>,
    /// The CREATE TABLE of that table, if it is in another file: then this one has its rows and nothing else. It may be empty.
    pub dump_definition: Option<String>,
    /// Features that detection found in no record of the sample.
    pub(crate) doubts: Doubts,
    /// The text is made of the rows of this table of a dump: NULL is marked in it, so that no empty field is NULL.
    pub(crate) rows_of_dump: Option<String>,
}

/// Features that no record of the sample has, so it is unknown how to read them: a record that has one is bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doubts {
    /// Quotes around a delimiter and a line end.
    pub(crate) swallowing: bool,
    /// A backslash, where `\N` is NULL.
    pub(crate) backslashes: bool,
}

/// A column that a file may be loaded into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Whether it may get NULL where a record has nothing for it, since a row without it has NULL there.
    pub is_spare: bool,
    /// Its type, if that is known.
    pub(crate) ty: Option<ColumnType>,
    /// Whether it computes its values.
    pub(crate) is_generated: bool,
}

impl TableColumn {
    /// One of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), is_spare: false, ty: None, is_generated: false }
    }

    /// `mode` decides whether a row is new or changes an existing row. In an existing row, NULL would overwrite the column's value.
    fn of(column: &Column, mode: Mode) -> Self {
        let is_special = column.has_default || column.generated || column.auto_increment;
        let makes_rows = matches!(mode, Mode::Insert | Mode::Ignore | Mode::Replace);
        let is_spare = makes_rows && column.nullable && !is_special;
        Self { name: column.name.clone(), is_spare, ty: Some(column.ty.clone()), is_generated: column.generated }
    }
}

/// The columns that files are loaded into. They are read when the first file needs them, and once. The headers of files that
/// were opened with it are known as well: the same line in another file is a header.
#[derive(Clone)]
pub struct TableColumns {
    read: Arc<dyn Fn() -> Result<Option<Vec<TableColumn>>> + Send + Sync>,
    columns: Arc<OnceLock<Result<Option<Vec<TableColumn>>>>>,
    headers: Arc<Mutex<BTreeSet<Vec<Vec<u8>>>>>,
}

impl TableColumns {
    /// `read` returns `None` if there is no such table.
    pub fn new(read: impl Fn() -> Result<Option<Vec<TableColumn>>> + Send + Sync + 'static) -> Self {
        Self { read: Arc::new(read), columns: Arc::default(), headers: Arc::default() }
    }

    /// Those of a load: what is named for the fields in their order, else the table's, which `read` returns, and the fields that are
    /// computed with. `is_new`: the table is replaced by one that is made of the files.
    pub fn of_load(
        matching: &Matching,
        computed: &[Computed],
        mode: Mode,
        is_new: bool,
        read: impl Fn() -> Result<Option<Vec<Column>>> + Send + Sync + 'static,
    ) -> Self {
        let named = TableColumn::named;
        if let Matching::Listed(targets) = matching {
            let of = |target: &FieldTarget| match target {
                FieldTarget::Column(name) | FieldTarget::Skip(name) => named(name),
            };
            let columns: Vec<TableColumn> = targets.iter().map(of).collect();
            return Self::new(move || Ok(Some(columns.clone())));
        }
        let fields: Vec<TableColumn> = computed.iter().flat_map(Computed::fields).map(named).collect();
        let computed: Vec<String> = computed.iter().map(|computed| computed.column.to_lowercase()).collect();
        Self::new(move || {
            let of = |column: &Column| {
                let is_left = !is_new && !computed.contains(&column.name.to_lowercase());
                let column = TableColumn::of(column, mode);
                TableColumn { is_spare: column.is_spare && is_left, ..column }
            };
            Ok(read()?.map(|columns| columns.iter().map(of).chain(fields.clone()).collect()))
        })
    }

    /// Notes the header of a file.
    pub(crate) fn note_header(&self, fields: &[&[u8]]) {
        let fields = fields.iter().map(|field| field.to_vec()).collect();
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).insert(fields);
    }

    /// Whether another file has this header.
    pub(crate) fn has_header(&self, fields: &[&[u8]]) -> bool {
        let fields: Vec<Vec<u8>> = fields.iter().map(|field| field.to_vec()).collect();
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).contains(&fields)
    }

    pub(crate) fn read(&self) -> Result<Option<Vec<TableColumn>>> {
        self.columns.get_or_init(|| (self.read)()).clone()
    }
}

impl fmt::Debug for TableColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableColumns").field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// How the names in a header are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderNames {
    /// They stay as they are.
    #[default]
    Keep,
    /// Blanks around them are left out.
    Trim,
    /// They become names that the columns of a new table can have: without blanks around them, none empty, none twice, none longer than
    /// 64 characters.
    CleanUp,
}

/// What is detected from a file's beginning. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AutoDetect {
    /// The delimiter.
    pub delimiter: bool,
    /// The quote and the escape.
    pub quote: bool,
    /// Whether there is a header.
    pub header: bool,
    /// The lines before the table. If not, such lines are an error.
    pub skip: bool,
    /// The encoding of a text that is not UTF-8. UTF-16 and lone carriage returns are detected whenever anything is.
    pub encoding: bool,
}

impl AutoDetect {
    /// Whether anything is to be detected.
    pub fn is_any(self) -> bool {
        self != Self::default()
    }
}

inrush_core::setters!(CsvOptions {
    with_delimiter => delimiter: into Option<u8>,
    with_quote => quote: into Option<u8>,
    with_escape => escape: into Option<u8>,
    with_comment => comment: into Option<Vec<u8>>,
    with_header => header: as bool,
    with_nulls => nulls: into Vec<Vec<u8>>,
    with_encoding => encoding: into Option<&'static Encoding>,
    with_skip => skip: as u64,
    with_limit => limit: into Option<u64>,
    with_batch_rows => batch_rows: into Option<usize>,
    with_batch_bytes => batch_bytes: as usize,
    with_max_record => max_record: as usize,
    with_memory => memory: as usize,
    with_cr_ends => cr_ends: as bool,
    with_json_path => json_path: into Option<Vec<String>>,
    with_widths => widths: into Option<Widths>,
    with_ignore_extra_fields => ignore_extra_fields: as bool,
    with_ignore_late_names => ignore_late_names: as bool,
    with_null_missing_fields => null_missing_fields: as bool,
    with_stored_formulas => stored_formulas: as bool,
    with_formats => formats: as ValueFormats,
    with_names => names: as HeaderNames,
    with_all_names => all_names: as bool,
    with_auto_detect => auto_detect: as AutoDetect,
    with_columns_of_table => columns_of_table: into Option<TableColumns>,
    with_dump_table => dump_table: into Option<String>,
    with_dump_definition => dump_definition: into Option<String>,
});

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: Some(b'"'),
            escape: None,
            comment: None,
            header: true,
            nulls: Vec::new(),
            encoding: None,
            skip: 0,
            limit: None,
            batch_rows: None,
            batch_bytes: 4 << 20,
            max_record: DEFAULT_RECORD,
            memory: 256 << 20,
            cr_ends: false,
            json_path: None,
            widths: None,
            ignore_extra_fields: false,
            ignore_late_names: false,
            null_missing_fields: false,
            stored_formulas: false,
            formats: ValueFormats::default(),
            names: HeaderNames::Keep,
            all_names: false,
            auto_detect: AutoDetect::default(),
            columns_of_table: None,
            dump_table: None,
            dump_definition: None,
            doubts: Doubts::default(),
            rows_of_dump: None,
        }
    }
}

/// The special bytes, checked: all ASCII, so that they never split a character, and all different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two fields.
    pub delimiter: u8,
    /// The byte around a quoted field.
    pub quote: Option<u8>,
    /// The escape, if it is another byte than the quote (a quote is always escaped by doubling).
    pub escape: Option<u8>,
    /// The text that begins a comment line.
    pub comment: Option<Vec<u8>>,
    /// Texts that mean NULL if they are a complete unquoted field.
    pub nulls: Vec<Vec<u8>>,
}

impl Dialect {
    /// Checks the options; `delimiter` is the format's default.
    pub(crate) fn new(options: &CsvOptions, delimiter: u8) -> Result<Self> {
        let mut dialect = Self {
            delimiter: options.delimiter.unwrap_or(delimiter),
            quote: options.quote,
            escape: options.escape.filter(|_| options.escape != options.quote),
            comment: options.comment.clone(),
            nulls: options.nulls.clone(),
        };
        let roles = [("delimiter", Some(dialect.delimiter)), ("quote", dialect.quote), ("escape", dialect.escape)];
        for (i, &(role, byte)) in roles.iter().enumerate() {
            let Some(byte) = byte else { continue };
            if !byte.is_ascii() || matches!(byte, b'\n' | b'\r') {
                return Err(Error::config(format!("the {role} must be one ASCII character other than a line end")));
            }
            if let Some((other, _)) = roles[..i].iter().find(|(_, other)| *other == Some(byte)) {
                return Err(Error::config(format!("the {role} and the {other} are the same, `{}`", byte as char)));
            }
        }
        dialect.check_comment(&roles)?;
        let batch_rows = options.batch_rows.unwrap_or(1);
        if batch_rows == 0 || options.batch_bytes == 0 || options.max_record == 0 {
            return Err(Error::config("a batch must allow at least one row and one byte"));
        }
        // Views have 32-bit offsets, and the splitter uses the top bit of each as a flag.
        if options.batch_bytes.saturating_add(options.max_record) > MAX_BATCH || batch_rows > MAX_BATCH {
            return Err(Error::config("a batch and the longest record must be below 1 GiB together"));
        }
        if let Some(escape) = dialect.escape.filter(|_| dialect.escapes_unquoted()) {
            dialect.nulls.push(vec![escape, b'N']); // As MySQL writes it; it is unambiguous.
        }
        Ok(dialect)
    }

    /// A comment is known by its beginning alone, whatever else its line holds.
    fn check_comment(&self, roles: &[(&str, Option<u8>)]) -> Result<()> {
        let Some(comment) = &self.comment else { return Ok(()) };
        if comment.is_empty() || comment.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err(Error::config("the beginning of a comment must be one character at least, and no line end"));
        }
        match roles.iter().find(|(_, byte)| byte.is_some_and(|byte| comment.contains(&byte))) {
            Some((role, _)) => {
                let shown = String::from_utf8_lossy(comment);
                Err(Error::config(format!("the beginning of a comment, `{shown}`, has the {role} in it")))
            }
            None => Ok(()),
        }
    }

    /// Whether the line that `text` begins with is a comment.
    #[inline(always)]
    pub(crate) fn is_comment(&self, text: &[u8]) -> bool {
        self.comment.as_ref().is_some_and(|comment| text.starts_with(comment))
    }

    /// The options that determine the records of the text, which must be the same when it is read again. Texts for NULL may change
    /// between two runs.
    pub(crate) fn reading(&self, options: &CsvOptions) -> Mapping {
        let Self { delimiter, quote, escape, comment, nulls: _ } = self;
        // Every option is listed, so that a new one does not compile until it is decided here.
        let CsvOptions {
            header,
            encoding,
            skip,
            limit,
            cr_ends,
            json_path,
            widths,
            ignore_extra_fields,
            null_missing_fields,
            stored_formulas,
            formats,
            rows_of_dump,
            // As `self` has them.
            delimiter: _,
            quote: _,
            escape: _,
            comment: _,
            // Values, not the borders of records; two runs may differ in them.
            nulls: _,
            names: _,
            all_names: _,
            ignore_late_names: _,
            // How much is read at a time, and when a record is refused.
            batch_rows: _,
            batch_bytes: _,
            max_record: _,
            memory: _,
            // They were applied to the other options.
            auto_detect: _,
            columns_of_table: _,
            dump_table: _,
            dump_definition: _,
            doubts: _,
        } = options;
        let shown = |byte: &Option<u8>| byte.map_or("none".into(), |byte| char::from(byte).to_string());
        let comment = comment.as_ref().map(|comment| String::from_utf8_lossy(comment).into_owned());
        // Rare options are included only if they are set, so that jobs that began before an option existed can continue.
        let rare = [
            ("path", json_path.as_ref().map(|path| path.join("."))),
            ("widths", widths.as_ref().map(Widths::to_string)),
            ("comment", comment),
            ("table of the dump", rows_of_dump.clone()),
            ("extra fields", ignore_extra_fields.then(|| "ignored".into())),
            ("missing fields", null_missing_fields.then(|| "NULL".into())),
            ("formulas", stored_formulas.then(|| "as stored".into())),
            ("formats of values", formats.is_any().then(|| formats.to_string())),
            ("lines end", cr_ends.then(|| "with CR".into())),
        ];
        let mapping = Mapping::default()
            .with("delimiter", char::from(*delimiter))
            .with("quote", shown(quote))
            .with("escape", shown(escape))
            .with("header", if *header { "line 1" } else { "none" })
            .with("encoding", encoding.map_or("utf-8 or what its mark says", |encoding| encoding.name()))
            .with("lines passed over", skip)
            .with("limit", limit.map_or("none".into(), |limit| limit.to_string()));
        let set = rare.into_iter().filter_map(|(name, value)| Some((name, value?)));
        set.fold(mapping, |mapping, (name, value)| mapping.with(name, value))
    }

    /// Whether `\N` is NULL.
    pub(crate) fn has_null_word(&self) -> bool {
        self.nulls.iter().any(|null| null == b"\\N")
    }

    /// True if the escape also works outside quotes.
    pub(crate) fn escapes_unquoted(&self) -> bool {
        self.quote.is_none() && self.escape.is_some()
    }
}

/// MySQL's own default for max_allowed_packet: a longer row could not be sent anyway.
pub(crate) const DEFAULT_RECORD: usize = 64 << 20;

/// 1 GiB: the most bytes of a batch and the longest record together.
pub(crate) const MAX_BATCH: usize = 1 << 30;
