//! Opens a file by its name and its first bytes: which format, how compressed, how long.

use crate::csv::{CsvOptions, CsvReader, READ_BYTES};
use crate::decompress::{Compression, MAGIC_BYTES, decompress, peek};
use crate::file_source::FileSource;
use crate::input::{Meter, Metered};
use crate::on_disk::OnDisk;
use crate::zip_member;
use inrush_core::error::{Error, Kind, Result};
use std::fs::File;
use std::io::{self, Read, Seek};

/// What kind of file it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// By its name: TSV for `.tsv` and `.tab`, else CSV.
    #[default]
    Auto,
    /// Fields between commas.
    Csv,
    /// Fields between tabs; quotes work as in CSV.
    Tsv,
}

/// Opens `path`, or standard input if it is `-`. A zip archive must hold one file, or be followed by `#` and the name of
/// one of its files.
pub fn open(path: &str, format: Format, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    if path == "-" {
        return open_stream(path, Box::new(io::stdin()), None, format, options);
    }
    let (file, archive, member) = match (File::open(path), path.rsplit_once('#')) {
        (Err(e), Some((archive, member))) if e.kind() == io::ErrorKind::NotFound => {
            (File::open(archive).map_err(|e| cannot_open(archive, e))?, archive, Some(member))
        }
        (file, _) => (file.map_err(|e| cannot_open(path, e))?, path, None),
    };
    let metadata = file.metadata().map_err(|e| cannot_open(path, e))?;
    if metadata.is_dir() {
        return Err(Error::config(format!("`{path}` is a directory")).with_hint("name the files in it"));
    }
    if !metadata.is_file() {
        return open_stream(path, Box::new(file), None, format, options);
    }
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let mut head = Vec::new();
    (&file).take(MAGIC_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
    (&file).rewind().map_err(cannot_read)?;
    match (Compression::of(path, &head)?, member) {
        (Compression::Zip, member) => {
            let handle = file.try_clone().map_err(cannot_read)?;
            let member = zip_member::open(archive, file, member)?;
            let delimiter = delimiter(archive, &member.name, format)?;
            let place = OnDisk::new(path, archive, Some(&member.name), &handle)?;
            let reader =
                CsvReader::with(path, member.bytes, member.meter, Compression::Zip, delimiter, options, READ_BYTES)?;
            Ok(Box::new(reader.on_disk(place)))
        }
        (_, Some(_)) => Err(Error::config(format!("`{archive}` is not a zip archive"))),
        (_, None) => {
            let place = OnDisk::new(path, path, None, &file)?;
            open_stream(path, Box::new(file), Some(place), format, options)
        }
    }
}

/// Without a place on the disk it is a stream that only a later run's input may repeat.
fn open_stream(
    path: &str,
    bytes: Box<dyn Read + Send>,
    place: Option<OnDisk>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let meter = Meter::new(place.as_ref().map(OnDisk::size));
    let (head, bytes) = peek(Box::new(Metered::new(bytes, meter.clone())), MAGIC_BYTES).map_err(cannot_read)?;
    let compression = Compression::of(path, &head)?;
    let delimiter = delimiter(path, "", format)?;
    match Compression::of_name(path).0 {
        _ if compression == Compression::Zip => {
            return Err(Error::config("a zip archive cannot be read from a pipe: its directory stands at its end")
                .with_hint("name the file itself, or pipe the output of `unzip -p`"));
        }
        Some(named) if named != compression => {
            return Err(Error::data(format!("`{path}` is not what its name says: it is {}", compression.describe())));
        }
        _ => {}
    }
    let plain = decompress(bytes, compression).map_err(cannot_read)?;
    let reader = CsvReader::with(path, plain, meter, compression, delimiter, options, READ_BYTES)?;
    Ok(Box::new(match place {
        Some(place) => reader.on_disk(place),
        None => reader.of_stream(),
    }))
}

/// The delimiter of the format, which the name of the file (or of the archive's member) may tell.
fn delimiter(path: &str, member: &str, format: Format) -> Result<u8> {
    let ending = |name: &str| {
        let name = Compression::of_name(name).1;
        name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
    };
    let endings = [ending(member), ending(path)];
    match format {
        Format::Csv => Ok(b','),
        Format::Tsv => Ok(b'\t'),
        Format::Auto if endings.iter().any(|ending| matches!(&ending[..], "tsv" | "tab")) => Ok(b'\t'),
        Format::Auto => match endings.iter().find(|ending| OTHER_FORMATS.contains(&&ending[..])) {
            Some(other) => Err(Error::config(format!("`{path}` is named `.{other}`, a format that is not read"))
                .with_hint("if it is CSV all the same, say so: `--format csv`")),
            None => Ok(b','),
        },
    }
}

fn cannot_open(path: &str, error: io::Error) -> Error {
    Error::new(Kind::Config, format!("cannot open `{path}`: {error}"))
}

const OTHER_FORMATS: &[&str] =
    &["json", "jsonl", "ndjson", "parquet", "arrow", "feather", "avro", "orc", "xls", "xlsx"];

#[cfg(test)]
mod tests;
