//! The soups on random bytes, and on whole archives with a byte changed or the end cut off.

use super::*;
use proptest::prelude::*;
use std::io::Write;

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        ALL.iter().for_each(|(_, soup)| soup(&bytes));
    }

    #[test]
    fn almost_csv(head in any::<[u8; 4]>(), text in "[a1\"\\\\, \t\r\n\u{e9}]{0,200}") {
        csv(&[&head, text.as_bytes()].concat());
    }

    #[test]
    fn almost_csv_in_pieces(head in any::<[u8; 3]>(), text in "[a1\"\"\\\\, \t\r\n\n]{0,200}") {
        csv_cuts(&[&head, text.as_bytes()].concat());
    }

    #[test]
    fn almost_archives(which in 0usize..3, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = archives()[which].clone();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        containers(&bytes);
    }
}

/// A gzip, a zstd and a zip file.
fn archives() -> [Vec<u8>; 3] {
    let text = b"a,b\n1,2\n".repeat(50);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&text).unwrap();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.csv", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&text).unwrap();
    [gzip.finish().unwrap(), zstd::encode_all(&text[..], 3).unwrap(), zip.finish().unwrap().into_inner()]
}
