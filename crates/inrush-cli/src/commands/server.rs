//! `inrush server`: a MySQL or MariaDB server of one's own, for a try-out, a test or a measurement.
//!
//! The password never appears on a command line, and on the screen only with `url --with-password`.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use clap::{Args, Subcommand};
use inrush_core::printable::{printable, printable_json};
use inrush_core::{Error, Kind, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::exit;
use crate::local_server::{LocalServer, Running, StartOptions, client_program, default_folder};

/// Run a local MySQL or MariaDB server in a folder of its own
#[derive(Debug, Args)]
#[command(after_help = "The server listens on 127.0.0.1 and on a Unix socket only. Its rows are as safe\n\
    as in production; it keeps no binary log. INRUSH_MYSQLD names the server program,\n\
    if the one installed is not the one wanted.\n\n\
    A first load:\n  inrush server start\n  inrush load people.csv --into people --create-table \\\n      \
    --url \"$(inrush server url)\" --password-file \"$(inrush server password-file)\"")]
pub(crate) struct ServerArgs {
    #[command(subcommand)]
    verb: Verb,

    /// The server's folder [default: inrush/server in the user's data folder; /var/lib/inrush/server for root]
    #[arg(long, global = true, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start it, making folder and data if need be; does nothing if it runs
    Start {
        /// Port on 127.0.0.1 [default: that of the last start, or a free one]
        #[arg(long)]
        port: Option<u16>,
        /// Size of the buffer pool: 512M, 4G [default: a quarter of the memory, at most 2G]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        memory: Option<u64>,
        /// A server option for this start; may be given several times
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// How long to wait for its first answer
        #[arg(long, value_name = "SECONDS", default_value_t = 120)]
        wait: u64,
    },
    /// Print whether it runs and its addresses; exit code 3 if it does not run
    Status,
    /// Stop it in order
    Stop {
        /// How long to wait for its end
        #[arg(long, value_name = "SECONDS", default_value_t = 120)]
        wait: u64,
    },
    /// Print its URL, without the password
    Url {
        /// Put the password into it: for INRUSH_URL, not for a command line
        #[arg(long)]
        with_password: bool,
        /// By the Unix socket instead of TCP
        #[arg(long)]
        socket: bool,
    },
    /// Print the name of the file that holds its password
    PasswordFile,
    /// Open the mysql or mariadb client on it
    Shell {
        /// Arguments for the client program
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

/// Runs one verb and returns the exit code.
pub(crate) fn run(arguments: &ServerArgs, as_json: bool) -> Result<u8> {
    let folder = arguments.dir.clone().map_or_else(default_folder, Ok)?;
    let server = LocalServer::at(&folder)?;
    match &arguments.verb {
        Verb::Start { port, memory, set, wait } => {
            let patience = Duration::from_secs(*wait);
            let options = StartOptions { port: *port, memory: *memory, set: set.clone(), patience };
            let started = server.start(&options)?;
            let lead = if started.is_new { "is up" } else { "was up already" };
            show(&server, &started.running, lead, as_json)
        }
        Verb::Status => match server.find()? {
            Some(running) => show(&server, &running, "is up", as_json),
            None => {
                let document = json!({ "running": false, "folder": server.folder() });
                let text = format!("no server runs in `{}`", server.folder().display());
                print(&text, document, as_json)?;
                Ok(exit::SERVER)
            }
        },
        Verb::Stop { wait } => {
            let stopped = server.stop(Duration::from_secs(*wait))?;
            let text = if stopped { "stopped" } else { "it did not run" };
            print(text, json!({ "running": false, "stopped": stopped, "folder": server.folder() }), as_json)
        }
        Verb::Url { with_password, socket } => {
            let running = running(&server)?;
            let password = if *with_password { Some(server.password()?) } else { None };
            let url = url(&server, &running, password.as_deref(), *socket);
            print(&url, json!({ "url": url }), as_json)
        }
        Verb::PasswordFile => {
            running(&server)?;
            let file = server.password_file();
            print(&file.display().to_string(), json!({ "password_file": file }), as_json)
        }
        Verb::Shell { arguments } => shell(&server, arguments),
    }
}

fn running(server: &LocalServer) -> Result<Running> {
    server.find()?.ok_or_else(|| {
        Error::new(Kind::Server, format!("no server runs in `{}`", server.folder().display()))
            .with_hint("`inrush server start` starts it")
    })
}

fn show(server: &LocalServer, running: &Running, state: &str, as_json: bool) -> Result<u8> {
    let url = url(server, running, None, false);
    let document = json!({
        "running": true,
        "pid": running.pid,
        "vendor": running.vendor,
        "server_version": running.version,
        "url": url,
        "host": "127.0.0.1",
        "port": running.port,
        "user": "root",
        "socket": server.socket(),
        "password_file": server.password_file(),
        "defaults_file": server.client_file(),
        "folder": server.folder(),
        "log": server.log(),
    });
    let text = format!(
        "{} {} {state} (pid {})\nurl            {url}\nsocket         {}\npassword file  {}\noption file    {}\nlog            {}",
        running.vendor.title(),
        running.version,
        running.pid,
        server.socket().display(),
        server.password_file().display(),
        server.client_file().display(),
        server.log().display(),
    );
    print(&text, document, as_json)
}

/// The password consists of letters and digits, and the socket's path is encoded, so nothing else needs to be.
fn url(server: &LocalServer, running: &Running, password: Option<&str>, by_socket: bool) -> String {
    let colon = password.map(|password| format!(":{password}")).unwrap_or_default();
    if by_socket {
        let path = server.socket().display().to_string();
        let path = utf8_percent_encode(&path, NOT_IN_A_PATH);
        return format!("mysql://root{colon}@localhost/test?socket={path}");
    }
    format!("mysql://root{colon}@127.0.0.1:{}/test", running.port)
}

/// Becomes the client program. The password reaches it by a file.
fn shell(server: &LocalServer, arguments: &[String]) -> Result<u8> {
    let running = running(server)?;
    let program = client_program(running.vendor).ok_or_else(|| {
        Error::config("no `mysql` and no `mariadb` client program on this machine")
            .with_hint("`apt-get install mariadb-client-core` brings one")
    })?;
    // --defaults-file and not --defaults-extra-file: the user's own ~/.my.cnf must not send them elsewhere.
    let error = Command::new(&program)
        .arg(format!("--defaults-file={}", server.client_file().display()))
        .args(arguments)
        .exec();
    Err(Error::io(format!("cannot run `{}`", program.display()), error))
}

fn print(text: &str, mut document: Value, as_json: bool) -> Result<u8> {
    document["inrush"] = json!("server");
    document["version"] = json!(1);
    let line = if as_json { printable_json(&document.to_string()) } else { printable(text) };
    writeln!(std::io::stdout(), "{line}").map_err(|e| Error::io("cannot write to standard output", e))?;
    Ok(exit::OK)
}

/// `512M`, `4G`, `4GiB`, or bytes.
pub(crate) fn parse_size(text: &str) -> std::result::Result<u64, String> {
    let text = text.strip_suffix("iB").unwrap_or(text);
    let unit = match text.chars().last().map(|c| c.to_ascii_uppercase()) {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let digits = if unit > 0 { &text[..text.len() - 1] } else { text };
    let number = digits.parse().ok().and_then(|n: u64| n.checked_mul(1 << unit));
    number.filter(|n| *n >= 16 << 20).ok_or_else(|| "write 512M or 4G, at least 16M".to_owned())
}

/// Bytes of a path that are encoded in a URL.
const NOT_IN_A_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("4g"), Ok(4 << 30));
        assert_eq!(parse_size("128MiB"), Ok(128 << 20));
        assert_eq!(parse_size("33554432"), Ok(32 << 20));
        for bad in ["", "M", "1M", "-1G", "1.5G", "99999999999G", "4X", "iB", "ü"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sockets_path_survives_a_url() {
        assert_eq!(utf8_percent_encode("/a b/ü?&-_~.sock", NOT_IN_A_PATH).to_string(), "/a%20b/%C3%BC%3F%26-_~.sock");
    }
}
