//! `--sort key`: rows come in the order of the key, each of them once, whatever happens on the way; and whoever asks for what cannot be is
//! told so. What `--sort auto` decides is there too.

use crate::numbers::{TABLE, numbers};
use crate::place::{Place, Rows, everywhere};
use crate::stopped::{Running, await_true};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;

/// A number from 0 below `n` for each number below `n`, in no order; `n` is no multiple of 7919.
fn shuffled(i: u64, n: u64) -> u64 {
    i * 7919 % n
}

/// Loads `people.csv` sorted into the table `sorted` and unsorted into `plain`, which have the same columns and an `arrival` each.
#[track_caller]
fn check_order(place: &Place, columns: &str, key: &str, header: &str, row: impl Fn(u64) -> String, more: &str) {
    const ROWS: u64 = 30_000;
    for table in ["plain", "sorted"] {
        place.sql(&format!(
            "DROP TABLE IF EXISTS {table}; CREATE TABLE {table} \
             ({columns}, arrival INT NOT NULL AUTO_INCREMENT, PRIMARY KEY ({key}), KEY (arrival)) ENGINE=InnoDB CHARSET=utf8mb4"
        ));
    }
    let rows: String = (0..ROWS).map(|i| row(shuffled(i, ROWS)) + "\n").collect();
    place.write("people.csv", format!("{header}\n{rows}"));
    let into = |table: &str, sort: &str| {
        let mut command = place.command(&format!("people.csv --into {table} --lanes 1 --memory 2MiB --sort {sort}"));
        command.args(["--json", "-q"]).args(more.split_whitespace().map(|word| word.replace('_', " ")));
        place.forget();
        let done = place.done(&command.output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS))), "{key}: {done}");
        assert_eq!(done.json["sort"]["sorted"], sort == "key", "{done}");
        done
    };
    into("plain", "none");
    let done = into("sorted", "key");
    assert!(done.json["sort"]["runs"].as_u64().unwrap() > 1, "{done}");
    let names = place.sql(
        "SELECT GROUP_CONCAT('`', COLUMN_NAME, '`') FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'plain' AND COLUMN_NAME <> 'arrival'",
    );
    let sum = |table: &str| place.sql(&format!("SELECT SUM(CRC32(CONCAT_WS('|', {names}))), COUNT(*) FROM {table}"));
    assert_eq!(sum("sorted"), sum("plain"), "{key}");
    let inversions = place.sql(&format!(
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY {}) AS by_key, \
         ROW_NUMBER() OVER (ORDER BY arrival) AS by_arrival FROM sorted) AS numbered WHERE by_key <> by_arrival",
        key.replace("(3)", "")
    ));
    assert_eq!(inversions, "0", "rows of `{key}` that came out of order");
}

#[test]
fn rows_come_in_the_order_of_the_key() {
    everywhere("sorted_order", |place| {
        let pad = |i: u64| "x".repeat(i as usize % 60);
        check_order(
            place,
            "id INT, pad VARCHAR(60)",
            "id",
            "id,pad",
            |i| format!("{},{}", i as i64 - 9000, pad(i)),
            "",
        );
        let columns = "name VARCHAR(40) COLLATE utf8mb4_bin, age SMALLINT UNSIGNED, pad VARCHAR(60)";
        check_order(place, columns, "age, name", "name,age,pad", |i| format!("Zoë {i},{},{}", i % 97, pad(i)), "");
        let columns = "born DATE, no DECIMAL(9,2), pad VARCHAR(60)";
        let row = |i: u64| format!("19{:02}-0{}-1{},{}.5,{}", i % 83, 1 + i % 9, i % 7, i as i64 - 20_000, pad(i));
        check_order(place, columns, "born, no", "born,no,pad", row, "");
        let row = |i: u64| format!("{:08x}{:08x},{}", shuffled(i, 65_521), i, pad(i));
        check_order(place, "k BINARY(8), pad VARCHAR(60)", "k", "hex,pad", row, "--set k=UNHEX(@hex)");
        let row = |i: u64| format!("{},{}", ["red", "blue", "green"][i as usize % 3], i);
        check_order(place, "c ENUM('red', 'green', 'blue'), id INT", "c, id", "c,id", row, "");
        if place.is_mysql() {
            check_order(place, "id INT, pad VARCHAR(60)", "id DESC", "id,pad", |i| format!("{i},{}", pad(i)), "");
        }
        assert_eq!(fs::read_dir("/var/tmp").unwrap().filter(is_ours).count(), 0);
    });
}

