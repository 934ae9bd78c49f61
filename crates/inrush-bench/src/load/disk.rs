//! What a load costs the server's disk, as the server counts it: the size of the table's file, and pages read and written.

use inrush::blocking::Connection;
use inrush::sans_io::Result;

/// Pages of data files since the server's start, of all its users.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    pub(super) read: u64,
    pub(super) written: u64,
}

impl Pages {
    /// Returns `None` if the server does not count them.
    pub(super) fn so_far(connection: &mut Connection) -> Result<Option<Self>> {
        let sql = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_pages_read', 'Innodb_pages_written')";
        let counts: Vec<(String, u64)> = connection.query(sql, ())?;
        let of = |name: &str| counts.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, n)| *n);
        Ok(of("Innodb_pages_read").zip(of("Innodb_pages_written")).map(|(read, written)| Self { read, written }))
    }

    /// How many more than `then`.
    pub(super) fn since(self, then: Self) -> Self {
        Self { read: self.read.saturating_sub(then.read), written: self.written.saturating_sub(then.written) }
    }
}

/// Bytes of the table's file. Returns `None` where the user may not know them (they take the privilege PROCESS).
pub(super) fn table_bytes(connection: &mut Connection, schema: &str, table: &str) -> Option<u64> {
    let name = format!("{schema}/{table}");
    let of = |view: &str| format!("SELECT file_size FROM information_schema.{view} WHERE name = ?");
    // A server has one of the two.
    VIEWS.iter().find_map(|view| connection.query_opt(&of(view), (name.as_str(),)).ok().flatten())
}

const VIEWS: [&str; 2] = ["innodb_tablespaces", "innodb_sys_tablespaces"];
