//! Logins and changes of user by script, each with every fault at every step and cut at every byte. The packets are those
//! of real servers where `captured` has them; that real servers let these logins in is tested on them.

use inrush_core::auth::ServerKey;
use inrush_core::error::Result;
use inrush_core::session::{
    ChangeUser, Conversation, Credentials, Login, LoginOptions, Outcome, Session, Step, TlsWish, Transport,
};
use inrush_core::wire::{MariaDbCapabilities, Outbox, Vendor};
use inrush_testkit::captured::*;
use inrush_testkit::script::{Peer, script};

fn options() -> LoginOptions {
    LoginOptions { credentials: credentials(), ..Default::default() }
}

fn credentials() -> Credentials {
    Credentials { user: "inrush".into(), password: "sha2-Pass1".into(), ..Default::default() }
}

fn log_in(options: LoginOptions) -> impl Fn(&mut Peer) -> Result<String> {
    move |peer| {
        peer.run(&mut Login::new(options.clone(), [7; 32]))?;
        Ok(peer.channel.session.version().to_string())
    }
}

/// HandshakeResponse41 up to the user's name, with these capabilities.
fn response_head(capabilities: [u8; 4], further: u8) -> Vec<u8> {
    [&capabilities[..], b"\0\0\0\x40\x2d", &[0; 19], &[further, 0, 0, 0]].concat()
}

const MYSQL: &str = "MySQL 9.7.4-2";
const MARIADB: &str = "11.8.9-MariaDB-4 from Debian";

/// What a login asked for when the packets in `captured` were taken.
fn captured_login(user: &str, password: &str) -> LoginOptions {
    LoginOptions {
        credentials: Credentials { user: user.into(), password: password.into(), ..Default::default() },
        local_files: true,
        multi_statements: true,
        attributes: vec![("program_name".into(), "inrush".into())],
        ..avoid()
    }
}

#[test]
fn native_password() {
    let response = [
        &response_head([0x84, 0xA2, 0xBF, 0x01], 0x24)[..],
        b"u_parsec\0\x14\x8bv\x9e\"\t\xd6*\x96\xa3\xa8\x051\x9f\x9d\\\xcb,x\x9d\xe4",
        b"mysql_native_password\0\x14\x0cprogram_name\x06inrush",
    ];
    let login = log_in(captured_login("u_parsec", "parsec-Pass1"));
    script().read(MARIADB_GREETING).write(&response.concat()).read(MARIADB_LOGIN_OK).check_all(login, MARIADB.into());
}

fn avoid() -> LoginOptions {
    LoginOptions { tls: TlsWish::Avoid, ..options() }
}

/// The whole of HandshakeResponse41, byte by byte, without a password so that it can be read here.
#[test]
fn the_response_holds_what_was_asked_for() {
    let login = LoginOptions {
        credentials: Credentials { user: "app".into(), ..Default::default() },
        database: Some("shop".into()),
        local_files: true,
        found_rows: true,
        multi_statements: true,
        compression: Vec::new(),
        engine: None,
        attributes: vec![("program_name".into(), "inrush".into())],
        tls: TlsWish::Avoid,
    };
    let want = [
        &response_head([0x8F, 0xA2, 0xBF, 0x01], 0)[..],
        b"app\0\0shop\0mysql_native_password\0\x14\x0cprogram_name\x06inrush",
    ];
    script().read(&greeting(ALL_CAPABILITIES)).write(&want.concat()).read(OK).check(
        |peer| {
            peer.run(&mut Login::new(login.clone(), [7; 32]))?;
            Ok(peer.channel.session.schema().map(String::from))
        },
        Some("shop".into()),
    );
}

#[test]
fn what_was_agreed_on_is_in_the_session() {
    script().read(MARIADB_GREETING).write_something().read(MARIADB_LOGIN_OK).check(
        |peer| {
            peer.run(&mut Login::new(avoid(), [7; 32]))?;
            let session = &peer.channel.session;
            assert_eq!(session.version().vendor, Vendor::MariaDb);
            assert!(session.mariadb_capabilities().contains(MariaDbCapabilities::MARIADB_CLIENT_STMT_BULK_OPERATIONS));
            assert!(session.autocommit() && session.deprecates_eof() && !session.in_transaction());
            assert_eq!(session.variable("time_zone"), Some("SYSTEM"));
            Ok(session.connection_id())
        },
        0x189,
    );
}

#[test]
fn a_server_from_before_plugins() {
    // PROTOCOL_41, SECURE_CONNECTION and little else: the answer's length takes one byte, and no plugin is named.
    let greeting = &greeting(0x0000_8201)[..];
    let head = response_head([0x01, 0x82, 0x00, 0x00], 0);
    let response = [&head[..], b"app\0\0"].concat();
    let app = LoginOptions { credentials: Credentials { user: "app".into(), ..Default::default() }, ..avoid() };
    script().read(greeting).write(&response).read(b"\0\0\0\x02\0\0\0").check_all(log_in(app), "MySQL 9.7.4".into());
}

