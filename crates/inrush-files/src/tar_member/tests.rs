//! Archives as programs write them, and as no program does.

use super::*;
use inrush_core::error::Kind;
use tar::Builder;

#[test]
fn the_only_file_or_the_one_of_that_name() {
    let one = archive(|tar| {
        folder(tar, "data/");
        file(tar, "data/a.csv", b"x\n1\n");
        file(tar, "data/.DS_Store", b"?");
    });
    assert_eq!(found(&one, None), "data/a.csv: x\n1\n");
    assert_eq!(found(&one, Some("data/a.csv")), "data/a.csv: x\n1\n");
    assert_eq!(found(&one, Some("b")), "`t` holds no file `b`; it holds `data/a.csv`");
    let two = archive(|tar| {
        file(tar, "./a.csv", b"x\n1\n");
        file(tar, "./b.csv", &[b'y'; 2000]);
    });
    assert_eq!(found(&two, None), "`t` holds 2 files: `./a.csv`, `./b.csv`; name one: `t#./a.csv`");
    assert_eq!(found(&two, Some("a.csv")), "./a.csv: x\n1\n");
    assert_eq!(found(&two, Some("./b.csv")), format!("./b.csv: {}", "y".repeat(2000)));
    assert_eq!(found(&archive(|_| ()), None), "`t` holds no file");
}

#[test]
fn a_name_that_occurs_twice_is_not_chosen_from() {
    let twice = archive(|tar| {
        file(tar, "a.csv", b"x\n1\n");
        file(tar, "a.csv", b"x\n2\n");
    });
    assert_eq!(found(&twice, Some("a.csv")), "`t` holds 2 files `a.csv`; unpack it first, and choose");
    assert_eq!(found(&twice, None), "`t` holds 2 files: `a.csv`, `a.csv`; name one: `t#a.csv`");
}

#[test]
fn long_names_and_sizes_of_extended_headers() {
    let long = format!("{}/a.csv", "folder".repeat(40));
    let gnu = archive(|tar| file(tar, &long, b"1"));
    assert_eq!(found(&gnu, None), format!("{long}: 1"));
    let pax = archive(|tar| {
        let records = [("path", long.as_bytes()), ("size", &b"3"[..]), ("comment", b"none")];
        tar.append_pax_extensions(records).unwrap();
        // The size of its own header is not the one that counts.
        let mut header = Header::new_ustar();
        header.set_path("short").unwrap();
        header.set_size(0);
        header.set_cksum();
        tar.append(&header, &b""[..]).unwrap();
    });
    let mut pax = pax;
    let at = pax.len() - 1024;
    pax.splice(at..at, block(b"abc"));
    assert_eq!(found(&pax, None), format!("{long}: abc"));
}

#[test]
fn links_and_devices_are_no_files() {
    let bytes = archive(|tar| {
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Char, EntryType::XGlobalHeader] {
            let mut header = Header::new_gnu();
            header.set_path("other").unwrap();
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_cksum();
            tar.append(&header, &b""[..]).unwrap();
        }
        file(tar, "a.csv", b"1");
    });
    assert_eq!(found(&bytes, None), "a.csv: 1");
}

#[test]
fn sparse_members_are_refused() {
    let bytes = archive(|tar| {
        tar.append_pax_extensions([("GNU.sparse.major", &b"1"[..])]).unwrap();
        file(tar, "a.csv", b"1");
        file(tar, "b.csv", b"1");
    });
    assert_eq!(found(&bytes, Some("a.csv")), "`a.csv` in `t` is a sparse file; unpack it first");
    assert_eq!(found(&bytes, Some("b.csv")), "b.csv: 1");
}

#[test]
fn damaged_archives_are_errors() {
    let whole = archive(|tar| {
        file(tar, "a.csv", &[b'1'; 1000]);
        file(tar, "b.csv", &[b'2'; 1000]);
    });
    for end in (0..whole.len() - 1024).step_by(64) {
        assert_eq!(find("t", &mut Stream(&whole[..end]), Some("b.csv")).unwrap_err().kind(), Kind::Data, "{end}");
    }
    let mut damaged = whole;
    damaged[1536] ^= 1;
    assert_eq!(found(&damaged, Some("a.csv")), "`t` is not a whole tar archive: a header has a wrong checksum; ");
}

#[test]
fn no_name_is_so_long_that_it_fills_the_memory() {
    let mut header = Header::new_gnu();
    header.set_path("././@LongLink").unwrap();
    header.set_entry_type(EntryType::GNULongName);
    header.set_size(1 << 40);
    header.set_cksum();
    let mut endless = Stream(header.as_bytes().chain(io::repeat(b'a')));
    let error = find("t", &mut endless, None).unwrap_err();
    assert_eq!(error.message(), "`t` is not a whole tar archive: a name has 1099511627776 bytes");
}

#[test]
fn a_member_larger_than_all_files_is_damage() {
    let mut header = Header::new_gnu();
    header.set_path("a").unwrap();
    header.set_size(u64::MAX);
    header.set_cksum();
    assert_eq!(find("t", &mut Stream(&header.as_bytes()[..]), None).unwrap_err().kind(), Kind::Data);
}

#[test]
fn text_is_no_archive() {
    assert!(!is_tar(&[b'a'; 512]));
    assert!(!is_tar(&[0; 512]));
    assert!(!is_tar(b"a,b\n1,2\n"));
    assert!(is_tar(&archive(|tar| file(tar, "a.csv", b"1"))));
}

/// What is found: the name and its bytes, or the error and its hint.
fn found(bytes: &[u8], wanted: Option<&str>) -> String {
    match find("t", &mut Stream(bytes), wanted) {
        Ok(member) => {
            let content = &bytes[member.start as usize..][..member.size as usize];
            format!("{}: {}", member.name, String::from_utf8_lossy(content))
        }
        Err(error) => match (error.message(), error.hint()) {
            (message, Some(hint)) => format!("{message}; {hint}"),
            (message, None) if error.kind() == Kind::Data => format!("{message}; "),
            (message, None) => message.to_owned(),
        },
    }
}

fn archive(fill: impl FnOnce(&mut Builder<Vec<u8>>)) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    fill(&mut tar);
    tar.into_inner().unwrap()
}

fn file(tar: &mut Builder<Vec<u8>>, name: &str, bytes: &[u8]) {
    let mut header = Header::new_gnu();
    header.set_size(bytes.len() as u64);
    match name.strip_prefix("./") {
        // `append_data` takes the point away.
        Some(_) => {
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            tar.append(&header, bytes).unwrap();
        }
        None => tar.append_data(&mut header, name, bytes).unwrap(),
    }
}

fn folder(tar: &mut Builder<Vec<u8>>, name: &str) {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Directory);
    header.set_size(0);
    tar.append_data(&mut header, name, &b""[..]).unwrap();
}

fn block(bytes: &[u8]) -> Vec<u8> {
    let mut block = bytes.to_vec();
    block.resize(BLOCK, 0);
    block
}
