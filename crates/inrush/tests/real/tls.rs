//! The TLS modes against real servers, with right and wrong authorities and names.

use crate::cases::{Case, Route, Twin, in_cases};
use inrush::sans_io::session::Transport;
use inrush::{Config, Kind, TlsMode};
use inrush_testkit::servers::{self, Certificate};

/// On the case's route, with that mode.
fn config(case: &Case, mode: TlsMode) -> Config {
    let user = Config::new().with_user(&case.server.user).with_password(&case.server.password).with_tls(mode);
    let user = user.with_public_key_retrieval(true);
    match case.route {
        Route::Unix => user.with_socket(&case.server.socket),
        Route::Tcp | Route::Tls => user.with_host(&case.server.host).with_port(case.server.port),
    }
}

#[track_caller]
fn check_transport(case: &Case, mode: TlsMode, want: Transport) {
    let mut connection = case.open_with(&config(case, mode));
    assert_eq!(connection.session().transport(), want);
    // The server's own view of it.
    let cipher = connection.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'").unwrap();
    let cipher = cipher[0].rows().next().unwrap().get::<String>(1).unwrap();
    assert_eq!(cipher.is_empty(), want != Transport::Tls, "cipher `{cipher}`");
}

const TCP_AND_UNIX: [Route; 2] = [Route::Tcp, Route::Unix];

#[test]
fn modes_that_trust_anybody() {
    in_cases(servers::all(), &TCP_AND_UNIX, |case| {
        let (plain, preferred) = match case.route {
            Route::Unix => (Transport::Unix, Transport::Unix),
            _ => (Transport::Tcp, Transport::Tls),
        };
        check_transport(case, TlsMode::Disabled, plain);
        check_transport(case, TlsMode::Preferred, preferred);
        check_transport(case, TlsMode::Required, Transport::Tls);
    });
}

#[test]
fn modes_that_verify() {
    in_cases(servers::all(), &TCP_AND_UNIX, |case| {
        let ca = config(case, TlsMode::VerifyCa).with_tls_ca(&case.server.ca);
        assert_eq!(case.open_with(&ca).session().transport(), Transport::Tls);
        let full = ca.with_tls(TlsMode::VerifyFull);
        match case.server.certificate {
            Certificate::Own => assert_eq!(case.open_with(&full).session().transport(), Transport::Tls),
            Certificate::Automatic => {
                check_refused(case, &full, "not valid for name", "a name that the certificate holds")
            }
        }
    });
}

#[track_caller]
fn check_refused(case: &Case, config: &Config, want: &str, hint: &str) {
    let error = Twin::connect(case.shell, config).unwrap_err();
    assert!(error.kind() == Kind::Io && !error.is_fatal(), "{error:?}");
    assert!(error.message().contains(want), "{error:?}");
    assert!(error.hint().unwrap().contains(hint), "{error:?}");
}

#[test]
fn a_wrong_authority_is_refused() {
    in_cases(servers::all(), &TCP_AND_UNIX, |case| {
        for mode in [TlsMode::VerifyCa, TlsMode::VerifyFull] {
            let wrong = config(case, mode).with_tls_ca(&case.server.wrong_ca);
            check_refused(case, &wrong, "the TLS handshake failed", "--tls-ca");
        }
    });
}

#[test]
fn a_wrong_host_is_refused_only_where_the_name_counts() {
    // Through the socket, since the name of the host is free to choose there.
    in_cases(servers::all(), &[Route::Unix], |case| {
        let elsewhere = |mode| {
            let socket = config(case, mode).with_tls_ca(&case.server.ca).with_host("db.example.org");
            socket.with_socket(&case.server.socket)
        };
        case.open_with(&elsewhere(TlsMode::VerifyCa)).ping().unwrap();
        check_refused(case, &elsewhere(TlsMode::VerifyFull), "not valid for name", "a name that the certificate holds");
    });
}

#[test]
fn the_systems_authorities_did_not_sign_a_test_server() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let error = Twin::connect(case.shell, &config(case, TlsMode::VerifyFull)).unwrap_err();
        // Which of the two depends on whether this machine has any authorities.
        assert!(error.hint().unwrap().contains("tls-ca"), "{error:?}");
    });
}

#[test]
fn much_goes_through_tls_both_ways() {
    in_cases(servers::all(), &[Route::Tls], |case| {
        let mut connection = case.open();
        let text = "x".repeat(3_000_000);
        let sql = format!("SELECT '{text}' AS a, REPEAT('y', 1000000) AS b");
        let result = &connection.query(&sql).unwrap()[0];
        let row = result.rows().next().unwrap();
        assert_eq!((row.get::<&str>("a").unwrap().len(), row.get::<&str>("b").unwrap().len()), (3_000_000, 1_000_000));
    });
}