#[test]
fn caching_sha2_fast() {
    let response = [
        &response_head([0x85, 0xA2, 0xBF, 0x01], 0)[..],
        b"inrush\0\x20\n\xba\x87\x9a[\x80\xf9S#\xa6,P)\x81-\x10\xa9\xbd@-\x1aN\xf6X;3O\xfe9\xa1Kz",
        b"caching_sha2_password\0\x14\x0cprogram_name\x06inrush",
    ];
    let login = log_in(captured_login("inrush", "inrush-Pass1"));
    script().read(MYSQL_GREETING).write(&response.concat()).read(b"\x01\x03").read(OK).check_all(login, MYSQL.into());
}

#[test]
fn caching_sha2_full_on_plain_tcp() {
    let script = script().read(MYSQL_GREETING).write_something().read(b"\x01\x04").write(b"\x02");
    script.read(RSA_KEY).write_something().read(OK).check_all(log_in(avoid()), MYSQL.into());
}

#[test]
fn caching_sha2_full_on_a_unix_socket() {
    let script = script().on_unix_socket().read(MYSQL_GREETING).write_something().read(b"\x01\x04");
    script.write(b"sha2-Pass1\0").read(OK).check_all(log_in(options()), MYSQL.into());
}

#[test]
fn caching_sha2_after_a_switch() {
    let script = script().read(MARIADB_GREETING).write_something().read(SWITCH_TO_CACHING_SHA2);
    let scramble =
        b"\x32\xd3\x9d\x3c\x33\x35\x2b\x97\xfe\x67\x91\xa8\x25\x86\x27\xd4\xba\x26\xe5\x1e\x75\x48\x62\xf2\xec\x74\x85\
        \xa0\xb0\xa8\x04\xb8";
    let script = script.write(scramble).read(b"\x01\x04").write(b"\x02").read(RSA_KEY).write_something();
    script.read(MARIADB_LOGIN_OK).check_all(log_in(avoid()), MARIADB.into());
}

/// Some MariaDB servers send a plugin's data without the prefix.
#[test]
fn further_data_without_its_prefix() {
    let script = script().on_unix_socket().read(MARIADB_GREETING).write_something().read(SWITCH_TO_CACHING_SHA2);
    script.write_something().read(b"\x04").write(b"sha2-Pass1\0").read(OK).check_all(log_in(options()), MARIADB.into());
}

#[test]
fn sha256() {
    let script = script().read(MYSQL_GREETING).write_something().read(SWITCH_TO_SHA256).write(b"\x01").read(RSA_KEY);
    script.write_something().read(OK).check_all(log_in(avoid()), MYSQL.into());
}

#[test]
fn ed25519() {
    let credentials = Credentials { password: "ed25519-Pass1".into(), ..credentials() };
    let signature = b"\x8b\xea\x1d<\x0b\xa6\x06R\xcf\x17\x87\xad6\xdc\x9f\xc2>\xe20f\x00l\xae\xf0\xfdt\xf6<\x19\xef0\xf2\xb6\x9d\xc2\
        r\xdb\xbdc\xbcm-\xcc\xc0\x1c\xf2\x02\x1f&Ge\xd3d\xe9;@D\x97\x85Q'\x04\x1c\n";
    let script = script().read(MARIADB_GREETING).write_something().read(SWITCH_TO_ED25519).write(signature);
    script.read(MARIADB_LOGIN_OK).check_all(log_in(LoginOptions { credentials, ..avoid() }), MARIADB.into());
}

#[test]
fn parsec() {
    let script = script().read(MARIADB_GREETING).write_something().read(SWITCH_TO_PARSEC).write(b"").read(PARSEC_SALT);
    script.write_something().read(MARIADB_LOGIN_OK).check_all(log_in(avoid()), MARIADB.into());
}

#[test]
fn tls_first() {
    let greeting = greeting(ALL_CAPABILITIES | TLS_CAPABILITY);
    let request = response_head([0x05, 0xAA, 0xBE, 0x01], 0);
    let script = script().read(&greeting).write(&request).start_tls().write_something();
    let full =
        script.clone().read(SWITCH_TO_CACHING_SHA2).write_something().read(b"\x01\x04").write(b"sha2-Pass1\0").read(OK);
    for tls in [TlsWish::Prefer, TlsWish::Require] {
        full.check_all(log_in(LoginOptions { tls, ..options() }), "MySQL 9.7.4".into());
    }
}

