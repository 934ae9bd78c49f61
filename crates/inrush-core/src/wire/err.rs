//! ERR packets: the end of a command that failed.
//!
//! ```text
//! ff
//! cc cc         code
//! # sssss       SQLSTATE; missing before the client has sent its capabilities
//! ..            message
//! ```

use crate::error::Error;
use crate::error::codes::{self, Connection};
use crate::wire::{Cursor, Malformed};

/// An ERR packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrPacket<'a> {
    /// The server's error code.
    pub code: u16,
    /// The SQLSTATE, `HY000` if the packet has none.
    pub sql_state: [u8; 5],
    /// The message.
    pub message: &'a [u8],
}

impl<'a> ErrPacket<'a> {
    /// Reads the packet.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "ERR packet");
        r.expect(0xFF)?;
        let code = r.u16()?;
        let mut sql_state = *b"HY000";
        let mut message = r.rest();
        if let [b'#', a, b, c, d, e, text @ ..] = message {
            sql_state = [*a, *b, *c, *d, *e];
            message = text;
        }
        Ok(Self { code, sql_state, message })
    }
}

impl From<ErrPacket<'_>> for Error {
    fn from(packet: ErrPacket<'_>) -> Self {
        let error = Error::server(packet.code, packet.sql_state, printable(packet.message));
        match codes::of(packet.code).1 {
            Connection::Closed => error.fatal(),
            Connection::Usable | Connection::Misplaced => error,
        }
    }
}

/// The text on one line, without control characters (a message goes to terminals) and of bounded length.
fn printable(message: &[u8]) -> String {
    let text = String::from_utf8_lossy(&message[..message.len().min(MAX_MESSAGE)]);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Servers cut their own messages at 512 bytes.
const MAX_MESSAGE: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &[u8], code: u16, sql_state: &str, message: &str, fatal: bool) {
        let error = Error::from(ErrPacket::parse(body).unwrap());
        assert_eq!((error.code(), error.sql_state(), error.message()), (code, sql_state, message));
        assert_eq!(error.is_fatal(), fatal);
    }

    #[test]
    fn with_a_sql_state() {
        check(b"\xff\x28\x04#42000You have an error", 1064, "42000", "You have an error", false);
        check(b"\xff\x19\x04#", 1049, "HY000", "#", false);
        check(b"\xff\x28\x04#42000", 1064, "42000", "", false);
    }
    #[test]
    fn without_one() {
        check(b"\xff\x10\x04Too many connections", 1040, "HY000", "Too many connections", true);
    }
    #[test]
    fn a_message_is_one_printable_line() {
        check(b"\xff\x28\x04#42000near 'a\nb\x1b[2J\xff'", 1064, "42000", "near 'a b [2J\u{fffd}'", false);
        check(&[&b"\xff\x28\x04"[..], &[b'x'; 9999]].concat(), 1064, "HY000", &"x".repeat(2048), false);
    }
    #[test]
    fn a_closing_one_is_fatal() {
        check(b"\xff\xbf\x0f#HY000The client was disconnected", 4031, "HY000", "The client was disconnected", true);
    }
    #[test]
    fn the_table_says_which_codes_close() {
        for code in 0..=u16::MAX {
            let [low, high] = code.to_le_bytes();
            let error = Error::from(ErrPacket::parse(&[0xFF, low, high]).unwrap());
            assert_eq!(error.is_fatal(), codes::of(code).1 == Connection::Closed, "{code}");
        }
    }
    #[test]
    fn cut() {
        assert!(ErrPacket::parse(b"\xff\x10").is_err());
        assert!(ErrPacket::parse(b"").is_err());
    }
}
