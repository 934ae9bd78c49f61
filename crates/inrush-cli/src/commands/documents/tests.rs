//! docs/command-line.md, written from the definitions of the command line.

use crate::args::Cli;
use clap::{Arg, Command, CommandFactory as _};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn the_reference_of_the_command_line_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command-line.md");
    let reference = reference(Cli::command());
    if std::env::var_os("INRUSH_WRITE_COMMAND_LINE").is_some() {
        std::fs::write(&path, &reference).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let again = "INRUSH_WRITE_COMMAND_LINE=1 cargo test -p inrush-cli --bin inrush reference_of_the_command_line";
    assert!(written == reference, "docs/command-line.md is out of date: {again}");
}

#[test]
fn help_is_escaped_for_a_table() {
    let check = |help: &str, want: &str| assert_eq!(escaped(help), want);
    check("a|b <x> 'd.*'", "a\\|b &lt;x> 'd.\\*'");
    check("`a|b <x> *` *", "`a\\|b <x> *` \\*");
    check("two\n\nparagraphs [default: 1]", "two paragraphs \\[default: 1]");
}

const INTRODUCTION: &str = "\
# The command line

Every command and every option, as `inrush COMMAND --help` shows them. A test writes this page from the definitions of the
command line. The guides describe what the options do: [load](load.md), [export](export.md), [verify](verify.md),
[run](run.md), [bench](bench.md), [tune](tune.md), [doctor](doctor.md), [server](server.md), [connections](connect.md).
What the exit codes mean: [exit-codes.md](exit-codes.md). Every command also has the options under
**Everywhere**, `--help` and `--version`.
";

fn reference(mut command: Command) -> String {
    command = command.disable_help_subcommand(true);
    command.build();
    let mut text = INTRODUCTION.to_owned();
    section(&mut text, &mut HashMap::new(), &mut command, "inrush");
    text
}

/// A command, and the commands in it. `seen` has tables of options and the first command that has them.
fn section(text: &mut String, seen: &mut HashMap<String, String>, command: &mut Command, call: &str) {
    let usage = command.render_usage().to_string().replace("Usage: ", "").replace("\n       ", "\n");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ =
        write!(text, "\n## {call}\n\n{}.\n\n```text\n{}\n```\n", escaped(about.trim_end_matches('.')), usage.trim());
    for (heading, rows) in groups(command) {
        let _ = match seen.get(&rows) {
            // The options of every command.
            Some(first) if first == "inrush" => continue,
            Some(first) => write!(text, "\n**{heading}**: as for [{first}](#{}).\n", first.replace(' ', "-")),
            None => write!(text, "\n**{heading}**\n\n| | |\n|---|---|\n{rows}"),
        };
        seen.entry(rows).or_insert_with(|| call.to_owned());
    }
    if let Some(more) = command.get_after_help() {
        let _ = write!(text, "\n```text\n{}\n```\n", more.to_string().trim());
    }
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        let call = format!("{call} {}", inner.get_name());
        section(text, seen, inner, &call);
    }
}

/// The headings of a command's help, each with the rows of its table.
fn groups(command: &Command) -> Vec<(String, String)> {
    let mut groups: Vec<(String, String)> = Vec::new();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: String = verbs
        .map(|verb| {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            format!("| `{}` | {} |\n", verb.get_name(), escaped(&about))
        })
        .collect();
    if !verbs.is_empty() {
        groups.push(("Commands".to_owned(), verbs));
    }
    let of_every_command = |argument: &Arg| ["help", "version"].contains(&argument.get_id().as_str());
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set() && !of_every_command(argument)) {
        let heading = match argument.get_help_heading() {
            Some(heading) => heading,
            None if argument.is_positional() => "Arguments",
            None => "Options",
        };
        let row = row(argument);
        match groups.iter_mut().find(|(known, _)| known == heading) {
            Some((_, rows)) => rows.push_str(&row),
            None => groups.push((heading.to_owned(), row)),
        }
    }
    groups
}

