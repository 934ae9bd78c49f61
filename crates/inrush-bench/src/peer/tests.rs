use super::*;
use inrush::sans_io::profile::Profile;
use inrush::sans_io::wire::ServerVersion;

fn hello(routes: &str, needs: &str) -> Hello {
    let line = format!(
        r#"{{"protocol": 1, "peer": "p", "version": "2", "routes": [{routes}], "cases": [
            {{"subject": "p slow", "commits": ["once"]}}, {{"subject": "p fast", "commits": ["each", "once"], "needs": [{needs}]}}]}}"#
    );
    serde_json::from_str(&line).unwrap()
}

fn place(socket: Option<&str>, tls: bool) -> ServerPlace {
    let socket = socket.map(str::to_owned);
    ServerPlace { host: "h".into(), port: 1, socket, tls, user: "u".into(), database: "d".into(), vendor: "mysql" }
}

#[track_caller]
fn check(hello: Hello, place: &ServerPlace, want: &str, want_left_out: &str) {
    let profile = Profile::of(&ServerVersion::parse("9.7.4"));
    let allowed = Allowed { profile, local_infile: false, no_files: None };
    let (cells, left_out) = cells(&[hello], &[10, 20], &allowed, place);
    let ids: Vec<_> = cells.iter().map(|cell| cell.case().id).collect();
    assert_eq!(ids.join(", "), want);
    let reasons: Vec<_> = left_out.iter().map(|way| format!("{}: {}", way.way, way.reason)).collect();
    assert_eq!(reasons.join(", "), want_left_out);
}

const SLOW: &str = "p slow / once / 10, p slow / once / 20";
const FAST: &str = "p fast / each statement / 10, p fast / once / 10, p fast / each statement / 20, p fast / once / 20";

#[test]
fn what_it_can_and_the_server_allows_is_measured() {
    check(hello(r#""tcp""#, ""), &place(None, false), &format!("{SLOW}, {FAST}"), "");
    check(hello(r#""tcp""#, r#""mysql""#), &place(None, false), &format!("{SLOW}, {FAST}"), "");
    check(hello(r#""socket""#, r#""mariadb""#), &place(Some("s"), false), SLOW, "p fast: only MariaDB has it");
    let off = "p fast: the server has `local_infile` off";
    check(hello(r#""tls""#, r#""local-infile""#), &place(None, true), SLOW, off);
    check(hello(r#""tcp""#, r#""no-tls""#), &place(None, false), &format!("{SLOW}, {FAST}"), "");
    let not_with_tls = "p fast: its library cannot do it over TLS";
    check(hello(r#""tls""#, r#""no-tls""#), &place(None, true), SLOW, not_with_tls);
    check(hello(r#""tls""#, r#""moon""#), &place(None, true), SLOW, "p fast: it needs `moon`, which is not known here");
}

#[test]
fn it_must_reach_the_server_as_we_do() {
    let left_out = |how: &str| {
        let reason = format!("`p` has no way to a server by {how}");
        format!("p slow: {reason}, p fast: {reason}")
    };
    check(hello(r#""tcp""#, ""), &place(Some("s"), false), "", &left_out("a Unix socket"));
    check(hello(r#""tcp", "socket""#, ""), &place(None, true), "", &left_out("TCP with TLS"));
    check(hello("", ""), &place(None, false), "", &left_out("TCP"));
}

#[test]
fn names_are_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = std::env::temp_dir().join(format!("inrush-peers-found-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    for (name, mode) in [("go-x", 0o755), ("rust-a", 0o755), ("rust-b", 0o755), ("rust-c", 0o644), ("c", 0o755)] {
        std::fs::write(folder.join(name), "").unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let found = |words: &str| {
        let words: Vec<_> = words.split(',').map(str::to_owned).collect();
        let programs = find(&folder, &words).map_err(|e| e.to_string())?;
        let names = programs.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
        Ok::<_, String>(names.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(found("all").unwrap(), "c go-x rust-a rust-b");
    assert_eq!(found("rust,go").unwrap(), "go-x rust-a rust-b");
    assert_eq!(found("rust-b,rust,c").unwrap(), "c rust-a rust-b");
    assert!(found("rus").unwrap_err().contains("no peer `rus` in"));
    assert!(found("rust-c").unwrap_err().contains("only `c`, `go-x`, `rust-a`, `rust-b`"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(found("all").unwrap_err().contains("cannot be read"));
}
