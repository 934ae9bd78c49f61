//! Jobs that run every night: a finished one whose table is gone, tables that are replaced, files without rows, rights that are missing,
//! a second run that is refused.

use crate::place::{Done, Place, Rows, everywhere, on};
use crate::server_of_own::OwnServer;
use crate::stopped::{Running, await_true};
use inrush_testkit::servers::with_local_infile;

const PEOPLE: &str = "DROP TABLE IF EXISTS people, people__inrush_new, people__inrush_old; \
     CREATE TABLE people (id INT PRIMARY KEY COMMENT 'the key', name VARCHAR(40), KEY by_name (name)) COMMENT='staff'";
const FILE: &str = "id,name\n1,Ann\n2,Bob\n3,Cy\n";
const ARGS: &str = "people.csv --into people";
const ROWS: &str = "SELECT id, name FROM people ORDER BY id";
const ALL: &str = "1,Ann|2,Bob|3,Cy";

fn fresh(place: &Place) {
    place.sql(PEOPLE);
    place.write("people.csv", FILE);
}

/// The load as a person sees it.
fn loud(place: &Place, args: &str) -> Done {
    place.done(&place.command(args).arg("--json").output().unwrap())
}

fn definition(place: &Place) -> String {
    place.sql("SHOW CREATE TABLE people")
}

#[test]
fn a_finished_job_of_any_mode_whose_rows_are_gone() {
    everywhere("job_gone", |place| {
        for mode in ["ignore", "replace", "upsert", "update"] {
            for gone in ["TRUNCATE people", "DELETE FROM people", PEOPLE] {
                fresh(place);
                place.sql("INSERT INTO people VALUES (1, 'a'), (2, 'b'), (3, 'c')");
                let args = &format!("{ARGS} --mode {mode}");
                assert_eq!(place.load(args).code, 0);
                let done = place.go_on(args);
                assert_eq!(done.json["jobs"][0]["state"], "already-loaded", "{args}: {done}");
                place.sql(gone);
                let done = place.go_on(args);
                let skips = mode == "update";
                let want = if skips { Rows::skipping(0, 3) } else { Rows::stored(3) };
                // Three rows were ignored, so none is missed.
                let (want, held) = match mode {
                    "ignore" => (Rows::skipping(0, 3), ""),
                    "update" => (want, ""),
                    _ => (want, ALL),
                };
                assert_eq!((done.code, done.rows()), (0, Some(want)), "{args}, {gone}: {done}");
                assert_eq!(place.sql(ROWS), held, "{args}, {gone}: {done}");
            }
        }
        // A delete leaves no rows to look for.
        fresh(place);
        place.sql("INSERT INTO people VALUES (1, 'a')");
        assert_eq!(place.load(&format!("{ARGS} --mode delete")).code, 0);
        let done = place.go_on(&format!("{ARGS} --mode delete"));
        assert_eq!((done.code, &done.json["jobs"][0]["state"]), (0, &"already-loaded".into()), "{done}");
        // An upsert whose rows others have deleted since is done all the same.
        fresh(place);
        assert_eq!(place.load(&format!("{ARGS} --mode upsert")).code, 0);
        place.sql("DELETE FROM people WHERE id < 3; UPDATE people SET name = 'other'");
        assert_eq!(place.go_on(&format!("{ARGS} --mode upsert")).code, 0);
        assert_eq!(place.sql(ROWS), "3,other");
    });
}

