//! Copies of some rows (`--where`), of masked rows (`--mask`), and at a rate: between all kinds of servers, resumed, refused with other options.

use crate::copy::{command, copy, done, tables};
use crate::copy_resumed::{SMALL, source, target};
use crate::place::{Place, on};
use inrush_testkit::servers;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

/// A copy whose words may have blanks in them.
fn by_words(from: &Place, into: &Place, words: &[&str]) -> Command {
    let mut command = command(from, into, SMALL);
    command.args(words);
    command
}

/// Kills a copy at a fault point.
#[track_caller]
fn killed(from: &Place, into: &Place, words: &[&str], fault: &str) {
    let killed = by_words(from, into, words).env("INRUSH_FAULT", fault).output().unwrap();
    assert_eq!(killed.status.signal(), Some(9), "{fault}: {killed:?}");
}

#[test]
fn rows_that_a_condition_chooses() {
    on(servers::with_local_infile(), "copy_where", |from| {
        source(from);
        let into = target(from);
        let words = ["--where", "a: id <= 250 AND (id > 5)", "--where", "a > 40"];
        let dry = done(from, &into, by_words(from, &into, &words).arg("--dry-run"));
        assert_eq!((dry.code, dry.json["tables"][0]["where"].as_str()), (0, Some("id <= 250 AND (id > 5)")), "{dry}");
        killed(from, &into, &words, "commit.answered:2");
        // With another condition, or none, it does not go on.
        for (other, now) in
            [(&["--where", "a: id <= 260", "--where", "a > 40"][..], "`id <= 260`"), (&["--tables", "a"], "nothing")]
        {
            let refused = done(from, &into, &mut by_words(from, &into, other));
            assert_eq!(refused.code, 5, "{refused}");
            refused.says("rows of `origin`.`a` were copied by an earlier run with other options: where was ");
            refused.says(&format!("and is {now}"));
            refused.says("hint: give the options that it was begun with; `--truncate` copies the table anew");
        }
        let again = done(from, &into, &mut by_words(from, &into, &words));
        // Of `b` the rows of 1 come twice, and these are not chosen.
        assert_eq!(
            tables(&again),
            (0, ["a 245 true", "b 260 true", "c 10 true"].map(str::to_owned).to_vec()),
            "{again}"
        );
        for (table, condition) in [("a", "id <= 250 AND id > 5"), ("b", "a > 40"), ("c", "a > 40")] {
            let rows = |place: &Place, condition: &str| {
                place.sql(&format!("SELECT * FROM {table} WHERE {condition} ORDER BY 1, 2"))
            };
            assert_eq!(rows(&into, "TRUE"), rows(from, condition), "{table}");
        }
        // A row outside the condition is one too many.
        into.sql("INSERT INTO a VALUES (1, 'mine')");
        let refused = done(from, &into, &mut by_words(from, &into, &words));
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("the target lacks 0, has 1 more");
        // A table that is whole, with another condition.
        let other = ["--where", "a: id <= 300", "--where", "a > 40"];
        let refused = done(from, &into, &mut by_words(from, &into, &other));
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("`origin`.`a` were copied by an earlier run with other options");
        let fuzzy = done(from, &into, by_words(from, &into, &other).arg("--fuzzy"));
        assert_eq!(fuzzy.code, 5, "{fuzzy}");
        let anew = done(from, &into, by_words(from, &into, &other).arg("--truncate"));
        assert_eq!(tables(&anew).1[0], "a 300 true", "{anew}");
    });
}

