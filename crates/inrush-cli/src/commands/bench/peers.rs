//! `--peers`: other clients' programs, to compare with our own ways to write. Finds and starts them; the processes are `inrush-bench`'s.

use super::experiment::ServerFacts;
use super::place::SCHEMA;
use clap::Args;
use inrush::TlsMode;
use inrush_bench::peer::{self, PeerCell, Peers, ServerPlace};
use inrush_bench::results::LeftOut;
use inrush_core::{Error, Result};
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Which peers take part.
#[derive(Debug, Args)]
#[command(next_help_heading = "Peers")]
pub(super) struct PeerArgs {
    /// Measure other clients as well, those that `make peers` builds: `all`, or names such as `go,python,rust-sqlx`
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    peers: Vec<String>,

    /// Where their programs are [default: INRUSH_PEERS, or benches/peers/target]
    #[arg(long, value_name = "FOLDER", requires = "peers")]
    peers_folder: Option<PathBuf>,

    /// How much longer than --cap a peer may take to answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    peers_patience: u64,

    /// Those that were started for the plan.
    #[arg(skip)]
    started: RefCell<Option<Peers>>,
}

impl PeerArgs {
    /// Whether any are requested.
    pub(super) fn are_wanted(&self) -> bool {
        !self.peers.is_empty()
    }

    /// Starts them, and returns the cases that they support.
    pub(super) fn plan(&self, sizes: &[u64], facts: &ServerFacts) -> Result<(Vec<PeerCell>, Vec<LeftOut>)> {
        let programs = peer::find(&self.folder(), &self.peers)?;
        let password = match facts.config.expose_password().map(str::from_utf8) {
            Some(Err(_)) => return Err(Error::config("peers take no password that is not UTF-8")),
            Some(Ok(password)) => Some(password),
            None => None,
        };
        let place = place(facts)?;
        let nobody_stops = Arc::new(AtomicBool::new(false));
        let peers = Peers::start(&programs, password, Duration::from_secs(self.peers_patience), nobody_stops)?;
        let cells = peer::cells(&peers.hellos(), sizes, &facts.allowed(), &place);
        self.started.replace(Some(peers));
        Ok(cells)
    }

    /// Names and versions of those that were started.
    pub(super) fn versions(&self) -> Option<String> {
        self.started.borrow().as_ref().map(Peers::versions)
    }

    /// Has those that were started connect and read their rows, `n_rows` lines of `text`.
    pub(super) fn start(
        &self,
        facts: &ServerFacts,
        stop: &Arc<AtomicBool>,
        text: &str,
        n_rows: u64,
    ) -> Result<Option<Peers>> {
        let Some(mut peers) = self.started.take() else { return Ok(None) };
        peers.heed(stop.clone());
        peers.prepare(&place(facts)?, TABLE, text, n_rows)?;
        Ok(Some(peers))
    }

    fn folder(&self) -> PathBuf {
        let named = self.peers_folder.clone().or_else(|| of_environment().map(PathBuf::from));
        named.unwrap_or_else(|| PathBuf::from("benches/peers/target"))
    }
}

fn of_environment() -> Option<OsString> {
    std::env::var_os("INRUSH_PEERS").filter(|folder| !folder.is_empty())
}

/// The same route to the server as ours.
fn place(facts: &ServerFacts) -> Result<ServerPlace> {
    let config = &facts.config;
    let tls = facts.server.tls.is_some();
    if tls && matches!(config.tls(), TlsMode::VerifyCa | TlsMode::VerifyFull) {
        return Err(Error::config("peers do not check the server's certificate, which the TLS mode requires")
            .with_hint("leave `--peers` out: they would log in to any server that answers"));
    }
    // To some clients this name means a socket.
    let host = if config.host() == "localhost" { "127.0.0.1" } else { config.host() };
    Ok(ServerPlace {
        host: host.into(),
        port: config.port(),
        socket: config.socket().filter(|_| config.uses_socket()).map(|socket| socket.display().to_string()),
        tls,
        user: config.user().into(),
        database: SCHEMA.into(),
        vendor: facts.profile.family,
    })
}

/// What they write into.
pub(super) const TABLE: &str = "bench_users";
