//! How every command finds its server: the options of the mysql client, a URL, the environment, option files. Secrets come from a
//! file, the environment or a prompt, never from an argument.

use clap::Args;
use inrush::Config;
use inrush::blocking::Connection;
use inrush_core::{Error, Kind, Result};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The server to connect to.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectArgs {
    /// mysql://user@host:3306/database?tls=verify-full, or a connection string of .NET's (or in INRUSH_URL)
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Host name or address, by TCP; or several: `db1,db2:3307`
    #[arg(short = 'h', long, value_name = "HOST[,HOST..]")]
    host: Option<String>,

    /// TCP port
    #[arg(short = 'P', long, value_name = "PORT")]
    port: Option<u16>,

    /// User name
    #[arg(short = 'u', long, value_name = "USER")]
    user: Option<String>,

    /// Database
    #[arg(short = 'D', long, value_name = "DATABASE")]
    database: Option<String>,

    /// Unix socket
    #[arg(short = 'S', long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Prompt for the password
    #[arg(short = 'p', long = "password")]
    password: bool,

    /// File whose first line is the password (or in INRUSH_PASSWORD)
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// Encryption: disabled, preferred, required, verify-ca or verify-full
    #[arg(long, value_name = "MODE")]
    tls: Option<String>,

    /// Certificate authority to trust, PEM
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,

    /// Read this option file instead of ~/.my.cnf
    #[arg(long, value_name = "FILE")]
    defaults_file: Option<PathBuf>,

    /// Of several hosts the one that was taken, for all that a command does.
    #[arg(skip)]
    taken: Arc<OnceLock<Config>>,
}

/// The environment, as an argument so that tests can set one.
pub(crate) struct Environment {
    pub(crate) url: Option<String>,
    pub(crate) password: Option<String>,
}

impl Environment {
    /// The process's own.
    pub(crate) fn of_process() -> Self {
        // An empty variable counts as unset: that is how a shell unsets it for one command.
        let url = std::env::var("INRUSH_URL").ok().filter(|url| !url.is_empty());
        Self { url, password: std::env::var("INRUSH_PASSWORD").ok() }
    }
}

impl ConnectArgs {
    /// The configuration: option files, then the URL, then single options; each overrides the ones before.
    pub(crate) fn config(&self, environment: &Environment) -> Result<Config> {
        self.config_if_named(environment)?.ok_or_else(|| {
            Error::config("no server is named").with_hint(
                "`--url mysql://user@host/database`, `-h HOST`, `-S SOCKET`, INRUSH_URL or ~/.my.cnf; `inrush server start` makes a local one",
            )
        })
    }

    /// The same; `None` if nothing names a server. Of several hosts one is chosen, by connecting: all that a command does is done on one
    /// server.
    pub(crate) fn config_if_named(&self, environment: &Environment) -> Result<Option<Config>> {
        match self.named_config(environment)? {
            Some(config) if config.has_several_hosts() => match self.taken.get() {
                Some(taken) => Ok(Some(taken.clone())),
                None => {
                    let taken = Connection::connect(&config).map_err(hint_at_login)?.config().clone();
                    Ok(Some(self.taken.get_or_init(|| taken).clone()))
                }
            },
            config => Ok(config),
        }
    }

    fn named_config(&self, environment: &Environment) -> Result<Option<Config>> {
        let mut config = Config::from_option_files(self.defaults_file.as_deref()).map_err(as_usage)?;
        if let Some(url) = self.url.as_deref().or(environment.url.as_deref()) {
            let from_argument = self.url.is_some();
            if from_argument && Config::parse(url)?.has_secret() {
                return Err(password_in_argument("the URL"));
            }
            config = config.with_text(url)?;
        }
        let named = self.url.is_some() || environment.url.is_some() || self.host.is_some() || self.socket.is_some();
        if let Some(host) = &self.host {
            config = config.with_host_list(host)?;
        }
        if let Some(port) = self.port {
            config = config.with_port(port);
        }
        if let Some(user) = &self.user {
            config = config.with_user(user);
        }
        if let Some(database) = &self.database {
            config = config.with_database(database);
        }
        if let Some(socket) = &self.socket {
            config = config.with_socket(socket);
        }
        if let Some(mode) = &self.tls {
            config = config.with_tls(mode.parse()?);
        }
        if let Some(ca) = &self.tls_ca {
            config = config.with_tls_ca(ca);
        }
        // An option file names a server too, if only by the account it has there.
        if !named && config.address() == Config::new().address() && !config.has_password() {
            return Ok(None);
        }
        Ok(Some(match self.password(environment)? {
            Some(password) => config.with_password(password),
            None => config,
        }))
    }

    fn password(&self, environment: &Environment) -> Result<Option<String>> {
        match &self.password_file {
            Some(file) => first_line(file).map(Some),
            None if self.password => prompt().map(Some),
            None => Ok(environment.password.clone()),
        }
    }
}

/// A second server: by a URL, without option files, which are of the first one. The password comes from the file or from
/// INRUSH_OTHER_PASSWORD.
pub(crate) fn other_server(url: &str, password_file: Option<&Path>) -> Result<Config> {
    server_by_url(url, "`--other`", &PasswordOfUrl { file: password_file, ..PasswordOfUrl::OTHER })
}

/// Where the password of a server comes from that is named by a URL on the command line.
pub(crate) struct PasswordOfUrl<'a> {
    pub(crate) file: Option<&'a Path>,
    /// The option for the file.
    pub(crate) option: &'static str,
    pub(crate) variable: &'static str,
}

