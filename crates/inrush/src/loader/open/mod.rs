//! The beginning of a load: read the target, map every source, choose the method, open the lanes. Nothing is sent before all of
//! it has worked.

mod columns;
mod engine;
pub(crate) mod preflight;
pub(crate) mod steps;
mod zones;

use super::commit::ledger::{Jobs, promise, twins};
use super::lanes::lane::Lane;
use super::lanes::watch;
use super::load::Load;
use super::options::{BadRows, Guarantee, LoadOptions};
use super::plan::modes;
use super::plan::run_lock::RunLock;
use super::plan::sort_plan::SortPlan;
use super::plan::source_plan::SourcePlan;
use super::plan::target::Target;
use super::plan::tuning::{Before, Order, Tuning};
use super::report::event::LoadEvent;
use super::{sort, sql};
use crate::Config;
use crate::blocking::Connection;
use crate::table::{self, TableName};
use crate::trace::Context;
use crate::until_stopped::execute_until_stopped;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::check::Check;
use inrush_core::load::encode::{Layout, is_bindable};
use inrush_core::load::lane::LaneSession;
use inrush_core::load::ledger::JobStep;
use inrush_core::load::modes::{Keys, Writing};
use inrush_core::load::steps::Shadow;
use inrush_core::load::steps::keyless::{self, Notes};
use inrush_core::load::{LoadPlan, Matching, Mode, NewColumns, Source, drift, widen};
use inrush_core::profile::{Cluster, Profile};
use inrush_core::session::Effect;
use inrush_core::write::{Allowed, Chooser, Computed, LocalInfile, Method, Need, Obstacle, Table, Writers};
use inrush_core::zone;
use inrush_core::{Error, Kind, Result};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use steps::rights;

