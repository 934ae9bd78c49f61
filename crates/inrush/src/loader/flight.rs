//! The INSERTs of one chunk in one flight: while the server works on one, the next is on its way, so it never waits for us.
//!
//! The flight ends at the first answer that leaves a doubt; what was sent behind it is rolled back with the chunk. COMMIT
//! is not part of it: that is sent when every answer is read.

use super::prepare::{Statement, StatementForm};
use super::send::Bound;
use inrush_core::Result;
use inrush_core::bulk::Method;
use inrush_core::bulk::encode::multi_row_prepared::MultiRowPrepared;
use inrush_core::bulk::modes::{Counted, Writing};
use inrush_core::session::pipeline::{Chosen, Flight, Reply, Turn, Window};
use std::slice::Iter;

/// The statements of a chunk, and what the server said of them so far.
pub(super) struct Inserts<'a, A: FnMut()> {
    unsent: Iter<'a, Statement>,
    unanswered: Iter<'a, Statement>,
    bound: Option<&'a mut Bound>,
    on_answer: A,
    writing: &'a Writing,
    method: Method,
    /// What became of their rows.
    pub(super) counted: Counted,
    /// Whether the server warned of anything.
    pub(super) has_warned: bool,
}

impl<'a, A: FnMut()> Inserts<'a, A> {
    /// `bound` is the prepared statement, if there is one; `on_answer` is called at each answer.
    pub(super) fn new(
        statements: &'a [Statement],
        (writing, method): (&'a Writing, Method),
        bound: Option<&'a mut Bound>,
        on_answer: A,
    ) -> Self {
        Self {
            unsent: statements.iter(),
            unanswered: statements.iter(),
            bound,
            on_answer,
            writing,
            method,
            counted: Counted::default(),
            has_warned: false,
        }
    }
}

impl<A: FnMut()> Flight for &mut Inserts<'_, A> {
    fn next(&mut self, turn: Turn<'_>) -> Result<Chosen> {
        let Some(statement) = self.unsent.next() else { return turn.end() };
        match (statement.form, &mut self.bound) {
            (StatementForm::Bound, Some(bound)) => {
                let types = bound.plan.bound.as_ref().map(MultiRowPrepared::types).filter(|_| !bound.typed);
                bound.typed = true;
                turn.execute_encoded(&bound.statement, types, &statement.bytes)
            }
            _ => turn.query(&statement.bytes),
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        (self.on_answer)();
        let n_rows = self.unanswered.next().map_or(0, |statement| statement.n_rows);
        let outcome = match reply {
            Ok(Reply::Done(outcome)) => outcome,
            Ok(_) => return Ok(()),
            Err(error) => {
                // A server that refused an execution may not have kept its types.
                if let Some(bound) = &mut self.bound {
                    bound.typed = false;
                }
                return Err(error);
            }
        };
        self.has_warned |= outcome.warnings > 0;
        self.counted += self.writing.count_insert(self.method, n_rows, &outcome)?;
        Ok(())
    }
}

/// Enough for the server to have work while its answers and our next statements are under way (docs/notes/multi-row.md).
pub(super) const WINDOW: Window = Window { n_bytes: 1 << 20, n_commands: 4096 };
