//! Text for people to read. Names, values and messages come from files and servers; they must not control a terminal, and must
//! not be shown in another order than they have.

/// Whether a character may move the cursor, or change the order in which the text around it is shown: control characters, the ends of
/// lines and paragraphs, and the marks of bidirectional text.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with such characters as escapes; line ends stay, and a tab is a blank.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push(c),
            '\t' => shown.push(' '),
            c if steers(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

/// JSON that means the same, with such characters as JSON's escapes. They occur within texts only, except line ends and tabs,
/// which stay.
pub fn printable_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if steers(c) && !matches!(c, '\n' | '\t' | '\r') => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(printable("a\x1b[2J\u{9b}1m\r\tb\nc"), "a\\u{1b}[2J\\u{9b}1m\\r b\nc");
        assert_eq!(
            printable("x\u{202e}gpj.csv \u{2066}\u{200f}\u{61c}\u{2028}"),
            "x\\u{202e}gpj.csv \\u{2066}\\u{200f}\\u{61c}\\u{2028}"
        );
    }

    #[test]
    fn what_is_plain_text_stays() {
        for text in ["Zoë", "שלום", "👩\u{200d}👧", "\u{feff}", "{\"a\": 1}"] {
            assert_eq!((printable(text).as_str(), printable_json(text).as_str()), (text, text));
        }
    }

    #[test]
    fn json_means_the_same() {
        assert_eq!(printable_json("{\n  \"a\": \"x\u{202e}y\u{7f}\"\n}"), "{\n  \"a\": \"x\\u202ey\\u007f\"\n}");
    }
}
