//! Splits the bytes that a relay reads from a client into packets: one read may hold several commands, or half of one.
//!
//! Clients must neither encrypt nor compress.

/// The packets of one connection, as they become complete.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// Not complete yet.
    rest: Vec<u8>,
    last_sequence: u8,
    last_length: usize,
}

/// A whole packet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// Its header and its payload.
    pub(super) bytes: Vec<u8>,
    /// It begins a command. Other packets continue one, hold the content of a LOAD DATA LOCAL, or belong to the login.
    pub(super) begins: bool,
    /// No packet follows that continues it.
    pub(super) ends: bool,
}

impl Packets {
    /// Takes what was read.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    /// The next packet that is complete.
    pub(super) fn next(&mut self) -> Option<Packet> {
        let &[a, b, c, sequence, ..] = self.rest.as_slice() else { return None };
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        if self.rest.len() < HEADER + length {
            return None;
        }
        let bytes = self.rest.drain(..HEADER + length).collect();
        // After 255 the numbers of one long content begin again; an empty packet ends it.
        let goes_on = self.last_sequence == u8::MAX && self.last_length > 0;
        (self.last_sequence, self.last_length) = (sequence, length);
        Some(Packet { bytes, begins: sequence == 0 && !goes_on, ends: length < LONGEST })
    }

    /// What was read of a packet that never became complete.
    pub(super) fn into_rest(self) -> Vec<u8> {
        self.rest
    }
}

impl Packet {
    /// The command that it begins: the command's number and what follows it.
    pub(super) fn command(&self) -> Option<&[u8]> {
        self.begins.then(|| &self.bytes[HEADER..])
    }
}

const HEADER: usize = 4;
const LONGEST: usize = 0xFF_FFFF;

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads these pieces; returns which packets began a command, each by its payload.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<(Vec<u8>, bool)>, Vec<u8>) {
        let (mut packets, mut all) = (Packets::default(), Vec::new());
        for piece in pieces {
            packets.add(piece);
            while let Some(packet) = packets.next() {
                all.push((packet.bytes[HEADER..].to_vec(), packet.begins));
            }
        }
        (all, packets.into_rest())
    }

    const TWO: &[u8] = b"\x02\0\0\0\x03A\x03\0\0\0\x03BC";

    #[test]
    fn several_in_one_read() {
        assert_eq!(read([TWO]), (vec![(b"\x03A".to_vec(), true), (b"\x03BC".to_vec(), true)], vec![]));
    }
    #[test]
    fn wherever_a_read_ends() {
        for at in 0..TWO.len() {
            assert_eq!(read([&TWO[..at], &TWO[at..]]), read([TWO]), "{at}");
        }
        assert_eq!(read(TWO.chunks(1)), read([TWO]));
    }
    #[test]
    fn half_of_one_is_kept() {
        assert_eq!(read([&TWO[..8]]), (vec![(b"\x03A".to_vec(), true)], TWO[6..8].to_vec()));
    }
    #[test]
    fn a_login_is_no_command() {
        assert_eq!(read([b"\x01\0\0\x01\x03".as_slice()]).0, [(vec![3], false)]);
    }
    #[test]
    fn content_that_looks_like_a_command_is_none() {
        let content = |sequence| [1, 0, 0, sequence, 3];
        let (commands, _) =
            read([&content(0)[..], &content(2), &content(255), &content(0), &[0, 0, 0, 1], &content(0)]);
        assert_eq!(
            commands.iter().map(|(_, begins)| *begins).collect::<Vec<_>>(),
            [true, false, false, false, false, true]
        );
    }
    #[test]
    fn the_longest_packet_goes_on() {
        let long = [&[0xFF, 0xFF, 0xFF, 0][..], &vec![3; LONGEST]].concat();
        let mut packets = Packets::default();
        packets.add(&long);
        let packet = packets.next().unwrap();
        assert!(packet.begins && !packet.ends && packets.next().is_none());
        packets.add(&[0, 0, 0, 1]);
        let packet = packets.next().unwrap();
        assert!(!packet.begins && packet.ends && packet.command().is_none());
    }
}
