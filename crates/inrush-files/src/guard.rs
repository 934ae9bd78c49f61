//! Converts a panic of a decoder to an error: the file is damaged.
//!
//! The crates of Arrow check most of a file, but not all (offsets whose length is not a multiple of four caused a panic). The decoder's
//! state is dropped: a source is not used again after an error.

use inrush_core::error::{Error, Result};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether this thread decodes: then a panic is an error, and is not printed.
    static DECODES: Cell<bool> = const { Cell::new(false) };
}

/// Installs, once, a panic hook that does not print a decoder's panic. All others go to the previous hook.
fn quiet_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODES.get() {
                previous(info);
            }
        }));
    });
}

/// Runs `decode`; its panic is the error that `name` is damaged.
pub(crate) fn guarded<T>(name: &str, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    quiet_hook();
    let outer = DECODES.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODES.set(outer);
    decoded.unwrap_or_else(|_| Err(Error::data(format!("cannot read `{name}`: it is damaged, and its decoder failed"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hook is installed once a process, so the test checks the flag that it reads.
    #[test]
    #[allow(clippy::panic)]
    fn only_a_decoder_is_quiet() {
        assert!(!DECODES.get());
        let seen = guarded("a", || Ok(DECODES.get())).unwrap();
        let _ = guarded("a", || -> Result<()> { panic!("out of bounds") });
        assert!(seen && !DECODES.get());
    }

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