/// Everything up to a target's first lane: on one connection that is closed again.
pub(super) fn open(
    load: Arc<Load>,
    config: Config,
    table: &str,
    sources: &mut Vec<Box<dyn Source>>,
) -> Result<(Target, Vec<Arc<SourcePlan>>)> {
    let options = &load.options;
    if let BadRows::Divert(_) = options.bad_rows {
        same_fields(sources)?;
    }
    let zone = zone::find(&options.time_zone)?;
    zones::check(sources, &options.time_zone)?;
    // All connections of a load are to one server: what another one lacks of its commits could not be noticed. A load that loses its
    // server fails, and its next run reads the ledger of the server that it finds.
    let config = match config.has_several_hosts() {
        true => load.control.connect(&config)?.config().clone(),
        false => config,
    };
    // Before the table is read: a twin may create it.
    let part_lock = twins::wait(&load, &config, &TableName::parse(table)?.in_schema(config.database())?)?;
    let (mut connection, config) = engine::connect(&load, config)?;
    load.control.set_lane(0, connection.connection_id(), connection.aborter());
    sql::set_answers(&mut connection)?;
    let profile = *connection.session().profile();
    options.unchecked.check(&profile)?;
    if options.guarantee == Guarantee::ExactlyOnce {
        promise::check_engine(&profile)?;
    }
    let name = TableName::parse(table)?.in_schema(config.database())?;
    let variables = Variables::read(&mut connection, &profile)?;
    check_packet(variables.max_packet)?;
    let found = sql::read_table(&mut connection, &name)?;
    let wanted = options.create.as_ref().map(|columns| table::known_types(columns, &profile));
    let mut to_create = None;
    let mut table = match (found, &wanted) {
        (Some(_), Some(columns)) if options.redefines() => {
            check_names(&name, columns)?;
            new_table(&mut connection, &name, columns)?
        }
        (Some(table), wanted) => {
            let is_other = |columns: &Vec<(String, String)>| !has_columns(&table, columns);
            if options.new_columns == NewColumns::Add
                && options.addable.is_empty()
                && wanted.as_ref().is_some_and(is_other)
            {
                return Err(Error::config(format!(
                    "another load has created table `{}` meanwhile, with other columns",
                    name.name
                ))
                .with_hint("run the same command again"));
            }
            table
        }
        (None, Some(columns)) => {
            check_names(&name, columns)?;
            to_create = wanted.clone();
            imagined(&name, columns)
        }
        (None, None) => return Err(no_such_table(&mut connection, &name)),
    };
    let is_made = to_create.is_some() || options.redefines();
    let to_add = add_columns(&mut connection, &mut table, options, &profile)?;
    let widened = match is_made {
        true => Vec::new(),
        false => steps::widened::plan(&mut connection, &mut table, options)?,
    };
    let keeps = |name: &str| options.keep_spelling.iter().any(|kept| kept.to_lowercase() == name.to_lowercase());
    for column in &mut table.columns {
        let is_new = is_made || to_add.iter().any(|(name, _)| *name == column.name);
        column.keeps_spelling = is_new && keeps(&column.name);
    }
    if options.dry_run
        && is_made
        && let Some(columns) = &wanted
    {
        load.notify(&LoadEvent::WouldCreate(table::create_statement(&name, columns, &options.key)));
    }
    if options.dry_run && !to_add.is_empty() {
        let statement = drift::add_statement(&name.schema, &name.name, &to_add, false);
        load.notify(&LoadEvent::WouldAdd { statement });
    }
    if options.dry_run && !widened.is_empty() {
        let statement = widen::statement(&name.schema, &name.name, &widened);
        load.notify(&LoadEvent::WouldWiden { statement });
    }
    if options.guarantee == Guarantee::ExactlyOnce {
        promise::check(&mut connection, &table, variables.cluster, options)?;
    } else if options.defer_indexes {
        return Err(Error::config(
            "`--defer-indexes` keeps the definitions in the ledger, and `--guarantee at-least-once` has none",
        )
        .with_hint("drop the indexes and make them again yourself, or load with the default guarantee"));
    }
    if options.atomic && !profile.locks_tables {
        let (option, name) = (options.atomic_option(), profile.name);
        return Err(Error::new(
            Kind::Guarantee,
            format!("`{option}` keeps other sessions out by LOCK TABLES while two tables exchange their names, which {name} cannot"),
        )
        .with_hint(format!("load without `{option}`: the same command goes on where it stopped")));
    }
    if options.mode.is_by_key() && !profile.temporary_tables {
        return Err(Error::config(format!(
            "`--mode {}` puts the rows into a temporary table first, which {} cannot make of another one",
            options.mode.name(),
            profile.name
        ))
        .with_hint("load into a table of your own, and change the other one by a statement"));
    }
    if options.atomic && to_create.is_none() {
        steps::check_atomic(&mut connection, &table, options.atomic_option())?;
    }
    if options.atomic {
        rights::check(&mut connection, &Shadow::of(&table.schema, &table.name), options.atomic_option())?;
    }
    let mut rules = Rules { zero_dates: options.unchecked.zero_dates, ..Rules::new(zone, profile) };
    let spelling = zone::spelling(&options.time_zone);
    zones::compare(&mut connection, &table, &spelling, options.dry_run, &mut rules)?;
    let keys = match to_create {
        _ if options.redefines() => modes::keys_of_new(&options.key),
        Some(_) => modes::keys_of_new(&options.key),
        None => modes::read_keys(&mut connection, &table, options.mode)?,
    };
    let left_to_trigger = left_to_trigger(&mut connection, &mut table, to_create.is_some())?;
    if options.mode == Mode::Undo {
        if to_create.is_some() {
            return Err(no_such_table(&mut connection, &name));
        }
        steps::undone::check_references(&mut connection, &table)?;
    }
    let plans = plans(sources, options, &table, &keys, &rules, variables.max_packet)?;
    notify_left_out(&load, sources, &plans);
    let server = connection.server_version().to_string();
    let locks_for_ids = locks_for_ids(&variables, &table, &plans);
    let need = Need {
        not_bindable: plans.iter().any(|plan| !plan.writers.is_bindable()).then(|| Obstacle {
            why: "the table has too many columns, or one of BIT, a vector or a geometry, or one that is computed (`--set`)".into(),
            hint: Some("`--method multi-row` can"),
        }),
        no_load_data: no_load_data(&plans, &left_to_trigger, &profile),
        load_is_serial: locks_for_ids
            && options.lanes != Some(1)
            && !options.defer_indexes
            && modes::has_secondary_index(&mut connection, &table)?,
        has_triggers: profile.bulk_execute && modes::has_triggers(&mut connection, &table)?,
        ..Need::of_load(options.method)
    };
    let local_infile = match variables.local_infile {
        Some(true) => LocalInfile::On,
        Some(false) => LocalInfile::Off,
        None => LocalInfile::Unknown,
    };
    let chooser = Chooser::new(need, Allowed::new(&profile, local_infile, variables.splits_loads))?;
    let writes_straight = |method| plans.iter().all(|plan: &Arc<SourcePlan>| plan.writing.stage(method).is_none());
    let methods =
        chooser.to_try().filter(|methods| table.transactional && methods.iter().all(|method| writes_straight(*method)));
    let loads_data = chooser.choice().method == Method::LoadData;
    let is_serial = locks_for_ids && loads_data;
    let known = sort::Known {
        table: &table,
        is_new: is_made,
        buffer_pool: variables.buffer_pool,
        max_packet: variables.max_packet,
        cluster: variables.cluster,
    };
    let sort =
        sort::plan(&mut connection, &known, options, (sources, &plans), &load.control, |event| load.notify(event))?;
    let order = order(&mut connection, &sort, profile.lanes_leave_room, options, &table)?;
    let transaction_bytes = profile.transaction_bytes.min(variables.cluster.transaction_bytes());
    let target = Target {
        // Counts of rows found would hide which of them were changed.
        config: config.with_local_infile(loads_data).with_found_rows(false),
        session: LaneSession {
            time_zone: spelling,
            statement_binlog: variables.statement_binlog,
            profile,
            unchecked: options.unchecked,
        },
        max_packet: variables.max_packet,
        cluster: variables.cluster,
        chooser: Mutex::new(chooser),
        accepted_warnings: Mutex::default(),
        transaction_bytes,
        largest_chunk: usize::MAX.into(),
        bad_share: Mutex::default(),
        run_lock: RunLock::default(),
        _part_lock: part_lock,
        tuning: Arc::new(Tuning::new(options, Before { transaction_bytes, order, is_serial, methods })?),
        sort,
        ignores_case: variables.ignores_case,
        table,
        to_create,
        to_add,
        widened,
        is_created: false.into(),
        server,
        load: load.clone(),
    };
    connection.close();
    Ok((target, plans))
}

