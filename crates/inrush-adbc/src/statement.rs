//! A statement: SQL with bound values, or the ingestion of Arrow data.

use crate::batches;
use crate::failure::{self, Result};
use crate::ingest::Ingest;
use crate::options::{number, text};
use crate::session::{Cancel, Reader, SharedSession};
use adbc_core::options::{OptionStatement, OptionValue};
use adbc_core::{CancelHandle, Optionable, PartitionedResult, Statement};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema};
use inrush::blocking::ResultBatches;
use inrush::sans_io::convert::Rows as _;
use inrush::{ArrowOptions, BatchOptions, parts};
use std::sync::Arc;

/// A statement.
pub struct InrushStatement {
    session: Arc<SharedSession>,
    sql: Option<String>,
    bound: Option<Reader>,
    ingest: Ingest,
    batch_rows: Option<usize>,
    /// The column and the number of parts of `ExecutePartitions`.
    partition_column: Option<String>,
    partitions: usize,
}

impl std::fmt::Debug for InrushStatement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InrushStatement").field("sql", &self.sql).finish_non_exhaustive()
    }
}

impl InrushStatement {
    pub(crate) fn new(session: Arc<SharedSession>) -> Self {
        Self {
            session,
            sql: None,
            bound: None,
            ingest: Ingest::default(),
            batch_rows: None,
            partition_column: None,
            partitions: 2,
        }
    }

    fn sql(&self) -> Result<&str> {
        self.sql.as_deref().ok_or_else(|| failure::state("the statement has no SQL yet"))
    }

    fn options(&self) -> ArrowOptions {
        let options = ArrowOptions::default();
        match self.batch_rows {
            Some(rows) => options.with_batch_rows(rows),
            None => options,
        }
    }

    /// Runs the query once for each row of bound values; their results follow each other.
    fn execute_bound(&mut self, bound: Reader) -> Result<Reader> {
        let (sql, options) = (self.sql()?.to_owned(), self.options());
        let n_values = n_placeholders(&sql)?;
        let (mut schema, mut all) = (None, Vec::new());
        for batch in bound {
            let batch = batch.map_err(failure::of_arrow)?;
            let rows = batch.bind(&[], n_values).map_err(|error| failure::of(&error))?;
            for row in 0..rows.n_rows() {
                let mut values = Vec::new();
                rows.row(row, &mut values).map_err(|error| failure::of(&error))?;
                let result = self.session.open(|c| ResultBatches::open(c, &sql, &values, &options))?;
                let own = result.schema();
                if schema.as_ref().is_some_and(|first| *first != own) {
                    return Err(failure::invalid("the query gives other columns for other values"));
                }
                schema = Some(own);
                for batch in result {
                    all.push(batch.map_err(failure::of_arrow)?);
                }
            }
        }
        match schema {
            Some(schema) => Ok(Box::new(RecordBatchIterator::new(all.into_iter().map(Ok), schema))),
            // No values, no rows; the columns are the query's all the same.
            None => Ok(Box::new(RecordBatchIterator::new([], Arc::new(self.execute_schema()?)))),
        }
    }
}

fn n_placeholders(sql: &str) -> Result<usize> {
    inrush::Statement::new(sql).map(|statement| statement.marks().len()).map_err(|error| failure::of(&error))
}

