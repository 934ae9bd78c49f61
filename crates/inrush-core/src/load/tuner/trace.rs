//! What a tuner saw and decided, as text: a load writes it, and from it the same tuner makes the same decisions again.
//!
//! ```text
//! limits lanes=2 min_lanes=1 max_lanes=16 batch=4194304 min_batch=262144 max_batch=67108864 memory=268435456
//! ack at=812345 lane=0 bytes=4194260 rows=58211 held=14680064 took=401233 fixed=5120 idle=12 trip=310
//! room at=901200 lanes=3
//! tuned at=4101200 lanes 2 to 3: to see whether one more is faster
//! ```
//!
//! Times are in microseconds since the load began. An `ack` ends with `left=`, the bytes still to be read, if the sources know
//! it, and with `method=`; `limits` ends with `methods=load-data,bulk` where methods are tried.

use super::{Ack, Limits, Tuned, Tuner};
use crate::write::Method;
use std::fmt;
use std::iter::Peekable;
use std::str::SplitAsciiWhitespace;
use std::time::Duration;

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Between what it may choose: the first line.
    Limits(Limits),
    /// A chunk was stored.
    Ack(Ack),
    /// The server has no room for more lanes.
    Room {
        /// How many there are.
        lanes: usize,
        /// When that was seen.
        at: Duration,
    },
    /// A decision, as it is reported.
    Tuned {
        /// When.
        at: Duration,
        /// [`Tuned`] as text.
        told: String,
    },
}

impl Line {
    /// Reads a line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.trim_end().split_once(' ')?;
        let mut fields = Fields::of(rest);
        match kind {
            "limits" => Some(Line::Limits(Limits {
                lanes: fields.size("lanes")?,
                min_lanes: fields.size("min_lanes")?,
                max_lanes: fields.size("max_lanes")?,
                batch: fields.size("batch")?,
                min_batch: fields.size("min_batch")?,
                max_batch: fields.size("max_batch")?,
                memory: fields.size("memory")?,
                methods: fields.word("methods").and_then(methods),
            })),
            "ack" => Some(Line::Ack(Ack {
                at: fields.time("at")?,
                lane: fields.size("lane")?,
                bytes: fields.number("bytes")?,
                rows: fields.number("rows")?,
                held: fields.number("held")?,
                took: fields.time("took")?,
                fixed: fields.time("fixed")?,
                idle: fields.time("idle")?,
                trip: fields.time("trip")?,
                left: fields.number("left"),
                method: fields.word("method").and_then(method),
            })),
            "room" => Some(Line::Room { at: fields.time("at")?, lanes: fields.size("lanes")? }),
            "tuned" => {
                let (at, told) = rest.split_once(' ')?;
                let at = Fields::of(at).time("at")?;
                Some(Line::Tuned { at, told: told.into() })
            }
            _ => None,
        }
    }
}

impl From<&Tuned> for Line {
    fn from(tuned: &Tuned) -> Self {
        Line::Tuned { at: tuned.at, told: tuned.to_string() }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Limits(Limits { lanes, min_lanes, max_lanes, batch, min_batch, max_batch, memory, methods }) => {
                write!(
                    f,
                    "limits lanes={lanes} min_lanes={min_lanes} max_lanes={max_lanes} batch={batch} \
                     min_batch={min_batch} max_batch={max_batch} memory={memory}"
                )?;
                methods.map_or(Ok(()), |[first, second]| write!(f, " methods={first},{second}"))
            }
            Line::Ack(Ack { at, lane, bytes, rows, held, took, fixed, idle, trip, left, method }) => {
                let [at, took, fixed, idle, trip] = [at, took, fixed, idle, trip].map(Duration::as_micros);
                write!(
                    f,
                    "ack at={at} lane={lane} bytes={bytes} rows={rows} held={held} took={took} fixed={fixed} idle={idle} \
                     trip={trip}"
                )?;
                left.map_or(Ok(()), |left| write!(f, " left={left}"))?;
                method.map_or(Ok(()), |method| write!(f, " method={method}"))
            }
            Line::Room { lanes, at } => write!(f, "room at={} lanes={lanes}", at.as_micros()),
            Line::Tuned { at, told } => write!(f, "tuned at={} {told}", at.as_micros()),
        }
    }
}

