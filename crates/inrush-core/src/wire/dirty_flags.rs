//! Session changes by a command that the server does not report.
//!
//! Servers report most changes of a session (`session_track_state_change`). The changes that none of the tested servers reports
//! (docs/notes/session-state.md) are found in the command itself: user variables set by `SELECT`, `CREATE TEMPORARY TABLE ..
//! SELECT`, locks, `HANDLER`, `XA`, roles, `SET TRANSACTION`. In doubt a flag is set: a needless reset costs a round trip, a
//! missed one passes a held lock on to the next user. Locks taken by a stored routine or a trigger do not show in any text.

use crate::sql::{Dialect, Lexeme, Lexer, is_word};

/// What the commands since the last clean-up may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyFlags {
    /// Something that a reset removes.
    pub state: bool,
    /// Another account, or another role: a reset keeps both, and MariaDB's change of user keeps the role.
    pub identity: bool,
    /// `SET TRANSACTION`: holds until the next transaction begins.
    pub next_transaction: bool,
    /// A procedure was called, or prepared to be. What it did before it failed, MariaDB never reports.
    pub calls: bool,
}

impl DirtyFlags {
    /// Checks the payload of a command. `multi`: a text may hold several statements.
    pub fn look_at(&mut self, command: &[u8], multi: bool) {
        match command {
            [COM_CHANGE_USER, ..] => self.identity = true,
            // It also ends the server's reports.
            [COM_RESET_CONNECTION] => self.state = true,
            [COM_QUERY | COM_STMT_PREPARE, sql @ ..] => self.look_at_text(sql, multi),
            _ => {}
        }
    }

    fn look_at_text(&mut self, sql: &[u8], multi: bool) {
        self.look_at_start(sql);
        for at in memchr::memchr3_iter(b'@', b'k', b'K', sql) {
            match sql[at] {
                b'@' => self.state |= is_user_variable(sql, at),
                _ => self.state |= is_lock_call(sql, at),
            }
        }
        if multi {
            // The text after a semicolon inside a literal is checked as well: at worst it costs a reset.
            memchr::memchr_iter(b';', sql).for_each(|at| self.look_at_start(&sql[at + 1..]));
        }
    }

    /// Checks the first words of a statement.
    fn look_at_start(&mut self, sql: &[u8]) {
        let mut words = Words::new(sql);
        let first = words.next().unwrap_or_default();
        let is = |word: &[u8], want: &str| word.eq_ignore_ascii_case(want.as_bytes());
        // The first letter rules out most statements.
        match first.first().map(u8::to_ascii_lowercase) {
            Some(b'l') => self.state |= is(first, "lock"),
            // A ROLLBACK does not end such a transaction.
            Some(b'x') => self.state |= is(first, "xa"),
            Some(b'h') => self.state |= is(first, "handler"),
            Some(b'f') => self.state |= is(first, "flush"),
            // `BACKUP LOCK`, `BACKUP STAGE`; `BEGIN NOT ATOMIC` is a whole program.
            Some(b'b') if is(first, "backup") => self.state = true,
            Some(b'b') if is(first, "begin") => {
                self.next_transaction = false;
                self.state |= words.next().is_some_and(|word| is(word, "not"));
            }
            Some(b'e') if is(first, "execute") => (self.state, self.identity) = (true, true),
            Some(b'c') if is(first, "call") => self.calls = true,
            Some(b'c') if is(first, "create") => {
                // CREATE [OR REPLACE] TEMPORARY ..
                self.state |= words.take(3).any(|word| is(word, "temporary"));
            }
            Some(b's') if is(first, "set") => {
                let second = words.next().unwrap_or_default();
                self.identity |= is(second, "role");
                self.next_transaction |= is(second, "transaction");
            }
            Some(b's') if is(first, "start") => self.next_transaction = false,
            _ => {}
        }
    }
}

