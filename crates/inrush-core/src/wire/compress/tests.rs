use super::*;
use crate::error::Result;
use crate::wire::{Capabilities, Inbox, Outbox};
use proptest::prelude::*;

const BOTH: [Compression; 2] = [Compression::ZLIB, Compression::ZSTD];

/// All frames of the packed bytes: number, announced length of the content (0: uncompressed), length on the wire.
fn frames(mut packed: &[u8]) -> Vec<(u8, usize, usize)> {
    let mut frames = Vec::new();
    while let Some((&[a, b, c, number, x, y, z], rest)) = packed.split_first_chunk() {
        let (length, plain) = (u32::from_le_bytes([a, b, c, 0]), u32::from_le_bytes([x, y, z, 0]));
        frames.push((number, plain as usize, length as usize));
        packed = &rest[length as usize..];
    }
    frames
}

/// Returns what `packer` packs for everything in `outbox`.
fn pack(packer: &mut Packer, outbox: &mut Outbox) -> Vec<u8> {
    let mut packed = Vec::new();
    while !outbox.is_empty() {
        packer.pack(outbox);
        packed.extend_from_slice(packer.unsent());
        packer.sent(usize::MAX);
    }
    packed
}

/// Feeds `packed` in parts of at most `piece` bytes. Returns the packets.
fn unpack(compression: Compression, packed: &[u8], piece: usize) -> Result<Vec<Vec<u8>>> {
    let mut unpacker = Unpacker::new(compression)?;
    let mut inbox = Inbox::new(64 << 20);
    let mut packets = Vec::new();
    for piece in packed.chunks(piece) {
        let space = unpacker.space();
        assert!(space.len() >= piece.len());
        space[..piece.len()].copy_from_slice(piece);
        unpacker.filled(piece.len());
        loop {
            while let Some(packet) = inbox.next_packet()? {
                packets.push(packet.body.to_vec());
            }
            if !unpacker.unpack(&mut inbox)? {
                break;
            }
        }
    }
    Ok(packets)
}

/// A frame as a server could send it.
fn frame(content: &[u8], announced: usize) -> Vec<u8> {
    let mut frame = (content.len() as u32).to_le_bytes()[..3].to_vec();
    frame.push(1);
    frame.extend_from_slice(&(announced as u32).to_le_bytes()[..3]);
    frame.extend_from_slice(content);
    frame
}

fn compressed(compression: Compression, plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    assert!(codec::Encoder::new(compression).unwrap().unwrap().append(plain, &mut out));
    out
}

/// Framed packets of zeroes, the most compressible of all.
fn zeroes(length: usize) -> Vec<u8> {
    let mut outbox = Outbox::default();
    outbox.command(|out| out.resize(out.len() + length, 0));
    outbox.unsent().to_vec()
}

#[test]
fn short_content_stays_as_it_is() {
    for compression in BOTH {
        let mut outbox = Outbox::default();
        outbox.command(|out| out.push(0x0E));
        let packed = pack(&mut Packer::new(compression).unwrap(), &mut outbox);
        assert_eq!(packed, [5, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x0E]);
        assert_eq!(unpack(compression, &packed, 1).unwrap(), [[0x0E]]);
    }
}

