//! A decoder of others that panics at a damaged file has refused it: that is an error like any other.
//!
//! The crates of Arrow check most of what a file says, not all (a list of places whose length is no multiple of four was enough). What
//! they were at is thrown away: a source is not asked again after an error.

use inrush_core::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `decode`; its panic is the error that `name` is damaged.
pub(crate) fn guarded<T>(name: &str, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(Error::data(format!("cannot read `{name}`: it is damaged, and its decoder gave up"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::panic)]
    fn a_panic_is_an_error() {
        assert_eq!(guarded("a", || Ok(1)).unwrap(), 1);
        assert!(
            guarded("a.arrow", || -> Result<()> { panic!("out of bounds") })
                .unwrap_err()
                .message()
                .contains("`a.arrow`")
        );
    }
}