/// Whether a text may change the settings under which the server prepared a statement: the schema of names without one, the
/// meaning of literals and operators (`sql_mode`), their character set. `multi`: it may hold several statements. `schema`: the
/// current default one.
pub(crate) fn outdates_statements(sql: &[u8], multi: bool, schema: Option<&str>) -> bool {
    let mut behind = memchr::memchr_iter(b';', sql).take_while(|_| multi);
    outdates_at_start(sql, schema) || behind.any(|at| outdates_at_start(&sql[at + 1..], schema))
}

fn outdates_at_start(sql: &[u8], schema: Option<&str>) -> bool {
    // Most statements begin with another letter.
    if !matches!(sql.first(), Some(b's' | b'S' | b'u' | b'U' | b'/' | b'#' | b'-' | b'(' | ..=b' ')) {
        return false;
    }
    let mut words = Words::new(sql);
    let Some(first) = words.next() else { return false };
    if first.eq_ignore_ascii_case(b"use") {
        let name = words.rest().trim_ascii();
        let name = name.strip_suffix(b";").unwrap_or(name).trim_ascii();
        let name = name.strip_prefix(b"`").and_then(|name| name.strip_suffix(b"`")).unwrap_or(name);
        return schema.map(str::as_bytes) != Some(name);
    }
    first.eq_ignore_ascii_case(b"set") && {
        let second = words.next().unwrap_or_default();
        let names: [&[u8]; 3] = [b"names", b"character", b"charset"];
        let settings: [&[u8]; 3] = [b"sql_mode", b"collation_", b"character_set_"];
        let sql = sql.to_ascii_lowercase();
        names.iter().any(|name| second.eq_ignore_ascii_case(name))
            || settings.iter().any(|setting| memchr::memmem::find(&sql, setting).is_some())
    }
}

/// The words at the start of a statement, without blanks and comments; ends at anything else. The content of a comment that servers
/// execute is part of the statement.
struct Words<'a> {
    sql: &'a [u8],
    lexer: Lexer<'a>,
    /// Where the last word ends.
    end: usize,
}

impl<'a> Words<'a> {
    fn new(sql: &'a [u8]) -> Self {
        Self { sql, lexer: Lexer::new(sql, Dialect::default()), end: 0 }
    }

    /// What follows the last word.
    fn rest(&self) -> &'a [u8] {
        &self.sql[self.end..]
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let token = self.lexer.next()?;
            match token.lexeme {
                Lexeme::Word => {
                    self.end = token.range.end;
                    return Some(&self.sql[token.range]);
                }
                Lexeme::Blank | Lexeme::Comment | Lexeme::OpenCondition | Lexeme::CloseCondition => {}
                Lexeme::Symbol(b'(') => {}
                Lexeme::Quoted(_) | Lexeme::Unclosed(_) | Lexeme::Symbol(_) => return None,
            }
        }
    }
}

/// `@name`, but neither `@@name` nor the at sign of an address. Reading a variable counts as well: the code that sets it may be
/// elsewhere.
fn is_user_variable(sql: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| sql[at]);
    let after = sql.get(at + 1);
    let starts = before.is_none_or(|byte| !is_word(byte) && !matches!(byte, b'@' | b'\'' | b'"' | b'`'));
    starts && after.is_some_and(|&byte| is_word(byte) || matches!(byte, b'\'' | b'"' | b'`' | b'.'))
}

/// The k of a function whose name ends with `_lock` or `_locks`: `GET_LOCK(`, `service_get_write_locks(`.
fn is_lock_call(sql: &[u8], at: usize) -> bool {
    let rest = sql[at + 1..].trim_ascii_start();
    let behind = match sql.get(at + 1) {
        Some(b's' | b'S') => sql[at + 2..].trim_ascii_start(),
        _ => rest,
    };
    at >= 4 && sql[at - 4..at].eq_ignore_ascii_case(b"_loc") && matches!(behind.first(), Some(b'(' | b'`' | b'/'))
}

const COM_QUERY: u8 = 0x03;
const COM_CHANGE_USER: u8 = 0x11;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_RESET_CONNECTION: u8 = 0x1F;

#[cfg(test)]
mod tests;
