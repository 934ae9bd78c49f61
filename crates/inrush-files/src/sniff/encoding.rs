//! The encoding of a text. UTF-16 without a mark is recognized by its zero bytes; another encoding than UTF-8 by the frequency of its
//! bytes in each language (the detector of Firefox).

use super::{Sample, readings};
use crate::dialect::CsvOptions;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use inrush_core::error::Result;

/// The encoding that is to be read; `None` is UTF-8, or what the byte order mark says.
///
/// # Errors
/// `Config` if it is to be detected, and the result is uncertain.
pub(crate) fn find(sample: Sample<'_>, options: &CsvOptions) -> Result<Option<&'static Encoding>> {
    if options.encoding.is_some() || Encoding::for_bom(sample.bytes).is_some() {
        return Ok(options.encoding);
    }
    if let Some(utf_16) = utf_16(sample.bytes) {
        return Ok(Some(utf_16));
    }
    if !options.auto_detect.encoding {
        return Ok(None);
    }
    let likely = guess(sample.bytes, sample.is_all);
    let whole = whole_lines(sample.bytes, sample.is_all);
    likely.map_or(Ok(()), |likely| readings::check(sample.name, whole, likely))?;
    Ok(likely)
}

/// UTF-16, if every other byte of nearly all is zero: text of Europe's languages.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = bytes.chunks_exact(2).take(2_000);
    let (mut n, mut high, mut low) = (0, 0, 0);
    for pair in pairs {
        n += 1;
        high += usize::from(pair[0] == 0 && pair[1] != 0);
        low += usize::from(pair[1] == 0 && pair[0] != 0);
    }
    let most = |zeros: usize| n >= 4 && zeros * 10 >= n * 8;
    match (most(low), most(high)) {
        (true, false) => Some(UTF_16LE),
        (false, true) => Some(UTF_16BE),
        _ => None,
    }
}

/// A hint how to read a text that is not UTF-8. Returns `None` if it is UTF-8 except for a few damaged places, or if its mark says that
/// it is UTF-16.
pub(crate) fn likely(sample: Sample<'_>) -> Option<String> {
    let Sample { name, bytes, is_all, .. } = sample;
    let mark = match Encoding::for_bom(bytes) {
        Some((marked, mark)) if marked == UTF_8 => mark,
        Some(_) => return None,
        None => 0,
    };
    let encoding = guess(&bytes[mark..], is_all)?;
    let encoding_name = encoding.name().to_ascii_lowercase();
    if mark > 0 {
        return Some(format!(
            "its mark says UTF-8, and it is most likely {encoding_name}: \
             `tail -c +{} {name} | inrush load - --encoding {encoding_name} ..` reads it so",
            mark + 1
        ));
    }
    let most_likely = || format!("the file is most likely {encoding_name}: `--encoding auto` takes that");
    Some(readings::question(name, whole_lines(bytes, is_all), encoding).unwrap_or_else(most_likely))
}

/// Without what the end of a sample cuts.
fn whole_lines(bytes: &[u8], is_all: bool) -> &[u8] {
    let end = memchr::memrchr(b'\n', bytes).filter(|_| !is_all).unwrap_or(bytes.len());
    &bytes[..end]
}

fn guess(bytes: &[u8], is_all: bool) -> Option<&'static Encoding> {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    // The end of the sample may cut a character.
    let is_cut = !is_all && bytes.utf8_chunks().last().is_some_and(|last| !last.invalid().is_empty());
    if invalid - usize::from(is_cut) <= valid {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, is_all);
    Some(detector.guess(None, Utf8Detection::Deny))
}
