use super::*;
use line::parse;
use std::fs;

/// Writes `files` into a fresh folder and reads the first.
fn read_files(files: &[(&str, &str)]) -> Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Config::from_option_files(Some(&folder.path().join(files[0].0)))
}

#[test]
fn reads_its_groups_and_no_other() {
    let config = read_files(&[(
        "my.cnf",
        "[mysqld]\nport = 1\n[client]\nuser=ann\nport=2\n prompt = \\u\n[inrush]\nport=3\n[mysql]\nport=4\n",
    )])
    .unwrap();
    assert_eq!((config.user(), config.port()), ("ann", 3));
}

#[test]
fn what_comes_later_wins_also_over_inrush() {
    let config = read_files(&[("my.cnf", "[inrush]\nport=3\n[client]\nport=5\n")]).unwrap();
    assert_eq!(config.port(), 5);
}

#[test]
fn includes_are_followed_from_where_the_file_is() {
    let config = read_files(&[
        ("my.cnf", "[client]\nuser=a\n!include more/one.cnf\n!includedir more/d\n"),
        ("more/one.cnf", "[client]\nuser=b\nport=7\n"),
        ("more/d/b.cnf", "[client]\ndatabase=second\n"),
        ("more/d/a.cnf", "[client]\ndatabase=first\n"),
        ("more/d/c.txt", "[client]\ndatabase=ignored\n"),
    ])
    .unwrap();
    assert_eq!((config.user(), config.port(), config.database()), ("b", 7, Some("second")));
}

#[test]
fn a_circle_ends() {
    let error = read_files(&[("my.cnf", "!include my.cnf\n")]).unwrap_err();
    assert!(error.message().contains("deep"), "{error}");
}

#[test]
fn a_group_ends_with_its_file() {
    let config = read_files(&[("my.cnf", "!include one.cnf\nport=9\n"), ("one.cnf", "[client]\nuser=b\n")]).unwrap();
    assert_eq!(config.port(), 3306);
}

#[track_caller]
fn check_socket(text: &str, want: Option<&str>) {
    let config = read_files(&[("my.cnf", text)]).unwrap();
    assert_eq!(config.socket(), want.map(Path::new), "{text}");
}

#[test]
fn a_socket_counts_for_this_host_only() {
    check_socket("[client]\nsocket=/s\n", Some("/s"));
    check_socket("[client]\nsocket=/s\nhost=localhost\n", Some("/s"));
    check_socket("[client]\nsocket=/s\nhost=db\n", None);
    check_socket("[client]\nhost=db\nsocket=/s\n[inrush]\nhost=localhost\n", Some("/s"));
    check_socket("[client]\nsocket=/s\nprotocol=TCP\n", None);
}

#[test]
fn unknown_options_are_errors_in_our_group_only() {
    read_files(&[("my.cnf", "[client]\nno-such-thing=1\n[inrush]\nloose_no_such_thing\n")]).unwrap();
    let error = read_files(&[("my.cnf", "[inrush]\nno-such-thing=1\n")]).unwrap_err();
    assert!(error.message().contains("no-such-thing") && error.hint().unwrap().contains("local-infile"), "{error:?}");
    assert_eq!(error.place().unwrap().line, 2);
}

#[test]
fn a_missing_file_is_an_error_when_named() {
    let error = Config::from_option_files(Some(Path::new("/no/such/file.cnf"))).unwrap_err();
    assert!(error.message().contains("/no/such/file.cnf"), "{error}");
}

#[test]
fn a_file_that_anybody_may_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.cnf");
    fs::write(&path, "[client]\nport=1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let error = Config::from_option_files(Some(&path)).unwrap_err();
    assert!(error.message().contains("everybody may write"), "{error}");
}

#[test]
fn a_huge_file_is_refused() {
    let error = read_files(&[("my.cnf", &"#".repeat(2 << 20))]).unwrap_err();
    assert!(error.message().contains("too large"), "{error}");
}

#[test]
fn mistakes_show_the_line_and_no_value() {
    let error = read_files(&[("my.cnf", "[client]\n\npassword = \"secret\n")]).unwrap_err();
    assert_eq!(error.place().unwrap().line, 3);
    assert!(!format!("{error:?}").contains("secret"), "{error:?}");
}

#[track_caller]
fn check_value(line: &str, want: &str) {
    assert_eq!(parse(line).unwrap(), Line::Option { name: "a", value: Some(want.to_owned()) }, "{line}");
}

#[test]
fn values() {
    check_value("a=b", "b");
    check_value("  a = b c ", "b c");
    check_value("a=b # comment", "b");
    check_value("a=p#w", "p");
    check_value("a=\"p#w\" # comment", "p#w");
    check_value("a='p\"w'", "p\"w");
    check_value("a=\"it''s\"", "it''s");
    check_value("a=\"q\\\"q\"", "q\"q");
    check_value("a=\\ta\\sb\\\\c\\d", "\ta b\\c\\d");
    check_value("a=", "");
    check_value("a=b=c", "b=c");
    check_value("a=;b", ";b");
    check_value("a=ä\\", "ä\\");
}

#[test]
fn lines_without_a_value() {
    assert_eq!(parse("quick # fast").unwrap(), Line::Option { name: "quick", value: None });
    assert_eq!(parse("  ; comment").unwrap(), Line::Empty);
    assert_eq!(parse("[ client ] # x").unwrap(), Line::Group("client"));
    assert_eq!(parse("!includedir /etc/my dir").unwrap(), Line::IncludeDir("/etc/my dir"));
}

#[test]
fn lines_that_say_nothing() {
    for line in ["[client", "!inklude x", "= x", "two words", "two words = x", "a = \"x", "a = 'x' y"] {
        parse(line).unwrap_err();
    }
}
