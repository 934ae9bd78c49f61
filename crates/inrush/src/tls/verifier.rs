//! Which certificate of a server we accept: any, one of a known authority, or one of a known authority for this very host.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Our check of the server's certificate.
#[derive(Debug)]
pub(super) struct Verifier {
    pub(super) check: Check,
    pub(super) algorithms: WebPkiSupportedAlgorithms,
}

/// What is checked.
#[derive(Debug)]
pub(super) enum Check {
    Nothing,
    Chain(Authorities),
    ChainAndName(Authorities),
}

/// The certificates that the configuration trusts.
#[derive(Debug)]
pub(super) struct Authorities {
    roots: RootCertStore,
    trusted: Vec<CertificateDer<'static>>,
}

impl Authorities {
    /// Certificates that can sign become roots; one that cannot is still trusted if a server presents it itself.
    pub(super) fn new(trusted: Vec<CertificateDer<'static>>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.iter().cloned());
        Self { roots, trusted }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.trusted.is_empty()
    }

    fn verify(
        &self,
        presented: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
        algorithms: &WebPkiSupportedAlgorithms,
    ) -> Result<(), Error> {
        // A self-signed server certificate given as its own authority: the bytes are the same, and the handshake's
        // signature proves that the server holds the key.
        if self.trusted.iter().any(|certificate| certificate == presented) {
            return Ok(());
        }
        let parsed = ParsedCertificate::try_from(presented)?;
        verify_server_cert_signed_by_trust_anchor(&parsed, &self.roots, intermediates, now, algorithms.all)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        presented: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.check {
            Check::Nothing => {}
            Check::Chain(authorities) => authorities.verify(presented, intermediates, now, &self.algorithms)?,
            Check::ChainAndName(authorities) => {
                authorities.verify(presented, intermediates, now, &self.algorithms)?;
                verify_server_name(&ParsedCertificate::try_from(presented)?, host)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        presented: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.check {
            Check::Nothing => Ok(HandshakeSignatureValid::assertion()),
            _ => verify_tls12_signature(message, presented, signed, &self.algorithms),
        }
    }

    /// If any certificate is accepted, so is any signature: an attacker in between signs with a key of their own. Without this
    /// check, servers work whose certificates are too old in form to be read (X.509 version 1 from old scripts).
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        presented: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.check {
            Check::Nothing => Ok(HandshakeSignatureValid::assertion()),
            _ => verify_tls13_signature(message, presented, signed, &self.algorithms),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
