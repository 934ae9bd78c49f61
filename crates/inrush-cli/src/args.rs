//! What can be written on the command line.

use clap::{Args, Parser, Subcommand};

use crate::commands::server::ServerArgs;

/// Gets rows into MySQL and MariaDB, fast, and loses none.
#[derive(Debug, Parser)]
#[command(name = "inrush", version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Server(ServerArgs),
}
