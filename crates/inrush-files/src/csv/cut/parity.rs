//! Finds the line feeds outside quotes, 64 bytes of text at a time. If every quote opens or closes a quoted text, the parity of the number
//! of quotes before a line feed decides. Pure.

use wide::u8x16;

/// The special bytes.
pub(super) struct Signs {
    delimiter: u8x16,
    quote: u8x16,
    line_feed: u8x16,
    carriage_return: u8x16,
}

/// The state between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Within {
    /// A quote is open.
    pub(super) quotes: bool,
    /// Unless a quote is open, a field begins here.
    pub(super) field_begins: bool,
    /// A record begins here.
    pub(super) record_begins: bool,
    /// The byte before closed a quote.
    pub(super) closed: bool,
}

/// The statistics of a text; places are counted from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextStats {
    /// The number of line feeds.
    pub(super) lines: u64,
    /// The number of line feeds within quotes.
    pub(super) quoted_lines: u64,
    pub(super) has_quotes: bool,
    /// Some record is only a line feed.
    pub(super) has_blank: bool,
    /// There is a CR.
    pub(super) has_return: bool,
    /// The place after the last line feed outside quotes.
    pub(super) last_end: Option<usize>,
    /// The last quote that opens, except the second half of a doubled one.
    pub(super) last_open: Option<usize>,
    pub(super) ends: Within,
}

impl Signs {
    pub(super) fn new(delimiter: u8, quote: u8) -> Self {
        let [delimiter, quote, line_feed, carriage_return] = [delimiter, quote, b'\n', b'\r'].map(u8x16::splat);
        Self { delimiter, quote, line_feed, carriage_return }
    }

    /// Examines a text that begins in the state `begins`. Returns `None` if some quote is neither the first byte of a field, nor a closing
    /// quote, nor the second half of a doubled one: then parity is not enough.
    pub(super) fn find(&self, text: &[u8], begins: Within) -> Option<TextStats> {
        let mut state = State::new(begins);
        let (blocks, tail) = text.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            self.find_in(block, BLOCK, i * BLOCK, &mut state)?;
        }
        if !tail.is_empty() {
            let mut block = [0; BLOCK];
            block[..tail.len()].copy_from_slice(tail);
            self.find_in(&block, tail.len(), text.len() - tail.len(), &mut state)?;
        }
        Some(state.found())
    }

    /// Adds the first `len` bytes of a block, which begins at `base`.
    #[inline(always)]
    fn find_in(&self, block: &[u8; BLOCK], len: usize, base: usize, state: &mut State) -> Option<()> {
        let (parts, _) = block.as_chunks::<16>();
        let real = u64::MAX >> (BLOCK - len);
        let bits = |sign: u8x16| {
            let part = |i: usize| u64::from(u8x16::new(parts[i]).simd_eq(sign).to_bitmask()) << (16 * i);
            (part(0) | part(1) | part(2) | part(3)) & real
        };
        let (quotes, line_feeds, delimiters) = (bits(self.quote), bits(self.line_feed), bits(self.delimiter));
        // An opening quote counts as within, a closing one does not.
        let within = running_parity(quotes) ^ state.within;
        let (opens, closes) = (quotes & within, quotes & !within);
        let marks = line_feeds | delimiters;
        let behind_closed = closes << 1 | state.closed;
        if opens & !(marks << 1 | state.field_begins | behind_closed) != 0 {
            return None;
        }
        let (quoted, ends) = (line_feeds & within, line_feeds & !within);
        state.lines += u64::from(line_feeds.count_ones());
        if quoted != 0 {
            state.quoted_lines += u64::from(quoted.count_ones());
        }
        state.quotes |= quotes;
        state.blank |= ends & (ends << 1 | state.record_begins);
        for part in parts {
            state.returns |= u8x16::new(*part).simd_eq(self.carriage_return);
        }
        state.last_end.note(ends, base);
        state.last_open.note(opens & !behind_closed, base);
        let last = |bits: u64| bits >> (len - 1) & 1;
        (state.within, state.closed) = (last(within).wrapping_neg(), last(closes));
        (state.field_begins, state.record_begins) = (last(marks), last(ends));
        Some(())
    }
}

/// [`TextStats`] in words that stay in registers.
struct State {
    lines: u64,
    quoted_lines: u64,
    /// Any bit, if there is one.
    quotes: u64,
    blank: u64,
    returns: u8x16,
    last_end: Last,
    last_open: Last,
    /// All bits or none.
    within: u64,
    /// The lowest bit.
    field_begins: u64,
    /// The lowest bit.
    record_begins: u64,
    /// The lowest bit.
    closed: u64,
}

impl State {
    fn new(begins: Within) -> Self {
        Self {
            lines: 0,
            quoted_lines: 0,
            quotes: 0,
            blank: 0,
            returns: u8x16::splat(0),
            last_end: Last::default(),
            last_open: Last::default(),
            within: u64::from(begins.quotes).wrapping_neg(),
            field_begins: begins.field_begins.into(),
            record_begins: begins.record_begins.into(),
            closed: begins.closed.into(),
        }
    }

