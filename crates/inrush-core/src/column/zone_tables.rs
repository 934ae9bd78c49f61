//! Whether our zone data and the server's zone tables are the same, for the times that a TIMESTAMP holds.
//!
//! A TIMESTAMP is an instant, and a server accepts only the clock of the session's zone for it. So an instant passes two tables:
//! ours converts it to a clock, and the server's converts the clock to an instant. Where they differ, another instant would be
//! stored. The server is queried once: for its offset at each midnight of UTC, and for the instants to which it converts the
//! clock next to each change of our zone. Times for which they differ are refused.
//!
//! Invariant: after [`Differences::new`] and [`Differences::compare`], an instant that is in no difference and whose clock shows
//! its time once is stored unchanged. A zone that changes twice within a day, and back, is not detected.

use super::{Rules, ZoneTables};
use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, TimeZone};
use std::fmt::Write as _;
use std::ops::Range;

/// The known differences of both tables.
#[derive(Clone, Debug)]
pub struct Differences<'a> {
    zone: &'a TimeZone,
    max: i64,
    ranges: Vec<Range<i64>>,
}

impl<'a> Differences<'a> {
    /// Returns the query for the server's offsets, in a session of the zone: rows of a day since 1970, and the seconds by which
    /// the offset at the day's end differs from that at its beginning, where it does. Day 0 is the offset at its end.
    pub fn offsets_query(rules: &Rules) -> String {
        let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
                      UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
        format!(
            "SELECT 0, TIMESTAMPDIFF(SECOND, '1970-01-02 00:00:00', FROM_UNIXTIME({DAY})) \
             UNION ALL SELECT n, TIMESTAMPDIFF(SECOND, FROM_UNIXTIME(n*{DAY}), FROM_UNIXTIME((n+1)*{DAY}))-{DAY} FROM \
             (SELECT a.d+10*b.d+100*c.d+1000*e.d+10000*f.d AS n FROM {digits} a, {digits} b, {digits} c, {digits} e, {digits} f) days \
             WHERE n BETWEEN 1 AND {} AND TIMESTAMPDIFF(SECOND, FROM_UNIXTIME(n*{DAY}), FROM_UNIXTIME((n+1)*{DAY}))<>{DAY}",
            rules.profile.timestamp_max / DAY - 1
        )
    }

    /// `shifts` are the rows of [`Differences::offsets_query`].
    pub fn new(rules: &'a Rules, shifts: &[(i64, i64)]) -> Self {
        let (zone, max) = (&rules.zone, rules.profile.timestamp_max);
        let mut shifts = shifts.to_vec();
        shifts.sort_unstable();
        let mut shifts = shifts.into_iter().peekable();
        let mut theirs = shifts.next_if(|(day, _)| *day == 0).map(|(_, offset)| offset);
        let mut found = Self { zone, max, ranges: Vec::new() };
        for day in 1..=max / DAY {
            let ours = offset_at(zone, day * DAY);
            if theirs.is_none() || ours != theirs {
                found.add(day * DAY);
            }
            if let Some((_, shift)) = shifts.next_if(|(of, _)| *of == day) {
                theirs = theirs.map(|offset| offset + shift);
            }
        }
        found
    }

    /// Instants next to the changes of our zone, whose clocks the server is to read.
    pub fn probes(&self) -> Vec<i64> {
        let mut probes = vec![1, DAY / 2, self.max - DAY / 2, self.max];
        let mut before = offset_at(self.zone, 0);
        for change in self.zone.following(Timestamp::UNIX_EPOCH) {
            let at = change.timestamp().as_second();
            if at > self.max {
                break;
            }
            let after = Some(i64::from(change.offset().seconds()));
            // A clock time that occurs twice is refused in any case.
            let twice = before.zip(after).map_or(0, |(before, after)| (before - after).max(0));
            if before != after {
                probes.extend([at - twice - 1, at + twice]);
            }
            before = after;
        }
        probes.retain(|at| (1..=self.max).contains(at));
        probes
    }

