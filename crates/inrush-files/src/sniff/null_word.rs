//! `\N` alone in fields, as SELECT INTO OUTFILE, mysqldump and COPY write NULL, and whether backslashes escape in such a text.
//!
//! A sequence that no such program writes (`\P` of a path) shows that backslashes are text. If a text has neither that nor a certain
//! escape, it is an error that asks the user; a backslash that comes only after the sample makes its row bad.

use super::layout::Layout;
use inrush_core::error::{Error, Result};

/// What `\N` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NullWord {
    /// It is NULL.
    pub(super) is_null: bool,
    /// The sample has no other backslash.
    pub(super) is_alone: bool,
}

/// Detects the meaning of `\N`, and turns quotes off for a text that has `\N` and tabs and no quotes.
/// If the quote is given, it detects only the meaning of `\N`.
pub(super) fn find(name: &str, layout: &mut Layout<'_>, finds_quote: bool) -> Result<NullWord> {
    let (mut has_null, mut has_quoted) = (false, false);
    let mut seen = Seen::default();
    for record in &layout.records {
        for field in &record.fields {
            let text = &layout.text[field.text.clone()];
            match (field.is_quoted, text) {
                (true, _) => has_quoted = true,
                (false, b"\\N") => has_null = true,
                (false, text) if memchr::memchr(b'\\', text).is_some() => seen.note(text, record.line),
                _ => {}
            }
        }
    }
    if !has_null {
        let is_open = finds_quote && layout.delimiter == b'\t' && !has_quoted && layout.escape.is_none();
        return match seen.first.filter(|_| is_open && seen.sure && !seen.other) {
            Some((line, text)) => Err(in_doubt(name, layout.skip + line, &text, "--quote ''")),
            None => Ok(NullWord::default()),
        };
    }
    if has_quoted || layout.escape.is_some() || (!finds_quote && layout.quote.is_some()) {
        return Ok(NullWord { is_null: true, is_alone: false });
    }
    if layout.delimiter != b'\t' && seen.first.is_some() && (seen.other || !seen.sure) {
        // Here backslashes are text, and a program that writes `\N` for NULL would escape them.
        return Ok(NullWord::default());
    }
    if let (false, false, Some((line, text))) = (seen.sure, seen.other, &seen.first) {
        return Err(in_doubt(name, layout.skip + line, text, "--null '\\N'"));
    }
    if seen.sure && !seen.other {
        (layout.quote, layout.escape) = (None, Some(b'\\'));
        return Ok(NullWord { is_null: true, is_alone: false });
    }
    if layout.delimiter == b'\t' && finds_quote {
        layout.quote = None;
    }
    Ok(NullWord { is_null: true, is_alone: !seen.other })
}

fn in_doubt(name: &str, line: u64, text: &str, as_text: &str) -> Error {
    let message = format!("`\\` in `{name}` may escape what is behind it, or be text: `{text}` in line {}", line + 1);
    let hint = format!("say which: `--quote '' --escape '\\'` for escapes, `{as_text}` for text");
    Error::config(message).with_hint(hint)
}

/// The backslashes of fields that are not `\N`.
#[derive(Default)]
struct Seen {
    /// A backslash before a backslash.
    sure: bool,
    /// A backslash before a byte that no program escapes.
    other: bool,
    first: Option<(u64, String)>,
}

impl Seen {
    fn note(&mut self, text: &[u8], line: u64) {
        self.first.get_or_insert_with(|| (line, String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned()));
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            match rest.get(at + 1) {
                Some(b'\\') => self.sure = true,
                Some(b'0' | b'b' | b'n' | b'r' | b't' | b'Z') => {}
                _ => self.other = true,
            }
            rest = rest.get(at + 2..).unwrap_or_default();
        }
    }
}
