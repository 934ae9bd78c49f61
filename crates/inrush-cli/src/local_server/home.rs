//! The folder of a local server: its owner, its files, its lock, its password, and how the server was started.
//!
//! ```text
//! made-by-inrush   the marker; without it nothing here is changed
//! lock             held while one command works on the folder
//! password         the password of root, readable by its owner only; client.cnf the same for client programs
//! state.json       port and version of the last start
//! my.cnf init.sql  files that the server reads; initialise.cnf while the data are created
//! data/ data.json  the rows, and the server that created them: written when they are complete
//! files/ tmp/      for LOAD DATA INFILE on the server, and for the server's own files
//! mysqld.sock mysqld.pid error.log
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, lchown};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use inrush_core::{Error, Kind, Result};
use rand::RngExt as _;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::program::{Program, Vendor};

/// The folder, by its absolute path.
#[derive(Clone, Debug)]
pub(super) struct Home {
    folder: PathBuf,
}

/// How the server was started the last time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct State {
    pub(super) port: u16,
    pub(super) vendor: Vendor,
    pub(super) version: String,
}

/// The default folder of a server.
pub(crate) fn default_folder() -> Result<PathBuf> {
    // Root's server runs as another account, which cannot enter root's own folders.
    if rustix::process::geteuid().is_root() {
        return Ok(PathBuf::from("/var/lib/inrush/server"));
    }
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    data.map(|data| data.join("inrush/server"))
        .ok_or_else(|| Error::config("neither HOME nor XDG_DATA_HOME is set").with_hint("name a folder with `--dir`"))
}

impl Home {
    /// The folder of that name, which need not exist. Links are resolved, so that the same folder under two names is
    /// recognised as one.
    pub(super) fn at(folder: &Path) -> Result<Self> {
        let failed = |e| Error::io(format!("cannot use the folder `{}`", folder.display()), e);
        let absolute = std::path::absolute(folder).map_err(failed)?;
        let mut resolved = PathBuf::new();
        for part in absolute.components() {
            match part {
                // What comes before it is resolved, so it means the folder above.
                Component::ParentDir => {
                    resolved.pop();
                }
                part => resolved.push(part),
            }
            if resolved.exists() {
                resolved = resolved.canonicalize().map_err(failed)?;
            }
        }
        Ok(Self { folder: resolved })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("mysqld.sock")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path("error.log")
    }

    pub(super) fn password_file(&self) -> PathBuf {
        self.path("password")
    }

    pub(super) fn client_config(&self) -> PathBuf {
        self.path("client.cnf")
    }

    /// Whether inrush created this folder.
    pub(super) fn is_ours(&self) -> bool {
        self.path(MARKER).is_file()
    }

