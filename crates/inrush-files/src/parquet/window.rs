//! The bytes of one column of an object: requested in order and ahead, and kept until its reader is past them.
//!
//! A header is read before its page, and again by the page's decoder, so places come twice and close to each other.

use crate::on_disk::{FromPlace, OnDisk};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// A part of a column.
pub(super) struct Window {
    place: OnDisk,
    /// Where the column ends.
    end: u64,
    step: u64,
    /// The place of the first byte that is kept.
    start: u64,
    kept: Vec<u8>,
    /// Reads what follows.
    from: FromPlace,
}

impl Window {
    /// `None` for a file, whose bytes are at hand.
    pub(super) fn new(place: &OnDisk, at: u64, bytes: u64, step: u64) -> Option<Self> {
        let from = place.in_steps(at, bytes, step)?;
        let end = at.saturating_add(bytes);
        Some(Self { place: place.clone(), end, step, start: at, kept: Vec::new(), from })
    }

    /// Reads from `at` on; returns 0 at the end of the column.
    fn read(&mut self, at: u64, space: &mut [u8]) -> io::Result<usize> {
        let kept_end = self.start + self.kept.len() as u64;
        if at < self.start || at > kept_end {
            let bytes = self.end.saturating_sub(at);
            let again = self.place.in_steps(at, bytes, self.step);
            self.from = again.ok_or(io::ErrorKind::Unsupported)?;
            self.start = at;
            self.kept.clear();
        } else {
            let passed = (at - self.start) as usize;
            // A move of what is kept is rare: it waits for as much as a range.
            if passed as u64 >= self.step.min(MOST_PASSED) {
                self.kept.drain(..passed);
                self.start = at;
            }
        }
        let skip = (at - self.start) as usize;
        if skip == self.kept.len() {
            (&mut self.from).take(space.len() as u64).read_to_end(&mut self.kept)?;
        }
        let n = space.len().min(self.kept.len() - skip);
        space[..n].copy_from_slice(&self.kept[skip..skip + n]);
        Ok(n)
    }
}

/// Reads through a window.
pub(super) struct WindowReader {
    window: Arc<Mutex<Window>>,
    at: u64,
}

impl WindowReader {
    pub(super) fn new(window: &Arc<Mutex<Window>>, at: u64) -> Self {
        Self { window: window.clone(), at }
    }
}

impl Read for WindowReader {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let n = self.window.lock().unwrap_or_else(PoisonError::into_inner).read(self.at, space)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// 1 MiB of bytes that were read are kept before a move.
const MOST_PASSED: u64 = 1 << 20;
