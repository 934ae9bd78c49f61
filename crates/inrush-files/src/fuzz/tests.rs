//! The targets on random bytes, and on whole archives with a byte changed or the end cut off.

use super::*;
use proptest::prelude::*;
use std::io::Write;

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        ALL.iter().for_each(|(_, target)| target(&bytes));
    }

    #[test]
    fn almost_csv(head in any::<[u8; 4]>(), text in "[a1\"\\\\, \t\r\n\u{e9}]{0,200}") {
        csv(&[&head, text.as_bytes()].concat());
    }

    #[test]
    fn almost_csv_in_chunks(head in any::<[u8; 3]>(), text in "[a1\"\"\\\\, \t\r\n\n]{0,200}") {
        csv_cuts(&[&head, text.as_bytes()].concat());
    }

    #[test]
    fn almost_regular_csv(head in any::<[u8; 3]>(), text in "a,b\n(([0-9]{1,3}|\"?[a-c\\\\]{0,3}\"?),(\"?[0-9.]{0,4}\"?|NULL|NA)\n){0,20}") {
        csv_pass_through(&[&head, text.as_bytes()].concat());
    }

    #[test]
    fn almost_a_table(text in "([a1 \"']{0,5}[,;|\t:]){0,4}(\r?\n|\r){0,2}([0-9.\"'a# ]{0,6}[,;|\t\n]){0,30}") {
        found_out(text.as_bytes());
    }

    #[test]
    fn almost_a_document(text in "[{\\[]?([{}\\[\\],:\"a1\\\\ \n]|\"a\":){0,40}") {
        found_out(text.as_bytes());
    }

    #[test]
    fn almost_a_dump(text in "(CREATE TABLE |INSERT INTO |t|`t`| VALUES |[(),;'\"`a1\\\\ \n]|NULL|0x41|b'1'|SET |SQL_MODE=|'ANSI_QUOTES'|DELIMITER \\$\n|/\\*!40101 |\\*/|-- ){0,40}") {
        dump(text.as_bytes());
        dump(format!("INSERT INTO t VALUES (1),{text}").as_bytes());
    }

    #[test]
    fn almost_a_sheet(text in "<sheetData>(<row( r='[0-9]{1,4}')?>|</row>|<c( r='[A-C][1-3]')?( [st]='[ensb012]')?>|</c>|<v>[0-9.e#&;-]{0,4}</v>|<is>|</is>|<t>|a|&lt;){0,40}(</sheetData>)?") {
        workbook(text.as_bytes());
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

proptest! {
    #[test]
    fn almost_json(text in "([{}\\[\\],:\"\\\\a1u0d8. -]|true|null|\"a\":|\n){0,80}") {
        jsonl(text.as_bytes());
        jsonl(format!("{{\"a\":1}}\n{{\"a\":{text}}}\n").as_bytes());
    }
}

#[test]
fn almost_columnar() {
    for file in columnar_files() {
        let mut random = 88172645463325252u64;
        for _ in 0..300 {
            let mut bytes = file.clone();
            // One byte to four of them, anywhere; most of them at the ends, where offsets and lengths are.
            for _ in 0..1 + random % 4 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let at = if random & 256 == 0 {
                    bytes.len() - 1 - (random >> 16) as usize % 400.min(bytes.len())
                } else {
                    (random >> 16) as usize % bytes.len()
                };
                bytes[at] = random as u8;
            }
            columnar(&bytes);
        }
    }
}

/// Parquet and Arrow files with texts, numbers, dictionaries and lists.
fn columnar_files() -> Vec<Vec<u8>> {
    use arrow_array::types::{Int16Type, Int32Type};
    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray};
    use std::sync::Arc;
    let tags: DictionaryArray<Int16Type> =
        (0..40).map(|n| (n % 5 > 0).then(|| ["red", "a longer green"][n % 2])).collect();
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..40).map(|n| (n % 3 > 0).then(|| vec![Some(n); n as usize % 4])),
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int64Array::from_iter((0..40).map(|n| (n % 7 > 0).then_some(n * n))))),
        ("t", Arc::new(StringArray::from_iter_values((0..40).map(|n| format!("text number {n}"))))),
        ("d", Arc::new(tags)),
        ("l", Arc::new(lists)),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let parquet = |compression, dictionary| {
        let properties = parquet::file::properties::WriterProperties::builder();
        let properties = properties.set_compression(compression).set_dictionary_enabled(dictionary).build();
        let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.into_inner().unwrap()
    };
    let arrow = |compression| {
        let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer =
            arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &rows.schema(), options).unwrap();
        writer.write(&rows).unwrap();
        writer.into_inner().unwrap()
    };
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &rows.schema()).unwrap();
    stream.write(&rows).unwrap();
    vec![
        parquet(parquet::basic::Compression::UNCOMPRESSED, true),
        parquet(parquet::basic::Compression::SNAPPY, false),
        parquet(parquet::basic::Compression::LZ4_RAW, true),
        arrow(None),
        arrow(Some(arrow_ipc::CompressionType::LZ4_FRAME)),
        arrow(Some(arrow_ipc::CompressionType::ZSTD)),
        stream.into_inner().unwrap(),
    ]
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
