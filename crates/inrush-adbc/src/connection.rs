//! A connection: transactions, the current database, and information about the server.
//!
//! MySQL's databases are ADBC's catalogs, as they are JDBC's; there are no schemas below them. Clients that name a schema mean a database:
//! both options do.

use crate::failure::{self, Result};
use crate::names::qualified;
use crate::options::text;
use crate::session::{Cancel, Reader, SharedSession};
use crate::statement::InrushStatement;
use crate::{info, objects, statistics};
use adbc_core::constants;
use adbc_core::options::{InfoCode, ObjectDepth, OptionConnection, OptionValue};
use adbc_core::{CancelHandle, Connection, Optionable};
use arrow_array::{RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::Schema;
use std::collections::HashSet;
use std::sync::Arc;

/// A connection.
pub struct InrushConnection {
    session: Arc<SharedSession>,
    isolation: Option<String>,
    read_only: bool,
}

impl std::fmt::Debug for InrushConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InrushConnection").finish_non_exhaustive()
    }
}

impl InrushConnection {
    pub(crate) fn new(session: Arc<SharedSession>) -> Self {
        Self { session, isolation: None, read_only: false }
    }

    fn current_database(&self) -> Result<String> {
        let name: Option<(Option<String>,)> = self.session.with(|c| c.query_opt("SELECT DATABASE()", ()))?;
        Ok(name.and_then(|(name,)| name).unwrap_or_default())
    }

    fn set_isolation(&mut self, level: String) -> Result<()> {
        let name = match &*level {
            constants::ADBC_OPTION_ISOLATION_LEVEL_READ_UNCOMMITTED => "READ UNCOMMITTED",
            constants::ADBC_OPTION_ISOLATION_LEVEL_READ_COMMITTED => "READ COMMITTED",
            // InnoDB's REPEATABLE READ is a snapshot for what only reads.
            constants::ADBC_OPTION_ISOLATION_LEVEL_REPEATABLE_READ
            | constants::ADBC_OPTION_ISOLATION_LEVEL_SNAPSHOT
            | constants::ADBC_OPTION_ISOLATION_LEVEL_DEFAULT => "REPEATABLE READ",
            constants::ADBC_OPTION_ISOLATION_LEVEL_SERIALIZABLE => "SERIALIZABLE",
            other => return Err(failure::not_implemented(format!("there is no isolation level `{other}`"))),
        };
        self.session.set("isolation", format!("SET SESSION TRANSACTION ISOLATION LEVEL {name}"))?;
        self.isolation = Some(level);
        Ok(())
    }
}

impl Connection for InrushConnection {
    type StatementType = InrushStatement;

    fn new_statement(&mut self) -> Result<InrushStatement> {
        Ok(InrushStatement::new(self.session.clone()))
    }

    fn get_cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(Cancel(self.session.clone()))
    }

    fn get_info(&self, codes: Option<HashSet<InfoCode>>) -> Result<Reader> {
        let version = self.session.with(|connection| Ok(connection.server_version().to_string()))?;
        one(info::batch(codes, &version)?)
    }

    fn get_objects(
        &self,
        depth: ObjectDepth,
        catalog: Option<&str>,
        db_schema: Option<&str>,
        table_name: Option<&str>,
        table_type: Option<Vec<&str>>,
        column_name: Option<&str>,
    ) -> Result<Reader> {
        let wanted = objects::Wanted { depth, catalog, db_schema, table_name, table_type, column_name };
        one(objects::batch(&self.session, &wanted)?)
    }

    fn get_table_schema(&self, catalog: Option<&str>, db_schema: Option<&str>, table_name: &str) -> Result<Schema> {
        let table = qualified(catalog, db_schema, table_name)?;
        let batches =
            self.session.with(|connection| connection.query_arrow(&format!("SELECT * FROM {table} LIMIT 0"), ()))?;
        batches
            .first()
            .map(|batch| batch.schema().as_ref().clone())
            .ok_or_else(|| failure::state("the server told no columns"))
    }

    fn get_table_types(&self) -> Result<Reader> {
        let types = StringArray::from_iter_values(objects::TABLE_TYPES);
        let schema = adbc_core::schemas::GET_TABLE_TYPES_SCHEMA.clone();
        one(RecordBatch::try_new(schema, vec![Arc::new(types)]).map_err(failure::of_arrow)?)
    }

    fn get_statistic_names(&self) -> Result<Reader> {
        one(statistics::names())
    }

    fn get_statistics(
        &self,
        catalog: Option<&str>,
        db_schema: Option<&str>,
        table_name: Option<&str>,
        // Exact ones would read whole tables: values say that they are not.
        _approximate: bool,
    ) -> Result<Reader> {
        one(statistics::batch(&self.session, catalog, db_schema, table_name)?)
    }

    fn commit(&mut self) -> Result<()> {
        match self.session.autocommit() {
            true => Err(failure::state("autocommit is on: there is nothing to commit")),
            false => self.session.commit(),
        }
    }

    fn rollback(&mut self) -> Result<()> {
        match self.session.autocommit() {
            true => Err(failure::state("autocommit is on: there is nothing to roll back")),
            false => self.session.rollback(),
        }
    }

    fn read_partition(&self, partition: impl AsRef<[u8]>) -> Result<Reader> {
        let sql = std::str::from_utf8(partition.as_ref())
            .map_err(|_| failure::invalid("that is no partition of this driver"))?;
        // On a connection of its own, so that several partitions are read concurrently.
        let session = SharedSession::connect(self.session.config())?;
        let batches =
            session.open(|c| inrush::blocking::ResultBatches::open(c, sql, (), &inrush::ArrowOptions::default()))?;
        Ok(Box::new(batches))
    }
}

