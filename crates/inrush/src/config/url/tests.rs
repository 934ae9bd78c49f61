use super::*;
use crate::TlsMode;
use std::path::Path;

/// `want` is `user password host port database`, `-` for what is not there.
#[track_caller]
fn check(url: &str, want: &str) {
    let config = Config { user: None, ..Config::default() }.with_url(url).unwrap();
    let or_dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let got = [
        or_dash(config.user.as_deref()),
        or_dash(config.password.as_ref().map(|password| str::from_utf8(password.expose()).unwrap())),
        config.host.clone(),
        config.port.to_string(),
        or_dash(config.database()),
    ];
    assert_eq!(got.join(" "), want);
}

#[test]
fn all_parts() {
    check("mysql://ann:secret@db.example.org:3307/shop", "ann secret db.example.org 3307 shop");
}

#[test]
fn mariadb_is_the_same() {
    check("MariaDB://ann@db/shop", "ann - db 3306 shop");
}

#[test]
fn every_part_may_be_missing() {
    check("mysql://", "- - localhost 3306 -");
    check("mysql://db", "- - db 3306 -");
    check("mysql://db:/", "- - db 3306 -");
    check("mysql://:3310", "- - localhost 3310 -");
    check("mysql:///shop", "- - localhost 3306 shop");
    check("mysql://:pw@db", "- pw db 3306 -");
}

#[test]
fn an_empty_password_is_a_password() {
    check("mysql://ann:@db", "ann  db 3306 -");
}

#[test]
fn percent_signs_are_decoded() {
    check("mysql://a%40b:p%2Fw%3a%25@d%2Db/%C3%A4", "a@b p/w:% d-b 3306 ä");
}

#[test]
fn a_plus_is_a_plus() {
    check("mysql://a+b:c+d@db", "a+b c+d db 3306 -");
}

#[test]
fn an_at_sign_in_the_password() {
    check("mysql://ann:p@ss@db", "ann p@ss db 3306 -");
}

#[test]
fn ipv6() {
    check("mysql://ann@[::1]:3307/shop", "ann - ::1 3307 shop");
    check("mysql://[fe80::1%25eth0]", "- - fe80::1%eth0 3306 -");
}

#[test]
fn parameters_are_options() {
    let config =
        Config::from_url("mysql://db/x?tls=verify-full&tls-ca=/a%20b.pem&read-timeout=2&local-infile").unwrap();
    assert_eq!(config.tls(), TlsMode::VerifyFull);
    assert_eq!(config.tls_ca(), Some(Path::new("/a b.pem")));
    assert_eq!(config.read_timeout().unwrap().as_secs(), 2);
    assert!(config.local_infile());
}

#[test]
fn a_socket_beats_the_host_beats_an_older_socket() {
    let older = Config::new().with_socket("/old");
    assert_eq!(older.clone().with_url("mysql://db/x").unwrap().socket(), None);
    assert_eq!(older.clone().with_url("mysql:///x").unwrap().socket(), Some(Path::new("/old")));
    assert_eq!(older.with_url("mysql://db?socket=/new").unwrap().socket(), Some(Path::new("/new")));
}

#[track_caller]
fn check_refused(url: &str, want: &str) {
    let error = Config::from_url(url).unwrap_err();
    assert_eq!(error.kind(), crate::Kind::Config);
    assert!(error.message().contains(want), "{error}");
    assert!(error.hint().is_some());
    assert!(!format!("{error:?}").contains("secret"), "the password shows: {error:?}");
}

#[test]
fn mistakes_are_named_without_the_password() {
    check_refused("ann:secret@db", "does not begin with");
    check_refused("postgres://ann:secret@db", "neither `mysql` nor `mariadb`");
    check_refused("mysql://ann:secret%4@db", "two hexadecimal digits");
    check_refused("mysql://ann:secret%zz@db", "two hexadecimal digits");
    check_refused("mysql://ann:secret%ff@db", "UTF-8");
    check_refused("mysql://ann:secret@db:port", "port");
    check_refused("mysql://ann:secret@db:65536", "port");
    check_refused("mysql://ann:secret@::1/x", "brackets");
    check_refused("mysql://ann:secret@[::1", "without its `]`");
    check_refused("mysql://ann:secret@[::1]3306", "other than `:port`");
    check_refused("mysql://ann:secret@db/a/b", "more than one `/`");
    check_refused("mysql://ann:secret#1@db", "%23");
}

