//! The end of a text that is made in parts: the bytes that were made and not read yet.

/// Bytes that a reader has made, and how many of them were taken.
#[derive(Debug, Default)]
pub(crate) struct PendingBytes {
    pub(crate) bytes: Vec<u8>,
    taken: usize,
}

impl PendingBytes {
    /// Forgets all of them, for the next piece.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.taken = 0;
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.taken == self.bytes.len()
    }

    /// Takes as many as there is space for.
    pub(crate) fn take(&mut self, space: &mut [u8]) -> usize {
        let rest = &self.bytes[self.taken..];
        let n = space.len().min(rest.len());
        space[..n].copy_from_slice(&rest[..n]);
        self.taken += n;
        n
    }
}
