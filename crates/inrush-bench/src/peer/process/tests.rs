use super::*;
use crate::insert::Commits;
use inrush_testkit::patience::{patience, until};
use std::os::unix::fs::PermissionsExt as _;

/// Writes a program that runs `hello`, answers `prepare`, and runs the shell script `run` for other messages.
fn program(test: &str, hello: &str, run: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("inrush-peer-{test}-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let script = format!(
        "#!/usr/bin/env bash\ncd '{}'\n{hello}\nwhile read -r message; do\n\
         case $message in *prepare*) echo '{{\"ready\": 3}}' ;; *) {run} ;; esac\ndone\n",
        folder.display()
    );
    let path = folder.join("fake");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

/// Long enough for a program that runs to write down the processes that must end with it.
const SHORT: Duration = Duration::from_secs(1);

const HELLO: &str = r#"echo '{"protocol": 1, "peer": "Fake", "version": "7", "routes": ["tcp"], "cases": [{"subject": "fake", "commits": ["once"]}]}'"#;

/// Runs a case of three rows. Nothing of the peer is left afterwards.
fn outcome(test: &str, hello: &str, run: &str) -> Result<Written> {
    let (folder, program) = program(test, hello, run);
    // Only what never comes has the short limit: to start a program may take long.
    let limit = |text: &str| if text.contains("sleep 600") { SHORT } else { patience() };
    let done = attempt(&program, limit(hello), limit(run));
    let left: Vec<u32> =
        fs::read_to_string(folder.join("pids")).unwrap_or_default().lines().map(|pid| pid.parse().unwrap()).collect();
    // A process that received a signal ends when it is scheduled; a dead one may wait for its new parent to reap it.
    let is_there = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    until(format_args!("the end of {left:?}"), || !left.iter().any(is_there));
    fs::remove_dir_all(&folder).unwrap();
    done
}

/// The limits are those for its description, and for its run.
fn attempt(program: &Path, hello: Duration, run: Duration) -> Result<Written> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut peers = Peers::start(&[program.to_owned()], Some("secret"), hello, stop)?;
    peers.patience = run;
    assert_eq!(peers.versions(), "Fake 7");
    let place = ServerPlace {
        host: "h".into(),
        port: 1,
        socket: None,
        tls: false,
        user: "u".into(),
        database: "d".into(),
        vendor: "mysql",
    };
    for peer in &mut peers.peers {
        let _: Ready = peer.ask(&json!({ "op": "prepare", "server": place }), "prepare", patience(), &peers.stop)?;
    }
    let cell = PeerCell { peer: 0, subject: "fake".into(), commits: Commits::Once, rows: 3 };
    peers.run(&cell, "t", 2, Duration::ZERO)
}

#[track_caller]
fn fails(test: &str, run: &str, kind: Kind, says: &str) {
    let error = outcome(test, HELLO, run).unwrap_err();
    assert_eq!((error.kind(), error.to_string().contains(says)), (kind, true), "{error}");
    assert!(error.to_string().contains("the peer `fake`"), "{error}");
}

#[track_caller]
fn says_nothing_good(test: &str, hello: &str, says: &str) {
    let error = outcome(test, hello, "exit").unwrap_err();
    assert!(error.kind() == Kind::Protocol && error.to_string().contains(says), "{error}");
}

const GOOD: &str = r#"sleep 0.01; echo '{"seconds": 0.002, "rows": 3, "cut": false, "client_cpu": 0.001}'"#;

#[test]
fn a_good_one_is_believed() {
    let written = outcome("good", HELLO, GOOD).unwrap();
    assert_eq!((written.took, written.rows, written.cut), (Duration::from_millis(2), 3, false));
    assert_eq!(written.client_cpu, Duration::from_millis(1));
    let cut = GOOD.replace('3', "2").replace("false", "true");
    let written = outcome("cut", HELLO, &cut).unwrap();
    assert_eq!((written.rows, written.cut), (2, true));
}

#[test]
fn it_gets_the_password_by_its_environment_and_is_told_what_to_do() {
    let run = r#"printf '%s' "$INRUSH_PASSWORD|$message" >&2; exit 3"#;
    let error = outcome("told", HELLO, run).unwrap_err().to_string();
    assert!(error.contains("(exit code 3): secret|"), "{error}");
    for part in [r#""subject":"fake""#, r#""commits":"once""#, r#""rows":3"#, r#""statement_rows":2"#, r#""first":1"#] {
        assert!(error.contains(part), "{part} is not in {error}");
    }
}

