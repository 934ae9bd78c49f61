//! Measures a case that writes: elapsed time, processor time of both sides, bytes on the wire.

use crate::results::Sample;
use inrush::blocking::Connection;
use inrush::sans_io::Result;
use std::time::Duration;

/// The result of one run of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// From the first byte sent to the last answer.
    pub took: Duration,
    /// Processor time of the client meanwhile.
    pub client_cpu: Duration,
    /// Processor time of the server, if it can be read.
    pub server_cpu: Option<Duration>,
    /// Rows that are stored (changed, deleted).
    pub rows: u64,
    /// The time ran out first.
    pub cut: bool,
    /// Bytes to the server and from it, as it counts them.
    pub bytes: Option<(u64, u64)>,
}

impl Written {
    /// As a record; the caller adds the case and the round.
    pub fn sample(&self) -> Sample {
        Sample {
            seconds: self.took.as_secs_f64(),
            rows: self.rows,
            cut: self.cut,
            client_cpu: Some(self.client_cpu.as_secs_f64()),
            server_cpu: self.server_cpu.map(|cpu| cpu.as_secs_f64()),
            bytes_sent: self.bytes.map(|(sent, _)| sent),
            bytes_received: self.bytes.map(|(_, received)| received),
            ..Sample::default()
        }
    }
}

/// Bytes of a session so far, to the server and from it.
pub(crate) fn traffic(connection: &mut Connection) -> Result<(u64, u64)> {
    let sql = "SHOW SESSION STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')";
    let rows: Vec<(String, u64)> = connection.query(sql, ())?;
    let of = |name: &str| rows.iter().find(|row| row.0.eq_ignore_ascii_case(name)).map_or(0, |row| row.1);
    Ok((of("Bytes_received"), of("Bytes_sent")))
}

/// How much each of two counters of the server has grown; 0 if the server restarted its counter.
pub(crate) fn more(now: (u64, u64), then: (u64, u64)) -> (u64, u64) {
    (now.0.saturating_sub(then.0), now.1.saturating_sub(then.1))
}
