//! Files as people have them: named this or that, compressed, archived, damaged, missing.

use super::*;
use arrow_array::{Array, BinaryViewArray};
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

#[test]
fn a_plain_file() {
    check("a.csv", TEXT.as_bytes(), Compression::None);
    check("a", TEXT.as_bytes(), Compression::None);
}

#[test]
fn gzip_by_its_name_or_by_its_first_bytes() {
    check("a.csv.gz", &gzip(&TEXT), Compression::Gzip);
    check("a.csv", &gzip(&TEXT), Compression::Gzip);
}

#[test]
fn gzip_of_several_members() {
    let (front, back) = TEXT.split_at(40_001);
    check("a.gz", &[gzip(front), gzip(""), gzip(back)].concat(), Compression::Gzip);
}

#[test]
fn zstd_of_several_frames() {
    let (front, back) = TEXT.split_at(40_001);
    check("a.csv.zst", &zstd(&TEXT), Compression::Zstd);
    check("a.csv.zst", &[zstd(front), zstd(back)].concat(), Compression::Zstd);
    let skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip".to_vec();
    check("a", &[skippable, zstd(&TEXT)].concat(), Compression::Zstd);
}

#[test]
fn xz_bzip2_and_lz4_by_their_first_bytes() {
    let (front, back) = TEXT.split_at(40_001);
    for (ending, compress, compression) in OTHERS {
        check(&format!("a.csv.{ending}"), &compress(&TEXT), *compression);
        check("a.csv", &[compress(front), compress(back)].concat(), *compression);
    }
}

#[test]
fn tar_plain_and_compressed() {
    let tar = tar(&[("folder/a.csv", &TEXT)]);
    check("a.tar", &tar, Compression::Tar);
    // Its text is compressed in the archive.
    check("b.tar", &tar_of(&[("a.csv.gz", &gzip(&TEXT))]), Compression::Tar);
    let text = String::from_utf8(tar).unwrap();
    check("a.tar.gz", &gzip(&text), Compression::Tar);
    check("a.tgz", &gzip(&text), Compression::Tar);
    check("a.tar.zst", &zstd(&text), Compression::Tar);
    for (ending, compress, _) in OTHERS {
        check(&format!("a.tar.{ending}"), &compress(&text), Compression::Tar);
    }
    let folder = Folder::new();
    let two = tar_of(&[
        ("a.csv", b"a\n1\n"),
        ("b.tsv", b"x\ty\n1,\t2\n"),
        ("c.jsonl", b"{\"x\":1}\n"),
        ("d.parquet", b"PAR1"),
    ]);
    for path in [folder.file("two.tar", &two), folder.file("two.tar.gz", &gzip(std::str::from_utf8(&two).unwrap()))] {
        assert_eq!(rows(open_auto(&format!("{path}#b.tsv")).unwrap()).unwrap(), ["1,|2"]);
        assert_eq!(open_auto(&format!("{path}#c.jsonl")).unwrap().fields(), ["x"]);
        let error = refused(&path);
        assert_eq!(error.message(), format!("`{path}` holds 4 files: `a.csv`, `b.tsv`, `c.jsonl`, `d.parquet`"));
        let error = refused(&format!("{path}#d.parquet"));
        assert_eq!(error.message(), format!("`d.parquet` in `{path}` is a file that is read from its end"));
    }
}

#[test]
fn a_dictionary_that_fills_the_memory_is_refused() {
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 256 << 20;
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(b"a,b\n1,2\n").unwrap();
    let path = Folder::new();
    let path = path.file("a.csv.xz", &writer.finish().unwrap());
    let error = open_auto(&path).and_then(rows).unwrap_err();
    assert!(error.to_string().contains("128 MiB"), "{error}");
}

#[test]
fn zip_stored_deflated_and_beside_what_is_no_data() {
    check("a.zip", &zip(&[("a.csv", &TEXT)], zip::CompressionMethod::Stored), Compression::Zip);
    let members = [("folder/", ""), ("__MACOSX/._a.csv", "x"), ("folder/.DS_Store", "x"), ("folder/a.csv", &TEXT)];
    check("a.csv.zip", &zip(&members, zip::CompressionMethod::Deflated), Compression::Zip);
}

