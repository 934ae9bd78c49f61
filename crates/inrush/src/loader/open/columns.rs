//! The columns of a table, for callers that map a file to them before the load begins.

use crate::Config;
use crate::blocking::Connection;
use crate::loader::{Loader, sql};
use crate::table::TableName;
use inrush_core::Result;
use inrush_core::column::Column;

impl Loader {
    /// A table's columns in their order, read over a connection of its own; `None` if there is no such table.
    ///
    /// # Errors
    /// `Config` for an invalid name, and for a view; else the error of the server or the network.
    pub fn columns(config: &Config, table: &str) -> Result<Option<Vec<Column>>> {
        let mut connection = Connection::connect(config)?;
        sql::set_answers(&mut connection)?;
        let name = TableName::parse(table)?.in_schema(config.database())?;
        let table = sql::read_table(&mut connection, &name)?;
        connection.close();
        Ok(table.map(|table| table.columns))
    }
}