/// A folder of a sort that no process has: it was left behind.
fn is_ours(entry: &std::io::Result<fs::DirEntry>) -> bool {
    let path = entry.as_ref().unwrap().path();
    let is_ours = path.file_name().unwrap().to_string_lossy().starts_with("inrush-sort-");
    is_ours && path.join("lock").exists() && !is_locked(&path.join("lock"))
}

fn is_locked(lock: &std::path::Path) -> bool {
    let Ok(file) = fs::File::open(lock) else { return true };
    file.try_lock().is_err()
}

#[test]
fn bad_rows_are_found_before_a_row_is_sent() {
    everywhere("sorted_bad", |place| {
        place.sql("CREATE TABLE numbers (id INT PRIMARY KEY, value INT NOT NULL, CHECK (value >= 0)) ENGINE=InnoDB");
        // 40, 640: for us; 340: for the server.
        let row = |id: u64| match 1001 - id {
            id @ (40 | 640) => format!("{id},x{id}"),
            340 => "340,-1".into(),
            id => format!("{id},{id}"),
        };
        place.write("numbers.csv", numbers(1_000, row));
        let args = "numbers.csv --into numbers --sort key --batch 100 --temp-dir .";
        let stopped = place.load(args);
        let rows = stopped.rows().unwrap();
        assert_eq!((stopped.code, rows.read > 0, rows.read), (2, true, rows.not_loaded), "{stopped}");
        stopped.says("`x640` is not a whole number (numbers.csv, line 362, column `value`)");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");

        let few = place.load(&format!("{args} --bad-rows skip --max-bad 1"));
        assert_eq!((few.code, few.rows().unwrap().stored), (2, 0), "{few}");
        few.says("records are bad, more than `--max-bad` allows");

        let skipped = place.load(&format!("{args} --bad-rows skip"));
        assert_eq!((skipped.code, skipped.rows()), (4, Some(Rows::rejecting(997, 3))), "{skipped}");
        let lines: Vec<u64> =
            skipped.json["first_rejects"].as_array().unwrap().iter().map(|r| r["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [362, 662, 962], "{skipped}");

        place.sql("DELETE FROM numbers");
        let diverted = place.load(&format!("{args} --bad-rows divert:bad.csv"));
        assert_eq!((diverted.code, diverted.rows()), (4, Some(Rows::rejecting(997, 3))), "{diverted}");
        assert_eq!(place.read("bad.csv"), "id,value\n640,x640\n340,-1\n40,x40\n");
        let log = place.read("bad.csv.log");
        assert!(
            log.lines().zip([362, 662, 962]).all(|(line, at)| line.starts_with(&format!("numbers.csv\t{at}\t"))),
            "{log}"
        );
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "997,499480");
        assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 3, "nothing is left of the sort");
    });
}