#[test]
fn zip_of_several_files_names_them_and_takes_a_name() {
    let folder = Folder::new();
    let members = [("a.csv", TEXT.as_str()), ("b.tsv", "x\ty\n1,\t2\n")];
    let path = folder.file("many.zip", &zip(&members, zip::CompressionMethod::Deflated));
    let error = refused(&path);
    assert_eq!(error.message(), format!("`{path}` holds 2 files: `a.csv`, `b.tsv`"));
    assert_eq!(error.hint(), Some(&format!("name one: `{path}#a.csv`")[..]));
    assert_eq!(rows(open_auto(&format!("{path}#b.tsv")).unwrap()).unwrap(), ["1,|2"]);
    assert_eq!(rows(open_auto(&format!("{path}#a.csv")).unwrap()).unwrap().len(), ROWS);
    assert_eq!(refused(&format!("{path}#c")).message(), format!("`{path}` holds no file `c`"));
    let plain = folder.file("plain.csv", b"a\n1\n");
    assert_eq!(
        refused(&format!("{plain}#c")).message(),
        format!("`{plain}` is neither a zip archive nor a tar archive")
    );
    let odd = folder.file("a#b.csv", b"a\n1\n");
    assert_eq!(rows(open_auto(&odd).unwrap()).unwrap(), ["1"]);
    let empty = folder.file("empty.zip", &zip(&[], zip::CompressionMethod::Stored));
    assert_eq!(refused(&empty).message(), format!("`{empty}` holds no file"));
}

#[test]
fn two_members_of_one_name_are_refused() {
    let folder = Folder::new();
    let mut bytes = zip(&[("a.csv", "a\n1\n"), ("b.csv", "a\n2\n")], zip::CompressionMethod::Stored);
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"b.csv")).collect();
    places.into_iter().for_each(|at| bytes[at] = b'a');
    let path = folder.file("twice.zip", &bytes);
    for name in [path.clone(), format!("{path}#a.csv")] {
        let error = refused(&name);
        assert_eq!(error.message(), format!("`{path}` holds several files `a.csv`"));
        assert_eq!(error.hint(), Some("unpack it first, and choose"));
    }
}

#[test]
fn tsv_by_its_name_or_on_request() {
    let folder = Folder::new();
    for name in ["a.tsv", "a.TSV", "a.tab", "a.tsv.gz"] {
        let text = "a\tb\n1,\t\"2\t3\"\n";
        let bytes = if name.ends_with(".gz") { gzip(text) } else { text.into() };
        assert_eq!(rows(open_auto(&folder.file(name, &bytes)).unwrap()).unwrap(), ["1,|2\t3"], "{name}");
    }
    let path = folder.file("a.tsv", b"a,b\n1,2\n");
    assert_eq!(rows(open(&path, Format::Csv, &CsvOptions::default()).unwrap()).unwrap(), ["1|2"]);
    let options = CsvOptions { delimiter: Some(b','), ..CsvOptions::default() };
    assert_eq!(rows(open(&path, Format::Auto, &options).unwrap()).unwrap(), ["1|2"]);
}

#[test]
fn a_stream_cut_short_is_never_a_short_file() {
    // Noise: so that the compressed streams have many blocks, and stay long.
    let text = format!(
        "a\n{}",
        (0..40_000u64).map(|i| format!("{}\n", i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect::<String>()
    );
    let folder = Folder::new();
    let archived = String::from_utf8(tar(&[("a.csv", &text)])).unwrap();
    for (name, bytes) in [
        ("a.gz", gzip(&text)),
        ("a.zst", zstd(&text)),
        ("a.lz4", lz4(&text)),
        ("a.xz", xz(&text)),
        ("a.bz2", bzip2(&text)),
        ("a.tar.gz", gzip(&archived)),
        ("two.gz", [gzip("a\n1\n"), gzip(&text)].concat()),
    ] {
        let at = |cut: usize| {
            let path = folder.file(name, &bytes[..cut]);
            open_auto(&path).and_then(rows).expect_err(&format!("{name} cut at byte {cut}"))
        };
        let error = at(bytes.len() - 1);
        assert_eq!(error.kind(), Kind::Data);
        assert!(error.message().contains(" beyond byte ") || name == "a.tar.gz", "{name}: {error}");
        for cut in [0, 1, 3, 11, 24, 500, bytes.len() / 2, bytes.len() - 8] {
            // Between two members of gzip a truncated file is like a complete one.
            if !(name == "two.gz" && cut == gzip("a\n1\n").len()) {
                at(cut);
            }
        }
    }
    let whole = zip(&[("a.csv", &text)], zip::CompressionMethod::Deflated);
    assert!(refused(&folder.file("a.zip", &whole[..whole.len() / 2])).message().contains("is not a whole zip archive"));
}

#[test]
fn a_damaged_stream_is_an_error() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.gz", gzip(&TEXT)),
        ("a.zst", zstd(&TEXT)),
        ("a.lz4", lz4(&TEXT)),
        ("a.xz", xz(&TEXT)),
        ("a.bz2", bzip2(&TEXT)),
        ("deflated.zip", zip(&[("a.csv", &TEXT)], zip::CompressionMethod::Deflated)),
        ("stored.zip", zip(&[("a.csv", &TEXT)], zip::CompressionMethod::Stored)),
    ] {
        let mut bytes = bytes;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x15;
        // The rows before the error do not matter; the damage must cause an error.
        let read = open_auto(&folder.file(name, &bytes)).and_then(|mut reader| {
            while reader.next()?.is_some() {}
            Ok(())
        });
        assert_eq!(read.expect_err(name).kind(), Kind::Data, "{name}");
    }
}

