//! The options of files: those of the command, with underscores in the place of its hyphens.

use crate::failure;
use inrush_files::{FileOptions, Format, Percent};
use pyo3::prelude::*;

/// Sets one option. Returns `None` if the name is unknown. Python's side passes several texts as a list.
pub(crate) fn set(files: &mut FileOptions, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
    let text = || value.extract::<String>();
    let texts = || value.extract::<Vec<String>>();
    let refuse = |takes: &str| {
        let shown = value.repr().map_or_else(|_| "?".into(), |shown| shown.to_string());
        failure::interface(value.py(), format!("`{name}={shown}` is not understood: it takes {takes}"))
    };
    let one_of = |words: [&str; 2]| match words.iter().position(|word| text().is_ok_and(|text| text == **word)) {
        Some(at) => Ok(at == 1),
        None => Err(refuse(&format!("\"{}\" or \"{}\"", words[0], words[1]))),
    };
    let character = || value.extract::<char>().map_err(|_| refuse("one character"));
    match name {
        "format" => {
            let names = Format::NAMES.map(|(name, _)| format!("\"{name}\"")).join(", ");
            files.format = Format::parse(&text()?).ok_or_else(|| refuse(&names))?;
        }
        "json_path" => files.json_path = Some(text()?),
        "delimiter" => files.delimiter = Some(text()?),
        "quote" => files.quote = Some(text()?),
        "escape" => files.escape = Some(text()?),
        "comment" => files.comment = Some(text()?),
        "header" => files.header = Some(value.extract().map_err(|_| refuse("True or False"))?),
        "header_names" => files.keeps_names = one_of(["auto", "keep"])?,
        "null" => files.nulls = texts()?,
        "encoding" => files.encoding = Some(text()?),
        "decimal" => files.decimal = Some(character()?),
        "thousands" => files.thousands = Some(character()?),
        "currency" => files.currencies = texts()?,
        "percent" => {
            files.percent = Some(Percent::parse(&text()?).ok_or_else(|| refuse("\"strip\" or \"share\""))?);
        }
        "true" => files.trues = texts()?,
        "false" => files.falses = texts()?,
        "date_format" => files.date_formats = texts()?,
        "widths" => files.widths = Some(text()?),
        "extra_fields" => files.ignores_extra_fields = one_of(["error", "ignore"])?,
        "missing_fields" => files.nulls_missing_fields = one_of(["error", "null"])?,
        "formulas" => files.takes_stored_formulas = one_of(["error", "stored"])?,
        "skip" => files.skip = Some(text()?),
        "limit" => files.limit = Some(value.extract().map_err(|_| refuse("a number of rows"))?),
        _ => return Ok(None),
    }
    Ok(Some(()))
}
