//! Decides about the sort before a row is read for good: by which key, whether, and why.

use crate::blocking::Connection;
use crate::loader::control::Control;
use crate::loader::lanes::waits::on_sources;
use crate::loader::options::{LoadOptions, Sort};
use crate::loader::plan::sort_plan::SortPlan;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::read::prepare::Checked;
use crate::loader::report::event::LoadEvent;
use crate::loader::sort::server;
use crate::loader::sql;
use crate::table::reading::{is_exactly, literal};
use inrush_core::load::sort::{Choice, ClusteredKey, SortFacts, SortKey, choose, server_bytes};
use inrush_core::load::{Mode, Source};
use inrush_core::profile::Cluster;
use inrush_core::route::{Described, Partitioning};
use inrush_core::write::Table;
use inrush_core::{Error, Result, zone};
use std::sync::Arc;

/// What the server reported already.
pub(crate) struct Known<'a> {
    pub(crate) table: &'a Table,
    /// The table, or the one in whose place it comes, is still to be made.
    pub(crate) is_new: bool,
    pub(crate) buffer_pool: Option<u64>,
    pub(crate) max_packet: usize,
    pub(crate) cluster: Cluster,
}

/// Decides, and reads what the decision depends on: the key, sizes, the first rows of the sources.
///
/// # Errors
/// `Config` if a sort was requested that is not possible; else the error of the server or a source.
pub(crate) fn plan(
    connection: &mut Connection,
    known: &Known<'_>,
    options: &LoadOptions,
    (sources, plans): (&mut Vec<Box<dyn Source>>, &[Arc<SourcePlan>]),
    control: &Control,
    notify: impl Fn(&LoadEvent),
) -> Result<SortPlan> {
    let is_open = options.sort == Sort::Auto;
    let stays = |reason: &str| SortPlan::new(None, Arc::default(), Choice::unsorted(reason), is_open);
    match options.sort {
        Sort::None => return Ok(stays("asked for")),
        Sort::Server => {
            server::check(connection, (known.table, known.is_new), known.cluster, options)?;
            let facts = facts(connection, known, options, sources)?;
            let bytes = facts.to_come.map(|bytes| server_bytes(bytes.saturating_add(facts.table)));
            notify(&LoadEvent::ServerSorts { bytes });
            let choice = Choice::by_server("by the server, as asked for");
            return Ok(SortPlan::new(None, Arc::default(), choice, false));
        }
        Sort::Auto | Sort::Key => {}
    }
    let key = match key(connection, known, options, plans)? {
        Ok(key) => key,
        Err(why) if options.sort == Sort::Key => {
            return Err(Error::config(format!(
                "rows cannot be sorted by the key of table `{}`: {why}",
                known.table.name
            ))
            .with_hint("leave `--sort key` out"));
        }
        Err(why) => return Ok(stays(&why)),
    };
    let choice = match options.sort {
        Sort::Key => Choice::sorted("asked for", facts(connection, known, options, sources)?.gain()),
        _ if goes_by_another_key(options, plans, &key) => {
            Choice::unsorted("the mode finds rows by another key, for which their order counts")
        }
        _ => {
            let mut facts = facts(connection, known, options, sources)?;
            // A stream may send nothing for long; and if the table fits, the first rows need not be read.
            let may_sort = |descents| choose(&SortFacts { looked_at: 1, descents, ..facts }).sorts;
            if may_sort(1) {
                facts.free = super::spill::free(&super::folder_for(options)).ok();
                (facts.looked_at, facts.descents) =
                    compare_neighbours(sources, plans, &key, known.max_packet, control)?;
            }
            choose(&facts)
        }
    };
    let (key, choice) = match choice.sorts {
        true => group(connection, known, key, choice, (sources, plans), control)?,
        false => (key, choice),
    };
    let columns = plans.first().map(|plan| &plan.plan.columns[..]).unwrap_or_default();
    let fields = columns.iter().map(|column| column.name.clone()).collect();
    Ok(SortPlan::new(Some(key), fields, choice, is_open))
}