#[test]
fn conditions_that_are_refused() {
    on(servers::spread(0), "copy_where_wrong", |from| {
        source(from);
        let into = target(from);
        for (condition, says) in [
            ("nix: id > 1", "`--where` names `origin`.`nix`, which is not among the tables that are copied"),
            ("b: nix > 1", "the condition `nix > 1` is wrong for `origin`.`b`"),
            ("a: id > 1) OR (1 = 1", "`id > 1) OR (1 = 1` is not one condition: brackets or quotes do not match"),
            ("a:", "`--where a:` has no condition"),
            ("a: id <= ?", "the condition `id <= ?` of `origin`.`a` has a placeholder, for which there is no value"),
            ("a: id <= :n", "has a placeholder, for which there is no value"),
            ("a: id > 1; DROP TABLE c", "is not one condition"),
            ("a: t < NOW()", "`--where a: t < NOW()` has `NOW`, whose value changes"),
        ] {
            let refused = done(from, &into, &mut by_words(from, &into, &["--where", condition]));
            assert_eq!((refused.code, into.sql("SHOW TABLES").as_str()), (1, ""), "{condition}: {refused}");
            refused.says(says);
        }
        // Foreign keys may point at rows that are left out, which is said.
        let mut loud = crate::copy::watched(from, &into, SMALL);
        let done = done(from, &into, loud.args(["--json", "--where", "a: id > 10"]));
        assert_eq!(tables(&done), (0, ["a 290 true", "b 350 true", "c 50 true"].map(str::to_owned).to_vec()), "{done}");
        done.says("rows of `c` may refer to rows of `a` that `--where` leaves out: foreign keys are not checked");
    });
}

const PEOPLE: &str = "
CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(60) CHARACTER SET utf8mb4, born DATE, code BINARY(20), n DECIMAL(9,2), d DOUBLE, j JSON, t TEXT CHARACTER SET utf8mb4,
  UNIQUE KEY (email));
CREATE TABLE visits (email VARCHAR(60) CHARACTER SET utf8mb4 PRIMARY KEY, at DATETIME(3), note TEXT CHARACTER SET utf8mb4);
CREATE TABLE hidden (email VARCHAR(60) CHARACTER SET utf8mb4);
";

const MASKS: &str = "email=email,born=year,code=hmac:16,people.t=redact";

fn people(from: &Place) {
    let each = |row: &dyn Fn(u32) -> String| (1..=250).map(row).collect::<Vec<_>>().join(",");
    let email = |id: u32| format!("'person{id}@secret.test'");
    from.sql(&format!(
        "{PEOPLE} INSERT INTO people VALUES {}; INSERT INTO people (id) VALUES (999); INSERT INTO visits VALUES {}; INSERT INTO hidden SELECT email FROM people",
        each(&|id| format!("({id}, {}, '1980-05-{:02}', 'code {id}', {id}.25, {id} / 3, '{{\"a\": [{id}, 1.50]}}', 'text {id}')", email(id), id % 28 + 1)),
        each(&|id| format!("({}, '2024-02-29 10:20:30.123', 'note {id}')", email(id)))
    ));
}

