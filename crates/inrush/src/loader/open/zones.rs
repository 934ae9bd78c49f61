//! Time zones: whether the sources mean that of the load, and the comparison of our zone data with the server's tables, once a load and only where a TIMESTAMP is filled in a named zone.

use crate::blocking::Connection;
use crate::loader::lanes::lane::hint_at_zone;
use crate::loader::sql;
use inrush_core::column::ColumnType;
use inrush_core::column::{Differences, Rules, ZoneTables};
use inrush_core::load::Source;
use inrush_core::write::Table;
use inrush_core::zone;
use inrush_core::{Error, Result};

/// Refuses sources that say another time zone than that of the load.
pub(crate) fn check(sources: &[Box<dyn Source>], name: &str) -> Result<()> {
    for source in sources {
        if let Some(zone) = source.time_zone().filter(|zone| zone::spelling(zone) != zone::spelling(name)) {
            return Err(Error::config(format!(
                "`{}` says that its times are in the zone `{zone}`, and the load would store them as times in `{name}`",
                source.name()
            ))
            .with_hint(format!("`--time-zone {zone}` reads them as they are meant")));
        }
    }
    Ok(())
}

/// Enters into `rules` where the tables differ. `name` is the zone as the server spells it.
pub(crate) fn compare(
    connection: &mut Connection,
    table: &Table,
    name: &str,
    is_dry: bool,
    rules: &mut Rules,
) -> Result<()> {
    let is_timestamp = |ty: &ColumnType| matches!(ty, ColumnType::Timestamp { .. });
    if rules.tables != ZoneTables::NotCompared || !table.columns.iter().any(|column| is_timestamp(&column.ty)) {
        return Ok(());
    }
    let set = format!("SET time_zone='{}'", name.replace('\\', "\\\\").replace('\'', "''"));
    match connection.execute(&set, ()) {
        Ok(_) => {}
        // A dry run has no lanes, which need the zone.
        Err(error) if is_dry && !error.is_fatal() => {
            rules.tables = ZoneTables::same();
            return Ok(());
        }
        Err(error) => return Err(hint_at_zone(error, name)),
    }
    let number = |row: &[String], i: usize| row.get(i).and_then(|text| text.parse::<i64>().ok());
    let shifts: Vec<(i64, i64)> = sql::rows(connection, &Differences::offsets_query(rules))
        .map_err(while_comparing)?
        .iter()
        .filter_map(|row| Some((number(row, 0)?, number(row, 1)?)))
        .collect();
    let mut differences = Differences::new(rules, &shifts);
    for probes in differences.probes().chunks(PROBES) {
        let answer = sql::first_row(connection, &differences.probes_query(probes)).map_err(while_comparing)?;
        differences.compare(probes, &answer);
    }
    rules.tables = differences.finish();
    Ok(())
}

/// A result has at most 4096 columns.
const PROBES: usize = 500;

fn while_comparing(error: Error) -> Error {
    error.while_doing("cannot read the server's table of the time zone")
}
