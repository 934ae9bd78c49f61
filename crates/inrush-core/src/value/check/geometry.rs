//! GEOMETRY and its kinds: well-known text (`POINT(1 2)`), or hex: the server's own form (4 bytes SRID, then WKB) as dumps
//! have it, or plain WKB, which gets SRID 0. Only the outline of WKB is looked at; the server reads the rest, and refuses
//! what it cannot read.

use super::number::Number;
use super::{Judge, Verdict, Why};
use crate::value::column::GeometryKind;

#[derive(Clone, Debug)]
pub(super) struct GeometryJudge {
    pub(super) kind: GeometryKind,
}

impl Judge for GeometryJudge {
    fn judge(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        // The words of WKT begin with G, L, M or P: no digit, not even a hex one.
        if cell.first().is_some_and(u8::is_ascii_hexdigit) {
            return self.judge_hex(cell, out);
        }
        let mut wkt = Wkt { rest: cell };
        let Some(kind) = wkt.geometry(0) else { return Verdict::Bad(Why::Shape) };
        wkt.blanks();
        if !wkt.rest.is_empty() {
            return Verdict::Bad(Why::Shape);
        }
        if self.takes(kind) { Verdict::Keep } else { Verdict::Bad(Why::GeometryKind) }
    }
}

impl GeometryJudge {
    fn takes(&self, kind: GeometryKind) -> bool {
        self.kind == GeometryKind::Any || self.kind == kind
    }

    fn judge_hex(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
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

/// The kind of a little-endian WKB in hex: `01`, then the kind in 4 bytes.
fn wkb_kind(hex: Option<&[u8]>) -> Option<GeometryKind> {
    let head = hex?.first_chunk::<10>()?;
    let digit = head[3].checked_sub(b'0')?;
    let outline = head[..3] == *b"010" && head[4..] == *b"000000";
    let (kind, _) = GeometryKind::NAMES.iter().find(|(kind, _)| *kind as u8 == digit && digit > 0)?;
    outline.then_some(*kind)
}

struct Wkt<'a> {
    rest: &'a [u8],
}

impl Wkt<'_> {
    fn geometry(&mut self, depth: usize) -> Option<GeometryKind> {
        let kind = self.word()?;
        match kind {
            GeometryKind::Any => return None,
            GeometryKind::Point => self.list(|t| t.point(), 1, 1)?,
            GeometryKind::LineString => self.points(2)?,
            GeometryKind::Polygon => self.polygon()?,
            GeometryKind::MultiPoint => self.list(|t| t.bracketed_point(), 1, usize::MAX)?,
            GeometryKind::MultiLineString => self.list(|t| t.points(2), 1, usize::MAX)?,
            GeometryKind::MultiPolygon => self.list(|t| t.polygon(), 1, usize::MAX)?,
            GeometryKind::Collection => {
                if depth == MAX_DEPTH {
                    return None;
                }
                self.list(|t| t.geometry(depth + 1).map(|_| ()), 1, usize::MAX)?;
            }
        }
        Some(kind)
    }

    fn word(&mut self) -> Option<GeometryKind> {
        self.blanks();
        let len = self.rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        let (kind, _) = GeometryKind::NAMES.iter().find(|(_, name)| word.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(*kind)
    }

    fn polygon(&mut self) -> Option<()> {
        self.list(|t| t.ring(), 1, usize::MAX)
    }

    /// At least four points, and the last is the first.
    fn ring(&mut self) -> Option<()> {
        let mut ends: [Option<(f64, f64)>; 2] = [None, None];
        self.list(
            |t| {
                let point = t.coordinates()?;
                ends[0].get_or_insert(point);
                ends[1] = Some(point);
                Some(())
            },
            4,
            usize::MAX,
        )?;
        (ends[0] == ends[1]).then_some(())
    }

    fn points(&mut self, min: usize) -> Option<()> {
        self.list(|t| t.point(), min, usize::MAX)
    }

    /// The points of a MULTIPOINT may stand in brackets of their own.
    fn bracketed_point(&mut self) -> Option<()> {
        self.blanks();
        if self.rest.first() == Some(&b'(') { self.list(|t| t.point(), 1, 1) } else { self.point() }
    }

    fn point(&mut self) -> Option<()> {
        self.coordinates().map(|_| ())
    }

    fn coordinates(&mut self) -> Option<(f64, f64)> {
        Some((self.number()?, self.number()?))
    }

    fn number(&mut self) -> Option<f64> {
        self.blanks();
        let len = self.rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')).count();
        let (text, rest) = self.rest.split_at(len);
        self.rest = rest;
        Number::parse(text)?;
        std::str::from_utf8(text).ok()?.parse::<f64>().ok().filter(|v| v.is_finite())
    }

    /// `( item , item )`
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>, min: usize, max: usize) -> Option<()> {
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
        (min..=max).contains(&n).then_some(())
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    fn blanks(&mut self) {
        let trimmed =
            self.rest.len() - self.rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.rest = &self.rest[self.rest.len() - trimmed..];
    }
}

/// Collections in collections: deeper ones are refused before they exhaust the stack.
const MAX_DEPTH: usize = 32;
