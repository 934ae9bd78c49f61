use rand::SeedableRng;

use super::*;

/// Runs a plugin: returns what it sends first, then its answer to each of `data`. An error is returned as its message.
fn run(name: &str, nonce: &[u8], how: &How, data: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
    let password = Secret::from(how.password);
    let mut random = StdRng::from_seed([7; 32]);
    let mut with = Context {
        password: &password,
        secure: how.secure,
        tls: how.tls,
        allow_clear: how.allow_clear,
        server_key: &how.server_key,
        random: &mut random,
    };
    let mut plugin = plugin(name.as_bytes())?;
    let mut sent = vec![Some(plugin.start(nonce, &mut with)?)];
    for data in data {
        sent.push(plugin.answer(data, &mut with)?);
    }
    Ok(sent)
}

struct How {
    password: &'static str,
    secure: bool,
    tls: bool,
    allow_clear: bool,
    server_key: ServerKey,
}

const PLAIN: How =
    How { password: "secret", secure: false, tls: false, allow_clear: false, server_key: ServerKey::Request };
const TLS: How = How { secure: true, tls: true, ..PLAIN };
const UNIX: How = How { secure: true, ..PLAIN };
const NONCE: &[u8] = b"abcdefghijklmnopqrst";
const KEY: &[u8] = rsa::tests::PUBLIC_PEM.as_bytes();

#[track_caller]
fn check(name: &str, how: &How, data: &[&[u8]], want: &[Option<&[u8]>]) {
    let sent = run(name, NONCE, how, data).unwrap();
    assert_eq!(sent.iter().map(Option::as_deref).collect::<Vec<_>>(), want);
}

#[track_caller]
fn check_refused(name: &str, nonce: &[u8], how: &How, data: &[&[u8]], message: &str) {
    let error = run(name, nonce, how, data).unwrap_err();
    assert!(error.is_fatal());
    assert!(error.message().contains(message), "{error}");
    assert!(!format!("{error:?}").contains("secret"));
}

#[test]
fn without_a_password() {
    let how = How { password: "", ..PLAIN };
    check("mysql_native_password", &how, &[], &[Some(b"")]);
    check("caching_sha2_password", &how, &[], &[Some(b"")]);
    check("sha256_password", &how, &[], &[Some(b"\0")]);
    check_refused("caching_sha2_password", NONCE, &how, &[b"\x04"], "order");
}

#[test]
fn caching_sha2_that_is_remembered() {
    let sent = run("caching_sha2_password", NONCE, &PLAIN, &[b"\x03"]).unwrap();
    assert_eq!((sent[0].as_ref().unwrap().len(), &sent[1]), (32, &None));
}

#[test]
fn caching_sha2_in_full_where_nobody_reads_along() {
    for how in [TLS, UNIX] {
        let sent = run("caching_sha2_password", NONCE, &how, &[b"\x04"]).unwrap();
        assert_eq!(sent[1].as_deref(), Some(&b"secret\0"[..]));
    }
}

#[test]
fn caching_sha2_in_full_on_plain_tcp() {
    let sent = run("caching_sha2_password", NONCE, &PLAIN, &[b"\x04", KEY]).unwrap();
    assert_eq!(sent[1].as_deref(), Some(&b"\x02"[..]));
    assert_eq!(sent[2].as_ref().unwrap().len(), 128);
    let known = How { server_key: ServerKey::Known(KEY.to_vec()), ..PLAIN };
    assert_eq!(run("caching_sha2_password", NONCE, &known, &[b"\x04"]).unwrap()[1].as_ref().unwrap().len(), 128);
    let refuse = How { server_key: ServerKey::Refuse, ..PLAIN };
    check_refused("caching_sha2_password", NONCE, &refuse, &[b"\x04"], "plain TCP");
}

#[test]
fn sha256() {
    check("sha256_password", &TLS, &[], &[Some(b"secret\0")]);
    // On a Unix socket, too, the server expects the password encrypted.
    for how in [PLAIN, UNIX] {
        let sent = run("sha256_password", NONCE, &how, &[KEY]).unwrap();
        assert_eq!((sent[0].as_deref(), sent[1].as_ref().unwrap().len()), (Some(&b"\x01"[..]), 128));
    }
    let refuse = How { server_key: ServerKey::Refuse, ..PLAIN };
    check_refused("sha256_password", NONCE, &refuse, &[], "plain TCP");
}

#[test]
fn clear_text_only_if_allowed_and_never_on_plain_tcp() {
    let allowed = How { allow_clear: true, ..PLAIN };
    check_refused("mysql_clear_password", NONCE, &PLAIN, &[], "does not allow");
    check_refused("mysql_clear_password", NONCE, &TLS, &[], "does not allow");
    check_refused("mysql_clear_password", NONCE, &allowed, &[], "plain TCP");
    check("mysql_clear_password", &How { secure: true, ..allowed }, &[], &[Some(b"secret\0")]);
}

#[test]
fn signatures() {
    let nonce = &[9; 32];
    assert_eq!(run("client_ed25519", nonce, &PLAIN, &[]).unwrap()[0].as_ref().unwrap().len(), 64);
    let sent = run("parsec", nonce, &PLAIN, &[b"P\0abcdefghijklmnopqr"]).unwrap();
    assert_eq!((sent[0].as_deref(), sent[1].as_ref().unwrap().len()), (Some(&b""[..]), 96));
}

/// A nonce may be closed by a NUL, and may end in a zero byte of its own.
#[test]
fn nonces_and_their_ends() {
    let mut nonce = [9; 33];
    (nonce[31], nonce[32]) = (0, 0);
    for name in ["client_ed25519", "parsec"] {
        let [bare, closed] = [&nonce[..32], &nonce].map(|nonce| run(name, nonce, &PLAIN, &[]).unwrap());
        assert_eq!(bare, closed);
        assert!(run(name, &nonce[..31], &PLAIN, &[]).is_err());
        assert!(run(name, &[9; 33], &PLAIN, &[]).is_err());
    }
    let [bare, closed] =
        [NONCE, b"abcdefghijklmnopqrst\0"].map(|n| run("mysql_native_password", n, &PLAIN, &[]).unwrap());
    assert_eq!(bare, closed);
}

#[test]
fn what_a_server_may_get_wrong() {
    check_refused("mysql_native_password", b"short", &PLAIN, &[], "not 20");
    check_refused("client_ed25519", NONCE, &PLAIN, &[], "not 32");
    check_refused("parsec", NONCE, &PLAIN, &[], "not 32");
    check_refused("parsec", &[9; 32], &PLAIN, &[b"P\xffabcdefghijklmnopqr"], "salt");
    check_refused("parsec", &[9; 32], &PLAIN, &[b""], "salt");
    check_refused("mysql_native_password", NONCE, &PLAIN, &[b"more"], "order");
    check_refused("sha256_password", NONCE, &TLS, &[KEY], "order");
    check_refused("caching_sha2_password", NONCE, &PLAIN, &[b"\x03", b"\x04"], "order");
    check_refused("caching_sha2_password", NONCE, &PLAIN, &[b"\x05"], "order");
}

#[test]
fn plugins_nobody_knows_are_named() {
    check_refused("auth_gssapi_client", NONCE, &PLAIN, &[], "`auth_gssapi_client`");
    check_refused("mysql_old_password", NONCE, &PLAIN, &[], "`mysql_old_password`");
    check_refused("a\x1b\n", NONCE, &PLAIN, &[], "`a??`");
}

#[test]
fn a_secret_does_not_show() {
    assert_eq!(format!("{:?}", Secret::from("secret")), "Secret(..)");
}
