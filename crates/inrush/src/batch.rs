//! Batches, the part that both shells share: what is queried before the first row is sent, and how the answers are used.

use crate::sql::{Sql, Text};
use crate::table::TableName;
use crate::{Error, Kind, Result};
use inrush_core::batch::validator::{Validator, columns_of};
use inrush_core::batch::{Attempt, Batch, BatchFacts, BatchOptions, Checked, Load, Scope, WriterSession};
use inrush_core::column::Rules;
use inrush_core::convert::BoundRows;
use inrush_core::session::{Outcome, Session, Statement};
use inrush_core::write::Table;
use inrush_core::write::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// A statement for many sets of values.
pub(crate) struct Job<'a> {
    pub(crate) statement: Cow<'a, Statement>,
    template: Template,
}

/// What the server reported before the first row is sent.
pub(crate) struct Known {
    pub(crate) max_packet: u64,
    pub(crate) rules: Rules,
    /// The target, if it is known.
    pub(crate) table: Option<Arc<Table>>,
    /// The session's `auto_increment_increment`, if it is needed.
    pub(crate) increment: Option<u64>,
    /// Whether the server commits within a LOAD DATA.
    pub(crate) splits_loads: bool,
}

/// What is sent in one scope.
pub(crate) enum Work<'w, 'a> {
    Fly(Attempt<'a>),
    Load(&'w mut Load<'a>),
}

impl<'a> Job<'a> {
    pub(crate) fn new(sql: &'a (impl Sql + ?Sized)) -> Result<Self> {
        let statement = match sql.text() {
            Text::Statement(statement) => Cow::Borrowed(statement),
            Text::Plain(text) => {
                let text = std::str::from_utf8(text).map_err(|_| {
                    Error::config("the statement of a batch is not valid UTF-8").with_hint("bind bytes as values")
                })?;
                Cow::Owned(Statement::new(text)?)
            }
        };
        let template = Template::parse(&statement);
        Ok(Self { statement, template })
    }

    /// The number of placeholders.
    pub(crate) fn n_params(&self) -> usize {
        self.statement.marks().len()
    }

    /// The table it writes to, if the statement shows it.
    pub(crate) fn table(&self) -> Option<TableName> {
        let table = self.template.table.as_ref()?;
        Some(TableName { schema: table.schema.clone().unwrap_or_default(), name: table.name.clone() })
    }

    /// Whether the step between two generated ids must be known.
    pub(crate) fn needs_increment(&self, options: &BatchOptions, session: &Session) -> bool {
        options.wants_ids() && session.profile().consecutive_ids
    }

    /// Whether a LOAD DATA may be sent to the server, and its version does not show that it commits none in parts.
    pub(crate) fn may_split_loads(&self, options: &BatchOptions, session: &Session) -> bool {
        options.wants_load_data() && session.profile().local_infile
    }

    /// Checks all values against what is known of the target.
    pub(crate) fn check<'r>(
        &self,
        rows: &'r dyn BoundRows,
        options: &BatchOptions,
        known: &Known,
    ) -> Result<Checked<'r>> {
        let columns = match &known.table {
            Some(table) => columns_of(self.template.targets(), table),
            None => vec![None; self.n_params()],
        };
        Checked::new(rows, &Validator::new(&columns, &known.rules), options)
    }

    /// The batch, ready for its first attempt.
    pub(crate) fn batch<'b>(
        &'b self,
        rows: &'b dyn BoundRows,
        options: &'b BatchOptions,
        known: &'b Known,
        session: &Session,
    ) -> Result<Batch<'b>> {
        let profile = &known.rules.profile;
        let facts = BatchFacts {
            profile,
            splits_loads: known.splits_loads,
            in_transaction: session.in_transaction() || session.is_guarded(),
            autocommit: session.autocommit(),
            table: known.table.as_deref(),
            increment: known.increment,
        };
        let session = WriterSession {
            max_packet: usize::try_from(known.max_packet).unwrap_or(usize::MAX),
            backslash_escapes: !session.no_backslash_escapes(),
            rules: &known.rules,
        };
        Batch::new(&self.statement, &self.template, rows, options, facts, session)
    }
}

/// The commands before an attempt in this scope. `off`: autocommit is switched off for it.
pub(crate) fn preludes(scope: Scope, off: bool) -> impl Iterator<Item = &'static str> {
    let savepoint = (scope == Scope::Savepoint).then_some(SAVEPOINT);
    off.then_some("SET autocommit = 0").into_iter().chain(savepoint)
}

/// The error of an attempt in no scope. If the server closed the connection with an error, it may still have committed a part.
pub(crate) fn autocommit_error(error: Error, autocommit: bool) -> Error {
    match error.is_fatal() && error.code() != 0 && autocommit {
        true => error.outcome_unknown(),
        false => error,
    }
}

/// What became of a batch that was to be undone up to its savepoint.
#[derive(Debug)]
pub(crate) enum UndoOutcome {
    Undone,
    /// The server had ended the transaction before, and with it the savepoint.
    TransactionOver,
    /// It is unknown what is still open, so the connection must be given up.
    Failed(Error),
}

impl UndoOutcome {
    /// Converts the result of [`UNDO`]. Only the server's answer counts as the end of the transaction: a connection that is lost at
    /// this moment says nothing about the batch's rows.
    pub(crate) fn of(end: Result<Outcome>, session: &Session) -> Self {
        match end {
            Ok(_) => Self::Undone,
            Err(error) if error.is_fatal() => Self::Failed(error),
            Err(error) if error.code() == NO_SUCH_SAVEPOINT || session.is_transaction_over() => Self::TransactionOver,
            Err(error) => Self::Failed(error),
        }
    }
}

/// The error of a batch that failed by `cause` and could not be undone because of `failed`. It is not `cause`, which may be an error
/// of one row: the state of the connection concerns all rows.
pub(crate) fn not_undone(cause: &Error, failed: &Error) -> Error {
    let kind = match failed.kind() {
        kind @ (Kind::Protocol | Kind::Interrupted) => kind,
        _ => Kind::Io,
    };
    let error = Error::new(kind, format!("a batch that failed could not be undone: {failed}; it failed by: {cause}"))
        .with_hint("the server rolls the transaction back; run it again over a new connection");
    match failed.is_timeout() {
        true => error.fatal().timed_out(),
        false => error.fatal(),
    }
}

/// ER_SP_DOES_NOT_EXIST, of a savepoint.
const NO_SUCH_SAVEPOINT: u16 = 1305;

/// A later savepoint of this name takes its place, so it is never released.
pub(crate) const SAVEPOINT: &str = "SAVEPOINT inrush_batch";

/// Undoes an attempt: rolls back to its savepoint.
pub(crate) const UNDO: &str = "ROLLBACK TO SAVEPOINT inrush_batch";
