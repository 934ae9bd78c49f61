//! Reads the facts by queries. A refused query becomes a line of what is not known, never an error.

use super::facts::{Facts, Index, Sync, Table};
use super::link;
use inrush::Config;
use inrush::FromRow;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Result};
use inrush::table::TableName;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Reads all facts of the server, and of `table`.
pub(super) fn facts(config: &Config, table: Option<&TableName>) -> Result<Facts> {
    // A server with a million tables must not keep the doctor for minutes.
    let config = config.clone().with_query_timeout(Some(LIMIT));
    let mut connection = Connection::connect(&config)?;
    connection.execute("SET SESSION TRANSACTION READ ONLY", ())?;
    let began = Instant::now();
    let mut reader = Reader { connection: &mut connection, facts: Facts::default(), until: began + READING };
    let table = reader.table(table, config.database())?;
    reader.server();
    reader.performance();
    reader.replication();
    let mut facts = reader.facts;
    facts.table = table;
    facts.link = link::measure(&config, &mut connection, &facts, began + MEASURING);
    let way = match (facts.link.is_socket, facts.link.is_tls) {
        (true, _) => "by its Unix socket",
        (false, true) => "by TCP with TLS",
        (false, false) => "by TCP without TLS",
    };
    facts.server = format!("{} {way}", connection.server_version());
    Ok(facts)
}

/// Flushes of the redo log's files and of the binlog's, with their time in picoseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct Flushed {
    redo: (u64, u64),
    binlog: (u64, u64),
}

impl Flushed {
    /// MySQL manual, 'File I/O Summary Tables': the columns with MISC count what is neither read nor written, which is flushing here.
    const QUERY: &str = "SELECT event_name, CAST(count_misc AS UNSIGNED), CAST(sum_timer_misc AS UNSIGNED) \
                         FROM performance_schema.file_summary_by_event_name \
                         WHERE event_name IN ('wait/io/file/innodb/innodb_log_file', 'wait/io/file/sql/binlog')";

    /// Those until now; none if the server does not tell.
    pub(super) fn now(connection: &mut Connection) -> Self {
        Self::of(connection.query(Self::QUERY, ()).unwrap_or_default())
    }

    fn of(rows: Vec<(String, u64, u64)>) -> Self {
        let mut flushed = Self::default();
        for (name, count, picos) in rows {
            match name.ends_with("binlog") {
                true => flushed.binlog = (count, picos),
                false => flushed.redo = (count, picos),
            }
        }
        flushed
    }

    /// Those of the redo log and of the binlog since an earlier moment; `None` if there were none.
    pub(super) fn since(self, before: Self) -> (Option<Sync>, Option<Sync>) {
        let sync = |(count, picos): (u64, u64), before: (u64, u64)| {
            let count = count.saturating_sub(before.0);
            let mean = picos.saturating_sub(before.1).checked_div(count)?;
            Some(Sync { count, mean: Duration::from_nanos(mean / 1000) })
        };
        (sync(self.redo, before.redo), sync(self.binlog, before.binlog))
    }
}

struct Reader<'c> {
    connection: &'c mut Connection,
    facts: Facts,
    /// No query begins later.
    until: Instant,
}