/// What a message proposes does what it says.
#[test]
fn the_safe_command_is_named() {
    everywhere("job_safe", |place| {
        let finished = || {
            fresh(place);
            assert_eq!(place.load(ARGS).code, 0);
        };
        for (gone, args, why) in [
            (
                "DROP TABLE people",
                "people.csv --into people --create-table",
                "is gone: it was dropped or renamed since",
            ),
            ("TRUNCATE people", ARGS, "is empty: it was emptied or made anew since"),
        ] {
            for way in ["--truncate", "--forget"] {
                finished();
                place.sql(gone);
                let refused = place.go_on(args);
                assert_eq!(refused.code, 5, "{refused}");
                refused.says(&format!(
                    "3 rows of `{}/people.csv` are stored, and table `shop.people` {why}",
                    place.folder.path().display()
                ));
                refused.says(
                    "hint: `--truncate` loads it all anew, and empties the table before; or `inrush load --forget ",
                );
                assert!(!refused.stderr.contains("--again"), "{refused}");
                let done = match way {
                    "--forget" => {
                        let id =
                            refused.stderr.split("--forget ").nth(1).unwrap().split('`').next().unwrap().to_owned();
                        place.done(&place.command(&format!("--forget {id}")).output().unwrap());
                        place.go_on(args)
                    }
                    _ => place.go_on(&format!("{args} --truncate")),
                };
                assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{way}: {done}");
                assert_eq!(place.sql(ROWS), ALL, "{way}");
            }
        }
        for way in ["--truncate", "--replace-table"] {
            finished();
            place.sql("DELETE FROM people WHERE id = 2");
            let refused = place.go_on(ARGS);
            assert_eq!(refused.code, 5, "{refused}");
            refused.says("and table `shop.people` holds fewer, 2: rows were removed");
            refused.says("hint: `--truncate` or `--replace-table` loads it all in place of the rows that are there");
            let done = place.go_on(&format!("{ARGS} {way}"));
            assert_eq!((done.code, place.sql(ROWS).as_str()), (0, ALL), "{way}: {done}");
        }
    });
}

#[test]
fn a_finished_atomic_job_is_looked_at_too() {
    everywhere("job_atomic", |place| {
        for args in ["--atomic", "--atomic --truncate", "--replace-table"] {
            fresh(place);
            let args = format!("{ARGS} {args}");
            assert_eq!(place.load(&args).code, 0);
            assert_eq!(place.go_on(&args).json["jobs"][0]["state"], "already-loaded");
            place.sql("TRUNCATE people");
            let done = place.go_on(&args);
            if args.ends_with("--atomic") {
                assert_eq!(done.code, 5, "{args}: {done}");
                done.says("and table `shop.people` is empty");
            } else {
                assert_eq!((done.code, place.sql(ROWS).as_str()), (0, ALL), "{args}: {done}");
            }
        }
        // Unfinished, and the copy that holds what is stored is gone.
        fresh(place);
        place.write("people.csv", "id,name\n1,Ann\nx,Bob\n");
        let args = &format!("{ARGS} --replace-table --batch 1 --lanes 1");
        assert_eq!(place.load(args).code, 2);
        place.sql("DROP TABLE people__inrush_new");
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
        let refused = place.go_on(args);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("is stored in table `people__inrush_new`, which is gone");
    });
}

#[test]
fn a_replaced_table_keeps_its_definition() {
    everywhere("job_keeps", |place| {
        fresh(place);
        place.sql("INSERT INTO people VALUES (9, 'old')");
        let was = definition(place);
        let done = loud(place, &format!("{ARGS} --replace-table"));
        assert_eq!((done.code, place.sql(ROWS).as_str(), definition(place)), (0, ALL, was.clone()), "{done}");
        // Asked for by name, it is that of the file, and what changes is said.
        let done = loud(place, &format!("{ARGS} --replace-table --create-table --again"));
        assert_eq!((done.code, place.sql(ROWS).as_str()), (0, ALL), "{done}");
        done.says("the new table has another definition than the old one:\n- ");
        for line in
            ["- PRIMARY KEY (`id`)", "- KEY `by_name` (`name`)", "COMMENT 'the key'", "COMMENT='staff'", "\n+ `id` int"]
        {
            done.says(line);
        }
        assert!(!definition(place).contains("PRIMARY KEY"));
        // None is there to keep.
        place.sql("DROP TABLE people");
        let done = place.go_on(&format!("{ARGS} --replace-table --again"));
        assert_eq!(done.code, 1, "{done}");
        done.says("there is no table `people`");
    });
}

