//! A MySQL or MariaDB server of one's own: found among the installed programs, started in a folder that belongs to
//! inrush, stopped in order.
//!
//! | file | purpose |
//! |---|---|
//! | [`program`] | finds the server's program, its vendor and version, and the client program |
//! | [`home`] | the folder: its owner, its files, the lock, the password |
//! | [`account`] | the account that the server runs as when root starts it |
//! | [`config`] | the texts that the server reads: options, first statements |
//! | [`data`] | makes and checks the data folder |
//! | [`process`] | starts the process, recognises it, waits for it, stops it |
//! | [`throwaway`] | one that goes with its value |
//!
//! Invariants: nothing is written into a folder, and nothing in it removed, unless its marker shows that inrush created it. A process
//! is the server only if its command line names the option file, so a recycled process id is never taken for it.
//! One command at a time works on a folder (a lock), so each step may be interrupted at any point and the next `start`
//! finishes or repeats it.

mod account;
mod config;
mod data;
mod home;
mod process;
mod program;
mod throwaway;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inrush_core::{Error, Kind, Result};

use account::Account;
use home::Home;
pub(crate) use home::default_folder;
use program::Program;
pub(crate) use program::{Vendor, client_program};
pub(crate) use throwaway::Throwaway;

/// A local server, running or not, known by its folder.
#[derive(Debug)]
pub(crate) struct LocalServer {
    home: Home,
}

/// What can be chosen at a start.
#[derive(Clone, Debug)]
pub(crate) struct StartOptions {
    /// The port, or any free one.
    pub(crate) port: Option<u16>,
    /// Buffer pool size in bytes, or a share of the machine's memory.
    pub(crate) memory: Option<u64>,
    /// More lines for the option file, `name=value`.
    pub(crate) set: Vec<String>,
    /// How long to wait for the first answer.
    pub(crate) patience: Duration,
}

/// A server that answers.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) pid: i32,
    pub(crate) port: u16,
    pub(crate) vendor: Vendor,
    pub(crate) version: String,
}

/// What a start found or did.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) running: Running,
    /// False if it ran before.
    pub(crate) is_new: bool,
}

/// The vendor and version of the server program that a start would run.
///
/// # Errors
/// `Config` if there is none.
pub(crate) fn installed() -> Result<(Vendor, String)> {
    let program = Program::find()?;
    Ok((program.vendor(), program.version().to_owned()))
}

impl LocalServer {
    /// The server of a folder; nothing is touched yet.
    pub(crate) fn at(folder: &Path) -> Result<Self> {
        Ok(Self { home: Home::at(folder)? })
    }

    /// Starts it, or finds it started. Makes the folder and its data if need be.
    pub(crate) fn start(&self, options: &StartOptions) -> Result<Started> {
        let program = Program::find()?;
        let account = Account::for_server()?;
        self.home.claim(account.as_ref())?;
        let _lock = self.home.lock(options.patience)?;
        if let Some(pid) = process::find(&self.home) {
            if !data::is_complete(&self.home) {
                // An earlier start was killed while its server created the data; the incomplete data are removed below.
                process::kill_and_wait(pid)?;
            } else if process::await_answer(&self.home, pid, options.patience)? {
                if let Some(set) = options.set.first() {
                    return Err(Error::config(format!(
                        "the server runs already, so `--set {set}` would change nothing"
                    ))
                    .with_hint("`inrush server stop` first; or SET GLOBAL, where the option can be changed so"));
                }
                return Ok(Started { running: self.running(pid)?, is_new: false });
            }
        }
        process::await_exit_of_last(&self.home);
        let of_data = data::provide(&self.home, &program, account.as_ref(), &options.set)?;
        let password = self.home.password()?;
        // What was given now comes last, so that the server says what does not fit.
        let given = options.set.iter().filter(|line| !of_data.contains(line)).cloned();
        let options = StartOptions { set: of_data.iter().cloned().chain(given).collect(), ..options.clone() };
        let pid = self.launch(&program, account.as_ref(), &options, &password)?;
        Ok(Started { running: self.running(pid)?, is_new: true })
    }

