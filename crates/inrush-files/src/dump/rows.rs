//! The rows of one table of a dump as lines that [`escaped`](crate::escaped) writes, under a line with the names of its columns.

use super::cells::{self, Kind, RowEnd};
use super::statements::{Part, Settings, Statements, Zone, is_utf8, own};
use super::words::{self, CreateTable, InsertHead, Statement};
use crate::dialect::{TableColumn, TableColumns};
use crate::escaped;
use crate::pending_bytes::PendingBytes;
use inrush_core::error::{Error, Result};
use inrush_core::sql::Dialect;
use std::collections::BTreeSet;
use std::io::{self, Read};

/// The lines of a table.
pub(crate) struct Rows<R> {
    statements: Statements<R>,
    table: String,
    /// The columns of the table that is filled, for a dump without a definition of it.
    of_target: Option<TableColumns>,
    /// The file has rows of this table, and nothing else.
    is_of_folder: bool,
    created: Option<CreateTable>,
    layout: Option<Layout>,
    /// The database that the dump names for the table.
    database: Option<String>,
    /// The tables of other rows, for a message.
    others: BTreeSet<String>,
    /// Within an INSERT of this table.
    open: Option<OpenInsert>,
    out: PendingBytes,
    has_ended: bool,
}

/// What all rows of the table have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    /// The columns that an INSERT names.
    named: Option<Vec<String>>,
    /// Empty if neither an INSERT nor a CREATE TABLE names them.
    names: Vec<String>,
    kinds: Vec<Kind>,
    zone: Zone,
}

/// An INSERT that is not read to its end.
struct OpenInsert {
    line: u64,
    n_rows: u64,
    is_after_row: bool,
}

/// What is known of a table without the text of its rows.
#[derive(Default)]
pub(crate) struct KnownTable {
    /// The columns of the table that is filled.
    pub(crate) columns: Option<TableColumns>,
    /// Its CREATE TABLE, if it is in another file, as in folders; empty if there is none.
    pub(crate) definition: Option<String>,
}

impl<R: Read> Rows<R> {
    /// Reads up to the first row.
    ///
    /// # Errors
    /// `Config` for a dump without the table, and one whose text is in another character set; `Data` for what cannot be read.
    pub(crate) fn new(name: &str, bytes: R, table: &str, known: KnownTable, max_record: usize) -> Result<Self> {
        let is_of_folder = known.definition.is_some();
        let created = known.definition.map(|text| words::statement(text.as_bytes(), Dialect::default()));
        let created = created.and_then(|statement| match statement {
            Statement::Create(created) => Some(created),
            _ => None,
        });
        let mut rows = Self {
            // Escapes double what they stand for.
            statements: Statements::new(bytes, max_record.saturating_mul(2).saturating_add(PARTS)),
            table: table.to_owned(),
            of_target: known.columns,
            is_of_folder,
            created,
            layout: None,
            database: None,
            others: BTreeSet::new(),
            open: None,
            out: PendingBytes::default(),
            has_ended: false,
        };
        let doing = format!("cannot read `{name}`");
        while rows.layout.is_none() && !rows.has_ended {
            super::statements::settled(&doing, rows.step())?;
        }
        if rows.layout.is_none() {
            let Some(created) = rows.created.clone() else { return Err(rows.no_such_table(name)) };
            let settings = rows.statements.settings().clone();
            let layout = rows.layout_of(None, Some(&created), 0, &settings)?;
            rows.begin(layout);
        }
        Ok(rows)
    }