#[test]
fn a_table_is_not_emptied_for_nothing() {
    everywhere("job_empty", |place| {
        for (name, content) in
            [("none.csv", "id,name\n"), ("none.jsonl", ""), ("none.json", "[]"), ("blank.csv", "id,name\n\n\n")]
        {
            for args in [
                "--truncate",
                "--truncate --atomic",
                "--replace-table",
                "--truncate --sort key",
                "--truncate --dry-run",
            ] {
                fresh(place);
                place.sql("INSERT INTO people VALUES (9, 'old')");
                place.write(name, content);
                let args = &format!("{name} {name}2.csv --into people {args}");
                place.write(&format!("{name}2.csv"), "id,name\n");
                let refused = place.load(args);
                assert_eq!((refused.code, place.sql(ROWS).as_str()), (5, "9,old"), "{args}: {refused}");
                refused.says("error: there is no row to load, and table `shop.people` would be empty afterwards");
                refused.says("hint: `--allow-empty` empties it all the same");
                let done = place.go_on(&format!("{args} --allow-empty"));
                let held = if args.contains("--dry-run") { "9,old" } else { "" };
                assert_eq!((done.code, place.sql(ROWS).as_str()), (0, held), "{args}: {done}");
                // One of several files may be.
                place.write(&format!("{name}2.csv"), "id,name\n1,Ann\n");
                let done = place.load(args);
                assert_eq!(done.code, 0, "{args}: {done}");
            }
        }
        // Nor for rows of which none can be stored.
        for args in ["--truncate", "--truncate --atomic", "--replace-table"] {
            fresh(place);
            place.sql("INSERT INTO people VALUES (9, 'old')");
            place.write("bad.csv", "id,name\nx,Ann\n1,Bob,2\n");
            let args = &format!("bad.csv --into people {args} --bad-rows skip");
            let refused = place.load(args);
            assert_eq!((refused.code, place.sql(ROWS).as_str()), (5, "9,old"), "{args}: {refused}");
            refused.says("and table `shop.people` would be empty afterwards");
            let done = place.go_on(&format!("{args} --allow-empty"));
            place.write("bad.csv", "id,name\nx,Ann\n1,Bob\n");
            assert_eq!((done.code, place.sql(ROWS).as_str()), (4, ""), "{args}: {done}");
            assert_eq!(place.load(args).code, 4);
            assert_eq!(place.sql(ROWS), "1,Bob");
        }
        // What is not emptied needs no row.
        for args in ["", "--atomic"] {
            fresh(place);
            let done = place.load(&format!("none.csv --into people {args}"));
            assert_eq!(done.code, 0, "{args}: {done}");
        }
        // Rows, but none that can be stored.
        fresh(place);
        place.sql("INSERT INTO people VALUES (9, 'old')");
        place.write("bad.csv", "id,name\nx,Ann\n");
        let refused = place.load("bad.csv --into people --replace-table --bad-rows skip");
        assert_eq!((refused.code, place.sql(ROWS).as_str()), (5, "9,old"), "{refused}");
        refused.says("no row is stored, and table `shop.people` would be empty afterwards");
    });
}

