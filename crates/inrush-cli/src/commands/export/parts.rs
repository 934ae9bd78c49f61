//! The parts of a table, which lanes read side by side: ranges of its key or its partitions, each with the name of its files.

use super::args::{ExportArgs, OrderArg};
use super::lanes::Part;
use super::tables::Table;
use inrush::blocking::Connection;
use inrush::parts::{PartBy, TableRows, estimated_rows, of_rows};
use inrush_core::Result;

/// The parts of a table, which is the `at`-th.
pub(super) fn of_table(
    table: &Table,
    at: usize,
    args: &ExportArgs,
    connection: Option<&mut Connection>,
) -> Result<Vec<Part>> {
    let rows =
        TableRows { columns: table.select_list(), table: table.name.quoted(), condition: args.condition.clone() };
    let n = usize::from(args.lanes);
    let queries = match connection.filter(|_| n > 1) {
        None => vec![rows.query()?],
        Some(connection) => match by(table, args, connection)? {
            Some(by) => of_rows(connection, &rows, &by, n)?,
            None => vec![rows.query()?],
        },
    };
    let only = queries.len() == 1;
    let stem = |number: usize| match only {
        true => table.file_name.clone(),
        false => format!("{}.{}", table.file_name, number + 1),
    };
    let order = match args.order {
        None => String::new(),
        Some(OrderArg::Key) => format!(" ORDER BY {}", table.order()?),
    };
    let part = |(i, query): (usize, String)| Part {
        table: at,
        query: query + &order,
        known: table.known.clone(),
        stem: stem(i),
    };
    Ok(queries.into_iter().enumerate().map(part).collect())
}

/// What the parts are made of; `None`: the table is read as a whole.
fn by(table: &Table, args: &ExportArgs, connection: &mut Connection) -> Result<Option<PartBy>> {
    // Parts of partitions are in no order.
    let by_partitions = args.order.is_none() && table.partitions.len() > 1;
    let by = match (&table.by, by_partitions) {
        (_, true) => PartBy::Partitions(table.partitions.clone()),
        (Some(by), false) => by.clone(),
        (None, false) => return Ok(None),
    };
    let is_sure = table.is_key_one_number && matches!(by, PartBy::Whole(_));
    Ok((is_sure || estimated_rows(connection, &table.name.quoted())? >= LEAST_ROWS).then_some(by))
}

/// A table of fewer rows is one part, unless its key is one whole number: its bounds cost nothing.
const LEAST_ROWS: u64 = 10_000;