/// The file of a key.
fn key(from: &Place, name: &str) -> String {
    from.write(name, format!("{name}{}", "0123456789abcdef"));
    let path = from.path(name);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn masked_rows() {
    on(servers::with_local_infile(), "copy_masked", |from| {
        people(from);
        let (key, other_key) = (key(from, "key-one"), key(from, "key-two"));
        for into in [target(from), Place::new(from.server.clone(), "same")] {
            let words = ["--mask", MASKS, "--mask-key-file", &key];
            killed(from, &into, &words, "commit.answered:3");
            // Another key, other rules: it does not go on, and neither key nor values are shown.
            for other in [
                &["--mask", MASKS, "--mask-key-file", &other_key][..],
                &["--mask", "email=hmac", "--mask-key-file", &key],
                &[],
            ] {
                let refused = done(from, &into, &mut by_words(from, &into, other));
                assert_eq!(refused.code, 5, "{other:?}: {refused}");
                refused.says("were copied by an earlier run with other options: masks was ");
                for secret in ["secret.test", "key-one", "0123456789abcdef"] {
                    assert!(!refused.stderr.contains(secret), "{refused}");
                }
            }
            let again = done(from, &into, &mut by_words(from, &into, &words));
            let want = ["hidden 251 true", "people 251 true", "visits 250 true"].map(str::to_owned).to_vec();
            assert_eq!(tables(&again), (0, want.clone()), "{again}");
            assert_eq!(
                again.json["tables"][1]["verify"]["masked"].to_string(),
                r#"{"extra":0,"missing":0,"rows":251}"#
            );
            assert_eq!(
                into.sql("SELECT COUNT(*), COUNT(DISTINCT email), MIN(email LIKE '%@example.com'), MIN(born = '1980-01-01'), MIN(t LIKE 'xxx%') FROM people WHERE id < 999"),
                "250,250,1,1,1"
            );
            // One value is masked in one way everywhere.
            assert_eq!(
                into.sql("SELECT COUNT(*) FROM people JOIN visits USING (email) JOIN hidden USING (email)"),
                "250"
            );
            let ledger = into.sql("SELECT mapping FROM inrush_job");
            assert!(!ledger.contains("0123456789abcdef") && !ledger.contains("secret.test"), "{ledger}");
            // Once more it is compared, and a changed value is found, masked or not.
            let again = done(from, &into, &mut by_words(from, &into, &words));
            assert_eq!(tables(&again), (0, want.clone()), "{again}");
            let email = into.sql("SELECT email FROM people WHERE id = 7");
            for (change, says) in [
                ("UPDATE people SET email = 'x' WHERE id = 7", "masked, the target lacks 1, and has 1 others"),
                ("UPDATE people SET j = '{}' WHERE id = 9", "has other values in 1"),
            ] {
                into.sql(change);
                let refused = done(from, &into, &mut by_words(from, &into, &words));
                assert_eq!(refused.code, 5, "{change}: {refused}");
                refused.says(says);
                assert!(!refused.stderr.contains("secret.test"), "{refused}");
                into.sql(&format!("UPDATE people SET email = '{email}' WHERE id = 7"));
            }
        }
    });
}

/// A condition may name a value that is masked, so the ledger has a fingerprint of it.
#[test]
fn a_condition_beside_masks() {
    on(servers::with_local_infile(), "copy_masked_where", |from| {
        people(from);
        let (key, into) = (key(from, "key-one"), target(from));
        let by = |condition: &str| {
            let words = ["--tables", "people", "--where", condition, "--mask", "email=email", "--mask-key-file", &key];
            done(from, &into, &mut by_words(from, &into, &words))
        };
        let done = by("email > 'person7@secret.test'");
        assert_eq!(done.code, 0, "{done}");
        let n_rows = from.sql("SELECT COUNT(*) FROM people WHERE email > 'person7@secret.test'");
        assert_eq!(into.sql("SELECT COUNT(*) FROM people"), n_rows);
        let ledger = into.sql("SELECT mapping FROM inrush_job");
        assert!(ledger.contains("where") && !ledger.contains("secret.test"), "{ledger}");
        assert_eq!(by("email > 'person7@secret.test'").code, 0);
        let refused = by("email > 'person8@secret.test'");
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("were copied by an earlier run with other options: where was ");
        assert!(!refused.stderr.contains("secret.test"), "{refused}");
    });
}

#[test]
fn masks_that_are_refused() {
    on(servers::spread(1), "copy_masks_wrong", |from| {
        people(from);
        let key = key(from, "key-one");
        let into = target(from);
        for (mask, code, says) in [
            ("nix=hmac", 1, "nix"),
            ("email=card", 2, "the mask `card` does not fit"),
            ("email=fixed:x", 2, "makes two values of the unique column `email` equal"),
            ("born=card", 1, "born"),
        ] {
            let refused = done(
                from,
                &into,
                &mut by_words(from, &into, &["--tables", "people,visits", "--mask", mask, "--mask-key-file", &key]),
            );
            assert_eq!(refused.code, code, "{mask}: {refused}");
            refused.says(says);
            assert!(!refused.stderr.contains("secret.test"), "{refused}");
        }
        let refused = done(from, &into, &mut by_words(from, &into, &["--mask", "email=hmac"]));
        assert_eq!(refused.code, 1, "{refused}");
        refused.says("masks need a key, in a file");
    });
}

/// A rate changes no row; that it holds is a matter of the clock, which no test judges.
#[test]
fn rates_of_both_sides() {
    on(servers::spread(0), "copy_rates", |from| {
        source(from);
        let into = target(from);
        let arguments = format!("{SMALL} --rate 2k --read-rate 1k");
        let done = copy(from, &into, &arguments);
        assert_eq!(tables(&done), (0, ["a 300 true", "b 350 true", "c 50 true"].map(str::to_owned).to_vec()), "{done}");
        let refused = copy(from, &into, "--read-rate 0");
        assert_eq!(refused.code, 1, "{refused}");
    });
}