/// The same with rows of a partition together, if the table has partitions and it is known which row goes into which: this queries the
/// server about rows of the load first.
fn group(
    connection: &mut Connection,
    known: &Known<'_>,
    key: SortKey,
    choice: Choice,
    (sources, plans): (&mut Vec<Box<dyn Source>>, &[Arc<SourcePlan>]),
    control: &Control,
) -> Result<(SortKey, Choice)> {
    let described = if known.is_new { Vec::new() } else { partitions(connection, known.table)? };
    let (Some(first), false) = (plans.first(), described.is_empty()) else { return Ok((key, choice)) };
    let profile = *connection.session().profile();
    let primary_key = key.columns().to_vec();
    let grouped = Partitioning::of(&described, &known.table.columns, &primary_key, &profile)
        .and_then(|partitioning| key.clone().grouped(partitioning, &first.plan));
    let checked = match grouped {
        Ok(grouped) => ask(connection, known, &grouped, (sources, plans), control)?.map(|()| grouped),
        Err(why) => Err(why),
    };
    Ok(match checked {
        Ok(grouped) => (grouped, choice),
        Err(why) => {
            let reason = format!("{}; rows are not grouped by partition: {why}", choice.reason);
            (key, Choice { reason, ..choice })
        }
    })
}

fn partitions(connection: &mut Connection, table: &Table) -> Result<Vec<Described>> {
    let query = format!(
        "SELECT PARTITION_NAME, COALESCE(PARTITION_METHOD, ''), COALESCE(PARTITION_EXPRESSION, ''), COALESCE(PARTITION_DESCRIPTION, '') \
         FROM information_schema.PARTITIONS WHERE {} AND PARTITION_NAME IS NOT NULL AND COALESCE(SUBPARTITION_ORDINAL_POSITION, 1) = 1 \
         ORDER BY PARTITION_ORDINAL_POSITION",
        is_exactly("TABLE_SCHEMA", table)
    );
    let rows = sql::rows(connection, &query)?.into_iter().filter_map(|row| <[String; 4]>::try_from(row).ok());
    let described =
        |[name, method, expression, description]: [String; 4]| Described { name, method, expression, description };
    Ok(rows.map(described).collect())
}

/// Compares what the key says of the first rows with what the server says. Returns why they differ, if they do.
fn ask(
    connection: &mut Connection,
    known: &Known<'_>,
    key: &SortKey,
    (sources, plans): (&mut Vec<Box<dyn Source>>, &[Arc<SourcePlan>]),
    control: &Control,
) -> Result<std::result::Result<(), String>> {
    let (plans, key, max_packet) = (plans.to_vec(), key.clone(), known.max_packet);
    let table = known.table.clone();
    let questions = on_sources(control, sources, move |sources| {
        let (Some(source), Some(plan)) = (sources.first_mut(), plans.first()) else { return Vec::new() };
        let Some(batch) = source.peek(LOOKED_AT).ok().flatten() else { return Vec::new() };
        let checked = Checked::of_first(batch, plan, max_packet);
        key.questions((&table.schema, &table.name), &checked.cells(), checked.kept())
    })?;
    if questions.is_empty() {
        return Ok(Err("no row of the first source can be looked at".into()));
    }
    for (question, is_right) in questions {
        // An answer of another form counts as no answer.
        let answer = sql::first_row(connection, &question.sql).unwrap_or_default();
        let partitions = answer.get(question.column).map_or("", String::as_str);
        if !is_right(partitions) {
            return Ok(Err(format!(
                "the server looks for a row of the load in `{partitions}`, which was not expected"
            )));
        }
    }
    Ok(Ok(()))
}

/// The key, or why there is none.
fn key(
    connection: &mut Connection,
    known: &Known<'_>,
    options: &LoadOptions,
    plans: &[Arc<SourcePlan>],
) -> Result<std::result::Result<SortKey, String>> {
    let Some(first) = plans.first() else { return Ok(Err("there is nothing to sort".into())) };
    let is_alike =
        |plan: &Arc<SourcePlan>| plan.plan.columns == first.plan.columns && plan.plan.computed == first.plan.computed;
    if !plans.iter().all(is_alike) {
        return Ok(Err("the files fill different columns, so their rows are of different kinds".into()));
    }
    let key = match known.is_new {
        true => ClusteredKey::of_new(&options.key, Some(&new_collation(connection)?)),
        false => clustered_key(connection, known.table)?,
    };
    let fixed_zone = zone::find(&options.time_zone)?.to_fixed_offset().is_ok();
    Ok(SortKey::of(key.as_ref(), &first.plan, fixed_zone))
}

