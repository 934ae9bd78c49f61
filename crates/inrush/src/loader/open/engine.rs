//! Which engine a server is, where its greeting does not say it: a proxy answers with a version of its own, and some engines greet as the
//! MySQL that they emulate.

use crate::Config;
use crate::blocking::Connection;
use crate::loader::load::Load;
use crate::loader::sql;
use inrush_core::Result;
use inrush_core::profile::Engine;
use inrush_core::wire::ServerVersion;

/// Connects, with the engine in the configuration from then on. One that the user names is not asked for.
pub(super) fn connect(load: &Load, config: Config) -> Result<(Connection, Config)> {
    let mut connection = load.control.connect(&config)?;
    if config.engine().is_some() {
        return Ok((connection, config));
    }
    let version = sql::first_row(&mut connection, "SELECT VERSION()")?.concat();
    match Engine::unless_greeted(&ServerVersion::parse(&version), connection.server_version()) {
        None => Ok((connection, config)),
        Some(engine) => {
            connection.close();
            let config = config.with_engine(engine);
            Ok((load.control.connect(&config)?, config))
        }
    }
}
