//! Values as SQL literals. A text is closed in quotes and every quote in it is doubled; a backslash is doubled too unless the
//! session is in NO_BACKSLASH_ESCAPES, where it is a character like any other. Nothing else needs an escape: a statement's
//! length is known from its packet, and it is read in utf8mb4, where no byte of a longer character looks like a quote.

/// Appends `'text'`.
pub fn quote_text(text: &[u8], backslash_escapes: bool, out: &mut Vec<u8>) {
    out.push(b'\'');
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| *b == b'\'' || (*b == b'\\' && backslash_escapes)) {
        out.extend_from_slice(&rest[..=at]);
        out.push(rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, with_escapes: &str, without: &str) {
        for (flag, want) in [(true, with_escapes), (false, without)] {
            let mut out = Vec::new();
            quote_text(text.as_bytes(), flag, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }

    #[test]
    fn plain() {
        check("a", "'a'", "'a'");
        check("", "''", "''");
    }

    #[test]
    fn quotes_are_doubled() {
        check("it's", "'it''s'", "'it''s'");
        check("'", "''''", "''''");
    }

    #[test]
    fn backslashes_only_where_they_escape() {
        check(r"a\b", r"'a\\b'", r"'a\b'");
        check(r"\'", r"'\\'''", r"'\'''");
    }

    #[test]
    fn all_else_stands_as_it_is() {
        check("a\0\n\r\t\x1aé\"", "'a\0\n\r\t\x1aé\"'", "'a\0\n\r\t\x1aé\"'");
    }
}
