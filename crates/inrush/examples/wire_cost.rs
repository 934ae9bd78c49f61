//! What compression costs and saves: a CSV file into a table and all rows back, through one connection.
//!
//! ```text
//! wire_cost URL DDL FILE COMPRESSION..      e.g. wire_cost mysql://app@db/scratch 'id BIGINT, name VARCHAR(64)' rows.csv none zlib:1 zstd:3
//! ```
//! Bytes are those that the server counts on its side of the socket; CPU is that of this process and of the server's
//! thread for the connection (so server and program share a machine). Replaces the table `wire_cost`.
#![allow(clippy::print_stdout)]

use inrush::blocking::Connection;
use inrush::{Config, Error, Result};
use std::time::Instant;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, ddl, file, compressions @ ..] = &arguments[..] else {
        return Err(Error::config("usage: wire_cost URL DDL FILE COMPRESSION.."));
    };
    let text = std::fs::read(file).map_err(|e| Error::io(format!("cannot read `{file}`"), e))?;
    println!(
        "| compression | | MB to the server | MB from it | our CPU s | server CPU s | wall s |\n|---|---|---|---|---|---|---|"
    );
    for compression in compressions {
        let config =
            Config::parse(url)?.with_local_infile(true).with_compression(compression.parse::<inrush::Compression>()?);
        let mut connection = Connection::connect(&config)?;
        connection.execute("DROP TABLE IF EXISTS wire_cost", ())?;
        connection.execute(&format!("CREATE TABLE wire_cost ({ddl})"), ())?;
        measure(&mut connection, compression, "load", |connection| load(connection, &text))?;
        measure(&mut connection, compression, "read", read)?;
        connection.execute("DROP TABLE wire_cost", ())?;
    }
    Ok(())
}

fn load(connection: &mut Connection, text: &[u8]) -> Result<()> {
    let statement = |name: &str| {
        format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE wire_cost CHARACTER SET utf8mb4 FIELDS TERMINATED BY ','")
    };
    let header = text.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut rest = &text[header..];
    while !rest.is_empty() {
        let at_most = rest.len().min(CHUNK);
        let end = rest[..at_most].iter().rposition(|&byte| byte == b'\n').map_or(at_most, |end| end + 1);
        connection.load_local(statement, &rest[..end])?;
        rest = &rest[end..];
    }
    Ok(())
}

fn read(connection: &mut Connection) -> Result<()> {
    let mut n_rows = 0;
    connection.query_each("SELECT * FROM wire_cost", (), |_| {
        n_rows += 1;
        Ok(())
    })?;
    assert!(n_rows > 0, "nothing was loaded");
    Ok(())
}

fn measure(
    connection: &mut Connection,
    compression: &str,
    what: &str,
    work: impl Fn(&mut Connection) -> Result<()>,
) -> Result<()> {
    let server_thread = server_thread(connection)?;
    let ours = "/proc/self/stat".to_owned();
    let (bytes, cpu, began) = (n_bytes(connection)?, (cpu(&ours)?, cpu(&server_thread)?), Instant::now());
    work(connection)?;
    let wall = began.elapsed().as_secs_f64();
    let cpu = (self::cpu(&ours)? - cpu.0, self::cpu(&server_thread)? - cpu.1);
    let after = n_bytes(connection)?;
    let mb = |from: u64, to: u64| (to - from) as f64 / 1e6;
    println!(
        "| {compression} | {what} | {:.2} | {:.2} | {:.2} | {:.2} | {wall:.2} |",
        mb(bytes.0, after.0),
        mb(bytes.1, after.1),
        cpu.0,
        cpu.1
    );
    Ok(())
}

/// Received and sent by the server on this connection.
fn n_bytes(connection: &mut Connection) -> Result<(u64, u64)> {
    let rows: Vec<(String, String)> =
        connection.query("SHOW SESSION STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')", ())?;
    let of = |name: &str| rows.iter().find(|row| row.0 == name).and_then(|row| row.1.parse().ok()).unwrap_or(0);
    Ok((of("Bytes_received"), of("Bytes_sent")))
}

/// Where the system tells about the server's thread for this connection.
fn server_thread(connection: &mut Connection) -> Result<String> {
    let pid_file: String = connection.query_one("SELECT @@pid_file", ())?;
    let pid = std::fs::read_to_string(&pid_file).map_err(|e| Error::io(format!("cannot read `{pid_file}`"), e))?;
    // Only some servers have the first column, and not all of the others have performance_schema on.
    let tid = "SELECT TID FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()";
    let os_id = "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()";
    let thread: u64 = connection.query_one(tid, ()).or_else(|_| connection.query_one(os_id, ()))?;
    Ok(format!("/proc/{}/task/{thread}/stat", pid.trim()))
}

/// User and system time in seconds.
fn cpu(stat: &str) -> Result<f64> {
    let text = std::fs::read_to_string(stat).map_err(|e| Error::io(format!("cannot read `{stat}`"), e))?;
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(ticks as f64 / TICKS_PER_SECOND)
}

/// As `inrush load` cuts large files.
const CHUNK: usize = 16 << 20;
/// Linux, everywhere.
const TICKS_PER_SECOND: f64 = 100.0;
