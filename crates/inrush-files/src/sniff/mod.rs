//! Detects the kind of a text from its beginning: how fields are separated and quoted, which lines come before the table, whether it
//! has a header, how lines end, which encoding it has.
//!
//! Only the sample decides, so the same file gives the same answer. The caller's options are not questioned. If two readings are
//! possible, the result is an error that names both: a wrong guess would store wrong rows.
//!
//! | file | what |
//! |---|---|
//! | `split` | the sample as records of fields, by one dialect |
//! | `shape` | what a field looks like: a number, a day, a word |
//! | `layout` | the delimiter that fits best, and the lines before the table |
//! | `tried` | one dialect and its score; the quote and the escape |
//! | `null_word` | `\N` for NULL |
//! | `refused` | texts that are not read as they are, and what to do with them |
//! | `header` | whether the first record has names |
//! | `names` | whether texts look like names of columns |
//! | `encoding` | UTF-16 without a mark, and what a text that is not UTF-8 may be |
//! | `readings` | such a text in several encodings: which of them make sense |

mod encoding;
mod header;
mod layout;
mod names;
mod null_word;
mod readings;
mod refused;
mod shape;
mod split;
mod tried;

pub(crate) use encoding::{find as find_encoding, likely as likely_encoding};

use crate::dialect::{AutoDetect, CsvOptions, Doubts};
use crate::other_formats;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use inrush_core::error::{Error, Result};

/// The detected properties of a text. `Default` is RFC 4180.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedDialect {
    /// The byte between two fields.
    pub delimiter: u8,
    /// The byte around a quoted field.
    pub quote: Option<u8>,
    /// The byte that escapes the next one.
    pub escape: Option<u8>,
    /// Whether the first record has the names of the columns.
    pub header: bool,
    /// Lines before the table.
    pub skip: u64,
    /// The encoding; `None` is UTF-8, or what the byte order mark says.
    pub encoding: Option<&'static Encoding>,
    /// Lines end with a carriage return alone.
    pub cr_ends: bool,
    /// `\N` alone in a field is NULL.
    pub null_word: bool,
    /// Features that are not in the sample; after it, each could be read in two ways.
    pub(crate) doubts: Doubts,
}

impl Default for DetectedDialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: Some(b'"'),
            escape: None,
            header: true,
            skip: 0,
            encoding: None,
            cr_ends: false,
            null_word: false,
            doubts: Doubts::default(),
        }
    }
}

impl DetectedDialect {
    /// The differences from RFC 4180 with a header and in UTF-8, in words; empty if there are none.
    pub fn differences(&self) -> String {
        let mut said = Vec::new();
        if self.delimiter != b',' {
            said.push(format!("{} between fields", shown(self.delimiter)));
        }
        match self.quote {
            Some(b'"') => {}
            Some(quote) => said.push(format!("{} around fields", shown(quote))),
            None => said.push("no quotes".to_owned()),
        }
        if let Some(escape) = self.escape {
            said.push(format!("{} escapes", shown(escape)));
        }
        match self.skip {
            0 => {}
            1 => said.push("line 1 passed over".to_owned()),
            n => said.push(format!("lines 1 to {n} passed over")),
        }
        if !self.header {
            said.push("no header".to_owned());
        }
        if self.null_word {
            said.push("`\\N` is NULL".to_owned());
        }
        if self.cr_ends {
            said.push("lines end with CR".to_owned());
        }
        if let Some(encoding) = self.encoding {
            said.push(encoding.name().to_ascii_lowercase());
        }
        said.join(", ")
    }

    /// The options, with detected values for those that were not given.
    #[must_use]
    pub(crate) fn applied_to(&self, options: &CsvOptions) -> CsvOptions {
        let word = self.null_word.then(|| b"\\N".to_vec());
        CsvOptions {
            nulls: options.nulls.iter().cloned().chain(word).collect(),
            doubts: self.doubts,
            delimiter: Some(self.delimiter),
            quote: self.quote,
            escape: self.escape,
            header: self.header,
            skip: self.skip,
            encoding: self.encoding,
            cr_ends: self.cr_ends,
            auto_detect: AutoDetect::default(),
            ..options.clone()
        }
    }
}

/// A byte as it is written in a message and on a command line.
fn shown(byte: u8) -> String {
    match byte {
        b'\t' => "`\\t`".to_owned(),
        byte => format!("`{}`", char::from(byte)),
    }
}

/// A byte as an option's value.
fn given(byte: u8) -> String {
    if byte == b'\t' { "\\t".to_owned() } else { char::from(byte).to_string() }
}

