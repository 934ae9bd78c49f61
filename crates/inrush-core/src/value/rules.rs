//! What a check must know besides the column: the server and the session's time zone.

use crate::wire::{ServerVersion, Vendor};
use jiff::tz::TimeZone;

/// What holds for every column of one session.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The session's `time_zone`: a fixed offset (`TimeZone::fixed`) or a named zone that the server has too.
    pub zone: TimeZone,
    /// The server that will judge the values.
    pub server: ServerVersion,
}

impl Rules {
    /// Those of a session in UTC.
    pub fn utc(server: ServerVersion) -> Self {
        Self { zone: TimeZone::UTC, server }
    }

    pub(crate) fn is_mariadb(&self) -> bool {
        self.server.vendor == Vendor::MariaDb
    }

    /// The last second a TIMESTAMP holds, as a Unix time. MariaDB reads its 4 bytes as unsigned since 11.5, on 64-bit
    /// systems.
    pub fn timestamp_max(&self) -> i64 {
        if self.is_mariadb() && self.server.is_at_least(11, 5, 0) { u32::MAX.into() } else { i32::MAX.into() }
    }

    /// Levels of nesting that a JSON document may have.
    pub fn json_depth(&self) -> usize {
        if self.is_mariadb() { 31 } else { 100 }
    }

    /// The function that makes a VECTOR of a text such as `[1,2,3]`.
    pub fn vector_from_text(&self) -> &'static str {
        if self.is_mariadb() { "VEC_FromText" } else { "STRING_TO_VECTOR" }
    }
}