impl PasswordOfUrl<'_> {
    pub(crate) const FIRST: Self = Self { file: None, option: "--password-file", variable: "INRUSH_PASSWORD" };
    pub(crate) const OTHER: Self =
        Self { file: None, option: "--other-password-file", variable: "INRUSH_OTHER_PASSWORD" };
}

/// A server by a URL alone, without option files. `place`: what the URL is, for messages.
pub(crate) fn server_by_url(url: &str, place: &str, password: &PasswordOfUrl<'_>) -> Result<Config> {
    let config = Config::parse(url)?;
    if config.has_secret() {
        return Err(Error::config(format!("a password in {place} is seen by every user of this machine"))
            .with_hint(format!("use `{} FILE` or {}", password.option, password.variable)));
    }
    let password = match password.file {
        Some(file) => Some(first_line(file)?),
        None => std::env::var(password.variable).ok(),
    };
    Ok(match password {
        Some(password) => config.with_password(password),
        None => config,
    })
}

/// A configuration file that cannot be read is an error of the command line, not of the server.
pub(crate) fn as_usage(error: Error) -> Error {
    if error.kind() == Kind::Io { Error::config(error.to_string()) } else { error }
}

/// Refuses `-pSECRET` and `--password=SECRET`, which the mysql client takes. Before the arguments are parsed, because a parser
/// would repeat them in its message.
pub(crate) fn refuse_password_arguments(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<()> {
    let is_one = |argument: std::ffi::OsString| {
        let text = argument.as_encoded_bytes();
        text.starts_with(b"--password=") || text.starts_with(b"-p") && text.len() > 2
    };
    if arguments.any(is_one) { Err(password_in_argument("an argument")) } else { Ok(()) }
}

/// Adds a hint about the sources of a password, if the server refused the login.
pub(crate) fn hint_at_login(error: Error) -> Error {
    /// ER_ACCESS_DENIED_ERROR and ER_ACCESS_DENIED_NO_PASSWORD_ERROR
    const REFUSED: [u16; 2] = [1045, 1698];
    if error.hint().is_some() || !REFUSED.contains(&error.code()) {
        return error;
    }
    error.with_hint(
        "check user and password: INRUSH_PASSWORD, `--password-file FILE`, INRUSH_URL, ~/.my.cnf, or `-p` for a prompt",
    )
}

/// Refuses a URL on the command line that is none, or that has a password. `place`: what the URL is, for messages.
pub(crate) fn without_password(url: &str, place: &str) -> Result<()> {
    if Config::parse(url)?.has_secret() {
        return Err(Error::config(format!("a password in {place} is seen by every user of this machine")).with_hint(
            "it is reached with the password of the connection: `--password-file FILE`, INRUSH_PASSWORD, ~/.my.cnf",
        ));
    }
    Ok(())
}

fn password_in_argument(place: &str) -> Error {
    Error::config(format!("a password in {place} is seen by every user of this machine"))
        .with_hint("use `--password-file FILE`, INRUSH_PASSWORD, INRUSH_URL, ~/.my.cnf, or `-p` for a prompt")
}

fn first_line(file: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| as_usage(Error::io(format!("cannot read the password file `{}`", file.display()), e)))?;
    Ok(text.lines().next().unwrap_or("").to_owned())
}

/// Prompts on the terminal without echo.
fn prompt() -> Result<String> {
    let failed = |e: std::io::Error| {
        Error::io("cannot prompt for the password", e).with_hint("use `--password-file FILE` or INRUSH_PASSWORD")
    };
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Error::config("cannot prompt for the password: standard input is not a terminal")
            .with_hint("use `--password-file FILE` or INRUSH_PASSWORD"));
    }
    let mut terminal = std::io::stderr();
    write!(terminal, "Password: ").and_then(|()| terminal.flush()).map_err(failed)?;
    let before = rustix::termios::tcgetattr(&stdin).map_err(|e| failed(e.into()))?;
    let mut silent = before.clone();
    silent.local_modes.remove(rustix::termios::LocalModes::ECHO);
    rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Flush, &silent)
        .map_err(|e| failed(e.into()))?;
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    let restored = rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Flush, &before);
    let _ = writeln!(terminal);
    read.map_err(failed)?;
    restored.map_err(|e| failed(e.into()))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_argument_is_refused() {
        let refused = |list: &[&str]| refuse_password_arguments(list.iter().map(Into::into)).is_err();
        assert!(refused(&["inrush", "load", "-pSECRET"]));
        assert!(refused(&["inrush", "load", "--password=SECRET"]));
        assert!(!refused(&["inrush", "load", "-p", "--password", "--password-file", "f", "-P", "3306", "p"]));
    }

    #[test]
    fn a_password_in_a_url_is_refused() {
        let config = |url: &str| {
            let environment = Environment { url: None, password: None };
            let arguments = ["inrush", "--defaults-file=/dev/null", "--url", url];
            <Only as clap::Parser>::try_parse_from(arguments).unwrap().connect.config(&environment)
        };
        for url in [
            "mysql://a:b@h/d",
            "mysql://a:b@/d",
            "mariadb://a:p%40@h",
            "jdbc:mysql://h/d?user=a&password=x",
            "Server=h;User Id=a;Password=x",
            "server=h;uid=a; PWD = 'x'",
        ] {
            assert!(config(url).unwrap_err().message().contains("is seen by every user"), "{url}");
        }
        for url in ["mysql://a@h/d", "mysql://a:@h", "mysql://h:3306/d", "mysql://[::1]:3306/d", "Server=h;User Id=a"] {
            config(url).unwrap();
        }
    }

    /// The connection's options alone.
    #[derive(clap::Parser)]
    #[command(disable_help_flag = true)]
    struct Only {
        #[command(flatten)]
        connect: ConnectArgs,
    }
}