#[test]
fn a_name_that_promises_too_much_is_refused() {
    let folder = Folder::new();
    for (name, bytes, truth) in [
        ("a.gz", b"a,b\n".to_vec(), "not compressed"),
        ("a.zip", b"a,b\n".to_vec(), "not compressed"),
        ("a.zst", gzip("a,b\n"), "compressed by gzip"),
        ("empty.gz", Vec::new(), "not compressed"),
    ] {
        let path = folder.file(name, &bytes);
        assert_eq!(refused(&path).message(), format!("`{path}` is not what its name says: it is {truth}"));
    }
}

#[test]
fn formats_that_are_not_read_are_named() {
    let folder = Folder::new();
    let old = folder.file("a.csv", b"\x02\x21\x4c\x18rest");
    assert_eq!(
        refused(&old).message(),
        format!("`{old}` is compressed by the legacy format of lz4, which is not read")
    );
    assert_eq!(refused(&old).hint(), Some(&format!("`lz4 -dc {old} | inrush load -` loads it")[..]));
    let avro = folder.file("a.avro.gz", &gzip("{}\n"));
    assert_eq!(refused(&avro).message(), format!("`{avro}` is named `.avro`, a format that is not read"));
    assert!(open(&avro, Format::Csv, &CsvOptions::default()).is_ok());
    let parquet = folder.file("a.parquet.gz", &gzip("PAR1"));
    assert!(refused(&parquet).message().ends_with("read from its end, and cannot be read from a stream"));
}

#[test]
fn compressions_that_are_not_read_name_the_program() {
    let folder = Folder::new();
    let says = |bytes: &[u8], message: &str, hint: &str| {
        let path = folder.file("a.csv", bytes);
        let error = refused(&path);
        assert_eq!(error.message(), format!("`{path}` is {message}"));
        assert_eq!(error.hint(), Some(&hint.replace("FILE", &path)[..]));
    };
    says(
        b"\x1f\x9d\x90a",
        "compressed by compress (.Z), which is not read",
        "`gzip -dc FILE | inrush load - ..` loads it",
    );
    says(
        b"\x5d\x00\x00\x80\x00\xff\xff",
        "compressed by lzma, which is not read",
        "`xz --format=lzma -dc FILE | inrush load - ..` loads it",
    );
    says(b"LZIP\x01x", "compressed by lzip, which is not read", "`lzip -dc FILE | inrush load - ..` loads it");
    let twice = |outer: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(outer).unwrap();
        encoder.finish().unwrap()
    };
    let inside = "`gzip -dc FILE | inrush load - ..` loads it";
    says(&twice(&gzip("a,b\n")), "compressed by gzip, and what is in it is compressed by gzip", inside);
    says(&twice(&zstd("a,b\n")), "compressed by gzip, and what is in it is compressed by zstd", inside);
}

/// Zeros as tapes and some tools append them to a file.
#[test]
fn zeros_behind_gzip_are_no_member() {
    let folder = Folder::new();
    let two = [gzip("a,b\n1,2\n"), gzip("3,4\n")].concat();
    let read = |more: &[u8]| {
        let path = folder.file("a.csv.gz", &[&two[..], more].concat());
        open_auto(&path).and_then(rows).map_err(|error| error.message().replace(&path, "FILE"))
    };
    for zeros in [&[0; 0][..], &[0], &[0; 10_240], &[0; 300_000]] {
        assert_eq!(read(zeros).unwrap(), ["1|2", "3|4"], "{}", zeros.len());
    }
    assert!(read(b"\0\0x").unwrap_err().ends_with("something follows the zeros at its end"));
    assert!(read(b"x").is_err());
}

