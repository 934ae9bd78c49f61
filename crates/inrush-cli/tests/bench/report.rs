//! `inrush bench report --html`: where the page goes and what it says. How it looks is `inrush-bench`'s to test.

use super::said;
use std::fs;
use std::process::{Command, Output};

const RUN: &str = r#"{"record":"run","version":1,"experiment":"insert","at":"2026-01-02T03:04:05Z","seed":1,"inrush":{"version":"0.1.0","commit":null},"machine":{"cpu":null,"cores":2,"memory":null,"kernel":null},"server":{"version":"MySQL 9.7.4","transport":"tcp","tls":null,"round_trip":0.0001,"settings":{}},"ddl":[],"options":{}}
{"record":"case","id":"row <script>","subject":"row <script>","with":{"commits":"once"},"group":"","rows":10,"unit":"rows","role":"subject"}
{"record":"sample","case":"row <script>","round":1,"seconds":0.5,"rows":10,"cut":false,"client_cpu":null,"server_cpu":null}
"#;

fn report(folder: &tempfile::TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(["bench", "report"]).args(arguments.split(' ')).current_dir(folder.path()).output().unwrap()
}

#[test]
fn a_page_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), RUN).unwrap();
    let printed = report(&folder, "a.jsonl --html");
    assert_eq!(printed.status.code(), Some(0), "{}", said(&printed));
    let page = String::from_utf8(printed.stdout).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("row &lt;script&gt;") && page.matches("<script").count() == 1, "{page}");
    assert!(page.contains("The run was killed"), "{page}");
    assert!(page.contains("<code>row &lt;script&gt;</code>, committed once"), "what the numbers say: {page}");

    let kept = report(&folder, "a.jsonl --html -o page.html");
    assert_eq!(kept.status.code(), Some(0), "{}", said(&kept));
    assert!(kept.stdout.is_empty() && said(&kept).contains("written: page.html"), "{}", said(&kept));
    assert_eq!(fs::read_to_string(folder.path().join("page.html")).unwrap(), page);

    let again = report(&folder, "a.jsonl --csv --output page.html");
    assert_eq!(again.status.code(), Some(1), "{}", said(&again));
    assert!(
        said(&again).contains("cannot write `page.html`")
            && said(&again).contains("existing files are not overwritten")
    );
    assert_eq!(fs::read_to_string(folder.path().join("page.html")).unwrap(), page);
}

#[test]
fn a_report_is_of_one_kind() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), RUN).unwrap();
    for (arguments, code, says) in [
        ("a.jsonl --html --csv", 1, "cannot be used with"),
        ("a.jsonl --markdown --html", 1, "cannot be used with"),
        ("b.jsonl --html", 1, "cannot read `b.jsonl`"),
        ("a.jsonl --html -o no/where.html", 1, "cannot write `no/where.html`"),
    ] {
        let done = report(&folder, arguments);
        assert_eq!(done.status.code(), Some(code), "{arguments}: {}", said(&done));
        assert!(said(&done).contains(says), "{arguments}: {}", said(&done));
    }
}
