//! Colour: when it is used, and for which text. It is used rarely: no information is in the colour alone.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use std::ffi::OsString;
use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// What the arguments say, before they are parsed: the parser's own errors and help have colours too.
    pub(crate) fn of_arguments(arguments: &[OsString]) -> Self {
        let words = || arguments.iter().map(|word| word.to_str().unwrap_or_default()).take_while(|word| *word != "--");
        let given = words().zip(words().skip(1).chain([""])).filter_map(|(word, next)| match word.split_once('=') {
            Some(("--color", value)) => Some(value),
            None if word == "--color" => Some(next),
            _ => None,
        });
        given.filter_map(|value| Self::from_str(value, false).ok()).last().unwrap_or(Color::Auto)
    }

    /// For the parser.
    pub(crate) fn of_clap(self) -> clap::ColorChoice {
        match self {
            Color::Auto => clap::ColorChoice::Auto,
            Color::Always => clap::ColorChoice::Always,
            Color::Never => clap::ColorChoice::Never,
        }
    }

    /// Whether what goes there has colours. `auto`: on a terminal that shows them, as NO_COLOR, CLICOLOR and CLICOLOR_FORCE say.
    pub(crate) fn is_on(self, stream: &impl AsStream) -> bool {
        match self {
            Color::Auto => stream.auto() != ColorChoice::Never,
            Color::Always => true,
            Color::Never => false,
        }
    }
}

/// Standard output or standard error.
pub(crate) trait AsStream: IsTerminal {
    /// What its environment says.
    fn auto(&self) -> ColorChoice;
}

impl AsStream for std::io::Stdout {
    fn auto(&self) -> ColorChoice {
        AutoStream::choice(self)
    }
}

impl AsStream for std::io::Stderr {
    fn auto(&self) -> ColorChoice {
        AutoStream::choice(self)
    }
}

/// Gives the labels at the beginnings of lines their colours. The text has no escapes of its own: it went through `printable`.
pub(crate) fn painted(text: &str) -> String {
    let line = |line: &str| match LABELS.iter().find(|(label, _)| line.starts_with(label)) {
        Some((label, style)) => format!("{style}{label}{style:#}{}", &line[label.len()..]),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The labels of messages, and of the summary of a load, with their styles.
const LABELS: [(&str, Style); 6] = [
    ("error:", AnsiColor::Red.on_default().bold()),
    ("hint:", AnsiColor::Cyan.on_default()),
    ("pending:", AnsiColor::Yellow.on_default()),
    ("unknown:", AnsiColor::Yellow.on_default()),
    ("rejected ", AnsiColor::Yellow.on_default()),
    ("retried ", AnsiColor::Yellow.on_default()),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_arguments(arguments: &str, want: Color) {
        let arguments: Vec<OsString> = arguments.split(' ').map(Into::into).collect();
        assert_eq!(Color::of_arguments(&arguments), want, "{arguments:?}");
    }

    #[test]
    fn the_option_is_found_before_the_arguments_are_parsed() {
        check_arguments("inrush load", Color::Auto);
        check_arguments("inrush load --color never a.csv", Color::Never);
        check_arguments("inrush --color=always load", Color::Always);
        check_arguments("inrush --color=always load --color never", Color::Never);
        check_arguments("inrush load -- --color never", Color::Auto);
        check_arguments("inrush load --color", Color::Auto);
        check_arguments("inrush load --color red", Color::Auto);
    }

    #[test]
    fn labels_are_painted_at_the_beginning_of_a_line() {
        assert_eq!(
            painted("error: no\nhint: try\n  error: in a line"),
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m no\n\u{1b}[36mhint:\u{1b}[0m try\n  error: in a line"
        );
        assert_eq!(painted("rows      3 read"), "rows      3 read");
    }
}
