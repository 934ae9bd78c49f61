//! Collations of the Unicode Collation Algorithm: the weights of Latin, Greek and Cyrillic letters and of punctuation. All other
//! characters follow them in the order of their numbers. Rules of languages and contractions are not known.
//!
//! The first list has three levels: letters; with `_as_`, accents; with `_cs`, upper and lower case. Each level is written after
//! the one before it. MariaDB's `uca1400` has the order of MySQL's `0900` for the characters of the list.

use super::listed;
use super::next_char;
use super::weights::{Pad, Writer};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Uca {
    table: Arc<Table>,
    levels: Levels,
    pad: Pad,
}

/// What counts besides the letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    /// `_ai_ci`
    Letters,
    /// `_as_ci`
    Accents,
    /// `_as_cs`
    Case,
}

#[derive(Debug)]
struct Table {
    /// The only byte of a character's code; 0 for characters without weight.
    ascii: [u8; 128],
    chars: Box<[Entry]>,
    /// Codes of characters that count as several, sorted by character.
    expansions: Vec<(u32, Vec<u16>)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// One byte and zero, or two bytes; 0 for none; [`EXPANDS`].
    code: u16,
    accent: u8,
    case: u8,
}

impl Uca {
    /// The list and the levels of a collation by its name; `None` if it is none of these.
    pub(super) fn tables_of(name: &str) -> Option<(&'static str, Levels)> {
        if name.contains("_0900_") || name.contains("uca1400_") {
            let levels = match () {
                () if name.ends_with("_cs") || name.ends_with("_cs_ks") => Levels::Case,
                () if name.ends_with("_as_ci") => Levels::Accents,
                () => Levels::Letters,
            };
            Some((UCA_900, levels))
        } else if name.contains("_520_") {
            Some((UCA_520, Levels::Letters))
        } else if name.contains("_unicode_") {
            Some((UCA_400, Levels::Letters))
        } else {
            None
        }
    }

    pub(super) fn new(list: &str, levels: Levels, pad: Pad) -> Self {
        Self { table: Arc::new(Table::read(list)), levels, pad }
    }

    #[inline]
    pub(super) fn append(&self, text: &[u8], key: &mut Vec<u8>) {
        let mut writer = Writer::new(self.pad, self.table.ascii[usize::from(b' ')], key);
        let mut rest = text;
        while let Some((char, behind)) = next_char(rest) {
            rest = behind;
            if let Some(code) = self.table.ascii.get(char as usize) {
                if *code > 0 {
                    writer.byte(*code);
                }
                continue;
            }
            match self.table.entry(char) {
                None => {
                    let [_, high, middle, low] = char.to_be_bytes();
                    writer.bytes(&[OTHERS, high, middle, low]);
                }
                Some(Entry { code: EXPANDS, .. }) => {
                    let found = self.table.expansions.binary_search_by_key(&char, |(char, _)| *char);
                    let codes = found.map_or(&[][..], |at| &self.table.expansions[at].1);
                    codes.iter().for_each(|code| write(*code, &mut writer));
                }
                Some(entry) => write(entry.code, &mut writer),
            }
        }
        writer.end();
        if self.levels != Levels::Letters {
            self.append_level(text, |entry| entry.accent, key);
        }
        if self.levels == Levels::Case {
            self.append_level(text, |entry| entry.case, key);
        }
    }

    /// A byte for each character, without the lowest ones at the end.
    fn append_level(&self, text: &[u8], level: impl Fn(Entry) -> u8, key: &mut Vec<u8>) {
        let mut n_lowest = 0;
        let mut rest = text;
        while let Some((char, behind)) = next_char(rest) {
            rest = behind;
            match self.table.entry(char).map_or(LOWEST, &level) {
                0 => {}
                LOWEST => n_lowest += 1,
                weight => {
                    key.extend(std::iter::repeat_n(LOWEST, n_lowest));
                    n_lowest = 0;
                    key.push(weight);
                }
            }
        }
        key.push(0);
    }
}