/// Runs a tuner over a trace: the tuner as it is in the end, and the trace with the decisions that it makes now. `None` if a line
/// cannot be read or the limits are not the first.
pub fn replay(text: &str) -> Option<(Tuner, String)> {
    let mut tuner: Option<Tuner> = None;
    let mut replayed = String::new();
    for line in text.lines() {
        let line = Line::parse(line)?;
        let tuned = match (&line, &mut tuner) {
            (Line::Limits(limits), none @ None) => {
                *none = Some(Tuner::new(*limits));
                None
            }
            (Line::Ack(ack), Some(tuner)) => tuner.on_ack(ack),
            (Line::Room { lanes, at }, Some(tuner)) => {
                tuner.no_room_for_more_than(*lanes, *at);
                None
            }
            (Line::Tuned { .. }, Some(_)) => continue,
            _ => return None,
        };
        replayed.push_str(&format!("{line}\n"));
        if let Some(tuned) = tuned {
            replayed.push_str(&format!("{}\n", Line::from(&tuned)));
        }
    }
    tuner.map(|tuner| (tuner, replayed))
}

fn method(name: &str) -> Option<Method> {
    Method::parse(name, &Method::LOADS).ok()?
}

fn methods(names: &str) -> Option<[Method; 2]> {
    let (first, second) = names.split_once(',')?;
    Some([method(first)?, method(second)?])
}

/// `name=value` one after the other.
struct Fields<'a>(Peekable<SplitAsciiWhitespace<'a>>);

impl<'a> Fields<'a> {
    fn of(text: &'a str) -> Self {
        Self(text.split_ascii_whitespace().peekable())
    }

    /// What the next one says, if it has this name; else it stays.
    fn word(&mut self, name: &str) -> Option<&'a str> {
        let word = self.0.peek()?.strip_prefix(name)?.strip_prefix('=')?;
        self.0.next();
        Some(word)
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.word(name)?.parse().ok()
    }

    fn size(&mut self, name: &str) -> Option<usize> {
        usize::try_from(self.number(name)?).ok()
    }

    fn time(&mut self, name: &str) -> Option<Duration> {
        self.number(name).map(Duration::from_micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let ms = Duration::from_millis;
        let limits = Limits {
            lanes: 2,
            min_lanes: 1,
            max_lanes: 16,
            batch: 4 << 20,
            min_batch: 1 << 18,
            max_batch: 64 << 20,
            memory: 256 << 20,
            methods: None,
        };
        let (took, fixed, idle, trip, left, method) = (ms(6), ms(7), ms(8), ms(1), None, None);
        let ack = Ack { at: ms(5), lane: 1, bytes: 2, rows: 3, held: 4, took, fixed, idle, trip, left, method };
        let told = "lanes 2 to 3: to see whether one more is faster".to_owned();
        let lines = [
            Line::Limits(limits),
            Line::Limits(Limits { methods: Some([Method::LoadData, Method::Bulk]), ..limits }),
            Line::Ack(ack),
            Line::Ack(Ack { left: Some(9), ..ack }),
            Line::Ack(Ack { left: Some(9), method: Some(Method::Bulk), ..ack }),
            Line::Ack(Ack { method: Some(Method::LoadData), ..ack }),
            Line::Room { lanes: 3, at: ms(9) },
            Line::Tuned { at: ms(9), told },
        ];
        for line in lines {
            assert_eq!(Line::parse(&line.to_string()), Some(line));
        }
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let lines =
            ["", "ack", "ack at=1", "ack at=x lane=0", "ack lane=0 at=1", "room at=1 lanes=-1", "tuned", "hello at=1"];
        for line in lines {
            assert_eq!(Line::parse(line), None, "{line}");
        }
        for text in ["", "room at=1 lanes=2", "nonsense at=1"] {
            assert!(replay(text).is_none(), "{text}");
        }
    }
}
