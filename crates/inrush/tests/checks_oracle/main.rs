//! The column checks against real servers: what a check lets through is stored as meant, what it refuses would have been refused or
//! bent.
//!
//! | word | our verdict | what the servers must do with it |
//! |---|---|---|
//! | [`stores`] | good | strict INSERT and LOAD DATA LOCAL store exactly this, without a word |
//! | [`refuses`] | bad | strict INSERT of the raw text fails or warns or stores something else, on every server |
//! | [`stricter`] | bad | some server stores it as it is: we refuse what is not such a value by its own definition |
//!
//! What the statements themselves do (NULL, empty lines, NO_BACKSLASH_ESCAPES) is in `statements.rs`. What changes although a check lets it through is in `changes.rs`, and in docs/what-the-server-changes.md.

#![allow(clippy::unwrap_used, clippy::panic)]

mod changes;
mod character_sets;
mod numbers;
mod oracle;
mod others;
mod statements;
mod texts;
mod times;
mod values;
mod ways;
mod ways_of_loads;

use oracle::Oracle;

/// Every cell passes its check, and is stored as the text beside it, by both methods, on every server.
#[track_caller]
fn stores(ty: &str, cells: &[(&str, &str)]) {
    for oracle in Oracle::on_all(ty) {
        oracle.check_stored(cells);
    }
}

/// The same where the text stays as it is.
#[track_caller]
fn stores_as_is(ty: &str, cells: &[&str]) {
    let pairs: Vec<(&str, &str)> = cells.iter().map(|cell| (*cell, *cell)).collect();
    stores(ty, &pairs);
}

/// Every cell is bad, and no server would have stored it as it is without a word.
#[track_caller]
fn refuses(ty: &str, cells: &[&str]) {
    for oracle in Oracle::on_all(ty) {
        for cell in cells {
            oracle.check_refused(cell.as_bytes());
        }
    }
}

/// Every cell is bad, although the named server (a part of its name) would store it.
#[track_caller]
fn stricter(server: &str, ty: &str, cells: &[&str]) {
    let oracles = Oracle::on_all(ty);
    let named: Vec<&Oracle> = oracles.iter().filter(|oracle| oracle.server_name().contains(server)).collect();
    assert!(!named.is_empty(), "no server is called {server}");
    for oracle in named {
        for cell in cells {
            oracle.check_stricter(cell.as_bytes());
        }
    }
}
