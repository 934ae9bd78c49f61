use super::*;

const ANSI: Dialect = Dialect::ALL[1];
const PLAIN_BACKSLASH: Dialect = Dialect::ALL[2];

/// The lexemes of a text with a `|` between each two; blanks and comments are left out.
#[track_caller]
fn check_in(dialect: Dialect, text: &str, want: &str) {
    let mut lexer = Lexer::new(text.as_bytes(), dialect);
    let tokens: Vec<_> = std::iter::from_fn(|| lexer.next_token()).map(|token| &text[token.range]).collect();
    assert_eq!(tokens.join("|"), want, "{text:?}");
}

#[track_caller]
fn check(text: &str, want: &str) {
    check_in(Dialect::default(), text, want);
}

#[test]
fn words_and_symbols() {
    check("SELECT a_1+$b, 0x41", "SELECT|a_1|+|$b|,|0x41");
    check("a\tb\nc\x0Bd\x0Ce\rf", "a|b|c|d|e|f");
    check("größe=🦀", "größe|=|🦀");
    check("", "");
}
#[test]
fn comments() {
    check("1 # 2\n3", "1|3");
    check("1 -- 2\n3", "1|3");
    check("1 --\t2\n3--\u{1}4\n--\u{7f}", "1|3");
    check("1 --", "1");
    check("5--3", "5|-|-|3");
    check("1/* a */2/**/3/* open", "1|2|3");
    check("/*/ 1 */ 2 /* /* */ 3 */", "2|3|*|/");
}
#[test]
fn conditions() {
    check("/*!1*/", "/*!|1|*/");
    check(
        "/*!50100 a*/ /*!080000b*/ /*M!100100 c */ /*!1234567*/",
        "/*!50100|a|*/|/*!080000|b|*/|/*M!100100|c|*/|/*!123456|7|*/",
    );
    check("/*! a /* b */ c */", "/*!|a|c|*/");
    check("/*! '*/' */ */", "/*!|'*/'|*/|*|/");
}
#[test]
fn quotes() {
    check(r#"'a''b' "c""d" `e``f`'g'"#, r#"'a''b'|"c""d"|`e``f`|'g'"#);
    check(r"'a\'b' `c\`d", r"'a\'b'|`c\`|d");
    check(r"'a\\' 'b", r"'a\\'|'b");
    check(r"'a\", r"'a\");
    check("'-- ' '#' '/*'", "'-- '|'#'|'/*'");
}
#[test]
fn quotes_are_read_as_the_session_reads_them() {
    let text = r#""a\", b, ", c"#;
    check(text, r#""a\", b, "|,|c"#);
    check_in(ANSI, text, r#""a\"|,|b|,|", c"#);
    check_in(PLAIN_BACKSLASH, text, r#""a\"|,|b|,|", c"#);
    check_in(ANSI, r"'a\', b'", r"'a\', b'");
    check_in(PLAIN_BACKSLASH, r"'a\', b", r"'a\'|,|b");
}
#[test]
fn any_bytes_are_read_to_their_end() {
    let alphabet = b"'\"`\\/*!-# \n5a(;\x80";
    for seed in 0..20_000_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let text: Vec<u8> = (0..12)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                alphabet[usize::try_from(state % alphabet.len() as u64).unwrap()]
            })
            .collect();
        for dialect in Dialect::ALL {
            let mut end = 0;
            for token in Lexer::new(&text, dialect) {
                assert_eq!(token.range.start, end);
                assert!(token.range.end > end);
                end = token.range.end;
            }
            assert_eq!(end, text.len());
        }
    }
}
