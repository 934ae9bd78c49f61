//! Which options apply to which kind of file: one table. An option that was given and does not apply is an error, because it would have no
//! effect.

use crate::dialect::CsvOptions;
use inrush_core::error::{Error, Result};

/// A kind of file, by what its options are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Fields between delimiters.
    Delimited,
    /// Fields of so many characters.
    FixedWidth,
    /// An object on each line.
    JsonLines,
    /// A JSON document.
    Json,
    /// A sheet of a workbook.
    Sheet,
    /// A dump in SQL.
    Dump,
    /// Columns with types: Parquet, Arrow, record batches of a program.
    Typed,
}

use FileKind::{Delimited, Dump, FixedWidth, Json, JsonLines, Sheet, Typed};

impl FileKind {
    /// Refuses options that do not apply to `path`, which is a file of this kind.
    ///
    /// # Errors
    /// `Config`, which names the first such option.
    pub(crate) fn check(self, path: &str, options: &CsvOptions) -> Result<()> {
        let mut given = table(options).into_iter().filter(|(_, is_given, _)| *is_given);
        match given.find(|(.., kinds)| !kinds.contains(&self)) {
            Some((option, ..)) => Err(self.refused(option, path)),
            None => Ok(()),
        }
    }

    fn refused(self, option: &str, path: &str) -> Error {
        let has_no_meaning = format!("`{option}` has no meaning");
        match (option, self) {
            (JSON_PATH, Sheet) => Error::config(format!("{has_no_meaning} for `{path}`, which is a workbook")),
            (JSON_PATH, _) => Error::config(format!("{has_no_meaning} for `{path}`, which is no JSON document"))
                .with_hint("if it is one, `--format json`"),
            (_, Dump) => Error::config(format!("{has_no_meaning} for `{path}`, which is a dump in SQL")),
            (_, FixedWidth) => {
                Error::config(format!("{has_no_meaning} with `--widths`: nothing is between the fields"))
            }
            _ => Error::config(format!("{has_no_meaning} for `{path}`, whose values have names and types")),
        }
    }
}

/// The options, whether each was given, and the kinds that it applies to.
fn table(options: &CsvOptions) -> [(&'static str, bool, &'static [FileKind]); 14] {
    // Every option is listed, so that a new one does not compile until it is decided here.
    let CsvOptions {
        delimiter,
        quote,
        escape,
        comment,
        header,
        nulls,
        encoding,
        skip,
        json_path,
        widths,
        ignore_extra_fields,
        null_missing_fields,
        formats,
        // They apply to every kind: records are counted, names cleaned. The last three are about one kind, and leave the others as they are.
        limit: _,
        names: _,
        all_names: _,
        ignore_late_names: _,
        stored_formulas: _,
        // How much is read at a time.
        batch_rows: _,
        batch_bytes: _,
        max_record: _,
        memory: _,
        // They are detected, or say how.
        cr_ends: _,
        auto_detect: _,
        columns_of_table: _,
        doubts: _,
        // It is about one kind, as those above.
        dump_table: _,
        dump_definition: _,
        rows_of_dump: _,
    } = options;
    let is_nan = |null: &Vec<u8>| null.eq_ignore_ascii_case(b"NaN");
    const FORMATS: &str = "--decimal, --thousands, --currency, --percent, --true, --false, --date-format";
    [
        ("--delimiter", delimiter.is_some(), &[Delimited]),
        ("--quote", *quote != Some(b'"'), &[Delimited]),
        ("--escape", escape.is_some(), &[Delimited]),
        ("--comment", comment.is_some(), &[Delimited, FixedWidth]),
        ("--widths", widths.is_some(), &[FixedWidth]),
        ("--no-header", !header, &[Delimited, FixedWidth, Sheet]),
        ("--extra-fields", *ignore_extra_fields, &[Delimited, FixedWidth, JsonLines, Json, Sheet]),
        ("--missing-fields", *null_missing_fields, &[Delimited, FixedWidth, Sheet]),
        (FORMATS, formats.is_any(), &[Delimited, FixedWidth, Sheet]),
        // Numbers of typed columns may be NaN, and this says that NaN is NULL.
        ("--null", nulls.iter().any(is_nan), &[Delimited, FixedWidth, Sheet, Typed]),
        ("--null", !nulls.iter().all(is_nan), &[Delimited, FixedWidth, Sheet]),
        ("--encoding", encoding.is_some(), &[Delimited, FixedWidth, JsonLines, Json]),
        ("--skip", *skip > 0, &[Delimited, FixedWidth, JsonLines, Json, Sheet]),
        (JSON_PATH, json_path.is_some(), &[Json]),
    ]
}

const JSON_PATH: &str = "--json-path";

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds that an option applies to, by the error of each.
    #[test]
    fn which_options_apply_to_which_kind() {
        let all = [Delimited, FixedWidth, JsonLines, Json, Sheet, Dump, Typed];
        let check = |option: &str, options: CsvOptions, want: &[FileKind]| {
            let kinds: Vec<_> = all.into_iter().filter(|kind| kind.check("x", &options).is_ok()).collect();
            assert_eq!(kinds, want, "{option}");
            for kind in all.into_iter().filter(|kind| !want.contains(kind)) {
                let error = kind.check("x", &options).unwrap_err();
                assert!(error.message().starts_with(&format!("`{option}` has no meaning ")), "{kind:?}: {error}");
            }
        };
        let options = CsvOptions::default;
        check("none", options(), &all);
        check("--delimiter", options().with_delimiter(b';'), &[Delimited]);
        check("--quote", options().with_quote(None), &[Delimited]);
        check("--comment", options().with_comment(b"#".to_vec()), &[Delimited, FixedWidth]);
        check("--no-header", options().with_header(false), &[Delimited, FixedWidth, Sheet]);
        check("--extra-fields", options().with_ignore_extra_fields(true), &all[..5]);
        check("--null", options().with_nulls([b"NA".to_vec()]), &[Delimited, FixedWidth, Sheet]);
        check("--null", options().with_nulls([b"nan".to_vec()]), &[Delimited, FixedWidth, Sheet, Typed]);
        check("--null", options().with_nulls([b"nan".to_vec(), b"NA".to_vec()]), &[Delimited, FixedWidth, Sheet]);
        check("--encoding", options().with_encoding(encoding_rs::UTF_8), &[Delimited, FixedWidth, JsonLines, Json]);
        check("--skip", options().with_skip(1), &all[..5]);
        check("--json-path", options().with_json_path(vec!["rows".to_owned()]), &[Json]);
    }
}
