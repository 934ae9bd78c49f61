//! Formats that are not read, by their names and their first bytes: one row a format, with what to do about it.

use inrush_core::error::{Error, Result};

/// Refuses a file by the endings of its names.
pub(crate) fn refuse_name(path: &str, endings: &[String]) -> Result<()> {
    let is_named = |(_, names, ..): &&Other| names.iter().any(|name| endings.iter().any(|ending| ending == name));
    let Some((_, names, _, hint)) = OTHERS.iter().find(is_named) else { return Ok(()) };
    let ending = names.iter().find(|name| endings.iter().any(|ending| ending == *name)).unwrap_or(&"");
    Err(Error::config(format!("`{path}` is named `.{ending}`, a format that is not read")).with_hint(*hint))
}

/// Refuses a file that is not text by its first bytes.
pub(crate) fn refuse_content(name: &str, bytes: &[u8]) -> Result<()> {
    let is =
        |((at, magic), ..): &&Other| !magic.is_empty() && bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    // Letters may begin a header as well (`ORCID,name`): then no byte of the file is NUL.
    let may_be_text = |((_, magic), ..): &&Other| magic.iter().all(u8::is_ascii_alphanumeric);
    match OTHERS.iter().find(is).filter(|other| !may_be_text(other) || bytes.contains(&0)) {
        None => Ok(()),
        Some((_, _, what, hint)) => {
            let hint = hint.replace("FILE", name);
            Err(Error::config(format!("`{name}` is {what}, not a table as text")).with_hint(hint))
        }
    }
}

/// The offset of the magic bytes and the bytes, the endings of names, what the format is called, and what to do with such a file.
type Other = ((usize, &'static [u8]), &'static [&'static str], &'static str, &'static str);

const OTHERS: &[Other] = &[
    ((257, b"ustar"), &[], "a tar archive", "load one of its files: `tar -xOf FILE MEMBER | inrush load - ..`"),
    ((0, b"Rar!\x1A\x07"), &[], "a RAR archive", "unpack it first"),
    (
        (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
        &[],
        "a document of old Office (.xls), or one with a password",
        "save it as .xlsx without a password, or as CSV",
    ),
    ((0, b""), &["xls", "xlsb", "ods"], "a workbook", "save it as .xlsx or CSV first"),
    ((0, b"Obj\x01"), &["avro"], "Avro", "write it as Parquet first"),
    ((0, b"ORC"), &["orc"], "ORC", "write it as Parquet first"),
    ((0, b"\x89HDF\r\n\x1A\n"), &[], "HDF5", "write it as Parquet first"),
    ((0, b"%PDF-"), &[], "a PDF", "take its tables out first"),
    ((0, b"\x89PNG\r\n\x1A\n"), &[], "a picture", "look into it: it has no rows"),
    ((0, b"\xFF\xD8\xFF"), &[], "a picture", "look into it: it has no rows"),
    ((0, b"GIF8"), &[], "a picture", "look into it: it has no rows"),
    ((0, b"\x7FELF"), &[], "a program", "look whether it is the right file"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_begin_a_header_are_no_magic() {
        assert!(refuse_content("a.csv", b"ORCID,name\n1,Ann\n").is_ok());
        assert!(refuse_content("a.csv", b"GIF8,n\n1,2\n").is_ok());
        assert!(refuse_content("a.orc", b"ORC\x0a\x06\x00\x12\x04").is_err());
        assert!(refuse_content("a.gif", b"GIF89a\x01\x00\x01\x00").is_err());
        assert!(refuse_content("a.pdf", b"%PDF-1.7\n").is_err());
    }
}
