//! Statements longer than the server takes: an INSERT with the values in its text goes out as several, all of them or none.
//!
//! Made of `tokio/split.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::Connection;
use crate::{Error, Result};
use inrush_core::session::{Discard, Outcome, Query};
use inrush_core::sql::Dialect;
use inrush_core::write::answer::{is_row_fault, row_of};
use inrush_core::write::split::{Piece, PieceLimits, SplitInsert, SplitOptions, SplitReport};

impl Connection {
    /// Runs an INSERT or REPLACE whose values are in its text, of any length: if it is longer than the server takes, it is cut between
    /// its rows, and the pieces run in their order. Any other statement runs as by [`execute`](Connection::execute) without values.
    ///
    /// Outside of a transaction the pieces are one of their own; inside of one, a failure undoes all of them and the transaction continues.
    /// Tables without transactions (MyISAM) keep what was stored before; a MySQL with GTIDs refuses them in a transaction of several
    /// statements, so they take [`SplitOptions::with_commits_each`]. The text is cut only if that does not change a value: with
    /// `NOW()`, a variable or a subquery in it the statement is sent whole. A column's own default of CURRENT_TIMESTAMP is that of the
    /// piece, and generated ids need not be consecutive.
    ///
    /// `sql` is bytes or text in utf8mb4; string literals may hold any bytes.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// use inrush::SplitOptions;
    ///
    /// let sql = "INSERT INTO people (name, age) VALUES ('Dan', 40), ('Eva', 41), ('Flo', 42)";
    /// let report = connection.execute_split(sql, &SplitOptions::new().with_max_rows(2))?;
    /// assert_eq!((report.n_rows, report.affected, report.n_statements), (3, 3, 2));
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` if the statement is too long and cannot be cut, with the reason; `Server` for a row that the server refuses, with its
    /// [row](Error::row) where that could be found out; `Io` if the connection is lost or a time-out passes:
    /// [`is_outcome_unknown`](Error::is_outcome_unknown) returns whether rows may be stored.
    pub fn execute_split(&mut self, sql: &(impl AsRef<[u8]> + ?Sized), options: &SplitOptions) -> Result<SplitReport> {
        let sql = sql.as_ref();
        let most = self.statement_bytes()?;
        let limits = options.limits(most);
        let split = match SplitInsert::parse(sql, self.dialect_of(sql)?) {
            Ok(split) if split.exceeds(&limits) => split,
            Err(uncut) if sql.len() > most => return Err(uncut.too_long(sql.len(), most)),
            parsed => {
                let outcome = self.execute_text(sql)?;
                return Ok(SplitReport::of(&outcome, parsed.map_or(outcome.affected, |split| split.n_rows())));
            }
        };
        split.check_rows(most)?;
        if !self.session().in_transaction() && self.session().autocommit() {
            return match options.commits_each {
                true => self.execute_pieces(&split, limits, true),
                false => self.execute_alone(&split, limits),
            };
        }
        self.execute("SAVEPOINT inrush_split", ())?;
        match self.execute_pieces(&split, limits, false) {
            Ok(report) => {
                self.execute("RELEASE SAVEPOINT inrush_split", ())?;
                Ok(report)
            }
            Err(error) => {
                // Where the server ended the transaction or the connection is lost, there is nothing to undo.
                let _ = self.execute("ROLLBACK TO SAVEPOINT inrush_split", ());
                Err(error)
            }
        }
    }

    /// Runs the pieces as a transaction of their own. START TRANSACTION would give up the locks of LOCK TABLES, which dumps hold.
    fn execute_alone(&mut self, split: &SplitInsert<'_>, limits: PieceLimits) -> Result<SplitReport> {
        self.execute("SET autocommit = 0", ())?;
        let end = match self.execute_pieces(split, limits, false) {
            Ok(report) => self.execute("COMMIT", ()).map(|_| report),
            Err(error) => Err(error),
        };
        let is_over = end.is_ok() || self.execute("ROLLBACK", ()).is_ok();
        // Switching it on commits what is open; a connection that still has it off must not be used either.
        if !is_over || self.execute("SET autocommit = 1", ()).is_err() {
            self.session_mut().kill();
        }
        end
    }

    /// How the session reads a text. MySQL does not report ANSI_QUOTES, which matters where a backslash may be in double quotes.
    fn dialect_of(&mut self, sql: &[u8]) -> Result<Dialect> {
        let mut dialect = self.session().dialect();
        if dialect == Dialect::default() && sql.contains(&b'"') && sql.contains(&b'\\') {
            let mode: String = self.query_one("SELECT @@sql_mode", ())?;
            dialect.ansi_quotes = mode.contains("ANSI_QUOTES");
        }
        Ok(dialect)
    }

    /// The longest text of a statement that the server takes, in bytes. Queries the server once.
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute).
    pub fn statement_bytes(&mut self) -> Result<usize> {
        let packet = usize::try_from(self.max_allowed_packet()?).unwrap_or(usize::MAX);
        // The command byte belongs to the packet, which must be shorter.
        Ok(self.session().profile().statement_bytes.min(packet - 2))
    }

    fn execute_text(&mut self, sql: &[u8]) -> Result<Outcome> {
        self.run(Query::new(sql, &mut Discard))
    }

    fn execute_pieces(
        &mut self,
        split: &SplitInsert<'_>,
        limits: PieceLimits,
        commits_each: bool,
    ) -> Result<SplitReport> {
        let (mut report, mut sql) = (SplitReport::default(), Vec::new());
        for piece in split.pieces(limits) {
            // Some engines have none (Spider); then the row is not searched.
            let can_undo = !commits_each && self.execute("SAVEPOINT inrush_piece", ()).is_ok();
            sql.clear();
            split.write(piece.rows(), &mut sql);
            match self.execute_text(&sql) {
                Ok(outcome) => report.add(&outcome, piece.rows().len() as u64),
                Err(error) if commits_each => return Err(piece.failed(row_of(&error), error, &report)),
                Err(error) if error.code() == NO_TRANSACTIONS => {
                    return Err(error.with_hint("the table has no transactions: `SplitOptions::with_commits_each` lets each piece commit by itself"));
                }
                Err(error) if can_undo && is_row_fault(&error) => {
                    return Err(self.with_its_row(split, &piece, error));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(report)
    }

    /// Finds the row that the server refused: the piece is undone and made again from halves. The caller undoes what it stores.
    fn with_its_row(&mut self, split: &SplitInsert<'_>, piece: &Piece, error: Error) -> Error {
        match self.execute("ROLLBACK TO SAVEPOINT inrush_piece", ()) {
            Ok(outcome) if outcome.warnings == 0 => {}
            // A table without transactions has kept some rows, which would be refused themselves now.
            _ => return error,
        }
        let (mut error, mut sql) = (error, Vec::new());
        let (mut stored, mut refused) = (0, piece.rows().len());
        while refused - stored > 1 {
            let half = stored + (refused - stored) / 2;
            sql.clear();
            split.write(&piece.rows()[stored..half], &mut sql);
            match self.execute_text(&sql) {
                Ok(_) => stored = half,
                Err(other) if is_row_fault(&other) => (refused, error) = (half, other),
                Err(other) => return other,
            }
        }
        // Alone, for an error that speaks of this row only.
        sql.clear();
        split.write(&piece.rows()[stored..refused], &mut sql);
        match self.execute_text(&sql) {
            Err(alone) if is_row_fault(&alone) => piece.refused(stored, alone),
            _ => piece.refused(stored, error),
        }
    }
}

/// ER_GTID_UNSAFE_NON_TRANSACTIONAL_TABLE
const NO_TRANSACTIONS: u16 = 1785;
