//! `--job FILE`: the options of a load that is repeated, in a TOML file under their long names. What the command line says as well, it says
//! instead of the file. Arguments in, arguments out; the file is the only thing read.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use inrush::Config;
use inrush_core::load::plan::nearest;
use inrush_core::{Error, Result};
use std::ffi::OsString;
use std::path::Path;
use toml::{Table, Value};

/// Puts the options of the job file that the arguments name, if they name one, among the arguments.
pub(crate) fn expand(command: &Command, arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    // The parser proper reports errors in the rest of the command line.
    let relaxed = relaxed(command.clone());
    let Ok(matches) = relaxed.clone().try_get_matches_from(&arguments) else { return Ok(arguments) };
    let Some(("load", given)) = matches.subcommand() else { return Ok(arguments) };
    let Some(file) = given.get_one::<std::path::PathBuf>("job") else { return Ok(arguments) };
    let text = std::fs::read_to_string(file)
        .map_err(|e| Error::config(format!("cannot read the job file `{}`: {e}", file.display())))?;
    let load = relaxed.find_subcommand("load").cloned().unwrap_or_else(|| Command::new("load"));
    let options = options(&text, file, (&load, &of_output(&relaxed)[..]), given)?;
    let mut all = arguments;
    all.extend(options);
    Ok(all)
}

/// The command without the rules that a job file may fulfil.
fn relaxed(command: Command) -> Command {
    command.mut_subcommand("load", |load| load.mut_args(|arg| arg.required(false).required_unless_present_any(["job"])))
}

/// The options of all commands, which are for their output.
fn of_output(command: &Command) -> Vec<&str> {
    command.get_arguments().filter(|arg| arg.is_global_set()).filter_map(Arg::get_long).collect()
}

/// The options of the file that the command line does not give. `of_output`: options that a file does not set.
fn options(
    text: &str,
    file: &Path,
    (load, of_output): (&Command, &[&str]),
    given: &ArgMatches,
) -> Result<Vec<OsString>> {
    let wrong = |what: String| Error::config(format!("job file `{}`: {what}", file.display()));
    let table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        wrong(format!("line {line}: {}", e.message()))
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let (mut options, mut files) = (Vec::new(), Vec::new());
    for (key, value) in &table {
        if SECRETS.contains(&key.as_str()) {
            return Err(wrong(format!("`{key}` does not belong in a file that others may read")).with_hint(PASSWORDS));
        }
        if of_output.contains(&key.as_str()) {
            return Err(wrong(format!("`{key}` does not belong in a job file"))
                .with_hint(format!("`--{key}` stands on the command line only: it is for the output of the command")));
        }
        let Some(arg) = arg_of(load, key) else {
            let known = load.get_arguments().filter_map(Arg::get_long).chain(["files"]);
            let error = wrong(format!("there is no option `{key}`"));
            if NOT_IN_FILES.contains(&key.as_str()) {
                let why = format!("`{key}` stands on the command line only: a job file holds all options of its load");
                return Err(error.with_hint(why));
            }
            return Err(match nearest(key, known.filter(|known| !NOT_IN_FILES.contains(known))) {
                Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                None => error.with_hint("its keys are the long names of the options of `inrush load`, and `files`"),
            });
        };
        if given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine) {
            continue;
        }
        let texts = texts(value)
            .ok_or_else(|| wrong(format!("`{key}` takes a text, a number, true or false, or a list of texts")))?;
        if texts.is_empty() {
            return Err(
                wrong(format!("`{key}` is an empty list")).with_hint(format!("leave `{key}` out, or list a value"))
            );
        }
        if URLS.contains(&key.as_str())
            && texts.iter().any(|text| Config::parse(text).is_ok_and(|url| url.has_secret()))
        {
            let what = format!("the password in `{key}` does not belong in a file that others may read");
            return Err(wrong(what).with_hint(PASSWORDS));
        }
        match arg.get_action() {
            ArgAction::SetTrue => match value {
                Value::Boolean(true) => options.push(format!("--{key}").into()),
                Value::Boolean(false) => {}
                _ => return Err(wrong(format!("`{key}` takes true or false"))),
            },
            _ if arg.is_positional() => files.extend(texts.iter().map(|text| beside(folder, text).into())),
            ArgAction::Append => options.extend(texts.iter().map(|text| option(key, text, folder))),
            _ => match &texts[..] {
                [text] => options.push(option(key, text, folder)),
                _ => return Err(wrong(format!("`{key}` takes one value"))),
            },
        }
    }
    if !files.is_empty() {
        options.push("--".into());
        options.extend(files);
    }
    Ok(options)
}

fn arg_of<'a>(load: &'a Command, key: &str) -> Option<&'a Arg> {
    load.get_arguments().find(|arg| match key {
        "files" => arg.get_id() == "files",
        // Which file's options would count?
        key if NOT_IN_FILES.contains(&key) => false,
        _ => arg.get_long() == Some(key),
    })
}

/// A value as arguments.
fn texts(value: &Value) -> Option<Vec<String>> {
    Some(match value {
        Value::String(text) => vec![text.clone()],
        Value::Integer(number) => vec![number.to_string()],
        Value::Float(number) => vec![number.to_string()],
        Value::Boolean(is) => vec![is.to_string()],
        Value::Array(list) => list.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        Value::Datetime(_) | Value::Table(_) => return None,
    })
}

