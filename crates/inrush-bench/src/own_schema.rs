//! A schema for one measurement: a name that no other one has, and dropped at the end.

use crate::rights::{May, Rights};
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::quote_ident;
use inrush::sans_io::error::Class;
use inrush::sans_io::{Error, Result};
use std::time::{SystemTime, UNIX_EPOCH};

/// The schema. It is dropped with this value; [`OwnSchema::remove`] reports whether that succeeded.
pub(crate) struct OwnSchema {
    config: Config,
    name: String,
    is_there: bool,
}

impl OwnSchema {
    /// Creates a schema whose name begins with `prefix`, of letters, digits and `_`. `purpose` says what it is for.
    ///
    /// # Errors
    /// `Config` if this user may not drop it again, as far as that is known; `Server` if this user may not create it.
    pub(crate) fn create(config: &Config, prefix: &str, purpose: &str) -> Result<Self> {
        let config = config.clone().without_database();
        let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let name = format!("{prefix}{}_{micros}", std::process::id());
        let needs = || {
            let pattern = prefix.replace('_', r"\_");
            format!(
                "{purpose} in a schema of its own: it needs the right to create and drop one, `GRANT ALL ON `{pattern}%`.* TO ..`"
            )
        };
        let mut connection = Connection::connect(&config)?;
        if rights(&mut connection).on_schema("DROP", &name) == May::No {
            return Err(
                Error::config("this user may not drop the schema that the measurement would make").with_hint(needs())
            );
        }
        let created = connection.execute(&format!("CREATE DATABASE {}", quote_ident(&name)), ());
        created.map_err(|error| match error.class() {
            Class::ReadOnly => {
                error.with_hint(format!("this server is read-only, and {purpose}: name one that takes writes"))
            }
            _ => error.with_hint(needs()),
        })?;
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

    /// Drops it because of this error, and returns the error. If it cannot be dropped, the error says that too.
    pub(crate) fn remove_after(self, error: Error) -> Error {
        match self.remove() {
            Ok(()) => error,
            Err(left) => {
                let hints = [error.hint().map(str::to_owned), Some(left.message().to_owned())];
                error.with_hint(hints.into_iter().flatten().collect::<Vec<_>>().join("; "))
            }
        }
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

/// What the user of this connection may do; unknown if the server does not say that.
pub(crate) fn rights(connection: &mut Connection) -> Rights {
    Rights::read(&connection.query::<String>("SHOW GRANTS", ()).unwrap_or_default())
}

impl Drop for OwnSchema {
    fn drop(&mut self) {
        // The error cannot be reported any more.
        let _ = self.drop_it();
    }
}
