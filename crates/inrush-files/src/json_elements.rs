//! A JSON document as JSON Lines: each element of an array, or each value of the document, becomes a line. A stream: what is in memory does
//! not depend on the document's size.
//!
//! Line ends between tokens become blanks. Within a string they are no JSON; they stay, so that the record is refused and not bent. A
//! document that ends inside its array is an error.

use crate::pending_bytes::PendingBytes;
use std::collections::BTreeSet;
use std::io::{self, Read};

/// The elements of the array that a path leads to, as lines.
pub(crate) struct Elements<R> {
    bytes: R,
    state: State,
    /// The document has begun with another value than an array.
    has_values: bool,
    /// The path leads to an object, which is the only record.
    is_record: bool,
    /// Keys that are still to be found, the next one last; `None`: the values of the document itself are the lines.
    path: Option<Vec<Vec<u8>>>,
    /// The keys that were found, in order: each is the key of an object that is still open.
    found: Vec<Vec<u8>>,
    /// The value at the path was read.
    is_over: bool,
    /// The key that is being read.
    key: Vec<u8>,
    /// Lines that are not taken yet.
    out: PendingBytes,
    input: Vec<u8>,
    has_ended: bool,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a value of the document, or after all of them.
    Between,
    /// Before the value that the next key of the path belongs to, or the array.
    Target,
    /// In an object: before a key.
    Keys,
    /// In a key, whose bytes are collected.
    Key(Quoted),
    /// After a key; `is_it`: it is the next key of the path.
    Colon { is_it: bool },
    /// In a value that is skipped.
    Passed(Nesting),
    /// In the array, before an element.
    Elements,
    /// In an element, or a value of the document.
    Element(Nesting),
    /// After the document, which nothing may follow.
    Done,
}

/// Where in a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Quoted {
    is_escaped: bool,
}

/// Where in a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Nesting {
    depth: u64,
    string: Option<Quoted>,
    has_begun: bool,
}

/// What a byte does to a value.
#[derive(PartialEq, Eq)]
enum ByteStep {
    Inside,
    /// It is the value's last byte.
    Last,
    /// The value ended before it.
    Behind,
}

impl Quoted {
    /// Whether the byte ends the string.
    fn ends_at(&mut self, byte: u8) -> bool {
        let was_escaped = std::mem::take(&mut self.is_escaped);
        self.is_escaped = byte == b'\\' && !was_escaped;
        byte == b'"' && !was_escaped
    }
}

impl Nesting {
    fn step(&mut self, byte: u8) -> ByteStep {
        if let Some(string) = &mut self.string {
            if string.ends_at(byte) {
                self.string = None;
                return if self.depth == 0 { ByteStep::Last } else { ByteStep::Inside };
            }
            return ByteStep::Inside;
        }
        match byte {
            b'"' => self.string = Some(Quoted::default()),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' | b',' if self.depth == 0 => return ByteStep::Behind,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return ByteStep::Last;
                }
            }
            byte if byte.is_ascii_whitespace() => {
                return if self.depth == 0 && self.has_begun { ByteStep::Behind } else { ByteStep::Inside };
            }
            _ => {}
        }
        self.has_begun = true;
        ByteStep::Inside
    }
}

