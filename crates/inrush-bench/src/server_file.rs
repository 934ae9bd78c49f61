//! Files that the server reads itself, for LOAD DATA without LOCAL: possible where client and server share a machine and the server lets
//! its user read files. A file goes when its value goes.

use inrush::blocking::Connection;
use inrush::sans_io::column::text_literal::quote_text;
use inrush::sans_io::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A file in a folder that the server reads.
#[derive(Debug)]
pub struct ServerFile(PathBuf);

impl ServerFile {
    /// Writes it, readable for all users.
    ///
    /// # Errors
    /// `Io`.
    pub fn write(folder: &Path, content: &[u8]) -> Result<Self> {
        Self::fill(folder, |file| file.write_all(content))
    }

    /// Puts a file of ours where the server reads it, and makes it readable for all users: a link on the same file system, else a copy.
    ///
    /// # Errors
    /// `Io`.
    pub fn copy(folder: &Path, from: &Path) -> Result<Self> {
        let path = new_path(folder);
        if fs::hard_link(from, &path).is_ok() {
            let linked = Self(path);
            if fs::set_permissions(&linked.0, Permissions::from_mode(0o644)).is_ok() {
                return Ok(linked);
            }
        }
        Self::fill(folder, |file| std::io::copy(&mut File::open(from)?, file).map(drop))
    }

    fn fill(folder: &Path, content: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<Self> {
        let path = new_path(folder);
        let failed = |e| Error::io(format!("cannot write `{}`", path.display()), e);
        let mut file = File::create_new(&path).map_err(failed)?;
        let made = Self(path.clone());
        content(&mut file).map_err(failed)?;
        file.set_permissions(Permissions::from_mode(0o644)).map_err(failed)?;
        Ok(made)
    }

    /// The statement that reads it into `table` (quoted), as fields with tabs between them.
    pub fn load_into(&self, table: &str, columns: &str) -> String {
        format!("LOAD DATA INFILE {} INTO TABLE {table} CHARACTER SET utf8mb4 ({columns})", self.quoted())
    }

    /// The same of a CSV file with a header.
    pub fn load_csv_into(&self, table: &str, columns: &str) -> String {
        format!(
            "LOAD DATA INFILE {} INTO TABLE {table} CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' \
             LINES TERMINATED BY '\\n' IGNORE 1 LINES ({columns})",
            self.quoted()
        )
    }

    /// Its name, for a statement.
    fn quoted(&self) -> String {
        let mut quoted = Vec::new();
        quote_text(self.0.as_os_str().as_encoded_bytes(), true, &mut quoted);
        String::from_utf8_lossy(&quoted).into_owned()
    }
}

fn new_path(folder: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    folder.join(format!("inrush-bench-{}-{}.tsv", std::process::id(), NUMBER.fetch_add(1, Relaxed)))
}

impl Drop for ServerFile {
    fn drop(&mut self) {
        // In a folder for such files; the error cannot be reported any more.
        let _ = fs::remove_file(&self.0);
    }
}

/// A folder in which the server reads the files that we write; or the reason why no folder works.
pub fn folder(connection: &mut Connection) -> Result<PathBuf, String> {
    let sql = "SELECT @@secure_file_priv, @@tmpdir";
    let (secure, temporary): (Option<String>, String) = connection.query_one(sql, ()).map_err(|e| e.to_string())?;
    let folder = PathBuf::from(secure.filter(|secure| !secure.is_empty()).unwrap_or(temporary));
    let file = ServerFile::write(&folder, b"1").map_err(|_| {
        format!("it reads files in `{}`, where we cannot write (is the server on this machine?)", folder.display())
    })?;
    let read: Option<Vec<u8>> =
        connection.query_one(&format!("SELECT LOAD_FILE({})", file.quoted()), ()).map_err(|e| e.to_string())?;
    match read.as_deref() {
        Some(b"1") => Ok(folder),
        _ => Err("the server does not let this user read files (`FILE`, `secure_file_priv`)".into()),
    }
}
