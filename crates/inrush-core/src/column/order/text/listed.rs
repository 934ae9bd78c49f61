//! The lists of characters in `uca*.txt` and `general.txt`: a line for each weight, in order.
//!
//! A character means itself; `\20;` is one by its number. `docs/notes/sort-order.md` has the statements that made them.

use std::iter::Peekable;
use std::str::Chars;

/// The characters of a line.
pub(super) fn chars(line: &str) -> impl Iterator<Item = char> {
    Listed(line.chars().peekable())
}

struct Listed<'a>(Peekable<Chars<'a>>);

impl Iterator for Listed<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self.0.next()? {
            '\\' => {
                let digits = self.0.by_ref().take_while(|c| *c != ';');
                char::from_u32(digits.filter_map(|c| c.to_digit(16)).fold(0, |number, digit| number * 16 + digit))
            }
            itself => Some(itself),
        }
    }
}
