use super::*;
use crate::HostOrder;
use crate::{Compression, PipelineMode, TlsMode};
use std::path::Path;
use std::time::Duration;

#[track_caller]
fn check_pairs(text: &str, want: &[(&str, &str)]) {
    let mut rest = text;
    let mut pairs = Vec::new();
    while let Some(Pair { name, value }) = next_pair(&mut rest).unwrap() {
        pairs.push((name, value));
    }
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(pairs, want, "{text}");
}

#[test]
fn pairs_by_the_rules_of_net() {
    check_pairs("", &[]);
    check_pairs(" ; ;", &[]);
    check_pairs("a=b", &[("a", "b")]);
    check_pairs(" a b = c d ; e=f; ", &[("a b", "c d"), ("e", "f")]);
    check_pairs("a=;b=c", &[("a", ""), ("b", "c")]);
    check_pairs("a=b=c;d==e=f", &[("a", "b=c"), ("d=e", "f")]);
    check_pairs("a=\"b;c\";d='e;f'", &[("a", "b;c"), ("d", "e;f")]);
    check_pairs("a=\"say \"\"hi\"\"\"; b='it''s'", &[("a", "say \"hi\""), ("b", "it's")]);
    check_pairs("a='say \"hi\"';b=\"it's\"", &[("a", "say \"hi\""), ("b", "it's")]);
    check_pairs("a=\"  b  \" ;c=", &[("a", "  b  "), ("c", "")]);
    check_pairs("a=it's;b=5\" disk", &[("a", "it's"), ("b", "5\" disk")]);
    check_pairs("a=''", &[("a", "")]);
    check_pairs("naïve=grün", &[("naïve", "grün")]);
}

fn parse(text: &str) -> Config {
    Config::parse(text).unwrap()
}

fn password(config: &Config) -> Option<&str> {
    config.password.as_ref().map(|password| str::from_utf8(password.expose()).unwrap())
}

#[test]
fn the_string_that_people_paste() {
    let text = "Server=db.example.org;Port=3307;Database=shop;User Id=ann;Password=\"a;\"\"b\";Pipeline=true;CommandTimeout=120;SslMode=Required";
    let config = parse(text);
    assert_eq!((config.host(), config.port(), config.database()), ("db.example.org", 3307, Some("shop")));
    assert_eq!((config.user(), password(&config)), ("ann", Some("a;\"b")));
    assert_eq!((config.pipeline(), config.tls()), (PipelineMode::On, TlsMode::Required));
    assert_eq!(config.query_timeout(), Some(Duration::from_secs(120)));
}

#[test]
fn names_have_synonyms_and_no_case() {
    for name in ["User Id", "UserID", "user id", "USERNAME", "User Name", "uid", "user"] {
        assert_eq!(parse(&format!("{name}=ann")).user(), "ann", "{name}");
    }
    for name in ["Server", "host", "Data Source", "DataSource", "ADDRESS", "addr", "Network Address"] {
        assert_eq!(parse(&format!("{name}=db")).host(), "db", "{name}");
    }
    for name in ["Database", "Initial Catalog"] {
        assert_eq!(parse(&format!("{name}=shop")).database(), Some("shop"), "{name}");
    }
    for name in ["Connection Timeout", "ConnectionTimeout", "Connect Timeout"] {
        assert_eq!(parse(&format!("{name}=7")).connect_timeout(), Duration::from_secs(7), "{name}");
    }
    assert_eq!(password(&parse("Pwd=x")), Some("x"));
    assert_eq!(parse("Server=a;Host=b").host(), "b");
}

#[track_caller]
fn check_mode(word: &str, want: TlsMode) {
    assert_eq!(parse(&format!("SSL Mode={word}")).tls(), want);
}

#[test]
fn modes_of_tls() {
    check_mode("None", TlsMode::Disabled);
    check_mode("Disabled", TlsMode::Disabled);
    check_mode("Preferred", TlsMode::Preferred);
    check_mode("Required", TlsMode::Required);
    check_mode("VerifyCA", TlsMode::VerifyCa);
    check_mode("VerifyFull", TlsMode::VerifyFull);
    assert_eq!(parse("CACertificateFile=/a b.pem").tls_ca(), Some(Path::new("/a b.pem")));
}

