//! The one error type of the whole project, and [`Place`], the position of a fault in the input.
//!
//! An error is opaque and one word wide; callers use its methods. A message is one line, lower case, without a final dot,
//! literals in backticks; what to do about it is the hint. Bad rows are data (`load::Reject`), not errors, until an option says
//! that one of them stops the work.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub mod codes;
mod input_fault;
mod names;
pub mod reason;

pub use codes::Class;
pub use input_fault::{BadValue, InputFault};
pub use reason::{Conversion, Reason};

/// Short for a result with our [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in one word: it decides the exit code and who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The network or a file failed, or a time-out passed.
    Io,
    /// The server sent bytes that the protocol does not allow, or something that we refuse to follow.
    Protocol,
    /// The server answered with an error packet: see [`Error::code`].
    Server,
    /// The input data is at fault: see [`Error::place`].
    Data,
    /// The caller's request is at fault: options, URL, mapping.
    Config,
    /// A guarantee about rows could not be kept, so nothing was done.
    Guarantee,
    /// The user or the caller stopped it.
    Interrupted,
    /// The caller's own code returned an error: see [`Error::application`].
    Application,
}

/// A place in an input: which source, which line, which column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The source's name as the user wrote it (a path, or `-`); empty for values that come from no source.
    pub source: Arc<str>,
    /// The line on which the record begins, counted from 1 in the decompressed text; 0 if unknown.
    pub line: u64,
    /// The column's name, if the fault is in one field.
    pub column: Option<Arc<str>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        let mut separator = if self.source.is_empty() { "" } else { ", " };
        if self.line > 0 {
            write!(f, "{separator}line {}", self.line)?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(f, "{separator}column `{column}`")?;
        }
        Ok(())
    }
}

