//! The table, the column and the constraint that a server's error message names.
//!
//! ```text
//! 1062  Duplicate entry 'Ann' for key 't.name'     MySQL from 8.0.19 on; before, and MariaDB: 'name'
//! 1452  .. (`shop`.`t`, CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES ..)
//! 3819  Check constraint 'positive' is violated.   MySQL
//! 4025  CONSTRAINT `positive` failed for `shop`.`t` (MariaDB; `t.n` is the CHECK of column `n`)
//! 1048  Column 'n' cannot be null                  1364, 1406, 1264 are like it
//! ```
//!
//! Invariant: a name is correct or missing. Messages in another language (`lc_messages`) are read only where the part with the
//! names is SQL. No name is read if it contains the message's own quotes, if a dot makes it ambiguous, or if the server may have
//! cut the message. The value in a message is data, so names are searched from the end.

/// The names in one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Names<'m> {
    pub(super) table: Option<&'m str>,
    pub(super) column: Option<&'m str>,
    pub(super) constraint: Option<&'m str>,
}

/// Reads the names. `key_has_table`: the server writes a key's name after its table's name.
pub(super) fn read(code: u16, message: &str, key_has_table: bool) -> Names<'_> {
    if message.len() > LONGEST_WHOLE {
        return Names::default();
    }
    let names = match code {
        1062 | 1586 => duplicate(message, key_has_table),
        1451 | 1452 => foreign_key(message),
        3819 => between(message, "Check constraint '", "' is violated.").map(Names::of_constraint),
        4025 => check(message),
        1048 => between(message, "Column '", "' cannot be null").map(Names::of_column),
        1364 => between(message, "Field '", "' doesn't have a default value").map(Names::of_column),
        1406 => at_row(message, "Data too long for column '"),
        1264 => at_row(message, "Out of range value for column '"),
        1263 => at_row(message, "Column set to default value; NULL supplied to NOT NULL column '"),
        _ => None,
    };
    names.unwrap_or_default()
}

impl<'m> Names<'m> {
    fn of_constraint(name: &'m str) -> Self {
        Self { constraint: Some(name), ..Self::default() }
    }

    fn of_column(name: &'m str) -> Self {
        Self { column: Some(name), ..Self::default() }
    }
}

fn duplicate(message: &str, key_has_table: bool) -> Option<Names<'_>> {
    let (_, key) = between(message, "Duplicate entry '", "'")?.rsplit_once("' for key '")?;
    match (key_has_table, key.split_once('.')) {
        (false, _) => Some(Names::of_constraint(key)),
        // Both names may hold dots, and then it is ambiguous which dot separates them.
        (true, Some((table, key))) if !key.contains('.') => {
            Some(Names { table: Some(table), constraint: Some(key), column: None })
        }
        (true, _) => None,
    }
}

/// MySQL does not escape a backtick in a name, MariaDB does: a name with one is left out.
fn foreign_key(message: &str) -> Option<Names<'_>> {
    let (_, clause) = message.split_once("(`")?;
    let (table, rest) = clause.split_once("`, CONSTRAINT `")?;
    let (_schema, table) = table.split_once("`.`")?;
    let (constraint, rest) = rest.split_once("` FOREIGN KEY (`")?;
    // If the key has several columns, the message does not show which one is at fault.
    let column = rest.split_once("`)").map(|(columns, _)| columns);
    Some(Names { table: bare(table), column: column.and_then(bare), constraint: bare(constraint) })
}

fn check(message: &str) -> Option<Names<'_>> {
    let (constraint, rest) = message.strip_prefix("CONSTRAINT `")?.split_once('`')?;
    if rest.starts_with('`') {
        return None;
    }
    let (_words, table) = rest.strip_suffix('`')?.split_once('`')?;
    let table = table.split_once("`.`").and_then(|(_schema, table)| bare(table));
    // Such a constraint has the name of its column (information_schema.CHECK_CONSTRAINTS).
    let column = table.and_then(|table| constraint.strip_prefix(table)?.strip_prefix('.'));
    Some(Names { table, column, constraint: Some(column.unwrap_or(constraint)) })
}

fn at_row<'m>(message: &'m str, start: &str) -> Option<Names<'m>> {
    message.strip_prefix(start)?.rsplit_once("' at row ").map(|(column, _)| Names::of_column(column))
}

fn between<'m>(message: &'m str, start: &str, end: &str) -> Option<&'m str> {
    message.strip_prefix(start)?.strip_suffix(end)
}

fn bare(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.contains('`'))
}

/// Servers cut messages at 511 bytes, between two characters of up to four.
const LONGEST_WHOLE: usize = 507;

#[cfg(test)]
mod tests;
