//! The lexical rules of `inrush_core::sql` against the servers' own: a text, and the same text put together from its lexemes with blanks
//! in between and without its comments, have the same answer in every sql_mode.

use crate::cases::on_servers;
use inrush::sans_io::sql::{Dialect, Lexeme, Lexer};
use inrush::{Kind, Statement, blocking};
use inrush_testkit::dice::Dice;
use inrush_testkit::servers::{self, Server};

/// The rows of the first column, or `None` for an error.
fn answer(connection: &mut blocking::Connection, sql: &str) -> Option<Vec<Option<String>>> {
    match connection.query::<Option<String>>(sql, ()) {
        Ok(rows) => Some(rows),
        Err(error) => {
            assert!(!error.is_fatal(), "{sql:?}: {error}");
            None
        }
    }
}

/// The lexemes of a text, with blanks in between. A comment that stays open is an error, so it is kept.
fn rebuilt(sql: &str, dialect: Dialect) -> String {
    let tokens = Lexer::new(sql.as_bytes(), dialect).filter_map(|token| {
        let text = &sql[token.range];
        let is_open = text.starts_with("/*") && (text.len() < 4 || !text.ends_with("*/"));
        (token.lexeme != Lexeme::Blank && (token.lexeme != Lexeme::Comment || is_open)).then_some(text)
    });
    tokens.collect::<Vec<_>>().join(" ")
}

const MODES: [(&str, Dialect); 4] = [
    ("", Dialect { no_backslash_escapes: false, ansi_quotes: false }),
    ("ANSI_QUOTES", Dialect { no_backslash_escapes: false, ansi_quotes: true }),
    ("NO_BACKSLASH_ESCAPES", Dialect { no_backslash_escapes: true, ansi_quotes: false }),
    ("NO_BACKSLASH_ESCAPES,ANSI_QUOTES", Dialect { no_backslash_escapes: true, ansi_quotes: true }),
];

fn one_of_each_version() -> Vec<Server> {
    servers::all().into_iter().filter(|server| server.local_infile).collect()
}

/// Runs `check` in a session of each sql_mode on a server of each version.
fn in_each_mode(check: impl Fn(&mut blocking::Connection, &str, Dialect) + Sync) {
    on_servers(one_of_each_version(), |server| {
        for (mode, dialect) in MODES {
            let mut connection = blocking::Connection::connect(&server.url("")).unwrap();
            connection.execute(&format!("SET sql_mode = '{mode}'"), ()).unwrap();
            check(&mut connection, mode, dialect);
        }
    });
}

#[track_caller]
fn same_answer(connection: &mut blocking::Connection, mode: &str, dialect: Dialect, sql: &str) -> bool {
    let (want, again) = (answer(connection, sql), rebuilt(sql, dialect));
    assert_eq!(answer(connection, &again), want, "{sql:?} became {again:?} in {mode:?}");
    want.is_some()
}

