//! The options that are numbers with units: batches, memory, rate.

use inrush::BatchSize;
use inrush_core::{Error, Result, human};
use std::num::NonZeroU64;

/// `64000` is rows; `4MiB`, `512k` are bytes.
pub(super) fn batch(text: &str) -> Result<BatchSize> {
    BatchSize::parse(text).ok_or_else(|| {
        Error::config(format!("`--batch {text}` is not understood"))
            .with_hint("it takes `auto`, rows (`64000`) or bytes (`4MiB`), at least 1 and at most 64 MiB")
    })
}

/// `256MiB`, `1GiB`.
pub(super) fn memory(text: &str) -> Result<usize> {
    match human::bytes_of(text) {
        Some((bytes, true)) if bytes >= LEAST_MEMORY => Ok(usize::try_from(bytes).unwrap_or(usize::MAX)),
        _ => Err(Error::config(format!("`--memory {text}` is not understood"))
            .with_hint("it takes bytes such as `256MiB` or `1GiB`, at least 1 MiB")),
    }
}

const LEAST_MEMORY: u64 = 1 << 20;

/// `5000`, `50k`, `1M`; with or without `/s`.
pub(crate) fn rate(text: &str) -> Result<NonZeroU64> {
    human::rate_of(text).and_then(NonZeroU64::new).ok_or_else(|| {
        Error::config(format!("`--rate {text}` is not understood"))
            .with_hint("it takes rows a second: `5000`, `50k` or `1M`, at least 1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_rows_or_bytes() {
        assert_eq!(batch("auto").unwrap(), BatchSize::Auto);
        assert_eq!(batch("64000").unwrap(), BatchSize::Rows(64000));
        assert_eq!(batch("4MiB").unwrap(), BatchSize::Bytes(4 << 20));
        for wrong in ["", "0", "0k", "65MiB", "4x", "-1", "MiB", "1GiB", "99999999999999999999"] {
            assert!(batch(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_is_bytes() {
        assert_eq!(memory("256MiB").unwrap(), 256 << 20);
        assert_eq!(memory("1g").unwrap(), 1 << 30);
        for wrong in ["", "256", "0MiB", "1023k", "MiB", "1T"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_rate_is_rows_a_second() {
        for (text, want) in [("1", 1), ("5000", 5000), ("5000/s", 5000), ("50k", 50_000), ("2M/s", 2_000_000)] {
            assert_eq!(rate(text).unwrap().get(), want);
        }
        for wrong in ["", "0", "0k", "-1", "1.5", "5 MiB", "/s", "5kib"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
