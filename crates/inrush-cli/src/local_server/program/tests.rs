use super::*;

#[track_caller]
fn version(said: &str, want: Option<(Vendor, &str)>) {
    assert_eq!(parse_version(said), want.map(|(vendor, version)| (vendor, version.to_owned())));
}

#[test]
fn a_mysql() {
    version("mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", Some((Vendor::Mysql, "9.7.4-2")))
}
#[test]
fn a_mariadb() {
    version(
        "/a/mysqld  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu",
        Some((Vendor::Mariadb, "10.11.19-MariaDB-0+deb12u1")),
    )
}
#[test]
fn another_program() {
    version("ls (GNU coreutils) 9.1", None)
}
#[test]
fn a_version_without_a_number() {
    version("Ver x", None)
}
#[test]
fn nothing_said() {
    version("", None)
}

const HELP: &str =
    "Variables\nbasedir   /usr\nbasedirs /no\nlc-messages-dir  /usr/share/mysql/\ntmpdir  (No default value)\n";

#[test]
fn an_option_is_found_by_its_whole_name() {
    assert_eq!(option_value(HELP, "basedir"), Some("/usr"));
    assert_eq!(option_value(HELP, "lc-messages-dir"), Some("/usr/share/mysql/"));
    assert_eq!(option_value(HELP, "lc-messages"), None);
}

#[test]
fn an_option_without_a_value_is_none() {
    assert_eq!(option_value(HELP, "tmpdir"), None);
}
