//! The end of a command: the exit codes of the manual, and errors as text for people.

pub(crate) use inrush::documents::exit::{
    DATA, INTERRUPTED, OK, PROMISE, REJECTED, SERVER, USAGE, code_of, code_of_report,
};

use inrush_core::Error;
use std::fmt::Write as _;

/// The most severe of several exit codes.
pub(crate) fn worst(codes: impl IntoIterator<Item = u8>) -> u8 {
    let order = [OK, REJECTED, PROMISE, USAGE, DATA, SERVER, INTERRUPTED];
    codes.into_iter().max_by_key(|code| order.iter().position(|one| one == code)).unwrap_or(OK)
}

/// `error: ..` and `hint: ..` lines.
pub(crate) fn explain(error: &Error) -> String {
    let mut text = format!("error: {error}");
    if let Some(hint) = error.hint() {
        let _ = write!(text, "\nhint: {hint}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_is_reported() {
        let check = |codes: &[u8], want: u8| assert_eq!(worst(codes.iter().copied()), want, "{codes:?}");
        check(&[0, 0], 0);
        check(&[0, 4, 0], 4);
        check(&[4, 5, 0], 5);
        check(&[2, 4, 5, 1], 2);
        check(&[3, 2], 3);
        check(&[3, 130], 130);
    }
}
