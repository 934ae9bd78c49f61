//! Finds an installed server program, determines its vendor and version, and finds the client program next to it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use inrush_core::{Error, Kind, Result};
use serde::{Deserialize, Serialize};

/// The vendor of a server.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Vendor {
    Mysql,
    Mariadb,
}

impl Vendor {
    /// As people write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Mysql => "MySQL",
            Self::Mariadb => "MariaDB",
        }
    }
}

/// A server program with its version.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    vendor: Vendor,
    version: String,
}

impl Program {
    /// The program that INRUSH_MYSQLD names, else the first `mysqld` or `mariadbd` in PATH and the common folders.
    pub(super) fn find() -> Result<Self> {
        let path = match env::var_os("INRUSH_MYSQLD").filter(|named| !named.is_empty()) {
            Some(named) => named_program(PathBuf::from(named))?,
            None => installed(&["mysqld", "mariadbd"]).ok_or_else(no_program)?,
        };
        let printed = output_of(&path, &["--no-defaults", "--version"])?;
        let (vendor, version) = parse_version(&printed).ok_or_else(|| {
            Error::config(format!(
                "`{}` is no MySQL or MariaDB server: it says `{}`",
                path.display(),
                first_line(&printed)
            ))
            .with_hint(
                "INRUSH_MYSQLD must name a `mysqld` or `mariadbd`, or a script that starts one with its arguments",
            )
        })?;
        Ok(Self { path, vendor, version })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn vendor(&self) -> Vendor {
        self.vendor
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The folders in which MariaDB may keep the statements that make its system tables, best first.
    pub(super) fn share_folders(&self) -> Result<Vec<PathBuf>> {
        let help = output_of(&self.path, &["--no-defaults", "--verbose", "--help"])?;
        let mut folders: Vec<_> = option_value(&help, "lc-messages-dir").map(PathBuf::from).into_iter().collect();
        if let Some(base) = option_value(&help, "basedir").map(PathBuf::from) {
            folders.extend(["share", "share/mysql", "share/mariadb"].map(|share| base.join(share)));
        }
        Ok(folders)
    }
}

/// The client program of a vendor: in the folder of the server's, else in PATH.
pub(crate) fn client_program(vendor: Vendor) -> Option<PathBuf> {
    let names = match vendor {
        Vendor::Mysql => ["mysql", "mariadb"],
        Vendor::Mariadb => ["mariadb", "mysql"],
    };
    let beside = env::var_os("INRUSH_MYSQLD").and_then(|named| Path::new(&named).parent().map(Path::to_owned));
    let near = beside.iter().flat_map(|folder| names.map(|name| folder.join(name))).find(|path| is_program(path));
    near.or_else(|| installed(&names))
}

fn named_program(path: PathBuf) -> Result<PathBuf> {
    if is_program(&path) {
        return Ok(path);
    }
    Err(Error::config(format!("INRUSH_MYSQLD names `{}`, which is no program", path.display()))
        .with_hint("give the full path of a `mysqld` or `mariadbd`"))
}

fn no_program() -> Error {
    Error::config("no `mysqld` and no `mariadbd` on this machine")
        .with_hint("`apt-get install mariadb-server-core` brings one, or INRUSH_MYSQLD names one elsewhere")
}

/// The first of `names` in PATH, then in folders that PATH of an ordinary user often lacks.
fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(USUAL_FOLDERS.iter().map(PathBuf::from));
    folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Runs the program and returns its output.
fn output_of(path: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::io(format!("cannot run `{}`", path.display()), e))?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(Kind::Io, format!("`{}` does not run: {}", path.display(), first_line(&printed))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `mysqld  Ver 9.7.4 for Linux on x86_64` has the version after `Ver`; MariaDB's contains its name.
fn parse_version(said: &str) -> Option<(Vendor, String)> {
    let version = said.split_once("Ver ")?.1.split_whitespace().next()?;
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let vendor = if said.contains("MariaDB") { Vendor::Mariadb } else { Vendor::Mysql };
    Some((vendor, version.to_owned()))
}

/// A line of the table at the end of `--verbose --help`.
fn option_value<'a>(help: &'a str, name: &str) -> Option<&'a str> {
    let value = help.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?.trim();
    (!value.is_empty() && !value.starts_with('(')).then_some(value)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

const USUAL_FOLDERS: &[&str] =
    &["/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/usr/local/libexec", "/usr/local/mysql/bin", "/opt/mysql/bin"];

#[cfg(test)]
mod tests;
