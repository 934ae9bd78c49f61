//! What a check must know besides the column: the server, the session's time zone, and the server's table for it.

use crate::wire::{ServerVersion, Vendor};
use jiff::tz::TimeZone;
use std::ops::Range;
use std::sync::Arc;

/// What holds for every column of one session.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The session's `time_zone`: a fixed offset (`TimeZone::fixed`) or a named zone that the server has too.
    pub zone: TimeZone,
    /// What is known of the server's table for a named zone.
    pub tables: ZoneTables,
    /// The server that will judge the values.
    pub server: ServerVersion,
}

impl Rules {
    /// Those of a session in UTC.
    pub fn utc(server: ServerVersion) -> Self {
        Self::new(TimeZone::UTC, server)
    }

    /// Those of a session in `zone`. The server's table of a named zone is not known.
    pub fn new(zone: TimeZone, server: ServerVersion) -> Self {
        let tables = if zone.to_fixed_offset().is_ok() { ZoneTables::same() } else { ZoneTables::NotCompared };
        Self { zone, tables, server }
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

/// What is known of the server's table for the session's zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZoneTables {
    /// Nothing.
    NotCompared,
    /// It differs from ours in these Unix seconds, sorted.
    DifferIn(Arc<[Range<i64>]>),
}

impl ZoneTables {
    /// That of a zone that needs no table.
    pub fn same() -> Self {
        Self::DifferIn(Arc::new([]))
    }

    /// Whether another instant may be stored for this one.
    pub(crate) fn differ_at(&self, second: i64) -> bool {
        match self {
            Self::NotCompared => false,
            Self::DifferIn(ranges) => ranges.iter().any(|range| range.contains(&second)),
        }
    }
}
