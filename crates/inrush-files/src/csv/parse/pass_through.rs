//! Validates a raw chunk for pass-through: the server reads the lines of most files unchanged, and that can be decided without views of the
//! cells. The validation reads the text once, a block at a time, and writes only the places of its marks. It stops at the first
//! exception: a NULL, a cell that must be rewritten, a line of another width, a doubled quote.

use super::super::cut::running_parity;
use super::super::marks::{self, BLOCK};
use super::{BLOCK_SPANS, CsvChunk, Parser};
use inrush_core::column::check::{Check, Grid};
use inrush_core::load::PassThrough;
use inrush_core::load::encode::load_data::{ESCAPED, NULL_WORD};
use inrush_core::write::Separators;
use memchr::{memchr, memchr3, memmem};
use wide::u8x64;

impl Parser {
    /// See [`RawChunk::pass_through`](inrush_core::load::RawChunk::pass_through).
    pub(super) fn pass_through(&self, chunk: &CsvChunk, checks: &[Check]) -> Option<PassThrough> {
        let records = &chunk.records;
        let (text, width) = (records.text.as_slice(), self.names.len());
        let one_a_line = records.n_records == records.lines && records.malformed.is_empty() && text.ends_with(b"\n");
        if !one_a_line || !self.takes_all() || self.rewrites || checks.len() != width {
            return None;
        }
        let nulls = self.nulls_kept_by(checks);
        let (terminated_by, quote) = (self.dialect.delimiter, self.dialect.quote);
        let mut lines = Lines::new(text, terminated_by, quote, width);
        let (mut longest, mut n_lines, mut enclosed_by, mut searched_for_null) = (0, 0, None, 0);
        let mut all_ascii = true;
        while let Some((bounds, has_quotes)) = lines.next() {
            longest = longest.max(longest_record(bounds, width));
            enclosed_by = quote.filter(|_| has_quotes);
            let block = &text[between(bounds)];
            let grid = Grid::new(text, bounds, width).enclosed_by(enclosed_by);
            if enclosed_by.is_some() {
                // In any place: it does not matter whether it is a complete field.
                let end = bounds[bounds.len() - 1] as usize;
                if memmem::find(&text[searched_for_null..end], &NULL_WORD).is_some() {
                    return None;
                }
                searched_for_null = end;
            }
            // ASCII is UTF-8, and faster to check.
            let is_ascii = block.is_ascii();
            all_ascii &= is_ascii;
            let passes = self.has_nothing_special(block)
                && (is_ascii || simdutf8::basic::from_utf8(block).is_ok())
                && ends_lines(text, bounds, width)
                && checks.iter().enumerate().all(|(column, check)| check.accepts_column(grid, column))
                && nulls
                    .iter()
                    .all(|(column, null)| grid.column(*column).all(|(start, end)| text[start..end] != **null));
            if !passes {
                return None;
            }
            n_lines += (bounds.len() - 1) / width;
        }
        // If the last marks of the lines are all the line feeds, every other mark is a delimiter, and the text was read completely.
        (n_lines as u64 == records.lines).then(|| {
            let separators = Separators { terminated_by, enclosed_by };
            let (origin, chunk) = (records.origin(Some(separators)), chunk.clone());
            PassThrough::new(origin, longest, text.len(), move || chunk.parser.parse(&chunk.records))
                .known_as_ascii(all_ascii)
        })
    }

    /// The texts for NULL of each column, except those that fail a check or the other validations anyway.
    fn nulls_kept_by<'a>(&'a self, checks: &[Check]) -> Vec<(usize, &'a [u8])> {
        let mut kept = Vec::new();
        for (i, (use_, check)) in self.uses.iter().zip(checks).enumerate() {
            let empty: Option<&[u8]> = use_.empty_is_null.then_some(b"");
            let nulls = self.nulls[use_.index].iter().map(Vec::as_slice).chain(empty);
            let is_kept = |null: &&[u8]| check.accepts_column(Grid::new(null, &[u32::MAX, null.len() as u32], 1), 0);
            kept.extend(nulls.filter(|null| self.has_nothing_special(null)).filter(is_kept).map(|null| (i, null)));
        }
        kept
    }

    /// Whether a part of the text has no special bytes for the reader or the server, except marks and quotes.
    fn has_nothing_special(&self, block: &[u8]) -> bool {
        let [backslash, nul] = ESCAPED;
        memchr3(backslash, nul, b'\r', block).is_none()
            && self.dialect.escape.is_none_or(|escape| memchr(escape, block).is_none())
    }
}