/// What the servers say to a text in the default mode, and what it is without comments.
#[test]
fn answers_of_the_servers() {
    let check = |connection: &mut blocking::Connection, sql: &str, want: Option<&str>| {
        let found = answer(connection, sql).map(|rows| rows.into_iter().flatten().collect::<String>());
        assert_eq!(found.as_deref(), want, "{sql:?}");
        same_answer(connection, "", Dialect::default(), sql);
    };
    on_servers(one_of_each_version(), |server| {
        let mut connection = blocking::Connection::connect(&server.url("")).unwrap();
        connection.execute("SET sql_mode = ''", ()).unwrap();
        let mut check = |sql: &str, want: Option<&str>| check(&mut connection, sql, want);
        check("SELECT 5--3", Some("8"));
        check("SELECT 5-- 3", Some("5"));
        check("SELECT 5--", Some("5"));
        check("SELECT 5--\n*3", Some("15"));
        for control in (1..0x20_u8).chain([0x7F]).filter(|control| *control != b'\n') {
            check(&format!("SELECT 5--{}3", char::from(control)), Some("5"));
        }
        // NUL ends the comment, and no statement has it outside of quotes.
        check("SELECT 5--\u{0}3", None);
        check("SELECT 5--\u{80}3", None);
        for blank in "\t\n\x0B\x0C\r ".chars() {
            check(&format!("SELECT{blank}5{blank}"), Some("5"));
        }
        check("SELECT 5 # 3\r+ 1\n+ 2", Some("7"));
        check("SELECT 5 /* a /* b */ + 1", Some("6"));
        check("SELECT 5 /*/ + 1", None);
        check("SELECT 5 /* a", None);
        check("SELECT 5 /**/ + 1", Some("6"));
        check("SELECT /*!7*/", Some("7"));
        check("SELECT /*!1234*/", Some("1234"));
        check("SELECT 5 /*!50000+ 1*/", Some("6"));
        // Without the blank MySQL 9.7 reads a version of five digits, and a 0.
        check("SELECT 5 /*!050000 + 1*/", Some("6"));
        check("SELECT 5 /*!50000 + 1 /* 2 */ + 3 */", Some("9"));
        check("SELECT 5 /*!50000 + 1 -- 2 */\n + 3 */", Some("9"));
        check("SELECT LENGTH('*/') /*!50000 + LENGTH('*/') */ + 1", Some("5"));
        check("SELECT 5 */", None);
        check("SELECT 'a''b'", Some("a'b"));
        check("SELECT 'a' 'b'", Some("ab"));
        check(r"SELECT 'a\'b'", Some("a'b"));
        check(r#"SELECT "a""b\"c""#, Some("a\"b\"c"));
        check(r"SELECT 1 `a\`", Some("1"));
        check("SELECT 1 `a``b`", Some("1"));
        check("SELECT 'a", None);
        check("SELECT 1 größe", Some("1"));
        check("SELECT 1 a$b", Some("1"));
    });
}

#[test]
fn random_texts_have_the_answer_of_their_lexemes() {
    in_each_mode(|connection, mode, dialect| {
        let mut dice = Dice::of("lexical");
        let n_valid = (0..N).filter(|_| same_answer(connection, mode, dialect, &random_text(&mut dice, "1"))).count();
        assert!(n_valid > N / 10, "{n_valid} of {N} texts are statements");
    });
}

#[test]
fn a_statement_has_the_placeholders_that_the_server_finds() {
    in_each_mode(|connection, mode, _| {
        let mut dice = Dice::of("placeholders");
        let mut n_valid = 0;
        for _ in 0..N {
            let sql = random_text(&mut dice, "?");
            let statement = Statement::new(&sql).unwrap();
            let values = vec![inrush::Value::Int(1); statement.marks().len()];
            match connection.execute(&statement, &values[..]) {
                Ok(_) => n_valid += 1,
                Err(error) => assert_eq!(error.kind(), Kind::Server, "{sql:?} in {mode:?}: {error}"),
            }
        }
        assert!(n_valid > N / 10, "{n_valid} of {N} texts are statements");
    });
}

const N: usize = 600;

/// A SELECT of a few expressions, each with literals, comments and quotes that may go wrong.
fn random_text(dice: &mut Dice, value: &str) -> String {
    let mut text = "SELECT 1".to_owned();
    for _ in 0..dice.between(1, 4) {
        text += OPERATORS[pick(dice, OPERATORS.len())];
        if dice.percent(60) {
            text += value;
        } else {
            let quote = ["'", "'", "\""][pick(dice, 3)];
            text += quote;
            for _ in 0..dice.between(0, 3) {
                text += INSIDE[pick(dice, INSIDE.len())];
            }
            text += quote;
        }
        if dice.percent(40) {
            text += BETWEEN[pick(dice, BETWEEN.len())];
        }
    }
    text
}

fn pick(dice: &mut Dice, n: usize) -> usize {
    usize::try_from(dice.below(n as u64)).unwrap_or_default()
}

const OPERATORS: &[&str] = &["+", "-", " - ", "--", ",", ", ", " , ", "/", "*", "-(", "),("];
const INSIDE: &[&str] = &["a", "\\", "\\\\", "'", "''", "\"", "\"\"", "-- ", "#", "/*", "*/", "\n", "?", "ä", "`"];
const BETWEEN: &[&str] = &[
    " ",
    "\n",
    "\t",
    "-- x\n",
    "--\u{1}\n",
    "--x\n",
    "# '\n",
    "/* ' */",
    "/*!+1*/",
    "/*!50000 +1 */",
    "/* ? */",
    "/**/",
    "\x0B",
];
