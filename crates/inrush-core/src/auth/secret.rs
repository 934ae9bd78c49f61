//! A password that is never printed.

use std::fmt;

/// A password. Neither printing nor debug printing shows it, nor how long it is.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Wraps it.
    pub fn new(password: impl Into<Vec<u8>>) -> Self {
        Self(password.into())
    }

    /// The bytes, for code that must send or hash them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl From<&str> for Secret {
    fn from(password: &str) -> Self {
        Self::new(password)
    }
}