/// The marks of a text outside quotes, complete lines at a time.
struct Lines<'a> {
    text: &'a [u8],
    delimiter: u8,
    quotes: Option<Quotes>,
    width: usize,
    /// All marks before this byte have been found.
    searched: usize,
    /// The marks of a few lines, after the mark that ends the line before.
    bounds: Vec<u32>,
    /// The number of marks.
    n: usize,
    /// The number of marks that were returned.
    given: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8], delimiter: u8, quote: Option<u8>, width: usize) -> Self {
        let mut bounds = vec![0; 1 + BLOCK_SPANS.max(width) + BLOCK];
        bounds[0] = u32::MAX;
        Self { text, delimiter, quotes: quote.map(Quotes::new), width, searched: 0, bounds, n: 1, given: 0 }
    }

    /// The bounds of the cells of some more lines, if each has the right number of cells, and whether there was a quote so far. Returns
    /// `None` after the last line, and if a quote is not around a complete cell.
    fn next(&mut self) -> Option<(&[u32], bool)> {
        self.bounds.copy_within(self.given..self.n, 0);
        self.n -= self.given;
        let (text, room) = (self.text, &mut self.bounds[self.n..]);
        let mut has_quotes = false;
        self.n += match self.quotes {
            None => marks::find(text, self.delimiter, &mut self.searched, room, |_, marks| marks),
            Some(mut quotes) => {
                let outside = |block: &_, marks| quotes.outside(block, marks);
                let n = marks::find(text, self.delimiter, &mut self.searched, room, outside);
                if quotes.elsewhere != 0 {
                    return None;
                }
                has_quotes = quotes.any != 0;
                self.quotes = Some(quotes);
                n
            }
        };
        self.given = (self.n - 1) / self.width * self.width;
        (self.given > 0).then(|| (&self.bounds[..=self.given], has_quotes))
    }
}

/// The quotes of a text, 64 bytes at a time: as long as each is the first or the last byte of a cell, their parity determines what they
/// enclose.
#[derive(Clone, Copy, Debug)]
struct Quotes {
    quote: u8x64,
    /// All bits while one is open.
    within: u64,
    /// The lowest bit: a cell begins with the next byte.
    begins: u64,
    /// The lowest bit: the last byte closed one.
    closed: u64,
    /// Any bit, if there was one.
    any: u64,
    /// Any bit, if one was neither.
    elsewhere: u64,
}

impl Quotes {
    fn new(quote: u8) -> Self {
        Self { quote: u8x64::splat(quote), within: 0, begins: 1, closed: 0, any: 0, elsewhere: 0 }
    }

    /// Which of the marks of the next block are not enclosed.
    #[inline(always)]
    fn outside(&mut self, block: &[u8; BLOCK], marks: u64) -> u64 {
        let quotes = u8x64::new(*block).simd_eq(self.quote).to_bitmask();
        if quotes | self.within | self.closed == 0 {
            self.begins = marks >> 63;
            return marks;
        }
        // An opening quote counts as within, a closing one does not.
        let within = running_parity(quotes) ^ self.within;
        let (opens, closes, outside) = (quotes & within, quotes & !within, marks & !within);
        self.any |= quotes;
        self.elsewhere |= opens & !(outside << 1 | self.begins) | (closes << 1 | self.closed) & !outside;
        self.within = (within >> 63).wrapping_neg();
        (self.begins, self.closed) = (outside >> 63, closes >> 63);
        outside
    }
}

/// Whether the last mark of each line is a line feed.
fn ends_lines(text: &[u8], bounds: &[u32], width: usize) -> bool {
    bounds[width..].iter().step_by(width).all(|end| text[*end as usize] == b'\n')
}

fn longest_record(bounds: &[u32], width: usize) -> usize {
    let ends = bounds.iter().step_by(width);
    ends.clone().zip(ends.skip(1)).map(|(before, end)| end.wrapping_sub(*before)).max().unwrap_or_default() as usize
}

/// The text from the first cell to the last mark.
fn between(bounds: &[u32]) -> std::ops::Range<usize> {
    let [first, .., last] = bounds else { return 0..0 };
    first.wrapping_add(1) as usize..*last as usize + 1
}

#[cfg(test)]
mod tests;
