//! Whether the server can sort the rows of a load, which is checked before anything is sent. `steps::server_sort` does the sort.

use crate::blocking::Connection;
use crate::loader::options::{BadRows, Guarantee, LoadOptions, Sort};
use crate::loader::sql;
use crate::table::reading::is_exactly;
use inrush_core::load::Mode;
use inrush_core::load::steps::keyless::{self, Notes};
use inrush_core::profile::Cluster;
use inrush_core::write::Table;
use inrush_core::{Error, Result};

/// What is noted of each row of source number `index`, if the server is to sort them.
pub(crate) fn notes(options: &LoadOptions, index: usize) -> Option<Notes> {
    let keeps_records = matches!(options.bad_rows, BadRows::Divert(_));
    (options.sort == Sort::Server).then_some(Notes { job: index, keeps_records })
}

/// Refuses what a copy without keys is not fit for. `is_new`: the table is still to be made.
///
/// # Errors
/// `Config`.
pub(super) fn check(
    connection: &mut Connection,
    (table, is_new): (&Table, bool),
    cluster: Cluster,
    options: &LoadOptions,
) -> Result<()> {
    let refuse = |why: &str, hint: &'static str| {
        Err(Error::config(format!("the server cannot sort the rows of table `{}`: {why}", table.name)).with_hint(hint))
    };
    if !options.atomic {
        return refuse(
            "they would be in it without keys meanwhile",
            "`--atomic` fills a copy, which gets its keys at the end",
        );
    }
    if options.mode != Mode::Insert {
        return refuse("`--mode` needs its keys for each row", "leave `--sort server` or `--mode` out");
    }
    if options.guarantee != Guarantee::ExactlyOnce {
        return refuse(
            "which rows are duplicates is noted in the ledger, and `--guarantee at-least-once` has none",
            OTHER,
        );
    }
    if cluster != Cluster::None {
        return refuse("it is a node of a cluster, whose tables need a primary key", OTHER);
    }
    if sql::rows(connection, "SHOW VARIABLES LIKE 'sql\\_require\\_primary\\_key'")?
        .concat()
        .get(1)
        .is_some_and(|v| v == "ON")
    {
        return refuse("`sql_require_primary_key` is on, so that no table may be without one", OTHER);
    }
    if let Some(name) = keyless::name_in_use(table.columns.iter().map(|column| column.name.as_str())) {
        return refuse(&format!("column `{name}` has the name of one that inrush needs there meanwhile"), OTHER);
    }
    if is_new {
        return match options.key.is_empty() {
            true => refuse("it has no key", "`--key` names the columns of its primary key"),
            false => Ok(()),
        };
    }
    let keys = format!(
        "SELECT COLUMN_NAME, INDEX_NAME FROM information_schema.STATISTICS WHERE {} AND SEQ_IN_INDEX = 1",
        is_exactly("TABLE_SCHEMA", table)
    );
    let keys = sql::rows(connection, &keys)?;
    if keys.is_empty() {
        return refuse("it has no key", "leave `--sort server` out");
    }
    let counted = table.columns.iter().find(|column| column.auto_increment);
    let is_counted = |key: &Vec<String>| counted.is_some_and(|counted| key[..] == [counted.name.as_str(), "PRIMARY"]);
    if keys.iter().any(is_counted) {
        return refuse(
            "an AUTO_INCREMENT column needs its primary key for each row",
            "leave `--sort server` out; `--defer-indexes` has the server build the other indexes at the end",
        );
    }
    Ok(())
}

const OTHER: &str = "`--sort key` sorts them on this machine";
