//! `inrush bench report`: results of an earlier run once more, as a table or a page.

use crate::{Output, exit};
use clap::Args;
use inrush_bench::results::Results;
use inrush_bench::table::Style;
use inrush_bench::{advice, html, knee, load, pool, pressure, query, rtt};
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
}

/// Runs the command.
pub(super) fn run(args: &ReportArgs, output: &Output) -> Result<u8> {
    let results = super::read(&args.file)?;
    let text = match (args.html, args.markdown, args.csv) {
        (true, ..) => html::page(&results, &conclusions(&results)),
        (_, true, _) => super::shown(&results, Style::Markdown),
        (.., true) => super::shown(&results, Style::Csv),
        _ => super::shown(&results, Style::Text),
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

/// What an experiment concludes from its numbers, where it does.
fn conclusions(results: &Results) -> Vec<String> {
    match results.run.experiment.as_str() {
        "insert" => advice::of(results),
        "load" => load::sentences(results),
        "rtt" => rtt::sentences(results),
        "sweep" => {
            // The best of all stands at the end of a table, and at the head of a page.
            let mut sentences = knee::sentences(results);
            let places = 1.min(sentences.len());
            sentences.rotate_right(places);
            sentences
        }
        "query" => query::conclusions(results),
        "pool" => pool::conclusions(results),
        "pressure" => pressure::conclusions(results),
        _ => Vec::new(),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    let mut file = File::create_new(path).map_err(|e| {
        Error::io(format!("cannot write `{shown}`"), e)
            .with_hint("`--output FILE` names another one; none is written over")
    })?;
    file.write_all(text.as_bytes()).map_err(|e| Error::io(format!("cannot write `{shown}`"), e))
}
