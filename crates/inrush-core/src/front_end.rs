//! The names of options in messages.
//!
//! Messages name options as the command does: `--bad-rows skip`. The library and Python have other names for the same options, which
//! [`FrontEnd::names`] puts in their place: `LoadOptions::with_bad_rows(BadRows::Skip)`, `bad_rows="skip"`. The table below has the setter of every
//! option that a message names (tested by `inrush`'s `loader/options/tests.rs`); Python's arguments have the names of the
//! options.

mod python;

use crate::error::Error;
use std::borrow::Cow;

/// The front end that shows messages to a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    /// The command `inrush load`.
    Command,
    /// A Rust program.
    #[default]
    Library,
    /// A Python program.
    Python,
}

impl FrontEnd {
    /// Returns the text with this front end's names of options. In a hint (`is_hint`), an option without a value is one to be
    /// switched on.
    pub fn names(self, text: &str, is_hint: bool) -> Cow<'_, str> {
        if self == Self::Command || !text.contains("--") {
            return Cow::Borrowed(text);
        }
        Cow::Owned(match self {
            Self::Python => python::in_python(text, is_hint),
            _ => in_rust(text, is_hint),
        })
    }

    /// The error with these names.
    pub fn name_options(self, error: Error) -> Error {
        error.reworded(|text, is_hint| match self.names(text, is_hint) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        })
    }
}

fn in_rust(text: &str, is_hint: bool) -> String {
    // Texts between backticks have odd numbers.
    let part = |(at, part): (usize, &str)| match at % 2 == 1 && part.contains("--") {
        true => rust_options(part, is_hint).unwrap_or_else(|| part.to_owned()),
        false => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// One or several options: `--skip 3 --no-header`. `None`: they keep their names.
fn rust_options(options: &str, is_hint: bool) -> Option<String> {
    let options = options.strip_prefix("inrush load ").unwrap_or(options);
    let mut words = python::words(options).into_iter().peekable();
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        let option = word.strip_prefix("--")?;
        let (flag, value) = match option.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (option, words.next_if(|word| !word.starts_with("--"))),
        };
        let (_, rust) = OPTIONS.iter().find(|(known, _)| *known == flag)?;
        named.push(rust.shown(value.as_deref(), is_hint));
        if flag == "forget" {
            break;
        }
    }
    Some(named.join("`, `"))
}

