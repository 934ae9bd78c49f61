//! Peers: programs that write the same rows with what people use today. Each is a process of its own that speaks JSON lines
//! (docs/schema/peers-1.md); its description becomes cases besides inrush's. The choice of those cases is pure and in this file; the
//! processes are [`Peers`]'.

mod process;

pub use process::Peers;

use crate::insert::{Allowed, Commits};
use crate::results::{Case, LeftOut, Role, Unit};
use inrush::sans_io::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first line of a peer: its name and its abilities.
#[derive(Clone, Debug, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The library's name.
    pub peer: String,
    /// The library's version.
    pub version: String,
    /// How it can reach a server.
    pub routes: Vec<Route>,
    /// What it can do.
    pub cases: Vec<Offer>,
}

/// A route to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// TCP without TLS.
    Tcp,
    /// TCP with TLS.
    Tls,
    /// A Unix socket.
    Socket,
}

/// A method of a peer to write rows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Offer {
    /// As it is called in tables.
    pub subject: String,
    /// How rows can be committed.
    pub commits: Vec<When>,
    /// What the server must be or allow: `mariadb`, `mysql`, `local-infile`, `no-tls`.
    #[serde(default)]
    pub needs: Vec<String>,
}

/// [`Commits`], as peers spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Each statement by itself.
    Each,
    /// All rows once.
    Once,
}

/// Where the server is. The password is not in it: it goes by the environment alone.
#[derive(Clone, Debug, Serialize)]
pub struct ServerPlace {
    /// A name or an address.
    pub host: String,
    /// Of TCP.
    pub port: u16,
    /// The Unix socket, which goes before host and port.
    pub socket: Option<String>,
    /// Whether the connection is to be encrypted; certificates are not checked.
    pub tls: bool,
    /// The account.
    pub user: String,
    /// The schema.
    pub database: String,
    /// `mysql` or `mariadb`.
    pub vendor: &'static str,
}

/// A cell of the experiment's table that a peer fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerCell {
    /// Which of the peers.
    pub peer: usize,
    /// The peer's name of the method.
    pub subject: String,
    /// In how many transactions.
    pub commits: Commits,
    /// How many.
    pub rows: u64,
}

/// Which version of docs/schema/peers this is.
pub const PROTOCOL: u32 = 1;

impl When {
    fn commits(self) -> Commits {
        match self {
            When::Each => Commits::Each,
            When::Once => Commits::Once,
        }
    }

    fn of(commits: Commits) -> Self {
        match commits {
            Commits::Each => When::Each,
            Commits::Once => When::Once,
        }
    }
}

impl ServerPlace {
    fn route(&self) -> Route {
        match (&self.socket, self.tls) {
            (Some(_), _) => Route::Socket,
            (None, true) => Route::Tls,
            (None, false) => Route::Tcp,
        }
    }
}

impl Route {
    fn name(self) -> &'static str {
        match self {
            Route::Tcp => "TCP",
            Route::Tls => "TCP with TLS",
            Route::Socket => "a Unix socket",
        }
    }
}

impl PeerCell {
    /// Its record in the results.
    pub fn case(&self) -> Case {
        let Self { subject, commits, rows, .. } = self;
        let commits = commits.name();
        Case {
            id: format!("{subject} / {commits} / {rows}"),
            subject: subject.clone(),
            with: BTreeMap::from([("commits".into(), commits.into()), ("rows".into(), rows.to_string())]),
            group: format!("{rows} rows"),
            rows: *rows,
            unit: Unit::Rows,
            role: Role::Subject,
        }
    }
}

/// The cells that these peers fill, and the methods that are left out since the server does not allow them.
pub fn cells(hellos: &[Hello], sizes: &[u64], allowed: &Allowed, place: &ServerPlace) -> (Vec<PeerCell>, Vec<LeftOut>) {
    let (mut cells, mut left_out) = (Vec::new(), Vec::new());
    for (peer, hello) in hellos.iter().enumerate() {
        for offer in &hello.cases {
            let missing = match hello.routes.contains(&place.route()) {
                true => offer.needs.iter().find_map(|need| missing(need, allowed, place)),
                false => Some(format!("`{}` has no way to a server by {}", hello.peer, place.route().name())),
            };
            if let Some(reason) = missing {
                left_out.push(LeftOut { way: offer.subject.clone().into(), reason });
                continue;
            }
            let with = |rows: u64| {
                let cell = move |when: &When| (when.commits(), rows);
                offer.commits.iter().map(cell)
            };
            cells.extend(sizes.iter().copied().flat_map(with).map(|(commits, rows)| PeerCell {
                peer,
                subject: offer.subject.clone(),
                commits,
                rows,
            }));
        }
    }
    (cells, left_out)
}

/// Why a server does not have what a peer needs, if it does not.
fn missing(need: &str, allowed: &Allowed, place: &ServerPlace) -> Option<String> {
    match need {
        "no-tls" => (place.route() == Route::Tls).then(|| "its library cannot do it over TLS".into()),
        "mariadb" => (allowed.profile.family != need).then(|| "only MariaDB has it".into()),
        "mysql" => (allowed.profile.family != need).then(|| "only MySQL has it".into()),
        "local-infile" => (!allowed.local_infile).then(|| "the server has `local_infile` off".into()),
        other => Some(format!("it needs `{other}`, which is not known here")),
    }
}

/// The programs in `folder` that `words` name: `all`, a program's name, or what its name begins with up to a `-`.
///
/// # Errors
/// `Config` if there is no such folder, nothing in it, or nothing of that name.
pub fn find(folder: &Path, words: &[String]) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let missing = |what: String| {
        Error::config(what)
            .with_hint("run `make peers`, or name their folder: `--peers-folder FOLDER` or INRUSH_PEERS".to_owned())
    };
    let entries =
        std::fs::read_dir(folder).map_err(|e| missing(format!("the folder of peers `{shown}` cannot be read: {e}")))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| is_program(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        return Err(missing(format!("there are no peers in `{shown}`")));
    }
    let mut chosen = Vec::new();
    for word in words {
        let is_named = |name: &&String| word == "all" || *name == word || name.starts_with(&format!("{word}-"));
        let found: Vec<_> = names.iter().filter(is_named).collect();
        if found.is_empty() {
            return Err(missing(format!(
                "there is no peer `{word}` in `{shown}`, only {}",
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )));
        }
        chosen.extend(found.into_iter().map(|name| folder.join(name)));
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
