use super::*;

/// The statements of a script, each with its line, and what ends it.
fn cut(dialect: Dialect, script: &[u8], piece: usize) -> String {
    let mut cutter = ScriptCutter::default();
    cutter.set_dialect(dialect);
    let (mut buffer, mut rest, mut said) = (Vec::new(), script, Vec::new());
    loop {
        match cutter.next(&buffer, rest.is_empty()) {
            Ok(Cut::Statement(ScriptStatement { range, line, is_vertical, .. })) => {
                let how = if is_vertical { " (vertical)" } else { "" };
                said.push(format!("{line}: {}{how}", String::from_utf8_lossy(&buffer[range])));
            }
            Ok(Cut::End) => return said.join(" | "),
            Ok(Cut::More) => {
                assert!(!rest.is_empty(), "more after the end: {said:?}");
                buffer.drain(..cutter.drain());
                let (now, later) = rest.split_at(piece.min(rest.len()));
                buffer.extend_from_slice(now);
                rest = later;
            }
            Err(error) => {
                said.push(format!("error: {error}"));
                return said.join(" | ");
            }
        }
    }
}

/// In pieces of every length the statements are the same.
#[track_caller]
fn check_in(dialect: Dialect, script: &str, want: &str) {
    for piece in (1..=script.len().max(1)).rev() {
        assert_eq!(cut(dialect, script.as_bytes(), piece), want, "in pieces of {piece}: {script:?}");
    }
}

#[track_caller]
fn check(script: &str, want: &str) {
    check_in(Dialect::default(), script, want);
}

#[test]
fn statements_end_at_a_delimiter() {
    check("", "");
    check(" \n\t", "");
    check("SELECT 1", "1: SELECT 1");
    check("SELECT 1;", "1: SELECT 1");
    check("SELECT 1 ;\n\nSELECT\n2; \nSELECT 3 \n", "1: SELECT 1 | 3: SELECT\n2 | 5: SELECT 3");
    check(";;SELECT 1;;", "1: SELECT 1");
    check("a\\g b\\G\nc", "1: a | 1: b (vertical) | 2: c");
    check("SELECT \\N;b", "1: SELECT \\N | 1: b");
}

#[test]
fn not_in_quotes_nor_comments() {
    check("a ';' \";\" `;` b;c", "1: a ';' \";\" `;` b | 1: c");
    check("a 'it''s;' '\\';' b;c", "1: a 'it''s;' '\\';' b | 1: c");
    check("a -- ; \n b;c # ;\n;d /* ; */;e", "1: a -- ; \n b | 2: c # ; | 3: d /* ; */ | 3: e");
    check("1--;2", "1: 1-- | 1: 2");
    check("/*!40101 SET a = ';' */;b", "1: /*!40101 SET a = ';' */ | 1: b");
    check("/*!50003 a;b */;c", "1: /*!50003 a | 1: b */ | 1: c");
}

#[test]
fn quotes_are_those_of_the_session() {
    let [plain, ansi, no_escapes] = Dialect::ALL;
    check_in(plain, "'\\';' a;b", "1: '\\';' a | 1: b");
    check_in(no_escapes, "'\\';a", "1: '\\' | 1: a");
    check_in(ansi, "\"\\\";a", "1: \"\\\" | 1: a");
}

#[test]
fn comments_alone_are_no_statement() {
    check("-- a\n/* b */ # c\n;d", "3: d");
    check("-- a", "");
    check("/* a */\n-- b\nSELECT 1;\n-- c\n", "3: SELECT 1");
    check("/*M!999999\\- x */ \n-- y\n/*!40101 SET z */;", "1: /*M!999999\\- x */ \n-- y\n/*!40101 SET z */");
}

#[test]
fn another_delimiter() {
    check("DELIMITER $$\na;b$$\ndelimiter ;\nc;d", "2: a;b | 4: c | 4: d");
    check("DELIMITER //\r\na;b//c/ /d // DELIMITER ;\ne;f", "2: a;b | 2: c/ /d | 3: e | 3: f");
    check("DELIMITER ;;\na;b ;; DELIMITER ; x\nc;", "2: a;b | 3: c");
    check("delimiter '$$'\nBEGIN END$$", "2: BEGIN END");
    check("DELIMITER xx\nab1xx2 xx", "2: ab1 | 2: 2");
    check("DELIMITER \n a", "error: DELIMITER in line 1 names no delimiter");
    check("a;\nDELIMITER \\", "1: a | error: DELIMITER in line 2 names no delimiter");
    check("SELECT delimiter ;b", "1: SELECT delimiter | 1: b");
    check("DELIMITER", "error: DELIMITER in line 1 names no delimiter");
    check("delimiters;", "1: delimiters");
}

#[test]
fn a_script_that_was_cut_off() {
    check("a;\n b 'c;\nd", "1: a | error: the script ends within a quoted text that begins in line 2");
    check("a;\n`c", "1: a | error: the script ends within a name in backticks that begins in line 2");
    check("a /* b\n;", "error: the script ends within a comment that begins in line 1");
    check("/*/", "error: the script ends within a comment that begins in line 1");
    check("/**/", "");
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(cut(Dialect::default(), b"a '\xff;\0'\x80;b", 1), "1: a '\u{fffd};\0'\u{fffd} | 1: b");
}
