//! How wide a text is in a picture, so that names get the room that they need. Pure.
//!
//! It uses the widths of DejaVu Sans, the widest of the common fonts: in any other font a text is narrower.

/// Pixels of a text of so many pixels of font size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(share).sum::<f64>() * size
}

/// The beginning and an ellipsis, if the text is wider than `most` pixels.
pub(super) fn clipped(text: &str, most: f64, size: f64) -> String {
    // Room that was made for this very text may be too small by a rounding.
    if width(text, size) <= most + 0.01 {
        return text.to_owned();
    }
    let mut left = most - width("…", size);
    let fits = |c: &char| {
        left -= share(*c) * size;
        left >= 0.0
    };
    text.chars().take_while(fits).collect::<String>().trim_end().to_owned() + "…"
}

/// The width of a character as a share of the font size.
fn share(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | ',' | '.' | 'I' | 'J' => 0.32,
        'f' | ':' | ';' | '/' | '|' | '-' => 0.37,
        't' | 'r' | '(' | ')' | '[' | ']' => 0.42,
        's' | 'z' | 'c' | '_' => 0.55,
        'a'..='h' | 'k' | 'n'..='q' | 'u' | 'v' | 'x' | 'y' | '0'..='9' => 0.64,
        'A'..='L' | 'P' | 'R'..='V' | 'X'..='Z' => 0.73,
        'N' | 'O' | 'Q' | 'w' => 0.82,
        'm' | 'M' | 'W' | '…' | '@' | '%' => 1.0,
        c if c.is_ascii() => 0.84,
        // Letters of other scripts may be as wide as high.
        _ => 1.0,
    }
}

/// The font sizes of labels and of all other text, as in the style sheet.
pub(super) const LABEL: f64 = 12.0;
pub(super) const SMALL: f64 = 11.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_differ() {
        assert!(width("illi", 10.0) < width("nn", 10.0));
        assert!(width("multi-row-prepared", 12.0) > 110.0);
        assert_eq!(width("", 12.0), 0.0);
    }

    #[test]
    fn what_fits_stays_whole() {
        let text = "multi-row-prepared";
        assert_eq!(clipped(text, width(text, 12.0), 12.0), text);
        assert_eq!(clipped(text, 60.0, 12.0), "multi-r…");
        assert_eq!(clipped(text, 0.0, 12.0), "…");
    }
}
