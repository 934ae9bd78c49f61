use crate::load::ledger::undo::*;
use crate::load::ledger::{JobId, JobStep, LastRun, Totals};

fn mapping(mode: &str, delimiter: &str) -> Mapping {
    Mapping::default().with("mode", mode).with("delimiter", delimiter)
}

fn line(state: State) -> JobLine {
    JobLine {
        id: JobId([7; 16]),
        version: 1,
        epoch: 3,
        target: "shop.people".into(),
        source: "/a.csv".into(),
        size: Some(1000),
        modified: Some(5),
        hash: Some(77),
        mapping: mapping("insert", ","),
        step: JobStep::Before,
        indexes: None,
        state,
        totals: Totals { chunks: 2, records: 20, rows: 20, skipped: 0, rejected: 0 },
        started: "2026-01-01 00:00:00".into(),
        finished: "2026-01-01 00:01:00".into(),
        owner: "ann@%".into(),
        copied: String::new(),
        run: LastRun::default(),
    }
}

fn done() -> JobLine {
    line(State::Done)
}

const UNDONE: &str = "undone";

fn undone() -> JobLine {
    JobLine { copied: UNDONE.into(), ..done() }
}

/// `want`: what is decided, or a part of the error's message.
#[track_caller]
fn check(line: Option<JobLine>, own: Option<JobLine>, want: Result<Undoable, &str>) {
    check_as(line, own, ("ann@%", false, ","), want)
}

#[track_caller]
fn check_as(
    line: Option<JobLine>,
    own: Option<JobLine>,
    (me, force, delimiter): (&str, bool, &str),
    want: Result<Undoable, &str>,
) {
    let identity = Identity { name: "/a.csv".into(), size: Some(1000), modified: Some(9), hash: 77 };
    let mapping = mapping("undo", delimiter);
    let copied = line.as_ref().map_or("", |line| &line.copied);
    let load = Load {
        line: line.as_ref(),
        source: "a.csv",
        identity: &identity,
        mapping: &mapping,
        by_copy: !copied.is_empty() && copied != UNDONE,
        was_undone: copied == UNDONE,
        force,
        me,
    };
    match (undoable(&load, own.as_ref()), want) {
        (Ok(got), Ok(want)) => assert_eq!(got, want),
        (Err(error), Err(part)) => {
            assert!(error.kind() == Kind::Guarantee && error.message().contains(part), "{error:?}");
            assert!(error.hint().is_some());
        }
        (got, want) => panic!("{got:?} in place of {want:?}"),
    }
}

const FIRST: Result<Undoable, &str> = Ok(Undoable::Yes { again: false });

#[test]
fn what_was_loaded_is_undone() {
    check(Some(done()), None, FIRST);
}
#[test]
fn an_undo_goes_on() {
    check(Some(done()), Some(line(State::Running)), FIRST);
}
#[test]
fn what_was_undone_is_not_again() {
    check(Some(undone()), Some(done()), Ok(Undoable::WasUndone));
}
#[test]
fn what_was_loaded_again_is_undone_again() {
    check(Some(done()), Some(done()), Ok(Undoable::Yes { again: true }));
}
#[test]
fn an_undo_that_was_forgotten() {
    check(Some(undone()), None, Err("was deleted before"));
}
#[test]
fn nothing_was_loaded() {
    check(None, None, Err("was not loaded into this table"));
}
#[test]
fn not_finished() {
    check(Some(line(State::Running)), None, Err("is not loaded to its end"));
}
#[test]
fn of_another_version() {
    check(Some(JobLine { version: 9, ..done() }), None, Err("another version"));
}
#[test]
fn another_mode() {
    check(Some(JobLine { mapping: mapping("upsert", ","), ..done() }), None, Err("`--mode upsert`"));
}
#[test]
fn a_refresh() {
    check(Some(JobLine { copied: "definition=ab renames=1".into(), ..done() }), None, Err("by a copy of the table"));
}
#[test]
fn a_stream() {
    check(Some(JobLine { size: None, ..done() }), None, Err("is a stream"));
}
#[test]
fn another_content() {
    check(Some(JobLine { hash: Some(78), ..done() }), None, Err("with another content"));
    check(Some(JobLine { size: Some(999), ..done() }), None, Err("with another content"));
}
#[test]
fn rejected_rows() {
    let totals = Totals { rejected: 2, ..done().totals };
    check(Some(JobLine { totals, ..done() }), None, Err("2 of `a.csv` were rejected"));
}
#[test]
fn read_in_another_way() {
    check_as(Some(done()), None, ("ann@%", false, ";"), Err("delimiter was `,` and is `;`"));
}
#[test]
fn of_another_user() {
    check_as(Some(done()), None, ("bob@%", false, ","), Err("was loaded by user `ann@%`"));
    check_as(Some(done()), None, ("bob@%", true, ","), FIRST);
}