#[inline]
fn write(code: u16, writer: &mut Writer<'_>) {
    match code.to_be_bytes() {
        [0, _] => {}
        [byte, 0] => writer.byte(byte),
        both => writer.bytes(&both),
    }
}

impl Table {
    fn read(list: &str) -> Self {
        let mut table = Self { ascii: [0; 128], chars: vec![Entry::default(); N_CHARS].into(), expansions: Vec::new() };
        let mut codes = Vec::new();
        let mut lines = list.lines();
        // What has no weight; accents count on their own level.
        table.enter(lines.next().unwrap_or_default(), 0);
        let mut next = Codes::default();
        for line in lines {
            if let Some(expansion) = line.strip_prefix('=') {
                let mut words = expansion.split(' ');
                let char = words.next().and_then(|word| listed::chars(word).next()).map_or(0, u32::from);
                let weight = |word: &str| codes.get(word.parse::<usize>().ok()?.checked_sub(1)?).copied();
                table.expansions.push((char, words.filter_map(weight).collect()));
                if let Some(at) = place(char) {
                    table.chars[at] = Entry { code: EXPANDS, accent: LOWEST, case: LOWEST };
                }
            } else {
                let code = next.code(line.split(' ').flat_map(listed::chars).any(|c| c.is_ascii()));
                codes.push(code);
                table.enter(line, code);
            }
        }
        table.expansions.sort_unstable();
        for (char, code) in table.ascii.iter_mut().enumerate() {
            *code = (table.chars[char].code >> 8) as u8;
        }
        table
    }

    /// The characters of a line: groups by accent, in each the cases.
    fn enter(&mut self, line: &str, code: u16) {
        for (accent, group) in (1..).zip(line.split(' ')) {
            for (case, char) in (1..).zip(listed::chars(group)) {
                if let Some(at) = place(char.into()) {
                    // Of characters without weight, those in the first group have no accent either.
                    let accent = if code == 0 && accent == 1 { 0 } else { accent };
                    let case = if code == 0 { 0 } else { case };
                    self.chars[at] = Entry { code, accent, case };
                }
            }
        }
    }

    #[inline]
    fn entry(&self, char: u32) -> Option<Entry> {
        self.chars.get(place(char)?).copied()
    }
}

/// Codes in ascending order: one byte for those with a character of ASCII, two bytes for all between them.
#[derive(Default)]
struct Codes {
    first: u8,
    second: u8,
}

impl Codes {
    fn code(&mut self, is_ascii: bool) -> u16 {
        if is_ascii || self.second == u8::MAX || self.second == 0 {
            self.first += 1;
            self.second = 0;
        }
        if !is_ascii {
            self.second += 1;
        }
        let code = u16::from_be_bytes([self.first, self.second]);
        if is_ascii {
            self.second = 0;
        }
        code
    }
}

/// Where the list has a character; `None` if it has not.
#[inline]
fn place(char: u32) -> Option<usize> {
    let mut before = 0;
    for (start, end) in LISTED {
        if (start..end).contains(&char) {
            return Some((before + char - start) as usize);
        }
        before += end - start;
    }
    None
}

const LISTED: [(u32, u32); 4] = [(0, 0x530), (0x1e00, 0x1f00), (0x2000, 0x20d0), (0x2100, 0x2135)];
const N_CHARS: usize = 0x530 + 0x100 + 0xd0 + 0x35;

/// In front of the number of a character that is not listed.
const OTHERS: u8 = 0xfe;
const EXPANDS: u16 = 0xffff;
/// The weight of no accent, and of lower case.
const LOWEST: u8 = 1;

/// From `utf8mb4_0900_as_cs`.
const UCA_900: &str = include_str!("uca900.txt");
/// From `utf8mb4_unicode_520_ci`.
const UCA_520: &str = include_str!("uca520.txt");
/// From `utf8mb4_unicode_ci`.
const UCA_400: &str = include_str!("uca400.txt");
