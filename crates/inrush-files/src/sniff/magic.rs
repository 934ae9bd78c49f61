//! Recognizes files that are not text by their first bytes.

use inrush_core::error::{Error, Result};

/// Refuses files that are not text.
pub(super) fn refuse(name: &str, bytes: &[u8]) -> Result<()> {
    let is =
        |(at, magic, ..): &&(usize, &[u8], &str, &str)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    // Letters may begin a header as well (`ORCID,name`): then no byte of the file is NUL.
    let may_be_text =
        |(_, magic, ..): &&(usize, &[u8], &str, &str)| magic.is_ascii() && magic.iter().all(u8::is_ascii_alphanumeric);
    match KINDS.iter().find(is).filter(|kind| !may_be_text(kind) || bytes.contains(&0)) {
        None => Ok(()),
        Some((_, _, kind, hint)) => {
            let hint = hint.replace("FILE", name);
            Err(Error::config(format!("`{name}` is {kind}, not a table as text")).with_hint(hint))
        }
    }
}

/// For each kind of file: the offset of its magic bytes, the bytes, its name, and what to do with it.
const KINDS: &[(usize, &[u8], &str, &str)] = &[
    (257, b"ustar", "a tar archive", "load one of its files: `tar -xOf FILE MEMBER | inrush load - ..`"),
    (0, b"Rar!\x1A\x07", "a RAR archive", "unpack it first"),
    (
        0,
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "a document of old Office (.xls), or one with a password",
        "save it as .xlsx without a password, or as CSV",
    ),
    (0, b"Obj\x01", "Avro", "write it as Parquet first"),
    (0, b"ORC", "ORC", "write it as Parquet first"),
    (0, b"\x89HDF\r\n\x1A\n", "HDF5", "write it as Parquet first"),
    (0, b"%PDF-", "a PDF", "take its tables out first"),
    (0, b"\x89PNG\r\n\x1A\n", "a picture", "look into it: it has no rows"),
    (0, b"\xFF\xD8\xFF", "a picture", "look into it: it has no rows"),
    (0, b"GIF8", "a picture", "look into it: it has no rows"),
    (0, b"\x7FELF", "a program", "look whether it is the right file"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_begin_a_header_are_no_magic() {
        assert!(refuse("a.csv", b"ORCID,name\n1,Ann\n").is_ok());
        assert!(refuse("a.csv", b"GIF8,n\n1,2\n").is_ok());
        assert!(refuse("a.orc", b"ORC\x0a\x06\x00\x12\x04").is_err());
        assert!(refuse("a.gif", b"GIF89a\x01\x00\x01\x00").is_err());
        assert!(refuse("a.pdf", b"%PDF-1.7\n").is_err());
    }
}