impl<R: Read> Elements<R> {
    /// `path`: the keys that lead to the array, outermost first; `None`: the document is an array, or its values are the records.
    pub(crate) fn new(bytes: R, path: Option<&[String]>) -> Self {
        let path = path.map(|path| path.iter().rev().map(|key| key.clone().into_bytes()).collect());
        let state = if path.is_some() { State::Target } else { State::Between };
        Self {
            bytes,
            state,
            has_values: false,
            is_record: false,
            path,
            found: Vec::new(),
            is_over: false,
            key: Vec::new(),
            out: PendingBytes::default(),
            input: vec![0; READ_BYTES],
            has_ended: false,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        while self.out.bytes.is_empty() && !self.has_ended {
            let n = match self.bytes.read(&mut self.input) {
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if n == 0 {
                self.has_ended = true;
                return self.end();
            }
            let input = std::mem::take(&mut self.input);
            let done = input[..n].iter().try_for_each(|byte| self.take(*byte));
            self.input = input;
            done?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        match self.state {
            State::Done | State::Between => Ok(()),
            // A number, say, at the end of the document.
            State::Element(nesting) if self.path.is_none() && nesting.depth == 0 && nesting.string.is_none() => {
                self.out.bytes.push(b'\n');
                Ok(())
            }
            _ if self.is_over => Err(wrong("the document ends inside of the object around its array")),
            State::Target | State::Keys | State::Key(_) | State::Colon { .. } | State::Passed(_) => {
                Err(wrong("the document ends before the array that `--json-path` names"))
            }
            State::Elements | State::Element(_) => Err(wrong("the document ends inside of its array")),
        }
    }

    fn take(&mut self, byte: u8) -> io::Result<()> {
        let is_blank = byte.is_ascii_whitespace();
        match &mut self.state {
            State::Between if is_blank || matches!(byte, 0xEF | 0xBB | 0xBF | CTRL_Z) => {}
            State::Between if byte == b'[' && !self.has_values => {
                self.path = Some(Vec::new());
                self.state = State::Elements;
            }
            State::Between | State::Elements if byte == b']' => match self.path {
                Some(_) => self.state = self.behind_the_array(),
                None => return Err(wrong("a `]` closes nothing")),
            },
            State::Elements if is_blank || byte == b',' => {}
            State::Between | State::Elements if matches!(byte, b'}' | b',') => {
                return Err(wrong("a `}` or `,` stands where a value begins"));
            }
            State::Between | State::Elements => {
                self.has_values = true;
                self.state = State::Element(Nesting::default());
                return self.take(byte);
            }
            State::Element(nesting) => match nesting.step(byte) {
                ByteStep::Inside => {
                    let is_between_tokens = nesting.string.is_none();
                    self.out.bytes.push(if is_between_tokens && matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
                }
                ByteStep::Last => {
                    self.out.bytes.extend([byte, b'\n']);
                    self.state = self.behind_an_element();
                }
                ByteStep::Behind => {
                    self.out.bytes.push(b'\n');
                    self.state = self.behind_an_element();
                    return self.take(byte);
                }
            },
            State::Target if is_blank || matches!(byte, 0xEF | 0xBB | 0xBF) => {}
            State::Target => {
                let is_array = self.path.as_ref().is_none_or(Vec::is_empty);
                self.state = match (byte, is_array) {
                    (b'[', true) => State::Elements,
                    (b'{', false) => State::Keys,
                    // The one object that the path leads to is a record.
                    (b'{', true) => {
                        self.is_record = true;
                        self.state = State::Element(Nesting::default());
                        return self.take(byte);
                    }
                    _ => return Err(wrong("what `--json-path` names is neither an array nor an object")),
                };
            }
            State::Keys if is_blank || byte == b',' => {}
            State::Keys if byte == b'"' => {
                self.key.clear();
                self.state = State::Key(Quoted::default());
            }
            State::Keys if byte == b'}' && self.is_over => {
                self.found.pop();
                self.state = self.behind_the_array();
            }
            State::Keys if self.is_over => return Err(wrong("no key stands where one begins")),
            State::Keys => return Err(wrong("there is no such key as `--json-path` names")),
            State::Key(quoted) => {
                if quoted.ends_at(byte) {
                    let wanted = match self.is_over {
                        true => self.found.last(),
                        false => self.path.as_ref().and_then(|path| path.last()),
                    };
                    let is_it = wanted == Some(&self.key);
                    self.state = State::Colon { is_it };
                } else if self.key.len() < MAX_KEY {
                    self.key.push(byte);
                }
            }
            State::Colon { .. } if is_blank => {}
            State::Colon { is_it } if byte == b':' => {
                self.state = match *is_it {
                    true if self.is_over => {
                        return Err(wrong("a key that `--json-path` names stands twice in its object"));
                    }
                    true => {
                        self.found.extend(self.path.as_mut().and_then(Vec::pop));
                        State::Target
                    }
                    false => State::Passed(Nesting::default()),
                };
            }
            State::Colon { .. } => return Err(wrong("a key without a value")),
            State::Passed(nesting) => match nesting.step(byte) {
                ByteStep::Inside => {}
                ByteStep::Last => self.state = State::Keys,
                ByteStep::Behind => {
                    self.state = State::Keys;
                    return self.take(byte);
                }
            },
            State::Done if is_blank || byte == CTRL_Z => {}
            State::Done => return Err(wrong("something follows what should be all")),
        }
        Ok(())
    }

    /// The objects around the array are read to their ends, since a key of the path may be repeated in them.
    fn behind_the_array(&mut self) -> State {
        self.is_over = true;
        if self.found.is_empty() { State::Done } else { State::Keys }
    }

    fn behind_an_element(&mut self) -> State {
        match &self.path {
            Some(_) if self.is_record => self.behind_the_array(),
            Some(_) => State::Elements,
            None => State::Between,
        }
    }
}

impl<R: Read> Read for Elements<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.out.is_taken() && !self.has_ended {
            self.refill()?;
        }
        Ok(self.out.take(space))
    }
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// What DOS wrote at the end of a file.
const CTRL_Z: u8 = 0x1a;

const READ_BYTES: usize = 64 << 10;

/// The bytes of a key that are kept to compare it with the path: no path has a longer key.
const MAX_KEY: usize = 64 << 10;

/// The values of the document's only object, as far as a sample shows them; empty if the records are the document's values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OnlyObject {
    /// The keys that have arrays of objects, as `--json-path` names them.
    pub(crate) arrays: Vec<String>,
    /// The same of the objects within it: `data.orders`.
    pub(crate) nested: Vec<String>,
    /// How many values are objects.
    pub(crate) objects: usize,
    /// How many are something else.
    others: usize,
}

impl OnlyObject {
    /// Whether each value is an object: the rows may be those, by their keys.
    pub(crate) fn has_rows_by_key(&self) -> bool {
        self.others == 0 && self.objects >= 2
    }

    /// The paths of arrays within objects; empty if several objects have the same one, since these objects are the rows.
    pub(crate) fn nested_tables(&self) -> &[String] {
        let behind = |path: &String| path.split_once('.').map(|(_, rest)| rest.to_owned());
        let different: BTreeSet<Option<String>> = self.nested.iter().map(behind).collect();
        if different.len() == self.nested.len() { &self.nested } else { &[] }
    }

    /// Notes a value, as far as it is in the sample.
    fn note(&mut self, key: &str, value: &[u8], depth: usize) {
        let is_object = value.starts_with(b"{");
        self.objects += usize::from(is_object);
        self.others += usize::from(!is_object);
        // A point in a key cannot be named.
        let can_be_named = !key.is_empty() && !key.contains(['.', '\\']);
        let has_rows = value.strip_prefix(b"[").is_some_and(|array| array.trim_ascii_start().starts_with(b"{"));
        if has_rows && can_be_named {
            self.arrays.push(key.to_owned());
        }
        if is_object && can_be_named && depth < MOST_DEPTH {
            let inner = values_of(value, depth + 1);
            self.nested.extend(inner.arrays.iter().chain(&inner.nested).map(|path| format!("{key}.{path}")));
        }
    }
}

/// Examines the values of a document's only object.
pub(crate) fn only_object(sample: &[u8]) -> OnlyObject {
    values_of(sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample).trim_ascii_start(), 0)
}

fn values_of(object: &[u8], depth: usize) -> OnlyObject {
    let mut found = OnlyObject::default();
    let Some(mut rest) = object.strip_prefix(b"{") else { return found };
    loop {
        rest = rest.trim_ascii_start();
        match rest.first() {
            Some(b',') => rest = &rest[1..],
            Some(b'"') => {
                let mut quoted = Quoted::default();
                let Some(end) = rest[1..].iter().position(|byte| quoted.ends_at(*byte)) else { return found };
                let key = String::from_utf8_lossy(&rest[1..=end]).into_owned();
                let Some(value) = rest[end + 2..].trim_ascii_start().strip_prefix(b":") else { return found };
                let value = value.trim_ascii_start();
                if value.is_empty() {
                    return found;
                }
                let mut nesting = Nesting::default();
                let end = value.iter().enumerate().find_map(|(at, byte)| match nesting.step(*byte) {
                    ByteStep::Inside => None,
                    ByteStep::Last => Some(at + 1),
                    ByteStep::Behind => Some(at),
                });
                found.note(&key, &value[..end.unwrap_or(value.len())], depth);
                let Some(end) = end else { return found };
                rest = &value[end..];
            }
            // More values follow: each is a record.
            Some(b'}') if !rest[1..].trim_ascii().is_empty() => return OnlyObject::default(),
            _ => return found,
        }
    }
}

/// Arrays deeper than this are not looked for.
const MOST_DEPTH: usize = 4;

#[cfg(test)]
mod tests;
