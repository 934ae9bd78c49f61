//! What can be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Output;
use crate::commands::load::LoadArgs;
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
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Say nothing but the result and errors
    #[arg(short, long, global = true)]
    quiet: bool,

    /// Show no progress
    #[arg(long, global = true)]
    no_progress: bool,

    /// How lines on standard error look
    #[arg(long, global = true, value_enum, default_value = "text", value_name = "FORMAT")]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

impl GlobalArgs {
    /// How the command speaks.
    pub(crate) fn output(&self) -> Output {
        Output::new(self.json, self.quiet, !self.no_progress, self.log_format == LogFormat::Json)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Load(Box<LoadArgs>),
    Server(ServerArgs),
}