    /// The query for the instants to which the server converts the clocks at `probes`: one row, a column each.
    pub fn probes_query(&self, probes: &[i64]) -> String {
        let mut query = String::from("SELECT ");
        for (i, at) in probes.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let clock = Timestamp::from_second(*at).unwrap_or_default().to_zoned(self.zone.clone()).datetime();
            let _ = write!(query, "{comma}UNIX_TIMESTAMP('{} {}')", clock.date(), clock.time());
        }
        query
    }

    /// Adds the server's instants for `probes`.
    pub fn compare(&mut self, probes: &[i64], answer: &[String]) {
        for (i, at) in probes.iter().enumerate() {
            let is_clear = self.is_clear(*at);
            let said =
                answer.get(i).and_then(|text| text.split('.').next()).and_then(|second| second.parse::<i64>().ok());
            if is_clear && said != Some(*at) {
                self.add(*at);
            }
        }
    }

    /// Returns the differences known so far.
    pub fn finish(self) -> ZoneTables {
        ZoneTables::DifferIn(self.ranges.into())
    }

    fn is_clear(&self, at: i64) -> bool {
        let Ok(at) = Timestamp::from_second(at) else { return false };
        let clock = at.to_zoned(self.zone.clone()).datetime();
        matches!(self.zone.to_ambiguous_timestamp(clock).offset(), AmbiguousOffset::Unambiguous { .. })
    }

    /// Within a day of a known difference, there may be another one.
    fn add(&mut self, at: i64) {
        self.ranges.push(at - DAY..at + DAY + 1);
        self.ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<i64>> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.drain(..) {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        self.ranges = merged;
    }
}

fn offset_at(zone: &TimeZone, second: i64) -> Option<i64> {
    let at = Timestamp::from_second(second).ok()?;
    Some(zone.to_offset(at).seconds().into())
}

const DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ServerVersion;

    fn rules(zone: &str) -> Rules {
        Rules::new(TimeZone::get(zone).unwrap(), ServerVersion::parse("9.7.4"))
    }

    /// What a server with the tables of `zone` answers.
    #[allow(clippy::type_complexity)]
    fn answers(zone: &str) -> (Vec<(i64, i64)>, impl Fn(&Differences<'_>, &[i64]) -> Vec<String>) {
        let zone = TimeZone::get(zone).unwrap();
        let offset = |day: i64| offset_at(&zone, day * DAY).unwrap();
        let last = i64::from(i32::MAX) / DAY - 1;
        let shifts = (1..=last).map(|day| (day, offset(day + 1) - offset(day))).filter(|(_, shift)| *shift != 0);
        let shifts = [(0, offset(1))].into_iter().chain(shifts).collect();
        let reads = move |ours: &Differences<'_>, probes: &[i64]| {
            let read = |at: &i64| {
                let clock = Timestamp::from_second(*at).unwrap().to_zoned(ours.zone.clone()).datetime();
                zone.to_timestamp(clock).unwrap().as_second().to_string()
            };
            probes.iter().map(read).collect()
        };
        (shifts, reads)
    }

    fn compared(ours: &str, theirs: &str) -> ZoneTables {
        let rules = rules(ours);
        let (shifts, reads) = answers(theirs);
        let mut differences = Differences::new(&rules, &shifts);
        let probes = differences.probes();
        let answer = reads(&differences, &probes);
        differences.compare(&probes, &answer);
        differences.finish()
    }

    #[test]
    fn the_same_tables() {
        for zone in ["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/New_York", "Asia/Kolkata"] {
            assert_eq!(compared(zone, zone), ZoneTables::same(), "{zone}");
        }
    }

    #[test]
    fn other_rules() {
        let tables = compared("Europe/Berlin", "Europe/London");
        assert!(tables.differ_at(1_000_000_000));
        let tables = compared("Europe/Berlin", "Europe/Zurich");
        assert!(tables.differ_at(331_257_600), "Zurich had no summer time in 1980");
        assert!(!tables.differ_at(1_400_000_000));
    }

    #[test]
    fn a_change_at_another_hour_of_the_same_day() {
        // A day's offsets agree, but the clock next to the change is read differently.
        let rules = rules("Europe/Berlin");
        let (shifts, reads) = answers("Europe/Berlin");
        let mut differences = Differences::new(&rules, &shifts);
        let probes = differences.probes();
        let mut answer = reads(&differences, &probes);
        answer[20] = "0".into();
        answer[30].clear();
        differences.compare(&probes, &answer);
        let tables = differences.finish();
        assert!(tables.differ_at(probes[20]) && tables.differ_at(probes[30]) && !tables.differ_at(probes[40]));
    }

    #[test]
    fn a_server_that_does_not_answer() {
        let rules = rules("Europe/Berlin");
        let tables = Differences::new(&rules, &[]).finish();
        assert!(tables.differ_at(1_000_000_000));
    }
}
