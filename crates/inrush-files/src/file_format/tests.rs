//! Which reader a file needs; the names in Python.

use super::*;

#[test]
fn a_text_has_the_format_of_its_member_then_that_of_its_archive() {
    let check =
        |member: &str, archive: &str, want| assert_eq!(Format::Auto.of_text("x", member, archive).ok(), Some(want));
    check("", "a.csv", TextFormat::Delimited(b','));
    check("", "a", TextFormat::Delimited(b','));
    check("", "a.TAB.gz", TextFormat::Delimited(b'\t'));
    check("", "a.ndjson", TextFormat::JsonLines);
    check("b.geojson", "a.zip", TextFormat::Json);
    check("b", "a.jsonl.zip", TextFormat::JsonLines);
    check("b.tsv", "a.jsonl.zip", TextFormat::Delimited(b'\t'));
}

#[test]
fn a_name_of_another_format_is_refused_as_text() {
    let check = |name: &str, want: &str| {
        let error = Format::Auto.of_text(name, "", name).unwrap_err();
        assert_eq!(error.message(), format!("`{name}` is named `{}`, {want}", &name[1..]));
    };
    check("a.parquet", "and does not begin as such a file");
    check("a.ipc", "and does not begin as such a file");
    check("a.xlsx", "and does not begin as such a file");
    check("a.avro", "a format that is not read");
    check("a.xls", "a format that is not read");
}

#[test]
fn a_typed_file_is_known_by_its_beginning_then_by_its_name() {
    let check = |format: Format, name: &str, head: &[u8], want: Option<&str>| {
        let found = format.of_typed(name, head).map(|typed| match typed {
            Typed::FromEnd(_) => "end",
            Typed::FromStart(_) => "start",
        });
        assert_eq!(found, want, "{format:?} {name}");
    };
    check(Format::Auto, "a.csv", b"PAR1..", Some("end"));
    check(Format::Auto, "a.parquet", b"\xff\xff\xff\xff", Some("start"));
    check(Format::Auto, "a.parquet", b"id,name", Some("end"));
    check(Format::Auto, "a.feather", b"ARROW1", Some("end"));
    check(Format::Auto, "a.feather", b"", Some("start"));
    check(Format::Auto, "", b"id,name", None);
    check(Format::Arrow, "", b"ARROW1", Some("end"));
    check(Format::Arrow, "", b"PAR1", Some("start"));
    check(Format::Parquet, "", b"", Some("end"));
    check(Format::Csv, "a.parquet", b"PAR1", None);
}

/// `INRUSH_WRITE_OPTIONS=1` writes Python's line.
#[test]
fn python_has_the_formats() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/src/inrush/_load.py");
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find("\n    format: ").unwrap() + 1;
    let end = start + text[start..].find('\n').unwrap();
    let names: Vec<_> = Format::NAMES.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let made = format!("{}    format: Literal[{}]{}", &text[..start], names.join(", "), &text[end..]);
    if std::env::var_os("INRUSH_WRITE_OPTIONS").is_some() {
        std::fs::write(&path, &made).unwrap();
    } else {
        assert!(made == text, "{} lacks formats: run this test with INRUSH_WRITE_OPTIONS=1", path.display());
    }
}
