//! TLS by rustls inside our own loop: bytes go in and out of memory, nothing in here waits.
//!
//! | mode | chain checked | host name checked |
//! |---|---|---|
//! | `preferred`, `required` | no | no |
//! | `verify-ca` | yes | no |
//! | `verify-full` | yes | yes |

#[cfg(test)]
mod tests;
mod verifier;

use crate::nonblocking::{once, read_once};
use crate::{Config, Error, Kind, Reason, Result, TlsMode};
use inrush_core::session::Channel;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use verifier::{Check, Verifier};

/// One TLS session over one connection.
pub(crate) struct TlsSession {
    rustls: ClientConnection,
    /// What a read of the socket brought, before rustls takes it: rustls itself reads only 4 KiB at a time.
    received: Box<[u8]>,
}

impl TlsSession {
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let cannot = |e: rustls::Error| Error::config(format!("cannot set TLS up: {e}"));
        let mut rustls = ClientConnection::new(client_config(config)?, server_name(config)?).map_err(cannot)?;
        rustls.set_buffer_limit(Some(SEND_BUFFER));
        Ok(Self { rustls, received: vec![0; RECEIVE_BUFFER].into() })
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        self.rustls.is_handshaking()
    }

    pub(crate) fn wants_write(&self) -> bool {
        self.rustls.wants_write()
    }

    /// Room to read into; never empty. Then call [`TlsSession::decrypt`].
    pub(crate) fn space(&mut self) -> &mut [u8] {
        &mut self.received
    }

    /// Decrypts the first `n` bytes of [`TlsSession::space`] and hands what comes out to `channel`.
    pub(crate) fn decrypt(&mut self, n: usize, channel: &mut Channel) -> Result<()> {
        let mut rest = &self.received[..n];
        let lost = |e| Error::io("the connection to the server was lost", e).because(Reason::ConnectionLost);
        // Takes as much as it has room for; the output is fetched each time, so that there is room again. 0: the
        // server reported that nothing follows, and any later bytes are not part of the session.
        while !rest.is_empty() && self.rustls.read_tls(&mut rest).map_err(lost)? > 0 {
            self.rustls.process_new_packets().map_err(explain)?;
            while let Some(n @ 1..) = read_once(&mut self.rustls.reader(), channel.space()).map_err(lost)? {
                channel.filled(n);
            }
        }
        Ok(())
    }

    /// Encrypts as much as fits of the bytes of `channel` and writes once.
    pub(crate) fn write_some_to(
        &mut self,
        socket: &mut impl Write,
        channel: &mut Channel,
    ) -> io::Result<Option<usize>> {
        let unsent = channel.unsent();
        if !unsent.is_empty() {
            let n_taken = self.rustls.writer().write(unsent)?;
            channel.sent(n_taken);
        }
        if !self.rustls.wants_write() {
            return Ok(Some(0));
        }
        once(|| self.rustls.write_tls(socket))
    }

    pub(crate) fn say_goodbye(&mut self) {
        self.rustls.send_close_notify();
    }
}

fn client_config(config: &Config) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let check = match config.tls() {
        TlsMode::Disabled | TlsMode::Preferred | TlsMode::Required => Check::Nothing,
        TlsMode::VerifyCa => Check::Chain(authorities(config)?),
        TlsMode::VerifyFull => Check::ChainAndName(authorities(config)?),
    };
    let cannot = |e: rustls::Error| Error::config(format!("cannot set TLS up: {e}"));
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(cannot)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier { check, algorithms }));
    let client = match (&config.tls_cert, &config.tls_key) {
        (Some(certificate), Some(key)) => {
            let cannot_use = |e: rustls::Error| {
                Error::config(format!(
                    "the key `{}` does not go with the certificate `{}`: {e}",
                    key.display(),
                    certificate.display()
                ))
            };
            builder.with_client_auth_cert(certificates(certificate)?, private_key(key)?).map_err(cannot_use)?
        }
        (None, None) => builder.with_no_client_auth(),
        _ => return Err(Error::config("`tls-cert` and `tls-key` go together").with_hint("give both or none")),
    };
    Ok(Arc::new(client))
}

/// The trusted authorities: those of the CA file, or the system's.
fn authorities(config: &Config) -> Result<verifier::Authorities> {
    let trusted = match &config.tls_ca {
        Some(path) => certificates(path)?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    let authorities = verifier::Authorities::new(trusted);
    if authorities.is_empty() {
        return Err(Error::config("this system has no trusted certificate authorities")
            .with_hint("name the server's with `tls-ca`, or install the ca-certificates package"));
    }
    Ok(authorities)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let cannot = |e| pem_error("certificates", path, e);
    let found: Vec<_> =
        CertificateDer::pem_file_iter(path).map_err(cannot)?.collect::<Result<_, _>>().map_err(cannot)?;
    match found.is_empty() {
        true => Err(Error::config(format!("`{}` holds no certificate in PEM form", path.display()))),
        false => Ok(found),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_file(path).map_err(|e| pem_error("a private key", path, e))
}

fn pem_error(what: &str, path: &Path, error: rustls::pki_types::pem::Error) -> Error {
    Error::config(format!("cannot read {what} from `{}`: {error}", path.display()))
}

/// The name to check and to send. If it is not checked, a host that cannot be a name does not make it fail.
fn server_name(config: &Config) -> Result<ServerName<'static>> {
    match ServerName::try_from(config.host.clone()) {
        Ok(name) => Ok(name),
        Err(_) if config.tls() != TlsMode::VerifyFull => {
            ServerName::try_from("localhost").map_err(|e| Error::config(e.to_string()))
        }
        Err(_) => Err(Error::config(format!("`{}` cannot be the name in a certificate", config.host))
            .with_hint("connect by the host name that the server's certificate holds")),
    }
}

/// What a failed handshake means and what to do about it.
fn explain(error: rustls::Error) -> Error {
    let hint = match &error {
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => {
            "connect by a name that the certificate holds; one that a server makes for itself holds none: give it one that \
             names its host"
        }
        rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnhandledCriticalExtension,
        ) => "name the authority that signed the server's certificate: `tls-ca=FILE` in the URL, or `--tls-ca FILE`",
        rustls::Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "renew the server's certificate, or check the clock of this machine"
        }
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
        ) => "check the clock of this machine and of the one that made the certificate",
        rustls::Error::InvalidCertificate(_) => {
            "give the server a certificate that can be checked: X.509 version 3, signed by an authority that is trusted here"
        }
        rustls::Error::PeerIncompatible(_) | rustls::Error::AlertReceived(_) => {
            "the server must speak TLS 1.2 or 1.3, and may require a client certificate: `tls-cert=FILE&tls-key=FILE` in the URL, or `--tls-cert FILE --tls-key FILE`"
        }
        _ => "look at the server's log and at its TLS settings; something on the way may have changed what was sent",
    };
    Error::new(Kind::Io, format!("the TLS handshake failed: {error}")).with_hint(hint)
}

/// Plain bytes that rustls may hold encrypted: enough to fill a socket's buffer in one call.
const SEND_BUFFER: usize = 256 * 1024;
/// Two records of the largest kind.
const RECEIVE_BUFFER: usize = 33 * 1024;
