//! What can be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Output;
use crate::colour::Color;
use crate::commands::bench::BenchArgs;
use crate::commands::copy::CopyArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::documents::CompletionsArgs;
use crate::commands::export::ExportArgs;
use crate::commands::load::LoadArgs;
use crate::commands::run::RunArgs;
use crate::commands::server::ServerArgs;
use crate::commands::tune::TuneArgs;
use crate::commands::undo::UndoArgs;
use crate::commands::verify::VerifyArgs;

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
  INRUSH_URL             the server, as for --url; may hold a password
  INRUSH_PASSWORD        the password
  INRUSH_OTHER_PASSWORD  the password of `--other`, and of the server that `copy` writes to
  INRUSH_MYSQLD          the server program that `inrush server` starts";

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
    Copy(Box<CopyArgs>),
    Verify(Box<VerifyArgs>),
    Undo(UndoArgs),
    Run(RunArgs),
    Doctor(DoctorArgs),
    Tune(Box<TuneArgs>),
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

    #[test]
    fn tune_hands_on_what_load_takes_too() {
        let check = |line: &str, want: &str| {
            let given = crate::commands::tune::given(Cli::command(), line.split(' ').map(Into::into));
            let words: Vec<String> =
                given.iter().map(|(name, values)| format!("{name}={}", values.join(","))).collect();
            assert_eq!(words.join(" "), want, "{line}");
        };
        check("inrush tune shop.t a.csv b.csv -h db", "host=db");
        check(
            "inrush --json tune same --budget 5m a.csv -D same -P 3307 --delimiter ;",
            "delimiter=; port=3307 database=same",
        );
        check("inrush tune shop.t a.csv --budget=5m --rows=7 --write-job j.toml -q --no-header", "no-header=");
        check("inrush tune -h db --null NA --null - -- shop.t a.csv", "null=NA,- host=db");
    }

    /// Every command and the commands in it, as they are called.
    fn calls(command: &clap::Command, before: &[String]) -> Vec<Vec<String>> {
        let mut all = vec![before.to_vec()];
        for verb in command.get_subcommands() {
            let call = [before, &[verb.get_name().to_owned()]].concat();
            all.extend(calls(verb, &call));
        }
        all
    }

    /// Options of `load` that have no argument of their own in Python, and what stands for them there.
    const NOT_IN_PYTHON: [(&[&str], &str); 13] = [
        (&["widen"], "not yet: the command alone measures values"),
        (&["into"], "`table`"),
        (&["verify"], "not yet: the command alone compares"),
        (&["mask", "mask-key-file", "mask-file", "mask-strict"], "not yet: the command alone masks"),
        (
            &[
                "url",
                "host",
                "port",
                "user",
                "database",
                "socket",
                "password",
                "password-file",
                "tls",
                "tls-ca",
                "defaults-file",
            ],
            "`to`, a URL, which has them as its parts; without it INRUSH_URL and the usual option files",
        ),
        (&["no-header"], "`header=False`"),
        (&["create-table"], "`create`"),
        (&["status", "forget"], "functions"),
        (&["metrics-listen", "metrics-file"], "`progress` and `events`, which a program hands to its own metrics"),
        (
            &["only", "except", "rename", "schema-only", "rows-only", "definers", "strict"],
            "for dumps of several tables, and a call loads one table",
        ),
        (&["job-name"], "`job`"),
        (&["job"], "a program is its own job file; its `job` names rows"),
        (
            &["json", "quiet", "verbose", "no-progress", "color", "log-format", "help", "version"],
            "how a terminal is used: a report, `logging`, `progress`",
        ),
    ];

    #[test]
    fn python_has_every_option_of_a_load() {
        let python = include_str!("../../../python/src/inrush/_load.py");
        let (_, signature) = python.split_once("\ndef load(\n").unwrap();
        let (signature, _) = signature.split_once("\n) -> Report:").unwrap();
        let (_, of_files) = python.split_once("\nclass FileOptions(").unwrap();
        let (of_files, _) = of_files.split_once("\n\n\n").unwrap();
        let lines = signature.lines().chain(of_files.lines());
        let arguments: Vec<_> = lines.filter_map(|line| line.strip_prefix("    ")?.split_once(": ")).collect();
        let has = |name: &str| arguments.iter().any(|(argument, _)| *argument == name);
        let excused: Vec<_> = NOT_IN_PYTHON.iter().flat_map(|(flags, _)| *flags).copied().collect();
        let mut cli = Cli::command();
        cli.build();
        let load = cli.find_subcommand("load").unwrap();
        let flags: Vec<_> = load.get_arguments().filter_map(|argument| argument.get_long()).collect();
        assert!(flags.len() > 60 && arguments.len() > 50, "{flags:?} {arguments:?}");
        let missing: Vec<_> =
            flags.iter().filter(|flag| !excused.contains(flag) && !has(&flag.replace('-', "_"))).collect();
        assert!(missing.is_empty(), "`inrush.load` has no argument for {missing:?}: python/src/inrush/_load.py");
        let stale: Vec<_> = excused
            .iter()
            .filter(|flag| !flags.contains(flag) || (**flag != "job" && has(&flag.replace('-', "_"))))
            .collect();
        assert!(stale.is_empty(), "no option, or one that Python has: {stale:?}");
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
