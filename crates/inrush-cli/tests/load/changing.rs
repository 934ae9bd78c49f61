//! Files that change while they are read, or after they were loaded: nothing is mixed, cut or doubled without a word.

use crate::ledger::{held, lines};
use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Done, Place, Rows, everywhere, on};
use crate::session::{Session, await_true};
use crate::stopped::Running;
use inrush_testkit::servers::with_local_infile;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, SystemTime};

/// More than is read ahead of a chunk that waits.
const ROWS: u64 = 60_000;

const ARGS: &str = "numbers.csv --into numbers --batch 1000 --lanes 1";

fn same(id: u64) -> String {
    format!("{id},{id}")
}

/// Loads `ROWS` rows; once some are stored and the next chunk waits for a row, `change` is done to the file, and the load goes on.
#[track_caller]
fn changed_meanwhile(place: &Place, args: &str, change: impl FnOnce()) -> Done {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.write("numbers.csv", numbers(ROWS, same));
    while_it_waits(place, args, 5_000, change)
}

#[track_caller]
fn while_it_waits(place: &Place, args: &str, row: u64, change: impl FnOnce()) -> Done {
    let holder = Session::open(place, &format!("BEGIN; INSERT INTO numbers VALUES ({row}, {row})"));
    let load = Running::start(place, args);
    await_true("a chunk that waits", || place.server.is_a_row_waited_for(place.schema.name()));
    change();
    drop(holder);
    load.end()
}

/// The load ended with exit 2, some rows are stored, and exactly those that it names.
#[track_caller]
fn is_noticed(place: &Place, done: &Done, why: &str) {
    assert_eq!((done.code, &done.json["stop"]["why"]), (2, &"source".into()), "{done}");
    done.says(why);
    done.says("hint: ");
    let named = check_table(place, done, |_| true);
    assert!(!named.is_empty() && (named.len() as u64) < ROWS, "{done}");
}

#[test]
fn a_file_that_is_cut_at_a_line_end() {
    everywhere("cut_meanwhile", |place| {
        let keep: u64 = numbers(40_000, same).len() as u64;
        for args in [ARGS.to_owned(), format!("{ARGS} --guarantee at-least-once")] {
            let cut = || OpenOptions::new().write(true).open(place.path("numbers.csv")).unwrap().set_len(keep).unwrap();
            is_noticed(place, &changed_meanwhile(place, &args, cut), "error: `numbers.csv` was cut from ");
        }
        changed_meanwhile(place, ARGS, || {
            OpenOptions::new().write(true).open(place.path("numbers.csv")).unwrap().set_len(keep).unwrap();
        });
        // What is stored is compared, and is still there.
        let done = place.go_on(ARGS);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(40_000))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "40000");
    });
}

#[test]
fn a_file_that_is_overwritten_in_place() {
    everywhere("overwritten", |place| {
        let other = numbers(ROWS, |id| format!("{id},{}", if id == 1 { 1 } else { id ^ 1 }));
        let overwrite = || {
            let file = OpenOptions::new().write(true).open(place.path("numbers.csv")).unwrap();
            file.write_all_at(other.as_bytes(), 0).unwrap();
        };
        let done = changed_meanwhile(place, ARGS, overwrite);
        is_noticed(place, &done, "error: `numbers.csv` was written to while it was loaded");
        let again = place.go_on(ARGS);
        assert_eq!(again.code, 5, "{again}");
        again.says("is not the source whose rows are stored");
    });
}

#[test]
fn a_file_that_grows_goes_on_with_what_was_appended() {
    everywhere("grows", |place| {
        let append = || {
            let mut file = OpenOptions::new().append(true).open(place.path("numbers.csv")).unwrap();
            file.write_all((ROWS + 1..=ROWS + 10).map(|id| same(id) + "\n").collect::<String>().as_bytes()).unwrap();
        };
        is_noticed(place, &changed_meanwhile(place, ARGS, append), "error: `numbers.csv` grew from ");
        let done = place.go_on(ARGS);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS + 10))), "{done}");
        assert_eq!(lines(place), [1, 0, 0]);
    });
}

#[test]
fn a_file_that_another_one_replaces_is_loaded_as_it_was() {
    everywhere("replaced", |place| {
        let replace = || {
            place.write("new.csv", "id,value\n1,2\n");
            fs::rename(place.path("new.csv"), place.path("numbers.csv")).unwrap();
        };
        let done = changed_meanwhile(place, ARGS, replace);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS))), "{done}");
        done.says("`numbers.csv` is another file now");
    });
}

