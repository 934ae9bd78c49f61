//! Which algorithm at which level, and the words for it.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::wire::Capabilities;

/// The compression of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// By zlib at this level, 1 (fast) to 9 (small). Every server can do it.
    Zlib(u8),
    /// By Zstandard at this level, 1 (fast) to 22 (small), which counts for both directions. MySQL 8.0.18 and later.
    Zstd(u8),
}

impl Compression {
    /// zlib at its default level.
    pub const ZLIB: Self = Self::Zlib(6);
    /// Zstandard at its default level.
    pub const ZSTD: Self = Self::Zstd(3);

    /// Returns the first of `wanted` that a server with these capabilities offers; no compression is always offered. An empty
    /// list means no compression.
    pub fn choose(wanted: &[Self], offered: Capabilities) -> Result<Self> {
        for one in wanted {
            one.check()?;
        }
        match wanted.iter().find(|one| offered.contains(one.capability())) {
            Some(one) => Ok(*one),
            None if wanted.is_empty() => Ok(Self::None),
            None => {
                let names: Vec<_> = wanted.iter().map(|one| one.name()).collect();
                Err(Error::config(format!("the server does not offer compression by {}", names.join(" or ")))
                    .with_hint("MariaDB knows zlib only; with `none` at the end of the list it is no condition"))
            }
        }
    }

    /// The capability flag of this compression.
    pub fn capability(self) -> Capabilities {
        match self {
            Self::None => Capabilities::empty(),
            Self::Zlib(_) => Capabilities::CLIENT_COMPRESS,
            Self::Zstd(_) => Capabilities::CLIENT_ZSTD_COMPRESSION_ALGORITHM,
        }
    }

    /// Checks that the algorithm has this level, and that the feature `compression` is on.
    pub fn check(self) -> Result<()> {
        self.check_with(cfg!(feature = "compression"))
    }

    fn check_with(self, is_built_in: bool) -> Result<()> {
        match self {
            Self::Zlib(0 | 10..) => Err(Error::config("the levels of zlib go from 1 to 9")),
            Self::Zstd(0 | 23..) => Err(Error::config("the levels of zstd go from 1 to 22")),
            Self::Zlib(_) | Self::Zstd(_) if !is_built_in => {
                Err(Error::config(format!("compression by {} is not built in", self.name()))
                    .with_hint("switch on the feature `compression` of the crate `inrush`, or take the option out"))
            }
            _ => Ok(()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zlib(_) => "zlib",
            Self::Zstd(_) => "zstd",
        }
    }
}

impl From<Compression> for Vec<Compression> {
    fn from(one: Compression) -> Self {
        vec![one]
    }
}

impl FromStr for Compression {
    type Err = Error;

    /// `none` (or the mysql client's `uncompressed`), `zlib`, `zstd`, the latter two with `:LEVEL` or without.
    fn from_str(text: &str) -> Result<Self> {
        let (name, level) = text.split_once(':').map_or((text, None), |(name, level)| (name, Some(level)));
        let parsed = match (name.trim().to_ascii_lowercase().as_str(), level) {
            ("none" | "uncompressed", None) => Self::None,
            ("zlib", None) => Self::ZLIB,
            ("zstd", None) => Self::ZSTD,
            ("zlib", Some(level)) => Self::Zlib(number(level)?),
            ("zstd", Some(level)) => Self::Zstd(number(level)?),
            _ => {
                return Err(Error::config(format!("`{text}` is not a compression"))
                    .with_hint("one of none, zlib, zstd, zlib:LEVEL, zstd:LEVEL"));
            }
        };
        parsed.check().map(|()| parsed)
    }
}

fn number(level: &str) -> Result<u8> {
    level.trim().parse().map_err(|_| Error::config(format!("`{level}` is not a level of compression")))
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Zlib(level) | Self::Zstd(level) => write!(f, "{}:{level}", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn what_is_not_built_in_names_the_feature() {
        for one in [Compression::ZLIB, Compression::ZSTD] {
            assert!(one.check_with(true).is_ok());
            let error = one.check_with(false).unwrap_err();
            assert_eq!(error.kind(), Kind::Config);
            assert!(error.hint().unwrap().contains("feature `compression`"), "{error}");
        }
        assert!(Compression::None.check_with(false).is_ok());
    }
}
