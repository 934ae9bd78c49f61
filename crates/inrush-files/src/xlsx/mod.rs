//! Excel workbooks (`.xlsx`): a sheet as lines of text. A stream: only the texts that cells share are in memory, at most as much as
//! `--memory` allows.
//!
//! ```text
//! zip_member (parts) -> workbook (names of sheets), styles, strings
//!                    -> sheet (cells, in the order of the file) -> lines -> csv
//! ```
//! Why not calamine: it reserves memory by a number from the file, and keeps a font for each style
//! (docs/adr/0029-workbooks-and-other-archives.md).

mod formats;
mod serial;
mod sheet;
mod strings;
mod xml;

use crate::dialect::CsvOptions;
use crate::guard::guarded;
use crate::input::{Meter, Metered};
use crate::zip_member::{Directory, choose};
use formats::{NumberFormatKind, builtin, custom};
use inrush_core::error::{Error, Result};
pub(crate) use sheet::Fill;
use sheet::{Limits, Lines, Shared};
use std::collections::HashMap;
use std::io::{self, Read, Seek};
use std::sync::Arc;
use strings::Strings;
use xml::{Token, Xml, damaged};

/// A sheet, ready to be read.
pub(crate) struct Sheet {
    pub(crate) name: String,
    /// A line a row.
    pub(crate) lines: Box<dyn Read + Send>,
    pub(crate) meter: Arc<Meter>,
}

/// Whether these are the files of a workbook.
pub(crate) fn is_workbook(names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(WORKBOOK))
}

/// Opens `sheet`, else the only one. `from` returns the archive's bytes from a place on. `fill` is the first row of
/// a table without a header.
///
/// # Errors
/// `Config` if there are several sheets and none is named, and for shared texts beyond the memory; `Data` for a damaged workbook.
pub(crate) fn open<F: Read + Seek>(
    name: &str,
    directory: Directory<F>,
    from: &From<'_>,
    sheet: Option<&str>,
    fill: Option<Fill>,
    options: &CsvOptions,
) -> Result<Sheet> {
    let names = directory.names().into_iter().map(str::to_owned).collect();
    let mut parts = Parts { name, names, directory, from };
    let limits = Limits { takes_stored: options.stored_formulas, row: options.max_record, memory: options.memory };
    guarded(name, || open_sheet(&mut parts, sheet, fill, limits))
}

/// The lines of a sheet whose XML is `bytes`, and the error after them if there is one. For the fuzz harness.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn lines_of(bytes: Box<dyn Read + Send>) -> (Vec<u8>, Option<String>) {
    let mut text = Vec::new();
    let limits = Limits { takes_stored: false, row: 1 << 20, memory: 1 << 20 };
    let shared = Shared {
        styles: vec![NumberFormatKind::Number, NumberFormatKind::Moment, NumberFormatKind::Duration],
        limits,
        ..Shared::default()
    };
    let lines = Lines::new(Xml::new(bytes, u64::MAX), shared, Some(Fill { line: 0, width: 1 }));
    // Rows without cells are cheap to write, and many.
    let read = lines.and_then(|lines| lines.take(1 << 21).read_to_end(&mut text));
    (text, read.err().map(|error| error.to_string()))
}

/// The bytes of an archive from a place on.
pub(crate) type From<'a> = dyn Fn(u64) -> Box<dyn Read + Send> + 'a;

fn open_sheet<F: Read + Seek>(
    parts: &mut Parts<'_, F>,
    sheet: Option<&str>,
    fill: Option<Fill>,
    limits: Limits,
) -> Result<Sheet> {
    let (name, memory) = (parts.name, limits.memory);
    let cannot_read = |e| cannot_read(name, e);
    let workbook = workbook(&mut parts.open(WORKBOOK, MAX_NAMES)?.0).map_err(cannot_read)?;
    let links = links(&mut parts.open(LINKS, MAX_NAMES)?.0).map_err(cannot_read)?;
    // Not a chart, nor a dialog.
    let cells = |(name, id): &(String, String)| {
        let link = links.get(id).filter(|link| link.kind == "worksheet")?;
        Some((name.clone(), link.target.clone()))
    };
    let sheets: Vec<(String, String)> = workbook.sheets.iter().filter_map(cells).collect();
    let sheet_names: Vec<&str> = sheets.iter().map(|(name, _)| &name[..]).collect();
    let chosen = choose(name, "sheet", &sheet_names, |_| true, sheet)?;
    let path = sheets.iter().find(|(name, _)| name == chosen).map_or("", |(_, path)| path);

    let Workbook { is_1904, recalculates, .. } = workbook;
    let mut shared = Shared { is_1904, recalculates, limits, ..Shared::default() };
    let target = |kind: &str| links.values().find(|link| link.kind == kind).map(|link| &link.target);
    if let Some(path) = target("styles") {
        shared.styles = styles(&mut parts.open(path, MAX_STYLES)?.0).map_err(cannot_read)?;
    }
    // Some programs refer to it and leave it out where no cell needs it.
    if let Some(path) = target("sharedStrings").filter(|path| parts.has(path)) {
        let (mut xml, _) = parts.open(path, u64::MAX)?;
        shared.strings = Strings::read(&mut xml, memory).map_err(|e| match e.kind() {
            io::ErrorKind::OutOfMemory => {
                Error::config(format!("the texts of `{name}` take more than the {} MiB of `--memory`", memory >> 20))
                    .with_hint("save the sheet as CSV and load that, or raise `--memory`")
            }
            _ => cannot_read(e),
        })?;
    }
    let (xml, meter) = parts.open(path, u64::MAX)?;
    let lines = Lines::new(xml, shared, fill).map_err(cannot_read)?;
    Ok(Sheet { name: chosen.to_owned(), lines: Box::new(Guarded(lines)), meter })
}