/// `--key=text`; names of files are meant from the job file's folder.
fn option(key: &str, text: &str, folder: &Path) -> OsString {
    let text = match (key, text.strip_prefix("divert:")) {
        ("bad-rows", Some(file)) => format!("divert:{}", beside(folder, file)),
        _ if FILES.contains(&key) => beside(folder, text),
        _ => text.to_owned(),
    };
    format!("--{key}={text}").into()
}

fn beside(folder: &Path, name: &str) -> String {
    match name {
        "-" => name.to_owned(),
        name => folder.join(name).to_string_lossy().into_owned(),
    }
}

/// Options whose value is the name of a file.
const FILES: &[&str] = &[
    "events",
    "metrics-file",
    "password-file",
    "defaults-file",
    "tls-ca",
    "tls-cert",
    "tls-key",
    "mask-key-file",
    "mask-file",
];

/// Options of the command line alone.
const NOT_IN_FILES: &[&str] = &["job", "help"];

const SECRETS: &[&str] = &["password", "p"];

/// Options whose value is the URL of a server.
const URLS: &[&str] = &["url", "replica"];

/// Where passwords are instead.
const PASSWORDS: &str = "`password-file = \"..\"` names a file of its own; or INRUSH_PASSWORD, or ~/.my.cnf";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory as _;

    /// The arguments with those of a job file in place of `JOB`.
    fn expanded(text: &str, arguments: &[&str]) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("job.toml");
        std::fs::write(&file, text).unwrap();
        let file = file.to_str().unwrap();
        let all = ["inrush", "load", "--job", file].iter().chain(arguments).map(Into::into).collect();
        let expanded = expand(&Cli::command(), all)?;
        let words: Vec<_> = expanded[4..].iter().map(|word| word.to_str().unwrap()).collect();
        Ok(words.join(" ").replace(folder.path().to_str().unwrap(), "JOB"))
    }

    #[track_caller]
    fn check(text: &str, arguments: &[&str], want: &str) {
        assert_eq!(expanded(text, arguments).unwrap(), want);
    }

    #[test]
    fn options_become_arguments() {
        check(
            "into = 'shop.people'\nlanes = 4\ndry-run = true\ntruncate = false",
            &[],
            "--dry-run --into=shop.people --lanes=4",
        );
    }
    #[test]
    fn lists_become_several() {
        check("null = ['NA', '-']", &[], "--null=NA --null=-");
    }
    #[test]
    fn files_are_beside_the_job() {
        check("files = ['a.csv', '/b.csv']", &[], "-- JOB/a.csv /b.csv");
        check("files = '-'\nbad-rows = 'divert:bad.csv'", &[], "--bad-rows=divert:JOB/bad.csv -- -");
    }
    #[test]
    fn the_command_line_wins() {
        check("files = ['a.csv']\nnull = ['NA']\ninto = 'a'", &["b.csv", "--null", "x"], "b.csv --null x --into=a");
    }
    #[test]
    fn without_a_job_nothing_changes() {
        let arguments: Vec<OsString> = ["inrush", "load", "a.csv", "--into", "a"].iter().map(Into::into).collect();
        assert_eq!(expand(&Cli::command(), arguments.clone()).unwrap(), arguments);
    }
    #[test]
    fn options_of_the_output_are_not_in_a_file() {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/jobs.md")).unwrap();
        let command = Cli::command();
        let all = of_output(&command);
        assert!(all.contains(&"quiet") && all.contains(&"log-format"), "{all:?}");
        for key in all {
            let error = expanded(&format!("{key} = true"), &[]).unwrap_err();
            assert!(error.message().contains(&format!("`{key}` does not belong in a job file")), "{error}");
            assert!(text.contains(&format!("`{key}`")), "`{key}` is not in docs/jobs.md");
        }
    }
    #[test]
    fn mistakes_are_named() {
        for (text, want, hint) in [
            ("lane = 2", "there is no option `lane`", "did you mean `lanes`?"),
            ("password = 'x'", "does not belong", "password-file"),
            ("\ninto = [", "line 2", ""),
            ("into = ['a', 'b']", "takes one value", ""),
            ("dry-run = 'yes'", "true or false", ""),
            ("into = 2024-01-01", "takes a text", ""),
            ("url = 'mysql://ann:s3cret@db/shop'", "the password in `url` does not belong", "password-file"),
            ("replica = ['mysql://db2', 'mysql://ann:s3cret@db3']", "the password in `replica`", "password-file"),
            ("only = []", "`only` is an empty list", "leave `only` out"),
            ("files = []", "`files` is an empty list", "leave `files` out"),
            ("job = 'other.toml'", "there is no option `job`", "`job` stands on the command line only"),
            ("jobs = 2", "there is no option `jobs`", "its keys are the long names"),
        ] {
            let error = expanded(text, &[]).unwrap_err();
            assert!(error.message().contains(want) && !error.message().contains("s3cret"), "{text}: {error}");
            assert!(error.hint().unwrap_or_default().contains(hint), "{text}: {:?}", error.hint());
        }
    }
}
