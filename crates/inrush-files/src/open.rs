//! Opens a file by its name and its first bytes: where its bytes are, how they are compressed, whether it is a text.

use crate::address::Address;
use crate::applies::FileKind;
use crate::columnar::SourceLocation;
use crate::decompress::{Compression, MAGIC_BYTES, decompress, peek, peek_before_errors};
use crate::dialect::CsvOptions;
use crate::file_format::{Format, Typed, ending, refuse_other_format};
use crate::file_source::FileSource;
use crate::input::{Meter, Metered};
use crate::jsonl::JsonlReader;
use crate::objects::{self, Opened};
use crate::on_disk::OnDisk;
use crate::opened_file::{OpenedFile, TextPlace};
use crate::tar_member::{self, is_tar};
use crate::text::{open_text, open_workbook};
use crate::zip_member::{self, Directory};
use inrush_core::error::{Error, Kind, Result};
use inrush_core::load::checksum::checksum;
use std::any::Any;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// Opens `path`, or standard input if it is `-`. A zip or tar archive must hold one file, or be followed by `#` and the name of
/// one of its files; a workbook the same with its sheets.
///
/// # Errors
/// `Config` for what cannot be opened, has another format than the name or the options say, or is not read; `Data` for a damaged file.
pub fn open(path: &str, format: Format, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let mut file = open_once(path, format, options)?;
    let json = (&mut *file as &mut dyn Any).downcast_mut::<JsonlReader>();
    if let Some(json) = json.filter(|json| options.all_names && json.may_have_more_names()) {
        let mut again = open_once(path, format, options)?;
        if let Some(again) = (&mut *again as &mut dyn Any).downcast_mut::<JsonlReader>() {
            json.take_all_names(again)?;
        }
    }
    Ok(file)
}

fn open_once(path: &str, format: Format, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    if path == "-" {
        return open_stream(path, Box::new(io::stdin()), None, format, options);
    }
    if let Some((address, member)) = at_address(path)? {
        return open_object(&address, member, format, options);
    }
    let (file, archive, member) = open_path(path)?;
    let metadata = file.metadata().map_err(|e| cannot_open(path, e))?;
    if metadata.is_dir() {
        return Err(Error::config(format!("`{path}` is a directory")).with_hint("name the files in it"));
    }
    if !metadata.is_file() {
        return open_stream(path, Box::new(file), None, format, options);
    }
    open_placed(path, archive, member, OnDisk::new(path, archive, None, &file)?, format, options)
}