/// The limit is that of the dictionary, which the program's option and message name.
#[test]
fn a_dictionary_of_the_limit_is_read() {
    let folder = Folder::new();
    let with_dictionary = |code: u8| {
        let mut bytes = xz("a,b\n1,2\n");
        let (start, len) = (12, 4 * (usize::from(bytes[12]) + 1));
        bytes[start + 4] = code;
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[start..start + len - 4]);
        bytes[start + len - 4..start + len].copy_from_slice(&crc.sum().to_le_bytes());
        rows(open_auto(&folder.file("a.csv.xz", &bytes))?)
    };
    assert_eq!(with_dictionary(30).unwrap(), ["1|2"], "128 MiB");
    assert!(with_dictionary(31).unwrap_err().message().contains("more than 128 MiB"), "192 MiB");
}

#[test]
fn arrays_within_objects_are_named_by_their_paths() {
    let folder = Folder::new();
    let path = folder.file("a.json", br#"{"data": {"n": 1, "orders": [{"id": 1}]}, "meta": {"page": 1}}"#);
    let error = refused(&path);
    assert_eq!(error.message(), format!("`{path}` is one object, with rows in `data.orders`"));
    assert!(error.hint().unwrap().starts_with("`--json-path data.orders` loads these; "), "{error:?}");
    let rows = br#"{"AF": {"n": 1, "names": [{"a": 1}]}, "EU": {"n": 2, "names": [{"a": 2}]}}"#;
    let by_key = folder.file("b.json", rows);
    assert!(refused(&by_key).message().ends_with("is one object, with an object in each of its keys"));
    let keys = ["data", "orders"].map(str::to_owned).to_vec();
    let options = CsvOptions::default().with_json_path(keys);
    assert_eq!(open(&path, Format::Auto, &options).unwrap().fields(), ["id"]);
}

#[test]
fn a_first_record_with_nan_says_so() {
    let folder = Folder::new();
    for (name, text) in [("a.json", r#"[{"id": 1, "x": NaN}]"#), ("a.jsonl", "{\"id\": 1, \"x\": NaN}\n")] {
        let path = folder.file(name, text.as_bytes());
        let error = refused(&path);
        assert_eq!(error.message(), "not valid JSON, which has no `NaN`, at byte 16 of the line");
        assert_eq!(
            error.hint().unwrap(),
            format!("`jq -c . {path} | inrush load - --format jsonl ..` makes null of NaN")
        );
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let folder = Folder::new();
    let missing = folder.path("missing.csv");
    assert_eq!(refused(&missing).kind(), Kind::Config);
    assert!(refused(&missing).message().starts_with(&format!("cannot open `{missing}`: No such file")));
    let directory = folder.path("");
    assert_eq!(refused(&directory).message(), format!("`{directory}` is a directory"));
}

#[test]
fn an_address_that_is_not_read_keeps_its_secrets() {
    let error = refused("ftp://user:secret@example.org/a.csv?signature=secret#secret");
    assert_eq!(error.message(), "`ftp://example.org/a.csv` is an address of a kind that is not read");
    assert!(error.hint().unwrap().ends_with("`curl -fLO URL`"));
    assert!(refused("s3a://bucket/a.csv").hint().unwrap().ends_with("`s3://bucket/key`"));
    assert!(refused("no://a").message().starts_with("cannot open `no://a`"));
}

#[test]
fn an_object_of_objects_is_not_taken_for_a_row() {
    let folder = Folder::new();
    let path = folder.file("a.json", br#"{"a": {"x": 1}, "b": {"x": 2}}"#);
    assert_eq!(refused(&path).message(), format!("`{path}` is one object, with an object in each of its keys"));
    let options = CsvOptions { json_path: Some(Vec::new()), ..CsvOptions::default() };
    assert_eq!(open(&path, Format::Auto, &options).unwrap().fields(), ["a", "b"]);
    for whole in [r#"{"a": {"x": 1}}"#, r#"{"a": {"x": 1}, "b": 2}"#, "{\"a\": {}, \"b\": {}}\n{\"a\": {}, \"b\": {}}"]
    {
        assert!(open_auto(&folder.file("b.json", whole.as_bytes())).is_ok(), "{whole}");
    }
}

#[test]
fn an_empty_file_has_no_rows() {
    let folder = Folder::new();
    for (name, bytes) in
        [("a.csv", Vec::new()), ("a.csv.gz", gzip("")), ("a.zst", zstd("")), ("b.csv", b"a,b\n".to_vec())]
    {
        assert_eq!(rows(open_auto(&folder.file(name, &bytes)).unwrap()).unwrap(), [""; 0], "{name}");
    }
}

#[test]
fn the_meter_ends_at_the_total() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.csv", TEXT.as_bytes().to_vec()),
        ("a.csv.gz", gzip(&TEXT)),
        ("a.csv.xz", xz(&TEXT)),
        ("a.zip", zip(&[("a.csv", &TEXT)], zip::CompressionMethod::Deflated)),
        ("a.tar", tar(&[("a.csv", &TEXT)])),
    ] {
        let reader = open_auto(&folder.file(name, &bytes)).unwrap();
        let meter = reader.meter();
        rows(reader).unwrap();
        assert_eq!(Some(meter.bytes_read()), meter.total(), "{name}");
        assert!(["a.zip", "a.tar"].contains(&name) || meter.total() == Some(bytes.len() as u64));
    }
}

#[test]
fn a_bomb_is_just_a_long_file() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mebibyte = format!("{}\n", "x".repeat(1023)).repeat(1024);
    for _ in 0..64 {
        encoder.write_all(mebibyte.as_bytes()).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 1 << 20);
    let mut reader = open_auto(&Folder::new().file("bomb.gz", &bomb)).unwrap();
    let mut rows = 0;
    while let Some(batch) = reader.next().unwrap() {
        assert!(batch.origin.text.capacity() <= 5 << 20);
        rows += batch.rows.num_rows();
    }
    assert_eq!(rows, 64 * 1024 - 1);
}

/// Opens the bytes under this name, and reads all rows of the text that is in them.
#[track_caller]
fn check(name: &str, bytes: &[u8], compression: Compression) {
    let folder = Folder::new();
    let reader = open_auto(&folder.file(name, bytes)).unwrap();
    assert_eq!(reader.as_csv().unwrap().compression(), compression);
    assert_eq!(reader.fields(), ["n", "text"]);
    let rows = rows(reader).unwrap();
    assert_eq!(rows.len(), ROWS);
    assert_eq!((&rows[0][..], &rows[ROWS - 1][..]), ("0|row number 0", "9999|row number 9999"));
}

fn open_auto(path: &str) -> Result<Box<dyn FileSource>, Error> {
    open(path, Format::Auto, &CsvOptions::default())
}

#[track_caller]
fn refused(path: &str) -> Error {
    match open_auto(path) {
        Ok(_) => panic!("`{path}` was opened"),
        Err(error) => error,
    }
}

fn rows(mut reader: Box<dyn FileSource>) -> Result<Vec<String>, Error> {
    let mut rows = Vec::new();
    while let Some(batch) = reader.next()? {
        assert!(batch.rejects.is_empty() && batch.utf8);
        let columns: Vec<&BinaryViewArray> =
            batch.rows.columns().iter().map(|column| column.as_any().downcast_ref().unwrap()).collect();
        for row in 0..batch.rows.num_rows() {
            let fields: Vec<_> = columns.iter().map(|column| String::from_utf8_lossy(column.value(row))).collect();
            rows.push(fields.join("|"));
        }
    }
    Ok(rows)
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> String {
        PathBuf::from(self.0.path()).join(name).into_os_string().into_string().unwrap()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    // With a checksum, as the command line tool writes it.
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn lz4(text: &str) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn xz(text: &str) -> Vec<u8> {
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

fn bzip2(text: &str) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn tar(members: &[(&str, &str)]) -> Vec<u8> {
    tar_of(&members.iter().map(|(name, text)| (*name, text.as_bytes())).collect::<Vec<_>>())
}

fn tar_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

type Compress = fn(&str) -> Vec<u8>;

/// Compressions besides gzip and Zstandard: the ending of a name, how to compress.
const OTHERS: &[(&str, Compress, Compression)] =
    &[("xz", xz, Compression::Xz), ("bz2", bzip2, Compression::Bzip2), ("lz4", lz4, Compression::Lz4)];

fn zip(members: &[(&str, &str)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, text) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const ROWS: usize = 10_000;

static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    let rows = (0..ROWS).map(|n| format!("{n},row number {n}\n"));
    std::iter::once("n,text\n".to_owned()).chain(rows).collect()
});
