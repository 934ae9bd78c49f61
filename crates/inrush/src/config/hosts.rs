//! Several servers that hold the same data: which of them a connection tries first, and what earlier connections found.
//!
//! Nothing in here opens a socket. All clones of a configuration share what they found, so a server that swallows packets costs its
//! share of the connect time-out once in a while and not for each connection of a pool.

use super::Config;
use crate::{Error, Result};
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which of several servers a connection tries first. Those that failed in the last 30 seconds come last in each order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostOrder {
    /// The first one that is named; the others if it fails.
    #[default]
    InOrder,
    /// Each connection begins with the next one. The first begins with a random one.
    RoundRobin,
}

/// What a server must be for a connection to stay there. Anything but `Any` costs a round trip at the login.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerRole {
    /// Any server that accepts the login.
    #[default]
    Any,
    /// One whose `read_only` and `innodb_read_only` are off: the source of its replicas, the primary of a group, a node of a cluster that
    /// is part of it.
    Writable,
    /// One where `read_only` or `innodb_read_only` is on: a replica.
    ReadOnly,
}

/// The servers besides the first one, which is the host and the port of the configuration itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    pub(super) others: Vec<(String, Option<u16>)>,
    /// The port of the first one, if the list has one. A host without a port has that of the configuration.
    pub(super) first_port: Option<u16>,
    /// `None`: not chosen; it is the default then.
    pub(super) order: Option<HostOrder>,
    pub(crate) role: ServerRole,
    /// The address that the connection has which this configuration is of: the name may lead to another server the next time.
    pub(crate) address: Option<SocketAddr>,
    /// Whether the host is the one that was taken of several.
    is_taken: bool,
    seen: Arc<Mutex<Seen>>,
}

/// What connections found.
#[derive(Debug, Default)]
struct Seen {
    /// How many connections were opened or tried, from a random number on.
    n_connects: Option<usize>,
    /// The addresses that failed, and when.
    failed: Vec<(String, Instant)>,
}

impl Hosts {
    /// An attempt to reach this address, a host with its port or a socket address, failed.
    pub(crate) fn failed(&self, address: &str) {
        let now = Instant::now();
        self.with(|seen| {
            seen.failed.retain(|(known, at)| known != address && now.duration_since(*at) < KEPT);
            seen.failed.push((address.to_owned(), now));
        });
    }

    /// Moves what failed lately to the end; of these, what failed first comes first.
    pub(crate) fn move_failed_last<T>(&self, list: &mut [T], address: impl Fn(&T) -> String) {
        if list.len() > 1 {
            let now = Instant::now();
            let is_recent = |at: &Instant| now.duration_since(*at) < KEPT;
            self.with(|seen| {
                list.sort_by_cached_key(|one| {
                    let address = address(one);
                    seen.failed.iter().find(|(known, at)| *known == address && is_recent(at)).map(|(_, at)| *at)
                });
            });
        }
    }