#[test]
fn the_rest() {
    let config =
        parse("UseCompression=yes;AllowLoadLocalInfile=True;UseAffectedRows=false;AllowBatch=true;Keepalive=5");
    assert_eq!(config.compression(), [Compression::ZLIB, Compression::ZSTD, Compression::None]);
    assert!(config.local_infile() && config.found_rows && config.multi_statements);
    assert_eq!(config.keep_alive, Some(Duration::from_secs(5)));
    assert!(!parse("Use Affected Rows=true").found_rows);
    assert_eq!(parse("Command Timeout=0").query_timeout(), None);
    assert_eq!(parse("Connect Timeout=0").connect_timeout(), Duration::MAX);
    assert_eq!(parse("Server=/run/mysqld.sock;Protocol=unix").socket(), Some(Path::new("/run/mysqld.sock")));
    assert_eq!(parse("Server=db;CharSet=utf8mb4;Protocol=Socket;Pooling=true;Max Pool Size=5").host(), "db");
    // Ours, where .NET has none.
    assert_eq!(parse("Compression=zstd:7").compression(), [Compression::Zstd(7)]);
    assert_eq!(parse("read-timeout=3").read_timeout(), Some(Duration::from_secs(3)));
}

#[track_caller]
fn check_refused(text: &str, message: &str, hint: &str) {
    let error = Config::parse(text).unwrap_err();
    assert_eq!(error.kind(), crate::Kind::Config);
    assert!(error.message().contains(message), "{error}");
    assert!(error.hint().unwrap_or_default().contains(hint), "{error:?}");
    assert!(!format!("{error:?}{error}").contains("secret"), "the password shows: {error:?}");
}

#[test]
fn unknown_names_offer_the_nearest() {
    check_refused("Sever=db", "`Sever`", "`Server`");
    check_refused("Server=db;Comand Timeout=1", "`Comand Timeout`", "`CommandTimeout`");
    check_refused("Pasword=secret", "`Pasword`", "`Password`");
    check_refused("Conection String=db", "unknown", "nearest");
}

#[test]
fn nothing_behind_a_password_is_shown() {
    check_refused("Server=db;Password=a;secret=b", "the name of pair 3", "nearest");
    check_refused("Password=a;port=secret", "the value of pair 2", "quotes");
    check_refused("Password=\"secret", "never closes", "Server=");
    check_refused("Password=\"secret\"x", "behind a closing quote", "Server=");
    check_refused("Server=db;Password=a;secret", "not `name=value`", "Server=");
    check_refused("Server=db;=secret", "without a name", "Server=");
}

#[test]
fn several_hosts() {
    let check = |text: &str, address: &str, order: HostOrder| {
        let config = parse(text);
        assert_eq!((config.address().as_str(), config.hosts.order.unwrap_or_default()), (address, order), "{text}");
    };
    check("Server=a,b;Port=3307", "a:3307,b:3307", HostOrder::RoundRobin);
    check("Port=3307;Server=a,b", "a:3307,b:3307", HostOrder::RoundRobin);
    check("LoadBalance=FailOver;Server=a,b", "a:3306,b:3306", HostOrder::InOrder);
    check("Server=a,b;Load Balance=failover", "a:3306,b:3306", HostOrder::InOrder);
    check("Server=a;LoadBalance=Random", "a:3306", HostOrder::RoundRobin);
}

#[test]
fn what_is_not_there_is_refused() {
    check_refused("Server=a,", "an empty name", "");
    check_refused("Server=a,b;LoadBalance=Best", "`LoadBalance`", "RoundRobin");
    check_refused("Server=a;Protocol=pipe", "neither TCP", "");
    check_refused("Server=a;CharSet=latin1", "always utf8mb4", "");
    check_refused("Server=a;Certificate File=x.pfx", "unknown", "");
    check_refused("Server=a;TlsVersion=TLS 1.2", "unknown", "");
    check_refused("Server=a;Port=99999", "not a number", "");
}

#[test]
fn debug_hides_the_password() {
    let config = parse("Server=db;Password=secret");
    assert!(!format!("{config:?} {config:#?}").contains("secret"));
}