    /// Creates the folder with its marker, or finds it; refuses a folder with other files.
    pub(super) fn claim(&self, account: Option<&Account>) -> Result<()> {
        let failed = |e| Error::io(format!("cannot make the folder `{}`", self.folder.display()), e);
        let n_bytes = self.socket().as_os_str().len();
        if n_bytes > MAX_SOCKET_PATH {
            return Err(Error::config(format!(
                "`{}` is {n_bytes} bytes long, a socket's path can have {MAX_SOCKET_PATH}",
                self.socket().display()
            ))
            .with_hint("name a shorter folder with `--dir`"));
        }
        if let Some(account) = account {
            account.check_reach(&self.folder)?;
        }
        if !self.is_ours() {
            match fs::read_dir(&self.folder).map(Iterator::count) {
                // Checked again: another start may have created the marker meanwhile.
                Ok(n_entries) if n_entries > 0 && !self.is_ours() => {
                    return Err(Error::config(format!(
                        "`{}` holds files that inrush did not make",
                        self.folder.display()
                    ))
                    .with_hint("nothing was touched; name a new or empty folder with `--dir`"));
                }
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::NotFound => {
                    if let Some(above) = self.folder.parent() {
                        fs::create_dir_all(above).map_err(failed)?;
                    }
                    match fs::DirBuilder::new().mode(0o700).create(&self.folder) {
                        // Another start may have been faster.
                        Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(failed(e)),
                        _ => {}
                    }
                }
                Err(e) => return Err(failed(e)),
            }
            let marker = OpenOptions::new().create_new(true).write(true).open(self.path(MARKER));
            match marker.and_then(|mut marker| marker.write_all(MARKER_TEXT.as_bytes())) {
                // Another start may have been faster.
                Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(failed(e)),
                _ => {}
            }
        }
        fs::set_permissions(&self.folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        give(&self.folder, account)?;
        for name in ["files", "tmp"] {
            fs::create_dir_all(self.path(name)).map_err(failed)?;
            give(&self.path(name), account)?;
        }
        Ok(())
    }

    /// Waits for other processes that work on the folder. The lock ends with the returned file.
    pub(super) fn lock(&self, patience: Duration) -> Result<File> {
        let path = self.path("lock");
        let failed = |e: std::io::Error| Error::io(format!("cannot lock `{}`", path.display()), e);
        let file = no_link(OpenOptions::new().create(true).truncate(false).write(true)).open(&path).map_err(failed)?;
        let deadline = Instant::now() + patience;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    return Err(Error::new(Kind::Io, format!("another inrush works on `{}`", self.folder.display()))
                        .with_hint("wait for it, or look for an `inrush server` that hangs"));
                }
                Err(e) => return Err(failed(e.into())),
            }
        }
    }

    /// The password, generated at the first call.
    pub(super) fn password(&self) -> Result<String> {
        let path = self.password_file();
        match fs::read_to_string(&path) {
            Ok(text) if is_password(text.trim_end()) => return Ok(text.trim_end().to_owned()),
            // Cut short by a crash, or edited: a start sets the new one.
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io(format!("cannot read `{}`", path.display()), e)),
        }
        let mut random = rand::rng();
        let password: String =
            (0..PASSWORD_LENGTH).map(|_| char::from(random.sample(rand::distr::Alphanumeric))).collect();
        self.write_private("password", &format!("{password}\n"))?;
        Ok(password)
    }

    pub(super) fn state(&self) -> Option<State> {
        serde_json::from_str(&fs::read_to_string(self.path("state.json")).ok()?).ok()
    }

    pub(super) fn write_state(&self, port: u16, program: &Program) -> Result<()> {
        let state = State { port, vendor: program.vendor(), version: program.version().to_owned() };
        let text = serde_json::to_string(&state).map_err(|e| Error::io("cannot write the server's state", e.into()))?;
        self.write_private("state.json", &text)
    }

    /// Writes a file that only its owner can read, whole or not at all.
    pub(super) fn write_private(&self, name: &str, text: &str) -> Result<()> {
        self.write_for_server(name, text, None)
    }

    /// The same for a file that the server must be able to read as well.
    pub(super) fn write_for_server(&self, name: &str, text: &str, account: Option<&Account>) -> Result<()> {
        let (path, new) = (self.path(name), self.path(&format!("{name}.new")));
        let failed = |e| Error::io(format!("cannot write `{}`", path.display()), e);
        // The server's account may create anything in its folder, such as a link; files of a crashed run must be removed too.
        match fs::remove_file(&new) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
        let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        give(&new, account)?;
        fs::rename(&new, &path).map_err(failed)
    }
}

/// Opens a file only if its name is not a link: the folder may belong to the server's account.
pub(super) fn no_link(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
}

/// Hands a file to the server's account, and no file that a link points at.
pub(super) fn give(path: &Path, account: Option<&Account>) -> Result<()> {
    let Some(account) = account else { return Ok(()) };
    lchown(path, Some(account.uid), Some(account.gid))
        .map_err(|e| Error::io(format!("cannot give `{}` to `{}`", path.display(), account.name), e))
}

fn is_password(text: &str) -> bool {
    text.len() == PASSWORD_LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

const MARKER: &str = "made-by-inrush";
const MARKER_TEXT: &str = "This folder was made by `inrush server start` and belongs to it. Stop the server (`inrush server stop`), then it may be removed.\n";

/// 24 letters and digits: 142 bits, and nothing that needs quoting anywhere.
const PASSWORD_LENGTH: usize = 24;

/// What Linux lets a socket's address hold, less the final zero.
const MAX_SOCKET_PATH: usize = 107;

#[cfg(test)]
mod tests;