    /// By how many servers the order is rotated for the next connection.
    fn rotation(&self) -> usize {
        match self.order.unwrap_or_default() {
            HostOrder::InOrder => 0,
            HostOrder::RoundRobin => self.with(|seen| {
                let n = seen.n_connects.get_or_insert_with(|| usize::from(rand::random::<u16>()));
                *n += 1;
                *n
            }),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Seen) -> T) -> T {
        work(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Config {
    /// Connects to one of these servers over TCP: the hosts with their ports, in the order of preference. An empty list changes nothing.
    ///
    /// They are expected to have the same data: the members of a cluster or of a group, a source and its replicas
    /// ([`Config::with_server_role`]). A connection is opened to another one only where no user is waiting for its outcome: commands are
    /// never repeated on another server.
    ///
    /// ```
    /// use inrush::{Config, HostOrder, ServerRole};
    ///
    /// let config = Config::new()
    ///     .with_hosts([("db1.example.org", 3306), ("db2.example.org", 3306)])
    ///     .with_host_order(HostOrder::RoundRobin)
    ///     .with_server_role(ServerRole::Writable);
    /// assert_eq!(config.address(), "db1.example.org:3306,db2.example.org:3306");
    /// ```
    #[must_use]
    pub fn with_hosts(mut self, hosts: impl IntoIterator<Item = (impl Into<String>, u16)>) -> Self {
        self.set_hosts(hosts.into_iter().map(|(host, port)| (host.into(), Some(port))));
        self
    }

    /// The same; a host without a port has that of the configuration, also if that is set later.
    pub(crate) fn set_hosts(&mut self, mut hosts: impl Iterator<Item = (String, Option<u16>)>) {
        if let Some((host, port)) = hosts.next() {
            self.host = host;
            self.socket = None;
            self.hosts.others = hosts.collect();
            self.hosts.first_port = port;
            self.hosts.address = None;
            self.hosts.is_taken = false;
        }
    }

    /// Reads a list of hosts as `-h` has it: `db1,db2:3307,[::1]:3308`. One without a port has that of the configuration, also if that is
    /// set later.
    ///
    /// # Errors
    /// `Config` for an empty name, and for a port that is no number.
    pub fn with_host_list(mut self, list: &str) -> Result<Self> {
        let hosts = list.split(',').map(|item| {
            let (host, given) = split_port(item.trim())?;
            match host {
                "" => Err(Error::config("a list of hosts has an empty name").with_hint("`db1,db2:3307`")),
                _ => Ok((host.to_owned(), given)),
            }
        });
        let hosts = hosts.collect::<Result<Vec<_>>>()?;
        self.set_hosts(hosts.into_iter());
        Ok(self)
    }

    /// Which of several servers a connection tries first.
    #[must_use]
    pub fn with_host_order(mut self, order: HostOrder) -> Self {
        self.hosts.order = Some(order);
        self
    }

    /// What a server must be: one that is not is left for the next one.
    #[must_use]
    pub fn with_server_role(mut self, role: ServerRole) -> Self {
        self.hosts.role = role;
        self
    }

    /// The servers, in the order of preference.
    pub fn hosts(&self) -> Vec<(&str, u16)> {
        let others = self.hosts.others.iter().map(|(host, port)| (host.as_str(), port.unwrap_or(self.port)));
        std::iter::once((self.host.as_str(), self.port())).chain(others).collect()
    }

    /// Whether several servers are named.
    pub fn has_several_hosts(&self) -> bool {
        self.socket.is_none() && !self.hosts.others.is_empty()
    }

    /// The address of the server that a connection has taken of several ([`Connection::config`](crate::blocking::Connection::config)):
    /// `db2.example.org:3306`. `None` if only one server was named.
    pub fn taken_host(&self) -> Option<String> {
        self.hosts.is_taken.then(|| self.address())
    }

    /// Refuses a Unix socket that is named together with several hosts: nothing says which of them is meant.
    pub(crate) fn check_hosts(&self) -> Result<()> {
        let Some(socket) = self.socket.as_deref().filter(|_| !self.hosts.others.is_empty()) else { return Ok(()) };
        let hosts = Self { socket: None, ..self.clone() }.address();
        Err(Error::config(format!(
            "both a Unix socket, `{}`, and several hosts, `{hosts}`, are named",
            socket.display()
        ))
        .with_hint("name the one or the others"))
    }

    /// A configuration for each server, in the order in which the next connection tries them.
    pub(crate) fn candidates(&self) -> Vec<Self> {
        if !self.has_several_hosts() {
            return vec![self.at(&self.host, self.port())];
        }
        let mut list: Vec<Self> = self.hosts().into_iter().map(|(host, port)| self.at(host, port)).collect();
        let n = list.len();
        list.rotate_left(self.hosts.rotation() % n);
        self.hosts.move_failed_last(&mut list, Self::address);
        list
    }

    /// The same with one server.
    fn at(&self, host: &str, port: u16) -> Self {
        let mut one = self.clone();
        host.clone_into(&mut one.host);
        one.port = port;
        one.hosts.first_port = None;
        if !one.hosts.others.is_empty() {
            one.hosts.others.clear();
            one.hosts.address = None;
            one.hosts.is_taken = true;
        }
        one
    }
}

/// Splits `host:port` and `[address]:port`. A name with several colons is an IPv6 address without a port.
pub(crate) fn split_port(item: &str) -> Result<(&str, Option<u16>)> {
    let (host, port) = match item.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or_else(|| Error::config("a host has a `[` without its `]`"))?;
            match rest.strip_prefix(':') {
                _ if rest.is_empty() => (host, None),
                Some(port) => (host, Some(port)),
                None => return Err(Error::config("something other than `:port` follows the `]` of a host")),
            }
        }
        None => match item.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (item, None),
        },
    };
    let number =
        |port: &str| port.parse().map_err(|_| Error::config("the port of a host is not a number from 0 to 65535"));
    Ok((host, port.filter(|port| !port.is_empty()).map(number).transpose()?))
}

impl FromStr for HostOrder {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word.to_ascii_lowercase().as_str() {
            "in-order" => Ok(Self::InOrder),
            "round-robin" => Ok(Self::RoundRobin),
            _ => Err(Error::config(format!("`{}` is no order of hosts", word.escape_debug()))
                .with_hint("one of in-order, round-robin")),
        }
    }
}

impl FromStr for ServerRole {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word.to_ascii_lowercase().as_str() {
            "any" => Ok(Self::Any),
            "writable" => Ok(Self::Writable),
            "read-only" => Ok(Self::ReadOnly),
            _ => Err(Error::config(format!("`{}` is no role of a server", word.escape_debug()))
                .with_hint("one of any, writable, read-only")),
        }
    }
}

/// For how long a failure moves a server to the end of the order.
const KEPT: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