/// Whether a table has these columns, with these types.
fn has_columns(table: &Table, columns: &[(String, String)]) -> bool {
    columns.iter().all(|(name, definition)| {
        let planned = Column::defined(name, definition);
        table.columns.iter().any(|there| there.name.to_lowercase() == name.to_lowercase() && there.ty == planned.ty)
    })
}

/// The columns that the table is to get, which are among its columns from now on.
fn add_columns(
    connection: &mut Connection,
    table: &mut Table,
    options: &LoadOptions,
    profile: &Profile,
) -> Result<Vec<(String, String)>> {
    // Fields without names cannot say which columns they are.
    if options.new_columns != NewColumns::Add || options.matching == Matching::ByPosition || options.addable.is_empty()
    {
        return Ok(Vec::new());
    }
    let used: Vec<&str> = options.set.iter().flat_map(Computed::fields).collect();
    let is_utf8mb4 = steps::added::is_utf8mb4(connection, table)?;
    let to_add = drift::to_add(table, &table::known_types(&options.addable, profile), &used, is_utf8mb4);
    let name = TableName { schema: table.schema.clone(), name: table.name.clone() };
    check_names(&name, &to_add)?;
    table.columns.extend(to_add.iter().map(|(name, definition)| Column::defined(name, definition)));
    Ok(to_add)
}

/// Reports the fields that go into no column.
fn notify_left_out(load: &Load, sources: &[Box<dyn Source>], plans: &[Arc<SourcePlan>]) {
    for (source, plan) in sources.iter().zip(plans) {
        let fields = plan.plan.left_out.clone();
        if !fields.is_empty() {
            load.notify(&LoadEvent::FieldsLeftOut { source: source.name().into(), fields });
        }
    }
}

/// The columns that a row must have a value for, and may get it of a trigger: they are optional from now on.
fn left_to_trigger(connection: &mut Connection, table: &mut Table, is_new: bool) -> Result<Vec<String>> {
    let is_needed = |column: &&mut Column| !(column.optional || column.generated);
    if is_new || !table.columns.iter_mut().any(|column| is_needed(&&mut *column)) {
        return Ok(Vec::new());
    }
    if !modes::has_insert_trigger(connection, table)? {
        return Ok(Vec::new());
    }
    let needed = table.columns.iter_mut().filter(is_needed);
    Ok(needed
        .map(|column| {
            column.optional = true;
            column.name.clone()
        })
        .collect())
}

