//! A second session on the server, by its own client program: it holds locks, and changes what the load meets.

use crate::place::Place;
pub(crate) use inrush_testkit::patience::until as await_true;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};

/// A session of the server's own client that holds what it was told to take, until it is dropped.
pub(crate) struct Session(Child);

impl Session {
    pub(crate) fn open(place: &Place, statements: &str) -> Self {
        let mut client = place
            .server
            .client()
            .args(["--unbuffered", place.schema.name()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(client.stdin.as_mut().unwrap(), "{statements}; SELECT 'held';").unwrap();
        let mut line = String::new();
        BufReader::new(client.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "held");
        Self(client)
    }
}

impl Session {
    /// Has it do something more, without waiting for it.
    pub(crate) fn say(&mut self, statements: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{statements};").unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