    /// The bytes that it holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.statements.held() + self.out.bytes.capacity()
    }

    /// Whether the first line has the names of the columns.
    pub(crate) fn has_names(&self) -> bool {
        self.layout.as_ref().is_some_and(|layout| !layout.names.is_empty())
    }

    /// The time zone of its TIMESTAMPs, if the dump says it.
    pub(crate) fn time_zone(&self) -> Option<&str> {
        match &self.layout.as_ref()?.zone {
            Zone::Is(zone) => Some(zone),
            Zone::Unsaid => None,
        }
    }

    fn no_such_table(&self, name: &str) -> Error {
        let error = Error::config(format!("`{name}` has no rows of a table `{}`", self.table));
        let named: Vec<_> = self.others.iter().take(8).map(|table| format!("`{table}`")).collect();
        match self.others.first() {
            None => {
                error.with_hint("it has no INSERT of literal values at all; `inrush run` plays scripts of every kind")
            }
            Some(first) => {
                let more = if self.others.len() > 8 { " .." } else { "" };
                let name = name.strip_suffix(&format!("#{}", self.table)).unwrap_or(name);
                error.with_hint(format!("it has those of {}{more}: name one as `{name}#{first}`", named.join(", ")))
            }
        }
    }

    /// Reads a statement, or a part of one.
    fn step(&mut self) -> io::Result<()> {
        let Some(part) = self.statements.next()? else {
            self.has_ended = true;
            return Ok(());
        };
        super::check_ended(&part, self.statements.text(&part)).map_err(own)?;
        if part.is_first {
            self.open = None;
            self.begin_statement(&part).map_err(own)?;
        }
        let used = match self.open.take() {
            // Of another table.
            None => self.statements.text(&part).len(),
            Some(open) => self.rows_of(&part, open).map_err(own)?,
        };
        if !part.is_last {
            self.statements.release(&part, used);
        }
        Ok(())
    }

    fn begin_statement(&mut self, part: &Part) -> Result<()> {
        let settings = self.statements.settings().clone();
        let text = self.statements.text(part);
        match words::statement(text, settings.dialect) {
            Statement::Insert(head) if head.table == self.table => {
                self.check_database(head.database.as_ref().or(settings.database.as_ref()), part.line)?;
                super::check_mode(&settings, part.line)?;
                let n_values = self.n_values(part, head.rows_at);
                self.begin_insert(&head, n_values, &settings, part.line)?;
                self.open = Some(OpenInsert { line: part.line, n_rows: 0, is_after_row: false });
            }
            Statement::Insert(_)
            | Statement::Create(_)
            | Statement::Drop(_)
            | Statement::Schema(_)
            | Statement::Alter(_)
                if self.is_of_folder =>
            {
                return Err(super::besides_rows(text, part.line, &self.table));
            }
            Statement::Insert(head) if self.layout.is_none() => drop(self.others.insert(head.table)),
            Statement::Insert(_) => {}
            Statement::Create(created) if created.table == self.table => {
                self.check_database(created.database.as_ref().or(settings.database.as_ref()), part.line)?;
                if self.layout.is_some() {
                    return Err(self.made_anew(part.line));
                }
                self.created = Some(created);
            }
            Statement::Drop(tables) if self.layout.is_some() && tables.contains(&self.table) => {
                return Err(self.made_anew(part.line));
            }
            Statement::Use(name) => self.statements.use_database(&name),
            // One that is left out may set other things as well.
            Statement::Set | Statement::Frame | Statement::LeftOut => self.statements.note(part),
            Statement::Other => return Err(super::other(text, part.line)),
            Statement::Create(_)
            | Statement::Drop(_)
            | Statement::Database(_)
            | Statement::Schema(_)
            | Statement::Alter(_) => {}
        }
        Ok(())
    }

    /// Refuses the rows of two tables of the same name.
    fn check_database(&mut self, database: Option<&String>, line: u64) -> Result<()> {
        match (&self.database, database) {
            (None, Some(first)) if self.layout.is_none() => {
                self.database = Some(first.clone());
                Ok(())
            }
            (first, other) if first.as_ref() == other => Ok(()),
            (first, other) => {
                let shown = |name: Option<&String>| name.map_or("none".to_owned(), |name| format!("`{name}`"));
                Err(Error::data(format!(
                    "line {line}: the dump has a table `{}` in the database {} and in {}",
                    self.table,
                    shown(first.as_ref()),
                    shown(other)
                ))
                .with_hint("dump each database by itself; `inrush run` plays such a dump as it is"))
            }
        }
    }

    fn made_anew(&self, line: u64) -> Error {
        let message =
            format!("line {line}: the dump makes table `{}` anew after rows of it: it is several dumps", self.table);
        Error::data(message).with_hint("load the last of them; `inrush run` plays all of it as it is")
    }

    /// How many values the first row has; nothing if it is not whole.
    fn n_values(&self, part: &Part, rows_at: usize) -> usize {
        let (text, dialect) = (&self.statements.text(part)[rows_at..], self.statements.settings().dialect);
        match cells::row(text, &[Kind::Generated; MOST_COLUMNS], dialect, part.is_last, &mut Vec::new()) {
            Ok(RowEnd::At(_, n_values)) => n_values,
            _ => 0,
        }
    }

    fn begin_insert(&mut self, head: &InsertHead, n_values: usize, settings: &Settings, line: u64) -> Result<()> {
        let Some(layout) = &self.layout else {
            let created = self.created.clone();
            let layout = self.layout_of(head.columns.clone(), created.as_ref(), n_values, settings)?;
            self.begin(layout);
            return Ok(());
        };
        if layout.named != head.columns {
            return Err(Error::data(format!(
                "line {line}: this INSERT into `{}` names other columns than those before it",
                self.table
            ))
            .with_hint("`inrush run` plays such a dump as it is"));
        }
        if layout.zone != settings.time_zone {
            return Err(Error::data(format!(
                "line {line}: the time zone of the dump changes between rows of `{}`",
                self.table
            ))
            .with_hint("`inrush run` plays such a dump as it is"));
        }
        check_charset(settings, self.created.as_ref())
    }

    fn layout_of(
        &self,
        named: Option<Vec<String>>,
        created: Option<&CreateTable>,
        n_values: usize,
        settings: &Settings,
    ) -> Result<Layout> {
        check_charset(settings, created)?;
        let defined = created.map(|created| &created.columns[..]).unwrap_or_default();
        // One kind of client writes values for generated columns as well, which servers pass over.
        let is_whole = n_values == defined.len();
        let names = match &named {
            Some(named) => named.clone(),
            None => defined.iter().filter(|one| is_whole || !one.is_generated).map(|one| one.name.clone()).collect(),
        };
        let target = match &self.of_target {
            Some(columns) => columns.read()?.unwrap_or_default(),
            None => Vec::new(),
        };
        // What a literal means is decided by the column that gets it.
        let of_name = |name: &String| {
            let defined = defined.iter().find(|column| column.name.eq_ignore_ascii_case(name));
            let of_target = target.iter().find(|column| column.name.eq_ignore_ascii_case(name)).map(kind_of);
            match (of_target.filter(|kind| *kind != Kind::Unknown), defined) {
                (_, Some(column)) if column.is_generated => Kind::Generated,
                (Some(kind), _) => kind,
                (None, Some(column)) => Kind::of_word(&column.ty),
                (None, None) => Kind::Unknown,
            }
        };
        let all: Vec<_> = target.iter().map(kind_of).collect();
        let kinds = match names.is_empty() {
            true if all.len() == n_values => all,
            true => all.into_iter().filter(|kind| *kind != Kind::Generated).collect(),
            false => names.iter().map(of_name).collect(),
        };
        Ok(Layout { named, names, kinds, zone: settings.time_zone.clone() })
    }

    /// Writes the line of names.
    fn begin(&mut self, layout: Layout) {
        let shown = layout.names.iter().zip(&layout.kinds).filter(|(_, kind)| **kind != Kind::Generated);
        for (at, (name, _)) in shown.enumerate() {
            if at > 0 {
                self.out.bytes.push(escaped::DELIMITER);
            }
            escaped::push(name.as_bytes(), &mut self.out.bytes);
        }
        if !layout.names.is_empty() {
            self.out.bytes.push(b'\n');
        }
        self.layout = Some(layout);
    }

    /// Writes the rows of a part, and returns how many of its bytes are done with.
    fn rows_of(&mut self, part: &Part, mut open: OpenInsert) -> Result<usize> {
        let dialect = self.statements.settings().dialect;
        let text = self.statements.text(part);
        let Some(layout) = &self.layout else { return Ok(text.len()) };
        let mut at = match part.is_first {
            true => match words::statement(text, dialect) {
                Statement::Insert(head) => head.rows_at,
                _ => 0,
            },
            false => 0,
        };
        let refused = |why: String, n_rows: u64| {
            let row = n_rows + 1;
            let hint = match &why[..] {
                cells::OPEN => "the file may have been cut off: compare its size with that of its origin",
                _ => "`inrush run` plays such a statement as it is",
            };
            Error::data(format!("row {row} of the INSERT in line {}: {why}", open.line)).with_hint(hint)
        };
        loop {
            let rest = &text[at..];
            let n_blank = cells::blanks(rest);
            match (rest.get(n_blank), open.is_after_row) {
                (None, true) if part.is_last => return Ok(text.len()),
                (None, _) if !part.is_last => break,
                (Some(b','), true) => {
                    open.is_after_row = false;
                    at += n_blank + 1;
                    continue;
                }
                (Some(b'('), false) => {}
                _ => {
                    let shown = String::from_utf8_lossy(&rest[n_blank..(n_blank + 40).min(rest.len())]).into_owned();
                    return Err(refused(format!("`{shown}` is no row of literals"), open.n_rows));
                }
            }
            let written = self.out.bytes.len();
            let row = &rest[n_blank..];
            match cells::row(row, &layout.kinds, dialect, part.is_last, &mut self.out.bytes) {
                Ok(RowEnd::At(end, n_values)) => {
                    if !layout.names.is_empty() && n_values != layout.names.len() {
                        let n = layout.names.len();
                        return Err(refused(
                            format!("it has {n_values} values, and the table has {n} columns"),
                            open.n_rows,
                        ));
                    }
                    self.out.bytes.push(b'\n');
                    at += n_blank + end;
                    open.n_rows += 1;
                    open.is_after_row = true;
                }
                Ok(RowEnd::Open) => {
                    self.out.bytes.truncate(written);
                    break;
                }
                Err(why) => return Err(refused(why, open.n_rows)),
            }
        }
        self.open = Some(open);
        Ok(at)
    }
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.out.is_taken() && !self.has_ended {
            self.out.clear();
            self.step()?;
        }
        Ok(self.out.take(space))
    }
}