#[test]
fn several_files_are_one_sequence_and_a_job_each() {
    everywhere("sorted_files", |place| {
        place.sql("CREATE TABLE numbers (id INT PRIMARY KEY, value INT NOT NULL, CHECK (value >= 0), arrival INT NOT NULL AUTO_INCREMENT, KEY (arrival)) ENGINE=InnoDB");
        let file = |first: u64, bad: u64| {
            let row = |i: u64| match first + 3 * (5_000 - i) {
                id if id == bad => format!("{id},x"),
                id if id == bad + 3 => format!("{id},-1"),
                id => format!("{id},{id}"),
            };
            numbers(5_000, row)
        };
        place.write("a.csv", file(1, 301));
        place.write("b.csv", file(2, 302));
        place.write("c.csv", file(3, 100_000));
        let args = "a.csv b.csv c.csv --into numbers --columns id,value --sort key --lanes 1 --batch 500 --bad-rows divert:bad.csv";
        let done = place.load(args);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(14_996, 4))), "{done}");
        assert_eq!(place.read("bad.csv"), "id,value\n304,-1\n301,x\n305,-1\n302,x\n");
        let inversions = "SELECT COUNT(*) FROM (SELECT id, LAG(id) OVER (ORDER BY arrival) AS earlier FROM numbers) AS pairs WHERE id < earlier";
        assert_eq!(place.sql(inversions), "0");
        let jobs =
            "SELECT SUBSTRING_INDEX(source, '/', -1), state, records, n_rows, rejected FROM inrush_job ORDER BY 1";
        let told = place.sql(jobs);
        assert_eq!(told, "a.csv,done,5000,4997,3|b.csv,done,5000,4999,1|c.csv,done,5000,5000,0", "{told}");
        let status = place.sql("SELECT (SELECT COUNT(*) FROM inrush_chunk), (SELECT COUNT(*) FROM inrush_reject)");
        assert_eq!(status, "0,0");
        let again = place.go_on("b.csv --into numbers --columns id,value --bad-rows skip");
        assert_eq!(again.json["jobs"][0]["state"], "already-loaded", "{again}");
    });
}

#[test]
fn an_interrupted_load_goes_on_in_the_same_company_only() {
    everywhere("sorted_on", |place| {
        place.sql(TABLE);
        let half = |odd: u64| {
            let rows: String =
                (0..20_000).map(|i| 2 * shuffled(i, 20_000) + 2 - odd).fold(String::new(), |mut text, id| {
                    let _ = writeln!(text, "{id},{id}");
                    text
                });
            format!("id,value\n{rows}")
        };
        place.write("a.csv", half(1));
        place.write("b.csv", half(0));
        let load = Running::start(place, "a.csv b.csv --into numbers --sort key --batch 200 --lanes 2 --rate 2000");
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 1000 FROM numbers") == "1");
        load.signal("INT");
        let stopped = load.end();
        assert_eq!(stopped.code, 130, "{stopped}");
        let stored = stopped.rows().unwrap().stored;
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), stored.to_string());
        for (other, says) in [
            ("a.csv --sort key", "rows of `a.csv` were sorted together with those of other files"),
            ("b.csv --sort key", "rows of `b.csv` were sorted together with those of other files"),
            ("b.csv a.csv --sort key", "were sorted together with those of other files"),
            ("a.csv b.csv --sort none", "was read in another way then: sort was `by the key` and is nothing"),
        ] {
            let refused = place.go_on(&format!("{other} --into numbers"));
            assert_eq!(refused.code, 5, "{refused}");
            refused.says(says);
        }
        // What it was begun with counts, and another size of the chunks does not matter.
        let done = place.go_on("a.csv b.csv --into numbers --batch 7000");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(40_000))), "{done}");
        assert_eq!(done.json["resumed"]["rows"], stored, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "40000,800020000");
    });
}

#[test]
fn a_file_that_changed_meanwhile_is_refused() {
    everywhere("sorted_changed", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(20_000, |id| format!("{id},{id}")));
        let mut load =
            place.command("numbers.csv --into numbers --sort key --batch 100 --rate 1000 -q").spawn().unwrap();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 1000 FROM numbers") == "1");
        let _ = load.kill();
        assert_eq!(load.wait().unwrap().signal(), Some(9));
        place.write("numbers.csv", numbers(20_000, |id| format!("{id},{}", if id == 2 { 90_000 } else { id })));
        let refused = place.go_on("numbers.csv --into numbers --sort key");
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("what is stored of numbers.csv, sorted by `id` is not what it would be now");
        place.write("numbers.csv", numbers(20_000, |id| format!("{id},{id}")));
        let done = place.go_on("numbers.csv --into numbers --sort auto");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(20_000))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "20000,200010000");
    });
}