/// The parts of a workbook.
struct Parts<'a, F> {
    name: &'a str,
    names: Vec<String>,
    directory: Directory<F>,
    from: &'a From<'a>,
}

impl<F: Read + Seek> Parts<'_, F> {
    fn has(&self, path: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(path))
    }

    /// Opens a part of at most `most` bytes.
    fn open(&mut self, path: &str, most: u64) -> Result<(Xml, Arc<Meter>)> {
        let found = self.names.iter().find(|name| name.eq_ignore_ascii_case(path));
        let found =
            found.ok_or_else(|| Error::data(format!("cannot read `{}`: the part `{path}` is missing", self.name)))?;
        let part = self.directory.find(found)?;
        let meter = Meter::new(Some(part.size));
        let raw = Box::new(Metered::new((self.from)(part.start).take(part.size), meter.clone()));
        let plain = part.plain(raw).map_err(|e| cannot_read(self.name, e))?;
        Ok((Xml::new(plain, most), meter))
    }
}

fn cannot_read(name: &str, error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(_) => Error::io(format!("cannot read `{name}`"), error),
        None => Error::data(format!("cannot read `{name}`: {error}")),
    }
}

/// A panic is an error.
struct Guarded(Lines);

impl Read for Guarded {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        guarded("the sheet", || Ok(self.0.read(space))).unwrap_or_else(|e| Err(damaged(e.message())))
    }
}

/// The sheets of a workbook, by their names, with the ids of their parts.
#[derive(Default)]
struct Workbook {
    sheets: Vec<(String, String)>,
    is_1904: bool,
    recalculates: bool,
}

fn workbook(xml: &mut Xml) -> io::Result<Workbook> {
    let mut workbook = Workbook::default();
    loop {
        match xml.next()? {
            Token::Start(tag) if tag.name() == "workbookPr" => {
                // Excel writes one more of this name, for its charts.
                if let Some(value) = tag.value("date1904")? {
                    workbook.is_1904 = value == "1" || value == "true";
                }
            }
            Token::Start(tag) if tag.name() == "calcPr" => {
                workbook.recalculates =
                    tag.value("fullCalcOnLoad")?.is_some_and(|value| value == "1" || value == "true");
            }
            Token::Start(tag) if tag.name() == "sheet" => {
                if let (Some(name), Some(id)) = (tag.value("name")?, tag.value("id")?) {
                    workbook.sheets.push((name, id));
                }
            }
            Token::Eof => return Ok(workbook),
            _ => {}
        }
    }
}

/// A part to which the workbook refers.
struct Link {
    /// The last word of its type: `worksheet`, `styles` ..
    kind: String,
    /// Its path in the archive.
    target: String,
}

fn links(xml: &mut Xml) -> io::Result<HashMap<String, Link>> {
    let mut links = HashMap::new();
    loop {
        match xml.next()? {
            Token::Start(tag) if tag.name() == "Relationship" => {
                let [Some(id), Some(kind), Some(target)] = tag.values(["Id", "Type", "Target"])? else { continue };
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                // Relative to the folder of the workbook, or to the root.
                let target = match target.strip_prefix('/') {
                    Some(path) => path.to_owned(),
                    None => format!("xl/{}", target.trim_start_matches("./")),
                };
                links.insert(id, Link { kind, target });
            }
            Token::Eof => return Ok(links),
            _ => {}
        }
    }
}

/// What each style of cells shows.
fn styles(xml: &mut Xml) -> io::Result<Vec<NumberFormatKind>> {
    let (mut formats, mut styles, mut in_cells) = (HashMap::new(), Vec::new(), false);
    loop {
        match xml.next()? {
            Token::Start(tag) if tag.name() == "numFmt" => {
                let id = tag.value("numFmtId")?.and_then(|id| id.parse::<u32>().ok());
                if let (Some(id), Some(code)) = (id, tag.value("formatCode")?) {
                    formats.insert(id, custom(&code));
                }
            }
            Token::Start(tag) if tag.name() == "cellXfs" => in_cells = true,
            Token::Start(tag) if tag.name() == "xf" && in_cells => {
                let id = tag.value("numFmtId")?.and_then(|id| id.parse::<u32>().ok()).unwrap_or(0);
                styles.push(formats.get(&id).copied().unwrap_or_else(|| builtin(id)));
            }
            Token::End(tag) if tag.is("cellXfs") => in_cells = false,
            Token::Eof => return Ok(styles),
            _ => {}
        }
    }
}

const WORKBOOK: &str = "xl/workbook.xml";
const LINKS: &str = "xl/_rels/workbook.xml.rels";

/// 16 MiB: the most bytes of names of sheets and parts that are read. Programs write far less.
const MAX_NAMES: u64 = 16 << 20;

/// 64 MiB: the same for styles. A workbook may have 65,490 styles.
const MAX_STYLES: u64 = 64 << 20;

#[cfg(test)]
mod tests;