/// No table has more columns.
const MOST_COLUMNS: usize = 4096;

/// Room for what is read at a time.
const PARTS: usize = 8 << 20;

fn kind_of(column: &TableColumn) -> Kind {
    match &column.ty {
        _ if column.is_generated => Kind::Generated,
        Some(ty) => Kind::of_type(ty),
        None => Kind::Unknown,
    }
}

/// Refuses a dump whose texts are not in UTF-8.
fn check_charset(settings: &Settings, created: Option<&CreateTable>) -> Result<()> {
    match unreadable(settings.charset.as_deref(), created.map(|created| &created.charsets[..])) {
        None => Ok(()),
        Some(why) => {
            Err(Error::config(why)
                .with_hint("dump it again in the character set utf8mb4; `inrush run` plays it as it is"))
        }
    }
}

/// Why rows in this character set (one that is no UTF-8) are not read, of a table with texts in these ones, if it is defined.
pub(super) fn unreadable(charset: Option<&str>, of_table: Option<&[String]>) -> Option<String> {
    let charset = charset?;
    if charset != "binary" {
        return Some(format!("the texts of the dump are in {charset} (SET NAMES), not in UTF-8"));
    }
    // Then they are as the columns have them.
    let Some(of_table) = of_table else {
        return Some(
            "the dump has its texts as they are stored (SET NAMES binary), and no definition of the table".into(),
        );
    };
    let of_column = of_table.iter().find(|name| !is_utf8(name) && *name != "binary")?;
    Some(format!("the dump has its texts as they are stored (SET NAMES binary), of a table in {of_column}"))
}
