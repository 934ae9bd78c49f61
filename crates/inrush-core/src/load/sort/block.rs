//! The format of records in a temporary file: blocks of whole records. Each block follows a header with its length and the
//! checksum of its bytes.
//!
//! ```text
//! 4 bytes  "irs1"
//! 4 bytes  length of the records, little endian
//! 8 bytes  their XXH3, little endian
//! ```

use super::record::damaged;
use crate::error::Result;
use crate::load::checksum::checksum;

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of records that follow it.
    pub len: usize,
    sum: u64,
}

/// Bytes of a header.
pub const HEADER_BYTES: usize = 16;

/// 64 KiB: a block ends with the record that fills it. Blocks of all runs are in memory at once (docs/notes/sort.md).
pub const BLOCK_BYTES: usize = 64 << 10;

const MAGIC: [u8; 4] = *b"irs1";

impl Header {
    /// That of these records.
    ///
    /// # Errors
    /// `Io` if they are 4 GiB or more, which no server would take.
    pub fn of(records: &[u8]) -> Result<[u8; HEADER_BYTES]> {
        let len = u32::try_from(records.len()).map_err(|_| damaged())?;
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&MAGIC);
        header[4..8].copy_from_slice(&len.to_le_bytes());
        header[8..].copy_from_slice(&checksum(records).to_le_bytes());
        Ok(header)
    }

    /// Reads one.
    ///
    /// # Errors
    /// `Io` if these bytes are none.
    pub fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Self> {
        let [m0, m1, m2, m3, l0, l1, l2, l3, sum @ ..] = *bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(damaged());
        }
        Ok(Self { len: u32::from_le_bytes([l0, l1, l2, l3]) as usize, sum: u64::from_le_bytes(sum) })
    }

    /// Compares the records that follow this header.
    ///
    /// # Errors
    /// `Io` if they are others than were written.
    pub fn verify(self, records: &[u8]) -> Result<()> {
        if records.len() == self.len && checksum(records) == self.sum { Ok(()) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_noticed() {
        let records = b"some records".to_vec();
        let header = Header::of(&records).unwrap();
        assert!(Header::read(&header).unwrap().verify(&records).is_ok());
        for i in 0..records.len() {
            let mut changed = records.clone();
            changed[i] ^= 1;
            assert!(Header::read(&header).unwrap().verify(&changed).is_err());
        }
        for i in 0..HEADER_BYTES {
            let mut changed = header;
            changed[i] ^= 1;
            assert!(Header::read(&changed).and_then(|header| header.verify(&records)).is_err(), "{i}");
        }
        assert!(Header::read(&header).unwrap().verify(&records[1..]).is_err());
    }
}