/// Why LOAD DATA would not store what a strict INSERT stores, or refuses.
fn no_load_data(plans: &[Arc<SourcePlan>], left_to_trigger: &[String], profile: &Profile) -> Option<Obstacle> {
    if !profile.temporary_tables && plans.iter().any(|plan| plan.writing.stage(Method::LoadData).is_some()) {
        return Some(Obstacle {
            why: "in this mode LOAD DATA fills a temporary table first, which this engine cannot make of another one"
                .into(),
            hint: Some("`--method auto` takes the next best way"),
        });
    }
    let needs_trigger = |plan: &Arc<SourcePlan>| {
        let filled = plan.plan.filled();
        left_to_trigger.iter().any(|left| !filled.iter().any(|column| column.name == *left))
    };
    // docs/notes/computed.md has both.
    if plans.iter().any(|plan| !plan.plan.is_strict_in_load()) {
        return Some(Obstacle {
            why: "LOAD DATA could bend what `--set` computes without a word, as `12 apples` into 12, and a strict INSERT does not".into(),
            hint: Some("`--method auto` or `--method multi-row` loads the rows and names the bad ones; `load-data` takes constants and functions of texts"),
        });
    }
    plans.iter().any(needs_trigger).then(|| Obstacle {
        why: "a trigger is to fill a NOT NULL column: where it does not, LOAD DATA could store 0 or an empty text without a word, and a strict INSERT fails".into(),
        hint: Some("`--method auto` takes the next best way, whose rows fail then"),
    })
}

/// Whether the lanes' LOAD DATA would wait for each other, for the lock of the table's AUTO_INCREMENT. A stage has none.
fn locks_for_ids(variables: &Variables, table: &Table, plans: &[Arc<SourcePlan>]) -> bool {
    variables.locks_for_ids
        && table.engine.eq_ignore_ascii_case("InnoDB")
        && table.columns.iter().any(|column| column.auto_increment)
        && plans.iter().all(|plan| plan.writing.stage(Method::LoadData).is_none())
}

/// The order of the rows. For sorted rows, several lanes pay off if each row also costs the server work in secondary indexes.
fn order(
    connection: &mut Connection,
    sort: &SortPlan,
    lanes_leave_room: bool,
    options: &LoadOptions,
    table: &Table,
) -> Result<Order> {
    Ok(match sort.sorts() {
        false => Order::AsTheyCome,
        true if !lanes_leave_room => Order::Sorted,
        true if !options.defer_indexes && modes::has_secondary_index(connection, table)? => Order::Sorted,
        true => Order::SortedForOneLane,
    })
}

/// Opens the first lane, which must work; none for a dry run.
pub(super) fn first_lane(target: &Target) -> Result<Option<Lane<'_>>> {
    if target.load.options.dry_run { Ok(None) } else { Lane::open(0, target).map(Some) }
}

/// What comes before the first row: the table is created or emptied, which is not done before it is sure that rows can follow.
pub(super) fn first_steps(first: &mut Lane<'_>, target: &Target, jobs: &mut Jobs) -> Result<()> {
    let context = Context::current();
    std::thread::scope(|scope| {
        // A table that is in use keeps a TRUNCATE waiting.
        let (_over, is_over) = channel();
        scope.spawn(move || context.within(|| watch::watch(target, &is_over, None)));
        prepare_table(&mut first.connection, target, jobs)
    })?;
    target.load.control.waits(0, None);
    Ok(())
}

/// Opens the other lanes; a server that has no room for more gets fewer.
pub(super) fn lanes<'a>(first: Option<Lane<'a>>, target: &'a Target) -> Vec<Option<Lane<'a>>> {
    let wanted = target.tuning.lanes();
    let Some(first) = first else { return (0..wanted).map(|_| None).collect() };
    let mut lanes = vec![Some(first)];
    for number in 1..wanted {
        match Lane::open(number, target) {
            Ok(lane) => lanes.push(Some(lane)),
            Err(error) => {
                target.load.notify(&LoadEvent::FewerLanes { lanes: lanes.len(), reason: error.to_string() });
                target.tuning.no_room_for_more_than(lanes.len(), target.load.control.elapsed());
                break;
            }
        }
    }
    target.load.notify(&LoadEvent::Method(target.choice()));
    lanes
}

