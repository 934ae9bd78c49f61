//! The driver, and a database: where to connect, and as whom.

use crate::connection::InrushConnection;
use crate::failure::{self, Result};
use crate::options::text;
use crate::session::SharedSession;
use adbc_core::options::{OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{Database, Driver, Optionable};
use inrush::Config;
use std::collections::HashMap;

/// The driver.
#[derive(Debug, Default)]
pub struct InrushDriver;

impl Driver for InrushDriver {
    type DatabaseType = InrushDatabase;

    fn new_database(&mut self) -> Result<InrushDatabase> {
        Ok(InrushDatabase::default())
    }

    fn new_database_with_opts(
        &mut self,
        opts: impl IntoIterator<Item = (OptionDatabase, OptionValue)>,
    ) -> Result<InrushDatabase> {
        let mut database = InrushDatabase::default();
        for (key, value) in opts {
            database.set_option(key, value)?;
        }
        Ok(database)
    }
}

/// Where to connect.
#[derive(Default)]
pub struct InrushDatabase {
    uri: Option<String>,
    username: Option<String>,
    password: Option<String>,
    /// Options for each connection.
    of_connections: HashMap<String, OptionValue>,
}

impl std::fmt::Debug for InrushDatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A URL may have a password.
        f.debug_struct("InrushDatabase").field("username", &self.username).finish_non_exhaustive()
    }
}

impl InrushDatabase {
    fn config(&self) -> Result<Config> {
        let config = match &self.uri {
            // The schemes by which managers find this driver.
            Some(uri) => Config::parse(&uri.replacen("inrush://", "mysql://", 1)),
            None => Config::from_option_files(None),
        };
        let mut config = config.map_err(|error| failure::of(&error))?;
        if let Some(username) = &self.username {
            config = config.with_user(username);
        }
        if let Some(password) = &self.password {
            config = config.with_password(password);
        }
        // The application's word goes before the environment's.
        if !config.has_secret()
            && let Ok(password) = std::env::var("INRUSH_PASSWORD")
        {
            config = config.with_password(password);
        }
        Ok(config)
    }
}

impl Database for InrushDatabase {
    type ConnectionType = InrushConnection;

    fn new_connection(&self) -> Result<InrushConnection> {
        self.new_connection_with_opts([])
    }

    fn new_connection_with_opts(
        &self,
        opts: impl IntoIterator<Item = (OptionConnection, OptionValue)>,
    ) -> Result<InrushConnection> {
        let mut connection = InrushConnection::new(SharedSession::connect(self.config()?)?);
        for (key, value) in &self.of_connections {
            connection.set_option(OptionConnection::from(key.as_str()), value.clone())?;
        }
        for (key, value) in opts {
            connection.set_option(key, value)?;
        }
        Ok(connection)
    }
}

impl Optionable for InrushDatabase {
    type Option = OptionDatabase;

    fn set_option(&mut self, key: OptionDatabase, value: OptionValue) -> Result<()> {
        match key {
            OptionDatabase::Uri => self.uri = Some(text(&key, value)?),
            OptionDatabase::Username => self.username = Some(text(&key, value)?),
            OptionDatabase::Password => self.password = Some(text(&key, value)?),
            OptionDatabase::Other(key)
                if key.starts_with("inrush.connection.") || key.starts_with("adbc.connection.") =>
            {
                self.of_connections.insert(key, value);
            }
            other => return Err(failure::no_option(other.as_ref())),
        }
        Ok(())
    }

    fn get_option_string(&self, key: OptionDatabase) -> Result<String> {
        match &key {
            OptionDatabase::Username => self.username.clone().ok_or_else(|| failure::no_option(key.as_ref())),
            // A URL may have a password, so it is never returned.
            _ => Err(failure::no_option(key.as_ref())),
        }
    }

    fn get_option_bytes(&self, key: OptionDatabase) -> Result<Vec<u8>> {
        Err(failure::no_option(key.as_ref()))
    }

    fn get_option_int(&self, key: OptionDatabase) -> Result<i64> {
        Err(failure::no_option(key.as_ref()))
    }

    fn get_option_double(&self, key: OptionDatabase) -> Result<f64> {
        Err(failure::no_option(key.as_ref()))
    }
}