#[test]
fn too_few_rows_replace_nothing() {
    everywhere("job_few", |place| {
        let (four, of_four) = ("at least 4 rows: table", "at least 4 rows (76% of 4): table");
        for (args, requires) in [
            ("--replace-table --min-rows 3", ""),
            ("--replace-table --min-rows 4", four),
            ("--replace-table --min-rows 75%", ""),
            ("--replace-table --min-rows 76%", of_four),
            ("--truncate --atomic --min-rows 76%", of_four),
            ("--atomic --min-rows 3", ""),
            ("--atomic --min-rows 4", four),
        ] {
            fresh(place);
            place.sql("INSERT INTO people VALUES (11, 'a'), (12, 'b'), (13, 'c'), (14, 'd')");
            let was = place.sql(ROWS);
            let done = place.load(&format!("{ARGS} {args}"));
            if requires.is_empty() {
                assert_eq!(done.code, 0, "{args}: {done}");
                continue;
            }
            assert_eq!((done.code, place.sql(ROWS)), (5, was), "{args}: {done}");
            done.says(&format!("3 rows stored, and `--min-rows` requires {requires} `people` is as it was"));
            let id = done.json["jobs"][0]["job"].as_str().unwrap();
            done.says(&format!("`inrush load --forget {id}`, then `DROP TABLE people__inrush_new` gives the load up"));
            assert!(!done.stderr.contains("the same command goes on"), "{args}: {done}");
            let without = args.split(" --min-rows").next().unwrap();
            let done = place.go_on(&format!("{ARGS} {without}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{args}: {done}");
            assert!(place.sql(ROWS).starts_with(ALL), "{args}");
        }
        let refused = place.load(&format!("{ARGS} --truncate --min-rows 3"));
        assert_eq!(refused.code, 1, "{refused}");
        refused.says("hint: add `--atomic`, or `--replace-table` in place of `--truncate`");
    });
}

/// A note that waits for a lock of its own run is given up, and the job then looks like one that was killed.
#[test]
fn a_refused_run_says_so_and_keeps_nobody_waiting() {
    everywhere("job_refused", |place| {
        fresh(place);
        place.write("other.csv", "id,name,more\n7,x,1\ny,z,2\n");
        place.sql("CREATE TABLE wide (id INT PRIMARY KEY, name VARCHAR(20), more INT)");
        // Another job, not finished, of another shape.
        place.sql("RENAME TABLE people TO kept; RENAME TABLE wide TO people");
        let other = place.load("other.csv --into people --atomic --batch 1 --lanes 1");
        assert_eq!(other.code, 2, "{other}");
        let other = other.json["jobs"][0]["job"].as_str().unwrap();
        place.sql("DROP TABLE people; RENAME TABLE kept TO people");
        for args in ["--atomic", "--replace-table", "--replace-table --create-table"] {
            let refused = place.go_on(&format!("{ARGS} {args}"));
            assert_eq!(refused.code, 5, "{args}: {refused}");
            refused.says(&format!(
                "table `people__inrush_new` is there: another atomic load of `people`, which is not finished, fills it (job {other})"
            ));
            refused.says(&format!("`inrush load --forget {other}`, then `DROP TABLE people__inrush_new`"));
            let status = place.done(&place.command("--status --json").output().unwrap());
            let jobs = status.json["jobs"].as_array().unwrap();
            let ours = jobs.iter().find(|job| job["source"].as_str().unwrap().ends_with("people.csv")).unwrap();
            assert_eq!(ours["run"]["state"], "ended", "{args}: {status}");
            assert!(ours["run"]["why"].as_str().unwrap().contains("is there"), "{args}: {status}");
            let id = ours["job"].as_str().unwrap().to_owned();
            place.done(&place.command(&format!("--forget {id}")).output().unwrap());
        }
        // What the hint proposes lets the next load pass.
        place.done(&place.command(&format!("--forget {other}")).output().unwrap());
        place.sql("DROP TABLE people__inrush_new");
        let done = place.go_on(&format!("{ARGS} --replace-table"));
        assert_eq!(done.code, 0, "{done}");
    });
}

#[test]
fn missing_rights_are_noticed_before_a_row_is_copied() {
    everywhere("job_rights", |place| {
        let (schema, user) = (place.schema.name(), format!("j{}", place.schema.name().rsplit('_').next().unwrap()));
        let all = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "LOCK TABLES"];
        for missing in ["ALTER", "DROP", "LOCK TABLES", ""] {
            for option in ["--atomic", "--replace-table", "--replace-table --create-table"] {
                fresh(place);
                place.forget();
                place.sql("INSERT INTO people VALUES (9, 'old')");
                let rights = all.iter().filter(|right| **right != missing).copied().collect::<Vec<_>>().join(", ");
                place.server.sql(&format!(
                    "DROP USER IF EXISTS {user}@localhost; CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; \
                     GRANT {rights} ON `{schema}`.* TO {user}@localhost"
                ));
                let mut command = place.bare(&format!("{ARGS} {option} --json"));
                command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
                let done = place.done(&command.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap());
                place.server.sql(&format!("DROP USER {user}@localhost"));
                let tables = place.sql("SHOW TABLES LIKE 'people%'");
                if missing.is_empty() {
                    assert_eq!((done.code, tables.as_str()), (0, "people"), "{option}: {done}");
                    continue;
                }
                assert_eq!(
                    (done.code, done.rows(), tables.as_str()),
                    (5, None, "people"),
                    "{missing}, {option}: {done}"
                );
                let option = option.split(' ').next().unwrap();
                done.says(&format!(
                    "error: `{option}` puts a filled copy into the place of table `people`, and this user may not: "
                ));
                done.says("hint: `GRANT SELECT, INSERT, CREATE, ALTER, DROP, LOCK TABLES` on database `shop`");
                assert_eq!(place.sql(ROWS), "9,old");
            }
        }
    });
}

