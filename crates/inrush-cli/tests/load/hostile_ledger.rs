//! The ledger is data that every loader's user may write: nothing of it is run, and a job is its owner's.

use crate::ledger::held;
use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, everywhere, on};
use crate::stopped::{Running, await_true};
use inrush_testkit::servers::with_local_infile;

const PETS: &str = "DROP TABLE IF EXISTS pets; CREATE TABLE pets (id INT PRIMARY KEY, name VARCHAR(20), w INT, \
     KEY by_name (name(3) DESC) COMMENT 'it''s', KEY by_w (w))";

const ATTACK: &str = "ADD KEY `by_w` (`w`) /*(*/, DROP COLUMN `w`, RENAME TO `other`.`loot` /*)*/";

/// Every text that is no list of definitions is refused, nothing is changed, and with the right text the load goes on.
#[test]
fn sql_in_the_ledger_is_not_run() {
    everywhere("hostile", |place| {
        place.sql(PETS);
        // What only the server knows: what is known before changes nothing.
        place.write("pets.csv", "id,name\n1,Ann\n1,Bob\n");
        let args = "pets.csv --into pets --defer-indexes";
        let stopped = place.load(args);
        assert_eq!(stopped.code, 2, "{stopped}");
        assert!(!place.sql("SHOW CREATE TABLE pets").contains("by_w"));
        let kept = place.sql("SELECT HEX(`indexes`) FROM inrush_job");
        place.write("pets.csv", "id,name\n1,Ann\n2,Bob\n");
        let create = place.sql("SHOW CREATE TABLE pets");
        for attack in [
            ATTACK,
            "ADD KEY `by_w` (`w`), DROP COLUMN `w`",
            "ADD KEY `by_w` (`w`) /*!80000 INVISIBLE, DROP COLUMN `w` */",
            "ADD KEY `by_w` (`w`) COMMENT 'a', ENGINE=MEMORY",
            "DROP COLUMN `w`",
            "DROP COLUMN `w`; --",
        ] {
            place.sql(&format!("UPDATE inrush_job SET `indexes` = '{}'", attack.replace('\'', "''")));
            let refused = place.go_on(args);
            assert_eq!((refused.code, refused.rows()), (5, None), "{attack}: {refused}");
            refused.says("no list of index definitions, so it is not run");
            assert_eq!(place.sql("SHOW CREATE TABLE pets"), create, "{attack}");
            // Nor is it shown as a statement that a person might run.
            let status = place.done(&place.command("--status --json").output().unwrap());
            assert!(status.json["jobs"][0]["rebuild"].is_null(), "{status}");
        }
        place.sql(&format!("UPDATE inrush_job SET `indexes` = UNHEX('{kept}')"));
        let status = place.done(&place.command("--status --json").output().unwrap());
        let rebuild = status.json["jobs"][0]["rebuild"].as_str().unwrap();
        assert!(rebuild.starts_with("ALTER TABLE `shop`.`pets` ADD KEY `by_name` (`name`(3)"), "{rebuild}");
        let done = place.go_on(args);
        assert_eq!(done.code, 0, "{done}");
        let create = place.sql("SHOW CREATE TABLE pets");
        assert!(
            create.contains("KEY `by_name` (`name`(3) DESC) COMMENT 'it''s'") && create.contains("`by_w`"),
            "{create}"
        );
        assert_eq!(place.sql("SELECT COUNT(*) FROM pets"), "2");
    });
}

