//! What can be executed: a text, or a [`Statement`], with values or without. Decides how it is sent, for both shells.

use crate::{Config, Error, Result};
use inrush_core::convert::{FromRow, Params};
use inrush_core::error::reason;
use inrush_core::session::{Effect, Outcome, Sink, Statement};
use inrush_core::wire::{ColumnDef, Row};
use std::borrow::Cow;

/// The text of a statement, or a [`Statement`].
///
/// A text without values is sent as it is (COM_QUERY); its string literals may hold any bytes. A text with values, and a
/// [`Statement`] in any case, is prepared once a connection, kept, and executed.
pub trait Sql {
    /// The text or the statement.
    fn text(&self) -> Text<'_>;
}

/// The content of an [`Sql`].
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// Bytes in the connection's character set, utf8mb4.
    Plain(&'a [u8]),
    /// Text whose placeholders are known.
    Statement(&'a Statement),
}

impl Sql for str {
    fn text(&self) -> Text<'_> {
        Text::Plain(self.as_bytes())
    }
}

impl Sql for String {
    fn text(&self) -> Text<'_> {
        Text::Plain(self.as_bytes())
    }
}

impl Sql for [u8] {
    fn text(&self) -> Text<'_> {
        Text::Plain(self)
    }
}

impl Sql for Vec<u8> {
    fn text(&self) -> Text<'_> {
        Text::Plain(self)
    }
}

impl Sql for Statement {
    fn text(&self) -> Text<'_> {
        Text::Statement(self)
    }
}

/// A statement to be sent.
pub(crate) enum StatementSource<'a> {
    /// As text, unless there are values.
    Plain(&'a [u8]),
    /// Prepared.
    Prepared(Cow<'a, Statement>),
}

impl<'a> StatementSource<'a> {
    /// How a statement with parameters of the kind `P` is sent.
    pub(crate) fn new<P: Params>(sql: &'a (impl Sql + ?Sized)) -> Result<Self> {
        match sql.text() {
            Text::Statement(statement) => Ok(Self::Prepared(Cow::Borrowed(statement))),
            Text::Plain(text) if P::NAMED => {
                let text = std::str::from_utf8(text)
                    .map_err(|_| Error::config("a statement with named placeholders is not valid UTF-8"))?;
                Ok(Self::Prepared(Cow::Owned(Statement::new(text)?)))
            }
            Text::Plain(text) => Ok(Self::Plain(text)),
        }
    }

    /// The text as the server gets it.
    pub(crate) fn sql(&self) -> &[u8] {
        match self {
            Self::Plain(text) => text,
            Self::Prepared(statement) => statement.sql().as_bytes(),
        }
    }

    /// The names of its placeholders.
    pub(crate) fn names(&self) -> &[Box<str>] {
        match self {
            Self::Plain(_) => &[],
            Self::Prepared(statement) => statement.names(),
        }
    }

    /// Whether it is sent as text.
    pub(crate) fn is_plain(&self, n_values: usize) -> bool {
        matches!(self, Self::Plain(_)) && n_values == 0
    }
}

/// How rows are to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As text if the statement is sent as text.
    AsAsked,
    /// In binary form, if the server can prepare the statement at all.
    Binary,
}

/// The server's code for a statement that it cannot prepare.
pub(crate) const UNPREPARABLE: u16 = 1295;

/// Rows of so many bytes are read and dropped once the answer is known, so that the connection is ready for the next statement. More is left
/// where it is: the connection reads it before its next command, and a pool closes the connection instead.
const MOST_PAST: usize = 1 << 20;

/// Whether the rest of a statement's results may be left unread: it only reads, and no other statement follows it. The results of all
/// other statements are read to their end.
pub(crate) fn may_be_left(sql: &[u8]) -> bool {
    !sql.contains(&b';') && Effect::of_prepared(sql) == Effect::Nothing
}

