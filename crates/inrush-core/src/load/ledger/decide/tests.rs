use crate::load::ledger::decide::*;
use crate::load::ledger::{JobId, LastRun, Totals};

const OLD: fn() -> Identity = || Identity { name: "/a.csv".into(), size: Some(1000), modified: Some(5), hash: 77 };

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
        mapping: mapping(","),
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

fn mapping(delimiter: &str) -> Mapping {
    Mapping::default().with("delimiter", delimiter)
}

/// The differences from a run that finds everything unchanged.
#[derive(Clone, Copy)]
struct Now {
    size: Option<u64>,
    modified: i64,
    hash: u64,
    delimiter: &'static str,
    again: bool,
    skip_loaded: bool,
    mode: Mode,
    held: Held<'static>,
    undone: Undone,
    lost: Option<&'static str>,
    old_head: Option<u64>,
}

const SAME: Now = Now {
    size: Some(1000),
    modified: 5,
    hash: 77,
    delimiter: ",",
    again: false,
    skip_loaded: false,
    mode: Mode::Insert,
    held: Held::Rows(20),
    undone: Undone::No,
    lost: None,
    old_head: None,
};
const OTHER: Now = Now { size: Some(900), modified: 6, hash: 78, ..SAME };
const GROWN: Now = Now { size: Some(1100), modified: 6, hash: 78, old_head: Some(77), ..SAME };
const TOUCHED: Now = Now { modified: 6, ..SAME };
const STREAM: Now = Now { size: None, ..SAME };

#[track_caller]
fn check(line: Option<JobLine>, now: Now, want: &str) {
    let identity = Identity { size: now.size, modified: Some(now.modified), hash: now.hash, ..OLD() };
    let mapping = mapping(now.delimiter);
    let run = Run {
        identity: &identity,
        mapping: &mapping,
        named: None,
        may_take_over: true,
        again: now.again,
        skip_loaded: now.skip_loaded,
        mode: now.mode,
        repeatable: now.mode.is_repeatable(),
        held: now.held,
        undone: now.undone,
        lost: now.lost,
        old_head: now.old_head,
    };
    let got = match one(line.as_ref(), &run) {
        Opening::Refused(error) => {
            assert_eq!((error.kind(), error.hint().is_some()), (Kind::Guarantee, true));
            format!("refused: {error}")
        }
        other => format!("{other:?}"),
    };
    assert!(if want.is_empty() { false } else { got.contains(want) }, "{got}");
}

fn running(now: Now, want: &str) {
    check(Some(line(State::Running)), now, want);
}

fn done(now: Now, want: &str) {
    check(Some(line(State::Done)), now, want);
}

#[test]
fn no_line() {
    check(None, SAME, "Fresh");
    check(None, Now { again: true, held: Held::Rows(0), ..SAME }, "Fresh");
}

#[test]
fn a_running_job_is_gone_on_with() {
    running(SAME, "Resume");
    running(Now { held: Held::Rows(21), ..SAME }, "Resume");
    running(Now { held: Held::Unknown, ..SAME }, "Resume");
}
#[test]
fn its_file_may_be_mended() {
    for now in [OTHER, GROWN, TOUCHED, STREAM] {
        running(now, "Resume");
    }
}
#[test]
fn but_not_read_in_another_way() {
    running(
        Now { delimiter: ";", ..SAME },
        "refused: `/a.csv` is loaded in part, and was read in another way then: delimiter",
    );
}
#[test]
fn unless_nothing_of_it_is_stored() {
    let mut empty = line(State::Running);
    empty.totals = Totals::default();
    check(Some(empty.clone()), Now { delimiter: ";", held: Held::Rows(0), ..SAME }, "Anew");
    check(Some(empty.clone()), Now { again: true, held: Held::Rows(0), ..SAME }, "Anew");
    check(Some(empty), Now { held: Held::Rows(0), ..SAME }, "Resume");
}
#[test]
fn nor_loaded_again() {
    running(Now { again: true, ..SAME }, "refused: `/a.csv` is not loaded to its end");
}
#[test]
fn nor_into_a_table_that_lost_its_rows() {
    running(
        Now { held: Held::Rows(19), ..SAME },
        "refused: 20 rows of `/a.csv` are stored, and table `shop.people` holds fewer",
    );
    running(Now { held: Held::Rows(0), mode: Mode::Upsert, ..SAME }, "refused");
}