/// Numbers that somebody made up are an error, no panic and no report that does not add up.
#[test]
fn odd_numbers_in_the_ledger_are_refused() {
    on(with_local_infile(), "hostile_numbers", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| if id == 250 { "250,x".into() } else { format!("{id},{id}") }));
        let args = "numbers.csv --into numbers --batch 100 --lanes 1";
        assert_eq!(place.load(args).code, 2);
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        for (column, value) in [
            ("records", "18446744073709551615"),
            ("n_rows", "18446744073709551615"),
            ("n_rows", "101"),
            ("n_lines", "18446744073709551615"),
            ("first_record", "18446744073709551615"),
        ] {
            let was =
                place.sql(&format!("SELECT {column} FROM inrush_chunk WHERE start = 0 OR 1 ORDER BY start LIMIT 1"));
            place.sql(&format!("UPDATE inrush_chunk SET {column} = {value} ORDER BY start LIMIT 1"));
            let done = place.go_on(args);
            assert!(![0, 101, 134].contains(&done.code), "{column}: {done}");
            assert!(!done.stderr.contains("panicked"), "{column}: {done}");
            assert_eq!(held(place), "200,20100", "{column}");
            place.sql(&format!("UPDATE inrush_chunk SET {column} = {was} ORDER BY start LIMIT 1"));
        }
        let done = place.go_on(args);
        assert_eq!((done.code, held(place).as_str()), (0, "300,45150"), "{done}");
    });
}

/// Another user of the same schema.
struct Other<'a> {
    place: &'a Place,
    name: String,
}

impl<'a> Other<'a> {
    fn new(place: &'a Place, rights: &str) -> Self {
        let schema = place.schema.name();
        let name = format!("o{}", schema.rsplit('_').next().unwrap());
        place.server.sql(&format!(
            "CREATE USER {name}@localhost IDENTIFIED BY 'some-Pass1'; GRANT {rights} ON `{schema}`.* TO {name}@localhost"
        ));
        Self { place, name }
    }

    fn command(&self, args: &str) -> std::process::Command {
        let mut command = self.place.bare(args);
        command.arg("-S").arg(&self.place.server.socket).args(["-u", &self.name, "-D", self.place.schema.name()]);
        command.env("INRUSH_PASSWORD", "some-Pass1");
        command
    }

    fn run(&self, args: &str) -> Done {
        self.place.done(&self.command(args).output().unwrap())
    }
}

impl Drop for Other<'_> {
    fn drop(&mut self) {
        let _ = self.place.server.try_sql(&format!("DROP USER {}@localhost", self.name));
    }
}

const ARGS: &str = "numbers.csv --into numbers --batch 100 --lanes 1";

fn half_loaded(place: &Place) -> String {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.write("numbers.csv", numbers(300, |id| if id == 250 { "250,x".into() } else { format!("{id},{id}") }));
    let stopped = place.load(ARGS);
    assert_eq!((stopped.code, held(place).as_str()), (2, "200,20100"), "{stopped}");
    place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
    stopped.json["jobs"][0]["job"].as_str().unwrap().to_owned()
}

#[test]
fn a_job_is_its_owners() {
    everywhere("owners", |place| {
        let other = Other::new(place, "ALL");
        let job = half_loaded(place);
        let refused = other.run(&format!("{ARGS} --json -q"));
        assert_eq!((refused.code, refused.rows()), (5, None), "{refused}");
        refused.says(&format!("is a job of user `{}@", place.server.user));
        refused.says("`--force` takes the job over");
        let refused = other.run(&format!("--forget {job}"));
        assert_eq!(refused.code, 5, "{refused}");
        refused.says(&format!("is one of user `{}@", place.server.user));
        let status = other.run("--status");
        assert!(status.stdout.contains(&format!(", by {}@", place.server.user)), "{status}");
        // Rejected rows of others are for those who have the file.
        let blind = other.run(&format!("{ARGS} --force --trust-source -q"));
        assert_eq!(blind.code, 1, "{blind}");
        assert_eq!(held(place), "200,20100");
        let done = other.run(&format!("{ARGS} --force --json -q"));
        assert_eq!((done.code, held(place).as_str()), (0, "300,45150"), "{done}");
        // What is loaded is loaded, for everybody.
        let again = place.go_on(ARGS);
        assert_eq!((again.code, held(place).as_str()), (0, "300,45150"), "{again}");
        let job = half_loaded(place);
        assert_eq!(other.run(&format!("--forget {job} --force")).code, 0);
    });
}

