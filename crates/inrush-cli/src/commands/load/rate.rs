//! A rate of rows, as exports and comparisons take it; that of a load is an option of the library.

use inrush_core::{Error, Result, human};
use std::num::NonZeroU64;

/// `5000`, `50k`, `1M`; with or without `/s`. `option` is the one that has it.
pub(crate) fn rate(option: &str, text: &str) -> Result<NonZeroU64> {
    human::rate_of(text).and_then(NonZeroU64::new).ok_or_else(|| {
        Error::config(format!("`{option} {text}` is not understood"))
            .with_hint("it takes rows a second: `5000`, `50k` or `1M`, at least 1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_rows_a_second() {
        for (text, want) in [("1", 1), ("5000", 5000), ("5000/s", 5000), ("50k", 50_000), ("2M/s", 2_000_000)] {
            assert_eq!(rate("--rate", text).unwrap().get(), want);
        }
        for wrong in ["", "0", "0k", "-1", "1.5", "5 MiB", "/s", "5kib"] {
            let error = rate("--read-rate", wrong).unwrap_err();
            assert!(error.to_string().starts_with(&format!("`--read-rate {wrong}` is not understood")), "{error}");
        }
    }
}
