//! Writes the bytes of weights, one character after another, so that the end of a text sorts in the right place.
//!
//! With PAD SPACE the end of a text means endless blanks: `a\t` < `a` < `a!`. So the first weight of a run of blanks is followed
//! by a byte that says what follows the run: something below a blank, the end, or something above it.

/// What a collation compares with where a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    /// Blanks.
    Space,
    /// Nothing: the end is below everything.
    No,
}

/// Writes the weights of one text.
pub(super) struct Writer<'k> {
    key: &'k mut Vec<u8>,
    /// The first byte of a blank's weight, which is its only one; `None` for NO PAD.
    space: Option<u8>,
    /// Where a run of blanks begins that is still open.
    run: Option<usize>,
}

impl<'k> Writer<'k> {
    #[inline]
    pub(super) fn new(pad: Pad, space: u8, key: &'k mut Vec<u8>) -> Self {
        Self { key, space: (pad == Pad::Space).then_some(space), run: None }
    }

    /// A weight of one byte.
    #[inline]
    pub(super) fn byte(&mut self, weight: u8) {
        if let Some(space) = self.space {
            if weight == space {
                return self.blank(space);
            }
            self.close_run(weight, space);
            self.key.push(weight);
        } else {
            self.key.push(weight);
            if weight == 0 {
                self.key.push(0xff);
            }
        }
    }

    /// A weight of several bytes; the first byte is neither zero nor a blank's.
    #[inline]
    pub(super) fn bytes(&mut self, weight: &[u8]) {
        if let Some(space) = self.space {
            self.close_run(weight[0], space);
        }
        self.key.extend_from_slice(weight);
    }

    fn blank(&mut self, space: u8) {
        self.key.push(space);
        if self.run.is_none() {
            self.run = Some(self.key.len() - 1);
            self.key.push(END_FOLLOWS);
        }
    }

    #[inline]
    fn close_run(&mut self, next: u8, space: u8) {
        if let Some(start) = self.run.take() {
            self.key[start + 1] = if next < space { LESS_FOLLOWS } else { MORE_FOLLOWS };
        }
    }

    /// The end of the text.
    #[inline]
    pub(super) fn end(self) {
        match (self.space, self.run) {
            (Some(space), run) => {
                self.key.truncate(run.unwrap_or(self.key.len()));
                self.key.extend_from_slice(&[space, END_FOLLOWS]);
            }
            (None, _) => self.key.extend_from_slice(&[0, 0]),
        }
    }
}

pub(super) const LESS_FOLLOWS: u8 = 1;
pub(super) const END_FOLLOWS: u8 = 2;
pub(super) const MORE_FOLLOWS: u8 = 3;