/// MariaDB with Galera's variables; no other server here has this one.
#[test]
fn a_server_that_commits_within_load_data() {
    let own = OwnServer::new("mariadb-10.11", &["wsrep_load_data_splitting=ON"]);
    let place = Place::own(&own);
    fresh(&place);
    let refused = place.load(&format!("{ARGS} --method load-data"));
    assert_eq!(refused.code, 1, "{refused}");
    refused.says("the server has `wsrep_load_data_splitting` on");
    let done = place.load(ARGS);
    assert_eq!((done.code, &done.json["method"]["name"]), (0, &"bulk".into()), "{done}");
    // A batch of the library is stored whole or not at all.
    let config = inrush::Config::from_url(&place.schema.url()).unwrap().with_local_infile(true);
    let mut connection = inrush::blocking::Connection::connect(&config).unwrap();
    let options = inrush::BatchOptions::new().with_method(inrush::Method::LoadData);
    let mut batch = |id: u32| {
        connection.execute_batch_with("INSERT INTO people VALUES (?, ?)", &[(id, "x"), (id + 1, "y")], &options)
    };
    let refused = batch(10).unwrap_err();
    assert!(refused.message().contains("`wsrep_load_data_splitting`"), "{refused}");
    place.sql("SET GLOBAL wsrep_load_data_splitting = OFF");
    assert_eq!(batch(10).unwrap().n_rows, 2);
    let done = place.load(&format!("{ARGS} --truncate --method load-data"));
    assert_eq!((done.code, place.sql(ROWS).as_str()), (0, ALL), "{done}");
}

/// Only where the tables of the servers differ in nothing that these tests look at.
#[test]
fn a_table_that_a_load_makes_may_be_empty() {
    on(with_local_infile(), "job_new", |place| {
        place.write("none.csv", "id,name\n");
        let done = place.load("none.csv --into made --create-table --truncate");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM made"), "0");
    });
}

/// The script of the guide, whose run is killed twice in the middle.
#[test]
fn the_script_for_cron_goes_on_after_a_kill() {
    let guide = include_str!("../../../../docs/jobs.md");
    let script = guide.split("```sh\n").find(|block| block.starts_with("#!/bin/sh")).unwrap();
    let script = script.split("```").next().unwrap().replace("sleep 60", "sleep 0");
    everywhere("job_cron", |place| {
        place.sql(PEOPLE);
        std::fs::create_dir(place.path("jobs")).unwrap();
        let rows: String = (1..=1000).map(|id| format!("{id},n{id}\n")).collect();
        place.write("jobs/people.csv", format!("id,name\n{rows}x,bad\n"));
        place.write(
            "jobs/people.toml",
            "files = [\"people.csv\"]\ninto = \"people\"\nbatch = \"100\"\nlanes = \"1\"\nbad-rows = \"divert:bad-{date}-{file}.csv\"\n",
        );
        place.write("nightly.sh", script.replace("/srv", &place.folder.path().display().to_string()));
        let bin = std::path::Path::new(env!("CARGO_BIN_EXE_inrush")).parent().unwrap();
        let run = |password: &str, fault: &str| {
            let mut command = std::process::Command::new("sh");
            command.arg(place.path("nightly.sh")).env("HOME", place.folder.path()).env("INRUSH_FAULT", fault);
            let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
            let url = format!(
                "mysql://{}@localhost/{}?socket={}",
                place.server.user,
                place.schema.name(),
                place.server.socket.display()
            );
            command.env("PATH", path).env("INRUSH_URL", url).env("INRUSH_PASSWORD", password);
            place.done(&command.output().unwrap())
        };
        let wrong = run("not-it", "");
        assert_eq!((wrong.code, wrong.stderr.matches("Access denied").count()), (1, 1), "{wrong}");
        let done = run(&place.server.password, "tallied:5");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM people").as_str()), (0, "1000"), "{done}");
        assert!(done.stdout.contains("loaded, but for the rows of the reject file"), "{done}");
        let names = std::fs::read_dir(place.folder.path().join("jobs")).unwrap();
        let names: Vec<String> = names.map(|name| name.unwrap().file_name().to_string_lossy().into_owned()).collect();
        assert!(names.iter().any(|name| name.starts_with("bad-20") && name.ends_with("-people.csv")), "{names:?}");
        // The next night has another file under the same name, and the reject file of last night is not in its way.
        let again = run(&place.server.password, "");
        assert_eq!(again.code, 0, "{again}");
    });
}

