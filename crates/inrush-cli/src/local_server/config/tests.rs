use super::*;

fn text(vendor: Vendor, extra: &[&str]) -> Result<String> {
    let home = Home::at(Path::new("/nowhere/a server")).unwrap();
    let extra: Vec<_> = extra.iter().map(ToString::to_string).collect();
    server_options(&Settings { home: &home, vendor, port: 3333, buffer_pool: 1 << 28, extra: &extra })
}

#[track_caller]
fn refuses(extra: &str, want: &str) {
    let message = text(Vendor::Mysql, &[extra]).unwrap_err().to_string();
    assert!(message.contains(want), "{message}");
}

#[test]
fn it_listens_on_the_loopback_only_and_is_durable() {
    for vendor in [Vendor::Mysql, Vendor::Mariadb] {
        let text = text(vendor, &[]).unwrap();
        for line in [
            "bind-address = 127.0.0.1",
            "port = 3333",
            "local-infile = 1",
            "innodb-flush-log-at-trx-commit = 1",
            "innodb-doublewrite = 1",
            "innodb-buffer-pool-size = 268435456",
            "datadir = \"/nowhere/a server/data\"",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in {text}");
        }
    }
}

#[test]
fn own_options_come_last() {
    assert!(text(Vendor::Mariadb, &["innodb_io_capacity=2000"]).unwrap().ends_with("innodb_io_capacity=2000\n"));
}
#[test]
fn an_option_that_would_hide_the_server() {
    refuses("datadir=/elsewhere", "`datadir` belongs to inrush")
}
#[test]
fn with_an_underscore() {
    refuses("bind_address=*", "`bind-address` belongs to inrush")
}
#[test]
fn a_second_line() {
    refuses("a=1\nuser=root", "not a server option")
}
#[test]
fn another_section() {
    refuses("[client]", "not a server option")
}
#[test]
fn no_name() {
    refuses("=1", "not a server option")
}

#[test]
fn paths_are_quoted() {
    assert_eq!(quoted(Path::new("/a b/#c\\d")).unwrap(), r#""/a b/#c\\d""#);
    assert!(quoted(Path::new("/a\"b")).is_err());
    assert!(quoted(Path::new("/a\nb")).is_err());
}

#[test]
fn memory_stays_in_its_limits() {
    assert!((128 << 20..=2 << 30).contains(&share_of_memory()));
}
