//! CSV by RFC 4180, so that no reader has to guess: NULL is `\N`. A text is in quotes if it could be read as NULL, as the end of its
//! field or as nothing.

use super::column::LineColumn;

pub(super) fn header(columns: &[LineColumn], lines: &mut Vec<u8>) {
    line(columns.iter().map(|column| Some(&*column.name)), lines);
}

pub(super) fn line<'c>(cells: impl Iterator<Item = Option<&'c [u8]>>, lines: &mut Vec<u8>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            lines.push(b',');
        }
        match cell {
            None => lines.extend_from_slice(NULL),
            Some(cell) => text(cell, lines),
        }
    }
    lines.push(b'\n');
}

fn text(cell: &[u8], lines: &mut Vec<u8>) {
    if !needs_quotes(cell) {
        return lines.extend_from_slice(cell);
    }
    lines.push(b'"');
    for piece in cell.split_inclusive(|byte| *byte == b'"') {
        lines.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            lines.push(b'"');
        }
    }
    lines.push(b'"');
}

/// Blanks at the ends and backslashes are quoted too: some readers drop the first, and take the second for escapes.
fn needs_quotes(cell: &[u8]) -> bool {
    let is_odd = |byte: &u8| matches!(byte, b',' | b'"' | b'\'' | b'\n' | b'\r' | b'\\' | b'#');
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    cell.is_empty() || is_blank(cell.first()) || is_blank(cell.last()) || cell.iter().any(is_odd)
}

const NULL: &[u8] = br"\N";