/// Refuses a server that accepts no statement of the ledger: such a statement would end the connection, again and again.
fn check_packet(max_packet: usize) -> Result<()> {
    if max_packet >= LEAST_PACKET {
        return Ok(());
    }
    Err(Error::config(format!(
        "the server's `max_allowed_packet` is {max_packet} bytes, and a load needs {LEAST_PACKET}"
    ))
    .with_hint("`SET GLOBAL max_allowed_packet = 67108864` raises it for connections made after it"))
}

/// What the statements that make and read the ledger's tables take, with room to spare: the longest has about 2 KiB.
const LEAST_PACKET: usize = 16 << 10;

/// Server variables a load depends on.
struct Variables {
    max_packet: usize,
    local_infile: Option<bool>,
    statement_binlog: bool,
    cluster: Cluster,
    ignores_case: bool,
    /// `wsrep_load_data_splitting`.
    splits_loads: bool,
    /// A statement whose number of rows the server does not know holds the lock of an AUTO_INCREMENT until it ends, one with VALUES
    /// does not: `innodb_autoinc_lock_mode` is 1.
    locks_for_ids: bool,
    /// `innodb_buffer_pool_size`, in bytes.
    buffer_pool: Option<u64>,
}

impl Variables {
    fn read(connection: &mut Connection, profile: &Profile) -> Result<Self> {
        let rows = sql::rows(
            connection,
            "SHOW VARIABLES WHERE Variable_name IN ('max_allowed_packet', 'local_infile', 'log_bin', 'binlog_format', \
             'lower_case_table_names', 'innodb_autoinc_lock_mode', 'innodb_buffer_pool_size', 'wsrep_load_data_splitting')",
        )?;
        let cluster = Cluster::read(&sql::rows(connection, Cluster::QUERY)?);
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.first().is_some_and(|n| n.eq_ignore_ascii_case(name)))?;
            row.get(1).map(String::as_str)
        };
        let on = |text: &str| matches!(text.to_ascii_uppercase().as_str(), "ON" | "1");
        Ok(Self {
            max_packet: value("max_allowed_packet")
                .and_then(|v| v.parse().ok())
                .filter(|bytes| LIKELY_PACKETS.contains(bytes))
                .unwrap_or(profile.packet_bytes),
            local_infile: value("local_infile").map(on),
            buffer_pool: value("innodb_buffer_pool_size").and_then(|size| size.parse().ok()),
            splits_loads: value("wsrep_load_data_splitting").is_some_and(on),
            locks_for_ids: value("innodb_autoinc_lock_mode") == Some("1"),
            ignores_case: value("lower_case_table_names").is_some_and(|v| v != "0"),
            statement_binlog: value("log_bin").is_some_and(on)
                && value("binlog_format").is_some_and(|v| v.eq_ignore_ascii_case("STATEMENT")),
            cluster,
        })
    }
}

/// The values that the servers allow; anything else is not a valid answer.
const LIKELY_PACKETS: std::ops::RangeInclusive<usize> = 1024..=1 << 30;

/// Maps every source; the mistakes of all of them are reported at once.
fn plans(
    sources: &mut [Box<dyn Source>],
    options: &LoadOptions,
    table: &Table,
    keys: &Keys,
    rules: &Rules,
    max_packet: usize,
) -> Result<Vec<Arc<SourcePlan>>> {
    let mut plans = Vec::new();
    let mut mistakes: Option<Error> = None;
    for (index, source) in sources.iter_mut().enumerate() {
        match modes::plan(&**source, options, table, keys, &rules.profile) {
            Ok((plan, writing)) => {
                source.select(&plan.uses);
                let notes = sort::notes(options, index);
                plans.push(Arc::new(source_plan(index, plan, writing, notes, rules, max_packet)));
            }
            Err(error) => {
                mistakes = Some(match mistakes {
                    None => error,
                    Some(earlier) => {
                        let hint = error.hint().unwrap_or_default().to_owned();
                        Error::config(format!("{}\n{}", earlier.message(), error.message())).with_hint(hint)
                    }
                });
            }
        }
    }
    mistakes.map_or(Ok(plans), Err)
}

