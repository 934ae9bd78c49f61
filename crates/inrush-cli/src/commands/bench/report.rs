//! `inrush bench report`: results of an earlier run once more, as a table or a page.

use crate::connection::as_usage;
use crate::{Output, exit};
use clap::Args;
use inrush_bench::html;
use inrush_bench::results::Results;
use inrush_bench::table::Style;
use inrush_core::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Show results as a table or as a page
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// A file of results
    file: PathBuf,
    /// A page with pictures, in one file that needs nothing else
    #[arg(long)]
    html: bool,
    /// A table for a page
    #[arg(long, conflicts_with = "html")]
    markdown: bool,
    /// A table for other programs
    #[arg(long, conflicts_with_all = ["html", "markdown"])]
    csv: bool,
    /// Where to; standard output by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print help
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
}

/// Runs the command.
pub(super) fn run(args: &ReportArgs, output: &Output) -> Result<u8> {
    let results = super::read(&args.file)?;
    let text = match (args.html, args.markdown, args.csv) {
        (true, ..) => html::page(&results, &headlines(&results)),
        (_, true, _) => super::shown(&results, Style::Markdown, 0),
        (.., true) => super::shown(&results, Style::Csv, 0),
        // A file is read on any screen.
        _ => super::text_report(&results, if args.output.is_some() { Output::FILE_WIDTH } else { output.width() }),
    };
    match &args.output {
        Some(path) => {
            write(path, &text)?;
            output.notice(&format!("written: {}", path.display()));
        }
        None => output.result(text.trim_end()),
    }
    super::note_if_partial(&results, output);
    Ok(exit::OK)
}

/// Conclusions, the most important first: the best result of a sweep is at the end of its table.
fn headlines(results: &Results) -> Vec<String> {
    let mut sentences = super::conclusions(results);
    if results.run.experiment == "sweep" {
        let n = sentences.len();
        sentences.rotate_right(1.min(n));
    }
    sentences
}

fn write(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    let mut file = File::create_new(path).map_err(|e| {
        as_usage(Error::io(format!("cannot write `{shown}`"), e))
            .with_hint("`--output FILE` names another file; existing files are not overwritten")
    })?;
    file.write_all(text.as_bytes()).map_err(|e| Error::io(format!("cannot write `{shown}`"), e))
}