/// The victim says who did it, and does not say that the same command goes on where that would store rows twice.
#[test]
fn a_run_that_another_user_ended_says_who() {
    on(with_local_infile(), "victims", |place| {
        let other = Other::new(place, "ALL");
        place.sql(TABLE);
        place.write("numbers.csv", numbers(60_000, |id| format!("{id},{id}")));
        // A minute: it is at work when the other user comes, on any machine.
        let args = "numbers.csv --into numbers --batch 50 --rate 1000";
        let run = Running::start(place, args);
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 500 FROM numbers") == "1");
        let job = place.sql("SELECT LOWER(HEX(id)) FROM inrush_job");
        let forgot = other.run(&format!("--forget {job} --force"));
        assert_eq!(forgot.code, 0, "{forgot}");
        let victim = run.end();
        assert_eq!(victim.code, 3, "{victim}");
        victim.says(&format!("this job was forgotten by user `{}@localhost`", other.name));
        victim.says("would be stored a second time");
        assert!(!victim.stderr.contains("goes on where"), "{victim}");
        assert_eq!(victim.json["jobs"][0]["state"], "forgotten", "{victim}");

        place.sql("TRUNCATE numbers");
        let run = Running::start(place, args);
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 500 FROM numbers") == "1");
        let done = other.run("numbers.csv --into numbers --force --json -q");
        assert_eq!(done.code, 0, "{done}");
        let victim = run.end();
        assert_eq!(victim.code, 3, "{victim}");
        victim.says(&format!("user `{}@localhost`", other.name));
        assert!(!victim.stderr.contains("the same command goes on"), "{victim}");
        assert_eq!(victim.json["jobs"][0]["state"], "taken-over", "{victim}");
        assert_eq!(held(place), "60000,1800030000");
    });
}

/// A ledger that an older version made has no owners: it gets the columns where that is allowed, and works without them elsewhere.
#[test]
fn a_ledger_of_an_older_version() {
    on(with_local_infile(), "older_ledger", |place| {
        let other = Other::new(place, "SELECT, INSERT, UPDATE, DELETE");
        half_loaded(place);
        let runs = "DROP COLUMN run_began, DROP COLUMN run_ended, DROP COLUMN run_error";
        place.sql(&format!("ALTER TABLE inrush_job DROP COLUMN owner, DROP COLUMN copied, {runs}"));
        let status = other.run("--status");
        assert!(status.stdout.contains("  unfinished  shop.numbers: 200 rows so far"), "{status}");
        assert!(status.stdout.contains("it is not known whether a run is at work"), "{status}");
        let done = other.run(&format!("{ARGS} --json -q"));
        assert_eq!((done.code, held(place).as_str()), (0, "300,45150"), "{done}");
        // The version before this one had owners.
        place.sql("ALTER TABLE inrush_job ADD COLUMN owner VARCHAR(512) NOT NULL DEFAULT '', ADD COLUMN copied VARCHAR(512) NOT NULL DEFAULT ''");
        let job = half_loaded(place);
        assert!(place.go_on("--status").json["jobs"][0]["run"]["why"].is_string());
        let done = place.go_on(ARGS);
        assert_eq!((done.code, held(place).as_str()), (0, "300,45150"), "{done}");
        let owner = place.sql("SELECT owner FROM inrush_job");
        assert!(owner.starts_with(&format!("{}@", place.server.user)), "{owner}");
        assert_eq!(other.run(&format!("--forget {job}")).code, 5);
    });
}

#[test]
fn a_ledger_that_may_not_be_seen() {
    on(with_local_infile(), "unseen", |place| {
        half_loaded(place);
        let (schema, name) = (place.schema.name(), format!("s{}", place.schema.name().rsplit('_').next().unwrap()));
        place.server.sql(&format!(
            "CREATE USER {name}@localhost IDENTIFIED BY 'some-Pass1'; GRANT SELECT ON `{schema}`.numbers TO {name}@localhost"
        ));
        let other = Other { place, name };
        let status = other.run("--status");
        assert_eq!(status.code, 3, "{status}");
        status.says("cannot see whether database `shop` has a ledger");
        status.says("hint: `GRANT SELECT` on the tables `inrush_job`");
    });
}