    /// The server if it runs; one that runs and does not answer is an error.
    pub(crate) fn find(&self) -> Result<Option<Running>> {
        if !self.home.is_ours() {
            return Ok(None);
        }
        let Some(pid) = process::find(&self.home) else {
            return Ok(None);
        };
        if process::answers(&self.home) {
            return self.running(pid).map(Some);
        }
        let message = format!("the server in `{}` runs (pid {pid}) but does not answer", self.folder().display());
        Err(Error::new(Kind::Server, message).with_hint(format!(
            "it may be starting, recovering or stopping; its log is `{}`",
            self.home.log().display()
        )))
    }

    /// Stops it in order; false if it did not run.
    pub(crate) fn stop(&self, patience: Duration) -> Result<bool> {
        if !self.home.is_ours() {
            return Ok(false);
        }
        let _lock = self.home.lock(patience)?;
        let Some(pid) = process::find(&self.home) else {
            return Ok(false);
        };
        process::terminate(&self.home, pid, patience)?;
        Ok(true)
    }

    /// Its folder, with every link resolved.
    pub(crate) fn folder(&self) -> &Path {
        self.home.folder()
    }

    /// The Unix socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.home.socket()
    }

    /// A file whose only line is the password of `root`.
    pub(crate) fn password_file(&self) -> PathBuf {
        self.home.password_file()
    }

    /// An option file for client programs.
    pub(crate) fn client_file(&self) -> PathBuf {
        self.home.client_config()
    }

    /// The server's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.home.log()
    }

    /// The password of `root`.
    pub(crate) fn password(&self) -> Result<String> {
        self.home.password()
    }

    fn running(&self, pid: i32) -> Result<Running> {
        let state = self.home.state().ok_or_else(|| {
            Error::new(Kind::Io, format!("`{}` has no record of how its server was started", self.folder().display()))
                .with_hint("`inrush server stop`, then `inrush server start`")
        })?;
        Ok(Running { pid, port: state.port, vendor: state.vendor, version: state.version })
    }

    /// Starts the process on a free port. Another process may take the port between the check and the server's
    /// bind, so it tries a few times, unless the caller requires one port.
    fn launch(
        &self,
        program: &Program,
        account: Option<&Account>,
        options: &StartOptions,
        password: &str,
    ) -> Result<i32> {
        let mut tries = 5;
        loop {
            let port = self.choose_port(options.port)?;
            self.home.write_state(port, program)?;
            let settings = config::Settings {
                home: &self.home,
                vendor: program.vendor(),
                port,
                buffer_pool: options.memory.unwrap_or_else(config::share_of_memory),
                extra: &options.set,
            };
            self.home.write_for_server("my.cnf", &config::server_options(&settings)?, account)?;
            self.home.write_for_server("init.sql", &config::first_statements(password), account)?;
            self.home.write_private("client.cnf", &config::client_options(&self.home.socket(), password)?)?;
            let mut child = process::spawn(&self.home, program, account, "my.cnf", &[])?;
            match child.await_answer(&self.home, options.patience) {
                Ok(()) => return Ok(child.pid()),
                Err(_) if child.lost_its_port() && options.port.is_none() && tries > 0 => tries -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The requested port, else that of the last start, else a free one.
    fn choose_port(&self, wanted: Option<u16>) -> Result<u16> {
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        if let Some(port) = wanted {
            if !is_free(&port) {
                return Err(
                    Error::config(format!("port {port} is taken")).with_hint("leave out `--port` to get a free one")
                );
            }
            return Ok(port);
        }
        if let Some(port) = self.home.state().map(|state| state.port).filter(is_free) {
            return Ok(port);
        }
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        Ok(free.map_err(|e| Error::io("cannot find a free port", e))?.port())
    }
}
