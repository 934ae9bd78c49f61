//! The inrush command: reads the command line, runs one command, ends with its exit code.

mod args;
mod commands;
mod exit;
mod local_server;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match &cli.command {
        Command::Server(arguments) => commands::server::run(arguments, cli.global.json),
    };
    ExitCode::from(done.unwrap_or_else(|error| {
        // With standard error gone there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "{}", exit::explain(&error));
        exit::code_of(&error)
    }))
}

/// Help and version go to standard output and are no mistake; anything else is wrong usage, which is 1 here and not clap's 2.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::OK })
}