/// A file or an object, whose bytes are read from any place of it.
fn open_placed(
    path: &str,
    archive: &str,
    member: Option<&str>,
    place: OnDisk,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let mut head = Vec::new();
    place.exact(0, MAGIC_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
    let compression = Compression::of(path, &head)?;
    // By its beginning alone: what only has the name is refused as that.
    if let (Compression::None, None, Some(Typed::FromEnd(open))) = (compression, member, format.of_typed("", &head)) {
        FileKind::Typed.check(path, options)?;
        return open(path, place, options);
    }
    match (compression, member) {
        (Compression::Zip, member) => {
            let directory = Directory::read(archive, place.seekable())?;
            if format.of_workbook(&directory.names()) {
                return open_workbook(path, archive, &place, directory, member, options);
            }
            // A document that is a zip archive inside.
            if let (Format::Auto, None) = (format, member) {
                refuse_other_format(path, &[ending(path)])?;
            }
            let member = zip_member::open(directory, member)?;
            let place = place.of_member(&member.name);
            let of = OfArchive { path, archive, member: &member.name, compression: Compression::Zip, place };
            of.open(member.bytes, member.meter, format, options)
        }
        (compression, member) => {
            let (head, _) = peek_before_errors(plain_from(&place, compression, None).map_err(cannot_read)?, TAR_HEAD);
            match member {
                _ if is_tar(&head) => open_tar(path, archive, &place, compression, member, format, options),
                Some(table) if format.is_dump(archive) => {
                    let options = options.clone().with_dump_table(table.to_owned());
                    open_stream(path, Box::new(place.from(0)), Some(place), Format::Sql, &options)
                }
                Some(_) => Err(Error::config(format!("`{archive}` is neither a zip archive nor a tar archive"))),
                None => open_stream(path, Box::new(place.from(0)), Some(place), format, options),
            }
        }
    }
}

/// The address that a name is, and the name of the member of an archive after a `#`; `None` for the path of a file.
fn at_address(path: &str) -> Result<Option<(Address, Option<&str>)>> {
    match Address::parse(path).transpose()? {
        Some(address) if address.scheme.is_http() => {
            let (url, member) = path.split_once('#').map_or((path, None), |(url, member)| (url, Some(member)));
            Ok(Address::parse(url).transpose()?.map(|address| (address, member)))
        }
        other => Ok(other.map(|address| (address, None))),
    }
}

/// An object. Its key may contain a `#` as well.
fn open_object(
    address: &Address,
    member: Option<&str>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let (archive, member, opened) = match objects::open(address)? {
        Opened::Missing(error) if member.is_none() => open_archive(address).ok_or(error)??,
        opened => (address.clone(), member.map(str::to_owned), opened),
    };
    let (archive, member) = (archive.shown(), member.as_deref());
    let path = member.map_or_else(|| archive.clone(), |member| format!("{archive}#{member}"));
    match opened {
        Opened::Object(object) => {
            let place = OnDisk::of_object(&path, &object);
            open_placed(&path, &archive, member, place, format, options)
        }
        Opened::Stream(bytes) => open_stream(&path, bytes, None, format, options),
        Opened::Missing(error) => Err(error),
    }
}

/// The first object whose key ends before a `#` of the address; the rest is a member's name.
fn open_archive(address: &Address) -> Option<Result<(Address, Option<String>, Opened)>> {
    let places = address.key.match_indices('#').map(|(at, _)| (&address.key[..at], &address.key[at + 1..]));
    places.filter(|(key, _)| !key.is_empty()).find_map(|(key, member)| {
        let archive = address.with_key(key);
        match objects::open(&archive) {
            Ok(Opened::Missing(_)) => None,
            opened => Some(opened.map(|opened| (archive, Some(member.to_owned()), opened))),
        }
    })
}

/// The plain bytes of a file from its beginning; the meter counts the bytes that are read of the file.
fn plain_from(place: &OnDisk, compression: Compression, meter: Option<Arc<Meter>>) -> io::Result<Box<dyn Read + Send>> {
    let bytes = place.from(0);
    match meter {
        Some(meter) => decompress(Box::new(Metered::new(bytes, meter)), compression),
        None => decompress(Box::new(bytes), compression),
    }
}

/// A member of a tar archive, which may be compressed.
fn open_tar(
    path: &str,
    archive: &str,
    bytes: &OnDisk,
    compression: Compression,
    member: Option<&str>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{archive}`"), e);
    let is_plain = compression == Compression::None;
    let member = match is_plain {
        true => tar_member::find(archive, &mut bytes.from(0), member)?,
        false => {
            let mut plain = tar_member::Stream(plain_from(bytes, compression, None).map_err(cannot_read)?);
            tar_member::find(archive, &mut plain, member)?
        }
    };
    let meter = Meter::new(Some(if is_plain { member.size } else { bytes.size() }));
    let plain: Box<dyn Read + Send> = match is_plain {
        true => Box::new(Metered::new(bytes.from(member.start), meter.clone())),
        false => {
            let mut plain = plain_from(bytes, compression, Some(meter.clone())).map_err(cannot_read)?;
            io::copy(&mut (&mut plain).take(member.start), &mut io::sink()).map_err(cannot_read)?;
            plain
        }
    };
    let plain = Box::new(tar_member::Whole::new(plain, member.size));
    let place = bytes.of_member(&member.name);
    let of = OfArchive { path, archive, member: &member.name, compression: Compression::Tar, place };
    of.open(plain, meter, format, options)
}

/// A member of an archive.
struct OfArchive<'a> {
    path: &'a str,
    archive: &'a str,
    member: &'a str,
    compression: Compression,
    place: OnDisk,
}

impl OfArchive<'_> {
    /// Opens it as what its bytes and its name say; it may be compressed.
    fn open(
        self,
        bytes: Box<dyn Read + Send>,
        meter: Arc<Meter>,
        format: Format,
        options: &CsvOptions,
    ) -> Result<Box<dyn FileSource>> {
        let Self { path, archive, member, compression, place } = self;
        let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
        let (head, bytes) = peek_before_errors(bytes, MAGIC_BYTES);
        let inner = Compression::of(path, &head)?;
        if inner == Compression::Zip || format.of_typed(member, &head).is_some() {
            return Err(Error::config(format!("`{member}` in `{archive}` is a file that is read from its end"))
                .with_hint("unpack it first"));
        }
        let plain = decompress(bytes, inner).map_err(cannot_read)?;
        let format = format.of_text(path, member, archive)?;
        let place = TextPlace::OnDisk(place);
        open_text(OpenedFile { path, bytes: plain, meter, compression, place, is_rewritten: false }, format, options)
    }
}

/// Opens the file, and returns its path and the name of the member or sheet after a `#`. Both such a name and the path of a file may
/// contain a `#`.
fn open_path(path: &str) -> Result<(File, &str, Option<&str>)> {
    let error = match File::open(path) {
        Ok(file) => return Ok((file, path, None)),
        Err(error) => error,
    };
    if error.kind() == io::ErrorKind::NotFound {
        refuse_address(path)?;
    }
    let mut last = None;
    for (at, _) in path.match_indices('#').filter(|_| error.kind() == io::ErrorKind::NotFound) {
        let (archive, member) = (&path[..at], &path[at + 1..]);
        match File::open(archive) {
            Ok(file) => return Ok((file, archive, Some(member))),
            Err(error) => last = Some(cannot_open(archive, error)),
        }
    }
    Err(last.unwrap_or_else(|| cannot_open(path, error)))
}

/// Refuses an address and says that it is one. The message does not repeat a login or a signature in it.
fn refuse_address(path: &str) -> Result<()> {
    let Some((scheme, rest)) = path.split_once("://") else { return Ok(()) };
    if let Some((_, own)) = ALIASES.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)) {
        return Err(Error::config(format!("addresses that begin with `{scheme}://` are not read"))
            .with_hint(format!("write it as {own}")));
    }
    let Some((_, fetch)) = FETCH.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)) else { return Ok(()) };
    let shown = rest.split(['?', '#']).next().unwrap_or_default();
    let shown = shown.rsplit_once('@').map_or(shown, |(_, place)| place);
    Err(Error::config(format!("`{scheme}://{shown}` is an address of a kind that is not read"))
        .with_hint(format!("fetch it first, so that a broken download is not loaded as a short file: `{fetch}`")))
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
    match Compression::of_name(path).0 {
        _ if compression == Compression::Zip => {
            return Err(Error::config("a zip archive cannot be read from a pipe: its directory is at its end")
                .with_hint("name the file itself, or pipe the output of `unzip -p`"));
        }
        Some(named) if named != compression => {
            return Err(Error::data(format!("`{path}` is not what its name says: it is {}", compression.describe())));
        }
        _ => {}
    }
    let plain = refuse_twice(path, compression, decompress(bytes, compression).map_err(cannot_read)?)?;
    // The name determines the format of a compressed stream.
    let head = if compression == Compression::None { head } else { Vec::new() };
    let is_on_disk = place.is_some() && compression == Compression::None;
    match format.of_typed(path, &head) {
        Some(Typed::FromEnd(_)) if !is_on_disk => {
            return Err(Error::config(format!(
                "`{path}` is a file that is read from its end, and cannot be read from a stream"
            ))
            .with_hint("name the file itself, decompressed"));
        }
        Some(Typed::FromStart(open)) => {
            FileKind::Typed.check(path, options)?;
            let (location, plain) = match place {
                Some(place) => (SourceLocation::OnDisk(place), plain),
                None => {
                    let (head, plain) = peek(plain, STREAM_HEAD).map_err(cannot_read)?;
                    (SourceLocation::Stream { name: "-".into(), hash: checksum(&head) }, plain)
                }
            };
            return open(path, plain, meter, location, options);
        }
        // It has only the name.
        Some(Typed::FromEnd(_)) | None => {}
    }
    let format = format.of_text(path, "", path)?;
    let place = place.map_or(TextPlace::Stream, TextPlace::OnDisk);
    open_text(OpenedFile { path, bytes: plain, meter, compression, place, is_rewritten: false }, format, options)
}

