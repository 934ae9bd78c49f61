//! The outcome of a step of a pipeline, with its rows.

use crate::{Error, Result};
use inrush_core::convert::FromRow;
use inrush_core::session::pipeline::Reply as Answer;
use inrush_core::session::{Collect, Outcome, ResultSet, Sink, Statement};
use inrush_core::wire::{ColumnDef, Row};

/// The outcome of a step of a pipeline.
#[derive(Clone, Debug)]
pub struct Reply {
    outcome: Option<Outcome>,
    results: Vec<ResultSet>,
    statement: Option<Statement>,
}

impl Reply {
    /// The last result's outcome; none of a step that prepares.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Rows changed.
    pub fn affected(&self) -> u64 {
        self.outcome.as_ref().map_or(0, |outcome| outcome.affected)
    }

    /// The first id that was generated, `None` if the server reported none.
    pub fn last_insert_id(&self) -> Option<u64> {
        self.outcome.as_ref()?.last_insert_id
    }

    /// All results, if one of them has rows or there are several; else nothing.
    pub fn result_sets(&self) -> &[ResultSet] {
        &self.results
    }

    /// The rows of the first result.
    ///
    /// # Errors
    /// [`Reason::Conversion`](crate::Reason::Conversion) if a value does not fit its Rust type.
    pub fn rows<T: for<'r> FromRow<'r>>(&self) -> Result<Vec<T>> {
        self.results.first().map_or(Ok(Vec::new()), |result| result.rows().map(T::from_row).collect())
    }

    /// The statement that a step prepared.
    pub fn statement(&self) -> Option<&Statement> {
        self.statement.as_ref()
    }
}

/// Gathers the rows of one step after the other. A plain OK costs it nothing.
pub(super) struct Gather {
    collect: Collect,
    has_results: bool,
    /// Whether the limit on bytes applies to each step, not to all together.
    is_per_step: bool,
}

impl Gather {
    pub(super) fn new(max_result: usize, is_per_step: bool) -> Self {
        Self { collect: Collect::new(max_result), has_results: false, is_per_step }
    }

    pub(super) fn columns(&mut self, columns: &[ColumnDef]) -> Result<()> {
        self.has_results = true;
        self.collect.columns(columns)
    }

    pub(super) fn row(&mut self, row: Row<'_>) -> Result<()> {
        self.collect.row(row)
    }

    pub(super) fn end(&mut self, outcome: &Outcome) -> Result<()> {
        self.has_results |= outcome.status.contains(inrush_core::wire::Status::SERVER_MORE_RESULTS_EXISTS);
        if self.has_results { self.collect.end(outcome) } else { Ok(()) }
    }

    /// The step is over.
    pub(super) fn finish(&mut self, answer: Result<Answer, Error>) -> Result<Reply> {
        let results = match std::mem::take(&mut self.has_results) {
            true => self.collect.take_results(self.is_per_step),
            false => Vec::new(),
        };
        Ok(match answer? {
            Answer::Done(outcome) => Reply { outcome: Some(outcome), results, statement: None },
            Answer::Prepared(statement) => Reply { outcome: None, results, statement: Some(statement) },
            Answer::Unanswered => Reply { outcome: None, results, statement: None },
        })
    }
}
