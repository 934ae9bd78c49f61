use super::*;

/// A file of `n` bytes that differ from place to place.
fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7]).collect()
}

fn on_disk(text: &[u8]) -> (tempfile::TempDir, OnDisk) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    std::fs::write(&path, text).unwrap();
    let place = OnDisk::new("a.csv", path.to_str().unwrap(), None, &File::open(&path).unwrap()).unwrap();
    (dir, place)
}

fn hash(text: &[u8]) -> u64 {
    on_disk(text).1.identity().unwrap().hash
}

#[test]
fn the_same_bytes_have_the_same_hash_in_every_version() {
    assert_eq!(hash(b""), 0x2d06_8005_38d3_94c2, "XXH3's own value of nothing");
    assert_eq!(hash(b"1,Ann\n"), inrush_core::load::checksum::checksum(b"1,Ann\n"));
}

#[test]
fn a_change_in_a_block_that_is_looked_at_is_seen() {
    let whole = bytes(3 << 20);
    let before = hash(&whole);
    for at in [0, 65_535, whole.len() - 65_536, whole.len() - 1] {
        let mut other = whole.clone();
        other[at] ^= 1;
        assert_ne!(hash(&other), before, "byte {at}");
    }
}

#[test]
fn of_a_small_file_every_byte_counts() {
    let whole = bytes((SAMPLED * BLOCK) as usize);
    let mut other = whole.clone();
    other[200_001] ^= 1;
    assert_ne!(hash(&other), hash(&whole));
}

#[test]
fn a_file_that_grew_still_has_the_hash_of_what_it_was() {
    for n in [0, 100, 70_000, 1_500_000] {
        let (before, after) = (bytes(n), bytes(n + 1_000_000));
        let (_dir, grown) = on_disk(&after);
        assert_eq!(grown.hash_of_first(n as u64).unwrap(), hash(&before));
        assert_ne!(grown.identity().unwrap().hash, hash(&before));
    }
}

#[test]
fn blocks_lie_evenly_and_within() {
    for size in [0, 1, BLOCK, SAMPLED * BLOCK, SAMPLED * BLOCK + 1, 1 << 40, u64::MAX] {
        let blocks: Vec<_> = sampled_blocks(size).collect();
        assert_eq!(blocks.first().unwrap().0, 0, "{size}");
        let last = blocks.last().unwrap();
        assert_eq!(last.0 + last.1, size);
        assert!(blocks.is_sorted(), "{size}");
    }
}

#[test]
fn it_reads_from_any_place_and_sums_any_part() {
    let whole = bytes(200_000);
    let (_dir, place) = on_disk(&whole);
    let mut read = Vec::new();
    place.from(123_456).read_to_end(&mut read).unwrap();
    assert_eq!(read, whole[123_456..]);
    assert_eq!(place.checksum(1000, 150_000).unwrap(), inrush_core::load::checksum::checksum(&whole[1000..151_000]));
    assert_eq!(place.checksum(199_999, 5).unwrap(), inrush_core::load::checksum::checksum(&whole[199_999..]));
}

#[test]
fn its_name_does_not_depend_on_how_it_was_reached() {
    let (dir, place) = on_disk(b"a\n");
    let name = place.identity().unwrap().name;
    let link = dir.path().join("link.csv");
    std::os::unix::fs::symlink(dir.path().join("a.csv"), &link).unwrap();
    let file = File::open(&link).unwrap();
    let linked = |member| OnDisk::new("link.csv", link.to_str().unwrap(), member, &file).unwrap().identity().unwrap();
    assert_eq!(linked(None).name, name);
    assert_eq!(linked(Some("b.csv")).name, format!("{name}#b.csv"));
    assert!(linked(None).size == Some(2) && linked(None).modified.is_some());
}
