//! Collations that compare the bytes of UTF-8, which is the order of the characters' numbers.

use super::weights::{END_FOLLOWS, LESS_FOLLOWS, MORE_FOLLOWS, Pad};
use super::without_blanks;
use crate::column::order::bytes::append_escaped;

#[inline]
pub(super) fn append(text: &[u8], pad: Pad, key: &mut Vec<u8>) {
    if pad == Pad::No {
        return append_escaped(text, key);
    }
    // What `weights::Writer` writes of single bytes, run by run.
    let mut rest = without_blanks(text);
    while let Some(at) = memchr::memchr(b' ', rest) {
        key.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 1..];
        let n_more = rest.iter().take_while(|byte| **byte == b' ').count();
        let is_less = rest.get(n_more).is_some_and(|next| *next < b' ');
        key.push(if is_less { LESS_FOLLOWS } else { MORE_FOLLOWS });
        key.extend_from_slice(&rest[..n_more]);
        rest = &rest[n_more..];
    }
    key.extend_from_slice(rest);
    key.extend_from_slice(&[b' ', END_FOLLOWS]);
}