#[test]
fn a_finished_job_is_not_repeated() {
    done(SAME, "AlreadyLoaded");
    done(Now { mode: Mode::Upsert, ..SAME }, "AlreadyLoaded");
}
#[test]
fn whatever_columns_it_added() {
    let mut added = line(State::Done);
    added.mapping = added.mapping.with(Mapping::ADDED, "city INT NULL");
    check(Some(added.clone()), SAME, "AlreadyLoaded");
    // A run that continues a job takes them from its line.
    check(Some(JobLine { state: State::Running, ..added }), SAME, "added was `city INT NULL` and is nothing");
}
#[test]
fn unless_asked_for() {
    for now in [SAME, OTHER, GROWN, TOUCHED, STREAM] {
        done(Now { again: true, held: Held::Rows(0), ..now }, "Anew");
    }
}
#[test]
fn what_may_hold_the_old_rows_is_refused() {
    done(GROWN, "refused: `/a.csv` was loaded on 2026-01-01 00:01:00 UTC and has grown since");
    done(Now { delimiter: ";", ..SAME }, "UTC, and was read in another way then: delimiter was");
    done(STREAM, "refused: a stream that begins like `/a.csv` was loaded");
    let other = "refused: `/a.csv` was loaded on 2026-01-01 00:01:00 UTC with another content";
    done(OTHER, other);
    done(Now { old_head: Some(78), ..GROWN }, other);
    done(Now { size: Some(1000), ..OTHER }, other);
    // Shorter now, whatever its head was.
    done(Now { size: Some(999), old_head: Some(77), ..OTHER }, other);
}
#[test]
fn a_named_stream_that_is_believed_to_be_the_same_is_skipped() {
    let skips = Now { skip_loaded: true, ..STREAM };
    done(skips, "AlreadyLoaded");
    done(Now { hash: 78, ..skips }, "refused: a stream that begins like `/a.csv` was loaded");
    done(Now { held: Held::Rows(0), ..skips }, "refused: a stream");
    done(Now { again: true, ..skips }, "Anew");
    done(
        Now { skip_loaded: true, ..GROWN },
        "refused: `/a.csv` was loaded on 2026-01-01 00:01:00 UTC and has grown since",
    );
}
#[test]
fn but_where_nothing_is_doubled() {
    for now in [OTHER, GROWN, STREAM, Now { delimiter: ";", ..SAME }] {
        done(Now { mode: Mode::Upsert, ..now }, "Anew");
    }
}
#[test]
fn what_was_but_touched_is_loaded() {
    done(TOUCHED, "AlreadyLoaded");
    done(Now { mode: Mode::Upsert, ..TOUCHED }, "AlreadyLoaded");
    done(
        Now { held: Held::Rows(0), ..TOUCHED },
        "refused: 20 rows of `/a.csv` are stored, and table `shop.people` is empty",
    );
}
#[test]
fn a_table_that_was_emptied_is_not_called_loaded() {
    done(
        Now { held: Held::Rows(0), ..SAME },
        "refused: 20 rows of `/a.csv` are stored, and table `shop.people` is empty",
    );
    done(Now { held: Held::Rows(0), mode: Mode::Upsert, ..SAME }, "Anew");
    done(Now { held: Held::Unknown, ..SAME }, "AlreadyLoaded");
}

