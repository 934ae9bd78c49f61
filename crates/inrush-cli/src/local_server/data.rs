//! Makes a data folder, and decides whether one may be used.
//!
//! `data.json` is written last: a folder `data` without it is the remains of an interrupted start, has no rows
//! of users, and is created again.

use std::fs;
use std::path::PathBuf;

use inrush_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::config;
use super::home::{Home, give};
use super::process;
use super::program::{Program, Vendor};

/// The server that created the data.
#[derive(Debug, Deserialize, Serialize)]
struct Maker {
    vendor: Vendor,
    version: String,
    /// The options that its data were made with, and that each start needs.
    #[serde(default)]
    set: Vec<String>,
}

pub(super) fn is_complete(home: &Home) -> bool {
    maker(home).is_some()
}

/// Makes the data unless they exist; refuses data of another vendor or of a newer server. Of the options in `set`, those are heeded that only
/// making the data can choose; returned are those that these data were made with.
pub(super) fn provide(
    home: &Home,
    program: &Program,
    account: Option<&Account>,
    set: &[String],
) -> Result<Vec<String>> {
    if let Some(maker) = maker(home) {
        check_maker(home, &maker, program.vendor(), program.version())?;
        return Ok(maker.set);
    }
    let failed = |e| Error::io(format!("cannot make `{}`", home.data().display()), e);
    match fs::remove_dir_all(home.data()) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
    fs::create_dir(home.data()).map_err(failed)?;
    give(&home.data(), account)?;
    let set: Vec<String> = set.iter().filter(|line| config::is_of_data(line)).cloned().collect();
    home.write_for_server("initialise.cnf", &config::initialise_options(home, &set)?, account)?;
    match program.vendor() {
        Vendor::Mysql => process::run(home, program, account, &["--initialize-insecure"], "")?,
        Vendor::Mariadb => {
            let statements = system_tables(program)?;
            process::run(
                home,
                program,
                account,
                &["--bootstrap", "--skip-networking", "--max-allowed-packet=8M"],
                &statements,
            )?;
        }
    }
    let maker = Maker { vendor: program.vendor(), version: program.version().to_owned(), set };
    let text = serde_json::to_string(&maker).map_err(|e| failed(e.into()))?;
    home.write_private("data.json", &text)?;
    Ok(maker.set)
}

fn maker(home: &Home) -> Option<Maker> {
    if !home.data().is_dir() {
        return None;
    }
    serde_json::from_str(&fs::read_to_string(home.path("data.json")).ok()?).ok()
}

fn check_maker(home: &Home, maker: &Maker, vendor: Vendor, version: &str) -> Result<()> {
    let is_older = release(version) < release(&maker.version);
    if maker.vendor == vendor && !is_older {
        return Ok(());
    }
    Err(Error::config(format!(
        "`{}` was created by {} {}, and this machine's server is {} {version}",
        home.folder().display(),
        maker.vendor.title(),
        maker.version,
        vendor.title(),
    ))
    .with_hint("name the old program with INRUSH_MYSQLD, or another folder with `--dir`"))
}

/// `10.11.19-MariaDB-0` is of the release 10.11.
fn release(version: &str) -> (u32, u32) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// The statements with which MariaDB's own installer fills an empty folder, one a line, as `--bootstrap` requires.
fn system_tables(program: &Program) -> Result<String> {
    let folders = program.share_folders()?;
    let find = |names: &[String]| -> Option<PathBuf> {
        folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| path.is_file())
    };
    let mut statements = String::from("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n");
    for part in PARTS {
        // Older releases call their scripts mysql_.., newer ones mariadb_..
        let names = [(*part).to_owned(), format!("mariadb_{part}"), format!("mysql_{part}")];
        let path = find(&names).ok_or_else(|| {
            Error::config(format!("MariaDB's script `{part}` is not in any of its folders"))
                .with_hint("the package of the server is incomplete: install it anew")
        })?;
        let text = fs::read_to_string(&path).map_err(|e| Error::io(format!("cannot read `{}`", path.display()), e))?;
        statements.push_str(&text);
        statements.push('\n');
    }
    // The scripts leave a root without a password for every name of this machine.
    statements.push_str("DELETE FROM mysql.global_priv WHERE User = 'root' AND Host <> 'localhost';\n");
    Ok(statements)
}

const PARTS: &[&str] = &[
    "system_tables.sql",
    "performance_tables.sql",
    "system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "sys_schema.sql",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(made_by: (Vendor, &str), program: (Vendor, &str), want: bool) {
        let home = Home::at(std::path::Path::new("/nowhere")).unwrap();
        let maker = Maker { vendor: made_by.0, version: made_by.1.into(), set: Vec::new() };
        assert_eq!(check_maker(&home, &maker, program.0, program.1).is_ok(), want);
    }

    #[test]
    fn the_same_release() {
        check((Vendor::Mysql, "9.7.4"), (Vendor::Mysql, "9.7.2"), true)
    }
    #[test]
    fn a_newer_server_takes_over() {
        check((Vendor::Mariadb, "10.11.19-MariaDB-0"), (Vendor::Mariadb, "11.8.9-MariaDB-4"), true)
    }
    #[test]
    fn an_older_server_does_not() {
        check((Vendor::Mariadb, "11.8.9-MariaDB-4"), (Vendor::Mariadb, "10.11.19-MariaDB-0"), false)
    }
    #[test]
    fn ten_is_more_than_nine() {
        check((Vendor::Mysql, "10.0.1"), (Vendor::Mysql, "9.9.9"), false)
    }
    #[test]
    fn another_vendor_does_not() {
        check((Vendor::Mysql, "9.7.4"), (Vendor::Mariadb, "11.8.9-MariaDB"), false)
    }
}
