//! What can be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Output;
use crate::colour::Color;
use crate::commands::bench::BenchArgs;
use crate::commands::documents::CompletionsArgs;
use crate::commands::export::ExportArgs;
use crate::commands::load::LoadArgs;
use crate::commands::server::ServerArgs;

/// Gets rows into MySQL and MariaDB and out again, fast, and loses none.
#[derive(Debug, Parser)]
#[command(name = "inrush", version = env!("INRUSH_VERSION"), propagate_version = true, after_help = ENVIRONMENT)]
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

    /// Show no progress
    #[arg(long, global = true)]
    no_progress: bool,

    /// Colours: `auto` has them on a terminal (unless NO_COLOR is set), `always`, `never`
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "auto|always|never",
        hide_possible_values = true
    )]
    color: Color,

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
        Output::new(self.json, self.quiet, !self.no_progress, self.log_format == LogFormat::Json)
            .verbose(self.verbose)
            .color(self.color)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Load(Box<LoadArgs>),
    Export(Box<ExportArgs>),
    Bench(BenchArgs),
    Server(ServerArgs),
    Completions(CompletionsArgs),
    /// Print the manual page: `inrush man | man -l -`
    Man,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;
    use clap::error::ErrorKind;

    /// Every command and the commands in it, as they are called.
    fn calls(command: &clap::Command, before: &[String]) -> Vec<Vec<String>> {
        let mut all = vec![before.to_vec()];
        for verb in command.get_subcommands() {
            let call = [before, &[verb.get_name().to_owned()]].concat();
            all.extend(calls(verb, &call));
        }
        all
    }

    #[test]
    fn every_command_has_help() {
        let calls = calls(&Cli::command(), &["inrush".to_owned()]);
        assert!(calls.len() > 12, "{calls:?}");
        for mut call in calls {
            call.push("--help".to_owned());
            let error = Cli::try_parse_from(&call).unwrap_err();
            let is_help =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
            assert!(is_help, "{call:?}: {error}");
        }
    }
}