fn row(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let short = if argument.get_long().is_some() { short } else { String::new() };
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match defaults.join(" ") {
        default if default.is_empty() || argument.is_hide_default_value_set() => String::new(),
        _ if !argument.get_action().takes_values() => String::new(),
        default => format!(" [default: {default}]"),
    };
    format!("| {} | {} |\n", escaped(&format!("`{short}{argument}`")), escaped(&(help + &default)))
}

/// Text of a help in a cell of a table: nothing of it is Markdown, but for code in backticks.
fn escaped(help: &str) -> String {
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let part = |(n, part): (usize, &str)| match n % 2 {
        0 => part.replace('<', "&lt;").replace('*', "\\*").replace('[', "\\["),
        _ => part.to_owned(),
    };
    words.split('`').enumerate().map(part).collect::<Vec<_>>().join("`").replace('|', "\\|")
}

#[test]
fn commands_in_pages_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("README.zh-CN.md")];
    for folder in ["docs", "docs/zh", "docs/notes", "docs/adr", "docs/results"] {
        let files = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|file| file.extension().is_some_and(|ending| ending == "md")));
    }
    let (mut n_commands, mut wrong) = (0, String::new());
    for page in &pages {
        for line in commands(&std::fs::read_to_string(page).unwrap()) {
            n_commands += 1;
            let mut words = words(&line);
            if words.iter().any(|word| word == "--job") {
                // The job file names the files.
                words.push("a.csv".to_owned());
            }
            match Cli::command().try_get_matches_from(words) {
                Err(error) if error.use_stderr() => {
                    let _ = writeln!(wrong, "{}: {line}\n{error}", page.display());
                }
                _ => {}
            }
        }
    }
    assert!(n_commands > 150, "only {n_commands}");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn commands_of_the_examples_are_understood() {
    let example = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/operation");
        std::fs::read_to_string(folder.join(name)).unwrap()
    };
    let unit = example("inrush-orders.service");
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/")).unwrap();
    // The job file names the files.
    let of_unit = words(&format!("{start} a.csv"));
    let job = example("load-orders.yaml");
    let arguments = job.lines().find_map(|line| line.trim().strip_prefix("args: [")?.strip_suffix(']')).unwrap();
    let of_job = arguments.split(", ").map(|word| word.trim_matches('"').to_owned());
    for call in [of_unit, ["inrush".to_owned()].into_iter().chain(of_job).collect()] {
        Cli::command().try_get_matches_from(&call).unwrap_or_else(|error| panic!("{call:?}: {error}"));
    }
}

/// The lines of a page's blocks of code that call the command. Those with `..`, `[options]` or `FILE...` are forms, not commands.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("\n```").skip(1).step_by(2).map(|block| block.replace("\\\n", " "));
    let lines = blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let calls = lines.filter_map(|line| {
        let line = line.trim_start().trim_start_matches("$ ");
        (line.starts_with("inrush ") && !line.starts_with("inrush = ")).then(|| line.to_owned())
    });
    calls.filter(|line| ![" ..", "[", "..."].iter().any(|form| line.contains(form))).collect()
}

/// The words of a command as a shell makes them: up to a comment, a pipe or the next command.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '>' | '<' | ';' | '&') => break,
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn a_line_is_split_as_a_shell_does() {
    let check = |line: &str, want: &[&str]| assert_eq!(words(line), want, "{line}");
    check("inrush load a.csv   --into t  # all of it", &["inrush", "load", "a.csv", "--into", "t"]);
    check(
        "inrush load 'a b#c' --null \"\" --set \"x='y'\"",
        &["inrush", "load", "a b#c", "--null", "", "--set", "x='y'"],
    );
    check("inrush man | man -l -", &["inrush", "man"]);
    check(
        r"inrush load a --delimiter '\t' --escape \\",
        &["inrush", "load", "a", "--delimiter", r"\t", "--escape", r"\"],
    );
}