#[test]
fn many_files_that_were_loaded_are_one_line() {
    on(with_local_infile(), "job_many", |place| {
        place.sql(PEOPLE);
        let files: Vec<String> = (1..=5).map(|n| format!("f{n}.csv")).collect();
        for (n, file) in files.iter().enumerate() {
            place.write(file, format!("id,name\n{n},x\n"));
        }
        let run = |n: usize| {
            place.done(&place.command(&format!("{} --into people -q", files[..n].join(" "))).output().unwrap())
        };
        assert_eq!(run(5).code, 0);
        let lines = |done: &Done| done.stdout.lines().filter(|line| line.starts_with("already ")).count();
        assert_eq!((lines(&run(3)), lines(&run(5))), (3, 1));
        assert!(run(5).stdout.contains("already   5 files, `f1.csv` to `f5.csv`, were loaded from 20"), "{}", run(5));
    });
}

#[test]
fn a_run_at_work_shows_how_far_it_is() {
    on(with_local_infile(), "job_far", |place| {
        place.sql(PEOPLE);
        let rows: String = (1..=1000).map(|id| format!("{id:04},n{id:04}\n")).collect();
        place.write("people.csv", format!("id,name\n{rows}"));
        place.forget();
        let mut command = place.command(&format!("{ARGS} --batch 100 --lanes 1"));
        command.env("INRUSH_FAULT", "tallied:5:stop");
        let run = Running::spawn(place, command);
        await_true("it to stand still", || run.is_stopped());
        // A rate needs a second.
        await_true("a rate", || {
            let status = place.done(&place.command("--status --json").output().unwrap());
            let job = &status.json["jobs"][0];
            assert!((35..=60).contains(&job["percent"].as_u64().unwrap()), "{status}");
            assert!(job["started"].as_str().unwrap().ends_with('Z'), "{status}");
            job["rows_per_second"].is_u64() && job["seconds_left"].is_u64()
        });
        let status = place.done(&place.command("--status").output().unwrap());
        assert!(status.stdout.contains("%), ") && status.stdout.contains(" rows/s, "), "{status}");
        run.signal("CONT");
        assert_eq!(run.end().code, 0);
    });
}

/// The rows of earlier runs are no speed of the one at work.
#[test]
fn a_run_that_goes_on_shows_its_own_rate() {
    on(with_local_infile(), "job_rate", |place| {
        place.sql(PEOPLE);
        let rows: String = (1..=1000).map(|id| format!("{id:04},n{id:04}\n")).collect();
        place.write("people.csv", format!("id,name\n{rows}"));
        place.forget();
        let args = &format!("{ARGS} --batch 100 --lanes 1");
        let fault = |fault: &str| {
            let mut command = place.command(args);
            command.env("INRUSH_FAULT", fault);
            command
        };
        assert!(!fault("tallied:7:kill").output().unwrap().status.success());
        let run = Running::spawn(place, fault("tallied:2:stop"));
        await_true("it to stand still", || run.is_stopped());
        await_true("a rate", || {
            let status = place.done(&place.command("--status --json").output().unwrap());
            let job = &status.json["jobs"][0];
            assert!((70..=95).contains(&job["percent"].as_u64().unwrap()), "{status}");
            // Two or three of its own chunks; with those of the run before there were six more.
            job["rows_per_second"].as_u64().is_some_and(|rate| rate <= 300) && job["seconds_left"].is_u64()
        });
        run.signal("CONT");
        assert_eq!(run.end().code, 0);
    });
}
