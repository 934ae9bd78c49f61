//! What must be known of a machine and a server before its numbers mean anything.

use crate::results::{Machine, Run, Server};
use crate::wrap::wrapped;
use inrush::blocking::Connection;
use inrush::sans_io::Result;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The machine this runs on. Unknown facts are left out.
pub fn machine() -> Machine {
    let line = |file: &str, start: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(start))?;
        Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
    };
    let kib = line("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let uname = rustix::system::uname();
    Machine {
        cpu: line("/proc/cpuinfo", "model name"),
        cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        memory: kib.map(|kib| kib * 1024),
        kernel: Some(format!("{} {}", uname.sysname().to_string_lossy(), uname.release().to_string_lossy())),
        busy: busy_for(LOOK_FOR),
        load_average: line("/proc/loadavg", "").and_then(|text| text.split(' ').next()?.parse().ok()),
    }
}

/// The share of the processors that is in use for so long.
fn busy_for(time: Duration) -> Option<f64> {
    let read = || processor_time(&std::fs::read_to_string("/proc/stat").ok()?);
    let (idle, all) = read()?;
    std::thread::sleep(time);
    let (idle_then, all_then) = read()?;
    let (idle, all) = (idle_then.checked_sub(idle)?, all_then.checked_sub(all).filter(|all| *all > 0)?);
    Some(1.0 - idle as f64 / all as f64)
}

/// Ticks of all processors since the start: idle ones (also while they wait for a disk), and all.
fn processor_time(stat: &str) -> Option<(u64, u64)> {
    let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map(|number| number.parse().ok());
    // Time of guests is within that of their hosts.
    let ticks = ticks.take(8).collect::<Option<Vec<u64>>>()?;
    Some((ticks.get(3)? + ticks.get(4)?, ticks.iter().sum()))
}

/// Long enough for ticks of a hundredth of a second.
const LOOK_FOR: Duration = Duration::from_millis(300);

/// The server at the other end. `transport` is how it is reached.
///
/// # Errors
/// Those of the server.
pub fn server(connection: &mut Connection, transport: &str) -> Result<Server> {
    let mut settings = BTreeMap::new();
    let names = SETTINGS.map(|name| format!("'{name}'")).join(", ");
    let sql = format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})");
    for (name, value) in connection.query::<(String, String)>(&sql, ())? {
        settings.insert(name, value);
    }
    let cipher: Option<(String, String)> = connection.query_opt("SHOW SESSION STATUS LIKE 'Ssl_cipher'", ())?;
    Ok(Server {
        version: connection.server_version().to_string(),
        transport: transport.into(),
        tls: cipher.map(|(_, cipher)| cipher).filter(|cipher| !cipher.is_empty()),
        round_trip: round_trip(connection)?,
        settings,
    })
}

/// The server's process, if it runs on this machine and is visible.
#[derive(Clone, Debug)]
pub struct ServerProcess {
    pid: u32,
    /// The folder of its threads, in `/proc`.
    tasks: PathBuf,
}

impl ServerProcess {
    /// Finds it by the name of the machine, and the number in the server's pid file.
    pub fn find(connection: &mut Connection) -> Option<Self> {
        let sql = "SELECT @@hostname, @@datadir, @@pid_file";
        let (host, data, pid_file): (String, String, String) = connection.query_one(sql, ()).ok()?;
        if rustix::system::uname().nodename().to_string_lossy() != host.as_str() {
            return None;
        }
        let pid: u32 = fs::read_to_string(Path::new(&data).join(pid_file)).ok()?.trim().parse().ok()?;
        let process = PathBuf::from(format!("/proc/{pid}"));
        // The file of an ended server may name any process.
        let command = fs::read(process.join("cmdline")).ok()?;
        let is_server = ["mysqld", "mariadbd"].iter().any(|name| String::from_utf8_lossy(&command).contains(name));
        is_server.then(|| Self { pid, tasks: process.join("task") })
    }

    /// Its number.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The processor time of all its current threads (`schedstat`, see proc(5)). Only the difference of two calls is meaningful.
    pub fn cpu(&self) -> Option<Duration> {
        let mut nanos = 0;
        for task in fs::read_dir(&self.tasks).ok()?.flatten() {
            // A thread may end meanwhile.
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            nanos += text.split(' ').next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        }
        (nanos > 0).then(|| Duration::from_nanos(nanos))
    }
}

/// The heading of a table: the server, its transport, the machine, the settings.
pub fn shown(run: &Run, width: usize) -> String {
    let Run { inrush, machine, server, .. } = run;
    let tls = server.tls.as_deref().unwrap_or("no TLS");
    let gib = machine.memory.map(|bytes| format!(", {:.0} GiB", bytes as f64 / GIB)).unwrap_or_default();
    let settings = server.settings.iter().map(|(name, value)| format!("{name}={value}"));
    let mut text = format!(
        "inrush {} on {} cores ({}){gib}, {}\n",
        inrush.version,
        machine.cores,
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.kernel.as_deref().unwrap_or("unknown kernel"),
    );
    text +=
        &format!("{} by {}, {tls}, round trip {:.0} us\n", server.version, server.transport, server.round_trip * 1e6);
    text += &wrapped(settings, width, "");
    text
}

const GIB: f64 = (1 << 30) as f64;

/// The median of some pings, in seconds.
pub(crate) fn round_trip(connection: &mut Connection) -> Result<f64> {
    let mut seconds = Vec::new();
    for _ in 0..PINGS {
        let start = Instant::now();
        connection.ping()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[PINGS / 2])
}

const PINGS: usize = 21;

/// Variables that change what a write costs, of both vendors; a server shows those that it has.
const SETTINGS: [&str; 36] = [
    "aria_checkpoint_interval",
    "autocommit",
    "binlog_format",
    "binlog_group_commit_sync_delay",
    "binlog_row_image",
    "binlog_transaction_compression",
    "character_set_server",
    "collation_server",
    "innodb_autoinc_lock_mode",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_doublewrite",
    "innodb_fast_shutdown",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_page_size",
    "innodb_redo_log_capacity",
    "innodb_use_native_aio",
    "local_infile",
    "log_bin",
    "log_slow_query",
    "max_allowed_packet",
    "max_connections",
    "performance_schema",
    "query_cache_type",
    "slow_query_log",
    "sql_mode",
    "sync_binlog",
    "sync_relay_log",
    "transaction_isolation",
    "tx_isolation",
    "version_comment",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_in_use() {
        let stat = "cpu  10 1 5 80 4 0 0 0 9 9\ncpu0 10 1 5 80 4 0 0 0 0 0\n";
        assert_eq!(processor_time(stat), Some((84, 100)));
        assert_eq!(processor_time("intr 5"), None);
        assert!(busy_for(Duration::from_millis(50)).is_none_or(|share| (0.0..=1.0).contains(&share)));
    }
}
