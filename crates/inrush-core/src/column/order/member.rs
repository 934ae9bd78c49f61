//! ENUM by the number of the member, SET by the bits of its members. A text that is no member is number 0.

use std::collections::HashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct EnumOrder(Arc<Numbers>);

impl EnumOrder {
    pub(super) fn new(members: &[String]) -> Self {
        Self(Arc::new(Numbers::new(members)))
    }

    #[inline]
    pub(super) fn append(&self, cell: &[u8], key: &mut Vec<u8>) {
        key.extend_from_slice(&self.0.number(cell).to_be_bytes());
    }
}

#[derive(Clone, Debug)]
pub(super) struct SetOrder(Arc<Numbers>);

impl SetOrder {
    pub(super) fn new(members: &[String]) -> Self {
        Self(Arc::new(Numbers::new(members)))
    }

    #[inline]
    pub(super) fn append(&self, cell: &[u8], key: &mut Vec<u8>) {
        let bit = |member: &[u8]| match self.0.number(member) {
            number @ 1..=64 => 1_u64 << (number - 1),
            _ => 0,
        };
        let texts = cell.split(|byte| *byte == b',').filter(|text| !text.is_empty());
        key.extend_from_slice(&texts.fold(0, |bits, text| bits | bit(text)).to_be_bytes());
    }
}

/// The members' numbers, from 1.
#[derive(Debug)]
struct Numbers {
    members: Vec<Box<[u8]>>,
    /// For long lists.
    index: HashMap<Box<[u8]>, u16>,
}

impl Numbers {
    fn new(members: &[String]) -> Self {
        let members: Vec<Box<[u8]>> = members.iter().map(|member| member.as_bytes().into()).collect();
        let mut index = HashMap::new();
        if members.len() > SHORT_LIST {
            for (member, number) in members.iter().zip(1..) {
                index.entry(member.clone()).or_insert(number);
            }
        }
        Self { members, index }
    }

    #[inline]
    fn number(&self, text: &[u8]) -> u16 {
        let exact = if self.index.is_empty() {
            self.members.iter().position(|member| **member == *text).map(|at| at as u16 + 1)
        } else {
            self.index.get(text).copied()
        };
        exact.unwrap_or_else(|| self.number_almost(text))
    }

    /// By a text in other upper and lower case, or with blanks at its end. Checks have rewritten such texts.
    #[cold]
    fn number_almost(&self, text: &[u8]) -> u16 {
        let text = text.trim_ascii_end();
        self.members.iter().position(|member| member.eq_ignore_ascii_case(text)).map_or(0, |at| at as u16 + 1)
    }
}

/// Up to so many members, comparing with each is faster than hashing (as in `column::check`).
const SHORT_LIST: usize = 12;

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, equal};

    #[test]
    fn by_number() {
        ascends("enum('z','a','m')", &["?", "z", "a", "m"]);
        equal("enum('z','a','m')", &["a", "A", "a  "]);
        equal("enum('a','A')", &["a", "a "]);
        ascends("enum('a','A','')", &["a", "A", ""]);
        let long: Vec<String> = (0..300).map(|i| format!("'{i}'")).collect();
        ascends(&format!("enum({})", long.join(",")), &["0", "2", "10", "200", "299"]);
    }

    #[test]
    fn by_bits() {
        ascends("set('z','a','m')", &["", "z", "a", "z,a", "m", "z,m", "a,m", "z,a,m"]);
        equal("set('z','a')", &["z,a", "a,z", "A,Z", "a,z,a"]);
    }
}
