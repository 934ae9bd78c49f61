//! The INSERTs of one chunk in one flight: while the server works on one, the next is on its way, so it never waits for us.
//!
//! The flight ends at the first answer that leaves a doubt; what was sent after it is rolled back with the chunk. COMMIT
//! is not part of it: that is sent when every answer is read.

use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::read::payload::Statement;
use inrush_core::Result;
use inrush_core::load::modes::Counted;
use inrush_core::session::pipeline::{Decision, Flight, NextCommand, Reply, Window};
use inrush_core::write::Method;
use std::slice::Iter;

/// The statements of a chunk, and the server's answers to them so far.
pub(crate) struct Inserts<'a, A: FnMut()> {
    unsent: Iter<'a, Statement>,
    unanswered: Iter<'a, Statement>,
    on_answer: A,
    plan: &'a SourcePlan,
    method: Method,
    /// What became of their rows.
    pub(crate) counted: Counted,
    /// Whether the server warned of anything.
    pub(crate) has_warned: bool,
}

impl<'a, A: FnMut()> Inserts<'a, A> {
    /// `on_answer` is called at each answer.
    pub(crate) fn new(statements: &'a [Statement], plan: &'a SourcePlan, method: Method, on_answer: A) -> Self {
        Self {
            unsent: statements.iter(),
            unanswered: statements.iter(),
            on_answer,
            plan,
            method,
            counted: Counted::default(),
            has_warned: false,
        }
    }
}

impl<A: FnMut()> Flight for &mut Inserts<'_, A> {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        match self.unsent.next() {
            Some(statement) => next.send_rows(&statement.command, self.plan.effect),
            None => next.end(),
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        (self.on_answer)();
        let n_rows = self.unanswered.next().map_or(0, |statement| statement.n_rows);
        let Reply::Done(outcome) = reply? else { return Ok(()) };
        self.has_warned |= outcome.warnings > 0;
        self.counted += self.plan.writing.count_insert(self.method, n_rows, &outcome)?;
        Ok(())
    }
}

/// Enough for the server to have work while its answers and our next statements are under way (docs/notes/multi-row.md).
pub(crate) const WINDOW: Window = Window { n_bytes: 1 << 20, n_commands: 4096 };