/// Something that went wrong. One word wide, so that returning it is cheap; cloned where one fault concerns many callers.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: Kind,
    message: Cow<'static, str>,
    /// Where the original message begins: the text before it says what was being done.
    words_at: usize,
    reason: Reason,
    conversion: Option<Box<Conversion>>,
    input_fault: InputFault,
    /// The server names a key with its table in front.
    key_has_table: bool,
    hint: Option<Cow<'static, str>>,
    place: Option<Place>,
    row: Option<u64>,
    code: u16,
    sql_state: [u8; 5],
    fatal: bool,
    outcome_unknown: bool,
    timeout: bool,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of any kind. `message` follows the project's rule: lower case, one line, no final dot.
    pub fn new(kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            words_at: 0,
            reason: Reason::Other,
            conversion: None,
            input_fault: InputFault::Other,
            key_has_table: false,
            hint: None,
            place: None,
            row: None,
            code: 0,
            sql_state: *b"HY000",
            fatal: matches!(kind, Kind::Io | Kind::Protocol),
            outcome_unknown: false,
            timeout: false,
            source: None,
        }))
    }

    /// The peer broke the protocol; the connection must be thrown away.
    pub fn protocol(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Protocol, message)
    }

    /// The caller's request is at fault.
    pub fn config(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Config, message)
    }

    /// The input data is at fault.
    pub fn data(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Data, message)
    }

    /// An operation of the system failed; `doing` names it, e.g. "cannot open `people.csv`". It is not [fatal](Error::is_fatal):
    /// the caller marks it as fatal if it was one on a connection. An error of ours inside says the rest itself, and is returned.
    pub fn io(doing: impl Into<Cow<'static, str>>, error: std::io::Error) -> Self {
        if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return own.clone();
        }
        let mut e = Self::new(Kind::Io, doing).not_fatal();
        e.0.source = Some(Arc::new(error));
        e
    }

    /// The server answered with an error packet.
    pub fn server(code: u16, sql_state: [u8; 5], message: impl Into<Cow<'static, str>>) -> Self {
        let mut e = Self::new(Kind::Server, message);
        e.0.code = code;
        e.0.sql_state = sql_state;
        e.0.reason = Reason::of_code(code);
        e
    }

    /// A value that is not of the Rust type that it was read as.
    pub(crate) fn conversion_failed(conversion: Conversion, message: impl Into<Cow<'static, str>>) -> Self {
        let mut e = Self::data(message).because(Reason::Conversion);
        e.0.conversion = Some(Box::new(conversion));
        e
    }

    /// The caller's own error, to return it from a closure that returns ours; `source()` gives access to it. It rolls a
    /// transaction back like any other.
    ///
    /// ```
    /// # use inrush_core::Error;
    /// # use std::error::Error as _;
    /// #[derive(Debug, PartialEq)]
    /// struct SoldOut;
    /// # impl std::fmt::Display for SoldOut { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("sold out") } }
    /// # impl std::error::Error for SoldOut {}
    /// let error = Error::application(SoldOut);
    /// assert_eq!(error.source().and_then(|e| e.downcast_ref()), Some(&SoldOut));
    /// ```
    pub fn application(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let mut e = Self::new(Kind::Application, "the application refused");
        e.0.source = Some(Arc::from(error.into()));
        e
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds where in the input it happened.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// Sets what is wrong with the input, as a value to match on.
    #[must_use]
    pub fn with_input_fault(mut self, fault: InputFault) -> Self {
        self.0.input_fault = fault;
        self
    }

    /// Adds the code by which the server refused a row of a load; the message contains it already.
    #[must_use]
    pub fn with_row_code(mut self, code: u16) -> Self {
        self.0.code = code;
        self.0.reason = Reason::of_code(code);
        self
    }

    /// Adds which row of a batch it is about, counted from 0.
    #[must_use]
    pub fn at_row(mut self, row: u64) -> Self {
        self.0.row = Some(row);
        self
    }

    /// Removes the number of the row: for callers that know of one row only.
    #[must_use]
    pub fn without_row(mut self) -> Self {
        self.0.row = None;
        self
    }

    /// Replaces the words of the message and of the hint (`true`) where `replace` returns others. A server's message stays as it is.
    #[must_use]
    pub(crate) fn reworded(mut self, replace: impl Fn(&str, bool) -> Option<String>) -> Self {
        if let (true, Some(message)) = (self.0.kind != Kind::Server, replace(&self.0.message, false)) {
            self.0.message = message.into();
        }
        if let Some(hint) = self.0.hint.as_deref().and_then(|hint| replace(hint, true)) {
            self.0.hint = Some(hint.into());
        }
        self
    }

    /// Puts the operation that failed before the message: `{doing}: {message}`.
    #[must_use]
    pub fn while_doing(mut self, doing: &str) -> Self {
        self.0.message = format!("{doing}: {}", self.0.message).into();
        self.0.words_at += doing.len() + 2;
        self
    }

    /// Sets the reason, as a value to match on.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.0.reason = reason;
        self
    }

    /// Records whether the server that sent the error names a key with its table in front (`t.PRIMARY`).
    #[must_use]
    pub(crate) fn with_table_in_key(mut self, key_has_table: bool) -> Self {
        self.0.key_has_table = key_has_table;
        self
    }

    /// Records that the connection on which it happened must be thrown away.
    #[must_use]
    pub fn fatal(mut self) -> Self {
        self.0.fatal = true;
        self
    }

    /// Records that it damaged no connection.
    #[must_use]
    pub fn not_fatal(mut self) -> Self {
        self.0.fatal = false;
        self
    }

    /// Marks the error: what was requested may have happened (a lost answer to a COMMIT, or to an INSERT that commits by itself).
    #[must_use]
    pub fn outcome_unknown(mut self) -> Self {
        self.0.outcome_unknown = true;
        self
    }

    /// Removes that mark: the outcome is known now.
    #[must_use]
    pub fn outcome_known(mut self) -> Self {
        self.0.outcome_unknown = false;
        self
    }

    /// Records that a time-out passed.
    #[must_use]
    pub fn timed_out(mut self) -> Self {
        self.0.timeout = true;
        self
    }

    /// What went wrong, in one word.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The server's error code, 0 if the error is not the server's.
    pub fn code(&self) -> u16 {
        self.0.code
    }

    /// The server's SQLSTATE, `HY000` if the error is not the server's.
    pub fn sql_state(&self) -> &str {
        std::str::from_utf8(&self.0.sql_state).unwrap_or("HY000")
    }

    /// The message without place and cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What went wrong, as a value to match on.
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// What is wrong with the input, as a value to match on.
    pub fn input_fault(&self) -> &InputFault {
        &self.0.input_fault
    }

    /// Which value could not be converted, if that is the [reason](Reason::Conversion).
    pub fn conversion(&self) -> Option<&Conversion> {
        self.0.conversion.as_deref()
    }

    /// The table that has the constraint, without its schema. `None` if the server did not name it, or not for sure.
    ///
    /// | | MySQL | MariaDB |
    /// |---|---|---|
    /// | unique | from 8.0.19 on | no |
    /// | foreign key | yes (the child) | yes (the child) |
    /// | CHECK | no | yes |
    /// | NOT NULL, too long, out of range | no | no |
    ///
    /// Names are read from the server's message. A message in another language than English (`lc_messages`) has them for foreign keys
    /// and CHECKs only. A name with a backtick is left out; on MySQL also the names of a unique key and its table if one has a dot.
    pub fn table(&self) -> Option<&str> {
        self.names().table
    }

    /// The column at fault: the one that the server names (NOT NULL, too long, out of range; a foreign key of one column; on MariaDB the
    /// CHECK of a column), the one of a conversion, or the one whose value was refused before it was sent.
    pub fn column(&self) -> Option<&str> {
        let own = || self.0.place.as_ref()?.column.as_deref();
        let converted = || self.0.conversion.as_ref().map(|conversion| conversion.column.as_str());
        self.names().column.or_else(own).or_else(converted)
    }

    /// The name of the violated constraint: of a unique key (`PRIMARY` for the primary key), a foreign key or a CHECK. `None` if the server
    /// did not name it, or not for sure: see [`Error::table`].
    ///
    /// ```
    /// # use inrush_core::Error;
    /// let error = Error::server(1452, *b"23000", "Cannot add or update a child row: a foreign key constraint fails     ///     (`shop`.`orders`, CONSTRAINT `buyer` FOREIGN KEY (`customer`) REFERENCES `customers` (`id`))");
    /// assert!(error.is_foreign_key_violation());
    /// assert_eq!((error.table(), error.column(), error.constraint()), (Some("orders"), Some("customer"), Some("buyer")));
    /// ```
    pub fn constraint(&self) -> Option<&str> {
        self.names().constraint
    }

    fn names(&self) -> names::Names<'_> {
        let words = self.0.message.get(self.0.words_at..).unwrap_or_default();
        match self.0.kind {
            Kind::Server => names::read(self.0.code, words, self.0.key_has_table),
            _ => names::Names::default(),
        }
    }

    /// Returns `true` if a query for one row returned none.
    pub fn is_row_not_found(&self) -> bool {
        self.0.reason == Reason::RowNotFound
    }

    /// Returns `true` if the same value is in a PRIMARY KEY or UNIQUE index already; [`Error::constraint`] says which index.
    pub fn is_unique_violation(&self) -> bool {
        self.0.reason == Reason::UniqueViolation
    }

    /// Returns `true` if a foreign key has no parent row, or a parent row still has children.
    pub fn is_foreign_key_violation(&self) -> bool {
        self.0.reason == Reason::ForeignKeyViolation
    }

    /// Returns `true` if a CHECK constraint is violated.
    pub fn is_check_violation(&self) -> bool {
        self.0.reason == Reason::CheckViolation
    }

    /// Returns `true` for NULL, or no value, for a NOT NULL column; also if a batch or an inserter refused the value before it was sent.
    pub fn is_not_null_violation(&self) -> bool {
        self.0.reason == Reason::NotNullViolation
    }

    /// Returns `true` if a value is longer than its column; also if a batch or an inserter refused the value before it was sent.
    pub fn is_data_too_long(&self) -> bool {
        self.0.reason == Reason::DataTooLong
    }

    /// The position of the fault in the input.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Which row of a batch is at fault, counted from 0.
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }

    /// Returns `true` if the connection on which it happened is dead and must be thrown away. An attempt to connect that failed, a pool's
    /// time-out and a file that cannot be read are not fatal: there is no connection to throw away.
    pub fn is_fatal(&self) -> bool {
        self.0.fatal
    }

    /// What the server's code says about the transaction; [`Class::Other`] if the server did not answer. The table is in [`codes`].
    pub fn class(&self) -> Class {
        match codes::of(self.code()).0 {
            Class::ReadOnly if self.code() == codes::OPTION_PREVENTS && !self.says_read_only() => Class::Other,
            class => class,
        }
    }

    /// Whether the server refuses this command as such, so that the same rows may be written by another one.
    pub fn refuses(&self, command: codes::Refusable) -> bool {
        codes::refused_by(self.code()).contains(&command)
            && match self.code() {
                codes::OPTION_PREVENTS => !self.says_read_only(),
                codes::UNKNOWN_COMMAND => !self.message().contains("WSREP"),
                _ => true,
            }
    }

    fn says_read_only(&self) -> bool {
        ["read-only", "read_only"].iter().any(|option| self.message().contains(option))
    }

    /// Returns `true` if the same transaction, run again from its start, may succeed: it lost against another one, or the server
    /// could not take it at that moment. If the error is also [fatal](Error::is_fatal), that needs a new connection.
    ///
    /// | code | what happened |
    /// |---|---|
    /// | 1213; 1205, 3572 | a deadlock; a lock wait time-out, NOWAIT (only the statement was undone: roll back first) |
    /// | 1020 | a row changed since the transaction's snapshot (MariaDB from 11.6, innodb_snapshot_isolation) |
    /// | 1180, 3100, 3101 | COMMIT failed; group replication or a plugin rolled the transaction back |
    /// | 1206, 1467 | the lock table was full; no AUTO_INCREMENT value at that moment |
    /// | 1040, 1203, 1226 | too many connections, or a limit of this user |
    /// | 1047 | a Galera node that is not ready |
    /// | 1053, 1158-1161, 1927, 3032, 3169, 4031; 1317 if the connection is closed too | a shutdown, the network, a connection that the server ended |
    /// | 2006, 2013 | a proxy lost its connection to the server |
    /// | none | no server could be reached ([`Reason::ConnectionRefused`]): nothing was sent |
    ///
    /// Returns `false` if the outcome is unknown, because what may have happened must not happen twice, and for a connection that was
    /// lost without an error of the server.
    pub fn is_retryable(&self) -> bool {
        let may_succeed = match self.class() {
            Class::Conflict | Class::ConflictOrLimit | Class::NoId => true,
            Class::Full | Class::Unavailable | Class::Lost => true,
            Class::Killed => self.is_fatal(),
            Class::TooLarge | Class::ReadOnly => false,
            Class::Other => self.0.reason == Reason::ConnectionRefused,
        };
        may_succeed && !self.is_outcome_unknown()
    }

    /// Returns `true` if a time-out passed: of a connect, of a command, or of the wait for a connection of a pool.
    pub fn is_timeout(&self) -> bool {
        self.0.timeout
    }

    /// True if what was requested may have happened although this is an error: do not simply run it again.
    ///
    /// | | |
    /// |---|---|
    /// | true | a statement that may have had an effect was sent, at least in part, and its answer was not read: the connection was lost, a time-out passed, the connection was aborted. Also a statement that ended well after its time was over |
    /// | false | nothing was sent (the connect failed, the pool had no connection, the connection was dead already) |
    /// | false | the server answered with an error. Of several statements in one text, and of a `CALL`, those before the one that failed did run |
    /// | false | the statement is known to be a read, or changes the session only: `SELECT`, `SHOW`, `SET`, `PING`, `SAVEPOINT` .. |
    /// | false | the statement was part of a transaction whose `COMMIT` was not sent: the server rolls it back when the connection is lost |
    ///
    /// In doubt it is true: for a `SELECT` that calls a function which is not one of the servers' own, or has `FOR` or `INTO`; for every
    /// statement that commits by itself (DDL, `CALL`); in a transaction after an error that may have ended it.
    ///
    /// Two cases no text shows: a view that calls a function which writes counts as a read, and tables without transactions (MyISAM, Aria)
    /// keep the rows of a transaction that is rolled back.
    pub fn is_outcome_unknown(&self) -> bool {
        self.0.outcome_unknown
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if self.0.code != 0 && self.0.kind == Kind::Server {
            write!(f, " (server error {}, SQLSTATE {})", self.0.code, self.sql_state())?;
        }
        if let Some(source) = &self.0.source {
            write!(f, ": {source}")?;
        }
        if let Some(place) = &self.0.place {
            write!(f, " ({place})")?;
        }
        if let Some(row) = self.0.row {
            write!(f, " (row {row} of the batch, counted from 0)")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} error: {self}", self.0.kind)?;
        if let Some(hint) = &self.0.hint {
            write!(f, "; hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| &**e as &(dyn std::error::Error + 'static))
    }
}
