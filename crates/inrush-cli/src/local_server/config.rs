//! The texts that the server and its clients read: option files and the statements of a start. Pure, but for the size of
//! the machine's memory.

use std::fmt::Write as _;
use std::path::Path;

use inrush_core::{Error, Result};

use super::home::Home;
use super::program::Vendor;

/// The input of an option file.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    pub(super) home: &'a Home,
    pub(super) vendor: Vendor,
    pub(super) port: u16,
    pub(super) buffer_pool: u64,
    pub(super) extra: &'a [String],
}

/// The server's options: reachable from this machine only, fast at bulk work, and as durable as a server in production.
pub(super) fn server_options(settings: &Settings<'_>) -> Result<String> {
    let home = settings.home;
    let mut text = place_options(home)?;
    let _ = write!(
        text,
        "socket = {}\npid-file = {}\ninit-file = {}\nsecure-file-priv = {}\n",
        quoted(&home.socket())?,
        quoted(&home.path("mysqld.pid"))?,
        quoted(&home.path("init.sql"))?,
        quoted(&home.path("files"))?,
    );
    let _ = write!(
        text,
        "bind-address = 127.0.0.1\nport = {}\nskip-name-resolve\nlocal-infile = 1\nmax-connections = 300\n\
         max-allowed-packet = 64M\ninnodb-flush-log-at-trx-commit = 1\ninnodb-doublewrite = 1\ninnodb-buffer-pool-size = {}\n",
        settings.port, settings.buffer_pool
    );
    // A redo log of the default size makes a bulk load wait for pages to be written; there are no replicas of this server,
    // so it needs no binary log.
    text.push_str(match settings.vendor {
        Vendor::Mysql => "innodb-redo-log-capacity = 1G\nskip-log-bin\nmysqlx = 0\n",
        Vendor::Mariadb => "innodb-log-file-size = 512M\nskip-log-bin\n",
    });
    for line in settings.extra {
        check_extra(line)?;
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

/// The few options that making a data folder needs, and those of `set`.
pub(super) fn initialise_options(home: &Home, set: &[String]) -> Result<String> {
    let mut text = place_options(home)? + "innodb-buffer-pool-size = 64M\n";
    for line in set {
        check_extra(line)?;
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

/// Whether a line sets what only making the data can choose.
pub(super) fn is_of_data(line: &str) -> bool {
    OF_DATA.contains(&name_of(line).as_str())
}

/// Run at each start before the first connection, so that a start completes an interrupted one.
/// `password` consists of letters and digits.
pub(super) fn first_statements(password: &str) -> String {
    format!(
        "ALTER USER root@localhost IDENTIFIED BY '{password}';\n\
         CREATE USER IF NOT EXISTS root@'127.0.0.1';\n\
         ALTER USER root@'127.0.0.1' IDENTIFIED BY '{password}';\n\
         GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n\
         CREATE DATABASE IF NOT EXISTS test;\n"
    )
}

/// Options for client programs, with the password: for a file that only the owner can read.
pub(super) fn client_options(socket: &Path, password: &str) -> Result<String> {
    Ok(format!(
        "[client]\ndefault-character-set = utf8mb4\nuser = root\npassword = {password}\nsocket = {}\n",
        quoted(socket)?
    ))
}

/// A quarter of the machine's memory, at least 128 MiB and at most 2 GiB: enough for tables of a few million rows, and
/// room for everything else on the machine.
pub(super) fn share_of_memory() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = info
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok())
        .unwrap_or_default();
    (kib * 1024 / 4).clamp(128 << 20, 2 << 30)
}

fn place_options(home: &Home) -> Result<String> {
    Ok(format!(
        "[mysqld]\ndatadir = {}\ntmpdir = {}\nlog-error = {}\n",
        quoted(&home.data())?,
        quoted(&home.path("tmp"))?,
        quoted(&home.log())?,
    ))
}

/// A path as a value of an option file, where `#` begins a comment and a backslash an escape.
fn quoted(path: &Path) -> Result<String> {
    let text = path.to_str().filter(|text| !text.chars().any(|c| c.is_control() || c == '"'));
    let text = text.ok_or_else(|| {
        Error::config(format!("the path {path:?} cannot be written to an option file"))
            .with_hint("name a folder without quotes and control characters with `--dir`")
    })?;
    Ok(format!("\"{}\"", text.replace('\\', "\\\\")))
}

/// The option of a line, as manuals write it on a command line.
fn name_of(line: &str) -> String {
    let name = line.split('=').next().unwrap_or_default().trim().to_ascii_lowercase().replace('_', "-");
    name.strip_prefix("loose-").map(str::to_owned).unwrap_or(name)
}

fn check_extra(line: &str) -> Result<()> {
    let name = line.split('=').next().unwrap_or_default().trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if !is_name || line.contains(['\n', '\r']) {
        return Err(Error::config(format!("`{line}` is not a server option")).with_hint("write `--set name=value`"));
    }
    let name = name_of(line);
    if OURS.contains(&name.as_str()) {
        return Err(Error::config(format!("`{name}` belongs to inrush, which must know it to find the server again")));
    }
    Ok(())
}

/// Options for the server's folder, its addresses and its access rules.
const OURS: &[&str] = &[
    "datadir",
    "socket",
    "port",
    "pid-file",
    "init-file",
    "log-error",
    "bind-address",
    "user",
    "tmpdir",
    "skip-grant-tables",
    "skip-networking",
];

/// Options that a server heeds only when its data are made, and refuses to start without afterwards.
const OF_DATA: &[&str] =
    &["innodb-page-size", "innodb-data-file-path", "innodb-undo-tablespaces", "lower-case-table-names"];

#[cfg(test)]
mod tests;
