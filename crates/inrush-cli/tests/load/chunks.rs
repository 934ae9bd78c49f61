//! Bad rows among many chunks and lanes: whatever the report names is in the table, and nothing else.

use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Rows, everywhere};

#[test]
fn two_hundred_bad_rows_among_many_chunks() {
    everywhere("two_hundred", |place| {
        // Of 3,000 every 30th is found by us, every 30th by the server, which has that value already.
        place.write(
            "numbers.csv",
            numbers(3_000, |id| match id % 30 {
                7 => format!("{id},x"),
                19 => format!("{id},-1"),
                _ => format!("{id},{id}"),
            }),
        );
        for (args, in_order) in [
            ("--batch 250 --lanes 3", false),
            ("--batch 250 --lanes 1", true),
            ("--batch 9k", false),
            // Chunks that make up full statements, and a rest.
            ("--batch 1300 --lanes 1 --method multi-row-prepared", true),
            // In bulk on MariaDB where LOAD DATA is not allowed.
            ("--batch 1300 --lanes 1 --method auto", true),
        ] {
            place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}; INSERT INTO numbers VALUES (0, -1)"));
            let args = format!("numbers.csv --into numbers --bad-rows divert:bad.csv {args}");
            let done = place.load_counted(&args, "numbers", 4, Rows::rejecting(2_800, 200));
            check_table(place, &done, |id| ![7, 19].contains(&(id % 30)));
            let first: Vec<u64> = done.json["first_rejects"].as_array().unwrap().iter().map(line).collect();
            assert_eq!(
                first,
                (0..10).flat_map(|n| [n * 30 + 8, n * 30 + 20]).collect::<Vec<_>>(),
                "the first in the file"
            );

            let bad = place.read("bad.csv");
            let mut records: Vec<&str> = bad.lines().skip(1).collect();
            let wanted: Vec<String> =
                (0..100).flat_map(|n| [format!("{},x", n * 30 + 7), format!("{},-1", n * 30 + 19)]).collect();
            if !in_order {
                records.sort_by_key(|record| record.split(',').next().unwrap().parse::<u64>().unwrap());
            }
            assert_eq!((bad.lines().next(), records), (Some("id,value"), wanted.iter().map(String::as_str).collect()));
            let log = place.read("bad.csv.log");
            assert_eq!((log.lines().count(), log.matches("\t1062\tDuplicate entry '-1' for key").count()), (200, 100));
            assert_eq!(log.matches("\tvalue\t0\t`x` is not a whole number").count(), 100);
            for name in ["bad.csv", "bad.csv.log"] {
                std::fs::remove_file(place.path(name)).unwrap();
            }
        }
    });
}

#[test]
fn bound_rows_of_two_files_of_different_fields() {
    everywhere("bound", |place| {
        place.sql(TABLE);
        place.write("a.csv", numbers(1_100, |id| format!("{id},{id}")));
        let rows: String = (1_101..=2_200).map(|id| format!("{id},{id}\n")).collect();
        place.write("b.csv", format!("value,id\n{rows}"));
        let args = "a.csv b.csv --into numbers --batch 700 --lanes 2 --method multi-row-prepared";
        let done = place.load_counted(args, "numbers", 0, Rows::stored(2_200));
        assert_eq!(done.json["method"]["name"], "multi-row-prepared", "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id), SUM(value) FROM numbers"), "2200,2421100,2421100");
    });
}

#[test]
fn every_row_bad() {
    everywhere("every_row_bad", |place| {
        place.sql(&format!("{TABLE}; INSERT INTO numbers VALUES (0, -1)"));
        for bad in ["x", "-1"] {
            place.write("numbers.csv", numbers(600, |id| format!("{id},{bad}")));
            place.load_counted(
                "numbers.csv --into numbers --batch 200 --bad-rows skip",
                "numbers",
                4,
                Rows::rejecting(0, 600),
            );
            let done = place.load("numbers.csv --into numbers --batch 200");
            assert_eq!(done.code, 2, "{done}");
            done.says("(numbers.csv, line 2");
            done.says("stored: nothing");
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "1");
    });
}