/// The Rust form of an option of the command.
enum Rust {
    /// A setter that takes `true`.
    Switch(&'static str),
    /// A setter and the enum that it takes: `divert:FILE` is `Divert(FILE)`.
    Variant(&'static str, &'static str),
    /// A setter that takes the value as it is written: a number, a text, a name for one.
    Value(&'static str),
    /// A setter and the enum that it takes: `90%` is `Percent(90.0)`, `5` is `Rows(5)`.
    Count(&'static str, &'static str),
    /// A setter that takes one character.
    Byte(&'static str),
    /// A setter that takes words between points.
    Path(&'static str),
    /// The same whatever the value is.
    Always(&'static str),
}

impl Rust {
    fn shown(&self, value: Option<&str>, is_hint: bool) -> String {
        match (self, value) {
            (Self::Always(text), _) => (*text).to_owned(),
            (Self::Switch(setter), _) if is_hint => format!("{setter}(true)"),
            (Self::Variant(setter, _), Some("auto")) if !setter.ends_with("sort") => format!("{setter}(None)"),
            (Self::Variant("", of), Some(word)) => variant(of, word),
            (Self::Variant(setter, of), Some(word)) => format!("{setter}({})", variant(of, word)),
            (Self::Value(setter), Some(value)) => format!("{setter}({})", literal(value)),
            (Self::Count(setter, of), Some(value)) => match value.strip_suffix('%') {
                Some(share) => format!("{setter}({of}::Percent({share}.0))"),
                None => format!("{setter}({of}::Rows({value}))"),
            },
            (Self::Byte(setter), Some("")) => format!("{setter}(None)"),
            (Self::Byte(setter), Some(value)) => format!("{setter}(b'{}')", value.escape_default()),
            (Self::Path(setter), Some(".")) => format!("{setter}(Vec::new())"),
            (Self::Path(setter), Some(path)) => {
                let keys: Vec<_> = path.split('.').map(|key| format!("{key:?}.into()")).collect();
                format!("{setter}(vec![{}])", keys.join(", "))
            }
            (Self::Variant("", of), None) => (*of).to_owned(),
            (
                Self::Switch(setter)
                | Self::Variant(setter, _)
                | Self::Value(setter)
                | Self::Count(setter, _)
                | Self::Byte(setter)
                | Self::Path(setter),
                _,
            ) => (*setter).to_owned(),
        }
    }
}

/// `at-least-once` as `Guarantee::AtLeastOnce`, `divert:FILE` as `BadRows::Divert("FILE".into())`.
fn variant(of: &str, word: &str) -> String {
    let (name, value) = word.split_once(':').map_or((word, None), |(name, value)| (name, Some(value)));
    let camel: String = name
        .split('-')
        .flat_map(|part| part.chars().enumerate().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c }))
        .collect();
    let value = value.map_or(String::new(), |value| format!("({value:?}.into())"));
    format!("{of}::{camel}{value}")
}

/// A value as it is written in Rust: a number, mebibytes, else a text.
fn literal(value: &str) -> String {
    match value.strip_suffix("MiB") {
        Some(mib) if is_number(mib) => format!("{mib} << 20"),
        _ if is_number(value) => value.to_owned(),
        _ => format!("{value:?}"),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The options that messages name.
const OPTIONS: &[(&str, Rust)] = {
    use Rust::{Always, Byte, Count, Path, Switch, Value, Variant};
    &[
        ("again", Switch("LoadOptions::with_again")),
        ("allow-empty", Switch("LoadOptions::with_allow_empty")),
        ("atomic", Switch("LoadOptions::with_atomic")),
        ("bad-rows", Variant("LoadOptions::with_bad_rows", "BadRows")),
        ("batch", Value("LoadOptions::with_batch")),
        ("columns", Always("LoadOptions::with_matching(Matching::Listed(..))")),
        ("comment", Always("CsvOptions::with_comment")),
        ("create-table", Always("LoadOptions::with_create")),
        ("currency", Value("ValueFormats::with_currencies")),
        ("date-format", Always("ValueFormats::with_dates")),
        ("decimal", Value("ValueFormats::with_decimal")),
        ("defer-indexes", Switch("LoadOptions::with_defer_indexes")),
        ("delimiter", Byte("CsvOptions::with_delimiter")),
        ("encoding", Always("CsvOptions::with_encoding")),
        ("escape", Byte("CsvOptions::with_escape")),
        ("extra-fields", Always("CsvOptions::with_ignore_extra_fields(true)")),
        ("false", Value("ValueFormats::with_falses")),
        ("force", Switch("LoadOptions::with_force")),
        ("forget", Always("Loader::forget")),
        ("format", Variant("", "Format")),
        ("formulas", Always("CsvOptions::with_stored_formulas(true)")),
        ("guarantee", Variant("LoadOptions::with_guarantee", "Guarantee")),
        ("header", Always("CsvOptions::with_header(true)")),
        ("job-name", Always("NamedJob::new")),
        ("json-path", Path("CsvOptions::with_json_path")),
        ("keep-old", Always("LoadOptions::with_keep_old")),
        ("key", Always("LoadOptions::with_key")),
        ("max-bad", Count("LoadOptions::with_max_bad", "MaxBad")),
        ("max-lag", Always("LoadOptions::with_max_lag")),
        ("memory", Value("LoadOptions::with_memory")),
        ("method", Variant("LoadOptions::with_method", "Method")),
        ("min-rows", Count("LoadOptions::with_min_rows", "MinRows")),
        ("missing-fields", Always("CsvOptions::with_null_missing_fields(true)")),
        ("missing-columns", Variant("LoadOptions::with_missing_columns", "MissingColumns")),
        ("mode", Variant("LoadOptions::with_mode", "Mode")),
        ("new-columns", Variant("LoadOptions::with_new_columns", "NewColumns")),
        ("no-header", Always("CsvOptions::with_header(false)")),
        ("quote", Byte("CsvOptions::with_quote")),
        ("null", Always("CsvOptions::with_nulls")),
        ("part", Always("NamedJob::part")),
        ("parts", Always("NamedJob::of")),
        ("percent", Always("ValueFormats::with_percent")),
        ("replace-table", Always("LoadOptions::with_atomic(true).with_truncate(true).with_replace(true)")),
        ("replica", Always("LoadOptions::with_replicas")),
        ("retry-for", Always("LoadOptions::with_retries_for")),
        ("sample", Always("infer_types_of")),
        ("set", Always("LoadOptions::with_set")),
        ("skip", Value("CsvOptions::with_skip")),
        ("sort", Variant("LoadOptions::with_sort", "Sort")),
        ("status", Always("Loader::status")),
        ("temp-dir", Value("LoadOptions::with_temp_dir")),
        ("thousands", Always("ValueFormats::with_thousands")),
        ("throttle", Always("LoadOptions::with_throttle")),
        ("tight", Always("LoadOptions::with_create")),
        ("time-zone", Value("LoadOptions::with_time_zone")),
        ("true", Value("ValueFormats::with_trues")),
        ("truncate", Switch("LoadOptions::with_truncate")),
        ("trust-source", Switch("LoadOptions::with_trust_source")),
        ("type", Always("LoadOptions::with_create")),
        ("unchecked", Always("LoadOptions::with_unchecked")),
        ("widen", Always("LoadOptions::with_needed")),
        ("unreadable-replicas", Variant("LoadOptions::with_unreadable_replicas", "UnreadableReplicas")),
        ("unreadable-signals", Variant("LoadOptions::with_unreadable_signals", "UnreadableSignals")),
        ("widths", Always("CsvOptions::with_widths")),
    ]
};

/// The options of the command that messages may name, with their setter.
#[doc(hidden)]
pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPTIONS.iter().map(|(flag, rust)| match rust {
        Rust::Variant("", setter)
        | Rust::Switch(setter)
        | Rust::Variant(setter, _)
        | Rust::Value(setter)
        | Rust::Count(setter, _)
        | Rust::Byte(setter)
        | Rust::Path(setter)
        | Rust::Always(setter) => (*flag, *setter),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, library: &str, python: &str) {
        assert_eq!(FrontEnd::Command.names(text, true), text);
        assert_eq!(FrontEnd::Library.names(text, true), library);
        assert_eq!(FrontEnd::Python.names(text, true), python);
    }

    #[test]
    fn switches() {
        check("`--again` loads it", "`LoadOptions::with_again(true)` loads it", "`again=True` loads it");
        check("`--create-table` makes one", "`LoadOptions::with_create` makes one", "`create=True` makes one");
        let text = "`--min-rows` counts rows";
        assert_eq!(FrontEnd::Library.names(text, false), "`LoadOptions::with_min_rows` counts rows");
        assert_eq!(FrontEnd::Python.names(text, false), "`min_rows` counts rows");
    }
    #[test]
    fn words() {
        check(
            "add `--bad-rows skip` or `--bad-rows divert:FILE`",
            "add `LoadOptions::with_bad_rows(BadRows::Skip)` or `LoadOptions::with_bad_rows(BadRows::Divert(\"FILE\".into()))`",
            "add `bad_rows=\"skip\"` or `bad_rows=\"divert:FILE\"`",
        );
        check(
            "`--guarantee at-least-once`",
            "`LoadOptions::with_guarantee(Guarantee::AtLeastOnce)`",
            "`guarantee=\"at-least-once\"`",
        );
        check("`--method auto`", "`LoadOptions::with_method(None)`", "`method=\"auto\"`");
        check("`--sort none`", "`LoadOptions::with_sort(Sort::None)`", "`sort=\"none\"`");
        check("`--format csv`", "`Format::Csv`", "`format=\"csv\"`");
    }
    #[test]
    fn values() {
        check("`--memory 64MiB`", "`LoadOptions::with_memory(64 << 20)`", "`memory=\"64MiB\"`");
        check("`--max-bad 5`", "`LoadOptions::with_max_bad(MaxBad::Rows(5))`", "`max_bad=5`");
        check("`--min-rows 90%`", "`LoadOptions::with_min_rows(MinRows::Percent(90.0))`", "`min_rows=\"90%\"`");
        check("`--time-zone +02:00`", "`LoadOptions::with_time_zone(\"+02:00\")`", "`time_zone=\"+02:00\"`");
        check("`--quote ''`", "`CsvOptions::with_quote(None)`", "`quote=\"\"`");
        check("`--delimiter ';'`", "`CsvOptions::with_delimiter(b';')`", "`delimiter=\";\"`");
        check(
            "`--json-path a.b`",
            "`CsvOptions::with_json_path(vec![\"a\".into(), \"b\".into()])`",
            "`json_path=\"a.b\"`",
        );
        check("`--json-path .`", "`CsvOptions::with_json_path(Vec::new())`", "`json_path=\".\"`");
    }
    #[test]
    fn commands_and_several_options() {
        check("`inrush load --forget 12ab`", "`Loader::forget`", "`inrush.forget(\"12ab\", url)`");
        check(
            "`--skip 3 --no-header`",
            "`CsvOptions::with_skip(3)`, `CsvOptions::with_header(false)`",
            "`skip=3, header=False`",
        );
    }
    #[test]
    fn what_is_no_option_stays() {
        assert_eq!(FrontEnd::Library.names("`--unknown`", true), "`--unknown`");
        for text in ["", "no -- option", "`a--b`", "`x", "--again", "`SELECT 1 -- again`"] {
            check(text, text, text);
        }
    }
}