#[test]
fn a_file_that_is_but_touched_is_loaded() {
    on(with_local_infile(), "touched_meanwhile", |place| {
        let done = changed_meanwhile(place, ARGS, || touch(place));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS))), "{done}");
    });
}

/// All of it was read when it changed, but the job was not done.
#[test]
fn a_file_that_changes_before_the_job_is_done() {
    everywhere("before_done", |place| {
        for args in ["numbers.csv --into numbers", "numbers.csv --into numbers --guarantee at-least-once"] {
            place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
            place.write("numbers.csv", numbers(10, same));
            let done = while_it_waits(place, args, 5, || place.write("numbers.csv", numbers(10, |id| same(id + 20))));
            assert_eq!((done.code, done.rows()), (2, Some(Rows::stored(10))), "{args}: {done}");
            assert_eq!(done.json["stop"]["why"], "source", "{done}");
            done.says("stored: numbers.csv, records 1 to 10");
        }
    });
}

/// A line that was stored while it was being written must not become two.
#[test]
fn a_last_line_that_goes_on_is_not_cut_in_two() {
    everywhere("torn", |place| {
        for name in ["numbers.csv", "numbers.csv.gz"] {
            place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
            let write = |end: &str| {
                let text = numbers(9, same) + end;
                if name.ends_with("gz") {
                    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                    out.write_all(text.as_bytes()).unwrap();
                    place.write(name, out.finish().unwrap());
                } else {
                    place.write(name, text);
                }
            };
            write("10,1000");
            let args = format!("{name} --into numbers");
            let done = while_it_waits(place, &args, 5, || write("10,10000\n11,11\n"));
            assert_eq!((done.code, done.rows()), (2, Some(Rows::stored(10))), "{done}");
            let again = place.go_on(&args);
            assert_eq!(again.code, 5, "{again}");
            again.says("line 11 was its last one, had no line end, and goes on now");
            assert_eq!(place.sql("SELECT COUNT(*), MAX(value) FROM numbers"), "10,1000");
        }
    });
}

#[test]
fn a_finished_file_of_which_a_byte_was_changed_is_asked_about() {
    everywhere("a_byte", |place| {
        place.sql("CREATE TABLE numbers (id INT, value INT)");
        place.write("numbers.csv", numbers(999, same));
        let first = place.load(ARGS);
        assert_eq!((first.code, first.rows()), (0, Some(Rows::stored(999))), "{first}");
        touch(place);
        let touched = place.done(&place.command(&format!("{ARGS} --json")).output().unwrap());
        assert_eq!((touched.code, &touched.json["jobs"][0]["state"]), (0, &"already-loaded".into()), "{touched}");
        touched.says("`numbers.csv` was written since it was loaded, and its content looks the same");
        place.write("numbers.csv", numbers(999, |id| if id == 500 { "500,501".into() } else { same(id) }));
        let changed = place.go_on(ARGS);
        assert_eq!((changed.code, changed.rows()), (5, None), "{changed}");
        changed.says("UTC with another content, and rows of it may be in this one as well");
        changed.says("`--again` loads it all once more");
        assert_eq!(held(place), "999,499500");
        let again = place.go_on(&format!("{ARGS} --again"));
        assert_eq!((again.code, held(place).as_str()), (0, "1998,999001"), "{again}");
    });
}

/// As from another machine: the same name and another content, while the first run is at work.
#[test]
fn another_content_of_the_same_name_stops_nobody() {
    everywhere("two_machines", |place| {
        let replace = || {
            place.write("new.csv", numbers(ROWS, |id| same(id + 100_000)));
            fs::rename(place.path("new.csv"), place.path("numbers.csv")).unwrap();
            let second = place.go_on(ARGS);
            assert_eq!(second.code, 5, "{second}");
            second.says("is not the source whose rows are stored");
        };
        let first = changed_meanwhile(place, ARGS, replace);
        assert_eq!((first.code, first.rows()), (0, Some(Rows::stored(ROWS))), "{first}");
    });
}

fn touch(place: &Place) {
    let file = File::options().write(true).open(place.path("numbers.csv")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
}
