//! `utf8mb4_general_ci`: each character has one weight, which is a character too: mostly its upper-case letter without accents.
//! It is written as UTF-8, which has the order of the numbers.
//!
//! The weights are those of MySQL 9.7.4 and MariaDB 10.11.19 and 11.8.9, which agree on the whole Basic Multilingual Plane.

use super::listed;
use super::next_char;
use super::weights::{Pad, Writer};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct General {
    table: Arc<Table>,
    pad: Pad,
}

#[derive(Debug)]
struct Table {
    ascii: [u8; 128],
    /// Weights in pages of 256 characters, by the character's first byte.
    pages: [Option<Box<[u16; 256]>>; 256],
}

impl General {
    pub(super) fn new(pad: Pad) -> Self {
        let mut table = Table { ascii: std::array::from_fn(|at| at as u8), pages: [const { None }; 256] };
        for line in LIST.lines() {
            let mut chars = listed::chars(line).filter_map(|c| u16::try_from(u32::from(c)).ok());
            let Some(weight) = chars.next() else { continue };
            for char in chars {
                let [page, at] = char.to_be_bytes();
                if char < 0x80 {
                    table.ascii[usize::from(at)] = weight as u8;
                }
                let same = || Box::new(std::array::from_fn(|at| u16::from_be_bytes([page, at as u8])));
                table.pages[usize::from(page)].get_or_insert_with(same)[usize::from(at)] = weight;
            }
        }
        Self { table: Arc::new(table), pad }
    }

    #[inline]
    pub(super) fn append(&self, text: &[u8], key: &mut Vec<u8>) {
        let mut writer = Writer::new(self.pad, b' ', key);
        let mut rest = text;
        while let Some((char, behind)) = next_char(rest) {
            rest = behind;
            if char < 0x80 {
                writer.byte(self.table.ascii[char as usize]);
                continue;
            }
            let weight = match u16::try_from(char) {
                Ok(char) => {
                    let [page, at] = char.to_be_bytes();
                    self.table.pages[usize::from(page)].as_ref().map_or(char, |weights| weights[usize::from(at)])
                }
                Err(_) => BEYOND_BMP,
            };
            match weight {
                0..=0x7f => writer.byte(weight as u8),
                0x80..=0x7ff => writer.bytes(&[0xc0 | (weight >> 6) as u8, 0x80 | (weight & 0x3f) as u8]),
                _ => {
                    let (high, low) = (0x80 | (weight >> 6 & 0x3f) as u8, 0x80 | (weight & 0x3f) as u8);
                    writer.bytes(&[0xe0 | (weight >> 12) as u8, high, low]);
                }
            }
        }
        writer.end();
    }
}

/// The weight of all characters beyond the BMP.
const BEYOND_BMP: u16 = 0xfffd;

/// The weight first, then the characters that have it and are not it.
const LIST: &str = include_str!("general.txt");
