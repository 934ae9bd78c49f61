//! Names of tables, as ADBC has them: MySQL's databases are its catalogs, and a schema that is named means a database, too.

use crate::failure::{self, Result};
use inrush::sans_io::column::ident::quote_ident;

/// `table` or `database.table`, quoted.
pub(crate) fn qualified(catalog: Option<&str>, db_schema: Option<&str>, table: &str) -> Result<String> {
    Ok(match database(catalog, db_schema)? {
        Some(database) => format!("{}.{}", quote_ident(database), quote_ident(table)),
        None => quote_ident(table),
    })
}

/// The database that is named by either word.
pub(crate) fn database<'a>(catalog: Option<&'a str>, db_schema: Option<&'a str>) -> Result<Option<&'a str>> {
    match (catalog.filter(|name| !name.is_empty()), db_schema.filter(|name| !name.is_empty())) {
        (Some(catalog), Some(schema)) if catalog != schema => Err(failure::invalid(format!(
            "a catalog is a database of MySQL, and there is no schema in it: `{catalog}` and `{schema}` are two databases"
        ))),
        (catalog, schema) => Ok(catalog.or(schema)),
    }
}
