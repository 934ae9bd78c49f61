//! The places of sorted rows in the sources: kept with each row, so that errors and rejects name that place.

use crate::error::Place;
use arrow_buffer::{Buffer, ScalarBuffer};
use std::ops::Range;
use std::sync::Arc;

/// A source and a line of it in one number. They compare in the order of the sources: no two records begin on the same line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePlace(pub u64);

impl SourcePlace {
    /// As many sources can be sorted together.
    pub const MOST_SOURCES: usize = 1 << (64 - LINE_BITS);

    /// Line `line` of the load's source `source`, counted from 0.
    pub fn new(source: usize, line: u64) -> Self {
        Self((source as u64) << LINE_BITS | line & LINE_MASK)
    }

    /// Which of the load's sources.
    pub fn source(self) -> usize {
        (self.0 >> LINE_BITS) as usize
    }

    /// The line on which the record begins, counted from 1.
    pub fn line(self) -> u64 {
        self.0 & LINE_MASK
    }
}

/// A file with more lines has not been seen: at one byte a line it has 256 TiB.
const LINE_BITS: u32 = 48;
const LINE_MASK: u64 = (1 << LINE_BITS) - 1;

/// The places of a batch's rows in the sources, and their records if these were kept.
#[derive(Clone, Debug)]
pub struct Stood {
    names: Arc<[Arc<str>]>,
    /// A [`SourcePlace`] for each row.
    places: ScalarBuffer<u64>,
    raw: Option<RawRecords>,
}

/// Records exactly as in the sources.
#[derive(Clone, Debug)]
pub(super) struct RawRecords {
    pub(super) text: Buffer,
    /// Row `i` is `ends[i]..ends[i + 1]` of the text.
    pub(super) ends: ScalarBuffer<u64>,
}

impl Stood {
    pub(super) fn new(names: Arc<[Arc<str>]>, places: ScalarBuffer<u64>, raw: Option<RawRecords>) -> Self {
        Self { names, places, raw }
    }

    /// Rows on these lines of one source, without their records.
    pub fn of_lines(source: Arc<str>, lines: impl IntoIterator<Item = u64>) -> Self {
        let places = lines.into_iter().map(|line| SourcePlace::new(0, line).0).collect::<Vec<_>>();
        Self { names: [source].into(), places: places.into(), raw: None }
    }

    /// The place of row `row`.
    pub fn place(&self, row: usize) -> Option<Place> {
        let place = SourcePlace(*self.places.get(row)?);
        let source = self.names.get(place.source())?.clone();
        Some(Place { source, line: place.line(), column: None })
    }

    /// Returns the record of row `row` exactly as in its source, line end included, if it was kept.
    pub fn raw(&self, row: usize) -> Option<&[u8]> {
        let RawRecords { text, ends } = self.raw.as_ref()?;
        text.get(*ends.get(row)? as usize..*ends.get(row + 1)? as usize)
    }

    /// That of some of the rows.
    pub(crate) fn part(&self, rows: Range<usize>) -> Self {
        let raw = self
            .raw
            .as_ref()
            .map(|raw| RawRecords { text: raw.text.clone(), ends: raw.ends.slice(rows.start, rows.len() + 1) });
        Self { names: self.names.clone(), places: self.places.slice(rows.start, rows.len()), raw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_compare_as_rows_stand() {
        let places = [(0, 1), (0, 2), (0, LINE_MASK), (1, 1), (SourcePlace::MOST_SOURCES - 1, 7)];
        let made = places.map(|(source, line)| SourcePlace::new(source, line));
        assert!(made.is_sorted());
        assert_eq!(made.map(|place| (place.source(), place.line())), places);
    }

    #[test]
    fn a_part_has_its_own_rows() {
        let places = [(0, 2), (1, 9), (0, 5)].map(|(source, line)| SourcePlace::new(source, line).0);
        let raw = RawRecords { text: Buffer::from(&b"a\nbb\nc\n"[..]), ends: ScalarBuffer::from(vec![0, 2, 5, 7]) };
        let stood = Stood::new(["a.csv".into(), "b.csv".into()].into(), ScalarBuffer::from(places.to_vec()), Some(raw));
        let part = stood.part(1..3);
        let place = part.place(0).unwrap();
        assert_eq!((&*place.source, place.line, part.raw(0)), ("b.csv", 9, Some(&b"bb\n"[..])));
        let place = part.place(1).unwrap();
        assert_eq!((&*place.source, place.line, part.raw(1)), ("a.csv", 5, Some(&b"c\n"[..])));
        assert!(part.place(2).is_none() && part.raw(2).is_none());
    }
}
