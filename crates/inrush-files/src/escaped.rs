//! Fields of lines as SELECT INTO OUTFILE writes them: between tabs, `\` before what is special, `\N` for NULL. Readers that make a text
//! of something else write it, and the reader of CSV takes it apart.

/// Appends a field.
pub(crate) fn push(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\' | 0)) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            0 => b"\\0",
            _ => b"\\\\",
        });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// A field without a value.
pub(crate) const NULL: &[u8] = b"\\N";

/// What is between two fields.
pub(crate) const DELIMITER: u8 = b'\t';

pub(crate) const ESCAPE: u8 = b'\\';