#[test]
fn long_content_shrinks_and_content_that_does_not_stays() {
    for compression in BOTH {
        let mut outbox = Outbox::default();
        outbox.command(|out| out.resize(out.len() + 1000, b'x'));
        let frames_of_text = frames(&pack(&mut Packer::new(compression).unwrap(), &mut outbox));
        assert!(matches!(frames_of_text[..], [(0, 1004, ..100)]), "{frames_of_text:?}");
        let noise = (1..1001_u64).map(|i| ((i * i * i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8);
        outbox.command(|out| out.extend(noise));
        assert_eq!(frames(&pack(&mut Packer::new(compression).unwrap(), &mut outbox)), [(0, 0, 1004)]);
    }
}

/// Frame numbers for packets given as number and length, all sent at once.
#[track_caller]
fn check_numbers(packets: &[(bool, usize)], want: &[u8]) {
    let mut outbox = Outbox::default();
    for &(is_command, length) in packets {
        let body = |out: &mut Vec<u8>| out.resize(out.len() + length, 0);
        if is_command { outbox.command(body) } else { outbox.packet(body) }
    }
    let packed = pack(&mut Packer::new(Compression::ZLIB).unwrap(), &mut outbox);
    assert_eq!(frames(&packed).iter().map(|frame| frame.0).collect::<Vec<_>>(), want);
}

const FRAME: usize = 64 * 1024;

#[test]
fn frames_are_counted_from_the_start_of_a_command() {
    check_numbers(&[(true, 1)], &[0]);
    check_numbers(&[(true, 1), (true, 1), (true, 1)], &[0, 0, 0]);
    check_numbers(&[(true, 3 * FRAME - 4)], &[0, 1, 2]);
    check_numbers(&[(true, 3 * FRAME - 4), (true, 1)], &[0, 1, 2, 0]);
    check_numbers(&[(true, 10), (true, 2 * FRAME)], &[0, 0, 1, 2]);
    // The next header would not fit into the same frame.
    check_numbers(&[(true, FRAME - 6), (true, FRAME)], &[0, 0, 1]);
    check_numbers(&[(true, 1), (false, 1), (false, 1), (true, 1)], &[0, 0]);
    check_numbers(&[(true, 10), (false, 2 * FRAME)], &[0, 1, 2]);
    check_numbers(&[(true, 0xFF_FFFF + 10)], &(0..=255).chain([0]).collect::<Vec<u8>>());
}

#[test]
fn a_reply_takes_part_in_the_count() {
    let mut packer = Packer::new(Compression::ZLIB).unwrap();
    let mut outbox = Outbox::default();
    outbox.command(|out| out.push(3));
    assert_eq!(frames(&pack(&mut packer, &mut outbox))[0].0, 0);
    packer.received(1);
    outbox.packet(|out| out.push(1));
    assert_eq!(frames(&pack(&mut packer, &mut outbox))[0].0, 2);
    packer.received(3);
    outbox.command(|out| out.push(3));
    assert_eq!(frames(&pack(&mut packer, &mut outbox))[0].0, 0);
}

#[test]
fn numbers_of_a_very_long_exchange_wrap_and_begin_no_command() {
    let mut packer = Packer::new(Compression::ZLIB).unwrap();
    let mut outbox = Outbox::default();
    outbox.command(|out| out.push(3));
    pack(&mut packer, &mut outbox);
    packer.received(1);
    for number in 2..600_usize {
        outbox.packet(|out| out.push(1));
        assert_eq!(frames(&pack(&mut packer, &mut outbox))[0].0, number as u8);
    }
    packer.received(88);
    outbox.command(|out| out.push(3));
    assert_eq!(frames(&pack(&mut packer, &mut outbox))[0].0, 0);
}

#[track_caller]
fn check_refused(compression: Compression, packed: &[u8]) {
    for piece in [1, 100, 30_000] {
        let error = unpack(compression, packed, piece).unwrap_err();
        assert!(error.is_fatal() && error.message().contains("compressed frame"), "{error:?}");
    }
}

#[test]
fn a_frame_that_holds_more_or_less_than_announced_is_refused() {
    let plain = zeroes(1000);
    for compression in BOTH {
        let content = compressed(compression, &plain);
        assert_eq!(unpack(compression, &frame(&content, plain.len()), 1).unwrap().len(), 1);
        for lie in [1, plain.len() - 1, plain.len() + 1, 0xFF_FFFF] {
            check_refused(compression, &frame(&content, lie));
        }
        check_refused(compression, &frame(&[&content[..], b"x"].concat(), plain.len()));
        check_refused(compression, &frame(&content.repeat(2), plain.len()));
        check_refused(compression, &frame(&content.repeat(2), 2 * plain.len()));
        let cut = &content[..content.len() - 1];
        check_refused(compression, &[frame(cut, plain.len()), frame(b"", 0)].concat());
        check_refused(compression, &frame(b"", 5));
        check_refused(compression, &frame(b"this was never compressed", 5));
    }
}

#[test]
fn a_checksum_that_comes_late_is_no_content() {
    let plain = zeroes(1000);
    for compression in BOTH {
        let packed = frame(&compressed(compression, &plain), plain.len());
        let mut n_late = 0;
        for cut in 1..packed.len() {
            let mut unpacker = Unpacker::new(compression).unwrap();
            let mut inbox = Inbox::new(1 << 20);
            let mut feed = |piece: &[u8]| {
                unpacker.space()[..piece.len()].copy_from_slice(piece);
                unpacker.filled(piece.len());
                while unpacker.unpack(&mut inbox).unwrap() {}
                (inbox.next_packet().unwrap().is_some(), unpacker.is_empty())
            };
            let (came, is_empty) = feed(&packed[..cut]);
            assert_eq!(came, is_empty, "{cut}");
            n_late += usize::from(came);
            assert_eq!(feed(&packed[cut..]), (!came, true), "{cut}");
        }
        assert!(compression != Compression::ZLIB || n_late >= 3, "{n_late}");
    }
}

#[test]
fn an_empty_frame_says_nothing() {
    let packed = [frame(b"", 0), frame(b"\x01\0\0\0x", 0), frame(b"", 0)].concat();
    assert_eq!(unpack(Compression::ZLIB, &packed, 1).unwrap(), [b"x"]);
}

#[test]
fn a_bomb_comes_out_in_small_pieces() {
    // Sixteen million bytes from a few thousand, many times in one read.
    for compression in BOTH {
        let plain = zeroes(0xFF_0000);
        let bomb = frame(&compressed(compression, &plain), plain.len());
        let mut unpacker = Unpacker::new(compression).unwrap();
        let mut inbox = Inbox::new(32 << 20);
        let mut left = &bomb[..];
        let mut n_packets = 0;
        let mut n_steps = 0;
        while n_packets == 0 {
            let space = unpacker.space();
            let n = space.len().min(left.len());
            space[..n].copy_from_slice(&left[..n]);
            unpacker.filled(n);
            left = &left[n..];
            loop {
                let more = unpacker.unpack(&mut inbox).unwrap();
                n_steps += 1;
                if inbox.next_packet().unwrap().is_some() {
                    n_packets += 1;
                }
                if !more {
                    break;
                }
            }
        }
        assert!(n_steps > 5, "{n_steps}");
        // A packet beyond the limit is refused before it is unpacked.
        let mut unpacker = Unpacker::new(compression).unwrap();
        let mut inbox = Inbox::new(1 << 20);
        let n = bomb.len().min(unpacker.space().len());
        unpacker.space()[..n].copy_from_slice(&bomb[..n]);
        unpacker.filled(n);
        assert!(unpacker.unpack(&mut inbox).unwrap());
        inbox.next_packet().unwrap_err();
        assert!(inbox.space().len() <= 64 << 10);
    }
}

#[test]
fn zstd_that_wants_a_huge_window_is_refused() {
    // A frame header that announces a window of 128 MiB, then a block.
    let content = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x88, 0x01, 0x00, 0x00];
    check_refused(Compression::ZSTD, &frame(&content, 10));
}

#[test]
fn what_waits_does_not_show() {
    let mut outbox = Outbox::default();
    outbox.command(|out| out.extend_from_slice(b"secret"));
    let mut packer = Packer::new(Compression::ZSTD).unwrap();
    packer.pack(&mut outbox);
    let unpacker = Unpacker::new(Compression::ZSTD).unwrap();
    let shown = format!("{packer:?} {unpacker:?}");
    assert!(!shown.contains("secret") && !shown.contains("115, 101"), "{shown}");
}

#[track_caller]
fn check_choice(wanted: &[Compression], offered: Capabilities, want: Option<Compression>) {
    assert_eq!(Compression::choose(wanted, offered).ok(), want);
}

#[test]
fn the_first_that_the_server_offers_is_chosen() {
    const ZLIB: Compression = Compression::ZLIB;
    const ZSTD: Compression = Compression::ZSTD;
    const NOT: Compression = Compression::None;
    let zlib = Capabilities::CLIENT_COMPRESS;
    let all = zlib | Capabilities::CLIENT_ZSTD_COMPRESSION_ALGORITHM;
    check_choice(&[], all, Some(NOT));
    check_choice(&[ZLIB, ZSTD], all, Some(ZLIB));
    check_choice(&[ZSTD, ZLIB], all, Some(ZSTD));
    check_choice(&[ZSTD, ZLIB], zlib, Some(ZLIB));
    check_choice(&[ZSTD], zlib, None);
    check_choice(&[ZSTD, NOT], zlib, Some(NOT));
    check_choice(&[Compression::Zstd(0)], all, None);
    check_choice(&[Compression::Zlib(10)], all, None);
}

#[track_caller]
fn check_word(word: &str, want: Option<Compression>) {
    assert_eq!(word.parse::<Compression>().ok(), want, "{word}");
}

#[test]
fn words() {
    check_word("none", Some(Compression::None));
    check_word("UNCOMPRESSED", Some(Compression::None));
    check_word("zlib", Some(Compression::Zlib(6)));
    check_word(" zstd ", Some(Compression::Zstd(3)));
    check_word("zlib:1", Some(Compression::Zlib(1)));
    check_word("zstd:22", Some(Compression::Zstd(22)));
    for word in ["", "gzip", "none:1", "zlib:0", "zlib:10", "zstd:23", "zstd:", "zstd:-1", "zstd:many"] {
        check_word(word, None);
    }
    assert_eq!(Compression::Zstd(7).to_string().parse::<Compression>().unwrap(), Compression::Zstd(7));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_goes_in_comes_out(
        packets in prop::collection::vec((prop::collection::vec(0_u8..6, 0..300), 1_usize..900), 0..20),
        piece in prop_oneof![1_usize..50, 1000_usize..30_000],
        which in 0_usize..2,
    ) {
        let bodies: Vec<Vec<u8>> = packets.iter().map(|(body, times)| body.repeat(*times)).collect();
        let mut outbox = Outbox::default();
        for body in &bodies {
            outbox.command(|out| out.extend_from_slice(body));
        }
        let packed = pack(&mut Packer::new(BOTH[which]).unwrap(), &mut outbox);
        prop_assert!(unpack(BOTH[which], &packed, piece).unwrap() == bodies);
    }

    #[test]
    fn any_bytes_are_an_error_or_nothing(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        which in 0_usize..2,
    ) {
        let _ = unpack(BOTH[which], &bytes, 100);
    }
}
