//! docs/bad-input.md, written from the cases that the tests run on every server: what the guide shows is what is printed.

use crate::case::{Case, words};
use crate::{bad_rows, bad_whole, own_server};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn the_guide_shows_what_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bad-input.md");
    if std::env::var_os("INRUSH_WRITE_GUIDE").is_some() {
        std::fs::write(&path, guide()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, guide(), "write it anew: INRUSH_WRITE_GUIDE=1 cargo test -p inrush-cli --test load guide");
}

fn guide() -> String {
    let mut text = String::from(INTRODUCTION);
    for (heading, lead, cases) in PARTS {
        let _ = write!(text, "\n## {heading}\n");
        if !lead.is_empty() {
            let _ = write!(text, "\n{lead}\n");
        }
        for case in *cases {
            section(&mut text, case);
        }
    }
    text + END
}

fn section(text: &mut String, case: &Case) {
    let _ = write!(text, "\n### {}\n\n", case.title);
    if !case.advice.is_empty() {
        let _ = write!(text, "{}\n\n", case.advice);
    }
    text.push_str("```console\n");
    for (name, bytes) in case.files() {
        let _ = write!(text, "$ cat {name}\n{}", shown(bytes));
    }
    let _ = writeln!(text, "$ inrush load {}", case.args);
    let (mysql, mariadb) = (words(case.says, true), words(case.says, false));
    if mysql != mariadb {
        let line = |said: &str| said.lines().next().unwrap_or_default().to_owned();
        let rest: String = mysql.lines().skip(1).map(|line| format!("{line}\n")).collect();
        let _ = write!(text, "{}        # MySQL\n{}        # MariaDB\n{rest}", line(&mysql), line(&mariadb));
    } else if !mysql.is_empty() {
        let _ = writeln!(text, "{mysql}");
    }
    let _ = write!(text, "$ echo $?\n{}\n```\n", case.code);
}

/// A file as a terminal shows it: bytes without a character of their own in hex.
fn shown(file: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in file.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() && c != '\n' {
                let _ = write!(shown, "\\x{:02x}", c as u32);
            } else {
                shown.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}

const PARTS: &[(&str, &str, &[Case])] = &[
    (
        "Before the first row",
        "The file, the table, the mapping or the options are wrong. Nothing is sent, except the rows of a `stored:` line.",
        bad_whole::CASES,
    ),
    (
        "A bad row",
        "In each of these the second of three rows is bad. By default the load stops there, and no row of that chunk is \
         stored. With `--bad-rows skip` the other two are stored, the bad one is counted and named, and the exit code is 4. With \
         `--bad-rows divert:rejected.csv` the bad record is also written to `rejected.csv` under the header, unchanged, \
         and the reason to `rejected.csv.log` (file, line, column, server error, reason, separated by tabs). Correct the records \
         there and load that file by the same command.",
        bad_rows::CASES,
    ),
    ("The server", "", own_server::CASES),
];

const INTRODUCTION: &str = "\
# Bad input: messages, and what to do

The messages below are what the command prints to standard error with `-q`. Tests run each case on MySQL and on both
MariaDBs, with LOAD DATA and with INSERTs, and compare the message, the exit code and the table. The tests generate this
page.

A message has three parts: the error with its place (file, line, column), a hint, and which records are in the table. The
line is the first line of the record, counted from 1 in the decompressed text. `--json` prints the same as one
document: `rows` (read = stored + rejected + not_loaded + unknown), `stop` (message, source, line, column, hint),
`first_rejects`, `stored_records`, `unknown_records`.

| exit code | it means | the table holds |
|---|---|---|
| 0 | every row stored | every row |
| 1 | wrong usage, file, table or mapping | the same rows as before |
| 2 | stopped at bad data | the records of the `stored:` lines, and no others of the files |
| 3 | the server or the network failed | the same; rows in an `unknown:` line may be there |
| 4 | finished, some rows rejected | every row but those |
| 5 | refused: rows could be stored twice, be lost, or undo what others did ([reasons](load.md#exit-codes)) | the same rows as before |
| 130 | interrupted | the records of the `stored:` lines |
";

const END: &str = "
### Other failures

| what happens | message | exit code |
|---|---|---|
| a wrong password | ``cannot log in to `..`: Access denied for user 'app'@'localhost' (using password: YES) (server error 1045, SQLSTATE 28000)``, and the sources of a password | 1 |
| no server | ``cannot connect to `127.0.0.1:3306`: Connection refused (os error 111)``, with a hint | 3 |
| a full disk, a full table | `The table 'people' is full (server error 1114, SQLSTATE HY000)`, which records are stored, and what to look at | 3 |
| no answer for 30 s (a lock, a disk that the server waits for) | `no answer to LOAD DATA for 30 s on lane 1; the server says: Query for 30 s, state ..`, and again every 30 s; the load keeps waiting | |
| a lock wait time-out | `Lock wait timeout exceeded; try restarting transaction (server error 1205, SQLSTATE HY000)`; no row of that chunk is stored | 3 |
| a connection that is lost in the middle of a chunk | the error, and which records are stored; no row of that chunk is stored | 3 |
| a connection that is lost during a COMMIT | `unknown: people.csv, records 201 to 300 (lines 202 to 301): in the table or not; look for them before you load them again` | 3 |
| LOCAL INFILE switched off during a load | with `--method auto`: ``method multi-row-prepared: `load-data` was refused: ..`` (`bulk` on MariaDB), and the load continues; no row is lost or doubled | 0 |
| Ctrl-C or SIGTERM | once: the chunks in progress are finished; `interrupted: what is stored stays`, and which records are stored. Twice: the connections are closed | 130 |
";