fn one(batch: RecordBatch) -> Result<Reader> {
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

impl Optionable for InrushConnection {
    type Option = OptionConnection;

    fn set_option(&mut self, key: OptionConnection, value: OptionValue) -> Result<()> {
        match &key {
            OptionConnection::AutoCommit => self.session.set_autocommit(bool::try_from(value)?),
            OptionConnection::ReadOnly => {
                self.read_only = bool::try_from(value)?;
                let mode = if self.read_only { "READ ONLY" } else { "READ WRITE" };
                self.session.set("read only", format!("SET SESSION TRANSACTION {mode}"))
            }
            OptionConnection::CurrentCatalog | OptionConnection::CurrentSchema => {
                self.session.use_database(&text(&key, value)?)
            }
            OptionConnection::IsolationLevel => self.set_isolation(text(&key, value)?),
            OptionConnection::Other(name) if name == ANSI_QUOTES => {
                let statement = match bool::try_from(value)? {
                    true => "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',ANSI_QUOTES')",
                    false => "SET SESSION sql_mode = REPLACE(@@SESSION.sql_mode, 'ANSI_QUOTES', '')",
                };
                self.session.set("quotes", statement.into())
            }
            other => Err(failure::no_option(other.as_ref())),
        }
    }

    fn get_option_string(&self, key: OptionConnection) -> Result<String> {
        let switch = |is_on: bool| match is_on {
            true => constants::ADBC_OPTION_VALUE_ENABLED.to_owned(),
            false => constants::ADBC_OPTION_VALUE_DISABLED.to_owned(),
        };
        match &key {
            OptionConnection::AutoCommit => Ok(switch(self.session.autocommit())),
            OptionConnection::ReadOnly => Ok(switch(self.read_only)),
            OptionConnection::CurrentCatalog => self.current_database(),
            OptionConnection::CurrentSchema => Ok(String::new()),
            OptionConnection::IsolationLevel => {
                let default = constants::ADBC_OPTION_ISOLATION_LEVEL_DEFAULT;
                Ok(self.isolation.clone().unwrap_or_else(|| default.to_owned()))
            }
            other => Err(failure::no_option(other.as_ref())),
        }
    }

    fn get_option_bytes(&self, key: OptionConnection) -> Result<Vec<u8>> {
        Err(failure::no_option(key.as_ref()))
    }

    fn get_option_int(&self, key: OptionConnection) -> Result<i64> {
        Err(failure::no_option(key.as_ref()))
    }

    /// The progress of its statement. It is read here, since a statement that executes is locked and reports nothing before its end.
    fn get_option_double(&self, key: OptionConnection) -> Result<f64> {
        self.session.progress(key.as_ref()).ok_or_else(|| failure::no_option(key.as_ref()))
    }
}

/// Names in double quotes are names, for clients that write standard SQL. `true` or `false`.
const ANSI_QUOTES: &str = "inrush.connection.ansi_quotes";