#[test]
fn every_mode_looks_at_what_is_stored() {
    for mode in [Mode::Replace, Mode::Upsert, Mode::Update] {
        done(Now { mode, held: Held::Rows(1), ..SAME }, "AlreadyLoaded");
        done(Now { mode, held: Held::Rows(0), ..SAME }, "Anew");
        running(Now { mode, held: Held::Rows(0), ..SAME }, "and table `shop.people` is empty");
    }
    done(Now { mode: Mode::Ignore, held: Held::Rows(19), ..SAME }, "Anew");
    // It leaves none.
    done(Now { mode: Mode::Delete, held: Held::Rows(0), ..SAME }, "AlreadyLoaded");
    for mode in Mode::ALL {
        let want = if mode == Mode::Insert { "and table `shop.people` is gone" } else { "Anew" };
        done(Now { mode, held: Held::NoTable, ..SAME }, want);
        running(Now { mode, held: Held::NoTable, ..SAME }, "and table `shop.people` is gone");
    }
}
#[test]
fn what_stored_nothing_is_loaded_into_a_new_table() {
    for state in [State::Done, State::Running] {
        let empty = JobLine { totals: Totals::default(), ..line(state) };
        let want = if state == State::Done { "Anew" } else { "Resume" };
        check(Some(empty), Now { held: Held::NoTable, ..SAME }, want);
    }
}
#[test]
fn a_copy_that_is_filled_is_looked_at_too() {
    let copy = |held| Now { held: Held::InCopy("people__inrush_new", held), ..SAME };
    running(copy(Some(20)), "Resume");
    running(copy(Some(19)), "are stored in table `people__inrush_new`, which holds fewer");
    running(copy(None), "which is gone, and `shop.people` was not replaced");
    let begun = JobLine { totals: Totals::default(), ..line(State::Running) };
    check(Some(begun), copy(None), "Resume");
}

#[test]
fn not_every_row_is_counted() {
    let mut much = line(State::Running);
    much.totals.rows = 1 << 40;
    assert_eq!(much.look_for(Mode::Insert), MOST_COUNTED);
    check(Some(much), Now { held: Held::Rows(MOST_COUNTED), ..SAME }, "Resume");
}

/// Two sources into a table that is to be emptied.
#[track_caller]
fn emptied(lines: [Option<JobLine>; 2], now: [Now; 2], want: &str) {
    let identity = |now: &Now| Identity { size: now.size, modified: Some(now.modified), hash: now.hash, ..OLD() };
    let (identities, mapping) = (now.map(|now| identity(&now)), mapping(","));
    let run = |i: usize| Run {
        named: None,
        may_take_over: true,
        identity: &identities[i],
        mapping: &mapping,
        again: now[i].again,
        skip_loaded: false,
        mode: now[i].mode,
        repeatable: false,
        held: now[i].held,
        undone: Undone::No,
        lost: now[i].lost,
        old_head: now[i].old_head,
    };
    let openings = decide(&[(lines[0].as_ref(), run(0)), (lines[1].as_ref(), run(1))], true);
    let got: Vec<_> = openings.iter().map(|opening| format!("{opening:?}")).collect();
    assert_eq!(got.join(", ").split("(").next().unwrap(), want);
}

#[test]
fn a_table_is_emptied_for_all_or_for_none() {
    let loaded = || Some(line(State::Done));
    let begun = |step: JobStep, chunks: u64| {
        let mut line = line(State::Running);
        (line.step, line.totals.chunks) = (step, chunks);
        Some(line)
    };
    emptied([None, None], [SAME; 2], "Fresh, Fresh");
    emptied([loaded(), loaded()], [SAME; 2], "AlreadyLoaded, AlreadyLoaded");
    // Otherwise the rows of the first source would be lost.
    emptied([loaded(), None], [SAME; 2], "Anew, Fresh");
    emptied([loaded(), loaded()], [SAME, OTHER], "Anew, Anew");
    emptied([loaded(), loaded()], [GROWN, SAME], "Anew, Anew");
    emptied([begun(JobStep::Truncate, 0), loaded()], [SAME; 2], "Resume, AlreadyLoaded");
    emptied([begun(JobStep::Begin, 2), None], [SAME; 2], "Resume, Fresh");
    emptied([begun(JobStep::Truncate, 2), loaded()], [SAME, GROWN], "Resume, Refused");
    // Nothing has happened yet.
    emptied([begun(JobStep::Begin, 0), loaded()], [SAME; 2], "Resume, Anew");
}

