//! GEOMETRY and its kinds: well-known text (`POINT(1 2)`), or hex: the server's own form (4 bytes SRID, then WKB) as dumps have
//! it, or plain WKB, which gets SRID 0. A typed file has the same in bytes, which become hex: no text has a byte 0 or 1. Only the
//! outline of WKB is checked; the server reads the rest, and refuses what it cannot read.
//!
//! Text is read in full, because MariaDB stores NULL for what it cannot read, and is rewritten to the one spelling that both
//! servers read (MariaDB takes no brackets around the points of a MULTIPOINT, and no `.5`).

use super::number::Number;
use super::{CellValidator, Verdict, Why};
use crate::column::GeometryKind;

#[derive(Clone, Debug)]
pub(super) struct GeometryValidator {
    pub(super) kind: GeometryKind,
}

impl CellValidator for GeometryValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if wkb_kind_of_bytes(cell.get(4..)).or_else(|| wkb_kind_of_bytes(Some(cell))).is_some() {
            let mut own = Vec::new();
            return match self.validate_bytes(cell, &mut own) {
                Verdict::Bad(why) => Verdict::Bad(why),
                Verdict::Rewrite => to_hex(&own, out),
                _ => to_hex(cell, out),
            };
        }
        // The words of WKT begin with G, L, M or P: no digit, not even a hex one.
        if cell.first().is_some_and(u8::is_ascii_hexdigit) {
            return self.validate_hex(cell, out);
        }
        let start = out.len();
        let mut wkt = Wkt { rest: cell, out };
        let Some(kind) = wkt.geometry(0) else { return Verdict::Bad(Why::Shape) };
        wkt.blanks();
        if !wkt.rest.is_empty() {
            return Verdict::Bad(Why::Shape);
        }
        if !self.takes(kind) {
            return Verdict::Bad(Why::GeometryKind);
        }
        if out[start..] == *cell {
            out.truncate(start);
            return Verdict::Keep;
        }
        Verdict::Rewrite
    }
}

impl GeometryValidator {
    fn takes(&self, kind: GeometryKind) -> bool {
        self.kind == GeometryKind::Any || self.kind == kind
    }

    /// The server's own form, or plain WKB, which gets SRID 0.
    pub(super) fn validate_bytes(&self, bytes: &[u8], out: &mut Vec<u8>) -> Verdict {
        let (own_form, kind) = match (wkb_kind_of_bytes(bytes.get(4..)), wkb_kind_of_bytes(Some(bytes))) {
            (Some(kind), _) => (true, kind),
            (None, Some(kind)) => (false, kind),
            (None, None) => return Verdict::Bad(Why::GeometryBytes),
        };
        if !self.takes(kind) {
            return Verdict::Bad(Why::GeometryKindOfBytes { kind });
        }
        if own_form {
            return Verdict::Keep;
        }
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(bytes);
        Verdict::Rewrite
    }

    fn validate_hex(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if !cell.len().is_multiple_of(2) || !cell.iter().all(u8::is_ascii_hexdigit) {
            return Verdict::Bad(Why::Shape);
        }
        let (own_form, kind) = match (wkb_kind(cell.get(8..)), wkb_kind(Some(cell))) {
            (Some(kind), _) => (true, kind),
            (None, Some(kind)) => (false, kind),
            (None, None) => return Verdict::Bad(Why::Shape),
        };
        if !self.takes(kind) {
            return Verdict::Bad(Why::GeometryKind);
        }
        if own_form {
            return Verdict::Keep;
        }
        out.extend_from_slice(b"00000000");
        out.extend_from_slice(cell);
        Verdict::Rewrite
    }
}

fn to_hex(bytes: &[u8], out: &mut Vec<u8>) -> Verdict {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    out.extend(bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| DIGITS[usize::from(digit)]));
    Verdict::Rewrite
}

/// The kind of a little-endian WKB in hex: `01`, then the kind in 4 bytes.
fn wkb_kind(hex: Option<&[u8]>) -> Option<GeometryKind> {
    let head = hex?.first_chunk::<10>()?;
    let digit = head[3].checked_sub(b'0')?;
    let outline = head[..3] == *b"010" && head[4..] == *b"000000";
    let (kind, _) = GeometryKind::NAMES.iter().find(|(kind, _)| *kind as u8 == digit && digit > 0)?;
    outline.then_some(*kind)
}

