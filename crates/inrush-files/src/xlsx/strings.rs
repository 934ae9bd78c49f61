//! The texts that cells share, stored one after the other.

use super::xml::{Token, Xml, damaged};
use std::io;

/// All shared texts.
#[derive(Debug, Default)]
pub(super) struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Reads the part with them.
    ///
    /// # Errors
    /// `OutOfMemory` if they take more than `memory` bytes.
    pub(super) fn read(xml: &mut Xml, memory: usize) -> io::Result<Self> {
        let mut strings = Self::default();
        loop {
            match xml.next()? {
                Token::Start(tag) if tag.name() == "si" => {
                    let start = strings.text.len();
                    xml.text_of("si", &mut strings.text)?;
                    unescape(&mut strings.text, start);
                    strings.ends.push(strings.text.len());
                    // Both double when they grow.
                    if 2 * (strings.text.len() + strings.ends.len() * size_of::<usize>()) > memory {
                        return Err(io::Error::from(io::ErrorKind::OutOfMemory));
                    }
                }
                Token::End(tag) if tag.is("sst") => return xml.finish().map(|()| strings),
                Token::Eof => return Err(damaged("its texts end too early")),
                _ => {}
            }
        }
    }

    /// Bytes of all of them.
    pub(super) fn len(&self) -> u64 {
        self.text.len() as u64
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }
}

/// Resolves `_x000D_`, which stands for a character that XML does not hold, from `start` on.
pub(super) fn unescape(text: &mut String, start: usize) {
    if !text[start..].contains("_x") {
        return;
    }
    let raw = text.split_off(start);
    let mut rest = &raw[..];
    while let Some(at) = rest.find("_x") {
        text.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest.as_bytes().get(at + 6) == Some(&b'_'));
        let character = code
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                text.push(character);
                rest = &rest[at + 7..];
            }
            None => {
                text.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    text.push_str(rest);
}