/// Refuses data that is compressed a second time inside.
fn refuse_twice(path: &str, outer: Compression, plain: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    if outer == Compression::None {
        return Ok(plain);
    }
    let (head, plain) = peek_before_errors(plain, MAGIC_BYTES);
    match Compression::of(path, &head)? {
        Compression::None => Ok(plain),
        inner => {
            let (inside, outer) = (inner.describe(), outer.describe());
            let message = format!("`{path}` is {outer}, and what is in it is {inside}");
            let program = match outer.rsplit(' ').next() {
                Some("zstd") => "zstd",
                Some("lz4") => "lz4",
                Some("xz") => "xz",
                Some("bzip2") => "bzip2",
                _ => "gzip",
            };
            Err(Error::config(message).with_hint(match inner {
                Compression::Zip => format!("`{program} -dc {path} > inside.zip`, then load that"),
                _ => format!("`{program} -dc {path} | inrush load - ..` loads it"),
            }))
        }
    }
}

/// What addresses that are not read begin with, and what fetches their files.
const FETCH: &[(&str, &str)] = &[
    ("ftp", "curl -fLO URL"),
    ("ftps", "curl -fLO URL"),
    ("sftp", "scp HOST:FILE ."),
    ("hdfs", "hdfs dfs -get URL ."),
];

/// Other programs' names of stores, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("s3a", "`s3://bucket/key`"),
    ("s3n", "`s3://bucket/key`"),
    ("gcs", "`gs://bucket/key`"),
    ("abfs", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
    ("abfss", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
    ("wasbs", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
];

/// A tar archive is known by its first header.
const TAR_HEAD: u64 = 512;

/// Bytes of its beginning that identify a stream, as for a stream of text.
pub(crate) const STREAM_HEAD: u64 = 64 << 10;

fn cannot_open(path: &str, error: io::Error) -> Error {
    Error::new(Kind::Config, format!("cannot open `{path}`: {error}"))
}

#[cfg(test)]
mod tests;
