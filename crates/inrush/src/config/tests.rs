use super::*;
use std::time::Duration;

#[test]
fn debug_hides_the_password() {
    let config = Config::new().with_user("ann").with_password("hunter2");
    let shown = format!("{config:?} {config:#?}");
    assert!(!shown.contains("hunter2") && shown.contains("ann"), "{shown}");
}

#[test]
fn a_ca_file_means_that_it_is_used() {
    assert_eq!(Config::new().tls(), TlsMode::Preferred);
    assert_eq!(Config::new().with_tls_ca("ca.pem").tls(), TlsMode::VerifyCa);
    assert_eq!(Config::new().with_tls_ca("ca.pem").with_tls(TlsMode::Required).tls(), TlsMode::Required);
}

#[test]
fn the_last_named_of_host_and_socket_wins() {
    assert_eq!(Config::new().with_socket("/run/s").with_host("db").socket(), None);
    assert_eq!(Config::new().with_host("db").with_socket("/run/s").socket(), Some(Path::new("/run/s")));
}

#[test]
fn attributes_of_the_caller_replace_ours() {
    let config =
        Config::new().with_attribute("program_name", "etl").with_attribute("job", "7").with_attribute("job", "8");
    let attributes = config.attributes();
    let value = |name: &str| attributes.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect::<Vec<_>>();
    assert_eq!(value("program_name"), ["etl"]);
    assert_eq!(value("job"), ["8"]);
    assert_eq!(value("_client_name"), ["inrush"]);
    assert_eq!(value("_pid"), [std::process::id().to_string()]);
}

#[track_caller]
fn check_mode(word: &str, want: TlsMode) {
    assert_eq!(word.parse::<TlsMode>().unwrap(), want);
}

#[test]
fn our_modes() {
    check_mode("disabled", TlsMode::Disabled);
    check_mode("preferred", TlsMode::Preferred);
    check_mode("required", TlsMode::Required);
    check_mode("verify-ca", TlsMode::VerifyCa);
    check_mode("verify-full", TlsMode::VerifyFull);
}

#[test]
fn the_mysql_clients_modes() {
    check_mode("VERIFY_CA", TlsMode::VerifyCa);
    check_mode("VERIFY_IDENTITY", TlsMode::VerifyFull);
}

#[test]
fn an_unknown_mode_lists_the_known() {
    let error = "on".parse::<TlsMode>().unwrap_err();
    assert_eq!(error.kind(), crate::Kind::Config);
    assert!(error.hint().unwrap().contains("verify-full"));
}

/// Options one after the other, as lines of an option file would set them.
#[track_caller]
fn check_tls(options: &[(&str, Option<&str>)], want: TlsMode) {
    let mut config = Config::new();
    for (name, value) in options {
        assert!(set(&mut config, name, *value).unwrap(), "`{name}` is unknown");
    }
    assert_eq!(config.tls(), want, "{options:?}");
}

#[test]
fn mariadbs_switches_mean_modes() {
    check_tls(&[("ssl", None)], TlsMode::Required);
    check_tls(&[("ssl", Some("0"))], TlsMode::Disabled);
    check_tls(&[("skip-ssl", None)], TlsMode::Disabled);
    check_tls(&[("ssl", None), ("ssl-verify-server-cert", None)], TlsMode::VerifyFull);
    check_tls(&[("ssl-verify-server-cert", None), ("ssl", None)], TlsMode::VerifyFull);
    check_tls(&[("ssl-ca", Some("ca.pem")), ("disable-ssl-verify-server-cert", None)], TlsMode::Required);
    check_tls(&[("ssl_mode", Some("VERIFY_CA"))], TlsMode::VerifyCa);
}

#[test]
fn an_engine_by_its_name() {
    let mut config = Config::new();
    assert_eq!(config.engine(), None);
    assert!(set(&mut config, "engine", Some("TiDB")).unwrap());
    assert_eq!(config.engine(), crate::Engine::named("tidb"));
}

#[track_caller]
fn check_refused(name: &str, value: Option<&str>, want: &str) {
    let error = set(&mut Config::new(), name, value).unwrap_err();
    assert!(error.message().contains(want), "{error}");
}

#[test]
fn values_that_do_not_fit_are_refused() {
    check_refused("port", Some("70000"), "not a number that fits");
    check_refused("engine", Some("oracle"), "unknown engine `oracle`");
    check_refused("host", None, "needs a value");
    check_refused("local-infile", Some("perhaps"), "is a switch");
    check_refused("connect-timeout", Some("0"), "more than 0");
    check_refused("read-timeout", Some("-1"), "not a number of seconds");
    check_refused("read-timeout", Some("NaN"), "not a number of seconds");
    check_refused("read-timeout", Some("1e300"), "not a number of seconds");
    check_refused("max-allowed-packet", Some("99999999999G"), "too large");
    check_refused("max-allowed-packet", Some("many"), "not a number");
}