fn clustered_key(connection: &mut Connection, table: &Table) -> Result<Option<ClusteredKey>> {
    let keys = format!(
        "SELECT INDEX_NAME, COALESCE(COLUMN_NAME, ''), COALESCE(SUB_PART, ''), COALESCE(NULLABLE, ''), COALESCE(COLLATION, '') \
         FROM information_schema.STATISTICS WHERE {} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX",
        is_exactly("TABLE_SCHEMA", table)
    );
    let collations = format!(
        "SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS WHERE {} AND COLLATION_NAME IS NOT NULL",
        is_exactly("TABLE_SCHEMA", table)
    );
    let keys = sql::rows(connection, &keys)?;
    let collations = sql::rows(connection, &collations)?;
    let rows = keys.into_iter().filter_map(|row| {
        let [name, column, prefix, nullable, direction] = <[String; 5]>::try_from(row).ok()?;
        let collation = collations.iter().find(|row| row.first() == Some(&column)).and_then(|row| row.get(1));
        let collation = collation.cloned().unwrap_or_default();
        Some([name, column, prefix, nullable, direction, collation])
    });
    Ok(ClusteredKey::read(rows))
}

/// The collation of texts in a table that is still to be made: its character set is named, its collation is that one's default.
fn new_collation(connection: &mut Connection) -> Result<String> {
    let query = "SELECT COLLATION_NAME FROM information_schema.COLLATIONS WHERE CHARACTER_SET_NAME = 'utf8mb4' AND IS_DEFAULT = 'Yes'";
    let default = sql::first_row(connection, query)?.concat();
    // MariaDB lets an administrator choose another one (`character_set_collations`); near enough for an order.
    Ok(default)
}

/// Whether rows are found by other columns than those that they would be sorted by: then a row may come before another one that stands
/// above it in the source and has the same key.
fn goes_by_another_key(options: &LoadOptions, plans: &[Arc<SourcePlan>], key: &SortKey) -> bool {
    let same = |columns: &[String]| columns.iter().all(|column| key.columns().contains(column));
    options.mode != Mode::Insert && !plans.iter().all(|plan| same(&plan.writing.key))
}

fn facts(
    connection: &mut Connection,
    known: &Known<'_>,
    options: &LoadOptions,
    sources: &[Box<dyn Source>],
) -> Result<SortFacts> {
    let mut table = 0;
    // The rows of a load that is all or nothing go into a copy, in addition to those that exist.
    if !known.is_new && !options.truncate {
        let query = format!(
            "SELECT COALESCE(DATA_LENGTH, 0) + COALESCE(INDEX_LENGTH, 0) FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
            literal(&known.table.schema),
            literal(&known.table.name)
        );
        table = sql::first_row(connection, &query)?.first().and_then(|size| size.parse().ok()).unwrap_or(0);
    }
    let to_come = sources.iter().map(|source| source.bytes_left()).sum::<Option<u64>>();
    Ok(SortFacts { buffer_pool: known.buffer_pool, table, to_come, ..SortFacts::default() })
}

/// Returns how many neighbours in the first rows were compared, and how many of them descend.
fn compare_neighbours(
    sources: &mut Vec<Box<dyn Source>>,
    plans: &[Arc<SourcePlan>],
    key: &SortKey,
    max_packet: usize,
    control: &Control,
) -> Result<(usize, usize)> {
    let (plans, key) = (plans.to_vec(), key.clone());
    on_sources(control, sources, move |sources| {
        let bytes = (LOOKED_AT / sources.len().max(1)).max(LEAST_LOOKED_AT);
        let (mut looked_at, mut descents) = (0, 0);
        for (source, plan) in sources.iter_mut().zip(&plans) {
            // What cannot be read is reported when the source is loaded.
            let Some(batch) = source.peek(bytes).ok().flatten() else { continue };
            let (descend, of) = SortKey::descents(&Checked::of_first(batch, plan, max_packet).keys(&key));
            (looked_at, descents) = (looked_at + of, descents + descend);
        }
        (looked_at, descents)
    })
}

/// 1 MiB of all sources together, and of each some rows at least.
const LOOKED_AT: usize = 1 << 20;
const LEAST_LOOKED_AT: usize = 16 << 10;