fn source_plan(
    index: usize,
    plan: LoadPlan,
    writing: Writing,
    notes: Option<Notes>,
    rules: &Rules,
    max_packet: usize,
) -> SourcePlan {
    let plan = plan.noting(notes.map_or_else(Vec::new, Notes::columns));
    let layout = Layout::of(&plan);
    let insert = layout.insert(writing.verb, writing.fills(Method::MultiRow), &writing.tail);
    let is_bindable = is_bindable(&plan.columns, &layout, rules);
    let writers = Writers::new(&insert, is_bindable, rules.profile.statement_bytes, max_packet);
    SourcePlan {
        index,
        checks: plan.columns.iter().map(|column| Check::new(column, rules)).collect(),
        back_off: Mutex::default(),
        effect: Effect::of_prepared(insert.statement.sql().as_bytes()),
        insert,
        writers,
        rules: rules.clone(),
        fence: None,
        fences_of_rejects: Vec::new(),
        layout,
        writing,
        notes,
        added_before: None,
        widened_before: None,
        plan,
    }
}

/// A reject file has one header, so that it can be loaded like its sources.
fn same_fields(sources: &[Box<dyn Source>]) -> Result<()> {
    match sources.windows(2).find(|pair| pair[0].fields() != pair[1].fields()) {
        None => Ok(()),
        Some(pair) => Err(Error::config(format!(
            "`{}` and `{}` have different fields, so their bad rows do not fit into one file",
            pair[0].name(),
            pair[1].name()
        ))
        .with_hint("load them one after the other, or use `--bad-rows skip`")),
    }
}

/// Refuses names that the server would refuse, or not survive, or write in another way.
fn check_names(table: &TableName, columns: &[(String, String)]) -> Result<()> {
    if table.name.chars().any(|c| u32::from(c) > 0xFFFF) {
        let message = format!("table `{}` cannot be created: {BEYOND}", table.name);
        return Err(Error::config(message).with_hint("give the table a name without such characters"));
    }
    let unfit = |(name, _): &(String, String)| Some((name.clone(), drift::unfit_name(name)?));
    match columns.iter().find_map(unfit) {
        None => Ok(()),
        Some((name, why)) => {
            let shown: String = name.chars().take(MOST_SHOWN).flat_map(char::escape_debug).collect();
            Err(Error::config(format!("column `{shown}` cannot be created: {why}"))
                .with_hint("`--columns a,b` gives the columns other names, and `@skip` in it leaves a field out"))
        }
    }
}

const BEYOND: &str = "names on the server hold no characters beyond U+FFFF, such as emoji";

/// Characters of a name that an error has.
const MOST_SHOWN: usize = 80;

/// The table that takes the place of an existing one: as an earlier run of this load made it, or as it will be.
fn new_table(connection: &mut Connection, name: &TableName, columns: &[(String, String)]) -> Result<Table> {
    let shadow = TableName { name: Shadow::of(&name.schema, &name.name).shadow, ..name.clone() };
    let made = sql::read_table(connection, &shadow)?;
    // A table of another load or another program is refused later, once its owner is known.
    let is_like = |made: &Table| {
        columns.iter().all(|(column, _)| made.columns.iter().any(|of| of.name.to_lowercase() == column.to_lowercase()))
    };
    let Some(mut made) = made.filter(is_like) else { return Ok(imagined(name, columns)) };
    // The columns that note something of each row are dropped again.
    made.columns.retain(|column| keyless::name_in_use([column.name.as_str()]).is_none());
    Ok(Table { name: name.name.clone(), ..made })
}

/// Drops the table that this run has created if nothing is in it, so that a load which stored nothing leaves no table. Statements of
/// `--before`, which are not run again, and the copy of an atomic load need the table.
pub(super) fn drop_if_unused(target: &Target) {
    let options = &target.load.options;
    // Where LOCK TABLES does not reach all nodes, a run on another one could be filling it.
    let is_local = target.cluster.with_local_locks().is_some();
    if !target.is_created.load(Relaxed) || !options.before.is_empty() || options.atomic || is_local {
        return;
    }
    // The load's own connections may be cut; if this one cannot do it, an empty table stays.
    let drop_it = || -> Result<bool> {
        let mut connection = Connection::connect(target.config.clone())?;
        connection.execute(&format!("SET SESSION lock_wait_timeout = {DROP_WAIT_SECONDS}"), ())?;
        let name = target.quoted();
        connection.execute(&format!("LOCK TABLES {name} WRITE"), ())?;
        let is_empty = sql::rows(&mut connection, &format!("SELECT 1 FROM {name} LIMIT 1"))?.is_empty();
        if is_empty {
            connection.execute(&format!("DROP TABLE {name}"), ())?;
        }
        connection.close();
        Ok(is_empty)
    };
    if drop_it().unwrap_or(false) {
        target.load.notify(&LoadEvent::Dropped);
    }
}