/// The same in bytes.
fn wkb_kind_of_bytes(bytes: Option<&[u8]>) -> Option<GeometryKind> {
    let [1, number, 0, 0, 0] = *bytes?.first_chunk::<5>()? else { return None };
    let known = GeometryKind::NAMES.iter().find(|(kind, _)| *kind as u8 == number && number > 0);
    known.map(|(kind, _)| *kind)
}

/// Reads WKT and writes it in the one spelling.
struct Wkt<'a> {
    rest: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Wkt<'_> {
    fn geometry(&mut self, depth: usize) -> Option<GeometryKind> {
        let kind = self.word()?;
        match kind {
            GeometryKind::Any => return None,
            GeometryKind::Point => self.list(1..=1, |wkt| wkt.point())?,
            GeometryKind::LineString => self.line()?,
            GeometryKind::Polygon => self.polygon()?,
            GeometryKind::MultiPoint => self.list(1..=usize::MAX, |wkt| wkt.point_in_brackets())?,
            GeometryKind::MultiLineString => self.list(1..=usize::MAX, |wkt| wkt.line())?,
            GeometryKind::MultiPolygon => self.list(1..=usize::MAX, |wkt| wkt.polygon())?,
            GeometryKind::Collection if self.empty() => {}
            GeometryKind::Collection => {
                if depth == MAX_DEPTH {
                    return None;
                }
                self.list(1..=usize::MAX, |wkt| wkt.geometry(depth + 1).map(|_| ()))?;
            }
        }
        Some(kind)
    }

    fn word(&mut self) -> Option<GeometryKind> {
        self.blanks();
        let word = self.take(u8::is_ascii_alphabetic);
        let (kind, name) = GeometryKind::NAMES.iter().find(|(_, name)| word.eq_ignore_ascii_case(name.as_bytes()))?;
        self.out.extend_from_slice(name.as_bytes());
        Some(*kind)
    }

    /// `EMPTY` or `()`: only a collection may have nothing in it.
    fn empty(&mut self) -> bool {
        let before = self.rest;
        self.blanks();
        let is_empty = if self.skip(b'(') {
            self.blanks();
            self.skip(b')')
        } else {
            self.take(u8::is_ascii_alphabetic).eq_ignore_ascii_case(b"EMPTY")
        };
        if is_empty {
            self.out.extend_from_slice(b" EMPTY");
        } else {
            self.rest = before;
        }
        is_empty
    }

    fn polygon(&mut self) -> Option<()> {
        self.list(1..=usize::MAX, |wkt| wkt.ring())
    }

    /// At least four points, and the last is the first.
    fn ring(&mut self) -> Option<()> {
        let mut first = None;
        let mut last = None;
        self.list(4..=usize::MAX, |wkt| {
            last = Some(wkt.coordinates()?);
            first = first.or(last);
            Some(())
        })?;
        (first == last).then_some(())
    }

    fn line(&mut self) -> Option<()> {
        self.list(2..=usize::MAX, |wkt| wkt.point())
    }

    fn point_in_brackets(&mut self) -> Option<()> {
        self.blanks();
        let brackets = self.skip(b'(');
        self.point()?;
        self.blanks();
        (!brackets || self.skip(b')')).then_some(())
    }

    fn point(&mut self) -> Option<()> {
        self.coordinates().map(|_| ())
    }

    fn coordinates(&mut self) -> Option<(f64, f64)> {
        let x = self.number()?;
        self.out.push(b' ');
        Some((x, self.number()?))
    }

    fn number(&mut self) -> Option<f64> {
        self.blanks();
        let text = self.take(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
        Number::parse(text)?.write_json(text, self.out);
        std::str::from_utf8(text).ok()?.parse::<f64>().ok().filter(|v| v.is_finite())
    }

    /// `(item,item)`, so many of them.
    fn list(
        &mut self,
        n_items: std::ops::RangeInclusive<usize>,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(b'(')?;
        let mut n = 0;
        loop {
            item(self)?;
            n += 1;
            if self.expect(b',').is_none() {
                break;
            }
        }
        self.expect(b')')?;
        n_items.contains(&n).then_some(())
    }

    /// Takes a byte and writes it.
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        if !self.skip(byte) {
            return None;
        }
        self.out.push(byte);
        Some(())
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(found)..];
        found
    }

    fn blanks(&mut self) {
        self.take(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    }
}

impl<'a> Wkt<'a> {
    fn take(&mut self, wanted: impl Fn(&u8) -> bool) -> &'a [u8] {
        let len = self.rest.iter().take_while(|b| wanted(b)).count();
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        taken
    }
}

/// Collections in collections: deeper ones are refused before they exhaust the stack.
const MAX_DEPTH: usize = 32;
