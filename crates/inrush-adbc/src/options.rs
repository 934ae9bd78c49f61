//! Values of options.

use crate::failure::{self, Result};
use adbc_core::options::OptionValue;

/// The text of an option.
pub(crate) fn text(key: &impl AsRef<str>, value: OptionValue) -> Result<String> {
    match value {
        OptionValue::String(text) => Ok(text),
        OptionValue::Int(number) => Ok(number.to_string()),
        _ => Err(failure::invalid(format!("`{}` takes a text", key.as_ref()))),
    }
}

/// The number of an option, from 1 on.
pub(crate) fn number(key: &impl AsRef<str>, value: OptionValue) -> Result<usize> {
    text(key, value)?
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| failure::invalid(format!("`{}` takes a number from 1 on", key.as_ref())))
}
