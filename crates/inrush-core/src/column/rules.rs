//! The facts that a check needs besides the column: the server, the session's time zone, and the server's table for it.

use crate::profile::Profile;
use jiff::tz::TimeZone;
use std::ops::Range;
use std::sync::Arc;

/// The facts that hold for every column of one session.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The session's `time_zone`: a fixed offset (`TimeZone::fixed`) or a named zone that the server has too.
    pub zone: TimeZone,
    /// What is known of the server's table for a named zone.
    pub tables: ZoneTables,
    /// The features of the server that will check the values.
    pub profile: Profile,
    /// The session's `sql_mode` has no NO_ZERO_DATE.
    pub zero_dates: bool,
}

impl Rules {
    /// The rules of a session in UTC.
    pub fn utc(server: impl Into<Profile>) -> Self {
        Self::new(TimeZone::UTC, server)
    }

    /// The rules of a session in `zone`. The server's table of a named zone is not known.
    pub fn new(zone: TimeZone, server: impl Into<Profile>) -> Self {
        let tables = if zone.to_fixed_offset().is_ok() { ZoneTables::same() } else { ZoneTables::NotCompared };
        Self { zone, tables, profile: server.into(), zero_dates: false }
    }
}

/// What is known about the server's table for the session's zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZoneTables {
    /// Nothing.
    NotCompared,
    /// It differs from ours in these Unix seconds, sorted.
    DifferIn(Arc<[Range<i64>]>),
}

impl ZoneTables {
    /// The state for a zone that needs no table.
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