impl Reader<'_> {
    /// Whether there is time for another query; if not, what is not known gets a line.
    fn has_time_for(&mut self, what: Option<&str>) -> bool {
        let has_time = Instant::now() < self.until;
        if let (false, Some(what)) = (has_time, what) {
            self.facts.unknown.push(format!("{what}: the server took too long to answer other queries"));
        }
        has_time
    }

    /// The rows of a query; none, and a line of what is not known, if it is refused.
    fn rows<T: for<'r> FromRow<'r>>(&mut self, what: &str, sql: &str) -> Vec<T> {
        if !self.has_time_for(Some(what)) {
            return Vec::new();
        }
        match self.connection.query(sql, ()) {
            Ok(rows) => rows,
            Err(error) => {
                self.facts.unknown.push(format!("{what}: {}", error.message()));
                Vec::new()
            }
        }
    }

    /// The rows of a query that many servers do not know; none if it is refused.
    fn rows_if_known<T: for<'r> FromRow<'r>>(&mut self, sql: &str) -> Vec<T> {
        match self.has_time_for(None) {
            true => self.connection.query(sql, ()).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    /// The rows of a query about the table, whose schema and name are its values. Without `what` a refusal is not listed.
    fn rows_of_table<T: for<'r> FromRow<'r>>(&mut self, what: Option<&str>, names: (&str, &str), sql: &str) -> Vec<T> {
        if !self.has_time_for(what) {
            return Vec::new();
        }
        self.connection.query(sql, names).unwrap_or_else(|error| {
            self.facts.unknown.extend(what.map(|what| format!("{what}: {}", error.message())));
            Vec::new()
        })
    }

    fn server(&mut self) {
        self.facts.variables = lower(self.rows("variables", "SHOW GLOBAL VARIABLES"));
        self.facts.status = lower(self.rows("counters", "SHOW GLOBAL STATUS"));
        let grants: Vec<(String,)> = self.rows("rights", "SHOW GRANTS");
        self.facts.grants = grants.into_iter().map(|(grant,)| grant).collect();
        let plugins: Vec<(String,)> = self.rows(
            "plugins",
            "SELECT LOWER(plugin_name) FROM information_schema.plugins WHERE plugin_status = 'ACTIVE'",
        );
        self.facts.plugins = plugins.into_iter().map(|(name,)| name).collect();
        let bytes: Vec<(Option<u64>,)> = self.rows(
            "sizes of tables",
            "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) FROM information_schema.tables WHERE engine = 'InnoDB'",
        );
        self.facts.innodb_bytes = bytes.first().and_then(|(bytes,)| *bytes);
    }

    /// What performance_schema has counted.
    fn performance(&mut self) {
        if self.facts.is_on("performance_schema") != Some(true) {
            self.facts.unknown.push(
                "times of commits and flushes: `performance_schema` is off (it takes a restart and some memory)".into(),
            );
            return;
        }
        let files = Flushed::of(self.rows("times of flushes", Flushed::QUERY));
        (self.facts.redo_sync, self.facts.binlog_sync) = files.since(Flushed::default());
        let sql = "SELECT event_name, CAST(sum_timer_wait AS UNSIGNED) \
                   FROM performance_schema.events_statements_summary_global_by_event_name WHERE event_name IN \
                   ('statement/sql/commit', 'statement/sql/insert', 'statement/sql/load', 'statement/sql/replace')";
        let statements: Vec<(String, u64)> = self.rows("times of statements", sql);
        let of = |is_commit: bool| {
            let picos =
                statements.iter().filter(|(name, _)| name.ends_with("commit") == is_commit).map(|(_, picos)| picos);
            Duration::from_nanos(picos.sum::<u64>() / 1000)
        };
        if !statements.is_empty() {
            self.facts.commit_time = Some((of(true), of(false)));
        }
    }

    fn replication(&mut self) {
        let threads: Vec<(i64,)> = self
            .rows("replicas", "SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'");
        self.facts.replicas = threads.first().and_then(|(n,)| u64::try_from(*n).ok());
        let members: Vec<(i64,)> = self.rows_if_known(
            "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE member_state = 'ONLINE'",
        );
        let of_group = members.first().and_then(|(n,)| u64::try_from(*n).ok()).filter(|n| *n > 0);
        let of_galera = self.facts.count("wsrep_cluster_size").filter(|n| *n > 0);
        self.facts.group_members = of_group.or(of_galera);
        let mut lag = None;
        let read = |connection: &mut Connection, sql: &str, lag: &mut Option<Option<u64>>| {
            connection.query_each(sql, (), |row| {
                let names = ["Seconds_Behind_Source", "Seconds_Behind_Master"];
                *lag = Some(names.iter().find_map(|name| row.get::<Option<u64>>(*name).ok().flatten()));
                Ok(())
            })
        };
        let outcome = read(self.connection, "SHOW REPLICA STATUS", &mut lag)
            .or_else(|_| read(self.connection, "SHOW SLAVE STATUS", &mut lag));
        match outcome {
            Ok(_) => self.facts.replica_of = lag,
            Err(error) => self.facts.unknown.push(format!("whether this is a replica: {}", error.message())),
        }
    }

    fn table(&mut self, name: Option<&TableName>, database: Option<&str>) -> Result<Option<Table>> {
        let Some(name) = name else { return Ok(None) };
        let TableName { schema, name } = name.clone().in_schema(database)?;
        let names = (schema.as_str(), name.as_str());
        let of = "table_schema = ? AND table_name = ?";
        let sql = format!(
            "SELECT COALESCE(engine, ''), COALESCE(row_format, ''), COALESCE(table_rows, 0), COALESCE(data_length, 0), \
             COALESCE(index_length, 0), auto_increment, COALESCE(create_options, ''), table_type \
             FROM information_schema.tables WHERE {of}"
        );
        type Row = (String, String, u64, u64, u64, Option<u64>, String, String);
        let row: Option<Row> = self.connection.query_first(&sql, names)?;
        let Some((engine, row_format, rows, data_bytes, index_bytes, next, options, kind)) = row else {
            return Err(Error::config(format!(
                "there is no table `{}` in `{schema}`, or this user may not see it",
                name
            )));
        };
        if !kind.contains("TABLE") {
            return Err(Error::config(format!("`{}` is no table but a {}", name, kind.to_lowercase())));
        }
        let mut table = Table {
            name: format!("{schema}.{name}"),
            schema: schema.clone(),
            table: name.clone(),
            engine,
            row_format,
            rows,
            data_bytes,
            index_bytes,
            encrypted: options.to_uppercase().contains("ENCRYPT") && !options.to_uppercase().contains("'N'"),
            ..Table::default()
        };
        let texts = |rows: Vec<(String,)>| rows.into_iter().map(|(text,)| text).collect::<Vec<_>>();
        table.insert_triggers = texts(self.rows_of_table(
            Some("triggers"),
            names,
            "SELECT trigger_name FROM information_schema.triggers WHERE event_manipulation = 'INSERT' \
                 AND event_object_schema = ? AND event_object_table = ?",
        ));
        table.parents = texts(self.rows_of_table(
            Some("foreign keys"),
            names,
            "SELECT referenced_table_name FROM information_schema.referential_constraints \
                 WHERE constraint_schema = ? AND table_name = ?",
        ));
        table.generated = texts(self.rows_of_table(
            Some("generated columns"),
            names,
            &format!(
                "SELECT column_name FROM information_schema.columns WHERE {of} AND extra LIKE '%STORED GENERATED%'"
            ),
        ));
        let partitions: Vec<(i64,)> = self.rows_of_table(
            Some("partitions"),
            names,
            &format!("SELECT COUNT(partition_name) FROM information_schema.partitions WHERE {of}"),
        );
        table.partitions = partitions.first().and_then(|(n,)| u64::try_from(*n).ok()).unwrap_or_default();
        let checks: Vec<(i64,)> = self.rows_of_table(
            None,
            names,
            &format!(
                "SELECT COUNT(*) FROM information_schema.table_constraints WHERE constraint_type = 'CHECK' AND {of}"
            ),
        );
        table.checks = checks.first().and_then(|(n,)| u64::try_from(*n).ok()).unwrap_or_default();
        let auto: Vec<(String,)> = self.rows_of_table(
            Some("AUTO_INCREMENT"),
            names,
            &format!("SELECT column_type FROM information_schema.columns WHERE {of} AND extra LIKE '%auto_increment%'"),
        );
        table.auto_increment = auto.first().and_then(|(ty,)| Some((next?, greatest(ty)?)));
        table.indexes = self.indexes(of, names);
        Ok(Some(table))
    }

    fn indexes(&mut self, of: &str, names: (&str, &str)) -> Vec<Index> {
        let sql = format!(
            "SELECT s.index_name, s.non_unique, s.index_type, COALESCE(s.column_name, '(expression)'), \
             COALESCE(c.column_type, ''), CAST(COALESCE(s.sub_part, c.character_maximum_length, 0) AS UNSIGNED), \
             CAST(COALESCE(c.character_octet_length, 0) AS UNSIGNED), CAST(COALESCE(c.character_maximum_length, 0) AS UNSIGNED) \
             FROM information_schema.statistics s LEFT JOIN information_schema.columns c \
             ON c.table_schema = s.table_schema AND c.table_name = s.table_name AND c.column_name = s.column_name \
             WHERE s.{} ORDER BY s.index_name = 'PRIMARY' DESC, s.index_name, s.seq_in_index",
            of.replace(" AND ", " AND s.")
        );
        type Row = (String, i64, String, String, String, u64, u64, u64);
        let rows: Vec<Row> = self.rows_of_table(Some("indexes"), names, &sql);
        let mut indexes: Vec<Index> = Vec::new();
        for (name, non_unique, kind, column, ty, chars, octets, all_chars) in rows {
            if indexes.last().is_none_or(|last| last.name != name) {
                let is_unique = non_unique == 0;
                indexes.push(Index { name, is_unique, kind, ..Index::default() });
            }
            let Some(index) = indexes.last_mut() else { continue };
            if octets.checked_div(all_chars).is_some_and(|bytes_a_char| bytes_a_char > 1) {
                index.by_language.push(column.clone());
            }
            index.bytes += match octets.checked_div(all_chars) {
                Some(bytes_a_char) => chars * bytes_a_char.max(1),
                None => width(&ty),
            };
            index.columns.push((column, ty));
        }
        let sql = "SELECT index_name, CAST(count_fetch AS UNSIGNED) FROM performance_schema.table_io_waits_summary_by_index_usage \
             WHERE object_schema = ? AND object_name = ? AND index_name IS NOT NULL";
        let reads: BTreeMap<String, u64> = self.rows_of_table::<(String, u64)>(None, names, sql).into_iter().collect();
        for index in &mut indexes {
            index.reads = reads.get(&index.name).copied();
        }
        indexes
    }
}

fn lower(rows: Vec<(String, String)>) -> BTreeMap<String, String> {
    rows.into_iter().map(|(name, value)| (name.to_lowercase(), value)).collect()
}

/// The greatest value of an integer type as the server spells it.
pub(super) fn greatest(ty: &str) -> Option<u64> {
    let bits = [("tinyint", 8), ("smallint", 16), ("mediumint", 24), ("int", 32), ("bigint", 64)];
    let (_, bits) = bits.iter().find(|(name, _)| ty.starts_with(name))?;
    let unsigned = ty.contains("unsigned");
    Some(u64::MAX >> (64 - bits) >> u32::from(!unsigned))
}

/// The bytes of a value of a type without a character set, roughly as InnoDB stores it.
pub(super) fn width(ty: &str) -> u64 {
    const WIDTHS: [(&str, u64); 14] = [
        ("tinyint", 1),
        ("smallint", 2),
        ("mediumint", 3),
        ("int", 4),
        ("bigint", 8),
        ("float", 4),
        ("double", 8),
        ("datetime", 8),
        ("date", 3),
        ("timestamp", 7),
        ("time", 6),
        ("year", 1),
        ("uuid", 16),
        ("enum", 2),
    ];
    WIDTHS.iter().find(|(name, _)| ty.starts_with(name)).map_or(8, |(_, bytes)| *bytes)
}

/// A query may take so long.
const LIMIT: Duration = Duration::from_secs(3);
/// No query begins after so long, and no measurement of the network: all of it ends in ten seconds.
const READING: Duration = Duration::from_secs(4);
const MEASURING: Duration = Duration::from_secs(7);