/// A sink that makes a `T` of each row of the first result set.
///
/// A row that does not fit `T` is no error of the connection: the rest is read or left, and the first such error is returned.
pub(crate) struct Typed<T> {
    rows: Vec<T>,
    error: Option<Error>,
    n_results: usize,
    most: usize,
    /// More rows than these are an error.
    is_strict: bool,
    n_bytes: usize,
    max_bytes: usize,
    /// Whether no other row can change the answer, and the bytes of the rows that came since.
    is_known: bool,
    n_past: usize,
}

impl<T> Typed<T> {
    /// Takes all rows.
    pub(crate) fn all(config: &Config) -> Self {
        let max_bytes = config.max_result;
        Self {
            rows: Vec::new(),
            error: None,
            n_results: 0,
            most: usize::MAX,
            is_strict: false,
            n_bytes: 0,
            max_bytes,
            is_known: false,
            n_past: 0,
        }
    }

    /// Takes the first row and drops the others.
    pub(crate) fn first(config: &Config) -> Self {
        Self { most: 1, ..Self::all(config) }
    }

    /// Takes one row; more are an error.
    pub(crate) fn only(config: &Config) -> Self {
        Self { most: 1, is_strict: true, ..Self::all(config) }
    }

    /// Whether the answer is known, and more has come since than the rest of an ordinary result.
    pub(crate) fn is_enough(&self) -> bool {
        self.is_known && self.n_past > MOST_PAST
    }

    /// The rows, or the error of the first that did not fit.
    pub(crate) fn into_rows(self) -> Result<Vec<T>> {
        self.error.map_or(Ok(self.rows), Err)
    }

    /// The only row that was requested.
    pub(crate) fn into_one(self) -> Result<T> {
        let row = self.into_rows()?.pop();
        row.ok_or_else(reason::row_not_found)
    }
}

impl<T: for<'r> FromRow<'r>> Sink for Typed<T> {
    fn columns(&mut self, _columns: &[ColumnDef]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        if self.n_results > 0 || self.is_known {
            self.n_past += row.body().len();
            return Ok(());
        }
        if self.rows.len() == self.most {
            self.error = Some(reason::too_many_rows());
            self.is_known = true;
            return Ok(());
        }
        self.n_bytes += row.body().len() + size_of::<T>();
        if self.n_bytes > self.max_bytes {
            return Err(Error::config(format!("the result has more than {} bytes", self.max_bytes))
                .with_hint("read it row by row with `query_iter`, or ask for less"));
        }
        match T::from_row(row) {
            Ok(row) => self.rows.push(row),
            Err(malformed) if malformed.is_fatal() => return Err(malformed),
            Err(misfit) => self.error = Some(misfit),
        }
        self.is_known = self.error.is_some() || !self.is_strict && self.rows.len() == self.most;
        Ok(())
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<()> {
        self.n_results += 1;
        Ok(())
    }
}

/// A warning or note of the last statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// `Note`, `Warning` or `Error`.
    pub level: String,
    /// The server's code.
    pub code: u16,
    /// The server's message.
    pub message: String,
}

impl FromRow<'_> for Warning {
    fn from_row(row: Row<'_>) -> Result<Self> {
        let (level, code, message) = FromRow::from_row(row)?;
        Ok(Self { level, code, message })
    }
}

/// Names values for placeholders: `params! { "name" => "Ann", "age" => 40 }`, or `params! { name, age }` for variables of these names.
/// Borrows its values.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// let (id, name) = (1, "Anna");
/// connection.execute("UPDATE people SET name = :name WHERE id = :id", inrush::params! { id, name })?;
/// # assert_eq!(shop.ask("SELECT name FROM people WHERE id = 1"), ["Anna"]);
/// # Ok::<(), inrush::Error>(())
/// ```
#[macro_export]
macro_rules! params {
    ($($name:ident),+ $(,)?) => {
        $crate::sans_io::convert::Named::new(vec![$((stringify!($name), $crate::sans_io::convert::ToValue::to_value(&$name))),+])
    };
    ($($name:expr => $value:expr),* $(,)?) => {
        $crate::sans_io::convert::Named::new(vec![$(($name, $crate::sans_io::convert::ToValue::to_value(&$value))),*])
    };
}