    fn found(&self) -> TextStats {
        let Self { lines, quoted_lines, .. } = *self;
        TextStats {
            lines,
            quoted_lines,
            has_quotes: self.quotes != 0,
            has_blank: self.blank != 0,
            has_return: self.returns.to_bitmask() != 0,
            last_end: self.last_end.place().map(|at| at + 1),
            last_open: self.last_open.place(),
            ends: Within {
                quotes: self.within != 0,
                field_begins: self.field_begins != 0,
                record_begins: self.record_begins != 0,
                closed: self.closed != 0,
            },
        }
    }
}

/// The last block with a set bit. The bit is computed at the end, which saves a branch a block.
#[derive(Clone, Copy, Default)]
struct Last {
    bits: u64,
    base: usize,
}

impl Last {
    #[inline(always)]
    fn note(&mut self, bits: u64, base: usize) {
        *self = if bits == 0 { *self } else { Self { bits, base } };
    }

    fn place(self) -> Option<usize> {
        Some(self.base + self.bits.checked_ilog2()? as usize)
    }
}

/// Bit `i` is the parity of the bits up to and with `i`.
#[inline(always)]
pub(in crate::csv) fn running_parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// The width of a set of bits.
const BLOCK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: Within = Within { quotes: false, field_begins: true, record_begins: true, closed: false };

    /// Line feeds within quotes, the last end and the last quote that opens; whether a quote is open at the end.
    #[track_caller]
    fn check(text: &str, want: Option<(u64, Option<usize>, Option<usize>, bool)>) {
        for padding in [0, 1, 61, 62, 63, 64, 65, 127] {
            let before = "x".repeat(padding) + if padding > 0 { "," } else { "" };
            let found = Signs::new(b',', b'"').find((before.clone() + text).as_bytes(), BEGIN);
            let moved = |at: usize| at + before.len();
            let want = want.map(|(lines, end, open, is_open)| (lines, end.map(moved), open.map(moved), is_open));
            assert_eq!(
                found.map(|f| (f.quoted_lines, f.last_end, f.last_open, f.ends.quotes)),
                want,
                "behind {padding}"
            );
        }
    }

    #[test]
    fn line_feeds_within_quotes_end_nothing() {
        check("a\nb\n", Some((0, Some(4), None, false)));
        check("\"a\n\"\nb", Some((1, Some(5), Some(0), false)));
        check("a,\"b\n", Some((1, None, Some(2), true)));
        check("\"\",\"\"\n", Some((0, Some(6), Some(3), false)));
    }

    #[test]
    fn the_second_half_of_a_doubled_quote_opens_nothing_new() {
        check("\"a\"\"b\n", Some((1, None, Some(0), true)));
        check("\"a\"\"\",\n", Some((0, Some(7), Some(0), false)));
    }

    #[test]
    fn quotes_elsewhere_return_none() {
        check("a\"\n", None);
        check("\"a\" \"\n", None);
        check("\r\"\n", None);
    }

    #[test]
    fn a_text_can_be_continued() {
        let text = b"a,\"b\"\"\n\",c\n\n\"d\n\"\n";
        let signs = Signs::new(b',', b'"');
        let whole = signs.find(text, BEGIN).unwrap();
        for at in 1..text.len() {
            let first = signs.find(&text[..at], BEGIN).unwrap();
            let second = signs.find(&text[at..], first.ends).unwrap();
            let lines = (first.lines + second.lines, first.quoted_lines + second.quoted_lines);
            assert_eq!((lines, second.ends), ((whole.lines, whole.quoted_lines), whole.ends), "cut at {at}");
            assert_eq!(first.has_blank || second.has_blank, whole.has_blank, "cut at {at}");
        }
    }

    #[test]
    fn quotes_blank_lines_and_returns_are_reported() {
        let signs = Signs::new(b',', b'"');
        let find = |text: &str| signs.find(text.as_bytes(), BEGIN).unwrap();
        let flags = |text: &str| (find(text).has_quotes, find(text).has_blank, find(text).has_return);
        let far = "x".repeat(64);
        for before in [String::new(), format!("{far}\n")] {
            assert_eq!(flags(&format!("{before}a\n")), (false, false, false));
            assert_eq!(flags(&format!("{before}\"\n\n\",\"\"\n")), (true, false, false));
            assert_eq!(flags(&format!("{before}\na\n")), (false, true, false));
            assert_eq!(flags(&format!("{before}a\n\n{far}")), (false, true, false));
            assert_eq!(flags(&format!("{before}\"\"\n\n")), (true, true, false));
            assert_eq!(flags(&format!("{before}a\r\n{far}")), (false, false, true));
        }
    }

    #[test]
    fn parity_runs() {
        assert_eq!(running_parity(0b1001), 0b0111);
        assert_eq!(running_parity(0b10), u64::MAX - 1);
        assert_eq!(running_parity(1 << 63 | 1), u64::MAX >> 1);
    }
}
