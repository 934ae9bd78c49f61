//! `--sort server`: rows go into a copy without keys, the server makes the keys at the end, and duplicates that it finds then are left out as
//! any other load leaves them out.

use crate::place::{Place, Rows, everywhere};

const TABLE: &str = "CREATE TABLE people (name VARCHAR(20) NOT NULL, no INT NOT NULL, born INT, word TEXT, half INT AS (no / 2), \
                     PRIMARY KEY (name(5) DESC, no), UNIQUE KEY by_born (born), KEY by_half (half), FULLTEXT KEY words (word)) \
                     ENGINE=InnoDB CHARSET=utf8mb4";

/// MariaDB before 10.8 has no descending key parts.
fn table(place: &Place) -> String {
    if place.is_mysql() { TABLE.into() } else { TABLE.replace(" DESC", "") }
}

fn definition(place: &Place) -> String {
    place.sql("SHOW CREATE TABLE people")
}

/// `n` rows in no order, from number `first` on.
fn people(first: u64, n: u64) -> String {
    let row = |i: u64| format!("Zoë{:03},{},{},a word\n", i * 7919 % n, first + i, first + i);
    "name,no,born,word\n".to_owned() + &(0..n).map(row).collect::<String>()
}

#[test]
fn the_server_makes_the_keys() {
    everywhere("server_sort", |place| {
        place.sql(&table(place));
        place.sql("INSERT INTO people (name, no, born, word) VALUES ('before', 0, -1, ''), ('Before', 1, NULL, '')");
        let before = definition(place);
        place.write("a.csv", people(1, 2_000));
        place.write("b.csv", people(10_001, 1_000));
        let mut methods = vec!["multi-row", "multi-row-prepared"];
        methods.extend(place.server.local_infile.then_some("load-data"));
        methods.extend((!place.is_mysql()).then_some("bulk"));
        for (n, method) in methods.into_iter().enumerate() {
            let args =
                format!("a.csv b.csv --into people --atomic --sort server --lanes 2 --batch 300 --method {method}");
            // Keys, rows that were there and the file's own.
            let more = if n == 0 { "" } else { " --truncate" };
            let done = place.load(&(args + more));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3_000))), "{done}");
            assert_eq!((&done.json["sort"]["by_server"], &done.json["sort"]["sorted"]), (&true.into(), &false.into()));
            assert_eq!(definition(place), before, "{done}");
            let want = if n == 0 { "3002,12501499" } else { "3000,12501500" };
            assert_eq!(place.sql("SELECT COUNT(*), SUM(born) FROM people FORCE INDEX (by_born)"), want, "{method}");
            assert_eq!(
                place.sql("SELECT COUNT(*) FROM people WHERE MATCH (word) AGAINST ('word')"),
                "3000",
                "{method}"
            );
        }
        let done = place.command("a.csv --into people --atomic --truncate --sort server --again").output().unwrap();
        let done = place.done(&done);
        done.says("the server makes the keys at the end: it needs about ");
        assert_eq!(done.code, 0, "{done}");
        assert!(done.stdout.contains("\nsorted    by the server, as asked for"), "{done}");
    });
}

/// Keys that only the server knows; new tables; streams.
#[test]
fn computed_keys_new_tables_and_streams() {
    everywhere("server_sort_new", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, born INT)");
        place.write("a.csv", "id,born\n3,1\n1,2\n2,3\n");
        let done = place.load("a.csv --into people --atomic --sort server --set id=@id*10");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT GROUP_CONCAT(id, ':', born ORDER BY id) FROM people"), "10:2,20:3,30:1");
        let dry = place.load("a.csv --into people --atomic --sort server --dry-run");
        assert_eq!((dry.code, dry.rows().unwrap().read), (0, 3), "{dry}");
        let done = place.load("a.csv --into people --replace-table --create-table --key id --sort server");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT GROUP_CONCAT(id ORDER BY id) FROM people"), "1,2,3");
        assert!(definition(place).contains("PRIMARY KEY (`id`)") && !definition(place).contains("inrush_"));
        let mut command = place.command("- --into people --atomic --truncate --sort server");
        command.stdin(std::fs::File::open(place.path("a.csv")).unwrap()).args(["--json", "-q"]);
        let done = place.done(&command.output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
    });
}

