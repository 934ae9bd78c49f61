//! The few questions a load asks in SQL, as plain texts and numbers.

use crate::blocking::Connection;
use inrush_core::bulk::judge::Warning;
use inrush_core::bulk::lane;
use inrush_core::session::{LoadCounts, Outcome};
use inrush_core::{Error, Result};

/// The rows of a query, each value as text, NULL as the empty text.
pub(crate) fn rows(connection: &mut Connection, query: &str) -> Result<Vec<Vec<String>>> {
    connection.texts(query)
}

/// Sets what the loader's own questions depend on, see [`lane::ANSWERS`].
pub(crate) fn set_answers(connection: &mut Connection) -> Result<()> {
    /// ER_UNKNOWN_SYSTEM_VARIABLE, ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_WRONG_VALUE_FOR_VAR
    const LEFT_AS_IT_IS: [u16; 3] = [1193, 1227, 1231];
    connection.exec(lane::ANSWERS, ())?;
    let more = lane::more_answers(connection.session().profile());
    if connection.exec(&format!("SET SESSION {}", more.join(", ")), ()).is_ok() {
        return Ok(());
    }
    more.iter().try_for_each(|one| match connection.exec(&format!("SET SESSION {one}"), ()) {
        Err(error) if !LEFT_AS_IT_IS.contains(&error.code()) => Err(error),
        _ => Ok(()),
    })
}

/// The first row of a query; empty if it has none.
pub(crate) fn first_row(connection: &mut Connection, query: &str) -> Result<Vec<String>> {
    Ok(rows(connection, query)?.into_iter().next().unwrap_or_default())
}

/// SHOW WARNINGS of the last statement.
pub(crate) fn warnings(connection: &mut Connection) -> Result<Vec<Warning>> {
    let warnings = connection.warnings()?;
    Ok(warnings.into_iter().map(|warning| Warning { code: warning.code, message: warning.message }).collect())
}

/// The counts of a LOAD DATA answer. Without them nothing can be compared.
pub(crate) fn load_counts(outcome: &Outcome) -> Result<LoadCounts> {
    LoadCounts::parse(&outcome.info).ok_or_else(|| {
        Error::protocol(format!("the server does not count what it loaded: `{}`", outcome.info))
            .with_hint("`--method multi-row` does not depend on it")
    })
}