/// How long it waits for sessions that use the table.
const DROP_WAIT_SECONDS: u32 = 5;

/// The table that will be created: to plan against before it exists.
fn imagined(name: &TableName, columns: &[(String, String)]) -> Table {
    Table {
        schema: name.schema.clone(),
        name: name.name.clone(),
        engine: "InnoDB".into(),
        transactional: true,
        columns: columns.iter().map(|(name, definition)| Column::defined(name, definition)).collect(),
    }
}

/// The table was missing when this load looked.
fn cannot_create(error: Error, table: &str) -> Error {
    /// ER_TABLE_EXISTS_ERROR
    const EXISTS: u16 = 1050;
    let is_there = error.code() == EXISTS;
    let error = error.while_doing(&format!("cannot create table `{table}`"));
    match is_there {
        true => error.with_hint("another load has created it meanwhile: run the same command again"),
        false => error,
    }
}

fn prepare_table(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    let name = &TableName { schema: target.table.schema.clone(), name: target.table.name.clone() };
    // Whether it exists shows whether it was created.
    if let Some(columns) = &target.to_create {
        let statement = table::create_statement(name, columns, &target.load.options.key);
        target.load.control.waits(0, Some("CREATE TABLE"));
        connection.execute(&statement, ()).map_err(|e| cannot_create(e, &name.name))?;
        target.is_created.store(true, Relaxed);
        target.load.notify(&LoadEvent::Created(statement));
    }
    // Before the table is emptied: the server may refuse them.
    if !target.load.options.atomic {
        steps::added::to_table(connection, target, jobs)?;
        steps::widened::to_table(connection, target, jobs)?;
    }
    if target.load.options.truncate && target.to_create.is_none() && !target.load.options.atomic {
        let has_run = jobs.alone(connection, target, |connection, jobs| {
            jobs.step(connection, JobStep::Truncate, |connection, jobs| {
                target.load.control.waits(0, Some("TRUNCATE"));
                execute_until_stopped(connection, format!("TRUNCATE TABLE {}", name.quoted()), || {
                    target.load.control.is_stopping()
                })
                .map_err(|e| cannot_truncate(e, &name.name))?;
                jobs.forget_others(connection, target)
            })
        })?;
        target.load.notify(if has_run { &LoadEvent::Truncated } else { &LoadEvent::NotEmptied });
    }
    steps::first(connection, target, jobs)
}

fn cannot_truncate(error: Error, table: &str) -> Error {
    /// ER_TRUNCATE_ILLEGAL_FK
    const FOREIGN_KEYS: u16 = 1701;
    if error.kind() == Kind::Interrupted {
        return error;
    }
    let is_parent = error.code() == FOREIGN_KEYS;
    let error = error.while_doing(&format!("cannot truncate table `{table}`"));
    match is_parent {
        true => error.with_hint(
            "`--mode upsert` changes the rows in place and deletes none; with `--unchecked foreign-keys` the table is truncated, and the \
             server does not check that rows of the other tables still have their parent",
        ),
        false => error,
    }
}

/// Names tables with a similar name, where there are some.
fn no_such_table(connection: &mut Connection, name: &TableName) -> Error {
    let query = format!("SHOW TABLES FROM {}", inrush_core::column::ident::quote_ident(&name.schema));
    let names: Vec<String> = sql::rows(connection, &query)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|row| row.into_iter().next())
        .collect();
    let near = inrush_core::load::plan::nearest(&name.name, names.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`? `--create-table` makes a new one"),
        None => "`--create-table` makes one with types found in the data".into(),
    };
    Error::config(format!("there is no table `{}` in database `{}`", name.name, name.schema)).with_hint(hint)
}
