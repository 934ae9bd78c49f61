//! Text in lines of a width. Pure.

/// Lines of at most `width` characters, broken between words only; all but the first begin with `indent`.
pub(crate) fn wrapped(words: impl Iterator<Item = impl AsRef<str>>, width: usize, indent: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in words {
        let word = word.as_ref();
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out += indent;
            column = indent.chars().count();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("a bb ccc dd".split(' '), 6, "  "), "a bb\n  ccc\n  dd\n");
        assert_eq!(wrapped("abcdefgh i".split(' '), 4, ""), "abcdefgh\ni\n");
        assert_eq!(wrapped([""; 0].iter(), 4, ""), "\n");
    }
}