#[test]
fn of_equal_keys_the_order_of_the_file_counts() {
    everywhere("sorted_stable", |place| {
        place.sql(TABLE);
        let rows: String = (0..9_000).map(|i| format!("{},{i}\n", shuffled(i, 9_000) % 3_000)).collect();
        place.write("numbers.csv", format!("id,value\n{rows}"));
        let all = place.load("numbers.csv --into numbers --sort key --lanes 1 --batch 333 --mode replace");
        assert_eq!(all.code, 0, "{all}");
        let want = (0..9_000u64).fold(vec![0; 3_000], |mut last, i| {
            last[shuffled(i, 9_000) as usize % 3_000] = i;
            last
        });
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), format!("3000,{}", want.iter().sum::<u64>()));
    });
}

#[test]
fn streams_pieces_and_nothing_at_all() {
    everywhere("sorted_odd", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(2_000, |id| format!("{0},{0}", 2_001 - id)));
        let mut piped = place.command("- --into numbers --sort key --json -q");
        piped.stdin(fs::File::open(place.path("numbers.csv")).unwrap());
        let done = place.done(&piped.output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2_000))), "{done}");
        place.sql("DELETE FROM numbers");
        let piece = place.load("numbers.csv --into numbers --sort key --limit 50");
        assert_eq!((piece.code, piece.rows()), (0, Some(Rows::stored(50))), "{piece}");
        assert_eq!(place.sql("SELECT MIN(id), MAX(id) FROM numbers"), "1951,2000");
        place.write("empty.csv", "id,value\n");
        let none = place.load("empty.csv --into numbers --sort key");
        assert_eq!((none.code, none.rows()), (0, Some(Rows::stored(0))), "{none}");
        place.write("bad.csv", "id,value\nx,y\n");
        let bad = place.load("bad.csv --into numbers --sort key --bad-rows skip");
        assert_eq!((bad.code, bad.rows()), (4, Some(Rows::rejecting(0, 1))), "{bad}");
        let dry = place.load("numbers.csv --into numbers --sort key --dry-run");
        assert_eq!((dry.code, &dry.json["sort"]["sorted"]), (0, &false.into()), "{dry}");
        place.sql("DELETE FROM numbers");
        let new =
            place.load("numbers.csv --into made --create-table --key id --sort key --atomic --guarantee at-least-once");
        assert_eq!((new.code, new.rows()), (0, Some(Rows::stored(2_000))), "{new}");
    });
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    everywhere("sorted_refused", |place| {
        place.sql(
            "CREATE TABLE numbers (id INT PRIMARY KEY, value INT NOT NULL); CREATE TABLE heap (id INT, value INT); \
             CREATE TABLE made (no INT AUTO_INCREMENT PRIMARY KEY, id INT, value INT)",
        );
        place.write("numbers.csv", numbers(10, |id| format!("{id},{id}")));
        place.write("file", "");
        let check = |args: &str, says: &str| {
            let done = place.load(&format!("numbers.csv {args}"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
            assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
        };
        check("--sort key --into heap", "the table has no primary key, so rows have no order in it");
        check("--sort key --into made", "no field goes into column `no` of the key: the server makes its values");
        check("--sort key --into numbers --set id=@id+1", "column `id` of the key is computed by the server (`--set`)");
        check("--sort key --into numbers --temp-dir not-there", "cannot make a folder for sorted rows in `not-there`");
        check("--sort key --into numbers --temp-dir file", "cannot make a folder for sorted rows in `file`");
        check("--into numbers --sort by-key", "`--sort by-key` is not understood");
        for table in ["heap", "made"] {
            let done = place.load(&format!("numbers.csv --into {table}"));
            assert_eq!((done.code, &done.json["sort"]["sorted"]), (0, &false.into()), "{done}");
        }
    });
}
