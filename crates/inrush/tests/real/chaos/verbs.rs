//! The verbs of a connection of either shell that a campaign uses.

use crate::cases::Twin;
use inrush::{BatchOptions, BatchReport, Method, Outcome, Result, Statement};

/// A row of the campaign's table.
pub(super) type Row = (u64, String);

impl Twin {
    /// The rows of a query with one parameter.
    pub(super) fn query_with(&mut self, sql: &str, param: u64) -> Result<Vec<(u64, String)>> {
        match self {
            Self::Blocking(c) => c.query(sql, (param,)),
            Self::Tokio(c, runtime) => runtime.block_on(c.query(sql, (param,))),
        }
    }

    /// The rows of a query without parameters, which travels as text.
    pub(super) fn query_text(&mut self, sql: &str) -> Result<Vec<(u64, String)>> {
        match self {
            Self::Blocking(c) => c.query(sql, ()),
            Self::Tokio(c, runtime) => runtime.block_on(c.query(sql, ())),
        }
    }

    /// A prepared INSERT of one row.
    pub(super) fn insert(&mut self, sql: &str, row: &Row) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.execute(sql, (row.0, row.1.as_str())),
            Self::Tokio(c, runtime) => runtime.block_on(c.execute(sql, (row.0, row.1.as_str()))),
        }
    }

    /// One transaction of an INSERT for each row.
    pub(super) fn transaction(&mut self, sql: &str, rows: &[Row]) -> Result<()> {
        match self {
            Self::Blocking(c) => c.transaction(|tx| {
                for row in rows {
                    tx.execute(sql, (row.0, row.1.as_str()))?;
                }
                Ok(())
            }),
            Self::Tokio(c, runtime) => runtime.block_on(c.transaction(async |tx| {
                for row in rows {
                    tx.execute(sql, (row.0, row.1.as_str())).await?;
                }
                Ok(())
            })),
        }
    }

    pub(super) fn batch(&mut self, sql: &str, rows: &[Row], method: Option<Method>) -> Result<BatchReport> {
        let options = BatchOptions::new().with_method(method);
        match self {
            Self::Blocking(c) => c.execute_batch_with(sql, rows, &options),
            Self::Tokio(c, runtime) => runtime.block_on(c.execute_batch_with(sql, rows, &options)),
        }
    }

    /// An INSERT for each row in one flight, each committed by itself: how each ended.
    pub(super) fn pipeline(&mut self, insert: &Statement, rows: &[Row]) -> Result<Vec<Result<()>>> {
        macro_rules! steps {
            ($connection:ident) => {{
                let mut pipeline = $connection.pipeline();
                for row in rows {
                    pipeline.execute(insert, (row.0, row.1.as_str()));
                }
                pipeline
            }};
        }
        let replies = match self {
            Self::Blocking(c) => steps!(c).run()?,
            Self::Tokio(c, runtime) => runtime.block_on(async { steps!(c).run().await })?,
        };
        Ok(replies.into_iter().map(|reply| reply.map(drop)).collect())
    }
}
