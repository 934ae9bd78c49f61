//! The widths of columns that have no delimiter between them: cuts lines by them, and measures them in a sample.

use inrush_core::error::{Error, Result};
use std::fmt;
use std::ops::Range;

/// How many characters each field of a line has, blanks around its text included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widths {
    widths: Vec<usize>,
    /// Whether one more field has the rest of the line.
    takes_rest: bool,
}

impl Widths {
    /// Parses widths such as `5,10,8`; the last one may be `rest`, the rest of the line.
    ///
    /// # Errors
    /// `Config` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(format!("`--widths {text}` is not understood"))
                .with_hint("it takes the number of characters of each field, `5,10,8`; the last one may be `rest`")
        };
        let (numbers, takes_rest) = match text.trim().strip_suffix("rest") {
            Some(numbers) => (numbers.trim_end().strip_suffix(',').ok_or_else(wrong)?, true),
            None => (text, false),
        };
        let width = |text: &str| text.trim().parse().ok().filter(|width| (1..=MOST).contains(width));
        let widths = numbers.split(',').map(width).collect::<Option<Vec<usize>>>().ok_or_else(wrong)?;
        Ok(Self { widths, takes_rest })
    }

    /// Calls `field` for each field of a line, without the blanks around it. There are fewer fields if the line ends before the last one,
    /// and one more if text follows it. A character is one of UTF-8; a byte that is not UTF-8 counts as one.
    pub(crate) fn cut<'l>(&self, line: &'l [u8], mut field: impl FnMut(&'l [u8])) {
        let mut rest = line;
        for width in &self.widths {
            if rest.is_empty() {
                return;
            }
            let (front, behind) = rest.split_at(bytes_of(rest, *width));
            field(trimmed(front));
            rest = behind;
        }
        if !trimmed(rest).is_empty() || (self.takes_rest && !rest.is_empty()) {
            field(trimmed(rest));
        }
    }

    /// Measures aligned columns: a column begins where a line has text after a place at which all lines are blank. Returns `None` for
    /// fewer than two columns. Words of the first line with one blank between them are one name, unless there is text below each of
    /// them. Also returns whether a line ends before the last column.
    pub(crate) fn measure(lines: &[&[u8]]) -> Option<(Self, bool)> {
        let ruler = lines.iter().take(RULER_LINES).find(|line| is_ruler(line));
        let lines: Vec<&[u8]> = lines.iter().copied().filter(|line| ruler.is_none() || !is_ruler(line)).collect();
        if let Some(starts) =
            ruler.map(|ruler| starts_of(&places_of_text([*ruler].into_iter()))).filter(|s| !s.is_empty())
        {
            return Some(Self::starting_at(&starts, &lines));
        }
        let has_text = places_of_text(lines.iter().copied());
        let below = places_of_text(lines.iter().skip(1).copied().filter(|line| !is_ruler(line)));
        let first = places_of_text(lines.first().copied().into_iter());
        let starts = starts_of(&has_text);
        let has = |places: &[bool], range: Range<usize>| range.clone().any(|at| places.get(at) == Some(&true));
        let mut kept: Vec<usize> = Vec::new();
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).copied().unwrap_or(has_text.len());
            let before = kept.last().copied().unwrap_or(0);
            let is_one_name = lines.len() > 1
                && first.get(start) == Some(&true)
                && start > 1
                && first.get(start - 2) == Some(&true)
                && first.get(start - 1) == Some(&false)
                && !(has(&below, before..start) && has(&below, start..end));
            if !is_one_name {
                kept.push(start);
            }
        }
        (!kept.is_empty()).then(|| Self::starting_at(&kept, &lines))
    }

    /// Columns that begin at these places, and at the beginning of the line.
    fn starting_at(starts: &[usize], lines: &[&[u8]]) -> (Self, bool) {
        let last = starts.last().copied().unwrap_or_default();
        let widths = starts.iter().scan(0, |before, start| Some(start - std::mem::replace(before, *start))).collect();
        let is_short = lines.iter().any(|line| line.iter().filter(|byte| !is_within(**byte)).count() <= last);
        (Self { widths, takes_rest: true }, is_short)
    }
}

/// Where text begins after a blank, without the first one: blanks before the first column belong to it.
fn starts_of(has_text: &[bool]) -> Vec<usize> {
    let begins = has_text.first() == Some(&true);
    (1..has_text.len()).filter(|&at| has_text[at] && !has_text[at - 1]).skip(usize::from(!begins)).collect()
}

/// At which characters lines have text.
fn places_of_text<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Vec<bool> {
    let mut has_text: Vec<bool> = Vec::new();
    for line in lines {
        let line = line.trim_ascii_end();
        let characters = line.iter().filter(|byte| !is_within(**byte)).take(MOST);
        for (at, byte) in characters.enumerate() {
            if has_text.len() == at {
                has_text.push(false);
            }
            has_text[at] |= *byte != b' ';
        }
    }
    has_text
}

/// Whether a line only has dashes under or above names: runs of two at least, one of them of three.
pub(crate) fn is_ruler(line: &[u8]) -> bool {
    let is_dash = |byte: &u8| matches!(byte, b'-' | b'=');
    let runs = || line.split(|byte| !is_dash(byte)).filter(|run| !run.is_empty());
    line.iter().all(|byte| is_dash(byte) || matches!(byte, b'+' | b'|' | b':' | b' ' | b'\t' | b'\r' | b',' | b';'))
        && runs().all(|run| run.len() > 1)
        && runs().any(|run| run.len() > 2)
}

/// A ruler is one of the first lines that are not blank.
pub(crate) const RULER_LINES: usize = 3;

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, width) in self.widths.iter().enumerate() {
            write!(f, "{}{width}", if i > 0 { "," } else { "" })?;
        }
        f.write_str(if self.takes_rest { ",rest" } else { "" })
    }
}

/// The bytes of the first so many characters.
fn bytes_of(text: &[u8], width: usize) -> usize {
    let mut starts = text.iter().enumerate().filter(|(_, byte)| !is_within(**byte)).map(|(at, _)| at);
    // Bytes before the first character belong to it.
    starts.nth(width).unwrap_or(text.len())
}

/// Whether a byte continues a character.
fn is_within(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn trimmed(field: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte == b' ';
    let start = field.iter().position(|byte| !blank(byte)).unwrap_or(field.len());
    let end = field.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &field[start..end]
}

/// Characters of a field, and of what is measured of a line.
const MOST: usize = 1 << 20;

#[cfg(test)]
mod tests;
