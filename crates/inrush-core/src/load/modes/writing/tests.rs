//! The statements of each mode around its rows, and how it reads the answers to a LOAD.

use crate::column::ColumnType;
use crate::load::modes::writing::*;
use crate::wire::ServerVersion;

fn columns() -> Vec<Column> {
    let column =
        |name: &str| Column { nullable: false, optional: false, ..Column::new(name, ColumnType::parse("int")) };
    ["id", "a", "b"].map(column).to_vec()
}

fn writing_on(mode: Mode, server: &str, update_triggers: bool) -> Writing {
    let keys = Keys { unique: Vec::new(), update_triggers };
    let profile = Profile::of(&ServerVersion::parse(server));
    Writing::new(mode, "`d`.`t`", "`d`.`s`", &columns(), vec!["id".into()], &keys, &profile).unwrap()
}

fn writing(mode: Mode) -> Writing {
    writing_on(mode, "9.7.4", false)
}

#[track_caller]
fn says(writing: &Writing, load: &str, verb: &str, tail: &str) {
    assert_eq!((writing.load_into().as_str(), writing.verb, writing.tail.as_str()), (load, verb, tail));
}

#[test]
fn what_stands_around_the_rows() {
    says(&writing(Mode::Insert), "INTO TABLE `d`.`t`", "INSERT INTO", "");
    says(&writing(Mode::Ignore), "IGNORE INTO TABLE `d`.`t`", "INSERT INTO", " ON DUPLICATE KEY UPDATE `id`=`id`");
    says(&writing(Mode::Replace), "REPLACE INTO TABLE `d`.`t`", "REPLACE INTO", "");
    let tail = " AS inrush_new ON DUPLICATE KEY UPDATE `a`=inrush_new.`a`,`b`=inrush_new.`b`";
    says(&writing(Mode::Upsert), "INTO TABLE `d`.`s`", "INSERT INTO", tail);
    says(&writing(Mode::Update), "INTO TABLE `d`.`s`", "INSERT INTO", "");
}

#[test]
fn where_the_alias_is_not_known() {
    let tail = " ON DUPLICATE KEY UPDATE `a`=VALUES(`a`),`b`=VALUES(`b`)";
    for server in ["10.11.19-MariaDB", "8.0.18", "8.0.11-TiDB-v8.5.1"] {
        assert_eq!(writing_on(Mode::Upsert, server, false).tail, tail, "{server}");
    }
}

#[test]
fn a_trigger_would_make_something_of_an_update_that_does_nothing() {
    let plain = writing_on(Mode::Ignore, "9.7.4", true);
    assert_eq!(plain.tail, "");
    assert!(plain.skips(1062) && !plain.skips(1452) && !writing(Mode::Insert).skips(1062));
}

#[test]
fn which_rows_go_through_a_stage() {
    for mode in Mode::ALL {
        let writing = writing(mode);
        let staged = Method::LOADS.map(|method| writing.stage(method).is_some());
        let want = match mode {
            Mode::Update | Mode::Delete | Mode::Undo => [true; 4],
            Mode::Upsert => [true, false, false, false],
            _ => [false; 4],
        };
        assert_eq!(staged, want, "{mode}");
        assert_eq!(writing.fills(Method::MultiRow), if want[3] { "`d`.`s`" } else { "`d`.`t`" });
    }
}

#[test]
fn an_update_needs_something_to_set() {
    let profile = Profile::of(&ServerVersion::parse("9.7.4"));
    let columns = &columns()[..1];
    let key = vec!["id".into()];
    assert!(Writing::new(Mode::Update, "t", "s", columns, key, &Keys::default(), &profile).is_err());
}

#[track_caller]
fn load(mode: Mode, counts: [u64; 4], verdict: Verdict, counted: [u64; 3]) {
    let [records, deleted, skipped, warnings] = counts;
    let answer = LoadCounts { records, deleted, skipped, warnings };
    assert_eq!(writing(mode).compare_counts(10, answer), verdict);
    if verdict != Verdict::Doubt {
        let Counted { stored, skipped, changed } = writing(mode).count_load(answer);
        assert_eq!([stored, skipped, changed.unwrap()], counted);
    }
}

#[test]
fn answers_to_a_load() {
    load(Mode::Insert, [10, 0, 0, 0], Verdict::Clean, [10, 0, 0]);
    load(Mode::Insert, [10, 0, 1, 1], Verdict::Doubt, [0; 3]);
    load(Mode::Ignore, [10, 0, 0, 0], Verdict::Clean, [10, 0, 0]);
    load(Mode::Ignore, [10, 0, 4, 4], Verdict::Warned, [6, 4, 0]);
    load(Mode::Ignore, [10, 0, 4, 0], Verdict::Doubt, [0; 3]);
    load(Mode::Ignore, [9, 0, 0, 0], Verdict::Doubt, [0; 3]);
    load(Mode::Replace, [10, 3, 0, 0], Verdict::Clean, [10, 0, 3]);
    load(Mode::Replace, [10, 3, 1, 1], Verdict::Doubt, [0; 3]);
    load(Mode::Upsert, [10, 0, 1, 1], Verdict::Doubt, [0; 3]);
}

#[track_caller]
fn accepts(mode: Mode, codes: &[u16], skipped: u64, total: u64, want: bool) {
    let warnings: Vec<LoadWarning> =
        codes.iter().map(|&code| LoadWarning { code, message: "for column 'a' at row 1".into() }).collect();
    let mut accepted = AcceptedWarnings::default();
    accepted.learn(&[LoadWarning { code: 1265, message: "for column 'a' at row 9".into() }]);
    let answer = LoadCounts { records: 10, deleted: 0, skipped, warnings: total };
    assert_eq!(writing(mode).accepts(&warnings, answer, &accepted), want);
}

#[test]
fn warnings_of_a_load() {
    accepts(Mode::Ignore, &[1062, 1062], 2, 2, true);
    accepts(Mode::Ignore, &[1062, 1265], 1, 2, true);
    accepts(Mode::Ignore, &[1062, 1366], 1, 2, false);
    accepts(Mode::Ignore, &[1062, 1452], 2, 2, false);
    // A trigger's own row was a duplicate, and is missing.
    accepts(Mode::Ignore, &[1062, 1062], 1, 2, false);
    accepts(Mode::Ignore, &[1062, 1062], 70_000, 70_000, false);
    accepts(Mode::Insert, &[1062], 1, 1, false);
    accepts(Mode::Insert, &[1265], 0, 1, true);
}
