//! A schema for one measurement: a name that no other one has, and dropped at the end.

use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::quote_ident;
use inrush::sans_io::{Error, Result};
use std::time::{SystemTime, UNIX_EPOCH};

/// The schema. It is dropped with this value; [`OwnSchema::remove`] reports whether that succeeded.
pub(crate) struct OwnSchema {
    config: Config,
    name: String,
    is_there: bool,
}

impl OwnSchema {
    /// Creates a schema whose name begins with `prefix`, of letters, digits and `_`. `hint` says what it is for.
    ///
    /// # Errors
    /// `Server` if this user may not create a schema.
    pub(crate) fn create(config: &Config, prefix: &str, hint: &'static str) -> Result<Self> {
        let config = config.clone().without_database();
        let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let name = format!("{prefix}{}_{micros}", std::process::id());
        let create = format!("CREATE DATABASE {}", quote_ident(&name));
        Connection::connect(&config)?.execute(&create, ()).map_err(|error| error.with_hint(hint))?;
        Ok(Self { config, name, is_there: true })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Drops it, over a connection of its own: that of the measurement may be lost.
    ///
    /// # Errors
    /// `Server` with the statement that removes it.
    pub(crate) fn remove(mut self) -> Result<()> {
        self.drop_it()
    }

    fn drop_it(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_there) {
            return Ok(());
        }
        let drop = format!("DROP DATABASE IF EXISTS {}", quote_ident(&self.name));
        let dropped = Connection::connect(&self.config).and_then(|mut connection| connection.execute(&drop, ()));
        dropped.map(|_| ()).map_err(|error: Error| {
            let message = format!("the schema of the measurement is still there, `{drop}` removes it");
            error.while_doing(&message)
        })
    }
}

impl Drop for OwnSchema {
    fn drop(&mut self) {
        // The error cannot be reported any more.
        let _ = self.drop_it();
    }
}
