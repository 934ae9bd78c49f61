//! Lines that fit a terminal. Pure.
//!
//! Lines break between words. A word that is wider than the line, such as a long name, keeps a line of its own, and a command or name
//! between backticks stays whole where it can, so that both can be copied.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Breaks the lines of `text` that are wider than `width` columns. What continues a line is indented as that line is, and by `hang` more.
pub(crate) fn wrapped(text: &str, width: usize, hang: usize) -> String {
    text.split('\n').map(|line| wrapped_line(line, width, hang)).collect::<Vec<_>>().join("\n")
}

/// The columns that a text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that fits into `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(end, _)| &text[..end])
}

fn wrapped_line(line: &str, width: usize, hang: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat(blanks + hang);
    let (mut out, mut column) = (" ".repeat(blanks), blanks);
    let mut is_first = true;
    for word in words(&line[blanks..]) {
        let length = columns(word);
        if is_first {
            is_first = false;
        } else if column + 1 + length > width && column > indent.len() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out += &indent;
            column = indent.len();
        } else {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out
}

/// The words between blanks; what is between two backticks is one word if it is short.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut begin, mut quoted_until) = (Vec::new(), 0, 0);
    for (at, c) in line.char_indices() {
        if at < quoted_until {
            continue;
        }
        match c {
            '`' => {
                let length = line[at + 1..].find('`').filter(|length| *length <= LONGEST_WHOLE);
                quoted_until = length.map_or(0, |length| at + 1 + length + 1);
            }
            ' ' => {
                words.push(&line[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[begin..]);
    words
}

/// A longer text between backticks is broken too.
const LONGEST_WHOLE: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, hang: usize, want: &str) {
        assert_eq!(wrapped(text, width, hang), want);
    }

    #[test]
    fn lines_break_between_words() {
        check("a bb ccc dd", 6, 2, "a bb\n  ccc\n  dd");
        check("a bb\nccc dd", 6, 2, "a bb\nccc dd");
        check("error: no room for it", 14, 2, "error: no room\n  for it");
    }
    #[test]
    fn a_long_word_stays_whole() {
        check("see /a/long/path/to/x or y", 8, 2, "see\n  /a/long/path/to/x\n  or y");
        check("abcdefghij", 4, 2, "abcdefghij");
    }
    #[test]
    fn what_is_between_backticks_stays_whole() {
        check("take `--a b` or `c`", 11, 0, "take\n`--a b` or\n`c`");
        check("an odd ` and more", 8, 0, "an odd `\nand more");
    }
    #[test]
    fn indents_are_kept() {
        check("  - aa bb cc", 8, 2, "  - aa\n    bb\n    cc");
        check("a  b", 10, 0, "a  b");
        check("", 10, 2, "");
    }
    #[test]
    fn columns_are_counted_not_characters() {
        check("名前 名前", 5, 0, "名前\n名前");
        assert_eq!((cut("名前", 3), cut("abc", 9), cut("abc", 0)), ("名", "abc", ""));
    }
}
