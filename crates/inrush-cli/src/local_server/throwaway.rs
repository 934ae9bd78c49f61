//! A server that goes with its value, data and all.

use super::{LocalServer, StartOptions};
use inrush::Config;
use inrush_core::Result;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A local server in a folder for temporary files. Dropping it stops it and removes the folder.
pub(crate) struct Throwaway {
    server: LocalServer,
    folder: PathBuf,
}

impl Throwaway {
    /// One that does not run yet, in a folder `inrush-<name>-<process id>` in `above`.
    pub(crate) fn new(above: &Path, name: &str) -> Result<Self> {
        let folder = above.join(format!("inrush-{name}-{}", std::process::id()));
        Ok(Self { server: LocalServer::at(&folder)?, folder })
    }

    /// Starts it with these lines of the option file, and `memory` for the buffer pool. One that runs is stopped first; its data stay, and
    /// its address.
    ///
    /// # Errors
    /// Those of stopping and starting.
    pub(crate) fn start(&self, memory: Option<u64>, set: Vec<String>) -> Result<()> {
        self.server.stop(PATIENCE)?;
        self.server.start(&StartOptions { port: None, memory, set, patience: PATIENCE }).map(drop)
    }

    /// The way to it.
    ///
    /// # Errors
    /// `Io` if its password cannot be read.
    pub(crate) fn config(&self) -> Result<Config> {
        Ok(Config::new().with_socket(self.server.socket()).with_user("root").with_password(self.server.password()?))
    }

    /// Stops and removes what processes left in `above` that were killed before they could.
    pub(crate) fn sweep(above: &Path, name: &str) {
        let prefix = format!("inrush-{name}-");
        for entry in std::fs::read_dir(above).into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|file| file.strip_prefix(&prefix)?.parse::<u32>().ok());
            let is_dead = pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists());
            if let (true, Ok(server)) = (is_dead, LocalServer::at(&entry.path()))
                && server.home.is_ours()
            {
                drop(Self { server, folder: entry.path() });
            }
        }
    }
}

impl Drop for Throwaway {
    fn drop(&mut self) {
        // The error cannot be reported any more.
        if self.server.stop(PATIENCE).is_ok() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(120);
