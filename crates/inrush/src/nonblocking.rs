//! One read or one write that does not block: returns `Ok(None)` if it would. A signal does not make it fail.

use std::io::{self, Read, Write};

/// Reads once.
pub(crate) fn read_once(socket: &mut impl Read, space: &mut [u8]) -> io::Result<Option<usize>> {
    once(|| socket.read(space))
}

/// Writes once.
pub(crate) fn write_once(socket: &mut impl Write, bytes: &[u8]) -> io::Result<Option<usize>> {
    once(|| socket.write(bytes))
}

/// Calls once, and again only after a signal.
pub(crate) fn once(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<Option<usize>> {
    loop {
        match call() {
            Ok(n) => return Ok(Some(n)),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
