//! The rows that a server writes in each second: its counter is read once a second, on a connection of its own.

use crate::results::Tick;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A thread that reads the counter until the value is stopped or dropped.
pub(super) struct ServerSeconds {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Tick>>>,
}

impl ServerSeconds {
    /// Begins with second 0.
    ///
    /// # Errors
    /// Those of connecting.
    pub(super) fn watch(config: &Config) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        let before = rows(&mut connection)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = thread::spawn(move || watch(&mut connection, before, &seen));
        Ok(Self { is_over, thread: Some(thread) })
    }

    /// The rows of each second until now; the last second is a part of one.
    pub(super) fn stop(mut self) -> Vec<Tick> {
        self.end()
    }

    fn end(&mut self) -> Vec<Tick> {
        self.is_over.store(true, Relaxed);
        let Some(thread) = self.thread.take() else { return Vec::new() };
        thread.thread().unpark();
        thread.join().unwrap_or_default()
    }
}

impl Drop for ServerSeconds {
    fn drop(&mut self) {
        self.end();
    }
}

fn watch(connection: &mut Connection, mut before: u64, is_over: &AtomicBool) -> Vec<Tick> {
    let (began, mut ticks) = (Instant::now(), Vec::new());
    for second in 0.. {
        let due = Duration::from_secs(u64::from(second) + 1);
        while !is_over.load(Relaxed) && began.elapsed() < due {
            thread::park_timeout(due.saturating_sub(began.elapsed()));
        }
        // What was counted until here is right; the server may be gone now.
        let Ok(now) = rows(connection) else { break };
        ticks.push(Tick { second, rows: now.saturating_sub(before), errors: 0 });
        before = now;
        if is_over.load(Relaxed) {
            break;
        }
    }
    ticks
}

/// Rows that were inserted since the server's start, into any table. A server without a counter of InnoDB's rows has that of its engines.
fn rows(connection: &mut Connection) -> Result<u64> {
    let sql = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_rows_inserted', 'Handler_write')";
    let counts: Vec<(String, u64)> = connection.query(sql, ())?;
    let is_of_innodb = |count: &&(String, u64)| count.0.eq_ignore_ascii_case("Innodb_rows_inserted");
    Ok(counts.iter().find(is_of_innodb).or(counts.first()).map_or(0, |(_, rows)| *rows))
}
