//! ENUM and SET: members by their text. A server silently takes a number, even in a text, for the index of a member: `2` into
//! ENUM('1','0') is `0`. Here a number is bad unless it is the text of a member.
//!
//! A member in other upper and lower case, or with blanks at its end, is rewritten to the member's own spelling if only one can
//! be meant: whether the server takes the original spelling depends on the column's collation.
//!
//! Servers print a `?` for each character beyond the BMP in a member, wherever they print members (docs/notes/column-checks.md). So a
//! bound text with such characters that may be a member is left to the server, which refuses it if it is none. A cell of a load is
//! refused: some collations take one emoji for another.

use super::{CellValidator, Verdict, Why};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(super) struct EnumValidator(Members);

impl EnumValidator {
    pub(super) fn new(members: &[String]) -> Self {
        Self(Members::new(members))
    }

    /// The place of the member with just this text, from 1.
    pub(super) fn index(&self, text: &[u8]) -> Option<u64> {
        self.0.position(text).map(|at| at as u64 + 1)
    }
}

impl CellValidator for EnumValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match self.0.find(cell) {
            MemberMatch::Exactly => Verdict::Keep,
            MemberMatch::Almost(member) => {
                out.extend_from_slice(member);
                Verdict::Rewrite
            }
            MemberMatch::Nothing => Verdict::Bad(Why::NotAMember),
        }
    }

    fn validate_bound(&self, text: &[u8], out: &mut Vec<u8>) -> Verdict {
        validate_bound(self, text, out)
    }
}

#[derive(Clone, Debug)]
pub(super) struct SetValidator(Members);

impl SetValidator {
    pub(super) fn new(members: &[String]) -> Self {
        Self(Members::new(members))
    }

    /// The bit of the member with just this text.
    pub(super) fn bit(&self, text: &[u8]) -> Option<u64> {
        self.0.position(text).and_then(|at| 1_u64.checked_shl(at as u32))
    }
}

impl CellValidator for SetValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if cell.is_empty() {
            return Verdict::Keep;
        }
        let mut exactly = true;
        for (i, text) in cell.split(|b| *b == b',').enumerate() {
            if i > 0 {
                out.push(b',');
            }
            match self.0.find(text) {
                MemberMatch::Exactly => out.extend_from_slice(text),
                MemberMatch::Almost(member) => {
                    exactly = false;
                    out.extend_from_slice(member);
                }
                MemberMatch::Nothing => return Verdict::Bad(Why::NotAMember),
            }
        }
        if exactly {
            out.truncate(out.len() - cell.len());
            return Verdict::Keep;
        }
        Verdict::Rewrite
    }

    fn validate_bound(&self, text: &[u8], out: &mut Vec<u8>) -> Verdict {
        validate_bound(self, text, out)
    }
}

/// Validates a text that is bound.
fn validate_bound(validator: &impl CellValidator, text: &[u8], out: &mut Vec<u8>) -> Verdict {
    let n_before = out.len();
    let verdict = validator.validate(text, out);
    if !matches!(verdict, Verdict::Bad(_)) || !text.iter().any(|byte| *byte >= BEYOND_BMP) {
        return verdict;
    }
    out.truncate(n_before);
    match validator.validate(&printed(text), &mut Vec::new()) {
        Verdict::Bad(_) => verdict,
        Verdict::Keep | Verdict::Rewrite => Verdict::Keep,
    }
}

/// UTF-8 as a server prints it in its definitions.
fn printed(text: &[u8]) -> Vec<u8> {
    let mut printed = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        if *byte >= BEYOND_BMP {
            printed.push(b'?');
            rest.by_ref().take(3).for_each(drop);
        } else {
            printed.push(*byte);
        }
    }
    printed
}

#[derive(Clone, Debug)]
struct Members {
    /// As they are declared.
    exact: Vec<Vec<u8>>,
    /// For long lists.
    index: HashMap<Vec<u8>, usize>,
    /// By their text without case and blanks at the end; `None` where that fits several.
    folded: HashMap<Vec<u8>, Option<usize>>,
}

enum MemberMatch<'a> {
    Exactly,
    Almost(&'a [u8]),
    Nothing,
}

impl Members {
    fn new(members: &[String]) -> Self {
        let exact: Vec<Vec<u8>> = members.iter().map(|m| m.as_bytes().to_vec()).collect();
        let mut index = HashMap::new();
        let mut folded = HashMap::new();
        for (i, member) in exact.iter().enumerate() {
            if exact.len() > SHORT_LIST {
                index.insert(member.clone(), i);
            }
            folded.entry(fold(member)).and_modify(|several| *several = None).or_insert(Some(i));
        }
        Self { exact, index, folded }
    }

    fn position(&self, text: &[u8]) -> Option<usize> {
        self.exact.iter().position(|member| member == text)
    }

    #[inline]
    fn find(&self, text: &[u8]) -> MemberMatch<'_> {
        let known = if self.index.is_empty() {
            self.exact.iter().any(|member| member == text)
        } else {
            self.index.contains_key(text)
        };
        if known { MemberMatch::Exactly } else { self.find_almost(text) }
    }

    #[cold]
    fn find_almost(&self, text: &[u8]) -> MemberMatch<'_> {
        match self.folded.get(&fold(text)) {
            Some(Some(i)) => MemberMatch::Almost(&self.exact[*i]),
            _ => MemberMatch::Nothing,
        }
    }
}

fn fold(text: &[u8]) -> Vec<u8> {
    let blanks = text.iter().rev().take_while(|b| **b == b' ').count();
    text[..text.len() - blanks].to_ascii_lowercase()
}

/// Begins a character of four bytes.
const BEYOND_BMP: u8 = 0xF0;
/// Up to so many members, comparing with each is faster than hashing.
const SHORT_LIST: usize = 12;