impl Statement for InrushStatement {
    fn bind(&mut self, batch: RecordBatch) -> Result<()> {
        let schema = batch.schema();
        self.bound = Some(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
        Ok(())
    }

    fn bind_stream(&mut self, reader: Box<dyn RecordBatchReader + Send>) -> Result<()> {
        self.bound = Some(reader);
        Ok(())
    }

    fn execute(&mut self) -> Result<Reader> {
        if self.ingest.is_wanted() {
            self.execute_update()?;
            return Ok(Box::new(RecordBatchIterator::new([], Arc::new(Schema::empty()))));
        }
        if let Some(bound) = self.bound.take() {
            return self.execute_bound(bound);
        }
        let (sql, options) = (self.sql()?.to_owned(), self.options());
        let batches = self.session.open(|c| ResultBatches::open(c, &sql, (), &options))?;
        Ok(Box::new(batches))
    }

    fn execute_update(&mut self) -> Result<Option<i64>> {
        if self.ingest.is_wanted() {
            let bound = self.bound.take().ok_or_else(|| failure::state("nothing is bound that could be ingested"))?;
            return self.ingest.run(&self.session, bound).map(|rows| i64::try_from(rows).ok());
        }
        let sql = self.sql()?.to_owned();
        let affected = match self.bound.take() {
            None => self.session.with(|connection| connection.execute(&sql, ())).map(|outcome| outcome.affected)?,
            Some(bound) => {
                let options = BatchOptions::new();
                self.session.with(|connection| batches::execute(connection, &*sql, bound, &options))?.affected
            }
        };
        Ok(i64::try_from(affected).ok())
    }

    fn execute_schema(&mut self) -> Result<Schema> {
        let sql = self.sql()?.trim_end().trim_end_matches(';').to_owned();
        let n_values = n_placeholders(&sql)?;
        // Nothing of the query is run for no rows.
        let question = format!("SELECT * FROM ({sql}\n) AS asked LIMIT 0");
        let values = vec![inrush::Value::Null; n_values];
        let batches = self.session.with(|connection| connection.query_arrow(&question, &values))?;
        batches
            .first()
            .map(|batch| batch.schema().as_ref().clone())
            .ok_or_else(|| failure::state("the server told no columns"))
    }

    fn execute_partitions(&mut self) -> Result<PartitionedResult> {
        let Some(column) = &self.partition_column else {
            return Err(failure::state(format!(
                "name the column whose ranges are the parts: option `{PARTITION_COLUMN}`"
            )));
        };
        let sql = self.sql()?;
        let queries = self.session.with(|connection| parts::of_query(connection, sql, column, self.partitions))?;
        let schema = self.execute_schema()?;
        let partitions = queries.into_iter().map(String::into_bytes).collect();
        Ok(PartitionedResult { partitions, schema, rows_affected: -1 })
    }

    fn get_parameter_schema(&self) -> Result<Schema> {
        // The number of placeholders is known from the text; their types are not known.
        let field = |at: usize| Field::new(at.to_string(), DataType::Null, true);
        Ok(Schema::new((0..n_placeholders(self.sql()?)?).map(field).collect::<Vec<_>>()))
    }

    fn prepare(&mut self) -> Result<()> {
        let sql = self.sql()?.to_owned();
        // The connection keeps the prepared statement; the next execution finds it there.
        self.session.with(|connection| connection.prepare(&sql).map(drop))
    }

    fn set_sql_query(&mut self, query: impl AsRef<str>) -> Result<()> {
        self.sql = Some(query.as_ref().to_owned());
        self.ingest = Ingest::default();
        Ok(())
    }

    fn set_substrait_plan(&mut self, _plan: impl AsRef<[u8]>) -> Result<()> {
        Err(failure::not_implemented("MySQL takes SQL, not Substrait"))
    }

    fn get_cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(Cancel(self.session.clone()))
    }
}

impl Optionable for InrushStatement {
    type Option = OptionStatement;

    fn set_option(&mut self, key: OptionStatement, value: OptionValue) -> Result<()> {
        if let OptionStatement::Other(name) = &key {
            match &**name {
                PARTITION_COLUMN => {
                    self.partition_column = Some(text(&key, value)?);
                    return Ok(());
                }
                PARTITIONS => {
                    self.partitions = number(&key, value)?;
                    return Ok(());
                }
                BATCH_ROWS => {
                    self.batch_rows = Some(number(&key, value)?);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.ingest.set_option(&key, value)?;
        if key == OptionStatement::TargetTable {
            self.sql = None;
        }
        Ok(())
    }

    fn get_option_string(&self, key: OptionStatement) -> Result<String> {
        self.ingest.option(&key).ok_or_else(|| failure::no_option(key.as_ref()))
    }

    fn get_option_bytes(&self, key: OptionStatement) -> Result<Vec<u8>> {
        Err(failure::no_option(key.as_ref()))
    }

    fn get_option_int(&self, key: OptionStatement) -> Result<i64> {
        Err(failure::no_option(key.as_ref()))
    }

    fn get_option_double(&self, key: OptionStatement) -> Result<f64> {
        self.session.progress(key.as_ref()).ok_or_else(|| failure::no_option(key.as_ref()))
    }
}

/// The column of whole numbers whose ranges are the parts of `ExecutePartitions`.
const PARTITION_COLUMN: &str = "inrush.partition.column";
/// How many parts.
const PARTITIONS: &str = "inrush.partition.count";
/// The most rows of a batch of a result.
const BATCH_ROWS: &str = "inrush.batch_rows";
