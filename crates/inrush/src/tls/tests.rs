//! Handshakes in memory, against rustls playing the server with certificates of every kind.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::server::{ServerConnection, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig};
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use tempfile::TempDir;

/// Two authorities, as files. The first one signs.
struct World {
    folder: TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = new_authority("the authority");
        fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        fs::write(folder.path().join("other.pem"), new_authority("another").pem()).unwrap();
        Self { folder, authority }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server certificate of the first authority for `names`.
    fn server(&self, names: &[&str]) -> Server {
        self.server_with(names, |_| {})
    }

    fn server_with(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Server {
        let key = KeyPair::generate().unwrap();
        let mut params = params(names);
        change(&mut params);
        let certificate = params.signed_by(&key, &self.authority).unwrap();
        Server { chain: vec![certificate.der().clone()], key: PrivateKeyDer::try_from(key.serialize_der()).unwrap() }
    }
}

struct Server {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

fn new_authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = params(&[]);
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// The result of a handshake with `server`; its authority is the file `ca` of the world.
fn meet(config: Config, server: Server, client_roots: Option<RootCertStore>) -> Result<()> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = provider.key_provider.load_private_key(server.key).unwrap();
    // Not checked against each other: rustls itself would not play a server with some of these certificates.
    let identity = SingleCertAndKey::from(CertifiedKey::new(server.chain, key));
    let builder = ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
    let builder = match client_roots {
        Some(roots) => builder.with_client_cert_verifier(
            WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap(),
        ),
        None => builder.with_no_client_auth(),
    };
    let mut theirs = ServerConnection::new(Arc::new(builder.with_cert_resolver(Arc::new(identity)))).unwrap();
    let mut ours = TlsSession::new(&config)?;
    let mut channel = Channel::new(inrush_core::session::Transport::Tls, 1 << 20);
    channel.outbox.packet(|body| body.extend_from_slice(b"ping"));
    for _ in 0..10 {
        let mut flight = Vec::new();
        while channel.has_unsent() || ours.wants_write() {
            ours.write_some_to(&mut flight, &mut channel).unwrap();
        }
        let mut rest = &flight[..];
        while !rest.is_empty() {
            theirs.read_tls(&mut rest).unwrap();
            // Its refusal reaches us as an alert.
            let _ = theirs.process_new_packets();
        }
        let mut heard = [0; 8];
        if matches!(theirs.reader().read(&mut heard), Ok(8)) {
            assert_eq!(&heard[4..], b"ping");
            theirs.writer().write_all(&[4, 0, 0, 1, b'p', b'o', b'n', b'g']).unwrap();
        }
        let mut answer = Vec::new();
        while theirs.wants_write() {
            theirs.write_tls(&mut answer).unwrap();
        }
        for piece in answer.chunks(100) {
            ours.space()[..piece.len()].copy_from_slice(piece);
            ours.decrypt(piece.len(), &mut channel)?;
        }
        if let Some(packet) = channel.inbox.next_packet()? {
            assert_eq!(packet.body, b"pong");
            return Ok(());
        }
    }
    panic!("no end after ten flights");
}

fn config(mode: TlsMode, host: &str, world: &World, ca: &str) -> Config {
    Config::new().with_host(host).with_tls(mode).with_tls_ca(world.file(ca))
}

#[track_caller]
fn check_refused(config: Config, server: Server, want: &str, hint: &str) {
    let error = meet(config, server, None).unwrap_err();
    assert!(error.message().contains(want), "{error:?}");
    assert!(error.hint().unwrap().contains(hint), "{error:?}");
    assert!(!error.hint().unwrap().contains("tls "), "never weaker than was asked for: {error:?}");
    assert!(error.is_fatal());
}

#[test]
fn required_takes_any_certificate() {
    let world = World::new();
    meet(config(TlsMode::Required, "db", &world, "other.pem"), world.server(&["elsewhere"]), None).unwrap();
    meet(config(TlsMode::Preferred, "d_b!", &world, "other.pem"), world.server(&[]), None).unwrap();
}

#[test]
fn required_takes_the_oldest_form_of_certificates() {
    let server = Server {
        chain: vec![CertificateDer::from_pem_slice(include_bytes!("fixtures/x509-v1.pem")).unwrap()],
        key: PrivateKeyDer::from_pem_slice(include_bytes!("fixtures/x509-v1.key")).unwrap(),
    };
    meet(Config::new().with_tls(TlsMode::Required), server, None).unwrap();
}

#[test]
fn verifying_says_that_it_cannot_read_the_oldest_form() {
    let server = Server {
        chain: vec![CertificateDer::from_pem_slice(include_bytes!("fixtures/x509-v1.pem")).unwrap()],
        key: PrivateKeyDer::from_pem_slice(include_bytes!("fixtures/x509-v1.key")).unwrap(),
    };
    let world = World::new();
    check_refused(config(TlsMode::VerifyCa, "db", &world, "ca.pem"), server, "certificate", "version 3");
}

#[test]
fn verify_ca_looks_at_the_chain_only() {
    let world = World::new();
    meet(config(TlsMode::VerifyCa, "db", &world, "ca.pem"), world.server(&["elsewhere"]), None).unwrap();
    meet(config(TlsMode::VerifyCa, "db", &world, "ca.pem"), world.server(&[]), None).unwrap();
    let wrong = config(TlsMode::VerifyCa, "db", &world, "other.pem");
    check_refused(wrong, world.server(&["db"]), "UnknownIssuer", "--tls-ca");
}

#[test]
fn verify_full_looks_at_the_name_too() {
    let world = World::new();
    let full = |host, ca| config(TlsMode::VerifyFull, host, &world, ca);
    meet(full("db", "ca.pem"), world.server(&["db"]), None).unwrap();
    meet(full("127.0.0.1", "ca.pem"), world.server(&["127.0.0.1"]), None).unwrap();
    meet(full("::1", "ca.pem"), world.server(&["::1"]), None).unwrap();
    check_refused(
        full("db", "ca.pem"),
        world.server(&["elsewhere"]),
        "not valid for name",
        "a name that the certificate holds",
    );
    check_refused(
        full("127.0.0.2", "ca.pem"),
        world.server(&["127.0.0.1"]),
        "not valid for name",
        "a name that the certificate holds",
    );
    check_refused(full("db", "ca.pem"), world.server(&[]), "not valid for name", "a name that the certificate holds");
    check_refused(full("db", "other.pem"), world.server(&["db"]), "UnknownIssuer", "--tls-ca");
}

#[test]
fn without_a_file_the_systems_authorities_count() {
    let world = World::new();
    let config = Config::new().with_host("db").with_tls(TlsMode::VerifyFull);
    match meet(config, world.server(&["db"]), None) {
        Ok(()) => panic!("a stranger's certificate was accepted"),
        // Which of the two depends on whether this machine has any.
        Err(e) => assert!(e.message().contains("UnknownIssuer") || e.message().contains("has no trusted"), "{e:?}"),
    }
}

#[test]
fn an_expired_certificate_is_refused_when_looked_at() {
    let world = World::new();
    let expired = || {
        world.server_with(&["db"], |params| {
            params.not_before = rcgen::date_time_ymd(2001, 1, 1);
            params.not_after = rcgen::date_time_ymd(2002, 1, 1);
        })
    };
    meet(config(TlsMode::Required, "db", &world, "ca.pem"), expired(), None).unwrap();
    check_refused(config(TlsMode::VerifyCa, "db", &world, "ca.pem"), expired(), "expired", "renew");
}

#[test]
fn a_certificate_may_be_its_own_authority() {
    let world = World::new();
    let own = |names: &[&str]| {
        let key = KeyPair::generate().unwrap();
        let certificate = params(names).self_signed(&key).unwrap();
        fs::write(world.file("own.pem"), certificate.pem()).unwrap();
        Server { chain: vec![certificate.der().clone()], key: PrivateKeyDer::try_from(key.serialize_der()).unwrap() }
    };
    meet(config(TlsMode::VerifyCa, "db", &world, "own.pem"), own(&["elsewhere"]), None).unwrap();
    meet(config(TlsMode::VerifyFull, "db", &world, "own.pem"), own(&["db"]), None).unwrap();
    let server = own(&["elsewhere"]);
    check_refused(
        config(TlsMode::VerifyFull, "db", &world, "own.pem"),
        server,
        "not valid for name",
        "a name that the certificate holds",
    );
}

#[test]
fn a_stolen_certificate_without_its_key_is_refused() {
    let world = World::new();
    let thief = Server { key: world.server(&["db"]).key, ..world.server(&["db"]) };
    let error = meet(config(TlsMode::VerifyFull, "db", &world, "ca.pem"), thief, None).unwrap_err();
    assert!(error.message().contains("BadSignature"), "{error:?}");
}

#[test]
fn a_server_may_want_a_certificate_of_ours() {
    let world = World::new();
    let key = KeyPair::generate().unwrap();
    let certificate = params(&["me"]).signed_by(&key, &world.authority).unwrap();
    fs::write(world.file("me.pem"), certificate.pem()).unwrap();
    fs::write(world.file("me.key"), key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(world.authority.der().clone()).unwrap();

    let plain = config(TlsMode::VerifyFull, "db", &world, "ca.pem");
    let known = plain.clone().with_tls_client(world.file("me.pem"), world.file("me.key"));
    meet(known, world.server(&["db"]), Some(roots.clone())).unwrap();
    let error = meet(plain, world.server(&["db"]), Some(roots)).unwrap_err();
    assert!(error.hint().unwrap().contains("--tls-cert"), "{error:?}");
}

#[track_caller]
fn check_unusable(config: Config, want: &str) {
    let error = TlsSession::new(&config).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Config);
    assert!(error.message().contains(want), "{error:?}");
}

#[test]
fn files_that_are_of_no_use_are_named() {
    let world = World::new();
    fs::write(world.file("text.pem"), "no certificate").unwrap();
    let full = |ca| config(TlsMode::VerifyFull, "db", &world, ca);
    check_unusable(full("missing.pem"), "missing.pem");
    check_unusable(full("text.pem"), "text.pem` holds no certificate");
    check_unusable(full("ca.pem").with_tls_client(world.file("ca.pem"), world.file("text.pem")), "a private key");
    let mut half = full("ca.pem");
    half.tls_cert = Some(world.file("ca.pem"));
    check_unusable(half, "go together");
    check_unusable(full("ca.pem").with_host("d!b"), "cannot be the name");
}