#[test]
fn a_load_stops_at_the_bad_row_and_names_what_is_stored() {
    everywhere("stops", |place| {
        place.sql(&format!("{TABLE}; INSERT INTO numbers VALUES (0, -1)"));
        for bad_id in [1, 150, 200, 201, 250, 300] {
            for (bad, place_of_fault) in [("x", ", column `value`)"), ("-1", ")")] {
                place.write(
                    "numbers.csv",
                    numbers(300, |id| if id == bad_id { format!("{id},{bad}") } else { format!("{id},{id}") }),
                );
                let done = place.load("numbers.csv --into numbers --batch 100 --lanes 2");
                assert_eq!(done.code, 2, "{done}");
                done.says(&format!(
                    " (numbers.csv, line {}{place_of_fault}\nhint: `--bad-rows divert:rejected.csv`",
                    bad_id + 1
                ));
                let chunk = (bad_id - 1) / 100;
                let named = check_table(place, &done, |id| (id - 1) / 100 != chunk);
                // Every chunk before the bad one is in: the message says where to go on.
                assert!((1..=chunk * 100).all(|id| named.contains(&id)), "{done}");
                place.sql("DELETE FROM numbers WHERE id > 0");
            }
        }
    });
}

#[test]
fn a_bad_chunk_with_one_lane_is_the_last() {
    everywhere("one_lane", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| if id == 150 { "150,x".into() } else { format!("{id},{id}") }));
        let done = place.load("numbers.csv --into numbers --batch 100 --lanes 1");
        done.says("\nstored: numbers.csv, records 1 to 100 (lines 2 to 101)");
        assert_eq!(check_table(place, &done, |_| true).len(), 100);
    });
}

#[test]
fn equal_keys_in_one_file_keep_the_first() {
    everywhere("equal_keys", |place| {
        place.sql(TABLE);
        // The same key in one chunk, and again in the next; one lane, so that the order is the file's.
        place.write("numbers.csv", "id,value\n1,10\n2,20\n1,30\n3,40\n2,50\n4,10\n");
        place.load_counted(
            "numbers.csv --into numbers --batch 3 --lanes 1 --bad-rows skip",
            "numbers",
            4,
            Rows::rejecting(3, 3),
        );
        assert_eq!(place.sql("SELECT * FROM numbers ORDER BY id"), "1,10|2,20|3,40");
    });
}

#[test]
fn max_bad_is_a_count_or_a_share() {
    everywhere("max_bad", |place| {
        place.sql(TABLE);
        place.write(
            "numbers.csv",
            numbers(1_000, |id| if id % 50 == 0 { format!("{id},x") } else { format!("{id},{id}") }),
        );
        for (most, code) in [("20", 4), ("19", 2), ("0", 2), ("2%", 4), ("1.9%", 2), ("0%", 2)] {
            let done = place.load(&format!("numbers.csv --into numbers --bad-rows skip --max-bad {most} --batch 250"));
            assert_eq!(done.code, code, "--max-bad {most}: {done}");
            if code == 2 {
                done.says(" records are bad, more than `--max-bad` allows");
                assert!(done.json["stop"]["why"] == "bad-data", "{done}");
            }
            check_table(place, &done, |id| id % 50 != 0);
            place.sql("TRUNCATE numbers");
        }
        // Judged before the COMMIT: a file of one chunk leaves nothing behind.
        let done = place.load("numbers.csv --into numbers --bad-rows skip --max-bad 19");
        assert_eq!((done.code, done.rows().unwrap().stored), (2, 0), "{done}");
        // A share is judged under way too, once there are 10,000.
        place.write(
            "numbers.csv",
            numbers(40_000, |id| if id % 50 == 0 { format!("{id},x") } else { format!("{id},{id}") }),
        );
        let done = place.load("numbers.csv --into numbers --bad-rows skip --max-bad 1% --batch 1000");
        assert_eq!(done.code, 2, "{done}");
        assert!(done.rows().unwrap().read < 30_000, "it went on: {done}");
        check_table(place, &done, |id| id % 50 != 0);
    });
}

fn line(reject: &serde_json::Value) -> u64 {
    reject["line"].as_u64().unwrap()
}
