//! Streams of LZ4 frames. The decoder of the crate takes a stream that ends between two blocks for a whole one, stops between two frames,
//! and refuses skippable frames: so the frames are followed here, and blocks and checksums are left to it.
//!
//! Facts: LZ4 Frame Format Description 1.6.4.

use lz4_flex::frame::FrameDecoder;
use std::io::{self, ErrorKind, Read};

/// The plain bytes of all frames of a stream.
pub(crate) struct Lz4Frames<R: Read> {
    decoder: FrameDecoder<Followed<R>>,
}

impl<R: Read> Lz4Frames<R> {
    pub(crate) fn new(bytes: R) -> Self {
        let followed = Followed { bytes, head: Vec::new(), given: 0, rest: 0, at: At::Frame };
        Self { decoder: FrameDecoder::new(followed) }
    }
}

impl<R: Read> Read for Lz4Frames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // It returns nothing at the end of a frame, too.
        loop {
            let n = self.decoder.read(buf)?;
            if n > 0 || buf.is_empty() || self.decoder.get_ref().at == At::End {
                return Ok(n);
            }
        }
    }
}

/// Passes the bytes on, and tracks the place in the frames.
struct Followed<R> {
    bytes: R,
    /// The bytes that were read to know what follows, and how many of them were passed on.
    head: Vec<u8>,
    given: usize,
    /// Bytes of the block that are not read yet.
    rest: u64,
    at: At,
}

/// What follows after `head` and `rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A frame, or the end.
    Frame,
    /// A block, or the end of the frame.
    Block {
        block_checksums: bool,
        content_checksum: bool,
    },
    End,
}

impl<R: Read> Read for Followed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if self.given == self.head.len() && self.rest == 0 {
            self.advance()?;
        }
        if self.given < self.head.len() {
            let n = buf.len().min(self.head.len() - self.given);
            buf[..n].copy_from_slice(&self.head[self.given..][..n]);
            self.given += n;
            return Ok(n);
        }
        let n = buf.len().min(usize::try_from(self.rest).unwrap_or(usize::MAX));
        match self.bytes.read(&mut buf[..n])? {
            0 if n > 0 => Err(cut_short()),
            n => {
                self.rest -= n as u64;
                Ok(n)
            }
        }
    }
}

impl<R: Read> Followed<R> {
    /// Reads the head of the next frame or block.
    fn advance(&mut self) -> io::Result<()> {
        self.head.clear();
        self.given = 0;
        match self.at {
            At::End => {}
            At::Frame => self.frame()?,
            At::Block { block_checksums, content_checksum } => {
                self.more(4)?;
                match self.number(0) {
                    0 => {
                        self.more(if content_checksum { 4 } else { 0 })?;
                        self.at = At::Frame;
                    }
                    // The highest bit says that it is not compressed.
                    size => self.rest = u64::from(size & !(1 << 31)) + if block_checksums { 4 } else { 0 },
                }
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> io::Result<()> {
        loop {
            self.head.clear();
            if (&mut self.bytes).take(1).read_to_end(&mut self.head)? == 0 {
                self.at = At::End;
                return Ok(());
            }
            self.more(3)?;
            match self.number(0) {
                FRAME => break,
                SKIPPABLE_FIRST..=SKIPPABLE_LAST => {
                    self.more(4)?;
                    let size = u64::from(self.number(4));
                    if io::copy(&mut (&mut self.bytes).take(size), &mut io::sink())? < size {
                        return Err(cut_short());
                    }
                }
                _ => return Err(io::Error::new(ErrorKind::InvalidData, "it goes on with bytes that are no LZ4 frame")),
            }
        }
        // Flags, the size of a block, then what the flags say, and a checksum.
        self.more(2)?;
        let has = |bit: u8| self.head[4] >> bit & 1 == 1;
        let (size, dictionary) = (if has(3) { 8 } else { 0 }, if has(0) { 4 } else { 0 });
        self.at = At::Block { block_checksums: has(4), content_checksum: has(2) };
        self.more(size + dictionary + 1)
    }

    /// Reads `n` bytes more into the head.
    fn more(&mut self, n: u64) -> io::Result<()> {
        match (&mut self.bytes).take(n).read_to_end(&mut self.head)? as u64 == n {
            true => Ok(()),
            false => Err(cut_short()),
        }
    }

    /// The number in the head at this place.
    fn number(&self, at: usize) -> u32 {
        self.head[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}

/// Not `UnexpectedEof`, which the decoder takes for the end.
fn cut_short() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "it ends within an LZ4 frame")
}

const FRAME: u32 = 0x184d_2204;
const SKIPPABLE_FIRST: u32 = 0x184d_2a50;
const SKIPPABLE_LAST: u32 = 0x184d_2a5f;

#[cfg(test)]
mod tests {
    use super::*;
    use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
    use std::io::Write;

    #[test]
    fn every_kind_of_frame() {
        for block_mode in [BlockMode::Independent, BlockMode::Linked] {
            for (content_checksum, block_checksums) in [(false, false), (true, false), (false, true), (true, true)] {
                let info = FrameInfo::new()
                    .block_mode(block_mode)
                    .content_checksum(content_checksum)
                    .block_checksums(block_checksums);
                let bytes = frame(info, TEXT);
                assert_eq!(plain(&bytes).unwrap(), TEXT);
                let damaged: Vec<u8> = bytes.iter().rev().map(|byte| byte ^ 1).collect();
                assert!(plain(&damaged).is_err());
            }
        }
    }

    #[test]
    fn several_frames_empty_ones_and_skippable_ones() {
        let (a, none, b) = (frame(FrameInfo::new(), b"a"), frame(FrameInfo::new(), b""), frame(FrameInfo::new(), b"b"));
        let skippable = b"\x53\x2a\x4d\x18\x04\x00\x00\x00skip";
        let all = [skippable, &a[..], &none, skippable, &b, &none, skippable].concat();
        assert_eq!(plain(&all).unwrap(), b"ab");
        assert_eq!(plain(b"").unwrap(), b"");
    }

    #[test]
    fn a_stream_cut_anywhere_but_between_frames_is_an_error() {
        let one = frame(FrameInfo::new().content_checksum(true), TEXT);
        let all = [&one[..], &one].concat();
        for end in 1..all.len() {
            assert_eq!(plain(&all[..end]).is_ok(), end == one.len(), "{end} of {}", all.len());
        }
        assert!(plain(&[&one[..], b"other"].concat()).unwrap_err().to_string().contains("no LZ4 frame"));
    }

    fn frame(info: FrameInfo, text: &[u8]) -> Vec<u8> {
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn plain(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        Lz4Frames::new(bytes).read_to_end(&mut plain).map(|_| plain)
    }

    const TEXT: &[u8] = b"rows, rows, rows, rows and more rows; then none";
}