#[test]
fn an_unknown_parameter_lists_the_known() {
    let error = Config::from_url("mysql://db?tsl=required").unwrap_err();
    assert!(error.message().contains("`tsl`") && error.hint().unwrap().contains("tls-ca"), "{error:?}");
    Config::from_url("mysql://db?password=x").unwrap_err();
}

#[test]
fn jdbc() {
    check("jdbc:mysql://db:3307/shop?user=ann&password=p%40w", "ann p@w db 3307 shop");
    check("JDBC:MariaDB://db/?user=ann", "ann - db 3306 -");
    check("jdbc:mysql://ann:pw@db/shop", "ann pw db 3306 shop");
    let config = Config::from_url(
        "jdbc:mysql://db/shop?useSSL=false&connectTimeout=2500&socketTimeout=0&rewriteBatchedStatements=true&characterEncoding=UTF-8",
    )
    .unwrap();
    assert_eq!(config.tls(), TlsMode::Disabled);
    assert_eq!((config.connect_timeout().as_millis(), config.read_timeout()), (2500, None));
    assert_eq!(Config::from_url("jdbc:mysql://db?sslMode=VERIFY_IDENTITY").unwrap().tls(), TlsMode::VerifyFull);
    assert_eq!(Config::from_url("jdbc:mariadb://db?sslMode=trust").unwrap().tls(), TlsMode::Required);
    let older = "jdbc:mysql://db?useSSL=true&verifyServerCertificate=true";
    assert_eq!(Config::from_url(older).unwrap().tls(), TlsMode::VerifyCa);
}

#[test]
fn several_hosts() {
    let check = |url: &str, address: &str, order: HostOrder| {
        let config = Config::from_url(url).unwrap();
        assert_eq!((config.address().as_str(), config.hosts.order.unwrap_or_default()), (address, order), "{url}");
    };
    check("mysql://ann:pw@a,b:3307,[::1]:3308/shop", "a:3306,b:3307,[::1]:3308", HostOrder::InOrder);
    check("mysql://a:1, b/shop", "a:1,b:3306", HostOrder::InOrder);
    check("mysql://a,b?host-order=round-robin", "a:3306,b:3306", HostOrder::RoundRobin);
    check("jdbc:mysql://a:1,b:2/shop", "a:1,b:2", HostOrder::InOrder);
    check("jdbc:mariadb:sequential://a:1,b:2/shop", "a:1,b:2", HostOrder::InOrder);
    check("jdbc:mysql:loadbalance://a,b/shop", "a:3306,b:3306", HostOrder::RoundRobin);
    let config = Config::from_url("mysql://a,b/shop?server-role=writable").unwrap();
    assert_eq!((config.hosts.role, config.database()), (crate::ServerRole::Writable, Some("shop")));
    // A later URL replaces the hosts of an earlier one.
    assert_eq!(config.with_url("mysql://c").unwrap().address(), "c:3306");
}

#[test]
fn mistakes_in_jdbcs() {
    check_refused("jdbc:postgresql://db?password=secret", "only `jdbc:mysql://`");
    check_refused("jdbc:mysql:replication://a,b/c?password=secret", "not routed to replicas");
    check_refused("jdbc:mysql:fabric://a,b/c?password=secret", "only `jdbc:mysql://`");
    check_refused("jdbc:mysql://a,/c?password=secret", "has no name");
    check_refused("jdbc:mysql://address=(host=a)(port=1),b/c?password=secret", "hosts are written as");
    check_refused("mysql://ann:secret@a:1,b:x/c", "not a number");
    check_refused("mysql://ann:secret@a,::1/c", "in brackets");
    check_refused("mysql://a,ann:secret@b/c", "before the first of several hosts");
    check_refused("mysql://a:1,ann:secret@b:2/c", "before the first of several hosts");
    check_refused("mysql://ann:secret@a,ann:secret@b/c", "before the first of several hosts");
    check_refused("jdbc:mysql://a,ann@b/c", "before the first of several hosts");
    check_refused("jdbc:mysql://a/c?characterEncoding=latin1", "utf8mb4");
    check_refused("jdbc:mysql://a/c?useUnicod=1&password=secret", "`useUnicod`");
    check_refused("jdbc:mysql://a/c?password=a&secret=b", "a parameter in");
    check_refused("jdbc:mysql://a/c?password=a&connectTimeout=secret", "a parameter in");
    check_refused("mysql://ann:1?secret@db/shop", "a parameter in");
    check_refused("mysql://ann:a?b&port=secret@db/shop", "port");
}