#[test]
fn one_that_dies_is_named_with_its_last_words() {
    fails(
        "dies",
        "echo oops >&2; echo 'no more' >&2; exit 9",
        Kind::Protocol,
        "ended when it was to run `fake` (exit code 9): no more",
    );
    fails("killed", "kill -9 $$", Kind::Protocol, "(signal 9)");
    fails("half", "printf '{\"seconds\"'; exit", Kind::Protocol, "(exit code 0)");
}

#[test]
fn one_that_hangs_is_ended_with_all_that_it_started() {
    fails("hangs", "sleep 600 & echo $! >pids; echo $$ >>pids; sleep 600", Kind::Protocol, "did not run `fake` within");
    // It ends normally, and leaves a process running.
    let leaves = format!("sleep 900 >/dev/null 2>&1 & echo $! >pids; {GOOD}");
    outcome("leaves", HELLO, &leaves).unwrap();
}

#[test]
fn rubbish_is_not_taken_for_an_answer() {
    fails("garbage", "echo 'warning: <b>'", Kind::Protocol, "said `warning: <b>`");
    fails("misses", "echo '{\"rows\": 3}'", Kind::Protocol, "said `{\"rows\": 3}`");
    fails("endless", "head -c 3000000 /dev/zero", Kind::Protocol, "bytes without a line's end");
    let twice = format!("{HELLO}; echo '{{}}'");
    let error = outcome("unasked", &twice, GOOD).unwrap_err().to_string();
    // The line is read before the request or as its answer, whichever is sooner.
    assert!(error.contains("said `{}`"), "{error}");
}

#[test]
fn what_cannot_be_is_not_believed() {
    fails("more", &GOOD.replace("\"rows\": 3", "\"rows\": 4"), Kind::Protocol, "stored 4 rows of 3");
    fails("fewer", &GOOD.replace("\"rows\": 3", "\"rows\": 2"), Kind::Protocol, "stored 2 rows of 3 and was not cut");
    fails("uncut", &GOOD.replace("false", "true"), Kind::Protocol, "stored 3 rows of 3 and was cut");
    fails("slower", &GOOD.replace("0.002", "300.0"), Kind::Protocol, "says that it took 300 s");
    fails("negative", &GOOD.replace("0.002", "-1.0"), Kind::Protocol, "says that it took -1 s");
}

#[test]
fn what_it_could_not_do_is_told() {
    fails("error", "echo '{\"error\": \"table full\"}'", Kind::Server, "could not run `fake`: table full");
}

#[test]
fn one_that_does_not_say_what_it_is_is_named() {
    says_nothing_good("silent", "exit 5", "ended when it was to say what it is (exit code 5)");
    says_nothing_good("mute", "echo $$ >pids; sleep 600", "did not say what it is within");
    says_nothing_good(
        "newer",
        &HELLO.replace("\"protocol\": 1", "\"protocol\": 2"),
        "speaks version 2 of the protocol, not 1",
    );
    says_nothing_good("babble", "echo hello", "said `hello`");
}

#[test]
fn an_interruption_ends_the_waiting() {
    let (folder, program) = program("stopped", HELLO, "sleep 600");
    let stop = Arc::new(AtomicBool::new(false));
    let mut peers = Peers::start(&[program], None, patience(), stop.clone()).unwrap();
    stop.store(true, Relaxed);
    let cell = PeerCell { peer: 0, subject: "fake".into(), commits: Commits::Each, rows: 3 };
    let error = peers.run(&cell, "t", 2, patience()).unwrap_err();
    assert_eq!(error.kind(), Kind::Interrupted);
    drop(peers);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_no_program_is_a_mistake_of_the_command_line() {
    let error = Peers::start(&[PathBuf::from("/nowhere/at/all")], None, GRACE, Arc::default()).unwrap_err();
    assert!(error.kind() == Kind::Config && error.to_string().contains("/nowhere/at/all"), "{error}");
}

#[test]
fn rows_lie_where_nobody_else_reads_them_and_go() {
    let file = RowsFile::write("1\tAnn\n").unwrap();
    let path = file.path();
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\tAnn\n");
    assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    drop(file);
    assert!(!path.exists());
}
