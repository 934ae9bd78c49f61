//! Everything that can be read as a configuration: a URL, a connection string.

use super::{Config, ado, url};
use crate::{Error, Result};
use std::str::FromStr;

impl Config {
    /// Reads a URL (see [`crate::url`]; JDBC's as well), or a connection string as .NET programs have it:
    /// `Server=db;Port=3306;Database=shop;User Id=ann;Password=..;CommandTimeout=120`.
    ///
    /// ```
    /// let config = inrush::Config::parse("Server=db.example.org;User Id=ann;Password='a;b';Database=shop")?;
    /// assert_eq!((config.host(), config.user(), config.database()), ("db.example.org", "ann", Some("shop")));
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` for a text that is neither, and for an unknown or invalid name or value.
    pub fn parse(text: &str) -> Result<Self> {
        Self::default().with_text(text)
    }

    /// Overrides the options in `text`, which has the form of [`Config::parse`], and keeps the rest.
    ///
    /// # Errors
    /// Those of [`Config::parse`].
    pub fn with_text(mut self, text: &str) -> Result<Self> {
        match ado::looks_like_one(text) {
            true => ado::apply(text, &mut self)?,
            false => url::apply(text, &mut self)?,
        }
        Ok(self)
    }
}

impl FromStr for Config {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

/// A description of where to connect to: a [`Config`], a URL, or a connection string (see [`Config::parse`]).
pub trait IntoConfig {
    /// The configuration.
    ///
    /// # Errors
    /// `Config` for a text that is no configuration.
    fn into_config(self) -> Result<Config>;
}

impl IntoConfig for Config {
    fn into_config(self) -> Result<Config> {
        Ok(self)
    }
}

impl IntoConfig for &Config {
    fn into_config(self) -> Result<Config> {
        Ok(self.clone())
    }
}

impl IntoConfig for &str {
    fn into_config(self) -> Result<Config> {
        self.parse()
    }
}

impl IntoConfig for &String {
    fn into_config(self) -> Result<Config> {
        self.parse()
    }
}
