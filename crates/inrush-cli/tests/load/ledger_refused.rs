//! Where nothing is done (exit 5) because a row could be lost or doubled, and what the message offers instead.

use crate::ledger::{held, lines};
use crate::numbers::{TABLE, numbers};
use crate::place::{Place, Rows, everywhere, on};
use inrush_testkit::servers::with_local_infile;

const ARGS: &str = "numbers.csv --into numbers --batch 100 --lanes 1";

/// A load of which 200 of 300 rows are stored; `mended` goes on with it.
fn half_loaded(place: &Place) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.write("numbers.csv", numbers(300, |id| if id == 250 { "250,x".into() } else { format!("{id},{id}") }));
    let stopped = place.load(ARGS);
    assert_eq!((stopped.code, held(place).as_str()), (2, "200,20100"), "{stopped}");
    place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
}

#[track_caller]
fn refused(place: &Place, args: &str, why: &str, hint: &str) {
    let before = place.sql("SELECT COUNT(*), COALESCE(SUM(value), 0) FROM numbers");
    let done = place.go_on(args);
    assert_eq!((done.code, done.rows()), (5, None), "{done}");
    done.says(why);
    done.says(hint);
    assert_eq!(place.sql("SELECT COUNT(*), COALESCE(SUM(value), 0) FROM numbers"), before);
}

#[test]
fn a_job_that_would_be_read_in_another_way() {
    everywhere("another_way", |place| {
        half_loaded(place);
        for (args, why) in [
            ("--skip 1 --no-header", "header was `line 1` and is `none`; lines passed over was `0` and is `1`"),
            (
                "--columns value,id",
                "columns was `id from field 1, value from field 2` and is `value from field 1, id from field 2`",
            ),
            ("--limit 290", "limit was `none` and is `290`"),
            ("--time-zone +02:00", "time zone was `+00:00` and is `+02:00`"),
        ] {
            refused(place, &format!("{ARGS} {args}"), why, "hint: give the options that it was begun with");
        }
        refused(
            place,
            &format!("{ARGS} --again"),
            "is not loaded to its end",
            "hint: without `--again` it is gone on with",
        );
        let done = place.go_on(&format!("{ARGS} --bad-rows skip --method multi-row --null NA"));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        refused(
            place,
            &format!("{ARGS} --limit 290"),
            "limit was `none` and is `290`",
            "`--again` loads it all once more, beside its old rows",
        );
    });
}

#[test]
fn a_job_of_which_nothing_is_stored_may_be_begun_in_another_way() {
    everywhere("nothing_stored", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| if id == 7 { "7,x".into() } else { format!("{id},{id}") }));
        let stopped = place.load("numbers.csv --into numbers --limit 299");
        assert_eq!((stopped.code, stopped.rows().unwrap().stored), (2, 0), "{stopped}");
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        let done = place.go_on("numbers.csv --into numbers");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
    });
}

#[test]
fn a_table_that_lost_its_rows() {
    everywhere("lost_rows", |place| {
        for how in [
            "TRUNCATE numbers",
            "DROP TABLE numbers; CREATE TABLE numbers (id INT PRIMARY KEY, value INT)",
            "DELETE FROM numbers WHERE id = 7",
        ] {
            half_loaded(place);
            place.sql(how);
            let why = "200 rows of `";
            refused(place, ARGS, why, "and begin anew; or put the table back as it was");
            let forget = place.go_on(ARGS);
            let id = forget.stderr.split("--forget ").nth(1).unwrap().split('`').next().unwrap().to_owned();
            place.done(&place.command(&format!("--forget {id}")).output().unwrap());
            place.sql("TRUNCATE numbers");
            let done = place.go_on(ARGS);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
            place.sql("TRUNCATE numbers");
            refused(place, ARGS, "300 rows of `", "hint: `--truncate` loads it all anew");
            let again = place.go_on(&format!("{ARGS} --truncate"));
            assert_eq!((again.code, held(place).as_str()), (0, "300,45150"), "{again}");
        }
        // An ALTER loses none.
        half_loaded(place);
        place.sql("ALTER TABLE numbers MODIFY value BIGINT, ADD INDEX (value)");
        let done = place.go_on(ARGS);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
    });
}

#[test]
fn a_file_that_may_hold_its_old_rows() {
    everywhere("old_rows", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        assert_eq!(place.load(ARGS).code, 0);
        place.write("numbers.csv", numbers(400, |id| format!("{id},{id}")));
        refused(place, ARGS, "UTC and has grown since", "`--again` loads it all once more, beside its old rows");
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        // Written once more, and the same.
        let done = place.go_on(ARGS);
        assert_eq!((done.code, &done.json["jobs"][0]["state"]), (0, &"already-loaded".into()), "{done}");
        // Another content is another load if that is said, and so is a mode that doubles nothing.
        place.write("numbers.csv", numbers(100, |id| format!("{0},{0}", id + 1000)));
        refused(place, ARGS, "UTC with another content", "`--again` loads it all once more, beside its old rows");
        let done = place.go_on(&format!("{ARGS} --again"));
        assert_eq!(
            (done.code, done.rows(), held(place).as_str()),
            (0, Some(Rows::stored(100)), "400,150200"),
            "{done}"
        );
        place.write("numbers.csv", numbers(110, |id| format!("{0},{0}", id + 1000)));
        let done = place.go_on(&format!("{ARGS} --mode upsert"));
        assert_eq!((done.code, held(place).as_str()), (0, "410,161255"), "{done}");
    });
}

#[test]
fn a_file_whose_stored_part_was_changed() {
    everywhere("changed_part", |place| {
        half_loaded(place);
        place.write("numbers.csv", numbers(300, |id| if id == 7 { "7,8".into() } else { format!("{id},{id}") }));
        refused(place, ARGS, "numbers.csv", "hint: ");
        let trusted = place.go_on(&format!("{ARGS} --trust-source"));
        assert_eq!((trusted.code, held(place).as_str()), (0, "300,45150"), "{trusted}");
    });
}

#[test]
fn a_user_who_may_not_keep_a_ledger() {
    on(with_local_infile(), "no_rights", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        let (schema, user) = (place.schema.name(), format!("l{}", place.schema.name().rsplit('_').next().unwrap()));
        place.server.sql(&format!(
            "CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; GRANT SELECT, INSERT ON `{schema}`.numbers TO {user}@localhost"
        ));
        let load = |args: &str| {
            let mut command = place.bare(&format!("numbers.csv --into numbers --json -q {args}"));
            command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
            place.done(&command.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap())
        };
        let done = load("");
        assert_eq!((done.code, done.rows()), (5, None), "{done}");
        done.says("keeps a ledger in database `shop`, and this user may not: ");
        done.says("hint: `GRANT CREATE, SELECT, INSERT, UPDATE, DELETE` on `shop` ");
        let done = load("--guarantee at-least-once");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        // The tables are there by then, and only what is done with them is missing.
        place.sql("TRUNCATE numbers");
        assert_eq!(place.load("numbers.csv --into numbers").code, 0);
        place.sql("TRUNCATE numbers");
        for table in ["inrush_job", "inrush_chunk", "inrush_reject"] {
            let done = load("--again");
            assert_eq!((done.code, done.rows()), (5, None), "{table}: {done}");
            place
                .server
                .sql(&format!("GRANT SELECT, INSERT, UPDATE, DELETE ON `{schema}`.{table} TO {user}@localhost"));
        }
        let done = load("--again");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        assert_eq!(lines(place), [1, 0, 0]);
        place.server.sql(&format!("DROP USER {user}@localhost"));
    });
}