/// A sample of a text, not decoded yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    /// How the source is called in messages.
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    /// Whether it is the whole text.
    pub(crate) is_all: bool,
    /// The delimiter by the file's name.
    pub(crate) delimiter: u8,
    /// Records lack the empty fields at their ends.
    pub(crate) lacks_ends: bool,
    /// The text that begins a comment line.
    pub(crate) comment: Option<&'a [u8]>,
    /// Its encoding, if programs such as `sed` do not read it.
    pub(crate) wide: Option<&'static Encoding>,
}

impl Sample<'_> {
    /// Whether `text` begins with a comment line.
    fn is_comment(&self, text: &[u8]) -> bool {
        self.comment.is_some_and(|comment| text.starts_with(comment))
    }
}

/// Detects what the options leave open.
///
/// # Errors
/// `Config` for a text that can be read in two ways, for lines before the table that no option skips, and for a text that is not a table.
pub(crate) fn sniff(sample: Sample<'_>, options: &CsvOptions) -> Result<DetectedDialect> {
    other_formats::refuse_content(sample.name, sample.bytes)?;
    let encoding = encoding::find(sample, options)?;
    let decoded;
    let text = match Encoding::for_bom(sample.bytes) {
        Some((marked, mark)) if marked == UTF_8 => &sample.bytes[mark..],
        Some((marked, mark)) => {
            decoded = marked.decode_without_bom_handling(&sample.bytes[mark..]).0;
            decoded.as_bytes()
        }
        None => match encoding {
            Some(encoding) if encoding != UTF_8 => {
                decoded = encoding.decode_without_bom_handling(sample.bytes).0;
                decoded.as_bytes()
            }
            _ => sample.bytes,
        },
    };
    refuse_html(sample.name, text)?;
    let cr_ends = memchr::memchr(b'\n', text).is_none() && memchr::memchr(b'\r', text).is_some();
    let line_ends;
    let text = match cr_ends {
        true => {
            line_ends = text.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect::<Vec<_>>();
            &line_ends
        }
        false => text,
    };
    // A last Ctrl-Z is the end of a file of DOS.
    let text = if sample.is_all { text.strip_suffix(b"\x1a").unwrap_or(text) } else { text };
    let wide = Encoding::for_bom(sample.bytes).map(|(marked, _)| marked).or(encoding);
    let sample = Sample { wide: wide.filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding)), ..sample };
    refused::refuse_two_returns(sample, text)?;
    let mut layout = layout::find(sample, text, options)?;
    let is_given = options.nulls.iter().any(|null| null == b"\\N");
    let AutoDetect { delimiter, quote, header, .. } = options.auto_detect;
    let null_word = match (delimiter || quote || header) && !is_given && options.escape.is_none() {
        true => null_word::find(sample.name, &mut layout, quote)?,
        false => null_word::NullWord::default(),
    };
    let header = if options.auto_detect.header { header::find(sample.name, &layout, options)? } else { options.header };
    let layout::Layout { delimiter, quote, escape, skip, .. } = layout;
    let doubts = Doubts {
        swallowing: options.auto_detect.quote && delimiter == b'\t' && quote == Some(b'"'),
        backslashes: null_word.is_alone,
    };
    Ok(DetectedDialect {
        delimiter,
        quote,
        escape,
        header,
        skip,
        encoding,
        cr_ends,
        null_word: null_word.is_null,
        doubts,
    })
}

/// The same of lines whose dialect is known: those before the table, and whether there is a header.
///
/// # Errors
/// `Config` if there are lines before the table and no option skips them, or if it is unclear whether there is a header.
pub(crate) fn sniff_lines(sample: Sample<'_>, options: &CsvOptions) -> Result<DetectedDialect> {
    let auto_detect = AutoDetect { skip: options.auto_detect.skip, ..AutoDetect::default() };
    let layout = layout::find(sample, sample.bytes, &CsvOptions { auto_detect, ..options.clone() })?;
    let header = if options.auto_detect.header { header::find(sample.name, &layout, options)? } else { options.header };
    Ok(DetectedDialect { header, skip: layout.skip, ..DetectedDialect::default() })
}

fn refuse_html(name: &str, text: &[u8]) -> Result<()> {
    let begins = text.trim_ascii_start();
    let is = |tag: &str| begins.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()));
    if is("<!doctype html") || is("<html") {
        return Err(Error::config(format!("`{name}` is a page of HTML, not a table"))
            .with_hint("a download that asks for a login or for consent is often such a page: look into the file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
