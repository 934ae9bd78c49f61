//! The inrush command: reads the command line, runs one command, ends with its exit code.

mod args;
mod colour;
mod commands;
mod connection;
mod exit;
mod local_server;
mod output;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
use colour::Color;
use inrush_core::Error;
pub(crate) use output::Output;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let color = Color::of_arguments(&arguments);
    let refused = |error: Error| {
        Output::new(false, false, false, false).color(color).error(&exit::explain(&error));
        ExitCode::from(exit::USAGE)
    };
    if let Err(error) = connection::refuse_password_arguments(std::env::args_os()) {
        return refused(error);
    }
    let arguments = with_help(arguments);
    let arguments = match commands::load::expand(&Cli::command(), arguments) {
        Ok(arguments) => arguments,
        Err(error) => return refused(error),
    };
    let matches = Cli::command().color(color.of_clap()).try_get_matches_from(arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = cli.global.output();
    let (name, done) = match &cli.command {
        Command::Load(arguments) => ("load", commands::load::run(arguments, &output)),
        Command::Export(arguments) => ("export", commands::export::run(arguments, &output)),
        Command::Copy(arguments) => ("copy", commands::copy::run(arguments, &output)),
        Command::Verify(arguments) => ("verify", commands::verify::run(arguments, &output)),
        Command::Undo(arguments) => ("undo", commands::undo::run(arguments, &output)),
        Command::Run(arguments) => ("run", commands::run::run(arguments, &output)),
        Command::Doctor(arguments) => ("doctor", commands::doctor::run(arguments, &output)),
        Command::Tune(arguments) => ("tune", commands::tune::run(arguments, &output, Cli::command())),
        Command::Bench(arguments) => ("bench", commands::bench::run(arguments, &output)),
        Command::Server(arguments) => ("server", commands::server::run(arguments, cli.global.json)),
        Command::Completions(arguments) => ("completions", commands::documents::completions(arguments, Cli::command())),
        Command::Man => ("man", commands::documents::man(Cli::command())),
    };
    let code = done.unwrap_or_else(|error| {
        let code = exit::code_of(&error);
        output.failure(&error, name, code);
        code
    });
    let Some(error) = output.unwritten() else { return ExitCode::from(code) };
    output.error(&exit::explain(&error));
    ExitCode::from(if code == exit::OK { exit::code_of(&error) } else { code })
}

/// A `-h` without a host, at the end, asks for help: in commands that connect it is the host, as in the mysql client.
fn with_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if let Some(last) = arguments.last_mut().filter(|last| *last == "-h") {
        *last = "--help".into();
    }
    arguments
}

/// Help and version go to standard output and are not errors; anything else is wrong usage, exit code 1 instead of clap's 2.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::OK })
}
