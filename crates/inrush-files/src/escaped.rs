//! Fields of lines as SELECT INTO OUTFILE writes them: between tabs, `\` before what is special, `\N` for NULL. Readers that convert
//! another format to text write this form, and the CSV reader parses it.

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
