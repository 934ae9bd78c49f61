//! Reads an object from any place of it to its end, with ranges requested ahead.
//!
//! Most readers take a header and stop, so the first ranges are small and nothing is requested ahead. One that continues gets ranges of
//! 8 MiB, four of them under way.

use super::object::{Object, Request};
use bytes::{Buf as _, Bytes};
use inrush_core::error::{Error, Result};
use std::collections::VecDeque;
use std::io::{self, Read};

/// Reads from its own position.
pub(crate) struct ObjectReader {
    object: Object,
    /// The place of the next byte that is returned.
    at: u64,
    /// Where it ends.
    end: u64,
    /// Bytes that came and were not returned yet.
    part: Bytes,
    /// Ranges under way, in order, each with its end.
    ahead: VecDeque<(u64, Request)>,
    /// The place after the last range that was requested.
    requested: u64,
    /// Bytes of the next range.
    step: u64,
    /// Ranges that may be under way.
    depth: usize,
    /// The most bytes of a range.
    most: u64,
    /// The most ranges under way.
    most_depth: usize,
}

impl ObjectReader {
    /// From `at` to the end of the object.
    pub(crate) fn new(object: &Object, at: u64) -> Self {
        Self::of(object, at, object.size(), FIRST_STEP, 1)
    }

    /// These bytes, all of which are read.
    pub(crate) fn exact(object: &Object, at: u64, bytes: u64) -> Self {
        Self::of(object, at, at.saturating_add(bytes).min(object.size()), STEP, DEPTH)
    }

    /// These bytes, in ranges of `step` bytes of which two are under way.
    pub(crate) fn in_steps(object: &Object, at: u64, bytes: u64, step: u64) -> Self {
        let mut reader = Self::of(object, at, at.saturating_add(bytes).min(object.size()), step, 2);
        (reader.most, reader.most_depth) = (step, 2);
        reader
    }

    fn of(object: &Object, at: u64, end: u64, step: u64, depth: usize) -> Self {
        let (part, ahead) = (Bytes::new(), VecDeque::new());
        let (most, most_depth) = (STEP, DEPTH);
        Self { object: object.clone(), at, end, part, ahead, requested: at, step, depth, most, most_depth }
    }

    /// Skips `n` bytes, also past the end.
    pub(crate) fn pass(&mut self, n: u64) {
        self.at = self.at.saturating_add(n);
        if (n as usize) < self.part.len() {
            self.part.advance(n as usize);
            return;
        }
        // What is under way begins elsewhere.
        self.part = Bytes::new();
        self.ahead.clear();
        self.requested = self.at;
        (self.step, self.depth) = (self.step.min(FIRST_STEP), self.depth.min(1));
    }

    /// The next part; `None` at the end.
    fn next_part(&mut self) -> Result<Option<Bytes>> {
        if self.at >= self.end {
            return Ok(None);
        }
        let head = self.object.head();
        if self.requested == self.at && self.at < head.len() as u64 {
            let end = self.end.min(head.len() as u64);
            self.requested = end;
            return Ok(Some(head.slice(self.at as usize..end as usize)));
        }
        loop {
            self.request_ahead()?;
            let Some((end, request)) = self.ahead.front() else {
                return Err(self.too_short());
            };
            match request.next() {
                Some(part) => return part.map(Some),
                None if *end == self.at => drop(self.ahead.pop_front()),
                None => return Err(self.object.failure().unwrap_or_else(|| self.too_short())),
            }
        }
    }

    fn request_ahead(&mut self) -> Result<()> {
        while self.ahead.len() < self.depth && self.requested < self.end {
            let to = self.requested.saturating_add(self.step).min(self.end);
            self.ahead.push_back((to, self.object.request(self.requested..to)?));
            self.requested = to;
            if self.step >= WIDE {
                self.depth = self.most_depth;
            }
            self.step = (self.step * GROWTH).min(self.most);
        }
        Ok(())
    }

    fn too_short(&self) -> Error {
        Error::data(format!("the server sent only {} bytes of `{}`", self.at, self.object.address().shown()))
    }
}

impl Read for ObjectReader {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() && !space.is_empty() {
            match self.next_part().map_err(io::Error::other)? {
                None => return Ok(0),
                Some(part) => self.part = part,
            }
        }
        let n = space.len().min(self.part.len());
        space[..n].copy_from_slice(&self.part.split_to(n));
        self.at += n as u64;
        Ok(n)
    }
}

/// 64 KiB: what a header takes.
const FIRST_STEP: u64 = 64 << 10;

/// Each range is so many times longer than the one before it.
const GROWTH: u64 = 4;

/// 1 MiB: a reader that has taken as much will take the rest.
const WIDE: u64 = 1 << 20;

/// 8 MiB: the time until a range begins is a small part of its own then.
const STEP: u64 = 8 << 20;

/// Ranges under way: 32 MiB of memory at most.
const DEPTH: usize = 4;