#[test]
fn tls_is_not_forced_on_a_unix_socket() {
    let greeting = greeting(ALL_CAPABILITIES | TLS_CAPABILITY);
    script().on_unix_socket().read(&greeting).write_something().read(OK).check(log_in(options()), "MySQL 9.7.4".into());
}

#[test]
fn a_required_tls_that_is_not_offered() {
    let login = log_in(LoginOptions { tls: TlsWish::Require, ..options() });
    script().read(&greeting(ALL_CAPABILITIES)).check_fails(login, |e| e.is_fatal() && e.message().contains("TLS"));
}

#[test]
fn a_shell_that_forgets_the_handshake() {
    let greeting = greeting(ALL_CAPABILITIES | TLS_CAPABILITY);
    let forgets = |peer: &mut Peer| peer.run(&mut Forgetful(Login::new(options(), [7; 32])));
    script().read(&greeting).write_something().start_tls().check_fails(forgets, |e| e.message().contains("TLS"));
}

/// Undoes what the shell says of the transport.
struct Forgetful(Login);

impl Conversation for Forgetful {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        session.set_transport(Transport::Tcp);
        self.0.send(session, out)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        self.0.receive(packet, session, out)
    }
}

#[test]
fn a_wrong_password() {
    let script = script().read(MARIADB_GREETING).write_something().read(ACCESS_DENIED);
    script.check_fails(log_in(avoid()), |e| e.code() == 1045 && e.sql_state() == "28000");
}

#[test]
fn a_full_server() {
    script().read(TOO_MANY_CONNECTIONS).check_fails(log_in(options()), |e| e.code() == 1040);
}

#[test]
fn secrets_stay_at_home() {
    let refuse = Credentials { server_key: ServerKey::Refuse, ..credentials() };
    let script = script().read(MYSQL_GREETING).write_something();
    let full = script.clone().read(b"\x01\x04");
    full.check_fails(log_in(LoginOptions { credentials: refuse, ..avoid() }), |e| e.message().contains("plain TCP"));
    let clear = script.clone().read(b"\xfemysql_clear_password\0");
    let allowed = Credentials { allow_clear: true, ..credentials() };
    clear.check_fails(log_in(LoginOptions { credentials: allowed, ..avoid() }), |e| e.message().contains("plain TCP"));
    clear.check_fails(log_in(avoid()), |e| e.message().contains("does not allow"));
    assert!(!format!("{:?}", Login::new(avoid(), [7; 32])).contains("sha2-Pass1"));
}

#[test]
fn plugins_and_factors_nobody_knows() {
    let script = script().read(MYSQL_GREETING).write_something();
    let unknown = script.clone().read(b"\xfeauth_gssapi_client\0abc");
    unknown.check_fails(log_in(avoid()), |e| e.message().contains("`auth_gssapi_client`") && e.hint().is_some());
    script.clone().read(b"\xfe").check_fails(log_in(avoid()), |e| e.message().contains("mysql_old_password"));
    script.read(b"\x02abc").check_fails(log_in(avoid()), |e| e.message().contains("second factor"));
}

#[test]
fn a_greeting_that_names_an_unknown_plugin_is_asked_for_the_right_one() {
    let mut greeting = greeting(ALL_CAPABILITIES);
    let at = greeting.len() - 22;
    greeting.truncate(at);
    greeting.extend_from_slice(b"auth_gssapi_client\0");
    let response = [&response_head([0x05, 0xA2, 0xBE, 0x01], 0)[..], b"inrush\0\0inrush_asks_which\0\0"].concat();
    let script = script().read(&greeting).write(&response).read(SWITCH_TO_CACHING_SHA2).write_something();
    script.read(b"\x01\x03").read(OK).check_all(log_in(options()), "MySQL 9.7.4".into());
}

#[test]
fn a_server_that_never_comes_to_an_end() {
    let mut script = script().read(MARIADB_GREETING).write_something();
    for _ in 0..16 {
        script = script.read(SWITCH_TO_ED25519).write_something();
    }
    script.read(SWITCH_TO_ED25519).check_fails(log_in(avoid()), |e| e.message().contains("come to an end"));
}

#[test]
fn change_user() {
    let change = |peer: &mut Peer| {
        let (database, attributes) = (Some("shop".into()), vec![("a".into(), "b".into())]);
        let app = Credentials { user: "app".into(), ..Default::default() };
        peer.run(&mut ChangeUser::new(app, database, attributes, [7; 32]))?;
        Ok(peer.channel.session.schema().map(String::from))
    };
    let script = script().logged_in().command(b"\x11app\0\0shop\0\x2d\0mysql_native_password\0\x04\x01a\x01b");
    script.clone().read(OK).check_all(change, Some("shop".into()));
    script.read(SWITCH_TO_CACHING_SHA2).write(b"").read(OK).check_all(change, Some("shop".into()));
}
