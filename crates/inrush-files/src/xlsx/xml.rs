//! XML as events, in bounded memory: no tag or text may be longer than [`MAX_TOKEN`] and no nesting deeper than [`MAX_DEPTH`].

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;
use std::io::{self, BufReader, Read};

/// A part of a workbook, event by event.
pub(super) struct Xml {
    reader: Reader<BufReader<Limited>>,
    buf: Vec<u8>,
    depth: usize,
}

/// An event. Names are without their prefix.
pub(super) enum Token<'a> {
    Start(Tag<'a>),
    End(End<'a>),
    Text(Cow<'a, str>),
    /// What has no meaning here, such as a comment.
    Other,
    /// The end of the part.
    Eof,
}

/// A start tag.
pub(super) struct Tag<'a>(BytesStart<'a>);

impl Tag<'_> {
    /// The name without its prefix.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The values of attributes, by their names without a prefix.
    pub(super) fn values<const N: usize>(&self, names: [&str; N]) -> io::Result<[Option<String>; N]> {
        let mut values = [const { None }; N];
        for attribute in self.0.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| damaged(format!("its XML is damaged: {e}")))?;
            if let Some(at) = names.iter().position(|name| *name == attribute.key.local_name().into_inner()) {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(of_xml)?;
                values[at] = Some(value.into_owned());
            }
        }
        Ok(values)
    }

    /// The value of one attribute.
    pub(super) fn value(&self, name: &str) -> io::Result<Option<String>> {
        self.values([name]).map(|[value]| value)
    }
}

/// An end tag.
pub(super) struct End<'a>(BytesEnd<'a>);

impl End<'_> {
    /// Whether it ends an element of this name, without a prefix.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.local_name().into_inner() == name
    }
}

impl Xml {
    /// Reads at most `most` bytes; more are an error.
    pub(super) fn new(bytes: Box<dyn Read + Send>, most: u64) -> Self {
        let limited = Limited { bytes, token: 0, left: most };
        let mut reader = Reader::from_reader(BufReader::with_capacity(READ_BYTES, limited));
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        Self { reader, buf: Vec::new(), depth: 0 }
    }

    /// The next event, references resolved.
    pub(super) fn next(&mut self) -> io::Result<Token<'_>> {
        self.buf.clear();
        self.reader.get_mut().get_mut().token = 0;
        Ok(match self.reader.read_event_into(&mut self.buf).map_err(of_xml)? {
            Event::Start(tag) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(damaged("its XML is nested too deeply"));
                }
                Token::Start(Tag(tag))
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                Token::End(End(tag))
            }
            Event::Text(text) => Token::Text(text.xml10_content()),
            Event::CData(text) => Token::Text(text.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref().map_err(of_xml)? {
                Some(character) => Token::Text(character.to_string().into()),
                None => match resolve_predefined_entity(&reference) {
                    Some(text) => Token::Text(text.into()),
                    None => return Err(damaged("its XML refers to something that is not there")),
                },
            },
            Event::Eof => Token::Eof,
            _ => Token::Other,
        })
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.reader.buffer_position()
    }

    /// Appends the text up to the end of the element `name`. Of an element with `t` elements in it (`si`, `is`) only theirs, without how
    /// it is pronounced (`rPh`).
    pub(super) fn text_of(&mut self, name: &str, text: &mut String) -> io::Result<()> {
        let (start, is_in_parts) = (text.len(), name != "v");
        let (mut in_text, mut in_sounds) = (!is_in_parts, false);
        loop {
            match self.next()? {
                Token::Start(tag) if is_in_parts => match tag.name() {
                    "t" => in_text = true,
                    "rPh" => in_sounds = true,
                    _ => {}
                },
                Token::End(tag) if tag.is(name) => break,
                Token::End(tag) if is_in_parts => {
                    in_text &= !tag.is("t");
                    in_sounds &= !tag.is("rPh");
                }
                Token::Text(part) if in_text && !in_sounds => text.push_str(&part),
                Token::Eof => return Err(damaged("it ends inside of a cell")),
                _ => {}
            }
            if text.len() - start > MAX_TOKEN {
                return Err(damaged("a cell of it is longer than any program writes"));
            }
        }
        Ok(())
    }

    /// Reads what is left, so that its length and checksum are compared.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let reader = self.reader.get_mut();
        let mut space = [0; 4096];
        loop {
            reader.get_mut().token = 0;
            match reader.read(&mut space) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

/// A reader that fails past a limit: of all bytes, or of one token.
struct Limited {
    bytes: Box<dyn Read + Send>,
    /// Bytes since the last token.
    token: usize,
    left: u64,
}

impl Read for Limited {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read(space)?;
        self.token += n;
        if self.token > MAX_TOKEN {
            return Err(damaged("a part of it is longer than any program writes"));
        }
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| damaged("it is larger than any program writes"))?;
        Ok(n)
    }
}

pub(super) fn damaged(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}

/// An error of reading stays one.
fn of_xml(error: quick_xml::Error) -> io::Error {
    match error {
        quick_xml::Error::Io(error) => match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        },
        other => damaged(format!("its XML is damaged: {other}")),
    }
}

const READ_BYTES: usize = 16 << 10;

/// A cell of Excel has at most 32,767 characters; other programs write more.
const MAX_TOKEN: usize = 4 << 20;

/// What programs write is nested less than ten levels deep.
const MAX_DEPTH: usize = 64;