#[test]
fn sizes_and_times_have_units() {
    let mut config = Config::new();
    set(&mut config, "max_allowed_packet", Some("16M")).unwrap();
    set(&mut config, "read-timeout", Some("0.5")).unwrap();
    set(&mut config, "keep-alive", Some("0")).unwrap();
    assert_eq!(config.max_packet(), 16 << 20);
    assert_eq!(config.read_timeout(), Some(Duration::from_millis(500)));
    assert_eq!(config.keep_alive, None);
}

#[test]
fn a_query_beyond_its_time_is_killed_if_asked_for() {
    let mut config = Config::new();
    assert!(!config.kill_on_timeout && config.query_timeout.is_none());
    for (name, value) in [("query-timeout", Some("1.5")), ("kill_on_timeout", None)] {
        assert!(set(&mut config, name, value).unwrap(), "`{name}` is unknown");
    }
    assert!(config.kill_on_timeout && config.query_timeout == Some(Duration::from_millis(1500)));
    assert!(set(&mut config, "skip-kill-on-timeout", None).unwrap() && !config.kill_on_timeout);
}

#[track_caller]
fn check_pipeline(value: Option<&str>, want: PipelineMode) {
    let mut config = Config::new();
    set(&mut config, "pipeline", value).unwrap();
    assert_eq!(config.pipeline(), want, "{value:?}");
}

#[test]
fn pipelines_are_a_switch_with_a_third_position() {
    assert_eq!(Config::new().pipeline(), PipelineMode::Auto);
    check_pipeline(None, PipelineMode::On);
    check_pipeline(Some("True"), PipelineMode::On);
    check_pipeline(Some("off"), PipelineMode::Off);
    check_pipeline(Some("AUTO"), PipelineMode::Auto);
    check_refused("pipeline", Some("perhaps"), "does not say whether");
}

/// Options one after the other, as lines of an option file would set them.
#[track_caller]
fn check_compression(options: &[(&str, Option<&str>)], want: &[Compression]) {
    let mut config = Config::new();
    for (name, value) in options {
        assert!(set(&mut config, name, *value).unwrap(), "`{name}` is unknown");
    }
    assert_eq!(config.compression(), want, "{options:?}");
}

#[test]
fn compression_by_our_names_and_the_mysql_clients() {
    use Compression::{None as Not, Zlib, Zstd};
    check_compression(&[], &[]);
    check_compression(&[("compression", Some("zlib"))], &[Zlib(6)]);
    check_compression(&[("compression", Some("zstd:1, none"))], &[Zstd(1), Not]);
    check_compression(&[("compress", None)], &[Zlib(6), Zstd(3), Not]);
    check_compression(&[("compress", None), ("skip-compress", None)], &[]);
    check_compression(&[("compression-algorithms", Some("zstd,zlib,uncompressed"))], &[Zstd(3), Zlib(6), Not]);
    check_compression(&[("zstd_compression_level", Some("9")), ("compression_algorithms", Some("zstd"))], &[Zstd(9)]);
    check_compression(&[("compression-algorithms", Some("zstd")), ("zstd-compression-level", Some("9"))], &[Zstd(9)]);
    check_compression(&[("zstd-compression-level", Some("9")), ("compression", Some("zstd:2"))], &[Zstd(2)]);
    check_refused("compression", Some("gzip"), "is not a compression");
    check_refused("compression", Some("zstd:30"), "1 to 22");
    check_refused("zstd-compression-level", Some("0"), "1 to 22");
}

#[test]
fn compression_of_one_or_several() {
    assert_eq!(Config::new().with_compression(Compression::ZSTD).compression(), [Compression::Zstd(3)]);
    let either = [Compression::ZSTD, Compression::None];
    assert_eq!(Config::new().with_compression(either).compression(), either);
}

#[test]
fn pools_by_url() {
    let url = "mysql://h?pool-min=2&pool-max=5&pool-idle-timeout=0&pool-max-lifetime=1.5&pool-acquire-timeout=3\
               &pool-check-after=0&pool-reset=always";
    let want = PoolOptions::new()
        .with_min(2)
        .with_max(5)
        .with_idle_timeout(None)
        .with_max_lifetime(Some(Duration::from_millis(1500)))
        .with_acquire_timeout(Some(Duration::from_secs(3)))
        .with_check_after(Some(Duration::ZERO))
        .with_reset(crate::ResetPolicy::Always);
    assert_eq!(*Config::from_url(url).unwrap().pool(), want);
    assert_eq!(Config::from_url("mysql://h?pool-check-after=never").unwrap().pool().check_after, None);
    assert!(Config::from_url("mysql://h?pool-reset=maybe").is_err());
    assert!(Config::from_url("mysql://h?pool-size=3").is_err());
}

#[test]
fn pools_that_make_no_sense() {
    assert!(PoolOptions::new().with_max(0).check().is_err());
    assert!(PoolOptions::new().with_min(3).with_max(2).check().is_err());
    assert!(PoolOptions::new().with_min(2).with_max(2).check().is_ok());
}