#[test]
fn a_column_that_is_gone() {
    let lost = Now { lost: Some("city"), ..SAME };
    running(lost, "20 rows of `/a.csv` are stored, and column `city` of table `shop.people` is gone");
    running(Now { delimiter: ";", ..lost }, "column `city` of table `shop.people` is gone");
    done(lost, "and column `city` of table `shop.people` is gone");
    done(Now { mode: Mode::Upsert, ..lost }, "Anew");
    done(Now { again: true, ..lost }, "Anew");
    // What is not stored has lost nothing.
    let empty = JobLine { totals: Totals::default(), ..line(State::Running) };
    check(Some(empty), lost, "Resume");
    check(None, lost, "Fresh");
}

#[test]
fn the_job_of_another_user_is_not_taken_over() {
    let (identity, mapping) = (OLD(), mapping(","));
    let run = Run {
        identity: &identity,
        mapping: &mapping,
        named: None,
        may_take_over: false,
        again: false,
        skip_loaded: false,
        mode: Mode::Insert,
        repeatable: false,
        held: Held::Rows(20),
        undone: Undone::No,
        lost: None,
        old_head: None,
    };
    let refused = |line: &JobLine, run: &Run<'_>| match one(Some(line), run) {
        Opening::Refused(error) => error.message().to_owned(),
        other => format!("{other:?}"),
    };
    let (running, done) = (line(State::Running), line(State::Done));
    assert!(refused(&running, &run).contains("user `ann@%`"), "{}", refused(&running, &run));
    // Nothing of it is stored, but it may be running.
    let begun = JobLine { totals: Totals::default(), ..running.clone() };
    assert!(refused(&begun, &Run { again: true, ..run }).contains("user `ann@%`"));
    assert!(matches!(one(Some(&running), &Run { may_take_over: true, ..run }), Opening::Resume));
    assert!(matches!(one(Some(&done), &run), Opening::AlreadyLoaded));
}

/// An object has one content or another; a file may have grown.
#[test]
fn an_object_in_part_continues_with_the_same_content_alone() {
    let object = |hash, chunks| {
        let identity = Identity { name: "s3://b/a.csv".into(), hash, ..OLD() };
        let mapping = mapping(",");
        let run = Run {
            identity: &identity,
            mapping: &mapping,
            named: None,
            may_take_over: true,
            again: false,
            skip_loaded: false,
            mode: Mode::Insert,
            repeatable: false,
            held: Held::Rows(20),
            undone: Undone::No,
            lost: None,
            old_head: None,
        };
        let mut line = line(State::Running);
        line.totals.chunks = chunks;
        one(Some(&line), &run)
    };
    assert!(matches!(object(77, 2), Opening::Resume));
    assert!(matches!(object(78, 0), Opening::Anew));
    assert!(matches!(object(78, 2), Opening::Refused(error) if error.message().contains("ETag")));
}

#[test]
fn what_was_undone_is_loaded_again() {
    let undone = |undone, mode| Now { undone, mode, held: Held::Rows(0), ..SAME };
    done(undone(Undone::Beside, Mode::Insert), "Anew");
    done(Now { hash: 78, ..undone(Undone::Beside, Mode::Insert) }, "Anew");
    done(undone(Undone::InPlace, Mode::Upsert), "Anew");
    done(Now { again: true, ..undone(Undone::InPlace, Mode::Insert) }, "Anew");
    done(undone(Undone::InPlace, Mode::Insert), "refused: `/a.csv` was loaded on 2026-01-01 00:01:00 UTC in place of");
}
