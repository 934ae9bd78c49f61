//! A text that is not UTF-8, read in several encodings: if a short text can be read in more than one way, only its owner knows which.
//!
//! The detector counts which letters are next to each other, which is unreliable for a few words. So each common encoding decodes the
//! text, readings that no language writes are dropped, and if more than one remains, an error shows them and asks the user.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_8859_2, KOI8_R, MACINTOSH, SHIFT_JIS, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
};
use inrush_core::error::{Error, Result};

/// The question which encoding a text has.
///
/// # Errors
/// `Config` if `likely` is not sure.
pub(super) fn check(name: &str, bytes: &[u8], likely: &'static Encoding) -> Result<()> {
    match question(name, bytes, likely) {
        None => Ok(()),
        Some(hint) => {
            Err(Error::config(format!("`{name}` is not UTF-8, and may be in one of several encodings")).with_hint(hint))
        }
    }
}

/// The hint for a short text that has several readings, with all of them. Returns `None` for a long text, and if the only plausible
/// reading is the one by `likely`.
pub(super) fn question(name: &str, bytes: &[u8], likely: &'static Encoding) -> Option<String> {
    if bytes.iter().filter(|byte| !byte.is_ascii()).count() >= ENOUGH {
        return None;
    }
    let guessed = CharacterSet::Web(likely).read(bytes);
    let is_odd = !guessed.as_deref().is_some_and(is_plausible);
    // Where those of DOS have letters, and others have signs.
    let is_dos = is_odd || bytes.iter().any(|byte| (0x80..0xa9).contains(byte));
    let by = |set: CharacterSet| {
        let text = set.read(bytes)?;
        let is_guess = matches!(set, CharacterSet::Web(encoding) if encoding == likely);
        let may_be = matches!(set, CharacterSet::Web(_)) || is_dos;
        (is_guess || (may_be && is_plausible(&text))).then_some((set, text))
    };
    let usual = USUAL.iter().filter(|encoding| **encoding != likely).map(|encoding| CharacterSet::Web(encoding));
    let all = std::iter::once(CharacterSet::Web(likely)).chain(usual).chain([CharacterSet::Cp850, CharacterSet::Cp437]);
    let mut readings: Vec<(CharacterSet, String)> = Vec::new();
    for (set, text) in all.filter_map(by) {
        if readings.iter().all(|(_, other)| *other != text) {
            readings.push((set, text));
        }
    }
    if readings.len() == 1 && !is_odd {
        return None;
    }
    let said: Vec<String> =
        readings.iter().map(|(set, text)| format!("{} reads `{}`", set.given(name), shown(text))).collect();
    Some(format!("say which reading is right: {}", said.join(", ")))
}

/// An encoding of the web's list, or one of DOS that is not in it.
#[derive(Clone, Copy, Debug)]
enum CharacterSet {
    Web(&'static Encoding),
    Cp850,
    Cp437,
}

impl CharacterSet {
    /// The text; `None` if it is not valid.
    fn read(self, bytes: &[u8]) -> Option<String> {
        let table = match self {
            Self::Web(encoding) => {
                return encoding.decode_without_bom_handling_and_without_replacement(bytes).map(Into::into);
            }
            Self::Cp850 => CP850,
            Self::Cp437 => CP437,
        };
        let upper: Vec<char> = table.chars().collect();
        let of = |byte: &u8| {
            byte.checked_sub(0x80).map_or(Some(char::from(*byte)), |at| upper.get(usize::from(at)).copied())
        };
        bytes.iter().map(of).collect()
    }

    /// What reads a file so.
    fn given(self, name: &str) -> String {
        let dos = |set: &str| format!("`iconv -f {set} -t UTF-8 {name} | inrush load - ..`");
        match self {
            Self::Web(encoding) => format!("`--encoding {}`", encoding.name().to_ascii_lowercase()),
            Self::Cp850 => dos("CP850"),
            Self::Cp437 => dos("CP437"),
        }
    }
}

/// Whether a language may write this: no signs that control something, no sign within a word, no word of two scripts, none that has letters
/// with accents alone, no capital after a small letter with an accent.
fn is_plausible(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic());
    for (at, c) in characters.iter().enumerate().filter(|(_, c)| !c.is_ascii()) {
        let before = at > 0 && is_letter(at - 1);
        let is_foreign = c.is_control() || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffd}' | '\u{2500}'..='\u{25ff}');
        let is_fit = match (c.is_alphabetic(), before, is_letter(at + 1)) {
            (true, ..) => true,
            (false, true, true) => {
                matches!(c, '\u{2019}' | '\u{b7}' | '\u{2013}' | '\u{2014}' | '\u{ad}' | '\u{30fb}') || is_mark(*c)
            }
            (false, true, false) => BEHIND_WORDS.contains(*c) || is_ideographic(*c) || is_mark(*c),
            (false, false, _) => true,
        };
        if is_foreign || !is_fit {
            return false;
        }
    }
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_ascii()).all(is_word)
}

fn is_word(word: &str) -> bool {
    let characters: Vec<char> = word.chars().collect();
    let is_mixed = characters.iter().any(|c| is_latin(*c)) && characters.iter().any(|c| !is_latin(*c));
    let n_accented = characters.iter().filter(|c| is_latin(**c) && !c.is_ascii()).count();
    let is_bent =
        |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase() && !(pair[0].is_ascii() && pair[1].is_ascii());
    let has_cases = characters.iter().any(|c| c.is_lowercase());
    let is_accented = characters.len() > 3 && n_accented * 4 > characters.len() * 3;
    let is_bent = has_cases && characters.windows(2).any(is_bent);
    !(is_mixed || is_accented || is_bent)
}

fn is_latin(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Marks that stand on letters of Hebrew, Arabic and Thai.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{652}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

/// Marks of East Asia's scripts, which have no blanks between words.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}')
}

/// The beginning of what is not ASCII.
fn shown(text: &str) -> String {
    let first = text.chars().position(|c| !c.is_ascii()).unwrap_or(0);
    let before = text.chars().take(first).collect::<Vec<_>>();
    let start = first - before.iter().rev().take(BEFORE).take_while(|c| **c != '\n').count();
    let line = text.chars().skip(start).take_while(|c| !matches!(c, '\n' | '\r')).take(MOST_CHARACTERS);
    line.flat_map(|c| if c.is_control() { c.escape_debug().collect::<Vec<_>>() } else { vec![c] }).collect()
}

/// Signs that follow words.
const BEHIND_WORDS: &str = "’”»…°²³¹®™©€£¥§–—\u{a0}ªº½¼¾";

/// The encodings of files that are not UTF-8, the most common first.
const USUAL: &[&Encoding] = &[
    WINDOWS_1252,
    WINDOWS_1250,
    WINDOWS_1251,
    SHIFT_JIS,
    GBK,
    EUC_KR,
    BIG5,
    EUC_JP,
    KOI8_R,
    WINDOWS_1254,
    WINDOWS_1253,
    ISO_8859_2,
    WINDOWS_1257,
    WINDOWS_1255,
    WINDOWS_1256,
    WINDOWS_874,
    IBM866,
    MACINTOSH,
];

/// With this many bytes beyond ASCII the detector is reliable (docs/notes/sniffing.md).
const ENOUGH: usize = 129;

/// The most characters of a reading that are shown, and the most before the first one that is not ASCII.
const MOST_CHARACTERS: usize = 32;
const BEFORE: usize = 16;

/// The upper halves of the code pages of DOS in Western Europe and America.
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

#[cfg(test)]
mod tests;