/// What a load that goes row by row refuses is refused here too, whatever the key and the order.
#[test]
fn duplicates_are_named_and_left_out() {
    everywhere("server_sort_twice", |place| {
        place.sql(&table(place));
        let old = "INSERT INTO people (name, no, born, word) VALUES ('OLD', 1, 7, '')";
        // Line 3 has the row that was there, 5 what 4 has; 6 is refused for `born`, so that 7 may have its name; 8 is NULL, as 9 is.
        let rows = "name,no,born,word\na,1,1,\"x\n\"\nold,1,3,\nb,1,4,\nB,1,5,\nc,1,4,\nc,1,6,\nd,1,,\ne,1,,\nf,1,bad,\ng,1,7,\n";
        place.write("a.csv", rows);
        place.write("b.csv", "name,no,born,word\nA,1,100,\nh,1,101,\n");
        let want = "1,4,6,7,101";
        let held = |place: &Place| place.sql("SELECT GROUP_CONCAT(born ORDER BY born) FROM people");
        let reference = |place: &Place| {
            place.sql(&format!("TRUNCATE people; {old}"));
            let done = place.load("a.csv b.csv --into people --lanes 1 --batch 3 --bad-rows divert:row.csv");
            assert_eq!(done.code, 4, "{done}");
            assert_eq!(held(place), want);
        };
        reference(place);
        place.sql(&format!("TRUNCATE people; {old}"));
        place.forget();
        let args = "a.csv b.csv --into people --atomic --sort server --lanes 2 --batch 3 --bad-rows";
        let stopped = place.go_on(&format!("{args} stop"));
        assert_eq!(stopped.code, 2, "{stopped}");
        stopped.says("`bad` is not a whole number (a.csv, line 11, column `born`)");
        place.forget();
        place.sql("DROP TABLE people__inrush_new");
        place.write("a.csv", rows.replace("bad", "8"));
        let stopped = place.go_on(&format!("{args} stop"));
        assert_eq!(stopped.code, 2, "{stopped}");
        stopped.says("another row has the same value of key `PRIMARY`");
        stopped.says("(a.csv, line 4)");
        stopped.says("--bad-rows skip");
        assert_eq!(held(place), "7", "the table is as it was: {stopped}");
        // The same command with another word goes on.
        let done = place.go_on(&format!("{args} skip"));
        let rows_of = |stored, rejected| Some(Rows { read: stored + rejected, stored, rejected, ..Rows::default() });
        assert_eq!((done.code, done.rows()), (4, rows_of(7, 5)), "{done}");
        assert_eq!(held(place), "1,4,6,7,8,101", "{done}");
        done.json["first_rejects"].as_array().filter(|rejects| rejects.len() == 5).expect("the report names them");

        // Records that nobody has kept are not in the file, and whoever reads it is told so.
        place.sql(&format!("TRUNCATE people; {old}"));
        place.forget();
        assert_eq!(place.go_on(&format!("{args} stop")).code, 2);
        let done = place.done(&place.command(&format!("{args} divert:late.csv --json")).output().unwrap());
        assert_eq!((done.code, done.rows()), (4, rows_of(7, 5)), "{done}");
        done.says("the reject file lacks 5 records");

        // Into a file, with what was bad before: as row by row.
        place.write("a.csv", rows);
        place.sql(&format!("TRUNCATE people; {old}"));
        place.forget();
        let done = place.go_on(&format!("{args} divert:bad.csv"));
        assert_eq!((done.code, done.rows()), (4, rows_of(6, 6)), "{done}");
        assert_eq!(held(place), want);
        assert_eq!(place.read("bad.csv"), place.read("row.csv"), "{done}");
        let lines = |log: &str| {
            let text = place.read(log);
            let fields = text.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(":"));
            fields.collect::<Vec<_>>()
        };
        assert_eq!(lines("bad.csv.log"), lines("row.csv.log"));
        let again = place.go_on(&format!("{args} divert:bad.csv"));
        assert!(again.stdout.contains("already-loaded"), "{again}");

        place.sql(&format!("TRUNCATE people; {old}"));
        place.forget();
        let done = place.go_on(&format!("{args} skip --max-bad 3"));
        assert_eq!(done.code, 2, "{done}");
        done.says("6 of 12 records are bad, more than `--max-bad` allows");
        let done = place.go_on(&format!("{args} skip --max-bad 6"));
        assert_eq!((done.code, done.rows()), (4, rows_of(6, 6)), "{done}");
    });
}

#[test]
fn what_the_server_cannot_sort_is_refused() {
    everywhere("server_sort_refused", |place| {
        place.sql(
            "CREATE TABLE people (id INT PRIMARY KEY, born INT); CREATE TABLE heap (id INT, born INT); \
             CREATE TABLE made (id INT AUTO_INCREMENT PRIMARY KEY, born INT); \
             CREATE TABLE noted (id INT PRIMARY KEY, inrush_line INT)",
        );
        place.write("a.csv", "id,born\n1,1\n");
        place.write("noted.csv", "id,inrush_line\n1,1\n");
        let check = |args: &str, says: &str| {
            let done = place.load(&format!("{args} --sort server"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
            assert_eq!(place.sql("SHOW TABLES LIKE '%inrush\\_new'"), "", "{done}");
        };
        check("a.csv --into people", "without keys meanwhile");
        check("a.csv --into people --atomic --mode upsert", "`--mode` needs its keys for each row");
        check("a.csv --into people --atomic --guarantee at-least-once", "noted in the ledger");
        check("a.csv --into heap --atomic", "it has no key");
        check("a.csv --into made --atomic", "an AUTO_INCREMENT column needs its primary key");
        check("noted.csv --into noted --atomic", "column `inrush_line` has the name of one that inrush needs");
        check("a.csv --into new --create-table --atomic", "it has no key");
    });
}
