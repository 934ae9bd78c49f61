//! What can be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Output;
use crate::commands::bench::BenchArgs;
use crate::commands::load::LoadArgs;
use crate::commands::server::ServerArgs;

/// Gets rows into MySQL and MariaDB, fast, and loses none.
#[derive(Debug, Parser)]
#[command(name = "inrush", version, propagate_version = true, after_help = ENVIRONMENT)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const ENVIRONMENT: &str = "\
Environment:
  INRUSH_URL       the server, as for --url; may hold a password
  INRUSH_PASSWORD  the password
  INRUSH_MYSQLD    the server program that `inrush server` starts";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print only the result and errors
    #[arg(short, long, global = true)]
    quiet: bool,

    /// Print decisions and their reasons
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,

    /// Show no progress bar and no progress lines
    #[arg(long, global = true)]
    no_progress: bool,

    /// Lines on standard error: `text`, or a JSON object each
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "text",
        value_name = "text|json",
        hide_possible_values = true
    )]
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
        Output::new(self.json, self.quiet, !self.no_progress, self.log_format == LogFormat::Json).verbose(self.verbose)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Load(Box<LoadArgs>),
    Bench(BenchArgs),
    Server(ServerArgs),
}
